
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Edits of a document, sorted by place and applied in one pass.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_edit.h>
#include <ngx_ors_json_writer.h>
#include <ngx_ors_names.h>


#define NGX_ORS_EDITS_MIN  8


/* for the text of a member that is set */
#define NGX_ORS_POINTER_BLOCK  256


static void ngx_ors_edits_sort(ngx_ors_edits_t *edits);
static int ngx_libc_cdecl ngx_ors_edits_compare(const void *one,
    const void *two);
static void ngx_ors_edits_piece(ngx_ors_out_t *out, u_char *data, size_t len,
    ngx_uint_t refer);
static ngx_int_t ngx_ors_pointer_name(ngx_str_t *name, u_char *p,
    u_char *last);
static ngx_uint_t ngx_ors_pointer_missing(ngx_ors_pointer_t *node);
static ngx_int_t ngx_ors_pointer_text(ngx_ors_pointer_set_t *set,
    ngx_ors_pointer_t *node, char *sep, ngx_str_t *text);
static ngx_int_t ngx_ors_pointer_value(ngx_ors_pointer_set_t *set,
    ngx_ors_pointer_t *node, ngx_ors_out_t *out);
static ngx_ors_pointer_t *ngx_ors_pointer_child(ngx_ors_pointer_t *parent,
    ngx_str_t *name, ngx_pool_t *pool);


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


/*
 * JSON Pointers as a tree of members, written out as objects.
 */


ngx_int_t
ngx_ors_pointer_add(ngx_ors_pointer_t *root, ngx_str_t *pointer,
    ngx_str_t *value, ngx_pool_t *pool, ngx_ors_pointer_t **place)
{
    u_char             *p, *end, *last;
    ngx_str_t           name;
    ngx_uint_t          n;
    ngx_ors_pointer_t  *node;

    p = pointer->data;
    last = p + pointer->len;
    node = root;

    if (p == last || *p != '/') {
        return NGX_DECLINED;
    }

    for (n = 0; p < last; n++) {

        end = ngx_strlchr(++p, last, '/');
        if (end == NULL) {
            end = last;
        }

        name.data = ngx_pnalloc(pool, end - p + 1);
        if (name.data == NULL) {
            return NGX_ERROR;
        }

        if (n == NGX_ORS_POINTER_DEPTH
            || ngx_ors_pointer_name(&name, p, end) != NGX_OK)
        {
            return NGX_DECLINED;
        }

        if (node->value.len) {
            return NGX_BUSY;
        }

        node = ngx_ors_pointer_child(node, &name, pool);
        if (node == NULL) {
            return NGX_ERROR;
        }

        p = end;
    }

    if (node->value.len || node->first) {
        return NGX_BUSY;
    }

    node->value = *value;

    if (place) {
        *place = node;
    }

    return NGX_OK;
}


/* "~1" is a slash, and "~0" is what begins an escape */

static ngx_int_t
ngx_ors_pointer_name(ngx_str_t *name, u_char *p, u_char *last)
{
    u_char  *dst;

    dst = name->data;

    for ( /* void */ ; p < last; p++) {

        if (*p != '~') {
            *dst++ = *p;
            continue;
        }

        if (++p == last || (*p != '0' && *p != '1')) {
            return NGX_DECLINED;
        }

        *dst++ = (*p == '0') ? '~' : '/';
    }

    name->len = dst - name->data;

    return name->len ? NGX_OK : NGX_DECLINED;
}


static ngx_ors_pointer_t *
ngx_ors_pointer_child(ngx_ors_pointer_t *parent, ngx_str_t *name,
    ngx_pool_t *pool)
{
    ngx_ors_pointer_t  *node, **next;

    node = ngx_ors_pointer_find(parent, name);

    if (node) {
        return node;
    }

    for (next = &parent->first; *next; next = &(*next)->next) { /* void */ }

    node = ngx_pcalloc(pool, sizeof(ngx_ors_pointer_t));
    if (node == NULL) {
        return NULL;
    }

    node->name = *name;
    *next = node;

    return node;
}


ngx_ors_pointer_t *
ngx_ors_pointer_find(ngx_ors_pointer_t *root, ngx_str_t *name)
{
    ngx_ors_pointer_t  *node;

    for (node = root->first; node; node = node->next) {

        if (ngx_ors_same(&node->name, name)) {
            return node;
        }
    }

    return NULL;
}


void
ngx_ors_pointer_put(ngx_ors_pointer_t *node, ngx_ors_out_t *out)
{
    ngx_ors_json_quote(out, node->name.data, node->name.len);
    ngx_ors_out_lit(out, ":");

    (void) ngx_ors_pointer_value(NULL, node, out);
}


ngx_int_t
ngx_ors_pointer_set(ngx_ors_pointer_set_t *set, ngx_ors_pointer_t *root,
    ngx_ors_json_node_t *object)
{
    ngx_int_t             rc;
    ngx_str_t             text;
    ngx_uint_t            more;
    ngx_ors_pointer_t    *child;
    ngx_ors_json_node_t  *node;

    more = (object->count != 0);

    for (child = root->first; child; child = child->next) {

        node = ngx_ors_json_get(set->json, object, child->name.data,
                                child->name.len);

        if (node && node->type == ngx_ors_json_object && child->first) {

            if (ngx_ors_pointer_set(set, child, node) != NGX_OK) {
                return NGX_ERROR;
            }

            continue;
        }

        if (node && node->type != ngx_ors_json_null
            && ngx_ors_pointer_missing(child))
        {
            continue;
        }

        if (ngx_ors_pointer_text(set, child, node ? NULL : more ? "," : "",
                                 &text)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        if (node) {
            rc = ngx_ors_edits_value(set->edits, node, &text);

        } else {
            rc = ngx_ors_edits_add(set->edits, ngx_ors_edit_end(object) - 1, 0,
                                   &text);
            more = 1;
        }

        if (rc != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/* 1 if nothing but what is missing is to be set */

static ngx_uint_t
ngx_ors_pointer_missing(ngx_ors_pointer_t *node)
{
    ngx_ors_pointer_t  *child;

    if (node->first == NULL) {
        return node->missing;
    }

    for (child = node->first; child; child = child->next) {
        if (!ngx_ors_pointer_missing(child)) {
            return 0;
        }
    }

    return 1;
}


/* a value, or with "sep" a member */

static ngx_int_t
ngx_ors_pointer_text(ngx_ors_pointer_set_t *set, ngx_ors_pointer_t *node,
    char *sep, ngx_str_t *text)
{
    ngx_ors_out_t  out;

    ngx_ors_out_init(&out, set->pool, NGX_ORS_POINTER_BLOCK);

    if (sep) {
        ngx_ors_out_copy(&out, (u_char *) sep, ngx_strlen(sep));
        ngx_ors_json_quote(&out, node->name.data, node->name.len);
        ngx_ors_out_lit(&out, ":");
    }

    if (ngx_ors_pointer_value(set, node, &out) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_ors_out_text(&out, text);
}


/* as deep as a pointer has names */

static ngx_int_t
ngx_ors_pointer_value(ngx_ors_pointer_set_t *set, ngx_ors_pointer_t *node,
    ngx_ors_out_t *out)
{
    ngx_ors_pointer_t  *child;

    if (node->first == NULL) {

        if (set && node->data) {
            return set->value(set->data, node, out);
        }

        ngx_ors_out_str(out, &node->value);
        return NGX_OK;
    }

    ngx_ors_out_lit(out, "{");

    for (child = node->first; child; child = child->next) {

        if (child != node->first) {
            ngx_ors_out_lit(out, ",");
        }

        ngx_ors_json_quote(out, child->name.data, child->name.len);
        ngx_ors_out_lit(out, ":");

        if (ngx_ors_pointer_value(set, child, out) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    ngx_ors_out_lit(out, "}");

    return NGX_OK;
}
