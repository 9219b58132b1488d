
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The bytes of a record: written, read, and checked against its own lengths.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_record.h>


/*
 * The head, numbers with the least byte first, for stores that are shared by
 * machines:
 *
 *      0  "ORS" and the version
 *      4  status
 *      5  number of ancestors, 0, 0
 *      8  created, 8 bytes
 *     16  depth
 *     20  length of the input
 *     24  length of the response
 *     28  offset and
 *     32  length of the output in it
 *     36  number of items of the input and
 *     40  of the output
 *     44  length of the journal
 *     48  ancestors, then the table, then the input, the response, the journal
 *
 * An item of the table:
 *
 *      0  offset in its list
 *      4  length
 *      8  offset of its id in it and
 *     12  length of that, 0: it has none
 *     16  flags
 */

#define NGX_ORS_RECORD_HEAD     48
#define NGX_ORS_RECORD_MAGIC    "ORS\6"


/* four bytes, one load or store of compilers where the order permits it */

#define ngx_ors_record_word(p)                                                \
    ((uint32_t) (p)[0] | (uint32_t) (p)[1] << 8 | (uint32_t) (p)[2] << 16     \
     | (uint32_t) (p)[3] << 24)

#define ngx_ors_record_put(p, n)                                              \
    (p)[0] = (u_char) (n);                                                    \
    (p)[1] = (u_char) ((n) >> 8);                                             \
    (p)[2] = (u_char) ((n) >> 16);                                            \
    (p)[3] = (u_char) ((n) >> 24)

/* the turn that has "n" ancestors */
#define ngx_ors_chain_entry(chain, n)  (&(chain)->entries[(n) - (chain)->floor])


static ngx_int_t ngx_ors_record_check_items(u_char *p, ngx_uint_t n,
    size_t len);
static void ngx_ors_record_item(u_char *p, ngx_ors_index_item_t *item);
static void ngx_ors_record_reduce(ngx_ors_record_t *rec, ngx_uint_t parts);
static u_char *ngx_ors_record_bytes(u_char *p, u_char *data, size_t len);
static ngx_ors_store_status_e ngx_ors_chain_last(ngx_ors_chain_t *chain);
static ngx_ors_store_status_e ngx_ors_chain_record(
    ngx_ors_store_entry_t *entry, ngx_ors_record_t *rec);
static ngx_ors_store_status_e ngx_ors_chain_ancestors(ngx_ors_chain_t *chain,
    ngx_ors_record_t *rec);
static ngx_ors_store_status_e ngx_ors_chain_complete(ngx_ors_chain_t *chain);


size_t
ngx_ors_record_size(ngx_ors_record_t *rec)
{
    return NGX_ORS_RECORD_HEAD + rec->nancestors * NGX_ORS_STORE_KEY
           + (rec->ninput + rec->noutput) * NGX_ORS_RECORD_ITEM
           + rec->input.len + rec->response.len + rec->journal.len;
}


u_char *
ngx_ors_record_head(ngx_ors_record_t *rec, u_char *p)
{
    ngx_memcpy(p, NGX_ORS_RECORD_MAGIC, 4);

    ngx_ors_record_put(p + 4, rec->status | rec->nancestors << 8);
    ngx_ors_record_put(p + 8, (uint64_t) rec->created);
    ngx_ors_record_put(p + 12, (uint64_t) rec->created >> 32);
    ngx_ors_record_put(p + 16, rec->depth);
    ngx_ors_record_put(p + 20, rec->input.len);
    ngx_ors_record_put(p + 24, rec->response.len);
    ngx_ors_record_put(p + 28, rec->output);
    ngx_ors_record_put(p + 32, rec->output_len);
    ngx_ors_record_put(p + 36, rec->ninput);
    ngx_ors_record_put(p + 40, rec->noutput);
    ngx_ors_record_put(p + 44, rec->journal.len);

    p += NGX_ORS_RECORD_HEAD;

    p = ngx_ors_record_bytes(p, rec->ancestors,
                             rec->nancestors * NGX_ORS_STORE_KEY);

    return ngx_ors_record_bytes(p, rec->table, (rec->ninput + rec->noutput)
                                               * NGX_ORS_RECORD_ITEM);
}


u_char *
ngx_ors_record_table(ngx_ors_index_t *index, u_char *p)
{
    ngx_uint_t             i;
    ngx_ors_index_item_t  *item;

    for (i = 0; i < index->n; i++) {
        item = &index->items[i];

        ngx_ors_record_put(p, item->pos);
        ngx_ors_record_put(p + 4, item->len);
        ngx_ors_record_put(p + 8, item->id);
        ngx_ors_record_put(p + 12, item->id_len);
        ngx_ors_record_put(p + 16, item->flags);

        p += NGX_ORS_RECORD_ITEM;
    }

    return p;
}


ngx_int_t
ngx_ors_record_read(ngx_ors_record_t *rec, ngx_str_t *value)
{
    u_char    *p;
    uint64_t   len;

    p = value->data;

    if (value->len < NGX_ORS_RECORD_HEAD
        || ngx_memcmp(p, NGX_ORS_RECORD_MAGIC, 4) != 0)
    {
        return NGX_DECLINED;
    }

    rec->status = p[4];
    rec->nancestors = ngx_ors_record_word(p + 4) >> 8;
    rec->created = (uint64_t) ngx_ors_record_word(p + 12) << 32
                   | ngx_ors_record_word(p + 8);
    rec->depth = ngx_ors_record_word(p + 16);
    rec->input.len = ngx_ors_record_word(p + 20);
    rec->response.len = ngx_ors_record_word(p + 24);
    rec->output = ngx_ors_record_word(p + 28);
    rec->output_len = ngx_ors_record_word(p + 32);
    rec->ninput = ngx_ors_record_word(p + 36);
    rec->noutput = ngx_ors_record_word(p + 40);
    rec->journal.len = ngx_ors_record_word(p + 44);

    len = (uint64_t) rec->nancestors * NGX_ORS_STORE_KEY
          + ((uint64_t) rec->ninput + rec->noutput) * NGX_ORS_RECORD_ITEM
          + rec->input.len + rec->response.len + rec->journal.len;

    if (rec->status > ngx_ors_record_in_progress
        || rec->nancestors > NGX_ORS_RECORD_ANCESTORS
        || rec->nancestors > rec->depth
        || len != value->len - NGX_ORS_RECORD_HEAD
        || (uint64_t) rec->output + rec->output_len > rec->response.len)
    {
        return NGX_DECLINED;
    }

    rec->ancestors = p + NGX_ORS_RECORD_HEAD;
    rec->table = rec->ancestors + rec->nancestors * NGX_ORS_STORE_KEY;
    rec->input.data = rec->table + (rec->ninput + rec->noutput)
                                   * NGX_ORS_RECORD_ITEM;
    rec->response.data = rec->input.data + rec->input.len;
    rec->journal.data = rec->response.data + rec->response.len;

    if (ngx_ors_record_check_items(rec->table, rec->ninput, rec->input.len)
        != NGX_OK)
    {
        return NGX_DECLINED;
    }

    return ngx_ors_record_check_items(rec->table
                                      + rec->ninput * NGX_ORS_RECORD_ITEM,
                                      rec->noutput, rec->output_len);
}


/*
 * a list of "len" bytes has brackets, and a comma between items; an id has a
 * byte on either side for its quotes
 */

static ngx_int_t
ngx_ors_record_check_items(u_char *p, ngx_uint_t n, size_t len)
{
    uint64_t              pos;
    ngx_uint_t            i;
    ngx_ors_index_item_t  item;

    pos = 1;

    for (i = 0; i < n; i++) {
        ngx_ors_record_item(p, &item);

        if (item.pos < pos || item.len == 0
            || (uint64_t) item.pos + item.len >= len
            || (uint64_t) item.id + item.id_len >= item.len
            || (item.id == 0 && item.id_len)
            || item.flags > NGX_ORS_INDEX_FLAGS)
        {
            return NGX_DECLINED;
        }

        pos = (uint64_t) item.pos + item.len + 1;
        p += NGX_ORS_RECORD_ITEM;
    }

    return NGX_OK;
}


static void
ngx_ors_record_item(u_char *p, ngx_ors_index_item_t *item)
{
    item->pos = ngx_ors_record_word(p);
    item->len = ngx_ors_record_word(p + 4);
    item->id = ngx_ors_record_word(p + 8);
    item->id_len = ngx_ors_record_word(p + 12);
    item->flags = ngx_ors_record_word(p + 16);
}


ngx_int_t
ngx_ors_record_items(ngx_ors_record_t *rec, ngx_uint_t part,
    ngx_pool_t *pool, ngx_ors_index_t *index)
{
    u_char      *p;
    ngx_uint_t   i;

    ngx_ors_index_init(index, pool);

    p = rec->table;

    if (part == NGX_ORS_STORE_INPUT) {
        index->text = rec->input;
        index->n = rec->ninput;

    } else {
        index->text.data = rec->response.data + rec->output;
        index->text.len = rec->output_len;
        index->n = rec->noutput;
        p += rec->ninput * NGX_ORS_RECORD_ITEM;
    }

    if (index->n == 0) {
        return NGX_OK;
    }

    index->items = ngx_palloc(pool, index->n * sizeof(ngx_ors_index_item_t));
    if (index->items == NULL) {
        return NGX_ERROR;
    }

    index->nalloc = index->n;

    for (i = 0; i < index->n; i++) {
        ngx_ors_record_item(p, &index->items[i]);
        p += NGX_ORS_RECORD_ITEM;
    }

    return NGX_OK;
}


ngx_int_t
ngx_ors_record_copy(ngx_str_t *value, ngx_uint_t parts, size_t *left,
    ngx_pool_t *pool, ngx_str_t *copy)
{
    size_t             size, len;
    u_char            *p;
    ngx_ors_record_t   rec;

    size = value->len;
    len = value->len;

    /* a value that is no record has no parts: it is copied whole */

    if (parts && ngx_ors_record_read(&rec, value) != NGX_OK) {
        parts = 0;
    }

    if (parts) {
        ngx_ors_record_reduce(&rec, parts);

        size = rec.input.len + rec.response.len;
        len = ngx_ors_record_size(&rec);
    }

    if (size > *left) {
        return NGX_DECLINED;
    }

    /* NULL would say that nothing is there */

    copy->data = ngx_pnalloc(pool, len + 1);
    if (copy->data == NULL) {
        return NGX_ERROR;
    }

    copy->len = len;
    *left -= size;

    if (parts) {
        p = ngx_ors_record_head(&rec, copy->data);
        p = ngx_ors_record_bytes(p, rec.input.data, rec.input.len);
        p = ngx_ors_record_bytes(p, rec.response.data, rec.response.len);

    } else {
        p = ngx_ors_record_bytes(copy->data, value->data, value->len);
    }

    *p = '\0';

    return NGX_OK;
}


static void
ngx_ors_record_reduce(ngx_ors_record_t *rec, ngx_uint_t parts)
{
    if (!(parts & NGX_ORS_STORE_INPUT)) {
        rec->input.len = 0;
        rec->table += rec->ninput * NGX_ORS_RECORD_ITEM;
        rec->ninput = 0;
    }

    if (!(parts & NGX_ORS_STORE_OUTPUT)) {
        rec->output_len = 0;
        rec->noutput = 0;
    }

    rec->response.data += rec->output;
    rec->response.len = rec->output_len;
    rec->output = 0;
    rec->journal.len = 0;
}


static u_char *
ngx_ors_record_bytes(u_char *p, u_char *data, size_t len)
{
    return len ? ngx_cpymem(p, data, len) : p;
}


ngx_ors_store_status_e
ngx_ors_record_status(ngx_str_t *value)
{
    size_t  len;

    /* the version is the last byte of the magic */

    len = sizeof(NGX_ORS_RECORD_MAGIC) - 2;

    if (value->len > len
        && ngx_memcmp(value->data, NGX_ORS_RECORD_MAGIC, len) == 0
        && value->data[len] != NGX_ORS_RECORD_MAGIC[len])
    {
        return ngx_ors_store_version;
    }

    return ngx_ors_store_corrupt;
}


ngx_uint_t
ngx_ors_record_is(u_char *value, size_t len)
{
    return len >= NGX_ORS_RECORD_HEAD
           && ngx_memcmp(value, NGX_ORS_RECORD_MAGIC, 4) == 0;
}


ngx_uint_t
ngx_ors_record_inherit(ngx_ors_record_t *rec, u_char *name, u_char *names)
{
    ngx_uint_t  n;

    n = ngx_min(rec->nancestors, NGX_ORS_RECORD_ANCESTORS - 1);

    ngx_memcpy(names, name, NGX_ORS_STORE_KEY);

    if (n) {
        ngx_memcpy(names + NGX_ORS_STORE_KEY, rec->ancestors,
                   n * NGX_ORS_STORE_KEY);
    }

    return n + 1;
}


/* Walks from a turn to its oldest ancestor: each record names the nearest. */


ngx_ors_store_status_e
ngx_ors_chain_next(ngx_ors_chain_t *chain, ngx_uint_t full)
{
    ngx_uint_t               n;
    ngx_ors_record_t         rec;
    ngx_ors_store_entry_t   *entry;
    ngx_ors_store_status_e   status;

    if (chain->entries == NULL) {
        return ngx_ors_chain_last(chain);
    }

    ngx_memzero(&rec, sizeof(ngx_ors_record_t));

    for (n = chain->n; n; n--) {
        entry = &chain->batch[n - 1];

        if (full && entry->value.data == NULL) {
            return ngx_ors_chain_complete(chain);
        }

        status = ngx_ors_chain_record(entry, &rec);
        if (status != ngx_ors_store_ok) {
            return status;
        }

        chain->known--;
    }

    return ngx_ors_chain_ancestors(chain, &rec);
}


/* the last turn says how many ancestors it has */

static ngx_ors_store_status_e
ngx_ors_chain_last(ngx_ors_chain_t *chain)
{
    ngx_ors_record_t         rec;
    ngx_ors_store_job_t     *job;
    ngx_ors_store_status_e   status;

    job = chain->job;

    status = ngx_ors_chain_record(job->entries, &rec);
    if (status != ngx_ors_store_ok) {
        return status;
    }

    if (rec.depth >= job->max_turns) {

        if (!job->newest) {
            return ngx_ors_store_limit;
        }

        chain->floor = rec.depth - job->max_turns + 1;
    }

    chain->depth = rec.depth;
    chain->known = rec.depth;

    chain->entries = ngx_pcalloc(job->pool, (chain->depth - chain->floor + 1)
                                            * sizeof(ngx_ors_store_entry_t));
    if (chain->entries == NULL) {
        return ngx_ors_store_unavailable;
    }

    *ngx_ors_chain_entry(chain, chain->depth) = job->entries[0];

    return ngx_ors_chain_ancestors(chain, &rec);
}


static ngx_ors_store_status_e
ngx_ors_chain_record(ngx_ors_store_entry_t *entry, ngx_ors_record_t *rec)
{
    ngx_memzero(rec, sizeof(ngx_ors_record_t));

    if (entry->value.data == NULL) {
        return ngx_ors_store_absent;
    }

    return (ngx_ors_record_read(rec, &entry->value) == NGX_OK)
           ? ngx_ors_store_ok : ngx_ors_record_status(&entry->value);
}


/* "rec" is the oldest one that was read: those that it names come next */

static ngx_ors_store_status_e
ngx_ors_chain_ancestors(ngx_ors_chain_t *chain, ngx_ors_record_t *rec)
{
    u_char                 *name;
    ngx_uint_t              i, n;
    ngx_ors_store_entry_t  *entry;

    if (chain->known == chain->floor) {
        return ngx_ors_chain_complete(chain);
    }

    n = ngx_min(rec->nancestors, chain->known - chain->floor);

    if (n == 0) {
        return ngx_ors_store_corrupt;
    }

    chain->batch = ngx_ors_chain_entry(chain, chain->known - n);
    chain->n = n;

    name = rec->ancestors;

    for (i = n; i; i--) {
        entry = &chain->batch[i - 1];

        entry->parts = chain->job->entries[0].parts;
        entry->key = chain->job->entries[0].key;
        ngx_memcpy(entry->key.name, name, NGX_ORS_STORE_KEY);

        name += NGX_ORS_STORE_KEY;
    }

    return ngx_ors_store_ok;
}


static ngx_ors_store_status_e
ngx_ors_chain_complete(ngx_ors_chain_t *chain)
{
    chain->n = 0;
    chain->first = ngx_ors_chain_entry(chain, chain->known);
    chain->count = chain->depth - chain->known + 1;

    return ngx_ors_store_ok;
}
