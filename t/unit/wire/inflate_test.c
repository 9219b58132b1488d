
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Compressed bodies: each form, broken ones, bombs.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_body.h>
#include <zlib.h>
#include <zstd.h>


#define TEXT      70000               /* more than a window */
#define ROOM      (2 * TEXT)

/* kinds of wrapping, as deflateInit2() knows them */
#define GZIP      (MAX_WBITS + 16)
#define ZLIB      MAX_WBITS
#define RAW       (-MAX_WBITS)
#define ZSTD      0


typedef struct {
    char                *name;
    int                  bits;
    ngx_ors_inflate_e    kind;
    int                  level;
} form_t;


static void test_form(form_t *form);
static void test_room(form_t *form, size_t room);
static void test_members(void);
static void test_broken(void);
static void test_edges(void);
static void test_bomb(void);
static void test_memory(void);
static void test_zstd(void);
static size_t compress_stream(ZSTD_CCtx *zstd, u_char *data, size_t len,
    u_char *dst);
static size_t pack(u_char *data, size_t len, form_t *form, u_char *dst);
static void make_text(size_t len);
static void start(ngx_ors_inflate_e kind, size_t room);
static void feed(u_char *data, size_t len);
static void finish(ngx_int_t expected, size_t len, char *name);


static form_t  forms[] = {
    { "gzip", GZIP, ngx_ors_inflate_gzip, 6 },
    { "gzip, stored", GZIP, ngx_ors_inflate_gzip, 0 },
    { "deflate", ZLIB, ngx_ors_inflate_deflate, 6 },
    { "deflate, stored", ZLIB, ngx_ors_inflate_deflate, 0 },
    { "deflate, fast", ZLIB, ngx_ors_inflate_deflate, 1 },
    { "deflate, best", ZLIB, ngx_ors_inflate_deflate, 9 },
    { "raw deflate", RAW, ngx_ors_inflate_deflate, 6 },
    { "raw deflate, stored", RAW, ngx_ors_inflate_deflate, 0 },
    { "zstd", ZSTD, ngx_ors_inflate_zstd, 3 },
    { "zstd, best", ZSTD, ngx_ors_inflate_zstd, 19 },
    { NULL, 0, 0, 0 }
};


static u_char              text[ROOM], packed[ROOM], result[ROOM];
static size_t              nresult, step;
static ngx_int_t           last;      /* the decoder's last result */
static ngx_pool_t         *pool;
static ngx_ors_inflate_t  *inflater;


int
main(void)
{
    form_t  *form;

    for (form = forms; form->name; form++) {
        test_form(form);
        test_room(form, 1);
        test_room(form, 7);
        test_room(form, ROOM);
    }

    test_members();
    test_broken();
    test_edges();
    test_bomb();
    test_memory();
    test_zstd();

    return done_testing();
}


/* whole, byte by byte, split at each position, cut at each position */

static void
test_form(form_t *form)
{
    size_t      n, len;
    ngx_uint_t  bad;

    make_text(TEXT);
    n = pack(text, TEXT, form, packed);

    start(form->kind, ROOM);
    feed(packed, n);
    finish(NGX_DONE, TEXT, form->name);

    start(form->kind, ROOM);

    for (len = 0; len < n; len++) {
        feed(packed + len, 1);
        feed(packed + len, 0);
    }

    finish(NGX_DONE, TEXT, form->name);

    make_text(300);
    n = pack(text, 300, form, packed);

    for (len = 0; len <= n; len++) {
        start(form->kind, ROOM);
        feed(packed, len);
        feed(packed + len, n - len);
        finish(NGX_DONE, 300, form->name);
    }

    bad = 0;

    for (len = 0; len < n; len++) {
        start(form->kind, ROOM);
        feed(packed, len);
        bad += (last != NGX_AGAIN || nresult > 300
                || ngx_memcmp(result, text, nresult) != 0);
        ngx_destroy_pool(pool);
    }

    is_int(bad, 0, "%s: cut anywhere it wants more", form->name);
}


static void
test_room(form_t *form, size_t room)
{
    size_t  n;

    make_text(5000);
    n = pack(text, 5000, form, packed);

    start(form->kind, room);
    feed(packed, n);
    finish(NGX_DONE, 5000, form->name);
}


static void
test_members(void)
{
    size_t   n, k, len;
    form_t  *form;

    form = &forms[0];

    make_text(600);
    n = pack(text, 200, form, packed);
    k = n + pack(text + 200, 0, form, packed + n);
    len = k + pack(text + 200, 400, form, packed + k);

    start(ngx_ors_inflate_gzip, ROOM);
    feed(packed, len);
    finish(NGX_DONE, 600, "members");

    start(ngx_ors_inflate_gzip, ROOM);
    feed(packed, n);
    is_int(last, NGX_DONE, "it may end after each member");
    is_int(nresult, 200, "with the text so far");
    feed(packed + n, 0);
    is_int(last, NGX_DONE, "nothing changes that");
    feed(packed + n, 1);
    is_int(last, NGX_AGAIN, "but not within the next one");
    feed(packed + n + 1, len - n - 1);
    finish(NGX_DONE, 600, "members in pieces");

    start(ngx_ors_inflate_gzip, 1);

    for (k = 0; k < len; k++) {
        feed(packed + k, 1);
    }

    finish(NGX_DONE, 600, "members byte by byte");
}


static void
test_broken(void)
{
    size_t       n, i;
    form_t      *form;
    ngx_uint_t   bad;

    make_text(300);

    for (form = forms; form->name; form++) {
        n = pack(text, 300, form, packed);

        ngx_memcpy(packed + n, "xyxyxyxy", 8);

        start(form->kind, ROOM);
        feed(packed, n + 8);
        is_int(last, NGX_DECLINED, "%s: bytes after the end", form->name);
        feed(packed, n);
        is_int(last, NGX_DECLINED, "it stays broken");
        ngx_destroy_pool(pool);

        start(form->kind, ROOM);
        feed(packed, n);
        feed(packed + n, 1);
        is_int(last, (form->kind == ngx_ors_inflate_gzip) ? NGX_AGAIN
                                                          : NGX_DECLINED,
               "%s: a byte after the end", form->name);
        feed(packed + n + 1, 7);
        is_int(last, NGX_DECLINED, "and some more");
        ngx_destroy_pool(pool);

        if (form->bits == RAW) {
            continue;
        }

        /* the sums at the end, the length of gzip too */

        bad = 0;

        for (i = n - ((form->bits == GZIP) ? 8 : 4); i < n; i++) {
            packed[i] ^= 1;

            start(form->kind, ROOM);
            feed(packed, n);
            bad += (last != NGX_DECLINED);
            ngx_destroy_pool(pool);

            packed[i] ^= 1;
        }

        is_int(bad, 0, "%s: wrong sums", form->name);
    }

    n = pack(text, 300, &forms[0], packed);

    packed[0] ^= 1;
    start(ngx_ors_inflate_gzip, ROOM);
    feed(packed, n);
    is_int(last, NGX_DECLINED, "not gzip");
    is_int(nresult, 0, "gives nothing");
    ngx_destroy_pool(pool);

    n = pack(text, 300, &forms[2], packed);

    start(ngx_ors_inflate_gzip, ROOM);
    feed(packed, n);
    is_int(last, NGX_DECLINED, "deflate is not gzip");
    ngx_destroy_pool(pool);

    start(ngx_ors_inflate_deflate, ROOM);
    feed((u_char *) "\xff\xff", 2);
    is_int(last, NGX_DECLINED, "not deflate");
    ngx_destroy_pool(pool);

    start(ngx_ors_inflate_gzip, ROOM);
    feed((u_char *) "{\"id\":1}", 8);
    is_int(last, NGX_DECLINED, "text is not gzip");
    ngx_destroy_pool(pool);

    /* 0x78 0xf9: a preset dictionary, which nobody has */

    start(ngx_ors_inflate_deflate, ROOM);
    feed((u_char *) "\x78\xf9\x01\x02\x03\x04", 6);
    is_int(last, NGX_DECLINED, "a dictionary");
    ngx_destroy_pool(pool);
}


static void
test_edges(void)
{
    size_t   n;
    form_t  *form;

    for (form = forms; form->name; form++) {
        n = pack(text, 0, form, packed);

        start(form->kind, ROOM);
        feed(packed, 0);
        is_int(last, NGX_AGAIN, "%s: nothing is not an end", form->name);
        feed(packed, n);
        finish(NGX_DONE, 0, form->name);
    }

    /* the shortest one */

    start(ngx_ors_inflate_deflate, ROOM);
    feed((u_char *) "\x03\x00", 2);
    finish(NGX_DONE, 0, "two bytes");

    /* a text that fills the room exactly */

    make_text(128);

    for (form = forms; form->name; form++) {
        n = pack(text, 128, form, packed);

        start(form->kind, 64);
        feed(packed, n);
        finish(NGX_DONE, 128, form->name);
    }
}


/* the caller says when it is enough */

static void
test_bomb(void)
{
    size_t     n;
    ngx_buf_t  in, out;

    ngx_memzero(text, TEXT);
    n = pack(text, TEXT, &forms[0], packed);

    ok(n * 200 < TEXT, "%d bytes for %d", (int) n, TEXT);

    start(ngx_ors_inflate_gzip, ROOM);

    ngx_memzero(&in, sizeof(ngx_buf_t));
    ngx_memzero(&out, sizeof(ngx_buf_t));

    in.pos = packed;
    in.last = packed + n;

    out.last = result;
    out.end = result + 1000;

    is_int(ngx_ors_inflate(inflater, &in, &out), NGX_OK, "a full buffer");
    ok(out.last == out.end, "of the size it has");
    ok(in.pos < in.last, "and there is more");

    ngx_destroy_pool(pool);
}


static void
test_memory(void)
{
    size_t       n;
    ngx_buf_t    in, out;
    ngx_int_t    rc;
    ngx_uint_t   i, allocs, errors;

    make_text(TEXT);
    n = pack(text, TEXT, &forms[0], packed);

    errors = 0;
    rc = NGX_ERROR;

    for (i = 1; i < 100; i++) {
        pool = ngx_ors_test_pool();

        ngx_memzero(&in, sizeof(ngx_buf_t));
        ngx_memzero(&out, sizeof(ngx_buf_t));

        in.pos = packed;
        in.last = packed + n;

        /* a window is only needed when a call does not finish the text */

        out.last = result;
        out.end = result + 1000;

        ngx_ors_test_fail_after(i);

        inflater = ngx_ors_inflate_create(ngx_ors_inflate_gzip, pool);

        rc = inflater ? ngx_ors_inflate(inflater, &in, &out) : NGX_ERROR;
        errors += (rc == NGX_ERROR);

        ngx_destroy_pool(pool);

        if (!ngx_ors_test_failed()) {
            break;
        }
    }

    ngx_ors_test_fail_after(0);

    is_int(rc, NGX_OK, "with memory it works");
    is_int(errors, i - 1, "without any of it there is an error");
    ok(errors >= 3, "the decoder, its state and its window");

    start(ngx_ors_inflate_gzip, 1000);
    feed(packed, n / 2);
    allocs = ngx_ors_test_allocs();
    feed(packed + n / 2, n - n / 2);
    is_int(ngx_ors_test_allocs(), allocs, "nothing more is allocated");
    finish(NGX_DONE, TEXT, "in two pieces");
}


/* frames, one to be skipped, and a window that is too large */

static void
test_zstd(void)
{
    size_t      n, len;
    form_t     *form;
    ZSTD_CCtx  *zstd;

    static u_char  skip[] = "\x50\x2a\x4d\x18\x03\x00\x00\x00xyz";

    for (form = forms; form->kind != ngx_ors_inflate_zstd; form++) {
        /* void */
    }

    make_text(600);

    len = pack(text, 200, form, packed);
    len = ngx_cpymem(packed + len, skip, sizeof(skip) - 1) - packed;
    len += pack(text + 200, 400, form, packed + len);

    start(ngx_ors_inflate_zstd, ROOM);
    feed(packed, len);
    finish(NGX_DONE, 600, "zstd: frames");

    start(ngx_ors_inflate_zstd, 1);

    for (n = 0; n < len; n++) {
        feed(packed + n, 1);
    }

    finish(NGX_DONE, 600, "zstd: frames byte by byte");

    for (n = 23; n < 25; n++) {
        zstd = ZSTD_createCCtx();

        ZSTD_CCtx_setParameter(zstd, ZSTD_c_contentSizeFlag, 0);
        ZSTD_CCtx_setParameter(zstd, ZSTD_c_windowLog, n);

        len = compress_stream(zstd, text, 600, packed);

        ZSTD_freeCCtx(zstd);

        start(ngx_ors_inflate_zstd, ROOM);
        feed(packed, len);
        is_int(last, (n == 23) ? NGX_DONE : NGX_DECLINED,
               "zstd: a window of 2^%d bytes", (int) n);
        ngx_destroy_pool(pool);
    }
}


static size_t
compress_stream(ZSTD_CCtx *zstd, u_char *data, size_t len, u_char *dst)
{
    ZSTD_inBuffer   in;
    ZSTD_outBuffer  out;

    in.src = data;
    in.size = len;
    in.pos = 0;

    out.dst = dst;
    out.size = ROOM;
    out.pos = 0;

    /* the length is not known at the beginning, and so is not the window */

    (void) ZSTD_compressStream2(zstd, &out, &in, ZSTD_e_flush);

    if (ZSTD_compressStream2(zstd, &out, &in, ZSTD_e_end) != 0) {
        abort();
    }

    return out.pos;
}


static size_t
pack(u_char *data, size_t len, form_t *form, u_char *dst)
{
    z_stream    stream;
    ZSTD_CCtx  *zstd;

    if (form->bits == ZSTD) {
        zstd = ZSTD_createCCtx();

        ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, form->level);
        ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);

        len = ZSTD_compress2(zstd, dst, ROOM, data, len);

        ZSTD_freeCCtx(zstd);

        if (ZSTD_isError(len)) {
            abort();
        }

        return len;
    }

    ngx_memzero(&stream, sizeof(z_stream));

    if (deflateInit2(&stream, form->level, Z_DEFLATED, form->bits, 8,
                     Z_DEFAULT_STRATEGY)
        != Z_OK)
    {
        abort();
    }

    stream.next_in = data;
    stream.avail_in = len;
    stream.next_out = dst;
    stream.avail_out = packed + ROOM - dst;

    if (deflate(&stream, Z_FINISH) != Z_STREAM_END) {
        abort();
    }

    (void) deflateEnd(&stream);

    return stream.next_out - dst;
}


/* words that repeat, and others between them */

static void
make_text(size_t len)
{
    u_char      *p, *end;
    ngx_uint_t   i;

    static char  *words[] = { "{\"type\":", "\"text\",", "delta", " the " };

    p = text;
    end = text + len;

    while (p < end) {
        i = ngx_ors_test_random(5);

        p = (i < 4) ? ngx_slprintf(p, end, "%s", words[i])
                    : ngx_slprintf(p, end, "%ui", ngx_ors_test_random(99));
    }
}


static void
start(ngx_ors_inflate_e kind, size_t room)
{
    pool = ngx_ors_test_pool();
    inflater = ngx_ors_inflate_create(kind, pool);

    nresult = 0;
    step = room;
    last = NGX_AGAIN;
}


static void
feed(u_char *data, size_t len)
{
    ngx_buf_t  in, out;

    ngx_memzero(&in, sizeof(ngx_buf_t));
    ngx_memzero(&out, sizeof(ngx_buf_t));

    in.pos = data;
    in.last = data + len;

    do {
        out.last = result + nresult;
        out.end = result + ngx_min(nresult + step, ROOM);

        last = ngx_ors_inflate(inflater, &in, &out);

        nresult = out.last - result;

        if (last == NGX_OK && out.last != out.end) {
            fail("NGX_OK, and there is room");
            return;
        }

    } while (last == NGX_OK);

    if ((last == NGX_AGAIN || last == NGX_DONE) && in.pos != in.last) {
        fail("%d, and there is more", (int) last);
    }
}


static void
finish(ngx_int_t expected, size_t len, char *name)
{
    is_int(last, expected, "%s: the end", name);
    is_mem(result, nresult, text, len, "%s: the text", name);

    ngx_destroy_pool(pool);
}
