
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Waiting times in the texts and bodies of rate limited servers.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_answer_retry.h>


#define NGX_ORS_ANSWER_RETRY_WORDS  " Try again in ms."
#define NGX_ORS_ANSWER_RETRY_DEPTH  4


#define ngx_ors_answer_retry_digit(p, last)                                  \
    ((p) < (last) && *(p) >= '0' && *(p) <= '9')


/* a field with a time, a phrase in front of one, or a unit; units are in ms */

typedef struct {
    ngx_str_t     name;
    ngx_uint_t    unit;
} ngx_ors_answer_retry_unit_t;


static ngx_uint_t ngx_ors_answer_retry_find(ngx_ors_json_t *json,
    ngx_ors_json_node_t *node, ngx_uint_t depth);
static ngx_uint_t ngx_ors_answer_retry_phrase(ngx_str_t *text,
    const ngx_ors_answer_retry_unit_t *phrase, ngx_uint_t simple);
static ngx_uint_t ngx_ors_answer_retry_simple(ngx_str_t *text);
static u_char *ngx_ors_answer_retry_number(u_char *p, u_char *last,
    uint64_t *n);
static u_char *ngx_ors_answer_retry_word(u_char *p, u_char *last,
    ngx_uint_t *unit);


static const ngx_ors_answer_retry_unit_t  ngx_ors_answer_retry_fields[] = {
    { ngx_string("retry_after"), 1000 },
    { ngx_string("retry_after_seconds"), 1000 },
    { ngx_string("retry_after_ms"), 1 },
    { ngx_string("retryDelay"), 1000 },
    { ngx_null_string, 0 }
};


static const ngx_str_t  ngx_ors_answer_retry_members[] = {
    ngx_string("error"),
    ngx_string("metadata"),
    ngx_string("details"),
    ngx_string("detail"),
    ngx_null_string
};


/* without the "s" of a plural */

static const ngx_ors_answer_retry_unit_t  ngx_ors_answer_retry_units[] = {
    { ngx_string("ms"), 1 },
    { ngx_string("millisecond"), 1 },
    { ngx_string("s"), 1000 },
    { ngx_string("sec"), 1000 },
    { ngx_string("second"), 1000 },
    { ngx_string("m"), 60000 },
    { ngx_string("minute"), 60000 },
    { ngx_string("h"), 3600000 },
    { ngx_string("hour"), 3600000 },
    { ngx_null_string, 0 }
};


/* in lower case: of OpenAI, of Azure, which may mean seconds, and of Gemini */

static const ngx_ors_answer_retry_unit_t  ngx_ors_answer_retry_phrases[] = {
    { ngx_string("try again in "), 0 },
    { ngx_string("retry after "), 1000 },
    { ngx_string("retry in "), 0 },
    { ngx_null_string, 0 }
};


ngx_uint_t
ngx_ors_answer_retry(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    ngx_str_t *text)
{
    ngx_uint_t                          retry;
    const ngx_ors_answer_retry_unit_t  *phrase;

    retry = node ? ngx_ors_answer_retry_find(json, node,
                                             NGX_ORS_ANSWER_RETRY_DEPTH)
                 : 0;

    for (phrase = ngx_ors_answer_retry_phrases;
         retry == 0 && phrase->name.len;
         phrase++)
    {
        retry = ngx_ors_answer_retry_phrase(text, phrase, 0);
    }

    return retry;
}


/* in an object or its error, and in the details of that, or in an array */

static ngx_uint_t
ngx_ors_answer_retry_find(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    ngx_uint_t depth)
{
    ngx_str_t                           text;
    ngx_uint_t                          retry;
    const ngx_str_t                    *name;
    ngx_ors_json_node_t                *child;
    const ngx_ors_answer_retry_unit_t  *field;

    retry = 0;

    if (node->type == ngx_ors_json_array) {

        for (child = ngx_ors_json_first(json, node);
             child && depth && retry == 0;
             child = ngx_ors_json_next(json, child))
        {
            retry = ngx_ors_answer_retry_find(json, child, depth - 1);
        }

        return retry;
    }

    for (field = ngx_ors_answer_retry_fields;
         retry == 0 && field->name.len;
         field++)
    {
        child = ngx_ors_json_get(json, node, field->name.data,
                                 field->name.len);

        if (child && (child->type == ngx_ors_json_string
                      || child->type == ngx_ors_json_number))
        {
            ngx_ors_json_raw(json, child, &text);
            retry = ngx_ors_answer_retry_time(&text, field->unit);
        }
    }

    for (name = ngx_ors_answer_retry_members;
         depth && retry == 0 && name->len;
         name++)
    {
        child = ngx_ors_json_get(json, node, name->data, name->len);

        retry = child ? ngx_ors_answer_retry_find(json, child, depth - 1) : 0;
    }

    return retry;
}


/* the first time after the phrase, anywhere in the text */

static ngx_uint_t
ngx_ors_answer_retry_phrase(ngx_str_t *text,
    const ngx_ors_answer_retry_unit_t *phrase, ngx_uint_t simple)
{
    u_char      *p, *last;
    ngx_str_t    rest;
    ngx_uint_t   retry;

    p = text->data;
    last = p + text->len;
    retry = 0;

    while (retry == 0 && (size_t) (last - p) > phrase->name.len) {
        p = ngx_strlcasestrn(p, last, phrase->name.data, phrase->name.len - 1);

        if (p == NULL) {
            break;
        }

        p += phrase->name.len;

        rest.data = p;
        rest.len = last - p;

        retry = simple ? ngx_ors_answer_retry_simple(&rest)
                       : ngx_ors_answer_retry_time(&rest, phrase->unit);
    }

    return retry;
}


/* as Codex reads it: one number, of seconds or milliseconds */

static ngx_uint_t
ngx_ors_answer_retry_simple(ngx_str_t *text)
{
    u_char      *end, *last;
    uint64_t     n;
    ngx_uint_t   unit;

    last = text->data + text->len;
    end = ngx_ors_answer_retry_number(text->data, last, &n);

    if (end == NULL) {
        return 0;
    }

    (void) ngx_ors_answer_retry_word(end, last, &unit);

    return (unit == 1 || unit == 1000);
}


ngx_uint_t
ngx_ors_answer_retry_time(ngx_str_t *text, ngx_uint_t unit)
{
    u_char      *p, *last, *end;
    uint64_t     n, retry;
    ngx_uint_t   scale, found;

    p = text->data;
    last = p + text->len;

    found = 0;
    retry = 0;

    /* "1m30s" and "1 minute 30 seconds" have two numbers */

    for ( ;; ) {
        end = ngx_ors_answer_retry_number(p, last, &n);

        if (end == NULL) {
            break;
        }

        p = ngx_ors_answer_retry_word(end, last, &scale);

        if (scale == 0) {

            /* of a date, or of something else that is counted */

            if (found || p != end
                || (end < last && (*end == '-' || *end == ':' || *end == '/')))
            {
                break;
            }

            scale = unit;
        }

        found = 1;
        retry += (n * scale + 999) / 1000;

        if (p == end) {
            break;
        }

        if (p < last && *p == ' ') {
            p++;
        }
    }

    return (retry > NGX_ORS_ANSWER_RETRY_MAX) ? 0 : retry;
}


/* in thousandths, further digits are dropped; NULL: there is no number */

static u_char *
ngx_ors_answer_retry_number(u_char *p, u_char *last, uint64_t *n)
{
    u_char      *start;
    ngx_uint_t   i;

    *n = 0;

    for (start = p; ngx_ors_answer_retry_digit(p, last); p++) {

        if (*n <= NGX_ORS_ANSWER_RETRY_MAX) {
            *n = *n * 10 + (*p - '0');
        }
    }

    if (p == start) {
        return NULL;
    }

    start = p;

    if (p < last && *p == '.' && ngx_ors_answer_retry_digit(p + 1, last)) {
        for (p++; ngx_ors_answer_retry_digit(p, last); p++) {
            /* void */
        }
    }

    for (i = 1; i <= 3; i++) {
        *n = *n * 10 + ((start + i < p) ? start[i] - '0' : 0);
    }

    return p;
}


/*
 * A unit, also after a space: "*unit" is 0 if the word there is no unit, or if
 * there is no word, and then "p" is returned
 */

static u_char *
ngx_ors_answer_retry_word(u_char *p, u_char *last, ngx_uint_t *unit)
{
    size_t                              len;
    u_char                             *word, *end;
    const ngx_ors_answer_retry_unit_t  *u;

    *unit = 0;

    word = (p < last && *p == ' ') ? p + 1 : p;

    for (end = word;
         end < last && (*end | 0x20) >= 'a' && (*end | 0x20) <= 'z';
         end++)
    {
        /* void */
    }

    if (end == word) {
        return p;
    }

    len = end - word;
    len -= (len > 3 && (end[-1] | 0x20) == 's');

    for (u = ngx_ors_answer_retry_units; u->name.len; u++) {

        if (u->name.len == len
            && ngx_strncasecmp(word, u->name.data, len) == 0)
        {
            *unit = u->unit;
            return end;
        }
    }

    return (word == p) ? end : p;
}


ngx_int_t
ngx_ors_answer_retry_tell(ngx_ors_error_t *err, ngx_pool_t *pool)
{
    u_char     *p, *start;
    ngx_str_t  *text;

    text = &err->message;

    if (err->retry == 0
        || ngx_ors_answer_retry_phrase(text, ngx_ors_answer_retry_phrases, 1))
    {
        return NGX_OK;
    }

    p = ngx_pnalloc(pool, text->len + sizeof(NGX_ORS_ANSWER_RETRY_WORDS)
                          + NGX_INT_T_LEN);
    if (p == NULL) {
        return NGX_ERROR;
    }

    start = p;
    p = ngx_cpymem(p, text->data, text->len);

    if (text->len && ngx_strchr(".!?", p[-1]) == NULL) {
        *p++ = '.';
    }

    p = (err->retry % 1000) ? ngx_sprintf(p, " Try again in %uims.",
                                          err->retry)
                            : ngx_sprintf(p, " Try again in %uis.",
                                          err->retry / 1000);

    text->len = p - start;
    text->data = start;

    return NGX_OK;
}
