
/*
 * Responses request to Chat Completions request.
 */


#ifndef _NGX_ORS_CHAT_REQUEST_H_INCLUDED_
#define _NGX_ORS_CHAT_REQUEST_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_options.h>
#include <ngx_ors_chat_tools.h>
#include <ngx_ors_error.h>
#include <ngx_ors_text.h>
#include <ngx_ors_request.h>


/*
 * Members of a chat request that the client writes itself: those of "params"
 * and, of "provider_options", those of the entries for the target's provider.
 */


/* in one request: each is looked for among all */
#define NGX_ORS_CHAT_PASSTHROUGH_MAX  64


/*
 * Appends to "out" the body of a Chat Completions request that means the
 * same as "req", in the way "target" has of saying it.  "tools" is filled
 * with those that are sent, for the answer.  Long text is referred to where
 * it is in the client's body, which must live until "out" has been sent.
 * Memory comes from req->pool.
 *
 * NGX_OK         the body is in "out"
 * NGX_DECLINED   "err" says what cannot be carried: 400 with "param"
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_chat_request(ngx_ors_request_t *req,
    ngx_ors_chat_target_t *target, ngx_ors_chat_tools_t *tools,
    ngx_ors_out_t *out, ngx_ors_error_t *err);

/* 1 if "include" asks for the logprobs of texts, else 0. */
ngx_uint_t ngx_ors_chat_wants_logprobs(ngx_ors_request_t *req);

/*
 * Fills target->passthrough with what "req" has for a target of this provider.
 * Of one name the first member counts, entries of "provider_options" in front
 * of "params"; null is as good as absent.  Memory comes from req->pool.
 *
 * NGX_OK         done, most often with nothing
 * NGX_DECLINED   "err" says what cannot be given: 400 with "param"
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_chat_pass_read(ngx_ors_request_t *req,
    ngx_ors_chat_target_t *target, ngx_ors_error_t *err);


#endif /* _NGX_ORS_CHAT_REQUEST_H_INCLUDED_ */
