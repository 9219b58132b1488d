
/*
 * Copyright (C) Open Responses contributors
 */


/* Failures of model servers to errors of ours. */


#include <ngx_ors_test.h>
#include <ngx_ors_answer_error.h>


/* body with ' for ", NULL: not JSON; status, type and code */

typedef struct {
    char        *name;
    ngx_uint_t   status;
    char        *body;
    char        *error;
    char        *message;
} test_row_t;


static void test_row(test_row_t *row);
static void test_messages(void);
static void test_message(char *name, u_char *text, size_t len,
    u_char *expected, size_t elen);
static void test_memory(void);
static ngx_int_t test_error(ngx_ors_error_t *err, ngx_pool_t *pool,
    ngx_uint_t status, char *body);


static test_row_t  rows[] = {

    /* as recorded */

    { "aimock 429", 429,
      "{'error':{'message':'Rate limit reached for requests','type':"
      "'requests','param':null,'code':'rate_limit_exceeded'}}",
      "429 too_many_requests rate_limit_exceeded",
      "Rate limit reached for requests" },

    { "aimock 500", 500,
      "{'error':{'message':'The server had an error','type':'server_error',"
      "'param':null,'code':null}}",
      "500 server_error server_error", "The server had an error" },

    { "llama.cpp, bad JSON", 500,
      "{'error':{'code':500,'message':'[json.exception] parse error',"
      "'type':'server_error'}}",
      "500 server_error server_error", "[json.exception] parse error" },

    { "E54 llama.cpp", 400,
      "{'error':{'code':400,'message':'request (200019 tokens) exceeds the "
      "available context size (8192 tokens), try increasing it','type':"
      "'exceed_context_size_error','n_prompt_tokens':200019,'n_ctx':8192}}",
      "400 invalid_request context_length_exceeded",
      "request (200019 tokens) exceeds the available context size "
      "(8192 tokens), try increasing it" },

    { "llama.cpp, no messages", 400,
      "{'error':{'code':400,'message':'\\'messages\\' is required','type':"
      "'invalid_request_error'}}",
      "400 invalid_request invalid_request_error",
      "\"messages\" is required" },

    { "llama.cpp, loading", 503,
      "{'error':{'code':503,'message':'Loading model','type':"
      "'unavailable_error'}}",
      "503 server_error server_is_overloaded", "Loading model" },

    /* as documented */

    { "E54 OpenAI", 400,
      "{'error':{'message':'Your input exceeds it','type':"
      "'invalid_request_error','param':'messages','code':"
      "'context_length_exceeded'}}",
      "400 invalid_request context_length_exceeded",
      "Your input exceeds it" },

    { "E54 vLLM", 400,
      "{'object':'error','message':'This model\\u2019s Maximum context "
      "length is 4096 tokens.','type':'BadRequestError','param':null,"
      "'code':400}",
      "400 invalid_request context_length_exceeded",
      "This model\xe2\x80\x99s Maximum context length is 4096 tokens." },

    { "E54 Anthropic", 413,
      "{'type':'error','error':{'type':'invalid_request_error','message':"
      "'prompt is too long: 208310 tokens > 200000 maximum'}}",
      "400 invalid_request context_length_exceeded",
      "prompt is too long: 208310 tokens > 200000 maximum" },

    { "E54 Ollama", 500,
      "{'error':'the input length exceeds the context length'}",
      "400 invalid_request context_length_exceeded",
      "the input length exceeds the context length" },

    { "E54 Gemini, in an array", 400,
      "[{'error':{'code':400,'message':'The input token count (9) exceeds "
      "the maximum number of tokens allowed (8).','status':"
      "'INVALID_ARGUMENT'}}]",
      "400 invalid_request context_length_exceeded",
      "The input token count (9) exceeds the maximum number of tokens "
      "allowed (8)." },

    { "a limit of the rate that speaks of context", 429,
      "{'error':{'message':'Rate limit: try again in 1.5s (context length "
      "5)'}}",
      "429 too_many_requests rate_limit_exceeded",
      "Rate limit: try again in 1.5s (context length 5)" },

    { "quota", 429,
      "{'error':{'message':'m','type':'insufficient_quota','code':"
      "'insufficient_quota'}}",
      "429 too_many_requests insufficient_quota", "m" },

    { "credits", 402, "{'error':{'message':'m','code':402}}",
      "402 invalid_request insufficient_quota", "m" },

    { "key", 401,
      "{'error':{'message':'m','type':'invalid_request_error','code':"
      "'invalid_api_key'}}",
      "401 invalid_request invalid_api_key", "m" },

    { "key, without a code", 401, "{'detail':'Unauthorized'}",
      "401 invalid_request invalid_api_key", "Unauthorized" },

    { "forbidden", 403, "{'message':'m'}",
      "403 invalid_request upstream_error", "m" },

    { "model", 404,
      "{'error':{'message':'The model `x` does not exist.','type':"
      "'NotFoundError','param':'model','code':404}}",
      "404 not_found model_not_found", "The model `x` does not exist." },

    { "model of Ollama", 404, "{'error':'model \\'x\\' not found'}",
      "404 not_found model_not_found", "model \"x\" not found" },

    { "path", 404, "{'detail':'Not Found'}",
      "404 not_found upstream_error", "Not Found" },

    { "filter", 400,
      "{'error':{'message':'m','code':'content_filter','innererror':{}}}",
      "400 invalid_request content_filter", "m" },

    { "prompt", 400, "{'error':{'message':'m','code':'invalid_prompt'}}",
      "400 invalid_request invalid_prompt", "m" },

    { "overloaded", 529,
      "{'type':'error','error':{'type':'overloaded_error','message':'m'}}",
      "503 server_error server_is_overloaded", "m" },

    { "overloaded, without a body", 529, NULL,
      "503 server_error server_is_overloaded",
      "the model server answered with status 529" },

    { "slow down", 503, "{'error':{'message':'m','code':'slow_down'}}",
      "503 server_error slow_down", "m" },

    { "a code of its own", 400,
      "{'error':{'message':'m','type':'x','code':'some-code.1'}}",
      "400 invalid_request some-code.1", "m" },

    { "a code that is no name", 400,
      "{'error':{'message':'m','type':'A B','code':'a b'}}",
      "400 invalid_request upstream_error", "m" },

    { "a code that is too long", 400,
      "{'error':{'message':'m','code':'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'}}",
      "400 invalid_request upstream_error", "m" },

    { "a list of what is wrong", 422,
      "{'detail':[{'type':'missing','loc':['body','messages',0,null],'msg':"
      "'Field required','input':{}},{'msg':'other'}]}",
      "422 invalid_request upstream_error",
      "body.messages.0: Field required" },

    { "a list without a place", 422, "{'detail':[{'msg':'m','loc':[]}]}",
      "422 invalid_request upstream_error", "m" },

    { "an object in detail", 400,
      "{'detail':{'message':'m','code':'c'}}",
      "400 invalid_request c", "m" },

    { "message and error", 400,
      "{'statusCode':400,'message':'m','error':'Bad Request'}",
      "400 invalid_request upstream_error", "m" },

    { "500", 500, NULL, "500 server_error server_error",
      "the model server answered with status 500" },

    { "502", 502, NULL, "502 server_error server_error",
      "the model server answered with status 502" },

    { "504", 504, NULL, "504 server_error server_error",
      "the model server answered with status 504" },

    { "501", 501, NULL, "502 server_error server_error",
      "the model server answered with status 501" },

    { "520", 520, NULL, "502 server_error server_error",
      "the model server answered with status 520" },

    { "302", 302, NULL, "502 server_error server_error",
      "the model server answered with status 302" },

    { "E53 413 of a server between", 413, NULL,
      "413 invalid_request upstream_error",
      "the model server answered with status 413" },

    { "E53 HTML in JSON", 502, "{'error':{'message':'<html>x</html>'}}",
      "502 server_error server_error",
      "the model server answered with status 502" },

    /* errors inside of a stream */

    { "E52 a number", 0, "{'error':{'message':'m','code':429}}",
      "429 too_many_requests rate_limit_exceeded", "m" },

    { "E52 a number in a string", 0,
      "{'error':{'message':'m','code':'503'}}",
      "503 server_error server_is_overloaded", "m" },

    { "E52 a name", 0,
      "{'error':{'message':'m','code':'rate_limit_exceeded'}}",
      "429 too_many_requests rate_limit_exceeded", "m" },

    { "E52 a type", 0,
      "{'type':'error','error':{'type':'rate_limit_error','message':'m'}}",
      "429 too_many_requests rate_limit_exceeded", "m" },

    { "E52 a type that is a status", 0,
      "{'error':{'type':'invalid_request_error','message':'m'}}",
      "400 invalid_request invalid_request_error", "m" },

    { "E52 a number that is no status", 0,
      "{'error':{'message':'m','code':7}}",
      "500 server_error server_error", "m" },

    { "E52 E54 the context", 0,
      "{'error':{'message':'exceeds the context window'}}",
      "400 invalid_request context_length_exceeded",
      "exceeds the context window" },

    { "E52 a text", 0, "{'error':'m'}", "500 server_error server_error",
      "m" },

    /* other shapes */

    { "nothing known", 400, "{'x':1}", "400 invalid_request upstream_error",
      "the model server answered with status 400" },

    { "nothing at all", 0, "{'error':{}}", "500 server_error server_error",
      "the model server reported an error" },

    { "wrong types", 400,
      "{'error':{'message':{'a':1},'code':[],'type':5}}",
      "400 invalid_request upstream_error",
      "the model server answered with status 400" },

    { "a wrong detail", 400, "{'detail':[1]}",
      "400 invalid_request upstream_error",
      "the model server answered with status 400" },

    { "an empty array", 400, "[]", "400 invalid_request upstream_error",
      "the model server answered with status 400" },

    { "a string", 400, "'x'", "400 invalid_request upstream_error",
      "the model server answered with status 400" },

    { "null", 400, "null", "400 invalid_request upstream_error",
      "the model server answered with status 400" }
};


int
main(void)
{
    ngx_uint_t  i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        test_row(&rows[i]);
    }

    test_messages();
    test_memory();

    return done_testing();
}


static void
test_row(test_row_t *row)
{
    u_char            buf[256];
    ngx_str_t         text;
    ngx_pool_t       *pool;
    ngx_ors_error_t   err;

    pool = ngx_ors_test_pool();

    is_int(test_error(&err, pool, row->status, row->body), NGX_OK, "%s",
           row->name);

    text.data = buf;
    text.len = ngx_sprintf(buf, "%ui %V %V", err.status, &err.type,
                           &err.code)
               - buf;

    is_str(&text, row->error, "%s: status, type, code", row->name);
    is_str(&err.message, row->message, "%s: message", row->name);
    is_int(err.param.len, 0, "%s: no param", row->name);

    ngx_destroy_pool(pool);
}


/* long ones are cut between characters, whatever they are made of */

static void
test_messages(void)
{
    size_t       i, len;
    u_char       expected[1024];
    static u_char  text[8192];

    test_message("control characters", (u_char *) "a\\n\\u0000\\u007fb\\t",
                 18, (u_char *) "a   b ", 6);

    ngx_memset(expected, 'x', 512);

    ngx_memset(text, 'x', 512);
    test_message("512 bytes", text, 512, expected, 512);

    ngx_memset(text, 'x', 8000);
    test_message("more bytes", text, 8000, expected, 512);

    ngx_memset(expected, ' ', 512);

    for (len = 0; len + 6 <= 6000; len += 6) {
        ngx_memcpy(text + len, "\\u000a", 6);
    }

    test_message("long escapes", text, len, expected, 512);

    /* each position of what is cut */

    for (i = 0; i < 12; i++) {
        ngx_memset(text, 'x', i);

        for (len = i; len + 12 <= 6000; len += 12) {
            ngx_memcpy(text + len, "\\ud83d\\ude00", 12);
        }

        ngx_memset(expected, 'x', i);

        for (len = i; len + 4 <= 512; len += 4) {
            ngx_memcpy(expected + len, "\xf0\x9f\x98\x80", 4);
        }

        test_message("long pairs", text, 6000 / 12 * 12 + i - (i ? 12 : 0),
                     expected, len);
    }

    for (i = 0; i < 4; i++) {
        ngx_memset(text, 'x', i);

        for (len = i; len + 4 <= 6000; len += 4) {
            ngx_memcpy(text + len, "\xf0\x9f\x98\x80", 4);
        }

        ngx_memset(expected, 'x', i);
        ngx_memcpy(expected + i, text + i, 512);

        test_message("long characters", text, len, expected,
                     i + (512 - i) / 4 * 4);
    }
}


static void
test_message(char *name, u_char *text, size_t len, u_char *expected,
    size_t elen)
{
    u_char           *p;
    ngx_pool_t       *pool;
    ngx_ors_json_t    json;
    ngx_ors_error_t   err;
    static u_char     body[8192];

    p = ngx_cpymem(body, "{\"error\":\"", 10);
    p = ngx_cpymem(p, text, len);
    p = ngx_cpymem(p, "\"}", 2);

    pool = ngx_ors_test_pool();

    ngx_ors_json_init(&json, pool, 16, 100);

    is_int(ngx_ors_json_read(&json, body, p - body), NGX_OK, "%s: JSON",
           name);
    is_int(ngx_ors_answer_error(&err, pool, 400, &json, json.nodes), NGX_OK,
           "%s: error", name);
    is_mem(err.message.data, err.message.len, expected, elen, "%s", name);

    ngx_destroy_pool(pool);
}


static void
test_memory(void)
{
    ngx_int_t         rc;
    ngx_uint_t        n;
    ngx_pool_t       *pool;
    ngx_ors_error_t   err;

    for (n = 1; n < 10; n++) {
        pool = ngx_ors_test_pool();

        ngx_ors_test_fail_after(n);
        rc = test_error(&err, pool, 400, "{'error':{'message':'m',"
                                         "'code':'c'}}");
        if (!ngx_ors_test_failed()) {
            ngx_ors_test_fail_after(0);
            ngx_destroy_pool(pool);
            break;
        }

        ngx_ors_test_fail_after(0);

        ok(rc == NGX_ERROR || err.message.len > 1,
           "no memory at allocation %d", (int) n);

        ngx_destroy_pool(pool);
    }

    ok(n > 3, "allocations were tried");
}


static ngx_int_t
test_error(ngx_ors_error_t *err, ngx_pool_t *pool, ngx_uint_t status,
    char *body)
{
    size_t          len;
    ngx_int_t       rc;
    ngx_ors_json_t  json;
    static u_char   text[1024];

    if (body == NULL) {
        return ngx_ors_answer_error(err, pool, status, NULL, NULL);
    }

    len = ngx_strlen(body);

    ngx_ors_test_quotes(text, body, len);

    ngx_ors_json_init(&json, pool, 16, 100);

    rc = ngx_ors_json_read(&json, text, len);

    if (rc != NGX_OK) {
        return rc;
    }

    rc = ngx_ors_answer_error(err, pool, status, &json, json.nodes);

    /* "err" has its own memory */

    ngx_memset(text, '#', sizeof(text));

    return rc;
}
