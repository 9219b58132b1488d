
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Items of a request's input, but for those of hosted tools.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_fields_items.h>
#include <ngx_ors_fields.h>


#define ngx_ors_item_variant(name, as, id, status, kind, in)                  \
    { ngx_string(#name), NGX_ORS_IN_##in, &ngx_ors_input_##name##_shape },

/*
 * Items that requests and answers have, by their members:
 *
 *   name     the member
 *   need     who requires it: both, the answer, or none
 *   request  its value there: ngx_ors_<request>_rule
 *   answer   its value there
 *
 * "asked" and "said" are members of one of them alone, that none requires.
 */

#define ngx_ors_item_shapes(item)                                             \
    ngx_ors_item_shape(input_##item, ngx_ors_##item, asked, one, no);         \
    ngx_ors_item_shape(output_##item, ngx_ors_##item, said, no, one)

/* rows that are required, then the others */

#define ngx_ors_item_shape(name, rows, way, asked, said)                      \
    ngx_ors_members_of(ngx_ors_##name##_shape, 0,                             \
        ngx_ors_nrows(ngx_ors_row_type,                                       \
            rows(ngx_ors_item_##way, ngx_ors_item_no, ngx_ors_item_no)),      \
        ngx_ors_row_type,                                                     \
        rows(ngx_ors_item_##way, ngx_ors_item_no, ngx_ors_item_no)            \
        rows(ngx_ors_item_may_##way, ngx_ors_item_##asked,                    \
             ngx_ors_item_##said))

#define ngx_ors_item_asked(name, need, request, answer)                       \
    ngx_ors_item_asked_##need(name, request)
#define ngx_ors_item_may_asked(name, need, request, answer)                   \
    ngx_ors_item_may_asked_##need(name, request)
#define ngx_ors_item_said(name, need, request, answer)                        \
    ngx_ors_item_said_##need(name, answer)
#define ngx_ors_item_may_said(name, need, request, answer)                    \
    ngx_ors_item_may_said_##need(name, answer)

#define ngx_ors_item_asked_both        ngx_ors_item_needed
#define ngx_ors_item_asked_answer      ngx_ors_item_no
#define ngx_ors_item_asked_none        ngx_ors_item_no
#define ngx_ors_item_may_asked_both    ngx_ors_item_no
#define ngx_ors_item_may_asked_answer  ngx_ors_item_one
#define ngx_ors_item_may_asked_none    ngx_ors_item_one
#define ngx_ors_item_said_both         ngx_ors_item_needed
#define ngx_ors_item_said_answer       ngx_ors_item_needed
#define ngx_ors_item_said_none         ngx_ors_item_no
#define ngx_ors_item_may_said_both     ngx_ors_item_no
#define ngx_ors_item_may_said_answer   ngx_ors_item_no
#define ngx_ors_item_may_said_none     ngx_ors_item_one

#define ngx_ors_item_needed(name, rule)                                       \
    ngx_ors_row_needed(#name, &ngx_ors_##rule##_rule),

#define ngx_ors_item_one(name, rule)                                          \
    ngx_ors_row(#name, &ngx_ors_##rule##_rule),

#define ngx_ors_item_no(name, rule)


/* tools with free text */

#define ngx_ors_custom_tool_call(row, asked, said)                            \
    row(id, answer, string, string)                                           \
    row(call_id, both, string, string)                                        \
    row(name, both, string, string)                                           \
    row(input, both, string, string)                                          \
    row(status, none, string, string)                                         \
    row(namespace, none, string, string)                                      \
    asked(async, boolean)                                                     \
    asked(caller, object)


#define ngx_ors_custom_tool_call_output(row, asked, said)                     \
    row(call_id, both, string, string)                                        \
    row(output, both, output, answer_call_output)                             \
    row(id, none, string, string)                                             \
    row(status, none, string, string)                                         \
    asked(name, string)                                                       \
    asked(caller, object)


#define ngx_ors_local_shell_call(row, asked, said)                            \
    row(id, answer, string, string)                                           \
    row(call_id, answer, string, string)                                      \
    row(action, both, local_action, object)                                   \
    row(status, answer, string, string)


#define ngx_ors_local_shell_call_output(row, asked, said)                     \
    row(output, both, string, string)                                         \
    row(id, none, string, string)                                             \
    row(call_id, none, string, string)                                        \
    row(status, none, string, string)


#define ngx_ors_shell_call(row, asked, said)                                  \
    row(id, answer, string, string)                                           \
    row(call_id, both, string, string)                                        \
    row(action, both, shell_action, object)                                   \
    row(status, answer, string, string)                                       \
    row(environment, none, object, object)                                    \
    row(created_by, none, string, string)                                     \
    asked(caller, object)


#define ngx_ors_shell_call_output(row, asked, said)                           \
    row(call_id, both, string, string)                                        \
    row(output, both, shell_results, objects)                                 \
    row(id, none, string, string)                                             \
    row(status, none, string, string)                                         \
    row(max_output_length, none, integer, integer)                            \
    row(created_by, none, string, string)                                     \
    asked(caller, object)


#define ngx_ors_apply_patch_call(row, asked, said)                            \
    row(id, answer, string, string)                                           \
    row(call_id, both, string, string)                                        \
    row(operation, both, operation, object)                                   \
    row(status, answer, string, string)                                       \
    row(created_by, none, string, string)                                     \
    asked(caller, object)


#define ngx_ors_apply_patch_call_output(row, asked, said)                     \
    row(call_id, both, string, string)                                        \
    row(status, answer, string, string)                                       \
    row(id, none, string, string)                                             \
    row(output, none, string, string)                                         \
    row(created_by, none, string, string)                                     \
    asked(caller, object)


/* calls that the server's own tools have done */

#define ngx_ors_web_search_call(row, asked, said)                             \
    row(id, answer, string, string)                                           \
    row(status, answer, string, string)                                       \
    row(action, none, object, object)                                         \
    asked(results, list)


#define ngx_ors_file_search_call(row, asked, said)                            \
    row(id, answer, string, string)                                           \
    row(status, answer, string, string)                                       \
    row(queries, none, strings, list)                                         \
    row(results, none, list, objects)


#define ngx_ors_computer_call(row, asked, said)                               \
    row(id, answer, string, string)                                           \
    row(call_id, both, string, string)                                        \
    row(status, answer, string, string)                                       \
    row(action, none, object, object)                                         \
    row(actions, none, list, objects)                                         \
    row(pending_safety_checks, none, list, objects)


#define ngx_ors_computer_call_output(row, asked, said)                        \
    row(call_id, both, string, string)                                        \
    row(output, both, object, object)                                         \
    row(id, none, string, string)                                             \
    row(status, none, string, string)                                         \
    row(acknowledged_safety_checks, none, list, objects)                      \
    said(created_by, string)


#define ngx_ors_code_interpreter_call(row, asked, said)                       \
    row(id, answer, string, string)                                           \
    row(status, answer, string, string)                                       \
    row(container_id, none, string, string)                                   \
    row(code, none, string, string)                                           \
    row(outputs, none, list, objects)


#define ngx_ors_image_generation_call(row, asked, said)                       \
    row(id, answer, string, string)                                           \
    row(status, answer, string, string)                                       \
    row(result, none, string, string)                                         \
    row(revised_prompt, none, string, string)                                 \
    row(action, none, string, string)                                         \
    row(background, none, string, string)                                     \
    row(output_format, none, string, string)                                  \
    row(quality, none, string, string)                                        \
    row(size, none, string, string)                                           \
    asked(error, object)                                                      \
    asked(svg_usage, object)


/* mcp */

#define ngx_ors_mcp_list_tools(row, asked, said)                              \
    row(id, answer, string, string)                                           \
    row(server_label, both, string, string)                                   \
    row(tools, answer, list, objects)                                         \
    row(error, none, any, any)


#define ngx_ors_mcp_approval_request(row, asked, said)                        \
    row(id, answer, string, string)                                           \
    row(server_label, both, string, string)                                   \
    row(name, both, string, string)                                           \
    row(arguments, both, string, string)


#define ngx_ors_mcp_approval_response(row, asked, said)                       \
    row(approval_request_id, both, string, string)                            \
    row(approve, both, boolean, boolean)                                      \
    row(id, none, string, string)                                             \
    row(reason, none, string, string)


#define ngx_ors_mcp_call(row, asked, said)                                    \
    row(id, answer, string, string)                                           \
    row(server_label, both, string, string)                                   \
    row(name, both, string, string)                                           \
    row(arguments, both, string, string)                                      \
    row(status, none, string, string)                                         \
    row(output, none, string, string)                                         \
    row(error, none, any, any)                                                \
    row(approval_request_id, none, string, string)


/* tools that come later than the request's own */

#define ngx_ors_tool_search_call(row, asked, said)                            \
    row(id, answer, string, string)                                           \
    row(call_id, none, string, string)                                        \
    row(execution, none, string, string)                                      \
    row(arguments, none, any, any)                                            \
    row(status, none, string, string)                                         \
    said(created_by, string)


#define ngx_ors_tool_search_output(row, asked, said)                          \
    row(tools, both, tool_list, tool_list)                                    \
    row(id, none, string, string)                                             \
    row(call_id, none, string, string)                                        \
    row(execution, none, string, string)                                      \
    row(status, none, string, string)                                         \
    said(created_by, string)


#define ngx_ors_additional_tools(row, asked, said)                            \
    row(tools, both, tool_list, tool_list)                                    \
    row(id, none, string, string)                                             \
    row(role, none, string, string)                                           \
    said(status, string)


#define ngx_ors_configuration_update(row, asked, said)                        \
    row(id, answer, string, string)                                           \
    row(reasoning, none, object, object)                                      \
    asked(text, object)

/* the same in another flavor */
#define ngx_ors_output_context_compaction_shape                               \
    ngx_ors_output_compaction_shape

#define ngx_ors_output_variant(name, as, id, status, kind, in)                \
    { ngx_string(#name), NGX_ORS_IN_##in, &ngx_ors_output_##name##_shape },


static ngx_ors_words(ngx_ors_item_status_rule, NGX_ORS_V_NULL,
    ngx_ors_word("completed"), ngx_ors_word("in_progress"),
    ngx_ors_word("incomplete"));


/* messages: most clients leave out the type (C1) */

static ngx_ors_members(ngx_ors_user_shape,
    (ngx_ors_row_in("type", ALL, STRICT_SPEC, NULL),
     ngx_ors_row_needed("role", NULL),
     ngx_ors_row_needed("content", &ngx_ors_user_content_rule)),
    ngx_ors_row("id", &ngx_ors_string_null_rule),
    ngx_ors_row("status", &ngx_ors_string_null_rule),
    ngx_ors_row_openai_any("phase"));


/* system and developer */

static ngx_ors_members(ngx_ors_system_shape,
    (ngx_ors_row_in("type", ALL, STRICT_SPEC, NULL),
     ngx_ors_row_needed("role", NULL),
     ngx_ors_row_needed("content", &ngx_ors_system_content_rule)),
    ngx_ors_row("id", &ngx_ors_string_null_rule),
    ngx_ors_row("status", &ngx_ors_string_null_rule),
    ngx_ors_row_openai_any("phase"));


static ngx_ors_members(ngx_ors_assistant_shape,
    (ngx_ors_row_in("type", ALL, STRICT_SPEC, NULL),
     ngx_ors_row_needed("role", NULL),
     ngx_ors_row_needed("content", &ngx_ors_assistant_content_rule)),
    ngx_ors_row("id", &ngx_ors_string_null_rule),
    ngx_ors_row("status", &ngx_ors_string_null_rule),
    ngx_ors_row("phase", &ngx_ors_phase_rule));


ngx_ors_variants(ngx_ors_input_message_shape, "role",
    ngx_ors_variant("user", ALL, user),
    ngx_ors_variant("assistant", ALL, assistant),
    ngx_ors_variant("system", ALL, system),
    ngx_ors_variant("developer", ALL, system));


/* calls of functions and what they gave */

ngx_ors_typed(ngx_ors_input_function_call_shape,
    (ngx_ors_row_needed("call_id", &ngx_ors_call_id_rule),
     ngx_ors_row_needed("name", &ngx_ors_name_rule),
     ngx_ors_row_needed("arguments", &ngx_ors_string_rule)),
    ngx_ors_row("id", &ngx_ors_string_null_rule),
    ngx_ors_row("status", &ngx_ors_item_status_rule),
    ngx_ors_row_of("namespace", OPENAI, &ngx_ors_string_rule),
    ngx_ors_row_openai("async", &ngx_ors_boolean_rule),
    ngx_ors_row_openai("caller", &ngx_ors_object_rule),
    ngx_ors_row_openai_any("parsed_arguments"));


/* the flavor has outputs that name the function of their call */

ngx_ors_typed(ngx_ors_input_function_call_output_shape,
    (ngx_ors_row_in("call_id", ALL, CORE, &ngx_ors_call_id_rule),
     ngx_ors_row_needed("output", &ngx_ors_output_rule)),
    ngx_ors_row("id", &ngx_ors_string_null_rule),
    ngx_ors_row("status", &ngx_ors_item_status_rule),
    ngx_ors_row_openai("name", &ngx_ors_string_rule),
    ngx_ors_row_openai("namespace", &ngx_ors_string_rule),
    ngx_ors_row_openai("caller", &ngx_ors_object_rule));


/* the specification has null only as the content of reasoning (C8) */

ngx_ors_typed(ngx_ors_input_reasoning_shape,
    (ngx_ors_row_needed("summary", &ngx_ors_summary_rule)),
    ngx_ors_row("id", &ngx_ors_string_null_rule),
    ngx_ors_row("encrypted_content", &ngx_ors_string_null_rule),
    ngx_ors_row_of("content", WIDE, &ngx_ors_reasoning_content_rule),
    ngx_ors_row_of("content", STRICT_SPEC, &ngx_ors_null_rule),
    ngx_ors_row_openai("status", &ngx_ors_string_rule));


ngx_ors_typed(ngx_ors_input_compaction_shape,
    (ngx_ors_row_needed("encrypted_content", &ngx_ors_text_rule)),
    ngx_ors_row("id", &ngx_ors_string_null_rule),
    ngx_ors_row_openai("status", &ngx_ors_string_rule),
    ngx_ors_row_openai("created_by", &ngx_ors_string_rule));


/* "role" is here to be noticed when it comes twice: null, then a message's */

ngx_ors_members(ngx_ors_input_item_reference_shape,
    (ngx_ors_row_needed("id", &ngx_ors_string_rule)),
    ngx_ors_row("type", NULL),
    ngx_ors_row_of("role", WIDE, NULL));


/* an extension: what the specification says that each item has (C14) */

static ngx_ors_open_needed(ngx_ors_extension_item_shape,
    ngx_ors_row_needed("type", NULL),
    ngx_ors_row_in("id", ALL, STRICT, &ngx_ors_string_rule),
    ngx_ors_row_in("status", ALL, STRICT, &ngx_ors_string_rule));


static const ngx_ors_variant_t  ngx_ors_item_types[] = {
    NGX_ORS_ITEMS(ngx_ors_item_variant)
    NGX_ORS_ITEMS_INPUT(ngx_ors_item_variant)
    ngx_ors_variants_end
};

/* an id alone is a reference; a role makes a message of it (C1) */

static const ngx_ors_variant_t  ngx_ors_untyped_items[] = {
    ngx_ors_variant("role", WIDE, input_message),
    ngx_ors_variant("id", ALL, input_item_reference),
    ngx_ors_variants_end
};

const ngx_ors_shape_t  ngx_ors_fields_input_item =
    ngx_ors_shape_choice("type", ngx_ors_item_types, ngx_ors_untyped_items,
                         &ngx_ors_extension_item_shape,
                         ngx_ors_code_unsupported_item, NULL,
                         &ngx_ors_extension_item_shape);

const ngx_ors_rule_t  ngx_ors_input_rule =
    ngx_ors_rule_content(NGX_ORS_V_NULL,
                         ngx_ors_is_object(0, &ngx_ors_fields_input_item));


/*
 * Items of the flavor "openai": calls of tools that are no functions, what
 * they gave, and what else its clients send back.  Of a request's only what
 * is certain is required: some clients leave out ids and statuses.
 */


static const ngx_ors_rule_t  ngx_ors_any_rule =
    ngx_ors_rule(NGX_ORS_V_NULL|NGX_ORS_V_BOOL|NGX_ORS_V_NUMBER
                 |NGX_ORS_V_STRING|NGX_ORS_V_ARRAY|NGX_ORS_V_OBJECT, 0, 0);

ngx_ors_item_shapes(custom_tool_call);

ngx_ors_item_shapes(custom_tool_call_output);


/* local_shell, the older one of two */

static ngx_ors_members_optional(ngx_ors_local_action_shape,
    ngx_ors_row("type", &ngx_ors_string_rule),
    ngx_ors_row("command", &ngx_ors_strings_rule),
    ngx_ors_row("env", &ngx_ors_object_rule),
    ngx_ors_row("timeout_ms", &ngx_ors_integer_rule),
    ngx_ors_row("user", &ngx_ors_string_rule),
    ngx_ors_row("working_directory", &ngx_ors_string_rule));

static const ngx_ors_rule_t  ngx_ors_local_action_rule =
    ngx_ors_rule_object(0, &ngx_ors_local_action_shape);

ngx_ors_item_shapes(local_shell_call);

ngx_ors_item_shapes(local_shell_call_output);


/* shell */

static ngx_ors_members(ngx_ors_shell_action_shape,
    (ngx_ors_row_needed("commands", &ngx_ors_strings_rule)),
    ngx_ors_row("timeout_ms", &ngx_ors_integer_rule),
    ngx_ors_row("max_output_length", &ngx_ors_integer_rule));

static const ngx_ors_rule_t  ngx_ors_shell_action_rule =
    ngx_ors_rule_object(0, &ngx_ors_shell_action_shape);

ngx_ors_item_shapes(shell_call);


static ngx_ors_members_optional(ngx_ors_shell_result_shape,
    ngx_ors_row("stdout", &ngx_ors_string_rule),
    ngx_ors_row("stderr", &ngx_ors_string_rule),
    ngx_ors_row("outcome", &ngx_ors_object_rule),
    ngx_ors_row("created_by", &ngx_ors_string_rule));

static const ngx_ors_rule_t  ngx_ors_shell_results_rule =
    ngx_ors_rule_list(0, ngx_ors_object_of(shell_result));

ngx_ors_item_shapes(shell_call_output);


/* apply_patch */

static ngx_ors_members(ngx_ors_operation_shape,
    (ngx_ors_row_needed("type", &ngx_ors_string_rule),
     ngx_ors_row_needed("path", &ngx_ors_string_rule)),
    ngx_ors_row("diff", &ngx_ors_string_rule));

static const ngx_ors_rule_t  ngx_ors_operation_rule =
    ngx_ors_rule_object(0, &ngx_ors_operation_shape);

ngx_ors_item_shapes(apply_patch_call);

ngx_ors_item_shapes(apply_patch_call_output);

ngx_ors_item_shapes(web_search_call);

ngx_ors_item_shapes(file_search_call);

ngx_ors_item_shapes(computer_call);

ngx_ors_item_shapes(computer_call_output);

ngx_ors_item_shapes(code_interpreter_call);

ngx_ors_item_shapes(image_generation_call);

ngx_ors_item_shapes(mcp_list_tools);

ngx_ors_item_shapes(mcp_approval_request);

ngx_ors_item_shapes(mcp_approval_response);

ngx_ors_item_shapes(mcp_call);

ngx_ors_item_shapes(tool_search_call);

ngx_ors_item_shapes(tool_search_output);

ngx_ors_item_shapes(additional_tools);


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

ngx_ors_item_shapes(configuration_update);


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


/* Output items (protocol, section 8), and those of flavor "openai". */


/* filled members are right at the end of an item only */

static ngx_ors_words(ngx_ors_output_status_rule, 0,
    ngx_ors_word("in_progress"), ngx_ors_word("completed"),
    ngx_ors_word("incomplete"), ngx_ors_other_words(TOLERANT));


static ngx_ors_words(ngx_ors_output_roles_rule, 0,
    ngx_ors_word("user"), ngx_ors_word("assistant"), ngx_ors_word("system"),
    ngx_ors_word("developer"));


ngx_ors_typed(ngx_ors_output_message_shape,
    (ngx_ors_row_needed("id", &ngx_ors_string_rule),
     ngx_ors_row_filled("status", &ngx_ors_output_status_rule,
                        "\"completed\""),
     ngx_ors_row_needed("role", &ngx_ors_output_roles_rule),
     ngx_ors_row_needed("content", &ngx_ors_answer_content_rule)),
    ngx_ors_row("phase", &ngx_ors_phase_rule));


ngx_ors_typed(ngx_ors_output_function_call_shape,
    (ngx_ors_row_needed("id", &ngx_ors_string_rule),
     ngx_ors_row_needed("call_id", &ngx_ors_string_rule),
     ngx_ors_row_needed("name", &ngx_ors_string_rule),
     ngx_ors_row_needed("arguments", &ngx_ors_string_rule),
     ngx_ors_row_filled("status", &ngx_ors_output_status_rule,
                        "\"completed\"")),
    ngx_ors_row_of("namespace", OPENAI, &ngx_ors_string_rule));


ngx_ors_typed_needed(ngx_ors_output_function_call_output_shape,
    ngx_ors_row_needed("id", &ngx_ors_string_rule),
    ngx_ors_row_needed("call_id", &ngx_ors_string_rule),
    ngx_ors_row_needed("output", &ngx_ors_answer_call_output_rule),
    ngx_ors_row_filled("status", &ngx_ors_output_status_rule,
                       "\"completed\""));


/* its status is demanded in words only, and may be anything (C6) */

ngx_ors_typed(ngx_ors_output_reasoning_shape,
    (ngx_ors_row_needed("id", &ngx_ors_string_rule),
     ngx_ors_row_filled("summary", &ngx_ors_answer_reasoning_parts_rule,
                        "[]")),
    ngx_ors_row("content", &ngx_ors_answer_reasoning_parts_rule),
    ngx_ors_row("encrypted_content", &ngx_ors_string_rule),
    ngx_ors_row("status", NULL));


ngx_ors_typed(ngx_ors_output_compaction_shape,
    (ngx_ors_row_needed("id", &ngx_ors_string_rule),
     ngx_ors_row_in("encrypted_content", ALL, CORE, &ngx_ors_string_rule)),
    ngx_ors_row("created_by", &ngx_ors_string_rule),
    ngx_ors_row("status", NULL));


/* an extension (protocol, section 14) */

static ngx_ors_open_needed(ngx_ors_output_extension_shape,
    ngx_ors_row_needed("type", NULL),
    ngx_ors_row_needed("id", &ngx_ors_string_rule),
    ngx_ors_row_needed("status", &ngx_ors_string_rule));

ngx_ors_variants_of(ngx_ors_fields_item, "type",
    NULL, &ngx_ors_output_extension_shape,
    NGX_ORS_ITEMS(ngx_ors_output_variant)
    ngx_ors_variants_end);

const ngx_ors_rule_t  ngx_ors_output_items_rule =
    ngx_ors_rule_list(0, ngx_ors_is_object(0, &ngx_ors_fields_item));

const ngx_ors_rule_t  ngx_ors_answer_item_null_rule =
    ngx_ors_rule_object(NGX_ORS_V_NULL, &ngx_ors_fields_item);
