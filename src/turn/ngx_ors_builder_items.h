
/*
 * The life of an answer's items: begun, announced, closed, one after the
 * other.
 */


#ifndef _NGX_ORS_BUILDER_ITEMS_H_INCLUDED_
#define _NGX_ORS_BUILDER_ITEMS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_builder.h>
#include <ngx_ors_arguments.h>


/*
 * Tool calls of an answer: their tools and their arguments.
 */

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
 * Counts "len" more bytes of the answer for its limit.
 *
 * NGX_OK         they may be kept
 * NGX_DECLINED   "err" says that the answer is over its limit
 */
ngx_int_t ngx_ors_builder_grow(ngx_ors_builder_t *builder, size_t len,
    ngx_ors_error_t *err);

/*
 * The first item of the round, or NULL: the items in front of it are of
 * rounds that have ended.
 */
ngx_ors_item_t *ngx_ors_builder_first(ngx_ors_builder_t *builder);

/*
 * A new item, after all others, or after item "after", from the answer's pool.
 * NULL: no memory.
 */
ngx_ors_item_t *ngx_ors_builder_insert(ngx_ors_builder_t *builder,
    ngx_ors_item_type_e type, ngx_ors_item_t *after);
ngx_ors_item_t *ngx_ors_builder_item(ngx_ors_builder_t *builder,
    ngx_ors_item_type_e type);

/*
 * A new part after the others of "item", the last of which is closed.
 * NULL: no memory.
 */
ngx_ors_part_t *ngx_ors_builder_part(ngx_ors_builder_t *builder,
    ngx_ors_item_t *item, ngx_ors_part_type_e type);

/*
 * Closes an item that no client gets, and the model does.  NGX_OK or
 * NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_builder_conceal(ngx_ors_builder_t *builder,
    ngx_ors_item_t *item);

/*
 * Announces the current item as soon as all is known that its first event
 * must tell (R41), and goes on to the next one when it is certain that
 * nothing more belongs to it.  When "ending" is set nothing more comes at
 * all, and every item is closed, up to one that is held.  An item with a
 * hosted part is closed when that says how its tool has ended; what follows
 * it waits.
 *
 * NGX_OK      done
 * NGX_ERROR   no memory
 */
ngx_int_t ngx_ors_builder_advance(ngx_ors_builder_t *builder,
    ngx_uint_t ending);

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

/*
 * Annotations and logprobs that a model server sends beside its texts.
 */


/*
 * Takes the logprobs of "reply", if the client wants them, before its text
 * is taken: they wait for it, unless they belong to text that is there.
 *
 * NGX_OK         done
 * NGX_DECLINED   "err" says that the answer is over its limit
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_builder_logprobs(ngx_ors_builder_t *builder,
    ngx_ors_json_t *json, ngx_ors_chat_answer_t *reply, ngx_ors_error_t *err);

/* Gives the logprobs that wait to "part".  NGX_OK, or NGX_ERROR: no memory. */
ngx_int_t ngx_ors_builder_note_tokens(ngx_ors_builder_t *builder,
    ngx_ors_part_t *part);

/*
 * Takes the annotations of "reply" after its text: they are those of the
 * last text.  What cannot be sent to a client is left out.
 *
 * NGX_OK         done
 * NGX_DECLINED   "err" says that the answer is over its limit
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_builder_annotations(ngx_ors_builder_t *builder,
    ngx_ors_json_t *json, ngx_ors_chat_answer_t *reply, ngx_ors_error_t *err);

/*
 * Reasoning of a model, sealed for a client that sends it back.
 */


/*
 * Nothing follows what the round has made: makes an item of the provider state
 * that has come, sealed for a client that asks for sealed reasoning, else seen
 * by the store and the next round only.  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_builder_carry(ngx_ors_builder_t *builder);


#endif /* _NGX_ORS_BUILDER_ITEMS_H_INCLUDED_ */
