
/*
 * The WebSocket transport: a connection, and its turns, each of which is a
 * detached request of its own.
 */


#ifndef _NGX_HTTP_ORS_WS_H_INCLUDED_
#define _NGX_HTTP_ORS_WS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>
#include <ngx_ors_lanes.h>
#include <ngx_ors_ws.h>


struct ngx_http_ors_ws_s {
    ngx_http_request_t         *request;    /* the handshake */
    ngx_http_ors_ctx_t         *ctx;        /* ... its own */
    const ngx_ors_endpoint_t   *endpoint;
    ngx_http_ors_begin_pt       begin;
    ngx_http_ors_loc_conf_t    *conf;

    ngx_ors_ws_t               *codec;
    ngx_ors_out_t               out;
    ngx_http_ors_pump_t         pump;       /* of "out" */
    ngx_ors_lanes_t             lanes;
    ngx_ors_hold_t              hold;       /* of what "lanes" caches */
    ngx_queue_t                 turns;      /* of ngx_http_ors_ws_turn_t */

    ngx_event_t                 work;       /* posted: there is work to do */
    ngx_event_handler_pt        handler;    /* nginx's, of its events */
    ngx_event_t                 timer;
    off_t                       sent;       /* bytes when its timer was set */
    ngx_msec_t                  started;
    ngx_msec_t                  active;     /* when a turn ended last */
    ngx_msec_t                  heard;      /* when the client sent something */

    unsigned                    opened:1;   /* the handshake is answered */
    unsigned                    closing:1;  /* the close frame is written */
    unsigned                    done:1;     /* the request is finalized */
};


/* of a request that is detached from it; lives in its pool */

struct ngx_http_ors_ws_turn_s {
    ngx_queue_t                 queue;
    ngx_http_ors_ws_t          *ws;         /* NULL: nobody waits for it */
    ngx_http_ors_ctx_t         *ctx;
    ngx_ors_client_event_t     *event;      /* NULL: the turn has ended */
    ngx_chain_t                *in;         /* events not taken yet */
    ngx_str_t                   members;    /* of each message */

    unsigned                    terminal:1; /* its last event was sent */
};


/* 1 if no output is asked for: see ngx_ors_turn_warm() */
#define ngx_http_ors_ws_warm(ctx)                                             \
    ((ctx)->message->event && (ctx)->message->event->warm)

/* 1 if so much waits for the client that nothing should be appended */
#define ngx_http_ors_ws_full(ws)  ngx_ors_queue_full(&(ws)->pump.queue)


#if (NGX_ORS_WITHOUT_WEBSOCKET)

/* "open_responses_websocket on" is refused: there is no connection */

#define ngx_http_ors_ws_handler(r, endpoint, begin)                           \
    ((void) (begin), NGX_HTTP_NOT_IMPLEMENTED)
#define ngx_http_ors_ws_prepare(ctx)
#define ngx_http_ors_ws_output(ctx)        NGX_OK

#else

/*
 * Serves the handshake "r" at "endpoint"; its turns begin with "begin".
 * Returns what a content handler returns.
 */
ngx_int_t ngx_http_ors_ws_handler(ngx_http_request_t *r,
    const ngx_ors_endpoint_t *endpoint, ngx_http_ors_begin_pt begin);

/* The connection of a handshake that was answered. */
ngx_http_ors_ws_t *ngx_http_ors_ws_of(ngx_http_request_t *r);

/*
 * Appends the close frame with "code".  Turns that run are ended: they are of
 * no use to the client.
 */
void ngx_http_ors_ws_close(ngx_http_ors_ws_t *ws, ngx_uint_t code);

/* Ends the connection and its turns, and finalizes its request. */
void ngx_http_ors_ws_finalize(ngx_http_ors_ws_t *ws, ngx_int_t rc);


/* Reads what the client has sent: the read event handler of the request. */
void ngx_http_ors_ws_read_handler(ngx_http_request_t *r);


/*
 * Sees to it that ws->work runs: it sends what was appended, and begins turns.
 */
void ngx_http_ors_ws_post(ngx_http_ors_ws_t *ws);

/*
 * Appends the message of an error, see ngx_ors_client_event_error().  "lane"
 * and "retry" may be NULL.
 */
void ngx_http_ors_ws_error(ngx_http_ors_ws_t *ws, ngx_ors_error_t *err,
    ngx_str_t *lane, ngx_str_t *retry, ngx_pool_t *pool);

/* Begins the turn of "ev", which is released when it has ended. */
void ngx_http_ors_ws_turn(ngx_http_ors_ws_t *ws, ngx_ors_client_event_t *ev);

/* Sets what a turn knows of its transport, when it has been made. */
void ngx_http_ors_ws_prepare(ngx_http_ors_ctx_t *ctx);

/* Lets turns go on that had to wait for a slow client. */
void ngx_http_ors_ws_turns_wake(ngx_http_ors_ws_t *ws);

/* Ends all turns and their calls. */
void ngx_http_ors_ws_turns_end(ngx_http_ors_ws_t *ws);

/*
 * Sends what the turn has for the client, in place of ngx_http_ors_output().
 * NGX_OK, NGX_AGAIN: it waits for the client, or NGX_ERROR.
 */
ngx_int_t ngx_http_ors_ws_output(ngx_http_ors_ctx_t *ctx);

#endif


#endif /* _NGX_HTTP_ORS_WS_H_INCLUDED_ */
