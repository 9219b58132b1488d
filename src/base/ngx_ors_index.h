
/*
 * The index of a list of items, a JSON array: where each item and its id are,
 * and what the item means to the conversation.
 */


#ifndef _NGX_ORS_INDEX_H_INCLUDED_
#define _NGX_ORS_INDEX_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


#define NGX_ORS_INDEX_ANSWER   0x1    /* the output of a call, or the answer */
                                      /* to a request for an approval */
#define NGX_ORS_INDEX_RULE     0x2    /* of "system" or "developer" */
#define NGX_ORS_INDEX_ASK      0x4    /* a request for an approval */
#define NGX_ORS_INDEX_FLAGS    0x7


typedef struct {
    uint32_t               pos;       /* of the item in its list */
    uint32_t               len;
    uint32_t               id;        /* in the item: the inside of its id, */
    uint32_t               id_len;    /* a string; 0: it has none */
    uint32_t               flags;
} ngx_ors_index_item_t;


typedef struct {
    ngx_str_t              text;      /* the list; not set while it is made */
    ngx_ors_index_item_t  *items;     /* in the order of the list */
    ngx_uint_t             n;
    ngx_uint_t             nalloc;
    ngx_pool_t            *pool;
    unsigned               failed:1;  /* no memory: items are missing */
} ngx_ors_index_t;


/* Prepares an empty index; its memory comes from "pool". */
void ngx_ors_index_init(ngx_ors_index_t *index, ngx_pool_t *pool);

/* A new item, zeroed, at the end.  NULL: no memory, index->failed is set. */
ngx_ors_index_item_t *ngx_ors_index_add(ngx_ors_index_t *index);

/* Sets "text" to the bytes of "item", which is one of "index". */
void ngx_ors_index_text(ngx_ors_index_t *index, ngx_ors_index_item_t *item,
    ngx_str_t *text);


#endif /* _NGX_ORS_INDEX_H_INCLUDED_ */
