
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
#include <ngx_ors_names.h>


/*
 * Patterns of schemas: ECMA-262 expressions as near as libpcre2 comes to them.
 *
 * What differs: \s is ASCII only, "." takes U+2028 and U+2029, \p{} knows the
 * short names of categories; lookbehinds of unbounded length are refused.
 * Groups and escapes that only Perl has, options among them, are refused.
 */

typedef struct ngx_ors_jsonschema_pattern_s  ngx_ors_jsonschema_pattern_t;


/* zeroed memory has no patterns */

typedef struct {
    ngx_ors_jsonschema_pattern_t  *first;
    ngx_log_t                     *log;
    void                          *memory;     /* contexts of libpcre2 */
    void                          *compile;
    void                          *match;
    size_t                         size;       /* of all compiled patterns */
    size_t                         max;
} ngx_ors_jsonschema_patterns_t;


/* state of matching in one check; zeroed, but for "steps" */

typedef struct {
    void                          *data;
    ngx_uint_t                    *steps;      /* that are left, counted down */
    ngx_uint_t                     cost;       /* of an item that is tried */
} ngx_ors_jsonschema_match_t;


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
 * Compiles "text", UTF-8, into memory of "pool" and of libpcre2; all patterns
 * are freed by ngx_ors_jsonschema_patterns_free(), once.  Takes a step for each
 * byte, and more where libpcre2 compares repeated items with one another.
 *
 * NGX_OK         "*pattern" is set
 * NGX_DECLINED   not a pattern, or too large
 * NGX_BUSY       no steps are left
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_jsonschema_pattern_compile(
    ngx_ors_jsonschema_patterns_t *patterns, ngx_pool_t *pool, ngx_str_t *text,
    ngx_uint_t *steps, ngx_ors_jsonschema_pattern_t **pattern);

void ngx_ors_jsonschema_patterns_free(ngx_ors_jsonschema_patterns_t *patterns);

/*
 * Searches "text", UTF-8.  The search takes steps, and so does each item of the
 * pattern that is tried, more of them the longer the text and the classes are.
 *
 * NGX_OK         found
 * NGX_DECLINED   not found
 * NGX_BUSY       no steps are left, or a limit of libpcre2
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_jsonschema_pattern_match(
    ngx_ors_jsonschema_patterns_t *patterns,
    ngx_ors_jsonschema_pattern_t *pattern, ngx_ors_jsonschema_match_t *match,
    const char *text, size_t len);

void ngx_ors_jsonschema_match_free(ngx_ors_jsonschema_match_t *match);

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

/* Memory that lasts until the check ends; NULL: there is none. */
void *ngx_ors_jsonschema_alloc(ngx_ors_jsonschema_walk_t *w, size_t size);

/* Sets "child" to an element, or to a member whose name is borrowed. */
void ngx_ors_jsonschema_element(ngx_ors_jsonschema_at_t *child,
    ngx_ors_jsonschema_at_t *at, json_t *json, ngx_uint_t i);
void ngx_ors_jsonschema_member(ngx_ors_jsonschema_at_t *child,
    ngx_ors_jsonschema_at_t *at, void *iter);

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

/* The type bit of a value, see ngx_ors_jsonschema_node.h. */
ngx_uint_t ngx_ors_jsonschema_type(json_t *value);

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
 * The sentence about a schema or an instance, and the path that it is about.
 */


/*
 * Both fill "report" for a whole text: "The JSON ..." and what "fmt" makes,
 * as ngx_sprintf() does; "keyword" is static.  They return NGX_BUSY and
 * NGX_DECLINED.
 */
ngx_int_t ngx_ors_jsonschema_busy(ngx_ors_jsonschema_report_t *report,
    const char *fmt, ...);
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


#endif /* _NGX_ORS_JSONSCHEMA_NODE_H_INCLUDED_ */
