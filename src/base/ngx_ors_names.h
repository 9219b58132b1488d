
/*
 * A set of texts in memory: whether one has come before is told in the same
 * time whatever the texts are.
 */


#ifndef _NGX_ORS_NAMES_H_INCLUDED_
#define _NGX_ORS_NAMES_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_hash.h>


typedef struct {
    ngx_str_t               text;     /* data is NULL in a free slot */
    uint64_t                hash;
} ngx_ors_name_t;


/* zeroed memory is an empty set */

typedef struct {
    ngx_ors_name_t         *slots;
    ngx_uint_t              nslots;   /* a power of two, or 0 */
    ngx_uint_t              n;
    ngx_ors_hash_key_t      key;
} ngx_ors_names_t;


/*
 * Makes room for "n" texts in all, so that adding them allocates nothing.
 * NGX_OK or NGX_ERROR: no memory, or no random bytes.
 */
ngx_int_t ngx_ors_names_reserve(ngx_ors_names_t *names, ngx_pool_t *pool,
    ngx_uint_t n);

/*
 * Adds "text"; its bytes are borrowed and must stay where they are.
 *
 * NGX_OK         added
 * NGX_DECLINED   it is there already
 * NGX_ERROR      no memory, or no random bytes
 */
ngx_int_t ngx_ors_names_add(ngx_ors_names_t *names, ngx_pool_t *pool,
    ngx_str_t *text);

/* 1 if "text" is there. */
ngx_uint_t ngx_ors_names_has(ngx_ors_names_t *names, ngx_str_t *text);


#endif /* _NGX_ORS_NAMES_H_INCLUDED_ */
