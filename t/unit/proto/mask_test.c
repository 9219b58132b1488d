
/*
 * Copyright (C) Open Responses contributors
 */


/* A client's view of upstream's errors. */


#include <ngx_ors_test.h>
#include <ngx_ors_mask.h>


#define SECRET  "sk-secret at 10.0.0.5"


typedef struct {
    ngx_uint_t    answer;      /* HTTP status, 0: in an answer with 200 */
    ngx_uint_t    status;      /* the masked error */
    const char   *code;
    const char   *param;
    const char   *expected;    /* status, type, code, param */
} row_t;


static void test_row(row_t *row);
static void test_params(void);


static row_t  rows[] = {

    /* the operator's account */

    { 401, 401, "invalid_api_key", "a", "502 server_error server_error -" },
    { 402, 402, "insufficient_quota", "",
      "502 server_error server_error -" },
    { 403, 403, "permission_error", "", "502 server_error server_error -" },
    { 451, 451, "x", "", "502 server_error server_error -" },
    { 429, 429, "insufficient_quota", "a",
      "502 server_error server_error -" },
    { 429, 429, "usage_limit_reached", "",
      "502 server_error server_error -" },
    { 429, 429, "usage_not_included", "",
      "502 server_error server_error -" },
    { 400, 401, "invalid_api_key", "", "502 server_error server_error -" },
    { 400, 400, "billing_hard_limit_reached", "",
      "502 server_error server_error -" },
    { 400, 400, "billing_not_active", "",
      "502 server_error server_error -" },
    { 400, 400, "account_deactivated", "",
      "502 server_error server_error -" },

    /* whatever else is said in it */

    { 403, 404, "model_not_found", "model",
      "502 server_error server_error -" },
    { 401, 429, "rate_limit_exceeded", "",
      "502 server_error server_error -" },
    { 408, 400, "context_length_exceeded", "a",
      "504 server_error upstream_timeout -" },

    { 408, 408, "x", "a", "504 server_error upstream_timeout -" },

    /* errors about the request */

    { 400, 400, "x", "input[0].content",
      "400 invalid_request upstream_error input[0].content" },
    { 404, 404, "x", "", "404 not_found upstream_error -" },
    { 413, 413, "x", "", "413 invalid_request request_too_large -" },
    { 422, 422, "x", "a", "422 invalid_request upstream_error a" },
    { 429, 429, "x", "", "429 too_many_requests rate_limit_exceeded -" },

    { 400, 400, "context_length_exceeded", "input",
      "400 invalid_request context_length_exceeded input" },
    { 429, 429, "rate_limit_exceeded", "",
      "429 too_many_requests rate_limit_exceeded -" },
    { 404, 404, "model_not_found", "model",
      "404 not_found model_not_found model" },
    { 400, 404, "model_not_found", "", "404 not_found model_not_found -" },
    { 400, 400, "previous_response_not_found", "previous_response_id",
      "400 invalid_request previous_response_not_found "
      "previous_response_id" },
    { 400, 400, "content_filter", "",
      "400 invalid_request content_filter -" },
    { 400, 400, "content_policy_violation", "",
      "400 invalid_request content_policy_violation -" },
    { 400, 400, "invalid_prompt", "",
      "400 invalid_request invalid_prompt -" },
    { 400, 400, "bio_policy", "", "400 invalid_request bio_policy -" },
    { 400, 400, "cyber_policy", "", "400 invalid_request cyber_policy -" },

    /* names that begin as known ones do are others */

    { 400, 400, "content_filter2", "",
      "400 invalid_request upstream_error -" },
    { 429, 429, "insufficient", "",
      "429 too_many_requests rate_limit_exceeded -" },

    /* errors of the server */

    { 500, 500, "x", "a", "500 server_error server_error -" },
    { 500, 400, "context_length_exceeded", "",
      "400 invalid_request context_length_exceeded -" },
    { 502, 502, "x", "", "502 server_error server_error -" },
    { 503, 503, "x", "", "503 server_error server_is_overloaded -" },
    { 503, 503, "slow_down", "", "503 server_error slow_down -" },
    { 503, 503, "server_is_overloaded", "",
      "503 server_error server_is_overloaded -" },
    { 504, 504, "x", "", "504 server_error upstream_timeout -" },
    { 501, 501, "x", "", "502 server_error server_error -" },
    { 405, 405, "x", "a", "502 server_error server_error -" },
    { 418, 418, "x", "", "502 server_error server_error -" },
    { 302, 502, "x", "", "502 server_error server_error -" },

    /* in a stream, or a document with status 200 */

    { 0, 500, "x", "", "500 server_error server_error -" },
    { 0, 429, "rate_limit_exceeded", "",
      "429 too_many_requests rate_limit_exceeded -" },
    { 0, 429, "insufficient_quota", "", "502 server_error server_error -" },
    { 0, 0, "x", "", "502 server_error server_error -" }
};


int
main(void)
{
    ngx_uint_t  i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        test_row(&rows[i]);
    }

    test_params();

    return done_testing();
}


static void
test_row(row_t *row)
{
    u_char            buf[256];
    ngx_str_t         text;
    ngx_uint_t        allocs;
    ngx_pool_t       *pool;
    ngx_ors_error_t   err;

    pool = ngx_ors_test_pool();

    (void) ngx_ors_error_set(&err, pool, ngx_ors_code_server_error, SECRET);
    ngx_ors_error_reported(&err, row->status);
    err.code.len = ngx_strlen(row->code);
    err.code.data = (u_char *) row->code;
    err.param.len = ngx_strlen(row->param);
    err.param.data = (u_char *) row->param;

    allocs = ngx_ors_test_allocs();

    if (row->answer) {
        ngx_ors_mask_answer(&err, row->answer);

    } else {
        ngx_ors_mask(&err);
    }

    is_int(ngx_ors_test_allocs(), allocs, "%d %s: no memory is taken",
           (int) row->answer, row->code);

    if (err.param.len == 0) {
        ngx_str_set(&err.param, "-");
    }

    text.data = buf;
    text.len = ngx_sprintf(buf, "%ui %V %V %V", err.status, &err.type,
                           &err.code, &err.param)
               - buf;

    is_str(&text, row->expected, "%d %s", (int) row->answer, row->code);

    ok(err.message.len > 10
       && ngx_strlcasestrn(err.message.data,
                           err.message.data + err.message.len,
                           (u_char *) "secret", 5) == NULL,
       "%d %s: a text of ours", (int) row->answer, row->code);

    ngx_destroy_pool(pool);
}


static void
test_params(void)
{
    ngx_int_t        ch;
    ngx_uint_t       i, bad, expected;
    u_char           param[65];
    ngx_str_t        allowed = ngx_string("abcdefghijklmnopqrstuvwxyz"
                                          "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_.[]");
    ngx_ors_error_t  err;

    bad = 0;

    for (ch = 0; ch < 256; ch++) {
        ngx_memzero(&err, sizeof(ngx_ors_error_t));
        param[0] = 'a';
        param[1] = (u_char) ch;

        err.status = 400;
        err.param.len = 2;
        err.param.data = param;

        ngx_ors_mask(&err);

        expected = 0;

        for (i = 0; i < allowed.len; i++) {

            if (allowed.data[i] == ch) {
                expected = 2;
            }
        }

        if (err.param.len != expected) {
            bad++;
            diag("character %d", (int) ch);
        }
    }

    is_int(bad, 0, "characters of a path");

    ngx_memset(param, 'a', sizeof(param));

    for (i = 64; i <= 65; i++) {
        err.status = 400;
        err.param.len = i;
        err.param.data = param;

        ngx_ors_mask(&err);

        is_int(err.param.len, (i == 64) ? 64 : 0, "path of %d", (int) i);
    }
}
