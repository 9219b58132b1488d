
/*
 * Jobs of a background response: up to three entries of a store are its own,
 * its record, a lease that is there while some worker runs it, and a flag when
 * a client wants it to end, see NGX_ORS_KEY_CANCELLED.
 */


#ifndef _NGX_ORS_BACKGROUND_JOBS_H_INCLUDED_
#define _NGX_ORS_BACKGROUND_JOBS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_background.h>


/* seconds after which a worker that has not renewed its lease is lost */
#define NGX_ORS_BACKGROUND_LEASE  20


/* a client's wish since the record */

typedef enum {
    ngx_ors_background_go_on = 0,
    ngx_ors_background_cancelled,
    ngx_ors_background_deleted
} ngx_ors_background_wish_e;


/* Makes the keys of the session's turn.  NGX_OK or NGX_ERROR: no memory. */
ngx_int_t ngx_ors_background_keys(ngx_ors_background_t *bg);

/*
 * Jobs that store the first record with the lease, renew the lease, read the
 * flag, and delete the lease and the flag, with "record" the record.
 * NULL: no memory.
 */
ngx_ors_store_job_t *ngx_ors_background_first(ngx_ors_background_t *bg);
ngx_ors_store_job_t *ngx_ors_background_renew(ngx_ors_background_t *bg);
ngx_ors_store_job_t *ngx_ors_background_look(ngx_ors_background_t *bg);
ngx_ors_store_job_t *ngx_ors_background_forget(ngx_ors_background_t *bg,
    ngx_uint_t record);

/*
 * Sets bg->response to the answer to the client: the response, which is
 * "queued".  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_background_response(ngx_ors_background_t *bg);

/* The flag in a job of ngx_ors_background_look(). */
ngx_ors_background_wish_e ngx_ors_background_wish(ngx_ors_store_job_t *job);


#endif /* _NGX_ORS_BACKGROUND_JOBS_H_INCLUDED_ */
