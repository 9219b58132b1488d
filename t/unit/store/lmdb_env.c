
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * An LMDB environment in a temporary directory, for the tests.
 */


#include "lmdb_env.h"
#include <ngx_ors_record.h>
#include <stdlib.h>


static void lmdb_values(ngx_ors_test_lmdb_t *t, MDB_txn *txn,
    ngx_str_t *text);
static void lmdb_scopes(ngx_ors_test_lmdb_t *t, MDB_txn *txn,
    ngx_str_t *text);


void
ngx_ors_test_lmdb_open(ngx_ors_test_lmdb_t *t, size_t size)
{
    ngx_memzero(t, sizeof(ngx_ors_test_lmdb_t));

    strcpy((char *) t->path, "/tmp/ngx_ors_lmdb.XXXXXX");

    if (mkdtemp((char *) t->path) == NULL) {
        skip_all("no directory in /tmp");
    }

    t->pool = ngx_ors_test_pool();
    t->now = NGX_ORS_TEST_NOW;
    t->scope = 's';

    t->db.path = t->path;
    t->db.size = size;
    t->db.sync = 0;

    is_int(ngx_ors_lmdb_init(&t->db), NGX_OK, "an environment is prepared");
    is_int(ngx_ors_lmdb_open(&t->db), 0, "and opened");
}


void
ngx_ors_test_lmdb_close(ngx_ors_test_lmdb_t *t)
{
    char  name[128];

    if (t->db.env) {
        is_int(ngx_ors_test_lmdb_miscounted(t), 0,
               "what scopes take is what is there");
    }

    ngx_ors_lmdb_close(&t->db);

    snprintf(name, sizeof(name), "%s/data.mdb", t->path);
    unlink(name);

    snprintf(name, sizeof(name), "%s/lock.mdb", t->path);
    unlink(name);

    rmdir((char *) t->path);

    ngx_destroy_pool(t->pool);
}


void
ngx_ors_test_lmdb_key(ngx_ors_test_lmdb_t *t, ngx_ors_store_key_t *key,
    char *name, ngx_uint_t n)
{
    ngx_memset(key, 0, sizeof(ngx_ors_store_key_t));
    ngx_memset(key->scope, t->scope, NGX_ORS_STORE_KEY);

    strncpy((char *) key->name, name, NGX_ORS_STORE_KEY - 4);
    ngx_memcpy(key->name + NGX_ORS_STORE_KEY - 4, &n, 4);
}


ngx_ors_lmdb_op_t *
ngx_ors_test_lmdb_op(ngx_ors_test_lmdb_t *t, ngx_ors_store_op_e op,
    ngx_uint_t n)
{
    ngx_ors_lmdb_op_t  *o;

    o = ngx_pcalloc(t->pool, sizeof(ngx_ors_lmdb_op_t));
    o->job = ngx_pcalloc(t->pool, sizeof(ngx_ors_store_job_t));

    o->job->op = op;
    o->job->pool = t->pool;
    o->job->n = n;
    o->job->entries = ngx_pcalloc(t->pool, n * sizeof(ngx_ors_store_entry_t));

    return o;
}


ngx_ors_store_status_e
ngx_ors_test_lmdb_put(ngx_ors_test_lmdb_t *t, char *name, char *value,
    time_t ttl)
{
    ngx_str_t  v;

    v.data = (u_char *) value;
    v.len = value ? ngx_strlen(value) : 0;

    return ngx_ors_test_lmdb_put_str(t, name, &v, ttl);
}


ngx_ors_store_status_e
ngx_ors_test_lmdb_put_str(ngx_ors_test_lmdb_t *t, char *name,
    ngx_str_t *value, time_t ttl)
{
    return ngx_ors_test_lmdb_put_n(t, name, 0, value, ttl);
}


ngx_ors_store_status_e
ngx_ors_test_lmdb_put_n(ngx_ors_test_lmdb_t *t, char *name, ngx_uint_t n,
    ngx_str_t *value, time_t ttl)
{
    ngx_ors_lmdb_op_t  *op;

    op = ngx_ors_test_lmdb_op(t, ngx_ors_store_put, 1);

    ngx_ors_test_lmdb_key(t, &op->job->entries[0].key, name, n);
    op->job->entries[0].value = *value;
    op->job->entries[0].expires = t->now + ttl;

    (void) ngx_ors_lmdb_write(&t->db, &op, 1, t->now);

    return op->status;
}


ngx_str_t *
ngx_ors_test_lmdb_get(ngx_ors_test_lmdb_t *t, char *name, ngx_str_t *value)
{
    return ngx_ors_test_lmdb_get_n(t, name, 0, value);
}


ngx_str_t *
ngx_ors_test_lmdb_get_n(ngx_ors_test_lmdb_t *t, char *name, ngx_uint_t n,
    ngx_str_t *value)
{
    ngx_ors_lmdb_op_t  *op;

    op = ngx_ors_test_lmdb_op(t, ngx_ors_store_get, 1);

    ngx_ors_test_lmdb_key(t, &op->job->entries[0].key, name, n);

    (void) ngx_ors_lmdb_read(&t->db, &op, 1, t->now);

    t->status = op->status;
    t->expires = op->job->entries[0].expires;
    *value = op->job->entries[0].value;

    return value;
}


ngx_uint_t
ngx_ors_test_lmdb_delete(ngx_ors_test_lmdb_t *t, char *name)
{
    return ngx_ors_test_lmdb_delete_n(t, name, 0);
}


ngx_uint_t
ngx_ors_test_lmdb_delete_n(ngx_ors_test_lmdb_t *t, char *name, ngx_uint_t n)
{
    ngx_ors_lmdb_op_t  *op;

    op = ngx_ors_test_lmdb_op(t, ngx_ors_store_delete, 1);

    ngx_ors_test_lmdb_key(t, &op->job->entries[0].key, name, n);

    is_int(ngx_ors_lmdb_write(&t->db, &op, 1, t->now), 0, "a job that deletes");

    return op->job->entries[0].value.data != NULL;
}


ngx_ors_lmdb_op_t *
ngx_ors_test_lmdb_chain(ngx_ors_test_lmdb_t *t, char *name, ngx_uint_t n,
    ngx_uint_t max_turns, size_t max_size)
{
    ngx_ors_lmdb_op_t  *op;

    op = ngx_ors_test_lmdb_op(t, ngx_ors_store_chain, 1);

    op->job->max_turns = max_turns;
    op->job->max_size = max_size;
    op->job->newest = t->newest;
    ngx_ors_test_lmdb_key(t, &op->job->entries[0].key, name, n);

    (void) ngx_ors_lmdb_read(&t->db, &op, 1, t->now);

    return op;
}


ngx_uint_t
ngx_ors_test_lmdb_sweep(ngx_ors_test_lmdb_t *t, ngx_uint_t max)
{
    ngx_uint_t  n;

    is_int(ngx_ors_lmdb_sweep(&t->db, t->now, max, &n), 0, "a sweep");

    return n;
}


ngx_uint_t
ngx_ors_test_lmdb_miscounted(ngx_ors_test_lmdb_t *t)
{
    MDB_txn    *txn;
    ngx_str_t   kept, counted;

    if (ngx_ors_lmdb_begin(&t->db, MDB_RDONLY, &txn)) {
        return 1;
    }

    lmdb_scopes(t, txn, &kept);
    lmdb_values(t, txn, &counted);

    ngx_ors_lmdb_end(&t->db, txn, 0);

    return kept.len != counted.len
           || ngx_memcmp(kept.data, counted.data, kept.len) != 0;
}


/* the same bytes, counted from the values: those of a scope are together */

static void
lmdb_values(ngx_ors_test_lmdb_t *t, MDB_txn *txn, ngx_str_t *text)
{
    u_char                *p;
    MDB_val                key, value;
    MDB_stat               stat;
    MDB_cursor            *cursor;
    ngx_ors_lmdb_share_t   share;

    mdb_stat(txn, t->db.values, &stat);

    p = ngx_palloc(t->pool, stat.ms_entries * 64 + 1);
    text->data = p;

    mdb_cursor_open(txn, t->db.values, &cursor);

    while (mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0) {

        if (p == text->data
            || ngx_memcmp(p - sizeof(share) - NGX_ORS_STORE_KEY, key.mv_data,
                          NGX_ORS_STORE_KEY) != 0)
        {
            p = ngx_cpymem(p, key.mv_data, NGX_ORS_STORE_KEY);
            p += sizeof(share);

            ngx_memzero(&share, sizeof(share));
        }

        share.bytes += value.mv_size + NGX_ORS_STORE_ENTRY;
        share.turns += ngx_ors_record_is(value.mv_data, value.mv_size);

        ngx_memcpy(p - sizeof(share), &share, sizeof(share));
    }

    mdb_cursor_close(cursor);

    text->len = p - text->data;
}


/* the table of scopes as bytes */

static void
lmdb_scopes(ngx_ors_test_lmdb_t *t, MDB_txn *txn, ngx_str_t *text)
{
    u_char      *p;
    MDB_val      key, value;
    MDB_stat     stat;
    MDB_cursor  *cursor;

    mdb_stat(txn, t->db.scopes, &stat);

    p = ngx_palloc(t->pool, stat.ms_entries * 64 + 1);
    text->data = p;

    mdb_cursor_open(txn, t->db.scopes, &cursor);

    while (mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0) {
        p = ngx_cpymem(p, key.mv_data, key.mv_size);
        p = ngx_cpymem(p, value.mv_data, value.mv_size);
    }

    mdb_cursor_close(cursor);

    text->len = p - text->data;
}


ngx_ors_lmdb_share_t
ngx_ors_test_lmdb_share(ngx_ors_test_lmdb_t *t)
{
    MDB_txn               *txn;
    ngx_ors_store_key_t    key;
    ngx_ors_lmdb_share_t   share;

    ngx_ors_test_lmdb_key(t, &key, "", 0);

    is_int(ngx_ors_lmdb_begin(&t->db, MDB_RDONLY, &txn), 0, "a look");
    is_int(ngx_ors_lmdb_share(&t->db, txn, key.scope, &share), 0, "a share");
    ngx_ors_lmdb_end(&t->db, txn, 0);

    return share;
}


void
ngx_ors_test_lmdb_empty(ngx_ors_test_lmdb_t *t)
{
    MDB_txn   *txn;
    MDB_stat   stat[4];

    is_int(ngx_ors_lmdb_begin(&t->db, MDB_RDONLY, &txn), 0, "a look");

    mdb_stat(txn, t->db.entries, &stat[0]);
    mdb_stat(txn, t->db.values, &stat[1]);
    mdb_stat(txn, t->db.expiry, &stat[2]);
    mdb_stat(txn, t->db.scopes, &stat[3]);

    ngx_ors_lmdb_end(&t->db, txn, 0);

    is_int(stat[0].ms_entries, 0, "no entry is left");
    is_int(stat[1].ms_entries, 0, "no value");
    is_int(stat[2].ms_entries, 0, "nothing to expire");
    is_int(stat[3].ms_entries, 0, "no scope");
}


u_char *
ngx_ors_test_lmdb_fill(ngx_ors_test_lmdb_t *t, size_t len, ngx_uint_t seed)
{
    size_t    i;
    u_char   *p;
    uint32_t  n;

    p = ngx_pnalloc(t->pool, len + 1);
    n = (uint32_t) (len * 31 + seed);

    for (i = 0; i < len; i++) {
        n = n * 1103515245 + 12345;
        p[i] = (u_char) (n >> 16);
    }

    return p;
}
