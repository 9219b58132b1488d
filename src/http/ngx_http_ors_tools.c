
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The calls of a round: started, some side by side, ended, reported to the
 * turn.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_tool.h>
#include <ngx_ors_utf8.h>


static ngx_int_t ngx_http_ors_tools_create(ngx_http_ors_ctx_t *ctx);
static ngx_int_t ngx_http_ors_tools_reap(ngx_http_ors_ctx_t *ctx);
static ngx_int_t ngx_http_ors_tools_ended(ngx_http_ors_ctx_t *ctx,
    ngx_http_ors_tool_t *tool);
static ngx_int_t ngx_http_ors_tools_text(ngx_http_ors_tool_t *tool,
    ngx_str_t *text);
static void ngx_http_ors_tools_count(ngx_http_ors_ctx_t *ctx,
    ngx_http_ors_tool_t *tool, ngx_ors_callee_end_e end);
static ngx_int_t ngx_http_ors_tools_begin(ngx_http_ors_ctx_t *ctx,
    ngx_http_ors_tool_t *tool);
static ngx_int_t ngx_http_ors_tools_answered(ngx_http_ors_ctx_t *ctx,
    ngx_http_ors_tool_t *tool);


ngx_int_t
ngx_http_ors_tools_run(ngx_http_ors_ctx_t *ctx)
{
    ngx_int_t              rc;
    ngx_ors_turn_t        *turn;
    ngx_http_ors_tool_t   *tool;
    ngx_http_ors_tools_t  *tools;

    turn = ctx->turn;

    if ((ctx->tools == NULL || ctx->tools->round != turn->round.n)
        && ngx_http_ors_tools_create(ctx) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (ngx_http_ors_tools_reap(ctx) != NGX_OK) {
        return NGX_ERROR;
    }

    if (turn->round.left == 0) {
        rc = ngx_ors_turn_tools(turn);

        if (rc != NGX_OK) {
            return (rc == NGX_DONE) ? NGX_OK : NGX_ERROR;
        }

        /* it is over for this round, though its connection may be open */

        if (ctx->call) {
            ngx_http_ors_call_cancel(ctx->call);
        }

        return ngx_http_ors_call(ctx);
    }

    tools = ctx->tools;

    while (tools->next < tools->n
           && tools->running < turn->limits->tool_calls)
    {
        tool = &tools->elts[tools->next];

        if (ngx_http_ors_tools_begin(ctx, tool) != NGX_OK) {
            return NGX_ERROR;
        }

        tools->next++;
        tools->running++;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_ors_tools_begin(ngx_http_ors_ctx_t *ctx, ngx_http_ors_tool_t *tool)
{
    ngx_ors_tool_t          *hosted;
    ngx_ors_mcp_conf_t      *conf;
    ngx_ors_mcp_dialog_t    *dialog;
    ngx_ors_mcp_function_t  *function;

    hosted = tool->called->item->tool;
    function = hosted->mcp;

    conf = function ? function->use->conf
                    : ngx_ors_mcp_conf_find(ctx->turn->round.hosting->servers,
                                            &hosted->label);

    if (conf == NULL) {
        return ngx_http_ors_tool_start(ctx, tool);
    }

    tool->mcp = ngx_http_ors_mcp_create(ctx, conf);
    if (tool->mcp == NULL) {
        return NGX_ERROR;
    }

    tool->mcp->called = tool->called;

    dialog = &tool->mcp->dialog;
    dialog->name = function ? function->tool->name : hosted->remote;
    dialog->tool = function ? function->tool : NULL;
    dialog->arguments = tool->called->arguments;

    if (function == NULL && ngx_http_ors_mcp_tool(tool->mcp) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_http_ors_mcp_begin(tool->mcp);
}


static ngx_int_t
ngx_http_ors_tools_create(ngx_http_ors_ctx_t *ctx)
{
    ngx_uint_t             i;
    ngx_pool_t            *pool;
    ngx_ors_round_t       *round;
    ngx_http_ors_tools_t  *tools;

    pool = ctx->request->pool;
    round = &ctx->turn->round;

    tools = ngx_pcalloc(pool, sizeof(ngx_http_ors_tools_t));
    if (tools == NULL) {
        return NGX_ERROR;
    }

    tools->elts = ngx_pcalloc(pool, round->nelts
                                    * sizeof(ngx_http_ors_tool_t));
    if (tools->elts == NULL) {
        return NGX_ERROR;
    }

    tools->round = round->n;

    for (i = 0; i < round->nelts; i++) {

        if (round->calls[i].outcome == ngx_ors_tool_wait) {
            tools->elts[tools->n++].called = &round->calls[i];
            continue;
        }

        if (round->calls[i].outcome == ngx_ors_tool_schema) {
            continue;
        }

        ngx_log_error(NGX_LOG_INFO, ctx->request->connection->log, 0,
                      "tool \"%V\" is not called, %s",
                      &round->calls[i].item->tool->name,
                      (round->calls[i].outcome == ngx_ors_tool_limit)
                      ? "the limit of calls is reached"
                      : "its arguments are not the JSON object "
                        "that it needs");
    }

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, ctx->request->connection->log, 0,
                   "ors tool: round %ui, %ui calls, %ui are run",
                   round->n, round->nelts, tools->n);

    ctx->tools = tools;

    return NGX_OK;
}


static ngx_int_t
ngx_http_ors_tools_reap(ngx_http_ors_ctx_t *ctx)
{
    ngx_int_t              rc;
    ngx_uint_t             i;
    ngx_http_ors_tool_t   *tool;
    ngx_http_ors_tools_t  *tools;

    tools = ctx->tools;

    for (i = 0; i < tools->next; i++) {
        tool = &tools->elts[i];

        if (tool->ended) {
            continue;
        }

        if (tool->mcp) {
            rc = ngx_http_ors_tools_answered(ctx, tool);

            if (rc == NGX_ERROR) {
                return NGX_ERROR;
            }

            continue;
        }

        /* the rest of an answer that is of no use is not waited for */

        if (tool->fault) {
            ngx_http_ors_call_drop(&tool->call);
        }

        if (!tool->call.done) {
            continue;
        }

        tool->ended = 1;
        tools->running--;

        ngx_http_ors_event_stop(&tool->timer);

        if (ngx_http_ors_tools_ended(ctx, tool) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/* NGX_AGAIN: the server has not answered */

static ngx_int_t
ngx_http_ors_tools_answered(ngx_http_ors_ctx_t *ctx, ngx_http_ors_tool_t *tool)
{
    ngx_int_t              rc;
    ngx_uint_t             failed, level;
    ngx_ors_turn_t        *turn;
    ngx_http_ors_mcp_t    *mcp;
    ngx_ors_mcp_dialog_t  *dialog;

    mcp = tool->mcp;
    turn = ctx->turn;
    dialog = &mcp->dialog;

    rc = ngx_http_ors_mcp_run(mcp);

    if (rc != NGX_OK) {
        return rc;
    }

    tool->ended = 1;
    ctx->tools->running--;

    if (dialog->listed) {
        ngx_http_ors_mcp_keep(mcp);
    }

    if (dialog->stale) {
        ngx_ors_mcp_server_expire(mcp->server, ngx_current_msec);
        ngx_ors_mcp_server_expire(mcp->shared, ngx_current_msec);
    }

    ngx_http_ors_tools_count(ctx, tool,
                             (dialog->error.type == ngx_ors_mcp_error_none)
                             ? ngx_ors_callee_completed
                             : ngx_ors_callee_failed);

    failed = (dialog->error.type == ngx_ors_mcp_error_protocol
              || dialog->error.type == ngx_ors_mcp_error_http);

    level = !failed ? NGX_LOG_INFO
            : (dialog->listed && dialog->tool == NULL) ? NGX_LOG_ERR
                                                       : NGX_LOG_WARN;

    ngx_log_error(level, ctx->request->connection->log, 0,
                  "tool \"%V\" of MCP server \"%V\" has %s after %M ms%s%V",
                  &tool->called->item->tool->name, &mcp->conf->label,
                  failed ? "failed" : "answered",
                  ngx_current_msec - mcp->started, failed ? ": " : "",
                  &dialog->error.message);

    return ngx_ors_round_answered(&turn->round, &turn->builder, tool->called,
                                  &dialog->result, &dialog->error);
}


static ngx_int_t
ngx_http_ors_tools_ended(ngx_http_ors_ctx_t *ctx, ngx_http_ors_tool_t *tool)
{
    ngx_str_t   text;
    ngx_uint_t  failed, level;

    if (ngx_http_ors_tools_text(tool, &text) != NGX_OK) {
        return NGX_ERROR;
    }

    failed = (tool->fault != NULL);
    level = failed ? NGX_LOG_WARN : NGX_LOG_INFO;

    ngx_log_error(level, tool->call.request->connection->log, 0,
                  "tool \"%V\" has %s after %M ms, status %ui%s%s",
                  &tool->called->item->tool->name,
                  failed ? "failed" : "answered",
                  ngx_current_msec - tool->started, tool->call.status,
                  failed ? ": " : "", failed ? tool->fault : "");

    ngx_http_ors_tools_count(ctx, tool, failed ? ngx_ors_callee_failed
                                               : ngx_ors_callee_completed);

    return ngx_ors_round_ended(&ctx->turn->round, &ctx->turn->builder,
                               tool->called,
                               failed ? ngx_ors_tool_failed : ngx_ors_tool_ok,
                               &text);
}


static ngx_int_t
ngx_http_ors_tools_text(ngx_http_ors_tool_t *tool, ngx_str_t *text)
{
    ngx_str_null(text);

    if (tool->fault == NULL
        && (tool->call.status < NGX_HTTP_OK
            || tool->call.status >= NGX_HTTP_SPECIAL_RESPONSE))
    {
        tool->fault = "it answered with a status of failure";
    }

    if (tool->fault == NULL && !tool->call.complete) {
        tool->fault = "its answer was cut";
    }

    if (tool->fault) {
        return NGX_OK;
    }

    text->len = tool->output.len;
    text->data = ngx_pnalloc(tool->call.request->pool, text->len);
    if (text->data == NULL) {
        return NGX_ERROR;
    }

    (void) ngx_ors_text_copy(text->data, &tool->output);

    if (ngx_ors_utf8_valid(text->data, text->len) != text->len) {
        tool->fault = "its answer is not UTF-8";
    }

    return NGX_OK;
}


/* under a name of the configuration: the tool's, or the server's label */

static void
ngx_http_ors_tools_count(ngx_http_ors_ctx_t *ctx, ngx_http_ors_tool_t *tool,
    ngx_ors_callee_end_e end)
{
    ngx_msec_t              started;
    ngx_ors_tool_t         *hosted;
    ngx_ors_callee_conf_t  *callee;

    hosted = tool->called->item->tool;
    started = tool->mcp ? tool->mcp->started : tool->started;

    callee = hosted->mcp
             ? ngx_http_ors_callee(ctx->conf, &hosted->mcp->use->conf->label,
                                   1)
             : ngx_http_ors_callee(ctx->conf, &hosted->name, 0);

    tool->counted = 1;

    if (callee) {
        ngx_ors_callee_ended(callee, end, ngx_current_msec - started);
    }
}


void
ngx_http_ors_tools_cancel(ngx_http_ors_ctx_t *ctx)
{
    ngx_uint_t            i;
    ngx_http_ors_tool_t  *tool;

    ngx_http_ors_calls_drop(ctx);

    for (i = 0; ctx->tools && i < ctx->tools->next; i++) {
        tool = &ctx->tools->elts[i];

        ngx_http_ors_event_stop(&tool->timer);

        if (!tool->counted) {
            ngx_http_ors_tools_count(ctx, tool, ngx_ors_callee_canceled);
        }
    }

    ngx_http_ors_mcp_cleanup(ctx);
}
