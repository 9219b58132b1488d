
/*
 * The token of a response: what the ids of its items have in common.  It
 * follows from the response's id, and the id does not follow from it.
 */


#ifndef _NGX_ORS_TOKEN_H_INCLUDED_
#define _NGX_ORS_TOKEN_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_id.h>


/*
 * Makes the token of the response "id", whoever made that: NGX_ORS_ID_LEN
 * characters of [A-Za-z0-9], from 192 bits of SHA-256.  NGX_OK or NGX_ERROR:
 * libcrypto has failed.
 */
ngx_int_t ngx_ors_token(ngx_str_t *id, u_char *token);


#endif /* _NGX_ORS_TOKEN_H_INCLUDED_ */
