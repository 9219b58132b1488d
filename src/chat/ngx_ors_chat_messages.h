
/*
 * Instructions and input items as chat messages.
 */


#ifndef _NGX_ORS_CHAT_MESSAGES_H_INCLUDED_
#define _NGX_ORS_CHAT_MESSAGES_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_options.h>
#include <ngx_ors_error.h>
#include <ngx_ors_text.h>
#include <ngx_ors_request.h>
#include <ngx_ors_chat_content.h>


/*
 * Appends the array of messages.  Each output of a function comes directly
 * after the message with its call, whatever was between them in the input.
 *
 * NGX_OK         done
 * NGX_DECLINED   "err" says what cannot be carried: 400 with "param"
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_chat_messages(ngx_ors_request_t *req,
    ngx_ors_chat_target_t *target, ngx_ors_out_t *out, ngx_ors_error_t *err);

/*
 * Searches for tools that the client has made, in the history.
 */


/*
 * Appends what was searched for as the arguments of a call, a string of JSON:
 * "node" is any value, or NULL.
 */
void ngx_ors_chat_search_arguments(ngx_ors_chat_content_t *cc,
    ngx_ors_json_node_t *node);


#endif /* _NGX_ORS_CHAT_MESSAGES_H_INCLUDED_ */
