
/*
 * Fields of a request that its table does not have, on their way to a chat
 * server: what "open_responses_unknown_fields pass" lets through.
 */


#ifndef _NGX_ORS_CHAT_UNKNOWN_H_INCLUDED_
#define _NGX_ORS_CHAT_UNKNOWN_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_options.h>
#include <ngx_ors_text.h>
#include <ngx_ors_request.h>


/*
 * Appends the members of the request's body that are not known, each with a
 * comma in front of it, if the policy passes them, and adds those that the
 * server does not get to req->dropped.  Names that Chat Completions has for
 * what is written elsewhere, or that would change what the answer is, are left
 * out: no key comes twice.
 */
void ngx_ors_chat_unknown(ngx_ors_request_t *req,
    ngx_ors_chat_target_t *target, ngx_ors_out_t *out);


#endif /* _NGX_ORS_CHAT_UNKNOWN_H_INCLUDED_ */
