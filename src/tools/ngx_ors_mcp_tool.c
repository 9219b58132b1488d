
/*
 * Copyright (C) Open Responses contributors
 */


/* The two forms of an MCP server's tool. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_json_writer.h>
#include <ngx_ors_mcp_tool.h>


static void ngx_ors_mcp_tool_write_description(ngx_ors_out_t *out,
    ngx_ors_mcp_tool_t *tool);


void
ngx_ors_mcp_tool_put(ngx_ors_out_t *out, ngx_ors_mcp_tool_t *tool)
{
    ngx_ors_out_lit(out, "{\"name\":");
    ngx_ors_json_quote(out, tool->name.data, tool->name.len);

    ngx_ors_mcp_tool_write_description(out, tool);

    ngx_ors_out_lit(out, ",\"input_schema\":");
    ngx_ors_out_str(out, &tool->schema);

    if (tool->read_only) {
        ngx_ors_out_lit(out, ",\"annotations\":{\"read_only\":true}}");

    } else {
        ngx_ors_out_lit(out, ",\"annotations\":{\"read_only\":false}}");
    }
}


void
ngx_ors_mcp_tool_function(ngx_ors_out_t *out, ngx_ors_mcp_tool_t *tool,
    ngx_str_t *name)
{
    ngx_ors_out_lit(out, "{\"name\":\"");
    ngx_ors_out_str(out, name);
    ngx_ors_out_lit(out, "\"");

    ngx_ors_mcp_tool_write_description(out, tool);

    ngx_ors_out_lit(out, ",\"parameters\":");
    ngx_ors_out_str(out, &tool->schema);
    ngx_ors_out_lit(out, "}");
}


static void
ngx_ors_mcp_tool_write_description(ngx_ors_out_t *out, ngx_ors_mcp_tool_t *tool)
{
    if (tool->described) {
        ngx_ors_out_lit(out, ",\"description\":\"");
        ngx_ors_out_str(out, &tool->description);
        ngx_ors_out_lit(out, "\"");
    }
}
