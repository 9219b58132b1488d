
/*
 * The MCP servers that a request uses: which of the configured ones it names,
 * the items of their lists, and the functions that a model is shown.
 */


#ifndef _NGX_ORS_MCP_USE_H_INCLUDED_
#define _NGX_ORS_MCP_USE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_builder.h>
#include <ngx_ors_mcp_server.h>
#include <ngx_ors_request_mcp.h>


/* a server that the request names */

typedef struct {
    ngx_ors_mcp_conf_t       *conf;
    ngx_ors_request_mcp_t    *asked;
    ngx_ors_item_t           *item;       /* mcp_list_tools, NULL: the input */
                                          /* has one already */
    ngx_ors_mcp_list_t       *list;       /* NULL: there is none */
    unsigned                  ended:1;    /* "list" is what it will be */
} ngx_ors_mcp_use_t;


/* a tool of it, as ngx_ors_tool_t has it */

struct ngx_ors_mcp_function_s {
    ngx_ors_mcp_use_t        *use;
    ngx_ors_mcp_tool_t       *tool;
    ngx_str_t                 name;       /* inside of a JSON string */
};


/* zeroed memory: the request has not been looked at */

typedef struct {
    ngx_ors_request_mcps_t    asked;
    ngx_ors_mcp_use_t        *elts;       /* in the order of "tools" */
    ngx_uint_t                n;
    ngx_uint_t                left;       /* lists that have not ended */
    ngx_ors_hosting_t         hosting;    /* of the location, with functions */
    unsigned                  read:1;
    unsigned                  ready:1;    /* "hosting" is complete */
} ngx_ors_mcp_uses_t;


/*
 * Finds the servers that the tools of "req" name.  Memory comes from
 * req->pool; "hosting", the location's, is borrowed.
 *
 * NGX_OK         done: uses->n of them, uses->left lists are to be read
 * NGX_DECLINED   a tool names a server that is not configured: "err" is a 400
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_mcp_uses_read(ngx_ors_mcp_uses_t *uses,
    ngx_ors_request_t *req, ngx_ors_hosting_t *hosting, ngx_ors_error_t *err);

/* Begins the items of the lists.  NGX_OK or NGX_ERROR: no memory. */
ngx_int_t ngx_ors_mcp_uses_show(ngx_ors_mcp_uses_t *uses,
    ngx_ors_builder_t *builder);

/*
 * The list of a server is "list", which must live as long as the turn; NULL:
 * it could not be read.  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_mcp_uses_listed(ngx_ors_mcp_uses_t *uses,
    ngx_ors_mcp_use_t *use, ngx_ors_builder_t *builder,
    ngx_ors_mcp_list_t *list);

/*
 * All lists have ended: adds the tools that may be called to uses->hosting,
 * and what "tool_choice" says of them.
 *
 * NGX_OK         done
 * NGX_DECLINED   "tool_choice" names what is not there: "err" is a 400
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_mcp_uses_functions(ngx_ors_mcp_uses_t *uses,
    ngx_ors_request_t *req, ngx_ors_error_t *err);

/*
 * Sets "*tool" to the function that stands for tool "name" of the server
 * "label", plain texts: NULL, there is none that may be called.  NGX_OK or
 * NGX_ERROR: no memory in "pool".
 */
ngx_int_t ngx_ors_mcp_function_find(ngx_ors_hosting_t *hosting,
    ngx_str_t *label, ngx_str_t *name, ngx_pool_t *pool,
    ngx_ors_tool_t **tool);

/* 1 if a call of the function needs an approval of the client. */
ngx_uint_t ngx_ors_mcp_function_asks(ngx_ors_mcp_function_t *function);


#endif /* _NGX_ORS_MCP_USE_H_INCLUDED_ */
