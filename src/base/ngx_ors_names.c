
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * A set of texts as a hash table with open addressing.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_names.h>
#include <ngx_ors_same.h>


#define NGX_ORS_NAMES_MIN  8

#define ngx_ors_names_hash(names, text)                                       \
    (uint32_t) ngx_ors_hash(&(names)->key, (text)->data, (text)->len)


static ngx_ors_name_t *ngx_ors_names_slot(ngx_ors_names_t *names,
    ngx_str_t *text, uint32_t hash);


/* at most half of the slots are taken */

ngx_int_t
ngx_ors_names_reserve(ngx_ors_names_t *names, ngx_pool_t *pool, ngx_uint_t n)
{
    ngx_uint_t        i, nslots, old;
    ngx_ors_name_t   *slot, *slots;

    if (2 * n <= names->nslots) {
        return NGX_OK;
    }

    slots = names->slots;
    old = names->nslots;

    if (old == 0
        && ngx_ors_hash_key(&names->key, pool->log) != NGX_OK)
    {
        return NGX_ERROR;
    }

    for (nslots = NGX_ORS_NAMES_MIN; nslots < 2 * n; nslots <<= 1) {
        /* void */
    }

    names->slots = ngx_pcalloc(pool, nslots * sizeof(ngx_ors_name_t));
    if (names->slots == NULL) {
        names->slots = slots;
        return NGX_ERROR;
    }

    names->nslots = nslots;

    for (i = 0; i < old; i++) {

        if (slots[i].text.data) {
            slot = ngx_ors_names_slot(names, &slots[i].text, slots[i].hash);
            *slot = slots[i];
        }
    }

    if (slots) {
        (void) ngx_pfree(pool, slots);
    }

    return NGX_OK;
}


ngx_ors_name_t *
ngx_ors_names_entry(ngx_ors_names_t *names, ngx_pool_t *pool, ngx_str_t *text)
{
    uint32_t         hash;
    ngx_ors_name_t  *slot;

    if (ngx_ors_names_reserve(names, pool, names->n + 1) != NGX_OK) {
        return NULL;
    }

    hash = ngx_ors_names_hash(names, text);
    slot = ngx_ors_names_slot(names, text, hash);

    if (slot->text.data == NULL) {
        slot->text = *text;
        slot->hash = hash;
        names->n++;
    }

    return slot;
}


ngx_int_t
ngx_ors_names_add(ngx_ors_names_t *names, ngx_pool_t *pool, ngx_str_t *text)
{
    ngx_uint_t  n;

    n = names->n;

    if (ngx_ors_names_entry(names, pool, text) == NULL) {
        return NGX_ERROR;
    }

    return (names->n == n) ? NGX_DECLINED : NGX_OK;
}


ngx_ors_name_t *
ngx_ors_names_find(ngx_ors_names_t *names, ngx_str_t *text)
{
    ngx_ors_name_t  *slot;

    if (names->n == 0) {
        return NULL;
    }

    slot = ngx_ors_names_slot(names, text, ngx_ors_names_hash(names, text));

    return slot->text.data ? slot : NULL;
}


/* the slot of the text, or a free one */

static ngx_ors_name_t *
ngx_ors_names_slot(ngx_ors_names_t *names, ngx_str_t *text, uint32_t hash)
{
    ngx_uint_t       n;
    ngx_ors_name_t  *slot;

    for (n = hash; /* void */ ; n++) {
        slot = &names->slots[n & (names->nslots - 1)];

        if (slot->text.data == NULL) {
            return slot;
        }

        if (slot->hash == hash && ngx_ors_same(&slot->text, text)) {
            return slot;
        }
    }
}
