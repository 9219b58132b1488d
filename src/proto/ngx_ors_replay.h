
/*
 * A stream that was sent, once more: its events, made of the response and of
 * the journal that is stored with it (protocol, section 10).
 */


#ifndef _NGX_ORS_REPLAY_H_INCLUDED_
#define _NGX_ORS_REPLAY_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_edit.h>
#include <ngx_ors_journal.h>
#include <ngx_ors_json.h>
#include <ngx_ors_text.h>


typedef struct {
    ngx_ors_json_t         json;      /* the response */
    ngx_str_t              text;
    ngx_str_t              journal;   /* that of the store, or one that was */
                                      /* made up of the items */
    u_char                *pos;       /* in it */

    ngx_uint_t             sequence;  /* of the next event */
    ngx_uint_t             total;     /* events that there are */
    ngx_uint_t             after;     /* events below it are passed over */
    ngx_uint_t             end;       /* the least number of the last event */
    ngx_uint_t             profile;   /* names of events */

    ngx_ors_json_node_t   *item;      /* the current one, NULL: none */
    ngx_ors_json_node_t   *shown;     /* the last one with events */
    ngx_uint_t             index;     /* ... of those with events */
    ngx_uint_t             nitems;
    ngx_ors_json_node_t   *part;      /* the same of its parts */
    ngx_uint_t             part_index;
    ngx_uint_t             kind;      /* ngx_ors_part_type_e */
    ngx_str_t              rest;      /* text of the next deltas */
    ngx_str_t              tokens;    /* logprobs of the next deltas */
    ngx_ors_json_node_t   *note;      /* the next annotation */
    ngx_uint_t             notes;

    ngx_ors_edits_t        edits;
    ngx_ors_edits_t        hidden;    /* items that go away */

    unsigned               begun:1;   /* the first item was reached */
    unsigned               obfuscate:1;
    unsigned               lost:1;    /* there is no journal any more */
    unsigned               ended:1;   /* the response has, */
    unsigned               terminal:1;    /* with an event */
    unsigned               failed:1;  /* "error" is noted last */
} ngx_ors_replay_t;


/*
 * Prepares "replay", zeroed but for "after", "profile" and "obfuscate", for
 * "response", a JSON object, and its journal, which is empty if the response
 * was no stream, or has not begun.  Both are borrowed.
 *
 * NGX_OK         done
 * NGX_DECLINED   this is no response, or no journal
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_replay_init(ngx_ors_replay_t *replay, ngx_str_t *response,
    ngx_str_t *journal, ngx_pool_t *pool);

/*
 * Appends events to "out", up to about "size" bytes of them.
 *
 * NGX_OK         there are more
 * NGX_DONE       that was all; of a response that has ended the terminal event
 *                was the last one
 * NGX_DECLINED   the journal is none of this response
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_replay(ngx_ors_replay_t *replay, size_t size,
    ngx_ors_out_t *out);


#endif /* _NGX_ORS_REPLAY_H_INCLUDED_ */
