
/*
 * Copyright (C) Open Responses contributors
 */


/* Lists of tools: from memory, or read from their servers. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_mcp.h>
#include <ngx_ors_names.h>


/* bytes of the names of tools in a line of the log */
#define NGX_HTTP_ORS_MCP_NAMES  1024


static ngx_int_t ngx_http_ors_mcp_lists(ngx_http_ors_ctx_t *ctx);
static ngx_int_t ngx_http_ors_mcp_ask_list(ngx_http_ors_mcp_t *mcp);
static ngx_int_t ngx_http_ors_mcp_listed(ngx_http_ors_mcp_t *mcp);
static void ngx_http_ors_mcp_tell(ngx_http_ors_mcp_t *mcp);
static void ngx_http_ors_mcp_hear(ngx_http_ors_mcp_t *mcp,
    ngx_ors_mcp_dialog_t *dialog);
static ngx_int_t ngx_http_ors_mcp_known(ngx_http_ors_mcp_t *mcp,
    ngx_ors_mcp_list_t **list);
static void ngx_http_ors_mcp_names(ngx_ors_mcp_list_t *list, ngx_str_t *names);
static ngx_int_t ngx_http_ors_mcp_hold(ngx_http_ors_ctx_t *ctx,
    ngx_ors_mcp_list_t *list);
static ngx_int_t ngx_http_ors_mcp_use(ngx_http_ors_ctx_t *ctx,
    ngx_ors_mcp_use_t *use, ngx_ors_mcp_list_t *list);
static void ngx_http_ors_mcp_release(void *data);


ngx_int_t
ngx_http_ors_mcp_load(ngx_http_ors_ctx_t *ctx, ngx_uint_t dialect)
{
    ngx_int_t        rc;
    ngx_uint_t       begun;
    ngx_ors_turn_t  *turn;

    turn = ctx->turn;

    if (!ngx_ors_turn_translates(turn, dialect)) {
        return NGX_OK;
    }

    begun = turn->mcp.read;
    rc = ngx_ors_turn_servers(turn);

    if (rc == NGX_BUSY) {
        turn->dialect = dialect;
        return ngx_http_ors_session_claim(ctx);
    }

    if (rc != NGX_AGAIN || begun) {
        return rc;
    }

    turn->dialect = dialect;

    if (ngx_http_ors_mcp_lists(ctx) != NGX_OK) {
        return NGX_ERROR;
    }

    /* the client hears of the lists */

    ngx_http_ors_post(ctx->request, &ctx->posted);

    rc = ngx_ors_turn_servers(turn);

    return (rc == NGX_BUSY) ? ngx_http_ors_session_claim(ctx) : rc;
}


static ngx_int_t
ngx_http_ors_mcp_lists(ngx_http_ors_ctx_t *ctx)
{
    ngx_int_t            rc;
    ngx_uint_t           i;
    ngx_ors_mcp_use_t   *use;
    ngx_http_ors_mcp_t  *mcp;
    ngx_ors_mcp_list_t  *list;

    for (i = 0; i < ctx->turn->mcp.n; i++) {
        use = &ctx->turn->mcp.elts[i];

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

        } else {
            rc = ngx_http_ors_mcp_ask_list(mcp);
        }

        if (rc != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/* simultaneous requests with the same credentials read the list once */

static ngx_int_t
ngx_http_ors_mcp_ask_list(ngx_http_ors_mcp_t *mcp)
{
    if (mcp->server->reader == NULL) {
        mcp->server->reader = mcp;
        return ngx_http_ors_mcp_begin(mcp);
    }

    mcp->waits = 1;
    mcp->rc = NGX_AGAIN;
    mcp->started = ngx_current_msec;

    ngx_queue_insert_tail(&mcp->server->waiting, &mcp->queue);
    ngx_add_timer(&mcp->timer, mcp->conf->timeout);

    return NGX_OK;
}


ngx_int_t
ngx_http_ors_mcp_await(ngx_http_ors_mcp_t *mcp)
{
    ngx_ors_mcp_error_t  *error;

    if (mcp->timedout) {
        ngx_http_ors_mcp_unlist(mcp);

        error = &mcp->dialog.error;
        error->type = ngx_ors_mcp_error_http;
        error->code = NGX_HTTP_GATEWAY_TIME_OUT;
        ngx_str_set(&error->message, "the list was not read in time");

        mcp->over = 1;
        mcp->rc = NGX_DONE;

        return NGX_OK;
    }

    if (mcp->server->reader != mcp) {
        return NGX_AGAIN;
    }

    mcp->waits = 0;

    return (ngx_http_ors_mcp_begin(mcp) == NGX_OK) ? NGX_AGAIN : NGX_ERROR;
}


void
ngx_http_ors_mcp_unlist(ngx_http_ors_mcp_t *mcp)
{
    ngx_queue_t           *q;
    ngx_http_ors_mcp_t    *next;
    ngx_ors_mcp_server_t  *server;

    server = mcp->server;

    if (server->reader != mcp) {

        if (mcp->waits) {
            mcp->waits = 0;
            ngx_queue_remove(&mcp->queue);
        }

        return;
    }

    mcp->waits = 0;
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
    ngx_log_t             *log;
    ngx_ors_mcp_list_t    *list;
    ngx_ors_mcp_dialog_t  *dialog;

    dialog = &mcp->dialog;
    log = mcp->ctx->request->connection->log;
    list = dialog->list;

    if (mcp->server->reader == mcp) {
        ngx_http_ors_mcp_tell(mcp);
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

    ngx_log_error(NGX_LOG_WARN, log, 0,
                  "MCP server \"%V\" has not listed its tools after %M ms, "
                  "%V%s", &mcp->conf->label, ngx_current_msec - mcp->started,
                  &dialog->error.message,
                  list ? ", an old list is used" : "");

    return ngx_http_ors_mcp_use(mcp->ctx, mcp->use, list);
}


/* the list, or the error, is that of all who wait */

static void
ngx_http_ors_mcp_tell(ngx_http_ors_mcp_t *mcp)
{
    ngx_queue_t           *q;
    ngx_ors_mcp_server_t  *server;

    server = mcp->server;
    server->reader = NULL;

    while (!ngx_queue_empty(&server->waiting)) {
        q = ngx_queue_head(&server->waiting);
        ngx_queue_remove(q);

        ngx_http_ors_mcp_hear(ngx_queue_data(q, ngx_http_ors_mcp_t, queue),
                              &mcp->dialog);
    }
}


static void
ngx_http_ors_mcp_hear(ngx_http_ors_mcp_t *mcp, ngx_ors_mcp_dialog_t *dialog)
{
    ngx_str_t  *message;

    mcp->waits = 0;
    mcp->told = 1;
    mcp->over = 1;

    if (dialog->listed) {
        mcp->rc = NGX_OK;
        mcp->dialog.list = dialog->list;
        ngx_ors_mcp_list_hold(dialog->list);

    } else {
        mcp->rc = NGX_DONE;
        mcp->dialog.error = dialog->error;
        message = &mcp->dialog.error.message;

        /* the message may be memory of the reader */

        message->data = ngx_pstrdup(mcp->ctx->request->pool, message);
        if (message->data == NULL) {
            message->len = 0;
        }
    }

    ngx_http_ors_mcp_untime(mcp);
    ngx_post_event(&mcp->pause, &ngx_posted_events);
}


void
ngx_http_ors_mcp_keep(ngx_http_ors_mcp_t *mcp)
{
    u_char               buf[NGX_HTTP_ORS_MCP_NAMES];
    ngx_log_t           *log;
    ngx_str_t            names;
    ngx_uint_t           i;
    ngx_array_t         *tools;
    ngx_ors_tool_t      *tool;
    ngx_ors_mcp_list_t  *list;

    list = mcp->dialog.list;
    log = mcp->ctx->request->connection->log;

    names.data = buf;
    ngx_http_ors_mcp_names(list, &names);

    ngx_log_error(NGX_LOG_INFO, log, 0,
                  "MCP server \"%V\" has listed %ui tools after %M ms: %V",
                  &mcp->conf->label, list->tools.nelts,
                  ngx_current_msec - mcp->started, &names);

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


static void
ngx_http_ors_mcp_names(ngx_ors_mcp_list_t *list, ngx_str_t *names)
{
    u_char              *p, *last;
    ngx_uint_t           i;
    ngx_ors_mcp_tool_t  *tool;

    p = names->data;
    last = p + NGX_HTTP_ORS_MCP_NAMES;
    tool = list->tools.elts;

    for (i = 0; i < list->tools.nelts; i++) {

        if ((size_t) (last - p) < tool[i].name.len + sizeof(", ...") - 1) {
            p = ngx_cpymem(p, "...", 3);
            break;
        }

        p = ngx_sprintf(p, "%V%s", &tool[i].name,
                        (i + 1 < list->tools.nelts) ? ", " : "");
    }

    names->len = p - names->data;
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
