
/*
 * Reasoning of a model whose server leaves it in the text, between
 * <think> and </think> (E57).
 *
 * The first tag counts only as the very beginning of the text, and only
 * once: a model may write about tags.  Where the server's template has it in
 * the prompt, the text begins as a thought, with or without the tag.  A
 * thought that is not closed goes on to the end.  White space around the
 * tags is left out, except before the second one.
 */


#ifndef _NGX_ORS_TAGS_H_INCLUDED_
#define _NGX_ORS_TAGS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_options.h>
#include <ngx_ors_route.h>
#include <ngx_ors_names.h>


/* white space and the beginning of a tag, in any spelling of JSON's */
#define NGX_ORS_TAGS_HELD  128


typedef enum {
    ngx_ors_tags_st_start = 0,
    ngx_ors_tags_st_opened,      /* after the first tag */
    ngx_ors_tags_st_thought,
    ngx_ors_tags_st_closed,      /* after the second tag */
    ngx_ors_tags_st_text
} ngx_ors_tags_state_e;


/* zeroed memory is the state before the first byte, "mode" apart */

typedef struct {
    ngx_ors_chat_think_e    mode;
    ngx_ors_tags_state_e    state;
    ngx_uint_t              match;    /* how much of a tag has come */
    size_t                  len;
    u_char                  held[NGX_ORS_TAGS_HELD];
} ngx_ors_tags_t;


/*
 * Citations in a text: the addresses in it that are sources of a search.
 */


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
 * Takes the next piece out of "text", the inside of a JSON string, legal by
 * itself, and moves its begin on.  "thought" says what it is.  The piece is
 * borrowed from the text, or from "think" until the next call.
 *
 * NGX_OK      "piece" is not empty; there may be more
 * NGX_AGAIN   the text is used up
 */
ngx_int_t ngx_ors_tags_next(ngx_ors_tags_t *tags, ngx_str_t *text,
    ngx_str_t *piece, ngx_uint_t *thought);

/*
 * No text comes next: what was held back because it could have been the
 * beginning of a tag is the last piece.  White space alone is dropped.
 *
 * NGX_OK         "piece" is not empty
 * NGX_DECLINED   there is nothing
 */
ngx_int_t ngx_ors_tags_end(ngx_ors_tags_t *tags, ngx_str_t *piece,
    ngx_uint_t *thought);

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


#endif /* _NGX_ORS_TAGS_H_INCLUDED_ */
