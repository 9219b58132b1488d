
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * A set of texts as a hash table with open addressing, its hash, and the index
 * of a list of items.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_names.h>
#include <ngx_ors_id.h>


#define NGX_ORS_NAMES_MIN  8

#define ngx_ors_names_hash(names, text)                                       \
    (uint32_t) ngx_ors_hash(&(names)->key, (text)->data, (text)->len)

#define ngx_ors_hash_rotate(x, n)  (((x) << (n)) | ((x) >> (64 - (n))))

#define NGX_ORS_INDEX_ITEMS  16


static ngx_ors_name_t *ngx_ors_names_slot(ngx_ors_names_t *names,
    ngx_str_t *text, uint32_t hash);
static ngx_inline void ngx_ors_hash_round(uint64_t *v);
static ngx_inline uint64_t ngx_ors_hash_word(u_char *p, size_t len);


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


/*
 * SipHash-1-3 of a text, with a random key.
 */


ngx_int_t
ngx_ors_hash_key(ngx_ors_hash_key_t *key, ngx_log_t *log)
{
    return ngx_ors_random(key->k, sizeof(key->k), log);
}


uint64_t
ngx_ors_hash(const ngx_ors_hash_key_t *key, u_char *data, size_t len)
{
    size_t    n;
    uint64_t  v[4], word;

    v[0] = key->k[0] ^ 0x736f6d6570736575ULL;
    v[1] = key->k[1] ^ 0x646f72616e646f6dULL;
    v[2] = key->k[0] ^ 0x6c7967656e657261ULL;
    v[3] = key->k[1] ^ 0x7465646279746573ULL;

    for (n = len; n >= sizeof(word); n -= sizeof(word)) {
        word = ngx_ors_hash_word(data, sizeof(word));
        data += sizeof(word);

        v[3] ^= word;
        ngx_ors_hash_round(v);
        v[0] ^= word;
    }

    word = (uint64_t) len << 56 | ngx_ors_hash_word(data, n);

    v[3] ^= word;
    ngx_ors_hash_round(v);
    v[0] ^= word;

    v[2] ^= 0xff;
    ngx_ors_hash_round(v);
    ngx_ors_hash_round(v);
    ngx_ors_hash_round(v);

    return v[0] ^ v[1] ^ v[2] ^ v[3];
}


static ngx_inline void
ngx_ors_hash_round(uint64_t *v)
{
    v[0] += v[1];
    v[2] += v[3];
    v[1] = ngx_ors_hash_rotate(v[1], 13) ^ v[0];
    v[3] = ngx_ors_hash_rotate(v[3], 16) ^ v[2];
    v[0] = ngx_ors_hash_rotate(v[0], 32);

    v[2] += v[1];
    v[0] += v[3];
    v[1] = ngx_ors_hash_rotate(v[1], 17) ^ v[2];
    v[3] = ngx_ors_hash_rotate(v[3], 21) ^ v[0];
    v[2] = ngx_ors_hash_rotate(v[2], 32);
}


/* up to eight bytes, the first one is the lowest */

static ngx_inline uint64_t
ngx_ors_hash_word(u_char *p, size_t len)
{
    uint64_t  word;

    word = 0;

#if (NGX_HAVE_LITTLE_ENDIAN)

    ngx_memcpy(&word, p, len);

#else

    while (len--) {
        word = word << 8 | p[len];
    }

#endif

    return word;
}


/* An index grows item by item, as its list is written. */


void
ngx_ors_index_init(ngx_ors_index_t *index, ngx_pool_t *pool)
{
    ngx_memzero(index, sizeof(ngx_ors_index_t));

    index->pool = pool;
}


ngx_ors_index_item_t *
ngx_ors_index_add(ngx_ors_index_t *index)
{
    ngx_uint_t             n;
    ngx_ors_index_item_t  *items;

    if (index->n == index->nalloc) {
        n = ngx_max(2 * index->nalloc, NGX_ORS_INDEX_ITEMS);

        items = ngx_palloc(index->pool, n * sizeof(ngx_ors_index_item_t));
        if (items == NULL) {
            index->failed = 1;
            return NULL;
        }

        if (index->n) {
            ngx_memcpy(items, index->items,
                       index->n * sizeof(ngx_ors_index_item_t));
            (void) ngx_pfree(index->pool, index->items);
        }

        index->items = items;
        index->nalloc = n;
    }

    items = &index->items[index->n++];

    ngx_memzero(items, sizeof(ngx_ors_index_item_t));

    return items;
}


void
ngx_ors_index_text(ngx_ors_index_t *index, ngx_ors_index_item_t *item,
    ngx_str_t *text)
{
    text->data = index->text.data + item->pos;
    text->len = item->len;
}
