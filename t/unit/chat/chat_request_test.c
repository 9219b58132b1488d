
/*
 * Copyright (C) Open Responses contributors
 */


/* Parameters and tools of a request: a rule a row, by its number. */


#include <ngx_ors_test.h>
#include <ngx_ors_test_chat.h>
#include <ngx_ors_test_request.h>


/* members added to model and input or messages, with ' for " */

typedef struct {
    char  *name;
    char  *model;
    char  *request;
    char  *chat;
} test_row_t;


static ngx_int_t test_run(ngx_pool_t *pool, test_row_t *row,
    ngx_chain_t **chain, ngx_ors_error_t *err);
static void test_row(test_row_t *row);
static void test_refusal(test_row_t *row);


#define FUNC(name)       "{'type':'function','name':'" name "'}"
#define CHAT_FUNC(name)                                                       \
    "{'type':'function','function':{'name':'" name "',"                      \
    "'parameters':{'type':'object','properties':{}}}}"
#define FORMAT(text)     ",'text':{'format':" text "}"


static test_row_t  rows[] = {

    { "nothing added",
      "m", "", "" },

    { "the model's name is escaped",
      "a\"b", "", "" },

    { "stream with usage",
      "m", ",'stream':true",
      ",'stream':true,'stream_options':{'include_usage':true}" },

    { "no stream",
      "m", ",'stream':false,'stream_options':{'include_obfuscation':true}",
      "" },

    { "E35 numbers keep their digits",
      "m", ",'temperature':0.70,'top_p':1.0,'presence_penalty':-0,"
      "'frequency_penalty':1e-1",
      ",'temperature':0.70,'top_p':1.0,'presence_penalty':-0,"
      "'frequency_penalty':1e-1" },

    { "E34 null is absent",
      "m", ",'temperature':null,'top_p':null,'tools':null,"
      "'tool_choice':null,'text':null,'reasoning':null,'stream':null,"
      "'max_output_tokens':null,'instructions':null,'top_logprobs':null,"
      "'parallel_tool_calls':null,'presence_penalty':null,"
      "'previous_response_id':null,'background':null,'conversation':null,"
      "'prompt':null",
      "" },

    { "E33 what is not sent",
      "m", ",'store':true,'metadata':{'a':'b'},'safety_identifier':'x',"
      "'prompt_cache_key':'y','service_tier':'auto','truncation':'auto',"
      "'include':['odd'],'top_logprobs':0,"
      "'max_tool_calls':3,'text':{'verbosity':'low'},'user':'u',"
      "'background':false",
      "" },

    { "logprobs",
      "m", ",'include':['message.output_text.logprobs']",
      ",'logprobs':true" },

    { "top_logprobs alone", "m", ",'top_logprobs':1", "" },

    { "logprobs of several tokens",
      "m", ",'include':['odd','message.output_text.logpr\\u006fbs'],"
      "'top_logprobs':2",
      ",'logprobs':true,'top_logprobs':2" },

    { "E32 max_tokens",
      "m", ",'max_output_tokens':100", ",'max_tokens':100" },

    { "E32 a whole number in another form",
      "m", ",'max_output_tokens':1e3", ",'max_tokens':1000" },

    { "E32 a number over 63 bits",
      "m", ",'max_output_tokens':99999999999999999999",
      ",'max_tokens':99999999999999999999" },

    { "E32 o3",
      "o3", ",'max_output_tokens':16", ",'max_completion_tokens':16" },

    { "E32 o4-mini",
      "o4-mini", ",'max_output_tokens':16", ",'max_completion_tokens':16" },

    { "E32 openai/o1-pro",
      "openai/o1-pro", ",'max_output_tokens':16",
      ",'max_completion_tokens':16" },

    { "E32 gpt-5",
      "gpt-5", ",'max_output_tokens':16", ",'max_completion_tokens':16" },

    { "E32 openai/gpt-5.1-codex",
      "openai/gpt-5.1-codex", ",'max_output_tokens':16",
      ",'max_completion_tokens':16" },

    { "E32 gpt-50",
      "gpt-50", ",'max_output_tokens':16", ",'max_tokens':16" },

    { "E32 o3x",
      "o3x", ",'max_output_tokens':16", ",'max_tokens':16" },

    { "E32 o",
      "o", ",'max_output_tokens':16", ",'max_tokens':16" },

    { "E31 effort none",
      "m", ",'reasoning':{'effort':'none'}", ",'reasoning_effort':'none'" },

    { "E31 effort null",
      "m", ",'reasoning':{'effort':null,'summary':'auto'}", "" },

    { "E31 no effort",
      "m", ",'reasoning':{}", "" },

    { "E28 text",
      "m", FORMAT("{'type':'text'}"), "" },

    { "E28 empty text",
      "m", ",'text':{}", "" },

    { "E28 json_object",
      "m", FORMAT("{'type':'json_object'}"),
      ",'response_format':{'type':'json_object'}" },

    { "E28 a schema",
      "m", FORMAT("{'type':'json_schema','name':'n','description':'d',"
                  "'strict':true,'schema':{'a' : 1.0}}"),
      ",'response_format':{'type':'json_schema','json_schema':{'name':'n',"
      "'description':'d','schema':{'a' : 1.0},'strict':true}}" },

    { "E28 a schema without name and strict",
      "m", FORMAT("{'type':'json_schema','schema':{},'strict':null}"),
      ",'response_format':{'type':'json_schema','json_schema':"
      "{'name':'response','schema':{}}}" },

    { "E28 a schema without type",
      "m", FORMAT("{'schema':{},'strict':false}"),
      ",'response_format':{'type':'json_schema','json_schema':"
      "{'name':'response','schema':{},'strict':false}}" },

    { "a tool",
      "m", ",'tools':[{'type':'function','name':'f','description':'d\\n',"
      "'parameters':{'n': 12345678901234567890},'strict':false}]",
      ",'tools':[{'type':'function','function':{'name':'f',"
      "'description':'d\\n','parameters':{'n': 12345678901234567890},"
      "'strict':false}}]" },

    { "E30 no parameters",
      "m", ",'tools':[{'type':'function','name':'f','parameters':null,"
      "'strict':null,'description':null}]",
      ",'tools':[" CHAT_FUNC("f") "]" },

    { "E23 tools of other types are passed over",
      "m", ",'tools':[{'type':'web_search'}," FUNC("f") ","
      "{'type':'custom','name':'g'}," FUNC("h") "],'tool_choice':'auto',"
      "'parallel_tool_calls':false",
      ",'tools':[" CHAT_FUNC("f") "," CHAT_FUNC("h") "],"
      "'tool_choice':'auto','parallel_tool_calls':false" },

    { "E23 nothing is left",
      "m", ",'tools':[{'type':'web_search'}],'tool_choice':'required',"
      "'parallel_tool_calls':true", "" },

    { "E23 empty tools",
      "m", ",'tools':[],'tool_choice':{'type':'allowed_tools',"
      "'tools':[" FUNC("f") "]},'parallel_tool_calls':true", "" },

    { "E26 a choice by name",
      "m", ",'tools':[" FUNC("f") "," FUNC("g") "],"
      "'tool_choice':{'type':'function','name':'\\u0067'}",
      ",'tools':[" CHAT_FUNC("f") "," CHAT_FUNC("g") "],'tool_choice':"
      "{'type':'function','function':{'name':'g'}}" },

    { "E26 allowed tools",
      "m", ",'tools':[" FUNC("f") "," FUNC("g") "],'tool_choice':{"
      "'type':'allowed_tools','tools':[" FUNC("f") "],'mode':'required'}",
      ",'tools':[" CHAT_FUNC("f") "," CHAT_FUNC("g") "],"
      "'tool_choice':'required'" },

    { "E26 allowed tools without mode",
      "m", ",'tools':[" FUNC("f") "],'tool_choice':{"
      "'type':'allowed_tools','tools':[" FUNC("f") "]}",
      ",'tools':[" CHAT_FUNC("f") "],'tool_choice':'auto'" },

    { "choices that are strings",
      "m", ",'tools':[" FUNC("f") "],'tool_choice':'none'",
      ",'tools':[" CHAT_FUNC("f") "],'tool_choice':'none'" },

    { "all at once, in this order",
      "m", ",'stream':true,'top_p':0.5,'max_output_tokens':20,"
      "'reasoning':{'effort':'low'},'tools':[" FUNC("f") "],"
      "'tool_choice':'auto'" FORMAT("{'type':'json_object'}"),
      ",'tools':[" CHAT_FUNC("f") "],'tool_choice':'auto','top_p':0.5,"
      "'max_tokens':20,'reasoning_effort':'low',"
      "'response_format':{'type':'json_object'},'stream':true,"
      "'stream_options':{'include_usage':true}" }
};


/* "chat" is code and param */

static test_row_t  refusals[] = {

    { "E26 a choice that is not there",
      "m", ",'tools':[" FUNC("f") "],"
      "'tool_choice':{'type':'function','name':'g'}",
      "invalid_value tool_choice.name" },

    { "E26 a choice of another type",
      "m", ",'tools':[{'type':'custom','name':'g'}],"
      "'tool_choice':{'type':'function','name':'g'}",
      "invalid_value tool_choice.name" },

    { "E26 a choice without tools",
      "m", ",'tool_choice':{'type':'function','name':'g'}",
      "invalid_value tool_choice.name" },

    { "C21 a stored response",
      "m", ",'previous_response_id':'resp_1'",
      "previous_response_not_found previous_response_id" },

    { "a stored response without a name",
      "m", ",'previous_response_id':''",
      "previous_response_not_found previous_response_id" },

    { "a conversation by its name",
      "m", ",'conversation':'conv_1'", "unsupported_parameter conversation" },

    { "a conversation as an object",
      "m", ",'conversation':{'id':'conv_1'}",
      "unsupported_parameter conversation" },

    { "a stored prompt",
      "m", ",'prompt':{'id':'pmpt_1'}", "unsupported_parameter prompt" },

    { "in the background",
      "m", ",'background':true", "unsupported_parameter background" }
};


/* the messages that come of these are the same in all rows above */

static test_row_t  systems[] = {

    { "instructions come first",
      "m", ",'instructions':'be\\n'", "{'role':'system','content':'be\\n'}," },

    { "empty instructions",
      "m", ",'instructions':''", "" }
};


int
main(void)
{
    u_char            expected[256];
    ngx_uint_t        i;
    ngx_pool_t       *pool;
    ngx_chain_t      *chain;
    ngx_ors_error_t   err;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        test_row(&rows[i]);
    }

    for (i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        test_refusal(&refusals[i]);
    }

    for (i = 0; i < sizeof(systems) / sizeof(systems[0]); i++) {
        pool = ngx_ors_test_pool();

        (void) test_run(pool, &systems[i], &chain, &err);

        ngx_sprintf(expected, "{'model':'m','messages':[%s{'role':'user',"
                              "'content':'u'}]}%Z", systems[i].chat);
        ngx_ors_test_quotes(expected, expected, ngx_strlen(expected));

        is_chain(chain, (char *) expected, "%s", systems[i].name);

        ngx_destroy_pool(pool);
    }

    return done_testing();
}


static void
test_row(test_row_t *row)
{
    char             *model;
    u_char            expected[2048];
    ngx_pool_t       *pool;
    ngx_chain_t      *chain;
    ngx_ors_error_t   err;

    pool = ngx_ors_test_pool();

    if (test_run(pool, row, &chain, &err) == NGX_OK) {

        model = (row->model[1] == '"') ? "a\\\"b" : row->model;

        ngx_sprintf(expected, "{'model':'%s','messages':[{'role':'user',"
                              "'content':'u'}]%s}%Z", model, row->chat);
        ngx_ors_test_quotes(expected, expected, ngx_strlen(expected));

        is_chain(chain, (char *) expected, "%s", row->name);

    } else {
        fail("%s: %.*s", row->name, (int) err.message.len, err.message.data);
    }

    ngx_destroy_pool(pool);
}


static void
test_refusal(test_row_t *row)
{
    u_char            buf[256];
    ngx_str_t         text;
    ngx_pool_t       *pool;
    ngx_chain_t      *chain;
    ngx_ors_error_t   err;

    ngx_memzero(&err, sizeof(ngx_ors_error_t));

    pool = ngx_ors_test_pool();

    is_int(test_run(pool, row, &chain, &err), NGX_DECLINED, "%s", row->name);
    is_int(err.status, 400, "%s: status", row->name);

    text.data = buf;
    text.len = ngx_sprintf(buf, "%V %V", &err.code, &err.param) - buf;

    is_str(&text, row->chat, "%s: code and param", row->name);

    ngx_destroy_pool(pool);
}


static ngx_int_t
test_run(ngx_pool_t *pool, test_row_t *row, ngx_chain_t **chain,
    ngx_ors_error_t *err)
{
    ngx_int_t             rc;
    ngx_str_t             text, model;
    ngx_ors_out_t         out;
    ngx_ors_limits_t      limits = limits_default();
    ngx_ors_request_t     req;
    ngx_ors_chat_tools_t  tools;

    *chain = NULL;

    /* the body must live as long as the chain */

    text.data = ngx_pnalloc(pool, 2048);
    text.len = ngx_sprintf(text.data, "{'model':'x','input':'u'%s}%Z",
                           row->request)
               - text.data - 1;
    ngx_ors_test_quotes(text.data, text.data, ngx_strlen(text.data));

    model.data = (u_char *) row->model;
    model.len = ngx_strlen(row->model);

    rc = ngx_ors_test_request(&req, &text, &limits, pool, err);

    if (rc != NGX_OK) {
        return rc;
    }

    ngx_ors_out_init(&out, pool, 512);

    rc = ngx_ors_chat_request(&req, ngx_ors_test_target(&model),
                              &tools, &out, err);

    if (rc != NGX_OK) {
        return rc;
    }

    return ngx_ors_out_take(&out, chain);
}
