
/*
 * Copyright (C) Open Responses contributors
 */


/* Walks from a turn to its oldest ancestor: each record names the nearest. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chain.h>


/* the turn that has "n" ancestors */
#define ngx_ors_chain_entry(chain, n)  (&(chain)->entries[(n) - (chain)->floor])


static ngx_ors_store_status_e ngx_ors_chain_last(ngx_ors_chain_t *chain);
static ngx_ors_store_status_e ngx_ors_chain_record(
    ngx_ors_store_entry_t *entry, ngx_ors_record_t *rec);
static ngx_ors_store_status_e ngx_ors_chain_ancestors(ngx_ors_chain_t *chain,
    ngx_ors_record_t *rec);
static ngx_ors_store_status_e ngx_ors_chain_complete(ngx_ors_chain_t *chain);


ngx_ors_store_status_e
ngx_ors_chain_next(ngx_ors_chain_t *chain, ngx_uint_t full)
{
    ngx_uint_t               n;
    ngx_ors_record_t         rec;
    ngx_ors_store_entry_t   *entry;
    ngx_ors_store_status_e   status;

    if (chain->entries == NULL) {
        return ngx_ors_chain_last(chain);
    }

    ngx_memzero(&rec, sizeof(ngx_ors_record_t));

    for (n = chain->n; n; n--) {
        entry = &chain->batch[n - 1];

        if (full && entry->value.data == NULL) {
            return ngx_ors_chain_complete(chain);
        }

        status = ngx_ors_chain_record(entry, &rec);
        if (status != ngx_ors_store_ok) {
            return status;
        }

        chain->known--;
    }

    return ngx_ors_chain_ancestors(chain, &rec);
}


/* the last turn says how many ancestors it has */

static ngx_ors_store_status_e
ngx_ors_chain_last(ngx_ors_chain_t *chain)
{
    ngx_ors_record_t         rec;
    ngx_ors_store_job_t     *job;
    ngx_ors_store_status_e   status;

    job = chain->job;

    status = ngx_ors_chain_record(job->entries, &rec);
    if (status != ngx_ors_store_ok) {
        return status;
    }

    if (rec.depth >= job->max_turns) {

        if (!job->newest) {
            return ngx_ors_store_limit;
        }

        chain->floor = rec.depth - job->max_turns + 1;
    }

    chain->depth = rec.depth;
    chain->known = rec.depth;

    chain->entries = ngx_pcalloc(job->pool, (chain->depth - chain->floor + 1)
                                            * sizeof(ngx_ors_store_entry_t));
    if (chain->entries == NULL) {
        return ngx_ors_store_unavailable;
    }

    *ngx_ors_chain_entry(chain, chain->depth) = job->entries[0];

    return ngx_ors_chain_ancestors(chain, &rec);
}


static ngx_ors_store_status_e
ngx_ors_chain_record(ngx_ors_store_entry_t *entry, ngx_ors_record_t *rec)
{
    ngx_memzero(rec, sizeof(ngx_ors_record_t));

    if (entry->value.data == NULL) {
        return ngx_ors_store_absent;
    }

    return (ngx_ors_record_read(rec, &entry->value) == NGX_OK)
           ? ngx_ors_store_ok : ngx_ors_record_status(&entry->value);
}


/* "rec" is the oldest one that was read: those that it names come next */

static ngx_ors_store_status_e
ngx_ors_chain_ancestors(ngx_ors_chain_t *chain, ngx_ors_record_t *rec)
{
    u_char                 *name;
    ngx_uint_t              i, n;
    ngx_ors_store_entry_t  *entry;

    if (chain->known == chain->floor) {
        return ngx_ors_chain_complete(chain);
    }

    n = ngx_min(rec->nancestors, chain->known - chain->floor);

    if (n == 0) {
        return ngx_ors_store_corrupt;
    }

    chain->batch = ngx_ors_chain_entry(chain, chain->known - n);
    chain->n = n;

    name = rec->ancestors;

    for (i = n; i; i--) {
        entry = &chain->batch[i - 1];

        entry->parts = chain->job->entries[0].parts;
        entry->key = chain->job->entries[0].key;
        ngx_memcpy(entry->key.name, name, NGX_ORS_STORE_KEY);

        name += NGX_ORS_STORE_KEY;
    }

    return ngx_ors_store_ok;
}


static ngx_ors_store_status_e
ngx_ors_chain_complete(ngx_ors_chain_t *chain)
{
    chain->n = 0;
    chain->first = ngx_ors_chain_entry(chain, chain->known);
    chain->count = chain->depth - chain->known + 1;

    return ngx_ors_store_ok;
}
