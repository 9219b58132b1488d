
/*
 * The lanes of a WebSocket: which turn runs when, and what the connection has
 * in memory of the newest response of each lane.  A pure machine.
 */


#ifndef _NGX_ORS_LANES_H_INCLUDED_
#define _NGX_ORS_LANES_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_error.h>
#include <ngx_ors_json.h>
#include <ngx_ors_text.h>


/*
 * Events of a WebSocket's client (protocol, section 13): an event is
 * read, and becomes the body of a request, an answer, or nothing.
 */

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


/* named lanes in the life of a connection, and turns that run at once */
#define NGX_ORS_LANES_MAX      32
#define NGX_ORS_LANES_RUNNING  16


/* the newest response of a lane, if it is not stored */

typedef struct {
    ngx_str_t           id;           /* empty: there is none */
    ngx_str_t           items;        /* with commas between them */
    ngx_uint_t          nitems;
    u_char             *data;         /* of both */
} ngx_ors_lane_cache_t;


typedef struct {
    ngx_str_t                name;    /* empty: the default lane */
    ngx_ors_lane_cache_t     cache;
    ngx_ors_client_event_t  *running; /* NULL: the lane waits */
} ngx_ors_lane_t;


typedef struct {
    ngx_ors_lane_t      lanes[NGX_ORS_LANES_MAX + 1];  /* 0: the default */
    ngx_uint_t          n;
    ngx_uint_t          running;
    ngx_queue_t         waiting;      /* of ngx_ors_client_event_t */
    ngx_uint_t          nwaiting;
    ngx_uint_t          queue;        /* events that may wait */
    size_t              size;         /* bytes of all caches */
    size_t              held;         /* ... of their copies that run */
    ngx_pool_t         *pool;
    unsigned            over:1;       /* no new turn begins */
} ngx_ors_lanes_t;

/* 1 if nothing runs or waits. */
#define ngx_ors_lanes_idle(lanes)                                             \
    ((lanes)->running == 0 && (lanes)->nwaiting == 0)


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

/*
 * Prepares a connection's lanes; "queue" events may wait.  What is in memory
 * is released with "pool".  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_ors_lanes_init(ngx_ors_lanes_t *lanes, ngx_uint_t queue,
    ngx_pool_t *pool);

/*
 * Takes an event of type ngx_ors_client_create, which is borrowed until its
 * turn is done.  One that has to wait keeps its text alone: as a tree, it would
 * take some eight times the memory.
 *
 * NGX_OK         it waits: see ngx_ors_lanes_next()
 * NGX_DECLINED   it was refused, ev->error says why
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_lanes_add(ngx_ors_lanes_t *lanes,
    ngx_ors_client_event_t *ev);

/*
 * The next event that may run: its lane is free, and not too many run.  From
 * here on its turn runs.  NULL: there is none.
 */
ngx_ors_client_event_t *ngx_ors_lanes_next(ngx_ors_lanes_t *lanes);

/* The cached response with this id, of any lane, or NULL. */
ngx_ors_lane_cache_t *ngx_ors_lanes_find(ngx_ors_lanes_t *lanes,
    ngx_str_t *id);

/*
 * The turn of "ev" has ended with the response "id", which is stored
 * elsewhere, or whose context is a copy of "items".  What its lane had is
 * gone.  NGX_OK, or NGX_ERROR: no memory, the response cannot be continued.
 */
ngx_int_t ngx_ors_lanes_done(ngx_ors_lanes_t *lanes,
    ngx_ors_client_event_t *ev, ngx_str_t *id, ngx_str_t *items,
    ngx_uint_t nitems);

/*
 * The turn of "ev" has failed: the response it continued is gone, if it
 * was of the same lane.
 */
void ngx_ors_lanes_failed(ngx_ors_lanes_t *lanes, ngx_ors_client_event_t *ev);

/* The response "id" cannot be continued any more. */
void ngx_ors_lanes_drop(ngx_ors_lanes_t *lanes, ngx_str_t *id);

/* Fills "err" for a connection that has reached its life time. */
void ngx_ors_lanes_over(ngx_ors_error_t *err, ngx_pool_t *pool);


#endif /* _NGX_ORS_LANES_H_INCLUDED_ */
