
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The end of a request in the middle of a call: a server with sessions goes on
 * with the call until it has a message, which needs a request of its own.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_detach.h>
#include <ngx_http_ors_mcp.h>


/* how long a server may take for the message, ms */
#define NGX_HTTP_ORS_MCP_LEAVE  10000


static ngx_http_ors_mcp_t *ngx_http_ors_mcp_leave_create(
    ngx_http_ors_mcp_t *mcp, ngx_http_request_t *r);
static ngx_int_t ngx_http_ors_mcp_leave_send(ngx_http_ors_mcp_t *mcp,
    ngx_http_request_t *r);
static void ngx_http_ors_mcp_left(ngx_http_request_t *r);
static void ngx_http_ors_mcp_leave_timeout(ngx_event_t *ev);
static void ngx_http_ors_mcp_leave_cleanup(void *data);


void
ngx_http_ors_mcp_leave(ngx_http_ors_mcp_t *mcp)
{
    ngx_connection_t    *c;
    ngx_http_request_t  *r;

    static ngx_str_t  body = ngx_string("");

    r = ngx_http_ors_detach(mcp->ctx->request, &body);
    if (r == NULL) {
        return;
    }

    c = r->connection;

    /* it is no request of the client's */

    r->logged = 1;

    if (ngx_http_ors_mcp_leave_send(mcp, r) != NGX_OK) {
        ngx_http_ors_detach_end(r);
    }

    ngx_http_run_posted_requests(c);
}


static ngx_int_t
ngx_http_ors_mcp_leave_send(ngx_http_ors_mcp_t *mcp, ngx_http_request_t *r)
{
    ngx_http_ors_mcp_t    *left;
    ngx_ors_mcp_dialog_t  *dialog;

    left = ngx_http_ors_mcp_leave_create(mcp, r);
    if (left == NULL) {
        return NGX_ERROR;
    }

    dialog = &mcp->dialog;

    if (ngx_ors_mcp_dialog_move(dialog, r->pool) != NGX_OK
        || ngx_ors_mcp_dialog_step(dialog, ngx_ors_mcp_dialog_ev_close)
           == NGX_ERROR
        || ngx_http_ors_mcp_send(left, dialog->asides, 1) != NGX_OK)
    {
        return NGX_ERROR;
    }

    r->write_event_handler = ngx_http_ors_mcp_left;

    ngx_add_timer(&left->timer, NGX_HTTP_ORS_MCP_LEAVE);

    return NGX_OK;
}


/* the new request is in the same scope, and has neither a turn nor a dialog */

static ngx_http_ors_mcp_t *
ngx_http_ors_mcp_leave_create(ngx_http_ors_mcp_t *mcp, ngx_http_request_t *r)
{
    ngx_http_cleanup_t  *cln;
    ngx_http_ors_ctx_t  *ctx;
    ngx_http_ors_mcp_t  *left;

    ctx = ngx_pcalloc(r->pool, sizeof(ngx_http_ors_ctx_t));
    left = ngx_pcalloc(r->pool, sizeof(ngx_http_ors_mcp_t));
    cln = ngx_http_cleanup_add(r, 0);

    if (ctx == NULL || left == NULL || cln == NULL) {
        return NULL;
    }

    ctx->request = r;
    ctx->conf = mcp->ctx->conf;
    ctx->endpoint = mcp->ctx->endpoint;
    ctx->scoped = mcp->ctx->scoped;
    ngx_memcpy(ctx->scope, mcp->ctx->scope, NGX_ORS_DIGEST_LEN);

    ngx_http_set_ctx(r, ctx, ngx_http_open_responses_module);

    left->ctx = ctx;
    left->conf = mcp->conf;
    left->over = 1;

    left->timer.data = left;
    left->timer.log = r->connection->log;
    left->timer.handler = ngx_http_ors_mcp_leave_timeout;

    ctx->mcp = left;

    cln->handler = ngx_http_ors_mcp_leave_cleanup;
    cln->data = left;

    return left;
}


static void
ngx_http_ors_mcp_left(ngx_http_request_t *r)
{
    ngx_http_ors_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_open_responses_module);

    if (ctx->mcp->asides->call.done) {
        ngx_http_ors_detach_end(r);
    }
}


static void
ngx_http_ors_mcp_leave_timeout(ngx_event_t *ev)
{
    ngx_connection_t    *c;
    ngx_http_ors_mcp_t  *left;

    left = ev->data;
    c = left->ctx->request->connection;

    ngx_http_set_log_request(c->log, left->ctx->request);

    ngx_http_ors_detach_end(left->ctx->request);

    ngx_http_run_posted_requests(c);
}


static void
ngx_http_ors_mcp_leave_cleanup(void *data)
{
    ngx_http_ors_mcp_t *left = data;

    if (left->timer.timer_set) {
        ngx_del_timer(&left->timer);
    }
}
