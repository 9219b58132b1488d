
/*
 * The record of a session: the job that stores its turn.
 */


#ifndef _NGX_ORS_SESSION_RECORD_H_INCLUDED_
#define _NGX_ORS_SESSION_RECORD_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_session.h>


/*
 * A job that stores the turn as it is now, with room for "spare" entries
 * after its record: to be posted or released by the caller.  NULL: no
 * memory.
 */
ngx_ors_store_job_t *ngx_ors_session_record(ngx_ors_session_t *session,
    ngx_ors_record_status_e status, ngx_uint_t spare);

/*
 * The references of a session: which turns have the items that the input only
 * names, and where in them the items are.
 */


/*
 * Finds out which of session->refs name their turn, and counts those whose
 * turn only the store knows: session->nnames.  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_session_refs_names(ngx_ors_session_t *session);

/*
 * Sets the keys of session->nnames entries of a job, whose values are the
 * names of those turns.  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_session_refs_keys(ngx_ors_session_t *session,
    ngx_ors_store_entry_t *entry);

/*
 * The three steps: nothing has been loaded, and there is no chain; "entry",
 * those of ngx_ors_session_refs_keys(), has names, and the chain is loaded if
 * there is one; the turns are loaded.
 *
 * NGX_OK         session->context has all items
 * NGX_AGAIN      session->job is to be posted, the next step follows
 * NGX_DONE       the turn has failed
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_session_refs_load(ngx_ors_session_t *session);
ngx_int_t ngx_ors_session_refs_named(ngx_ors_session_t *session,
    ngx_ors_store_entry_t *entry);
ngx_int_t ngx_ors_session_refs_loaded(ngx_ors_session_t *session);


#endif /* _NGX_ORS_SESSION_RECORD_H_INCLUDED_ */
