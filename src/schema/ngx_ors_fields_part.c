
/*
 * Copyright (C) Open Responses contributors
 */


/* Parts of answers, their annotations and logprobs (protocol, section 9). */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_fields.h>
#include <ngx_ors_fields_items.h>


/* a token, and the same of one that it might have been */
#define ngx_ors_part_logprob_rows                                             \
    ngx_ors_row_needed("token", &ngx_ors_string_rule),                        \
    ngx_ors_row_needed("logprob", &ngx_ors_number_rule),                      \
    ngx_ors_row_filled_in("bytes", ALL, CORE, &ngx_ors_part_bytes_rule, "[]")

/* all of the specification's but the video */
#define ngx_ors_part_variants                                                 \
    ngx_ors_variant("output_text", ALL, part_output_text),                    \
    ngx_ors_variant("refusal", ALL, part_refusal),                            \
    ngx_ors_variant("reasoning_text", ALL, part_text),                        \
    ngx_ors_variant("summary_text", ALL, part_text),                          \
    ngx_ors_variant("text", ALL, part_text),                                  \
    ngx_ors_variant("input_text", ALL, part_text),                            \
    ngx_ors_variant("input_image", ALL, part_image),                          \
    ngx_ors_variant("input_file", ALL, part_file)


/* annotations */

static ngx_ors_typed_needed(ngx_ors_part_url_citation_shape,
    ngx_ors_row_needed("url", &ngx_ors_string_rule),
    ngx_ors_row_needed("start_index", &ngx_ors_integer_rule),
    ngx_ors_row_needed("end_index", &ngx_ors_integer_rule),
    ngx_ors_row_needed("title", &ngx_ors_string_rule));


/* file_citation and file_path, which has no name */

static ngx_ors_typed(ngx_ors_part_file_citation_shape,
    (ngx_ors_row_needed("file_id", &ngx_ors_string_rule),
     ngx_ors_row_needed("index", &ngx_ors_integer_rule)),
    ngx_ors_row("filename", &ngx_ors_string_rule));


static ngx_ors_typed(ngx_ors_part_container_citation_shape,
    (ngx_ors_row_needed("container_id", &ngx_ors_string_rule),
     ngx_ors_row_needed("file_id", &ngx_ors_string_rule),
     ngx_ors_row_needed("start_index", &ngx_ors_integer_rule),
     ngx_ors_row_needed("end_index", &ngx_ors_integer_rule)),
    ngx_ors_row("filename", &ngx_ors_string_rule));


static ngx_ors_variants_of(ngx_ors_part_annotation_shape, "type",
    NULL, &ngx_ors_typed_shape,
    ngx_ors_variant("url_citation", ALL, part_url_citation),
    ngx_ors_variant("file_citation", OPENAI, part_file_citation),
    ngx_ors_variant("file_path", OPENAI, part_file_citation),
    ngx_ors_variant("container_file_citation", OPENAI,
                    part_container_citation));


const ngx_ors_rule_t  ngx_ors_answer_annotation_null_rule =
    ngx_ors_rule_object(NGX_ORS_V_NULL, &ngx_ors_part_annotation_shape);


/* logprobs; those of flavor "openai" have no bytes in events */

static const ngx_ors_rule_t  ngx_ors_part_bytes_rule =
    ngx_ors_rule_list(0, &ngx_ors_integer_rule);


static ngx_ors_members_needed(ngx_ors_part_top_logprob_shape,
    ngx_ors_part_logprob_rows);


static ngx_ors_members_needed(ngx_ors_part_logprob_shape,
    ngx_ors_part_logprob_rows,
    ngx_ors_row_filled("top_logprobs", ngx_ors_list_of(part_top_logprob),
                       "[]"));

const ngx_ors_rule_t  ngx_ors_answer_logprobs_rule =
    ngx_ors_rule_list(0, ngx_ors_object_of(part_logprob));


/* parts */

/* input_text, reasoning_text, summary_text and text */

static ngx_ors_typed_needed(ngx_ors_part_text_shape,
    ngx_ors_row_needed("text", &ngx_ors_string_rule));


static ngx_ors_typed_needed(ngx_ors_part_output_text_shape,
    ngx_ors_row_needed("text", &ngx_ors_string_rule),
    ngx_ors_row_filled("annotations", ngx_ors_list_of(part_annotation), "[]"),
    ngx_ors_row_filled_in("logprobs", ALL, OPENAI,
                          &ngx_ors_answer_logprobs_rule, "[]"));


static ngx_ors_typed_needed(ngx_ors_part_refusal_shape,
    ngx_ors_row_needed("refusal", &ngx_ors_string_rule));


static ngx_ors_words(ngx_ors_part_details_rule, 0,
    ngx_ors_word("low"), ngx_ors_word("high"), ngx_ors_word("auto"),
    ngx_ors_word_in("original", OPENAI));


static ngx_ors_typed(ngx_ors_part_image_shape,
    (ngx_ors_row_filled_in("image_url", ALL, CORE, &ngx_ors_string_null_rule,
                           "null"),
     ngx_ors_row_filled_in("detail", ALL, CORE, &ngx_ors_part_details_rule,
                           "\"auto\"")),
    ngx_ors_row_of("file_id", OPENAI, &ngx_ors_string_rule));


static ngx_ors_typed_optional(ngx_ors_part_file_shape,
    ngx_ors_row("filename", &ngx_ors_string_rule),
    ngx_ors_row("file_url", &ngx_ors_string_rule),
    ngx_ors_row_of("file_id", OPENAI, &ngx_ors_string_rule),
    ngx_ors_row_of("file_data", OPENAI, &ngx_ors_string_rule),
    ngx_ors_row_of("detail", OPENAI, &ngx_ors_string_rule));


static ngx_ors_typed_needed(ngx_ors_part_video_shape,
    ngx_ors_row_needed("video_url", &ngx_ors_string_rule));


static ngx_ors_typed_needed(ngx_ors_part_audio_shape,
    ngx_ors_row_needed("input_audio", &ngx_ors_object_rule));


static ngx_ors_typed_optional(ngx_ors_part_screenshot_shape,
    ngx_ors_row("image_url", &ngx_ors_string_rule),
    ngx_ors_row("file_id", &ngx_ors_string_rule),
    ngx_ors_row("detail", &ngx_ors_string_rule));


static ngx_ors_typed_needed(ngx_ors_part_encrypted_shape,
    ngx_ors_row_needed("encrypted_content", &ngx_ors_string_rule));


/* the lists that have parts: a type with a prefix is a part of none */

static ngx_ors_variants(ngx_ors_part_message_shape, "type",
    ngx_ors_part_variants,
    ngx_ors_variant("input_video", ALL, part_video),
    ngx_ors_variant("input_audio", OPENAI, part_audio),
    ngx_ors_variant("computer_screenshot", OPENAI, part_screenshot));

const ngx_ors_rule_t  ngx_ors_answer_content_rule =
    ngx_ors_rule_list(0, ngx_ors_object_of(part_message));


/* in reasoning and in events */

ngx_ors_variants(ngx_ors_fields_part, "type",
    ngx_ors_part_variants);

const ngx_ors_rule_t  ngx_ors_answer_part_rule =
    ngx_ors_rule_object(0, &ngx_ors_fields_part);

const ngx_ors_rule_t  ngx_ors_answer_reasoning_parts_rule =
    ngx_ors_rule_list(0, &ngx_ors_answer_part_rule);


static ngx_ors_variants(ngx_ors_part_call_output_shape, "type",
    ngx_ors_variant("input_text", ALL, part_text),
    ngx_ors_variant("input_image", ALL, part_image),
    ngx_ors_variant("input_file", ALL, part_file),
    ngx_ors_variant("input_audio", OPENAI, part_audio),
    ngx_ors_variant("input_video", OPENAI, part_video),
    ngx_ors_variant("encrypted_content", OPENAI, part_encrypted));

const ngx_ors_rule_t  ngx_ors_answer_call_output_rule =
    ngx_ors_rule_list(NGX_ORS_V_STRING,
                      ngx_ors_object_of(part_call_output));


/*
 * Parts of input items.
 */


/* the members that make a choice have no rule: they were checked by it */


/* shared rules */

const ngx_ors_rule_t  ngx_ors_identifier_rule =
    ngx_ors_rule(NGX_ORS_V_STRING|NGX_ORS_V_NULL, 0, 64);

const ngx_ors_rule_t  ngx_ors_call_id_rule =
    ngx_ors_rule(NGX_ORS_V_STRING, 1, 64);

const ngx_ors_rule_t  ngx_ors_list_rule =
    ngx_ors_rule_list(0, NULL);

const ngx_ors_rule_t  ngx_ors_strings_rule =
    ngx_ors_rule_list(0, &ngx_ors_string_rule);

const ngx_ors_rule_t  ngx_ors_string_object_rule =
    ngx_ors_rule(NGX_ORS_V_STRING|NGX_ORS_V_OBJECT, 0, 0);

const ngx_ors_rule_t  ngx_ors_list_object_rule =
    ngx_ors_rule(NGX_ORS_V_ARRAY|NGX_ORS_V_OBJECT, 0, 0);


/* annotations */

static ngx_ors_typed_needed(ngx_ors_url_citation_shape,
    ngx_ors_row_needed("url", &ngx_ors_string_rule),
    ngx_ors_row_needed("title", &ngx_ors_string_rule),
    ngx_ors_row_needed("start_index", &ngx_ors_count_rule),
    ngx_ors_row_needed("end_index", &ngx_ors_count_rule));


/* file_citation, container_file_citation and file_path */

static ngx_ors_typed_optional(ngx_ors_file_citation_shape,
    ngx_ors_row("file_id", &ngx_ors_string_rule),
    ngx_ors_row("filename", &ngx_ors_string_rule),
    ngx_ors_row("index", &ngx_ors_integer_rule),
    ngx_ors_row("container_id", &ngx_ors_string_rule),
    ngx_ors_row("start_index", &ngx_ors_integer_rule),
    ngx_ors_row("end_index", &ngx_ors_integer_rule));


static ngx_ors_variants_of(ngx_ors_annotation_shape, "type",
    NULL, &ngx_ors_typed_shape,
    ngx_ors_variant("url_citation", ALL, url_citation),
    ngx_ors_variant("file_citation", STRICT_OPENAI, file_citation),
    ngx_ors_variant("container_file_citation", STRICT_OPENAI, file_citation),
    ngx_ors_variant("file_path", STRICT_OPENAI, file_citation),
    ngx_ors_others(TOLERANT, typed));


/* content parts */

/* summary_text and reasoning_text */

static ngx_ors_typed_needed(ngx_ors_text_shape,
    ngx_ors_row_needed("text", &ngx_ors_text_rule));


static ngx_ors_typed(ngx_ors_input_text_shape,
    (ngx_ors_row_needed("text", &ngx_ors_text_rule)),
    ngx_ors_row_openai_any("prompt_cache_breakpoint"));


/* any string is a detail in the tolerant profiles (E21) */

static ngx_ors_words(ngx_ors_image_details_rule, NGX_ORS_V_NULL,
    ngx_ors_word("auto"), ngx_ors_word("low"), ngx_ors_word("high"),
    ngx_ors_word_in("original", OPENAI), ngx_ors_other_words(TOLERANT));


static ngx_ors_typed_optional(ngx_ors_image_shape,
    ngx_ors_row("image_url",
                ngx_ors_is(NGX_ORS_V_STRING|NGX_ORS_V_NULL, 0,
                           20 * NGX_ORS_MI)),
    ngx_ors_row("detail", &ngx_ors_image_details_rule),
    ngx_ors_row_openai("file_id", &ngx_ors_string_rule),
    ngx_ors_row_openai_any("prompt_cache_breakpoint"));


static ngx_ors_typed_optional(ngx_ors_file_shape,
    ngx_ors_row("filename", &ngx_ors_string_null_rule),
    ngx_ors_row("file_data",
                ngx_ors_is(NGX_ORS_V_STRING|NGX_ORS_V_NULL, 0,
                           32 * NGX_ORS_MI)),
    ngx_ors_row("file_url", &ngx_ors_string_null_rule),
    ngx_ors_row_openai("file_id", &ngx_ors_string_rule),
    ngx_ors_row_openai("detail", &ngx_ors_string_rule),
    ngx_ors_row_openai_any("prompt_cache_breakpoint"));


static ngx_ors_typed_needed(ngx_ors_video_shape,
    ngx_ors_row_needed("video_url", &ngx_ors_string_rule));


static ngx_ors_typed_optional(ngx_ors_audio_shape,
    ngx_ors_row("input_audio", &ngx_ors_object_rule),
    ngx_ors_row("audio_url", &ngx_ors_string_rule));


static ngx_ors_typed_needed(ngx_ors_encrypted_shape,
    ngx_ors_row_needed("encrypted_content", &ngx_ors_string_rule));


static ngx_ors_typed(ngx_ors_output_text_shape,
    (ngx_ors_row_needed("text", &ngx_ors_text_rule)),
    ngx_ors_row("annotations", ngx_ors_list_of(annotation)),
    ngx_ors_row_openai("logprobs", &ngx_ors_list_rule),
    ngx_ors_row_openai_any("parsed"));


static ngx_ors_typed_needed(ngx_ors_refusal_shape,
    ngx_ors_row_needed("refusal", &ngx_ors_text_rule));


/* lists of content parts: what each of them may hold */

static ngx_ors_variants(ngx_ors_user_part_shape, "type",
    ngx_ors_variant("input_text", ALL, input_text),
    ngx_ors_variant("input_image", ALL, image),
    ngx_ors_variant("input_file", ALL, file),
    ngx_ors_variant("input_audio", OPENAI, audio),
    ngx_ors_variant("input_video", TOLERANT, video));

const ngx_ors_rule_t  ngx_ors_user_content_rule =
    ngx_ors_rule_content(0, ngx_ors_object_of(user_part));


static ngx_ors_variants(ngx_ors_system_part_shape, "type",
    ngx_ors_variant("input_text", ALL, input_text),
    ngx_ors_variant("input_image", OPENAI, image),
    ngx_ors_variant("input_file", OPENAI, file));

const ngx_ors_rule_t  ngx_ors_system_content_rule =
    ngx_ors_rule_content(0, ngx_ors_object_of(system_part));


/* clients send input_text here */

static ngx_ors_variants(ngx_ors_assistant_part_shape, "type",
    ngx_ors_variant("output_text", ALL, output_text),
    ngx_ors_variant("refusal", ALL, refusal),
    ngx_ors_variant("input_text", WIDE, input_text),
    ngx_ors_variant("input_image", OPENAI, image),
    ngx_ors_variant("input_file", OPENAI, file));

const ngx_ors_rule_t  ngx_ors_assistant_content_rule =
    ngx_ors_rule_content(0,
                         ngx_ors_object_of(assistant_part));


static ngx_ors_variants(ngx_ors_output_part_shape, "type",
    ngx_ors_variant("input_text", ALL, input_text),
    ngx_ors_variant("input_image", ALL, image),
    ngx_ors_variant("input_file", ALL, file),
    ngx_ors_variant("input_video", ALL, video),
    ngx_ors_variant("input_audio", OPENAI, audio),
    ngx_ors_variant("encrypted_content", OPENAI, encrypted));

const ngx_ors_rule_t  ngx_ors_output_rule =
    ngx_ors_rule_content(0, ngx_ors_object_of(output_part));


static ngx_ors_variants(ngx_ors_summary_part_shape, "type",
    ngx_ors_variant("summary_text", ALL, text));

const ngx_ors_rule_t  ngx_ors_summary_rule =
    ngx_ors_rule_list(0, ngx_ors_object_of(summary_part));


/* clients send the content of reasoning back (C8) */

static ngx_ors_variants(ngx_ors_reasoning_part_shape, "type",
    ngx_ors_variant("reasoning_text", ALL, text),
    ngx_ors_others(ALL, typed));

const ngx_ors_rule_t  ngx_ors_reasoning_content_rule =
    ngx_ors_rule_list(0, ngx_ors_object_of(reasoning_part));
