
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

struct ngx_http_ors_call_kind_s {
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
};


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
