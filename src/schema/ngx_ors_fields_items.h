
/*
 * Common to the tables of requests: rules of the input's parts and
 * items and of the tools, and rows that only the flavor "openai" has.
 */


#ifndef _NGX_ORS_FIELDS_ITEMS_H_INCLUDED_
#define _NGX_ORS_FIELDS_ITEMS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_fields.h>
#include <ngx_ors_book.h>
#include <ngx_ors_violation.h>


/*
 * A row of the flavor in an object that the specification has.  Where
 * the profile is tolerant its value is not looked at: what passes without
 * the flavor passes with it.
 */

#define ngx_ors_row_openai(name, rule)                                        \
    ngx_ors_row_of(name, STRICT_OPENAI, rule),                                \
    ngx_ors_row_of(name, TOLERANT_OPENAI, NULL)

/* the same, with any value */
#define ngx_ors_row_openai_any(name)                                          \
    ngx_ors_row_of(name, OPENAI, NULL)


/* items */

#define ngx_ors_input_shape(name, ...)                                        \
    extern const ngx_ors_shape_t  ngx_ors_input_##name##_shape;

#define ngx_ors_output_shape(name, ...)                                       \
    extern const ngx_ors_shape_t  ngx_ors_output_##name##_shape;

NGX_ORS_ITEMS(ngx_ors_input_shape)
NGX_ORS_ITEMS_INPUT(ngx_ors_input_shape)
NGX_ORS_ITEMS(ngx_ors_output_shape)


/* tools that only the flavor "openai" has, but those made of functions */

#define ngx_ors_tool_shape_of(name, ...)                                      \
    extern const ngx_ors_shape_t  ngx_ors_tool_##name##_shape;

NGX_ORS_HOSTED_TYPES(ngx_ors_tool_shape_of)

extern const ngx_ors_shape_t  ngx_ors_computer_preview_shape;


/* shared rules */

/* "prompt_cache_key" and the like: at most 64 characters, or null */
extern const ngx_ors_rule_t   ngx_ors_identifier_rule;

/* of the call of a function: 1 to 64 characters */
extern const ngx_ors_rule_t   ngx_ors_call_id_rule;

/* anything in a list; a list of strings */
extern const ngx_ors_rule_t   ngx_ors_list_rule;
extern const ngx_ors_rule_t   ngx_ors_strings_rule;

extern const ngx_ors_rule_t   ngx_ors_string_object_rule;
extern const ngx_ors_rule_t   ngx_ors_list_object_rule;

/* contents of messages by role, other lists of parts (protocol, section 4) */

extern const ngx_ors_rule_t   ngx_ors_user_content_rule;
extern const ngx_ors_rule_t   ngx_ors_system_content_rule;
extern const ngx_ors_rule_t   ngx_ors_assistant_content_rule;
extern const ngx_ors_rule_t   ngx_ors_output_rule;
extern const ngx_ors_rule_t   ngx_ors_summary_rule;
extern const ngx_ors_rule_t   ngx_ors_reasoning_content_rule;
extern const ngx_ors_shape_t  ngx_ors_image_tool_shape;
extern const ngx_ors_shape_t  ngx_ors_mcp_shape;
extern const ngx_ors_shape_t  ngx_ors_shell_shape;
extern const ngx_ors_shape_t  ngx_ors_patch_shape;
extern const ngx_ors_shape_t  ngx_ors_tool_search_shape;


#endif /* _NGX_ORS_FIELDS_ITEMS_H_INCLUDED_ */
