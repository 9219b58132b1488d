
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Comparison of short texts, with each byte of each length changed.
 */


#include <ngx_ors_names.h>
#include <ngx_ors_test.h>


#define LONGEST  40


static void test_length(size_t len);
static void test_texts(void);


int
main(void)
{
    size_t  len;

    for (len = 1; len <= LONGEST; len++) {
        test_length(len);
    }

    test_texts();

    return done_testing();
}


/* in memory of that length: a sanitizer sees what is read next to it */

static void
test_length(size_t len)
{
    size_t      i;
    u_char     *a, *b;
    ngx_uint_t  same;

    a = malloc(len);
    b = malloc(len);

    if (a == NULL || b == NULL) {
        abort();
    }

    for (i = 0; i < len; i++) {
        a[i] = b[i] = (u_char) ngx_ors_test_random(256);
    }

    ok(ngx_ors_same_bytes(a, b, len), "%zu bytes are the same", len);

    same = 0;

    for (i = 0; i < len; i++) {
        b[i] ^= 1 << ngx_ors_test_random(8);
        same += ngx_ors_same_bytes(a, b, len);
        b[i] = a[i];
    }

    ok(same == 0, "%zu bytes, one of them changed, are not", len);

    free(a);
    free(b);
}


static void
test_texts(void)
{
    ngx_str_t  one = ngx_string("one"), two = ngx_string("two"),
               three = ngx_string("three"), empty = ngx_null_string;

    ok(ngx_ors_same(&one, &one), "a text is the same as itself");
    ok(!ngx_ors_same(&one, &two), "texts of one length differ");
    ok(!ngx_ors_same(&two, &three), "texts of two lengths differ");
    ok(ngx_ors_same(&empty, &empty), "empty texts without data are the same");
    ok(!ngx_ors_same(&empty, &one), "an empty text is no other");
}
