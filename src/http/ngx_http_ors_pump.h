
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
#include <ngx_ors_decode.h>
#include <ngx_ors_out.h>


/* r->buffered: bytes of an answer wait in our filter */
#define NGX_HTTP_ORS_BUFFERED  0x08


/* how the body of an upstream ends, see ngx_http_ors_upstream_watch() */

typedef struct {
    ngx_int_t                     (*init)(void *data);
    ngx_int_t                     (*filter)(void *data, ssize_t bytes);
    ngx_event_pipe_input_filter_pt  pipe_filter;
    void                          (*finalize)(ngx_http_request_t *r,
                                      ngx_int_t rc);
    void                           *ctx;        /* of "init" and "filter" */

    unsigned                        broken:1;   /* the framing of its body */
    unsigned                        cut:1;      /* its body has no end */
} ngx_http_ors_upstream_t;


/* what is done with an answer; "data" is source->data */

typedef struct {
    /* 1 if nothing of the answer is needed any more: it passes unread */
    ngx_uint_t                    (*over)(void *data);

    /* decoded bytes, all to be used up; NGX_ERROR, or anything else */
    ngx_int_t                     (*read)(void *data, ngx_buf_t *b);

    /* the bytes cannot be decoded; the same */
    ngx_int_t                     (*refuse)(void *data, const char *what);

    /* the body has ended; NGX_OK or NGX_ERROR */
    ngx_int_t                     (*end)(void *data);
} ngx_http_ors_source_handler_t;


/* where an answer comes from */

typedef struct {
    ngx_http_request_t             *request;    /* the answer's */
    ngx_chain_t                    *in;         /* bytes not read yet */
    ngx_ors_decode_t                decode;
    ngx_http_ors_upstream_t         upstream;

    const ngx_http_ors_source_handler_t  *handler;
    void                           *data;

    unsigned                        stopped:1;  /* the client is slow */
} ngx_http_ors_source_t;


/* where it goes; all but "busy" and "last_sent" is set by the owner */

typedef struct {
    ngx_http_request_t             *request;    /* the client's */
    ngx_http_output_body_filter_pt  write;
    ngx_ors_out_t                  *out;        /* to be sent */
    ngx_chain_t                    *busy;       /* being sent */
    size_t                          limit;      /* bytes of both */

    unsigned                        top:1;      /* "write" is the first of */
                                                /* all filters */
    unsigned                        last_sent:1;
} ngx_http_ors_pump_t;


/* ngx_http_ors_pump.c */

/* Bytes that wait to be sent. */
size_t ngx_http_ors_pump_pending(ngx_http_ors_pump_t *pump);

/*
 * Takes what has come from the upstream, "in" may be NULL, and reads it until
 * the queue is full.  The source's r->buffered says whether bytes are left.
 *
 * NGX_OK      all is used up
 * NGX_AGAIN   the queue is full: the rest is kept, and with it the buffers of
 *             the upstream connection, which is then not read
 * NGX_ERROR   no memory
 */
ngx_int_t ngx_http_ors_pump_take(ngx_http_ors_pump_t *pump,
    ngx_http_ors_source_t *source, ngx_chain_t *in);
ngx_int_t ngx_http_ors_pump_feed(ngx_http_ors_pump_t *pump,
    ngx_http_ors_source_t *source);

/* Reads one buffer.  As above. */
ngx_int_t ngx_http_ors_pump_read(ngx_http_ors_pump_t *pump,
    ngx_http_ors_source_t *source, ngx_buf_t *b);

/*
 * Prepares the decoding of an answer from its Content-Encoding, which "strip"
 * removes from the headers.  NGX_OK, NGX_DECLINED: an encoding that is not
 * known, or NGX_ERROR.
 */
ngx_int_t ngx_http_ors_source_decode(ngx_http_ors_source_t *source,
    ngx_http_request_t *r, ngx_uint_t strip);

/* 1 if "b" ends the body: with its last buffer, or cut. */
ngx_uint_t ngx_http_ors_source_ends(ngx_http_ors_source_t *source,
    ngx_buf_t *b);

/* 1 if a body that has ended was sent whole. */
#define ngx_http_ors_source_complete(source)                                  \
    (!(source)->upstream.cut && ngx_ors_decode_complete(&(source)->decode))

/*
 * Sends pump->out, or what waits for a slow client; with "last" nothing
 * follows it.  Returns what the filters have returned.
 */
ngx_int_t ngx_http_ors_pump_send(ngx_http_ors_pump_t *pump, ngx_uint_t last);

/*
 * Ends the request of a client that goes away while nothing is sent to it.
 * NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_ors_watch(ngx_http_request_t *r);


/* ngx_http_ors_upstream.c */

/*
 * Called when the header of an answer is held back: lets the body filter know
 * how the upstream's body ends.  If the body ends too early, or its framing
 * is broken, "watch->cut" is set and an empty buffer to be flushed follows
 * the bytes; else there is a last buffer.  "watch" belongs to the record of
 * "r".
 */
void ngx_http_ors_upstream_watch(ngx_http_ors_upstream_t *watch,
    ngx_http_request_t *r);


#endif /* _NGX_HTTP_ORS_PUMP_H_INCLUDED_ */
