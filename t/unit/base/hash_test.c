
/*
 * Copyright (C) Open Responses contributors
 */


#include <ngx_ors_test.h>
#include <ngx_ors_hash.h>


#define SEED  1804289383


static void test_apart(void);
static void test_place(void);


int
main(void)
{
    test_apart();
    test_place();

    return done_testing();
}


/* texts that are much alike have other hashes, and with another seed */

static void
test_apart(void)
{
    uint64_t     hash[64];
    ngx_uint_t   i, n, same;

    static u_char  zeros[64];

    same = 0;

    for (i = 0; i < 64; i++) {
        hash[i] = ngx_ors_hash(zeros, i, SEED);

        for (n = 0; n < i; n++) {
            same += (hash[n] == hash[i]);
        }
    }

    is_int(same, 0, "zeros of other lengths");

    same = 0;

    for (i = 0; i < 64; i++) {
        zeros[i] = 1;

        for (n = 0; n < 64; n++) {
            same += (ngx_ors_hash(zeros, 64, SEED) == hash[n]);
        }

        zeros[i] = 0;
    }

    is_int(same, 0, "one bit");
    ok(ngx_ors_hash(zeros, 64, SEED) != ngx_ors_hash(zeros, 64, SEED + 1),
       "another seed");
}


/* it does not matter where the bytes lie */

static void
test_place(void)
{
    u_char      text[64];
    size_t      len;
    uint64_t    hash;
    ngx_uint_t  i, wrong;

    wrong = 0;

    for (len = 0; len < 20; len++) {
        hash = ngx_ors_hash((u_char *) "abcdefghijklmnopqrst", len, SEED);

        for (i = 0; i < 8; i++) {
            ngx_memset(text, 'x', sizeof(text));
            ngx_memcpy(text + i, "abcdefghijklmnopqrst", len);

            wrong += (ngx_ors_hash(text + i, len, SEED) != hash);
        }
    }

    is_int(wrong, 0, "aligned or not");
}
