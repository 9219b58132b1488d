
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
#include <ngx_ors_jsonschema_value.h>


#define NGX_ORS_JSONSCHEMA_PATTERN_LEN    4096
#define NGX_ORS_JSONSCHEMA_PATTERN_NEST   64

/* libpcre2's own limits: steps end most matches before them */
#define NGX_ORS_JSONSCHEMA_MATCH_LIMIT    200000
#define NGX_ORS_JSONSCHEMA_MATCH_DEPTH    10000
#define NGX_ORS_JSONSCHEMA_MATCH_HEAP     2048      /* KB */

/* bytes that an item of a pattern may read in the time of a step */
#define NGX_ORS_JSONSCHEMA_MATCH_BYTES    128

/* pairs of repeated items that libpcre2 compares in the time of a step */
#define NGX_ORS_JSONSCHEMA_PATTERN_PAIRS  8

/* letters that ECMA-262 permits after a backslash */
#define NGX_ORS_JSONSCHEMA_PATTERN_ESCAPES  "bBcdDfknpPrsStuvwWx"

#define NGX_ORS_JSONSCHEMA_PATTERN_FLAGS                                      \
    (PCRE2_UTF|PCRE2_NO_UTF_CHECK|PCRE2_DOLLAR_ENDONLY|PCRE2_ALT_BSUX         \
     |PCRE2_ALLOW_EMPTY_CLASS|PCRE2_MATCH_UNSET_BACKREF                       \
     |PCRE2_NEVER_BACKSLASH_C|PCRE2_AUTO_CALLOUT)


struct ngx_ors_jsonschema_pattern_s {
    ngx_ors_jsonschema_pattern_t  *next;
    pcre2_code                    *code;
    ngx_uint_t                     repeats;  /* items with a quantifier */
    ngx_uint_t                     members;  /* of a class, not in ASCII */
};


static ngx_int_t ngx_ors_jsonschema_patterns_init(
    ngx_ors_jsonschema_patterns_t *patterns);
static ngx_int_t ngx_ors_jsonschema_pattern_scan(ngx_str_t *text,
    ngx_ors_jsonschema_pattern_t *pattern);
static ngx_uint_t ngx_ors_jsonschema_pattern_group(u_char *p, u_char *last);
static u_char *ngx_ors_jsonschema_pattern_escape(u_char *p, u_char *last);
static void *ngx_ors_jsonschema_pattern_alloc(PCRE2_SIZE size, void *data);
static void ngx_ors_jsonschema_pattern_release(void *p, void *data);
static int ngx_ors_jsonschema_pattern_step(pcre2_callout_block *block,
    void *data);


ngx_int_t
ngx_ors_jsonschema_pattern_compile(ngx_ors_jsonschema_patterns_t *patterns,
    ngx_pool_t *pool, ngx_str_t *text, ngx_uint_t *steps,
    ngx_ors_jsonschema_pattern_t **pattern)
{
    int                            code;
    size_t                         size;
    PCRE2_SIZE                     offset;
    ngx_ors_jsonschema_pattern_t  *p;

    p = ngx_pcalloc(pool, sizeof(ngx_ors_jsonschema_pattern_t));
    if (p == NULL) {
        return NGX_ERROR;
    }

    if (ngx_ors_jsonschema_pattern_scan(text, p) != NGX_OK) {
        return NGX_DECLINED;
    }

    if (ngx_ors_jsonschema_step(steps, 1 + text->len + p->repeats * p->repeats
                                       / NGX_ORS_JSONSCHEMA_PATTERN_PAIRS)
        != NGX_OK)
    {
        return NGX_BUSY;
    }

    if (patterns->memory == NULL
        && ngx_ors_jsonschema_patterns_init(patterns) != NGX_OK)
    {
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

    patterns->size += sizeof(ngx_ors_jsonschema_pattern_t) + size;
    *pattern = p;

    return (patterns->size > patterns->max) ? NGX_DECLINED : NGX_OK;
}


/*
 * NGX_DECLINED: the pattern has a group or an escape that ECMA-262 does not
 * have.  Others of libpcre2 change options and limits, or recurse, and some of
 * them hide from this scan where a class begins.
 */

static ngx_int_t
ngx_ors_jsonschema_pattern_scan(ngx_str_t *text,
    ngx_ors_jsonschema_pattern_t *pattern)
{
    u_char      *p, *last;
    ngx_uint_t   class, members;

    class = 0;
    members = 0;
    last = text->data + text->len;

    for (p = text->data; p < last; p++) {

        switch (*p) {

        case '\\':
            p = ngx_ors_jsonschema_pattern_escape(p + 1, last);
            if (p == NULL) {
                return NGX_DECLINED;
            }

            members++;
            break;

        case '[':
            members = class ? members : 0;
            class = 1;
            break;

        case ']':
            class = 0;
            break;

        case '(':

            if (!class && !ngx_ors_jsonschema_pattern_group(p + 1, last)) {
                return NGX_DECLINED;
            }

            break;

        case '*':
        case '+':
        case '?':
        case '{':
            pattern->repeats += !class;
            break;

        default:

            /* characters in ASCII are bits of a map */

            members += (*p >= 0xc0);
            break;
        }

        if (class && members > pattern->members) {
            pattern->members = members;
        }
    }

    return NGX_OK;
}


/* 1 if ECMA-262 has a group that begins so after its parenthesis */

static ngx_uint_t
ngx_ors_jsonschema_pattern_group(u_char *p, u_char *last)
{
    if (p == last || *p != '?') {
        return p == last || *p != '*';
    }

    return ++p < last && (*p == ':' || *p == '=' || *p == '!' || *p == '<');
}


/* the last byte of the escape, or NULL: not one of ECMA-262 */

static u_char *
ngx_ors_jsonschema_pattern_escape(u_char *p, u_char *last)
{
    u_char  ch;

    if (p == last) {
        return NULL;
    }

    ch = ngx_tolower(*p);

    if (ch < 'a' || ch > 'z') {
        return p;
    }

    if (ngx_strchr(NGX_ORS_JSONSCHEMA_PATTERN_ESCAPES, *p) == NULL) {
        return NULL;
    }

    if (*p != 'c') {
        return p;
    }

    if (++p == last) {
        return NULL;
    }

    ch = ngx_tolower(*p);

    return (ch >= 'a' && ch <= 'z') ? p : NULL;
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

    /* a start is searched for without a callout */

    if (ngx_ors_jsonschema_step(match->steps,
                                1 + len / NGX_ORS_JSONSCHEMA_BYTES)
        != NGX_OK)
    {
        return NGX_BUSY;
    }

    if (match->data == NULL) {
        match->data = pcre2_match_data_create(1, patterns->memory);
        if (match->data == NULL) {
            return NGX_ERROR;
        }
    }

    /* each character may be compared with each member of a class */

    match->cost = 1 + len * (1 + 2 * pattern->members)
                      / NGX_ORS_JSONSCHEMA_MATCH_BYTES;

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

    return (ngx_ors_jsonschema_step(match->steps, match->cost) == NGX_OK)
           ? 0 : PCRE2_ERROR_CALLOUT;
}


void
ngx_ors_jsonschema_match_free(ngx_ors_jsonschema_match_t *match)
{
    pcre2_match_data_free(match->data);
    match->data = NULL;
}
