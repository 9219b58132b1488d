
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Entries in chains by digest, and in one queue by their last use.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_jsonschema.h>
#include <ngx_ors_jsonschema_node.h>


#define NGX_ORS_JSONSCHEMA_CACHE_POOL  1024

/* digits of a negative exponent from which a number may come to be 0 */
#define NGX_ORS_JSONSCHEMA_TINY  3


/* in memory of its own pool */

typedef struct {
    ngx_queue_t            used;
    ngx_queue_t            chain;
    ngx_pool_t            *pool;
    ngx_ors_jsonschema_t  *schema;     /* NULL: it cannot be used */
    char                  *keyword;    /* why not */
    size_t                 size;
    u_char                 digest[NGX_ORS_JSONSCHEMA_DIGEST];
} ngx_ors_jsonschema_cached_t;


static ngx_ors_jsonschema_cached_t *ngx_ors_jsonschema_cache_find(
    ngx_queue_t *chain, u_char *digest);
static ngx_int_t ngx_ors_jsonschema_cache_add(
    ngx_ors_jsonschema_cache_t *cache, ngx_queue_t *chain, u_char *digest,
    ngx_str_t *text, ngx_uint_t *steps, ngx_ors_jsonschema_cached_t **entry,
    ngx_ors_jsonschema_report_t *report);
static void ngx_ors_jsonschema_cache_delete(ngx_ors_jsonschema_cache_t *cache);
static void ngx_ors_jsonschema_extent(ngx_str_t *text, ngx_uint_t max,
    ngx_ors_jsonschema_extent_t *e);
static u_char *ngx_ors_jsonschema_string_end(u_char *p, u_char *last);
static ngx_uint_t ngx_ors_jsonschema_tiny(u_char *p, u_char *last);
static ngx_int_t ngx_ors_jsonschema_load_error(json_error_t *jerr,
    ngx_ors_jsonschema_report_t *report);


void
ngx_ors_jsonschema_cache_init(ngx_ors_jsonschema_cache_t *cache,
    ngx_uint_t max, size_t max_size, ngx_ors_jsonschema_limits_t *limits,
    ngx_log_t *log)
{
    ngx_uint_t  i;

    ngx_memzero(cache, sizeof(ngx_ors_jsonschema_cache_t));

    cache->max = max;
    cache->max_size = max_size;
    cache->limits = *limits;
    cache->limits.memory = max_size;
    cache->log = log;

    ngx_queue_init(&cache->used);

    for (i = 0; i < NGX_ORS_JSONSCHEMA_CHAINS; i++) {
        ngx_queue_init(&cache->chains[i]);
    }
}


ngx_int_t
ngx_ors_jsonschema_cache_get(ngx_ors_jsonschema_cache_t *cache,
    u_char *digest, ngx_str_t *text, ngx_uint_t *steps,
    ngx_ors_jsonschema_t **schema, ngx_ors_jsonschema_report_t *report)
{
    ngx_int_t                     rc;
    ngx_queue_t                  *chain;
    ngx_ors_jsonschema_cached_t  *entry;

    chain = &cache->chains[digest[0] % NGX_ORS_JSONSCHEMA_CHAINS];
    entry = ngx_ors_jsonschema_cache_find(chain, digest);

    if (entry) {
        ngx_queue_remove(&entry->used);

    } else {
        rc = ngx_ors_jsonschema_cache_add(cache, chain, digest, text, steps,
                                          &entry, report);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    ngx_queue_insert_head(&cache->used, &entry->used);

    while (cache->n > 1
           && (cache->n > cache->max || cache->size > cache->max_size))
    {
        ngx_ors_jsonschema_cache_delete(cache);
    }

    *schema = entry->schema;

    return entry->schema ? NGX_OK
                         : ngx_ors_jsonschema_refuse(report, entry->keyword,
                                                     "schema cannot be used");
}


static ngx_ors_jsonschema_cached_t *
ngx_ors_jsonschema_cache_find(ngx_queue_t *chain, u_char *digest)
{
    ngx_queue_t                  *q;
    ngx_ors_jsonschema_cached_t  *entry;

    for (q = ngx_queue_head(chain);
         q != ngx_queue_sentinel(chain);
         q = ngx_queue_next(q))
    {
        entry = ngx_queue_data(q, ngx_ors_jsonschema_cached_t, chain);

        if (ngx_memcmp(entry->digest, digest, NGX_ORS_JSONSCHEMA_DIGEST) == 0)
        {
            return entry;
        }
    }

    return NULL;
}


/* the entry is in its chain, but not yet in the queue */

static ngx_int_t
ngx_ors_jsonschema_cache_add(ngx_ors_jsonschema_cache_t *cache,
    ngx_queue_t *chain, u_char *digest, ngx_str_t *text, ngx_uint_t *steps,
    ngx_ors_jsonschema_cached_t **entry, ngx_ors_jsonschema_report_t *report)
{
    ngx_int_t                     rc;
    ngx_uint_t                    all;
    ngx_pool_t                   *pool;
    ngx_ors_jsonschema_t         *schema;
    ngx_ors_jsonschema_cached_t  *e;

    pool = ngx_create_pool(NGX_ORS_JSONSCHEMA_CACHE_POOL, cache->log);
    if (pool == NULL) {
        return NGX_ERROR;
    }

    all = (*steps == cache->limits.steps);

    rc = ngx_ors_jsonschema_compile(&schema, pool, text, &cache->limits, steps,
                                    report);

    if (rc == NGX_DECLINED || (rc == NGX_BUSY && all)) {

        /* only that it cannot be used is kept */

        ngx_destroy_pool(pool);

        pool = ngx_create_pool(NGX_ORS_JSONSCHEMA_CACHE_POOL, cache->log);
        if (pool == NULL) {
            return NGX_ERROR;
        }

        schema = NULL;
        rc = NGX_OK;
    }

    e = (rc == NGX_OK) ? ngx_palloc(pool, sizeof(ngx_ors_jsonschema_cached_t))
                       : NULL;
    if (e == NULL) {
        ngx_destroy_pool(pool);
        return (rc == NGX_OK) ? NGX_ERROR : rc;
    }

    e->pool = pool;
    e->schema = schema;
    e->keyword = report->keyword;
    e->size = NGX_ORS_JSONSCHEMA_CACHE_POOL
              + (schema ? ngx_ors_jsonschema_size(schema) : 0);

    ngx_memcpy(e->digest, digest, NGX_ORS_JSONSCHEMA_DIGEST);
    ngx_queue_insert_head(chain, &e->chain);

    cache->size += e->size;
    cache->n++;

    *entry = e;

    return NGX_OK;
}


/* the one that was used least recently */

static void
ngx_ors_jsonschema_cache_delete(ngx_ors_jsonschema_cache_t *cache)
{
    ngx_ors_jsonschema_cached_t  *entry;

    entry = ngx_queue_data(ngx_queue_last(&cache->used),
                           ngx_ors_jsonschema_cached_t, used);

    ngx_queue_remove(&entry->used);
    ngx_queue_remove(&entry->chain);

    cache->size -= entry->size;
    cache->n--;

    ngx_destroy_pool(entry->pool);
}


void
ngx_ors_jsonschema_cache_clear(ngx_ors_jsonschema_cache_t *cache)
{
    while (cache->n) {
        ngx_ors_jsonschema_cache_delete(cache);
    }
}


/*
 * The limits of a text, counted before jansson parses it.
 */


ngx_int_t
ngx_ors_jsonschema_load(ngx_str_t *text, ngx_ors_jsonschema_limits_t *limits,
    ngx_ors_jsonschema_extent_t *e, json_t **root,
    ngx_ors_jsonschema_report_t *report)
{
    json_error_t  jerr;

    if (text->len > limits->size) {
        return ngx_ors_jsonschema_busy(report, "has more than %uz bytes",
                                       limits->size);
    }

    ngx_ors_jsonschema_extent(text, limits->depth, e);

    if (e->depth > limits->depth) {
        return ngx_ors_jsonschema_busy(report, "has more than %ui levels",
                                       limits->depth);
    }

    if (e->values > limits->values) {
        return ngx_ors_jsonschema_busy(report, "has more than %ui values",
                                       limits->values);
    }

    if (e->tiny) {
        return ngx_ors_jsonschema_busy(report,
                                       "has a number that is too small");
    }

    *root = json_loadb((char *) text->data, text->len,
                       JSON_REJECT_DUPLICATES|JSON_DECODE_ANY|JSON_ALLOW_NUL,
                       &jerr);
    if (*root == NULL) {
        return ngx_ors_jsonschema_load_error(&jerr, report);
    }

    return NGX_OK;
}


/* how large jansson's tree would be, before it is made */

static void
ngx_ors_jsonschema_extent(ngx_str_t *text, ngx_uint_t max,
    ngx_ors_jsonschema_extent_t *e)
{
    u_char      *p, *last;
    ngx_uint_t   depth;

    ngx_memzero(e, sizeof(ngx_ors_jsonschema_extent_t));

    depth = 0;
    e->values = 1;
    last = text->data + text->len;

    for (p = text->data; p < last; p++) {

        switch (*p) {

        case '"':
            p = ngx_ors_jsonschema_string_end(p + 1, last);
            break;

        case '{':
            e->objects++;

            /* fall through */

        case '[':
            e->values++;
            depth++;

            if (depth > e->depth) {
                e->depth = depth;
            }

            if (depth > max) {
                return;
            }

            break;

        case '}':
        case ']':
            depth -= (depth != 0);
            break;

        case ',':
            e->values++;
            break;

        case 'e':
        case 'E':
            e->tiny |= ngx_ors_jsonschema_tiny(p + 1, last);
            break;

        default:
            break;
        }
    }
}


/* the quote that ends the string, or "last" */

static u_char *
ngx_ors_jsonschema_string_end(u_char *p, u_char *last)
{
    for ( /* void */ ; p < last && *p != '"'; p++) {

        if (*p == '\\' && p + 1 < last) {
            p++;
        }
    }

    return p;
}


/* 1 if what comes after an "e" is an exponent that jansson may take for 0 */

static ngx_uint_t
ngx_ors_jsonschema_tiny(u_char *p, u_char *last)
{
    ngx_uint_t  n;

    if (p == last || *p != '-') {
        return 0;
    }

    for (p++; p < last && *p == '0'; p++) { /* void */ }

    for (n = 0; p < last && *p >= '0' && *p <= '9'; p++) {
        n++;
    }

    return n >= NGX_ORS_JSONSCHEMA_TINY;
}


static ngx_int_t
ngx_ors_jsonschema_load_error(json_error_t *jerr,
    ngx_ors_jsonschema_report_t *report)
{
    switch (json_error_code(jerr)) {

    case json_error_premature_end_of_input:
    case json_error_end_of_input_expected:
        break;

    case json_error_invalid_syntax:

        /* half of a surrogate pair is legal JSON */

        if (ngx_strncmp(jerr->text, "invalid Unicode '",
                        sizeof("invalid Unicode '") - 1)
            != 0)
        {
            break;
        }

        return ngx_ors_jsonschema_busy(report,
                                       "has half of a surrogate pair");

    case json_error_duplicate_key:
        return ngx_ors_jsonschema_busy(report, "has a name twice");

    case json_error_null_byte_in_key:
        return ngx_ors_jsonschema_busy(report, "has a name with U+0000");

    case json_error_numeric_overflow:
        return ngx_ors_jsonschema_busy(report,
                                       "has a number that is too large");

    case json_error_invalid_utf8:
        return ngx_ors_jsonschema_busy(report, "is not UTF-8");

    default:
        return NGX_ERROR;
    }

    return ngx_ors_jsonschema_refuse(report, "json",
                                     "is not JSON, near line %d column %d",
                                     jerr->line, jerr->column);
}
