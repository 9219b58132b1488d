
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The header and body filter of the module, which hand answers to a call, a
 * hosted tool, a validator or an error page.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_subrequest.h>


static ngx_int_t ngx_http_ors_header_filter(ngx_http_request_t *r);
static ngx_int_t ngx_http_ors_body_filter(ngx_http_request_t *r,
    ngx_chain_t *in);
static ngx_http_ors_validator_t *ngx_http_ors_filter_validator(
    ngx_http_request_t *r);


static ngx_http_output_header_filter_pt  ngx_http_next_header_filter;
static ngx_http_output_body_filter_pt    ngx_http_next_body_filter;


static ngx_int_t
ngx_http_ors_header_filter(ngx_http_request_t *r)
{
    ngx_http_ors_ctx_t        *ctx;
    ngx_http_ors_call_t       *call;
    ngx_http_ors_loc_conf_t   *olcf;
    ngx_http_ors_validator_t  *vr;

    call = ngx_http_ors_subrequest_of(r, NULL);

    if (call) {
        return ngx_http_ors_subrequest_header(call);
    }

    vr = ngx_http_ors_filter_validator(r);

    /* an answer to a path that is no endpoint is anything but a tunnel */

    if (vr && (vr->endpoint
               || r->headers_out.status == NGX_HTTP_SWITCHING_PROTOCOLS))
    {
        return ngx_http_ors_validator_header(vr, ngx_http_next_header_filter,
                                             ngx_http_next_body_filter);
    }

    olcf = ngx_http_get_module_loc_conf(r, ngx_http_open_responses_module);

    if (r == r->main && (olcf->enable || ngx_http_ors_validator_refused(r))
        && r->headers_out.status >= NGX_HTTP_BAD_REQUEST)
    {
        ctx = ngx_http_get_module_ctx(r, ngx_http_open_responses_module);

        if ((ctx == NULL || !ctx->header_sent)
            && ngx_http_ors_error(r) != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return ngx_http_next_header_filter(r);
}


static ngx_int_t
ngx_http_ors_body_filter(ngx_http_request_t *r, ngx_chain_t *in)
{
    ngx_http_ors_ctx_t        *ctx;
    ngx_http_ors_call_t       *call;
    ngx_http_ors_validator_t  *vr;

    call = ngx_http_ors_subrequest_of(r, NULL);

    if (call) {
        return ngx_http_ors_subrequest_body(call, in);
    }

    ctx = ngx_http_get_module_ctx(r, ngx_http_open_responses_module);

    if (ctx && ctx->error) {
        return ngx_http_ors_error_body(r, in, ngx_http_next_body_filter);
    }

    vr = ngx_http_ors_filter_validator(r);

    if (vr && vr->held) {
        return ngx_http_ors_validator_body(vr, in);
    }

    return ngx_http_next_body_filter(r, in);
}


/* requests of a server without validators do not pay for those of others */

static ngx_http_ors_validator_t *
ngx_http_ors_filter_validator(ngx_http_request_t *r)
{
    ngx_http_ors_main_conf_t  *omcf;

    omcf = ngx_http_get_module_main_conf(r, ngx_http_open_responses_module);

    if (!omcf->validators || r != r->main) {
        return NULL;
    }

    return ngx_http_ors_validator_find(r);
}


ngx_int_t
ngx_http_ors_filter_init(ngx_conf_t *cf)
{
    ngx_http_next_header_filter = ngx_http_top_header_filter;
    ngx_http_top_header_filter = ngx_http_ors_header_filter;

    ngx_http_next_body_filter = ngx_http_top_body_filter;
    ngx_http_top_body_filter = ngx_http_ors_body_filter;

    return NGX_OK;
}
