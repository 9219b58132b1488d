
/*
 * Copyright (C) Open Responses contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_hash.h>


/* the least prime over 2^32 */
#define NGX_ORS_HASH_PRIME  4294967311ULL


uint64_t
ngx_ors_hash(u_char *data, size_t len, uint32_t seed)
{
    uint32_t  word;
    uint64_t  hash;

    hash = len % NGX_ORS_HASH_PRIME;

    for ( /* void */ ; len >= sizeof(word); len -= sizeof(word)) {
        ngx_memcpy(&word, data, sizeof(word));
        hash = (hash * seed + word) % NGX_ORS_HASH_PRIME;
        data += sizeof(word);
    }

    if (len) {
        word = 0;
        ngx_memcpy(&word, data, len);
        hash = (hash * seed + word) % NGX_ORS_HASH_PRIME;
    }

    return hash;
}
