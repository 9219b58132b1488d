
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * A session: its states, and what each event means in each of them; keys of
 * the store; previous turns; claims of approved calls; failures of the store.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_session.h>
#include <ngx_ors_digest.h>
#include <ngx_ors_stored.h>


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
static ngx_int_t ngx_ors_session_conversation(ngx_ors_session_t *session);
static ngx_int_t ngx_ors_session_conversed(ngx_ors_session_t *session,
    ngx_str_t *value);
static ngx_int_t ngx_ors_session_chain_load(ngx_ors_session_t *session);
static ngx_int_t ngx_ors_session_chain_loaded(ngx_ors_session_t *session,
    ngx_ors_store_job_t *job);
static ngx_int_t ngx_ors_session_chain_usable(ngx_ors_session_t *session,
    ngx_ors_record_t *rec);
static ngx_int_t ngx_ors_session_chain_inherit(ngx_ors_session_t *session,
    ngx_ors_record_t *rec, ngx_ors_store_job_t *job);
static ngx_int_t ngx_ors_session_chain_touch(ngx_ors_session_t *session,
    ngx_ors_store_entry_t *entry, ngx_ors_record_t *rec,
    ngx_ors_index_t *input);
static ngx_int_t ngx_ors_session_chain_claims(ngx_ors_session_t *session,
    ngx_ors_index_t *items);
static ngx_ors_store_job_t *ngx_ors_session_claim_job(
    ngx_ors_session_t *session);
static ngx_int_t ngx_ors_session_claimed(ngx_ors_session_t *session);
static ngx_int_t ngx_ors_session_absent(ngx_ors_session_t *session);


char  *ngx_ors_session_states[NGX_ORS_SESSION_STATES] = {
    "new", "conversation", "chain", "names", "items", "ready", "claim",
    "refused", "commit", "over"
};


char  *ngx_ors_session_events[NGX_ORS_SESSION_EVENTS] = {
    "load", "job done", "claim", "commit", "close"
};


/* from "new" to "over"; NULL: an event that the state does not expect */

static const ngx_ors_session_pt
    ngx_ors_session_machine[NGX_ORS_SESSION_EVENTS]
                           [NGX_ORS_SESSION_STATES] = {

    /* load */
    { ngx_ors_session_begin, ngx_ors_session_again,
      ngx_ors_session_again, ngx_ors_session_again,
      ngx_ors_session_again, ngx_ors_session_ok, ngx_ors_session_again,
      ngx_ors_session_failed, ngx_ors_session_ok, ngx_ors_session_ok },

    /* job done */
    { NULL, ngx_ors_session_loaded,
      ngx_ors_session_loaded, ngx_ors_session_loaded,
      ngx_ors_session_loaded, NULL, ngx_ors_session_claimed,
      NULL, ngx_ors_session_committed, NULL },

    /* claim */
    { NULL, NULL, NULL, NULL,
      NULL, ngx_ors_session_claim, ngx_ors_session_again,
      NULL, NULL, NULL },

    /* commit */
    { NULL, NULL, NULL, NULL,
      NULL, ngx_ors_session_commit, NULL,
      NULL, ngx_ors_session_again, ngx_ors_session_ok },

    /* close */
    { ngx_ors_session_close, ngx_ors_session_close,
      ngx_ors_session_close, ngx_ors_session_close,
      ngx_ors_session_close, ngx_ors_session_close, ngx_ors_session_close,
      ngx_ors_session_close, ngx_ors_session_close, ngx_ors_session_close }
};


static ngx_str_t  ngx_ors_session_statuses[] = {
    ngx_string("ok"),
    ngx_string("what it names is not there"),
    ngx_string("a limit"),
    ngx_string("it is full"),
    ngx_string("it does not answer in time"),
    ngx_string("it cannot be reached"),
    ngx_string("it holds what is no record"),
    ngx_string("the scope has its share of it, \"scope_size\" or "
               "\"scope_turns\""),
    ngx_string("it is larger than \"record\""),
    ngx_string("it holds a record in a format of another version")
};


ngx_int_t
ngx_ors_session_init(ngx_ors_session_t *session, ngx_ors_turn_t *turn)
{
    session->turn = turn;
    session->pool = turn->pool;
    session->log = turn->log;

    /* responses are stored unless the client forbids it, nothing else is */

    if (turn->request.compact || ngx_ors_request_counts(&turn->request)
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
    inline_context = (session && inline_context && !translates);

    /* the server of a target that gets no context here stores by itself */

    ngx_ors_turn_settle(turn, session && session->wanted
                              && (translates || inline_context),
                        inline_context);

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
        || req->field[ngx_ors_rq_previous_response_id]
        || req->field[ngx_ors_rq_conversation])
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
    ngx_ors_request_t    *req;
    ngx_ors_json_node_t  *previous;

    req = &session->turn->request;
    previous = req->field[ngx_ors_rq_previous_response_id];

    if (ngx_ors_session_referred(session) != NGX_OK
        || ngx_ors_session_refs_names(session) != NGX_OK)
    {
        rc = NGX_ERROR;

    } else {
        rc = ngx_ors_session_conversation(session);
    }

    if (rc != NGX_OK) {

        /* void */

    } else if (previous) {
        rc = ngx_ors_json_copy(&req->json, previous, session->pool,
                               &session->previous);

        if (rc == NGX_OK) {
            rc = ngx_ors_session_chain_load(session);
        }

    } else if (session->refs.n) {
        rc = ngx_ors_session_refs_load(session);

    } else {
        session->state = ngx_ors_session_st_ready;
        return NGX_OK;
    }

    return ngx_ors_session_finish(session, rc);
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

    if (session->state == ngx_ors_session_st_conversation) {
        rc = ngx_ors_session_conversed(session, &job->entries[0].value);

        if (rc != NGX_OK) {
            return rc;
        }

        if (session->conversation.head.len) {
            session->previous = session->conversation.head;
            return ngx_ors_session_chain_load(session);
        }

        return session->refs.n ? ngx_ors_session_refs_load(session) : NGX_OK;
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

    ngx_ors_turn_became(turn, ngx_ors_response_cancelled);

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


/* How the keys of a store are made of ids. */


ngx_int_t
ngx_ors_key(u_char *scope, ngx_ors_key_e kind, ngx_str_t *id,
    ngx_ors_store_key_t *key)
{
    u_char     token[NGX_ORS_ID_LEN];
    ngx_str_t  text;

    if (kind == ngx_ors_key_response) {

        if (ngx_ors_token(id, token) != NGX_OK) {
            return NGX_ERROR;
        }

        text.data = token;
        text.len = NGX_ORS_ID_LEN;

        return ngx_ors_key_turn(scope, &text, key);
    }

    ngx_memcpy(key->scope, scope, NGX_ORS_STORE_KEY);

    return ngx_ors_digest((u_char) kind, id, key->name);
}


ngx_int_t
ngx_ors_key_turn(u_char *scope, ngx_str_t *token, ngx_ors_store_key_t *key)
{
    ngx_memcpy(key->scope, scope, NGX_ORS_STORE_KEY);

    return ngx_ors_digest(ngx_ors_key_response, token, key->name);
}


/*
 * The conversation that a request names.
 */


/* NGX_OK: it names none; NGX_AGAIN, NGX_DONE, NGX_ERROR */

static ngx_int_t
ngx_ors_session_conversation(ngx_ors_session_t *session)
{
    ngx_ors_request_t    *req;
    ngx_ors_json_node_t  *id, *field;
    ngx_ors_store_job_t  *job;

    req = &session->turn->request;
    field = req->field[ngx_ors_rq_conversation];

    if (field == NULL || field->type == ngx_ors_json_null) {
        return NGX_OK;
    }

    id = ngx_ors_request_conversation(req);

    if (id == NULL) {
        return ngx_ors_session_refuse(session, ngx_ors_code_invalid_type,
                                      "conversation",
                                      "\"conversation\" must be an id, or an "
                                      "object with an \"id\"");
    }

    if (req->field[ngx_ors_rq_previous_response_id]) {
        return ngx_ors_session_refuse(session, ngx_ors_code_invalid_value,
                                      "conversation",
                                      "\"conversation\" and "
                                      "\"previous_response_id\" cannot be in "
                                      "one request");
    }

    if (!req->stored) {
        return ngx_ors_session_refuse(session,
                                      ngx_ors_code_unsupported_parameter,
                                      "conversation",
                                      "a response that is not stored cannot be "
                                      "part of a conversation");
    }

    if (ngx_ors_json_copy(&req->json, id, session->pool,
                          &session->conversation.id)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    job = ngx_ors_store_job(session->store, ngx_ors_store_get, 1);
    if (job == NULL) {
        return NGX_ERROR;
    }

    session->job = job;
    session->state = ngx_ors_session_st_conversation;

    return (ngx_ors_key(session->scope, ngx_ors_key_conversation,
                        &session->conversation.id, &job->entries[0].key)
            == NGX_OK)
           ? NGX_AGAIN : NGX_ERROR;
}


static ngx_int_t
ngx_ors_session_conversed(ngx_ors_session_t *session, ngx_str_t *value)
{
    ngx_int_t        rc;
    ngx_ors_turn_t  *turn;

    turn = session->turn;

    if (value->data == NULL) {
        (void) ngx_ors_error_set(&turn->error, turn->pool,
                                 ngx_ors_code_not_found,
                                 "there is no conversation with this id");
        ngx_ors_error_id(&turn->error, turn->pool, &session->conversation.id);
        ngx_str_set(&turn->error.param, "conversation");

        return ngx_ors_session_fail(session);
    }

    rc = ngx_ors_conversation_read(&session->conversation, value,
                                   session->pool);

    return (rc == NGX_DECLINED)
           ? ngx_ors_session_unread(session, ngx_ors_store_corrupt) : rc;
}


/*
 * The chain of a session: the previous turns that "previous_response_id"
 * names, and the place of the new turn after them.
 */


/*
 * Makes session->job, which loads the turns up to session->previous.
 * NGX_AGAIN or NGX_ERROR: no memory.
 */

static ngx_int_t
ngx_ors_session_chain_load(ngx_ors_session_t *session)
{
    ngx_ors_limits_t     *limits;
    ngx_ors_request_t    *req;
    ngx_ors_json_node_t  *truncation;
    ngx_ors_store_job_t  *job;

    req = &session->turn->request;
    limits = req->limits;

    job = ngx_ors_store_job(session->store, ngx_ors_store_chain,
                            1 + session->nnames);
    if (job == NULL) {
        return NGX_ERROR;
    }

    session->job = job;

    job->n = 1;
    job->others = &job->entries[1];
    job->nothers = session->nnames;

    if (ngx_ors_key(session->scope, ngx_ors_key_response, &session->previous,
                    &job->entries[0].key)
        != NGX_OK
        || ngx_ors_session_refs_keys(session, job->others) != NGX_OK)
    {
        return NGX_ERROR;
    }

    truncation = req->field[ngx_ors_rq_truncation];

    if (truncation && ngx_ors_json_is(&req->json, truncation, "auto")) {
        session->context.budget = limits->truncate;
        job->newest = 1;
    }

    /* a context has no use for the other parts of a record */

    job->entries[0].parts = NGX_ORS_STORE_INPUT|NGX_ORS_STORE_OUTPUT;

    job->max_turns = limits->turns;
    job->max_size = limits->context;

    session->state = ngx_ors_session_st_chain;

    return NGX_AGAIN;
}


/*
 * Takes over the turns that "job" has loaded: it becomes session->chain.
 * NGX_OK, NGX_DONE: the turn has failed, NGX_ERROR: no memory.
 */

static ngx_int_t
ngx_ors_session_chain_loaded(ngx_ors_session_t *session,
    ngx_ors_store_job_t *job)
{
    ngx_int_t                rc;
    ngx_uint_t               i;
    ngx_ors_record_t         rec;
    ngx_ors_context_turn_t  *turns;

    turns = ngx_palloc(session->pool,
                       job->n * sizeof(ngx_ors_context_turn_t));

    if (turns == NULL
        || ngx_array_init(&session->touch, session->pool, job->n,
                          sizeof(ngx_ors_store_key_t))
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_memzero(&rec, sizeof(ngx_ors_record_t));

    for (i = 0; i < job->n; i++) {

        if (ngx_ors_record_read(&rec, &job->entries[i].value) != NGX_OK) {
            return ngx_ors_session_unread(session,
                           ngx_ors_record_status(&job->entries[i].value));
        }

        /* not every engine says when an entry expires */

        if (job->entries[i].expires == 0) {
            job->entries[i].expires = rec.created + session->store->ttl;
        }

        if (ngx_ors_record_items(&rec, NGX_ORS_STORE_INPUT, session->pool,
                                 &turns[i].input)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        turns[i].output.data = rec.response.data + rec.output;
        turns[i].output.len = rec.output_len;

        rc = ngx_ors_session_chain_touch(session, &job->entries[i], &rec,
                                         &turns[i].input);

        if (rc != NGX_OK) {
            return (rc == NGX_DECLINED)
                   ? ngx_ors_session_unread(session, ngx_ors_store_corrupt)
                   : rc;
        }

        session->size += rec.input.len + rec.output_len;
    }

    /* "rec" is the last turn, the one that the client named */

    rc = ngx_ors_session_chain_usable(session, &rec);

    if (rc == NGX_OK) {
        rc = ngx_ors_session_chain_inherit(session, &rec, job);
    }

    if (rc != NGX_OK) {
        return rc;
    }

    session->chain = job;
    session->context.turns = turns;
    session->context.nturns = job->n;

    return NGX_OK;
}


static ngx_int_t
ngx_ors_session_chain_usable(ngx_ors_session_t *session,
    ngx_ors_record_t *rec)
{
    char  *text;

    switch (rec->status) {

    case ngx_ors_record_completed:
    case ngx_ors_record_incomplete:
    case ngx_ors_record_cancelled:
        return NGX_OK;

    case ngx_ors_record_failed:
        text = "the previous response has failed";
        break;

    case ngx_ors_record_queued:
    case ngx_ors_record_in_progress:
        text = "the previous response is not complete yet";
        break;

    default:
        return ngx_ors_session_unread(session, ngx_ors_store_corrupt);
    }

    return ngx_ors_session_refuse(session,
                                  ngx_ors_code_invalid_previous_response,
                                  "previous_response_id", text);
}


static ngx_int_t
ngx_ors_session_chain_inherit(ngx_ors_session_t *session,
    ngx_ors_record_t *rec, ngx_ors_store_job_t *job)
{
    session->names = ngx_palloc(session->pool, NGX_ORS_RECORD_ANCESTORS
                                               * NGX_ORS_STORE_KEY);
    if (session->names == NULL) {
        return NGX_ERROR;
    }

    session->record.depth = rec->depth + 1;
    session->record.ancestors = session->names;
    session->record.nancestors =
        ngx_ors_record_inherit(rec, job->entries[job->n - 1].key.name,
                               session->names);

    return NGX_OK;
}


/*
 * A conversation that goes on does not lose its beginning, nor what says of
 * its approved calls that they have been run; also of turns that a context
 * leaves out.  NGX_DECLINED: an id is none.
 */

static ngx_int_t
ngx_ors_session_chain_touch(ngx_ors_session_t *session,
    ngx_ors_store_entry_t *entry, ngx_ors_record_t *rec,
    ngx_ors_index_t *input)
{
    ngx_int_t             rc;
    ngx_ors_index_t       output;
    ngx_ors_store_key_t  *key;

    if (entry->expires > ngx_time() + session->store->ttl / 2) {
        return NGX_OK;
    }

    key = ngx_array_push(&session->touch);
    if (key == NULL) {
        return NGX_ERROR;
    }

    *key = entry->key;

    if (ngx_ors_record_items(rec, NGX_ORS_STORE_OUTPUT, session->pool,
                             &output)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    rc = ngx_ors_session_chain_claims(session, input);

    return (rc == NGX_OK) ? ngx_ors_session_chain_claims(session, &output)
                          : rc;
}


static ngx_int_t
ngx_ors_session_chain_claims(ngx_ors_session_t *session,
    ngx_ors_index_t *items)
{
    ngx_int_t             rc;
    ngx_str_t             id;
    ngx_uint_t            i;
    ngx_ors_json_t        json;
    ngx_ors_store_key_t  *key;

    ngx_ors_json_init(&json, session->pool, 1, 1);

    for (i = 0; i < items->n; i++) {

        if (!(items->items[i].flags & NGX_ORS_INDEX_ASK)
            || items->items[i].id_len == 0)
        {
            continue;
        }

        rc = ngx_ors_stored_id(items, &items->items[i], &json, &id);

        if (rc != NGX_OK) {
            return rc;
        }

        key = ngx_array_push(&session->touch);

        if (key == NULL
            || ngx_ors_key(session->scope, ngx_ors_key_approval, &id, key)
               != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/*
 * Claims of calls that a client has approved of: an entry of the store for
 * each request for approval, so that its call runs once, whoever answers it.
 */

/* A job that claims all calls of turn->approvals.  NULL: no memory. */

static ngx_ors_store_job_t *
ngx_ors_session_claim_job(ngx_ors_session_t *session)
{
    ngx_uint_t              i;
    ngx_ors_approval_t     *approval;
    ngx_ors_store_job_t    *job;
    ngx_ors_approvals_t    *approvals;
    ngx_ors_store_entry_t  *entry;

    approvals = &session->turn->approvals;

    job = ngx_ors_store_job(session->store, ngx_ors_store_add,
                            approvals->napproved);
    if (job == NULL) {
        return NULL;
    }

    entry = job->entries;

    for (i = 0; i < approvals->n; i++) {
        approval = &approvals->elts[i];

        if (approval->state != ngx_ors_approval_approved) {
            continue;
        }

        if (ngx_ors_key(session->scope, ngx_ors_key_approval, &approval->id,
                        &entry->key)
            != NGX_OK)
        {
            ngx_ors_store_release(job);
            return NULL;
        }

        ngx_str_set(&entry->value, "1");
        entry->expires = ngx_time() + session->store->ttl;

        entry++;
    }

    return job;
}


/*
 * The job is done, and released here.  NGX_OK: the calls may run, NGX_DONE:
 * the turn has failed, as one of them has been run or the store is down.
 */

static ngx_int_t
ngx_ors_session_claimed(ngx_ors_session_t *session)
{
    ngx_uint_t              i, there;
    ngx_ors_store_job_t    *job;
    ngx_ors_store_status_e  status;

    job = session->job;
    there = 0;
    status = job->status;

    for (i = 0; i < job->n; i++) {
        there |= job->entries[i].there;
    }

    ngx_ors_store_drop(&session->job);

    session->state = ngx_ors_session_st_refused;

    if (status != ngx_ors_store_ok) {
        ngx_log_error(NGX_LOG_ERR, session->log, 0,
                      "cannot claim approved calls in store \"%V\": %V",
                      &session->store->name, ngx_ors_session_strerror(status));

        return ngx_ors_session_refuse(session, ngx_ors_code_store_unavailable,
                                      "input",
                                      "approved calls cannot be run at the "
                                      "moment, try again later");
    }

    if (there) {
        return ngx_ors_session_refuse(session,
                                      ngx_ors_code_approval_already_used,
                                      "input",
                                      "another response has run a call that "
                                      "\"input\" approves of");
    }

    session->state = ngx_ors_session_st_ready;
    ngx_ors_turn_claimed(session->turn);

    return NGX_OK;
}


/* How the turn of a session fails, and what the log says of its store. */


ngx_str_t *
ngx_ors_session_strerror(ngx_ors_store_status_e status)
{
    return &ngx_ors_session_statuses[status];
}


ngx_int_t
ngx_ors_session_refuse(ngx_ors_session_t *session, ngx_ors_code_e code,
    char *param, char *text)
{
    ngx_ors_turn_t  *turn;

    turn = session->turn;

    (void) ngx_ors_error_set(&turn->error, turn->pool, code, "%s", text);

    (void) ngx_ors_error_param(&turn->error, param);

    return ngx_ors_session_fail(session);
}


ngx_int_t
ngx_ors_session_fail(ngx_ors_session_t *session)
{
    return ngx_ors_turn_give_up(session->turn);
}


ngx_int_t
ngx_ors_session_unread(ngx_ors_session_t *session,
    ngx_ors_store_status_e status)
{
    char  *param, *text;

    if (status == ngx_ors_store_absent) {
        return ngx_ors_session_absent(session);
    }

    if (status == ngx_ors_store_limit) {
        param = "previous_response_id";
        text = "the conversation before this request is too long, with "
               "\"truncation\": \"auto\" its beginning is left out";

        if (session->state == ngx_ors_session_st_items) {
            param = "input";
            text = "the items that \"input\" refers to, their turns and the "
                   "conversation before this request are too long";
        }

        return ngx_ors_session_refuse(session,
                                      ngx_ors_code_context_length_exceeded,
                                      param, text);
    }

    ngx_log_error(NGX_LOG_ERR, session->log, 0,
                  "store \"%V\" cannot be read: %V", &session->store->name,
                  ngx_ors_session_strerror(status));

    return ngx_ors_session_refuse(session, ngx_ors_code_store_unavailable,
                                  "previous_response_id",
                                  "stored conversations cannot be read "
                                  "at the moment, try again later");
}


/* another scope gets the same answer as for what is not there */

static ngx_int_t
ngx_ors_session_absent(ngx_ors_session_t *session)
{
    ngx_ors_turn_t  *turn;

    turn = session->turn;

    (void) ngx_ors_error_set(&turn->error, turn->pool,
                             ngx_ors_code_previous_response_not_found,
                             "there is no previous response with this id");
    ngx_ors_error_id(&turn->error, turn->pool, &session->previous);

    if (session->conversation.id.len) {
        ngx_str_set(&turn->error.param, "conversation");

    } else {
        ngx_str_set(&turn->error.param, "previous_response_id");
    }

    return ngx_ors_session_fail(session);
}


ngx_int_t
ngx_ors_session_unstored(ngx_ors_session_t *session,
    ngx_ors_store_status_e status, char *param)
{
    char            *text;
    ngx_ors_code_e   code;

    if (status == ngx_ors_store_share) {
        code = ngx_ors_code_insufficient_quota;
        text = "no more of your responses can be stored, delete some of them, "
               "or send \"store\": false";

    } else if (status == ngx_ors_store_large) {
        code = ngx_ors_code_request_too_large;
        text = "the response is too large to be stored, send \"store\": false";

    } else {
        code = ngx_ors_code_store_unavailable;
        text = "the response cannot be stored at the moment, try again later";
    }

    return ngx_ors_session_refuse(session, code, param, text);
}


/* the first bytes of its digest name a scope */

void
ngx_ors_session_log(ngx_ors_session_t *session, ngx_ors_store_status_e status,
    char *what)
{
    u_char  *scope;

    scope = session->scope;

    if (status != ngx_ors_store_share && status != ngx_ors_store_large) {
        ngx_log_error(NGX_LOG_ERR, session->log, 0,
                      "%s is not written to store \"%V\": %V", what,
                      &session->store->name,
                      ngx_ors_session_strerror(status));
        return;
    }

    ngx_log_error(NGX_LOG_WARN, session->log, 0,
                  "%s of scope %02xd%02xd%02xd%02xd is not written to store "
                  "\"%V\": %V", what, scope[0], scope[1], scope[2], scope[3],
                  &session->store->name, ngx_ors_session_strerror(status));
}
