
/*
 * Digests: names of what must be neither guessed nor shown.
 */


#ifndef _NGX_ORS_DIGEST_H_INCLUDED_
#define _NGX_ORS_DIGEST_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_id.h>


#define NGX_ORS_DIGEST_LEN    16
#define NGX_ORS_DIGEST_WHOLE  32


/*
 * Makes the digest of "text", SHA-256 cut to NGX_ORS_DIGEST_LEN bytes; the
 * same text gives another digest for another "kind".  NGX_OK or NGX_ERROR:
 * libcrypto has failed.
 */
ngx_int_t ngx_ors_digest(u_char kind, ngx_str_t *text, u_char *digest);

/* As ngx_ors_digest(), not cut: "md" has NGX_ORS_DIGEST_WHOLE bytes. */
ngx_int_t ngx_ors_digest_whole(u_char kind, ngx_str_t *text, u_char *md);

/*
 * Makes the digest of "n" texts with their lengths: no other list of texts has
 * this digest.  With a "key" that is not empty it is an HMAC-SHA256, which
 * cannot be made without the key.  Return codes are those of ngx_ors_digest().
 */
ngx_int_t ngx_ors_digest_list(u_char kind, ngx_str_t *texts, ngx_uint_t n,
    ngx_str_t *key, u_char *digest);

/*
 * The token of a response: what the ids of its items have in common.  It
 * follows from the response's id, and the id does not follow from it.
 */


/*
 * Makes the token of the response "id", whoever made that: NGX_ORS_ID_LEN
 * characters of [A-Za-z0-9], from 192 bits of SHA-256.  NGX_OK or NGX_ERROR:
 * libcrypto has failed.
 */
ngx_int_t ngx_ors_token(ngx_str_t *id, u_char *token);


#endif /* _NGX_ORS_DIGEST_H_INCLUDED_ */
