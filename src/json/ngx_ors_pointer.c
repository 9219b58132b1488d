
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * JSON Pointers as a tree of members, written out as objects.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_json_writer.h>
#include <ngx_ors_pointer.h>
#include <ngx_ors_names.h>


static ngx_int_t ngx_ors_pointer_name(ngx_str_t *name, u_char *p,
    u_char *last);
static ngx_ors_pointer_t *ngx_ors_pointer_child(ngx_ors_pointer_t *parent,
    ngx_str_t *name, ngx_pool_t *pool);


ngx_int_t
ngx_ors_pointer_add(ngx_ors_pointer_t *root, ngx_str_t *pointer,
    ngx_str_t *value, ngx_pool_t *pool)
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


/* as deep as a pointer has names */

void
ngx_ors_pointer_put(ngx_ors_pointer_t *node, ngx_ors_out_t *out)
{
    ngx_ors_pointer_t  *child;

    ngx_ors_json_quote(out, node->name.data, node->name.len);
    ngx_ors_out_lit(out, ":");

    if (node->value.len) {
        ngx_ors_out_str(out, &node->value);
        return;
    }

    ngx_ors_out_lit(out, "{");

    for (child = node->first; child; child = child->next) {

        if (child != node->first) {
            ngx_ors_out_lit(out, ",");
        }

        ngx_ors_pointer_put(child, out);
    }

    ngx_ors_out_lit(out, "}");
}
