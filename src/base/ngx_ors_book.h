
/*
 * The book: each thing of the protocol is one row here, and the tables of all
 * rooms are made of the rows.  Error codes have theirs in ngx_ors_error.h.
 *
 * A row is expanded by a macro that takes its columns; "-" is a column that
 * the row does not have.  Profiles are those of ngx_ors_shape.h without their
 * NGX_ORS_IN_.
 */


#ifndef _NGX_ORS_BOOK_H_INCLUDED_
#define _NGX_ORS_BOOK_H_INCLUDED_


/* the front of a type of hosted tools in flavor "spec" */
#define NGX_ORS_HOSTED_SLUG  "nginx:"


/*
 * Items (protocol, section 8):
 *
 *   name    "type" of the item; its shapes are ngx_ors_input_<name>_shape and
 *           ngx_ors_output_<name>_shape
 *   as      ngx_ors_item_<as>, for those that are made here
 *   id      the front of its ids
 *   status  1 if it has one in a listing
 *   kind    ngx_ors_input_<kind>, how it is read; those of hosted tools have
 *           the slug or not
 *   text    the member that a model writes, with events for its deltas
 *   in      profiles that know it
 */

#define NGX_ORS_ITEMS(row)                                                    \
    NGX_ORS_ITEMS_PLAIN(row)                                                  \
    NGX_ORS_ITEMS_HOSTED(row)                                                 \
    NGX_ORS_ITEMS_PASSED(row)

#define NGX_ORS_ITEMS_PLAIN(row)                                              \
    row(message, message, msg, 1, message, -, ALL)                            \
    row(function_call, function_call, fc, 1, call, arguments, ALL)            \
    row(function_call_output, call_output, fco, 1, output, -, ALL)            \
    row(reasoning, reasoning, rs, 1, reasoning, -, ALL)                       \
    row(compaction, compaction, cmp, 0, compaction, -, ALL)                   \
    row(custom_tool_call, custom_call, ctc, 1, custom_call, input, OPENAI)    \
    row(tool_search_call, search_call, tsc, 1, search_call, -, OPENAI)

/* made here, with a hosted part */

#define NGX_ORS_ITEMS_HOSTED(row)                                             \
    row(mcp_list_tools, list_tools, mcpl, 0, mcp_list, -, OPENAI)             \
    row(mcp_call, mcp_call, mcp, 1, mcp_call, arguments, OPENAI)              \
    row(mcp_approval_request, approval, mcpr, 0, approval, -, OPENAI)         \
    row(web_search_call, web_search, ws, 1, hosted, -, OPENAI)                \
    row(file_search_call, file_search, fs, 1, hosted, -, OPENAI)              \
    row(code_interpreter_call, interpreter, ci, 1, hosted, code, OPENAI)

/* never made here */

#define NGX_ORS_ITEMS_PASSED(row)                                             \
    row(custom_tool_call_output, -, ctco, 1, output, -, OPENAI)               \
    row(local_shell_call, -, lsh, 1, other, -, OPENAI)                        \
    row(local_shell_call_output, -, lsho, 1, other, -, OPENAI)                \
    row(shell_call, -, sh, 1, other, -, OPENAI)                               \
    row(shell_call_output, -, sho, 1, other, -, OPENAI)                       \
    row(apply_patch_call, -, apc, 1, other, -, OPENAI)                        \
    row(apply_patch_call_output, -, apco, 1, other, -, OPENAI)                \
    row(computer_call, -, cu, 1, other, -, OPENAI)                            \
    row(computer_call_output, -, cuo, 1, other, -, OPENAI)                    \
    row(image_generation_call, -, ig, 1, other, -, OPENAI)                    \
    row(mcp_approval_response, -, mcpa, 0, approval_response, -, OPENAI)      \
    row(tool_search_output, -, tso, 1, search_output, -, OPENAI)              \
    row(additional_tools, -, at, 0, tools, -, OPENAI)                         \
    row(context_compaction, -, cmp, 0, compaction, -, OPENAI)                 \
    row(configuration_update, -, item, 0, other, -, OPENAI)

/* only in requests */

#define NGX_ORS_ITEMS_INPUT(row)                                              \
    row(item_reference, -, item, 0, reference, -, ALL)                        \
    row(compaction_trigger, -, item, 0, trigger, -, OPENAI)                   \
    row(agent_message, -, item, 0, other, -, OPENAI)                          \
    row(program, -, item, 0, other, -, OPENAI)                                \
    row(program_output, -, item, 0, other, -, OPENAI)


/*
 * Hosted types, tools that a client names by their type alone; the item of a
 * call is <name>_call, a row above:
 *
 *   name      "type" of the tool; its shape is ngx_ors_tool_<name>_shape
 *   as        ngx_ors_hosted_type_<as> and ngx_ors_item_<as>
 *   busy      status of the item while the tool runs
 *   include   shows the list
 *   list      the member of a location's answer, whose elements are as in
 *             ngx_ors_hosted_<list>
 *   argument  of the function that the model gets
 *   shown     the item's view of the argument, a format
 *   does      the function, as the model reads it
 *   says      its argument, as the model reads it
 */

#define NGX_ORS_HOSTED_TYPES(row)                                             \
    row(web_search, web_search, searching,                                    \
        "web_search_call.action.sources", sources, query,                     \
        "{\"type\":\"search\",\"query\":\"%V\"}",                             \
        "Searches the web and returns what was found.",                       \
        "What to search for")                                                 \
    row(file_search, file_search, searching,                                  \
        "file_search_call.results", results, query, "[\"%V\"]",               \
        "Searches the user's files and returns the passages that were "       \
        "found.",                                                             \
        "What to search for")                                                 \
    row(code_interpreter, interpreter, interpreting,                          \
        "code_interpreter_call.outputs", outputs, code, "%V",                 \
        "Runs Python code and returns what it has printed.",                  \
        "The code to run")

/* other names of a type that clients use, and its name */

#define NGX_ORS_HOSTED_ALIASES(row)                                           \
    row(web_search_2025_08_26, web_search, web_search)                        \
    row(web_search_preview, web_search, web_search)                           \
    row(web_search_preview_2025_03_11, web_search, web_search)


#endif /* _NGX_ORS_BOOK_H_INCLUDED_ */
