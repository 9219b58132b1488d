
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The calls of a round: started, some side by side, ended, reported to the
 * turn; the subrequest of one; and "open_responses_tool".
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_tools.h>
#include <ngx_ors_utf8.h>
#include <ngx_ors_text.h>
#include <ngx_ors_chat_tools.h>
#include <ngx_ors_conf.h>
#include <ngx_ors_item.h>
#include <ngx_ors_error.h>


#define NGX_HTTP_ORS_TOOL_TIMEOUT  30000

#define ngx_http_ors_tool_type(name, ...)  "\"" #name "\", "


static ngx_int_t ngx_http_ors_tools_reap(ngx_http_ors_ctx_t *ctx);
static ngx_int_t ngx_http_ors_tools_ended(ngx_http_ors_ctx_t *ctx,
    ngx_http_ors_tool_t *tool);
static void ngx_http_ors_tools_count(ngx_http_ors_ctx_t *ctx,
    ngx_http_ors_tool_t *tool, ngx_ors_callee_end_e end);
static ngx_int_t ngx_http_ors_tools_begin(ngx_http_ors_ctx_t *ctx,
    ngx_http_ors_tool_t *tool);
static ngx_int_t ngx_http_ors_tools_answered(ngx_http_ors_ctx_t *ctx,
    ngx_http_ors_tool_t *tool);
static void ngx_http_ors_tool_timeout(ngx_event_t *ev);
static ngx_int_t ngx_http_ors_tool_make(ngx_http_ors_call_t *call);
static ngx_int_t ngx_http_ors_tool_header(ngx_http_ors_call_t *call);
static ngx_int_t ngx_http_ors_tool_fail(void *data, const char *fault);
static ngx_uint_t ngx_http_ors_tool_over(void *data);
static ngx_int_t ngx_http_ors_tool_read(void *data, ngx_buf_t *b);
static char *ngx_http_ors_tool_name(ngx_conf_t *cf, ngx_ors_tool_t *tool,
    ngx_str_t *value);
static char *ngx_http_ors_tool_uri(ngx_conf_t *cf, ngx_ors_tool_t *tool,
    ngx_str_t *value);
static char *ngx_http_ors_tool_typed(ngx_conf_t *cf, ngx_ors_tool_t *tool,
    ngx_array_t *types, ngx_str_t *value);
static ngx_int_t ngx_http_ors_tool_definition(ngx_conf_t *cf,
    ngx_ors_conf_param_t *param, ngx_str_t *value, void *field);
static ngx_int_t ngx_http_ors_tool_define(ngx_conf_t *cf,
    ngx_ors_tool_t *tool, ngx_str_t *text, ngx_str_t *name);


static const ngx_ors_source_handler_t  ngx_http_ors_tool_source = {
    ngx_http_ors_tool_over,
    ngx_http_ors_tool_read,
    ngx_http_ors_tool_fail,
    ngx_http_ors_subrequest_ended
};


static const ngx_http_ors_call_kind_t  ngx_http_ors_tool_kind = {
    "tool",
    &ngx_http_ors_tool_source,
    NULL,
    ngx_http_ors_tool_make,
    ngx_http_ors_tool_header,
    NULL
};


static ngx_conf_enum_t  ngx_http_ors_tool_shows[] = {
    { ngx_string("items"), ngx_ors_tool_items },
    { ngx_string("plain"), ngx_ors_tool_plain },
    { ngx_string("none"), ngx_ors_tool_none },
    { ngx_null_string, 0 }
};


static ngx_ors_conf_param_t  ngx_http_ors_tool_params[] = {

    { ngx_string("definition="), ngx_http_ors_tool_definition, 0, 0, 0, NULL,
      "the name of a file" },

    { ngx_string("timeout="), ngx_ors_conf_param_msec,
      offsetof(ngx_ors_tool_t, timeout), 1, 0, NULL, "a time above 0" },

    { ngx_string("show="), ngx_ors_conf_param_word,
      offsetof(ngx_ors_tool_t, show), 0, 0, ngx_http_ors_tool_shows,
      "\"items\", \"plain\" or \"none\"" },

    { ngx_null_string, NULL, 0, 0, 0, NULL, NULL }
};


ngx_int_t
ngx_http_ors_tools_run(ngx_http_ors_ctx_t *ctx)
{
    ngx_int_t              rc;
    ngx_uint_t             i;
    ngx_ors_turn_t        *turn;
    ngx_ors_round_t       *round;
    ngx_http_ors_tools_t  *tools;

    turn = ctx->turn;
    round = &turn->round;
    tools = ctx->tools;

    if (tools == NULL || tools->round != round->n) {
        tools = ngx_pcalloc(ctx->request->pool,
                            sizeof(ngx_http_ors_tools_t)
                            + round->nelts * sizeof(ngx_http_ors_tool_t));
        if (tools == NULL) {
            return NGX_ERROR;
        }

        tools->elts = (ngx_http_ors_tool_t *) (tools + 1);
        tools->round = round->n;

        for (i = 0; i < round->nelts; i++) {

            if (round->calls[i].outcome == ngx_ors_tool_wait) {
                tools->elts[tools->n++].called = &round->calls[i];

            } else if (round->calls[i].outcome != ngx_ors_tool_schema) {
                ngx_log_error(NGX_LOG_INFO, ctx->request->connection->log, 0,
                              "tool \"%V\" is not called, %s",
                              &round->calls[i].item->tool->name,
                              (round->calls[i].outcome == ngx_ors_tool_limit)
                              ? "the limit of calls is reached"
                              : "its arguments are not the JSON object "
                                "that it needs");
            }
        }

        ngx_log_debug3(NGX_LOG_DEBUG_HTTP, ctx->request->connection->log, 0,
                       "ors tool: round %ui, %ui calls, %ui are run",
                       round->n, round->nelts, tools->n);

        ctx->tools = tools;
    }

    if (ngx_http_ors_tools_reap(ctx) != NGX_OK) {
        return NGX_ERROR;
    }

    if (round->left == 0) {
        rc = ngx_ors_turn_tools(turn);

        if (rc != NGX_OK) {
            return (rc == NGX_DONE) ? NGX_OK : NGX_ERROR;
        }

        /* a round without calls is not counted: the next one has its number */

        ctx->tools = NULL;

        /* it is over for this round, though its connection may be open */

        if (ctx->call) {
            ngx_http_ors_call_cancel(ctx->call);
        }

        return ngx_http_ors_call(ctx);
    }

    while (tools->next < tools->n
           && tools->running < turn->limits->tool_calls)
    {
        if (ngx_http_ors_tools_begin(ctx, &tools->elts[tools->next])
            != NGX_OK)
        {
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
    tool->started = ngx_current_msec;

    conf = function ? function->use->conf
                    : ngx_ors_mcp_conf_find(ctx->turn->round.hosting->servers,
                                            &hosted->label);

    if (conf == NULL) {
        tool->call.bare = 1;
        tool->call.called = tool->called;

        if (ngx_http_ors_subrequest(&tool->call, ctx, &ngx_http_ors_tool_kind,
                                    &hosted->uri, &hosted->args)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        ngx_http_ors_event_init(&tool->timer, ngx_http_ors_tool_timeout, tool,
                                ctx->request);
        ngx_add_timer(&tool->timer, hosted->timeout);

        ngx_log_debug2(NGX_LOG_DEBUG_HTTP, ctx->request->connection->log, 0,
                       "ors tool: started \"%V\", timeout %M", &hosted->uri,
                       hosted->timeout);

        return NGX_OK;
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
ngx_http_ors_tools_reap(ngx_http_ors_ctx_t *ctx)
{
    ngx_int_t             rc;
    ngx_uint_t            i;
    ngx_http_ors_tool_t  *tool;

    for (i = 0; i < ctx->tools->next; i++) {
        tool = &ctx->tools->elts[i];

        if (tool->ended) {
            continue;
        }

        if (tool->mcp) {
            rc = ngx_http_ors_mcp_run(tool->mcp);

        } else {

            /* the rest of an answer that is of no use is not waited for */

            if (tool->fault) {
                ngx_http_ors_call_drop(&tool->call);
            }

            rc = tool->call.done ? NGX_OK : NGX_AGAIN;
        }

        if (rc == NGX_AGAIN) {
            continue;
        }

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }

        tool->ended = 1;
        ctx->tools->running--;

        rc = tool->mcp ? ngx_http_ors_tools_answered(ctx, tool)
                       : ngx_http_ors_tools_ended(ctx, tool);

        if (rc != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_ors_tools_answered(ngx_http_ors_ctx_t *ctx, ngx_http_ors_tool_t *tool)
{
    ngx_uint_t             failed, level;
    ngx_http_ors_mcp_t    *mcp;
    ngx_ors_mcp_dialog_t  *dialog;

    mcp = tool->mcp;
    dialog = &mcp->dialog;

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
                  ngx_current_msec - tool->started, failed ? ": " : "",
                  &dialog->error.message);

    return ngx_ors_round_answered(&ctx->turn->round, &ctx->turn->builder,
                                  tool->called, &dialog->result,
                                  &dialog->error);
}


static ngx_int_t
ngx_http_ors_tools_ended(ngx_http_ors_ctx_t *ctx, ngx_http_ors_tool_t *tool)
{
    ngx_str_t             text;
    ngx_uint_t            failed, level;
    ngx_http_ors_call_t  *call;

    call = &tool->call;

    ngx_http_ors_event_stop(&tool->timer);

    ngx_str_null(&text);

    if (tool->fault) {

        /* void */

    } else if (call->status < NGX_HTTP_OK
               || call->status >= NGX_HTTP_SPECIAL_RESPONSE)
    {
        tool->fault = "it answered with a status of failure";

    } else if (!call->complete) {
        tool->fault = "its answer was cut";

    } else {
        text.len = tool->output.len;
        text.data = ngx_pnalloc(call->request->pool, text.len);
        if (text.data == NULL) {
            return NGX_ERROR;
        }

        (void) ngx_ors_text_copy(text.data, &tool->output);

        if (ngx_ors_utf8_valid(text.data, text.len) != text.len) {
            tool->fault = "its answer is not UTF-8";
        }
    }

    failed = (tool->fault != NULL);
    level = failed ? NGX_LOG_WARN : NGX_LOG_INFO;

    ngx_log_error(level, call->request->connection->log, 0,
                  "tool \"%V\" has %s after %M ms, status %ui%s%s",
                  &tool->called->item->tool->name,
                  failed ? "failed" : "answered",
                  ngx_current_msec - tool->started, call->status,
                  failed ? ": " : "", failed ? tool->fault : "");

    ngx_http_ors_tools_count(ctx, tool, failed ? ngx_ors_callee_failed
                                               : ngx_ors_callee_completed);

    return ngx_ors_round_ended(&ctx->turn->round, &ctx->turn->builder,
                               tool->called,
                               failed ? ngx_ors_tool_failed : ngx_ors_tool_ok,
                               &text);
}


/* under a name of the configuration: the tool's, or the server's label */

static void
ngx_http_ors_tools_count(ngx_http_ors_ctx_t *ctx, ngx_http_ors_tool_t *tool,
    ngx_ors_callee_end_e end)
{
    ngx_ors_tool_t         *hosted;
    ngx_ors_callee_conf_t  *callee;

    hosted = tool->called->item->tool;

    callee = hosted->mcp
             ? ngx_http_ors_callee(ctx->conf, &hosted->mcp->use->conf->label,
                                   1)
             : ngx_http_ors_callee(ctx->conf, &hosted->name, 0);

    if (callee) {
        ngx_ors_callee_ended(callee, end, ngx_current_msec - tool->started);
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

        if (!tool->ended) {
            tool->ended = 1;
            ngx_http_ors_tools_count(ctx, tool, ngx_ors_callee_canceled);
        }
    }

    ngx_http_ors_mcp_cleanup(ctx);
}


/*
 * The subrequest of a hosted tool's call: the arguments go to a location, its
 * answer is the output.
 */


static void
ngx_http_ors_tool_timeout(ngx_event_t *ev)
{
    ngx_http_ors_tool_t  *tool;

    tool = ev->data;
    tool->fault = "it did not answer in time";

    /* it is cancelled there */

    ngx_http_ors_event_resume(tool->call.ctx);
}


static ngx_int_t
ngx_http_ors_tool_make(ngx_http_ors_call_t *call)
{
    ngx_str_t      *arguments;
    ngx_chain_t    *bufs;
    ngx_ors_out_t   out;

    arguments = &call->called->arguments;

    ngx_ors_out_init(&out, call->request->pool, NGX_HTTP_ORS_BLOCK);
    ngx_ors_out_ref(&out, arguments->data, arguments->len);

    if (ngx_ors_out_take(&out, &bufs) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_http_ors_subrequest_make(call, bufs, arguments->len);
}


static ngx_int_t
ngx_http_ors_tool_header(ngx_http_ors_call_t *call)
{
    off_t                 length;
    ngx_int_t             rc;
    ngx_http_request_t   *sr;
    ngx_http_ors_tool_t  *tool;

    sr = call->request;
    tool = (ngx_http_ors_tool_t *) call;

    if (sr->headers_out.status < NGX_HTTP_OK
        || sr->headers_out.status >= NGX_HTTP_SPECIAL_RESPONSE)
    {
        return ngx_http_ors_tool_fail(tool,
                                      "it answered with a status of failure");
    }

    /* a page for people: that of a login, or of a failure */

    if (ngx_ors_mime_is(&sr->headers_out.content_type, "text/html")) {
        return ngx_http_ors_tool_fail(tool, "its answer is HTML");
    }

    length = sr->headers_out.content_length_n;

    if (length > (off_t) tool->call.ctx->turn->limits->tool_answer) {
        return ngx_http_ors_tool_fail(tool, "its answer is too large");
    }

    rc = ngx_http_ors_pump_decode(sr, &tool->call.source, 1);

    if (rc == NGX_DECLINED) {
        return ngx_http_ors_tool_fail(tool,
                                      "its Content-Encoding is not known");
    }

    return rc;
}


/* the parent ends the subrequest, which cannot be done from inside of it */

static ngx_int_t
ngx_http_ors_tool_fail(void *data, const char *fault)
{
    ngx_http_ors_tool_t *tool = data;

    ngx_http_request_t  *sr;

    sr = tool->call.request;

    tool->fault = fault;
    tool->call.status = sr->headers_out.status;

    ngx_http_ors_post(sr->parent, &tool->call.ctx->posted);

    return NGX_OK;
}


static ngx_uint_t
ngx_http_ors_tool_over(void *data)
{
    ngx_http_ors_tool_t *tool = data;

    return tool->fault || tool->call.done;
}


static ngx_int_t
ngx_http_ors_tool_read(void *data, ngx_buf_t *b)
{
    ngx_http_ors_tool_t *tool = data;

    size_t  len;

    len = b->last - b->pos;

    if (tool->output.len + len > tool->call.ctx->turn->limits->tool_answer) {
        return ngx_http_ors_tool_fail(tool, "its answer is too large");
    }

    return ngx_ors_text_append(&tool->output, tool->call.request->pool, b->pos,
                               len);
}


/* "open_responses_tool": which functions run here, and where. */


char *
ngx_http_ors_tool_set(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_ors_loc_conf_t  *olcf = conf;

    ngx_str_t           *value;
    ngx_array_t        **tools;
    ngx_ors_tool_t       tool, *new;
    ngx_ors_hosting_t    hosting;

    tools = &olcf->hosting.tools;
    value = cf->args->elts;

    ngx_memzero(&tool, sizeof(ngx_ors_tool_t));

    tool.timeout = NGX_CONF_UNSET_MSEC;
    tool.show = NGX_CONF_UNSET_UINT;

    if (ngx_http_ors_tool_name(cf, &tool, &value[1]) != NGX_CONF_OK) {
        return NGX_CONF_ERROR;
    }

    if (*tools == NGX_CONF_UNSET_PTR) {
        *tools = ngx_array_create(cf->pool, 4, sizeof(ngx_ors_tool_t));
        olcf->policy.types = ngx_array_create(cf->pool, 4,
                                              sizeof(ngx_keyval_t));

        if (*tools == NULL || olcf->policy.types == NULL) {
            return NGX_CONF_ERROR;
        }
    }

    ngx_memzero(&hosting, sizeof(ngx_ors_hosting_t));
    hosting.tools = *tools;

    if (ngx_ors_hosting_find(&hosting, &tool.name)) {
        ngx_ors_conf_error(cf, 0,
                           "tool \"%V\" is duplicate, models know another one "
                           "as \"%V\"", &value[1], &tool.name);
        return NGX_CONF_ERROR;
    }

    if (ngx_http_ors_tool_uri(cf, &tool, &value[2]) != NGX_CONF_OK
        || ngx_ors_conf_params(cf, ngx_http_ors_tool_params, &tool, 3, "tool",
                               &tool.name)
           != NGX_CONF_OK)
    {
        return NGX_CONF_ERROR;
    }

    ngx_conf_init_msec_value(tool.timeout, NGX_HTTP_ORS_TOOL_TIMEOUT);
    ngx_conf_init_uint_value(tool.show, ngx_ors_tool_items);

    if (ngx_http_ors_tool_typed(cf, &tool, olcf->policy.types, &value[1])
        != NGX_CONF_OK)
    {
        return NGX_CONF_ERROR;
    }

    new = ngx_array_push(*tools);
    if (new == NULL) {
        return NGX_CONF_ERROR;
    }

    *new = tool;

    return NGX_CONF_OK;
}


/* a name with a slug is that of a type, which clients have to declare */

static char *
ngx_http_ors_tool_name(ngx_conf_t *cf, ngx_ors_tool_t *tool, ngx_str_t *value)
{
    u_char     *p;
    ngx_str_t   slug, *type;

    tool->name = *value;

    ngx_str_set(&slug, NGX_ORS_HOSTED_SLUG);
    slug.len--;

    p = ngx_strlchr(value->data, value->data + value->len, ':');

    if (p) {
        slug.data = value->data;
        slug.len = p - value->data;

        tool->name.data = p + 1;
        tool->name.len -= slug.len + 1;
    }

    if (!ngx_ors_line_name(&tool->name) || !ngx_ors_line_name(&slug)) {
        ngx_ors_conf_error(cf, 0,
                           "invalid tool \"%V\", it must be the name of a "
                           "function: 1 to %d letters, digits, \"_\" or "
                           "\"-\", or a type of tools, which has a slug of "
                           "the same and \":\" in front of its name",
                           value, NGX_ORS_NAME_MAX);
        return NGX_CONF_ERROR;
    }

    type = tool->types;

    if (ngx_ors_str_printf(type, cf->pool, "%V:%V", &slug, &tool->name)
        != NGX_OK)
    {
        return NGX_CONF_ERROR;
    }

    if (ngx_strncmp(type->data, NGX_ORS_HOSTED_SLUG,
                    sizeof(NGX_ORS_HOSTED_SLUG) - 1)
        == 0)
    {
        tool->types[1] = tool->name;
        tool->type = ngx_ors_hosted_type(&tool->name);
    }

    if (p && tool->type == ngx_ors_hosted_type_none) {
        tool->type = ngx_ors_hosted_type_own;
    }

    return NGX_CONF_OK;
}


/*
 * A function with a definition is a type as well.  The client of a type sees
 * its items, never the calls of the function.
 */

static char *
ngx_http_ors_tool_typed(ngx_conf_t *cf, ngx_ors_tool_t *tool,
    ngx_array_t *types, ngx_str_t *value)
{
    ngx_uint_t       i;
    ngx_keyval_t    *kv;
    ngx_ors_tool_t  *typed;

    typed = tool;

    if (tool->type == ngx_ors_hosted_type_none) {
        tool->hidden = (tool->show == ngx_ors_tool_none);

        if (tool->function.len) {
            typed = ngx_palloc(cf->pool, sizeof(ngx_ors_tool_t));
            if (typed == NULL) {
                return NGX_CONF_ERROR;
            }

            *typed = *tool;
            typed->type = ngx_ors_hosted_type_own;
            tool->typed = typed;
        }

        ngx_memzero(tool->types, sizeof(tool->types));
    }

    if (typed->type != ngx_ors_hosted_type_own
        && tool->show == ngx_ors_tool_plain)
    {
        ngx_ors_conf_error(cf, 0,
                           "invalid parameter \"show=plain\" of tool \"%V\", "
                           "only a type that \"definition=\" describes can "
                           "have it", value);
        return NGX_CONF_ERROR;
    }

    if (typed->type == ngx_ors_hosted_type_none) {
        return NGX_CONF_OK;
    }

    typed->hidden = 1;
    typed->defined = (typed->function.len != 0);

    if (typed->type == ngx_ors_hosted_type_own) {

        if (!typed->defined) {
            ngx_ors_conf_error(cf, 0,
                               "tool \"%V\" is a type and needs "
                               "\"definition=\", the function that the model "
                               "gets for it", value);
            return NGX_CONF_ERROR;
        }

    } else if (!typed->defined
               && ngx_http_ors_tool_define(cf, typed,
                                    ngx_ors_hosted_type_definition(typed->type),
                                    &typed->name)
                  != NGX_OK)
    {
        return NGX_CONF_ERROR;
    }

    /* the tables have other types without the slug */

    for (i = 0; i < 2 && typed->types[i].len; i++) {

        if (i && typed->type != ngx_ors_hosted_type_own) {
            break;
        }

        kv = ngx_array_push(types);
        if (kv == NULL) {
            return NGX_CONF_ERROR;
        }

        kv->key = typed->types[i];

        if (ngx_ors_str_printf(&kv->value, cf->pool, "%V_call", &kv->key)
            != NGX_OK)
        {
            return NGX_CONF_ERROR;
        }
    }

    return NGX_CONF_OK;
}


static char *
ngx_http_ors_tool_uri(ngx_conf_t *cf, ngx_ors_tool_t *tool,
    ngx_str_t *value)
{
    u_char  *p, *start, *last;

    last = value->data + value->len;

    if (ngx_strncmp(value->data, "mcp:", 4) == 0) {
        start = value->data + 4;
        p = ngx_strlchr(start, last, '/');

        if (tool->type == ngx_ors_hosted_type_none || p == NULL || p == start
            || p + 1 == last)
        {
            ngx_ors_conf_error(cf, 0,
                               "invalid location \"%V\" of tool \"%V\", only "
                               "hosted types, "
                               NGX_ORS_HOSTED_TYPES(ngx_http_ors_tool_type)
                               "can have a tool of an MCP server, as "
                               "\"mcp:LABEL/NAME\"", value, &tool->name);
            return NGX_CONF_ERROR;
        }

        /* all directives are merged before the server is looked up */

        tool->label.data = start;
        tool->label.len = p - start;
        tool->remote.data = p + 1;
        tool->remote.len = last - tool->remote.data;

        return NGX_CONF_OK;
    }

    if (value->len == 0 || value->data[0] != '/') {
        ngx_ors_conf_error(cf, 0,
                           "invalid location \"%V\" of tool \"%V\", it must "
                           "be the URI of a location and begin with \"/\"",
                           value, &tool->name);
        return NGX_CONF_ERROR;
    }

    tool->uri = *value;

    p = ngx_strlchr(value->data, last, '?');

    if (p) {
        tool->args.data = p + 1;
        tool->args.len = last - (p + 1);
        tool->uri.len = p - value->data;
    }

    return NGX_CONF_OK;
}


static ngx_int_t
ngx_http_ors_tool_definition(ngx_conf_t *cf, ngx_ors_conf_param_t *param,
    ngx_str_t *value, void *field)
{
    ngx_ors_tool_t *tool = field;

    ngx_fd_t   fd;
    ngx_int_t  rc;
    ngx_str_t  text;

    if (tool->function.len) {
        return NGX_BUSY;
    }

    if (value->len == 0) {
        return NGX_DECLINED;
    }

    text.len = NGX_ORS_CHAT_HOSTED_MAX + 1;
    text.data = ngx_pnalloc(cf->pool, text.len);

    if (text.data == NULL
        || ngx_conf_full_name(cf->cycle, value, 1) != NGX_OK)
    {
        return NGX_ERROR;
    }

    fd = ngx_open_file(value->data, NGX_FILE_RDONLY, NGX_FILE_OPEN, 0);

    if (fd == NGX_INVALID_FILE) {
        ngx_ors_conf_error(cf, ngx_errno,
                           ngx_open_file_n " \"%V\" failed", value);
        return NGX_ERROR;
    }

    rc = ngx_ors_conf_file(cf, value, fd, &text);

    if (rc == NGX_DECLINED) {
        ngx_ors_conf_error(cf, 0,
                           "\"%V\" is no definition of a tool, it has more "
                           "than %d bytes", value, NGX_ORS_CHAT_HOSTED_MAX);
    }

    return (rc == NGX_OK) ? ngx_http_ors_tool_define(cf, tool, &text, value)
                          : NGX_ERROR;
}


/* "name" is where the text is from */

static ngx_int_t
ngx_http_ors_tool_define(ngx_conf_t *cf, ngx_ors_tool_t *tool, ngx_str_t *text,
    ngx_str_t *name)
{
    ngx_int_t        rc;
    ngx_ors_error_t  err;

    ngx_memzero(&err, sizeof(ngx_ors_error_t));

    rc = ngx_ors_chat_hosted_define(tool, text, cf->pool, &err);

    if (rc == NGX_DECLINED) {
        ngx_ors_conf_error(cf, 0,
                           "invalid definition of tool \"%V\" in \"%V\", %V",
                           &tool->name, name, &err.message);
        return NGX_ERROR;
    }

    return rc;
}
