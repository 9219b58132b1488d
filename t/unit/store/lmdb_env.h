
/*
 * An environment in a directory of its own, and short names for what is done
 * in it.  Commits do not wait for the disk, unless "sync" is set again.
 */


#ifndef _LMDB_ENV_H_INCLUDED_
#define _LMDB_ENV_H_INCLUDED_


#include <ngx_ors_test.h>
#include <ngx_ors_lmdb.h>


#define NGX_ORS_TEST_NOW  1700000000


typedef struct {
    ngx_ors_lmdb_t            db;
    ngx_pool_t               *pool;
    time_t                    now;
    u_char                    scope;      /* that of all keys */
    ngx_uint_t                newest;     /* of a chain, at its limits */
    u_char                    path[64];

    ngx_ors_store_status_e    status;     /* of the last get */
    time_t                    expires;
} ngx_ors_test_lmdb_t;


void ngx_ors_test_lmdb_open(ngx_ors_test_lmdb_t *t, size_t size);

/* Closes it and deletes the directory. */
void ngx_ors_test_lmdb_close(ngx_ors_test_lmdb_t *t);

/* The key of a name, and of a name and a number. */
void ngx_ors_test_lmdb_key(ngx_ors_test_lmdb_t *t, ngx_ors_store_key_t *key,
    char *name, ngx_uint_t n);

/* A job that nobody has posted; expires after "ttl" seconds. */
ngx_ors_lmdb_op_t *ngx_ors_test_lmdb_op(ngx_ors_test_lmdb_t *t,
    ngx_ors_store_op_e op, ngx_uint_t n);

ngx_ors_store_status_e ngx_ors_test_lmdb_put(ngx_ors_test_lmdb_t *t,
    char *name, char *value, time_t ttl);
ngx_ors_store_status_e ngx_ors_test_lmdb_put_str(ngx_ors_test_lmdb_t *t,
    char *name, ngx_str_t *value, time_t ttl);
ngx_ors_store_status_e ngx_ors_test_lmdb_put_n(ngx_ors_test_lmdb_t *t,
    char *name, ngx_uint_t n, ngx_str_t *value, time_t ttl);

ngx_str_t *ngx_ors_test_lmdb_get(ngx_ors_test_lmdb_t *t, char *name,
    ngx_str_t *value);
ngx_str_t *ngx_ors_test_lmdb_get_n(ngx_ors_test_lmdb_t *t, char *name,
    ngx_uint_t n, ngx_str_t *value);

/* 1 if it was there */
ngx_uint_t ngx_ors_test_lmdb_delete(ngx_ors_test_lmdb_t *t, char *name);
ngx_uint_t ngx_ors_test_lmdb_delete_n(ngx_ors_test_lmdb_t *t, char *name,
    ngx_uint_t n);

ngx_ors_lmdb_op_t *ngx_ors_test_lmdb_chain(ngx_ors_test_lmdb_t *t, char *name,
    ngx_uint_t n, ngx_uint_t max_turns, size_t max_size);

/* How many were swept. */
ngx_uint_t ngx_ors_test_lmdb_sweep(ngx_ors_test_lmdb_t *t, ngx_uint_t max);

/* 1 unless what scopes take, as it is kept, is what is counted anew. */
ngx_uint_t ngx_ors_test_lmdb_miscounted(ngx_ors_test_lmdb_t *t);

/* The space that the scope of "t" takes. */
ngx_ors_lmdb_share_t ngx_ors_test_lmdb_share(ngx_ors_test_lmdb_t *t);

/* Tests that no row is left in any table. */
void ngx_ors_test_lmdb_empty(ngx_ors_test_lmdb_t *t);

/* Bytes that are always the same for a length and a seed. */
u_char *ngx_ors_test_lmdb_fill(ngx_ors_test_lmdb_t *t, size_t len,
    ngx_uint_t seed);


#endif /* _LMDB_ENV_H_INCLUDED_ */
