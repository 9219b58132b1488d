
/*
 * Calls of hosted tools in the history: one item is a call with its output.
 */


#ifndef _NGX_ORS_CHAT_REPLAY_H_INCLUDED_
#define _NGX_ORS_CHAT_REPLAY_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_items.h>


/*
 * Marks "item" as a call of the tool of a server, which "in", an item of that
 * type or the request for its approval, was made of.
 */
void ngx_ors_chat_replay_call(ngx_ors_chat_item_t *item,
    ngx_ors_input_item_t *in);

/*
 * As ngx_ors_chat_replay_call() for a search or an interpreter, if the item
 * says what it has found: one that only says that it was done is not sent.
 */
void ngx_ors_chat_replay_results(ngx_ors_chat_items_t *ci,
    ngx_ors_chat_item_t *item, ngx_ors_input_item_t *in);

/*
 * Appends the name upstream of the tool that item "i", such a call, is of: a
 * string.  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_chat_replay_name(ngx_ors_chat_items_t *ci, ngx_uint_t i);

/* Appends the arguments of the call, a string of JSON. */
void ngx_ors_chat_replay_arguments(ngx_ors_chat_items_t *ci, ngx_uint_t i);

/* Appends the id of the call, a string: the item's, or one by its place. */
void ngx_ors_chat_replay_id(ngx_ors_chat_items_t *ci, ngx_uint_t i);

/*
 * Appends the outcome of the call, a string: its output, its error, or that the
 * client has declined it.
 */
void ngx_ors_chat_replay_output(ngx_ors_chat_items_t *ci, ngx_uint_t i);


#endif /* _NGX_ORS_CHAT_REPLAY_H_INCLUDED_ */
