
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * WebSocket frames, whole, byte by byte and split at each byte: framing,
 * fragments, control frames, UTF-8, closes and limits.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_ws.h>


#define TEXT_MAX  (256 * 1024)
#define LIMIT     TEXT_MAX


/* the first byte of a frame */
#define TEXT   0x81
#define BIN    0x82
#define CLOSE  0x88
#define PING   0x89
#define PONG   0x8a
#define FIRST  0x01
#define NEXT   0x00
#define LAST   0x80


typedef struct {
    u_char   head;
    char    *payload;
    size_t   len;
} ws_frame_t;


typedef struct {
    char        *name;
    ws_frame_t   frames[8];
    char        *result;          /* frames as read_all() prints them */
} ws_test_t;


#define F(head, text)  { head, text, sizeof(text) - 1 }
#define END            { 0, NULL, 0 }


static void test_frames(void);
static void test_lengths(void);
static void test_forms(void);
static void test_codes(void);
static void test_limit(void);
static void test_header(void);
static void test_truncated(void);
static void test_many(void);
static void text_frame(ngx_ors_ws_t *ws, u_char *text, size_t len,
    char *more);
static void test_output(void);
static void test_no_memory(void);
static ngx_uint_t split(u_char *in, size_t len, const char *expected);
static char *run(u_char *in, size_t len, size_t first, size_t piece,
    size_t max);
static ngx_int_t feed(ngx_ors_ws_t *ws, u_char *in, size_t len);
static size_t build(u_char *dst, ws_frame_t *frames);
static size_t frame(u_char *dst, u_char head, const char *payload, size_t len);
static void print_output(ngx_ors_out_t *out);
static void print(const char *fmt, ...);


static u_char  stream[TEXT_MAX];
static char    printed[TEXT_MAX];
static size_t  nprinted;


static ws_test_t  tests[] = {

    { "a text", { F(TEXT, "Hello"), END }, "<Hello>" },
    { "an empty text", { F(TEXT, ""), END }, "<>" },
    { "two texts", { F(TEXT, "a"), F(TEXT, "b"), END }, "<a><b>" },

    { "two fragments", { F(FIRST, "Hel"), F(LAST, "lo"), END }, "<Hello>" },
    { "three fragments",
      { F(FIRST, "a"), F(NEXT, "b"), F(LAST, "c"), END }, "<abc>" },
    { "empty fragments",
      { F(FIRST, ""), F(NEXT, ""), F(LAST, ""), END }, "<>" },
    { "an empty one at the end", { F(FIRST, "a"), F(LAST, ""), END }, "<a>" },
    { "an empty one at first", { F(FIRST, ""), F(LAST, "a"), END }, "<a>" },
    { "fragments twice",
      { F(FIRST, "a"), F(LAST, "b"), F(FIRST, "c"), F(LAST, "d"), END },
      "<ab><cd>" },
    { "a ping between fragments",
      { F(FIRST, "a"), F(PING, "p"), F(LAST, "b"), END }, "[8a:p]<ab>" },
    { "pings and pongs between fragments",
      { F(FIRST, "a"), F(PING, "p"), F(NEXT, "b"), F(PONG, "x"),
        F(PING, "q"), F(LAST, "c"), END }, "[8a:p][8a:q]<abc>" },
    { "a close between fragments",
      { F(FIRST, "a"), F(CLOSE, "\x03\xe8"), F(LAST, "b"), END },
      "closed 1000" },

    { "a continuation of nothing", { F(LAST, "a"), END }, "refused 1002" },
    { "one that is not final", { F(NEXT, "a"), END }, "refused 1002" },
    { "after a whole text", { F(TEXT, "a"), F(LAST, "b"), END },
      "<a>refused 1002" },
    { "a text inside of a text",
      { F(FIRST, "a"), F(TEXT, "b"), END }, "refused 1002" },
    { "a binary inside of a text",
      { F(FIRST, "a"), F(BIN, "b"), END }, "refused 1002" },
    { "a binary", { F(BIN, "a"), END }, "refused 1003" },
    { "an empty binary", { F(BIN, ""), END }, "refused 1003" },
    { "the beginning of a binary", { F(0x02, "a"), END }, "refused 1003" },

    { "a ping", { F(PING, "x"), END }, "[8a:x]" },
    { "an empty ping", { F(PING, ""), END }, "[8a:]" },
    { "a ping of any bytes", { F(PING, "\xff\xfe"), END }, "[8a:\xff\xfe]" },
    { "three pings", { F(PING, "1"), F(PING, "2"), F(PING, "3"), END },
      "[8a:1][8a:2][8a:3]" },
    { "a pong", { F(PONG, "x"), F(TEXT, "a"), END }, "<a>" },
    { "a fragmented ping", { F(0x09, "a"), END }, "refused 1002" },
    { "a fragmented close", { F(0x08, "\x03\xe8"), END }, "refused 1002" },

    { "reserved bit 1", { F(0xc1, "a"), END }, "refused 1002" },
    { "reserved bit 2", { F(0xa1, "a"), END }, "refused 1002" },
    { "reserved bit 3", { F(0x91, "a"), END }, "refused 1002" },
    { "reserved bits of a ping", { F(0xf9, "a"), END }, "refused 1002" },
    { "opcode 3", { F(0x83, "a"), END }, "refused 1002" },
    { "opcode 7", { F(0x87, ""), END }, "refused 1002" },
    { "opcode 11", { F(0x8b, ""), END }, "refused 1002" },
    { "opcode 15", { F(0x8f, "a"), END }, "refused 1002" },

    { "UTF-8", { F(TEXT, "\xce\xba\xe1\xbd\xb9\xf0\x9f\x98\x80"), END },
      "<\xce\xba\xe1\xbd\xb9\xf0\x9f\x98\x80>" },
    { "a character in two fragments",
      { F(FIRST, "\xf0\x9f"), F(LAST, "\x98\x80"), END },
      "<\xf0\x9f\x98\x80>" },
    { "a character in four fragments",
      { F(FIRST, "\xf0"), F(NEXT, "\x9f"), F(NEXT, "\x98"), F(LAST, "\x80"),
        END }, "<\xf0\x9f\x98\x80>" },
    { "a ping inside of a character",
      { F(FIRST, "\xce"), F(PING, ""), F(LAST, "\xba"), END },
      "[8a:]<\xce\xba>" },
    { "a character that is cut", { F(TEXT, "a\xce"), END }, "refused 1007" },
    { "... by an empty fragment",
      { F(FIRST, "a\xce"), F(LAST, ""), END }, "refused 1007" },
    { "a surrogate", { F(TEXT, "\xed\xa0\x80"), END }, "refused 1007" },
    { "an overlong character", { F(TEXT, "\xc0\x80"), END }, "refused 1007" },
    { "above U+10FFFF", { F(TEXT, "\xf4\x90\x80\x80"), END },
      "refused 1007" },
    { "a lone continuation", { F(TEXT, "\x80"), END }, "refused 1007" },
    { "refused before the message ends",
      { F(FIRST, "\xff"), F(NEXT, "a"), END }, "refused 1007" },
    { "U+0000", { F(TEXT, "a\0b"), END }, "<a>" },

    { "a close", { F(CLOSE, "\x03\xe8"), END }, "closed 1000" },
    { "a close without a code", { F(CLOSE, ""), END }, "closed 1005" },
    { "a close with a reason", { F(CLOSE, "\x03\xe9" "bye"), END },
      "closed 1001" },
    { "a close of one byte", { F(CLOSE, "\x03"), END }, "refused 1002" },
    { "a reason that is not UTF-8", { F(CLOSE, "\x03\xe8\xff"), END },
      "refused 1007" },
    { "what comes after a close",
      { F(TEXT, "a"), F(CLOSE, "\x03\xe8"), F(PING, "x"), END },
      "<a>closed 1000" },

    { NULL, { END }, NULL }
};


int
main(void)
{
    test_frames();
    test_lengths();
    test_forms();
    test_codes();
    test_limit();
    test_header();
    test_truncated();
    test_many();
    test_output();
    test_no_memory();

    return done_testing();
}


static void
test_frames(void)
{
    size_t      len;
    ws_test_t  *t;

    for (t = tests; t->name; t++) {
        len = build(stream, t->frames);

        ok(split(stream, len, t->result), "%s: %s", t->name, t->result);
    }
}


static void
test_lengths(void)
{
    char         text[70000];
    size_t       i, len;
    const char  *got;

    static size_t  lengths[] = {
        124, 125, 126, 127, 128, 4095, 4096, 4097, 65535, 65536, 65537, 69999
    };

    ngx_memset(text, 'x', sizeof(text));

    for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        len = frame(stream, TEXT, text, lengths[i]);
        len += frame(stream + len, TEXT, "end", 3);

        got = run(stream, len, len, len, LIMIT);

        ok(ngx_strlen(got) == lengths[i] + 2 + 5
           && ngx_strcmp(got + lengths[i] + 2, "<end>") == 0,
           "a text of %zu bytes", lengths[i]);

        got = run(stream, len, 3, 1009, LIMIT);

        is_int(ngx_strlen(got), lengths[i] + 2 + 5, "... in pieces");
    }

    len = frame(stream, PING, text, 125);
    got = run(stream, len, len, 1, LIMIT);

    is_int(ngx_strlen(got), 125 + 5, "a ping of 125 bytes");

    len = frame(stream, PING, text, 126);
    got = run(stream, len, len, 1, LIMIT);

    ok(ngx_strcmp(got, "refused 1002") == 0, "a ping of 126 bytes");

    len = frame(stream, CLOSE, text, 126);
    got = run(stream, len, len, 1, LIMIT);

    ok(ngx_strcmp(got, "refused 1002") == 0, "a close of 126 bytes");
}


/* headers that frame() does not make */

static void
test_forms(void)
{
    static u_char  plain[] = { TEXT, 0x01, 'a' };
    static u_char  ping[] = { PING, 0x00 };
    static u_char  long16[] = { TEXT, 0xfe, 0, 1, 0, 0, 0, 0, 'a' };
    static u_char  long64[] = { TEXT, 0xff, 0, 0, 0, 0, 0, 0, 0, 1,
                                0, 0, 0, 0, 'a' };
    static u_char  huge[] = { TEXT, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0,
                              0, 0, 0, 0, 'a' };
    static u_char  most[] = { TEXT, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff,
                              0xff, 0xff, 0, 0, 0, 0, 'a' };

    ok(split(plain, sizeof(plain), "refused 1002"), "a text without a mask");
    ok(split(ping, sizeof(ping), "refused 1002"), "a ping without a mask");
    ok(split(long16, sizeof(long16), "refused 1002"),
       "a length in 2 bytes that needs 1");
    ok(split(long64, sizeof(long64), "refused 1002"),
       "a length in 8 bytes that needs 1");
    ok(split(huge, sizeof(huge), "refused 1002"), "a length of 64 bits");
    ok(split(most, sizeof(most), "refused 1009"), "a length of 63 bits");
}


static void
test_codes(void)
{
    char         payload[2], expected[32];
    size_t       i, len;
    ngx_uint_t   code;

    static struct {
        ngx_uint_t   code;
        ngx_uint_t   good;
    } codes[] = {
        { 0, 0 }, { 999, 0 }, { 1000, 1 }, { 1001, 1 }, { 1002, 1 },
        { 1003, 1 }, { 1004, 0 }, { 1005, 0 }, { 1006, 0 }, { 1007, 1 },
        { 1008, 1 }, { 1009, 1 }, { 1010, 1 }, { 1011, 1 }, { 1012, 1 },
        { 1013, 1 }, { 1014, 1 }, { 1015, 0 }, { 1016, 0 }, { 1100, 0 },
        { 2000, 0 }, { 2999, 0 }, { 3000, 1 }, { 3999, 1 }, { 4000, 1 },
        { 4999, 1 }, { 5000, 0 }, { 65535, 0 }
    };

    for (i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        code = codes[i].code;

        payload[0] = (char) (code >> 8);
        payload[1] = (char) code;

        len = frame(stream, CLOSE, payload, 2);

        sprintf(expected, codes[i].good ? "closed %d" : "refused 1002",
                (int) code);

        ok(ngx_strcmp(run(stream, len, len, 1, LIMIT), expected) == 0,
           "code %d: %s", (int) code, expected);
    }
}


static void
test_limit(void)
{
    size_t  len;

    len = frame(stream, TEXT, "12345678", 8);
    ok(ngx_strcmp(run(stream, len, len, 1, 8), "<12345678>") == 0,
       "a text as long as it may be");

    len = frame(stream, TEXT, "123456789", 9);
    ok(ngx_strcmp(run(stream, len, len, 1, 8), "refused 1009") == 0,
       "one byte over the limit");

    len = frame(stream, FIRST, "12345678", 8);
    len += frame(stream + len, LAST, "9", 1);
    ok(ngx_strcmp(run(stream, len, len, 1, 8), "refused 1009") == 0,
       "fragments that are over it together");

    len = frame(stream, FIRST, "12345678", 8);
    len += frame(stream + len, PING, "0123456789", 10);
    len += frame(stream + len, LAST, "", 0);
    len += frame(stream + len, TEXT, "12345678", 8);
    ok(ngx_strcmp(run(stream, len, len, 1, 8),
                  "[8a:0123456789]<12345678><12345678>") == 0,
       "control frames and other messages do not count");
}


/*
 * The end of a header that breaks a rule is enough: no byte of its payload is
 * waited for, and it has no memory.  What is in front of it is read.
 */

static void
test_header(void)
{
    char           expected[32];
    size_t         i, len, first;
    ngx_buf_t      b;
    ngx_pool_t    *pool;
    ngx_ors_ws_t  *ws;
    ngx_ors_out_t  out;

    static struct {
        u_char       bytes[10];
        size_t       len;
        ngx_uint_t   code;
    } headers[] = {
        { { TEXT, 0x89 }, 2, 1009 },
        { { FIRST, 0x89 }, 2, 1009 },
        { { TEXT, 0xfe, 0x00, 0x7e }, 4, 1009 },
        { { TEXT, 0xff, 0, 0, 0, 0, 0, 1, 0, 0 }, 10, 1009 },
        { { TEXT, 0xff, 0x40, 0, 0, 0, 0, 0, 0, 0 }, 10, 1009 },
        { { TEXT, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0 }, 10, 1002 },
        { { TEXT, 0x01 }, 2, 1002 },
        { { TEXT, 0x00 }, 2, 1002 },
        { { 0xc1, 0x81 }, 2, 1002 },
        { { 0x83, 0x81 }, 2, 1002 },
        { { LAST, 0x81 }, 2, 1002 },
        { { BIN, 0x81 }, 2, 1003 },
        { { PING, 0x01 }, 2, 1002 },
        { { PING, 0xfe }, 2, 1002 },
        { { 0x09, 0x81 }, 2, 1002 },
        { { 0x8b, 0x80 }, 2, 1002 }
    };

    for (i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
        first = frame(stream, TEXT, "12345678", 8);
        len = first + headers[i].len;
        ngx_memcpy(stream + first, headers[i].bytes, headers[i].len);

        sprintf(expected, "<12345678>refused %d", (int) headers[i].code);

        ok(ngx_strcmp(run(stream, len, len, len, 8), expected) == 0,
           "header %d is refused after a text", (int) i);
        ok(ngx_strcmp(run(stream, len, 1, 1, 8), expected) == 0,
           "... byte by byte");
        ok(ngx_strcmp(run(stream, len - 1, 1, 1, 8), "<12345678>") == 0,
           "... and not before its end");
    }

    len = frame(stream, FIRST, "12345", 5);
    stream[len] = LAST;
    stream[len + 1] = 0x84;

    ok(ngx_strcmp(run(stream, len + 2, 1, 1, 8), "refused 1009") == 0,
       "a fragment that is too long with those in front of it");

    pool = ngx_ors_test_pool();
    ngx_ors_out_init(&out, pool, 512);
    ws = ngx_ors_ws_create(pool, &out, 8);

    ngx_memzero(&b, sizeof(ngx_buf_t));
    b.pos = headers[0].bytes;
    b.last = b.pos + 2;

    is_int(ngx_ors_ws_read(ws, &b), NGX_DECLINED, "a long text");
    ok(ws->part == NULL, "... has no memory");
    is_int(ngx_ors_ws_read(ws, &b), NGX_DECLINED, "... and stays refused");

    ngx_destroy_pool(pool);
}


/* all beginnings of a stream: nothing but what is whole in them */

static void
test_truncated(void)
{
    size_t       i, len, first;
    ngx_uint_t   bad;
    const char  *expected;

    first = frame(stream, TEXT, "first", 5);
    len = first + frame(stream + first, TEXT, "second", 6);

    bad = 0;

    for (i = 0; i <= len; i++) {
        expected = (i < first) ? "" : (i < len) ? "<first>"
                                                : "<first><second>";

        bad += (ngx_strcmp(run(stream, i, i, 1, LIMIT), expected) != 0);
    }

    is_int(bad, 0, "a stream that is cut anywhere");
}


/* memory is that of the text, however many frames it is in */

static void
test_many(void)
{
    size_t         len, i;
    u_char         one[16];
    ngx_buf_t      b;
    ngx_pool_t    *pool;
    ngx_ors_ws_t  *ws;
    ngx_ors_out_t  out;

    pool = ngx_ors_test_pool();
    ngx_ors_out_init(&out, pool, 4096);
    ws = ngx_ors_ws_create(pool, &out, LIMIT);

    ngx_memzero(&b, sizeof(ngx_buf_t));
    ngx_ors_test_memory_reset();

    for (i = 0; i < 100000; i++) {
        len = frame(one, i ? NEXT : FIRST, "", 0);

        (void) feed(ws, one, len);
    }

    len = frame(one, LAST, "x", 1);
    b.pos = one;
    b.last = one + len;

    is_int(ngx_ors_ws_read(ws, &b), NGX_OK, "100,000 empty fragments");
    is_str(&ws->text, "x", "... and their text");
    ok(ngx_ors_test_memory() < 8192, "... take the memory of the text");

    ngx_destroy_pool(ws->pool);
    ngx_destroy_pool(pool);
}


/* each message in two links, the second of which is a byte */

static void
text_frame(ngx_ors_ws_t *ws, u_char *text, size_t len, char *more)
{
    ngx_buf_t    b[2];
    ngx_str_t    members;
    ngx_chain_t  cl[2];

    ngx_memzero(b, sizeof(b));

    b[0].pos = text;
    b[0].last = text + len - 1;
    b[1].pos = text + len - 1;
    b[1].last = text + len;

    cl[0].buf = &b[0];
    cl[0].next = &cl[1];
    cl[1].buf = &b[1];
    cl[1].next = NULL;

    members.data = (u_char *) more;
    members.len = ngx_strlen(more);

    ngx_ors_ws_chain(ws, &cl[0], &cl[1], &members);

    ok(b[0].pos == b[0].last && b[1].pos == b[1].last, "it is used up");
}


static void
test_output(void)
{
    u_char         text[70000];
    ngx_pool_t    *pool;
    ngx_chain_t   *cl;
    ngx_ors_ws_t  *ws;
    ngx_ors_out_t  out;

    pool = ngx_ors_test_pool();
    ngx_ors_out_init(&out, pool, 512);
    ws = ngx_ors_ws_create(pool, &out, LIMIT);

    text_frame(ws, (u_char *) "Hello", 5, "");
    (void) ngx_ors_out_take(&out, &cl);
    is_chain(cl, "\x81\x05Hello", "a message is one frame without a mask");

    text_frame(ws, (u_char *) "{\"a\":1}", 7, ",\"b\":2");
    (void) ngx_ors_out_take(&out, &cl);
    is_chain(cl, "\x81\x0d{\"a\":1,\"b\":2}", "a member more");

    ngx_ors_ws_ping(ws);
    (void) ngx_ors_out_take(&out, &cl);
    is_int(cl->buf->last - cl->buf->pos, 2, "a ping has two bytes");
    is_int(cl->buf->pos[0], 0x89, "... its opcode");

    ngx_memset(text, 'x', sizeof(text));

    text_frame(ws, text, 126, "");
    is_int(out.size, 126 + 4, "the header of 126 bytes");
    text_frame(ws, text, 65535, "");
    is_int(out.size, 126 + 4 + 65535 + 4, "the header of 65535 bytes");
    (void) ngx_ors_out_drop(&out);
    text_frame(ws, text, 65536, "");
    is_int(out.size, 65536 + 10, "the header of 65536 bytes");
    (void) ngx_ors_out_drop(&out);

    ngx_ors_ws_close(ws, NGX_ORS_WS_GOING_AWAY);
    (void) ngx_ors_out_take(&out, &cl);
    is_chain(cl, "\x88\x02\x03\xe9", "a close with a code");

    ngx_ors_ws_close(ws, NGX_ORS_WS_NO_CODE);
    is_int(out.size, 2, "a close without one");

    ngx_destroy_pool(pool);
}


static void
test_no_memory(void)
{
    size_t         len;
    ngx_int_t      rc;
    ngx_uint_t     n;
    ngx_pool_t    *pool;
    ngx_ors_ws_t  *ws;
    ngx_ors_out_t  out;

    len = frame(stream, FIRST, "a", 1);
    len += frame(stream + len, LAST, "b", 1);

    for (n = 1; /* void */ ; n++) {
        pool = ngx_ors_test_pool();
        ngx_ors_out_init(&out, pool, 512);

        ngx_ors_test_fail_after(n);

        ws = ngx_ors_ws_create(pool, &out, LIMIT);
        rc = NGX_ERROR;

        if (ws) {
            rc = feed(ws, stream, len);
        }

        if (!ngx_ors_test_failed()) {
            break;
        }

        ngx_ors_test_fail_after(0);

        is_int(rc, NGX_ERROR, "no memory at allocation %d", (int) n);
        ngx_destroy_pool(pool);
    }

    ngx_ors_test_fail_after(0);
    ngx_destroy_pool(pool);
}


/* the same for each place where the stream may be split */

static ngx_uint_t
split(u_char *in, size_t len, const char *expected)
{
    size_t  i;

    for (i = 0; i <= len; i++) {

        if (ngx_strcmp(run(in, len, i, len, LIMIT), expected) != 0) {
            diag("split at %zu: \"%s\"", i, printed);
            return 0;
        }
    }

    if (ngx_strcmp(run(in, len, 1, 1, LIMIT), expected) != 0) {
        diag("byte by byte: \"%s\"", printed);
        return 0;
    }

    return 1;
}


/* "first" bytes, then the rest in pieces */

static char *
run(u_char *in, size_t len, size_t first, size_t piece, size_t max)
{
    size_t         n;
    ngx_int_t      rc;
    ngx_pool_t    *pool;
    ngx_ors_ws_t  *ws;
    ngx_ors_out_t  out;

    nprinted = 0;
    printed[0] = '\0';

    pool = ngx_ors_test_pool();
    ngx_ors_out_init(&out, pool, 512);
    ws = ngx_ors_ws_create(pool, &out, max);

    rc = NGX_AGAIN;

    for (n = first; rc == NGX_AGAIN; n = ngx_min(piece, len)) {
        rc = feed(ws, in, n);

        in += n;
        len -= n;

        if (len == 0) {
            break;
        }
    }

    if (rc == NGX_DONE) {
        print("closed %d", (int) ws->code);

    } else if (rc == NGX_DECLINED) {
        print("refused %d", (int) ws->code);
    }

    ngx_destroy_pool(pool);

    return printed;
}


static ngx_int_t
feed(ngx_ors_ws_t *ws, u_char *in, size_t len)
{
    u_char     *copy;
    ngx_int_t   rc;
    ngx_buf_t   b;

    copy = malloc(len + 1);
    ngx_memcpy(copy, in, len);

    ngx_memzero(&b, sizeof(ngx_buf_t));
    b.pos = copy;
    b.last = copy + len;

    for ( ;; ) {
        rc = ngx_ors_ws_read(ws, &b);

        print_output(ws->out);

        if (rc != NGX_OK) {
            break;
        }

        print("<%.*s>", (int) ws->text.len, ws->text.data);
        ngx_destroy_pool(ws->pool);
    }

    if (rc == NGX_AGAIN && b.pos != b.last) {
        print("unused");
    }

    free(copy);

    return rc;
}


static size_t
build(u_char *dst, ws_frame_t *frames)
{
    u_char      *p;
    ws_frame_t  *f;

    p = dst;

    for (f = frames; f->payload; f++) {
        p += frame(p, f->head, f->payload, f->len);
    }

    return p - dst;
}


static size_t
frame(u_char *dst, u_char head, const char *payload, size_t len)
{
    u_char  *p;
    size_t   i;

    static u_char  key[] = { 0x37, 0xfa, 0x21, 0x3d };

    p = dst;
    *p++ = head;

    if (len < 126) {
        *p++ = (u_char) (0x80 + len);

    } else if (len < 65536) {
        *p++ = 0xfe;
        *p++ = (u_char) (len >> 8);
        *p++ = (u_char) len;

    } else {
        *p++ = 0xff;
        ngx_memzero(p, 4);
        p += 4;
        *p++ = (u_char) (len >> 24);
        *p++ = (u_char) (len >> 16);
        *p++ = (u_char) (len >> 8);
        *p++ = (u_char) len;
    }

    p = ngx_cpymem(p, key, 4);

    for (i = 0; i < len; i++) {
        *p++ = (u_char) payload[i] ^ key[i % 4];
    }

    return p - dst;
}


/* control frames that were appended: opcode and payload */

static void
print_output(ngx_ors_out_t *out)
{
    u_char       *p;
    ngx_chain_t  *cl;
    u_char        text[1024];

    if (out->size == 0 || out->size > sizeof(text)
        || ngx_ors_out_take(out, &cl) != NGX_OK)
    {
        return;
    }

    for (p = text; cl; cl = cl->next) {
        p = ngx_cpymem(p, cl->buf->pos, cl->buf->last - cl->buf->pos);
    }

    *p = '\0';

    for (p = text; *p; p += 2 + p[1]) {
        print("[%x:%.*s]", p[0], p[1], p + 2);
    }
}


static void
print(const char *fmt, ...)
{
    va_list  args;

    va_start(args, fmt);
    nprinted += vsnprintf(printed + nprinted, sizeof(printed) - nprinted, fmt,
                          args);
    va_end(args);
}
