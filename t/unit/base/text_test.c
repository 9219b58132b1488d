
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Texts that grow, compared with a plain copy.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_text.h>


#define SIZE  300000


static void test_empty(void);
static void test_random(ngx_uint_t max);
static void test_put(void);
static void test_blocks(void);
static void test_no_memory(void);


static u_char  source[SIZE], copy[SIZE];


int
main(void)
{
    ngx_uint_t  i;

    for (i = 0; i < SIZE; i++) {
        source[i] = (u_char) ngx_ors_test_random(256);
    }

    test_empty();
    test_random(1);
    test_random(10);
    test_random(1000);
    test_random(100000);
    test_put();
    test_blocks();
    test_no_memory();

    return done_testing();
}


static void
test_empty(void)
{
    ngx_pool_t      *pool;
    ngx_chain_t     *cl;
    ngx_uint_t       n;
    ngx_ors_out_t    out;
    ngx_ors_text_t   text;

    pool = ngx_ors_test_pool();
    ngx_memzero(&text, sizeof(ngx_ors_text_t));
    ngx_ors_out_init(&out, pool, 4096);

    n = ngx_ors_test_allocs();

    is_int(ngx_ors_text_append(&text, pool, NULL, 0), NGX_OK, "no bytes");
    is_int(text.len, 0, "length");
    is_int(ngx_ors_text_copy(copy, &text) - copy, 0, "copy");

    ngx_ors_text_put(&out, &text);
    is_int(ngx_ors_out_take(&out, &cl), NGX_OK, "put");
    ok(cl == NULL, "nothing");

    is_int(ngx_ors_test_allocs() - n, 0, "no allocation");

    ngx_destroy_pool(pool);
}


static void
test_random(ngx_uint_t max)
{
    size_t           len, n;
    ngx_pool_t      *pool;
    ngx_uint_t       allocs;
    ngx_ors_text_t   text;

    pool = ngx_ors_test_pool();
    ngx_memzero(&text, sizeof(ngx_ors_text_t));

    allocs = ngx_ors_test_allocs();

    for (len = 0; len < SIZE; len += n) {
        n = ngx_ors_test_random(max + 1);

        if (n > SIZE - len) {
            n = SIZE - len;
        }

        if (ngx_ors_text_append(&text, pool, source + len, n) != NGX_OK) {
            fail("append");
        }
    }

    is_int(text.len, SIZE, "up to %d: length", (int) max);

    ngx_memzero(copy, SIZE);
    is_int(ngx_ors_text_copy(copy, &text) - copy, SIZE, "up to %d: end",
           (int) max);
    ok(memcmp(copy, source, SIZE) == 0, "up to %d: text", (int) max);

    allocs = ngx_ors_test_allocs() - allocs;
    ok(allocs <= 30, "up to %d: %d allocations", (int) max, (int) allocs);

    ngx_destroy_pool(pool);
}


/* earlier bytes stay as they were while the text goes on to grow */

static void
test_put(void)
{
    size_t           len;
    u_char          *p;
    ngx_pool_t      *pool;
    ngx_uint_t       bad;
    ngx_chain_t     *cl, *ln;
    ngx_ors_out_t    out;
    ngx_ors_text_t   text;

    pool = ngx_ors_test_pool();
    ngx_memzero(&text, sizeof(ngx_ors_text_t));
    ngx_ors_out_init(&out, pool, 64);

    bad = 0;

    for (len = 0; len < 20000; len += 97) {
        ngx_ors_text_append(&text, pool, source + len, 97);
        ngx_ors_text_put(&out, &text);
        ngx_ors_out_take(&out, &cl);

        ngx_ors_text_append(&text, pool, source + len + 97, 97);
        len += 97;

        p = copy;

        for (ln = cl; ln; ln = ln->next) {
            p = ngx_cpymem(p, ln->buf->pos, ln->buf->last - ln->buf->pos);
            ln->buf->pos = ln->buf->last;
        }

        if ((size_t) (p - copy) != len || memcmp(copy, source, len) != 0) {
            bad++;
        }

        ngx_ors_out_recycle(&out, &cl);
    }

    is_int(bad, 0, "put while it grows");

    ngx_destroy_pool(pool);
}


static void
test_blocks(void)
{
    ngx_pool_t      *pool;
    ngx_chain_t     *cl;
    ngx_ors_out_t    out;
    ngx_ors_text_t   text;

    pool = ngx_ors_test_pool();
    ngx_memzero(&text, sizeof(ngx_ors_text_t));
    ngx_ors_out_init(&out, pool, 4096);

    ngx_ors_text_append(&text, pool, source, 100000);
    ngx_ors_text_put(&out, &text);
    ngx_ors_out_take(&out, &cl);

    is_int(cl->buf->last - cl->buf->pos, 100000, "long text, one buffer");
    ok(cl->next == NULL && cl->buf->pos != source, "referred to, our copy");

    ngx_destroy_pool(pool);
}


static void
test_no_memory(void)
{
    size_t           len;
    ngx_int_t        rc;
    ngx_pool_t      *pool;
    ngx_uint_t       n, bad;
    ngx_ors_text_t   text;

    bad = 0;

    for (n = 1; n < 100; n++) {
        pool = ngx_ors_test_pool();
        ngx_memzero(&text, sizeof(ngx_ors_text_t));

        ngx_ors_test_fail_after(n);

        for (len = 0; len < 10000; /* void */ ) {
            rc = ngx_ors_text_append(&text, pool, source + len, 100);

            /* it is as it was, and may be tried again */

            if (rc == NGX_OK) {
                len += 100;

            } else if (rc != NGX_ERROR || text.len != len) {
                bad++;
            }
        }

        if (text.len != len || ngx_ors_text_copy(copy, &text) != copy + len
            || memcmp(copy, source, len) != 0)
        {
            bad++;
        }

        ngx_destroy_pool(pool);

        if (!ngx_ors_test_failed()) {
            break;
        }
    }

    ngx_ors_test_fail_after(0);

    is_int(bad, 0, "no memory");
    ok(n > 6 && n < 100, "%d allocations tried", (int) n - 1);
}
