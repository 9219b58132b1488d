
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Edits of a document, sorted by place and applied in one pass.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_edit.h>


#define NGX_ORS_EDITS_MIN  8


static void ngx_ors_edits_sort(ngx_ors_edits_t *edits);
static int ngx_libc_cdecl ngx_ors_edits_compare(const void *one,
    const void *two);
static void ngx_ors_edits_piece(ngx_ors_out_t *out, u_char *data, size_t len,
    ngx_uint_t refer);


void
ngx_ors_edits_init(ngx_ors_edits_t *edits, ngx_pool_t *pool)
{
    ngx_memzero(edits, sizeof(ngx_ors_edits_t));

    edits->pool = pool;
}


ngx_int_t
ngx_ors_edits_add(ngx_ors_edits_t *edits, size_t pos, size_t len,
    ngx_str_t *text)
{
    ngx_uint_t       n;
    ngx_ors_edit_t  *elts, *edit;

    if (edits->n == edits->nalloc) {
        n = edits->nalloc ? 2 * edits->nalloc : NGX_ORS_EDITS_MIN;

        elts = ngx_palloc(edits->pool, n * sizeof(ngx_ors_edit_t));
        if (elts == NULL) {
            return NGX_ERROR;
        }

        if (edits->elts) {
            ngx_memcpy(elts, edits->elts, edits->n * sizeof(ngx_ors_edit_t));
            (void) ngx_pfree(edits->pool, edits->elts);
        }

        edits->elts = elts;
        edits->nalloc = n;
    }

    edit = edits->elts + edits->n;

    /*
     * sorted later: an insertion at the place of each edit would be quadratic
     */

    if (edits->n && edit[-1].pos > pos) {
        edits->mixed = 1;
    }

    edit->n = (uint32_t) edits->n;
    edit->pos = (uint32_t) pos;
    edit->len = (uint32_t) len;

    edit->size = text ? (uint32_t) text->len : 0;
    edit->text = text ? text->data : NULL;

    edits->n++;

    return NGX_OK;
}


ngx_int_t
ngx_ors_edits_value(ngx_ors_edits_t *edits, ngx_ors_json_node_t *node,
    ngx_str_t *text)
{
    size_t  pos;

    pos = ngx_ors_edit_start(node);

    return ngx_ors_edits_add(edits, pos, ngx_ors_edit_end(node) - pos, text);
}


void
ngx_ors_edits_write(ngx_ors_edits_t *edits, ngx_ors_json_t *json, size_t pos,
    size_t last, ngx_uint_t refer, ngx_ors_out_t *out)
{
    ngx_ors_edit_t  *edit, *end;

    end = edits->elts + edits->n;

    for (edit = ngx_ors_edits_from(edits, pos);
         edit < end && edit->pos <= last;
         edit++)
    {
        if (edit->pos < pos || edit->pos + (size_t) edit->len > last) {
            continue;
        }

        ngx_ors_edits_piece(out, json->text + pos, edit->pos - pos, refer);
        ngx_ors_edits_piece(out, edit->text, edit->size, refer);

        pos = (size_t) edit->pos + edit->len;
    }

    ngx_ors_edits_piece(out, json->text + pos, last - pos, refer);
}


ngx_int_t
ngx_ors_edits_place(ngx_ors_edits_t *edits, size_t from, size_t pos,
    size_t last, size_t *place)
{
    ngx_ors_edit_t  *edit, *end;

    *place = pos - from;

    end = edits->elts + edits->n;

    for (edit = ngx_ors_edits_from(edits, from);
         edit < end && edit->pos < last;
         edit++)
    {
        if (edit->pos < from) {
            continue;
        }

        from = (size_t) edit->pos + edit->len;

        if (from > pos) {
            return NGX_DECLINED;
        }

        *place += (size_t) edit->size - edit->len;
    }

    return NGX_OK;
}


size_t
ngx_ors_edits_size(ngx_ors_edits_t *edits, size_t pos, size_t last)
{
    size_t           size;
    ngx_ors_edit_t  *edit, *end;

    size = last - pos;

    end = edits->elts + edits->n;

    for (edit = ngx_ors_edits_from(edits, pos);
         edit < end && edit->pos < last;
         edit++)
    {
        if (edit->pos < pos || edit->pos + (size_t) edit->len > last) {
            continue;
        }

        size += (size_t) edit->size - edit->len;
        pos = (size_t) edit->pos + edit->len;
    }

    return size;
}


/*
 * A binary search: a list is written item by item, and a walk over all edits
 * for each item would be quadratic
 */

ngx_ors_edit_t *
ngx_ors_edits_from(ngx_ors_edits_t *edits, size_t pos)
{
    ngx_uint_t  first, last, middle;

    if (edits->mixed) {
        ngx_ors_edits_sort(edits);
    }

    first = 0;
    last = edits->n;

    while (first < last) {
        middle = first + (last - first) / 2;

        if (edits->elts[middle].pos < pos) {
            first = middle + 1;

        } else {
            last = middle;
        }
    }

    return edits->elts + first;
}


static void
ngx_ors_edits_sort(ngx_ors_edits_t *edits)
{
    ngx_uint_t  i;

    ngx_qsort(edits->elts, edits->n, sizeof(ngx_ors_edit_t),
              ngx_ors_edits_compare);

    for (i = 0; i < edits->n; i++) {
        edits->elts[i].n = (uint32_t) i;
    }

    edits->mixed = 0;
}


static int ngx_libc_cdecl
ngx_ors_edits_compare(const void *one, const void *two)
{
    const ngx_ors_edit_t  *first, *second;

    first = one;
    second = two;

    if (first->pos != second->pos) {
        return (first->pos < second->pos) ? -1 : 1;
    }

    return (first->n < second->n) ? -1 : 1;
}


static void
ngx_ors_edits_piece(ngx_ors_out_t *out, u_char *data, size_t len,
    ngx_uint_t refer)
{
    if (len == 0) {
        return;
    }

    if (refer) {
        ngx_ors_out_ref(out, data, len);

    } else {
        ngx_ors_out_copy(out, data, len);
    }
}
