
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The body of a request as one piece of memory.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>


static ngx_int_t ngx_http_ors_body_join(ngx_http_request_t *r,
    ngx_chain_t *bufs);
static u_char *ngx_http_ors_body_copy(ngx_http_request_t *r, ngx_buf_t *b,
    u_char *p);


ngx_int_t
ngx_http_ors_body(ngx_http_request_t *r, ngx_str_t *body)
{
    u_char       *p;
    off_t         len;
    ngx_buf_t    *b;
    ngx_chain_t  *cl, *bufs;

    ngx_str_null(body);

    bufs = r->request_body ? r->request_body->bufs : NULL;

    if (bufs == NULL) {
        return NGX_OK;
    }

    if (ngx_http_ors_body_join(r, bufs) == NGX_OK) {
        b = bufs->buf;

        body->data = b->pos;
        body->len = b->last - b->pos;
        return NGX_OK;
    }

    len = 0;

    for (cl = bufs; cl; cl = cl->next) {
        len += ngx_buf_size(cl->buf);
    }

    p = ngx_pnalloc(r->pool, (size_t) len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    body->data = p;
    body->len = (size_t) len;

    for (cl = bufs; cl; cl = cl->next) {

        /* the last buffer of a chunked body is empty and points nowhere */

        if (ngx_buf_size(cl->buf) == 0) {
            continue;
        }

        p = ngx_http_ors_body_copy(r, cl->buf, p);
        if (p == NULL) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/*
 * nginx makes a buffer of each piece that comes, but those behind the one
 * that came with the header lie side by side, and at their end there is
 * room for that one (see request_body_in_single_buf).  A copy would take
 * new memory, and that costs more than to move it.
 *
 * NGX_OK: "bufs" is one buffer; NGX_DECLINED: it must be copied
 */

static ngx_int_t
ngx_http_ors_body_join(ngx_http_request_t *r, ngx_chain_t *bufs)
{
    size_t        len;
    u_char       *last;
    ngx_buf_t    *b, *first, *rest;
    ngx_chain_t  *cl;

    first = bufs->buf;

    if (first->in_file) {
        return NGX_DECLINED;
    }

    last = first->last;
    rest = NULL;

    for (cl = bufs->next; cl; cl = cl->next) {
        b = cl->buf;

        if (b->in_file) {
            return NGX_DECLINED;
        }

        if (b->pos == b->last) {
            continue;
        }

        if (rest == NULL) {
            rest = b;

        } else if (b->pos != last) {
            return NGX_DECLINED;
        }

        last = b->last;
    }

    if (rest == NULL || rest->pos == first->last) {
        first->last = last;

    } else {
        len = first->last - first->pos;

        if (r->headers_in.chunked || (size_t) (rest->end - last) < len) {
            return NGX_DECLINED;
        }

        ngx_memmove(rest->pos + len, rest->pos, last - rest->pos);
        ngx_memcpy(rest->pos, first->pos, len);

        rest->last = last + len;
        bufs->buf = rest;
    }

    bufs->buf->last_buf = 1;
    bufs->next = NULL;

    return NGX_OK;
}


static u_char *
ngx_http_ors_body_copy(ngx_http_request_t *r, ngx_buf_t *b, u_char *p)
{
    size_t   size;
    ssize_t  n;

    if (!b->in_file) {
        return ngx_cpymem(p, b->pos, b->last - b->pos);
    }

    size = (size_t) (b->file_last - b->file_pos);

    n = ngx_read_file(b->file, p, size, b->file_pos);

    if (n == NGX_ERROR || (size_t) n != size) {
        ngx_log_error(NGX_LOG_CRIT, r->connection->log, 0,
                      "read of request body \"%V\" gave %z bytes of %uz",
                      &b->file->name, n, size);
        return NULL;
    }

    return p + n;
}


ngx_int_t
ngx_http_ors_body_set(ngx_http_request_t *r, ngx_chain_t *bufs, size_t size)
{
    u_char                 *p;
    ngx_table_elt_t        *h;
    ngx_http_headers_in_t  *in;

    in = &r->headers_in;

    p = ngx_pnalloc(r->pool, NGX_OFF_T_LEN);
    if (p == NULL) {
        return NGX_ERROR;
    }

    h = in->content_length;

    if (h) {
        h->value.len = ngx_sprintf(p, "%uz", size) - p;
        h->value.data = p;
    }

    in->content_length_n = size;

    r->request_body->bufs = bufs;

    return NGX_OK;
}
