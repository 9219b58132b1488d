
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Calls of MCP servers in a round: which tool an approval is for, and the items
 * of calls that run, wait for an approval, are not made or have ended.
 */


#include <ngx_ors_builder_items.h>
#include <ngx_ors_item.h>
#include <ngx_ors_json_writer.h>
#include <ngx_ors_round.h>
#include <ngx_ors_test.h>
#include <ngx_ors_test_request.h>


/* ' stands for " in all texts */

typedef struct {
    const char  *name;
    const char  *input;
    const char  *expected;      /* calls that run, or the error */
} check_test_t;


typedef enum {
    end_none = 0,
    end_refused,
    end_ok,
    end_execution,
    end_protocol,
    end_http
} end_e;


typedef struct {
    const char  *name;
    ngx_uint_t   profile;
    const char  *approval;      /* an id, or NULL */
    end_e        end;
    const char  *text;
    const char  *expected;      /* the item, without its id */
} call_test_t;


#define ASK(id, label, name, arguments)                                       \
    "{'type':'mcp_approval_request','id':'" id "','server_label':'" label     \
    "','name':'" name "','arguments':'" arguments "'}"
#define SAY(id, approve)                                                      \
    "{'type':'mcp_approval_response','approval_request_id':'" id "',"         \
    "'approve':" approve "}"
#define CALL(type, status)                                                    \
    "{'type':'" type "','id':'','status':'" status "','server_label':'d\\'s'" \
    ",'name':'re.ad','arguments':'{\\'a\\':1}'"
#define NOT_THERE  "400 tool_not_found input"


static void test_check(const check_test_t *test);
static void test_no_tools(void);
static void test_call(const call_test_t *test);
static void test_ask(ngx_uint_t profile, const char *expected);
static void test_approved_memory(void);
static void test_call_memory(void);
static void setup(const char *input);
static void add_tool(char *called, ngx_ors_mcp_use_t *use, char *name,
    char *escaped);
static ngx_int_t check(void);
static ngx_int_t approve(void);
static ngx_int_t call(const call_test_t *test);
static ngx_int_t end(ngx_ors_round_call_t *call, const call_test_t *test);
static void put_item(ngx_ors_item_t *item);
static void put(ngx_ors_out_t *from);
static void printed_is(const char *expected, const char *name);


static const check_test_t  checks[] = {

    { "no approvals", "{'role':'user','content':'x'}", "" },

    { "a tool of a server", ASK("a", "docs", "read", "{}") ","
      SAY("a", "true"), "docs__read({})" },

    { "another server's tool of that name", ASK("a", "shop", "read", "{}") ","
      SAY("a", "true"), "shop__read({})" },

    { "the order is that of the requests", ASK("a", "shop", "read", "1") ","
      ASK("b", "docs", "read", "2") "," ASK("c", "docs", "write", "3") ","
      SAY("c", "true") "," SAY("b", "false") "," SAY("a", "true"),
      "shop__read(1) docs__write(3)" },

    { "names in other letters", ASK("a", "d\\u006fcs", "\\u0072ead", "{}") ","
      SAY("a", "true"), "docs__read({})" },

    { "arguments as they are", ASK("a", "docs", "read",
      "{\\'a\\':\\'\\\\u00e9\\n\\'}") "," SAY("a", "true"),
      "docs__read({\\'a\\':\\'\\\\u00e9\\n\\'})" },

    { "no arguments", ASK("a", "docs", "read", "") "," SAY("a", "true"),
      "docs__read()" },

    { "another server", ASK("a", "Docs", "read", "{}") "," SAY("a", "true"),
      NOT_THERE },

    { "another tool", ASK("a", "docs", "buy", "{}") "," SAY("a", "true"),
      NOT_THERE },

    { "the model's name of a tool", ASK("a", "docs", "docs__read", "{}") ","
      SAY("a", "true"), NOT_THERE },

    { "a function that is no tool of a server", ASK("a", "docs", "f", "{}")
      "," SAY("a", "true"), NOT_THERE },

    { "one of two", ASK("a", "docs", "read", "{}") ","
      ASK("b", "docs", "buy", "{}") "," SAY("a", "true") "," SAY("b", "true"),
      NOT_THERE },

    { "one that is not there, and does not run", ASK("a", "docs", "buy", "{}")
      "," SAY("a", "false") "," ASK("b", "docs", "sell", "{}"), "" }
};


static const call_test_t  calls[] = {

    { "a call that runs", NGX_ORS_TOLERANT_OPENAI, NULL, end_none, "",
      CALL("mcp_call", "in_progress")
      ",'approval_request_id':null,'output':null,'error':null}" },

    { "one that was approved", NGX_ORS_TOLERANT_OPENAI, "a'\n", end_none, "",
      CALL("mcp_call", "in_progress")
      ",'approval_request_id':'a\\'\\n','output':null,'error':null}" },

    { "flavor spec", NGX_ORS_TOLERANT_SPEC, NULL, end_none, "",
      CALL("nginx:mcp_call", "in_progress")
      ",'approval_request_id':null,'output':null,'error':null}" },

    { "one that is not made", NGX_ORS_TOLERANT_OPENAI, "a", end_refused,
      "no 'x'\n", CALL("mcp_call", "failed")
      ",'approval_request_id':'a','output':null,'error':"
      "{'type':'mcp_protocol_error','code':-32600,"
      "'message':'no \\'x\\'\\n'}}" },

    { "one that has ended", NGX_ORS_TOLERANT_OPENAI, NULL, end_ok, "an 'x'\n",
      CALL("mcp_call", "completed")
      ",'approval_request_id':null,'output':'an \\'x\\'\\n','error':null}" },

    { "without a text", NGX_ORS_TOLERANT_OPENAI, NULL, end_ok, "",
      CALL("mcp_call", "completed")
      ",'approval_request_id':null,'output':'','error':null}" },

    { "a tool that has failed", NGX_ORS_TOLERANT_OPENAI, NULL, end_execution,
      "no 'x'\n", CALL("mcp_call", "failed")
      ",'approval_request_id':null,'output':null,'error':"
      "{'type':'mcp_tool_execution_error',"
      "'content':[{'type':'text','text':'no \\'x\\'\\n'}]}}" },

    { "... without a text", NGX_ORS_TOLERANT_OPENAI, NULL, end_execution, "",
      CALL("mcp_call", "failed")
      ",'approval_request_id':null,'output':null,'error':"
      "{'type':'mcp_tool_execution_error',"
      "'content':[{'type':'text','text':''}]}}" },

    { "an error of the protocol", NGX_ORS_TOLERANT_OPENAI, NULL, end_protocol,
      "no 'x'", CALL("mcp_call", "failed")
      ",'approval_request_id':null,'output':null,'error':"
      "{'type':'mcp_protocol_error','code':-32603,"
      "'message':'no \\'x\\''}}" },

    { "a status", NGX_ORS_TOLERANT_SPEC, NULL, end_http, "no",
      CALL("nginx:mcp_call", "failed")
      ",'approval_request_id':null,'output':null,'error':"
      "{'type':'http_error','code':502,'message':'no'}}" }
};


static ngx_ors_mcp_error_t  errors[] = {
    { .type = ngx_ors_mcp_error_none },
    { .type = ngx_ors_mcp_error_protocol, .code = NGX_ORS_MCP_INVALID_REQUEST },
    { .type = ngx_ors_mcp_error_none },
    { .type = ngx_ors_mcp_error_execution },
    { .type = ngx_ors_mcp_error_protocol, .code = NGX_ORS_MCP_INTERNAL },
    { .type = ngx_ors_mcp_error_http, .code = NGX_ORS_MCP_BAD_GATEWAY }
};


static ngx_pool_t            *pool;
static ngx_array_t            servers;
static ngx_ors_out_t          out;
static ngx_ors_error_t        err;
static ngx_ors_round_t        round;
static ngx_ors_limits_t       limits = limits_default();
static ngx_ors_builder_t      builder;
static ngx_ors_hosting_t      hosting;
static ngx_ors_request_t      req;
static ngx_ors_mcp_use_t      docs, shop, quoted;
static ngx_ors_response_t     resp;
static ngx_ors_approvals_t    approvals;
static ngx_ors_mcp_conf_t     confs[3];

static char                   printed[1024];
static size_t                 length;


int
main(void)
{
    ngx_uint_t  i;

    ngx_ors_test_policy.profile = NGX_ORS_TOLERANT_OPENAI;

    for (i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
        test_check(&checks[i]);
    }

    test_no_tools();

    for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        test_call(&calls[i]);
    }

    test_ask(NGX_ORS_TOLERANT_OPENAI,
             "{'type':'mcp_approval_request','id':'','server_label':'d\\'s',"
             "'name':'re.ad','arguments':'{\\'a\\':1}'}");
    test_ask(NGX_ORS_TOLERANT_SPEC,
             CALL("nginx:mcp_approval_request", "completed") "}");

    test_approved_memory();
    test_call_memory();

    return done_testing();
}


static void
test_check(const check_test_t *test)
{
    ngx_int_t  rc;

    pool = ngx_ors_test_pool();

    setup(test->input);

    rc = check();

    if (rc == NGX_OK) {
        is_int(approve(), NGX_OK, "%s: approved", test->name);

    } else {
        is_int(rc, NGX_DECLINED, "%s: declined", test->name);
        length = snprintf(printed, sizeof(printed), "%d %.*s %.*s",
                            (int) err.status, (int) err.code.len,
                            err.code.data, (int) err.param.len,
                            err.param.data);
    }

    printed_is(test->expected, test->name);

    ngx_destroy_pool(pool);
}


/* no list could be read: nothing of a server can be called */

static void
test_no_tools(void)
{
    ngx_ors_item_t  *item;

    pool = ngx_ors_test_pool();

    setup(ASK("a", "docs", "read", "{}") "," SAY("a", "true"));

    hosting.tools = NULL;

    is_int(check(), NGX_DECLINED, "no tools");
    is_str(&err.code, "tool_not_found", "no tools: the code");

    is_int(ngx_ors_round_mcp_approved(&round, &builder, approvals.elts, &item),
           NGX_ERROR, "no tools: nothing to run");
    ok(resp.items == NULL, "no tools: no item");

    ngx_destroy_pool(pool);
}


static void
test_call(const call_test_t *test)
{
    pool = ngx_ors_test_pool();

    ngx_ors_test_policy.profile = test->profile;

    setup("");

    is_int(call(test), NGX_OK, "%s: made", test->name);
    put_item(resp.last);
    printed_is(test->expected, test->name);

    ok(test->end == end_none || resp.last->status != ngx_ors_item_in_progress,
       "%s: closed once it has ended", test->name);

    ngx_ors_test_policy.profile = NGX_ORS_TOLERANT_OPENAI;

    ngx_destroy_pool(pool);
}


/* a request for an approval has ended as it is made */

static void
test_ask(ngx_uint_t profile, const char *expected)
{
    ngx_ors_item_t  *item;

    pool = ngx_ors_test_pool();

    ngx_ors_test_policy.profile = profile;

    setup("");

    item = ngx_ors_builder_item(&builder, ngx_ors_item_function_call);
    item->tool = (ngx_ors_tool_t *) hosting.tools->elts + 4;
    item->dropped = 1;
    (void) ngx_ors_text_append(&item->arguments, pool,
                               (u_char *) "{\\\"a\\\":1}", 9);

    is_int(ngx_ors_round_mcp_ask(&builder, item), NGX_OK, "asked");
    is_int(ngx_ors_builder_advance(&builder, 1), NGX_OK, "shown");

    ok(item->next == resp.last
       && resp.last->status == ngx_ors_item_completed, "complete");
    put_item(resp.last);
    printed_is(expected, "a request for an approval");

    ngx_ors_test_policy.profile = NGX_ORS_TOLERANT_OPENAI;

    ngx_destroy_pool(pool);
}


static void
test_approved_memory(void)
{
    ngx_int_t   rc;
    ngx_uint_t  n, wrong;

    wrong = 0;

    for (n = 1; ; n++) {
        pool = ngx_ors_test_pool();

        setup(ASK("a", "docs", "read", "{}") "," SAY("a", "true"));
        (void) check();

        ngx_ors_test_fail_after(n);
        rc = approve();

        if (!ngx_ors_test_failed()) {
            break;
        }

        wrong += (rc != NGX_ERROR);

        ngx_ors_test_fail_after(0);
        ngx_destroy_pool(pool);
    }

    ngx_ors_test_fail_after(0);
    ngx_destroy_pool(pool);

    is_int(rc, NGX_OK, "approved, enough memory");
    ok(n > 1 && wrong == 0, "approved, no memory: an error, at each of %d "
       "places", (int) n - 1);

    /* a declined call is so even without memory for its words */

    pool = ngx_ors_test_pool();

    setup(ASK("a", "docs", "buy", "{}") "," SAY("a", "true"));
    (void) ngx_ors_approvals_read(&approvals, &req.input, 0, pool, &err);

    ngx_ors_test_fail_after(2);
    rc = ngx_ors_round_mcp_check(&round, &req, &approvals, &err);
    ngx_ors_test_fail_after(0);

    is_int(rc, NGX_DECLINED, "declined, no memory");
    is_int(err.status, 400, "declined, no memory: the status");

    ngx_destroy_pool(pool);
}


static void
test_call_memory(void)
{
    ngx_int_t           rc;
    ngx_uint_t          i, n, wrong;
    const call_test_t  *test;

    for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        test = &calls[i];
        wrong = 0;

        for (n = 1; ; n++) {
            pool = ngx_ors_test_pool();

            setup("");

            ngx_ors_test_fail_after(n);
            rc = call(test);

            if (!ngx_ors_test_failed()) {
                break;
            }

            wrong += (rc != NGX_ERROR);

            ngx_ors_test_fail_after(0);
            ngx_destroy_pool(pool);
        }

        ngx_ors_test_fail_after(0);
        ngx_destroy_pool(pool);

        is_int(rc, NGX_OK, "%s, enough memory", test->name);
        ok(n > 3 && wrong == 0, "%s, no memory: an error, at each of %d "
           "places", test->name, (int) n - 1);
    }
}


/* a turn when the lists of its servers have been read */

static void
setup(const char *input)
{
    size_t       len;
    ngx_str_t    body;
    static char  buf[4096];

    len = snprintf(buf, sizeof(buf), "{'model':'m','input':[%s]}", input);
    ngx_ors_test_quotes(buf, buf, len);

    body.data = (u_char *) buf;
    body.len = len;

    ngx_memzero(&err, sizeof(ngx_ors_error_t));
    ngx_memzero(&approvals, sizeof(ngx_ors_approvals_t));
    ngx_memzero(&round, sizeof(ngx_ors_round_t));
    ngx_memzero(&builder, sizeof(ngx_ors_builder_t));
    ngx_memzero(&resp, sizeof(ngx_ors_response_t));
    ngx_memzero(&hosting, sizeof(ngx_ors_hosting_t));

    if (ngx_ors_test_request(&req, &body, &limits, pool, &err) != NGX_OK
        || ngx_ors_id_init(&builder.ids, pool->log) != NGX_OK)
    {
        fail("setup");
    }

    ngx_ors_out_init(&out, pool, 4096);

    resp.request = &req;
    resp.error = &err;

    builder.resp = &resp;
    builder.out = &out;
    builder.limits = &limits;
    builder.pool = pool;
    builder.log = pool->log;

    ngx_str_set(&confs[0].label, "docs");
    ngx_str_set(&confs[1].label, "shop");
    ngx_str_set(&confs[2].label, "d\\\"s");
    ngx_str_set(&confs[0].prefix, "docs");
    ngx_str_set(&confs[1].prefix, "shop");

    docs.conf = &confs[0];
    shop.conf = &confs[1];
    quoted.conf = &confs[2];

    servers.elts = confs;
    servers.nelts = 3;
    hosting.servers = &servers;

    hosting.tools = ngx_array_create(pool, 5, sizeof(ngx_ors_tool_t));

    add_tool("f", NULL, NULL, NULL);
    add_tool("docs__read", &docs, "read", "read");
    add_tool("docs__write", &docs, "write", "write");
    add_tool("shop__read", &shop, "read", "read");
    add_tool("d_s__re_ad", &quoted, "re.ad", "re.ad");

    round.hosting = &hosting;
}


static void
add_tool(char *called, ngx_ors_mcp_use_t *use, char *name, char *escaped)
{
    ngx_ors_tool_t          *tool;
    ngx_ors_mcp_tool_t      *listed;
    ngx_ors_mcp_function_t  *function;

    tool = ngx_array_push(hosting.tools);
    ngx_memzero(tool, sizeof(ngx_ors_tool_t));

    tool->name.data = (u_char *) called;
    tool->name.len = strlen(called);

    if (use == NULL) {
        return;
    }

    listed = ngx_pcalloc(pool, sizeof(ngx_ors_mcp_tool_t));
    function = ngx_pcalloc(pool, sizeof(ngx_ors_mcp_function_t));

    listed->name.data = (u_char *) name;
    listed->name.len = strlen(name);

    function->use = use;
    function->tool = listed;
    function->name.data = (u_char *) escaped;
    function->name.len = strlen(escaped);

    tool->mcp = function;
    tool->hidden = 1;
}


static ngx_int_t
check(void)
{
    if (ngx_ors_approvals_read(&approvals, &req.input, 0, pool, &err)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_ors_round_mcp_check(&round, &req, &approvals, &err);
}


/* runs all that was approved, and prints what it is */

static ngx_int_t
approve(void)
{
    u_char          *p;
    char            *q, *last;
    ngx_uint_t       i;
    ngx_ors_item_t  *item;
    u_char           arguments[256];

    q = printed;
    last = q + sizeof(printed);

    for (i = 0; i < approvals.n; i++) {

        if (approvals.elts[i].state != ngx_ors_approval_approved) {
            continue;
        }

        if (ngx_ors_round_mcp_approved(&round, &builder, &approvals.elts[i],
                                       &item)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        p = ngx_ors_text_copy(arguments, &item->arguments);

        q += snprintf(q, last - q, "%s%.*s(%.*s)%s", (q == printed) ? "" : " ",
                      (int) item->tool->name.len, item->tool->name.data,
                      (int) (p - arguments), arguments,
                      (item == resp.last && item->hidden_call && item->whole
                       && item->name.data == item->tool->name.data)
                      ? "" : "?");
    }

    length = q - printed;

    return NGX_OK;
}


/* a call of the model, from its item to its end */

static ngx_int_t
call(const call_test_t *test)
{
    ngx_str_t              id;
    ngx_ors_item_t        *item;
    ngx_ors_round_call_t   made;
    char                   buf[64];

    ngx_memzero(&made, sizeof(ngx_ors_round_call_t));

    item = ngx_ors_builder_item(&builder, ngx_ors_item_function_call);

    if (item == NULL
        || ngx_ors_text_append(&item->arguments, pool,
                               (u_char *) "{\\\"a\\\":1}", 9)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    item->tool = (ngx_ors_tool_t *) hosting.tools->elts + 4;
    item->dropped = 1;

    made.item = item;

    if (test->approval) {
        id.data = (u_char *) buf;
        id.len = strlen(test->approval);
        ngx_ors_test_quotes(buf, test->approval, id.len);
    }

    if (ngx_ors_round_mcp_show(&builder, &made, test->approval ? &id : NULL)
        != NGX_OK
        || made.shown != resp.last
        || ngx_ors_builder_advance(&builder, 1) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return (test->end == end_none) ? NGX_OK : end(&made, test);
}


static ngx_int_t
end(ngx_ors_round_call_t *call, const call_test_t *test)
{
    size_t           len;
    u_char          *p;
    ngx_str_t        said;
    ngx_ors_item_t   output;
    char             buf[64];

    said.data = (u_char *) buf;
    said.len = strlen(test->text);
    ngx_ors_test_quotes(buf, test->text, said.len);

    ngx_memzero(&output, sizeof(ngx_ors_item_t));

    len = ngx_ors_json_escape_len(said.data, said.len);

    p = ngx_pnalloc(pool, len + 1);
    if (p == NULL) {
        return NGX_ERROR;
    }

    ngx_ors_json_escape_mem(p, said.data, said.len);

    if (len && ngx_ors_text_append(&output.output, pool, p, len) != NGX_OK) {
        return NGX_ERROR;
    }

    call->output = &output;

    return ngx_ors_round_mcp_answer(&builder, call, &errors[test->end], &said);
}


/* as a client gets it, but for its id, which is another each time */

static void
put_item(ngx_ors_item_t *item)
{
    ngx_str_t      id;
    ngx_ors_out_t  to;

    id = item->id;
    ngx_str_null(&item->id);

    ngx_ors_out_init(&to, pool, 1024);
    ngx_ors_item_render(&to, item, 0);
    put(&to);

    item->id = id;
}


static void
put(ngx_ors_out_t *from)
{
    u_char       *p;
    ngx_chain_t  *cl;

    p = (u_char *) printed;

    if (from->size > sizeof(printed)
        || ngx_ors_out_take(from, &cl) != NGX_OK)
    {
        fail("out");
        return;
    }

    for ( /* void */ ; cl; cl = cl->next) {
        p = ngx_cpymem(p, cl->buf->pos, cl->buf->last - cl->buf->pos);
    }

    length = p - (u_char *) printed;
}


static void
printed_is(const char *expected, const char *name)
{
    u_char  buf[1024], *p;

    p = ngx_ors_test_quotes(buf, expected, strlen(expected));

    is_mem(printed, length, buf, p - buf, "%s", name);
}
