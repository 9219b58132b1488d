
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * gzip and deflate by zlib, fed with buffers of any size.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_inflate.h>
#include <zlib.h>


/* to MAX_WBITS: gzip's wrapping and no other */
#define NGX_ORS_INFLATE_GZIP  16


typedef enum {
    ngx_ors_inflate_st_head = 0,    /* wrapped or not is not known yet */
    ngx_ors_inflate_st_body,
    ngx_ors_inflate_st_end,         /* it may end here */
    ngx_ors_inflate_st_broken
} ngx_ors_inflate_state_e;


struct ngx_ors_inflate_s {
    ngx_ors_inflate_state_e    state;
    ngx_ors_inflate_e          kind;
    z_stream                   stream;

    ngx_buf_t                  head;      /* bytes in front of the input */
    u_char                     head_buf[2];
};


static void *ngx_ors_inflate_alloc(void *data, uInt items, uInt size);
static void ngx_ors_inflate_free(void *data, void *p);
static ngx_int_t ngx_ors_inflate_head(ngx_ors_inflate_t *inf, ngx_buf_t *in);
static ngx_int_t ngx_ors_inflate_body(ngx_ors_inflate_t *inf, ngx_buf_t *in,
    ngx_buf_t *out);
static int ngx_ors_inflate_step(ngx_ors_inflate_t *inf, ngx_buf_t *in,
    ngx_buf_t *out);


ngx_ors_inflate_t *
ngx_ors_inflate_create(ngx_ors_inflate_e kind, ngx_pool_t *pool)
{
    int                 bits;
    ngx_ors_inflate_t  *inf;

    inf = ngx_pcalloc(pool, sizeof(ngx_ors_inflate_t));
    if (inf == NULL) {
        return NULL;
    }

    /*
     * set by ngx_pcalloc():
     *
     *     inf->state = ngx_ors_inflate_st_head;
     */

    inf->kind = kind;

    inf->head.start = inf->head_buf;
    inf->head.pos = inf->head_buf;
    inf->head.last = inf->head_buf;
    inf->head.end = inf->head_buf + sizeof(inf->head_buf);

    bits = MAX_WBITS;

    if (kind == ngx_ors_inflate_gzip) {
        inf->state = ngx_ors_inflate_st_body;
        bits += NGX_ORS_INFLATE_GZIP;
    }

    /* the stream has nothing but this memory: no inflateEnd() is due */

    inf->stream.zalloc = ngx_ors_inflate_alloc;
    inf->stream.zfree = ngx_ors_inflate_free;
    inf->stream.opaque = pool;

    return (inflateInit2(&inf->stream, bits) == Z_OK) ? inf : NULL;
}


static void *
ngx_ors_inflate_alloc(void *data, uInt items, uInt size)
{
    ngx_pool_t  *pool = data;

    return ngx_palloc(pool, (size_t) items * size);
}


static void
ngx_ors_inflate_free(void *data, void *p)
{
    ngx_pool_t  *pool = data;

    (void) ngx_pfree(pool, p);
}


ngx_int_t
ngx_ors_inflate(ngx_ors_inflate_t *inf, ngx_buf_t *in, ngx_buf_t *out)
{
    ngx_int_t  rc;

    for ( ;; ) {

        switch (inf->state) {

        case ngx_ors_inflate_st_head:
            rc = ngx_ors_inflate_head(inf, in);

            if (rc != NGX_OK) {
                return rc;
            }

            inf->state = ngx_ors_inflate_st_body;
            break;

        case ngx_ors_inflate_st_body:
            rc = ngx_ors_inflate_body(inf, in, out);

            if (rc == NGX_DECLINED) {
                inf->state = ngx_ors_inflate_st_broken;
            }

            if (rc != NGX_DONE) {
                return rc;
            }

            inf->state = ngx_ors_inflate_st_end;
            break;

        case ngx_ors_inflate_st_end:

            if (in->pos == in->last) {
                return NGX_DONE;
            }

            if (inf->kind != ngx_ors_inflate_gzip) {
                inf->state = ngx_ors_inflate_st_broken;
                break;
            }

            if (inflateReset(&inf->stream) != Z_OK) {
                return NGX_ERROR;
            }

            inf->state = ngx_ors_inflate_st_body;
            break;

        case ngx_ors_inflate_st_broken:
            return NGX_DECLINED;
        }
    }
}


/*
 * Two bytes tell: of the wrapping the first one has the method, 8, in its
 * low half, and both are a multiple of 31.  Without it that would be a block
 * of plain bytes with a bit set that is of no use.
 */

static ngx_int_t
ngx_ors_inflate_head(ngx_ors_inflate_t *inf, ngx_buf_t *in)
{
    u_char     *p;
    ngx_buf_t  *head;

    head = &inf->head;

    while (head->last < head->end) {

        if (in->pos == in->last) {
            return NGX_AGAIN;
        }

        *head->last++ = *in->pos++;
    }

    p = head->pos;

    if ((p[0] & 0x0f) == Z_DEFLATED && ((p[0] << 8) | p[1]) % 31 == 0) {
        return NGX_OK;
    }

    return (inflateReset2(&inf->stream, -MAX_WBITS) == Z_OK) ? NGX_OK
                                                             : NGX_ERROR;
}


/* NGX_DONE: the end of a member; else what ngx_ors_inflate() returns */

static ngx_int_t
ngx_ors_inflate_body(ngx_ors_inflate_t *inf, ngx_buf_t *in, ngx_buf_t *out)
{
    int  rc;

    rc = Z_OK;

    if (inf->head.pos < inf->head.last) {
        rc = ngx_ors_inflate_step(inf, &inf->head, out);
    }

    if (rc == Z_OK && inf->head.pos == inf->head.last) {
        rc = ngx_ors_inflate_step(inf, in, out);
    }

    switch (rc) {

    case Z_OK:
    case Z_BUF_ERROR:                 /* nothing could be done */
        return (out->last == out->end) ? NGX_OK : NGX_AGAIN;

    case Z_STREAM_END:
        return NGX_DONE;

    case Z_DATA_ERROR:
    case Z_NEED_DICT:
        return NGX_DECLINED;

    default:                          /* Z_MEM_ERROR */
        return NGX_ERROR;
    }
}


static int
ngx_ors_inflate_step(ngx_ors_inflate_t *inf, ngx_buf_t *in, ngx_buf_t *out)
{
    int        rc;
    z_stream  *stream;

    stream = &inf->stream;

    stream->next_in = in->pos;
    stream->avail_in = in->last - in->pos;
    stream->next_out = out->last;
    stream->avail_out = out->end - out->last;

    rc = inflate(stream, Z_NO_FLUSH);

    in->pos = stream->next_in;
    out->last = stream->next_out;

    return rc;
}
