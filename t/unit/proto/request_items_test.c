
/*
 * Copyright (C) Open Responses contributors
 */


/* Input items: each field good, null, missing, wrong. */


#include "request_table.h"


static test_t  items[] = {
    { "{'role':'user','content':'x'}", OK },
    { "{'type':'message','role':'user','content':[]}", OK },
    { "{'type':'message','role':'user','content':'','id':null,"
      "'status':null,'x':1}", OK },
    { "{'type':'message','role':'user'}",
      "missing_required_parameter", "content" },
    { "{'role':'user','content':null}", "invalid_type", "content" },
    { "{'role':'user','content':5}", "invalid_type", "content" },
    { "{'role':'user','content':true}", "invalid_type", "content" },
    { "{'role':'user','content':'','id':5}", "invalid_type", "id" },
    { "{'role':'user','content':'','status':[]}", "invalid_type", "status" },
    { "{'role':'system','content':'x'}", OK },
    { "{'type':'message','role':'system','content':[]}", OK },
    { "{'type':'message','role':'system','content':'','id':null,"
      "'status':null,'x':1}", OK },
    { "{'type':'message','role':'system'}",
      "missing_required_parameter", "content" },
    { "{'role':'system','content':null}", "invalid_type", "content" },
    { "{'role':'system','content':5}", "invalid_type", "content" },
    { "{'role':'system','content':true}", "invalid_type", "content" },
    { "{'role':'system','content':'','id':5}", "invalid_type", "id" },
    { "{'role':'system','content':'','status':[]}", "invalid_type", "status" },
    { "{'role':'developer','content':'x'}", OK },
    { "{'type':'message','role':'developer','content':[]}", OK },
    { "{'type':'message','role':'developer','content':'','id':null,"
      "'status':null,'x':1}", OK },
    { "{'type':'message','role':'developer'}",
      "missing_required_parameter", "content" },
    { "{'role':'developer','content':null}", "invalid_type", "content" },
    { "{'role':'developer','content':5}", "invalid_type", "content" },
    { "{'role':'developer','content':true}", "invalid_type", "content" },
    { "{'role':'developer','content':'','id':5}", "invalid_type", "id" },
    { "{'role':'developer','content':'','status':[]}",
      "invalid_type", "status" },
    { "{'role':'assistant','content':'x'}", OK },
    { "{'type':'message','role':'assistant','content':[]}", OK },
    { "{'type':'message','role':'assistant','content':'','id':null,"
      "'status':null,'x':1}", OK },
    { "{'type':'message','role':'assistant'}",
      "missing_required_parameter", "content" },
    { "{'role':'assistant','content':null}", "invalid_type", "content" },
    { "{'role':'assistant','content':5}", "invalid_type", "content" },
    { "{'role':'assistant','content':true}", "invalid_type", "content" },
    { "{'role':'assistant','content':'','id':5}", "invalid_type", "id" },
    { "{'role':'assistant','content':'','status':[]}",
      "invalid_type", "status" },
    { "{'type':null,'role':'user','content':'x'}", OK },
    { "{'id':'a','status':'odd','role':'user','content':'x'}", OK },
    { "{'content':'x','role':'user','type':'message'}", OK },
    { "{'type':'message','content':'x'}",
      "missing_required_parameter", "role" },
    { "{'type':'message','role':null,'content':'x'}",
      "missing_required_parameter", "role" },
    { "{'role':'tool','content':'x'}", "invalid_value", "role" },
    { "{'role':5,'content':'x'}", "invalid_type", "role" },
    { "{'type':'message','role':'User'}", "invalid_value", "role" },
    { "{'role':'user','role':'system','content':'x'}",
      "duplicate_key", "role" },
    { "{'role':'user','content':'x','content':[]}",
      "duplicate_key", "content" },
    { "{'type':null,'type':'message','role':'user','content':''}",
      "duplicate_key", "type" },
    { "{'type':'message','role':'system','content':'','type':'reasoning'}",
      "duplicate_key", "type" },
    { "{'type':'message','role':'assistant','content':'','type':'reasoning'}",
      "duplicate_key", "type" },
    { "{'role':'user','content':'','phase':'x'}", OK },
    { "{'role':'assistant','content':'','phase':null}", OK },
    { "{'role':'assistant','content':'','phase':'commentary'}", OK },
    { "{'role':'assistant','content':'','phase':'final_answer'}", OK },
    { "{'role':'assistant','content':'','phase':'x'}",
      "invalid_value", "phase" },
    { "{'role':'assistant','content':'','phase':5}", "invalid_type", "phase" },
    { "{}", "missing_required_parameter", "type" },
    { "{'content':'x'}", "missing_required_parameter", "type" },
    { "{'type':5}", "invalid_type", "type" },
    { "{'role':null,'type':null}", "missing_required_parameter", "type" },
    { "{'type':'acme:search','id':'a','status':'completed'}", OK },
    { "{'type':'acme:search'}", OK },
    { "{'type':'acme:'}", "unsupported_item", "type" },
    { "{'type':':search'}", "unsupported_item", "type" },
    { "{'type':'web_search_call'}", "unsupported_item", "type" },
    { "{'type':''}", "unsupported_item", "type" },
    { "{'type':'item_reference','id':'a'}", OK },
    { "{'id':'a'}", OK },
    { "{'id':'a','type':null,'x':1}", OK },
    { "{'type':'item_reference'}", "missing_required_parameter", "id" },
    { "{'type':'item_reference','id':null}", "invalid_type", "id" },
    { "{'type':'item_reference','id':5}", "invalid_type", "id" },
    { "{'id':['a']}", "invalid_type", "id" },
    { "{'id':'a','id':'b'}", "duplicate_key", "id" },
    { "{'id':'a','type':null,'type':'message'}", "duplicate_key", "type" },
    { "{'id':'a','role':null,'role':'user','content':{}}",
      "duplicate_key", "role" },
    { "{'type':'function_call','call_id':'c','name':'f','arguments':''}", OK },
    { "{'type':'function_call','call_id':'c','name':'f','arguments':'',"
      "'id':null,'status':null}", OK },
    { "{'type':'function_call','call_id':'c','name':'f','arguments':'',"
      "'id':'fc','status':'in_progress','namespace':5}", OK },
    { "{'type':'function_call','call_id':'c','name':'f','arguments':'',"
      "'status':'completed'}", OK },
    { "{'type':'function_call','call_id':'c','name':'f','arguments':'',"
      "'status':'incomplete'}", OK },
    { "{'type':'function_call','call_id':'c','name':'f','arguments':'',"
      "'status':'failed'}", "invalid_value", "status" },
    { "{'type':'function_call','call_id':'c','name':'f','arguments':'',"
      "'status':5}", "invalid_type", "status" },
    { "{'type':'function_call','call_id':'c','name':'f','arguments':'',"
      "'id':5}", "invalid_type", "id" },
    { "{'type':'function_call','call_id':'c','name':'f','arguments':'',"
      "'arguments':''}", "duplicate_key", "arguments" },
    { "{'type':'function_call','name':'f','arguments':'{}'}",
      "missing_required_parameter", "call_id" },
    { "{'type':'function_call','call_id':null,'name':'f','arguments':'{}'}",
      "invalid_type", "call_id" },
    { "{'type':'function_call','call_id':5,'name':'f','arguments':'{}'}",
      "invalid_type", "call_id" },
    { "{'type':'function_call','call_id':{},'name':'f','arguments':'{}'}",
      "invalid_type", "call_id" },
    { "{'type':'function_call','call_id':'c','arguments':'{}'}",
      "missing_required_parameter", "name" },
    { "{'type':'function_call','call_id':'c','name':null,'arguments':'{}'}",
      "invalid_type", "name" },
    { "{'type':'function_call','call_id':'c','name':5,'arguments':'{}'}",
      "invalid_type", "name" },
    { "{'type':'function_call','call_id':'c','name':{},'arguments':'{}'}",
      "invalid_type", "name" },
    { "{'type':'function_call','call_id':'c','name':'f'}",
      "missing_required_parameter", "arguments" },
    { "{'type':'function_call','call_id':'c','name':'f','arguments':null}",
      "invalid_type", "arguments" },
    { "{'type':'function_call','call_id':'c','name':'f','arguments':5}",
      "invalid_type", "arguments" },
    { "{'type':'function_call','call_id':'c','name':'f','arguments':{}}",
      "invalid_type", "arguments" },
    { "{'type':'function_call','call_id':'','name':'f','arguments':'{}'}",
      "string_below_min_length", "call_id" },
    { "{'type':'function_call','call_id':'ccccccccccccccccccccccccccccccccc"
      "ccccccccccccccccccccccccccccccc','name':'f','arguments':'{}'}", OK },
    { "{'type':'function_call','call_id':'ccccccccccccccccccccccccccccccccc"
      "cccccccccccccccccccccccccccccccc','name':'f','arguments':'{}'}",
      "string_above_max_length", "call_id" },
    { "{'type':'function_call','call_id':'a b\\u00e9','name':'f',"
      "'arguments':'{}'}", OK },
    { "{'type':'function_call','call_id':'c','name':'','arguments':'{}'}",
      "string_below_min_length", "name" },
    { "{'type':'function_call','call_id':'c',"
      "'name':'cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"
      "cccc','arguments':'{}'}", OK },
    { "{'type':'function_call','call_id':'c',"
      "'name':'cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"
      "ccccc','arguments':'{}'}", "string_above_max_length", "name" },
    { "{'type':'function_call','call_id':'c','name':'a/b','arguments':'{}'}",
      "invalid_value", "name" },
    { "{'type':'function_call','call_id':'c','name':'a-b_9Z',"
      "'arguments':'{}'}", OK },
    { "{'type':'function_call_output','call_id':'c','output':''}", OK },
    { "{'type':'function_call_output','call_id':'c','output':'x'}", OK },
    { "{'type':'function_call_output','call_id':'c','output':[]}", OK },
    { "{'type':'function_call_output','call_id':'c','output':null}",
      "invalid_type", "output" },
    { "{'type':'function_call_output','call_id':'c','output':true}",
      "invalid_type", "output" },
    { "{'type':'function_call_output','call_id':'c','output':5}",
      "invalid_type", "output" },
    { "{'type':'function_call_output','call_id':'c'}",
      "missing_required_parameter", "output" },
    { "{'type':'function_call_output','output':''}",
      "missing_required_parameter", "call_id" },
    { "{'type':'function_call_output',"
      "'call_id':'ccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"
      "ccccccc','output':''}", OK },
    { "{'type':'function_call_output',"
      "'call_id':'ccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"
      "cccccccc','output':''}", "string_above_max_length", "call_id" },
    { "{'type':'function_call_output','call_id':'','output':''}",
      "string_below_min_length", "call_id" },
    { "{'type':'function_call_output','call_id':5,'output':''}",
      "invalid_type", "call_id" },
    { "{'type':'function_call_output','call_id':'c','output':'','id':'x',"
      "'status':'completed'}", OK },
    { "{'type':'function_call_output','call_id':'c','output':'','id':null,"
      "'status':null}", OK },
    { "{'type':'function_call_output','call_id':'c','output':'',"
      "'status':'x'}", "invalid_value", "status" },
    { "{'type':'function_call_output','call_id':'c','output':'','id':[]}",
      "invalid_type", "id" },
    { "{'type':'reasoning','summary':[]}", OK },
    { "{'type':'reasoning','summary':[{'type':'summary_text','text':'x'}],"
      "'id':'r','status':'x'}", OK },
    { "{'type':'reasoning','summary':[],'id':null,'content':null,"
      "'encrypted_content':null}", OK },
    { "{'type':'reasoning','summary':[],'encrypted_content':'x'}", OK },
    { "{'type':'reasoning','summary':[],'content':[]}", OK },
    { "{'type':'reasoning','summary':[],"
      "'content':[{'type':'reasoning_text','text':'x'}]}", OK },
    { "{'type':'reasoning','summary':[],'content':[{'type':'text',"
      "'text':5}]}", OK },
    { "{'type':'reasoning','id':'r'}",
      "missing_required_parameter", "summary" },
    { "{'type':'reasoning','summary':null}", "invalid_type", "summary" },
    { "{'type':'reasoning','summary':'x'}", "invalid_type", "summary" },
    { "{'type':'reasoning','summary':['x']}", "invalid_type", "summary[0]" },
    { "{'type':'reasoning','summary':[{'type':'summary_text'}]}",
      "missing_required_parameter", "summary[0].text" },
    { "{'type':'reasoning','summary':[{'text':'x'}]}",
      "missing_required_parameter", "summary[0].type" },
    { "{'type':'reasoning','summary':[{'type':'text','text':'x'}]}",
      "invalid_value", "summary[0].type" },
    { "{'type':'reasoning','summary':[{'type':'summary_text','text':5}]}",
      "invalid_type", "summary[0].text" },
    { "{'type':'reasoning','summary':[],'id':5}", "invalid_type", "id" },
    { "{'type':'reasoning','summary':[],'content':'x'}",
      "invalid_type", "content" },
    { "{'type':'reasoning','summary':[],'content':{}}",
      "invalid_type", "content" },
    { "{'type':'reasoning','summary':[],"
      "'content':[{'type':'reasoning_text'}]}",
      "missing_required_parameter", "content[0].text" },
    { "{'type':'reasoning','summary':[],'content':[{}]}",
      "missing_required_parameter", "content[0].type" },
    { "{'type':'reasoning','summary':[],'encrypted_content':5}",
      "invalid_type", "encrypted_content" },
    { "{'type':'compaction','encrypted_content':'x'}", OK },
    { "{'type':'compaction','encrypted_content':'','id':null}", OK },
    { "{'type':'compaction'}",
      "missing_required_parameter", "encrypted_content" },
    { "{'type':'compaction','encrypted_content':null}",
      "invalid_type", "encrypted_content" },
    { "{'type':'compaction','encrypted_content':[]}",
      "invalid_type", "encrypted_content" },
    { "{'type':'compaction','encrypted_content':'','id':5}",
      "invalid_type", "id" },
    { NULL, OK }
};


int
main(void)
{
    test_table(items, "{'model':'m','input':[%s]}", "input[0]");

    return done_testing();
}
