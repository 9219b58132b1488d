
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The MCP servers that a request names: the functions that the model gets of
 * their lists, whose calls need an approval, and what is refused.
 */


#include <ngx_ors_mcp_use.h>
#include <ngx_ors_test.h>
#include <ngx_ors_test_request.h>


/* ' stands for " in all texts */

typedef struct {
    const char  *name;
    const char  *tools;
    const char  *choice;       /* members after "input", or empty */
    const char  *expected;     /* functions: "?" needs an approval, "!" is */
                               /* forced, "+" one must be called; or code and */
                               /* param of an error */
} use_test_t;


#define MCP(label, rest)  "{'type':'mcp','server_label':'" label "'" rest "}"
#define CHOICE(rest)      ",'tool_choice':{'type':'mcp'," rest "}"


static void test_use(const use_test_t *test);
static void test_lists(void);
static void test_no_memory(void);
static void configure(void);
static void add_tool(ngx_ors_mcp_list_t *list, char *name,
    ngx_uint_t read_only);
static ngx_int_t use(const char *tools, const char *choice);
static void print(ngx_int_t rc);


static const use_test_t  tests[] = {

    { "no server", "", "", "" },

    { "a server, which lets clients decide", MCP("docs", ""), "",
      "docs__read docs__write?" },

    { "the client wants no approvals",
      MCP("docs", ",'require_approval':'never'"), "",
      "docs__read docs__write" },

    { "the client wants all",
      MCP("docs", ",'require_approval':'always'"), "",
      "docs__read? docs__write?" },

    { "the operator wants all, whatever the client says",
      MCP("shop", ",'require_approval':'never'"), "", "shop__buy?" },

    { "a tool that the operator does not allow",
      MCP("shop", ",'allowed_tools':['sell']"), "", "" },

    { "a tool that the client allows",
      MCP("docs", ",'allowed_tools':['write']"), "", "docs__write?" },

    { "tools that only read",
      MCP("docs", ",'allowed_tools':{'read_only':true}"), "", "docs__read" },

    { "two servers, in the order of the request",
      MCP("shop", "") "," MCP("docs", ""), "",
      "shop__buy? docs__read docs__write?" },

    { "other tools beside them",
      "{'type':'function','name':'f'}," MCP("docs", ""), "",
      "docs__read docs__write?" },

    { "the address of the configuration",
      MCP("docs", ",'server_url':'https://docs.example/mcp'"), "",
      "docs__read docs__write?" },

    { "another address",
      MCP("docs", ",'server_url':'https://docs.example/mcp2'"), "",
      "unknown_server tools[0].server_url" },

    { "an address where none is configured",
      MCP("shop", ",'server_url':'https://docs.example/mcp'"), "",
      "unknown_server tools[0].server_url" },

    { "a label that is not configured",
      MCP("docs", "") "," MCP("Docs", ""), "",
      "unknown_server tools[1].server_label" },

    { "a connector", MCP("docs", ",'connector_id':'connector_dropbox'"), "",
      "unsupported_value tools[0]" },

    { "a tool is forced", MCP("docs", ""),
      CHOICE("'server_label':'docs','name':'write'"),
      "docs__read docs__write?!" },

    { "one tool of a server", MCP("docs", ""),
      CHOICE("'server_label':'docs'"), "docs__read docs__write?+" },

    { "one tool of a server: Chat cannot leave out the other's",
      MCP("shop", "") "," MCP("docs", ""), CHOICE("'server_label':'docs'"),
      "shop__buy? docs__read docs__write?+" },

    { "a forced tool that the server does not have", MCP("docs", ""),
      CHOICE("'server_label':'docs','name':'buy'"),
      "invalid_value tool_choice.name" },

    { "a forced tool that the client does not allow",
      MCP("docs", ",'allowed_tools':['read']"),
      CHOICE("'server_label':'docs','name':'write'"),
      "invalid_value tool_choice.name" }
};


static ngx_pool_t          *pool;
static ngx_array_t         *servers;
static ngx_ors_error_t      err;
static ngx_ors_limits_t     limits = limits_default();
static ngx_ors_request_t    req;
static ngx_ors_hosting_t    hosting;
static ngx_ors_mcp_list_t   docs, shop;
static ngx_ors_mcp_uses_t   uses;

static char                 printed[1024];
static ngx_str_t            text;


int
main(void)
{
    ngx_uint_t  i;

    ngx_ors_test_policy.profile = NGX_ORS_TOLERANT_OPENAI;

    for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        test_use(&tests[i]);
    }

    test_lists();
    test_no_memory();

    return done_testing();
}


static void
test_use(const use_test_t *test)
{
    pool = ngx_ors_test_pool();

    configure();
    print(use(test->tools, test->choice));

    is_str(&text, test->expected, "%s", test->name);

    ngx_destroy_pool(pool);
}


/* a server that has no list is one without tools */

static void
test_lists(void)
{
    ngx_uint_t               n;
    ngx_ors_tool_t          *tool;
    ngx_ors_mcp_function_t  *function;

    pool = ngx_ors_test_pool();

    configure();
    docs.tools.nelts = 0;
    print(use(MCP("docs", "") "," MCP("shop", ""), ""));
    is_str(&text, "shop__buy?", "an empty list");

    n = uses.hosting.tools->nelts;
    tool = uses.hosting.tools->elts;
    function = tool[n - 1].mcp;

    is_int(n, 1, "one function");
    ok(function->use == &uses.elts[1]
       && function->tool == shop.tools.elts, "of its server");
    ok(tool[n - 1].hidden, "its calls are hidden");
    is_mem(tool[n - 1].parameters.data, tool[n - 1].parameters.len,
           "{\"type\":\"object\"}", 17, "with the schema of the list");

    configure();
    (void) use(MCP("docs", ""), "");
    uses.hosting = hosting;
    uses.elts[0].list = NULL;
    print(ngx_ors_mcp_uses_functions(&uses, &req, &err));
    is_str(&text, "", "no list");

    ngx_destroy_pool(pool);
}


static void
test_no_memory(void)
{
    ngx_int_t   rc;
    ngx_uint_t  n, wrong;

    wrong = 0;

    for (n = 1; ; n++) {
        pool = ngx_ors_test_pool();

        configure();

        ngx_ors_test_fail_after(n);

        rc = use(MCP("docs", ""), CHOICE("'server_label':'docs'"));

        if (!ngx_ors_test_failed()) {
            break;
        }

        wrong += (rc != NGX_ERROR);

        ngx_ors_test_fail_after(0);
        ngx_destroy_pool(pool);
    }

    ngx_ors_test_fail_after(0);

    is_int(rc, NGX_OK, "enough memory");
    ok(n > 5 && wrong == 0, "no memory: an error, at each of %d places",
       (int) n - 1);

    ngx_destroy_pool(pool);
}


static void
configure(void)
{
    ngx_str_t           *name;
    ngx_ors_mcp_conf_t  *conf;

    ngx_memzero(&hosting, sizeof(ngx_ors_hosting_t));
    ngx_memzero(&docs, sizeof(ngx_ors_mcp_list_t));
    ngx_memzero(&shop, sizeof(ngx_ors_mcp_list_t));

    servers = ngx_array_create(pool, 2, sizeof(ngx_ors_mcp_conf_t));
    hosting.servers = servers;

    conf = ngx_array_push_n(servers, 2);
    ngx_memzero(conf, 2 * sizeof(ngx_ors_mcp_conf_t));

    ngx_str_set(&conf[0].label, "docs");
    ngx_str_set(&conf[0].url, "https://docs.example/mcp");
    ngx_str_set(&conf[0].prefix, "docs");
    conf[0].allowed.all = 1;
    conf[0].consent = ngx_ors_mcp_consent_never;
    conf[0].selected.read_only = 1;
    conf[0].otherwise = ngx_ors_mcp_consent_client;

    ngx_str_set(&conf[1].label, "shop");
    ngx_str_set(&conf[1].prefix, "shop");
    conf[1].allowed.names = ngx_array_create(pool, 1, sizeof(ngx_str_t));
    name = ngx_array_push(conf[1].allowed.names);
    ngx_str_set(name, "buy");
    conf[1].consent = ngx_ors_mcp_consent_always;
    conf[1].selected.all = 1;

    add_tool(&docs, "read", 1);
    add_tool(&docs, "write", 0);
    add_tool(&shop, "buy", 0);
    add_tool(&shop, "sell", 0);
}


static void
add_tool(ngx_ors_mcp_list_t *list, char *name, ngx_uint_t read_only)
{
    ngx_ors_mcp_tool_t  *tool;

    if (list->tools.nelts == 0) {
        (void) ngx_array_init(&list->tools, pool, 2,
                              sizeof(ngx_ors_mcp_tool_t));
    }

    tool = ngx_array_push(&list->tools);
    ngx_memzero(tool, sizeof(ngx_ors_mcp_tool_t));

    tool->name.data = (u_char *) name;
    tool->name.len = ngx_strlen(name);
    ngx_str_set(&tool->schema, "{\"type\":\"object\"}");
    tool->read_only = read_only;
}


/* as a turn does it, with lists that are there */

static ngx_int_t
use(const char *tools, const char *choice)
{
    ngx_int_t     rc;
    ngx_str_t     body;
    ngx_uint_t    i;
    static char   buf[4096];

    snprintf(buf, sizeof(buf), "{'model':'m','input':'x','tools':[%s]%s}",
             tools, choice);
    ngx_ors_test_quotes(buf, buf, strlen(buf));

    body.data = (u_char *) buf;
    body.len = strlen(buf);

    ngx_memzero(&uses, sizeof(ngx_ors_mcp_uses_t));

    rc = ngx_ors_test_request(&req, &body, &limits, pool, &err);

    if (rc == NGX_OK) {
        rc = ngx_ors_mcp_uses_read(&uses, &req, &hosting, &err);
    }

    if (rc != NGX_OK) {
        return rc;
    }

    for (i = 0; i < uses.n; i++) {
        uses.elts[i].list = (uses.elts[i].conf == servers->elts) ? &docs
                                                                 : &shop;
    }

    return ngx_ors_mcp_uses_functions(&uses, &req, &err);
}


static void
print(ngx_int_t rc)
{
    char            *p, *last;
    ngx_uint_t       i, n;
    ngx_ors_tool_t  *tool;

    p = printed;
    last = p + sizeof(printed);
    tool = NULL;
    n = 0;

    if (rc != NGX_OK) {
        p += snprintf(p, last - p, "%.*s %.*s", (int) err.code.len,
                      err.code.data, (int) err.param.len, err.param.data);

    } else if (uses.hosting.tools) {
        n = uses.hosting.tools->nelts;
        tool = uses.hosting.tools->elts;
    }

    for (i = 0; i < n; i++) {
        p += snprintf(p, last - p, "%s%.*s%s%s", i ? " " : "",
                      (int) tool[i].name.len, tool[i].name.data,
                      ngx_ors_mcp_function_asks(tool[i].mcp) ? "?" : "",
                      (uses.hosting.forced == &tool[i]) ? "!" : "");
    }

    if (rc == NGX_OK && uses.hosting.required) {
        *p++ = '+';
    }

    text.data = (u_char *) printed;
    text.len = p - printed;
}
