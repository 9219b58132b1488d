
/*
 * The verification of an answer of a server that speaks the client's own
 * dialect: its record, which all files of the verification share.
 */


#ifndef _NGX_ORS_VERIFY_H_INCLUDED_
#define _NGX_ORS_VERIFY_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_answer.h>
#include <ngx_ors_text.h>
#include <ngx_ors_route.h>
#include <ngx_ors_error.h>
#include <ngx_ors_request.h>
#include <ngx_ors_response.h>
#include <ngx_ors_validate.h>


/* how many names of members are remembered */
#define NGX_ORS_VERIFY_PLACES  8


typedef struct ngx_ors_verify_stream_s  ngx_ors_verify_stream_t;


typedef struct {
    /* set by the caller; borrowed, they live as long */
    ngx_ors_answer_t          *answer;    /* the reader */
    const ngx_ors_endpoint_t  *endpoint;
    ngx_ors_request_t         *request;   /* NULL: not read */
    ngx_ors_policy_t          *policy;
    ngx_ors_limits_t          *limits;
    ngx_ors_out_t             *out;       /* to the client */
    ngx_pool_t                *pool;
    ngx_log_t                 *log;
    unsigned                   report:1;  /* violations are only logged */
    unsigned                   keep:1;    /* it is of a stored conversation */

    /* to the client: due when "status" is set */
    ngx_uint_t                 status;
    ngx_str_t                  type;      /* Content-Type */

    /* the outcome */
    ngx_ors_error_t            error;     /* status 0: nothing was refused */
    ngx_ors_response_status_e  outcome;   /* of one that passes, if known */
    ngx_ors_usage_t            usage;     /* as the server has counted it */
    ngx_uint_t                 repaired;  /* places that were changed ... */
    ngx_uint_t                 stripped;  /* ... of these, members left out */
    const ngx_str_t           *places[NGX_ORS_VERIFY_PLACES];
    ngx_uint_t                 nplaces;   /* names of the others, each once */
    unsigned                   refused:1;  /* "error" is a violation */
    unsigned                   replaced:1;  /* all of the answer is "error" */
    unsigned                   begun:1;   /* a stream has some output */
    ngx_str_t                  held;      /* its end, see _store.h */
    ngx_str_t                  held_type;  /* ... that of an event */

    /* private */
    ngx_ors_json_t             json;      /* of one document or event */
    ngx_ors_edits_t            edits;
    ngx_ors_fill_pt            fill;      /* of a stream, or NULL */
    ngx_str_t                 *fills;     /* by row of the response object */
    u_char                     total[NGX_ORS_DECIMAL_LEN];
    ngx_ors_verify_stream_t   *stream;    /* NULL: it is none */
} ngx_ors_verify_t;


/*
 * The class of the failure that the client has seen, an ngx_ors_class_e: a
 * violation that is only reported is none
 */
#define ngx_ors_verify_class(verify)                                          \
    (((verify)->error.status == 0 || ((verify)->refused && (verify)->report)) \
     ? ngx_ors_class_none : (verify)->error.class)


#endif /* _NGX_ORS_VERIFY_H_INCLUDED_ */
