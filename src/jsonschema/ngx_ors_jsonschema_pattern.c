
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Regular expressions with libpcre2, each step of which is counted.
 */


#include <ngx_config.h>
#include <ngx_core.h>

#define PCRE2_CODE_UNIT_WIDTH  8
#include <pcre2.h>

#include <ngx_ors_jsonschema_pattern.h>


#define NGX_ORS_JSONSCHEMA_PATTERN_LEN    4096
#define NGX_ORS_JSONSCHEMA_PATTERN_NEST   64

/* libpcre2's own limits: steps end most matches before them */
#define NGX_ORS_JSONSCHEMA_MATCH_LIMIT    200000
#define NGX_ORS_JSONSCHEMA_MATCH_DEPTH    10000
#define NGX_ORS_JSONSCHEMA_MATCH_HEAP     2048      /* KB */

/* bytes that an item of a pattern may read in the time of a step */
#define NGX_ORS_JSONSCHEMA_MATCH_BYTES    128

#define NGX_ORS_JSONSCHEMA_PATTERN_FLAGS                                      \
    (PCRE2_UTF|PCRE2_NO_UTF_CHECK|PCRE2_DOLLAR_ENDONLY|PCRE2_ALT_BSUX         \
     |PCRE2_ALLOW_EMPTY_CLASS|PCRE2_MATCH_UNSET_BACKREF                       \
     |PCRE2_NEVER_BACKSLASH_C|PCRE2_AUTO_CALLOUT)


struct ngx_ors_jsonschema_pattern_s {
    ngx_ors_jsonschema_pattern_t  *next;
    pcre2_code                    *code;
};


static ngx_int_t ngx_ors_jsonschema_patterns_init(
    ngx_ors_jsonschema_patterns_t *patterns);
static ngx_uint_t ngx_ors_jsonschema_pattern_verb(ngx_str_t *text);
static void *ngx_ors_jsonschema_pattern_alloc(PCRE2_SIZE size, void *data);
static void ngx_ors_jsonschema_pattern_release(void *p, void *data);
static int ngx_ors_jsonschema_pattern_step(pcre2_callout_block *block,
    void *data);


ngx_int_t
ngx_ors_jsonschema_pattern_compile(ngx_ors_jsonschema_patterns_t *patterns,
    ngx_pool_t *pool, ngx_str_t *text, ngx_ors_jsonschema_pattern_t **pattern)
{
    int                            code;
    size_t                         size;
    PCRE2_SIZE                     offset;
    ngx_ors_jsonschema_pattern_t  *p;

    if (ngx_ors_jsonschema_pattern_verb(text)) {
        return NGX_DECLINED;
    }

    if (patterns->memory == NULL
        && ngx_ors_jsonschema_patterns_init(patterns) != NGX_OK)
    {
        return NGX_ERROR;
    }

    p = ngx_palloc(pool, sizeof(ngx_ors_jsonschema_pattern_t));
    if (p == NULL) {
        return NGX_ERROR;
    }

    p->code = pcre2_compile(text->data, text->len,
                            NGX_ORS_JSONSCHEMA_PATTERN_FLAGS, &code, &offset,
                            patterns->compile);
    if (p->code == NULL) {
        return (code == PCRE2_ERROR_HEAP_FAILED) ? NGX_ERROR : NGX_DECLINED;
    }

    p->next = patterns->first;
    patterns->first = p;

    if (pcre2_pattern_info(p->code, PCRE2_INFO_SIZE, &size) != 0) {
        return NGX_ERROR;
    }

    patterns->size += size;
    *pattern = p;

    return (patterns->size > patterns->max) ? NGX_DECLINED : NGX_OK;
}


/* "(*" outside of a class begins what could change the limits */

static ngx_uint_t
ngx_ors_jsonschema_pattern_verb(ngx_str_t *text)
{
    size_t      i;
    ngx_uint_t  class;

    class = 0;

    for (i = 0; i < text->len; i++) {

        switch (text->data[i]) {

        case '\\':
            i++;
            break;

        case '[':
            class = 1;
            break;

        case ']':
            class = 0;
            break;

        case '(':

            if (!class && i + 1 < text->len && text->data[i + 1] == '*') {
                return 1;
            }

            break;
        }
    }

    return 0;
}


static ngx_int_t
ngx_ors_jsonschema_patterns_init(ngx_ors_jsonschema_patterns_t *patterns)
{
    patterns->memory = pcre2_general_context_create(
                                           ngx_ors_jsonschema_pattern_alloc,
                                           ngx_ors_jsonschema_pattern_release,
                                           patterns->log);
    if (patterns->memory == NULL) {
        return NGX_ERROR;
    }

    patterns->compile = pcre2_compile_context_create(patterns->memory);
    patterns->match = pcre2_match_context_create(patterns->memory);

    if (patterns->compile == NULL || patterns->match == NULL) {
        ngx_ors_jsonschema_patterns_free(patterns);
        return NGX_ERROR;
    }

    (void) pcre2_set_newline(patterns->compile, PCRE2_NEWLINE_ANYCRLF);
    (void) pcre2_set_max_pattern_length(patterns->compile,
                                        NGX_ORS_JSONSCHEMA_PATTERN_LEN);
    (void) pcre2_set_parens_nest_limit(patterns->compile,
                                       NGX_ORS_JSONSCHEMA_PATTERN_NEST);
    (void) pcre2_set_compile_extra_options(patterns->compile,
                                           PCRE2_EXTRA_ALT_BSUX);

    (void) pcre2_set_match_limit(patterns->match,
                                 NGX_ORS_JSONSCHEMA_MATCH_LIMIT);
    (void) pcre2_set_depth_limit(patterns->match,
                                 NGX_ORS_JSONSCHEMA_MATCH_DEPTH);
    (void) pcre2_set_heap_limit(patterns->match,
                                NGX_ORS_JSONSCHEMA_MATCH_HEAP);

    return NGX_OK;
}


void
ngx_ors_jsonschema_patterns_free(ngx_ors_jsonschema_patterns_t *patterns)
{
    ngx_ors_jsonschema_pattern_t  *p;

    for (p = patterns->first; p; p = p->next) {
        pcre2_code_free(p->code);
    }

    pcre2_match_context_free(patterns->match);
    pcre2_compile_context_free(patterns->compile);
    pcre2_general_context_free(patterns->memory);

    patterns->first = NULL;
    patterns->match = NULL;
    patterns->compile = NULL;
    patterns->memory = NULL;
}


static void *
ngx_ors_jsonschema_pattern_alloc(PCRE2_SIZE size, void *data)
{
    return ngx_alloc(size, data);
}


static void
ngx_ors_jsonschema_pattern_release(void *p, void *data)
{
    ngx_free(p);
}


ngx_int_t
ngx_ors_jsonschema_pattern_match(ngx_ors_jsonschema_patterns_t *patterns,
    ngx_ors_jsonschema_pattern_t *pattern, ngx_ors_jsonschema_match_t *match,
    const char *text, size_t len)
{
    int  rc;

    if (match->data == NULL) {
        match->data = pcre2_match_data_create(1, patterns->memory);
        if (match->data == NULL) {
            return NGX_ERROR;
        }
    }

    match->cost = 1 + len / NGX_ORS_JSONSCHEMA_MATCH_BYTES;

    (void) pcre2_set_callout(patterns->match, ngx_ors_jsonschema_pattern_step,
                             match);

    rc = pcre2_match(pattern->code, (PCRE2_SPTR) text, len, 0,
                     PCRE2_NO_UTF_CHECK, match->data, patterns->match);

    if (rc >= 0) {
        return NGX_OK;
    }

    if (rc == PCRE2_ERROR_NOMATCH) {
        return NGX_DECLINED;
    }

    return (rc == PCRE2_ERROR_NOMEMORY) ? NGX_ERROR : NGX_BUSY;
}


static int
ngx_ors_jsonschema_pattern_step(pcre2_callout_block *block, void *data)
{
    ngx_ors_jsonschema_match_t *match = data;

    if (*match->steps < match->cost) {
        *match->steps = 0;
        return PCRE2_ERROR_CALLOUT;
    }

    *match->steps -= match->cost;

    return 0;
}


void
ngx_ors_jsonschema_match_free(ngx_ors_jsonschema_match_t *match)
{
    pcre2_match_data_free(match->data);
    match->data = NULL;
}
