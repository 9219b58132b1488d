
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Stored responses that are ended: the document stays one, with its id, and
 * with the new status.  Input: flags, the allocation that fails, the text.
 */


#include "fuzz_json.h"
#include <ngx_ors_stored.h>


#define SNAPSHOT_FUZZ_FAILED     0x01      /* else cancelled */
#define SNAPSHOT_FUZZ_NO_MEMORY  0x02


static void snapshot_fuzz(ngx_str_t *text, ngx_uint_t flags, ngx_uint_t fail);
static ngx_uint_t snapshot_fuzz_ids(ngx_ors_json_t *json);
static void snapshot_fuzz_ended(ngx_ors_snapshot_t *snap, ngx_str_t *text,
    ngx_uint_t failed);


int
LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    ngx_str_t  text;

    if (size < 2) {
        return 0;
    }

    text.len = size - 2;
    text.data = fuzz_copy(input + 2, text.len);

    if (input[0] & SNAPSHOT_FUZZ_NO_MEMORY) {
        snapshot_fuzz(&text, input[0], input[1] % 32 + 1);
    }

    snapshot_fuzz(&text, input[0], 0);

    free(text.data);

    return 0;
}


static void
snapshot_fuzz(ngx_str_t *text, ngx_uint_t flags, ngx_uint_t fail)
{
    ngx_int_t            rc, found;
    ngx_str_t            id, ended;
    ngx_uint_t           no_memory;
    ngx_pool_t          *pool;
    ngx_ors_out_t        out;
    ngx_ors_error_t      err;
    ngx_ors_snapshot_t   snap;

    pool = ngx_ors_test_pool();

    ngx_memzero(&err, sizeof(ngx_ors_error_t));
    ngx_str_set(&err.code, "server_error");
    ngx_str_set(&err.message, "a \"message\"\n\xc3\xa9");

    ngx_ors_out_init(&out, pool, 64);

    ngx_ors_test_fail_after(fail);

    found = ngx_ors_snapshot_id(text, pool, &id);
    rc = ngx_ors_snapshot_read(&snap, text, pool);

    if (rc == NGX_OK) {
        rc = ngx_ors_snapshot_end(&snap, (flags & SNAPSHOT_FUZZ_FAILED)
                                         ? &err : NULL, &out);
    }

    no_memory = ngx_ors_test_failed();
    ngx_ors_test_fail_after(0);

    if (!no_memory) {
        fuzz_check(rc == NGX_OK || rc == NGX_DECLINED);

        /* the beginning alone may be that of a response */

        fuzz_check(rc == NGX_DECLINED || found == NGX_OK);

    } else {
        rc = NGX_ERROR;
    }

    if (rc == NGX_OK) {

        /* of two ids the first is found without reading on */

        fuzz_check(fuzz_same(id.data, id.len, snap.id.data, snap.id.len)
                   || snapshot_fuzz_ids(&snap.json) > 1);

        ended = fuzz_take(&out, pool);
        snapshot_fuzz_ended(&snap, &ended, flags & SNAPSHOT_FUZZ_FAILED);
    }

    ngx_destroy_pool(pool);
}


static ngx_uint_t
snapshot_fuzz_ids(ngx_ors_json_t *json)
{
    ngx_uint_t            n;
    ngx_ors_json_node_t  *key;

    n = 0;

    for (key = ngx_ors_json_first(json, json->nodes);
         key;
         key = ngx_ors_json_next(json, key))
    {
        n += ngx_ors_json_is(json, key, "id");
    }

    return n;
}


static void
snapshot_fuzz_ended(ngx_ors_snapshot_t *snap, ngx_str_t *text,
    ngx_uint_t failed)
{
    ngx_ors_json_t       *json;
    ngx_ors_snapshot_t    ended;
    ngx_ors_json_node_t  *node;

    fuzz_check(ngx_ors_snapshot_read(&ended, text, snap->json.pool)
               == NGX_OK);

    json = &ended.json;

    fuzz_check(json->nodes->count == snap->json.nodes->count);
    fuzz_check(fuzz_same(ended.id.data, ended.id.len, snap->id.data,
                         snap->id.len));
    fuzz_check(ended.background == snap->background);

    node = fuzz_get(json, json->nodes, "status");
    fuzz_check(node == NULL
               || (failed ? ngx_ors_json_is(json, node, "failed")
                          : ngx_ors_json_is(json, node, "cancelled")));

    node = fuzz_get(json, json->nodes, "error");
    fuzz_check(node == NULL || !failed
               || (node->type == ngx_ors_json_object
                   && ngx_ors_json_is(json, fuzz_get(json, node, "code"),
                                      "server_error")));
}
