
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Digests of texts and of lists of texts: SHA-256, cut, and HMAC with a key.
 */


/*
 * SHA-256 itself, not EVP: to find the digest among libcrypto's providers
 * takes longer than to compute it, for each text
 */

#define OPENSSL_SUPPRESS_DEPRECATED

#include <ngx_config.h>
#include <ngx_core.h>
#include <openssl/sha.h>
#include <ngx_ors_digest.h>


#define NGX_ORS_DIGEST_BLOCK  64        /* of SHA-256 and of its HMAC */


static ngx_int_t ngx_ors_digest_mac(ngx_str_t *key, u_char *md);
static ngx_int_t ngx_ors_digest_two(u_char *first, size_t len, ngx_str_t *text,
    u_char *md);
static void ngx_ors_digest_len(u_char *p, uint64_t len);


ngx_int_t
ngx_ors_digest(u_char kind, ngx_str_t *text, u_char *digest)
{
    u_char  md[NGX_ORS_DIGEST_WHOLE];

    if (ngx_ors_digest_whole(kind, text, md) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_memcpy(digest, md, NGX_ORS_DIGEST_LEN);

    return NGX_OK;
}


ngx_int_t
ngx_ors_digest_whole(u_char kind, ngx_str_t *text, u_char *md)
{
    return ngx_ors_digest_two(&kind, 1, text, md);
}


ngx_int_t
ngx_ors_digest_list(u_char kind, ngx_str_t *texts, ngx_uint_t n,
    ngx_str_t *key, u_char *digest)
{
    u_char      md[NGX_ORS_DIGEST_WHOLE], len[8];
    ngx_uint_t  i;
    SHA256_CTX  ctx;

    if (SHA256_Init(&ctx) != 1 || SHA256_Update(&ctx, &kind, 1) != 1) {
        return NGX_ERROR;
    }

    for (i = 0; i < n; i++) {
        ngx_ors_digest_len(len, texts[i].len);

        if (SHA256_Update(&ctx, len, sizeof(len)) != 1
            || SHA256_Update(&ctx, texts[i].data, texts[i].len) != 1)
        {
            return NGX_ERROR;
        }
    }

    if (SHA256_Final(md, &ctx) != 1
        || (key->len && ngx_ors_digest_mac(key, md) != NGX_OK))
    {
        return NGX_ERROR;
    }

    ngx_memcpy(digest, md, NGX_ORS_DIGEST_LEN);

    return NGX_OK;
}


/* the HMAC of "md" takes its place */

static ngx_int_t
ngx_ors_digest_mac(ngx_str_t *key, u_char *md)
{
    u_char      pad[NGX_ORS_DIGEST_BLOCK];
    ngx_int_t   rc;
    ngx_str_t   text, none;
    ngx_uint_t  i, k;

    static u_char  mask[] = { 0x36, 0x36 ^ 0x5c };

    ngx_memzero(pad, sizeof(pad));
    ngx_str_null(&none);

    if (key->len <= sizeof(pad)) {
        ngx_memcpy(pad, key->data, key->len);

    } else if (ngx_ors_digest_two(key->data, key->len, &none, pad) != NGX_OK) {
        return NGX_ERROR;
    }

    text.data = md;
    text.len = NGX_ORS_DIGEST_WHOLE;

    for (k = 0, rc = NGX_OK; k < 2 && rc == NGX_OK; k++) {

        for (i = 0; i < sizeof(pad); i++) {
            pad[i] ^= mask[k];
        }

        rc = ngx_ors_digest_two(pad, sizeof(pad), &text, md);
    }

    ngx_explicit_memzero(pad, sizeof(pad));

    return rc;
}


/* "md" may be where "text" is */

static ngx_int_t
ngx_ors_digest_two(u_char *first, size_t len, ngx_str_t *text, u_char *md)
{
    SHA256_CTX  ctx;

    return (SHA256_Init(&ctx) == 1
            && SHA256_Update(&ctx, first, len) == 1
            && SHA256_Update(&ctx, text->data, text->len) == 1
            && SHA256_Final(md, &ctx) == 1)
           ? NGX_OK : NGX_ERROR;
}


/* the least byte first, on all machines that share a store */

static void
ngx_ors_digest_len(u_char *p, uint64_t len)
{
    ngx_uint_t  i;

    for (i = 0; i < 8; i++) {
        p[i] = (u_char) len;
        len >>= 8;
    }
}


/*
 * The token of a response, computed from its id.
 */


ngx_int_t
ngx_ors_token(ngx_str_t *id, u_char *token)
{
    u_char  md[NGX_ORS_DIGEST_WHOLE];

    if (ngx_ors_digest_whole('t', id, md) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_ors_id_letters(token, md);

    return NGX_OK;
}
