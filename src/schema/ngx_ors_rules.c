
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Rules that several tables share: lists of words, limits, formats.
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


ngx_ors_open_needed(ngx_ors_typed_shape,
    ngx_ors_row_needed("type", NULL));


/* values */

static const ngx_ors_value_t  ngx_ors_phases[] = {
    { ngx_string("commentary"), NGX_ORS_IN_ALL },
    { ngx_string("final_answer"), NGX_ORS_IN_ALL },
    ngx_ors_values_end
};

const ngx_ors_rule_t  ngx_ors_phase_rule =
    ngx_ors_rule_enum(0, ngx_ors_phases);


static const ngx_ors_value_t  ngx_ors_truncations[] = {
    { ngx_string("auto"), NGX_ORS_IN_ALL },
    { ngx_string("disabled"), NGX_ORS_IN_ALL },
    ngx_ors_values_end
};

const ngx_ors_rule_t  ngx_ors_truncation_rule =
    ngx_ors_rule_enum(0, ngx_ors_truncations);


static const ngx_ors_value_t  ngx_ors_verbosities[] = {
    { ngx_string("low"), NGX_ORS_IN_ALL },
    { ngx_string("medium"), NGX_ORS_IN_ALL },
    { ngx_string("high"), NGX_ORS_IN_ALL },
    ngx_ors_values_end
};

const ngx_ors_rule_t  ngx_ors_verbosity_rule =
    ngx_ors_rule_enum(0, ngx_ors_verbosities);


/* "minimal" is described and not listed (C12), clients send it */

static const ngx_ors_value_t  ngx_ors_efforts[] = {
    { ngx_string("none"), NGX_ORS_IN_ALL },
    { ngx_string("minimal"), NGX_ORS_IN_WIDE },
    { ngx_string("low"), NGX_ORS_IN_ALL },
    { ngx_string("medium"), NGX_ORS_IN_ALL },
    { ngx_string("high"), NGX_ORS_IN_ALL },
    { ngx_string("xhigh"), NGX_ORS_IN_ALL },
    { ngx_string("max"), NGX_ORS_IN_OPENAI },
    ngx_ors_values_end
};

const ngx_ors_rule_t  ngx_ors_effort_null_rule =
    ngx_ors_rule_enum(NGX_ORS_V_NULL, ngx_ors_efforts);


static const ngx_ors_value_t  ngx_ors_brevities[] = {
    { ngx_string("concise"), NGX_ORS_IN_ALL },
    { ngx_string("detailed"), NGX_ORS_IN_ALL },
    { ngx_string("auto"), NGX_ORS_IN_ALL },
    ngx_ors_values_end
};

const ngx_ors_rule_t  ngx_ors_brevity_null_rule =
    ngx_ors_rule_enum(NGX_ORS_V_NULL, ngx_ors_brevities);
