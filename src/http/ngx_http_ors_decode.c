
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * An upstream's Content-Encoding undone, a buffer at a time.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>


static ngx_uint_t ngx_http_ors_decode_is(ngx_str_t *value, char *name);


ngx_int_t
ngx_http_ors_decode_init(ngx_http_ors_decode_t *plain, ngx_http_request_t *r,
    ngx_uint_t strip)
{
    ngx_str_t          *value;
    ngx_table_elt_t    *h;
    ngx_ors_inflate_e   kind;

    h = r->headers_out.content_encoding;

    if (h == NULL || h->value.len == 0
        || ngx_http_ors_decode_is(&h->value, "identity"))
    {
        return NGX_OK;
    }

    /* what is sent in its place, an error document or not, is plain */

    if (strip) {
        h->hash = 0;
        r->headers_out.content_encoding = NULL;
    }

    value = &h->value;

    if (ngx_http_ors_decode_is(value, "gzip")
        || ngx_http_ors_decode_is(value, "x-gzip"))
    {
        kind = ngx_ors_inflate_gzip;

    } else if (ngx_http_ors_decode_is(value, "deflate")) {
        kind = ngx_ors_inflate_deflate;

    } else {
        return NGX_DECLINED;
    }

    plain->inflate = ngx_ors_inflate_create(kind, r->pool);
    if (plain->inflate == NULL) {
        return NGX_ERROR;
    }

    plain->buf = ngx_create_temp_buf(r->pool, NGX_HTTP_ORS_STEP);
    if (plain->buf == NULL) {
        return NGX_ERROR;
    }

    return NGX_OK;
}


ngx_int_t
ngx_http_ors_decode_next(ngx_http_ors_decode_t *plain, ngx_buf_t *b,
    ngx_buf_t *piece)
{
    ngx_int_t  rc;

    if (plain->inflate == NULL) {

        if (b->pos == b->last) {
            return NGX_AGAIN;
        }

        *piece = *b;
        piece->last = ngx_min(b->last, b->pos + NGX_HTTP_ORS_STEP);

        b->pos = piece->last;

        return NGX_OK;
    }

    plain->buf->pos = plain->buf->start;
    plain->buf->last = plain->buf->start;

    rc = ngx_ors_inflate(plain->inflate, b, plain->buf);

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    /* what was read before the fault counts, in one packet with it or not */

    if (rc == NGX_DECLINED && plain->buf->pos == plain->buf->last) {
        return NGX_DECLINED;
    }

    plain->whole = (rc == NGX_DONE);

    if (plain->buf->pos == plain->buf->last) {
        return NGX_AGAIN;
    }

    *piece = *plain->buf;

    return NGX_OK;
}


static ngx_uint_t
ngx_http_ors_decode_is(ngx_str_t *value, char *name)
{
    return value->len == ngx_strlen(name)
           && ngx_strncasecmp(value->data, (u_char *) name, value->len) == 0;
}
