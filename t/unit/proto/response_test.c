
/*
 * Copyright (C) Open Responses contributors
 */


/* The response object: 31 fields, whatever the request and the state. */


#include <ngx_ors_test.h>
#include <ngx_ors_fields.h>
#include <ngx_ors_json.h>
#include <ngx_ors_response.h>
#include <ngx_ors_test_request.h>


typedef struct {
    const char   *request;    /* fields after model and input */
    const char   *field;
    const char   *value;      /* ' stands for " in all of them */
} echo_t;


static void test_echoes(echo_t *echo, ngx_uint_t profiles);
static void test_every_field(void);
static void test_states(void);
static void test_items(void);
static void test_error(void);
static void test_long(void);
static void test_no_memory(void);
static void setup(const char *request);
static void render(void);
static ngx_ors_json_node_t *field(const char *name);
static void is_field(const char *name, const char *value, const char *label);
static void is_valid(const char *label);
static ngx_ors_item_t *item(ngx_ors_item_type_e type,
    ngx_ors_item_status_e status, const char *id);
static ngx_ors_part_t *part(ngx_ors_item_t *to, ngx_ors_part_type_e type,
    const char *text);
static char *quotes(const char *s);


static const char  *names[] = {
    "id", "object", "created_at", "completed_at", "status",
    "incomplete_details", "model", "previous_response_id", "instructions",
    "output", "error", "tools", "tool_choice", "truncation",
    "parallel_tool_calls", "text", "top_p", "presence_penalty",
    "frequency_penalty", "top_logprobs", "temperature", "reasoning", "usage",
    "max_output_tokens", "max_tool_calls", "store", "background",
    "service_tier", "metadata", "safety_identifier", "prompt_cache_key"
};

#define NAMES  (sizeof(names) / sizeof(names[0]))


static echo_t  echoes[] = {

    /* absent */

    { "", "model", "'m'" },
    { "", "previous_response_id", "null" },
    { "", "instructions", "null" },
    { "", "tools", "[]" },
    { "", "tool_choice", "'auto'" },
    { "", "truncation", "'disabled'" },
    { "", "parallel_tool_calls", "true" },
    { "", "text", "{'format':{'type':'text'}}" },
    { "", "top_p", "1" },
    { "", "presence_penalty", "0" },
    { "", "frequency_penalty", "0" },
    { "", "top_logprobs", "0" },
    { "", "temperature", "1" },
    { "", "reasoning", "null" },
    { "", "max_output_tokens", "null" },
    { "", "max_tool_calls", "null" },
    { "", "store", "false" },
    { "", "background", "false" },
    { "", "service_tier", "'default'" },
    { "", "metadata", "{}" },
    { "", "safety_identifier", "null" },
    { "", "prompt_cache_key", "null" },

    /* null */

    { "'instructions':null", "instructions", "null" },
    { "'tools':null", "tools", "[]" },
    { "'tool_choice':null", "tool_choice", "'auto'" },
    { "'truncation':null", "truncation", "'disabled'" },
    { "'parallel_tool_calls':null", "parallel_tool_calls", "true" },
    { "'text':null", "text", "{'format':{'type':'text'}}" },
    { "'top_p':null", "top_p", "1" },
    { "'presence_penalty':null", "presence_penalty", "0" },
    { "'frequency_penalty':null", "frequency_penalty", "0" },
    { "'top_logprobs':null", "top_logprobs", "0" },
    { "'temperature':null", "temperature", "1" },
    { "'reasoning':null", "reasoning", "null" },
    { "'max_output_tokens':null", "max_output_tokens", "null" },
    { "'max_tool_calls':null", "max_tool_calls", "null" },
    { "'store':null", "store", "false" },
    { "'background':null", "background", "false" },
    { "'service_tier':null", "service_tier", "'default'" },
    { "'metadata':null", "metadata", "{}" },
    { "'safety_identifier':null", "safety_identifier", "null" },
    { "'prompt_cache_key':null", "prompt_cache_key", "null" },

    /* set: numbers and strings go back as they were written */

    { "'instructions':'a\\n\\u00e9'", "instructions", "'a\\n\\u00e9'" },
    { "'instructions':''", "instructions", "''" },
    { "'truncation':'auto'", "truncation", "'auto'" },
    { "'parallel_tool_calls':false", "parallel_tool_calls", "false" },
    { "'top_p':0.70", "top_p", "0.70" },
    { "'presence_penalty':-1.5e0", "presence_penalty", "-1.5e0" },
    { "'frequency_penalty':2", "frequency_penalty", "2" },
    { "'top_logprobs':20", "top_logprobs", "20" },
    { "'temperature':0", "temperature", "0" },
    { "'max_output_tokens':16", "max_output_tokens", "16" },
    { "'max_tool_calls':1", "max_tool_calls", "1" },
    { "'service_tier':'flex'", "service_tier", "'flex'" },
    { "'metadata':{'a':'b','c':''}", "metadata", "{'a':'b','c':''}" },

    /* an event has its data on one line */

    { "'metadata':\n{\n 'a': 'b',\r\n\t'c':''\r}\n", "metadata",
      "{ 'a': 'b',\t'c':''}" },
    { "'tools':[\n{'type':'function','name':'f','parameters':{\n'a':\r1}}]",
      "tools", "[{'type':'function','name':'f','description':null,"
      "'parameters':{'a':1},'strict':null}]" },
    { "'safety_identifier':'s'", "safety_identifier", "'s'" },
    { "'prompt_cache_key':'k'", "prompt_cache_key", "'k'" },

    /* work that is not done is not said to be done */

    { "'store':true", "store", "false" },
    { "'background':false", "background", "false" },

    /* tools have five keys */

    { "'tools':[]", "tools", "[]" },
    { "'tools':[{'type':'function','name':'f'}]", "tools",
      "[{'type':'function','name':'f','description':null,"
      "'parameters':null,'strict':null}]" },
    { "'tools':[{'strict':true,'x':1,'parameters':{'type':'object'},"
      "'description':'d','name':'f','type':'function'},"
      "{'type':'function','name':'g','description':null,'parameters':null,"
      "'strict':null}]", "tools",
      "[{'type':'function','name':'f','description':'d',"
      "'parameters':{'type':'object'},'strict':true},"
      "{'type':'function','name':'g','description':null,"
      "'parameters':null,'strict':null}]" },
    { "'tools':[{'type':'function','function':{'parameters':{'a' : 1},"
      "'name':'f'}}]", "tools",
      "[{'type':'function','name':'f','description':null,"
      "'parameters':{'a' : 1},'strict':null}]" },
    { "'tools':[{'type':'web_search'},{'type':'function','name':'f',"
      "'strict':false},{'type':'x:y'}]", "tools",
      "[{'type':'function','name':'f','description':null,"
      "'parameters':null,'strict':false}]" },

    /* choices */

    { "'tool_choice':'none'", "tool_choice", "'none'" },
    { "'tool_choice':'required'", "tool_choice", "'required'" },
    { "'tools':[{'type':'function','name':'f'}],"
      "'tool_choice':{'type':'function','name':'f','x':1}", "tool_choice",
      "{'type':'function','name':'f'}" },
    { "'tool_choice':{'type':'function','function':{'name':'f'}}",
      "tool_choice", "{'type':'function','name':'f'}" },
    { "'tool_choice':{'type':'allowed_tools','tools':[{'type':'function',"
      "'function':{'name':'f','x':1}},{'type':'function','name':'g'}]}",
      "tool_choice", "{'type':'allowed_tools','tools':[{'type':'function',"
      "'name':'f'},{'type':'function','name':'g'}],'mode':'auto'}" },
    { "'tools':[{'type':'function','name':'f'}],"
      "'tool_choice':{'type':'allowed_tools','tools':"
      "[{'type':'function','name':'f'}]}", "tool_choice",
      "{'type':'allowed_tools','tools':[{'type':'function','name':'f'}],"
      "'mode':'auto'}" },
    { "'tools':[{'type':'function','name':'f'}],"
      "'tool_choice':{'mode':null,'type':'allowed_tools','tools':"
      "[{'type':'function','name':'f'}]}", "tool_choice",
      "{'type':'allowed_tools','tools':[{'type':'function','name':'f'}],"
      "'mode':'auto'}" },
    { "'tools':[{'type':'function','name':'f'}],"
      "'tool_choice':{'type':'allowed_tools','mode':'required','x':{},"
      "'tools':[{'type':'function','name':'f'}]}", "tool_choice",
      "{'type':'allowed_tools','tools':[{'type':'function','name':'f'}],"
      "'mode':'required'}" },

    /* text */

    { "'text':{}", "text", "{'format':{'type':'text'}}" },
    { "'text':{'format':null}", "text", "{'format':{'type':'text'}}" },
    { "'text':{'format':{'type':'text'}}", "text",
      "{'format':{'type':'text'}}" },
    { "'text':{'verbosity':'low'}", "text",
      "{'format':{'type':'text'},'verbosity':'low'}" },
    { "'text':{'verbosity':null}", "text", "{'format':{'type':'text'}}" },
    { "'text':{'format':{'type':'json_object'},'verbosity':'high'}", "text",
      "{'format':{'type':'json_object'},'verbosity':'high'}" },
    { "'text':{'format':{'type':'json_schema','name':'n','schema':{'a':1},"
      "'description':'d','strict':true}}", "text",
      "{'format':{'type':'json_schema','name':'n','description':'d',"
      "'strict':true,'schema':null}}" },
    { "'text':{'format':{'type':'json_schema','name':'n','schema':{},"
      "'description':null,'strict':null}}", "text",
      "{'format':{'type':'json_schema','name':'n','description':null,"
      "'strict':false,'schema':null}}" },
    { "'text':{'format':{'type':'json_schema','schema':{}}}", "text",
      "{'format':{'type':'json_schema','name':'response',"
      "'description':null,'strict':false,'schema':null}}" },

    /* reasoning */

    { "'reasoning':{}", "reasoning", "{'effort':null,'summary':null}" },
    { "'reasoning':{'effort':null,'summary':null}", "reasoning",
      "{'effort':null,'summary':null}" },
    { "'reasoning':{'effort':'high'}", "reasoning",
      "{'effort':'high','summary':null}" },
    { "'reasoning':{'summary':'auto'}", "reasoning",
      "{'effort':null,'summary':'auto'}" },
    { "'reasoning':{'effort':'minimal','summary':'concise'}", "reasoning",
      "{'effort':null,'summary':'concise'}" },

    { NULL, NULL, NULL }
};


/* fields that only the flavor "openai" takes go back to its clients */

static echo_t  echoes_openai[] = {
    { "'reasoning':{'effort':'max','context':'all_turns'}", "reasoning",
      "{'effort':'max','summary':null}" },
    { "'reasoning':{'effort':'minimal'}", "reasoning",
      "{'effort':'minimal','summary':null}" },
    { "'reasoning':{'generate_summary':'auto','mode':'pro'}", "reasoning",
      "{'effort':null,'summary':null}" },
    { "'service_tier':'scale'", "service_tier", "'scale'" },
    { "'include':['web_search_call.results'],'truncation':null",
      "truncation", "'disabled'" },
    { "'tools':[{'type':'custom','name':'f'},{'type':'function','name':'g',"
      "'async':true,'output_schema':{}},{'type':'web_search'}]", "tools",
      "[{'type':'custom','name':'f'},{'type':'function','name':'g',"
      "'description':null,'parameters':null,'strict':null},"
      "{'type':'web_search'}]" },
    { "'tool_choice':{'type':'web_search'}", "tool_choice",
      "{'type':'web_search'}" },
    { "'tool_choice':{'type':'custom','name':'f'}", "tool_choice",
      "{'type':'custom','name':'f'}" },
    { "'tool_choice':{'type':'function','name':'f','namespace':'n'}",
      "tool_choice", "{'type':'function','name':'f','namespace':'n'}" },
    { "'tool_choice':{'type':'mcp','server_label':'l'}", "tool_choice",
      "{'type':'mcp','server_label':'l'}" },
    { "'tool_choice':{'type':'allowed_tools','tools':["
      "{'type':'mcp','server_label':'l'},{'type':'function','name':'f'}]}",
      "tool_choice",
      "{'type':'allowed_tools','tools':[{'type':'mcp','server_label':'l'},"
      "{'type':'function','name':'f'}],'mode':'auto'}" },
    { "'text':{'format':{'type':'json_object'}}", "text",
      "{'format':{'type':'json_object'}}" },
    { "'conversation':'c','prompt':{},'user':'u','client_metadata':{}",
      "metadata", "{}" },
    { NULL, NULL, NULL }
};


static ngx_ors_limits_t     limits = limits_default();

static ngx_pool_t          *pool;
static u_char              *body;
static ngx_ors_error_t      err;
static ngx_ors_request_t    request;
static ngx_ors_response_t   resp;

static u_char               text[65536];
static size_t               len;
static ngx_ors_json_t       json;


int
main(void)
{
    test_echoes(echoes, NGX_ORS_TOLERANT_SPEC);
    test_echoes(echoes_openai, NGX_ORS_IN_OPENAI);

    ngx_ors_test_policy.profile = NGX_ORS_TOLERANT_SPEC;

    test_every_field();
    test_states();
    test_items();
    test_error();
    test_long();
    test_no_memory();

    return done_testing();
}


/* whatever came, the answer is good in the strict profile of the flavor */

static void
test_echoes(echo_t *echo, ngx_uint_t profiles)
{
    ngx_uint_t  n;

    for ( /* void */ ; echo->request; echo++) {
        for (n = 0; n < 4; n++) {

            if (!(profiles & (1 << n))) {
                continue;
            }

            ngx_ors_test_policy.profile = 1 << n;

            setup(echo->request);
            render();

            is_field(echo->field, echo->value,
                     echo->request[0] ? echo->request : "nothing");
            is_valid(echo->request);

            ngx_destroy_pool(pool);
            free(body);
        }
    }
}


/* each once, in all states */

static void
test_every_field(void)
{
    ngx_uint_t            i, n, s, found;
    ngx_ors_json_node_t  *key;

    static const char  *requests[] = {
        "",
        "'instructions':'i','tools':[{'type':'function','name':'f'}],"
        "'tool_choice':'auto','metadata':{},'text':{},'temperature':1,"
        "'top_p':1,'presence_penalty':0,'frequency_penalty':0,"
        "'parallel_tool_calls':true,'stream':true,'stream_options':{},"
        "'background':false,'max_output_tokens':100,'max_tool_calls':3,"
        "'reasoning':{},'safety_identifier':'s','prompt_cache_key':'p',"
        "'truncation':'auto','store':true,'service_tier':'auto',"
        "'top_logprobs':2,'include':[]",
        "'instructions':null,'tools':null,'tool_choice':null,"
        "'metadata':null,'text':null,'temperature':null,'top_p':null,"
        "'presence_penalty':null,'frequency_penalty':null,"
        "'parallel_tool_calls':null,'stream':null,'stream_options':null,"
        "'background':null,'max_output_tokens':null,'max_tool_calls':null,"
        "'reasoning':null,'safety_identifier':null,'prompt_cache_key':null,"
        "'truncation':null,'store':null,'service_tier':null,"
        "'top_logprobs':null,'include':null,'previous_response_id':null"
    };

    for (i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
        for (s = 0; s <= ngx_ors_response_failed; s++) {
            setup(requests[i]);
            resp.status = s;
            render();

            found = 0;

            for (n = 0; n < NAMES; n++) {
                for (key = ngx_ors_json_first(&json, json.nodes);
                     key;
                     key = ngx_ors_json_next(&json, key))
                {
                    found += ngx_ors_json_equal(&json, key,
                                                (u_char *) names[n],
                                                strlen(names[n]));
                }
            }

            is_int(found, NAMES, "request %d, status %d: fields", (int) i,
                   (int) s);
            is_int(json.nodes->count, 31, "request %d, status %d: 31",
                   (int) i, (int) s);

            ngx_destroy_pool(pool);
            free(body);
        }
    }
}


static void
test_states(void)
{
    setup("");
    render();

    is_field("id", "'resp_1'", "in progress");
    is_field("object", "'response'", "in progress");
    is_field("created_at", "1700000000", "in progress");
    is_field("completed_at", "null", "in progress");
    is_field("status", "'in_progress'", "in progress");
    is_field("output", "[]", "in progress");
    is_field("error", "null", "in progress");
    is_field("incomplete_details", "null", "in progress");
    is_field("usage", "null", "in progress");

    resp.status = ngx_ors_response_completed;
    resp.completed_at = 1700000005;
    render();

    is_field("completed_at", "1700000005", "completed");
    is_field("status", "'completed'", "completed");
    is_field("error", "null", "completed");
    is_field("incomplete_details", "null", "completed");
    is_field("usage", "{'input_tokens':0,'input_tokens_details':"
             "{'cached_tokens':0},'output_tokens':0,'output_tokens_details':"
             "{'reasoning_tokens':0},'total_tokens':0}", "completed, unknown");

    resp.usage.known = 1;
    resp.usage.input = 8;
    resp.usage.cached = 7;
    resp.usage.output = 4294967296;
    resp.usage.reasoning = 5;
    resp.usage.total = 4294967304;
    render();

    is_field("usage", "{'input_tokens':8,'input_tokens_details':"
             "{'cached_tokens':7},'output_tokens':4294967296,"
             "'output_tokens_details':{'reasoning_tokens':5},"
             "'total_tokens':4294967304}", "completed");

    resp.status = ngx_ors_response_incomplete;
    render();

    is_field("status", "'incomplete'", "incomplete");
    is_field("completed_at", "null", "incomplete");
    is_field("incomplete_details", "{'reason':'max_output_tokens'}",
             "incomplete");
    is_field("error", "null", "incomplete");

    resp.status = ngx_ors_response_failed;
    resp.usage.known = 0;
    render();

    is_field("status", "'failed'", "failed");
    is_field("completed_at", "null", "failed");
    is_field("incomplete_details", "null", "failed");
    is_field("error", "{'code':'c\\'d','message':'a\\nb\\\\\xef\xbf\xbd'}",
             "failed");
    is_field("usage", "null", "failed, unknown");

    resp.usage.known = 1;
    render();

    ok(field("usage")->type == ngx_ors_json_object, "failed, usage known");

    ngx_destroy_pool(pool);
    free(body);
}


static void
test_items(void)
{
    ngx_ors_item_t  *it;

    setup("");

    it = item(ngx_ors_item_reasoning, ngx_ors_item_completed, "rs_1");
    part(it, ngx_ors_part_summary_text, "h\\nm");

    it = item(ngx_ors_item_message, ngx_ors_item_completed, "msg_2");
    part(it, ngx_ors_part_output_text, "a");
    part(it, ngx_ors_part_refusal, "b");
    part(it, ngx_ors_part_output_text, "");

    it = item(ngx_ors_item_function_call, ngx_ors_item_completed, "fc_3");
    ngx_str_set(&it->call_id, "call_4");
    ngx_str_set(&it->name, "f");
    ngx_ors_text_append(&it->arguments, pool, (u_char *) "{\\\"x\\\":", 7);
    ngx_ors_text_append(&it->arguments, pool, (u_char *) "1}", 2);

    it = item(ngx_ors_item_call_output, ngx_ors_item_completed, "fco_4");
    ngx_str_set(&it->call_id, "call_4");
    ngx_ors_text_append(&it->output, pool, (u_char *) "{\\\"y\\\":2}", 9);

    item(ngx_ors_item_message, ngx_ors_item_in_progress, "msg_5");
    item(ngx_ors_item_reasoning, ngx_ors_item_incomplete, "rs_6");

    render();

    /* C28: without the item in progress, the others in their order */

    is_field("output",
             "[{'type':'reasoning','id':'rs_1','status':'completed',"
             "'summary':[{'type':'summary_text','text':'h\\nm'}]},"
             "{'type':'message','id':'msg_2','status':'completed',"
             "'role':'assistant','content':[{'type':'output_text',"
             "'text':'a','annotations':[],'logprobs':[]},"
             "{'type':'refusal','refusal':'b'},{'type':'output_text',"
             "'text':'','annotations':[],'logprobs':[]}]},"
             "{'type':'function_call','id':'fc_3','status':'completed',"
             "'call_id':'call_4','name':'f','arguments':"
             "'{\\'x\\':1}'},"
             "{'type':'function_call_output','id':'fco_4',"
             "'status':'completed','call_id':'call_4',"
             "'output':'{\\'y\\':2}'},"
             "{'type':'reasoning','id':'rs_6','status':'incomplete',"
             "'summary':[]}]", "items");

    ngx_destroy_pool(pool);
    free(body);
}


static void
test_error(void)
{
    ngx_ors_out_t   out;
    ngx_chain_t    *cl;

    setup("");
    ngx_ors_out_init(&out, pool, 4096);

    ngx_ors_error_set(&err, pool, ngx_ors_code_invalid_value, "\"x\" \n\t\\ %s",
                      "\xc3\xa9\xff");
    ngx_str_set(&err.param, "input[0].\"k\"");

    ngx_ors_error_render(&out, &err);
    ngx_ors_out_take(&out, &cl);

    is_chain(cl, "{\"type\":\"invalid_request\",\"code\":\"invalid_value\","
             "\"message\":\"\\\"x\\\" \\n\\t\\\\ \xc3\xa9\xef\xbf\xbd\","
             "\"param\":\"input[0].\\\"k\\\"\"}", "error");

    ngx_str_null(&err.param);
    ngx_ors_error_render(&out, &err);
    ngx_ors_out_take(&out, &cl);

    is_int(ngx_ors_json_read(&json, cl->buf->pos,
                             cl->buf->last - cl->buf->pos),
           NGX_OK, "error without param");
    ok(field("param")->type == ngx_ors_json_string
       && field("param")->len == 0, "param is a string");

    ngx_destroy_pool(pool);
    free(body);
}


/* long text of the request and of items is referred to, not copied */

static void
test_long(void)
{
    char            *long_request;
    u_char          *p;
    size_t           i, n;
    ngx_chain_t     *cl;
    ngx_uint_t       refs;
    ngx_ors_out_t    out;
    ngx_ors_item_t  *it;

    long_request = malloc(20000);
    n = sprintf(long_request, "'instructions':'");

    for (i = 0; i < 10000; i++) {
        long_request[n++] = 'i';
    }

    strcpy(long_request + n, "'");

    setup(long_request);
    free(long_request);

    it = item(ngx_ors_item_message, ngx_ors_item_completed, "msg_1");
    part(it, ngx_ors_part_output_text, "");

    for (i = 0; i < 100; i++) {
        ngx_ors_text_append(&it->last->text, pool,
                            (u_char *) "0123456789012345678901234567890123456"
                            "789012345678901234567890123456789", 70);
    }

    ngx_ors_out_init(&out, pool, 4096);
    ngx_ors_response_render(&out, &resp);
    n = out.size;
    ngx_ors_out_take(&out, &cl);

    refs = 0;
    len = 0;

    for ( /* void */ ; cl; cl = cl->next) {
        p = cl->buf->pos;

        if (p > body && p < body + 12000) {
            refs++;
        }

        ngx_memcpy(text + len, p, cl->buf->last - p);
        len += cl->buf->last - p;
    }

    is_int(len, n, "long: size");
    is_int(refs, 1, "long: refers to the request");
    is_int(ngx_ors_json_read(&json, text, len), NGX_OK, "long: JSON");
    is_int(field("instructions")->len, 10000, "long: instructions");

    ngx_destroy_pool(pool);
    free(body);
}


static void
test_no_memory(void)
{
    ngx_uint_t       n, bad;
    ngx_chain_t     *cl;
    ngx_ors_out_t    out;

    setup("'tools':[{'type':'function','name':'f'}]");
    part(item(ngx_ors_item_message, ngx_ors_item_completed, "msg_1"),
         ngx_ors_part_output_text, "a");

    bad = 0;

    for (n = 1; n < 1000; n++) {
        ngx_ors_out_init(&out, pool, 64);
        ngx_ors_test_fail_after(n);
        ngx_ors_response_render(&out, &resp);

        if (ngx_ors_out_take(&out, &cl) != NGX_ERROR) {
            bad += ngx_ors_test_failed();
        }

        if (!ngx_ors_test_failed()) {
            break;
        }
    }

    ngx_ors_test_fail_after(0);

    is_int(bad, 0, "no memory");
    ok(n > 10, "no memory: %d allocations", (int) n - 1);

    ngx_destroy_pool(pool);
    free(body);
}


static void
setup(const char *fields)
{
    char       *all;
    ngx_str_t   s;

    pool = ngx_ors_test_pool();

    all = malloc(strlen(fields) + 64);
    sprintf(all, "{'model':'m','input':'x'%s%s}", fields[0] ? "," : "",
            fields);

    body = (u_char *) quotes(all);
    free(all);

    s.data = body;
    s.len = strlen((char *) body);

    if (ngx_ors_test_request(&request, &s, &limits, pool, &err) != NGX_OK) {
        fail("%s: %.*s", body, (int) err.message.len, err.message.data);
        exit(1);
    }

    ngx_memzero(&resp, sizeof(ngx_ors_response_t));

    ngx_str_set(&resp.id, "resp_1");
    resp.created_at = 1700000000;
    resp.request = &request;
    resp.error = &err;
    ngx_str_set(&resp.reason, "max_output_tokens");

    ngx_memzero(&err, sizeof(ngx_ors_error_t));
    ngx_str_set(&err.code, "c\"d");
    ngx_str_set(&err.message, "a\nb\\\xff");

    ngx_ors_json_init(&json, pool, 64, 100000);
}


static void
render(void)
{
    ngx_chain_t    *cl;
    ngx_ors_out_t   out;

    ngx_ors_out_init(&out, pool, 100);
    ngx_ors_response_render(&out, &resp);

    if (ngx_ors_out_take(&out, &cl) != NGX_OK) {
        fail("render");
    }

    for (len = 0; cl; cl = cl->next) {
        ngx_memcpy(text + len, cl->buf->pos, cl->buf->last - cl->buf->pos);
        len += cl->buf->last - cl->buf->pos;
    }

    if (ngx_ors_json_read(&json, text, len) != NGX_OK) {
        fail("not JSON: %.*s", (int) len, text);
        exit(1);
    }
}


static ngx_ors_json_node_t *
field(const char *name)
{
    ngx_ors_json_node_t  *node;

    node = ngx_ors_json_get(&json, json.nodes, (u_char *) name, strlen(name));

    if (node == NULL) {
        fail("no %s", name);
        exit(1);
    }

    return node;
}


static void
is_field(const char *name, const char *value, const char *label)
{
    char                 *v;
    ngx_str_t             raw;
    ngx_ors_json_node_t  *node;

    v = quotes(value);
    node = field(name);

    ngx_ors_json_raw(&json, node, &raw);

    if (node->type == ngx_ors_json_string) {
        raw.data--;
        raw.len += 2;
    }

    is_str(&raw, v, "%s: %s", label, name);

    free(v);
}


static void
is_valid(const char *label)
{
    ngx_int_t           rc;
    ngx_ors_error_t     error;
    ngx_ors_policy_t    policy;
    ngx_ors_validate_t  v;

    ngx_memzero(&error, sizeof(ngx_ors_error_t));
    ngx_memzero(&policy, sizeof(ngx_ors_policy_t));
    ngx_memzero(&v, sizeof(ngx_ors_validate_t));

    policy.profile = (ngx_ors_test_policy.profile & NGX_ORS_IN_OPENAI)
                     ? NGX_ORS_STRICT_OPENAI : NGX_ORS_STRICT_SPEC;
    policy.unknown = ngx_ors_unknown_reject;

    v.json = &json;
    v.policy = &policy;
    v.root = "the answer";
    v.pool = pool;
    v.err = &error;

    rc = ngx_ors_validate(&v, json.nodes, &ngx_ors_fields_response, NULL);

    if (!is_int(rc, NGX_OK, "%s: a good answer", label)) {
        diag("%.*s", (int) error.message.len, error.message.data);
    }
}


static ngx_ors_item_t *
item(ngx_ors_item_type_e type, ngx_ors_item_status_e status, const char *id)
{
    ngx_ors_item_t  *it;

    it = ngx_pcalloc(pool, sizeof(ngx_ors_item_t));

    it->type = type;
    it->status = status;
    it->id.len = strlen(id);
    it->id.data = (u_char *) id;

    if (resp.last) {
        resp.last->next = it;

    } else {
        resp.items = it;
    }

    resp.last = it;

    return it;
}


static ngx_ors_part_t *
part(ngx_ors_item_t *to, ngx_ors_part_type_e type, const char *s)
{
    ngx_ors_part_t  *p;

    p = ngx_pcalloc(pool, sizeof(ngx_ors_part_t));

    p->type = type;
    ngx_ors_text_append(&p->text, pool, (u_char *) s, strlen(s));

    if (to->last) {
        to->last->next = p;

    } else {
        to->parts = p;
    }

    to->last = p;

    return p;
}


static char *
quotes(const char *s)
{
    char  *copy;

    copy = strdup(s);
    ngx_ors_test_quotes(copy, s, strlen(s));

    return copy;
}
