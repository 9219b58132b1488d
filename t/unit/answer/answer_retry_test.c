
/*
 * Copyright (C) Open Responses contributors
 */


/* When a server wants to be asked again. */


#include <ngx_ors_test.h>
#include <ngx_ors_answer_error.h>


static void test_times(void);
static void test_errors(void);
static void test_tell(void);
static void test_memory(void);


#define SAYS(text)  "{'error':{'message':'" text "'}}"


static struct {
    char        *text;
    ngx_uint_t   unit;
    ngx_uint_t   ms;
} times[] = {
    { "", 1000, 0 },
    { "7", 1000, 7000 },
    { "7", 0, 0 },
    { "7", 1, 7 },
    { "007", 1000, 7000 },
    { "0", 1000, 0 },
    { "1.5s", 0, 1500 },
    { "1.5", 1000, 1500 },
    { "0.0004s", 0, 0 },
    { "1.2345s", 0, 1234 },
    { "34.074824224s.", 0, 34074 },
    { "20ms", 0, 20 },
    { "0.5ms", 0, 1 },
    { "20 milliseconds", 0, 20 },
    { "3 seconds", 0, 3000 },
    { "1 SECOND", 0, 1000 },
    { "6m0s", 0, 360000 },
    { "1h2m3s or later", 0, 3723000 },
    { "1 minute 30 seconds, please", 0, 90000 },
    { "1 minute 3 times", 0, 60000 },
    { "7s 8", 1000, 7000 },
    { "7.", 1000, 7000 },
    { "7. Bye", 1000, 7000 },
    { "7 days", 0, 0 },
    { "7x", 1000, 0 },
    { "1e3", 1000, 0 },
    { "-5", 1000, 0 },
    { " 5", 1000, 0 },
    { ".5s", 0, 0 },
    { "2026-10-21", 1000, 0 },
    { "10:30", 1000, 0 },
    { "86400", 1000, 86400000 },
    { "86401", 1000, 0 },
    { "24h1ms", 0, 0 },
    { "99999999999999999999999999", 1000, 0 },
    { "99999999999999999999999999h99999999999999999h", 0, 0 },
    { NULL, 0, 0 }
};


/* the status is 429 unless a row says another */

static struct {
    char        *name;
    ngx_uint_t   status;
    char        *body;
    ngx_uint_t   ms;
} errors[] = {

    { "OpenAI", 0,
      SAYS("Rate limit reached for m on requests per min. Limit: 3 / min. "
           "Please try again in 20s. Visit https://example.com/limits"),
      20000 },
    { "OpenAI, ms", 0, SAYS("Please Try Again In 250ms."), 250 },
    { "OpenAI, long", 0, SAYS("Please try again in 6m0s."), 360000 },
    { "Azure", 0, SAYS("Please retry after 20 seconds."), 20000 },
    { "no unit", 0, SAYS("retry after 5"), 5000 },
    { "a unit is needed", 0, SAYS("try again in 5"), 0 },
    { "another word", 0, SAYS("try again in a while"), 0 },
    { "the second one", 0,
      SAYS("Try again in a while, or try again in 5 s"), 5000 },
    { "Gemini, in words", 0, SAYS("Please retry in 1.5 minutes"), 90000 },
    { "no such phrase", 0, SAYS("please wait for 1.5 minutes"), 0 },
    { "at the end", 0, SAYS("try again in "), 0 },
    { "503", 503, SAYS("busy, retry in 3s"), 3000 },
    { "529", 529, SAYS("busy, retry in 3s"), 3000 },
    { "500", 500, SAYS("busy, retry in 3s"), 0 },
    { "400", 400, SAYS("try again in 3s"), 0 },

    { "Gemini", 0,
      "[{'error':{'code':429,'status':'RESOURCE_EXHAUSTED','message':'q',"
      "'details':[{'@type':'x/google.rpc.QuotaFailure'},"
      "{'@type':'x/google.rpc.RetryInfo','retryDelay':'12s'}]}}]", 12000 },
    { "a number", 0, "{'error':{'message':'q','retry_after':1.5}}", 1500 },
    { "a string", 0, "{'error':{'retry_after':'20'}}", 20000 },
    { "beside the error", 0, "{'error':'q','retry_after':2}", 2000 },
    { "ms", 0, "{'error':{'retry_after_ms':20}}", 20 },
    { "metadata", 0,
      "{'error':{'message':'q','metadata':{'retry_after_seconds':9}}}",
      9000 },
    { "detail", 0, "{'detail':{'message':'q','retry_after':4}}", 4000 },
    { "a field before the text", 0,
      "{'error':{'message':'try again in 9s','retry_after':4}}", 4000 },
    { "a field that says nothing", 0,
      "{'error':{'message':'try again in 9s','retry_after':null,"
      "'details':[5,{}]}}", 9000 },
    { "a field of another kind", 0,
      "{'error':{'retry_after':{},'retry_after_ms':true}}", 0 },
    { "nothing", 0, "{'error':{}}", 0 },
    { "an empty array", 0, "[]", 0 },
    { "no JSON", 0, NULL, 0 },
    { NULL, 0, NULL, 0 }
};


static struct {
    char        *message;
    ngx_uint_t   ms;
    char        *told;
} tells[] = {
    { "Slow down.", 0, "Slow down." },
    { "Slow down.", 7000, "Slow down. Try again in 7s." },
    { "Slow down", 1500, "Slow down. Try again in 1500ms." },
    { "Slow down!", 86400000, "Slow down! Try again in 86400s." },
    { "", 20, " Try again in 20ms." },
    { "Try again in 3s", 7000, "Try again in 3s" },
    { "Please TRY AGAIN IN 3.5 seconds, thanks", 7000,
      "Please TRY AGAIN IN 3.5 seconds, thanks" },

    /* Codex would not find these */

    { "Please retry after 20 seconds.", 20000,
      "Please retry after 20 seconds. Try again in 20s." },
    { "Please try again in 6m0s.", 360000,
      "Please try again in 6m0s. Try again in 360s." },
    { "try again in a while; try again in 5ms", 5,
      "try again in a while; try again in 5ms" },
    { NULL, 0, NULL }
};


int
main(void)
{
    test_times();
    test_errors();
    test_tell();
    test_memory();

    return done_testing();
}


static void
test_times(void)
{
    size_t       len;
    u_char      *p;
    ngx_str_t    text;
    ngx_uint_t   i;

    for (i = 0; times[i].text; i++) {

        /* nothing after the text is read */

        len = strlen(times[i].text);
        p = malloc(len + (len == 0));
        ngx_memcpy(p, times[i].text, len);

        text.data = p;
        text.len = len;

        is_int(ngx_ors_answer_retry_time(&text, times[i].unit), times[i].ms,
               "\"%s\", unit %d", times[i].text, (int) times[i].unit);

        free(p);
    }
}


static void
test_errors(void)
{
    u_char            text[512], *p;
    ngx_int_t         rc;
    ngx_uint_t        i;
    ngx_pool_t       *pool;
    ngx_ors_json_t    json;
    ngx_ors_error_t   err;

    for (i = 0; errors[i].name; i++) {
        pool = ngx_ors_test_pool();

        ngx_ors_json_init(&json, pool, 16, 100);

        if (errors[i].body) {
            p = ngx_ors_test_quotes(text, errors[i].body,
                                    ngx_strlen(errors[i].body));

            is_int(ngx_ors_json_read(&json, text, p - text), NGX_OK,
                   "%s: JSON", errors[i].name);
        }

        err.retry = 77;

        rc = ngx_ors_answer_error(&err, pool, errors[i].status
                                            ? errors[i].status : 429,
                                  errors[i].body ? &json : NULL,
                                  errors[i].body ? json.nodes : NULL);

        is_int(rc, NGX_OK, "%s: rc", errors[i].name);
        is_int(err.retry, errors[i].ms, "%s", errors[i].name);

        ngx_destroy_pool(pool);
    }
}


static void
test_tell(void)
{
    ngx_uint_t        i;
    ngx_pool_t       *pool;
    ngx_ors_error_t   err;

    for (i = 0; tells[i].message; i++) {
        pool = ngx_ors_test_pool();

        ngx_ors_error_set(&err, pool, ngx_ors_code_rate_limit_exceeded, "%s",
                          tells[i].message);
        err.retry = tells[i].ms;

        is_int(ngx_ors_answer_retry_tell(&err, pool), NGX_OK, "tell, %d",
               (int) i);
        is_str(&err.message, tells[i].told, "told, %d", (int) i);

        ngx_destroy_pool(pool);
    }
}


static void
test_memory(void)
{
    ngx_pool_t       *pool;
    ngx_ors_error_t   err;

    pool = ngx_ors_test_pool();

    ngx_ors_error_set(&err, pool, ngx_ors_code_rate_limit_exceeded, "m");
    err.retry = 1;

    ngx_ors_test_fail_after(1);
    is_int(ngx_ors_answer_retry_tell(&err, pool), NGX_ERROR, "no memory");
    ngx_ors_test_fail_after(0);

    is_str(&err.message, "m", "no memory: as it was");

    ngx_destroy_pool(pool);
}
