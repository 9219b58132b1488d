
/*
 * Copyright (C) Open Responses contributors
 */


/* Tools of type "mcp": what is read of them, and what their filters say. */


#include <ngx_ors_test.h>
#include <ngx_ors_request_mcp.h>
#include <ngx_ors_test_request.h>


/* ' stands for " in all texts */

typedef struct {
    const char   *tool;       /* members after its label */
    const char   *name;
    ngx_uint_t    read_only;
    ngx_uint_t    allows;
    ngx_uint_t    asks;       /* where silence means "always" ... */
    ngx_uint_t    quiet;      /* ... and where it means "never" */
} filter_t;


typedef struct {
    const char   *tools;      /* the list */
    const char   *code;
    const char   *param;
} refused_t;


typedef struct {
    const char   *choice;     /* of "tool_choice" */
    const char   *label;      /* NULL: none; "": it is refused */
    const char   *name;
} choice_t;


typedef struct {
    const char   *choice;
    const char   *name;
    ngx_uint_t    excluded;
} excluded_t;


static void test_read(void);
static void test_filter(const filter_t *test);
static void test_refused(const refused_t *test);
static void test_choice(const choice_t *test);
static void test_excluded(const excluded_t *test);
static void test_no_memory(void);
static ngx_int_t setup(const char *tools, const char *choice);
static void done(void);


static const filter_t  filters[] = {

    { "", "a", 0, 1, 1, 0 },

    /* allowed_tools */

    { ",'allowed_tools':null", "a", 0, 1, 1, 0 },
    { ",'allowed_tools':[]", "a", 0, 0, 1, 0 },
    { ",'allowed_tools':['a','b.c']", "a", 0, 1, 1, 0 },
    { ",'allowed_tools':['a','b.c']", "b.c", 0, 1, 1, 0 },
    { ",'allowed_tools':['a','b.c']", "A", 0, 0, 1, 0 },
    { ",'allowed_tools':['\\u0061']", "a", 0, 1, 1, 0 },
    { ",'allowed_tools':{}", "a", 0, 1, 1, 0 },
    { ",'allowed_tools':{'tool_names':null,'read_only':null}", "a", 0, 1, 1,
      0 },
    { ",'allowed_tools':{'tool_names':['a']}", "a", 0, 1, 1, 0 },
    { ",'allowed_tools':{'tool_names':['a']}", "b", 0, 0, 1, 0 },
    { ",'allowed_tools':{'read_only':true}", "a", 1, 1, 1, 0 },
    { ",'allowed_tools':{'read_only':true}", "a", 0, 0, 1, 0 },
    { ",'allowed_tools':{'read_only':false}", "a", 1, 0, 1, 0 },
    { ",'allowed_tools':{'tool_names':['a'],'read_only':true}", "a", 0, 0, 1,
      0 },
    { ",'allowed_tools':{'tool_names':['a'],'read_only':true}", "a", 1, 1, 1,
      0 },

    /* require_approval */

    { ",'require_approval':null", "a", 0, 1, 1, 0 },
    { ",'require_approval':'always'", "a", 1, 1, 1, 1 },
    { ",'require_approval':'never'", "a", 0, 1, 0, 0 },
    { ",'require_approval':{}", "a", 0, 1, 1, 0 },
    { ",'require_approval':{'always':{},'never':{}}", "a", 0, 1, 1, 0 },
    { ",'require_approval':{'never':{'tool_names':['a']}}", "a", 0, 1, 0, 0 },
    { ",'require_approval':{'never':{'tool_names':['a']}}", "b", 0, 1, 1, 0 },
    { ",'require_approval':{'never':{'read_only':true}}", "a", 1, 1, 0, 0 },
    { ",'require_approval':{'never':{'read_only':true}}", "a", 0, 1, 1, 0 },
    { ",'require_approval':{'always':{'tool_names':['a']}}", "a", 0, 1, 1,
      1 },
    { ",'require_approval':{'always':{'read_only':false}}", "a", 0, 1, 1, 1 },
    { ",'require_approval':{'always':{'read_only':false}}", "a", 1, 1, 1, 0 },
    { ",'require_approval':{'always':{'tool_names':['a']},"
      "'never':{'tool_names':['a','b']}}", "a", 0, 1, 1, 1 },
    { ",'require_approval':{'always':{'tool_names':['a']},"
      "'never':{'tool_names':['a','b']}}", "b", 0, 1, 0, 0 }
};


#define MCP(rest)  "{'type':'mcp','server_label':'d'" rest "}"

static const refused_t  refused[] = {

    { "[{'type':'mcp'}]", "missing_required_parameter",
      "tools[0].server_label" },
    { "[{'type':'mcp','server_label':''}]", "missing_required_parameter",
      "tools[0].server_label" },
    { "[{'type':'function','name':'f'}," MCP("") "," MCP("") "]",
      "invalid_value", "tools[2].server_label" },
    { "[" MCP("") ",{'type':'mcp','server_label':'\\u0064'}]",
      "invalid_value", "tools[1].server_label" },
    { "[" MCP(",'allowed_tools':'a'") "]", "invalid_type",
      "tools[0].allowed_tools" },
    { "[" MCP(",'allowed_tools':[1]") "]", "invalid_type",
      "tools[0].allowed_tools" },
    { "[" MCP(",'allowed_tools':{'tool_names':'a'}") "]", "invalid_type",
      "tools[0].allowed_tools" },
    { "[" MCP(",'allowed_tools':{'tool_names':{'a':'b'}}") "]",
      "invalid_type", "tools[0].allowed_tools" },
    { "[" MCP(",'allowed_tools':{'read_only':1}") "]", "invalid_type",
      "tools[0].allowed_tools" },
    { "[" MCP(",'allowed_tools':['a','b','c','d']") "]",
      "array_above_max_length", "tools[0].allowed_tools" },
    { "[" MCP(",'require_approval':{'never':{'tool_names':['a','b','c','d']}}")
      "]", "array_above_max_length", "tools[0].require_approval.never" },
    { "[" MCP(",'require_approval':'sometimes'") "]", "invalid_value",
      "tools[0].require_approval" },
    { "[" MCP(",'require_approval':['a']") "]", "invalid_value",
      "tools[0].require_approval" },
    { "[" MCP(",'require_approval':{'never':'a'}") "]", "invalid_type",
      "tools[0].require_approval.never" },
    { "[" MCP(",'require_approval':{'always':{'tool_names':[1]}}") "]",
      "invalid_type", "tools[0].require_approval.always" },
    { "[" MCP(",'headers':{'X':1}") "]", "invalid_type",
      "tools[0].headers" },
    { "[" MCP(",'authorization':'t','headers':{'authoriz\\u0061TION':'u'}")
      "]", "invalid_value", "tools[0].authorization" }
};


static const choice_t  choices[] = {
    { "'auto'", NULL, "" },
    { "{'type':'function','name':'f'}", NULL, "" },
    { "{'type':'mcp','server_label':'d'}", "d", "" },
    { "{'type':'mcp','server_label':'d','name':null}", "d", "" },
    { "{'type':'mcp','server_label':'d','name':'a.b'}", "d", "a.b" },
    { "{'type':'mcp','server_label':'e'}", "", "" },
    { "{'type':'mcp'}", "", "" }
};


#define LIST(tools)  "{'type':'allowed_tools','mode':'auto','tools':[" tools \
                     "]}"

static const excluded_t  exclusions[] = {
    { "'auto'", "a", 0 },
    { LIST("{'type':'mcp','server_label':'d'}"), "a", 0 },
    { LIST("{'type':'mcp','server_label':'e'}"), "a", 1 },
    { LIST("{'type':'function','name':'f'}"), "a", 1 },
    { LIST("{'type':'mcp','server_label':'d','name':'a'}"), "a", 0 },
    { LIST("{'type':'mcp','server_label':'d','name':'b'}"), "a", 1 },
    { LIST("{'type':'mcp','server_label':'d','name':'b'},"
           "{'type':'mcp','server_label':'d','name':'a'}"), "a", 0 }
};


#define N(list)  (sizeof(list) / sizeof(list[0]))


static ngx_ors_limits_t        limits = limits_default();
static ngx_ors_request_mcps_t  mcps;
static ngx_ors_request_t       request;
static ngx_ors_error_t         err;
static ngx_pool_t             *pool;
static u_char                  body[4096];


int
main(void)
{
    ngx_uint_t  i;

    /* where the tables check the least */

    ngx_ors_test_policy.profile = NGX_ORS_TOLERANT_OPENAI;
    limits.tools = 3;

    test_read();

    for (i = 0; i < N(filters); i++) {
        test_filter(&filters[i]);
    }

    for (i = 0; i < N(refused); i++) {
        test_refused(&refused[i]);
    }

    for (i = 0; i < N(choices); i++) {
        test_choice(&choices[i]);
    }

    for (i = 0; i < N(exclusions); i++) {
        test_excluded(&exclusions[i]);
    }

    test_no_memory();

    return done_testing();
}


static void
test_read(void)
{
    ngx_str_t               label;
    ngx_ors_request_mcp_t  *mcp;

    is_int(setup("[]", "'auto'"), NGX_OK, "no tools");
    is_int(mcps.n, 0, "none is found");
    done();

    limits.tools = 4;

    is_int(setup("[{'type':'function','name':'mcp'},"
                 "{'type':'mcp','server_label':'\\u0064','server_url':'u',"
                 "'authorization':'t','headers':{'X-A':'b'}},"
                 "{'type':'mcp','server_label':'e','connector_id':'c'},"
                 "{'type':'mcp','server_label':'f','tunnel_id':'c'}]",
                 "'auto'"), NGX_OK, "three servers");
    is_int(mcps.n, 3, "are found");

    mcp = &mcps.elts[0];

    is_str(&mcp->label, "d", "label, decoded");
    is_int(mcp->index, 1, "index");
    ok(mcp->url && mcp->authorization && mcp->headers && !mcp->connector,
       "members");
    ok(mcps.elts[1].connector && !mcps.elts[1].url, "a connector");
    ok(mcps.elts[2].connector != NULL, "a tunnel");

    ngx_str_set(&label, "e");
    ok(ngx_ors_request_mcp_find(&mcps, &label) == &mcps.elts[1], "by label");
    ngx_str_set(&label, "g");
    ok(ngx_ors_request_mcp_find(&mcps, &label) == NULL, "by another label");

    is_int(ngx_ors_request_mcp_refuse(&request, mcp, NULL,
                                      ngx_ors_code_invalid_value, "is odd",
                                      &err),
           NGX_DECLINED, "the whole tool is refused");
    is_str(&err.param, "tools[1]", "param");
    is_str(&err.message, "\"tools[1]\" is odd", "message");

    limits.tools = 3;
    done();
}


static void
test_filter(const filter_t *test)
{
    char                    tools[1024];
    ngx_str_t               name;
    ngx_ors_request_mcp_t  *mcp;

    snprintf(tools, sizeof(tools), "[" MCP("%s") "]", test->tool);

    if (!is_int(setup(tools, "'auto'"), NGX_OK, "%s", test->tool)) {
        done();
        return;
    }

    mcp = &mcps.elts[0];
    name.data = (u_char *) test->name;
    name.len = strlen(test->name);

    is_int(ngx_ors_request_mcp_allows(mcp, &name, test->read_only),
           test->allows, "%s: %s allowed", test->tool, test->name);
    is_int(ngx_ors_request_mcp_asks(mcp, &name, test->read_only, 1),
           test->asks, "%s: %s asks", test->tool, test->name);
    is_int(ngx_ors_request_mcp_asks(mcp, &name, test->read_only, 0),
           test->quiet, "%s: %s asks, else not", test->tool, test->name);

    done();
}


static void
test_refused(const refused_t *test)
{
    if (is_int(setup(test->tools, "'auto'"), NGX_DECLINED, "%s",
               test->tools))
    {
        is_int(err.status, 400, "%s: status", test->tools);
        is_str(&err.code, test->code, "%s: code", test->tools);
        is_str(&err.param, test->param, "%s: param", test->tools);
    }

    done();
}


static void
test_choice(const choice_t *test)
{
    ngx_int_t             rc;
    ngx_ors_mcp_choice_t  choice;

    is_int(setup("[" MCP("") "]", test->choice), NGX_OK, "%s", test->choice);

    rc = ngx_ors_request_mcp_choice(&choice, &mcps, &request, &err);

    if (test->label == NULL) {
        is_int(rc, NGX_OK, "%s: another choice", test->choice);
        ok(choice.server == NULL, "%s: no server", test->choice);

    } else if (*test->label == '\0') {
        is_int(rc, NGX_DECLINED, "%s: refused", test->choice);
        is_str(&err.param, "tool_choice.server_label", "%s: param",
               test->choice);

    } else {
        is_int(rc, NGX_OK, "%s: a choice", test->choice);
        is_str(&choice.server->label, test->label, "%s: label", test->choice);
        is_str(&choice.name, test->name, "%s: name", test->choice);
    }

    done();
}


static void
test_excluded(const excluded_t *test)
{
    ngx_str_t  name;

    is_int(setup("[" MCP("") "]", test->choice), NGX_OK, "%s", test->choice);

    name.data = (u_char *) test->name;
    name.len = strlen(test->name);

    is_int(ngx_ors_request_mcp_excluded(&mcps.elts[0], &name),
           test->excluded, "%s: %s", test->choice, test->name);

    done();
}


static void
test_no_memory(void)
{
    ngx_uint_t            n, bad;
    ngx_ors_mcp_choice_t  choice;

    setup("[" MCP(",'authorization':'t','headers':{'X':'y'}") "]",
          "{'type':'mcp','server_label':'d','name':'a'}");

    bad = 0;

    for (n = 1; n < 100; n++) {
        ngx_ors_test_fail_after(n);

        if (ngx_ors_request_mcps(&mcps, &request, &err) == NGX_OK
            && ngx_ors_request_mcp_choice(&choice, &mcps, &request, &err)
               == NGX_OK
            && ngx_ors_test_failed())
        {
            bad++;
        }

        if (!ngx_ors_test_failed()) {
            break;
        }
    }

    ngx_ors_test_fail_after(0);

    is_int(bad, 0, "no memory");
    ok(n > 3, "no memory: %d allocations", (int) n - 1);

    done();
}


static ngx_int_t
setup(const char *tools, const char *choice)
{
    char       text[4096];
    ngx_str_t  s;

    pool = ngx_ors_test_pool();

    snprintf(text, sizeof(text), "{'model':'m','input':'x','tools':%s,"
             "'tool_choice':%s}", tools, choice);

    s.data = body;
    s.len = strlen(text);
    ngx_ors_test_quotes((char *) body, text, s.len);

    ngx_memzero(&err, sizeof(ngx_ors_error_t));

    if (ngx_ors_test_request(&request, &s, &limits, pool, &err) != NGX_OK) {
        fail("%s: %.*s", text, (int) err.message.len, err.message.data);
        return NGX_ERROR;
    }

    return ngx_ors_request_mcps(&mcps, &request, &err);
}


static void
done(void)
{
    ngx_destroy_pool(pool);
}
