
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * "tool_choice" and "allowed_tools" applied to the calls that a model has
 * made.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_choice.h>
#include <ngx_ors_item.h>
#include <ngx_ors_names.h>


static ngx_int_t ngx_ors_choice_list(ngx_ors_choice_t *choice,
    ngx_ors_request_t *req, ngx_ors_json_node_t *list);
static ngx_int_t ngx_ors_choice_tool(ngx_ors_choice_t *choice,
    ngx_ors_choice_tool_t *tool, ngx_ors_request_t *req,
    ngx_ors_json_node_t *node);
static ngx_str_t *ngx_ors_choice_type(ngx_ors_choice_t *choice,
    ngx_ors_json_t *json, ngx_ors_json_node_t *type);
static ngx_uint_t ngx_ors_choice_allows(ngx_ors_choice_t *choice,
    ngx_ors_chat_tool_t *tool, ngx_str_t *name);


ngx_int_t
ngx_ors_choice_read(ngx_ors_choice_t *choice, ngx_ors_chat_tools_t *tools,
    ngx_ors_request_t *req, ngx_ors_chat_calls_e calls)
{
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *node, *type, *list;

    ngx_memzero(choice, sizeof(ngx_ors_choice_t));

    json = &req->json;
    node = req->field[ngx_ors_rq_parallel_tool_calls];

    choice->tools = tools;
    choice->known = (req->policy->profile & NGX_ORS_IN_TOLERANT) ? 0 : 1;
    choice->single = (node && node->type == ngx_ors_json_false);
    choice->none = ngx_ors_json_is(json, tools->mode, "none");

    if (tools->chosen) {
        choice->name = tools->chosen->sent;
    }

    /* a call of the server's own is made there, and not shown */

    choice->needed = tools->required
                     || (tools->n && tools->chosen)
                     || (tools->n && !tools->others
                         && ngx_ors_json_is(json, tools->mode, "required"));

    switch (calls) {

    case ngx_ors_chat_calls_asked:
        break;

    case ngx_ors_chat_calls_none:
        choice->none = 1;
        choice->last = 1;

        /* fall through */

    case ngx_ors_chat_calls_auto:
        choice->needed = 0;
        choice->name.len = 0;
        break;
    }

    node = req->field[ngx_ors_rq_tool_choice];
    type = ngx_ors_json_find(json, node, "type");
    list = ngx_ors_json_find(json, node, "tools");

    return (list && ngx_ors_json_is(json, type, "allowed_tools"))
           ? ngx_ors_choice_list(choice, req, list) : NGX_OK;
}


static ngx_int_t
ngx_ors_choice_list(ngx_ors_choice_t *choice, ngx_ors_request_t *req,
    ngx_ors_json_node_t *list)
{
    ngx_int_t               rc;
    ngx_ors_json_t         *json;
    ngx_ors_json_node_t    *node;
    ngx_ors_choice_tool_t  *tool;

    json = &req->json;

    choice->allowed = ngx_palloc(req->pool, (list->count + 1)
                                            * sizeof(ngx_ors_choice_tool_t));
    if (choice->allowed == NULL) {
        return NGX_ERROR;
    }

    for (node = ngx_ors_json_first(json, list);
         node;
         node = ngx_ors_json_next(json, node))
    {
        tool = &choice->allowed[choice->nallowed];

        rc = ngx_ors_choice_tool(choice, tool, req, node);

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }

        /* a tool without a name cannot be called */

        if (rc == NGX_OK) {
            choice->nallowed++;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_choice_tool(ngx_ors_choice_t *choice, ngx_ors_choice_tool_t *tool,
    ngx_ors_request_t *req, ngx_ors_json_node_t *node)
{
    ngx_str_t            *typed;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *type, *name, *space;

    json = &req->json;
    type = ngx_ors_json_find(json, node, "type");

    ngx_memzero(tool, sizeof(ngx_ors_choice_tool_t));

    if (ngx_ors_json_is(json, type, "function")) {
        node = ngx_ors_request_function(req, json, node);
    }

    if ((req->policy->profile & NGX_ORS_IN_OPENAI)
        && ngx_ors_json_is(json, type, "tool_search"))
    {
        ngx_str_set(&tool->name, NGX_ORS_CHAT_SEARCH);
        return NGX_OK;
    }

    typed = ngx_ors_choice_type(choice, json, type);

    if (typed) {
        tool->name = *typed;
        return NGX_OK;
    }

    name = ngx_ors_json_find(json, node, "name");

    if (name == NULL || name->type != ngx_ors_json_string) {
        return NGX_DECLINED;
    }

    if (ngx_ors_json_is(json, type, "namespace")) {
        ngx_ors_json_raw(json, name, &tool->space);
        return NGX_OK;
    }

    if (!ngx_ors_json_is(json, type, "function")
        && !ngx_ors_json_is(json, type, "custom"))
    {
        return NGX_DECLINED;
    }

    space = (req->policy->profile & NGX_ORS_IN_OPENAI)
            ? ngx_ors_json_find(json, node, "namespace") : NULL;

    if (space && space->type != ngx_ors_json_string) {
        space = NULL;
    }

    return ngx_ors_chat_tools_name(json, space, name, req->pool,
                                   &tool->name);
}


/* the name of the function that a hosted type is sent as, or NULL */

static ngx_str_t *
ngx_ors_choice_type(ngx_ors_choice_t *choice, ngx_ors_json_t *json,
    ngx_ors_json_node_t *type)
{
    ngx_uint_t             i;
    ngx_ors_chat_tools_t  *tools;

    tools = choice->tools;

    for (i = 0; i < tools->n; i++) {

        if (tools->elts[i].hosted
            && ngx_ors_hosted_type_is(tools->elts[i].hosted, json, type))
        {
            return &tools->elts[i].sent;
        }
    }

    return NULL;
}


const char *
ngx_ors_choice_refuses(ngx_ors_choice_t *choice, ngx_ors_chat_tool_t *tool,
    ngx_str_t *name)
{
    const char  *reason;

    reason = NULL;

    if (choice->none) {
        reason = "where none may be called";

    } else if (choice->allowed && !ngx_ors_choice_allows(choice, tool, name)) {
        reason = "that is not one of the allowed ones";

    } else if (choice->known && tool == NULL) {
        reason = "that it does not have";

    } else if (choice->single && choice->called) {
        reason = "beside another one";
    }

    if (reason) {
        choice->refused = 1;
        return reason;
    }

    choice->called = 1;

    if (choice->name.len == 0 || ngx_ors_same(&choice->name, name)) {
        choice->met = 1;
    }

    return NULL;
}


static ngx_uint_t
ngx_ors_choice_allows(ngx_ors_choice_t *choice, ngx_ors_chat_tool_t *tool,
    ngx_str_t *name)
{
    ngx_uint_t              i;
    ngx_ors_choice_tool_t  *allowed;

    /* of an MCP server's tools only those that may be called are there */

    if (tool && tool->hosted && tool->hosted->mcp) {
        return 1;
    }

    for (i = 0; i < choice->nallowed; i++) {
        allowed = &choice->allowed[i];

        if (allowed->space.len == 0) {

            if (ngx_ors_same(&allowed->name, name)) {
                return 1;
            }

        } else if (tool && ngx_ors_same(&allowed->space, &tool->space)) {
            return 1;
        }
    }

    return 0;
}
