
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Answers of MCP servers, whole, byte by byte, split at each byte and cut at
 * each byte.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_mcp_message.h>


#define JSON  "application/json"
#define SSE   "text/event-stream"

#define RESULT  "{'jsonrpc':'2.0','id':7,'result':{'a':1}}"


typedef struct {
    char    *name;
    char    *type;
    char    *body;                /* ' for " */
    char    *text;                /* events as print() shows them */
} reader_test_t;


static void test_answers(void);
static void test_cut(void);
static void test_limits(void);
static void test_ids(void);
static void test_again(void);
static void test_no_memory(void);
static void run(reader_test_t *t, size_t first, size_t step);
static void start(char *type);
static void feed(u_char *data, size_t len);
static void finish(void);
static void print(ngx_int_t rc);


static reader_test_t  tests[] = {

    { "a document", JSON, RESULT, "result 7 {'a':1};" },
    { "a document with parameters", "application/json; charset=utf-8", RESULT,
      "result 7 {'a':1};" },
    { "members in another order", JSON,
      "{'result':{'a':1},'x':[{}],'id':'7','jsonrpc':'2.0'}",
      "result 7 {'a':1};" },
    { "white space", JSON, "\r\n " RESULT " \n", "result 7 {'a':1};" },
    { "no document", JSON, "", "" },
    { "a batch", JSON, "[" RESULT "]", "invalid: is a batch of messages" },
    { "no JSON", JSON, "<html>", "invalid: is not JSON" },
    { "two documents", JSON, RESULT RESULT, "invalid: is not JSON" },
    { "half a document", JSON, "{'jsonrpc':'2.0'", "invalid: is not JSON" },
    { "no object", JSON, "'a'", "invalid: is no object" },
    { "an empty object", JSON, "{}", "invalid: is not JSON-RPC 2.0" },
    { "another version", JSON, "{'jsonrpc':'1.0','id':7,'result':{}}",
      "invalid: is not JSON-RPC 2.0" },
    { "no result", JSON, "{'jsonrpc':'2.0','id':7}",
      "invalid: has neither a result nor an error" },
    { "null as the result", JSON, "{'jsonrpc':'2.0','id':7,'result':null}",
      "invalid: has neither a result nor an error" },
    { "a text as the result", JSON, "{'jsonrpc':'2.0','id':7,'result':'a'}",
      "invalid: has a result that is no object" },
    { "both", JSON, "{'jsonrpc':'2.0','id':7,'result':{},'error':{}}",
      "invalid: has a result and an error" },
    { "an id that is none", JSON, "{'jsonrpc':'2.0','id':{},'result':{}}",
      "invalid: has no valid id" },
    { "a method that is none", JSON, "{'jsonrpc':'2.0','id':1,'method':2}",
      "invalid: has no valid method" },

    { "an error", JSON,
      "{'jsonrpc':'2.0','id':7,'error':{'code':-32602,'message':'no',"
      "'data':{'b':2}}}",
      "error 7 -32602 no {'b':2};" },
    { "an error without an id", JSON,
      "{'jsonrpc':'2.0','id':null,'error':{'code':-32000,'message':'no'}}",
      "error - -32000 no -;" },
    { "an error without anything", JSON,
      "{'jsonrpc':'2.0','error':{'code':'a','message':1}}",
      "error - 0 1 -;" },
    { "an error that is none", JSON, "{'jsonrpc':'2.0','id':7,'error':'a'}",
      "invalid: has neither a result nor an error" },

    { "a stream", SSE, "event: message\ndata: " RESULT "\n\n",
      "result 7 {'a':1};" },
    { "CRLF", SSE, "event: message\r\ndata: " RESULT "\r\n\r\n",
      "result 7 {'a':1};" },
    { "a first event without data", SSE,
      "id: 1_0\ndata: \n\nid: 1_1\ndata:" RESULT "\n\n",
      "result 7 {'a':1};" },
    { "comments and retry", SSE,
      ": ping\n\nretry: 100\n\n: ping\ndata: " RESULT "\n: x\n\n: ping\n\n",
      "result 7 {'a':1};" },
    { "data in lines", SSE,
      "data: {'jsonrpc':'2.0','id':7,\ndata: 'result':{'a':1}}\n\n",
      "result 7 {'a':1};" },
    { "events of another name", SSE,
      "event: ping\ndata: {}\n\nevent: message\ndata: " RESULT "\n\n",
      "result 7 {'a':1};" },
    { "progress before the result", SSE,
      "data: {'jsonrpc':'2.0','method':'notifications/progress','params':"
      "{'progressToken':1,'progress':1}}\n\ndata: " RESULT "\n\n",
      "notification - notifications/progress;result 7 {'a':1};" },
    { "a notification after the result", SSE,
      "data: " RESULT "\n\ndata: {'jsonrpc':'2.0','method':'n'}\n\n",
      "result 7 {'a':1};notification - n;" },
    { "a request of the server", SSE,
      "data: {'jsonrpc':'2.0','id':'s1','method':'ping'}\n\ndata: " RESULT
      "\n\n",
      "request s1 ping;result 7 {'a':1};" },
    { "the last empty line is missing", SSE, "data: " RESULT "\n",
      "result 7 {'a':1};" },
    { "a stream without an answer", SSE, ": ping\n\n", "" },
    { "a batch in a stream", SSE, "data: [" RESULT "]\n\n",
      "invalid: is a batch of messages" },
    { "no JSON in a stream", SSE, "data: [DONE]\n\ndata: " RESULT "\n\n",
      "invalid: is not JSON" },

    { "HTML", "text/html", "<html>" RESULT "</html>", "" },
    { "no type", "", RESULT, "" }
};

#define NTESTS  (sizeof(tests) / sizeof(tests[0]))


static ngx_ors_mcp_limits_t   limits;
static ngx_ors_mcp_reader_t   reader;
static ngx_pool_t            *pool;
static u_char                 body[4096], expected[4096], text[8192], *last;
static ngx_uint_t             over;


int
main(void)
{
    ngx_ors_mcp_limits_set(&limits, 1024 * 1024);

    test_answers();
    test_cut();
    test_limits();
    test_ids();
    test_again();
    test_no_memory();

    ngx_destroy_pool(pool);

    return done_testing();
}


static void
test_answers(void)
{
    u_char      *end;
    size_t       i, len;
    ngx_uint_t   n, bad;

    for (n = 0; n < NTESTS; n++) {
        end = ngx_ors_test_quotes(expected, tests[n].text,
                                  ngx_strlen(tests[n].text));

        run(&tests[n], 0, 0);
        is_mem(text, last - text, expected, (size_t) (end - expected), "%s",
               tests[n].name);

        run(&tests[n], 0, 1);
        is_mem(text, last - text, expected, (size_t) (end - expected),
               "%s: by bytes", tests[n].name);

        bad = 0;
        len = ngx_strlen(tests[n].body);

        for (i = 0; i <= len; i++) {
            run(&tests[n], i, 0);

            bad += (last - text != end - expected
                    || memcmp(text, expected, last - text) != 0);
        }

        is_int(bad, 0, "%s: splits", tests[n].name);
    }
}


/* a part of an answer is no result */

static void
test_cut(void)
{
    size_t      i, len;
    ngx_uint_t  n, results;

    for (n = 0; n < NTESTS; n++) {

        if (memcmp(tests[n].text, "result", 6) != 0) {
            continue;
        }

        results = 0;
        len = (u_char *) strchr(tests[n].body, '}') - (u_char *) tests[n].body;
        ngx_ors_test_quotes(body, tests[n].body, len);

        for (i = 0; i <= len; i++) {
            start(tests[n].type);
            feed(body, i);
            finish();

            results += (memcmp(text, "result", 6) == 0);
        }

        is_int(results, 0, "%s: cut", tests[n].name);
    }
}


static void
test_limits(void)
{
    size_t                 len;
    ngx_ors_mcp_limits_t   saved;

    saved = limits;
    len = ngx_strlen(RESULT);

    limits.document = len;
    run(&tests[0], 0, 0);
    ok(memcmp(text, "result", 6) == 0, "the largest document");

    limits.document = len - 1;
    run(&tests[0], 0, 0);
    is_mem(text, last - text, "invalid: is too large", 21,
           "a document too large");
    run(&tests[0], 0, 1);
    is_mem(text, last - text, "invalid: is too large", 21,
           "a document too large, by bytes");

    limits.document = 15;
    start(SSE);
    feed((u_char *) "data: 0123456789", 16);
    is_mem(text, last - text, "invalid: has an event that is too large", 39,
           "an event too large");

    limits = saved;
    limits.depth = 1;
    run(&tests[0], 0, 0);
    is_mem(text, last - text, "invalid: is not JSON", 20, "too deep");

    limits = saved;
    limits.nodes = 6;
    run(&tests[0], 0, 0);
    is_mem(text, last - text, "invalid: is not JSON", 20, "too many values");

    limits = saved;
}


static void
test_ids(void)
{
    u_char                 *end;
    ngx_str_t               s;
    ngx_uint_t              i;
    ngx_pool_t             *memory;
    ngx_ors_json_t          json;
    ngx_ors_mcp_message_t   message;

    static struct {
        char        *text;
        ngx_uint_t   answers;
    } t[] = {
        { "{'jsonrpc':'2.0','id':7,'result':{}}", 1 },
        { "{'jsonrpc':'2.0','id':7.0,'result':{}}", 1 },
        { "{'jsonrpc':'2.0','id':'7','error':{'code':1}}", 1 },
        { "{'jsonrpc':'2.0','id':'\\u0037','result':{}}", 1 },
        { "{'jsonrpc':'2.0','id':8,'result':{}}", 0 },
        { "{'jsonrpc':'2.0','id':7.5,'result':{}}", 0 },
        { "{'jsonrpc':'2.0','id':-7,'result':{}}", 0 },
        { "{'jsonrpc':'2.0','id':'07','result':{}}", 0 },
        { "{'jsonrpc':'2.0','id':'','result':{}}", 0 },
        { "{'jsonrpc':'2.0','id':null,'result':{}}", 0 },
        { "{'jsonrpc':'2.0','error':{}}", 0 },
        { "{'jsonrpc':'2.0','id':7,'method':'ping'}", 0 }
    };

    for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        memory = ngx_ors_test_pool();
        ngx_ors_json_init(&json, memory, 8, 100);

        end = ngx_ors_test_quotes(body, t[i].text, ngx_strlen(t[i].text));
        s.data = body;
        s.len = end - body;

        is_int(ngx_ors_mcp_message_read(&message, &json, &s), NGX_OK,
               "id %d: a message", (int) i);
        is_int(ngx_ors_mcp_message_answers(&message, 7), t[i].answers,
               "id %d: is it ours", (int) i);

        ngx_destroy_pool(memory);
    }
}


/* one reader for one answer after another */

static void
test_again(void)
{
    ngx_uint_t  i;

    run(&tests[0], 0, 1);

    for (i = 0; i < 3; i++) {
        ngx_ors_mcp_reader_init(&reader, &limits, pool);
        feed(body, 0);

        ngx_ors_mcp_reader_header(&reader, &(ngx_str_t) ngx_string(JSON));
        last = text;
        feed(body, ngx_strlen(tests[0].body));
        finish();

        ok(memcmp(text, "result", 6) == 0, "answer %d", (int) i);
        is_int(ngx_ors_mcp_reader_end(&reader), NGX_DONE, "it has ended");
    }
}


static void
test_no_memory(void)
{
    size_t      len, half;
    ngx_uint_t  i, n, wrong;

    wrong = 0;

    for (i = 0; i < NTESTS; i++) {

        for (n = 1; n < 100; n++) {
            start(tests[i].type);
            len = ngx_strlen(tests[i].body);
            half = len / 2;
            ngx_ors_test_quotes(body, tests[i].body, len);

            ngx_ors_test_fail_after(n);

            feed(body, half);
            feed(body + half, len - half);
            finish();

            wrong += (ngx_ors_test_failed()
                      && (last - text < 6
                          || memcmp(last - 6, "memory", 6) != 0));

            if (!ngx_ors_test_failed()) {
                break;
            }
        }

        ngx_ors_test_fail_after(0);
    }

    is_int(wrong, 0, "no memory");
}


/* "first" bytes, then "step" bytes at a time, 0: all the rest */

static void
run(reader_test_t *t, size_t first, size_t step)
{
    size_t  n, len;

    len = ngx_strlen(t->body);
    len = ngx_ors_test_quotes(body, t->body, len) - body;

    start(t->type);
    feed(body, first);

    for ( /* void */ ; first < len; first += n) {
        n = step ? step : len - first;
        feed(body + first, n);
    }

    finish();
}


static void
start(char *type)
{
    ngx_str_t  s;

    if (pool) {
        ngx_destroy_pool(pool);
    }

    pool = ngx_ors_test_pool();
    last = text;
    over = 0;

    s.data = (u_char *) type;
    s.len = ngx_strlen(type);

    ngx_memzero(&reader, sizeof(ngx_ors_mcp_reader_t));
    ngx_ors_mcp_reader_init(&reader, &limits, pool);
    ngx_ors_mcp_reader_header(&reader, &s);
}


/* each piece in memory of its own, which is gone when it has been read */

static void
feed(u_char *data, size_t len)
{
    u_char     *copy;
    ngx_buf_t   b;
    ngx_int_t   rc;

    if (over) {
        return;
    }

    copy = malloc(len + 1);
    ngx_memcpy(copy, data, len);

    ngx_memzero(&b, sizeof(ngx_buf_t));
    b.pos = copy;
    b.last = copy + len;

    do {
        rc = ngx_ors_mcp_reader_read(&reader, &b);
        print(rc);

    } while (rc == NGX_OK);

    ngx_memset(copy, 'x', len);
    free(copy);
}


static void
finish(void)
{
    ngx_int_t  rc;

    if (over) {
        return;
    }

    do {
        rc = ngx_ors_mcp_reader_end(&reader);
        print(rc);

    } while (rc == NGX_OK);

    *last = '\0';
}


static void
print(ngx_int_t rc)
{
    ngx_str_t               id, method, value;
    ngx_ors_mcp_message_t  *m;

    static char  *types[] = { "result", "error", "request", "notification" };

    if (rc == NGX_DECLINED) {
        last = ngx_sprintf(last, "invalid: %s", reader.invalid);
        over = 1;
    }

    if (rc == NGX_ERROR) {
        last = ngx_sprintf(last, "no memory");
        over = 1;
    }

    if (rc != NGX_OK) {
        return;
    }

    m = &reader.message;

    ngx_str_set(&id, "-");
    ngx_str_set(&value, "-");

    if (m->id) {
        ngx_ors_json_raw(m->json, m->id, &id);
    }

    last = ngx_sprintf(last, "%s %V ", types[m->type], &id);

    switch (m->type) {

    case ngx_ors_mcp_message_result:
        ngx_ors_json_raw(m->json, m->result, &value);
        last = ngx_sprintf(last, "%V;", &value);
        break;

    case ngx_ors_mcp_message_error:

        if (m->data) {
            ngx_ors_json_raw(m->json, m->data, &value);
        }

        ngx_ors_json_raw(m->json, m->text, &method);
        last = ngx_sprintf(last, "%L %V %V;", m->code, &method, &value);
        break;

    case ngx_ors_mcp_message_request:
    case ngx_ors_mcp_message_notification:
        ngx_ors_json_raw(m->json, m->method, &method);
        last = ngx_sprintf(last, "%V;", &method);
        break;
    }
}
