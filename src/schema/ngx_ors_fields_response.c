
/*
 * Copyright (C) Open Responses contributors
 */


/* The response object and that of a compaction (protocol, sections 7, 12). */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_fields_answer.h>


/* a list of items in flavor "openai" */

static const ngx_ors_rule_t  ngx_ors_resource_instructions_rule =
    ngx_ors_rule_list(NGX_ORS_V_STRING|NGX_ORS_V_NULL, &ngx_ors_object_rule);


static ngx_ors_members_needed(ngx_ors_resource_incomplete_shape,
    ngx_ors_row_in("reason", ALL, CORE, &ngx_ors_string_rule));


/* a code is made up where there is none (C27) */

static ngx_ors_members_needed(ngx_ors_resource_error_shape,
    ngx_ors_row_filled("code", &ngx_ors_string_rule, "\"server_error\""),
    ngx_ors_row_needed("message", &ngx_ors_string_rule));


/* usage */

static ngx_ors_members_needed(ngx_ors_resource_input_details_shape,
    ngx_ors_row_filled("cached_tokens", &ngx_ors_integer_rule, "0"));


static ngx_ors_members_needed(ngx_ors_resource_output_details_shape,
    ngx_ors_row_filled("reasoning_tokens", &ngx_ors_integer_rule, "0"));


ngx_ors_members_needed(ngx_ors_fields_usage,
    ngx_ors_row_needed("input_tokens", &ngx_ors_integer_rule),
    ngx_ors_row_needed("output_tokens", &ngx_ors_integer_rule),
    ngx_ors_row_filled("total_tokens", &ngx_ors_integer_rule, "0"),
    ngx_ors_row_filled("input_tokens_details",
                       ngx_ors_object_of(resource_input_details),
                       "{\"cached_tokens\":0}"),
    ngx_ors_row_filled("output_tokens_details",
                       ngx_ors_object_of(resource_output_details),
                       "{\"reasoning_tokens\":0}"));


static ngx_ors_words(ngx_ors_resource_object_rule, 0,
    ngx_ors_word("response"));

static const ngx_ors_rule_t  ngx_ors_incomplete_rule =
    ngx_ors_rule_object(NGX_ORS_V_NULL, &ngx_ors_resource_incomplete_shape);

static const ngx_ors_rule_t  ngx_ors_resource_error_rule =
    ngx_ors_rule_object(NGX_ORS_V_NULL, &ngx_ors_resource_error_shape);

static const ngx_ors_rule_t  ngx_ors_usage_null_rule =
    ngx_ors_rule_object(NGX_ORS_V_NULL, &ngx_ors_fields_usage);


#define ngx_ors_resource_row(name, form, in, rule, value)                     \
    ngx_ors_resource_##form(#name, in, rule, value),

#define ngx_ors_resource_needed(name, in, rule, value)                        \
    ngx_ors_row_in(name, in, in, rule)

#define ngx_ors_resource_filled(name, in, rule, value)                        \
    ngx_ors_row_filled_in(name, in, in, rule, value)


/* rows as in ngx_ors_rs_field_e, then what flavor "openai" has otherwise */

ngx_ors_members(ngx_ors_fields_response,
    (NGX_ORS_RESPONSE_FIELDS(ngx_ors_resource_row)
     ngx_ors_row_filled_in("created_at", OPENAI, OPENAI, &ngx_ors_number_rule,
                           "0"),
     ngx_ors_row_filled_in("instructions", OPENAI, OPENAI,
                           &ngx_ors_resource_instructions_rule, "null")),
    ngx_ors_row_of("user", OPENAI, &ngx_ors_string_rule),
    ngx_ors_row_of("conversation", OPENAI, &ngx_ors_object_rule),
    ngx_ors_row_of("prompt", OPENAI, &ngx_ors_object_rule),
    ngx_ors_row_of("prompt_cache_retention", OPENAI, &ngx_ors_string_rule),
    ngx_ors_row_of("output_text", OPENAI, &ngx_ors_string_rule),
    ngx_ors_row_of("end_turn", OPENAI, &ngx_ors_boolean_rule),
    ngx_ors_row_of("content_filters", OPENAI, ngx_ors_is_list(0, NULL)),
    ngx_ors_row_of("moderation", OPENAI, NULL),
    ngx_ors_row_of("billing", OPENAI, NULL));


/* a compaction */

ngx_ors_members_needed(ngx_ors_fields_compaction,
    ngx_ors_row_needed("id", &ngx_ors_string_rule),
    ngx_ors_row_filled("object", ngx_ors_is_word("response.compaction"),
                       "\"response.compaction\""),
    ngx_ors_row_needed("output", &ngx_ors_output_items_rule),
    ngx_ors_row_filled("created_at", &ngx_ors_integer_rule, "0"),
    ngx_ors_row_needed("usage", ngx_ors_is_object(0, &ngx_ors_fields_usage)));
