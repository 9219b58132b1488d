
/*
 * A document that comes in pieces, gathered in one place.
 */


#ifndef _NGX_ORS_GATHER_H_INCLUDED_
#define _NGX_ORS_GATHER_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


/*
 * Makes room for "size" bytes in all.  "g" is zeroed at first, and the same
 * buffer in later calls; its memory comes from "pool".  NGX_OK or NGX_ERROR: no
 * memory.
 */
ngx_int_t ngx_ors_gather_reserve(ngx_buf_t *g, size_t size, ngx_pool_t *pool);

/*
 * Takes what "b" has, and moves b->pos.
 *
 * NGX_OK         "g" has it
 * NGX_DECLINED   "g" would have more than "max" bytes; nothing was taken
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_gather(ngx_buf_t *g, ngx_buf_t *b, size_t max,
    ngx_pool_t *pool);

/*
 * Takes what "b" has up to "max" bytes in all; what is over is lost.  NGX_OK or
 * NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_gather_head(ngx_buf_t *g, ngx_buf_t *b, size_t max,
    ngx_pool_t *pool);


/*
 * 1 if a Content-Type is media type "name": parameters do not count, nor
 * does the case.
 */
ngx_uint_t ngx_ors_mime_is(ngx_str_t *type, char *name);


#endif /* _NGX_ORS_GATHER_H_INCLUDED_ */
