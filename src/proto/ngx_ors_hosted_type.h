
/*
 * Types of hosted tools that a client names by their type alone.
 */


#ifndef _NGX_ORS_HOSTED_TYPE_H_INCLUDED_
#define _NGX_ORS_HOSTED_TYPE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_hosting.h>
#include <ngx_ors_item.h>
#include <ngx_ors_request.h>


/* The type that an operator calls "name", or that of functions. */
ngx_ors_hosted_type_e ngx_ors_hosted_type(ngx_str_t *name);

/*
 * The type of a client's tool: "type" is its member, whose text may end with a
 * date, or NULL.
 */
ngx_ors_hosted_type_e ngx_ors_hosted_type_of(ngx_ors_json_t *json,
    ngx_ors_json_node_t *type);

/* Default definition of a hosted tool: JSON, static text. */
ngx_str_t *ngx_ors_hosted_type_definition(ngx_ors_hosted_type_e type);

/* The type of an item for a call of the tool. */
ngx_ors_item_type_e ngx_ors_hosted_type_item(ngx_ors_hosted_type_e type);

/*
 * The tool that a client's tool of "type" means, NULL for none and for
 * functions.
 */
ngx_ors_tool_t *ngx_ors_hosted_type_find(ngx_ors_hosting_t *hosting,
    ngx_ors_hosted_type_e type);

/* The first tool of that type in "tools" of the request, or NULL. */
ngx_ors_json_node_t *ngx_ors_hosted_type_asked(ngx_ors_request_t *req,
    ngx_ors_hosted_type_e type);


#endif /* _NGX_ORS_HOSTED_TYPE_H_INCLUDED_ */
