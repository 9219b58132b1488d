
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The end of arguments, found in any pieces.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_arguments.h>
#include <ngx_ors_json.h>


static void test_whole(void);
static void test_random(void);
static size_t scan(const char *raw, size_t len);


int
main(void)
{
    test_whole();
    test_random();

    return done_testing();
}


/* "whole" is the length after which the arguments are, 0: never */

static void
test_whole(void)
{
    size_t        len, n;
    ngx_uint_t    i;

    static struct {
        const char   *raw;
        size_t        whole;
    } tests[] = {
        { "", 0 },
        { "{}", 2 },
        { "[]", 2 },
        { "{}{}", 2 },
        { " \\n\\t\\r {}", 10 },
        { "\\u0020{}", 8 },
        { "{", 0 },
        { "{[]", 0 },
        { "{[]}", 4 },
        { "{[}}", 4 },
        { "{\\\"}\\\"", 0 },
        { "{\\\"}\\\"}", 7 },
        { "{\\\"\\\\\\\"}\\\"}", 11 },
        { "{\\\"\\\\\\\\\\\"}", 10 },
        { "{\\u0022}\\u0022}", 15 },
        { "{\\\"\\\\\\u0022}\\\"}", 15 },
        { "\\u007b\\u007d", 12 },
        { "{\\u007D\\u007d", 7 },
        { "{\\\"\\ud83d\\ude00\\u00e9\xc3\xa9\\/\\b\\f\\\"}", 32 },
        { "{\\\"\\u0122\\\"}", 12 },
        { "1", 0 },
        { "\\\"{}\\\"", 0 },
        { "null {}", 0 },
        { "}{}", 0 },
        { "\\u00e9{}", 0 },

        /* not JSON, and not read beyond the end */
        { "{\\", 0 },
        { "{\\u", 0 },
        { "{\\u00", 0 },
    };

    for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        len = strlen(tests[i].raw);
        n = scan(tests[i].raw, len);

        is_int(n, tests[i].whole, "whole: %s", tests[i].raw);
    }
}


/* an object or an array as the JSON reader takes it ends there */

static void
test_random(void)
{
    char             text[32], raw[128];
    size_t           len, rlen, n, j;
    ngx_pool_t      *pool;
    ngx_uint_t       i, found, bad;
    ngx_ors_json_t   json;

    static const char  chars[] = "{}[]{}[]\"\"\\:,1 ";

    pool = ngx_ors_test_pool();
    ngx_ors_json_init(&json, pool, 20, 100);

    found = 0;
    bad = 0;

    for (i = 0; i < 300000; i++) {
        len = 2 + ngx_ors_test_random(9);
        rlen = 0;

        text[0] = ngx_ors_test_random(2) ? '{' : '[';

        for (j = 1; j < len; j++) {
            text[j] = chars[ngx_ors_test_random(sizeof(chars) - 1)];
        }

        if (ngx_ors_json_read(&json, (u_char *) text, len) != NGX_OK) {
            continue;
        }

        /* spaces after the last bracket are not needed */

        while (text[len - 1] == ' ') {
            len--;
        }

        for (j = 0; j < len; j++) {
            if (ngx_ors_test_random(8) == 0) {
                rlen += sprintf(raw + rlen, "\\u%04x", text[j]);

            } else if (text[j] == '"' || text[j] == '\\') {
                rlen += sprintf(raw + rlen, "\\%c", text[j]);

            } else {
                raw[rlen++] = text[j];
            }
        }

        found++;

        n = scan(raw, rlen);

        if (n != rlen) {
            bad++;
            diag("%.*s: %d", (int) rlen, raw, (int) n);
        }
    }

    is_int(bad, 0, "JSON texts: whole at their ends");
    ok(found > 1000, "JSON texts: %d", (int) found);

    ngx_destroy_pool(pool);
}


/* in one piece and in pieces; an escape is never in two of them */

static size_t
scan(const char *raw, size_t len)
{
    size_t                from, to, n;
    u_char               *piece;
    ngx_ors_arguments_t   all, args;

    ngx_memzero(&args, sizeof(ngx_ors_arguments_t));
    ngx_memzero(&all, sizeof(ngx_ors_arguments_t));

    piece = malloc(len + 1);
    memcpy(piece, raw, len);
    piece = realloc(piece, len ? len : 1);

    ngx_ors_arguments_scan(&all, piece, len);

    n = 0;

    for (from = 0; from < len; from = to) {
        to = from + 1;

        if (raw[from] == '\\') {
            to += (to < len && raw[to] == 'u') ? 5 : 1;
            to = ngx_min(to, len);
        }

        ngx_ors_arguments_scan(&args, piece + from, to - from);

        if (args.whole && n == 0) {
            n = to;
        }
    }

    free(piece);

    if (all.whole != args.whole || all.depth != args.depth
        || all.other != args.other || all.string != args.string)
    {
        fail("in pieces it is another: %.*s", (int) len, raw);
    }

    return n;
}
