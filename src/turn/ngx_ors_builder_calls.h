
/*
 * Tool calls of an answer: their tools and their arguments.
 */


#ifndef _NGX_ORS_BUILDER_CALLS_H_INCLUDED_
#define _NGX_ORS_BUILDER_CALLS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_builder_state.h>
#include <ngx_ors_arguments.h>
#include <ngx_ors_custom_input.h>


struct ngx_ors_builder_call_s {
    ngx_int_t                index;       /* upstream's, -1: none */
    ngx_str_t                id;          /* upstream's, empty: none */
    ngx_str_t                name;        /* as upstream calls the tool */
    ngx_ors_item_t          *item;
    ngx_ors_arguments_t      arguments;
    ngx_ors_custom_input_t   custom;      /* of a custom tool */
    ngx_ors_builder_call_t  *next;
};


/*
 * The name of the tool is known: the item gets that which the client has for
 * it, and becomes a call of a custom tool if it is one.  A call that the
 * request does not permit is dropped.  "name" is copied.
 *
 * NGX_OK      done
 * NGX_ERROR   no memory
 */
ngx_int_t ngx_ors_builder_call_named(ngx_ors_builder_t *builder,
    ngx_ors_builder_call_t *call, ngx_str_t *name);

/*
 * The next piece of the arguments, the inside of a JSON string; it is copied,
 * and sent to the client if the item has been.
 *
 * NGX_OK      done
 * NGX_ERROR   no memory
 */
ngx_int_t ngx_ors_builder_call_more(ngx_ors_builder_t *builder,
    ngx_ors_builder_call_t *call, ngx_str_t *piece);

/*
 * Checks the calls of an answer that was not cut against what the request
 * permits and asks for.
 *
 * NGX_OK         it did, or it may pass; resp->status is "incomplete" if it
 *                calls tools where the limit of calls is reached
 * NGX_DECLINED   "err" says what is wrong: 500, of the type "model_error"
 */
ngx_int_t ngx_ors_builder_calls_end(ngx_ors_builder_t *builder,
    ngx_ors_error_t *err);


#endif /* _NGX_ORS_BUILDER_CALLS_H_INCLUDED_ */
