
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
#include <ngx_ors_answer_retry.h>
#include <ngx_ors_names.h>


/*
 * How many raw bytes of a message are read: decoded they are more than the
 * client gets, even if all of them are escapes.
 */

#define NGX_ORS_ANSWER_TEXT_MAX  3328

#define NGX_ORS_ANSWER_NAME_MAX  64


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

    for (child = ngx_ors_json_first(json, node);
         child;
         child = ngx_ors_json_next(json, child))
    {
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
