
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * UTF-8: each code point, each broken form, each cut.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_utf8.h>


static void test_code_points(void);
static void test_three_bytes(void);
static void test_four_bytes(void);
static void test_subparts(void);
static void test_valid(void);
static void test_cut(void);
static ngx_uint_t legal(u_char *p, size_t len);
static u_char *encode(u_char *p, uint32_t c);


int
main(void)
{
    test_code_points();
    test_three_bytes();
    test_four_bytes();
    test_subparts();
    test_valid();
    test_cut();

    return done_testing();
}


static void
test_code_points(void)
{
    size_t      len, i, n;
    u_char      text[4];
    uint32_t    c;
    ngx_uint_t  whole, cut, surrogates;

    whole = 0;
    cut = 0;
    surrogates = 0;

    for (c = 0; c < 0x110100; c++) {
        n = encode(text, c) - text;

        if (c >= 0xd800 && c < 0xe000) {
            surrogates += (ngx_ors_utf8_char(text, text + n, &len)
                           == NGX_DECLINED && len == 1);
            continue;
        }

        if (c > 0x10ffff) {
            whole += (ngx_ors_utf8_char(text, text + n, &len) != NGX_DECLINED);
            continue;
        }

        whole += (ngx_ors_utf8_char(text, text + n, &len) != NGX_OK
                  || len != n);

        for (i = 1; i < n; i++) {
            cut += (ngx_ors_utf8_char(text, text + i, &len) != NGX_AGAIN
                    || len != i);
        }
    }

    is_int(whole, 0, "every code point");
    is_int(cut, 0, "every code point cut at every byte");
    is_int(surrogates, 0x800, "surrogates");
}


static void
test_three_bytes(void)
{
    size_t      len;
    u_char      text[3];
    uint32_t    i;
    ngx_uint_t  bad;

    bad = 0;

    for (i = 0; i < 0x1000000; i++) {
        text[0] = i >> 16;
        text[1] = i >> 8;
        text[2] = i;

        if (ngx_ors_utf8_char(text, text + 3, &len) == NGX_OK) {
            bad += !legal(text, len);

        } else {
            bad += (legal(text, 1) || legal(text, 2) || legal(text, 3));
        }
    }

    is_int(bad, 0, "all sequences of three bytes");
}


static void
test_four_bytes(void)
{
    size_t      len;
    u_char      text[4];
    uint32_t    i;
    ngx_uint_t  bad;

    static u_char  edges[] = { 0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf,
                               0xc0, 0xff };

    bad = 0;

    for (i = 0; i < 256 * 1000; i++) {
        text[0] = i / 1000;
        text[1] = edges[i / 100 % 10];
        text[2] = edges[i / 10 % 10];
        text[3] = edges[i % 10];

        if (ngx_ors_utf8_char(text, text + 4, &len) == NGX_OK) {
            bad += !legal(text, len);

        } else {
            bad += (legal(text, 1) || legal(text, 2) || legal(text, 3)
                    || legal(text, 4));
        }
    }

    is_int(bad, 0, "sequences of four bytes at the edges");
}


/* the examples of Unicode, 3.9, tables 3-8 to 3-11: lengths of subparts */

static void
test_subparts(void)
{
    size_t       len;
    u_char      *p, *last, got[32], *g;
    ngx_int_t    rc;
    ngx_uint_t   i;

    static struct {
        char  *text;
        char  *lengths;
    } tests[] = {
        { "\xc0\xaf\xe0\x80\xbf\xf0\x81\x82" "A", "11111111+" },
        { "\xed\xa0\x80\xed\xbf\xbf\xed\xaf" "A", "11111111+" },
        { "\xf4\x91\x92\x93\xff" "A\x80\xbf" "B", "11111+11+" },
        { "\xe1\x80\xe2\xf0\x91\x92\xf1\xbf" "A", "2132+" },
        { "a\xf1\x80\x80\xe1\x80\xc2" "b\x80" "c\x80\xbf" "d",
          "+321+1+11+" },
    };

    for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        p = (u_char *) tests[i].text;
        last = p + ngx_strlen(p);
        g = got;

        while (p < last) {
            rc = ngx_ors_utf8_char(p, last, &len);
            *g++ = (rc == NGX_OK) ? '+' : '0' + len;
            p += len;
        }

        is_mem(got, g - got, tests[i].lengths, ngx_strlen(tests[i].lengths),
               "subparts %d", (int) i);
    }
}


static void
test_valid(void)
{
    u_char      *p, text[64];
    ngx_uint_t   i, n, bad;

    bad = 0;

    for (n = 0; n < 40; n++) {
        for (i = 0; i < n; i++) {
            ngx_memset(text, 'x', n);
            text[i] = 0xff;
            bad += (ngx_ors_utf8_valid(text, n) != i);
        }

        ngx_memset(text, 'x', n);
        bad += (ngx_ors_utf8_valid(text, n) != n);
    }

    is_int(bad, 0, "a bad byte at each place");

    p = (u_char *) "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80";

    is_int(ngx_ors_utf8_valid(p, 10), 10, "characters of all lengths");
    is_int(ngx_ors_utf8_valid(p, 9), 6, "the last one is cut");
    is_int(ngx_ors_utf8_length(p, 10), 4, "code points");
    is_int(ngx_ors_utf8_length(p, 0), 0, "no code points");
}


static void
test_cut(void)
{
    u_char      *p;
    ngx_uint_t   i;

    static ngx_uint_t  cut[] = { 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10 };

    p = (u_char *) "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80z";

    for (i = 0; i < 12; i++) {
        is_int(ngx_ors_utf8_cut(p, 11, i), i == 11 ? 11 : cut[i],
               "cut at %d", (int) i);
    }

    is_int(ngx_ors_utf8_cut(p, 9, 8), 6, "in a character that has no end");
    is_int(ngx_ors_utf8_cut((u_char *) "\x80\x80\x80\x80\x80\x80", 6, 5), 5,
           "not UTF-8");
    is_int(ngx_ors_utf8_cut((u_char *) "\x80\x80\x80", 3, 1), 1,
           "not UTF-8 at the start");
    is_int(ngx_ors_utf8_cut((u_char *) "a\x80\x80", 3, 2), 2,
           "a continuation without beginning");
    is_int(ngx_ors_utf8_cut(NULL, 0, 0), 0, "nothing");
}


/* by arithmetic: the bits, and then their range */

static ngx_uint_t
legal(u_char *p, size_t len)
{
    size_t    i;
    u_char    text[4];
    uint32_t  c;

    c = (len == 1) ? p[0] : p[0] & (0x7f >> len);

    for (i = 1; i < len; i++) {
        c = (c << 6) | (p[i] & 0x3f);
    }

    if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) {
        return 0;
    }

    return (size_t) (encode(text, c) - text) == len
           && memcmp(text, p, len) == 0;
}


static u_char *
encode(u_char *p, uint32_t c)
{
    if (c < 0x80) {
        *p++ = c;
        return p;
    }

    if (c < 0x800) {
        *p++ = 0xc0 | (c >> 6);

    } else if (c < 0x10000) {
        *p++ = 0xe0 | (c >> 12);
        *p++ = 0x80 | ((c >> 6) & 0x3f);

    } else {
        *p++ = 0xf0 | (c >> 18);
        *p++ = 0x80 | ((c >> 12) & 0x3f);
        *p++ = 0x80 | ((c >> 6) & 0x3f);
    }

    *p++ = 0x80 | (c & 0x3f);

    return p;
}
