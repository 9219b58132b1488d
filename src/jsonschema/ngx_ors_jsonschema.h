
/*
 * JSON Schemas of clients, draft 2020-12: a schema is compiled once, then
 * texts are checked against it.
 *
 * A schema is read as draft 2020-12, also where its "$schema" is an older one.
 * "format" and "content*" are annotations; references stay inside of the
 * document.  Real numbers are doubles: digits after the 17th do not count.
 *
 * Whatever cannot be decided has its own return code, so that there is never a
 * wrong verdict: an integer beyond 64 bits, 1e400, a name that comes
 * twice or has a U+0000, half a surrogate pair, and everything over a limit.
 */


#ifndef _NGX_ORS_JSONSCHEMA_H_INCLUDED_
#define _NGX_ORS_JSONSCHEMA_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


/* bytes of a path and of a sentence, longer ones are cut */
#define NGX_ORS_JSONSCHEMA_PATH  256
#define NGX_ORS_JSONSCHEMA_TEXT  768


typedef struct ngx_ors_jsonschema_s  ngx_ors_jsonschema_t;


typedef struct {
    size_t        size;        /* bytes of a schema or an instance */
    size_t        memory;      /* bytes that a compiled schema may hold */
    size_t        pattern;     /* bytes of all compiled patterns of a schema */
    ngx_uint_t    depth;       /* levels of a schema or an instance */
    ngx_uint_t    values;      /* values in a schema or an instance */
    ngx_uint_t    nesting;     /* schemas that one check enters at a time */
    ngx_uint_t    steps;       /* for a round of a model: some 50 ns each */
} ngx_ors_jsonschema_limits_t;


/* why there is no schema, or what is wrong with an instance */

typedef struct {
    char         *keyword;     /* static text, "json" for what is no JSON */
    ngx_str_t     path;        /* in path_buf: a.b[2], empty for the root */
    ngx_str_t     text;        /* in text_buf: a sentence for a model */

    u_char        path_buf[NGX_ORS_JSONSCHEMA_PATH];
    u_char        text_buf[NGX_ORS_JSONSCHEMA_TEXT];
} ngx_ors_jsonschema_report_t;


/*
 * Compiled schemas of one worker, found by the digest of their text.
 */

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


/* The limits for what clients and models send: steps end in some 10 ms. */
void ngx_ors_jsonschema_limits_default(ngx_ors_jsonschema_limits_t *limits);

/*
 * Compiles "text", which is not needed afterwards; "limits" are copied.  The
 * schema belongs to "pool": everything that it holds is released with the
 * pool, whose log must live as long.  "*steps" are those that are left, which
 * the work is subtracted from.
 *
 * NGX_OK         "*schema" is set
 * NGX_DECLINED   no schema, or one that cannot be used: "report" says why
 * NGX_BUSY       no steps are left: "report" says so
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_jsonschema_compile(ngx_ors_jsonschema_t **schema,
    ngx_pool_t *pool, ngx_str_t *text, ngx_ors_jsonschema_limits_t *limits,
    ngx_uint_t *steps, ngx_ors_jsonschema_report_t *report);

/* About the bytes of memory that a compiled schema holds. */
size_t ngx_ors_jsonschema_size(ngx_ors_jsonschema_t *schema);

/*
 * Checks the JSON "text", which is borrowed for the call.  A schema serves one
 * check at a time.  The sentence quotes the schema and the names of members
 * of the instance, never its values.  "*steps" as above.
 *
 * NGX_OK         valid
 * NGX_DECLINED   not valid: "report" has the first violation
 * NGX_BUSY       cannot be checked: "report" says why, path is empty
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_jsonschema_check(ngx_ors_jsonschema_t *schema,
    ngx_str_t *text, ngx_uint_t *steps, ngx_ors_jsonschema_report_t *report);

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


#endif /* _NGX_ORS_JSONSCHEMA_H_INCLUDED_ */
