
/*
 * Copyright (C) Open Responses contributors
 */


/* Unknown keys: passed, stripped, refused. */


#include "profile_table.h"


#define USER  "'type':'message','role':'user','content':"


typedef struct {
    char        *text;
    char        *stripped;   /* sent on in the profile of the spec */
    char        *param;      /* of the first key that is unknown */
} unknown_t;


typedef struct {
    char        *text;
    ngx_uint_t   good;       /* profiles that know all of it */
    char        *param;      /* that the others do not */
} known_t;


static void test_unknown(unknown_t *row);
static void test_model(void);
static void test_known(const ngx_ors_shape_t *shape, known_t *row);
static void test_limit(void);
static void is_body(ngx_ors_request_t *req, char *expected, char *name);
static ngx_int_t read_with(const ngx_ors_shape_t *shape, ngx_uint_t profile,
    ngx_uint_t unknown, char *text, ngx_ors_request_t *req,
    ngx_ors_error_t *err);


static ngx_pool_t  *pool;


static unknown_t  rows[] = {

    /* each place of a comma */

    { "{'x':1,'model':'m','store':true}",
      "{'model':'m','store':true}", "x" },
    { "{'model':'m','x':1,'store':true}",
      "{'model':'m','store':true}", "x" },
    { "{'model':'m','store':true,'x':1}",
      "{'model':'m','store':true}", "x" },
    { "{'x':1}", "{}", "x" },
    { "{'x':1,'y':2}", "{}", "x" },
    { "{'x':1,'y':2,'z':3}", "{}", "x" },
    { "{'x':1,'y':2,'model':'m'}", "{'model':'m'}", "x" },
    { "{'model':'m','x':1,'y':2}", "{'model':'m'}", "x" },
    { "{'x':1,'model':'m','y':2}", "{'model':'m'}", "x" },
    { "{'x':1,'model':'m','y':2,'store':true,'z':3}",
      "{'model':'m','store':true}", "x" },
    { "{'model':'m','x':1,'y':2,'store':true}",
      "{'model':'m','store':true}", "x" },

    /* all values, odd keys */

    { "{'a':'','model':'m'}", "{'model':'m'}", "a" },
    { "{'a':{'b':[{},'}']},'model':'m','b':[[]],'c':null,'d':-1e5}",
      "{'model':'m'}", "a" },
    { "{'model':'m','':true}", "{'model':'m'}", "" },
    { "{'model':'m','a\\\\\\u0022,':true}", "{'model':'m'}", "a\\\"," },
    { "{'\\u006dodel':'m','Modell':'x'}", "{'\\u006dodel':'m'}", "Modell" },

    /* white space */

    { "{ 'x' : 1 , 'model' : 'm' }", "{ 'model' : 'm' }", "x" },
    { "{ 'model' : 'm' ,\n 'x' : 1\n}", "{ 'model' : 'm'\n}", "x" },
    { "{ 'model' : 'm' , 'x' : [ 1 ] , 'store' : true }",
      "{ 'model' : 'm' , 'store' : true }", "x" },
    { " { 'x' : {} } ", " {  } ", "x" },
    { "\t{\r\n'x':1,\r\n'y' :2}\n", "\t{\r\n}\n", "x" },

    /* inside of others */

    { "{'text':{'x':1,'verbosity':'low'},'y':2}",
      "{'text':{'verbosity':'low'}}", "text.x" },
    { "{'text':{'format':{'type':'text','x':1}}}",
      "{'text':{'format':{'type':'text'}}}", "text.format.x" },
    { "{'x':{'text':{}},'text':{'format':{'x':1,'schema':{'x':1}}}}",
      "{'text':{'format':{'schema':{'x':1}}}}", "x" },
    { "{'reasoning':{'effort':'low','context':'c'}}",
      "{'reasoning':{'effort':'low'}}", "reasoning.context" },
    { "{'stream_options':{'include_usage':true}}", "{'stream_options':{}}",
      "stream_options.include_usage" },
    { "{'tools':[{'type':'function','x':1,'name':'f'},"
      "{'type':'function','name':'g','y':2}]}",
      "{'tools':[{'type':'function','name':'f'},"
      "{'type':'function','name':'g'}]}", "tools[0].x" },
    { "{'tool_choice':{'type':'function','name':'f','x':1}}",
      "{'tool_choice':{'type':'function','name':'f'}}", "tool_choice.x" },
    { "{'tool_choice':{'type':'allowed_tools','tools':[{'x':1,"
      "'type':'function','name':'f'}]}}",
      "{'tool_choice':{'type':'allowed_tools','tools':["
      "{'type':'function','name':'f'}]}}", "tool_choice.tools[0].x" },
    { "{'input':[{" USER "'a'},{'x':1," USER "'b'}]}",
      "{'input':[{" USER "'a'},{" USER "'b'}]}", "input[1].x" },
    { "{'input':[{" USER "[{'type':'input_text','text':'','x':{}},"
      "{'type':'input_image','x':1}],'y':2}],'z':3}",
      "{'input':[{" USER "[{'type':'input_text','text':''},"
      "{'type':'input_image'}]}]}", "input[0].content[0].x" },
    { "{'input':[{'type':'reasoning','summary':[{'type':'summary_text',"
      "'x':1,'text':''}],'status':'s'}]}",
      "{'input':[{'type':'reasoning','summary':[{'type':'summary_text',"
      "'text':''}]}]}", "input[0].summary[0].x" },
    { "{'input':[{'id':'a','role':'user'}]}", "{'input':[{'id':'a'}]}",
      "input[0].role" },

    /* any key is known here */

    { "{'metadata':{'x':'y'}}", "{'metadata':{'x':'y'}}", NULL },
    { "{'tools':[{'type':'function','name':'f','parameters':{'x':1}}]}",
      "{'tools':[{'type':'function','name':'f','parameters':{'x':1}}]}",
      NULL },
    { "{'tools':[{'type':'acme:x','x':1}]}",
      "{'tools':[{'type':'acme:x','x':1}]}", NULL },
    { "{'input':[{'type':'acme:x','id':'a','status':'s','x':1}]}",
      "{'input':[{'type':'acme:x','id':'a','status':'s','x':1}]}", NULL },
    { NULL, NULL, NULL }
};


/* with "reject" what a flavor has is refused where it is not set */

static known_t  known[] = {
    { "{'user':'u'}", FLAVOR, "user" },
    { "{'conversation':'c'}", WIDE, "conversation" },
    { "{'prompt':{}}", WIDE, "prompt" },
    { "{'client_metadata':{}}", FLAVOR, "client_metadata" },
    { "{'prompt_cache_retention':'24h'}", FLAVOR, "prompt_cache_retention" },
    { "{'prompt_cache_options':{}}", FLAVOR, "prompt_cache_options" },
    { "{'context_management':[]}", FLAVOR, "context_management" },
    { "{'moderation':{}}", FLAVOR, "moderation" },
    { "{'access_programs':{}}", FLAVOR, "access_programs" },
    { "{'image':{}}", FLAVOR, "image" },
    { "{'reasoning':{'context':'c'}}", FLAVOR, "reasoning.context" },
    { "{'reasoning':{'generate_summary':'auto'}}", FLAVOR,
      "reasoning.generate_summary" },
    { "{'reasoning':{'mode':'pro'}}", FLAVOR, "reasoning.mode" },
    { "{'stream_options':{'reasoning_summary_delivery':'x'}}", FLAVOR,
      "stream_options.reasoning_summary_delivery" },
    { "{'tools':[{'type':'function','name':'f','async':true}]}", FLAVOR,
      "tools[0].async" },
    { "{'tools':[{'type':'function','name':'f','output_schema':{}}]}", FLAVOR,
      "tools[0].output_schema" },
    { "{'input':[{'type':'function_call','call_id':'c','name':'f',"
      "'arguments':'','namespace':'n'}]}", FLAVOR, "input[0].namespace" },
    { "{'input':[{'type':'function_call','call_id':'c','name':'f',"
      "'arguments':'','parsed_arguments':{}}]}", FLAVOR,
      "input[0].parsed_arguments" },
    { "{'input':[{'type':'function_call_output','call_id':'c','output':'',"
      "'name':'f'}]}", FLAVOR, "input[0].name" },
    { "{'input':[{'type':'compaction','encrypted_content':'',"
      "'created_by':'x'}]}", FLAVOR, "input[0].created_by" },
    { "{'input':[{'type':'reasoning','summary':[],'status':'s'}]}", FLAVOR,
      "input[0].status" },
    { "{'input':[{" USER "'','phase':'commentary'}]}", FLAVOR,
      "input[0].phase" },
    { "{'input':[{" USER "[{'type':'input_image','file_id':'f'}]}]}", FLAVOR,
      "input[0].content[0].file_id" },
    { "{'input':[{" USER "[{'type':'input_file','file_id':'f'}]}]}", FLAVOR,
      "input[0].content[0].file_id" },
    { "{'input':[{" USER "[{'type':'input_text','text':'',"
      "'prompt_cache_breakpoint':{}}]}]}", FLAVOR,
      "input[0].content[0].prompt_cache_breakpoint" },
    { "{'input':[{'type':'message','role':'assistant','content':["
      "{'type':'output_text','text':'','logprobs':[]}]}]}", FLAVOR,
      "input[0].content[0].logprobs" },
    { "{'input':[{'type':'message','role':'assistant','content':["
      "{'type':'output_text','text':'','parsed':null}]}]}", FLAVOR,
      "input[0].content[0].parsed" },
    { "{'messages':[]}", NONE, "messages" },
    { "{'max_tokens':5}", NONE, "max_tokens" },
    { NULL, 0, NULL }
};


static known_t  compact[] = {
    { "{'model':'m','input':'','instructions':'','previous_response_id':'r',"
      "'prompt_cache_key':'k'}", ALL, NULL },
    { "{'model':'m','tools':[]}", FLAVOR, "tools" },
    { "{'model':'m','parallel_tool_calls':true}", FLAVOR,
      "parallel_tool_calls" },
    { "{'model':'m','reasoning':{}}", FLAVOR, "reasoning" },
    { "{'model':'m','service_tier':'auto'}", FLAVOR, "service_tier" },
    { "{'model':'m','text':{}}", FLAVOR, "text" },
    { "{'model':'m','prompt_cache_retention':'24h'}", FLAVOR,
      "prompt_cache_retention" },
    { "{'model':'m','prompt_cache_options':{}}", FLAVOR,
      "prompt_cache_options" },
    { "{'model':'m','image':{}}", FLAVOR, "image" },
    { "{'model':'m','stream':true}", NONE, "stream" },
    { NULL, 0, NULL }
};


#define SAID(members)                                                         \
    "{'model':'m','messages':[{'role':'assistant'," members "}]}"

/* answers of servers, and what SDKs have made of them, sent back */

static known_t  chat[] = {
    { SAID("'content':'','refusal':null"), ALL, NULL },
    { SAID("'reasoning_content':'Hm'"), WIDE,
      "messages[0].reasoning_content" },
    { SAID("'annotations':[]"), FLAVOR, "messages[0].annotations" },
    { SAID("'parsed':null"), FLAVOR, "messages[0].parsed" },
    { SAID("'tool_calls':[{'type':'function','id':'c','function':"
           "{'name':'f','arguments':'','parsed_arguments':{}}}]"), FLAVOR,
      "messages[0].tool_calls[0].function.parsed_arguments" },
    { SAID("'tool_calls':[{'index':0,'type':'function','id':'c','function':"
           "{'name':'f','arguments':''}}]"), FLAVOR,
      "messages[0].tool_calls[0].index" },
    { SAID("'content':'','top_k':1"), NONE, "messages[0].top_k" },
    { NULL, 0, NULL }
};


int
main(void)
{
    known_t    *k;
    unknown_t  *row;

    pool = ngx_ors_test_pool();

    for (row = rows; row->text; row++) {
        test_unknown(row);
    }

    test_model();

    for (k = known; k->text; k++) {
        test_known(&ngx_ors_fields_create, k);
    }

    for (k = compact; k->text; k++) {
        test_known(&ngx_ors_fields_compact, k);
    }

    for (k = chat; k->text; k++) {
        test_known(&ngx_ors_fields_chat_request, k);
    }

    test_limit();

    ngx_destroy_pool(pool);

    return done_testing();
}


static void
test_unknown(unknown_t *row)
{
    ngx_int_t           rc;
    ngx_uint_t          unknown;
    ngx_ors_error_t     err;
    ngx_ors_request_t   req;

    for (unknown = ngx_ors_unknown_auto;
         unknown <= ngx_ors_unknown_pass;
         unknown++)
    {
        rc = read_with(&ngx_ors_fields_create, SPEC, unknown, row->text, &req,
                       &err);

        is_int(rc, NGX_OK, "passes: %s", row->text);
        is_body(&req, row->text, "as it came");
    }

    rc = read_with(&ngx_ors_fields_create, SPEC, ngx_ors_unknown_strip,
                   row->text, &req, &err);

    is_int(rc, NGX_OK, "stripped: %s", row->text);
    is_body(&req, row->stripped, "stripped");

    rc = read_with(&ngx_ors_fields_create, SPEC, ngx_ors_unknown_reject,
                   row->text, &req, &err);

    if (row->param == NULL) {
        is_int(rc, NGX_OK, "not refused: %s", row->text);
        return;
    }

    if (is_int(rc, NGX_DECLINED, "refused: %s", row->text)) {
        is_int(err.status, 400, "with a status");
        is_str(&err.code, "unknown_parameter", "with a code");
        is_str(&err.param, row->param, "with a param");
    }
}


/* another model's name among what is stripped */

static void
test_model(void)
{
    ngx_uint_t          i;
    ngx_chain_t        *cl;
    ngx_ors_out_t       out;
    ngx_ors_error_t     err;
    ngx_ors_request_t   req;

    static ngx_str_t  model = ngx_string("a\"b");

    static char  *texts[] = {
        "{'x':1,'model':'m'}", "{'model':'m','x':1}", "{'x':1,'model':'m',"
        "'y':2}"
    };

    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        read_with(&ngx_ors_fields_create, SPEC, ngx_ors_unknown_strip,
                  texts[i], &req, &err);

        ngx_ors_out_init(&out, pool, 4096);
        ngx_ors_request_write(&req, &model, &out);
        ngx_ors_out_take(&out, &cl);

        is_chain(cl, "{\"model\":\"a\\\"b\"}", "model: %s", texts[i]);
    }
}


static void
test_known(const ngx_ors_shape_t *shape, known_t *row)
{
    ngx_int_t           rc;
    ngx_uint_t          n;
    ngx_ors_error_t     err;
    ngx_ors_request_t   req;

    for (n = 0; n < 4; n++) {
        rc = read_with(shape, 1 << n, ngx_ors_unknown_reject, row->text, &req,
                       &err);

        if (row->good & (1 << n)) {
            is_int(rc, NGX_OK, "%s knows %s", reading_names[n], row->text);

        } else if (is_int(rc, NGX_DECLINED, "%s does not know %s",
                          reading_names[n], row->text))
        {
            is_str(&err.code, "unknown_parameter", "with a code");
            is_str(&err.param, row->param, "with a param");
        }
    }
}


/* many at once, and no memory for them */

static void
test_limit(void)
{
    char               *text, *p;
    ngx_int_t           rc;
    ngx_uint_t          i, n, bad;
    ngx_ors_error_t     err;
    ngx_ors_request_t   req;

    text = ngx_pnalloc(pool, 65536);
    p = text + sprintf(text, "{");

    for (i = 0; i < 1000; i++) {
        p += sprintf(p, "'x%d':%d,", (int) i, (int) i);
    }

    sprintf(p, "'model':'m'}");

    rc = read_with(&ngx_ors_fields_create, SPEC, ngx_ors_unknown_strip, text,
                   &req, &err);

    is_int(rc, NGX_OK, "a thousand");
    is_body(&req, "{'model':'m'}", "a thousand are stripped");

    for (n = 1, bad = 0; ; n++) {
        ngx_ors_test_fail_after(n);
        rc = read_with(&ngx_ors_fields_create, SPEC, ngx_ors_unknown_strip,
                       "{'text':{'x':1},'y':2}", &req, &err);

        if (!ngx_ors_test_failed()) {
            break;
        }

        bad += (rc != NGX_ERROR);
    }

    ngx_ors_test_fail_after(0);

    ok(n > 2 && bad == 0, "no memory is an error, %d times", (int) n - 1);
}


static void
is_body(ngx_ors_request_t *req, char *expected, char *name)
{
    char            text[4096];
    ngx_chain_t    *cl;
    ngx_ors_out_t   out;

    static ngx_str_t  model = ngx_null_string;

    ngx_ors_test_quotes(text, expected, strlen(expected) + 1);

    ngx_ors_out_init(&out, pool, 4096);
    ngx_ors_request_write(req, &model, &out);
    ngx_ors_out_take(&out, &cl);

    is_chain(cl, text, "%s: %s", name, expected);
}


/* the text is copied to where the request may borrow it */

static ngx_int_t
read_with(const ngx_ors_shape_t *shape, ngx_uint_t profile,
    ngx_uint_t unknown, char *text, ngx_ors_request_t *req,
    ngx_ors_error_t *err)
{
    static char              copy[65536];
    static ngx_ors_policy_t  policy;

    policy.profile = profile;
    policy.unknown = unknown;

    strcpy(copy, text);

    return read_in(shape, &policy, copy, pool, req, err);
}
