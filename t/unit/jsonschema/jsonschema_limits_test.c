
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Schemas and instances that would take too long, too deep or too much
 * memory, and memory that is not there.
 */


#include <ngx_ors_test.h>
#include <time.h>
#include <ngx_ors_jsonschema.h>


#define TEXT_MAX  400000

#define B50   "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define B500  B50 B50 B50 B50 B50 B50 B50 B50 B50 B50
#define B2K   B500 B500 B500 B500

/* far above what a check takes, also under a sanitizer */
#define SECONDS   5


static void test_hostile(void);
static void test_sizes(void);
static void test_held(void);
static void test_nested(void);
static void test_large(void);
static void test_memory(void);
static ngx_int_t check(char *schema_text, ngx_str_t *text);
static ngx_str_t filled(char *head, char *body, ngx_uint_t n, char *tail);


static ngx_ors_jsonschema_report_t  report;
static u_char                       buf[TEXT_MAX];


/* instances that cannot be checked take their steps, and no longer */

typedef struct {
    char        *schema;
    char        *head;
    char        *body;
    ngx_uint_t   n;
    char        *tail;
    ngx_int_t    rc;
} hostile_t;


static hostile_t  hostile[] = {

    /* patterns that go back and forth */

    { "{\"pattern\":\"^(a+)+$\"}", "\"", "a", 40, "!\"", NGX_BUSY },
    { "{\"pattern\":\"^(a|aa)+$\"}", "\"", "a", 60, "!\"", NGX_BUSY },
    { "{\"pattern\":\"(x+x+)+[yz]\"}", "\"", "x", 500, "\"", NGX_BUSY },
    { "{\"pattern\":\"^(.*)*b\\\\1c\"}", "\"bc", "a", 5000, "\"", NGX_BUSY },
    { "{\"pattern\":\".*.*.*.*.*=$\"}", "\"", "=", 20000, "a\"", NGX_BUSY },
    { "{\"pattern\":\"^(?:(?=a*c)|a)*b\"}", "\"", "a", 100000, "\"",
      NGX_BUSY },
    { "{\"pattern\":\"[^b]*c$\"}", "\"", "c", 100000, "a\"", NGX_BUSY },
    { "{\"pattern\":\"[^b]*c\"}", "\"", "a", 100000, "\"", NGX_DECLINED },
    { "{\"patternProperties\":{\"^(a+)+$\":{}}}", "{\"", "a", 40, "!\":1}",
      NGX_BUSY },
    { "{\"pattern\":\"^[a-z]+$\"}", "\"", "a", 100000, "\"", NGX_OK },

    /* references that lead back to themselves */

    { "{\"$ref\":\"#\"}", "1", "", 0, "", NGX_BUSY },
    { "{\"anyOf\":[{\"$ref\":\"#/anyOf/0\"},{}]}", "1", "", 0, "", NGX_BUSY },
    { "{\"$dynamicRef\":\"#a\",\"$dynamicAnchor\":\"a\"}", "1", "", 0, "",
      NGX_BUSY },
    { "{\"not\":{\"$ref\":\"#\"}}", "1", "", 0, "", NGX_BUSY },
    { "{\"allOf\":[{\"$ref\":\"#\"},{\"$ref\":\"#\"}]}", "1", "", 0, "",
      NGX_BUSY },

    /* a tree that doubles with each level */

    { "{\"$defs\":{\"a\":{\"anyOf\":[{\"$ref\":\"#/$defs/b\"},"
      "{\"$ref\":\"#/$defs/b\"}]},\"b\":{\"items\":{\"$ref\":\"#/$defs/a\"}"
      "},\"c\":{}},\"$ref\":\"#/$defs/a\",\"properties\":{}}",
      "", "[", 60, "1", NGX_DECLINED },
    { "{\"$defs\":{\"a\":{\"oneOf\":[{\"items\":{\"$ref\":\"#/$defs/a\"},"
      "\"type\":\"array\"},{\"items\":{\"$ref\":\"#/$defs/a\"},"
      "\"minItems\":1}]}},\"$ref\":\"#/$defs/a\"}",
      "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
      "", 0, "", NGX_BUSY },

    /* alternatives that take nothing */

    { "{\"$defs\":{\"f\":{\"anyOf\":[false,false,false,false,false,false,"
      "false,false,false,false,false,false,false,true]}},\"items\":{"
      "\"$ref\":\"#/$defs/f\"}}", "[", "1,", 9000, "2]", NGX_BUSY },

    /* names that are long */

    { "{\"items\":{\"not\":{\"required\":[\"" B2K "\"]}}}", "[", "{},",
      9000, "{}]", NGX_BUSY },
    { "{\"items\":{\"dependentRequired\":{\"" B2K "\":[]}}}", "[", "{},",
      9000, "{}]", NGX_BUSY },
    { "{\"$defs\":{\"a\":{\"propertyNames\":true},\"b\":{\"properties\":{"
      "\"x\":true}}},\"allOf\":[{\"$ref\":\"#/$defs/a\"},"
      "{\"$ref\":\"#/$defs/b\"}]}", "{\"", "a", 200000, "\":1}", NGX_OK },
    { "{\"propertyNames\":{\"allOf\":[{\"maxLength\":300000},"
      "{\"maxLength\":300000},{\"pattern\":\"^[\u0100-\u0800]*$\"}]}}",
      "{\"", "\304\200", 100000, "\":1}", NGX_OK },

    /* lists that are long */

    { "{\"uniqueItems\":true}", "[", "[1],", 9000, "[2]]", NGX_DECLINED },
    { "{\"uniqueItems\":true}", "[", "1,", 19000, "2]", NGX_DECLINED },
    { "{\"items\":{\"type\":\"integer\"}}", "[", "1,", 19000, "2]", NGX_OK },
    { "{\"allOf\":[{\"items\":{}},{\"items\":{}},{\"items\":{}},"
      "{\"items\":{}},{\"items\":{}},{\"items\":{}}]}",
      "[", "1,", 19000, "2]", NGX_BUSY },

    /* texts that jansson would take apart */

    { "{}", "[", "1,", 20001, "2]", NGX_BUSY },
    { "{}", "", "[", 65, "1", NGX_BUSY },
    { "{}", "", "[", 300000, "1", NGX_BUSY },
    { "{}", "\"", "a", 300000, "\"", NGX_BUSY },

    { NULL, NULL, NULL, 0, NULL, 0 }
};


int
main(void)
{
    test_hostile();
    test_sizes();
    test_held();
    test_nested();
    test_large();
    test_memory();

    return done_testing();
}


static void
test_hostile(void)
{
    clock_t     start;
    ngx_int_t   rc;
    ngx_str_t   text;
    hostile_t  *h;

    for (h = hostile; h->schema; h++) {
        text = filled(h->head, h->body, h->n, h->tail);
        start = clock();

        rc = check(h->schema, &text);

        is_int(rc, h->rc, "%s: %s", h->schema, h->body);
        ok(clock() - start < SECONDS * CLOCKS_PER_SEC, "%d us",
           (int) ((clock() - start) * (1000000 / CLOCKS_PER_SEC)));
    }
}


/* schemas that are refused before they take memory */

static void
test_sizes(void)
{
    ngx_int_t              rc;
    ngx_str_t              text;
    ngx_uint_t             i;
    ngx_pool_t            *pool;
    ngx_ors_jsonschema_t  *schema;

    static struct {
        char        *head;
        char        *body;
        ngx_uint_t   n;
        char        *tail;
        ngx_int_t    rc;
    } sizes[] = {
        { "{\"description\":\"", "a", 300000, "\"}", NGX_DECLINED },
        { "{\"not\":", "{\"not\":", 64, "{}", NGX_DECLINED },
        { "{\"enum\":[", "1,", 20000, "1]}", NGX_DECLINED },
        { "{\"pattern\":\"", "a", 5000, "\"}", NGX_DECLINED },
        { "{\"pattern\":\"", "(", 100, "\"}", NGX_DECLINED },
        { "{\"pattern\":\"", "a?", 300, "\"}", NGX_OK },
        { "{\"pattern\":\"", "a?", 1300, "\"}", NGX_BUSY },
        { "{\"pattern\":\"(", "a{900}", 100, "){900}\"}", NGX_DECLINED },
        { "{\"allOf\":[", "{\"pattern\":\"(?:[^a]{60000})\"},", 8000, "{}]}",
          NGX_DECLINED },
        { "{\"allOf\":[", "{\"pattern\":\"(abc|[^a]|x{100})\"},", 5000,
          "{}]}", NGX_DECLINED },
        { "{\"allOf\":[", "{\"$ref\":\"#\"},", 5000, "{}]}", NGX_OK },
        { "{\"$id\":\"http://x/", "b", 2000, "\",\"$ref\":\"#\"}", NGX_OK },
        { "{\"$id\":\"http://x/", "b", 2100, "\"}", NGX_DECLINED },
        { "{\"b\":{},\"$ref\":\"#/", "%62", 700, "\"}", NGX_DECLINED },
        { "{\"$id\":\"http://x/" B2K "/c\",\"allOf\":[",
          "{\"$ref\":\"c\"},", 5000, "{}]}", NGX_BUSY },
        { "{\"$id\":\"http://x/" B2K "/c\",\"allOf\":[",
          "{\"$id\":\"a\"},", 5000, "{}]}", NGX_BUSY },
        { "{\"$defs\":{\"z\":{\"$anchor\":\"z\"}},\"allOf\":[",
          "{\"$anchor\":\"a\",\"$ref\":\"#z\"},", 4000, "{}]}", NGX_OK },
    };

    for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        ngx_ors_jsonschema_limits_t  limits;

        pool = ngx_ors_test_pool();
        text = filled(sizes[i].head, sizes[i].body, sizes[i].n,
                      sizes[i].tail);

        ngx_ors_jsonschema_limits_default(&limits);

        rc = ngx_ors_jsonschema_compile(&schema, pool, &text, &limits,
                                        &limits.steps, &report);
        is_int(rc, sizes[i].rc, "%s%s ...", sizes[i].head, sizes[i].body);

        if (rc == NGX_OK) {
            ok(ngx_ors_jsonschema_size(schema) > text.len, "%d bytes",
               (int) ngx_ors_jsonschema_size(schema));
        }

        ngx_destroy_pool(pool);
    }
}


/* memory of a schema is counted before it is allocated */

static void
test_held(void)
{
    size_t                        memory;
    ngx_str_t                     text;
    ngx_int_t                     rc;
    ngx_pool_t                   *pool;
    ngx_ors_jsonschema_t         *schema;
    ngx_ors_jsonschema_limits_t   limits;

    text = filled("{\"$id\":\"http://x/" B2K "/c\",\"allOf\":[",
                  "{\"$id\":\"a\",\"required\":[\"a\",\"b\"]},", 500,
                  "{}]}");

    for (memory = 4 * 1024 * 1024; memory > 1000; memory /= 2) {
        pool = ngx_ors_test_pool();

        ngx_ors_jsonschema_limits_default(&limits);
        limits.memory = memory;

        ngx_ors_test_memory_reset();

        rc = ngx_ors_jsonschema_compile(&schema, pool, &text, &limits,
                                        &limits.steps, &report);

        is_int(rc, memory > 1024 * 1024 ? NGX_OK : NGX_DECLINED, "with %d KB",
               (int) memory / 1024);
        ok(ngx_ors_test_memory() < memory + 128 * 1024, "%d KB of pools",
           (int) ngx_ors_test_memory() / 1024);

        ngx_destroy_pool(pool);
    }
}


/* references from each part to the next one: depth of the walk is bounded */

static void
test_nested(void)
{
    u_char      *p;
    ngx_str_t    text;
    ngx_uint_t   i;

    static u_char  schema[TEXT_MAX];

    p = ngx_sprintf(schema, "{\"$ref\":\"#/$defs/0\",\"$defs\":{");

    for (i = 0; i < 300; i++) {
        p = ngx_sprintf(p, "\"%ui\":{\"$ref\":\"#/$defs/%ui\"},", i, i + 1);
    }

    (void) ngx_sprintf(p, "\"%ui\":{}}}%Z", i);

    text = filled("1", "", 0, "");

    is_int(check((char *) schema, &text), NGX_BUSY, "300 references");

    ngx_memcpy(schema, "{\"$ref\":\"#/$defs/99", 19);

    is_int(check((char *) schema, &text), NGX_DECLINED, "a broken one");
}


/* names that are too long for a report */

static void
test_large(void)
{
    ngx_str_t  text;

    text = filled("{\"", "\303\244", 1000, "\":1}");

    is_int(check("{\"additionalProperties\":{\"type\":\"null\"}}", &text),
           NGX_DECLINED, "a long name");
    ok(report.path.len < 100, "%.*s", (int) report.path.len,
       (char *) report.path.data);

    text = filled("{\"", "a\\n", 10, "\":1}");

    is_int(check("{\"additionalProperties\":false}", &text), NGX_DECLINED,
           "a name with lines");
    ok(ngx_strlchr(report.text.data, report.text.data + report.text.len, LF)
       == NULL, "the sentence has one line");

    text = filled("1", "", 0, "");

    is_int(check("{\"enum\":[\"" "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                 "\",2,3]}", &text),
           NGX_DECLINED, "values that are too long");
    ok(report.text.len < NGX_ORS_JSONSCHEMA_TEXT
       && ngx_strncmp(report.text.data + report.text.len - 4, " ...", 4) == 0,
       "they are cut: %.*s", (int) report.text.len,
       (char *) report.text.data);
}


/* each allocation fails once, of libpcre2 too */

static void
test_memory(void)
{
    ngx_int_t                     rc;
    ngx_str_t                     text, schema_text;
    ngx_uint_t                    n;
    ngx_pool_t                   *pool;
    ngx_ors_jsonschema_t         *schema;
    ngx_ors_jsonschema_limits_t   limits;

    schema_text.data = (u_char *)
        "{\"$id\":\"http://a/b\",\"$defs\":{\"x\":{\"$anchor\":\"y\","
        "\"pattern\":\"^a*$\"}},\"properties\":{\"p\":{\"$ref\":\"#y\"},"
        "\"q\":{\"$ref\":\"b#/$defs/x\"}},\"patternProperties\":{\"^r\":{"
        "\"contains\":{\"const\":1}}},\"dependentRequired\":{\"q\":[\"p\"]},"
        "\"required\":[\"p\"],\"anyOf\":[{\"properties\":{\"s\":{"
        "\"uniqueItems\":true}}}],\"unevaluatedProperties\":false}";
    schema_text.len = ngx_strlen(schema_text.data);

    ngx_str_set(&text, "{\"p\":\"aa\",\"q\":\"\",\"r\":[1],\"s\":[1,2]}");

    ngx_ors_jsonschema_limits_default(&limits);

    for (n = 1; /* void */ ; n++) {
        pool = ngx_ors_test_pool();

        ngx_ors_test_fail_after(n);

        rc = ngx_ors_jsonschema_compile(&schema, pool, &schema_text, &limits,
                                        &limits.steps, &report);
        if (rc == NGX_OK) {
            rc = ngx_ors_jsonschema_check(schema, &text, &limits.steps,
                                          &report);
        }

        if (!ngx_ors_test_failed()) {
            ngx_ors_test_fail_after(0);
            is_int(rc, NGX_OK, "with memory it is valid");
            ngx_destroy_pool(pool);
            break;
        }

        ngx_ors_test_fail_after(0);
        is_int(rc, NGX_ERROR, "no memory, allocation %d", (int) n);

        ngx_destroy_pool(pool);
    }

    ok(n > 30, "%d allocations", (int) n);
}


static ngx_int_t
check(char *schema_text, ngx_str_t *text)
{
    ngx_int_t                     rc;
    ngx_str_t                     str;
    ngx_pool_t                   *pool;
    ngx_ors_jsonschema_t         *schema;
    ngx_ors_jsonschema_limits_t   limits;

    pool = ngx_ors_test_pool();

    str.data = (u_char *) schema_text;
    str.len = ngx_strlen(schema_text);

    ngx_ors_jsonschema_limits_default(&limits);

    rc = ngx_ors_jsonschema_compile(&schema, pool, &str, &limits,
                                    &limits.steps, &report);

    if (rc == NGX_OK) {
        rc = ngx_ors_jsonschema_check(schema, text, &limits.steps, &report);
    }

    ngx_destroy_pool(pool);

    return rc;
}


static ngx_str_t
filled(char *head, char *body, ngx_uint_t n, char *tail)
{
    u_char     *p;
    ngx_str_t   text;

    p = ngx_cpymem(buf, head, ngx_strlen(head));

    while (n-- && p < buf + TEXT_MAX - 100) {
        p = ngx_cpymem(p, body, ngx_strlen(body));
    }

    p = ngx_cpymem(p, tail, ngx_strlen(tail));

    text.data = buf;
    text.len = p - buf;

    return text;
}
