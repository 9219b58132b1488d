
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Compressed bodies: in pieces they come to the same as at once, and a text
 * that was compressed comes back.
 *
 * Input: flags, the length of pieces that come and of those that go, and the
 * bytes, compressed ones or a text.
 */


#include "fuzz.h"
#include <ngx_ors_body.h>

#include <zlib.h>
#include <zstd.h>


#define INFLATE_FUZZ_DEFLATE  0x01
#define INFLATE_FUZZ_TEXT     0x02
#define INFLATE_FUZZ_ZSTD     0x04
#define INFLATE_FUZZ_MAX      65536


typedef struct {
    ngx_int_t   rc;
    size_t      len;
    u_char      text[INFLATE_FUZZ_MAX];
} inflate_fuzz_t;


static void inflate_fuzz_text(const uint8_t *text, size_t len,
    ngx_ors_inflate_e kind);
static size_t inflate_fuzz_deflate(const uint8_t *text, size_t len,
    ngx_ors_inflate_e kind, u_char *packed, size_t size);
static void inflate_fuzz_run(inflate_fuzz_t *f, ngx_ors_inflate_e kind,
    const uint8_t *data, size_t len, size_t in, size_t out);


static inflate_fuzz_t  inflate_fuzz_once, inflate_fuzz_pieces;


int
LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    ngx_ors_inflate_e  kind;

    if (size < 3) {
        return 0;
    }

    kind = (input[0] & INFLATE_FUZZ_DEFLATE) ? ngx_ors_inflate_deflate
                                             : ngx_ors_inflate_gzip;

    if (input[0] & INFLATE_FUZZ_ZSTD) {
        kind = ngx_ors_inflate_zstd;
    }

    if (input[0] & INFLATE_FUZZ_TEXT) {
        inflate_fuzz_text(input + 3, size - 3, kind);
        return 0;
    }

    inflate_fuzz_run(&inflate_fuzz_once, kind, input + 3, size - 3, size,
                     INFLATE_FUZZ_MAX);
    inflate_fuzz_run(&inflate_fuzz_pieces, kind, input + 3, size - 3,
                     input[1] + 1, input[2] + 1);

    /* bytes in front of a mistake may differ */

    fuzz_check(inflate_fuzz_once.rc == inflate_fuzz_pieces.rc);
    fuzz_check(inflate_fuzz_once.rc == NGX_DECLINED
               || fuzz_same(inflate_fuzz_once.text, inflate_fuzz_once.len,
                            inflate_fuzz_pieces.text,
                            inflate_fuzz_pieces.len));

    return 0;
}


static void
inflate_fuzz_text(const uint8_t *text, size_t len, ngx_ors_inflate_e kind)
{
    size_t           n;
    inflate_fuzz_t  *f;

    static u_char    packed[2 * INFLATE_FUZZ_MAX];

    f = &inflate_fuzz_once;
    len = ngx_min(len, INFLATE_FUZZ_MAX - 1);

    if (kind == ngx_ors_inflate_zstd) {
        n = ZSTD_compress(packed, sizeof(packed), text, len, 1);
        fuzz_check(!ZSTD_isError(n));

    } else {
        n = inflate_fuzz_deflate(text, len, kind, packed, sizeof(packed));
    }

    inflate_fuzz_run(f, kind, packed, n, n, INFLATE_FUZZ_MAX);

    fuzz_check(f->rc == NGX_DONE && fuzz_same(f->text, f->len, text, len));
}


static size_t
inflate_fuzz_deflate(const uint8_t *text, size_t len, ngx_ors_inflate_e kind,
    u_char *packed, size_t size)
{
    z_stream  z;

    memset(&z, 0, sizeof(z_stream));

    fuzz_check(deflateInit2(&z, 1, Z_DEFLATED,
                            (kind == ngx_ors_inflate_gzip) ? 15 + 16 : 15,
                            1, Z_DEFAULT_STRATEGY)
               == Z_OK);

    z.next_in = (u_char *) text;
    z.avail_in = len;
    z.next_out = packed;
    z.avail_out = size;

    fuzz_check(deflate(&z, Z_FINISH) == Z_STREAM_END);

    deflateEnd(&z);

    return z.total_out;
}


static void
inflate_fuzz_run(inflate_fuzz_t *f, ngx_ors_inflate_e kind,
    const uint8_t *data, size_t len, size_t in, size_t out)
{
    u_char             *copy;
    size_t              n;
    ngx_buf_t           from, to;
    ngx_pool_t         *pool;
    ngx_ors_inflate_t  *inflate;

    pool = ngx_ors_test_pool();
    inflate = ngx_ors_inflate_create(kind, pool);

    f->rc = NGX_AGAIN;
    f->len = 0;

    ngx_memzero(&from, sizeof(ngx_buf_t));
    ngx_memzero(&to, sizeof(ngx_buf_t));

    while (len && f->rc != NGX_DECLINED && f->len < INFLATE_FUZZ_MAX) {
        n = ngx_min(in, len);
        copy = fuzz_copy(data, n);

        from.pos = copy;
        from.last = copy + n;

        do {
            to.last = f->text + f->len;
            to.end = to.last + ngx_min(out, INFLATE_FUZZ_MAX - f->len);

            f->rc = ngx_ors_inflate(inflate, &from, &to);

            fuzz_check(f->rc != NGX_ERROR && to.last <= to.end);
            f->len = to.last - f->text;

        } while (f->rc == NGX_OK && f->len < INFLATE_FUZZ_MAX);

        fuzz_check(f->rc == NGX_OK || f->rc == NGX_DECLINED
                   || from.pos == from.last);

        free(copy);
        data += n;
        len -= n;
    }

    /* no more is taken */

    f->rc = (f->len == INFLATE_FUZZ_MAX) ? NGX_OK : f->rc;

    ngx_destroy_pool(pool);
}
