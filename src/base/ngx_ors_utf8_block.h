
/*
 * How AVX2 checks UTF-8: blocks of NGX_ORS_UTF8_BLOCK bytes, by tables.
 */


#ifndef _NGX_ORS_UTF8_BLOCK_H_INCLUDED_
#define _NGX_ORS_UTF8_BLOCK_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_vec.h>


#define NGX_ORS_UTF8_BLOCK  64
#define NGX_ORS_UTF8_PAST   3       /* bytes in front that a byte depends on */


/* the text in front of "p" is valid but for a last character that is cut */

static ngx_inline u_char *
ngx_ors_utf8_begin(u_char *p)
{
    if (p[-1] >= 0xc0) {
        return p - 1;
    }

    if (p[-2] >= 0xe0) {
        return p - 2;
    }

    if (p[-3] >= 0xf0) {
        return p - 3;
    }

    return p;
}


/*
 * Each mistake that two bytes in a row can make (Unicode 3.9, table 3-7) is a
 * bit, and shows in three halves of bytes: the high and the low one of the
 * first byte, the high one of the second.  A table for each of the three has
 * the mistakes that this half allows; what all three allow has been made.
 *
 *                                first           second
 */

#define NGX_ORS_UTF8_CUT    0x01    /* c0..ff       00..7f, c0..ff */
#define NGX_ORS_UTF8_STRAY  0x02    /* 00..7f       80..bf */
#define NGX_ORS_UTF8_C0     0x04    /* c0, c1       80..bf */
#define NGX_ORS_UTF8_E0     0x08    /* e0           80..9f */
#define NGX_ORS_UTF8_ED     0x10    /* ed           a0..bf */
#define NGX_ORS_UTF8_F0     0x20    /* f0, f5..ff   80..8f */
#define NGX_ORS_UTF8_F4     0x40    /* f4..ff       90..bf */

/* no mistake if the second is the third or fourth of its sequence */

#define NGX_ORS_UTF8_MORE   0x80    /* 80..bf       80..bf */

/* mistakes that do not depend on the low half of the first byte */

#define NGX_ORS_UTF8_LOW    (NGX_ORS_UTF8_CUT|NGX_ORS_UTF8_STRAY              \
                             |NGX_ORS_UTF8_MORE)
#define NGX_ORS_UTF8_LARGE  (NGX_ORS_UTF8_LOW|NGX_ORS_UTF8_F0|NGX_ORS_UTF8_F4)

/* mistakes with any continuation as the second byte */

#define NGX_ORS_UTF8_NEXT   (NGX_ORS_UTF8_STRAY|NGX_ORS_UTF8_C0               \
                             |NGX_ORS_UTF8_MORE)


typedef struct {
    __m256i  first_high;
    __m256i  first_low;
    __m256i  second_high;
} ngx_ors_utf8_tables_t;


static const u_char  ngx_ors_utf8_first_high[] = {

    /* 0x0 to 0x7 */
    NGX_ORS_UTF8_STRAY, NGX_ORS_UTF8_STRAY,
    NGX_ORS_UTF8_STRAY, NGX_ORS_UTF8_STRAY,
    NGX_ORS_UTF8_STRAY, NGX_ORS_UTF8_STRAY,
    NGX_ORS_UTF8_STRAY, NGX_ORS_UTF8_STRAY,

    /* 0x8 to 0xb */
    NGX_ORS_UTF8_MORE, NGX_ORS_UTF8_MORE,
    NGX_ORS_UTF8_MORE, NGX_ORS_UTF8_MORE,

    /* 0xc to 0xf */
    NGX_ORS_UTF8_CUT|NGX_ORS_UTF8_C0,
    NGX_ORS_UTF8_CUT,
    NGX_ORS_UTF8_CUT|NGX_ORS_UTF8_E0|NGX_ORS_UTF8_ED,
    NGX_ORS_UTF8_CUT|NGX_ORS_UTF8_F0|NGX_ORS_UTF8_F4
};


static const u_char  ngx_ors_utf8_first_low[] = {

    /* 0x0 to 0x3 */
    NGX_ORS_UTF8_LOW|NGX_ORS_UTF8_C0|NGX_ORS_UTF8_E0|NGX_ORS_UTF8_F0,
    NGX_ORS_UTF8_LOW|NGX_ORS_UTF8_C0,
    NGX_ORS_UTF8_LOW,
    NGX_ORS_UTF8_LOW,

    /* 0x4 to 0x7 */
    NGX_ORS_UTF8_LOW|NGX_ORS_UTF8_F4,
    NGX_ORS_UTF8_LARGE,
    NGX_ORS_UTF8_LARGE,
    NGX_ORS_UTF8_LARGE,

    /* 0x8 to 0xb */
    NGX_ORS_UTF8_LARGE,
    NGX_ORS_UTF8_LARGE,
    NGX_ORS_UTF8_LARGE,
    NGX_ORS_UTF8_LARGE,

    /* 0xc to 0xf */
    NGX_ORS_UTF8_LARGE,
    NGX_ORS_UTF8_LARGE|NGX_ORS_UTF8_ED,
    NGX_ORS_UTF8_LARGE,
    NGX_ORS_UTF8_LARGE
};


static const u_char  ngx_ors_utf8_second_high[] = {

    /* 0x0 to 0x7 */
    NGX_ORS_UTF8_CUT, NGX_ORS_UTF8_CUT, NGX_ORS_UTF8_CUT, NGX_ORS_UTF8_CUT,
    NGX_ORS_UTF8_CUT, NGX_ORS_UTF8_CUT, NGX_ORS_UTF8_CUT, NGX_ORS_UTF8_CUT,

    /* 0x8 to 0xb */
    NGX_ORS_UTF8_NEXT|NGX_ORS_UTF8_E0|NGX_ORS_UTF8_F0,
    NGX_ORS_UTF8_NEXT|NGX_ORS_UTF8_E0|NGX_ORS_UTF8_F4,
    NGX_ORS_UTF8_NEXT|NGX_ORS_UTF8_ED|NGX_ORS_UTF8_F4,
    NGX_ORS_UTF8_NEXT|NGX_ORS_UTF8_ED|NGX_ORS_UTF8_F4,

    /* 0xc to 0xf */
    NGX_ORS_UTF8_CUT, NGX_ORS_UTF8_CUT, NGX_ORS_UTF8_CUT, NGX_ORS_UTF8_CUT
};


static ngx_inline NGX_ORS_AVX2 __m256i
ngx_ors_utf8_load32(u_char *p)
{
    return _mm256_loadu_si256((__m256i *) p);
}


/* a table in both halves of a vector, which are looked up each in its own */

static ngx_inline NGX_ORS_AVX2 __m256i
ngx_ors_utf8_table(const u_char *table)
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((__m128i *) table));
}


static ngx_inline NGX_ORS_AVX2 __m256i
ngx_ors_utf8_wrong32(ngx_ors_utf8_tables_t *t, u_char *p)
{
    __m256i  v, first, second, third, half, later, wrong;

    v = ngx_ors_utf8_load32(p);
    first = ngx_ors_utf8_load32(p - 1);
    second = ngx_ors_utf8_load32(p - 2);
    third = ngx_ors_utf8_load32(p - 3);

    half = _mm256_set1_epi8(0x0f);

    wrong = _mm256_shuffle_epi8(t->first_high,
                        _mm256_and_si256(_mm256_srli_epi16(first, 4), half));

    wrong = _mm256_and_si256(wrong,
                _mm256_shuffle_epi8(t->first_low,
                                    _mm256_and_si256(first, half)));

    wrong = _mm256_and_si256(wrong,
                _mm256_shuffle_epi8(t->second_high,
                        _mm256_and_si256(_mm256_srli_epi16(v, 4), half)));

    /*
     * "v" is the third byte after 0xe0 and above, the fourth after 0xf0 and
     * above: less 0x60 and 0x70 they have the bit of NGX_ORS_UTF8_MORE
     */

    later = _mm256_or_si256(_mm256_subs_epu8(second, _mm256_set1_epi8(0x60)),
                            _mm256_subs_epu8(third, _mm256_set1_epi8(0x70)));

    later = _mm256_and_si256(later,
                             _mm256_set1_epi8((char) NGX_ORS_UTF8_MORE));

    return _mm256_xor_si256(wrong, later);
}


/*
 * Skips blocks that are UTF-8, the last character of them may be cut; returns
 * where a character begins.  At "p" does one, and there are NGX_ORS_UTF8_PAST
 * bytes in front of it.
 */

static NGX_ORS_AVX2 u_char *
ngx_ors_utf8_blocks(u_char *p, u_char *last)
{
    __m256i                v, wrong;
    ngx_ors_utf8_tables_t  t;

    t.first_high = ngx_ors_utf8_table(ngx_ors_utf8_first_high);
    t.first_low = ngx_ors_utf8_table(ngx_ors_utf8_first_low);
    t.second_high = ngx_ors_utf8_table(ngx_ors_utf8_second_high);

    for ( /* void */ ; last - p >= NGX_ORS_UTF8_BLOCK; p += NGX_ORS_UTF8_BLOCK)
    {
        v = _mm256_or_si256(ngx_ors_utf8_load32(p),
                            ngx_ors_utf8_load32(p + 32));
        v = _mm256_or_si256(v, ngx_ors_utf8_load32(p - NGX_ORS_UTF8_PAST));

        if (_mm256_movemask_epi8(v) == 0) {
            continue;
        }

        wrong = _mm256_or_si256(ngx_ors_utf8_wrong32(&t, p),
                                ngx_ors_utf8_wrong32(&t, p + 32));

        if (!_mm256_testz_si256(wrong, wrong)) {
            break;
        }
    }

    return ngx_ors_utf8_begin(p);
}


#endif /* _NGX_ORS_UTF8_BLOCK_H_INCLUDED_ */
