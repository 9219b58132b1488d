
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Turns around an answer: requests that are refused, targets that do not
 * answer or speak the same protocol, and calls out of turn.
 */


#include <ngx_ors_test_request.h>

#include "turn_check.h"


static void test_bad_request(void);
static void test_unanswered(void);
static void test_refuse(void);
static void test_masked(void);
static void test_pass(void);
static void test_pass_model(const char *request, const char *model,
    const char *expected);
static void test_over(void);
static void test_out_of_turn(void);
static void setup(const char *request);
static ngx_int_t call(ngx_ors_dialect_e dialect, const char *model);
static ngx_int_t header(ngx_uint_t status, const char *type);
static ngx_int_t data(const char *text);
static void is_out(const char *expected, const char *name);
static void is_failure(ngx_uint_t status, const char *code, const char *name);


static ngx_ors_limits_t  limits = limits_default();

static ngx_pool_t       *pool;
static u_char           *body;
static ngx_ors_turn_t   *turn;
static ngx_ors_out_t     sent;
static ngx_int_t         rc;


#define REQUEST  "{'model':'m','input':'hi'}"
#define STREAM   "{'model':'m','input':'hi','stream':true}"
#define CHUNK    "data: {'choices':[{'delta':{'content':'a'}}]}\n\n"


int
main(void)
{
    test_bad_request();
    test_unanswered();
    test_refuse();
    test_masked();
    test_pass();
    test_over();
    test_out_of_turn();

    return done_testing();
}


/* a stream is not begun for it, either */

static void
test_bad_request(void)
{
    setup("{'model':'m','input':'hi','stream':true,'temperature':'hot'}");
    is_int(rc, NGX_DONE, "bad request: over");
    is_failure(400, "invalid_type", "bad request");
    is_str(&turn->error.param, "temperature", "bad request: param");
    ngx_destroy_pool(pool);
    free(body);

    setup("{'model'");
    is_int(rc, NGX_DONE, "not JSON: over");
    is_failure(400, "invalid_json", "not JSON");
    ngx_destroy_pool(pool);
    free(body);

    setup("{'model':'m','input':[{'type':'function_call_output',"
          "'call_id':'x','output':'y'}]}");
    is_int(rc, NGX_OK, "orphan: the request alone is good");
    is_int(call(ngx_ors_dialect_chat, ""), NGX_DONE, "orphan: over");
    ok(turn->status == 400, "orphan: status");
    ngx_destroy_pool(pool);
    free(body);
}


static void
test_unanswered(void)
{
    char        name[64];
    ngx_uint_t  i, stream;

    static struct {
        ngx_uint_t    status;
        ngx_uint_t    answered;
        const char   *code;
    } tests[] = {
        { 504, 504, "upstream_timeout" },
        { 502, 502, "upstream_unavailable" },
        { 503, 503, "server_is_overloaded" },
        { 429, 429, "rate_limit_exceeded" },
        { 500, 502, "upstream_unavailable" },
        { 404, 502, "upstream_unavailable" },
        { 401, 403, "forbidden" },
        { 403, 403, "forbidden" },
        { 200, 502, "upstream_unavailable" },
        { 0, 502, "upstream_unavailable" },
    };

    for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        for (stream = 0; stream < 2; stream++) {
            snprintf(name, sizeof(name), "no answer, %d",
                     (int) tests[i].status);

            setup(stream ? STREAM : REQUEST);
            call(ngx_ors_dialect_chat, "");

            is_int(ngx_ors_turn_end(turn, tests[i].status, 0), NGX_DONE,
                   "%s: over", name);
            is_failure(tests[i].answered, tests[i].code, name);

            ngx_destroy_pool(pool);
            free(body);
        }
    }
}


/* compressed answers are noticed by the caller */

static void
test_refuse(void)
{
    ngx_uint_t  errors;

    setup(STREAM);
    call(ngx_ors_dialect_chat, "");

    errors = ngx_ors_test_logged(NGX_LOG_ERR);

    is_int(ngx_ors_turn_refuse(turn, "a compressed answer"), NGX_DONE,
           "refuse: over");
    is_failure(502, "invalid_upstream_answer", "refuse");
    is_int(ngx_ors_test_logged(NGX_LOG_ERR) - errors, 1, "refuse: logged");

    ngx_destroy_pool(pool);
    free(body);
}


/* upstream's texts and the operator's account are not the client's matter */

static void
test_masked(void)
{
    ngx_uint_t  i;

    static ngx_ors_policy_t  policy = {
        NGX_ORS_TOLERANT_SPEC, ngx_ors_unknown_auto, 1,
        ngx_ors_reasoning_summary,
        ngx_ors_refusal_part, NULL
    };

    static struct {
        ngx_uint_t    status;
        const char   *type;
        const char   *text;
        ngx_uint_t    answered;
        const char   *code;
    } tests[] = {

        { 400, "application/json", "{'error':{'message':'secret'}}",
          400, "upstream_error" },
        { 401, "application/json",
          "{'error':{'message':'secret','code':'rate_limit_exceeded'}}",
          502, "server_error" },
        { 408, "text/html", "secret", 504, "upstream_timeout" },
        { 200, "application/json",
          "{'error':{'message':'secret','code':'insufficient_quota'}}",
          502, "server_error" },
        { 200, "text/event-stream",
          "data: {'error':{'message':'secret','code':429}}\n\n",
          429, "rate_limit_exceeded" }
    };

    for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        setup(REQUEST);
        turn->request.policy = &policy;

        call(ngx_ors_dialect_chat, "");
        header(tests[i].status, tests[i].type);
        data(tests[i].text);
        ngx_ors_turn_end(turn, 0, 1);

        is_failure(tests[i].answered, tests[i].code, "masked");
        ok(ngx_strlcasestrn(turn->error.message.data,
                            turn->error.message.data
                            + turn->error.message.len,
                            (u_char *) "secret", 5) == NULL,
           "masked: a text of ours for %s", tests[i].text);

        ngx_destroy_pool(pool);
        free(body);
    }
}


static void
test_pass(void)
{
    setup(REQUEST);
    call(ngx_ors_dialect_responses, "");

    is_int(header(429, "application/json"), NGX_OK, "pass: header");
    is_int(turn->status, 0, "pass: nothing is known yet");
    is_int(data("{'error':{'type':'too_many_requests','code':'c',"),
           NGX_OK, "pass: data");
    is_int(data(""), NGX_OK, "pass: no data");
    is_int(data("'message':'slow down','param':null}}"), NGX_OK,
           "pass: more data");
    is_int(ngx_ors_turn_end(turn, 0, 1), NGX_DONE, "pass: end");
    is_int(turn->status, 429, "pass: status");
    is_str(&turn->type, "application/json", "pass: type");
    is_out("{'error':{'type':'too_many_requests','code':'c',"
           "'message':'slow down','param':null}}", "pass: body");

    ngx_destroy_pool(pool);
    free(body);

    setup(REQUEST);
    call(ngx_ors_dialect_responses, "");
    header(200, "application/json");
    data("{");
    is_int(ngx_ors_turn_end(turn, 0, 0), NGX_DONE, "pass: cut");
    is_failure(502, "upstream_disconnected", "pass: cut");

    ngx_destroy_pool(pool);
    free(body);

    test_pass_model(REQUEST, "", REQUEST);
    test_pass_model(REQUEST, "n", "{'model':'n','input':'hi'}");
    test_pass_model(" {'input':[{'role':'user','content':'model'}], "
                    "'model' :\t'm\\u00e9' , 'x':1e400} ", "a\tb",
                    " {'input':[{'role':'user','content':'model'}], "
                    "'model' :\t'a\\tb' , 'x':1e400} ");
}


static void
test_pass_model(const char *request, const char *model, const char *expected)
{
    size_t        len, size;
    u_char       *text;
    ngx_chain_t  *cl;

    setup(request);

    is_int(call(ngx_ors_dialect_responses, model), NGX_OK, "pass: call");

    text = run_text(expected, &len);
    size = sent.size;
    ngx_ors_out_take(&sent, &cl);

    is_chain(cl, (char *) text, "pass: request as it came, model \"%s\"",
             model);
    is_int(size, len, "pass: its size");

    free(text);
    ngx_destroy_pool(pool);
    free(body);
}


static void
test_over(void)
{
    ngx_buf_t    b;
    ngx_chain_t  *cl;

    setup(STREAM);
    call(ngx_ors_dialect_chat, "");
    header(200, "text/event-stream");

    is_int(data(CHUNK), NGX_OK, "over: text");
    is_int(turn->status, 200, "over: status");
    is_int(data("data: {'error':'x'}\n\n" CHUNK), NGX_DONE, "over");
    is_int(turn->state, ngx_ors_turn_st_over, "over: state");

    ngx_ors_out_take(&turn->out, &cl);
    ok(cl != NULL, "over: output");

    ngx_memzero(&b, sizeof(ngx_buf_t));
    b.pos = (u_char *) CHUNK;
    b.last = b.pos + 10;

    is_int(ngx_ors_turn_data(turn, &b), NGX_DONE, "over: data");
    ok(b.last - b.pos == 10, "over: data is left alone");
    is_int(ngx_ors_turn_end(turn, 0, 0), NGX_DONE, "over: end");
    is_int(turn->out.size, 0, "over: nothing is sent");

    ngx_destroy_pool(pool);
    free(body);
}


static void
test_out_of_turn(void)
{
    setup(REQUEST);
    call(ngx_ors_dialect_chat, "");

    is_int(data("x"), NGX_ERROR, "data without a header");
    is_int(ngx_ors_test_logged(NGX_LOG_ALERT), 1, "it is our own mistake");
    ngx_ors_test_log_reset();

    ngx_destroy_pool(pool);
    free(body);
}


static void
setup(const char *request)
{
    ngx_str_t  s;

    pool = ngx_ors_test_pool();
    body = run_text(request, &s.len);
    s.data = body;

    turn = ngx_ors_turn_create(
        ngx_ors_endpoint(ngx_ors_endpoint_responses), &ngx_ors_test_policy,
        &limits, pool, pool->log);
    ngx_ors_out_init(&sent, pool, 64);

    rc = ngx_ors_turn_request(turn, &s);
}


static ngx_int_t
call(ngx_ors_dialect_e dialect, const char *model)
{
    ngx_str_t  s;

    s.data = (u_char *) model;
    s.len = strlen(model);

    return ngx_ors_turn_call(turn, dialect, &ngx_ors_chat_options, &s, &sent);
}


static ngx_int_t
header(ngx_uint_t status, const char *type)
{
    ngx_str_t  s;

    s.data = (u_char *) type;
    s.len = strlen(type);

    return ngx_ors_turn_header(turn, status, &s, -1);
}


static ngx_int_t
data(const char *text)
{
    size_t      len;
    u_char     *p;
    ngx_int_t   result;
    ngx_buf_t   b;

    p = run_text(text, &len);

    ngx_memzero(&b, sizeof(ngx_buf_t));
    b.pos = p;
    b.last = p + len;

    result = ngx_ors_turn_data(turn, &b);

    free(p);

    return result;
}


static void
is_out(const char *expected, const char *name)
{
    size_t        len;
    u_char       *text;
    ngx_chain_t  *cl;

    text = run_text(expected, &len);

    ngx_ors_out_take(&turn->out, &cl);
    is_chain(cl, (char *) text, "%s", name);

    free(text);
}


static void
is_failure(ngx_uint_t status, const char *code, const char *name)
{
    size_t                size;
    ngx_chain_t          *cl;
    ngx_ors_json_t        json;
    ngx_ors_json_node_t  *error;

    is_int(turn->status, status, "%s: status", name);
    is_str(&turn->type, "application/json", "%s: type", name);
    is_int(turn->state, ngx_ors_turn_st_over, "%s: state", name);

    size = turn->out.size;
    ngx_ors_out_take(&turn->out, &cl);

    ngx_ors_json_init(&json, pool, 10, 100);

    if (!ok(cl && cl->next == NULL
            && ngx_ors_json_read(&json, cl->buf->pos, size) == NGX_OK,
            "%s: JSON", name))
    {
        return;
    }

    error = ngx_ors_json_find(&json, json.nodes, "error");
    error = ngx_ors_json_find(&json, error, "code");

    ok(ngx_ors_json_equal(&json, error, (u_char *) code, strlen(code)),
       "%s: code %.*s", name, (int) error->len,
       ngx_ors_json_text(&json, error));
}
