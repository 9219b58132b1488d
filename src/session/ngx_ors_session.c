
/*
 * Copyright (C) Open Responses contributors
 */


/* The states of a session, and what each event means in each of them. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_session.h>
#include <ngx_ors_session_chain.h>
#include <ngx_ors_session_claim.h>
#include <ngx_ors_session_error.h>
#include <ngx_ors_session_record.h>
#include <ngx_ors_session_refs.h>


typedef ngx_int_t (*ngx_ors_session_pt)(ngx_ors_session_t *session);


static ngx_uint_t ngx_ors_session_is(ngx_ors_request_t *req,
    ngx_uint_t field, ngx_uint_t type);
static ngx_int_t ngx_ors_session_lost(ngx_ors_session_t *session,
    ngx_ors_store_status_e status);
static ngx_int_t ngx_ors_session_referred(ngx_ors_session_t *session);
static ngx_int_t ngx_ors_session_again(ngx_ors_session_t *session);
static ngx_int_t ngx_ors_session_ok(ngx_ors_session_t *session);
static ngx_int_t ngx_ors_session_failed(ngx_ors_session_t *session);
static ngx_int_t ngx_ors_session_begin(ngx_ors_session_t *session);
static ngx_int_t ngx_ors_session_loaded(ngx_ors_session_t *session);
static ngx_int_t ngx_ors_session_next(ngx_ors_session_t *session,
    ngx_ors_store_job_t *job);
static ngx_int_t ngx_ors_session_finish(ngx_ors_session_t *session,
    ngx_int_t rc);
static ngx_int_t ngx_ors_session_claim(ngx_ors_session_t *session);
static ngx_int_t ngx_ors_session_commit(ngx_ors_session_t *session);
static ngx_int_t ngx_ors_session_committed(ngx_ors_session_t *session);
static ngx_int_t ngx_ors_session_close(ngx_ors_session_t *session);
static ngx_int_t ngx_ors_session_leave(ngx_ors_session_t *session);
static ngx_ors_store_job_t *ngx_ors_session_job(ngx_ors_session_t *session);


char  *ngx_ors_session_states[NGX_ORS_SESSION_STATES] = {
    "new", "chain", "names", "items", "ready", "claim", "refused", "commit",
    "over"
};


char  *ngx_ors_session_events[NGX_ORS_SESSION_EVENTS] = {
    "load", "job done", "claim", "commit", "close"
};


/* from "new" to "over"; NULL: an event that the state does not expect */

static const ngx_ors_session_pt
    ngx_ors_session_machine[NGX_ORS_SESSION_EVENTS]
                           [NGX_ORS_SESSION_STATES] = {

    /* load */
    { ngx_ors_session_begin, ngx_ors_session_again, ngx_ors_session_again,
      ngx_ors_session_again, ngx_ors_session_ok, ngx_ors_session_again,
      ngx_ors_session_failed, ngx_ors_session_ok, ngx_ors_session_ok },

    /* job done */
    { NULL, ngx_ors_session_loaded, ngx_ors_session_loaded,
      ngx_ors_session_loaded, NULL, ngx_ors_session_claimed,
      NULL, ngx_ors_session_committed, NULL },

    /* claim */
    { NULL, NULL, NULL,
      NULL, ngx_ors_session_claim, ngx_ors_session_again,
      NULL, NULL, NULL },

    /* commit */
    { NULL, NULL, NULL,
      NULL, ngx_ors_session_commit, NULL,
      NULL, ngx_ors_session_again, ngx_ors_session_ok },

    /* close */
    { ngx_ors_session_close, ngx_ors_session_close, ngx_ors_session_close,
      ngx_ors_session_close, ngx_ors_session_close, ngx_ors_session_close,
      ngx_ors_session_close, ngx_ors_session_close, ngx_ors_session_close }
};


ngx_int_t
ngx_ors_session_init(ngx_ors_session_t *session, ngx_ors_turn_t *turn)
{
    session->turn = turn;
    session->pool = turn->pool;
    session->log = turn->log;

    /* responses are stored unless the client forbids it, compactions never */

    if (turn->request.compact
        || ngx_ors_session_is(&turn->request, ngx_ors_rq_store,
                              ngx_ors_json_false))
    {
        return NGX_OK;
    }

    if (ngx_ors_store_down(session->store)) {
        return ngx_ors_session_lost(session, ngx_ors_store_unavailable);
    }

    session->wanted = 1;

    return NGX_OK;
}


void
ngx_ors_session_detach(ngx_ors_session_t *session, ngx_ors_session_t *from,
    ngx_ors_turn_t *turn)
{
    session->turn = turn;
    session->pool = turn->pool;
    session->log = turn->log;

    session->store = from->store;
    session->required = from->required;
    session->instructions = from->instructions;
    session->wanted = from->wanted;

    ngx_memcpy(session->scope, from->scope, NGX_ORS_STORE_KEY);
}


ngx_uint_t
ngx_ors_session_asked(ngx_ors_session_t *session)
{
    return ngx_ors_session_is(&session->turn->request, ngx_ors_rq_background,
                              ngx_ors_json_true);
}


static ngx_uint_t
ngx_ors_session_is(ngx_ors_request_t *req, ngx_uint_t field,
    ngx_uint_t type)
{
    return req->field[field] && req->field[field]->type == type;
}


/* NGX_OK: the client gets its answer; NGX_DONE: the turn has failed */

static ngx_int_t
ngx_ors_session_lost(ngx_ors_session_t *session,
    ngx_ors_store_status_e status)
{
    session->unstored = 1;
    ngx_ors_session_log(session, status, "a response");

    if (!session->required) {
        return NGX_OK;
    }

    return ngx_ors_session_unstored(session, status, "store");
}


void
ngx_ors_session_settle(ngx_ors_session_t *session, ngx_ors_turn_t *turn,
    ngx_uint_t translates, ngx_uint_t inline_context)
{
    turn->inline_context = (session && inline_context && !translates);

    /* the server of a target that gets no context here stores by itself */

    turn->request.stored = (session && session->wanted
                            && (translates || turn->inline_context));
    turn->response.stored = turn->request.stored;

    if (session) {
        session->translates = translates;
        session->background =
            turn->request.detached
            || ((translates || turn->inline_context)
                && ngx_ors_session_is(&turn->request, ngx_ors_rq_background,
                                      ngx_ors_json_true));
    }

    ngx_log_debug4(NGX_LOG_DEBUG_HTTP, turn->log, 0,
                   "ors session settled: stored:%d inline_context:%ui "
                   "background:%d compact:%d", turn->request.stored,
                   turn->inline_context, session ? session->background : 0,
                   turn->request.compact);
}


ngx_uint_t
ngx_ors_session_used(ngx_ors_session_t *session)
{
    ngx_ors_request_t  *req;

    req = &session->turn->request;

    if (!session->translates && !session->turn->inline_context) {
        return 0;
    }

    if (req->stored || session->background
        || req->field[ngx_ors_rq_previous_response_id])
    {
        return 1;
    }

    return ngx_ors_session_referred(session) != NGX_OK || session->refs.n;
}


static ngx_int_t
ngx_ors_session_referred(ngx_ors_session_t *session)
{
    if (!session->referred
        && ngx_ors_refs_read(&session->refs, &session->turn->request)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    session->referred = 1;

    return NGX_OK;
}


ngx_int_t
ngx_ors_session_background(ngx_ors_session_t *session)
{
    char               *param, *text;
    ngx_ors_request_t  *req;

    req = &session->turn->request;

    if (!session->background) {
        return NGX_DECLINED;
    }

    param = "background";
    text = NULL;

    if (!session->translates) {

        /* it would run there, and be stored there only */

        text = "a response of this model cannot run in the background";

    } else if (req->stream) {
        param = "stream";
        text = "a response of the background cannot be streamed, \"stream\" "
               "must be false or absent";

    } else if (req->compact) {
        text = "a compaction is not stored and cannot run in the background";

    } else if (ngx_ors_session_is(req, ngx_ors_rq_store, ngx_ors_json_false)) {
        text = "a response that is not stored cannot run in the background, "
               "\"store\" must be true or absent";
    }

    if (text) {
        return ngx_ors_session_refuse(session,
                                      ngx_ors_code_unsupported_parameter, param,
                                      text);
    }

    if (!req->stored) {
        return ngx_ors_session_unstored(session, ngx_ors_store_unavailable,
                                        "background");
    }

    return NGX_OK;
}


ngx_int_t
ngx_ors_session_crowded(ngx_ors_session_t *session)
{
    char       *param;
    ngx_int_t   rc;

    param = session->turn->request.field[ngx_ors_rq_previous_response_id]
            ? "previous_response_id" : "input";

    rc = ngx_ors_session_refuse(session,
                                ngx_ors_code_rate_limit_exceeded, param,
                                "your requests that run hold too much of "
                                "stored conversations, try again when one "
                                "has ended");

    rc = ngx_ors_session_finish(session, rc);

    ngx_ors_store_drop(&session->chain);

    return rc;
}


ngx_int_t
ngx_ors_session_step(ngx_ors_session_t *session,
    ngx_ors_session_event_e event)
{
    ngx_int_t           rc;
    ngx_ors_session_pt  handler;

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, session->log, 0,
                   "ors session %s: %s", ngx_ors_session_states[session->state],
                   ngx_ors_session_events[event]);

    handler = ngx_ors_session_machine[event][session->state];

    if (handler) {
        rc = handler(session);

    } else {
        ngx_log_error(NGX_LOG_ALERT, session->log, 0,
                      "session in the state \"%s\" got the event \"%s\"",
                      ngx_ors_session_states[session->state],
                      ngx_ors_session_events[event]);
        rc = NGX_ERROR;
    }

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, session->log, 0,
                   "ors session is %s, rc:%i",
                   ngx_ors_session_states[session->state], rc);

    return rc;
}


static ngx_int_t
ngx_ors_session_again(ngx_ors_session_t *session)
{
    return NGX_AGAIN;
}


static ngx_int_t
ngx_ors_session_ok(ngx_ors_session_t *session)
{
    return NGX_OK;
}


static ngx_int_t
ngx_ors_session_failed(ngx_ors_session_t *session)
{
    return NGX_DONE;
}


static ngx_int_t
ngx_ors_session_begin(ngx_ors_session_t *session)
{
    ngx_int_t             rc;
    ngx_ors_json_node_t  *previous;

    if (ngx_ors_session_referred(session) != NGX_OK) {
        return ngx_ors_session_finish(session, NGX_ERROR);
    }

    if (ngx_ors_session_refs_names(session) != NGX_OK) {
        return ngx_ors_session_finish(session, NGX_ERROR);
    }

    previous = session->turn->request.field[ngx_ors_rq_previous_response_id];

    if (previous) {
        rc = ngx_ors_session_chain_load(session, previous);
        return ngx_ors_session_finish(session, rc);
    }

    if (session->refs.n) {
        rc = ngx_ors_session_refs_load(session);
        return ngx_ors_session_finish(session, rc);
    }

    session->state = ngx_ors_session_st_ready;

    return NGX_OK;
}


static ngx_int_t
ngx_ors_session_loaded(ngx_ors_session_t *session)
{
    ngx_int_t             rc;
    ngx_ors_store_job_t  *job;

    job = ngx_ors_session_job(session);

    rc = ngx_ors_session_next(session, job);
    rc = ngx_ors_session_finish(session, rc);

    /* the context is read where it lies: turns live as long as the request */

    if (job != session->chain && job != session->items) {
        ngx_ors_store_release(job);
    }

    return rc;
}


/* NGX_OK: all is loaded; NGX_AGAIN: there is another job; else it has failed */

static ngx_int_t
ngx_ors_session_next(ngx_ors_session_t *session, ngx_ors_store_job_t *job)
{
    ngx_int_t  rc;

    if (job->status != ngx_ors_store_ok) {
        return ngx_ors_session_unread(session, job->status);
    }

    if (session->state == ngx_ors_session_st_names) {
        return ngx_ors_session_refs_named(session, job->entries);
    }

    if (session->state == ngx_ors_session_st_items) {
        session->items = job;
        return ngx_ors_session_refs_loaded(session);
    }

    rc = ngx_ors_session_chain_loaded(session, job);

    if (rc == NGX_OK && session->refs.n) {
        return ngx_ors_session_refs_named(session, job->others);
    }

    return rc;
}


static ngx_int_t
ngx_ors_session_finish(ngx_ors_session_t *session, ngx_int_t rc)
{
    if (rc == NGX_OK) {
        rc = ngx_ors_turn_context(session->turn, &session->context);
    }

    if (rc == NGX_AGAIN) {
        return NGX_AGAIN;
    }

    ngx_ors_store_drop(&session->job);

    if (rc == NGX_ERROR) {
        rc = ngx_ors_session_refuse(session, ngx_ors_code_server_error, "",
                                    "out of memory");
    }

    session->state = (rc == NGX_OK) ? ngx_ors_session_st_ready
                                    : ngx_ors_session_st_refused;

    return rc;
}


static ngx_int_t
ngx_ors_session_claim(ngx_ors_session_t *session)
{
    session->job = ngx_ors_session_claim_job(session);

    if (session->job == NULL) {
        return NGX_ERROR;
    }

    session->state = ngx_ors_session_st_claim;

    return NGX_AGAIN;
}


static ngx_int_t
ngx_ors_session_commit(ngx_ors_session_t *session)
{
    ngx_ors_record_status_e  status;

    status = (session->turn->response.status == ngx_ors_response_incomplete)
             ? ngx_ors_record_incomplete : ngx_ors_record_completed;

    session->job = ngx_ors_session_record(session, status, 0);

    if (session->job == NULL) {
        return NGX_ERROR;
    }

    session->state = ngx_ors_session_st_commit;

    return NGX_AGAIN;
}


static ngx_int_t
ngx_ors_session_committed(ngx_ors_session_t *session)
{
    ngx_uint_t              stored;
    ngx_ors_store_job_t    *job;
    ngx_ors_store_status_e  status;

    job = ngx_ors_session_job(session);

    status = job->status;
    stored = (status == ngx_ors_store_ok);

    ngx_ors_store_release(job);

    if (!stored && status != ngx_ors_store_large && session->retries) {
        session->retries--;
        session->state = ngx_ors_session_st_ready;

        return NGX_DECLINED;
    }

    session->state = ngx_ors_session_st_over;

    if (!stored && ngx_ors_session_lost(session, status) != NGX_OK) {
        return NGX_DONE;
    }

    return (ngx_ors_turn_committed(session->turn, stored) == NGX_ERROR)
           ? NGX_ERROR : NGX_OK;
}


static ngx_int_t
ngx_ors_session_close(ngx_ors_session_t *session)
{
    ngx_int_t  rc;

    rc = ngx_ors_session_leave(session);

    /* items that were referred to are part of what has been stored by now */

    ngx_ors_store_drop(&session->chain);
    ngx_ors_store_drop(&session->items);

    return rc;
}


/*
 * A client that leaves in the middle of a stream knows the id of its
 * response: what is finished by then is stored (E68)
 */

static ngx_int_t
ngx_ors_session_leave(ngx_ors_session_t *session)
{
    ngx_ors_turn_t           *turn;
    ngx_ors_session_state_e   state;

    turn = session->turn;
    state = session->state;

    session->state = ngx_ors_session_st_over;

    ngx_ors_store_drop(&session->job);

    if (state != ngx_ors_session_st_ready
        || turn->request.detached || !turn->request.stored
        || !turn->builder.started || turn->state == ngx_ors_turn_st_over)
    {
        return NGX_OK;
    }

    turn->response.status = ngx_ors_response_cancelled;

    session->job = ngx_ors_session_record(session, ngx_ors_record_cancelled,
                                          0);

    return session->job ? NGX_AGAIN : NGX_ERROR;
}


/* the job that is done */

static ngx_ors_store_job_t *
ngx_ors_session_job(ngx_ors_session_t *session)
{
    ngx_ors_store_job_t  *job;

    job = session->job;
    session->job = NULL;

    return job;
}
