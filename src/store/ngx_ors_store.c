
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Jobs of a store: made, posted to its engine, finished, and released.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_store.h>


#define NGX_ORS_STORE_POOL  1024


char  *ngx_ors_store_ops[] = { "get", "chain", "put", "delete", "add" };


ngx_ors_store_job_t *
ngx_ors_store_job(ngx_ors_store_t *store, ngx_ors_store_op_e op, ngx_uint_t n)
{
    ngx_pool_t           *pool;
    ngx_ors_store_job_t  *job;

    pool = ngx_create_pool(NGX_ORS_STORE_POOL, store->log);
    if (pool == NULL) {
        return NULL;
    }

    job = ngx_pcalloc(pool, sizeof(ngx_ors_store_job_t));
    if (job == NULL) {
        goto failed;
    }

    /*
     * set by ngx_pcalloc():
     *
     *     job->handler = NULL;
     *     job->log.log_level = 0;
     */

    job->entries = ngx_pcalloc(pool, n * sizeof(ngx_ors_store_entry_t));
    if (job->entries == NULL) {
        goto failed;
    }

    job->op = op;
    job->n = n;
    job->store = store;
    job->pool = pool;

    /* a thread that takes memory must not write to a log */

    pool->log = &job->log;

    return job;

failed:

    ngx_destroy_pool(pool);

    return NULL;
}


void
ngx_ors_store_post(ngx_ors_store_job_t *job)
{
    job->posted = 1;
    job->dropped = (job->handler == NULL);

    if (job->large) {
        job->store->engine->refuse(job, ngx_ors_store_large);
        return;
    }

    job->store->engine->post(job);
}


void
ngx_ors_store_release(ngx_ors_store_job_t *job)
{
    if (job->posted) {
        job->dropped = 1;
        return;
    }

    /* the log that the pool has is in its own memory */

    job->pool->log = job->store->log;

    ngx_destroy_pool(job->pool);
}


void
ngx_ors_store_drop(ngx_ors_store_job_t **job)
{
    if (*job) {
        ngx_ors_store_release(*job);
        *job = NULL;
    }
}


void
ngx_ors_store_done(ngx_ors_store_job_t *job, ngx_ors_store_status_e status)
{
    job->posted = 0;

    if (job->dropped) {
        ngx_ors_store_release(job);
        return;
    }

    if (job->notified) {
        return;
    }

    job->status = status;
    job->handler(job);
}


void
ngx_ors_store_tell(ngx_ors_store_job_t *job, ngx_ors_store_status_e status)
{
    job->notified = 1;
    job->status = status;

    if (!job->dropped) {
        job->handler(job);
    }
}
