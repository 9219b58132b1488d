
/*
 * The tables of the protocol's objects, and of the others that are routed.
 */


#ifndef _NGX_ORS_FIELDS_H_INCLUDED_
#define _NGX_ORS_FIELDS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_book.h>
#include <ngx_ors_validate.h>
#include <ngx_ors_violation.h>


/* rows of ngx_ors_fields_response that are filled in from elsewhere */

#define ngx_ors_rs_value(name, ...)  ngx_ors_rs_##name,

typedef enum {
    NGX_ORS_RESPONSE_FIELDS(ngx_ors_rs_value)
    ngx_ors_rs_n,

    /* with a fraction, and as a list, in place of the other ones */
    ngx_ors_rs_created_at_openai = ngx_ors_rs_n,
    ngx_ors_rs_instructions_openai
} ngx_ors_rs_field_e;


/* requests (protocol, sections 2 to 6 and 12) */

/* The body of POST responses; its rows are ngx_ors_rq_field_e's first. */
extern const ngx_ors_shape_t  ngx_ors_fields_create;

/* The body of POST responses/compact. */
extern const ngx_ors_shape_t  ngx_ors_fields_compact;

/* An item of the input of both, as it is sent or stored. */
extern const ngx_ors_shape_t  ngx_ors_fields_input_item;

/*
 * The input of both bodies, their tools and their choice; and the tools in an
 * item, which a request and an answer have alike.
 */
extern const ngx_ors_rule_t   ngx_ors_input_rule;
extern const ngx_ors_rule_t   ngx_ors_tools_rule;
extern const ngx_ors_rule_t   ngx_ors_tool_list_rule;
extern const ngx_ors_rule_t   ngx_ors_tool_choice_rule;


/* answers (protocol, sections 7 to 9 and 12) */

/* The response object; its rows begin with those of ngx_ors_rs_field_e. */
extern const ngx_ors_shape_t  ngx_ors_fields_response;

/* The answer of POST responses/input_tokens. */
extern const ngx_ors_shape_t  ngx_ors_fields_input_tokens;

/* The answer of POST responses/compact. */
extern const ngx_ors_shape_t  ngx_ors_fields_compaction;

/* An output item, a list of them, and a content part. */
extern const ngx_ors_shape_t  ngx_ors_fields_item;
extern const ngx_ors_rule_t   ngx_ors_output_items_rule;
extern const ngx_ors_shape_t  ngx_ors_fields_part;

extern const ngx_ors_shape_t  ngx_ors_fields_usage;

/* Echoes in answers: other shapes than those of requests. */
extern const ngx_ors_rule_t   ngx_ors_echo_tools_rule;
extern const ngx_ors_rule_t   ngx_ors_echo_tool_choice_rule;


/* an event of a stream, and an error document (protocol, sections 10, 11) */

extern const ngx_ors_shape_t  ngx_ors_fields_event;
extern const ngx_ors_shape_t  ngx_ors_fields_error;


/* other endpoints, as their servers publish them */

extern const ngx_ors_shape_t  ngx_ors_fields_chat_request;
extern const ngx_ors_shape_t  ngx_ors_fields_chat_answer;
extern const ngx_ors_shape_t  ngx_ors_fields_chat_chunk;
extern const ngx_ors_shape_t  ngx_ors_fields_embeddings_request;
extern const ngx_ors_shape_t  ngx_ors_fields_embeddings_answer;
extern const ngx_ors_shape_t  ngx_ors_fields_models;

/* Messages of chat requests, and a text, or text parts, in them. */
extern const ngx_ors_rule_t   ngx_ors_chat_messages_rule;
extern const ngx_ors_rule_t   ngx_ors_chat_text_content_rule;

/*
 * Common to the tables of answers.
 */


/* parts (protocol, section 9): lists by their member, and one in an event */

extern const ngx_ors_rule_t  ngx_ors_answer_content_rule;
extern const ngx_ors_rule_t  ngx_ors_answer_reasoning_parts_rule;
extern const ngx_ors_rule_t  ngx_ors_answer_call_output_rule;
extern const ngx_ors_rule_t  ngx_ors_answer_part_rule;

extern const ngx_ors_rule_t  ngx_ors_answer_annotation_null_rule;
extern const ngx_ors_rule_t  ngx_ors_answer_logprobs_rule;


/* echoes of a request, beside tools and their choice (protocol, section 6) */

extern const ngx_ors_rule_t  ngx_ors_echo_text_rule;
extern const ngx_ors_rule_t  ngx_ors_echo_reasoning_null_rule;


/* an item in an event, which may be null there (C24) */

extern const ngx_ors_rule_t  ngx_ors_answer_item_null_rule;


/* the object in an error document and "error" event (protocol, section 11) */

extern const ngx_ors_rule_t  ngx_ors_answer_error_rule;


#endif /* _NGX_ORS_FIELDS_H_INCLUDED_ */
