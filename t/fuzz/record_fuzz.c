
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Records: what is taken for one lies within its bytes and is the only
 * reading of them.  Whatever its table says, the ids of its items are read,
 * and a list of them is legal JSON.
 */


#include "fuzz_json.h"
#include <ngx_ors_stored.h>
#include <ngx_ors_record.h>


static void record_fuzz_items(ngx_ors_record_t *rec, ngx_uint_t part);
static void record_fuzz_list(ngx_ors_index_t *index, ngx_pool_t *pool);
static void record_fuzz_inherit(ngx_ors_record_t *rec);


int
LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    u_char            *copy, *p;
    ngx_int_t          rc;
    ngx_str_t          value;
    ngx_ors_record_t   rec;

    value.len = size;
    value.data = fuzz_copy(input, size);

    ngx_memzero(&rec, sizeof(ngx_ors_record_t));

    rc = ngx_ors_record_read(&rec, &value);

    fuzz_check(rc == NGX_OK || rc == NGX_DECLINED);

    if (rc == NGX_OK) {
        fuzz_check(ngx_ors_record_size(&rec) == size);
        fuzz_check(rec.output + rec.output_len <= rec.response.len);

        copy = malloc(size);

        p = ngx_ors_record_head(&rec, copy);

        fuzz_check(rec.table + (rec.ninput + rec.noutput)
                               * NGX_ORS_RECORD_ITEM
                   == rec.input.data);
        fuzz_check(rec.input.data == value.data + (p - copy));
        p = ngx_cpymem(p, rec.input.data, rec.input.len);

        fuzz_check(rec.response.data == value.data + (p - copy));
        p = ngx_cpymem(p, rec.response.data, rec.response.len);

        fuzz_check(fuzz_same(copy, p - copy, value.data, value.len));

        record_fuzz_items(&rec, NGX_ORS_STORE_INPUT);
        record_fuzz_items(&rec, NGX_ORS_STORE_OUTPUT);

        record_fuzz_inherit(&rec);

        free(copy);
    }

    free(value.data);

    return 0;
}


/* each is in its list, after the one in front of it, and has its id */

static void
record_fuzz_items(ngx_ors_record_t *rec, ngx_uint_t part)
{
    size_t                 pos;
    ngx_int_t              rc;
    ngx_str_t              id;
    ngx_uint_t             i;
    ngx_pool_t            *pool;
    ngx_ors_json_t         json;
    ngx_ors_index_t        index;
    ngx_ors_index_item_t  *item;

    pool = ngx_ors_test_pool();
    ngx_ors_json_init(&json, pool, 1, 1);

    fuzz_check(ngx_ors_record_items(rec, part, pool, &index) == NGX_OK);

    for (i = 0, pos = 0; i < index.n; i++) {
        item = &index.items[i];

        fuzz_check(item->pos > pos);
        fuzz_check(item->pos < index.text.len
                   && item->len < index.text.len - item->pos);
        fuzz_check(item->id < item->len
                   && item->id_len < item->len - item->id);

        pos = (size_t) item->pos + item->len;

        if (item->id_len) {
            rc = ngx_ors_stored_id(&index, item, &json, &id);

            fuzz_check(rc == NGX_OK || rc == NGX_DECLINED);
            fuzz_check(rc == NGX_DECLINED || id.len <= item->id_len);
        }
    }

    record_fuzz_list(&index, pool);

    ngx_destroy_pool(pool);
}


static void
record_fuzz_list(ngx_ors_index_t *index, ngx_pool_t *pool)
{
    ngx_int_t           rc;
    ngx_str_t           text;
    ngx_ors_out_t       out;
    ngx_ors_json_t      json;
    ngx_ors_error_t     err;
    ngx_ors_listing_t   list;

    static ngx_str_t  none = ngx_null_string;
    static ngx_str_t  owner = ngx_string("resp_0123456789abcdefghijklmn");

    ngx_memzero(&err, sizeof(ngx_ors_error_t));
    ngx_ors_out_init(&out, pool, 64);

    fuzz_check(ngx_ors_listing_init(&list, &none, pool, &err) == NGX_OK);

    rc = ngx_ors_listing_add(&list, index, &owner);

    if (rc == NGX_OK || rc == NGX_DONE) {
        rc = ngx_ors_listing_render(&list, &out, &err);
    }

    if (rc == NGX_OK) {
        text = fuzz_take(&out, pool);
        fuzz_read(&json, pool, &text);
    }
}


static void
record_fuzz_inherit(ngx_ors_record_t *rec)
{
    u_char      *names, name[NGX_ORS_STORE_KEY];
    ngx_uint_t   n;

    ngx_memset(name, 'n', NGX_ORS_STORE_KEY);

    names = malloc(NGX_ORS_RECORD_ANCESTORS * NGX_ORS_STORE_KEY);

    n = ngx_ors_record_inherit(rec, name, names);

    fuzz_check(n >= 1 && n <= NGX_ORS_RECORD_ANCESTORS
               && n <= rec->nancestors + 1);
    fuzz_check(memcmp(names, name, NGX_ORS_STORE_KEY) == 0);
    fuzz_check(n == 1 || memcmp(names + NGX_ORS_STORE_KEY, rec->ancestors,
                                (n - 1) * NGX_ORS_STORE_KEY) == 0);

    free(names);
}
