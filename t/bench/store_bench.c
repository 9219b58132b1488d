
/*
 * Copyright (C) Open Responses contributors
 *
 * The LMDB engine as nginx runs it, jobs on an event loop and what waits in
 * threads, without requests around it: turns stored and contexts loaded a
 * second, and how long the loop was away from its events.
 *
 *   store_bench DIRECTORY [SECONDS]
 *
 * A line for each measurement: NAME KEY=VALUE...
 */


#include <ngx_ors_test.h>
#include <ngx_ors_lmdb_engine.h>
#include <ngx_ors_record.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <time.h>


#define STORE_BENCH_CLIENTS  256
#define STORE_BENCH_THREADS  16
#define STORE_BENCH_TURN     10240
#define STORE_BENCH_CHAIN    1000
#define STORE_BENCH_PAUSES   (1024 * 1024)
#define STORE_BENCH_LARGE    (8 * 1024 * 1024)


static void store_bench_open(const char *dir, ngx_uint_t sync);
static void store_bench_close(void);
static void store_bench_fill(void);
static void store_bench_run(const char *name, ngx_uint_t clients,
    void (*post)(void));
static void store_bench_put(void);
static void store_bench_load(void);
static void store_bench_mixed(void);
static void store_bench_record(ngx_ors_store_job_t *job, uint64_t chain,
    ngx_uint_t depth);
static void store_bench_key(ngx_ors_store_key_t *key, uint64_t chain,
    uint64_t turn);
static void store_bench_handler(ngx_ors_store_job_t *job);
static void store_bench_loop(ngx_uint_t once);
static void *store_bench_thread(void *data);
static double store_bench_now(clockid_t clock);
static int store_bench_compare(const void *a, const void *b);


static ngx_ors_lmdb_state_t   st;
static ngx_ors_store_t        store;
static ngx_ors_store_engine_t engine;

static double                 seconds = 2;
static ngx_uint_t             depth;      /* of the contexts */
static ngx_uint_t             jobs, bytes, failures, running, posted;
static uint64_t               turns;
static void                 (*next)(void);

static float                 *pauses, *works;
static ngx_uint_t             npauses;
static double                 thread, loop;       /* ns of their processor */

static pthread_mutex_t        lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t         cond = PTHREAD_COND_INITIALIZER;
static ngx_thread_task_t     *waiting, **waiting_last = &waiting;
static ngx_thread_task_t     *finished, **finished_last = &finished;
static int                    notify;

ngx_queue_t                   ngx_posted_events;
ngx_rbtree_t                  ngx_event_timer_rbtree;


int
main(int argc, char **argv)
{
    char             name[64];
    pthread_t        tid;
    ngx_uint_t       i;

    static ngx_uint_t  depths[] = { 10, 100, 1000 };

    if (argc < 2) {
        fprintf(stderr, "usage: store_bench DIRECTORY [SECONDS]\n");
        return 2;
    }

    if (argc > 2) {
        seconds = atof(argv[2]);
    }

    /* glibc keeps pages as in a worker, see ngx_http_ors_body_init() */

    ngx_free(ngx_alloc(STORE_BENCH_LARGE, ngx_ors_test_log()));

    setvbuf(stdout, NULL, _IOLBF, 0);
    ngx_queue_init(&ngx_posted_events);

    pauses = malloc(STORE_BENCH_PAUSES * sizeof(float));
    works = malloc(STORE_BENCH_PAUSES * sizeof(float));
    notify = eventfd(0, 0);

    for (i = 0; i < STORE_BENCH_THREADS; i++) {
        pthread_create(&tid, NULL, store_bench_thread, NULL);
    }

    store_bench_open(argv[1], 1);
    store_bench_run("put", STORE_BENCH_CLIENTS, store_bench_put);
    store_bench_close();

    store_bench_open(argv[1], 0);
    store_bench_run("put-nosync", STORE_BENCH_CLIENTS, store_bench_put);
    store_bench_close();

    store_bench_open(argv[1], 1);
    store_bench_fill();

    depth = 1;
    store_bench_run("load", STORE_BENCH_CLIENTS, store_bench_load);
    store_bench_run("mixed", STORE_BENCH_CLIENTS, store_bench_mixed);

    for (i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
        depth = depths[i];

        snprintf(name, sizeof(name), "turn-%d", (int) depth);
        store_bench_run(name, 1, store_bench_load);
    }

    store_bench_close();

    return failures ? 1 : 0;
}


static void
store_bench_open(const char *dir, ngx_uint_t sync)
{
    int  err;

    ngx_memzero(&st, sizeof(ngx_ors_lmdb_state_t));

    mkdir(dir, 0700);

    engine.post = ngx_ors_lmdb_post;

    store.engine = &engine;
    store.timeout = 60000;
    store.log = ngx_ors_test_log();
    store.state = &st;

    st.store = &store;
    st.db.path = (u_char *) dir;
    st.db.size = (size_t) 16 * 1024 * 1024 * 1024;
    st.db.sync = sync;

    ngx_ors_lmdb_init(&st.db);

    err = ngx_ors_lmdb_open(&st.db);

    if (err) {
        fprintf(stderr, "%s: %s\n", dir, mdb_strerror(err));
        exit(1);
    }

    ngx_ors_lmdb_jobs_init(&st, store.log);
    ngx_ors_store_begin(&store, store.log);
    st.ready = 1;
}


static void
store_bench_close(void)
{
    char  name[4096];

    ngx_ors_lmdb_close(&st.db);

    snprintf(name, sizeof(name), "%s/data.mdb", st.db.path);
    unlink(name);
    snprintf(name, sizeof(name), "%s/lock.mdb", st.db.path);
    unlink(name);
}


/* a chain that is as long as the longest context */

static void
store_bench_fill(void)
{
    ngx_uint_t            i;
    ngx_ors_store_job_t  *job;

    for (i = 0; i < STORE_BENCH_CHAIN; i++) {
        job = ngx_ors_store_job(&store, ngx_ors_store_put, 1);
        store_bench_record(job, 0, i);

        posted++;
        ngx_ors_store_post(job);
    }

    while (posted) {
        store_bench_loop(1);
    }
}


static void
store_bench_run(const char *name, ngx_uint_t clients, void (*post)(void))
{
    double       begin, end, spent, all;
    ngx_uint_t   i, last;
    struct stat  sb;
    char         file[4096];

    jobs = 0;
    bytes = 0;
    npauses = 0;
    thread = 0;
    loop = 0;
    next = post;
    running = 1;

    begin = store_bench_now(CLOCK_MONOTONIC);
    end = begin + seconds * 1e9;

    for (i = 0; i < clients; i++) {
        post();
    }

    while (store_bench_now(CLOCK_MONOTONIC) < end) {
        store_bench_loop(1);
    }

    spent = (store_bench_now(CLOCK_MONOTONIC) - begin) / 1e9;
    running = 0;

    printf("%s rate=%.0f us=%.1f mb=%.0f", name, jobs / spent,
           spent * 1e6 * clients / jobs, bytes / spent / 1e6);

    /* those that are under way */

    while (posted) {
        store_bench_loop(0);
    }

    all = jobs;

    qsort(pauses, npauses, sizeof(float), store_bench_compare);
    qsort(works, npauses, sizeof(float), store_bench_compare);

    snprintf(file, sizeof(file), "%s/data.mdb", st.db.path);
    stat(file, &sb);

    last = npauses * 0.99;

    printf(" p50=%.0f p99=%.0f max=%.0f cpu99=%.0f disk=%.0f",
           pauses[npauses / 2], pauses[last], pauses[npauses - 1],
           works[last], turns ? sb.st_size / (double) turns : 0);
    printf(" thread=%.1f loop=%.1f\n", thread / all / 1e3, loop / all / 1e3);
}


static void
store_bench_put(void)
{
    ngx_ors_store_job_t  *job;

    job = ngx_ors_store_job(&store, ngx_ors_store_put, 1);
    job->handler = store_bench_handler;

    store_bench_record(job, 1 + turns % STORE_BENCH_CLIENTS,
                       turns / STORE_BENCH_CLIENTS);
    turns++;

    posted++;
    ngx_ors_store_post(job);
}


static void
store_bench_load(void)
{
    ngx_ors_store_job_t  *job;

    job = ngx_ors_store_job(&store, ngx_ors_store_chain, 1);
    job->handler = store_bench_handler;
    job->max_turns = STORE_BENCH_CHAIN;
    job->max_size = 64 * 1024 * 1024;

    store_bench_key(&job->entries[0].key, 0, depth - 1);

    posted++;
    ngx_ors_store_post(job);
}


/* as in conversations: a context is loaded, a turn is stored */

static void
store_bench_mixed(void)
{
    static ngx_uint_t  n;

    (n++ & 1) ? store_bench_put() : store_bench_load();
}


static void
store_bench_record(ngx_ors_store_job_t *job, uint64_t chain, ngx_uint_t turn)
{
    u_char                  names[NGX_ORS_RECORD_ANCESTORS
                                  * NGX_ORS_STORE_KEY];
    u_char                 *p;
    ngx_uint_t              i;
    ngx_ors_record_t        rec;
    ngx_ors_store_key_t     key;
    ngx_ors_store_entry_t  *entry;

    ngx_memzero(&rec, sizeof(ngx_ors_record_t));

    rec.depth = turn;
    rec.nancestors = ngx_min(turn, NGX_ORS_RECORD_ANCESTORS);
    rec.ancestors = names;
    rec.input.len = STORE_BENCH_TURN;

    for (i = 0; i < rec.nancestors; i++) {
        store_bench_key(&key, chain, turn - i - 1);
        ngx_memcpy(names + i * NGX_ORS_STORE_KEY, key.name,
                   NGX_ORS_STORE_KEY);
    }

    entry = &job->entries[0];
    entry->expires = ngx_time() + 1000000;
    store_bench_key(&entry->key, chain, turn);

    entry->value.len = ngx_ors_record_size(&rec);
    entry->value.data = ngx_pnalloc(job->pool, entry->value.len);

    p = ngx_ors_record_head(&rec, entry->value.data);
    ngx_memset(p, 'x', rec.input.len);
}


/* as random as a digest is */

static void
store_bench_key(ngx_ors_store_key_t *key, uint64_t chain, uint64_t turn)
{
    uint64_t  n[2];

    n[0] = (chain * 1000003 + turn + 1) * 0x9e3779b97f4a7c15ull;
    n[0] ^= n[0] >> 29;
    n[0] *= 0xbf58476d1ce4e5b9ull;
    n[1] = turn;

    ngx_memset(key->scope, 's', NGX_ORS_STORE_KEY);
    ngx_memcpy(key->name, n, NGX_ORS_STORE_KEY);
}


static void
store_bench_handler(ngx_ors_store_job_t *job)
{
    ngx_uint_t  i;

    if (job->status != ngx_ors_store_ok) {
        fprintf(stderr, "a job has failed: %d\n", (int) job->status);
        exit(1);
    }

    jobs++;
    posted--;

    for (i = 0; i < job->n; i++) {
        bytes += job->entries[i].value.len;
    }

    ngx_ors_store_release(job);

    if (running) {
        next();
    }
}


/* jobs that have come, and how long it took until the loop waits again */

static void
store_bench_loop(ngx_uint_t count)
{
    double              begin, work;
    uint64_t            n;
    ngx_queue_t        *q;
    ngx_event_t        *ev;
    ngx_thread_task_t  *task;

    if (ngx_queue_empty(&ngx_posted_events)
        && read(notify, &n, sizeof(n)) != sizeof(n))
    {
        return;
    }

    begin = store_bench_now(CLOCK_MONOTONIC);
    work = store_bench_now(CLOCK_THREAD_CPUTIME_ID);

    pthread_mutex_lock(&lock);

    task = finished;
    finished = NULL;
    finished_last = &finished;

    pthread_mutex_unlock(&lock);

    if (!ngx_queue_empty(&ngx_posted_events)) {
        q = ngx_queue_head(&ngx_posted_events);
        ev = ngx_queue_data(q, ngx_event_t, queue);

        ngx_delete_posted_event(ev);
        ev->handler(ev);
    }

    while (task) {
        ev = &task->event;
        task = task->next;

        ev->complete = 1;
        ev->active = 0;
        ev->handler(ev);
    }

    work = store_bench_now(CLOCK_THREAD_CPUTIME_ID) - work;
    loop += work;

    if (count && npauses < STORE_BENCH_PAUSES) {
        begin = store_bench_now(CLOCK_MONOTONIC) - begin;

        works[npauses] = work / 1e3;
        pauses[npauses++] = begin / 1e3;
    }
}


static void *
store_bench_thread(void *data)
{
    double              work;
    uint64_t            n;
    ngx_thread_task_t  *task;

    n = 1;

    for ( ;; ) {
        pthread_mutex_lock(&lock);

        while (waiting == NULL) {
            pthread_cond_wait(&cond, &lock);
        }

        task = waiting;
        waiting = task->next;

        if (waiting == NULL) {
            waiting_last = &waiting;
        }

        pthread_mutex_unlock(&lock);

        work = store_bench_now(CLOCK_THREAD_CPUTIME_ID);

        task->handler(task->ctx, NULL);
        task->next = NULL;

        work = store_bench_now(CLOCK_THREAD_CPUTIME_ID) - work;

        pthread_mutex_lock(&lock);

        thread += work;

        *finished_last = task;
        finished_last = &task->next;

        pthread_mutex_unlock(&lock);

        if (write(notify, &n, sizeof(n)) != sizeof(n)) {
            abort();
        }
    }

    return NULL;
}


static double
store_bench_now(clockid_t clock)
{
    struct timespec  ts;

    clock_gettime(clock, &ts);

    return ts.tv_sec * 1e9 + ts.tv_nsec;
}


static int
store_bench_compare(const void *a, const void *b)
{
    float  x, y;

    x = *(float *) a;
    y = *(float *) b;

    return (x > y) - (x < y);
}


/* as nginx does; no job is late here */

ngx_int_t
ngx_thread_task_post(ngx_thread_pool_t *tp, ngx_thread_task_t *task)
{
    task->event.active = 1;
    task->next = NULL;

    pthread_mutex_lock(&lock);

    *waiting_last = task;
    waiting_last = &task->next;

    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&lock);

    return NGX_OK;
}


void
ngx_rbtree_insert(ngx_rbtree_t *tree, ngx_rbtree_node_t *node)
{
}


void
ngx_rbtree_delete(ngx_rbtree_t *tree, ngx_rbtree_node_t *node)
{
}


void
ngx_ors_lmdb_failed(ngx_ors_lmdb_state_t *state, int err, char *what)
{
    fprintf(stderr, "cannot %s: %s\n", what, mdb_strerror(err));
    failures++;
}
