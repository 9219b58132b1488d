
/*
 * Strings are scanned by blocks: a mask tells the bytes of a block that need
 * a look, NGX_ORS_JSON_BITS bits of the mask for each byte, lowest first.
 */


#ifndef _NGX_ORS_JSON_BLOCK_H_INCLUDED_
#define _NGX_ORS_JSON_BLOCK_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>

#if (__SSE2__ && !NGX_ORS_JSON_SCALAR)
#define NGX_ORS_JSON_SSE2       1
#include <immintrin.h>
#endif


#if (NGX_ORS_JSON_SSE2)
#define NGX_ORS_JSON_BLOCK      32
#define NGX_ORS_JSON_BITS       1
#else
#define NGX_ORS_JSON_BLOCK      8
#define NGX_ORS_JSON_BITS       8
#endif

#define ngx_ors_json_lowest(mask)                                             \
    ((ngx_uint_t) __builtin_ctzll(mask) / NGX_ORS_JSON_BITS)


#if (NGX_ORS_JSON_SSE2)

/* masks of 64 bytes, a bit for each */

#define NGX_ORS_JSON_WIDE       64
#define NGX_ORS_JSON_EVEN       0x5555555555555555ULL


typedef struct {
    uint64_t  special;    /* ends, or cannot simply stand in, a string */
    uint64_t  slash;      /* backslashes */
    uint64_t  usual;      /* what mostly follows one */
} ngx_ors_json_wide_t;


/*
 * The top bit of each byte that is special, other bits may be set too: as
 * signed, 0x80 and above is below a space, and stays so if it is saturated.
 */

static ngx_inline __m128i
ngx_ors_json_special_bytes(__m128i v)
{
    __m128i  s;

    s = _mm_subs_epi8(v, _mm_set1_epi8(' '));
    s = _mm_or_si128(s, _mm_cmpeq_epi8(v, _mm_set1_epi8('"')));

    return _mm_or_si128(s, _mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));
}


static ngx_inline ngx_uint_t
ngx_ors_json_special16(u_char *p)
{
    __m128i  v;

    v = _mm_loadu_si128((__m128i *) p);

    return (ngx_uint_t) _mm_movemask_epi8(ngx_ors_json_special_bytes(v));
}


/* the bytes of a block that end, or cannot simply stand in, a string */

static ngx_inline uint64_t
ngx_ors_json_special(u_char *p)
{
    return (uint64_t) ngx_ors_json_special16(p)
           | (uint64_t) ngx_ors_json_special16(p + 16) << 16;
}


static ngx_inline void
ngx_ors_json_wide16(u_char *p, ngx_uint_t shift, ngx_ors_json_wide_t *w)
{
    __m128i  v, slash, special, usual;

    v = _mm_loadu_si128((__m128i *) (p + shift));

    slash = _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'));
    special = ngx_ors_json_special_bytes(v);

    usual = _mm_or_si128(slash, _mm_cmpeq_epi8(v, _mm_set1_epi8('"')));
    usual = _mm_or_si128(usual, _mm_cmpeq_epi8(v, _mm_set1_epi8('n')));
    usual = _mm_or_si128(usual, _mm_cmpeq_epi8(v, _mm_set1_epi8('r')));
    usual = _mm_or_si128(usual, _mm_cmpeq_epi8(v, _mm_set1_epi8('t')));

    w->special |= (uint64_t) _mm_movemask_epi8(special) << shift;
    w->slash |= (uint64_t) _mm_movemask_epi8(slash) << shift;
    w->usual |= (uint64_t) _mm_movemask_epi8(usual) << shift;
}


static ngx_inline void
ngx_ors_json_wide(u_char *p, ngx_ors_json_wide_t *w)
{
    w->special = 0;
    w->slash = 0;
    w->usual = 0;

    ngx_ors_json_wide16(p, 0, w);
    ngx_ors_json_wide16(p, 16, w);
    ngx_ors_json_wide16(p, 32, w);
    ngx_ors_json_wide16(p, 48, w);
}


/* the same on processors that have AVX2, with half of the instructions */

#define NGX_ORS_JSON_AVX2  __attribute__((target("avx2")))

#ifndef ngx_ors_json_has_avx2
#define ngx_ors_json_has_avx2()  __builtin_cpu_supports("avx2")
#endif


static ngx_inline NGX_ORS_JSON_AVX2 void
ngx_ors_json_wide32(u_char *p, ngx_uint_t shift, ngx_ors_json_wide_t *w)
{
    __m256i  v, slash, quote, special, usual;

    v = _mm256_loadu_si256((__m256i *) (p + shift));

    slash = _mm256_cmpeq_epi8(v, _mm256_set1_epi8('\\'));
    quote = _mm256_cmpeq_epi8(v, _mm256_set1_epi8('"'));

    usual = _mm256_or_si256(slash, quote);

    special = _mm256_subs_epi8(v, _mm256_set1_epi8(' '));
    special = _mm256_or_si256(special, usual);

    usual = _mm256_or_si256(usual,
                            _mm256_cmpeq_epi8(v, _mm256_set1_epi8('n')));
    usual = _mm256_or_si256(usual,
                            _mm256_cmpeq_epi8(v, _mm256_set1_epi8('r')));
    usual = _mm256_or_si256(usual,
                            _mm256_cmpeq_epi8(v, _mm256_set1_epi8('t')));

    w->special |= (uint64_t) (uint32_t) _mm256_movemask_epi8(special) << shift;
    w->slash |= (uint64_t) (uint32_t) _mm256_movemask_epi8(slash) << shift;
    w->usual |= (uint64_t) (uint32_t) _mm256_movemask_epi8(usual) << shift;
}


static ngx_inline NGX_ORS_JSON_AVX2 void
ngx_ors_json_wide_avx2(u_char *p, ngx_ors_json_wide_t *w)
{
    w->special = 0;
    w->slash = 0;
    w->usual = 0;

    ngx_ors_json_wide32(p, 0, w);
    ngx_ors_json_wide32(p, 32, w);
}

#else

/* the same, the top bit of each byte; nothing carries from byte to byte */

static ngx_inline uint64_t
ngx_ors_json_special(u_char *p)
{
    uint64_t  v, low, plain;

    v = (uint64_t) p[0] | (uint64_t) p[1] << 8 | (uint64_t) p[2] << 16
        | (uint64_t) p[3] << 24 | (uint64_t) p[4] << 32
        | (uint64_t) p[5] << 40 | (uint64_t) p[6] << 48
        | (uint64_t) p[7] << 56;

    low = v & 0x7f7f7f7f7f7f7f7fULL;

    plain = (low + 0x6060606060606060ULL)
            & ((low ^ 0x2222222222222222ULL) + 0x7f7f7f7f7f7f7f7fULL)
            & ((low ^ 0x5c5c5c5c5c5c5c5cULL) + 0x7f7f7f7f7f7f7f7fULL);

    return (~plain | v) & 0x8080808080808080ULL;
}

#endif


#endif /* _NGX_ORS_JSON_BLOCK_H_INCLUDED_ */
