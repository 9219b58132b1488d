
/*
 * Copyright (C) Open Responses contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>


static ngx_int_t ngx_http_ors_scope_text(ngx_http_request_t *r,
    ngx_str_t *text);


ngx_int_t
ngx_http_ors_scope(ngx_http_request_t *r, u_char *digest)
{
    ngx_str_t            text;
    ngx_http_ors_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r->main, ngx_http_open_responses_module);

    if (ctx == NULL || !ctx->scoped) {

        if (ngx_http_ors_scope_text(r->main, &text) != NGX_OK
            || ngx_ors_digest('s', &text, digest) != NGX_OK)
        {
            return NGX_ERROR;
        }

        if (ctx == NULL) {
            return NGX_OK;
        }

        ngx_memcpy(ctx->scope, digest, NGX_ORS_DIGEST_LEN);
        ctx->scoped = 1;
    }

    ngx_memcpy(digest, ctx->scope, NGX_ORS_DIGEST_LEN);

    return NGX_OK;
}


static ngx_int_t
ngx_http_ors_scope_text(ngx_http_request_t *r, ngx_str_t *text)
{
    ngx_http_ors_loc_conf_t  *olcf;

    olcf = ngx_http_get_module_loc_conf(r, ngx_http_open_responses_module);

    if (olcf->scope) {
        return ngx_http_complex_value(r, olcf->scope, text);
    }

    if (r->headers_in.authorization) {
        *text = r->headers_in.authorization->value;

    } else {
        ngx_str_null(text);
    }

    return NGX_OK;
}
