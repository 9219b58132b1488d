
/*
 * Context: the items that precede a request's own input (R64 to R66),
 * and those of its own that are only referred to.
 */


#ifndef _NGX_ORS_CONTEXT_H_INCLUDED_
#define _NGX_ORS_CONTEXT_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_names.h>
#include <ngx_ors_refs.h>
#include <ngx_ors_request.h>


/* of a previous turn: JSON arrays of items, or empty */

typedef struct {
    ngx_ors_index_t           input;
    ngx_str_t                 output;
} ngx_ors_context_turn_t;


typedef struct {
    ngx_ors_context_turn_t   *turns;      /* the oldest one first */
    ngx_uint_t                nturns;

    ngx_ors_ref_t            *refs;       /* those of the input, found */

    /* bytes of turns; beyond them whole exchanges are dropped, 0: none is */
    size_t                    budget;
} ngx_ors_context_t;


/*
 * Puts the context in front of the input: req->input has the items of all turns
 * and its own, and req->prior says how many are not its own.  What "ctx" refers
 * to is borrowed as long as the request is used.
 *
 * When the budget is not enough, the oldest exchanges are dropped: turns from
 * one that answers no call up to the next such one, so that a call and its
 * output stay together.  Messages of "system" and "developer" stay.
 *
 * NGX_OK         done
 * NGX_DECLINED   "err" says what is wrong with the stored items
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_context_merge(ngx_ors_request_t *req,
    ngx_ors_context_t *ctx, ngx_ors_error_t *err);

/*
 * Appends the request's own input as a JSON array of items, a string becomes
 * a message; nothing without input and context.  Adds the items to "index"
 * unless it is NULL.
 */
void ngx_ors_context_own(ngx_ors_request_t *req, ngx_ors_index_t *index,
    ngx_ors_out_t *out);


#endif /* _NGX_ORS_CONTEXT_H_INCLUDED_ */
