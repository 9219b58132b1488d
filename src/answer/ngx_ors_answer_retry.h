
/*
 * Reads when a server wants to be asked again, and writes that time in the
 * words that clients look for.
 */


#ifndef _NGX_ORS_ANSWER_RETRY_H_INCLUDED_
#define _NGX_ORS_ANSWER_RETRY_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_error.h>
#include <ngx_ors_json.h>


/* ms; a longer time does not mean this request: it is ignored */
#define NGX_ORS_ANSWER_RETRY_MAX  86400000


/*
 * The time that an error document names, or its message "text", which is
 * decoded: in ms, 0 if there is none.  "json" and "node", the document or
 * one in an event, may both be NULL.
 */
ngx_uint_t ngx_ors_answer_retry(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    ngx_str_t *text);

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


#endif /* _NGX_ORS_ANSWER_RETRY_H_INCLUDED_ */
