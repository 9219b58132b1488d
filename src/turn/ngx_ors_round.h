
/*
 * The calls of a round that run here: which they are, what they may cost, and
 * what has come of them.  A pure machine: somebody else runs the calls, side
 * by side, and says how each of them has ended.
 */


#ifndef _NGX_ORS_ROUND_H_INCLUDED_
#define _NGX_ORS_ROUND_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_request_mcp.h>
#include <ngx_ors_builder.h>
#include <ngx_ors_conform.h>
#include <ngx_ors_mcp_result.h>
#include <ngx_ors_mcp_use.h>


/* bytes of a phrase that names a call */
#define NGX_ORS_ROUND_WHAT  128


typedef enum {
    ngx_ors_tool_wait = 0,                /* it is to be run */
    ngx_ors_tool_ok,
    ngx_ors_tool_failed,
    ngx_ors_tool_limit,                   /* not run: over a limit */
    ngx_ors_tool_arguments,               /* not run: not what it needs */
    ngx_ors_tool_schema                   /* not run: they violate it */
} ngx_ors_tool_outcome_e;


typedef struct {
    ngx_ors_item_t          *item;        /* the call in the answer */
    ngx_str_t                arguments;   /* a JSON object */
    ngx_ors_tool_outcome_e   outcome;
    ngx_ors_item_t          *output;      /* once it has ended */
    ngx_ors_item_t          *shown;       /* of an MCP server or a hosted */
                                          /* type, NULL: of a function */
} ngx_ors_round_call_t;


/* zeroed memory is the first round */

typedef struct {
    ngx_ors_hosting_t       *hosting;     /* borrowed, NULL: nothing runs */
    ngx_uint_t               n;           /* earlier rounds */
    ngx_uint_t               ncalls;      /* those run in all rounds */
    ngx_ors_conform_t        conform;     /* the schemas of all rounds */

    /* of this round, in the order of the calls */
    ngx_ors_round_call_t    *calls;
    ngx_uint_t               nelts;
    ngx_uint_t               left;        /* they have not ended */
    ngx_str_t                again;       /* the reason for the next round */
                                          /* that was withdrawn, or empty */

    unsigned                 client:1;    /* the client also has calls, or */
                                          /* has to approve of some */
    unsigned                 limited:1;   /* some call was over a limit */
    unsigned                 last:1;      /* the model may call nothing */
    unsigned                 repeat:1;    /* it did not match its schemas */
} ngx_ors_round_t;


/*
 * The model has ended its answer: checks what it has made for the client, and
 * shows what was held, or withdraws it, so that the round has to be repeated.
 *
 * NGX_OK         done, round->repeat says which
 * NGX_DECLINED   "err" says what does not match: 500, "model_error"
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_round_conform(ngx_ors_round_t *round,
    ngx_ors_builder_t *builder, ngx_ors_error_t *err);

/*
 * Checks the arguments of the call "item".
 *
 * NGX_OK         they match, or a violation is only reported
 * NGX_DECLINED   they do not: item->fault is set
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_round_check_call(ngx_ors_round_t *round,
    ngx_ors_builder_t *builder, ngx_ors_item_t *item, ngx_str_t *arguments);

/*
 * The model has ended its answer: finds the calls of it that run here.  Those
 * over a limit, those whose arguments are no JSON object or do not match their
 * schema, and those that were withdrawn have ended with an output that says
 * so.
 *
 * NGX_OK         there are some
 * NGX_DECLINED   there is none
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_round_sort(ngx_ors_round_t *round,
    ngx_ors_builder_t *builder);

/*
 * Makes a round of the calls that the client has approved of, see
 * ngx_ors_round_mcp_check(): what runs is what their requests have.  NGX_OK or
 * NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_round_approved(ngx_ors_round_t *round,
    ngx_ors_builder_t *builder, ngx_ors_approvals_t *approvals);

/*
 * A call has ended.  "text" is its output, UTF-8, copied; the model gets it if
 * the outcome is "ok" or "schema", else a few words about the outcome.
 * NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_round_ended(ngx_ors_round_t *round,
    ngx_ors_builder_t *builder, ngx_ors_round_call_t *call,
    ngx_ors_tool_outcome_e outcome, ngx_str_t *text);

/*
 * A call to an MCP server has ended with result->text, which is copied: "error"
 * says how it has failed, the type ngx_ors_mcp_error_none that it has not.
 * NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_round_answered(ngx_ors_round_t *round,
    ngx_ors_builder_t *builder, ngx_ors_round_call_t *call,
    ngx_ors_mcp_result_t *result, ngx_ors_mcp_error_t *error);

/*
 * All calls have ended: gives the client their outputs, as items in the order
 * of the calls.
 *
 * NGX_OK         done
 * NGX_DECLINED   "err" says that the answer is over its limit
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_round_show(ngx_ors_round_t *round,
    ngx_ors_builder_t *builder, ngx_ors_error_t *err);

/*
 * Appends the items of the round to "out", with commas between them, as the
 * model is to see them in the next one: what it has said, its calls, their
 * outputs.  Returns their number.
 */
ngx_uint_t ngx_ors_round_items(ngx_ors_round_t *round,
    ngx_ors_builder_t *builder, ngx_ors_out_t *out);

/* Begins the next round: all that was made stays. */
void ngx_ors_round_next(ngx_ors_round_t *round, ngx_ors_builder_t *builder);

/*
 * Calls of MCP servers in a round: the items that the client sees in place of
 * the model's calls.
 */


/*
 * Looks for the tools of all calls that were approved.  NGX_OK,
 * NGX_DECLINED: one is not there, "err" is a 400, or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_round_mcp_check(ngx_ors_round_t *round,
    ngx_ors_request_t *req, ngx_ors_approvals_t *approvals,
    ngx_ors_error_t *err);

/* Each of these gives NGX_OK or NGX_ERROR: no memory. */

/* Makes a hidden call, "*item", of the request that was approved. */
ngx_int_t ngx_ors_round_mcp_approved(ngx_ors_round_t *round,
    ngx_ors_builder_t *builder, ngx_ors_approval_t *approval,
    ngx_ors_item_t **item);

/*
 * Makes call->shown, in progress, of call->item; "approval" is the id of the
 * request for it, or NULL.
 */
ngx_int_t ngx_ors_round_mcp_show(ngx_ors_builder_t *builder,
    ngx_ors_round_call_t *call, ngx_str_t *approval);

/* Makes a request for the client's approval of the model's call. */
ngx_int_t ngx_ors_round_mcp_ask(ngx_ors_builder_t *builder,
    ngx_ors_item_t *item);

/*
 * The call has ended with "text", as "error" says, or was not made;
 * call->output has the text as well.
 */
ngx_int_t ngx_ors_round_mcp_answer(ngx_ors_builder_t *builder,
    ngx_ors_round_call_t *call, ngx_ors_mcp_error_t *error, ngx_str_t *text);


#endif /* _NGX_ORS_ROUND_H_INCLUDED_ */
