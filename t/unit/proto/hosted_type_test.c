
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
static void test_valid(void);
static void set(ngx_ors_tool_t *tool, ngx_ors_hosted_type_e type, char *name);
static ngx_ors_json_node_t *text(ngx_ors_json_t *json, const char *type);


#define WEB          ngx_ors_hosted_type_web_search
#define FILE_SEARCH  ngx_ors_hosted_type_file_search
#define CODE         ngx_ors_hosted_type_interpreter
#define OWN          ngx_ors_hosted_type_own
#define NONE         ngx_ors_hosted_type_none


static ngx_pool_t  *pool;


int
main(void)
{
    pool = ngx_ors_test_pool();

    test_names();
    test_find();
    test_asked();
    test_valid();

    ngx_destroy_pool(pool);

    return done_testing();
}


/*
 * An operator writes the plain name only, clients have names with dates, and
 * each may have the slug.
 */

static void
test_names(void)
{
    size_t                 len;
    u_char                 text[64];
    ngx_str_t              name;
    ngx_uint_t             i, j;
    ngx_ors_json_t         json;
    ngx_ors_tool_t         tools[4];

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
        { "nginx:web_search", NONE, WEB, ngx_ors_item_web_search },
        { "acme:web_search", NONE, NONE, ngx_ors_item_function_call },
        { "nginx:web_search_preview", NONE, NONE, ngx_ors_item_function_call },
        { "nginx:mine", NONE, OWN, ngx_ors_item_own },
        { "mine", NONE, OWN, ngx_ors_item_own },
        { "web_searc", NONE, NONE, ngx_ors_item_function_call },
        { "WEB_SEARCH", NONE, NONE, ngx_ors_item_function_call },
        { "", NONE, NONE, ngx_ors_item_function_call }
    };

    set(&tools[0], WEB, "nginx:web_search");
    set(&tools[1], FILE_SEARCH, "nginx:file_search");
    set(&tools[2], CODE, "nginx:code_interpreter");
    set(&tools[3], OWN, "nginx:mine");

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        name.data = (u_char *) names[i].name;
        name.len = ngx_strlen(names[i].name);

        is_int(ngx_ors_hosted_type(&name), names[i].operator,
               "\"%s\" of an operator", names[i].name);

        len = snprintf((char *) text, sizeof(text), "\"%s\"", names[i].name);

        ngx_ors_json_init(&json, pool, 1, 1);
        (void) ngx_ors_json_read(&json, text, len);

        for (j = 0; j < 4; j++) {
            is_int(ngx_ors_hosted_type_is(&tools[j], &json, json.nodes),
                   tools[j].type == names[i].client,
                   "\"%s\" of a client, tool %d", names[i].name, (int) j);
        }

        is_int(ngx_ors_hosted_type_item(names[i].client), names[i].item,
               "\"%s\": the item of a call", names[i].name);
    }

    ok(!ngx_ors_hosted_type_is(&tools[0], &json, NULL),
       "a tool without a type");
}


/* a slug of ours may be left out */

static void
set(ngx_ors_tool_t *tool, ngx_ors_hosted_type_e type, char *name)
{
    ngx_memzero(tool, sizeof(ngx_ors_tool_t));

    tool->type = type;

    tool->types[0].data = (u_char *) name;
    tool->types[0].len = ngx_strlen(name);

    tool->name.data = (u_char *) strchr(name, ':') + 1;
    tool->name.len = ngx_strlen(tool->name.data);

    if (ngx_strncmp(name, NGX_ORS_HOSTED_SLUG, 6) == 0) {
        tool->types[1] = tool->name;
    }
}


static ngx_ors_json_node_t *
text(ngx_ors_json_t *json, const char *type)
{
    static u_char  buf[64];

    ngx_ors_json_init(json, pool, 1, 1);
    (void) ngx_ors_json_read(json, buf, ngx_sprintf(buf, "\"%s\"", type) - buf);

    return json->nodes;
}


static void
test_find(void)
{
    ngx_array_t         tools;
    ngx_ors_json_t      json;
    ngx_ors_tool_t      tool[5], typed;
    ngx_ors_hosting_t   hosting;

    ngx_memzero(tool, sizeof(tool));
    ngx_memzero(&tools, sizeof(ngx_array_t));
    ngx_memzero(&hosting, sizeof(ngx_ors_hosting_t));

    ok(ngx_ors_hosted_type_find(NULL, &json, text(&json, "web_search"))
       == NULL, "no hosting");
    ok(ngx_ors_hosted_type_find(&hosting, &json, text(&json, "web_search"))
       == NULL, "no tools");

    set(&tool[1], WEB, "nginx:web_search");
    set(&tool[2], OWN, "acme:mine");
    set(&typed, OWN, "nginx:both");
    ngx_str_set(&tool[3].name, "both");
    tool[3].typed = &typed;
    ngx_str_set(&tool[4].name, "f");

    tools.elts = tool;
    tools.nelts = 5;
    hosting.tools = &tools;

    ok(ngx_ors_hosted_type_find(&hosting, &json,
                                text(&json, "web_search_preview"))
       == &tool[1], "a search");
    ok(ngx_ors_hosted_type_find(&hosting, &json, text(&json, "acme:mine"))
       == &tool[2], "an operator's type");
    ok(ngx_ors_hosted_type_find(&hosting, &json, text(&json, "mine"))
       == NULL, "... not without its slug");
    ok(ngx_ors_hosted_type_find(&hosting, &json, text(&json, "both"))
       == &typed, "a function that is a type as well");
    ok(ngx_ors_hosted_type_find(&hosting, &json, text(&json, "file_search"))
       == NULL, "a type without a tool");
    ok(ngx_ors_hosted_type_find(&hosting, &json, text(&json, "f")) == NULL,
       "a function stands for no type");
}


static void
test_asked(void)
{
    u_char                text[512];
    ngx_str_t             body;
    ngx_ors_error_t       err;
    ngx_ors_tool_t        tool;
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

    set(&tool, WEB, "nginx:web_search");
    node = ngx_ors_hosted_type_asked(&req, &tool);
    ok(node && ngx_ors_json_find(&req.json, node, "search_context_size"),
       "the first tool of a type");
    set(&tool, CODE, "nginx:code_interpreter");
    ok(ngx_ors_hosted_type_asked(&req, &tool) == NULL,
       "a type that is not in the request");
}


/* types of the operator's in a request, and errors that name them */

static void
test_valid(void)
{
    u_char             text[512];
    ngx_str_t          body;
    ngx_int_t          rc;
    ngx_uint_t         i, n;
    ngx_array_t        types;
    ngx_ors_error_t    err;
    ngx_ors_request_t  req;

    static ngx_ors_limits_t  limits = limits_default();

    static ngx_keyval_t  own[] = {
        { ngx_string("mine"), ngx_string("mine_call") },
        { ngx_string("acme:b"), ngx_string("acme:b_call") }
    };

#define CALL  "'id':'i','status':'completed','arguments':'{}'"

    static struct {
        const char  *fields;
        const char  *param;       /* of the error, NULL: none */
        const char  *says;
    } rows[] = {
        { "'tools':[{'type':'mine','documents':[{'url':'x'}]}]", NULL, NULL },
        { "'tools':[{'type':'m\\u0069ne'}]", NULL, NULL },
        { "'tools':[{'type':'acme:b'}]", NULL, NULL },
        { "'tools':[{'type':'acme:c'}]", NULL, NULL },
        { "'tools':[{'type':'mine','type':'mine'}]", "tools[0].type", "once" },
        { "'tool_choice':{'type':'mine'}", NULL, NULL },
        { "'tool_choice':{'type':'acme:b'}", NULL, NULL },
        { "'tool_choice':{'type':'acme:c'}", "tool_choice.type",
          "must be 'mine', 'acme:b', 'function'" },
        { "'tool_choice':{'type':'allowed_tools','tools':[{'type':'mine'}]}",
          NULL, NULL },
        { "'input':[{'type':'mine_call'," CALL "}]", NULL, NULL },
        { "'input':[{'type':'acme:b_call'," CALL "}]", NULL, NULL },
        { "'input':[{'type':'mine'," CALL "}]", "input[0].type",
          "must be 'mine_call', 'acme:b_call', 'message', " },
        { "'input':[{'type':'min_call'," CALL "}]", "input[0].type",
          "'mine_call'" }
    };

    ngx_memzero(&types, sizeof(ngx_array_t));
    types.elts = own;
    types.nelts = 2;

    ngx_ors_test_policy.types = &types;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        for (n = 0; n < 4; n++) {
            char  quoted[256], message[2048];

            ngx_ors_test_policy.profile = 1 << n;
            ngx_memzero(&err, sizeof(ngx_ors_error_t));

            snprintf(quoted, sizeof(quoted), "{'model':'m',%s}",
                     rows[i].fields);

            body.data = text;
            body.len = ngx_ors_test_quotes(text, quoted, strlen(quoted)) - text;

            rc = ngx_ors_test_request(&req, &body, &limits, pool, &err);

            if (rows[i].param == NULL) {
                is_int(rc, NGX_OK, "profile %d: %s", (int) n, rows[i].fields);
                continue;
            }

            is_int(rc, NGX_DECLINED, "profile %d: %s", (int) n,
                   rows[i].fields);
            is_str(&err.param, (char *) rows[i].param, "param");

            for (rc = 0; rc < (ngx_int_t) err.message.len; rc++) {
                message[rc] = (err.message.data[rc] == '"')
                              ? '\'' : err.message.data[rc];
            }

            message[rc] = '\0';

            ok(strstr(message, rows[i].says) != NULL, "%s", message);
        }
    }

    /* none of it elsewhere */

    ngx_ors_test_policy.types = NULL;
    ngx_ors_test_policy.profile = NGX_ORS_STRICT_OPENAI;

    body.data = text;
    body.len = ngx_ors_test_quotes(text, "{'model':'m','tools':"
                                         "[{'type':'mine'}]}",
                                   sizeof("{'model':'m','tools':"
                                          "[{'type':'mine'}]}") - 1)
               - text;

    is_int(ngx_ors_test_request(&req, &body, &limits, pool, &err),
           NGX_DECLINED, "a type of another location");
}
