
/*
 * Copyright (C) Open Responses contributors
 */


/* Retrieves, deletes and cancels stored responses, and lists their input. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_json_writer.h>
#include <ngx_ors_operation.h>
#include <ngx_ors_operation_items.h>
#include <ngx_ors_session_error.h>
#include <ngx_ors_stored.h>


/* output block of a small document */
#define NGX_ORS_OPERATION_BLOCK  1024


/* a turn that runs without its client */
#define ngx_ors_operation_runs(rec)                                           \
    ((rec)->status == ngx_ors_record_queued                                   \
     || (rec)->status == ngx_ors_record_in_progress)


static ngx_int_t ngx_ors_operation_next(ngx_ors_operation_t *op,
    ngx_ors_store_job_t *job);
static ngx_int_t ngx_ors_operation_unexpected(ngx_ors_operation_t *op);
static ngx_int_t ngx_ors_operation_send(ngx_ors_operation_t *op,
    ngx_ors_store_job_t *job);
static ngx_int_t ngx_ors_operation_end(ngx_ors_operation_t *op,
    ngx_ors_error_t *err);
static ngx_int_t ngx_ors_operation_stop(ngx_ors_operation_t *op,
    ngx_ors_store_job_t *job);
static ngx_int_t ngx_ors_operation_removed(ngx_ors_operation_t *op,
    ngx_ors_store_job_t *job);
static ngx_int_t ngx_ors_operation_check(ngx_ors_operation_t *op,
    ngx_ors_store_job_t *job);
static ngx_int_t ngx_ors_operation_list(ngx_ors_operation_t *op,
    ngx_ors_store_job_t *job);
static ngx_int_t ngx_ors_operation_read(ngx_ors_operation_t *op,
    ngx_ors_store_job_t *job);
static ngx_int_t ngx_ors_operation_corrupt(ngx_ors_operation_t *op,
    ngx_int_t rc);
static ngx_int_t ngx_ors_operation_absent(ngx_ors_operation_t *op);
static ngx_int_t ngx_ors_operation_failed(ngx_ors_operation_t *op,
    ngx_ors_store_status_e status);
static ngx_int_t ngx_ors_operation_post(ngx_ors_operation_t *op,
    ngx_ors_operation_state_e state, ngx_ors_store_op_e sop,
    ngx_ors_key_e *kinds, ngx_uint_t n);
static ngx_int_t ngx_ors_operation_mark(ngx_ors_operation_t *op,
    ngx_ors_operation_state_e state, char *mark);


/* the entries of a response: in this order where all are read */

static ngx_ors_key_e  ngx_ors_operation_kinds[] = {
    ngx_ors_key_response,
    ngx_ors_key_lease,
    ngx_ors_key_cancel
};

#define ngx_ors_operation_all       ngx_ors_operation_kinds, 3
#define ngx_ors_operation_response  ngx_ors_operation_kinds, 1
#define ngx_ors_operation_flag      &ngx_ors_operation_kinds[2], 1


char  *ngx_ors_operation_states[NGX_ORS_OPERATION_STATES] = {
    "new", "read", "find", "stop", "remove", "check", "mark", "chain",
    "alone", "over"
};


ngx_int_t
ngx_ors_operation_begin(ngx_ors_operation_t *op, ngx_ors_operation_e kind)
{
    ngx_int_t  rc;

    /* in the order of ngx_ors_operation_e */

    static const struct {
        ngx_ors_operation_state_e  state;
        ngx_ors_store_op_e         op;
        ngx_uint_t                 n;
    } first[] = {
        { ngx_ors_operation_st_read, ngx_ors_store_get, 3 },
        { ngx_ors_operation_st_find, ngx_ors_store_get, 1 },
        { ngx_ors_operation_st_check, ngx_ors_store_get, 3 },
        { ngx_ors_operation_st_chain, ngx_ors_store_chain, 1 }
    };

    ngx_ors_out_init(&op->out, op->pool, NGX_ORS_OPERATION_BLOCK);

    rc = ngx_ors_operation_post(op, first[kind].state, first[kind].op,
                                ngx_ors_operation_kinds, first[kind].n);

    if (rc == NGX_AGAIN && kind == ngx_ors_operation_items) {
        op->job->max_turns = op->max_turns;
        op->job->max_size = op->max_size;
        op->job->newest = 1;
    }

    return rc;
}


ngx_int_t
ngx_ors_operation_done(ngx_ors_operation_t *op)
{
    ngx_int_t             rc;
    ngx_ors_store_job_t  *job;

    job = op->job;
    op->job = NULL;

    if (job == NULL) {
        rc = ngx_ors_operation_unexpected(op);

    } else if (job->status == ngx_ors_store_ok
               || job->status == ngx_ors_store_absent)
    {
        rc = ngx_ors_operation_next(op, job);

    } else {
        rc = ngx_ors_operation_failed(op, job->status);
    }

    if (rc != NGX_AGAIN) {
        op->state = ngx_ors_operation_st_over;
    }

    return rc;
}


static ngx_int_t
ngx_ors_operation_next(ngx_ors_operation_t *op, ngx_ors_store_job_t *job)
{
    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, op->log, 0,
                   "ors operation %s: job done",
                   ngx_ors_operation_states[op->state]);

    switch (op->state) {

    case ngx_ors_operation_st_read:
        return ngx_ors_operation_send(op, job);

    case ngx_ors_operation_st_find:
        return ngx_ors_operation_stop(op, job);

    case ngx_ors_operation_st_stop:
        return ngx_ors_operation_post(op, ngx_ors_operation_st_remove,
                                      ngx_ors_store_delete,
                                      ngx_ors_operation_response);

    case ngx_ors_operation_st_remove:
        return ngx_ors_operation_removed(op, job);

    case ngx_ors_operation_st_check:
        return ngx_ors_operation_check(op, job);

    case ngx_ors_operation_st_mark:

        /* it may have come to its end meanwhile */

        return ngx_ors_operation_post(op, ngx_ors_operation_st_read,
                                      ngx_ors_store_get,
                                      ngx_ors_operation_all);

    case ngx_ors_operation_st_chain:

        if (job->status == ngx_ors_store_ok) {
            return ngx_ors_operation_list(op, job);
        }

        /* without one of its ancestors a response has its own input */

        return ngx_ors_operation_post(op, ngx_ors_operation_st_alone,
                                      ngx_ors_store_get,
                                      ngx_ors_operation_response);

    case ngx_ors_operation_st_alone:

        if (job->entries[0].value.data == NULL) {
            return ngx_ors_operation_absent(op);
        }

        return ngx_ors_operation_list(op, job);

    case ngx_ors_operation_st_new:
    case ngx_ors_operation_st_over:
        break;
    }

    return ngx_ors_operation_unexpected(op);
}


static ngx_int_t
ngx_ors_operation_unexpected(ngx_ors_operation_t *op)
{
    ngx_log_error(NGX_LOG_ALERT, op->log, 0,
                  "operation in the state \"%s\" got the end of a job",
                  ngx_ors_operation_states[op->state]);

    return NGX_ERROR;
}


/*
 * The response of a turn that has ended is what was stored.  One that runs
 * without its client has a lease, and may be marked as one to be ended.
 */

static ngx_int_t
ngx_ors_operation_send(ngx_ors_operation_t *op, ngx_ors_store_job_t *job)
{
    ngx_int_t  rc;

    rc = ngx_ors_operation_read(op, job);

    if (rc != NGX_OK) {
        return rc;
    }

    if (ngx_ors_operation_runs(&op->record)) {

        if (job->entries[2].value.data) {
            return ngx_ors_operation_end(op, NULL);
        }

        if (job->entries[1].value.data == NULL) {
            (void) ngx_ors_error_set(&op->error, op->pool,
                                     ngx_ors_code_server_error,
                                     "the server that ran it has stopped");

            return ngx_ors_operation_end(op, &op->error);
        }
    }

    ngx_ors_out_ref(&op->out, op->record.response.data,
                    op->record.response.len);

    return NGX_OK;
}


static ngx_int_t
ngx_ors_operation_end(ngx_ors_operation_t *op, ngx_ors_error_t *err)
{
    ngx_int_t           rc;
    ngx_ors_snapshot_t  snap;

    rc = ngx_ors_snapshot_read(&snap, &op->record.response, op->pool);

    if (rc != NGX_OK) {
        return ngx_ors_operation_corrupt(op, rc);
    }

    return ngx_ors_snapshot_end(&snap, err, &op->out);
}


/* the worker of a turn that runs would store it again */

static ngx_int_t
ngx_ors_operation_stop(ngx_ors_operation_t *op, ngx_ors_store_job_t *job)
{
    ngx_int_t  rc;

    rc = ngx_ors_operation_read(op, job);

    if (rc != NGX_OK) {
        return rc;
    }

    if (ngx_ors_operation_runs(&op->record)) {
        return ngx_ors_operation_mark(op, ngx_ors_operation_st_stop,
                                      NGX_ORS_KEY_DELETED);
    }

    return ngx_ors_operation_post(op, ngx_ors_operation_st_remove,
                                  ngx_ors_store_delete,
                                  ngx_ors_operation_response);
}


static ngx_int_t
ngx_ors_operation_removed(ngx_ors_operation_t *op, ngx_ors_store_job_t *job)
{
    if (job->entries[0].value.data == NULL) {
        return ngx_ors_operation_absent(op);
    }

    ngx_ors_out_lit(&op->out, "{\"id\":");
    ngx_ors_json_quote(&op->out, op->id.data, op->id.len);
    ngx_ors_out_lit(&op->out, ",\"object\":\"response\",\"deleted\":true}");

    return NGX_OK;
}


static ngx_int_t
ngx_ors_operation_check(ngx_ors_operation_t *op, ngx_ors_store_job_t *job)
{
    ngx_int_t           rc;
    ngx_ors_snapshot_t  snap;

    rc = ngx_ors_operation_read(op, job);

    if (rc != NGX_OK) {
        return rc;
    }

    if (ngx_ors_operation_runs(&op->record)) {

        if (job->entries[1].value.data == NULL || job->entries[2].value.data) {
            return ngx_ors_operation_send(op, job);
        }

        return ngx_ors_operation_mark(op, ngx_ors_operation_st_mark,
                                      NGX_ORS_KEY_CANCELLED);
    }

    rc = ngx_ors_snapshot_read(&snap, &op->record.response, op->pool);

    if (rc != NGX_OK) {
        return ngx_ors_operation_corrupt(op, rc);
    }

    if (snap.background) {
        return ngx_ors_operation_send(op, job);
    }

    (void) ngx_ors_error_set(&op->error, op->pool, ngx_ors_code_invalid_value,
                             "only responses that were created with "
                             "\"background\": true can be cancelled");
    ngx_str_set(&op->error.param, "response_id");

    return NGX_DONE;
}


static ngx_int_t
ngx_ors_operation_list(ngx_ors_operation_t *op, ngx_ors_store_job_t *job)
{
    ngx_int_t  rc;

    rc = ngx_ors_operation_list_job(&op->list, job, op->pool);

    if (rc != NGX_OK) {
        return ngx_ors_operation_corrupt(op, rc);
    }

    rc = ngx_ors_listing_render(&op->list, &op->out, &op->error);

    if (rc == NGX_ABORT) {
        return ngx_ors_operation_failed(op, ngx_ors_store_corrupt);
    }

    return (rc == NGX_DECLINED) ? NGX_DONE : rc;
}


/* reads the record in the first entry; NGX_OK, NGX_DONE */

static ngx_int_t
ngx_ors_operation_read(ngx_ors_operation_t *op, ngx_ors_store_job_t *job)
{
    if (job->entries[0].value.data == NULL) {
        return ngx_ors_operation_absent(op);
    }

    if (ngx_ors_record_read(&op->record, &job->entries[0].value) != NGX_OK) {
        return ngx_ors_operation_failed(op,
                             ngx_ors_record_status(&job->entries[0].value));
    }

    return NGX_OK;
}


/* a record whose parts cannot be read, NGX_DECLINED, or no memory */

static ngx_int_t
ngx_ors_operation_corrupt(ngx_ors_operation_t *op, ngx_int_t rc)
{
    return (rc == NGX_DECLINED)
           ? ngx_ors_operation_failed(op, ngx_ors_store_corrupt) : NGX_ERROR;
}


/* another scope gets the same answer as for what is not there */

static ngx_int_t
ngx_ors_operation_absent(ngx_ors_operation_t *op)
{
    (void) ngx_ors_error_set(&op->error, op->pool, ngx_ors_code_not_found,
                             "there is no response with this id");
    ngx_ors_error_id(&op->error, op->pool, &op->id);

    return NGX_DONE;
}


static ngx_int_t
ngx_ors_operation_failed(ngx_ors_operation_t *op,
    ngx_ors_store_status_e status)
{
    if (status == ngx_ors_store_limit) {

        /* stored with a larger limit than there is now: no failure */

        (void) ngx_ors_error_set(&op->error, op->pool,
                                 ngx_ors_code_context_length_exceeded,
                                 "what is stored of this response is longer "
                                 "than what is read here");
        return NGX_DONE;
    }

    ngx_log_error(NGX_LOG_ERR, op->log, 0,
                  "store \"%V\" has failed: %V", &op->store->name,
                  ngx_ors_session_strerror(status));

    (void) ngx_ors_error_set(&op->error, op->pool,
                             ngx_ors_code_store_unavailable,
                             "stored responses cannot be reached at the "
                             "moment, try again later");
    return NGX_DONE;
}


static ngx_int_t
ngx_ors_operation_post(ngx_ors_operation_t *op,
    ngx_ors_operation_state_e state, ngx_ors_store_op_e sop,
    ngx_ors_key_e *kinds, ngx_uint_t n)
{
    ngx_uint_t            i;
    ngx_ors_store_job_t  *job;

    job = ngx_ors_store_job(op->store, sop, n);
    if (job == NULL) {
        return NGX_ERROR;
    }

    /* the output may lie in its memory */

    op->jobs[op->njobs++] = job;

    for (i = 0; i < n; i++) {

        if (ngx_ors_key(op->scope, kinds[i], &op->id, &job->entries[i].key)
            != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    op->job = job;
    op->state = state;

    return NGX_AGAIN;
}


/* stores a flag for the worker that runs the turn */

static ngx_int_t
ngx_ors_operation_mark(ngx_ors_operation_t *op,
    ngx_ors_operation_state_e state, char *mark)
{
    ngx_int_t               rc;
    ngx_ors_store_entry_t  *entry;

    rc = ngx_ors_operation_post(op, state, ngx_ors_store_put,
                                ngx_ors_operation_flag);

    if (rc != NGX_AGAIN) {
        return rc;
    }

    entry = op->job->entries;

    entry->value.data = (u_char *) mark;
    entry->value.len = ngx_strlen(mark);
    entry->expires = ngx_time() + op->store->ttl;

    return NGX_AGAIN;
}


void
ngx_ors_operation_close(ngx_ors_operation_t *op)
{
    op->job = NULL;
    op->state = ngx_ors_operation_st_over;

    while (op->njobs) {
        ngx_ors_store_release(op->jobs[--op->njobs]);
    }
}
