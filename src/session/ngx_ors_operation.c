
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Operations on stored responses: retrieve, delete, cancel, list the input;
 * which of them a request means.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_json_writer.h>
#include <ngx_ors_operation.h>
#include <ngx_ors_session.h>
#include <ngx_ors_stored.h>
#include <ngx_ors_store.h>
#include <ngx_ors_record.h>
#include <ngx_ors_digest.h>
#include <ngx_ors_id.h>
#include <ngx_ors_names.h>
#include <ngx_ors_text.h>


/* output block of a small document */
#define NGX_ORS_OPERATION_BLOCK  1024


/* a turn that runs without its client */
#define ngx_ors_operation_runs(rec)                                           \
    ((rec)->status == ngx_ors_record_queued                                   \
     || (rec)->status == ngx_ors_record_in_progress)

#define ngx_ors_operation_all       ngx_ors_operation_kinds, 3
#define ngx_ors_operation_response  ngx_ors_operation_kinds, 1
#define ngx_ors_operation_flag      &ngx_ors_operation_kinds[2], 1

#define NGX_ORS_OPERATION_PATHS                                               \
    (sizeof(ngx_ors_operation_paths) / sizeof(ngx_ors_operation_paths[0]))


typedef struct {
    ngx_str_t             suffix;         /* after the id */
    ngx_str_t             method;
    ngx_ors_operation_e   kind;
    ngx_uint_t            conversation;   /* an id of one is in front of it */
    char                 *allow;          /* methods of the same path */
} ngx_ors_operation_path_t;


static ngx_int_t ngx_ors_operation_next(ngx_ors_operation_t *op,
    ngx_ors_store_job_t *job);
static ngx_int_t ngx_ors_operation_unexpected(ngx_ors_operation_t *op);
static ngx_int_t ngx_ors_operation_send(ngx_ors_operation_t *op,
    ngx_ors_store_job_t *job);
static ngx_int_t ngx_ors_operation_replay(ngx_ors_operation_t *op,
    ngx_pool_t *pool, ngx_str_t *response);
static ngx_int_t ngx_ors_operation_end(ngx_ors_operation_t *op,
    ngx_ors_store_job_t *job, ngx_ors_error_t *err);
static ngx_int_t ngx_ors_operation_stop(ngx_ors_operation_t *op,
    ngx_ors_store_job_t *job);
static ngx_int_t ngx_ors_operation_removed(ngx_ors_operation_t *op,
    ngx_ors_store_job_t *job);
static ngx_int_t ngx_ors_operation_check(ngx_ors_operation_t *op,
    ngx_ors_store_job_t *job);
static ngx_int_t ngx_ors_operation_deleted(ngx_ors_operation_t *op,
    char *object);
static ngx_int_t ngx_ors_operation_named(ngx_ors_operation_t *op,
    ngx_ors_store_job_t *job);
static ngx_int_t ngx_ors_operation_nameless(ngx_ors_operation_t *op);
static ngx_int_t ngx_ors_operation_chain(ngx_ors_operation_t *op);
static ngx_int_t ngx_ors_operation_list(ngx_ors_operation_t *op,
    ngx_ors_store_job_t *job);
static ngx_int_t ngx_ors_operation_page(ngx_ors_operation_t *op);
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
static ngx_int_t ngx_ors_operation_list_job(ngx_ors_operation_t *op,
    ngx_ors_store_job_t *job);
static ngx_int_t ngx_ors_operation_list_turn(ngx_ors_listing_t *list,
    ngx_str_t *value, ngx_uint_t newest, ngx_pool_t *pool);
static ngx_int_t ngx_ors_operation_stream(ngx_ors_operation_t *op,
    ngx_str_t *query);
static ngx_int_t ngx_ors_operation_flag_arg(ngx_ors_operation_t *op,
    ngx_str_t *query, ngx_str_t *name, ngx_uint_t *flag);


/* the entries of a response: in this order where all are read */

static ngx_ors_key_e  ngx_ors_operation_kinds[] = {
    ngx_ors_key_response,
    ngx_ors_key_lease,
    ngx_ors_key_cancel
};


static ngx_ors_key_e  ngx_ors_operation_name = ngx_ors_key_conversation;


char  *ngx_ors_operation_states[NGX_ORS_OPERATION_STATES] = {
    "new", "read", "find", "stop", "remove", "check", "mark", "chain",
    "alone", "named", "forget", "over"
};


static ngx_ors_operation_path_t  ngx_ors_operation_paths[] = {

    { ngx_string(""), ngx_string("GET"), ngx_ors_operation_retrieve, 0,
      "GET, HEAD, DELETE" },
    { ngx_string(""), ngx_string("HEAD"), ngx_ors_operation_retrieve, 0,
      "GET, HEAD, DELETE" },
    { ngx_string(""), ngx_string("DELETE"), ngx_ors_operation_delete, 0,
      "GET, HEAD, DELETE" },
    { ngx_string("/input_items"), ngx_string("GET"), ngx_ors_operation_items,
      0, "GET, HEAD" },
    { ngx_string("/input_items"), ngx_string("HEAD"), ngx_ors_operation_items,
      0, "GET, HEAD" },
    { ngx_string("/cancel"), ngx_string("POST"), ngx_ors_operation_cancel, 0,
      "POST" },

    { ngx_string(""), ngx_string("GET"), ngx_ors_operation_conversation, 1,
      "GET, HEAD, POST, DELETE" },
    { ngx_string(""), ngx_string("HEAD"), ngx_ors_operation_conversation, 1,
      "GET, HEAD, POST, DELETE" },
    { ngx_string(""), ngx_string("DELETE"),
      ngx_ors_operation_conversation_delete, 1, "GET, HEAD, POST, DELETE" },
    { ngx_string("/items"), ngx_string("GET"),
      ngx_ors_operation_conversation_items, 1, "GET, HEAD, POST" },
    { ngx_string("/items"), ngx_string("HEAD"),
      ngx_ors_operation_conversation_items, 1, "GET, HEAD, POST" }
};


ngx_int_t
ngx_ors_operation_begin(ngx_ors_operation_t *op, ngx_ors_operation_e kind)
{
    /* in the order of ngx_ors_operation_e */

    static const struct {
        ngx_ors_operation_state_e  state;
        ngx_ors_store_op_e         op;
        ngx_uint_t                 n;
    } first[] = {
        { ngx_ors_operation_st_read, ngx_ors_store_get, 3 },
        { ngx_ors_operation_st_find, ngx_ors_store_get, 1 },
        { ngx_ors_operation_st_check, ngx_ors_store_get, 3 },
        { ngx_ors_operation_st_chain, ngx_ors_store_chain, 1 },
        { ngx_ors_operation_st_named, ngx_ors_store_get, 1 },
        { ngx_ors_operation_st_forget, ngx_ors_store_delete, 1 },
        { ngx_ors_operation_st_named, ngx_ors_store_get, 1 }
    };

    ngx_ors_out_init(&op->out, op->pool, NGX_ORS_OPERATION_BLOCK);

    if (kind == ngx_ors_operation_items) {
        return ngx_ors_operation_chain(op);
    }

    op->listed = (kind == ngx_ors_operation_conversation_items);

    return ngx_ors_operation_post(op, first[kind].state, first[kind].op,
                                  (kind < ngx_ors_operation_conversation)
                                  ? ngx_ors_operation_kinds
                                  : &ngx_ors_operation_name, first[kind].n);
}


static ngx_int_t
ngx_ors_operation_chain(ngx_ors_operation_t *op)
{
    ngx_int_t  rc;

    rc = ngx_ors_operation_post(op, ngx_ors_operation_st_chain,
                                ngx_ors_store_chain,
                                ngx_ors_operation_response);

    if (rc == NGX_AGAIN) {
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

    case ngx_ors_operation_st_named:
        return ngx_ors_operation_named(op, job);

    case ngx_ors_operation_st_forget:

        if (job->entries[0].value.data == NULL) {
            return ngx_ors_operation_nameless(op);
        }

        return ngx_ors_operation_deleted(op, "conversation.deleted");

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
    ngx_int_t   rc;
    ngx_str_t  *flag;

    static ngx_str_t  deleted = ngx_string(NGX_ORS_KEY_DELETED);

    rc = ngx_ors_operation_read(op, job);

    if (rc != NGX_OK) {
        return rc;
    }

    if (ngx_ors_operation_runs(&op->record)) {

        flag = &job->entries[2].value;

        /* its worker may have stored it once more before it sees the mark */

        if (ngx_ors_same(flag, &deleted)) {
            return ngx_ors_operation_absent(op);
        }

        if (flag->data) {
            return ngx_ors_operation_end(op, job, NULL);
        }

        if (job->entries[1].value.data == NULL) {
            (void) ngx_ors_error_set(&op->error, op->pool,
                                     ngx_ors_code_server_error,
                                     "the server that ran it has stopped");

            return ngx_ors_operation_end(op, job, &op->error);
        }
    }

    if (op->stream) {
        return ngx_ors_operation_replay(op, job->pool, &op->record.response);
    }

    ngx_ors_out_ref(&op->out, op->record.response.data,
                    op->record.response.len);

    return NGX_OK;
}


/*
 * The stream of "response"; where it begins is checked once.  Of an id that is
 * not known by then nothing was sent.
 */

static ngx_int_t
ngx_ors_operation_replay(ngx_ors_operation_t *op, ngx_pool_t *pool,
    ngx_str_t *response)
{
    ngx_int_t          rc;
    ngx_ors_replay_t  *replay;

    replay = &op->replay;

    ngx_memzero(replay, sizeof(ngx_ors_replay_t));

    replay->after = op->after;
    replay->profile = op->profile;
    replay->obfuscate = op->obfuscate;

    rc = ngx_ors_replay_init(replay, response, &op->record.journal, pool);

    if (rc != NGX_OK) {
        return ngx_ors_operation_corrupt(op, rc);
    }

    /* a worker that did not store the end may have sent more than it stored */

    if (ngx_ors_operation_runs(&op->record)) {
        replay->end = op->after;
    }

    if (replay->lost && op->after) {
        (void) ngx_ors_error_set(&op->error, op->pool,
                                 ngx_ors_code_unsupported_parameter,
                                 "where the events of this response began and "
                                 "ended is not stored, \"starting_after\" must "
                                 "be absent");

    } else if (op->resumed && !op->begun && replay->ended
               && op->after > ngx_max(replay->total, replay->end))
    {
        (void) ngx_ors_error_set(&op->error, op->pool,
                                 ngx_ors_code_invalid_value,
                                 "\"starting_after\" must be the number of an "
                                 "event, the last one is %ui",
                                 replay->total - 1);

    } else {
        return NGX_OK;
    }

    ngx_str_set(&op->error.param, "starting_after");

    return NGX_DONE;
}


ngx_int_t
ngx_ors_operation_events(ngx_ors_operation_t *op)
{
    ngx_int_t  rc;

    op->begun = 1;

    rc = ngx_ors_replay(&op->replay, NGX_ORS_OPERATION_EVENTS, &op->out);

    op->after = ngx_max(op->after, op->replay.sequence);

    if (rc == NGX_DECLINED) {
        ngx_log_error(NGX_LOG_ERR, op->log, 0,
                      "store \"%V\" has failed: %V", &op->store->name,
                      ngx_ors_session_strerror(ngx_ors_store_corrupt));
        return NGX_ERROR;
    }

    return (rc == NGX_DONE && !op->replay.ended) ? NGX_AGAIN : rc;
}


ngx_int_t
ngx_ors_operation_live(ngx_ors_operation_t *op, ngx_ors_turn_t *turn,
    ngx_uint_t instructions, ngx_pool_t *pool)
{
    ngx_str_t  text;

    if (ngx_ors_turn_snapshot(turn, instructions, pool, &text) != NGX_OK) {
        return NGX_ERROR;
    }

    op->record.journal.len = turn->journal.len;
    op->record.journal.data = ngx_pnalloc(pool, turn->journal.len + 1);

    if (op->record.journal.data == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(op->record.journal.data, turn->journal.data, turn->journal.len);

    return ngx_ors_operation_replay(op, pool, &text);
}


ngx_int_t
ngx_ors_operation_poll(ngx_ors_operation_t *op)
{
    return ngx_ors_operation_post(op, ngx_ors_operation_st_read,
                                  ngx_ors_store_get, ngx_ors_operation_all);
}


static ngx_int_t
ngx_ors_operation_end(ngx_ors_operation_t *op, ngx_ors_store_job_t *job,
    ngx_ors_error_t *err)
{
    ngx_int_t           rc;
    ngx_str_t           text;
    ngx_ors_out_t       out;
    ngx_ors_snapshot_t  snap;

    rc = ngx_ors_snapshot_read(&snap, &op->record.response, op->pool);

    if (rc != NGX_OK) {
        return ngx_ors_operation_corrupt(op, rc);
    }

    if (!op->stream) {
        return ngx_ors_snapshot_end(&snap, err, &op->out);
    }

    ngx_ors_out_init(&out, job->pool, NGX_ORS_OPERATION_BLOCK);

    if (ngx_ors_snapshot_end(&snap, err, &out) != NGX_OK
        || ngx_ors_out_text(&out, &text) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_ors_operation_replay(op, job->pool, &text);
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

    return ngx_ors_operation_deleted(op, "response");
}


static ngx_int_t
ngx_ors_operation_deleted(ngx_ors_operation_t *op, char *object)
{
    ngx_ors_out_lit(&op->out, "{\"id\":");
    ngx_ors_json_quote(&op->out, op->id.data, op->id.len);
    ngx_ors_out_lit(&op->out, ",\"object\":\"");
    ngx_ors_out_copy(&op->out, (u_char *) object, ngx_strlen(object));
    ngx_ors_out_lit(&op->out, "\",\"deleted\":true}");

    return NGX_OK;
}


/* a conversation, or its items: those of the chain that ends with its head */

static ngx_int_t
ngx_ors_operation_named(ngx_ors_operation_t *op, ngx_ors_store_job_t *job)
{
    ngx_int_t               rc;
    ngx_ors_conversation_t  conversation;

    if (job->entries[0].value.data == NULL) {
        return ngx_ors_operation_nameless(op);
    }

    conversation.id = op->id;

    rc = ngx_ors_conversation_read(&conversation, &job->entries[0].value,
                                   op->pool);

    if (rc != NGX_OK) {
        return ngx_ors_operation_corrupt(op, rc);
    }

    if (!op->listed) {
        ngx_ors_conversation_render(&conversation, &op->out);
        return NGX_OK;
    }

    if (conversation.head.len == 0) {
        return ngx_ors_operation_page(op);
    }

    op->id = conversation.head;

    return ngx_ors_operation_chain(op);
}


static ngx_int_t
ngx_ors_operation_nameless(ngx_ors_operation_t *op)
{
    (void) ngx_ors_error_set(&op->error, op->pool, ngx_ors_code_not_found,
                             "there is no conversation with this id");
    ngx_ors_error_id(&op->error, op->pool, &op->id);

    return NGX_DONE;
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

    rc = ngx_ors_operation_list_job(op, job);

    return (rc == NGX_OK) ? ngx_ors_operation_page(op)
                          : ngx_ors_operation_corrupt(op, rc);
}


static ngx_int_t
ngx_ors_operation_page(ngx_ors_operation_t *op)
{
    ngx_int_t  rc;

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


/* Puts the items of stored turns on a page of a list. */


/*
 * Adds to "list" the items of the turns that "job" has read, the oldest one
 * first; of the newest one those of its input only.
 *
 * NGX_OK         done
 * NGX_DECLINED   these are no records
 * NGX_ERROR      no memory
 */

static ngx_int_t
ngx_ors_operation_list_job(ngx_ors_operation_t *op, ngx_ors_store_job_t *job)
{
    ngx_int_t           rc;
    ngx_uint_t          i, n;
    ngx_ors_listing_t  *list;

    list = &op->list;

    rc = NGX_OK;

    for (i = 0; i < job->n && rc == NGX_OK; i++) {
        n = list->ascending ? i : job->n - 1 - i;

        rc = ngx_ors_operation_list_turn(list, &job->entries[n].value,
                                         n == job->n - 1 && !op->listed,
                                         op->pool);
    }

    return (rc == NGX_DONE) ? NGX_OK : rc;
}


/* the output of a previous turn was input of those after it */

static ngx_int_t
ngx_ors_operation_list_turn(ngx_ors_listing_t *list, ngx_str_t *value,
    ngx_uint_t newest, ngx_pool_t *pool)
{
    u_char             text[NGX_ORS_ID_LEN];
    ngx_int_t          rc;
    ngx_str_t          id, token;
    ngx_ors_index_t    input, output;
    ngx_ors_record_t   rec;

    if (ngx_ors_record_read(&rec, value) != NGX_OK) {
        return NGX_DECLINED;
    }

    rc = ngx_ors_snapshot_id(&rec.response, pool, &id);

    if (rc != NGX_OK) {
        return rc;
    }

    if (ngx_ors_token(&id, text) != NGX_OK) {
        return NGX_ERROR;
    }

    token.data = text;
    token.len = NGX_ORS_ID_LEN;

    if (ngx_ors_record_items(&rec, NGX_ORS_STORE_INPUT, pool, &input)
        != NGX_OK
        || ngx_ors_record_items(&rec, NGX_ORS_STORE_OUTPUT, pool, &output)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (newest) {
        output.n = 0;
    }

    rc = ngx_ors_listing_add(list, list->ascending ? &input : &output, &token);

    if (rc != NGX_OK) {
        return rc;
    }

    return ngx_ors_listing_add(list, list->ascending ? &output : &input,
                               &token);
}


/*
 * Which operation on a stored response a request means: its path, its method
 * and its query string.
 */


ngx_int_t
ngx_ors_operation_find(ngx_str_t *path, ngx_str_t *method,
    ngx_uint_t conversation, ngx_str_t *id, ngx_ors_operation_e *kind,
    char **allow)
{
    u_char                    *p, *last;
    ngx_int_t                  rc;
    ngx_str_t                  suffix;
    ngx_uint_t                 i;
    ngx_ors_operation_path_t  *known;

    static ngx_str_t  post = ngx_string("POST");
    static ngx_str_t  prefix = ngx_string("resp_");

    last = path->data + path->len;

    p = ngx_strlchr(path->data, last, '/');
    p = p ? p : last;

    suffix.data = p;
    suffix.len = last - p;

    id->data = path->data;
    id->len = p - path->data;

    if (id->len == 0 || id->len > NGX_ORS_ID_MAX) {
        return NGX_DECLINED;
    }

    rc = NGX_DECLINED;

    for (i = 0; i < NGX_ORS_OPERATION_PATHS; i++) {
        known = &ngx_ors_operation_paths[i];

        if (known->conversation != conversation
            || !ngx_ors_same(&known->suffix, &suffix))
        {
            continue;
        }

        if (ngx_ors_same(&known->method, method)) {
            *kind = known->kind;
            return NGX_OK;
        }

        *allow = known->allow;
        rc = NGX_DONE;
    }

    /* a POST names another endpoint of the API, not a response */

    if (suffix.len == 0 && ngx_ors_same(method, &post)
        && (id->len < prefix.len
            || ngx_memcmp(id->data, prefix.data, prefix.len) != 0))
    {
        return NGX_DECLINED;
    }

    return rc;
}


ngx_int_t
ngx_ors_operation_query(ngx_ors_operation_t *op, ngx_ors_operation_e kind,
    ngx_str_t *query)
{
    ngx_int_t  rc;

    if (kind == ngx_ors_operation_retrieve) {
        return ngx_ors_operation_stream(op, query);
    }

    if (kind == ngx_ors_operation_items
        || kind == ngx_ors_operation_conversation_items)
    {
        rc = ngx_ors_listing_init(&op->list, query, op->pool, &op->error);
        return (rc == NGX_DECLINED) ? NGX_DONE : rc;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_operation_stream(ngx_ors_operation_t *op, ngx_str_t *query)
{
    ngx_int_t   rc, n;
    ngx_str_t   value;
    ngx_uint_t  stream, obfuscate;

    static ngx_str_t  by_stream = ngx_string("stream");
    static ngx_str_t  by_after = ngx_string("starting_after");
    static ngx_str_t  by_obfuscation = ngx_string("include_obfuscation");

    rc = ngx_ors_operation_flag_arg(op, query, &by_stream, &stream);

    if (rc == NGX_OK) {
        rc = ngx_ors_operation_flag_arg(op, query, &by_obfuscation, &obfuscate);
    }

    if (rc != NGX_OK) {
        return rc;
    }

    if (ngx_ors_query_arg(query, &by_after, op->pool, &value) != NGX_OK) {
        return NGX_ERROR;
    }

    op->stream = stream;
    op->obfuscate = obfuscate;

    /* without a stream it says nothing */

    if (value.len == 0 || !stream) {
        return NGX_OK;
    }

    n = ngx_atoi(value.data, value.len);

    if (n != NGX_ERROR && n < NGX_MAX_INT_T_VALUE) {
        op->after = n + 1;
        op->resumed = 1;
        return NGX_OK;
    }

    (void) ngx_ors_error_set(&op->error, op->pool, ngx_ors_code_invalid_value,
                             "\"starting_after\" must be the number of an "
                             "event");
    op->error.param = by_after;

    return NGX_DONE;
}


/* NGX_OK: "*flag" is set, NGX_DONE, NGX_ERROR */

static ngx_int_t
ngx_ors_operation_flag_arg(ngx_ors_operation_t *op, ngx_str_t *query,
    ngx_str_t *name, ngx_uint_t *flag)
{
    ngx_str_t  value;

    static ngx_str_t  yes = ngx_string("true");
    static ngx_str_t  no = ngx_string("false");

    if (ngx_ors_query_arg(query, name, op->pool, &value) != NGX_OK) {
        return NGX_ERROR;
    }

    *flag = ngx_ors_same(&value, &yes);

    if (*flag || value.len == 0 || ngx_ors_same(&value, &no)) {
        return NGX_OK;
    }

    (void) ngx_ors_error_set(&op->error, op->pool, ngx_ors_code_invalid_value,
                             "\"%V\" must be true or false", name);
    op->error.param = *name;

    return NGX_DONE;
}
