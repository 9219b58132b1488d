
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Error values as HTTP answers, also in place of nginx's own error pages.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>
#include <ngx_ors_error.h>


static void ngx_http_ors_error_document(ngx_http_request_t *r,
    ngx_ors_error_t *err, ngx_ors_out_t *out);


void
ngx_http_ors_error_of(ngx_http_request_t *r, ngx_uint_t status,
    ngx_ors_error_t *err)
{
    char  *text;

    text = (status == NGX_HTTP_UNSUPPORTED_MEDIA_TYPE)
           ? ngx_ors_media(&r->main->headers_in.headers) : NULL;

    ngx_ors_error_page(err, r->pool, status, text);
}


ngx_int_t
ngx_http_ors_error_send(ngx_http_request_t *r, ngx_ors_error_t *err)
{
    ngx_int_t      rc;
    ngx_ors_out_t  out;

    /* the client is not asked for a body that is not read */

    r->expect_tested = 1;

    rc = ngx_http_discard_request_body(r);

    if (rc != NGX_OK) {
        return rc;
    }

    ngx_http_ors_error_document(r, err, &out);

    return ngx_http_ors_document(r, err->status, &out);
}


static void
ngx_http_ors_error_document(ngx_http_request_t *r, ngx_ors_error_t *err,
    ngx_ors_out_t *out)
{
    ngx_ors_out_init(out, r->pool, NGX_HTTP_ORS_BLOCK);

    ngx_ors_out_lit(out, "{\"error\":");
    ngx_ors_error_render(out, err);
    ngx_ors_out_lit(out, "}");
}


ngx_int_t
ngx_http_ors_error(ngx_http_request_t *r)
{
    size_t               size;
    ngx_ors_out_t        out;
    ngx_ors_error_t      err;
    ngx_http_ors_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_open_responses_module);

    if (ctx == NULL) {
        ctx = ngx_http_ors_ctx_create(r);
        if (ctx == NULL) {
            return NGX_ERROR;
        }
    }

    ngx_http_ors_error_of(r, r->headers_out.status, &err);
    ngx_http_ors_error_document(r, &err, &out);

    size = out.size;

    if (ngx_ors_out_take(&out, &ctx->error) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_str_set(&r->headers_out.content_type, "application/json");
    r->headers_out.content_type_len = r->headers_out.content_type.len;
    r->headers_out.content_type_lowcase = NULL;

    ngx_http_clear_content_length(r);
    r->headers_out.content_length_n = size;

    return NGX_OK;
}


ngx_int_t
ngx_http_ors_error_body(ngx_http_request_t *r, ngx_chain_t *in,
    ngx_http_output_body_filter_pt next)
{
    ngx_buf_t           *b;
    ngx_chain_t         *cl, *out;
    ngx_http_ors_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_open_responses_module);

    /* the page that is replaced */

    for (cl = in; cl; cl = cl->next) {
        cl->buf->pos = cl->buf->last;
        cl->buf->file_pos = cl->buf->file_last;
    }

    out = NULL;

    if (in && !ctx->pump.last_sent) {
        ctx->pump.last_sent = 1;

        out = ctx->error;

        for (cl = out; cl->next; cl = cl->next) { /* void */ }

        b = cl->buf;
        b->last_buf = 1;
        b->last_in_chain = 1;
    }

    return next(r, out);
}
