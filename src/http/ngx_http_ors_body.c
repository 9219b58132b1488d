
/*
 * Copyright (C) Open Responses contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>


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

    b = bufs->buf;

    if (bufs->next == NULL && !b->in_file) {
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
        p = ngx_http_ors_body_copy(r, cl->buf, p);
        if (p == NULL) {
            return NGX_ERROR;
        }
    }

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
