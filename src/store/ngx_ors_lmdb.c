
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * An LMDB environment: opened, read, and chains of turns.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_lmdb.h>
#include <ngx_ors_record.h>


#define NGX_ORS_LMDB_READERS  2048
#define NGX_ORS_LMDB_TRIES    3


static void ngx_ors_lmdb_shut(ngx_ors_lmdb_t *db);
static int ngx_ors_lmdb_env(ngx_ors_lmdb_t *db);
static int ngx_ors_lmdb_tables(ngx_ors_lmdb_t *db);
static int ngx_ors_lmdb_remap(ngx_ors_lmdb_t *db);
static int ngx_ors_lmdb_entries(ngx_ors_lmdb_t *db, MDB_txn *txn,
    ngx_ors_store_entry_t *entry, ngx_uint_t n, time_t now, size_t *left,
    ngx_pool_t *pool);
static int ngx_ors_lmdb_chain(ngx_ors_lmdb_t *db, MDB_txn *txn,
    ngx_ors_lmdb_op_t *op, time_t now, size_t left);
static int ngx_ors_lmdb_batch(ngx_ors_lmdb_t *db, MDB_txn *txn,
    ngx_ors_chain_t *chain, time_t now, size_t *left);
static int ngx_ors_lmdb_load(ngx_ors_lmdb_t *db, MDB_txn *txn,
    ngx_ors_store_entry_t *entry, time_t now, size_t *left,
    ngx_pool_t *pool);


ngx_int_t
ngx_ors_lmdb_init(ngx_ors_lmdb_t *db)
{
    db->env = NULL;

    return pthread_rwlock_init(&db->lock, NULL) ? NGX_ERROR : NGX_OK;
}


int
ngx_ors_lmdb_open(ngx_ors_lmdb_t *db)
{
    int  err;

    /* no process may have an environment open twice */

    (void) pthread_rwlock_wrlock(&db->lock);

    ngx_ors_lmdb_shut(db);

    err = ngx_ors_lmdb_env(db);

    if (err) {
        ngx_ors_lmdb_shut(db);
    }

    (void) pthread_rwlock_unlock(&db->lock);

    return err;
}


static void
ngx_ors_lmdb_shut(ngx_ors_lmdb_t *db)
{
    if (db->env) {
        mdb_env_close(db->env);
        db->env = NULL;
    }
}


static int
ngx_ors_lmdb_env(ngx_ors_lmdb_t *db)
{
    int  err;

    err = mdb_env_create(&db->env);

    if (err) {
        db->env = NULL;
        return err;
    }

    err = mdb_env_set_maxdbs(db->env, 4);

    if (err == 0) {
        err = mdb_env_set_maxreaders(db->env, NGX_ORS_LMDB_READERS);
    }

    if (err == 0) {
        err = mdb_env_set_mapsize(db->env, db->size);
    }

    /* a task may end on another thread than the previous one */

    if (err == 0) {
        err = mdb_env_open(db->env, (char *) db->path,
                           db->sync ? MDB_NOTLS : MDB_NOTLS|MDB_NOSYNC, 0600);
    }

    return err ? err : ngx_ors_lmdb_tables(db);
}


static int
ngx_ors_lmdb_tables(ngx_ors_lmdb_t *db)
{
    int         err;
    MDB_txn    *txn;
    ngx_uint_t  i;

    const struct {
        char     *name;
        MDB_dbi  *dbi;
    } tables[] = {
        { "entries", &db->entries },
        { "values", &db->values },
        { "expiry", &db->expiry },
        { "scopes", &db->scopes }
    };

    err = mdb_txn_begin(db->env, NULL, 0, &txn);
    if (err) {
        return err;
    }

    for (i = 0; i < sizeof(tables) / sizeof(tables[0]) && err == 0; i++) {
        err = mdb_dbi_open(txn, tables[i].name, MDB_CREATE, tables[i].dbi);
    }

    if (err) {
        mdb_txn_abort(txn);
        return err;
    }

    return mdb_txn_commit(txn);
}


void
ngx_ors_lmdb_close(ngx_ors_lmdb_t *db)
{
    (void) pthread_rwlock_wrlock(&db->lock);

    ngx_ors_lmdb_shut(db);

    (void) pthread_rwlock_unlock(&db->lock);
}


int
ngx_ors_lmdb_begin(ngx_ors_lmdb_t *db, unsigned int flags, MDB_txn **txn)
{
    int         err;
    ngx_uint_t  tries;

    for (tries = 1; /* void */ ; tries++) {

        (void) pthread_rwlock_rdlock(&db->lock);

        err = db->env ? mdb_txn_begin(db->env, NULL, flags, txn) : EBADF;

        if (err == 0) {
            return 0;
        }

        (void) pthread_rwlock_unlock(&db->lock);

        if (tries == NGX_ORS_LMDB_TRIES) {
            return err;
        }

        if (err == MDB_MAP_RESIZED) {
            err = ngx_ors_lmdb_remap(db);

        } else if (err == MDB_READERS_FULL) {
            err = ngx_ors_lmdb_reap(db);
        }

        if (err) {
            return err;
        }
    }
}


/* another process has a larger map, and has used it */

static int
ngx_ors_lmdb_remap(ngx_ors_lmdb_t *db)
{
    int  err;

    (void) pthread_rwlock_wrlock(&db->lock);

    err = db->env ? mdb_env_set_mapsize(db->env, 0) : EBADF;

    (void) pthread_rwlock_unlock(&db->lock);

    return err;
}


int
ngx_ors_lmdb_end(ngx_ors_lmdb_t *db, MDB_txn *txn, int err)
{
    if (err) {
        mdb_txn_abort(txn);

    } else {
        err = mdb_txn_commit(txn);
    }

    (void) pthread_rwlock_unlock(&db->lock);

    return err;
}


int
ngx_ors_lmdb_space(ngx_ors_lmdb_t *db, off_t *used, off_t *size)
{
    int          err;
    MDB_txn     *txn;
    MDB_stat     stat;
    ngx_uint_t   i;
    MDB_envinfo  info;

    /* dbi 0 has the list of free pages, 1 the names of the others */

    MDB_dbi  of[] = { 0, 1, db->entries, db->values, db->expiry, db->scopes };

    err = ngx_ors_lmdb_begin(db, MDB_RDONLY, &txn);
    if (err) {
        return err;
    }

    (void) mdb_env_info(db->env, &info);

    *size = info.me_mapsize;
    *used = 0;

    for (i = 0; err == 0 && i < sizeof(of) / sizeof(of[0]); i++) {
        err = mdb_stat(txn, of[i], &stat);

        if (err == 0) {
            *used += (off_t) (stat.ms_branch_pages + stat.ms_leaf_pages
                               + stat.ms_overflow_pages)
                      * stat.ms_psize;
        }
    }

    (void) ngx_ors_lmdb_end(db, txn, 0);

    return err;
}


int
ngx_ors_lmdb_reap(ngx_ors_lmdb_t *db)
{
    int  err, dead;

    (void) pthread_rwlock_rdlock(&db->lock);

    err = db->env ? mdb_reader_check(db->env, &dead) : EBADF;

    (void) pthread_rwlock_unlock(&db->lock);

    return err;
}


ngx_ors_store_status_e
ngx_ors_lmdb_status(int err)
{
    switch (err) {

    case 0:
        return ngx_ors_store_ok;

    case MDB_NOTFOUND:
        return ngx_ors_store_absent;

    /* a value is too large for what is left */

    case EMSGSIZE:
        return ngx_ors_store_limit;

    case MDB_MAP_FULL:
    case MDB_TXN_FULL:
    case ENOSPC:
    case EDQUOT:
    case EFBIG:

    /* LMDB calls it so if a part could be written */

    case EIO:
        return ngx_ors_store_full;

    case MDB_CORRUPTED:
    case MDB_PAGE_NOTFOUND:
        return ngx_ors_store_corrupt;

    case MDB_VERSION_MISMATCH:
        return ngx_ors_store_version;

    default:
        return ngx_ors_store_unavailable;
    }
}


int
ngx_ors_lmdb_read(ngx_ors_lmdb_t *db, ngx_ors_lmdb_op_t **ops, ngx_uint_t n,
    time_t now)
{
    int                   err, last;
    size_t                left;
    MDB_txn              *txn;
    ngx_uint_t            i;
    ngx_ors_store_job_t  *job;

    last = ngx_ors_lmdb_begin(db, MDB_RDONLY, &txn);

    if (last) {
        for (i = 0; i < n; i++) {
            ops[i]->status = ngx_ors_lmdb_status(last);
        }

        return last;
    }

    for (i = 0; i < n; i++) {
        job = ops[i]->job;
        left = job->max_size ? job->max_size : NGX_MAX_SIZE_T_VALUE;

        err = (job->op == ngx_ors_store_chain)
              ? ngx_ors_lmdb_chain(db, txn, ops[i], now, left)
              : ngx_ors_lmdb_entries(db, txn, job->entries, job->n, now,
                                     &left, job->pool);

        ops[i]->status = ngx_ors_lmdb_status(err);

        if (ops[i]->status > ngx_ors_store_limit) {
            last = err;
        }
    }

    (void) ngx_ors_lmdb_end(db, txn, 0);

    return last;
}


static int
ngx_ors_lmdb_entries(ngx_ors_lmdb_t *db, MDB_txn *txn,
    ngx_ors_store_entry_t *entry, ngx_uint_t n, time_t now, size_t *left,
    ngx_pool_t *pool)
{
    int  err;

    for ( /* void */ ; n; n--, entry++) {
        ngx_str_null(&entry->value);

        err = ngx_ors_lmdb_load(db, txn, entry, now, left, pool);
        if (err && err != MDB_NOTFOUND) {
            return err;
        }
    }

    return 0;
}


static int
ngx_ors_lmdb_chain(ngx_ors_lmdb_t *db, MDB_txn *txn, ngx_ors_lmdb_op_t *op,
    time_t now, size_t left)
{
    int                      err;
    ngx_uint_t               full;
    ngx_ors_chain_t         *chain;
    ngx_ors_store_status_e   status;

    chain = &op->chain;

    ngx_memzero(chain, sizeof(ngx_ors_chain_t));

    chain->job = op->job;
    chain->batch = op->job->entries;
    chain->n = 1;

    while (chain->n) {
        err = ngx_ors_lmdb_batch(db, txn, chain, now, &left);

        /* a chain whose last turn fits has as many of the others as fit */

        full = (err == EMSGSIZE && op->job->newest && chain->entries);

        if (err && !full) {
            return err;
        }

        status = ngx_ors_chain_next(chain, full);

        if (status != ngx_ors_store_ok) {
            return (status == ngx_ors_store_absent) ? MDB_NOTFOUND
                   : (status == ngx_ors_store_limit) ? EMSGSIZE
                   : (status == ngx_ors_store_corrupt) ? MDB_CORRUPTED
                   : (status == ngx_ors_store_version) ? MDB_VERSION_MISMATCH
                   : ENOMEM;
        }
    }

    left = NGX_MAX_SIZE_T_VALUE;

    return ngx_ors_lmdb_entries(db, txn, op->job->others, op->job->nothers,
                                now, &left, op->job->pool);
}


/* the newest turns come first: what is left is for them */

static int
ngx_ors_lmdb_batch(ngx_ors_lmdb_t *db, MDB_txn *txn, ngx_ors_chain_t *chain,
    time_t now, size_t *left)
{
    int         err;
    ngx_uint_t  n;

    for (n = chain->n; n; n--) {
        err = ngx_ors_lmdb_load(db, txn, &chain->batch[n - 1], now, left,
                                chain->job->pool);
        if (err) {
            return err;
        }
    }

    return 0;
}


/* 0, MDB_NOTFOUND, EMSGSIZE if it has more than "left" bytes, or an error */

static int
ngx_ors_lmdb_load(ngx_ors_lmdb_t *db, MDB_txn *txn,
    ngx_ors_store_entry_t *entry, time_t now, size_t *left, ngx_pool_t *pool)
{
    int        err;
    MDB_val    value;
    ngx_str_t  stored;

    err = ngx_ors_lmdb_expires(db, txn, &entry->key, &entry->expires);
    if (err) {
        return err;
    }

    if (entry->expires <= now) {
        return MDB_NOTFOUND;
    }

    err = ngx_ors_lmdb_get(txn, db->values, &entry->key, sizeof(entry->key),
                           &value);
    if (err) {
        return (err == MDB_NOTFOUND) ? MDB_CORRUPTED : err;
    }

    stored.data = value.mv_data;
    stored.len = value.mv_size;

    switch (ngx_ors_record_copy(&stored, entry->parts, left, pool,
                                &entry->value))
    {
    case NGX_OK:
        return 0;

    case NGX_DECLINED:
        return EMSGSIZE;

    default:
        return ENOMEM;
    }
}


int
ngx_ors_lmdb_expires(ngx_ors_lmdb_t *db, MDB_txn *txn,
    ngx_ors_store_key_t *key, time_t *expires)
{
    int       err;
    u_char   *p;
    MDB_val   value;
    uint64_t  n;

    err = ngx_ors_lmdb_get(txn, db->entries, key, sizeof(ngx_ors_store_key_t),
                           &value);
    if (err) {
        return err;
    }

    if (value.mv_size != NGX_ORS_LMDB_TIME) {
        return MDB_CORRUPTED;
    }

    n = 0;

    for (p = value.mv_data; p < (u_char *) value.mv_data + value.mv_size; p++)
    {
        n = (n << 8) | *p;
    }

    *expires = (time_t) n;

    return 0;
}


int
ngx_ors_lmdb_get(MDB_txn *txn, MDB_dbi dbi, void *key, size_t len,
    MDB_val *value)
{
    MDB_val  k;

    k.mv_data = key;
    k.mv_size = len;

    return mdb_get(txn, dbi, &k, value);
}
