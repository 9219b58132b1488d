
/*
 * Responses request to Chat Completions request.
 */


#ifndef _NGX_ORS_CHAT_REQUEST_H_INCLUDED_
#define _NGX_ORS_CHAT_REQUEST_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_options.h>
#include <ngx_ors_chat_tools.h>
#include <ngx_ors_edit.h>
#include <ngx_ors_error.h>
#include <ngx_ors_json.h>
#include <ngx_ors_request.h>
#include <ngx_ors_text.h>


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


/*
 * The tools of a chat request, and what is said of their use.
 */


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


/*
 * Instructions and input items as chat messages.
 */


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
 * JSON Schemas for servers that hold a model to them only if they are strict
 * (E29): no property that is not named, and all of them required.
 */


typedef struct {
    ngx_ors_json_t     *json;       /* borrowed */
    ngx_ors_edits_t     edits;      /* of the schema in hand */
} ngx_ors_chat_schema_t;


/*
 * Prepares to write schemas that are in "json".  Memory will come from
 * "pool".
 */
void ngx_ors_chat_schema_init(ngx_ors_chat_schema_t *cs,
    ngx_ors_json_t *json, ngx_pool_t *pool);

/*
 * Appends schema "node", made strict: each object in it is closed, requires
 * all of its properties, and those that it did not require may be null
 * instead.  What has no place in strict schemas and says no more than what
 * has ("oneOf", "allOf" of one) is put in other words; "default" is left out.
 * All else keeps its bytes, which must live as long as "out".
 *
 * NGX_OK         done
 * NGX_DECLINED   it cannot be said strictly: nothing was appended
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_chat_schema(ngx_ors_chat_schema_t *cs,
    ngx_ors_json_node_t *node, ngx_ors_out_t *out);


#endif /* _NGX_ORS_CHAT_REQUEST_H_INCLUDED_ */
