
/*
 * The background subrequests of a turn: what calls of targets, of tools and of
 * MCP servers have in common.
 */


#ifndef _NGX_HTTP_ORS_SUBREQUEST_H_INCLUDED_
#define _NGX_HTTP_ORS_SUBREQUEST_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>


/* handlers of one kind of subrequest */

typedef struct {
    char                       *name;       /* in the log */

    /* of the call's source: reads the answer */
    const ngx_ors_source_handler_t  *source;

    /*
     * In front of the limits of its location, or NULL.  NGX_OK: they are to
     * be applied; NGX_AGAIN: the phase handler is called again; NGX_DONE: the
     * turn has ended; NGX_ERROR.
     */
    ngx_int_t                 (*early)(ngx_http_ors_call_t *call);

    /*
     * Makes the body, after the limits.  NGX_OK: the call is to be sent; else
     * as above.
     */
    ngx_int_t                 (*make)(ngx_http_ors_call_t *call);

    /* Takes the header of the answer.  NGX_OK or NGX_ERROR. */
    ngx_int_t                 (*header)(ngx_http_ors_call_t *call);

    /* 1 if a call that has ended with "rc" is answered elsewhere, or NULL. */
    ngx_uint_t                (*replaced)(ngx_http_ors_call_t *call,
                                          ngx_int_t rc);
} ngx_http_ors_call_kind_t;


/* a background subrequest: to a target, or with a "kind" of its own */

struct ngx_http_ors_call_s {
    const ngx_http_ors_call_kind_t  *kind;
    ngx_http_ors_ctx_t        *ctx;
    ngx_http_request_t        *request;
    ngx_http_ors_loc_conf_t   *conf;        /* the body was made for it */
    ngx_pool_t                *pool;        /* of the body of a target's, */
                                            /* NULL: there is none yet, or */
                                            /* it has been sent */
    ngx_http_handler_pt        content;     /* of the target's location */
    ngx_http_posted_request_t  posted;
    ngx_queue_t                queue;       /* of ctx->calls, until "done" */
    ngx_ors_round_call_t      *called;      /* the model's call, or NULL */
    ngx_ors_source_t           source;
    ngx_uint_t                 status;
    ngx_uint_t                 limit_req;   /* verdicts of nginx's limits */
    ngx_uint_t                 limit_conn;  /* before the target's own */

    unsigned                   bare:1;      /* without the client's headers */
    unsigned                   bodiless:1;  /* a GET */
    unsigned                   early:1;     /* its limits are next */
    unsigned                   made:1;      /* it has its body */
    unsigned                   complete:1;  /* the last byte has come */
    unsigned                   done:1;      /* the subrequest has ended */
    unsigned                   limited:1;   /* "limit_req" or "limit_conn" */
                                            /* have refused it */
    unsigned                   starved:1;   /* no connection was left for it */
    unsigned                   useless:1;   /* the rest of its answer is */
};


/* ngx_http_ors_call.c: calls of targets, and the end of any call */

/*
 * Calls ctx->target in a background subrequest for ctx->turn.  What it
 * answers is handed to the turn, and the parent is posted.
 * NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_ors_call(ngx_http_ors_ctx_t *ctx);

/*
 * Calls the next target, ctx->target->next, in place of one that has failed.
 * As with ngx_http_ors_call_cancel(), not from inside of the subrequest.
 * NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_ors_call_again(ngx_http_ors_ctx_t *ctx);

/*
 * Ends a call: the upstream connection is closed.  It must not be
 * used from inside of the subrequest's own handlers and filters.
 */
void ngx_http_ors_call_cancel(ngx_http_ors_call_t *call);

/* The same of a call that its location may delay: it goes on, and ends. */
void ngx_http_ors_call_drop(ngx_http_ors_call_t *call);

/* Sets TCP_NODELAY on the upstream connection. */
void ngx_http_ors_call_push(ngx_http_ors_call_t *call);

/* Lets a call go on that had to wait for a slow client.  NGX_OK, NGX_ERROR. */
ngx_int_t ngx_http_ors_call_resume(ngx_http_ors_call_t *call);

/*
 * Lets calls begin that were put off: the timer of "limit_req" is the
 * connection's, so the event comes to the main request.
 */
void ngx_http_ors_calls_wake(ngx_http_ors_ctx_t *ctx);

/* Drops all calls but ctx->call. */
void ngx_http_ors_calls_drop(ngx_http_ors_ctx_t *ctx);

/* The call of a target that "r" is the subrequest of, or NULL. */
ngx_http_ors_call_t *ngx_http_ors_call_of(ngx_http_request_t *r);

/* 1 if the turn has given up the call "data". */
ngx_uint_t ngx_http_ors_call_over(void *data);

/*
 * Creates call->pool for a body in blocks of "size" bytes, which is needed for
 * less time than the answer takes.  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_ors_call_pool(ngx_http_ors_call_t *call, size_t size);

/* See header() and replaced() of a kind of subrequests. */
ngx_int_t ngx_http_ors_call_header(ngx_http_ors_call_t *call);
ngx_uint_t ngx_http_ors_call_replaced(ngx_http_ors_call_t *call,
    ngx_int_t rc);

/* hands the answer to the turn */
extern const ngx_ors_source_handler_t  ngx_http_ors_call_source;

/* calls of targets among the subrequests; their phases are the gateway's */
extern const ngx_http_ors_call_kind_t  ngx_http_ors_call_kind;


/* ngx_http_ors_subrequest.c: the life of a background subrequest */

/*
 * Starts "call", whose "bare" is set, to the location of "uri".  The answer is
 * read through call->source, and the main request is posted at the end.
 * NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_ors_subrequest(ngx_http_ors_call_t *call,
    ngx_http_ors_ctx_t *ctx, const ngx_http_ors_call_kind_t *kind,
    ngx_str_t *uri, ngx_str_t *args);

/*
 * The call that request "r" is the subrequest of, or NULL; of any kind if
 * "kind" is NULL.
 */
ngx_http_ors_call_t *ngx_http_ors_subrequest_of(ngx_http_request_t *r,
    const ngx_http_ors_call_kind_t *kind);

/* Gives the subrequest "bufs" once, as its body.  Returns what make() does. */
ngx_int_t ngx_http_ors_subrequest_make(ngx_http_ors_call_t *call,
    ngx_chain_t *bufs, size_t size);

/* The end of the body, for kinds that need to know no more of it. */
ngx_int_t ngx_http_ors_subrequest_ended(void *data);

/* Makes it a GET without a body.  Returns what make() does. */
ngx_int_t ngx_http_ors_subrequest_get(ngx_http_ors_call_t *call);

/* Header and body of the answer; the return codes are those of filters. */
ngx_int_t ngx_http_ors_subrequest_header(ngx_http_ors_call_t *call);
ngx_int_t ngx_http_ors_subrequest_body(ngx_http_ors_call_t *call,
    ngx_chain_t *in);


#endif /* _NGX_HTTP_ORS_SUBREQUEST_H_INCLUDED_ */
