
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The decoded text of custom tools, in any pieces.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_arguments.h>


static void test_table(void);
static void test_splits(void);
static void test_random(void);
static void check(const char *raw, size_t len, const char *expected,
    const char *state);
static size_t custom(ngx_ors_custom_input_t *u, const char *raw, size_t len,
    u_char *dst);
static size_t unit_len(const char *raw, size_t len);
static const char *state_name(ngx_ors_custom_input_t *u);


#define IN   "{\\\"input\\\":\\\""
#define OUT  "\\\"}"


static struct {
    const char   *raw;
    const char   *text;
    const char   *state;
} tests[] = {
    { "", "", "open" },
    { IN OUT, "", "done" },
    { IN "a" OUT, "a", "done" },
    { IN "a" OUT "b", "a", "done" },
    { " {\\n\\\"input\\\"\\t:\\r\\\"a\\\"\\n}", "a", "done" },
    { "\\u007b\\u0022input\\u0022:\\u0022a\\u0022}", "a", "done" },
    { "{}", "", "done" },
    { " { } ", "", "done" },

    /* escapes of the arguments' own */
    { IN "a\\\\nb\\\\\\\"c\\\\\\\\d\\\\/\\\\t" OUT,
      "a\\nb\\\"c\\\\d\\/\\t", "done" },
    { IN "\\\\b\\\\f\\\\r" OUT, "\\b\\f\\r", "done" },
    { IN "\\\\u00e9\\\\u0041\\\\u0000" OUT, "\\u00e9\\u0041\\u0000", "done" },
    { IN "\\u005cu00E9" OUT, "\\u00e9", "done" },
    { IN "\\\\u00fF" OUT, "\\u00ff", "done" },
    { IN "\\u005cn" OUT, "\\n", "done" },
    { IN "\\u007f\\u0080" OUT, "\x7f\\u0080", "done" },
    { IN "\\/\xc3\xa9\xf0\x9f\x98\x80" OUT, "/\xc3\xa9\xf0\x9f\x98\x80",
      "done" },

    /* pairs: of the arguments, of the stream, of both */
    { IN "\\\\ud83d\\\\ude00" OUT, "\\ud83d\\ude00", "done" },
    { IN "\\ud83d\\ude00" OUT, "\\ud83d\\ude00", "done" },
    { IN "\\ud83d\\\\ude00x" OUT, "\\ud83d\\ude00x", "done" },
    { IN "\\\\ud83dx" OUT, "\\ud83dx", "done" },
    { IN "\\\\ud83d\\\\n" OUT, "\\ud83d\\n", "done" },
    { IN "\\\\ud83d\\\\ud83d\\\\ude00" OUT, "\\ud83d\\ud83d\\ude00", "done" },
    { IN "\\\\ude00" OUT, "\\ude00", "done" },
    { IN "\\\\ud83d" OUT, "\\ud83d", "done" },
    { IN "\\ud83d\\u00e9" OUT, "\\ud83d\\u00e9", "done" },

    /* models forget to escape, or escape what needs none */
    { IN "a\\nb\\tc\\u0001\\rd\\be\\f" OUT, "a\\nb\\tc\\u0001\\rd\\be\\f",
      "done" },
    { IN "\\\\d\\\\\\u00e9\\\\\xc3\xa9" OUT,
      "\\\\d\\\\\\u00e9\\\\\xc3\xa9", "done" },
    { IN "\\\\u12" OUT, "\\\\u12", "done" },
    { IN "\\\\u12\\\\n" OUT, "\\\\u12\\n", "done" },
    { IN "\\\\u\\u00e9" OUT, "\\\\u\\u00e9", "done" },
    { IN "\\\\ud83d\\\\u123x" OUT, "\\ud83d\\\\u123x", "done" },

    /* other members */
    { IN "a\\\",\\\"input\\\":\\\"b\\\",\\\"c\\\":1}", "a", "done" },
    { "{\\\"a\\\":1,\\\"input\\\":\\\"b" OUT, "b", "done" },
    { "{\\\"a\\\":{\\\"b\\\":[1,{}],\\\"input\\\":\\\"x\\\"},"
      "\\\"input\\\":\\\"b" OUT, "b", "done" },
    { "{\\\"a\\\":\\\",}\\\\\\\"]\\\",\\\"input\\\":\\\"b" OUT, "b",
      "done" },
    { "{\\\"input\\\\n\\\":\\\"a\\\",\\\"inpu\\\":null,\\\"xinput\\\":true,"
      "\\\"\\\\\\\"\\\":[],\\\"input\\\":\\\"b" OUT, "b", "done" },

    /* the end is missing */
    { "{", "", "open" },
    { "{\\\"inp", "", "open" },
    { "{\\\"input\\\":", "", "open" },
    { IN, "", "text" },
    { IN "a", "a", "text" },
    { IN "a\\\\", "a", "text" },
    { IN "a\\\\u00e", "a", "text" },
    { IN "a\\\\ud83d", "a", "text" },
    { IN "a\\\\ud800", "a", "text" },
    { IN "a\\\\udbff", "a", "text" },
    { IN "a\\\\udc00", "a\\udc00", "text" },
    { IN "a\\\\ud83d\\\\ude0", "a", "text" },

    /* no wrapper */
    { "a", "", "raw" },
    { "\\u00e9", "", "raw" },
    { "*** Begin Patch\\n{\\\"input\\\":\\\"a\\\"}", "", "raw" },
    { "[\\\"input\\\"]", "", "raw" },
    { "\\\"input\\\"", "", "raw" },
    { "{a:1}", "", "raw" },
    { "{\\\"a\\\" 1}", "", "raw" },
    { "{\\\"a\\\":1}", "", "raw" },
    { "{\\\"a\\\":}", "", "raw" },
    { "{\\\"a\\\":[1]]", "", "raw" },
    { "{\\\"a\\\":1,}", "", "raw" },
    { "{\\\"a\\\":1,x", "", "raw" },
    { "{\\\"input\\\":1}", "", "raw" },
    { "{\\\"imput\\\":\\\"a\\\"}", "", "raw" },
    { "{\\\"input\\\":null}", "", "raw" },
    { "{\\\"input\\\":{\\\"input\\\":\\\"a\\\"}}", "", "raw" },
    { "{\\\"\\\\u0069nput\\\":\\\"a\\\"}", "", "raw" },

    /* not the inside of a string, and not read beyond the end */
    { "{\\", "", "raw" },
    { IN "\\u00", "", "text" },
    { IN "\\", "", "text" },
};

#define NTESTS  (sizeof(tests) / sizeof(tests[0]))


int
main(void)
{
    test_table();
    test_splits();
    test_random();

    return done_testing();
}


static void
test_table(void)
{
    ngx_uint_t  i;

    for (i = 0; i < NTESTS; i++) {
        check(tests[i].raw, strlen(tests[i].raw), tests[i].text,
              tests[i].state);
    }
}


/* in two pieces, and in the least ones; an escape is never in two of them */

static void
test_splits(void)
{
    u_char                   one[256], two[256];
    size_t                   len, at, n, from;
    ngx_uint_t               i, bad;
    ngx_ors_custom_input_t   u, v;

    bad = 0;

    for (i = 0; i < NTESTS; i++) {
        len = strlen(tests[i].raw);

        ngx_memzero(&u, sizeof(ngx_ors_custom_input_t));
        n = custom(&u, tests[i].raw, len, one);

        for (at = 0; at <= len; at += unit_len(tests[i].raw + at, len - at)) {
            ngx_memzero(&v, sizeof(ngx_ors_custom_input_t));
            from = custom(&v, tests[i].raw, at, two);
            from += custom(&v, tests[i].raw + at, len - at, two + from);

            if (from != n || memcmp(one, two, n) != 0
                || u.state != v.state || u.high != v.high)
            {
                bad++;
                diag("split at %d: %s", (int) at, tests[i].raw);
            }

            if (at == len) {
                break;
            }
        }

        ngx_memzero(&v, sizeof(ngx_ors_custom_input_t));
        from = 0;

        for (at = 0; at < len; at += unit_len(tests[i].raw + at, len - at)) {
            from += custom(&v, tests[i].raw + at,
                           unit_len(tests[i].raw + at, len - at), two + from);
        }

        if (from != n || memcmp(one, two, n) != 0 || u.state != v.state) {
            bad++;
            diag("in the least pieces: %s", tests[i].raw);
        }
    }

    is_int(bad, 0, "in pieces it is the same");
}


/* any characters at all: never more than there is room for */

static void
test_random(void)
{
    char                     raw[64];
    u_char                   dst[256];
    size_t                   len, n;
    ngx_uint_t               i, k, texts;
    ngx_ors_custom_input_t   u;

    static const char  *units[] = {
        "\\\\", "\\\"", "u", "d83d", "\\ud83d", "\\udE00", "de00", "\\u0001",
        "\\n", "n", "1", "\xc3\xa9", "\\u00e9", "}"
    };

    texts = 0;

    for (i = 0; i < 200000; i++) {
        ngx_memzero(&u, sizeof(ngx_ors_custom_input_t));

        (void) custom(&u, IN, sizeof(IN) - 1, dst);

        while (ngx_ors_test_random(6)) {
            len = 0;

            for (k = ngx_ors_test_random(5); k; k--) {
                len += sprintf(raw + len, "%s",
                               units[ngx_ors_test_random(14)]);
            }

            n = custom(&u, raw, len, dst);

            /* no half of an escape at an end of a piece */

            if (n && dst[n - 1] == '\\' && (n < 2 || dst[n - 2] != '\\')) {
                fail("a piece ends in an escape");
            }
        }

        texts += ngx_ors_custom_input_found(&u);
    }

    is_int(texts, 200000, "random texts");
}


static void
check(const char *raw, size_t len, const char *expected, const char *state)
{
    u_char                   dst[256];
    size_t                   n;
    ngx_ors_custom_input_t   u;

    ngx_memzero(&u, sizeof(ngx_ors_custom_input_t));

    n = custom(&u, raw, len, dst);

    is_mem(dst, n, expected, strlen(expected), "text: %s", raw);
    ok(strcmp(state_name(&u), state) == 0, "state %s: %s", state, raw);
}


/* exactly as much memory as the header asks for */

static size_t
custom(ngx_ors_custom_input_t *u, const char *raw, size_t len, u_char *dst)
{
    size_t   n;
    u_char  *in, *out;

    in = malloc(len + 1);
    memcpy(in, raw, len);
    in = realloc(in, len ? len : 1);
    out = malloc(len + NGX_ORS_CUSTOM_INPUT_ROOM);

    n = ngx_ors_custom_input(u, in, len, out) - out;

    if (n > len + NGX_ORS_CUSTOM_INPUT_ROOM) {
        fail("too long: %.*s", (int) len, raw);
        abort();
    }

    memcpy(dst, out, n);

    free(in);
    free(out);

    return n;
}


static size_t
unit_len(const char *raw, size_t len)
{
    size_t  n;

    n = 1;

    if (raw[0] == '\\') {
        n = (len > 1 && raw[1] == 'u') ? 6 : 2;
    }

    return ngx_min(n, len);
}


static const char *
state_name(ngx_ors_custom_input_t *u)
{
    switch (u->state) {

    case ngx_ors_custom_input_st_text:
        return "text";

    case ngx_ors_custom_input_st_done:
        return "done";

    case ngx_ors_custom_input_st_raw:
        return "raw";

    default:
        return "open";
    }
}
