
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

const ngx_ors_rule_t  ngx_ors_count_rule =
    ngx_ors_rule_integer(0, 0);

const ngx_ors_rule_t  ngx_ors_objects_rule =
    ngx_ors_rule_list(0, &ngx_ors_object_rule);

const ngx_ors_rule_t  ngx_ors_name_rule =
    ngx_ors_rule(NGX_ORS_V_NAME, 1, 64);

const ngx_ors_rule_t  ngx_ors_any_code_rule =
    ngx_ors_rule(NGX_ORS_V_STRING|NGX_ORS_V_NUMBER|NGX_ORS_V_NULL, 0, 0);


/* metadata: the specification limits its keys in words only */

static const ngx_ors_rule_t  ngx_ors_metadata_value_rule =
    ngx_ors_rule(NGX_ORS_V_STRING, 0, 512);

static const ngx_ors_map_t  ngx_ors_metadata_map = {
    16, 64, &ngx_ors_metadata_value_rule
};

static const ngx_ors_shape_t  ngx_ors_metadata_shape =
    ngx_ors_shape_map(&ngx_ors_metadata_map);

const ngx_ors_rule_t  ngx_ors_metadata_rule =
    ngx_ors_rule_object(NGX_ORS_V_NULL, &ngx_ors_metadata_shape);


ngx_ors_members_needed(ngx_ors_plain_shape,
    ngx_ors_row_needed("type", NULL));


ngx_ors_open_needed(ngx_ors_typed_shape,
    ngx_ors_row_needed("type", NULL));


/* values */

ngx_ors_words(ngx_ors_phase_rule, 0,
    ngx_ors_word("commentary"), ngx_ors_word("final_answer"));


ngx_ors_words(ngx_ors_truncation_rule, 0,
    ngx_ors_word("auto"), ngx_ors_word("disabled"));


ngx_ors_words(ngx_ors_verbosity_rule, 0,
    ngx_ors_word("low"), ngx_ors_word("medium"), ngx_ors_word("high"));


/* "minimal" is described and not listed (C12), clients send it */

ngx_ors_words(ngx_ors_effort_null_rule, NGX_ORS_V_NULL,
    ngx_ors_word("none"), ngx_ors_word_in("minimal", WIDE),
    ngx_ors_word("low"), ngx_ors_word("medium"), ngx_ors_word("high"),
    ngx_ors_word("xhigh"), ngx_ors_word_in("max", OPENAI));


ngx_ors_words(ngx_ors_brevity_null_rule, NGX_ORS_V_NULL,
    ngx_ors_word("concise"), ngx_ors_word("detailed"), ngx_ors_word("auto"));
