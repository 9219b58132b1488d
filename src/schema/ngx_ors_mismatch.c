
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Sentences about a value that does not fit its rule: what it must be.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_mismatch.h>


static void ngx_ors_mismatch_name(ngx_ors_violation_t *violation,
    const ngx_str_t *last, const ngx_str_t *text);


static const ngx_ors_rule_t  ngx_ors_mismatch_string = {
    NGX_ORS_V_STRING, 0, 0, NULL, 0, 0, NULL, NULL
};


ngx_int_t
ngx_ors_mismatch_type(ngx_ors_violation_t *violation,
    ngx_ors_json_node_t *node, const ngx_ors_rule_t *rule)
{
    char  *or;

    ngx_ors_violation_set(violation, ngx_ors_code_invalid_type, "must be ");

    or = "";

    if (rule->types & NGX_ORS_V_BOOL) {
        ngx_ors_violation_add(violation, "a boolean");
        or = " or ";
    }

    if (rule->types & NGX_ORS_V_NUMBER) {
        ngx_ors_violation_add(violation, "%s%s", or,
                              ((rule->types & NGX_ORS_V_INTEGER)
                               == NGX_ORS_V_INTEGER)
                              ? "an integer" : "a number");
        or = " or ";
    }

    if (rule->types & NGX_ORS_V_STRING) {
        ngx_ors_violation_add(violation, "%sa string", or);
        or = " or ";
    }

    if (rule->types & NGX_ORS_V_ARRAY) {
        ngx_ors_violation_add(violation, "%san array", or);
        or = " or ";
    }

    if (rule->types & NGX_ORS_V_OBJECT) {
        ngx_ors_violation_add(violation, "%san object", or);
    }

    if (rule->types == NGX_ORS_V_NULL) {
        ngx_ors_violation_add(violation, "null");
    }

    ngx_ors_violation_found(violation, node);

    return NGX_DECLINED;
}


ngx_int_t
ngx_ors_mismatch_value(ngx_ors_violation_t *violation, ngx_uint_t profile,
    ngx_ors_json_node_t *node, const ngx_ors_value_t *values)
{
    const ngx_str_t        *text;
    const ngx_ors_value_t  *value;

    ngx_ors_violation_set(violation, ngx_ors_code_invalid_value, "must be ");

    text = NULL;

    for (value = values; value->text.len; value++) {

        if (value->in & profile) {
            ngx_ors_mismatch_name(violation, text, &value->text);
            text = &value->text;
        }
    }

    ngx_ors_mismatch_name(violation, text, NULL);
    ngx_ors_violation_found(violation, node);

    return NGX_DECLINED;
}


ngx_int_t
ngx_ors_mismatch_choice(ngx_ors_violation_t *violation, ngx_uint_t profile,
    ngx_ors_json_node_t *node, const ngx_ors_shape_t *shape)
{
    const ngx_str_t          *text;
    const ngx_ors_variant_t  *variant;

    if (node->type == ngx_ors_json_string) {
        ngx_ors_violation_set(violation, shape->code, "must be ");

        text = NULL;

        for (variant = shape->values; variant->name.len; variant++) {

            if (variant->in & profile) {
                ngx_ors_mismatch_name(violation, text, &variant->name);
                text = &variant->name;
            }
        }

        ngx_ors_mismatch_name(violation, text, NULL);
        ngx_ors_violation_found(violation, node);

    } else {
        ngx_ors_mismatch_type(violation, node, &ngx_ors_mismatch_string);
    }

    ngx_ors_violation_at_name(violation, &shape->key);

    return NGX_DECLINED;
}


/* a list of names: each is added when the next one is known, NULL: no more */

static void
ngx_ors_mismatch_name(ngx_ors_violation_t *violation, const ngx_str_t *last,
    const ngx_str_t *text)
{
    if (last == NULL) {
        return;
    }

    if (violation->listed) {
        ngx_ors_violation_add(violation, text ? ", " : " or ");
    }

    ngx_ors_violation_add(violation, "\"%V\"", last);

    violation->listed = 1;
}
