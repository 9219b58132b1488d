
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Members of a request that hold credentials, cut out of what is stored and
 * echoed.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_secrets.h>


static ngx_uint_t ngx_ors_secrets_mcp(ngx_ors_json_t *json,
    ngx_ors_json_node_t *tool);
static ngx_int_t ngx_ors_secrets_container(ngx_ors_edits_t *edits,
    ngx_ors_json_t *json, ngx_ors_json_node_t *container);


ngx_int_t
ngx_ors_secrets_input(ngx_ors_edits_t *edits, ngx_ors_json_t *json,
    ngx_ors_input_t *input)
{
    ngx_uint_t             i;
    ngx_ors_json_node_t   *tools;
    ngx_ors_input_item_t  *item;

    for (i = 0; i < input->n; i++) {
        item = &input->items[i];

        /* those of stored turns have been cut when they were stored */

        tools = (item->json == json) ? ngx_ors_input_node(item, item->tools)
                                     : NULL;

        if (ngx_ors_secrets_tools(edits, json, tools) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


ngx_int_t
ngx_ors_secrets_tools(ngx_ors_edits_t *edits, ngx_ors_json_t *json,
    ngx_ors_json_node_t *tools)
{
    ngx_ors_json_node_t  *tool;

    if (tools == NULL || tools->type != ngx_ors_json_array) {
        return NGX_OK;
    }

    ngx_ors_json_each(tool, json, tools) {
        if (ngx_ors_secrets_tool(edits, json, tool) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


ngx_int_t
ngx_ors_secrets_tool(ngx_ors_edits_t *edits, ngx_ors_json_t *json,
    ngx_ors_json_node_t *tool)
{
    ngx_int_t             rc;
    ngx_uint_t            mcp;
    ngx_ors_json_node_t  *key;

    static ngx_str_t  null = ngx_string("null");

    if (tool->type != ngx_ors_json_object) {
        return NGX_OK;
    }

    mcp = ngx_ors_secrets_mcp(json, tool);

    ngx_ors_json_each(key, json, tool) {
        rc = NGX_OK;

        if (mcp && (ngx_ors_json_is(json, key, "authorization")
                    || ngx_ors_json_is(json, key, "headers")))
        {
            rc = ngx_ors_edits_value(edits, key + 1, &null);

        } else if (ngx_ors_json_is(json, key, "tools")) {
            rc = ngx_ors_secrets_tools(edits, json, key + 1);

        } else if (ngx_ors_json_is(json, key, "container")
                   || ngx_ors_json_is(json, key, "environment"))
        {
            rc = ngx_ors_secrets_container(edits, json, key + 1);
        }

        if (rc != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/* 1: of type "mcp"; a type that comes twice may be another as well */

static ngx_uint_t
ngx_ors_secrets_mcp(ngx_ors_json_t *json, ngx_ors_json_node_t *tool)
{
    ngx_ors_json_node_t  *key;

    ngx_ors_json_each(key, json, tool) {
        if (ngx_ors_json_is(json, key, "type")
            && ngx_ors_json_is(json, key + 1, "mcp"))
        {
            return 1;
        }
    }

    return 0;
}


/* secrets that a container of a shell or an interpreter sends to hosts */

static ngx_int_t
ngx_ors_secrets_container(ngx_ors_edits_t *edits, ngx_ors_json_t *json,
    ngx_ors_json_node_t *container)
{
    ngx_ors_json_node_t  *node;

    static ngx_str_t  null = ngx_string("null");

    node = ngx_ors_json_find(json, container, "network_policy");
    node = ngx_ors_json_find(json, node, "domain_secrets");

    return node ? ngx_ors_edits_value(edits, node, &null) : NGX_OK;
}
