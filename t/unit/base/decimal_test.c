
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Decimal numbers beside those of printf: the ends of each length, and random
 * ones.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_text.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>


static ngx_uint_t decimal_same(uint64_t n);


int
main(void)
{
    uint64_t    n, bits;
    ngx_uint_t  i, same;

    is_int(NGX_ORS_DECIMAL_LEN, sizeof("-9223372036854775808") - 1, "room");

    for (n = 1, i = 1; i <= 20; i++, n *= 10) {
        ok(decimal_same(n - 1) && decimal_same(n) && decimal_same(n + 1),
           "%d digits", (int) i);
    }

    ok(decimal_same(UINT64_MAX), "the largest");

    for (same = 0, i = 0; i < 10000; i++) {
        bits = ngx_ors_test_random(65536);
        bits = bits << 16 | ngx_ors_test_random(65536);
        bits = bits << 32 | ngx_ors_test_random(65536);

        same += decimal_same(bits >> i % 64);
    }

    is_int(same, 10000, "random numbers");

    return done_testing();
}


/* and nothing is written in front of them */

static ngx_uint_t
decimal_same(uint64_t n)
{
    char     text[NGX_ORS_DECIMAL_LEN + 1];
    u_char   buf[NGX_ORS_DECIMAL_LEN + 1], *last, *p;
    size_t   len;

    last = buf + sizeof(buf);
    len = snprintf(text, sizeof(text), "%" PRIu64, n);

    memset(buf, 'x', sizeof(buf));
    p = ngx_ors_decimal(last, n);

    return (size_t) (last - p) == len && memcmp(p, text, len) == 0
           && p[-1] == 'x';
}
