
/*
 * Tools in the form of a chat request.
 */


#ifndef _NGX_ORS_CHAT_OFFER_H_INCLUDED_
#define _NGX_ORS_CHAT_OFFER_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_habits.h>
#include <ngx_ors_chat_tools.h>


/*
 * Appends the array of tools that is sent to a server with "habits".  What is
 * long is referred to in the request.  NGX_OK, or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_chat_offer(ngx_ors_chat_tools_t *tools,
    ngx_ors_request_t *req, const ngx_ors_chat_habits_t *habits,
    ngx_ors_out_t *out);


#endif /* _NGX_ORS_CHAT_OFFER_H_INCLUDED_ */
