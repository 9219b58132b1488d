
/*
 * Copyright (C) Open Responses contributors
 *
 * What a scope has in a store is counted to the byte, whatever is done, and a
 * scope gets no more than its share.
 */


#include <ngx_ors_test.h>
#include "lmdb_env.h"
#include <ngx_ors_record.h>


#define SCOPE_STEPS  4000
#define SCOPE_KEYS   40


static void test_counts(void);
static void test_random(void);
static void test_size(void);
static void test_turns(void);
static void test_small(void);
static void test_batch(void);
static ngx_ors_store_status_e put_record(ngx_ors_test_lmdb_t *t, char *name,
    size_t len, time_t ttl);
static void make_record(ngx_ors_test_lmdb_t *t, ngx_str_t *value, size_t len);
static void takes(ngx_ors_test_lmdb_t *t, uint64_t bytes, uint64_t turns,
    const char *name);


int
main(void)
{
    test_counts();
    test_random();
    test_size();
    test_turns();
    test_small();
    test_batch();

    return done_testing();
}


/* each way in which a value comes and goes */

static void
test_counts(void)
{
    ngx_str_t            none;
    ngx_ors_test_lmdb_t  t;

    ngx_ors_test_lmdb_open(&t, 1024 * 1024);

    takes(&t, 0, 0, "nothing");

    ngx_ors_test_lmdb_put(&t, "a", "abc", 10);
    takes(&t, 3 + NGX_ORS_STORE_ENTRY, 0, "a value");

    put_record(&t, "r", 1000, 20);
    takes(&t, 1003 + 2 * NGX_ORS_STORE_ENTRY, 1, "and a record");

    put_record(&t, "r", 500, 20);
    takes(&t, 503 + 2 * NGX_ORS_STORE_ENTRY, 1, "a smaller one instead");

    ngx_str_null(&none);
    ngx_ors_test_lmdb_put_str(&t, "a", &none, 15);
    takes(&t, 503 + 2 * NGX_ORS_STORE_ENTRY, 1, "a touch");

    t.scope = 'x';
    takes(&t, 0, 0, "another scope");
    put_record(&t, "r", 200, 30);
    takes(&t, 200 + NGX_ORS_STORE_ENTRY, 1, "what it has");
    t.scope = 's';
    takes(&t, 503 + 2 * NGX_ORS_STORE_ENTRY, 1, "changes nothing here");

    t.now += 15;
    is_int(ngx_ors_test_lmdb_sweep(&t, 100), 1, "what has expired is swept");
    takes(&t, 500 + NGX_ORS_STORE_ENTRY, 1, "it is gone");

    ngx_ors_test_lmdb_put(&t, "r", "none", 20);
    takes(&t, 4 + NGX_ORS_STORE_ENTRY, 0, "a value for a record");

    is_int(ngx_ors_test_lmdb_delete(&t, "r"), 1, "it is deleted");
    takes(&t, 0, 0, "nothing again");
    is_int(ngx_ors_test_lmdb_delete(&t, "r"), 0, "a second time it is not");
    takes(&t, 0, 0, "nothing less");

    t.scope = 'x';
    is_int(ngx_ors_test_lmdb_delete(&t, "r"), 1, "the other one, too");
    ngx_ors_test_lmdb_empty(&t);

    ngx_ors_test_lmdb_close(&t);
}


/* in any order, with a map that is full now and then */

static void
test_random(void)
{
    char                 name[4];
    size_t               len;
    ngx_str_t            value;
    ngx_uint_t           i, n, wrong, full;
    ngx_ors_test_lmdb_t  t;

    ngx_ors_test_lmdb_open(&t, 2048 * 1024);

    srandom(1);
    wrong = 0;
    full = 0;

    for (i = 0; i < SCOPE_STEPS; i++) {
        t.scope = 'a' + random() % 3;
        snprintf(name, sizeof(name), "%d", (int) (random() % SCOPE_KEYS));

        switch (random() % 8) {

        case 0:
            ngx_ors_test_lmdb_delete(&t, name);
            break;

        case 1:
            ngx_str_null(&value);
            ngx_ors_test_lmdb_put_str(&t, name, &value, random() % 50);
            break;

        case 2:
            t.now++;
            (void) ngx_ors_lmdb_sweep(&t.db, t.now, random() % 5, &n);
            break;

        case 3:
            if (put_record(&t, name, 60000, 50) != ngx_ors_store_ok) {
                full++;
            }

            break;

        default:
            len = random() % 3000;

            if (random() % 2) {
                (void) put_record(&t, name, 100 + len, random() % 50);
                break;
            }

            value.len = len;
            value.data = ngx_ors_test_lmdb_fill(&t, len, i);
            ngx_ors_test_lmdb_put_str(&t, name, &value, random() % 50);
        }

        if (i % 100 == 0) {
            wrong += ngx_ors_test_lmdb_miscounted(&t);

            ngx_destroy_pool(t.pool);
            t.pool = ngx_ors_test_pool();
        }
    }

    is_int(wrong, 0, "the sums are right after each of many steps");
    ok(full > 10, "the map was full %d times", (int) full);

    ngx_ors_test_lmdb_close(&t);
}


static void
test_size(void)
{
    ngx_ors_test_lmdb_t  t;

    ngx_ors_test_lmdb_open(&t, 1024 * 1024);

    t.db.scope_size = 2000 + 2 * NGX_ORS_STORE_ENTRY;

    is_int(put_record(&t, "a", 1000, 10), ngx_ors_store_ok, "a first record");
    is_int(put_record(&t, "b", 1001, 20), ngx_ors_store_share,
           "a byte too many");
    takes(&t, 1000 + NGX_ORS_STORE_ENTRY, 1, "it is not there");
    is_int(put_record(&t, "b", 1000, 20), ngx_ors_store_ok, "the last byte");
    is_int(put_record(&t, "c", 100, 20), ngx_ors_store_share, "no more");

    is_int(put_record(&t, "a", 900, 10), ngx_ors_store_ok,
           "what is there may become smaller");
    is_int(put_record(&t, "a", 1001, 10), ngx_ors_store_share,
           "and not larger than it may be");

    t.scope = 'x';
    is_int(put_record(&t, "c", 2000, 20), ngx_ors_store_ok,
           "others have their own share");
    t.scope = 's';

    t.now += 10;
    is_int(ngx_ors_test_lmdb_sweep(&t, 10), 1, "what has expired");
    is_int(put_record(&t, "c", 1000, 20), ngx_ors_store_ok, "makes room");
    is_int(ngx_ors_test_lmdb_delete(&t, "b"), 1, "what is deleted");
    is_int(put_record(&t, "d", 1000, 20), ngx_ors_store_ok, "too");

    ngx_ors_test_lmdb_close(&t);
}


static void
test_turns(void)
{
    ngx_ors_test_lmdb_t  t;

    ngx_ors_test_lmdb_open(&t, 1024 * 1024);

    t.db.scope_turns = 2;

    is_int(put_record(&t, "a", 100, 10), ngx_ors_store_ok, "one turn");
    is_int(put_record(&t, "b", 100, 10), ngx_ors_store_ok, "two turns");
    is_int(put_record(&t, "c", 100, 10), ngx_ors_store_share, "no third");
    is_int(put_record(&t, "b", 5000, 10), ngx_ors_store_ok,
           "one that is there may be written again");
    is_int(ngx_ors_test_lmdb_delete(&t, "a"), 1, "one is deleted");
    is_int(put_record(&t, "c", 100, 10), ngx_ors_store_ok, "then a third");

    ngx_ors_test_lmdb_close(&t);
}


/* to cancel and to renew a lease must always be possible */

static void
test_small(void)
{
    ngx_str_t            value;
    ngx_ors_test_lmdb_t  t;

    ngx_ors_test_lmdb_open(&t, 1024 * 1024);

    t.db.scope_size = 1;
    t.db.scope_turns = 1;

    is_int(put_record(&t, "a", 100, 10), ngx_ors_store_share, "no record");
    is_int(ngx_ors_test_lmdb_put(&t, "m", "alive", 10), ngx_ors_store_ok,
           "but a mark");
    is_str(ngx_ors_test_lmdb_get(&t, "m", &value), "alive", "it is there");
    takes(&t, 5 + NGX_ORS_STORE_ENTRY, 0, "and counted");

    ngx_ors_test_lmdb_close(&t);
}


/* jobs of one transaction do not take others with them */

static void
test_batch(void)
{
    ngx_uint_t           i;
    ngx_ors_lmdb_op_t   *ops[4];
    ngx_ors_test_lmdb_t  t;

    ngx_ors_test_lmdb_open(&t, 1024 * 1024);

    t.db.scope_turns = 2;

    for (i = 0; i < 4; i++) {
        t.scope = (i == 3) ? 'x' : 's';
        ops[i] = ngx_ors_test_lmdb_op(&t, ngx_ors_store_put, 1);

        ngx_ors_test_lmdb_key(&t, &ops[i]->job->entries[0].key, "n", i);
        make_record(&t, &ops[i]->job->entries[0].value, 100);
        ops[i]->job->entries[0].expires = t.now + 10;
    }

    is_int(ngx_ors_lmdb_write(&t.db, ops, 4, t.now), 0, "four at once");
    is_int(ops[0]->status, ngx_ors_store_ok, "the first is there");
    is_int(ops[1]->status, ngx_ors_store_ok, "the second");
    is_int(ops[2]->status, ngx_ors_store_share, "one too many is not");
    is_int(ops[3]->status, ngx_ors_store_ok, "another scope's is");

    t.scope = 's';
    takes(&t, 200 + 2 * NGX_ORS_STORE_ENTRY, 2, "they are counted");

    ngx_ors_test_lmdb_close(&t);
}


static ngx_ors_store_status_e
put_record(ngx_ors_test_lmdb_t *t, char *name, size_t len, time_t ttl)
{
    ngx_str_t  value;

    make_record(t, &value, len);

    return ngx_ors_test_lmdb_put_str(t, name, &value, ttl);
}


/* "len" bytes, at least those of its head */

static void
make_record(ngx_ors_test_lmdb_t *t, ngx_str_t *value, size_t len)
{
    ngx_ors_record_t  rec;

    ngx_memzero(&rec, sizeof(ngx_ors_record_t));
    rec.input.len = len - ngx_ors_record_size(&rec);

    value->len = len;
    value->data = ngx_ors_test_lmdb_fill(t, len, 1);

    (void) ngx_ors_record_head(&rec, value->data);
}


static void
takes(ngx_ors_test_lmdb_t *t, uint64_t bytes, uint64_t turns, const char *name)
{
    ngx_ors_lmdb_share_t  share;

    share = ngx_ors_test_lmdb_share(t);

    is_int(share.bytes, bytes, "%s: bytes", name);
    is_int(share.turns, turns, "%s: turns", name);
}
