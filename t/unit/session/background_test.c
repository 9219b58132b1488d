
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The life of a background response: each event in each state, and the ways
 * through them with a store that is slow, full or down.
 */


#include <ngx_ors_background.h>

#include "session_env.h"


#define BEGIN    NGX_ORS_BACKGROUND_BEGIN
#define CANCEL   NGX_ORS_BACKGROUND_CANCEL
#define POST     NGX_ORS_BACKGROUND_POST
#define SEND     NGX_ORS_BACKGROUND_SEND
#define ANSWER   NGX_ORS_BACKGROUND_ANSWER
#define WAIT     NGX_ORS_BACKGROUND_WAIT
#define CALL     NGX_ORS_BACKGROUND_CALL
#define COMMIT   NGX_ORS_BACKGROUND_COMMIT
#define ADVANCE  NGX_ORS_BACKGROUND_ADVANCE
#define END      NGX_ORS_BACKGROUND_END
#define ERROR    NGX_ORS_BACKGROUND_ERROR

#define TIMEOUT  60000


/* the case besides the state */

typedef enum {
    fact_none = 0,
    fact_left,              /* the client that waited has left */
    fact_down,              /* the job that ends finds no store */
    fact_large,             /* ... or the record is too large for it */
    fact_tries,             /* ... and it was tried often */
    fact_cancelled,         /* the flag says so */
    fact_deleted,
    fact_answered,          /* the turn waits to be committed */
    fact_looked,            /* ... and no flag was found */
    fact_again,             /* ... and could not be committed */
    fact_failed,            /* the turn has failed */
    fact_lease,             /* the lease is old */
    fact_late,              /* the turn runs longer than it may */
    fact_waiting            /* the job that stores the end has failed */
} fact_e;


typedef struct {
    ngx_ors_background_state_e   state;
    ngx_ors_background_event_e   event;
    fact_e                       fact;
    ngx_uint_t                   todo;
    ngx_ors_background_state_e   next;
} life_row_t;


typedef struct {
    env_t                        env;
    env_request_t                r;
    ngx_ors_background_t         bg;
    ngx_uint_t                   fail;      /* allocation of the next step */
    ngx_uint_t                   failed;
} life_t;


static void test_rows(void);
static void test_every(void);
static void test_life(void);
static void test_refused(void);
static void test_late(void);
static void test_abandoned(void);
static void test_memory(void);
static void test_names(void);
static void life_init(life_t *life);
static void life_reach(life_t *life, ngx_ors_background_state_e state);
static void life_fact(life_t *life, fact_e fact);
static ngx_uint_t life_step(life_t *life, ngx_ors_background_event_e event);
static void life_sent(life_t *life, ngx_uint_t todo);
static void life_ask(life_t *life, const char *text);
static ngx_int_t life_status(life_t *life);
static void life_done(life_t *life);


#define row(state, event, fact, todo, next)                                   \
    { ngx_ors_background_st_##state, ngx_ors_background_ev_##event,           \
      fact_##fact, todo, ngx_ors_background_st_##next }


static life_row_t  rows[] = {

    row(queued, tick, none, BEGIN, queued),
    row(queued, ready, none, POST, record),
    row(queued, commit, none, 0, queued),
    row(queued, end, none, ANSWER|END, over),
    row(queued, end, left, END, over),
    row(queued, done, none, 0, queued),
    row(queued, leave, none, END, over),
    row(queued, close, none, ANSWER, over),
    row(queued, close, left, 0, over),

    row(record, tick, none, 0, record),
    row(record, ready, none, 0, record),
    row(record, commit, none, 0, record),
    row(record, end, none, ANSWER|END, over),
    row(record, done, none, ANSWER|WAIT|CALL, run),
    row(record, done, left, SEND|END, over),
    row(record, done, down, CALL, queued),
    row(record, done, large, CALL, queued),
    row(record, leave, none, 0, record),
    row(record, close, none, ANSWER, over),
    row(record, close, left, 0, over),

    row(run, tick, none, WAIT|POST, run),
    row(run, tick, lease, WAIT|SEND|POST, run),
    row(run, tick, answered, WAIT|ADVANCE, run),
    row(run, tick, again, WAIT|ADVANCE, run),
    row(run, tick, late, WAIT|SEND|CANCEL|ADVANCE, run),
    row(run, ready, none, CALL, run),
    row(run, commit, answered, POST, run),
    row(run, commit, looked, COMMIT, run),
    row(run, end, none, POST, check),
    row(run, end, failed, CANCEL|POST, store),
    row(run, done, none, 0, run),
    row(run, done, down, 0, run),
    row(run, done, answered, ADVANCE, run),
    row(run, done, cancelled, CANCEL|POST, store),
    row(run, done, deleted, CANCEL|SEND|END, over),
    row(run, leave, none, 0, run),
    row(run, close, none, SEND, over),
    row(run, close, answered, SEND, over),

    row(store, tick, none, 0, store),
    row(store, tick, waiting, POST, store),
    row(store, ready, none, ERROR, store),
    row(store, commit, none, 0, store),
    row(store, end, none, 0, store),
    row(store, done, none, POST, check),
    row(store, done, down, WAIT, store),
    row(store, done, tries, END, over),
    row(store, done, large, END, over),
    row(store, leave, none, 0, store),
    row(store, close, none, SEND, over),

    row(check, tick, none, 0, check),
    row(check, ready, none, ERROR, check),
    row(check, commit, none, 0, check),
    row(check, end, none, 0, check),
    row(check, done, none, SEND|END, over),
    row(check, done, down, SEND|END, over),
    row(check, done, deleted, SEND|END, over),
    row(check, leave, none, 0, check),
    row(check, close, none, 0, over),

    row(over, tick, none, 0, over),
    row(over, ready, none, ERROR, over),
    row(over, commit, none, 0, over),
    row(over, end, none, 0, over),
    row(over, done, none, 0, over),
    row(over, leave, none, 0, over),
    row(over, close, none, 0, over)
};

#define ROWS  (sizeof(rows) / sizeof(rows[0]))


int
main(void)
{
    test_rows();
    test_every();
    test_life();
    test_refused();
    test_late();
    test_abandoned();
    test_memory();
    test_names();

    return done_testing();
}


static void
test_rows(void)
{
    char         name[80];
    life_t       life;
    ngx_uint_t   i, todo;
    life_row_t  *row;

    for (i = 0; i < ROWS; i++) {
        row = &rows[i];

        sprintf(name, "%s, %s, fact %d",
                ngx_ors_background_states[row->state],
                ngx_ors_background_events[row->event], (int) row->fact);

        life_init(&life);
        life_reach(&life, row->state);
        life_fact(&life, row->fact);

        todo = life_step(&life, row->event);

        is_int(todo, row->todo, "%s: what is to be done", name);
        is_int(life.bg.state, row->next, "%s: what it is then", name);

        ok(!(todo & POST) || life.bg.job, "%s: a job to post", name);
        ok(!(todo & SEND) || life.bg.unwatched, "%s: a job to send", name);

        life_sent(&life, todo);
        life_done(&life);

        ngx_ors_test_log_reset();
    }
}


static void
test_every(void)
{
    ngx_uint_t  state, event, i;

    for (state = 0; state < NGX_ORS_BACKGROUND_STATES; state++) {

        for (event = 0; event < NGX_ORS_BACKGROUND_EVENTS; event++) {

            for (i = 0; i < ROWS; i++) {
                if (rows[i].state == state && rows[i].event == event) {
                    break;
                }
            }

            ok(i < ROWS, "%s has a row in %s",
               ngx_ors_background_events[event],
               ngx_ors_background_states[state]);
        }
    }
}


static void
test_life(void)
{
    life_t            life;
    ngx_uint_t        todo;
    ngx_ors_record_t  rec;

    life_init(&life);
    life_reach(&life, ngx_ors_background_st_record);

    env_job(&life.env, life.bg.job);

    is_int(life.env.n, 2, "a record and a lease");
    is_int(life.env.entries[1].expires, 1700000000 + NGX_ORS_BACKGROUND_LEASE,
           "which says how long");

    (void) ngx_ors_record_read(&rec, &life.env.entries[0].value);
    is_int(rec.status, ngx_ors_record_in_progress, "the turn runs");

    life_reach(&life, ngx_ors_background_st_run);

    ok(ngx_strlcasestrn(life.bg.response.data,
                        life.bg.response.data + life.bg.response.len,
                        (u_char *) "\"status\":\"queued\"", 16)
       != NULL, "the client gets a response that is queued");

    ngx_ors_test_time(1700000000 + 5, 6000);
    life_sent(&life, life_step(&life, ngx_ors_background_ev_tick));
    is_int(life.env.entries[1].expires,
           1700000005 + NGX_ORS_BACKGROUND_LEASE, "the lease is renewed");
    ngx_ors_test_time(1700000000, 1000);

    life_reach(&life, ngx_ors_background_st_check);

    is_int(life.env.n, 2, "its end is in the place of the first record");
    is_int(life_status(&life), ngx_ors_record_completed, "it is complete");

    todo = life_step(&life, ngx_ors_background_ev_done);
    life_sent(&life, todo);

    is_int(life.env.entries[1].key.scope[0], 0xff, "the lease is deleted");
    is_int(life.env.entries[0].key.scope[0], 's', "the record is not");

    life_done(&life);

    life_init(&life);
    life_reach(&life, ngx_ors_background_st_check);
    life_ask(&life, NGX_ORS_KEY_DELETED);
    life_sent(&life, life_step(&life, ngx_ors_background_ev_done));

    is_int(life.env.entries[0].key.scope[0], 0xff, "unless it is unwanted");

    life_done(&life);
}


static void
test_refused(void)
{
    life_t  life;

    life_init(&life);
    life_reach(&life, ngx_ors_background_st_record);
    life_fact(&life, fact_down);

    (void) life_step(&life, ngx_ors_background_ev_done);

    is_int(life.r.turn->error.status, 503, "no store: the turn has failed");
    is_int(life_step(&life, ngx_ors_background_ev_end), ANSWER|END,
           "its client gets the error");
    is_int(life.bg.response.len, 0, "and no response");
    is_int(ngx_ors_test_logged(NGX_LOG_ERR), 1, "the log says so");

    life_done(&life);
    ngx_ors_test_log_reset();
}


static void
test_late(void)
{
    life_t  life;

    life_init(&life);
    life_reach(&life, ngx_ors_background_st_run);
    life_fact(&life, fact_late);

    life_sent(&life, life_step(&life, ngx_ors_background_ev_tick));

    is_str(&life.r.turn->error.code, "upstream_timeout", "it takes too long");
    is_int(life_step(&life, ngx_ors_background_ev_end), CANCEL|POST,
           "that is stored");

    env_job(&life.env, life.bg.job);
    is_int(life_status(&life), ngx_ors_record_failed, "as a failure");

    life_done(&life);
    ngx_ors_test_log_reset();
}


static void
test_abandoned(void)
{
    life_t  life;

    life_init(&life);
    life_reach(&life, ngx_ors_background_st_run);

    life_sent(&life, life_step(&life, ngx_ors_background_ev_close));

    is_str(&life.r.turn->error.code, "server_error", "the worker has stopped");
    is_int(life_status(&life), ngx_ors_record_failed, "that is stored, too");

    life_done(&life);
}


static void
test_memory(void)
{
    life_t       life;
    ngx_uint_t   i, n, todo;
    life_row_t  *row;

    for (i = 0; i < ROWS; i++) {
        row = &rows[i];

        for (n = 1; n < 100; n++) {
            life_init(&life);
            life_reach(&life, row->state);
            life_fact(&life, row->fact);

            life.fail = n;
            todo = life_step(&life, row->event);

            ok(!(todo & POST) || life.bg.job, "row %d: a job", (int) i);
            ok(!(todo & SEND) || life.bg.unwatched, "row %d: sent", (int) i);

            life_sent(&life, todo);
            life_done(&life);

            if (!life.failed) {
                break;
            }
        }

        ok(n < 100, "row %d: comes to its end", (int) i);
    }

    ngx_ors_test_log_reset();
}


static void
test_names(void)
{
    ngx_uint_t  i;

    for (i = 0; i < NGX_ORS_BACKGROUND_STATES; i++) {
        ok(ngx_ors_background_states[i] != NULL,
           "state %d has a name", (int) i);
    }

    for (i = 0; i < NGX_ORS_BACKGROUND_EVENTS; i++) {
        ok(ngx_ors_background_events[i] != NULL,
           "event %d has a name", (int) i);
    }
}


static void
life_init(life_t *life)
{
    static ngx_ors_background_limit_t  limit = {
        .timeout = TIMEOUT, .progress = 5000
    };

    ngx_ors_test_time(1700000000, 1000);

    memset(life, 0, sizeof(life_t));

    env_init(&life->env);

    life->env.detached = 1;
    env_request(&life->env, &life->r,
                "{'model':'m','input':'hi','background':true}");

    (void) ngx_ors_session_background(life->r.session);
    (void) env_load(&life->r);

    ngx_ors_background_init(&life->bg, life->r.session, &limit);
}


/* goes on from wherever it is */

static void
life_reach(life_t *life, ngx_ors_background_state_e state)
{
    if (state >= ngx_ors_background_st_record
        && life->bg.state == ngx_ors_background_st_queued)
    {
        (void) life_step(life, ngx_ors_background_ev_ready);
    }

    if (state >= ngx_ors_background_st_run
        && life->bg.state == ngx_ors_background_st_record)
    {
        (void) life_step(life, ngx_ors_background_ev_done);
    }

    if (state == ngx_ors_background_st_store) {
        life_fact(life, fact_failed);
        (void) life_step(life, ngx_ors_background_ev_end);
    }

    if (state >= ngx_ors_background_st_check) {
        env_answer(&life->r);
        (void) env_step(&life->r, ngx_ors_session_ev_commit);
        (void) env_run(&life->r);
        (void) life_step(life, ngx_ors_background_ev_end);
    }

    if (state == ngx_ors_background_st_over) {
        life_sent(life, life_step(life, ngx_ors_background_ev_done));
    }
}


static void
life_fact(life_t *life, fact_e fact)
{
    ngx_ors_turn_t       *turn;
    ngx_ors_store_job_t  *job;

    turn = life->r.turn;
    job = life->bg.job;

    switch (fact) {

    case fact_none:
        break;

    case fact_left:
        life->bg.waits = 0;
        break;

    case fact_tries:
        life->bg.tries = NGX_ORS_BACKGROUND_TRIES;

        /* fall through */

    case fact_down:
        if (job == NULL) {
            (void) life_step(life, ngx_ors_background_ev_tick);
            job = life->bg.job;
        }

        job->status = ngx_ors_store_timeout;
        job->data = job;
        break;

    case fact_large:
        job->status = ngx_ors_store_large;
        job->data = job;
        break;

    case fact_cancelled:
        life_ask(life, NGX_ORS_KEY_CANCELLED);
        break;

    case fact_deleted:
        life_ask(life, NGX_ORS_KEY_DELETED);
        break;

    case fact_looked:
        life->bg.looked = 1;

        /* fall through */

    case fact_again:
    case fact_answered:
        env_answer(&life->r);
        break;

    case fact_failed:
        (void) ngx_ors_error_set(&turn->error, turn->pool,
                                 ngx_ors_code_upstream_unavailable, "y");
        turn->retries_left = 0;
        (void) ngx_ors_turn_fail(turn);
        break;

    case fact_lease:
        ngx_ors_test_time(1700000005, 1000 + NGX_ORS_BACKGROUND_RENEW);
        break;

    case fact_late:
        ngx_ors_test_time(1700000000 + TIMEOUT / 1000, 1000 + TIMEOUT);
        break;

    case fact_waiting:
        ngx_ors_store_release(job);
        life->bg.job = NULL;
        break;
    }
}


/* a job that is done was run, unless a fact says how it has ended */

static ngx_uint_t
life_step(life_t *life, ngx_ors_background_event_e event)
{
    ngx_uint_t            todo;
    ngx_ors_store_job_t  *job;

    if (event == ngx_ors_background_ev_done
        && life->bg.job == NULL && life->bg.state == ngx_ors_background_st_run)
    {
        life->bg.job = ngx_ors_background_look(&life->bg);
    }

    job = (event == ngx_ors_background_ev_done) ? life->bg.job : NULL;

    if (job && job->data == NULL) {
        env_job(&life->env, job);
    }

    ngx_ors_test_fail_after(life->fail);
    todo = ngx_ors_background_step(&life->bg, event);
    life->failed = ngx_ors_test_failed();
    ngx_ors_test_fail_after(0);

    life->fail = 0;

    if (job) {
        ngx_ors_store_release(job);
    }

    return todo;
}


static void
life_sent(life_t *life, ngx_uint_t todo)
{
    if (!(todo & SEND)) {
        return;
    }

    env_job(&life->env, life->bg.unwatched);
    ngx_ors_store_release(life->bg.unwatched);
    life->bg.unwatched = NULL;
}


static void
life_ask(life_t *life, const char *text)
{
    ngx_ors_store_job_t  *job;

    job = ngx_ors_store_job(&life->env.store, ngx_ors_store_put, 1);

    job->entries[0].key = life->bg.flag;
    job->entries[0].value.data = (u_char *) text;
    job->entries[0].value.len = strlen(text);

    env_job(&life->env, job);
    ngx_ors_store_release(job);
}


static ngx_int_t
life_status(life_t *life)
{
    ngx_ors_record_t  rec;

    return (ngx_ors_record_read(&rec, &life->env.entries[0].value) == NGX_OK)
           ? (ngx_int_t) rec.status : NGX_ERROR;
}


static void
life_done(life_t *life)
{
    life_sent(life, ngx_ors_background_step(&life->bg,
                                            ngx_ors_background_ev_close));

    if (life->bg.job) {
        ngx_ors_store_release(life->bg.job);
    }

    env_close(&life->r);
    env_done(&life->env);
}
