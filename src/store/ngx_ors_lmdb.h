
/*
 * The part of the LMDB engine that waits for the disk: an environment, and
 * what is done in it.  It knows nothing of events, and all but init may be
 * called from several threads at once.
 *
 * "entries" has when a key expires, "values" its value, and "expiry" both in
 * the order in which they expire.  A touch rewrites no value therefore.
 * "scopes" has what the values of each scope take, to the byte.
 */


#ifndef _NGX_ORS_LMDB_H_INCLUDED_
#define _NGX_ORS_LMDB_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_record.h>
#include <ngx_ors_store.h>
#include <lmdb.h>
#include <pthread.h>


typedef struct {
    u_char                   *path;       /* a directory, with a zero */
    size_t                    size;       /* of the map */
    ngx_uint_t                sync;       /* 0: the system writes when it */
                                          /* likes, threads do not wait */
    MDB_env                  *env;        /* NULL: not open */
    MDB_dbi                   entries;
    MDB_dbi                   values;
    MDB_dbi                   expiry;
    MDB_dbi                   scopes;

    uint64_t                  scope_size; /* bytes and turns that a scope */
    uint64_t                  scope_turns;    /* may have, 0: any */

    pthread_rwlock_t          lock;       /* all transactions read */
} ngx_ors_lmdb_t;


/* the outcome of a job in its thread; only the event loop sets job->status */

typedef struct {
    ngx_ors_store_job_t      *job;
    ngx_ors_store_status_e    status;
    ngx_ors_chain_t           chain;

    ngx_queue_t               queue;      /* of those that wait */
    unsigned                  waiting:1;
    unsigned                  refused:1;  /* by the share of its scope */
} ngx_ors_lmdb_op_t;


/* share of a scope, or of one value */

typedef struct {
    uint64_t                  bytes;
    uint64_t                  turns;      /* values that are records */
} ngx_ors_lmdb_share_t;


/* between the files of the engine */

#define NGX_ORS_LMDB_TIME  8


/* Prepares "db", whose path, size and sync are set.  NGX_OK or NGX_ERROR. */
ngx_int_t ngx_ors_lmdb_init(ngx_ors_lmdb_t *db);

/*
 * Opens the environment, anew if it is open.  0 or an error for
 * mdb_strerror(), as all that follow.
 */
int ngx_ors_lmdb_open(ngx_ors_lmdb_t *db);
void ngx_ors_lmdb_close(ngx_ors_lmdb_t *db);

/*
 * Does "n" jobs that get or follow a chain, all with the same view; sets the
 * status of each and returns the last error that is worth a line in the log.
 * Values are copied to the jobs' pools.
 */
int ngx_ors_lmdb_read(ngx_ors_lmdb_t *db, ngx_ors_lmdb_op_t **ops,
    ngx_uint_t n, time_t now);

/*
 * Does "n" jobs that put or delete in one transaction, or, if there is no
 * room for all, those that find room.  As ngx_ors_lmdb_read().
 */
int ngx_ors_lmdb_write(ngx_ors_lmdb_t *db, ngx_ors_lmdb_op_t **ops,
    ngx_uint_t n, time_t now);

/* Deletes up to "max" of what has expired, "swept" is how many it were. */
int ngx_ors_lmdb_sweep(ngx_ors_lmdb_t *db, time_t now, ngx_uint_t max,
    ngx_uint_t *swept);

/* Bytes of all pages but the free ones, and of the map; for a thread. */
int ngx_ors_lmdb_space(ngx_ors_lmdb_t *db, off_t *used, off_t *size);

/* Forgets readers that were killed: they keep pages from being used again. */
int ngx_ors_lmdb_reap(ngx_ors_lmdb_t *db);

/*
 * Begins a transaction, which must be ended after a result of 0; the second
 * function commits it if "err" is 0, and else aborts it and returns "err".
 */
int ngx_ors_lmdb_begin(ngx_ors_lmdb_t *db, unsigned int flags, MDB_txn **txn);
int ngx_ors_lmdb_end(ngx_ors_lmdb_t *db, MDB_txn *txn, int err);

/* The value of a key, borrowed from the map.  0, MDB_NOTFOUND or an error. */
int ngx_ors_lmdb_get(MDB_txn *txn, MDB_dbi dbi, void *key, size_t len,
    MDB_val *value);

/* When the key expires.  0, MDB_NOTFOUND or an error. */
int ngx_ors_lmdb_expires(ngx_ors_lmdb_t *db, MDB_txn *txn,
    ngx_ors_store_key_t *key, time_t *expires);

/* Share of the scope.  0 or an error. */
int ngx_ors_lmdb_share(ngx_ors_lmdb_t *db, MDB_txn *txn, u_char *scope,
    ngx_ors_lmdb_share_t *share);


/* Status of a job for an error of LMDB. */
ngx_ors_store_status_e ngx_ors_lmdb_status(int err);


#endif /* _NGX_ORS_LMDB_H_INCLUDED_ */
