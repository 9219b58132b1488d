
/*
 * Turns of the background: they run in a request without a client, see
 * ngx_http_ors_detach.h, and what becomes of them is stored.
 *
 * There are up to three entries of such a turn: its record, a lease that is
 * there while some worker runs it, and a mark when it is to be ended, see
 * NGX_ORS_KEY_CANCELLED.
 */


#ifndef _NGX_HTTP_ORS_BACKGROUND_H_INCLUDED_
#define _NGX_HTTP_ORS_BACKGROUND_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>
#include <ngx_ors_background.h>


/* how often it is looked whether a turn is to be ended, ms */
#define NGX_HTTP_ORS_BACKGROUND_TICK  1000

/* ticks for which it is tried to store the end of a turn */
#define NGX_HTTP_ORS_BACKGROUND_TRIES  300


typedef enum {
    ngx_http_ors_background_st_new = 0,
    ngx_http_ors_background_st_record,  /* its first record is being stored */
    ngx_http_ors_background_st_run,
    ngx_http_ors_background_st_end      /* its last one is */
} ngx_http_ors_background_state_e;


struct ngx_http_ors_background_s {
    ngx_http_ors_background_state_e   state;
    ngx_http_ors_ctx_t               *ctx;
    ngx_http_ors_ctx_t               *client;   /* that waits, or NULL */
    ngx_http_ors_main_conf_t         *omcf;
    ngx_queue_t                       queue;    /* of omcf->background */

    ngx_ors_background_t              entries;  /* in the store */

    ngx_event_t                       timer;
    ngx_ors_store_job_t              *job;
    ngx_msec_t                        started;
    ngx_msec_t                        renewed;
    ngx_uint_t                        tries;    /* to store its end */
    ngx_ors_record_status_e           status;   /* to be stored */

    unsigned                          looked:1; /* no cancel flag was found */
    unsigned                          ended:1;  /* its end is stored */
    unsigned                          deleted:1;    /* ... or not wanted */
};


/* ngx_http_ors_background_start.c */

/*
 * Tells the client that waits, if there is one: "response", or the error.
 */
void ngx_http_ors_background_tell(ngx_http_ors_background_t *bg,
    ngx_str_t *response, ngx_ors_error_t *err);


/* ngx_http_ors_background_limit.c */

/*
 * Checks that one more response may run in the background.  NGX_OK, NGX_DONE:
 * a limit is reached, and the turn of "ctx" has failed; NGX_ERROR.
 */
ngx_int_t ngx_http_ors_background_limit(ngx_http_ors_ctx_t *ctx);


/* ngx_http_ors_background.c */

/* What comes next for the turn, as a handler of bg->timer. */
void ngx_http_ors_background_timer(ngx_event_t *ev);

/* Deletes the turn's entries in the store, with "record" its record, too. */
void ngx_http_ors_background_forget(ngx_http_ors_background_t *bg,
    ngx_uint_t record);

/* Logs that the turn cannot be stored. */
void ngx_http_ors_background_lost(ngx_http_ors_background_t *bg,
    ngx_ors_store_status_e status);

/* A cleanup handler: the request has ended. */
void ngx_http_ors_background_cleanup(void *data);


/* ngx_http_ors_background_start.c */

/*
 * Called before the first call: a turn that is to run in the background, and
 * whose target is known from the configuration, leaves its client.
 *
 * NGX_OK         the target may be called, the call settles the rest
 * NGX_AGAIN      the turn runs elsewhere, its client waits
 * NGX_DONE       the turn has failed
 * NGX_ERROR      it cannot be begun
 */
ngx_int_t ngx_http_ors_background_early(ngx_http_ors_ctx_t *ctx);

/*
 * Called when the turn has been settled: the same for any turn.
 *
 * NGX_OK         it is none, or this is where it runs
 * NGX_AGAIN      it runs elsewhere, a subrequest of its client will end
 * NGX_DONE       the turn has failed
 * NGX_ERROR      it cannot be begun
 */
ngx_int_t ngx_http_ors_background_begin(ngx_http_ors_ctx_t *ctx);

/*
 * The target of a turn that runs without its client can be called: its client
 * is told before.  NGX_OK, NGX_AGAIN: the subrequest will go on, NGX_ERROR.
 */
ngx_int_t ngx_http_ors_background_ready(ngx_http_ors_ctx_t *ctx);


/* ngx_http_ors_background_limit.c */

/* Handler of the directive "open_responses_background". */
char *ngx_http_ors_background_set(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);

/*
 * Warns of limits that "worker_connections" cannot bear, when all of the
 * configuration is known.  NGX_OK.
 */
ngx_int_t ngx_http_ors_background_check(ngx_cycle_t *cycle);


/* ngx_http_ors_background.c */

/* In place of sending what the turn has to say; "ctx" may be gone then. */
void ngx_http_ors_background_run(ngx_http_ors_ctx_t *ctx);

/*
 * The turn is about to be stored.  NGX_OK, or NGX_AGAIN: it is being asked
 * whether somebody wants it to be cancelled, the turn will go on.
 */
ngx_int_t ngx_http_ors_background_final(ngx_http_ors_ctx_t *ctx);

#endif /* _NGX_HTTP_ORS_BACKGROUND_H_INCLUDED_ */
