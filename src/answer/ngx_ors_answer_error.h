
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
 * Reads when a server wants to be asked again, and writes that time in the
 * words that clients look for.
 */


/* ms; a longer time does not mean this request: it is ignored */
#define NGX_ORS_ANSWER_RETRY_MAX  86400000


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

/*
 * The time at the beginning of "text", "1.5", "20 seconds", "6m0s" and so
 * on, in ms, 0 if there is none or it is too long; "unit" is that of a
 * number without one, in ms, 0: there must be one.
 */
ngx_uint_t ngx_ors_answer_retry_time(ngx_str_t *text, ngx_uint_t unit);

/*
 * Appends err->retry to the message in the words that Codex looks for in a
 * stream ("try again in 7s"), unless it is 0 or they are there already.
 * NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_answer_retry_tell(ngx_ors_error_t *err, ngx_pool_t *pool);


#endif /* _NGX_ORS_ANSWER_ERROR_H_INCLUDED_ */
