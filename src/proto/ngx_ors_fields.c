
/*
 * Copyright (C) Open Responses contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_fields.h>


#define NGX_ORS_FIELDS_MI  (1024 * 1024)

#define ngx_ors_fields_plain(types, min, max)                                 \
    { types, min, max, NULL, 0, 0, NULL, NULL }

#define ngx_ors_fields_enum(values)                                           \
    { NGX_ORS_V_STRING, 0, 0, values, 0, 0, NULL, NULL }

#define ngx_ors_fields_list(element)                                          \
    { NGX_ORS_V_ARRAY, 0, 0, NULL, 0, 0, element, NULL }

#define ngx_ors_fields_text_or_list(element)                                  \
    { NGX_ORS_V_STRING|NGX_ORS_V_ARRAY, 0, 10 * NGX_ORS_FIELDS_MI,            \
      NULL, 0, 0, element, NULL }

#define ngx_ors_fields_object(shape)                                          \
    { NGX_ORS_V_OBJECT, 0, 0, NULL, 0, 0, NULL, shape }

#define ngx_ors_fields_members(fields, required)                              \
    { fields, sizeof(fields) / sizeof(fields[0]), required,                   \
      ngx_null_string, NULL, NULL, NULL, NULL }

#define ngx_ors_fields_choice(key, values, absent, code)                      \
    { NULL, 0, 0, ngx_string(key), values, absent, code, NULL }


/* the members that make a choice have no rule: they were checked by it */


static const ngx_ors_rule_t  ngx_ors_boolean_rule =
    ngx_ors_fields_plain(NGX_ORS_V_BOOL, 0, 0);

static const ngx_ors_rule_t  ngx_ors_number_rule =
    ngx_ors_fields_plain(NGX_ORS_V_NUMBER, 0, 0);

static const ngx_ors_rule_t  ngx_ors_index_rule =
    ngx_ors_fields_plain(NGX_ORS_V_INTEGER, 0, 0);

static const ngx_ors_rule_t  ngx_ors_string_rule =
    ngx_ors_fields_plain(NGX_ORS_V_STRING, 0, 0);

static const ngx_ors_rule_t  ngx_ors_text_rule =
    ngx_ors_fields_plain(NGX_ORS_V_STRING, 0, 10 * NGX_ORS_FIELDS_MI);

static const ngx_ors_rule_t  ngx_ors_image_url_rule =
    ngx_ors_fields_plain(NGX_ORS_V_STRING, 0, 20 * NGX_ORS_FIELDS_MI);

static const ngx_ors_rule_t  ngx_ors_file_data_rule =
    ngx_ors_fields_plain(NGX_ORS_V_STRING, 0, 32 * NGX_ORS_FIELDS_MI);

static const ngx_ors_rule_t  ngx_ors_identifier_rule =
    ngx_ors_fields_plain(NGX_ORS_V_STRING, 0, 64);

static const ngx_ors_rule_t  ngx_ors_call_id_rule =
    ngx_ors_fields_plain(NGX_ORS_V_STRING, 1, 64);

static const ngx_ors_rule_t  ngx_ors_name_rule =
    ngx_ors_fields_plain(NGX_ORS_V_NAME, 1, 64);

static const ngx_ors_rule_t  ngx_ors_any_object_rule =
    ngx_ors_fields_object(NULL);


/* annotations */

static const ngx_ors_field_t  ngx_ors_url_citation_fields[] = {
    { ngx_string("type"),        NULL },
    { ngx_string("url"),         &ngx_ors_string_rule },
    { ngx_string("title"),       &ngx_ors_string_rule },
    { ngx_string("start_index"), &ngx_ors_index_rule },
    { ngx_string("end_index"),   &ngx_ors_index_rule }
};

static const ngx_ors_shape_t  ngx_ors_url_citation_shape =
    ngx_ors_fields_members(ngx_ors_url_citation_fields, 5);


/* what has a type and is passed over */

static const ngx_ors_field_t  ngx_ors_typed_fields[] = {
    { ngx_string("type"), NULL }
};

static const ngx_ors_shape_t  ngx_ors_typed_shape =
    ngx_ors_fields_members(ngx_ors_typed_fields, 1);


static const ngx_ors_variant_t  ngx_ors_annotation_types[] = {
    { ngx_string("url_citation"), &ngx_ors_url_citation_shape },
    { ngx_null_string,            &ngx_ors_typed_shape }
};

static const ngx_ors_shape_t  ngx_ors_annotation_shape =
    ngx_ors_fields_choice("type", ngx_ors_annotation_types, NULL,
                          "invalid_value");

static const ngx_ors_rule_t  ngx_ors_annotation_rule =
    ngx_ors_fields_object(&ngx_ors_annotation_shape);

static const ngx_ors_rule_t  ngx_ors_annotations_rule =
    ngx_ors_fields_list(&ngx_ors_annotation_rule);


/* content parts */

/* input_text, summary_text and reasoning_text */

static const ngx_ors_field_t  ngx_ors_text_fields[] = {
    { ngx_string("type"), NULL },
    { ngx_string("text"), &ngx_ors_text_rule }
};

static const ngx_ors_shape_t  ngx_ors_text_shape =
    ngx_ors_fields_members(ngx_ors_text_fields, 2);


/* any string is a detail in the tolerant reading (E21) */

static const ngx_ors_field_t  ngx_ors_image_fields[] = {
    { ngx_string("type"),      NULL },
    { ngx_string("image_url"), &ngx_ors_image_url_rule },
    { ngx_string("detail"),    &ngx_ors_string_rule }
};

static const ngx_ors_shape_t  ngx_ors_image_shape =
    ngx_ors_fields_members(ngx_ors_image_fields, 1);


static const ngx_ors_field_t  ngx_ors_file_fields[] = {
    { ngx_string("type"),      NULL },
    { ngx_string("filename"),  &ngx_ors_string_rule },
    { ngx_string("file_data"), &ngx_ors_file_data_rule },
    { ngx_string("file_url"),  &ngx_ors_string_rule }
};

static const ngx_ors_shape_t  ngx_ors_file_shape =
    ngx_ors_fields_members(ngx_ors_file_fields, 1);


static const ngx_ors_field_t  ngx_ors_video_fields[] = {
    { ngx_string("type"),      NULL },
    { ngx_string("video_url"), &ngx_ors_string_rule }
};

static const ngx_ors_shape_t  ngx_ors_video_shape =
    ngx_ors_fields_members(ngx_ors_video_fields, 2);


static const ngx_ors_field_t  ngx_ors_output_text_fields[] = {
    { ngx_string("type"),        NULL },
    { ngx_string("text"),        &ngx_ors_text_rule },
    { ngx_string("annotations"), &ngx_ors_annotations_rule }
};

static const ngx_ors_shape_t  ngx_ors_output_text_shape =
    ngx_ors_fields_members(ngx_ors_output_text_fields, 2);


static const ngx_ors_field_t  ngx_ors_refusal_fields[] = {
    { ngx_string("type"),    NULL },
    { ngx_string("refusal"), &ngx_ors_text_rule }
};

static const ngx_ors_shape_t  ngx_ors_refusal_shape =
    ngx_ors_fields_members(ngx_ors_refusal_fields, 2);


/* lists of content parts: what each of them may hold */

static const ngx_ors_variant_t  ngx_ors_user_parts[] = {
    { ngx_string("input_text"),  &ngx_ors_text_shape },
    { ngx_string("input_image"), &ngx_ors_image_shape },
    { ngx_string("input_file"),  &ngx_ors_file_shape },
    { ngx_null_string,           NULL }
};

static const ngx_ors_shape_t  ngx_ors_user_part_shape =
    ngx_ors_fields_choice("type", ngx_ors_user_parts, NULL,
                          "invalid_value");

static const ngx_ors_rule_t  ngx_ors_user_part_rule =
    ngx_ors_fields_object(&ngx_ors_user_part_shape);

static const ngx_ors_rule_t  ngx_ors_user_content_rule =
    ngx_ors_fields_text_or_list(&ngx_ors_user_part_rule);


static const ngx_ors_variant_t  ngx_ors_system_parts[] = {
    { ngx_string("input_text"), &ngx_ors_text_shape },
    { ngx_null_string,          NULL }
};

static const ngx_ors_shape_t  ngx_ors_system_part_shape =
    ngx_ors_fields_choice("type", ngx_ors_system_parts, NULL,
                          "invalid_value");

static const ngx_ors_rule_t  ngx_ors_system_part_rule =
    ngx_ors_fields_object(&ngx_ors_system_part_shape);

static const ngx_ors_rule_t  ngx_ors_system_content_rule =
    ngx_ors_fields_text_or_list(&ngx_ors_system_part_rule);


/* clients send input_text here, too */

static const ngx_ors_variant_t  ngx_ors_assistant_parts[] = {
    { ngx_string("output_text"), &ngx_ors_output_text_shape },
    { ngx_string("refusal"),     &ngx_ors_refusal_shape },
    { ngx_string("input_text"),  &ngx_ors_text_shape },
    { ngx_null_string,           NULL }
};

static const ngx_ors_shape_t  ngx_ors_assistant_part_shape =
    ngx_ors_fields_choice("type", ngx_ors_assistant_parts, NULL,
                          "invalid_value");

static const ngx_ors_rule_t  ngx_ors_assistant_part_rule =
    ngx_ors_fields_object(&ngx_ors_assistant_part_shape);

static const ngx_ors_rule_t  ngx_ors_assistant_content_rule =
    ngx_ors_fields_text_or_list(&ngx_ors_assistant_part_rule);


static const ngx_ors_variant_t  ngx_ors_output_parts[] = {
    { ngx_string("input_text"),  &ngx_ors_text_shape },
    { ngx_string("input_image"), &ngx_ors_image_shape },
    { ngx_string("input_file"),  &ngx_ors_file_shape },
    { ngx_string("input_video"), &ngx_ors_video_shape },
    { ngx_null_string,           NULL }
};

static const ngx_ors_shape_t  ngx_ors_output_part_shape =
    ngx_ors_fields_choice("type", ngx_ors_output_parts, NULL,
                          "invalid_value");

static const ngx_ors_rule_t  ngx_ors_output_part_rule =
    ngx_ors_fields_object(&ngx_ors_output_part_shape);

static const ngx_ors_rule_t  ngx_ors_output_rule =
    ngx_ors_fields_text_or_list(&ngx_ors_output_part_rule);


static const ngx_ors_variant_t  ngx_ors_summary_parts[] = {
    { ngx_string("summary_text"), &ngx_ors_text_shape },
    { ngx_null_string,            NULL }
};

static const ngx_ors_shape_t  ngx_ors_summary_part_shape =
    ngx_ors_fields_choice("type", ngx_ors_summary_parts, NULL,
                          "invalid_value");

static const ngx_ors_rule_t  ngx_ors_summary_part_rule =
    ngx_ors_fields_object(&ngx_ors_summary_part_shape);

static const ngx_ors_rule_t  ngx_ors_summary_rule =
    ngx_ors_fields_list(&ngx_ors_summary_part_rule);


/* clients send the content of reasoning back (C8) */

static const ngx_ors_variant_t  ngx_ors_reasoning_parts[] = {
    { ngx_string("reasoning_text"), &ngx_ors_text_shape },
    { ngx_null_string,              &ngx_ors_typed_shape }
};

static const ngx_ors_shape_t  ngx_ors_reasoning_part_shape =
    ngx_ors_fields_choice("type", ngx_ors_reasoning_parts, NULL,
                          "invalid_value");

static const ngx_ors_rule_t  ngx_ors_reasoning_part_rule =
    ngx_ors_fields_object(&ngx_ors_reasoning_part_shape);

static const ngx_ors_rule_t  ngx_ors_reasoning_content_rule =
    ngx_ors_fields_list(&ngx_ors_reasoning_part_rule);


/* input items */

static const ngx_str_t  ngx_ors_item_statuses[] = {
    ngx_string("in_progress"),
    ngx_string("completed"),
    ngx_string("incomplete"),
    ngx_null_string
};

static const ngx_ors_rule_t  ngx_ors_item_status_rule =
    ngx_ors_fields_enum(ngx_ors_item_statuses);


static const ngx_str_t  ngx_ors_phases[] = {
    ngx_string("commentary"),
    ngx_string("final_answer"),
    ngx_null_string
};

static const ngx_ors_rule_t  ngx_ors_phase_rule =
    ngx_ors_fields_enum(ngx_ors_phases);


static const ngx_ors_field_t  ngx_ors_user_fields[] = {
    { ngx_string("role"),    NULL },
    { ngx_string("content"), &ngx_ors_user_content_rule },
    { ngx_string("type"),    NULL },
    { ngx_string("id"),      &ngx_ors_string_rule },
    { ngx_string("status"),  &ngx_ors_string_rule }
};

static const ngx_ors_shape_t  ngx_ors_user_shape =
    ngx_ors_fields_members(ngx_ors_user_fields, 2);


/* system and developer */

static const ngx_ors_field_t  ngx_ors_system_fields[] = {
    { ngx_string("role"),    NULL },
    { ngx_string("content"), &ngx_ors_system_content_rule },
    { ngx_string("type"),    NULL },
    { ngx_string("id"),      &ngx_ors_string_rule },
    { ngx_string("status"),  &ngx_ors_string_rule }
};

static const ngx_ors_shape_t  ngx_ors_system_shape =
    ngx_ors_fields_members(ngx_ors_system_fields, 2);


static const ngx_ors_field_t  ngx_ors_assistant_fields[] = {
    { ngx_string("role"),    NULL },
    { ngx_string("content"), &ngx_ors_assistant_content_rule },
    { ngx_string("type"),    NULL },
    { ngx_string("id"),      &ngx_ors_string_rule },
    { ngx_string("status"),  &ngx_ors_string_rule },
    { ngx_string("phase"),   &ngx_ors_phase_rule }
};

static const ngx_ors_shape_t  ngx_ors_assistant_shape =
    ngx_ors_fields_members(ngx_ors_assistant_fields, 2);


static const ngx_ors_variant_t  ngx_ors_roles[] = {
    { ngx_string("user"),      &ngx_ors_user_shape },
    { ngx_string("assistant"), &ngx_ors_assistant_shape },
    { ngx_string("system"),    &ngx_ors_system_shape },
    { ngx_string("developer"), &ngx_ors_system_shape },
    { ngx_null_string,         NULL }
};

static const ngx_ors_shape_t  ngx_ors_message_shape =
    ngx_ors_fields_choice("role", ngx_ors_roles, NULL,
                          "invalid_value");


static const ngx_ors_field_t  ngx_ors_function_call_fields[] = {
    { ngx_string("type"),      NULL },
    { ngx_string("call_id"),   &ngx_ors_call_id_rule },
    { ngx_string("name"),      &ngx_ors_name_rule },
    { ngx_string("arguments"), &ngx_ors_string_rule },
    { ngx_string("id"),        &ngx_ors_string_rule },
    { ngx_string("status"),    &ngx_ors_item_status_rule }
};

static const ngx_ors_shape_t  ngx_ors_function_call_shape =
    ngx_ors_fields_members(ngx_ors_function_call_fields, 4);


static const ngx_ors_field_t  ngx_ors_call_output_fields[] = {
    { ngx_string("type"),    NULL },
    { ngx_string("call_id"), &ngx_ors_call_id_rule },
    { ngx_string("output"),  &ngx_ors_output_rule },
    { ngx_string("id"),      &ngx_ors_string_rule },
    { ngx_string("status"),  &ngx_ors_item_status_rule }
};

static const ngx_ors_shape_t  ngx_ors_call_output_shape =
    ngx_ors_fields_members(ngx_ors_call_output_fields, 3);


static const ngx_ors_field_t  ngx_ors_reasoning_item_fields[] = {
    { ngx_string("type"),              NULL },
    { ngx_string("summary"),           &ngx_ors_summary_rule },
    { ngx_string("id"),                &ngx_ors_string_rule },
    { ngx_string("content"),           &ngx_ors_reasoning_content_rule },
    { ngx_string("encrypted_content"), &ngx_ors_string_rule }
};

static const ngx_ors_shape_t  ngx_ors_reasoning_item_shape =
    ngx_ors_fields_members(ngx_ors_reasoning_item_fields, 2);


static const ngx_ors_field_t  ngx_ors_compaction_fields[] = {
    { ngx_string("type"),              NULL },
    { ngx_string("encrypted_content"), &ngx_ors_text_rule },
    { ngx_string("id"),                &ngx_ors_string_rule }
};

static const ngx_ors_shape_t  ngx_ors_compaction_shape =
    ngx_ors_fields_members(ngx_ors_compaction_fields, 2);


/* "role" is here to be noticed when it comes twice: null, then a message's */

static const ngx_ors_field_t  ngx_ors_reference_fields[] = {
    { ngx_string("id"),   &ngx_ors_string_rule },
    { ngx_string("type"), NULL },
    { ngx_string("role"), NULL }
};

static const ngx_ors_shape_t  ngx_ors_reference_shape =
    ngx_ors_fields_members(ngx_ors_reference_fields, 1);


static const ngx_ors_variant_t  ngx_ors_item_types[] = {
    { ngx_string("message"),              &ngx_ors_message_shape },
    { ngx_string("function_call"),        &ngx_ors_function_call_shape },
    { ngx_string("function_call_output"), &ngx_ors_call_output_shape },
    { ngx_string("reasoning"),            &ngx_ors_reasoning_item_shape },
    { ngx_string("compaction"),           &ngx_ors_compaction_shape },
    { ngx_string("item_reference"),       &ngx_ors_reference_shape },
    { ngx_null_string,                    NULL }
};

/* a message may come without a type (C1), an id alone is a reference */

static const ngx_ors_variant_t  ngx_ors_untyped_items[] = {
    { ngx_string("role"), &ngx_ors_message_shape },
    { ngx_string("id"),   &ngx_ors_reference_shape },
    { ngx_null_string,    NULL }
};

static const ngx_ors_shape_t  ngx_ors_item_shape =
    ngx_ors_fields_choice("type", ngx_ors_item_types, ngx_ors_untyped_items,
                          "unsupported_item");

static const ngx_ors_rule_t  ngx_ors_item_rule =
    ngx_ors_fields_object(&ngx_ors_item_shape);

static const ngx_ors_rule_t  ngx_ors_input_rule =
    ngx_ors_fields_text_or_list(&ngx_ors_item_rule);


/* include: values that are not known are ignored */

static const ngx_ors_rule_t  ngx_ors_include_rule =
    ngx_ors_fields_list(&ngx_ors_string_rule);


/* tools: hosted ones are not ours to check */

static const ngx_ors_field_t  ngx_ors_function_fields[] = {
    { ngx_string("type"),        NULL },
    { ngx_string("name"),        &ngx_ors_name_rule },
    { ngx_string("description"), &ngx_ors_string_rule },
    { ngx_string("parameters"),  &ngx_ors_any_object_rule },
    { ngx_string("strict"),      &ngx_ors_boolean_rule }
};

static const ngx_ors_shape_t  ngx_ors_function_shape =
    ngx_ors_fields_members(ngx_ors_function_fields, 2);


static const ngx_ors_variant_t  ngx_ors_tool_types[] = {
    { ngx_string("function"), &ngx_ors_function_shape },
    { ngx_null_string,        &ngx_ors_typed_shape }
};

static const ngx_ors_shape_t  ngx_ors_tool_shape =
    ngx_ors_fields_choice("type", ngx_ors_tool_types, NULL,
                          "invalid_value");

static const ngx_ors_rule_t  ngx_ors_tool_rule =
    ngx_ors_fields_object(&ngx_ors_tool_shape);

static const ngx_ors_rule_t  ngx_ors_tools_rule =
    ngx_ors_fields_list(&ngx_ors_tool_rule);


/* tool_choice */

static const ngx_str_t  ngx_ors_tool_modes[] = {
    ngx_string("none"),
    ngx_string("auto"),
    ngx_string("required"),
    ngx_null_string
};

static const ngx_ors_rule_t  ngx_ors_tool_mode_rule =
    ngx_ors_fields_enum(ngx_ors_tool_modes);


static const ngx_ors_field_t  ngx_ors_named_fields[] = {
    { ngx_string("type"), NULL },
    { ngx_string("name"), &ngx_ors_string_rule }
};

static const ngx_ors_shape_t  ngx_ors_named_shape =
    ngx_ors_fields_members(ngx_ors_named_fields, 2);


static const ngx_ors_variant_t  ngx_ors_allowed_types[] = {
    { ngx_string("function"), &ngx_ors_named_shape },
    { ngx_null_string,        NULL }
};

static const ngx_ors_shape_t  ngx_ors_allowed_shape =
    ngx_ors_fields_choice("type", ngx_ors_allowed_types, NULL,
                          "invalid_value");

static const ngx_ors_rule_t  ngx_ors_allowed_rule =
    ngx_ors_fields_object(&ngx_ors_allowed_shape);

static const ngx_ors_rule_t  ngx_ors_allowed_list_rule =
    { NGX_ORS_V_ARRAY, 0, 0, NULL, 1, 128, &ngx_ors_allowed_rule, NULL };


static const ngx_ors_field_t  ngx_ors_allowed_tools_fields[] = {
    { ngx_string("type"),  NULL },
    { ngx_string("tools"), &ngx_ors_allowed_list_rule },
    { ngx_string("mode"),  &ngx_ors_tool_mode_rule }
};

static const ngx_ors_shape_t  ngx_ors_allowed_tools_shape =
    ngx_ors_fields_members(ngx_ors_allowed_tools_fields, 2);


static const ngx_ors_variant_t  ngx_ors_tool_choice_types[] = {
    { ngx_string("function"),      &ngx_ors_named_shape },
    { ngx_string("allowed_tools"), &ngx_ors_allowed_tools_shape },
    { ngx_null_string,             NULL }
};

static const ngx_ors_shape_t  ngx_ors_tool_choice_shape =
    ngx_ors_fields_choice("type", ngx_ors_tool_choice_types, NULL,
                          "invalid_value");

static const ngx_ors_rule_t  ngx_ors_tool_choice_rule = {
    NGX_ORS_V_STRING|NGX_ORS_V_OBJECT, 0, 0,
    ngx_ors_tool_modes, 0, 0, NULL, &ngx_ors_tool_choice_shape
};


/* metadata */

static const ngx_ors_rule_t  ngx_ors_metadata_value_rule =
    ngx_ors_fields_plain(NGX_ORS_V_STRING, 0, 512);

static const ngx_ors_map_t  ngx_ors_metadata_map = {
    16, 64, &ngx_ors_metadata_value_rule
};

static const ngx_ors_shape_t  ngx_ors_metadata_shape =
    { NULL, 0, 0, ngx_null_string, NULL, NULL, NULL,
      &ngx_ors_metadata_map };

static const ngx_ors_rule_t  ngx_ors_metadata_rule =
    ngx_ors_fields_object(&ngx_ors_metadata_shape);


/* text */

static const ngx_str_t  ngx_ors_verbosities[] = {
    ngx_string("low"),
    ngx_string("medium"),
    ngx_string("high"),
    ngx_null_string
};

static const ngx_ors_rule_t  ngx_ors_verbosity_rule =
    ngx_ors_fields_enum(ngx_ors_verbosities);


/* the specification requires no schema, but nothing can be done without */

static const ngx_ors_field_t  ngx_ors_json_schema_fields[] = {
    { ngx_string("schema"),      &ngx_ors_any_object_rule },
    { ngx_string("type"),        NULL },
    { ngx_string("name"),        &ngx_ors_string_rule },
    { ngx_string("description"), &ngx_ors_string_rule },
    { ngx_string("strict"),      &ngx_ors_boolean_rule }
};

static const ngx_ors_shape_t  ngx_ors_json_schema_shape =
    ngx_ors_fields_members(ngx_ors_json_schema_fields, 1);


/* json_object is of the response's formats only, clients send it (C11) */

static const ngx_ors_variant_t  ngx_ors_format_types[] = {
    { ngx_string("text"),        &ngx_ors_typed_shape },
    { ngx_string("json_schema"), &ngx_ors_json_schema_shape },
    { ngx_string("json_object"), &ngx_ors_typed_shape },
    { ngx_null_string,           NULL }
};

static const ngx_ors_variant_t  ngx_ors_untyped_formats[] = {
    { ngx_null_string, &ngx_ors_json_schema_shape }
};

static const ngx_ors_shape_t  ngx_ors_format_shape =
    ngx_ors_fields_choice("type", ngx_ors_format_types,
                          ngx_ors_untyped_formats, "invalid_value");

static const ngx_ors_rule_t  ngx_ors_format_rule =
    ngx_ors_fields_object(&ngx_ors_format_shape);


static const ngx_ors_field_t  ngx_ors_text_param_fields[] = {
    { ngx_string("format"),    &ngx_ors_format_rule },
    { ngx_string("verbosity"), &ngx_ors_verbosity_rule }
};

static const ngx_ors_shape_t  ngx_ors_text_param_shape =
    ngx_ors_fields_members(ngx_ors_text_param_fields, 0);

static const ngx_ors_rule_t  ngx_ors_text_param_rule =
    ngx_ors_fields_object(&ngx_ors_text_param_shape);


/* stream_options */

static const ngx_ors_field_t  ngx_ors_stream_options_fields[] = {
    { ngx_string("include_obfuscation"), &ngx_ors_boolean_rule }
};

static const ngx_ors_shape_t  ngx_ors_stream_options_shape =
    ngx_ors_fields_members(ngx_ors_stream_options_fields, 0);

static const ngx_ors_rule_t  ngx_ors_stream_options_rule =
    ngx_ors_fields_object(&ngx_ors_stream_options_shape);


/* reasoning: "minimal" is described and not listed (C12), clients send it */

static const ngx_str_t  ngx_ors_efforts[] = {
    ngx_string("none"),
    ngx_string("minimal"),
    ngx_string("low"),
    ngx_string("medium"),
    ngx_string("high"),
    ngx_string("xhigh"),
    ngx_null_string
};

static const ngx_ors_rule_t  ngx_ors_effort_rule =
    ngx_ors_fields_enum(ngx_ors_efforts);


static const ngx_str_t  ngx_ors_summaries[] = {
    ngx_string("concise"),
    ngx_string("detailed"),
    ngx_string("auto"),
    ngx_null_string
};

static const ngx_ors_rule_t  ngx_ors_summary_param_rule =
    ngx_ors_fields_enum(ngx_ors_summaries);


static const ngx_ors_field_t  ngx_ors_reasoning_fields[] = {
    { ngx_string("effort"),  &ngx_ors_effort_rule },
    { ngx_string("summary"), &ngx_ors_summary_param_rule }
};

static const ngx_ors_shape_t  ngx_ors_reasoning_shape =
    ngx_ors_fields_members(ngx_ors_reasoning_fields, 0);

static const ngx_ors_rule_t  ngx_ors_reasoning_rule =
    ngx_ors_fields_object(&ngx_ors_reasoning_shape);


/* the other parameters */

static const ngx_str_t  ngx_ors_truncations[] = {
    ngx_string("auto"),
    ngx_string("disabled"),
    ngx_null_string
};

static const ngx_ors_rule_t  ngx_ors_truncation_rule =
    ngx_ors_fields_enum(ngx_ors_truncations);


static const ngx_str_t  ngx_ors_service_tiers[] = {
    ngx_string("auto"),
    ngx_string("default"),
    ngx_string("flex"),
    ngx_string("priority"),
    ngx_null_string
};

static const ngx_ors_rule_t  ngx_ors_service_tier_rule =
    ngx_ors_fields_enum(ngx_ors_service_tiers);


static const ngx_ors_rule_t  ngx_ors_output_tokens_rule =
    ngx_ors_fields_plain(NGX_ORS_V_INTEGER, 16, 0);

static const ngx_ors_rule_t  ngx_ors_tool_calls_rule =
    ngx_ors_fields_plain(NGX_ORS_V_INTEGER, 1, 0);

static const ngx_ors_rule_t  ngx_ors_top_logprobs_rule =
    ngx_ors_fields_plain(NGX_ORS_V_INTEGER, 0, 20);


/* rows in the order of ngx_ors_rq_field_e */

static const ngx_ors_field_t  ngx_ors_create_fields[] = {
    { ngx_string("model"),                &ngx_ors_string_rule },
    { ngx_string("input"),                &ngx_ors_input_rule },
    { ngx_string("previous_response_id"), &ngx_ors_string_rule },
    { ngx_string("include"),              &ngx_ors_include_rule },
    { ngx_string("tools"),                &ngx_ors_tools_rule },
    { ngx_string("tool_choice"),          &ngx_ors_tool_choice_rule },
    { ngx_string("metadata"),             &ngx_ors_metadata_rule },
    { ngx_string("text"),                 &ngx_ors_text_param_rule },
    { ngx_string("temperature"),          &ngx_ors_number_rule },
    { ngx_string("top_p"),                &ngx_ors_number_rule },
    { ngx_string("presence_penalty"),     &ngx_ors_number_rule },
    { ngx_string("frequency_penalty"),    &ngx_ors_number_rule },
    { ngx_string("parallel_tool_calls"),  &ngx_ors_boolean_rule },
    { ngx_string("stream"),               &ngx_ors_boolean_rule },
    { ngx_string("stream_options"),       &ngx_ors_stream_options_rule },
    { ngx_string("background"),           &ngx_ors_boolean_rule },
    { ngx_string("max_output_tokens"),    &ngx_ors_output_tokens_rule },
    { ngx_string("max_tool_calls"),       &ngx_ors_tool_calls_rule },
    { ngx_string("reasoning"),            &ngx_ors_reasoning_rule },
    { ngx_string("safety_identifier"),    &ngx_ors_identifier_rule },
    { ngx_string("prompt_cache_key"),     &ngx_ors_identifier_rule },
    { ngx_string("truncation"),           &ngx_ors_truncation_rule },
    { ngx_string("instructions"),         &ngx_ors_string_rule },
    { ngx_string("store"),                &ngx_ors_boolean_rule },
    { ngx_string("service_tier"),         &ngx_ors_service_tier_rule },
    { ngx_string("top_logprobs"),         &ngx_ors_top_logprobs_rule },

    /* not in the specification, some servers know them */
    { ngx_string("conversation"),         NULL },
    { ngx_string("prompt"),               NULL }
};

const ngx_ors_shape_t  ngx_ors_fields_create =
    ngx_ors_fields_members(ngx_ors_create_fields, 1);
