
/*
 * Copyright (C) Open Responses contributors
 */


/* The cache of compiled schemas: what is found, what goes, no memory. */


#include <ngx_ors_test.h>
#include <ngx_ors_jsonschema.h>


static void test_entries(void);
static void test_bytes(void);
static void test_refused(void);
static void test_memory(void);
static ngx_ors_jsonschema_t *get(ngx_uint_t i);


static ngx_ors_jsonschema_cache_t   cache;
static ngx_ors_jsonschema_limits_t  limits;
static ngx_ors_jsonschema_report_t  report;
static ngx_int_t                    rc;


int
main(void)
{
    ngx_ors_jsonschema_limits_default(&limits);

    test_entries();
    test_bytes();
    test_refused();
    test_memory();

    return done_testing();
}


static void
test_entries(void)
{
    ngx_uint_t             i, allocs;
    ngx_ors_jsonschema_t  *schemas[4];

    ngx_ors_jsonschema_cache_init(&cache, 4, 1024 * 1024, &limits,
                                  ngx_ors_test_log());

    for (i = 0; i < 4; i++) {
        schemas[i] = get(i);
    }

    allocs = ngx_ors_test_allocs();

    for (i = 0; i < 4; i++) {
        ok(get(i) == schemas[i], "schema %d is found", (int) i);
    }

    is_int(ngx_ors_test_allocs(), allocs, "nothing is compiled again");

    (void) get(0);
    (void) get(4);

    is_int(cache.n, 4, "no more than 4");

    allocs = ngx_ors_test_allocs();

    ok(get(0) == schemas[0], "what was used is there");
    is_int(ngx_ors_test_allocs(), allocs, "as it was");

    (void) get(1);
    ok(ngx_ors_test_allocs() > allocs, "the one used least recently is not");

    ngx_ors_jsonschema_cache_clear(&cache);

    is_int(cache.n, 0, "cleared");
    is_int(cache.size, 0, "to the last byte");
}


static void
test_bytes(void)
{
    ngx_uint_t  i;
    size_t      size;

    ngx_ors_jsonschema_cache_init(&cache, 1000, 1024 * 1024, &limits,
                                  ngx_ors_test_log());
    (void) get(100);
    size = cache.size;
    ngx_ors_jsonschema_cache_clear(&cache);

    ngx_ors_jsonschema_cache_init(&cache, 1000, 10 * size, &limits,
                                  ngx_ors_test_log());

    for (i = 100; i < 200; i++) {
        (void) get(i);
    }

    is_int(cache.n, 10, "as many as there is room for");
    is_int(cache.size, 10 * size, "and no more bytes");

    ngx_ors_jsonschema_cache_clear(&cache);

    ngx_ors_jsonschema_cache_init(&cache, 1000, 1, &limits,
                                  ngx_ors_test_log());

    ok(get(1) == NULL && rc == NGX_DECLINED, "one that is too large is none");
    is_int(cache.n, 1, "this is kept");
    ok(get(2) == NULL, "nor is another one");
    is_int(cache.n, 1, "the newest one only");

    ngx_ors_jsonschema_cache_clear(&cache);
}


static void
test_refused(void)
{
    u_char                 digest[NGX_ORS_JSONSCHEMA_DIGEST] = "";
    ngx_str_t              text = ngx_string("{\"type\":1}");
    ngx_uint_t             steps, allocs;
    ngx_ors_jsonschema_t  *schema;

    steps = limits.steps;

    ngx_ors_jsonschema_cache_init(&cache, 4, 1024 * 1024, &limits,
                                  ngx_ors_test_log());

    is_int(ngx_ors_jsonschema_cache_get(&cache, digest, &text, &steps,
                                        &schema, &report),
           NGX_DECLINED, "a schema that cannot be used");
    ok(strcmp(report.keyword, "type") == 0, "because of its type");
    is_int(cache.n, 1, "this is kept");
    is_int(cache.size, 1024, "without the schema");

    report.keyword = "";
    allocs = ngx_ors_test_allocs();

    is_int(ngx_ors_jsonschema_cache_get(&cache, digest, &text, &steps,
                                        &schema, &report),
           NGX_DECLINED, "as it cannot the next time");
    ok(strcmp(report.keyword, "type") == 0, "because of its type");
    is_int(ngx_ors_test_allocs(), allocs, "nothing is compiled again");

    /* steps of others say nothing about a schema, all of them do */

    digest[0] = 1;
    ngx_str_set(&text, "{\"pattern\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}");
    steps = 20;

    is_int(ngx_ors_jsonschema_cache_get(&cache, digest, &text, &steps,
                                        &schema, &report),
           NGX_BUSY, "with few steps a schema is not compiled");
    is_int(cache.n, 1, "and not kept");

    steps = limits.steps;

    is_int(ngx_ors_jsonschema_cache_get(&cache, digest, &text, &steps,
                                        &schema, &report),
           NGX_OK, "with all of them it is");

    ngx_ors_jsonschema_cache_clear(&cache);

    cache.limits.steps = 20;
    steps = 20;

    is_int(ngx_ors_jsonschema_cache_get(&cache, digest, &text, &steps,
                                        &schema, &report),
           NGX_DECLINED, "a schema that takes more than all of them");
    is_int(cache.n, 1, "is kept as one that cannot be used");

    ngx_ors_jsonschema_cache_clear(&cache);
}


static void
test_memory(void)
{
    ngx_uint_t  n;

    ngx_ors_jsonschema_cache_init(&cache, 4, 1024 * 1024, &limits,
                                  ngx_ors_test_log());

    for (n = 1; /* void */ ; n++) {
        ngx_ors_test_fail_after(n);
        (void) get(0);

        if (!ngx_ors_test_failed()) {
            break;
        }

        ngx_ors_test_fail_after(0);

        is_int(rc, NGX_ERROR, "no memory, allocation %d", (int) n);
        is_int(cache.n, 0, "nothing was added");
    }

    ngx_ors_test_fail_after(0);
    ngx_ors_jsonschema_cache_clear(&cache);
}


/* schema "i", whose digest is its number */

static ngx_ors_jsonschema_t *
get(ngx_uint_t i)
{
    u_char                 digest[NGX_ORS_JSONSCHEMA_DIGEST], buf[64];
    ngx_str_t              text;
    ngx_uint_t             steps;
    ngx_ors_jsonschema_t  *schema;

    ngx_memzero(digest, sizeof(digest));
    digest[0] = (u_char) i;
    digest[8] = (u_char) (i >> 8);

    text.data = buf;
    text.len = ngx_sprintf(buf, "{\"minLength\":%ui,\"pattern\":\"a\"}", i)
               - buf;

    schema = NULL;
    steps = limits.steps;

    rc = ngx_ors_jsonschema_cache_get(&cache, digest, &text, &steps, &schema,
                                      &report);

    return schema;
}
