
/*
 * Reads the error document, or error event, of a model server.
 */


#ifndef _NGX_ORS_ANSWER_ERROR_H_INCLUDED_
#define _NGX_ORS_ANSWER_ERROR_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_error.h>
#include <ngx_ors_json.h>


/*
 * Fills "err" from a model server's answer: its HTTP "status", 0 for an error
 * inside of an answer with status 200, and "node" of "json", the document or
 * an event's object, both NULL if the answer was not JSON.
 *
 * A known failure gets the code that clients act on, any other the server's
 * own name for it, "upstream_error" or "server_error".  The message is the
 * one in the server's JSON, never other text.  "param" stays empty: the
 * server's would name a place in a request the client has not sent.  "retry"
 * is the time in the document or in its message, with 429 and 503 only.
 *
 * NGX_OK      "err" is filled, its texts come from "pool"
 * NGX_ERROR   no memory
 */
ngx_int_t ngx_ors_answer_error(ngx_ors_error_t *err, ngx_pool_t *pool,
    ngx_uint_t status, ngx_ors_json_t *json, ngx_ors_json_node_t *node);


#endif /* _NGX_ORS_ANSWER_ERROR_H_INCLUDED_ */
