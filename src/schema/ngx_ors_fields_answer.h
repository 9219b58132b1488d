
/*
 * Common to the tables of answers.
 */


#ifndef _NGX_ORS_FIELDS_ANSWER_H_INCLUDED_
#define _NGX_ORS_FIELDS_ANSWER_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_fields.h>
#include <ngx_ors_rules.h>


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


#endif /* _NGX_ORS_FIELDS_ANSWER_H_INCLUDED_ */
