
/*
 * How much of its stored conversations the running requests of a scope hold.
 */


#ifndef _NGX_ORS_HOLD_H_INCLUDED_
#define _NGX_ORS_HOLD_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_operation.h>
#include <ngx_ors_session.h>


typedef struct ngx_ors_holder_s  ngx_ors_holder_t;


/* the scopes of a worker that have running requests */

typedef struct {
    ngx_rbtree_t              tree;       /* of ngx_ors_holder_t */
    ngx_rbtree_node_t         sentinel;
} ngx_ors_holders_t;


/* share of one request; the owner sets the first three */

typedef struct {
    ngx_ors_holders_t        *holders;
    size_t                    limit;      /* of a scope, 0: nothing counts */
    ngx_log_t                *log;
    ngx_ors_holder_t         *holder;     /* its scope, NULL at first */
    size_t                    size;
} ngx_ors_hold_t;


/* Nothing is held. */
void ngx_ors_holders_init(ngx_ors_holders_t *holders);

/*
 * Sets to "size" how many bytes of the stored conversations of "scope",
 * NGX_ORS_STORE_KEY bytes, the request holds.
 *
 * NGX_OK         it is set
 * NGX_BUSY       this would be more than hold->limit, nothing has changed and
 *                the log says why
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_hold(ngx_ors_hold_t *hold, u_char *scope, size_t size);

/* The request holds nothing more, if it has held something. */
void ngx_ors_hold_release(ngx_ors_hold_t *hold);

/*
 * Lets session->job count with all that it may read, which is bounded by what
 * the scope may hold.  Returns what ngx_ors_hold() does.
 */
ngx_int_t ngx_ors_session_reserve(ngx_ors_session_t *session,
    ngx_ors_hold_t *hold);

/* The session holds what it has loaded, or nothing if it was refused. */
void ngx_ors_session_hold(ngx_ors_session_t *session, ngx_ors_hold_t *hold);

/*
 * The same for the job of an operation that lists a conversation.
 *
 * NGX_AGAIN      op->job is to be posted
 * NGX_DONE       op->error is what the client gets
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_operation_reserve(ngx_ors_operation_t *op,
    ngx_ors_hold_t *hold);
void ngx_ors_operation_hold(ngx_ors_operation_t *op, ngx_ors_hold_t *hold);


#endif /* _NGX_ORS_HOLD_H_INCLUDED_ */
