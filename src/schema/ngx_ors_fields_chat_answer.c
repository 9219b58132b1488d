
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * A chat completion and the chunks of its stream.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_fields.h>
#include <ngx_ors_rules.h>


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
