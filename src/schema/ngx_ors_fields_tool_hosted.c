
/*
 * Copyright (C) Open Responses contributors
 */


/* Tools of the flavor "openai" that the server itself, or a client, runs. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_fields_input.h>


/* web_search and web_search_preview, dated or not */

ngx_ors_typed_optional(ngx_ors_tool_web_search_shape,
    ngx_ors_row("external_web_access", &ngx_ors_boolean_rule),
    ngx_ors_row("search_content_types", &ngx_ors_strings_rule),
    ngx_ors_row("search_context_size", &ngx_ors_string_rule),
    ngx_ors_row("filters", &ngx_ors_object_rule),
    ngx_ors_row("user_location", &ngx_ors_object_rule));


ngx_ors_typed(ngx_ors_tool_file_search_shape,
    (ngx_ors_row_needed("vector_store_ids", &ngx_ors_strings_rule)),
    ngx_ors_row("max_num_results", &ngx_ors_integer_rule),
    ngx_ors_row("filters", &ngx_ors_object_rule),
    ngx_ors_row("ranking_options", &ngx_ors_object_rule));


ngx_ors_typed_needed(ngx_ors_computer_preview_shape,
    ngx_ors_row_needed("display_width", &ngx_ors_number_rule),
    ngx_ors_row_needed("display_height", &ngx_ors_number_rule),
    ngx_ors_row_needed("environment", &ngx_ors_string_rule));


ngx_ors_typed(ngx_ors_tool_code_interpreter_shape,
    (ngx_ors_row_needed("container", &ngx_ors_string_object_rule)),
    ngx_ors_row("allowed_callers", &ngx_ors_strings_rule));


ngx_ors_typed_optional(ngx_ors_image_tool_shape,
    ngx_ors_row("model", &ngx_ors_string_rule),
    ngx_ors_row("action", &ngx_ors_string_rule),
    ngx_ors_row("background", &ngx_ors_string_rule),
    ngx_ors_row("size", &ngx_ors_string_rule),
    ngx_ors_row("quality", &ngx_ors_string_rule),
    ngx_ors_row("output_format", &ngx_ors_string_rule),
    ngx_ors_row("output_compression", &ngx_ors_integer_rule),
    ngx_ors_row("partial_images", &ngx_ors_integer_rule),
    ngx_ors_row("moderation", &ngx_ors_string_rule),
    ngx_ors_row("input_fidelity", &ngx_ors_string_rule),
    ngx_ors_row("input_image_mask", &ngx_ors_object_rule),
    ngx_ors_row("complexity", &ngx_ors_string_rule),
    ngx_ors_row("frame_count", &ngx_ors_integer_rule),
    ngx_ors_row("frame_duration_ms", &ngx_ors_integer_rule),
    ngx_ors_row("svg", &ngx_ors_object_rule));


ngx_ors_typed(ngx_ors_mcp_shape,
    (ngx_ors_row_needed("server_label", &ngx_ors_string_rule)),
    ngx_ors_row("server_url", &ngx_ors_string_rule),
    ngx_ors_row("server_description", &ngx_ors_string_rule),
    ngx_ors_row("connector_id", &ngx_ors_string_rule),
    ngx_ors_row("tunnel_id", &ngx_ors_string_rule),
    ngx_ors_row("authorization", &ngx_ors_string_rule),
    ngx_ors_row("headers", &ngx_ors_object_rule),
    ngx_ors_row("allowed_tools", &ngx_ors_list_object_rule),
    ngx_ors_row("require_approval", &ngx_ors_string_object_rule),
    ngx_ors_row("allowed_callers", &ngx_ors_strings_rule),
    ngx_ors_row("defer_loading", &ngx_ors_boolean_rule));


ngx_ors_typed_optional(ngx_ors_shell_shape,
    ngx_ors_row("environment", &ngx_ors_object_rule),
    ngx_ors_row("allowed_callers", &ngx_ors_strings_rule));


ngx_ors_typed_optional(ngx_ors_patch_shape,
    ngx_ors_row("allowed_callers", &ngx_ors_strings_rule));


ngx_ors_typed_optional(ngx_ors_tool_search_shape,
    ngx_ors_row("execution", &ngx_ors_string_rule),
    ngx_ors_row("description", &ngx_ors_string_rule),
    ngx_ors_row("parameters", &ngx_ors_object_rule));
