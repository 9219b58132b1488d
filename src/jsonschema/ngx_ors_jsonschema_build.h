
/*
 * The way from the JSON of a schema to its nodes.
 */


#ifndef _NGX_ORS_JSONSCHEMA_BUILD_H_INCLUDED_
#define _NGX_ORS_JSONSCHEMA_BUILD_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_jsonschema_node.h>


/* a reference that waits until all anchors are known */

typedef struct {
    ngx_ors_jsonschema_resource_t  *resource;
    ngx_ors_jsonschema_rule_t      *rule;
    ngx_str_t                       text;
} ngx_ors_jsonschema_ref_t;


/* the node of a JSON object */

typedef struct {
    json_t                         *json;
    ngx_ors_jsonschema_node_t      *node;
} ngx_ors_jsonschema_slot_t;


struct ngx_ors_jsonschema_build_s {
    ngx_ors_jsonschema_t           *schema;
    ngx_ors_jsonschema_report_t    *report;
    ngx_ors_jsonschema_resource_t  *resources;
    ngx_ors_jsonschema_slot_t      *slots;
    ngx_uint_t                      mask;      /* slots are a power of two */
    ngx_array_t                     refs;      /* ngx_ors_jsonschema_ref_t */
    ngx_pool_t                     *pool;
    ngx_uint_t                      depth;     /* that is left */
};


/*
 * All functions return
 *
 * NGX_OK         done
 * NGX_DECLINED   the schema cannot be used: "report" says why
 * NGX_ERROR      no memory
 */

/* Builds schema->root, which has "objects" objects. */
ngx_int_t ngx_ors_jsonschema_build(ngx_ors_jsonschema_t *schema,
    ngx_pool_t *pool, ngx_uint_t objects, ngx_ors_jsonschema_report_t *report);

/* Sets "*node" to the node of "json", which is built if there is none yet. */
ngx_int_t ngx_ors_jsonschema_build_node(ngx_ors_jsonschema_build_t *b,
    json_t *json, ngx_ors_jsonschema_resource_t *resource,
    ngx_ors_jsonschema_node_t **node);

/* The node that was built from the object "json", or NULL. */
ngx_ors_jsonschema_node_t *ngx_ors_jsonschema_build_find(
    ngx_ors_jsonschema_build_t *b, json_t *json);

/* Builds the nodes of an array or of the members of an object. */
ngx_int_t ngx_ors_jsonschema_build_nodes(ngx_ors_jsonschema_build_t *b,
    json_t *value, ngx_ors_jsonschema_resource_t *resource,
    ngx_ors_jsonschema_nodes_t *nodes);

/*
 * Builds rule->u.nodes of "value", which must be an array of schemas: a
 * builder of keywords.
 */
ngx_int_t ngx_ors_jsonschema_build_list(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_rule_t *rule,
    json_t *schema, json_t *value);

/* Reads an array of strings, whose bytes are borrowed. */
ngx_int_t ngx_ors_jsonschema_build_strings(ngx_ors_jsonschema_build_t *b,
    char *keyword, json_t *value, ngx_ors_jsonschema_strings_t *names);

/* Sets "*pattern" to the compiled "text"; it belongs to the schema. */
ngx_int_t ngx_ors_jsonschema_build_pattern(ngx_ors_jsonschema_build_t *b,
    const char *text, size_t len, ngx_ors_jsonschema_pattern_t **pattern);

/* Fills the report: "The schema's KEYWORD must be ...": NGX_DECLINED. */
ngx_int_t ngx_ors_jsonschema_build_error(ngx_ors_jsonschema_build_t *b,
    char *keyword, char *must);


#endif /* _NGX_ORS_JSONSCHEMA_BUILD_H_INCLUDED_ */
