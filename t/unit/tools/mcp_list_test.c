
/*
 * Copyright (C) Open Responses contributors
 */


/* Lists of tools: pages, limits, what is left out, and headers of calls. */


#include <ngx_ors_test.h>
#include <ngx_ors_mcp_list.h>


#define SCHEMA  "'inputSchema':{'type':'object'}"
#define TEXT    (64 * 1024)

#define FORMS                                                                 \
    "{'name':'a\\'.b','description':'A \\'b\\'','input_schema':"              \
    "{'type':'object'},'annotations':{'read_only':true}}"                     \
    "{'name':'c','input_schema':{'type':'object'},"                           \
    "'annotations':{'read_only':false}}"                                      \
    "{'name':'docs__a__b','description':'A \\'b\\'','parameters':"            \
    "{'type':'object'}}"                                                      \
    "{'name':'docs__a__b','parameters':{'type':'object'}}"


typedef struct {
    char       *name;
    char       *pages;            /* results, a line each; ' for " */
    ngx_int_t   rc;
    char       *text;             /* the list as print() shows it */
} list_test_t;


typedef struct {
    char       *name;
    char       *schema;
    char       *arguments;
    char       *text;             /* headers, or why the schema is invalid */
} param_test_t;


static void test_lists(void);
static void test_limits(void);
static void test_cursors(void);
static void test_many(void);
static void test_omitted(void);
static void test_find(void);
static void test_forms(void);
static void test_no_memory(void);
static void test_params(void);
static ngx_int_t read_pages(char *pages);
static ngx_int_t read_page(u_char *data, size_t len);
static void print(ngx_int_t rc);


static list_test_t  tests[] = {

    { "a tool", "{'tools':[{'name':'a','description':'A \\'tool\\'','title':"
      "'T','inputSchema':{ 'type' : 'object' },'outputSchema':{},"
      "'annotations':{ 'readOnlyHint' : true },'_meta':{'x':1}}]}",
      NGX_OK,
      "a [A \\'tool\\'] {'type':'object'} {'readOnlyHint':true} read_only\n" },

    { "the least", "{'tools':[{'name':'a'," SCHEMA "}]}", NGX_OK,
      "a - {'type':'object'}\n" },

    { "empty", "{'tools':[]}", NGX_OK, "" },

    { "an empty description is one",
      "{'tools':[{'name':'a','description':''," SCHEMA "}]}", NGX_OK,
      "a [] {'type':'object'}\n" },

    { "values of other types", "{'tools':[{'name':'a','description':1,"
      "'annotations':[]," SCHEMA "},{'name':'b','description':null,"
      "'annotations':{'readOnlyHint':'true'}," SCHEMA "}],'nextCursor':null}",
      NGX_OK,
      "a - {'type':'object'}\nb - {'type':'object'} {'readOnlyHint':'true'}\n"
    },

    { "the order of the server",
      "{'tools':[{'name':'z'," SCHEMA "},{'name':'a'," SCHEMA "}]}", NGX_OK,
      "z - {'type':'object'}\na - {'type':'object'}\n" },

    { "three pages",
      "{'tools':[{'name':'a'," SCHEMA "}],'nextCursor':'1'}\n"
      "{'tools':[{'name':'b'," SCHEMA "}],'nextCursor':''}\n"
      "{'tools':[{'name':'c'," SCHEMA "}]}",
      NGX_OK,
      "a - {'type':'object'}\nb - {'type':'object'}\nc - {'type':'object'}\n"
    },

    { "there is another page", "{'tools':[],'nextCursor':'a\\nb'}", NGX_AGAIN,
      "next [a\\nb]\n" },

    { "a cursor twice",
      "{'tools':[],'nextCursor':''}\n{'tools':[],'nextCursor':'1'}\n"
      "{'tools':[],'nextCursor':''}",
      NGX_DECLINED, "has a cursor twice" },

    { "a cursor that is none", "{'tools':[],'nextCursor':1}", NGX_DECLINED,
      "has a cursor that is not valid" },

    { "no tools", "{'nextCursor':'1'}", NGX_DECLINED, "has no tools" },
    { "tools that are none", "{'tools':{}}", NGX_DECLINED, "has no tools" },
    { "complete", "{'tools':[],'resultType':'complete'}", NGX_OK, "" },
    { "not complete", "{'tools':[],'resultType':'input_required'}",
      NGX_DECLINED, "is not complete" },

    { "tools that cannot be used",
      "{'tools':[1,'a',{},{'name':''," SCHEMA "},{'name':'a\\u0000b',"
      SCHEMA "},{'name':1," SCHEMA "},{'name':'s'},{'name':'t',"
      "'inputSchema':null},{'name':'u','inputSchema':[]},{'name':'ok',"
      SCHEMA "},{'name':'ok','inputSchema':{}},{'name':'h','inputSchema':"
      "{'x-mcp-header':'A'}}]}",
      NGX_OK, "ok - {'type':'object'}\nomitted 11\n" },

    { "a name of 128 bytes with dots",
      "{'tools':[{'name':'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
      ".bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
      "bbbbbb.bb'," SCHEMA "}]}",
      NGX_OK,
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
      ".bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
      "bbbbbb.bb - {'type':'object'}\n" },

    { "numbers stay as they are", "{'tools':[{'name':'a','inputSchema':"
      "{'maximum': 12345678901234567890, 'multipleOf': 0.70}}]}", NGX_OK,
      "a - {'maximum':12345678901234567890,'multipleOf':0.70}\n" },

    { "for all users", "{'tools':[],'ttlMs':5000,'cacheScope':'public'}",
      NGX_OK, "ttl 5000 shared\n" },
    { "for one user", "{'tools':[],'ttlMs':5000,'cacheScope':'private'}",
      NGX_OK, "ttl 5000\n" },
    { "a page for one user",
      "{'tools':[],'ttlMs':5000,'cacheScope':'public','nextCursor':'1'}\n"
      "{'tools':[],'ttlMs':3000,'cacheScope':'private','nextCursor':'2'}\n"
      "{'tools':[],'ttlMs':4000,'cacheScope':'public'}",
      NGX_OK, "ttl 3000\n" },
    { "a page without a time",
      "{'tools':[],'ttlMs':5000,'cacheScope':'public','nextCursor':'1'}\n"
      "{'tools':[],'cacheScope':'public'}",
      NGX_OK, "shared\n" },
    { "times that are none",
      "{'tools':[],'ttlMs':-1,'cacheScope':'public'}", NGX_OK, "shared\n" },
    { "times that are long", "{'tools':[],'ttlMs':1e30}", NGX_OK,
      "ttl 2147483647\n" },
    { "times that are text", "{'tools':[],'ttlMs':'5'}", NGX_OK, "" }
};

#define NTESTS  (sizeof(tests) / sizeof(tests[0]))


static param_test_t  params[] = {

    { "none", "{'properties':{'a':{'type':'string'}}}", "{'a':'x'}", "" },

    { "each type", "{'properties':{"
      "'s':{'type':'string','x-mcp-header':'S'},"
      "'i':{'type':'integer','x-mcp-header':'I'},"
      "'b':{'type':'boolean','x-mcp-header':'B'}}}",
      "{'b':false,'i':-7,'s':'eu west'}",
      "Mcp-Param-S: eu west\nMcp-Param-I: -7\nMcp-Param-B: false\n" },

    { "nested", "{'properties':{'o':{'properties':{'p.q':{'type':'string',"
      "'x-mcp-header':'N'}}}}}",
      "{'o':{'p.q':'x'}}", "Mcp-Param-N: x\n" },

    { "absent, null and no scalars", "{'properties':{"
      "'a':{'type':'string','x-mcp-header':'A'},"
      "'b':{'type':'string','x-mcp-header':'B'},"
      "'c':{'type':'string','x-mcp-header':'C'},"
      "'d':{'properties':{'e':{'type':'string','x-mcp-header':'D'}}}}}",
      "{'b':null,'c':['x'],'d':1}", "" },

    { "numbers", "{'properties':{"
      "'a':{'type':'integer','x-mcp-header':'A'},"
      "'b':{'type':'integer','x-mcp-header':'B'},"
      "'c':{'type':'integer','x-mcp-header':'C'}}}",
      "{'a':1e2,'b':12345678901234567890,'c':1.5}",
      "Mcp-Param-A: 100\nMcp-Param-B: 12345678901234567890\n"
      "Mcp-Param-C: 1.5\n" },

    { "markers", "{'properties':{'a':{'type':'string','x-mcp-header':'A'}}}",
      "{'a':'\\u00f6\\r\\n'}", "Mcp-Param-A: =?base64?w7YNCg==?=\n" },

    { "data and names are no annotations", "{'properties':{"
      "'x-mcp-header':{'type':'string','default':{'x-mcp-header':1},"
      "'enum':[{'x-mcp-header':2}],'examples':[{'x-mcp-header':3}]}},"
      "'const':{'properties':{'a':{'x-mcp-header':''}}}}",
      "{'x-mcp-header':'x'}", "" },

    { "at the root", "{'type':'string','x-mcp-header':'A'}", "{}",
      "x-mcp-header is not that of a property" },
    { "in items", "{'properties':{'a':{'items':{'type':'string',"
      "'x-mcp-header':'A'}}}}", "{}",
      "x-mcp-header is not that of a property" },
    { "in anyOf", "{'anyOf':[{},{'properties':{'a':{'type':'string',"
      "'x-mcp-header':'A'}}}]}", "{}",
      "x-mcp-header is not that of a property" },
    { "in $defs", "{'$defs':{'d':{'properties':{'a':{'type':'string',"
      "'x-mcp-header':'A'}}}}}", "{}",
      "x-mcp-header is not that of a property" },
    { "in not", "{'not':{'properties':{'a':{'type':'string',"
      "'x-mcp-header':'A'}}}}", "{}",
      "x-mcp-header is not that of a property" },

    { "an empty name", "{'properties':{'a':{'type':'string',"
      "'x-mcp-header':''}}}", "{}", "x-mcp-header is no token" },
    { "no token", "{'properties':{'a':{'type':'string',"
      "'x-mcp-header':'a b'}}}", "{}", "x-mcp-header is no token" },
    { "a line end", "{'properties':{'a':{'type':'string',"
      "'x-mcp-header':'a\\r\\nX: y'}}}", "{}", "x-mcp-header is no token" },
    { "no string", "{'properties':{'a':{'type':'string',"
      "'x-mcp-header':1}}}", "{}", "x-mcp-header is no token" },
    { "a number", "{'properties':{'a':{'type':'number',"
      "'x-mcp-header':'A'}}}", "{}",
      "x-mcp-header is that of a property of another type" },
    { "types", "{'properties':{'a':{'type':['string'],"
      "'x-mcp-header':'A'}}}", "{}",
      "x-mcp-header is that of a property of another type" },
    { "no type", "{'properties':{'a':{'x-mcp-header':'A'}}}", "{}",
      "x-mcp-header is that of a property of another type" },
    { "twice", "{'properties':{'a':{'type':'string','x-mcp-header':'Ab'},"
      "'b':{'properties':{'c':{'type':'string','x-mcp-header':'aB'}}}}}",
      "{}", "two properties have the same x-mcp-header" }
};

#define NPARAMS  (sizeof(params) / sizeof(params[0]))


static ngx_ors_mcp_limits_t   limits;
static ngx_ors_mcp_list_t    *list;
static u_char                 buf[TEXT], expected[TEXT], text[TEXT], *last;


int
main(void)
{
    ngx_ors_mcp_limits_set(&limits, 1024 * 1024);

    test_lists();
    test_limits();
    test_cursors();
    test_many();
    test_omitted();
    test_find();
    test_forms();
    test_no_memory();
    test_params();

    return done_testing();
}


static void
test_lists(void)
{
    u_char      *end;
    ngx_int_t    rc;
    ngx_uint_t   i;

    for (i = 0; i < NTESTS; i++) {
        list = ngx_ors_mcp_list_create(&limits, ngx_ors_test_log());

        rc = read_pages(tests[i].pages);
        print(rc);

        end = ngx_ors_test_quotes(expected, tests[i].text,
                                  ngx_strlen(tests[i].text));

        is_int(rc, tests[i].rc, "%s", tests[i].name);
        is_mem(text, last - text, expected, (size_t) (end - expected),
               "%s: list", tests[i].name);

        ngx_ors_mcp_list_release(list);
    }
}


static void
test_limits(void)
{
    char                  *pages;
    ngx_ors_mcp_limits_t   saved;

    saved = limits;

    pages = "{'tools':[{'name':'a'," SCHEMA "},{'name':'b'," SCHEMA "}],"
            "'nextCursor':'1'}";

    limits.tools = 1;
    list = ngx_ors_mcp_list_create(&limits, ngx_ors_test_log());
    is_int(read_pages(pages), NGX_OK, "too many tools: the list ends");
    is_int(list->tools.nelts, 1, "too many tools: those before");
    is_int(list->cut, 1, "too many tools: cut");
    ngx_ors_mcp_list_release(list);

    limits = saved;
    limits.list = 4400;
    list = ngx_ors_mcp_list_create(&limits, ngx_ors_test_log());
    is_int(read_pages(pages), NGX_OK, "too many bytes: the list ends");
    is_int(list->tools.nelts, 1, "too many bytes: those before");
    is_int(list->cut, 1, "too many bytes: cut");
    ngx_ors_mcp_list_release(list);

    limits = saved;
    limits.tool = 44;
    list = ngx_ors_mcp_list_create(&limits, ngx_ors_test_log());
    is_int(read_pages("{'tools':[{'name':'a'," SCHEMA "},{'name':'bb'," SCHEMA
                      "}]}"),
           NGX_OK, "a tool too large: the list is complete");
    is_int(list->tools.nelts, 1, "a tool too large: the others");
    is_int(list->omitted, 1, "a tool too large: left out");
    ngx_ors_mcp_list_release(list);

    limits = saved;
}


/* a server that always has another page */

static void
test_cursors(void)
{
    u_char      *p;
    ngx_int_t    rc;
    ngx_uint_t   i;

    list = ngx_ors_mcp_list_create(&limits, ngx_ors_test_log());

    for (i = 0, rc = NGX_AGAIN; rc == NGX_AGAIN; i++) {
        p = ngx_sprintf(buf, "{\"tools\":[],\"nextCursor\":\"%ui\"}", i);
        rc = read_page(buf, p - buf);
    }

    is_int(rc, NGX_DECLINED, "an endless list");
    is_int(i, limits.pages, "pages of it");
    ok(strcmp(list->invalid, "has too many pages") == 0, "why");
    ok(ngx_ors_mcp_list_size(list) < 8192, "its memory");

    ngx_ors_mcp_list_release(list);
    list = ngx_ors_mcp_list_create(&limits, ngx_ors_test_log());

    p = ngx_sprintf(buf, "{\"tools\":[],\"nextCursor\":\"");
    ngx_memset(p, 'a', NGX_ORS_MCP_CURSOR_MAX + 1);
    p = ngx_sprintf(p + NGX_ORS_MCP_CURSOR_MAX + 1, "\"}");

    is_int(read_page(buf, p - buf), NGX_DECLINED, "a long cursor");

    ngx_ors_mcp_list_release(list);
}


static void
test_many(void)
{
    u_char               *all, *p;
    ngx_str_t             name;
    ngx_int_t             rc;
    ngx_uint_t            i;
    ngx_ors_mcp_tool_t   *tool;
    ngx_ors_mcp_limits_t  saved;

    saved = limits;
    all = malloc(10000 * 64);

    p = ngx_sprintf(all, "{\"tools\":[");

    for (i = 0; i < 10000; i++) {
        p = ngx_sprintf(p, "%s{\"name\":\"tool_%ui\",\"inputSchema\":{}}",
                        i ? "," : "", i);
    }

    p = ngx_sprintf(p, "]}");

    list = ngx_ors_mcp_list_create(&limits, ngx_ors_test_log());
    rc = read_page(all, p - all);

    is_int(rc, NGX_OK, "10,000 tools");
    is_int(list->tools.nelts, limits.tools, "10,000 tools: as many as may be");
    ngx_ors_mcp_list_release(list);

    limits.tools = 10000;
    list = ngx_ors_mcp_list_create(&limits, ngx_ors_test_log());
    (void) read_page(all, p - all);

    is_int(list->tools.nelts, 10000, "10,000 tools with a higher limit");

    ngx_str_set(&name, "tool_9876");
    tool = ngx_ors_mcp_list_find(list, &name);
    is_str(&tool->name, "tool_9876", "one of them");

    ngx_ors_mcp_list_release(list);
    free(all);

    limits = saved;
}


/* a server cannot fill the log */

static void
test_omitted(void)
{
    u_char      *p;
    ngx_uint_t   i;

    p = ngx_sprintf(buf, "{\"tools\":[1");

    for (i = 1; i < 1000; i++) {
        p = ngx_sprintf(p, ",1");
    }

    p = ngx_sprintf(p, "]}");

    ngx_ors_test_log_reset();

    list = ngx_ors_mcp_list_create(&limits, ngx_ors_test_log());
    is_int(read_page(buf, p - buf), NGX_OK, "1000 tools that are none");
    is_int(list->omitted, 1000, "all are left out");
    is_int(ngx_ors_test_logged(NGX_LOG_WARN), 16, "some lines in the log");

    ngx_ors_mcp_list_release(list);
}


static void
test_find(void)
{
    ngx_str_t  name;

    list = ngx_ors_mcp_list_create(&limits, ngx_ors_test_log());

    ngx_str_set(&name, "a");
    ok(ngx_ors_mcp_list_find(list, &name) == NULL, "nothing in an empty list");

    (void) read_pages("{'tools':[{'name':'b'," SCHEMA "},{'name':'a',"
                      SCHEMA "}]}");

    ok(ngx_ors_mcp_list_find(list, &name)
       == (ngx_ors_mcp_tool_t *) list->tools.elts + 1,
       "a tool by its name");

    name.data = (u_char *) "c";
    ok(ngx_ors_mcp_list_find(list, &name) == NULL, "a tool that is not there");

    ngx_ors_mcp_list_hold(list);
    ngx_ors_mcp_list_release(list);
    is_int(list->tools.nelts, 2, "a list that is held");
    ngx_ors_mcp_list_release(list);
}


/* as clients and models see a tool */

static void
test_forms(void)
{
    u_char               *end;
    ngx_str_t             name;
    ngx_pool_t           *pool;
    ngx_chain_t          *chain;
    ngx_ors_out_t         out;
    ngx_ors_mcp_tool_t   *tool;

    list = ngx_ors_mcp_list_create(&limits, ngx_ors_test_log());
    pool = ngx_ors_test_pool();

    (void) read_pages("{'tools':[{'name':'a\\'.b','description':'A \\'b\\'',"
                      "'annotations':{'readOnlyHint':true},'inputSchema':"
                      "{ 'type' : 'object' }},{'name':'c'," SCHEMA "}]}");

    tool = list->tools.elts;
    ngx_str_set(&name, "docs__a__b");

    ngx_ors_out_init(&out, pool, 4096);
    ngx_ors_mcp_tool_put(&out, &tool[0]);
    ngx_ors_mcp_tool_put(&out, &tool[1]);
    ngx_ors_mcp_tool_function(&out, &tool[0], &name);
    ngx_ors_mcp_tool_function(&out, &tool[1], &name);
    (void) ngx_ors_out_take(&out, &chain);

    end = ngx_ors_test_quotes(expected, FORMS, sizeof(FORMS) - 1);
    *end = '\0';

    is_chain(chain, (char *) expected, "tools as clients and models see them");

    ngx_ors_mcp_list_release(list);
    ngx_destroy_pool(pool);
}


static void
test_no_memory(void)
{
    ngx_int_t   rc;
    ngx_uint_t  n, wrong;

    wrong = 0;

    for (n = 1; n < 200; n++) {
        ngx_ors_test_fail_after(n);

        list = ngx_ors_mcp_list_create(&limits, ngx_ors_test_log());

        if (list) {
            rc = read_pages("{'tools':[{'name':'a','description':'d',"
                            "'annotations':{},'inputSchema':{'properties':"
                            "{'a':{'type':'string','x-mcp-header':'A'}}}}],"
                            "'nextCursor':'1'}");

            wrong += (ngx_ors_test_failed() && rc != NGX_ERROR);
            ngx_ors_mcp_list_release(list);
        }

        if (!ngx_ors_test_failed()) {
            break;
        }
    }

    ngx_ors_test_fail_after(0);

    is_int(wrong, 0, "no memory, no list");
}


static void
test_params(void)
{
    char            *invalid;
    u_char          *end, *schema;
    ngx_int_t        rc;
    ngx_uint_t       i, n;
    ngx_pool_t      *pool;
    ngx_array_t     *found, *headers;
    ngx_keyval_t    *kv;
    ngx_ors_json_t   json, args;

    for (i = 0; i < NPARAMS; i++) {
        pool = ngx_ors_test_pool();

        found = ngx_array_create(pool, 1, sizeof(ngx_ors_mcp_param_t));
        headers = ngx_array_create(pool, 1, sizeof(ngx_keyval_t));

        schema = malloc(TEXT);
        end = ngx_ors_test_quotes(schema, params[i].schema,
                                  ngx_strlen(params[i].schema));
        ngx_ors_json_init(&json, pool, 64, 1000);
        (void) ngx_ors_json_read(&json, schema, end - schema);

        rc = ngx_ors_mcp_params_find(&json, json.nodes, found, &invalid);

        free(schema);

        end = ngx_ors_test_quotes(buf, params[i].arguments,
                                  ngx_strlen(params[i].arguments));
        ngx_ors_json_init(&args, pool, 64, 1000);
        (void) ngx_ors_json_read(&args, buf, end - buf);

        last = text;

        if (rc == NGX_OK) {
            is_int(ngx_ors_mcp_params_headers(found, &args, args.nodes,
                                              headers),
                   NGX_OK, "param, %s: headers", params[i].name);

            kv = headers->elts;

            for (n = 0; n < headers->nelts; n++) {
                last = ngx_sprintf(last, "%V: %V\n", &kv[n].key,
                                   &kv[n].value);
            }

        } else {
            last = ngx_sprintf(last, "%s", invalid);
        }

        is_mem(text, last - text, params[i].text, ngx_strlen(params[i].text),
               "param, %s", params[i].name);

        ngx_destroy_pool(pool);
    }
}


static ngx_int_t
read_pages(char *pages)
{
    size_t      n;
    u_char     *p, *last_page;
    ngx_int_t   rc;

    last_page = ngx_ors_test_quotes(buf, pages, ngx_strlen(pages));
    *last_page = '\0';

    rc = NGX_ERROR;

    for (p = buf; p < last_page; p += n + 1) {
        n = strcspn((char *) p, "\n");
        rc = read_page(p, n);

        if (rc == NGX_DECLINED || rc == NGX_ERROR) {
            break;
        }
    }

    return rc;
}


/* the page's text and nodes are gone when the list has it */

static ngx_int_t
read_page(u_char *data, size_t len)
{
    u_char          *copy;
    ngx_int_t        rc;
    ngx_pool_t      *pool;
    ngx_ors_json_t   json;

    copy = malloc(len);
    ngx_memcpy(copy, data, len);

    pool = ngx_create_pool(1024, ngx_ors_test_log());

    if (pool == NULL) {
        free(copy);
        return NGX_ERROR;
    }

    ngx_ors_json_init(&json, pool, 64, 100000);

    rc = ngx_ors_json_read(&json, copy, len);

    if (rc == NGX_OK) {
        rc = ngx_ors_mcp_list_page(list, &json, json.nodes,
                                   ngx_ors_test_log());
    }

    ngx_destroy_pool(pool);
    free(copy);

    return rc;
}


static void
print(ngx_int_t rc)
{
    ngx_uint_t           i;
    ngx_ors_mcp_tool_t  *tool;

    last = text;

    if (rc == NGX_DECLINED) {
        last = ngx_sprintf(last, "%s", list->invalid);
        return;
    }

    tool = list->tools.elts;

    for (i = 0; i < list->tools.nelts; i++) {
        last = ngx_sprintf(last, "%V ", &tool[i].name);

        last = tool[i].described
               ? ngx_sprintf(last, "[%V]", &tool[i].description)
               : ngx_sprintf(last, "-");

        last = ngx_sprintf(last, " %V%s%V%s\n", &tool[i].schema,
                           tool[i].annotations.len ? " " : "",
                           &tool[i].annotations,
                           tool[i].read_only ? " read_only" : "");
    }

    if (rc == NGX_AGAIN) {
        last = ngx_sprintf(last, "next [%V]\n", &list->cursor);
    }

    if (list->omitted) {
        last = ngx_sprintf(last, "omitted %ui\n", list->omitted);
    }

    if (list->ttl) {
        last = ngx_sprintf(last, "ttl %M%s", list->ttl,
                           list->shared ? " " : "\n");
    }

    if (list->shared) {
        last = ngx_sprintf(last, "shared\n");
    }
}
