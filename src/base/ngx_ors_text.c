
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * A growing text in blocks that never move.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_text.h>


#define NGX_ORS_TEXT_BLOCK_MIN  64
#define NGX_ORS_TEXT_BLOCK_MAX  65536


/* appended bytes lie right after it */

struct ngx_ors_text_block_s {
    size_t                 len;
    size_t                 size;
    ngx_ors_text_block_t  *next;
};


#define ngx_ors_text_data(block)  ((u_char *) ((block) + 1))


ngx_int_t
ngx_ors_text_append(ngx_ors_text_t *text, ngx_pool_t *pool, u_char *data,
    size_t len)
{
    size_t                 size, rest;
    ngx_ors_text_block_t  *block;

    block = text->tail;
    rest = block ? ngx_min(block->size - block->len, len) : 0;

    if (rest < len) {
        size = block ? ngx_min(block->size * 2, NGX_ORS_TEXT_BLOCK_MAX)
                     : NGX_ORS_TEXT_BLOCK_MIN;
        size = ngx_max(size, len - rest);

        block = ngx_palloc(pool, sizeof(ngx_ors_text_block_t) + size);
        if (block == NULL) {
            return NGX_ERROR;
        }

        ngx_memcpy(ngx_ors_text_data(block), data + rest, len - rest);

        block->len = len - rest;
        block->size = size;
        block->next = NULL;
    }

    if (rest) {
        ngx_memcpy(ngx_ors_text_data(text->tail) + text->tail->len, data, rest);
        text->tail->len += rest;
    }

    if (rest < len) {
        if (text->tail) {
            text->tail->next = block;

        } else {
            text->head = block;
        }

        text->tail = block;
    }

    text->len += len;

    return NGX_OK;
}


void
ngx_ors_text_put(ngx_ors_out_t *out, ngx_ors_text_t *text)
{
    ngx_ors_text_block_t  *block;

    for (block = text->head; block; block = block->next) {
        ngx_ors_out_ref(out, ngx_ors_text_data(block), block->len);
    }
}


u_char *
ngx_ors_text_copy(u_char *dst, ngx_ors_text_t *text)
{
    ngx_ors_text_block_t  *block;

    for (block = text->head; block; block = block->next) {
        dst = ngx_cpymem(dst, ngx_ors_text_data(block), block->len);
    }

    return dst;
}


ngx_int_t
ngx_ors_str_copy(ngx_str_t *copy, ngx_pool_t *pool, ngx_str_t *str)
{
    u_char  *p;

    p = ngx_pnalloc(pool, str->len + 1);
    if (p == NULL) {
        return NGX_ERROR;
    }

    if (str->len) {
        ngx_memcpy(p, str->data, str->len);
    }

    copy->len = str->len;
    copy->data = p;

    return NGX_OK;
}
