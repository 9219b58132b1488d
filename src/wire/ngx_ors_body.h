
/*
 * The body of a request as one piece of memory.
 */


#ifndef _NGX_ORS_BODY_H_INCLUDED_
#define _NGX_ORS_BODY_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


/*
 * Sets "body" to the bytes of "bufs", which may be in a file.  Buffers that lie
 * side by side become one; with "room" the last one has room for the first.
 * Else the bytes are copied to "pool".  NGX_OK, or NGX_ERROR: no memory, or the
 * file cannot be read, which is logged.
 */
ngx_int_t ngx_ors_body(ngx_chain_t *bufs, ngx_uint_t room, ngx_pool_t *pool,
    ngx_str_t *body);


#endif /* _NGX_ORS_BODY_H_INCLUDED_ */
