
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * SipHash-1-3 of a text, with a random key.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_hash.h>
#include <ngx_ors_random.h>


#define ngx_ors_hash_rotate(x, n)  (((x) << (n)) | ((x) >> (64 - (n))))


static ngx_inline void ngx_ors_hash_round(uint64_t *v);
static ngx_inline uint64_t ngx_ors_hash_word(u_char *p, size_t len);


ngx_int_t
ngx_ors_hash_key(ngx_ors_hash_key_t *key, ngx_log_t *log)
{
    return ngx_ors_random(key->k, sizeof(key->k), log);
}


uint64_t
ngx_ors_hash(const ngx_ors_hash_key_t *key, u_char *data, size_t len)
{
    size_t    n;
    uint64_t  v[4], word;

    v[0] = key->k[0] ^ 0x736f6d6570736575ULL;
    v[1] = key->k[1] ^ 0x646f72616e646f6dULL;
    v[2] = key->k[0] ^ 0x6c7967656e657261ULL;
    v[3] = key->k[1] ^ 0x7465646279746573ULL;

    for (n = len; n >= sizeof(word); n -= sizeof(word)) {
        word = ngx_ors_hash_word(data, sizeof(word));
        data += sizeof(word);

        v[3] ^= word;
        ngx_ors_hash_round(v);
        v[0] ^= word;
    }

    word = (uint64_t) len << 56 | ngx_ors_hash_word(data, n);

    v[3] ^= word;
    ngx_ors_hash_round(v);
    v[0] ^= word;

    v[2] ^= 0xff;
    ngx_ors_hash_round(v);
    ngx_ors_hash_round(v);
    ngx_ors_hash_round(v);

    return v[0] ^ v[1] ^ v[2] ^ v[3];
}


static ngx_inline void
ngx_ors_hash_round(uint64_t *v)
{
    v[0] += v[1];
    v[2] += v[3];
    v[1] = ngx_ors_hash_rotate(v[1], 13) ^ v[0];
    v[3] = ngx_ors_hash_rotate(v[3], 16) ^ v[2];
    v[0] = ngx_ors_hash_rotate(v[0], 32);

    v[2] += v[1];
    v[0] += v[3];
    v[1] = ngx_ors_hash_rotate(v[1], 17) ^ v[2];
    v[3] = ngx_ors_hash_rotate(v[3], 21) ^ v[0];
    v[2] = ngx_ors_hash_rotate(v[2], 32);
}


/* up to eight bytes, the first one is the lowest */

static ngx_inline uint64_t
ngx_ors_hash_word(u_char *p, size_t len)
{
    uint64_t  word;

    word = 0;

#if (NGX_HAVE_LITTLE_ENDIAN)

    ngx_memcpy(&word, p, len);

#else

    while (len--) {
        word = word << 8 | p[len];
    }

#endif

    return word;
}
