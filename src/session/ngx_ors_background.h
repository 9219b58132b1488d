
/*
 * A response of the background in its store: its record, a lease that is
 * there while a worker runs it, and a flag when it is to be ended.  What is
 * here makes the jobs, the caller posts them.
 */


#ifndef _NGX_ORS_BACKGROUND_H_INCLUDED_
#define _NGX_ORS_BACKGROUND_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_session.h>


/* seconds after which a worker that has not renewed its lease is lost */
#define NGX_ORS_BACKGROUND_LEASE  20


/* what a client has asked for since */

typedef enum {
    ngx_ors_background_go_on = 0,
    ngx_ors_background_cancelled,
    ngx_ors_background_deleted
} ngx_ors_background_wish_e;


typedef struct {
    ngx_ors_session_t         *session;
    ngx_ors_store_key_t        record;
    ngx_ors_store_key_t        lease;
    ngx_ors_store_key_t        flag;
} ngx_ors_background_t;


/* Makes the keys of the session's turn.  NGX_OK or NGX_ERROR: no memory. */
ngx_int_t ngx_ors_background_init(ngx_ors_background_t *bg,
    ngx_ors_session_t *session);

/*
 * Jobs that store the first record with the lease, renew the lease, read the
 * flag, and delete the lease and the flag, with "record" set the record, too.
 * NULL: no memory.
 */
ngx_ors_store_job_t *ngx_ors_background_first(ngx_ors_background_t *bg);
ngx_ors_store_job_t *ngx_ors_background_renew(ngx_ors_background_t *bg);
ngx_ors_store_job_t *ngx_ors_background_look(ngx_ors_background_t *bg);
ngx_ors_store_job_t *ngx_ors_background_forget(ngx_ors_background_t *bg,
    ngx_uint_t record);

/*
 * The response object in a job of ngx_ors_background_first() that has been
 * done; the text lives as long as the job.
 */
void ngx_ors_background_response(ngx_ors_background_t *bg,
    ngx_ors_store_job_t *job, ngx_str_t *response);

/* What the flag says in a job of ngx_ors_background_look(). */
ngx_ors_background_wish_e ngx_ors_background_wish(ngx_ors_store_job_t *job);


#endif /* _NGX_ORS_BACKGROUND_H_INCLUDED_ */
