
/*
 * Sentences about a value that does not fit its rule: what it must be.  Each
 * sets "violation" and returns NGX_DECLINED.
 */


#ifndef _NGX_ORS_MISMATCH_H_INCLUDED_
#define _NGX_ORS_MISMATCH_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_validate.h>
#include <ngx_ors_violation.h>


/* "node" is of a type that "rule" does not have. */
ngx_int_t ngx_ors_mismatch_type(ngx_ors_violation_t *violation,
    ngx_ors_json_node_t *node, const ngx_ors_rule_t *rule);

/* String "node" is none of "values", as far as "profile" knows them. */
ngx_int_t ngx_ors_mismatch_value(ngx_ors_violation_t *violation,
    ngx_uint_t profile, ngx_ors_json_node_t *node,
    const ngx_ors_value_t *values);

/* "node", the key of an object by which "shape" chooses, chooses nothing. */
ngx_int_t ngx_ors_mismatch_choice(ngx_ors_violation_t *violation,
    ngx_uint_t profile, ngx_ors_json_node_t *node,
    const ngx_ors_shape_t *shape);


#endif /* _NGX_ORS_MISMATCH_H_INCLUDED_ */
