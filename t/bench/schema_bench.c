
/*
 * Copyright (C) Open Responses contributors
 *
 * What a call costs with "open_responses_schema": its arguments are checked
 * against a schema that the worker has compiled, found by its digest.
 *
 *   schema_bench FILE          of the function in a request of Codex that has
 *                              the longest schema of all captured ones
 */


#include <ngx_ors_test.h>
#include <ngx_ors_conform.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>


#define SCHEMA_BENCH_ROUNDS  50
#define SCHEMA_BENCH_CHECKS  200

/* some of each member that it has */
#define SCHEMA_BENCH_ITEM                                                     \
    "{\"type\":\"skill\",\"name\":\"a skill\",\"path\":\"/home/ann/skill\"}," \
    "{\"type\":\"text\",\"text\":\"Look at the tests of the parser first\"}"


static void schema_bench_load(const char *path, ngx_str_t *text);
static void schema_bench_find(ngx_ors_json_t *json, ngx_ors_json_node_t *list,
    ngx_str_t *schema);
static double schema_bench_now(void);


static ngx_pool_t  *schema_bench_pool;

static ngx_str_t  schema_bench_value = ngx_string(
    "{\"fork_context\":false,\"items\":[" SCHEMA_BENCH_ITEM ","
    SCHEMA_BENCH_ITEM "," SCHEMA_BENCH_ITEM "," SCHEMA_BENCH_ITEM "],"
    "\"message\":\"Find the cause of the failing test, and its fix\","
    "\"model\":\"large\",\"reasoning_effort\":\"high\"}");


int
main(int argc, char **argv)
{
    double                        ns, best;
    ngx_str_t                     what, text, schema, why;
    ngx_uint_t                    i, n;
    ngx_ors_json_t                json;
    ngx_ors_conform_t             conform;
    ngx_ors_jsonschema_cache_t    cache;
    ngx_ors_jsonschema_limits_t   limits;

    if (argc != 2) {
        return 2;
    }

    ngx_str_set(&what, "a call");
    ngx_memzero(&conform, sizeof(ngx_ors_conform_t));

    schema_bench_pool = ngx_ors_test_pool();

    schema_bench_load(argv[1], &text);

    ngx_ors_json_init(&json, schema_bench_pool, 64, 1000000);

    if (ngx_ors_json_read(&json, text.data, text.len) != NGX_OK) {
        return 2;
    }

    schema.len = 0;

    schema_bench_find(&json, ngx_ors_json_find(&json, json.nodes, "tools"),
                      &schema);

    ngx_ors_jsonschema_limits_default(&limits);
    ngx_ors_jsonschema_cache_init(&cache, 16, 1048576, &limits,
                                  schema_bench_pool->log);

    conform.mode = ngx_ors_conform_enforce;
    conform.cache = &cache;

    best = 0;

    for (i = 0; i < SCHEMA_BENCH_ROUNDS; i++) {
        ns = schema_bench_now();

        for (n = 0; n < SCHEMA_BENCH_CHECKS; n++) {
            conform.steps = 0;

            if (ngx_ors_conform(&conform, &what, &schema, &schema_bench_value,
                                schema_bench_pool, schema_bench_pool->log,
                                &why)
                != NGX_OK
                || conform.unchecked)
            {
                return 1;
            }
        }

        ns = (schema_bench_now() - ns) / SCHEMA_BENCH_CHECKS;

        if (i == 0 || ns < best) {
            best = ns;
        }
    }

    printf("schema=%zu value=%zu check=%.0f\n", schema.len,
           schema_bench_value.len, best);

    ngx_ors_jsonschema_cache_clear(&cache);

    return 0;
}


static void
schema_bench_load(const char *path, ngx_str_t *text)
{
    long   len;
    FILE  *file;

    file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        exit(2);
    }

    (void) fseek(file, 0, SEEK_END);
    len = ftell(file);
    rewind(file);

    text->data = malloc(len);
    text->len = len;

    if (text->data == NULL || fread(text->data, 1, len, file) != text->len) {
        exit(2);
    }

    fclose(file);
}


/* the longest one, also in a namespace */

static void
schema_bench_find(ngx_ors_json_t *json, ngx_ors_json_node_t *list,
    ngx_str_t *schema)
{
    ngx_str_t             raw;
    ngx_ors_json_node_t  *tool, *node;

    for (tool = ngx_ors_json_first(json, list);
         tool;
         tool = ngx_ors_json_next(json, tool))
    {
        schema_bench_find(json, ngx_ors_json_find(json, tool, "tools"), schema);

        node = ngx_ors_json_find(json, tool, "parameters");

        if (node == NULL) {
            continue;
        }

        ngx_ors_json_raw(json, node, &raw);

        if (raw.len > schema->len) {
            *schema = raw;
        }
    }
}


static double
schema_bench_now(void)
{
    struct timespec  ts;

    (void) clock_gettime(CLOCK_MONOTONIC, &ts);

    return ts.tv_sec * 1e9 + ts.tv_nsec;
}
