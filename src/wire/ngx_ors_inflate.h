
/*
 * Compressed bodies: gzip (RFC 1952) and deflate (RFC 1950, and 1951 without
 * its wrapping, as some servers send it).  Bytes in, text out; the state lives
 * between calls.
 */


#ifndef _NGX_ORS_INFLATE_H_INCLUDED_
#define _NGX_ORS_INFLATE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


typedef enum {
    ngx_ors_inflate_gzip = 0,
    ngx_ors_inflate_deflate
} ngx_ors_inflate_e;


typedef struct ngx_ors_inflate_s  ngx_ors_inflate_t;


/*
 * A decoder, or NULL: no memory.  It and what it needs later, 45 KB in all,
 * come from "pool" and go with it.
 */
ngx_ors_inflate_t *ngx_ors_inflate_create(ngx_ors_inflate_e kind,
    ngx_pool_t *pool);

/*
 * Decodes from in->pos to out->last, moving both, as far as the bytes and
 * the room last; "out" must have room.  A few bytes may become a thousand
 * times as many: how much is taken is the caller's to limit.
 *
 * NGX_OK         "out" is full; make room and call again, even if "in" is
 *                used up
 * NGX_AGAIN      "in" is used up; if no more comes the body was cut
 * NGX_DONE       "in" is used up and the body may end here; of gzip another
 *                member may follow, call again with it
 * NGX_DECLINED   the bytes are broken, or go on where they may not
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_inflate(ngx_ors_inflate_t *inflate, ngx_buf_t *in,
    ngx_buf_t *out);


#endif /* _NGX_ORS_INFLATE_H_INCLUDED_ */
