
/*
 * Copyright (C) Open Responses contributors
 */


/* Answers to POST chat/completions. */


#include "shape_table.h"


#define ALL       NGX_ORS_IN_ALL, NULL, NULL
#define TOLERANT  NGX_ORS_IN_TOLERANT

#define CHOICE    "{'index':0,'finish_reason':'stop',"


static void test_errors(void);


static char  answer[] =
    "{'id':'a','object':'chat.completion','created':1,'model':'m','choices':["
    "{'index':0,'finish_reason':'tool_calls','message':"
        "{'role':'assistant','content':'Hi','refusal':null,"
        "'annotations':[],'audio':null,"
        "'reasoning_content':'Hm','reasoning':'Hm','tool_calls':["
            "{'id':'c1','type':'function','function':"
                "{'name':'f','arguments':'{}'}},"
            "{'id':'c2','type':'custom','custom':"
                "{'name':'g','input':'x'}}],"
        "'function_call':{'name':'f','arguments':'{}'}},"
    "'logprobs':{'content':[{'token':'Hi','logprob':-0.5,'bytes':[72,105],"
        "'top_logprobs':[{'token':'Ho','logprob':-9999,'bytes':null}]}],"
        "'refusal':null}}],"
    "'usage':{'prompt_tokens':1,'completion_tokens':2,'total_tokens':3,"
        "'prompt_tokens_details':{},'completion_tokens_details':{}},"
    "'system_fingerprint':'fp','service_tier':'default'}";

static shape_member_t  answer_members[] = {
    { "id", "s", "s" },
    { "object", "", "s" },
    { "created", "i", "i" },
    { "model", "s", "s" },
    { "choices", "", "" },
    { "choices[0].index", "i", "i" },
    { "choices[0].finish_reason", "ns", "ns" },
    { "choices[0].message", "", "" },
    { "choices[0].message.role", "", "" },
    { "choices[0].message.content", "ns", "nsa" },
    { "choices[0].message.refusal", "-ns", "-ns" },
    { "choices[0].message.annotations", "-na", "-na" },
    { "choices[0].message.audio", "-no", "-no" },
    { "choices[0].message.reasoning_content", "-ns", "-ns" },
    { "choices[0].message.reasoning", "-ns", "-ns" },
    { "choices[0].message.tool_calls", "-na", "-na" },
    { "choices[0].message.tool_calls[0].id", "s", "s" },
    { "choices[0].message.tool_calls[0].type", "", "s" },
    { "choices[0].message.tool_calls[0].function", "", "" },
    { "choices[0].message.tool_calls[0].function.name", "s", "s" },
    { "choices[0].message.tool_calls[0].function.arguments", "s", "s" },
    { "choices[0].message.tool_calls[1].id", "s", "s" },
    { "choices[0].message.tool_calls[1].type", "", "s" },
    { "choices[0].message.tool_calls[1].custom", "", "" },
    { "choices[0].message.tool_calls[1].custom.name", "s", "s" },
    { "choices[0].message.tool_calls[1].custom.input", "s", "s" },
    { "choices[0].message.function_call", "-n", "-n" },
    { "choices[0].message.function_call.name", "s", "s" },
    { "choices[0].message.function_call.arguments", "s", "s" },
    { "choices[0].logprobs", "-no", "-no" },
    { "choices[0].logprobs.content", "-na", "-na" },
    { "choices[0].logprobs.content[0].token", "s", "s" },
    { "choices[0].logprobs.content[0].logprob", "nif", "nif" },
    { "choices[0].logprobs.content[0].bytes", "-na", "-na" },
    { "choices[0].logprobs.content[0].top_logprobs", "-na", "-na" },
    { "choices[0].logprobs.content[0].top_logprobs[0].token", "s", "s" },
    { "choices[0].logprobs.content[0].top_logprobs[0].logprob", "nif", "nif" },
    { "choices[0].logprobs.content[0].top_logprobs[0].bytes", "-na", "-na" },
    { "choices[0].logprobs.refusal", "-na", "-na" },
    { "usage", "-n", "-n" },
    { "usage.prompt_tokens", "i", "i" },
    { "usage.completion_tokens", "i", "i" },
    { "usage.total_tokens", "i", "i" },
    { "usage.prompt_tokens_details", "-no", "-no" },
    { "usage.completion_tokens_details", "-no", "-no" },
    { "system_fingerprint", "-ns", "-ns" },
    { "service_tier", "-ns", "-ns" },
    { NULL, NULL, NULL }
};


static char  chunk[] =
    "{'id':'a','object':'chat.completion.chunk','created':1,'model':'m',"
    "'choices':[{'index':0,'delta':{'role':'assistant','content':'Hi',"
        "'refusal':null,'annotations':[],'audio':null,"
        "'reasoning_content':'Hm','reasoning':'Hm','tool_calls':["
            "{'index':0,'id':'c1','type':'function','function':"
                "{'name':'f','arguments':''}},"
            "{'index':1,'custom':{'name':'g','input':'x'}}],"
        "'function_call':{'name':'f','arguments':''}},"
    "'finish_reason':null,'logprobs':null}],"
    "'usage':{'prompt_tokens':1,'completion_tokens':2,'total_tokens':3},"
    "'system_fingerprint':'fp','service_tier':'default','obfuscation':'x'}";

static shape_member_t  chunk_members[] = {
    { "id", "s", "s" },
    { "object", "", "s" },
    { "created", "i", "i" },
    { "model", "s", "s" },
    { "choices", "a", "a" },
    { "choices[0].index", "i", "i" },
    { "choices[0].delta", "o", "o" },
    { "choices[0].delta.role", "-n", "-ns" },
    { "choices[0].delta.content", "-ns", "-nsa" },
    { "choices[0].delta.refusal", "-ns", "-ns" },
    { "choices[0].delta.annotations", "-na", "-na" },
    { "choices[0].delta.audio", "-no", "-no" },
    { "choices[0].delta.reasoning_content", "-ns", "-ns" },
    { "choices[0].delta.reasoning", "-ns", "-ns" },
    { "choices[0].delta.tool_calls", "-na", "-na" },
    { "choices[0].delta.tool_calls[0].index", "i", "-ni" },
    { "choices[0].delta.tool_calls[0].id", "-ns", "-ns" },
    { "choices[0].delta.tool_calls[0].type", "-ns", "-ns" },
    { "choices[0].delta.tool_calls[0].function", "-no", "-no" },
    { "choices[0].delta.tool_calls[0].function.name", "-ns", "-ns" },
    { "choices[0].delta.tool_calls[0].function.arguments", "-ns", "-ns" },
    { "choices[0].delta.tool_calls[1].index", "i", "-ni" },
    { "choices[0].delta.tool_calls[1].custom", "-no", "-no" },
    { "choices[0].delta.tool_calls[1].custom.name", "-ns", "-ns" },
    { "choices[0].delta.tool_calls[1].custom.input", "-ns", "-ns" },
    { "choices[0].delta.function_call", "-no", "-no" },
    { "choices[0].delta.function_call.name", "-ns", "-ns" },
    { "choices[0].delta.function_call.arguments", "-ns", "-ns" },
    { "choices[0].finish_reason", "-ns", "-ns" },
    { "choices[0].logprobs", "-no", "-no" },
    { "usage", "-n", "-n" },
    { "usage.prompt_tokens", "i", "i" },
    { "usage.completion_tokens", "i", "i" },
    { "usage.total_tokens", "i", "i" },
    { "system_fingerprint", "-ns", "-ns" },
    { "service_tier", "-ns", "-ns" },
    { "obfuscation", "-ns", "-ns" },
    { NULL, NULL, NULL }
};


static shape_case_t  answers[] = {
    { "", 0, "array_below_min_length", "choices" },
    { "'Hi'", 0, "invalid_type", "choices[0]" },
    { CHOICE "'message':{'role':'assistant','content':'Hi'}}", ALL },
    { CHOICE "'message':{'role':'user','content':'Hi'}}",
      0, "invalid_value", "choices[0].message.role" },
    { CHOICE "'message':{'role':'assistant','content':"
      "[{'type':'thinking','thinking':[]}]}}",
      TOLERANT, "invalid_type", "choices[0].message.content" },
    { CHOICE "'message':{'role':'assistant','content':['Hi']}}",
      0, "invalid_type", NULL },
    { CHOICE "'message':{'role':'assistant','content':null,'tool_calls':["
      "{'id':'c','type':'acme:search','x':1}]}}", ALL },
    { CHOICE "'message':{'role':'assistant','content':null,'tool_calls':["
      "{'id':'c','type':'search','x':1}]}}",
      TOLERANT, "invalid_value", "choices[0].message.tool_calls[0].type" },
    { CHOICE "'message':{'role':'assistant','content':null,'tool_calls':["
      "{'id':'c','type':'function','function':{'name':'f','arguments':{}}}"
      "]}}", 0, "invalid_type",
      "choices[0].message.tool_calls[0].function.arguments" },
    { CHOICE "'message':{'role':'assistant','content':''},"
      "'stop_reason':null,'token_ids':[1]}", ALL },
    { CHOICE "'message':{'role':'assistant','content':''},"
      "'index':0}", 0, "duplicate_key", "choices[0].index" },
    { "{'index':-1,'finish_reason':'stop',"
      "'message':{'role':'assistant','content':''}}",
      0, "integer_below_min_value", "choices[0].index" },
    { "{'index':0,'finish_reason':'insufficient_system_resource',"
      "'message':{'role':'assistant','content':''}}", ALL },
    { NULL, 0, NULL, NULL }
};


static shape_case_t  chunks[] = {
    { "", ALL },
    { "{'index':0,'delta':{}}", ALL },
    { "{'index':0,'delta':{},'finish_reason':'stop'}", ALL },
    { "{'index':0,'delta':{'role':'','content':'x'}}",
      TOLERANT, "invalid_value", "choices[0].delta.role" },
    { "{'index':0,'delta':{'content':5}}",
      0, "invalid_type", "choices[0].delta.content" },
    { "{'index':0,'delta':{'content':[{'type':'text','text':'x'}]}}",
      TOLERANT, "invalid_type", "choices[0].delta.content" },
    { "{'index':0,'delta':{'tool_calls':[{'id':'c','function':{}}]}}",
      TOLERANT, "missing_required_parameter",
      "choices[0].delta.tool_calls[0].index" },
    { "{'index':0,'delta':{'tool_calls':[{'index':-1}]}}",
      0, "integer_below_min_value",
      "choices[0].delta.tool_calls[0].index" },
    { "{'index':0,'delta':'x'}", 0, "invalid_type", "choices[0].delta" },
    { "{'index':0,'text':'x'}",
      0, "missing_required_parameter", "choices[0].delta" },
    { "{'delta':{}}", 0, "missing_required_parameter", "choices[0].index" },
    { NULL, 0, NULL, NULL }
};


static shape_repair_t  repaired_answers[] = {
    { "an answer of choices only",
      "{'choices':[{'message':{}}]}",
      "{'choices':[{'message':{'role':'assistant','content':null},"
      "'index':0,'finish_reason':null}],'id':'','object':'chat.completion',"
      "'created':0,'model':''}" },
    { "null",
      "{'id':null,'object':null,'created':null,'model':null,'choices':["
      "{'index':null,'message':{'role':null,'content':null},"
      "'finish_reason':null}],'usage':null}",
      "{'id':'','object':'chat.completion','created':0,'model':'',"
      "'choices':[{'index':0,'message':{'role':'assistant','content':null},"
      "'finish_reason':null}],'usage':null}" },
    { "a call",
      "{'id':'a','object':'chat.completion','created':1,'model':'m',"
      "'choices':[{'index':0,'message':{'role':'assistant','content':null,"
      "'tool_calls':[{'id':'c','type':null,'function':{'name':'f'}},"
      "{'id':'d','function':{'name':'g','arguments':null}},"
      "{'id':'e','custom':{'name':'h'}}]},'finish_reason':'stop'}]}",
      "{'id':'a','object':'chat.completion','created':1,'model':'m',"
      "'choices':[{'index':0,'message':{'role':'assistant','content':null,"
      "'tool_calls':[{'id':'c','type':'function','function':{'name':'f',"
      "'arguments':'{}'}},{'id':'d','function':{'name':'g',"
      "'arguments':'{}'},'type':'function'},{'id':'e','custom':{'name':'h',"
      "'input':''},'type':'custom'}]},'finish_reason':'stop'}]}" },
    { "usage",
      "{'id':'a','object':'chat.completion','created':1,'model':'m',"
      "'choices':[{'index':0,'message':{'role':'assistant','content':''},"
      "'finish_reason':'stop'}],'usage':{'total_tokens':null}}",
      "{'id':'a','object':'chat.completion','created':1,'model':'m',"
      "'choices':[{'index':0,'message':{'role':'assistant','content':''},"
      "'finish_reason':'stop'}],'usage':{'total_tokens':0,"
      "'prompt_tokens':0,'completion_tokens':0}}" },
    { NULL, NULL, NULL }
};


static shape_repair_t  repaired_chunks[] = {
    { "a chunk without delta",
      "{'id':'','object':'chat.completion.chunk','created':0,'model':'',"
      "'choices':[{'index':0,'finish_reason':null},{'delta':null}]}",
      "{'id':'','object':'chat.completion.chunk','created':0,'model':'',"
      "'choices':[{'index':0,'finish_reason':null,'delta':{}},"
      "{'delta':{},'index':0}]}" },
    { "a chunk of choices only",
      "{'choices':[]}",
      "{'choices':[],'id':'','object':'chat.completion.chunk','created':0,"
      "'model':''}" },
    { NULL, NULL, NULL }
};


static void
test_errors(void)
{
    ngx_pool_t       *pool;
    ngx_ors_out_t     out;
    ngx_ors_error_t   err;

    pool = ngx_ors_test_pool();

    /* an error with status 200 is not repaired into an answer */

    ngx_ors_out_init(&out, pool, 4096);

    is_int(shape_validate("{\"error\":{\"message\":\"x\"}}",
                          &ngx_ors_fields_chat_answer, NGX_ORS_TOLERANT_SPEC,
                          pool, &err, &out),
           NGX_DECLINED, "an error is no answer");
    is_str(&err.param, "choices", "for it has no choices");

    is_int(shape_validate("{\"error\":{\"message\":\"x\"}}",
                          &ngx_ors_fields_chat_chunk, NGX_ORS_TOLERANT_SPEC,
                          pool, &err, &out),
           NGX_DECLINED, "an error is no chunk");
    is_str(&err.param, "choices", "for it has no choices");

    ngx_destroy_pool(pool);
}


int
main(void)
{
    shape_members(answer, &ngx_ors_fields_chat_answer, answer_members);
    shape_members(chunk, &ngx_ors_fields_chat_chunk, chunk_members);

    shape_cases(answers,
                "{'id':'a','object':'chat.completion','created':1,"
                "'model':'m','choices':[%s]}", &ngx_ors_fields_chat_answer);

    shape_cases(chunks,
                "{'id':'a','object':'chat.completion.chunk','created':1,"
                "'model':'m','choices':[%s]}", &ngx_ors_fields_chat_chunk);

    shape_repairs(repaired_answers, &ngx_ors_fields_chat_answer);
    shape_repairs(repaired_chunks, &ngx_ors_fields_chat_chunk);

    test_errors();

    return done_testing();
}
