
/*
 * Copyright (C) Open Responses contributors
 */


/* Hosted tools by their names. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_hosting.h>
#include <ngx_ors_names.h>


/* of a name that is cut: a hash of the whole follows */
#define NGX_ORS_TOOL_NAME_HASHED  (sizeof("_123456789") - 1)
#define NGX_ORS_TOOL_NAME_HEAD                                                \
    (NGX_ORS_TOOL_NAME_MAX - NGX_ORS_TOOL_NAME_HASHED)

/* nine digits of it */
#define NGX_ORS_TOOL_NAME_BITS    0xfffffffffULL


static uint64_t ngx_ors_tool_name_hash(u_char *p, u_char *last);
static ngx_uint_t ngx_ors_tool_name_replace(u_char *p, u_char *last);
static ngx_uint_t ngx_ors_tool_name_splits(ngx_str_t *label);


/* each request of a conversation must come to the same name */

static const ngx_ors_hash_key_t  ngx_ors_tool_name_key = { { 0, 0 } };


ngx_ors_tool_t *
ngx_ors_hosting_find(ngx_ors_hosting_t *hosting, ngx_str_t *name)
{
    ngx_uint_t       i;
    ngx_ors_name_t  *entry;
    ngx_ors_tool_t  *tool;

    if (hosting == NULL || hosting->tools == NULL) {
        return NULL;
    }

    tool = hosting->tools->elts;

    if (hosting->names) {
        entry = ngx_ors_names_find(hosting->names, name);

        return entry ? &tool[entry->value] : NULL;
    }

    for (i = 0; i < hosting->tools->nelts; i++) {

        if (ngx_ors_same(&tool[i].name, name)) {
            return &tool[i];
        }
    }

    return NULL;
}


ngx_str_t *
ngx_ors_hosting_prefix(ngx_ors_hosting_t *hosting, ngx_str_t *label)
{
    ngx_uint_t     i;
    ngx_keyval_t  *kv;

    if (hosting == NULL || hosting->prefixes == NULL) {
        return label;
    }

    kv = hosting->prefixes->elts;

    for (i = 0; i < hosting->prefixes->nelts; i++) {

        if (ngx_ors_same(&kv[i].key, label)) {
            return &kv[i].value;
        }
    }

    return label;
}


/*
 * Legal names for tools whose own names are longer or have other characters.
 */


ngx_int_t
ngx_ors_tool_name(ngx_str_t *label, ngx_str_t *name, ngx_pool_t *pool,
    ngx_str_t *sent)
{
    u_char      *p, *last;
    uint64_t     hash;
    ngx_uint_t   changed;

    p = ngx_pnalloc(pool, label->len + sizeof("__") - 1 + name->len
                          + NGX_ORS_TOOL_NAME_HASHED);
    if (p == NULL) {
        return NGX_ERROR;
    }

    sent->data = p;

    if (label->len) {
        p = ngx_cpymem(p, label->data, label->len);
    }

    last = ngx_cpymem(p, "__", 2);

    if (name->len) {
        last = ngx_cpymem(last, name->data, name->len);
    }

    p = sent->data;

    /* the byte between them makes another hash of another pair */

    p[label->len] = '\0';
    hash = ngx_ors_tool_name_hash(p, last);
    p[label->len] = '_';

    changed = ngx_ors_tool_name_replace(p, last);

    if (changed || !ngx_ors_tool_name_splits(label)
        || last - p > NGX_ORS_TOOL_NAME_MAX)
    {
        last = ngx_min(last, p + NGX_ORS_TOOL_NAME_HEAD);
        last = ngx_sprintf(last, "_%09xL", hash);
    }

    sent->len = last - p;

    return NGX_OK;
}


u_char *
ngx_ors_tool_name_legal(u_char *p, u_char *last)
{
    uint64_t  hash;

    hash = ngx_ors_tool_name_hash(p, last);

    (void) ngx_ors_tool_name_replace(p, last);

    if (last - p > NGX_ORS_TOOL_NAME_MAX) {
        last = ngx_sprintf(p + NGX_ORS_TOOL_NAME_HEAD, "_%09xL", hash);
    }

    return last;
}


static uint64_t
ngx_ors_tool_name_hash(u_char *p, u_char *last)
{
    return ngx_ors_hash(&ngx_ors_tool_name_key, p, last - p)
           & NGX_ORS_TOOL_NAME_BITS;
}


/* 1: some bytes were others */

static ngx_uint_t
ngx_ors_tool_name_replace(u_char *p, u_char *last)
{
    u_char      ch;
    ngx_uint_t  changed;

    changed = 0;

    for ( /* void */ ; p < last; p++) {
        ch = *p | 0x20;

        if ((ch < 'a' || ch > 'z') && (*p < '0' || *p > '9') && *p != '-'
            && *p != '_')
        {
            *p = '_';
            changed = 1;
        }
    }

    return changed;
}


/* 1: the first "__" of a name is the one after the label */

static ngx_uint_t
ngx_ors_tool_name_splits(ngx_str_t *label)
{
    u_char  *p, *last;

    last = label->data + label->len;

    for (p = label->data; p < last; p++) {

        if (*p == '_' && (p + 1 == last || p[1] == '_')) {
            return 0;
        }
    }

    return 1;
}
