
/*
 * JSON values as schemas see them: 1 and 1.0 are one number.
 */


#ifndef _NGX_ORS_JSONSCHEMA_VALUE_H_INCLUDED_
#define _NGX_ORS_JSONSCHEMA_VALUE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <jansson.h>
#include <ngx_ors_jsonschema.h>


/* bytes that are hashed, copied, compared or searched in the time of a step */
#define NGX_ORS_JSONSCHEMA_BYTES  64


/* Steps to look up "n" names of "len" bytes in all. */
#define ngx_ors_jsonschema_names_cost(n, len)                                 \
    ((n) / 4 + (len) / NGX_ORS_JSONSCHEMA_BYTES)

/* Takes "n" of the steps that are left: NGX_OK, or NGX_BUSY: not so many. */
ngx_int_t ngx_ors_jsonschema_step(ngx_uint_t *steps, size_t n);

/* how large a text is when it is parsed */

typedef struct {
    ngx_uint_t    depth;      /* the deepest */
    ngx_uint_t    values;
    ngx_uint_t    objects;
    unsigned      tiny:1;     /* 1e-400 */
} ngx_ors_jsonschema_extent_t;


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


#endif /* _NGX_ORS_JSONSCHEMA_VALUE_H_INCLUDED_ */
