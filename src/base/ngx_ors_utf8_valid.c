
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * How much of a text is UTF-8: whole blocks by AVX2, the rest, and the
 * place of an error, character by character.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_utf8.h>
#include <ngx_ors_vec.h>

#if (NGX_ORS_SSE2)
#include <ngx_ors_utf8_block.h>
#endif


#define NGX_ORS_UTF8_HIGH  0x8080808080808080ULL


static u_char *ngx_ors_utf8_chars(u_char *p, u_char *last);
static ngx_uint_t ngx_ors_utf8_three(uint32_t v);
static ngx_uint_t ngx_ors_utf8_word(uint32_t v);


size_t
ngx_ors_utf8_valid(u_char *data, size_t len)
{
    u_char  *p, *last;

    p = data;
    last = data + len;

#if (NGX_ORS_SSE2)

    if (len >= NGX_ORS_UTF8_BLOCK + 2 * NGX_ORS_UTF8_PAST
        && ngx_ors_vec_avx2())
    {

        /* a character that is cut there is no longer than the half */

        p = ngx_ors_utf8_chars(p, p + 2 * NGX_ORS_UTF8_PAST);

        if (p - data >= NGX_ORS_UTF8_PAST) {
            p = ngx_ors_utf8_blocks(p, last);
        }
    }

#endif

    return ngx_ors_utf8_chars(p, last) - data;
}


/* skips good characters */

static u_char *
ngx_ors_utf8_chars(u_char *p, u_char *last)
{
    size_t    n;
    uint64_t  word, high;

    while (last - p >= 8) {

        word = (uint64_t) p[0] | (uint64_t) p[1] << 8 | (uint64_t) p[2] << 16
               | (uint64_t) p[3] << 24 | (uint64_t) p[4] << 32
               | (uint64_t) p[5] << 40 | (uint64_t) p[6] << 48
               | (uint64_t) p[7] << 56;

        high = word & NGX_ORS_UTF8_HIGH;

        if (high == 0) {
            p += 8;
            continue;
        }

        if ((high & 0x80) == 0) {
            p += __builtin_ctzll(high) / 8;
            continue;
        }

        /* two at once, in many languages all characters have three bytes */

        if ((word & 0xc0c0f0c0c0f0) == 0x8080e08080e0
            && ngx_ors_utf8_three((uint32_t) word)
            && ngx_ors_utf8_three((uint32_t) (word >> 24)))
        {
            p += 6;
            continue;
        }

        n = ngx_ors_utf8_word((uint32_t) word);

        if (n == 0) {
            return p;
        }

        p += n;
    }

    while (p < last && ngx_ors_utf8_char(p, last, &n) == NGX_OK) {
        p += n;
    }

    return p;
}


/* the bits of a character of three bytes: not overlong, not a surrogate */

static ngx_inline ngx_uint_t
ngx_ors_utf8_three(uint32_t v)
{
    return (v & 0x200f) != 0 && (v & 0x200f) != 0x200d;
}


/* the length of the character above 0x7f at the low end of "v", or 0 */

static ngx_inline ngx_uint_t
ngx_ors_utf8_word(uint32_t v)
{
    uint32_t  bits;

    if ((v & 0x00c0c0f0) == 0x008080e0) {
        return ngx_ors_utf8_three(v) ? 3 : 0;
    }

    if ((v & 0xc0e0) == 0x80c0) {
        return (v & 0x1e) ? 2 : 0;
    }

    if ((v & 0xc0c0c0f8) == 0x808080f0) {

        /* U+10000 to U+10FFFF by the top bits of 21 */

        bits = (v & 0x07) << 2 | (v >> 12 & 0x03);

        return (bits == 0 || bits > 16) ? 0 : 4;
    }

    return 0;
}
