
/*
 * Approvals of calls to MCP servers in an input: which requests for them
 * there are, and what the client has answered.
 */


#ifndef _NGX_ORS_APPROVAL_H_INCLUDED_
#define _NGX_ORS_APPROVAL_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_error.h>
#include <ngx_ors_input.h>
#include <ngx_ors_names.h>


typedef enum {
    ngx_ors_approval_open = 0,            /* no answer */
    ngx_ors_approval_approved,            /* the call is to be run now */
    ngx_ors_approval_declined,
    ngx_ors_approval_over                 /* approved earlier, or run */
} ngx_ors_approval_e;


typedef struct {
    ngx_ors_approval_e        state;
    ngx_str_t                 id;         /* of the request, decoded */
    ngx_uint_t                item;       /* the request, in the input */
    ngx_uint_t                answer;     /* the first response to it, or 0: */
                                          /* that is after its request */
} ngx_ors_approval_t;


/* zeroed memory has none */

typedef struct {
    ngx_ors_approval_t       *elts;       /* in the order of the requests */
    ngx_uint_t                n;
    ngx_uint_t                napproved;

    /* private */
    ngx_ors_names_t           index;      /* by id: index + 1 */
} ngx_ors_approvals_t;


/*
 * Finds the approvals in "input", whose first "prior" items are stored ones.
 * What runs is the call of the request item, and only after an answer that
 * is not stored: of several answers to one request the first one counts.
 * Memory comes from "pool".
 *
 * NGX_OK         "approvals" is filled
 * NGX_DECLINED   "err" is a 400: a request comes twice, or a response is to
 *                none
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_approvals_read(ngx_ors_approvals_t *approvals,
    ngx_ors_input_t *input, ngx_uint_t prior, ngx_pool_t *pool,
    ngx_ors_error_t *err);

/* The approval that item "item" of the input asks for, or NULL. */
ngx_ors_approval_t *ngx_ors_approval_find(ngx_ors_approvals_t *approvals,
    ngx_uint_t item);

/*
 * The client's reason for its answer: a string in the document of that
 * item, or NULL.
 */
ngx_ors_json_node_t *ngx_ors_approval_reason(ngx_ors_input_t *input,
    ngx_ors_approval_t *approval);


#endif /* _NGX_ORS_APPROVAL_H_INCLUDED_ */
