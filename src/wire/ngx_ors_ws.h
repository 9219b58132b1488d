
/*
 * WebSocket frames (RFC 6455) of a server: frames of the client in, whole
 * text messages out; messages, pings and closes of our own as frames.
 */


#ifndef _NGX_ORS_WS_H_INCLUDED_
#define _NGX_ORS_WS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_text.h>


#define NGX_ORS_WS_NORMAL        1000
#define NGX_ORS_WS_GOING_AWAY    1001
#define NGX_ORS_WS_PROTOCOL      1002
#define NGX_ORS_WS_UNSUPPORTED   1003
#define NGX_ORS_WS_NO_CODE       1005     /* never in a frame */
#define NGX_ORS_WS_NOT_UTF8      1007
#define NGX_ORS_WS_TOO_LARGE     1009

/* bytes of a control frame's payload, and of a header without its mask */
#define NGX_ORS_WS_CONTROL       125
#define NGX_ORS_WS_HEADER        10


typedef struct {
    /* the message that was read: see ngx_ors_ws_read() */
    ngx_str_t       text;
    ngx_pool_t     *pool;         /* of "text", the caller's to destroy */

    /* why the reader has ended: NGX_ORS_WS_ */
    ngx_uint_t      code;

    /* private */
    void           *frame;        /* of the library */
    ngx_buf_t      *in;           /* read from at the moment */
    ngx_ors_out_t  *out;
    ngx_log_t      *log;
    ngx_pool_t     *part;         /* of a message that is not complete */
    u_char         *data;
    size_t          len;
    size_t          size;         /* allocated at "data" */
    size_t          valid;        /* bytes known to be UTF-8 */
    size_t          max;
    uint64_t        got;          /* of the frame's payload */
    size_t          ncontrol;
    u_char          control[NGX_ORS_WS_CONTROL];

    /* of the headers, which are read in front of the library */
    u_char          header[NGX_ORS_WS_HEADER];
    size_t          nheader;
    uint64_t        rest;         /* bytes up to the next header */
    size_t          announced;    /* of a message that is not complete */
    ngx_uint_t      refused;      /* the code, 0: none */
    unsigned        fragmented:1; /* a message has begun */
} ngx_ors_ws_t;


/*
 * Makes the codec of a connection.  Its memory, and what the library
 * allocates, is released with "pool"; frames for the client are appended to
 * "out", borrowed.  A message may have "max" bytes.  NULL: no memory.
 */
ngx_ors_ws_t *ngx_ors_ws_create(ngx_pool_t *pool, ngx_ors_out_t *out,
    size_t max);

/*
 * Reads from "b", moving b->pos, up to the end of the next text message.
 * Fragments are joined, pings answered, pongs passed over.  The codec keeps
 * bytes after the message: call again until it gives NGX_AGAIN, with an empty
 * "b" if need be.
 *
 * NGX_OK         "text" is a message; "pool" with it belongs to the caller
 * NGX_AGAIN      all bytes are used up
 * NGX_DONE       the peer closes: ws->code is what to answer
 * NGX_DECLINED   the peer broke a rule or a limit: ws->code says which
 * NGX_ERROR      no memory
 *
 * After NGX_DONE and NGX_DECLINED the codec is closed with
 * ngx_ors_ws_close(ws, ws->code) and must not read on.
 */
ngx_int_t ngx_ors_ws_read(ngx_ors_ws_t *ws, ngx_buf_t *b);

/*
 * Appends a text message: an object, which is in the links from "in" to "last"
 * and is used up, with "members" more, empty or with a comma first.
 */
void ngx_ors_ws_chain(ngx_ors_ws_t *ws, ngx_chain_t *in, ngx_chain_t *last,
    ngx_str_t *members);

/*
 * Appends a text message of what was appended to "out", which is taken from it
 * and must not be empty.  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_ors_ws_out(ngx_ors_ws_t *ws, ngx_ors_out_t *out);

/* Appends a ping without a payload. */
void ngx_ors_ws_ping(ngx_ors_ws_t *ws);

/*
 * Appends a close frame; NGX_ORS_WS_NO_CODE: one without a code.  Nothing may
 * be appended after it.
 */
void ngx_ors_ws_close(ngx_ors_ws_t *ws, ngx_uint_t code);


#endif /* _NGX_ORS_WS_H_INCLUDED_ */
