
/*
 * Parameters of a tool that the modern era repeats in headers: properties of
 * its schema with "x-mcp-header".
 */


#ifndef _NGX_ORS_MCP_PARAM_H_INCLUDED_
#define _NGX_ORS_MCP_PARAM_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_json.h>


/* of one tool: a schema with more is refused */
#define NGX_ORS_MCP_PARAMS_MAX  64


typedef struct {
    ngx_str_t     header;     /* "Mcp-Param-Region" */
    ngx_str_t    *path;       /* names of properties, from the root down */
    ngx_uint_t    depth;      /* of them */
} ngx_ors_mcp_param_t;


/*
 * Finds the annotated properties in "schema" and adds them to "params", an
 * empty array of ngx_ors_mcp_param_t; what is added is in the array's pool.
 *
 * NGX_OK         done
 * NGX_DECLINED   an annotation is not valid: the tool cannot be used;
 *                "*invalid" is static text
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_mcp_params_find(ngx_ors_json_t *json,
    ngx_ors_json_node_t *schema, ngx_array_t *params, char **invalid);

/*
 * Makes headers of the arguments of a call: ngx_keyval_t are added to
 * "headers", an array with memory from its pool.  A value that is absent, null
 * or no scalar has none.  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_ors_mcp_params_headers(ngx_array_t *params,
    ngx_ors_json_t *json, ngx_ors_json_node_t *arguments,
    ngx_array_t *headers);


#endif /* _NGX_ORS_MCP_PARAM_H_INCLUDED_ */
