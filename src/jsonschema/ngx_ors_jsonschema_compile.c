
/*
 * Copyright (C) Open Responses contributors
 */


/* Compiles schemas on a pool, and checks texts with them. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_jsonschema_build.h>
#include <ngx_ors_jsonschema_report.h>
#include <ngx_ors_jsonschema_value.h>
#include <ngx_ors_jsonschema_walk.h>


/* about what jansson allocates for a value, and its name if it is a member */
#define NGX_ORS_JSONSCHEMA_VALUE_SIZE  192

/* bytes of a schema that are parsed in the time of a step */
#define NGX_ORS_JSONSCHEMA_PARSED      16


static void ngx_ors_jsonschema_release(void *data);
static ngx_int_t ngx_ors_jsonschema_check_root(ngx_ors_jsonschema_t *schema,
    json_t *root, ngx_uint_t *steps, ngx_ors_jsonschema_report_t *report);


void
ngx_ors_jsonschema_limits_default(ngx_ors_jsonschema_limits_t *limits)
{
    limits->size = 256 * 1024;
    limits->memory = 16 * 1024 * 1024;
    limits->pattern = 256 * 1024;
    limits->depth = 64;
    limits->values = 20000;
    limits->nesting = 256;
    limits->steps = 100000;
}


ngx_int_t
ngx_ors_jsonschema_compile(ngx_ors_jsonschema_t **schema, ngx_pool_t *pool,
    ngx_str_t *text, ngx_ors_jsonschema_limits_t *limits, ngx_uint_t *steps,
    ngx_ors_jsonschema_report_t *report)
{
    ngx_int_t                     rc;
    ngx_pool_cleanup_t           *cln;
    ngx_ors_jsonschema_t         *s;
    ngx_ors_jsonschema_extent_t   e;

    /* first, while there is nothing to undo */

    cln = ngx_pool_cleanup_add(pool, sizeof(ngx_ors_jsonschema_t));
    if (cln == NULL) {
        return NGX_ERROR;
    }

    s = cln->data;

    ngx_memzero(s, sizeof(ngx_ors_jsonschema_t));

    s->limits = *limits;
    s->log = pool->log;
    s->patterns.log = pool->log;
    s->patterns.max = limits->pattern;

    rc = ngx_ors_jsonschema_step(steps, text->len / NGX_ORS_JSONSCHEMA_PARSED);

    if (rc == NGX_OK) {
        rc = ngx_ors_jsonschema_load(text, limits, &e, &s->root, report);

        if (rc != NGX_OK) {
            return (rc == NGX_BUSY) ? NGX_DECLINED : rc;
        }

        cln->handler = ngx_ors_jsonschema_release;

        s->size = sizeof(ngx_ors_jsonschema_t) + text->len
                  + e.values * NGX_ORS_JSONSCHEMA_VALUE_SIZE;

        rc = ngx_ors_jsonschema_build(s, pool, e.objects, steps, report);
    }

    if (rc == NGX_BUSY) {
        return ngx_ors_jsonschema_busy(report, "schema takes too long to be "
                                       "compiled");
    }

    if (rc != NGX_OK) {
        return rc;
    }

    *schema = s;

    return NGX_OK;
}


static void
ngx_ors_jsonschema_release(void *data)
{
    ngx_ors_jsonschema_t *schema = data;

    ngx_ors_jsonschema_patterns_free(&schema->patterns);

    json_decref(schema->root);
}


size_t
ngx_ors_jsonschema_size(ngx_ors_jsonschema_t *schema)
{
    return schema->size + schema->patterns.size;
}


ngx_int_t
ngx_ors_jsonschema_check(ngx_ors_jsonschema_t *schema, ngx_str_t *text,
    ngx_uint_t *steps, ngx_ors_jsonschema_report_t *report)
{
    json_t                       *root;
    ngx_int_t                     rc;
    ngx_ors_jsonschema_extent_t   e;

    rc = ngx_ors_jsonschema_load(text, &schema->limits, &e, &root, report);
    if (rc != NGX_OK) {
        return rc;
    }

    rc = ngx_ors_jsonschema_check_root(schema, root, steps, report);

    json_decref(root);

    return rc;
}


static ngx_int_t
ngx_ors_jsonschema_check_root(ngx_ors_jsonschema_t *schema, json_t *root,
    ngx_uint_t *steps, ngx_ors_jsonschema_report_t *report)
{
    ngx_int_t                   rc;
    ngx_ors_jsonschema_at_t     at;
    ngx_ors_jsonschema_walk_t   w;

    ngx_memzero(&at, sizeof(ngx_ors_jsonschema_at_t));
    ngx_memzero(&w, sizeof(ngx_ors_jsonschema_walk_t));

    at.json = root;
    at.type = ngx_ors_jsonschema_type(root);

    w.schema = schema;
    w.report = report;
    w.match.steps = steps;
    w.steps = steps;
    w.nesting = schema->limits.nesting;

    rc = ngx_ors_jsonschema_walk(&w, schema->node, &at, NULL);

    if (rc == NGX_BUSY) {
        (void) ngx_ors_jsonschema_busy(report, "takes too long to check");
    }

    ngx_ors_jsonschema_match_free(&w.match);

    if (w.pool) {
        ngx_destroy_pool(w.pool);
    }

    return rc;
}
