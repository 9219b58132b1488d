
/*
 * Copyright (C) Open Responses contributors
 */


/* Entries that a configuration names, in memory that all workers share. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_named.h>


static ngx_uint_t ngx_ors_named_is(ngx_ors_named_t *entry, ngx_str_t *names,
    ngx_uint_t n);


void
ngx_ors_named_begin(ngx_ors_named_list_t *list, ngx_uint_t oldest,
    ngx_slab_pool_t *shpool)
{
    ngx_ors_named_t  *entry, **next;

    next = &list->dropped;

    while (*next) {
        entry = *next;

        if (entry->generation > oldest) {
            next = &entry->next;
            continue;
        }

        *next = entry->next;
        ngx_slab_free(shpool, entry);
    }

    list->generation++;
}


void *
ngx_ors_named_entry(ngx_ors_named_list_t *list, size_t size, ngx_str_t *names,
    ngx_uint_t n, ngx_slab_pool_t *shpool)
{
    u_char           *p;
    size_t            len;
    ngx_uint_t        i;
    ngx_ors_named_t  *entry;

    for (entry = list->first; entry; entry = entry->next) {

        if (ngx_ors_named_is(entry, names, n)) {
            entry->generation = list->generation;
            return entry;
        }
    }

    len = n;

    for (i = 0; i < n; i++) {
        len += names[i].len;
    }

    entry = ngx_slab_alloc(shpool, size + len);
    if (entry == NULL) {
        return NULL;
    }

    ngx_memzero(entry, size + len);

    p = (u_char *) entry + size;

    entry->key.data = p;
    entry->key.len = len;

    for (i = 0; i < n; i++) {

        if (names[i].len) {
            p = ngx_cpymem(p, names[i].data, names[i].len);
        }

        *p++ = '\0';
    }

    entry->generation = list->generation;
    entry->next = list->first;
    list->first = entry;

    return entry;
}


static ngx_uint_t
ngx_ors_named_is(ngx_ors_named_t *entry, ngx_str_t *names, ngx_uint_t n)
{
    u_char      *p, *last;
    ngx_uint_t   i;

    p = entry->key.data;
    last = p + entry->key.len;

    for (i = 0; i < n; i++) {

        if ((size_t) (last - p) < names[i].len + 1
            || (names[i].len
                && ngx_memcmp(p, names[i].data, names[i].len) != 0)
            || p[names[i].len] != '\0')
        {
            return 0;
        }

        p += names[i].len + 1;
    }

    return p == last;
}


void
ngx_ors_named_end(ngx_ors_named_list_t *list)
{
    ngx_ors_named_t  *entry, **next;

    next = &list->first;

    while (*next) {
        entry = *next;

        if (entry->generation == list->generation) {
            next = &entry->next;
            continue;
        }

        *next = entry->next;

        entry->generation = list->generation;
        entry->next = list->dropped;
        list->dropped = entry;
    }
}


void
ngx_ors_named_split(ngx_ors_named_t *entry, ngx_str_t *names, ngx_uint_t n)
{
    u_char      *p;
    ngx_uint_t   i;

    p = entry->key.data;

    for (i = 0; i < n; i++) {
        names[i].data = p;
        names[i].len = ngx_strlen(p);

        p += names[i].len + 1;
    }
}
