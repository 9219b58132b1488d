
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Input items of the flavor "openai": calls of tools that are no functions,
 * what they gave, and what else its clients send back.  Of these only what
 * is certain is required: some clients leave out ids and statuses.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_fields_input.h>


/* tools with free text */

ngx_ors_typed(ngx_ors_input_custom_tool_call_shape,
    (ngx_ors_row_needed("call_id", &ngx_ors_string_rule),
     ngx_ors_row_needed("name", &ngx_ors_string_rule),
     ngx_ors_row_needed("input", &ngx_ors_string_rule)),
    ngx_ors_row("id", &ngx_ors_string_rule),
    ngx_ors_row("status", &ngx_ors_string_rule),
    ngx_ors_row("namespace", &ngx_ors_string_rule),
    ngx_ors_row("async", &ngx_ors_boolean_rule),
    ngx_ors_row("caller", &ngx_ors_object_rule));


ngx_ors_typed(ngx_ors_input_custom_tool_call_output_shape,
    (ngx_ors_row_needed("call_id", &ngx_ors_string_rule),
     ngx_ors_row_needed("output", &ngx_ors_output_rule)),
    ngx_ors_row("id", &ngx_ors_string_rule),
    ngx_ors_row("status", &ngx_ors_string_rule),
    ngx_ors_row("name", &ngx_ors_string_rule),
    ngx_ors_row("caller", &ngx_ors_object_rule));


/* local_shell, the older one of two */

static ngx_ors_members_optional(ngx_ors_local_action_shape,
    ngx_ors_row("type", &ngx_ors_string_rule),
    ngx_ors_row("command", &ngx_ors_strings_rule),
    ngx_ors_row("env", &ngx_ors_object_rule),
    ngx_ors_row("timeout_ms", &ngx_ors_integer_rule),
    ngx_ors_row("user", &ngx_ors_string_rule),
    ngx_ors_row("working_directory", &ngx_ors_string_rule));


ngx_ors_typed(ngx_ors_input_local_shell_call_shape,
    (ngx_ors_row_needed("action", ngx_ors_object_of(local_action))),
    ngx_ors_row("id", &ngx_ors_string_rule),
    ngx_ors_row("call_id", &ngx_ors_string_rule),
    ngx_ors_row("status", &ngx_ors_string_rule));


ngx_ors_typed(ngx_ors_input_local_shell_call_output_shape,
    (ngx_ors_row_needed("output", &ngx_ors_string_rule)),
    ngx_ors_row("id", &ngx_ors_string_rule),
    ngx_ors_row("call_id", &ngx_ors_string_rule),
    ngx_ors_row("status", &ngx_ors_string_rule));


/* shell */

static ngx_ors_members(ngx_ors_shell_action_shape,
    (ngx_ors_row_needed("commands", &ngx_ors_strings_rule)),
    ngx_ors_row("timeout_ms", &ngx_ors_integer_rule),
    ngx_ors_row("max_output_length", &ngx_ors_integer_rule));


ngx_ors_typed(ngx_ors_input_shell_call_shape,
    (ngx_ors_row_needed("call_id", &ngx_ors_string_rule),
     ngx_ors_row_needed("action", ngx_ors_object_of(shell_action))),
    ngx_ors_row("id", &ngx_ors_string_rule),
    ngx_ors_row("status", &ngx_ors_string_rule),
    ngx_ors_row("environment", &ngx_ors_object_rule),
    ngx_ors_row("caller", &ngx_ors_object_rule),
    ngx_ors_row("created_by", &ngx_ors_string_rule));


static ngx_ors_members_optional(ngx_ors_shell_result_shape,
    ngx_ors_row("stdout", &ngx_ors_string_rule),
    ngx_ors_row("stderr", &ngx_ors_string_rule),
    ngx_ors_row("outcome", &ngx_ors_object_rule),
    ngx_ors_row("created_by", &ngx_ors_string_rule));


ngx_ors_typed(ngx_ors_input_shell_call_output_shape,
    (ngx_ors_row_needed("call_id", &ngx_ors_string_rule),
     ngx_ors_row_needed("output", ngx_ors_list_of(shell_result))),
    ngx_ors_row("id", &ngx_ors_string_rule),
    ngx_ors_row("status", &ngx_ors_string_rule),
    ngx_ors_row("max_output_length", &ngx_ors_integer_rule),
    ngx_ors_row("caller", &ngx_ors_object_rule),
    ngx_ors_row("created_by", &ngx_ors_string_rule));


/* apply_patch */

static ngx_ors_members(ngx_ors_operation_shape,
    (ngx_ors_row_needed("type", &ngx_ors_string_rule),
     ngx_ors_row_needed("path", &ngx_ors_string_rule)),
    ngx_ors_row("diff", &ngx_ors_string_rule));


ngx_ors_typed(ngx_ors_input_apply_patch_call_shape,
    (ngx_ors_row_needed("call_id", &ngx_ors_string_rule),
     ngx_ors_row_needed("operation", ngx_ors_object_of(operation))),
    ngx_ors_row("id", &ngx_ors_string_rule),
    ngx_ors_row("status", &ngx_ors_string_rule),
    ngx_ors_row("caller", &ngx_ors_object_rule),
    ngx_ors_row("created_by", &ngx_ors_string_rule));


ngx_ors_typed(ngx_ors_input_apply_patch_call_output_shape,
    (ngx_ors_row_needed("call_id", &ngx_ors_string_rule)),
    ngx_ors_row("id", &ngx_ors_string_rule),
    ngx_ors_row("status", &ngx_ors_string_rule),
    ngx_ors_row("output", &ngx_ors_string_rule),
    ngx_ors_row("caller", &ngx_ors_object_rule),
    ngx_ors_row("created_by", &ngx_ors_string_rule));


/* calls that the server's own tools have done */

ngx_ors_typed_optional(ngx_ors_input_web_search_call_shape,
    ngx_ors_row("id", &ngx_ors_string_rule),
    ngx_ors_row("status", &ngx_ors_string_rule),
    ngx_ors_row("action", &ngx_ors_object_rule),
    ngx_ors_row("results", &ngx_ors_list_rule));


ngx_ors_typed_optional(ngx_ors_input_file_search_call_shape,
    ngx_ors_row("id", &ngx_ors_string_rule),
    ngx_ors_row("status", &ngx_ors_string_rule),
    ngx_ors_row("queries", &ngx_ors_strings_rule),
    ngx_ors_row("results", &ngx_ors_list_rule));


ngx_ors_typed(ngx_ors_input_computer_call_shape,
    (ngx_ors_row_needed("call_id", &ngx_ors_string_rule)),
    ngx_ors_row("id", &ngx_ors_string_rule),
    ngx_ors_row("status", &ngx_ors_string_rule),
    ngx_ors_row("action", &ngx_ors_object_rule),
    ngx_ors_row("actions", &ngx_ors_list_rule),
    ngx_ors_row("pending_safety_checks", &ngx_ors_list_rule));


ngx_ors_typed(ngx_ors_input_computer_call_output_shape,
    (ngx_ors_row_needed("call_id", &ngx_ors_string_rule),
     ngx_ors_row_needed("output", &ngx_ors_object_rule)),
    ngx_ors_row("id", &ngx_ors_string_rule),
    ngx_ors_row("status", &ngx_ors_string_rule),
    ngx_ors_row("acknowledged_safety_checks", &ngx_ors_list_rule));


ngx_ors_typed_optional(ngx_ors_input_code_interpreter_call_shape,
    ngx_ors_row("id", &ngx_ors_string_rule),
    ngx_ors_row("status", &ngx_ors_string_rule),
    ngx_ors_row("code", &ngx_ors_string_rule),
    ngx_ors_row("container_id", &ngx_ors_string_rule),
    ngx_ors_row("outputs", &ngx_ors_list_rule));


ngx_ors_typed_optional(ngx_ors_input_image_generation_call_shape,
    ngx_ors_row("id", &ngx_ors_string_rule),
    ngx_ors_row("status", &ngx_ors_string_rule),
    ngx_ors_row("result", &ngx_ors_string_rule),
    ngx_ors_row("revised_prompt", &ngx_ors_string_rule),
    ngx_ors_row("action", &ngx_ors_string_rule),
    ngx_ors_row("background", &ngx_ors_string_rule),
    ngx_ors_row("output_format", &ngx_ors_string_rule),
    ngx_ors_row("quality", &ngx_ors_string_rule),
    ngx_ors_row("size", &ngx_ors_string_rule),
    ngx_ors_row("error", &ngx_ors_object_rule),
    ngx_ors_row("svg_usage", &ngx_ors_object_rule));


/* mcp */

ngx_ors_typed(ngx_ors_input_mcp_list_tools_shape,
    (ngx_ors_row_needed("server_label", &ngx_ors_string_rule)),
    ngx_ors_row("id", &ngx_ors_string_rule),
    ngx_ors_row("tools", &ngx_ors_list_rule),
    ngx_ors_row("error", NULL));


ngx_ors_typed(ngx_ors_input_mcp_approval_request_shape,
    (ngx_ors_row_needed("server_label", &ngx_ors_string_rule),
     ngx_ors_row_needed("name", &ngx_ors_string_rule),
     ngx_ors_row_needed("arguments", &ngx_ors_string_rule)),
    ngx_ors_row("id", &ngx_ors_string_rule));


ngx_ors_typed(ngx_ors_input_mcp_approval_response_shape,
    (ngx_ors_row_needed("approval_request_id", &ngx_ors_string_rule),
     ngx_ors_row_needed("approve", &ngx_ors_boolean_rule)),
    ngx_ors_row("id", &ngx_ors_string_rule),
    ngx_ors_row("reason", &ngx_ors_string_rule));


ngx_ors_typed(ngx_ors_input_mcp_call_shape,
    (ngx_ors_row_needed("server_label", &ngx_ors_string_rule),
     ngx_ors_row_needed("name", &ngx_ors_string_rule),
     ngx_ors_row_needed("arguments", &ngx_ors_string_rule)),
    ngx_ors_row("id", &ngx_ors_string_rule),
    ngx_ors_row("status", &ngx_ors_string_rule),
    ngx_ors_row("output", &ngx_ors_string_rule),
    ngx_ors_row("approval_request_id", &ngx_ors_string_rule),
    ngx_ors_row("error", NULL));


/* tools that come later than the request's own */

ngx_ors_typed_optional(ngx_ors_input_tool_search_call_shape,
    ngx_ors_row("id", &ngx_ors_string_rule),
    ngx_ors_row("call_id", &ngx_ors_string_rule),
    ngx_ors_row("status", &ngx_ors_string_rule),
    ngx_ors_row("execution", &ngx_ors_string_rule),
    ngx_ors_row("arguments", NULL));


ngx_ors_typed(ngx_ors_input_tool_search_output_shape,
    (ngx_ors_row_needed("tools", &ngx_ors_tool_list_rule)),
    ngx_ors_row("id", &ngx_ors_string_rule),
    ngx_ors_row("call_id", &ngx_ors_string_rule),
    ngx_ors_row("status", &ngx_ors_string_rule),
    ngx_ors_row("execution", &ngx_ors_string_rule));


ngx_ors_typed(ngx_ors_input_additional_tools_shape,
    (ngx_ors_row_needed("tools", &ngx_ors_tool_list_rule)),
    ngx_ors_row("role", &ngx_ors_string_rule),
    ngx_ors_row("id", &ngx_ors_string_rule));


/* compaction while streaming */

ngx_ors_typed_optional(ngx_ors_input_compaction_trigger_shape,
    ngx_ors_row("id", &ngx_ors_string_rule));


ngx_ors_typed_optional(ngx_ors_input_context_compaction_shape,
    ngx_ors_row("encrypted_content", &ngx_ors_string_rule),
    ngx_ors_row("id", &ngx_ors_string_rule));


/* agents among themselves, settings, programs that call tools */

ngx_ors_typed_optional(ngx_ors_input_agent_message_shape,
    ngx_ors_row("content", &ngx_ors_list_rule),
    ngx_ors_row("author", &ngx_ors_string_rule),
    ngx_ors_row("recipient", &ngx_ors_string_rule),
    ngx_ors_row("id", &ngx_ors_string_rule),
    ngx_ors_row("agent", &ngx_ors_object_rule));


ngx_ors_typed_optional(ngx_ors_input_configuration_update_shape,
    ngx_ors_row("id", &ngx_ors_string_rule),
    ngx_ors_row("reasoning", &ngx_ors_object_rule),
    ngx_ors_row("text", &ngx_ors_object_rule));


ngx_ors_typed_optional(ngx_ors_input_program_shape,
    ngx_ors_row("id", &ngx_ors_string_rule),
    ngx_ors_row("call_id", &ngx_ors_string_rule),
    ngx_ors_row("code", &ngx_ors_string_rule),
    ngx_ors_row("fingerprint", &ngx_ors_string_rule));


ngx_ors_typed_optional(ngx_ors_input_program_output_shape,
    ngx_ors_row("id", &ngx_ors_string_rule),
    ngx_ors_row("call_id", &ngx_ors_string_rule),
    ngx_ors_row("result", &ngx_ors_string_rule),
    ngx_ors_row("status", &ngx_ors_string_rule));
