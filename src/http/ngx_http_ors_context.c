
/*
 * Copyright (C) Open Responses contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>


static ngx_int_t ngx_http_ors_context_begin(ngx_http_ors_session_t *session);
static ngx_int_t ngx_http_ors_context_chain(ngx_http_ors_session_t *session,
    ngx_ors_json_node_t *previous);
static void ngx_http_ors_context_handler(ngx_ors_store_job_t *job);
static ngx_int_t ngx_http_ors_context_next(ngx_http_ors_session_t *session,
    ngx_ors_store_job_t *job);
static ngx_int_t ngx_http_ors_context_turns(ngx_http_ors_session_t *session,
    ngx_ors_store_job_t *job);
static ngx_int_t ngx_http_ors_context_usable(ngx_http_ors_session_t *session,
    ngx_ors_record_t *rec);
static ngx_int_t ngx_http_ors_context_inherit(ngx_http_ors_session_t *session,
    ngx_ors_record_t *rec, ngx_ors_store_job_t *job);


ngx_int_t
ngx_http_ors_context(ngx_http_ors_ctx_t *ctx)
{
    ngx_http_ors_session_t  *session;

    session = ctx->session;

    if (session == NULL) {

        /* the dialect says that it cannot carry a reference */

        return NGX_OK;
    }

    switch (session->state) {

    case ngx_http_ors_session_st_new:
        return ngx_http_ors_context_begin(session);

    case ngx_http_ors_session_st_chain:
    case ngx_http_ors_session_st_names:
    case ngx_http_ors_session_st_items:
        return NGX_AGAIN;

    case ngx_http_ors_session_st_failed:
        return NGX_DONE;

    case ngx_http_ors_session_st_ready:
    case ngx_http_ors_session_st_commit:
        break;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_ors_context_begin(ngx_http_ors_session_t *session)
{
    ngx_ors_request_t    *req;
    ngx_ors_json_node_t  *previous;

    req = &session->ctx->turn->request;

    if (ngx_ors_refs_read(&session->refs, req) != NGX_OK) {
        return NGX_ERROR;
    }

    previous = req->field[ngx_ors_rq_previous_response_id];

    if (previous) {
        return ngx_http_ors_context_chain(session, previous);
    }

    if (session->refs.n) {
        return ngx_http_ors_refs(session);
    }

    session->state = ngx_http_ors_session_st_ready;

    return NGX_OK;
}


static ngx_int_t
ngx_http_ors_context_chain(ngx_http_ors_session_t *session,
    ngx_ors_json_node_t *previous)
{
    ngx_str_t             id;
    ngx_ors_limits_t     *limits;
    ngx_ors_request_t    *req;
    ngx_ors_json_node_t  *truncation;
    ngx_ors_store_job_t  *job;

    req = &session->ctx->turn->request;
    limits = req->limits;

    id.data = ngx_pnalloc(req->pool, previous->len + 1);
    if (id.data == NULL) {
        return NGX_ERROR;
    }

    id.len = ngx_ors_json_decode(&req->json, previous, id.data) - id.data;

    session->previous = id;

    job = ngx_http_ors_context_job(session, ngx_ors_store_chain, 1);

    if (job == NULL
        || ngx_http_ors_store_key(session->ctx->request, 'r', &id,
                                  &job->entries[0].key)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    truncation = req->field[ngx_ors_rq_truncation];

    if (truncation && ngx_ors_json_is(&req->json, truncation, "auto")) {
        session->context.budget = limits->truncate;
        job->newest = 1;
    }

    /* what else a record has is of no use here */

    job->entries[0].parts = NGX_ORS_STORE_INPUT|NGX_ORS_STORE_OUTPUT;

    job->max_turns = limits->turns;
    job->max_size = limits->context;

    session->state = ngx_http_ors_session_st_chain;

    ngx_ors_store_post(job);

    return NGX_AGAIN;
}


ngx_ors_store_job_t *
ngx_http_ors_context_job(ngx_http_ors_session_t *session, ngx_ors_store_op_e op,
    ngx_uint_t n)
{
    ngx_ors_store_job_t  *job;

    job = ngx_ors_store_job(session->store, op, n);
    if (job == NULL) {
        return NULL;
    }

    job->handler = ngx_http_ors_context_handler;
    job->data = session;

    session->job = job;

    return job;
}


static void
ngx_http_ors_context_handler(ngx_ors_store_job_t *job)
{
    ngx_int_t                rc;
    ngx_connection_t        *c;
    ngx_http_request_t      *sr;
    ngx_http_ors_session_t  *session;

    session = job->data;
    c = session->ctx->request->connection;
    sr = session->ctx->call->request;

    ngx_http_set_log_request(c->log, session->ctx->request);

    session->job = NULL;

    rc = ngx_http_ors_context_next(session, job);

    if (job != session->chain) {
        ngx_ors_store_release(job);
    }

    if (rc == NGX_AGAIN) {
        return;
    }

    if (rc == NGX_ERROR) {
        (void) ngx_http_ors_store_refuse(session, 500, "server_error", "",
                                         "out of memory");
    }

    /* the turn has copies of all that it needs */

    if (session->chain) {
        ngx_ors_store_release(session->chain);
        session->chain = NULL;
    }

    session->state = (rc == NGX_OK) ? ngx_http_ors_session_st_ready
                                 : ngx_http_ors_session_st_failed;

    /* its phase handler asks again */

    (void) ngx_http_post_request(sr, NULL);

    ngx_http_run_posted_requests(c);
}


/* NGX_OK: all is there; NGX_AGAIN: there is another job; else it has failed */

static ngx_int_t
ngx_http_ors_context_next(ngx_http_ors_session_t *session,
    ngx_ors_store_job_t *job)
{
    if (job->status != ngx_ors_store_ok) {
        return ngx_http_ors_context_failed(session, job->status);
    }

    switch (session->state) {

    case ngx_http_ors_session_st_chain:
        return ngx_http_ors_context_turns(session, job);

    case ngx_http_ors_session_st_names:
        return ngx_http_ors_refs_named(session, job);

    case ngx_http_ors_session_st_items:
        return ngx_http_ors_refs_loaded(session, job);

    case ngx_http_ors_session_st_new:
    case ngx_http_ors_session_st_ready:
    case ngx_http_ors_session_st_failed:
    case ngx_http_ors_session_st_commit:
        break;
    }

    return NGX_ERROR;
}


static ngx_int_t
ngx_http_ors_context_turns(ngx_http_ors_session_t *session,
    ngx_ors_store_job_t *job)
{
    ngx_int_t                rc;
    ngx_uint_t               i;
    ngx_pool_t              *pool;
    ngx_ors_record_t         rec;
    ngx_ors_context_turn_t  *turns;

    pool = session->ctx->request->pool;

    turns = ngx_palloc(pool, job->n * sizeof(ngx_ors_context_turn_t));
    if (turns == NULL) {
        return NGX_ERROR;
    }

    for (i = 0; i < job->n; i++) {

        if (ngx_ors_record_read(&rec, &job->entries[i].value) != NGX_OK) {
            return ngx_http_ors_context_failed(session, ngx_ors_store_corrupt);
        }

        /* not every engine says when an entry expires */

        if (job->entries[i].expires == 0) {
            job->entries[i].expires = rec.created + session->store->ttl;
        }

        turns[i].input = rec.input;
        turns[i].output.data = rec.response.data + rec.output;
        turns[i].output.len = rec.output_len;

        session->size += rec.input.len + rec.output_len;
    }

    /* the last one of them is the one that was named */

    rc = ngx_http_ors_context_usable(session, &rec);

    if (rc == NGX_OK) {
        rc = ngx_http_ors_context_inherit(session, &rec, job);
    }

    if (rc != NGX_OK) {
        return rc;
    }

    session->chain = job;
    session->context.turns = turns;
    session->context.nturns = job->n;

    return session->refs.n ? ngx_http_ors_refs(session)
                        : ngx_http_ors_context_ready(session);
}


static ngx_int_t
ngx_http_ors_context_usable(ngx_http_ors_session_t *session,
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
        return ngx_http_ors_context_failed(session, ngx_ors_store_corrupt);
    }

    return ngx_http_ors_store_refuse(session, 400, "invalid_previous_response",
                                     "previous_response_id", text);
}


/* the place of this turn: behind the last one of "job", whose record is rec */

static ngx_int_t
ngx_http_ors_context_inherit(ngx_http_ors_session_t *session,
    ngx_ors_record_t *rec,
    ngx_ors_store_job_t *job)
{
    time_t       soon;
    ngx_uint_t   i;
    ngx_pool_t  *pool;

    pool = session->ctx->request->pool;

    session->names = ngx_palloc(pool, NGX_ORS_RECORD_ANCESTORS
                                   * NGX_ORS_STORE_KEY);
    if (session->names == NULL) {
        return NGX_ERROR;
    }

    session->record.depth = rec->depth + 1;
    session->record.ancestors = session->names;
    session->record.nancestors =
        ngx_ors_record_inherit(rec, job->entries[job->n - 1].key.name,
                               session->names);

    /* a conversation that goes on does not lose its beginning */

    soon = ngx_time() + session->store->ttl / 2;

    for (i = 0; i < job->n; i++) {

        if (job->entries[i].expires > soon) {
            continue;
        }

        if (session->touch == NULL) {
            session->touch = ngx_palloc(pool,
                                        job->n * sizeof(ngx_ors_store_key_t));
            if (session->touch == NULL) {
                return NGX_ERROR;
            }
        }

        session->touch[session->ntouch++] = job->entries[i].key;
    }

    return NGX_OK;
}


ngx_int_t
ngx_http_ors_context_ready(ngx_http_ors_session_t *session)
{
    return ngx_ors_turn_context(session->ctx->turn, &session->context);
}


ngx_int_t
ngx_http_ors_context_refuse(ngx_http_ors_session_t *session)
{
    ngx_ors_turn_t  *turn;

    turn = session->ctx->turn;

    /* another target would not help */

    turn->spare = 0;

    return ngx_ors_turn_fail(turn);
}


/* who owns what is not told: all that is not there is the same */

ngx_int_t
ngx_http_ors_context_failed(ngx_http_ors_session_t *session,
    ngx_ors_store_status_e status)
{
    if (status == ngx_ors_store_absent) {
        return ngx_http_ors_store_refuse(session, 400,
                                         "previous_response_not_found",
                                         "previous_response_id",
                                         "there is no previous response with "
                                         "this id");
    }

    if (status == ngx_ors_store_limit
        && session->state == ngx_http_ors_session_st_items)
    {
        return ngx_http_ors_store_refuse(session, 400,
                                         "context_length_exceeded",
                                         "input",
                                         "the items that \"input\" refers to, "
                                         "their turns and the conversation "
                                         "before this request are too long");
    }

    if (status == ngx_ors_store_limit) {
        return ngx_http_ors_store_refuse(session, 400,
                                         "context_length_exceeded",
                                         "previous_response_id",
                                         "the conversation before this "
                                         "request is too long, with "
                                         "\"truncation\": \"auto\" its "
                                         "beginning is left out");
    }

    ngx_log_error(NGX_LOG_ERR, session->ctx->request->connection->log, 0,
                  "store \"%V\" cannot be read: %V", &session->store->name,
                  ngx_http_ors_store_strerror(status));

    return ngx_http_ors_store_refuse(session, 503, "store_unavailable",
                                     "previous_response_id",
                                     "stored conversations cannot be read "
                                     "at the moment, try again later");
}
