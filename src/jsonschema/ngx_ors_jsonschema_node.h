
/*
 * A compiled schema in memory: nodes with rules, and what a check carries
 * along while it walks through them.
 */


#ifndef _NGX_ORS_JSONSCHEMA_NODE_H_INCLUDED_
#define _NGX_ORS_JSONSCHEMA_NODE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <jansson.h>
#include <ngx_ors_jsonschema.h>
#include <ngx_ors_jsonschema_pattern.h>
#include <ngx_ors_names.h>


/* types of instances, an integer is a number without a fraction: 1.0 */

#define NGX_ORS_JSONSCHEMA_OBJECT   0x01
#define NGX_ORS_JSONSCHEMA_ARRAY    0x02
#define NGX_ORS_JSONSCHEMA_STRING   0x04
#define NGX_ORS_JSONSCHEMA_INTEGER  0x08
#define NGX_ORS_JSONSCHEMA_REAL     0x10
#define NGX_ORS_JSONSCHEMA_BOOLEAN  0x20
#define NGX_ORS_JSONSCHEMA_NULL     0x40

#define NGX_ORS_JSONSCHEMA_NUMBER                                             \
    (NGX_ORS_JSONSCHEMA_INTEGER|NGX_ORS_JSONSCHEMA_REAL)
#define NGX_ORS_JSONSCHEMA_ANY      0x7f


typedef struct ngx_ors_jsonschema_at_s        ngx_ors_jsonschema_at_t;
typedef struct ngx_ors_jsonschema_node_s      ngx_ors_jsonschema_node_t;
typedef struct ngx_ors_jsonschema_rule_s      ngx_ors_jsonschema_rule_t;
typedef struct ngx_ors_jsonschema_walk_s      ngx_ors_jsonschema_walk_t;
typedef struct ngx_ors_jsonschema_build_s     ngx_ors_jsonschema_build_t;
typedef struct ngx_ors_jsonschema_scope_s     ngx_ors_jsonschema_scope_t;
typedef struct ngx_ors_jsonschema_anchor_s    ngx_ors_jsonschema_anchor_t;
typedef struct ngx_ors_jsonschema_resource_s  ngx_ors_jsonschema_resource_t;


/* evaluated members of an object or an array, in their order */

typedef struct {
    u_char                         *bits;
    ngx_uint_t                      n;
} ngx_ors_jsonschema_seen_t;


/* functions that keywords have in common, each declared by its type */

typedef ngx_int_t ngx_ors_jsonschema_build_f(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_rule_t *rule,
    json_t *schema, json_t *value);

typedef ngx_int_t ngx_ors_jsonschema_check_f(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_rule_t *rule, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen);


typedef struct {
    char                           *name;
    ngx_uint_t                      types;   /* of instances it looks at */
    ngx_ors_jsonschema_build_f     *build;
    ngx_ors_jsonschema_check_f     *check;   /* NULL: adds no rule */
} ngx_ors_jsonschema_keyword_t;


typedef struct {
    ngx_ors_jsonschema_node_t     **elts;
    ngx_uint_t                      n;
} ngx_ors_jsonschema_nodes_t;


typedef struct {
    ngx_str_t                      *elts;
    ngx_uint_t                      n;
    ngx_uint_t                      cost;    /* steps to look all of them up */
} ngx_ors_jsonschema_strings_t;


/* "properties" and those that go with it */

typedef struct {
    ngx_ors_names_t                 names;   /* value: index in nodes, + 1 */
    ngx_ors_jsonschema_nodes_t      nodes;
    ngx_ors_jsonschema_nodes_t      matching;
    ngx_ors_jsonschema_pattern_t  **patterns;
    ngx_ors_jsonschema_node_t      *additional;
} ngx_ors_jsonschema_fields_t;


typedef struct {
    ngx_ors_jsonschema_node_t      *node;
    size_t                          min;
    size_t                          max;
} ngx_ors_jsonschema_contains_t;


/* dependentRequired and dependentSchemas: one of the two is set */

typedef struct {
    ngx_str_t                       name;
    ngx_ors_jsonschema_node_t      *node;
    ngx_ors_jsonschema_strings_t    names;
} ngx_ors_jsonschema_dependent_t;


typedef struct {
    ngx_ors_jsonschema_dependent_t *elts;
    ngx_uint_t                      n;
    ngx_uint_t                      cost;    /* as above */
} ngx_ors_jsonschema_dependents_t;


struct ngx_ors_jsonschema_rule_s {
    ngx_ors_jsonschema_rule_t      *next;
    const ngx_ors_jsonschema_keyword_t  *keyword;

    union {
        json_t                           *value;      /* borrowed */
        size_t                            n;
        ngx_ors_jsonschema_node_t        *node;
        ngx_ors_jsonschema_node_t        *branch[3];  /* if, then, else */
        ngx_ors_jsonschema_nodes_t        nodes;
        ngx_ors_jsonschema_strings_t      names;
        ngx_ors_jsonschema_fields_t      *fields;
        ngx_ors_jsonschema_contains_t    *contains;
        ngx_ors_jsonschema_dependents_t   dependents;

        struct {
            ngx_ors_jsonschema_pattern_t *pattern;
            json_t                       *text;       /* borrowed */
        } match;

        struct {
            ngx_ors_jsonschema_node_t    *node;
            ngx_uint_t                    from;       /* after prefixItems */
        } items;

        struct {
            ngx_ors_jsonschema_node_t    *node;
            ngx_ors_jsonschema_anchor_t  *anchor;     /* a dynamic one */
        } ref;
    } u;
};


struct ngx_ors_jsonschema_node_s {
    ngx_ors_jsonschema_rule_t      *rules;
    ngx_ors_jsonschema_resource_t  *resource;
    unsigned                        never:1;         /* false */
    unsigned                        unevaluated:1;   /* has such a keyword */
};


struct ngx_ors_jsonschema_anchor_s {
    ngx_ors_jsonschema_node_t      *node;
    ngx_str_t                       name;
    json_t                         *json;
    unsigned                        dynamic:1;
};


/* a schema with an "$id", or the document */

struct ngx_ors_jsonschema_resource_s {
    ngx_ors_names_t                 anchors; /* value: index in those, + 1 */
    ngx_str_t                       uri;
    json_t                         *json;
};


struct ngx_ors_jsonschema_s {
    ngx_ors_jsonschema_node_t      *node;
    ngx_ors_jsonschema_limits_t     limits;
    ngx_ors_jsonschema_patterns_t   patterns;
    ngx_array_t                     anchors; /* pointers to them */
    ngx_log_t                      *log;
    json_t                         *root;
    size_t                          size;
};


/* an instance inside of another one; lives on the stack */

struct ngx_ors_jsonschema_at_s {
    ngx_ors_jsonschema_at_t        *parent;
    json_t                         *json;
    ngx_uint_t                      type;
    ngx_uint_t                      depth;
    ngx_str_t                       name;            /* data is NULL: */
    ngx_uint_t                      index;
    unsigned                        is_name:1;       /* of propertyNames */
};


struct ngx_ors_jsonschema_scope_s {
    ngx_ors_jsonschema_scope_t     *parent;
    ngx_ors_jsonschema_resource_t  *resource;
};


struct ngx_ors_jsonschema_walk_s {
    ngx_ors_jsonschema_t           *schema;
    ngx_ors_jsonschema_report_t    *report;
    ngx_ors_jsonschema_scope_t     *scope;
    ngx_ors_jsonschema_match_t      match;
    ngx_pool_t                     *pool;            /* of this check */
    ngx_uint_t                     *steps;           /* that are left */
    ngx_uint_t                      nesting;         /* that is left */
    ngx_uint_t                      quiet;           /* no report */
    ngx_uint_t                      depth;           /* of the failure */
};


#endif /* _NGX_ORS_JSONSCHEMA_NODE_H_INCLUDED_ */
