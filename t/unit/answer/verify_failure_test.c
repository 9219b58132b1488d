
/*
 * Copyright (C) Open Responses contributors
 */


/* Failures: error documents that pass, and those that are replaced. */


#include "verify_answer.h"


#define PAGE  "<html>secret</html>"


typedef struct {
    const char   *name;
    ngx_uint_t    mask;
    ngx_uint_t    status;
    const char   *body;          /* ' stands for " */
    ngx_uint_t    answered;
    const char   *expected;      /* NULL: the same bytes */
    ngx_uint_t    repaired;
} row_t;


static void test_row(row_t *row, size_t step);
static void test_types(void);
static void test_reject(void);
static void test_long(void);
static void test_no_memory(ngx_uint_t mask);


static row_t  rows[] = {

    /* as they should be */

    { "all four", 0, 400,
      "{'error':{'message':'m','type':'model_error','code':'c',"
      "'param':'input[0]'}}",
      400, NULL, 0 },
    { "null", 0, 404,
      "{'error':{'message':'m','type':'model_error','code':null,'param':null}}",
      404, NULL, 0 },
    { "unknown keys", 0, 429,
      "{'error':{'message':'m','type':'model_error',"
      "'code':'c','param':null,'x':1},"
      "'y':2}", 429, NULL, 0 },
    { "account, not masked", 0, 401,
      "{'error':{'message':'m','type':'model_error','code':'c','param':null}}",
      401, NULL, 0 },
    { "last status of all", 0, 599,
      "{'error':{'message':'m','type':'model_error','code':'c','param':null}}",
      599, NULL, 0 },

    /* almost */

    { "no param", 0, 400, "{'error':{'message':'m','type':'model_error',"
      "'code':'c'}}",
      400,
      "{'error':{'message':'m','type':'model_error',"
      "'code':'c','param':''}}", 1 },
    { "no code", 0, 500, "{'error':{'message':'m','type':'model_error'}} ",
      500,
      "{'error':{'message':'m','type':'model_error',"
      "'code':'','param':''}} ", 2 },

    /* other shapes */

    { "detail", 0, 422, "{'detail':'too bad'}", 422,
      "{'error':{'type':'invalid_request','code':'upstream_error',"
      "'message':'too bad','param':''}}", 0 },
    { "a text", 0, 500, "{'error':'too bad'}", 500,
      "{'error':{'type':'server_error','code':'server_error',"
      "'message':'too bad','param':''}}", 0 },
    { "a message", 0, 503, "{'message':'too bad'}", 503,
      "{'error':{'type':'server_error','code':'server_is_overloaded',"
      "'message':'too bad','param':''}}", 0 },
    { "no type", 0, 400, "{'error':{'message':'too bad','param':'input'}}",
      400,
      "{'error':{'type':'invalid_request','code':'upstream_error',"
      "'message':'too bad','param':'input'}}", 0 },
    { "param with an escape", 0, 400,
      "{'error':{'message':'too bad','param':'\\u0061'}}", 400,
      "{'error':{'type':'invalid_request','code':'upstream_error',"
      "'message':'too bad','param':''}}", 0 },
    { "a page", 0, 500, PAGE, 500,
      "{'error':{'type':'server_error','code':'server_error',"
      "'message':'the model server answered with status 500','param':''}}",
      0 },
    { "nothing", 0, 429, "", 429,
      "{'error':{'type':'too_many_requests','code':'rate_limit_exceeded',"
      "'message':'the model server answered with status 429','param':''}}",
      0 },
    { "a string", 0, 404, "'secret'", 404,
      "{'error':{'type':'not_found','code':'upstream_error',"
      "'message':'the model server answered with status 404','param':''}}",
      0 },

    /* no failures of a model */

    { "redirect", 0, 302,
      "{'error':{'message':'secret','type':'t','code':'c','param':null}}",
      502,
      "{'error':{'type':'server_error','code':'server_error',"
      "'message':'the model server answered with status 302','param':''}}",
      0 },
    { "not modified", 0, 304, "", 502,
      "{'error':{'type':'server_error','code':'server_error',"
      "'message':'the model server answered with status 304','param':''}}",
      0 },
    { "switching protocols", 0, 101, "", 502,
      "{'error':{'type':'server_error','code':'server_error',"
      "'message':'the model server answered with status 101','param':''}}",
      0 },
    { "no status of HTTP", 0, 600,
      "{'error':{'message':'m','type':'t','code':'c','param':null}}",
      502,
      "{'error':{'type':'server_error','code':'c','message':'m',"
      "'param':''}}", 0 },

    /* masked */

    { "masked: request", 1, 400,
      "{'error':{'message':'secret','type':'t','code':'secret',"
      "'param':'input[0]'}}", 400,
      "{'error':{'type':'invalid_request','code':'upstream_error',"
      "'message':'the model server refused the request',"
      "'param':'input[0]'}}", 0 },
    { "masked: param", 1, 400,
      "{'error':{'message':'secret','type':'t','code':'c',"
      "'param':'see secret'}}", 400,
      "{'error':{'type':'invalid_request','code':'upstream_error',"
      "'message':'the model server refused the request','param':''}}", 0 },
    { "masked: param with an escape", 1, 400,
      "{'error':{'message':'secret','type':'t','code':'c',"
      "'param':'\\u0061'}}", 400,
      "{'error':{'type':'invalid_request','code':'upstream_error',"
      "'message':'the model server refused the request','param':''}}", 0 },
    { "masked: length", 1, 400,
      "{'error':{'message':'This model has a context length of 4096',"
      "'type':'t','code':null,'param':null}}", 400,
      "{'error':{'type':'invalid_request',"
      "'code':'context_length_exceeded',"
      "'message':'the request is too long for the model','param':''}}", 0 },
    { "masked: key", 1, 401,
      "{'error':{'message':'secret','type':'t','code':'invalid_api_key',"
      "'param':null}}", 502,
      "{'error':{'type':'server_error','code':'server_error',"
      "'message':'the model server failed','param':''}}", 0 },
    { "masked: no access to a model", 1, 403,
      "{'error':{'message':'secret','type':'t','code':'model_not_found',"
      "'param':null}}", 502,
      "{'error':{'type':'server_error','code':'server_error',"
      "'message':'the model server failed','param':''}}", 0 },
    { "masked: quota", 1, 429,
      "{'error':{'message':'secret','type':'insufficient_quota',"
      "'code':'insufficient_quota','param':null}}", 502,
      "{'error':{'type':'server_error','code':'server_error',"
      "'message':'the model server failed','param':''}}", 0 },
    { "masked: time", 1, 408, PAGE, 504,
      "{'error':{'type':'server_error','code':'upstream_timeout',"
      "'message':'the model server did not answer in time','param':''}}",
      0 },
    { "masked: detail", 1, 422, "{'detail':'secret'}", 422,
      "{'error':{'type':'invalid_request','code':'upstream_error',"
      "'message':'the model server refused the request','param':''}}", 0 },
    { "masked: page", 1, 500, PAGE, 500,
      "{'error':{'type':'server_error','code':'server_error',"
      "'message':'the model server failed','param':''}}", 0 },
    { "masked: redirect", 1, 302, PAGE, 502,
      "{'error':{'type':'server_error','code':'server_error',"
      "'message':'the model server failed','param':''}}", 0 }
};


int
main(void)
{
    ngx_uint_t  i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        test_row(&rows[i], 0);
        test_row(&rows[i], 1);
    }

    test_types();
    test_reject();
    test_long();
    test_no_memory(0);
    test_no_memory(1);

    return done_testing();
}


static void
test_row(row_t *row, size_t step)
{
    size_t       len;
    u_char      *expected;
    answer_t     a;
    ngx_uint_t   said;
    const char  *text;

    ngx_ors_test_log_reset();
    answer_init(&a, row->body);

    a.status = row->status;
    a.policy.mask = row->mask;
    a.type = "text/html";
    a.step = step;

    /* an answer that has failed need not be whole */
    a.complete = step;

    answer_run(&a);

    text = row->expected ? row->expected : row->body;
    len = ngx_strlen(text);
    expected = answer_quotes(text, len);

    is_int(a.rc, NGX_DONE, "%s, by %d", row->name, (int) step);
    is_int(a.verify.status, row->answered, "%s, by %d: status", row->name,
           (int) step);
    is_str(&a.verify.type, "application/json", "%s, by %d: type", row->name,
           (int) step);
    is_mem(a.text, a.size, expected, len, "%s, by %d: text", row->name,
           (int) step);
    is_int(a.verify.error.status, row->answered, "%s, by %d: error",
           row->name, (int) step);
    is_int(a.verify.refused, 0, "%s, by %d: no finding of ours", row->name,
           (int) step);
    is_int(a.verify.repaired, row->repaired, "%s, by %d: repaired", row->name,
           (int) step);
    /* an error that a client has caused is logged at level "info" */

    said = (row->status >= 400 && *row->body == '{'
            && row->status != 400 && row->status != 404
            && row->status != 413 && row->status != 422);

    is_int(ngx_ors_test_logged(NGX_LOG_ERR), said, "%s, by %d: the server's "
           "words are logged, and nothing else", row->name, (int) step);

    free(expected);
    answer_free(&a);
}


/* those of other vocabularies are told as they are in flavor "openai" only */

static void
test_types(void)
{
    char         body[256], expected[256];
    size_t       i;
    answer_t     a;
    ngx_uint_t   other;

    static struct {
        ngx_uint_t   profile;
        ngx_uint_t   status;
        const char  *given;
        const char  *type;
    } tests[] = {
        { NGX_ORS_STRICT_SPEC, 400, "invalid_request_error",
          "invalid_request" },
        { NGX_ORS_TOLERANT_SPEC, 404, "x", "not_found" },
        { NGX_ORS_STRICT_SPEC, 429, "x", "too_many_requests" },
        { NGX_ORS_STRICT_SPEC, 500, "api_error", "server_error" },
        { NGX_ORS_STRICT_SPEC, 500, "model_error", "model_error" },
        { NGX_ORS_STRICT_OPENAI, 400, "invalid_request_error",
          "invalid_request_error" },
        { NGX_ORS_TOLERANT_OPENAI, 429, "x", "x" }
    };

    for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        snprintf(body, sizeof(body), "{'error':{'type':'%s','message':'m',"
                 "'code':'c','param':null}}", tests[i].given);
        snprintf(expected, sizeof(expected), "{\"error\":{\"type\":\"%s\","
                 "\"message\":\"m\",\"code\":\"c\",\"param\":null}}",
                 tests[i].type);

        answer_init(&a, body);
        a.status = tests[i].status;
        a.policy.profile = tests[i].profile;

        answer_run(&a);

        other = (ngx_strcmp(tests[i].given, tests[i].type) != 0);

        is_mem(a.text, a.size, expected, ngx_strlen(expected),
               "type %s, profile %d", tests[i].given, (int) tests[i].profile);
        is_int(a.verify.repaired, other, "type %s: repaired", tests[i].given);
        is_int(a.verify.status, tests[i].status, "type %s: status",
               tests[i].given);

        answer_free(&a);
    }
}


/* a document that the policy refuses is one of ours then */

static void
test_reject(void)
{
    answer_t  a;

    answer_init(&a, "{'error':{'message':'m','type':'t','code':'c',"
                "'param':null,'trace':'secret'}}");
    a.status = 400;
    a.policy.unknown = ngx_ors_unknown_reject;

    answer_run(&a);

    is_int(a.verify.status, 400, "an unknown key: status");
    ok(strstr((char *) a.text, "secret") == NULL
       && strstr((char *) a.text, "\"message\":\"m\""),
       "an unknown key is left out");

    answer_free(&a);
}


static void
test_long(void)
{
    char        *body, *p;
    answer_t     a;
    ngx_uint_t   i;

    body = malloc(200000);

    if (body == NULL) {
        abort();
    }

    p = body + sprintf(body, "{'error':{'type':'not_found','code':'c',"
                       "'param':null,'message':'");

    for (i = 0; i < 65536; i++) {
        *p++ = 'x';
    }

    sprintf(p, "'}}");

    answer_init(&a, body);
    a.status = 400;
    a.step = 1000;

    /* the limit of answers is not that of errors */
    a.limits.answer = 4096;

    answer_run(&a);

    is_int(a.verify.status, 400, "a long error: status");
    is_str(&a.verify.error.message,
           "the model server answered with status 400",
           "a long error: what is cut is not read");
    ok(a.size < 1000, "a long error: a short document");

    answer_free(&a);

    ngx_memcpy(body + 65533, "'}}", 4);

    answer_init(&a, body);
    a.status = 400;
    a.step = 1000;

    answer_run(&a);

    is_int(a.size, 65536, "the longest error passes");

    answer_free(&a);
    free(body);
}


static void
test_no_memory(ngx_uint_t mask)
{
    answer_t     a;
    ngx_uint_t   n, bad;

    bad = 0;

    for (n = 1; n < 1000; n++) {
        answer_init(&a, "{'error':{'message':'m','type':'t'}}");
        a.status = 400;
        a.policy.mask = mask;
        a.step = 10;

        answer_begin(&a);

        ngx_ors_test_fail_after(n);
        answer_run(&a);

        if (!ngx_ors_test_failed()) {
            ngx_ors_test_fail_after(0);
            is_int(a.verify.status, 400, "no memory: all tried");
            answer_free(&a);
            break;
        }

        ngx_ors_test_fail_after(0);

        if (a.rc != NGX_ERROR && a.verify.status != 400) {
            bad++;
            diag("allocation %d: %d", (int) n, (int) a.rc);
        }

        answer_free(&a);
    }

    ok(n > 5 && bad == 0, "no memory: %d allocations", (int) n - 1);
}
