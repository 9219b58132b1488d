
/*
 * A call of a target: what its files share.
 */


#ifndef _NGX_HTTP_ORS_CALL_H_INCLUDED_
#define _NGX_HTTP_ORS_CALL_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>


/* 1 if the turn has given up the call "data". */
ngx_uint_t ngx_http_ors_call_over(void *data);

/* See header() and replaced() of a kind of subrequests. */
ngx_int_t ngx_http_ors_call_header(ngx_http_ors_call_t *call);
ngx_uint_t ngx_http_ors_call_replaced(ngx_http_ors_call_t *call,
    ngx_int_t rc);

/* hands the answer to the turn */
extern const ngx_ors_source_handler_t  ngx_http_ors_call_source;


/* calls of targets among the subrequests */
extern const ngx_http_ors_call_kind_t  ngx_http_ors_call_kind;


/* Sets the method of a subrequest as its location needs it. */
void ngx_http_ors_call_method(ngx_http_request_t *r);

/*
 * Creates call->pool for a body in blocks of "size" bytes, which is needed for
 * less time than the answer takes.  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_ors_call_pool(ngx_http_ors_call_t *call, size_t size);

/*
 * Gives the subrequest of a call "bufs" of "size" bytes as its body.
 * NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_ors_call_make_body(ngx_http_ors_call_t *call,
    ngx_chain_t *bufs, size_t size);

/* The last step of a phase handler: returns what that is to return. */
ngx_int_t ngx_http_ors_call_go(ngx_http_ors_call_t *call);


/*
 * Called before and after the body of the request is replaced: forgets the
 * values of variables that depend on it.
 */
void ngx_http_ors_call_forget(ngx_http_request_t *r);


#endif /* _NGX_HTTP_ORS_CALL_H_INCLUDED_ */
