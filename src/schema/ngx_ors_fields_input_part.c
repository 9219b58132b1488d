
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Parts of input items.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_fields_input.h>


/* the members that make a choice have no rule: they were checked by it */


/* shared rules */

const ngx_ors_rule_t  ngx_ors_identifier_rule =
    ngx_ors_rule(NGX_ORS_V_STRING|NGX_ORS_V_NULL, 0, 64);

const ngx_ors_rule_t  ngx_ors_call_id_rule =
    ngx_ors_rule(NGX_ORS_V_STRING, 1, 64);

const ngx_ors_rule_t  ngx_ors_name_rule =
    ngx_ors_rule(NGX_ORS_V_NAME, 1, 64);

const ngx_ors_rule_t  ngx_ors_list_rule =
    ngx_ors_rule_list(0, NULL);

const ngx_ors_rule_t  ngx_ors_strings_rule =
    ngx_ors_rule_list(0, &ngx_ors_string_rule);

const ngx_ors_rule_t  ngx_ors_string_object_rule =
    ngx_ors_rule(NGX_ORS_V_STRING|NGX_ORS_V_OBJECT, 0, 0);

const ngx_ors_rule_t  ngx_ors_list_object_rule =
    ngx_ors_rule(NGX_ORS_V_ARRAY|NGX_ORS_V_OBJECT, 0, 0);


ngx_ors_members_needed(ngx_ors_plain_shape,
    ngx_ors_row_needed("type", NULL));


static const ngx_ors_rule_t  ngx_ors_index_rule =
    ngx_ors_rule_integer(0, 0);


/* annotations */

static ngx_ors_members_needed(ngx_ors_url_citation_shape,
    ngx_ors_row_needed("type", NULL),
    ngx_ors_row_needed("url", &ngx_ors_string_rule),
    ngx_ors_row_needed("title", &ngx_ors_string_rule),
    ngx_ors_row_needed("start_index", &ngx_ors_index_rule),
    ngx_ors_row_needed("end_index", &ngx_ors_index_rule));


/* file_citation, container_file_citation and file_path */

static ngx_ors_members(ngx_ors_file_citation_shape,
    (ngx_ors_row_needed("type", NULL)),
    ngx_ors_row("file_id", &ngx_ors_string_rule),
    ngx_ors_row("filename", &ngx_ors_string_rule),
    ngx_ors_row("index", &ngx_ors_integer_rule),
    ngx_ors_row("container_id", &ngx_ors_string_rule),
    ngx_ors_row("start_index", &ngx_ors_integer_rule),
    ngx_ors_row("end_index", &ngx_ors_integer_rule));


static const ngx_ors_variant_t  ngx_ors_annotation_types[] = {
    { ngx_string("url_citation"), NGX_ORS_IN_ALL,
      &ngx_ors_url_citation_shape },
    { ngx_string("file_citation"), NGX_ORS_STRICT_OPENAI,
      &ngx_ors_file_citation_shape },
    { ngx_string("container_file_citation"), NGX_ORS_STRICT_OPENAI,
      &ngx_ors_file_citation_shape },
    { ngx_string("file_path"), NGX_ORS_STRICT_OPENAI,
      &ngx_ors_file_citation_shape },
    { ngx_null_string, NGX_ORS_IN_TOLERANT, &ngx_ors_typed_shape }
};

static const ngx_ors_shape_t  ngx_ors_annotation_shape =
    ngx_ors_shape_choice("type", ngx_ors_annotation_types,
                         NULL, &ngx_ors_typed_shape,
                         ngx_ors_code_invalid_value);


/* content parts */

/* summary_text and reasoning_text */

static ngx_ors_members_needed(ngx_ors_text_shape,
    ngx_ors_row_needed("type", NULL),
    ngx_ors_row_needed("text", &ngx_ors_text_rule));


static ngx_ors_members(ngx_ors_input_text_shape,
    (ngx_ors_row_needed("type", NULL),
     ngx_ors_row_needed("text", &ngx_ors_text_rule)),
    ngx_ors_row_openai_any("prompt_cache_breakpoint"));


/* any string is a detail in the tolerant profiles (E21) */

static const ngx_ors_value_t  ngx_ors_image_details[] = {
    { ngx_string("auto"), NGX_ORS_IN_ALL },
    { ngx_string("low"), NGX_ORS_IN_ALL },
    { ngx_string("high"), NGX_ORS_IN_ALL },
    { ngx_string("original"), NGX_ORS_IN_OPENAI },
    { ngx_null_string, NGX_ORS_IN_TOLERANT }
};


static ngx_ors_members(ngx_ors_image_shape,
    (ngx_ors_row_needed("type", NULL)),
    ngx_ors_row("image_url",
                ngx_ors_is(NGX_ORS_V_STRING|NGX_ORS_V_NULL, 0,
                           20 * NGX_ORS_MI)),
    ngx_ors_row("detail",
                ngx_ors_is_enum(NGX_ORS_V_NULL, ngx_ors_image_details)),
    ngx_ors_row_openai("file_id", &ngx_ors_string_rule),
    ngx_ors_row_openai_any("prompt_cache_breakpoint"));


static ngx_ors_members(ngx_ors_file_shape,
    (ngx_ors_row_needed("type", NULL)),
    ngx_ors_row("filename", &ngx_ors_string_null_rule),
    ngx_ors_row("file_data",
                ngx_ors_is(NGX_ORS_V_STRING|NGX_ORS_V_NULL, 0,
                           32 * NGX_ORS_MI)),
    ngx_ors_row("file_url", &ngx_ors_string_null_rule),
    ngx_ors_row_openai("file_id", &ngx_ors_string_rule),
    ngx_ors_row_openai("detail", &ngx_ors_string_rule),
    ngx_ors_row_openai_any("prompt_cache_breakpoint"));


static ngx_ors_members_needed(ngx_ors_video_shape,
    ngx_ors_row_needed("type", NULL),
    ngx_ors_row_needed("video_url", &ngx_ors_string_rule));


static ngx_ors_members(ngx_ors_audio_shape,
    (ngx_ors_row_needed("type", NULL)),
    ngx_ors_row("input_audio", &ngx_ors_object_rule),
    ngx_ors_row("audio_url", &ngx_ors_string_rule));


static ngx_ors_members_needed(ngx_ors_encrypted_shape,
    ngx_ors_row_needed("type", NULL),
    ngx_ors_row_needed("encrypted_content", &ngx_ors_string_rule));


static ngx_ors_members(ngx_ors_output_text_shape,
    (ngx_ors_row_needed("type", NULL),
     ngx_ors_row_needed("text", &ngx_ors_text_rule)),
    ngx_ors_row("annotations",
                ngx_ors_is_list(0,
                                ngx_ors_is_object(0,
                                                  &ngx_ors_annotation_shape))),
    ngx_ors_row_openai("logprobs", &ngx_ors_list_rule),
    ngx_ors_row_openai_any("parsed"));


static ngx_ors_members_needed(ngx_ors_refusal_shape,
    ngx_ors_row_needed("type", NULL),
    ngx_ors_row_needed("refusal", &ngx_ors_text_rule));


/* lists of content parts: what each of them may hold */

static const ngx_ors_variant_t  ngx_ors_user_parts[] = {
    { ngx_string("input_text"), NGX_ORS_IN_ALL, &ngx_ors_input_text_shape },
    { ngx_string("input_image"), NGX_ORS_IN_ALL, &ngx_ors_image_shape },
    { ngx_string("input_file"), NGX_ORS_IN_ALL, &ngx_ors_file_shape },
    { ngx_string("input_audio"), NGX_ORS_IN_OPENAI, &ngx_ors_audio_shape },
    { ngx_string("input_video"), NGX_ORS_IN_TOLERANT, &ngx_ors_video_shape },
    ngx_ors_variants_end
};

static const ngx_ors_shape_t  ngx_ors_user_part_shape =
    ngx_ors_shape_choice("type", ngx_ors_user_parts,
                         NULL, NULL, ngx_ors_code_invalid_value);

const ngx_ors_rule_t  ngx_ors_user_content_rule =
    ngx_ors_rule_content(0, ngx_ors_is_object(0, &ngx_ors_user_part_shape));


static const ngx_ors_variant_t  ngx_ors_system_parts[] = {
    { ngx_string("input_text"), NGX_ORS_IN_ALL, &ngx_ors_input_text_shape },
    { ngx_string("input_image"), NGX_ORS_IN_OPENAI, &ngx_ors_image_shape },
    { ngx_string("input_file"), NGX_ORS_IN_OPENAI, &ngx_ors_file_shape },
    ngx_ors_variants_end
};

static const ngx_ors_shape_t  ngx_ors_system_part_shape =
    ngx_ors_shape_choice("type", ngx_ors_system_parts,
                         NULL, NULL, ngx_ors_code_invalid_value);

const ngx_ors_rule_t  ngx_ors_system_content_rule =
    ngx_ors_rule_content(0, ngx_ors_is_object(0, &ngx_ors_system_part_shape));


/* clients send input_text here */

static const ngx_ors_variant_t  ngx_ors_assistant_parts[] = {
    { ngx_string("output_text"), NGX_ORS_IN_ALL, &ngx_ors_output_text_shape },
    { ngx_string("refusal"), NGX_ORS_IN_ALL, &ngx_ors_refusal_shape },
    { ngx_string("input_text"), NGX_ORS_IN_WIDE, &ngx_ors_input_text_shape },
    { ngx_string("input_image"), NGX_ORS_IN_OPENAI, &ngx_ors_image_shape },
    { ngx_string("input_file"), NGX_ORS_IN_OPENAI, &ngx_ors_file_shape },
    ngx_ors_variants_end
};

static const ngx_ors_shape_t  ngx_ors_assistant_part_shape =
    ngx_ors_shape_choice("type", ngx_ors_assistant_parts,
                         NULL, NULL, ngx_ors_code_invalid_value);

const ngx_ors_rule_t  ngx_ors_assistant_content_rule =
    ngx_ors_rule_content(0,
                         ngx_ors_is_object(0, &ngx_ors_assistant_part_shape));


static const ngx_ors_variant_t  ngx_ors_output_parts[] = {
    { ngx_string("input_text"), NGX_ORS_IN_ALL, &ngx_ors_input_text_shape },
    { ngx_string("input_image"), NGX_ORS_IN_ALL, &ngx_ors_image_shape },
    { ngx_string("input_file"), NGX_ORS_IN_ALL, &ngx_ors_file_shape },
    { ngx_string("input_video"), NGX_ORS_IN_ALL, &ngx_ors_video_shape },
    { ngx_string("input_audio"), NGX_ORS_IN_OPENAI, &ngx_ors_audio_shape },
    { ngx_string("encrypted_content"), NGX_ORS_IN_OPENAI,
      &ngx_ors_encrypted_shape },
    ngx_ors_variants_end
};

static const ngx_ors_shape_t  ngx_ors_output_part_shape =
    ngx_ors_shape_choice("type", ngx_ors_output_parts,
                         NULL, NULL, ngx_ors_code_invalid_value);

const ngx_ors_rule_t  ngx_ors_output_rule =
    ngx_ors_rule_content(0, ngx_ors_is_object(0, &ngx_ors_output_part_shape));


static const ngx_ors_variant_t  ngx_ors_summary_parts[] = {
    { ngx_string("summary_text"), NGX_ORS_IN_ALL, &ngx_ors_text_shape },
    ngx_ors_variants_end
};

static const ngx_ors_shape_t  ngx_ors_summary_part_shape =
    ngx_ors_shape_choice("type", ngx_ors_summary_parts,
                         NULL, NULL, ngx_ors_code_invalid_value);

const ngx_ors_rule_t  ngx_ors_summary_rule =
    ngx_ors_rule_list(0, ngx_ors_is_object(0, &ngx_ors_summary_part_shape));


/* clients send the content of reasoning back (C8) */

static const ngx_ors_variant_t  ngx_ors_reasoning_parts[] = {
    { ngx_string("reasoning_text"), NGX_ORS_IN_ALL, &ngx_ors_text_shape },
    { ngx_null_string, NGX_ORS_IN_ALL, &ngx_ors_typed_shape }
};

static const ngx_ors_shape_t  ngx_ors_reasoning_part_shape =
    ngx_ors_shape_choice("type", ngx_ors_reasoning_parts,
                         NULL, NULL, ngx_ors_code_invalid_value);

const ngx_ors_rule_t  ngx_ors_reasoning_content_rule =
    ngx_ors_rule_list(0, ngx_ors_is_object(0, &ngx_ors_reasoning_part_shape));
