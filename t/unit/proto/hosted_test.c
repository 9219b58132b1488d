
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Items of hosted tools: their events from the first to the last, in the form
 * of each flavor, and what "include" adds.
 */


#include "event_frames.h"


/* ' stands for " in all texts; members that are NULL are not set */

typedef struct {
    const char            *name;
    ngx_uint_t             profile;
    const char            *request;     /* fields after model and input */
    ngx_ors_item_type_e    type;
    const char            *id;
    const char            *label;
    const char            *called;
    const char            *arguments;
    const char            *output;
    const char            *value;
    const char            *results;
    const char            *error;
    const char            *approval;
    const char            *container;
    ngx_ors_item_status_e  status;      /* in the end */
    const char            *frames[9];
} hosted_t;


static void test_hosted(void);
static void hosted(hosted_t *h);
static void text_of(ngx_str_t *to, const char *s);
static void test_form(void);
static void test_errors(void);
static void test_snapshot(void);


#define OPENAI  NGX_ORS_TOLERANT_OPENAI
#define SPEC    NGX_ORS_TOLERANT_SPEC

#define ADDED(item)                                                           \
    "response.output_item.added ,'output_index':3,'item':" item
#define DONE(item)                                                            \
    "response.output_item.done ,'output_index':3,'item':" item
#define AT(type, id)  type " ,'item_id':'" id "','output_index':3"

#define TOOLS                                                                 \
    "[{'name':'echo','input_schema':{'type':'object'},"                       \
    "'annotations':{'read_only':true}}]"
#define LIST(tools)                                                           \
    "{'type':'mcp_list_tools','id':'mcpl_1','server_label':'docs',"           \
    "'tools':" tools "}"
#define CALL(status, arguments, approval, output, error)                      \
    "{'type':'mcp_call','id':'mcp_1','status':'" status "',"                  \
    "'server_label':'docs','name':'a.b','arguments':" arguments ","           \
    "'approval_request_id':" approval ",'output':" output ",'error':" error "}"
#define APPROVAL(type, status)                                                \
    "{'type':'" type "','id':'mcpr_1'" status ",'server_label':'docs',"       \
    "'name':'a.b','arguments':'{}'}"
#define SEARCH(status, more)                                                  \
    "{'type':'web_search_call','id':'ws_1','status':'" status "','action':"   \
    "{'type':'search','query':'q'" more "}}"
#define SOURCES  "[{'type':'url','url':'http://a.example/'}]"
#define FILES(status, queries, results)                                       \
    "{'type':'file_search_call','id':'fs_1','status':'" status "',"           \
    "'queries':" queries ",'results':" results "}"
#define FOUND  "[{'file_id':'f','filename':'n','score':0.5,'text':'t'}]"
#define CODE(status, code, outputs)                                           \
    "{'type':'code_interpreter_call','id':'ci_1','status':'" status "',"      \
    "'code':'" code "','container_id':'cntr_1','outputs':" outputs "}"
#define LOGS  "[{'type':'logs','logs':'2'}]"


static hosted_t  cases[] = {

    { .name = "a list", .profile = OPENAI, .request = "",
      .type = ngx_ors_item_list_tools, .id = "mcpl_1", .label = "docs",
      .value = TOOLS, .status = ngx_ors_item_completed, .frames = {
        ADDED(LIST("[]")),
        AT("response.mcp_list_tools.in_progress", "mcpl_1"),
        AT("response.mcp_list_tools.completed", "mcpl_1"),
        DONE(LIST(TOOLS)) } },

    { .name = "a list that failed", .profile = OPENAI, .request = "",
      .type = ngx_ors_item_list_tools, .id = "mcpl_1", .label = "docs",
      .error = "'no'", .status = ngx_ors_item_failed, .frames = {
        ADDED(LIST("[]")),
        AT("response.mcp_list_tools.in_progress", "mcpl_1"),
        AT("response.mcp_list_tools.failed", "mcpl_1"),
        DONE(LIST("[],'error':'no'")) } },

    { .name = "a list, spec", .profile = SPEC, .request = "",
      .type = ngx_ors_item_list_tools, .id = "mcpl_1", .label = "docs",
      .value = TOOLS, .status = ngx_ors_item_completed, .frames = {
        ADDED("{'type':'nginx:mcp_list_tools','id':'mcpl_1',"
              "'status':'in_progress','server_label':'docs','tools':[]}"),
        DONE("{'type':'nginx:mcp_list_tools','id':'mcpl_1',"
             "'status':'completed','server_label':'docs','tools':" TOOLS
             "}") } },

    { .name = "a call", .profile = OPENAI, .request = "",
      .type = ngx_ors_item_mcp_call, .id = "mcp_1", .label = "docs",
      .called = "a.b", .arguments = "{}", .output = "hi",
      .approval = "mcpr_1", .status = ngx_ors_item_completed, .frames = {
        ADDED(CALL("in_progress", "''", "'mcpr_1'", "null", "null")),
        AT("response.mcp_call.in_progress", "mcp_1"),
        AT("response.mcp_call_arguments.delta", "mcp_1") ",'delta':'{}'",
        AT("response.mcp_call_arguments.done", "mcp_1") ",'arguments':'{}'",
        AT("response.mcp_call.completed", "mcp_1"),
        DONE(CALL("completed", "'{}'", "'mcpr_1'", "'hi'", "null")) } },

    { .name = "a call without arguments or text", .profile = OPENAI,
      .request = "", .type = ngx_ors_item_mcp_call, .id = "mcp_1",
      .label = "docs", .called = "a.b", .output = "",
      .status = ngx_ors_item_completed, .frames = {
        ADDED(CALL("in_progress", "''", "null", "null", "null")),
        AT("response.mcp_call.in_progress", "mcp_1"),
        AT("response.mcp_call_arguments.done", "mcp_1") ",'arguments':''",
        AT("response.mcp_call.completed", "mcp_1"),
        DONE(CALL("completed", "''", "null", "''", "null")) } },

    { .name = "a call that failed", .profile = OPENAI, .request = "",
      .type = ngx_ors_item_mcp_call, .id = "mcp_1", .label = "docs",
      .called = "a.b", .arguments = "{}",
      .error = "{'type':'http_error','code':502,'message':'no'}",
      .status = ngx_ors_item_failed, .frames = {
        ADDED(CALL("in_progress", "''", "null", "null", "null")),
        AT("response.mcp_call.in_progress", "mcp_1"),
        AT("response.mcp_call_arguments.delta", "mcp_1") ",'delta':'{}'",
        AT("response.mcp_call_arguments.done", "mcp_1") ",'arguments':'{}'",
        AT("response.mcp_call.failed", "mcp_1"),
        DONE(CALL("failed", "'{}'", "null", "null",
             "{'type':'http_error','code':502,'message':'no'}")) } },

    { .name = "a call that was not run", .profile = OPENAI, .request = "",
      .type = ngx_ors_item_mcp_call, .id = "mcp_1", .label = "docs",
      .called = "a.b", .status = ngx_ors_item_incomplete, .frames = {
        ADDED(CALL("in_progress", "''", "null", "null", "null")),
        AT("response.mcp_call.in_progress", "mcp_1"),
        AT("response.mcp_call_arguments.done", "mcp_1") ",'arguments':''",
        DONE(CALL("incomplete", "''", "null", "null", "null")) } },

    { .name = "an approval", .profile = OPENAI, .request = "",
      .type = ngx_ors_item_approval, .id = "mcpr_1", .label = "docs",
      .called = "a.b", .arguments = "{}", .status = ngx_ors_item_completed,
      .frames = { ADDED(APPROVAL("mcp_approval_request", "")),
                  DONE(APPROVAL("mcp_approval_request", "")) } },

    { .name = "an approval, spec", .profile = SPEC, .request = "",
      .type = ngx_ors_item_approval, .id = "mcpr_1", .label = "docs",
      .called = "a.b", .arguments = "{}", .status = ngx_ors_item_completed,
      .frames = { ADDED(APPROVAL("nginx:mcp_approval_request",
                                 ",'status':'in_progress'")),
                  DONE(APPROVAL("nginx:mcp_approval_request",
                                ",'status':'completed'")) } },

    { .name = "a search, no sources", .profile = OPENAI, .request = "",
      .type = ngx_ors_item_web_search, .id = "ws_1",
      .value = "{'type':'search','query':'q'}", .results = SOURCES,
      .status = ngx_ors_item_completed, .frames = {
        ADDED(SEARCH("in_progress", "")),
        AT("response.web_search_call.in_progress", "ws_1"),
        AT("response.web_search_call.searching", "ws_1"),
        AT("response.web_search_call.completed", "ws_1"),
        DONE(SEARCH("completed", "")) } },

    { .name = "a search with its sources", .profile = OPENAI,
      .request = ",'include':['web_search_call.action.sources']",
      .type = ngx_ors_item_web_search, .id = "ws_1",
      .value = "{'type':'search','query':'q'}", .results = SOURCES,
      .status = ngx_ors_item_completed, .frames = {
        ADDED(SEARCH("in_progress", "")),
        AT("response.web_search_call.in_progress", "ws_1"),
        AT("response.web_search_call.searching", "ws_1"),
        AT("response.web_search_call.completed", "ws_1"),
        DONE(SEARCH("completed", ",'sources':" SOURCES)) } },

    { .name = "a search that failed", .profile = OPENAI, .request = "",
      .type = ngx_ors_item_web_search, .id = "ws_1",
      .value = "{'type':'search','query':'q'}",
      .status = ngx_ors_item_failed, .frames = {
        ADDED(SEARCH("in_progress", "")),
        AT("response.web_search_call.in_progress", "ws_1"),
        AT("response.web_search_call.searching", "ws_1"),
        DONE(SEARCH("failed", "")) } },

    { .name = "files, no results", .profile = OPENAI, .request = "",
      .type = ngx_ors_item_file_search, .id = "fs_1", .value = "['q']",
      .results = FOUND, .status = ngx_ors_item_completed, .frames = {
        ADDED(FILES("in_progress", "[]", "null")),
        AT("response.file_search_call.in_progress", "fs_1"),
        AT("response.file_search_call.searching", "fs_1"),
        AT("response.file_search_call.completed", "fs_1"),
        DONE(FILES("completed", "['q']", "null")) } },

    { .name = "files with results", .profile = OPENAI,
      .request = ",'include':['file_search_call.results']",
      .type = ngx_ors_item_file_search, .id = "fs_1", .value = "['q']",
      .results = FOUND, .status = ngx_ors_item_completed, .frames = {
        ADDED(FILES("in_progress", "[]", "null")),
        AT("response.file_search_call.in_progress", "fs_1"),
        AT("response.file_search_call.searching", "fs_1"),
        AT("response.file_search_call.completed", "fs_1"),
        DONE(FILES("completed", "['q']", FOUND)) } },

    { .name = "code, no outputs", .profile = OPENAI, .request = "",
      .type = ngx_ors_item_interpreter, .id = "ci_1", .arguments = "1+1",
      .container = "cntr_1", .results = LOGS,
      .status = ngx_ors_item_completed, .frames = {
        ADDED(CODE("in_progress", "", "null")),
        AT("response.code_interpreter_call.in_progress", "ci_1"),
        AT("response.code_interpreter_call_code.delta", "ci_1")
        ",'delta':'1+1'",
        AT("response.code_interpreter_call_code.done", "ci_1")
        ",'code':'1+1'",
        AT("response.code_interpreter_call.interpreting", "ci_1"),
        AT("response.code_interpreter_call.completed", "ci_1"),
        DONE(CODE("completed", "1+1", "null")) } },

    { .name = "code with outputs", .profile = OPENAI,
      .request = ",'include':['code_interpreter_call.outputs']",
      .type = ngx_ors_item_interpreter, .id = "ci_1", .container = "cntr_1",
      .results = LOGS, .status = ngx_ors_item_completed, .frames = {
        ADDED(CODE("in_progress", "", "null")),
        AT("response.code_interpreter_call.in_progress", "ci_1"),
        AT("response.code_interpreter_call_code.done", "ci_1") ",'code':''",
        AT("response.code_interpreter_call.interpreting", "ci_1"),
        AT("response.code_interpreter_call.completed", "ci_1"),
        DONE(CODE("completed", "", LOGS)) } },

    { .name = "code, spec", .profile = SPEC, .request = "",
      .type = ngx_ors_item_interpreter, .id = "ci_1", .arguments = "1+1",
      .container = "cntr_1", .status = ngx_ors_item_completed, .frames = {
        ADDED("{'type':'nginx:code_interpreter_call','id':'ci_1',"
              "'status':'in_progress','code':'','container_id':'cntr_1',"
              "'outputs':null}"),
        DONE("{'type':'nginx:code_interpreter_call','id':'ci_1',"
             "'status':'completed','code':'1+1','container_id':'cntr_1',"
             "'outputs':null}") } }
};


int
main(void)
{
    test_hosted();
    test_form();
    test_errors();
    test_snapshot();

    return done_testing();
}


static void
test_hosted(void)
{
    ngx_uint_t  i;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        hosted(&cases[i]);
    }
}


static void
hosted(hosted_t *h)
{
    char            *q;
    ngx_uint_t       i;
    ngx_ors_item_t  *it;

    frames_setup(h->profile, h->request);

    it = frames_item(h->type, h->id);

    is_int(ngx_ors_hosted_create(it, &frames_request, NULL), NGX_OK, "%s",
           h->name);

    text_of(&it->name, h->called);
    text_of(&it->hosted->label, h->label);
    text_of(&it->hosted->value, h->value);
    text_of(&it->hosted->results, h->results);
    text_of(&it->hosted->error, h->error);
    text_of(&it->hosted->approval, h->approval);
    text_of(&it->hosted->container, h->container);

    if (h->arguments) {
        frames_fill(&it->arguments, h->arguments);
    }

    if (h->output) {
        q = frames_quotes(h->output);
        frames_fill(&it->output, q);
        free(q);
        it->hosted->answered = 1;
    }

    ngx_ors_event_hosted_begin(&frames_out, &frames_resp, it);
    is_int(it->status, ngx_ors_item_busy, "%s: busy", h->name);

    it->status = h->status;
    ngx_ors_event_hosted_end(&frames_out, &frames_resp, it);
    frames_take();

    for (i = 0; h->frames[i]; i++) {
        frames_frame(h->frames[i], h->name);
    }

    frames_frame(NULL, h->name);
    frames_done();
}


static void
text_of(ngx_str_t *to, const char *s)
{
    if (s == NULL) {
        return;
    }

    to->len = strlen(s);
    to->data = ngx_pnalloc(frames_pool, to->len + 1);

    ngx_ors_test_quotes((char *) to->data, s, to->len);
}


/* one decision for each flavor, and for tools that are not to be seen */

static void
test_form(void)
{
    ngx_uint_t       i;
    ngx_ors_item_t  *it;
    ngx_ors_tool_t   tool;

    static struct {
        ngx_uint_t            profile;
        ngx_ors_item_type_e   type;
        ngx_ors_tool_show_e   show;
        ngx_str_t             slug;
    } forms[] = {
        { NGX_ORS_STRICT_OPENAI, ngx_ors_item_web_search, ngx_ors_tool_items,
          ngx_string("") },
        { NGX_ORS_STRICT_OPENAI, ngx_ors_item_web_search, ngx_ors_tool_none,
          ngx_string("") },
        { NGX_ORS_STRICT_OPENAI, ngx_ors_item_own, ngx_ors_tool_items,
          ngx_string("acme:") },
        { NGX_ORS_STRICT_OPENAI, ngx_ors_item_own, ngx_ors_tool_plain,
          ngx_string("") },
        { NGX_ORS_TOLERANT_SPEC, ngx_ors_item_web_search, ngx_ors_tool_items,
          ngx_string("nginx:") },
        { NGX_ORS_TOLERANT_SPEC, ngx_ors_item_own, ngx_ors_tool_plain,
          ngx_string("acme:") },
        { NGX_ORS_TOLERANT_SPEC, ngx_ors_item_own, ngx_ors_tool_none,
          ngx_string("acme:") }
    };

    ngx_memzero(&tool, sizeof(ngx_ors_tool_t));

    ngx_str_set(&tool.name, "mine");
    ngx_str_set(&tool.types[0], "acme:mine");

    for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        frames_setup(forms[i].profile, "");
        tool.show = forms[i].show;

        it = frames_item(forms[i].type, "i");
        is_int(ngx_ors_hosted_create(it, &frames_request, &tool), NGX_OK,
               "form %d", (int) i);
        is_str(&it->hosted->slug, (char *) forms[i].slug.data,
               "form %d: the slug", (int) i);
        is_int(it->dropped, forms[i].show == ngx_ors_tool_none,
               "form %d: hidden", (int) i);

        frames_done();
    }

    frames_setup(NGX_ORS_TOLERANT_SPEC, "");

    it = frames_item(ngx_ors_item_mcp_call, "mcp_1");
    ngx_ors_hosted_create(it, &frames_request, NULL);
    ok(!it->dropped, "an MCP server is shown");
    is_str(&it->hosted->slug, "nginx:", "... with the slug");

    ngx_ors_test_fail_after(1);
    is_int(ngx_ors_hosted_create(it, &frames_request, NULL), NGX_ERROR,
           "no memory");
    ngx_ors_test_fail_after(0);

    frames_done();
}


static void
test_errors(void)
{
    ngx_uint_t         i;
    ngx_str_t          said;
    ngx_ors_hosted_t   h;

    static const char  *errors[] = {
        "'a\\n'",
        "{'type':'mcp_protocol_error','code':-32602,'message':'a\\n'}",
        "{'type':'mcp_tool_execution_error','content':[{'type':'text',"
        "'text':'a\\n'}]}",
        "{'type':'http_error','code':-32602,'message':'a\\n'}"
    };

    frames_setup(NGX_ORS_STRICT_OPENAI, "");
    ngx_str_set(&said, "a\\n");

    for (i = ngx_ors_hosted_list_error; i <= ngx_ors_hosted_http_error; i++) {
        char  *v;

        v = frames_quotes(errors[i]);

        is_int(ngx_ors_hosted_error(&h, frames_pool, i, -32602, &said), NGX_OK,
               "error %d", (int) i);
        is_str(&h.error, v, "error %d", (int) i);

        free(v);
    }

    ngx_ors_test_fail_after(1);
    is_int(ngx_ors_hosted_error(&h, frames_pool, 0, 0, &said), NGX_ERROR,
           "error, no memory");
    ngx_ors_test_fail_after(0);

    frames_done();
}


/* calls that run are not in a snapshot, calls that have failed are */

static void
test_snapshot(void)
{
    ngx_chain_t     *cl;
    ngx_ors_item_t  *it;

    frames_setup(NGX_ORS_STRICT_OPENAI, "");

    it = frames_item(ngx_ors_item_mcp_call, "mcp_1");
    ngx_ors_hosted_create(it, &frames_request, NULL);

    frames_resp.items = it;
    frames_resp.last = it;
    frames_resp.status = ngx_ors_response_in_progress;
    it->status = ngx_ors_item_busy;

    ngx_ors_response_render(&frames_out, &frames_resp);
    is_int(frames_resp.output_len, 2, "a call that runs");
    (void) ngx_ors_out_take(&frames_out, &cl);

    it->status = ngx_ors_item_failed;

    ngx_ors_response_render(&frames_out, &frames_resp);
    ok(frames_resp.output_len > 2, "a call that has failed");
    (void) ngx_ors_out_take(&frames_out, &cl);

    frames_done();
}
