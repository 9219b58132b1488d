
/*
 * Provider state: members of messages and calls that a model server wants back
 * as it has sent them, such as signatures of what the model has thought.
 *
 * As text it is an object with one member, the name of the provider.  Its value
 * has the members of each call, under the id of the call, and those of the
 * message, under "":
 *
 *     {"gemini":{"":{},"call_1":{"extra_content":{...}}}}
 */


#ifndef _NGX_ORS_CHAT_STATE_H_INCLUDED_
#define _NGX_ORS_CHAT_STATE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_json.h>
#include <ngx_ors_item.h>
#include <ngx_ors_text.h>


/* bytes of one answer; a larger state is not carried */
#define NGX_ORS_CHAT_STATE_MAX       (1024 * 1024)

/* the same of elements in lists that come in pieces, and of their members */
#define NGX_ORS_CHAT_STATE_ELEMENTS  512
#define NGX_ORS_CHAT_STATE_FIELDS    32


/*
 * A text that was sealed here and begins so is no reasoning: that is the inside
 * of a JSON string.
 */
#define ngx_ors_chat_state_is(text)                                           \
    ((text)->len > 2 && (text)->data[0] == '{' && (text)->data[1] == '"')


typedef struct ngx_ors_chat_state_member_s  ngx_ors_chat_state_member_t;


/* of one answer, as it grows; zeroed memory carries nothing */

typedef struct {
    ngx_uint_t                    names;  /* bits of ngx_ors_chat_states */
    ngx_pool_t                   *pool;
    ngx_ors_chat_state_member_t  *members;    /* the newest one first */
    size_t                        size;
    unsigned                      failed:1;   /* it is too large */
} ngx_ors_chat_state_t;


/*
 * Takes what "object" has of a state with names: it is a message, a piece of
 * one, or that of "call".  Lists of a "whole" message are taken whole, those of
 * pieces are put together: pieces of one element have the same "type" and
 * "index", and their texts are appended.  All is copied.  NGX_OK or NGX_ERROR:
 * no memory.
 */
ngx_int_t ngx_ors_chat_state_add(ngx_ors_chat_state_t *state,
    ngx_ors_json_t *json, ngx_ors_json_node_t *object, ngx_ors_item_t *call,
    ngx_uint_t whole);

/*
 * Appends the state as text, with the ids of those of the items from "first"
 * that are calls.
 *
 * NGX_OK         appended
 * NGX_DECLINED   there is none, or it is too large
 */
ngx_int_t ngx_ors_chat_state_put(ngx_ors_chat_state_t *state,
    ngx_str_t *provider, ngx_ors_item_t *first, ngx_ors_out_t *out);


#endif /* _NGX_ORS_CHAT_STATE_H_INCLUDED_ */
