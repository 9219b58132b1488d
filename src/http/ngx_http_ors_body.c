
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The body of a request: taken from it, and set in it.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>
#include <ngx_ors_body.h>


ngx_int_t
ngx_http_ors_body(ngx_http_request_t *r, ngx_str_t *body)
{
    ngx_str_null(body);

    if (r->request_body == NULL || r->request_body->bufs == NULL) {
        return NGX_OK;
    }

    return ngx_ors_body(r->request_body->bufs, !r->headers_in.chunked, r->pool,
                        body);
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
