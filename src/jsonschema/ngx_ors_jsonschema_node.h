
/*
 * A compiled schema in memory: nodes with rules, how they are built from the
 * JSON of a schema, and what a check carries along while it walks through them.
 */


#ifndef _NGX_ORS_JSONSCHEMA_NODE_H_INCLUDED_
#define _NGX_ORS_JSONSCHEMA_NODE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <jansson.h>
#include <ngx_ors_jsonschema.h>
#include <ngx_ors_names.h>


/*
 * Patterns of schemas: ECMA-262 expressions as near as libpcre2 comes to them.
 *
 * Differences: \s is ASCII only, "." takes U+2028 and U+2029, \p{} knows the
 * short names of categories; lookbehinds of unbounded length are refused.
 * Groups and escapes that only Perl has, options among them, are refused.
 */

typedef struct ngx_ors_jsonschema_pattern_s  ngx_ors_jsonschema_pattern_t;


/* zeroed memory has no patterns */

typedef struct {
    ngx_ors_jsonschema_pattern_t  *first;
    void                          *compile;    /* contexts of libpcre2 */
    void                          *match;
    size_t                         size;       /* of all compiled patterns */
    size_t                         max;
} ngx_ors_jsonschema_patterns_t;


/* types of instances, an integer is a number without a fraction: 1.0 */

#define NGX_ORS_JSONSCHEMA_OBJECT   (1 << JSON_OBJECT)
#define NGX_ORS_JSONSCHEMA_ARRAY    (1 << JSON_ARRAY)
#define NGX_ORS_JSONSCHEMA_STRING   (1 << JSON_STRING)
#define NGX_ORS_JSONSCHEMA_INTEGER  (1 << JSON_INTEGER)
#define NGX_ORS_JSONSCHEMA_REAL     (1 << JSON_REAL)
#define NGX_ORS_JSONSCHEMA_BOOLEAN  ((1 << JSON_TRUE)|(1 << JSON_FALSE))
#define NGX_ORS_JSONSCHEMA_NULL     (1 << JSON_NULL)

#define NGX_ORS_JSONSCHEMA_NUMBER                                             \
    (NGX_ORS_JSONSCHEMA_INTEGER|NGX_ORS_JSONSCHEMA_REAL)
#define NGX_ORS_JSONSCHEMA_ANY      0xff


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
            ngx_ors_jsonschema_nodes_t    prefix;     /* as "nodes" */
            ngx_ors_jsonschema_node_t    *rest;
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
    void                           *iter;            /* of a member */
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
    void                           *match;           /* data of libpcre2 */
    ngx_pool_t                     *pool;            /* of this check */
    ngx_uint_t                     *steps;           /* that are left */
    ngx_uint_t                      cost;            /* of a pattern's item */
    ngx_uint_t                      nesting;         /* that is left */
    ngx_uint_t                      quiet;           /* no report */
    ngx_uint_t                      depth;           /* of the failure */
};


/*
 * The walk of an instance through the nodes of a schema.
 */


/* Member or element "i" is evaluated; "seen" may be NULL. */
#define ngx_ors_jsonschema_see(seen, i)                                       \
    if (seen) {                                                               \
        (seen)->bits[(i) >> 3] |= 1 << ((i) & 7);                             \
    }

#define ngx_ors_jsonschema_is_seen(seen, i)                                   \
    ((seen)->bits[(i) >> 3] & (1 << ((i) & 7)))


/*
 * JSON values as schemas see them: 1 and 1.0 are one number.
 */


/* bytes that are hashed, copied, compared or searched in the time of a step */
#define NGX_ORS_JSONSCHEMA_BYTES  64


/* Steps to look up "n" names of "len" bytes in all. */
#define ngx_ors_jsonschema_names_cost(n, len)                                 \
    ((n) / 4 + (len) / NGX_ORS_JSONSCHEMA_BYTES)


/* how large a text is when it is parsed */

typedef struct {
    ngx_uint_t    depth;      /* the deepest */
    ngx_uint_t    values;
    ngx_uint_t    objects;
    unsigned      tiny:1;     /* 1e-400 */
} ngx_ors_jsonschema_extent_t;


/*
 * Searches "text", UTF-8.  The search takes steps, and so does each item of the
 * pattern that is tried, more of them the longer the text and the classes are.
 *
 * NGX_OK         found
 * NGX_DECLINED   not found
 * NGX_BUSY       no steps are left, or a limit of libpcre2
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_jsonschema_pattern_match(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_pattern_t *pattern, const char *text, size_t len);

void ngx_ors_jsonschema_patterns_free(ngx_ors_jsonschema_patterns_t *patterns);

/*
 * Checks the instance at "at" against "node".  What is evaluated of it is
 * added to "seen", unless that is NULL.
 *
 * NGX_OK         valid
 * NGX_DECLINED   not valid
 * NGX_BUSY       over a limit
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_jsonschema_walk(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen);

/*
 * As ngx_ors_jsonschema_walk() for a node that may fail without a report;
 * "seen" is unchanged then.
 */
ngx_int_t ngx_ors_jsonschema_try(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen);

/* Zeroed memory that lasts until the check ends; NULL: there is none. */
void *ngx_ors_jsonschema_alloc(ngx_ors_jsonschema_walk_t *w, size_t size);

/*
 * The members or elements of "at", one by one: ngx_ors_jsonschema_next() sets
 * "child" to the next one and returns 1, or 0 after the last.
 */
void ngx_ors_jsonschema_enter(ngx_ors_jsonschema_at_t *child,
    ngx_ors_jsonschema_at_t *at);
ngx_uint_t ngx_ors_jsonschema_next(ngx_ors_jsonschema_at_t *child);

/* Takes "n" of the steps that are left: NGX_OK, or NGX_BUSY: not so many. */
ngx_int_t ngx_ors_jsonschema_step(ngx_uint_t *steps, size_t n);


/*
 * Parses "text" within the limits; JSON that jansson cannot carry is refused.
 * The caller owns "*root" and gives it back by json_decref().
 *
 * NGX_OK         "*root" is set
 * NGX_DECLINED   not JSON: "report" says why
 * NGX_BUSY       JSON that cannot be read: "report" says why
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_jsonschema_load(ngx_str_t *text,
    ngx_ors_jsonschema_limits_t *limits, ngx_ors_jsonschema_extent_t *e,
    json_t **root, ngx_ors_jsonschema_report_t *report);

/* Compares two numbers exactly: below 0, 0 or above 0, as memcmp() does. */
ngx_int_t ngx_ors_jsonschema_compare(json_t *a, json_t *b);

/* 1 if number "a" is a multiple of "b", which is above 0, in decimals. */
ngx_uint_t ngx_ors_jsonschema_multiple(json_t *a, json_t *b);

/*
 * NGX_OK: equal, NGX_DECLINED: not, NGX_BUSY: no steps are left.  Both have no
 * more levels than the limit.
 */
ngx_int_t ngx_ors_jsonschema_equal(json_t *a, json_t *b, ngx_uint_t *steps);

/* A hash of the value: equal values have equal hashes. */
uint32_t ngx_ors_jsonschema_value_hash(json_t *value);

/*
 * NGX_OK: "value" is an integer from 0 to NGX_MAX_INT_T_VALUE, "*n" is set;
 * otherwise NGX_DECLINED.
 */
ngx_int_t ngx_ors_jsonschema_count(json_t *value, size_t *n);

/*
 * Fills "report" for a whole text: "The JSON ..." and what "fmt" makes, as
 * ngx_sprintf() does.  "keyword" is static.  Returns NGX_DECLINED, or with an
 * empty keyword NGX_BUSY.
 */
ngx_int_t ngx_ors_jsonschema_refuse(ngx_ors_jsonschema_report_t *report,
    char *keyword, const char *fmt, ...);

/*
 * The instance at "at" does not have what "keyword" asks for; "fmt" goes on
 * after its path: "must be ...".  Nothing is written where the walk is quiet.
 * Always returns NGX_DECLINED.
 */
ngx_int_t ngx_ors_jsonschema_fail(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_at_t *at, char *keyword, const char *fmt, ...);

/* The same for a keyword whose values are listed: "must be one of 1, 2". */
ngx_int_t ngx_ors_jsonschema_fail_value(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_at_t *at, char *keyword, char *must, json_t *value);


/*
 * The way from the JSON of a schema to its nodes.
 */


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

/* Of rule->u.ref: its node is found when all anchors are known. */
ngx_ors_jsonschema_build_f ngx_ors_jsonschema_build_ref;


/*
 * The keywords, in the order in which they are checked, and a row without a
 * name.
 */
extern const ngx_ors_jsonschema_keyword_t  ngx_ors_jsonschema_keywords[];


/*
 * All functions return
 *
 * NGX_OK         done
 * NGX_DECLINED   the schema cannot be used: "report" says why
 * NGX_BUSY       no steps are left
 * NGX_ERROR      no memory, or over the limit of it: b->large
 */

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

/*
 * Sets "*pattern" to the compiled "text", UTF-8; it belongs to the schema.
 * Takes a step for each byte, and more where libpcre2 compares repeated items
 * with one another.
 */
ngx_int_t ngx_ors_jsonschema_build_pattern(ngx_ors_jsonschema_build_t *b,
    const char *text, size_t len, ngx_ors_jsonschema_pattern_t **pattern);

/* Fills the report: "The schema's KEYWORD must be ...": NGX_DECLINED. */
ngx_int_t ngx_ors_jsonschema_build_error(ngx_ors_jsonschema_build_t *b,
    char *keyword, char *must);

/* The anchor of that name in a resource, or NULL. */
ngx_ors_jsonschema_anchor_t *ngx_ors_jsonschema_ref_anchor(
    ngx_ors_jsonschema_t *schema, ngx_ors_jsonschema_resource_t *resource,
    ngx_str_t *name);


#endif /* _NGX_ORS_JSONSCHEMA_NODE_H_INCLUDED_ */
