
/*
 * Copyright (C) Open Responses contributors
 *
 * Grammar of the JSON reader: what is accepted, what is refused, with which
 * error and where.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_json.h>

#include <stdlib.h>


/* "\x01" in a text would eat hexadecimal digits that follow: use "\1" */

#define T(text)          (text), sizeof(text) - 1
#define good(text)       { T(text), ngx_ors_json_err_none, 0 }
#define bad(err, n, text)                                                     \
    { T(text), ngx_ors_json_err_##err, n }

#define JSON_TEST_SHIFT  70
#define JSON_TEST_DEPTH  8
#define JSON_TEST_NODES  64


typedef struct {
    const char          *text;
    size_t               len;
    ngx_ors_json_err_e   error;
    size_t               offset;
} json_test_t;


static void json_test_texts(ngx_pool_t *pool);
static void json_test_strings(ngx_pool_t *pool);
static void json_test_truncated(ngx_pool_t *pool);
static void json_test_utf8(ngx_pool_t *pool);
static ngx_uint_t json_test_utf8_legal(u_char *p, size_t len);
static void json_test_bytes(ngx_pool_t *pool);
static ngx_uint_t json_test_read(ngx_pool_t *pool, u_char *text, size_t len,
    ngx_ors_json_err_e error, size_t offset);


static json_test_t  json_texts[] = {

    /* values alone */

    good("null"), good("true"), good("false"), good("0"), good("\"\""),
    good("[]"), good("{}"), good(" null"), good("null "), good("\t[\n]\r "),
    good(" \t\r\n0\n\r\t "), good("{ }"), good("[ ]"), good("\"a\""),

    bad(empty, 0, ""), bad(empty, 1, " "), bad(empty, 4, " \t\r\n"),
    bad(empty, 40, "                                        "),

    /* literals */

    bad(eof, 1, "n"), bad(eof, 2, "nu"), bad(eof, 3, "nul"),
    bad(eof, 3, "tru"), bad(eof, 4, "fals"), bad(eof, 1, "t"),
    bad(eof, 1, "f"), bad(token, 1, "nill"), bad(token, 3, "nulL"),
    bad(token, 0, "Null"), bad(token, 0, "NULL"), bad(token, 0, "True"),
    bad(token, 0, "undefined"), bad(token, 0, "NaN"), bad(token, 1, "nan"),
    bad(token, 0, "Infinity"), bad(number, 1, "-Infinity"),
    bad(token, 0, "inf"), bad(token, 3, "falze"), bad(token, 3, "nul\0"),
    bad(trailing, 4, "nulll"), bad(trailing, 4, "truefalse"),
    bad(trailing, 4, "null\0"), bad(trailing, 5, "null null"),
    bad(token, 5, "[nullnull]"), bad(token, 3, "[trve]"),

    /* numbers */

    good("-0"), good("1"), good("-1"), good("10"), good("1234567890"),
    good("12345678901234567890123456789012345678901234567890"),
    good("0.0"), good("-0.0"), good("0.1"), good("1.5"), good("1.000"),
    good("0e0"), good("0E0"), good("0e+0"), good("0e-0"), good("1e5"),
    good("1E5"), good("1e+5"), good("1e-5"), good("1.5e10"), good("1e400"),
    good("-1.25E-0007"), good("0.70"), good("1e00"), good("[0,0]"),
    good("[-0]"), good("[1.0,-2.5e+3]"), good("[0\n]"), good("{\"a\":0}"),

    bad(eof, 1, "-"), bad(eof, 2, "1."), bad(eof, 2, "1e"), bad(eof, 2, "1E"),
    bad(eof, 3, "1e+"), bad(eof, 3, "1e-"), bad(eof, 3, "-1."),
    bad(eof, 4, "1.5e"), bad(eof, 2, "[0"), bad(eof, 2, "[-"),
    bad(number, 1, "00"), bad(number, 1, "01"), bad(number, 2, "-01"),
    bad(number, 2, "-00"), bad(number, 2, "[00]"), bad(number, 1, "0123"),
    bad(number, 1, "--1"), bad(number, 1, "-a"), bad(number, 1, "- 1"),
    bad(number, 1, "-.5"), bad(number, 2, "1.a"), bad(number, 2, "1.e5"),
    bad(number, 2, "1..5"), bad(number, 2, "1. 5"), bad(number, 2, "1ea"),
    bad(number, 3, "1e+a"), bad(number, 3, "1e--5"), bad(number, 2, "1e.5"),
    bad(number, 2, "1e 5"), bad(number, 3, "[1.]"), bad(number, 3, "[1e]"),
    bad(number, 4, "[1e+]"), bad(number, 2, "[-]"), bad(number, 3, "[1.,2]"),
    bad(token, 0, "+1"), bad(token, 0, ".5"), bad(token, 1, "[+1]"),
    bad(token, 1, "[.5]"), bad(trailing, 1, "0x10"), bad(trailing, 1, "1a"),
    bad(trailing, 3, "1.5.5"), bad(trailing, 3, "1e5e5"),
    bad(trailing, 3, "1e5.5"), bad(trailing, 1, "1-2"), bad(trailing, 1, "1+"),
    bad(trailing, 2, "1 2"), bad(trailing, 1, "1_000"), bad(token, 2, "[1a]"),
    bad(token, 3, "[1 2]"), bad(token, 2, "[0x1]"),
    bad(trailing, 1, "1,2"), bad(token, 0, "\xef\xbc\x91"),

    /* arrays */

    good("[1]"), good("[1,2,3]"), good("[[]]"), good("[[],[]]"),
    good("[[[[[]]]]]"), good("[[[[[[[[]]]]]]]]"), good("[ 1 , 2 ]"),
    good("[\"a\",null,true,false,{},[]]"), good("[[1],2]"), good("[\n\n1\n]"),
    good("[{}]"), good("[{},{}]"), good("[{\"a\":[]},[{}]]"),

    bad(eof, 1, "["), bad(eof, 2, "[ "), bad(eof, 2, "[1"), bad(eof, 3, "[1,"),
    bad(eof, 4, "[1, "), bad(eof, 2, "[["), bad(eof, 3, "[[]"),
    bad(eof, 4, "[[],"), bad(token, 0, "]"), bad(token, 1, "[,]"),
    bad(token, 1, "[,1]"), bad(token, 3, "[1,]"), bad(token, 4, "[1, ]"),
    bad(token, 3, "[1,,2]"), bad(token, 2, "[1}"), bad(token, 1, "[}"),
    bad(token, 3, "[[]}"), bad(trailing, 2, "[]]"), bad(trailing, 2, "[],"),
    bad(trailing, 2, "[][]"), bad(trailing, 3, "[] 1"), bad(token, 2, "[1;2]"),
    bad(token, 4, "[\"a\"\"b\"]"), bad(token, 4, "[\"a\":1]"),
    bad(token, 3, "[[][]]"), bad(token, 3, "[{}{}]"), bad(token, 1, "[a]"),
    bad(token, 1, "[\0]"), bad(token, 1, "[\v]"), bad(token, 1, "[\f]"),
    bad(token, 1, "[\xc2\xa0]"), bad(token, 1, "[']"), bad(token, 2, "[1\0]"),

    /* objects */

    good("{\"a\":1}"), good("{\"a\":1,\"b\":2}"), good("{\"\":0}"),
    good("{\"a\":{}}"), good("{\"a\":{\"b\":{\"c\":null}}}"),
    good("{ \"a\" : 1 , \"b\" : [ ] }"), good("{\"a\":1,\"a\":2}"),
    good("{\"\\u0061\":1}"), good("{\"a\":\"b\"}"), good("{\n}"),
    good("{\"a\"\n:\n1\n}"), good("{\"a\":[{\"b\":[]}]}"),
    good("{\"a\\nb\":true}"), good("{\"\xc3\xa9\":true}"),

    bad(eof, 1, "{"), bad(eof, 2, "{ "), bad(eof, 2, "{\""),
    bad(eof, 4, "{\"a\""), bad(eof, 5, "{\"a\":"), bad(eof, 6, "{\"a\": "),
    bad(eof, 6, "{\"a\":1"), bad(eof, 7, "{\"a\":1,"), bad(eof, 5, "{\"a\" "),
    bad(eof, 8, "{\"a\":1, "), bad(eof, 9, "{\"a\":1,\"b"), bad(eof, 3, "{\"a"),
    bad(eof, 7, "{\"a\":{}"), bad(token, 0, "}"), bad(token, 1, "{]"),
    bad(token, 1, "{,}"), bad(token, 1, "{1:2}"), bad(token, 1, "{a:1}"),
    bad(token, 1, "{'a':1}"), bad(token, 1, "{null:1}"), bad(token, 1, "{{}}"),
    bad(token, 1, "{[]}"), bad(token, 4, "{\"a\"}"), bad(token, 4, "{\"a\",1}"),
    bad(token, 5, "{\"a\" 1}"), bad(token, 4, "{\"a\"1}"),
    bad(token, 5, "{\"a\":}"), bad(token, 5, "{\"a\":,}"),
    bad(token, 5, "{\"a\"::1}"), bad(token, 7, "{\"a\":1,}"),
    bad(token, 8, "{\"a\":1, }"), bad(token, 7, "{\"a\":1,,\"b\":2}"),
    bad(token, 6, "{\"a\":1]"), bad(token, 7, "{\"a\":1 \"b\":2}"),
    bad(token, 6, "{\"a\":1:2}"), bad(token, 7, "{\"a\":1,1}"),
    bad(token, 6, "{\"a\":1;}"), bad(trailing, 2, "{}}"),
    bad(trailing, 7, "{\"a\":1}}"), bad(trailing, 3, "{}\n{}"),
    bad(token, 4, "{\"a\"=1}"), bad(token, 10, "{\"a\":[{}],]"),
    bad(token, 6, "{\"a\":[}"), bad(token, 5, "[{\"a\"]"),

    /* texts that only look like JSON */

    bad(token, 0, "\xef\xbb\xbf{}"), bad(token, 0, "\xff\xfe[\0]\0"),
    bad(token, 0, "\0"), bad(token, 0, "// a\n1"), bad(token, 0, "/**/1"),
    bad(trailing, 2, "1 // a"), bad(token, 1, "[/**/]"), bad(token, 0, "'a'"),
    bad(token, 0, "a"), bad(token, 0, ","), bad(token, 0, ":"),
    bad(token, 0, "\\"), bad(token, 0, "\x7f"), bad(token, 0, "\x80"),
    bad(token, 0, "<html></html>"), bad(token, 0, "data: {}"),
    bad(trailing, 3, "{} \xef\xbb\xbf"), bad(token, 0, "\xc3\xa9"),
    bad(token, 1, "[\xf0\x9f\x98\x80]"), bad(trailing, 2, "\"\"\""),
    bad(trailing, 3, "\"a\"b"), bad(token, 0, "\v1"),
    bad(token, 0, "\xc2\xa0" "1"),
    bad(trailing, 2, "1\n\0"), bad(trailing, 1, "1\f"),

    /* a character that is cut, and one that was wrong already */

    bad(eof, 2, "\"\xc2"), bad(eof, 3, "\"\xe0\xa0"),
    bad(eof, 3, "\"\xed\x9f"), bad(eof, 3, "\"\xf0\x90"),
    bad(eof, 3, "\"\xf4\x8f"), bad(eof, 4, "\"\xf1\x80\xbf"),
    bad(eof, 5, "\"\xc3\xa9\xe4\xb8"), bad(utf8, 1, "\"\xc1"),
    bad(utf8, 1, "\"\xf5"), bad(utf8, 1, "\"\xe0\x9f"),
    bad(utf8, 1, "\"\xed\xa0"), bad(utf8, 1, "\"\xf0\x8f"),
    bad(utf8, 1, "\"\xf4\x90"), bad(utf8, 1, "\"\xe4\xb8\""),
    bad(utf8, 3, "\"\xc3\xa9\xe4\""),

    /* the first error is the one that is told */

    bad(control, 2, "[\"\1\\x\"]"), bad(escape, 2, "[\"\\x\1\"]"),
    bad(utf8, 2, "[\"\xff\\x\"]"), bad(number, 2, "[01,\"\\x\"]"),
    bad(token, 2, "[1\"\\x\"]"),

    /* limits of this program: 8 levels, 64 nodes */

    bad(depth, 8, "[[[[[[[[[]]]]]]]]]"), bad(depth, 8, "[[[[[[[[[["),
    bad(depth, 8, "[[[[[[[[{}]]]]]]]]"), bad(depth, 9, "[[[[[[[[ [1"),
    bad(depth, 40,
        "{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{}"),
    good("{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{}}}}}}}}"),
    good("[[[[[[[[]]]]]]],[[[[[[[1]]]]]]]]")
};


/* insides of a string, offsets are from there; the end quote is added */

static json_test_t  json_strings[] = {
    good(""), good("a"), good("\\\""), good("\\\\"), good("\\/"), good("/"),
    good("\\b"), good("\\f"), good("\\n"), good("\\r"), good("\\t"),
    good("\\\\\\\\"), good("\\\\\\\""), good("\\u0000"), good("\\u0041"),
    good("\\uabcd"), good("\\uABCD"), good("\\uffff"), good("\\u0022"),
    good("\\u005c"), good("\\ud83d\\ude00"), good("\\uD83D\\uDE00"),
    good("\\ud83d"), good("\\ude00"), good("\\ud83dx"), good("\\ud83d\\n"),
    good("\\ude00\\ud83d"), good("\\ud83d\\ud83d"), good("\\u12345"),
    good("\x7f"), good("'"), good("[{,:}]"), good("a\\nb\\nc\\nd\\ne\\nf"),
    good("\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n\\n"),
    good("\\u0061\\u0062\\u0063\\u0064\\u0065\\u0066\\u0067\\u0068"),

    bad(control, 0, "\0"), bad(control, 0, "\1"), bad(control, 0, "\t"),
    bad(control, 0, "\n"), bad(control, 0, "\r"), bad(control, 0, "\x1f"),
    bad(control, 1, "a\0b"), bad(control, 2, "\\n\n"), bad(control, 3, "abc\b"),
    bad(control, 2, "\xc3\xa9\x02"),

    bad(escape, 0, "\\a"), bad(escape, 0, "\\x41"), bad(escape, 0, "\\v"),
    bad(escape, 0, "\\0"), bad(escape, 0, "\\'"), bad(escape, 0, "\\ "),
    bad(escape, 0, "\\N"), bad(escape, 0, "\\U0041"), bad(escape, 0, "\\e"),
    bad(escape, 0, "\\\n"), bad(escape, 0, "\\\0"),
    bad(escape, 0, "\\\xc3\xa9"),
    bad(escape, 2, "\\\\\\q"), bad(escape, 1, "a\\q"), bad(escape, 0, "\\u"),
    bad(escape, 0, "\\u0"), bad(escape, 0, "\\u00"), bad(escape, 0, "\\u004"),
    bad(escape, 0, "\\ug000"), bad(escape, 0, "\\u0g00"),
    bad(escape, 0, "\\u00g0"), bad(escape, 0, "\\u000g"),
    bad(escape, 0, "\\u 041"), bad(escape, 0, "\\u+041"),
    bad(escape, 0, "\\u-041"), bad(escape, 0, "\\u00\\n"),
    bad(escape, 6, "\\ud83d\\u"), bad(escape, 6, "\\ud83d\\ude0"),
    bad(escape, 0, "\\u{41}"), bad(escape, 0, "\\u004\xc3\xa9"),

    bad(eof, 2, "\\"), bad(eof, 4, "\\\\\\"), bad(eof, 4, "\\n\\"),

    good("\xc2\x80"), good("\xc3\xa9"), good("\xdf\xbf"), good("\xe0\xa0\x80"),
    good("\xe2\x82\xac"), good("\xec\x80\x80"), good("\xed\x9f\xbf"),
    good("\xee\x80\x80"), good("\xef\xbb\xbf"), good("\xef\xbf\xbd"),
    good("\xef\xbf\xbf"), good("\xf0\x90\x80\x80"), good("\xf0\x9f\x98\x80"),
    good("\xf3\xbf\xbf\xbf"), good("\xf4\x8f\xbf\xbf"), good("a\xc3\xa9z"),
    good("\xe4\xb8\xad\xe6\x96\x87"),
    good("\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80z"),
    good("\xe4\xb8\xad\\n\xe6\x96\x87\\\""), good("\xe2\x80\xa8"),

    bad(utf8, 0, "\x80"), bad(utf8, 0, "\xbf"), bad(utf8, 0, "\xc0\x80"),
    bad(utf8, 0, "\xc0\xaf"), bad(utf8, 0, "\xc1\xbf"), bad(utf8, 0, "\xc3"),
    bad(utf8, 0, "\xc3\xc3"), bad(utf8, 0, "\xc3\x28"),
    bad(utf8, 0, "\xdf\x7f"),
    bad(utf8, 0, "\xe0\x80\x80"), bad(utf8, 0, "\xe0\x9f\xbf"),
    bad(utf8, 0, "\xe2\x82"), bad(utf8, 0, "\xe2\x28\xa1"),
    bad(utf8, 0, "\xe2\x82\x28"), bad(utf8, 0, "\xed\xa0\x80"),
    bad(utf8, 0, "\xed\xad\xbf"), bad(utf8, 0, "\xed\xbf\xbf"),
    bad(utf8, 0, "\xef\xbf"), bad(utf8, 0, "\xf0\x80\x80\x80"),
    bad(utf8, 0, "\xf0\x8f\xbf\xbf"), bad(utf8, 0, "\xf0\x9f\x98"),
    bad(utf8, 0, "\xf0\x9f"), bad(utf8, 0, "\xf0\x28\x8c\xbc"),
    bad(utf8, 0, "\xf0\x90\x28\xbc"), bad(utf8, 0, "\xf0\x90\x8c\x28"),
    bad(utf8, 0, "\xf4\x90\x80\x80"), bad(utf8, 0, "\xf5\x80\x80\x80"),
    bad(utf8, 0, "\xf8\x88\x80\x80\x80"), bad(utf8, 0, "\xfe"),
    bad(utf8, 0, "\xff"), bad(utf8, 2, "\xc3\xa9\xa9"), bad(utf8, 1, "a\xff"),
    bad(utf8, 3, "\xe4\xb8\xad\xed\xa0\x80"), bad(utf8, 2, "\\n\xff"),
    bad(utf8, 0, "\xed\xa0\xbd\xed\xb8\x80"), bad(utf8, 0, "\xc3\\n")
};


/* each kind of token, short and long */

static u_char  json_rich[] =
    "{ \"model\" : \"a-\\u0041\\ud83d\\ude00\\n\\\"\\\\ \xc3\xa9\xe4\xb8\xad\","
    "\"long\":\"0123456789 0123456789 0123456789\\n0123456789 0123456789\","
    "\n\t\"numbers\" : [0,-0,12,-3.25,1e5,2E-7,1.5e+10 , 7],"
    "\"\":{},\"e\":[ ],\"l\":[true,false,null],\"\\u006b\":{\"a\":{\"b\":[[1]]}"
    ",\"\xf0\x9f\x98\x80\":\"\xf0\x9f\x98\x80\xdf\xbf\"},\"z\":\"end\"}";


int
main(void)
{
    ngx_pool_t  *pool;

    pool = ngx_ors_test_pool();

    json_test_texts(pool);
    json_test_strings(pool);
    json_test_truncated(pool);
    json_test_utf8(pool);
    json_test_bytes(pool);

    ngx_destroy_pool(pool);

    return done_testing();
}


/* each text at different distances from both ends of the blocks */

static void
json_test_texts(ngx_pool_t *pool)
{
    u_char       buf[512];
    size_t       shift;
    ngx_uint_t   i, more, same;
    json_test_t  *t;

    for (i = 0; i < sizeof(json_texts) / sizeof(json_texts[0]); i++) {
        t = &json_texts[i];
        same = 1;

        more = (t->error != ngx_ors_json_err_eof
                && t->error != ngx_ors_json_err_empty);

        for (shift = 0; same && shift < JSON_TEST_SHIFT; shift++) {
            ngx_memset(buf, ' ', sizeof(buf));
            ngx_memcpy(buf + shift, t->text, t->len);

            same = json_test_read(pool, buf, shift + t->len, t->error,
                                  t->offset + shift);

            if (same && more) {
                same = json_test_read(pool, buf, 2 * shift + t->len, t->error,
                                      t->offset + shift);
            }
        }

        ok(same, "text %d: %s", (int) i, t->text);
    }
}


static void
json_test_strings(ngx_pool_t *pool)
{
    u_char       buf[512], *p;
    size_t       shift, more;
    ngx_uint_t   i, same;
    json_test_t  *t;

    for (i = 0; i < sizeof(json_strings) / sizeof(json_strings[0]); i++) {
        t = &json_strings[i];
        same = 1;

        for (shift = 0; same && shift < JSON_TEST_SHIFT; shift++) {
            p = buf;
            *p++ = '"';
            ngx_memset(p, 'a', shift);
            p = ngx_cpymem(p + shift, t->text, t->len);
            *p++ = '"';

            same = json_test_read(pool, buf, p - buf, t->error,
                                  1 + shift + t->offset);

            if (!same || t->error == ngx_ors_json_err_eof) {
                continue;
            }

            more = JSON_TEST_SHIFT - shift;
            ngx_memset(p, ' ', more);

            same = json_test_read(pool, buf, p - buf + more, t->error,
                                  1 + shift + t->offset);
        }

        ok(same, "string %d: %s", (int) i, t->text);
    }
}


/* a legal text that is cut always ends too early, nothing else */

static void
json_test_truncated(ngx_pool_t *pool)
{
    size_t               len, size;
    ngx_uint_t           same;
    ngx_ors_json_err_e   error;

    size = sizeof(json_rich) - 1;
    same = json_test_read(pool, json_rich, size, ngx_ors_json_err_none, 0);

    for (len = 0; same && len < size; len++) {
        error = len ? ngx_ors_json_err_eof : ngx_ors_json_err_empty;
        same = json_test_read(pool, json_rich, len, error, len);
    }

    ok(same, "cut at each byte, last at %zu", len);
}


/* all sequences of two bytes, and of three and four from the corners */

static void
json_test_utf8(ngx_pool_t *pool)
{
    size_t               n;
    u_char               buf[8 + 32];
    ngx_uint_t           a, b, i, k, tail, same;
    ngx_ors_json_err_e   error;

    static const u_char  corner[] = {
        0x22, 0x7f, 0x80, 0xbf, 0xc0
    };

    same = 1;
    n = sizeof(corner);

    for (a = 0x80; a < 0x100; a++) {
        for (b = 0; b < 0x100; b++) {
            for (i = 0; same && i < n * n; i++) {
                buf[0] = '"';
                buf[1] = a;
                buf[2] = b;
                buf[3] = corner[i / n];
                buf[4] = corner[i % n];
                ngx_memset(buf + 5, '"', 35);

                k = json_test_utf8_legal(buf + 1, 4);
                error = ngx_ors_json_err_utf8;

                if (k) {
                    buf[1 + k] = '"';
                    error = ngx_ors_json_err_none;
                }

                for (tail = 0; same && tail < 2; tail++) {

                    if (k) {
                        ngx_memset(buf + 2 + k, ' ', 32);
                        same = json_test_read(pool, buf, 2 + k + tail * 32,
                                              error, 0);
                        continue;
                    }

                    same = json_test_read(pool, buf, 8 + tail * 32, error, 1);
                }
            }
        }
    }

    ok(same, "UTF-8, last %02x %02x %02x %02x", buf[1], buf[2], buf[3],
       buf[4]);
}


/* the length of the character at "p" by the table of the standard, or 0 */

static ngx_uint_t
json_test_utf8_legal(u_char *p, size_t len)
{
    ngx_uint_t  i, n;

    static const u_char  rows[][8] = {
        { 0xc2, 0xdf, 0x80, 0xbf, 0, 0, 0, 0 },
        { 0xe0, 0xe0, 0xa0, 0xbf, 0x80, 0xbf, 0, 0 },
        { 0xe1, 0xec, 0x80, 0xbf, 0x80, 0xbf, 0, 0 },
        { 0xed, 0xed, 0x80, 0x9f, 0x80, 0xbf, 0, 0 },
        { 0xee, 0xef, 0x80, 0xbf, 0x80, 0xbf, 0, 0 },
        { 0xf0, 0xf0, 0x90, 0xbf, 0x80, 0xbf, 0x80, 0xbf },
        { 0xf1, 0xf3, 0x80, 0xbf, 0x80, 0xbf, 0x80, 0xbf },
        { 0xf4, 0xf4, 0x80, 0x8f, 0x80, 0xbf, 0x80, 0xbf }
    };

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {

        for (n = 0; n < len && rows[i][2 * n]; n++) {
            if (p[n] < rows[i][2 * n] || p[n] > rows[i][2 * n + 1]) {
                break;
            }
        }

        if (n == len || (n && rows[i][2 * n] == 0)) {
            return n;
        }
    }

    return 0;
}


/* each byte alone, in a string, after a backslash and between values */

static void
json_test_bytes(ngx_pool_t *pool)
{
    u_char               buf[8];
    ngx_uint_t           ch, same;
    ngx_ors_json_err_e   error;

    same = 1;

    for (ch = 0; same && ch < 0x100; ch++) {
        buf[0] = '"';
        buf[1] = ch;
        buf[2] = '"';

        error = (ch < 0x20) ? ngx_ors_json_err_control
                            : (ch >= 0x80) ? ngx_ors_json_err_utf8
                                           : ngx_ors_json_err_none;

        if (ch == '"') {
            same = json_test_read(pool, buf, 3, ngx_ors_json_err_trailing, 2);

        } else if (ch == '\\') {
            same = json_test_read(pool, buf, 3, ngx_ors_json_err_eof, 3);

        } else {
            same = json_test_read(pool, buf, 3, error, 1);
        }
    }

    ok(same, "each byte in a string, last %02x", (int) ch);

    for (ch = 0; same && ch < 0x100; ch++) {
        buf[0] = '"';
        buf[1] = '\\';
        buf[2] = ch;
        buf[3] = '"';

        error = (ch && ngx_strchr("\"\\/bfnrt", ch))
                ? ngx_ors_json_err_none : ngx_ors_json_err_escape;

        same = json_test_read(pool, buf, 4, error, 1);
    }

    ok(same, "each byte after a backslash, last %02x", (int) ch);

    for (ch = 0; same && ch < 0x100; ch++) {
        ngx_memcpy(buf, "[1 ]", 4);
        buf[2] = ch;

        if (ch && ngx_strchr("eE.", ch)) {
            same = json_test_read(pool, buf, 4, ngx_ors_json_err_number, 3);

        } else if (ch == ',' ) {
            same = json_test_read(pool, buf, 4, ngx_ors_json_err_token, 3);

        } else if (ch == ']') {
            same = json_test_read(pool, buf, 4, ngx_ors_json_err_trailing, 3);

        } else {
            error = (ch && ngx_strchr(" \t\r\n0123456789", ch))
                    ? ngx_ors_json_err_none : ngx_ors_json_err_token;
            same = json_test_read(pool, buf, 4, error, 2);
        }
    }

    ok(same, "each byte between values, last %02x", (int) ch);
}


/* reads a copy of the text's exact size: sanitizers see one byte more */

static ngx_uint_t
json_test_read(ngx_pool_t *pool, u_char *text, size_t len,
    ngx_ors_json_err_e error, size_t offset)
{
    u_char                 *copy;
    ngx_int_t               rc;
    static ngx_ors_json_t   json;

    if (json.pool == NULL) {
        ngx_ors_json_init(&json, pool, JSON_TEST_DEPTH, JSON_TEST_NODES);
    }

    copy = malloc(len);
    ngx_memcpy(copy, text, len);
    rc = ngx_ors_json_read(&json, copy, len);
    free(copy);

    if (rc == (error ? NGX_DECLINED : NGX_OK) && json.error == error
        && (error == ngx_ors_json_err_none || json.offset == offset))
    {
        return 1;
    }

    diag("got %d, error %d at %zu, expected error %d at %zu of %zu", (int) rc,
         (int) json.error, json.offset, (int) error, offset, len);

    return 0;
}
