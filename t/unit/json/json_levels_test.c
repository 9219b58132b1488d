
/*
 * Copyright (C) Open Responses contributors
 *
 * The reader with and without vectors, beside each other: random texts, right
 * and wrong, at each distance from the ends of a page that has no neighbours.
 */


#include <ngx_ors_test.h>
#include "json_level.h"

#include <stdlib.h>
#include <sys/mman.h>


#define JSON_TEST_ROUNDS   40000
#define JSON_TEST_SIZE     4096
#define JSON_TEST_NODES    200
#define JSON_TEST_LONGEST  200

#define json_test_pick(words)                                                 \
    words[ngx_ors_test_random(sizeof(words) / sizeof(words[0]))]


typedef ngx_int_t (*json_test_read_pt)(ngx_ors_json_t *json, u_char *text,
    size_t len);


static u_char *json_test_pages(size_t size);
static size_t json_test_make(u_char *text);
static u_char *json_test_string(u_char *p);
static ngx_uint_t json_test_same(u_char *text, size_t len);
static void json_test_lengths(u_char *page, size_t size);


static const json_test_read_pt  json_test_read[] = {
    ngx_ors_json_read, json_level1_read, json_level0_read
};

static ngx_ors_json_t  json_test_docs[3];

static const char  *json_test_words[] = {
    "a", "plain", "a plain text of more than thirty two bytes", "\\n", "\\\"",
    "\\\\", "\\t", "\xc3\xa9", "\xe4\xb8\xad", "\xe4\xb8\xad\xe6\x96\x87",
    "\xf0\x9f\x98\x80", "\xe2\x80\x94", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf",
    "\\u00e9", "\\/", "\\b", "\\f",
    "\xe4\xb8\xad\xe6\x96\x87\xe5\xad\x97\xe7\xac\xa6\xe4\xb8\xb2\xef\xbc\x8c"
    "\xe4\xb8\xad\xe6\x96\x87\xe5\xad\x97\xe7\xac\xa6\xe4\xb8\xb2\xef\xbc\x8c"
};

static const char  *json_test_wrong[] = {
    "\x80", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
    "\xf5\x80\x80\x80", "\xe4\xb8", "\xf0\x9f\x98", "\xc3", "\xff", "\n",
    "\x1f", "\\x", "\\u12", "\\\xc3\xa9", "\"", "\\", "\xc1\xbf", "\xf0\x8f",
    "\xf8\x88\x80\x80", "\xef\xbf"
};

static const char  *json_test_values[] = {
    "0", "-1.5e10", "12345678901234567890", "true", "false", "null", "[]",
    "{}", "[ ]", "[1,2]", "{\"a\":1}", "{ \"a\" : [ {} ] }", "01", "nul",
    "[1", "}", ""
};


int
main(void)
{
    size_t       len, size;
    u_char      *page, buf[JSON_TEST_SIZE];
    ngx_uint_t   i, good, n, same;
    ngx_pool_t  *pool;

    pool = ngx_ors_test_pool();

    for (i = 0; i < 3; i++) {
        ngx_ors_json_init(&json_test_docs[i], pool, 8, JSON_TEST_NODES);
    }

    size = ngx_max(getpagesize(), JSON_TEST_SIZE);
    page = json_test_pages(size);

    good = 0;
    same = 1;

    for (n = 0; same && n < JSON_TEST_ROUNDS; n++) {
        len = json_test_make(buf);

        /* ends with the page, and begins with it */

        ngx_memcpy(page + size - len, buf, len);
        same = json_test_same(page + size - len, len);

        ngx_memcpy(page, buf, len);
        same = same && json_test_same(page, len);

        good += (json_test_docs[0].error == ngx_ors_json_err_none);
    }

    is_int(n, JSON_TEST_ROUNDS, "all readers agree");
    ok(good > JSON_TEST_ROUNDS / 10, "%d texts are right", (int) good);
    ok(n - good > JSON_TEST_ROUNDS / 10, "%d are not", (int) (n - good));

    json_test_lengths(page, size);

    ngx_destroy_pool(pool);

    return done_testing();
}


/* memory between two pages that nobody may touch */

static u_char *
json_test_pages(size_t size)
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


static size_t
json_test_make(u_char *text)
{
    u_char      *p;
    ngx_uint_t   n;
    const char  *value;

    p = text;
    *p++ = '[';

    for (n = ngx_ors_test_random(4); n; n--) {

        if (ngx_ors_test_random(4)) {
            p = json_test_string(p);

        } else {
            value = json_test_pick(json_test_values);
            p = ngx_cpymem(p, value, ngx_strlen(value));
        }

        *p++ = ',';
    }

    p = json_test_string(p);

    if (ngx_ors_test_random(10)) {
        *p++ = ']';
    }

    return p - text;
}


static u_char *
json_test_string(u_char *p)
{
    ngx_uint_t   n;
    const char  *word;

    *p++ = '"';

    for (n = ngx_ors_test_random(10); n; n--) {
        word = ngx_ors_test_random(60) ? json_test_pick(json_test_words)
                                       : json_test_pick(json_test_wrong);
        p = ngx_cpymem(p, word, ngx_strlen(word));
    }

    if (ngx_ors_test_random(40)) {
        *p++ = '"';
    }

    return p;
}


/* the same result, the same error at the same place, the same nodes */

static ngx_uint_t
json_test_same(u_char *text, size_t len)
{
    ngx_int_t        rc[3];
    ngx_uint_t       i;
    ngx_ors_json_t  *a, *b;

    a = &json_test_docs[0];

    for (i = 0; i < 3; i++) {
        b = &json_test_docs[i];
        rc[i] = json_test_read[i](b, text, len);

        if (rc[i] == rc[0] && a->error == b->error && a->offset == b->offset
            && a->n == b->n
            && (a->n == 0 || ngx_memcmp(a->nodes, b->nodes, a->n
                                        * sizeof(ngx_ors_json_node_t)) == 0))
        {
            continue;
        }

        diag("reader %d: %d, error %d at %zu, not %d, %d at %zu: %.*s",
             (int) i, (int) rc[i], (int) b->error, b->offset, (int) rc[0],
             (int) a->error, a->offset, (int) len, text);

        return 0;
    }

    return 1;
}


/* a string of each length up to some blocks, one byte of it unlike the rest */

static void
json_test_lengths(u_char *page, size_t size)
{
    size_t               at, len, offset;
    u_char              *p;
    ngx_uint_t           ch, i, bad, same;
    ngx_ors_json_err_e   error;

    static const u_char  bytes[] = { 'n', '\\', 0x1f, 0x80, 0xc3, 0xf0 };

    bad = 0;
    same = 1;

    for (len = 1; same && len < JSON_TEST_LONGEST; len++) {
        for (at = 0; same && at < len; at++) {
            for (ch = 0; same && ch < sizeof(bytes); ch++) {

                p = page + size - len - 2;
                p[0] = '"';
                ngx_memset(p + 1, 'n', len);
                p[1 + at] = bytes[ch];
                p[1 + len] = '"';

                same = json_test_same(p, len + 2);

                error = (bytes[ch] == 0x1f) ? ngx_ors_json_err_control
                                            : ngx_ors_json_err_utf8;
                offset = 1 + at;

                if (ch < 2) {
                    error = ngx_ors_json_err_none;
                }

                /* the quote is escaped */

                if (ch == 1 && at == len - 1) {
                    error = ngx_ors_json_err_eof;
                    offset = len + 2;
                }

                for (i = 0; i < 3; i++) {
                    bad += (json_test_docs[i].error != error
                            || (error && json_test_docs[i].offset != offset));
                }
            }
        }
    }

    ok(same, "each byte of each length, last %d of %d", (int) at, (int) len);
    is_int(bad, 0, "errors are where they are");
}
