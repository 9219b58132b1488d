
/*
 * Copyright (C) Open Responses contributors
 */


/* Content parts: where they may stand, each field good and wrong. */


#include "request_table.h"


/* which part may stand where: user, system, assistant, output */

typedef struct {
    char  *text;
    char  *where;
} part_t;


static void test_places(void);


static part_t  parts[] = {
    { "{'type':'input_text','text':'x'}", "usao" },
    { "{'type':'input_image'}", "uo" },
    { "{'type':'input_file'}", "uo" },
    { "{'type':'input_video','video_url':'x'}", "uo" },
    { "{'type':'output_text','text':'x'}", "a" },
    { "{'type':'refusal','refusal':'x'}", "a" },
    { "{'type':'summary_text','text':'x'}", "" },
    { "{'type':'acme:x'}", "" },
    { NULL, NULL }
};


static test_t  user_parts[] = {
    { "{'type':'input_text'}", "missing_required_parameter", "text" },
    { "{'type':'input_text','text':null}", "invalid_type", "text" },
    { "{'type':'input_text','text':5}", "invalid_type", "text" },
    { "{'type':'input_text','text':''}", OK },
    { "{'text':'x'}", "missing_required_parameter", "type" },
    { "{'type':null,'text':'x'}", "missing_required_parameter", "type" },
    { "{'type':5}", "invalid_type", "type" },
    { "'x'", "invalid_type", "" },
    { "null", "invalid_type", "" },
    { "[]", "invalid_type", "" },
    { "{'type':'input_text','text':'a','text':'b'}", "duplicate_key", "text" },
    { "{'type':'input_text','type':'input_text','text':'b'}",
      "duplicate_key", "type" },
    { "{'type':'input_image','image_url':'x','detail':'low'}", OK },
    { "{'type':'input_image','image_url':null,'detail':null,'file_id':'f'}",
      OK },
    { "{'type':'input_image','detail':'original'}", OK },
    { "{'type':'input_image','image_url':{'url':'x'}}",
      "invalid_type", "image_url" },
    { "{'type':'input_image','detail':5}", "invalid_type", "detail" },
    { "{'type':'input_file','filename':'x','file_data':'x','file_url':'x'}",
      OK },
    { "{'type':'input_file','filename':null,'file_data':null,"
      "'file_url':null}", OK },
    { "{'type':'input_file','filename':5}", "invalid_type", "filename" },
    { "{'type':'input_file','file_data':5}", "invalid_type", "file_data" },
    { "{'type':'input_file','file_url':5}", "invalid_type", "file_url" },
    { NULL, OK }
};


static test_t  assistant_parts[] = {
    { "{'type':'output_text'}", "missing_required_parameter", "text" },
    { "{'type':'output_text','text':5}", "invalid_type", "text" },
    { "{'type':'output_text','text':'','annotations':null,'logprobs':5}", OK },
    { "{'type':'output_text','text':'','annotations':[]}", OK },
    { "{'type':'output_text','text':'',"
      "'annotations':[{'type':'url_citation','url':'u','title':'t',"
      "'start_index':0,'end_index':1}]}", OK },
    { "{'type':'output_text','text':'',"
      "'annotations':[{'type':'url_citation','url':'u','title':'t',"
      "'start_index':1e1,'end_index':1}]}", OK },
    { "{'type':'output_text','text':'',"
      "'annotations':[{'type':'url_citation','title':'t','start_index':0,"
      "'end_index':1}]}", "missing_required_parameter", "annotations[0].url" },
    { "{'type':'output_text','text':'',"
      "'annotations':[{'type':'url_citation','url':null,'title':'t',"
      "'start_index':0,'end_index':1}]}",
      "invalid_type", "annotations[0].url" },
    { "{'type':'output_text','text':'',"
      "'annotations':[{'type':'url_citation','url':true,'title':'t',"
      "'start_index':0,'end_index':1}]}",
      "invalid_type", "annotations[0].url" },
    { "{'type':'output_text','text':'',"
      "'annotations':[{'type':'url_citation','url':'u','start_index':0,"
      "'end_index':1}]}",
      "missing_required_parameter", "annotations[0].title" },
    { "{'type':'output_text','text':'',"
      "'annotations':[{'type':'url_citation','url':'u','title':null,"
      "'start_index':0,'end_index':1}]}",
      "invalid_type", "annotations[0].title" },
    { "{'type':'output_text','text':'',"
      "'annotations':[{'type':'url_citation','url':'u','title':true,"
      "'start_index':0,'end_index':1}]}",
      "invalid_type", "annotations[0].title" },
    { "{'type':'output_text','text':'',"
      "'annotations':[{'type':'url_citation','url':'u','title':'t',"
      "'end_index':1}]}",
      "missing_required_parameter", "annotations[0].start_index" },
    { "{'type':'output_text','text':'',"
      "'annotations':[{'type':'url_citation','url':'u','title':'t',"
      "'start_index':null,'end_index':1}]}",
      "invalid_type", "annotations[0].start_index" },
    { "{'type':'output_text','text':'',"
      "'annotations':[{'type':'url_citation','url':'u','title':'t',"
      "'start_index':true,'end_index':1}]}",
      "invalid_type", "annotations[0].start_index" },
    { "{'type':'output_text','text':'',"
      "'annotations':[{'type':'url_citation','url':'u','title':'t',"
      "'start_index':0}]}",
      "missing_required_parameter", "annotations[0].end_index" },
    { "{'type':'output_text','text':'',"
      "'annotations':[{'type':'url_citation','url':'u','title':'t',"
      "'start_index':0,'end_index':null}]}",
      "invalid_type", "annotations[0].end_index" },
    { "{'type':'output_text','text':'',"
      "'annotations':[{'type':'url_citation','url':'u','title':'t',"
      "'start_index':0,'end_index':true}]}",
      "invalid_type", "annotations[0].end_index" },
    { "{'type':'output_text','text':'',"
      "'annotations':[{'type':'url_citation','url':'u','title':'t',"
      "'start_index':-1,'end_index':1}]}",
      "integer_below_min_value", "annotations[0].start_index" },
    { "{'type':'output_text','text':'',"
      "'annotations':[{'type':'url_citation','url':'u','title':'t',"
      "'start_index':0,'end_index':-1}]}",
      "integer_below_min_value", "annotations[0].end_index" },
    { "{'type':'output_text','text':'',"
      "'annotations':[{'type':'url_citation','url':'u','title':'t',"
      "'start_index':0,'end_index':0.5}]}",
      "invalid_type", "annotations[0].end_index" },
    { "{'type':'output_text','text':'','annotations':[{}]}",
      "missing_required_parameter", "annotations[0].type" },
    { "{'type':'output_text','text':'','annotations':[5]}",
      "invalid_type", "annotations[0]" },
    { "{'type':'output_text','text':'',"
      "'annotations':[{'type':'file_citation','index':'x'}]}", OK },
    { "{'type':'output_text','text':'','annotations':{}}",
      "invalid_type", "annotations" },
    { "{'type':'refusal'}", "missing_required_parameter", "refusal" },
    { "{'type':'refusal','refusal':null}", "invalid_type", "refusal" },
    { "{'type':'refusal','refusal':5}", "invalid_type", "refusal" },
    { "{'type':'input_text'}", "missing_required_parameter", "text" },
    { NULL, OK }
};


static test_t  output_parts[] = {
    { "{'type':'input_video'}", "missing_required_parameter", "video_url" },
    { "{'type':'input_video','video_url':null}", "invalid_type", "video_url" },
    { "{'type':'input_video','video_url':5}", "invalid_type", "video_url" },
    { "{'type':'input_image','detail':[]}", "invalid_type", "detail" },
    { NULL, OK }
};


int
main(void)
{
    test_places();

    test_table(user_parts,
               "{'model':'m','input':[{'role':'user','content':[%s]}]}",
               "input[0].content[0]");

    test_table(assistant_parts,
               "{'model':'m','input':[{'role':'assistant','content':[%s]}]}",
               "input[0].content[0]");

    test_table(output_parts,
               "{'model':'m','input':[{'type':'function_call_output',"
               "'call_id':'c','output':[%s]}]}", "input[0].output[0]");

    return done_testing();
}


static void
test_places(void)
{
    part_t  *part;
    test_t   test;

    for (part = parts; part->text; part++) {
        test.text = part->text;
        test.param = "type";

        test.code = strchr(part->where, 'u') ? NULL : "invalid_value";
        test_one(&test, "{'model':'m','input':[{'role':'user',"
                 "'content':[%s]}]}", "input[0].content[0]");

        test.code = strchr(part->where, 's') ? NULL : "invalid_value";
        test_one(&test, "{'model':'m','input':[{'role':'system',"
                 "'content':[%s]}]}", "input[0].content[0]");
        test_one(&test, "{'model':'m','input':[{'role':'developer',"
                 "'content':[%s]}]}", "input[0].content[0]");

        test.code = strchr(part->where, 'a') ? NULL : "invalid_value";
        test_one(&test, "{'model':'m','input':[{'role':'assistant',"
                 "'content':[%s]}]}", "input[0].content[0]");

        test.code = strchr(part->where, 'o') ? NULL : "invalid_value";
        test_one(&test, "{'model':'m','input':[{'type':'function_call_output',"
                 "'call_id':'c','output':[%s]}]}", "input[0].output[0]");
    }
}
