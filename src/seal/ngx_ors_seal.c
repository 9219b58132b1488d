
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Texts sealed with AES-256-GCM, and opened again by any key of the list.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <ngx_ors_seal.h>
#include <ngx_ors_conf.h>
#include <ngx_ors_keyfile.h>


#define NGX_ORS_SEAL_NONCE  12
#define NGX_ORS_SEAL_TAG    16

/* bytes in front of the text, and all bytes that are not text */
#define NGX_ORS_SEAL_HEAD   (NGX_ORS_SEAL_ID_LEN + NGX_ORS_SEAL_NONCE)
#define NGX_ORS_SEAL_REST   (NGX_ORS_SEAL_HEAD + NGX_ORS_SEAL_TAG)

/* "n" bytes in base64url without padding */
#define ngx_ors_seal_encoded(n)  (((n) * 4 + 2) / 3)

/* a file of keys is short; /dev/zero is not one */
#define NGX_ORS_SECRET_MAX  65536


static ngx_int_t ngx_ors_seal_line(ngx_array_t *keys, u_char *p,
    u_char *last, ngx_ors_seal_fault_t *fault);
static ngx_int_t ngx_ors_seal_add(ngx_array_t *keys, u_char *secret,
    ngx_ors_seal_fault_t *fault);
static ngx_int_t ngx_ors_seal_grow(ngx_array_t *keys);
static ngx_int_t ngx_ors_seal_hex(ngx_str_t *line, u_char *secret);
static ngx_int_t ngx_ors_seal_base64(ngx_str_t *line, u_char *secret);
static ngx_ors_seal_key_t *ngx_ors_seal_find(ngx_array_t *keys, u_char *id);
static ngx_int_t ngx_ors_seal_encrypt(ngx_ors_sealer_t *sealer,
    ngx_ors_seal_purpose_e purpose, ngx_str_t *text, u_char *raw);
static ngx_int_t ngx_ors_seal_decode(ngx_ors_sealer_t *sealer,
    ngx_str_t *blob, ngx_pool_t *pool, ngx_str_t *raw);
static ngx_int_t ngx_ors_seal_decrypt(ngx_ors_sealer_t *sealer,
    ngx_ors_seal_purpose_e purpose, ngx_str_t *raw);
static ngx_array_t *ngx_ors_secret_keys(ngx_conf_t *cf);
static ngx_int_t ngx_ors_secret_file(ngx_conf_t *cf, ngx_array_t *keys,
    ngx_str_t *name);
static void ngx_ors_secret_cleanup(void *data);


/* the version; what follows it begins with whole bytes */

static ngx_str_t  ngx_ors_seal_mark = ngx_string("ors1");


ngx_int_t
ngx_ors_seal_keys(ngx_array_t *keys, ngx_str_t *text,
    ngx_ors_seal_fault_t *fault)
{
    u_char      *p, *last, *end;
    ngx_int_t    rc;
    ngx_uint_t   n;

    n = keys->nelts;
    p = text->data;
    end = text->data + text->len;

    for (fault->line = 1; p < end; fault->line++) {

        last = ngx_strlchr(p, end, LF);

        if (last == NULL) {
            last = end;
        }

        rc = ngx_ors_seal_line(keys, p, last, fault);

        if (rc != NGX_OK) {
            return rc;
        }

        p = last + 1;
    }

    if (keys->nelts == n) {
        fault->line = 0;
        fault->text = "there is no key in it";
        return NGX_DECLINED;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_seal_line(ngx_array_t *keys, u_char *p, u_char *last,
    ngx_ors_seal_fault_t *fault)
{
    u_char      secret[NGX_ORS_SEAL_KEY_LEN], *comment;
    ngx_int_t   rc;
    ngx_str_t   text;

    comment = ngx_strlchr(p, last, '#');

    if (comment) {
        last = comment;
    }

    while (p < last && (*p == ' ' || *p == '\t')) {
        p++;
    }

    while (last > p
           && (last[-1] == ' ' || last[-1] == '\t' || last[-1] == CR))
    {
        last--;
    }

    if (p == last) {
        return NGX_OK;
    }

    text.data = p;
    text.len = last - p;

    rc = NGX_DECLINED;

    if (ngx_ors_seal_hex(&text, secret) == NGX_OK
        || ngx_ors_seal_base64(&text, secret) == NGX_OK)
    {
        rc = ngx_ors_seal_add(keys, secret, fault);

    } else {
        fault->text = "a key must be 64 hexadecimal digits or 44 characters "
                      "of base64";
    }

    ngx_explicit_memzero(secret, NGX_ORS_SEAL_KEY_LEN);

    return rc;
}


static ngx_int_t
ngx_ors_seal_add(ngx_array_t *keys, u_char *secret,
    ngx_ors_seal_fault_t *fault)
{
    u_char               digest[NGX_ORS_DIGEST_LEN];
    ngx_str_t            text;
    ngx_ors_seal_key_t  *key;

    text.data = secret;
    text.len = NGX_ORS_SEAL_KEY_LEN;

    if (ngx_ors_digest('k', &text, digest) != NGX_OK) {
        return NGX_ERROR;
    }

    if (ngx_ors_seal_find(keys, digest)) {
        fault->text = "this key is in the list already";
        return NGX_DECLINED;
    }

    if (ngx_ors_seal_grow(keys) != NGX_OK) {
        return NGX_ERROR;
    }

    key = ngx_array_push(keys);
    if (key == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(key->id, digest, NGX_ORS_SEAL_ID_LEN);
    ngx_memcpy(key->secret, secret, NGX_ORS_SEAL_KEY_LEN);

    return NGX_OK;
}


/* an array that grows by itself would leave a copy of its keys in memory */

static ngx_int_t
ngx_ors_seal_grow(ngx_array_t *keys)
{
    void  *elts;

    if (keys->nelts < keys->nalloc) {
        return NGX_OK;
    }

    elts = ngx_palloc(keys->pool, 2 * keys->nalloc * keys->size);
    if (elts == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(elts, keys->elts, keys->nelts * keys->size);
    ngx_explicit_memzero(keys->elts, keys->nelts * keys->size);

    keys->elts = elts;
    keys->nalloc *= 2;

    return NGX_OK;
}


static ngx_int_t
ngx_ors_seal_hex(ngx_str_t *line, u_char *secret)
{
    ngx_int_t   n;
    ngx_uint_t  i;

    if (line->len != 2 * NGX_ORS_SEAL_KEY_LEN) {
        return NGX_DECLINED;
    }

    for (i = 0; i < NGX_ORS_SEAL_KEY_LEN; i++) {
        n = ngx_hextoi(line->data + 2 * i, 2);

        if (n == NGX_ERROR) {
            return NGX_DECLINED;
        }

        secret[i] = (u_char) n;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_seal_base64(ngx_str_t *line, u_char *secret)
{
    u_char     buf[NGX_ORS_SEAL_KEY_LEN + 1];
    ngx_int_t  rc;
    ngx_str_t  key;

    if (line->len != 44 || line->data[43] != '=') {
        return NGX_DECLINED;
    }

    rc = NGX_DECLINED;
    key.data = buf;

    if (ngx_decode_base64(&key, line) == NGX_OK
        && key.len == NGX_ORS_SEAL_KEY_LEN)
    {
        ngx_memcpy(secret, buf, NGX_ORS_SEAL_KEY_LEN);
        rc = NGX_OK;
    }

    ngx_explicit_memzero(buf, sizeof(buf));

    return rc;
}


static ngx_ors_seal_key_t *
ngx_ors_seal_find(ngx_array_t *keys, u_char *id)
{
    ngx_uint_t           i;
    ngx_ors_seal_key_t  *key;

    key = keys->elts;

    for (i = 0; i < keys->nelts; i++) {
        if (ngx_memcmp(key[i].id, id, NGX_ORS_SEAL_ID_LEN) == 0) {
            return &key[i];
        }
    }

    return NULL;
}


ngx_uint_t
ngx_ors_seal_is(ngx_str_t *blob)
{
    return blob->len > ngx_ors_seal_mark.len
           && ngx_memcmp(blob->data, ngx_ors_seal_mark.data,
                         ngx_ors_seal_mark.len)
              == 0;
}


ngx_int_t
ngx_ors_seal(ngx_ors_sealer_t *sealer, ngx_ors_seal_purpose_e purpose,
    ngx_str_t *text, ngx_pool_t *pool, ngx_str_t *blob)
{
    ngx_int_t  rc;
    ngx_str_t  raw, encoded;

    if (text->len > NGX_ORS_SEAL_MAX) {
        return NGX_DECLINED;
    }

    raw.len = text->len + NGX_ORS_SEAL_REST;
    encoded.len = ngx_ors_seal_encoded(raw.len);

    raw.data = ngx_pnalloc(pool, raw.len);
    blob->data = ngx_pnalloc(pool, ngx_ors_seal_mark.len + encoded.len);

    if (raw.data == NULL || blob->data == NULL) {
        return NGX_ERROR;
    }

    rc = ngx_ors_seal_encrypt(sealer, purpose, text, raw.data);

    encoded.data = ngx_cpymem(blob->data, ngx_ors_seal_mark.data,
                              ngx_ors_seal_mark.len);

    if (rc == NGX_OK) {
        ngx_encode_base64url(&encoded, &raw);
    }

    blob->len = ngx_ors_seal_mark.len + encoded.len;

    (void) ngx_pfree(pool, raw.data);

    return rc;
}


static ngx_int_t
ngx_ors_seal_encrypt(ngx_ors_sealer_t *sealer, ngx_ors_seal_purpose_e purpose,
    ngx_str_t *text, u_char *raw)
{
    int                  n;
    u_char               aad, *nonce, *body;
    ngx_int_t            rc;
    EVP_CIPHER_CTX      *ctx;
    ngx_ors_seal_key_t  *key;

    rc = NGX_OK;
    ctx = EVP_CIPHER_CTX_new();
    key = sealer->keys->elts;
    aad = (u_char) purpose;

    nonce = ngx_cpymem(raw, key->id, NGX_ORS_SEAL_ID_LEN);
    body = nonce + NGX_ORS_SEAL_NONCE;

    if (ctx == NULL || RAND_bytes(nonce, NGX_ORS_SEAL_NONCE) != 1
        || EVP_EncryptInit_ex(ctx, EVP_aes_256_gcm(), NULL, key->secret,
                              nonce) != 1
        || EVP_EncryptUpdate(ctx, NULL, &n, &aad, 1) != 1
        || EVP_EncryptUpdate(ctx, NULL, &n, sealer->scope,
                             NGX_ORS_DIGEST_LEN) != 1
        || (text->len
            && EVP_EncryptUpdate(ctx, body, &n, text->data,
                                 (int) text->len) != 1)
        || EVP_EncryptFinal_ex(ctx, body + text->len, &n) != 1
        || EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_GCM_GET_TAG, NGX_ORS_SEAL_TAG,
                               body + text->len) != 1)
    {
        rc = NGX_ERROR;
    }

    EVP_CIPHER_CTX_free(ctx);

    return rc;
}


ngx_int_t
ngx_ors_unseal(ngx_ors_sealer_t *sealer, ngx_ors_seal_purpose_e purpose,
    ngx_str_t *blob, ngx_pool_t *pool, ngx_str_t *text)
{
    ngx_int_t  rc;
    ngx_str_t  raw;

    rc = ngx_ors_seal_decode(sealer, blob, pool, &raw);

    if (rc != NGX_OK) {
        return rc;
    }

    rc = ngx_ors_seal_decrypt(sealer, purpose, &raw);

    text->data = raw.data + NGX_ORS_SEAL_HEAD;
    text->len = raw.len - NGX_ORS_SEAL_REST;

    return rc;
}


/* nothing is allocated for a blob that names no key of ours */

static ngx_int_t
ngx_ors_seal_decode(ngx_ors_sealer_t *sealer, ngx_str_t *blob,
    ngx_pool_t *pool, ngx_str_t *raw)
{
    u_char     id[NGX_ORS_SEAL_ID_LEN + 2], tail[4];
    size_t     n;
    ngx_str_t  body, head, begin, end;

    body.data = blob->data + ngx_ors_seal_mark.len;
    body.len = blob->len - ngx_ors_seal_mark.len;

    if (blob->len < ngx_ors_seal_mark.len
                    + ngx_ors_seal_encoded(NGX_ORS_SEAL_REST)
        || body.len > ngx_ors_seal_encoded(NGX_ORS_SEAL_MAX
                                           + NGX_ORS_SEAL_REST)
        || !ngx_ors_seal_is(blob))
    {
        return NGX_DECLINED;
    }

    begin.data = body.data;
    begin.len = 8;
    head.data = id;

    if (ngx_decode_base64url(&head, &begin) != NGX_OK || head.len != sizeof(id)
        || ngx_ors_seal_find(sealer->keys, id) == NULL)
    {
        return NGX_DECLINED;
    }

    raw->data = ngx_pnalloc(pool, ngx_base64_decoded_length(body.len));
    if (raw->data == NULL) {
        return NGX_ERROR;
    }

    if (ngx_decode_base64url(raw, &body) != NGX_OK
        || ngx_ors_seal_encoded(raw->len) != body.len)
    {
        return NGX_DECLINED;
    }

    /* bits of the last character that are in no byte could be any */

    n = raw->len % 3;

    if (n) {
        begin.data = raw->data + raw->len - n;
        begin.len = n;
        end.data = tail;

        ngx_encode_base64url(&end, &begin);

        if (tail[n] != body.data[body.len - 1]) {
            return NGX_DECLINED;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_seal_decrypt(ngx_ors_sealer_t *sealer, ngx_ors_seal_purpose_e purpose,
    ngx_str_t *raw)
{
    int                  n;
    size_t               len;
    u_char               aad, *body;
    ngx_int_t            rc;
    EVP_CIPHER_CTX      *ctx;
    ngx_ors_seal_key_t  *key;

    ctx = EVP_CIPHER_CTX_new();
    key = ngx_ors_seal_find(sealer->keys, raw->data);
    aad = (u_char) purpose;

    body = raw->data + NGX_ORS_SEAL_HEAD;
    len = raw->len - NGX_ORS_SEAL_REST;

    rc = NGX_ERROR;

    if (ctx
        && EVP_DecryptInit_ex(ctx, EVP_aes_256_gcm(), NULL, key->secret,
                              raw->data + NGX_ORS_SEAL_ID_LEN) == 1
        && EVP_DecryptUpdate(ctx, NULL, &n, &aad, 1) == 1
        && EVP_DecryptUpdate(ctx, NULL, &n, sealer->scope,
                             NGX_ORS_DIGEST_LEN) == 1
        && EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_GCM_SET_TAG, NGX_ORS_SEAL_TAG,
                               body + len) == 1
        && EVP_DecryptUpdate(ctx, body, &n, body, (int) len) == 1)
    {
        rc = (EVP_DecryptFinal_ex(ctx, body + len, &n) == 1) ? NGX_OK
                                                            : NGX_DECLINED;
    }

    EVP_CIPHER_CTX_free(ctx);

    return rc;
}


/*
 * "open_responses_secret": the keys that encrypt and decrypt for clients.
 */


char *
ngx_ors_secret_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_str_t     *value;
    ngx_uint_t     i;
    ngx_array_t  **keys;

    keys = (ngx_array_t **) ((u_char *) conf + cmd->offset);

    if (*keys) {
        return "is duplicate";
    }

    *keys = ngx_ors_secret_keys(cf);
    if (*keys == NULL) {
        return NGX_CONF_ERROR;
    }

    value = cf->args->elts;

    for (i = 1; i < cf->args->nelts; i++) {

        if (ngx_ors_secret_file(cf, *keys, &value[i]) != NGX_OK) {
            return NGX_CONF_ERROR;
        }
    }

    return NGX_CONF_OK;
}


ngx_int_t
ngx_ors_secret_key(ngx_conf_t *cf, ngx_str_t *name, ngx_str_t *key)
{
    ngx_array_t  *keys;

    keys = ngx_ors_secret_keys(cf);

    if (keys == NULL || ngx_ors_secret_file(cf, keys, name) != NGX_OK) {
        return NGX_ERROR;
    }

    if (keys->nelts != 1) {
        ngx_ors_conf_error(cf, 0,
                           "\"%V\" must hold one key, and has %ui", name,
                           keys->nelts);
        return NGX_ERROR;
    }

    key->data = ((ngx_ors_seal_key_t *) keys->elts)->secret;
    key->len = NGX_ORS_SEAL_KEY_LEN;

    return NGX_OK;
}


/* an array whose keys are wiped when the configuration is freed */

static ngx_array_t *
ngx_ors_secret_keys(ngx_conf_t *cf)
{
    ngx_array_t         *keys;
    ngx_pool_cleanup_t  *cln;

    cln = ngx_pool_cleanup_add(cf->pool, 0);
    if (cln == NULL) {
        return NULL;
    }

    keys = ngx_array_create(cf->pool, 4, sizeof(ngx_ors_seal_key_t));
    if (keys == NULL) {
        return NULL;
    }

    cln->handler = ngx_ors_secret_cleanup;
    cln->data = keys;

    return keys;
}


static ngx_int_t
ngx_ors_secret_file(ngx_conf_t *cf, ngx_array_t *keys, ngx_str_t *name)
{
    u_char                buf[NGX_ORS_SECRET_MAX];
    ngx_int_t             rc;
    ngx_str_t             text;
    ngx_ors_seal_fault_t  fault;

    ngx_memzero(&fault, sizeof(ngx_ors_seal_fault_t));

    rc = ngx_ors_keyfile_read(cf, name, buf, NGX_ORS_SECRET_MAX, &text);

    if (rc == NGX_DECLINED) {
        ngx_ors_conf_error(cf, 0,
                           "\"%V\" is no file of secrets, it has %d bytes or "
                           "more", name, NGX_ORS_SECRET_MAX);
        rc = NGX_ERROR;
    }

    if (rc == NGX_OK) {
        rc = ngx_ors_seal_keys(keys, &text, &fault);
    }

    ngx_explicit_memzero(buf, NGX_ORS_SECRET_MAX);

    if (rc != NGX_DECLINED) {
        return rc;
    }

    /* the text may be a key: it is not quoted */

    if (fault.line) {
        ngx_ors_conf_error(cf, 0,
                           "invalid secret in \"%V:%ui\", %s",
                           name, fault.line, fault.text);

    } else {
        ngx_ors_conf_error(cf, 0,
                           "invalid secret in \"%V\", %s", name, fault.text);
    }

    return NGX_ERROR;
}


static void
ngx_ors_secret_cleanup(void *data)
{
    ngx_array_t  *keys = data;

    ngx_explicit_memzero(keys->elts, keys->nelts * keys->size);
}
