
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Items of a request's input, but for those of hosted tools.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_fields_input.h>


/* a variant of the flavor "openai" only */
#define ngx_ors_item_openai(name, shape)                                      \
    { ngx_string(name), NGX_ORS_IN_OPENAI, shape }


static const ngx_ors_value_t  ngx_ors_input_statuses[] = {
    { ngx_string("completed"), NGX_ORS_IN_ALL },
    { ngx_string("in_progress"), NGX_ORS_IN_ALL },
    { ngx_string("incomplete"), NGX_ORS_IN_ALL },
    ngx_ors_values_end
};

static const ngx_ors_rule_t  ngx_ors_item_status_rule =
    ngx_ors_rule_enum(NGX_ORS_V_NULL, ngx_ors_input_statuses);


/* messages: most clients leave out the type (C1) */

static ngx_ors_members(ngx_ors_user_shape,
    (ngx_ors_row_in("type", NGX_ORS_IN_ALL, NGX_ORS_STRICT_SPEC, NULL),
     ngx_ors_row_needed("role", NULL),
     ngx_ors_row_needed("content", &ngx_ors_user_content_rule)),
    ngx_ors_row("id", &ngx_ors_string_null_rule),
    ngx_ors_row("status", &ngx_ors_string_null_rule),
    ngx_ors_row_openai_any("phase"));


/* system and developer */

static ngx_ors_members(ngx_ors_system_shape,
    (ngx_ors_row_in("type", NGX_ORS_IN_ALL, NGX_ORS_STRICT_SPEC, NULL),
     ngx_ors_row_needed("role", NULL),
     ngx_ors_row_needed("content", &ngx_ors_system_content_rule)),
    ngx_ors_row("id", &ngx_ors_string_null_rule),
    ngx_ors_row("status", &ngx_ors_string_null_rule),
    ngx_ors_row_openai_any("phase"));


static ngx_ors_members(ngx_ors_assistant_shape,
    (ngx_ors_row_in("type", NGX_ORS_IN_ALL, NGX_ORS_STRICT_SPEC, NULL),
     ngx_ors_row_needed("role", NULL),
     ngx_ors_row_needed("content", &ngx_ors_assistant_content_rule)),
    ngx_ors_row("id", &ngx_ors_string_null_rule),
    ngx_ors_row("status", &ngx_ors_string_null_rule),
    ngx_ors_row("phase", &ngx_ors_phase_rule));


static const ngx_ors_variant_t  ngx_ors_roles[] = {
    { ngx_string("user"), NGX_ORS_IN_ALL, &ngx_ors_user_shape },
    { ngx_string("assistant"), NGX_ORS_IN_ALL, &ngx_ors_assistant_shape },
    { ngx_string("system"), NGX_ORS_IN_ALL, &ngx_ors_system_shape },
    { ngx_string("developer"), NGX_ORS_IN_ALL, &ngx_ors_system_shape },
    ngx_ors_variants_end
};

static const ngx_ors_shape_t  ngx_ors_message_shape =
    ngx_ors_shape_choice("role", ngx_ors_roles,
                         NULL, NULL, ngx_ors_code_invalid_value);


/* calls of functions and what they gave */

static ngx_ors_members(ngx_ors_function_call_shape,
    (ngx_ors_row_needed("type", NULL),
     ngx_ors_row_needed("call_id", &ngx_ors_call_id_rule),
     ngx_ors_row_needed("name", &ngx_ors_name_rule),
     ngx_ors_row_needed("arguments", &ngx_ors_string_rule)),
    ngx_ors_row("id", &ngx_ors_string_null_rule),
    ngx_ors_row("status", &ngx_ors_item_status_rule),
    ngx_ors_row_in("namespace", NGX_ORS_IN_OPENAI, 0, &ngx_ors_string_rule),
    ngx_ors_row_openai("async", &ngx_ors_boolean_rule),
    ngx_ors_row_openai("caller", &ngx_ors_object_rule),
    ngx_ors_row_openai_any("parsed_arguments"));


/* the flavor has outputs that name the function of their call */

static ngx_ors_members(ngx_ors_call_output_shape,
    (ngx_ors_row_needed("type", NULL),
     ngx_ors_row_in("call_id", NGX_ORS_IN_ALL,
                    NGX_ORS_STRICT_SPEC|NGX_ORS_TOLERANT_SPEC,
                    &ngx_ors_call_id_rule),
     ngx_ors_row_needed("output", &ngx_ors_output_rule)),
    ngx_ors_row("id", &ngx_ors_string_null_rule),
    ngx_ors_row("status", &ngx_ors_item_status_rule),
    ngx_ors_row_openai("name", &ngx_ors_string_rule),
    ngx_ors_row_openai("namespace", &ngx_ors_string_rule),
    ngx_ors_row_openai("caller", &ngx_ors_object_rule));


/* the specification has null only as the content of reasoning (C8) */

static ngx_ors_members(ngx_ors_reasoning_item_shape,
    (ngx_ors_row_needed("type", NULL),
     ngx_ors_row_needed("summary", &ngx_ors_summary_rule)),
    ngx_ors_row("id", &ngx_ors_string_null_rule),
    ngx_ors_row("encrypted_content", &ngx_ors_string_null_rule),
    ngx_ors_row_in("content", NGX_ORS_IN_WIDE, 0,
                   &ngx_ors_reasoning_content_rule),
    ngx_ors_row_in("content", NGX_ORS_STRICT_SPEC, 0, &ngx_ors_null_rule),
    ngx_ors_row_openai("status", &ngx_ors_string_rule));


static ngx_ors_members(ngx_ors_compaction_shape,
    (ngx_ors_row_needed("type", NULL),
     ngx_ors_row_needed("encrypted_content", &ngx_ors_text_rule)),
    ngx_ors_row("id", &ngx_ors_string_null_rule),
    ngx_ors_row_openai("status", &ngx_ors_string_rule),
    ngx_ors_row_openai("created_by", &ngx_ors_string_rule));


/* "role" is here to be noticed when it comes twice: null, then a message's */

static ngx_ors_members(ngx_ors_reference_shape,
    (ngx_ors_row_needed("id", &ngx_ors_string_rule)),
    ngx_ors_row("type", NULL),
    ngx_ors_row_in("role", NGX_ORS_IN_WIDE, 0, NULL));


/* an extension: what the specification says that each item has (C14) */

static ngx_ors_open_needed(ngx_ors_extension_item_shape,
    ngx_ors_row_needed("type", NULL),
    ngx_ors_row_in("id", NGX_ORS_IN_ALL, NGX_ORS_IN_STRICT,
                   &ngx_ors_string_rule),
    ngx_ors_row_in("status", NGX_ORS_IN_ALL, NGX_ORS_IN_STRICT,
                   &ngx_ors_string_rule));


static const ngx_ors_variant_t  ngx_ors_item_types[] = {
    { ngx_string("message"), NGX_ORS_IN_ALL, &ngx_ors_message_shape },
    { ngx_string("function_call"), NGX_ORS_IN_ALL,
      &ngx_ors_function_call_shape },
    { ngx_string("function_call_output"), NGX_ORS_IN_ALL,
      &ngx_ors_call_output_shape },
    { ngx_string("reasoning"), NGX_ORS_IN_ALL, &ngx_ors_reasoning_item_shape },
    { ngx_string("compaction"), NGX_ORS_IN_ALL, &ngx_ors_compaction_shape },
    { ngx_string("item_reference"), NGX_ORS_IN_ALL, &ngx_ors_reference_shape },

    ngx_ors_item_openai("custom_tool_call", &ngx_ors_custom_call_shape),
    ngx_ors_item_openai("custom_tool_call_output",
                        &ngx_ors_custom_output_shape),
    ngx_ors_item_openai("local_shell_call", &ngx_ors_local_shell_call_shape),
    ngx_ors_item_openai("local_shell_call_output",
                        &ngx_ors_local_shell_output_shape),
    ngx_ors_item_openai("shell_call", &ngx_ors_shell_call_shape),
    ngx_ors_item_openai("shell_call_output", &ngx_ors_shell_output_shape),
    ngx_ors_item_openai("apply_patch_call", &ngx_ors_patch_call_shape),
    ngx_ors_item_openai("apply_patch_call_output",
                        &ngx_ors_patch_output_shape),
    ngx_ors_item_openai("web_search_call", &ngx_ors_web_search_call_shape),
    ngx_ors_item_openai("file_search_call", &ngx_ors_file_search_call_shape),
    ngx_ors_item_openai("computer_call", &ngx_ors_computer_call_shape),
    ngx_ors_item_openai("computer_call_output",
                        &ngx_ors_computer_output_shape),
    ngx_ors_item_openai("code_interpreter_call",
                        &ngx_ors_interpreter_call_shape),
    ngx_ors_item_openai("image_generation_call", &ngx_ors_image_call_shape),
    ngx_ors_item_openai("mcp_list_tools", &ngx_ors_mcp_list_shape),
    ngx_ors_item_openai("mcp_approval_request", &ngx_ors_mcp_request_shape),
    ngx_ors_item_openai("mcp_approval_response", &ngx_ors_mcp_response_shape),
    ngx_ors_item_openai("mcp_call", &ngx_ors_mcp_call_shape),
    ngx_ors_item_openai("tool_search_call", &ngx_ors_tool_search_call_shape),
    ngx_ors_item_openai("tool_search_output",
                        &ngx_ors_tool_search_output_shape),
    ngx_ors_item_openai("additional_tools", &ngx_ors_additional_tools_shape),
    ngx_ors_item_openai("compaction_trigger", &ngx_ors_trigger_shape),
    ngx_ors_item_openai("context_compaction",
                        &ngx_ors_context_compaction_shape),
    ngx_ors_item_openai("agent_message", &ngx_ors_agent_message_shape),
    ngx_ors_item_openai("configuration_update", &ngx_ors_configuration_shape),
    ngx_ors_item_openai("program", &ngx_ors_program_shape),
    ngx_ors_item_openai("program_output", &ngx_ors_program_output_shape),

    ngx_ors_variants_end
};

/* an id alone is a reference; a role makes a message of it (C1) */

static const ngx_ors_variant_t  ngx_ors_untyped_items[] = {
    { ngx_string("role"), NGX_ORS_IN_WIDE, &ngx_ors_message_shape },
    { ngx_string("id"), NGX_ORS_IN_ALL, &ngx_ors_reference_shape },
    ngx_ors_variants_end
};

const ngx_ors_shape_t  ngx_ors_fields_input_item =
    ngx_ors_shape_choice("type", ngx_ors_item_types, ngx_ors_untyped_items,
                         &ngx_ors_extension_item_shape,
                         ngx_ors_code_unsupported_item);

const ngx_ors_rule_t  ngx_ors_input_rule =
    ngx_ors_rule_content(NGX_ORS_V_NULL,
                         ngx_ors_is_object(0, &ngx_ors_fields_input_item));
