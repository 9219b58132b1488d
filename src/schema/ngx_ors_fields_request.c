
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The body that creates a response, and that of a compaction.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_fields_items.h>
#include <ngx_ors_fields.h>
#include <ngx_ors_violation.h>
#include <ngx_ors_book.h>


/* include: where the profile is tolerant, values not known are ignored */

#define ngx_ors_include_hosted(name, as, busy, include, ...)                  \
    { ngx_string(include), NGX_ORS_IN_OPENAI },


#define ngx_ors_create_row(name, rule)                                        \
    ngx_ors_row(#name, &ngx_ors_##rule##_rule),

#define ngx_ors_create_row_wide(name, in, rule)                               \
    ngx_ors_row_of(#name, in, rule),

#define ngx_ors_create_row_openai(name, rule)                                 \
    ngx_ors_row_openai(#name, &ngx_ors_##rule##_rule),

/* hosted tools are not ours to check */

#define ngx_ors_echo_hosted(name, ...)                                        \
    { ngx_string(#name), NGX_ORS_IN_OPENAI, &ngx_ors_typed_shape },


static ngx_ors_words(ngx_ors_includes_rule, 0,
    ngx_ors_word("reasoning.encrypted_content"),
    ngx_ors_word("message.output_text.logprobs"),
    NGX_ORS_HOSTED_TYPES(ngx_ors_include_hosted)
    ngx_ors_word_in("web_search_call.results", OPENAI),
    ngx_ors_word_in("message.input_image.image_url", OPENAI),
    ngx_ors_word_in("computer_call_output.output.image_url", OPENAI),
    ngx_ors_other_words(TOLERANT));

static const ngx_ors_rule_t  ngx_ors_include_rule =
    ngx_ors_rule_list(0, &ngx_ors_includes_rule);


/* text; nothing is required: a dialect says what it cannot do without */

static ngx_ors_members_optional(ngx_ors_json_schema_shape,
    ngx_ors_row("type", &ngx_ors_string_rule),
    ngx_ors_row("name", &ngx_ors_string_rule),
    ngx_ors_row("schema", &ngx_ors_object_rule),
    ngx_ors_row("strict", &ngx_ors_boolean_null_rule),
    ngx_ors_row("description", &ngx_ors_string_rule));


/* json_object is of the response's formats only, clients send it (C11) */

static const ngx_ors_variant_t  ngx_ors_untyped_formats[] = {
    ngx_ors_others(ALL, json_schema)
};

static ngx_ors_variants_of(ngx_ors_format_shape, "type",
    ngx_ors_untyped_formats, NULL,
    ngx_ors_variant("text", ALL, plain),
    ngx_ors_variant("json_schema", ALL, json_schema),
    ngx_ors_variant("json_object", WIDE, plain));


static ngx_ors_members_optional(ngx_ors_text_param_shape,
    ngx_ors_row("format", ngx_ors_object_or_null(format)),
    ngx_ors_row("verbosity", &ngx_ors_verbosity_rule));

static const ngx_ors_rule_t  ngx_ors_text_param_rule =
    ngx_ors_rule_object(NGX_ORS_V_NULL, &ngx_ors_text_param_shape);


/* stream_options */

static ngx_ors_members_optional(ngx_ors_stream_options_shape,
    ngx_ors_row("include_obfuscation", &ngx_ors_boolean_rule),
    ngx_ors_row_openai("include_usage", &ngx_ors_boolean_rule),
    ngx_ors_row_openai_any("reasoning_summary_delivery"));

static const ngx_ors_rule_t  ngx_ors_stream_options_rule =
    ngx_ors_rule_object(NGX_ORS_V_NULL, &ngx_ors_stream_options_shape);


/* reasoning */

static ngx_ors_members_optional(ngx_ors_reasoning_shape,
    ngx_ors_row("effort", &ngx_ors_effort_null_rule),
    ngx_ors_row("summary", &ngx_ors_brevity_null_rule),
    ngx_ors_row_openai("context", &ngx_ors_string_rule),
    ngx_ors_row_openai("generate_summary", &ngx_ors_brevity_null_rule),
    ngx_ors_row_openai("mode", &ngx_ors_string_rule));

static const ngx_ors_rule_t  ngx_ors_reasoning_rule =
    ngx_ors_rule_object(NGX_ORS_V_NULL, &ngx_ors_reasoning_shape);


/* the other parameters */

static ngx_ors_words(ngx_ors_service_tier_rule, 0,
    ngx_ors_word("auto"), ngx_ors_word("default"), ngx_ors_word("flex"),
    ngx_ors_word("priority"), ngx_ors_word_in("scale", OPENAI),
    ngx_ors_word_in("fast", OPENAI), ngx_ors_word_in("ultrafast", OPENAI));

static const ngx_ors_rule_t  ngx_ors_max_output_tokens_rule =
    ngx_ors_rule(NGX_ORS_V_INTEGER|NGX_ORS_V_NULL, 16, 0);

static const ngx_ors_rule_t  ngx_ors_max_tool_calls_rule =
    ngx_ors_rule(NGX_ORS_V_INTEGER|NGX_ORS_V_NULL, 1, 0);

static const ngx_ors_rule_t  ngx_ors_compact_threshold_rule =
    ngx_ors_rule(NGX_ORS_V_INTEGER|NGX_ORS_V_NULL, 1000, 0);

static const ngx_ors_rule_t  ngx_ors_top_logprobs_rule =
    ngx_ors_rule(NGX_ORS_V_INTEGER|NGX_ORS_V_NULL, 0, 20);


/* compaction, perhaps types that other servers know */

static ngx_ors_members(ngx_ors_context_edit_shape,
    (ngx_ors_row_needed("type", &ngx_ors_string_rule)),
    ngx_ors_row("compact_threshold", &ngx_ors_compact_threshold_rule));

static const ngx_ors_rule_t  ngx_ors_context_management_rule =
    ngx_ors_rule_list(NGX_ORS_V_NULL, ngx_ors_object_of(context_edit));


/* names of Chat Completions for our fields: its clients learn ours */

static const ngx_ors_foreign_t  ngx_ors_chat_names[] = {
    ngx_ors_foreign("messages", "it is \"input\" here"),
    ngx_ors_foreign("functions", "they are \"tools\" here"),
    ngx_ors_foreign("max_tokens", "it is \"max_output_tokens\" here"),
    ngx_ors_foreign("function_call", "it is \"tool_choice\" here"),
    ngx_ors_foreign("response_format", "it is \"text.format\" here"),
    ngx_ors_foreign("max_completion_tokens",
                    "it is \"max_output_tokens\" here"),
    ngx_ors_foreign_end
};

ngx_ors_members_foreign(ngx_ors_fields_create, ngx_ors_chat_names, 0, 0,
    NGX_ORS_REQUEST_FIELDS(ngx_ors_create_row)
    NGX_ORS_REQUEST_FIELDS_WIDE(ngx_ors_create_row_wide)
    NGX_ORS_REQUEST_FIELDS_OPENAI(ngx_ors_create_row_openai));


/* compact: clients of the flavor send what they would for an answer */

ngx_ors_members(ngx_ors_fields_compact,
    (ngx_ors_row_needed("model", &ngx_ors_string_rule)),
    ngx_ors_row("input", &ngx_ors_input_rule),
    ngx_ors_row("instructions", &ngx_ors_string_null_rule),
    ngx_ors_row("previous_response_id", &ngx_ors_string_null_rule),
    ngx_ors_row("prompt_cache_key", &ngx_ors_identifier_rule),
    ngx_ors_row_openai("tools", &ngx_ors_tools_rule),
    ngx_ors_row_openai("parallel_tool_calls", &ngx_ors_boolean_rule),
    ngx_ors_row_openai("reasoning", &ngx_ors_reasoning_rule),
    ngx_ors_row_openai("service_tier", &ngx_ors_service_tier_rule),
    ngx_ors_row_openai("text", &ngx_ors_text_param_rule),
    ngx_ors_row_openai("prompt_cache_retention", &ngx_ors_string_rule),
    ngx_ors_row_openai("prompt_cache_options", &ngx_ors_object_rule),
    ngx_ors_row_openai("image", &ngx_ors_object_rule));


/*
 * Embeddings: their request and their answer.
 */


/* POST embeddings */


/*
 * The input: a text or its tokens, or a list of them.  A list of both is not
 * refused here: each element has one rule.  Some servers take images as
 * objects, or messages in place of the input.
 */

static const ngx_ors_rule_t  ngx_ors_embeddings_element_rule = {
    NGX_ORS_V_STRING|NGX_ORS_V_INTEGER|NGX_ORS_V_ARRAY, 0, 0, NULL,
    1, 0, &ngx_ors_count_rule, NULL
};

static const ngx_ors_rule_t  ngx_ors_embeddings_input_rule = {
    NGX_ORS_V_STRING|NGX_ORS_V_ARRAY, 0, 0, NULL,
    1, 0, &ngx_ors_embeddings_element_rule, NULL
};

static const ngx_ors_rule_t  ngx_ors_embeddings_any_element_rule = {
    NGX_ORS_V_STRING|NGX_ORS_V_INTEGER|NGX_ORS_V_ARRAY|NGX_ORS_V_OBJECT, 0, 0,
    NULL, 1, 0, &ngx_ors_count_rule, NULL
};

static const ngx_ors_rule_t  ngx_ors_embeddings_any_input_rule = {
    NGX_ORS_V_STRING|NGX_ORS_V_ARRAY|NGX_ORS_V_OBJECT, 0, 0, NULL,
    1, 0, &ngx_ors_embeddings_any_element_rule, NULL
};


static ngx_ors_words(ngx_ors_embeddings_formats_rule, 0,
    ngx_ors_word("float"), ngx_ors_word("base64"));

ngx_ors_members(ngx_ors_fields_embeddings_request,
    (ngx_ors_row_in("model", ALL, STRICT, &ngx_ors_string_rule),
     ngx_ors_row_in("input", STRICT, STRICT, &ngx_ors_embeddings_input_rule)),
    ngx_ors_row_of("input", TOLERANT, &ngx_ors_embeddings_any_input_rule),
    ngx_ors_row_of("encoding_format", STRICT,
                   &ngx_ors_embeddings_formats_rule),
    ngx_ors_row_of("encoding_format", TOLERANT, &ngx_ors_string_rule),
    ngx_ors_row("dimensions", ngx_ors_is_integer(1, 0)),
    ngx_ors_row("user", &ngx_ors_string_rule));


/* the answer: a vector is an array of numbers, or their bytes in base64 */

static const ngx_ors_rule_t  ngx_ors_embeddings_vector_rule = {
    NGX_ORS_V_STRING|NGX_ORS_V_ARRAY, 1, 0, NULL,
    1, 0, &ngx_ors_number_rule, NULL
};

static ngx_ors_members_needed(ngx_ors_embeddings_vector_shape,
    ngx_ors_row_filled("object", ngx_ors_is_word("embedding"),
                       "\"embedding\""),
    ngx_ors_row_filled("index", &ngx_ors_count_rule, "0"),
    ngx_ors_row_needed("embedding", &ngx_ors_embeddings_vector_rule));


static const ngx_ors_rule_t  ngx_ors_embeddings_data_rule = {
    NGX_ORS_V_ARRAY, 0, 0, NULL,
    1, 0, ngx_ors_object_of(embeddings_vector), NULL
};


static ngx_ors_members_needed(ngx_ors_embeddings_usage_shape,
    ngx_ors_row_filled("prompt_tokens", &ngx_ors_count_rule, "0"),
    ngx_ors_row_filled("total_tokens", &ngx_ors_count_rule, "0"));


ngx_ors_members_needed(ngx_ors_fields_embeddings_answer,
    ngx_ors_row_needed("data", &ngx_ors_embeddings_data_rule),
    ngx_ors_row_filled("object", ngx_ors_is_word("list"), "\"list\""),
    ngx_ors_row_filled("model", &ngx_ors_string_rule, "\"\""),
    ngx_ors_row_filled("usage", ngx_ors_object_of(embeddings_usage),
                       "{\"prompt_tokens\":0,\"total_tokens\":0}"));


/*
 * Echoes of a request in answers (protocol, sections 5 and 6).  A tolerant
 * profile lets the request have more, so its echo may have that.
 */


/* tools */

static ngx_ors_typed(ngx_ors_echo_function_shape,
    (ngx_ors_row_needed("name", &ngx_ors_string_rule),
     ngx_ors_row_filled_in("description", ALL, CORE, &ngx_ors_string_null_rule,
                           "null"),
     ngx_ors_row_filled("parameters", &ngx_ors_object_null_rule, "null"),
     ngx_ors_row_filled("strict", &ngx_ors_boolean_null_rule, "null")),
    ngx_ors_row_of("defer_loading", OPENAI, &ngx_ors_boolean_rule));


/* custom and namespace */

static ngx_ors_open_needed(ngx_ors_echo_named_shape,
    ngx_ors_row_needed("type", NULL),
    ngx_ors_row_needed("name", &ngx_ors_string_rule));

static ngx_ors_variants_of(ngx_ors_echo_tool_shape, "type",
    NULL, &ngx_ors_typed_shape,
    ngx_ors_variant("function", ALL, echo_function),
    ngx_ors_variant("custom", OPENAI, echo_named),
    ngx_ors_variant("namespace", OPENAI, echo_named),
    NGX_ORS_HOSTED_TYPES(ngx_ors_echo_hosted)
    NGX_ORS_HOSTED_ALIASES(ngx_ors_echo_hosted)
    NGX_ORS_TOOLS(ngx_ors_echo_hosted)
    ngx_ors_variant("tool_search", OPENAI, typed),
    ngx_ors_others(TOLERANT, typed));

const ngx_ors_rule_t  ngx_ors_echo_tools_rule =
    ngx_ors_rule_list(0, ngx_ors_object_of(echo_tool));


/* tool_choice */

static const ngx_ors_value_t  ngx_ors_echo_tool_modes[] = {
    ngx_ors_word("none"), ngx_ors_word("auto"), ngx_ors_word("required"),
    ngx_ors_values_end
};


static ngx_ors_typed_optional(ngx_ors_echo_chosen_shape,
    ngx_ors_row("name", &ngx_ors_string_rule),
    ngx_ors_row_of("namespace", OPENAI, &ngx_ors_string_rule));


static ngx_ors_variants(ngx_ors_echo_allowed_shape, "type",
    ngx_ors_variant("function", ALL, echo_chosen),
    ngx_ors_others(WIDE, typed));


static ngx_ors_typed_needed(ngx_ors_echo_allowed_tools_shape,
    ngx_ors_row_needed("tools", ngx_ors_list_of(echo_allowed)),
    ngx_ors_row_filled("mode", ngx_ors_is_enum(0, ngx_ors_echo_tool_modes),
                       "\"auto\""));


/* a choice of any tool that flavor "openai" has: its type, mostly */

static ngx_ors_variants(ngx_ors_echo_tool_choice_shape, "type",
    ngx_ors_variant("function", ALL, echo_chosen),
    ngx_ors_variant("allowed_tools", ALL, echo_allowed_tools),
    ngx_ors_others(WIDE, typed));

const ngx_ors_rule_t  ngx_ors_echo_tool_choice_rule = {
    NGX_ORS_V_STRING|NGX_ORS_V_OBJECT, 0, 0,
    ngx_ors_echo_tool_modes, 0, 0, NULL, &ngx_ors_echo_tool_choice_shape
};


/* text: the schema is null in the specification only (C7) */

static ngx_ors_typed_needed(ngx_ors_echo_json_schema_shape,
    ngx_ors_row_needed("name", &ngx_ors_string_rule),
    ngx_ors_row_filled_in("description", ALL, CORE, &ngx_ors_string_null_rule,
                          "null"),
    ngx_ors_row_filled_in("schema", STRICT_SPEC, STRICT_SPEC,
                          &ngx_ors_null_rule, "null"),
    ngx_ors_row_filled_in("schema", WIDE, TOLERANT_SPEC,
                          &ngx_ors_object_null_rule, "null"),
    ngx_ors_row_filled_in("strict", ALL, CORE, &ngx_ors_boolean_rule,
                          "false"));


static ngx_ors_variants(ngx_ors_echo_format_shape, "type",
    ngx_ors_variant("text", ALL, plain),
    ngx_ors_variant("json_object", ALL, plain),
    ngx_ors_variant("json_schema", ALL, echo_json_schema));


static ngx_ors_members(ngx_ors_echo_text_shape,
    (ngx_ors_row_filled("format", ngx_ors_object_of(echo_format),
                        "{\"type\":\"text\"}")),
    ngx_ors_row("verbosity", &ngx_ors_verbosity_rule));

const ngx_ors_rule_t  ngx_ors_echo_text_rule =
    ngx_ors_rule_object(0, &ngx_ors_echo_text_shape);


/* reasoning */

static ngx_ors_members(ngx_ors_echo_reasoning_shape,
    (ngx_ors_row_filled_in("effort", ALL, CORE, &ngx_ors_effort_null_rule,
                           "null"),
     ngx_ors_row_filled_in("summary", ALL, CORE, &ngx_ors_brevity_null_rule,
                           "null")),
    ngx_ors_row_of("generate_summary", OPENAI, &ngx_ors_brevity_null_rule),
    ngx_ors_row_of("context", OPENAI, NULL),
    ngx_ors_row_of("mode", OPENAI, NULL));

const ngx_ors_rule_t  ngx_ors_echo_reasoning_null_rule =
    ngx_ors_rule_object(NGX_ORS_V_NULL, &ngx_ors_echo_reasoning_shape);
