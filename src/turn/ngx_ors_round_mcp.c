
/*
 * Copyright (C) Open Responses contributors
 */


/* Items of calls to MCP servers, and what becomes of them. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_builder_items.h>
#include <ngx_ors_item.h>
#include <ngx_ors_json_writer.h>
#include <ngx_ors_round_mcp.h>


static ngx_int_t ngx_ors_round_mcp_find(ngx_ors_hosting_t *hosting,
    ngx_ors_input_item_t *in, ngx_pool_t *pool, ngx_ors_tool_t **tool);
static ngx_ors_item_t *ngx_ors_round_mcp_item(ngx_ors_builder_t *builder,
    ngx_ors_item_type_e type, ngx_ors_item_t *from);


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
        || ngx_ors_hosted_create(item, builder->resp->request, 1) != NGX_OK)
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
