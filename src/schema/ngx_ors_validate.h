
/*
 * The walker applies tables to a document and knows nothing of particular
 * fields.
 */


#ifndef _NGX_ORS_VALIDATE_H_INCLUDED_
#define _NGX_ORS_VALIDATE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_error.h>
#include <ngx_ors_edit.h>
#include <ngx_ors_names.h>


/*
 * Validation as data: tables say what a value may be.
 *
 * One set of tables serves several profiles.  A row says which of them know
 * it and which of them require it: fields of a flavor are rows beside those
 * of the specification.
 */


/* names of fields are shorter */
#define NGX_ORS_SHAPE_NAME  32


/*
 * Profiles.  In the strict one of the specification null is a value like
 * others; in all others null means absent where a field is not required.
 */
#define NGX_ORS_STRICT_SPEC          0x01   /* strict, flavor "spec" */
#define NGX_ORS_STRICT_OPENAI        0x02   /* strict, flavor "openai" */
#define NGX_ORS_TOLERANT_SPEC        0x04   /* tolerant, flavor "spec" */
#define NGX_ORS_TOLERANT_OPENAI      0x08   /* tolerant, flavor "openai" */

/* sets of them, for rows */
#define NGX_ORS_IN_STRICT_SPEC      NGX_ORS_STRICT_SPEC
#define NGX_ORS_IN_STRICT_OPENAI    NGX_ORS_STRICT_OPENAI
#define NGX_ORS_IN_TOLERANT_SPEC    NGX_ORS_TOLERANT_SPEC
#define NGX_ORS_IN_TOLERANT_OPENAI  NGX_ORS_TOLERANT_OPENAI
#define NGX_ORS_IN_ALL       0x0f
#define NGX_ORS_IN_STRICT    (NGX_ORS_STRICT_SPEC|NGX_ORS_STRICT_OPENAI)
#define NGX_ORS_IN_OPENAI    (NGX_ORS_STRICT_OPENAI|NGX_ORS_TOLERANT_OPENAI)
#define NGX_ORS_IN_TOLERANT  (NGX_ORS_TOLERANT_SPEC|NGX_ORS_TOLERANT_OPENAI)
#define NGX_ORS_IN_CORE      (NGX_ORS_STRICT_SPEC|NGX_ORS_TOLERANT_SPEC)
#define NGX_ORS_IN_WIDE      (NGX_ORS_IN_OPENAI|NGX_ORS_IN_TOLERANT)


/* types of a value: bits by ngx_ors_json_type_e */
#define NGX_ORS_V_NULL     (1 << ngx_ors_json_null)
#define NGX_ORS_V_BOOL     ((1 << ngx_ors_json_false)                         \
                            | (1 << ngx_ors_json_true))
#define NGX_ORS_V_NUMBER   (1 << ngx_ors_json_number)
#define NGX_ORS_V_STRING   (1 << ngx_ors_json_string)
#define NGX_ORS_V_ARRAY    (1 << ngx_ors_json_array)
#define NGX_ORS_V_OBJECT   (1 << ngx_ors_json_object)

/* a number with zero fraction */
#define NGX_ORS_V_INTEGER  (0x100 | NGX_ORS_V_NUMBER)

/* a string of letters, digits, "_" and "-" */
#define NGX_ORS_V_NAME     (0x200 | NGX_ORS_V_STRING)

/* "min" of an integer that has none */
#define NGX_ORS_NO_MIN     INT64_MIN


typedef struct ngx_ors_rule_s   ngx_ors_rule_t;
typedef struct ngx_ors_shape_s  ngx_ors_shape_t;


/* a list of these ends with an empty text, which matches all others */

typedef struct {
    ngx_str_t                 text;
    ngx_uint_t                in;         /* profiles that know it */
} ngx_ors_value_t;


/* a value; NULL as a rule: anything, or checked elsewhere */

struct ngx_ors_rule_s {
    ngx_uint_t                types;      /* NGX_ORS_V_ */
    int64_t                   min;        /* an integer; a string: 0 or 1 */
    int64_t                   max;        /* or code points, 0: no limit */
    const ngx_ors_value_t    *values;     /* of a string, NULL: any */

    /* an array */
    ngx_uint_t                nmin;       /* elements */
    ngx_uint_t                nmax;       /* 0: no limit */
    const ngx_ors_rule_t     *element;    /* NULL: anything */

    const ngx_ors_shape_t    *shape;      /* an object, NULL: any */
};


/*
 * A member of an object.  A name may have several rows with other rules, of
 * which each profile knows one at most.  "fill" is the whole member as JSON,
 * "name":value, that is put into a document that is repaired when a required
 * one is absent, or null where it may not be; empty: it cannot be repaired.
 */

typedef struct {
    ngx_str_t                 name;
    ngx_uint_t                in;         /* profiles that know it */
    ngx_uint_t                need;       /* profiles that require it */
    const ngx_ors_rule_t     *rule;
    ngx_str_t                 fill;
} ngx_ors_field_t;


/* the name in "fill", with its quotes and the colon */
#define ngx_ors_fill_key_len(field)  ((field)->name.len + 3)


/* a list of these ends with an empty name, which matches all others */

typedef struct {
    ngx_str_t                 name;
    ngx_uint_t                in;         /* profiles that know it */
    const ngx_ors_shape_t    *shape;
} ngx_ors_variant_t;


/*
 * A name that another API has for something of this object.  It is refused,
 * whatever becomes of keys that are not known, in words that name what is
 * here.  A list of these has the shortest names first and ends with an empty
 * one.
 */

typedef struct {
    ngx_str_t                 name;
    ngx_uint_t                in;         /* profiles that refuse it */
    ngx_str_t                 text;       /* of the error, after the path */
} ngx_ors_foreign_t;


/* an object with any keys */

typedef struct {
    ngx_uint_t                max;        /* members, 0: no limit */
    size_t                    key_max;    /* code points, 0: no limit */
    const ngx_ors_rule_t     *value;
} ngx_ors_map_t;


/*
 * An object: members by name, or one of the others.
 *
 * A choice: the shape follows from the string in member "key", or, where
 * that is absent or null, from another member that is there.  A string of
 * the form "slug:name" is an extension (protocol, section 14).  The shapes must
 * know "key", so that it is noticed when it comes twice.
 */

struct ngx_ors_shape_s {
    const ngx_ors_field_t    *fields;
    ngx_uint_t                nfields;    /* at most 64 */
    ngx_uint_t                required;   /* rows with "need" come first */
    unsigned                  open:1;     /* no key is unknown */

    ngx_str_t                 key;
    const ngx_ors_variant_t  *values;     /* names are values of "key" */
    const ngx_ors_variant_t  *absent;     /* names are keys, NULL: refused */
    const ngx_ors_shape_t    *extension;  /* of "slug:name", NULL: refused */
    ngx_ors_code_e            code;       /* of the error for other values */

    const ngx_ors_map_t      *map;

    const ngx_ors_foreign_t  *foreign;    /* NULL: no such names */

    /* of types of tools that the operator has, and of their items, or NULL */
    const ngx_ors_shape_t    *tool;
    const ngx_ors_shape_t    *item;
};


/*
 * Keys of a document that no table has: the first of them, and their number.
 */

#define NGX_ORS_UNKNOWN_MAX  8


/* zeroed memory: none */

typedef struct {
    ngx_uint_t  n;
    uint32_t    keys[NGX_ORS_UNKNOWN_MAX];  /* places among the nodes */
} ngx_ors_unknown_t;


/* treatment of keys that the tables do not have */

typedef enum {
    ngx_ors_unknown_auto = 0,    /* pass, but not into another dialect */
    ngx_ors_unknown_pass,
    ngx_ors_unknown_strip,
    ngx_ors_unknown_reject
} ngx_ors_unknown_e;


/* how what a model thinks is shown */

typedef enum {
    ngx_ors_reasoning_summary = 0,
    ngx_ors_reasoning_content,
    ngx_ors_reasoning_off
} ngx_ors_reasoning_e;


/* form of a model's refusal for a client */

typedef enum {
    ngx_ors_refusal_part = 0,
    ngx_ors_refusal_text         /* as any other text */
} ngx_ors_refusal_e;


/* choices of the operator */

typedef struct {
    ngx_uint_t                profile;    /* NGX_ORS_STRICT_.., TOLERANT_.. */
    ngx_uint_t                unknown;    /* ngx_ors_unknown_e */
    ngx_uint_t                mask;       /* hide upstream's error texts */
    ngx_uint_t                reasoning;  /* ngx_ors_reasoning_e */
    ngx_uint_t                refusal;    /* ngx_ors_refusal_e */
    ngx_array_t              *types;      /* of ngx_keyval_t, of the tools */
                                          /* that are served here, and of */
                                          /* their items; NULL: none */
} ngx_ors_policy_t;


/*
 * Says what value, JSON "text", to fill in for the field in row "i" of
 * "shape" in "object", when the table's own is not the best.
 *
 * NGX_OK         "text" is set
 * NGX_DECLINED   the table's own is
 * NGX_ERROR      no memory
 */
typedef ngx_int_t (*ngx_ors_fill_pt)(void *data,
    const ngx_ors_shape_t *shape, ngx_uint_t i, ngx_ors_json_node_t *object,
    ngx_str_t *text);


typedef struct {
    ngx_ors_json_t           *json;
    ngx_ors_policy_t         *policy;
    char                     *root;       /* its name in messages */
    ngx_pool_t               *pool;
    ngx_ors_error_t          *err;

    /* stripped and filled members; NULL: nothing is changed */
    ngx_ors_edits_t          *edits;
    /* brackets for objects in place of lists that may be strings, where a */
    /* profile is tolerant; NULL: none */
    ngx_ors_edits_t          *lists;

    ngx_ors_fill_pt           fill;       /* NULL: tables only */
    void                     *data;       /* for "fill" */

    ngx_uint_t                nfound;     /* rows for "found", 0: all */

    /* takes keys that are not known, of the root and of objects in it */
    ngx_ors_unknown_t        *unknown;    /* NULL, or two of them */

    unsigned                  repair:1;   /* fill in what is missing, and */
                                          /* leave out null if it may not be */
    unsigned                  discreet:1; /* messages quote no values */
    unsigned                  lax:1;      /* types count, and what an object */
                                          /* is; values have no limits */
} ngx_ors_validate_t;


/*
 * The search of an object's fields by name: it is most of a walk.
 */

#define NGX_ORS_FIELD_MAX    64     /* of a shape */
#define NGX_ORS_FIELD_ORDER  16     /* a power of two */


/*
 * The fields of each length of a name, one after the other, as their numbers
 * from 1.  Objects of a shape have their members in one order mostly: "order"
 * is that of the last one, from 0.
 */

typedef struct {
    const ngx_ors_shape_t  *shape;
    u_char                  order[NGX_ORS_FIELD_ORDER];
    u_char                  first[NGX_ORS_SHAPE_NAME + 1];
    u_char                  next[NGX_ORS_FIELD_MAX + 1];
} ngx_ors_field_index_t;


#define ngx_ors_field_is(field, text, profile)                                \
    (*(field)->name.data == *(text)->data                                     \
     && ngx_ors_same_bytes((field)->name.data, (text)->data, (text)->len)     \
     && ((field)->in & (profile)))


/* Adds "key" of "json". */

static ngx_inline void
ngx_ors_unknown_add(ngx_ors_unknown_t *unknown, ngx_ors_json_t *json,
    ngx_ors_json_node_t *key)
{
    if (unknown->n < NGX_ORS_UNKNOWN_MAX) {
        unknown->keys[unknown->n] = (uint32_t) (key - json->nodes);
    }

    unknown->n++;
}


/*
 * Checks "node" of v->json against "shape".  If "found" is not NULL, the
 * shape has fields, and found[i] is set to the value of the field in row i,
 * up to row v->nfound, where that is there and not null.
 *
 * Looks only at what the tables know; a known key that comes twice is
 * refused.
 *
 * NGX_OK         the document is as "shape" says, or is with v->edits
 * NGX_DECLINED   v->err holds the first thing that is not: 400, "param" is
 *                a path from "node"; its texts come from v->pool
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_validate(ngx_ors_validate_t *v, ngx_ors_json_node_t *node,
    const ngx_ors_shape_t *shape, ngx_ors_json_node_t **found);

/* 1 if "shape" has a field "name", decoded text, that "profile" knows. */
ngx_uint_t ngx_ors_validate_knows(const ngx_ors_shape_t *shape,
    const ngx_str_t *name, ngx_uint_t profile);

/*
 * The index of "shape", in memory of the process, not for threads.  It is that
 * until an index of another shape is asked for, at least: some share a place.
 */
ngx_ors_field_index_t *ngx_ors_field_index(const ngx_ors_shape_t *shape);

/* Makes "index" that of "shape". */
void ngx_ors_field_index_fill(ngx_ors_field_index_t *index,
    const ngx_ors_shape_t *shape);


/* The field "name"; NULL if "profile" knows none. */

static ngx_inline const ngx_ors_field_t *
ngx_ors_field_find(const ngx_ors_field_index_t *index, const ngx_str_t *name,
    ngx_uint_t profile)
{
    ngx_uint_t              n;
    const ngx_ors_field_t  *field;

    if (name->len > NGX_ORS_SHAPE_NAME) {
        return NULL;
    }

    for (n = index->first[name->len]; n; n = index->next[n]) {
        field = &index->shape->fields[n - 1];

        if (ngx_ors_field_is(field, name, profile)) {
            return field;
        }
    }

    return NULL;
}


/*
 * The same for the name of member "i" of an object.  "index" was that of
 * "shape": its place may have been taken while members were walked through.
 */

static ngx_inline const ngx_ors_field_t *
ngx_ors_field_next(ngx_ors_field_index_t *index, const ngx_ors_shape_t *shape,
    ngx_uint_t i, const ngx_str_t *name, ngx_uint_t profile)
{
    u_char                 *n;
    const ngx_ors_field_t  *field;

    if (index->shape != shape) {
        ngx_ors_field_index_fill(index, shape);
    }

    n = &index->order[i & (NGX_ORS_FIELD_ORDER - 1)];

    if (*n < shape->nfields) {
        field = &shape->fields[*n];

        if (field->name.len == name->len
            && ngx_ors_field_is(field, name, profile))
        {
            return field;
        }
    }

    field = ngx_ors_field_find(index, name, profile);

    if (field) {
        *n = (u_char) (field - shape->fields);
    }

    return field;
}


#endif /* _NGX_ORS_VALIDATE_H_INCLUDED_ */
