
/*
 * Copyright (C) Open Responses contributors
 */


/* The states of a background response, and what each event means in them. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_background_jobs.h>
#include <ngx_ors_session_error.h>
#include <ngx_ors_session_record.h>


typedef ngx_uint_t (*ngx_ors_background_pt)(ngx_ors_background_t *bg);


static ngx_uint_t ngx_ors_background_call(ngx_ors_background_t *bg);
static ngx_uint_t ngx_ors_background_begin(ngx_ors_background_t *bg);
static ngx_uint_t ngx_ors_background_refuse(ngx_ors_background_t *bg);
static ngx_uint_t ngx_ors_background_leave(ngx_ors_background_t *bg);
static ngx_uint_t ngx_ors_background_began(ngx_ors_background_t *bg);
static ngx_uint_t ngx_ors_background_tick(ngx_ors_background_t *bg);
static ngx_uint_t ngx_ors_background_timeout(ngx_ors_background_t *bg);
static ngx_uint_t ngx_ors_background_commit(ngx_ors_background_t *bg);
static ngx_uint_t ngx_ors_background_ended(ngx_ors_background_t *bg);
static ngx_uint_t ngx_ors_background_looked(ngx_ors_background_t *bg);
static ngx_uint_t ngx_ors_background_stop(ngx_ors_background_t *bg,
    ngx_ors_record_status_e status);
static ngx_uint_t ngx_ors_background_again(ngx_ors_background_t *bg);
static ngx_uint_t ngx_ors_background_write(ngx_ors_background_t *bg);
static ngx_uint_t ngx_ors_background_stored(ngx_ors_background_t *bg);
static ngx_uint_t ngx_ors_background_finish(ngx_ors_background_t *bg);
static ngx_uint_t ngx_ors_background_checked(ngx_ors_background_t *bg);
static ngx_uint_t ngx_ors_background_quit(ngx_ors_background_t *bg);
static ngx_uint_t ngx_ors_background_abandon(ngx_ors_background_t *bg);
static ngx_uint_t ngx_ors_background_error(ngx_ors_background_t *bg);
static ngx_uint_t ngx_ors_background_end(ngx_ors_background_t *bg,
    ngx_uint_t record);
static ngx_ors_store_job_t *ngx_ors_background_job(ngx_ors_background_t *bg);
static void ngx_ors_background_lost(ngx_ors_background_t *bg,
    ngx_ors_store_status_e status);


char  *ngx_ors_background_states[NGX_ORS_BACKGROUND_STATES] = {
    "queued", "record", "run", "store", "check", "over"
};


char  *ngx_ors_background_events[NGX_ORS_BACKGROUND_EVENTS] = {
    "tick", "ready", "commit", "end", "job done", "leave", "close"
};


/* NULL: nothing is to be done */

static const ngx_ors_background_pt
    ngx_ors_background_machine[NGX_ORS_BACKGROUND_STATES]
                              [NGX_ORS_BACKGROUND_EVENTS] = {

    /* queued */
    { ngx_ors_background_call, ngx_ors_background_begin, NULL,
      ngx_ors_background_refuse, NULL, ngx_ors_background_leave,
      ngx_ors_background_abandon },

    /* record: one whose client leaves is deleted once it is stored */
    { NULL, NULL, NULL,
      ngx_ors_background_refuse, ngx_ors_background_began,
      ngx_ors_background_leave, ngx_ors_background_abandon },

    /* run */
    { ngx_ors_background_tick, ngx_ors_background_call,
      ngx_ors_background_commit, ngx_ors_background_ended,
      ngx_ors_background_looked, NULL, ngx_ors_background_abandon },

    /* store */
    { ngx_ors_background_again, ngx_ors_background_error, NULL,
      NULL, ngx_ors_background_stored, NULL, ngx_ors_background_abandon },

    /* check */
    { NULL, ngx_ors_background_error, NULL,
      NULL, ngx_ors_background_checked, NULL, ngx_ors_background_quit },

    /* over */
    { NULL, ngx_ors_background_error, NULL, NULL, NULL, NULL, NULL }
};


void
ngx_ors_background_init(ngx_ors_background_t *bg, ngx_ors_session_t *session,
    ngx_msec_t timeout)
{
    bg->session = session;
    bg->log = session->log;
    bg->timeout = timeout;
    bg->waits = 1;
}


ngx_uint_t
ngx_ors_background_step(ngx_ors_background_t *bg,
    ngx_ors_background_event_e event)
{
    ngx_uint_t                  todo;
    ngx_ors_background_pt       handler;
    ngx_ors_background_state_e  state;

    state = bg->state;
    handler = ngx_ors_background_machine[state][event];
    todo = handler ? handler(bg) : 0;

    if (todo & NGX_ORS_BACKGROUND_ANSWER) {
        bg->waits = 0;
    }

    if (todo & NGX_ORS_BACKGROUND_END) {
        bg->state = ngx_ors_background_st_over;
    }

    ngx_log_debug4(NGX_LOG_DEBUG_HTTP, bg->log, 0,
                   "ors background %s: %s, is %s, to do %xi",
                   ngx_ors_background_states[state],
                   ngx_ors_background_events[event],
                   ngx_ors_background_states[bg->state], todo);

    return todo;
}


static ngx_uint_t
ngx_ors_background_call(ngx_ors_background_t *bg)
{
    return (bg->state == ngx_ors_background_st_queued)
           ? NGX_ORS_BACKGROUND_BEGIN : NGX_ORS_BACKGROUND_CALL;
}


static ngx_uint_t
ngx_ors_background_begin(ngx_ors_background_t *bg)
{
    if (ngx_ors_background_keys(bg) != NGX_OK) {
        return NGX_ORS_BACKGROUND_ERROR;
    }

    bg->job = ngx_ors_background_first(bg);
    if (bg->job == NULL) {
        return NGX_ORS_BACKGROUND_ERROR;
    }

    bg->state = ngx_ors_background_st_record;

    return NGX_ORS_BACKGROUND_POST;
}


/* the turn has failed before a client knew of it: nothing is stored */

static ngx_uint_t
ngx_ors_background_refuse(ngx_ors_background_t *bg)
{
    ngx_str_null(&bg->response);

    return NGX_ORS_BACKGROUND_END
           | (bg->waits ? NGX_ORS_BACKGROUND_ANSWER : 0);
}


static ngx_uint_t
ngx_ors_background_leave(ngx_ors_background_t *bg)
{
    bg->waits = 0;

    return (bg->state == ngx_ors_background_st_queued)
           ? NGX_ORS_BACKGROUND_END : 0;
}


static ngx_uint_t
ngx_ors_background_began(ngx_ors_background_t *bg)
{
    ngx_ors_store_job_t  *job;

    job = ngx_ors_background_job(bg);

    if (!bg->waits) {

        /* no client has its id */

        return ngx_ors_background_end(bg, 1);
    }

    if (job->status != ngx_ors_store_ok) {
        ngx_ors_background_lost(bg, job->status);

        (void) ngx_ors_session_unstored(bg->session, job->status,
                                        "background");

        /* the call ends, and with it the turn */

        bg->state = ngx_ors_background_st_queued;

        return NGX_ORS_BACKGROUND_CALL;
    }

    if (ngx_ors_background_response(bg) != NGX_OK) {
        return NGX_ORS_BACKGROUND_ERROR;
    }

    bg->state = ngx_ors_background_st_run;
    bg->started = ngx_current_msec;
    bg->renewed = ngx_current_msec;

    return NGX_ORS_BACKGROUND_ANSWER|NGX_ORS_BACKGROUND_WAIT
           |NGX_ORS_BACKGROUND_CALL;
}


static ngx_uint_t
ngx_ors_background_tick(ngx_ors_background_t *bg)
{
    ngx_uint_t          todo;
    ngx_ors_session_t  *session;

    session = bg->session;
    todo = NGX_ORS_BACKGROUND_WAIT;

    if (ngx_current_msec - bg->renewed >= NGX_ORS_BACKGROUND_RENEW) {
        bg->renewed = ngx_current_msec;
        bg->unwatched = ngx_ors_background_renew(bg);

        if (bg->unwatched) {
            todo |= NGX_ORS_BACKGROUND_SEND;
        }
    }

    if (session->turn->state == ngx_ors_turn_st_commit) {

        /* the session waits to be committed again */

        return (session->state == ngx_ors_session_st_ready)
               ? todo | NGX_ORS_BACKGROUND_ADVANCE : todo;
    }

    if (ngx_current_msec - bg->started >= bg->timeout) {
        return todo | ngx_ors_background_timeout(bg);
    }

    if (bg->job) {
        return todo;
    }

    bg->job = ngx_ors_background_look(bg);

    return bg->job ? todo | NGX_ORS_BACKGROUND_POST : todo;
}


static ngx_uint_t
ngx_ors_background_timeout(ngx_ors_background_t *bg)
{
    ngx_ors_turn_t  *turn;

    turn = bg->session->turn;

    ngx_log_error(NGX_LOG_ERR, bg->log, 0,
                  "a response in the background has taken too long");

    (void) ngx_ors_error_set(&turn->error, turn->pool,
                             ngx_ors_code_upstream_timeout,
                             "the response has taken longer than it may");
    turn->error.class = ngx_ors_class_limit;

    turn->retries_left = 0;

    (void) ngx_ors_turn_fail(turn);

    return NGX_ORS_BACKGROUND_CANCEL|NGX_ORS_BACKGROUND_ADVANCE;
}


/* a client may have asked for its end since the last tick */

static ngx_uint_t
ngx_ors_background_commit(ngx_ors_background_t *bg)
{
    if (bg->looked) {
        return NGX_ORS_BACKGROUND_COMMIT;
    }

    if (bg->job) {
        return 0;
    }

    bg->job = ngx_ors_background_look(bg);

    return bg->job ? NGX_ORS_BACKGROUND_POST : NGX_ORS_BACKGROUND_COMMIT;
}


static ngx_uint_t
ngx_ors_background_ended(ngx_ors_background_t *bg)
{
    return bg->session->turn->error.status
           ? ngx_ors_background_stop(bg, ngx_ors_record_failed)
           : ngx_ors_background_finish(bg);
}


/* a store that cannot be read now is asked again, or waited for later */

static ngx_uint_t
ngx_ors_background_looked(ngx_ors_background_t *bg)
{
    ngx_ors_background_wish_e  wish;

    wish = ngx_ors_background_wish(ngx_ors_background_job(bg));

    if (wish != ngx_ors_background_go_on) {
        bg->deleted = (wish == ngx_ors_background_deleted);
        return ngx_ors_background_stop(bg, ngx_ors_record_cancelled);
    }

    if (bg->session->turn->state != ngx_ors_turn_st_commit) {
        return 0;
    }

    bg->looked = 1;

    return NGX_ORS_BACKGROUND_ADVANCE;
}


/* the end of a turn that was not committed */

static ngx_uint_t
ngx_ors_background_stop(ngx_ors_background_t *bg,
    ngx_ors_record_status_e status)
{
    ngx_ors_turn_t  *turn;

    turn = bg->session->turn;

    turn->state = ngx_ors_turn_st_over;

    if (status == ngx_ors_record_cancelled) {
        turn->response.status = ngx_ors_response_cancelled;
    }

    if (bg->deleted) {
        return NGX_ORS_BACKGROUND_CANCEL | ngx_ors_background_end(bg, 1);
    }

    bg->state = ngx_ors_background_st_store;
    bg->status = status;
    bg->tries = 0;

    return NGX_ORS_BACKGROUND_CANCEL | ngx_ors_background_write(bg);
}


static ngx_uint_t
ngx_ors_background_again(ngx_ors_background_t *bg)
{
    return bg->job ? 0 : ngx_ors_background_write(bg);
}


static ngx_uint_t
ngx_ors_background_write(ngx_ors_background_t *bg)
{
    ngx_ors_store_drop(&bg->job);

    bg->session->turn->response.stored = 1;

    bg->job = ngx_ors_session_record(bg->session, bg->status, 0);

    return bg->job ? NGX_ORS_BACKGROUND_POST : NGX_ORS_BACKGROUND_END;
}


static ngx_uint_t
ngx_ors_background_stored(ngx_ors_background_t *bg)
{
    ngx_ors_store_job_t  *job;

    job = ngx_ors_background_job(bg);

    if (job->status == ngx_ors_store_ok) {
        return ngx_ors_background_finish(bg);
    }

    if (job->status != ngx_ors_store_large
        && bg->tries++ < NGX_ORS_BACKGROUND_TRIES)
    {
        return NGX_ORS_BACKGROUND_WAIT;
    }

    ngx_ors_background_lost(bg, job->status);

    return NGX_ORS_BACKGROUND_END;
}


/*
 * The record that has been stored may have been deleted a moment earlier, when
 * it was not there yet
 */

static ngx_uint_t
ngx_ors_background_finish(ngx_ors_background_t *bg)
{
    ngx_ors_store_drop(&bg->job);

    bg->state = ngx_ors_background_st_check;
    bg->job = ngx_ors_background_look(bg);

    return bg->job ? NGX_ORS_BACKGROUND_POST : NGX_ORS_BACKGROUND_END;
}


static ngx_uint_t
ngx_ors_background_checked(ngx_ors_background_t *bg)
{
    return ngx_ors_background_end(bg,
                        ngx_ors_background_wish(ngx_ors_background_job(bg))
                        == ngx_ors_background_deleted);
}


static ngx_uint_t
ngx_ors_background_quit(ngx_ors_background_t *bg)
{
    ngx_ors_store_drop(&bg->job);
    bg->state = ngx_ors_background_st_over;

    return 0;
}


/* the request ends by itself, without memory, or with the worker */

static ngx_uint_t
ngx_ors_background_abandon(ngx_ors_background_t *bg)
{
    ngx_uint_t       known;
    ngx_ors_turn_t  *turn;

    turn = bg->session->turn;
    known = (bg->state == ngx_ors_background_st_run
             || bg->state == ngx_ors_background_st_store);

    ngx_ors_store_drop(&bg->job);

    bg->state = ngx_ors_background_st_over;

    if (!turn->error.status) {
        (void) ngx_ors_error_set(&turn->error, turn->pool,
                                 ngx_ors_code_server_error,
                                 "the server that ran it has stopped");
    }

    if (!known) {
        ngx_str_null(&bg->response);
        return bg->waits ? NGX_ORS_BACKGROUND_ANSWER : 0;
    }

    turn->response.status = ngx_ors_response_failed;
    turn->response.stored = 1;

    bg->unwatched = ngx_ors_session_record(bg->session, ngx_ors_record_failed,
                                           0);

    return bg->unwatched ? NGX_ORS_BACKGROUND_SEND : 0;
}


static ngx_uint_t
ngx_ors_background_error(ngx_ors_background_t *bg)
{
    return NGX_ORS_BACKGROUND_ERROR;
}


/* lease and flag go away, with "record" all that is stored */

static ngx_uint_t
ngx_ors_background_end(ngx_ors_background_t *bg, ngx_uint_t record)
{
    bg->unwatched = ngx_ors_background_forget(bg, record);

    return NGX_ORS_BACKGROUND_END
           | (bg->unwatched ? NGX_ORS_BACKGROUND_SEND : 0);
}


/* the job that is done */

static ngx_ors_store_job_t *
ngx_ors_background_job(ngx_ors_background_t *bg)
{
    ngx_ors_store_job_t  *job;

    job = bg->job;
    bg->job = NULL;

    return job;
}


static void
ngx_ors_background_lost(ngx_ors_background_t *bg,
    ngx_ors_store_status_e status)
{
    bg->session->unstored = 1;
    ngx_ors_session_log(bg->session, status, "a response in the background");
}
