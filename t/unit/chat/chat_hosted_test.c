
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Definitions of hosted tools: the function that a chat server gets, and what
 * an operator reads of a definition that is wrong.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_chat_tools.h>
#include <ngx_ors_item.h>
#include <ngx_ors_json.h>


/* ' stands for " in all texts */

typedef struct {
    const char  *text;
    const char  *function;      /* the chat server's function, or */
    const char  *parameters;
    const char  *error;         /* a part of the message */
} row_t;


static void test_rows(void);
static void test_types(void);
static void test_memory(void);
static ngx_int_t define(ngx_ors_tool_t *tool, const char *text,
    ngx_ors_error_t *err);
static void is_text(ngx_str_t *got, const char *expected, const char *what,
    const char *row);


#define SCHEMA  "{'type':'object','properties':{'q':{'type':'string'}}}"
#define FUNCTION(description, parameters)                                     \
    "{'type':'function','function':{'name':'get_x','description':'"           \
    description "','parameters':" parameters "}}"


static row_t  rows[] = {

    { "{'description':'d','parameters':" SCHEMA "}", FUNCTION("d", SCHEMA),
      SCHEMA, NULL },
    { "{'type':'function','name':'get_x','description':'d','parameters':"
      SCHEMA "}", FUNCTION("d", SCHEMA), SCHEMA, NULL },
    { " { 'parameters' : { 'type' : 'object' } , 'description' : '' } ",
      FUNCTION("", "{ 'type' : 'object' }"), "{ 'type' : 'object' }", NULL },
    { "{'name':'get\\u005fx','description':'a\\n\\'','parameters':" SCHEMA "}",
      FUNCTION("a\\n\\'", SCHEMA), SCHEMA, NULL },
    { "{'description':'d','parameters':{'type':'\\u006fbject'}}",
      FUNCTION("d", "{'type':'\\u006fbject'}"), "{'type':'\\u006fbject'}",
      NULL },

    { "", NULL, NULL, "is empty" },
    { "{'description':'d',", NULL, NULL, "at byte 19" },
    { "[]", NULL, NULL, "not a JSON object" },
    { "'text'", NULL, NULL, "not a JSON object" },
    { "{}", NULL, NULL, "'description', a string" },
    { "{'description':7,'parameters':" SCHEMA "}", NULL, NULL,
      "'description', a string" },
    { "{'description':null,'parameters':" SCHEMA "}", NULL, NULL,
      "'description', a string" },
    { "{'description':'d'}", NULL, NULL, "must have 'parameters'" },
    { "{'description':'d','parameters':[]}", NULL, NULL,
      "must have 'parameters'" },
    { "{'description':'d','parameters':{}}", NULL, NULL,
      "must have 'parameters'" },
    { "{'description':'d','parameters':{'type':'string'}}", NULL, NULL,
      "must have 'parameters'" },
    { "{'description':'d','parameters':{'type':['object']}}", NULL, NULL,
      "must have 'parameters'" },
    { "{'type':'custom','description':'d','parameters':" SCHEMA "}", NULL,
      NULL, "must be 'function'" },
    { "{'name':'get_y','description':'d','parameters':" SCHEMA "}", NULL, NULL,
      "is 'get_y' and not 'get_x'" },
    { "{'description':'d','parameter':" SCHEMA "}", NULL, NULL,
      "its member 'parameter' must be" },
    { "{'description':'d','strict':true,'parameters':" SCHEMA "}", NULL, NULL,
      "its member 'strict' must be" }
};


static ngx_pool_t  *pool;


int
main(void)
{
    pool = ngx_ors_test_pool();

    test_rows();
    test_types();
    test_memory();

    ngx_destroy_pool(pool);

    return done_testing();
}


static void
test_rows(void)
{
    char             *text;
    u_char            part[256];
    ngx_int_t         rc;
    ngx_uint_t        i;
    ngx_ors_tool_t    tool;
    ngx_ors_error_t   err;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        text = (char *) rows[i].text;

        rc = define(&tool, text, &err);

        if (rows[i].error) {
            is_int(rc, NGX_DECLINED, "%s: refused", text);

            *ngx_ors_test_quotes(part, rows[i].error,
                                 ngx_strlen(rows[i].error))
                = '\0';

            ok(ngx_strnstr(err.message.data, (char *) part, err.message.len),
               "%s: %.*s", text, (int) err.message.len, err.message.data);
            is_int(tool.function.len, 0, "%s: no function", text);
            continue;
        }

        is_int(rc, NGX_OK, "%s: accepted", text);
        is_text(&tool.function, rows[i].function, "the function", text);
        is_text(&tool.parameters, rows[i].parameters, "its schema", text);
    }
}


/* a hosted type that has no definition of its own has one that is right */

static void
test_types(void)
{
    ngx_uint_t              i;
    ngx_ors_tool_t          tool;
    ngx_ors_json_t          json;
    ngx_ors_error_t         err;
    ngx_ors_hosted_type_e   type;

    static ngx_str_t  names[] = {
        ngx_string("web_search"),
        ngx_string("file_search"),
        ngx_string("code_interpreter")
    };

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        ngx_memzero(&tool, sizeof(ngx_ors_tool_t));

        type = ngx_ors_hosted_type(&names[i]);
        tool.name = names[i];

        is_int(ngx_ors_chat_hosted_define(&tool,
                                          ngx_ors_hosted_type_definition(type),
                                          pool, &err),
               NGX_OK, "%s: has a definition", names[i].data);

        ngx_ors_json_init(&json, pool, NGX_ORS_JSON_MAX_DEPTH, 1000);
        is_int(ngx_ors_json_read(&json, tool.function.data, tool.function.len),
               NGX_OK, "%s: the function is JSON", names[i].data);
    }
}


static void
test_memory(void)
{
    ngx_int_t         rc;
    ngx_uint_t        n;
    ngx_ors_tool_t    tool;
    ngx_ors_error_t   err;

    for (n = 1; n < 100; n++) {
        ngx_ors_test_fail_after(n);

        rc = define(&tool, "{'description':'d','parameters':" SCHEMA "}", &err);

        if (!ngx_ors_test_failed()) {
            break;
        }

        is_int(rc, NGX_ERROR, "no memory, allocation %d", (int) n);
    }

    ngx_ors_test_fail_after(0);

    is_int(rc, NGX_OK, "with memory it is defined");
    ok(n > 2, "nodes and the function are allocated");
}


static ngx_int_t
define(ngx_ors_tool_t *tool, const char *text, ngx_ors_error_t *err)
{
    ngx_str_t  definition;

    static u_char  buf[512];

    ngx_memzero(tool, sizeof(ngx_ors_tool_t));
    ngx_memzero(err, sizeof(ngx_ors_error_t));

    ngx_str_set(&tool->name, "get_x");

    definition.data = buf;
    definition.len = ngx_ors_test_quotes(buf, text, ngx_strlen(text)) - buf;

    return ngx_ors_chat_hosted_define(tool, &definition, pool, err);
}


static void
is_text(ngx_str_t *got, const char *expected, const char *what,
    const char *row)
{
    u_char  buf[512], *last;

    last = ngx_ors_test_quotes(buf, expected, ngx_strlen(expected));

    is_mem(got->data, got->len, buf, last - buf, "%s: %s", row, what);
}
