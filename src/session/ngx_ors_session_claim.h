
/*
 * Claims of calls that a client has approved of: an entry of the store for
 * each request for approval, so that its call runs once, whoever answers it.
 */


#ifndef _NGX_ORS_SESSION_CLAIM_H_INCLUDED_
#define _NGX_ORS_SESSION_CLAIM_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_session_state.h>


/* A job that claims all calls of turn->approvals.  NULL: no memory. */
ngx_ors_store_job_t *ngx_ors_session_claim_job(ngx_ors_session_t *session);

/*
 * The job is done, and released here.  NGX_OK: the calls may run, NGX_DONE:
 * the turn has failed, as one of them has been run or the store is down.
 */
ngx_int_t ngx_ors_session_claimed(ngx_ors_session_t *session);


#endif /* _NGX_ORS_SESSION_CLAIM_H_INCLUDED_ */
