
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


#endif /* _NGX_ORS_CHAT_MESSAGES_H_INCLUDED_ */
