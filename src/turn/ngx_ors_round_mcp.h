
/*
 * Calls of MCP servers in a round: the items that the client sees in place of
 * the model's calls.
 */


#ifndef _NGX_ORS_ROUND_MCP_H_INCLUDED_
#define _NGX_ORS_ROUND_MCP_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_round.h>


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


#endif /* _NGX_ORS_ROUND_MCP_H_INCLUDED_ */
