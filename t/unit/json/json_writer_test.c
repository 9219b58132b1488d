
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Escaped strings, compared with a writer that goes byte by byte.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_json_writer.h>


static void test_escapes(void);
static void test_bytes(void);
static void test_places(void);
static void test_utf8(void);
static void test_random(void);
static void test_no_memory(void);
static void is_escaped(char *text, char *expected, const char *name);
static ngx_uint_t same(u_char *data, size_t len, u_char *expected,
    size_t elen);
static size_t model(u_char *dst, u_char *data, size_t len);


int
main(void)
{
    test_escapes();
    test_bytes();
    test_places();
    test_utf8();
    test_random();
    test_no_memory();

    return done_testing();
}


static void
test_escapes(void)
{
    ngx_pool_t     *pool;
    ngx_chain_t    *cl;
    ngx_ors_out_t   out;

    is_escaped("", "", "nothing");
    is_escaped("plain text/", "plain text/", "plain text");
    is_escaped("\"\\", "\\\"\\\\", "quote and backslash");
    is_escaped("\b\t\n\f\r", "\\b\\t\\n\\f\\r", "short escapes");
    is_escaped("\x01\x0b\x1f\x7f", "\\u0001\\u000b\\u001f\x7f",
               "control characters");

    is_int(ngx_ors_json_escape_len((u_char *) "\0", 1), 6, "zero byte");
    is_int(ngx_ors_json_escape_len(NULL, 0), 0, "NULL");

    pool = ngx_ors_test_pool();
    ngx_ors_out_init(&out, pool, 100);

    ngx_ors_json_quote(&out, (u_char *) "a\"b", 3);
    ngx_ors_json_quote(&out, NULL, 0);
    ngx_ors_out_take(&out, &cl);
    is_chain(cl, "\"a\\\"b\"\"\"", "strings");

    ngx_destroy_pool(pool);
}


static void
test_bytes(void)
{
    u_char      ch, text[8];
    ngx_uint_t  i, bad;

    bad = 0;

    for (i = 0; i < 256; i++) {
        ch = i;
        bad += !same(&ch, 1, text, model(text, &ch, 1));
    }

    is_int(bad, 0, "each byte alone");
}


static void
test_places(void)
{
    size_t      i, k, n;
    u_char      data[80], text[80 * 6];
    ngx_uint_t  bad;

    static u_char  bytes[] = { '"', '\\', LF, 0x1f, 0x00, 0x80, 0xff };

    bad = 0;

    for (k = 0; k < sizeof(bytes); k++) {

        for (n = 1; n < sizeof(data); n++) {

            for (i = 0; i < n; i++) {
                ngx_memset(data, 'x', n);
                data[i] = bytes[k];

                bad += !same(data, n, text, model(text, data, n));
            }
        }
    }

    is_int(bad, 0, "a byte to escape at each place");
}


static void
test_utf8(void)
{
    is_escaped("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80 a \xe4\xb8\xad",
               "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80 a \xe4\xb8\xad",
               "characters stay");
    is_escaped("\xe2\x80\xa8", "\xe2\x80\xa8", "line separator stays");
    is_escaped("a\x80z", "a\xef\xbf\xbdz", "continuation alone");
    is_escaped("\xe4\xb8", "\xef\xbf\xbd", "cut at the end");
    is_escaped("\xe4\xb8\"", "\xef\xbf\xbd\\\"", "cut by a quote");
    is_escaped("\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd", "long form");
    is_escaped("\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd",
               "surrogate");
    is_escaped("\xf0\x9f\x98x\xf5", "\xef\xbf\xbdx\xef\xbf\xbd",
               "one for each maximal subpart");
}


static void
test_random(void)
{
    size_t      i, len;
    u_char      data[300], text[300 * 6];
    ngx_uint_t  n, bad;

    static u_char  *rare = (u_char *) "\"\\\n\x01\xc3\xa4\xe2\x82\xac\xf0\x9f"
                                      "\x98\x80\xed\xa0";

    bad = 0;

    for (n = 0; n < 20000; n++) {
        len = ngx_ors_test_random(sizeof(data));

        for (i = 0; i < len; i++) {
            data[i] = ngx_ors_test_random(1 + n % 40)
                      ? ' ' + ngx_ors_test_random(95)
                      : rare[ngx_ors_test_random(15)];
        }

        bad += !same(data, len, text, model(text, data, len));
    }

    is_int(bad, 0, "random text");
}


static void
test_no_memory(void)
{
    ngx_int_t       rc;
    ngx_uint_t      n;
    ngx_pool_t     *pool;
    ngx_chain_t    *cl;
    ngx_ors_out_t   out;

    for (n = 1; ; n++) {
        pool = ngx_ors_test_pool();
        ngx_ors_out_init(&out, pool, 8);

        ngx_ors_test_fail_after(n);
        ngx_ors_json_quote(&out, (u_char *) "quote \" and \n and \xff...", 22);
        rc = ngx_ors_out_take(&out, &cl);

        ngx_destroy_pool(pool);

        if (!ngx_ors_test_failed()) {
            break;
        }

        is_int(rc, NGX_ERROR, "allocation %d fails", (int) n);
    }

    ngx_ors_test_fail_after(0);
    is_int(rc, NGX_OK, "no allocation fails");
}


static void
is_escaped(char *text, char *expected, const char *name)
{
    ok(same((u_char *) text, ngx_strlen(text), (u_char *) expected,
            ngx_strlen(expected)),
       "%s", name);
}


/* all three ways, from memory that ends where the text ends */

static ngx_uint_t
same(u_char *data, size_t len, u_char *expected, size_t elen)
{
    u_char         *copy, *dst, *p;
    ngx_uint_t      rc;
    ngx_pool_t     *pool;
    ngx_chain_t    *cl;
    ngx_ors_out_t   out;

    pool = ngx_ors_test_pool();

    copy = ngx_pnalloc(pool, len);
    ngx_memcpy(copy, data, len);

    rc = (ngx_ors_json_escape_len(copy, len) == elen);

    dst = ngx_pnalloc(pool, elen);
    p = rc ? ngx_ors_json_escape_mem(dst, copy, len) : dst;

    rc = rc && (size_t) (p - dst) == elen && memcmp(dst, expected, elen) == 0;

    ngx_ors_out_init(&out, pool, 1 + elen % 50);
    ngx_ors_json_escape(&out, copy, len);

    rc = rc && out.size == elen && ngx_ors_out_take(&out, &cl) == NGX_OK;

    for (p = expected; rc && cl; cl = cl->next) {
        rc = (memcmp(p, cl->buf->pos, ngx_buf_size(cl->buf)) == 0);
        p += ngx_buf_size(cl->buf);
    }

    ngx_destroy_pool(pool);

    return rc;
}


/* byte by byte, UTF-8 by the ranges of Unicode, table 3-7 */

static size_t
model(u_char *dst, u_char *data, size_t len)
{
    size_t      i, n, k;
    u_char     *p, ch, low, high;
    ngx_uint_t  need;

    p = dst;

    for (i = 0; i < len; i += n) {
        ch = data[i];
        n = 1;

        if (ch < 0x20 || ch == '"' || ch == '\\') {

            switch (ch) {
            case '"':  p = ngx_cpymem(p, "\\\"", 2); break;
            case '\\': p = ngx_cpymem(p, "\\\\", 2); break;
            case '\b': p = ngx_cpymem(p, "\\b", 2); break;
            case '\t': p = ngx_cpymem(p, "\\t", 2); break;
            case '\n': p = ngx_cpymem(p, "\\n", 2); break;
            case '\f': p = ngx_cpymem(p, "\\f", 2); break;
            case '\r': p = ngx_cpymem(p, "\\r", 2); break;
            default:   p = ngx_sprintf(p, "\\u%04xd", ch);
            }

            continue;
        }

        need = (ch < 0x80) ? 0
               : (ch >= 0xc2 && ch <= 0xdf) ? 1
               : (ch >= 0xe0 && ch <= 0xef) ? 2
               : (ch >= 0xf0 && ch <= 0xf4) ? 3 : 9;

        low = (ch == 0xe0) ? 0xa0 : (ch == 0xf0) ? 0x90 : 0x80;
        high = (ch == 0xed) ? 0x9f : (ch == 0xf4) ? 0x8f : 0xbf;

        for (k = 1; k <= need && need < 9 && i + k < len; k++) {

            if (data[i + k] < low || data[i + k] > high) {
                break;
            }

            low = 0x80;
            high = 0xbf;
            n = k + 1;
        }

        if (n == need + 1) {
            p = ngx_cpymem(p, data + i, n);

        } else {
            p = ngx_cpymem(p, "\xef\xbf\xbd", 3);
        }
    }

    return p - dst;
}
