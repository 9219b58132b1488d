
/*
 * Items and parameters of requests, for fuzz targets that put requests
 * together.
 */


#ifndef _REQUEST_FUZZ_H_INCLUDED_
#define _REQUEST_FUZZ_H_INCLUDED_


/* "#" is a digit that the next byte chooses, "$" a word of its own */

static const char  *request_fuzz_fragments[] = {

    ",{'role':'user','content':'$'}",
    ",{'type':'message','role':'user','content':[{'type':'input_text',"
        "'text':'$'}]}",
    ",{'role':'user','content':[{'type':'input_text','text':'$'},{'type':"
        "'input_image','image_url':'$','detail':'original'},{'type':"
        "'input_text','text':'$'},{'type':'input_file','filename':'a',"
        "'file_data':'$'}]}",
    ",{'role':'user','content':[]}",
    ",{'role':'user','content':[{'type':'input_image','image_url':null}]}",
    ",{'role':'system','content':'$'}",
    ",{'role':'developer','content':[{'type':'input_text','text':'$'},"
        "{'type':'input_text','text':''},{'type':'input_text','text':'$'}]}",
    ",{'role':'assistant','content':'$'}",
    ",{'type':'message','role':'assistant','id':'m#','status':'completed',"
        "'content':[{'type':'output_text','text':'$','annotations':[]},"
        "{'type':'refusal','refusal':'$'},{'type':'input_text','text':'$'}]}",
    ",{'role':'assistant','content':[]}",
    ",{'role':'assistant','content':[{'type':'refusal','refusal':'$'},"
        "{'type':'refusal','refusal':'$'}]}",
    ",{'type':'function_call','call_id':'c#','name':'f#','arguments':'{}'}",
    ",{'type':'function_call','call_id':'\\u0063#','name':'f','arguments':"
        "'','id':'$','status':null}",
    ",{'type':'function_call_output','call_id':'c#','output':'$'}",
    ",{'type':'function_call_output','call_id':'\\u0063#','output':[]}",
    ",{'type':'function_call_output','call_id':'c#','output':[{'type':"
        "'input_text','text':'$'},{'type':'input_image','image_url':'$'},"
        "{'type':'input_file','file_data':'$'}]}",
    ",{'type':'function_call_output','call_id':'c#','output':[{'type':"
        "'input_image','image_url':'$'}]}",
    ",{'type':'function_call_output','call_id':'c#','output':[{'type':"
        "'input_video','video_url':'$'}]}",
    ",{'type':'reasoning','summary':[{'type':'summary_text','text':'$'}],"
        "'encrypted_content':null}",
    ",{'type':'compaction','encrypted_content':'$'}",
    ",{'type':'item_reference','id':'m#'}",
    ",{'id':'m#'}",
    ",{'type':'x#'}",
    ",{'type':'mess\\u0061ge','role':'us\\u0065r','content':'$'}",
    ",{'type':null,'role':'user','content':'$','content':'$'}",
    ",null",
    ",#",

    "],'instructions':'$','x':[#",
    "],'tools':[{'type':'function','name':'f#'},{'type':'function','name':"
        "'f','description':'$','parameters':{'type':'object'},'strict':true}"
        ",{'type':'web_search'}",
    "],'tool_choice':'auto','x':[#",
    "],'tool_choice':{'type':'function','name':'f#'},'x':[#",
    "],'tool_choice':{'type':'allowed_tools','mode':'required','tools':["
        "{'type':'function','name':'f#'}]},'x':[#",
    "],'text':{'format':{'type':'json_schema','name':'$','schema':{},"
        "'strict':null},'verbosity':'low'},'x':[#",
    "],'text':{'format':{'schema':{'$':#}}},'x':[#",
    "],'text':{'format':{'type':'json_object'}},'x':[#",
    "],'text':{'format':null},'x':[#",
    "],'reasoning':{'effort':'high','summary':null},'x':[#",
    "],'reasoning':{'effort':'minimal','summary':'auto'},'x':[#",
    "],'temperature':0.#,'top_p':1e#,'x':[#",
    "],'max_output_tokens':1#e1,'max_tool_calls':#,'x':[#",
    "],'stream':true,'stream_options':{'include_obfuscation':false},'x':[#",
    "],'metadata':{'$':'$','a':'b'},'x':[#",
    "],'top_logprobs':0,'background':false,'store':true,'x':[#",
    "],'parallel_tool_calls':false,'truncation':'auto','x':[#",
    "],'service_tier':'flex','safety_identifier':'$','x':[#",
    "],'previous_response_id':null,'include':['$'],'x':[#",
    "],'prompt_cache_key':'\\ud83d\\ude00\\ud83d$','x':[#",
    "],'top_logprobs':#,'x':[#",
    "],'conversation':null,'prompt':#,'x':[#",
    "],'input':[#",
    "],'model':'#','x':[#",
    "]",
    "'",

    /* of the flavor "openai" */

    ",{'type':'custom_tool_call','call_id':'c#','name':'f#','input':"
        "'$\\n\\u0022\\\\'}",
    ",{'type':'custom_tool_call','call_id':'c#','name':'\\u00e9','namespace':"
        "'n_','input':''}",
    ",{'type':'function_call','call_id':'c#','name':'n__f','namespace':'n',"
        "'arguments':'{}'}",
    ",{'type':'custom_tool_call_output','call_id':'c#','output':'$'}",
    ",{'type':'additional_tools','tools':[{'type':'custom','name':'$'},"
        "{'type':'namespace','name':'n#','tools':[{'type':'function','name':"
        "'f#'}]}]}",
    "],'tools':[{'type':'custom','name':'$','format':{'type':'grammar',"
        "'syntax':'lark','definition':'$'}},{'type':'namespace','name':'n#_"
        "1234567890123456789012345678901234567890123456789012345','tools':["
        "{'type':'function','name':'f#'},{'type':'custom','name':'\\n#'}]}",
    "],'tool_choice':{'type':'custom','name':'w#'},'x':[#",
    "],'tool_choice':{'type':'web_search'},'x':[#",

    /* searches for tools, and functions as Chat Completions has them */

    ",{'type':'tool_search_call','call_id':'c#','arguments':{'$':[#,'\\'']}}",
    ",{'type':'tool_search_call','call_id':'c#','arguments':'$'}",
    ",{'type':'tool_search_call','call_id':null}",
    ",{'type':'tool_search_output','call_id':'c#','tools':[{'type':'function',"
        "'name':'f#'},{'type':'namespace','name':'n','tools':[{'type':"
        "'custom','name':'$'}]},{'type':'web_search'}]}",
    ",{'type':'tool_search_output','tools':[{'type':'function','function':{"
        "'name':'f#'}}]}",
    "],'tools':[{'type':'tool_search','execution':'client','parameters':{}},"
        "{'type':'web_search_x'},{'type':'function','function':{'name':'f#',"
        "'strict':true}}",
    "],'tool_choice':{'type':'tool_search'},'x':[#",
    "],'tool_choice':{'type':'function','function':{'name':'f#'}},'x':[#",

    /* schemas */

    "],'tools':[{'type':'function','name':'f','parameters':{'type':'object',"
        "'properties':{'a#':{'type':'string','enum':['$'],'default':#},'b#':{"
        "'oneOf':[{'$ref':'x'},{'const':null}]},'c#':{'type':['object'],"
        "'properties':{'$':{'type':'array','items':{'type':'object',"
        "'properties':{'a#':{}},'required':['a#']}}},'default':{}}},"
        "'required':['b#','c#']}}",
    "],'text':{'format':{'type':'json_schema','strict':true,'schema':{"
        "'properties':{'a#':{'allOf':[{'default':#,'type':'null'}]}}}}},"
        "'x':[#",

    /* members that a client writes itself */

    "],'params':{'temperature':0.#,'to\\u0070_p':#,'max_tokens':#,'stop':["
        "'$']},'x':[#",
    "],'params':{'response_format':{},'reasoning_effort':'$','p#':null,"
        "'user':'$'},'x':[#",
    "],'params':{'strea\\u006d':#},'x':[#",
    "],'provider':'p','provider_options':[{'type':'p','temperature':#,'k#':{}"
        "},{'type':'q#','n':#},{'type':'\\u0070','k#':'$'}],'x':[#",
    "],'provider_options':[{'type':#}],'x':[#",

    /* types of the operator's */

    ",{'type':'acme:f#_call','id':'i#','status':'completed','arguments':'$',"
        "'output':'$'}",
    ",{'type':'mine_call','id':null,'status':'failed','arguments':'',"
        "'output':null}",
    "],'tools':[{'type':'mine','documents':[#]},{'type':'acme:f#'}"
};

#define REQUEST_FUZZ_N                                                        \
    (sizeof(request_fuzz_fragments) / sizeof(request_fuzz_fragments[0]))


#define request_fuzz_get(json, node, name)                                    \
    ngx_ors_json_get(json, node, (u_char *) name, strlen(name))


/* 1 if member "name" of an object is the string "value" */

static ngx_inline ngx_uint_t
request_fuzz_is(ngx_ors_json_t *json, ngx_ors_json_node_t *object,
    const char *name, const char *value)
{
    ngx_ors_json_node_t  *node;

    node = request_fuzz_get(json, object, name);

    return node && ngx_ors_json_equal(json, node, (u_char *) value,
                                      strlen(value));
}


/* writes fragment "f", digits are chosen by "*p", words numbered by "*n" */

static ngx_inline u_char *
request_fuzz_fragment(u_char *dst, const char *f, const uint8_t **p,
    const uint8_t *last, ngx_uint_t *n)
{
    for ( /* void */ ; *f; f++) {

        switch (*f) {

        case '\'':
            *dst++ = '"';
            break;

        case '#':
            *dst++ = '0' + ((*p < last) ? *(*p)++ % 4 : 0);
            break;

        case '$':
            dst += sprintf((char *) dst, "w%d;", (int) (*n)++);
            break;

        default:
            *dst++ = *f;
        }
    }

    return dst;
}


#endif /* _REQUEST_FUZZ_H_INCLUDED_ */
