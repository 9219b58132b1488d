
/*
 * Copyright (C) Open Responses contributors
 */


/* The previous turns of a session, and the place of the new one after them. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_session_chain.h>
#include <ngx_ors_session_error.h>
#include <ngx_ors_session_refs.h>
#include <ngx_ors_stored.h>


static ngx_int_t ngx_ors_session_chain_usable(ngx_ors_session_t *session,
    ngx_ors_record_t *rec);
static ngx_int_t ngx_ors_session_chain_inherit(ngx_ors_session_t *session,
    ngx_ors_record_t *rec, ngx_ors_store_job_t *job);
static ngx_int_t ngx_ors_session_chain_touch(ngx_ors_session_t *session,
    ngx_ors_store_entry_t *entry, ngx_ors_record_t *rec,
    ngx_ors_index_t *input);
static ngx_int_t ngx_ors_session_chain_claims(ngx_ors_session_t *session,
    ngx_ors_index_t *items);


ngx_int_t
ngx_ors_session_chain_load(ngx_ors_session_t *session,
    ngx_ors_json_node_t *previous)
{
    ngx_str_t             id;
    ngx_ors_limits_t     *limits;
    ngx_ors_request_t    *req;
    ngx_ors_json_node_t  *truncation;
    ngx_ors_store_job_t  *job;

    req = &session->turn->request;
    limits = req->limits;

    if (ngx_ors_json_copy(&req->json, previous, session->pool, &id)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    session->previous = id;

    job = ngx_ors_store_job(session->store, ngx_ors_store_chain,
                            1 + session->nnames);
    if (job == NULL) {
        return NGX_ERROR;
    }

    session->job = job;

    job->n = 1;
    job->others = &job->entries[1];
    job->nothers = session->nnames;

    if (ngx_ors_key(session->scope, ngx_ors_key_response, &id,
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


ngx_int_t
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
