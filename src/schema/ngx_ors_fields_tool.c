
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Tools of a request, and the choice among them.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_fields_items.h>


/*
 * A type of the flavor "openai".  Where the profile is tolerant every tool
 * passes, these are not looked at, either.
 */
#define ngx_ors_tool_openai(name, shape)                                      \
    { ngx_string(name), NGX_ORS_STRICT_OPENAI, shape }

/* a tool that every model can get, or that a choice may name */
#define ngx_ors_choice_openai(name, shape)                                    \
    { ngx_string(name), NGX_ORS_IN_OPENAI, shape }

#define ngx_ors_tool_hosted(name, ...)                                        \
    ngx_ors_tool_openai(#name, &ngx_ors_tool_##name##_shape),

#define ngx_ors_tool_alias(name, type, as)                                    \
    ngx_ors_tool_openai(#name, &ngx_ors_tool_##type##_shape),

#define ngx_ors_tool_row(name, shape, choice)                                 \
    ngx_ors_tool_openai(#name, &ngx_ors_##shape##_shape),

#define ngx_ors_choice_row(name, shape, choice)                               \
    ngx_ors_choice_openai(#name, &ngx_ors_##choice##_shape),

#define ngx_ors_choice_hosted(name, ...)                                      \
    ngx_ors_choice_openai(#name, &ngx_ors_plain_shape),


/* an object in the tool, where Chat Completions has what it is called */

static const ngx_ors_foreign_t  ngx_ors_chat_function[] = {
    ngx_ors_foreign_in("function", NGX_ORS_IN_STRICT,
                       "its members are members of the tool here"),
    ngx_ors_foreign_end
};

static const ngx_ors_foreign_t  ngx_ors_chat_named[] = {
    ngx_ors_foreign_in("function", NGX_ORS_IN_STRICT,
                       "\"name\" is beside \"type\" here"),
    ngx_ors_foreign_end
};


static ngx_ors_members_foreign(ngx_ors_function_shape, ngx_ors_chat_function,
                               0, 2,
    ngx_ors_row_needed("type", NULL),
    ngx_ors_row_needed("name", &ngx_ors_name_rule),
    ngx_ors_row("description", &ngx_ors_string_null_rule),
    ngx_ors_row("strict", &ngx_ors_boolean_rule),
    ngx_ors_row("parameters", &ngx_ors_object_null_rule),
    ngx_ors_row_openai("defer_loading", &ngx_ors_boolean_rule),
    ngx_ors_row_openai("async", &ngx_ors_boolean_rule),
    ngx_ors_row_openai("output_schema", &ngx_ors_object_rule),
    ngx_ors_row_openai("allowed_callers", &ngx_ors_strings_rule));


/*
 * A function as Chat Completions has it, in an object of its own: taken where
 * the profile is tolerant, if the function itself has no "name"
 */

static ngx_ors_members(ngx_ors_nested_shape,
    (ngx_ors_row_needed("name", &ngx_ors_name_rule)),
    ngx_ors_row("description", &ngx_ors_string_null_rule),
    ngx_ors_row("parameters", &ngx_ors_object_null_rule),
    ngx_ors_row("strict", &ngx_ors_boolean_rule));


static ngx_ors_typed(ngx_ors_nested_tool_shape,
    (ngx_ors_row_needed("function", ngx_ors_object_of(nested))),
    /* null: here to be noticed when it comes twice, or in other letters */
    ngx_ors_row("name", NULL));


static const ngx_ors_variant_t  ngx_ors_function_forms[] = {
    ngx_ors_variant("function", ALL, nested_tool),
    ngx_ors_others(ALL, function)
};

static ngx_ors_variants_of(ngx_ors_either_function_shape, "name",
    ngx_ors_function_forms, NULL,
    ngx_ors_others(ALL, function));


/* a tool with free text, as its grammar has it */

static ngx_ors_typed_needed(ngx_ors_grammar_shape,
    ngx_ors_row_needed("syntax", &ngx_ors_string_rule),
    ngx_ors_row_needed("definition", &ngx_ors_string_rule));


static ngx_ors_variants(ngx_ors_custom_format_shape, "type",
    ngx_ors_variant("grammar", ALL, grammar),
    ngx_ors_variant("text", ALL, plain));


static ngx_ors_typed(ngx_ors_custom_shape,
    (ngx_ors_row_needed("name", &ngx_ors_string_rule)),
    ngx_ors_row("description", &ngx_ors_string_rule),
    ngx_ors_row("format", ngx_ors_object_of(custom_format)),
    ngx_ors_row("defer_loading", &ngx_ors_boolean_rule),
    ngx_ors_row("async", &ngx_ors_boolean_rule),
    ngx_ors_row("allowed_callers", &ngx_ors_strings_rule));


/* a group of both */

static ngx_ors_variants(ngx_ors_namespace_tool_shape, "type",
    ngx_ors_variant("function", ALL, function),
    ngx_ors_variant("custom", ALL, custom));


static ngx_ors_typed(ngx_ors_namespace_shape,
    (ngx_ors_row_needed("name", &ngx_ors_string_rule),
     ngx_ors_row_needed("tools", ngx_ors_list_of(namespace_tool))),
    ngx_ors_row("description", &ngx_ors_string_rule));


/* all tools */

static ngx_ors_variants_tool(ngx_ors_tool_shape, &ngx_ors_typed_shape,
    ngx_ors_variant("function", STRICT, function),
    ngx_ors_variant("function", TOLERANT, either_function),
    ngx_ors_choice_openai("namespace", &ngx_ors_namespace_shape),
    ngx_ors_choice_openai("custom", &ngx_ors_custom_shape),
    ngx_ors_choice_openai("tool_search", &ngx_ors_tool_search_shape),
    NGX_ORS_HOSTED_TYPES(ngx_ors_tool_hosted)
    NGX_ORS_HOSTED_ALIASES(ngx_ors_tool_alias)
    NGX_ORS_TOOLS(ngx_ors_tool_row)
    ngx_ors_others(TOLERANT, typed));

static const ngx_ors_rule_t  ngx_ors_tool_rule =
    ngx_ors_rule_object(0, &ngx_ors_tool_shape);

const ngx_ors_rule_t  ngx_ors_tools_rule =
    ngx_ors_rule_list(NGX_ORS_V_NULL, &ngx_ors_tool_rule);

const ngx_ors_rule_t  ngx_ors_tool_list_rule =
    ngx_ors_rule_list(0, &ngx_ors_tool_rule);


/* tool_choice */

static const ngx_ors_value_t  ngx_ors_tool_modes[] = {
    ngx_ors_word("auto"), ngx_ors_word("none"), ngx_ors_word("required"),
    ngx_ors_values_end
};


static ngx_ors_members_foreign(ngx_ors_named_shape, ngx_ors_chat_named, 0, 2,
    ngx_ors_row_needed("type", NULL),
    ngx_ors_row_needed("name", &ngx_ors_string_rule),
    ngx_ors_row_of("namespace", OPENAI, &ngx_ors_string_rule));


/* the choice of a function as Chat Completions has it */

static ngx_ors_members_needed(ngx_ors_nested_name_shape,
    ngx_ors_row_needed("name", &ngx_ors_string_rule));


static ngx_ors_typed(ngx_ors_nested_named_shape,
    (ngx_ors_row_needed("function", ngx_ors_object_of(nested_name))),
    /* as above */
    ngx_ors_row("name", NULL));


static const ngx_ors_variant_t  ngx_ors_named_forms[] = {
    ngx_ors_variant("function", ALL, nested_named),
    ngx_ors_others(ALL, named)
};

static ngx_ors_variants_of(ngx_ors_either_named_shape, "name",
    ngx_ors_named_forms, NULL,
    ngx_ors_others(ALL, named));


static ngx_ors_typed_optional(ngx_ors_mcp_choice_shape,
    ngx_ors_row("server_label", &ngx_ors_string_rule),
    ngx_ors_row("name", &ngx_ors_string_rule));


/* the flavor says of the others only that they are objects */

static ngx_ors_variants_tool(ngx_ors_allowed_shape, NULL,
    ngx_ors_variant("function", STRICT, named),
    ngx_ors_variant("function", TOLERANT, either_named),
    ngx_ors_others(OPENAI, typed));


static const ngx_ors_rule_t  ngx_ors_allowed_list_rule =
    { NGX_ORS_V_ARRAY, 0, 0, NULL, 1, 128, ngx_ors_object_of(allowed), NULL };


static ngx_ors_typed(ngx_ors_allowed_tools_shape,
    (ngx_ors_row_needed("tools", &ngx_ors_allowed_list_rule)),
    ngx_ors_row("mode", ngx_ors_is_enum(0, ngx_ors_tool_modes)));


static ngx_ors_variants_tool(ngx_ors_tool_choice_shape, NULL,
    ngx_ors_variant("function", STRICT, named),
    ngx_ors_variant("function", TOLERANT, either_named),
    ngx_ors_variant("allowed_tools", ALL, allowed_tools),
    ngx_ors_choice_openai("custom", &ngx_ors_named_shape),
    NGX_ORS_HOSTED_TYPES(ngx_ors_choice_hosted)
    NGX_ORS_HOSTED_ALIASES(ngx_ors_choice_hosted)
    NGX_ORS_TOOLS(ngx_ors_choice_row)
    ngx_ors_choice_openai("computer_use", &ngx_ors_plain_shape),
    ngx_ors_choice_openai("tool_search", &ngx_ors_plain_shape));

const ngx_ors_rule_t  ngx_ors_tool_choice_rule = {
    NGX_ORS_V_STRING|NGX_ORS_V_OBJECT|NGX_ORS_V_NULL, 0, 0,
    ngx_ors_tool_modes, 0, 0, NULL, &ngx_ors_tool_choice_shape
};


/* Tools of the flavor "openai" that the server itself, or a client, runs. */


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
