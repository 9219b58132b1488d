
/*
 * The verification of a stream's output items: each is added, filled by deltas
 * and done (protocol, sections 10.3 and 15, R36 to R48).
 */


#ifndef _NGX_ORS_VERIFY_ITEM_H_INCLUDED_
#define _NGX_ORS_VERIFY_ITEM_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_verify.h>


/*
 * The verification of the parts of a stream's output items, and the record of
 * an item.
 */

typedef enum {
    ngx_ors_verify_item_st_open = 0,     /* none of its parts is open */
    ngx_ors_verify_item_st_part,         /* a part is open */
    ngx_ors_verify_item_st_text,         /* ... and its text is done */
    ngx_ors_verify_item_st_done
} ngx_ors_verify_item_state_e;


/* its lists of parts */

typedef enum {
    ngx_ors_verify_list_content = 0,
    ngx_ors_verify_list_summary,
    ngx_ors_verify_list_n
} ngx_ors_verify_list_e;


/* streamed lists of an item: its parts, its text */

typedef struct {
    ngx_uint_t                   n[ngx_ors_verify_list_n];
    ngx_ors_verify_digest_t      parts[ngx_ors_verify_list_n];
    ngx_ors_verify_digest_t      text;
} ngx_ors_verify_content_t;


typedef struct {
    ngx_str_t                    type;
    ngx_str_t                    text;       /* name of its own text */
    ngx_uint_t                   fit;        /* bits of parts in "content" */
    unsigned                     core:1;     /* has a status, is streamed */
} ngx_ors_verify_kind_t;


struct ngx_ors_verify_item_s {
    ngx_ors_verify_item_state_e   state;
    const ngx_ors_verify_kind_t  *kind;

    /* decoded; the id may be empty where it may be absent */
    ngx_str_t                    id;
    ngx_str_t                    type;

    /* digests of streamed texts and, once it is done, of its contents */
    ngx_ors_verify_content_t     content;
    ngx_ors_verify_digest_t      name;       /* of a call, and its id */

    ngx_ors_verify_part_e        part;       /* the open one */
    ngx_ors_verify_list_e        list;
    ngx_ors_verify_digest_t      sum;        /* its text */

    ngx_ors_verify_step_e        step;       /* of a hosted tool */
    ngx_str_t                    json;       /* when it was done */
    unsigned                     begun:1;    /* deltas of a text have come */
    unsigned                     preset:1;   /* it was added with contents */
};


/* items of one response, which are remembered until its end */
#define NGX_ORS_VERIFY_ITEMS  4096


/*
 * An event of an item.
 *
 * NGX_OK         the item is as the event says
 * NGX_DECLINED   it cannot be, verify->error says why
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_verify_item(ngx_ors_verify_t *verify,
    ngx_ors_verify_event_t *ev);

/*
 * Compares "output" of a response that is over with the items that were
 * done.  NGX_OK or NGX_DECLINED.
 */
ngx_int_t ngx_ors_verify_item_output(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *output);


#endif /* _NGX_ORS_VERIFY_ITEM_H_INCLUDED_ */
