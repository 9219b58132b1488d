
/*
 * Copyright (C) Open Responses contributors
 */


/* Which tools may be used, which need approval, and how a model calls them. */


#include <ngx_ors_test.h>
#include <ngx_ors_mcp_names.h>
#include <ngx_ors_mcp_policy.h>


typedef struct {
    char        *filter;
    ngx_int_t    rc;
    char        *matches;         /* of the tools "r" (read only) and "w" */
} filter_test_t;


typedef struct {
    char        *conf;
    char        *request;
    char        *required;        /* as above */
} approval_test_t;


static void test_filters(void);
static void test_approvals(void);
static void test_approval_errors(void);
static void test_names(void);
static void test_taken(void);
static void test_no_memory(void);
static ngx_ors_json_t *read_json(char *text, ngx_pool_t *pool);
static ngx_str_t str(char *text);


static filter_test_t  filters[] = {
    { "null", NGX_OK, "rw" },
    { "[]", NGX_OK, "" },
    { "['w','x']", NGX_OK, "w" },
    { "['W']", NGX_OK, "" },
    { "{}", NGX_OK, "rw" },
    { "{'tool_names':null,'read_only':null}", NGX_OK, "rw" },
    { "{'tool_names':['r','w']}", NGX_OK, "rw" },
    { "{'read_only':true}", NGX_OK, "r" },
    { "{'read_only':false}", NGX_OK, "w" },
    { "{'tool_names':['w'],'read_only':true}", NGX_OK, "" },
    { "{'tool_names':['r'],'read_only':true}", NGX_OK, "r" },
    { "'r'", NGX_DECLINED, "" },
    { "[1]", NGX_DECLINED, "" },
    { "{'tool_names':'r'}", NGX_DECLINED, "" },
    { "{'read_only':'true'}", NGX_DECLINED, "" }
};


static approval_test_t  approvals[] = {
    { "null", "null", "rw" },
    { "null", "'always'", "rw" },
    { "null", "'never'", "" },
    { "'never'", "null", "" },
    { "'never'", "'never'", "" },
    { "'never'", "'always'", "rw" },
    { "'always'", "null", "rw" },
    { "'always'", "'never'", "rw" },
    { "{'never':{'read_only':true}}", "null", "w" },
    { "{'never':{'read_only':true}}", "'never'", "w" },
    { "null", "{'never':{'read_only':true}}", "w" },
    { "null", "{'never':{'tool_names':['w']}}", "r" },
    { "null", "{'always':{'tool_names':['w']}}", "rw" },
    { "null", "{'always':{'tool_names':['w']},'never':{}}", "w" },
    { "null", "{'always':{},'never':{}}", "rw" },
    { "null", "{}", "rw" },
    { "'never'", "{'always':{'tool_names':['w']},'never':{}}", "w" },
    { "{'always':{'tool_names':['w']},'never':{}}", "'never'", "w" }
};


static ngx_ors_mcp_tool_t  tools[2];


int
main(void)
{
    ngx_str_set(&tools[0].name, "r");
    tools[0].read_only = 1;
    ngx_str_set(&tools[1].name, "w");

    test_filters();
    test_approvals();
    test_approval_errors();
    test_names();
    test_taken();
    test_no_memory();

    return done_testing();
}


static void
test_filters(void)
{
    u_char                 text[4], *p;
    ngx_int_t              rc;
    ngx_uint_t             i, n;
    ngx_pool_t            *pool;
    ngx_ors_json_t        *json;
    ngx_ors_mcp_filter_t   filter;

    for (i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
        pool = ngx_ors_test_pool();
        json = read_json(filters[i].filter, pool);

        rc = ngx_ors_mcp_filter_read(&filter, json, json->nodes, pool);
        is_int(rc, filters[i].rc, "filter %s", filters[i].filter);

        for (n = 0, p = text; rc == NGX_OK && n < 2; n++) {

            if (ngx_ors_mcp_filter_match(&filter, &tools[n])) {
                *p++ = tools[n].name.data[0];
            }
        }

        is_mem(text, p - text, filters[i].matches,
               ngx_strlen(filters[i].matches), "filter %s: tools",
               filters[i].filter);

        ngx_destroy_pool(pool);
    }
}


static void
test_approvals(void)
{
    u_char                   text[4], *p;
    ngx_uint_t               i, n;
    ngx_pool_t              *pool;
    ngx_ors_json_t          *json;
    ngx_ors_mcp_approval_t   conf, request;

    for (i = 0; i < sizeof(approvals) / sizeof(approvals[0]); i++) {
        pool = ngx_ors_test_pool();

        json = read_json(approvals[i].conf, pool);
        is_int(ngx_ors_mcp_approval_read(&conf, json, json->nodes, pool),
               NGX_OK, "approval %s", approvals[i].conf);

        json = read_json(approvals[i].request, pool);
        is_int(ngx_ors_mcp_approval_read(&request, json, json->nodes, pool),
               NGX_OK, "approval %s", approvals[i].request);

        for (n = 0, p = text; n < 2; n++) {

            if (ngx_ors_mcp_approval_required(&conf, &request, &tools[n])) {
                *p++ = tools[n].name.data[0];
            }
        }

        is_mem(text, p - text, approvals[i].required,
               ngx_strlen(approvals[i].required), "approval %s and %s",
               approvals[i].conf, approvals[i].request);

        ngx_destroy_pool(pool);
    }
}


static void
test_approval_errors(void)
{
    ngx_uint_t               i;
    ngx_pool_t              *pool;
    ngx_ors_json_t          *json;
    ngx_ors_mcp_approval_t   approval;

    static char  *t[] = {
        "'sometimes'", "true", "[]", "{'always':1}", "{'never':'all'}"
    };

    for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        pool = ngx_ors_test_pool();
        json = read_json(t[i], pool);

        is_int(ngx_ors_mcp_approval_read(&approval, json, json->nodes, pool),
               NGX_DECLINED, "no approval: %s", t[i]);

        ngx_destroy_pool(pool);
    }
}


static void
test_names(void)
{
    ngx_str_t             prefix, tool, name;
    ngx_uint_t            i, round;
    ngx_pool_t           *pool;
    ngx_ors_mcp_names_t   names;
    ngx_ors_mcp_named_t  *named;

    static struct {
        char  *prefix;
        char  *tool;
        char  *name;
    } t[] = {
        { "docs", "search", "docs__search" },
        { "", "search", "search" },
        { "docs", "get.page-2", "docs__get_page-2" },
        { "docs", "get_page-2", "docs__get_page-2_f527ba80" },
        { "docs", "get/page-2", "docs__get_page-2_11a8cc67" },
        { "docs", "get/page-2", "docs__get_page-2_ed3cf91b" },
        { "d\xc3\xb6" "cs", "a b", "d__cs__a_b" },
        { "0123456789", "0123456789012345678901234567890123456789012345678901",
          "0123456789__0123456789012345678901234567890123456789012345678901" },
        { "0123456789", "01234567890123456789012345678901234567890123456789012",
          "0123456789__0123456789012345678901234567890123456789012_b8826109" },
        { "0123456789", "01234567890123456789012345678901234567890123456789013",
          "0123456789__0123456789012345678901234567890123456789012_ddd02d0f" },
        { "", ".", "_" },
        { "", "/", "__b742e02f" }
    };

    for (round = 0; round < 2; round++) {
        pool = ngx_ors_test_pool();
        ngx_memzero(&names, sizeof(ngx_ors_mcp_names_t));

        for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
            prefix = str(t[i].prefix);
            tool = str(t[i].tool);

            is_int(ngx_ors_mcp_names_add(&names, pool, &prefix, &tool, &t[i],
                                         &name),
                   NGX_OK, "name %d: added", (int) i);
            is_str(&name, t[i].name, "name %d, round %d", (int) i,
                   (int) round);
        }

        for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
            name = str(t[i].name);
            named = ngx_ors_mcp_names_find(&names, &name);

            ok(named && named->server == &t[i], "name %d: the server",
               (int) i);
            is_str(&named->tool, t[i].tool, "name %d: the tool", (int) i);
        }

        ngx_str_set(&name, "docs__nothing");
        ok(ngx_ors_mcp_names_find(&names, &name) == NULL, "no such name");

        ngx_destroy_pool(pool);
    }
}


/* a function of the client keeps its name */

static void
test_taken(void)
{
    ngx_str_t             prefix, tool, name;
    ngx_pool_t           *pool;
    ngx_ors_mcp_names_t   names;
    ngx_ors_mcp_named_t  *named;

    pool = ngx_ors_test_pool();
    ngx_memzero(&names, sizeof(ngx_ors_mcp_names_t));

    ngx_str_set(&name, "docs__search");
    ok(ngx_ors_mcp_names_find(&names, &name) == NULL, "an empty table");

    is_int(ngx_ors_mcp_names_take(&names, pool, &name), NGX_OK, "taken");
    is_int(ngx_ors_mcp_names_take(&names, pool, &name), NGX_DECLINED,
           "taken twice");

    prefix = str("docs");
    tool = str("search");
    is_int(ngx_ors_mcp_names_add(&names, pool, &prefix, &tool, pool, &name),
           NGX_OK, "a tool of that name");
    ok(name.len == sizeof("docs__search_00000000") - 1, "it has another one");

    name = str("docs__search");
    named = ngx_ors_mcp_names_find(&names, &name);
    ok(named && named->server == NULL, "the function of the client");

    ngx_destroy_pool(pool);
}


static void
test_no_memory(void)
{
    ngx_str_t            prefix, tool, name;
    ngx_int_t            rc;
    ngx_uint_t           n, wrong;
    ngx_pool_t          *pool;
    ngx_ors_mcp_names_t  names;

    prefix = str("docs");
    tool = str("search");
    wrong = 0;

    for (n = 1; n < 20; n++) {
        pool = ngx_ors_test_pool();
        ngx_memzero(&names, sizeof(ngx_ors_mcp_names_t));

        ngx_ors_test_fail_after(n);

        rc = ngx_ors_mcp_names_add(&names, pool, &prefix, &tool, pool, &name);
        wrong += (ngx_ors_test_failed() && rc != NGX_ERROR);

        ngx_destroy_pool(pool);

        if (!ngx_ors_test_failed()) {
            break;
        }
    }

    ngx_ors_test_fail_after(0);

    is_int(wrong, 0, "no memory, no name");
}


static ngx_ors_json_t *
read_json(char *text, ngx_pool_t *pool)
{
    u_char          *copy, *end;
    ngx_ors_json_t  *json;

    json = ngx_palloc(pool, sizeof(ngx_ors_json_t));
    copy = ngx_pnalloc(pool, ngx_strlen(text) + 1);
    end = ngx_ors_test_quotes(copy, text, ngx_strlen(text));

    ngx_ors_json_init(json, pool, 8, 100);
    is_int(ngx_ors_json_read(json, copy, end - copy), NGX_OK, "JSON: %s",
           text);

    return json;
}


static ngx_str_t
str(char *text)
{
    ngx_str_t  s;

    s.data = (u_char *) text;
    s.len = ngx_strlen(text);

    return s;
}
