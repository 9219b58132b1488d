
/*
 * Copyright (C) Open Responses contributors
 */


/* Foreign text in a log line or a header: what passes, what is replaced. */


#include <ngx_ors_test.h>
#include <ngx_ors_error.h>


typedef struct {
    char    *text;
    char    *copy;
} line_t;


static void test_bytes(void);
static void test_texts(void);
static void test_length(void);
static ngx_uint_t clean(u_char *data, size_t len);


static line_t  good[] = {
    { "", NULL },
    { "gpt-5.1", NULL },
    { "a b ~ \" \\ %0a", NULL },
    { "caf\xc3\xa9", NULL },
    { "\xc2\xa0 no-break space", NULL },
    { "\xe2\x80\xa7 before U+2028", NULL },
    { "\xe2\x80\xaa after U+2029", NULL },
    { "\xe2\x81\xa8 not U+2028", NULL },
    { "\xf0\x9f\x98\x80", NULL },
    { NULL, NULL }
};


static line_t  bad[] = {
    { "a\r\nb", "a??b" },
    { "\tb", "?b" },
    { "a\x7f", "a?" },
    { "a\xc2\x80", "a?" },
    { "\xc2\x85z", "?z" },
    { "\xc2\x9b[1m", "?[1m" },
    { "\xe2\x80\xa8", "?" },
    { "a\xe2\x80\xa9z", "a?z" },
    { "\xff", "?" },
    { "\x80z", "?z" },
    { "\xc3", "?" },
    { "\xe2\x80", "?" },
    { "\xc0\x8a", "??" },
    { "\xed\xa0\x80", "???" },
    { NULL, NULL }
};


int
main(void)
{
    test_bytes();
    test_texts();
    test_length();

    return done_testing();
}


static void
test_bytes(void)
{
    u_char      text[3], copy[3];
    ngx_uint_t  ch, pos, fits, wrong;

    wrong = 0;

    for (ch = 0; ch < 256; ch++) {
        fits = (ch >= 0x20 && ch < 0x7f);

        for (pos = 0; pos < 3; pos++) {
            ngx_memcpy(text, "abc", 3);
            text[pos] = ch;

            if (clean(text, 3) != fits) {
                wrong++;
            }

            if (ngx_ors_line_copy(copy, text, 3) != copy + 3
                || copy[pos] != (fits ? ch : '?'))
            {
                wrong++;
            }
        }
    }

    is_int(wrong, 0, "each byte at each place");
}


static void
test_texts(void)
{
    u_char      buf[64], *end;
    size_t      len;
    ngx_uint_t  i;

    for (i = 0; good[i].text; i++) {
        len = ngx_strlen(good[i].text);
        ngx_memcpy(buf, good[i].text, len);

        ok(clean(buf, len), "good %lu: it may stand there", i);

        end = ngx_ors_line_copy(buf, buf, len);
        is_mem(buf, end - buf, good[i].text, len, "good %lu: as it was", i);
    }

    for (i = 0; bad[i].text; i++) {
        len = ngx_strlen(bad[i].text);
        ngx_memcpy(buf, bad[i].text, len);

        ok(!clean(buf, len), "bad %lu: it may not", i);

        end = ngx_ors_line_copy(buf, buf, len);
        is_mem(buf, end - buf, bad[i].copy, ngx_strlen(bad[i].copy),
               "bad %lu: a question mark in its place", i);
        ok(clean(buf, end - buf), "bad %lu: with that it may", i);
    }
}


static void
test_length(void)
{
    u_char     buf[NGX_ORS_LINE_MAX + 1];
    ngx_str_t  text;

    ngx_memset(buf, 'a', sizeof(buf));

    text.data = buf;
    text.len = NGX_ORS_LINE_MAX;
    ok(ngx_ors_line_fits(&text), "the longest that fits");

    text.len++;
    ok(!ngx_ors_line_fits(&text), "one byte more");
    ok(ngx_ors_line_clean(&text), "which is clean");

    text.len = 0;
    ok(ngx_ors_line_fits(&text), "nothing at all");

    text.len = 2;
    buf[1] = LF;
    ok(!ngx_ors_line_fits(&text), "short and not clean");
}


static ngx_uint_t
clean(u_char *data, size_t len)
{
    ngx_str_t  text;

    text.data = data;
    text.len = len;

    return ngx_ors_line_clean(&text);
}
