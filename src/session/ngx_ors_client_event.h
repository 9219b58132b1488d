
/*
 * Events of a WebSocket's client (protocol, section 13): an event is
 * read, and becomes the body of a request, an answer, or nothing.
 */


#ifndef _NGX_ORS_CLIENT_EVENT_H_INCLUDED_
#define _NGX_ORS_CLIENT_EVENT_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_error.h>
#include <ngx_ors_json.h>
#include <ngx_ors_text.h>


typedef enum {
    ngx_ors_client_create = 0,      /* a turn */
    ngx_ors_client_steer,           /* to be answered: cannot be done here */
    ngx_ors_client_ignored,
    ngx_ors_client_refused          /* "error" says why */
} ngx_ors_client_event_e;


typedef struct {
    ngx_ors_client_event_e   type;
    ngx_ors_error_t          error;
    ngx_str_t                text;
    ngx_ors_json_t           json;        /* of "text" */
    ngx_str_t                lane;        /* "stream_id", or empty */
    ngx_str_t                previous;    /* the id to continue, or empty */
    ngx_uint_t               prior;       /* items that body() has put first */
    size_t                   held;        /* bytes of "context" in a turn */
    ngx_queue_t              queue;       /* of those that wait */
    ngx_pool_t              *pool;
    unsigned                 warm:1;      /* no output is asked for */
} ngx_ors_client_event_t;


/*
 * Reads "text", which is borrowed: it must stay as it is while "ev" is used.
 * Nodes and texts come from "pool"; depth and nodes of the document are
 * limited.  Without "lanes" a "stream_id" is refused.
 *
 * NGX_OK         "ev" is filled, ev->type says what it is
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_client_event_read(ngx_ors_client_event_t *ev,
    ngx_str_t *text, ngx_uint_t depth, ngx_uint_t nodes, ngx_uint_t lanes,
    ngx_pool_t *pool);

/*
 * Gives the nodes of "ev" back: its turn has to wait, or has its body.  The
 * text stays, and is read again if a body is made of it.
 */
void ngx_ors_client_event_forget(ngx_ors_client_event_t *ev);

/*
 * Makes the body of POST responses for a turn, from "pool": without what
 * belongs to the transport, as a stream.  With "context", items with commas
 * between them of which there are "prior", these precede the input and the id
 * of the previous response is left out.  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_ors_client_event_body(ngx_ors_client_event_t *ev,
    ngx_str_t *context, ngx_uint_t prior, ngx_pool_t *pool, ngx_str_t *body);

/*
 * Makes "err" speak of what the client has sent: a position in the input is
 * counted without the items of the context.
 */
void ngx_ors_client_event_param(ngx_ors_client_event_t *ev,
    ngx_ors_error_t *err);

/*
 * Appends the message of an error; "retry" is the value of "retry-after", or
 * empty: that of "err", if it has one; "lane" is the turn's, or empty.
 */
void ngx_ors_client_event_error(ngx_ors_out_t *out, ngx_ors_error_t *err,
    ngx_str_t *lane, ngx_str_t *retry);

/* Appends the answer to an event of type ngx_ors_client_steer. */
void ngx_ors_client_event_steer(ngx_ors_out_t *out,
    ngx_ors_client_event_t *ev);


#endif /* _NGX_ORS_CLIENT_EVENT_H_INCLUDED_ */
