
/*
 * Copyright (C) Open Responses contributors
 */


/* The response object and that of a compaction (protocol, sections 7, 12). */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_fields.h>
#include <ngx_ors_book.h>
#include <ngx_ors_violation.h>


#define ngx_ors_resource_row(name, form, in, rule, value)                     \
    ngx_ors_resource_##form(#name, in, rule, value),

#define ngx_ors_resource_needed(name, in, rule, value)                        \
    ngx_ors_row_in(name, in, in, rule)

#define ngx_ors_resource_filled(name, in, rule, value)                        \
    ngx_ors_row_filled_in(name, in, in, rule, value)

/* members that all events have, first */
#define ngx_ors_stream_rows                                                   \
    ngx_ors_row_needed("type", NULL),                                         \
    ngx_ors_row_filled("sequence_number", &ngx_ors_integer_rule, "0")

/* the same, and the item that they are about */
#define ngx_ors_stream_item_rows                                              \
    ngx_ors_stream_rows,                                                      \
    ngx_ors_row_needed("item_id", &ngx_ors_string_rule),                      \
    ngx_ors_row_needed("output_index", &ngx_ors_integer_rule)

/* and a part of that, by its index in one of two lists */
#define ngx_ors_stream_part_rows(index)                                       \
    ngx_ors_stream_item_rows,                                                 \
    ngx_ors_row_needed(index, &ngx_ors_integer_rule)


/* "part" has "text", and the place "index"; "in" knows what hides lengths */

#define ngx_ors_stream_text_shapes(part, index, text, in)                     \
    static ngx_ors_members(ngx_ors_stream_##part##_delta_shape,               \
        (ngx_ors_stream_part_rows(index),                                     \
         ngx_ors_row_needed("delta", &ngx_ors_string_rule)),                  \
        ngx_ors_row_of("obfuscation", in, &ngx_ors_string_rule));             \
                                                                              \
    static ngx_ors_members_needed(ngx_ors_stream_##part##_done_shape,         \
        ngx_ors_stream_part_rows(index),                                      \
        ngx_ors_row_needed(text, &ngx_ors_string_rule))


#define ngx_ors_stream_event(as, name, act, part, in, shape)                  \
    { ngx_string(#name), NGX_ORS_IN_##in, &ngx_ors_stream_##shape##_shape },

#define ngx_ors_stream_part(type, event, text, holder, index, in)             \
    { ngx_string("response." #event ".delta"), NGX_ORS_IN_##in,               \
      &ngx_ors_stream_##type##_delta_shape },                                 \
    { ngx_string("response." #event ".done"), NGX_ORS_IN_##in,                \
      &ngx_ors_stream_##type##_done_shape },

#define ngx_ors_stream_text(item, as, text, in)                               \
    { ngx_string("response." #item "_" #text ".delta"), NGX_ORS_IN_##in,      \
      &ngx_ors_stream_arguments_delta_shape },                                \
    { ngx_string("response." #item "_" #text ".done"), NGX_ORS_IN_##in,       \
      &ngx_ors_stream_##text##_done_shape },

#define ngx_ors_stream_step(item, status, step)                               \
    { ngx_string("response." #item "." #status), NGX_ORS_IN_OPENAI,           \
      &ngx_ors_stream_progress_shape },


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


/* a count of tokens */

ngx_ors_members_needed(ngx_ors_fields_input_tokens,
    ngx_ors_row_filled("object", ngx_ors_is_word("response.input_tokens"),
                       "\"response.input_tokens\""),
    ngx_ors_row_needed("input_tokens", &ngx_ors_count_rule));


/* a compaction */

ngx_ors_members_needed(ngx_ors_fields_compaction,
    ngx_ors_row_needed("id", &ngx_ors_string_rule),
    ngx_ors_row_filled("object", ngx_ors_is_word("response.compaction"),
                       "\"response.compaction\""),
    ngx_ors_row_needed("output", &ngx_ors_output_items_rule),
    ngx_ors_row_filled("created_at", &ngx_ors_integer_rule, "0"),
    ngx_ors_row_needed("usage", ngx_ors_is_object(0, &ngx_ors_fields_usage)));


/*
 * Events of a stream (protocol, section 10).  A sequence number that is filled
 * in here is never sent: the reader of a stream counts its events.
 */


/* the response: created, queued, and so on */

static ngx_ors_members_needed(ngx_ors_stream_state_shape,
    ngx_ors_stream_rows,
    ngx_ors_row_needed("response",
                       ngx_ors_is_object(0, &ngx_ors_fields_response)));

/* some clients look for the error here */

static ngx_ors_members(ngx_ors_stream_failed_shape,
    (ngx_ors_stream_rows,
     ngx_ors_row_needed("response",
                        ngx_ors_is_object(0, &ngx_ors_fields_response))),
    ngx_ors_row_of("error", TOLERANT, &ngx_ors_resource_error_rule));


/* items and parts */

static ngx_ors_members_needed(ngx_ors_stream_item_shape,
    ngx_ors_stream_rows,
    ngx_ors_row_needed("output_index", &ngx_ors_integer_rule),
    ngx_ors_row_needed("item", &ngx_ors_answer_item_null_rule));


static ngx_ors_members_needed(ngx_ors_stream_part_shape,
    ngx_ors_stream_part_rows("content_index"),
    ngx_ors_row_needed("part", &ngx_ors_answer_part_rule));


static ngx_ors_members_needed(ngx_ors_stream_summary_part_shape,
    ngx_ors_stream_part_rows("summary_index"),
    ngx_ors_row_needed("part", &ngx_ors_answer_part_rule));


/* texts */

static ngx_ors_members(ngx_ors_stream_output_text_delta_shape,
    (ngx_ors_stream_part_rows("content_index"),
     ngx_ors_row_needed("delta", &ngx_ors_string_rule),
     ngx_ors_row_filled_in("logprobs", ALL, OPENAI,
                           &ngx_ors_answer_logprobs_rule, "[]")),
    ngx_ors_row("obfuscation", &ngx_ors_string_rule));


static ngx_ors_members_needed(ngx_ors_stream_output_text_done_shape,
    ngx_ors_stream_part_rows("content_index"),
    ngx_ors_row_needed("text", &ngx_ors_string_rule),
    ngx_ors_row_filled_in("logprobs", ALL, OPENAI,
                          &ngx_ors_answer_logprobs_rule, "[]"));


static ngx_ors_members_needed(ngx_ors_stream_annotation_shape,
    ngx_ors_stream_part_rows("content_index"),
    ngx_ors_row_needed("annotation_index", &ngx_ors_integer_rule),
    ngx_ors_row_needed("annotation", &ngx_ors_answer_annotation_null_rule));

ngx_ors_stream_text_shapes(refusal, "content_index", "refusal", OPENAI);
ngx_ors_stream_text_shapes(reasoning_text, "content_index", "text", ALL);
ngx_ors_stream_text_shapes(summary_text, "summary_index", "text", ALL);


/* calls; also the input of custom tools, and the code of an interpreter */

static ngx_ors_members(ngx_ors_stream_arguments_delta_shape,
    (ngx_ors_stream_item_rows,
     ngx_ors_row_needed("delta", &ngx_ors_string_rule)),
    ngx_ors_row("obfuscation", &ngx_ors_string_rule));


static ngx_ors_members(ngx_ors_stream_arguments_done_shape,
    (ngx_ors_stream_item_rows,
     ngx_ors_row_needed("arguments", &ngx_ors_string_rule)),
    ngx_ors_row_of("name", OPENAI, &ngx_ors_string_rule));


static ngx_ors_members_needed(ngx_ors_stream_input_done_shape,
    ngx_ors_stream_item_rows,
    ngx_ors_row_needed("input", &ngx_ors_string_rule));


static ngx_ors_members_needed(ngx_ors_stream_code_done_shape,
    ngx_ors_stream_item_rows,
    ngx_ors_row_needed("code", &ngx_ors_string_rule));


/* hosted tools at work */

static ngx_ors_members_needed(ngx_ors_stream_progress_shape,
    ngx_ors_stream_item_rows);


static ngx_ors_members(ngx_ors_stream_image_shape,
    (ngx_ors_stream_item_rows,
     ngx_ors_row_needed("partial_image_index", &ngx_ors_integer_rule),
     ngx_ors_row_needed("partial_image_b64", &ngx_ors_string_rule)),
    ngx_ors_row("background", &ngx_ors_string_rule),
    ngx_ors_row("output_format", &ngx_ors_string_rule),
    ngx_ors_row("quality", &ngx_ors_string_rule),
    ngx_ors_row("size", &ngx_ors_string_rule));


/* commands of a shell and what they print */

static ngx_ors_members(ngx_ors_stream_shell_shape,
    (ngx_ors_stream_rows,
     ngx_ors_row_needed("output_index", &ngx_ors_integer_rule)),
    ngx_ors_row("item_id", &ngx_ors_string_rule),
    ngx_ors_row("command_index", &ngx_ors_integer_rule),
    ngx_ors_row("command", &ngx_ors_string_rule),
    ngx_ors_row("delta", NULL),
    ngx_ors_row("output", NULL),
    ngx_ors_row("obfuscation", &ngx_ors_string_rule));


static ngx_ors_members(ngx_ors_stream_patch_shape,
    (ngx_ors_stream_rows,
     ngx_ors_row_needed("output_index", &ngx_ors_integer_rule)),
    ngx_ors_row("item_id", &ngx_ors_string_rule),
    ngx_ors_row("delta", &ngx_ors_string_rule),
    ngx_ors_row("diff", &ngx_ors_string_rule),
    ngx_ors_row("obfuscation", &ngx_ors_string_rule));


/* sound, and what is said with it */

static ngx_ors_members(ngx_ors_stream_audio_shape,
    (ngx_ors_stream_rows),
    ngx_ors_row("delta", &ngx_ors_string_rule));


/* extensions (protocol, section 14), and signs of life */

static ngx_ors_open_needed(ngx_ors_stream_extension_shape,
    ngx_ors_stream_rows);


/* errors: nested, and in flavor "openai" also flat */

static ngx_ors_members(ngx_ors_stream_error_shape,
    (ngx_ors_stream_rows,
     ngx_ors_row_needed("error", &ngx_ors_answer_error_rule)),
    /* null: here to be noticed when it comes twice, or in other letters */
    ngx_ors_row_of("message", OPENAI, NULL));


static ngx_ors_members(ngx_ors_stream_flat_error_shape,
    (ngx_ors_stream_rows,
     ngx_ors_row_needed("message", &ngx_ors_string_rule),
     ngx_ors_row_filled("code", &ngx_ors_any_code_rule, "\"\""),
     ngx_ors_row_filled("param", &ngx_ors_string_null_rule, "\"\"")),
    ngx_ors_row("error", &ngx_ors_answer_error_rule));


/* a flat one has a message; it is no choice, so any text is right for it */

static const ngx_ors_variant_t  ngx_ors_stream_nested_errors[] = {
    ngx_ors_others(OPENAI, stream_error)
};

static ngx_ors_variants_of(ngx_ors_stream_any_error_shape, "message",
    ngx_ors_stream_nested_errors, NULL,
    ngx_ors_others(OPENAI, stream_flat_error));

/* those that come most often come first */

ngx_ors_variants_of(ngx_ors_fields_event, "type",
    NULL, &ngx_ors_stream_extension_shape,
    NGX_ORS_PARTS(ngx_ors_stream_part)
    NGX_ORS_TEXTS(ngx_ors_stream_text)
    NGX_ORS_PARTS_OPENAI(ngx_ors_stream_part)
    NGX_ORS_EVENTS(ngx_ors_stream_event)
    ngx_ors_variant("error", OPENAI, stream_any_error),
    NGX_ORS_STEPS(ngx_ors_stream_step)
    NGX_ORS_EVENTS_PASSED(ngx_ors_stream_event)
    ngx_ors_variants_end);


/* Error documents, and what an "error" event holds (protocol, section 11). */


static const ngx_ors_map_t  ngx_ors_failure_headers_map = {
    0, 0, &ngx_ors_string_rule
};

static const ngx_ors_shape_t  ngx_ors_failure_headers_shape =
    ngx_ors_shape_map(&ngx_ors_failure_headers_map);

static ngx_ors_members(ngx_ors_failure_shape,
    (ngx_ors_row_needed("type", &ngx_ors_string_rule),
     ngx_ors_row_needed("message", &ngx_ors_string_rule),
     ngx_ors_row_filled_in("code", STRICT_SPEC, STRICT_SPEC,
                           &ngx_ors_string_null_rule, "\"\""),
     ngx_ors_row_filled_in("code", WIDE, WIDE, &ngx_ors_any_code_rule,
                           "\"\""),
     ngx_ors_row_filled("param", &ngx_ors_string_null_rule, "\"\"")),
    ngx_ors_row("headers", ngx_ors_object_of(failure_headers)));

const ngx_ors_rule_t  ngx_ors_answer_error_rule =
    ngx_ors_rule_object(0, &ngx_ors_failure_shape);


ngx_ors_members_needed(ngx_ors_fields_error,
    ngx_ors_row_needed("error", &ngx_ors_answer_error_rule));


/*
 * The list of models.
 */


/* GET models */

static ngx_ors_members_needed(ngx_ors_models_model_shape,
    ngx_ors_row_needed("id", ngx_ors_is(NGX_ORS_V_STRING, 1, 0)),
    ngx_ors_row_filled("object", ngx_ors_is_word("model"), "\"model\""),
    ngx_ors_row_filled("created", &ngx_ors_integer_rule, "0"),
    ngx_ors_row_filled("owned_by", &ngx_ors_string_rule, "\"\""));

/* Ollama says null when it has no models */

static const ngx_ors_rule_t  ngx_ors_models_data_rule =
    ngx_ors_rule_list(NGX_ORS_V_NULL,
                      ngx_ors_object_of(models_model));


ngx_ors_members_needed(ngx_ors_fields_models,
    ngx_ors_row_needed("data", &ngx_ors_models_data_rule),
    ngx_ors_row_filled("object", ngx_ors_is_word("list"), "\"list\""));
