
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Lists of items: a page is a list as clients know it, and the next page
 * begins where this one ends.
 *
 * Input: the allocation that fails or 0, the query string, a line feed, and
 * the items of turns, a line each.
 */


#include "fuzz_json.h"
#include <ngx_ors_stored.h>
#include <ngx_ors_test_items.h>


#define LISTING_FUZZ_TURNS  8


typedef struct {
    ngx_str_t           args;
    ngx_str_t           turns[LISTING_FUZZ_TURNS];
    ngx_uint_t          nturns;
} listing_fuzz_t;


static ngx_int_t listing_fuzz_page(listing_fuzz_t *f, ngx_ors_listing_t *list,
    ngx_pool_t *pool, ngx_ors_out_t *out);
static void listing_fuzz_error(ngx_ors_error_t *err);
static void listing_fuzz_check(ngx_ors_listing_t *list, ngx_str_t *text,
    ngx_pool_t *pool);
static void listing_fuzz_id(ngx_ors_json_t *json, ngx_ors_json_node_t *item,
    const char *name);


int
LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    ngx_int_t           rc;
    ngx_str_t           text;
    ngx_uint_t          i, failed;
    ngx_pool_t         *pool;
    ngx_ors_out_t       out;
    const uint8_t      *p, *last;
    listing_fuzz_t      f;
    ngx_ors_listing_t   list;

    if (size == 0) {
        return 0;
    }

    p = input + 1;
    last = input + size;

    f.args = fuzz_line(&p, last, LF);
    f.args.data = fuzz_copy(f.args.data, f.args.len);

    for (f.nturns = 0; p < last && f.nturns < LISTING_FUZZ_TURNS; f.nturns++) {
        f.turns[f.nturns] = fuzz_line(&p, last, LF);
        f.turns[f.nturns].data = fuzz_copy(f.turns[f.nturns].data,
                                           f.turns[f.nturns].len);
    }

    if (input[0]) {
        pool = ngx_ors_test_pool();

        ngx_ors_test_fail_after(input[0]);
        rc = listing_fuzz_page(&f, &list, pool, &out);
        failed = ngx_ors_test_failed();
        ngx_ors_test_fail_after(0);

        fuzz_check(rc != NGX_ERROR || failed);
        ngx_destroy_pool(pool);
    }

    pool = ngx_ors_test_pool();

    rc = listing_fuzz_page(&f, &list, pool, &out);

    fuzz_check(rc == NGX_OK || rc == NGX_DECLINED);

    if (rc == NGX_OK) {
        text = fuzz_take(&out, pool);
        listing_fuzz_check(&list, &text, pool);
    }

    ngx_destroy_pool(pool);

    for (i = 0; i < f.nturns; i++) {
        free(f.turns[i].data);
    }

    free(f.args.data);

    return 0;
}


static ngx_int_t
listing_fuzz_page(listing_fuzz_t *f, ngx_ors_listing_t *list,
    ngx_pool_t *pool, ngx_ors_out_t *out)
{
    ngx_int_t        rc;
    ngx_uint_t       i, n;
    ngx_ors_index_t  index;
    ngx_ors_error_t  err;

    static ngx_str_t  owner = ngx_string("resp_0123456789abcdefghijklmn");

    ngx_memzero(&err, sizeof(ngx_ors_error_t));

    rc = ngx_ors_listing_init(list, &f->args, pool, &err);

    if (rc != NGX_OK) {
        listing_fuzz_error((rc == NGX_DECLINED) ? &err : NULL);
        return rc;
    }

    for (i = 0; i < f->nturns && rc == NGX_OK; i++) {
        n = list->ascending ? i : f->nturns - 1 - i;

        ngx_ors_test_items(&index, &f->turns[n], pool);

        rc = ngx_ors_listing_add(list, &index, &owner);
    }

    if (rc != NGX_OK && rc != NGX_DONE) {
        return rc;
    }

    ngx_ors_out_init(out, pool, 64);

    rc = ngx_ors_listing_render(list, out, &err);

    listing_fuzz_error((rc == NGX_DECLINED) ? &err : NULL);

    return rc;
}


static void
listing_fuzz_error(ngx_ors_error_t *err)
{
    fuzz_check(err == NULL
               || (err->status == 400 && err->code.len && err->message.len
                   && err->param.len));
}


static void
listing_fuzz_check(ngx_ors_listing_t *list, ngx_str_t *text, ngx_pool_t *pool)
{
    ngx_uint_t            n;
    ngx_ors_json_t        json;
    ngx_ors_json_node_t  *data, *item, *last;

    fuzz_read(&json, pool, text);

    fuzz_check(ngx_ors_json_is(&json, fuzz_get(&json, json.nodes, "object"),
                               "list"));

    data = fuzz_get(&json, json.nodes, "data");

    fuzz_check(data && data->type == ngx_ors_json_array);
    fuzz_check(data->count <= list->limit);

    last = NULL;
    n = 0;

    for (item = ngx_ors_json_first(&json, data);
         item;
         item = ngx_ors_json_next(&json, item))
    {
        fuzz_check(item->type == ngx_ors_json_object);
        fuzz_check(fuzz_get(&json, item, "id") != NULL);

        if (n++ == 0) {
            listing_fuzz_id(&json, item, "first_id");
        }

        last = item;
    }

    fuzz_check(n == data->count);

    listing_fuzz_id(&json, last, "last_id");
    listing_fuzz_id(&json, n ? ngx_ors_json_first(&json, data) : NULL,
                    "first_id");
}


/* NULL: there is none */

static void
listing_fuzz_id(ngx_ors_json_t *json, ngx_ors_json_node_t *item,
    const char *name)
{
    ngx_str_t             text;
    ngx_ors_json_node_t  *node, *id;

    node = ngx_ors_json_get(json, json->nodes, (u_char *) name, strlen(name));

    fuzz_check(node != NULL);

    if (item == NULL) {
        fuzz_check(node->type == ngx_ors_json_null);
        return;
    }

    id = fuzz_get(json, item, "id");
    ngx_ors_json_raw(json, id, &text);

    fuzz_check(fuzz_same(text.data, text.len, ngx_ors_json_text(json, node),
                         node->len));
}
