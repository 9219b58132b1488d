
/*
 * Tools of MCP servers as JSON: for the client in an item "mcp_list_tools",
 * for the model as a function.
 */


#ifndef _NGX_ORS_MCP_TOOL_H_INCLUDED_
#define _NGX_ORS_MCP_TOOL_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_mcp_list.h>
#include <ngx_ors_text.h>


/*
 * Appends "tool" as an element of the item's "tools": its name, schema and
 * description, and of its annotations what filters look at.
 */
void ngx_ors_mcp_tool_put(ngx_ors_out_t *out, ngx_ors_mcp_tool_t *tool);

/*
 * Appends "tool" as a function called "name", of characters that can stand in
 * a JSON string: an object with name, description and parameters.
 */
void ngx_ors_mcp_tool_function(ngx_ors_out_t *out, ngx_ors_mcp_tool_t *tool,
    ngx_str_t *name);


#endif /* _NGX_ORS_MCP_TOOL_H_INCLUDED_ */
