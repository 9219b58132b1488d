
/*
 * References: items of a request's input that only name an item which is
 * stored.  The caller finds out which turns have them, and loads each turn
 * once.
 */


#ifndef _NGX_ORS_REFS_H_INCLUDED_
#define _NGX_ORS_REFS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_names.h>
#include <ngx_ors_request.h>


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


#endif /* _NGX_ORS_REFS_H_INCLUDED_ */
