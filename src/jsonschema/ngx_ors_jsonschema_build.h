
/*
 * The way from the JSON of a schema to its nodes.
 */


#ifndef _NGX_ORS_JSONSCHEMA_BUILD_H_INCLUDED_
#define _NGX_ORS_JSONSCHEMA_BUILD_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_jsonschema_node.h>


/* bytes of the URI of a resource, and of a reference */
#define NGX_ORS_JSONSCHEMA_URI  2048


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
    ngx_ors_jsonschema_slot_t      *slots;
    ngx_uint_t                      mask;      /* slots are a power of two */
    ngx_array_t                     refs;      /* ngx_ors_jsonschema_ref_t */
    ngx_array_t                     resources; /* pointers to them */
    ngx_ors_names_t                 uris;      /* value: resource, + 1 */
    ngx_pool_t                     *pool;
    ngx_pool_t                     *temp;      /* of the build alone */
    ngx_uint_t                     *steps;     /* that are left */
    ngx_uint_t                      depth;     /* that is left */
    unsigned                        large:1;   /* over the limit of memory */

    /* of the reference that is resolved */
    u_char                          uri[2 * NGX_ORS_JSONSCHEMA_URI + 2];
    u_char                          fragment[NGX_ORS_JSONSCHEMA_URI + 1];
};

/*
 * Builders of keywords: rule->u.node of a schema, and rule->u.nodes of "value",
 * which must be an array of schemas.
 */
ngx_ors_jsonschema_build_f ngx_ors_jsonschema_build_one;
ngx_ors_jsonschema_build_f ngx_ors_jsonschema_build_list;


/*
 * The keywords, in the order in which they are checked: each with what reads
 * it from a schema and what checks an instance.
 */


/*
 * Tables that end with a row without a name: what looks at a value by itself,
 * what applies other schemas to it, what looks at its members.
 */

extern const ngx_ors_jsonschema_keyword_t  ngx_ors_jsonschema_assertions[];
extern const ngx_ors_jsonschema_keyword_t  ngx_ors_jsonschema_applicators[];
extern const ngx_ors_jsonschema_keyword_t  ngx_ors_jsonschema_members[];


/*
 * Checks that an object has all of "names", which its member "by" asks for, or
 * the schema if it is NULL.  Return codes are those of the walk.
 */
ngx_int_t ngx_ors_jsonschema_needed(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_strings_t *names, ngx_ors_jsonschema_at_t *at,
    ngx_str_t *by);

/*
 * All functions return
 *
 * NGX_OK         done
 * NGX_DECLINED   the schema cannot be used: "report" says why
 * NGX_BUSY       no steps are left
 * NGX_ERROR      no memory, or over the limit of it: b->large
 */

/* Builds schema->root, which has "objects" objects. */
ngx_int_t ngx_ors_jsonschema_build(ngx_ors_jsonschema_t *schema,
    ngx_pool_t *pool, ngx_uint_t objects, ngx_uint_t *steps,
    ngx_ors_jsonschema_report_t *report);

/* Counts "size" bytes that the schema is about to hold. */
ngx_int_t ngx_ors_jsonschema_build_hold(ngx_ors_jsonschema_build_t *b,
    size_t size);

/* Zeroed memory that the schema holds, counted; NULL as NGX_ERROR. */
void *ngx_ors_jsonschema_build_alloc(ngx_ors_jsonschema_build_t *b,
    size_t size);

/* Sets "*node" to the node of "json", which is built if there is none yet. */
ngx_int_t ngx_ors_jsonschema_build_node(ngx_ors_jsonschema_build_t *b,
    json_t *json, ngx_ors_jsonschema_resource_t *resource,
    ngx_ors_jsonschema_node_t **node);

/* Builds the nodes of an array or of the members of an object. */
ngx_int_t ngx_ors_jsonschema_build_nodes(ngx_ors_jsonschema_build_t *b,
    json_t *value, ngx_ors_jsonschema_resource_t *resource,
    ngx_ors_jsonschema_nodes_t *nodes);

/* Reads an array of strings, whose bytes are borrowed. */
ngx_int_t ngx_ors_jsonschema_build_strings(ngx_ors_jsonschema_build_t *b,
    char *keyword, json_t *value, ngx_ors_jsonschema_strings_t *names);

/* Sets "*pattern" to the compiled "text"; it belongs to the schema. */
ngx_int_t ngx_ors_jsonschema_build_pattern(ngx_ors_jsonschema_build_t *b,
    const char *text, size_t len, ngx_ors_jsonschema_pattern_t **pattern);

/* Fills the report: "The schema's KEYWORD must be ...": NGX_DECLINED. */
ngx_int_t ngx_ors_jsonschema_build_error(ngx_ors_jsonschema_build_t *b,
    char *keyword, char *must);

/* Remembers that "text" says which node the rule refers to. */
ngx_int_t ngx_ors_jsonschema_ref_add(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_rule_t *rule,
    json_t *text);

/* The anchor of that name in a resource, or NULL. */
ngx_ors_jsonschema_anchor_t *ngx_ors_jsonschema_ref_anchor(
    ngx_ors_jsonschema_t *schema, ngx_ors_jsonschema_resource_t *resource,
    ngx_str_t *name);


#endif /* _NGX_ORS_JSONSCHEMA_BUILD_H_INCLUDED_ */
