
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
 *   in      profiles that know it
 */

#define NGX_ORS_ITEMS(row)                                                    \
    NGX_ORS_ITEMS_PLAIN(row)                                                  \
    NGX_ORS_ITEMS_HOSTED(row)                                                 \
    NGX_ORS_ITEMS_PASSED(row)

#define NGX_ORS_ITEMS_PLAIN(row)                                              \
    row(message, message, msg, 1, message, ALL)                               \
    row(function_call, function_call, fc, 1, call, ALL)                       \
    row(function_call_output, call_output, fco, 1, output, ALL)               \
    row(reasoning, reasoning, rs, 1, reasoning, ALL)                          \
    row(compaction, compaction, cmp, 0, compaction, ALL)                      \
    row(custom_tool_call, custom_call, ctc, 1, custom_call, OPENAI)           \
    row(tool_search_call, search_call, tsc, 1, search_call, OPENAI)

/* made here, with a hosted part */

#define NGX_ORS_ITEMS_HOSTED(row)                                             \
    row(mcp_list_tools, list_tools, mcpl, 0, mcp_list, OPENAI)                \
    row(mcp_call, mcp_call, mcp, 1, mcp_call, OPENAI)                         \
    row(mcp_approval_request, approval, mcpr, 0, approval, OPENAI)            \
    row(web_search_call, web_search, ws, 1, hosted, OPENAI)                   \
    row(file_search_call, file_search, fs, 1, hosted, OPENAI)                 \
    row(code_interpreter_call, interpreter, ci, 1, hosted, OPENAI)

/* never made here */

#define NGX_ORS_ITEMS_PASSED(row)                                             \
    row(custom_tool_call_output, -, ctco, 1, output, OPENAI)                  \
    row(local_shell_call, -, lsh, 1, other, OPENAI)                           \
    row(local_shell_call_output, -, lsho, 1, other, OPENAI)                   \
    row(shell_call, -, sh, 1, other, OPENAI)                                  \
    row(shell_call_output, -, sho, 1, other, OPENAI)                          \
    row(apply_patch_call, -, apc, 1, other, OPENAI)                           \
    row(apply_patch_call_output, -, apco, 1, other, OPENAI)                   \
    row(computer_call, -, cu, 1, other, OPENAI)                               \
    row(computer_call_output, -, cuo, 1, other, OPENAI)                       \
    row(image_generation_call, -, ig, 1, other, OPENAI)                       \
    row(mcp_approval_response, -, mcpa, 0, approval_response, OPENAI)         \
    row(tool_search_output, -, tso, 1, search_output, OPENAI)                 \
    row(additional_tools, -, at, 0, tools, OPENAI)                            \
    row(context_compaction, -, cmp, 0, compaction, OPENAI)                    \
    row(configuration_update, -, item, 0, other, OPENAI)

/* only in requests */

#define NGX_ORS_ITEMS_INPUT(row)                                              \
    row(item_reference, -, item, 0, reference, ALL)                           \
    row(compaction_trigger, -, item, 0, trigger, OPENAI)                      \
    row(agent_message, -, item, 0, other, OPENAI)                             \
    row(program, -, item, 0, other, OPENAI)                                   \
    row(program_output, -, item, 0, other, OPENAI)


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


/*
 * Items whose text has events, response.<item>_<text>.delta and .done:
 *
 *   item    "type" of the item
 *   as      ngx_ors_item_<as>
 *   text    the member that is written so
 *   in      profiles that know it
 */

#define NGX_ORS_TEXTS(row)                                                    \
    row(function_call, function_call, arguments, ALL)                         \
    row(custom_tool_call, custom_call, input, OPENAI)                         \
    row(mcp_call, mcp_call, arguments, OPENAI)                                \
    row(code_interpreter_call, interpreter, code, OPENAI)


/*
 * Parts of messages and of reasoning, with events response.<event>.delta and
 * .done for their text:
 *
 *   type    "type" of the part, and ngx_ors_part_<type>
 *   event   the name in its events
 *   text    the member that has its text
 *   holder  the name in the events of the part itself
 *   index   <index>_index is its place
 *   in      profiles that know it
 */

#define NGX_ORS_PARTS(row)                                                    \
    row(output_text, output_text, text, content_part, content, ALL)           \
    row(refusal, refusal, refusal, content_part, content, ALL)                \
    row(summary_text, reasoning_summary_text, text, reasoning_summary_part,   \
        summary, ALL)                                                         \
    row(reasoning_text, reasoning, text, content_part, content, ALL)

/* the events of reasoning in flavor "openai" (C3) */

#define NGX_ORS_PARTS_OPENAI(row)                                             \
    row(reasoning_text, reasoning_text, text, content_part, content, WIDE)


/*
 * Steps of hosted tools, events response.<item>.<status>:
 *
 *   item    "type" of the item
 *   status  its status then
 *   step    how far the tool is: ngx_ors_verify_step_<step>
 */

#define NGX_ORS_STEPS(row)                                                    \
    row(mcp_list_tools, in_progress, begun)                                   \
    row(mcp_list_tools, completed, over)                                      \
    row(mcp_list_tools, failed, over)                                         \
    row(mcp_call, in_progress, begun)                                         \
    row(mcp_call, completed, over)                                            \
    row(mcp_call, failed, over)                                               \
    row(web_search_call, in_progress, begun)                                  \
    row(web_search_call, searching, busy)                                     \
    row(web_search_call, completed, over)                                     \
    row(file_search_call, in_progress, begun)                                 \
    row(file_search_call, searching, busy)                                    \
    row(file_search_call, completed, over)                                    \
    row(code_interpreter_call, in_progress, begun)                            \
    row(code_interpreter_call, interpreting, busy)                            \
    row(code_interpreter_call, completed, over)                               \
    row(image_generation_call, in_progress, begun)                            \
    row(image_generation_call, generating, busy)                              \
    row(image_generation_call, completed, over)


/*
 * All other events (protocol, section 10):
 *
 *   as      ngx_ors_event_type_<as>
 *   name    "type" of the event
 *   act     what it does to a stream: ngx_ors_verify_act_<act>
 *   part    of which parts: ngx_ors_verify_part_<part>
 *   in      profiles that know it
 *   shape   its members: ngx_ors_stream_<shape>_shape
 */

#define NGX_ORS_EVENTS(row)                                                   \
    row(item_added, response.output_item.added, item_added, none, ALL, item)  \
    row(item_done, response.output_item.done, item_done, none, ALL, item)     \
    row(part_added, response.content_part.added, part_added, other, ALL,      \
        part)                                                                 \
    row(part_done, response.content_part.done, part_done, other, ALL, part)   \
    row(summary_added, response.reasoning_summary_part.added, part_added,     \
        summary_text, ALL, summary_part)                                      \
    row(summary_done, response.reasoning_summary_part.done, part_done,        \
        summary_text, ALL, summary_part)                                      \
    row(annotation, response.output_text.annotation.added, note,              \
        output_text, ALL, annotation)                                         \
    row(created, response.created, created, none, ALL, state)                 \
    row(queued, response.queued, queued, none, ALL, state)                    \
    row(in_progress, response.in_progress, in_progress, none, ALL, state)     \
    row(completed, response.completed, completed, none, ALL, state)           \
    row(incomplete, response.incomplete, incomplete, none, ALL, state)        \
    row(failed, response.failed, failed, none, ALL, state)                    \
    row(error, error, error, none, CORE, error)                               \
    row(keepalive, keepalive, none, none, OPENAI, extension)

/* nothing is known of these but their members */

#define NGX_ORS_EVENTS_PASSED(row)                                            \
    row(-, response.compaction.compacting, -, -, OPENAI, progress)            \
    row(-, response.image_generation_call.partial_image, -, -, OPENAI, image) \
    row(-, response.shell_call_command.added, -, -, OPENAI, shell)            \
    row(-, response.shell_call_command.delta, -, -, OPENAI, shell)            \
    row(-, response.shell_call_command.done, -, -, OPENAI, shell)             \
    row(-, response.shell_call_output_content.delta, -, -, OPENAI, shell)     \
    row(-, response.shell_call_output_content.done, -, -, OPENAI, shell)      \
    row(-, response.apply_patch_call_operation_diff.delta, -, -, OPENAI,      \
        patch)                                                                \
    row(-, response.apply_patch_call_operation_diff.done, -, -, OPENAI,       \
        patch)                                                                \
    row(-, response.audio.delta, -, -, OPENAI, audio)                         \
    row(-, response.audio.done, -, -, OPENAI, audio)                          \
    row(-, response.audio.transcript.delta, -, -, OPENAI, audio)              \
    row(-, response.audio.transcript.done, -, -, OPENAI, audio)


#endif /* _NGX_ORS_BOOK_H_INCLUDED_ */
