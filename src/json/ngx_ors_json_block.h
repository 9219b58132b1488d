
/*
 * How strings are scanned: blocks as masks of their bytes where there are
 * vectors, byte by byte elsewhere.
 */


#ifndef _NGX_ORS_JSON_BLOCK_H_INCLUDED_
#define _NGX_ORS_JSON_BLOCK_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_vec.h>


#define NGX_ORS_JSON_ODD    0xaaaaaaaaaaaaaaaaULL


/* bytes that have been skipped */

typedef struct {
    uint64_t  high;       /* bytes above 0x7f */
    uint64_t  slash;      /* backslashes */
} ngx_ors_json_seen_t;


#if (NGX_ORS_VEC)

#define NGX_ORS_JSON_PLAIN  16      /* bytes of a block for plain text */
#define NGX_ORS_JSON_BLOCK  64      /* for text with escapes */


/* a bit for each byte of a block, lowest first */

typedef struct {
    uint64_t  end;        /* quotes and control characters */
    uint64_t  slash;      /* backslashes */
    uint64_t  usual;      /* bytes that mostly follow one */
} ngx_ors_json_block_t;


static u_char *ngx_ors_json_plain_cut(u_char *p, u_char *text, u_char *end);


/* the bytes of 16 that end a string, or need more than a copy in one */

static ngx_inline uint64_t
ngx_ors_json_special(u_char *p)
{
    ngx_ors_vec_t  v;

    v = ngx_ors_vec_load(p);

    return ngx_ors_vec_mask(ngx_ors_vec_below(v, ' ')
                            | (ngx_ors_vec_t) (v == '"')
                            | (ngx_ors_vec_t) (v == '\\'));
}


/* skips plain text, returns its end */

static ngx_inline u_char *
ngx_ors_json_plain(u_char *p, u_char *text, u_char *end)
{
    uint64_t  mask;

    for ( /* void */ ; end - p >= NGX_ORS_JSON_PLAIN; p += NGX_ORS_JSON_PLAIN)
    {
        mask = ngx_ors_json_special(p);

        if (mask) {
            return p + ngx_ors_vec_lowest(mask);
        }
    }

    return (p < end) ? ngx_ors_json_plain_cut(p, text, end) : end;
}


/* the same in the block at "p" that the end of the text cuts */

static u_char *
ngx_ors_json_plain_cut(u_char *p, u_char *text, u_char *end)
{
    u_char    copy[NGX_ORS_JSON_PLAIN];
    uint64_t  mask;

    if (end - text >= NGX_ORS_JSON_PLAIN) {
        mask = ngx_ors_json_special(end - NGX_ORS_JSON_PLAIN)
               >> (NGX_ORS_JSON_PLAIN - (end - p)) * NGX_ORS_VEC_BITS;

    } else {
        ngx_memset(copy, ' ', NGX_ORS_JSON_PLAIN);
        ngx_memcpy(copy, p, end - p);

        mask = ngx_ors_json_special(copy);
    }

    return mask ? p + ngx_ors_vec_lowest(mask) : end;
}


static ngx_inline ngx_ors_vec_t
ngx_ors_json_is_end(ngx_ors_vec_t v)
{
    return (ngx_ors_vec_t) (v == '"') | (ngx_ors_vec_t) (v < ' ');
}


static ngx_inline ngx_ors_vec_t
ngx_ors_json_is_slash(ngx_ors_vec_t v)
{
    return (ngx_ors_vec_t) (v == '\\');
}


static ngx_inline ngx_ors_vec_t
ngx_ors_json_is_usual(ngx_ors_vec_t v)
{
    return (ngx_ors_vec_t) (v == '"') | (ngx_ors_vec_t) (v == '\\')
           | (ngx_ors_vec_t) (v == 'n') | (ngx_ors_vec_t) (v == 'r')
           | (ngx_ors_vec_t) (v == 't');
}


#define ngx_ors_json_mask(test)                                               \
    ngx_ors_vec_mask64(test(v0), test(v1), test(v2), test(v3))


/* returns the bits that are set in any of the vectors of the block */

static ngx_inline ngx_ors_vec_t
ngx_ors_json_block(u_char *p, ngx_ors_json_block_t *b)
{
    ngx_ors_vec_t  v0, v1, v2, v3;

    v0 = ngx_ors_vec_load(p);
    v1 = ngx_ors_vec_load(p + 16);
    v2 = ngx_ors_vec_load(p + 32);
    v3 = ngx_ors_vec_load(p + 48);

    b->end = ngx_ors_json_mask(ngx_ors_json_is_end);
    b->slash = ngx_ors_json_mask(ngx_ors_json_is_slash);
    b->usual = ngx_ors_json_mask(ngx_ors_json_is_usual);

    return v0 | v1 | v2 | v3;
}


/* a bit for each byte above 0x7f */

static ngx_inline uint64_t
ngx_ors_json_high(u_char *p)
{
    ngx_ors_vec_t  v0, v1, v2, v3;

    v0 = ngx_ors_vec_load(p);
    v1 = ngx_ors_vec_load(p + 16);
    v2 = ngx_ors_vec_load(p + 32);
    v3 = ngx_ors_vec_load(p + 48);

    return ngx_ors_json_mask(ngx_ors_vec_high);
}


/*
 * The bytes of a block that are escaped.  "*carry" is 1 if the first one is,
 * and then the same of the next block.
 *
 * Of backslashes in a row, at places "a" to "b" - 1, the first, the third and
 * so on begin an escape.  The row, moved up by one place, less the row itself
 * is the row again.  If the odd places are set as well, this is still so where
 * "a" is even; where it is odd, nothing but place "b" is left.  With the odd
 * places inverted in the end, both come to what begins an escape, and to place
 * "b" if that is escaped.
 */

static ngx_inline uint64_t
ngx_ors_json_escaped(uint64_t slash, uint64_t *carry)
{
    uint64_t  escaped, open, row;

    row = slash & ~*carry;
    open = ((row << 1 | NGX_ORS_JSON_ODD) - row) ^ NGX_ORS_JSON_ODD;

    escaped = open ^ (slash | *carry);
    *carry = (open & slash) >> (NGX_ORS_JSON_BLOCK - 1);

    return escaped;
}


/*
 * Where skipping ends in the block at "p": at the first byte of "stop", or for
 * an escaped one at its backslash.  Adds what is in front of it.
 */

static ngx_inline u_char *
ngx_ors_json_stop(u_char *p, uint64_t stop, uint64_t escaped,
    ngx_ors_json_block_t *b, uint64_t high, ngx_ors_json_seen_t *seen)
{
    uint64_t  first;

    first = stop & (0 - stop);

    seen->high |= high & (first - 1);
    seen->slash |= b->slash & (first - 1);

    return p + __builtin_ctzll(first) - ((first & escaped) != 0);
}


/* skips in the block at "p" that the end of the text cuts */

static u_char *
ngx_ors_json_skip_cut(u_char *p, u_char *text, u_char *end, uint64_t carry,
    ngx_ors_json_seen_t *seen)
{
    u_char                copy[NGX_ORS_JSON_BLOCK];
    uint64_t              escaped, high, stop;
    ngx_uint_t            before;
    ngx_ors_json_block_t  b;

    if (end - text >= NGX_ORS_JSON_BLOCK) {
        (void) ngx_ors_json_block(end - NGX_ORS_JSON_BLOCK, &b);

        before = NGX_ORS_JSON_BLOCK - (end - p);

        b.end >>= before;
        b.slash >>= before;
        b.usual >>= before;

        high = ngx_ors_json_high(end - NGX_ORS_JSON_BLOCK) >> before;

    } else {
        ngx_memset(copy, ' ', NGX_ORS_JSON_BLOCK);
        ngx_memcpy(copy, p, end - p);

        (void) ngx_ors_json_block(copy, &b);

        high = ngx_ors_json_high(copy);
    }

    escaped = ngx_ors_json_escaped(b.slash, &carry);
    stop = (b.end & ~escaped) | (escaped & ~b.usual);

    if (stop) {
        return ngx_ors_json_stop(p, stop, escaped, &b, high, seen);
    }

    seen->high |= high;
    seen->slash |= b.slash;

    return end;
}

#endif


#if (NGX_ORS_SSE2)

/* the same with AVX2, 32 bytes at a time */

static ngx_inline NGX_ORS_AVX2 uint64_t
ngx_ors_json_mask_avx2(__m256i low, __m256i high)
{
    return (uint64_t) (uint32_t) _mm256_movemask_epi8(low)
           | (uint64_t) (uint32_t) _mm256_movemask_epi8(high) << 32;
}


static ngx_inline NGX_ORS_AVX2 __m256i
ngx_ors_json_is_avx2(__m256i v, char ch)
{
    return _mm256_cmpeq_epi8(v, _mm256_set1_epi8(ch));
}


static ngx_inline NGX_ORS_AVX2 __m256i
ngx_ors_json_is_end_avx2(__m256i v)
{
    __m256i  control;

    /* at most 0x1f is what does not change as the lesser of both */

    control = _mm256_cmpeq_epi8(_mm256_min_epu8(v, _mm256_set1_epi8(0x1f)), v);

    return _mm256_or_si256(control, ngx_ors_json_is_avx2(v, '"'));
}


/*
 * A byte is what is looked up by its low half, or is not usual.  Not in the
 * table are the quote, which has the low half of 'r', and 'b' for the same
 * reason.  For bytes above 0x7f there is 0.
 */

static ngx_inline NGX_ORS_AVX2 __m256i
ngx_ors_json_is_usual_avx2(__m256i v)
{
    __m256i  usual;

    usual = _mm256_setr_epi8(1, 0, 'r', 0, 't', 0, 'f', 0,
                             0, 0, 0, 0, '\\', 0, 'n', '/',
                             1, 0, 'r', 0, 't', 0, 'f', 0,
                             0, 0, 0, 0, '\\', 0, 'n', '/');

    usual = _mm256_cmpeq_epi8(_mm256_shuffle_epi8(usual, v), v);

    return _mm256_or_si256(usual, ngx_ors_json_is_avx2(v, '"'));
}


static ngx_inline NGX_ORS_AVX2 __m256i
ngx_ors_json_block_avx2(u_char *p, ngx_ors_json_block_t *b)
{
    __m256i  v0, v1;

    v0 = _mm256_loadu_si256((__m256i *) p);
    v1 = _mm256_loadu_si256((__m256i *) (p + 32));

    b->end = ngx_ors_json_mask_avx2(ngx_ors_json_is_end_avx2(v0),
                                    ngx_ors_json_is_end_avx2(v1));
    b->slash = ngx_ors_json_mask_avx2(ngx_ors_json_is_avx2(v0, '\\'),
                                      ngx_ors_json_is_avx2(v1, '\\'));
    b->usual = ngx_ors_json_mask_avx2(ngx_ors_json_is_usual_avx2(v0),
                                      ngx_ors_json_is_usual_avx2(v1));

    return _mm256_or_si256(v0, v1);
}


static NGX_ORS_AVX2 u_char *
ngx_ors_json_skip_avx2(u_char *p, u_char *text, u_char *end,
    ngx_ors_json_seen_t *seen)
{
    __m256i               all, v;
    uint64_t              carry, escaped, slash, stop;
    ngx_ors_json_block_t  b;

    carry = 0;
    slash = 0;
    stop = 0;
    all = _mm256_setzero_si256();

    for ( /* void */ ; end - p >= NGX_ORS_JSON_BLOCK; p += NGX_ORS_JSON_BLOCK)
    {
        v = ngx_ors_json_block_avx2(p, &b);

        escaped = ngx_ors_json_escaped(b.slash, &carry);
        stop = (b.end & ~escaped) | (escaped & ~b.usual);

        if (stop) {
            break;
        }

        all = _mm256_or_si256(all, v);
        slash |= b.slash;
    }

    seen->high |= (uint32_t) _mm256_movemask_epi8(all);
    seen->slash |= slash;

    if (stop) {
        return ngx_ors_json_stop(p, stop, escaped, &b, ngx_ors_json_high(p),
                                 seen);
    }

    return (p < end) ? ngx_ors_json_skip_cut(p, text, end, carry, seen) : end;
}

#endif


#if (NGX_ORS_VEC)

/*
 * Skips what may be in a string, among it bytes above 0x7f, which are to be
 * checked yet, and escapes, as many as is fast; returns the first byte of what
 * is neither, or "end".  Where the next escape is cannot be predicted, so that
 * a branch for each of them costs more than all else: blocks have none.
 */

static ngx_inline u_char *
ngx_ors_json_skip(u_char *p, u_char *text, u_char *end,
    ngx_ors_json_seen_t *seen)
{
    uint64_t              carry, escaped, slash, stop;
    ngx_ors_vec_t         all, v;
    ngx_ors_json_block_t  b;

#if (NGX_ORS_SSE2)

    if (ngx_ors_vec_avx2()) {
        return ngx_ors_json_skip_avx2(p, text, end, seen);
    }

#endif

    carry = 0;
    slash = 0;
    stop = 0;
    all = (ngx_ors_vec_t) { 0 };

    for ( /* void */ ; end - p >= NGX_ORS_JSON_BLOCK; p += NGX_ORS_JSON_BLOCK)
    {
        v = ngx_ors_json_block(p, &b);

        escaped = ngx_ors_json_escaped(b.slash, &carry);
        stop = (b.end & ~escaped) | (escaped & ~b.usual);

        if (stop) {
            break;
        }

        all |= v;
        slash |= b.slash;
    }

    seen->high |= ngx_ors_vec_mask(ngx_ors_vec_high(all));
    seen->slash |= slash;

    if (stop) {
        return ngx_ors_json_stop(p, stop, escaped, &b, ngx_ors_json_high(p),
                                 seen);
    }

    return (p < end) ? ngx_ors_json_skip_cut(p, text, end, carry, seen) : end;
}

#else

static ngx_inline u_char *
ngx_ors_json_plain(u_char *p, u_char *text, u_char *end)
{
    while (p < end && *p >= ' ' && *p < 0x80 && *p != '"' && *p != '\\') {
        p++;
    }

    return p;
}


/* escapes end it */

static ngx_inline u_char *
ngx_ors_json_skip(u_char *p, u_char *text, u_char *end,
    ngx_ors_json_seen_t *seen)
{
    while (p < end && *p >= ' ' && *p != '"' && *p != '\\') {
        seen->high |= *p++ & 0x80;
    }

    return p;
}

#endif


#endif /* _NGX_ORS_JSON_BLOCK_H_INCLUDED_ */
