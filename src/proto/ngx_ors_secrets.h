
/*
 * Secrets that a client sends for servers of tools: no other server gets them,
 * and they are never stored.
 */


#ifndef _NGX_ORS_SECRETS_H_INCLUDED_
#define _NGX_ORS_SECRETS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_edit.h>
#include <ngx_ors_input.h>


/*
 * Adds edits that put null in the place of the secrets of "tools", a list of
 * them, or NULL.  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_secrets_tools(ngx_ors_edits_t *edits, ngx_ors_json_t *json,
    ngx_ors_json_node_t *tools);

/* As ngx_ors_secrets_tools() for one tool. */
ngx_int_t ngx_ors_secrets_tool(ngx_ors_edits_t *edits, ngx_ors_json_t *json,
    ngx_ors_json_node_t *tool);

/* As ngx_ors_secrets_tools() for the tools in the items of "input". */
ngx_int_t ngx_ors_secrets_input(ngx_ors_edits_t *edits, ngx_ors_json_t *json,
    ngx_ors_input_t *input);


#endif /* _NGX_ORS_SECRETS_H_INCLUDED_ */
