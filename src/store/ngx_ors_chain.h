
/*
 * A chain: the record of a turn and all its ancestors, walked batch by batch.
 * The engine reads entries, the walk says which.
 */


#ifndef _NGX_ORS_CHAIN_H_INCLUDED_
#define _NGX_ORS_CHAIN_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_record.h>
#include <ngx_ors_store.h>


/* zeroed memory, with "job" set, is one of which nothing has been read */

typedef struct {
    ngx_ors_store_job_t      *job;        /* its entries[0] is the last turn */

    ngx_ors_store_entry_t    *batch;      /* to be read, the newest one last */
    ngx_uint_t                n;          /* 0: the chain is complete, */

    ngx_ors_store_entry_t    *first;      /* this is its oldest turn, */
    ngx_uint_t                count;      /* so many turns are in it */

    ngx_ors_store_entry_t    *entries;    /* the oldest one first */
    ngx_uint_t                depth;      /* of the last turn */
    ngx_uint_t                floor;      /* of entries[0] */
    ngx_uint_t                known;      /* of the oldest that was read */
} ngx_ors_chain_t;


/*
 * The next step: the last turn, or chain->batch, has been read.  With "full"
 * set a limit was reached: the turns of the batch up to the newest one
 * without a value are left out.
 *
 * ngx_ors_store_ok    chain->batch is to be read, or chain->n is 0
 * others              how the job ends
 */
ngx_ors_store_status_e ngx_ors_chain_next(ngx_ors_chain_t *chain,
    ngx_uint_t full);


#endif /* _NGX_ORS_CHAIN_H_INCLUDED_ */
