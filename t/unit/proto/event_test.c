
/*
 * Copyright (C) Open Responses contributors
 */


/* Events of items: each frame whole, and valid in the strict profiles. */


#include <ngx_ors_test.h>
#include <ngx_ors_event.h>
#include <ngx_ors_fields.h>
#include <ngx_ors_hosted.h>
#include <ngx_ors_json.h>
#include <ngx_ors_test_request.h>


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


static void test_call_output(ngx_uint_t profile, ngx_uint_t strict);
static void test_hosted(void);
static void hosted(hosted_t *h);
static void text_of(ngx_str_t *to, const char *s);
static void test_form(void);
static void test_errors(void);
static void test_snapshot(void);
static void setup(ngx_uint_t profile, const char *fields);
static void done(void);
static void take(void);
static ngx_ors_item_t *item(ngx_ors_item_type_e type, const char *id);
static void fill(ngx_ors_text_t *to, const char *s);
static void frame(const char *expected, const char *label);
static void valid(u_char *data, size_t len, const char *label);
static char *quotes(const char *s);


static ngx_ors_limits_t     limits = limits_default();
static ngx_ors_request_t    request;
static ngx_ors_response_t   resp;
static ngx_ors_error_t      err;
static ngx_ors_json_t       json;
static ngx_ors_out_t        out;
static ngx_pool_t          *pool;
static ngx_uint_t           profile_of_frames;
static u_char              *body, *pos, *last;
static u_char               text[65536];


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
    test_call_output(NGX_ORS_TOLERANT_SPEC, NGX_ORS_STRICT_SPEC);
    test_call_output(NGX_ORS_TOLERANT_OPENAI, NGX_ORS_STRICT_OPENAI);
    test_hosted();
    test_form();
    test_errors();
    test_snapshot();

    return done_testing();
}


static void
test_call_output(ngx_uint_t profile, ngx_uint_t strict)
{
    ngx_ors_item_t  *it;

    setup(profile, "");
    profile_of_frames = strict;

    it = item(ngx_ors_item_call_output, "fco_1");
    ngx_str_set(&it->call_id, "call_1");
    fill(&it->output, "{\\\"t\\\":20}");

    ngx_ors_event_item_added(&out, &resp, it);
    it->status = ngx_ors_item_completed;
    ngx_ors_event_item_done(&out, &resp, it);
    take();

    frame("response.output_item.added ,'output_index':3,'item':"
          "{'type':'function_call_output','id':'fco_1',"
          "'status':'in_progress','call_id':'call_1','output':''}",
          "an output is added");
    frame("response.output_item.done ,'output_index':3,'item':"
          "{'type':'function_call_output','id':'fco_1',"
          "'status':'completed','call_id':'call_1',"
          "'output':'{\\'t\\':20}'}", "and done");
    frame(NULL, "no more");

    done();
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

    setup(h->profile, h->request);
    profile_of_frames = (h->profile & NGX_ORS_IN_OPENAI)
                        ? NGX_ORS_STRICT_OPENAI : NGX_ORS_STRICT_SPEC;

    it = item(h->type, h->id);

    is_int(ngx_ors_hosted_create(it, &request, 1), NGX_OK, "%s", h->name);

    text_of(&it->name, h->called);
    text_of(&it->hosted->label, h->label);
    text_of(&it->hosted->value, h->value);
    text_of(&it->hosted->results, h->results);
    text_of(&it->hosted->error, h->error);
    text_of(&it->hosted->approval, h->approval);
    text_of(&it->hosted->container, h->container);

    if (h->arguments) {
        fill(&it->arguments, h->arguments);
    }

    if (h->output) {
        q = quotes(h->output);
        fill(&it->output, q);
        free(q);
        it->hosted->answered = 1;
    }

    ngx_ors_event_hosted_begin(&out, &resp, it);
    is_int(it->status, ngx_ors_item_busy, "%s: busy", h->name);

    it->status = h->status;
    ngx_ors_event_hosted_end(&out, &resp, it);
    take();

    for (i = 0; h->frames[i]; i++) {
        frame(h->frames[i], h->name);
    }

    frame(NULL, h->name);
    done();
}


static void
text_of(ngx_str_t *to, const char *s)
{
    if (s == NULL) {
        return;
    }

    to->len = strlen(s);
    to->data = ngx_pnalloc(pool, to->len + 1);

    ngx_ors_test_quotes((char *) to->data, s, to->len);
}


/* one decision for each flavor, and for tools that are not to be seen */

static void
test_form(void)
{
    ngx_ors_item_t  *it;

    setup(NGX_ORS_STRICT_OPENAI, "");

    is_int(ngx_ors_hosted_form(&request, 1), ngx_ors_hosted_plain, "openai");
    is_int(ngx_ors_hosted_form(&request, 0), ngx_ors_hosted_hidden,
           "openai, show=none");

    it = item(ngx_ors_item_mcp_call, "mcp_1");
    ngx_ors_hosted_create(it, &request, 0);
    ok(it->dropped, "a hidden item is dropped");

    it = item(ngx_ors_item_mcp_call, "mcp_1");
    ngx_ors_hosted_create(it, &request, 1);
    ok(!it->dropped, "another one is not");

    done();
    setup(NGX_ORS_TOLERANT_SPEC, "");

    is_int(ngx_ors_hosted_form(&request, 1), ngx_ors_hosted_prefixed, "spec");
    is_int(ngx_ors_hosted_form(&request, 0), ngx_ors_hosted_hidden,
           "spec, show=none");

    ngx_ors_test_fail_after(1);
    is_int(ngx_ors_hosted_create(it, &request, 1), NGX_ERROR, "no memory");
    ngx_ors_test_fail_after(0);

    done();
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

    setup(NGX_ORS_STRICT_OPENAI, "");
    ngx_str_set(&said, "a\\n");

    for (i = ngx_ors_hosted_list_error; i <= ngx_ors_hosted_http_error; i++) {
        char  *v;

        v = quotes(errors[i]);

        is_int(ngx_ors_hosted_error(&h, pool, i, -32602, &said), NGX_OK,
               "error %d", (int) i);
        is_str(&h.error, v, "error %d", (int) i);

        free(v);
    }

    ngx_ors_test_fail_after(1);
    is_int(ngx_ors_hosted_error(&h, pool, 0, 0, &said), NGX_ERROR,
           "error, no memory");
    ngx_ors_test_fail_after(0);

    done();
}


/* what runs is not in a snapshot, what has failed is */

static void
test_snapshot(void)
{
    ngx_chain_t     *cl;
    ngx_ors_item_t  *it;

    setup(NGX_ORS_STRICT_OPENAI, "");

    it = item(ngx_ors_item_mcp_call, "mcp_1");
    ngx_ors_hosted_create(it, &request, 1);

    resp.items = it;
    resp.last = it;
    resp.status = ngx_ors_response_in_progress;
    it->status = ngx_ors_item_busy;

    ngx_ors_response_render(&out, &resp);
    is_int(resp.output_len, 2, "a call that runs");
    (void) ngx_ors_out_take(&out, &cl);

    it->status = ngx_ors_item_failed;

    ngx_ors_response_render(&out, &resp);
    ok(resp.output_len > 2, "a call that has failed");
    (void) ngx_ors_out_take(&out, &cl);

    done();
}


static void
setup(ngx_uint_t profile, const char *fields)
{
    char       all[1024];
    ngx_str_t  s;

    pool = ngx_ors_test_pool();

    snprintf(all, sizeof(all), "{'model':'m','input':'x'%s}", fields);

    body = (u_char *) quotes(all);
    s.data = body;
    s.len = strlen((char *) body);

    ngx_ors_test_policy.profile = profile;

    if (ngx_ors_test_request(&request, &s, &limits, pool, &err) != NGX_OK) {
        fail("%s: %.*s", body, (int) err.message.len, err.message.data);
        exit(1);
    }

    ngx_memzero(&resp, sizeof(ngx_ors_response_t));

    ngx_str_set(&resp.id, "resp_1");
    resp.created_at = 1700000000;
    resp.request = &request;

    ngx_ors_json_init(&json, pool, 64, 100000);
    ngx_ors_out_init(&out, pool, 100);
}


static void
done(void)
{
    ngx_destroy_pool(pool);
    free(body);
}


/* the frames up to now are those that frame() looks at */

static void
take(void)
{
    ngx_chain_t  *cl;

    resp.sequence = 0;

    if (ngx_ors_out_take(&out, &cl) != NGX_OK) {
        fail("no memory");
    }

    pos = text;
    last = text;

    for ( /* void */ ; cl; cl = cl->next) {
        last = ngx_cpymem(last, cl->buf->pos, cl->buf->last - cl->buf->pos);
    }
}


static ngx_ors_item_t *
item(ngx_ors_item_type_e type, const char *id)
{
    ngx_ors_item_t  *it;

    it = ngx_pcalloc(pool, sizeof(ngx_ors_item_t));

    it->type = type;
    it->index = 3;
    it->id.len = strlen(id);
    it->id.data = (u_char *) id;

    return it;
}


static void
fill(ngx_ors_text_t *to, const char *s)
{
    ngx_ors_text_append(to, pool, (u_char *) s, strlen(s));
}


/* "expected": type, blank, what follows the sequence number; NULL: the end */

static void
frame(const char *expected, const char *label)
{
    char    *v, *p;
    u_char  *end, *data;
    char     line[8192];

    if (expected == NULL) {
        is_int(last - pos, 0, "%s", label);
        return;
    }

    end = memmem(pos, last - pos, "\n\n", 2);

    if (end == NULL) {
        fail("%s: no frame", label);
        return;
    }

    v = quotes(expected);
    p = strchr(v, ' ');
    *p++ = '\0';

    snprintf(line, sizeof(line), "event: %s\ndata: {\"type\":\"%s\","
             "\"sequence_number\":%d%s}", v, v, (int) resp.sequence++, p);

    is_mem(pos, end - pos, line, strlen(line), "%s", label);

    data = (u_char *) memchr(pos, LF, end - pos) + 7;
    valid(data, end - data, label);

    pos = end + 2;
    free(v);
}


static void
valid(u_char *data, size_t len, const char *label)
{
    ngx_int_t           rc;
    ngx_ors_error_t     error;
    ngx_ors_policy_t    policy;
    ngx_ors_validate_t  v;

    ngx_memzero(&error, sizeof(ngx_ors_error_t));
    ngx_memzero(&policy, sizeof(ngx_ors_policy_t));
    ngx_memzero(&v, sizeof(ngx_ors_validate_t));

    policy.profile = profile_of_frames;
    policy.unknown = ngx_ors_unknown_reject;

    v.json = &json;
    v.policy = &policy;
    v.root = "the event";
    v.pool = pool;
    v.err = &error;

    rc = ngx_ors_json_read(&json, data, len);

    if (rc == NGX_OK) {
        rc = ngx_ors_validate(&v, json.nodes, &ngx_ors_fields_event, NULL);
    }

    if (!is_int(rc, NGX_OK, "%s: valid", label)) {
        diag("%.*s", (int) error.message.len, error.message.data);
    }
}


static char *
quotes(const char *s)
{
    char  *copy;

    copy = strdup(s);
    ngx_ors_test_quotes(copy, s, strlen(s));

    return copy;
}
