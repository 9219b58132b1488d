
/*
 * Copyright (C) Open Responses contributors
 */


/* Items of calls of hosted types, and what becomes of them. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_builder_items.h>
#include <ngx_ors_item.h>
#include <ngx_ors_round_type.h>


static void ngx_ors_round_type_init(ngx_ors_hosted_call_t *hosted,
    ngx_ors_builder_t *builder, ngx_ors_round_call_t *call);
static ngx_int_t ngx_ors_round_type_code(ngx_ors_builder_t *builder,
    ngx_ors_item_t *item, ngx_str_t *code);


ngx_int_t
ngx_ors_round_type_show(ngx_ors_builder_t *builder, ngx_ors_round_call_t *call)
{
    ngx_str_t               value;
    ngx_ors_item_t         *item;
    ngx_ors_tool_t         *tool;
    ngx_ors_hosted_call_t   hosted;

    tool = call->item->tool;

    ngx_ors_round_type_init(&hosted, builder, call);

    item = ngx_ors_builder_insert(builder, ngx_ors_hosted_type_item(tool->type),
                                  call->item);

    if (item == NULL
        || ngx_ors_hosted_create(item, builder->resp->request, !tool->silent)
           != NGX_OK
        || ngx_ors_hosted_call_value(&hosted, &call->arguments, &value)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    call->shown = item;

    if (tool->type == ngx_ors_hosted_type_interpreter) {
        return ngx_ors_round_type_code(builder, item, &value);
    }

    item->hosted->value = value;

    return NGX_OK;
}


static void
ngx_ors_round_type_init(ngx_ors_hosted_call_t *hosted,
    ngx_ors_builder_t *builder, ngx_ors_round_call_t *call)
{
    hosted->type = call->item->tool->type;
    hosted->limits = builder->limits;
    hosted->pool = builder->pool;
}


/*
 * shows the code, and the container: the one that the client has named, else a
 * new one
 */

static ngx_int_t
ngx_ors_round_type_code(ngx_ors_builder_t *builder, ngx_ors_item_t *item,
    ngx_str_t *code)
{
    ngx_str_t            *container;
    ngx_ors_request_t    *req;
    ngx_ors_json_node_t  *node;

    req = builder->resp->request;
    container = &item->hosted->container;

    if (code->len
        && ngx_ors_text_append(&item->arguments, builder->pool, code->data,
                               code->len)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    node = ngx_ors_hosted_type_asked(req, ngx_ors_hosted_type_interpreter);
    node = ngx_ors_json_find(&req->json, node, "container");

    ngx_ors_json_inner(&req->json, node, container);

    return container->len ? NGX_OK
                          : ngx_ors_id_make(&builder->ids, builder->pool,
                                            "cntr", container);
}


ngx_int_t
ngx_ors_round_type_body(ngx_ors_builder_t *builder, ngx_ors_round_call_t *call)
{
    ngx_str_t               tool, arguments;
    ngx_ors_request_t      *req;
    ngx_ors_json_node_t    *node;
    ngx_ors_hosted_call_t   hosted;

    req = builder->resp->request;
    arguments = call->arguments;

    ngx_ors_round_type_init(&hosted, builder, call);

    node = ngx_ors_hosted_type_asked(req, hosted.type);

    ngx_str_set(&tool, "null");

    if (node) {
        ngx_ors_json_raw(&req->json, node, &tool);
    }

    return ngx_ors_hosted_call_body(&hosted, &arguments, &tool,
                                    &call->arguments);
}


ngx_int_t
ngx_ors_round_type_answer(ngx_ors_builder_t *builder,
    ngx_ors_round_call_t *call, ngx_str_t *text, ngx_str_t *plain)
{
    ngx_int_t                 rc;
    ngx_ors_hosted_t         *shown;
    ngx_ors_hosted_call_t     hosted;
    ngx_ors_hosted_result_t   result;

    ngx_ors_round_type_init(&hosted, builder, call);

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
