
/* A turn of a relay, which its two sides share. */


#ifndef _NGX_ORS_RELAY_TURN_H_INCLUDED_
#define _NGX_ORS_RELAY_TURN_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_relay.h>


/* lives in the pool of its event, the client's message */

typedef struct {
    ngx_ors_client_event_t   event;      /* the first member */
    ngx_str_t                members;    /* of each message of a named lane */
    ngx_str_t                body;       /* as that of a POST */
    ngx_ors_request_t        request;
    ngx_ors_answer_t         answer;
    ngx_ors_verify_t         verify;
    ngx_ors_out_t            out;        /* events that pass */

    unsigned                 valid:1;    /* "request" was read */
    unsigned                 ended:1;    /* the client has its last message */
} ngx_ors_relay_turn_t;


/*
 * Appends the message of "err" for the client, in the lane "name", which may be
 * empty.  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_ors_relay_error(ngx_ors_relay_t *relay, ngx_ors_error_t *err,
    ngx_str_t *name, ngx_pool_t *pool);

/* The turn that a lane runs, NULL: none. */

static ngx_inline ngx_ors_relay_turn_t *
ngx_ors_relay_running(ngx_ors_lane_t *lane)
{
    return lane->running ? ngx_queue_data(lane->running, ngx_ors_relay_turn_t,
                                          event)
                         : NULL;
}


#endif /* _NGX_ORS_RELAY_TURN_H_INCLUDED_ */
