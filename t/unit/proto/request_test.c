
/*
 * Copyright (C) Open Responses contributors
 */


/* The body as a whole, what is found in it, messages, memory. */


#include "request_table.h"


static void test_found(void);
static void test_model(void);
static void test_limits(void);
static void test_names(void);
static void test_messages(void);
static void test_memory(void);


static test_t  bodies[] = {
    { "{'model':'m','input':'x'}", OK },
    { " {'input':[{'role':'user','content':'x'}],'model':'m'}\n", OK },
    { "{'model':'m','input':'x','user':5,'mesages':[{'a':{}}],'':null}", OK },
    { "{}", "missing_required_parameter", "model" },
    { "{'input':'x'}", "missing_required_parameter", "model" },
    { "{'model':'m'}", OK },
    { "{'model':null,'input':'x'}", "missing_required_parameter", "model" },
    { "{'model':'','input':'x'}", "missing_required_parameter", "model" },
    { "{'model':5,'input':'x'}", "invalid_type", "model" },
    { "{'model':['m'],'input':'x'}", "invalid_type", "model" },
    { "{'model':'m\\u0000','input':'x'}", "invalid_value", "model" },
    { "{'model':'\\n','input':'x'}", "invalid_value", "model" },
    { "{'model':'\177','input':'x'}", "invalid_value", "model" },
    { "{'model':'m\\u00e9','input':'x'}", OK },
    { "{'model':'m','input':null}", OK },
    { "{'model':'m','input':5}", "invalid_type", "input" },
    { "{'model':'m','input':true}", "invalid_type", "input" },
    { "{'model':'m','input':true}", "invalid_type", "input" },
    { "{'model':'m','input':''}", OK },
    { "{'model':'m','input':[]}", OK },
    { "{'model':'m','model':'m','input':'x'}", "duplicate_key", "model" },
    { "{'model':'m','input':'x','mod\\u0065l':'y'}",
      "duplicate_key", "model" },
    { "{'model':null,'model':'m','input':'x'}", "duplicate_key", "model" },
    { "{'\\u006dodel':'m','input':'x'}", OK },
    { "", "invalid_json", "" },
    { " \n ", "invalid_json", "" },
    { "{'model':'m'", "invalid_json", "" },
    { "{'model':'m','input':'x'} x", "invalid_json", "" },
    { "{'model':'m','input':'\\ud83d'}", OK },
    { "{'model':'m','input':'\\x'}", "invalid_json", "" },
    { "{'model':'m','input':'\t'}", "invalid_json", "" },
    { "{'model':'m','input':'x','n':01}", "invalid_json", "" },
    { "[]", "invalid_type", "" },
    { "'x'", "invalid_type", "" },
    { "null", "invalid_type", "" },
    { "5", "invalid_type", "" },
    { "true", "invalid_type", "" },
    { "{'model':'m','input':'x','a':[[[[[[[[[0]]]]]]]]]}", OK },
    { "{'model':'m','input':'x','a':[[[[[[[[[[0]]]]]]]]]]}",
      "invalid_json", "" },
    { "{model:'m'}", "invalid_json", "" },
    { NULL, OK }
};


/* a value for each field, in the order of ngx_ors_rq_field_e */

static char  *values[] = {
    "'model':'m'", "'input':'x'", "'previous_response_id':'r'",
    "'include':['a']", "'tools':[]", "'tool_choice':'auto'",
    "'metadata':{}", "'text':{}", "'temperature':1", "'top_p':1",
    "'presence_penalty':0", "'frequency_penalty':0",
    "'parallel_tool_calls':true", "'stream':true", "'stream_options':{}",
    "'background':false", "'max_output_tokens':16", "'max_tool_calls':1",
    "'reasoning':{}", "'safety_identifier':'s'", "'prompt_cache_key':'p'",
    "'truncation':'auto'", "'instructions':'i'", "'store':false",
    "'service_tier':'auto'", "'top_logprobs':0", "'conversation':{}",
    "'prompt':5", "'context_management':[]", "'provider':'p'",
    "'provider_options':[]", "'params':{}"
};


typedef struct {
    char  *text;
    char  *message;
} message_t;


#define SIXTEEN  "0123456789abcdef"


static message_t  messages[] = {
    { "", "the body is empty" },
    { "{'model':'m',}",
      "the body is not JSON: unexpected character at byte 13" },
    { "[]", "the body must be an object, found an array" },
    { "{'input':'x'}", "\"model\" is required" },
    { "{'model':'','input':'x'}", "\"model\" must not be empty" },
    { "{'model':'m','input':5}",
      "\"input\" must be a string or an array, found number 5" },
    { "{'model':'m','input':'x','temperature':'hot'}",
      "\"temperature\" must be a number, found string \"hot\"" },
    { "{'model':'m','input':'x','stream':{}}",
      "\"stream\" must be a boolean, found an object" },
    { "{'model':'m','input':'x','tool_choice':true}",
      "\"tool_choice\" must be a string or an object, found true" },
    { "{'model':'m','input':'x','include':[null]}",
      "\"include[0]\" must be a string, found null" },
    { "{'model':'m','input':'x','max_output_tokens':16.5}",
      "\"max_output_tokens\" must be an integer, found number 16.5" },
    { "{'model':'m','input':'x','max_output_tokens':15}",
      "\"max_output_tokens\" must be at least 16, found number 15" },
    { "{'model':'m','input':'x','top_logprobs':21}",
      "\"top_logprobs\" must be at most 20, found number 21" },
    { "{'model':'m','input':'x','truncation':'all'}",
      "\"truncation\" must be \"auto\" or \"disabled\", "
      "found string \"all\"" },
    { "{'model':'m','input':'x','text':{'verbosity':'\\u0000\\n\\u007f'}}",
      "\"text.verbosity\" must be \"low\", \"medium\" or \"high\", "
      "found string \"???\"" },
    { "{'model':'m','input':[{'type':'acme x\xc2\x85\\u009f\xc2\xa0'}]}",
      "\"input[0].type\" must be \"message\", \"function_call\", "
      "\"function_call_output\", \"reasoning\", \"compaction\" or "
      "\"item_reference\", found string \"acme x??\xc2\xa0\"" },
    { "{'model':'m','input':'x','truncation':'" SIXTEEN SIXTEEN SIXTEEN
      "0123456789abcd\xc3\xa9\\ud83d\\ude00\xc3\xa9'}",
      "\"truncation\" must be \"auto\" or \"disabled\", found string \""
      SIXTEEN SIXTEEN SIXTEEN
      "0123456789abcd\xc3\xa9\xf0\x9f\x98\x80\"" },
    { "{'model':'m','input':'x','truncation':'" SIXTEEN SIXTEEN SIXTEEN
      "0123456789abcde\\ud83d\\ud83dx'}",
      "\"truncation\" must be \"auto\" or \"disabled\", found string \""
      SIXTEEN SIXTEEN SIXTEEN "0123456789abcde\xef\xbf\xbd\"" },
    { "{'model':'m','input':'x','truncation':'" SIXTEEN SIXTEEN SIXTEEN
      "0123456789abcde\\ud83d\\u0cde'}",
      "\"truncation\" must be \"auto\" or \"disabled\", found string \""
      SIXTEEN SIXTEEN SIXTEEN "0123456789abcde\xef\xbf\xbd\"" },
    { "{'model':'m','input':'x',"
      "'tool_choice':{'type':'allowed_tools','tools':[]}}",
      "\"tool_choice.tools\" must have at least 1 element, found 0" },
    { "{'model':'m','input':'x','tools':[{'type':'function','name':'a.b'}]}",
      "\"tools[0].name\" must consist of letters, digits, \"_\" and \"-\", "
      "found string \"a.b\"" },
    { "{'model':'m','input':'x','tools':[{'type':'function','name':''}]}",
      "\"tools[0].name\" must not be empty" },
    { "{'model':'m','input':'x','user':1,'metadata':{'\\u0001\xc3\xa9':5}}",
      "\"metadata.?\xc3\xa9\" must be a string, found number 5" },
    { "{'model':'m','input':'x','input':'y'}",
      "\"input\" occurs more than once" },
    { "{'model':'m','input':[[[[[[[[[[[]]]]]]]]]]]}",
      "the body has more than 10 levels of nesting at byte 30" },
    { NULL, NULL }
};


int
main(void)
{
    test_table(bodies, "%s", "");

    test_found();
    test_model();
    test_limits();
    test_names();
    test_messages();
    test_memory();

    return done_testing();
}


static void
test_found(void)
{
    char                all[2048], *p;
    ngx_str_t           name;
    ngx_uint_t          i;
    ngx_pool_t         *pool;
    ngx_ors_error_t     err;
    ngx_ors_request_t   req;

    pool = ngx_ors_test_pool();

    is_int(sizeof(values) / sizeof(char *), ngx_ors_rq_n, "all fields");

    p = all;

    for (i = 0; i < ngx_ors_rq_n; i++) {
        p += sprintf(p, "%c%s", i ? ',' : '{', values[i]);
    }

    sprintf(p, "}");

    ngx_ors_test_policy.profile = NGX_ORS_TOLERANT_OPENAI;

    is_int(read_text(all, pool, &req, &err), NGX_OK, "all at once");

    ngx_ors_test_policy.profile = NGX_ORS_TOLERANT_SPEC;

    for (i = 0; i < ngx_ors_rq_n; i++) {

        if (req.field[i] == NULL) {
            fail("%s is found", values[i]);
            continue;
        }

        /* the name is right before the value */
        ngx_ors_json_raw(&req.json, req.field[i] - 1, &name);

        is_mem(values[i] + 1, strchr(values[i] + 1, '\'') - values[i] - 1,
               name.data, name.len, "%s is found", values[i]);
    }

    is_int(req.stream, 1, "a stream is asked for");

    read_text("{'model':'m','input':'x','stream':false,'store':null}", pool,
              &req, &err);

    is_int(req.stream, 0, "no stream is asked for");
    ok(req.field[ngx_ors_rq_stream] != NULL, "false is there");
    ok(req.field[ngx_ors_rq_store] == NULL, "null is not");

    read_text("{'model':'m','input':'x'}", pool, &req, &err);
    is_int(req.stream, 0, "no word about a stream");
    is_int(req.obfuscate, 0, "no word about padding");

    read_text("{'model':'m','input':'x','stream_options':"
              "{'include_obfuscation':true}}", pool, &req, &err);
    is_int(req.obfuscate, 1, "padding is asked for");

    read_text("{'model':'m','input':'x','stream_options':"
              "{'include_obfuscation':false}}", pool, &req, &err);
    is_int(req.obfuscate, 0, "padding is not wanted");

    ngx_destroy_pool(pool);
}


static void
test_model(void)
{
    ngx_pool_t         *pool;
    ngx_ors_error_t     err;
    ngx_ors_request_t   req;

    pool = ngx_ors_test_pool();

    read_text("{'model':'gpt-5','input':'x'}", pool, &req, &err);
    is_str(&req.model, "gpt-5", "model");
    ok(req.model.data == req.json.text + 10, "it is not copied");

    read_text("{'model':'a\\/b\\u00e9\\ud83d','input':'x'}", pool, &req, &err);
    is_str(&req.model, "a/b\xc3\xa9\xef\xbf\xbd", "model with escapes");

    ngx_destroy_pool(pool);
}


static void
test_limits(void)
{
    test_t              test;
    ngx_uint_t          items, nodes, tools;
    ngx_pool_t         *pool;
    ngx_ors_error_t     err;
    ngx_ors_request_t   req;

    items = limits.items;
    tools = limits.tools;
    nodes = limits.nodes;

    limits.items = 2;
    limits.tools = 1;

    test.text = "{'role':'user','content':'x'},{'role':'user','content':[]}";
    test.code = NULL;
    test_one(&test, "{'model':'m','input':[%s]}", "");

    test.code = "array_above_max_length";
    test.param = "input";
    test_one(&test, "{'model':'m','input':[%s,{'role':'user','content':''}]}",
             "");

    test.text = "{'type':'x'}";
    test.code = NULL;
    test_one(&test, "{'model':'m','input':'x','tools':[%s]}", "");

    test.code = "array_above_max_length";
    test.param = "tools";
    test_one(&test, "{'model':'m','input':'x','tools':[%s,{'type':'x'}]}", "");

    /* the root and two pairs */
    limits.nodes = 5;

    test.text = "'model':'m','input':'x'";
    test.code = NULL;
    test_one(&test, "{%s}", "");

    limits.nodes = 4;

    test.code = "invalid_json";
    test.param = "";
    test_one(&test, "{%s}", "");

    pool = ngx_ors_test_pool();
    read_text("{'model':'m','input':'x'}", pool, &req, &err);
    is_str(&err.message, "the body has more than 4 values at byte 21",
           "message for too many values");
    ngx_destroy_pool(pool);

    limits.items = items;
    limits.tools = tools;
    limits.nodes = nodes;
}


static void
test_names(void)
{
    char    name[2];
    u_char  ch;
    test_t  test;

    name[1] = '\0';

    for (ch = 0x20; ch < 0x7f; ch++) {

        if (ch == '\'' || ch == '"' || ch == '\\') {
            continue;
        }

        name[0] = ch;

        test.text = name;
        test.param = "tools[0].name";
        test.code = ((ch >= '0' && ch <= '9') || (ch >= 'A' && ch <= 'Z')
                     || (ch >= 'a' && ch <= 'z') || ch == '_' || ch == '-')
                    ? NULL : "invalid_value";

        test_one(&test, "{'model':'m','input':'x','tools':"
                 "[{'type':'function','name':'%s'}]}", "");
    }
}


static void
test_messages(void)
{
    message_t          *m;
    ngx_pool_t         *pool;
    ngx_ors_error_t     err;
    ngx_ors_request_t   req;

    for (m = messages; m->text; m++) {
        pool = ngx_ors_test_pool();

        read_text(m->text, pool, &req, &err);
        is_str(&err.message, m->message, "message for %s", m->text);

        ngx_destroy_pool(pool);
    }
}


static void
test_memory(void)
{
    char               *text;
    ngx_int_t           rc;
    ngx_str_t           body;
    ngx_uint_t          i, n, bad;
    ngx_pool_t         *pool;
    ngx_ors_error_t     err;
    ngx_ors_request_t   req;

    pool = ngx_ors_test_pool();

    text = "{\"model\":\"\\u0061\",\"input\":[{\"role\":\"user\","
           "\"content\":[{\"type\":\"input_text\",\"text\":5}]}]}";

    body.data = (u_char *) text;
    body.len = ngx_strlen(text);

    for (i = 0; i < 2; i++) {

        for (n = 1, bad = 0; ; n++) {
            ngx_memzero(&err, sizeof(ngx_ors_error_t));

            ngx_ors_test_fail_after(n);
            rc = ngx_ors_test_request(&req, &body, &limits, pool, &err);

            if (!ngx_ors_test_failed()) {
                break;
            }

            /* a message that has no memory is replaced by another one */
            bad += (rc != NGX_ERROR
                    && (rc != NGX_DECLINED || err.message.len == 0));
        }

        ngx_ors_test_fail_after(0);

        ok(n > 1 && bad == 0, "no memory is an error, %d times", (int) n - 1);

        text = "{\"model\":\"\\u0061\",\"input\":[{\"role\":\"user\","
               "\"content\":[{\"type\":\"input_text\",\"text\":\"5\"}]}]}";

        body.data = (u_char *) text;
        body.len = ngx_strlen(text);
    }

    n = ngx_ors_test_allocs();
    ngx_ors_json_init(&req.json, pool, limits.depth, limits.nodes);
    ngx_ors_json_read(&req.json, body.data, body.len);
    n = ngx_ors_test_allocs() - n;

    i = ngx_ors_test_allocs();
    ngx_ors_test_request(&req, &body, &limits, pool, &err);
    i = ngx_ors_test_allocs() - i;

    is_int(i, n + 2, "checking allocates for items and an escaped model only");

    ngx_destroy_pool(pool);
}
