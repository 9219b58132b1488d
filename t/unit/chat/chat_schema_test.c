
/*
 * Copyright (C) Open Responses contributors
 */


/* Schemas made strict (E29). */


#include <ngx_ors_test.h>
#include <ngx_ors_chat_request.h>


#define SIZE  (1024 * 1024)

#define OBJECT(properties, required)                                          \
    "{'type':'object','properties':{" properties "},'required':[" required    \
    "],'additionalProperties':false}"

/* an object that says nothing but its properties, and what it becomes */

#define OPEN(properties)  "{'type':'object','properties':{" properties "}}"
#define CLOSED(properties, required)                                          \
    "{'type':'object','properties':{" properties                              \
    "},'additionalProperties':false,'required':[" required "]}"

/* one property of an object, which does not require it or does */

#define MAYBE(schema)  OPEN("'a':" schema)
#define GIVEN(schema)  CLOSED("'a':" schema, "'a'")

#define NULLABLE(schema)  "{'anyOf':[" schema ",{'type':'null'}]}"
#define STRING  "{'type':'string'}"


/* ' is for "; without "strict" it cannot be made so */

typedef struct {
    char  *schema;
    char  *strict;
} row_t;


static void test_row(const char *schema, const char *strict);
static void test_depth(ngx_uint_t depth, ngx_uint_t fits);
static void test_order(void);
static void test_steps(void);
static void test_memory(void);
static ngx_int_t test_make(const char *schema, ngx_pool_t *pool);
static void test_quotes(u_char *p, u_char from, u_char to);


static u_char  text[SIZE], result[SIZE];


static row_t  rows[] = {

    /* objects */

    { "{'type':'object'}", "{'type':'object','properties':{},"
      "'additionalProperties':false,'required':[]}" },
    { OPEN(""), CLOSED("", "") },
    { "{ 'properties' : {} }", "{ 'properties' : {} ,'type':'object',"
      "'additionalProperties':false,'required':[]}" },
    { OBJECT("", ""), OBJECT("", "") },
    { OBJECT("'a':" STRING, "'a'"), OBJECT("'a':" STRING, "'a'") },
    { OBJECT("'a':" STRING ",'b':" STRING, "'b','a'"),
      OBJECT("'a':" STRING ",'b':" STRING, "'b','a'") },
    { OBJECT("'a':" STRING ",'b':" STRING, "'b'"),
      OBJECT("'a':{'type':['string','null']},'b':" STRING, "'a','b'") },
    { OBJECT("'a':" STRING, "'a','z'"), OBJECT("'a':" STRING, "'a'") },
    { OBJECT("'a':" STRING, "'a',1"), OBJECT("'a':" STRING, "'a'") },
    { "{'required':['a'],'additionalProperties':true,'type':'object',"
      "'title':'t','properties':{'a':" STRING "}}",
      "{'required':['a'],'additionalProperties':false,'type':'object',"
      "'title':'t','properties':{'a':" STRING "}}" },
    { OBJECT("'\\u0061':" STRING ",'b':" STRING, "'a','\\u0062'"),
      OBJECT("'\\u0061':" STRING ",'b':" STRING, "'a','\\u0062'") },
    { OPEN("'\\u0061':" STRING), CLOSED("'\\u0061':{'type':['string',"
                                        "'null']}", "'\\u0061'") },
    { OPEN("'required':" STRING ",'default':" STRING),
      CLOSED("'required':{'type':['string','null']},'default':{'type':["
             "'string','null']}", "'required','default'") },

    /* optional members */

    { MAYBE(STRING), GIVEN("{'type':['string','null']}") },
    { MAYBE("{'type':['string','integer']}"),
      GIVEN("{'type':['string','integer','null']}") },
    { MAYBE("{'type':['string','null']}"),
      GIVEN("{'type':['string','null']}") },
    { MAYBE("{'type':'null'}"), GIVEN("{'type':'null'}") },
    { MAYBE("{}"), GIVEN("{}") },
    { MAYBE("{'enum':['x',1]}"), GIVEN("{'enum':['x',1,null]}") },
    { MAYBE("{'enum':[null]}"), GIVEN("{'enum':[null]}") },
    { MAYBE("{'type':'string','enum':['x'],'description':'\\u00e9 d'}"),
      GIVEN("{'type':['string','null'],'enum':['x',null],"
            "'description':'\\u00e9 d'}") },
    { MAYBE("{'type':'string','const':'x'}"),
      GIVEN(NULLABLE("{'type':'string','const':'x'}")) },
    { MAYBE("{'$ref':'#/$defs/x','description':'d'}"),
      GIVEN(NULLABLE("{'$ref':'#/$defs/x','description':'d'}")) },
    { MAYBE("{'anyOf':[" STRING ",{'type':'integer'}]}"),
      GIVEN(NULLABLE("{'anyOf':[" STRING ",{'type':'integer'}]}")) },
    { MAYBE("{'anyOf':[" STRING ",{'type':'null'}]}"),
      GIVEN("{'anyOf':[" STRING ",{'type':'null'}]}") },
    { MAYBE("{'oneOf':[" STRING ",{'type':['null']}]}"),
      GIVEN("{'anyOf':[" STRING ",{'type':['null']}]}") },
    { MAYBE("{'allOf':[" STRING "]}"),
      GIVEN(NULLABLE("{'anyOf':[" STRING "]}")) },
    { MAYBE(OPEN("'b':" STRING)),
      GIVEN("{'type':['object','null'],'properties':{'b':{'type':['string',"
            "'null']}},'additionalProperties':false,'required':['b']}") },
    { MAYBE("{'properties':{'b':" STRING "},'required':['b']}"),
      GIVEN("{'properties':{'b':" STRING "},'required':['b'],'type':["
            "'object','null'],'additionalProperties':false}") },
    { MAYBE("{'properties':{'b':" STRING "},'required':['b'],'$ref':'#'}"),
      GIVEN(NULLABLE("{'properties':{'b':" STRING "},'required':['b'],"
                     "'$ref':'#','type':'object',"
                     "'additionalProperties':false}")) },

    /* schemas in schemas */

    { MAYBE("{'type':'array','items':" MAYBE(STRING) ",'minItems':1}"),
      GIVEN("{'type':['array','null'],'items':"
            GIVEN("{'type':['string','null']}") ",'minItems':1}") },
    { MAYBE("{'type':'array','prefixItems':[" MAYBE("{}") "," STRING "],"
            "'items':false}"),
      GIVEN("{'type':['array','null'],'prefixItems':[" GIVEN("{}") "," STRING
            "],'items':false}") },
    { MAYBE("{'items':[" STRING "," MAYBE("{}") "]}"),
      GIVEN("{'items':[" STRING "," GIVEN("{}") "]}") },
    { "{'$defs':{'x':" MAYBE("{}") "},'definitions':{'y':" MAYBE("{}")
      "},'type':'object','properties':{},'additionalProperties':false,"
      "'required':[]}",
      "{'$defs':{'x':" GIVEN("{}") "},'definitions':{'y':" GIVEN("{}")
      "},'type':'object','properties':{},'additionalProperties':false,"
      "'required':[]}" },
    { MAYBE("{'oneOf':[" MAYBE("{}") "," MAYBE("{'type':'integer'}") "]}"),
      GIVEN(NULLABLE("{'anyOf':[" GIVEN("{}") ","
                     GIVEN("{'type':['integer','null']}") "]}")) },

    /* keywords that are left out, and values that keep their bytes */

    { MAYBE("{'default':1}"), GIVEN("{}") },
    { MAYBE("{'default':null,'type':'null'}"), GIVEN("{'type':'null'}") },
    { MAYBE("{ 'type' : 'null' , 'default' : {'a':[]} }"),
      GIVEN("{ 'type' : 'null' }") },
    { MAYBE("{'title':'t','default':1,'type':'null'}"),
      GIVEN("{'title':'t','type':'null'}") },
    { "{'default':{},'type':'object'}", "{'type':'object','properties':{},"
      "'additionalProperties':false,'required':[]}" },
    { MAYBE("{ 'type' :\t'number', 'minimum': 1e400, 'x': 0.70,"
            "'const' : '\\ud83d' }"),
      GIVEN(NULLABLE("{ 'type' :\t'number', 'minimum': 1e400, 'x': 0.70,"
                     "'const' : '\\ud83d' }")) },

    /* schemas that strict ones cannot express */

    { "{}", NULL },
    { STRING, NULL },
    { "{'type':['object','null']}", NULL },
    { "{'anyOf':[" MAYBE("{}") "]}", NULL },
    { "{'type':'object','oneOf':[]}", NULL },
    { "{'type':'object','additionalProperties':true}", NULL },
    { "{'type':'object','additionalProperties':{}}", NULL },
    { "{'type':'object','additionalProperties':" STRING ",'properties':{"
      "'a':" STRING "}}", NULL },
    { "{'type':'object','additionalProperties':null}", NULL },
    { "{'type':'object','type':'object'}", NULL },
    { "{'type':'object','patternProperties':{}}", NULL },
    { "{'type':'object','properties':[]}", NULL },
    { "{'type':'object','properties':{},'required':{}}", NULL },
    { MAYBE("true"), NULL },
    { MAYBE("{'type':'object'}"), NULL },
    { MAYBE("{'type':['object','null'],'properties':{}}"), NULL },
    { MAYBE("{'items':true}"), NULL },
    { MAYBE("{'items':{'type':'object'}}"), NULL },
    { MAYBE("{'prefixItems':{}}"), NULL },
    { MAYBE("{'$defs':[]}"), NULL },
    { MAYBE("{'$defs':{'a':1}}"), NULL },
    { MAYBE("{'anyOf':{}}"), NULL },
    { MAYBE("{'anyOf':[],'oneOf':[]}"), NULL },
    { MAYBE("{'allOf':[{},{}]}"), NULL },
    { MAYBE("{'not':{}}"), NULL },
    { MAYBE("{'if':{}}"), NULL },
    { MAYBE("{'dependentRequired':{}}"), NULL },
    { MAYBE("{'unevaluatedProperties':false}"), NULL },
    { MAYBE("{'type':1}"), NULL },
    { MAYBE("{'type':[]}"), NULL },
    { MAYBE("{'enum':[]}"), NULL },
    { MAYBE("{'enum':1}"), NULL }
};


int
main(void)
{
    ngx_uint_t  i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        test_row(rows[i].schema, rows[i].strict);

        if (rows[i].strict) {
            test_row(rows[i].strict, rows[i].strict);
        }
    }

    test_depth(63, 1);
    test_depth(64, 0);
    test_order();
    test_steps();
    test_memory();

    return done_testing();
}


static void
test_row(const char *schema, const char *strict)
{
    ngx_int_t    rc;
    ngx_pool_t  *pool;

    pool = ngx_ors_test_pool();
    rc = test_make(schema, pool);

    is_int(rc, strict ? NGX_OK : NGX_DECLINED, "%s", schema);
    is_mem(result, ngx_strlen(result), strict ? strict : "",
           strict ? ngx_strlen(strict) : 0, "what it is when it is strict");

    ngx_destroy_pool(pool);
}


/* an array in an array, and so on */

static void
test_depth(ngx_uint_t depth, ngx_uint_t fits)
{
    char        *p, schema[8192];
    ngx_uint_t   i;
    ngx_pool_t  *pool;

    p = schema + sprintf(schema, "{'type':'object','properties':{'a':");

    for (i = 2; i < depth; i++) {
        p += sprintf(p, "{'items':");
    }

    p += sprintf(p, "{}");

    for (i = 2; i < depth; i++) {
        *p++ = '}';
    }

    sprintf(p, "}}");

    pool = ngx_ors_test_pool();

    is_int(test_make(schema, pool), NGX_OK, "%d levels", (int) depth);

    ngx_destroy_pool(pool);

    /* two more, as the innermost one */

    p = schema + sprintf(schema, "{'type':'object','properties':{'a':");

    for (i = 0; i < depth; i++) {
        p += sprintf(p, "{'items':");
    }

    p += sprintf(p, "false");

    for (i = 0; i < depth; i++) {
        *p++ = '}';
    }

    sprintf(p, "}}");

    pool = ngx_ors_test_pool();

    is_int(test_make(schema, pool), fits ? NGX_OK : NGX_DECLINED,
           "%d levels below the first", (int) depth);

    ngx_destroy_pool(pool);
}


/* names in another order are found in a set */

static void
test_order(void)
{
    char        *p, *schema;
    ngx_int_t    i;
    ngx_pool_t  *pool;

    schema = malloc(SIZE);

    p = schema + sprintf(schema, "{'type':'object','additionalProperties':"
                                 "false,'properties':{");

    for (i = 0; i < 200; i++) {
        p += sprintf(p, "%s'p%d':{'type':'null'}", i ? "," : "", (int) i);
    }

    p += sprintf(p, "},'required':[");

    for (i = 199; i >= 0; i--) {
        p += sprintf(p, "'p%d'%s", (int) i, i ? "," : "");
    }

    sprintf(p, "]}");

    pool = ngx_ors_test_pool();

    is_int(test_make(schema, pool), NGX_OK, "names in another order");
    is_mem(result, ngx_strlen(result), schema, ngx_strlen(schema),
           "names in another order: all are found");

    ngx_destroy_pool(pool);
    free(schema);
}


static void
test_steps(void)
{
    char        *p, *schema;
    ngx_int_t    i;
    ngx_pool_t  *pool;

    schema = malloc(SIZE);

    p = schema + sprintf(schema, "{'type':'object','properties':{");

    for (i = 0; i < 2000; i++) {
        p += sprintf(p, "%s'p%d':{}", i ? "," : "", (int) i);
    }

    p += sprintf(p, "},'required':[");

    for (i = 1999; i >= 0; i--) {
        p += sprintf(p, "'p%d'%s", (int) i, i ? "," : "");
    }

    sprintf(p, "]}");

    pool = ngx_ors_test_pool();

    is_int(test_make(schema, pool), NGX_OK, "very many names");

    ngx_destroy_pool(pool);
    free(schema);
}


static void
test_memory(void)
{
    ngx_int_t    rc;
    ngx_uint_t   n, i;
    ngx_pool_t  *pool;

    static const char  schema[] =
        OPEN("'a':" STRING ",'b':{'const':1},'c':{'enum':[1]},'d':{'default':"
             "1},'e':" MAYBE(STRING) ",'f':{'oneOf':[" STRING "]},"
             "'g':{'properties':{'x':{}},'required':[],"
             "'additionalProperties':true}");

    for (n = 1, i = 0; /* void */ ; n++) {
        pool = ngx_ors_test_pool();

        ngx_ors_test_fail_after(n);
        rc = test_make(schema, pool);

        if (!ngx_ors_test_failed()) {
            break;
        }

        ngx_ors_test_fail_after(0);
        i += (rc == NGX_ERROR);

        ngx_destroy_pool(pool);
    }

    ngx_ors_test_fail_after(0);

    is_int(rc, NGX_OK, "enough memory");
    is_int(i, n - 1, "each allocation that fails is noticed");
    ok(n > 5, "allocations were tried");

    ngx_destroy_pool(pool);
}


/* leaves what was appended in "result", with ' for " */

static ngx_int_t
test_make(const char *schema, ngx_pool_t *pool)
{
    u_char                 *last;
    ngx_int_t               rc;
    ngx_chain_t            *cl;
    ngx_ors_out_t           out;
    ngx_ors_json_t          json;
    ngx_ors_chat_schema_t   cs;

    ngx_memcpy(text, schema, ngx_strlen(schema) + 1);
    ngx_ors_test_quotes(text, text, ngx_strlen(text));

    result[0] = '\0';

    ngx_ors_json_init(&json, pool, 1024, SIZE);

    rc = ngx_ors_json_read(&json, text, ngx_strlen(text));

    if (rc != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_ors_out_init(&out, pool, 512);
    ngx_ors_chat_schema_init(&cs, &json, pool);

    rc = ngx_ors_chat_schema(&cs, json.nodes, &out);

    if (ngx_ors_out_take(&out, &cl) != NGX_OK) {
        return NGX_ERROR;
    }

    last = result;

    for ( /* void */ ; cl; cl = cl->next) {
        last = ngx_cpymem(last, cl->buf->pos, cl->buf->last - cl->buf->pos);
    }

    *last = '\0';

    if (last != result && rc == NGX_OK) {
        ngx_ors_json_init(&json, pool, 1024, SIZE);

        if (ngx_ors_json_read(&json, result, last - result) != NGX_OK) {
            rc = NGX_ERROR;
        }
    }

    test_quotes(result, '"', '\'');

    return rc;
}


static void
test_quotes(u_char *p, u_char from, u_char to)
{
    for ( /* void */ ; *p; p++) {
        if (*p == from) {
            *p = to;
        }
    }
}
