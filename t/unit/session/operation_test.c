
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Operations on stored responses: the end of a job in every state, and streams
 * of which the store knows less than the client.
 */


#include <ngx_ors_operation.h>

#include "session_env.h"


#define OK     NGX_OK
#define AGAIN  NGX_AGAIN
#define DONE   NGX_DONE
#define ERROR  NGX_ERROR


/* a record in the store while the operation runs */

typedef enum {
    there_no = 0,
    there_ended,
    there_background,       /* one of the background that has ended */
    there_runs,
    there_stopped,          /* its worker has no lease any more */
    there_marked,           /* somebody has cancelled it */
    there_deleted           /* its worker has stored it once more */
} there_e;


/* results of the end of a job; the job after it, if there is one */

typedef struct {
    ngx_ors_operation_e        kind;
    there_e                    there;
    ngx_ors_operation_state_e  state;     /* the job whose end it is */
    ngx_ors_store_status_e     status;
    ngx_int_t                  rc;
    ngx_ors_operation_state_e  next;
    const char                *text;      /* in the document, or the code */
} end_t;


/* a stream after an event with a number that the store does not know */

typedef struct {
    there_e                    there;
    ngx_int_t                  rc;        /* of the job, then of the events */
    ngx_int_t                  events;
    const char                *text;
} later_t;


static void test_ends(void);
static void test_later(void);
static void test_unexpected(void);
static void begin(env_t *env, ngx_ors_operation_t *op, const end_t *end);
static void store(env_t *env, ngx_ors_operation_t *op, there_e there);
static void store_entry(env_t *env, ngx_ors_operation_t *op,
    ngx_ors_key_e kind, const char *text, size_t len);
static void is_text(ngx_ors_operation_t *op, const char *text);


static const char  response[] =
    "{\"id\":\"resp_1\",\"object\":\"response\",\"status\":\"%s\","
    "\"background\":%s,\"output\":[{\"id\":\"m\",\"type\":\"message\"}]}";


/* one row a line: the operation, what is there, the job and its status */

#define END(kind, there, state, status, rc, next, text)                       \
    { ngx_ors_operation_##kind, there_##there, ngx_ors_operation_st_##state,  \
      ngx_ors_store_##status, rc, ngx_ors_operation_st_##next, text }

static const end_t  ends[] = {

    END(retrieve, no, read, ok, DONE, over, "not_found"),
    END(retrieve, ended, read, ok, OK, over, "\"status\":\"completed\""),
    END(retrieve, runs, read, ok, OK, over, "\"status\":\"in_progress\""),
    END(retrieve, stopped, read, ok, OK, over, "\"status\":\"failed\""),
    END(retrieve, marked, read, ok, OK, over, "\"status\":\"cancelled\""),
    END(retrieve, deleted, read, ok, DONE, over, "not_found"),
    END(retrieve, ended, read, timeout, DONE, over, "store_unavailable"),
    END(retrieve, ended, read, limit, DONE, over, "context_length_exceeded"),

    END(delete, no, find, ok, DONE, over, "not_found"),
    END(delete, ended, find, ok, AGAIN, remove, NULL),
    END(delete, runs, find, ok, AGAIN, stop, NULL),
    END(delete, ended, find, unavailable, DONE, over, "store_unavailable"),
    END(delete, runs, stop, ok, AGAIN, remove, NULL),
    END(delete, runs, stop, full, DONE, over, "store_unavailable"),
    END(delete, runs, remove, ok, OK, over, "\"deleted\":true"),
    END(delete, ended, remove, ok, OK, over, "\"deleted\":true"),
    END(delete, ended, remove, timeout, DONE, over, "store_unavailable"),

    END(cancel, no, check, ok, DONE, over, "not_found"),
    END(cancel, ended, check, ok, DONE, over, "invalid_value"),
    END(cancel, background, check, ok, OK, over, "\"status\":\"completed\""),
    END(cancel, runs, check, ok, AGAIN, mark, NULL),
    END(cancel, stopped, check, ok, OK, over, "\"status\":\"failed\""),
    END(cancel, marked, check, ok, OK, over, "\"status\":\"cancelled\""),
    END(cancel, runs, check, timeout, DONE, over, "store_unavailable"),
    END(cancel, runs, mark, ok, AGAIN, read, NULL),
    END(cancel, runs, mark, full, DONE, over, "store_unavailable"),
    END(cancel, runs, read, ok, OK, over, "\"status\":\"cancelled\""),

    END(items, ended, chain, ok, OK, over, "\"object\":\"list\""),
    END(items, no, chain, ok, AGAIN, alone, NULL),
    END(items, ended, chain, limit, DONE, over, "context_length_exceeded"),
    END(items, ended, chain, corrupt, DONE, over, "store_unavailable"),
    END(items, no, alone, ok, DONE, over, "not_found"),

    END(conversation, no, named, ok, DONE, over, "not_found"),
    END(conversation, no, named, timeout, DONE, over, "store_unavailable"),
    END(conversation_items, no, named, ok, DONE, over, "not_found"),
    END(conversation_delete, no, forget, ok, DONE, over, "not_found"),
    END(conversation_delete, no, forget, full, DONE, over,
        "store_unavailable")
};

#define ENDS  (sizeof(ends) / sizeof(ends[0]))


static const later_t  laters[] = {

    { there_ended, DONE, OK, "invalid_value" },
    { there_background, DONE, OK, "invalid_value" },
    { there_runs, OK, AGAIN, NULL },
    { there_stopped, OK, DONE,
      "\"response.failed\",\"sequence_number\":14,\"response\":{" },
    { there_marked, OK, DONE, "data: [DONE]" },
    { there_deleted, DONE, OK, "not_found" }
};


int
main(void)
{
    test_ends();
    test_later();
    test_unexpected();

    return done_testing();
}


static void
test_ends(void)
{
    env_t                      env;
    ngx_int_t                  rc;
    ngx_uint_t                 i, seen[NGX_ORS_OPERATION_STATES];
    const char                *mark;
    const end_t               *end;
    ngx_ors_operation_t        op;
    ngx_ors_operation_state_e  state;

    memset(seen, 0, sizeof(seen));

    for (i = 0; i < ENDS; i++) {
        end = &ends[i];
        seen[end->state] = 1;

        env_init(&env);
        begin(&env, &op, end);

        is_int(op.state, end->state, "row %d: the job of \"%s\"", (int) i,
               ngx_ors_operation_states[end->state]);

        env_job(&env, op.job);

        if (end->status) {
            op.job->status = end->status;
        }

        rc = ngx_ors_operation_done(&op);

        is_int(rc, end->rc, "what its end gives");
        is_int(op.state, end->next, "the state after it");
        ok((op.job != NULL) == (rc == AGAIN), "a job, when it waits");

        is_text(&op, end->text);

        if (op.job && op.job->op == ngx_ors_store_put) {
            mark = (end->kind == ngx_ors_operation_delete) ? "deleted"
                                                           : "cancelled";
            is_str(&op.job->entries[0].value, mark, "what its worker reads");
        }

        ngx_ors_operation_close(&op);
        env_done(&env);
    }

    for (state = ngx_ors_operation_st_read;
         state < ngx_ors_operation_st_over;
         state++)
    {
        ok(seen[state], "\"%s\" has a row", ngx_ors_operation_states[state]);
    }
}


static void
test_later(void)
{
    env_t                env;
    end_t                end;
    ngx_int_t            rc;
    ngx_uint_t           i;
    const later_t       *later;
    ngx_ors_operation_t  op;

    memset(&end, 0, sizeof(end_t));
    end.kind = ngx_ors_operation_retrieve;
    end.state = ngx_ors_operation_st_read;

    for (i = 0; i < sizeof(laters) / sizeof(laters[0]); i++) {
        later = &laters[i];
        end.there = later->there;

        env_init(&env);
        begin(&env, &op, &end);

        op.stream = 1;
        op.resumed = 1;
        op.after = 14;

        env_job(&env, op.job);
        rc = ngx_ors_operation_done(&op);

        is_int(rc, later->rc, "stream %d: what its job gives", (int) i);

        if (rc == OK) {
            is_int(ngx_ors_operation_events(&op), later->events,
                   "and its events");
            op.error.status = 0;
        }

        is_text(&op, later->text);

        ngx_ors_operation_close(&op);
        env_done(&env);
    }
}


/* no job is outstanding then */

static void
test_unexpected(void)
{
    env_t                env;
    end_t                end;
    ngx_ors_operation_t  op;

    env_init(&env);

    memset(&op, 0, sizeof(ngx_ors_operation_t));
    op.log = ngx_ors_test_log();

    is_int(ngx_ors_operation_done(&op), ERROR, "no job has been posted");

    end = ends[0];
    begin(&env, &op, &end);
    ngx_ors_operation_close(&op);

    is_int(ngx_ors_operation_done(&op), ERROR, "nor after it is closed");
    is_int(ngx_ors_test_logged(NGX_LOG_ALERT), 2, "both are logged");

    ngx_ors_test_log_reset();
    env_done(&env);
}


/* an operation that waits for the job of the state end->state */

static void
begin(env_t *env, ngx_ors_operation_t *op, const end_t *end)
{
    ngx_int_t  rc;
    ngx_str_t  query;

    memset(op, 0, sizeof(ngx_ors_operation_t));
    ngx_str_null(&query);

    op->store = &env->store;
    op->pool = env->pool;
    op->log = ngx_ors_test_log();
    op->max_turns = 100;
    op->max_size = 1048576;
    ngx_str_set(&op->id, "resp_1");

    memset(op->scope, env->scope, NGX_ORS_STORE_KEY);

    (void) ngx_ors_listing_init(&op->list, &query, env->pool, &op->error);

    store(env, op, end->there);

    rc = ngx_ors_operation_begin(op, end->kind);

    while (rc == AGAIN && op->state != end->state) {
        env_job(env, op->job);
        rc = ngx_ors_operation_done(op);
    }
}


static void
store(env_t *env, ngx_ors_operation_t *op, there_e there)
{
    char              text[256], value[512];
    u_char           *p;
    ngx_ors_record_t  rec;

    static u_char     journal[] = { ngx_ors_journal_created,
                                    ngx_ors_journal_in_progress };

    if (there == there_no) {
        return;
    }

    memset(&rec, 0, sizeof(ngx_ors_record_t));

    rec.status = (there >= there_runs) ? ngx_ors_record_in_progress
                                       : ngx_ors_record_completed;

    rec.response.len = snprintf(text, sizeof(text), response,
                           (there >= there_runs) ? "in_progress" : "completed",
                           (there >= there_background) ? "true" : "false");

    rec.journal.data = journal;
    rec.journal.len = sizeof(journal);

    p = ngx_ors_record_head(&rec, (u_char *) value);
    p = ngx_cpymem(p, text, rec.response.len);
    p = ngx_cpymem(p, journal, sizeof(journal));

    store_entry(env, op, ngx_ors_key_response, value,
                p - (u_char *) value);

    if (there >= there_runs && there != there_stopped) {
        store_entry(env, op, ngx_ors_key_lease, "alive", 5);
    }

    if (there == there_marked) {
        store_entry(env, op, ngx_ors_key_cancel, "cancelled", 9);
    }

    if (there == there_deleted) {
        store_entry(env, op, ngx_ors_key_cancel, "deleted", 7);
    }
}


static void
store_entry(env_t *env, ngx_ors_operation_t *op, ngx_ors_key_e kind,
    const char *text, size_t len)
{
    env_entry_t  *entry;

    entry = &env->entries[env->n++];

    (void) ngx_ors_key(op->scope, kind, &op->id, &entry->key);

    entry->value.len = len;
    entry->value.data = ngx_pnalloc(env->pool, len);

    memcpy(entry->value.data, text, len);
}


static void
is_text(ngx_ors_operation_t *op, const char *text)
{
    size_t        len;
    u_char        document[1024], *p;
    ngx_chain_t  *cl;

    if (text == NULL) {
        ok(op->out.size == 0 && op->error.status == 0, "no answer yet");
        return;
    }

    if (op->out.size == 0) {
        is_str(&op->error.code, text, "the error");
        return;
    }

    len = op->out.size;
    p = document;

    (void) ngx_ors_out_take(&op->out, &cl);

    for ( /* void */ ; cl; cl = cl->next) {
        p = ngx_cpymem(p, cl->buf->pos, cl->buf->last - cl->buf->pos);
    }

    *p = '\0';

    ok(strstr((char *) document, text) != NULL, "%d bytes have %s", (int) len,
       text);
}
