
/*
 * Copyright (C) Open Responses contributors
 */


/* An index grows item by item, as its list is written. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_index.h>


#define NGX_ORS_INDEX_ITEMS  16


void
ngx_ors_index_init(ngx_ors_index_t *index, ngx_pool_t *pool)
{
    ngx_memzero(index, sizeof(ngx_ors_index_t));

    index->pool = pool;
}


ngx_ors_index_item_t *
ngx_ors_index_add(ngx_ors_index_t *index)
{
    ngx_uint_t             n;
    ngx_ors_index_item_t  *items;

    if (index->n == index->nalloc) {
        n = ngx_max(2 * index->nalloc, NGX_ORS_INDEX_ITEMS);

        items = ngx_palloc(index->pool, n * sizeof(ngx_ors_index_item_t));
        if (items == NULL) {
            index->failed = 1;
            return NULL;
        }

        if (index->n) {
            ngx_memcpy(items, index->items,
                       index->n * sizeof(ngx_ors_index_item_t));
            (void) ngx_pfree(index->pool, index->items);
        }

        index->items = items;
        index->nalloc = n;
    }

    items = &index->items[index->n++];

    ngx_memzero(items, sizeof(ngx_ors_index_item_t));

    return items;
}


void
ngx_ors_index_text(ngx_ors_index_t *index, ngx_ors_index_item_t *item,
    ngx_str_t *text)
{
    text->data = index->text.data + item->pos;
    text->len = item->len;
}
