
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Documents of ours as the whole answer to a request, the list of models
 * among them.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>


ngx_int_t
ngx_http_ors_document(ngx_http_request_t *r, ngx_uint_t status,
    ngx_ors_out_t *out)
{
    size_t        size;
    ngx_int_t     rc;
    ngx_chain_t  *cl, *body;

    size = out->size;

    if (ngx_ors_out_take(out, &body) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    r->headers_out.status = status;
    r->headers_out.content_length_n = size;

    if (r->headers_out.content_type.len == 0) {
        ngx_str_set(&r->headers_out.content_type, "application/json");
        r->headers_out.content_type_len = r->headers_out.content_type.len;
    }

    rc = ngx_http_send_header(r);

    if (rc == NGX_ERROR || rc > NGX_OK || r->header_only) {
        return rc;
    }

    for (cl = body; cl->next; cl = cl->next) { /* void */ }

    cl->buf->last_buf = (r == r->main) ? 1 : 0;
    cl->buf->last_in_chain = 1;

    return ngx_http_output_filter(r, body);
}


ngx_int_t
ngx_http_ors_models(ngx_http_request_t *r)
{
    ngx_int_t                 rc;
    ngx_ors_out_t             out;
    ngx_http_ors_loc_conf_t  *olcf;

    rc = ngx_http_discard_request_body(r);

    if (rc != NGX_OK) {
        return rc;
    }

    olcf = ngx_http_get_module_loc_conf(r, ngx_http_open_responses_module);

    ngx_ors_out_init(&out, r->pool, NGX_HTTP_ORS_BLOCK);
    ngx_ors_route_models(olcf->routes, olcf->created, &out);

    return ngx_http_ors_document(r, NGX_HTTP_OK, &out);
}
