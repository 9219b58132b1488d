
/*
 * Bodies: that of a request as one piece of memory, its Content-Type, and those
 * of requests and answers without their Content-Encoding.
 */


#ifndef _NGX_ORS_BODY_H_INCLUDED_
#define _NGX_ORS_BODY_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_error.h>


/*
 * Compressed bodies: gzip (RFC 1952), deflate (RFC 1950, and 1951 without its
 * wrapping, as some servers send it) and zstd (RFC 8878), which ORS_WITHOUT may
 * leave out.  Bytes in, text out; the state lives between calls.
 */

typedef enum {
    ngx_ors_inflate_gzip = 0,
    ngx_ors_inflate_deflate,
    ngx_ors_inflate_zstd
} ngx_ors_inflate_e;


typedef struct ngx_ors_inflate_s  ngx_ors_inflate_t;


/*
 * The Content-Encoding of a body, undone step by step.
 */


/* bytes of decoded text in one step */
#define NGX_ORS_DECODE_STEP  8192


/* zeroed memory: there is no encoding */

typedef struct {
    ngx_ors_inflate_t        *inflate;    /* NULL: nothing to be done */
    ngx_buf_t                *buf;
    unsigned                  whole:1;    /* the text has ended */
} ngx_ors_decode_t;

/* 1 if a body that has ended is not cut: its text has ended. */
#define ngx_ors_decode_complete(decode)                                       \
    ((decode)->inflate == NULL || (decode)->whole)


/*
 * Sets "body" to the bytes of "bufs", which may be in a file.  Buffers that lie
 * side by side become one; with "room" the last one has room for the first.
 * Else the bytes are copied to "pool".  NGX_OK, or NGX_ERROR: no memory, or the
 * file cannot be read, which is logged.
 */
ngx_int_t ngx_ors_body(ngx_chain_t *bufs, ngx_uint_t room, ngx_pool_t *pool,
    ngx_str_t *body);

/*
 * Decodes a whole request's "body" by its Content-Encoding: it becomes the text
 * in memory of "pool", which never has more than "max" bytes and one.
 *
 * NGX_OK         "body" is the text
 * NGX_DECLINED   "err" says why it cannot be decoded
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_body_decode(ngx_str_t *body, ngx_str_t *encoding, size_t max,
    ngx_pool_t *pool, ngx_ors_error_t *err);

/*
 * A decoder, or NULL: no memory.  It and its buffers, 45 KB, of zstd up to 8.5
 * MB, go with "pool".
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
 * NGX_DONE       "in" is used up and the body may end here; of gzip and zstd
 *                another member may follow, call again with it
 * NGX_DECLINED   the bytes are broken, or go on where they may not
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_inflate(ngx_ors_inflate_t *inflate, ngx_buf_t *in,
    ngx_buf_t *out);

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

/*
 * The media type of a request's body.
 */


/*
 * Why the body of these headers cannot be read, static text, or NULL: it is
 * JSON in UTF-8, in an encoding that ngx_ors_body_decode() knows, if any.
 */
char *ngx_ors_media(ngx_list_t *headers);


#endif /* _NGX_ORS_BODY_H_INCLUDED_ */
