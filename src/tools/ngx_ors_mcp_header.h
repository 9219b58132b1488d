
/*
 * Values of MCP's headers: what can stand in a header as it is, and the
 * marker for what cannot.
 */


#ifndef _NGX_ORS_MCP_HEADER_H_INCLUDED_
#define _NGX_ORS_MCP_HEADER_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


/*
 * The value of a header for "text": the text itself, borrowed, if it is
 * visible ASCII with blanks inside at most and does not look like the marker;
 * else "=?base64?", its Base64 and "?=" in memory of "pool".
 *
 * NGX_OK, or NGX_ERROR: no memory
 */
ngx_int_t ngx_ors_mcp_header_value(ngx_str_t *text, ngx_pool_t *pool,
    ngx_str_t *value);

/* 1 if "text" is a token of HTTP, which can be a part of a header's name. */
ngx_uint_t ngx_ors_mcp_header_token(ngx_str_t *text);

/* 1 if "id" can be the id of a session: visible ASCII, and not too long. */
ngx_uint_t ngx_ors_mcp_header_session(ngx_str_t *id);


#endif /* _NGX_ORS_MCP_HEADER_H_INCLUDED_ */
