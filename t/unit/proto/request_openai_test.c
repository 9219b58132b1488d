
/*
 * Copyright (C) Open Responses contributors
 */


/* The flavor "openai": its items, tools and choices, each field. */


#include "profile_table.h"


#define FUNC  "{'type':'function','name':'f'}"


/* an item or tool of the flavor, good, with all it may have */

typedef struct {
    char  *text;
    char  *needed;       /* names with spaces between them */
} good_t;


static void test_goods(frame_t *frame, good_t *goods, char *code);
static void test_fields(frame_t *frame, good_t *good);
static void test_changed(frame_t *frame, good_t *good, char *name,
    char *value, size_t len);
static void test_one_change(frame_t *frame, char *text, char *code,
    char *name);
static ngx_uint_t is_needed(good_t *good, char *name);


static frame_t  input = { &ngx_ors_fields_create, "{'input':[%s]}",
                          "input[0]" };

static frame_t  tool = { &ngx_ors_fields_create, "{'tools':[%s]}",
                         "tools[0]" };

static frame_t  choice = { &ngx_ors_fields_create, "{'tool_choice':%s}",
                           "tool_choice" };


static good_t  items[] = {
    { "{'type':'custom_tool_call','call_id':'c','name':'f','input':'',"
      "'id':'a','status':'s','namespace':'n','async':true,'caller':{}}",
      "call_id name input" },
    { "{'type':'custom_tool_call_output','call_id':'c','output':'',"
      "'id':'a','status':'s','name':'f','caller':{}}", "call_id output" },
    { "{'type':'custom_tool_call_output','call_id':'c','output':["
      "{'type':'input_text','text':''}]}", "call_id output" },
    { "{'type':'local_shell_call','action':{'type':'exec','command':['ls'],"
      "'env':{},'timeout_ms':5,'user':'u','working_directory':'/'},"
      "'id':'a','call_id':'c','status':'s'}", "action" },
    { "{'type':'local_shell_call_output','output':'','id':'a','call_id':'c',"
      "'status':'s'}", "output" },
    { "{'type':'shell_call','call_id':'c','action':{'commands':['ls'],"
      "'timeout_ms':5,'max_output_length':5},'id':'a','status':'s',"
      "'environment':{},'caller':{},'created_by':'x'}", "call_id action" },
    { "{'type':'shell_call_output','call_id':'c','output':[{'stdout':'',"
      "'stderr':'','outcome':{}}],'id':'a','status':'s',"
      "'max_output_length':5,'caller':{},'created_by':'x'}",
      "call_id output" },
    { "{'type':'apply_patch_call','call_id':'c','operation':{'type':"
      "'delete_file','path':'p'},'id':'a','status':'s','caller':{},"
      "'created_by':'x'}", "call_id operation" },
    { "{'type':'apply_patch_call_output','call_id':'c','id':'a',"
      "'status':'s','output':'','caller':{},'created_by':'x'}", "call_id" },
    { "{'type':'web_search_call','id':'a','status':'s','action':{},"
      "'results':[]}", "" },
    { "{'type':'file_search_call','id':'a','status':'s','queries':['q'],"
      "'results':[]}", "" },
    { "{'type':'computer_call','call_id':'c','id':'a','status':'s',"
      "'action':{},'actions':[],'pending_safety_checks':[]}", "call_id" },
    { "{'type':'computer_call_output','call_id':'c','output':{},'id':'a',"
      "'status':'s','acknowledged_safety_checks':[]}", "call_id output" },
    { "{'type':'code_interpreter_call','id':'a','status':'s','code':'',"
      "'container_id':'c','outputs':[]}", "" },
    { "{'type':'image_generation_call','id':'a','status':'s','result':'',"
      "'revised_prompt':'p','action':'edit','background':'b',"
      "'output_format':'png','quality':'q','size':'s','error':{},"
      "'svg_usage':{}}", "" },
    { "{'type':'mcp_list_tools','server_label':'l','id':'a','tools':[]}",
      "server_label" },
    { "{'type':'mcp_approval_request','server_label':'l','name':'f',"
      "'arguments':'','id':'a'}", "server_label name arguments" },
    { "{'type':'mcp_approval_response','approval_request_id':'r',"
      "'approve':true,'id':'a','reason':'r'}",
      "approval_request_id approve" },
    { "{'type':'mcp_call','server_label':'l','name':'f','arguments':'',"
      "'id':'a','status':'s','output':'','approval_request_id':'r'}",
      "server_label name arguments" },
    { "{'type':'tool_search_call','id':'a','call_id':'c','status':'s',"
      "'execution':'client'}", "" },
    { "{'type':'tool_search_output','tools':[" FUNC "],'id':'a',"
      "'call_id':'c','status':'s','execution':'client'}", "tools" },
    { "{'type':'additional_tools','tools':[" FUNC ",{'type':'web_search'}],"
      "'role':'developer','id':'a'}", "tools" },
    { "{'type':'compaction_trigger','id':'a'}", "" },
    { "{'type':'context_compaction','encrypted_content':'x','id':'a'}", "" },
    { "{'type':'agent_message','content':[],'author':'a','recipient':'r',"
      "'id':'a','agent':{}}", "" },
    { "{'type':'configuration_update','id':'a','reasoning':{},'text':{}}",
      "" },
    { "{'type':'program','id':'a','call_id':'c','code':'','fingerprint':''}",
      "" },
    { "{'type':'program_output','id':'a','call_id':'c','result':'',"
      "'status':'s'}", "" },
    { NULL, NULL }
};


static good_t  tools[] = {
    { "{'type':'custom','name':'f','description':'','format':{'type':"
      "'grammar','syntax':'lark','definition':''},'defer_loading':true,"
      "'async':true,'allowed_callers':['direct']}", "name" },
    { "{'type':'custom','name':'f','format':{'type':'text'}}", "name" },
    { "{'type':'namespace','name':'n','tools':[" FUNC ",{'type':'custom',"
      "'name':'g'}],'description':''}", "name tools" },
    { "{'type':'web_search','external_web_access':false,"
      "'search_content_types':['text'],'search_context_size':'low',"
      "'filters':{},'user_location':{}}", "" },
    { "{'type':'web_search_2025_08_26','filters':{}}", "" },
    { "{'type':'web_search_preview','user_location':{}}", "" },
    { "{'type':'web_search_preview_2025_03_11','search_context_size':''}",
      "" },
    { "{'type':'tool_search','execution':'client','description':'',"
      "'parameters':{}}", "" },
    { "{'type':'file_search','vector_store_ids':['v'],'max_num_results':5,"
      "'filters':{},'ranking_options':{}}", "vector_store_ids" },
    { "{'type':'mcp','server_label':'l','server_url':'u',"
      "'server_description':'','connector_id':'c','tunnel_id':'t',"
      "'authorization':'a','headers':{},'allowed_tools':[],"
      "'require_approval':'never','allowed_callers':['direct'],"
      "'defer_loading':false}", "server_label" },
    { "{'type':'image_generation','model':'m','action':'a',"
      "'background':'b','size':'s','quality':'q','output_format':'png',"
      "'output_compression':5,'partial_images':5,'moderation':'low',"
      "'input_fidelity':'high','input_image_mask':{},'complexity':'low',"
      "'frame_count':5,'frame_duration_ms':5,'svg':{}}", "" },
    { "{'type':'code_interpreter','container':'c','allowed_callers':[]}",
      "container" },
    { "{'type':'computer'}", "" },
    { "{'type':'computer_use_preview','display_width':5,'display_height':5,"
      "'environment':'mac'}", "display_width display_height environment" },
    { "{'type':'local_shell'}", "" },
    { "{'type':'shell','environment':{},'allowed_callers':[]}", "" },
    { "{'type':'apply_patch','allowed_callers':[]}", "" },
    { "{'type':'programmatic_tool_calling'}", "" },
    { NULL, NULL }
};


/* objects in them, and what is neither there nor here */

static reading_t  inner_items[] = {
    { "{'type':'shell_call','call_id':'c','action':{}}", NONE, MISSING,
      "action.commands" },
    { "{'type':'shell_call','call_id':'c','action':{'commands':[5]}}", NONE,
      TYPE, "action.commands[0]" },
    { "{'type':'local_shell_call','action':{'command':'ls'}}", NONE, TYPE,
      "action.command" },
    { "{'type':'shell_call_output','call_id':'c','output':[{'stdout':5}]}",
      NONE, TYPE, "output[0].stdout" },
    { "{'type':'apply_patch_call','call_id':'c','operation':{'type':'x'}}",
      NONE, MISSING, "operation.path" },
    { "{'type':'custom_tool_call_output','call_id':'c','output':["
      "{'type':'odd'}]}", NONE, VALUE, "output[0].type" },
    { "{'type':'additional_tools','tools':null}", NONE, TYPE, "tools" },
    { "{'type':'mcp_call','server_label':'l','name':'f','arguments':'',"
      "'error':'x'}", FLAVOR, NULL, NULL },
    { "{'type':'mcp_list_tools','server_label':'l','error':{}}", FLAVOR,
      NULL, NULL },
    { "{'type':'tool_search_call','arguments':'{}'}", FLAVOR, NULL, NULL },
    { "{'type':'tool_search_call','arguments':{}}", FLAVOR, NULL, NULL },
    { "{'type':'additional_tools','tools':[{'type':'odd'}]}",
      FLAVOR & ~OPENAI, VALUE, "tools[0].type" },
    { "{'type':'odd_call'}", NONE, ITEM, "type" },
    { NULL, 0, NULL, NULL }
};


static reading_t  inner_tools[] = {
    { "{'type':'custom','name':'f','format':{'type':'odd'}}", NONE, VALUE,
      "format.type" },
    { "{'type':'custom','name':'f','format':{'type':'grammar',"
      "'syntax':'lark'}}", NONE, MISSING, "format.definition" },
    { "{'type':'namespace','name':'n','tools':[{'type':'function'}]}", NONE,
      MISSING, "tools[0].name" },
    { "{'type':'namespace','name':'n','tools':[{'type':'mcp'}]}", NONE,
      VALUE, "tools[0].type" },
    { "{'type':'code_interpreter','container':{'type':'auto'}}", OPENAI,
      NULL, NULL },
    { "{'type':'mcp','server_label':'l','allowed_tools':{},"
      "'require_approval':{}}", OPENAI, NULL, NULL },
    { "{'type':'odd'}", NONE, VALUE, "type" },
    { NULL, 0, NULL, NULL }
};


static reading_t  choices[] = {
    { "{'type':'custom','name':'f'}", FLAVOR, VALUE, "type" },
    { "{'type':'mcp','server_label':'l','name':null}", FLAVOR, VALUE,
      "type" },
    { "{'type':'file_search'}", FLAVOR, VALUE, "type" },
    { "{'type':'web_search_preview'}", FLAVOR, VALUE, "type" },
    { "{'type':'web_search_preview_2025_03_11'}", FLAVOR, VALUE, "type" },
    { "{'type':'web_search_2025_08_26'}", FLAVOR, VALUE, "type" },
    { "{'type':'image_generation'}", FLAVOR, VALUE, "type" },
    { "{'type':'code_interpreter'}", FLAVOR, VALUE, "type" },
    { "{'type':'computer'}", FLAVOR, VALUE, "type" },
    { "{'type':'computer_use'}", FLAVOR, VALUE, "type" },
    { "{'type':'computer_use_preview'}", FLAVOR, VALUE, "type" },
    { "{'type':'local_shell'}", FLAVOR, VALUE, "type" },
    { "{'type':'shell'}", FLAVOR, VALUE, "type" },
    { "{'type':'apply_patch'}", FLAVOR, VALUE, "type" },
    { "{'type':'tool_search'}", FLAVOR, VALUE, "type" },
    { "{'type':'programmatic_tool_calling'}", FLAVOR, VALUE, "type" },
    { "{'type':'allowed_tools','mode':'auto','tools':[" FUNC ","
      "{'type':'mcp','server_label':'l'},{'type':'image_generation'}]}",
      FLAVOR, VALUE, "tools[1].type" },
    { "{'type':'odd'}", NONE, VALUE, "type" },
    { NULL, 0, NULL, NULL }
};


static reading_t  inner_choices[] = {
    { "{'type':'custom'}", NONE, MISSING, "name" },
    { "{'type':'mcp','server_label':5}", NONE, TYPE, "server_label" },
    { "{'type':'allowed_tools','tools':[{'type':'function'}]}", NONE,
      MISSING, "tools[0].name" },
    { "{'type':'allowed_tools','tools':[{'name':'f'}]}", NONE, MISSING,
      "tools[0].type" },
    { NULL, 0, NULL, NULL }
};


int
main(void)
{
    test_goods(&input, items, ITEM);
    test_goods(&tool, tools, VALUE);

    test_readings(&input, inner_items, FLAVOR);
    test_readings(&tool, inner_tools, OPENAI);
    test_readings(&choice, choices, ALL);
    test_readings(&choice, inner_choices, FLAVOR);

    return done_testing();
}


/* tools pass in the tolerant profile of the specification, items do not */

static void
test_goods(frame_t *frame, good_t *goods, char *code)
{
    reading_t   row;
    ngx_uint_t  n;

    for ( /* void */ ; goods->text; goods++) {
        row.text = goods->text;
        row.good = (frame == &tool) ? WIDE : FLAVOR;
        row.code = code;
        row.param = "type";

        for (n = 0; n < 4; n++) {
            test_reading(frame, &row, n);
        }

        test_fields(frame, goods);
    }
}


/* each member: of another type, and left out */

static void
test_fields(frame_t *frame, good_t *good)
{
    char        *p, *name, *value;
    size_t       len;
    ngx_uint_t   depth;

    p = good->text + 1;

    while (*p) {
        name = p + 1;
        value = strchr(name, '\'') + 2;

        for (p = value, depth = 0; depth || (*p != ',' && *p != '}'); p++) {
            depth += (*p == '{' || *p == '[');
            depth -= (*p == '}' || *p == ']');
        }

        len = p - value;

        if (ngx_strncmp(name, "type'", 5) != 0) {
            test_changed(frame, good, name, value, len);
        }

        if (*p++ == '}') {
            break;
        }
    }
}


static void
test_changed(frame_t *frame, good_t *good, char *name, char *value,
    size_t len)
{
    char  text[2048], key[64];

    snprintf(key, sizeof(key), "%.*s", (int) (strchr(name, '\'') - name),
             name);

    snprintf(text, sizeof(text), "%.*s%s%s", (int) (value - good->text),
             good->text, (*value == 't' || *value == 'f') ? "5" : "true",
             value + len);

    test_one_change(frame, text, TYPE, key);

    snprintf(text, sizeof(text), "%.*snull%s", (int) (value - good->text),
             good->text, value + len);

    test_one_change(frame, text, is_needed(good, key) ? TYPE : NULL, key);

    /* the member becomes one that nobody knows */

    snprintf(text, sizeof(text), "%.*sodd_%s", (int) (name - good->text),
             good->text, name);

    test_one_change(frame, text, is_needed(good, key) ? MISSING : NULL, key);
}


static void
test_one_change(frame_t *frame, char *text, char *code, char *name)
{
    reading_t  row;

    row.text = text;
    row.good = code ? NONE : OPENAI;
    row.code = code;
    row.param = name;

    test_reading(frame, &row, 1);
}


static ngx_uint_t
is_needed(good_t *good, char *name)
{
    char    *p;
    size_t   n;

    n = ngx_strlen(name);

    for (p = strstr(good->needed, name); p; p = strstr(p + 1, name)) {

        if ((p == good->needed || p[-1] == ' ')
            && (p[n] == '\0' || p[n] == ' '))
        {
            return 1;
        }
    }

    return 0;
}
