
/*
 * Copyright (C) Open Responses contributors
 */


/* The body of POST chat/completions. */


#include "shape_table.h"


#define ALL       NGX_ORS_IN_ALL, NULL, NULL
#define TOLERANT  NGX_ORS_IN_TOLERANT
#define WIDE      NGX_ORS_IN_WIDE

#define USER      "'messages':[{'role':'user','content':'Hi'}]"


static char  parameters[] =
    "{'model':'m','messages':[{'role':'user','content':'Hi'}],"
    "'stream':true,"
    "'stream_options':{'include_usage':true,'include_obfuscation':false},"
    "'temperature':0.5,'top_p':1,'max_tokens':10,"
    "'max_completion_tokens':10,'parallel_tool_calls':true,"
    "'response_format':{'type':'json_schema','json_schema':"
        "{'name':'n','schema':{},'description':'d','strict':true}},"
    "'reasoning_effort':'low','verbosity':'low','stop':['a','b'],'n':1,"
    "'seed':-1,'presence_penalty':-2,'frequency_penalty':0.1,"
    "'logit_bias':{},'logprobs':true,'top_logprobs':3,"
    "'user':'u','safety_identifier':'s','prompt_cache_key':'k',"
    "'prompt_cache_retention':'24h','store':false,'metadata':{},"
    "'service_tier':'auto','modalities':['text','audio'],"
    "'audio':{'voice':'alloy','format':'wav'},"
    "'prediction':{'type':'content','content':[{'type':'text','text':'t'}]},"
    "'web_search_options':{'search_context_size':'low','user_location':"
        "{'type':'approximate','approximate':{'country':'DE','region':'r',"
        "'city':'c','timezone':'z'}}}}";

static shape_member_t  parameter_members[] = {
    { "model", "s", "-ns" },
    { "messages", "", "" },
    { "messages[0].role", "", "s" },
    { "messages[0].content", "sa", "sa" },
    { "stream", "-nb", "-nb" },
    { "stream_options", "-no", "-no" },
    { "stream_options.include_usage", "-b", "-nb" },
    { "stream_options.include_obfuscation", "-b", "-nb" },
    { "temperature", "-nif", "-nif" },
    { "top_p", "-nif", "-nif" },
    { "max_tokens", "-ni", "-ni" },
    { "max_completion_tokens", "-ni", "-ni" },
    { "parallel_tool_calls", "-b", "-nb" },
    { "response_format", "-", "-n" },
    { "response_format.type", "", "s" },
    { "response_format.json_schema", "", "-no" },
    { "response_format.json_schema.name", "s", "-ns" },
    { "response_format.json_schema.schema", "-o", "-no" },
    { "response_format.json_schema.description", "-s", "-ns" },
    { "response_format.json_schema.strict", "-nb", "-nb" },
    { "reasoning_effort", "-n", "-ns" },
    { "verbosity", "-n", "-ns" },
    { "stop", "-nsa", "-nsa" },
    { "n", "-ni", "-ni" },
    { "seed", "-ni", "-ni" },
    { "presence_penalty", "-nif", "-nif" },
    { "frequency_penalty", "-nif", "-nif" },
    { "logit_bias", "-no", "-nao" },
    { "logprobs", "-nb", "-nb" },
    { "top_logprobs", "-ni", "-ni" },
    { "user", "-s", "-ns" },
    { "safety_identifier", "-s", "-ns" },
    { "prompt_cache_key", "-s", "-ns" },
    { "prompt_cache_retention", "-ns", "-ns" },
    { "store", "-nb", "-nb" },
    { "metadata", "-no", "-no" },
    { "service_tier", "-n", "-ns" },
    { "modalities", "-na", "-na" },
    { "audio", "-n", "-n" },
    { "audio.voice", "so", "so" },
    { "audio.format", "s", "s" },
    { "prediction", "-n", "-n" },
    { "prediction.type", "", "" },
    { "prediction.content", "sa", "sa" },
    { "prediction.content[0].type", "", "s" },
    { "prediction.content[0].text", "s", "s" },
    { "web_search_options", "-o", "-no" },
    { "web_search_options.search_context_size", "-", "-n" },
    { "web_search_options.user_location", "-n", "-n" },
    { "web_search_options.user_location.type", "", "" },
    { "web_search_options.user_location.approximate", "o", "o" },
    { "web_search_options.user_location.approximate.country", "-s", "-ns" },
    { "web_search_options.user_location.approximate.region", "-s", "-ns" },
    { "web_search_options.user_location.approximate.city", "-s", "-ns" },
    { "web_search_options.user_location.approximate.timezone", "-s", "-ns" },
    { NULL, NULL, NULL }
};


static char  messages[] =
    "{'messages':["
    "{'role':'developer','content':'Be.','name':'d'},"
    "{'role':'system','content':[{'type':'text','text':'Be.'}]},"
    "{'role':'user','name':'u','content':["
        "{'type':'text','text':'See.'},"
        "{'type':'image_url','image_url':{'url':'http://a/','detail':'low'}},"
        "{'type':'input_audio','input_audio':{'data':'AA==','format':'wav'}},"
        "{'type':'file','file':{'file_data':'AA==','file_id':'f',"
            "'filename':'n'}}]},"
    "{'role':'assistant','content':[{'type':'text','text':'I'},"
        "{'type':'refusal','refusal':'no'}],'refusal':'no','name':'a',"
        "'audio':{'id':'audio_1'},"
        "'function_call':{'name':'f','arguments':'{}'}},"
    "{'role':'assistant','content':null,'tool_calls':["
        "{'id':'c1','type':'function','function':"
            "{'name':'f','arguments':'{}'}},"
        "{'id':'c2','type':'custom','custom':{'name':'g','input':'x'}}]},"
    "{'role':'tool','tool_call_id':'c1','content':'42'},"
    "{'role':'function','name':'f','content':'42'}"
    "],'model':'m'}";

static shape_member_t  message_members[] = {
    { "messages", "", "" },
    { "messages[0].role", "", "s" },
    { "messages[0].content", "sa", "sa" },
    { "messages[0].name", "-s", "-ns" },
    { "messages[1].role", "", "s" },
    { "messages[1].content", "sa", "sa" },
    { "messages[1].content[0].type", "", "s" },
    { "messages[1].content[0].text", "s", "s" },
    { "messages[2].role", "", "s" },
    { "messages[2].name", "-s", "-ns" },
    { "messages[2].content", "sa", "sa" },
    { "messages[2].content[0].type", "", "s" },
    { "messages[2].content[0].text", "s", "s" },
    { "messages[2].content[1].type", "", "s" },
    { "messages[2].content[1].image_url", "", "s" },
    { "messages[2].content[1].image_url.url", "s", "s" },
    { "messages[2].content[1].image_url.detail", "-", "-ns" },
    { "messages[2].content[2].type", "", "s" },
    { "messages[2].content[2].input_audio", "", "" },
    { "messages[2].content[2].input_audio.data", "s", "s" },
    { "messages[2].content[2].input_audio.format", "s", "s" },
    { "messages[2].content[3].type", "", "s" },
    { "messages[2].content[3].file", "o", "o" },
    { "messages[2].content[3].file.file_data", "-s", "-ns" },
    { "messages[2].content[3].file.file_id", "-s", "-ns" },
    { "messages[2].content[3].file.filename", "-s", "-ns" },
    { "messages[3].role", "", "s" },
    { "messages[3].content", "-nsa", "-nsa" },
    { "messages[3].content[0].type", "", "s" },
    { "messages[3].content[0].text", "s", "s" },
    { "messages[3].content[1].type", "", "s" },
    { "messages[3].content[1].refusal", "s", "s" },
    { "messages[3].refusal", "-ns", "-ns" },
    { "messages[3].name", "-s", "-ns" },
    { "messages[3].audio", "-n", "-n" },
    { "messages[3].audio.id", "s", "s" },
    { "messages[3].function_call", "-n", "-n" },
    { "messages[3].function_call.name", "s", "s" },
    { "messages[3].function_call.arguments", "s", "-nso" },
    { "messages[4].role", "", "s" },
    { "messages[4].content", "-nsa", "-nsa" },
    { "messages[4].tool_calls", "-a", "-na" },
    { "messages[4].tool_calls[0].id", "s", "-ns" },
    { "messages[4].tool_calls[0].type", "", "-ns" },
    { "messages[4].tool_calls[0].function", "", "" },
    { "messages[4].tool_calls[0].function.name", "s", "s" },
    { "messages[4].tool_calls[0].function.arguments", "s", "-nso" },
    { "messages[4].tool_calls[1].id", "s", "-ns" },
    { "messages[4].tool_calls[1].type", "", "-ns" },
    { "messages[4].tool_calls[1].custom", "", "" },
    { "messages[4].tool_calls[1].custom.name", "s", "s" },
    { "messages[4].tool_calls[1].custom.input", "s", "s" },
    { "messages[5].role", "", "s" },
    { "messages[5].tool_call_id", "s", "s" },
    { "messages[5].content", "sa", "sa" },
    { "messages[6].role", "", "s" },
    { "messages[6].name", "s", "s" },
    { "messages[6].content", "ns", "ns" },
    { "model", "s", "-ns" },
    { NULL, NULL, NULL }
};


static char  tools[] =
    "{'model':'m','messages':[{'role':'user','content':'Hi'}],"
    "'tools':["
        "{'type':'function','function':{'name':'f','description':'d',"
            "'parameters':{},'strict':true}},"
        "{'type':'custom','custom':{'name':'g','description':'d','format':"
            "{'type':'grammar','grammar':{'definition':'x',"
            "'syntax':'lark'}}}}],"
    "'tool_choice':{'type':'allowed_tools','allowed_tools':{'mode':'auto',"
        "'tools':[{}]}},"
    "'functions':[{'name':'f','description':'d','parameters':{}}],"
    "'function_call':{'name':'f'}}";

static shape_member_t  tool_members[] = {
    { "model", "s", "-ns" },
    { "messages", "", "" },
    { "messages[0].role", "", "s" },
    { "messages[0].content", "sa", "sa" },
    { "tools", "-a", "-na" },
    { "tools[0].type", "", "s" },
    { "tools[0].function", "", "" },
    { "tools[0].function.name", "s", "s" },
    { "tools[0].function.description", "-s", "-ns" },
    { "tools[0].function.parameters", "-o", "-no" },
    { "tools[0].function.strict", "-nb", "-nb" },
    { "tools[1].type", "", "s" },
    { "tools[1].custom", "", "" },
    { "tools[1].custom.name", "s", "s" },
    { "tools[1].custom.description", "-s", "-ns" },
    { "tools[1].custom.format", "-", "-n" },
    { "tools[1].custom.format.type", "", "" },
    { "tools[1].custom.format.grammar", "", "" },
    { "tools[1].custom.format.grammar.definition", "s", "s" },
    { "tools[1].custom.format.grammar.syntax", "", "" },
    { "tool_choice", "-", "-n" },
    { "tool_choice.type", "", "s" },
    { "tool_choice.allowed_tools", "", "" },
    { "tool_choice.allowed_tools.mode", "", "" },
    { "tool_choice.allowed_tools.tools", "a", "a" },
    { "functions", "-a", "-na" },
    { "functions[0].name", "s", "s" },
    { "functions[0].description", "-s", "-ns" },
    { "functions[0].parameters", "-o", "-no" },
    { "function_call", "-", "-n" },
    { "function_call.name", "s", "s" },
    { NULL, NULL, NULL }
};


/* types of values that the tables above do not have */

static shape_case_t  fields[] = {
    { "'messages':[]", 0, "array_below_min_length", "messages" },
    { "'messages':'Hi'", 0, "invalid_type", "messages" },
    { "'messages':['Hi']", 0, "invalid_type", "messages[0]" },
    { "'messages':[{'role':'latest_reminder','content':1}]",
      TOLERANT, "invalid_value", "messages[0].role" },
    { "'messages':[{'content':'Hi'}]",
      0, "missing_required_parameter", "messages[0].role" },
    { USER ",'top_k':5,'min_p':0.1,'chat_template_kwargs':{}", ALL },
    { USER ",'n':0", 0, "integer_below_min_value", "n" },
    { USER ",'n':1.5", 0, "invalid_type", "n" },
    { USER ",'max_tokens':-1,'seed':99999999999999999999", ALL },
    { USER ",'max_tokens':16.5", 0, "invalid_type", "max_tokens" },
    { USER ",'top_logprobs':0", ALL },
    { USER ",'top_logprobs':20", ALL },
    { USER ",'top_logprobs':21",
      TOLERANT, "integer_above_max_value", "top_logprobs" },
    { USER ",'top_logprobs':-1",
      TOLERANT, "integer_below_min_value", "top_logprobs" },
    { USER ",'reasoning_effort':'none'", ALL },
    { USER ",'reasoning_effort':'minimal'", ALL },
    { USER ",'reasoning_effort':'xhigh'", ALL },
    { USER ",'reasoning_effort':'most'",
      TOLERANT, "invalid_value", "reasoning_effort" },
    { USER ",'verbosity':'high'", ALL },
    { USER ",'verbosity':'loud'", TOLERANT, "invalid_value", "verbosity" },
    { USER ",'service_tier':'scale'", ALL },
    { USER ",'service_tier':'on_demand'",
      TOLERANT, "invalid_value", "service_tier" },
    { USER ",'modalities':['text','image']",
      TOLERANT, "invalid_value", "modalities[1]" },
    { USER ",'modalities':['smell']", 0, "invalid_value", "modalities[0]" },
    { USER ",'stop':'a'", ALL },
    { USER ",'stop':['a',5]", 0, "invalid_type", "stop[1]" },
    { USER ",'logit_bias':[[15043,false]]",
      TOLERANT, "invalid_type", "logit_bias" },
    { USER ",'logit_bias':{'50256':-100,'15043':0.5}", ALL },
    { USER ",'logit_bias':{'50256':'x'}",
      TOLERANT, "invalid_type", "logit_bias.50256" },
    { USER ",'metadata':{'a':'b'}", ALL },
    { USER ",'metadata':{'a':5}", 0, "invalid_type", "metadata.a" },
    { USER ",'response_format':{'type':'text'}", ALL },
    { USER ",'response_format':{'type':'json_object','schema':{}}", ALL },
    { USER ",'response_format':{'type':'json_schema','schema':{}}",
      TOLERANT, "missing_required_parameter",
      "response_format.json_schema" },
    { USER ",'response_format':{'type':'json_schema','json_schema':"
      "{'name':'a b','schema':{}}}",
      0, "invalid_value", "response_format.json_schema.name" },
    { USER ",'response_format':{'type':'structural_tag'}",
      TOLERANT, "invalid_value", "response_format.type" },
    { USER ",'response_format':'json'", 0, "invalid_type",
      "response_format" },
    { USER ",'tools':[{'type':'function','function':{'name':'a.b'}}]",
      TOLERANT, "invalid_value", "tools[0].function.name" },
    { USER ",'tools':[{'type':'function','function':{'name':''}}]",
      0, "string_below_min_length", "tools[0].function.name" },
    { USER ",'tools':[{'type':'function','name':'f'}]",
      0, "missing_required_parameter", "tools[0].function" },
    { USER ",'tools':[{'name':'f'}]",
      0, "missing_required_parameter", "tools[0].type" },
    { USER ",'tools':[{'type':'openrouter:web_search'}]", ALL },
    { USER ",'tools':[{'type':'web_search'}]",
      TOLERANT, "invalid_value", "tools[0].type" },
    { USER ",'tools':[{'type':'custom','custom':{'name':'g','format':"
      "{'type':'text'}}}]", ALL },
    { USER ",'tools':[{'type':'custom','custom':{'name':'g','format':"
      "{'type':'grammar','grammar':{'definition':'','syntax':'abnf'}}}}]",
      0, "invalid_value", "tools[0].custom.format.grammar.syntax" },
    { USER ",'tool_choice':'none'", ALL },
    { USER ",'tool_choice':'auto'", ALL },
    { USER ",'tool_choice':'required'", ALL },
    { USER ",'tool_choice':'any'", TOLERANT, "invalid_value",
      "tool_choice" },
    { USER ",'tool_choice':'f'", 0, "invalid_value", "tool_choice" },
    { USER ",'tool_choice':{'type':'function','function':{'name':'f'}}",
      ALL },
    { USER ",'tool_choice':{'type':'function','name':'f'}",
      0, "missing_required_parameter", "tool_choice.function" },
    { USER ",'tool_choice':{'type':'custom','custom':{'name':'f'}}", ALL },
    { USER ",'tool_choice':{'type':'allowed_tools','allowed_tools':"
      "{'mode':'none','tools':[]}}",
      0, "invalid_value", "tool_choice.allowed_tools.mode" },
    { USER ",'function_call':'auto'", ALL },
    { USER ",'function_call':'required'", 0, "invalid_value",
      "function_call" },
    { USER ",'audio':{'voice':{'id':'v'},'format':'mp3'}", ALL },
    { USER ",'prediction':{'type':'content','content':'x'}", ALL },
    { USER ",'prediction':{'type':'text','content':'x'}",
      0, "invalid_value", "prediction.type" },
    { NULL, 0, NULL, NULL }
};


static shape_case_t  names[] = {
    { ",'model':''", ALL },
    { "", TOLERANT, "missing_required_parameter", "model" },
    { ",'model':'a','model':'b'", 0, "duplicate_key", "model" },
    { NULL, 0, NULL, NULL }
};


static shape_case_t  turns[] = {
    { "{'role':'user','content':[{'type':'video_url','video_url':{}}]}",
      TOLERANT, "invalid_value", "messages[0].content[0].type" },
    { "{'role':'user','content':[{'type':'image_url','image_url':'http:'}]}",
      TOLERANT, "invalid_type", "messages[0].content[0].image_url" },
    { "{'role':'user','content':[{'type':'image_url','image_url':"
      "{'url':'http:','detail':'original'}}]}",
      TOLERANT, "invalid_value", "messages[0].content[0].image_url.detail" },
    { "{'role':'user','content':[{'type':'refusal','refusal':'x'}]}",
      TOLERANT, "invalid_value", "messages[0].content[0].type" },
    { "{'role':'user','content':['Hi']}",
      0, "invalid_type", "messages[0].content[0]" },
    { "{'role':'user','content':null}",
      0, "invalid_type", "messages[0].content" },
    { "{'role':'system','content':[{'type':'image_url','image_url':"
      "{'url':'http:'}}]}",
      TOLERANT, "invalid_value", "messages[0].content[0].type" },
    { "{'role':'tool','tool_call_id':'c','content':[{'type':'image_url',"
      "'image_url':{'url':'http:'}}]}",
      TOLERANT, "invalid_value", "messages[0].content[0].type" },
    { "{'role':'tool','tool_call_id':'c','content':[{'type':'text',"
      "'text':'x'}]}", ALL },
    { "{'role':'assistant'}", ALL },
    { "{'role':'assistant','content':'','refusal':null,'audio':null,"
      "'function_call':null}", ALL },
    { "{'role':'assistant','content':'','tool_calls':null}",
      WIDE, "invalid_type", "messages[0].tool_calls" },
    { "{'role':'assistant','content':[{'type':'image_url','image_url':"
      "{'url':'http:'}}]}",
      TOLERANT, "invalid_value", "messages[0].content[0].type" },
    { "{'role':'assistant','reasoning_content':'Hm','reasoning':null}",
      ALL },
    { "{'role':'assistant','tool_calls':[{'function':{'name':'f'}}]}",
      TOLERANT, "missing_required_parameter",
      "messages[0].tool_calls[0].type" },
    { "{'role':'assistant','tool_calls':[{'custom':{'name':'f'}}]}",
      0, "missing_required_parameter", NULL },
    { "{'role':'assistant','tool_calls':[{'id':'c','type':'acme:search'}]}",
      ALL },
    { "{'role':'assistant','tool_calls':[{'id':'c','type':'search'}]}",
      TOLERANT, "invalid_value", "messages[0].tool_calls[0].type" },
    { NULL, 0, NULL, NULL }
};


int
main(void)
{
    const ngx_ors_shape_t  *shape;

    shape = &ngx_ors_fields_chat_request;

    shape_members(parameters, shape, parameter_members);
    shape_members(messages, shape, message_members);
    shape_members(tools, shape, tool_members);

    shape_cases(fields, "{'model':'m',%s}", shape);
    shape_cases(names, "{'messages':[{'role':'user','content':'Hi'}]%s}",
                shape);
    shape_cases(turns, "{'messages':[%s],'model':'m'}", shape);

    return done_testing();
}
