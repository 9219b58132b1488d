
/*
 * The lanes of a WebSocket: which turn runs when, and what the connection has
 * in memory of the newest response of each lane.  A pure machine.
 */


#ifndef _NGX_ORS_LANES_H_INCLUDED_
#define _NGX_ORS_LANES_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_client_event.h>


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

/* 1 if nothing runs or waits. */
#define ngx_ors_lanes_idle(lanes)                                             \
    ((lanes)->running == 0 && (lanes)->nwaiting == 0)


#endif /* _NGX_ORS_LANES_H_INCLUDED_ */
