
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The end of a request in the middle of a call, and of a session: a server
 * with sessions goes on until it has a message, which needs a request without
 * a client.  A leave is such a request: it sends the messages of one session,
 * one after the other.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_mcp.h>
#include <ngx_ors_names.h>


/*
 * Leaves of a worker: at most this many, and this part of its connections;
 * messages of a leave, and how long a server may take for all of them, ms
 */
#define NGX_HTTP_ORS_MCP_LEAVES    32
#define NGX_HTTP_ORS_MCP_PART      16
#define NGX_HTTP_ORS_MCP_MESSAGES  16
#define NGX_HTTP_ORS_MCP_LEAVE     2000


typedef struct {
    ngx_http_ors_mcp_t         mcp;       /* no dialog; stays the first */
    ngx_queue_t                queue;     /* of omcf->leaves */
    ngx_http_ors_main_conf_t  *omcf;
    ngx_ors_mcp_sender_t       sender;
    ngx_ors_mcp_request_t     *waiting;   /* messages, the first one first */
    ngx_uint_t                 n;         /* messages it was given */
    ngx_uint_t                 taken;     /* ... and the server has answered */
} ngx_http_ors_mcp_leave_t;


static ngx_http_ors_mcp_leave_t *ngx_http_ors_mcp_leave_create(
    ngx_http_ors_ctx_t *from, ngx_ors_mcp_conf_t *conf,
    ngx_ors_mcp_sender_t *sender);
static ngx_int_t ngx_http_ors_mcp_leave_add(ngx_http_ors_mcp_leave_t *left,
    uint64_t id);
static void ngx_http_ors_mcp_leave_handler(ngx_http_request_t *r);
static void ngx_http_ors_mcp_leave_next(ngx_http_ors_mcp_leave_t *left);
static void ngx_http_ors_mcp_leave_timeout(ngx_event_t *ev);
static void ngx_http_ors_mcp_leave_cleanup(void *data);
static void ngx_http_ors_mcp_leave_drop(ngx_http_ors_ctx_t *ctx,
    ngx_ors_mcp_conf_t *conf, ngx_uint_t n, char *why);


void
ngx_http_ors_mcp_leave(ngx_http_ors_ctx_t *ctx, ngx_ors_mcp_conf_t *conf,
    ngx_ors_mcp_sender_t *sender, uint64_t id)
{
    ngx_queue_t                *q;
    ngx_connection_t           *c;
    ngx_http_ors_mcp_leave_t   *left;
    ngx_http_ors_main_conf_t   *omcf;
    ngx_ors_background_load_t   load;

    omcf = ngx_http_get_module_main_conf(ctx->request,
                                         ngx_http_open_responses_module);

    for (q = ngx_queue_head(&omcf->leaves);
         q != ngx_queue_sentinel(&omcf->leaves);
         q = ngx_queue_next(q))
    {
        left = ngx_queue_data(q, ngx_http_ors_mcp_leave_t, queue);

        /* without a session requests of clients without a key are no one's */

        if (left->mcp.conf != conf
            || !ngx_ors_same(&left->sender.session, &sender->session)
            || (sender->session.len == 0 && ctx->ownerless)
            || ngx_memcmp(left->mcp.ctx->scope, ctx->scope, NGX_ORS_DIGEST_LEN)
               != 0)
        {
            continue;
        }

        if (left->n == NGX_HTTP_ORS_MCP_MESSAGES
            || ngx_http_ors_mcp_leave_add(left, id) != NGX_OK)
        {
            ngx_http_ors_mcp_leave_drop(ctx, conf, 1,
                                        "too many of its session wait");
        }

        return;
    }

    ngx_http_ors_detach_connections(&load);

    if (omcf->nleaves >= NGX_HTTP_ORS_MCP_LEAVES
        || omcf->nleaves >= load.connections / NGX_HTTP_ORS_MCP_PART
        || ngx_ors_background_reserve(&load, ctx->request->connection->log)
           != NGX_OK)
    {
        ngx_http_ors_mcp_leave_drop(ctx, conf, 1,
                                    "too many are being sent by this worker");
        return;
    }

    left = ngx_http_ors_mcp_leave_create(ctx, conf, sender);
    if (left == NULL) {
        return;
    }

    c = left->mcp.ctx->request->connection;

    if (ngx_http_ors_mcp_leave_add(left, id) == NGX_OK) {
        ngx_http_ors_mcp_leave_next(left);

    } else {
        ngx_http_ors_detach_end(left->mcp.ctx->request);
    }

    ngx_http_run_posted_requests(c);
}


void
ngx_http_ors_mcp_end(ngx_http_ors_ctx_t *ctx, ngx_ors_mcp_conf_t *conf,
    ngx_ors_mcp_peer_t *peer)
{
    ngx_ors_mcp_sender_t  sender;

    if (!peer->ready || peer->len == 0) {
        return;
    }

    sender.version = peer->version;
    sender.session.len = peer->len;
    sender.session.data = peer->session;

    ngx_http_ors_mcp_leave(ctx, conf, &sender, 0);

    ngx_explicit_memzero(peer, sizeof(ngx_ors_mcp_peer_t));
}


/* the new request is in the same scope, and has neither a turn nor a dialog */

static ngx_http_ors_mcp_leave_t *
ngx_http_ors_mcp_leave_create(ngx_http_ors_ctx_t *from,
    ngx_ors_mcp_conf_t *conf, ngx_ors_mcp_sender_t *sender)
{
    ngx_http_cleanup_t        *cln;
    ngx_http_ors_ctx_t        *ctx;
    ngx_http_request_t        *r;
    ngx_http_ors_mcp_leave_t  *left;

    static ngx_str_t  body = ngx_string("");

    r = ngx_http_ors_detach(from->request, &body);
    if (r == NULL) {
        return NULL;
    }

    /* it is no request of the client's */

    r->logged = 1;
    r->write_event_handler = ngx_http_ors_mcp_leave_handler;

    ctx = ngx_http_ors_ctx_create(r);
    left = ngx_pcalloc(r->pool, sizeof(ngx_http_ors_mcp_leave_t));
    cln = ngx_http_cleanup_add(r, 0);

    if (ctx == NULL || left == NULL || cln == NULL) {
        goto failed;
    }

    ctx->conf = from->conf;
    ctx->endpoint = from->endpoint;
    ctx->scoped = from->scoped;
    ngx_memcpy(ctx->scope, from->scope, NGX_ORS_DIGEST_LEN);
    ctx->mcp = &left->mcp;

    left->mcp.ctx = ctx;
    left->mcp.conf = conf;
    left->mcp.over = 1;

    left->sender.pool = r->pool;
    left->sender.version = sender->version;
    left->sender.session.len = sender->session.len;
    left->sender.session.data = ngx_pnalloc(r->pool, sender->session.len + 1);

    if (left->sender.session.data == NULL) {
        goto failed;
    }

    /* not every server has given an id */

    if (sender->session.len) {
        ngx_memcpy(left->sender.session.data, sender->session.data,
                   sender->session.len);
    }

    left->omcf = ngx_http_get_module_main_conf(r,
                                              ngx_http_open_responses_module);

    ngx_queue_insert_tail(&left->omcf->leaves, &left->queue);
    left->omcf->nleaves++;

    cln->handler = ngx_http_ors_mcp_leave_cleanup;
    cln->data = left;

    ngx_http_ors_event_init(&left->mcp.timer, ngx_http_ors_mcp_leave_timeout,
                            left, r);
    ngx_add_timer(&left->mcp.timer, NGX_HTTP_ORS_MCP_LEAVE);

    return left;

failed:

    ngx_http_ors_detach_end(r);
    ngx_http_run_posted_requests(r->connection);

    return NULL;
}


/* "id" is of the request that is cancelled, 0: the session is over */

static ngx_int_t
ngx_http_ors_mcp_leave_add(ngx_http_ors_mcp_leave_t *left, uint64_t id)
{
    ngx_ors_mcp_request_t  *message, **last;

    message = id ? ngx_ors_mcp_request_cancelled(&left->sender, id)
                 : ngx_ors_mcp_request_end(&left->sender);

    if (message == NULL) {
        return NGX_ERROR;
    }

    for (last = &left->waiting; *last; last = &(*last)->next) { /* void */ }

    *last = message;
    left->n++;

    return NGX_OK;
}


static void
ngx_http_ors_mcp_leave_handler(ngx_http_request_t *r)
{
    ngx_http_ors_ctx_t        *ctx;
    ngx_http_ors_mcp_leave_t  *left;

    ctx = ngx_http_get_module_ctx(r, ngx_http_open_responses_module);
    left = (ngx_http_ors_mcp_leave_t *) ctx->mcp;

    ngx_http_ors_calls_wake(ctx);

    if (left->mcp.aside->call.done) {
        left->taken++;
        ngx_http_ors_mcp_leave_next(left);
    }
}


/* the leave may be gone after that */

static void
ngx_http_ors_mcp_leave_next(ngx_http_ors_mcp_leave_t *left)
{
    ngx_ors_mcp_request_t  *message;

    message = left->waiting;

    if (message) {
        left->waiting = message->next;
    }

    if (message == NULL
        || ngx_http_ors_mcp_send(&left->mcp, message, 1) != NGX_OK)
    {
        ngx_http_ors_detach_end(left->mcp.ctx->request);
    }
}


static void
ngx_http_ors_mcp_leave_timeout(ngx_event_t *ev)
{
    ngx_connection_t          *c;
    ngx_http_request_t        *r;
    ngx_http_ors_mcp_leave_t  *left;

    left = ev->data;
    r = left->mcp.ctx->request;
    c = r->connection;

    ngx_http_set_log_request(c->log, r);

    ngx_http_ors_mcp_leave_drop(left->mcp.ctx, left->mcp.conf,
                                left->n - left->taken,
                                "it did not answer in time");

    ngx_http_ors_detach_end(r);

    ngx_http_run_posted_requests(c);
}


static void
ngx_http_ors_mcp_leave_cleanup(void *data)
{
    ngx_http_ors_mcp_leave_t *left = data;

    ngx_queue_remove(&left->queue);
    left->omcf->nleaves--;

    ngx_http_ors_event_stop(&left->mcp.timer);
}


static void
ngx_http_ors_mcp_leave_drop(ngx_http_ors_ctx_t *ctx, ngx_ors_mcp_conf_t *conf,
    ngx_uint_t n, char *why)
{
    ngx_log_error(NGX_LOG_WARN, ctx->request->connection->log, 0,
                  "%ui messages to MCP server \"%V\" about the end of calls "
                  "are dropped: %s", n, &conf->label, why);

    ngx_ors_callee_dropped(ngx_http_ors_callee(ctx->conf, &conf->label, 1),
                           n);
}
