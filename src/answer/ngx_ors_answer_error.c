
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Which code of ours a chat server's error has: by its code, its type, its
 * text and its status.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_answer_error.h>
#include <ngx_ors_names.h>


/*
 * How many raw bytes of a message are read: decoded they are more than the
 * client gets, even if all of them are escapes.
 */

#define NGX_ORS_ANSWER_TEXT_MAX  3328

#define NGX_ORS_ANSWER_NAME_MAX  64

#define NGX_ORS_ANSWER_RETRY_WORDS  " Try again in ms."
#define NGX_ORS_ANSWER_RETRY_DEPTH  4


#define ngx_ors_answer_retry_digit(p, last)                                  \
    ((p) < (last) && *(p) >= '0' && *(p) <= '9')


typedef struct {
    ngx_uint_t    number;     /* code that is an HTTP status, or 0 */
    ngx_str_t     code;       /* name */
    ngx_str_t     type;
    ngx_str_t     text;       /* decoded */
} ngx_ors_answer_fault_t;


/* "code" NULL: the name adds nothing to the status */

/* "status" is that of the code where there is one */

typedef struct {
    ngx_str_t         name;
    ngx_ors_code_e    code;
    ngx_uint_t        status;
} ngx_ors_answer_cause_t;


/* a field with a time, a phrase in front of one, or a unit; units are in ms */

typedef struct {
    ngx_str_t     name;
    ngx_uint_t    unit;
} ngx_ors_answer_retry_unit_t;


static ngx_int_t ngx_ors_answer_fault(ngx_ors_answer_fault_t *fault,
    ngx_pool_t *pool, ngx_ors_json_t *json, ngx_ors_json_node_t *node);
static void ngx_ors_answer_fault_code(ngx_ors_answer_fault_t *fault,
    ngx_ors_json_t *json, ngx_ors_json_node_t *node);
static void ngx_ors_answer_fault_name(ngx_str_t *name, ngx_ors_json_t *json,
    ngx_ors_json_node_t *node);
static u_char *ngx_ors_answer_fault_loc(u_char *p, u_char *last,
    ngx_ors_json_t *json, ngx_ors_json_node_t *node);
static u_char *ngx_ors_answer_fault_text(u_char *p, ngx_ors_json_t *json,
    ngx_ors_json_node_t *node);
static const ngx_ors_answer_cause_t *ngx_ors_answer_cause(
    ngx_ors_answer_fault_t *fault);
static ngx_uint_t ngx_ors_answer_overflow(ngx_ors_answer_fault_t *fault,
    ngx_uint_t status);
static ngx_uint_t ngx_ors_answer_says(ngx_ors_answer_fault_t *fault,
    const ngx_str_t *phrase);
static ngx_ors_code_e ngx_ors_answer_status_code(
    ngx_ors_answer_fault_t *fault, ngx_uint_t status);
static ngx_uint_t ngx_ors_answer_retry(ngx_ors_json_t *json,
    ngx_ors_json_node_t *node, ngx_str_t *text);
static ngx_uint_t ngx_ors_answer_retry_find(ngx_ors_json_t *json,
    ngx_ors_json_node_t *node, ngx_uint_t depth);
static ngx_uint_t ngx_ors_answer_retry_phrase(ngx_str_t *text,
    const ngx_ors_answer_retry_unit_t *phrase, ngx_uint_t simple);
static ngx_uint_t ngx_ors_answer_retry_simple(ngx_str_t *text);
static u_char *ngx_ors_answer_retry_number(u_char *p, u_char *last,
    uint64_t *n);
static u_char *ngx_ors_answer_retry_word(u_char *p, u_char *last,
    ngx_uint_t *unit);


static const ngx_ors_answer_cause_t  ngx_ors_answer_causes[] = {

    { ngx_string("context_length_exceeded"),
      ngx_ors_code_context_length_exceeded, 0 },
    { ngx_string("exceed_context_size_error"),
      ngx_ors_code_context_length_exceeded, 0 },
    { ngx_string("context_window_exceeded"),
      ngx_ors_code_context_length_exceeded, 0 },

    { ngx_string("rate_limit_exceeded"), ngx_ors_code_rate_limit_exceeded, 0 },
    { ngx_string("rate_limit_error"), ngx_ors_code_rate_limit_exceeded, 0 },
    { ngx_string("too_many_requests"), ngx_ors_code_rate_limit_exceeded, 0 },
    { ngx_string("insufficient_quota"), ngx_ors_code_insufficient_quota, 0 },
    { ngx_string("usage_limit_reached"), ngx_ors_code_usage_limit_reached, 0 },
    { ngx_string("usage_not_included"), ngx_ors_code_usage_not_included, 0 },

    { ngx_string("invalid_api_key"), ngx_ors_code_invalid_api_key, 0 },
    { ngx_string("authentication_error"), ngx_ors_code_invalid_api_key, 0 },
    { ngx_string("model_not_found"), ngx_ors_code_model_not_found, 0 },
    { ngx_string("content_filter"), ngx_ors_code_content_filter, 0 },
    { ngx_string("content_policy_violation"),
      ngx_ors_code_content_policy_violation, 0 },
    { ngx_string("invalid_prompt"), ngx_ors_code_invalid_prompt, 0 },

    { ngx_string("server_is_overloaded"),
      ngx_ors_code_server_is_overloaded, 0 },
    { ngx_string("overloaded_error"), ngx_ors_code_server_is_overloaded, 0 },
    { ngx_string("slow_down"), ngx_ors_code_slow_down, 0 },

    { ngx_string("invalid_request_error"), ngx_ors_code_other, 400 },
    { ngx_string("invalid_request"), ngx_ors_code_other, 400 },
    { ngx_string("permission_error"), ngx_ors_code_other, 403 },
    { ngx_string("not_found_error"), ngx_ors_code_other, 404 },
    { ngx_string("timeout_error"), ngx_ors_code_other, 504 },

    { ngx_null_string, 0, 0 }
};


/* vLLM and OpenAI, llama.cpp, Anthropic, Gemini; lower case */

static const ngx_str_t  ngx_ors_answer_overflows[] = {
    ngx_string("context length"),
    ngx_string("context window"),
    ngx_string("available context size"),
    ngx_string("prompt is too long"),
    ngx_string("exceeds the maximum number of tokens"),
    ngx_null_string
};


static const ngx_str_t  ngx_ors_answer_model = ngx_string("model");


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


ngx_int_t
ngx_ors_answer_error(ngx_ors_error_t *err, ngx_pool_t *pool, ngx_uint_t status,
    ngx_ors_json_t *json, ngx_ors_json_node_t *node)
{
    ngx_str_t                     *name;
    ngx_uint_t                     answered;
    ngx_ors_code_e                 code;
    ngx_ors_answer_fault_t         fault;
    const ngx_ors_answer_cause_t  *cause;

    ngx_memzero(&fault, sizeof(ngx_ors_answer_fault_t));

    if (node && ngx_ors_answer_fault(&fault, pool, json, node) != NGX_OK) {
        return NGX_ERROR;
    }

    answered = status;
    cause = ngx_ors_answer_cause(&fault);
    code = cause ? cause->code : ngx_ors_code_other;

    if (code != ngx_ors_code_other) {
        status = ngx_ors_codes[code].status;

    } else if (status < 400) {

        if (fault.number) {
            status = fault.number;

        } else if (cause) {
            status = cause->status;

        } else {
            status = status ? 502 : 500;
        }
    }

    if (code == ngx_ors_code_other
        && ngx_ors_answer_overflow(&fault, status))
    {
        status = 400;
        code = ngx_ors_code_context_length_exceeded;
    }

    if (code == ngx_ors_code_other) {
        code = ngx_ors_answer_status_code(&fault, status);
    }

    if (status == 529) {
        status = 503;

    } else if (status > 504 || status == 501 || status < 400) {
        status = 502;
    }

    if (fault.text.len) {
        ngx_ors_error_set(err, pool, code, "%V", &fault.text);

    } else if (answered) {
        ngx_ors_error_set(err, pool, code,
                          "the model server answered with status %ui",
                          answered);

    } else {
        ngx_ors_error_set(err, pool, code,
                          "the model server reported an error");
    }

    ngx_ors_error_reported(err, status);

    if (status == 429 || status == 503) {
        err->retry = ngx_ors_answer_retry(json, node, &fault.text);
    }

    if (code == ngx_ors_code_other) {
        name = fault.code.len ? &fault.code : &fault.type;

        err->code.len = name->len;
        err->code.data = ngx_pstrdup(pool, name);

        if (err->code.data == NULL) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/*
 * Known shapes: an object or a text in "error", an object with "message", a
 * text or a list of what is wrong with the request in "detail"; any of them
 * in an array of one.
 */

static ngx_int_t
ngx_ors_answer_fault(ngx_ors_answer_fault_t *fault, ngx_pool_t *pool,
    ngx_ors_json_t *json, ngx_ors_json_node_t *node)
{
    u_char               *p, *last;
    ngx_ors_json_node_t  *text, *child;

    if (node->type == ngx_ors_json_array && node->count) {
        node = ngx_ors_json_first(json, node);
    }

    child = ngx_ors_json_find(json, node, "error");

    if (child == NULL || child->type == ngx_ors_json_null) {
        child = ngx_ors_json_find(json, node, "detail");
    }

    if (child && child->type == ngx_ors_json_object) {
        node = child;
    }

    ngx_ors_answer_fault_code(fault, json,
                              ngx_ors_json_find(json, node, "code"));
    ngx_ors_answer_fault_name(&fault->type, json,
                              ngx_ors_json_find(json, node, "type"));

    text = ngx_ors_json_find(json, node, "message");

    if (text == NULL && child && child->type == ngx_ors_json_string) {
        text = child;
    }

    fault->text.data = ngx_pnalloc(pool, 2 * NGX_ORS_ANSWER_TEXT_MAX);
    if (fault->text.data == NULL) {
        return NGX_ERROR;
    }

    p = fault->text.data;
    last = p + NGX_ORS_ANSWER_TEXT_MAX;

    if (text == NULL && child && child->type == ngx_ors_json_array
        && child->count)
    {
        child = ngx_ors_json_first(json, child);
        text = ngx_ors_json_find(json, child, "msg");

        p = ngx_ors_answer_fault_loc(p, last, json,
                                     ngx_ors_json_find(json, child, "loc"));
    }

    if (text == NULL || text->type != ngx_ors_json_string) {
        return NGX_OK;
    }

    p = ngx_ors_answer_fault_text(p, json, text);

    fault->text.len = p - fault->text.data;

    /* an HTML page, wrapped in JSON by a server in front of the model */

    if (fault->text.len && fault->text.data[0] == '<') {
        fault->text.len = 0;
    }

    for (last = p, p = fault->text.data; p < last; p++) {

        if (*p < 0x20 || *p == 0x7f) {
            *p = ' ';
        }
    }

    return NGX_OK;
}


/* a number, a number in a string, or a name */

static void
ngx_ors_answer_fault_code(ngx_ors_answer_fault_t *fault, ngx_ors_json_t *json,
    ngx_ors_json_node_t *node)
{
    int64_t    n;
    ngx_str_t  text;

    if (node == NULL) {
        return;
    }

    if (ngx_ors_json_integer(json, node, &n) != NGX_OK) {

        if (node->type != ngx_ors_json_string) {
            return;
        }

        ngx_ors_json_raw(json, node, &text);

        n = ngx_atoi(text.data, text.len);

        if (n == NGX_ERROR) {
            ngx_ors_answer_fault_name(&fault->code, json, node);
            return;
        }
    }

    if (n >= 400 && n < 600) {
        fault->number = n;
    }
}


/* takes only a name that is fit for a code of our own */

static void
ngx_ors_answer_fault_name(ngx_str_t *name, ngx_ors_json_t *json,
    ngx_ors_json_node_t *node)
{
    size_t     i;
    u_char     ch;
    ngx_str_t  text;

    if (node == NULL || node->type != ngx_ors_json_string
        || node->len > NGX_ORS_ANSWER_NAME_MAX)
    {
        return;
    }

    ngx_ors_json_raw(json, node, &text);

    for (i = 0; i < text.len; i++) {
        ch = text.data[i];

        if (!((ch >= 'a' && ch <= 'z') || (ch >= '0' && ch <= '9')
              || ch == '_' || ch == '-' || ch == '.'))
        {
            return;
        }
    }

    *name = text;
}


/* "body.messages.0: " from the array of these, as much as goes in */

static u_char *
ngx_ors_answer_fault_loc(u_char *p, u_char *last, ngx_ors_json_t *json,
    ngx_ors_json_node_t *node)
{
    u_char               *start;
    ngx_str_t             text;
    ngx_ors_json_node_t  *child;

    if (node == NULL || node->type != ngx_ors_json_array) {
        return p;
    }

    start = p;

    ngx_ors_json_each(child, json, node) {
        ngx_ors_json_raw(json, child, &text);

        if ((size_t) (last - p) < text.len + 2) {
            break;
        }

        if (child->type == ngx_ors_json_string) {
            p = ngx_ors_json_decode(json, child, p);

        } else if (child->type == ngx_ors_json_number) {
            p = ngx_cpymem(p, text.data, text.len);

        } else {
            continue;
        }

        *p++ = '.';
    }

    if (p != start) {
        p[-1] = ':';
        *p++ = ' ';
    }

    return p;
}


/*
 * Decodes the beginning of a string, at most NGX_ORS_ANSWER_TEXT_MAX bytes.
 * The end may be inside of a character, but not of an escape.
 */

static u_char *
ngx_ors_answer_fault_text(u_char *p, ngx_ors_json_t *json,
    ngx_ors_json_node_t *node)
{
    u_char               *start, *pos, *last;
    ngx_ors_json_node_t   head;

    head = *node;

    if (head.len > NGX_ORS_ANSWER_TEXT_MAX) {
        start = ngx_ors_json_text(json, node);
        last = start + NGX_ORS_ANSWER_TEXT_MAX - 6;
        pos = start;

        while (pos < last) {

            if (*pos == '\\') {
                pos += (pos[1] == 'u') ? 6 : 2;

            } else {
                pos++;
            }
        }

        head.len = pos - start;
    }

    return ngx_ors_json_decode(json, &head, p);
}


static const ngx_ors_answer_cause_t *
ngx_ors_answer_cause(ngx_ors_answer_fault_t *fault)
{
    ngx_str_t                     *name;
    ngx_uint_t                     i;
    const ngx_ors_answer_cause_t  *cause;

    for (i = 0; i < 2; i++) {
        name = (i == 0) ? &fault->code : &fault->type;

        for (cause = ngx_ors_answer_causes; cause->name.len; cause++) {

            if (ngx_ors_same(&cause->name, name)) {
                return cause;
            }
        }
    }

    return NULL;
}


/* the server's text says that the request is too long for the model */

static ngx_uint_t
ngx_ors_answer_overflow(ngx_ors_answer_fault_t *fault, ngx_uint_t status)
{
    const ngx_str_t  *phrase;

    if (status != 400 && status != 413 && status != 422 && status != 500) {
        return 0;
    }

    for (phrase = ngx_ors_answer_overflows; phrase->len; phrase++) {

        if (ngx_ors_answer_says(fault, phrase)) {
            return 1;
        }
    }

    return 0;
}


static ngx_uint_t
ngx_ors_answer_says(ngx_ors_answer_fault_t *fault, const ngx_str_t *phrase)
{
    if (fault->text.len < phrase->len) {
        return 0;
    }

    return ngx_strlcasestrn(fault->text.data,
                            fault->text.data + fault->text.len,
                            phrase->data, phrase->len - 1)
           != NULL;
}


/* the code for a status; "other": the name that the server gave */

static ngx_ors_code_e
ngx_ors_answer_status_code(ngx_ors_answer_fault_t *fault, ngx_uint_t status)
{
    switch (status) {

    case 401:
        return ngx_ors_code_invalid_api_key;

    case 402:
        return ngx_ors_code_insufficient_quota;

    case 404:

        if (ngx_ors_answer_says(fault, &ngx_ors_answer_model)) {
            return ngx_ors_code_model_not_found;
        }

        break;

    case 429:
        return ngx_ors_code_rate_limit_exceeded;

    case 503:
    case 529:
        return ngx_ors_code_server_is_overloaded;
    }

    if (fault->code.len || fault->type.len) {
        return ngx_ors_code_other;
    }

    return (status < 500) ? ngx_ors_code_upstream_error
                          : ngx_ors_code_server_error;
}


/*
 * Waiting times in the texts and bodies of rate limited servers.
 */


/*
 * The time that an error document names, or its message "text", which is
 * decoded: in ms, 0 if there is none.  "json" and "node", the document or
 * one in an event, may both be NULL.
 */

static ngx_uint_t
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
