
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * An upstream's Content-Encoding undone, a buffer at a time.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_decode.h>
#include <ngx_ors_names.h>


ngx_int_t
ngx_ors_decode_init(ngx_ors_decode_t *decode, ngx_str_t *encoding,
    ngx_pool_t *pool)
{
    ngx_ors_inflate_e  kind;

    if (encoding->len == 0 || ngx_ors_same_case(encoding, "identity")) {
        return NGX_OK;
    }

    if (ngx_ors_same_case(encoding, "gzip")
        || ngx_ors_same_case(encoding, "x-gzip"))
    {
        kind = ngx_ors_inflate_gzip;

    } else if (ngx_ors_same_case(encoding, "deflate")) {
        kind = ngx_ors_inflate_deflate;

    } else {
        return NGX_DECLINED;
    }

    decode->inflate = ngx_ors_inflate_create(kind, pool);
    if (decode->inflate == NULL) {
        return NGX_ERROR;
    }

    decode->buf = ngx_create_temp_buf(pool, NGX_ORS_DECODE_STEP);
    if (decode->buf == NULL) {
        return NGX_ERROR;
    }

    return NGX_OK;
}


ngx_int_t
ngx_ors_decode_next(ngx_ors_decode_t *decode, ngx_buf_t *b, ngx_buf_t *piece)
{
    ngx_int_t  rc;

    if (decode->inflate == NULL) {

        if (b->pos == b->last) {
            return NGX_AGAIN;
        }

        *piece = *b;
        piece->last = ngx_min(b->last, b->pos + NGX_ORS_DECODE_STEP);

        b->pos = piece->last;

        return NGX_OK;
    }

    decode->buf->pos = decode->buf->start;
    decode->buf->last = decode->buf->start;

    rc = ngx_ors_inflate(decode->inflate, b, decode->buf);

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    /* the text in front of a fault counts, in one packet with it or not */

    if (rc == NGX_DECLINED && decode->buf->pos == decode->buf->last) {
        return NGX_DECLINED;
    }

    decode->whole = (rc == NGX_DONE);

    if (decode->buf->pos == decode->buf->last) {
        return NGX_AGAIN;
    }

    *piece = *decode->buf;

    return NGX_OK;
}
