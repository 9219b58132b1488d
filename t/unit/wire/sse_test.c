
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Event streams, whole and split at each byte.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_sse.h>


#define TEXT_MAX   (64 * 1024)
#define NO_LIMIT   TEXT_MAX


typedef struct {
    char    *name;
    char    *stream;
    char    *events;              /* as feed() and finish() print them */
} sse_test_t;


static void test_streams(void);
static void test_comments(void);
static void test_places(void);
static ngx_uint_t split_place(char *stream, ngx_str_t *expected);
static void print_place(ngx_ors_sse_place_t *place);
static void test_truncated(void);
static void test_limits(void);
static void test_long_line(void);
static void test_zero_copy(void);
static void test_memory(void);
static void test_no_memory(void);
static ngx_uint_t split(sse_test_t *t);
static void start(size_t max);
static ngx_int_t feed(char *data, size_t len);
static void finish(void);
static void print(ngx_int_t rc);


static sse_test_t  tests[] = {

    { "LF", "data: a\n\ndata: b\n\n", "<|a><|b>" },
    { "CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", "<|a><|b>" },
    { "CR", "data: a\r\rdata: b\r\r", "<|a><|b>" },
    { "mixed", "data: a\r\n\rdata: b\n\r\ndata: c\r\r\n", "<|a><|b><|c>" },
    { "LF after CR is one end", "data: a\r\ndata: b\r\n\n", "<|a\nb>" },
    { "CR after LF is another", "data: a\n\rdata: b\n\n", "<|a><|b>" },

    { "no space", "data:a\n\n", "<|a>" },
    { "one space is removed", "data:  a \n\n", "<| a >" },
    { "tab is kept", "data:\ta\n\n", "<|\ta>" },
    { "no colon", "data\n\n", "<|>" },
    { "empty value", "data:\n\ndata: \n\n", "<|><|>" },
    { "colons in the value", "data: a:b: c\n\n", "<|a:b: c>" },

    { "several lines", "data: a\ndata: b\ndata:c\n\n", "<|a\nb\nc>" },
    { "empty lines of data", "data\ndata:\ndata: \n\n", "<|\n\n>" },
    { "other fields between", "data: a\nid: 1\n:\nevent: e\ndata: b\n\n",
      "<e|a\nb>" },

    { "event", "event: e\ndata: a\n\ndata: b\n\n", "<e|a><|b>" },
    { "event after data", "data: a\nevent:e\n\n", "<e|a>" },
    { "the last event counts", "event: e\nevent: f\ndata: a\n\n", "<f|a>" },
    { "empty event", "event: e\nevent\ndata: a\n\n", "<|a>" },
    { "event without data", "event: e\n\ndata: a\n\n", "<|a>" },

    { "comments", ": c\ndata: a\n:\n: data: x\n\n", "<|a>" },
    { "comments alone", ": ping\n\n: ping\n\n\n\ndata: a\n\n", "<|a>" },
    { "ignored fields", "id: 7\nretry: 10\nfoo: bar\nfoo\ndata: a\n\n",
      "<|a>" },
    { "names that are longer", "datas: x\ndata1\neventx: y\ndata: a\n\n",
      "<|a>" },
    { "names that are shorter", "dat: x\nd\ne: y\neven\ndata: a\n\n",
      "<|a>" },
    { "names in upper case", "Data: x\nDATA: y\n\ndata: a\n\n", "<|a>" },
    { "space before the name", " data: x\ndata : y\n\ndata: a\n\n",
      "<|a>" },

    { "byte order mark", "\xef\xbb\xbf" "data: a\n\n", "<|a>" },
    { "byte order mark alone", "\xef\xbb\xbf\n\ndata: a\n\n", "<|a>" },
    { "byte order mark and CR", "\xef\xbb\xbf" "data: a\r\r\n", "<|a>" },
    { "byte order mark cut", "\xef\xbb" "data: a\n\ndata: b\n\n", "<|b>" },
    { "byte order mark later",
      "data: a\n\n\xef\xbb\xbf" "data: b\ndata: c\n\n", "<|a><|c>" },
    { "byte order mark in the second line",
      "\n\xef\xbb\xbf" "data: b\ndata: c\n\n", "<|c>" },
    { "two byte order marks",
      "\xef\xbb\xbf\xef\xbb\xbf" "data: b\ndata: c\n\n", "<|c>" },

    { "nothing", "", "" },
    { "end without empty line", "data: a\n\nevent: e\ndata: b\n",
      "<|a>end<e|b>" },
    { "end after CR", "data: a\r", "end<|a>" },
    { "end in a line", "data: a\n\ndata: b", "<|a>" },
    { "end in the second line", "data: a\ndata: b", "" },
    { "end after a comment", "data: a\n: c\n", "end<|a>" },
    { "end after an event line", "event: e\n", "" },

    { "as servers send it",
      ": OPENROUTER PROCESSING\n\n"
      "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n"
      "event: error\ndata: {\"error\":{}}\n\n"
      "data: [DONE]\n\n",
      "<|{\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}>"
      "<error|{\"error\":{}}><|[DONE]>" },
};

#define NTESTS  (sizeof(tests) / sizeof(tests[0]))


static ngx_pool_t     *pool;
static ngx_ors_sse_t   sse;
static u_char          text[TEXT_MAX * 2], *last;


int
main(void)
{
    test_streams();
    test_comments();
    test_places();
    test_truncated();
    test_limits();
    test_long_line();
    test_zero_copy();
    test_memory();
    test_no_memory();

    return done_testing();
}


/* whole, byte by byte, split at each place and at each two places */

static void
test_streams(void)
{
    char        *p;
    ngx_uint_t   i;

    for (i = 0; i < NTESTS; i++) {
        start(NO_LIMIT);
        feed(tests[i].stream, ngx_strlen(tests[i].stream));
        finish();
        is_mem(text, last - text, tests[i].events,
               ngx_strlen(tests[i].events), "%s", tests[i].name);

        start(NO_LIMIT);

        for (p = tests[i].stream; *p; p++) {
            feed(p, 1);
            feed(p, 0);
        }

        finish();
        is_mem(text, last - text, tests[i].events,
               ngx_strlen(tests[i].events), "%s: by bytes", tests[i].name);

        is_int(split(&tests[i]), 0, "%s: splits", tests[i].name);
    }
}


static ngx_uint_t
split(sse_test_t *t)
{
    size_t      i, j, len, elen;
    ngx_uint_t  bad;

    len = ngx_strlen(t->stream);
    elen = ngx_strlen(t->events);
    bad = 0;

    for (i = 0; i <= len; i++) {
        for (j = i; j <= len; j++) {
            start(NO_LIMIT);
            feed(t->stream, i);
            feed(t->stream + i, j - i);
            feed(t->stream + j, len - j);
            finish();

            bad += ((size_t) (last - text) != elen
                    || memcmp(text, t->events, elen) != 0);
        }
    }

    return bad;
}


/* they are counted, whatever they stand between */

static void
test_comments(void)
{
    char  *p;

    static char  stream[] =
        ": a\n\n:\r\n: b\rdata: x\n:c\n\ndata: :\n :\n\n\xef\xbb\xbf:\n";

    start(NO_LIMIT);
    feed(stream, sizeof(stream) - 1);
    is_int(sse.comments, 4, "comments are counted");

    start(NO_LIMIT);

    for (p = stream; *p; p++) {
        feed(p, 1);
    }

    is_int(sse.comments, 4, "the same byte by byte");

    start(NO_LIMIT);
    feed("\xef\xbb\xbf: a\n", 7);
    is_int(sse.comments, 1, "behind a byte order mark");

    sse.comments = 0;
    feed("data: x\n\n", 9);
    is_int(sse.comments, 0, "none since");
}


/* from where a stream could be resumed: the id, its end, and the wait */

static void
test_places(void)
{
    size_t      len;
    u_char      letters[NGX_ORS_SSE_ID + 1], stream[NGX_ORS_SSE_ID + 16];
    ngx_str_t   expected;
    ngx_uint_t  i;

    static struct {
        char  *name;
        char  *stream;
        char  *place;
    } places[] = {
        { "none", "data: a\n\n", "[] 0" },
        { "an id", "id: 7\ndata: a\n\n", "[7] 0" },
        { "an id alone", "id: 7\n\n", "[7] 0" },
        { "an id after the data", "data: a\nid:7\r\n\r\n", "[7] 0" },
        { "the last one", "id: 7\ndata: a\n\nid: 8\ndata: b\n\n", "[8] 0" },
        { "the last one of an event", "id: 7\nid: 8\ndata: a\n\n", "[8] 0" },
        { "events after it", "id: 7\n\ndata: a\n\n: b\n\n", "[7] 0" },
        { "an event that is cut", "id: 7\ndata: a\n\nid: 8\ndata: b\n",
          "[7] 0" },
        { "an id that is cut", "id: 7\n\nid: 89", "[7] 0" },
        { "none any more", "id: 7\n\nid\n\n", "[] 0" },
        { "an empty one", "id: 7\n\nid:\n\n", "[] 0" },
        { "blanks", "id:  a b \n\n", "[ a b ] 0" },
        { "not of ASCII", "id: \xc3\xa4\n\n", "[\xc3\xa4] 0" },
        { "a control character", "id: 7\n\nid: a\tb\n\n", "[] 0" },
        { "another one", "id: 7\n\nid: a\x7f\n\n", "[] 0" },
        { "names that are longer", "ids: 7\nidx\nretrys: 1\n\n", "[] 0" },
        { "names that are shorter", "i: 7\nretr: 1\n\n", "[] 0" },
        { "after a byte order mark", "\xef\xbb\xbfid: 7\n\n", "[7] 0" },
        { "a wait", "retry: 500\n\n", "[] 500" },
        { "a wait at once", "retry:25\nid: 7\ndata: a\n\n", "[7] 25" },
        { "the last wait", "retry: 500\nretry: 20\n\n", "[] 20" },
        { "waits that are none",
          "retry: 20\nretry: -1\nretry: 1s\nretry:\nretry\nretry: \n"
          "retry: 99999999999999999999\n\n", "[] 20" }
    };

    for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        expected.data = (u_char *) places[i].place;
        expected.len = ngx_strlen(places[i].place);

        is_int(split_place(places[i].stream, &expected), 0,
               "place: %s", places[i].name);
    }

    /* the longest id, and one that is longer */

    ngx_memset(letters, 'x', sizeof(letters));

    for (len = NGX_ORS_SSE_ID; len < NGX_ORS_SSE_ID + 2; len++) {
        (void) ngx_sprintf(stream, "id: %*s\n\n%Z", len, letters);

        expected.data = text + TEXT_MAX;
        expected.len = ngx_sprintf(expected.data, "[%*s] 0",
                                   (len > NGX_ORS_SSE_ID) ? (size_t) 0 : len,
                                   letters)
                       - expected.data;

        is_int(split_place((char *) stream, &expected), 0,
               "place: an id of %d bytes", (int) len);
    }
}


/* how often it is another one, split at each byte */

static ngx_uint_t
split_place(char *stream, ngx_str_t *expected)
{
    size_t               i, len;
    ngx_uint_t           bad;
    ngx_ors_sse_place_t  place;

    len = ngx_strlen(stream);
    bad = 0;

    for (i = 0; i <= len; i++) {
        start(NO_LIMIT);

        ngx_memzero(&place, sizeof(ngx_ors_sse_place_t));
        sse.place = &place;

        feed(stream, i);
        feed(stream + i, len - i);

        last = text;
        print_place(&place);

        if ((size_t) (last - text) != expected->len
            || memcmp(text, expected->data, expected->len) != 0)
        {
            is_mem(text, last - text, expected->data, expected->len,
                   "split at %d", (int) i);
            bad++;
        }

        finish();
    }

    return bad;
}


static void
print_place(ngx_ors_sse_place_t *place)
{
    *last++ = '[';
    last = ngx_cpymem(last, place->last.data, place->last.len);
    last = ngx_sprintf(last, "] %M", place->retry);
}


/* cut after each byte: what was complete is given, nothing else */

static void
test_truncated(void)
{
    size_t      i, len;
    char       *stream;
    u_char      got[512], *p;
    ngx_uint_t  bad;

    stream = "event: e\r\ndata: a\r\ndata: b\r\n\r\ndata: c\n\n";
    len = ngx_strlen(stream);
    bad = 0;

    for (i = 0; i <= len; i++) {
        start(NO_LIMIT);
        feed(stream, i);
        finish();

        /* "a" has its line end from byte 18 on, "b" from 27, and so on */

        p = ngx_cpymem(got, "", 0);

        if (i >= 29) {
            p = ngx_sprintf(p, "<e|a\nb>");

        } else if (i >= 27) {
            /* an LF that has not come belongs to the CR before it */
            p = ngx_sprintf(p, "end<e|a\nb>");

        } else if (i == 18 || i == 19) {
            p = ngx_sprintf(p, "end<e|a>");
        }

        if (i == len) {
            p = ngx_sprintf(p, "<|c>");

        } else if (i == len - 1) {
            p = ngx_sprintf(p, "end<|c>");
        }

        if (p - got != last - text || memcmp(got, text, p - got) != 0) {
            is_mem(text, last - text, got, p - got, "cut after %d", (int) i);
            bad++;
        }
    }

    is_int(bad, 0, "truncated at each byte");
}


/* the same answer at each limit, however the stream is split */

static void
test_limits(void)
{
    size_t       max, len, i;
    char        *stream;
    ngx_str_t    whole;
    ngx_uint_t   bad;

    static char  *over[] = {
        "DECLINED", "<|1234>DECLINED", "<|1234><e|12\n34>DECLINED",
        "<|1234><e|12\n34><|z>"
    };

    /* lines: 8 (comment), 10; 8, 8, 8 and 4 ignored; 18; 7 */

    stream = ": 345678\ndata: 1234\n\n"
             "event: e\ndata: 12\ndata: 34\nid:1\n\n"
             ": comments do not count\ndata: z\n\n";

    len = ngx_strlen(stream);
    bad = 0;

    whole.data = malloc(TEXT_MAX);

    for (max = 0; max < 40; max++) {
        start(max);
        feed(stream, len);
        finish();

        i = (max < 10) ? 0 : (max < 28) ? 1 : 3;

        if (!is_mem(text, last - text, over[i], ngx_strlen(over[i]),
                    "limit of %d", (int) max))
        {
            continue;
        }

        whole.len = last - text;
        ngx_memcpy(whole.data, text, whole.len);

        for (i = 0; i <= len; i++) {
            start(max);

            if (feed(stream, i) == NGX_AGAIN) {
                feed(stream + i, len - i);
            }

            finish();
            bad += ((size_t) (last - text) != whole.len
                    || memcmp(text, whole.data, whole.len) != 0);
        }

        start(max);

        for (i = 0; i < len && feed(stream + i, 1) == NGX_AGAIN; i++) {
            /* void */
        }

        finish();
        bad += ((size_t) (last - text) != whole.len
                || memcmp(text, whole.data, whole.len) != 0);
    }

    is_int(bad, 0, "limits and splits");

    /* a comment longer than all the rest */

    start(22);
    feed(stream, len);
    is_mem(text, last - text, over[1], ngx_strlen(over[1]), "event too long");

    /* many comments without an empty line */

    start(10);

    for (i = 0; i < 100; i++) {
        feed(": ping\n", 7);
    }

    feed("data: a\n\n", 9);
    is_mem(text, last - text, "<|a>", 4, "comments do not add up");

    free(whole.data);
}


static void
test_long_line(void)
{
    char              *line;
    size_t             i, n;
    ngx_pool_large_t  *large;

    line = malloc(TEXT_MAX);
    ngx_memset(line, 'x', TEXT_MAX);
    ngx_memcpy(line, "data: ", 6);
    ngx_memcpy(line + TEXT_MAX - 2, "\n\n", 2);

    for (n = 1; n <= TEXT_MAX; n = n * 7 + 3) {
        start(NO_LIMIT);

        for (i = 0; i < TEXT_MAX; i += n) {
            feed(line + i, ngx_min(n, TEXT_MAX - i));
        }

        ok(last - text == TEXT_MAX - 8 + 3
           && memcmp(text + 2, line + 6, TEXT_MAX - 8) == 0,
           "long line by %d bytes", (int) n);

        for (i = 0, large = pool->large; large; large = large->next) {
            i++;
        }

        ok(i <= 2, "memory it has grown out of is freed");
    }

    start(NO_LIMIT);
    feed(line, 1000);
    feed(line + 1000, 3000);
    feed(line + TEXT_MAX - 2, 2);
    ok(last - text == 4000 - 6 + 3
       && memcmp(text + 2, line + 6, 4000 - 6) == 0,
       "a piece of more than twice the line");

    /* the end of a line at each distance from the end of the buffer */

    for (i = 0; i < 100; i++) {
        ngx_memset(line, 'x', 200);
        ngx_memcpy(line, "data: ", 6);
        line[6 + i] = (i & 1) ? CR : LF;

        start(NO_LIMIT);
        feed(line, 7 + i);
        feed("\n\n", 2);
        is_int(last - text - 3, i, "line of %d", (int) i);
    }

    free(line);
}


static void
test_zero_copy(void)
{
    ngx_buf_t   b;
    ngx_uint_t  n;

    static u_char  stream[] = "event: e\ndata: abc\n\ndata: d\n\n";

    start(NO_LIMIT);

    ngx_memzero(&b, sizeof(ngx_buf_t));
    b.pos = stream;
    b.last = stream + sizeof(stream) - 1;

    n = ngx_ors_test_allocs();

    is_int(ngx_ors_sse_read(&sse, &b), NGX_OK, "first event");
    ok(sse.data.data == stream + 15, "data is in the buffer");
    ok(sse.event.data == stream + 7, "and the event, too");
    ok(b.pos == stream + 20, "the buffer is read up to its end");

    is_int(ngx_ors_sse_read(&sse, &b), NGX_OK, "second event");
    is_str(&sse.data, "d", "its data");
    is_int(sse.event.len, 0, "its name");

    is_int(ngx_ors_sse_read(&sse, &b), NGX_AGAIN, "no more");
    ok(b.pos == b.last, "all is read");
    is_int(ngx_ors_test_allocs() - n, 0, "no allocations");

    finish();
}


static void
test_memory(void)
{
    ngx_uint_t  i, n;

    start(NO_LIMIT);
    n = 0;

    for (i = 0; i < 1000; i++) {
        last = text;

        feed("event: na", 9);
        feed("me\nda", 5);
        feed("ta: abc\ndata: d", 15);
        feed("ef\n", 3);
        feed("\n", 1);

        if (i == 10) {
            n = ngx_ors_test_allocs();
        }
    }

    is_int(ngx_ors_test_allocs() - n, 0, "memory is used again");
    is_mem(text, last - text, "<name|abc\ndef>", 14, "the event");

    finish();

    start(1500);

    for (i = 0; i < 1500; i++) {
        feed("x", 1);
    }

    ok(sse.line.end - sse.line.start == 1500, "no more than the limit");

    finish();
}


static void
test_no_memory(void)
{
    char        *stream;
    ngx_uint_t   n, i;
    ngx_int_t    rc;

    stream = "event: name\ndata: a\ndata: bc\n\n";

    for (n = 1; ; n++) {
        start(NO_LIMIT);
        ngx_ors_test_fail_after(n);

        rc = NGX_AGAIN;

        for (i = 0; stream[i] && rc == NGX_AGAIN; i += 2) {
            rc = feed(stream + i, 2);
        }

        if (!ngx_ors_test_failed()) {
            break;
        }

        ok(rc == NGX_ERROR, "allocation %d fails", (int) n);
        is_mem(text, last - text, "ERROR", 5, "and nothing is given");

        ngx_destroy_pool(pool);
        pool = NULL;
    }

    ngx_ors_test_fail_after(0);

    is_mem(text, last - text, "<name|a\nbc>", 11, "no allocation fails");
    ok(n > 3, "all were tried");

    finish();
}


static void
start(size_t max)
{
    if (pool) {
        ngx_destroy_pool(pool);
    }

    pool = ngx_ors_test_pool();
    last = text;

    ngx_ors_sse_init(&sse, pool, max);
}


/* from memory of its own, that is gone afterwards */

static ngx_int_t
feed(char *data, size_t len)
{
    u_char     *copy;
    ngx_int_t   rc;
    ngx_buf_t   b;

    copy = malloc(len);
    ngx_memcpy(copy, data, len);

    ngx_memzero(&b, sizeof(ngx_buf_t));
    b.pos = copy;
    b.last = copy + len;

    do {
        rc = ngx_ors_sse_read(&sse, &b);
        print(rc);
    } while (rc == NGX_OK);

    if (rc == NGX_AGAIN && b.pos != b.last) {
        last = ngx_sprintf(last, "not used up");
    }

    ngx_memset(copy, '!', len);
    free(copy);

    return rc;
}


static void
finish(void)
{
    if (last - text < 8 || memcmp(last - 8, "DECLINED", 8) != 0) {

        if (ngx_ors_sse_end(&sse) == NGX_OK) {
            last = ngx_sprintf(last, "end");
            print(NGX_OK);

            if (ngx_ors_sse_end(&sse) != NGX_DONE) {
                last = ngx_sprintf(last, "not done");
            }
        }
    }

    ngx_destroy_pool(pool);
    pool = NULL;
}


static void
print(ngx_int_t rc)
{
    switch (rc) {

    case NGX_OK:
        last = ngx_sprintf(last, "<%V|", &sse.event);

        if (sse.data.len) {
            last = ngx_cpymem(last, sse.data.data, sse.data.len);
        }

        *last++ = '>';
        break;

    case NGX_DECLINED:
        last = ngx_sprintf(last, "DECLINED");
        break;

    case NGX_ERROR:
        last = ngx_sprintf(last, "ERROR");
        break;
    }
}
