
/*
 * Calls of hosted types: the JSON that a location gets and answers with, and
 * what an item shows of both.
 *
 * A location gets {"arguments": what the model wrote, "tool": the client's
 * tool}.  It answers with a text, or with an object that has "output", the
 * text for the model, and "sources", "results" or "outputs", a list for the
 * client.
 */


#ifndef _NGX_ORS_HOSTED_CALL_H_INCLUDED_
#define _NGX_ORS_HOSTED_CALL_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_hosting.h>
#include <ngx_ors_limits.h>


typedef struct {
    ngx_ors_hosted_type_e    type;
    ngx_ors_limits_t        *limits;
    ngx_pool_t              *pool;
} ngx_ors_hosted_call_t;


typedef struct {
    ngx_str_t                text;        /* for the model, UTF-8 */
    ngx_str_t                results;     /* JSON list, or empty */
    ngx_str_t                list;        /* the same as it came, borrowed */
} ngx_ors_hosted_result_t;


/* Memory of all that is set comes from call->pool, or is borrowed. */

/*
 * Sets "body" to what the location gets: "arguments" is a JSON object, and
 * "tool" the client's.  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_hosted_call_body(ngx_ors_hosted_call_t *call,
    ngx_str_t *arguments, ngx_str_t *tool, ngx_str_t *body);

/*
 * Sets "value" to what an item shows of the arguments: the action or the
 * queries of a search, JSON, or code, the inside of a JSON string; empty if
 * there is none.  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_hosted_call_value(ngx_ors_hosted_call_t *call,
    ngx_str_t *arguments, ngx_str_t *value);

/*
 * Reads "text", UTF-8, what the location has answered.
 *
 * NGX_OK         "result" is set
 * NGX_DECLINED   it is an object with a list that clients could not read
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_hosted_call_result(ngx_ors_hosted_call_t *call,
    ngx_str_t *text, ngx_ors_hosted_result_t *result);


#endif /* _NGX_ORS_HOSTED_CALL_H_INCLUDED_ */
