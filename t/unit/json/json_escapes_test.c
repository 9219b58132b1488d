
/*
 * Copyright (C) Open Responses contributors
 *
 * Long strings full of escapes, at random, beside a reading that looks at
 * one byte after the other.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_json.h>


#define JSON_TEST_ROUNDS  100000
#define JSON_TEST_WORDS   60
#define JSON_TEST_SIZE    4096


typedef struct {
    ngx_ors_json_err_e   error;
    size_t               at;       /* of the error, or the string's length */
} json_test_result_t;


static size_t json_test_make(u_char *text);
static json_test_result_t json_test_ours(ngx_ors_json_t *json, u_char *text,
    size_t len);
static json_test_result_t json_test_bytes(u_char *text, size_t len);
static json_test_result_t json_test_escape(u_char *text, size_t i, size_t len);
static json_test_result_t json_test_end(u_char *text, size_t i, size_t len);
static json_test_result_t json_test_result(ngx_ors_json_err_e error,
    size_t at);


/* escapes in rows, what is legal but less usual, and what is not legal */

static const char  *json_test_usual[] = {
    "\\\\", "\\\\", "\\\\", "\\\"", "\\n", "\\t", "\\r", "a", "nrtu", "/",
    "a plain text of more than thirty two bytes"
};

static const char  *json_test_legal[] = {
    "\\u00e9", "\\/", "\\b", "\\f", "\xc3\xa9", "\xe4\xb8\xad\xe6\x96\x87"
};

static const char  *json_test_bad[] = {
    "\"", "\\", "\\u12", "\\x", "\n", "\x1f", "\x80", "\\\xc3\xa9", "\\\x01",
    "\" ", "\\u"
};

#define json_test_pick(words)                                                 \
    words[ngx_ors_test_random(sizeof(words) / sizeof(words[0]))]


int
main(void)
{
    size_t               len;
    u_char               buf[JSON_TEST_SIZE], *text;
    ngx_uint_t           i, n[ngx_ors_json_err_memory + 1];
    ngx_pool_t          *pool;
    ngx_ors_json_t       json;
    json_test_result_t   a, b;

    pool = ngx_ors_test_pool();

    ngx_ors_json_init(&json, pool, 1, 1);
    ngx_memzero(n, sizeof(n));

    for (i = 0; i < JSON_TEST_ROUNDS; i++) {
        len = json_test_make(buf);

        /* of its exact size: nothing around it may be looked at */

        text = ngx_alloc(len, pool->log);
        if (text == NULL) {
            return 2;
        }

        ngx_memcpy(text, buf, len);

        a = json_test_ours(&json, text, len);
        b = json_test_bytes(text, len);

        ngx_free(text);

        if (a.error != b.error || a.at != b.at) {
            is_int(a.error, b.error, "error of %.*s", (int) len, buf);
            is_int(a.at, b.at, "place");
            break;
        }

        n[b.error]++;
    }

    is_int(i, JSON_TEST_ROUNDS, "as one byte after the other");

    ok(n[ngx_ors_json_err_none] > JSON_TEST_ROUNDS / 4, "many are legal");
    ok(n[ngx_ors_json_err_eof] > 100, "some do not end");
    ok(n[ngx_ors_json_err_trailing] > 100, "some end early");
    ok(n[ngx_ors_json_err_control] > 100, "control characters");
    ok(n[ngx_ors_json_err_escape] > 100, "bad escapes");
    ok(n[ngx_ors_json_err_utf8] > 100, "bytes that are not UTF-8");

    ngx_destroy_pool(pool);

    return done_testing();
}


static size_t
json_test_make(u_char *text)
{
    u_char      *p;
    ngx_uint_t   n;
    const char  *word;

    p = text;
    *p++ = '"';

    for (n = ngx_ors_test_random(JSON_TEST_WORDS); n; n--) {

        switch (ngx_ors_test_random(120)) {

        case 0:
            word = json_test_pick(json_test_bad);
            break;

        case 1: case 2: case 3:
            word = json_test_pick(json_test_legal);
            break;

        default:
            word = json_test_pick(json_test_usual);
            break;
        }

        p = ngx_cpymem(p, word, ngx_strlen(word));
    }

    if (ngx_ors_test_random(20)) {
        *p++ = '"';
    }

    return p - text;
}


static json_test_result_t
json_test_ours(ngx_ors_json_t *json, u_char *text, size_t len)
{
    if (ngx_ors_json_read(json, text, len) == NGX_OK) {
        return json_test_result(ngx_ors_json_err_none, json->nodes[0].len);
    }

    return json_test_result(json->error, json->offset);
}


static json_test_result_t
json_test_bytes(u_char *text, size_t len)
{
    size_t              i;
    json_test_result_t  r;

    for (i = 1; i < len; /* void */ ) {

        if (text[i] == '"') {
            return json_test_end(text, i, len);
        }

        if (text[i] == '\\') {
            r = json_test_escape(text, i, len);

            if (r.error != ngx_ors_json_err_none) {
                return r;
            }

            i = r.at;

        } else if (text[i] < 0x20) {
            return json_test_result(ngx_ors_json_err_control, i);

        } else if (text[i] < 0x80) {
            i++;

        } else if (text[i] == 0xc3) {
            i += 2;

        } else if (text[i] >= 0xe0) {
            i += 3;

        } else {
            return json_test_result(ngx_ors_json_err_utf8, i);
        }
    }

    return json_test_result(ngx_ors_json_err_eof, len);
}


/* "at" is where it ends */

static json_test_result_t
json_test_escape(u_char *text, size_t i, size_t len)
{
    size_t  k;

    if (i + 1 == len) {
        return json_test_result(ngx_ors_json_err_eof, len);
    }

    if (ngx_strchr("\"\\/bfnrt", text[i + 1])) {
        return json_test_result(ngx_ors_json_err_none, i + 2);
    }

    if (text[i + 1] != 'u') {
        return json_test_result(ngx_ors_json_err_escape, i);
    }

    for (k = i + 2; k < i + 6; k++) {

        if (k == len) {
            return json_test_result(ngx_ors_json_err_eof, len);
        }

        if (ngx_strchr("0123456789abcdefABCDEF", text[k]) == NULL) {
            return json_test_result(ngx_ors_json_err_escape, i);
        }
    }

    return json_test_result(ngx_ors_json_err_none, k);
}


/* the quote is the last one, but for white space */

static json_test_result_t
json_test_end(u_char *text, size_t i, size_t len)
{
    size_t  k;

    for (k = i + 1; k < len; k++) {

        if (text[k] != ' ' && text[k] != LF) {
            return json_test_result(ngx_ors_json_err_trailing, k);
        }
    }

    return json_test_result(ngx_ors_json_err_none, i - 1);
}


static json_test_result_t
json_test_result(ngx_ors_json_err_e error, size_t at)
{
    json_test_result_t  r;

    r.error = error;
    r.at = at;

    return r;
}
