
/*
 * The life of a background response, from the request that has left its client
 * to the end that is stored.  A pure machine: events and finished jobs of a
 * store go in, what is to be done comes out.
 */


#ifndef _NGX_ORS_BACKGROUND_H_INCLUDED_
#define _NGX_ORS_BACKGROUND_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_session.h>


/* ms between two ticks, and between two renewals of the lease */
#define NGX_ORS_BACKGROUND_TICK   1000
#define NGX_ORS_BACKGROUND_RENEW  5000

/* how often the end of a turn is tried to be stored, once a tick */
#define NGX_ORS_BACKGROUND_TRIES  300


typedef enum {
    ngx_ors_background_st_queued = 0,   /* nothing is stored yet */
    ngx_ors_background_st_record,       /* a job stores the first record */
    ngx_ors_background_st_run,          /* the turn runs, or is committed */
    ngx_ors_background_st_store,        /* a failure, or a cancelled turn, is */
                                        /* being stored */
    ngx_ors_background_st_check,        /* its end is stored: a job looks */
                                        /* whether it was deleted meanwhile */
    ngx_ors_background_st_over
} ngx_ors_background_state_e;

#define NGX_ORS_BACKGROUND_STATES  (ngx_ors_background_st_over + 1)


typedef enum {
    ngx_ors_background_ev_tick = 0,     /* the timer */
    ngx_ors_background_ev_ready,        /* the target can be called */
    ngx_ors_background_ev_commit,       /* the turn waits to be stored */
    ngx_ors_background_ev_end,          /* the turn is over */
    ngx_ors_background_ev_done,         /* bg->job is done */
    ngx_ors_background_ev_leave,        /* the client that waits has left */
    ngx_ors_background_ev_close         /* the request is being ended */
} ngx_ors_background_event_e;

#define NGX_ORS_BACKGROUND_EVENTS  (ngx_ors_background_ev_close + 1)


/* actions for the caller, in this order */

#define NGX_ORS_BACKGROUND_BEGIN    0x001   /* the target is called */
#define NGX_ORS_BACKGROUND_CANCEL   0x002   /* the call is ended */
#define NGX_ORS_BACKGROUND_POST     0x004   /* bg->job is posted */
#define NGX_ORS_BACKGROUND_SEND     0x008   /* bg->unwatched is posted, no */
/* handler waits for its end */
#define NGX_ORS_BACKGROUND_ANSWER   0x010   /* the client that waits gets */
/* bg->response, or without it */
/* the turn's error */
#define NGX_ORS_BACKGROUND_WAIT     0x020   /* a tick comes later */
#define NGX_ORS_BACKGROUND_CALL     0x040   /* the call goes on */
#define NGX_ORS_BACKGROUND_COMMIT   0x080   /* the turn may be committed */
#define NGX_ORS_BACKGROUND_ADVANCE  0x100   /* the turn goes on */
#define NGX_ORS_BACKGROUND_END      0x200   /* the request is ended */
#define NGX_ORS_BACKGROUND_ERROR    0x400   /* no memory, or out of turn */


typedef struct {
    ngx_ors_background_state_e  state;
    ngx_ors_session_t          *session;    /* borrowed */
    ngx_log_t                  *log;        /* the same */

    ngx_ors_store_key_t         record;     /* its entries in the store */
    ngx_ors_store_key_t         lease;
    ngx_ors_store_key_t         flag;

    ngx_ors_store_job_t        *job;        /* to be posted, or posted */
    ngx_ors_store_job_t        *unwatched;
    ngx_str_t                   response;   /* the answer to the client */

    ngx_msec_t                  timeout;    /* for the turn to end, ms */
    ngx_msec_t                  started;
    ngx_msec_t                  renewed;
    ngx_msec_t                  progress;   /* between two of its records */
    ngx_msec_t                  recorded;   /* when that was */
    size_t                      noted;      /* of its journal are stored */
    ngx_uint_t                  tries;      /* to store its end */
    ngx_ors_record_status_e     status;     /* to be stored */

    unsigned                    waits:1;    /* a client does */
    unsigned                    looked:1;   /* no flag was found */
    unsigned                    deleted:1;  /* the client wants no record */
} ngx_ors_background_t;


/*
 * Jobs of a background response: up to three entries of a store are its own,
 * its record, a lease that is there while some worker runs it, and a flag when
 * a client wants it to end, see NGX_ORS_KEY_CANCELLED.
 */


/* seconds after which a worker that has not renewed its lease is lost */
#define NGX_ORS_BACKGROUND_LEASE  20


/* a client's wish since the record */

typedef enum {
    ngx_ors_background_go_on = 0,
    ngx_ors_background_cancelled,
    ngx_ors_background_deleted
} ngx_ors_background_wish_e;


/*
 * How many background responses may run in a worker, in all and for one scope,
 * and "open_responses_background", which sets that.
 */

typedef struct {
    ngx_uint_t                 all;       /* unset: by the connections */
    ngx_uint_t                 scope;     /* of one scope, unset: a part of */
                                          /* "all" */
    ngx_msec_t                 timeout;   /* of one response, ms */
    ngx_msec_t                 progress;  /* between two records of a stream */
} ngx_ors_background_limit_t;


/* load of a worker */

typedef struct {
    ngx_uint_t                 running;
    ngx_uint_t                 of_scope;  /* those of the client's scope */
    ngx_uint_t                 connections;
    ngx_uint_t                 free;      /* connections that can be taken */
} ngx_ors_background_load_t;


/*
 * Prepares "bg", zeroed, for a client that waits, with the times of "limit":
 * the turn of "session" has to end within one of them once it runs.
 */
void ngx_ors_background_init(ngx_ors_background_t *bg,
    ngx_ors_session_t *session, ngx_ors_background_limit_t *limit);

/*
 * Takes one step: what is to be done, or 0.  Of ngx_ors_background_ev_done the
 * caller releases the job, when it has done what is asked.  Whatever comes
 * after NGX_ORS_BACKGROUND_END is ignored.
 */
ngx_uint_t ngx_ors_background_step(ngx_ors_background_t *bg,
    ngx_ors_background_event_e event);

/* The names of states and events, by their values. */
extern char  *ngx_ors_background_states[NGX_ORS_BACKGROUND_STATES];
extern char  *ngx_ors_background_events[NGX_ORS_BACKGROUND_EVENTS];

ngx_ors_store_job_t *ngx_ors_background_look(ngx_ors_background_t *bg);

/*
 * "open_responses_background [limit=NUMBER] [scope=NUMBER] [timeout=TIME]
 * [progress=TIME]": cmd->offset is that of an ngx_ors_background_limit_t in
 * "conf".
 */
char *ngx_ors_background_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

/* Sets "limit" to "not configured"; takes from "prev" what is so. */
void ngx_ors_background_limit_init(ngx_ors_background_limit_t *limit);
void ngx_ors_background_limit_merge(ngx_ors_background_limit_t *limit,
    ngx_ors_background_limit_t *prev);

/*
 * Checks that one more response may run.  NGX_OK, or NGX_DONE: it may not, the
 * turn has failed, and "log" has a line that says why.
 */
ngx_int_t ngx_ors_background_admit(ngx_ors_session_t *session,
    ngx_ors_background_limit_t *limit, ngx_ors_background_load_t *load,
    ngx_log_t *log);

/*
 * Checks that a request without a client's connection may begin: it takes
 * two, its own and one to an upstream, and an eighth of all is left to
 * clients.  NGX_OK, or NGX_BUSY: "log" has a line that says why.
 */
ngx_int_t ngx_ors_background_reserve(ngx_ors_background_load_t *load,
    ngx_log_t *log);


#endif /* _NGX_ORS_BACKGROUND_H_INCLUDED_ */
