
/*
 * Copyright (C) Open Responses contributors
 */


/* JSON Schemas of clients: compiled, and what models make checked with them. */


#include <ngx_ors_conform.h>

#include "cost.h"


#define COST_CALLS  128


static ngx_int_t cost_schema(cost_t *cost);
static ngx_int_t cost_calls(cost_t *cost);
static ngx_int_t cost_conform(cost_t *cost, ngx_uint_t calls);


static const char  *cost_one[] = { "all", NULL };


#define B50     "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define B500    B50 B50 B50 B50 B50 B50 B50 B50 B50 B50
#define B2K     B500 B500 B500 B500
#define REF(a)  "{'$ref':'\\u0023" a "'}"
#define REFS(a) REF(a) "," REF(a) "," REF(a) "," REF(a) "," REF(a)
#define OFTEN   "'q':{'allOf':[" REFS("/$defs/p") "," REFS("/$defs/p") ","    \
                REFS("/$defs/p") "," REFS("/$defs/p") "]}"
#define ANY     "[\302\200-\364\217\277\277]"


/* the first line is the schema, the rest is checked */

static const cost_row_t  cost_schema_rows[] = {

    { "typical", 400, "{'type':'array','items':{'type':'object','properties':{"
      "'city':{'type':'string','minLength':1,'pattern':'^[A-Z]'},'unit':{"
      "'enum':['c','f']},'days':{'type':'integer','minimum':0},'price':{"
      "'type':'number'}},'required':['city'],'additionalProperties':false}}"
      "\n[", ",{'city':'Riga','unit':'f','days':#,'price':2.50}", "]" },

    /* a schema that takes long to compile */

    { "empty objects of a schema", 2400, "{'allOf':[", ",{}", "]}\n1", NULL,
      NULL, 40 },
    { "objects of a schema", 2400, "{'allOf':[", ",{'x':1}", "]}\n1", NULL,
      NULL, 24 },
    { "members of a schema", 4500, "{'x':0", ",'x#':1", "}\n1" },
    { "properties", 3500, "{'properties':{", ",'x#':true", "}}\n{}",
      NULL, NULL, 40 },
    { "required names", 4500, "{'required':[", ",'x#'", "]}\n{}" },
    { "references", 2000, "{'allOf':[", "," REF(""), "]}\n1", NULL, NULL, 24 },
    { "references to anchors", 1100, "{'$defs':{", ",'a#':{'$anchor':'a#'}",
      "]}\n1", "},'allOf':[", "," REF("a#"), 24 },
    { "references to resources", 1100, "{'$defs':{", ",'a#':{'$id':'a#'}",
      "]}\n1", "},'allOf':[", ",{'$ref':'a#'}", 24 },
    { "references beside a URI of 2 KB", 1600,
      "{'$id':'http://x/" B2K "/c','allOf':[", ",{'$ref':'c'}", "]}\n1",
      NULL, NULL, 24 },
    { "resources below a URI of 2 KB", 1600,
      "{'$id':'http://x/" B2K "/c','allOf':[", ",{'$id':'#'}", "]}\n1",
      NULL, NULL, 24 },
    { "references beside a long URI", 1600, "{'$id':'http://x/", "bbbbbbbbbbbb",
      "]}\n1", "/c','allOf':[", "," REF("") },
    { "resources below a long URI", 1600, "{'$id':'http://x/", "bbbbbbbbbbbb",
      "]}\n1", "/c','allOf':[", ",{'$id':'#'}" },

    { "classes without case", 600, "{'allOf':[", ",{'pattern':'(?i)" ANY ANY
      ANY ANY ANY ANY "'}", "]}\n1" },
    { "classes without case, by a group", 600, "{'allOf':[",
      ",{'pattern':'(?i:" ANY ANY ANY ANY ANY ANY ")'}", "]}\n1" },
    { "items that may be absent", 400, "{'pattern':'", "\\\\u{1#}?",
      "'}\n1" },
    { "patterns", 1200, "{'allOf':[", ",{'pattern':'^a#b*[c-e]{2}$'}",
      "]}\n1", NULL, NULL, 24 },
    { "patterns that are copied", 1200, "{'allOf':[",
      ",{'pattern':'(?:(?:(?:a{1,9}){1,9}){1,9}b#)'}", "]}\n1" },
    { "names of groups", 400, "{'allOf':[",
      ",{'pattern':'(?<a>b)(?<c>d)(?<e>f)(?<g>h)(?<i#>j)'}", "]}\n1" },

    /* names */

    { "a name that others depend on", 2400, "{'$defs':{'p':{"
      "'dependentRequired':{'", "bbbbbbbbbbbbbbbbbbbb", "]", "':[]}}," OFTEN
      "},'items':" REF("/$defs/q") "}\n[", ",{}" },
    { "a name that is required", 2400, "{'items':{'not':{'required':['",
      "bbbbbbbbbbbbbbbbbbbb", "]", "']}}}\n[", ",{}" },
    { "a member beside properties", 500, "{'$defs':{'p':{'properties':{"
      "'x':true}}," OFTEN "},'allOf':[", "," REF("/$defs/q"), "':1}",
      "]}\n{'", B50 B50 },
    { "names of members", 500, "{'$defs':{'p':{'propertyNames':true}," OFTEN
      "},'allOf':[", "," REF("/$defs/q"), "':1}", "]}\n{'", B50 B50 },
    { "a dynamic anchor beside others", 1200, "{'$defs':{'z':{"
      "'$dynamicAnchor':'z'}", ",'a#':{'$anchor':'a#'}", "]",
      "},'items':{'$dynamicRef':'\\u0023z'}}\n[", ",1,1,1", 24 },

    /* patterns */

    { "a start that is not found", 500, "{'$defs':{'p':{'not':{'pattern':"
      "'[xyz]{2}'}}," OFTEN "},'allOf':[", "," REF("/$defs/q"), "'",
      "]}\n'", B50 B50 },
    { "a letter that is not found", 500, "{'$defs':{'p':{'not':{'pattern':"
      "'zz'}}," OFTEN "},'allOf':[", "," REF("/$defs/q"), "'", "]}\n'",
      B50 B50 },
    { "a class of many properties", 320, "{'pattern':'[^", "\\\\pN", "'",
      "]*(?:y|x1)'}\n'", "\320\266\320\266\320\266\320\266\320\266\320\266"
      "\320\266\320\266\320\266\320\266\320\266\320\266\320\266\320\266" },
    { "a pattern that goes back", 10000, "{'pattern':'^(a+)+$'}\n'", "aaaa",
      "!'" },
    { "a pattern that goes back to groups", 10000,
      "{'pattern':'^(.*)\\\\1*(?:y|x1)'}\n'", "\320\266\320\266", "'" },

    /* values */

    { "multiples", 2400, "{'items':{'multipleOf':0.000000000000000000007}}\n[",
      ",1.3e308", "]" },
    { "multiples that are none", 2400, "{'items':{'not':{'multipleOf':"
      "0.000000000000000000007}}}\n[", ",1.3e308", "]" },
    { "alternatives that are false", 2200, "{'items':{'anyOf':[", ",false",
      "]", ",true]}}\n[", ",1" },
    { "values of an enumeration", 2200, "{'items':{'enum':[", ",'x#'", "]",
      "]}}\n[", ",'y'" },
    { "items that differ", 2400, "{'uniqueItems':true}\n[", ",[#]", "]",
      NULL, NULL, 24 },
    { "alternatives that double", 2500, "{'anyOf':[{'not':" REF("") "},"
      REF("") "]}\n'", "abcdefghijklmnopqrst", "'" },

    { NULL }
};


/* the same, checked for each call of a round */

static const cost_row_t  cost_calls_rows[] = {

    { "typical", 8, "{'type':'object','properties':{",
      ",'x#':{'type':'integer'}", "}", "}}\n{", ",'x#':#" },

    { "a pattern that goes back", 40, "{'properties':{'a':{'pattern':"
      "'^(a+)+$'}}}\n{'a':'", "aaaaaaaa", "!'}" },
    { "alternatives that double", 40, "{'anyOf':[{'not':" REF("") "},"
      REF("") "]}\n'", "aaaaaaaa", "'" },
    { "patterns over their limit", 1000, "{'allOf':[",
      ",{'pattern':'(abc|[^a]|x{100})'}", "]}\n1" },
    { "a reference to nothing", 1000, "{'x':[", ",{}", "]," "'$ref':'x'}\n1" },
    { "a schema over the limit", 1000, "{'allOf':[",
      ",{'$id':'" B50 B50 "#'}", "]}\n1" },
    { "a value that is quoted", 10000, "{'const':'", "aaaaaa", "'}\n1" },
    { "values that are quoted", 4500, "{'enum':[", ",'x#'", "]}\n1" },

    { NULL }
};


const cost_group_t  cost_schemas[] = {
    { "schema", cost_schema, cost_one, cost_schema_rows },
    { "calls of a round", cost_calls, cost_one, cost_calls_rows },
    { NULL, NULL, NULL, NULL }
};


static ngx_int_t
cost_schema(cost_t *cost)
{
    return cost_conform(cost, 1);
}


static ngx_int_t
cost_calls(cost_t *cost)
{
    return cost_conform(cost, COST_CALLS);
}


/* a schema that cannot be used is taken, too: its calls are not checked */

static ngx_int_t
cost_conform(cost_t *cost, ngx_uint_t calls)
{
    u_char                       *p;
    ngx_int_t                     rc;
    ngx_str_t                     schema, value, why;
    ngx_uint_t                    i;
    ngx_ors_conform_t             conform;
    ngx_ors_jsonschema_cache_t    cache;
    ngx_ors_jsonschema_limits_t   limits;

    static ngx_str_t  what = ngx_string("a call");

    p = memchr(cost->text, LF, cost->len);

    schema.data = cost->text;
    schema.len = p - cost->text;

    value.data = p + 1;
    value.len = cost->text + cost->len - value.data;

    cost->sent = schema.len + calls * value.len;

    ngx_ors_jsonschema_limits_default(&limits);
    ngx_ors_jsonschema_cache_init(&cache, 256, 16 * 1024 * 1024, &limits,
                                  cost->pool->log);

    memset(&conform, 0, sizeof(ngx_ors_conform_t));

    conform.mode = ngx_ors_conform_enforce;
    conform.cache = &cache;

    rc = NGX_OK;

    for (i = 0; i < calls && rc != NGX_ERROR; i++) {
        rc = ngx_ors_conform(&conform, &what, &schema, &value, cost->pool,
                             cost->pool->log, &why);
    }

    ngx_ors_jsonschema_cache_clear(&cache);

    return (rc == NGX_ERROR) ? NGX_ERROR : NGX_OK;
}
