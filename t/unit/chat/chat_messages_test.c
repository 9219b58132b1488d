
/*
 * Copyright (C) Open Responses contributors
 */


/* Input items to chat messages: a rule a row, by its number. */


#include <ngx_ors_test.h>
#include <ngx_ors_test_chat.h>
#include <ngx_ors_test_request.h>


/* "input" and "messages", with ' for " */

typedef struct {
    char  *name;
    char  *input;
    char  *messages;
} test_row_t;


/* a refusal: "code param" */

typedef struct {
    char  *name;
    char  *input;
    char  *error;
} test_refusal_t;


static void test_row(test_row_t *row);
static void test_refusal(test_refusal_t *row);
static void test_long(void);
static void test_linear(void);
static void test_memory(void);
static ngx_int_t test_run(ngx_pool_t *pool, u_char *body, size_t len,
    ngx_chain_t **chain, ngx_ors_error_t *err);
static size_t test_quotes(u_char *dst, const char *fmt, const char *text);


#define MSG(role, text)  "{'role':'" role "','content':'" text "'}"
#define CALL(id)                                                              \
    "{'type':'function_call','call_id':'" id "','name':'f','arguments':'{}'}"
#define OUT(id, text)                                                         \
    "{'type':'function_call_output','call_id':'" id "','output':'" text "'}"
#define OUTS(id, parts)                                                       \
    "{'type':'function_call_output','call_id':'" id "','output':[" parts "]}"
#define TEXT(text)  "{'type':'input_text','text':'" text "'}"
#define IMAGE(url)  "{'type':'input_image','image_url':'" url "'}"
#define REASON                                                                \
    "{'type':'reasoning','id':'rs_1','summary':[],'encrypted_content':'x'}"

/* more than are looked at one by one */

#define FAR4                                                                  \
    MSG("user", "1") "," MSG("user", "2") "," MSG("user", "3") ","           \
    MSG("user", "4")
#define FAR  FAR4 "," FAR4 "," FAR4 "," FAR4 "," FAR4

#define CHAT_CALL(id)                                                         \
    "{'id':'" id "','type':'function','function':{'name':'f',"               \
    "'arguments':'{}'}}"
#define CHAT_CALLS(content, calls)                                            \
    "{'role':'assistant','content':" content ",'tool_calls':[" calls "]}"
#define CHAT_TOOL(id, text)                                                   \
    "{'role':'tool','content':'" text "','tool_call_id':'" id "'}"
#define CHAT_IMAGE(url)                                                       \
    "{'type':'image_url','image_url':{'url':'" url "'}}"


static test_row_t  rows[] = {

    { "a string is a user message",
      "'hi'",
      "[" MSG("user", "hi") "]" },

    { "E13 developer becomes system, several stay where they are",
      "[" MSG("developer", "a") "," MSG("system", "b") "," MSG("user", "c")
      "," MSG("developer", "d") "]",
      "[" MSG("system", "a") "," MSG("system", "b") "," MSG("user", "c")
      "," MSG("system", "d") "]" },

    { "text stays as it was escaped",
      "[" MSG("user", "\\u00e9\\n\\/\\ud83d\\u0000 \xe6\x97\xa5") "]",
      "[" MSG("user", "\\u00e9\\n\\/\\ud83d\\u0000 \xe6\x97\xa5") "]" },

    { "escaped keys and values are understood",
      "[{'\\u0072ole':'\\u0075ser','\\u0063ontent':'x'}]",
      "[" MSG("user", "x") "]" },

    { "one text part becomes a string",
      "[{'role':'user','content':[" TEXT("a") "]}]",
      "[" MSG("user", "a") "]" },

    { "several text parts of a user stay parts",
      "[{'role':'user','content':[" TEXT("a") "," TEXT("b") "]}]",
      "[{'role':'user','content':[{'type':'text','text':'a'},"
      "{'type':'text','text':'b'}]}]" },

    { "several text parts of others are joined",
      "[{'role':'developer','content':[" TEXT("a") "," TEXT("") ","
      TEXT("b") "]},{'role':'assistant','content':[{'type':'output_text',"
      "'text':'c','annotations':[],'logprobs':[]},{'type':'output_text',"
      "'text':'d'}]}]",
      "[" MSG("system", "a\\nb") "," MSG("assistant", "c\\nd") "]" },

    { "no parts make an empty string",
      "[{'role':'user','content':[]},{'role':'system','content':[]},"
      "{'role':'assistant','content':[]}]",
      "[" MSG("user", "") "," MSG("system", "") "," MSG("assistant", "")
      "]" },

    { "refusals have a member of their own",
      "[{'role':'assistant','content':[{'type':'refusal','refusal':'no'}]},"
      "{'role':'assistant','content':[{'type':'output_text','text':'a'},"
      "{'type':'refusal','refusal':'b'},{'type':'refusal','refusal':'c'}]}]",
      "[{'role':'assistant','content':null,'refusal':'no'},"
      "{'role':'assistant','content':'a','refusal':'b\\nc'}]" },

    { "images of a user",
      "[{'role':'user','content':[" TEXT("a") "," IMAGE("u") "]},"
      "{'role':'user','content':[" IMAGE("v") "]}]",
      "[{'role':'user','content':[{'type':'text','text':'a'},"
      CHAT_IMAGE("u") "]},{'role':'user','content':[" CHAT_IMAGE("v")
      "]}]" },

    { "E21 details of an image",
      "[{'role':'user','content':["
      "{'type':'input_image','image_url':'a','detail':'low'},"
      "{'type':'input_image','image_url':'b','detail':'high'},"
      "{'type':'input_image','image_url':'c','detail':'original'},"
      "{'type':'input_image','image_url':'d','detail':'auto'},"
      "{'type':'input_image','image_url':'e','detail':'odd'},"
      "{'type':'input_image','image_url':'f','detail':null}]}]",
      "[{'role':'user','content':["
      "{'type':'image_url','image_url':{'url':'a','detail':'low'}},"
      "{'type':'image_url','image_url':{'url':'b','detail':'high'}},"
      "{'type':'image_url','image_url':{'url':'c','detail':'high'}},"
      CHAT_IMAGE("d") "," CHAT_IMAGE("e") "," CHAT_IMAGE("f") "]}]" },

    { "E22 a file with data",
      "[{'role':'user','content':[{'type':'input_file','filename':'n',"
      "'file_data':'data:,x'},{'type':'input_file','file_data':'y',"
      "'filename':null}]}]",
      "[{'role':'user','content':[{'type':'file','file':{'filename':'n',"
      "'file_data':'data:,x'}},{'type':'file','file':{'file_data':'y'}}]}]" },

    { "E1 calls in a row are one message",
      "[" CALL("A") "," CALL("B") "," OUT("A", "a") "," OUT("B", "b") "]",
      "[" CHAT_CALLS("null", CHAT_CALL("A") "," CHAT_CALL("B")) ","
      CHAT_TOOL("A", "a") "," CHAT_TOOL("B", "b") "]" },

    { "E1 outputs in another order stand in that of the calls",
      "[" CALL("A") "," CALL("B") "," OUT("B", "b") "," OUT("A", "a") "]",
      "[" CHAT_CALLS("null", CHAT_CALL("A") "," CHAT_CALL("B")) ","
      CHAT_TOOL("A", "a") "," CHAT_TOOL("B", "b") "]" },

    { "E1 reasoning between calls does not part them",
      "[" REASON "," CALL("A") "," REASON "," CALL("B") "," OUT("A", "a")
      "," OUT("B", "b") "]",
      "[" CHAT_CALLS("null", CHAT_CALL("A") "," CHAT_CALL("B")) ","
      CHAT_TOOL("A", "a") "," CHAT_TOOL("B", "b") "]" },

    { "an output parts two rounds of calls",
      "[" CALL("A") "," OUT("A", "a") "," CALL("B") "," OUT("B", "b") "]",
      "[" CHAT_CALLS("null", CHAT_CALL("A")) "," CHAT_TOOL("A", "a") ","
      CHAT_CALLS("null", CHAT_CALL("B")) "," CHAT_TOOL("B", "b") "]" },

    { "E2 a message and the calls after it are one",
      "[" MSG("assistant", "t") "," CALL("A") "," OUT("A", "a") "]",
      "[" CHAT_CALLS("'t'", CHAT_CALL("A")) "," CHAT_TOOL("A", "a") "]" },

    { "E2 of two messages only the last has the calls",
      "[" MSG("assistant", "s") "," MSG("assistant", "t") "," CALL("A") ","
      OUT("A", "a") "]",
      "[" MSG("assistant", "s") "," CHAT_CALLS("'t'", CHAT_CALL("A")) ","
      CHAT_TOOL("A", "a") "]" },

    { "E4 reasoning, message, reasoning, call",
      "[" REASON "," MSG("assistant", "t") "," REASON "," CALL("A") ","
      OUT("A", "a") "," REASON "," MSG("user", "u") "]",
      "[" CHAT_CALLS("'t'", CHAT_CALL("A")) "," CHAT_TOOL("A", "a") ","
      MSG("user", "u") "]" },

    { "E3 a message before the output is put after it",
      "[" CALL("A") "," MSG("user", "u") "," OUT("A", "a") "]",
      "[" CHAT_CALLS("null", CHAT_CALL("A")) "," CHAT_TOOL("A", "a") ","
      MSG("user", "u") "]" },

    { "E3 after the last of the outputs",
      "[" CALL("A") "," CALL("B") "," OUT("A", "a") ","
      MSG("assistant", "m") "," MSG("user", "u") "," OUT("B", "b") "]",
      "[" CHAT_CALLS("null", CHAT_CALL("A") "," CHAT_CALL("B")) ","
      CHAT_TOOL("A", "a") "," CHAT_TOOL("B", "b") "," MSG("assistant", "m")
      "," MSG("user", "u") "]" },

    { "E3 calls and messages mixed",
      "[" CALL("A") "," MSG("assistant", "m") "," CALL("B") ","
      OUT("B", "b") "," OUT("A", "a") "]",
      "[" CHAT_CALLS("null", CHAT_CALL("A")) "," CHAT_TOOL("A", "a") ","
      CHAT_CALLS("'m'", CHAT_CALL("B")) "," CHAT_TOOL("B", "b") "]" },

    { "E3 what comes together by it is one message",
      "[" CALL("A") "," MSG("assistant", "m") "," OUT("A", "a") ","
      CALL("B") "," OUT("B", "b") "]",
      "[" CHAT_CALLS("null", CHAT_CALL("A")) "," CHAT_TOOL("A", "a") ","
      CHAT_CALLS("'m'", CHAT_CALL("B")) "," CHAT_TOOL("B", "b") "]" },

    { "a call without an output passes",
      "[" CALL("A") "," CALL("B") "," OUT("B", "b") "," MSG("user", "u")
      "]",
      "[" CHAT_CALLS("null", CHAT_CALL("A") "," CHAT_CALL("B")) ","
      CHAT_TOOL("B", "b") "," MSG("user", "u") "]" },

    { "an id that is used again belongs to the last call",
      "[" CALL("A") "," OUT("A", "1") "," CALL("A") "," OUT("A", "2") "]",
      "[" CHAT_CALLS("null", CHAT_CALL("A")) "," CHAT_TOOL("A", "1") ","
      CHAT_CALLS("null", CHAT_CALL("A")) "," CHAT_TOOL("A", "2") "]" },

    { "an id that is used again, far from its output",
      "[" CALL("A") "," OUT("A", "1") "," CALL("A") "," FAR "," OUT("A", "2")
      "]",
      "[" CHAT_CALLS("null", CHAT_CALL("A")) "," CHAT_TOOL("A", "1") ","
      CHAT_CALLS("null", CHAT_CALL("A")) "," CHAT_TOOL("A", "2") "," FAR
      "]" },

    { "an escaped id, far from its output",
      "[" CALL("\\u0041") "," CALL("B") "," FAR "," OUT("\\u0042", "b")
      "," OUT("A", "a") "]",
      "[" CHAT_CALLS("null", CHAT_CALL("\\u0041") "," CHAT_CALL("B")) ","
      CHAT_TOOL("\\u0041", "a") "," CHAT_TOOL("B", "b") "," FAR "]" },

    { "an escaped id is the same id",
      "[" CALL("A") "," OUT("\\u0041", "a") "," CALL("\\u0042x") ","
      OUT("Bx", "b") "]",
      "[" CHAT_CALLS("null", CHAT_CALL("A")) "," CHAT_TOOL("A", "a") ","
      CHAT_CALLS("null", CHAT_CALL("\\u0042x")) ","
      CHAT_TOOL("\\u0042x", "b") "]" },

    { "E8 empty arguments; what is not JSON stays",
      "[{'type':'function_call','call_id':'A','name':'f','arguments':''},"
      "{'type':'function_call','call_id':'B','name':'g','arguments':'{'}]",
      "[" CHAT_CALLS("null", CHAT_CALL("A") ",{'id':'B','type':'function',"
                     "'function':{'name':'g','arguments':'{'}}") "]" },

    { "E35 arguments pass byte for byte",
      "[{'type':'function_call','call_id':'A','name':'f','arguments':"
      "'{\\\"n\\\":1e400, \\u0022m\\u0022:12345678901234567890}'}]",
      "[" CHAT_CALLS("null", "{'id':'A','type':'function','function':{"
                     "'name':'f','arguments':'{\\\"n\\\":1e400, "
                     "\\u0022m\\u0022:12345678901234567890}'}}") "]" },

    { "E9 text parts of an output are joined",
      "[" CALL("A") "," OUTS("A", TEXT("a") "," TEXT("b")) "]",
      "[" CHAT_CALLS("null", CHAT_CALL("A")) "," CHAT_TOOL("A", "a\\nb")
      "]" },

    { "E9 an image follows in a user message",
      "[" CALL("A") "," CALL("B") "," OUTS("A", TEXT("a") "," IMAGE("u"))
      "," MSG("user", "m") "," OUTS("B", IMAGE("v") "," IMAGE("w")) "]",
      "[" CHAT_CALLS("null", CHAT_CALL("A") "," CHAT_CALL("B")) ","
      CHAT_TOOL("A", "a") "," CHAT_TOOL("B", "(attached below)") ","
      "{'role':'user','content':[" CHAT_IMAGE("u") "," CHAT_IMAGE("v") ","
      CHAT_IMAGE("w") "]}," MSG("user", "m") "]" },

    { "E9 a file follows in a user message",
      "[" CALL("A") "," OUTS("A", "{'type':'input_file','file_data':'x'}")
      "]",
      "[" CHAT_CALLS("null", CHAT_CALL("A")) ","
      CHAT_TOOL("A", "(attached below)") ",{'role':'user','content':["
      "{'type':'file','file':{'file_data':'x'}}]}]" },

    { "E9 no parts are said to be none, an empty string stays",
      "[" CALL("A") "," CALL("B") "," CALL("C") "," OUTS("A", "") ","
      OUTS("B", TEXT("")) "," OUT("C", "") "]",
      "[" CHAT_CALLS("null", CHAT_CALL("A") "," CHAT_CALL("B") ","
                     CHAT_CALL("C")) ","
      CHAT_TOOL("A", "(no output)") "," CHAT_TOOL("B", "(no output)") ","
      CHAT_TOOL("C", "") "]" }
};


static test_refusal_t  refusals[] = {

    { "E11 an output without a call",
      "[" CALL("A") "," OUT("A", "a") "," OUT("B", "b") "]",
      "unknown_call_id input[2].call_id" },

    { "E11 an output without any call",
      "[" OUT("A", "a") "]",
      "unknown_call_id input[0].call_id" },

    { "E11 an output before its call",
      "[" OUT("A", "a") "," CALL("A") "]",
      "unknown_call_id input[0].call_id" },

    { "E12 a second output for a call",
      "[" CALL("A") "," OUT("A", "a") "," MSG("user", "u") ","
      OUT("A", "b") "]",
      "duplicate_call_id input[3].call_id" },

    { "E18 no input",
      "null",
      "missing_required_parameter input" },

    { "E18 empty text",
      "''",
      "invalid_value input" },

    { "E18 no items",
      "[]",
      "invalid_value input" },

    { "E18 nothing but reasoning",
      "[" REASON "]",
      "invalid_value input" },

    { "E20 an image with nothing but an id",
      "[" MSG("user", "u") ",{'role':'user','content':[" TEXT("a") ","
      "{'type':'input_image','file_id':'x'}]}]",
      "invalid_value input[1].content[1]" },

    { "E20 such an image in an output",
      "[" CALL("A") "," CALL("B") "," OUTS("A", IMAGE("u")) ","
      OUTS("B", TEXT("b") ",{'type':'input_image','image_url':null}") "]",
      "invalid_value input[3].output[1]" },

    { "E22 a file by its address",
      "[{'role':'user','content':[{'type':'input_file','file_url':'x'}]}]",
      "invalid_value input[0].content[0]" },

    { "a video in an output",
      "[" CALL("A") "," OUTS("A", "{'type':'input_video','video_url':'x'}")
      "]",
      "unsupported_value input[1].output[0]" },

    { "compacted history",
      "[" MSG("user", "u") ",{'type':'compaction','encrypted_content':'x'}]",
      "unsupported_item input[1]" },

    { "a reference",
      "[" MSG("user", "u") ",{'type':'item_reference','id':'x'}]",
      "unsupported_item input[1]" },

    { "an id alone is one, too",
      "[{'id':'x'}]",
      "unsupported_item input[0]" },

    { "and so is one with nulls, and whatever else",
      "[{'id':'x','type':null,'role':null,'content':{}}]",
      "unsupported_item input[0]" }
};


int
main(void)
{
    ngx_uint_t  i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        test_row(&rows[i]);
    }

    for (i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        test_refusal(&refusals[i]);
    }

    test_long();
    test_linear();
    test_memory();

    return done_testing();
}


static void
test_row(test_row_t *row)
{
    size_t            len;
    u_char            body[4096], expected[4096];
    ngx_int_t         rc;
    ngx_pool_t       *pool;
    ngx_chain_t      *chain;
    ngx_ors_error_t   err;

    len = test_quotes(body, "{'model':'m','input':%s}", row->input);
    test_quotes(expected, "{'model':'m','messages':%s}", row->messages);

    pool = ngx_ors_test_pool();

    rc = test_run(pool, body, len, &chain, &err);

    if (rc == NGX_OK) {
        is_chain(chain, (char *) expected, "%s", row->name);

    } else {
        fail("%s: %.*s", row->name, (int) err.message.len, err.message.data);
    }

    ngx_destroy_pool(pool);
}


static void
test_refusal(test_refusal_t *row)
{
    size_t            len;
    u_char            body[4096];
    ngx_int_t         rc;
    ngx_str_t         text;
    ngx_pool_t       *pool;
    ngx_chain_t      *chain;
    ngx_ors_error_t   err;

    ngx_memzero(&err, sizeof(ngx_ors_error_t));

    len = test_quotes(body, "{'model':'m','input':%s}", row->input);

    pool = ngx_ors_test_pool();

    rc = test_run(pool, body, len, &chain, &err);

    is_int(rc, NGX_DECLINED, "%s", row->name);
    is_int(err.status, 400, "%s: status", row->name);
    is_str(&err.type, "invalid_request", "%s: type", row->name);

    text.data = body;
    text.len = ngx_sprintf(body, "%V %V", &err.code, &err.param) - body;

    is_str(&text, row->error, "%s: code and param", row->name);

    ngx_destroy_pool(pool);
}


/* long text is sent from where it stands */

static void
test_long(void)
{
    u_char           *p, *body, *text;
    ngx_pool_t       *pool;
    ngx_uint_t        found;
    ngx_chain_t      *chain, *cl;
    ngx_ors_error_t   err;

    pool = ngx_ors_test_pool();
    body = ngx_palloc(pool, 4096);

    p = ngx_sprintf(body, "{\"model\":\"m\",\"input\":[{\"role\":\"user\","
                          "\"content\":");
    text = p;
    *p++ = '"';
    ngx_memset(p, 'x', 3000);
    p += 3000;
    p = ngx_sprintf(p, "\"}]}");

    found = 0;

    if (test_run(pool, body, p - body, &chain, &err) == NGX_OK) {

        for (cl = chain; cl; cl = cl->next) {

            if (cl->buf->pos == text
                && cl->buf->last - cl->buf->pos == 3002)
            {
                found = 1;
            }
        }
    }

    ok(found, "long text is not copied");

    ngx_destroy_pool(pool);
}


/* many calls, with their outputs at the end: an allocation or two */

static void
test_linear(void)
{
    u_char           *p, *body;
    ngx_uint_t        i, n;
    ngx_pool_t       *pool;
    ngx_chain_t      *chain;
    ngx_ors_error_t   err;

    n = 5000;

    pool = ngx_ors_test_pool();
    body = ngx_palloc(pool, n * 160);

    p = ngx_sprintf(body, "{\"model\":\"m\",\"input\":[{\"role\":\"user\","
                          "\"content\":\"u\"}");

    for (i = 0; i < n; i++) {
        p = ngx_sprintf(p, ",{\"type\":\"function_call\",\"call_id\":\"c%ui\""
                           ",\"name\":\"f\",\"arguments\":\"\"}", i);
    }

    for (i = n; i-- > 0; /* void */ ) {
        p = ngx_sprintf(p, ",{\"type\":\"function_call_output\","
                           "\"call_id\":\"c%ui\",\"output\":\"o\"}", i);
    }

    p = ngx_sprintf(p, "]}");

    is_int(test_run(pool, body, p - body, &chain, &err), NGX_OK,
           "%d calls and their outputs", (int) n);

    ngx_destroy_pool(pool);
}


static void
test_memory(void)
{
    size_t                len;
    u_char                body[4096];
    ngx_int_t             rc;
    ngx_str_t             text;
    ngx_uint_t            n, refused;
    ngx_pool_t           *pool;
    ngx_ors_out_t         out;
    ngx_ors_error_t       err;
    ngx_ors_limits_t      limits = limits_default();
    ngx_ors_request_t     req;
    ngx_ors_chat_tools_t  tools;
    ngx_str_t             model = ngx_string("m");

    for (refused = 0; refused < 2; refused++) {

        len = test_quotes(body, "{'model':'m','instructions':'i','tools':["
                          "{'type':'function','name':'f'}],'tool_choice':{"
                          "'type':'function','name':'f'},'input':["
                          CALL("\\u0041") "," CALL("B") "," OUT("B", "b") ","
                          OUTS("A", TEXT("a") "," IMAGE("u")) "," "%s]}",
                          refused ? OUT("C", "c") : MSG("user", "u"));

        text.data = body;
        text.len = len;

        for (n = 1; n < 100; n++) {
            pool = ngx_ors_test_pool();

            rc = ngx_ors_test_request(&req, &text, &limits, pool, &err);

            if (rc != NGX_OK) {
                fail("request is read");
                return;
            }

            ngx_ors_out_init(&out, pool, 64);

            ngx_ors_test_fail_after(n);
            rc = ngx_ors_chat_request(&req, ngx_ors_test_target(&model),
                                      &tools, &out, &err);

            if (!ngx_ors_test_failed()) {
                ngx_ors_test_fail_after(0);
                ngx_destroy_pool(pool);
                break;
            }

            ngx_ors_test_fail_after(0);

            /* an error's text may be replaced, or the failure not matter */

            ok(rc == NGX_ERROR || (refused && rc == NGX_DECLINED),
               "no memory at allocation %d", (int) n);

            ngx_destroy_pool(pool);
        }

        is_int(rc, refused ? NGX_DECLINED : NGX_OK, "enough memory");
        ok(n > 4, "allocations were tried");
    }
}


static ngx_int_t
test_run(ngx_pool_t *pool, u_char *body, size_t len, ngx_chain_t **chain,
    ngx_ors_error_t *err)
{
    ngx_int_t             rc;
    ngx_str_t             text, model = ngx_string("m");
    ngx_ors_out_t         out;
    ngx_ors_limits_t      limits = { .depth = 64, .nodes = 1000000,
                                     .items = 100000, .tools = 100 };
    ngx_ors_request_t     req;
    ngx_ors_chat_tools_t  tools;

    text.len = len;
    text.data = body;

    rc = ngx_ors_test_request(&req, &text, &limits, pool, err);

    if (rc != NGX_OK) {
        return rc;
    }

    ngx_ors_out_init(&out, pool, 4096);

    rc = ngx_ors_chat_request(&req, ngx_ors_test_target(&model),
                              &tools, &out, err);

    if (rc != NGX_OK) {
        return rc;
    }

    return ngx_ors_out_take(&out, chain);
}


/* makes ' to " and ends the text by a zero, which is not counted */

static size_t
test_quotes(u_char *dst, const char *fmt, const char *text)
{
    u_char  *last;

    last = ngx_sprintf(dst, fmt, text);
    *last = '\0';

    ngx_ors_test_quotes(dst, dst, last - dst);

    return last - dst;
}
