
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Hosted types: names that operators and clients write, the item of a call,
 * and the tools of a location and of a request that have a type.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_item.h>
#include <ngx_ors_test_request.h>


static void test_names(void);
static void test_find(void);
static void test_asked(void);


#define WEB          ngx_ors_hosted_type_web_search
#define FILE_SEARCH  ngx_ors_hosted_type_file_search
#define CODE         ngx_ors_hosted_type_interpreter
#define NONE         ngx_ors_hosted_type_none


static ngx_pool_t  *pool;


int
main(void)
{
    pool = ngx_ors_test_pool();

    test_names();
    test_find();
    test_asked();

    ngx_destroy_pool(pool);

    return done_testing();
}


/* an operator writes the plain name only, clients have names with dates */

static void
test_names(void)
{
    size_t                 len;
    u_char                 text[64];
    ngx_str_t              name;
    ngx_uint_t             i;
    ngx_ors_json_t         json;

    static struct {
        const char             *name;
        ngx_ors_hosted_type_e   operator;
        ngx_ors_hosted_type_e   client;
        ngx_ors_item_type_e     item;
    } names[] = {
        { "web_search", WEB, WEB, ngx_ors_item_web_search },
        { "web_search_preview", NONE, WEB, ngx_ors_item_web_search },
        { "web_search_2025_08_26", NONE, WEB, ngx_ors_item_web_search },
        { "web_search_preview_2025_03_11", NONE, WEB,
          ngx_ors_item_web_search },
        { "file_search", FILE_SEARCH, FILE_SEARCH, ngx_ors_item_file_search },
        { "code_interpreter", CODE, CODE, ngx_ors_item_interpreter },
        { "function", NONE, NONE, ngx_ors_item_function_call },
        { "web_searc", NONE, NONE, ngx_ors_item_function_call },
        { "WEB_SEARCH", NONE, NONE, ngx_ors_item_function_call },
        { "", NONE, NONE, ngx_ors_item_function_call }
    };

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        name.data = (u_char *) names[i].name;
        name.len = ngx_strlen(names[i].name);

        is_int(ngx_ors_hosted_type(&name), names[i].operator,
               "\"%s\" of an operator", names[i].name);

        len = snprintf((char *) text, sizeof(text), "\"%s\"", names[i].name);

        ngx_ors_json_init(&json, pool, 1, 1);
        (void) ngx_ors_json_read(&json, text, len);

        is_int(ngx_ors_hosted_type_of(&json, json.nodes), names[i].client,
               "\"%s\" of a client", names[i].name);

        is_int(ngx_ors_hosted_type_item(names[i].client), names[i].item,
               "\"%s\": the item of a call", names[i].name);
    }

    is_int(ngx_ors_hosted_type_of(&json, NULL), NONE, "a tool without a type");
}


static void
test_find(void)
{
    ngx_array_t         tools;
    ngx_ors_tool_t      tool[3];
    ngx_ors_hosting_t   hosting;

    ngx_memzero(tool, sizeof(tool));
    ngx_memzero(&tools, sizeof(ngx_array_t));
    ngx_memzero(&hosting, sizeof(ngx_ors_hosting_t));

    ok(ngx_ors_hosted_type_find(NULL, WEB) == NULL, "no hosting");
    ok(ngx_ors_hosted_type_find(&hosting, WEB) == NULL, "no tools");

    tool[1].type = WEB;
    tool[2].type = CODE;

    tools.elts = tool;
    tools.nelts = 3;
    hosting.tools = &tools;

    ok(ngx_ors_hosted_type_find(&hosting, WEB) == &tool[1], "a search");
    ok(ngx_ors_hosted_type_find(&hosting, CODE) == &tool[2],
       "an interpreter");
    ok(ngx_ors_hosted_type_find(&hosting, FILE_SEARCH) == NULL,
       "a type without a tool");
    ok(ngx_ors_hosted_type_find(&hosting, NONE) == NULL,
       "a function stands for no type");
}


static void
test_asked(void)
{
    u_char                text[512];
    ngx_str_t             body;
    ngx_ors_error_t       err;
    ngx_ors_request_t     req;
    ngx_ors_json_node_t  *node;

    static ngx_ors_limits_t  limits = limits_default();

    static const char  request[] =
        "{'model':'m','input':'x','tools':[{'type':'function','name':'f'},"
        "{'type':'web_search_preview','search_context_size':'low'},"
        "{'type':'web_search'}]}";

    ngx_ors_test_policy.profile = NGX_ORS_TOLERANT_OPENAI;

    body.data = text;
    body.len = ngx_ors_test_quotes(text, request, sizeof(request) - 1) - text;

    is_int(ngx_ors_test_request(&req, &body, &limits, pool, &err), NGX_OK,
           "a request with tools");

    node = ngx_ors_hosted_type_asked(&req, WEB);
    ok(node && ngx_ors_json_find(&req.json, node, "search_context_size"),
       "the first tool of a type");
    ok(ngx_ors_hosted_type_asked(&req, CODE) == NULL,
       "a type that is not in the request");
}
