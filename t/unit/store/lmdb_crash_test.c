
/*
 * Copyright (C) Open Responses contributors
 *
 * Two processes write as fast as they can, and one of them, or both, is
 * killed at any moment.  The next one finds all that the dead had been told
 * to be written, in pairs that were written together, and nothing half.
 *
 * LMDB_KILLS is how often.
 */


#include "lmdb_env.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>


#define CRASH_KILLS   60
#define CRASH_VALUES  300
#define CRASH_BATCH   20

/* that a process writes before it is killed */
#define CRASH_LEAST   40


typedef struct {
    volatile uint64_t   acked[2];     /* the last one that was written */
    volatile uint64_t   first[2];     /* of the values that are there */
    volatile uint64_t   ready[2];
    volatile ngx_uint_t missing;
    volatile ngx_uint_t halves;
    volatile ngx_uint_t torn;
    volatile ngx_uint_t errors;
    volatile ngx_uint_t ahead;
    volatile ngx_uint_t checked;
    volatile ngx_uint_t miscounts;
} crash_shared_t;


static void test_kills(ngx_uint_t sync, ngx_uint_t kills);
static pid_t start(ngx_ors_test_lmdb_t *t, ngx_uint_t who);
static void writer(ngx_ors_test_lmdb_t *t, ngx_uint_t who);
static uint64_t check(ngx_ors_test_lmdb_t *t, ngx_uint_t who);
static uint64_t check_value(ngx_str_t *value, ngx_uint_t *torn);
static void write_batch(ngx_ors_test_lmdb_t *t, ngx_uint_t who, uint64_t seq,
    ngx_uint_t n);
static void wait_for(volatile uint64_t *value, uint64_t least);
static void test_resize(void);


static crash_shared_t  *shared;


int
main(void)
{
    ngx_uint_t  kills;

    kills = getenv("LMDB_KILLS") ? (ngx_uint_t) atoi(getenv("LMDB_KILLS"))
                                 : CRASH_KILLS;

    test_kills(0, kills);
    test_kills(1, kills / 4);
    test_resize();

    return done_testing();
}


static void
test_kills(ngx_uint_t sync, ngx_uint_t kills)
{
    pid_t                pid[2];
    ngx_uint_t           i, n, who;
    ngx_ors_test_lmdb_t  t;

    shared = mmap(NULL, sizeof(crash_shared_t), PROT_READ|PROT_WRITE,
                  MAP_SHARED|MAP_ANONYMOUS, -1, 0);

    ngx_ors_test_lmdb_open(&t, 64 * 1024 * 1024);
    ngx_ors_lmdb_close(&t.db);

    t.db.sync = sync;

    pid[0] = start(&t, 0);
    pid[1] = start(&t, 1);

    srandom(1);

    for (n = 0; n < kills; n++) {
        usleep(random() % 20000);

        /* as long as one of them lives, the lock is not made anew */

        who = random() & 1;
        wait_for(&shared->acked[who], shared->acked[who] + CRASH_LEAST);
        kill(pid[who], SIGKILL);
        waitpid(pid[who], NULL, 0);

        if (n % 5 == 4) {
            kill(pid[!who], SIGKILL);
            waitpid(pid[!who], NULL, 0);
            pid[!who] = start(&t, !who);
        }

        pid[who] = start(&t, who);
    }

    for (i = 0; i < 2; i++) {
        kill(pid[i], SIGKILL);
        waitpid(pid[i], NULL, 0);
    }

    ok(shared->acked[0] > kills && shared->acked[1] > kills,
       "%d and %d values were written by processes that were killed",
       (int) shared->acked[0], (int) shared->acked[1]);
    ok(shared->checked > kills * 100, "%d were looked at",
       (int) shared->checked);
    is_int(shared->missing, 0, "what had been written was there");
    is_int(shared->halves, 0, "with what had been written together with it");
    is_int(shared->torn, 0, "as a whole");
    is_int(shared->miscounts, 0, "what scopes take was counted with it");
    is_int(shared->errors, 0, "no process had an error");
    diag("%d values were there that had not been confirmed",
         (int) shared->ahead);

    munmap(shared, sizeof(crash_shared_t));

    is_int(ngx_ors_lmdb_open(&t.db), 0, "it opens in the end");
    ngx_ors_test_lmdb_close(&t);
}


static pid_t
start(ngx_ors_test_lmdb_t *t, ngx_uint_t who)
{
    pid_t  pid;

    shared->ready[who] = 0;

    pid = fork();

    if (pid == 0) {
        writer(t, who);
        _exit(1);
    }

    wait_for(&shared->ready[who], 1);

    return pid;
}


/* looks at what is there, then writes until it is killed */

static void
writer(ngx_ors_test_lmdb_t *t, ngx_uint_t who)
{
    uint64_t    seq;
    ngx_uint_t  n, swept;

    if (ngx_ors_lmdb_open(&t->db)) {
        shared->errors++;
        return;
    }

    if (ngx_ors_test_lmdb_miscounted(t)) {
        shared->miscounts++;
    }

    seq = check(t, who);
    shared->acked[who] = seq;
    shared->ready[who] = 1;

    srandom(getpid());

    for ( ;; ) {
        n = 1 + random() % CRASH_BATCH;

        write_batch(t, who, seq + 1, n);

        seq += n;
        shared->acked[who] = seq;

        if (random() % 10 == 0) {
            if (ngx_ors_lmdb_sweep(&t->db, t->now, 200, &swept)) {
                shared->errors++;
            }
        }
    }
}


/* both of each pair, of the number that was told or of a later one */

static uint64_t
check(ngx_ors_test_lmdb_t *t, ngx_uint_t who)
{
    uint64_t    acked, last, seq, one, two;
    ngx_str_t   value;
    ngx_uint_t  i, torn;

    acked = shared->acked[who];
    last = acked;
    torn = 0;

    for (i = 0; i < CRASH_VALUES; i++) {

        /* the last one that has this place */

        seq = acked - (acked + CRASH_VALUES - i) % CRASH_VALUES;

        if (acked < i || seq == 0) {
            continue;
        }

        ngx_ors_test_lmdb_get_n(t, who ? "one" : "ONE", i, &value);
        one = check_value(&value, &torn);

        ngx_ors_test_lmdb_get_n(t, who ? "two" : "TWO", i, &value);
        two = check_value(&value, &torn);

        if (t->status != ngx_ors_store_ok) {
            shared->errors++;
        }

        if (one < seq) {
            shared->missing++;
        }

        if (one != two) {
            shared->halves++;
        }

        if (one > acked) {
            shared->ahead++;
        }

        last = ngx_max(last, one);
        shared->checked++;
    }

    shared->torn += torn;

    ngx_destroy_pool(t->pool);
    t->pool = ngx_ors_test_pool();

    return last;
}


/* its number, which is repeated in all of it */

static uint64_t
check_value(ngx_str_t *value, ngx_uint_t *torn)
{
    size_t    i;
    uint64_t  seq, n;

    if (value->len < sizeof(uint64_t)) {
        return 0;
    }

    ngx_memcpy(&seq, value->data, sizeof(uint64_t));

    for (i = 0; i + sizeof(uint64_t) <= value->len; i += sizeof(uint64_t)) {
        ngx_memcpy(&n, value->data + i, sizeof(uint64_t));

        if (n != seq) {
            (*torn)++;
            break;
        }
    }

    return seq;
}


/* each job has a pair, and something that has expired */

static void
write_batch(ngx_ors_test_lmdb_t *t, ngx_uint_t who, uint64_t seq,
    ngx_uint_t n)
{
    ngx_uint_t            i, k;
    ngx_ors_lmdb_op_t    *ops[CRASH_BATCH];
    ngx_ors_store_job_t  *job;

    static uint64_t  text[2500];

    for (i = 0; i < n; i++) {
        ops[i] = ngx_ors_test_lmdb_op(t, ngx_ors_store_put, 3);
        job = ops[i]->job;

        ngx_ors_test_lmdb_key(t, &job->entries[0].key, who ? "one" : "ONE",
                              (seq + i) % CRASH_VALUES);
        ngx_ors_test_lmdb_key(t, &job->entries[1].key, who ? "two" : "TWO",
                              (seq + i) % CRASH_VALUES);
        ngx_ors_test_lmdb_key(t, &job->entries[2].key, "old", random());

        job->entries[0].expires = t->now + 100;
        job->entries[1].expires = t->now + 100;
        job->entries[2].expires = t->now - 1;

        job->entries[0].value.len = sizeof(uint64_t) * (1 + random() % 2500);
        job->entries[1].value.len = sizeof(uint64_t) * (1 + random() % 100);
        job->entries[2].value.len = 10;

        for (k = 0; k < 3; k++) {
            job->entries[k].value.data = ngx_pnalloc(t->pool,
                                                job->entries[k].value.len);
        }

        for (k = 0; k < 2500; k++) {
            text[k] = seq + i;
        }

        for (k = 0; k < 3; k++) {
            ngx_memcpy(job->entries[k].value.data, text,
                       job->entries[k].value.len);
        }
    }

    if (ngx_ors_lmdb_write(&t->db, ops, n, t->now)) {
        shared->errors++;
        _exit(1);
    }

    ngx_destroy_pool(t->pool);
    t->pool = ngx_ors_test_pool();
}


static void
wait_for(volatile uint64_t *value, uint64_t least)
{
    ngx_uint_t  i;

    for (i = 0; i < 60000; i++) {

        if (*value >= least) {
            return;
        }

        usleep(1000);
    }

    fail("a process does not go on");
}


/* after a reload another process may have a larger map */

static void
test_resize(void)
{
    int                  status;
    pid_t                pid;
    ngx_str_t            value;
    ngx_uint_t           i;
    ngx_ors_test_lmdb_t  t;

    shared = mmap(NULL, sizeof(crash_shared_t), PROT_READ|PROT_WRITE,
                  MAP_SHARED|MAP_ANONYMOUS, -1, 0);

    ngx_ors_test_lmdb_open(&t, 1024 * 1024);
    ngx_ors_lmdb_close(&t.db);

    value.data = ngx_ors_test_lmdb_fill(&t, 10000, 0);
    value.len = 10000;

    /* valgrind writes at the child's end what it has inherited */
    fflush(stdout);

    pid = fork();

    if (pid == 0) {
        wait_for(&shared->ready[0], 1);

        t.db.size = 16 * 1024 * 1024;
        status = ngx_ors_lmdb_open(&t.db);

        for (i = 0; i < 500 && status == 0; i++) {
            status = (ngx_ors_test_lmdb_put_n(&t, "v", i, &value, 100)
                      != ngx_ors_store_ok);
        }

        _exit(status ? 1 : 0);
    }

    is_int(ngx_ors_lmdb_open(&t.db), 0, "a small map is opened");
    ngx_ors_test_lmdb_put(&t, "a", "one", 100);

    shared->ready[0] = 1;
    waitpid(pid, &status, 0);
    is_int(status, 0, "a process with a larger one writes beyond its end");

    ok(ngx_ors_test_lmdb_get_n(&t, "v", 499, &value)->len == 10000,
       "the first one reads it");
    is_int(ngx_ors_test_lmdb_put_n(&t, "v", 500, &value, 100),
           ngx_ors_store_ok, "and writes");

    munmap(shared, sizeof(crash_shared_t));

    ngx_ors_test_lmdb_close(&t);
}
