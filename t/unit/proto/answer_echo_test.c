
/*
 * Copyright (C) Open Responses contributors
 */


/* Echoes of an answer: tools and their choice, text, reasoning; errors. */


#include "answer_table.h"


static answer_case_t  tool_cases[] = {
    { "tools", "[{'type':'function','name':'f','description':null,"
      "'parameters':null,'strict':null}]", ALL },
    { "tools", "[{'type':'function','name':'any name','description':'d',"
      "'parameters':{'a':1},'strict':true}]", ALL },
    { "tools", "[{'type':'function','name':'f','parameters':null,"
      "'strict':null}]", OPENAI, "missing_required_parameter",
      "tools[0].description" },
    { "tools", "[{'type':'function','name':'f','description':null,"
      "'strict':null}]", NONE, "missing_required_parameter",
      "tools[0].parameters" },
    { "tools", "[{'type':'function','name':'f','description':null,"
      "'parameters':null}]", NONE, "missing_required_parameter",
      "tools[0].strict" },
    { "tools", "[{'type':'function','description':null,'parameters':null,"
      "'strict':null}]", NONE, "missing_required_parameter",
      "tools[0].name" },
    { "tools", "[{'type':'function','name':'f','description':null,"
      "'parameters':'p','strict':null}]", NONE, "invalid_type",
      "tools[0].parameters" },
    { "tools", "[{'type':'function','name':'f','description':null,"
      "'parameters':null,'strict':'s'}]", NONE, "invalid_type",
      "tools[0].strict" },
    { "tools", "[{'type':'function','name':'f','description':null,"
      "'parameters':null,'strict':null,'defer_loading':1}]", CORE,
      "invalid_type", "tools[0].defer_loading" },
    { "tools", "[{'type':'acme:search','any':1}]", ALL },
    { "tools", "[{'type':'web_search','any':1},{'type':'mcp'}]", WIDE,
      "invalid_value", "tools[0].type" },
    { "tools", "[{'type':'custom','name':'n','format':{}}]", WIDE,
      "invalid_value", "tools[0].type" },
    { "tools", "[{'type':'another'}]", TOLERANT, "invalid_value",
      "tools[0].type" },
    { "tools", "[{'name':'f'}]", NONE, "missing_required_parameter",
      "tools[0].type" },
    { "tools", "{}", NONE, "invalid_type", "tools" },

    { "tool_choice", "'none'", ALL },
    { "tool_choice", "'required'", ALL },
    { "tool_choice", "'any'", NONE, "invalid_value", "tool_choice" },
    { "tool_choice", "null", NONE, "invalid_type", "tool_choice" },
    { "tool_choice", "{'type':'function','name':'f'}", ALL },
    { "tool_choice", "{'type':'function'}", ALL },
    { "tool_choice", "{'type':'function','name':null}", WIDE,
      "invalid_type", "tool_choice.name" },
    { "tool_choice", "{'name':'f'}", NONE, "missing_required_parameter",
      "tool_choice.type" },
    { "tool_choice", "{'type':'mcp','server_label':'s'}", WIDE,
      "invalid_value", "tool_choice.type" },
    { "tool_choice", "{'type':'allowed_tools','tools':[],'mode':'auto'}",
      ALL },
    { "tool_choice", "{'type':'allowed_tools','mode':'required',"
      "'tools':[{'type':'function'},{'type':'function','name':'f'}]}", ALL },
    { "tool_choice", "{'type':'allowed_tools','mode':'auto',"
      "'tools':[{'type':'mcp'}]}", WIDE, "invalid_value",
      "tool_choice.tools[0].type" },
    { "tool_choice", "{'type':'allowed_tools','tools':[]}", NONE,
      "missing_required_parameter", "tool_choice.mode" },
    { "tool_choice", "{'type':'allowed_tools','mode':'auto'}", NONE,
      "missing_required_parameter", "tool_choice.tools" },
    { "tool_choice", "{'type':'allowed_tools','tools':[],'mode':'any'}",
      NONE, "invalid_value", "tool_choice.mode" },
    { NULL, NULL, 0, NULL, NULL }
};


static answer_case_t  text_cases[] = {
    { "text", "{}", NONE, "missing_required_parameter", "text.format" },
    { "text", "{'format':null}", NONE, "invalid_type", "text.format" },
    { "text", "{'format':{}}", NONE, "missing_required_parameter",
      "text.format.type" },
    { "text", "{'format':{'type':'json_object'}}", ALL },
    { "text", "{'format':{'type':'acme:xml'}}", NONE, "invalid_value",
      "text.format.type" },
    { "text", "{'format':{'type':'text'},'verbosity':'low'}", ALL },
    { "text", "{'format':{'type':'text'},'verbosity':'medium'}", ALL },
    { "text", "{'format':{'type':'text'},'verbosity':'high'}", ALL },
    { "text", "{'format':{'type':'text'},'verbosity':null}", WIDE,
      "invalid_type", "text.verbosity" },
    { "text", "{'format':{'type':'text'},'verbosity':'none'}", NONE,
      "invalid_value", "text.verbosity" },
    { "text", "{'format':{'type':'json_schema','name':'n',"
      "'description':null,'schema':null,'strict':true}}", ALL },
    { "text", "{'format':{'type':'json_schema','name':'n',"
      "'description':null,'schema':{'type':'object'},'strict':true}}", WIDE,
      "invalid_type", "text.format.schema" },
    { "text", "{'format':{'type':'json_schema','name':'n',"
      "'description':null,'schema':null,'strict':null}}", OPENAI,
      "invalid_type", "text.format.strict" },
    { "text", "{'format':{'type':'json_schema','name':'n','schema':null,"
      "'strict':true}}", OPENAI, "missing_required_parameter",
      "text.format.description" },
    { "text", "{'format':{'type':'json_schema','description':null,"
      "'schema':null,'strict':true}}", NONE, "missing_required_parameter",
      "text.format.name" },

    { "reasoning", "{'effort':null,'summary':null}", ALL },
    { "reasoning", "{'effort':'none','summary':'auto'}", ALL },
    { "reasoning", "{'effort':'low','summary':'concise'}", ALL },
    { "reasoning", "{'effort':'medium','summary':'detailed'}", ALL },
    { "reasoning", "{'effort':'high','summary':null}", ALL },
    { "reasoning", "{'effort':'xhigh','summary':null}", ALL },
    { "reasoning", "{'effort':'minimal','summary':null}", WIDE,
      "invalid_value", "reasoning.effort" },
    { "reasoning", "{'effort':'huge','summary':null}", NONE,
      "invalid_value", "reasoning.effort" },
    { "reasoning", "{'effort':null,'summary':'long'}", NONE,
      "invalid_value", "reasoning.summary" },
    { "reasoning", "{}", OPENAI, "missing_required_parameter",
      "reasoning.effort" },
    { "reasoning", "{'effort':null}", OPENAI, "missing_required_parameter",
      "reasoning.summary" },
    { "reasoning", "{'effort':null,'summary':null,'context':'all',"
      "'generate_summary':'auto'}", ALL },
    { "reasoning", "{'effort':null,'summary':null,"
      "'generate_summary':'long'}", CORE, "invalid_value",
      "reasoning.generate_summary" },

    { "error", "{'code':'c','message':'m','more':1}", ALL },
    { "error", "{'code':null,'message':'m'}", NONE, "invalid_type",
      "error.code" },
    { NULL, NULL, 0, NULL, NULL }
};


static shape_case_t  error_cases[] = {
    { "'error':{'type':'invalid_request','code':null,'message':'m',"
      "'param':null}", ALL },
    { "'error':{'type':'invalid_request_error','code':'c','message':'m',"
      "'param':'p','headers':{'a':'b'}}", ALL },
    { "'error':{'type':'t','code':400,'message':'m','param':null}", WIDE,
      "invalid_type", "error.code" },
    { "'error':{'type':null,'code':'c','message':'m','param':null}", NONE,
      "invalid_type", "error.type" },
    { "'error':{'type':'t','code':'c','message':null,'param':null}", NONE,
      "invalid_type", "error.message" },
    { "'error':{'type':'t','code':'c','message':'m','param':1}", NONE,
      "invalid_type", "error.param" },
    { "'error':{'type':'t','code':[],'message':'m','param':null}", NONE,
      "invalid_type", "error.code" },
    { "'error':{'type':'t','code':null,'message':'m','param':null,"
      "'headers':{'a':1}}", NONE, "invalid_type", "error.headers.a" },
    { "'error':{'type':'t','message':'m','param':null}", NONE,
      "missing_required_parameter", "error.code" },
    { "'error':{'type':'t','code':null,'message':'m'}", NONE,
      "missing_required_parameter", "error.param" },
    { "'error':{'code':null,'message':'m','param':null}", NONE,
      "missing_required_parameter", "error.type" },
    { "'error':{'type':'t','code':null,'param':null}", NONE,
      "missing_required_parameter", "error.message" },
    { "'error':'text'", NONE, "invalid_type", "error" },
    { "'message':'m'", NONE, "missing_required_parameter", "error" },
    { NULL, 0, NULL, NULL }
};


static shape_repair_t  error_repairs[] = {
    { "an error", "{'error':{'type':'t','message':'m'}}",
      "{'error':{'type':'t','message':'m','code':'','param':''}}" },
    { NULL, NULL, NULL }
};


/* tools that flavor "openai" has, and only a tolerant profile else */

static char  *hosted_tools[] = {
    "web_search", "web_search_2025_08_26", "web_search_preview",
    "web_search_preview_2025_03_11", "file_search", "tool_search",
    "code_interpreter", "image_generation", "mcp", "local_shell", "shell",
    "apply_patch", "computer", "computer_use_preview",
    "programmatic_tool_calling", "custom", "namespace", NULL
};


/* values that are filled in here are the same in all profiles but OpenAI's */

typedef struct {
    char         *path;
    char         *value;
} echo_repair_t;


static char  echoes[] =
    "{'id':'resp_1','object':'response','created_at':1,'completed_at':null,"
    "'status':'completed','incomplete_details':null,'model':'m',"
    "'previous_response_id':null,'instructions':null,'output':[],"
    "'error':null,'tools':[{'type':'function','name':'f',"
    "'description':'d','parameters':{},'strict':true}],"
    "'tool_choice':{'type':'allowed_tools','tools':[],'mode':'required'},"
    "'truncation':'auto','parallel_tool_calls':true,"
    "'text':{'format':{'type':'json_schema','name':'n','description':'d',"
    "'schema':null,'strict':true}},'top_p':1,'presence_penalty':0,"
    "'frequency_penalty':0,'top_logprobs':0,'temperature':1,"
    "'reasoning':{'effort':'low','summary':'auto'},'usage':null,"
    "'max_output_tokens':null,'max_tool_calls':null,'store':false,"
    "'background':false,'service_tier':'default','metadata':{},"
    "'safety_identifier':null,'prompt_cache_key':null}";


static echo_repair_t  echo_repairs[] = {
    { "tools[0].description", "null" },
    { "tools[0].parameters", "null" },
    { "tools[0].strict", "null" },
    { "tools[0].name", NULL },
    { "tools[0].type", NULL },
    { "tool_choice.mode", "\"auto\"" },
    { "tool_choice.tools", NULL },
    { "text.format", "{\"type\":\"text\"}" },
    { "text.format.type", NULL },
    { "text.format.name", NULL },
    { "text.format.description", "null" },
    { "text.format.schema", "null" },
    { "text.format.strict", "false" },
    { "reasoning.effort", "null" },
    { "reasoning.summary", "null" },
    { NULL, NULL }
};


static void test_hosted(void);


int
main(void)
{
    echo_repair_t  *repair;

    answer_cases(ANSWER_RESPONSE, &ngx_ors_fields_response, tool_cases);
    answer_cases(ANSWER_RESPONSE, &ngx_ors_fields_response, text_cases);

    shape_cases(error_cases, "{%s}", &ngx_ors_fields_error);
    shape_repairs(error_repairs, &ngx_ors_fields_error);

    for (repair = echo_repairs; repair->path; repair++) {
        answer_repair(echoes, &ngx_ors_fields_response, repair->path,
                      repair->value, NGX_ORS_STRICT_SPEC);
        answer_repair(echoes, &ngx_ors_fields_response, repair->path,
                      repair->value, NGX_ORS_TOLERANT_SPEC);
    }

    test_hosted();

    return done_testing();
}


static void
test_hosted(void)
{
    char  value[256], **tool;

    answer_case_t  tests[] = {
        { "tools", value, WIDE, "invalid_value", "tools[0].type" },
        { NULL, NULL, 0, NULL, NULL }
    };

    for (tool = hosted_tools; *tool; tool++) {
        snprintf(value, sizeof(value), "[{'type':'%s','name':'n','any':1}]",
                 *tool);
        answer_cases(ANSWER_RESPONSE, &ngx_ors_fields_response, tests);
    }
}
