
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * A background response: its states, and what each event means in them; its
 * jobs; the limits of how many run.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_background.h>
#include <ngx_ors_session.h>
#include <ngx_ors_names.h>
#include <ngx_ors_conf.h>


/* blocks of an answer that is written at once */
#define NGX_ORS_BACKGROUND_BLOCK  1024

/*
 * The default limit, and the connections that are left to clients, as parts
 * of worker_connections; the share of one scope, as a part of the limit
 */
#define NGX_ORS_BACKGROUND_PART       8
#define NGX_ORS_BACKGROUND_RESERVE    8
#define NGX_ORS_BACKGROUND_SHARE      4
#define NGX_ORS_BACKGROUND_SHARE_MIN  4

/* connections of a response: its own, and one to the target */
#define NGX_ORS_BACKGROUND_CONNECTIONS  2

#define NGX_ORS_BACKGROUND_TIMEOUT   3600000
#define NGX_ORS_BACKGROUND_PROGRESS  5000


typedef ngx_uint_t (*ngx_ors_background_pt)(ngx_ors_background_t *bg);


static ngx_uint_t ngx_ors_background_call(ngx_ors_background_t *bg);
static ngx_uint_t ngx_ors_background_begin(ngx_ors_background_t *bg);
static ngx_uint_t ngx_ors_background_refuse(ngx_ors_background_t *bg);
static ngx_uint_t ngx_ors_background_leave(ngx_ors_background_t *bg);
static ngx_uint_t ngx_ors_background_began(ngx_ors_background_t *bg);
static ngx_uint_t ngx_ors_background_tick(ngx_ors_background_t *bg);
static ngx_ors_store_job_t *ngx_ors_background_progress(
    ngx_ors_background_t *bg);
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
static ngx_int_t ngx_ors_background_response(ngx_ors_background_t *bg);
static void ngx_ors_background_lease(ngx_ors_background_t *bg,
    ngx_ors_store_entry_t *entry);
static ngx_ors_background_wish_e ngx_ors_background_wish(
    ngx_ors_store_job_t *job);
static ngx_uint_t ngx_ors_background_all(ngx_ors_background_limit_t *limit,
    ngx_uint_t connections);
static ngx_uint_t ngx_ors_background_share(ngx_ors_background_limit_t *limit,
    ngx_uint_t connections);
static ngx_int_t ngx_ors_background_overloaded(ngx_ors_session_t *session);


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


static ngx_ors_conf_param_t  ngx_ors_background_params[] = {

    { ngx_string("limit="), ngx_ors_conf_param_number,
      offsetof(ngx_ors_background_limit_t, all), 0, 0, NULL, "a number" },

    { ngx_string("scope="), ngx_ors_conf_param_number,
      offsetof(ngx_ors_background_limit_t, scope), 0, 0, NULL, "a number" },

    { ngx_string("timeout="), ngx_ors_conf_param_msec,
      offsetof(ngx_ors_background_limit_t, timeout), 1, 0, NULL,
      "a time above 0" },

    { ngx_string("progress="), ngx_ors_conf_param_msec,
      offsetof(ngx_ors_background_limit_t, progress), 1, 0, NULL,
      "a time above 0" },

    { ngx_null_string, NULL, 0, 0, 0, NULL, NULL }
};


void
ngx_ors_background_init(ngx_ors_background_t *bg, ngx_ors_session_t *session,
    ngx_ors_background_limit_t *limit)
{
    bg->session = session;
    bg->log = session->log;
    bg->timeout = limit->timeout;
    bg->progress = limit->progress;
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
    u_char     *scope;
    ngx_str_t  *id;

    scope = bg->session->scope;
    id = &bg->session->turn->response.id;

    /* when the record is stored, nothing is left that can fail */

    if (ngx_ors_key(scope, ngx_ors_key_response, id, &bg->record) != NGX_OK
        || ngx_ors_key(scope, ngx_ors_key_lease, id, &bg->lease) != NGX_OK
        || ngx_ors_key(scope, ngx_ors_key_cancel, id, &bg->flag) != NGX_OK
        || ngx_ors_background_response(bg) != NGX_OK)
    {
        return NGX_ORS_BACKGROUND_ERROR;
    }

    bg->job = ngx_ors_session_record(bg->session, ngx_ors_record_in_progress,
                                     1);
    if (bg->job == NULL) {
        return NGX_ORS_BACKGROUND_ERROR;
    }

    ngx_ors_background_lease(bg, &bg->job->entries[bg->job->n - 1]);

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

    bg->state = ngx_ors_background_st_run;
    bg->started = ngx_current_msec;
    bg->renewed = ngx_current_msec;
    bg->recorded = ngx_current_msec;

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
        bg->unwatched = ngx_ors_store_job(session->store, ngx_ors_store_put, 1);

        if (bg->unwatched) {
            ngx_ors_background_lease(bg, bg->unwatched->entries);
            todo |= NGX_ORS_BACKGROUND_SEND;
        }

    }

    if (bg->job == NULL && ngx_current_msec - bg->recorded >= bg->progress) {
        bg->recorded = ngx_current_msec;
        bg->job = ngx_ors_background_progress(bg);
        todo |= bg->job ? NGX_ORS_BACKGROUND_POST : 0;
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


/*
 * A stream as far as it is now, for clients that follow it in other workers;
 * NULL: there is nothing new, or it cannot be stored
 */

static ngx_ors_store_job_t *
ngx_ors_background_progress(ngx_ors_background_t *bg)
{
    ngx_ors_turn_t       *turn;
    ngx_ors_store_job_t  *job;

    turn = bg->session->turn;

    if (turn->journal.len == bg->noted
        || turn->response.status != ngx_ors_response_in_progress)
    {
        return NULL;
    }

    bg->noted = turn->journal.len;

    job = ngx_ors_session_record(bg->session, ngx_ors_record_in_progress, 0);

    if (job && job->large) {
        ngx_ors_store_drop(&job);
    }

    return job;
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
    ngx_ors_turn_blame(turn, ngx_ors_class_limit);

    (void) ngx_ors_turn_give_up(turn);

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
    ngx_ors_store_job_t        *job;
    ngx_ors_background_wish_e   wish;

    job = ngx_ors_background_job(bg);

    if (job->op == ngx_ors_store_put) {

        /* progress was stored, or is with the next one */

        return (bg->session->turn->state == ngx_ors_turn_st_commit)
               ? NGX_ORS_BACKGROUND_ADVANCE : 0;
    }

    wish = ngx_ors_background_wish(job);

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

    ngx_ors_turn_stop(turn);

    if (status == ngx_ors_record_cancelled) {
        ngx_ors_turn_became(turn, ngx_ors_response_cancelled);
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

    ngx_ors_turn_stored(bg->session->turn);

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

    ngx_ors_turn_became(turn, ngx_ors_response_failed);
    ngx_ors_turn_stored(turn);

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
    ngx_ors_store_job_t  *job;

    job = ngx_ors_store_job(bg->session->store, ngx_ors_store_delete,
                            record ? 3 : 2);

    bg->unwatched = job;

    if (job == NULL) {
        return NGX_ORS_BACKGROUND_END;
    }

    job->entries[0].key = bg->lease;
    job->entries[1].key = bg->flag;

    if (record) {
        job->entries[2].key = bg->record;
    }

    return NGX_ORS_BACKGROUND_END|NGX_ORS_BACKGROUND_SEND;
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


/* The answer to the client, and jobs besides that of the commit. */


/*
 * Sets bg->response to the answer to the client: the response, which is
 * "queued".  NGX_OK or NGX_ERROR: no memory.
 */

static ngx_int_t
ngx_ors_background_response(ngx_ors_background_t *bg)
{
    ngx_ors_out_t        out;
    ngx_ors_response_t  *resp;

    resp = &bg->session->turn->response;

    ngx_ors_out_init(&out, bg->session->pool, NGX_ORS_BACKGROUND_BLOCK);

    resp->queued = 1;
    ngx_ors_response_render(&out, resp);
    resp->queued = 0;

    return ngx_ors_out_text(&out, &bg->response);
}


static void
ngx_ors_background_lease(ngx_ors_background_t *bg,
    ngx_ors_store_entry_t *entry)
{
    entry->key = bg->lease;
    entry->expires = ngx_time() + NGX_ORS_BACKGROUND_LEASE;

    ngx_str_set(&entry->value, "alive");
}


ngx_ors_store_job_t *
ngx_ors_background_look(ngx_ors_background_t *bg)
{
    ngx_ors_store_job_t  *job;

    job = ngx_ors_store_job(bg->session->store, ngx_ors_store_get, 1);

    if (job) {
        job->entries[0].key = bg->flag;
    }

    return job;
}


/* The flag in a job of ngx_ors_background_look(). */

static ngx_ors_background_wish_e
ngx_ors_background_wish(ngx_ors_store_job_t *job)
{
    ngx_str_t  *value;

    static ngx_str_t  deleted = ngx_string(NGX_ORS_KEY_DELETED);

    value = &job->entries[0].value;

    if (job->status != ngx_ors_store_ok || value->data == NULL) {
        return ngx_ors_background_go_on;
    }

    if (ngx_ors_same(value, &deleted)) {
        return ngx_ors_background_deleted;
    }

    return ngx_ors_background_cancelled;
}


/*
 * Limits of background responses: the directive, its defaults, and whether one
 * more response may run.
 */


char *
ngx_ors_background_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    return ngx_ors_conf_params(cf, ngx_ors_background_params,
                               (u_char *) conf + cmd->offset, 1, NULL, NULL);
}


void
ngx_ors_background_limit_init(ngx_ors_background_limit_t *limit)
{
    limit->all = NGX_CONF_UNSET_UINT;
    limit->scope = NGX_CONF_UNSET_UINT;
    limit->timeout = NGX_CONF_UNSET_MSEC;
    limit->progress = NGX_CONF_UNSET_MSEC;
}


void
ngx_ors_background_limit_merge(ngx_ors_background_limit_t *limit,
    ngx_ors_background_limit_t *prev)
{
    /* connections are counted when all of the configuration is known */

    ngx_conf_merge_uint_value(limit->all, prev->all, NGX_CONF_UNSET_UINT);
    ngx_conf_merge_uint_value(limit->scope, prev->scope, NGX_CONF_UNSET_UINT);

    ngx_conf_merge_msec_value(limit->timeout, prev->timeout,
                              NGX_ORS_BACKGROUND_TIMEOUT);
    ngx_conf_merge_msec_value(limit->progress, prev->progress,
                              NGX_ORS_BACKGROUND_PROGRESS);
}


ngx_int_t
ngx_ors_background_admit(ngx_ors_session_t *session,
    ngx_ors_background_limit_t *limit, ngx_ors_background_load_t *load,
    ngx_log_t *log)
{
    u_char      *scope;
    ngx_uint_t   n;

    n = ngx_ors_background_all(limit, load->connections);

    if (load->running >= n) {
        ngx_log_error(NGX_LOG_WARN, log, 0,
                      "%ui responses run in the background, the limit is %ui",
                      load->running, n);

        return ngx_ors_background_overloaded(session);
    }

    n = ngx_ors_background_share(limit, load->connections);

    if (load->of_scope >= n) {
        scope = session->scope;

        ngx_log_error(NGX_LOG_WARN, log, 0,
                      "%ui responses of scope %02xd%02xd%02xd%02xd run in "
                      "the background, the limit of a scope is %ui",
                      load->of_scope, scope[0], scope[1], scope[2], scope[3],
                      n);

        return ngx_ors_session_refuse(session,
                                      ngx_ors_code_rate_limit_exceeded,
                                      "background",
                                      "too many of your responses run in "
                                      "the background, try again when one "
                                      "has ended");
    }

    return (ngx_ors_background_reserve(load, log) == NGX_OK)
           ? NGX_OK : ngx_ors_background_overloaded(session);
}


static ngx_uint_t
ngx_ors_background_all(ngx_ors_background_limit_t *limit,
    ngx_uint_t connections)
{
    return (limit->all != NGX_CONF_UNSET_UINT)
           ? limit->all : connections / NGX_ORS_BACKGROUND_PART;
}


static ngx_uint_t
ngx_ors_background_share(ngx_ors_background_limit_t *limit,
    ngx_uint_t connections)
{
    ngx_uint_t  n;

    if (limit->scope != NGX_CONF_UNSET_UINT) {
        return limit->scope;
    }

    n = ngx_ors_background_all(limit, connections) / NGX_ORS_BACKGROUND_SHARE;

    return ngx_max(n, NGX_ORS_BACKGROUND_SHARE_MIN);
}


static ngx_int_t
ngx_ors_background_overloaded(ngx_ors_session_t *session)
{
    return ngx_ors_session_refuse(session, ngx_ors_code_server_is_overloaded,
                                  "background",
                                  "too many responses run in the "
                                  "background, try again later");
}


ngx_int_t
ngx_ors_background_reserve(ngx_ors_background_load_t *load, ngx_log_t *log)
{
    ngx_uint_t  n;

    n = load->connections / NGX_ORS_BACKGROUND_RESERVE;

    if (load->free >= n + NGX_ORS_BACKGROUND_CONNECTIONS) {
        return NGX_OK;
    }

    ngx_log_error(NGX_LOG_WARN, log, 0,
                  "nothing is begun without a client: of %ui "
                  "worker_connections %ui are free, and %ui of them are for "
                  "clients", load->connections, load->free, n);

    return NGX_BUSY;
}
