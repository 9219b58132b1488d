
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Entries of LMDB: values, expiry, batches, chains.
 */


#include <ngx_ors_test.h>
#include "lmdb_env.h"
#include <ngx_ors_record.h>


static void test_values(void);
static void test_expiry(void);
static void test_touch(void);
static void test_delete(void);
static void test_add(void);
static void test_batch(void);
static void test_chain(void);
static void newest(ngx_ors_lmdb_op_t *op, ngx_uint_t last, ngx_uint_t n);
static void test_chain_others(void);
static void test_chain_broken(void);
static void test_branches(void);
static void test_sweep(void);
static void test_reopen(void);
static void test_closed(void);
static void test_memory(void);
static void record(ngx_ors_test_lmdb_t *t, char *name, char **ancestors,
    ngx_uint_t n, ngx_uint_t depth);
static void line(ngx_ors_test_lmdb_t *t, ngx_uint_t n);


int
main(void)
{
    test_values();
    test_expiry();
    test_touch();
    test_delete();
    test_add();
    test_batch();
    test_chain();
    test_chain_others();
    test_chain_broken();
    test_branches();
    test_sweep();
    test_reopen();
    test_closed();
    test_memory();

    return done_testing();
}


/* a value is got as it was put, by its key only */

static void
test_values(void)
{
    size_t               len;
    ngx_str_t            value;
    ngx_uint_t           i;
    ngx_ors_test_lmdb_t  t;

    static size_t  lens[] = { 0, 1, 100, 4000, 10000, 100000, 5000000 };

    ngx_ors_test_lmdb_open(&t, 64 * 1024 * 1024);

    is_int(ngx_ors_test_lmdb_put(&t, "a", "one", 100), ngx_ors_store_ok,
           "a value is put");
    is_str(ngx_ors_test_lmdb_get(&t, "a", &value), "one", "and is got");
    is_int(t.expires, NGX_ORS_TEST_NOW + 100, "with its end");

    ok(ngx_ors_test_lmdb_get(&t, "b", &value)->data == NULL,
       "another key has none");

    t.scope = 's' + 1;
    ok(ngx_ors_test_lmdb_get(&t, "a", &value)->data == NULL,
       "nor has this key in another scope");

    is_int(ngx_ors_test_lmdb_put(&t, "a", "hers", 100), ngx_ors_store_ok,
           "it may have its own");
    is_str(ngx_ors_test_lmdb_get(&t, "a", &value), "hers", "which it gets");

    t.scope = 's';
    is_str(ngx_ors_test_lmdb_get(&t, "a", &value), "one",
           "and the first its own");

    is_int(ngx_ors_test_lmdb_put(&t, "a", "two", 100), ngx_ors_store_ok,
           "a value is put again");
    is_str(ngx_ors_test_lmdb_get(&t, "a", &value), "two",
           "in place of the first");

    for (i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
        value.data = ngx_ors_test_lmdb_fill(&t, lens[i], i);
        value.len = lens[i];
        len = lens[i];

        is_int(ngx_ors_test_lmdb_put_str(&t, "l", &value, 100),
               ngx_ors_store_ok, "%d bytes are put", (int) len);

        ngx_ors_test_lmdb_get(&t, "l", &value);
        is_mem(value.data, value.len, ngx_ors_test_lmdb_fill(&t, len, i), len,
               "%d bytes are got", (int) len);
        ok(value.data != NULL, "%d bytes are there", (int) len);
    }

    ngx_ors_test_lmdb_close(&t);
}


/* an expired record is not there, before it is swept and after */

static void
test_expiry(void)
{
    ngx_str_t            value;
    ngx_ors_test_lmdb_t  t;

    ngx_ors_test_lmdb_open(&t, 1024 * 1024);

    ngx_ors_test_lmdb_put(&t, "a", "one", 10);

    t.now += 9;
    is_str(ngx_ors_test_lmdb_get(&t, "a", &value), "one",
           "a second before its end it is there");

    t.now += 1;
    ok(ngx_ors_test_lmdb_get(&t, "a", &value)->data == NULL,
       "at its end it is gone");

    is_int(ngx_ors_test_lmdb_put(&t, "a", "new", 10), ngx_ors_store_ok,
           "it is put anew");
    is_str(ngx_ors_test_lmdb_get(&t, "a", &value), "new", "and there");

    is_int(ngx_ors_test_lmdb_sweep(&t, 100), 0, "nothing old is left of it");

    t.now += 10;
    is_int(ngx_ors_test_lmdb_sweep(&t, 100), 1, "it is swept in its turn");

    ngx_ors_test_lmdb_empty(&t);
    ngx_ors_test_lmdb_close(&t);
}


/* a touch moves the end of what is there */

static void
test_touch(void)
{
    ngx_str_t            value;
    ngx_ors_test_lmdb_t  t;

    ngx_ors_test_lmdb_open(&t, 1024 * 1024);

    ngx_ors_test_lmdb_put(&t, "a", "one", 10);

    is_int(ngx_ors_test_lmdb_put(&t, "a", NULL, 100), ngx_ors_store_ok,
           "a value is touched");

    t.now += 50;
    is_str(ngx_ors_test_lmdb_get(&t, "a", &value), "one", "it lives longer");
    is_int(ngx_ors_test_lmdb_sweep(&t, 100), 0, "it is not swept");

    is_int(ngx_ors_test_lmdb_put(&t, "b", NULL, 100), ngx_ors_store_ok,
           "what is not there is touched");
    ok(ngx_ors_test_lmdb_get(&t, "b", &value)->data == NULL,
       "and still not there");

    t.now += 50;
    is_int(ngx_ors_test_lmdb_put(&t, "a", NULL, 100), ngx_ors_store_ok,
           "what has expired is touched");
    ok(ngx_ors_test_lmdb_get(&t, "a", &value)->data == NULL,
       "and does not come back");

    is_int(ngx_ors_test_lmdb_sweep(&t, 100), 1, "it is swept");

    ngx_ors_test_lmdb_empty(&t);
    ngx_ors_test_lmdb_close(&t);
}


static void
test_delete(void)
{
    ngx_str_t            value;
    ngx_ors_test_lmdb_t  t;

    ngx_ors_test_lmdb_open(&t, 1024 * 1024);

    ngx_ors_test_lmdb_put(&t, "a", "one", 10);
    ngx_ors_test_lmdb_put(&t, "b", "two", 10);

    is_int(ngx_ors_test_lmdb_delete(&t, "a"), 1, "a value is deleted");
    is_int(ngx_ors_test_lmdb_delete(&t, "a"), 0, "only once");
    ok(ngx_ors_test_lmdb_get(&t, "a", &value)->data == NULL, "it is gone");
    is_str(ngx_ors_test_lmdb_get(&t, "b", &value), "two", "the other is not");

    t.now += 10;
    is_int(ngx_ors_test_lmdb_delete(&t, "b"), 0,
           "what has expired was not there");

    ngx_ors_test_lmdb_empty(&t);
    ngx_ors_test_lmdb_close(&t);
}


/* jobs of one transaction see what those before them have done */

/* of jobs that add one key the first one finds it absent, until it expires */

static void
test_add(void)
{
    ngx_str_t             value;
    ngx_uint_t            i;
    ngx_ors_lmdb_op_t    *ops[4];
    ngx_ors_test_lmdb_t   t;
    ngx_ors_store_job_t  *job;

    ngx_ors_test_lmdb_open(&t, 4 * 1024 * 1024);

    for (i = 0; i < 4; i++) {
        ops[i] = ngx_ors_test_lmdb_op(&t, ngx_ors_store_add, 2);
        job = ops[i]->job;

        ngx_ors_test_lmdb_key(&t, &job->entries[0].key, "one", 0);
        ngx_ors_test_lmdb_key(&t, &job->entries[1].key, "two", i);

        job->entries[0].value.data = (u_char *) &"0123"[i];
        job->entries[0].value.len = 1;
        ngx_str_set(&job->entries[1].value, "x");

        job->entries[0].expires = t.now + 100;
        job->entries[1].expires = t.now + 200;
    }

    is_int(ngx_ors_lmdb_write(&t.db, ops, 2, t.now), 0, "two jobs add");
    is_int(ops[0]->job->entries[0].there, 0, "the first one is the first");
    is_int(ops[1]->job->entries[0].there, 1, "the second one is not");
    is_int(ops[1]->job->entries[1].there, 0, "but it is with another key");

    t.now += 99;

    is_int(ngx_ors_lmdb_write(&t.db, &ops[2], 1, t.now), 0, "a third one");
    is_int(ops[2]->job->entries[0].there, 1, "later");
    ok(*ngx_ors_test_lmdb_get_n(&t, "one", 0, &value)->data == '0',
       "the value is that of the first one");

    t.now += 1;
    ops[3]->job->entries[0].expires = t.now + 100;

    is_int(ngx_ors_lmdb_write(&t.db, &ops[3], 1, t.now), 0, "a fourth one");
    is_int(ops[3]->job->entries[0].there, 0, "when it has expired");
    ok(*ngx_ors_test_lmdb_get_n(&t, "one", 0, &value)->data == '3',
       "the value is that of the fourth one");

    ngx_ors_test_lmdb_close(&t);
}


static void
test_batch(void)
{
    ngx_str_t             value;
    ngx_uint_t            i;
    ngx_ors_lmdb_op_t    *ops[40];
    ngx_ors_test_lmdb_t   t;
    ngx_ors_store_job_t  *job;

    ngx_ors_test_lmdb_open(&t, 4 * 1024 * 1024);

    for (i = 0; i < 40; i++) {
        ops[i] = ngx_ors_test_lmdb_op(&t, ngx_ors_store_put, 2);
        job = ops[i]->job;

        ngx_ors_test_lmdb_key(&t, &job->entries[0].key, "one", i);
        ngx_ors_test_lmdb_key(&t, &job->entries[1].key, "two", i);

        ngx_str_set(&job->entries[0].value, "1");
        ngx_str_set(&job->entries[1].value, "2");
        job->entries[0].expires = t.now + 100;
        job->entries[1].expires = t.now + 200;
    }

    ops[38]->job->op = ngx_ors_store_delete;
    ngx_ors_test_lmdb_key(&t, &ops[38]->job->entries[0].key, "one", 5);
    ngx_ors_test_lmdb_key(&t, &ops[38]->job->entries[1].key, "none", 0);

    is_int(ngx_ors_lmdb_write(&t.db, ops, 40, t.now), 0, "40 jobs are done");

    for (i = 0; i < 40; i++) {
        if (ops[i]->status != ngx_ors_store_ok) {
            fail("job %d is done", (int) i);
        }
    }

    ok(ops[38]->job->entries[0].value.data != NULL, "one was there");
    ok(ops[38]->job->entries[1].value.data == NULL, "one was not");

    for (i = 0; i < 40; i++) {
        ops[i] = ngx_ors_test_lmdb_op(&t, ngx_ors_store_get, 2);
        job = ops[i]->job;

        ngx_ors_test_lmdb_key(&t, &job->entries[0].key, "one", i);
        ngx_ors_test_lmdb_key(&t, &job->entries[1].key, "two", i);
    }

    is_int(ngx_ors_lmdb_read(&t.db, ops, 40, t.now), 0, "and are read");

    for (i = 0; i < 40; i++) {
        job = ops[i]->job;

        if (ops[i]->status != ngx_ors_store_ok
            || (job->entries[0].value.data == NULL) != (i == 5 || i == 38)
            || (job->entries[1].value.data == NULL) != (i == 38))
        {
            fail("what job %d has put is there", (int) i);
        }
    }

    is_int(ngx_ors_test_lmdb_sweep(&t, 100), 0, "nothing has expired");

    t.now += 100;
    is_int(ngx_ors_test_lmdb_sweep(&t, 100), 38, "38 have, later");
    ok(ngx_ors_test_lmdb_get(&t, "one", &value)->data == NULL, "one is gone");

    ngx_ors_test_lmdb_close(&t);
}


/* chains of all lengths around those of a batch, with their limits */

static void
test_chain(void)
{
    size_t                  size;
    ngx_uint_t              i, n;
    ngx_ors_lmdb_op_t      *op;
    ngx_ors_test_lmdb_t     t;
    ngx_ors_store_entry_t  *entries;

    static ngx_uint_t  lens[] = { 1, 2, 31, 32, 33, 34, 64, 65, 66, 100 };

    ngx_ors_test_lmdb_open(&t, 16 * 1024 * 1024);

    line(&t, 100);

    for (i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
        n = lens[i];

        op = ngx_ors_test_lmdb_chain(&t, "turn", n - 1, 100, 1000000);

        is_int(op->status, ngx_ors_store_ok, "a chain of %d is read",
               (int) n);
        is_int(op->chain.count, n, "it has %d turns", (int) n);

        entries = op->chain.first;
        size = 0;

        for (n = 0; n < op->chain.count; n++) {
            size += entries[n].value.len;

            if (entries[n].value.data[entries[n].value.len - 1] != n) {
                fail("turn %d is in its place", (int) n);
            }
        }

        op = ngx_ors_test_lmdb_chain(&t, "turn", lens[i] - 1, lens[i], size);
        is_int(op->status, ngx_ors_store_ok, "it is within its limits");

        op = ngx_ors_test_lmdb_chain(&t, "turn", lens[i] - 1, lens[i],
                                     size - 1);
        is_int(op->status, ngx_ors_store_limit, "a byte is too much");

        op = ngx_ors_test_lmdb_chain(&t, "turn", lens[i] - 1, lens[i] - 1,
                                     size);
        is_int(op->status, ngx_ors_store_limit, "a turn is too much");

        if (lens[i] == 1) {
            continue;
        }

        t.newest = 1;

        op = ngx_ors_test_lmdb_chain(&t, "turn", lens[i] - 1, lens[i],
                                     size - 1);
        newest(op, lens[i] - 1, lens[i] - 1);

        op = ngx_ors_test_lmdb_chain(&t, "turn", lens[i] - 1, lens[i] - 1,
                                     size);
        newest(op, lens[i] - 1, lens[i] - 1);

        op = ngx_ors_test_lmdb_chain(&t, "turn", lens[i] - 1, 1, size);
        newest(op, lens[i] - 1, 1);

        t.newest = 0;
    }

    op = ngx_ors_test_lmdb_chain(&t, "turn", 100, 100, 1000000);
    is_int(op->status, ngx_ors_store_absent, "what is not there has no chain");

    t.scope++;
    op = ngx_ors_test_lmdb_chain(&t, "turn", 9, 100, 1000000);
    is_int(op->status, ngx_ors_store_absent, "nor has it in another scope");
    t.scope--;

    for (i = 0; i < 100; i += 33) {
        ngx_ors_test_lmdb_delete_n(&t, "turn", i);

        op = ngx_ors_test_lmdb_chain(&t, "turn", 99, 100, 1000000);
        is_int(op->status, ngx_ors_store_absent,
               "without turn %d it is none", (int) i);

        line(&t, 100);
    }

    t.now += 1000;
    op = ngx_ors_test_lmdb_chain(&t, "turn", 9, 100, 1000000);
    is_int(op->status, ngx_ors_store_absent, "an old one is gone");

    ngx_ors_test_lmdb_close(&t);
}


/* the last "n" turns of those up to number "last" */

static void
newest(ngx_ors_lmdb_op_t *op, ngx_uint_t last, ngx_uint_t n)
{
    ngx_uint_t              i;
    ngx_ors_store_entry_t  *entries;

    is_int(op->status, ngx_ors_store_ok, "the newest of %d", (int) last + 1);
    is_int(op->chain.count, n, "as many as fit");

    entries = op->chain.first;

    for (i = 0; i < op->chain.count; i++) {

        if (entries[i].value.data[entries[i].value.len - 1] != last + 1 - n + i)
        {
            fail("turn %d is one of them", (int) (last + 1 - n + i));
        }
    }
}


/* a record that is asked for together with a chain is none of it */

static void
test_chain_others(void)
{
    ngx_uint_t              i;
    ngx_ors_lmdb_op_t      *op;
    ngx_ors_store_job_t    *job;
    ngx_ors_test_lmdb_t     t;

    ngx_ors_test_lmdb_open(&t, 16 * 1024 * 1024);

    line(&t, 40);
    (void) ngx_ors_test_lmdb_put(&t, "name", "another turn", 100);

    for (i = 0; i < 2; i++) {
        op = ngx_ors_test_lmdb_op(&t, ngx_ors_store_chain, 3);
        job = op->job;

        job->n = 1;
        job->others = &job->entries[1];
        job->nothers = 2;
        job->max_turns = 100;
        job->max_size = i ? 1 : 1000000;

        ngx_ors_test_lmdb_key(&t, &job->entries[0].key, "turn", 39);
        ngx_ors_test_lmdb_key(&t, &job->others[0].key, "none", 0);
        ngx_ors_test_lmdb_key(&t, &job->others[1].key, "name", 0);

        (void) ngx_ors_lmdb_read(&t.db, &op, 1, t.now);

        if (i) {
            is_int(op->status, ngx_ors_store_limit, "a chain that is large");
            continue;
        }

        is_int(op->status, ngx_ors_store_ok, "a chain and others are read");
        is_int(op->chain.count, 40, "the chain");
        ok(job->others[0].value.data == NULL, "one that is not there");
        is_str(&job->others[1].value, "another turn", "one that is");
    }

    ngx_ors_test_lmdb_close(&t);
}


/* values that are no record, and records that do not fit together */

static void
test_chain_broken(void)
{
    ngx_uint_t            i;
    ngx_ors_lmdb_op_t    *op;
    ngx_ors_test_lmdb_t   t;

    static char  *none[] = { "root" };
    static char  *self[] = { "self" };
    static char  *text[] = { "text" };

    ngx_ors_test_lmdb_open(&t, 1024 * 1024);

    ngx_ors_test_lmdb_put(&t, "text", "no record", 100);
    record(&t, "root", NULL, 0, 0);
    record(&t, "child", text, 1, 1);
    record(&t, "orphan", NULL, 0, 5);
    record(&t, "short", none, 1, 3);
    record(&t, "self", self, 1, 1000000);

    static struct {
        char                    *name;
        ngx_ors_store_status_e   status;
    } cases[] = {
        { "root", ngx_ors_store_ok },
        { "text", ngx_ors_store_corrupt },
        { "child", ngx_ors_store_corrupt },
        { "orphan", ngx_ors_store_corrupt },
        { "short", ngx_ors_store_corrupt },
        { "self", ngx_ors_store_limit }
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        op = ngx_ors_test_lmdb_chain(&t, cases[i].name, 0, 100, 1000000);
        is_int(op->status, cases[i].status, "\"%s\" ends as it should",
               cases[i].name);
    }

    op = ngx_ors_test_lmdb_chain(&t, "self", 0, 2000000, 100000);
    is_int(op->status, ngx_ors_store_limit, "a loop ends at a limit");

    ngx_ors_test_lmdb_close(&t);
}


/* two children of one parent have nothing of each other */

static void
test_branches(void)
{
    ngx_ors_lmdb_op_t      *op;
    ngx_ors_test_lmdb_t     t;
    ngx_ors_store_entry_t  *entries;

    static char  *root[] = { "root" };
    static char  *left[] = { "left", "root" };

    ngx_ors_test_lmdb_open(&t, 1024 * 1024);

    record(&t, "root", NULL, 0, 0);
    record(&t, "left", root, 1, 1);
    record(&t, "right", root, 1, 1);
    record(&t, "leaf", left, 2, 2);

    op = ngx_ors_test_lmdb_chain(&t, "right", 0, 10, 10000);
    entries = op->chain.first;
    is_int(op->chain.count, 2, "the right one and its parent");
    ok(entries[0].value.data[entries[0].value.len - 1] == 'r'
       && entries[0].key.name[0] == 'r' && entries[0].key.name[1] == 'o',
       "the parent is the first");

    op = ngx_ors_test_lmdb_chain(&t, "leaf", 0, 10, 10000);
    entries = op->chain.first;
    is_int(op->chain.count, 3, "the leaf and all above it");
    ok(entries[1].key.name[0] == 'l' && entries[2].key.name[2] == 'a',
       "in their order");

    ngx_ors_test_lmdb_close(&t);
}


static void
test_sweep(void)
{
    ngx_uint_t           i;
    ngx_str_t            value;
    ngx_ors_test_lmdb_t  t;

    ngx_ors_test_lmdb_open(&t, 16 * 1024 * 1024);

    value.data = ngx_ors_test_lmdb_fill(&t, 5000, 1);
    value.len = 5000;

    for (i = 0; i < 500; i++) {
        ngx_ors_test_lmdb_put_n(&t, "v", i, &value, 1 + i % 100);
    }

    t.now += 50;

    is_int(ngx_ors_test_lmdb_sweep(&t, 100), 100, "no more than asked for");
    is_int(ngx_ors_test_lmdb_sweep(&t, 100), 100, "then some more");
    is_int(ngx_ors_test_lmdb_sweep(&t, 100), 50, "then the last");
    is_int(ngx_ors_test_lmdb_sweep(&t, 100), 0, "then nothing");

    for (i = 0; i < 500; i++) {
        if ((ngx_ors_test_lmdb_get_n(&t, "v", i, &value)->data != NULL)
            != (i % 100 >= 50))
        {
            fail("what has expired is gone, and nothing else: %d", (int) i);
        }
    }

    t.now += 50;
    is_int(ngx_ors_test_lmdb_sweep(&t, 1000), 250, "in the end all");

    ngx_ors_test_lmdb_empty(&t);
    ngx_ors_test_lmdb_close(&t);
}


static void
test_reopen(void)
{
    ngx_str_t            value;
    ngx_ors_test_lmdb_t  t;

    ngx_ors_test_lmdb_open(&t, 4 * 1024 * 1024);
    ngx_ors_test_lmdb_put(&t, "a", "one", 100);

    is_int(ngx_ors_lmdb_open(&t.db), 0, "it is opened anew");
    is_str(ngx_ors_test_lmdb_get(&t, "a", &value), "one", "all is there");

    ngx_ors_lmdb_close(&t.db);

    t.db.size = 1024 * 1024;
    t.db.sync = 1;
    is_int(ngx_ors_lmdb_open(&t.db), 0, "with another size, and syncs");
    is_str(ngx_ors_test_lmdb_get(&t, "a", &value), "one", "all is there");
    is_int(ngx_ors_test_lmdb_put(&t, "b", "two", 100), ngx_ors_store_ok,
           "more can be put");

    ngx_ors_test_lmdb_close(&t);
}


static void
test_closed(void)
{
    ngx_uint_t           n;
    ngx_str_t            value;
    ngx_ors_test_lmdb_t  t;

    ngx_ors_test_lmdb_open(&t, 1024 * 1024);
    ngx_ors_lmdb_close(&t.db);

    is_int(ngx_ors_test_lmdb_put(&t, "a", "one", 100),
           ngx_ors_store_unavailable, "nothing is put when it is closed");
    ok(ngx_ors_test_lmdb_get(&t, "a", &value)->data == NULL, "nor got");
    is_int(t.status, ngx_ors_store_unavailable, "as it is not there");
    is_int(ngx_ors_lmdb_sweep(&t.db, t.now, 1, &n), EBADF, "nor swept");
    is_int(ngx_ors_lmdb_reap(&t.db), EBADF, "nor cleaned");

    t.db.path = (u_char *) "/nonexistent/lmdb";
    is_int(ngx_ors_lmdb_open(&t.db), ENOENT, "no directory, no store");
    ok(t.db.env == NULL, "it stays closed");

    t.db.path = t.path;
    is_int(ngx_ors_lmdb_open(&t.db), 0, "it opens again");

    ngx_ors_test_lmdb_close(&t);
}


/* each allocation fails once: the job ends, what is stored is not hurt */

static void
test_memory(void)
{
    ngx_uint_t            n;
    ngx_ors_lmdb_op_t    *op;
    ngx_ors_test_lmdb_t   t;

    ngx_ors_test_lmdb_open(&t, 4 * 1024 * 1024);
    line(&t, 40);

    for (n = 1; /* void */ ; n++) {
        op = ngx_ors_test_lmdb_op(&t, ngx_ors_store_chain, 1);
        op->job->max_turns = 100;
        op->job->max_size = 100000;
        ngx_ors_test_lmdb_key(&t, &op->job->entries[0].key, "turn", 39);

        ngx_ors_test_fail_after(n);
        (void) ngx_ors_lmdb_read(&t.db, &op, 1, t.now);

        if (!ngx_ors_test_failed()) {
            break;
        }

        if (op->status != ngx_ors_store_unavailable) {
            fail("without memory it is not available, %d", (int) n);
        }
    }

    ngx_ors_test_fail_after(0);

    ok(n > 40, "all allocations have failed");
    is_int(op->status, ngx_ors_store_ok, "with memory it is");

    ngx_ors_test_lmdb_close(&t);
}


/* its last byte is that of its input: the first letter of its name */

static void
record(ngx_ors_test_lmdb_t *t, char *name, char **ancestors, ngx_uint_t n,
    ngx_uint_t depth)
{
    u_char               names[NGX_ORS_RECORD_ANCESTORS * NGX_ORS_STORE_KEY];
    ngx_str_t            value;
    ngx_uint_t           i;
    ngx_ors_record_t     rec;
    ngx_ors_store_key_t  key;

    ngx_memzero(&rec, sizeof(ngx_ors_record_t));

    for (i = 0; i < n; i++) {
        ngx_ors_test_lmdb_key(t, &key, ancestors[i], 0);
        ngx_memcpy(names + i * NGX_ORS_STORE_KEY, key.name,
                   NGX_ORS_STORE_KEY);
    }

    rec.ancestors = names;
    rec.nancestors = n;
    rec.depth = depth;
    rec.input.data = (u_char *) name;
    rec.input.len = 1;

    value.len = ngx_ors_record_size(&rec);
    value.data = ngx_pnalloc(t->pool, value.len);
    *ngx_ors_record_head(&rec, value.data) = name[0];

    ngx_ors_test_lmdb_put_str(t, name, &value, 100);
}


/* turns that follow each other; the last byte of each is its number */

static void
line(ngx_ors_test_lmdb_t *t, ngx_uint_t n)
{
    u_char               names[2][NGX_ORS_RECORD_ANCESTORS
                                  * NGX_ORS_STORE_KEY];
    u_char              *p;
    ngx_str_t            value;
    ngx_uint_t           i;
    ngx_ors_record_t     rec;
    ngx_ors_store_key_t  key;

    ngx_memzero(&rec, sizeof(ngx_ors_record_t));
    rec.ancestors = names[0];

    for (i = 0; i < n; i++) {
        rec.depth = i;
        rec.input.len = 100;

        value.len = ngx_ors_record_size(&rec);
        value.data = ngx_pnalloc(t->pool, value.len);

        p = ngx_ors_record_head(&rec, value.data);
        ngx_memset(p, i, rec.input.len);

        ngx_ors_test_lmdb_put_n(t, "turn", i, &value, 100);

        ngx_ors_test_lmdb_key(t, &key, "turn", i);
        rec.nancestors = ngx_ors_record_inherit(&rec, key.name, names[i & 1]);
        rec.ancestors = names[i & 1];
    }
}
