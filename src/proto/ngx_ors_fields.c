
/*
 * Copyright (C) Open Responses contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_fields.h>
#include <ngx_ors_rules.h>


/* the members that make a choice have no rule: they were checked by it */


static const ngx_ors_rule_t  ngx_ors_index_rule =
    ngx_ors_rule_integer(0, 0);

static const ngx_ors_rule_t  ngx_ors_image_url_rule =
    ngx_ors_rule(NGX_ORS_V_STRING, 0, 20 * NGX_ORS_MI);

static const ngx_ors_rule_t  ngx_ors_file_data_rule =
    ngx_ors_rule(NGX_ORS_V_STRING, 0, 32 * NGX_ORS_MI);

static const ngx_ors_rule_t  ngx_ors_identifier_rule =
    ngx_ors_rule(NGX_ORS_V_STRING, 0, 64);

static const ngx_ors_rule_t  ngx_ors_call_id_rule =
    ngx_ors_rule(NGX_ORS_V_STRING, 1, 64);

static const ngx_ors_rule_t  ngx_ors_name_rule =
    ngx_ors_rule(NGX_ORS_V_NAME, 1, 64);


/* annotations */

static const ngx_ors_field_t  ngx_ors_url_citation_fields[] = {
    ngx_ors_row_needed("type", NULL),
    ngx_ors_row_needed("url", &ngx_ors_string_rule),
    ngx_ors_row_needed("title", &ngx_ors_string_rule),
    ngx_ors_row_needed("start_index", &ngx_ors_index_rule),
    ngx_ors_row_needed("end_index", &ngx_ors_index_rule)
};

static const ngx_ors_shape_t  ngx_ors_url_citation_shape =
    ngx_ors_shape_members(ngx_ors_url_citation_fields, 5);


static const ngx_ors_variant_t  ngx_ors_annotation_types[] = {
    { ngx_string("url_citation"), NGX_ORS_IN_ALL, &ngx_ors_url_citation_shape },
    { ngx_null_string, NGX_ORS_IN_ALL, &ngx_ors_typed_shape }
};

static const ngx_ors_shape_t  ngx_ors_annotation_shape =
    ngx_ors_shape_choice("type", ngx_ors_annotation_types,
                         NULL, NULL, "invalid_value");

static const ngx_ors_rule_t  ngx_ors_annotation_rule =
    ngx_ors_rule_object(0, &ngx_ors_annotation_shape);

static const ngx_ors_rule_t  ngx_ors_annotations_rule =
    ngx_ors_rule_list(0, &ngx_ors_annotation_rule);


/* content parts */

/* input_text, summary_text and reasoning_text */

static const ngx_ors_field_t  ngx_ors_text_fields[] = {
    ngx_ors_row_needed("type", NULL),
    ngx_ors_row_needed("text", &ngx_ors_text_rule)
};

static const ngx_ors_shape_t  ngx_ors_text_shape =
    ngx_ors_shape_members(ngx_ors_text_fields, 2);


/* any string is a detail in the tolerant reading (E21) */

static const ngx_ors_field_t  ngx_ors_image_fields[] = {
    ngx_ors_row_needed("type", NULL),
    ngx_ors_row("image_url", &ngx_ors_image_url_rule),
    ngx_ors_row("detail", &ngx_ors_string_rule)
};

static const ngx_ors_shape_t  ngx_ors_image_shape =
    ngx_ors_shape_members(ngx_ors_image_fields, 1);


static const ngx_ors_field_t  ngx_ors_file_fields[] = {
    ngx_ors_row_needed("type", NULL),
    ngx_ors_row("filename", &ngx_ors_string_rule),
    ngx_ors_row("file_data", &ngx_ors_file_data_rule),
    ngx_ors_row("file_url", &ngx_ors_string_rule)
};

static const ngx_ors_shape_t  ngx_ors_file_shape =
    ngx_ors_shape_members(ngx_ors_file_fields, 1);


static const ngx_ors_field_t  ngx_ors_video_fields[] = {
    ngx_ors_row_needed("type", NULL),
    ngx_ors_row_needed("video_url", &ngx_ors_string_rule)
};

static const ngx_ors_shape_t  ngx_ors_video_shape =
    ngx_ors_shape_members(ngx_ors_video_fields, 2);


static const ngx_ors_field_t  ngx_ors_output_text_fields[] = {
    ngx_ors_row_needed("type", NULL),
    ngx_ors_row_needed("text", &ngx_ors_text_rule),
    ngx_ors_row("annotations", &ngx_ors_annotations_rule)
};

static const ngx_ors_shape_t  ngx_ors_output_text_shape =
    ngx_ors_shape_members(ngx_ors_output_text_fields, 2);


static const ngx_ors_field_t  ngx_ors_refusal_fields[] = {
    ngx_ors_row_needed("type", NULL),
    ngx_ors_row_needed("refusal", &ngx_ors_text_rule)
};

static const ngx_ors_shape_t  ngx_ors_refusal_shape =
    ngx_ors_shape_members(ngx_ors_refusal_fields, 2);


/* lists of content parts: what each of them may hold */

static const ngx_ors_variant_t  ngx_ors_user_parts[] = {
    { ngx_string("input_text"), NGX_ORS_IN_ALL, &ngx_ors_text_shape },
    { ngx_string("input_image"), NGX_ORS_IN_ALL, &ngx_ors_image_shape },
    { ngx_string("input_file"), NGX_ORS_IN_ALL, &ngx_ors_file_shape },
    ngx_ors_variants_end
};

static const ngx_ors_shape_t  ngx_ors_user_part_shape =
    ngx_ors_shape_choice("type", ngx_ors_user_parts,
                         NULL, NULL, "invalid_value");

static const ngx_ors_rule_t  ngx_ors_user_part_rule =
    ngx_ors_rule_object(0, &ngx_ors_user_part_shape);

static const ngx_ors_rule_t  ngx_ors_user_content_rule =
    ngx_ors_rule_content(0, &ngx_ors_user_part_rule);


static const ngx_ors_variant_t  ngx_ors_system_parts[] = {
    { ngx_string("input_text"), NGX_ORS_IN_ALL, &ngx_ors_text_shape },
    ngx_ors_variants_end
};

static const ngx_ors_shape_t  ngx_ors_system_part_shape =
    ngx_ors_shape_choice("type", ngx_ors_system_parts,
                         NULL, NULL, "invalid_value");

static const ngx_ors_rule_t  ngx_ors_system_part_rule =
    ngx_ors_rule_object(0, &ngx_ors_system_part_shape);

static const ngx_ors_rule_t  ngx_ors_system_content_rule =
    ngx_ors_rule_content(0, &ngx_ors_system_part_rule);


/* clients send input_text here, too */

static const ngx_ors_variant_t  ngx_ors_assistant_parts[] = {
    { ngx_string("output_text"), NGX_ORS_IN_ALL, &ngx_ors_output_text_shape },
    { ngx_string("refusal"), NGX_ORS_IN_ALL, &ngx_ors_refusal_shape },
    { ngx_string("input_text"), NGX_ORS_IN_ALL, &ngx_ors_text_shape },
    ngx_ors_variants_end
};

static const ngx_ors_shape_t  ngx_ors_assistant_part_shape =
    ngx_ors_shape_choice("type", ngx_ors_assistant_parts,
                         NULL, NULL, "invalid_value");

static const ngx_ors_rule_t  ngx_ors_assistant_part_rule =
    ngx_ors_rule_object(0, &ngx_ors_assistant_part_shape);

static const ngx_ors_rule_t  ngx_ors_assistant_content_rule =
    ngx_ors_rule_content(0, &ngx_ors_assistant_part_rule);


static const ngx_ors_variant_t  ngx_ors_output_parts[] = {
    { ngx_string("input_text"), NGX_ORS_IN_ALL, &ngx_ors_text_shape },
    { ngx_string("input_image"), NGX_ORS_IN_ALL, &ngx_ors_image_shape },
    { ngx_string("input_file"), NGX_ORS_IN_ALL, &ngx_ors_file_shape },
    { ngx_string("input_video"), NGX_ORS_IN_ALL, &ngx_ors_video_shape },
    ngx_ors_variants_end
};

static const ngx_ors_shape_t  ngx_ors_output_part_shape =
    ngx_ors_shape_choice("type", ngx_ors_output_parts,
                         NULL, NULL, "invalid_value");

static const ngx_ors_rule_t  ngx_ors_output_part_rule =
    ngx_ors_rule_object(0, &ngx_ors_output_part_shape);

static const ngx_ors_rule_t  ngx_ors_output_rule =
    ngx_ors_rule_content(0, &ngx_ors_output_part_rule);


static const ngx_ors_variant_t  ngx_ors_summary_parts[] = {
    { ngx_string("summary_text"), NGX_ORS_IN_ALL, &ngx_ors_text_shape },
    ngx_ors_variants_end
};

static const ngx_ors_shape_t  ngx_ors_summary_part_shape =
    ngx_ors_shape_choice("type", ngx_ors_summary_parts,
                         NULL, NULL, "invalid_value");

static const ngx_ors_rule_t  ngx_ors_summary_part_rule =
    ngx_ors_rule_object(0, &ngx_ors_summary_part_shape);

static const ngx_ors_rule_t  ngx_ors_summary_rule =
    ngx_ors_rule_list(0, &ngx_ors_summary_part_rule);


/* clients send the content of reasoning back (C8) */

static const ngx_ors_variant_t  ngx_ors_reasoning_parts[] = {
    { ngx_string("reasoning_text"), NGX_ORS_IN_ALL, &ngx_ors_text_shape },
    { ngx_null_string, NGX_ORS_IN_ALL, &ngx_ors_typed_shape }
};

static const ngx_ors_shape_t  ngx_ors_reasoning_part_shape =
    ngx_ors_shape_choice("type", ngx_ors_reasoning_parts,
                         NULL, NULL, "invalid_value");

static const ngx_ors_rule_t  ngx_ors_reasoning_part_rule =
    ngx_ors_rule_object(0, &ngx_ors_reasoning_part_shape);

static const ngx_ors_rule_t  ngx_ors_reasoning_content_rule =
    ngx_ors_rule_list(0, &ngx_ors_reasoning_part_rule);


/* input items */

static const ngx_ors_value_t  ngx_ors_item_statuses[] = {
    { ngx_string("in_progress"), NGX_ORS_IN_ALL },
    { ngx_string("completed"), NGX_ORS_IN_ALL },
    { ngx_string("incomplete"), NGX_ORS_IN_ALL },
    ngx_ors_values_end
};

static const ngx_ors_rule_t  ngx_ors_item_status_rule =
    ngx_ors_rule_enum(0, ngx_ors_item_statuses);


static const ngx_ors_value_t  ngx_ors_phases[] = {
    { ngx_string("commentary"), NGX_ORS_IN_ALL },
    { ngx_string("final_answer"), NGX_ORS_IN_ALL },
    ngx_ors_values_end
};

static const ngx_ors_rule_t  ngx_ors_phase_rule =
    ngx_ors_rule_enum(0, ngx_ors_phases);


static const ngx_ors_field_t  ngx_ors_user_fields[] = {
    ngx_ors_row_needed("role", NULL),
    ngx_ors_row_needed("content", &ngx_ors_user_content_rule),
    ngx_ors_row("type", NULL),
    ngx_ors_row("id", &ngx_ors_string_rule),
    ngx_ors_row("status", &ngx_ors_string_rule)
};

static const ngx_ors_shape_t  ngx_ors_user_shape =
    ngx_ors_shape_members(ngx_ors_user_fields, 2);


/* system and developer */

static const ngx_ors_field_t  ngx_ors_system_fields[] = {
    ngx_ors_row_needed("role", NULL),
    ngx_ors_row_needed("content", &ngx_ors_system_content_rule),
    ngx_ors_row("type", NULL),
    ngx_ors_row("id", &ngx_ors_string_rule),
    ngx_ors_row("status", &ngx_ors_string_rule)
};

static const ngx_ors_shape_t  ngx_ors_system_shape =
    ngx_ors_shape_members(ngx_ors_system_fields, 2);


static const ngx_ors_field_t  ngx_ors_assistant_fields[] = {
    ngx_ors_row_needed("role", NULL),
    ngx_ors_row_needed("content", &ngx_ors_assistant_content_rule),
    ngx_ors_row("type", NULL),
    ngx_ors_row("id", &ngx_ors_string_rule),
    ngx_ors_row("status", &ngx_ors_string_rule),
    ngx_ors_row("phase", &ngx_ors_phase_rule)
};

static const ngx_ors_shape_t  ngx_ors_assistant_shape =
    ngx_ors_shape_members(ngx_ors_assistant_fields, 2);


static const ngx_ors_variant_t  ngx_ors_roles[] = {
    { ngx_string("user"), NGX_ORS_IN_ALL, &ngx_ors_user_shape },
    { ngx_string("assistant"), NGX_ORS_IN_ALL, &ngx_ors_assistant_shape },
    { ngx_string("system"), NGX_ORS_IN_ALL, &ngx_ors_system_shape },
    { ngx_string("developer"), NGX_ORS_IN_ALL, &ngx_ors_system_shape },
    ngx_ors_variants_end
};

static const ngx_ors_shape_t  ngx_ors_message_shape =
    ngx_ors_shape_choice("role", ngx_ors_roles,
                         NULL, NULL, "invalid_value");


static const ngx_ors_field_t  ngx_ors_function_call_fields[] = {
    ngx_ors_row_needed("type", NULL),
    ngx_ors_row_needed("call_id", &ngx_ors_call_id_rule),
    ngx_ors_row_needed("name", &ngx_ors_name_rule),
    ngx_ors_row_needed("arguments", &ngx_ors_string_rule),
    ngx_ors_row("id", &ngx_ors_string_rule),
    ngx_ors_row("status", &ngx_ors_item_status_rule)
};

static const ngx_ors_shape_t  ngx_ors_function_call_shape =
    ngx_ors_shape_members(ngx_ors_function_call_fields, 4);


static const ngx_ors_field_t  ngx_ors_call_output_fields[] = {
    ngx_ors_row_needed("type", NULL),
    ngx_ors_row_needed("call_id", &ngx_ors_call_id_rule),
    ngx_ors_row_needed("output", &ngx_ors_output_rule),
    ngx_ors_row("id", &ngx_ors_string_rule),
    ngx_ors_row("status", &ngx_ors_item_status_rule)
};

static const ngx_ors_shape_t  ngx_ors_call_output_shape =
    ngx_ors_shape_members(ngx_ors_call_output_fields, 3);


static const ngx_ors_field_t  ngx_ors_reasoning_item_fields[] = {
    ngx_ors_row_needed("type", NULL),
    ngx_ors_row_needed("summary", &ngx_ors_summary_rule),
    ngx_ors_row("id", &ngx_ors_string_rule),
    ngx_ors_row("content", &ngx_ors_reasoning_content_rule),
    ngx_ors_row("encrypted_content", &ngx_ors_string_rule)
};

static const ngx_ors_shape_t  ngx_ors_reasoning_item_shape =
    ngx_ors_shape_members(ngx_ors_reasoning_item_fields, 2);


static const ngx_ors_field_t  ngx_ors_compaction_fields[] = {
    ngx_ors_row_needed("type", NULL),
    ngx_ors_row_needed("encrypted_content", &ngx_ors_text_rule),
    ngx_ors_row("id", &ngx_ors_string_rule)
};

static const ngx_ors_shape_t  ngx_ors_compaction_shape =
    ngx_ors_shape_members(ngx_ors_compaction_fields, 2);


/* "role" is here to be noticed when it comes twice: null, then a message's */

static const ngx_ors_field_t  ngx_ors_reference_fields[] = {
    ngx_ors_row_needed("id", &ngx_ors_string_rule),
    ngx_ors_row("type", NULL),
    ngx_ors_row("role", NULL)
};

static const ngx_ors_shape_t  ngx_ors_reference_shape =
    ngx_ors_shape_members(ngx_ors_reference_fields, 1);


static const ngx_ors_variant_t  ngx_ors_item_types[] = {
    { ngx_string("message"), NGX_ORS_IN_ALL, &ngx_ors_message_shape },
    { ngx_string("function_call"), NGX_ORS_IN_ALL,
      &ngx_ors_function_call_shape },
    { ngx_string("function_call_output"), NGX_ORS_IN_ALL,
      &ngx_ors_call_output_shape },
    { ngx_string("reasoning"), NGX_ORS_IN_ALL, &ngx_ors_reasoning_item_shape },
    { ngx_string("compaction"), NGX_ORS_IN_ALL, &ngx_ors_compaction_shape },
    { ngx_string("item_reference"), NGX_ORS_IN_ALL, &ngx_ors_reference_shape },
    ngx_ors_variants_end
};

/* a message may come without a type (C1), an id alone is a reference */

static const ngx_ors_variant_t  ngx_ors_untyped_items[] = {
    { ngx_string("role"), NGX_ORS_IN_ALL, &ngx_ors_message_shape },
    { ngx_string("id"), NGX_ORS_IN_ALL, &ngx_ors_reference_shape },
    ngx_ors_variants_end
};

static const ngx_ors_shape_t  ngx_ors_item_shape =
    ngx_ors_shape_choice("type", ngx_ors_item_types,
                         ngx_ors_untyped_items, NULL, "unsupported_item");

static const ngx_ors_rule_t  ngx_ors_item_rule =
    ngx_ors_rule_object(0, &ngx_ors_item_shape);

const ngx_ors_rule_t  ngx_ors_input_rule =
    ngx_ors_rule_content(0, &ngx_ors_item_rule);


/* include: values that are not known are ignored */

static const ngx_ors_rule_t  ngx_ors_include_rule =
    ngx_ors_rule_list(0, &ngx_ors_string_rule);


/* tools: hosted ones are not ours to check */

static const ngx_ors_field_t  ngx_ors_function_fields[] = {
    ngx_ors_row_needed("type", NULL),
    ngx_ors_row_needed("name", &ngx_ors_name_rule),
    ngx_ors_row("description", &ngx_ors_string_rule),
    ngx_ors_row("parameters", &ngx_ors_object_rule),
    ngx_ors_row("strict", &ngx_ors_boolean_rule)
};

static const ngx_ors_shape_t  ngx_ors_function_shape =
    ngx_ors_shape_members(ngx_ors_function_fields, 2);


static const ngx_ors_variant_t  ngx_ors_tool_types[] = {
    { ngx_string("function"), NGX_ORS_IN_ALL, &ngx_ors_function_shape },
    { ngx_null_string, NGX_ORS_IN_ALL, &ngx_ors_typed_shape }
};

static const ngx_ors_shape_t  ngx_ors_tool_shape =
    ngx_ors_shape_choice("type", ngx_ors_tool_types,
                         NULL, NULL, "invalid_value");

static const ngx_ors_rule_t  ngx_ors_tool_rule =
    ngx_ors_rule_object(0, &ngx_ors_tool_shape);

const ngx_ors_rule_t  ngx_ors_tools_rule =
    ngx_ors_rule_list(0, &ngx_ors_tool_rule);


/* tool_choice */

static const ngx_ors_value_t  ngx_ors_tool_modes[] = {
    { ngx_string("none"), NGX_ORS_IN_ALL },
    { ngx_string("auto"), NGX_ORS_IN_ALL },
    { ngx_string("required"), NGX_ORS_IN_ALL },
    ngx_ors_values_end
};

static const ngx_ors_rule_t  ngx_ors_tool_mode_rule =
    ngx_ors_rule_enum(0, ngx_ors_tool_modes);


static const ngx_ors_field_t  ngx_ors_named_fields[] = {
    ngx_ors_row_needed("type", NULL),
    ngx_ors_row_needed("name", &ngx_ors_string_rule)
};

static const ngx_ors_shape_t  ngx_ors_named_shape =
    ngx_ors_shape_members(ngx_ors_named_fields, 2);


static const ngx_ors_variant_t  ngx_ors_allowed_types[] = {
    { ngx_string("function"), NGX_ORS_IN_ALL, &ngx_ors_named_shape },
    ngx_ors_variants_end
};

static const ngx_ors_shape_t  ngx_ors_allowed_shape =
    ngx_ors_shape_choice("type", ngx_ors_allowed_types,
                         NULL, NULL, "invalid_value");

static const ngx_ors_rule_t  ngx_ors_allowed_rule =
    ngx_ors_rule_object(0, &ngx_ors_allowed_shape);

static const ngx_ors_rule_t  ngx_ors_allowed_list_rule =
    { NGX_ORS_V_ARRAY, 0, 0, NULL, 1, 128, &ngx_ors_allowed_rule, NULL };


static const ngx_ors_field_t  ngx_ors_allowed_tools_fields[] = {
    ngx_ors_row_needed("type", NULL),
    ngx_ors_row_needed("tools", &ngx_ors_allowed_list_rule),
    ngx_ors_row("mode", &ngx_ors_tool_mode_rule)
};

static const ngx_ors_shape_t  ngx_ors_allowed_tools_shape =
    ngx_ors_shape_members(ngx_ors_allowed_tools_fields, 2);


static const ngx_ors_variant_t  ngx_ors_tool_choice_types[] = {
    { ngx_string("function"), NGX_ORS_IN_ALL, &ngx_ors_named_shape },
    { ngx_string("allowed_tools"), NGX_ORS_IN_ALL,
      &ngx_ors_allowed_tools_shape },
    ngx_ors_variants_end
};

static const ngx_ors_shape_t  ngx_ors_tool_choice_shape =
    ngx_ors_shape_choice("type", ngx_ors_tool_choice_types,
                         NULL, NULL, "invalid_value");

const ngx_ors_rule_t  ngx_ors_tool_choice_rule = {
    NGX_ORS_V_STRING|NGX_ORS_V_OBJECT, 0, 0,
    ngx_ors_tool_modes, 0, 0, NULL, &ngx_ors_tool_choice_shape
};


/* metadata */

static const ngx_ors_rule_t  ngx_ors_metadata_value_rule =
    ngx_ors_rule(NGX_ORS_V_STRING, 0, 512);

static const ngx_ors_map_t  ngx_ors_metadata_map = {
    16, 64, &ngx_ors_metadata_value_rule
};

static const ngx_ors_shape_t  ngx_ors_metadata_shape =
    ngx_ors_shape_map(&ngx_ors_metadata_map);

static const ngx_ors_rule_t  ngx_ors_metadata_rule =
    ngx_ors_rule_object(0, &ngx_ors_metadata_shape);


/* text */

static const ngx_ors_value_t  ngx_ors_verbosities[] = {
    { ngx_string("low"), NGX_ORS_IN_ALL },
    { ngx_string("medium"), NGX_ORS_IN_ALL },
    { ngx_string("high"), NGX_ORS_IN_ALL },
    ngx_ors_values_end
};

static const ngx_ors_rule_t  ngx_ors_verbosity_rule =
    ngx_ors_rule_enum(0, ngx_ors_verbosities);


/* the specification requires no schema, but nothing can be done without */

static const ngx_ors_field_t  ngx_ors_json_schema_fields[] = {
    ngx_ors_row_needed("schema", &ngx_ors_object_rule),
    ngx_ors_row("type", NULL),
    ngx_ors_row("name", &ngx_ors_string_rule),
    ngx_ors_row("description", &ngx_ors_string_rule),
    ngx_ors_row("strict", &ngx_ors_boolean_rule)
};

static const ngx_ors_shape_t  ngx_ors_json_schema_shape =
    ngx_ors_shape_members(ngx_ors_json_schema_fields, 1);


/* json_object is of the response's formats only, clients send it (C11) */

static const ngx_ors_variant_t  ngx_ors_format_types[] = {
    { ngx_string("text"), NGX_ORS_IN_ALL, &ngx_ors_typed_shape },
    { ngx_string("json_schema"), NGX_ORS_IN_ALL, &ngx_ors_json_schema_shape },
    { ngx_string("json_object"), NGX_ORS_IN_ALL, &ngx_ors_typed_shape },
    ngx_ors_variants_end
};

static const ngx_ors_variant_t  ngx_ors_untyped_formats[] = {
    { ngx_null_string, NGX_ORS_IN_ALL, &ngx_ors_json_schema_shape }
};

static const ngx_ors_shape_t  ngx_ors_format_shape =
    ngx_ors_shape_choice("type", ngx_ors_format_types,
                         ngx_ors_untyped_formats, NULL, "invalid_value");

static const ngx_ors_rule_t  ngx_ors_format_rule =
    ngx_ors_rule_object(0, &ngx_ors_format_shape);


static const ngx_ors_field_t  ngx_ors_text_param_fields[] = {
    ngx_ors_row("format", &ngx_ors_format_rule),
    ngx_ors_row("verbosity", &ngx_ors_verbosity_rule)
};

static const ngx_ors_shape_t  ngx_ors_text_param_shape =
    ngx_ors_shape_members(ngx_ors_text_param_fields, 0);

static const ngx_ors_rule_t  ngx_ors_text_param_rule =
    ngx_ors_rule_object(0, &ngx_ors_text_param_shape);


/* stream_options */

static const ngx_ors_field_t  ngx_ors_stream_options_fields[] = {
    ngx_ors_row("include_obfuscation", &ngx_ors_boolean_rule)
};

static const ngx_ors_shape_t  ngx_ors_stream_options_shape =
    ngx_ors_shape_members(ngx_ors_stream_options_fields, 0);

static const ngx_ors_rule_t  ngx_ors_stream_options_rule =
    ngx_ors_rule_object(0, &ngx_ors_stream_options_shape);


/* reasoning: "minimal" is described and not listed (C12), clients send it */

static const ngx_ors_value_t  ngx_ors_efforts[] = {
    { ngx_string("none"), NGX_ORS_IN_ALL },
    { ngx_string("minimal"), NGX_ORS_IN_ALL },
    { ngx_string("low"), NGX_ORS_IN_ALL },
    { ngx_string("medium"), NGX_ORS_IN_ALL },
    { ngx_string("high"), NGX_ORS_IN_ALL },
    { ngx_string("xhigh"), NGX_ORS_IN_ALL },
    ngx_ors_values_end
};

static const ngx_ors_rule_t  ngx_ors_effort_rule =
    ngx_ors_rule_enum(0, ngx_ors_efforts);


static const ngx_ors_value_t  ngx_ors_summaries[] = {
    { ngx_string("concise"), NGX_ORS_IN_ALL },
    { ngx_string("detailed"), NGX_ORS_IN_ALL },
    { ngx_string("auto"), NGX_ORS_IN_ALL },
    ngx_ors_values_end
};

static const ngx_ors_rule_t  ngx_ors_summary_param_rule =
    ngx_ors_rule_enum(0, ngx_ors_summaries);


static const ngx_ors_field_t  ngx_ors_reasoning_fields[] = {
    ngx_ors_row("effort", &ngx_ors_effort_rule),
    ngx_ors_row("summary", &ngx_ors_summary_param_rule)
};

static const ngx_ors_shape_t  ngx_ors_reasoning_shape =
    ngx_ors_shape_members(ngx_ors_reasoning_fields, 0);

static const ngx_ors_rule_t  ngx_ors_reasoning_rule =
    ngx_ors_rule_object(0, &ngx_ors_reasoning_shape);


/* the other parameters */

static const ngx_ors_value_t  ngx_ors_truncations[] = {
    { ngx_string("auto"), NGX_ORS_IN_ALL },
    { ngx_string("disabled"), NGX_ORS_IN_ALL },
    ngx_ors_values_end
};

static const ngx_ors_rule_t  ngx_ors_truncation_rule =
    ngx_ors_rule_enum(0, ngx_ors_truncations);


static const ngx_ors_value_t  ngx_ors_service_tiers[] = {
    { ngx_string("auto"), NGX_ORS_IN_ALL },
    { ngx_string("default"), NGX_ORS_IN_ALL },
    { ngx_string("flex"), NGX_ORS_IN_ALL },
    { ngx_string("priority"), NGX_ORS_IN_ALL },
    ngx_ors_values_end
};

static const ngx_ors_rule_t  ngx_ors_service_tier_rule =
    ngx_ors_rule_enum(0, ngx_ors_service_tiers);


static const ngx_ors_rule_t  ngx_ors_output_tokens_rule =
    ngx_ors_rule(NGX_ORS_V_INTEGER, 16, 0);

static const ngx_ors_rule_t  ngx_ors_tool_calls_rule =
    ngx_ors_rule(NGX_ORS_V_INTEGER, 1, 0);

static const ngx_ors_rule_t  ngx_ors_top_logprobs_rule =
    ngx_ors_rule(NGX_ORS_V_INTEGER, 0, 20);


/* rows in the order of ngx_ors_rq_field_e */

static const ngx_ors_field_t  ngx_ors_create_fields[] = {
    ngx_ors_row_needed("model", &ngx_ors_string_rule),
    ngx_ors_row("input", &ngx_ors_input_rule),
    ngx_ors_row("previous_response_id", &ngx_ors_string_rule),
    ngx_ors_row("include", &ngx_ors_include_rule),
    ngx_ors_row("tools", &ngx_ors_tools_rule),
    ngx_ors_row("tool_choice", &ngx_ors_tool_choice_rule),
    ngx_ors_row("metadata", &ngx_ors_metadata_rule),
    ngx_ors_row("text", &ngx_ors_text_param_rule),
    ngx_ors_row("temperature", &ngx_ors_number_rule),
    ngx_ors_row("top_p", &ngx_ors_number_rule),
    ngx_ors_row("presence_penalty", &ngx_ors_number_rule),
    ngx_ors_row("frequency_penalty", &ngx_ors_number_rule),
    ngx_ors_row("parallel_tool_calls", &ngx_ors_boolean_rule),
    ngx_ors_row("stream", &ngx_ors_boolean_rule),
    ngx_ors_row("stream_options", &ngx_ors_stream_options_rule),
    ngx_ors_row("background", &ngx_ors_boolean_rule),
    ngx_ors_row("max_output_tokens", &ngx_ors_output_tokens_rule),
    ngx_ors_row("max_tool_calls", &ngx_ors_tool_calls_rule),
    ngx_ors_row("reasoning", &ngx_ors_reasoning_rule),
    ngx_ors_row("safety_identifier", &ngx_ors_identifier_rule),
    ngx_ors_row("prompt_cache_key", &ngx_ors_identifier_rule),
    ngx_ors_row("truncation", &ngx_ors_truncation_rule),
    ngx_ors_row("instructions", &ngx_ors_string_rule),
    ngx_ors_row("store", &ngx_ors_boolean_rule),
    ngx_ors_row("service_tier", &ngx_ors_service_tier_rule),
    ngx_ors_row("top_logprobs", &ngx_ors_top_logprobs_rule),

    /* not in the specification, some servers know them */
    ngx_ors_row("conversation", NULL),
    ngx_ors_row("prompt", NULL)
};

const ngx_ors_shape_t  ngx_ors_fields_create =
    ngx_ors_shape_members(ngx_ors_create_fields, 1);
