
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
    ngx_http_ors_ctx_t *ctx, ngx_ors_mcp_conf_t *conf);
static ngx_int_t ngx_http_ors_mcp_leave_send(ngx_http_ors_mcp_t *left,
    ngx_ors_mcp_request_t *message);
static ngx_ors_mcp_request_t *ngx_http_ors_mcp_leave_cancel(
    ngx_ors_mcp_dialog_t *dialog, ngx_pool_t *pool);
static ngx_ors_mcp_request_t *ngx_http_ors_mcp_leave_delete(
    ngx_ors_mcp_peer_t *peer, ngx_pool_t *pool);
static void ngx_http_ors_mcp_leave_end(ngx_http_ors_mcp_t *left,
    ngx_ors_mcp_request_t *message);
static void ngx_http_ors_mcp_left(ngx_http_request_t *r);
static void ngx_http_ors_mcp_leave_timeout(ngx_event_t *ev);
static void ngx_http_ors_mcp_leave_cleanup(void *data);


void
ngx_http_ors_mcp_leave(ngx_http_ors_mcp_t *mcp)
{
    ngx_http_ors_mcp_t  *left;

    left = ngx_http_ors_mcp_leave_create(mcp->ctx, mcp->conf);

    if (left) {
        ngx_http_ors_mcp_leave_end(left,
                      ngx_http_ors_mcp_leave_cancel(&mcp->dialog,
                                              left->ctx->request->pool));
    }
}


void
ngx_http_ors_mcp_end(ngx_http_ors_ctx_t *ctx, ngx_ors_mcp_conf_t *conf,
    ngx_ors_mcp_peer_t *peer)
{
    ngx_http_ors_mcp_t  *left;

    if (!peer->ready || peer->len == 0) {
        return;
    }

    left = ngx_http_ors_mcp_leave_create(ctx, conf);

    if (left) {
        ngx_http_ors_mcp_leave_end(left,
                      ngx_http_ors_mcp_leave_delete(peer,
                                              left->ctx->request->pool));
    }

    ngx_explicit_memzero(peer, sizeof(ngx_ors_mcp_peer_t));
}


/* "message" may be NULL: there was no memory for it */

static void
ngx_http_ors_mcp_leave_end(ngx_http_ors_mcp_t *left,
    ngx_ors_mcp_request_t *message)
{
    ngx_connection_t    *c;
    ngx_http_request_t  *r;

    r = left->ctx->request;
    c = r->connection;

    if (message == NULL
        || ngx_http_ors_mcp_leave_send(left, message) != NGX_OK)
    {
        ngx_http_ors_detach_end(r);
    }

    ngx_http_run_posted_requests(c);
}


static ngx_ors_mcp_request_t *
ngx_http_ors_mcp_leave_cancel(ngx_ors_mcp_dialog_t *dialog, ngx_pool_t *pool)
{
    if (ngx_ors_mcp_dialog_move(dialog, pool) != NGX_OK
        || ngx_ors_mcp_dialog_step(dialog, ngx_ors_mcp_dialog_ev_close)
           == NGX_ERROR)
    {
        return NULL;
    }

    return dialog->asides;
}


static ngx_ors_mcp_request_t *
ngx_http_ors_mcp_leave_delete(ngx_ors_mcp_peer_t *peer, ngx_pool_t *pool)
{
    ngx_ors_mcp_sender_t  sender;

    sender.pool = pool;
    sender.version = peer->version;
    sender.session.len = peer->len;
    sender.session.data = ngx_pnalloc(pool, peer->len);

    if (sender.session.data == NULL) {
        return NULL;
    }

    ngx_memcpy(sender.session.data, peer->session, peer->len);

    return ngx_ors_mcp_request_end(&sender);
}


static ngx_int_t
ngx_http_ors_mcp_leave_send(ngx_http_ors_mcp_t *left,
    ngx_ors_mcp_request_t *message)
{
    if (ngx_http_ors_mcp_send(left, message, 1) != NGX_OK) {
        return NGX_ERROR;
    }

    left->ctx->request->write_event_handler = ngx_http_ors_mcp_left;

    ngx_add_timer(&left->timer, NGX_HTTP_ORS_MCP_LEAVE);

    return NGX_OK;
}


/* the new request is in the same scope, and has neither a turn nor a dialog */

static ngx_http_ors_mcp_t *
ngx_http_ors_mcp_leave_create(ngx_http_ors_ctx_t *from,
    ngx_ors_mcp_conf_t *conf)
{
    ngx_http_cleanup_t  *cln;
    ngx_http_ors_ctx_t  *ctx;
    ngx_http_ors_mcp_t  *left;
    ngx_http_request_t  *r;

    static ngx_str_t  body = ngx_string("");

    r = ngx_http_ors_detach(from->request, &body);
    if (r == NULL) {
        return NULL;
    }

    /* it is no request of the client's */

    r->logged = 1;

    ctx = ngx_pcalloc(r->pool, sizeof(ngx_http_ors_ctx_t));
    left = ngx_pcalloc(r->pool, sizeof(ngx_http_ors_mcp_t));
    cln = ngx_http_cleanup_add(r, 0);

    if (ctx == NULL || left == NULL || cln == NULL) {
        ngx_http_ors_detach_end(r);
        return NULL;
    }

    ctx->request = r;
    ctx->conf = from->conf;
    ctx->endpoint = from->endpoint;
    ctx->scoped = from->scoped;
    ngx_memcpy(ctx->scope, from->scope, NGX_ORS_DIGEST_LEN);

    ngx_http_set_ctx(r, ctx, ngx_http_open_responses_module);

    left->ctx = ctx;
    left->conf = conf;
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
