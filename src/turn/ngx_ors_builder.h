
/*
 * The model's answer as it grows: facts in, items and their events out
 * (protocol, section 10.3).
 *
 * Items are in the order in which the model began them.  The first one
 * that is not closed is the current one: its events are sent as they come,
 * what belongs to later items is gathered until it is their turn, so that
 * items never interleave (E46).
 */


#ifndef _NGX_ORS_BUILDER_H_INCLUDED_
#define _NGX_ORS_BUILDER_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_builder_state.h>


/* Begins the stream of a response that is one and has not begun. */
void ngx_ors_builder_start(ngx_ors_builder_t *builder);

/*
 * Takes the facts of one document.  Texts are copied.
 *
 * NGX_OK         done
 * NGX_DECLINED   "err" says which limit was passed
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_builder_add(ngx_ors_builder_t *builder, ngx_ors_json_t *json,
    ngx_ors_chat_answer_t *reply, ngx_ors_error_t *err);

/*
 * The answer has ended: closes what is open and sets the response's status from
 * the finish reason.
 *
 * NGX_OK         done
 * NGX_DECLINED   "err" says what cannot be sent to a client
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_builder_end(ngx_ors_builder_t *builder, ngx_ors_error_t *err);

/*
 * Nothing follows the items that there are: gives a response without any one
 * that is empty.  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_builder_last(ngx_ors_builder_t *builder);

/* Tells the client of the end: the terminal event, or the response. */
void ngx_ors_builder_tell(ngx_ors_builder_t *builder);

/* Begins the next round: all that was made stays. */
void ngx_ors_builder_next(ngx_ors_builder_t *builder);

/*
 * Begins the round anew, which has failed: what it has made is forgotten, and
 * nothing of it must have been sent.
 */
void ngx_ors_builder_again(ngx_ors_builder_t *builder);


#endif /* _NGX_ORS_BUILDER_H_INCLUDED_ */
