
/*
 * Copyright (C) Open Responses contributors
 */


/* Output items and their parts, annotations and logprobs. */


#include "answer_table.h"


/* an item of flavor "openai": the members that are needed come first */

typedef struct {
    char         *type;
    char         *needed;
    char         *others;
    char         *any;        /* a member that may be anything */
} hosted_t;


/* an annotation, as a member of a part, and its members that are needed */

typedef struct {
    char         *text;
    ngx_uint_t    needed;
} annotation_t;


/* parts, and where they may stand */

typedef struct {
    char         *text;
    ngx_uint_t    message;
    ngx_uint_t    reasoning;
} place_t;


static void test_hosted(void);
static void test_hosted_item(hosted_t *item);
static void test_values(shape_walk_t *w, ngx_ors_json_node_t *object,
    ngx_uint_t needed, char *any);
static void test_annotations(void);
static void test_places(void);
static ngx_int_t validate(char *document, const ngx_ors_shape_t *shape,
    ngx_uint_t profile);


static char  message[] =
    "{'type':'message','id':'msg_1','status':'completed',"
    "'role':'assistant','content':[{'type':'output_text','text':'Hi',"
    "'annotations':[{'type':'url_citation','url':'u','start_index':0,"
    "'end_index':1,'title':'t'}],'logprobs':[{'token':'t','logprob':-0.5,"
    "'bytes':[1],'top_logprobs':[{'token':'t','logprob':-0.5,"
    "'bytes':[1]}]}]}],'phase':'commentary'}";

static answer_member_t  message_members[] = {
    { "type", "", NULL },
    { "id", "s", NULL },
    { "status", "", NULL },
    { "role", "", NULL },
    { "content", "a", NULL },
    { "content[0].type", "", NULL },
    { "content[0].text", "s", NULL },
    { "content[0].annotations", "a", NULL },
    { "content[0].annotations[0].type", "", NULL },
    { "content[0].annotations[0].url", "s", NULL },
    { "content[0].annotations[0].start_index", "i", NULL },
    { "content[0].annotations[0].end_index", "i", NULL },
    { "content[0].annotations[0].title", "s", NULL },
    { "content[0].logprobs", "-a", "a" },
    { "content[0].logprobs[0].token", "s", NULL },
    { "content[0].logprobs[0].logprob", "if", NULL },
    { "content[0].logprobs[0].bytes", "a", "-na" },
    { "content[0].logprobs[0].top_logprobs", "a", NULL },
    { "content[0].logprobs[0].top_logprobs[0].token", "s", NULL },
    { "content[0].logprobs[0].top_logprobs[0].logprob", "if", NULL },
    { "content[0].logprobs[0].top_logprobs[0].bytes", "a", "-na" },
    { "phase", "-", NULL },
    { NULL, NULL, NULL }
};


static char  call[] =
    "{'type':'function_call','id':'fc_1','call_id':'call_1','name':'f',"
    "'arguments':'{}','status':'completed'}";

static answer_member_t  call_members[] = {
    { "type", "", NULL },
    { "id", "s", NULL },
    { "call_id", "s", NULL },
    { "name", "s", NULL },
    { "arguments", "s", NULL },
    { "status", "", NULL },
    { NULL, NULL, NULL }
};


static char  output[] =
    "{'type':'function_call_output','id':'fo_1','call_id':'call_1',"
    "'output':[{'type':'input_text','text':'a'},{'type':'input_image',"
    "'image_url':'u','detail':'low'},{'type':'input_file','filename':'f',"
    "'file_url':'u'}],'status':'completed'}";

static answer_member_t  output_members[] = {
    { "type", "", NULL },
    { "id", "s", NULL },
    { "call_id", "s", NULL },
    { "output", "sa", NULL },
    { "output[0].type", "", NULL },
    { "output[0].text", "s", NULL },
    { "output[1].type", "", NULL },
    { "output[1].image_url", "ns", "-ns" },
    { "output[1].detail", "", "-n" },
    { "output[2].type", "", NULL },
    { "output[2].filename", "-s", NULL },
    { "output[2].file_url", "-s", NULL },
    { "status", "", NULL },
    { NULL, NULL, NULL }
};


static char  reasoning[] =
    "{'type':'reasoning','id':'rs_1','summary':[{'type':'summary_text',"
    "'text':'a'}],'content':[{'type':'reasoning_text','text':'a'}],"
    "'encrypted_content':'e'}";

static answer_member_t  reasoning_members[] = {
    { "type", "", NULL },
    { "id", "s", NULL },
    { "summary", "a", NULL },
    { "summary[0].type", "", NULL },
    { "summary[0].text", "s", NULL },
    { "content", "-a", NULL },
    { "content[0].type", "", NULL },
    { "content[0].text", "s", NULL },
    { "encrypted_content", "-s", NULL },
    { NULL, NULL, NULL }
};


static char  compaction[] =
    "{'type':'compaction','id':'cmp_1','encrypted_content':'e',"
    "'created_by':'c'}";

static answer_member_t  compaction_members[] = {
    { "type", "", NULL },
    { "id", "s", NULL },
    { "encrypted_content", "s", "-ns" },
    { "created_by", "-s", NULL },
    { NULL, NULL, NULL }
};


/* a member of each kind of item and of part */

static answer_case_t  message_cases[] = {
    { "type", "'acme:search'", ALL },
    { "type", "'acme_search'", NONE, "invalid_value", "type" },
    { "type", "'item_reference'", NONE, "invalid_value", "type" },
    { "type", "':search'", NONE, "invalid_value", "type" },
    { "type", "null", NONE, "missing_required_parameter", "type" },
    { "status", "'in_progress'", ALL },
    { "status", "'incomplete'", ALL },
    { "status", "'failed'", TOLERANT, "invalid_value", "status" },
    { "role", "'user'", ALL },
    { "role", "'system'", ALL },
    { "role", "'developer'", ALL },
    { "role", "'tool'", NONE, "invalid_value", "role" },
    { "content", "'Hi'", NONE, "invalid_type", "content" },
    { "content", "[null]", NONE, "invalid_type", "content[0]" },
    { "phase", "'final_answer'", ALL },
    { "phase", "'other'", NONE, "invalid_value", "phase" },

    { "content[0].type", "'acme:text'", NONE, "invalid_value",
      "content[0].type" },
    { "content[0].annotations[0].type", "'acme:place'", ALL },
    { "content[0].annotations[0].type", "'place'", NONE, "invalid_value",
      "content[0].annotations[0].type" },
    { NULL, NULL, 0, NULL, NULL }
};

static answer_case_t  annotation_cases[] = {
    { "content[0].annotations", "[{'type':'acme:place'}]", ALL },
    { "content[0].annotations", "[{'type':'file_citation','file_id':'f',"
      "'index':1,'filename':'n'},{'type':'file_path','file_id':'f',"
      "'index':1},{'type':'container_file_citation','container_id':'c',"
      "'file_id':'f','start_index':1,'end_index':2,'filename':'n'}]",
      OPENAI, "invalid_value", "content[0].annotations[0].type" },
    { "content[0].annotations", "null", NONE, "invalid_type",
      "content[0].annotations" },
    { "content[0].annotations", NULL, NONE, "missing_required_parameter",
      "content[0].annotations" },
    { "content[0].logprobs", "[]", ALL },
    { "content[0].logprobs", "[{'token':'t','logprob':0,"
      "'top_logprobs':[{'token':'t','logprob':0}]}]", OPENAI,
      "missing_required_parameter",
      "content[0].logprobs[0].top_logprobs[0].bytes" },
    { NULL, NULL, 0, NULL, NULL }
};

static answer_case_t  output_cases[] = {
    { "output", "''", ALL },
    { "output", "[]", ALL },
    { "output", "{}", NONE, "invalid_type", "output" },
    { "output", "[{'type':'input_video','video_url':'u'}]", OPENAI,
      "invalid_value", "output[0].type" },
    { "output", "[{'type':'input_audio','input_audio':{}}]", OPENAI,
      "invalid_value", "output[0].type" },
    { "output", "[{'type':'encrypted_content','encrypted_content':'e'}]",
      OPENAI, "invalid_value", "output[0].type" },
    { "output", "[{'type':'output_text','text':'','annotations':[],"
      "'logprobs':[]}]", NONE, "invalid_value", "output[0].type" },
    { "output", "[{'type':'input_image','file_id':'f'}]", OPENAI,
      "missing_required_parameter", "output[0].image_url" },
    { "output", "[{'type':'input_image','image_url':'u',"
      "'detail':'original'}]", OPENAI, "invalid_value", "output[0].detail" },
    { "call_id", "''", ALL },
    { "status", "'failed'", TOLERANT, "invalid_value", "status" },
    { NULL, NULL, 0, NULL, NULL }
};

static answer_case_t  call_cases[] = {
    { "name", "'not a name, but an answer'", ALL },
    { "arguments", "''", ALL },
    { "arguments", "{}", NONE, "invalid_type", "arguments" },
    { NULL, NULL, 0, NULL, NULL }
};

static answer_case_t  reasoning_cases[] = {
    { "content", "null", WIDE, "invalid_type", "content" },
    { "content", NULL, ALL },
    { "encrypted_content", "null", WIDE, "invalid_type",
      "encrypted_content" },
    { "summary", "[]", ALL },
    { NULL, NULL, 0, NULL, NULL }
};


/* an item is as good with its other members */

static shape_case_t  other_members[] = {
    { "'type':'reasoning','id':'r','summary':[],'status':'completed'", ALL },
    { "'type':'reasoning','id':'r','summary':[],'status':null", ALL },
    { "'type':'compaction','id':'c','encrypted_content':'e',"
      "'status':'completed'", ALL },
    { "'type':'acme:a','id':'a','status':'any','more':{'type':1}", ALL },
    { "'type':'acme:a','status':'any'", NONE, "missing_required_parameter",
      "id" },
    { "'type':'acme:a','id':'a'", NONE, "missing_required_parameter",
      "status" },
    { "'type':'acme:a','id':1,'status':'any'", NONE, "invalid_type", "id" },
    { "'type':'acme:a','id':'a','status':1", NONE, "invalid_type",
      "status" },
    { "'type':'function_call','id':'f','call_id':'c','name':'n',"
      "'arguments':'','status':'completed','namespace':1", CORE,
      "invalid_type", "namespace" },
    { NULL, 0, NULL, NULL }
};


/* flavor "openai" */

static hosted_t  hosted[] = {
    { "custom_tool_call", "'id':'i','call_id':'c','name':'n','input':''",
      "'status':'completed','namespace':'n'", NULL },
    { "custom_tool_call_output", "'call_id':'c','output':'o'",
      "'id':'i','status':'completed'", NULL },
    { "web_search_call", "'id':'i','status':'searching'",
      "'action':{'type':'search'}", NULL },
    { "file_search_call", "'id':'i','status':'searching'",
      "'queries':['q'],'results':[{}]", NULL },
    { "image_generation_call", "'id':'i','status':'generating'",
      "'result':'r','revised_prompt':'p','action':'generate',"
      "'background':'opaque','output_format':'png','quality':'low',"
      "'size':'auto'", NULL },
    { "code_interpreter_call", "'id':'i','status':'interpreting'",
      "'container_id':'c','code':'1','outputs':[{}]", NULL },
    { "mcp_call", "'id':'i','server_label':'s','name':'n','arguments':''",
      "'status':'completed','output':'o','error':{},"
      "'approval_request_id':'a'", "error" },
    { "mcp_list_tools", "'id':'i','server_label':'s','tools':[{}]",
      "'error':'e'", "error" },
    { "mcp_approval_request",
      "'id':'i','server_label':'s','name':'n','arguments':''", NULL, NULL },
    { "mcp_approval_response", "'approval_request_id':'a','approve':true",
      "'id':'i','reason':'r'", NULL },
    { "local_shell_call",
      "'id':'i','call_id':'c','action':{},'status':'completed'", NULL, NULL },
    { "local_shell_call_output", "'output':'o'",
      "'id':'i','call_id':'c','status':'completed'", NULL },
    { "shell_call",
      "'id':'i','call_id':'c','action':{},'status':'completed'",
      "'environment':{},'created_by':'b'", NULL },
    { "shell_call_output", "'call_id':'c','output':[{}]",
      "'id':'i','status':'completed','max_output_length':1,"
      "'created_by':'b'", NULL },
    { "apply_patch_call",
      "'id':'i','call_id':'c','operation':{},'status':'completed'",
      "'created_by':'b'", NULL },
    { "apply_patch_call_output", "'call_id':'c','status':'failed'",
      "'id':'i','output':'o','created_by':'b'", NULL },
    { "computer_call", "'id':'i','call_id':'c','status':'completed'",
      "'action':{},'actions':[{}],'pending_safety_checks':[]", NULL },
    { "computer_call_output", "'call_id':'c','output':{}",
      "'id':'i','status':'completed','acknowledged_safety_checks':[],"
      "'created_by':'b'", NULL },
    { "tool_search_call", "'id':'i'",
      "'call_id':'c','execution':'client','arguments':{},"
      "'status':'completed','created_by':'b'", "arguments" },
    { "tool_search_output", "'tools':[{'type':'custom','name':'n'}]",
      "'id':'i','call_id':'c','execution':'client','status':'completed',"
      "'created_by':'b'", NULL },
    { "additional_tools", "'tools':[{'type':'custom','name':'n'}]",
      "'id':'i','role':'developer','status':'completed'", NULL },
    { "configuration_update", "'id':'i'", "'reasoning':{}", NULL },
    { "context_compaction", "'id':'i'",
      "'encrypted_content':'e','created_by':'b','status':'completed'",
      "status" },
    { NULL, NULL, NULL, NULL }
};


static annotation_t  annotations[] = {
    { "{'type':'url_citation','url':'u','start_index':0,'end_index':1,"
      "'title':'t'}", 5 },
    { "{'type':'file_citation','file_id':'f','index':1,'filename':'n'}", 3 },
    { "{'type':'file_path','file_id':'f','index':1}", 3 },
    { "{'type':'container_file_citation','container_id':'c','file_id':'f',"
      "'start_index':1,'end_index':2,'filename':'n'}", 5 },
    { NULL, 0 }
};


#define EVERYWHERE  NGX_ORS_IN_ALL, NGX_ORS_IN_ALL

static place_t  places[] = {
    { "{'type':'output_text','text':'','annotations':[],'logprobs':[]}",
      EVERYWHERE },
    { "{'type':'output_text','text':'','annotations':[]}", CORE, CORE },
    { "{'type':'output_text','annotations':[],'logprobs':[]}", NONE, NONE },
    { "{'type':'refusal','refusal':''}", EVERYWHERE },
    { "{'type':'refusal','text':''}", NONE, NONE },
    { "{'type':'refusal','refusal':1}", NONE, NONE },
    { "{'type':'reasoning_text','text':''}", EVERYWHERE },
    { "{'type':'summary_text','text':''}", EVERYWHERE },
    { "{'type':'text','text':''}", EVERYWHERE },
    { "{'type':'text'}", NONE, NONE },
    { "{'type':'text','text':1}", NONE, NONE },
    { "{'type':'input_text','text':''}", EVERYWHERE },
    { "{'type':'input_image','image_url':null,'detail':'auto'}",
      EVERYWHERE },
    { "{'type':'input_image','image_url':'u','detail':'low'}", EVERYWHERE },
    { "{'type':'input_image','image_url':'u','detail':'high'}",
      EVERYWHERE },
    { "{'type':'input_image','image_url':'u'}", OPENAI, OPENAI },
    { "{'type':'input_image','image_url':'u','detail':'low',"
      "'file_id':1}", CORE, CORE },
    { "{'type':'input_image','image_url':1,'detail':'low'}", NONE, NONE },
    { "{'type':'input_file'}", EVERYWHERE },
    { "{'type':'input_file','file_id':1}", CORE, CORE },
    { "{'type':'input_file','file_data':1}", CORE, CORE },
    { "{'type':'input_file','detail':1}", CORE, CORE },
    { "{'type':'input_file','filename':1}", NONE, NONE },
    { "{'type':'input_file','file_url':null}", WIDE, WIDE },
    { "{'type':'input_video','video_url':'u'}", NGX_ORS_IN_ALL, NONE },
    { "{'type':'input_video','video_url':1}", NONE, NONE },
    { "{'type':'input_video'}", NONE, NONE },
    { "{'type':'input_audio','input_audio':{}}", OPENAI, NONE },
    { "{'type':'input_audio','input_audio':1}", NONE, NONE },
    { "{'type':'input_audio'}", NONE, NONE },
    { "{'type':'computer_screenshot','image_url':'u'}", OPENAI, NONE },
    { "{'type':'computer_screenshot','image_url':1}", NONE, NONE },
    { "{'type':'computer_screenshot','file_id':1}", NONE, NONE },
    { "{'type':'computer_screenshot','detail':1}", NONE, NONE },
    { "{'type':'acme:part','text':''}", NONE, NONE },
    { "{'type':'other','text':''}", NONE, NONE },
    { "{'text':''}", NONE, NONE },
    { NULL, NONE, NONE }
};


int
main(void)
{
    answer_members(message, &ngx_ors_fields_item, message_members);
    answer_members(call, &ngx_ors_fields_item, call_members);
    answer_members(output, &ngx_ors_fields_item, output_members);
    answer_members(reasoning, &ngx_ors_fields_item, reasoning_members);
    answer_members(compaction, &ngx_ors_fields_item, compaction_members);

    answer_cases(message, &ngx_ors_fields_item, annotation_cases);
    answer_cases(message, &ngx_ors_fields_item, message_cases);
    answer_cases(call, &ngx_ors_fields_item, call_cases);
    answer_cases(output, &ngx_ors_fields_item, output_cases);
    answer_cases(reasoning, &ngx_ors_fields_item, reasoning_cases);

    shape_cases(other_members, "{%s}", &ngx_ors_fields_item);

    answer_repair(message, &ngx_ors_fields_item, "status", "\"completed\"",
                  SPEC);
    answer_repair(message, &ngx_ors_fields_item, "content", NULL, SPEC);
    answer_repair(message, &ngx_ors_fields_item, "id", NULL, SPEC);
    answer_repair(message, &ngx_ors_fields_item, "role", NULL, SPEC);
    answer_repair(message, &ngx_ors_fields_item, "type", NULL, SPEC);
    answer_repair(message, &ngx_ors_fields_item, "content[0].text", NULL, SPEC);
    answer_repair(message, &ngx_ors_fields_item, "content[0].annotations",
                  "[]", SPEC);
    answer_repair(message, &ngx_ors_fields_item, "content[0].logprobs", "[]",
                  NGX_ORS_STRICT_OPENAI);
    answer_repair(message, &ngx_ors_fields_item,
                  "content[0].logprobs[0].bytes", "[]", SPEC);
    answer_repair(message, &ngx_ors_fields_item,
                  "content[0].logprobs[0].top_logprobs", "[]", SPEC);
    answer_repair(message, &ngx_ors_fields_item,
                  "content[0].logprobs[0].top_logprobs[0].bytes", "[]", SPEC);
    answer_repair(call, &ngx_ors_fields_item, "status", "\"completed\"",
                  NGX_ORS_STRICT_OPENAI);
    answer_repair(call, &ngx_ors_fields_item, "call_id", NULL, SPEC);
    answer_repair(call, &ngx_ors_fields_item, "name", NULL, SPEC);
    answer_repair(call, &ngx_ors_fields_item, "arguments", NULL, SPEC);
    answer_repair(output, &ngx_ors_fields_item, "status", "\"completed\"",
                  SPEC);
    answer_repair(output, &ngx_ors_fields_item, "output[1].detail",
                  "\"auto\"", SPEC);
    answer_repair(reasoning, &ngx_ors_fields_item, "summary", "[]", SPEC);

    test_hosted();
    test_annotations();
    test_places();

    return done_testing();
}


static void
test_hosted(void)
{
    hosted_t  *item;

    for (item = hosted; item->type; item++) {
        test_hosted_item(item);
    }
}


static void
test_hosted_item(hosted_t *item)
{
    char           text[SHAPE_TEXT];
    ngx_uint_t     needed;
    ngx_pool_t    *pool;
    shape_walk_t   w;

    pool = ngx_ors_test_pool();

    snprintf(text, sizeof(text), "{'type':'%s',%s}", item->type,
             item->needed);

    is_int(validate(text, &ngx_ors_fields_item, NGX_ORS_STRICT_SPEC),
           NGX_DECLINED, "%s in the specification", item->type);
    is_int(validate(text, &ngx_ors_fields_item, NGX_ORS_TOLERANT_SPEC),
           NGX_DECLINED, "%s in the tolerant profile", item->type);
    is_int(validate(text, &ngx_ors_fields_item, NGX_ORS_STRICT_OPENAI), NGX_OK,
           "%s", item->type);

    (void) shape_read(&w, &ngx_ors_fields_item, text, pool);
    needed = w.json.nodes[0].count;

    if (item->others) {
        snprintf(text, sizeof(text), "{'type':'%s',%s,%s}", item->type,
                 item->needed, item->others);
    }

    (void) shape_read(&w, &ngx_ors_fields_item, text, pool);

    is_int(validate(text, &ngx_ors_fields_item, NGX_ORS_TOLERANT_OPENAI),
           NGX_OK, "%s with all of its members", item->type);

    test_values(&w, &w.json.nodes[0], needed, item->any);

    ngx_destroy_pool(pool);
}


/* each member of "object" is taken away, set to null, and to a wrong type */

static void
test_values(shape_walk_t *w, ngx_ors_json_node_t *object, ngx_uint_t needed,
    char *any)
{
    char        *text, *value;
    ngx_int_t    rc, optional, typed;
    ngx_uint_t   i;
    ngx_pool_t  *pool;

    pool = ngx_ors_test_pool();

    text = (char *) w->json.text;
    w->target = ngx_ors_json_first(&w->json, object);

    for (i = 0; w->target; i++) {
        value = (w->target[1].type == ngx_ors_json_number) ? "'x'" : "5";
        optional = (i < needed) ? NGX_DECLINED : NGX_OK;
        typed = (any && ngx_ors_json_equal(&w->json, w->target,
                                           (u_char *) any, ngx_strlen(any)))
                ? NGX_OK : NGX_DECLINED;

        rc = validate(answer_change(w, text, NULL, pool), w->shape,
                      NGX_ORS_STRICT_OPENAI);
        is_int(rc, optional, "%s without member %d", text, (int) i);

        rc = validate(answer_change(w, text, "null", pool), w->shape,
                      NGX_ORS_STRICT_OPENAI);
        is_int(rc, optional, "%s with null as member %d", text, (int) i);

        rc = validate(answer_change(w, text, value, pool), w->shape,
                      NGX_ORS_TOLERANT_OPENAI);
        is_int(rc, typed, "%s with %s as member %d", text, value, (int) i);

        w->target = ngx_ors_json_next(&w->json, w->target);
    }

    ngx_destroy_pool(pool);
}


static void
test_annotations(void)
{
    char                  text[SHAPE_TEXT];
    ngx_pool_t           *pool;
    annotation_t         *annotation;
    shape_walk_t          w;
    ngx_ors_json_node_t  *list;

    for (annotation = annotations; annotation->text; annotation++) {
        pool = ngx_ors_test_pool();

        snprintf(text, sizeof(text), "{'annotations':[%s],"
                 "'type':'output_text','text':'','logprobs':[]}",
                 annotation->text);

        is_int(validate(text, &ngx_ors_fields_part, NGX_ORS_STRICT_OPENAI),
               NGX_OK, "%s", annotation->text);

        (void) shape_read(&w, &ngx_ors_fields_part, text, pool);

        list = ngx_ors_json_find(&w.json, &w.json.nodes[0], "annotations");
        test_values(&w, ngx_ors_json_first(&w.json, list),
                    annotation->needed, NULL);

        ngx_destroy_pool(pool);
    }
}


static void
test_places(void)
{
    char         text[SHAPE_TEXT];
    place_t     *place;
    ngx_uint_t   profile;

    for (place = places; place->text; place++) {

        for (profile = NGX_ORS_STRICT_SPEC;
             profile <= NGX_ORS_TOLERANT_OPENAI;
             profile <<= 1)
        {
            snprintf(text, sizeof(text), "{'type':'message','id':'i',"
                     "'status':'completed','role':'user','content':[%s]}",
                     place->text);

            is_int(validate(text, &ngx_ors_fields_item, profile),
                   (place->message & profile) ? NGX_OK : NGX_DECLINED,
                   "%s in a message, profile %d", place->text,
                   (int) profile);

            snprintf(text, sizeof(text), "{'type':'reasoning','id':'i',"
                     "'summary':[%s],'content':[%s]}", place->text,
                     place->text);

            is_int(validate(text, &ngx_ors_fields_item, profile),
                   (place->reasoning & profile) ? NGX_OK : NGX_DECLINED,
                   "%s in reasoning, profile %d", place->text,
                   (int) profile);

            is_int(validate(place->text, &ngx_ors_fields_part, profile),
                   (place->reasoning & profile) ? NGX_OK : NGX_DECLINED,
                   "%s alone, profile %d", place->text, (int) profile);
        }
    }
}


static ngx_int_t
validate(char *document, const ngx_ors_shape_t *shape, ngx_uint_t profile)
{
    char             *text;
    ngx_int_t         rc;
    ngx_pool_t       *pool;
    ngx_ors_error_t   err;

    pool = ngx_ors_test_pool();

    text = shape_quotes(document, ngx_pnalloc(pool, SHAPE_TEXT));
    rc = shape_validate(text, shape, profile, pool, &err, NULL);

    ngx_destroy_pool(pool);

    return rc;
}
