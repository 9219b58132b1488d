
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Files of keys, and blobs.  A blob that opens is the one and only text of
 * what was sealed; what was changed anywhere does not open, nor for somebody
 * else.  The first byte says what the input is, the second where to change.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_seal.h>

#include <stdlib.h>


int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

static void seal_fuzz_keys(ngx_str_t *text, ngx_pool_t *pool);
static void seal_fuzz_blob(ngx_str_t *blob, ngx_pool_t *pool);
static void seal_fuzz_text(ngx_str_t *text, ngx_uint_t where,
    ngx_pool_t *pool);
static void seal_fuzz_sealer(ngx_ors_sealer_t *sealer, ngx_pool_t *pool);
static void seal_fuzz_check(ngx_uint_t cond);


int
LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    ngx_str_t    text;
    ngx_pool_t  *pool;

    if (size < 2) {
        return 0;
    }

    pool = ngx_ors_test_pool();

    /* exactly sized, for the sanitizer */

    text.len = size - 2;
    text.data = ngx_pnalloc(pool, text.len);
    ngx_memcpy(text.data, input + 2, text.len);

    switch (input[0] % 3) {

    case 0:
        seal_fuzz_keys(&text, pool);
        break;

    case 1:
        seal_fuzz_blob(&text, pool);
        break;

    default:
        seal_fuzz_text(&text, input[1], pool);
        break;
    }

    ngx_destroy_pool(pool);

    return 0;
}


static void
seal_fuzz_keys(ngx_str_t *text, ngx_pool_t *pool)
{
    ngx_int_t              rc;
    ngx_uint_t             i, j;
    ngx_array_t           *keys;
    ngx_ors_seal_key_t    *key;
    ngx_ors_seal_fault_t   fault;

    keys = ngx_array_create(pool, 1, sizeof(ngx_ors_seal_key_t));

    rc = ngx_ors_seal_keys(keys, text, &fault);

    seal_fuzz_check(rc == NGX_DECLINED || (rc == NGX_OK && keys->nelts));
    seal_fuzz_check(keys->nelts <= text->len / 44);

    key = keys->elts;

    for (i = 0; i < keys->nelts; i++) {
        for (j = 0; j < i; j++) {
            seal_fuzz_check(ngx_memcmp(key[i].id, key[j].id,
                                       NGX_ORS_SEAL_ID_LEN) != 0);
        }
    }
}


/* nobody makes one without the key */

static void
seal_fuzz_blob(ngx_str_t *blob, ngx_pool_t *pool)
{
    ngx_str_t         text;
    ngx_ors_sealer_t  sealer;

    seal_fuzz_sealer(&sealer, pool);

    seal_fuzz_check(ngx_ors_unseal(&sealer, ngx_ors_seal_reasoning, blob,
                                   pool, &text)
                    == NGX_DECLINED);
}


static void
seal_fuzz_text(ngx_str_t *text, ngx_uint_t where, ngx_pool_t *pool)
{
    ngx_str_t         blob, opened;
    ngx_ors_sealer_t  sealer;

    seal_fuzz_sealer(&sealer, pool);

    seal_fuzz_check(ngx_ors_seal(&sealer, ngx_ors_seal_compaction, text, pool,
                                 &blob)
                    == NGX_OK);

    seal_fuzz_check(ngx_ors_unseal(&sealer, ngx_ors_seal_compaction, &blob,
                                   pool, &opened)
                    == NGX_OK);

    seal_fuzz_check(opened.len == text->len
                    && ngx_memcmp(opened.data, text->data, text->len) == 0);

    blob.data[where * blob.len / 256] ^= 1 << where % 7;

    seal_fuzz_check(ngx_ors_unseal(&sealer, ngx_ors_seal_compaction, &blob,
                                   pool, &opened)
                    == NGX_DECLINED);

    blob.data[where * blob.len / 256] ^= 1 << where % 7;
    sealer.scope[0] ^= 1;

    seal_fuzz_check(ngx_ors_unseal(&sealer, ngx_ors_seal_compaction, &blob,
                                   pool, &opened)
                    == NGX_DECLINED);
}


static void
seal_fuzz_sealer(ngx_ors_sealer_t *sealer, ngx_pool_t *pool)
{
    ngx_ors_seal_fault_t  fault;

    static ngx_str_t  text = ngx_string("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBka"
                                        "GxwdHh8=");

    ngx_memset(sealer->scope, 7, NGX_ORS_DIGEST_LEN);
    sealer->keys = ngx_array_create(pool, 1, sizeof(ngx_ors_seal_key_t));

    seal_fuzz_check(ngx_ors_seal_keys(sealer->keys, &text, &fault) == NGX_OK);
}


static void
seal_fuzz_check(ngx_uint_t cond)
{
    if (!cond) {
        abort();
    }
}
