
/*
 * Copyright (C) Open Responses contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <openssl/evp.h>
#include <ngx_ors_digest.h>


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
