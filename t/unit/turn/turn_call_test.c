
#include <ngx_ors_test_request.h>
/*
#include <ngx_ors_test_request.h>
 * Copyright (C) Open Responses contributors
#include <ngx_ors_test_request.h>
 */
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
/*
#include <ngx_ors_test_request.h>
 * What is around an answer: requests that are refused, targets that do not
#include <ngx_ors_test_request.h>
 * answer or speak the same protocol, and calls out of turn.
#include <ngx_ors_test_request.h>
 */
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
#include "turn_check.h"
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
static void test_bad_request(void);
#include <ngx_ors_test_request.h>
static void test_unanswered(void);
#include <ngx_ors_test_request.h>
static void test_refuse(void);
#include <ngx_ors_test_request.h>
static void test_pass(void);
#include <ngx_ors_test_request.h>
static void test_pass_model(const char *request, const char *model,
#include <ngx_ors_test_request.h>
    const char *expected);
#include <ngx_ors_test_request.h>
static void test_over(void);
#include <ngx_ors_test_request.h>
static void test_out_of_turn(void);
#include <ngx_ors_test_request.h>
static void setup(const char *request);
#include <ngx_ors_test_request.h>
static ngx_int_t call(ngx_ors_dialect_e dialect, const char *model);
#include <ngx_ors_test_request.h>
static ngx_int_t header(ngx_uint_t status, const char *type);
#include <ngx_ors_test_request.h>
static ngx_int_t data(const char *text);
#include <ngx_ors_test_request.h>
static void is_out(const char *expected, const char *name);
#include <ngx_ors_test_request.h>
static void is_failure(ngx_uint_t status, const char *code, const char *name);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
static ngx_ors_limits_t  limits = { 64, 1000, 10, 10, 10, 65536, 65536, 0 };
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
static ngx_pool_t       *pool;
#include <ngx_ors_test_request.h>
static u_char           *body;
#include <ngx_ors_test_request.h>
static ngx_ors_turn_t   *turn;
#include <ngx_ors_test_request.h>
static ngx_ors_out_t     sent;
#include <ngx_ors_test_request.h>
static ngx_int_t         rc;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
#define REQUEST  "{'model':'m','input':'hi'}"
#include <ngx_ors_test_request.h>
#define STREAM   "{'model':'m','input':'hi','stream':true}"
#include <ngx_ors_test_request.h>
#define CHUNK    "data: {'choices':[{'delta':{'content':'a'}}]}\n\n"
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
int
#include <ngx_ors_test_request.h>
main(void)
#include <ngx_ors_test_request.h>
{
#include <ngx_ors_test_request.h>
    test_bad_request();
#include <ngx_ors_test_request.h>
    test_unanswered();
#include <ngx_ors_test_request.h>
    test_refuse();
#include <ngx_ors_test_request.h>
    test_pass();
#include <ngx_ors_test_request.h>
    test_over();
#include <ngx_ors_test_request.h>
    test_out_of_turn();
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    return done_testing();
#include <ngx_ors_test_request.h>
}
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
/* a stream is not begun for it, either */
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
static void
#include <ngx_ors_test_request.h>
test_bad_request(void)
#include <ngx_ors_test_request.h>
{
#include <ngx_ors_test_request.h>
    setup("{'model':'m','input':'hi','stream':true,'temperature':'hot'}");
#include <ngx_ors_test_request.h>
    is_int(rc, NGX_DONE, "bad request: over");
#include <ngx_ors_test_request.h>
    is_failure(400, "invalid_type", "bad request");
#include <ngx_ors_test_request.h>
    is_str(&turn->error.param, "temperature", "bad request: param");
#include <ngx_ors_test_request.h>
    ngx_destroy_pool(pool);
#include <ngx_ors_test_request.h>
    free(body);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    setup("{'model'");
#include <ngx_ors_test_request.h>
    is_int(rc, NGX_DONE, "not JSON: over");
#include <ngx_ors_test_request.h>
    is_failure(400, "invalid_json", "not JSON");
#include <ngx_ors_test_request.h>
    ngx_destroy_pool(pool);
#include <ngx_ors_test_request.h>
    free(body);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    setup("{'model':'m','input':[{'type':'function_call_output',"
#include <ngx_ors_test_request.h>
          "'call_id':'x','output':'y'}]}");
#include <ngx_ors_test_request.h>
    is_int(rc, NGX_OK, "orphan: the request alone is good");
#include <ngx_ors_test_request.h>
    is_int(call(ngx_ors_dialect_chat, ""), NGX_DONE, "orphan: over");
#include <ngx_ors_test_request.h>
    ok(turn->status == 400, "orphan: status");
#include <ngx_ors_test_request.h>
    ngx_destroy_pool(pool);
#include <ngx_ors_test_request.h>
    free(body);
#include <ngx_ors_test_request.h>
}
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
static void
#include <ngx_ors_test_request.h>
test_unanswered(void)
#include <ngx_ors_test_request.h>
{
#include <ngx_ors_test_request.h>
    char        name[64];
#include <ngx_ors_test_request.h>
    ngx_uint_t  i, stream;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    static struct {
#include <ngx_ors_test_request.h>
        ngx_uint_t    status;
#include <ngx_ors_test_request.h>
        ngx_uint_t    answered;
#include <ngx_ors_test_request.h>
        const char   *code;
#include <ngx_ors_test_request.h>
    } tests[] = {
#include <ngx_ors_test_request.h>
        { 504, 504, "upstream_timeout" },
#include <ngx_ors_test_request.h>
        { 502, 502, "upstream_unavailable" },
#include <ngx_ors_test_request.h>
        { 503, 503, "server_is_overloaded" },
#include <ngx_ors_test_request.h>
        { 429, 429, "rate_limit_exceeded" },
#include <ngx_ors_test_request.h>
        { 500, 502, "upstream_unavailable" },
#include <ngx_ors_test_request.h>
        { 404, 502, "upstream_unavailable" },
#include <ngx_ors_test_request.h>
        { 401, 502, "upstream_unavailable" },
#include <ngx_ors_test_request.h>
        { 200, 502, "upstream_unavailable" },
#include <ngx_ors_test_request.h>
        { 0, 502, "upstream_unavailable" },
#include <ngx_ors_test_request.h>
    };
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
#include <ngx_ors_test_request.h>
        for (stream = 0; stream < 2; stream++) {
#include <ngx_ors_test_request.h>
            snprintf(name, sizeof(name), "no answer, %d",
#include <ngx_ors_test_request.h>
                     (int) tests[i].status);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
            setup(stream ? STREAM : REQUEST);
#include <ngx_ors_test_request.h>
            call(ngx_ors_dialect_chat, "");
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
            is_int(ngx_ors_turn_end(turn, tests[i].status, 0), NGX_DONE,
#include <ngx_ors_test_request.h>
                   "%s: over", name);
#include <ngx_ors_test_request.h>
            is_failure(tests[i].answered, tests[i].code, name);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
            ngx_destroy_pool(pool);
#include <ngx_ors_test_request.h>
            free(body);
#include <ngx_ors_test_request.h>
        }
#include <ngx_ors_test_request.h>
    }
#include <ngx_ors_test_request.h>
}
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
/* compressed answers are noticed by the caller */
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
static void
#include <ngx_ors_test_request.h>
test_refuse(void)
#include <ngx_ors_test_request.h>
{
#include <ngx_ors_test_request.h>
    ngx_uint_t  errors;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    setup(STREAM);
#include <ngx_ors_test_request.h>
    call(ngx_ors_dialect_chat, "");
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    errors = ngx_ors_test_logged(NGX_LOG_ERR);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    is_int(ngx_ors_turn_refuse(turn, "a compressed answer"), NGX_DONE,
#include <ngx_ors_test_request.h>
           "refuse: over");
#include <ngx_ors_test_request.h>
    is_failure(502, "invalid_upstream_answer", "refuse");
#include <ngx_ors_test_request.h>
    is_int(ngx_ors_test_logged(NGX_LOG_ERR) - errors, 1, "refuse: logged");
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    ngx_destroy_pool(pool);
#include <ngx_ors_test_request.h>
    free(body);
#include <ngx_ors_test_request.h>
}
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
static void
#include <ngx_ors_test_request.h>
test_pass(void)
#include <ngx_ors_test_request.h>
{
#include <ngx_ors_test_request.h>
    setup(REQUEST);
#include <ngx_ors_test_request.h>
    call(ngx_ors_dialect_responses, "");
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    is_int(header(429, "text/plain; x"), NGX_OK, "pass: header");
#include <ngx_ors_test_request.h>
    is_int(turn->status, 429, "pass: status");
#include <ngx_ors_test_request.h>
    is_str(&turn->type, "text/plain; x", "pass: type");
#include <ngx_ors_test_request.h>
    is_int(data("slow "), NGX_OK, "pass: data");
#include <ngx_ors_test_request.h>
    is_int(data(""), NGX_OK, "pass: no data");
#include <ngx_ors_test_request.h>
    is_int(data("down"), NGX_OK, "pass: more data");
#include <ngx_ors_test_request.h>
    is_out("slow down", "pass: body");
#include <ngx_ors_test_request.h>
    is_int(ngx_ors_turn_end(turn, 0, 1), NGX_DONE, "pass: end");
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    ngx_destroy_pool(pool);
#include <ngx_ors_test_request.h>
    free(body);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    /* the client must see that something is missing */
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    setup(REQUEST);
#include <ngx_ors_test_request.h>
    call(ngx_ors_dialect_responses, "");
#include <ngx_ors_test_request.h>
    header(200, "application/json");
#include <ngx_ors_test_request.h>
    data("{");
#include <ngx_ors_test_request.h>
    is_int(ngx_ors_turn_end(turn, 0, 0), NGX_ERROR, "pass: cut");
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    ngx_destroy_pool(pool);
#include <ngx_ors_test_request.h>
    free(body);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    test_pass_model(REQUEST, "", REQUEST);
#include <ngx_ors_test_request.h>
    test_pass_model(REQUEST, "n", "{'model':'n','input':'hi'}");
#include <ngx_ors_test_request.h>
    test_pass_model(" {'input':[{'role':'user','content':'model'}], "
#include <ngx_ors_test_request.h>
                    "'model' :\t'm\\u00e9' , 'x':1e400} ", "a\tb",
#include <ngx_ors_test_request.h>
                    " {'input':[{'role':'user','content':'model'}], "
#include <ngx_ors_test_request.h>
                    "'model' :\t'a\\tb' , 'x':1e400} ");
#include <ngx_ors_test_request.h>
}
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
static void
#include <ngx_ors_test_request.h>
test_pass_model(const char *request, const char *model, const char *expected)
#include <ngx_ors_test_request.h>
{
#include <ngx_ors_test_request.h>
    size_t        len, size;
#include <ngx_ors_test_request.h>
    u_char       *text;
#include <ngx_ors_test_request.h>
    ngx_chain_t  *cl;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    setup(request);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    is_int(call(ngx_ors_dialect_responses, model), NGX_OK, "pass: call");
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    text = run_text(expected, &len);
#include <ngx_ors_test_request.h>
    size = sent.size;
#include <ngx_ors_test_request.h>
    ngx_ors_out_take(&sent, &cl);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    is_chain(cl, (char *) text, "pass: request as it came, model \"%s\"",
#include <ngx_ors_test_request.h>
             model);
#include <ngx_ors_test_request.h>
    is_int(size, len, "pass: its size");
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    free(text);
#include <ngx_ors_test_request.h>
    ngx_destroy_pool(pool);
#include <ngx_ors_test_request.h>
    free(body);
#include <ngx_ors_test_request.h>
}
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
static void
#include <ngx_ors_test_request.h>
test_over(void)
#include <ngx_ors_test_request.h>
{
#include <ngx_ors_test_request.h>
    ngx_buf_t    b;
#include <ngx_ors_test_request.h>
    ngx_chain_t  *cl;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    setup(STREAM);
#include <ngx_ors_test_request.h>
    call(ngx_ors_dialect_chat, "");
#include <ngx_ors_test_request.h>
    header(200, "text/event-stream");
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    is_int(data(CHUNK), NGX_OK, "over: text");
#include <ngx_ors_test_request.h>
    is_int(turn->status, 200, "over: status");
#include <ngx_ors_test_request.h>
    is_int(data("data: {'error':'x'}\n\n" CHUNK), NGX_DONE, "over");
#include <ngx_ors_test_request.h>
    is_int(turn->state, ngx_ors_turn_st_over, "over: state");
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    ngx_ors_out_take(&turn->out, &cl);
#include <ngx_ors_test_request.h>
    ok(cl != NULL, "over: output");
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    ngx_memzero(&b, sizeof(ngx_buf_t));
#include <ngx_ors_test_request.h>
    b.pos = (u_char *) CHUNK;
#include <ngx_ors_test_request.h>
    b.last = b.pos + 10;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    is_int(ngx_ors_turn_data(turn, &b), NGX_DONE, "over: data");
#include <ngx_ors_test_request.h>
    ok(b.last - b.pos == 10, "over: data is left alone");
#include <ngx_ors_test_request.h>
    is_int(ngx_ors_turn_end(turn, 0, 0), NGX_DONE, "over: end");
#include <ngx_ors_test_request.h>
    is_int(turn->out.size, 0, "over: nothing is sent");
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    ngx_destroy_pool(pool);
#include <ngx_ors_test_request.h>
    free(body);
#include <ngx_ors_test_request.h>
}
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
static void
#include <ngx_ors_test_request.h>
test_out_of_turn(void)
#include <ngx_ors_test_request.h>
{
#include <ngx_ors_test_request.h>
    setup(REQUEST);
#include <ngx_ors_test_request.h>
    call(ngx_ors_dialect_chat, "");
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    is_int(data("x"), NGX_ERROR, "data without a header");
#include <ngx_ors_test_request.h>
    is_int(ngx_ors_test_logged(NGX_LOG_ALERT), 1, "it is our own mistake");
#include <ngx_ors_test_request.h>
    ngx_ors_test_log_reset();
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    ngx_destroy_pool(pool);
#include <ngx_ors_test_request.h>
    free(body);
#include <ngx_ors_test_request.h>
}
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
static void
#include <ngx_ors_test_request.h>
setup(const char *request)
#include <ngx_ors_test_request.h>
{
#include <ngx_ors_test_request.h>
    ngx_str_t  s;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    pool = ngx_ors_test_pool();
#include <ngx_ors_test_request.h>
    body = run_text(request, &s.len);
#include <ngx_ors_test_request.h>
    s.data = body;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    turn = ngx_ors_turn_create(
#include <ngx_ors_test_request.h>
        ngx_ors_endpoint(ngx_ors_endpoint_responses), &ngx_ors_test_policy,
#include <ngx_ors_test_request.h>
        &limits, pool, pool->log);
#include <ngx_ors_test_request.h>
    ngx_ors_out_init(&sent, pool, 64);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    rc = ngx_ors_turn_request(turn, &s);
#include <ngx_ors_test_request.h>
}
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
static ngx_int_t
#include <ngx_ors_test_request.h>
call(ngx_ors_dialect_e dialect, const char *model)
#include <ngx_ors_test_request.h>
{
#include <ngx_ors_test_request.h>
    ngx_str_t  s;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    s.data = (u_char *) model;
#include <ngx_ors_test_request.h>
    s.len = strlen(model);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    return ngx_ors_turn_call(turn, dialect, &s, &sent);
#include <ngx_ors_test_request.h>
}
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
static ngx_int_t
#include <ngx_ors_test_request.h>
header(ngx_uint_t status, const char *type)
#include <ngx_ors_test_request.h>
{
#include <ngx_ors_test_request.h>
    ngx_str_t  s;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    s.data = (u_char *) type;
#include <ngx_ors_test_request.h>
    s.len = strlen(type);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    return ngx_ors_turn_header(turn, status, &s, -1);
#include <ngx_ors_test_request.h>
}
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
static ngx_int_t
#include <ngx_ors_test_request.h>
data(const char *text)
#include <ngx_ors_test_request.h>
{
#include <ngx_ors_test_request.h>
    size_t      len;
#include <ngx_ors_test_request.h>
    u_char     *p;
#include <ngx_ors_test_request.h>
    ngx_int_t   result;
#include <ngx_ors_test_request.h>
    ngx_buf_t   b;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    p = run_text(text, &len);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    ngx_memzero(&b, sizeof(ngx_buf_t));
#include <ngx_ors_test_request.h>
    b.pos = p;
#include <ngx_ors_test_request.h>
    b.last = p + len;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    result = ngx_ors_turn_data(turn, &b);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    free(p);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    return result;
#include <ngx_ors_test_request.h>
}
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
static void
#include <ngx_ors_test_request.h>
is_out(const char *expected, const char *name)
#include <ngx_ors_test_request.h>
{
#include <ngx_ors_test_request.h>
    ngx_chain_t  *cl;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    ngx_ors_out_take(&turn->out, &cl);
#include <ngx_ors_test_request.h>
    is_chain(cl, expected, "%s", name);
#include <ngx_ors_test_request.h>
}
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
static void
#include <ngx_ors_test_request.h>
is_failure(ngx_uint_t status, const char *code, const char *name)
#include <ngx_ors_test_request.h>
{
#include <ngx_ors_test_request.h>
    size_t                size;
#include <ngx_ors_test_request.h>
    ngx_chain_t          *cl;
#include <ngx_ors_test_request.h>
    ngx_ors_json_t        json;
#include <ngx_ors_test_request.h>
    ngx_ors_json_node_t  *error;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    is_int(turn->status, status, "%s: status", name);
#include <ngx_ors_test_request.h>
    is_str(&turn->type, "application/json", "%s: type", name);
#include <ngx_ors_test_request.h>
    is_int(turn->state, ngx_ors_turn_st_over, "%s: state", name);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    size = turn->out.size;
#include <ngx_ors_test_request.h>
    ngx_ors_out_take(&turn->out, &cl);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    ngx_ors_json_init(&json, pool, 10, 100);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    if (!ok(cl && cl->next == NULL
#include <ngx_ors_test_request.h>
            && ngx_ors_json_read(&json, cl->buf->pos, size) == NGX_OK,
#include <ngx_ors_test_request.h>
            "%s: JSON", name))
#include <ngx_ors_test_request.h>
    {
#include <ngx_ors_test_request.h>
        return;
#include <ngx_ors_test_request.h>
    }
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    error = ngx_ors_json_find(&json, json.nodes, "error");
#include <ngx_ors_test_request.h>
    error = ngx_ors_json_find(&json, error, "code");
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    ok(ngx_ors_json_equal(&json, error, (u_char *) code, strlen(code)),
#include <ngx_ors_test_request.h>
       "%s: code %.*s", name, (int) error->len,
#include <ngx_ors_test_request.h>
       ngx_ors_json_text(&json, error));
#include <ngx_ors_test_request.h>
}
#include <ngx_ors_test_request.h>
