
/*
 * Citations in a text: the addresses in it that are sources of a search.
 */


#ifndef _NGX_ORS_CITATIONS_H_INCLUDED_
#define _NGX_ORS_CITATIONS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_route.h>
#include <ngx_ors_names.h>


/* insides of JSON strings */

typedef struct {
    ngx_str_t                url;
    ngx_str_t                title;
} ngx_ors_web_source_t;


/* zeroed memory: there are no sources */

typedef struct {
    ngx_ors_names_t          urls;        /* decoded; numbers in "list" */
    ngx_array_t              list;        /* of ngx_ors_web_source_t */
} ngx_ors_sources_t;


/* of zeroed memory the caller sets the first two members */

typedef struct {
    ngx_str_t                text;        /* UTF-8 */
    ngx_uint_t               cut;         /* the model would have said more */

    ngx_ors_web_source_t    *source;
    ngx_uint_t               start;       /* in code points */
    ngx_uint_t               end;

    size_t                   pos;         /* in bytes: what comes next */
    size_t                   last;        /* the end of the last address */
    size_t                   counted;     /* bytes in "points" */
    ngx_uint_t               points;
} ngx_ors_citation_t;


/*
 * Adds the sources of a search: "list" is a JSON list of objects with "url"
 * and perhaps "title", which are copied.  What is no address of http or https,
 * what is very long, and what is more than the first thousand is left out.
 * NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_sources_add(ngx_ors_sources_t *sources,
    ngx_ors_limits_t *limits, ngx_pool_t *pool, ngx_str_t *list);

/*
 * Finds the next citation in the text: the address of a source as it stands
 * there, or the Markdown link that has it.  "start" and "end" are its ends.
 *
 * NGX_OK     the source, start and end are set
 * NGX_DONE   there is no other
 */
ngx_int_t ngx_ors_citation_next(ngx_ors_sources_t *sources,
    ngx_ors_citation_t *citation);


#endif /* _NGX_ORS_CITATIONS_H_INCLUDED_ */
