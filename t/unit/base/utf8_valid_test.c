
/*
 * Copyright (C) Open Responses contributors
 *
 * How much of a text is UTF-8, beside one character after the other: all
 * sequences that matter at each place of a block, at the ends of a page that
 * has no neighbours.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_utf8.h>

#include <stdlib.h>
#include <sys/mman.h>


#define TEST_LONGEST  300
#define TEST_ROUNDS   200000


static u_char *test_pages(size_t size);
static void test_sequences(void);
static void test_places(u_char *page, size_t size);
static void test_cuts(u_char *page, size_t size);
static void test_random(u_char *page, size_t size);
static size_t test_chars(u_char *p, size_t len);


/* of each first byte and around the limits of the others */

static const u_char  test_edges[] = {
    0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf,
    0xe0, 0xed, 0xef, 0xf0, 0xf4, 0xf5, 0xff
};

static const char  *test_words[] = {
    "a", "plain text of some length", "\xc3\xa9", "\xdf\xbf", "\xe0\xa0\x80",
    "\xe4\xb8\xad\xe6\x96\x87\xe5\xad\x97\xe7\xac\xa6\xe4\xb8\xb2\xef\xbc\x8c",
    "\xed\x9f\xbf", "\xee\x80\x80", "\xf0\x90\x80\x80", "\xf0\x9f\x98\x80",
    "\xf4\x8f\xbf\xbf"
};


int
main(void)
{
    size_t   size;
    u_char  *page;

    size = ngx_max(getpagesize(), 2 * TEST_LONGEST);
    page = test_pages(size);

    test_sequences();
    test_places(page, size);
    test_cuts(page, size);
    test_random(page, size);

    return done_testing();
}


/* memory between two pages that nobody may touch */

static u_char *
test_pages(size_t size)
{
    size_t   page;
    u_char  *p;

    page = getpagesize();

    p = mmap(NULL, size + 2 * page, PROT_NONE, MAP_PRIVATE|MAP_ANONYMOUS, -1,
             0);

    if (p == MAP_FAILED
        || mprotect(p + page, size, PROT_READ|PROT_WRITE) != 0)
    {
        exit(2);
    }

    return p + page;
}


/* all sequences of three bytes, and of four of the edges, inside a block */

static void
test_sequences(void)
{
    u_char      text[128];
    uint32_t    i, n;
    ngx_uint_t  bad;

    bad = 0;
    ngx_memset(text, 'x', sizeof(text));

    for (i = 0; i < 0x1000000; i++) {

        /* a last byte of ASCII adds nothing to the two bytes alone */

        if ((i & 0xff) > 0 && (i & 0xff) < 0x80) {
            continue;
        }

        text[40] = i >> 16;
        text[41] = i >> 8;
        text[42] = i;

        bad += (ngx_ors_utf8_valid(text, 128)
                != 40 + test_chars(text + 40, 88));
    }

    is_int(bad, 0, "all sequences of three bytes");

    n = sizeof(test_edges);

    for (i = 0; i < n * n * n * n; i++) {
        text[40] = test_edges[i / n / n / n];
        text[41] = test_edges[i / n / n % n];
        text[42] = test_edges[i / n % n];
        text[43] = test_edges[i % n];

        bad += (ngx_ors_utf8_valid(text, 128)
                != 40 + test_chars(text + 40, 88));
    }

    is_int(bad, 0, "sequences of four bytes at the edges");
}


/* two bytes of the edges at each place */

static void
test_places(u_char *page, size_t size)
{
    u_char      *p;
    size_t       at, i, len;
    ngx_uint_t   bad, k, n;

    static const char  *fill[] = { "xxx", "\xe4\xb8\xad" };

    n = sizeof(test_edges);
    bad = 0;
    len = 201;
    p = page + size - len;

    for (at = 0; at + 1 < len; at++) {
        for (k = 0; k < 2 * n * n; k++) {

            for (i = 0; i < len; i += 3) {
                ngx_memcpy(p + i, fill[k & 1], 3);
            }

            p[at] = test_edges[k / 2 / n];
            p[at + 1] = test_edges[k / 2 % n];

            bad += (ngx_ors_utf8_valid(p, len) != test_chars(p, len));
        }
    }

    is_int(bad, 0, "mistakes at each place");
}


/* each length, ending and beginning with the page */

static void
test_cuts(u_char *page, size_t size)
{
    u_char      *p;
    size_t       i, k, len;
    ngx_uint_t   bad, n, w;
    const char  *word;

    bad = 0;
    n = sizeof(test_words) / sizeof(test_words[0]);

    for (w = 0; w < n; w++) {
        word = test_words[w];
        k = ngx_strlen(word);

        for (len = 0; len < TEST_LONGEST; len++) {
            p = page + size - len;

            for (i = 0; i < len; i++) {
                p[i] = word[i % k];
            }

            bad += (ngx_ors_utf8_valid(p, len) != test_chars(p, len));

            ngx_memmove(page, p, len);

            bad += (ngx_ors_utf8_valid(page, len) != test_chars(page, len));
        }
    }

    is_int(bad, 0, "each length, a character that is cut at the end");
}


static void
test_random(u_char *page, size_t size)
{
    u_char      *p;
    size_t       i, k, len;
    ngx_uint_t   bad, n, good;
    const char  *word;

    bad = 0;
    good = 0;

    for (n = 0; n < TEST_ROUNDS; n++) {
        len = ngx_ors_test_random(TEST_LONGEST);
        p = page + size - len;

        for (i = 0; i < len; i += k) {
            word = test_words[ngx_ors_test_random(sizeof(test_words)
                                                  / sizeof(test_words[0]))];
            k = ngx_min(ngx_strlen(word), len - i);
            ngx_memcpy(p + i, word, k);
        }

        if (len && ngx_ors_test_random(2)) {
            p[ngx_ors_test_random(len)] =
                               test_edges[ngx_ors_test_random(
                                                      sizeof(test_edges))];
        }

        k = test_chars(p, len);
        good += (k == len);
        bad += (ngx_ors_utf8_valid(p, len) != k);
    }

    is_int(bad, 0, "random texts");
    ok(good > TEST_ROUNDS / 4 && good < TEST_ROUNDS * 3 / 4,
       "%d of them are right", (int) good);
}


static size_t
test_chars(u_char *p, size_t len)
{
    size_t   n;
    u_char  *last, *start;

    start = p;
    last = p + len;

    while (p < last && ngx_ors_utf8_char(p, last, &n) == NGX_OK) {
        p += n;
    }

    return p - start;
}
