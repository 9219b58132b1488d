
/*
 * Copyright (C) Open Responses contributors
 */


/* The subrequest of one request to an MCP server. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_mcp.h>


static ngx_int_t ngx_http_ors_mcp_headers(ngx_http_ors_mcp_call_t *mc);
static void ngx_http_ors_mcp_stepped(ngx_http_ors_mcp_call_t *mc,
    ngx_int_t rc);
static ngx_int_t ngx_http_ors_mcp_make(ngx_http_ors_call_t *call);
static ngx_int_t ngx_http_ors_mcp_header(ngx_http_ors_call_t *call);
static ngx_uint_t ngx_http_ors_mcp_over(void *data);
static ngx_int_t ngx_http_ors_mcp_read(void *data, ngx_buf_t *b);
static ngx_int_t ngx_http_ors_mcp_refuse(void *data, const char *what);


static const ngx_ors_source_handler_t  ngx_http_ors_mcp_source = {
    ngx_http_ors_mcp_over,
    ngx_http_ors_mcp_read,
    ngx_http_ors_mcp_refuse,
    ngx_http_ors_subrequest_ended
};


static const ngx_http_ors_call_kind_t  ngx_http_ors_mcp_kind = {
    "mcp",
    &ngx_http_ors_mcp_source,
    NULL,
    ngx_http_ors_mcp_make,
    ngx_http_ors_mcp_header,
    NULL
};


ngx_int_t
ngx_http_ors_mcp_send(ngx_http_ors_mcp_t *mcp, ngx_ors_mcp_request_t *message,
    ngx_uint_t aside)
{
    ngx_http_request_t       *r;
    ngx_http_ors_mcp_call_t  *mc;

    static ngx_str_t  args = ngx_null_string;

    r = mcp->ctx->request;

    mc = ngx_pcalloc(r->pool, sizeof(ngx_http_ors_mcp_call_t));
    if (mc == NULL) {
        return NGX_ERROR;
    }

    mc->call.bare = 1;
    mc->call.called = mcp->called;
    mc->call.bodiless = (message->body == NULL);
    mc->mcp = mcp;
    mc->message = message;
    mc->aside = aside;

    if (ngx_http_ors_subrequest(&mc->call, mcp->ctx, &ngx_http_ors_mcp_kind,
                                &mcp->conf->uri, &args)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (ngx_http_ors_mcp_headers(mc) != NGX_OK) {

        /* the subrequest is posted, and reads headers before it ends */

        mc->call.request->headers_in = r->headers_in;

        return NGX_ERROR;
    }

    if (aside) {
        mcp->aside = mc;

    } else {
        mcp->call = mc;
    }

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "ors mcp: sent \"%V\" to \"%V\", aside %ui",
                   &message->method, &mcp->conf->uri, aside);

    return NGX_OK;
}


static ngx_int_t
ngx_http_ors_mcp_headers(ngx_http_ors_mcp_call_t *mc)
{
    ngx_uint_t        i;
    ngx_list_t       *headers;
    ngx_keyval_t     *kv;
    ngx_table_elt_t  *h;

    headers = &mc->call.request->headers_in.headers;
    kv = mc->message->headers.elts;

    for (i = 0; i < mc->message->headers.nelts; i++) {

        if (ngx_strcasecmp(kv[i].key.data, (u_char *) "Content-Type") == 0) {
            continue;
        }

        h = ngx_list_push(headers);
        if (h == NULL) {
            return NGX_ERROR;
        }

        ngx_memzero(h, sizeof(ngx_table_elt_t));

        h->key = kv[i].key;
        h->value = kv[i].value;

        h->lowcase_key = ngx_pnalloc(mc->call.request->pool, h->key.len);
        if (h->lowcase_key == NULL) {
            return NGX_ERROR;
        }

        h->hash = ngx_hash_strlow(h->lowcase_key, h->key.data, h->key.len);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_ors_mcp_make(ngx_http_ors_call_t *call)
{
    ngx_int_t                 rc;
    ngx_http_ors_mcp_call_t  *mc;

    mc = (ngx_http_ors_mcp_call_t *) call;

    if (call->bodiless) {
        rc = ngx_http_ors_subrequest_get(call);

        if (mc->message->ends) {
            call->request->method = NGX_HTTP_DELETE;
            call->request->method_name = mc->message->method;
        }

        return rc;
    }

    return ngx_http_ors_subrequest_make(call, mc->message->body,
                                        mc->message->size);
}


/* the parent sends what is next, or takes the outcome */

static void
ngx_http_ors_mcp_stepped(ngx_http_ors_mcp_call_t *mc, ngx_int_t rc)
{
    ngx_ors_mcp_dialog_t  *dialog;

    mc->mcp->rc = rc;
    dialog = &mc->mcp->dialog;

    if (rc != NGX_AGAIN || dialog->request || dialog->asides) {
        ngx_http_ors_post(mc->call.ctx->request, &mc->call.ctx->posted);
    }
}


static ngx_int_t
ngx_http_ors_mcp_header(ngx_http_ors_call_t *call)
{
    ngx_int_t                 rc;
    ngx_table_elt_t          *h;
    ngx_http_request_t       *sr;
    ngx_ors_mcp_dialog_t     *dialog;
    ngx_http_ors_mcp_call_t  *mc;

    static ngx_str_t  session = ngx_string("Mcp-Session-Id");

    sr = call->request;
    mc = (ngx_http_ors_mcp_call_t *) call;

    if (mc->aside) {

        /* a body that never ends is not waited for */

        call->useless = 1;
        ngx_http_ors_post(call->ctx->request, &call->ctx->posted);

        return NGX_OK;
    }

    rc = ngx_http_ors_pump_decode(sr, &call->source, 1);

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    mc->headed = 1;

    dialog = &mc->mcp->dialog;

    /* without a status line it is not HTTP, and nothing of it can be read */

    dialog->status = (rc == NGX_DECLINED || sr->headers_out.status == 0)
                     ? NGX_HTTP_BAD_GATEWAY : sr->headers_out.status;
    dialog->type = sr->headers_out.content_type;

    ngx_str_null(&dialog->session);

    h = ngx_ors_header_find(&sr->headers_out.headers, &session);

    if (h) {
        dialog->session = h->value;
    }

    rc = ngx_ors_mcp_dialog_step(dialog, ngx_ors_mcp_dialog_ev_header);

    ngx_http_ors_mcp_stepped(mc, rc);

    return NGX_OK;
}


/* 1 if nothing of the answer is of use any more */

static ngx_uint_t
ngx_http_ors_mcp_over(void *data)
{
    ngx_http_ors_mcp_call_t *mc = data;

    if (mc->aside) {
        return mc->call.useless;
    }

    return mc->call.done || mc->mcp->over || mc->mcp->call != mc
           || mc->mcp->rc != NGX_AGAIN || mc->mcp->dialog.request;
}


static ngx_int_t
ngx_http_ors_mcp_read(void *data, ngx_buf_t *b)
{
    ngx_http_ors_mcp_call_t *mc = data;

    ngx_int_t              rc;
    ngx_ors_mcp_dialog_t  *dialog;

    dialog = &mc->mcp->dialog;

    dialog->in = b;
    rc = ngx_ors_mcp_dialog_step(dialog, ngx_ors_mcp_dialog_ev_body);
    dialog->in = NULL;

    ngx_http_ors_mcp_stepped(mc, rc);

    return NGX_OK;
}


/* bytes that cannot be decoded are those of an answer that was cut */

static ngx_int_t
ngx_http_ors_mcp_refuse(void *data, const char *what)
{
    ngx_http_ors_mcp_call_t *mc = data;

    ngx_http_ors_mcp_stepped(mc, ngx_ors_mcp_dialog_step(&mc->mcp->dialog,
                                                ngx_ors_mcp_dialog_ev_cut));

    return NGX_OK;
}
