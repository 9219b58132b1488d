
/*
 * The record of a session: the job that stores its turn.
 */


#ifndef _NGX_ORS_SESSION_RECORD_H_INCLUDED_
#define _NGX_ORS_SESSION_RECORD_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_session_state.h>


/*
 * A job that stores the turn as it is now, with room for "spare" entries
 * after its record: to be posted or released by the caller.  NULL: no
 * memory.
 */
ngx_ors_store_job_t *ngx_ors_session_record(ngx_ors_session_t *session,
    ngx_ors_record_status_e status, ngx_uint_t spare);


#endif /* _NGX_ORS_SESSION_RECORD_H_INCLUDED_ */
