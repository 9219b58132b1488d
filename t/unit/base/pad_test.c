
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Lengths and letters of padding.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_text.h>


static void test_lengths(void);
static void test_letters(void);
static void test_source(void);
static ngx_str_t pad(ngx_ors_out_t *out, size_t len);


int
main(void)
{
    test_lengths();
    test_letters();
    test_source();

    return done_testing();
}


static void
test_lengths(void)
{
    size_t          len, wrong;
    ngx_str_t       s;
    ngx_pool_t     *pool;
    ngx_ors_out_t   out;

    pool = ngx_ors_test_pool();
    ngx_ors_out_init(&out, pool, 256);

    wrong = 0;

    for (len = 0; len < 5 * NGX_ORS_PAD_STEP; len++) {
        s = pad(&out, len);

        if (s.len == 0 || s.len > NGX_ORS_PAD_STEP
            || (len + s.len) % NGX_ORS_PAD_STEP)
        {
            wrong++;
        }
    }

    is_int(wrong, 0, "a multiple of %d bytes", NGX_ORS_PAD_STEP);

    ngx_destroy_pool(pool);
}


static void
test_letters(void)
{
    u_char          seen[256];
    ngx_str_t       s;
    ngx_uint_t      i, k, n, same;
    ngx_pool_t     *pool;
    ngx_ors_out_t   out;
    u_char          first[NGX_ORS_PAD_STEP];

    pool = ngx_ors_test_pool();
    ngx_ors_out_init(&out, pool, 256);
    ngx_memzero(seen, sizeof(seen));

    same = 0;

    for (i = 0; i < 200; i++) {
        s = pad(&out, 0);

        for (k = 0; k < s.len; k++) {
            seen[s.data[k]] = 1;
        }

        if (i && ngx_memcmp(first, s.data, s.len) == 0) {
            same++;
        }

        ngx_memcpy(first, s.data, s.len);
    }

    is_int(same, 0, "another one each time");

    n = 0;

    for (i = 0; i < 256; i++) {

        if (!seen[i]) {
            continue;
        }

        n++;

        if (!isalnum((int) i) && i != '-' && i != '_') {
            fail("letter %d", (int) i);
        }
    }

    is_int(n, 64, "all letters there are");

    ngx_destroy_pool(pool);
}


/*
 * nginx takes ids of DNS queries from random(), a few outputs of which tell
 * all others: letters must not be made of it
 */

static void
test_source(void)
{
    long            next;
    u_char          first[NGX_ORS_PAD_STEP];
    ngx_str_t       s;
    ngx_pool_t     *pool;
    ngx_ors_out_t   out;

    pool = ngx_ors_test_pool();
    ngx_ors_out_init(&out, pool, 256);

    srandom(1);
    next = random();

    srandom(1);
    s = pad(&out, 0);
    ngx_memcpy(first, s.data, sizeof(first));

    ok(random() == next, "the process's generator is left alone");

    srandom(1);
    s = pad(&out, 0);

    ok(memcmp(first, s.data, sizeof(first)) != 0, "and does not matter");

    ngx_destroy_pool(pool);
}


/* in memory of its own that lasts until the next call */

static ngx_str_t
pad(ngx_ors_out_t *out, size_t len)
{
    ngx_str_t     s;
    ngx_chain_t  *cl, *ln;

    static u_char  text[NGX_ORS_PAD_STEP + 1];

    ngx_ors_pad(out, len);
    (void) ngx_ors_out_take(out, &cl);

    s.data = text;
    s.len = 0;

    for (ln = cl; ln; ln = ln->next) {
        ngx_memcpy(text + s.len, ln->buf->pos, ngx_buf_size(ln->buf));
        s.len += ngx_buf_size(ln->buf);
        ln->buf->pos = ln->buf->last;
    }

    ngx_ors_out_recycle(out, &cl);

    return s;
}
