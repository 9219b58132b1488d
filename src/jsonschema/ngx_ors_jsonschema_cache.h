
/*
 * Compiled schemas of one worker, found by the digest of their text.
 */


#ifndef _NGX_ORS_JSONSCHEMA_CACHE_H_INCLUDED_
#define _NGX_ORS_JSONSCHEMA_CACHE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_jsonschema.h>


#define NGX_ORS_JSONSCHEMA_DIGEST  16
#define NGX_ORS_JSONSCHEMA_CHAINS  64


typedef struct {
    ngx_queue_t                   used;      /* the last one used is first */
    ngx_queue_t                   chains[NGX_ORS_JSONSCHEMA_CHAINS];
    ngx_ors_jsonschema_limits_t   limits;
    ngx_log_t                    *log;
    ngx_uint_t                    n;
    ngx_uint_t                    max;
    size_t                        size;
    size_t                        max_size;
} ngx_ors_jsonschema_cache_t;


/*
 * Prepares an empty cache of up to "max" schemas and about "max_size" bytes,
 * compiled with a copy of "limits", but none takes more than "max_size"; "log"
 * must live as long as the cache.
 */
void ngx_ors_jsonschema_cache_init(ngx_ors_jsonschema_cache_t *cache,
    ngx_uint_t max, size_t max_size, ngx_ors_jsonschema_limits_t *limits,
    ngx_log_t *log);

/*
 * Finds the schema with "digest", NGX_ORS_JSONSCHEMA_DIGEST bytes that no
 * other text has, or compiles "text" in the "*steps" that are left.  "*schema"
 * belongs to the cache and is borrowed until the next call: then those used
 * least recently may go.  The newest one stays.
 *
 * NGX_OK         "*schema" is set
 * NGX_DECLINED   a schema that cannot be used: "report" says why; this is kept,
 *                without the sentence
 * NGX_BUSY       no steps are left
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_jsonschema_cache_get(ngx_ors_jsonschema_cache_t *cache,
    u_char *digest, ngx_str_t *text, ngx_uint_t *steps,
    ngx_ors_jsonschema_t **schema, ngx_ors_jsonschema_report_t *report);

/* Releases all schemas. */
void ngx_ors_jsonschema_cache_clear(ngx_ors_jsonschema_cache_t *cache);


#endif /* _NGX_ORS_JSONSCHEMA_CACHE_H_INCLUDED_ */
