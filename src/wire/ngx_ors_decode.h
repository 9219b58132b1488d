
/*
 * The Content-Encoding of a body, undone step by step.
 */


#ifndef _NGX_ORS_DECODE_H_INCLUDED_
#define _NGX_ORS_DECODE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_inflate.h>


/* bytes of decoded text in one step */
#define NGX_ORS_DECODE_STEP  8192


/* zeroed memory: there is no encoding */

typedef struct {
    ngx_ors_inflate_t        *inflate;    /* NULL: nothing to be done */
    ngx_buf_t                *buf;
    unsigned                  whole:1;    /* the text has ended */
} ngx_ors_decode_t;


/*
 * Prepares the decoding of a body with that Content-Encoding, which may be
 * empty.  NGX_OK, NGX_DECLINED: an encoding that is not known, or NGX_ERROR:
 * no memory.
 */
ngx_int_t ngx_ors_decode_init(ngx_ors_decode_t *decode, ngx_str_t *encoding,
    ngx_pool_t *pool);

/*
 * Takes the next step through "b": "piece" is decoded text, valid until the
 * next call.
 *
 * NGX_OK         there is a piece
 * NGX_AGAIN      "b" is used up
 * NGX_DECLINED   the bytes cannot be decompressed
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_decode_next(ngx_ors_decode_t *decode, ngx_buf_t *b,
    ngx_buf_t *piece);

/* 1 if a body that has ended is not cut: its text has ended. */
#define ngx_ors_decode_complete(decode)                                       \
    ((decode)->inflate == NULL || (decode)->whole)


#endif /* _NGX_ORS_DECODE_H_INCLUDED_ */
