
#include <ngx_ors_test_request.h>
/*
#include <ngx_ors_test_request.h>
 * Copyright (C) Open Responses contributors
#include <ngx_ors_test_request.h>
 */
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
/* the body as a whole, what is found in it, messages, memory */
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
#include "request_table.h"
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
static void test_found(void);
#include <ngx_ors_test_request.h>
static void test_model(void);
#include <ngx_ors_test_request.h>
static void test_limits(void);
#include <ngx_ors_test_request.h>
static void test_names(void);
#include <ngx_ors_test_request.h>
static void test_messages(void);
#include <ngx_ors_test_request.h>
static void test_memory(void);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
static test_t  bodies[] = {
#include <ngx_ors_test_request.h>
    { "{'model':'m','input':'x'}", OK },
#include <ngx_ors_test_request.h>
    { " {'input':[{'role':'user','content':'x'}],'model':'m'}\n", OK },
#include <ngx_ors_test_request.h>
    { "{'model':'m','input':'x','user':5,'messages':[{'a':{}}],'':null}", OK },
#include <ngx_ors_test_request.h>
    { "{}", "missing_required_parameter", "model" },
#include <ngx_ors_test_request.h>
    { "{'input':'x'}", "missing_required_parameter", "model" },
#include <ngx_ors_test_request.h>
    { "{'model':'m'}", OK },
#include <ngx_ors_test_request.h>
    { "{'model':null,'input':'x'}", "missing_required_parameter", "model" },
#include <ngx_ors_test_request.h>
    { "{'model':'','input':'x'}", "missing_required_parameter", "model" },
#include <ngx_ors_test_request.h>
    { "{'model':5,'input':'x'}", "invalid_type", "model" },
#include <ngx_ors_test_request.h>
    { "{'model':['m'],'input':'x'}", "invalid_type", "model" },
#include <ngx_ors_test_request.h>
    { "{'model':'m\\u0000','input':'x'}", "invalid_value", "model" },
#include <ngx_ors_test_request.h>
    { "{'model':'\\n','input':'x'}", "invalid_value", "model" },
#include <ngx_ors_test_request.h>
    { "{'model':'\177','input':'x'}", "invalid_value", "model" },
#include <ngx_ors_test_request.h>
    { "{'model':'m\\u00e9','input':'x'}", OK },
#include <ngx_ors_test_request.h>
    { "{'model':'m','input':null}", OK },
#include <ngx_ors_test_request.h>
    { "{'model':'m','input':5}", "invalid_type", "input" },
#include <ngx_ors_test_request.h>
    { "{'model':'m','input':{}}", "invalid_type", "input" },
#include <ngx_ors_test_request.h>
    { "{'model':'m','input':true}", "invalid_type", "input" },
#include <ngx_ors_test_request.h>
    { "{'model':'m','input':''}", OK },
#include <ngx_ors_test_request.h>
    { "{'model':'m','input':[]}", OK },
#include <ngx_ors_test_request.h>
    { "{'model':'m','model':'m','input':'x'}", "duplicate_key", "model" },
#include <ngx_ors_test_request.h>
    { "{'model':'m','input':'x','mod\\u0065l':'y'}",
#include <ngx_ors_test_request.h>
      "duplicate_key", "model" },
#include <ngx_ors_test_request.h>
    { "{'model':null,'model':'m','input':'x'}", "duplicate_key", "model" },
#include <ngx_ors_test_request.h>
    { "{'\\u006dodel':'m','input':'x'}", OK },
#include <ngx_ors_test_request.h>
    { "", "invalid_json", "" },
#include <ngx_ors_test_request.h>
    { " \n ", "invalid_json", "" },
#include <ngx_ors_test_request.h>
    { "{'model':'m'", "invalid_json", "" },
#include <ngx_ors_test_request.h>
    { "{'model':'m','input':'x'} x", "invalid_json", "" },
#include <ngx_ors_test_request.h>
    { "{'model':'m','input':'\\ud83d'}", OK },
#include <ngx_ors_test_request.h>
    { "{'model':'m','input':'\\x'}", "invalid_json", "" },
#include <ngx_ors_test_request.h>
    { "{'model':'m','input':'\t'}", "invalid_json", "" },
#include <ngx_ors_test_request.h>
    { "{'model':'m','input':'x','n':01}", "invalid_json", "" },
#include <ngx_ors_test_request.h>
    { "[]", "invalid_type", "" },
#include <ngx_ors_test_request.h>
    { "'x'", "invalid_type", "" },
#include <ngx_ors_test_request.h>
    { "null", "invalid_type", "" },
#include <ngx_ors_test_request.h>
    { "5", "invalid_type", "" },
#include <ngx_ors_test_request.h>
    { "true", "invalid_type", "" },
#include <ngx_ors_test_request.h>
    { "{'model':'m','input':'x','a':[[[[[[[[[0]]]]]]]]]}", OK },
#include <ngx_ors_test_request.h>
    { "{'model':'m','input':'x','a':[[[[[[[[[[0]]]]]]]]]]}",
#include <ngx_ors_test_request.h>
      "invalid_json", "" },
#include <ngx_ors_test_request.h>
    { "{model:'m'}", "invalid_json", "" },
#include <ngx_ors_test_request.h>
    { NULL, OK }
#include <ngx_ors_test_request.h>
};
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
/* a value for each field, in the order of ngx_ors_rq_field_e */
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
static char  *values[] = {
#include <ngx_ors_test_request.h>
    "'model':'m'", "'input':'x'", "'previous_response_id':'r'",
#include <ngx_ors_test_request.h>
    "'include':['a']", "'tools':[]", "'tool_choice':'auto'",
#include <ngx_ors_test_request.h>
    "'metadata':{}", "'text':{}", "'temperature':1", "'top_p':1",
#include <ngx_ors_test_request.h>
    "'presence_penalty':0", "'frequency_penalty':0",
#include <ngx_ors_test_request.h>
    "'parallel_tool_calls':true", "'stream':true", "'stream_options':{}",
#include <ngx_ors_test_request.h>
    "'background':false", "'max_output_tokens':16", "'max_tool_calls':1",
#include <ngx_ors_test_request.h>
    "'reasoning':{}", "'safety_identifier':'s'", "'prompt_cache_key':'p'",
#include <ngx_ors_test_request.h>
    "'truncation':'auto'", "'instructions':'i'", "'store':false",
#include <ngx_ors_test_request.h>
    "'service_tier':'auto'", "'top_logprobs':0", "'conversation':{}",
#include <ngx_ors_test_request.h>
    "'prompt':5"
#include <ngx_ors_test_request.h>
};
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
typedef struct {
#include <ngx_ors_test_request.h>
    char  *text;
#include <ngx_ors_test_request.h>
    char  *message;
#include <ngx_ors_test_request.h>
} message_t;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
#define SIXTEEN  "0123456789abcdef"
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
static message_t  messages[] = {
#include <ngx_ors_test_request.h>
    { "", "the body is empty" },
#include <ngx_ors_test_request.h>
    { "{'model':'m',}",
#include <ngx_ors_test_request.h>
      "the body is not JSON: unexpected character at byte 13" },
#include <ngx_ors_test_request.h>
    { "[]", "the body must be an object, found an array" },
#include <ngx_ors_test_request.h>
    { "{'input':'x'}", "\"model\" is required" },
#include <ngx_ors_test_request.h>
    { "{'model':'','input':'x'}", "\"model\" must not be empty" },
#include <ngx_ors_test_request.h>
    { "{'model':'m','input':5}",
#include <ngx_ors_test_request.h>
      "\"input\" must be a string or an array, found number 5" },
#include <ngx_ors_test_request.h>
    { "{'model':'m','input':'x','temperature':'hot'}",
#include <ngx_ors_test_request.h>
      "\"temperature\" must be a number, found string \"hot\"" },
#include <ngx_ors_test_request.h>
    { "{'model':'m','input':'x','stream':{}}",
#include <ngx_ors_test_request.h>
      "\"stream\" must be a boolean, found an object" },
#include <ngx_ors_test_request.h>
    { "{'model':'m','input':'x','tool_choice':true}",
#include <ngx_ors_test_request.h>
      "\"tool_choice\" must be a string or an object, found true" },
#include <ngx_ors_test_request.h>
    { "{'model':'m','input':'x','include':[null]}",
#include <ngx_ors_test_request.h>
      "\"include[0]\" must be a string, found null" },
#include <ngx_ors_test_request.h>
    { "{'model':'m','input':'x','max_output_tokens':16.5}",
#include <ngx_ors_test_request.h>
      "\"max_output_tokens\" must be an integer, found number 16.5" },
#include <ngx_ors_test_request.h>
    { "{'model':'m','input':'x','max_output_tokens':15}",
#include <ngx_ors_test_request.h>
      "\"max_output_tokens\" must be at least 16, found number 15" },
#include <ngx_ors_test_request.h>
    { "{'model':'m','input':'x','top_logprobs':21}",
#include <ngx_ors_test_request.h>
      "\"top_logprobs\" must be at most 20, found number 21" },
#include <ngx_ors_test_request.h>
    { "{'model':'m','input':'x','truncation':'all'}",
#include <ngx_ors_test_request.h>
      "\"truncation\" must be \"auto\" or \"disabled\", "
#include <ngx_ors_test_request.h>
      "found string \"all\"" },
#include <ngx_ors_test_request.h>
    { "{'model':'m','input':'x','text':{'verbosity':'\\u0000\\n\\u007f'}}",
#include <ngx_ors_test_request.h>
      "\"text.verbosity\" must be \"low\", \"medium\" or \"high\", "
#include <ngx_ors_test_request.h>
      "found string \"???\"" },
#include <ngx_ors_test_request.h>
    { "{'model':'m','input':[{'type':'acme:x\xc2\x85\\u009f\xc2\xa0'}]}",
#include <ngx_ors_test_request.h>
      "\"input[0].type\" must be \"message\", \"function_call\", "
#include <ngx_ors_test_request.h>
      "\"function_call_output\", \"reasoning\", \"compaction\" or "
#include <ngx_ors_test_request.h>
      "\"item_reference\", found string \"acme:x??\xc2\xa0\"" },
#include <ngx_ors_test_request.h>
    { "{'model':'m','input':'x','truncation':'" SIXTEEN SIXTEEN SIXTEEN
#include <ngx_ors_test_request.h>
      "0123456789abcd\xc3\xa9\\ud83d\\ude00\xc3\xa9'}",
#include <ngx_ors_test_request.h>
      "\"truncation\" must be \"auto\" or \"disabled\", found string \""
#include <ngx_ors_test_request.h>
      SIXTEEN SIXTEEN SIXTEEN
#include <ngx_ors_test_request.h>
      "0123456789abcd\xc3\xa9\xf0\x9f\x98\x80\"" },
#include <ngx_ors_test_request.h>
    { "{'model':'m','input':'x','truncation':'" SIXTEEN SIXTEEN SIXTEEN
#include <ngx_ors_test_request.h>
      "0123456789abcde\\ud83d\\ud83dx'}",
#include <ngx_ors_test_request.h>
      "\"truncation\" must be \"auto\" or \"disabled\", found string \""
#include <ngx_ors_test_request.h>
      SIXTEEN SIXTEEN SIXTEEN "0123456789abcde\xef\xbf\xbd\"" },
#include <ngx_ors_test_request.h>
    { "{'model':'m','input':'x','truncation':'" SIXTEEN SIXTEEN SIXTEEN
#include <ngx_ors_test_request.h>
      "0123456789abcde\\ud83d\\u0cde'}",
#include <ngx_ors_test_request.h>
      "\"truncation\" must be \"auto\" or \"disabled\", found string \""
#include <ngx_ors_test_request.h>
      SIXTEEN SIXTEEN SIXTEEN "0123456789abcde\xef\xbf\xbd\"" },
#include <ngx_ors_test_request.h>
    { "{'model':'m','input':'x',"
#include <ngx_ors_test_request.h>
      "'tool_choice':{'type':'allowed_tools','tools':[]}}",
#include <ngx_ors_test_request.h>
      "\"tool_choice.tools\" must have at least 1 element, found 0" },
#include <ngx_ors_test_request.h>
    { "{'model':'m','input':'x','tools':[{'type':'function','name':'a.b'}]}",
#include <ngx_ors_test_request.h>
      "\"tools[0].name\" must consist of letters, digits, \"_\" and \"-\", "
#include <ngx_ors_test_request.h>
      "found string \"a.b\"" },
#include <ngx_ors_test_request.h>
    { "{'model':'m','input':'x','tools':[{'type':'function','name':''}]}",
#include <ngx_ors_test_request.h>
      "\"tools[0].name\" must not be empty" },
#include <ngx_ors_test_request.h>
    { "{'model':'m','input':'x','user':1,'metadata':{'\\u0001\xc3\xa9':5}}",
#include <ngx_ors_test_request.h>
      "\"metadata.?\xc3\xa9\" must be a string, found number 5" },
#include <ngx_ors_test_request.h>
    { "{'model':'m','input':'x','input':'y'}",
#include <ngx_ors_test_request.h>
      "\"input\" is given more than once" },
#include <ngx_ors_test_request.h>
    { "{'model':'m','input':[[[[[[[[[[[]]]]]]]]]]]}",
#include <ngx_ors_test_request.h>
      "the body has more than 10 levels of nesting at byte 30" },
#include <ngx_ors_test_request.h>
    { NULL, NULL }
#include <ngx_ors_test_request.h>
};
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
int
#include <ngx_ors_test_request.h>
main(void)
#include <ngx_ors_test_request.h>
{
#include <ngx_ors_test_request.h>
    test_table(bodies, "%s", "");
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    test_found();
#include <ngx_ors_test_request.h>
    test_model();
#include <ngx_ors_test_request.h>
    test_limits();
#include <ngx_ors_test_request.h>
    test_names();
#include <ngx_ors_test_request.h>
    test_messages();
#include <ngx_ors_test_request.h>
    test_memory();
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    return done_testing();
#include <ngx_ors_test_request.h>
}
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
static void
#include <ngx_ors_test_request.h>
test_found(void)
#include <ngx_ors_test_request.h>
{
#include <ngx_ors_test_request.h>
    char                all[2048], *p;
#include <ngx_ors_test_request.h>
    ngx_str_t           name;
#include <ngx_ors_test_request.h>
    ngx_uint_t          i;
#include <ngx_ors_test_request.h>
    ngx_pool_t         *pool;
#include <ngx_ors_test_request.h>
    ngx_ors_error_t     err;
#include <ngx_ors_test_request.h>
    ngx_ors_request_t   req;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    pool = ngx_ors_test_pool();
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    is_int(sizeof(values) / sizeof(char *), ngx_ors_rq_n, "all fields");
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    p = all;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    for (i = 0; i < ngx_ors_rq_n; i++) {
#include <ngx_ors_test_request.h>
        p += sprintf(p, "%c%s", i ? ',' : '{', values[i]);
#include <ngx_ors_test_request.h>
    }
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    sprintf(p, "}");
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    is_int(read_text(all, pool, &req, &err), NGX_OK, "all at once");
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    for (i = 0; i < ngx_ors_rq_n; i++) {
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
        if (req.field[i] == NULL) {
#include <ngx_ors_test_request.h>
            fail("%s is found", values[i]);
#include <ngx_ors_test_request.h>
            continue;
#include <ngx_ors_test_request.h>
        }
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
        /* the name is right before the value */
#include <ngx_ors_test_request.h>
        ngx_ors_json_raw(&req.json, req.field[i] - 1, &name);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
        is_mem(values[i] + 1, strchr(values[i] + 1, '\'') - values[i] - 1,
#include <ngx_ors_test_request.h>
               name.data, name.len, "%s is found", values[i]);
#include <ngx_ors_test_request.h>
    }
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    is_int(req.stream, 1, "a stream is asked for");
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    read_text("{'model':'m','input':'x','stream':false,'store':null}", pool,
#include <ngx_ors_test_request.h>
              &req, &err);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    is_int(req.stream, 0, "no stream is asked for");
#include <ngx_ors_test_request.h>
    ok(req.field[ngx_ors_rq_stream] != NULL, "false is there");
#include <ngx_ors_test_request.h>
    ok(req.field[ngx_ors_rq_store] == NULL, "null is not");
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    read_text("{'model':'m','input':'x'}", pool, &req, &err);
#include <ngx_ors_test_request.h>
    is_int(req.stream, 0, "no word about a stream");
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    ngx_destroy_pool(pool);
#include <ngx_ors_test_request.h>
}
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
static void
#include <ngx_ors_test_request.h>
test_model(void)
#include <ngx_ors_test_request.h>
{
#include <ngx_ors_test_request.h>
    ngx_pool_t         *pool;
#include <ngx_ors_test_request.h>
    ngx_ors_error_t     err;
#include <ngx_ors_test_request.h>
    ngx_ors_request_t   req;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    pool = ngx_ors_test_pool();
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    read_text("{'model':'gpt-5','input':'x'}", pool, &req, &err);
#include <ngx_ors_test_request.h>
    is_str(&req.model, "gpt-5", "model");
#include <ngx_ors_test_request.h>
    ok(req.model.data == req.json.text + 10, "it is not copied");
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    read_text("{'model':'a\\/b\\u00e9\\ud83d','input':'x'}", pool, &req, &err);
#include <ngx_ors_test_request.h>
    is_str(&req.model, "a/b\xc3\xa9\xef\xbf\xbd", "model with escapes");
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    ngx_destroy_pool(pool);
#include <ngx_ors_test_request.h>
}
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
static void
#include <ngx_ors_test_request.h>
test_limits(void)
#include <ngx_ors_test_request.h>
{
#include <ngx_ors_test_request.h>
    test_t              test;
#include <ngx_ors_test_request.h>
    ngx_uint_t          items, nodes, tools;
#include <ngx_ors_test_request.h>
    ngx_pool_t         *pool;
#include <ngx_ors_test_request.h>
    ngx_ors_error_t     err;
#include <ngx_ors_test_request.h>
    ngx_ors_request_t   req;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    items = limits.items;
#include <ngx_ors_test_request.h>
    tools = limits.tools;
#include <ngx_ors_test_request.h>
    nodes = limits.nodes;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    limits.items = 2;
#include <ngx_ors_test_request.h>
    limits.tools = 1;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    test.text = "{'role':'user','content':'x'},{'role':'user','content':[]}";
#include <ngx_ors_test_request.h>
    test.code = NULL;
#include <ngx_ors_test_request.h>
    test_one(&test, "{'model':'m','input':[%s]}", "");
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    test.code = "array_above_max_length";
#include <ngx_ors_test_request.h>
    test.param = "input";
#include <ngx_ors_test_request.h>
    test_one(&test, "{'model':'m','input':[%s,{'role':'user','content':''}]}",
#include <ngx_ors_test_request.h>
             "");
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    test.text = "{'type':'x'}";
#include <ngx_ors_test_request.h>
    test.code = NULL;
#include <ngx_ors_test_request.h>
    test_one(&test, "{'model':'m','input':'x','tools':[%s]}", "");
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    test.code = "array_above_max_length";
#include <ngx_ors_test_request.h>
    test.param = "tools";
#include <ngx_ors_test_request.h>
    test_one(&test, "{'model':'m','input':'x','tools':[%s,{'type':'x'}]}", "");
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    /* the root and two pairs */
#include <ngx_ors_test_request.h>
    limits.nodes = 5;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    test.text = "'model':'m','input':'x'";
#include <ngx_ors_test_request.h>
    test.code = NULL;
#include <ngx_ors_test_request.h>
    test_one(&test, "{%s}", "");
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    limits.nodes = 4;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    test.code = "invalid_json";
#include <ngx_ors_test_request.h>
    test.param = "";
#include <ngx_ors_test_request.h>
    test_one(&test, "{%s}", "");
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    pool = ngx_ors_test_pool();
#include <ngx_ors_test_request.h>
    read_text("{'model':'m','input':'x'}", pool, &req, &err);
#include <ngx_ors_test_request.h>
    is_str(&err.message, "the body has more than 4 values at byte 21",
#include <ngx_ors_test_request.h>
           "message for too many values");
#include <ngx_ors_test_request.h>
    ngx_destroy_pool(pool);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    limits.items = items;
#include <ngx_ors_test_request.h>
    limits.tools = tools;
#include <ngx_ors_test_request.h>
    limits.nodes = nodes;
#include <ngx_ors_test_request.h>
}
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
static void
#include <ngx_ors_test_request.h>
test_names(void)
#include <ngx_ors_test_request.h>
{
#include <ngx_ors_test_request.h>
    char    name[2];
#include <ngx_ors_test_request.h>
    u_char  ch;
#include <ngx_ors_test_request.h>
    test_t  test;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    name[1] = '\0';
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    for (ch = 0x20; ch < 0x7f; ch++) {
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
        if (ch == '\'' || ch == '"' || ch == '\\') {
#include <ngx_ors_test_request.h>
            continue;
#include <ngx_ors_test_request.h>
        }
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
        name[0] = ch;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
        test.text = name;
#include <ngx_ors_test_request.h>
        test.param = "tools[0].name";
#include <ngx_ors_test_request.h>
        test.code = ((ch >= '0' && ch <= '9') || (ch >= 'A' && ch <= 'Z')
#include <ngx_ors_test_request.h>
                     || (ch >= 'a' && ch <= 'z') || ch == '_' || ch == '-')
#include <ngx_ors_test_request.h>
                    ? NULL : "invalid_value";
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
        test_one(&test, "{'model':'m','input':'x','tools':"
#include <ngx_ors_test_request.h>
                 "[{'type':'function','name':'%s'}]}", "");
#include <ngx_ors_test_request.h>
    }
#include <ngx_ors_test_request.h>
}
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
static void
#include <ngx_ors_test_request.h>
test_messages(void)
#include <ngx_ors_test_request.h>
{
#include <ngx_ors_test_request.h>
    message_t          *m;
#include <ngx_ors_test_request.h>
    ngx_pool_t         *pool;
#include <ngx_ors_test_request.h>
    ngx_ors_error_t     err;
#include <ngx_ors_test_request.h>
    ngx_ors_request_t   req;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    for (m = messages; m->text; m++) {
#include <ngx_ors_test_request.h>
        pool = ngx_ors_test_pool();
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
        read_text(m->text, pool, &req, &err);
#include <ngx_ors_test_request.h>
        is_str(&err.message, m->message, "message for %s", m->text);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
        ngx_destroy_pool(pool);
#include <ngx_ors_test_request.h>
    }
#include <ngx_ors_test_request.h>
}
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
static void
#include <ngx_ors_test_request.h>
test_memory(void)
#include <ngx_ors_test_request.h>
{
#include <ngx_ors_test_request.h>
    char               *text;
#include <ngx_ors_test_request.h>
    ngx_int_t           rc;
#include <ngx_ors_test_request.h>
    ngx_str_t           body;
#include <ngx_ors_test_request.h>
    ngx_uint_t          i, n, bad;
#include <ngx_ors_test_request.h>
    ngx_pool_t         *pool;
#include <ngx_ors_test_request.h>
    ngx_ors_error_t     err;
#include <ngx_ors_test_request.h>
    ngx_ors_request_t   req;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    pool = ngx_ors_test_pool();
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    text = "{\"model\":\"\\u0061\",\"input\":[{\"role\":\"user\","
#include <ngx_ors_test_request.h>
           "\"content\":[{\"type\":\"input_text\",\"text\":5}]}]}";
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    body.data = (u_char *) text;
#include <ngx_ors_test_request.h>
    body.len = ngx_strlen(text);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    for (i = 0; i < 2; i++) {
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
        for (n = 1, bad = 0; ; n++) {
#include <ngx_ors_test_request.h>
            ngx_memzero(&err, sizeof(ngx_ors_error_t));
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
            ngx_ors_test_fail_after(n);
#include <ngx_ors_test_request.h>
            rc = ngx_ors_test_request(&req, &body, &limits, pool, &err);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
            if (!ngx_ors_test_failed()) {
#include <ngx_ors_test_request.h>
                break;
#include <ngx_ors_test_request.h>
            }
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
            /* a message that has no memory is replaced by another one */
#include <ngx_ors_test_request.h>
            bad += (rc != NGX_ERROR
#include <ngx_ors_test_request.h>
                    && (rc != NGX_DECLINED || err.message.len == 0));
#include <ngx_ors_test_request.h>
        }
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
        ngx_ors_test_fail_after(0);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
        ok(n > 1 && bad == 0, "no memory is an error, %d times", (int) n - 1);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
        text = "{\"model\":\"\\u0061\",\"input\":[{\"role\":\"user\","
#include <ngx_ors_test_request.h>
               "\"content\":[{\"type\":\"input_text\",\"text\":\"5\"}]}]}";
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
        body.data = (u_char *) text;
#include <ngx_ors_test_request.h>
        body.len = ngx_strlen(text);
#include <ngx_ors_test_request.h>
    }
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    n = ngx_ors_test_allocs();
#include <ngx_ors_test_request.h>
    ngx_ors_json_init(&req.json, pool, limits.depth, limits.nodes);
#include <ngx_ors_test_request.h>
    ngx_ors_json_read(&req.json, body.data, body.len);
#include <ngx_ors_test_request.h>
    n = ngx_ors_test_allocs() - n;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    i = ngx_ors_test_allocs();
#include <ngx_ors_test_request.h>
    ngx_ors_test_request(&req, &body, &limits, pool, &err);
#include <ngx_ors_test_request.h>
    i = ngx_ors_test_allocs() - i;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    is_int(i, n + 1, "checking allocates for an escaped model only");
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    ngx_destroy_pool(pool);
#include <ngx_ors_test_request.h>
}
#include <ngx_ors_test_request.h>
