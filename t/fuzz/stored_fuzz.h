
/*
 * Output items, as another server's responses have them, for the fuzz target
 * of what is stored.  "#" and "$" are as in request_fuzz.h.
 */


#ifndef _STORED_FUZZ_H_INCLUDED_
#define _STORED_FUZZ_H_INCLUDED_


static const char  *stored_fuzz_fragments[] = {

    ",{'type':'message','id':'m#','status':'completed','role':'assistant',"
        "'content':[{'type':'output_text','text':'$','annotations':[],"
        "'logprobs':[]}]}",
    ",{'type':'message','id':'m#','status':'incomplete','role':'assistant',"
        "'content':[{'type':'refusal','refusal':'$'},{'type':'x#'}]}",
    ",{'type':'message','id':'m#','role':'assistant','content':[{'type':"
        "'reasoning_text','text':'$'},{'type':'summary_text','text':'$'},"
        "{'type':'text','text':'$'}]}",
    ",{'type':'function_call','id':'f#','call_id':'c#','name':'f#',"
        "'arguments':'{}','status':'completed'}",
    ",{'type':'function_call','id':'f#','call_id':'c#','name':'f',"
        "'namespace':'n#','arguments':'$'}",
    ",{'type':'function_call_output','id':'o#','call_id':'c#','output':'$'}",
    ",{'type':'reasoning','id':'r#','summary':[],'content':[{'type':"
        "'reasoning_text','text':'$'}],'encrypted_content':'$'}",
    ",{'type':'compaction','id':'k#','encrypted_content':'$'}",
    ",{'type':'context_compaction','id':'k#','encrypted_content':'$'}",
    ",{'type':'custom_tool_call','id':'u#','call_id':'c#','name':'f#','input':"
        "'$'}",
    ",{'type':'custom_tool_call_output','id':'u#','call_id':'c#','output':[]}",
    ",{'type':'tool_search_call','id':'t#','call_id':'c#','arguments':{},"
        "'execution':'client'}",
    ",{'type':'tool_search_call','id':'t#','arguments':#}",
    ",{'type':'tool_search_output','id':'t#','call_id':'c#','tools':[{}]}",
    ",{'type':'tool_search_output','id':'t#','tools':[{'type':'function'},"
        "{'type':'custom'},{'type':'namespace'}]}",
    ",{'type':'tool_search_output','id':'t#','call_id':'c#','tools':[{'type':"
        "'namespace','name':'n#'},{'type':'function','name':#},{'type':#},"
        "{'name':'f#'}]}",
    ",{'type':'tool_search_output','id':'t#','tools':[{'type':'namespace',"
        "'name':'n','tools':[{},{'type':'function'},{'type':'custom','name':"
        "'u#','format':{}}]}]}",
    ",{'type':'additional_tools','id':'a#','tools':[{'type':'custom','name':"
        "'u#','format':{'type':'grammar'}}]}",
    ",{'type':'additional_tools','id':'a#','role':'developer','tools':[{"
        "'type':'function','function':{}},{'type':'function','name':'f#',"
        "'parameters':#,'strict':true}]}",
    ",{'type':'additional_tools','tools':[{'type':'namespace','name':'n',"
        "'tools':#},{'type':'namespace','tools':[]}]}",
    ",{'type':'web_search_call','id':'w#','status':'completed','action':{"
        "'type':'search','query':'$'}}",
    ",{'type':'local_shell_call','id':'l#','call_id':'c#','action':{}}",
    ",{'type':'mcp_list_tools','id':'x#','tools':[{}]}",
    ",{'type':'mcp_approval_request','id':'x#','name':'$','arguments':'{}'}",
    ",{'type':'file_search_call','id':'s#','queries':[#],'results':null}",
    ",{'type':'code_interpreter_call','id':'i#','code':null,'outputs':[{}]}",
    ",{'type':'image_generation_call','id':'g#','result':'$'}",
    ",{'type':'slug:name','id':'e#','a':'$'}",
    ",{'type':'x#','id':'y#'}",

    /* nothing that any server should have sent */

    ",{}",
    ",{'type':#}",
    ",{'id':#}",
    ",{'role':#,'content':#}",
    ",{'type':'message','role':'user'}",
    ",{'type':'message','role':'assistant','content':[{},{'type':#},#]}",
    ",{'type':'message','role':'user','content':[{'type':'input_text'},{"
        "'type':'input_image'},{'type':'input_file'},{'type':'input_video'}]}",
    ",{'type':'message','role':'system','content':{}}",
    ",{'type':'function_call'}",
    ",{'type':'function_call','call_id':#,'name':#,'arguments':#}",
    ",{'type':'function_call_output'}",
    ",{'type':'function_call_output','call_id':'c#','output':{}}",
    ",{'type':'function_call_output','call_id':'c#','output':[{},#]}",
    ",{'type':'custom_tool_call','call_id':'c#'}",
    ",{'type':'custom_tool_call','name':'f','call_id':'c#','input':#}",
    ",{'type':'custom_tool_call_output','call_id':'c#'}",
    ",{'type':'reasoning','summary':#,'content':#}",
    ",{'type':'reasoning','summary':[{},#],'content':[{},#],"
        "'encrypted_content':#}",
    ",{'type':'compaction'}",
    ",{'type':'compaction','encrypted_content':#}",
    ",{'type':'item_reference'}",
    ",{'type':'item_reference','id':#}",
    ",{'type':'tool_search_call'}",
    ",{'type':'tool_search_output'}",
    ",{'type':'tool_search_output','tools':#,'call_id':#}",
    ",{'type':'tool_search_output','call_id':'c#','tools':[#,[]]}",
    ",{'type':'additional_tools'}",
    ",{'type':'additional_tools','tools':{}}",
    ",{'type':'additional_tools','tools':[#]}",
    ",#",
    ",[]",
    ",{"
};

#define STORED_FUZZ_N                                                         \
    (sizeof(stored_fuzz_fragments) / sizeof(stored_fuzz_fragments[0]))


#endif /* _STORED_FUZZ_H_INCLUDED_ */
