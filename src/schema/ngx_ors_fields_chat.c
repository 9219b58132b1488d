
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The body of a chat completion request.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_fields.h>
#include <ngx_ors_violation.h>


#define ngx_ors_chat_number_row(name)                                         \
    ngx_ors_row(#name, &ngx_ors_number_null_rule),


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


/*
 * A chat completion and the chunks of its stream.
 */


/*
 * Answers to POST chat/completions: a document, or chunks of it.
 *
 * Required is what clients read without asking whether it is there.  Null is
 * taken in all profiles where servers send it for "nothing", and a name of
 * an enum may be any in the tolerant ones.
 */


/* models that think aloud: some servers send parts in place of a text */

static const ngx_ors_rule_t  ngx_ors_chat_any_content_rule =
    ngx_ors_rule_list(NGX_ORS_V_STRING|NGX_ORS_V_NULL, &ngx_ors_object_rule);


/* usage */

static ngx_ors_members(ngx_ors_chat_usage_shape,
    (ngx_ors_row_filled("prompt_tokens", &ngx_ors_count_rule, "0"),
     ngx_ors_row_filled("completion_tokens", &ngx_ors_count_rule, "0"),
     ngx_ors_row_filled("total_tokens", &ngx_ors_count_rule, "0")),
    ngx_ors_row("prompt_tokens_details", &ngx_ors_object_null_rule),
    ngx_ors_row("completion_tokens_details", &ngx_ors_object_null_rule));

static const ngx_ors_rule_t  ngx_ors_chat_usage_rule =
    ngx_ors_rule_object(NGX_ORS_V_NULL, &ngx_ors_chat_usage_shape);


/* log probabilities: minus infinity comes as null */

static const ngx_ors_rule_t  ngx_ors_chat_bytes_rule =
    ngx_ors_rule_list(NGX_ORS_V_NULL, &ngx_ors_count_rule);

static ngx_ors_members(ngx_ors_chat_top_logprob_shape,
    (ngx_ors_row_needed("token", &ngx_ors_string_rule),
     ngx_ors_row_needed("logprob", &ngx_ors_number_null_rule)),
    ngx_ors_row("bytes", &ngx_ors_chat_bytes_rule));


static ngx_ors_members(ngx_ors_chat_logprob_shape,
    (ngx_ors_row_needed("token", &ngx_ors_string_rule),
     ngx_ors_row_needed("logprob", &ngx_ors_number_null_rule)),
    ngx_ors_row("bytes", &ngx_ors_chat_bytes_rule),
    ngx_ors_row("top_logprobs", ngx_ors_list_or_null(chat_top_logprob)));

static const ngx_ors_rule_t  ngx_ors_chat_logprob_list_rule =
    ngx_ors_rule_list(NGX_ORS_V_NULL,
                      ngx_ors_object_of(chat_logprob));

static ngx_ors_members_optional(ngx_ors_chat_logprobs_shape,
    ngx_ors_row("content", &ngx_ors_chat_logprob_list_rule),
    ngx_ors_row("refusal", &ngx_ors_chat_logprob_list_rule));

static const ngx_ors_rule_t  ngx_ors_chat_logprobs_rule =
    ngx_ors_rule_object(NGX_ORS_V_NULL, &ngx_ors_chat_logprobs_shape);


/* calls of tools: an id cannot be made up, "type" can only be one */

static ngx_ors_members_needed(ngx_ors_chat_invoked_shape,
    ngx_ors_row_needed("name", &ngx_ors_string_rule),
    ngx_ors_row_filled("arguments", &ngx_ors_string_rule, "\"{}\""));

static ngx_ors_members(ngx_ors_chat_function_use_shape,
    (ngx_ors_row_filled("type", &ngx_ors_string_rule, "\"function\""),
     ngx_ors_row_needed("id", &ngx_ors_string_rule),
     ngx_ors_row_needed("function", ngx_ors_object_of(chat_invoked))),
    /* null: here to be noticed when it comes twice, or in other letters */
    ngx_ors_row("custom", NULL));


static ngx_ors_members_needed(ngx_ors_chat_custom_invoked_shape,
    ngx_ors_row_needed("name", &ngx_ors_string_rule),
    ngx_ors_row_filled("input", &ngx_ors_string_rule, "\"\""));

static ngx_ors_members_needed(ngx_ors_chat_custom_use_shape,
    ngx_ors_row_filled("type", &ngx_ors_string_rule, "\"custom\""),
    ngx_ors_row_needed("id", &ngx_ors_string_rule),
    ngx_ors_row_needed("custom", ngx_ors_object_of(chat_custom_invoked)));


static const ngx_ors_variant_t  ngx_ors_chat_untyped_uses[] = {
    ngx_ors_variant("custom", ALL, chat_custom_use),
    ngx_ors_others(ALL, chat_function_use)
};

static ngx_ors_variants_of(ngx_ors_chat_use_shape, "type",
    ngx_ors_chat_untyped_uses, &ngx_ors_typed_shape,
    ngx_ors_variant("function", ALL, chat_function_use),
    ngx_ors_variant("custom", ALL, chat_custom_use),
    ngx_ors_others(TOLERANT, typed));


/* the message */

static const ngx_ors_rule_t  ngx_ors_chat_annotations_rule =
    ngx_ors_rule_list(NGX_ORS_V_NULL, &ngx_ors_object_rule);

static ngx_ors_members(ngx_ors_chat_answer_shape,
    (ngx_ors_row_filled("role", ngx_ors_is_word("assistant"), "\"assistant\""),
     ngx_ors_row_filled_in("content", STRICT, STRICT,
                           &ngx_ors_string_null_rule, "null"),
     ngx_ors_row_filled_in("content", TOLERANT, TOLERANT,
                           &ngx_ors_chat_any_content_rule, "null")),
    ngx_ors_row("refusal", &ngx_ors_string_null_rule),
    ngx_ors_row("annotations", &ngx_ors_chat_annotations_rule),
    ngx_ors_row("audio", &ngx_ors_object_null_rule),
    ngx_ors_row("tool_calls", ngx_ors_list_or_null(chat_use)),
    ngx_ors_row("function_call", ngx_ors_object_or_null(chat_invoked)),

    /* not OpenAI's: how servers send what a model thinks */
    ngx_ors_row("reasoning_content", &ngx_ors_string_null_rule),
    ngx_ors_row("reasoning", &ngx_ors_string_null_rule));


/* servers that leave out zeros leave out the index of the first choice */

static ngx_ors_members(ngx_ors_chat_answer_choice_shape,
    (ngx_ors_row_filled("index", &ngx_ors_count_rule, "0"),
     ngx_ors_row_needed("message", ngx_ors_object_of(chat_answer)),
     ngx_ors_row_filled("finish_reason", &ngx_ors_string_null_rule, "null")),
    ngx_ors_row("logprobs", &ngx_ors_chat_logprobs_rule));


static const ngx_ors_rule_t  ngx_ors_chat_answer_choices_rule = {
    NGX_ORS_V_ARRAY, 0, 0, NULL,
    1, 0, ngx_ors_object_of(chat_answer_choice), NULL
};


/* without choices nothing is repaired: it may be an error in another form */

ngx_ors_members(ngx_ors_fields_chat_answer,
    (ngx_ors_row_needed("choices", &ngx_ors_chat_answer_choices_rule),
     ngx_ors_row_filled("id", &ngx_ors_string_rule, "\"\""),
     ngx_ors_row_filled_in("object", STRICT, STRICT,
                           ngx_ors_is_word("chat.completion"),
                           "\"chat.completion\""),
     ngx_ors_row_filled_in("object", TOLERANT, TOLERANT, &ngx_ors_string_rule,
                           "\"chat.completion\""),
     ngx_ors_row_filled("created", &ngx_ors_integer_rule, "0"),
     ngx_ors_row_filled("model", &ngx_ors_string_rule, "\"\"")),
    ngx_ors_row("usage", &ngx_ors_chat_usage_rule),
    ngx_ors_row("system_fingerprint", &ngx_ors_string_null_rule),
    ngx_ors_row("service_tier", &ngx_ors_string_null_rule));


/*
 * A part of a call: a field that one of its chunks has is absent in the others,
 * or null.  "index" says which call it is.
 */

static ngx_ors_members_optional(ngx_ors_chat_named_delta_shape,
    ngx_ors_row("name", &ngx_ors_string_null_rule),
    ngx_ors_row("arguments", &ngx_ors_string_null_rule));

static const ngx_ors_rule_t  ngx_ors_chat_named_delta_rule =
    ngx_ors_rule_object(NGX_ORS_V_NULL, &ngx_ors_chat_named_delta_shape);

static ngx_ors_members_optional(ngx_ors_chat_custom_delta_shape,
    ngx_ors_row("name", &ngx_ors_string_null_rule),
    ngx_ors_row("input", &ngx_ors_string_null_rule));

static ngx_ors_members(ngx_ors_chat_call_delta_shape,
    (ngx_ors_row_in("index", ALL, STRICT, &ngx_ors_count_rule)),
    ngx_ors_row("id", &ngx_ors_string_null_rule),
    ngx_ors_row("type", &ngx_ors_string_null_rule),
    ngx_ors_row("function", &ngx_ors_chat_named_delta_rule),
    ngx_ors_row("custom", ngx_ors_object_or_null(chat_custom_delta)));


static ngx_ors_words(ngx_ors_chat_delta_roles_rule, NGX_ORS_V_NULL,
    ngx_ors_word("assistant"), ngx_ors_word("developer"),
    ngx_ors_word("system"), ngx_ors_word("user"), ngx_ors_word("tool"));

static ngx_ors_members_optional(ngx_ors_chat_delta_shape,
    ngx_ors_row_of("role", STRICT, &ngx_ors_chat_delta_roles_rule),
    ngx_ors_row_of("role", TOLERANT, &ngx_ors_string_null_rule),
    ngx_ors_row_of("content", STRICT, &ngx_ors_string_null_rule),
    ngx_ors_row_of("content", TOLERANT, &ngx_ors_chat_any_content_rule),
    ngx_ors_row("refusal", &ngx_ors_string_null_rule),
    ngx_ors_row("annotations", &ngx_ors_chat_annotations_rule),
    ngx_ors_row("audio", &ngx_ors_object_null_rule),
    ngx_ors_row("tool_calls", ngx_ors_list_or_null(chat_call_delta)),
    ngx_ors_row("function_call", &ngx_ors_chat_named_delta_rule),
    ngx_ors_row("reasoning_content", &ngx_ors_string_null_rule),
    ngx_ors_row("reasoning", &ngx_ors_string_null_rule));


static ngx_ors_members(ngx_ors_chat_chunk_choice_shape,
    (ngx_ors_row_filled("index", &ngx_ors_count_rule, "0"),
     ngx_ors_row_filled("delta", ngx_ors_object_of(chat_delta), "{}")),
    ngx_ors_row("finish_reason", &ngx_ors_string_null_rule),
    ngx_ors_row("logprobs", &ngx_ors_chat_logprobs_rule));


ngx_ors_members(ngx_ors_fields_chat_chunk,
    (ngx_ors_row_needed("choices", ngx_ors_list_of(chat_chunk_choice)),
     ngx_ors_row_filled("id", &ngx_ors_string_rule, "\"\""),
     ngx_ors_row_filled_in("object", STRICT, STRICT,
                           ngx_ors_is_word("chat.completion.chunk"),
                           "\"chat.completion.chunk\""),
     ngx_ors_row_filled_in("object", TOLERANT, TOLERANT, &ngx_ors_string_rule,
                           "\"chat.completion.chunk\""),
     ngx_ors_row_filled("created", &ngx_ors_integer_rule, "0"),
     ngx_ors_row_filled("model", &ngx_ors_string_rule, "\"\"")),
    ngx_ors_row("usage", &ngx_ors_chat_usage_rule),
    ngx_ors_row("system_fingerprint", &ngx_ors_string_null_rule),
    ngx_ors_row("service_tier", &ngx_ors_string_null_rule),
    ngx_ors_row("obfuscation", &ngx_ors_string_null_rule));


/*
 * Messages of a chat completion request, and their parts.
 */


/*
 * The messages of POST chat/completions: a list of turns by role, each with
 * a text or parts of it.
 *
 * The server checks two rules that tables cannot say: an assistant's message
 * has content or calls, and each call has its answer.
 */


/* content parts */

static ngx_ors_typed_needed(ngx_ors_chat_text_shape,
    ngx_ors_row_needed("text", &ngx_ors_string_rule));


static ngx_ors_words(ngx_ors_chat_details_rule, 0,
    ngx_ors_word("auto"), ngx_ors_word("low"), ngx_ors_word("high"));

static ngx_ors_members(ngx_ors_chat_image_url_shape,
    (ngx_ors_row_needed("url", &ngx_ors_string_rule)),
    ngx_ors_row_of("detail", STRICT, &ngx_ors_chat_details_rule),
    ngx_ors_row_of("detail", TOLERANT, &ngx_ors_string_rule));

/* some servers take the URL itself */

static const ngx_ors_rule_t  ngx_ors_chat_any_image_url_rule =
    ngx_ors_rule_object(NGX_ORS_V_STRING, &ngx_ors_chat_image_url_shape);

static ngx_ors_typed_needed(ngx_ors_chat_image_shape,
    ngx_ors_row_in("image_url", STRICT, STRICT,
                   ngx_ors_object_of(chat_image_url)),
    ngx_ors_row_in("image_url", TOLERANT, TOLERANT,
                   &ngx_ors_chat_any_image_url_rule));


static ngx_ors_members_needed(ngx_ors_chat_input_audio_shape,
    ngx_ors_row_needed("data", &ngx_ors_string_rule),
    ngx_ors_row_needed("format", &ngx_ors_string_rule));

static ngx_ors_typed_needed(ngx_ors_chat_sound_shape,
    ngx_ors_row_needed("input_audio", ngx_ors_object_of(chat_input_audio)));


static ngx_ors_members_optional(ngx_ors_chat_file_shape,
    ngx_ors_row("file_data", &ngx_ors_string_rule),
    ngx_ors_row("file_id", &ngx_ors_string_rule),
    ngx_ors_row("filename", &ngx_ors_string_rule));

static ngx_ors_typed_needed(ngx_ors_chat_file_part_shape,
    ngx_ors_row_needed("file", ngx_ors_object_of(chat_file)));


static ngx_ors_typed_needed(ngx_ors_chat_refusal_shape,
    ngx_ors_row_needed("refusal", &ngx_ors_string_rule));


/* parts of a text: of instructions, and of outputs of tools */

static ngx_ors_variants(ngx_ors_chat_text_part_shape, "type",
    ngx_ors_variant("text", ALL, chat_text),
    ngx_ors_variant("image_url", TOLERANT, chat_image),
    ngx_ors_others(TOLERANT, typed));

const ngx_ors_rule_t  ngx_ors_chat_text_content_rule =
    ngx_ors_rule_list(NGX_ORS_V_STRING,
                      ngx_ors_object_of(chat_text_part));


static ngx_ors_variants(ngx_ors_chat_user_part_shape, "type",
    ngx_ors_variant("text", ALL, chat_text),
    ngx_ors_variant("image_url", ALL, chat_image),
    ngx_ors_variant("input_audio", ALL, chat_sound),
    ngx_ors_variant("file", ALL, chat_file_part),
    ngx_ors_others(TOLERANT, typed));

static const ngx_ors_rule_t  ngx_ors_chat_user_content_rule =
    ngx_ors_rule_list(NGX_ORS_V_STRING,
                      ngx_ors_object_of(chat_user_part));


static ngx_ors_variants(ngx_ors_chat_assistant_part_shape, "type",
    ngx_ors_variant("text", ALL, chat_text),
    ngx_ors_variant("refusal", ALL, chat_refusal),
    ngx_ors_others(TOLERANT, typed));

static const ngx_ors_rule_t  ngx_ors_chat_assistant_content_rule =
    ngx_ors_rule_list(NGX_ORS_V_STRING|NGX_ORS_V_NULL,
                      ngx_ors_object_of(chat_assistant_part));


/* calls of tools, as an assistant has made them */

static const ngx_ors_rule_t  ngx_ors_chat_any_arguments_rule =
    ngx_ors_rule(NGX_ORS_V_STRING|NGX_ORS_V_OBJECT, 0, 0);

static ngx_ors_members(ngx_ors_chat_called_shape,
    (ngx_ors_row_needed("name", &ngx_ors_string_rule),
     ngx_ors_row_in("arguments", STRICT, STRICT, &ngx_ors_string_rule)),
    ngx_ors_row_of("arguments", TOLERANT, &ngx_ors_chat_any_arguments_rule),

    /* added by OpenAI's SDKs */
    ngx_ors_row_of("parsed_arguments", OPENAI, NULL));

static ngx_ors_members(ngx_ors_chat_function_call_shape,
    (ngx_ors_row_in("type", ALL, STRICT, NULL),
     ngx_ors_row_in("id", ALL, STRICT, &ngx_ors_string_rule),
     ngx_ors_row_needed("function", ngx_ors_object_of(chat_called))),
    /* of a stream's chunks: SDKs send it back */
    ngx_ors_row_of("index", OPENAI, NULL),

    /* null: here to be noticed when it comes twice, or in other letters */
    ngx_ors_row_of("custom", TOLERANT, NULL));


static ngx_ors_members_needed(ngx_ors_chat_custom_called_shape,
    ngx_ors_row_needed("name", &ngx_ors_string_rule),
    ngx_ors_row_needed("input", &ngx_ors_string_rule));

static ngx_ors_members_needed(ngx_ors_chat_custom_call_shape,
    ngx_ors_row_in("type", ALL, STRICT, NULL),
    ngx_ors_row_in("id", ALL, STRICT, &ngx_ors_string_rule),
    ngx_ors_row_needed("custom", ngx_ors_object_of(chat_custom_called)));


static const ngx_ors_variant_t  ngx_ors_chat_untyped_calls[] = {
    ngx_ors_variant("custom", TOLERANT, chat_custom_call),
    ngx_ors_others(TOLERANT, chat_function_call)
};

static ngx_ors_variants_of(ngx_ors_chat_call_shape, "type",
    ngx_ors_chat_untyped_calls, &ngx_ors_typed_shape,
    ngx_ors_variant("function", ALL, chat_function_call),
    ngx_ors_variant("custom", ALL, chat_custom_call),
    ngx_ors_others(TOLERANT, typed));


/* messages */

static ngx_ors_members(ngx_ors_chat_system_shape,
    (ngx_ors_row_needed("role", NULL),
     ngx_ors_row_needed("content", &ngx_ors_chat_text_content_rule)),
    ngx_ors_row("name", &ngx_ors_string_rule));


static ngx_ors_members(ngx_ors_chat_user_shape,
    (ngx_ors_row_needed("role", NULL),
     ngx_ors_row_needed("content", &ngx_ors_chat_user_content_rule)),
    ngx_ors_row("name", &ngx_ors_string_rule));


static ngx_ors_members_needed(ngx_ors_chat_said_shape,
    ngx_ors_row_needed("id", &ngx_ors_string_rule));

static ngx_ors_members(ngx_ors_chat_assistant_shape,
    (ngx_ors_row_needed("role", NULL)),
    ngx_ors_row("content", &ngx_ors_chat_assistant_content_rule),
    ngx_ors_row("tool_calls", ngx_ors_list_of(chat_call)),
    ngx_ors_row("refusal", &ngx_ors_string_null_rule),
    ngx_ors_row("name", &ngx_ors_string_rule),
    ngx_ors_row("audio", ngx_ors_object_or_null(chat_said)),
    ngx_ors_row("function_call", ngx_ors_object_or_null(chat_called)),

    /* not OpenAI's, but agents send back what servers have sent */
    ngx_ors_row_of("reasoning_content", WIDE, &ngx_ors_string_rule),
    ngx_ors_row_of("reasoning", WIDE, &ngx_ors_string_rule),

    /* replayed assistant messages; "parsed" comes from OpenAI's SDKs */
    ngx_ors_row_of("annotations", OPENAI, NULL),
    ngx_ors_row_of("parsed", OPENAI, NULL));


static ngx_ors_members_needed(ngx_ors_chat_tool_message_shape,
    ngx_ors_row_needed("role", NULL),
    ngx_ors_row_needed("content", &ngx_ors_chat_text_content_rule),
    ngx_ors_row_needed("tool_call_id", &ngx_ors_string_rule));


static ngx_ors_members_needed(ngx_ors_chat_function_message_shape,
    ngx_ors_row_needed("role", NULL),
    ngx_ors_row_needed("content", &ngx_ors_string_null_rule),
    ngx_ors_row_needed("name", &ngx_ors_string_rule));


static ngx_ors_open_needed(ngx_ors_chat_other_message_shape,
    ngx_ors_row_needed("role", NULL));


static ngx_ors_variants(ngx_ors_chat_message_shape, "role",
    ngx_ors_variant("user", ALL, chat_user),
    ngx_ors_variant("assistant", ALL, chat_assistant),
    ngx_ors_variant("tool", ALL, chat_tool_message),
    ngx_ors_variant("system", ALL, chat_system),
    ngx_ors_variant("developer", ALL, chat_system),
    ngx_ors_variant("function", ALL, chat_function_message),
    ngx_ors_others(TOLERANT, chat_other_message));


const ngx_ors_rule_t  ngx_ors_chat_messages_rule = {
    NGX_ORS_V_ARRAY, 0, 0, NULL, 1, 0, ngx_ors_object_of(chat_message), NULL
};
