
/*
 * Copyright (C) Open Responses contributors
 */


/* The dialogs of a request: begun, driven by what happens, closed. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_mcp.h>
#include <ngx_http_ors_tool.h>
#include <ngx_ors_session.h>


/*
 * servers that a worker knows, each with other credentials, and those of one
 * address
 */
#define NGX_HTTP_ORS_MCP_SERVERS  1024
#define NGX_HTTP_ORS_MCP_SHARE    256

/* how long a list may serve that could not be read again, ms */
#define NGX_HTTP_ORS_MCP_STALE    3600000


static ngx_str_t  ngx_http_ors_mcp_no_key = ngx_null_string;


static ngx_int_t ngx_http_ors_mcp_find(ngx_http_ors_mcp_t *mcp);
static ngx_int_t ngx_http_ors_mcp_peer(ngx_http_ors_mcp_t *mcp);
static uint32_t ngx_http_ors_mcp_origin(ngx_connection_t *c);
static void ngx_http_ors_mcp_forget(ngx_ors_mcp_server_t *server, void *data);
static void ngx_http_ors_mcp_timeout(ngx_event_t *ev);
static void ngx_http_ors_mcp_paused(ngx_event_t *ev);
static void ngx_http_ors_mcp_ended(ngx_http_ors_mcp_t *mcp);
static ngx_int_t ngx_http_ors_mcp_next(ngx_http_ors_mcp_t *mcp);
static void ngx_http_ors_mcp_clear(void *data);


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

    ngx_http_ors_event_init(&mcp->timer, ngx_http_ors_mcp_timeout, mcp, r);
    ngx_http_ors_event_init(&mcp->pause, ngx_http_ors_mcp_paused, mcp, r);

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
    ngx_http_request_t        *r;
    ngx_http_core_srv_conf_t  *cscf;
    ngx_http_ors_main_conf_t  *omcf;

    r = mcp->ctx->request;
    omcf = ngx_http_get_module_main_conf(r, ngx_http_open_responses_module);
    cscf = ngx_http_get_module_srv_conf(r, ngx_http_core_module);

    ngx_memzero(key, NGX_ORS_MCP_KEY);

    list[0].data = (u_char *) &cscf;
    list[0].len = sizeof(ngx_http_core_srv_conf_t *);
    list[1] = mcp->conf->uri;

    if (ngx_ors_digest_list(ngx_ors_key_mcp, list, 2, &ngx_http_ors_mcp_no_key,
                            key)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    omcf->servers.data = mcp->ctx;

    mcp->shared = ngx_ors_mcp_server_get(&omcf->servers, key, 0);

    if (mcp->shared && ngx_http_ors_scope(mcp->ctx) == NGX_OK) {
        ngx_memcpy(key + NGX_ORS_DIGEST_LEN, mcp->ctx->scope,
                   NGX_ORS_DIGEST_LEN);

        mcp->server = ngx_ors_mcp_server_get(&omcf->servers, key,
                                      ngx_http_ors_mcp_origin(r->connection));
    }

    omcf->servers.data = NULL;

    if (mcp->shared == NULL) {
        return NGX_ERROR;
    }

    if (mcp->server == NULL) {
        ngx_ors_mcp_server_release(mcp->shared);
        return NGX_ERROR;
    }

    mcp->server->conf = mcp->conf;
    mcp->callee = ngx_http_ors_callee(mcp->ctx->conf, &mcp->conf->label, 1);

    if (ngx_http_ors_mcp_peer(mcp) != NGX_OK) {
        ngx_ors_mcp_server_release(mcp->server);
        ngx_ors_mcp_server_release(mcp->shared);
        return NGX_ERROR;
    }

    if (mcp->peer->version == ngx_ors_mcp_version_none) {
        mcp->peer->version = ngx_ors_callee_era(mcp->callee);
    }

    return NGX_OK;
}


/* clients without a key are not one client: each request has its session */

static ngx_int_t
ngx_http_ors_mcp_peer(ngx_http_ors_mcp_t *mcp)
{
    ngx_http_ors_mcp_t  *other;

    if (!mcp->ctx->ownerless) {
        mcp->peer = &mcp->server->peer;
        return NGX_OK;
    }

    for (other = mcp->ctx->mcp; other; other = other->next) {

        if (other->conf == mcp->conf) {
            mcp->peer = other->peer;
            return NGX_OK;
        }
    }

    mcp->peer = ngx_pcalloc(mcp->ctx->request->pool,
                            sizeof(ngx_ors_mcp_peer_t));

    return mcp->peer ? NGX_OK : NGX_ERROR;
}


/* keys can be made up; not 0, and of IPv6 what a host has as a whole */

static uint32_t
ngx_http_ors_mcp_origin(ngx_connection_t *c)
{
    uint32_t              origin;
#if (NGX_HAVE_INET6)
    struct sockaddr_in6  *sin6;
#endif

    origin = 0;

    switch (c->sockaddr->sa_family) {

#if (NGX_HAVE_INET6)
    case AF_INET6:
        sin6 = (struct sockaddr_in6 *) c->sockaddr;
        origin = ngx_crc32_short(sin6->sin6_addr.s6_addr, 8);
        break;
#endif

    case AF_INET:
        origin = ((struct sockaddr_in *) c->sockaddr)->sin_addr.s_addr;
        break;
    }

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
ngx_http_ors_mcp_timeout(ngx_event_t *ev)
{
    ngx_http_ors_mcp_t  *mcp;

    mcp = ev->data;
    mcp->timedout = 1;

    ngx_http_ors_mcp_untime(mcp);
    ngx_http_ors_event_resume(mcp->ctx);
}


static void
ngx_http_ors_mcp_paused(ngx_event_t *ev)
{
    ngx_http_ors_mcp_t  *mcp;

    mcp = ev->data;

    if (mcp->dialog.request) {
        mcp->dialog.request->delay = 0;
    }

    ngx_http_ors_event_resume(mcp->ctx);
}


ngx_int_t
ngx_http_ors_mcp_run(ngx_http_ors_mcp_t *mcp)
{
    if (mcp->over) {
        return NGX_OK;
    }

    if (mcp->waits) {
        return ngx_http_ors_mcp_await(mcp);
    }

    if (mcp->timedout && mcp->rc == NGX_AGAIN) {
        mcp->dialog.request = NULL;
        mcp->rc = ngx_ors_mcp_dialog_step(&mcp->dialog,
                                          ngx_ors_mcp_dialog_ev_timeout);
    }

    if (mcp->rc == NGX_AGAIN && mcp->dialog.request == NULL
        && mcp->call->call.done)
    {
        ngx_http_ors_mcp_ended(mcp);
    }

    return ngx_http_ors_mcp_next(mcp);
}


/* the subrequest of the last request has come to its end */

static void
ngx_http_ors_mcp_ended(ngx_http_ors_mcp_t *mcp)
{
    ngx_ors_mcp_dialog_t     *dialog;
    ngx_http_ors_mcp_call_t  *mc;

    mc = mcp->call;
    dialog = &mcp->dialog;

    if (!mc->headed) {
        mc->headed = 1;

        dialog->status = mc->call.status;
        ngx_str_null(&dialog->type);
        ngx_str_null(&dialog->session);

        mcp->rc = ngx_ors_mcp_dialog_step(dialog,
                                          ngx_ors_mcp_dialog_ev_header);

        /* an answer that nginx has made has no body */

        mc->call.complete = 1;
    }

    if (mcp->rc == NGX_AGAIN && dialog->request == NULL) {
        mcp->rc = ngx_ors_mcp_dialog_step(dialog, mc->call.complete
                                                ? ngx_ors_mcp_dialog_ev_end
                                                : ngx_ors_mcp_dialog_ev_cut);
    }
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


void
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
    omcf->nleaves = 0;

    cln->handler = ngx_http_ors_mcp_clear;
    cln->data = &omcf->servers;

    return NGX_OK;
}


static void
ngx_http_ors_mcp_clear(void *data)
{
    ngx_ors_mcp_servers_clear(data);
}
