
/*
 * What a configuration and a request permit of an MCP server's tools: which
 * ones may be used, and which ones only with the user's approval.
 */


#ifndef _NGX_ORS_MCP_POLICY_H_INCLUDED_
#define _NGX_ORS_MCP_POLICY_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_json.h>
#include <ngx_ors_mcp_list.h>


typedef enum {
    ngx_ors_mcp_any = 0,
    ngx_ors_mcp_read_only,
    ngx_ors_mcp_not_read_only
} ngx_ors_mcp_effect_e;


/* zeroed memory is a filter that matches every tool */

typedef struct {
    ngx_array_t             *names;       /* of ngx_str_t; NULL: all names */
    ngx_ors_mcp_effect_e     effect;
} ngx_ors_mcp_filter_t;


typedef enum {
    ngx_ors_mcp_approval_unset = 0,
    ngx_ors_mcp_approval_always,
    ngx_ors_mcp_approval_never,
    ngx_ors_mcp_approval_filters
} ngx_ors_mcp_approval_e;


/* zeroed memory says nothing */

typedef struct {
    ngx_ors_mcp_approval_e   mode;
    ngx_ors_mcp_filter_t     always;      /* for ngx_ors_mcp_approval_filters */
    ngx_ors_mcp_filter_t     never;
    unsigned                 has_always:1;
    unsigned                 has_never:1;
} ngx_ors_mcp_approval_t;


/* 1 if "filter" matches "tool". */
ngx_uint_t ngx_ors_mcp_filter_match(ngx_ors_mcp_filter_t *filter,
    ngx_ors_mcp_tool_t *tool);

/*
 * Reads a filter of a request: an array of names, or an object with
 * "tool_names" and "read_only"; NULL is one that matches every tool.
 *
 * NGX_OK         "filter" is set, its memory is of "pool"
 * NGX_DECLINED   it is no filter
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_mcp_filter_read(ngx_ors_mcp_filter_t *filter,
    ngx_ors_json_t *json, ngx_ors_json_node_t *node, ngx_pool_t *pool);

/*
 * Reads "require_approval" of a request: "always", "never", or an object with
 * filters "always" and "never"; NULL says nothing.  The same return codes.
 */
ngx_int_t ngx_ors_mcp_approval_read(ngx_ors_mcp_approval_t *approval,
    ngx_ors_json_t *json, ngx_ors_json_node_t *node, ngx_pool_t *pool);

/*
 * 1 if a call of "tool" needs the user's approval.  What "conf" requires a
 * request cannot take away; what a request leaves open "conf" decides, and
 * without both every call needs it.
 */
ngx_uint_t ngx_ors_mcp_approval_required(ngx_ors_mcp_approval_t *conf,
    ngx_ors_mcp_approval_t *request, ngx_ors_mcp_tool_t *tool);


#endif /* _NGX_ORS_MCP_POLICY_H_INCLUDED_ */
