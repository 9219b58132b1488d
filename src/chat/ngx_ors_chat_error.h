
/*
 * Failures of a model server as errors of ours.
 */


#ifndef _NGX_ORS_CHAT_ERROR_H_INCLUDED_
#define _NGX_ORS_CHAT_ERROR_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_error.h>
#include <ngx_ors_json.h>


/*
 * Fills "err" from what a model server has answered: the HTTP "status", 0
 * for an error inside of an answer with status 200, and "node" of "json",
 * the document or an event's object, both NULL if it was not JSON.
 *
 * The code is one that clients act on where the failure is known, else the
 * name the server gave or "upstream_error", "server_error".  The message is
 * what the server says in its JSON, never other text.  "param" stays empty:
 * the server's would name a place in a request the client has not sent.
 * "retry" is what the document or its text says, with 429 and 503 only.
 *
 * NGX_OK      "err" is filled, its texts come from "pool"
 * NGX_ERROR   no memory
 */
ngx_int_t ngx_ors_chat_error(ngx_ors_error_t *err, ngx_pool_t *pool,
    ngx_uint_t status, ngx_ors_json_t *json, ngx_ors_json_node_t *node);


#endif /* _NGX_ORS_CHAT_ERROR_H_INCLUDED_ */
