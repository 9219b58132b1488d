
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * SipHash against OpenSSL's, and against texts that were chosen to collide.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_names.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>


#define IDS    3844            /* of two characters of [A-Za-z0-9] */
#define SLOTS  8192


static void test_reference(void);
static void test_key(void);
static void test_place(void);
static void test_flood(void);
static uint64_t reference(EVP_MAC_CTX *mac, ngx_ors_hash_key_t *key,
    u_char *data, size_t len);
static ngx_uint_t probes(ngx_ors_hash_key_t *key, u_char *ids, size_t len,
    size_t at, ngx_uint_t shift);


int
main(void)
{
    test_reference();
    test_key();
    test_place();
    test_flood();

    return done_testing();
}


/* the key and the texts of the paper's vectors, and random ones */

static void
test_reference(void)
{
    u_char               text[64];
    size_t               len;
    EVP_MAC             *alg;
    ngx_uint_t           i, wrong;
    EVP_MAC_CTX         *mac;
    ngx_ors_hash_key_t   key;

    alg = EVP_MAC_fetch(NULL, "SIPHASH", NULL);
    mac = EVP_MAC_CTX_new(alg);

    if (mac == NULL) {
        abort();
    }

    key.k[0] = 0x0706050403020100ULL;
    key.k[1] = 0x0f0e0d0c0b0a0908ULL;

    for (i = 0; i < sizeof(text); i++) {
        text[i] = i;
    }

    wrong = 0;

    for (len = 0; len <= sizeof(text); len++) {
        wrong += (ngx_ors_hash(&key, text, len)
                  != reference(mac, &key, text, len));
    }

    is_int(wrong, 0, "texts of 0 to 64 bytes as OpenSSL");

    /* as other programs have it, too */

    ok(ngx_ors_hash(&key, text, 0) == 0xabac0158050fc4dcULL, "empty text");

    srandom(1);

    for (i = 0; i < 1000; i++) {

        for (len = 0; len < sizeof(text); len++) {
            text[len] = random();
        }

        (void) ngx_ors_hash_key(&key, ngx_ors_test_log());
        len = random() % (sizeof(text) + 1);

        wrong += (ngx_ors_hash(&key, text, len)
                  != reference(mac, &key, text, len));
    }

    is_int(wrong, 0, "random keys and texts as OpenSSL");

    EVP_MAC_CTX_free(mac);
    EVP_MAC_free(alg);
}


static uint64_t
reference(EVP_MAC_CTX *mac, ngx_ors_hash_key_t *key, u_char *data, size_t len)
{
    size_t         size;
    u_char         k[16], sum[8];
    uint64_t       hash;
    ngx_uint_t     i;
    OSSL_PARAM     params[4];
    unsigned int   bytes, rounds, last;

    bytes = sizeof(sum);
    rounds = 1;
    last = 3;

    params[0] = OSSL_PARAM_construct_uint(OSSL_MAC_PARAM_SIZE, &bytes);
    params[1] = OSSL_PARAM_construct_uint(OSSL_MAC_PARAM_C_ROUNDS, &rounds);
    params[2] = OSSL_PARAM_construct_uint(OSSL_MAC_PARAM_D_ROUNDS, &last);
    params[3] = OSSL_PARAM_construct_end();

    for (i = 0; i < 16; i++) {
        k[i] = key->k[i / 8] >> 8 * (i % 8);
    }

    if (EVP_MAC_init(mac, k, sizeof(k), params) != 1
        || EVP_MAC_update(mac, data, len) != 1
        || EVP_MAC_final(mac, sum, &size, sizeof(sum)) != 1
        || size != sizeof(sum))
    {
        abort();
    }

    hash = 0;

    for (i = 8; i--; /* void */ ) {
        hash = hash << 8 | sum[i];
    }

    return hash;
}


static void
test_key(void)
{
    ngx_ors_hash_key_t  a, b;

    is_int(ngx_ors_hash_key(&a, ngx_ors_test_log()), NGX_OK, "key");
    is_int(ngx_ors_hash_key(&b, ngx_ors_test_log()), NGX_OK, "another key");

    ok(ngx_ors_hash(&a, (u_char *) "call_1", 6)
       != ngx_ors_hash(&b, (u_char *) "call_1", 6), "another hash");
}


/* it does not matter where the bytes lie */

static void
test_place(void)
{
    u_char              text[64];
    size_t              len;
    uint64_t            hash;
    ngx_uint_t          i, wrong;
    ngx_ors_hash_key_t  key;

    wrong = 0;

    (void) ngx_ors_hash_key(&key, ngx_ors_test_log());

    for (len = 0; len < 20; len++) {
        hash = ngx_ors_hash(&key, (u_char *) "abcdefghijklmnopqrst", len);

        for (i = 0; i < 8; i++) {
            ngx_memset(text, 'x', sizeof(text));
            ngx_memcpy(text + i, "abcdefghijklmnopqrst", len);

            wrong += (ngx_ors_hash(&key, text + i, len) != hash);
        }
    }

    is_int(wrong, 0, "aligned or not");
}


/*
 * Ids that differ in two bytes only, wherever these stand, fill a table as
 * random ones do: 1.2 probes for each at this load, whichever bits of the
 * hash the slot is taken from.
 */

static void
test_flood(void)
{
    size_t              at, len;
    ngx_uint_t          shift, n, most;
    ngx_ors_hash_key_t  key;

    static u_char  ids[] = "call_00000000000000000000000000000";

    len = sizeof(ids) - 1;
    most = 0;

    (void) ngx_ors_hash_key(&key, ngx_ors_test_log());

    for (at = 0; at + 2 <= len; at++) {
        for (shift = 0; shift <= 48; shift += 16) {
            n = probes(&key, ids, at + 2, at, shift);
            most = ngx_max(most, n);

            n = probes(&key, ids, len, at, shift);
            most = ngx_max(most, n);
        }
    }

    ok(most < 2 * IDS, "ids that are alike: at most %d probes for %d",
       (int) most, IDS);
}


static ngx_uint_t
probes(ngx_ors_hash_key_t *key, u_char *ids, size_t len, size_t at,
    ngx_uint_t shift)
{
    u_char      id[64], used[SLOTS];
    uint64_t    n;
    ngx_uint_t  i, count;

    static const u_char  chars[] =
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

    ngx_memzero(used, sizeof(used));
    ngx_memcpy(id, ids, len);

    count = 0;

    for (i = 0; i < IDS; i++) {
        id[at] = chars[i / 62];
        id[at + 1] = chars[i % 62];

        n = ngx_ors_hash(key, id, len) >> shift;

        while (count++, used[n % SLOTS]) {
            n++;
        }

        used[n % SLOTS] = 1;
    }

    return count;
}
