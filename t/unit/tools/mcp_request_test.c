
/*
 * Copyright (C) Open Responses contributors
 */


/* Messages to MCP servers: headers and bodies in both eras. */


#include <ngx_ors_test.h>
#include <ngx_ors_json.h>
#include <ngx_ors_mcp_request.h>
#include <ngx_ors_mcp_message.h>


#define COMMON  "Content-Type: application/json\n"                            \
                "Accept: application/json, text/event-stream\n"

#define MODERN  COMMON "MCP-Protocol-Version: 2026-07-28\n"

#define META                                                                  \
    "'_meta':{'io.modelcontextprotocol/protocolVersion':'2026-07-28',"        \
    "'io.modelcontextprotocol/clientCapabilities':{},"                        \
    "'io.modelcontextprotocol/clientInfo':"                                   \
    "{'name':'nginx-open-responses','version':'0.1.0'}}"


typedef ngx_ors_mcp_request_t *(*make_pt)(ngx_ors_mcp_sender_t *sender);


typedef struct {
    char                   *name;
    make_pt                 make;
    ngx_ors_mcp_version_e   version;
    char                   *session;
    char                   *text;       /* headers, an empty line, the body */
} request_test_t;


static ngx_ors_mcp_request_t *list(ngx_ors_mcp_sender_t *sender);
static ngx_ors_mcp_request_t *page(ngx_ors_mcp_sender_t *sender);
static ngx_ors_mcp_request_t *call(ngx_ors_mcp_sender_t *sender);
static ngx_ors_mcp_request_t *call_bare(ngx_ors_mcp_sender_t *sender);
static ngx_ors_mcp_request_t *begin(ngx_ors_mcp_sender_t *sender);
static ngx_ors_mcp_request_t *begun(ngx_ors_mcp_sender_t *sender);
static ngx_ors_mcp_request_t *cancel(ngx_ors_mcp_sender_t *sender);
static ngx_ors_mcp_request_t *pong(ngx_ors_mcp_sender_t *sender);
static ngx_ors_mcp_request_t *refuse(ngx_ors_mcp_sender_t *sender);
static void test_requests(void);
static void test_no_memory(void);
static void test_versions(void);
static void test_values(void);
static void test_tokens(void);
static void test_text(void);
static size_t print(ngx_ors_mcp_request_t *req, u_char *buf);


static request_test_t  tests[] = {

    { "the first page, modern", list, NGX_ORS_MCP_MODERN, "",
      MODERN "Mcp-Method: tools/list\n\n"
      "{'jsonrpc':'2.0','id':7,'method':'tools/list','params':{" META "}}" },

    { "the first page, legacy", list, ngx_ors_mcp_version_2025_11_25, "s1",
      COMMON "MCP-Protocol-Version: 2025-11-25\nMcp-Session-Id: s1\n\n"
      "{'jsonrpc':'2.0','id':7,'method':'tools/list','params':{}}" },

    { "before versions had a header", list, ngx_ors_mcp_version_2025_03_26,
      "s1",
      COMMON "Mcp-Session-Id: s1\n\n"
      "{'jsonrpc':'2.0','id':7,'method':'tools/list','params':{}}" },

    { "legacy without a session", list, ngx_ors_mcp_version_2025_06_18, "",
      COMMON "MCP-Protocol-Version: 2025-06-18\n\n"
      "{'jsonrpc':'2.0','id':7,'method':'tools/list','params':{}}" },

    { "another page, modern", page, NGX_ORS_MCP_MODERN, "",
      MODERN "Mcp-Method: tools/list\n\n"
      "{'jsonrpc':'2.0','id':8,'method':'tools/list','params':{" META ","
      "'cursor':'a\\nb'}}" },

    { "another page, legacy", page, ngx_ors_mcp_version_2025_11_25, "",
      COMMON "MCP-Protocol-Version: 2025-11-25\n\n"
      "{'jsonrpc':'2.0','id':8,'method':'tools/list','params':{"
      "'cursor':'a\\nb'}}" },

    { "a call, modern", call, NGX_ORS_MCP_MODERN, "",
      MODERN "Mcp-Method: tools/call\nMcp-Name: =?base64?ZMO2Yw==?=\n"
      "Mcp-Param-Region: eu\n\n"
      "{'jsonrpc':'2.0','id':9,'method':'tools/call','params':{" META ","
      "'name':'d\xc3\xb6" "c','arguments':{'a':1e400},'requestState':'s'}}" },

    { "a call, legacy", call, ngx_ors_mcp_version_2025_11_25, "s",
      COMMON "MCP-Protocol-Version: 2025-11-25\nMcp-Session-Id: s\n\n"
      "{'jsonrpc':'2.0','id':9,'method':'tools/call','params':{"
      "'name':'d\xc3\xb6" "c','arguments':{'a':1e400},'requestState':'s'}}" },

    { "a call without arguments", call_bare, NGX_ORS_MCP_MODERN, "",
      MODERN "Mcp-Method: tools/call\nMcp-Name: echo\n\n"
      "{'jsonrpc':'2.0','id':9,'method':'tools/call','params':{" META ","
      "'name':'echo','arguments':{}}}" },

    { "a session begins", begin, ngx_ors_mcp_version_2025_11_25, "old",
      COMMON "\n"
      "{'jsonrpc':'2.0','id':1,'method':'initialize','params':{"
      "'protocolVersion':'2025-11-25','capabilities':{},'clientInfo':"
      "{'name':'nginx-open-responses','version':'0.1.0'}}}" },

    { "it has begun", begun, ngx_ors_mcp_version_2025_11_25, "new",
      COMMON "MCP-Protocol-Version: 2025-11-25\nMcp-Session-Id: new\n\n"
      "{'jsonrpc':'2.0','method':'notifications/initialized',"
      "'params':{}}" },

    { "nobody waits any more", cancel, ngx_ors_mcp_version_2025_11_25, "s",
      COMMON "MCP-Protocol-Version: 2025-11-25\nMcp-Session-Id: s\n\n"
      "{'jsonrpc':'2.0','method':'notifications/cancelled',"
      "'params':{'requestId':9007199254740993}}" },

    { "an answer to a ping", pong, ngx_ors_mcp_version_2025_11_25, "s",
      COMMON "MCP-Protocol-Version: 2025-11-25\nMcp-Session-Id: s\n\n"
      "{'jsonrpc':'2.0','id':'p\\'1','result':{}}" },

    { "an answer to anything else", refuse, ngx_ors_mcp_version_2025_11_25,
      "s",
      COMMON "MCP-Protocol-Version: 2025-11-25\nMcp-Session-Id: s\n\n"
      "{'jsonrpc':'2.0','id':-1,'error':{'code':-32601,"
      "'message':'Method not found'}}" }
};

#define NTESTS  (sizeof(tests) / sizeof(tests[0]))


int
main(void)
{
    test_requests();
    test_no_memory();
    test_versions();
    test_values();
    test_tokens();
    test_text();

    return done_testing();
}


static ngx_ors_mcp_request_t *
list(ngx_ors_mcp_sender_t *sender)
{
    return ngx_ors_mcp_request_list(sender, 7, NULL);
}


static ngx_ors_mcp_request_t *
page(ngx_ors_mcp_sender_t *sender)
{
    static ngx_str_t  cursor = ngx_string("a\\nb");

    return ngx_ors_mcp_request_list(sender, 8, &cursor);
}


static ngx_ors_mcp_request_t *
call(ngx_ors_mcp_sender_t *sender)
{
    ngx_keyval_t             *kv;
    ngx_ors_mcp_arguments_t   args;

    ngx_str_set(&args.name, "d\xc3\xb6" "c");
    ngx_str_set(&args.arguments, "{\"a\":1e400}");
    ngx_str_set(&args.state, "\"s\"");

    args.params = ngx_array_create(sender->pool, 1, sizeof(ngx_keyval_t));

    kv = args.params ? ngx_array_push(args.params) : NULL;
    if (kv == NULL) {
        return NULL;
    }

    ngx_str_set(&kv->key, "Mcp-Param-Region");
    ngx_str_set(&kv->value, "eu");

    return ngx_ors_mcp_request_call(sender, 9, &args);
}


static ngx_ors_mcp_request_t *
call_bare(ngx_ors_mcp_sender_t *sender)
{
    ngx_ors_mcp_arguments_t  args;

    ngx_memzero(&args, sizeof(ngx_ors_mcp_arguments_t));

    ngx_str_set(&args.name, "echo");

    return ngx_ors_mcp_request_call(sender, 9, &args);
}


static ngx_ors_mcp_request_t *
begin(ngx_ors_mcp_sender_t *sender)
{
    return ngx_ors_mcp_request_initialize(sender, 1);
}


static ngx_ors_mcp_request_t *
begun(ngx_ors_mcp_sender_t *sender)
{
    return ngx_ors_mcp_request_initialized(sender);
}


static ngx_ors_mcp_request_t *
cancel(ngx_ors_mcp_sender_t *sender)
{
    return ngx_ors_mcp_request_cancelled(sender, 9007199254740993);
}


static ngx_ors_mcp_request_t *
pong(ngx_ors_mcp_sender_t *sender)
{
    ngx_str_t  id = ngx_string("\"p\\\"1\"");

    return ngx_ors_mcp_request_answer(sender, &id, 1);
}


static ngx_ors_mcp_request_t *
refuse(ngx_ors_mcp_sender_t *sender)
{
    ngx_str_t  id = ngx_string("-1");

    return ngx_ors_mcp_request_answer(sender, &id, 0);
}


static void
test_requests(void)
{
    u_char                  buf[2048], expected[2048], *end;
    size_t                  len;
    ngx_uint_t              i;
    request_test_t         *t;
    ngx_ors_mcp_sender_t    sender;
    ngx_ors_mcp_request_t  *req;

    for (i = 0; i < NTESTS; i++) {
        t = &tests[i];

        sender.pool = ngx_ors_test_pool();
        sender.version = t->version;
        sender.session.data = (u_char *) t->session;
        sender.session.len = ngx_strlen(t->session);

        req = t->make(&sender);
        ok(req != NULL, "%s: made", t->name);

        len = print(req, buf);
        end = ngx_ors_test_quotes(expected, t->text, ngx_strlen(t->text));

        is_mem(buf, len, expected, (size_t) (end - expected), "%s", t->name);

        ngx_destroy_pool(sender.pool);
    }
}


static size_t
print(ngx_ors_mcp_request_t *req, u_char *buf)
{
    u_char        *p, *body;
    ngx_uint_t     i;
    ngx_chain_t   *cl;
    ngx_keyval_t  *kv;

    p = buf;
    kv = req->headers.elts;

    for (i = 0; i < req->headers.nelts; i++) {
        p = ngx_sprintf(p, "%V: %V\n", &kv[i].key, &kv[i].value);
    }

    *p++ = '\n';
    body = p;

    for (cl = req->body; cl; cl = cl->next) {
        p = ngx_cpymem(p, cl->buf->pos, cl->buf->last - cl->buf->pos);
    }

    is_int(req->size, p - body, "%*s: size", (int) req->method.len,
           req->method.data);

    return p - buf;
}


static void
test_no_memory(void)
{
    ngx_uint_t             i, n, wrong;
    ngx_ors_mcp_sender_t   sender;

    wrong = 0;

    for (i = 0; i < NTESTS; i++) {

        for (n = 1; n < 100; n++) {
            sender.pool = ngx_ors_test_pool();
            sender.version = tests[i].version;
            ngx_str_set(&sender.session, "s");

            ngx_ors_test_fail_after(n);

            wrong += (tests[i].make(&sender) != NULL
                      && ngx_ors_test_failed());

            ngx_destroy_pool(sender.pool);

            if (!ngx_ors_test_failed()) {
                break;
            }
        }

        ngx_ors_test_fail_after(0);
    }

    is_int(wrong, 0, "no memory, no message");
}


static void
test_versions(void)
{
    ngx_str_t   text;
    ngx_uint_t  i;

    static char  *unknown[] = { "", "2025-11-2", "2027-01-01", "2025-11-250" };

    for (i = 1; i < NGX_ORS_MCP_VERSIONS; i++) {
        is_int(ngx_ors_mcp_version(ngx_ors_mcp_version_name(i)), i,
               "version %d by its name", (int) i);
    }

    for (i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
        text.data = (u_char *) unknown[i];
        text.len = ngx_strlen(unknown[i]);

        is_int(ngx_ors_mcp_version(&text), ngx_ors_mcp_version_none,
               "no version: \"%s\"", unknown[i]);
    }
}


static void
test_values(void)
{
    ngx_str_t    text, value;
    ngx_uint_t   i;
    ngx_pool_t  *pool;

    static struct {
        char  *text;
        char  *value;
    } t[] = {
        { "eu-west", "eu-west" },
        { "a b\tc", "a b\tc" },
        { "42", "42" },
        { "~!", "~!" },
        { "=?base6", "=?base6" },
        { "", "=?base64?" "?=" },
        { " a", "=?base64?IGE=?=" },
        { "a ", "=?base64?YSA=?=" },
        { "\ta", "=?base64?CWE=?=" },
        { "a\nb", "=?base64?YQpi?=" },
        { "a\r\nX: y", "=?base64?YQ0KWDogeQ==?=" },
        { "\x7f", "=?base64?fw==?=" },
        { "\xc3\xb6", "=?base64?w7Y=?=" },
        { "=?base64?YQ==?=", "=?base64?PT9iYXNlNjQ/WVE9PT89?=" },
        { "=?BASE64?x", "=?base64?PT9CQVNFNjQ/eA==?=" },
        { "=?base64?", "=?base64?PT9iYXNlNjQ/?=" }
    };

    pool = ngx_ors_test_pool();

    for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        text.data = (u_char *) t[i].text;
        text.len = ngx_strlen(t[i].text);

        is_int(ngx_ors_mcp_header_value(&text, pool, &value), NGX_OK,
               "value %d", (int) i);
        is_str(&value, t[i].value, "value %d: text", (int) i);
    }

    ngx_destroy_pool(pool);
}


static void
test_tokens(void)
{
    u_char      byte;
    ngx_str_t   text;
    ngx_uint_t  i, tokens, sessions;

    static u_char  longest[NGX_ORS_MCP_SESSION_MAX + 1];

    tokens = 0;
    sessions = 0;
    text.data = &byte;
    text.len = 1;

    for (i = 0; i < 256; i++) {
        byte = i;
        tokens += ngx_ors_mcp_header_token(&text);
        sessions += ngx_ors_mcp_header_session(&text);
    }

    is_int(tokens, 77, "characters of a token");
    is_int(sessions, 94, "characters of a session's id");

    text.len = 0;
    is_int(ngx_ors_mcp_header_token(&text), 0, "an empty token");
    is_int(ngx_ors_mcp_header_session(&text), 0, "an empty session");

    ngx_memset(longest, 'a', sizeof(longest));
    text.data = longest;
    text.len = NGX_ORS_MCP_SESSION_MAX;
    is_int(ngx_ors_mcp_header_session(&text), 1, "the longest session");

    text.len++;
    is_int(ngx_ors_mcp_header_session(&text), 0, "a session too long");
}


static void
test_text(void)
{
    u_char           text[256], *end;
    ngx_str_t        s;
    ngx_uint_t       i;
    ngx_pool_t      *pool;
    ngx_ors_json_t   json;

    static struct {
        char       *json;
        char       *compact;
        ngx_int_t   rc;
        char       *string;
    } t[] = {
        { "'a'", "'a'", NGX_OK, "a" },
        { "' \\' \\\\ '", "' \\' \\\\ '", NGX_OK, " \" \\ " },
        { "'\\u0041\\ud800'", "'\\u0041\\ud800'", NGX_OK,
          "A\xef\xbf\xbd" },
        { "''", "''", NGX_OK, "" },
        { " { 'a' :\t[ 1.50 ,\r\n true ] } ", "{'a':[1.50,true]}",
          NGX_DECLINED, "" },
        { "12345678901234567890", "12345678901234567890", NGX_DECLINED, "" }
    };

    for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        pool = ngx_ors_test_pool();

        end = ngx_ors_test_quotes(text, t[i].json, ngx_strlen(t[i].json));

        ngx_ors_json_init(&json, pool, 8, 100);
        is_int(ngx_ors_json_read(&json, text, end - text), NGX_OK,
               "text %d: JSON", (int) i);

        is_int(ngx_ors_mcp_compact(&json, json.nodes, pool, &s), NGX_OK,
               "text %d: compact", (int) i);

        end = ngx_ors_test_quotes(text + 128, t[i].compact,
                                  ngx_strlen(t[i].compact));
        is_mem(s.data, s.len, text + 128, (size_t) (end - text - 128),
               "text %d", (int) i);

        is_int(ngx_ors_mcp_string(&json, json.nodes, pool, &s), t[i].rc,
               "text %d: string", (int) i);
        is_str(&s, t[i].string, "text %d: decoded", (int) i);

        ngx_destroy_pool(pool);
    }
}
