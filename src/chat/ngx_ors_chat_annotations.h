
/*
 * Facts in a chat server's answer about its text: annotations, and the
 * logprobs of its tokens.
 */


#ifndef _NGX_ORS_CHAT_ANNOTATIONS_H_INCLUDED_
#define _NGX_ORS_CHAT_ANNOTATIONS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_json.h>


/*
 * Sets "text" to one element of a message's "annotations" as an annotation
 * of a response (protocol, section 9): JSON without white space, from "pool".
 * Its members may be in it or, as OpenAI has it, in "url_citation"; a
 * title that is not there is empty.
 *
 * NGX_OK         done
 * NGX_DECLINED   it is of another type, or has not all fields
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_chat_answer_annotation(ngx_ors_json_t *json,
    ngx_ors_json_node_t *node, ngx_pool_t *pool, ngx_str_t *text);

/*
 * Sets "text" to the elements of the array "list", tokens with what they
 * could have been, as those of a response: JSON with commas and without
 * brackets.  Each has "bytes" and "top_logprobs", empty where the server has
 * none (E60); what is no token is left out.  The text is written to "b",
 * zeroed at first, which grows in "pool": it lasts until the next call.
 *
 * NGX_OK      done
 * NGX_ERROR   no memory
 */
ngx_int_t ngx_ors_chat_answer_logprobs(ngx_ors_json_t *json,
    ngx_ors_json_node_t *list, ngx_pool_t *pool, ngx_buf_t *b,
    ngx_str_t *text);


#endif /* _NGX_ORS_CHAT_ANNOTATIONS_H_INCLUDED_ */
