
/*
 * Copyright (C) Open Responses contributors
 */


/* A checked request in the memory of another pool, without reading it again. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_request.h>


static ngx_int_t ngx_ors_request_copy_edits(ngx_ors_request_t *to,
    ngx_ors_request_t *from);
static ngx_int_t ngx_ors_request_copy_items(ngx_ors_request_t *to,
    ngx_ors_request_t *from);
static ngx_int_t ngx_ors_request_copy_text(ngx_pool_t *pool, ngx_str_t *dst,
    ngx_str_t *src);


/* nodes and items know the text and each other by their places only */

#define ngx_ors_request_copy_node(to, from, node)                             \
    ((node) ? (to)->json.nodes + ((node) - (from)->json.nodes) : NULL)


ngx_int_t
ngx_ors_request_copy(ngx_ors_request_t *to, ngx_ors_request_t *from,
    ngx_str_t *body)
{
    ngx_uint_t       i;
    ngx_ors_json_t  *json;

    json = &to->json;

    json->nodes = ngx_palloc(to->pool,
                             from->json.n * sizeof(ngx_ors_json_node_t));
    if (json->nodes == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(json->nodes, from->json.nodes,
               from->json.n * sizeof(ngx_ors_json_node_t));

    json->n = from->json.n;
    json->nalloc = from->json.n;
    json->text = body->data;

    to->body = *body;
    to->values = from->values;

    if (ngx_ors_request_copy_edits(to, from) != NGX_OK
        || ngx_ors_request_copy_items(to, from) != NGX_OK
        || ngx_ors_request_copy_text(to->pool, &to->model, &from->model)
           != NGX_OK
        || ngx_ors_request_copy_text(to->pool, &to->provider, &from->provider)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    for (i = 0; i < ngx_ors_rq_n; i++) {
        to->field[i] = ngx_ors_request_copy_node(to, from, from->field[i]);
    }

    to->name = ngx_ors_request_copy_node(to, from, from->name);

    ngx_memcpy(to->unknown, from->unknown, sizeof(to->unknown));

    to->stream = from->stream;
    to->compact = from->compact;
    to->obfuscate = from->obfuscate;

    return NGX_OK;
}


static ngx_int_t
ngx_ors_request_copy_edits(ngx_ors_request_t *to, ngx_ors_request_t *from)
{
    ngx_str_t        text, copy;
    ngx_uint_t       i;
    ngx_ors_edit_t  *edit;

    for (i = 0; i < from->edits.n; i++) {
        edit = &from->edits.elts[i];

        text.data = edit->text;
        text.len = edit->size;

        if (ngx_ors_request_copy_text(to->pool, &copy, &text) != NGX_OK) {
            return NGX_ERROR;
        }

        if (ngx_ors_edits_add(&to->edits, edit->pos, edit->len,
                              copy.len ? &copy : NULL)
            != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_request_copy_items(ngx_ors_request_t *to, ngx_ors_request_t *from)
{
    size_t      size;
    ngx_uint_t  i;

    if (from->input.n == 0) {
        return NGX_OK;
    }

    size = from->input.n * sizeof(ngx_ors_input_item_t);

    to->input.items = ngx_palloc(to->pool, size);
    if (to->input.items == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(to->input.items, from->input.items, size);
    to->input.n = from->input.n;

    for (i = 0; i < to->input.n; i++) {
        to->input.items[i].json = &to->json;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_request_copy_text(ngx_pool_t *pool, ngx_str_t *dst, ngx_str_t *src)
{
    ngx_str_null(dst);

    if (src->len == 0) {
        return NGX_OK;
    }

    dst->data = ngx_pstrdup(pool, src);
    if (dst->data == NULL) {
        return NGX_ERROR;
    }

    dst->len = src->len;

    return NGX_OK;
}
