
/*
 * Copyright (C) Open Responses contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_rules.h>


const ngx_ors_rule_t  ngx_ors_boolean_rule =
    ngx_ors_rule(NGX_ORS_V_BOOL, 0, 0);

const ngx_ors_rule_t  ngx_ors_boolean_null_rule =
    ngx_ors_rule(NGX_ORS_V_BOOL|NGX_ORS_V_NULL, 0, 0);

const ngx_ors_rule_t  ngx_ors_number_rule =
    ngx_ors_rule(NGX_ORS_V_NUMBER, 0, 0);

const ngx_ors_rule_t  ngx_ors_number_null_rule =
    ngx_ors_rule(NGX_ORS_V_NUMBER|NGX_ORS_V_NULL, 0, 0);

const ngx_ors_rule_t  ngx_ors_integer_rule =
    ngx_ors_rule_integer(NGX_ORS_NO_MIN, 0);

const ngx_ors_rule_t  ngx_ors_integer_null_rule =
    ngx_ors_rule(NGX_ORS_V_INTEGER|NGX_ORS_V_NULL, NGX_ORS_NO_MIN, 0);

const ngx_ors_rule_t  ngx_ors_string_rule =
    ngx_ors_rule(NGX_ORS_V_STRING, 0, 0);

const ngx_ors_rule_t  ngx_ors_string_null_rule =
    ngx_ors_rule(NGX_ORS_V_STRING|NGX_ORS_V_NULL, 0, 0);

const ngx_ors_rule_t  ngx_ors_null_rule =
    ngx_ors_rule(NGX_ORS_V_NULL, 0, 0);

const ngx_ors_rule_t  ngx_ors_object_rule =
    ngx_ors_rule_object(0, NULL);

const ngx_ors_rule_t  ngx_ors_object_null_rule =
    ngx_ors_rule_object(NGX_ORS_V_NULL, NULL);

const ngx_ors_rule_t  ngx_ors_text_rule =
    ngx_ors_rule(NGX_ORS_V_STRING, 0, 10 * NGX_ORS_MI);


static const ngx_ors_field_t  ngx_ors_typed_fields[] = {
    ngx_ors_row_needed("type", NULL)
};

const ngx_ors_shape_t  ngx_ors_typed_shape =
    ngx_ors_shape_open(ngx_ors_typed_fields, 1);
