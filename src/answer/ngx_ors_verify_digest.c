
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Digests of texts that come in pieces, fed with raw JSON strings of any
 * length.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_verify_digest.h>


/* FNV-1a */
#define NGX_ORS_VERIFY_SUM_BASIS  0xcbf29ce484222325ULL
#define NGX_ORS_VERIFY_SUM_PRIME  0x00000100000001b3ULL

#define ngx_ors_verify_digest_byte(hash, ch)                                   \
    (((hash) ^ (ch)) * NGX_ORS_VERIFY_SUM_PRIME)


static void ngx_ors_verify_digest_bytes(ngx_ors_verify_digest_t *sum, u_char *p,
    u_char *last);
static void ngx_ors_verify_digest_unit(ngx_ors_verify_digest_t *sum,
    uint32_t code);
static void ngx_ors_verify_digest_code(ngx_ors_verify_digest_t *sum,
    uint32_t code);
static void ngx_ors_verify_digest_end(ngx_ors_verify_digest_t *sum);


void
ngx_ors_verify_digest_init(ngx_ors_verify_digest_t *sum)
{
    sum->hash = NGX_ORS_VERIFY_SUM_BASIS;
    sum->len = 0;
    sum->high = 0;
}


void
ngx_ors_verify_digest_add(ngx_ors_verify_digest_t *sum, ngx_ors_json_t *json,
    ngx_ors_json_node_t *node)
{
    u_char    *p, *last, *escape;
    uint32_t   code;

    if (node->type != ngx_ors_json_string) {
        return;
    }

    p = ngx_ors_json_text(json, node);
    last = p + node->len;

    while (node->escaped && p < last) {

        escape = memchr(p, '\\', last - p);
        if (escape == NULL) {
            break;
        }

        ngx_ors_verify_digest_bytes(sum, p, escape);
        p = ngx_ors_json_unit(escape, &code);
        ngx_ors_verify_digest_unit(sum, code);
    }

    ngx_ors_verify_digest_bytes(sum, p, last);
}


void
ngx_ors_verify_digest_fold(ngx_ors_verify_digest_t *sum, ngx_uint_t type,
    ngx_ors_verify_digest_t *text)
{
    u_char                   bytes[2 * sizeof(uint64_t) + 1];
    ngx_ors_verify_digest_t  whole;

    whole = *text;
    ngx_ors_verify_digest_end(&whole);

    ngx_memcpy(bytes, &whole.hash, sizeof(uint64_t));
    ngx_memcpy(bytes + sizeof(uint64_t), &whole.len, sizeof(uint64_t));
    bytes[2 * sizeof(uint64_t)] = (u_char) type;

    ngx_ors_verify_digest_bytes(sum, bytes, bytes + sizeof(bytes));
}


ngx_uint_t
ngx_ors_verify_digest_equal(ngx_ors_verify_digest_t *one,
    ngx_ors_verify_digest_t *two)
{
    ngx_ors_verify_digest_t  a, b;

    a = *one;
    b = *two;

    ngx_ors_verify_digest_end(&a);
    ngx_ors_verify_digest_end(&b);

    return a.hash == b.hash && a.len == b.len;
}


ngx_uint_t
ngx_ors_verify_digest_is(ngx_ors_verify_digest_t *sum, ngx_ors_json_t *json,
    ngx_ors_json_node_t *node)
{
    ngx_ors_verify_digest_t  whole;

    ngx_ors_verify_digest_init(&whole);
    ngx_ors_verify_digest_add(&whole, json, node);

    return ngx_ors_verify_digest_equal(sum, &whole);
}


static void
ngx_ors_verify_digest_bytes(ngx_ors_verify_digest_t *sum, u_char *p,
    u_char *last)
{
    uint64_t  hash;

    if (p == last) {
        return;
    }

    ngx_ors_verify_digest_end(sum);

    sum->len += last - p;
    hash = sum->hash;

    while (p < last) {
        hash = ngx_ors_verify_digest_byte(hash, *p++);
    }

    sum->hash = hash;
}


/* a unit of UTF-16: a pair counts as the character that it is */

static void
ngx_ors_verify_digest_unit(ngx_ors_verify_digest_t *sum, uint32_t code)
{
    if (ngx_ors_json_pair(sum->high, code)) {
        code = ngx_ors_json_joined(sum->high, code);
        sum->high = 0;

    } else {
        ngx_ors_verify_digest_end(sum);
    }

    if ((code & 0xfffffc00) == 0xd800) {
        sum->high = code;
        return;
    }

    ngx_ors_verify_digest_code(sum, code);
}


/* as UTF-8; a lone half is written like any other code */

static void
ngx_ors_verify_digest_code(ngx_ors_verify_digest_t *sum, uint32_t code)
{
    u_char    bytes[4], *p;
    uint64_t  hash;

    p = ngx_ors_json_utf8(bytes, code);

    sum->len += p - bytes;
    hash = sum->hash;

    for (code = 0; bytes + code < p; code++) {
        hash = ngx_ors_verify_digest_byte(hash, bytes[code]);
    }

    sum->hash = hash;
}


/* nothing can follow a half that was left alone */

static void
ngx_ors_verify_digest_end(ngx_ors_verify_digest_t *sum)
{
    uint32_t  code;

    if (sum->high) {
        code = sum->high;
        sum->high = 0;
        ngx_ors_verify_digest_code(sum, code);
    }
}
