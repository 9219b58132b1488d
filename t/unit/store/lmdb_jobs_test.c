
/*
 * Copyright (C) Open Responses contributors
 *
 * Who has a job when: the event loop, a thread, or nobody.  Threads run here
 * when the test says so, and so do timers.
 */


#include "lmdb_env.h"

#include <ngx_ors_lmdb_engine.h>
#include <ngx_ors_record.h>


#define JOBS_MAX  600


typedef struct {
    ngx_uint_t                called;
    ngx_ors_store_status_e    status;
    ngx_str_t                 value;      /* of the first entry */
    ngx_uint_t                n;
    unsigned                  keep:1;     /* does not release it */
    unsigned                  again:1;    /* posts another one */
} jobs_seen_t;


static void test_one(void);
static void test_group(void);
static void test_turns(void);
static void test_readers(void);
static void test_size(void);
static void test_late_waiting(void);
static void test_late_running(void);
static void test_late_kept(void);
static void test_deadlines(void);
static void test_dropped(void);
static void test_unready(void);
static void test_no_threads(void);
static void test_again(void);
static void test_chain(void);
static void test_end(void);
static void test_memory(void);

static void start(void);
static void stop(void);
static ngx_ors_store_job_t *post(ngx_ors_store_op_e op, ngx_uint_t n,
    char *value, jobs_seen_t *seen);
static void handler(ngx_ors_store_job_t *job);
static ngx_uint_t run_threads(void);
static ngx_uint_t complete(void);
static void run_all(void);
static void run_posted(void);
static ngx_uint_t run_event(ngx_queue_t *posted);
static void later(ngx_msec_t ms);
static void close_store(ngx_ors_store_t *s);


static ngx_ors_test_lmdb_t    env;
static ngx_ors_lmdb_state_t   st;
static ngx_ors_store_t        store;
static ngx_uint_t             refuse;     /* tasks */
static ngx_uint_t             failures;

static ngx_thread_task_t     *tasks[16], *done[16];
static ngx_uint_t             ntasks, ndone;

static jobs_seen_t            seen[JOBS_MAX];

ngx_queue_t                   ngx_posted_events;
ngx_queue_t                   ngx_posted_next_events;
ngx_rbtree_t                  ngx_event_timer_rbtree;
static ngx_rbtree_node_t     *armed[JOBS_MAX];
static ngx_uint_t             timers;


int
main(void)
{
    ngx_queue_init(&ngx_posted_events);
    ngx_queue_init(&ngx_posted_next_events);

    test_one();
    test_group();
    test_turns();
    test_readers();
    test_size();
    test_late_waiting();
    test_late_running();
    test_late_kept();
    test_deadlines();
    test_dropped();
    test_unready();
    test_no_threads();
    test_again();
    test_chain();
    test_end();
    test_memory();

    return done_testing();
}


static void
test_one(void)
{
    start();

    post(ngx_ors_store_put, 1, "one", &seen[0]);
    is_int(seen[0].called, 0, "nobody is called when a job is posted");
    is_int(ntasks, 1, "a thread has it");
    is_int(timers, 1, "its time is running");

    run_threads();
    is_int(seen[0].called, 0, "nor when the thread is through");

    complete();
    is_int(seen[0].called, 1, "but when the loop has heard of it");
    is_int(seen[0].status, ngx_ors_store_ok, "it is done");
    is_int(timers, 0, "its time does not run any longer");

    post(ngx_ors_store_get, 1, NULL, &seen[0]);
    run_all();
    is_str(&seen[0].value, "one", "what was put is got");

    post(ngx_ors_store_delete, 1, NULL, &seen[0]);
    run_all();
    ok(seen[0].value.data != NULL, "it is deleted");

    post(ngx_ors_store_get, 1, NULL, &seen[0]);
    run_all();
    ok(seen[0].value.data == NULL, "and not there any longer");

    stop();
}


/* jobs that come while a commit is running go into the next one */

static void
test_group(void)
{
    ngx_uint_t  i;

    start();

    for (i = 0; i < 1 + NGX_ORS_LMDB_WRITES + 20; i++) {
        post(ngx_ors_store_put, i, "value", &seen[i]);
    }

    is_int(ntasks, 1, "one commit at a time");
    is_int(st.writer.n, 1, "of the first job");

    run_all();
    is_int(seen[0].called, 1, "which is over");
    is_int(seen[1].called, 0, "the second is not");
    is_int(st.writer.n, NGX_ORS_LMDB_WRITES, "then as many as a batch has");

    run_all();
    is_int(seen[1].called, 1, "they are over");
    is_int(seen[NGX_ORS_LMDB_WRITES].called, 1, "all of them");
    is_int(seen[NGX_ORS_LMDB_WRITES + 1].called, 0, "and no more");
    is_int(st.writer.n, 20, "then the others");

    run_all();

    for (i = 0; i < 1 + NGX_ORS_LMDB_WRITES + 20; i++) {
        if (seen[i].called != 1 || seen[i].status != ngx_ors_store_ok) {
            fail("job %d is done once", (int) i);
        }
    }

    is_int(ntasks, 0, "there is nothing left to do");

    stop();
}


/* handlers of a large commit leave room for other events */

static void
test_turns(void)
{
    ngx_uint_t  i, n, called;

    start();

    n = 2 + NGX_ORS_LMDB_FINISH * 3;

    for (i = 0; i < n; i++) {
        post(ngx_ors_store_put, i, "value", &seen[i]);
    }

    run_all();
    post(ngx_ors_store_put, n, "value", &seen[n]);

    run_threads();
    complete();

    is_int(ntasks, 1, "the next commit runs before anybody is told");

    for (called = 0, i = 0; i <= n; i++) {
        called += seen[i].called;
    }

    is_int(called, 1 + NGX_ORS_LMDB_FINISH, "a few are told at once");
    is_int(seen[NGX_ORS_LMDB_FINISH].called, 1, "the first ones");

    run_event(&ngx_posted_next_events);
    is_int(seen[NGX_ORS_LMDB_FINISH * 2].called, 1, "then a few more");
    is_int(seen[n - 1].called, 0, "not yet the last");

    later(store.timeout);
    is_int(seen[n - 1].status, ngx_ors_store_timeout, "which is late");

    run_threads();
    complete();
    run_all();

    for (i = 0; i <= n; i++) {
        if (seen[i].called != 1) {
            fail("job %d is told once", (int) i);
        }
    }

    stop();
}


/* several at once, each with all that waits when it begins */

static void
test_readers(void)
{
    ngx_uint_t  i, n;

    start();

    n = NGX_ORS_LMDB_READ_TASKS + NGX_ORS_LMDB_READS + 5;

    for (i = 0; i < n; i++) {
        post(ngx_ors_store_get, i, NULL, &seen[i]);
    }

    is_int(ntasks, NGX_ORS_LMDB_READ_TASKS, "tasks at once");

    post(ngx_ors_store_put, 0, "x", &seen[n]);
    is_int(ntasks, NGX_ORS_LMDB_READ_TASKS + 1, "and a commit beside them");

    run_all();

    is_int(ntasks, 2, "then two that have the others");
    is_int(st.readers[0].n, NGX_ORS_LMDB_READS, "a batch");
    is_int(st.readers[1].n, 5, "and the rest");

    run_all();

    for (i = 0; i <= n; i++) {
        if (seen[i].called != 1) {
            fail("job %d is done once", (int) i);
        }
    }

    stop();
}


/* a transaction does not become too large */

static void
test_size(void)
{
    char        *value;
    ngx_uint_t   i;

    start();

    value = ngx_alloc(3000001, ngx_ors_test_log());
    ngx_memset(value, 'x', 3000000);
    value[3000000] = '\0';

    for (i = 0; i < 6; i++) {
        post(ngx_ors_store_put, i, value, &seen[i]);
    }

    run_all();
    is_int(st.writer.n, 3, "three of 3 MB are enough");
    run_all();
    is_int(st.writer.n, 2, "then two");
    run_all();

    ngx_free(value);

    stop();
}


/* a job that nobody has begun is over with its time, and not done */

static void
test_late_waiting(void)
{
    start();

    post(ngx_ors_store_put, 0, "first", &seen[0]);
    post(ngx_ors_store_put, 1, "second", &seen[1]);

    run_threads();
    later(store.timeout);

    is_int(seen[1].called, 1, "the second one is over");
    is_int(seen[1].status, ngx_ors_store_timeout, "in time");

    complete();
    is_int(ntasks, 0, "there is nothing left to do");
    is_int(seen[1].called, 1, "it is told once");

    post(ngx_ors_store_get, 1, NULL, &seen[2]);
    run_all();
    ok(seen[2].value.data == NULL, "it is not done");

    stop();
}


/* one that a thread has is told, but kept until the thread gives it back */

static void
test_late_running(void)
{
    start();

    post(ngx_ors_store_put, 0, "first", &seen[0]);
    post(ngx_ors_store_get, 0, NULL, &seen[1]);

    later(store.timeout - 1);
    is_int(seen[0].called, 0, "there is time left");

    later(1);
    is_int(seen[0].called, 1, "it is over");
    is_int(seen[0].status, ngx_ors_store_timeout, "in time");
    is_int(seen[1].called, 1, "and so is the other one");
    is_int(timers, 0, "nothing waits");

    run_all();
    is_int(seen[0].called, 1, "it is told once");
    is_int(seen[0].status, ngx_ors_store_timeout, "and stays so");

    post(ngx_ors_store_get, 0, NULL, &seen[2]);
    run_all();
    is_str(&seen[2].value, "first", "what had begun is done");

    stop();
}


/* who was told may keep the job, beyond the end of the thread or not */

static void
test_late_kept(void)
{
    ngx_ors_store_job_t  *jobs[2];

    start();

    seen[0].keep = 1;
    seen[1].keep = 1;

    jobs[0] = post(ngx_ors_store_put, 0, "first", &seen[0]);
    jobs[1] = post(ngx_ors_store_get, 0, NULL, &seen[1]);

    later(store.timeout);
    is_int(jobs[0]->status, ngx_ors_store_timeout, "the first one is told");
    is_int(jobs[1]->status, ngx_ors_store_timeout, "and the second one");

    ngx_ors_store_release(jobs[0]);

    run_all();

    is_int(jobs[1]->status, ngx_ors_store_timeout, "the status is the same");
    ngx_ors_store_release(jobs[1]);

    is_int(seen[0].called + seen[1].called, 2, "each is told once");

    stop();
}


/* each job has its own */

static void
test_deadlines(void)
{
    start();

    post(ngx_ors_store_put, 0, "first", &seen[0]);
    later(store.timeout / 2);
    post(ngx_ors_store_put, 1, "second", &seen[1]);
    later(store.timeout / 2);

    is_int(seen[0].called, 1, "the first one is over");
    is_int(seen[1].called, 0, "the second one is not");
    is_int(timers, 1, "its time is running");

    later(store.timeout / 2);
    is_int(seen[1].called, 1, "then it is over as well");
    is_int(seen[1].status, ngx_ors_store_timeout, "in time");
    is_int(timers, 0, "nothing waits");

    run_all();
    stop();
}


/* a record that nobody waits for is written, but not read */

static void
test_dropped(void)
{
    ngx_ors_store_job_t  *job;

    start();

    job = post(ngx_ors_store_put, 0, "first", &seen[0]);
    ngx_ors_store_release(job);

    job = post(ngx_ors_store_put, 1, "second", &seen[1]);
    ngx_ors_store_release(job);

    post(ngx_ors_store_put, 2, "third", NULL);

    run_all();
    run_all();

    is_int(seen[0].called + seen[1].called, 0, "nobody is called");

    post(ngx_ors_store_get, 0, NULL, &seen[3]);
    post(ngx_ors_store_get, 1, NULL, &seen[4]);
    post(ngx_ors_store_get, 2, NULL, &seen[5]);
    run_all();

    is_str(&seen[3].value, "first", "the first one is done");
    is_str(&seen[4].value, "second", "the second one is done");
    is_str(&seen[5].value, "third", "and the one without a handler");

    post(ngx_ors_store_get, 2, NULL, NULL);
    is_int(ntasks, 0, "nobody wants to know");

    job = post(ngx_ors_store_put, 6, "late", &seen[6]);
    ngx_ors_store_release(job);
    later(store.timeout);
    run_all();
    is_int(seen[6].called, 0, "nobody is called for a late one");

    stop();
}


static void
test_unready(void)
{
    start();

    st.ready = 0;

    post(ngx_ors_store_get, 0, NULL, &seen[0]);
    post(ngx_ors_store_put, 0, "x", NULL);
    is_int(seen[0].called, 0, "nobody is called when a job is posted");
    is_int(ntasks, 0, "no thread has it");

    run_posted();
    is_int(seen[0].called, 1, "but a moment later");
    is_int(seen[0].status, ngx_ors_store_unavailable, "it is not available");

    stop();
}


static void
test_no_threads(void)
{
    start();

    refuse = 1;
    post(ngx_ors_store_put, 0, "x", &seen[0]);
    refuse = 1;
    post(ngx_ors_store_get, 0, NULL, &seen[1]);

    is_int(seen[0].called + seen[1].called, 0, "nobody is called at once");

    run_posted();
    is_int(seen[0].status, ngx_ors_store_unavailable, "it is not available");
    is_int(seen[1].status, ngx_ors_store_unavailable, "nor the other one");
    is_int(timers, 0, "nothing waits");

    post(ngx_ors_store_get, 0, NULL, &seen[2]);
    run_all();
    is_int(seen[2].status, ngx_ors_store_ok, "with threads it is");

    stop();
}


/* handlers post jobs */

static void
test_again(void)
{
    ngx_uint_t  i;

    start();

    for (i = 0; i < 3; i++) {
        seen[i].again = 1;
        post(ngx_ors_store_put, i, "x", &seen[i]);
    }

    for (i = 0; i < 10; i++) {
        run_all();
    }

    is_int(seen[0].called, 2, "a handler has posted another job");
    is_int(seen[1].called, 2, "the second, too");
    is_int(seen[2].called, 2, "and the third");
    is_int(ntasks, 0, "there is nothing left to do");

    stop();
}


static void
test_chain(void)
{
    u_char                text[200];
    ngx_ors_record_t      rec;
    ngx_ors_store_job_t  *job;

    start();

    ngx_memzero(&rec, sizeof(ngx_ors_record_t));
    rec.ancestors = text;
    ngx_ors_record_head(&rec, text);

    job = ngx_ors_store_job(&store, ngx_ors_store_put, 1);
    ngx_ors_test_lmdb_key(&env, &job->entries[0].key, "k", 0);
    job->entries[0].value.data = ngx_pnalloc(job->pool, 200);
    job->entries[0].value.len = ngx_ors_record_size(&rec);
    ngx_memcpy(job->entries[0].value.data, text, 200);
    job->entries[0].expires = ngx_time() + 10;
    ngx_ors_store_post(job);
    run_all();

    post(ngx_ors_store_chain, 0, NULL, &seen[0]);
    run_all();
    is_int(seen[0].status, ngx_ors_store_ok, "a chain of one");
    is_int(seen[0].n, 1, "has one");
    is_int(seen[0].value.len, ngx_ors_record_size(&rec), "as it was put");

    post(ngx_ors_store_chain, 1, NULL, &seen[1]);
    run_all();
    is_int(seen[1].status, ngx_ors_store_absent, "another is not there");

    stop();
}


/* a worker leaves: what waits to be written is written, nobody is told */

static void
test_end(void)
{
    ngx_uint_t  i;

    start();

    for (i = 0; i < 300; i++) {
        post(ngx_ors_store_put, i, "value", &seen[i]);
    }

    for (i = 300; i < 330; i++) {
        post(ngx_ors_store_get, i, NULL, &seen[i]);
    }

    later(store.timeout / 2);
    post(ngx_ors_store_put, 330, "last", &seen[330]);

    /* nginx waits for its threads, but not for its loop */

    run_threads();

    st.ready = 0;
    post(ngx_ors_store_get, 0, NULL, &seen[331]);
    st.ready = 1;

    ngx_ors_store_end(&store);

    for (i = 0; i < 332; i++) {
        if (seen[i].called) {
            fail("nobody is told of job %d", (int) i);
        }
    }

    ok(ngx_queue_empty(&st.reads) && ngx_queue_empty(&st.writes)
       && ngx_queue_empty(&st.finished) && ngx_queue_empty(&store.over),
       "no job is left");
    is_int(timers, 0, "nor a timer");

    while (ndone) {
        done[--ndone]->event.active = 0;
    }

    post(ngx_ors_store_get, 330, NULL, &seen[340]);
    run_all();
    is_str(&seen[340].value, "last", "the last one is written");

    stop();
}


static void
test_memory(void)
{
    ngx_ors_store_job_t  *job;

    start();

    job = ngx_ors_store_job(&store, ngx_ors_store_get, 1);
    job->handler = handler;
    job->data = &seen[0];

    ngx_ors_test_fail_after(1);
    ngx_ors_store_post(job);
    ngx_ors_test_fail_after(0);

    run_posted();
    is_int(seen[0].status, ngx_ors_store_unavailable,
           "without memory it is not available");

    stop();
}


static void
start(void)
{
    ngx_ors_test_lmdb_open(&env, 64 * 1024 * 1024);

    ngx_memzero(&st, sizeof(ngx_ors_lmdb_state_t));
    ngx_memzero(seen, sizeof(seen));

    store.engine = NULL;
    store.timeout = 1000;
    store.state = &st;
    ngx_ors_store_begin(&store, ngx_ors_test_log());

    static ngx_ors_store_engine_t  engine;

    engine.post = ngx_ors_lmdb_post;
    engine.timeout = ngx_ors_lmdb_timeout;
    engine.close = close_store;
    store.engine = &engine;

    st.db = env.db;
    st.store = &store;
    ngx_ors_lmdb_jobs_init(&st, store.log);
    st.ready = 1;

    ntasks = 0;
    ndone = 0;
    failures = 0;
}


static void
stop(void)
{
    run_posted();

    is_int(ntasks + ndone, 0, "no task is left");
    is_int(timers, 0, "no timer is left");
    is_int(failures, 0, "nothing has failed");

    env.db = st.db;
    ngx_ors_test_lmdb_close(&env);
}


static ngx_ors_store_job_t *
post(ngx_ors_store_op_e op, ngx_uint_t n, char *value, jobs_seen_t *s)
{
    ngx_ors_store_job_t  *job;

    job = ngx_ors_store_job(&store, op, 1);

    ngx_ors_test_lmdb_key(&env, &job->entries[0].key, "k", n);
    job->entries[0].expires = ngx_time() + 100;
    job->max_turns = 10;
    job->max_size = 10000;

    if (value) {
        job->entries[0].value.len = ngx_strlen(value);
        job->entries[0].value.data = ngx_pnalloc(job->pool,
                                                job->entries[0].value.len);
        ngx_memcpy(job->entries[0].value.data, value,
                   job->entries[0].value.len);
    }

    job->handler = s ? handler : NULL;
    job->data = s;

    ngx_ors_store_post(job);

    return job;
}


static void
handler(ngx_ors_store_job_t *job)
{
    jobs_seen_t  *s;

    static u_char  value[1000];

    s = job->data;

    s->called++;
    s->status = job->status;
    s->n = job->n;
    s->value = job->entries[0].value;

    /* the job's memory is going to leave */

    if (s->value.data && s->value.len < sizeof(value)) {
        s->value.data = value + (s - seen) % 10 * 100;
        ngx_memcpy(s->value.data, job->entries[0].value.data,
                   ngx_min(s->value.len, 100));
    }

    if (s->again) {
        s->again = 0;
        post(ngx_ors_store_put, 50, "again", s);
    }

    if (!s->keep) {
        ngx_ors_store_release(job);
    }
}


/* threads do what they have, the loop does not know yet */

static ngx_uint_t
run_threads(void)
{
    ngx_uint_t  i, n;

    n = ntasks;

    for (i = 0; i < n; i++) {
        tasks[i]->handler(tasks[i]->ctx, NULL);
        done[ndone++] = tasks[i];
    }

    ntasks = 0;

    return n;
}


static ngx_uint_t
complete(void)
{
    ngx_uint_t          i, n;
    ngx_thread_task_t  *ready[16];

    n = ndone;
    ngx_memcpy(ready, done, sizeof(ready));
    ndone = 0;

    for (i = 0; i < n; i++) {
        ready[i]->event.complete = 1;
        ready[i]->event.active = 0;
        ready[i]->event.handler(&ready[i]->event);
    }

    return n;
}


static void
run_all(void)
{
    run_threads();
    complete();

    while (run_event(&ngx_posted_next_events)) { /* void */ }
}


static void
run_posted(void)
{
    while (run_event(&ngx_posted_events)) { /* void */ }
}


static ngx_uint_t
run_event(ngx_queue_t *posted)
{
    ngx_queue_t  *q;
    ngx_event_t  *ev;

    if (ngx_queue_empty(posted)) {
        return 0;
    }

    q = ngx_queue_head(posted);
    ev = ngx_queue_data(q, ngx_event_t, queue);

    ngx_delete_posted_event(ev);
    ev->handler(ev);

    return 1;
}


static void
later(ngx_msec_t ms)
{
    ngx_uint_t    i;
    ngx_event_t  *ev;

    ngx_ors_test_time(ngx_time(), ngx_current_msec + ms);

    i = 0;

    while (i < timers) {
        ev = ngx_rbtree_data(armed[i], ngx_event_t, timer);

        if ((ngx_msec_int_t) (ev->timer.key - ngx_current_msec) > 0) {
            i++;
            continue;
        }

        ngx_event_del_timer(ev);
        ev->handler(ev);
        i = 0;
    }
}


static void
close_store(ngx_ors_store_t *s)
{
    ngx_ors_lmdb_jobs_end(s->state);
}


/* as nginx does */

ngx_int_t
ngx_thread_task_post(ngx_thread_pool_t *tp, ngx_thread_task_t *task)
{
    if (refuse) {
        refuse = 0;
        return NGX_ERROR;
    }

    ok(!task->event.active, "a task is posted once");

    task->event.active = 1;
    tasks[ntasks++] = task;

    return NGX_OK;
}


void
ngx_rbtree_insert(ngx_rbtree_t *tree, ngx_rbtree_node_t *node)
{
    armed[timers++] = node;
}


void
ngx_rbtree_delete(ngx_rbtree_t *tree, ngx_rbtree_node_t *node)
{
    ngx_uint_t  i;

    for (i = 0; armed[i] != node; i++) { /* void */ }

    for (timers--; i < timers; i++) {
        armed[i] = armed[i + 1];
    }
}


void
ngx_ors_lmdb_failed(ngx_ors_lmdb_state_t *state, int err, char *what)
{
    failures++;
}
