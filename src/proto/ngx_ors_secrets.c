
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


ngx_int_t
ngx_ors_secrets_input(ngx_ors_edits_t *edits, ngx_ors_json_t *json,
    ngx_ors_input_t *input)
{
    ngx_uint_t            i;
    ngx_ors_json_node_t  *tools;

    for (i = 0; i < input->n; i++) {
        tools = ngx_ors_input_node(json, input->items[i].tools);

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

    for (tool = ngx_ors_json_first(json, tools);
         tool;
         tool = ngx_ors_json_next(json, tool))
    {
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
    ngx_uint_t            i;
    ngx_ors_json_node_t  *node;

    static ngx_str_t  null = ngx_string("null");
    static ngx_str_t  names[] = {
        ngx_string("authorization"),
        ngx_string("headers")
    };

    node = ngx_ors_json_find(json, tool, "type");

    if (node == NULL || node->type != ngx_ors_json_string
        || !ngx_ors_json_is(json, node, "mcp"))
    {
        return NGX_OK;
    }

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        node = ngx_ors_json_get(json, tool, names[i].data, names[i].len);

        if (node && ngx_ors_edits_value(edits, node, &null) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}
