
/*
 * The chain of a session: the previous turns that "previous_response_id"
 * names, and the place of the new turn after them.
 */


#ifndef _NGX_ORS_SESSION_CHAIN_H_INCLUDED_
#define _NGX_ORS_SESSION_CHAIN_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_session_state.h>


/*
 * Makes session->job, which loads the turns up to "previous", a node of the
 * request.  NGX_AGAIN or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_session_chain_load(ngx_ors_session_t *session,
    ngx_ors_json_node_t *previous);

/*
 * Takes over the turns that "job" has loaded: it becomes session->chain.
 * NGX_OK, NGX_DONE: the turn has failed, NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_session_chain_loaded(ngx_ors_session_t *session,
    ngx_ors_store_job_t *job);


#endif /* _NGX_ORS_SESSION_CHAIN_H_INCLUDED_ */
