
/*
 * Copyright (C) Open Responses contributors
 */


/* Verdicts, paths and sentences of the schemas that functions have. */


#include <ngx_ors_test.h>
#include <ngx_ors_jsonschema.h>


#define SHARED  "{'$defs':{'n':{'type':'integer','minimum':1}},"

#define TREE                                                                  \
    "{'type':'object','required':['v'],'properties':{'v':{'type':'number'},"  \
    "'kids':{'type':'array','items':{'$ref':'#'}}},"                          \
    "'additionalProperties':false}"

#define WEATHER                                                               \
    "{'type':'object','properties':{'city':{'type':'string','minLength':1},"  \
    "'unit':{'enum':['c','f']},'days':{'type':'integer','maximum':7}},"       \
    "'required':['city'],'additionalProperties':false}"

#define SHAPES                                                                \
    "{'anyOf':[{'type':'object','properties':{'kind':{'const':'a'},"          \
    "'size':{'type':'integer'}},'required':['kind']},{'type':'null'}]}"


/* quotes are single here; "path" is NULL where the instance is valid */

typedef struct {
    char  *schema;
    char  *text;
    char  *path;
    char  *sentence;
} check_t;


static void test_checks(void);
static void test_schemas(void);
static void test_busy(void);
static ngx_str_t quoted(char *text, u_char *buf);


static check_t  checks[] = {

    { WEATHER, "{'city':'Riga','unit':'c','days':7}", NULL, NULL },
    { WEATHER, "{'city':'Riga','days':7.0}", NULL, NULL },
    { WEATHER, "{'unit':'c'}", "",
      "The value must have the member 'city'" },
    { WEATHER, "{'city':'Riga','unit':'k'}", "unit",
      "'unit' must be one of 'c', 'f'" },
    { WEATHER, "{'city':5}", "city",
      "'city' must be a string, found an integer" },
    { WEATHER, "{'city':''}", "city",
      "'city' must have at least 1 characters, it has 0" },
    { WEATHER, "{'city':'Riga','days':8}", "days",
      "'days' must be at most 7" },
    { WEATHER, "{'city':'Riga','town':1}", "town",
      "'town' is not a member that its schema allows" },
    { WEATHER, "['Riga']", "",
      "The value must be an object, found an array" },
    { WEATHER, "{'city':'Riga'", "",
      "The JSON is not JSON, near line 1 column 14" },

    { TREE, "{'v':1,'kids':[{'v':2},{'v':3,'kids':[]}]}", NULL, NULL },
    { TREE, "{'v':1,'kids':[{'v':2},{'v':3,'kids':[{'v':'x'}]}]}",
      "kids[1].kids[0].v",
      "'kids[1].kids[0].v' must be a number, found a string" },

    { SHARED "'prefixItems':[{'$ref':'#/$defs/n'}],'items':false}", "[1]",
      NULL, NULL },
    { SHARED "'prefixItems':[{'$ref':'#/$defs/n'}],'items':false}", "[0]",
      "[0]", "'[0]' must be at least 1" },
    { SHARED "'prefixItems':[{'$ref':'#/$defs/n'}],'items':false}", "[1,2]",
      "[1]", "'[1]' is not allowed" },

    /* the alternative that came farthest says what is missing */

    { SHAPES, "{'kind':'a','size':1}", NULL, NULL },
    { SHAPES, "{'kind':'a','size':'1'}", "size",
      "'size' must be an integer, found a string" },
    { SHAPES, "5", "",
      "The value must match one of the 2 alternatives that its schema lists "
      "in 'anyOf'" },
    { "{'oneOf':[{'minimum':1},{'minimum':2}]}", "3", "",
      "The value must match only one of the alternatives that its schema "
      "lists in 'oneOf', it matches two" },
    { "{'not':{'type':'null'}}", "null", "",
      "The value must not match what its schema has in 'not'" },
    { "{'type':['string','null']}", "1", "",
      "The value must be a string or null, found an integer" },
    { "{'type':['integer','number']}", "true", "",
      "The value must be a number, found a boolean" },

    { "{'propertyNames':{'pattern':'^[a-z]+$'}}", "{'a b':1}", "['a b']",
      "The name of '['a b']' must match the pattern '^[a-z]+$'" },
    { "{'patternProperties':{'^x-':{'type':'string'}},"
      "'additionalProperties':false}", "{'x-a':''}", NULL, NULL },
    { "{'patternProperties':{'^x-':{'type':'string'}},"
      "'additionalProperties':false}", "{'y-a':''}", "y-a",
      "'y-a' is not a member that its schema allows" },
    { "{'dependentRequired':{'a':['b']}}", "{'a':1}", "",
      "The value must have the member 'b', because it has 'a'" },
    { "{'uniqueItems':true}", "[1,{'a':1,'b':[]},{'b':[],'a':1.0}]", "",
      "The value must not have equal items, [1] and [2] are equal" },
    { "{'contains':{'const':1},'maxContains':1}", "[1,2,1.0]", "",
      "The value must have at most 1 items that match 'contains', it has 2" },
    { "{'allOf':[{'properties':{'a':true}}],'unevaluatedProperties':false}",
      "{'a':1,'b':2}", "b",
      "'b' is not something that its schema allows" },
    { "{'anyOf':[{'properties':{'a':{'const':2}}},{'properties':{'b':true}}],"
      "'unevaluatedProperties':false}", "{'a':1,'b':2}", "a",
      "'a' is not something that its schema allows" },
    { "{'if':{'properties':{'k':{'const':1}}},'then':{'required':['x']}}",
      "{'k':1}", "", "The value must have the member 'x'" },

    /* numbers are compared as they are written */

    { "{'multipleOf':0.01}", "0.07", NULL, NULL },
    { "{'multipleOf':0.01}", "1e300", NULL, NULL },
    { "{'multipleOf':0.000000000000000000001}", "1.3e308", NULL, NULL },
    { "{'multipleOf':9223372036854775807}", "9223372036854775807", NULL,
      NULL },
    { "{'multipleOf':8000000000000000000}", "1e19", "",
      "The value must be a multiple of 8000000000000000000" },
    { "{'multipleOf':4000000000000000000}", "1e20", NULL, NULL },
    { "{'multipleOf':12500}", "-5e3", "",
      "The value must be a multiple of 12500" },
    { "{'multipleOf':0.000000000000000000007}", "1.3e308", "",
      "The value must be a multiple of 7e-21" },
    { "{'multipleOf':0.01}", "0.075", "",
      "The value must be a multiple of 0.01" },
    { "{'multipleOf':3}", "9223372036854775807", "",
      "The value must be a multiple of 3" },
    { "{'maximum':9007199254740992}", "9007199254740993", "",
      "The value must be at most 9007199254740992" },
    { "{'maximum':9007199254740992.0}", "9007199254740993", "",
      "The value must be at most 9.00719925474099e15" },
    { "{'exclusiveMinimum':9223372036854775807}", "9223372036854775808.0",
      NULL, NULL },
    { "{'minimum':-0.5}", "-1", "", "The value must be at least -0.5" },
    { "{'const':1}", "1.0", NULL, NULL },
    { "{'const':[{'a':0}]}", "[{'a':-0.0}]", NULL, NULL },
    { "{'type':'integer'}", "1e2", NULL, NULL },
    { "{'type':'integer'}", "1.5", "",
      "The value must be an integer, found a number" },
    { "{'const':false}", "0", "", "The value must be false" },

    /* characters are code points, patterns know all of them */

    { "{'maxLength':2}", "'\\ud83d\\ude00\\u00e4'", NULL, NULL },
    { "{'pattern':'^.$'}", "'\\ud83d\\ude00'", NULL, NULL },
    { "{'pattern':'^\\\\u00e4\\\\d$'}", "'\\u00e45'", NULL, NULL },
    { "{'pattern':'^(?:a|(?<n>b))(?=c)(?!d)(?<=[ab])(?<!x)c\\\\k<n>$'}",
      "'bcb'", NULL, NULL },
    { "{'pattern':'^[(?i)(*A]+\\\\(?i$'}", "'(?*A(i'", NULL, NULL },
    { "{'pattern':'^\\\\cJ[\\\\cI\\\\]\\\\p{L}]{2}\\\\/$'}", "'\\n\\t]/'",
      NULL, NULL },
    { "{'pattern':'^a$'}", "'a\\n'", "",
      "The value must match the pattern '^a$'" },
    { "{'maxLength':1}", "'a\\u0000'", "",
      "The value must have at most 1 characters, it has 2" },

    /* keywords that are not understood are not asked for */

    { "{'format':'email','x-of-ours':1}", "'x'", NULL, NULL },
    { "true", "1", NULL, NULL },
    { "false", "1", "", "The value is not allowed" },

    { NULL, NULL, NULL, NULL }
};


/* schemas that cannot be used, and the keyword that says so */

static char  *schemas[][2] = {
    { "5", "schema" },
    { "{'type':'text'}", "type" },
    { "{'type':[1]}", "type" },
    { "{'enum':1}", "enum" },
    { "{'minimum':'1'}", "minimum" },
    { "{'exclusiveMinimum':true}", "exclusiveMinimum" },
    { "{'multipleOf':0}", "multipleOf" },
    { "{'minLength':-1}", "minLength" },
    { "{'minLength':1.5}", "minLength" },
    { "{'uniqueItems':1}", "uniqueItems" },
    { "{'required':[1]}", "required" },
    { "{'required':true}", "required" },
    { "{'pattern':1}", "pattern" },
    { "{'pattern':'('}", "pattern" },
    { "{'pattern':'(*LIMIT_MATCH=9999999)a'}", "pattern" },
    { "{'pattern':'(?i)a'}", "pattern" },
    { "{'pattern':'(?i:a)'}", "pattern" },
    { "{'pattern':'(?>a)'}", "pattern" },
    { "{'pattern':'(?|a)'}", "pattern" },
    { "{'pattern':'(?#a)'}", "pattern" },
    { "{'pattern':'(?R)?a'}", "pattern" },
    { "{'pattern':'(a)(?1)'}", "pattern" },
    { "{'pattern':'(?P<n>a)'}", "pattern" },
    { "{'pattern':'(?<n>a)(?(n)b)'}", "pattern" },
    { "{'pattern':'[a](?i)b'}", "pattern" },
    { "{'pattern':'\\\\Q[\\\\E(?i)b'}", "pattern" },
    { "{'pattern':'\\\\c[(?i)b]'}", "pattern" },
    { "{'pattern':'(a)\\\\g1'}", "pattern" },
    { "{'pattern':'\\\\Aa'}", "pattern" },
    { "{'pattern':'a\\\\'}", "pattern" },
    { "{'patternProperties':{'[':{}}}", "pattern" },
    { "{'properties':{'a':1}}", "schema" },
    { "{'properties':[]}", "properties" },
    { "{'items':[{}]}", "items" },
    { "{'anyOf':{}}", "anyOf" },
    { "{'contains':{},'minContains':'1'}", "minContains" },
    { "{'$ref':1}", "$ref" },
    { "{'$ref':'#/$defs/none'}", "$ref" },
    { "{'$ref':'#none'}", "$ref" },
    { "{'$ref':'https://example.com/a'}", "$ref" },
    { "{'$ref':'#/required','required':['a']}", "schema" },
    { "{'$id':'#a'}", "$id" },
    { "{'$schema':'https://example.com/schema'}", "$schema" },
    { "{'a':1,'a':2}", "" },
    { "{", "json" },
    { "", "json" },
    { NULL, NULL }
};


/* JSON about which there is no verdict */

static char  *busy[] = {
    "12345678901234567890",
    "1e400",
    "1e-400",
    "[{'a':1,'a':1}]",
    "{'\\u0000':1}",
    "'\\ud800'",
    "'\xff'",
    NULL
};


int
main(void)
{
    test_checks();
    test_schemas();
    test_busy();

    return done_testing();
}


static void
test_checks(void)
{
    u_char                        buf[2048], path[256], sentence[512];
    check_t                      *c;
    ngx_str_t                     text;
    ngx_int_t                     rc;
    ngx_pool_t                   *pool;
    ngx_ors_jsonschema_t         *schema;
    ngx_ors_jsonschema_report_t   report;
    ngx_ors_jsonschema_limits_t   limits;

    ngx_ors_jsonschema_limits_default(&limits);

    for (c = checks; c->schema; c++) {
        pool = ngx_ors_test_pool();
        text = quoted(c->schema, buf);

        rc = ngx_ors_jsonschema_compile(&schema, pool, &text, &limits,
                                        &limits.steps, &report);
        is_int(rc, NGX_OK, "%s", c->schema);

        if (rc != NGX_OK) {
            ngx_destroy_pool(pool);
            continue;
        }

        text = quoted(c->text, buf);
        rc = ngx_ors_jsonschema_check(schema, &text, &limits.steps, &report);

        is_int(rc, c->path ? NGX_DECLINED : NGX_OK, "%s", c->text);

        if (rc == NGX_DECLINED && c->path) {
            (void) quoted(c->path, path);
            (void) quoted(c->sentence, sentence);

            /* a path has quotes of its own */

            if (c->path[0] != '[' || c->path[1] != '\'') {
                is_str(&report.path, (char *) path, "its path");
                is_str(&report.text, (char *) sentence, "its sentence");

            } else {
                is_str(&report.path, c->path, "its path");
            }
        }

        ngx_destroy_pool(pool);
    }
}


static void
test_schemas(void)
{
    u_char                        buf[512];
    ngx_str_t                     text;
    ngx_uint_t                    i;
    ngx_pool_t                   *pool;
    ngx_ors_jsonschema_t         *schema;
    ngx_ors_jsonschema_report_t   report;
    ngx_ors_jsonschema_limits_t   limits;

    ngx_ors_jsonschema_limits_default(&limits);

    for (i = 0; schemas[i][0]; i++) {
        pool = ngx_ors_test_pool();
        text = quoted(schemas[i][0], buf);

        is_int(ngx_ors_jsonschema_compile(&schema, pool, &text, &limits,
                                          &limits.steps, &report),
               NGX_DECLINED, "refused: %s", schemas[i][0]);

        ok(strcmp(report.keyword, schemas[i][1]) == 0, "because of \"%s\"",
           report.keyword);
        ok(report.text.len > 10, "%.*s", (int) report.text.len,
           (char *) report.text.data);

        ngx_destroy_pool(pool);
    }
}


static void
test_busy(void)
{
    u_char                        buf[64];
    ngx_str_t                     text;
    ngx_uint_t                    i;
    ngx_pool_t                   *pool;
    ngx_ors_jsonschema_t         *schema;
    ngx_ors_jsonschema_report_t   report;
    ngx_ors_jsonschema_limits_t   limits;

    pool = ngx_ors_test_pool();
    text = quoted("{'type':'object'}", buf);

    ngx_ors_jsonschema_limits_default(&limits);

    is_int(ngx_ors_jsonschema_compile(&schema, pool, &text, &limits,
                                      &limits.steps, &report),
           NGX_OK, "a schema");

    for (i = 0; busy[i]; i++) {
        text = quoted(busy[i], buf);

        is_int(ngx_ors_jsonschema_check(schema, &text, &limits.steps,
                                        &report),
               NGX_BUSY, "no verdict: %s", busy[i]);
        is_int(report.path.len, 0, "%.*s", (int) report.text.len,
               (char *) report.text.data);
    }

    ngx_destroy_pool(pool);
}


/* a copy with double quotes */

static ngx_str_t
quoted(char *text, u_char *buf)
{
    ngx_str_t  str;
    ngx_uint_t i;

    for (i = 0; text[i]; i++) {
        buf[i] = (text[i] == '\'') ? '"' : text[i];
    }

    buf[i] = '\0';

    str.data = buf;
    str.len = i;

    return str;
}
