
/*
 * The names by which a model calls tools of MCP servers: "label__tool" in the
 * characters and the length that Chat Completions permits, and back.
 */


#ifndef _NGX_ORS_MCP_NAMES_H_INCLUDED_
#define _NGX_ORS_MCP_NAMES_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_names.h>


#define NGX_ORS_MCP_MODEL_NAME_MAX  64


typedef struct {
    ngx_str_t          name;      /* for the model */
    ngx_str_t          tool;      /* of the server, borrowed */
    void              *server;    /* of the caller; NULL: no tool of a server */
} ngx_ors_mcp_named_t;


/* zeroed memory is an empty table */

typedef struct {
    ngx_ors_names_t    index;
    ngx_array_t       *entries;   /* of ngx_ors_mcp_named_t */
} ngx_ors_mcp_names_t;


/*
 * Adds the name of a function of the client, borrowed, which no tool gets
 * then.
 *
 * NGX_OK         added
 * NGX_DECLINED   it is there already
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_mcp_names_take(ngx_ors_mcp_names_t *names, ngx_pool_t *pool,
    ngx_str_t *name);

/*
 * Adds "tool" of "server" and gives it a name: "prefix", "__" and its own
 * name, or only its own one if "prefix" is empty.  What a model cannot have
 * becomes "_".  A name that is too long, or taken, is cut and ends with a hash
 * of prefix and tool: the same tools in the same order always have the same
 * names.  NGX_OK, or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_mcp_names_add(ngx_ors_mcp_names_t *names, ngx_pool_t *pool,
    ngx_str_t *prefix, ngx_str_t *tool, void *server, ngx_str_t *name);

/*
 * The tool that a model calls "name", or NULL.  The entry is valid until
 * another one is added.
 */
ngx_ors_mcp_named_t *ngx_ors_mcp_names_find(ngx_ors_mcp_names_t *names,
    ngx_str_t *name);


#endif /* _NGX_ORS_MCP_NAMES_H_INCLUDED_ */
