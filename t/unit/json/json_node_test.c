
/*
 * Copyright (C) Open Responses contributors
 *
 * What the JSON reader gives: the array of nodes and the getters.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_json.h>

#include <stdio.h>
#include <stdlib.h>


#define T(text)         (u_char *) (text), sizeof(text) - 1

#define JSON_TEST_MANY  300


typedef struct {
    u_char               *text;
    size_t                len;
    uint32_t              pos;
    uint32_t              size;
    uint32_t              next;
    ngx_uint_t            count;
    ngx_ors_json_type_e   type;
    const char           *flags;      /* e: escaped, i: integer, a: ascii */
} json_test_node_t;


typedef struct {
    u_char               *raw;
    size_t                raw_len;
    u_char               *text;
    size_t                len;
    size_t                chars;
} json_test_string_t;


typedef struct {
    u_char               *text;
    size_t                len;
    ngx_int_t             rc;
    int64_t               value;
} json_test_integer_t;


static void json_test_cut(void);
static void json_test_tree(ngx_ors_json_t *json);
static void json_test_links(ngx_ors_json_t *json);
static void json_test_get(ngx_ors_json_t *json);
static void json_test_members(ngx_ors_json_t *json);
static void json_test_many(ngx_ors_json_t *json);
static void json_test_strings(ngx_ors_json_t *json);
static void json_test_texts(ngx_ors_json_t *json);
static void json_test_integers(ngx_ors_json_t *json);
static void json_test_errors(void);
static void json_test_parse(ngx_ors_json_t *json, u_char *text, size_t len);


/* a document of each kind, then the nodes after its root */

static json_test_node_t  json_nodes[] = {
    { T("null"), 0, 4, 0, 0, ngx_ors_json_null, "" },
    { T(" false "), 1, 5, 0, 0, ngx_ors_json_false, "" },
    { T("\ntrue"), 1, 4, 0, 0, ngx_ors_json_true, "" },
    { T("12"), 0, 2, 0, 0, ngx_ors_json_number, "i" },
    { T("-0"), 0, 2, 0, 0, ngx_ors_json_number, "i" },
    { T(" 1.50 "), 1, 4, 0, 0, ngx_ors_json_number, "" },
    { T("1e2"), 0, 3, 0, 0, ngx_ors_json_number, "" },
    { T("\"\""), 1, 0, 0, 0, ngx_ors_json_string, "a" },
    { T(" \"abc\""), 2, 3, 0, 0, ngx_ors_json_string, "a" },
    { T("\"a\\n\""), 1, 3, 0, 0, ngx_ors_json_string, "ea" },
    { T("\"\xc3\xa9\""), 1, 2, 0, 0, ngx_ors_json_string, "" },
    { T("\"\\n\xc3\xa9\""), 1, 4, 0, 0, ngx_ors_json_string, "e" },
    { T("\"\\u00e9\""), 1, 6, 0, 0, ngx_ors_json_string, "ea" },
    { T("\"0123456789abcdef0123456789abcdef0123456789abcdef\""), 1, 48, 0, 0,
      ngx_ors_json_string, "a" },
    { T("\"0123456789abcdef0123456789abcdef01234567\xc3\xa9\\\"\""), 1, 44, 0,
      0, ngx_ors_json_string, "e" },
    { T("[ ]"), 0, 3, 0, 0, ngx_ors_json_array, "" },
    { T(" {} "), 1, 2, 0, 0, ngx_ors_json_object, "" },

    { T("[1,[2,3],\"x\"]"), 0, 13, 0, 3, ngx_ors_json_array, "" },
    { NULL, 0, 1, 1, 2, 0, ngx_ors_json_number, "i" },
    { NULL, 0, 3, 5, 5, 2, ngx_ors_json_array, "" },
    { NULL, 0, 4, 1, 4, 0, ngx_ors_json_number, "i" },
    { NULL, 0, 6, 1, 0, 0, ngx_ors_json_number, "i" },
    { NULL, 0, 10, 1, 0, 0, ngx_ors_json_string, "a" },

    { T("{\"a\":{\"b\":[]},\"c\":null}"), 0, 23, 0, 2, ngx_ors_json_object,
      "" },
    { NULL, 0, 2, 1, 5, 0, ngx_ors_json_string, "a" },
    { NULL, 0, 5, 8, 0, 1, ngx_ors_json_object, "" },
    { NULL, 0, 7, 1, 0, 0, ngx_ors_json_string, "a" },
    { NULL, 0, 10, 2, 0, 0, ngx_ors_json_array, "" },
    { NULL, 0, 15, 1, 0, 0, ngx_ors_json_string, "a" },
    { NULL, 0, 18, 4, 0, 0, ngx_ors_json_null, "" },

    { T("[[[]],{},0]"), 0, 11, 0, 3, ngx_ors_json_array, "" },
    { NULL, 0, 1, 4, 3, 1, ngx_ors_json_array, "" },
    { NULL, 0, 2, 2, 0, 0, ngx_ors_json_array, "" },
    { NULL, 0, 6, 2, 4, 0, ngx_ors_json_object, "" },
    { NULL, 0, 9, 1, 0, 0, ngx_ors_json_number, "i" }
};


static json_test_string_t  json_strings[] = {
    { T(""), T(""), 0 },
    { T("abc"), T("abc"), 3 },
    { T("\xc3\xa9t\xe4\xb8\xad\xf0\x9f\x98\x80"),
      T("\xc3\xa9t\xe4\xb8\xad\xf0\x9f\x98\x80"), 4 },
    { T("\\\"\\\\\\/\\b\\f\\n\\r\\t"), T("\"\\/\b\f\n\r\t"), 8 },
    { T("a\\nb"), T("a\nb"), 3 },
    { T("\\u0041"), T("A"), 1 },
    { T("\\u0000"), T("\0"), 1 },
    { T("\\u007f\\u0080\\u07ff\\u0800\\uffff"),
      T("\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf"), 5 },
    { T("\\u00e9\\u00E9"), T("\xc3\xa9\xc3\xa9"), 2 },
    { T("\\ud7ff\\ue000"), T("\xed\x9f\xbf\xee\x80\x80"), 2 },
    { T("\\ud83d\\ude00"), T("\xf0\x9f\x98\x80"), 1 },
    { T("\\uD800\\uDC00"), T("\xf0\x90\x80\x80"), 1 },
    { T("\\udbff\\udfff"), T("\xf4\x8f\xbf\xbf"), 1 },
    { T("\\ud83d"), T("\xef\xbf\xbd"), 1 },
    { T("\\ude00"), T("\xef\xbf\xbd"), 1 },
    { T("\\ud83dx"), T("\xef\xbf\xbdx"), 2 },
    { T("\\ud83d\\n"), T("\xef\xbf\xbd\n"), 2 },
    { T("\\ud83d\\u0041"), T("\xef\xbf\xbd" "A"), 2 },
    { T("\\ud83d\\ud83d\\ude00"), T("\xef\xbf\xbd\xf0\x9f\x98\x80"), 2 },
    { T("\\ude00\\ud83d"), T("\xef\xbf\xbd\xef\xbf\xbd"), 2 },
    { T("\\ud83d\xc3\xa9"), T("\xef\xbf\xbd\xc3\xa9"), 2 },
    { T("\\ud83dude00"), T("\xef\xbf\xbdude00"), 6 },
    { T("\\\\u0041"), T("\\u0041"), 6 },
    { T("x\xc3\xa9\\ny\xe4\xb8\xad\\t\xf0\x9f\x98\x80"),
      T("x\xc3\xa9\ny\xe4\xb8\xad\t\xf0\x9f\x98\x80"), 7 }
};


static json_test_integer_t  json_integers[] = {
    { T("0"), NGX_OK, 0 }, { T("-0"), NGX_OK, 0 }, { T("7"), NGX_OK, 7 },
    { T("-7"), NGX_OK, -7 }, { T("16.0"), NGX_OK, 16 },
    { T("1e2"), NGX_OK, 100 }, { T("1E+2"), NGX_OK, 100 },
    { T("100e-2"), NGX_OK, 1 }, { T("1.5e1"), NGX_OK, 15 },
    { T("1.50e1"), NGX_OK, 15 }, { T("0.001e3"), NGX_OK, 1 },
    { T("-120.00"), NGX_OK, -120 }, { T("0e999999999999999999"), NGX_OK, 0 },
    { T("0.0e-5"), NGX_OK, 0 }, { T("-0.000"), NGX_OK, 0 },
    { T("10000000000000000000000000e-25"), NGX_OK, 1 },
    { T("0.0000000000000000000000001e25"), NGX_OK, 1 },
    { T("100200300"), NGX_OK, 100200300 },
    { T("999999999999999999"), NGX_OK, 999999999999999999 },
    { T("-999999999999999999"), NGX_OK, -999999999999999999 },
    { T("1000000000000000001"), NGX_OK, 1000000000000000001 },
    { T("1002.003e5"), NGX_OK, 100200300 },
    { T("9223372036854775807"), NGX_OK, INT64_MAX },
    { T("-9223372036854775808"), NGX_OK, INT64_MIN },
    { T("9223372036854775807.000"), NGX_OK, INT64_MAX },
    { T("9.223372036854775807e18"), NGX_OK, INT64_MAX },
    { T("1e18"), NGX_OK, 1000000000000000000 },
    { T("9e18"), NGX_OK, 9000000000000000000 },

    /* whole, and more than 64 bits: as far as they reach */
    { T("9223372036854775808"), NGX_DECLINED, INT64_MAX },
    { T("-9223372036854775809"), NGX_DECLINED, INT64_MIN },
    { T("9999999999999999999"), NGX_DECLINED, INT64_MAX },
    { T("12345678901234567890"), NGX_DECLINED, INT64_MAX },
    { T("12345678901234567890.0"), NGX_DECLINED, INT64_MAX },
    { T("18446744073709551616"), NGX_DECLINED, INT64_MAX },
    { T("18446744073709551617"), NGX_DECLINED, INT64_MAX },
    { T("1e19"), NGX_DECLINED, INT64_MAX },
    { T("-1e19"), NGX_DECLINED, INT64_MIN },
    { T("1e400"), NGX_DECLINED, INT64_MAX },
    { T("1e99999999999999999999"), NGX_DECLINED, INT64_MAX },
    { T("-1e18446744073709551616"), NGX_DECLINED, INT64_MIN },
    { T("1234567890123456789012345e-2"), NGX_DECLINED, 0 },
    { T("12345678901234567890.5"), NGX_DECLINED, 0 },

    { T("1e-400"), NGX_DECLINED, 0 },
    { T("1e-99999999999999999999"), NGX_DECLINED, 0 },
    { T("0.5"), NGX_DECLINED, 0 }, { T("16.01"), NGX_DECLINED, 0 },
    { T("1e-1"), NGX_DECLINED, 0 }, { T("105e-1"), NGX_DECLINED, 0 },
    { T("0.15e1"), NGX_DECLINED, 0 },
    { T("1.00000000000000000000000000001"), NGX_DECLINED, 0 },
    { T("\"5\""), NGX_DECLINED, 0 }, { T("null"), NGX_DECLINED, 0 },
    { T("[1]"), NGX_DECLINED, 0 }, { T("true"), NGX_DECLINED, 0 }
};


int
main(void)
{
    ngx_pool_t      *pool;
    ngx_ors_json_t   json;

    pool = ngx_ors_test_pool();

    ngx_ors_json_init(&json, pool, 16, 10000);

    json_test_tree(&json);
    json_test_links(&json);
    json_test_get(&json);
    json_test_members(&json);
    json_test_many(&json);
    json_test_strings(&json);
    json_test_texts(&json);
    json_test_integers(&json);
    json_test_errors();

    json_test_cut();

    ngx_destroy_pool(pool);

    return done_testing();
}


static void
json_test_tree(ngx_ors_json_t *json)
{
    char                 *p, flags[4];
    ngx_str_t             raw;
    ngx_uint_t            i, n;
    json_test_node_t     *t;
    ngx_ors_json_node_t  *node;

    n = 0;

    is_int(sizeof(ngx_ors_json_node_t), 16, "size of a node");

    for (i = 0; i < sizeof(json_nodes) / sizeof(json_nodes[0]); i++) {
        t = &json_nodes[i];

        if (t->text) {
            if (i) {
                is_int(json->n, n, "nodes of the document before");
            }

            json_test_parse(json, t->text, t->len);
            n = 0;
        }

        node = &json->nodes[n++];
        p = flags;

        if (node->escaped) {
            *p++ = 'e';
        }

        if (node->integer) {
            *p++ = 'i';
        }

        if (node->ascii) {
            *p++ = 'a';
        }

        *p = '\0';

        ngx_ors_json_raw(json, node, &raw);

        ok(node->pos == t->pos && node->len == t->size
           && node->next == t->next && node->count == t->count
           && node->type == t->type && ngx_strcmp(flags, t->flags) == 0
           && raw.data == json->text + t->pos && raw.len == t->size,
           "row %d: pos %u, len %u, next %u, count %u, type %u, %s", (int) i,
           node->pos, node->len, node->next, node->count, node->type, flags);
    }
}


static void
json_test_links(ngx_ors_json_t *json)
{
    u_char                buf[16], *p;
    ngx_ors_json_node_t  *node, *value;

    json_test_parse(json, T("{\"a\":[1,[2,[3]],4],\"b\":{\"c\":{}},\"d\":5}"));

    p = buf;

    for (node = ngx_ors_json_first(json, json->nodes);
         node;
         node = ngx_ors_json_next(json, node))
    {
        *p++ = *ngx_ors_json_text(json, node);
        value = node + 1;
        *p++ = *ngx_ors_json_text(json, value);
    }

    is_mem(buf, p - buf, "a[b{d5", 6, "keys and values");

    p = buf;
    node = ngx_ors_json_find(json, json->nodes, "a");

    for (node = ngx_ors_json_first(json, node);
         node;
         node = ngx_ors_json_next(json, node))
    {
        *p++ = *ngx_ors_json_text(json, node);
    }

    is_mem(buf, p - buf, "1[4", 3, "elements");

    json_test_parse(json, T("[]"));
    ok(ngx_ors_json_first(json, json->nodes) == NULL, "no element");
    ok(ngx_ors_json_next(json, json->nodes) == NULL, "no sibling of the root");
}


static void
json_test_get(ngx_ors_json_t *json)
{
    ngx_ors_json_node_t  *root, *node;

    json_test_parse(json, T("{\"a\":1,\"ab\":2,\"a\":3,\"\":4,\"\\u0063d\":5,"
                            "\"e\\nf\":6,\"\xc3\xa9\":7,\"\\ud83d\\ude00\":8,"
                            "\"x\":{\"y\":9},\"x2\":\"1\",\"a\\u0000\":10}"));
    root = json->nodes;

    node = ngx_ors_json_find(json, root, "ab");
    ok(node && *ngx_ors_json_text(json, node) == '2', "a member");

    node = ngx_ors_json_find(json, root, "a");
    ok(node && *ngx_ors_json_text(json, node) == '3', "the last of two");

    node = ngx_ors_json_find(json, root, "");
    ok(node && *ngx_ors_json_text(json, node) == '4', "an empty name");

    node = ngx_ors_json_find(json, root, "cd");
    ok(node && *ngx_ors_json_text(json, node) == '5', "an escaped name");

    node = ngx_ors_json_find(json, root, "e\nf");
    ok(node && *ngx_ors_json_text(json, node) == '6', "a line feed in it");

    node = ngx_ors_json_find(json, root, "\xc3\xa9");
    ok(node && *ngx_ors_json_text(json, node) == '7', "not ASCII");

    node = ngx_ors_json_find(json, root, "\xf0\x9f\x98\x80");
    ok(node && *ngx_ors_json_text(json, node) == '8', "a surrogate pair");

    node = ngx_ors_json_find(json, root, "a\0");
    ok(node && node->len == 2, "a zero byte");

    ok(ngx_ors_json_find(json, root, "y") == NULL, "not of an inner object");
    ok(ngx_ors_json_find(json, root, "b") == NULL, "absent");
    ok(ngx_ors_json_find(json, root, "abc") == NULL, "only a prefix");
    ok(ngx_ors_json_find(json, root, "e\\nf") == NULL, "raw text of a name");

    node = ngx_ors_json_find(json, root, "x2");
    ok(ngx_ors_json_find(json, node, "a") == NULL, "of a string");
    ok(ngx_ors_json_is(json, node, "1"), "a string");

    node = ngx_ors_json_find(json, root, "ab");
    ok(!ngx_ors_json_is(json, node, "2"), "a number is not a string");
    is_int(ngx_ors_json_length(json, node), 0, "nor has it a length");

    json_test_parse(json, T("{}"));
    ok(ngx_ors_json_find(json, json->nodes, "a") == NULL, "of nothing");

    json_test_parse(json, T("[\"a\",1]"));
    ok(ngx_ors_json_find(json, json->nodes, "a") == NULL, "of an array");
}


/* enough members for nodes to be allocated again under open containers */

static void
json_test_members(ngx_ors_json_t *json)
{
    ngx_uint_t            i;
    ngx_ors_json_node_t  *value[6];

    static const ngx_str_t  names[] = {
        ngx_string("a"),
        ngx_string("ab"),
        ngx_string("cd"),
        ngx_string("b"),
        ngx_string("null"),
        ngx_string("twice"),
        ngx_null_string
    };

    json_test_parse(json, T("{\"twice\":1,\"\":0,\"ab\":2,\"b\":{\"a\":4},"
                            "\"\\u0063d\":3,\"null\":null,\"twice\":5}"));

    ngx_ors_json_members(json, json->nodes, names, value);

    ok(value[0] == NULL, "absent, but for an inner object");
    ok(value[1] && *ngx_ors_json_text(json, value[1]) == '2', "a member");
    ok(value[2] && *ngx_ors_json_text(json, value[2]) == '3', "escaped");
    ok(value[3] && value[3]->type == ngx_ors_json_object, "an object");
    ok(value[4] == NULL, "null");
    ok(value[5] && *ngx_ors_json_text(json, value[5]) == '5',
       "the last of two");

    json_test_parse(json, T("[{\"a\":1}]"));
    ngx_ors_json_members(json, json->nodes, names, value);

    for (i = 0; i < 6; i++) {
        ok(value[i] == NULL, "\"%s\" of an array", names[i].data);
    }
}


static void
json_test_many(ngx_ors_json_t *json)
{
    u_char               *p, *text, name[8];
    int64_t               value;
    ngx_uint_t            i;
    ngx_ors_json_node_t  *node;

    text = malloc(JSON_TEST_MANY * 32);
    p = ngx_cpymem(text, "[{", 2);

    for (i = 0; i < JSON_TEST_MANY; i++) {
        p += sprintf((char *) p, "%s\"k%d\":[%d, {}]", i ? "," : "", (int) i,
                     (int) i);
    }

    p = ngx_cpymem(p, "},7]", 4);

    json_test_parse(json, text, p - text);
    is_int(json->n, 3 + JSON_TEST_MANY * 4, "nodes");
    is_int(json->nodes[1].count, JSON_TEST_MANY, "members");

    for (i = 0; i < JSON_TEST_MANY; i++) {
        node = ngx_ors_json_get(json, &json->nodes[1], name,
                                sprintf((char *) name, "k%d", (int) i));

        if (node == NULL || node->count != 2
            || ngx_ors_json_integer(json, node + 1, &value) != NGX_OK
            || value != (int64_t) i)
        {
            break;
        }
    }

    is_int(i, JSON_TEST_MANY, "each is found");

    node = ngx_ors_json_next(json, &json->nodes[1]);
    ok(node && *ngx_ors_json_text(json, node) == '7', "the next element");

    free(text);
}


static void
json_test_strings(ngx_ors_json_t *json)
{
    u_char               *p, *dst, *last, text[256];
    size_t                n, shift;
    ngx_uint_t            i, same;
    json_test_string_t   *t;
    ngx_ors_json_node_t  *node;

    for (i = 0; i < sizeof(json_strings) / sizeof(json_strings[0]); i++) {
        t = &json_strings[i];
        same = 1;

        for (shift = 0; same && shift < 40; shift++) {
            text[0] = '"';
            ngx_memset(text + 1, 'a', shift);
            p = ngx_cpymem(text + 1 + shift, t->raw, t->raw_len);
            *p++ = '"';

            if (ngx_ors_json_read(json, text, p - text) != NGX_OK) {
                same = 0;
                break;
            }

            node = json->nodes;

            /* no more room than the raw text has */

            dst = malloc(node->len + 1);
            last = ngx_ors_json_decode(json, node, dst);
            n = shift + t->len;

            same = (size_t) (last - dst) == n
                   && ngx_memcmp(dst + shift, t->text, t->len) == 0
                   && ngx_ors_json_length(json, node) == shift + t->chars
                   && ngx_ors_json_equal(json, node, dst, n)
                   && (n == 0 || !ngx_ors_json_equal(json, node, dst, n - 1));

            dst = realloc(dst, n + 1);
            dst[n] = 'a';
            same = same && !ngx_ors_json_equal(json, node, dst, n + 1);

            if (n) {
                dst[n - 1] ^= 1;
                same = same && !ngx_ors_json_equal(json, node, dst, n);
            }

            free(dst);
        }

        ok(same, "decoded: %s", t->raw);
    }
}


/* a text that nobody has read may end within an escape */

static void
json_test_cut(void)
{
    u_char               *raw, *dst;
    size_t                len, n;
    ngx_ors_json_t        json;
    ngx_ors_json_node_t   node;

    static const char  text[] = "\\ud83d\\ude00";

    ngx_memzero(&json, sizeof(ngx_ors_json_t));
    ngx_memzero(&node, sizeof(ngx_ors_json_node_t));

    node.type = ngx_ors_json_string;
    node.escaped = 1;

    for (len = 1; len < sizeof(text); len++) {
        raw = malloc(len);
        dst = malloc(len + 1);
        ngx_memcpy(raw, text, len);

        json.text = raw;
        node.len = (uint32_t) len;

        n = ngx_ors_json_decode(&json, &node, dst) - dst;

        if (n == 0 || n > len || ngx_ors_json_length(&json, &node) == 0
            || ngx_ors_json_equal(&json, &node, (u_char *) "ab", 2))
        {
            fail("an escape of %d bytes", (int) len);
        }

        free(raw);
        free(dst);
    }

    ok(1, "escapes that are cut off");
}


static void
json_test_texts(ngx_ors_json_t *json)
{
    ngx_str_t    text;
    ngx_uint_t   i;

    static struct {
        char        *json;
        char        *copy;
        char        *decoded;
        ngx_uint_t   borrowed;
    } t[] = {
        { "\"abc\"", "abc", "abc", 1 },
        { "\"a\\nb\"", "a\nb", "a\nb", 0 },
        { "\"\"", "", "", 1 },
        { "17", "", "17", 1 },
        { "null", "", "null", 1 },
        { "[\"a\"]", "", "[\"a\"]", 1 }
    };

    for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        json_test_parse(json, (u_char *) t[i].json, strlen(t[i].json));

        is_int(ngx_ors_json_copy(json, json->nodes, json->pool, &text),
               NGX_OK, "copy of %s", t[i].json);
        is_str(&text, t[i].copy, "... its text");
        ok(text.data < json->text || text.data > json->text + 8,
           "... is no part of it");

        is_int(ngx_ors_json_decoded(json, json->nodes, json->pool, &text),
               NGX_OK, "%s decoded", t[i].json);
        is_str(&text, t[i].decoded, "... its text");
        is_int(text.data >= json->text && text.data <= json->text + 8,
               t[i].borrowed, "... is borrowed or not");
    }

    is_int(ngx_ors_json_copy(json, NULL, json->pool, &text), NGX_OK,
           "copy of nothing");
    is_str(&text, "", "... is empty");
    is_int(ngx_ors_json_decoded(json, NULL, json->pool, &text), NGX_OK,
           "nothing decoded");
    is_str(&text, "", "... is empty");
}


static void
json_test_integers(ngx_ors_json_t *json)
{
    int64_t               value;
    ngx_int_t             rc;
    ngx_uint_t            i;
    json_test_integer_t  *t;

    for (i = 0; i < sizeof(json_integers) / sizeof(json_integers[0]); i++) {
        t = &json_integers[i];
        value = 7;

        json_test_parse(json, t->text, t->len);
        rc = ngx_ors_json_integer(json, json->nodes, &value);

        ok(rc == t->rc && value == t->value, "integer %s", t->text);
    }
}


static void
json_test_errors(void)
{
    ngx_uint_t   i;
    ngx_str_t   *text;

    for (i = 0; i <= ngx_ors_json_err_memory; i++) {
        text = ngx_ors_json_strerror(i);

        ok(text->len && text->data[text->len] == '\0', "error %d: %s",
           (int) i, text->data);
    }
}


static void
json_test_parse(ngx_ors_json_t *json, u_char *text, size_t len)
{
    if (ngx_ors_json_read(json, text, len) != NGX_OK) {
        fail("%s: error %d at %zu", text, (int) json->error, json->offset);
        exit(1);
    }
}
