
/*
 * Copyright (C) Open Responses contributors
 */


/* Tools of the flavor "openai" for a chat server, their choice and calls. */


#include <ngx_ors_test.h>
#include <ngx_ors_chat_request.h>
#include <ngx_ors_test_request.h>


#define SIZE    65536

#define ALL     NGX_ORS_IN_ALL
#define OPENAI  NGX_ORS_IN_OPENAI
#define TOLERANT  NGX_ORS_IN_TOLERANT

#define USER    "{'type':'message','role':'user','content':'u'}"
#define FUNC    "{'type':'function','name':'f'}"
#define CUSTOM  "{'type':'custom','name':'p'}"
#define SPACE   "{'type':'namespace','name':'n','tools':[" FUNC "]}"
#define HOSTED  "{'type':'web_search'}"
#define SEARCH                                                                \
    "{'type':'tool_search','execution':'client','description':'d',"           \
    "'parameters':{'a':1}}"

/* the functions that they become */

#define SENT(name, rest)                                                      \
    "{'type':'function','function':{'name':'" name "'," rest "}}"
#define FUNC_AS(name)                                                         \
    SENT(name, "'parameters':{'type':'object','properties':{}}")
#define CUSTOM_AS(name, text)                                                 \
    SENT(name, "'description':'" text "','parameters':{'type':'object',"      \
               "'properties':{'input':{'type':'string'}},'required':["        \
               "'input'],'additionalProperties':false}")
#define SEARCH_AS                                                             \
    SENT("tool_search", "'description':'d','parameters':{'a':1}")
#define FREE    "\\'input\\' is free text, not JSON."

/* the output of that call, and what becomes of it */
#define OUT     ",{'type':'function_call_output','call_id':'c','output':'o'}"
#define TOOL    ",{'role':'tool','content':'o','tool_call_id':'c'}"

#define CALLS(name, arguments)                                                \
    ",{'role':'assistant','content':null,'tool_calls':[{'id':'c','type':"     \
    "'function','function':{'name':'" name "','arguments':'" arguments        \
    "'}}]}"

#define N16     "a123456789abcdef"
#define N54     N16 N16 N16 "a12345"
#define N64     N16 N16 N16 N16


/* "expected": what is sent after the user's message, or code and param */

typedef struct {
    ngx_uint_t             profiles;
    char                  *input;
    char                  *fields;
    char                  *expected;
} row_t;


typedef struct {
    ngx_pool_t            *pool;
    ngx_ors_request_t      req;
    ngx_ors_chat_tools_t   tools;
    u_char                 text[SIZE];
    u_char                 result[SIZE];
} test_t;


static void test_row(row_t *row, ngx_uint_t profile);
static void test_types(void);
static void test_answers(void);
static void test_many(void);
static void test_memory(void);
static ngx_int_t test_run(test_t *t, ngx_uint_t profile, const char *text);
static void test_find(test_t *t, const char *sent, ngx_int_t kind,
    const char *name, const char *space);
static void test_quotes(u_char *p, u_char from, u_char to);


static ngx_ors_chat_options_t  test_habits;


static row_t  rows[] = {

    /* tools */

    { ALL, "", ",'tools':[" FUNC "]", "],'tools':[" FUNC_AS("f") "]}" },
    { OPENAI, "", ",'tools':[" CUSTOM "]",
      "],'tools':[" CUSTOM_AS("p", FREE) "]}" },
    { OPENAI, "", ",'tools':[{'type':'custom','name':'p','description':"
      "'a\\n\\u0022','format':{'type':'text'}}]",
      "],'tools':[" CUSTOM_AS("p", "a\\n\\u0022\\n\\n" FREE) "]}" },
    { OPENAI, "", ",'tools':[{'type':'custom','name':'p','description':'d',"
      "'format':{'type':'grammar','syntax':'lark','definition':"
      "'start: \\'x\\'\\n'}}]",
      "],'tools':[" CUSTOM_AS("p", "d\\n\\n" FREE " It must match this "
                              "grammar (lark):\\nstart: \\'x\\'\\n") "]}" },
    { OPENAI, "", ",'tools':[" SPACE "]",
      "],'tools':[" FUNC_AS("n__f") "]}" },
    { OPENAI, "", ",'tools':[{'type':'namespace','name':'n','tools':["
      CUSTOM ",{'type':'function','name':'g','description':'d','strict':"
      "false,'parameters':{'a':1},'defer_loading':true}]}]",
      "],'tools':[" CUSTOM_AS("n__p", FREE) ","
      SENT("n__g", "'description':'d','parameters':{'a':1},'strict':false")
      "]}" },
    { OPENAI, "", ",'tools':[{'type':'namespace','name':'n','tools':[]}]",
      "]}" },
    { NGX_ORS_TOLERANT_SPEC, "", ",'tools':[" FUNC "," CUSTOM "," SPACE "]",
      "],'tools':[" FUNC_AS("f") "]}" },

    /* E23 */

    { OPENAI, "", ",'tools':[" FUNC "," HOSTED "," SPACE "," CUSTOM ","
      "{'type':'image_generation'}],'tool_choice':'auto',"
      "'parallel_tool_calls':true",
      "],'tools':[" FUNC_AS("f") "," FUNC_AS("n__f") ","
      CUSTOM_AS("p", FREE) "],'tool_choice':'auto',"
      "'parallel_tool_calls':true}" },
    { OPENAI, "", ",'tools':[" HOSTED "],'tool_choice':'required',"
      "'parallel_tool_calls':true", "]}" },

    /* E24 */

    { OPENAI, "", ",'tools':[{'type':'namespace','name':'mcp__x__','tools':["
      "{'type':'function','name':'mcp__x__read'},"
      "{'type':'function','name':'write'}]},"
      "{'type':'namespace','name':'mcp__y','tools':["
      "{'type':'function','name':'mcp__y__read'},"
      "{'type':'function','name':'mcp__y'},"
      "{'type':'function','name':'mcp__yes'}]},"
      "{'type':'namespace','name':'z_','tools':[" FUNC "]}]",
      "],'tools':[" FUNC_AS("mcp__x__read") "," FUNC_AS("mcp__x__write") ","
      FUNC_AS("mcp__y__read") "," FUNC_AS("mcp__y__mcp__y") ","
      FUNC_AS("mcp__y__mcp__yes") "," FUNC_AS("z__f") "]}" },
    { OPENAI, "", ",'tools':[{'type':'function','name':'n__f','strict':true},"
      SPACE "]",
      "],'tools':[" SENT("n__f", "'parameters':{'type':'object',"
                                 "'properties':{}},'strict':true") "]}" },
    { OPENAI, "", ",'tools':[" SPACE ",{'type':'function','name':'n__f',"
      "'strict':true}]", "],'tools':[" FUNC_AS("n__f") "]}" },
    { OPENAI, "", ",'tools':[{'type':'custom','name':'a.b \\u00e9/C-1'}]",
      "],'tools':[" CUSTOM_AS("a_b____C-1", FREE) "]}" },
    { ALL, "", ",'tools':[{'type':'function','name':'" N64 "'}]",
      "],'tools':[" FUNC_AS(N64) "]}" },

    /* E25 */

    { OPENAI, ",{'type':'additional_tools','role':'developer','tools':["
      FUNC "," SPACE "," HOSTED "]}", ",'tools':[" CUSTOM "," FUNC "]",
      "],'tools':[" CUSTOM_AS("p", FREE) "," FUNC_AS("f") ","
      FUNC_AS("n__f") "]}" },
    { OPENAI, ",{'type':'additional_tools','tools':[" FUNC "]}", "",
      "],'tools':[" FUNC_AS("f") "]}" },
    { ALL, "", ",'tools':[" FUNC ",{'type':'function','name':'f',"
      "'strict':true}]", "],'tools':[" FUNC_AS("f") "]}" },

    /* E26 */

    { OPENAI, "", ",'tools':[" CUSTOM "],'tool_choice':{'type':'custom',"
      "'name':'p'}", "],'tools':[" CUSTOM_AS("p", FREE) "],'tool_choice':"
      "{'type':'function','function':{'name':'p'}}}" },
    { OPENAI, "", ",'tools':[" SPACE "],'tool_choice':{'type':'function',"
      "'name':'f','namespace':'n'}", "],'tools':[" FUNC_AS("n__f") "],"
      "'tool_choice':{'type':'function','function':{'name':'n__f'}}}" },
    { ALL, "", ",'tools':[" FUNC "],'tool_choice':{'type':'allowed_tools',"
      "'mode':'required','tools':[" FUNC "]}",
      "],'tools':[" FUNC_AS("f") "],'tool_choice':'required'}" },
    { OPENAI, "", ",'tools':[" FUNC "],'tool_choice':{'type':'allowed_tools',"
      "'mode':'required','tools':[" HOSTED ",{'type':'custom','name':'p'}]}",
      "],'tools':[" FUNC_AS("f") "],'tool_choice':'required'}" },
    { OPENAI, "", ",'tools':[" SPACE "],'tool_choice':{'type':"
      "'allowed_tools','tools':[{'type':'namespace','name':'n'}]}",
      "],'tools':[" FUNC_AS("n__f") "],'tool_choice':'auto'}" },

    { OPENAI, "", ",'tools':[" SPACE "],'tool_choice':{'type':'function',"
      "'name':'f'}", "invalid_value tool_choice.name" },
    { OPENAI, "", ",'tools':[" CUSTOM "],'tool_choice':{'type':'function',"
      "'name':'p'}", "invalid_value tool_choice.name" },
    { OPENAI, "", ",'tools':[" FUNC "],'tool_choice':{'type':'custom',"
      "'name':'f'}", "invalid_value tool_choice.name" },

    { NGX_ORS_STRICT_OPENAI, "", ",'tools':[" FUNC "," HOSTED "],"
      "'tool_choice':" HOSTED, "unsupported_value tool_choice.type" },
    { NGX_ORS_STRICT_OPENAI, "", ",'tool_choice':" HOSTED,
      "unsupported_value tool_choice.type" },
    { NGX_ORS_STRICT_OPENAI, "", ",'tools':[" FUNC "],'tool_choice':{'type':"
      "'allowed_tools','mode':'required','tools':[" HOSTED "]}",
      "unsupported_value tool_choice.tools" },
    { NGX_ORS_TOLERANT_OPENAI, "", ",'tools':[" FUNC "," HOSTED "],"
      "'tool_choice':" HOSTED,
      "],'tools':[" FUNC_AS("f") "],'tool_choice':'auto'}" },
    { NGX_ORS_TOLERANT_OPENAI, "", ",'tools':[" HOSTED "],'tool_choice':"
      HOSTED, "]}" },
    { NGX_ORS_TOLERANT_OPENAI, "", ",'tools':[" FUNC "],'tool_choice':"
      "{'type':'allowed_tools','mode':'required','tools':[" HOSTED "]}",
      "],'tools':[" FUNC_AS("f") "],'tool_choice':'auto'}" },

    /* a search for tools */

    { OPENAI, "", ",'tools':[" FUNC "," SEARCH "]",
      "],'tools':[" FUNC_AS("f") "," SEARCH_AS "]}" },
    { OPENAI, "", ",'tools':[{'type':'tool_search','execution':'client'}]",
      "],'tools':[" FUNC_AS("tool_search") "]}" },
    { OPENAI, "", ",'tools':[" FUNC ",{'type':'tool_search'},{'type':"
      "'tool_search','execution':'server','parameters':{}}]",
      "],'tools':[" FUNC_AS("f") "]}" },
    { OPENAI, "", ",'tools':[{'type':'function','name':'tool_search'},"
      SEARCH "]", "],'tools':[" FUNC_AS("tool_search") "]}" },
    { OPENAI, "", ",'tools':[" SEARCH "],'tool_choice':{'type':"
      "'tool_search'}", "],'tools':[" SEARCH_AS "],'tool_choice':{'type':"
      "'function','function':{'name':'tool_search'}}}" },
    { OPENAI, "", ",'tools':[" SEARCH "],'tool_choice':{'type':"
      "'allowed_tools','mode':'required','tools':[{'type':'tool_search'}]}",
      "],'tools':[" SEARCH_AS "],'tool_choice':'required'}" },
    { NGX_ORS_STRICT_OPENAI, "", ",'tools':[{'type':'tool_search'}],"
      "'tool_choice':{'type':'tool_search'}",
      "unsupported_value tool_choice.type" },
    { OPENAI, "", ",'tools':[{'type':'tool_search','parameters':'x'}]",
      "invalid_type tools[0].parameters" },
    { NGX_ORS_TOLERANT_SPEC, "", ",'tools':[" FUNC "," SEARCH "]",
      "],'tools':[" FUNC_AS("f") "]}" },

    /* ... and what was searched for, and found */

    { OPENAI, ",{'type':'tool_search_call','id':'t','call_id':'c','status':"
      "'completed','execution':'client','arguments':{'query' : 'a\\u00e9',"
      "'n':1e400}},{'type':'tool_search_output','call_id':'c','execution':"
      "'client','status':'completed','tools':[" FUNC "," SPACE "," CUSTOM ","
      HOSTED "]}", ",'tools':[" SEARCH "]",
      CALLS("tool_search", "{\\'query\\' : \\'a\\\\u00e9\\',"
                           "\\'n\\':1e400}")
      ",{'role':'tool','content':'{\\'tools\\':[\\'f\\',\\'n__f\\',"
      "\\'p\\']}','tool_call_id':'c'}],'tools':[" SEARCH_AS "," FUNC_AS("f")
      "," FUNC_AS("n__f") "," CUSTOM_AS("p", FREE) "]}" },
    { OPENAI, ",{'type':'tool_search_call','call_id':'c'},"
      "{'type':'tool_search_output','call_id':'c','tools':[]}", "",
      CALLS("tool_search", "{}")
      ",{'role':'tool','content':'{\\'tools\\':[]}','tool_call_id':'c'}]}" },
    { OPENAI, ",{'type':'tool_search_call','call_id':'c','arguments':'a'}" OUT,
      "", CALLS("tool_search", "a") TOOL "]}" },
    { OPENAI, ",{'type':'tool_search_call','call_id':'c','arguments':''}" OUT,
      "", CALLS("tool_search", "{}") TOOL "]}" },

    /* that of another server has no call: the tools are what is left of it */

    { OPENAI, ",{'type':'tool_search_call','call_id':null,'arguments':{}},"
      "{'type':'tool_search_output','tools':[" FUNC "]}", "",
      "],'tools':[" FUNC_AS("f") "]}" },
    { OPENAI, ",{'type':'tool_search_output','call_id':'c','tools':[]}", "",
      "unknown_call_id input[1].call_id" },

    /* as Chat Completions has it */

    { TOLERANT, "", ",'tools':[{'type':'function','function':{'name':'f',"
      "'description':'d','parameters':{'a':1},'strict':true}}," FUNC "]",
      "],'tools':[" SENT("f", "'description':'d','parameters':{'a':1},"
                         "'strict':true") "]}" },
    { TOLERANT, "", ",'tools':[{'type':'function','function':{'name':'f'}}],"
      "'tool_choice':{'type':'function','function':{'name':'\\u0066'}}",
      "],'tools':[" FUNC_AS("f") "],'tool_choice':{'type':'function',"
      "'function':{'name':'f'}}}" },
    { TOLERANT, "", ",'tools':[" FUNC "],'tool_choice':{'type':"
      "'allowed_tools','mode':'required','tools':[{'type':'function',"
      "'function':{'name':'f'}}]}",
      "],'tools':[" FUNC_AS("f") "],'tool_choice':'required'}" },
    { TOLERANT, "", ",'tools':[" FUNC "],'tool_choice':{'type':'function',"
      "'function':{'name':'g'}}", "invalid_value tool_choice.function.name" },

    /* history */

    { OPENAI, ",{'type':'custom_tool_call','call_id':'c','name':'p','input':"
      "''}" OUT, "", CALLS("p", "{\\'input\\':\\'\\'}") TOOL "]}" },
    { NGX_ORS_STRICT_OPENAI, ",{'type':'custom_tool_call','call_id':'c',"
      "'name':'p','input':''}", "", "missing_call_output input" },
    { OPENAI, ",{'type':'custom_tool_call','call_id':'c','name':'p','input':"
      "'a\\n\\'b\\' \\\\ \\u00e9 \xc3\xa9'},{'type':"
      "'custom_tool_call_output','call_id':'c','output':[{'type':"
      "'input_text','text':'o'}]}", "",
      CALLS("p", "{\\'input\\':\\'a\\\\n\\\\\\'b\\\\\\' \\\\\\\\ \\\\u00e9 "
                 "\xc3\xa9\\'}")
      ",{'role':'tool','content':'o','tool_call_id':'c'}]}" },
    { OPENAI, ",{'type':'custom_tool_call','call_id':'c','name':'p.q',"
      "'namespace':'n','input':'x'}" OUT, "",
      CALLS("n__p_q", "{\\'input\\':\\'x\\'}") TOOL "]}" },
    { OPENAI, ",{'type':'function_call','call_id':'c','name':'f',"
      "'arguments':'{}','namespace':'n','caller':{}}" OUT, "",
      CALLS("n__f", "{}") TOOL "]}" },
    { OPENAI, ",{'type':'function_call','call_id':'c','name':'n__f',"
      "'arguments':'','namespace':'n'}" OUT, "",
      CALLS("n__f", "{}") TOOL "]}" },
    { NGX_ORS_TOLERANT_SPEC, ",{'type':'function_call','call_id':'c','name':"
      "'f','arguments':'','namespace':1}", "", CALLS("f", "{}") "]}" },
    { OPENAI, ",{'type':'custom_tool_call_output','call_id':'c','output':"
      "''}", "", "unknown_call_id input[1].call_id" },
    { OPENAI, ",{'type':'custom_tool_call','call_id':'c','name':'p','input':"
      "''},{'type':'custom_tool_call_output','call_id':'c','output':''},"
      "{'type':'custom_tool_call_output','call_id':'c','output':''}", "",
      "duplicate_call_id input[3].call_id" },

    /* members that are used must be as they should */

    { OPENAI, "", ",'tools':[{'type':'custom'}]",
      "missing_required_parameter tools[0].name" },
    { OPENAI, "", ",'tools':[{'type':'custom','name':1}]",
      "invalid_type tools[0].name" },
    { OPENAI, "", ",'tools':[{'type':'namespace','name':'n'}]",
      "missing_required_parameter tools[0].tools" },
    { OPENAI, "", ",'tools':[{'type':'namespace','name':'n','tools':["
      SPACE "]}]", "invalid_value tools[0].tools[0].type" },
    { OPENAI, "", ",'tools':[" SPACE "],'tool_choice':{'type':'function',"
      "'name':'f','namespace':1}", "invalid_type tool_choice.namespace" },
    { OPENAI, ",{'type':'function_call','call_id':'c','name':'f',"
      "'arguments':'','namespace':1}", "", "invalid_type input[1].namespace" }
};


int
main(void)
{
    ngx_uint_t  i, n;

    test_habits = ngx_ors_chat_options;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        for (n = 0; n < 4; n++) {
            if (rows[i].profiles & (1 << n)) {
                test_row(&rows[i], 1 << n);
            }
        }
    }

    test_types();
    test_answers();
    test_many();
    test_memory();

    return done_testing();
}


static void
test_row(row_t *row, ngx_uint_t profile)
{
    char       text[8192], expected[8192];
    test_t     t;
    ngx_int_t  rc;

    snprintf(text, sizeof(text), "{'model':'m','input':[" USER "%s]%s}",
             row->input, row->fields);

    rc = test_run(&t, profile, text);

    if (ngx_strchr("],", *row->expected)) {
        is_int(rc, NGX_OK, "profile %d: %s", (int) profile, text);
        snprintf(expected, sizeof(expected), "{'model':'m','messages':["
                 "{'role':'user','content':'u'}%s", row->expected);

    } else {
        is_int(rc, NGX_DECLINED, "profile %d: %s", (int) profile, text);
        snprintf(expected, sizeof(expected), "%s", row->expected);
    }

    is_mem(t.result, ngx_strlen(t.result), expected, ngx_strlen(expected),
           "what comes of it");

    ngx_destroy_pool(t.pool);
}


/* tools of the server's own */

static void
test_types(void)
{
    test_t       t;
    ngx_str_t    json;
    ngx_uint_t   i;
    ngx_array_t  types;

    static ngx_ors_chat_type_t  list[] = {
        { ngx_string("web_"), 1, ngx_ors_chat_type_skip, ngx_null_string },
        { ngx_string("web_search"), 1, ngx_ors_chat_type_send,
          ngx_string("{\"type\":\"web\"}") },
        { ngx_string("web_search_x"), 0, ngx_ors_chat_type_reject,
          ngx_null_string },
        { ngx_string("mcp"), 0, ngx_ors_chat_type_send,
          ngx_string("{\"type\":\"x\",\"y\":{}}") },
        { ngx_string("shell"), 0, ngx_ors_chat_type_skip, ngx_null_string },
        { ngx_null_string, 1, ngx_ors_chat_type_reject, ngx_null_string }
    };

    static row_t  rows[] = {
        { 0, "", ",'tools':[" FUNC "," HOSTED ",{'type':'web_search_preview'}"
          ",{'type':'\\u006dcp'},{'type':'shell'},{'type':'web_fetch'}],"
          "'tool_choice':'required'",
          "],'tools':[" FUNC_AS("f") ",{'type':'web'},{'type':'x','y':{}}],"
          "'tool_choice':'required'}" },
        { 0, "", ",'tools':[" HOSTED "],'parallel_tool_calls':false",
          "],'tools':[{'type':'web'}],'parallel_tool_calls':false}" },
        { 0, "", ",'tools':[{'type':'shell'}],'tool_choice':'auto',"
          "'parallel_tool_calls':false", "]}" },
        { 0, "", ",'tools':[" FUNC ",{'type':'web_search_x'}]",
          "unsupported_value tools[1].type" },
        { 0, "", ",'tools':[{'type':'\\u0077eb_search_x'}]",
          "unsupported_value tools[0].type" },
        { 0, "", ",'tools':[" SPACE ",{'type':'acme:x'}]",
          "unsupported_value tools[1].type" },
        { 0, ",{'type':'additional_tools','tools':[" HOSTED ",{'type':'sh'}]}",
          ",'tools':[" FUNC "]", "unsupported_value input[1].tools[1].type" },
        { 0, ",{'type':'additional_tools','tools':[" HOSTED "]}", "",
          "],'tools':[{'type':'web'}]}" },
        { 0, "", ",'tools':[" FUNC "," HOSTED "],'tool_choice':{'type':"
          "'allowed_tools','mode':'auto','tools':[" HOSTED "]}",
          "],'tools':[" FUNC_AS("f") ",{'type':'web'}],"
          "'tool_choice':'auto'}" },
        { 0, "", ",'tools':[" FUNC "," HOSTED "],'tool_choice':" HOSTED,
          "],'tools':[" FUNC_AS("f") ",{'type':'web'}],"
          "'tool_choice':'auto'}" }
    };

    types.elts = list;
    types.nelts = sizeof(list) / sizeof(list[0]);

    test_habits.types = &types;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        test_row(&rows[i], NGX_ORS_TOLERANT_OPENAI);
    }

    /* of the specification's profiles these have no custom tools either */

    test_row(&(row_t) { 0, "", ",'tools':[" FUNC "," CUSTOM "]",
                        "unsupported_value tools[1].type" },
             NGX_ORS_TOLERANT_SPEC);
    test_row(&(row_t) { 0, "", ",'tools':[" FUNC ",{'type':'acme:x'}]",
                        "unsupported_value tools[1].type" },
             NGX_ORS_STRICT_SPEC);

    /* one of them is not called by what was sent for it */

    test_run(&t, NGX_ORS_STRICT_OPENAI,
             "{'model':'m','input':[" USER "],'tools':[" HOSTED "]}");

    json = list[1].json;

    is_int(t.tools.n, 1, "a tool of the server's own");
    is_int(t.tools.others, 1, "... is known as one");
    ok(ngx_ors_chat_tools_sent(&t.tools, &json) == NULL,
       "... and has no name");

    ngx_destroy_pool(t.pool);

    test_habits.types = NULL;
}


/* the way back: whose tool the model calls */

static void
test_answers(void)
{
    char         long_name[65];
    test_t       t;
    ngx_uint_t   i;

    test_run(&t, NGX_ORS_STRICT_OPENAI,
             "{'model':'m','input':[" USER "],'tools':[" FUNC ",{'type':"
             "'custom','name':'a \\u00e9'},{'type':'namespace','name':"
             "'s\\n','tools':[{'type':'function','name':'\\u0067'},"
             "{'type':'function','name':'s___h'}]},{'type':'custom',"
             "'name':'f'},{'type':'namespace','name':'" N54 "','tools':["
             "{'type':'function','name':'" N16 "'},"
             "{'type':'function','name':'" N54 "'}]}]}");

    is_int(t.tools.n, 6, "tools that are sent");

    test_find(&t, "f", ngx_ors_chat_tool_function, "f", "");
    test_find(&t, "a___", ngx_ors_chat_tool_custom, "a \\u00e9", "");
    test_find(&t, "s___g", ngx_ors_chat_tool_function, "\\u0067", "s\\n");
    test_find(&t, "s___s___h", ngx_ors_chat_tool_function, "s___h", "s\\n");
    test_find(&t, "g", -1, "", "");
    test_find(&t, "", -1, "", "");
    test_find(&t, N54 "__" N16, -1, "", "");

    /* two that are too long begin alike, and are not the same */

    for (i = 4; i < t.tools.n; i++) {
        is_int(t.tools.elts[i].sent.len, 64, "the length of a name");
        ok(ngx_memcmp(t.tools.elts[i].sent.data, N54 "_", 55) == 0,
           "the beginning of a name");

        ngx_memcpy(long_name, t.tools.elts[i].sent.data, 64);
        long_name[64] = '\0';

        test_find(&t, long_name, ngx_ors_chat_tool_function,
                  i == 4 ? N16 : N54, N54);
    }

    ngx_destroy_pool(t.pool);

    test_run(&t, NGX_ORS_STRICT_OPENAI, "{'model':'m','input':[" USER "]}");
    test_find(&t, "f", -1, "", "");
    ngx_destroy_pool(t.pool);
}


/* each of many tools is found */

static void
test_many(void)
{
    char        *p, *text, name[32];
    test_t       t;
    ngx_str_t    str;
    ngx_uint_t   i, found;

    text = malloc(SIZE);

    p = text + sprintf(text, "{'model':'m','input':[" USER "],'tools':["
                             FUNC);

    for (i = 0; i < 1000; i++) {
        p += sprintf(p, ",{'type':'custom','name':'t%d'}", (int) i % 900);
    }

    sprintf(p, "]}");

    is_int(test_run(&t, NGX_ORS_STRICT_OPENAI, text), NGX_OK, "many tools");
    is_int(t.tools.n, 901, "many tools, each once");

    found = 0;

    for (i = 0; i < 1000; i++) {
        str.data = (u_char *) name;
        str.len = sprintf(name, "t%d", (int) i);

        found += (ngx_ors_chat_tools_sent(&t.tools, &str) != NULL);
    }

    is_int(found, 900, "many tools are found");

    ngx_destroy_pool(t.pool);
    free(text);
}


static void
test_memory(void)
{
    test_t                 t;
    ngx_int_t              rc;
    ngx_uint_t             n;
    ngx_ors_error_t        err;
    ngx_ors_chat_target_t  target;

    ngx_memzero(&target, sizeof(ngx_ors_chat_target_t));
    target.options = &ngx_ors_chat_options;

    test_run(&t, NGX_ORS_STRICT_OPENAI,
             "{'model':'m','input':[" USER ",{'type':'additional_tools',"
             "'tools':[" SPACE "," CUSTOM "]}],'tools':[" FUNC "," SEARCH
             "]}");

    rc = NGX_ERROR;

    for (n = 1; rc != NGX_OK; n++) {
        ngx_ors_test_fail_after(n);
        rc = ngx_ors_chat_tools_read(&t.tools, &t.req, &target, &err);

        if (!ngx_ors_test_failed()) {
            break;
        }

        is_int(rc, NGX_ERROR, "no memory at allocation %d", (int) n);
    }

    ngx_ors_test_fail_after(0);

    is_int(rc, NGX_OK, "enough memory");
    ok(n > 5, "allocations were tried");

    ngx_destroy_pool(t.pool);
}


/* leaves the document, with ' for ", or code and param in "result" */

static ngx_int_t
test_run(test_t *t, ngx_uint_t profile, const char *text)
{
    u_char                 *last;
    ngx_int_t               rc;
    ngx_str_t               body, model = ngx_string("m");
    ngx_chain_t            *cl;
    ngx_ors_out_t           out;
    ngx_ors_error_t         err;
    ngx_ors_chat_target_t   target;

    static ngx_ors_limits_t  limits = limits_default();

    t->pool = ngx_ors_test_pool();

    body.len = ngx_strlen(text);
    body.data = t->text;
    ngx_memcpy(t->text, text, body.len + 1);
    ngx_ors_test_quotes(t->text, t->text, ngx_strlen(t->text));

    ngx_ors_test_policy.profile = profile;

    rc = ngx_ors_test_request(&t->req, &body, &limits, t->pool, &err);

    if (rc == NGX_OK) {
        ngx_memzero(&target, sizeof(ngx_ors_chat_target_t));
        target.model = &model;
        target.options = &test_habits;

        ngx_ors_out_init(&out, t->pool, 512);
        rc = ngx_ors_chat_request(&t->req, &target, &t->tools, &out, &err);
    }

    last = t->result;

    if (rc == NGX_OK && ngx_ors_out_take(&out, &cl) == NGX_OK) {

        for ( /* void */ ; cl && last - t->result < SIZE / 2; cl = cl->next) {
            last = ngx_cpymem(last, cl->buf->pos,
                              cl->buf->last - cl->buf->pos);
        }

    } else {
        last = ngx_sprintf(last, "%V %V", &err.code, &err.param);
    }

    *last = '\0';
    test_quotes(t->result, '"', '\'');

    return rc;
}


/* "kind" -1: there is none */

static void
test_find(test_t *t, const char *sent, ngx_int_t kind, const char *name,
    const char *space)
{
    ngx_str_t             str;
    ngx_ors_chat_tool_t  *tool;

    str.data = (u_char *) sent;
    str.len = ngx_strlen(sent);

    tool = ngx_ors_chat_tools_sent(&t->tools, &str);

    is_int(tool ? (ngx_int_t) tool->kind : -1, kind, "\"%s\" is called",
           sent);

    if (tool) {
        is_mem(tool->name.data, tool->name.len, name, ngx_strlen(name),
               "its name for the client");
        is_mem(tool->space.data, tool->space.len, space, ngx_strlen(space),
               "its namespace");
    }
}


static void
test_quotes(u_char *p, u_char from, u_char to)
{
    for ( /* void */ ; *p; p++) {
        if (*p == from) {
            *p = to;
        }
    }
}
