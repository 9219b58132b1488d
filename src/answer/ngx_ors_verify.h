
/*
 * The validator of answers: what a server sends that speaks the client's own
 * dialect is checked while it passes, repaired where that is possible, and
 * else refused.  A pure machine: it is told of status, bytes and end, and
 * says what goes to the client.  It does no I/O.
 *
 * A document is gathered, checked against its endpoint's table, and goes on
 * with what was missing filled in.  A stream is checked event by event; what
 * it breaks ends it with "error", "response.failed" and [DONE].
 */


#ifndef _NGX_ORS_VERIFY_H_INCLUDED_
#define _NGX_ORS_VERIFY_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_endpoint.h>
#include <ngx_ors_error.h>
#include <ngx_ors_out.h>
#include <ngx_ors_request.h>
#include <ngx_ors_response.h>
#include <ngx_ors_sse.h>
#include <ngx_ors_validate.h>


typedef enum {
    ngx_ors_verify_st_header = 0,    /* the answer has not begun */
    ngx_ors_verify_st_document,      /* it comes as one document */
    ngx_ors_verify_st_failure,       /* ... as an error document */
    ngx_ors_verify_st_stream,        /* ... as a stream */
    ngx_ors_verify_st_over
} ngx_ors_verify_state_e;


typedef struct ngx_ors_verify_stream_s  ngx_ors_verify_stream_t;


typedef struct {
    ngx_ors_verify_state_e     state;

    /* set by the caller before the header; borrowed, they live as long */
    const ngx_ors_endpoint_t  *endpoint;
    ngx_ors_request_t         *request;   /* NULL: it was not read */
    ngx_ors_policy_t          *policy;
    ngx_ors_limits_t          *limits;
    ngx_ors_out_t             *out;       /* to the client */
    ngx_pool_t                *pool;
    ngx_log_t                 *log;
    unsigned                   report:1;  /* only to be told in the log */
    unsigned                   keep:1;    /* it belongs to a stored chain */

    /* to the client: due when "status" is set */
    ngx_uint_t                 status;
    ngx_str_t                  type;      /* Content-Type */

    /* what became of it */
    ngx_ors_error_t            error;     /* status 0: nothing was refused */
    ngx_ors_response_status_e  outcome;   /* of one that passes, if known */
    ngx_uint_t                 repaired;  /* places that were changed ... */
    ngx_uint_t                 stripped;  /* ... of these, members left out */
    unsigned                   refused:1;  /* "error" is a finding of ours */
    ngx_str_t                  held;      /* its end, see _keep.h */
    ngx_str_t                  held_type;  /* ... that of an event */

    /* private */
    ngx_uint_t                 upstream_status;
    ngx_buf_t                  gathered;  /* a document that is coming in */
    ngx_ors_json_t             json;      /* of one document or event */
    ngx_ors_edits_t            edits;
    ngx_str_t                 *fills;     /* by row of the response object */
    u_char                     total[NGX_ORS_OUT_INT_LEN];
    ngx_ors_sse_t              sse;
    ngx_ors_verify_stream_t   *stream;
} ngx_ors_verify_t;


/*
 * The functions below return
 *
 * NGX_OK         go on
 * NGX_DONE       the answer is over: "status", "type" and "out" hold what
 *                is left to be sent, and nothing more is to be told
 * NGX_ERROR      no memory
 */

/*
 * The server answers: its status and content type, and the length of the
 * body if it is known, else -1.  "status" stays 0 until it is known what to
 * tell the client: of a document when it is whole, of a stream when its
 * first event, or a comment, has come.
 */
ngx_int_t ngx_ors_verify_header(ngx_ors_verify_t *verify, ngx_uint_t status,
    ngx_str_t *type, off_t length);

/* Bytes of the body; "b" is used up unless the answer is over before. */
ngx_int_t ngx_ors_verify_data(ngx_ors_verify_t *verify, ngx_buf_t *b);

/*
 * The body has ended; "complete" says whether it was sent whole.  Returns
 * NGX_DONE or NGX_ERROR.
 */
ngx_int_t ngx_ors_verify_end(ngx_ors_verify_t *verify, ngx_uint_t complete);

/*
 * The answer is refused for a reason outside of its text.  "what", a phrase
 * that says what is wrong with it, goes to the log and to the client: in an
 * error document, or in the events for it if the stream has begun.  "code"
 * and "what" are static.  Returns NGX_DONE or NGX_ERROR.
 */
ngx_int_t ngx_ors_verify_refuse(ngx_ors_verify_t *verify, char *code,
    const char *what);


#endif /* _NGX_ORS_VERIFY_H_INCLUDED_ */
