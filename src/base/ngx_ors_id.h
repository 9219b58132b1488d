
/*
 * Identifiers: "resp_" and 24 random characters for a response; for what
 * belongs to it ("msg_...1", "fc_...2") 24 others, its token, and a number.
 * The token follows from the response's id, and not the other way round: an
 * item's id finds the stored response, but does not give its name away.
 */


#ifndef _NGX_ORS_ID_H_INCLUDED_
#define _NGX_ORS_ID_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


#define NGX_ORS_ID_LEN         24
#define NGX_ORS_ID_PREFIX_MAX  16

/* of a stored response, whoever made it: longer ids are none */
#define NGX_ORS_ID_MAX         256


typedef struct {
    u_char        text[NGX_ORS_ID_LEN];     /* of [A-Za-z0-9], random */
    u_char        token[NGX_ORS_ID_LEN];    /* set by the caller */
    ngx_uint_t    n;                        /* ids made so far */
} ngx_ors_id_t;


/*
 * Random bytes from the operating system, fetched in blocks: the one source
 * for identifiers, seeds and padding.
 */


/* the most that one call gives */
#define NGX_ORS_RANDOM_MAX  256


/*
 * Draws new random characters, 142 bits of them.
 *
 * NGX_OK      ids can be made
 * NGX_ERROR   the system gives no random bytes; logged as crit
 */
ngx_int_t ngx_ors_id_init(ngx_ors_id_t *id, ngx_log_t *log);

/*
 * Makes the next id: the first one is "prefix" "_" and the random characters,
 * those after it have the token and their number at the end, so that no two
 * are the same whatever their prefixes.  "prefix" is a literal of up to 16
 * characters; the id is shorter than 64 characters and allocated from "pool".
 *
 * NGX_OK      "*str" is set
 * NGX_ERROR   no memory
 */
ngx_int_t ngx_ors_id_make(ngx_ors_id_t *id, ngx_pool_t *pool,
    const char *prefix, ngx_str_t *str);

/*
 * The token in the id of an item, and what follows it.  Both are parts of
 * "id".
 *
 * NGX_OK         set
 * NGX_DECLINED   it is no id of ours
 */
ngx_int_t ngx_ors_id_split(ngx_str_t *id, ngx_str_t *text, ngx_str_t *rest);

/* Makes NGX_ORS_ID_LEN characters of [A-Za-z0-9] of as many bytes. */
void ngx_ors_id_letters(u_char *dst, u_char *bytes);

/*
 * Fills "dst" with "len" bytes, at most NGX_ORS_RANDOM_MAX, fit for secrets. No
 * byte is used twice, by this process or by one forked from it, and none stays
 * in memory here afterwards.
 *
 * NGX_OK      filled
 * NGX_ERROR   the system gives no random bytes; logged as crit
 */
ngx_int_t ngx_ors_random(void *dst, size_t len, ngx_log_t *log);


#endif /* _NGX_ORS_ID_H_INCLUDED_ */
