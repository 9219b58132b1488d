
/*
 * Copyright (C) Open Responses contributors
 *
 * Limits of the JSON reader: depth, nodes, memory, size.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_json.h>

#include <stdlib.h>


static void json_test_depth(ngx_pool_t *pool);
static void json_test_nodes(ngx_pool_t *pool);
static void json_test_memory(ngx_pool_t *pool);
static void json_test_trim(ngx_pool_t *pool);
static void json_test_size(ngx_pool_t *pool);


int
main(void)
{
    ngx_pool_t  *pool;

    pool = ngx_ors_test_pool();

    json_test_depth(pool);
    json_test_nodes(pool);
    json_test_memory(pool);
    json_test_trim(pool);
    json_test_size(pool);

    ngx_destroy_pool(pool);

    return done_testing();
}


static void
json_test_depth(ngx_pool_t *pool)
{
    u_char          *text;
    ngx_uint_t       depth, n;
    ngx_ors_json_t   json;

    text = malloc(3000);

    for (n = 0; n < 3; n++) {
        depth = (n == 0) ? 1 : (n == 1) ? 100 : 5000;

        ngx_ors_json_init(&json, pool, depth, 100000);
        depth = ngx_min(depth, NGX_ORS_JSON_MAX_DEPTH);

        ngx_memset(text, '[', 1500);
        ngx_memset(text + depth, ']', 1500);

        is_int(ngx_ors_json_read(&json, text, 2 * depth), NGX_OK,
               "%d levels", (int) depth);
        is_int(json.nodes[depth - 1].count, 0, "innermost");
        is_int(json.nodes[0].len, 2 * depth, "outermost");

        text[depth] = '[';

        is_int(ngx_ors_json_read(&json, text, 2 * depth + 2), NGX_DECLINED,
               "one more");
        is_int(json.error, ngx_ors_json_err_depth, "error");
        is_int(json.offset, depth, "offset");
        is_int(json.n, 0, "no nodes");
    }

    ngx_ors_json_init(&json, pool, 0, 10);

    is_int(ngx_ors_json_read(&json, (u_char *) "12", 2), NGX_OK,
           "no levels, a number");
    is_int(ngx_ors_json_read(&json, (u_char *) "[]", 2), NGX_DECLINED,
           "no levels, an array");

    free(text);
}


static void
json_test_nodes(ngx_pool_t *pool)
{
    u_char          *p, text[4096];
    ngx_uint_t       n;
    ngx_ors_json_t   json;

    for (n = 1; n < 100; n++) {
        p = text;
        *p++ = '[';

        while (p < text + 2 * n - 1) {
            *p++ = '1';
            *p++ = ',';
        }

        p[-(n > 1)] = ']';
        p += (n == 1);

        ngx_ors_json_init(&json, pool, 1, n);

        if (ngx_ors_json_read(&json, text, p - text) != NGX_OK
            || json.n != n || json.nalloc != ngx_min(n, json.nalloc))
        {
            break;
        }

        ngx_ors_json_init(&json, pool, 1, n - 1);

        if (ngx_ors_json_read(&json, text, p - text) != NGX_DECLINED
            || json.error != ngx_ors_json_err_nodes
            || json.offset != (n == 1 ? 0 : 2 * n - 3) || json.n != 0)
        {
            break;
        }
    }

    is_int(n, 100, "nodes at the limit and one over");

    ngx_ors_json_init(&json, pool, 1, 3);

    is_int(ngx_ors_json_read(&json, (u_char *) "{\"a\":1}", 7), NGX_OK,
           "key and value are two nodes");
    is_int(ngx_ors_json_read(&json, (u_char *) "{\"a\":1,\"b\":2}", 13),
           NGX_DECLINED, "a key over the limit");
    is_int(json.error, ngx_ors_json_err_nodes, "error");
    is_int(json.offset, 7, "offset");

    json.max_nodes = 4;

    is_int(ngx_ors_json_read(&json, (u_char *) "{\"a\":1,\"b\":2}", 13),
           NGX_DECLINED, "a value over the limit");
    is_int(json.offset, 11, "offset");

    json.max_nodes = 2;

    is_int(ngx_ors_json_read(&json, (u_char *) "{\"a\":1}", 7), NGX_DECLINED,
           "a limit below what is allocated");
    is_int(json.offset, 5, "offset");
}


static void
json_test_memory(ngx_pool_t *pool)
{
    u_char          *text;
    size_t           len;
    ngx_int_t        rc;
    ngx_uint_t       n, allocs;
    ngx_ors_json_t   json;

    len = 100001;

    text = malloc(len);
    ngx_memset(text, '[', len);

    for (n = 1; n < len - 1; n += 2) {
        text[n] = '0';
        text[n + 1] = ',';
    }

    text[len - 1] = ']';

    for (n = 1; /* void */ ; n++) {
        ngx_ors_json_init(&json, pool, 1, 1000000);

        ngx_ors_test_fail_after(n);
        rc = ngx_ors_json_read(&json, text, len);
        ngx_ors_test_fail_after(0);

        if (rc == NGX_OK) {
            break;
        }

        is_int(rc, NGX_ERROR, "allocation %d fails", (int) n);
        is_int(json.error, ngx_ors_json_err_memory, "error");
        is_int(json.n, 0, "no nodes");
        ok(json.offset < len, "offset");

        is_int(ngx_ors_json_read(&json, text, len), NGX_OK, "read again");
        is_int(json.n, 50001, "nodes");
    }

    is_int(n, 3, "two allocations: the second one foresees the rest");

    allocs = ngx_ors_test_allocs();

    is_int(ngx_ors_json_read(&json, text, len), NGX_OK, "read again");
    is_int(json.n, 50001, "nodes");
    is_int(ngx_ors_test_allocs(), allocs, "nodes are reused");

    ngx_ors_json_init(&json, pool, 1, 1000000);

    is_int(ngx_ors_json_read(&json, text, 300), NGX_DECLINED, "a cut text");
    ok(json.nalloc > 150 && json.nalloc < 165, "a short text, few nodes");

    /* a text that begins with many values may go on with one */

    ngx_memset(text + 8001, ' ', len - 8003);
    text[len - 2] = '0';

    ngx_ors_json_init(&json, pool, 1, 1000000);

    is_int(ngx_ors_json_read(&json, text, len), NGX_OK, "dense, then sparse");
    is_int(json.n, 4002, "nodes");
    ok(json.nalloc < 60000, "not more than it could have been");

    /* or the other way round */

    for (n = len / 2 + 1; n < len - 1; n += 2) {
        text[n] = '0';
        text[n + 1] = ',';
    }

    ngx_memset(text + 1, ' ', len / 2);
    text[len - 1] = ']';

    ngx_ors_json_init(&json, pool, 1, 1000000);

    is_int(ngx_ors_json_read(&json, text, len), NGX_OK, "sparse, then dense");
    is_int(json.n, 25001, "nodes");

    ngx_ors_json_init(&json, pool, 1, 1000000);

    is_int(ngx_ors_json_read(&json, (u_char *) "1", 1), NGX_OK, "number");
    is_int(json.nalloc, 16, "the least");

    free(text);
}


/* the pool of tests has no blocks, so this one says where its block ends */

static void
json_test_trim(ngx_pool_t *pool)
{
    u_char          *last;
    ngx_pool_t       other;
    ngx_ors_json_t   json;

    ngx_ors_json_init(&json, pool, 1, 1000);

    is_int(ngx_ors_json_read(&json, (u_char *) "[1,2]", 5), NGX_OK, "read");
    is_int(json.nalloc, 16, "more nodes than it needs");

    ngx_ors_json_trim(&json);
    is_int(json.nalloc, 16, "a pool that has allocated more gets none back");

    last = (u_char *) (json.nodes + 16);

    ngx_memzero(&other, sizeof(ngx_pool_t));
    other.d.last = last;
    pool->d.next = &other;

    ngx_ors_json_trim(&json);

    pool->d.next = NULL;

    is_int(json.nalloc, 3, "those that were needed stay");
    ok(other.d.last == (u_char *) (json.nodes + 3), "the pool has the others");

    is_int(ngx_ors_json_read(&json, (u_char *) "[1,2,3]", 7), NGX_OK, "grows");
    is_int(json.n, 4, "nodes");
}


static void
json_test_size(ngx_pool_t *pool)
{
    ngx_ors_json_t   json;

#if (NGX_PTR_SIZE == 8)

    ngx_ors_json_init(&json, pool, 1, 16);

    /* refused before the first byte is read */

    is_int(ngx_ors_json_read(&json, (u_char *) "", 0x100000000),
           NGX_DECLINED, "4 GB");
    is_int(json.error, ngx_ors_json_err_size, "error");
    is_int(json.offset, 0xffffffff, "offset");

#endif
}
