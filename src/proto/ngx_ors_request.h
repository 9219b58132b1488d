
/*
 * A checked request: the body of POST /responses, read and validated
 * (spec, sections 2 to 6), with its fields at hand.
 */


#ifndef _NGX_ORS_REQUEST_H_INCLUDED_
#define _NGX_ORS_REQUEST_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_error.h>
#include <ngx_ors_json.h>


typedef enum {
    ngx_ors_rq_model = 0,
    ngx_ors_rq_input,
    ngx_ors_rq_previous_response_id,
    ngx_ors_rq_include,
    ngx_ors_rq_tools,
    ngx_ors_rq_tool_choice,
    ngx_ors_rq_metadata,
    ngx_ors_rq_text,
    ngx_ors_rq_temperature,
    ngx_ors_rq_top_p,
    ngx_ors_rq_presence_penalty,
    ngx_ors_rq_frequency_penalty,
    ngx_ors_rq_parallel_tool_calls,
    ngx_ors_rq_stream,
    ngx_ors_rq_stream_options,
    ngx_ors_rq_background,
    ngx_ors_rq_max_output_tokens,
    ngx_ors_rq_max_tool_calls,
    ngx_ors_rq_reasoning,
    ngx_ors_rq_safety_identifier,
    ngx_ors_rq_prompt_cache_key,
    ngx_ors_rq_truncation,
    ngx_ors_rq_instructions,
    ngx_ors_rq_store,
    ngx_ors_rq_service_tier,
    ngx_ors_rq_top_logprobs,
    ngx_ors_rq_conversation,
    ngx_ors_rq_prompt,
    ngx_ors_rq_n
} ngx_ors_rq_field_e;


/* what an operator may set; sizes in bytes */

typedef struct {
    ngx_uint_t            depth;      /* containers inside each other */
    ngx_uint_t            nodes;      /* JSON values in one document */
    ngx_uint_t            items;      /* input items */
    ngx_uint_t            tools;
    ngx_uint_t            calls;      /* tool calls in one answer */
    size_t                event;      /* one event of a stream */
    size_t                answer;     /* one answer, and the text of a stream */
    size_t                queue;      /* output that waits for a slow client */
} ngx_ors_limits_t;


typedef struct {
    ngx_ors_json_t        json;

    /* NULL when absent or null */
    ngx_ors_json_node_t  *field[ngx_ors_rq_n];

    ngx_str_t             model;      /* decoded */
    unsigned              stream:1;
} ngx_ors_request_t;


/*
 * Reads and checks "body", which is borrowed: it must stay as it is while
 * the request is used.  Nodes and the error's texts come from "pool".
 *
 * The reading is the tolerant one (edge-cases, E34; protocol, C1, C8, C11,
 * C12): null stands for absent in every optional field, a message may come
 * without "type", keys that are not known are passed over, and so are tools
 * of other types than "function".  What only some servers can do is not
 * refused here: "input" may be absent, too, where a stored response goes on.
 *
 * NGX_OK         "req" is filled
 * NGX_DECLINED   "err" holds the reason: 400 with "param" as a path
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_request_read(ngx_ors_request_t *req, ngx_str_t *body,
    ngx_ors_limits_t *limits, ngx_pool_t *pool, ngx_ors_error_t *err);


#endif /* _NGX_ORS_REQUEST_H_INCLUDED_ */
