
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The calls of a round that run here, in the order of the calls, and the items
 * that clients see for those of hosted types and MCP servers.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_arguments.h>
#include <ngx_ors_builder_items.h>
#include <ngx_ors_item.h>
#include <ngx_ors_json_writer.h>
#include <ngx_ors_round.h>


/* 1 if a call of the model is one of a hosted type. */
#define ngx_ors_round_typed(item)                                             \
    ((item)->tool && (item)->tool->type != ngx_ors_hosted_type_none)


static ngx_uint_t ngx_ors_round_max(ngx_ors_round_t *round,
    ngx_ors_request_t *req);
static ngx_int_t ngx_ors_round_add(ngx_ors_round_t *round,
    ngx_ors_builder_t *builder, ngx_ors_item_t *item, ngx_uint_t max,
    ngx_str_t *approval);
static ngx_int_t ngx_ors_round_consent(ngx_ors_round_t *round,
    ngx_ors_builder_t *builder, ngx_ors_item_t *item);
static ngx_int_t ngx_ors_round_ready(ngx_ors_round_t *round,
    ngx_ors_builder_t *builder, ngx_ors_round_call_t *call);
static ngx_int_t ngx_ors_round_arguments(ngx_ors_builder_t *builder,
    ngx_ors_item_t *item, ngx_str_t *arguments);
static ngx_int_t ngx_ors_round_end(ngx_ors_round_t *round,
    ngx_ors_builder_t *builder, ngx_ors_round_call_t *call,
    ngx_ors_mcp_error_t *error, ngx_str_t *text);
static ngx_int_t ngx_ors_round_type_ended(ngx_ors_builder_t *builder,
    ngx_ors_round_call_t *call, ngx_str_t *text);
static ngx_int_t ngx_ors_round_output(ngx_ors_builder_t *builder,
    ngx_ors_round_call_t *call, ngx_str_t *text);
static void ngx_ors_round_put(ngx_ors_out_t *out, ngx_ors_item_t *item,
    ngx_uint_t *n);
static ngx_int_t ngx_ors_round_type_show(ngx_ors_builder_t *builder,
    ngx_ors_round_call_t *call);
static ngx_int_t ngx_ors_round_type_code(ngx_ors_builder_t *builder,
    ngx_ors_round_call_t *call, ngx_str_t *code);
static ngx_int_t ngx_ors_round_type_body(ngx_ors_builder_t *builder,
    ngx_ors_round_call_t *call);
static ngx_int_t ngx_ors_round_type_answer(ngx_ors_builder_t *builder,
    ngx_ors_round_call_t *call, ngx_str_t *text, ngx_str_t *plain);
static ngx_int_t ngx_ors_round_mcp_find(ngx_ors_hosting_t *hosting,
    ngx_ors_input_item_t *in, ngx_pool_t *pool, ngx_ors_tool_t **tool);
static ngx_ors_item_t *ngx_ors_round_mcp_item(ngx_ors_builder_t *builder,
    ngx_ors_item_type_e type, ngx_ors_item_t *from);


/* the text for the model; nothing of it is of the tool's making */

static ngx_str_t  ngx_ors_round_texts[] = {
    ngx_null_string,
    ngx_null_string,
    ngx_string("The tool failed."),
    ngx_string("The tool was not called: the limit of tool calls is reached."),
    ngx_string("The tool was not called: its arguments are not the "
               "JSON object that it needs.")
};


ngx_int_t
ngx_ors_round_sort(ngx_ors_round_t *round, ngx_ors_builder_t *builder)
{
    ngx_uint_t       n, max;
    ngx_ors_item_t  *item;

    round->nelts = 0;
    round->left = 0;
    round->client = 0;

    n = 0;
    max = ngx_ors_round_max(round, builder->resp->request);

    round->calls = ngx_pcalloc(builder->pool, builder->ncalls
                                              * sizeof(ngx_ors_round_call_t));
    if (round->calls == NULL) {
        return NGX_ERROR;
    }

    for (item = ngx_ors_builder_first(builder); item; item = item->next) {

        if (item->dropped || !ngx_ors_item_is_call(item)) {
            continue;
        }

        if (item->tool || item->fault.len) {
            n++;

            if (ngx_ors_round_add(round, builder, item, max, NULL) != NGX_OK) {
                return NGX_ERROR;
            }

        } else if (item->name.len) {
            round->client = 1;
        }
    }

    if (n == 0) {
        return NGX_DECLINED;
    }

    /* after calls of MCP servers and hosted types there are their items now */

    builder->sorted = 1;

    return ngx_ors_builder_advance(builder, 1);
}


/* a request can only lower the limit of calls */

static ngx_uint_t
ngx_ors_round_max(ngx_ors_round_t *round, ngx_ors_request_t *req)
{
    int64_t               n;
    ngx_ors_json_node_t  *node;

    if (round->hosting == NULL
        || round->n >= round->hosting->max_rounds + round->conform.repeats)
    {
        return 0;
    }

    node = req->field[ngx_ors_rq_max_tool_calls];

    if (node && ngx_ors_json_integer(&req->json, node, &n) == NGX_OK
        && n >= 0 && n < (int64_t) round->hosting->max_calls)
    {
        return n;
    }

    return round->hosting->max_calls;
}


ngx_int_t
ngx_ors_round_approved(ngx_ors_round_t *round, ngx_ors_builder_t *builder,
    ngx_ors_approvals_t *approvals)
{
    ngx_uint_t           i, max;
    ngx_ors_item_t      *item;
    ngx_ors_request_t   *req;
    ngx_ors_approval_t  *approval;

    req = builder->resp->request;
    max = ngx_ors_round_max(round, req);

    round->calls = ngx_pcalloc(builder->pool, approvals->napproved
                                              * sizeof(ngx_ors_round_call_t));
    if (round->calls == NULL) {
        return NGX_ERROR;
    }

    for (i = 0; i < approvals->n; i++) {
        approval = &approvals->elts[i];

        if (approval->state != ngx_ors_approval_approved) {
            continue;
        }

        if (ngx_ors_round_mcp_approved(round, builder, approval, &item)
            != NGX_OK
            || ngx_ors_round_add(round, builder, item, max, &approval->id)
               != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    builder->sorted = 1;

    return ngx_ors_builder_advance(builder, 1);
}


/* "approval" is the id of the request for it, or NULL */

static ngx_int_t
ngx_ors_round_add(ngx_ors_round_t *round, ngx_ors_builder_t *builder,
    ngx_ors_item_t *item, ngx_uint_t max, ngx_str_t *approval)
{
    ngx_int_t              rc;
    ngx_uint_t             mcp;
    ngx_ors_round_call_t  *call;

    mcp = (item->tool && item->tool->mcp);

    if (item->hidden_call && item->fault.len == 0
        && ngx_ors_builder_conceal(builder, item) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (mcp && approval == NULL && item->fault.len == 0) {
        rc = ngx_ors_round_consent(round, builder, item);

        if (rc != NGX_DECLINED) {
            return rc;
        }
    }

    call = &round->calls[round->nelts++];
    call->item = item;

    round->left++;

    if (mcp && ngx_ors_round_mcp_show(builder, call, approval) != NGX_OK) {
        return NGX_ERROR;
    }

    if (ngx_ors_round_typed(item)
        && (ngx_ors_round_arguments(builder, item, &call->arguments)
            == NGX_ERROR
            || ngx_ors_round_type_show(builder, call) != NGX_OK))
    {
        return NGX_ERROR;
    }

    if (item->fault.len) {
        return ngx_ors_round_ended(round, builder, call, ngx_ors_tool_schema,
                                   &item->fault);
    }

    if (round->ncalls >= max) {
        round->limited = 1;
        return ngx_ors_round_ended(round, builder, call, ngx_ors_tool_limit,
                                   NULL);
    }

    round->ncalls++;

    return ngx_ors_round_ready(round, builder, call);
}


/* NGX_DECLINED: the call needs no approval, or cannot be made at all */

static ngx_int_t
ngx_ors_round_consent(ngx_ors_round_t *round, ngx_ors_builder_t *builder,
    ngx_ors_item_t *item)
{
    ngx_int_t  rc;
    ngx_str_t  arguments;

    rc = ngx_ors_round_arguments(builder, item, &arguments);

    if (rc != NGX_OK) {
        return rc;
    }

    if (!ngx_ors_mcp_function_asks(item->tool->mcp)) {
        return NGX_DECLINED;
    }

    /* the client is not asked about a call that would not be made */

    rc = ngx_ors_round_check_call(round, builder, item, &arguments);

    if (rc != NGX_OK) {
        return rc;
    }

    round->client = 1;

    return ngx_ors_round_mcp_ask(builder, item);
}


/* a call that may run: looks at what it would run with */

static ngx_int_t
ngx_ors_round_ready(ngx_ors_round_t *round, ngx_ors_builder_t *builder,
    ngx_ors_round_call_t *call)
{
    ngx_int_t        rc;
    ngx_ors_item_t  *item, *shown;

    item = call->item;

    rc = ngx_ors_round_arguments(builder, item, &call->arguments);

    shown = call->shown;

    /*
     * the arguments lack the query or the code, which a definition of the
     * operator's may not have
     */

    if (rc == NGX_OK && ngx_ors_round_typed(item) && !item->tool->defined
        && shown->hosted->value.len == 0 && shown->arguments.len == 0)
    {
        rc = NGX_DECLINED;
    }

    if (rc == NGX_DECLINED) {
        return ngx_ors_round_ended(round, builder, call,
                                   ngx_ors_tool_arguments, NULL);
    }

    if (rc == NGX_OK) {
        rc = ngx_ors_round_check_call(round, builder, item, &call->arguments);
    }

    if (rc == NGX_DECLINED) {
        return ngx_ors_round_ended(round, builder, call, ngx_ors_tool_schema,
                                   &item->fault);
    }

    if (rc == NGX_OK && ngx_ors_round_typed(item)
        && item->tool->label.len == 0)
    {
        return ngx_ors_round_type_body(builder, call);
    }

    return rc;
}


/* NGX_DECLINED: they are no object */

static ngx_int_t
ngx_ors_round_arguments(ngx_ors_builder_t *builder, ngx_ors_item_t *item,
    ngx_str_t *arguments)
{
    u_char  *p, *last;

    if (ngx_ors_arguments_value(&item->arguments, builder->limits,
                                builder->pool, arguments)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    last = arguments->data + arguments->len;

    for (p = arguments->data; p < last && (*p == ' ' || *p == '\t'); p++) {
        /* void */
    }

    return (p < last && *p == '{') ? NGX_OK : NGX_DECLINED;
}


ngx_int_t
ngx_ors_round_ended(ngx_ors_round_t *round, ngx_ors_builder_t *builder,
    ngx_ors_round_call_t *call, ngx_ors_tool_outcome_e outcome,
    ngx_str_t *text)
{
    ngx_ors_mcp_error_t  error;

    if (outcome != ngx_ors_tool_ok && outcome != ngx_ors_tool_schema) {
        text = &ngx_ors_round_texts[outcome];
    }

    /* a call to an MCP server that was not made */

    error.type = ngx_ors_mcp_error_protocol;
    error.code = NGX_ORS_MCP_INVALID_REQUEST;

    call->outcome = outcome;

    return ngx_ors_round_end(round, builder, call, &error, text);
}


ngx_int_t
ngx_ors_round_answered(ngx_ors_round_t *round, ngx_ors_builder_t *builder,
    ngx_ors_round_call_t *call, ngx_ors_mcp_result_t *result,
    ngx_ors_mcp_error_t *error)
{
    ngx_str_t  *text;

    call->outcome = (error->type == ngx_ors_mcp_error_none)
                    ? ngx_ors_tool_ok : ngx_ors_tool_failed;

    text = &ngx_ors_round_texts[ngx_ors_tool_failed];

    if (error->type == ngx_ors_mcp_error_none
        || error->type == ngx_ors_mcp_error_execution)
    {
        text = &result->text;
    }

    return ngx_ors_round_end(round, builder, call, error, text);
}


static ngx_int_t
ngx_ors_round_end(ngx_ors_round_t *round, ngx_ors_builder_t *builder,
    ngx_ors_round_call_t *call, ngx_ors_mcp_error_t *error, ngx_str_t *text)
{
    round->left--;

    ngx_log_debug4(NGX_LOG_DEBUG_HTTP, builder->log, 0,
                   "ors tool: ended, outcome %ui, error %ui, %uz bytes, "
                   "%ui left", (ngx_uint_t) call->outcome,
                   (ngx_uint_t) error->type, text->len, round->left);

    if (ngx_ors_round_typed(call->item)) {
        return ngx_ors_round_type_ended(builder, call, text);
    }

    if (ngx_ors_round_output(builder, call, text) != NGX_OK) {
        return NGX_ERROR;
    }

    return call->shown ? ngx_ors_round_mcp_answer(builder, call, error, text)
                       : NGX_OK;
}


/* "text" is what the tool has answered, or what the model reads instead */

static ngx_int_t
ngx_ors_round_type_ended(ngx_ors_builder_t *builder,
    ngx_ors_round_call_t *call, ngx_str_t *text)
{
    ngx_int_t  rc;
    ngx_str_t  plain;

    if (call->outcome == ngx_ors_tool_ok) {
        rc = ngx_ors_round_type_answer(builder, call, text, &plain);

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }

        if (rc == NGX_DECLINED) {
            ngx_log_error(NGX_LOG_WARN, builder->log, 0,
                          "tool \"%V\" has failed: its answer has a list "
                          "with elements that are not valid",
                          &call->item->tool->name);

            call->outcome = ngx_ors_tool_failed;
            plain = ngx_ors_round_texts[ngx_ors_tool_failed];
        }

        text = &plain;
    }

    if (call->outcome != ngx_ors_tool_ok) {
        call->shown->hosted->ended = ngx_ors_item_failed;
    }

    if (ngx_ors_round_output(builder, call, text) != NGX_OK) {
        return NGX_ERROR;
    }

    call->shown->output = call->output->output;

    return ngx_ors_builder_advance(builder, 1);
}


/* an item that is in no list yet: those of earlier calls precede it */

static ngx_int_t
ngx_ors_round_output(ngx_ors_builder_t *builder, ngx_ors_round_call_t *call,
    ngx_str_t *text)
{
    ngx_str_t        escaped;
    ngx_ors_item_t  *item;

    item = ngx_pcalloc(builder->pool, sizeof(ngx_ors_item_t));
    if (item == NULL) {
        return NGX_ERROR;
    }

    item->type = ngx_ors_item_call_output;
    item->status = ngx_ors_item_completed;
    item->call_id = call->item->call_id;

    call->output = item;

    if (ngx_ors_json_escaped(text, builder->pool, &escaped) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_ors_text_append(&item->output, builder->pool, escaped.data,
                               escaped.len);
}


ngx_int_t
ngx_ors_round_show(ngx_ors_round_t *round, ngx_ors_builder_t *builder,
    ngx_ors_error_t *err)
{
    ngx_uint_t             i;
    ngx_ors_item_t        *item;
    ngx_ors_round_call_t  *call;

    for (i = 0; i < round->nelts; i++) {
        call = &round->calls[i];

        if (ngx_ors_builder_grow(builder, call->output->output.len, err)
            != NGX_OK)
        {
            return NGX_DECLINED;
        }

        if (call->item->hidden_call) {

            if (ngx_ors_id_make(&builder->ids, builder->pool, "fco",
                                &call->output->id)
                != NGX_OK)
            {
                return NGX_ERROR;
            }

            continue;
        }

        item = ngx_ors_builder_item(builder, ngx_ors_item_call_output);
        if (item == NULL) {
            return NGX_ERROR;
        }

        item->call_id = call->output->call_id;
        item->output = call->output->output;

        call->output = item;
    }

    return ngx_ors_builder_advance(builder, 1);
}


ngx_uint_t
ngx_ors_round_items(ngx_ors_round_t *round, ngx_ors_builder_t *builder,
    ngx_ors_out_t *out)
{
    ngx_uint_t       i, n;
    ngx_ors_item_t  *item, *first;

    n = 0;
    first = ngx_ors_builder_first(builder);

    for (item = first; item; item = item->next) {

        if (!ngx_ors_item_is_call(item)
            && (item->hosted == NULL
                || item->type == ngx_ors_item_list_tools
                || item->type == ngx_ors_item_approval)
            && item->type != ngx_ors_item_call_output)
        {
            ngx_ors_round_put(out, item, &n);
        }
    }

    /* an output comes directly after the calls, as model servers require */

    for (item = first; item; item = item->next) {

        if (ngx_ors_item_is_call(item)) {
            ngx_ors_round_put(out, item, &n);
        }
    }

    for (i = 0; i < round->nelts; i++) {
        ngx_ors_round_put(out, round->calls[i].output, &n);
    }

    if (round->again.len) {

        if (n++) {
            ngx_ors_out_lit(out, ",");
        }

        ngx_ors_out_lit(out, "{\"type\":\"message\",\"role\":\"user\","
                             "\"content\":");
        ngx_ors_json_quote(out, round->again.data, round->again.len);
        ngx_ors_out_lit(out, "}");
    }

    return n;
}


static void
ngx_ors_round_put(ngx_ors_out_t *out, ngx_ors_item_t *item, ngx_uint_t *n)
{
    if (item->dropped || item->status == ngx_ors_item_in_progress) {
        return;
    }

    if ((*n)++) {
        ngx_ors_out_lit(out, ",");
    }

    /* no client sees this list: the state is an object in it */

    if (item->state) {
        ngx_ors_out_lit(out, "{\"type\":\"reasoning\",\"encrypted_content\":");
        ngx_ors_text_put(out, &item->hidden);
        ngx_ors_out_lit(out, "}");
        return;
    }

    ngx_ors_item_render(out, item, 0);
}


void
ngx_ors_round_next(ngx_ors_round_t *round, ngx_ors_builder_t *builder)
{
    round->n++;
    round->last = round->limited;
    round->nelts = 0;
    round->repeat = 0;
    round->conform.steps = 0;
    ngx_str_null(&round->again);

    ngx_ors_builder_next(builder);
}


/*
 * Calls of hosted types in a round: the items that the client sees in place of
 * the model's calls.
 */


/*
 * Makes call->shown, in progress, of call->item and its arguments.  NGX_OK or
 * NGX_ERROR: no memory.
 */

static ngx_int_t
ngx_ors_round_type_show(ngx_ors_builder_t *builder, ngx_ors_round_call_t *call)
{
    ngx_str_t               value;
    ngx_ors_item_t         *item;
    ngx_ors_tool_t         *tool;
    ngx_ors_hosted_call_t   hosted;

    tool = call->item->tool;

    hosted.type = call->item->tool->type;
    hosted.limits = builder->limits;
    hosted.pool = builder->pool;

    item = ngx_ors_builder_insert(builder, ngx_ors_hosted_type_item(tool->type),
                                  call->item);

    if (item == NULL
        || ngx_ors_hosted_create(item, builder->resp->request, tool) != NGX_OK
        || ngx_ors_hosted_call_value(&hosted, &call->arguments, &value)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    call->shown = item;

    if (tool->type == ngx_ors_hosted_type_own) {
        item->arguments = call->item->arguments;

        return ngx_ors_str_printf(&item->name, builder->pool, "%V_call",
                                  &tool->name);
    }

    if (tool->type == ngx_ors_hosted_type_interpreter) {
        return ngx_ors_round_type_code(builder, call, &value);
    }

    item->hosted->value = value;

    return NGX_OK;
}


/*
 * shows the code, and the container: the one that the client has named, else a
 * new one
 */

static ngx_int_t
ngx_ors_round_type_code(ngx_ors_builder_t *builder, ngx_ors_round_call_t *call,
    ngx_str_t *code)
{
    ngx_str_t            *container;
    ngx_ors_item_t       *item;
    ngx_ors_request_t    *req;
    ngx_ors_json_node_t  *node;

    item = call->shown;
    req = builder->resp->request;
    container = &item->hosted->container;

    if (code->len
        && ngx_ors_text_append(&item->arguments, builder->pool, code->data,
                               code->len)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    node = ngx_ors_hosted_type_asked(req, call->item->tool);
    node = ngx_ors_json_find(&req->json, node, "container");

    ngx_ors_json_inner(&req->json, node, container);

    return container->len ? NGX_OK
                          : ngx_ors_id_make(&builder->ids, builder->pool,
                                            "cntr", container);
}


/*
 * Makes call->arguments what the tool's location gets.  NGX_OK or NGX_ERROR:
 * no memory.
 */

static ngx_int_t
ngx_ors_round_type_body(ngx_ors_builder_t *builder, ngx_ors_round_call_t *call)
{
    ngx_str_t               tool, arguments;
    ngx_ors_request_t      *req;
    ngx_ors_json_node_t    *node;
    ngx_ors_hosted_call_t   hosted;

    req = builder->resp->request;
    arguments = call->arguments;

    hosted.type = call->item->tool->type;
    hosted.limits = builder->limits;
    hosted.pool = builder->pool;

    node = ngx_ors_hosted_type_asked(req, call->item->tool);

    ngx_str_set(&tool, "null");

    if (node) {
        ngx_ors_json_raw(&req->json, node, &tool);
    }

    return ngx_ors_hosted_call_body(&hosted, &arguments, &tool,
                                    &call->arguments);
}


/*
 * The tool has answered with "text": gives the item what the client may see of
 * it, and sets "plain" to what the model reads.
 *
 * NGX_OK         done, call->shown is completed
 * NGX_DECLINED   the answer has a list that clients could not read
 * NGX_ERROR      no memory
 */

static ngx_int_t
ngx_ors_round_type_answer(ngx_ors_builder_t *builder,
    ngx_ors_round_call_t *call, ngx_str_t *text, ngx_str_t *plain)
{
    ngx_int_t                 rc;
    ngx_ors_hosted_t         *shown;
    ngx_ors_hosted_call_t     hosted;
    ngx_ors_hosted_result_t   result;

    hosted.type = call->item->tool->type;
    hosted.limits = builder->limits;
    hosted.pool = builder->pool;

    rc = ngx_ors_hosted_call_result(&hosted, text, &result);

    if (rc != NGX_OK) {
        return rc;
    }

    shown = call->shown->hosted;

    shown->ended = ngx_ors_item_completed;
    shown->results = result.results;

    builder->size += result.results.len;

    *plain = result.text;

    if (hosted.type != ngx_ors_hosted_type_web_search || result.list.len == 0) {
        return NGX_OK;
    }

    /* texts of the model may cite them from now on */

    return ngx_ors_sources_add(&builder->sources, builder->limits,
                               builder->pool, &result.list);
}


/* Calls of MCP servers: the items that the client sees in their place. */


ngx_int_t
ngx_ors_round_mcp_check(ngx_ors_round_t *round, ngx_ors_request_t *req,
    ngx_ors_approvals_t *approvals, ngx_ors_error_t *err)
{
    ngx_uint_t           i;
    ngx_ors_tool_t      *tool;
    ngx_ors_approval_t  *approval;

    for (i = 0; i < approvals->n; i++) {
        approval = &approvals->elts[i];

        if (approval->state != ngx_ors_approval_approved) {
            continue;
        }

        if (ngx_ors_round_mcp_find(round->hosting,
                                   &req->input.items[approval->item],
                                   req->pool, &tool)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        if (tool == NULL) {
            (void) ngx_ors_error_set(err, req->pool,
                                     ngx_ors_code_tool_not_found,
                                     "\"input\" approves of a call of an MCP "
                                     "server's tool that is not there");
            ngx_str_set(&err->param, "input");

            return NGX_DECLINED;
        }
    }

    return NGX_OK;
}


ngx_int_t
ngx_ors_round_mcp_approved(ngx_ors_round_t *round, ngx_ors_builder_t *builder,
    ngx_ors_approval_t *approval, ngx_ors_item_t **item)
{
    ngx_str_t              text;
    ngx_ors_tool_t        *tool;
    ngx_ors_item_t        *call;
    ngx_ors_input_item_t  *in;

    in = &builder->resp->request->input.items[approval->item];

    if (ngx_ors_round_mcp_find(round->hosting, in, builder->pool, &tool)
        != NGX_OK
        || tool == NULL)
    {
        return NGX_ERROR;
    }

    call = ngx_ors_builder_item(builder, ngx_ors_item_function_call);
    if (call == NULL) {
        return NGX_ERROR;
    }

    ngx_ors_json_inner(in->json, ngx_ors_input_node(in, in->arguments), &text);

    call->name = tool->name;
    call->tool = tool;
    call->hidden_call = 1;
    call->whole = 1;

    *item = call;

    return ngx_ors_text_append(&call->arguments, builder->pool, text.data,
                               text.len);
}


/* the tool that the request names, if it may be called now, or NULL */

static ngx_int_t
ngx_ors_round_mcp_find(ngx_ors_hosting_t *hosting, ngx_ors_input_item_t *in,
    ngx_pool_t *pool, ngx_ors_tool_t **tool)
{
    ngx_str_t             label, name;
    ngx_ors_json_node_t  *node;

    node = ngx_ors_input_get(in, "server_label");

    if (ngx_ors_json_decoded(in->json, node, pool, &label) != NGX_OK
        || ngx_ors_json_decoded(in->json, ngx_ors_input_node(in, in->name),
                                pool, &name)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_ors_mcp_function_find(hosting, &label, &name, pool, tool);
}


ngx_int_t
ngx_ors_round_mcp_show(ngx_ors_builder_t *builder, ngx_ors_round_call_t *call,
    ngx_str_t *approval)
{
    ngx_ors_item_t  *item;

    item = ngx_ors_round_mcp_item(builder, ngx_ors_item_mcp_call, call->item);
    if (item == NULL) {
        return NGX_ERROR;
    }

    call->shown = item;

    return approval ? ngx_ors_json_escaped(approval, builder->pool,
                                           &item->hosted->approval)
                    : NGX_OK;
}


ngx_int_t
ngx_ors_round_mcp_ask(ngx_ors_builder_t *builder, ngx_ors_item_t *item)
{
    ngx_ors_item_t  *asked;

    asked = ngx_ors_round_mcp_item(builder, ngx_ors_item_approval, item);
    if (asked == NULL) {
        return NGX_ERROR;
    }

    asked->hosted->ended = ngx_ors_item_completed;

    return NGX_OK;
}


/* NULL: no memory */

static ngx_ors_item_t *
ngx_ors_round_mcp_item(ngx_ors_builder_t *builder, ngx_ors_item_type_e type,
    ngx_ors_item_t *from)
{
    ngx_ors_item_t          *item;
    ngx_ors_mcp_function_t  *function;

    function = from->tool->mcp;

    item = ngx_ors_builder_insert(builder, type, from);

    if (item == NULL
        || ngx_ors_hosted_create(item, builder->resp->request, NULL) != NGX_OK)
    {
        return NULL;
    }

    item->name = function->name;
    item->arguments = from->arguments;
    item->hosted->label = function->use->conf->label;

    return item;
}


ngx_int_t
ngx_ors_round_mcp_answer(ngx_ors_builder_t *builder,
    ngx_ors_round_call_t *call, ngx_ors_mcp_error_t *error, ngx_str_t *text)
{
    ngx_str_t                escaped;
    ngx_ors_item_t          *item;
    ngx_ors_hosted_error_e   type;

    item = call->shown;

    if (error->type == ngx_ors_mcp_error_none) {
        item->hosted->ended = ngx_ors_item_completed;
        item->hosted->answered = 1;
        item->output = call->output->output;

        return ngx_ors_builder_advance(builder, 1);
    }

    item->hosted->ended = ngx_ors_item_failed;

    type = (error->type == ngx_ors_mcp_error_execution)
           ? ngx_ors_hosted_tool_error
           : (error->type == ngx_ors_mcp_error_http)
             ? ngx_ors_hosted_http_error : ngx_ors_hosted_protocol_error;

    if (ngx_ors_json_escaped(text, builder->pool, &escaped) != NGX_OK
        || ngx_ors_hosted_error(item->hosted, builder->pool, type,
                                (ngx_int_t) error->code, &escaped)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_ors_builder_advance(builder, 1);
}
