
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Rows and bytes of each scope, counted with every change, and the room that
 * is made for it.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_lmdb.h>
#include <ngx_ors_record.h>


static void ngx_ors_lmdb_share_of(u_char *data, size_t len,
    ngx_ors_lmdb_share_t *share);
static int ngx_ors_lmdb_share_put(ngx_ors_lmdb_t *db, MDB_txn *txn,
    u_char *scope, ngx_ors_lmdb_share_t *share);
static uint64_t ngx_ors_lmdb_less(uint64_t n, uint64_t m);


int
ngx_ors_lmdb_weigh(ngx_ors_lmdb_t *db, MDB_txn *txn, ngx_ors_store_key_t *key,
    ngx_ors_lmdb_share_t *share)
{
    int      err;
    MDB_val  k, value;

    share->bytes = 0;
    share->turns = 0;

    k.mv_data = key;
    k.mv_size = sizeof(ngx_ors_store_key_t);

    err = mdb_get(txn, db->values, &k, &value);

    if (err) {
        return (err == MDB_NOTFOUND) ? 0 : err;
    }

    ngx_ors_lmdb_share_of(value.mv_data, value.mv_size, share);

    return 0;
}


static void
ngx_ors_lmdb_share_of(u_char *data, size_t len, ngx_ors_lmdb_share_t *share)
{
    share->bytes = len + NGX_ORS_STORE_ENTRY;
    share->turns = ngx_ors_record_is(data, len);
}


int
ngx_ors_lmdb_counted(ngx_ors_lmdb_t *db, MDB_txn *txn, u_char *scope,
    ngx_ors_lmdb_share_t *old, ngx_str_t *value)
{
    int                   err;
    ngx_ors_lmdb_share_t  share, add;

    add.bytes = 0;
    add.turns = 0;

    if (value->data) {
        ngx_ors_lmdb_share_of(value->data, value->len, &add);
    }

    if (add.bytes == old->bytes && add.turns == old->turns) {
        return 0;
    }

    err = ngx_ors_lmdb_share(db, txn, scope, &share);

    if (err) {
        return err;
    }

    share.bytes = ngx_ors_lmdb_less(share.bytes + add.bytes, old->bytes);
    share.turns = ngx_ors_lmdb_less(share.turns + add.turns, old->turns);

    return ngx_ors_lmdb_share_put(db, txn, scope, &share);
}


int
ngx_ors_lmdb_room(ngx_ors_lmdb_t *db, MDB_txn *txn, ngx_ors_store_job_t *job,
    ngx_uint_t *refused)
{
    int                     err;
    u_char                 *scope;
    ngx_uint_t              i, record;
    ngx_ors_lmdb_share_t    share, old, new, less, more;
    ngx_ors_store_entry_t  *entry;

    *refused = 0;

    if (db->scope_size == 0 && db->scope_turns == 0) {
        return 0;
    }

    record = 0;
    scope = NULL;

    ngx_memzero(&less, sizeof(ngx_ors_lmdb_share_t));
    ngx_memzero(&more, sizeof(ngx_ors_lmdb_share_t));

    for (i = 0; i < job->n; i++) {
        entry = &job->entries[i];

        if (entry->value.data == NULL) {
            continue;
        }

        err = ngx_ors_lmdb_weigh(db, txn, &entry->key, &old);
        if (err) {
            return err;
        }

        ngx_ors_lmdb_share_of(entry->value.data, entry->value.len, &new);

        less.bytes += old.bytes;
        less.turns += old.turns;
        more.bytes += new.bytes;
        more.turns += new.turns;

        /* all of a job is of one scope */

        if (new.turns) {
            record = 1;
            scope = entry->key.scope;
        }
    }

    if (!record) {
        return 0;
    }

    err = ngx_ors_lmdb_share(db, txn, scope, &share);
    if (err) {
        return err;
    }

    if ((db->scope_size && more.bytes > less.bytes
         && share.bytes + (more.bytes - less.bytes) > db->scope_size)
        || (db->scope_turns && more.turns > less.turns
            && share.turns + (more.turns - less.turns) > db->scope_turns))
    {
        *refused = 1;
    }

    return 0;
}


int
ngx_ors_lmdb_share(ngx_ors_lmdb_t *db, MDB_txn *txn, u_char *scope,
    ngx_ors_lmdb_share_t *share)
{
    int      err;
    MDB_val  key, value;

    share->bytes = 0;
    share->turns = 0;

    key.mv_data = scope;
    key.mv_size = NGX_ORS_STORE_KEY;

    err = mdb_get(txn, db->scopes, &key, &value);

    if (err) {
        return (err == MDB_NOTFOUND) ? 0 : err;
    }

    if (value.mv_size != sizeof(ngx_ors_lmdb_share_t)) {
        return MDB_CORRUPTED;
    }

    ngx_memcpy(share, value.mv_data, sizeof(ngx_ors_lmdb_share_t));

    return 0;
}


/* a scope that has nothing has no row */

static int
ngx_ors_lmdb_share_put(ngx_ors_lmdb_t *db, MDB_txn *txn, u_char *scope,
    ngx_ors_lmdb_share_t *share)
{
    int      err;
    MDB_val  key, value;

    key.mv_data = scope;
    key.mv_size = NGX_ORS_STORE_KEY;

    if (share->bytes == 0) {
        err = mdb_del(txn, db->scopes, &key, NULL);

        return (err == MDB_NOTFOUND) ? 0 : err;
    }

    value.mv_data = share;
    value.mv_size = sizeof(ngx_ors_lmdb_share_t);

    return mdb_put(txn, db->scopes, &key, &value, 0);
}


/* a sum that were wrong must not become endless */

static uint64_t
ngx_ors_lmdb_less(uint64_t n, uint64_t m)
{
    return (n > m) ? n - m : 0;
}
