
/*
 * A session: what a request has to do with stored conversations.  A pure
 * machine: events and finished jobs of a store go in; jobs to be posted, a
 * turn that is ready, or a turn that has failed come out.
 */


#ifndef _NGX_ORS_SESSION_H_INCLUDED_
#define _NGX_ORS_SESSION_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_session_state.h>


/*
 * Decides whether the client and the store want the turn to be stored;
 * "turn" has read its request, and session->store, "required" and
 * "instructions" are set.  NGX_OK, or NGX_DONE: the turn has failed, as the
 * store is down and required.
 */
ngx_int_t ngx_ors_session_init(ngx_ors_session_t *session,
    ngx_ors_turn_t *turn);

/*
 * Fills "session", zeroed, for "turn", which goes on with the request of
 * "from" in another pool; nothing has been loaded yet.
 */
void ngx_ors_session_detach(ngx_ors_session_t *session,
    ngx_ors_session_t *from, ngx_ors_turn_t *turn);

/*
 * 1 if the request asks for a response that runs in the background, which
 * some targets have by themselves.
 */
ngx_uint_t ngx_ors_session_asked(ngx_ors_session_t *session);

/*
 * Settles what becomes of a turn at one target, before it is called: whether
 * its context is inserted here (turn->inline_context), whether it is stored
 * (turn->request.stored) and whether it runs in the background.  Nothing else
 * writes these.  "session" is NULL in a location without a store.
 * "translates" and "inline_context" are facts of the target.
 */
void ngx_ors_session_settle(ngx_ors_session_t *session, ngx_ors_turn_t *turn,
    ngx_uint_t translates, ngx_uint_t inline_context);

/*
 * 1 if the turn, when it has been settled, stores something or reads what is
 * stored.
 */
ngx_uint_t ngx_ors_session_used(ngx_ors_session_t *session);

/*
 * Fails the turn in place of session->job, which would load more than the
 * running requests of a scope may hold.  Returns NGX_DONE.
 */
ngx_int_t ngx_ors_session_crowded(ngx_ors_session_t *session);

/*
 * Checks that a turn which has been settled may run in the background.
 *
 * NGX_OK         it may
 * NGX_DECLINED   it does not ask for it
 * NGX_DONE       the turn has failed
 */
ngx_int_t ngx_ors_session_background(ngx_ors_session_t *session);

/*
 * Takes one step.  Of ngx_ors_session_ev_done the job is released here.
 *
 * NGX_OK         the turn can go on: it has its context, or is over
 * NGX_AGAIN      session->job is to be posted unless it is posted; its end is
 *                ngx_ors_session_ev_done
 * NGX_DECLINED   it could not be stored: to be committed again, later
 * NGX_DONE       the turn has failed, turn->error says why
 * NGX_ERROR      no memory
 *
 * After ngx_ors_session_ev_close NGX_AGAIN means that session->job is to be
 * posted without a handler, else there is none.
 */
ngx_int_t ngx_ors_session_step(ngx_ors_session_t *session,
    ngx_ors_session_event_e event);

/* The names of states and events, by their values. */
extern char  *ngx_ors_session_states[NGX_ORS_SESSION_STATES];
extern char  *ngx_ors_session_events[NGX_ORS_SESSION_EVENTS];


#endif /* _NGX_ORS_SESSION_H_INCLUDED_ */
