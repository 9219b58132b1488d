
/*
 * Copyright (C) Open Responses contributors
 */


/* Results of calls as text, and the messages of errors. */


#include <ngx_ors_test.h>
#include <ngx_ors_mcp_result.h>


#define MAX  (64 * 1024)


typedef struct {
    char        *name;
    char        *result;          /* ' for " */
    ngx_int_t    rc;
    ngx_uint_t   failed;
    char        *text;            /* or the state, or why it is invalid */
} result_test_t;


static void test_results(void);
static void test_legacy(void);
static void test_cut(void);
static void test_long(void);
static void test_errors(void);
static void test_no_memory(void);
static ngx_int_t read_result(char *text, ngx_uint_t modern, size_t max);


#define TEXT(text)  "{'type':'text','text':'" text "'}"


static result_test_t  tests[] = {

    { "a text", "{'content':[" TEXT("a\\nb\\u00f6") "]}", NGX_OK, 0,
      "a\nb\xc3\xb6" },
    { "texts", "{'content':[" TEXT("a") "," TEXT("") "," TEXT("b") "]}",
      NGX_OK, 0, "a\n\nb" },
    { "no parts", "{'content':[]}", NGX_OK, 0, "" },
    { "an error", "{'content':[" TEXT("no") "],'isError':true}", NGX_OK, 1,
      "no" },
    { "no error", "{'content':[" TEXT("a") "],'isError':false,"
      "'_meta':{'x':1}}", NGX_OK, 0, "a" },
    { "isError as text", "{'content':[" TEXT("a") "],'isError':'true'}",
      NGX_OK, 0, "a" },

    { "both", "{'content':[" TEXT("a") "],'structuredContent':{'a':1}}",
      NGX_OK, 0, "a" },
    { "structured alone", "{'structuredContent': { 'a' : [ 0.70, 'x y' ] } }",
      NGX_OK, 0, "{'a':[0.70,'x y']}" },
    { "structured, no parts", "{'content':[],'structuredContent':'s'}",
      NGX_OK, 0, "'s'" },
    { "structured and an image", "{'content':[{'type':'image','data':'aaaa',"
      "'mimeType':'image/png'}],'structuredContent':[1]}", NGX_OK, 0,
      "[1]\n[image image/png]" },

    { "an image", "{'content':[" TEXT("a") ",{'type':'image','data':'aaaa',"
      "'mimeType':'image/png'}," TEXT("b") "]}", NGX_OK, 0,
      "a\n[image image/png]\nb" },
    { "audio", "{'content':[{'type':'audio','data':'aaaa'}]}", NGX_OK, 0,
      "[audio ?]" },
    { "a link", "{'content':[{'type':'resource_link','uri':'file:///a',"
      "'name':'A'}]}", NGX_OK, 0, "A: file:///a" },
    { "a resource", "{'content':[{'type':'resource','resource':{'uri':"
      "'file:///a','text':'b'}}]}", NGX_OK, 0, "b" },
    { "a blob", "{'content':[{'type':'resource','resource':{'uri':"
      "'file:///a','mimeType':'a/b','blob':'aaaa'}}]}", NGX_OK, 0,
      "[resource file:///a a/b]" },
    { "a resource and structured content", "{'content':[{'type':'resource',"
      "'resource':{'uri':'file:///a','text':'b'}}],'structuredContent':{}}",
      NGX_OK, 0, "b" },
    { "parts of other types", "{'content':[{'type':'video'},{},1,"
      "{'type':'text'},{'type':'resource'}]}", NGX_OK, 0,
      "[content of type video]\n[content of type ?]\n[content of type ?]\n\n"
      "[resource ? ?]" },

    { "no content", "{}", NGX_DECLINED, 0, "has no content" },
    { "content that is none", "{'content':'a','structuredContent':{}}",
      NGX_DECLINED, 0, "has no content" },

    { "complete", "{'resultType':'complete','content':[]}", NGX_OK, 0, "" },
    { "an unknown type", "{'resultType':'x','content':[]}", NGX_DECLINED, 0,
      "is of an unknown type" },
    { "a type that is none", "{'resultType':1,'content':[]}", NGX_DECLINED,
      0, "is of an unknown type" },
    { "input is asked for", "{'resultType':'input_required','requestState':"
      "'s','inputRequests':{'a':{}}}", NGX_DECLINED, 0, "asks for input" },
    { "a state alone", "{'resultType':'input_required','requestState':"
      "'s\\n'}", NGX_AGAIN, 0, "'s\\n'" },
    { "no requests and a state", "{'resultType':'input_required',"
      "'requestState':'s','inputRequests':{}}", NGX_AGAIN, 0, "'s'" },
    { "neither", "{'resultType':'input_required'}", NGX_DECLINED, 0,
      "asks for nothing" }
};

#define NTESTS  (sizeof(tests) / sizeof(tests[0]))


static struct {
    char  *message;
    int    code;
    char  *text;
} errors[] = {

    { "{'jsonrpc':'2.0','id':1,'error':{'code':-32602,'message':"
      "'no \\'x\\'\\r\\n'}}", -32602, "no \"x\"?" "?" },

    { "{'jsonrpc':'2.0','error':{'code':'a'}}", 0, "no message" }
};


static ngx_pool_t            *pool;
static ngx_ors_mcp_result_t   result;
static u_char                 text[MAX], expected[MAX];


int
main(void)
{
    test_results();
    test_legacy();
    test_cut();
    test_long();
    test_errors();
    test_no_memory();

    return done_testing();
}


static void
test_results(void)
{
    u_char      *end;
    ngx_int_t    rc;
    ngx_str_t    got;
    ngx_uint_t   i;

    for (i = 0; i < NTESTS; i++) {
        pool = ngx_ors_test_pool();

        rc = read_result(tests[i].result, 1, 1000);
        is_int(rc, tests[i].rc, "%s", tests[i].name);
        is_int(result.failed, tests[i].failed, "%s: failed", tests[i].name);
        is_int(result.cut, 0, "%s: whole", tests[i].name);

        got = result.text;

        if (rc == NGX_AGAIN) {
            got = result.state;
        }

        if (rc == NGX_DECLINED) {
            got.data = (u_char *) result.invalid;
            got.len = ngx_strlen(result.invalid);
        }

        end = ngx_ors_test_quotes(expected, tests[i].text,
                                  ngx_strlen(tests[i].text));
        is_mem(got.data, got.len, expected, (size_t) (end - expected),
               "%s: text", tests[i].name);

        ngx_destroy_pool(pool);
    }
}


static void
test_legacy(void)
{
    pool = ngx_ors_test_pool();

    is_int(read_result("{'resultType':'x','content':[" TEXT("a") "]}", 0, 10),
           NGX_OK, "a legacy result has no type");
    is_str(&result.text, "a", "a legacy result: text");

    ngx_destroy_pool(pool);
}


static void
test_cut(void)
{
    ngx_uint_t  i;

    static struct {
        size_t   max;
        char    *text;
    } t[] = {
        { 5, "a\xc3\xb6\nb" },
        { 4, "a\xc3\xb6\n\n[truncated]" },
        { 3, "a\xc3\xb6\n[truncated]" },
        { 2, "a\n[truncated]" },
        { 1, "a\n[truncated]" },
        { 0, "\n[truncated]" }
    };

    for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        pool = ngx_ors_test_pool();

        is_int(read_result("{'content':[" TEXT("a\xc3\xb6") "," TEXT("b")
                           "]}", 1, t[i].max),
               NGX_OK, "at most %d bytes", (int) t[i].max);
        is_str(&result.text, t[i].text, "at most %d bytes: text",
               (int) t[i].max);
        is_int(result.cut, t[i].max < 5, "at most %d bytes: cut",
               (int) t[i].max);

        ngx_destroy_pool(pool);
    }
}


/* memory is that of the text, not of what is cut away */

static void
test_long(void)
{
    size_t                  len;
    u_char                 *body, *p;
    ngx_int_t               rc;
    ngx_ors_json_t          json;
    ngx_ors_mcp_message_t   message;

    len = 20 * 1024 * 1024;
    body = malloc(len + 100);

    p = ngx_sprintf(body, "{\"content\":[{\"type\":\"text\",\"text\":\"");
    ngx_memset(p, 'a', len);
    p = ngx_sprintf(p + len, "\"}]}");

    pool = ngx_ors_test_pool();
    ngx_ors_json_init(&json, pool, 64, 1000);
    (void) ngx_ors_json_read(&json, body, p - body);

    ngx_ors_test_memory_reset();

    ngx_memzero(&message, sizeof(ngx_ors_mcp_message_t));
    message.json = &json;
    message.result = json.nodes;

    rc = ngx_ors_mcp_result_read(&result, &message, 1, 10000, pool);

    is_int(rc, NGX_OK, "20 MB");
    is_int(result.text.len, 10000 + sizeof("\n[truncated]") - 1,
           "20 MB: text");
    ok(ngx_ors_test_memory() < 100000, "20 MB: memory");

    ngx_destroy_pool(pool);
    free(body);
}


static void
test_errors(void)
{
    u_char                 *end;
    ngx_str_t               s;
    ngx_uint_t              i;
    ngx_ors_json_t          json;
    ngx_ors_mcp_error_t     error;
    ngx_ors_mcp_message_t   message;

    for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        pool = ngx_ors_test_pool();
        ngx_ors_json_init(&json, pool, 64, 1000);

        end = ngx_ors_test_quotes(text, errors[i].message,
                                  ngx_strlen(errors[i].message));
        s.data = text;
        s.len = end - text;

        (void) ngx_ors_mcp_message_read(&message, &json, &s);

        is_int(ngx_ors_mcp_error_read(&error, &message, pool), NGX_OK,
               "error %d", (int) i);

        is_int(error.code, errors[i].code, "error %d: code", (int) i);
        is_str(&error.message, errors[i].text, "error %d: message", (int) i);

        ngx_destroy_pool(pool);
    }

    /* a page of HTML as the message */

    pool = ngx_ors_test_pool();
    ngx_ors_json_init(&json, pool, 64, 1000);

    end = ngx_sprintf(text, "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":1,"
                            "\"message\":\"");
    ngx_memset(end, 'a', 5000);
    end = ngx_sprintf(end + 5000, "\"}}");
    s.data = text;
    s.len = end - text;

    (void) ngx_ors_mcp_message_read(&message, &json, &s);
    (void) ngx_ors_mcp_error_read(&error, &message, pool);

    is_int(error.message.len, NGX_ORS_MCP_ERROR_MAX, "a long message");

    ngx_destroy_pool(pool);
}


static void
test_no_memory(void)
{
    ngx_int_t   rc;
    ngx_uint_t  i, n, wrong;

    wrong = 0;

    for (i = 0; i < NTESTS; i++) {

        for (n = 1; n < 100; n++) {
            pool = ngx_ors_test_pool();

            ngx_ors_test_fail_after(n + 1);     /* the reader has its nodes */

            rc = read_result(tests[i].result, 1, 1000);
            wrong += (ngx_ors_test_failed() && rc != NGX_ERROR);

            ngx_destroy_pool(pool);

            if (!ngx_ors_test_failed()) {
                break;
            }
        }

        ngx_ors_test_fail_after(0);
    }

    is_int(wrong, 0, "no memory, no result");
}


static ngx_int_t
read_result(char *t, ngx_uint_t modern, size_t max)
{
    u_char                 *end;
    ngx_int_t               rc;
    ngx_ors_json_t          json;
    ngx_ors_mcp_message_t   message;

    end = ngx_ors_test_quotes(text, t, ngx_strlen(t));

    ngx_ors_json_init(&json, pool, 64, 1000);

    rc = ngx_ors_json_read(&json, text, end - text);

    if (rc != NGX_OK) {
        return rc;
    }

    ngx_memzero(&message, sizeof(ngx_ors_mcp_message_t));
    message.json = &json;
    message.result = json.nodes;

    return ngx_ors_mcp_result_read(&result, &message, modern, max, pool);
}
