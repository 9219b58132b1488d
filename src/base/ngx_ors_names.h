
/*
 * An index of texts in memory, each with a number: finding one takes the same
 * time whatever the texts are.
 */


#ifndef _NGX_ORS_NAMES_H_INCLUDED_
#define _NGX_ORS_NAMES_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


/*
 * The hash for tables in memory: SipHash-1-3.
 */

typedef struct {
    uint64_t    k[2];
} ngx_ors_hash_key_t;


typedef struct {
    ngx_str_t               text;     /* data is NULL in a free slot */
    uint32_t                hash;
    uint32_t                value;    /* the caller's, 0 at first */
} ngx_ors_name_t;


/* zeroed memory is an empty index */

typedef struct {
    ngx_ors_name_t         *slots;
    ngx_uint_t              nslots;   /* a power of two, or 0 */
    ngx_uint_t              n;
    ngx_ors_hash_key_t      key;
} ngx_ors_names_t;


/* The most bytes that room for "n" texts takes. */
#define ngx_ors_names_size(n)                                                 \
    (((n) > 1 ? 4 * (n) : 8) * sizeof(ngx_ors_name_t))


/*
 * The index of a list of items, a JSON array: where each item and its id are,
 * and what the item means to the conversation.
 */

#define NGX_ORS_INDEX_ANSWER   0x1    /* the output of a call, or the answer */
                                      /* to a request for an approval */
#define NGX_ORS_INDEX_RULE     0x2    /* of "system" or "developer" */
#define NGX_ORS_INDEX_ASK      0x4    /* a request for an approval */
#define NGX_ORS_INDEX_FLAGS    0x7


typedef struct {
    uint32_t               pos;       /* of the item in its list */
    uint32_t               len;
    uint32_t               id;        /* in the item: the inside of its id, */
    uint32_t               id_len;    /* a string; 0: it has none */
    uint32_t               flags;
} ngx_ors_index_item_t;


typedef struct {
    ngx_str_t              text;      /* the list; not set while it is made */
    ngx_ors_index_item_t  *items;     /* in the order of the list */
    ngx_uint_t             n;
    ngx_uint_t             nalloc;
    ngx_pool_t            *pool;
    unsigned               failed:1;  /* no memory: items are missing */
} ngx_ors_index_t;


/*
 * Draws a random key.
 *
 * NGX_OK      "key" is set
 * NGX_ERROR   the system gives no random bytes; logged as crit
 */
ngx_int_t ngx_ors_hash_key(ngx_ors_hash_key_t *key, ngx_log_t *log);

/*
 * The hash of "len" bytes, all bits of which depend on all bits of "key" and
 * text: whoever does not know the key cannot make up texts that fall into
 * one slot, whatever bits the slot is taken from.
 */
uint64_t ngx_ors_hash(const ngx_ors_hash_key_t *key, u_char *data, size_t len);

/*
 * Makes room for "n" texts in all, so that adding them allocates nothing.
 * NGX_OK or NGX_ERROR: no memory, or no random bytes.
 */
ngx_int_t ngx_ors_names_reserve(ngx_ors_names_t *names, ngx_pool_t *pool,
    ngx_uint_t n);

/*
 * The entry of "text", which is added if it is not there; its bytes are
 * borrowed and must stay where they are.  An entry moves when another text is
 * added.  NULL: no memory, or no random bytes.
 */
ngx_ors_name_t *ngx_ors_names_entry(ngx_ors_names_t *names, ngx_pool_t *pool,
    ngx_str_t *text);

/*
 * Adds "text" as ngx_ors_names_entry() does.
 *
 * NGX_OK         added
 * NGX_DECLINED   it is there already
 * NGX_ERROR      no memory, or no random bytes
 */
ngx_int_t ngx_ors_names_add(ngx_ors_names_t *names, ngx_pool_t *pool,
    ngx_str_t *text);

/* The entry of "text", or NULL if it is not there. */
ngx_ors_name_t *ngx_ors_names_find(ngx_ors_names_t *names, ngx_str_t *text);

/*
 * Comparison of texts.
 */


/* 1 if "a" and "b" have the same bytes; an empty text may have no data. */

static ngx_inline ngx_uint_t
ngx_ors_same(const ngx_str_t *a, const ngx_str_t *b)
{
    return a->len == b->len
           && (a->len == 0 || ngx_memcmp(a->data, b->data, a->len) == 0);
}


/* 1 if "text" is "name", in any case. */

static ngx_inline ngx_uint_t
ngx_ors_same_case(const ngx_str_t *text, const char *name)
{
    return text->len == ngx_strlen(name)
           && ngx_strncasecmp(text->data, (u_char *) name, text->len) == 0;
}


/*
 * 1 if the "len" bytes at "a" and "b" are the same: for texts of a few bytes,
 * 1 at least, where a call of memcmp() takes longer than what it does.
 */

static ngx_inline ngx_uint_t
ngx_ors_same_bytes(const u_char *a, const u_char *b, size_t len)
{
    size_t    i;
    uint32_t  a4[2], b4[2];
    uint64_t  a8, b8;

    if (len >= 8) {

        /* words, the last of which may overlap the one in front of it */

        for (i = 0; i + 8 < len; i += 8) {
            ngx_memcpy(&a8, a + i, 8);
            ngx_memcpy(&b8, b + i, 8);

            if (a8 != b8) {
                return 0;
            }
        }

        ngx_memcpy(&a8, a + len - 8, 8);
        ngx_memcpy(&b8, b + len - 8, 8);

        return a8 == b8;
    }

    if (len >= 4) {
        ngx_memcpy(&a4[0], a, 4);
        ngx_memcpy(&a4[1], a + len - 4, 4);
        ngx_memcpy(&b4[0], b, 4);
        ngx_memcpy(&b4[1], b + len - 4, 4);

        return a4[0] == b4[0] && a4[1] == b4[1];
    }

    return a[0] == b[0] && a[len / 2] == b[len / 2]
           && a[len - 1] == b[len - 1];
}


/* Prepares an empty index; its memory comes from "pool". */
void ngx_ors_index_init(ngx_ors_index_t *index, ngx_pool_t *pool);

/* A new item, zeroed, at the end.  NULL: no memory, index->failed is set. */
ngx_ors_index_item_t *ngx_ors_index_add(ngx_ors_index_t *index);

/* Sets "text" to the bytes of "item", which is one of "index". */
void ngx_ors_index_text(ngx_ors_index_t *index, ngx_ors_index_item_t *item,
    ngx_str_t *text);


#endif /* _NGX_ORS_NAMES_H_INCLUDED_ */
