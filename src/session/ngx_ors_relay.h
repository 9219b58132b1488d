
/*
 * A WebSocket between a client and a server that speak the Responses API:
 * messages of the client are validated as requests, those of the server as
 * events, and what is not valid does not pass.  A pure machine.
 */


#ifndef _NGX_ORS_RELAY_H_INCLUDED_
#define _NGX_ORS_RELAY_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_lanes.h>
#include <ngx_ors_request.h>
#include <ngx_ors_verify.h>
#include <ngx_ors_ws.h>


/* what a user of the machine learns; "data" is relay->data */

typedef struct {
    /* a request was checked: err->status is 0, or it is refused */
    void  (*request)(void *data, ngx_ors_request_t *req,
        ngx_ors_error_t *err);

    /* a turn is over */
    void  (*answer)(void *data, ngx_ors_verify_t *verify);
} ngx_ors_relay_handler_t;


typedef struct {
    /* set by the caller; borrowed, they live as long */
    const ngx_ors_endpoint_t       *endpoint;
    ngx_ors_policy_t               *policy;
    ngx_ors_limits_t               *limits;
    ngx_str_t                      *model;     /* for the server, or empty */
    const ngx_ors_relay_handler_t  *handler;
    void                           *data;
    ngx_pool_t                     *pool;
    size_t                          message;   /* bytes of a client's one */
    ngx_uint_t                      queue;     /* requests that may wait */
    unsigned                        requests:1;  /* are validated */
    unsigned                        answers:1;
    unsigned                        report:1;  /* violations only count */
    unsigned                        named:1;   /* "stream_id" names lanes */

    /* to be sent */
    ngx_ors_out_t                   up;        /* to the server */
    ngx_ors_out_t                   down;      /* to the client */

    /* private */
    ngx_ors_ws_t                   *client;    /* reads of it */
    ngx_ors_ws_t                   *server;
    ngx_ors_lanes_t                 lanes;
    unsigned                        left:1;    /* the client has closed */
    unsigned                        ended:1;   /* the server has */
} ngx_ors_relay_t;


/* Prepares a relay.  NGX_OK or NGX_ERROR. */
ngx_int_t ngx_ors_relay_init(ngx_ors_relay_t *relay);

/*
 * Reads bytes of the client, or of the server; "b" is used up.  What goes to
 * the other end is appended to "up" or "down", and a message that refuses a
 * request to "down".  A turn in which the server violates the schema ends with
 * one message, and its rest is passed over.
 *
 * NGX_OK      go on
 * NGX_DONE    the connections end after what was appended has been sent: an
 *             end has broken a rule of frames
 * NGX_ERROR   no memory
 */
ngx_int_t ngx_ors_relay_client(ngx_ors_relay_t *relay, ngx_buf_t *b);
ngx_int_t ngx_ors_relay_server(ngx_ors_relay_t *relay, ngx_buf_t *b);

/*
 * The server has closed its connection: each turn that runs ends with one
 * message.  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_ors_relay_cut(ngx_ors_relay_t *relay);


#endif /* _NGX_ORS_RELAY_H_INCLUDED_ */
