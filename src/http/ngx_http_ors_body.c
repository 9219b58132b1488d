
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


/* a request that is as large needs twice as much */
#define NGX_HTTP_ORS_LARGE  (8 * 1024 * 1024)


/*
 * malloc() takes large blocks from the heap and keeps twice their size at its
 * end once a block as large was freed that was mapped on its own.  A request of
 * 1 MB needs a little more than twice the largest block that it frees, its own
 * text: without this its pages are given back, and faulted in by the next one.
 * No page of this block is ever touched; where the operator has set malloc's
 * thresholds these hold.
 */

ngx_int_t
ngx_http_ors_body_init(ngx_log_t *log)
{
    void  *p;

    p = ngx_alloc(NGX_HTTP_ORS_LARGE, log);
    if (p == NULL) {
        return NGX_ERROR;
    }

    ngx_free(p);

    return NGX_OK;
}


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
