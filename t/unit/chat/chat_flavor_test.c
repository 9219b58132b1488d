
/*
 * Copyright (C) Open Responses contributors
 */


/* Items of the flavor "openai" that Chat cannot carry are refused. */


#include <ngx_ors_test.h>
#include <ngx_ors_test_chat.h>
#include <ngx_ors_test_request.h>


#define USER  "{'role':'user','content':'u'}"
#define CALL  "{'type':'function_call','call_id':'c','name':'f',"             \
              "'arguments':''}"


/* "chat": what the request has that is sent, or why it is not */

typedef struct {
    char  *request;
    char  *chat;
} row_t;


static void test_row(char *format, row_t *row, ngx_uint_t profile);
static ngx_int_t test_run(char *text, ngx_uint_t profile, u_char *result,
    size_t size);
static void test_table(char *format, row_t *rows, ngx_uint_t profiles);


#define MCP(rest)                                                             \
    "{'type':'mcp_call','server_label':'l','name':'n',"                       \
    "'arguments':'{\\'a\\':1}'," rest "}"
#define ASKED                                                                 \
    "{'type':'mcp_approval_request','id':'mcpr_1','server_label':'l',"        \
    "'name':'n','arguments':'{}'}"
#define ANSWER(approve)                                                       \
    "{'type':'mcp_approval_response','approval_request_id':'mcpr_1',"         \
    "'approve':" approve "}"

#define MADE(id, name, arguments, output)                                     \
    ",{'role':'assistant','content':null,'tool_calls':[{'id':'" id "',"       \
    "'type':'function','function':{'name':'" name "','arguments':'"           \
    arguments "'}}]},{'role':'tool','content':'" output "',"                  \
    "'tool_call_id':'" id "'}"


static row_t  items[] = {
    { "{'type':'local_shell_call','action':{}}",
      "unsupported_item input[1].type" },
    { "{'type':'image_generation_call'}", "unsupported_item input[1].type" },

    /* hosted tools: what was done, as a call with its output */

    { "{'type':'web_search_call'}", "" },
    { "{'type':'file_search_call','queries':['q']}", "" },
    { "{'type':'code_interpreter_call','code':'1'}", "" },
    { "{'type':'file_search_call','queries':['q'],'results':null}", "" },
    { "{'type':'file_search_call','queries':['q'],'results':[]}", "" },
    { "{'type':'file_search_call','id':'fs_1','queries':['q'],"
      "'results':[{'text':'t'}]}",
      MADE("fs_1", "file_search", "{\\'queries\\':[\\'q\\']}",
           "[{\\'text\\':\\'t\\'}]") },
    { "{'type':'code_interpreter_call','id':'ci_1','code':'1\\n',"
      "'outputs':[{'type':'logs','logs':'1'}]}",
      MADE("ci_1", "code_interpreter", "{\\'code\\':\\'1\\\\n\\'}",
           "[{\\'type\\':\\'logs\\',\\'logs\\':\\'1\\'}]") },
    { "{'type':'web_search_call','id':'ws_1','results':[{'url':'u'}]}",
      MADE("ws_1", "web_search", "{}", "[{\\'url\\':\\'u\\'}]") },
    { "{'type':'mcp_list_tools','server_label':'l','tools':[]}", "" },
    { MCP("'id':'mcp_1','output':'o\\n'"),
      MADE("mcp_1", "l__n", "{\\'a\\':1}", "o\\n") },
    { MCP("'output':''"), MADE("call_1", "l__n", "{\\'a\\':1}", "") },
    { MCP("'id':'m','output':null,'error':'odd'"),
      MADE("m", "l__n", "{\\'a\\':1}", "odd") },
    { MCP("'id':'m','error':{'type':'http_error','code':1,'message':'no'}"),
      MADE("m", "l__n", "{\\'a\\':1}", "no") },
    { MCP("'id':'m','error':{'type':'mcp_tool_execution_error',"
          "'content':[{'type':'text'}]}"),
      MADE("m", "l__n", "{\\'a\\':1}", "[{\\'type\\':\\'text\\'}]") },
    { MCP("'id':'m','status':'incomplete'"),
      MADE("m", "l__n", "{\\'a\\':1}", "the tool was not called") },
    { "{'type':'mcp_call','id':'m','server_label':'\\u006c','name':'a\\u005f',"
      "'arguments':'','output':'o'}", MADE("m", "l__a_", "{}", "o") },
    { "{'type':'nginx:mcp_call','id':'m','status':'completed',"
      "'server_label':'l','name':'n','arguments':'','output':'o'}",
      MADE("m", "l__n", "{}", "o") },
    { "{'role':'assistant','content':'x'}," MCP("'id':'m','output':'o'") ","
      "{'type':'function_call','call_id':'c','name':'f','arguments':'{}'},"
      "{'type':'function_call_output','call_id':'c','output':'p'}",
      ",{'role':'assistant','content':'x','tool_calls':[{'id':'m','type':"
      "'function','function':{'name':'l__n','arguments':'{\\'a\\':1}'}},"
      "{'id':'c','type':'function','function':{'name':'f','arguments':'{}'}}"
      "]},{'role':'tool','content':'o','tool_call_id':'m'},"
      "{'role':'tool','content':'p','tool_call_id':'c'}" },
    { MCP("'id':'m','output':'o'") ","
      "{'type':'function_call_output','call_id':'m','output':'p'}",
      "unknown_call_id input[2].call_id" },

    /* approvals */

    { ASKED, "" },
    { ASKED "," ANSWER("true"), "" },
    { ASKED "," ANSWER("false"),
      MADE("mcpr_1", "l__n", "{}", "the user has declined this call") },
    { ASKED "," ANSWER("false,'reason':'not \\'now\\''"),
      MADE("mcpr_1", "l__n", "{}",
           "the user has declined this call: not \\'now\\'") },
    { ASKED "," ANSWER("true") ","
      MCP("'id':'m','output':'o','approval_request_id':'mcpr_1'"),
      MADE("m", "l__n", "{\\'a\\':1}", "o") },
    { ANSWER("true"), "item_not_found input[1].approval_request_id" },
    { ASKED "," ASKED, "invalid_value input" },
    { "{'type':'tool_search_output','tools':[]}", "" },
    { "{'type':'compaction_trigger'},{'role':'user','content':'u'}",
      "unsupported_item input[1].type" },
    { "{'type':'context_compaction','encrypted_content':'x'}",
      "unsupported_item input[1]" },
    { "{'type':'agent_message','content':[]}",
      "unsupported_item input[1].type" },
    { "{'type':'acme:search_call','id':'a','status':'completed',"
      "'arguments':'{}','output':'o'}",
      ",{'role':'assistant','content':null,'tool_calls':[{'id':'a','type':"
      "'function','function':{'name':'search','arguments':'{}'}}]},"
      "{'role':'tool','content':'o','tool_call_id':'a'}" },
    { "{'type':'acme:a.b_call','id':'a','status':'failed','arguments':'',"
      "'output':null}",
      ",{'role':'assistant','content':null,'tool_calls':[{'id':'a','type':"
      "'function','function':{'name':'a_b','arguments':'{}'}}]},"
      "{'role':'tool','content':'the tool was not called',"
      "'tool_call_id':'a'}" },
    { "{'type':'acme:_call','id':'a','status':'completed','arguments':''}",
      "unsupported_item input[1].type" },
    { "{'type':'acme:x_call','id':'a','status':'completed'}",
      "unsupported_item input[1].type" },
    { "{'type':'acme:x_cal','id':'a','status':'completed','arguments':''}",
      "unsupported_item input[1].type" },
    { "{'type':'acme:search','id':'a','status':'completed'}",
      "unsupported_item input[1].type" },
    { "{'type':'acme:search','id':'a','status':'s','role':'user',"
      "'content':'x'}", "unsupported_item input[1].type" },

    { "{'type':'function_call_output','name':'f','output':''}",
      "missing_required_parameter input[1].call_id" },
    { "{'type':'function_call_output','call_id':null,'output':''}",
      "missing_required_parameter input[1].call_id" },
    { CALL ",{'type':'function_call_output','call_id':'c','output':["
      "{'type':'input_audio','input_audio':{'data':'x'}}]}",
      "invalid_value input[2].output[0]" },
    { CALL ",{'type':'function_call_output','call_id':'c','output':["
      "{'type':'input_audio','input_audio':{'data':'QUJD','format':'wav'}}]}",
      ",{'role':'assistant','content':null,'tool_calls':[{'id':'c',"
      "'type':'function','function':{'name':'f','arguments':'{}'}}]},"
      "{'role':'tool','content':'(attached below)','tool_call_id':'c'},"
      "{'role':'user','content':[{'type':'input_audio','input_audio':"
      "{'data':'QUJD','format':'wav'}}]}" },
    { CALL ",{'type':'function_call_output','call_id':'c','output':["
      "{'type':'encrypted_content','encrypted_content':'x'}]}",
      "unsupported_value input[2].output[0]" },

    { "{'role':'user','content':[{'type':'input_audio','input_audio':{}}]}",
      "invalid_value input[1].content[0]" },
    { "{'role':'user','content':[{'type':'input_audio','input_audio':"
      "{'data':'x','format':5}}]}", "invalid_value input[1].content[0]" },
    { "{'role':'user','content':[{'type':'input_audio','input_audio':"
      "{'data':5,'format':'mp3'}}]}", "invalid_value input[1].content[0]" },
    { "{'role':'user','content':[{'type':'input_audio','audio_url':'u'}]}",
      "invalid_value input[1].content[0]" },
    { "{'role':'user','content':[{'type':'input_audio','input_audio':"
      "{'format':'mp3','data':'QUJ\\u0044','x':1}},"
      "{'type':'input_text','text':'a'}]}",
      ",{'role':'user','content':[{'type':'input_audio','input_audio':"
      "{'data':'QUJ\\u0044','format':'mp3'}},{'type':'text','text':'a'}]}" },
    { "{'role':'assistant','content':[{'type':'output_text','text':'a'},"
      "{'type':'input_audio','input_audio':{'data':'x','format':'wav'}}]}",
      "invalid_value input[1].content[1].type" },
    { "{'role':'user','content':[{'type':'input_image','file_id':'f'}]}",
      "invalid_value input[1].content[0]" },
    { "{'role':'user','content':[{'type':'input_file','file_id':'f'}]}",
      "invalid_value input[1].content[0]" },
    { "{'role':'developer','content':[{'type':'input_image'}]}",
      "unsupported_value input[1].content[0]" },
    { "{'role':'assistant','content':[{'type':'input_text','text':'a'},"
      "{'type':'input_file'}]}", "unsupported_value input[1].content[1]" },

    { "{'type':'reasoning','summary':[],'content':[{'type':"
      "'reasoning_text','text':'x'}],'encrypted_content':'x'}", "" },
    { "{'role':'assistant','content':[{'type':'output_text','text':'a',"
      "'parsed':{},'logprobs':[]}],'phase':'commentary'}",
      ",{'role':'assistant','content':'a'}" },
    { NULL, NULL }
};


static row_t  params[] = {
    { "'conversation':'c'", "unsupported_parameter conversation" },
    { "'prompt':{'id':'p'}", "unsupported_parameter prompt" },
    { "'user':'u','client_metadata':{},'service_tier':'scale',"
      "'prompt_cache_retention':'24h','moderation':{},"
      "'context_management':[],'image':{},'conversation':{},'prompt':{}",
      "" },
    { "'reasoning':{'effort':'max','context':'all_turns'}",
      ",'reasoning_effort':'max'" },
    { NULL, NULL }
};


/* features of OpenAI's server: only a strict location refuses them */

static row_t  strict[] = {
    { "'tools':[{'type':'acme:x','x':1}]", "unsupported_value tools[0].type" },
    { "'context_management':[{'type':'compaction'}]",
      "unsupported_parameter context_management" },
    { "'moderation':{'model':'m'}", "unsupported_parameter moderation" },
    { "'image':{'size':'x'}", "unsupported_parameter image" },
    { NULL, NULL }
};


static row_t  loose[] = {
    { "'tools':[{'type':'acme:x','x':1}]", "" },
    { "'context_management':[{'type':'compaction'}],'image':{'size':'x'},"
      "'moderation':{'model':'m'}", "" },
    { NULL, NULL }
};


/* the same in all profiles */

static row_t  formats[] = {
    { "'text':{'format':{}}",
      "missing_required_parameter text.format.schema" },
    { "'text':{'format':{'type':'json_schema'}}",
      "missing_required_parameter text.format.schema" },
    { "'text':{'format':{'type':'json_schema','name':'n'}}",
      "missing_required_parameter text.format.schema" },
    { "'text':{'format':{'name':'n'}}",
      "missing_required_parameter text.format.schema" },
    { "'text':{'format':{'schema':{}}}",
      ",'response_format':{'type':'json_schema','json_schema':"
      "{'name':'response','schema':{}}}" },
    { "'text':{'format':null}", "" },
    { "'text':{'format':{'type':'text'}}", "" },
    { NULL, NULL }
};


int
main(void)
{
    test_table("{'model':'m','input':[" USER ",%s]}", items,
               NGX_ORS_IN_OPENAI);
    test_table("{'model':'m','input':[" USER "],%s}", params,
               NGX_ORS_IN_OPENAI);
    test_table("{'model':'m','input':[" USER "],%s}", strict,
               NGX_ORS_STRICT_OPENAI);
    test_table("{'model':'m','input':[" USER "],%s}", loose,
               NGX_ORS_TOLERANT_OPENAI);
    test_table("{'model':'m','input':[{'type':'message',"
               "'role':'user','content':'u'}],%s}", formats, NGX_ORS_IN_ALL);

    return done_testing();
}


static void
test_table(char *format, row_t *rows, ngx_uint_t profiles)
{
    ngx_uint_t   n;
    row_t       *row;

    for (row = rows; row->request; row++) {
        for (n = 0; n < 4; n++) {
            if (profiles & (1 << n)) {
                test_row(format, row, 1 << n);
            }
        }
    }
}


static void
test_row(char *format, row_t *row, ngx_uint_t profile)
{
    char       text[4096], expected[4096];
    u_char     result[4096];
    ngx_int_t  rc;

    snprintf(text, sizeof(text), format, row->request);

    rc = test_run(text, profile, result, sizeof(result));

    if (*row->chat && *row->chat != ',') {
        is_int(rc, NGX_DECLINED, "profile %d: %s", (int) profile, text);
        is_mem(result, ngx_strlen(result), row->chat, ngx_strlen(row->chat),
               "code and param");
        return;
    }

    is_int(rc, NGX_OK, "profile %d: %s", (int) profile, text);

    if (strncmp(row->chat, ",{", 2) == 0) {
        snprintf(expected, sizeof(expected), "{'model':'m','messages':["
                 "{'role':'user','content':'u'}%s]}", row->chat);

    } else {
        snprintf(expected, sizeof(expected), "{'model':'m','messages':["
                 "{'role':'user','content':'u'}]%s}", row->chat);
    }

    is_mem(result, ngx_strlen(result), expected, ngx_strlen(expected),
           "what is sent");
}


/* leaves the document, with ' for ", or code and param in "result" */

static ngx_int_t
test_run(char *text, ngx_uint_t profile, u_char *result, size_t size)
{
    u_char               *last;
    ngx_int_t             rc;
    ngx_str_t             body;
    ngx_pool_t           *pool;
    ngx_chain_t          *cl;
    ngx_ors_out_t         out;
    ngx_ors_error_t       err;
    ngx_ors_request_t     req;
    ngx_ors_chat_tools_t  tools;

    static ngx_ors_limits_t  limits = limits_default();

    pool = ngx_ors_test_pool();

    body.data = (u_char *) text;
    body.len = strlen(text);

    ngx_ors_test_quotes(text, text, body.len);

    ngx_ors_test_policy.profile = profile;

    rc = ngx_ors_test_request(&req, &body, &limits, pool, &err);

    if (rc == NGX_OK) {
        ngx_ors_out_init(&out, pool, 512);
        rc = ngx_ors_chat_request(&req, ngx_ors_test_target(&req.model),
                                  &tools, &out, &err);
    }

    last = result;

    if (rc == NGX_OK) {
        ngx_ors_out_take(&out, &cl);

        for ( /* void */ ; cl; cl = cl->next) {
            last = ngx_cpymem(last, cl->buf->pos,
                              cl->buf->last - cl->buf->pos);
        }

    } else {
        last = ngx_snprintf(last, size - 1, "%V %V", &err.code, &err.param);
    }

    *last = '\0';

    for (last = result; *last; last++) {
        if (*last == '"') {
            *last = '\'';
        }
    }

    ngx_destroy_pool(pool);

    return rc;
}
