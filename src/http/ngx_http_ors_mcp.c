
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The dialogs of a request with MCP servers: begun, driven by events, closed;
 * their subrequests; and the lists of tools, from memory or read.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_mcp.h>
#include <ngx_http_ors_tools.h>
#include <ngx_ors_session.h>
#include <ngx_ors_names.h>


/*
 * servers that a worker knows, each with other credentials, and those of one
 * address
 */
#define NGX_HTTP_ORS_MCP_SERVERS  1024
#define NGX_HTTP_ORS_MCP_SHARE    256

/* how long a list may serve that could not be read again, ms */
#define NGX_HTTP_ORS_MCP_STALE    3600000

/* bytes of the names of tools in a line of the log */
#define NGX_HTTP_ORS_MCP_NAMES  1024


static ngx_int_t ngx_http_ors_mcp_find(ngx_http_ors_mcp_t *mcp);
static uint32_t ngx_http_ors_mcp_origin(ngx_connection_t *c);
static void ngx_http_ors_mcp_forget(ngx_ors_mcp_server_t *server, void *data);
static void ngx_http_ors_mcp_event(ngx_event_t *ev);
static ngx_int_t ngx_http_ors_mcp_next(ngx_http_ors_mcp_t *mcp);
static void ngx_http_ors_mcp_untime(ngx_http_ors_mcp_t *mcp);
static void ngx_http_ors_mcp_clear(void *data);
static ngx_int_t ngx_http_ors_mcp_step(ngx_http_ors_mcp_call_t *mc,
    ngx_ors_mcp_dialog_event_e event);
static ngx_int_t ngx_http_ors_mcp_make(ngx_http_ors_call_t *call);
static ngx_int_t ngx_http_ors_mcp_header(ngx_http_ors_call_t *call);
static ngx_uint_t ngx_http_ors_mcp_over(void *data);
static ngx_int_t ngx_http_ors_mcp_read(void *data, ngx_buf_t *b);
static ngx_int_t ngx_http_ors_mcp_refuse(void *data, const char *what);
static void ngx_http_ors_mcp_unlist(ngx_http_ors_mcp_t *mcp);
static ngx_int_t ngx_http_ors_mcp_listed(ngx_http_ors_mcp_t *mcp);
static ngx_int_t ngx_http_ors_mcp_known(ngx_http_ors_mcp_t *mcp,
    ngx_ors_mcp_list_t **list);
static ngx_int_t ngx_http_ors_mcp_hold(ngx_http_ors_ctx_t *ctx,
    ngx_ors_mcp_list_t *list);
static ngx_int_t ngx_http_ors_mcp_use(ngx_http_ors_ctx_t *ctx,
    ngx_ors_mcp_use_t *use, ngx_ors_mcp_list_t *list);
static void ngx_http_ors_mcp_release(void *data);


static ngx_str_t  ngx_http_ors_mcp_no_key = ngx_null_string;


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


ngx_http_ors_mcp_t *
ngx_http_ors_mcp_create(ngx_http_ors_ctx_t *ctx, ngx_ors_mcp_conf_t *conf)
{
    ngx_http_request_t        *r;
    ngx_http_ors_mcp_t        *mcp;
    ngx_ors_mcp_dialog_t      *dialog;
    ngx_http_ors_main_conf_t  *omcf;

    r = ctx->request;
    omcf = ngx_http_get_module_main_conf(r, ngx_http_open_responses_module);

    mcp = ngx_pcalloc(r->pool, sizeof(ngx_http_ors_mcp_t));
    if (mcp == NULL) {
        return NULL;
    }

    mcp->ctx = ctx;
    mcp->conf = conf;

    if (ngx_http_ors_mcp_find(mcp) != NGX_OK) {
        return NULL;
    }

    mcp->next = ctx->mcp;
    ctx->mcp = mcp;

    ngx_ors_mcp_limits_set(&mcp->limits, ctx->turn->limits->tool_answer);

    dialog = &mcp->dialog;
    dialog->peer = mcp->peer;
    dialog->limits = &mcp->limits;
    dialog->pool = r->pool;
    dialog->log = r->connection->log;
    dialog->list_log = omcf->servers.log;

    ngx_http_ors_event_init(&mcp->timer, ngx_http_ors_mcp_event, mcp, r);
    ngx_http_ors_event_init(&mcp->pause, ngx_http_ors_mcp_event, mcp, r);

    return mcp;
}


ngx_int_t
ngx_http_ors_mcp_begin(ngx_http_ors_mcp_t *mcp)
{
    if (!mcp->timer.timer_set) {
        mcp->started = ngx_current_msec;
        ngx_add_timer(&mcp->timer, mcp->conf->timeout);
    }

    mcp->rc = ngx_ors_mcp_dialog_step(&mcp->dialog,
                                      ngx_ors_mcp_dialog_ev_start);

    return (ngx_http_ors_mcp_next(mcp) == NGX_ERROR) ? NGX_ERROR : NGX_OK;
}


/* a session is of one client, the version is the same for all */

static ngx_int_t
ngx_http_ors_mcp_find(ngx_http_ors_mcp_t *mcp)
{
    u_char                     key[NGX_ORS_MCP_KEY];
    ngx_str_t                  list[2];
    ngx_http_ors_ctx_t        *ctx;
    ngx_http_ors_mcp_t        *other;
    ngx_http_request_t        *r;
    ngx_http_core_srv_conf_t  *cscf;
    ngx_http_ors_main_conf_t  *omcf;

    ctx = mcp->ctx;
    r = ctx->request;
    omcf = ngx_http_get_module_main_conf(r, ngx_http_open_responses_module);
    cscf = ngx_http_get_module_srv_conf(r, ngx_http_core_module);

    ngx_memzero(key, NGX_ORS_MCP_KEY);

    list[0].data = (u_char *) &cscf;
    list[0].len = sizeof(ngx_http_core_srv_conf_t *);
    list[1] = mcp->conf->uri;

    if (ngx_ors_digest_list(ngx_ors_key_mcp, list, 2, &ngx_http_ors_mcp_no_key,
                            key)
        != NGX_OK
        || ngx_http_ors_scope(ctx) != NGX_OK)
    {
        return NGX_ERROR;
    }

    omcf->servers.data = ctx;

    mcp->shared = ngx_ors_mcp_server_get(&omcf->servers, key, 0);

    if (mcp->shared) {
        ngx_memcpy(key + NGX_ORS_DIGEST_LEN, ctx->scope, NGX_ORS_DIGEST_LEN);

        mcp->server = ngx_ors_mcp_server_get(&omcf->servers, key,
                                      ngx_http_ors_mcp_origin(r->connection));
    }

    omcf->servers.data = NULL;

    if (mcp->server == NULL) {
        goto failed;
    }

    mcp->server->conf = mcp->conf;
    mcp->callee = ngx_http_ors_callee(ctx->conf, &mcp->conf->label, 1);

    /* clients without a key are not one client: each request has its session */

    mcp->peer = ctx->ownerless ? NULL : &mcp->server->peer;

    for (other = ctx->mcp; other && mcp->peer == NULL; other = other->next) {
        mcp->peer = (other->conf == mcp->conf) ? other->peer : NULL;
    }

    if (mcp->peer == NULL) {
        mcp->peer = ngx_pcalloc(r->pool, sizeof(ngx_ors_mcp_peer_t));
        if (mcp->peer == NULL) {
            goto failed;
        }
    }

    if (mcp->peer->version == ngx_ors_mcp_version_none) {
        mcp->peer->version = ngx_ors_callee_era(mcp->callee);
    }

    return NGX_OK;

failed:

    if (mcp->server) {
        ngx_ors_mcp_server_release(mcp->server);
    }

    if (mcp->shared) {
        ngx_ors_mcp_server_release(mcp->shared);
    }

    return NGX_ERROR;
}


/* keys can be made up; not 0, and of IPv6 what a host has as a whole */

static uint32_t
ngx_http_ors_mcp_origin(ngx_connection_t *c)
{
    uint32_t  origin;

    origin = 0;

    if (c->sockaddr->sa_family == AF_INET) {
        origin = ((struct sockaddr_in *) c->sockaddr)->sin_addr.s_addr;
    }

#if (NGX_HAVE_INET6)

    if (c->sockaddr->sa_family == AF_INET6) {
        origin = ngx_crc32_short(
              ((struct sockaddr_in6 *) c->sockaddr)->sin6_addr.s6_addr, 8);
    }

#endif

    return origin ? origin : 1;
}


/* without a request there is nothing that its session could be ended from */

static void
ngx_http_ors_mcp_forget(ngx_ors_mcp_server_t *server, void *data)
{
    ngx_http_ors_ctx_t *ctx = data;

    ngx_uint_t           i;
    ngx_array_t         *servers;
    ngx_ors_mcp_conf_t  *conf;

    if (ctx == NULL || server->conf == NULL) {
        return;
    }

    /* its location is one of this server{} if this location names it */

    servers = ctx->conf->hosting.servers;
    conf = servers->elts;

    for (i = 0; i < servers->nelts; i++) {

        if (&conf[i] == server->conf) {
            ngx_http_ors_mcp_end(ctx, &conf[i], &server->peer);
            return;
        }
    }
}


static void
ngx_http_ors_mcp_event(ngx_event_t *ev)
{
    ngx_http_ors_mcp_t  *mcp;

    mcp = ev->data;

    if (ev == &mcp->timer) {
        mcp->timedout = 1;
        ngx_http_ors_mcp_untime(mcp);

    } else if (mcp->dialog.request) {
        mcp->dialog.request->delay = 0;
    }

    ngx_http_ors_event_resume(mcp->ctx);
}


ngx_int_t
ngx_http_ors_mcp_run(ngx_http_ors_mcp_t *mcp)
{
    ngx_ors_mcp_dialog_t     *dialog;
    ngx_http_ors_mcp_call_t  *mc;

    mc = mcp->call;
    dialog = &mcp->dialog;

    if (mcp->over) {
        return NGX_OK;
    }

    if (mcp->waits && mcp->timedout) {
        ngx_http_ors_mcp_unlist(mcp);

        dialog->error.type = ngx_ors_mcp_error_http;
        dialog->error.code = NGX_HTTP_GATEWAY_TIME_OUT;
        ngx_str_set(&dialog->error.message, "the list was not read in time");

        mcp->over = 1;
        mcp->rc = NGX_DONE;

        return NGX_OK;
    }

    if (mcp->waits) {

        /* when the reader has left, the first of those that wait reads it */

        if (mcp->server->reader != mcp) {
            return NGX_AGAIN;
        }

        mcp->waits = 0;

        return (ngx_http_ors_mcp_begin(mcp) == NGX_OK) ? NGX_AGAIN : NGX_ERROR;
    }

    if (mcp->timedout && mcp->rc == NGX_AGAIN) {
        dialog->request = NULL;
        mcp->rc = ngx_ors_mcp_dialog_step(dialog,
                                          ngx_ors_mcp_dialog_ev_timeout);
    }

    /* the subrequest of the last request may have come to its end */

    if (mcp->rc == NGX_AGAIN && dialog->request == NULL && mc->call.done
        && !mc->headed)
    {
        mc->headed = 1;

        dialog->status = mc->call.status;
        ngx_str_null(&dialog->type);
        ngx_str_null(&dialog->session);

        mcp->rc = ngx_ors_mcp_dialog_step(dialog,
                                          ngx_ors_mcp_dialog_ev_header);

        /* an answer that nginx has made has no body */

        mc->call.complete = 1;
    }

    if (mcp->rc == NGX_AGAIN && dialog->request == NULL && mc->call.done) {
        mcp->rc = ngx_ors_mcp_dialog_step(dialog, mc->call.complete
                                                ? ngx_ors_mcp_dialog_ev_end
                                                : ngx_ors_mcp_dialog_ev_cut);
    }

    return ngx_http_ors_mcp_next(mcp);
}


/* sends what the dialog wants to be sent */

static ngx_int_t
ngx_http_ors_mcp_next(ngx_http_ors_mcp_t *mcp)
{
    ngx_ors_mcp_dialog_t   *dialog;
    ngx_ors_mcp_request_t  *message;

    dialog = &mcp->dialog;

    if (mcp->rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    for (message = dialog->asides; message; message = message->next) {

        if (ngx_http_ors_mcp_send(mcp, message, 1) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    dialog->asides = NULL;

    if (mcp->rc == NGX_AGAIN && dialog->request == NULL) {
        return NGX_AGAIN;
    }

    if (mcp->call) {
        ngx_http_ors_call_drop(&mcp->call->call);
    }

    if (mcp->rc == NGX_AGAIN) {
        message = dialog->request;

        if (message->delay == 0) {
            dialog->request = NULL;

            return (ngx_http_ors_mcp_send(mcp, message, 0) == NGX_OK)
                   ? NGX_AGAIN : NGX_ERROR;
        }

        if (!mcp->pause.timer_set) {
            ngx_add_timer(&mcp->pause, message->delay);
        }

        return NGX_AGAIN;
    }

    mcp->over = 1;

    if (mcp->rc == NGX_OK) {
        ngx_ors_callee_learned(mcp->callee, mcp->peer->version);
    }

    ngx_http_ors_mcp_untime(mcp);

    return NGX_OK;
}


static void
ngx_http_ors_mcp_untime(ngx_http_ors_mcp_t *mcp)
{
    ngx_http_ors_event_stop(&mcp->timer);
    ngx_http_ors_event_stop(&mcp->pause);
}


/* a session ends after its calls; a list in use has its own reference */

void
ngx_http_ors_mcp_cleanup(ngx_http_ors_ctx_t *ctx)
{
    ngx_http_ors_mcp_t  *mcp;

    for (mcp = ctx->mcp; mcp; mcp = mcp->next) {
        mcp->over = 1;
        ngx_http_ors_mcp_untime(mcp);

        if (!mcp->closed && ngx_ors_mcp_dialog_lingers(&mcp->dialog)) {
            ngx_http_ors_mcp_leave(ctx, mcp->conf, &mcp->dialog.sender,
                                   mcp->dialog.id);
        }
    }

    for (mcp = ctx->mcp; mcp; mcp = mcp->next) {

        if (mcp->closed) {
            continue;
        }

        mcp->closed = 1;
        ngx_http_ors_mcp_unlist(mcp);

        if (ctx->ownerless) {
            ngx_http_ors_mcp_end(ctx, mcp->conf, mcp->peer);
        }

        (void) ngx_ors_mcp_dialog_step(&mcp->dialog,
                                       ngx_ors_mcp_dialog_ev_close);

        ngx_ors_mcp_server_release(mcp->server);
        ngx_ors_mcp_server_release(mcp->shared);
    }
}


ngx_int_t
ngx_http_ors_mcp_table(ngx_conf_t *cf, ngx_http_ors_main_conf_t *omcf)
{
    ngx_pool_cleanup_t  *cln;

    cln = ngx_pool_cleanup_add(cf->pool, 0);
    if (cln == NULL) {
        return NGX_ERROR;
    }

    ngx_ors_mcp_servers_init(&omcf->servers, NGX_HTTP_ORS_MCP_SERVERS,
                             NGX_HTTP_ORS_MCP_SHARE, NGX_HTTP_ORS_MCP_STALE,
                             &cf->cycle->new_log);

    omcf->servers.ended = ngx_http_ors_mcp_forget;

    ngx_queue_init(&omcf->leaves);

    cln->handler = ngx_http_ors_mcp_clear;
    cln->data = &omcf->servers;

    return NGX_OK;
}


static void
ngx_http_ors_mcp_clear(void *data)
{
    ngx_ors_mcp_servers_clear(data);
}


/* The subrequest of one request to an MCP server. */


ngx_int_t
ngx_http_ors_mcp_send(ngx_http_ors_mcp_t *mcp, ngx_ors_mcp_request_t *message,
    ngx_uint_t aside)
{
    ngx_uint_t                i;
    ngx_keyval_t             *kv;
    ngx_table_elt_t          *h;
    ngx_http_request_t       *r, *sr;
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

    sr = mc->call.request;
    kv = message->headers.elts;

    for (i = 0; i < message->headers.nelts; i++) {

        if (ngx_strcasecmp(kv[i].key.data, (u_char *) "Content-Type") == 0) {
            continue;
        }

        h = ngx_list_push(&sr->headers_in.headers);
        if (h == NULL) {
            goto failed;
        }

        ngx_memzero(h, sizeof(ngx_table_elt_t));

        h->key = kv[i].key;
        h->value = kv[i].value;

        h->lowcase_key = ngx_pnalloc(sr->pool, h->key.len);
        if (h->lowcase_key == NULL) {
            goto failed;
        }

        h->hash = ngx_hash_strlow(h->lowcase_key, h->key.data, h->key.len);
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

failed:

    /* the subrequest is posted, and reads headers before it ends */

    sr->headers_in = r->headers_in;

    return NGX_ERROR;
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


/* the parent sends the next request, or takes the outcome */

static ngx_int_t
ngx_http_ors_mcp_step(ngx_http_ors_mcp_call_t *mc,
    ngx_ors_mcp_dialog_event_e event)
{
    ngx_ors_mcp_dialog_t  *dialog;

    dialog = &mc->mcp->dialog;
    mc->mcp->rc = ngx_ors_mcp_dialog_step(dialog, event);

    if (mc->mcp->rc != NGX_AGAIN || dialog->request || dialog->asides) {
        ngx_http_ors_post(mc->call.ctx->request, &mc->call.ctx->posted);
    }

    return NGX_OK;
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

    return ngx_http_ors_mcp_step(mc, ngx_ors_mcp_dialog_ev_header);
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

    mc->mcp->dialog.in = b;
    (void) ngx_http_ors_mcp_step(mc, ngx_ors_mcp_dialog_ev_body);
    mc->mcp->dialog.in = NULL;

    return NGX_OK;
}


/* bytes that cannot be decoded are those of an answer that was cut */

static ngx_int_t
ngx_http_ors_mcp_refuse(void *data, const char *what)
{
    ngx_http_ors_mcp_call_t *mc = data;

    return ngx_http_ors_mcp_step(mc, ngx_ors_mcp_dialog_ev_cut);
}


/* Lists of tools: from memory, or read from their servers. */


ngx_int_t
ngx_http_ors_mcp_load(ngx_http_ors_ctx_t *ctx, ngx_uint_t dialect)
{
    ngx_int_t            rc;
    ngx_uint_t           i, begun;
    ngx_ors_turn_t      *turn;
    ngx_ors_mcp_use_t   *use;
    ngx_http_ors_mcp_t  *mcp;
    ngx_ors_mcp_list_t  *list;

    turn = ctx->turn;

    begun = turn->mcp.read;
    rc = ngx_ors_turn_servers(turn, dialect);

    if (rc == NGX_BUSY) {
        return ngx_http_ors_session_claim(ctx);
    }

    if (rc != NGX_AGAIN || begun) {
        return rc;
    }

    for (i = 0; i < turn->mcp.n; i++) {
        use = &turn->mcp.elts[i];

        mcp = ngx_http_ors_mcp_create(ctx, use->conf);
        if (mcp == NULL) {
            return NGX_ERROR;
        }

        mcp->use = use;

        rc = ngx_http_ors_mcp_known(mcp, &list);

        ngx_log_debug2(NGX_LOG_DEBUG_HTTP, ctx->request->connection->log, 0,
                       "ors mcp: \"%V\", list is known:%d",
                       &use->conf->uri, rc == NGX_OK);

        if (rc == NGX_OK) {
            mcp->over = 1;
            rc = ngx_http_ors_mcp_use(ctx, use, list);

        } else if (mcp->server->reader == NULL) {
            mcp->server->reader = mcp;
            rc = ngx_http_ors_mcp_begin(mcp);

        } else {

            /* requests with the same credentials read the list once */

            mcp->waits = 1;
            mcp->rc = NGX_AGAIN;
            mcp->started = ngx_current_msec;

            ngx_queue_insert_tail(&mcp->server->waiting, &mcp->queue);
            ngx_add_timer(&mcp->timer, mcp->conf->timeout);

            rc = NGX_OK;
        }

        if (rc != NGX_OK) {
            return NGX_ERROR;
        }
    }

    /* the client hears of the lists */

    ngx_http_ors_post(ctx->request, &ctx->posted);

    rc = ngx_ors_turn_servers(turn, turn->dialect);

    return (rc == NGX_BUSY) ? ngx_http_ors_session_claim(ctx) : rc;
}


/* The dialog reads no list any more, and waits for none. */

static void
ngx_http_ors_mcp_unlist(ngx_http_ors_mcp_t *mcp)
{
    ngx_queue_t           *q;
    ngx_http_ors_mcp_t    *next;
    ngx_ors_mcp_server_t  *server;

    server = mcp->server;

    if (mcp->waits && server->reader != mcp) {
        ngx_queue_remove(&mcp->queue);
    }

    mcp->waits = 0;

    if (server->reader != mcp) {
        return;
    }

    server->reader = NULL;

    if (ngx_queue_empty(&server->waiting)) {
        return;
    }

    q = ngx_queue_head(&server->waiting);
    ngx_queue_remove(q);

    next = ngx_queue_data(q, ngx_http_ors_mcp_t, queue);
    server->reader = next;

    ngx_post_event(&next->pause, &ngx_posted_events);
}


/* the codes of ngx_ors_mcp_server_list() */

static ngx_int_t
ngx_http_ors_mcp_known(ngx_http_ors_mcp_t *mcp, ngx_ors_mcp_list_t **list)
{
    ngx_int_t  rc;

    rc = ngx_ors_mcp_server_list(mcp->shared, ngx_current_msec, list);

    return (rc == NGX_OK) ? rc
                          : ngx_ors_mcp_server_list(mcp->server,
                                                    ngx_current_msec, list);
}


ngx_int_t
ngx_http_ors_mcp_tool(ngx_http_ors_mcp_t *mcp)
{
    ngx_ors_mcp_list_t    *list;
    ngx_ors_mcp_dialog_t  *dialog;

    dialog = &mcp->dialog;

    if (ngx_http_ors_mcp_known(mcp, &list) == NGX_OK) {
        dialog->tool = ngx_ors_mcp_list_find(list, &dialog->name);

        if (dialog->tool) {
            return ngx_http_ors_mcp_hold(mcp->ctx, list);
        }
    }

    dialog->lists = 1;

    return NGX_OK;
}


ngx_int_t
ngx_http_ors_mcp_listing(ngx_http_ors_ctx_t *ctx)
{
    ngx_int_t            rc;
    ngx_http_ors_mcp_t  *mcp;

    if (ctx->turn->mcp.left == 0) {
        return NGX_OK;
    }

    for (mcp = ctx->mcp; mcp; mcp = mcp->next) {

        if (mcp->use == NULL || mcp->use->ended) {
            continue;
        }

        rc = ngx_http_ors_mcp_run(mcp);

        if (rc == NGX_OK) {
            rc = ngx_http_ors_mcp_listed(mcp);
        }

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }
    }

    if (ctx->turn->mcp.left == 0) {

        /* the phase handler of the call asks again */

        ngx_http_ors_post(ctx->call->request, &ctx->call->posted);
    }

    return NGX_OK;
}


/* an old list is better than none */

static ngx_int_t
ngx_http_ors_mcp_listed(ngx_http_ors_mcp_t *mcp)
{
    ngx_int_t              rc;
    ngx_str_t             *message;
    ngx_queue_t           *q;
    ngx_http_ors_mcp_t    *other;
    ngx_ors_mcp_list_t    *list;
    ngx_ors_mcp_dialog_t  *dialog;

    dialog = &mcp->dialog;
    list = dialog->list;

    if (mcp->server->reader == mcp) {
        mcp->server->reader = NULL;

        /* the list, or the error, is that of all who wait */

        while (!ngx_queue_empty(&mcp->server->waiting)) {
            q = ngx_queue_head(&mcp->server->waiting);
            ngx_queue_remove(q);

            other = ngx_queue_data(q, ngx_http_ors_mcp_t, queue);

            other->waits = 0;
            other->told = 1;
            other->over = 1;

            if (dialog->listed) {
                other->rc = NGX_OK;
                other->dialog.list = list;
                ngx_ors_mcp_list_hold(list);

            } else {
                other->rc = NGX_DONE;
                other->dialog.error = dialog->error;
                message = &other->dialog.error.message;

                /* the message may be memory of the reader */

                message->data = ngx_pstrdup(other->ctx->request->pool,
                                            message);
                if (message->data == NULL) {
                    message->len = 0;
                }
            }

            ngx_http_ors_mcp_untime(other);
            ngx_post_event(&other->pause, &ngx_posted_events);
        }
    }

    if (mcp->rc == NGX_OK) {

        if (!mcp->told) {
            ngx_http_ors_mcp_keep(mcp);
        }

        return ngx_http_ors_mcp_use(mcp->ctx, mcp->use, list);
    }

    rc = ngx_ors_mcp_server_list(mcp->server, ngx_current_msec, &list);

    if (rc == NGX_DECLINED) {
        (void) ngx_ors_mcp_server_list(mcp->shared, ngx_current_msec, &list);
    }

    ngx_log_error(NGX_LOG_WARN, mcp->ctx->request->connection->log, 0,
                  "MCP server \"%V\" has not listed its tools after %M ms, "
                  "%V%s", &mcp->conf->label, ngx_current_msec - mcp->started,
                  &dialog->error.message,
                  list ? ", an old list is used" : "");

    return ngx_http_ors_mcp_use(mcp->ctx, mcp->use, list);
}


void
ngx_http_ors_mcp_keep(ngx_http_ors_mcp_t *mcp)
{
    u_char              *p, *last, names[NGX_HTTP_ORS_MCP_NAMES];
    ngx_log_t           *log;
    ngx_uint_t           i;
    ngx_array_t         *tools;
    ngx_ors_tool_t      *tool;
    ngx_ors_mcp_list_t  *list;
    ngx_ors_mcp_tool_t  *listed;

    list = mcp->dialog.list;
    log = mcp->ctx->request->connection->log;

    p = names;
    last = names + NGX_HTTP_ORS_MCP_NAMES;
    listed = list->tools.elts;

    for (i = 0; i < list->tools.nelts; i++) {

        if ((size_t) (last - p) < listed[i].name.len + sizeof(", ...") - 1) {
            p = ngx_cpymem(p, "...", 3);
            break;
        }

        p = ngx_sprintf(p, "%V%s", &listed[i].name,
                        (i + 1 < list->tools.nelts) ? ", " : "");
    }

    ngx_log_error(NGX_LOG_INFO, log, 0,
                  "MCP server \"%V\" has listed %ui tools after %M ms: %*s",
                  &mcp->conf->label, list->tools.nelts,
                  ngx_current_msec - mcp->started, (size_t) (p - names), names);

    ngx_ors_mcp_server_keep(list->shared ? mcp->shared : mcp->server, list,
                            ngx_current_msec, mcp->conf->list_ttl);

    tools = mcp->ctx->conf->hosting.tools;

    for (i = 0; tools && i < tools->nelts; i++) {
        tool = (ngx_ors_tool_t *) tools->elts + i;

        if (ngx_ors_same(&tool->label, &mcp->conf->label)
            && ngx_ors_mcp_list_find(list, &tool->remote) == NULL)
        {
            ngx_log_error(NGX_LOG_ERR, log, 0,
                          "MCP server \"%V\" has no tool \"%V\", which is "
                          "to serve \"%V\"", &tool->label, &tool->remote,
                          &tool->name);
        }
    }
}


/* "list" may be NULL; the turn borrows it as long as its pool lives */

static ngx_int_t
ngx_http_ors_mcp_use(ngx_http_ors_ctx_t *ctx, ngx_ors_mcp_use_t *use,
    ngx_ors_mcp_list_t *list)
{
    if (list && ngx_http_ors_mcp_hold(ctx, list) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_ors_mcp_uses_listed(&ctx->turn->mcp, use, &ctx->turn->builder,
                                   list);
}


static ngx_int_t
ngx_http_ors_mcp_hold(ngx_http_ors_ctx_t *ctx, ngx_ors_mcp_list_t *list)
{
    ngx_pool_cleanup_t  *cln;

    cln = ngx_pool_cleanup_add(ctx->request->pool, 0);
    if (cln == NULL) {
        return NGX_ERROR;
    }

    ngx_ors_mcp_list_hold(list);

    cln->handler = ngx_http_ors_mcp_release;
    cln->data = list;

    return NGX_OK;
}


static void
ngx_http_ors_mcp_release(void *data)
{
    ngx_ors_mcp_list_release(data);
}
