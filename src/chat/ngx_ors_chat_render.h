
/*
 * Tools in the form of a chat request.
 */


#ifndef _NGX_ORS_CHAT_RENDER_H_INCLUDED_
#define _NGX_ORS_CHAT_RENDER_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_options.h>
#include <ngx_ors_chat_tools.h>


/*
 * Appends the array of tools that is sent to a server with "options": all of
 * "tools", or "only" one of them.  What is long is referred to in the request.
 * NGX_OK, or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_chat_render(ngx_ors_chat_tools_t *tools,
    ngx_ors_chat_tool_t *only, ngx_ors_request_t *req,
    const ngx_ors_chat_options_t *options, ngx_ors_out_t *out);


#endif /* _NGX_ORS_CHAT_RENDER_H_INCLUDED_ */
