
/*
 * Copyright (C) Open Responses contributors
 */


/* One text of a model checked against one schema of its request. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_conform.h>
#include <ngx_ors_digest.h>
#include <ngx_ors_error.h>
#include <ngx_ors_text.h>


/* kind of the digests, see ngx_ors_digest() */
#define NGX_ORS_CONFORM_KIND   'j'

/* bytes of a schema that are hashed in the time of a step */
#define NGX_ORS_CONFORM_BYTES  32


static ngx_int_t ngx_ors_conform_check(ngx_ors_conform_t *conform,
    ngx_str_t *schema, ngx_str_t *json, ngx_ors_jsonschema_report_t *report);
static ngx_int_t ngx_ors_conform_violated(ngx_ors_conform_t *conform,
    ngx_str_t *what, ngx_pool_t *pool, ngx_log_t *log,
    ngx_ors_jsonschema_report_t *report, ngx_str_t *why);


ngx_int_t
ngx_ors_conform(ngx_ors_conform_t *conform, ngx_str_t *what, ngx_str_t *schema,
    ngx_str_t *json, ngx_pool_t *pool, ngx_log_t *log, ngx_str_t *why)
{
    ngx_int_t                    rc;
    ngx_ors_jsonschema_report_t  report;

    if (schema->len == 0) {
        return NGX_OK;
    }

    rc = ngx_ors_conform_check(conform, schema, json, &report);

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, log, 0,
                   "ors schema: %uz bytes checked, %ui steps so far, rc %i",
                   json->len, conform->steps, rc);

    if (rc == NGX_BUSY) {
        conform->unchecked++;

        ngx_log_error(NGX_LOG_INFO, log, 0,
                      "%V of the model is not checked: schema or value "
                      "cannot be used, keyword \"%s\"", what, report.keyword);
        return NGX_OK;
    }

    return (rc == NGX_DECLINED)
           ? ngx_ors_conform_violated(conform, what, pool, log, &report, why)
           : rc;
}


/* NGX_BUSY: it cannot be checked */

static ngx_int_t
ngx_ors_conform_check(ngx_ors_conform_t *conform, ngx_str_t *schema,
    ngx_str_t *json, ngx_ors_jsonschema_report_t *report)
{
    u_char                 digest[NGX_ORS_DIGEST_LEN];
    ngx_int_t              rc;
    ngx_uint_t             max, left;
    ngx_ors_jsonschema_t  *compiled;

    max = conform->cache->limits.steps;

    if (conform->steps >= max) {
        report->keyword = "";
        return NGX_BUSY;
    }

    left = max - conform->steps;

    if (ngx_ors_digest(NGX_ORS_CONFORM_KIND, schema, digest) != NGX_OK) {
        return NGX_ERROR;
    }

    rc = ngx_ors_jsonschema_cache_get(conform->cache, digest, schema, &left,
                                      &compiled, report);
    if (rc == NGX_OK) {
        rc = ngx_ors_jsonschema_check(compiled, json, &left, report);

    } else if (rc == NGX_DECLINED) {
        rc = NGX_BUSY;
    }

    conform->steps = max - left + schema->len / NGX_ORS_CONFORM_BYTES;

    return rc;
}


/* the sentence goes to the model alone: it may quote names that it has made */

static ngx_int_t
ngx_ors_conform_violated(ngx_ors_conform_t *conform, ngx_str_t *what,
    ngx_pool_t *pool, ngx_log_t *log, ngx_ors_jsonschema_report_t *report,
    ngx_str_t *why)
{
    u_char     buf[NGX_ORS_LINE_MAX];
    ngx_str_t  path;

    conform->violations++;

    path.data = buf;
    path.len = ngx_ors_line_copy(buf, report->path.data,
                                 ngx_min(report->path.len, NGX_ORS_LINE_MAX))
               - buf;

    ngx_log_error(NGX_LOG_WARN, log, 0,
                  "%V of the model violates \"%s\" of its schema at \"%V\"",
                  what, report->keyword, &path);

    return (ngx_ors_str_copy(why, pool, &report->text) == NGX_OK)
           ? NGX_DECLINED : NGX_ERROR;
}


void
ngx_ors_conform_format(ngx_ors_request_t *req, ngx_str_t *schema)
{
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *format, *node;

    json = &req->json;

    format = ngx_ors_json_find(json, req->field[ngx_ors_rq_text], "format");
    node = ngx_ors_json_find(json, format, "schema");

    if (node && node->type == ngx_ors_json_object
        && ngx_ors_json_is(json, ngx_ors_json_find(json, format, "type"),
                           "json_schema"))
    {
        ngx_ors_json_raw(json, node, schema);

    } else {
        ngx_str_null(schema);
    }
}
