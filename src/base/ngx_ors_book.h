
/*
 * The book: each thing of the protocol is one row here, and the tables of all
 * rooms are made of the rows.  Error codes have theirs in ngx_ors_error.h.
 *
 * A row is expanded by a macro that takes its columns; "-" is a column that
 * the row does not have.  Profiles are those of ngx_ors_validate.h without
 * their NGX_ORS_IN_.
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
 * Releases of the specification, the newest first: values of the header
 * OpenResponses-Version, beside "latest"
 */

#define NGX_ORS_RELEASES(row)                                                 \
    row("2026-04-24")                                                         \
    row("2026-01-15")


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
 * Other types of tools that flavor "openai" has:
 *
 *   name    "type" of the tool
 *   shape   its members: ngx_ors_<shape>_shape
 *   choice  those of a choice that names it
 */

#define NGX_ORS_TOOLS(row)                                                    \
    row(mcp, mcp, mcp_choice)                                                 \
    row(image_generation, image_tool, plain)                                  \
    row(computer, plain, plain)                                               \
    row(computer_use_preview, computer_preview, plain)                        \
    row(local_shell, plain, plain)                                            \
    row(shell, shell, plain)                                                  \
    row(apply_patch, patch, plain)                                            \
    row(programmatic_tool_calling, plain, plain)


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
    row(failed, response.failed, failed, none, ALL, failed)                   \
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


/*
 * Members of the body of POST responses (protocol, sections 2 to 6):
 *
 *   name    the member, and ngx_ors_rq_<name>
 *   rule    its value: ngx_ors_<rule>_rule
 */

#define NGX_ORS_REQUEST_FIELDS(row)                                           \
    row(model, string_null)                                                   \
    row(input, input)                                                         \
    row(previous_response_id, string_null)                                    \
    row(include, include)                                                     \
    row(tools, tools)                                                         \
    row(tool_choice, tool_choice)                                             \
    row(metadata, metadata)                                                   \
    row(text, text_param)                                                     \
    row(temperature, number_null)                                             \
    row(top_p, number_null)                                                   \
    row(presence_penalty, number_null)                                        \
    row(frequency_penalty, number_null)                                       \
    row(parallel_tool_calls, boolean_null)                                    \
    row(stream, boolean)                                                      \
    row(stream_options, stream_options)                                       \
    row(background, boolean)                                                  \
    row(max_output_tokens, max_output_tokens)                                 \
    row(max_tool_calls, max_tool_calls)                                       \
    row(reasoning, reasoning)                                                 \
    row(safety_identifier, identifier)                                        \
    row(prompt_cache_key, identifier)                                         \
    row(truncation, truncation)                                               \
    row(instructions, string_null)                                            \
    row(store, boolean)                                                       \
    row(service_tier, service_tier)                                           \
    row(top_logprobs, top_logprobs)

/*
 * Not in the specification, with profiles and the rule, NULL: any value.
 * The first three are refused where they cannot be honoured, the others are of
 * routers: a name, or what another router makes of it.
 */

#define NGX_ORS_REQUEST_FIELDS_WIDE(row)                                      \
    row(conversation, WIDE, NULL)                                             \
    row(prompt, WIDE, NULL)                                                   \
    row(context_management, OPENAI, &ngx_ors_context_management_rule)         \
    row(provider, WIDE, &ngx_ors_string_object_rule)                          \
    row(provider_options, WIDE, &ngx_ors_objects_rule)                        \
    row(params, TOLERANT, &ngx_ors_object_rule)

/* of flavor "openai", without a value in a request that was read */

#define NGX_ORS_REQUEST_FIELDS_OPENAI(row)                                    \
    row(user, string)                                                         \
    row(client_metadata, object)                                              \
    row(prompt_cache_retention, string)                                       \
    row(prompt_cache_options, object)                                         \
    row(moderation, object)                                                   \
    row(access_programs, object)                                              \
    row(image, object)


/*
 * Members of the response object (protocol, section 7):
 *
 *   name    the member, and ngx_ors_rs_<name>
 *   form    needed, or filled in where an answer of a server lacks it
 *   in      profiles that know it so
 *   rule    its value, NULL: any
 *   value   JSON that is filled in, and that stands where a request has none
 */

#define NGX_ORS_RESPONSE_FIELDS(row)                                          \
    row(id, needed, ALL, &ngx_ors_string_rule, -)                             \
    row(object, filled, ALL, &ngx_ors_resource_object_rule, "\"response\"")   \
    row(created_at, filled, CORE, &ngx_ors_integer_rule, "0")                 \
    row(completed_at, filled, ALL, &ngx_ors_integer_null_rule, "null")        \
    row(status, needed, ALL, &ngx_ors_string_rule, -)                         \
    row(incomplete_details, filled, ALL, &ngx_ors_incomplete_rule, "null")    \
    row(model, filled, ALL, &ngx_ors_string_rule, "\"\"")                     \
    row(previous_response_id, filled, ALL, &ngx_ors_string_null_rule, "null") \
    row(instructions, filled, CORE, &ngx_ors_string_null_rule, "null")        \
    row(output, needed, ALL, &ngx_ors_output_items_rule, -)                   \
    row(error, filled, ALL, &ngx_ors_resource_error_rule, "null")             \
    row(tools, filled, ALL, &ngx_ors_echo_tools_rule, "[]")                   \
    row(tool_choice, filled, ALL, &ngx_ors_echo_tool_choice_rule, "\"auto\"") \
    row(truncation, filled, ALL, &ngx_ors_truncation_rule, "\"disabled\"")    \
    row(parallel_tool_calls, filled, ALL, &ngx_ors_boolean_rule, "true")      \
    row(text, filled, ALL, &ngx_ors_echo_text_rule,                           \
        "{\"format\":{\"type\":\"text\"}}")                                   \
    row(top_p, filled, ALL, &ngx_ors_number_rule, "1")                        \
    row(presence_penalty, filled, ALL, &ngx_ors_number_rule, "0")             \
    row(frequency_penalty, filled, ALL, &ngx_ors_number_rule, "0")            \
    row(top_logprobs, filled, ALL, &ngx_ors_integer_rule, "0")                \
    row(temperature, filled, ALL, &ngx_ors_number_rule, "1")                  \
    row(reasoning, filled, ALL, &ngx_ors_echo_reasoning_null_rule, "null")    \
    row(usage, filled, ALL, &ngx_ors_usage_null_rule, "null")                 \
    row(max_output_tokens, filled, ALL, &ngx_ors_integer_null_rule, "null")   \
    row(max_tool_calls, filled, ALL, &ngx_ors_integer_null_rule, "null")      \
    row(store, filled, ALL, &ngx_ors_boolean_rule, "false")                   \
    row(background, filled, ALL, &ngx_ors_boolean_rule, "false")              \
    row(service_tier, filled, ALL, &ngx_ors_string_rule, "\"default\"")       \
    row(metadata, filled, ALL, NULL, "{}")                                    \
    row(safety_identifier, filled, ALL, &ngx_ors_string_null_rule, "null")    \
    row(prompt_cache_key, filled, ALL, &ngx_ors_string_null_rule, "null")

/*
 * Of these, the values of a request that our answers repeat, in their order:
 *
 *   name    the member of both
 *   render  how it is written, NULL: as it came
 */

#define NGX_ORS_ECHOES(row)                                                   \
    row(instructions, NULL)                                                   \
    row(truncation, NULL)                                                     \
    row(parallel_tool_calls, NULL)                                            \
    row(top_p, NULL)                                                          \
    row(presence_penalty, NULL)                                               \
    row(frequency_penalty, NULL)                                              \
    row(top_logprobs, NULL)                                                   \
    row(temperature, NULL)                                                    \
    row(max_output_tokens, NULL)                                              \
    row(max_tool_calls, NULL)                                                 \
    row(service_tier, NULL)                                                   \
    row(metadata, NULL)                                                       \
    row(safety_identifier, NULL)                                              \
    row(prompt_cache_key, NULL)                                               \
    row(tools, ngx_ors_response_tools)                                        \
    row(tool_choice, ngx_ors_response_tool_choice)                            \
    row(text, ngx_ors_response_text)                                          \
    row(reasoning, ngx_ors_response_reasoning)

/* the same, but our answers have them from elsewhere */

#define NGX_ORS_ECHOES_FILLED(row)                                            \
    row(previous_response_id, NULL)                                           \
    row(store, NULL)                                                          \
    row(background, NULL)


/*
 * Members of a request of Chat Completions that is made of another.  Numbers
 * keep their name and every digit; other fields cannot set them.
 */

#define NGX_ORS_CHAT_NUMBERS(row)                                             \
    row(temperature)                                                          \
    row(top_p)                                                                \
    row(presence_penalty)                                                     \
    row(frequency_penalty)

/*
 * Sent to servers that take them, in their order; the last one is a member of
 * "text":
 *
 *   name     the member of both
 *   foreign  1 if only Chat Completions has it
 */

#define NGX_ORS_CHAT_OPTIONALS(row)                                           \
    row(metadata, 0)                                                          \
    row(prompt_cache_key, 0)                                                  \
    row(prompt_cache_retention, 0)                                            \
    row(safety_identifier, 0)                                                 \
    row(seed, 1)                                                              \
    row(service_tier, 0)                                                      \
    row(stop, 1)                                                              \
    row(store, 0)                                                             \
    row(user, 0)                                                              \
    row(verbosity, 0)

/*
 * Written by the gateway or never sent: the name, and NGX_ORS_CHAT_FIELD_ of
 * OWN, DROP and FIXED.
 */

#define NGX_ORS_CHAT_FIELDS(row)                                              \
    row(audio, OWN|DROP|FIXED)                                                \
    row(function_call, OWN|DROP|FIXED)                                        \
    row(functions, OWN|DROP|FIXED)                                            \
    row(logprobs, OWN|DROP|FIXED)                                             \
    row(max_completion_tokens, OWN|DROP)                                      \
    row(max_tokens, OWN|DROP)                                                 \
    row(messages, OWN|DROP|FIXED)                                             \
    row(modalities, OWN|DROP|FIXED)                                           \
    row(model, OWN|FIXED)                                                     \
    row(n, OWN|DROP|FIXED)                                                    \
    row(parallel_tool_calls, OWN|FIXED)                                       \
    row(reasoning_effort, DROP)                                               \
    row(response_format, OWN|DROP)                                            \
    row(stream, OWN|FIXED)                                                    \
    row(stream_options, OWN|FIXED)                                            \
    row(tool_choice, OWN|FIXED)                                               \
    row(tools, OWN|FIXED)                                                     \
    row(top_logprobs, OWN|FIXED)

/*
 * Parameters that Chat Completions lacks, and an answer is wrong
 * without.  Those of flavor "openai" are for the server of OpenAI's API; where
 * a profile is tolerant, it is tolerated that nothing comes of them.
 *
 *   name    the member
 *   value   ngx_ors_rq_<value>, n: it has none
 *   code    of the error
 *   text    follows the name in the message
 *   in      profiles that refuse it
 */

#define NGX_ORS_CHAT_REFUSED(row)                                             \
    row(previous_response_id, previous_response_id,                           \
        previous_response_not_found,                                          \
        "names a response that is not stored here, the conversation must be " \
        "sent as \"input\"", NGX_ORS_IN_ALL)                                  \
    row(conversation, conversation, unsupported_parameter,                    \
        "is not supported here, the conversation must be sent as \"input\"",  \
        NGX_ORS_IN_ALL)                                                       \
    row(prompt, prompt, unsupported_parameter,                                \
        "is not supported here, its text must be sent as \"instructions\" "   \
        "or \"input\"", NGX_ORS_IN_ALL)                                       \
    row(background, background, unsupported_parameter,                        \
        "is not supported here, it must be false or absent", NGX_ORS_IN_ALL)  \
    row(context_management, context_management, unsupported_parameter,        \
        "is not supported here, it needs an entry of type \"compaction\" "    \
        "with a \"compact_threshold\", and \"open_responses_secret\" in the "  \
        "location", NGX_ORS_STRICT_OPENAI)                                    \
    row(moderation, n, unsupported_parameter,                                 \
        "is not supported here, nothing is moderated", NGX_ORS_STRICT_OPENAI) \
    row(image, n, unsupported_parameter,                                      \
        "is not supported here, the model server makes no images",            \
        NGX_ORS_STRICT_OPENAI)


#endif /* _NGX_ORS_BOOK_H_INCLUDED_ */
