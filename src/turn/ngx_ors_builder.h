
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
#include <ngx_ors_chat_answer.h>
#include <ngx_ors_chat_state.h>
#include <ngx_ors_chat_tools.h>
#include <ngx_ors_choice.h>
#include <ngx_ors_tags.h>
#include <ngx_ors_id.h>
#include <ngx_ors_names.h>
#include <ngx_ors_response.h>
#include <ngx_ors_seal.h>


/*
 * The state of a builder, which its parts share: the response, its items, and
 * the calls of the model that have begun.
 */

typedef struct ngx_ors_builder_call_s  ngx_ors_builder_call_t;


/* results of earlier rounds, zeroed memory: there were none */

typedef struct {
    ngx_ors_item_t          *last;        /* their last item, or NULL */
    ngx_uint_t               nitems;
    size_t                   size;
    ngx_ors_usage_t          usage;
} ngx_ors_builder_mark_t;


typedef struct {
    ngx_ors_response_t      *resp;
    ngx_ors_chat_tools_t    *tools;       /* that the model knows */
    ngx_ors_choice_t         choice;      /* and what it may do with them */
    ngx_ors_out_t           *out;
    ngx_ors_limits_t        *limits;
    ngx_ors_id_t             ids;
    ngx_pool_t              *pool;
    ngx_log_t               *log;

    ngx_str_t                logprobs;    /* of the next text, not empty */
    ngx_buf_t                scratch;     /* where they are written first */
    ngx_ors_item_t          *current;
    ngx_ors_builder_mark_t   mark;        /* where the round has begun */
    ngx_ors_usage_t          usage;       /* of the round */
    ngx_ors_builder_call_t  *calls;       /* the newest one first */
    ngx_uint_t               ncalls;
    ngx_int_t                top;         /* above all their indices */
    ngx_ors_names_t          known;       /* their ids */
    ngx_ors_names_t          shown;       /* ... that the client has got */
    size_t                   size;        /* text of all items */
    ngx_uint_t               types;       /* bits of what items were made */
    ngx_ors_chat_finish_e    finish;
    ngx_ors_tags_t           tags;       /* in the text */
    ngx_ors_sealer_t        *sealer;      /* of reasoning, or NULL */
    ngx_ors_sealer_t        *keeper;      /* of provider state, or NULL */
    ngx_ors_chat_state_t     state;       /* of the round */
    ngx_str_t               *maker;       /* ... the provider's name */
    ngx_ors_sources_t        sources;     /* of searches */
    ngx_str_t                schema;      /* of a structured output that is */
                                          /* checked, JSON, or empty */

    unsigned                 stream:1;    /* events are wanted */
    unsigned                 wants_logprobs:1;
    unsigned                 started:1;   /* and the first ones are out */
    unsigned                 seen:1;      /* some delta has come */
    unsigned                 sorted:1;    /* hidden calls have their items */
    unsigned                 check:1;     /* calls have schemas */
    unsigned                 hold:1;      /* such calls wait for it */

    /* was logged: any number of chunks may give cause for it */
    unsigned                 warned_notes:1;
    unsigned                 warned_more:1;
} ngx_ors_builder_t;


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
