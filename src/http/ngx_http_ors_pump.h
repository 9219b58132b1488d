
/*
 * The pump between an upstream and the client: bytes of an answer come in and
 * are decoded, bytes for the client go out, and an upstream waits for a client
 * that is slow.  The gateway's calls and the validator's filter use it.
 */


#ifndef _NGX_HTTP_ORS_PUMP_H_INCLUDED_
#define _NGX_HTTP_ORS_PUMP_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>
#include <ngx_ors_sse.h>


/* r->buffered: bytes of an answer wait in our filter */
#define NGX_HTTP_ORS_BUFFERED  0x08


/* where an answer goes; all but "last_sent" and what is busy: the owner's */

typedef struct {
    ngx_http_request_t             *request;    /* the client's */
    ngx_http_output_body_filter_pt  write;
    ngx_ors_queue_t                 queue;

    unsigned                        top:1;      /* "write" is the first of */
                                                /* all filters */
    unsigned                        last_sent:1;
} ngx_http_ors_pump_t;


/*
 * Takes more of the answer of "r", see ngx_ors_source_take(); r->buffered says
 * afterwards whether bytes are left.
 */
ngx_int_t ngx_http_ors_pump_take(ngx_http_request_t *r,
    ngx_ors_source_t *source, ngx_chain_t *in);

/*
 * Prepares the decoding of an answer from its Content-Encoding, which "strip"
 * removes from the headers.  NGX_OK, NGX_DECLINED: an encoding that is not
 * known, or NGX_ERROR.
 */
ngx_int_t ngx_http_ors_pump_decode(ngx_http_request_t *r,
    ngx_ors_source_t *source, ngx_uint_t strip);

/*
 * Sends pump->queue, or what waits for a slow client; with "last" nothing
 * follows it.  Returns what the filters have returned.
 */
ngx_int_t ngx_http_ors_pump_send(ngx_http_ors_pump_t *pump, ngx_uint_t last);

/* The ms since the start of main request "r". */
ngx_msec_int_t ngx_http_ors_pump_elapsed(ngx_http_request_t *r);

/*
 * Ends the request of a client that goes away while nothing is sent to it; in
 * front of a post action, its ctx->cleanup is called.  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_ors_watch(ngx_http_request_t *r);


#endif /* _NGX_HTTP_ORS_PUMP_H_INCLUDED_ */
