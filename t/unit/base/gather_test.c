
/*
 * Copyright (C) Open Responses contributors
 */


/* Documents in pieces, and media types. */


#include <ngx_ors_test.h>
#include <ngx_ors_text.h>


static void test_pieces(void);
static void test_limits(void);
static void test_limit(ngx_uint_t head, size_t max, ngx_int_t rc,
    const char *expected, const char *left);
static void test_memory(void);
static void test_types(void);
static ngx_int_t give(ngx_buf_t *g, char *text, size_t len, size_t max,
    ngx_pool_t *pool);


int
main(void)
{
    test_pieces();
    test_limits();
    test_memory();
    test_types();

    return done_testing();
}


static void
test_pieces(void)
{
    size_t       step, reserved, pos;
    ngx_buf_t    g;
    ngx_pool_t  *pool;

    static char  text[] = "the quick brown fox jumps over the lazy dog";

    for (reserved = 0; reserved < 50; reserved += 7) {

        for (step = 1; step <= sizeof(text); step++) {
            pool = ngx_ors_test_pool();
            ngx_memzero(&g, sizeof(ngx_buf_t));

            if (reserved) {
                (void) ngx_ors_gather_reserve(&g, reserved, pool);
            }

            for (pos = 0; pos < sizeof(text); pos += step) {
                (void) give(&g, text + pos, ngx_min(step, sizeof(text) - pos),
                            1000, pool);
            }

            is_mem(g.pos, g.last - g.pos, text, sizeof(text),
                   "by %d, %d reserved", (int) step, (int) reserved);

            ngx_destroy_pool(pool);
        }
    }
}


static void
test_limits(void)
{
    test_limit(0, 6, NGX_OK, "abcdef", "");
    test_limit(0, 5, NGX_DECLINED, "abc", "def");
    test_limit(0, 3, NGX_DECLINED, "abc", "def");
    test_limit(1, 7, NGX_OK, "abcdef", "");
    test_limit(1, 6, NGX_OK, "abcdef", "");
    test_limit(1, 5, NGX_OK, "abcde", "");
    test_limit(1, 3, NGX_OK, "abc", "");
}


static void
test_limit(ngx_uint_t head, size_t max, ngx_int_t rc, const char *expected,
    const char *left)
{
    ngx_buf_t    g, b;
    ngx_str_t    text;
    ngx_pool_t  *pool;

    static u_char  more[] = "def";

    pool = ngx_ors_test_pool();
    ngx_memzero(&g, sizeof(ngx_buf_t));
    ngx_memzero(&b, sizeof(ngx_buf_t));

    (void) give(&g, "abc", 3, max, pool);

    b.pos = more;
    b.last = more + 3;

    is_int(head ? ngx_ors_gather_head(&g, &b, max, pool)
                : ngx_ors_gather(&g, &b, max, pool),
           rc, "limit %d", (int) max);

    text.data = g.pos;
    text.len = g.last - g.pos;
    is_str(&text, expected, "limit %d: gathered", (int) max);

    text.data = b.pos;
    text.len = b.last - b.pos;
    is_str(&text, left, "limit %d: left", (int) max);

    ngx_destroy_pool(pool);
}


/* it doubles: a byte at a time does not take memory for each */

static void
test_memory(void)
{
    ngx_buf_t    g;
    ngx_uint_t   i, allocs;
    ngx_pool_t  *pool;

    pool = ngx_ors_test_pool();
    ngx_memzero(&g, sizeof(ngx_buf_t));

    allocs = ngx_ors_test_allocs();

    for (i = 0; i < 100000; i++) {
        (void) give(&g, "x", 1, 100000, pool);
    }

    allocs = ngx_ors_test_allocs() - allocs;

    ok(g.last - g.pos == 100000 && allocs < 20,
       "100,000 bytes one by one: %d allocations", (int) allocs);

    ngx_destroy_pool(pool);

    pool = ngx_ors_test_pool();
    ngx_memzero(&g, sizeof(ngx_buf_t));

    ngx_ors_test_fail_after(1);
    is_int(ngx_ors_gather_reserve(&g, 1, pool), NGX_ERROR, "no memory");

    ngx_ors_test_fail_after(1);
    is_int(give(&g, "x", 1, 10, pool), NGX_ERROR, "no memory for a piece");

    ngx_ors_test_fail_after(0);
    ngx_destroy_pool(pool);
}


static void
test_types(void)
{
    ngx_str_t   type;
    ngx_uint_t  i;

    static struct {
        const char  *type;
        ngx_uint_t   is;
    } rows[] = {
        { "application/json", 1 },
        { "Application/JSON", 1 },
        { "application/json; charset=utf-8", 1 },
        { "application/json;charset=utf-8", 1 },
        { "application/json ", 1 },
        { "application/jsonl", 0 },
        { "application/json-seq", 0 },
        { "application/problem+json", 0 },
        { "application/jso", 0 },
        { "text/html", 0 },
        { "", 0 }
    };

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        type.data = (u_char *) rows[i].type;
        type.len = ngx_strlen(rows[i].type);

        is_int(ngx_ors_mime_is(&type, "application/json"), rows[i].is,
               "type \"%s\"", rows[i].type);
    }
}


static ngx_int_t
give(ngx_buf_t *g, char *text, size_t len, size_t max, ngx_pool_t *pool)
{
    u_char     *p;
    ngx_buf_t   b;
    ngx_int_t   rc;

    p = malloc(len);

    if (p == NULL) {
        abort();
    }

    ngx_memcpy(p, text, len);
    ngx_memzero(&b, sizeof(ngx_buf_t));

    b.pos = p;
    b.last = p + len;

    rc = ngx_ors_gather(g, &b, max, pool);

    free(p);

    return rc;
}
