
/*
 * Input items, sorted out: what each of them is for a chat, and which call
 * an output belongs to.
 */


#ifndef _NGX_ORS_CHAT_ITEMS_H_INCLUDED_
#define _NGX_ORS_CHAT_ITEMS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_request_mcp.h>
#include <ngx_ors_chat_content.h>
#include <ngx_ors_input.h>


typedef enum {
    ngx_ors_chat_item_none = 0,           /* nothing is sent for it */
    ngx_ors_chat_item_user,
    ngx_ors_chat_item_system,
    ngx_ors_chat_item_developer,
    ngx_ors_chat_item_assistant,
    ngx_ors_chat_item_reasoning,
    ngx_ors_chat_item_summary,            /* "text" replaces earlier items */
    ngx_ors_chat_item_call,
    ngx_ors_chat_item_output,
    ngx_ors_chat_item_state               /* provider state, its root; */
                                          /* "name": members of a message */
} ngx_ors_chat_item_e;


/*
 * Nodes are indexes, 0 if absent.  "pair" of an output is the item with its
 * call; of a call, the item with its output, 0 if it has none (an output is
 * never item 0).
 */

typedef struct {
    ngx_ors_json_t          *json;        /* of the nodes */
    ngx_ors_chat_item_e      kind;
    uint32_t                 content;     /* or arguments, output, summary */
    uint32_t                 call_id;
    uint32_t                 name;
    uint32_t                 space;       /* the namespace of "name" */
    uint32_t                 pair;
    ngx_str_t                text;        /* sealed content, or members that */
                                          /* a call's provider wants back */
    uint32_t                 state;       /* item + 1 with the members of the */
                                          /* message that begins here, or 0 */
    unsigned                 custom:1;    /* "content" is free text */
    unsigned                 search:1;    /* ... any value, or tools */
    unsigned                 hosted:1;    /* a call with its own output */
} ngx_ors_chat_item_t;


typedef struct {
    ngx_ors_chat_content_t  *cc;

    ngx_ors_input_t         *input;       /* that was read, borrowed */
    ngx_ors_chat_item_t     *items;       /* one for each input item */
    ngx_uint_t               nitems;
    ngx_ors_approvals_t      approvals;   /* of hosted tools */
    ngx_uint_t               added;       /* items at the end that are ours */

    unsigned                 spaces:1;    /* names may have a namespace */
    unsigned                 trigger:1;   /* the last item may be one */
    unsigned                 answered:1;  /* each call must have its output */

    /* private */
    ngx_uint_t               nstates;
    ngx_ors_input_calls_t    calls;
} ngx_ors_chat_items_t;


/*
 * Reads "input" into zeroed "ci" with "cc" and the bits set.
 *
 * NGX_OK         "items" are filled, each output has its call
 * NGX_DECLINED   an item cannot be carried, cc->err says which and why
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_chat_items_read(ngx_ors_chat_items_t *ci,
    ngx_ors_input_t *input);

/* The members of "node", an object, without its braces; they are borrowed. */
void ngx_ors_chat_state_inside(ngx_ors_json_t *json,
    ngx_ors_json_node_t *node, ngx_str_t *members);


#endif /* _NGX_ORS_CHAT_ITEMS_H_INCLUDED_ */
