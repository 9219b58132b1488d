
/*
 * Copyright (C) Open Responses contributors
 */


/* Names for models: mapped, cut, and made different where two are the same. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_hash.h>
#include <ngx_ors_mcp_names.h>


#define NGX_ORS_MCP_NAMES_N   16
#define NGX_ORS_MCP_HASH_LEN  9           /* "_" and 32 bits */


static ngx_int_t ngx_ors_mcp_names_enter(ngx_ors_mcp_names_t *names,
    ngx_pool_t *pool, ngx_ors_mcp_named_t *named);
static void ngx_ors_mcp_names_map(ngx_str_t *prefix, ngx_str_t *tool,
    ngx_str_t *name);
static u_char *ngx_ors_mcp_names_put(u_char *p, u_char *last,
    ngx_str_t *text);
static void ngx_ors_mcp_names_hash(ngx_str_t *prefix, ngx_str_t *tool,
    ngx_uint_t n, ngx_str_t *name);


ngx_int_t
ngx_ors_mcp_names_take(ngx_ors_mcp_names_t *names, ngx_pool_t *pool,
    ngx_str_t *name)
{
    ngx_ors_mcp_named_t  named;

    ngx_memzero(&named, sizeof(ngx_ors_mcp_named_t));

    named.name = *name;

    return ngx_ors_mcp_names_enter(names, pool, &named);
}


ngx_int_t
ngx_ors_mcp_names_add(ngx_ors_mcp_names_t *names, ngx_pool_t *pool,
    ngx_str_t *prefix, ngx_str_t *tool, void *server, ngx_str_t *name)
{
    size_t                len;
    ngx_int_t             rc;
    ngx_uint_t            n;
    ngx_ors_mcp_named_t   named;

    named.tool = *tool;
    named.server = server;

    named.name.data = ngx_pnalloc(pool, NGX_ORS_MCP_MODEL_NAME_MAX);
    if (named.name.data == NULL) {
        return NGX_ERROR;
    }

    ngx_ors_mcp_names_map(prefix, tool, &named.name);

    len = tool->len + (prefix->len ? prefix->len + 2 : 0);

    rc = (len <= NGX_ORS_MCP_MODEL_NAME_MAX)
         ? ngx_ors_mcp_names_enter(names, pool, &named) : NGX_DECLINED;

    for (n = 0; rc == NGX_DECLINED; n++) {
        ngx_ors_mcp_names_hash(prefix, tool, n, &named.name);
        rc = ngx_ors_mcp_names_enter(names, pool, &named);
    }

    *name = named.name;

    return rc;
}


static ngx_int_t
ngx_ors_mcp_names_enter(ngx_ors_mcp_names_t *names, ngx_pool_t *pool,
    ngx_ors_mcp_named_t *named)
{
    ngx_int_t             rc;
    ngx_ors_mcp_named_t  *entry;

    if (names->entries == NULL) {
        names->entries = ngx_array_create(pool, NGX_ORS_MCP_NAMES_N,
                                          sizeof(ngx_ors_mcp_named_t));
        if (names->entries == NULL) {
            return NGX_ERROR;
        }
    }

    rc = ngx_ors_names_add(&names->index, pool, &named->name);

    if (rc != NGX_OK) {
        return rc;
    }

    entry = ngx_array_push(names->entries);
    if (entry == NULL) {
        return NGX_ERROR;
    }

    *entry = *named;

    ngx_ors_names_find(&names->index, &named->name)->value =
                                                   names->entries->nelts - 1;

    return NGX_OK;
}


static void
ngx_ors_mcp_names_map(ngx_str_t *prefix, ngx_str_t *tool, ngx_str_t *name)
{
    u_char     *p, *last;

    static ngx_str_t  separator = ngx_string("__");

    p = name->data;
    last = p + NGX_ORS_MCP_MODEL_NAME_MAX;

    if (prefix->len) {
        p = ngx_ors_mcp_names_put(p, last, prefix);
        p = ngx_ors_mcp_names_put(p, last, &separator);
    }

    p = ngx_ors_mcp_names_put(p, last, tool);

    name->len = p - name->data;
}


static u_char *
ngx_ors_mcp_names_put(u_char *p, u_char *last, ngx_str_t *text)
{
    u_char  ch;
    size_t  i;

    for (i = 0; i < text->len && p < last; i++) {
        ch = text->data[i];

        *p++ = ((ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z')
                || (ch >= '0' && ch <= '9') || ch == '_' || ch == '-')
               ? ch : '_';
    }

    return p;
}


/* the key of the hash is public: a collision has another number */

static void
ngx_ors_mcp_names_hash(ngx_str_t *prefix, ngx_str_t *tool, ngx_uint_t n,
    ngx_str_t *name)
{
    size_t              len;
    uint64_t            hash;
    ngx_ors_hash_key_t  key;

    key.k[0] = n;
    key.k[1] = 0;

    key.k[1] = ngx_ors_hash(&key, prefix->data, prefix->len);
    hash = ngx_ors_hash(&key, tool->data, tool->len);

    ngx_ors_mcp_names_map(prefix, tool, name);

    len = ngx_min(name->len,
                  NGX_ORS_MCP_MODEL_NAME_MAX - NGX_ORS_MCP_HASH_LEN);

    name->len = ngx_sprintf(name->data + len, "_%08xD", (uint32_t) hash)
                - name->data;
}


ngx_ors_mcp_named_t *
ngx_ors_mcp_names_find(ngx_ors_mcp_names_t *names, ngx_str_t *name)
{
    ngx_ors_name_t       *entry;
    ngx_ors_mcp_named_t  *named;

    entry = ngx_ors_names_find(&names->index, name);
    if (entry == NULL) {
        return NULL;
    }

    named = names->entries->elts;

    return &named[entry->value];
}
