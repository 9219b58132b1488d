
/*
 * The keywords, in the order in which they are checked: each with what reads
 * it from a schema and what checks an instance.
 */


#ifndef _NGX_ORS_JSONSCHEMA_KEYWORDS_H_INCLUDED_
#define _NGX_ORS_JSONSCHEMA_KEYWORDS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_jsonschema_node.h>


/*
 * Tables that end with a row without a name: what looks at a value by itself,
 * what applies other schemas to it, what looks at its members.
 */

extern const ngx_ors_jsonschema_keyword_t  ngx_ors_jsonschema_assertions[];
extern const ngx_ors_jsonschema_keyword_t  ngx_ors_jsonschema_applicators[];
extern const ngx_ors_jsonschema_keyword_t  ngx_ors_jsonschema_members[];


/*
 * Checks that an object has all of "names", which its member "by" asks for, or
 * the schema if it is NULL.  Return codes are those of the walk.
 */
ngx_int_t ngx_ors_jsonschema_needed(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_strings_t *names, ngx_ors_jsonschema_at_t *at,
    ngx_str_t *by);


#endif /* _NGX_ORS_JSONSCHEMA_KEYWORDS_H_INCLUDED_ */
