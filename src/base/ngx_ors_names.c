
/*
 * Copyright (C) Open Responses contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_names.h>


#define NGX_ORS_NAMES_MIN  8


static ngx_ors_name_t *ngx_ors_names_slot(ngx_ors_names_t *names,
    ngx_str_t *text, uint64_t hash);


/* at most half of the slots are taken */

ngx_int_t
ngx_ors_names_reserve(ngx_ors_names_t *names, ngx_pool_t *pool,
    ngx_uint_t n)
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


ngx_int_t
ngx_ors_names_add(ngx_ors_names_t *names, ngx_pool_t *pool, ngx_str_t *text)
{
    uint64_t         hash;
    ngx_ors_name_t  *slot;

    if (ngx_ors_names_reserve(names, pool, names->n + 1) != NGX_OK) {
        return NGX_ERROR;
    }

    hash = ngx_ors_hash(&names->key, text->data, text->len);
    slot = ngx_ors_names_slot(names, text, hash);

    if (slot->text.data) {
        return NGX_DECLINED;
    }

    slot->text = *text;
    slot->hash = hash;
    names->n++;

    return NGX_OK;
}


ngx_uint_t
ngx_ors_names_has(ngx_ors_names_t *names, ngx_str_t *text)
{
    uint64_t  hash;

    if (names->n == 0) {
        return 0;
    }

    hash = ngx_ors_hash(&names->key, text->data, text->len);

    return ngx_ors_names_slot(names, text, hash)->text.data != NULL;
}


/* that of the text, or a free one */

static ngx_ors_name_t *
ngx_ors_names_slot(ngx_ors_names_t *names, ngx_str_t *text, uint64_t hash)
{
    uint64_t         n;
    ngx_ors_name_t  *slot;

    for (n = hash; /* void */ ; n++) {
        slot = &names->slots[n & (names->nslots - 1)];

        if (slot->text.data == NULL) {
            return slot;
        }

        if (slot->hash == hash && slot->text.len == text->len
            && ngx_memcmp(slot->text.data, text->data, text->len) == 0)
        {
            return slot;
        }
    }
}
