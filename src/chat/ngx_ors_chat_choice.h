
/*
 * The tools of a chat request, and what is said of their use.
 */


#ifndef _NGX_ORS_CHAT_CHOICE_H_INCLUDED_
#define _NGX_ORS_CHAT_CHOICE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_tools.h>
#include <ngx_ors_error.h>


/*
 * Appends "tools" and, if there are some, the request's choice of them, as far
 * as target->calls leaves one, and whether several may be called at once:
 * members of the request, each with a comma in front of it.
 *
 * NGX_OK         done
 * NGX_DECLINED   "err" says why there is no such choice: 400 with "param"
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_chat_choice(ngx_ors_request_t *req,
    ngx_ors_chat_target_t *target, ngx_ors_chat_tools_t *tools,
    ngx_ors_out_t *out, ngx_ors_error_t *err);


#endif /* _NGX_ORS_CHAT_CHOICE_H_INCLUDED_ */
