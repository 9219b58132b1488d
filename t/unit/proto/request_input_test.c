
/*
 * Copyright (C) Open Responses contributors
 */


/* Items and their parts that one profile takes and another one does not. */


#include "profile_table.h"


#define CHARS16  "cccccccccccccccc"
#define CHARS64  CHARS16 CHARS16 CHARS16 CHARS16

#define MESSAGE(role, rest)  "{'type':'message','role':'" role "'," rest "}"
#define CALL(rest)                                                            \
    "{'type':'function_call','call_id':'c','name':'f'," rest "}"
#define OUTPUT(rest)                                                          \
    "{'type':'function_call_output','call_id':'c'," rest "}"


static frame_t  input = { &ngx_ors_fields_create, "{'input':[%s]}",
                          "input[0]" };

static frame_t  user = { &ngx_ors_fields_create, "{'input':["
                         MESSAGE("user", "'content':[%s]") "]}",
                         "input[0].content[0]" };

static frame_t  developer = { &ngx_ors_fields_create, "{'input':["
                              MESSAGE("developer", "'content':[%s]") "]}",
                              "input[0].content[0]" };

static frame_t  assistant = { &ngx_ors_fields_create, "{'input':["
                              MESSAGE("assistant", "'content':[%s]") "]}",
                              "input[0].content[0]" };

static frame_t  output = { &ngx_ors_fields_create, "{'input':["
                           OUTPUT("'output':[%s]") "]}",
                           "input[0].output[0]" };


static reading_t  items[] = {

    /* C1: a message without a type */

    { "{'role':'user','content':'x'}", WIDE, MISSING, "type" },
    { "{'type':null,'role':'user','content':'x'}", WIDE, MISSING, "type" },
    { "{'role':'assistant','content':[]}", WIDE, MISSING, "type" },
    { "{'content':'x'}", NONE, MISSING, "type" },
    { "{'id':'a','role':'user','content':'x'}", ALL, NULL, NULL },
    { "{'id':'a','role':'user'}", SPEC, MISSING, "content" },

    { "{'id':'a'}", ALL, NULL, NULL },
    { "{'id':'a','type':null}", ALL, NULL, NULL },
    { "{'id':'a','type':'item_reference','x':1}", ALL, NULL, NULL },
    { "{'type':'item_reference'}", NONE, MISSING, "id" },
    { "{'id':5}", NONE, TYPE, "id" },
    { "{'id':null}", NONE, MISSING, "type" },

    { MESSAGE("user", "'content':''"), ALL, NULL, NULL },
    { MESSAGE("user", "'content':[],'id':null,'status':null"), ALL, NULL,
      NULL },
    { MESSAGE("user", "'content':'','status':'odd','phase':5"), ALL, NULL,
      NULL },
    { MESSAGE("system", "'content':''"), ALL, NULL, NULL },
    { MESSAGE("developer", "'content':[]"), ALL, NULL, NULL },
    { MESSAGE("tool", "'content':''"), NONE, VALUE, "role" },    /* C17 */
    { MESSAGE("critic", "'content':''"), NONE, VALUE, "role" },
    { MESSAGE("user", "'id':'a'"), NONE, MISSING, "content" },
    { MESSAGE("user", "'content':null"), NONE, TYPE, "content" },
    { MESSAGE("user", "'content':true"), NONE, TYPE, "content" },
    { MESSAGE("user", "'content':{'type':'input_text','text':'x'}"), TOLERANT,
      TYPE, "content" },
    { MESSAGE("user", "'content':'','id':5"), NONE, TYPE, "id" },
    { "{'type':'message','content':''}", NONE, MISSING, "role" },
    { "{'role':'user','content':'','type':'message'}", ALL, NULL, NULL },
    { MESSAGE("assistant", "'content':'','phase':'commentary'"), ALL, NULL,
      NULL },
    { MESSAGE("assistant", "'content':'','phase':null"), WIDE, TYPE,
      "phase" },
    { MESSAGE("assistant", "'content':'','phase':'odd'"), NONE, VALUE,
      "phase" },

    { CALL("'arguments':''"), ALL, NULL, NULL },
    { CALL("'arguments':'','id':null,'status':null"), ALL, NULL, NULL },
    { CALL("'arguments':'','status':'odd'"), NONE, VALUE, "status" },
    { CALL("'arguments':{}"), NONE, TYPE, "arguments" },
    { CALL("'id':'a'"), NONE, MISSING, "arguments" },
    { CALL("'arguments':'','namespace':5"), ALL & ~FLAVOR, TYPE,
      "namespace" },
    { CALL("'arguments':'','async':5"), ALL & ~OPENAI, TYPE, "async" },
    { CALL("'arguments':'','caller':5"), ALL & ~OPENAI, TYPE, "caller" },
    { CALL("'arguments':'','parsed_arguments':5,'namespace':'n'"), ALL, NULL,
      NULL },
    { "{'type':'function_call','call_id':'" CHARS64 "','name':'" CHARS64 "',"
      "'arguments':''}", ALL, NULL, NULL },
    { "{'type':'function_call','call_id':'" CHARS64 "c','name':'f',"
      "'arguments':''}", NONE, "string_above_max_length", "call_id" },
    { "{'type':'function_call','call_id':'','name':'f','arguments':''}",
      NONE, "string_below_min_length", "call_id" },
    { "{'type':'function_call','call_id':'c','name':'" CHARS64 "c',"
      "'arguments':''}", NONE, "string_above_max_length", "name" },
    { "{'type':'function_call','call_id':'c','name':'','arguments':''}",
      NONE, "string_below_min_length", "name" },
    { "{'type':'function_call','call_id':'c','name':'a b','arguments':''}",
      NONE, VALUE, "name" },

    { OUTPUT("'output':''"), ALL, NULL, NULL },
    { OUTPUT("'output':[],'id':null,'status':null"), ALL, NULL, NULL },
    { OUTPUT("'output':true"), NONE, TYPE, "output" },
    { OUTPUT("'output':{'type':'input_text','text':'x'}"), TOLERANT, TYPE,
      "output" },
    { OUTPUT("'id':'a'"), NONE, MISSING, "output" },
    { OUTPUT("'output':'','name':5"), ALL & ~OPENAI, TYPE, "name" },
    { "{'type':'function_call_output','output':''}", FLAVOR, MISSING,
      "call_id" },
    { "{'type':'function_call_output','output':'','call_id':null}", FLAVOR,
      TYPE, "call_id" },
    { "{'type':'function_call_output','output':'','call_id':''}", NONE,
      "string_below_min_length", "call_id" },

    /* C8: the content of reasoning */

    { "{'type':'reasoning','summary':[]}", ALL, NULL, NULL },
    { "{'type':'reasoning','summary':[],'id':null,'content':null,"
      "'encrypted_content':null,'status':'completed'}", ALL, NULL, NULL },
    { "{'type':'reasoning','summary':[],'content':[]}", WIDE, TYPE,
      "content" },
    { "{'type':'reasoning','summary':[],'content':[{'type':'reasoning_text',"
      "'text':'x'},{'type':'text','text':'x'}]}", WIDE, TYPE, "content" },
    { "{'type':'reasoning','summary':[],'content':'x'}", NONE, TYPE,
      "content" },
    { "{'type':'reasoning','summary':[],'content':{}}", NONE, TYPE,
      "content" },
    { "{'type':'reasoning'}", NONE, MISSING, "summary" },
    { "{'type':'reasoning','summary':[{'type':'summary_text'}]}", NONE,
      MISSING, "summary[0].text" },
    { "{'type':'reasoning','summary':[],'status':5}", ALL & ~OPENAI, TYPE,
      "status" },

    { "{'type':'compaction','encrypted_content':'','id':null}", ALL, NULL,
      NULL },
    { "{'type':'compaction','encrypted_content':null}", NONE, TYPE,
      "encrypted_content" },
    { "{'type':'compaction','encrypted_content':'','created_by':5}",
      ALL & ~OPENAI, TYPE, "created_by" },

    /* C14: extensions */

    { "{'type':'acme:search','id':'a','status':'odd','content':{},"
      "'role':'x'}", ALL, NULL, NULL },
    { "{'type':'acme:search','status':'odd'}", TOLERANT, MISSING, "id" },
    { "{'type':'acme:search','id':'a'}", TOLERANT, MISSING, "status" },
    { "{'type':'acme:search','id':5}", NONE, TYPE, "id" },
    { "{'type':'acme:search','type':'message'}", NONE, "duplicate_key",
      "type" },
    { "{'type':'acme:'}", NONE, ITEM, "type" },
    { "{'type':':search'}", NONE, ITEM, "type" },
    { "{'type':'search'}", NONE, ITEM, "type" },
    { "{'type':''}", NONE, ITEM, "type" },
    { "{'type':5}", NONE, TYPE, "type" },
    { "{'type':'web_search_call','id':'a'}", FLAVOR, ITEM, "type" },
    { NULL, 0, NULL, NULL }
};


static reading_t  user_parts[] = {
    { "{'type':'input_text','text':'x','prompt_cache_breakpoint':{}}", ALL,
      NULL, NULL },
    { "{'type':'input_text','text':null}", NONE, TYPE, "text" },
    { "{'type':'input_image'}", ALL, NULL, NULL },
    { "{'type':'input_image','image_url':null,'detail':null}", ALL, NULL,
      NULL },
    { "{'type':'input_image','detail':'auto'}", ALL, NULL, NULL },
    { "{'type':'input_image','detail':'original'}", WIDE, VALUE, "detail" },
    { "{'type':'input_image','detail':'odd'}", TOLERANT, VALUE, "detail" },
    { "{'type':'input_image','detail':5}", NONE, TYPE, "detail" },
    { "{'type':'input_image','image_url':{}}", NONE, TYPE, "image_url" },
    { "{'type':'input_image','file_id':'f'}", ALL, NULL, NULL },
    { "{'type':'input_image','file_id':5}", ALL & ~OPENAI, TYPE, "file_id" },
    { "{'type':'input_file','filename':null,'file_data':null,"
      "'file_url':null,'file_id':null}", ALL, NULL, NULL },
    { "{'type':'input_file','file_url':5}", NONE, TYPE, "file_url" },
    { "{'type':'input_file','file_id':5}", ALL & ~OPENAI, TYPE, "file_id" },
    { "{'type':'input_file','detail':5}", ALL & ~OPENAI, TYPE, "detail" },
    { "{'type':'input_video','video_url':'x'}", TOLERANT, VALUE, "type" },
    { "{'type':'input_audio','input_audio':{}}", FLAVOR, VALUE, "type" },
    { "{'type':'output_text','text':'x'}", NONE, VALUE, "type" },
    { "{'type':'acme:part'}", NONE, VALUE, "type" },
    { NULL, 0, NULL, NULL }
};


static reading_t  developer_parts[] = {
    { "{'type':'input_text','text':''}", ALL, NULL, NULL },
    { "{'type':'input_image'}", FLAVOR, VALUE, "type" },
    { "{'type':'input_file'}", FLAVOR, VALUE, "type" },
    { NULL, 0, NULL, NULL }
};


static reading_t  assistant_parts[] = {
    { "{'type':'output_text','text':'','annotations':[],'logprobs':[]}", ALL,
      NULL, NULL },
    { "{'type':'output_text','text':'','annotations':null}", WIDE, TYPE,
      "annotations" },
    { "{'type':'output_text','text':'','logprobs':5}", ALL & ~OPENAI, TYPE,
      "logprobs" },
    { "{'type':'output_text','text':'','parsed':{}}", ALL, NULL, NULL },
    { "{'type':'refusal','refusal':''}", ALL, NULL, NULL },
    { "{'type':'input_text','text':''}", WIDE, VALUE, "type" },
    { "{'type':'input_image'}", FLAVOR, VALUE, "type" },
    { "{'type':'output_text','text':'','annotations':[{'type':"
      "'url_citation','url':'','title':'','start_index':0,'end_index':0}]}",
      ALL, NULL, NULL },
    { "{'type':'output_text','text':'','annotations':[{'type':"
      "'url_citation','url':'','title':'','start_index':-1,'end_index':0}]}",
      NONE, "integer_below_min_value", "annotations[0].start_index" },
    { "{'type':'output_text','text':'','annotations':[{'type':"
      "'url_citation','url':'','start_index':0,'end_index':0}]}", NONE,
      MISSING, "annotations[0].title" },
    { "{'type':'output_text','text':'','annotations':[{'type':"
      "'acme:citation','url':5}]}", ALL, NULL, NULL },
    { "{'type':'output_text','text':'','annotations':[{'type':'citation'}]}",
      TOLERANT, VALUE, "annotations[0].type" },
    { "{'type':'output_text','text':'','annotations':[{'type':"
      "'file_citation','file_id':'f','index':0,'filename':'n'},"
      "{'type':'file_path'},{'type':'container_file_citation'}]}", WIDE,
      VALUE, "annotations[0].type" },
    { NULL, 0, NULL, NULL }
};


static reading_t  output_parts[] = {
    { "{'type':'input_text','text':''}", ALL, NULL, NULL },
    { "{'type':'input_image','file_id':'f'}", ALL, NULL, NULL },
    { "{'type':'input_video','video_url':''}", ALL, NULL, NULL },
    { "{'type':'input_video','video_url':null}", NONE, TYPE, "video_url" },
    { "{'type':'input_audio','audio_url':'u'}", FLAVOR, VALUE, "type" },
    { "{'type':'encrypted_content','encrypted_content':'x'}", FLAVOR, VALUE,
      "type" },
    { "{'type':'output_text','text':''}", NONE, VALUE, "type" },
    { NULL, 0, NULL, NULL }
};


int
main(void)
{
    test_readings(&input, items, ALL);
    test_readings(&user, user_parts, ALL);
    test_readings(&developer, developer_parts, ALL);
    test_readings(&assistant, assistant_parts, ALL);
    test_readings(&output, output_parts, ALL);

    return done_testing();
}
