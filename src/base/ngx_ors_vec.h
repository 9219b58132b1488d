
/*
 * Vectors of bytes: what the processor has of them, and the few operations
 * that compilers do not have for all processors alike.
 */


#ifndef _NGX_ORS_VEC_H_INCLUDED_
#define _NGX_ORS_VEC_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


/*
 * Vectors to use: 2, the best that the processor has; 1, those that each
 * processor of its kind has; 0, no vectors.  Tests set it before they include
 * a source file, so that each of the three is tested on one machine.
 */

#ifndef NGX_ORS_VEC_LEVEL
#define NGX_ORS_VEC_LEVEL  2
#endif

#if (NGX_ORS_VEC_LEVEL && __SSE2__)
#define NGX_ORS_SSE2       1
#include <immintrin.h>

#elif (NGX_ORS_VEC_LEVEL && __aarch64__ && NGX_HAVE_LITTLE_ENDIAN)
#define NGX_ORS_NEON       1
#include <arm_neon.h>
#endif

#if (NGX_ORS_SSE2 || NGX_ORS_NEON)
#define NGX_ORS_VEC        1
#endif


#if (NGX_ORS_VEC)

/*
 * 16 bytes.  Operators work on each byte alone; a comparison gives 0xff where
 * it is true and else 0.
 */

typedef uint8_t  ngx_ors_vec_t __attribute__((vector_size(16)));

/* the number of the first byte in a mask that is not 0 */
#define ngx_ors_vec_lowest(mask)                                              \
    ((uint32_t) __builtin_ctzll(mask) / NGX_ORS_VEC_BITS)


static ngx_inline ngx_ors_vec_t
ngx_ors_vec_load(u_char *p)
{
    ngx_ors_vec_t  v;

    ngx_memcpy(&v, p, sizeof(ngx_ors_vec_t));

    return v;
}

#endif


#if (NGX_ORS_SSE2)

#define NGX_ORS_VEC_BITS   1


/*
 * Comparisons of which only the top bit of a byte is the result, which is the
 * one that counts for a mask.  As signed, 0x80 and above are below any
 * character.
 */

static ngx_inline ngx_ors_vec_t
ngx_ors_vec_high(ngx_ors_vec_t v)
{
    return v;
}


static ngx_inline ngx_ors_vec_t
ngx_ors_vec_below(ngx_ors_vec_t v, char ch)
{
    return (ngx_ors_vec_t) _mm_subs_epi8((__m128i) v, _mm_set1_epi8(ch));
}


/* NGX_ORS_VEC_BITS bits for each byte that a comparison gave, lowest first */

static ngx_inline uint64_t
ngx_ors_vec_mask(ngx_ors_vec_t v)
{
    return (uint32_t) _mm_movemask_epi8((__m128i) v);
}


/* one bit for each of 64 such bytes */

static ngx_inline uint64_t
ngx_ors_vec_mask64(ngx_ors_vec_t a, ngx_ors_vec_t b, ngx_ors_vec_t c,
    ngx_ors_vec_t d)
{
    return ngx_ors_vec_mask(a) | ngx_ors_vec_mask(b) << 16
           | ngx_ors_vec_mask(c) << 32 | ngx_ors_vec_mask(d) << 48;
}


/*
 * 32 bytes, for functions with this attribute; they are called if the
 * processor has AVX2, which libgcc finds out when the module is loaded.
 */

#define NGX_ORS_AVX2       __attribute__((target("avx2")))

#if (NGX_ORS_VEC_LEVEL > 1)
#define ngx_ors_vec_avx2()  __builtin_cpu_supports("avx2")
#else
#define ngx_ors_vec_avx2()  0
#endif

#endif


#if (NGX_ORS_NEON)

#define NGX_ORS_VEC_BITS   4


static ngx_inline ngx_ors_vec_t
ngx_ors_vec_high(ngx_ors_vec_t v)
{
    return (ngx_ors_vec_t) vcltzq_s8((int8x16_t) v);
}


static ngx_inline ngx_ors_vec_t
ngx_ors_vec_below(ngx_ors_vec_t v, char ch)
{
    return (ngx_ors_vec_t) vcltq_s8((int8x16_t) v, vdupq_n_s8(ch));
}


static ngx_inline uint64_t
ngx_ors_vec_mask(ngx_ors_vec_t v)
{
    uint8x8_t  half;

    /* each byte becomes four bits of the result */

    half = vshrn_n_u16(vreinterpretq_u16_u8((uint8x16_t) v), 4);

    return vget_lane_u64(vreinterpret_u64_u8(half), 0);
}


static ngx_inline uint64_t
ngx_ors_vec_mask64(ngx_ors_vec_t a, ngx_ors_vec_t b, ngx_ors_vec_t c,
    ngx_ors_vec_t d)
{
    uint8x16_t  ab, cd;

    static const ngx_ors_vec_t  bit = { 1, 2, 4, 8, 16, 32, 64, 128,
                                        1, 2, 4, 8, 16, 32, 64, 128 };

    /* neighbours are added until a byte has the bits of eight */

    ab = vpaddq_u8((uint8x16_t) (a & bit), (uint8x16_t) (b & bit));
    cd = vpaddq_u8((uint8x16_t) (c & bit), (uint8x16_t) (d & bit));

    ab = vpaddq_u8(ab, cd);
    ab = vpaddq_u8(ab, ab);

    return vgetq_lane_u64(vreinterpretq_u64_u8(ab), 0);
}

#endif


#endif /* _NGX_ORS_VEC_H_INCLUDED_ */
