
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * A sealed text opens as it was, for the same client and purpose, and for no
 * other; keys come from text.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_seal.h>


static char  seal_one[] =
    "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
static char  seal_two[] =
    "a0a1a2a3a4a5a6a7a8a9aAaBaCaDaEaFb0b1b2b3b4b5b6b7b8b9bAbBbCbDbEbF";

/* the first one again */
static char  seal_one_base64[] =
    "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";


static void seal_sealer(ngx_ors_sealer_t *sealer, ngx_pool_t *pool,
    const char *scope, const char *keys);
static ngx_int_t seal_read(ngx_pool_t *pool, const char *text,
    ngx_ors_seal_fault_t *fault);
static void seal_text(ngx_str_t *text, ngx_pool_t *pool, size_t len);

static void seal_round(ngx_pool_t *pool);
static void seal_changed(ngx_pool_t *pool);
static void seal_flipped(ngx_ors_sealer_t *sealer, ngx_str_t *blob,
    ngx_pool_t *pool);
static void seal_others(ngx_pool_t *pool);
static void seal_rotation(ngx_pool_t *pool);
static void seal_foreign(ngx_pool_t *pool);
static void seal_limits(ngx_pool_t *pool);
static void seal_files(ngx_pool_t *pool);
static void seal_grown(ngx_pool_t *pool);
static void seal_memory(void);


int
main(void)
{
    ngx_pool_t  *pool;

    pool = ngx_ors_test_pool();

    seal_round(pool);
    seal_changed(pool);
    seal_others(pool);
    seal_rotation(pool);
    seal_foreign(pool);
    seal_limits(pool);
    seal_files(pool);
    seal_grown(pool);

    ngx_destroy_pool(pool);

    seal_memory();

    return done_testing();
}


static void
seal_sealer(ngx_ors_sealer_t *sealer, ngx_pool_t *pool, const char *scope,
    const char *keys)
{
    ngx_str_t             text;
    ngx_ors_seal_fault_t  fault;

    text.data = (u_char *) scope;
    text.len = ngx_strlen(scope);

    (void) ngx_ors_digest('s', &text, sealer->scope);

    sealer->keys = ngx_array_create(pool, 1, sizeof(ngx_ors_seal_key_t));

    text.data = (u_char *) keys;
    text.len = ngx_strlen(keys);

    is_int(ngx_ors_seal_keys(sealer->keys, &text, &fault), NGX_OK,
           "keys for %s", scope);
}


/* no copy of a key is left where the array was */

static void
seal_grown(ngx_pool_t *pool)
{
    u_char                zero[NGX_ORS_SEAL_KEY_LEN];
    ngx_str_t             text;
    ngx_array_t          *keys;
    ngx_ors_seal_key_t   *old, *key;
    ngx_ors_seal_fault_t  fault;

    ngx_memzero(zero, sizeof(zero));

    keys = ngx_array_create(pool, 1, sizeof(ngx_ors_seal_key_t));
    old = keys->elts;

    text.data = (u_char *) seal_one;
    text.len = ngx_strlen(seal_one);
    is_int(ngx_ors_seal_keys(keys, &text, &fault), NGX_OK, "a key");
    ok(ngx_memcmp(old->secret, zero, sizeof(zero)) != 0, "is in the array");

    text.data = (u_char *) seal_two;
    is_int(ngx_ors_seal_keys(keys, &text, &fault), NGX_OK, "another one");

    key = keys->elts;
    ok(key != old, "the array has grown");
    is_mem(old->secret, sizeof(zero), zero, sizeof(zero), "the old is wiped");
    ok(ngx_memcmp(key->secret, zero, sizeof(zero)) != 0, "the new is not");
}


static ngx_int_t
seal_read(ngx_pool_t *pool, const char *text, ngx_ors_seal_fault_t *fault)
{
    ngx_str_t     s;
    ngx_array_t  *keys;

    s.data = (u_char *) text;
    s.len = ngx_strlen(text);

    keys = ngx_array_create(pool, 1, sizeof(ngx_ors_seal_key_t));

    return ngx_ors_seal_keys(keys, &s, fault);
}


static void
seal_text(ngx_str_t *text, ngx_pool_t *pool, size_t len)
{
    size_t  i;

    text->data = ngx_pnalloc(pool, len);
    text->len = len;

    for (i = 0; i < len; i++) {
        text->data[i] = "a text of some words; "[i % 22];
    }
}


static void
seal_round(ngx_pool_t *pool)
{
    size_t             n;
    ngx_str_t          text, blob, again, opened;
    ngx_ors_sealer_t   sealer;

    seal_sealer(&sealer, pool, "one", seal_one);

    for (n = 0; n < 100; n++) {
        seal_text(&text, pool, n);

        ngx_ors_seal(&sealer, ngx_ors_seal_reasoning, &text, pool, &blob);

        if (ngx_ors_unseal(&sealer, ngx_ors_seal_reasoning, &blob, pool,
                           &opened)
            != NGX_OK
            || opened.len != n || ngx_memcmp(opened.data, text.data, n) != 0)
        {
            break;
        }
    }

    is_int(n, 100, "texts of 0 to 99 bytes open as they were");

    is_int(ngx_strncmp(blob.data, "ors1", 4), 0, "a blob says what it is");
    is_int(blob.len, 4 + ((99 + 32) * 4 + 2) / 3, "and is no longer than "
           "it must be");

    ngx_ors_seal(&sealer, ngx_ors_seal_reasoning, &text, pool, &again);

    ok(again.len == blob.len
       && ngx_memcmp(blob.data, again.data, blob.len) != 0,
       "the same text makes another blob");

    for (n = 0; n < blob.len; n++) {
        if (ngx_strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                       "0123456789-_", blob.data[n])
            == NULL)
        {
            break;
        }
    }

    is_int(n, blob.len, "it can stand in a JSON string as it is");
}


static void
seal_changed(ngx_pool_t *pool)
{
    size_t             len;
    ngx_str_t          text, blob, part, opened;
    ngx_uint_t         n;
    ngx_ors_sealer_t   sealer;

    seal_sealer(&sealer, pool, "one", seal_one);

    /* the last character has 0, 4 and 2 bits of no byte */

    for (n = 0; n < 3; n++) {
        seal_text(&text, pool, 40 + n);
        ngx_ors_seal(&sealer, ngx_ors_seal_reasoning, &text, pool, &blob);

        seal_flipped(&sealer, &blob, pool);

        part.data = blob.data;

        for (len = 0; len < blob.len; len++) {
            part.len = len;

            if (ngx_ors_unseal(&sealer, ngx_ors_seal_reasoning, &part, pool,
                               &opened)
                != NGX_DECLINED)
            {
                break;
            }
        }

        is_int(len, blob.len, "cut anywhere it does not open");
    }
}


static void
seal_flipped(ngx_ors_sealer_t *sealer, ngx_str_t *blob, ngx_pool_t *pool)
{
    size_t      i, n;
    u_char      was;
    ngx_str_t   opened;
    ngx_uint_t  ch;

    n = 0;

    for (i = 0; i < blob->len; i++) {
        was = blob->data[i];

        for (ch = 0; ch < 256; ch++) {

            if (ch == was) {
                continue;
            }

            blob->data[i] = (u_char) ch;

            if (ngx_ors_unseal(sealer, ngx_ors_seal_reasoning, blob, pool,
                               &opened)
                == NGX_DECLINED)
            {
                n++;
            }
        }

        blob->data[i] = was;
    }

    is_int(n, blob->len * 255, "with any character changed it does not open");

    is_int(ngx_ors_unseal(sealer, ngx_ors_seal_reasoning, blob, pool,
                          &opened), NGX_OK, "as it was it does");
}


static void
seal_others(ngx_pool_t *pool)
{
    ngx_str_t         text, blob, opened;
    ngx_ors_sealer_t  sealer, other, stranger;

    seal_sealer(&sealer, pool, "one", seal_one);
    seal_sealer(&other, pool, "two", seal_one);
    seal_sealer(&stranger, pool, "one", seal_two);

    seal_text(&text, pool, 30);
    ngx_ors_seal(&sealer, ngx_ors_seal_compaction, &text, pool, &blob);

    is_int(ngx_ors_unseal(&sealer, ngx_ors_seal_compaction, &blob, pool,
                          &opened), NGX_OK, "it opens for whom it is");
    is_int(ngx_ors_unseal(&sealer, ngx_ors_seal_reasoning, &blob, pool,
                          &opened), NGX_DECLINED, "not for what it is not");
    is_int(ngx_ors_unseal(&other, ngx_ors_seal_compaction, &blob, pool,
                          &opened), NGX_DECLINED, "not for another one");
    is_int(ngx_ors_unseal(&stranger, ngx_ors_seal_compaction, &blob, pool,
                          &opened), NGX_DECLINED, "not with another key");

    /* the name of a key is no secret, and does not make it that key */

    ngx_memcpy(((ngx_ors_seal_key_t *) stranger.keys->elts)->id,
               ((ngx_ors_seal_key_t *) sealer.keys->elts)->id,
               NGX_ORS_SEAL_ID_LEN);

    is_int(ngx_ors_unseal(&stranger, ngx_ors_seal_compaction, &blob, pool,
                          &opened), NGX_DECLINED, "not by the key's name");
}


static void
seal_rotation(ngx_pool_t *pool)
{
    char              both[200];
    ngx_str_t         text, old, new, opened;
    ngx_ors_sealer_t  before, during, after;

    seal_sealer(&before, pool, "one", seal_one);

    ngx_sprintf((u_char *) both, "%s\n%s\n%Z", seal_two, seal_one);
    seal_sealer(&during, pool, "one", both);

    seal_sealer(&after, pool, "one", seal_two);

    seal_text(&text, pool, 30);
    ngx_ors_seal(&before, ngx_ors_seal_reasoning, &text, pool, &old);
    ngx_ors_seal(&during, ngx_ors_seal_reasoning, &text, pool, &new);

    is_int(ngx_ors_unseal(&during, ngx_ors_seal_reasoning, &old, pool,
                          &opened), NGX_OK, "the old key opens");
    is_mem(opened.data, opened.len, text.data, text.len, "as it was");
    is_int(ngx_ors_unseal(&after, ngx_ors_seal_reasoning, &new, pool,
                          &opened), NGX_OK, "the new one seals");
    is_int(ngx_ors_unseal(&before, ngx_ors_seal_reasoning, &new, pool,
                          &opened), NGX_DECLINED, "and not the old one");
    is_int(ngx_ors_unseal(&after, ngx_ors_seal_reasoning, &old, pool,
                          &opened), NGX_DECLINED, "a key that is gone does "
           "not open");
}


static void
seal_foreign(ngx_pool_t *pool)
{
    ngx_str_t         blob, opened;
    ngx_uint_t        i, n;
    ngx_ors_sealer_t  sealer;

    static const char  *blobs[] = {
        "",
        "ors1",
        "ors2AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "ors1AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "ors1====AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "ors1++++AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "gAAAAABpM0Yj-k0V2yZb8sYB3F1Tt3V8x1h5pGmJc0dPq9o7WZr4eK6n2QaLuXiM",
    };

    seal_sealer(&sealer, pool, "one", seal_one);

    n = ngx_ors_test_allocs();

    for (i = 0; i < sizeof(blobs) / sizeof(blobs[0]); i++) {
        blob.data = (u_char *) blobs[i];
        blob.len = ngx_strlen(blobs[i]);

        is_int(ngx_ors_unseal(&sealer, ngx_ors_seal_reasoning, &blob, pool,
                              &opened), NGX_DECLINED, "foreign: %s",
               blobs[i]);
    }

    is_int(ngx_ors_test_allocs(), n, "which costs no memory");
}


static void
seal_limits(ngx_pool_t *pool)
{
    ngx_str_t         text, blob, opened;
    ngx_ors_sealer_t  sealer;

    seal_sealer(&sealer, pool, "one", seal_one);

    seal_text(&text, pool, NGX_ORS_SEAL_MAX + 1);
    is_int(ngx_ors_seal(&sealer, ngx_ors_seal_compaction, &text, pool, &blob),
           NGX_DECLINED, "a text that is too long");

    text.len--;
    is_int(ngx_ors_seal(&sealer, ngx_ors_seal_compaction, &text, pool, &blob),
           NGX_OK, "the longest one");
    ok(blob.len <= 10 * 1024 * 1024, "its blob may be sent to us");
    is_int(ngx_ors_unseal(&sealer, ngx_ors_seal_compaction, &blob, pool,
                          &opened), NGX_OK, "and opens");
    is_mem(opened.data, opened.len, text.data, text.len, "as it was");

    text.data = ngx_pnalloc(pool, blob.len + 4);
    ngx_memcpy(text.data, blob.data, blob.len);
    ngx_memcpy(text.data + blob.len, "AAAA", 4);
    text.len = blob.len + 4;

    is_int(ngx_ors_unseal(&sealer, ngx_ors_seal_compaction, &text, pool,
                          &opened), NGX_DECLINED, "a longer one does not");
}


static void
seal_files(ngx_pool_t *pool)
{
    char                  text[400];
    ngx_str_t             s;
    ngx_array_t          *keys;
    ngx_ors_seal_key_t   *key;
    ngx_ors_seal_fault_t  fault;

    ngx_sprintf((u_char *) text,
                "# keys\r\n\n \t%s\t # new\r\n#%s\n\n%s%Z",
                seal_one_base64, seal_two, seal_two);

    s.data = (u_char *) text;
    s.len = ngx_strlen(text);

    keys = ngx_array_create(pool, 1, sizeof(ngx_ors_seal_key_t));

    is_int(ngx_ors_seal_keys(keys, &s, &fault), NGX_OK, "a file");
    is_int(keys->nelts, 2, "with two keys");

    key = keys->elts;
    is_mem(key[0].secret, 32,
           "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f"
           "\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f",
           32, "the first one, in base64");
    is_int(key[1].secret[0], 0xa0, "the second one begins");
    is_int(key[1].secret[31], 0xbf, "and ends");

    s.data = (u_char *) seal_one;
    s.len = ngx_strlen(seal_one);

    is_int(ngx_ors_seal_keys(keys, &s, &fault), NGX_DECLINED,
           "a key that is there, in other words");
    is_int(fault.line, 1, "in line 1");
    is_int(keys->nelts, 2, "is not taken again");

    is_int(seal_read(pool, "", &fault), NGX_DECLINED, "an empty file");
    is_int(fault.line, 0, "in no line");
    is_int(seal_read(pool, "\n# none\n", &fault), NGX_DECLINED, "no key");
    is_int(fault.line, 0, "in no line");

    ngx_sprintf((u_char *) text, "%s\n%s0\n%Z", seal_one, seal_two);
    is_int(seal_read(pool, text, &fault), NGX_DECLINED, "a key of 65 digits");
    is_int(fault.line, 2, "in line 2");

    is_int(seal_read(pool, seal_one + 1, &fault), NGX_DECLINED, "of 63");

    ngx_sprintf((u_char *) text, "%s%Z", seal_one);
    text[30] = 'g';
    is_int(seal_read(pool, text, &fault), NGX_DECLINED, "not hexadecimal");

    is_int(seal_read(pool, "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
                     &fault), NGX_DECLINED, "base64 without its end");
    is_int(seal_read(pool, "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8A",
                     &fault), NGX_DECLINED, "of 33 bytes");
    is_int(seal_read(pool, "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh==",
                     &fault), NGX_DECLINED, "of 31");
    is_int(seal_read(pool, "AAECAwQFBgcICQoLDA0*DxAREhMUFRYXGBkaGxwdHh8=",
                     &fault), NGX_DECLINED, "not base64");
}


static void
seal_memory(void)
{
    ngx_int_t         rc;
    ngx_str_t         text, blob, opened;
    ngx_uint_t        n;
    ngx_pool_t       *pool, *own;
    ngx_ors_sealer_t  sealer;

    own = ngx_ors_test_pool();

    seal_sealer(&sealer, own, "one", seal_one);
    seal_text(&text, own, 30);

    for (n = 1; /* void */ ; n++) {
        pool = ngx_ors_test_pool();

        ngx_ors_test_fail_after(n);

        rc = ngx_ors_seal(&sealer, ngx_ors_seal_reasoning, &text, pool,
                          &blob);
        if (rc == NGX_OK) {
            rc = ngx_ors_unseal(&sealer, ngx_ors_seal_reasoning, &blob, pool,
                                &opened);
        }

        if (!ngx_ors_test_failed()) {
            break;
        }

        ngx_ors_test_fail_after(0);

        is_int(rc, NGX_ERROR, "allocation %u fails", (unsigned) n);
        ngx_destroy_pool(pool);
    }

    ngx_ors_test_fail_after(0);
    ngx_destroy_pool(pool);
    ngx_destroy_pool(own);

    is_int(rc, NGX_OK, "none fails");
    is_int(n, 4, "three allocations");
}
