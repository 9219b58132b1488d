
/*
 * Validation as data: tables say what a value may be.
 *
 * One set of tables serves several profiles.  A row says which of them know
 * it and which of them require it: fields of a flavor are rows beside those
 * of the specification.
 */


#ifndef _NGX_ORS_SHAPE_H_INCLUDED_
#define _NGX_ORS_SHAPE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_error.h>
#include <ngx_ors_json.h>


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
};


#endif /* _NGX_ORS_SHAPE_H_INCLUDED_ */
