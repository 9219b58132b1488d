
/*
 * Validation as data: tables say what a value may be, one walker applies
 * them to a document and knows nothing of particular fields.
 *
 * It looks only at what the tables know.  Keys that are not in a table are
 * passed over, null stands for absent in every field, and a known key that
 * comes twice is refused.
 */


#ifndef _NGX_ORS_VALIDATE_H_INCLUDED_
#define _NGX_ORS_VALIDATE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_error.h>
#include <ngx_ors_json.h>


/* what a value may be: bits by ngx_ors_json_type_e */
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


typedef struct ngx_ors_rule_s   ngx_ors_rule_t;
typedef struct ngx_ors_shape_s  ngx_ors_shape_t;


/* a value; NULL as a rule: anything, or checked elsewhere */

struct ngx_ors_rule_s {
    ngx_uint_t                types;      /* NGX_ORS_V_ */
    int64_t                   min;        /* an integer; a string: 0 or 1 */
    int64_t                   max;        /* or code points, 0: no limit */
    const ngx_str_t          *values;     /* of a string, up to an empty one */

    /* an array */
    ngx_uint_t                nmin;       /* elements */
    ngx_uint_t                nmax;       /* 0: no limit */
    const ngx_ors_rule_t     *element;

    const ngx_ors_shape_t    *shape;      /* an object, NULL: any */
};


typedef struct {
    ngx_str_t                 name;
    const ngx_ors_rule_t     *rule;
} ngx_ors_field_t;


/* a list of these ends with an empty name, which stands for all others */

typedef struct {
    ngx_str_t                 name;
    const ngx_ors_shape_t    *shape;      /* NULL: refused */
} ngx_ors_variant_t;


/* an object with any keys */

typedef struct {
    ngx_uint_t                max;        /* members */
    size_t                    key_max;    /* code points */
    const ngx_ors_rule_t     *value;
} ngx_ors_map_t;


/*
 * An object: members by name, or one of the others.
 *
 * A choice: the shape follows from the string in member "key", or, where
 * that is absent, from another member that is there.  The shapes must know
 * "key", so that it is noticed when it comes twice.
 */

struct ngx_ors_shape_s {
    const ngx_ors_field_t    *fields;
    ngx_uint_t                nfields;    /* at most 64 */
    ngx_uint_t                required;   /* so many fields from the first */

    ngx_str_t                 key;
    const ngx_ors_variant_t  *values;     /* names are values of "key" */
    const ngx_ors_variant_t  *absent;     /* names are keys, NULL: refused */
    char                     *code;       /* of the error for other values */

    const ngx_ors_map_t      *map;
};


typedef struct {
    ngx_ors_json_t           *json;
    char                     *root;       /* what messages call the document */
    ngx_pool_t               *pool;
    ngx_ors_error_t          *err;
} ngx_ors_validate_t;


/*
 * Checks "node" of v->json against "shape".  If "found" is not NULL, the
 * shape has fields, and found[i] is set to the value of the field in row i
 * where that is there and not null.
 *
 * NGX_OK         the document is as "shape" says
 * NGX_DECLINED   v->err holds the first thing that is not: 400, "param" is
 *                a path from "node"; its texts come from v->pool
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_validate(ngx_ors_validate_t *v, ngx_ors_json_node_t *node,
    const ngx_ors_shape_t *shape, ngx_ors_json_node_t **found);


#endif /* _NGX_ORS_VALIDATE_H_INCLUDED_ */
