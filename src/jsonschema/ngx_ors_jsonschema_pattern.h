
/*
 * Patterns of schemas: ECMA-262 expressions as near as libpcre2 comes to them.
 *
 * What differs: \s is ASCII only, "." takes U+2028 and U+2029, \p{} knows the
 * short names of categories; lookbehinds of unbounded length are refused.
 * Groups and escapes that only Perl has, options among them, are refused.
 */


#ifndef _NGX_ORS_JSONSCHEMA_PATTERN_H_INCLUDED_
#define _NGX_ORS_JSONSCHEMA_PATTERN_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


typedef struct ngx_ors_jsonschema_pattern_s  ngx_ors_jsonschema_pattern_t;


/* zeroed memory has no patterns */

typedef struct {
    ngx_ors_jsonschema_pattern_t  *first;
    ngx_log_t                     *log;
    void                          *memory;     /* contexts of libpcre2 */
    void                          *compile;
    void                          *match;
    size_t                         size;       /* of all compiled patterns */
    size_t                         max;
} ngx_ors_jsonschema_patterns_t;


/* state of matching in one check; zeroed, but for "steps" */

typedef struct {
    void                          *data;
    ngx_uint_t                    *steps;      /* that are left, counted down */
    ngx_uint_t                     cost;       /* of an item that is tried */
} ngx_ors_jsonschema_match_t;


/*
 * Compiles "text", UTF-8, into memory of "pool" and of libpcre2; all patterns
 * are freed by ngx_ors_jsonschema_patterns_free(), once.  Takes a step for each
 * byte, and more where libpcre2 compares repeated items with one another.
 *
 * NGX_OK         "*pattern" is set
 * NGX_DECLINED   not a pattern, or too large
 * NGX_BUSY       no steps are left
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_jsonschema_pattern_compile(
    ngx_ors_jsonschema_patterns_t *patterns, ngx_pool_t *pool, ngx_str_t *text,
    ngx_uint_t *steps, ngx_ors_jsonschema_pattern_t **pattern);

void ngx_ors_jsonschema_patterns_free(ngx_ors_jsonschema_patterns_t *patterns);

/*
 * Searches "text", UTF-8.  The search takes steps, and so does each item of the
 * pattern that is tried, more of them the longer the text and the classes are.
 *
 * NGX_OK         found
 * NGX_DECLINED   not found
 * NGX_BUSY       no steps are left, or a limit of libpcre2
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_jsonschema_pattern_match(
    ngx_ors_jsonschema_patterns_t *patterns,
    ngx_ors_jsonschema_pattern_t *pattern, ngx_ors_jsonschema_match_t *match,
    const char *text, size_t len);

void ngx_ors_jsonschema_match_free(ngx_ors_jsonschema_match_t *match);


#endif /* _NGX_ORS_JSONSCHEMA_PATTERN_H_INCLUDED_ */
