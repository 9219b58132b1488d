
/*
 * Copyright (C) Open Responses contributors
 */


/* Tools, tool_choice and text: objects in objects. */


#include "request_table.h"


static test_t  fields[] = {
    { "'text':null", OK },
    { "'text':{}", OK },
    { "'text':{'format':null,'verbosity':null}", OK },
    { "'text':{'verbosity':'low'}", OK },
    { "'text':{'verbosity':'medium'}", OK },
    { "'text':{'verbosity':'high'}", OK },
    { "'text':{'verbosity':'x'}", "invalid_value", "text.verbosity" },
    { "'text':{'verbosity':1}", "invalid_type", "text.verbosity" },
    { "'text':'x'", "invalid_type", "text" },
    { "'text':{'format':{'type':'text'}}", OK },
    { "'text':{'format':{'type':'json_object'}}", OK },
    { "'text':{'format':{'type':'json_schema','name':'n',"
      "'schema':{'a':[]}}}", OK },
    { "'text':{'format':{'type':'json_schema','schema':{},'name':null,"
      "'description':null,'strict':null}}", OK },
    { "'text':{'format':{'schema':{},'strict':true,'description':'d'}}", OK },
    { "'text':{'format':{'type':null,'schema':{}}}", OK },
    { "'text':{'format':{}}", OK },
    { "'text':{'format':{'type':'json_schema'}}", OK },
    { "'text':{'format':{'type':'json_schema','schema':null}}", OK },
    { "'text':{'format':{'type':'json_schema','schema':'{}'}}",
      "invalid_type", "text.format.schema" },
    { "'text':{'format':{'schema':{},'name':5}}",
      "invalid_type", "text.format.name" },
    { "'text':{'format':{'schema':{},'strict':'x'}}",
      "invalid_type", "text.format.strict" },
    { "'text':{'format':{'schema':{},'description':[]}}",
      "invalid_type", "text.format.description" },
    { "'text':{'format':{'type':'xml'}}",
      "invalid_value", "text.format.type" },
    { "'text':{'format':{'type':5}}", "invalid_type", "text.format.type" },
    { "'text':{'format':'text'}", "invalid_type", "text.format" },
    { "'text':{'format':{'type':'json_schema','schema':{},'type':'text'}}",
      "duplicate_key", "text.format.type" },
    { "'text':{'format':{'type':'text','type':'json_object'}}",
      "duplicate_key", "text.format.type" },
    { "'tools':null", OK },
    { "'tools':[]", OK },
    { "'tools':[{'type':'function','name':'f'}]", OK },
    { "'tools':[{'type':'function','name':'f','description':null,"
      "'parameters':null,'strict':null}]", OK },
    { "'tools':[{'type':'function','name':'f','description':'d',"
      "'parameters':{'a':[1]},'strict':true}]", OK },
    { "'tools':[{'type':'web_search'},{'type':'custom','name':5},"
      "{'type':'acme:x'},{'type':''}]", OK },
    { "'tools':[{'type':'web_search','type':'function'}]",
      "duplicate_key", "tools[0].type" },
    { "'tools':[{'name':'f','type':'function','name':'g'}]",
      "duplicate_key", "tools[0].name" },
    { "'tools':[{'type':'function','name':'nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"
      "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn'}]", OK },
    { "'tools':[{'type':'function','name':'nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"
      "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn'}]",
      "string_above_max_length", "tools[0].name" },
    { "'tools':[{'type':'function','name':''}]",
      "string_below_min_length", "tools[0].name" },
    { "'tools':[{'type':'function','name':'a.b'}]",
      "invalid_value", "tools[0].name" },
    { "'tools':[{'type':'function','name':'é'}]",
      "invalid_value", "tools[0].name" },
    { "'tools':[{'type':'function','name':'\\u0041\\u005f-z09'}]", OK },
    { "'tools':[{'type':'function','name':'a\\u0020b'}]",
      "invalid_value", "tools[0].name" },
    { "'tools':[{'type':'function'}]",
      "missing_required_parameter", "tools[0].name" },
    { "'tools':[{'type':'function','function':{'name':'f'}}]", OK },
    { "'tools':[{'function':{'strict':null,'parameters':{},'name':'f',"
      "'description':'d','x':1},'name':null,'type':'function'}]", OK },
    { "'tools':[{'type':'function','function':{}}]",
      "missing_required_parameter", "tools[0].function.name" },
    { "'tools':[{'type':'function','function':{'name':'a.b'}}]",
      "invalid_value", "tools[0].function.name" },
    { "'tools':[{'type':'function','function':{'name':''}}]",
      "string_below_min_length", "tools[0].function.name" },
    { "'tools':[{'type':'function','function':{'name':'nnnnnnnnnnnnnnnn"
      "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn'}}]",
      "string_above_max_length", "tools[0].function.name" },
    { "'tools':[{'type':'function','function':{'name':'f','parameters':[]}}]",
      "invalid_type", "tools[0].function.parameters" },
    { "'tools':[{'type':'function','function':{'name':'f','strict':1}}]",
      "invalid_type", "tools[0].function.strict" },
    { "'tools':[{'type':'function','function':{'name':'f','name':'f'}}]",
      "duplicate_key", "tools[0].function.name" },
    { "'tools':[{'type':'function','function':'f'}]",
      "invalid_type", "tools[0].function" },
    { "'tools':[{'type':'function','function':null}]",
      "missing_required_parameter", "tools[0].name" },
    { "'tools':[{'type':'function','name':'f','function':5}]", OK },
    { "'tools':[{'type':'function','name':null}]",
      "invalid_type", "tools[0].name" },
    { "'tools':[{'name':'f'}]",
      "missing_required_parameter", "tools[0].type" },
    { "'tools':[{'type':null,'name':'f'}]",
      "missing_required_parameter", "tools[0].type" },
    { "'tools':[{'type':5}]", "invalid_type", "tools[0].type" },
    { "'tools':[null]", "invalid_type", "tools[0]" },
    { "'tools':{}", "invalid_type", "tools" },
    { "'tools':[{'type':'function','name':'f'},{'type':'function',"
      "'name':5}]", "invalid_type", "tools[1].name" },
    { "'tools':[{'type':'function','name':'f','description':5}]",
      "invalid_type", "tools[0].description" },
    { "'tools':[{'type':'function','name':'f','parameters':'{}'}]",
      "invalid_type", "tools[0].parameters" },
    { "'tools':[{'type':'function','name':'f','strict':'x'}]",
      "invalid_type", "tools[0].strict" },
    { "'tool_choice':null", OK },
    { "'tool_choice':'none'", OK },
    { "'tool_choice':'auto'", OK },
    { "'tool_choice':'required'", OK },
    { "'tool_choice':'any'", "invalid_value", "tool_choice" },
    { "'tool_choice':5", "invalid_type", "tool_choice" },
    { "'tool_choice':[]", "invalid_type", "tool_choice" },
    { "'tool_choice':{'type':'function','name':'a.b'}", OK },
    { "'tool_choice':{'type':'function'}",
      "missing_required_parameter", "tool_choice.name" },
    { "'tool_choice':{'type':'function','name':5}",
      "invalid_type", "tool_choice.name" },
    { "'tool_choice':{'type':'function','function':{'name':'f'}}", OK },
    { "'tool_choice':{'type':'function','function':{}}",
      "missing_required_parameter", "tool_choice.function.name" },
    { "'tool_choice':{'type':'function','function':{'name':1}}",
      "invalid_type", "tool_choice.function.name" },
    { "'tool_choice':{'type':'function','function':[]}",
      "invalid_type", "tool_choice.function" },
    { "'tool_choice':{'type':'allowed_tools','tools':[{'type':'function',"
      "'function':{'name':'f'}}]}", OK },
    { "'tool_choice':{'type':'allowed_tools','tools':[{'type':'function',"
      "'function':{'name':1}}]}",
      "invalid_type", "tool_choice.tools[0].function.name" },
    { "'tool_choice':{}", "missing_required_parameter", "tool_choice.type" },
    { "'tool_choice':{'type':'custom','name':'x'}",
      "invalid_value", "tool_choice.type" },
    { "'tool_choice':{'type':5}", "invalid_type", "tool_choice.type" },
    { "'tool_choice':{'type':'function','name':'f','name':'g'}",
      "duplicate_key", "tool_choice.name" },
    { "'tool_choice':{'type':'allowed_tools','tools':[{'type':'function',"
      "'name':'f'}]}", OK },
    { "'tool_choice':{'type':'allowed_tools','mode':null,"
      "'tools':[{'type':'function','name':'f'}]}", OK },
    { "'tool_choice':{'type':'allowed_tools','mode':'required',"
      "'tools':[{'type':'function','name':'f'}]}", OK },
    { "'tool_choice':{'type':'allowed_tools','mode':'any','tools':[]}",
      "invalid_value", "tool_choice.mode" },
    { "'tool_choice':{'type':'allowed_tools','mode':5}",
      "invalid_type", "tool_choice.mode" },
    { "'tool_choice':{'type':'allowed_tools'}",
      "missing_required_parameter", "tool_choice.tools" },
    { "'tool_choice':{'type':'allowed_tools','tools':null}",
      "invalid_type", "tool_choice.tools" },
    { "'tool_choice':{'type':'allowed_tools','tools':{}}",
      "invalid_type", "tool_choice.tools" },
    { "'tool_choice':{'type':'allowed_tools','tools':[]}",
      "array_below_min_length", "tool_choice.tools" },
    { "'tool_choice':{'type':'allowed_tools','tools':[{'type':'function'}]}",
      "missing_required_parameter", "tool_choice.tools[0].name" },
    { "'tool_choice':{'type':'allowed_tools','tools':[{'name':'f'}]}",
      "missing_required_parameter", "tool_choice.tools[0].type" },
    { "'tool_choice':{'type':'allowed_tools','tools':[{'type':'mcp'}]}",
      "invalid_value", "tool_choice.tools[0].type" },
    { "'tool_choice':{'type':'allowed_tools','tools':['f']}",
      "invalid_type", "tool_choice.tools[0]" },
    { NULL, OK }
};


int
main(void)
{
    test_table(fields, "{'model':'m','input':'x',%s}", "");

    return done_testing();
}
