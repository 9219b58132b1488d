
/*
 * Calls of hosted types in a round: the items that the client sees in place of
 * the model's calls.
 */


#ifndef _NGX_ORS_ROUND_TYPE_H_INCLUDED_
#define _NGX_ORS_ROUND_TYPE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_round.h>


/* 1 if a call of the model is one of a hosted type. */
#define ngx_ors_round_typed(item)                                             \
    ((item)->tool && (item)->tool->type != ngx_ors_hosted_type_none)


/*
 * Makes call->shown, in progress, of call->item and its arguments.  NGX_OK or
 * NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_round_type_show(ngx_ors_builder_t *builder,
    ngx_ors_round_call_t *call);

/*
 * Makes call->arguments what the tool's location gets.  NGX_OK or NGX_ERROR:
 * no memory.
 */
ngx_int_t ngx_ors_round_type_body(ngx_ors_builder_t *builder,
    ngx_ors_round_call_t *call);

/*
 * The tool has answered with "text": gives the item what the client may see of
 * it, and sets "plain" to what the model reads.
 *
 * NGX_OK         done, call->shown is completed
 * NGX_DECLINED   the answer has a list that clients could not read
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_round_type_answer(ngx_ors_builder_t *builder,
    ngx_ors_round_call_t *call, ngx_str_t *text, ngx_str_t *plain);


#endif /* _NGX_ORS_ROUND_TYPE_H_INCLUDED_ */
