
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Pieces of tool calls assigned to their items, in any order a server sends
 * them.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_builder_calls.h>
#include <ngx_ors_builder_items.h>
#include <ngx_ors_chat_tools.h>
#include <ngx_ors_event.h>


/* pieces are a few letters long */
#define NGX_ORS_BUILDER_PIECE  256


static void ngx_ors_builder_call_schema(ngx_ors_item_t *item,
    ngx_ors_chat_tool_t *tool);
static ngx_int_t ngx_ors_builder_call_custom(ngx_ors_builder_t *builder,
    ngx_ors_builder_call_t *call);
static ngx_int_t ngx_ors_builder_call_input(ngx_ors_builder_t *builder,
    ngx_ors_builder_call_t *call, ngx_str_t *piece);
static ngx_int_t ngx_ors_builder_call_put(ngx_ors_builder_t *builder,
    ngx_ors_item_t *item, ngx_str_t *piece);
static ngx_uint_t ngx_ors_builder_said(ngx_ors_builder_t *builder);
static ngx_int_t ngx_ors_builder_disobeyed(ngx_ors_builder_t *builder,
    ngx_ors_error_t *err, const char *what);


ngx_int_t
ngx_ors_builder_call_named(ngx_ors_builder_t *builder,
    ngx_ors_builder_call_t *call, ngx_str_t *name)
{
    const char           *reason;
    ngx_ors_item_t       *item;
    ngx_ors_chat_tool_t  *tool;

    item = call->item;

    if (ngx_ors_str_copy(&call->name, builder->pool, name) != NGX_OK) {
        return NGX_ERROR;
    }

    item->name = call->name;

    tool = builder->tools ? ngx_ors_chat_tools_sent(builder->tools, name)
                         : NULL;

    reason = ngx_ors_choice_refuses(&builder->choice, tool, &call->name);

    if (reason) {
        ngx_log_error(NGX_LOG_WARN, builder->log, 0,
                      "model called a tool %s, the call is left out",
                      reason);

        item->dropped = 1;
        return NGX_OK;
    }

    item->held = builder->hold && (tool == NULL || tool->hosted == NULL);

    if (tool == NULL) {
        return NGX_OK;
    }

    if (builder->check) {
        ngx_ors_builder_call_schema(item, tool);
    }

    item->name = tool->name;
    item->space = tool->space;
    item->tool = tool->hosted;

    if (tool->hosted && tool->hosted->hidden) {
        item->hidden_call = 1;
    }

    switch (tool->kind) {

    case ngx_ors_chat_tool_function:
    case ngx_ors_chat_tool_other: /* has no name to be called by */
        break;

    case ngx_ors_chat_tool_custom:
        return ngx_ors_builder_call_custom(builder, call);

    case ngx_ors_chat_tool_search:
        item->type = ngx_ors_item_search_call;
        item->wrapped = 1;
        break;
    }

    return NGX_OK;
}


static void
ngx_ors_builder_call_schema(ngx_ors_item_t *item, ngx_ors_chat_tool_t *tool)
{
    ngx_ors_json_node_t  *node;

    if (tool->kind != ngx_ors_chat_tool_function) {
        return;
    }

    if (tool->node == NULL) {

        if (tool->hosted) {
            item->schema = tool->hosted->parameters;
        }

        return;
    }

    node = ngx_ors_json_find(tool->json, tool->node, "parameters");

    if (node && node->type == ngx_ors_json_object) {
        ngx_ors_json_raw(tool->json, node, &item->schema);
    }
}


/* some of the arguments may have come earlier than the name (E43) */

static ngx_int_t
ngx_ors_builder_call_custom(ngx_ors_builder_t *builder,
    ngx_ors_builder_call_t *call)
{
    ngx_str_t        piece;
    ngx_ors_item_t  *item;

    item = call->item;

    item->type = ngx_ors_item_custom_call;
    item->wrapped = 1;

    piece.len = item->arguments.len;

    if (piece.len == 0) {
        return NGX_OK;
    }

    piece.data = ngx_pnalloc(builder->pool, piece.len);
    if (piece.data == NULL) {
        return NGX_ERROR;
    }

    (void) ngx_ors_text_copy(piece.data, &item->arguments);
    ngx_memzero(&item->arguments, sizeof(ngx_ors_text_t));

    return ngx_ors_builder_call_input(builder, call, &piece);
}


ngx_int_t
ngx_ors_builder_call_more(ngx_ors_builder_t *builder,
    ngx_ors_builder_call_t *call, ngx_str_t *piece)
{
    ngx_ors_item_t  *item;

    item = call->item;

    ngx_ors_arguments_scan(&call->arguments, piece->data, piece->len);

    item->whole = call->arguments.whole;

    if (item->type == ngx_ors_item_custom_call
        && call->custom.state != ngx_ors_custom_input_st_raw)
    {
        return ngx_ors_builder_call_input(builder, call, piece);
    }

    return ngx_ors_builder_call_put(builder, item, piece);
}


/* until the input has begun it may be that there is none but all of this */

static ngx_int_t
ngx_ors_builder_call_input(ngx_ors_builder_t *builder,
    ngx_ors_builder_call_t *call, ngx_str_t *piece)
{
    u_char                   buf[NGX_ORS_BUILDER_PIECE];
    ngx_str_t                text;
    ngx_ors_item_t          *item;
    ngx_ors_custom_input_t  *u;

    item = call->item;
    u = &call->custom;

    text.data = buf;

    if (piece->len + NGX_ORS_CUSTOM_INPUT_ROOM > sizeof(buf)) {
        text.data = ngx_pnalloc(builder->pool,
                                piece->len + NGX_ORS_CUSTOM_INPUT_ROOM);
        if (text.data == NULL) {
            return NGX_ERROR;
        }
    }

    text.len = ngx_ors_custom_input(u, piece->data, piece->len, text.data)
               - text.data;

    if (!ngx_ors_custom_input_found(u)) {

        if (ngx_ors_builder_call_put(builder, item, piece) != NGX_OK) {
            return NGX_ERROR;
        }

        if (u->state == ngx_ors_custom_input_st_raw) {
            item->wrapped = 0;

            if (builder->stream && item->announced) {
                ngx_ors_event_arguments_delta(builder->out, builder->resp,
                                              item, NULL);
            }
        }

        return NGX_OK;
    }

    if (item->wrapped) {
        item->wrapped = 0;
        ngx_memzero(&item->arguments, sizeof(ngx_ors_text_t));
    }

    return text.len ? ngx_ors_builder_call_put(builder, item, &text) : NGX_OK;
}


static ngx_int_t
ngx_ors_builder_call_put(ngx_ors_builder_t *builder, ngx_ors_item_t *item,
    ngx_str_t *piece)
{
    if (ngx_ors_text_append(&item->arguments, builder->pool, piece->data,
                            piece->len)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (builder->stream && item->announced && !item->wrapped) {
        ngx_ors_event_arguments_delta(builder->out, builder->resp, item, piece);
    }

    return NGX_OK;
}


ngx_int_t
ngx_ors_builder_calls_end(ngx_ors_builder_t *builder, ngx_ors_error_t *err)
{
    ngx_ors_choice_t  *choice;

    choice = &builder->choice;

    if (choice->refused && !ngx_ors_builder_said(builder)) {

        /* many servers ignore "none", and what tools have done is done */

        if (choice->last) {
            builder->resp->status = ngx_ors_response_incomplete;
            ngx_str_set(&builder->resp->reason, "max_tool_calls");
            return NGX_OK;
        }

        return ngx_ors_builder_disobeyed(builder, err,
                                         "called a tool that it may not call");
    }

    if (!choice->needed || choice->met) {
        return NGX_OK;
    }

    if (choice->known) {
        return ngx_ors_builder_disobeyed(builder, err,
                                         "did not call the tool that it must "
                                         "call");
    }

    ngx_log_error(NGX_LOG_WARN, builder->log, 0,
                  "model did not call the tool that it must call");

    return NGX_OK;
}


/* 1 if there is anything for the client but thoughts */

static ngx_uint_t
ngx_ors_builder_said(ngx_ors_builder_t *builder)
{
    ngx_ors_item_t  *item;

    for (item = ngx_ors_builder_first(builder); item; item = item->next) {

        if (!item->dropped && item->type != ngx_ors_item_reasoning
            && (item->name.len || !ngx_ors_item_is_call(item)))
        {
            return 1;
        }
    }

    return 0;
}


static ngx_int_t
ngx_ors_builder_disobeyed(ngx_ors_builder_t *builder, ngx_ors_error_t *err,
    const char *what)
{
    ngx_log_error(NGX_LOG_ERR, builder->log, 0, "model %s", what);

    (void) ngx_ors_error_set(err, builder->pool, ngx_ors_code_model_error,
                             "the model %s", what);

    ngx_str_set(&err->type, "model_error");

    return NGX_DECLINED;
}
