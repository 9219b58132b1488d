
/*
 * Copyright (C) Open Responses contributors
 *
 * The JSON reader and jansson on the same documents: generated, mutated,
 * and a rich one with each of its bytes replaced by each other byte.
 *
 * What jansson refuses and we do not, each found in the document itself
 * before it is excused: integers of more than 64 bits, reals over a double,
 * "\u0000", lone surrogates.  What we refuse and jansson does not: depth
 * over our limit, and a zero byte after a token, which jansson loses when it
 * puts it back.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_json.h>

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>


#define JSON_TEST_DOCS      30000
#define JSON_TEST_SIZE      4096
#define JSON_TEST_DEPTH     1024
#define JSON_TEST_JDEPTH    2048      /* of jansson */

#define JSON_TEST_BIG_INT   1
#define JSON_TEST_BIG_REAL  2
#define JSON_TEST_ZERO      4
#define JSON_TEST_LONE      8

#define T(text)             (u_char *) (text), sizeof(text) - 1


typedef struct {
    u_char          buf[JSON_TEST_SIZE + 256];
    u_char         *last;
} json_test_doc_t;


static void json_test_generated(ngx_ors_json_t *json);
static void json_test_replaced(ngx_ors_json_t *json);
static void json_test_known(ngx_ors_json_t *json);
static void json_test_deep(ngx_ors_json_t *json);

static void json_test_value(json_test_doc_t *doc, ngx_uint_t depth);
static void json_test_string(json_test_doc_t *doc);
static void json_test_number(json_test_doc_t *doc);
static void json_test_space(json_test_doc_t *doc);
static void json_test_put(json_test_doc_t *doc, const char *text);
static void json_test_mutate(json_test_doc_t *doc);

static ngx_uint_t json_test_agree(ngx_ors_json_t *json, u_char *text,
    size_t len);
static ngx_uint_t json_test_excused(json_error_t *err, ngx_uint_t reasons);
static ngx_uint_t json_test_reasons(ngx_ors_json_t *json);
static ngx_uint_t json_test_string_reasons(u_char *p, u_char *end);
static ngx_uint_t json_test_same(ngx_ors_json_t *json,
    ngx_ors_json_node_t *node, json_t *value);
static ngx_uint_t json_test_same_object(ngx_ors_json_t *json,
    ngx_ors_json_node_t *node, json_t *value);


static ngx_uint_t  json_test_accepted, json_test_refused, json_test_excuses;


int
main(void)
{
    ngx_pool_t      *pool;
    ngx_ors_json_t   json;

    pool = ngx_ors_test_pool();

    ngx_ors_json_init(&json, pool, JSON_TEST_DEPTH, 1000000);

    json_test_known(&json);
    json_test_deep(&json);
    json_test_replaced(&json);
    json_test_generated(&json);

    ngx_destroy_pool(pool);

    return done_testing();
}


static void
json_test_generated(ngx_ors_json_t *json)
{
    ngx_uint_t       i, n;
    json_test_doc_t  doc;

    json_test_accepted = 0;
    json_test_refused = 0;
    json_test_excuses = 0;

    for (n = 0; n < JSON_TEST_DOCS; n++) {
        doc.last = doc.buf;

        json_test_space(&doc);
        json_test_value(&doc, ngx_ors_test_random(7));
        json_test_space(&doc);

        for (i = (n & 1) ? 1 + ngx_ors_test_random(3) : 0; i; i--) {
            json_test_mutate(&doc);
        }

        if (!json_test_agree(json, doc.buf, doc.last - doc.buf)) {
            break;
        }
    }

    is_int(n, JSON_TEST_DOCS, "generated documents");

    /* a generator that makes only one kind tests nothing */

    ok(json_test_accepted > JSON_TEST_DOCS / 3, "%d accepted",
       (int) json_test_accepted);
    ok(json_test_refused > JSON_TEST_DOCS / 5, "%d refused",
       (int) json_test_refused);
    ok(json_test_excuses > JSON_TEST_DOCS / 50, "%d known differences",
       (int) json_test_excuses);
}


static void
json_test_replaced(ngx_ors_json_t *json)
{
    size_t      n, len;
    u_char      ch;
    ngx_uint_t  k;

    static u_char  text[] =
        " {\"model\": \"a-\\u0041\\ud83d\\ude00\\n\\\"\\\\ \xc3\xa9\xe4\xb8\xad"
        "\", \"long\":\"0123456789 0123456789 0123456789\\n0123456789 01234\","
        "\n\t\"n\" : [0,-0,12,-3.25,1e5,2E-7,1.5e+10 , 7], \"\":{},\"e\":[ ]"
        ",\"l\":[true,false,null],\"\\u006b\":{\"a\":{\"b\":[[1]]},"
        "\"\xf0\x9f\x98\x80\":\"\xf0\x9f\x98\x80\xdf\xbf\"},\"z\":\"end\"}\r\n";

    len = sizeof(text) - 1;

    ok(json_test_agree(json, text, len), "rich document");
    is_int(json->error, ngx_ors_json_err_none, "accepted");

    for (n = 0; n < len; n++) {
        ch = text[n];

        for (k = 0; k < 256; k++) {
            text[n] = k;

            if (!json_test_agree(json, text, len)) {
                break;
            }
        }

        text[n] = ch;

        if (k < 256) {
            break;
        }
    }

    is_int(n, len, "each byte replaced by each");

    for (n = 0; n < len; n++) {
        if (!json_test_agree(json, text, n)) {
            break;
        }
    }

    is_int(n, len, "cut at each byte");
}


/* each known difference alone, so that none of them is a dead excuse */

static void
json_test_known(ngx_ors_json_t *json)
{
    ngx_uint_t  i;

    static struct {
        u_char      *text;
        size_t       len;
        ngx_uint_t   excused;
    } texts[] = {
        { T("9223372036854775807"), 0 },
        { T("9223372036854775808"), 1 },
        { T("-9223372036854775808"), 0 },
        { T("-9223372036854775809"), 1 },
        { T("[1e308]"), 0 },
        { T("[1e309]"), 1 },
        { T("[-1e400]"), 1 },
        { T("[1e-400]"), 0 },
        { T("{\"a\":\"\\u0000\"}"), 1 },
        { T("{\"\\u0000\":1}"), 1 },
        { T("\"\\\\u0000\""), 0 },
        { T("\"\\ud800\""), 1 },
        { T("\"\\udc00\""), 1 },
        { T("\"\\ud800\\u0041\""), 1 },
        { T("\"\\ud800\\udc00\""), 0 },
        { T("{\"a\":1,\"a\":[2],\"\\u0061\":3}"), 0 },
        { T("[1\0,2]"), 0 }
    };

    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        json_test_excuses = 0;

        ok(json_test_agree(json, texts[i].text, texts[i].len)
           && json->error == ngx_ors_json_err_none
           && json_test_excuses == texts[i].excused, "%s", texts[i].text);
    }
}


static void
json_test_deep(ngx_ors_json_t *json)
{
    u_char        *text;
    json_t        *root;
    ngx_uint_t     n;
    json_error_t   err;

    text = malloc(2 * JSON_TEST_JDEPTH + 2);

    for (n = JSON_TEST_DEPTH; n <= JSON_TEST_DEPTH + 1; n++) {
        ngx_memset(text, '[', n);
        ngx_memset(text + n, ']', n);

        root = json_loadb((char *) text, 2 * n, 0, &err);
        ok(root != NULL, "%d levels, jansson", (int) n);
        json_decref(root);

        is_int(ngx_ors_json_read(json, text, 2 * n),
               (n == JSON_TEST_DEPTH) ? NGX_OK : NGX_DECLINED, "ours");
    }

    is_int(json->error, ngx_ors_json_err_depth, "error");

    n = JSON_TEST_JDEPTH + 1;
    ngx_memset(text, '[', n);
    ngx_memset(text + n, ']', n - 1);

    ok(json_loadb((char *) text, 2 * n, 0, &err) == NULL, "jansson's limit");
    is_int(json_error_code(&err), json_error_stack_overflow, "error");

    free(text);
}


static void
json_test_value(json_test_doc_t *doc, ngx_uint_t depth)
{
    ngx_uint_t  i, n, object;

    n = ngx_ors_test_random(depth ? 12 : 8);

    if (n < 3) {
        json_test_string(doc);
        return;
    }

    if (n < 5) {
        json_test_number(doc);
        return;
    }

    if (n < 8 || doc->last - doc->buf > JSON_TEST_SIZE / 2) {
        json_test_put(doc, (n == 5) ? "null" : (n == 6) ? "true" : "false");
        return;
    }

    object = (n < 10);
    json_test_put(doc, object ? "{" : "[");
    json_test_space(doc);

    n = ngx_ors_test_random(6);

    for (i = 0; i < n; i++) {

        if (i) {
            json_test_put(doc, ",");
            json_test_space(doc);
        }

        if (object) {

            /* some keys come twice */

            if (ngx_ors_test_random(4)) {
                json_test_string(doc);

            } else {
                json_test_put(doc, ngx_ors_test_random(2) ? "\"k\""
                                                          : "\"\\u006b\"");
            }

            json_test_space(doc);
            json_test_put(doc, ":");
            json_test_space(doc);
        }

        json_test_value(doc, depth - 1);
        json_test_space(doc);
    }

    json_test_put(doc, object ? "}" : "]");
}


static void
json_test_string(json_test_doc_t *doc)
{
    ngx_uint_t  i, n;

    static const char  *parts[] = {
        "a", "b c", "\\n", "\\\"", "\\\\", "\\/", "\\b\\f\\r\\t", "\\u0041",
        "\\u00e9", "\\ud83d\\ude00", "\xc3\xa9", "\xe4\xb8\xad\xe6\x96\x87",
        "\xf0\x9f\x98\x80", "\xef\xbf\xbd", "[1,{}]", "long text, 32 bytes of "
        "it or more", "0123456789abcdef", "\\uD7FF\\uE000", "\x7f", " "
    };

    static const char  *rare[] = {
        "\\u0000", "\\ud83d", "\\ude00", "\\ud83d\\u0041", "\\ud83dx",
        "\\ud83d\\ud83d\\ude00"
    };

    json_test_put(doc, "\"");

    n = ngx_ors_test_random(ngx_ors_test_random(8) ? 4 : 20);

    if (doc->last - doc->buf > JSON_TEST_SIZE - 1024) {
        n = 0;
    }

    for (i = 0; i < n; i++) {
        json_test_put(doc, ngx_ors_test_random(100)
                           ? parts[ngx_ors_test_random(20)]
                           : rare[ngx_ors_test_random(6)]);
    }

    json_test_put(doc, "\"");
}


static void
json_test_number(json_test_doc_t *doc)
{
    ngx_uint_t  i, n;

    if (ngx_ors_test_random(3) == 0) {
        json_test_put(doc, "-");
    }

    if (ngx_ors_test_random(4) == 0) {
        json_test_put(doc, "0");

    } else {
        *doc->last++ = '1' + ngx_ors_test_random(9);

        n = ngx_ors_test_random(ngx_ors_test_random(10) ? 10 : 25);

        for (i = 0; i < n; i++) {
            *doc->last++ = '0' + ngx_ors_test_random(10);
        }
    }

    if (ngx_ors_test_random(3) == 0) {
        json_test_put(doc, ".");

        for (i = ngx_ors_test_random(6) + 1; i; i--) {
            *doc->last++ = '0' + ngx_ors_test_random(10);
        }
    }

    if (ngx_ors_test_random(3) == 0) {
        json_test_put(doc, ngx_ors_test_random(2) ? "e" : "E");

        n = ngx_ors_test_random(3);
        json_test_put(doc, (n == 0) ? "" : (n == 1) ? "+" : "-");

        for (i = 1 + ngx_ors_test_random(ngx_ors_test_random(8) ? 2 : 4); i;
             i--)
        {
            *doc->last++ = '0' + ngx_ors_test_random(10);
        }
    }
}


static void
json_test_space(json_test_doc_t *doc)
{
    static const char  *spaces[] = {
        " ", "\n", "\r\n\t", "\n                    ", "    ", "  \n\n\t"
    };

    if (ngx_ors_test_random(4) == 0) {
        json_test_put(doc, spaces[ngx_ors_test_random(6)]);
    }
}


static void
json_test_put(json_test_doc_t *doc, const char *text)
{
    size_t  len;

    len = ngx_strlen(text);

    if (len > (size_t) (doc->buf + sizeof(doc->buf) - doc->last)) {
        abort();
    }

    doc->last = ngx_cpymem(doc->last, text, len);
}


static void
json_test_mutate(json_test_doc_t *doc)
{
    u_char      *p;
    ngx_uint_t   len, n;

    static const u_char  bytes[] = "\"\\{}[]:,0-.eEu \n\t\0\x1f\x80\xc3\xe4"
                                   "\xed\xf0\xff\xa0tfn1";

    len = doc->last - doc->buf;

    if (len == 0) {
        return;
    }

    p = doc->buf + ngx_ors_test_random(len);

    switch (ngx_ors_test_random(6)) {

    case 0:
        *p = (u_char) ngx_ors_test_random(256);
        break;

    case 1:
        *p = bytes[ngx_ors_test_random(sizeof(bytes) - 1)];
        break;

    case 2:
        ngx_memmove(p, p + 1, doc->last - p - 1);
        doc->last--;
        break;

    case 3:
        if (len + 1 < sizeof(doc->buf)) {
            ngx_memmove(p + 1, p, doc->last - p);
            *p = bytes[ngx_ors_test_random(sizeof(bytes) - 1)];
            doc->last++;
        }

        break;

    case 4:
        n = ngx_ors_test_random(ngx_min(8, doc->last - p) + 1);
        ngx_memmove(p, p + n, doc->last - p - n);
        doc->last -= n;
        break;

    case 5:
        doc->last = p;
        break;
    }
}


/* reads exactly sized copies by both */

static ngx_uint_t
json_test_agree(ngx_ors_json_t *json, u_char *text, size_t len)
{
    u_char        *copy;
    json_t        *root;
    ngx_int_t      rc;
    ngx_uint_t     same;
    json_error_t   err;

    copy = malloc(len);
    ngx_memcpy(copy, text, len);

    root = json_loadb((char *) copy, len, JSON_DECODE_ANY, &err);
    rc = ngx_ors_json_read(json, copy, len);

    /* jansson has read the text without this byte */

    while (rc == NGX_DECLINED && root && json->offset && json->offset < len
           && copy[json->offset] == '\0'
           && json->error != ngx_ors_json_err_control)
    {
        len--;
        ngx_memmove(copy + json->offset, copy + json->offset + 1,
                    len - json->offset);
        rc = ngx_ors_json_read(json, copy, len);
    }

    if (rc == NGX_OK && root) {
        same = json_test_same(json, json->nodes, root);
        json_test_accepted++;

    } else if (rc == NGX_OK) {
        same = json_test_excused(&err, json_test_reasons(json));
        json_test_excuses++;

    } else {
        same = (root == NULL && json->offset <= len);
        json_test_refused++;
    }

    if (!same) {
        diag("ours: %d, error %d at %zu, jansson: %s at %d", (int) rc,
             (int) json->error, json->offset,
             root ? "accepts" : err.text, root ? 0 : err.position);
        diag("%.*s", (int) len, (char *) text);
    }

    json_decref(root);
    free(copy);

    return same;
}


static ngx_uint_t
json_test_excused(json_error_t *err, ngx_uint_t reasons)
{
    switch (json_error_code(err)) {

    case json_error_numeric_overflow:

        if (ngx_strncmp(err->text, "real number overflow", 20) == 0) {
            return (reasons & JSON_TEST_BIG_REAL) != 0;
        }

        return (reasons & JSON_TEST_BIG_INT) != 0;

    case json_error_null_character:
    case json_error_null_byte_in_key:

        return (reasons & JSON_TEST_ZERO) != 0;

    case json_error_invalid_syntax:

        return ngx_strncmp(err->text, "invalid Unicode", 15) == 0
               && (reasons & JSON_TEST_LONE);

    default:
        return 0;
    }
}


/* values of the document that jansson cannot carry */

static ngx_uint_t
json_test_reasons(ngx_ors_json_t *json)
{
    char                  buf[JSON_TEST_SIZE + 257];
    u_char               *p;
    ngx_uint_t            i, reasons;
    ngx_ors_json_node_t  *node;

    reasons = 0;

    for (i = 0; i < json->n; i++) {
        node = &json->nodes[i];
        p = ngx_ors_json_text(json, node);

        if (node->type == ngx_ors_json_string) {
            reasons |= json_test_string_reasons(p, p + node->len);
            continue;
        }

        if (node->type != ngx_ors_json_number) {
            continue;
        }

        ngx_memcpy(buf, p, node->len);
        buf[node->len] = '\0';
        errno = 0;

        if (node->integer) {
            (void) strtoll(buf, NULL, 10);
            reasons |= (errno == ERANGE) ? JSON_TEST_BIG_INT : 0;

        } else if (isinf(strtod(buf, NULL))) {
            reasons |= JSON_TEST_BIG_REAL;
        }
    }

    return reasons;
}


static ngx_uint_t
json_test_string_reasons(u_char *p, u_char *end)
{
    char         hex[5];
    ngx_uint_t   code, high, reasons;

    high = 0;
    reasons = 0;

    while (p < end) {

        if (*p != '\\' || p[1] != 'u') {
            p += (*p == '\\') ? 2 : 1;
            reasons |= high ? JSON_TEST_LONE : 0;
            high = 0;
            continue;
        }

        ngx_memcpy(hex, p + 2, 4);
        hex[4] = '\0';
        code = strtol(hex, NULL, 16);
        p += 6;

        if (code == 0) {
            reasons |= JSON_TEST_ZERO;
        }

        /* a low one must, and nothing else may follow a high one */

        if (high != (code >= 0xdc00 && code <= 0xdfff)) {
            reasons |= JSON_TEST_LONE;
        }

        high = (code >= 0xd800 && code <= 0xdbff);
    }

    return reasons | (high ? JSON_TEST_LONE : 0);
}


static ngx_uint_t
json_test_same(ngx_ors_json_t *json, ngx_ors_json_node_t *node, json_t *value)
{
    char        buf[JSON_TEST_SIZE + 257];
    size_t      i;
    int64_t     n;
    ngx_str_t   raw;

    ngx_ors_json_raw(json, node, &raw);

    switch (json_typeof(value)) {

    case JSON_NULL:
        return node->type == ngx_ors_json_null && raw.len == 4;

    case JSON_TRUE:
        return node->type == ngx_ors_json_true && raw.len == 4;

    case JSON_FALSE:
        return node->type == ngx_ors_json_false && raw.len == 5;

    case JSON_STRING:
        return ngx_ors_json_equal(json, node,
                                  (u_char *) json_string_value(value),
                                  json_string_length(value));

    case JSON_INTEGER:
        return node->type == ngx_ors_json_number && node->integer
               && ngx_ors_json_integer(json, node, &n) == NGX_OK
               && n == json_integer_value(value);

    case JSON_REAL:
        ngx_memcpy(buf, raw.data, raw.len);
        buf[raw.len] = '\0';

        return node->type == ngx_ors_json_number && !node->integer
               && strtod(buf, NULL) == json_real_value(value);

    case JSON_ARRAY:

        if (node->type != ngx_ors_json_array
            || node->count != json_array_size(value))
        {
            return 0;
        }

        node = ngx_ors_json_first(json, node);

        for (i = 0; node && i < json_array_size(value); i++) {
            if (!json_test_same(json, node, json_array_get(value, i))) {
                return 0;
            }

            node = ngx_ors_json_next(json, node);
        }

        return node == NULL && i == json_array_size(value);

    case JSON_OBJECT:
        return json_test_same_object(json, node, value);
    }

    return 0;
}


static ngx_uint_t
json_test_same_object(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    json_t *value)
{
    char                 *dst;
    void                 *iter;
    const char           *name;
    ngx_uint_t            n;
    ngx_ors_json_node_t  *key, *member;

    if (node->type != ngx_ors_json_object) {
        return 0;
    }

    /* each member of theirs is ours, of a name that comes twice the last */

    for (iter = json_object_iter(value);
         iter;
         iter = json_object_iter_next(value, iter))
    {
        name = json_object_iter_key(iter);
        member = ngx_ors_json_get(json, node, (u_char *) name,
                                  ngx_strlen(name));

        if (member == NULL
            || !json_test_same(json, member, json_object_iter_value(iter)))
        {
            return 0;
        }
    }

    /* and each of ours is theirs */

    n = 0;

    for (key = ngx_ors_json_first(json, node);
         key;
         key = ngx_ors_json_next(json, key))
    {
        dst = malloc(key->len + 1);
        *ngx_ors_json_decode(json, key, (u_char *) dst) = '\0';
        member = json_object_get(value, dst) ? key : NULL;
        free(dst);

        if (member == NULL) {
            return 0;
        }

        n++;
    }

    return n == node->count;
}
