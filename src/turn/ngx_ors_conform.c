
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Texts of a model checked against the schemas of its request, and a round that
 * does not match them: reported, refused or withdrawn.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_conform.h>
#include <ngx_ors_digest.h>
#include <ngx_ors_error.h>
#include <ngx_ors_text.h>
#include <ngx_ors_conf.h>
#include <ngx_ors_arguments.h>
#include <ngx_ors_builder_items.h>
#include <ngx_ors_round.h>


/* kind of the digests, see ngx_ors_digest() */
#define NGX_ORS_CONFORM_KIND   'j'

/* bytes of a schema that are hashed in the time of a step */
#define NGX_ORS_CONFORM_BYTES  32

#define NGX_ORS_CONFORM_CACHE_MAX   256
#define NGX_ORS_CONFORM_CACHE_SIZE  (16 * 1024 * 1024)

/* text for the model in front of the sentence about a call */
#define NGX_ORS_ROUND_CALL                                                    \
    "The tool was not called: its arguments do not match its schema. "

#define NGX_ORS_ROUND_BLOCK  1024

#define NGX_ORS_ROUND_OUTPUT                                                  \
    "The answer does not match the JSON Schema that it must have. "


static ngx_int_t ngx_ors_conform_check(ngx_ors_conform_t *conform,
    ngx_str_t *schema, ngx_str_t *json, ngx_ors_jsonschema_report_t *report);
static void ngx_ors_conform_cache_release(void *data);
static ngx_int_t ngx_ors_round_check(ngx_ors_round_t *round,
    ngx_ors_builder_t *builder, ngx_ors_item_t **wrong);
static ngx_int_t ngx_ors_round_check_output(ngx_ors_round_t *round,
    ngx_ors_builder_t *builder, ngx_ors_item_t *item);
static ngx_int_t ngx_ors_round_fault(ngx_ors_builder_t *builder,
    ngx_ors_item_t *item, char *prefix, ngx_str_t *why);
static ngx_int_t ngx_ors_round_withdraw(ngx_ors_round_t *round,
    ngx_ors_builder_t *builder, ngx_ors_item_t *wrong);


static ngx_conf_enum_t  ngx_ors_conform_modes[] = {
    { ngx_string("off"), ngx_ors_conform_off },
    { ngx_string("report"), ngx_ors_conform_report },
    { ngx_string("enforce"), ngx_ors_conform_enforce },
    { ngx_null_string, 0 }
};


static ngx_ors_conf_param_t  ngx_ors_conform_params[] = {

    { ngx_string("retry="), ngx_ors_conf_param_number,
      offsetof(ngx_ors_conform_t, retry), 0, NGX_ORS_CONFORM_RETRY_MAX, NULL,
      "a number from 0 to 5" },

    { ngx_null_string, NULL, 0, 0, 0, NULL, NULL }
};


static ngx_ors_conf_param_t  ngx_ors_conform_cache_params[] = {

    { ngx_string("max="), ngx_ors_conf_param_number,
      offsetof(ngx_ors_jsonschema_cache_t, max), 1, 0, NULL,
      "a number above 0" },

    { ngx_string("size="), ngx_ors_conf_param_size,
      offsetof(ngx_ors_jsonschema_cache_t, max_size), 1, 0, NULL,
      "a size above 0" },

    { ngx_null_string, NULL, 0, 0, 0, NULL, NULL }
};


ngx_int_t
ngx_ors_conform(ngx_ors_conform_t *conform, ngx_str_t *what, ngx_str_t *schema,
    ngx_str_t *json, ngx_pool_t *pool, ngx_log_t *log, ngx_str_t *why)
{
    u_char                       buf[NGX_ORS_LINE_MAX];
    ngx_int_t                    rc;
    ngx_str_t                    path;
    ngx_ors_jsonschema_report_t  report;

    ngx_str_null(why);

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

    if (rc != NGX_DECLINED) {
        return rc;
    }

    conform->violations++;

    path.data = buf;
    path.len = ngx_ors_line_copy(buf, report.path.data,
                                 ngx_min(report.path.len, NGX_ORS_LINE_MAX))
               - buf;

    ngx_log_error(NGX_LOG_WARN, log, 0,
                  "%V of the model violates \"%s\" of its schema at \"%V\"",
                  what, report.keyword, &path);

    /* only the model reads the sentence: it may quote names it has made */

    return (ngx_ors_str_copy(why, pool, &report.text) == NGX_OK)
           ? NGX_DECLINED : NGX_ERROR;
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


/* "open_responses_schema" and "open_responses_schema_cache". */


char *
ngx_ors_conform_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    char  *p = conf;

    ngx_str_t          *value;
    ngx_ors_conform_t  *conform;

    conform = (ngx_ors_conform_t *) (p + cmd->offset);
    value = cf->args->elts;

    if (conform->mode != NGX_CONF_UNSET_UINT) {
        return "is duplicate";
    }

    if (ngx_ors_conf_value(cf, "", &cmd->name, ngx_ors_conform_modes,
                           &value[1], &conform->mode)
        != NGX_OK)
    {
        return NGX_CONF_ERROR;
    }

    if (cf->args->nelts == 2) {
        conform->retry = NGX_ORS_CONFORM_RETRY;
        return NGX_CONF_OK;
    }

    conform->retry = NGX_CONF_UNSET_UINT;

    if (conform->mode == ngx_ors_conform_enforce) {
        return ngx_ors_conf_params(cf, ngx_ors_conform_params, conform, 2,
                                   NULL, NULL);
    }

    ngx_ors_conf_error(cf, 0,
                       "invalid parameter \"%V\" of \"%V %V\", it is of "
                       "\"enforce\" only", &value[2], &cmd->name, &value[1]);
    return NGX_CONF_ERROR;
}


char *
ngx_ors_conform_cache_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    char  *p = conf;

    ngx_ors_jsonschema_cache_t  *cache;

    cache = (ngx_ors_jsonschema_cache_t *) (p + cmd->offset);

    if (cache->max || cache->max_size) {
        return "is duplicate";
    }

    cache->max = NGX_CONF_UNSET_UINT;
    cache->max_size = NGX_CONF_UNSET_SIZE;

    if (ngx_ors_conf_params(cf, ngx_ors_conform_cache_params, cache, 1, NULL,
                            NULL)
        != NGX_CONF_OK)
    {
        return NGX_CONF_ERROR;
    }

    ngx_conf_init_uint_value(cache->max, NGX_ORS_CONFORM_CACHE_MAX);
    ngx_conf_init_size_value(cache->max_size, NGX_ORS_CONFORM_CACHE_SIZE);

    return NGX_CONF_OK;
}


ngx_int_t
ngx_ors_conform_cache_init(ngx_conf_t *cf, ngx_ors_jsonschema_cache_t *cache)
{
    size_t                        size;
    ngx_uint_t                    max;
    ngx_pool_cleanup_t           *cln;
    ngx_ors_jsonschema_limits_t   limits;

    cln = ngx_pool_cleanup_add(cf->pool, 0);
    if (cln == NULL) {
        return NGX_ERROR;
    }

    max = cache->max ? cache->max : NGX_ORS_CONFORM_CACHE_MAX;
    size = cache->max_size ? cache->max_size : NGX_ORS_CONFORM_CACHE_SIZE;

    ngx_ors_jsonschema_limits_default(&limits);
    ngx_ors_jsonschema_cache_init(cache, max, size, &limits,
                                  &cf->cycle->new_log);

    cln->handler = ngx_ors_conform_cache_release;
    cln->data = cache;

    return NGX_OK;
}


static void
ngx_ors_conform_cache_release(void *data)
{
    ngx_ors_jsonschema_cache_clear(data);
}


/*
 * A round that is over, beside its schemas: shown to the client, or withdrawn
 * and asked for again.
 */


ngx_int_t
ngx_ors_round_conform(ngx_ors_round_t *round, ngx_ors_builder_t *builder,
    ngx_ors_error_t *err)
{
    ngx_ors_item_t  *item, *wrong;

    wrong = NULL;

    if (builder->resp->status == ngx_ors_response_completed
        && ngx_ors_round_check(round, builder, &wrong) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (wrong && round->conform.mode == ngx_ors_conform_enforce) {

        if (round->conform.repeats == round->conform.retry) {

            if (ngx_ors_item_is_call(wrong)) {
                (void) ngx_ors_error_set(err, builder->pool,
                                         ngx_ors_code_model_error,
                                         "the model called \"%V\" with "
                                         "arguments that do not match its "
                                         "schema", &wrong->name);

            } else {
                (void) ngx_ors_error_set(err, builder->pool,
                                         ngx_ors_code_model_error,
                                         "the model's answer does not match "
                                         "the schema of \"text.format\"");
            }

            ngx_str_set(&err->type, "model_error");

            return NGX_DECLINED;
        }

        if (ngx_ors_round_withdraw(round, builder, wrong) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    for (item = ngx_ors_builder_first(builder); item; item = item->next) {
        item->held = 0;
    }

    return ngx_ors_builder_advance(builder, 1);
}


/* calls that run here are checked when they are about to run */

static ngx_int_t
ngx_ors_round_check(ngx_ors_round_t *round, ngx_ors_builder_t *builder,
    ngx_ors_item_t **wrong)
{
    ngx_int_t        rc;
    ngx_str_t        arguments;
    ngx_uint_t       calls;
    ngx_ors_item_t  *item, *last;

    calls = 0;
    last = NULL;

    for (item = ngx_ors_builder_first(builder); item; item = item->next) {

        if (item->dropped) {
            continue;
        }

        if (item->type == ngx_ors_item_message) {
            last = item;
        }

        if (!ngx_ors_item_is_call(item)) {
            continue;
        }

        calls = 1;

        if (item->tool || item->schema.len == 0) {
            continue;
        }

        if (ngx_ors_arguments_text(&item->arguments, builder->limits,
                                   builder->pool, &arguments)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        rc = ngx_ors_round_check_call(round, builder, item, &arguments);

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }

        if (rc == NGX_DECLINED && *wrong == NULL) {
            *wrong = item;
        }
    }

    if (calls || last == NULL || builder->schema.len == 0) {
        return NGX_OK;
    }

    if (ngx_ors_round_check_output(round, builder, last) != NGX_OK) {
        return NGX_ERROR;
    }

    if (last->fault.len) {
        *wrong = last;
    }

    return NGX_OK;
}


ngx_int_t
ngx_ors_round_check_call(ngx_ors_round_t *round, ngx_ors_builder_t *builder,
    ngx_ors_item_t *item, ngx_str_t *arguments)
{
    u_char     buf[NGX_ORS_ROUND_WHAT];
    ngx_int_t  rc;
    ngx_str_t  what, why;

    if (item->schema.len == 0) {
        return NGX_OK;
    }

    what.data = buf;
    what.len = ngx_snprintf(buf, NGX_ORS_ROUND_WHAT, "call of tool \"%V\"",
                            &item->name)
               - buf;

    rc = ngx_ors_conform(&round->conform, &what, &item->schema, arguments,
                         builder->pool, builder->log, &why);

    if (rc != NGX_DECLINED
        || round->conform.mode != ngx_ors_conform_enforce)
    {
        return (rc == NGX_ERROR) ? NGX_ERROR : NGX_OK;
    }

    return (ngx_ors_round_fault(builder, item, NGX_ORS_ROUND_CALL, &why)
            == NGX_OK)
           ? NGX_DECLINED : NGX_ERROR;
}


/* sets item->fault */

static ngx_int_t
ngx_ors_round_check_output(ngx_ors_round_t *round, ngx_ors_builder_t *builder,
    ngx_ors_item_t *item)
{
    ngx_int_t        rc;
    ngx_str_t        piece, text, why;
    ngx_ors_out_t    out;
    ngx_ors_part_t  *part;

    static ngx_str_t  what = ngx_string("structured output");

    ngx_ors_out_init(&out, builder->pool, NGX_ORS_ROUND_BLOCK);

    for (part = item->parts; part; part = part->next) {

        /* the model refuses to answer */

        if (part->type != ngx_ors_part_output_text) {
            return NGX_OK;
        }

        if (part->text.len == 0) {
            continue;
        }

        if (ngx_ors_arguments_text(&part->text, builder->limits,
                                   builder->pool, &piece)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        ngx_ors_out_ref(&out, piece.data, piece.len);
    }

    if (ngx_ors_out_text(&out, &text) != NGX_OK) {
        return NGX_ERROR;
    }

    rc = ngx_ors_conform(&round->conform, &what, &builder->schema, &text,
                         builder->pool, builder->log, &why);

    return (rc == NGX_DECLINED)
           ? ngx_ors_round_fault(builder, item, NGX_ORS_ROUND_OUTPUT, &why)
           : rc;
}


static ngx_int_t
ngx_ors_round_fault(ngx_ors_builder_t *builder, ngx_ors_item_t *item,
    char *prefix, ngx_str_t *why)
{
    u_char  *p;

    p = ngx_pnalloc(builder->pool, ngx_strlen(prefix) + why->len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    item->fault.data = p;
    item->fault.len = ngx_sprintf(p, "%s%V", prefix, why) - p;

    return NGX_OK;
}


/*
 * The client gets none of its calls, or no text: the model reads what was
 * wrong with one of them, and makes all of them again
 */

static ngx_int_t
ngx_ors_round_withdraw(ngx_ors_round_t *round, ngx_ors_builder_t *builder,
    ngx_ors_item_t *wrong)
{
    ngx_uint_t       call;
    ngx_ors_item_t  *item;

    static ngx_str_t  again = ngx_string(
        "The tool was not called, as the arguments of another call do not "
        "match their schema. Call it again.");

    round->conform.repeats++;
    round->repeat = 1;

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, builder->log, 0,
                   "ors schema: the model is asked again, %ui of %ui",
                   round->conform.repeats, round->conform.retry);

    if (!ngx_ors_item_is_call(wrong)) {
        round->again = wrong->fault;
    }

    for (item = ngx_ors_builder_first(builder); item; item = item->next) {

        if (!item->held || item->dropped) {
            continue;
        }

        call = ngx_ors_item_is_call(item);

        if (call != ngx_ors_item_is_call(wrong)) {
            continue;
        }

        if (call && item->fault.len == 0) {
            item->fault = again;
        }

        if (ngx_ors_builder_conceal(builder, item) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}
