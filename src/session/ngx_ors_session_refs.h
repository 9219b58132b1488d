
/*
 * The references of a session: which turns have the items that the input only
 * names, and where in them the items are.
 */


#ifndef _NGX_ORS_SESSION_REFS_H_INCLUDED_
#define _NGX_ORS_SESSION_REFS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_session.h>


/*
 * The three steps: session->refs have been read, and the chain is loaded;
 * "job" has the names of turns; "job" has turns.
 *
 * NGX_OK         session->context has all items
 * NGX_AGAIN      session->job is to be posted, the next step follows
 * NGX_DONE       the turn has failed
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_session_refs_load(ngx_ors_session_t *session);
ngx_int_t ngx_ors_session_refs_named(ngx_ors_session_t *session,
    ngx_ors_store_job_t *job);
ngx_int_t ngx_ors_session_refs_loaded(ngx_ors_session_t *session);


#endif /* _NGX_ORS_SESSION_REFS_H_INCLUDED_ */
