
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The body of a chat completion request.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_fields.h>
#include <ngx_ors_rules.h>


/*
 * The body of POST chat/completions.  The strict profiles take what OpenAI
 * documents, null included.  In the tolerant ones what servers have added is
 * no mistake either: other roles, parts, tools and formats, values of enums.
 */


/* names of functions and the like */

static const ngx_ors_rule_t  ngx_ors_chat_any_name_rule =
    ngx_ors_rule(NGX_ORS_V_STRING, 1, 0);


/* tools */

static ngx_ors_members(ngx_ors_chat_function_shape,
    (ngx_ors_row_in("name", STRICT, STRICT, &ngx_ors_name_rule),
     ngx_ors_row_in("name", TOLERANT, TOLERANT, &ngx_ors_chat_any_name_rule)),
    ngx_ors_row("description", &ngx_ors_string_rule),
    ngx_ors_row("parameters", &ngx_ors_object_rule),
    ngx_ors_row("strict", &ngx_ors_boolean_null_rule));

static const ngx_ors_rule_t  ngx_ors_chat_function_rule =
    ngx_ors_rule_object(0, &ngx_ors_chat_function_shape);

static ngx_ors_typed_needed(ngx_ors_chat_function_tool_shape,
    ngx_ors_row_needed("function", &ngx_ors_chat_function_rule));


static ngx_ors_words(ngx_ors_chat_syntaxes_rule, 0,
    ngx_ors_word("lark"), ngx_ors_word("regex"));

static ngx_ors_members_needed(ngx_ors_chat_grammar_shape,
    ngx_ors_row_needed("definition", &ngx_ors_string_rule),
    ngx_ors_row_needed("syntax", &ngx_ors_chat_syntaxes_rule));

static ngx_ors_typed_needed(ngx_ors_chat_grammar_input_shape,
    ngx_ors_row_needed("grammar", ngx_ors_object_of(chat_grammar)));

static ngx_ors_variants(ngx_ors_chat_input_shape, "type",
    ngx_ors_variant("text", ALL, typed),
    ngx_ors_variant("grammar", ALL, chat_grammar_input));

static ngx_ors_members(ngx_ors_chat_custom_shape,
    (ngx_ors_row_needed("name", &ngx_ors_chat_any_name_rule)),
    ngx_ors_row("description", &ngx_ors_string_rule),
    ngx_ors_row("format", ngx_ors_object_of(chat_input)));

static ngx_ors_typed_needed(ngx_ors_chat_custom_tool_shape,
    ngx_ors_row_needed("custom", ngx_ors_object_of(chat_custom)));


static ngx_ors_variants_of(ngx_ors_chat_tool_shape, "type",
    NULL, &ngx_ors_typed_shape,
    ngx_ors_variant("function", ALL, chat_function_tool),
    ngx_ors_variant("custom", ALL, chat_custom_tool),
    ngx_ors_others(TOLERANT, typed));


/* tool_choice */

static ngx_ors_members_needed(ngx_ors_chat_named_shape,
    ngx_ors_row_needed("name", &ngx_ors_string_rule));

static const ngx_ors_rule_t  ngx_ors_chat_named_rule =
    ngx_ors_rule_object(0, &ngx_ors_chat_named_shape);

static ngx_ors_typed_needed(ngx_ors_chat_choose_function_shape,
    ngx_ors_row_needed("function", &ngx_ors_chat_named_rule));

static ngx_ors_typed_needed(ngx_ors_chat_choose_custom_shape,
    ngx_ors_row_needed("custom", &ngx_ors_chat_named_rule));


static ngx_ors_words(ngx_ors_chat_allowed_modes_rule, 0,
    ngx_ors_word("auto"), ngx_ors_word("required"));

static ngx_ors_members_needed(ngx_ors_chat_allowed_shape,
    ngx_ors_row_needed("mode", &ngx_ors_chat_allowed_modes_rule),
    ngx_ors_row_needed("tools", ngx_ors_is_list(0, &ngx_ors_object_rule)));

static ngx_ors_typed_needed(ngx_ors_chat_choose_allowed_shape,
    ngx_ors_row_needed("allowed_tools", ngx_ors_object_of(chat_allowed)));


static ngx_ors_variants_of(ngx_ors_chat_choice_shape, "type",
    NULL, &ngx_ors_typed_shape,
    ngx_ors_variant("function", ALL, chat_choose_function),
    ngx_ors_variant("custom", ALL, chat_choose_custom),
    ngx_ors_variant("allowed_tools", ALL, chat_choose_allowed),
    ngx_ors_others(TOLERANT, typed));

/* "any" is what some servers call "required" */

static const ngx_ors_value_t  ngx_ors_chat_modes[] = {
    ngx_ors_word("none"), ngx_ors_word("auto"), ngx_ors_word("required"),
    ngx_ors_word_in("any", TOLERANT), ngx_ors_values_end
};

static const ngx_ors_rule_t  ngx_ors_chat_choice_rule = {
    NGX_ORS_V_STRING|NGX_ORS_V_OBJECT, 0, 0,
    ngx_ors_chat_modes, 0, 0, NULL, &ngx_ors_chat_choice_shape
};


/* function_call, which is older than tools */

static const ngx_ors_value_t  ngx_ors_chat_function_modes[] = {
    ngx_ors_word("none"), ngx_ors_word("auto"), ngx_ors_values_end
};

static const ngx_ors_rule_t  ngx_ors_chat_function_choice_rule = {
    NGX_ORS_V_STRING|NGX_ORS_V_OBJECT, 0, 0,
    ngx_ors_chat_function_modes, 0, 0, NULL, &ngx_ors_chat_named_shape
};


/* response_format */

static ngx_ors_members(ngx_ors_chat_schema_shape,
    (ngx_ors_row_in("name", ALL, STRICT, &ngx_ors_name_rule)),
    ngx_ors_row("schema", &ngx_ors_object_rule),
    ngx_ors_row("description", &ngx_ors_string_rule),
    ngx_ors_row("strict", &ngx_ors_boolean_null_rule));

/* llama.cpp takes a schema beside the type */

static ngx_ors_typed(ngx_ors_chat_schema_format_shape,
    (ngx_ors_row_in("json_schema", ALL, STRICT,
                    ngx_ors_object_of(chat_schema))),
    ngx_ors_row_of("schema", TOLERANT, &ngx_ors_object_rule));

static ngx_ors_variants(ngx_ors_chat_format_shape, "type",
    ngx_ors_variant("text", ALL, typed),
    ngx_ors_variant("json_schema", ALL, chat_schema_format),
    ngx_ors_variant("json_object", ALL, typed),
    ngx_ors_others(TOLERANT, typed));


/* stream_options, audio, prediction, web_search_options */

static ngx_ors_members_optional(ngx_ors_chat_stream_options_shape,
    ngx_ors_row("include_usage", &ngx_ors_boolean_rule),
    ngx_ors_row("include_obfuscation", &ngx_ors_boolean_rule));


static ngx_ors_members_needed(ngx_ors_chat_audio_shape,
    ngx_ors_row_needed("voice",
                       ngx_ors_is(NGX_ORS_V_STRING|NGX_ORS_V_OBJECT, 0, 0)),
    ngx_ors_row_needed("format", &ngx_ors_string_rule));


static ngx_ors_typed_needed(ngx_ors_chat_predicted_shape,
    ngx_ors_row_needed("content", &ngx_ors_chat_text_content_rule));

static ngx_ors_variants(ngx_ors_chat_prediction_shape, "type",
    ngx_ors_variant("content", ALL, chat_predicted));


static const ngx_ors_value_t  ngx_ors_chat_levels[] = {
    ngx_ors_word("low"), ngx_ors_word("medium"), ngx_ors_word("high"),
    ngx_ors_values_end
};

static ngx_ors_members_optional(ngx_ors_chat_place_shape,
    ngx_ors_row("country", &ngx_ors_string_rule),
    ngx_ors_row("region", &ngx_ors_string_rule),
    ngx_ors_row("city", &ngx_ors_string_rule),
    ngx_ors_row("timezone", &ngx_ors_string_rule));

static ngx_ors_typed_needed(ngx_ors_chat_approximate_shape,
    ngx_ors_row_needed("approximate", ngx_ors_object_of(chat_place)));

static ngx_ors_variants(ngx_ors_chat_location_shape, "type",
    ngx_ors_variant("approximate", ALL, chat_approximate));

static ngx_ors_members_optional(ngx_ors_chat_search_shape,
    ngx_ors_row("search_context_size",
                ngx_ors_is_enum(0, ngx_ors_chat_levels)),
    ngx_ors_row("user_location", ngx_ors_object_or_null(chat_location)));


/* logit_bias */

static const ngx_ors_map_t  ngx_ors_chat_bias_map = {
    0, 0, &ngx_ors_number_rule
};

static const ngx_ors_shape_t  ngx_ors_chat_bias_shape =
    ngx_ors_shape_map(&ngx_ors_chat_bias_map);

/* llama.cpp takes pairs and words */

static const ngx_ors_rule_t  ngx_ors_chat_any_bias_rule =
    ngx_ors_rule_object(NGX_ORS_V_ARRAY|NGX_ORS_V_NULL, NULL);


/* the other parameters */

static ngx_ors_words(ngx_ors_chat_efforts_rule, NGX_ORS_V_NULL,
    ngx_ors_word("none"), ngx_ors_word("minimal"), ngx_ors_word("low"),
    ngx_ors_word("medium"), ngx_ors_word("high"), ngx_ors_word("xhigh"));


static ngx_ors_words(ngx_ors_chat_tiers_rule, NGX_ORS_V_NULL,
    ngx_ors_word("auto"), ngx_ors_word("default"), ngx_ors_word("flex"),
    ngx_ors_word("scale"), ngx_ors_word("priority"));


static ngx_ors_words(ngx_ors_chat_kinds_rule, 0,
    ngx_ors_word("text"), ngx_ors_word("audio"),
    ngx_ors_word_in("image", TOLERANT), ngx_ors_word_in("video", TOLERANT));


#define ngx_ors_chat_number_row(name)                                         \
    ngx_ors_row(#name, &ngx_ors_number_null_rule),


/* a server of one model may do without its name */

ngx_ors_members(ngx_ors_fields_chat_request,
    (ngx_ors_row_in("model", ALL, STRICT, &ngx_ors_string_rule),
     ngx_ors_row_needed("messages", &ngx_ors_chat_messages_rule)),
    ngx_ors_row("stream", &ngx_ors_boolean_null_rule),
    ngx_ors_row("stream_options", ngx_ors_object_or_null(chat_stream_options)),
    NGX_ORS_CHAT_NUMBERS(ngx_ors_chat_number_row)
    ngx_ors_row("max_tokens", &ngx_ors_integer_null_rule),
    ngx_ors_row("max_completion_tokens", &ngx_ors_integer_null_rule),
    ngx_ors_row("tools", ngx_ors_list_of(chat_tool)),
    ngx_ors_row("tool_choice", &ngx_ors_chat_choice_rule),
    ngx_ors_row("parallel_tool_calls", &ngx_ors_boolean_rule),
    ngx_ors_row("response_format", ngx_ors_object_of(chat_format)),
    ngx_ors_row_of("reasoning_effort", STRICT, &ngx_ors_chat_efforts_rule),
    ngx_ors_row_of("reasoning_effort", TOLERANT, &ngx_ors_string_null_rule),
    ngx_ors_row_of("verbosity", STRICT,
                   ngx_ors_is_enum(NGX_ORS_V_NULL, ngx_ors_chat_levels)),
    ngx_ors_row_of("verbosity", TOLERANT, &ngx_ors_string_null_rule),
    ngx_ors_row("stop",
                ngx_ors_is_list(NGX_ORS_V_STRING|NGX_ORS_V_NULL,
                                &ngx_ors_string_rule)),
    ngx_ors_row("n", ngx_ors_is(NGX_ORS_V_INTEGER|NGX_ORS_V_NULL, 1, 0)),
    ngx_ors_row("seed", &ngx_ors_integer_null_rule),
    ngx_ors_row_of("logit_bias", STRICT, ngx_ors_object_or_null(chat_bias)),
    ngx_ors_row_of("logit_bias", TOLERANT, &ngx_ors_chat_any_bias_rule),
    ngx_ors_row("logprobs", &ngx_ors_boolean_null_rule),
    ngx_ors_row_of("top_logprobs", STRICT,
                   ngx_ors_is(NGX_ORS_V_INTEGER|NGX_ORS_V_NULL, 0, 20)),
    ngx_ors_row_of("top_logprobs", TOLERANT, &ngx_ors_integer_null_rule),
    ngx_ors_row("user", &ngx_ors_string_rule),
    ngx_ors_row("safety_identifier", &ngx_ors_string_rule),
    ngx_ors_row("prompt_cache_key", &ngx_ors_string_rule),
    ngx_ors_row("prompt_cache_retention", &ngx_ors_string_null_rule),
    ngx_ors_row("store", &ngx_ors_boolean_null_rule),
    ngx_ors_row("metadata", &ngx_ors_metadata_rule),
    ngx_ors_row_of("service_tier", STRICT, &ngx_ors_chat_tiers_rule),
    ngx_ors_row_of("service_tier", TOLERANT, &ngx_ors_string_null_rule),
    ngx_ors_row("modalities",
                ngx_ors_is_list(NGX_ORS_V_NULL, &ngx_ors_chat_kinds_rule)),
    ngx_ors_row("audio", ngx_ors_object_or_null(chat_audio)),
    ngx_ors_row("prediction", ngx_ors_object_or_null(chat_prediction)),
    ngx_ors_row("web_search_options", ngx_ors_object_of(chat_search)),
    ngx_ors_row("functions", ngx_ors_is_list(0, &ngx_ors_chat_function_rule)),
    ngx_ors_row("function_call", &ngx_ors_chat_function_choice_rule));
