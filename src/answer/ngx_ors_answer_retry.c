
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


/* a field with a time, or a unit; a unit is in ms */

typedef struct {
    ngx_str_t     name;
    ngx_uint_t    unit;
} ngx_ors_answer_retry_unit_t;


static ngx_uint_t ngx_ors_answer_retry_object(ngx_ors_json_t *json,
    ngx_ors_json_node_t *object);
static ngx_uint_t ngx_ors_answer_retry_text(ngx_str_t *text);
static ngx_uint_t ngx_ors_answer_retry_phrase(ngx_str_t *text,
    const ngx_str_t *phrase, ngx_uint_t unit);
static u_char *ngx_ors_answer_retry_number(u_char *p, u_char *last,
    uint64_t *n);
static u_char *ngx_ors_answer_retry_word(u_char *p, u_char *last,
    ngx_uint_t *unit);
static ngx_uint_t ngx_ors_answer_retry_told(ngx_str_t *text);


static const ngx_ors_answer_retry_unit_t  ngx_ors_answer_retry_fields[] = {
    { ngx_string("retry_after"), 1000 },
    { ngx_string("retry_after_seconds"), 1000 },
    { ngx_string("retry_after_ms"), 1 },
    { ngx_string("retryDelay"), 1000 },
    { ngx_null_string, 0 }
};


static const ngx_ors_answer_retry_unit_t  ngx_ors_answer_retry_units[] = {
    { ngx_string("ms"), 1 },
    { ngx_string("millisecond"), 1 },
    { ngx_string("milliseconds"), 1 },
    { ngx_string("s"), 1000 },
    { ngx_string("sec"), 1000 },
    { ngx_string("secs"), 1000 },
    { ngx_string("second"), 1000 },
    { ngx_string("seconds"), 1000 },
    { ngx_string("m"), 60000 },
    { ngx_string("min"), 60000 },
    { ngx_string("minute"), 60000 },
    { ngx_string("minutes"), 60000 },
    { ngx_string("h"), 3600000 },
    { ngx_string("hour"), 3600000 },
    { ngx_string("hours"), 3600000 },
    { ngx_null_string, 0 }
};


/* words in front of a time, in lower case; some of them mean seconds */

static const ngx_ors_answer_retry_unit_t  ngx_ors_answer_retry_phrases[] = {
    { ngx_string("try again in "), 0 },
    { ngx_string("try again after "), 0 },
    { ngx_string("retry after "), 1000 },
    { ngx_string("retry in "), 0 },
    { ngx_string("wait "), 0 },
    { ngx_string("wait for "), 0 },
    { ngx_null_string, 0 }
};


ngx_uint_t
ngx_ors_answer_retry(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    ngx_str_t *text)
{
    ngx_uint_t            i, retry;
    ngx_ors_json_node_t  *error, *inside;

    static const ngx_str_t  names[] = {
        ngx_string("metadata"),
        ngx_string("details"),
        ngx_string("detail")
    };

    if (node && node->type == ngx_ors_json_array) {
        node = ngx_ors_json_first(json, node);
    }

    if (node == NULL) {
        return ngx_ors_answer_retry_text(text);
    }

    retry = ngx_ors_answer_retry_object(json, node);
    error = ngx_ors_json_find(json, node, "error");

    if (error == NULL || error->type != ngx_ors_json_object) {
        error = node;
    }

    if (retry == 0) {
        retry = ngx_ors_answer_retry_object(json, error);
    }

    for (i = 0; retry == 0 && i < sizeof(names) / sizeof(names[0]); i++) {
        inside = ngx_ors_json_get(json, error, names[i].data, names[i].len);

        if (inside == NULL) {
            continue;
        }

        if (inside->type != ngx_ors_json_array) {
            retry = ngx_ors_answer_retry_object(json, inside);
            continue;
        }

        for (inside = ngx_ors_json_first(json, inside);
             inside && retry == 0;
             inside = ngx_ors_json_next(json, inside))
        {
            retry = ngx_ors_answer_retry_object(json, inside);
        }
    }

    return retry ? retry : ngx_ors_answer_retry_text(text);
}


static ngx_uint_t
ngx_ors_answer_retry_object(ngx_ors_json_t *json, ngx_ors_json_node_t *object)
{
    ngx_str_t                           text;
    ngx_uint_t                          retry;
    ngx_ors_json_node_t                *node;
    const ngx_ors_answer_retry_unit_t  *field;

    for (field = ngx_ors_answer_retry_fields; field->name.len; field++) {
        node = ngx_ors_json_get(json, object, field->name.data,
                                field->name.len);

        if (node == NULL || (node->type != ngx_ors_json_string
                             && node->type != ngx_ors_json_number))
        {
            continue;
        }

        ngx_ors_json_raw(json, node, &text);

        retry = ngx_ors_answer_retry_time(&text, field->unit);

        if (retry) {
            return retry;
        }
    }

    return 0;
}


static ngx_uint_t
ngx_ors_answer_retry_text(ngx_str_t *text)
{
    ngx_uint_t                          retry;
    const ngx_ors_answer_retry_unit_t  *phrase;

    for (phrase = ngx_ors_answer_retry_phrases; phrase->name.len; phrase++) {
        retry = ngx_ors_answer_retry_phrase(text, &phrase->name, phrase->unit);

        if (retry) {
            return retry;
        }
    }

    return 0;
}


/* the first time after the phrase, anywhere in the text */

static ngx_uint_t
ngx_ors_answer_retry_phrase(ngx_str_t *text, const ngx_str_t *phrase,
    ngx_uint_t unit)
{
    u_char      *p, *last;
    ngx_str_t    rest;
    ngx_uint_t   retry;

    p = text->data;
    last = p + text->len;

    while ((size_t) (last - p) > phrase->len) {
        p = ngx_strlcasestrn(p, last, phrase->data, phrase->len - 1);

        if (p == NULL) {
            break;
        }

        p += phrase->len;

        rest.data = p;
        rest.len = last - p;

        retry = ngx_ors_answer_retry_time(&rest, unit);

        if (retry) {
            return retry;
        }
    }

    return 0;
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
    ngx_uint_t   decimals;

    *n = 0;

    for (start = p; p < last && *p >= '0' && *p <= '9'; p++) {

        if (*n <= NGX_ORS_ANSWER_RETRY_MAX) {
            *n = *n * 10 + (*p - '0');
        }
    }

    if (p == start) {
        return NULL;
    }

    decimals = 0;

    if (last - p > 1 && *p == '.' && p[1] >= '0' && p[1] <= '9') {

        for (p++; p < last && *p >= '0' && *p <= '9'; p++) {

            if (decimals < 3) {
                *n = *n * 10 + (*p - '0');
                decimals++;
            }
        }
    }

    while (decimals++ < 3) {
        *n *= 10;
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

    for (u = ngx_ors_answer_retry_units; u->name.len; u++) {

        if (u->name.len == (size_t) (end - word)
            && ngx_strncasecmp(word, u->name.data, u->name.len) == 0)
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

    if (err->retry == 0 || ngx_ors_answer_retry_told(text)) {
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


/* as Codex reads it: one number, of seconds or milliseconds */

static ngx_uint_t
ngx_ors_answer_retry_told(ngx_str_t *text)
{
    u_char      *p, *last, *end;
    uint64_t     n;
    ngx_uint_t   unit;

    static const ngx_str_t  phrase = ngx_string("try again in ");

    p = text->data;
    last = p + text->len;

    while ((size_t) (last - p) > phrase.len) {
        p = ngx_strlcasestrn(p, last, phrase.data, phrase.len - 1);

        if (p == NULL) {
            break;
        }

        p += phrase.len;
        end = ngx_ors_answer_retry_number(p, last, &n);

        if (end == NULL) {
            continue;
        }

        (void) ngx_ors_answer_retry_word(end, last, &unit);

        if (unit == 1 || unit == 1000) {
            return 1;
        }
    }

    return 0;
}
