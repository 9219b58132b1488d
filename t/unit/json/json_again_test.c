
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Documents that are like the one in front of them have the nodes that they
 * have alone: chunks by hand, and random changes of a chunk.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_json_again.h>

#include <stdlib.h>
#include <string.h>


#define JSON_TEST_ROUNDS  200000


typedef struct {
    const char  *text;
    ngx_uint_t   alike;
    const char  *label;
} json_test_step_t;


static ngx_uint_t json_test_same(ngx_ors_json_t *json, const char *text,
    size_t len);
static size_t json_test_change(char *text, size_t len);


static ngx_ors_json_t       json_test_alone;
static ngx_ors_json_last_t  json_last;

#define JSON_TEST_STEPS                                                       \
    (sizeof(json_test_steps) / sizeof(json_test_steps[0]) - 1)
#define BEGIN  "{\"id\":\"chatcmpl-1\",\"created\":1,\"choices\":[{\"index\":0,"

static const json_test_step_t  json_test_steps[] = {
    { BEGIN "\"delta\":{\"content\":\"a\"}}]}", 0, "the first" },
    { BEGIN "\"delta\":{\"content\":\"abc\"}}]}", 1, "longer" },
    { BEGIN "\"delta\":{\"content\":\"\"}}]}", 1, "empty" },
    { BEGIN "\"delta\":{\"content\":\"a\\n\\\"\"}}]}", 1, "escapes" },
    { BEGIN "\"delta\":{\"content\":\"\xc3\xa9\"}}]}", 1, "not ASCII" },
    { BEGIN "\"delta\":{\"content\":\"\xc3\xa9\"}}]}", 1, "the same" },
    { BEGIN "\"delta\":{\"content\":\"plain\"}}]}", 1, "plain again" },
    { BEGIN "\"delta\":{\"content\":null}}]}", 0, "null" },
    { BEGIN "\"delta\":{\"content\":\"a\"}}]}", 0, "text again" },
    { BEGIN "\"delta\":{\"refusal\":\"a\"}}]}", 0, "another key" },
    { BEGIN "\"delta\":{\"refusal\":\"a\",\"a\":1}}]}", 0, "one more" },
    { BEGIN "\"delta\":{\"refusal\":\"b\",\"a\":12}}]}", 1, "two changes" },
    { BEGIN "\"delta\":{\"refusal\":\"bb\",\"a\":1.5}}]}", 1, "a fraction" },
    { BEGIN "\"delta\":{\"refusal\":\"b\",\"a\":12}}]}\n", 0, "a line end" },
    { BEGIN "\"delta\":{\"refusal\":\"b\"}}]}", 0, "one less" },
    { BEGIN "\"delta\":{\"refusal\":\"b\" }}]}", 0, "a space" },
    { BEGIN "\"delta\":{\"refusal\":\"c\" }}]}", 0, "no comma after it" },
    { BEGIN "\"delta\":{\"refusal\":\"c\" }}", 0, "cut" },
    { BEGIN "\"delta\":{\"refusal\":\"c\"}}]}", 0, "whole after that" },
    { BEGIN "\"delta\":{\"refusal\":\"c", 0, "cut in a string" },
    { BEGIN "\"delta\":{\"refusal\":\"c\"}}]}", 0, "whole again" },
    { BEGIN "\"delta\":{\"refusal\":\"\n\"}}]}", 0, "a control character" },
    { BEGIN "\"delta\":{\"refusal\":\"c\"}}]}", 0, "right again" },
    { BEGIN "\"delta\":{\"refusal\":\"\xff\"}}]}", 0, "not UTF-8" },
    { "1", 0, "a number" },
    { "12", 1, "another" },
    { "12 ", 0, "a space after it" },
    { "\"a\"", 0, "a string" },
    { "\"b\"", 1, "another string" },
    { "[]", 0, "an array" },
    { "[]", 1, "the same array" },
    { "", 0, "nothing" },
    { "[\"a\",[1,{\"b\":[]}],{\"c\":\"d\"},2]", 0, "containers" },
    { "[\"a1\",[1,{\"b\":[]}],{\"c\":\"d1\"},22]", 1, "all values longer" },
    { "[\"\",[15,{\"b\":[]}],{\"c\":\"\"},3]", 1, "some shorter" },
    { "[\"\",[15,{\"bb\":[]}],{\"c\":\"\"},3]", 0, "a key that is longer" },
    { "[1,2]", 0, "numbers" },
    { "[\"a\",2]", 0, "a text in place of one" },
    { "[1,2]", 0, "a number in place of that" },
    { "[-1,2]", 1, "a sign" },
    { "[1-,2]", 0, "no number" },
    { NULL, 0, NULL }
};


int
main(void)
{
    char                     buf[1000], text[1000];
    size_t                   len = 0;
    ngx_uint_t               n, alike, good;
    ngx_pool_t              *pool;
    ngx_ors_json_t           json;
    const json_test_step_t  *step;

    pool = ngx_ors_test_pool();

    ngx_ors_json_init(&json, pool, 8, 100);
    ngx_ors_json_init(&json_test_alone, pool, 8, 100);

    for (step = json_test_steps; step->text; step++) {
        ok(json_test_same(&json, step->text, strlen(step->text)), "%s",
           step->label);
        is_int(json_last.alike, step->alike, "%s", step->alike ? "compared"
                                                          : "read");
    }

    /* another text was read in between */

    (void) json_test_same(&json, "[\"a\"]", 5);
    (void) ngx_ors_json_read(&json, (u_char *) "1", 1);
    json_last.len = 0;
    ok(json_test_same(&json, "[\"b\"]", 5) && !json_last.alike, "read alone");

    /* too long to be compared */

    memset(text, 'x', sizeof(text));
    text[0] = '"';
    text[NGX_ORS_JSON_AGAIN] = '"';

    ok(json_test_same(&json, text, NGX_ORS_JSON_AGAIN + 1)
       && json_test_same(&json, text, NGX_ORS_JSON_AGAIN + 1)
       && !json_last.alike,
       "a long one");

    alike = 0;
    good = 0;

    for (n = 0; n < JSON_TEST_ROUNDS; n++) {

        if (n % 8 == 0) {
            step = &json_test_steps[ngx_ors_test_random(JSON_TEST_STEPS)];
            len = strlen(step->text);
            memcpy(text, step->text, len);
        }

        memcpy(buf, text, len);
        len = json_test_change(buf, len);

        if (!json_test_same(&json, buf, len)) {
            break;
        }

        alike += json_last.alike;
        good += (json.n != 0);

        memcpy(text, buf, len);
    }

    is_int(n, JSON_TEST_ROUNDS, "random changes");
    ok(alike > JSON_TEST_ROUNDS / 100, "%d of them compared", (int) alike);
    ok(good < n, "%d of them wrong", (int) (n - good));

    ngx_destroy_pool(pool);

    return done_testing();
}


/* in memory of exactly its size */

static ngx_uint_t
json_test_same(ngx_ors_json_t *json, const char *text, size_t len)
{
    u_char          *copy;
    ngx_int_t        rc;
    ngx_uint_t       same;
    ngx_ors_json_t  *alone;

    alone = &json_test_alone;

    copy = malloc(len ? len : 1);
    memcpy(copy, text, len);

    rc = ngx_ors_json_read(alone, copy, len);

    same = ngx_ors_json_again(json, &json_last, copy, len) == rc
           && json->n == alone->n && json->error == alone->error
           && json->offset == alone->offset && json->text == alone->text
           && (alone->n == 0
               || memcmp(json->nodes, alone->nodes,
                         alone->n * sizeof(ngx_ors_json_node_t)) == 0);

    if (!same) {
        diag("%.*s", (int) len, copy);
    }

    free(copy);

    return same;
}


/* puts in, takes out or changes some bytes */

static size_t
json_test_change(char *text, size_t len)
{
    size_t       at, n;
    const char  *word;

    static const char  *words[] = {
        "a", "plain", "\\n", "\\", "\"", "1", "0", ",", "null", " ", "\xc3\xa9",
        "\xc3", "{}", "a text of more than sixteen bytes", "\",\"", "}", "]",
        "", "\"b\"", "-1"
    };

    word = words[ngx_ors_test_random(sizeof(words) / sizeof(words[0]))];
    n = strlen(word);
    at = ngx_ors_test_random(len + 1);

    switch (ngx_ors_test_random(3)) {

    case 0:
        memmove(text + at + n, text + at, len - at);
        len += n;
        break;

    case 1:
        n = ngx_min(n, len - at);
        memmove(text + at, text + at + n, len - at - n);
        return len - n;

    default:
        n = ngx_min(n, len - at);
        break;
    }

    memcpy(text + at, word, n);

    return len;
}
