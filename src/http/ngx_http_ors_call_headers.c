
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The headers of a subrequest are a shallow copy of the client's.  A call gets
 * a list of its own, without headers that describe the client's body or ask for
 * an answer that could not be read here.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_call.h>
#include <ngx_ors_forward.h>
#include <ngx_ors_version.h>


#define NGX_HTTP_ORS_AGENT  "nginx-open-responses/" NGX_ORS_VERSION


static void ngx_http_ors_call_remember(ngx_http_request_t *r);


ngx_int_t
ngx_http_ors_call_headers(ngx_http_ors_call_t *call)
{
    ngx_uint_t                drop;
    ngx_http_request_t       *r;
    ngx_http_headers_in_t    *in;

    r = call->request->main;
    in = &call->request->headers_in;
    drop = 0;

    if (call->bare) {
        drop = NGX_ORS_FORWARD_BARE;
        ngx_http_ors_call_remember(r);
    }

    if (!call->ctx->conf->trace) {
        drop |= NGX_ORS_FORWARD_UNTRACED;
    }

    if (ngx_ors_forward_headers(&r->headers_in.headers, &in->headers,
                                drop, r->pool)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    /* some servers refuse requests without it */

    if (call->bare
        && ngx_ors_header_text(&in->headers, "User-Agent", "user-agent",
                               NGX_HTTP_ORS_AGENT)
           == NULL)
    {
        return NGX_ERROR;
    }

    in->content_type = NULL;

    if (!call->bodiless) {
        in->content_type = ngx_ors_header_text(&in->headers, "Content-Type",
                                               "content-type",
                                               "application/json");
        if (in->content_type == NULL) {
            return NGX_ERROR;
        }
    }

    in->content_length = NULL;
    in->content_length_n = 0;
    in->chunked = 0;
    in->transfer_encoding = NULL;
    in->expect = NULL;
    in->upgrade = NULL;
    in->if_modified_since = NULL;
    in->if_unmodified_since = NULL;
    in->if_match = NULL;
    in->if_none_match = NULL;
    in->range = NULL;
    in->if_range = NULL;

#if (NGX_HTTP_GZIP)
    in->accept_encoding = NULL;
#endif

    return NGX_OK;
}


/*
 * A location may be given a header of the client by "proxy_set_header":
 * variables keep the values that they have in front of the headers' removal
 */

static void
ngx_http_ors_call_remember(ngx_http_request_t *r)
{
    ngx_str_t                   name;
    ngx_uint_t                  i;
    ngx_http_variable_t        *v;
    ngx_http_core_main_conf_t  *cmcf;

    cmcf = ngx_http_get_module_main_conf(r, ngx_http_core_module);
    v = cmcf->variables.elts;

    for (i = 0; i < cmcf->variables.nelts; i++) {

        if (v[i].name.len <= 5
            || ngx_strncmp(v[i].name.data, "http_", 5) != 0)
        {
            continue;
        }

        name.len = v[i].name.len - 5;
        name.data = v[i].name.data + 5;

        if (!ngx_ors_forward_public(&name)) {
            (void) ngx_http_get_indexed_variable(r, i);
        }
    }
}
