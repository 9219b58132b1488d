
/*
 * The list of an MCP server's tools, read page by page.  A list has a pool of
 * its own, so that it can be kept and shared by turns.
 */


#ifndef _NGX_ORS_MCP_LIST_H_INCLUDED_
#define _NGX_ORS_MCP_LIST_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_json.h>
#include <ngx_ors_mcp_request.h>
#include <ngx_ors_names.h>
#include <ngx_ors_text.h>


/* bytes of a tool's name, and of a cursor */
#define NGX_ORS_MCP_NAME_MAX    256
#define NGX_ORS_MCP_CURSOR_MAX  4096


typedef struct {
    ngx_str_t               name;         /* plain text */
    ngx_str_t               description;  /* the inside of a JSON string */
    ngx_str_t               schema;       /* JSON: "inputSchema" */
    ngx_str_t               annotations;  /* JSON, or empty */
    ngx_array_t             params;       /* of ngx_ors_mcp_param_t */
    unsigned                described:1;  /* there is a description */
    unsigned                read_only:1;  /* "readOnlyHint" is true */
} ngx_ors_mcp_tool_t;


typedef struct {
    ngx_pool_t             *pool;         /* of the list and all in it */
    ngx_uint_t              references;
    ngx_array_t             tools;        /* of ngx_ors_mcp_tool_t, in the */
                                          /* order of the server */
    ngx_msec_t              ttl;          /* 0: the server names none */
    unsigned                shared:1;     /* for all users of the server */
    unsigned                cut:1;        /* over a limit: the rest is lost */

    ngx_uint_t              omitted;      /* tools that cannot be used */
    ngx_str_t               cursor;       /* of the next page: the inside of */
                                          /* a JSON string */
    char                   *invalid;      /* why it is no list, static: it */
                                          /* completes "a list that" */

    /* private */
    ngx_ors_mcp_limits_t   *limits;       /* while it is read */
    ngx_ors_names_t         names;
    ngx_uint_t              pages;
    ngx_array_t             cursors;      /* of uint64_t: hashes */
    size_t                  size;
} ngx_ors_mcp_list_t;

/* Another reference, and the end of one: with the last one goes the list. */
#define ngx_ors_mcp_list_hold(list)  ((list)->references++)

/* About the bytes of memory that a list holds. */
#define ngx_ors_mcp_list_size(list)  ((list)->size)


/*
 * Creates an empty list with one reference; "limits" are borrowed until the
 * last page has been read, "log" must live as long as the list.  NULL: no
 * memory.
 */
ngx_ors_mcp_list_t *ngx_ors_mcp_list_create(ngx_ors_mcp_limits_t *limits,
    ngx_log_t *log);
void ngx_ors_mcp_list_release(ngx_ors_mcp_list_t *list);

/*
 * Adds the tools of a page: "result" is that of "tools/list" in "json".  A
 * tool that cannot be used, or that comes twice, is left out; of the first
 * ones "log" has a line.
 *
 * NGX_OK         the list is complete
 * NGX_AGAIN      there is another page, list->cursor is its cursor
 * NGX_DECLINED   no list: list->invalid says why
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_mcp_list_page(ngx_ors_mcp_list_t *list,
    ngx_ors_json_t *json, ngx_ors_json_node_t *result, ngx_log_t *log);

/* The tool called "name", or NULL. */
ngx_ors_mcp_tool_t *ngx_ors_mcp_list_find(ngx_ors_mcp_list_t *list,
    ngx_str_t *name);

/*
 * Tools of MCP servers as JSON: for the client in an item "mcp_list_tools",
 * for the model as a function.
 */


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


#endif /* _NGX_ORS_MCP_LIST_H_INCLUDED_ */
