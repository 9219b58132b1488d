
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Digests of texts and of lists of texts: SHA-256, cut, and HMAC with a key.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <ngx_ors_digest.h>


static void ngx_ors_digest_len(u_char *p, uint64_t len);


ngx_int_t
ngx_ors_digest(u_char kind, ngx_str_t *text, u_char *digest)
{
    u_char       md[EVP_MAX_MD_SIZE];
    ngx_int_t    rc;
    EVP_MD_CTX  *ctx;

    ctx = EVP_MD_CTX_new();
    if (ctx == NULL) {
        return NGX_ERROR;
    }

    rc = NGX_ERROR;

    if (EVP_DigestInit_ex(ctx, EVP_sha256(), NULL) == 1
        && EVP_DigestUpdate(ctx, &kind, 1) == 1
        && EVP_DigestUpdate(ctx, text->data, text->len) == 1
        && EVP_DigestFinal_ex(ctx, md, NULL) == 1)
    {
        ngx_memcpy(digest, md, NGX_ORS_DIGEST_LEN);
        rc = NGX_OK;
    }

    EVP_MD_CTX_free(ctx);

    return rc;
}


ngx_int_t
ngx_ors_digest_list(u_char kind, ngx_str_t *texts, ngx_uint_t n,
    ngx_str_t *key, u_char *digest)
{
    u_char         md[EVP_MAX_MD_SIZE], mac[EVP_MAX_MD_SIZE], len[8], *p;
    ngx_int_t      rc;
    ngx_uint_t     i;
    unsigned int   size;
    EVP_MD_CTX    *ctx;

    ctx = EVP_MD_CTX_new();
    if (ctx == NULL) {
        return NGX_ERROR;
    }

    p = md;

    rc = (EVP_DigestInit_ex(ctx, EVP_sha256(), NULL) == 1
          && EVP_DigestUpdate(ctx, &kind, 1) == 1) ? NGX_OK : NGX_ERROR;

    for (i = 0; i < n && rc == NGX_OK; i++) {
        ngx_ors_digest_len(len, texts[i].len);

        if (EVP_DigestUpdate(ctx, len, sizeof(len)) != 1
            || EVP_DigestUpdate(ctx, texts[i].data, texts[i].len) != 1)
        {
            rc = NGX_ERROR;
        }
    }

    if (rc == NGX_OK && EVP_DigestFinal_ex(ctx, md, &size) != 1) {
        rc = NGX_ERROR;
    }

    EVP_MD_CTX_free(ctx);

    if (rc == NGX_OK && key->len) {
        p = HMAC(EVP_sha256(), key->data, (int) key->len, md, size, mac, NULL);
    }

    if (rc != NGX_OK || p == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(digest, p, NGX_ORS_DIGEST_LEN);

    return NGX_OK;
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
