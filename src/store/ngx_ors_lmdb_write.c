
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Writes to an LMDB environment: a batch in one transaction, the sweep of old
 * entries, the shares of scopes; jobs on their way through threads.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_lmdb.h>
#include <ngx_ors_lmdb_engine.h>


/* entries that a sweep deletes, and at most, when there is no room */
#define NGX_ORS_LMDB_ROOM      256
#define NGX_ORS_LMDB_ROOM_MAX  2048
#define NGX_ORS_LMDB_ROOMS     16

/* attempts, and ms between them, while readers hold old pages */
#define NGX_ORS_LMDB_WAITS     5
#define NGX_ORS_LMDB_WAIT      10

/* pages that are left for those who make room: a part of the map */
#define NGX_ORS_LMDB_SPARE     16
#define NGX_ORS_LMDB_SPARE_MIN 48
#define NGX_ORS_LMDB_SPARE_MAX 256

/* pages of all tables that an entry changes, at most */
#define NGX_ORS_LMDB_PATHS     16


/* a row of "expiry" */

typedef struct {
    u_char                    time[NGX_ORS_LMDB_TIME];
    ngx_ors_store_key_t       key;
} ngx_ors_lmdb_row_t;


static int ngx_ors_lmdb_commit(ngx_ors_lmdb_t *db, ngx_ors_lmdb_op_t **ops,
    ngx_uint_t n, time_t now);
static int ngx_ors_lmdb_do(ngx_ors_lmdb_t *db, MDB_txn *txn,
    ngx_ors_lmdb_op_t *op, time_t now, size_t *size);
static int ngx_ors_lmdb_spare(ngx_ors_lmdb_t *db, MDB_txn *txn, size_t size,
    ngx_uint_t n);
static int ngx_ors_lmdb_put(ngx_ors_lmdb_t *db, MDB_txn *txn,
    ngx_ors_store_entry_t *entry, ngx_uint_t add, time_t now);
static int ngx_ors_lmdb_put_value(ngx_ors_lmdb_t *db, MDB_txn *txn,
    ngx_ors_store_entry_t *entry);
static int ngx_ors_lmdb_put_row(MDB_txn *txn, MDB_dbi dbi, void *key,
    size_t len, void *value, size_t size);
static int ngx_ors_lmdb_delete(ngx_ors_lmdb_t *db, MDB_txn *txn,
    ngx_ors_store_entry_t *entry, time_t now);
static int ngx_ors_lmdb_del(MDB_txn *txn, MDB_dbi dbi, void *key, size_t len);
static void ngx_ors_lmdb_row(ngx_ors_lmdb_row_t *row,
    ngx_ors_store_key_t *key, time_t expires);
static ngx_uint_t ngx_ors_lmdb_make_room(ngx_ors_lmdb_t *db, time_t now);
static int ngx_ors_lmdb_step(ngx_ors_lmdb_t *db);
static int ngx_ors_lmdb_sweep_row(ngx_ors_lmdb_t *db, MDB_txn *txn,
    ngx_ors_lmdb_row_t *row);
static int ngx_ors_lmdb_due(ngx_ors_lmdb_t *db, MDB_txn *txn, time_t now,
    ngx_ors_lmdb_row_t *row);
static int ngx_ors_lmdb_weigh(ngx_ors_lmdb_t *db, MDB_txn *txn,
    ngx_ors_store_key_t *key, ngx_ors_lmdb_share_t *share);
static void ngx_ors_lmdb_share_of(u_char *data, size_t len,
    ngx_ors_lmdb_share_t *share);
static int ngx_ors_lmdb_counted(ngx_ors_lmdb_t *db, MDB_txn *txn,
    u_char *scope, ngx_ors_lmdb_share_t *old, ngx_str_t *value);
static int ngx_ors_lmdb_room(ngx_ors_lmdb_t *db, MDB_txn *txn,
    ngx_ors_lmdb_op_t *op);
static void ngx_ors_lmdb_task_init(ngx_ors_lmdb_state_t *st,
    ngx_ors_lmdb_task_t *t, ngx_log_t *log);
static void ngx_ors_lmdb_run(ngx_ors_lmdb_state_t *st);
static void ngx_ors_lmdb_run_task(ngx_ors_lmdb_task_t *t);
static ngx_uint_t ngx_ors_lmdb_take(ngx_ors_lmdb_task_t *t);
static void ngx_ors_lmdb_task_thread(void *data, ngx_log_t *log);
static void ngx_ors_lmdb_task_done(ngx_event_t *ev);
static void ngx_ors_lmdb_leave(ngx_ors_lmdb_task_t *t);
static void ngx_ors_lmdb_finish_handler(ngx_event_t *ev);
static ngx_ors_lmdb_op_t *ngx_ors_lmdb_next(ngx_queue_t *queue);
static void ngx_ors_lmdb_finish(ngx_ors_lmdb_op_t *op);
static void ngx_ors_lmdb_drop(ngx_queue_t *queue);


int
ngx_ors_lmdb_write(ngx_ors_lmdb_t *db, ngx_ors_lmdb_op_t **ops, ngx_uint_t n,
    time_t now)
{
    int         err, last;
    ngx_uint_t  i, waits;

    err = ngx_ors_lmdb_commit(db, ops, n, now);

    /*
     * as long as something has expired, small values make little room; if
     * nothing has, open read transactions may still pin free pages
     */

    for (i = 0, waits = 0; i < NGX_ORS_LMDB_ROOMS; i++) {

        if (ngx_ors_lmdb_status(err) != ngx_ors_store_full) {
            return err;
        }

        if (ngx_ors_lmdb_make_room(db, now) == 0) {

            if (++waits > NGX_ORS_LMDB_WAITS) {
                break;
            }

            ngx_msleep(NGX_ORS_LMDB_WAIT);
        }

        err = ngx_ors_lmdb_commit(db, ops, n, now);
    }

    if (n == 1 || ngx_ors_lmdb_status(err) != ngx_ors_store_full) {
        return err;
    }

    /* one that is too large must not take others with it */

    last = 0;

    for (i = 0; i < n; i++) {
        err = ngx_ors_lmdb_commit(db, &ops[i], 1, now);

        if (err) {
            last = err;
        }
    }

    return last;
}


static int
ngx_ors_lmdb_commit(ngx_ors_lmdb_t *db, ngx_ors_lmdb_op_t **ops, ngx_uint_t n,
    time_t now)
{
    int         err;
    size_t      size;
    MDB_txn    *txn;
    ngx_uint_t  i, entries;

    err = ngx_ors_lmdb_begin(db, 0, &txn);

    if (err == 0) {
        size = 0;
        entries = 0;

        for (i = 0; i < n && err == 0; i++) {
            err = ngx_ors_lmdb_do(db, txn, ops[i], now, &size);
            entries += ops[i]->job->n;
        }

        if (err == 0) {
            err = ngx_ors_lmdb_spare(db, txn, size, entries);
        }

        err = ngx_ors_lmdb_end(db, txn, err);
    }

    for (i = 0; i < n; i++) {
        ops[i]->status = (err == 0 && ops[i]->refused)
                         ? ngx_ors_store_share : ngx_ors_lmdb_status(err);
    }

    return err;
}


static int
ngx_ors_lmdb_do(ngx_ors_lmdb_t *db, MDB_txn *txn, ngx_ors_lmdb_op_t *op,
    time_t now, size_t *size)
{
    int                   err;
    ngx_uint_t            i;
    ngx_ors_store_job_t  *job;

    job = op->job;

    if (job->op == ngx_ors_store_put) {
        err = ngx_ors_lmdb_room(db, txn, op);

        if (err || op->refused) {
            return err;
        }
    }

    for (i = 0; i < job->n; i++) {

        if (job->op == ngx_ors_store_delete) {
            err = ngx_ors_lmdb_delete(db, txn, &job->entries[i], now);

        } else {
            *size += job->entries[i].value.len
                     + (job->entries[i].value.data != NULL);
            err = ngx_ors_lmdb_put(db, txn, &job->entries[i],
                                   job->op == ngx_ors_store_add, now);
        }

        if (err) {
            return err;
        }
    }

    return 0;
}


/*
 * To delete needs pages, and gives some back to those after the next
 * one only: a transaction that takes the last ones would be the last.  This
 * one, of "n" entries and "size" bytes, must leave some, and more of them if
 * it adds something.
 */

static int
ngx_ors_lmdb_spare(ngx_ors_lmdb_t *db, MDB_txn *txn, size_t size,
    ngx_uint_t n)
{
    int          err;
    MDB_val      key, value;
    MDB_txn     *child;
    MDB_stat     stat;
    ngx_uint_t   i, pages, spare;
    MDB_envinfo  info;

    (void) mdb_env_stat(db->env, &stat);
    (void) mdb_env_info(db->env, &info);

    pages = info.me_mapsize / stat.ms_psize;

    spare = ngx_min(pages / NGX_ORS_LMDB_SPARE, NGX_ORS_LMDB_SPARE_MAX);
    spare = ngx_max(spare, NGX_ORS_LMDB_SPARE_MIN);

    if (size == 0) {
        spare /= 2;
    }

    if (info.me_last_pgno + size / stat.ms_psize + n * NGX_ORS_LMDB_PATHS
        + spare < pages)
    {
        return 0;
    }

    /* only LMDB knows which pages are free: it is made to find them */

    err = mdb_txn_begin(db->env, txn, 0, &child);
    if (err) {
        return err;
    }

    key.mv_data = &i;
    key.mv_size = sizeof(ngx_uint_t);

    for (i = 0; i < spare && err == 0; i++) {

        /* a page of its own, less its head */

        value.mv_size = stat.ms_psize - 64;
        err = mdb_put(child, db->values, &key, &value, MDB_RESERVE);
    }

    mdb_txn_abort(child);

    return err;
}


static int
ngx_ors_lmdb_put(ngx_ors_lmdb_t *db, MDB_txn *txn,
    ngx_ors_store_entry_t *entry, ngx_uint_t add, time_t now)
{
    int                 err;
    time_t              expires;
    ngx_uint_t          there;
    ngx_ors_lmdb_row_t  row;

    err = ngx_ors_lmdb_expires(db, txn, &entry->key, &expires);

    if (err && err != MDB_NOTFOUND) {
        return err;
    }

    there = (err == 0 && expires > now);

    if (add) {

        /* a transaction that is done again finds out again */

        entry->there = there;
    }

    if (add ? there : entry->value.data == NULL && !there) {
        return 0;
    }

    if (err == 0 && expires != entry->expires) {
        ngx_ors_lmdb_row(&row, &entry->key, expires);

        err = ngx_ors_lmdb_del(txn, db->expiry, &row, sizeof(row));
        if (err) {
            return err;
        }
    }

    if (entry->value.data) {
        err = ngx_ors_lmdb_put_value(db, txn, entry);
        if (err) {
            return err;
        }
    }

    ngx_ors_lmdb_row(&row, &entry->key, entry->expires);

    err = ngx_ors_lmdb_put_row(txn, db->expiry, &row, sizeof(row), NULL, 0);
    if (err) {
        return err;
    }

    return ngx_ors_lmdb_put_row(txn, db->entries, &entry->key,
                                sizeof(entry->key), row.time,
                                NGX_ORS_LMDB_TIME);
}


static int
ngx_ors_lmdb_put_value(ngx_ors_lmdb_t *db, MDB_txn *txn,
    ngx_ors_store_entry_t *entry)
{
    int                   err;
    ngx_ors_lmdb_share_t  old;

    err = ngx_ors_lmdb_weigh(db, txn, &entry->key, &old);
    if (err) {
        return err;
    }

    err = ngx_ors_lmdb_put_row(txn, db->values, &entry->key, sizeof(entry->key),
                               entry->value.data, entry->value.len);
    if (err) {
        return err;
    }

    return ngx_ors_lmdb_counted(db, txn, entry->key.scope, &old,
                                &entry->value);
}


static int
ngx_ors_lmdb_put_row(MDB_txn *txn, MDB_dbi dbi, void *key, size_t len,
    void *value, size_t size)
{
    MDB_val  k, v;

    k.mv_data = key;
    k.mv_size = len;

    v.mv_data = value;
    v.mv_size = size;

    return mdb_put(txn, dbi, &k, &v, 0);
}


static int
ngx_ors_lmdb_delete(ngx_ors_lmdb_t *db, MDB_txn *txn,
    ngx_ors_store_entry_t *entry, time_t now)
{
    int                 err;
    time_t              expires;
    ngx_ors_lmdb_row_t  row;

    ngx_str_null(&entry->value);

    err = ngx_ors_lmdb_expires(db, txn, &entry->key, &expires);
    if (err) {
        return (err == MDB_NOTFOUND) ? 0 : err;
    }

    ngx_ors_lmdb_row(&row, &entry->key, expires);

    err = ngx_ors_lmdb_sweep_row(db, txn, &row);

    if (err == 0 && expires > now) {
        entry->value.data = (u_char *) "";
    }

    return err;
}


static int
ngx_ors_lmdb_del(MDB_txn *txn, MDB_dbi dbi, void *key, size_t len)
{
    int      err;
    MDB_val  k;

    k.mv_data = key;
    k.mv_size = len;

    err = mdb_del(txn, dbi, &k, NULL);

    /* a sweep that stops at a row that is lost would stop there for ever */

    return (err == MDB_NOTFOUND) ? 0 : err;
}


static void
ngx_ors_lmdb_row(ngx_ors_lmdb_row_t *row, ngx_ors_store_key_t *key,
    time_t expires)
{
    uint64_t    n;
    ngx_uint_t  i;

    n = (uint64_t) expires;

    for (i = NGX_ORS_LMDB_TIME; i > 0; i--) {
        row->time[i - 1] = (u_char) n;
        n >>= 8;
    }

    row->key = *key;
}


/* the sweep is short: jobs wait for it */

static ngx_uint_t
ngx_ors_lmdb_make_room(ngx_ors_lmdb_t *db, time_t now)
{
    int         err;
    ngx_uint_t  n, max, swept;

    (void) ngx_ors_lmdb_reap(db);

    n = 0;
    max = NGX_ORS_LMDB_ROOM;

    while (max && n < NGX_ORS_LMDB_ROOM_MAX) {

        err = ngx_ors_lmdb_sweep(db, now, max, &swept);

        if (err == 0) {
            n += swept;

            if (swept < max) {
                break;
            }

        } else if (ngx_ors_lmdb_status(err) == ngx_ors_store_full) {

            /* to delete needs some pages */

            max /= 2;

        } else {
            break;
        }
    }

    (void) ngx_ors_lmdb_step(db);

    return n;
}


/*
 * Pages freed by a transaction are for those after the next one: this one does
 * nothing but count.  The pages that it writes move to the lowest free ones,
 * and no longer part the room that a large value needs.
 */

static int
ngx_ors_lmdb_step(ngx_ors_lmdb_t *db)
{
    int       err;
    MDB_txn  *txn;

    err = ngx_ors_lmdb_begin(db, 0, &txn);
    if (err) {
        return err;
    }

    err = ngx_ors_lmdb_put_row(txn, db->entries, "step", 4, NULL, 0);

    if (err == 0) {
        err = ngx_ors_lmdb_del(txn, db->entries, "step", 4);
    }

    return ngx_ors_lmdb_end(db, txn, err);
}


int
ngx_ors_lmdb_sweep(ngx_ors_lmdb_t *db, time_t now, ngx_uint_t max,
    ngx_uint_t *swept)
{
    int                  err;
    MDB_txn             *txn;
    ngx_ors_lmdb_row_t   row;

    *swept = 0;

    /* writers need not wait while there is nothing to do */

    err = ngx_ors_lmdb_begin(db, MDB_RDONLY, &txn);
    if (err) {
        return err;
    }

    err = ngx_ors_lmdb_due(db, txn, now, &row);

    (void) ngx_ors_lmdb_end(db, txn, 0);

    if (err) {
        return (err == MDB_NOTFOUND) ? 0 : err;
    }

    err = ngx_ors_lmdb_begin(db, 0, &txn);
    if (err) {
        return err;
    }

    while (*swept < max) {
        err = ngx_ors_lmdb_due(db, txn, now, &row);

        if (err == 0) {
            err = ngx_ors_lmdb_sweep_row(db, txn, &row);
        }

        if (err) {
            break;
        }

        (*swept)++;
    }

    if (err == MDB_NOTFOUND) {
        err = 0;
    }

    if (err == 0 && max > 1) {
        err = ngx_ors_lmdb_spare(db, txn, 0, *swept);
    }

    err = ngx_ors_lmdb_end(db, txn, err);

    if (err) {
        *swept = 0;
    }

    return err;
}


/* deletes a row of "expiry", and its entry */

static int
ngx_ors_lmdb_sweep_row(ngx_ors_lmdb_t *db, MDB_txn *txn,
    ngx_ors_lmdb_row_t *row)
{
    int                   err;
    ngx_str_t             none;
    ngx_ors_lmdb_share_t  old;

    ngx_str_null(&none);

    err = ngx_ors_lmdb_weigh(db, txn, &row->key, &old);

    if (err == 0) {
        err = ngx_ors_lmdb_del(txn, db->expiry, row, sizeof(*row));
    }

    if (err == 0) {
        err = ngx_ors_lmdb_del(txn, db->entries, &row->key, sizeof(row->key));
    }

    if (err == 0) {
        err = ngx_ors_lmdb_del(txn, db->values, &row->key, sizeof(row->key));
    }

    if (err == 0) {
        err = ngx_ors_lmdb_counted(db, txn, row->key.scope, &old, &none);
    }

    return err;
}


/* the first row, if it has expired; else MDB_NOTFOUND */

static int
ngx_ors_lmdb_due(ngx_ors_lmdb_t *db, MDB_txn *txn, time_t now,
    ngx_ors_lmdb_row_t *row)
{
    int                  err;
    MDB_val              key, value;
    MDB_cursor          *cursor;
    ngx_ors_lmdb_row_t   limit;

    err = mdb_cursor_open(txn, db->expiry, &cursor);
    if (err) {
        return err;
    }

    err = mdb_cursor_get(cursor, &key, &value, MDB_FIRST);

    mdb_cursor_close(cursor);

    if (err) {
        return err;
    }

    if (key.mv_size != sizeof(ngx_ors_lmdb_row_t)) {
        return MDB_CORRUPTED;
    }

    ngx_memcpy(row, key.mv_data, sizeof(ngx_ors_lmdb_row_t));
    ngx_ors_lmdb_row(&limit, &row->key, now);

    return (ngx_memcmp(row->time, limit.time, NGX_ORS_LMDB_TIME) > 0)
           ? MDB_NOTFOUND : 0;
}


/*
 * Rows and bytes of each scope, counted with every change, and the room that
 * is made for it.
 */


/* the share of the key's value, zeros if there is none */

static int
ngx_ors_lmdb_weigh(ngx_ors_lmdb_t *db, MDB_txn *txn, ngx_ors_store_key_t *key,
    ngx_ors_lmdb_share_t *share)
{
    int      err;
    MDB_val  value;

    ngx_memzero(share, sizeof(ngx_ors_lmdb_share_t));

    err = ngx_ors_lmdb_get(txn, db->values, key, sizeof(ngx_ors_store_key_t),
                           &value);
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


/*
 * A value of the scope has been written, or deleted if its data is NULL, in
 * the place of one that took "old".
 */

static int
ngx_ors_lmdb_counted(ngx_ors_lmdb_t *db, MDB_txn *txn, u_char *scope,
    ngx_ors_lmdb_share_t *old, ngx_str_t *value)
{
    int                   err;
    ngx_ors_lmdb_share_t  share, add;

    ngx_memzero(&add, sizeof(ngx_ors_lmdb_share_t));

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

    /* a sum that were wrong must not become endless */

    share.bytes += add.bytes;
    share.bytes -= ngx_min(share.bytes, old->bytes);

    share.turns += add.turns;
    share.turns -= ngx_min(share.turns, old->turns);

    /* a scope that has nothing has no row */

    return share.bytes ? ngx_ors_lmdb_put_row(txn, db->scopes, scope,
                                              NGX_ORS_STORE_KEY, &share,
                                              sizeof(ngx_ors_lmdb_share_t))
                       : ngx_ors_lmdb_del(txn, db->scopes, scope,
                                          NGX_ORS_STORE_KEY);
}


/*
 * Checks that a scope has room for what the job puts: op->refused is 1 if not.
 * Only jobs with a record are refused.
 */

static int
ngx_ors_lmdb_room(ngx_ors_lmdb_t *db, MDB_txn *txn, ngx_ors_lmdb_op_t *op)
{
    int                     err;
    u_char                 *scope;
    ngx_uint_t              i;
    ngx_ors_lmdb_share_t    share, old, new, less, more;
    ngx_ors_store_entry_t  *entry;

    op->refused = 0;

    if (db->scope_size == 0 && db->scope_turns == 0) {
        return 0;
    }

    scope = NULL;

    ngx_memzero(&less, sizeof(ngx_ors_lmdb_share_t));
    ngx_memzero(&more, sizeof(ngx_ors_lmdb_share_t));

    for (i = 0; i < op->job->n; i++) {
        entry = &op->job->entries[i];

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
            scope = entry->key.scope;
        }
    }

    if (scope == NULL) {
        return 0;
    }

    err = ngx_ors_lmdb_share(db, txn, scope, &share);
    if (err) {
        return err;
    }

    op->refused = (db->scope_size && more.bytes > less.bytes
                   && share.bytes + (more.bytes - less.bytes)
                      > db->scope_size)
                  || (db->scope_turns && more.turns > less.turns
                      && share.turns + (more.turns - less.turns)
                         > db->scope_turns);

    return 0;
}


int
ngx_ors_lmdb_share(ngx_ors_lmdb_t *db, MDB_txn *txn, u_char *scope,
    ngx_ors_lmdb_share_t *share)
{
    int      err;
    MDB_val  value;

    ngx_memzero(share, sizeof(ngx_ors_lmdb_share_t));

    err = ngx_ors_lmdb_get(txn, db->scopes, scope, NGX_ORS_STORE_KEY, &value);
    if (err) {
        return (err == MDB_NOTFOUND) ? 0 : err;
    }

    if (value.mv_size != sizeof(ngx_ors_lmdb_share_t)) {
        return MDB_CORRUPTED;
    }

    ngx_memcpy(share, value.mv_data, sizeof(ngx_ors_lmdb_share_t));

    return 0;
}


/*
 * Jobs of the LMDB engine on their way through nginx's thread pool.
 */


void
ngx_ors_lmdb_jobs_init(ngx_ors_lmdb_state_t *st, ngx_log_t *log)
{
    ngx_uint_t  i;

    ngx_queue_init(&st->reads);
    ngx_queue_init(&st->writes);
    ngx_queue_init(&st->finished);

    st->finish.handler = ngx_ors_lmdb_finish_handler;
    st->finish.data = st;
    st->finish.log = log;

    ngx_ors_lmdb_task_init(st, &st->writer, log);
    st->writer.write = 1;

    for (i = 0; i < NGX_ORS_LMDB_READ_TASKS; i++) {
        ngx_ors_lmdb_task_init(st, &st->readers[i], log);
    }
}


static void
ngx_ors_lmdb_task_init(ngx_ors_lmdb_state_t *st, ngx_ors_lmdb_task_t *t,
    ngx_log_t *log)
{
    t->state = st;

    t->task.ctx = t;
    t->task.handler = ngx_ors_lmdb_task_thread;

    t->task.event.handler = ngx_ors_lmdb_task_done;
    t->task.event.data = t;
    t->task.event.log = log;
}


void
ngx_ors_lmdb_post(ngx_ors_store_job_t *job)
{
    ngx_queue_t           *queue;
    ngx_ors_lmdb_op_t     *op;
    ngx_ors_lmdb_state_t  *st;

    st = job->store->state;

    op = st->ready ? ngx_pcalloc(job->pool, sizeof(ngx_ors_lmdb_op_t)) : NULL;
    if (op == NULL) {
        ngx_ors_store_return(job, ngx_ors_store_unavailable);
        return;
    }

    op->job = job;
    op->waiting = 1;

    job->state = op;

    queue = (job->op == ngx_ors_store_get || job->op == ngx_ors_store_chain)
            ? &st->reads : &st->writes;

    ngx_queue_insert_tail(queue, &op->queue);

    ngx_ors_lmdb_run(st);
}


static void
ngx_ors_lmdb_run(ngx_ors_lmdb_state_t *st)
{
    ngx_uint_t  i;

    ngx_ors_lmdb_run_task(&st->writer);

    for (i = 0; i < NGX_ORS_LMDB_READ_TASKS; i++) {

        if (ngx_queue_empty(&st->reads)) {
            break;
        }

        ngx_ors_lmdb_run_task(&st->readers[i]);
    }
}


/* all that has come while a task was busy is for its next run */

static void
ngx_ors_lmdb_run_task(ngx_ors_lmdb_task_t *t)
{
    ngx_uint_t  i;

    if (t->busy || ngx_ors_lmdb_take(t) == 0) {
        return;
    }

    t->now = ngx_time();
    t->busy = 1;

    ngx_log_debug2(NGX_LOG_DEBUG_EVENT, t->ops[0]->job->store->log, 0,
                   "ors lmdb: task of %ui jobs posted, writer:%d",
                   t->n, t == &t->state->writer);

    if (ngx_thread_task_post(t->state->thread_pool, &t->task) == NGX_OK) {
        return;
    }

    t->busy = 0;

    for (i = 0; i < t->n; i++) {
        ngx_ors_store_return(t->ops[i]->job, ngx_ors_store_unavailable);
    }
}


static ngx_uint_t
ngx_ors_lmdb_take(ngx_ors_lmdb_task_t *t)
{
    size_t              size;
    ngx_uint_t          i, max;
    ngx_queue_t        *queue;
    ngx_ors_lmdb_op_t  *op;

    queue = t->write ? &t->state->writes : &t->state->reads;
    max = t->write ? NGX_ORS_LMDB_WRITES : NGX_ORS_LMDB_READS;

    size = 0;
    t->n = 0;

    while (t->n < max && size < NGX_ORS_LMDB_WRITE_SIZE) {
        op = ngx_ors_lmdb_next(queue);

        if (op == NULL) {
            break;
        }

        op->waiting = 0;

        if (!t->write && op->job->dropped) {
            ngx_ors_lmdb_finish(op);
            continue;
        }

        for (i = 0; i < op->job->n; i++) {
            size += op->job->entries[i].value.len;
        }

        t->ops[t->n++] = op;
    }

    return t->n;
}


static void
ngx_ors_lmdb_task_thread(void *data, ngx_log_t *log)
{
    ngx_ors_lmdb_task_t *t = data;

    t->err = t->write
             ? ngx_ors_lmdb_write(&t->state->db, t->ops, t->n, t->now)
             : ngx_ors_lmdb_read(&t->state->db, t->ops, t->n, t->now);
}


static void
ngx_ors_lmdb_task_done(ngx_event_t *ev)
{
    ngx_ors_lmdb_task_t   *t;
    ngx_ors_lmdb_state_t  *st;

    t = ev->data;
    st = t->state;

    ev->complete = 0;

    if (t->err) {
        ngx_ors_lmdb_failed(st, t->err, t->write ? "write to" : "read");
    }

    ngx_ors_lmdb_leave(t);
    ngx_ors_lmdb_run(st);

    if (!st->finish.posted) {
        ngx_ors_lmdb_finish_handler(&st->finish);
    }
}


/* the task is free for those that wait, before any handler is called */

static void
ngx_ors_lmdb_leave(ngx_ors_lmdb_task_t *t)
{
    ngx_uint_t  i;

    for (i = 0; i < t->n; i++) {
        ngx_queue_insert_tail(&t->state->finished, &t->ops[i]->queue);
    }

    t->busy = 0;
}


/* many jobs may end with one commit: their handlers must not be one pause */

static void
ngx_ors_lmdb_finish_handler(ngx_event_t *ev)
{
    ngx_uint_t             n;
    ngx_ors_lmdb_op_t     *op;
    ngx_ors_lmdb_state_t  *st;

    st = ev->data;

    for (n = 0; n < NGX_ORS_LMDB_FINISH; n++) {
        op = ngx_ors_lmdb_next(&st->finished);

        if (op == NULL) {
            return;
        }

        ngx_ors_lmdb_finish(op);
    }

    ngx_post_event(&st->finish, &ngx_posted_next_events);
}


/* the first one, which is taken out, or NULL */

static ngx_ors_lmdb_op_t *
ngx_ors_lmdb_next(ngx_queue_t *queue)
{
    ngx_queue_t  *q;

    if (ngx_queue_empty(queue)) {
        return NULL;
    }

    q = ngx_queue_head(queue);
    ngx_queue_remove(q);

    return ngx_queue_data(q, ngx_ors_lmdb_op_t, queue);
}


static void
ngx_ors_lmdb_finish(ngx_ors_lmdb_op_t *op)
{
    ngx_ors_store_job_t  *job;

    job = op->job;

    if (!job->notified && job->op == ngx_ors_store_chain
        && op->status == ngx_ors_store_ok)
    {
        job->entries = op->chain.first;
        job->n = op->chain.count;
    }

    ngx_ors_store_done(job, op->status);
}


/* a job that a thread works on stays until the thread gives it back */

void
ngx_ors_lmdb_timeout(ngx_ors_store_job_t *job)
{
    ngx_ors_lmdb_op_t  *op;

    op = job->state;

    if (op->waiting) {
        ngx_queue_remove(&op->queue);
        ngx_ors_store_done(job, ngx_ors_store_timeout);

    } else {
        ngx_ors_store_tell(job, ngx_ors_store_timeout);
    }
}


void
ngx_ors_lmdb_jobs_end(ngx_ors_lmdb_state_t *st)
{
    ngx_uint_t  i;

    for (i = 0; i < NGX_ORS_LMDB_READ_TASKS; i++) {

        if (st->readers[i].busy) {
            ngx_ors_lmdb_leave(&st->readers[i]);
        }
    }

    if (st->writer.busy) {
        ngx_ors_lmdb_leave(&st->writer);
    }

    ngx_ors_lmdb_drop(&st->reads);

    while (ngx_ors_lmdb_take(&st->writer)) {
        st->writer.now = ngx_time();
        ngx_ors_lmdb_task_thread(&st->writer, NULL);
        ngx_ors_lmdb_leave(&st->writer);
    }

    ngx_ors_lmdb_drop(&st->finished);
}


/* the owner of a job that was told gives it back */

static void
ngx_ors_lmdb_drop(ngx_queue_t *queue)
{
    ngx_ors_lmdb_op_t  *op;

    while ((op = ngx_ors_lmdb_next(queue)) != NULL) {
        op->job->dropped |= !op->job->notified;
        ngx_ors_lmdb_finish(op);
    }
}
