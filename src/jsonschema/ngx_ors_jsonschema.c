
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The cache of compiled schemas, in chains by digest and in one queue by their
 * last use.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_jsonschema.h>
#include <ngx_ors_jsonschema_node.h>


#define NGX_ORS_JSONSCHEMA_CACHE_POOL  1024


/* allocated from its pool */

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

    if (entry->schema == NULL) {
        (void) ngx_ors_jsonschema_refuse(report, entry->keyword,
                                         "schema cannot be used");
        return NGX_DECLINED;
    }

    return NGX_OK;
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

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, cache->log, 0,
                   "ors schema: compiled, rc %i, %uz bytes, %ui steps left",
                   rc, text->len, *steps);

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
