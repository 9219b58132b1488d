
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * A thread that writes, some that read and one that sweeps and opens the
 * environment anew, as tasks of a worker do at the same time: what is read is
 * what was written, whole.  For the sanitizer of threads, too.
 */


#include "lmdb_env.h"

#include <pthread.h>


#define THREADS_READERS  3
#define THREADS_ROUNDS   300
#define THREADS_KEYS     20
#define THREADS_LEN      5000
#define THREADS_TRIES    1000000    /* of one who reads before all is written */


typedef struct {
    pthread_t             thread;
    ngx_ors_lmdb_t       *db;
    ngx_uint_t            n;
    ngx_uint_t            done;       /* jobs that found, or wrote */
    ngx_uint_t            wrong;
    ngx_ors_test_lmdb_t   t;          /* names and memory of its own */
} threads_t;


static void *threads_write(void *data);
static void *threads_read(void *data);
static void *threads_keep(void *data);
static void threads_start(threads_t *th, ngx_ors_lmdb_t *db, ngx_uint_t n,
    void *(*start)(void *data));


int
main(void)
{
    ngx_uint_t            i;
    threads_t             th[THREADS_READERS + 2];
    ngx_ors_test_lmdb_t   t;

    ngx_ors_test_lmdb_open(&t, 64 * 1024 * 1024);

    threads_start(&th[0], &t.db, 0, threads_write);
    threads_start(&th[1], &t.db, 1, threads_keep);

    for (i = 2; i < THREADS_READERS + 2; i++) {
        threads_start(&th[i], &t.db, i, threads_read);
    }

    for (i = 0; i < THREADS_READERS + 2; i++) {
        pthread_join(th[i].thread, NULL);
        is_int(th[i].wrong, 0, "thread %d has seen nothing wrong", (int) i);
        ngx_destroy_pool(th[i].t.pool);
    }

    is_int(th[0].done, THREADS_ROUNDS, "all was written");
    ok(th[2].done, "something was read");

    ngx_ors_test_lmdb_close(&t);

    return done_testing();
}


static void
threads_start(threads_t *th, ngx_ors_lmdb_t *db, ngx_uint_t n,
    void *(*start)(void *data))
{
    ngx_memzero(th, sizeof(threads_t));

    th->db = db;
    th->n = n;
    th->t.pool = ngx_ors_test_pool();
    th->t.now = NGX_ORS_TEST_NOW;
    th->t.scope = 's';

    if (pthread_create(&th->thread, NULL, start, th) != 0) {
        fail("thread %d", (int) n);
        abort();
    }
}


/* each value is one byte, repeated */

static void *
threads_write(void *data)
{
    threads_t              *th = data;
    ngx_uint_t              i;
    ngx_ors_lmdb_op_t      *op;
    ngx_ors_store_entry_t  *entry;

    for (i = 0; i < THREADS_ROUNDS; i++) {
        op = ngx_ors_test_lmdb_op(&th->t, ngx_ors_store_put, 1);
        entry = op->job->entries;

        ngx_ors_test_lmdb_key(&th->t, &entry->key, "k", i % THREADS_KEYS);

        entry->value.len = 1 + i * 17 % THREADS_LEN;
        entry->value.data = ngx_pnalloc(th->t.pool, entry->value.len);
        ngx_memset(entry->value.data, 'a' + i % 26, entry->value.len);
        entry->expires = th->t.now + ((i % 3) ? 1000 : -1);

        th->wrong += (ngx_ors_lmdb_write(th->db, &op, 1, th->t.now) != 0);
        th->done += (op->status == ngx_ors_store_ok);
    }

    return NULL;
}


static void *
threads_read(void *data)
{
    threads_t           *th = data;
    ngx_str_t            value;
    ngx_uint_t           i, j;
    ngx_ors_lmdb_op_t   *op;

    for (i = 0;
         i < THREADS_ROUNDS || (th->done == 0 && i < THREADS_TRIES);
         i++)
    {
        op = ngx_ors_test_lmdb_op(&th->t, ngx_ors_store_get, 1);

        ngx_ors_test_lmdb_key(&th->t, &op->job->entries[0].key, "k",
                              (i + th->n) % THREADS_KEYS);

        th->wrong += (ngx_ors_lmdb_read(th->db, &op, 1, th->t.now) != 0);

        value = op->job->entries[0].value;

        if (op->status != ngx_ors_store_ok || value.data == NULL) {
            continue;
        }

        th->done++;

        for (j = 1; j < value.len; j++) {
            th->wrong += (value.data[j] != value.data[0]);
        }
    }

    return NULL;
}


static void *
threads_keep(void *data)
{
    threads_t   *th = data;
    ngx_uint_t   i, swept;

    for (i = 0; i < THREADS_ROUNDS / 10; i++) {
        th->wrong += (ngx_ors_lmdb_sweep(th->db, th->t.now, 10, &swept) != 0);
        th->wrong += (ngx_ors_lmdb_reap(th->db) != 0);

        if (i % 10 == 9) {
            th->wrong += (ngx_ors_lmdb_open(th->db) != 0);
        }
    }

    return NULL;
}
