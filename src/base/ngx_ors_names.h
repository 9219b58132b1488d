
/*
 * An index of texts in memory, each with a number: finding one takes the same
 * time whatever the texts are.
 */


#ifndef _NGX_ORS_NAMES_H_INCLUDED_
#define _NGX_ORS_NAMES_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_hash.h>


typedef struct {
    ngx_str_t               text;     /* data is NULL in a free slot */
    uint32_t                hash;
    uint32_t                value;    /* the caller's, 0 at first */
} ngx_ors_name_t;


/* zeroed memory is an empty index */

typedef struct {
    ngx_ors_name_t         *slots;
    ngx_uint_t              nslots;   /* a power of two, or 0 */
    ngx_uint_t              n;
    ngx_ors_hash_key_t      key;
} ngx_ors_names_t;


/* The most bytes that room for "n" texts takes. */
#define ngx_ors_names_size(n)                                                 \
    (((n) > 1 ? 4 * (n) : 8) * sizeof(ngx_ors_name_t))

/*
 * Makes room for "n" texts in all, so that adding them allocates nothing.
 * NGX_OK or NGX_ERROR: no memory, or no random bytes.
 */
ngx_int_t ngx_ors_names_reserve(ngx_ors_names_t *names, ngx_pool_t *pool,
    ngx_uint_t n);

/*
 * The entry of "text", which is added if it is not there; its bytes are
 * borrowed and must stay where they are.  An entry moves when another text is
 * added.  NULL: no memory, or no random bytes.
 */
ngx_ors_name_t *ngx_ors_names_entry(ngx_ors_names_t *names, ngx_pool_t *pool,
    ngx_str_t *text);

/*
 * Adds "text" as ngx_ors_names_entry() does.
 *
 * NGX_OK         added
 * NGX_DECLINED   it is there already
 * NGX_ERROR      no memory, or no random bytes
 */
ngx_int_t ngx_ors_names_add(ngx_ors_names_t *names, ngx_pool_t *pool,
    ngx_str_t *text);

/* The entry of "text", or NULL if it is not there. */
ngx_ors_name_t *ngx_ors_names_find(ngx_ors_names_t *names, ngx_str_t *text);


#endif /* _NGX_ORS_NAMES_H_INCLUDED_ */
