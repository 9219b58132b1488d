
/*
 * Context: the items that precede a request's own input (R64 to R66),
 * and those of its own that are only referred to.
 */


#ifndef _NGX_ORS_CONTEXT_H_INCLUDED_
#define _NGX_ORS_CONTEXT_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_request.h>


/*
 * References: items of a request's input that only name an item which is
 * stored.  The caller finds out which turns have them, and loads each turn
 * once.
 */


/* bytes of a turn's name */
#define NGX_ORS_REF_OWNER  16


typedef struct {
    ngx_str_t                 id;         /* decoded */
    ngx_str_t                 item;       /* the item, a part of the */
                                          /* record; empty: left out */
    ngx_uint_t                place;      /* among the references */
    ngx_int_t                 number;     /* of an input item without an id, */
                                          /* or -1 */
    ngx_str_t                 turn;       /* the part of "id" that ids of a */
                                          /* turn share; empty: not made here */
    u_char                    owner[NGX_ORS_REF_OWNER];  /* the caller's */
    unsigned                  found:1;
} ngx_ors_ref_t;


typedef struct {
    ngx_ors_ref_t            *elts;       /* in the order of the input */
    ngx_uint_t                n;

    ngx_ors_ref_t           **sorted;     /* those that differ, by id or, */
    ngx_uint_t                nsorted;    /* see below, by owner and id */
} ngx_ors_refs_t;


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
 * Finds the references in the input.  An id that is named twice is one item:
 * the first reference stands for it, the others are left out.  NGX_OK or
 * NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_refs_read(ngx_ors_refs_t *refs, ngx_ors_request_t *req);

/* Sorts refs->sorted by "owner", which the caller has set, then by id. */
void ngx_ors_refs_group(ngx_ors_refs_t *refs);

/*
 * Finds what the "n" references "refs", sorted by id, name in one turn: an
 * item of its "output" by id, of its "input" by number.  Each item is taken
 * once: other references to it are left out.  Only items that are named are
 * read.
 *
 * NGX_OK         all were found
 * NGX_DECLINED   "err" says what is wrong: 400
 * NGX_ABORT      the index has an id that is none
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_refs_find(ngx_ors_ref_t **refs, ngx_uint_t n,
    ngx_ors_index_t *input, ngx_ors_index_t *output, ngx_ors_request_t *req,
    ngx_ors_error_t *err);

/*
 * Fills "err" with the 400 for a reference to an item that is not stored.
 * Returns NGX_DECLINED.
 */
ngx_int_t ngx_ors_refs_unknown(ngx_ors_request_t *req, ngx_ors_ref_t *ref,
    ngx_ors_error_t *err);

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

/*
 * A request whose input grows by the items of a finished round, for the next
 * call of the model.
 */


/*
 * Appends "n" items, a JSON array, to the input: the request is as if the
 * client had sent them, and req->added says how many are not its own.  "items"
 * is taken from and left empty; its pool is that of the request.
 *
 * NGX_OK         done
 * NGX_DECLINED   "err" says which limit was passed
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_request_extend(ngx_ors_request_t *req,
    ngx_ors_out_t *items, ngx_uint_t n, ngx_ors_error_t *err);


#endif /* _NGX_ORS_CONTEXT_H_INCLUDED_ */
