
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * A document of ours as the whole answer to a request.
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

    ngx_str_set(&r->headers_out.content_type, "application/json");
    r->headers_out.content_type_len = r->headers_out.content_type.len;

    rc = ngx_http_send_header(r);

    if (rc == NGX_ERROR || rc > NGX_OK || r->header_only) {
        return rc;
    }

    for (cl = body; cl->next; cl = cl->next) { /* void */ }

    cl->buf->last_buf = 1;
    cl->buf->last_in_chain = 1;

    return ngx_http_output_filter(r, body);
}
