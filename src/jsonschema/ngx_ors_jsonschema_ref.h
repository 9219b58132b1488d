
/*
 * Names and references of a schema: $id, $anchor, $dynamicAnchor, $ref,
 * $dynamicRef.
 */


#ifndef _NGX_ORS_JSONSCHEMA_REF_H_INCLUDED_
#define _NGX_ORS_JSONSCHEMA_REF_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_jsonschema_build.h>


/* These return as the functions of ngx_ors_jsonschema_build.h do. */

/* The resource of the document itself, or NULL: no memory. */
ngx_ors_jsonschema_resource_t *ngx_ors_jsonschema_ref_document(
    ngx_ors_jsonschema_build_t *b);

/* Registers the "$id" and the anchors of "json"; an "$id" begins a resource. */
ngx_int_t ngx_ors_jsonschema_ref_names(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_node_t *node, json_t *json);

/* Remembers that "text" says which node the rule refers to. */
ngx_int_t ngx_ors_jsonschema_ref_add(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_rule_t *rule,
    json_t *text);

/* Sets the nodes of all rules that refer to one. */
ngx_int_t ngx_ors_jsonschema_ref_resolve(ngx_ors_jsonschema_build_t *b);

/* The anchor of that name in a resource, or NULL. */
ngx_ors_jsonschema_anchor_t *ngx_ors_jsonschema_ref_anchor(
    ngx_ors_jsonschema_t *schema, ngx_ors_jsonschema_resource_t *resource,
    ngx_str_t *name);


#endif /* _NGX_ORS_JSONSCHEMA_REF_H_INCLUDED_ */
