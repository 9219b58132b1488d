
/*
 * Copyright (C) Open Responses contributors
 */


/* Parameters and tools that one profile takes and another one does not. */


#include "profile_table.h"


#define CHARS16  "cccccccccccccccc"
#define CHARS64  CHARS16 CHARS16 CHARS16 CHARS16


static void test_found(void);


static frame_t  body = { &ngx_ors_fields_create, "%s", "" };

static frame_t  param = { &ngx_ors_fields_create,
                          "{'model':'m','input':'x',%s}", "" };

static frame_t  compact = { &ngx_ors_fields_compact, "%s", "" };


static reading_t  bodies[] = {
    { "{}", ALL, NULL, NULL },
    { "{'model':null,'input':null}", ALL, NULL, NULL },
    { "{'input':''}", ALL, NULL, NULL },
    { "{'input':[]}", ALL, NULL, NULL },
    { "{'model':5}", NONE, TYPE, "model" },
    { "{'input':true}", NONE, TYPE, "input" },
    { "{'input':[null]}", NONE, TYPE, "input[0]" },
    { "[]", NONE, TYPE, "" },
    { "{'model':'m','model':'m'}", NONE, "duplicate_key", "model" },
    { "{'mesages':5,'allowed_tools':5,'seed':[]}", ALL, NULL, NULL },
    { "{'provider':'p','provider_options':[{'type':'p'}],'params':{'a':1}}",
      ALL, NULL, NULL },
    { "{'provider':{'order':['p']}}", ALL, NULL, NULL },
    { "{'provider':null,'provider_options':null,'params':null}", ALL, NULL,
      NULL },
    { "{'provider':[]}", NGX_ORS_STRICT_SPEC, TYPE, "provider" },
    { "{'provider_options':{}}", NGX_ORS_STRICT_SPEC, TYPE,
      "provider_options" },
    { "{'provider_options':['p']}", NGX_ORS_STRICT_SPEC, TYPE,
      "provider_options[0]" },
    { "{'params':[]}", STRICT, TYPE, "params" },
    { NULL, 0, NULL, NULL }
};


/* the six that may not be null, those in others, and one that may */

static reading_t  nulls[] = {
    { "'include':null", WIDE, TYPE, "include" },
    { "'stream':null", WIDE, TYPE, "stream" },
    { "'background':null", WIDE, TYPE, "background" },
    { "'truncation':null", WIDE, TYPE, "truncation" },
    { "'store':null", WIDE, TYPE, "store" },
    { "'service_tier':null", WIDE, TYPE, "service_tier" },
    { "'text':{'verbosity':null}", WIDE, TYPE, "text.verbosity" },
    { "'text':{'format':{'type':null}}", WIDE, TYPE, "text.format.type" },
    { "'text':{'format':{'name':null}}", WIDE, TYPE, "text.format.name" },
    { "'text':{'format':{'schema':null}}", WIDE, TYPE, "text.format.schema" },
    { "'text':{'format':{'description':null}}", WIDE, TYPE,
      "text.format.description" },
    { "'stream_options':{'include_obfuscation':null}", WIDE, TYPE,
      "stream_options.include_obfuscation" },
    { "'tools':[{'type':'function','name':'f','strict':null}]", WIDE, TYPE,
      "tools[0].strict" },
    { "'tool_choice':{'type':'allowed_tools','mode':null,"
      "'tools':[{'type':'function','name':'f'}]}", WIDE, TYPE,
      "tool_choice.mode" },
    { "'tool_choice':{'type':'function','name':null}", NONE, TYPE,
      "tool_choice.name" },
    { "'metadata':{'a':null}", NONE, TYPE, "metadata.a" },
    { "'tools':[{'type':'function','name':null}]", NONE, TYPE,
      "tools[0].name" },

    { "'previous_response_id':null,'tools':null,'tool_choice':null,"
      "'metadata':null,'text':null,'temperature':null,'top_p':null,"
      "'presence_penalty':null,'frequency_penalty':null,"
      "'parallel_tool_calls':null,'stream_options':null,"
      "'max_output_tokens':null,'max_tool_calls':null,'reasoning':null,"
      "'safety_identifier':null,'prompt_cache_key':null,"
      "'instructions':null,'top_logprobs':null", ALL, NULL, NULL },
    { "'text':{'format':null}", ALL, NULL, NULL },
    { "'text':{'format':{'strict':null}}", ALL, NULL, NULL },
    { "'reasoning':{'effort':null,'summary':null}", ALL, NULL, NULL },
    { "'tools':[{'type':'function','name':'f','description':null,"
      "'parameters':null}]", ALL, NULL, NULL },
    { NULL, 0, NULL, NULL }
};


static reading_t  params[] = {
    { "'include':['reasoning.encrypted_content',"
      "'message.output_text.logprobs','reasoning.encrypted_content']", ALL,
      NULL, NULL },
    { "'include':['file_search_call.results','web_search_call.results',"
      "'web_search_call.action.sources','message.input_image.image_url',"
      "'computer_call_output.output.image_url',"
      "'code_interpreter_call.outputs']", WIDE, VALUE, "include[0]" },
    { "'include':['odd']", TOLERANT, VALUE, "include[0]" },
    { "'include':['']", TOLERANT, VALUE, "include[0]" },
    { "'include':[5]", NONE, TYPE, "include[0]" },

    { "'service_tier':'auto'", ALL, NULL, NULL },
    { "'service_tier':'flex'", ALL, NULL, NULL },
    { "'service_tier':'scale'", FLAVOR, VALUE, "service_tier" },
    { "'service_tier':'fast'", FLAVOR, VALUE, "service_tier" },
    { "'service_tier':'standard'", NONE, VALUE, "service_tier" },   /* C13 */
    { "'service_tier':'batch'", NONE, VALUE, "service_tier" },

    { "'reasoning':{'effort':'xhigh','summary':'auto'}", ALL, NULL, NULL },
    { "'reasoning':{'effort':'minimal'}", WIDE, VALUE,           /* C12 */
      "reasoning.effort" },
    { "'reasoning':{'effort':'max'}", FLAVOR, VALUE, "reasoning.effort" },
    { "'reasoning':{'effort':'odd'}", NONE, VALUE, "reasoning.effort" },
    { "'reasoning':{'context':'all_turns','mode':'pro',"
      "'generate_summary':'auto'}", ALL, NULL, NULL },
    { "'reasoning':{'context':5}", ALL & ~OPENAI, TYPE,
      "reasoning.context" },
    { "'reasoning':{'generate_summary':'odd'}", ALL & ~OPENAI, VALUE,
      "reasoning.generate_summary" },

    { "'text':{'format':{'type':'json_object'}}", WIDE, VALUE,   /* C11 */
      "text.format.type" },
    { "'text':{'format':{}}", ALL, NULL, NULL },
    { "'text':{'format':{'type':'json_schema'}}", ALL, NULL, NULL },
    { "'text':{'format':{'type':'grammar'}}", NONE, VALUE,
      "text.format.type" },
    { "'text':{'format':{'schema':[]}}", NONE, TYPE, "text.format.schema" },

    { "'stream_options':{'include_usage':true,"
      "'reasoning_summary_delivery':'x'}", ALL, NULL, NULL },     /* C25 */
    { "'stream_options':{'include_usage':5}", ALL & ~OPENAI, TYPE,
      "stream_options.include_usage" },

    { "'temperature':99,'top_p':-1", ALL, NULL, NULL },
    { "'max_output_tokens':16.0", ALL, NULL, NULL },
    { "'max_output_tokens':15", NONE, "integer_below_min_value",
      "max_output_tokens" },
    { "'max_tool_calls':0", NONE, "integer_below_min_value",
      "max_tool_calls" },
    { "'top_logprobs':21", NONE, "integer_above_max_value", "top_logprobs" },
    { "'top_logprobs':-1", NONE, "integer_below_min_value", "top_logprobs" },
    { "'instructions':[]", NONE, TYPE, "instructions" },
    { "'metadata':{'" CHARS64 "':''}", ALL, NULL, NULL },
    { "'metadata':{'" CHARS64 "c':''}", NONE, "string_above_max_length",
      "metadata" },

    /* parameters that the specification has not */

    { "'conversation':{'id':'c'},'prompt':{'id':'p'},'user':'',"
      "'client_metadata':{'a':'b'},'prompt_cache_retention':'24h',"
      "'prompt_cache_options':{'mode':'explicit'},"
      "'context_management':[{'type':'compaction'}],"
      "'moderation':{'model':'m'},'access_programs':{},'image':{}", ALL,
      NULL, NULL },
    { "'conversation':'c','conversation':'c'", SPEC, "duplicate_key",
      "conversation" },
    { "'user':5", ALL & ~OPENAI, TYPE, "user" },
    { "'client_metadata':'x'", ALL & ~OPENAI, TYPE, "client_metadata" },
    { "'prompt_cache_retention':5", ALL & ~OPENAI, TYPE,
      "prompt_cache_retention" },
    { "'prompt_cache_options':5", ALL & ~OPENAI, TYPE,
      "prompt_cache_options" },
    { "'context_management':5", ALL & ~FLAVOR, TYPE, "context_management" },
    { "'context_management':[{'compact_threshold':1000}]", ALL & ~FLAVOR,
      "missing_required_parameter", "context_management[0].type" },
    { "'context_management':[{'type':'compaction','compact_threshold':999}]",
      ALL & ~FLAVOR, "integer_below_min_value",
      "context_management[0].compact_threshold" },
    { "'context_management':[{'type':'x','compact_threshold':null,'y':1}]",
      ALL, NULL, NULL },
    { "'moderation':5", ALL & ~OPENAI, TYPE, "moderation" },
    { "'access_programs':5", ALL & ~OPENAI, TYPE, "access_programs" },
    { "'image':5", ALL & ~OPENAI, TYPE, "image" },
    { NULL, 0, NULL, NULL }
};


/* C14: a type with a prefix is an extension, others must be known */

static reading_t  tools[] = {
    { "'tools':[{'type':'function','name':'f'}]", ALL, NULL, NULL },
    { "'tools':[{'type':'acme:search','name':5}]", ALL, NULL, NULL },
    { "'tools':[{'type':'acme:'}]", TOLERANT, VALUE, "tools[0].type" },
    { "'tools':[{'type':':search'}]", TOLERANT, VALUE, "tools[0].type" },
    { "'tools':[{'type':'search'}]", TOLERANT, VALUE, "tools[0].type" },
    { "'tools':[{'type':''}]", TOLERANT, VALUE, "tools[0].type" },
    { "'tools':[{'type':'web_search'}]", WIDE, VALUE, "tools[0].type" },
    { "'tools':[{'type':'function','function':{'name':'f'}}]", TOLERANT,
      UNKNOWN, "tools[0].function" },
    { "'tools':[{'type':'function','name':'f','function':{}}]", TOLERANT,
      UNKNOWN, "tools[0].function" },
    { "'tools':[{'type':'function'}]", NONE, MISSING, "tools[0].name" },
    { "'tool_choice':{'type':'function','function':{'name':'f'}}", TOLERANT,
      UNKNOWN, "tool_choice.function" },
    { "'tool_choice':{'type':'allowed_tools','tools':[{'type':'function',"
      "'function':{'name':'f'}}]}", TOLERANT, UNKNOWN,
      "tool_choice.tools[0].function" },
    { "'tools':[{'type':'function','name':''}]", NONE,
      "string_below_min_length", "tools[0].name" },
    { "'tools':[{'type':'function','name':'" CHARS64 "'}]", ALL, NULL, NULL },
    { "'tools':[{'type':'function','name':'" CHARS64 "c'}]", NONE,
      "string_above_max_length", "tools[0].name" },
    { "'tools':[{'type':'function','name':'a.b'}]", NONE, VALUE,
      "tools[0].name" },
    { "'tools':[{'type':'function','name':'f','async':5,'output_schema':5,"
      "'defer_loading':5,'allowed_callers':5}]", ALL & ~OPENAI, TYPE,
      "tools[0].async" },

    { "'tool_choice':'required'", ALL, NULL, NULL },
    { "'tool_choice':'any'", NONE, VALUE, "tool_choice" },
    { "'tool_choice':{'type':'function','name':'a.b'}", ALL, NULL, NULL },
    { "'tool_choice':{'type':'function'}", NONE, MISSING,
      "tool_choice.name" },
    { "'tool_choice':{'type':'acme:search'}", NONE, VALUE,
      "tool_choice.type" },
    { "'tool_choice':{'type':'web_search'}", FLAVOR, VALUE,
      "tool_choice.type" },
    { "'tool_choice':{'type':'allowed_tools','tools':[]}", NONE,
      "array_below_min_length", "tool_choice.tools" },
    { "'tool_choice':{'type':'allowed_tools','tools':[{'type':'mcp'}]}",
      FLAVOR, VALUE, "tool_choice.tools[0].type" },
    { NULL, 0, NULL, NULL }
};


static reading_t  compacts[] = {
    { "{'model':'m'}", ALL, NULL, NULL },
    { "{'model':'m','input':null,'previous_response_id':null,"
      "'instructions':null,'prompt_cache_key':null}", ALL, NULL, NULL },
    { "{'model':'m','input':[{'type':'message','role':'user',"
      "'content':'x'}],'previous_response_id':'r','instructions':'i',"
      "'prompt_cache_key':'" CHARS64 "','stream':5}", ALL, NULL, NULL },
    { "{}", NONE, MISSING, "model" },
    { "{'model':null}", NONE, TYPE, "model" },
    { "{'model':5}", NONE, TYPE, "model" },
    { "{'model':'m','input':5}", NONE, TYPE, "input" },
    { "{'model':'m','input':[{}]}", NONE, MISSING, "input[0].type" },
    { "{'model':'m','input':[{'role':'user','content':'x'}]}", WIDE, MISSING,
      "input[0].type" },
    { "{'model':'m','instructions':[]}", NONE, TYPE, "instructions" },
    { "{'model':'m','previous_response_id':5}", NONE, TYPE,
      "previous_response_id" },
    { "{'model':'m','prompt_cache_key':'" CHARS64 "c'}", NONE,
      "string_above_max_length", "prompt_cache_key" },
    { "{'model':'m','tools':{}}", ALL & ~OPENAI, TYPE, "tools" },
    { "{'model':'m','tools':[{'type':'web_search'}],'reasoning':{},"
      "'parallel_tool_calls':true,'service_tier':'fast','text':{},"
      "'prompt_cache_retention':'24h'}", ALL, NULL, NULL },
    { "{'model':'m','reasoning':{'effort':'odd'}}", ALL & ~OPENAI, VALUE,
      "reasoning.effort" },
    { NULL, 0, NULL, NULL }
};


int
main(void)
{
    test_readings(&body, bodies, ALL);
    test_readings(&param, nulls, ALL);
    test_readings(&param, params, ALL);
    test_readings(&param, tools, ALL);
    test_readings(&compact, compacts, ALL);

    test_found();

    return done_testing();
}


/* rows of the flavor come after those that there is room for */

static void
test_found(void)
{
    char                text[64];
    ngx_pool_t         *pool;
    ngx_ors_error_t     err;
    ngx_ors_policy_t    policy;
    ngx_ors_request_t   req;

    pool = ngx_ors_test_pool();

    ngx_memzero(&policy, sizeof(ngx_ors_policy_t));
    policy.profile = OPENAI;
    policy.unknown = ngx_ors_unknown_auto;
    policy.mask = 0;

    strcpy(text, "{'prompt':{},'user':'u','moderation':{}}");

    is_int(read_in(&ngx_ors_fields_create, &policy, text, pool, &req, &err),
           NGX_OK, "what the flavor has");
    ok(req.field[ngx_ors_rq_prompt] != NULL, "the last one is found");
    ok(req.name == NULL, "nothing is written after it");

    ngx_destroy_pool(pool);
}
