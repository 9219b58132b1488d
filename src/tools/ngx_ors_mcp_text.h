
/*
 * Texts that are taken out of a message: strings decoded, values without the
 * white space between their parts.
 */


#ifndef _NGX_ORS_MCP_TEXT_H_INCLUDED_
#define _NGX_ORS_MCP_TEXT_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_json.h>


/*
 * Decodes string "node" into memory of "pool"; of another value, and of NULL,
 * "text" is empty.
 *
 * NGX_OK         "text" is set
 * NGX_DECLINED   "node" is no string
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_mcp_string(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    ngx_pool_t *pool, ngx_str_t *text);

/*
 * Copies value "node" as JSON text without white space outside its strings
 * into memory of "pool"; nothing else of it changes.  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_ors_mcp_compact(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    ngx_pool_t *pool, ngx_str_t *text);


#endif /* _NGX_ORS_MCP_TEXT_H_INCLUDED_ */
