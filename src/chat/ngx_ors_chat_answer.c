
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Reading of chat documents and chunks: choice, texts, calls, usage, error;
 * annotations and logprobs in the protocol's form.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_answer.h>
#include <ngx_ors_chat_content.h>


/* bytes for a token beside those that the server has written */
#define NGX_ORS_CHAT_LOGPROB_MORE  (sizeof(",\"bytes\":[]")                    \
                                    + sizeof(",\"top_logprobs\":[]"))


typedef struct {
    ngx_str_t               name;
    ngx_ors_chat_finish_e   finish;
} ngx_ors_chat_reason_t;


/* members, as in the lists of names below */

enum {
    ngx_ors_chat_r_choices = 0,
    ngx_ors_chat_r_usage,
    ngx_ors_chat_r_error,
    ngx_ors_chat_r_object,
    ngx_ors_chat_r_n
};

enum {
    ngx_ors_chat_ch_delta = 0,
    ngx_ors_chat_ch_message,
    ngx_ors_chat_ch_finish_reason,
    ngx_ors_chat_ch_logprobs,
    ngx_ors_chat_ch_error,
    ngx_ors_chat_ch_n
};

enum {
    ngx_ors_chat_b_content = 0,
    ngx_ors_chat_b_refusal,
    ngx_ors_chat_b_reasoning_content,
    ngx_ors_chat_b_reasoning,
    ngx_ors_chat_b_reasoning_details,
    ngx_ors_chat_b_tool_calls,
    ngx_ors_chat_b_function_call,
    ngx_ors_chat_b_annotations,
    ngx_ors_chat_b_n
};


static ngx_uint_t ngx_ors_chat_answer_has_error(ngx_ors_json_t *json,
    ngx_ors_json_node_t *error, ngx_uint_t alone);
static ngx_ors_json_node_t *ngx_ors_chat_answer_choice(ngx_ors_json_t *json,
    ngx_ors_json_node_t *choices);
static void ngx_ors_chat_answer_chosen(ngx_ors_chat_answer_t *answer,
    ngx_ors_json_t *json, ngx_ors_json_node_t *choice);
static ngx_ors_chat_finish_e ngx_ors_chat_answer_finish(ngx_ors_json_t *json,
    ngx_ors_json_node_t *node);
static void ngx_ors_chat_answer_body(ngx_ors_chat_answer_t *answer,
    ngx_ors_json_t *json, ngx_ors_json_node_t *body);
static void ngx_ors_chat_answer_called(ngx_ors_chat_answer_call_t *call,
    ngx_ors_json_t *json, ngx_ors_json_node_t *function);
static int64_t ngx_ors_chat_answer_number(ngx_ors_json_t *json,
    ngx_ors_json_node_t *object, char *name);
static u_char *ngx_ors_chat_answer_logprobs_put(u_char *p, ngx_ors_json_t *json,
    ngx_ors_json_node_t *list, ngx_uint_t top);
static u_char *ngx_ors_chat_answer_bytes(u_char *p, ngx_ors_json_t *json,
    ngx_ors_json_node_t *token);
static ngx_ors_json_node_t *ngx_ors_chat_answer_member(ngx_ors_json_t *json,
    ngx_ors_json_node_t *object, char *name, ngx_ors_json_type_e type);


static const ngx_str_t  ngx_ors_chat_answer_names[] = {
    ngx_string("choices"),
    ngx_string("usage"),
    ngx_string("error"),
    ngx_string("object"),
    ngx_null_string
};

static const ngx_str_t  ngx_ors_chat_answer_choice_names[] = {
    ngx_string("delta"),
    ngx_string("message"),
    ngx_string("finish_reason"),
    ngx_string("logprobs"),
    ngx_string("error"),
    ngx_null_string
};

static const ngx_str_t  ngx_ors_chat_body_names[] = {
    ngx_string("content"),
    ngx_string("refusal"),
    ngx_string("reasoning_content"),
    ngx_string("reasoning"),
    ngx_string("reasoning_details"),
    ngx_string("tool_calls"),
    ngx_string("function_call"),
    ngx_string("annotations"),
    ngx_null_string
};


/* all others mean that the model was done, calls are seen without them */

static ngx_ors_chat_reason_t  ngx_ors_chat_reasons[] = {

    { ngx_string("length"), ngx_ors_chat_finish_length },
    { ngx_string("model_length"), ngx_ors_chat_finish_length },
    { ngx_string("max_tokens"), ngx_ors_chat_finish_length },

    { ngx_string("content_filter"), ngx_ors_chat_finish_content_filter },

    { ngx_string("error"), ngx_ors_chat_finish_error },
    { ngx_string("abort"), ngx_ors_chat_finish_error },
    { ngx_string("insufficient_system_resource"), ngx_ors_chat_finish_error },

    { ngx_null_string, ngx_ors_chat_finish_stop }
};


/* a member of another type counts as absent */

static ngx_inline ngx_ors_json_node_t *
ngx_ors_chat_answer_if(ngx_ors_json_node_t *node, ngx_ors_json_type_e type)
{
    return (node && node->type == type) ? node : NULL;
}


ngx_int_t
ngx_ors_chat_answer(ngx_ors_chat_answer_t *answer, ngx_ors_json_t *json)
{
    ngx_ors_json_node_t  *root, *choices, *node, *member[ngx_ors_chat_r_n];

    ngx_memzero(answer, sizeof(ngx_ors_chat_answer_t));

    root = json->nodes;

    if (root->type != ngx_ors_json_object) {
        return NGX_DECLINED;
    }

    ngx_ors_json_members(json, root, ngx_ors_chat_answer_names, member);

    answer->usage = ngx_ors_chat_answer_if(member[ngx_ors_chat_r_usage],
                                           ngx_ors_json_object);
    choices = ngx_ors_chat_answer_if(member[ngx_ors_chat_r_choices],
                                     ngx_ors_json_array);

    if (ngx_ors_chat_answer_has_error(json, member[ngx_ors_chat_r_error],
                                      choices == NULL || choices->count == 0))
    {
        answer->error = root;
        return NGX_OK;
    }

    if (choices) {
        node = ngx_ors_chat_answer_choice(json, choices);

        if (node) {
            ngx_ors_chat_answer_chosen(answer, json, node);
        }

        return NGX_OK;
    }

    /* the error object of some servers has no "error" around it */

    node = member[ngx_ors_chat_r_object];

    if (node && ngx_ors_json_is(json, node, "error")) {
        answer->error = root;
        return NGX_OK;
    }

    return answer->usage ? NGX_OK : NGX_DECLINED;
}


/*
 * Beside an answer the member may be there and say nothing: some gateways
 * write an empty one into each chunk
 */

static ngx_uint_t
ngx_ors_chat_answer_has_error(ngx_ors_json_t *json, ngx_ors_json_node_t *error,
    ngx_uint_t alone)
{
    if (error == NULL || alone) {
        return error != NULL;
    }

    if (error->type == ngx_ors_json_object) {
        error = ngx_ors_json_find(json, error, "message");
    }

    return error && error->type == ngx_ors_json_string && error->len;
}


static ngx_ors_json_node_t *
ngx_ors_chat_answer_choice(ngx_ors_json_t *json, ngx_ors_json_node_t *choices)
{
    int64_t               n;
    ngx_ors_json_node_t  *choice, *index;

    for (choice = ngx_ors_json_first(json, choices);
         choice;
         choice = ngx_ors_json_next(json, choice))
    {
        index = ngx_ors_json_find(json, choice, "index");

        if (ngx_ors_json_integer(json, index, &n) != NGX_OK || n == 0) {
            return choice;
        }
    }

    return NULL;
}


static void
ngx_ors_chat_answer_chosen(ngx_ors_chat_answer_t *answer, ngx_ors_json_t *json,
    ngx_ors_json_node_t *choice)
{
    ngx_ors_json_node_t  *node, *member[ngx_ors_chat_ch_n];

    ngx_ors_json_members(json, choice, ngx_ors_chat_answer_choice_names,
                         member);

    if (ngx_ors_chat_answer_has_error(json, member[ngx_ors_chat_ch_error], 0)) {
        answer->error = choice;
        return;
    }

    node = member[ngx_ors_chat_ch_finish_reason];
    answer->finish = ngx_ors_chat_answer_finish(json, node);

    node = ngx_ors_chat_answer_if(member[ngx_ors_chat_ch_delta],
                                  ngx_ors_json_object);

    if (node == NULL) {
        node = ngx_ors_chat_answer_if(member[ngx_ors_chat_ch_message],
                                      ngx_ors_json_object);
        if (node == NULL) {
            return;
        }

        answer->whole = 1;
    }

    answer->body = node;
    ngx_ors_chat_answer_body(answer, json, node);

    node = member[ngx_ors_chat_ch_logprobs];

    if (node) {
        node = ngx_ors_json_find(json, node, "content");
        answer->logprobs = ngx_ors_chat_answer_if(node, ngx_ors_json_array);
    }
}


static ngx_ors_chat_finish_e
ngx_ors_chat_answer_finish(ngx_ors_json_t *json, ngx_ors_json_node_t *node)
{
    ngx_ors_chat_reason_t  *reason;

    if (node == NULL || node->type != ngx_ors_json_string || node->len == 0) {
        return ngx_ors_chat_finish_none;
    }

    for (reason = ngx_ors_chat_reasons; reason->name.len; reason++) {

        if (ngx_ors_json_equal(json, node, reason->name.data,
                               reason->name.len))
        {
            break;
        }
    }

    return reason->finish;
}


static void
ngx_ors_chat_answer_body(ngx_ors_chat_answer_t *answer, ngx_ors_json_t *json,
    ngx_ors_json_node_t *body)
{
    ngx_ors_json_node_t  *member[ngx_ors_chat_b_n];

    ngx_ors_json_members(json, body, ngx_ors_chat_body_names, member);

    ngx_ors_json_inner(json, member[ngx_ors_chat_b_content], &answer->text);
    ngx_ors_json_inner(json, member[ngx_ors_chat_b_refusal], &answer->refusal);
    ngx_ors_json_inner(json, member[ngx_ors_chat_b_reasoning_content],
                       &answer->reasoning);

    if (answer->reasoning.len == 0) {
        ngx_ors_json_inner(json, member[ngx_ors_chat_b_reasoning],
                           &answer->reasoning);
    }

    /* some servers say it in three ways: it is one text (E7) */

    if (answer->reasoning.len == 0) {
        answer->thoughts = ngx_ors_chat_answer_if(
                                       member[ngx_ors_chat_b_reasoning_details],
                                       ngx_ors_json_array);
    }

    answer->parts = ngx_ors_chat_answer_if(member[ngx_ors_chat_b_content],
                                           ngx_ors_json_array);
    answer->calls = ngx_ors_chat_answer_if(member[ngx_ors_chat_b_tool_calls],
                                           ngx_ors_json_array);

    /* servers that say it in both ways mean one call */

    if (answer->calls == NULL || answer->calls->count == 0) {
        answer->function
            = ngx_ors_chat_answer_if(member[ngx_ors_chat_b_function_call],
                                                  ngx_ors_json_object);
    }

    answer->annotations
        = ngx_ors_chat_answer_if(member[ngx_ors_chat_b_annotations],
                                                 ngx_ors_json_array);
}


void
ngx_ors_chat_answer_part(ngx_ors_chat_answer_t *answer, ngx_ors_json_t *json,
    ngx_ors_json_node_t *node, ngx_ors_json_node_t **inner)
{
    ngx_ors_json_node_t  *thinking;

    ngx_memzero(answer, sizeof(ngx_ors_chat_answer_t));

    thinking = ngx_ors_json_find(json, node, "thinking");

    ngx_ors_json_inner(json, ngx_ors_json_find(json, node, "text"),
                       &answer->text);
    ngx_ors_json_inner(json, ngx_ors_json_find(json, node, "refusal"),
                       &answer->refusal);
    ngx_ors_json_inner(json, thinking, &answer->reasoning);

    if (answer->reasoning.len == 0) {
        ngx_ors_json_inner(json, ngx_ors_json_find(json, node, "summary"),
                           &answer->reasoning);
    }

    *inner = ngx_ors_chat_answer_if(thinking, ngx_ors_json_array);
}


void
ngx_ors_chat_answer_call(ngx_ors_chat_answer_call_t *call, ngx_ors_json_t *json,
    ngx_ors_json_node_t *node)
{
    int64_t               n;
    ngx_ors_json_node_t  *function;

    ngx_memzero(call, sizeof(ngx_ors_chat_answer_call_t));

    call->json = json;
    call->node = node;
    call->index = -1;

    if (ngx_ors_json_integer(json, ngx_ors_json_find(json, node, "index"), &n)
        == NGX_OK
        && n >= 0 && n <= NGX_MAX_INT32_VALUE)
    {
        call->index = (ngx_int_t) n;
    }

    ngx_ors_json_inner(json, ngx_ors_json_find(json, node, "id"), &call->id);

    function = ngx_ors_json_find(json, node, "function");

    if (function) {
        ngx_ors_chat_answer_called(call, json, function);
    }
}


void
ngx_ors_chat_answer_function(ngx_ors_chat_answer_call_t *call,
    ngx_ors_json_t *json,
    ngx_ors_json_node_t *node)
{
    ngx_memzero(call, sizeof(ngx_ors_chat_answer_call_t));

    ngx_ors_chat_answer_called(call, json, node);
}


static void
ngx_ors_chat_answer_called(ngx_ors_chat_answer_call_t *call,
    ngx_ors_json_t *json,
    ngx_ors_json_node_t *function)
{
    ngx_ors_json_node_t  *value;

    ngx_ors_json_inner(json, ngx_ors_json_find(json, function, "name"),
                       &call->name);

    value = ngx_ors_chat_get(json, function, "arguments");

    if (value) {
        ngx_ors_json_raw(json, value, &call->arguments);
        call->plain = (value->type != ngx_ors_json_string);
    }
}


void
ngx_ors_chat_answer_usage(ngx_ors_usage_t *usage, ngx_ors_json_t *json,
    ngx_ors_json_node_t *node)
{
    ngx_ors_json_node_t  *details;

    usage->input = ngx_ors_chat_answer_number(json, node, "prompt_tokens");
    usage->output = ngx_ors_chat_answer_number(json, node, "completion_tokens");
    usage->total = ngx_ors_chat_answer_number(json, node, "total_tokens");

    if (usage->total == 0) {
        usage->total = usage->input + usage->output;
    }

    details = ngx_ors_json_find(json, node, "prompt_tokens_details");
    usage->cached = ngx_ors_chat_answer_number(json, details, "cached_tokens");

    details = ngx_ors_json_find(json, node, "completion_tokens_details");
    usage->reasoning = ngx_ors_chat_answer_number(json, details,
                                                  "reasoning_tokens");

    usage->known = 1;
}


/* counts beyond any real one are taken for nonsense: a sum must not wrap */

static int64_t
ngx_ors_chat_answer_number(ngx_ors_json_t *json, ngx_ors_json_node_t *object,
    char *name)
{
    int64_t               n;
    ngx_ors_json_node_t  *node;

    node = ngx_ors_json_get(json, object, (u_char *) name, ngx_strlen(name));

    if (ngx_ors_json_integer(json, node, &n) != NGX_OK
        || n < 0 || n > NGX_MAX_INT32_VALUE)
    {
        return 0;
    }

    return n;
}


/*
 * Annotations and logprobs of chat servers in the protocol's form.
 */


ngx_int_t
ngx_ors_chat_answer_annotation(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    ngx_pool_t *pool, ngx_str_t *text)
{
    int64_t               start, end;
    ngx_str_t             address, name;
    ngx_ors_json_node_t  *type, *object, *url, *title;

    type = ngx_ors_chat_answer_member(json, node, "type", ngx_ors_json_string);

    if (type == NULL || !ngx_ors_json_is(json, type, "url_citation")) {
        return NGX_DECLINED;
    }

    object = ngx_ors_chat_answer_member(json, node, "url_citation",
                                        ngx_ors_json_object);
    if (object == NULL) {
        object = node;
    }

    url = ngx_ors_chat_answer_member(json, object, "url", ngx_ors_json_string);

    if (url == NULL
        || ngx_ors_json_integer(json,
                                ngx_ors_json_find(json, object, "start_index"),
                                &start)
           != NGX_OK
        || ngx_ors_json_integer(json,
                                ngx_ors_json_find(json, object, "end_index"),
                                &end)
           != NGX_OK
        || start < 0 || end < 0)
    {
        return NGX_DECLINED;
    }

    title = ngx_ors_chat_answer_member(json, object, "title",
                                       ngx_ors_json_string);

    ngx_ors_json_raw(json, url, &address);
    ngx_ors_json_raw(json, title, &name);

    return ngx_ors_chat_answer_citation(&address, &name, start, end, pool,
                                        text);
}


ngx_int_t
ngx_ors_chat_answer_citation(ngx_str_t *url, ngx_str_t *title, int64_t start,
    int64_t end, ngx_pool_t *pool, ngx_str_t *text)
{
    size_t  size;

    static char  form[] = "{\"type\":\"url_citation\",\"url\":\"%V\","
                          "\"title\":\"%V\",\"start_index\":%L,"
                          "\"end_index\":%L}";

    size = sizeof(form) + url->len + title->len + 2 * NGX_INT64_LEN;

    text->data = ngx_pnalloc(pool, size);
    if (text->data == NULL) {
        return NGX_ERROR;
    }

    text->len = ngx_snprintf(text->data, size, form, url, title, start, end)
                - text->data;

    return NGX_OK;
}


ngx_int_t
ngx_ors_chat_answer_logprobs(ngx_ors_json_t *json, ngx_ors_json_node_t *list,
    ngx_pool_t *pool, ngx_buf_t *b, ngx_str_t *text)
{
    size_t                size;
    ngx_ors_json_node_t  *node, *tops;

    /*
     * Nothing is written in more bytes than the server has used for it, but for
     * the members that each token gets
     */

    size = list->len;

    for (node = ngx_ors_json_first(json, list);
         node;
         node = ngx_ors_json_next(json, node))
    {
        tops = ngx_ors_chat_answer_member(json, node, "top_logprobs",
                                          ngx_ors_json_array);
        size += (ngx_ors_json_count(tops)
                 + (node->type == ngx_ors_json_object))
                * NGX_ORS_CHAT_LOGPROB_MORE;
    }

    if (size > (size_t) (b->end - b->start)) {

        if (b->start) {
            (void) ngx_pfree(pool, b->start);
        }

        b->start = ngx_pnalloc(pool, size);
        if (b->start == NULL) {
            b->end = NULL;
            return NGX_ERROR;
        }

        b->end = b->start + size;
    }

    text->data = b->start;
    text->len = ngx_ors_chat_answer_logprobs_put(text->data, json, list, 0)
                - text->data;

    return NGX_OK;
}


/* "top" is set for what a token could have been */

static u_char *
ngx_ors_chat_answer_logprobs_put(u_char *p, ngx_ors_json_t *json,
    ngx_ors_json_node_t *list, ngx_uint_t top)
{
    u_char               *first;
    ngx_str_t             text, number;
    ngx_ors_json_node_t  *node, *token, *logprob, *tops;

    first = p;

    for (node = ngx_ors_json_first(json, list);
         node;
         node = ngx_ors_json_next(json, node))
    {
        token = ngx_ors_chat_answer_member(json, node, "token",
                                           ngx_ors_json_string);
        logprob = ngx_ors_chat_answer_member(json, node, "logprob",
                                             ngx_ors_json_number);

        if (token == NULL || logprob == NULL) {
            continue;
        }

        ngx_ors_json_raw(json, token, &text);
        ngx_ors_json_raw(json, logprob, &number);

        if (p != first) {
            *p++ = ',';
        }

        p = ngx_sprintf(p, "{\"token\":\"%V\",\"logprob\":%V,\"bytes\":[",
                        &text, &number);
        p = ngx_ors_chat_answer_bytes(p, json, node);
        *p++ = ']';

        if (!top) {
            p = ngx_sprintf(p, ",\"top_logprobs\":[");

            tops = ngx_ors_chat_answer_member(json, node, "top_logprobs",
                                              ngx_ors_json_array);
            p = ngx_ors_chat_answer_logprobs_put(p, json, tops, 1);

            *p++ = ']';
        }

        *p++ = '}';
    }

    return p;
}


/* all of them or none: a token is not cut in pieces */

static u_char *
ngx_ors_chat_answer_bytes(u_char *p, ngx_ors_json_t *json,
    ngx_ors_json_node_t *token)
{
    u_char               *first;
    int64_t               n;
    ngx_ors_json_node_t  *bytes, *node;

    bytes = ngx_ors_chat_answer_member(json, token, "bytes",
                                       ngx_ors_json_array);
    first = p;

    for (node = ngx_ors_json_first(json, bytes);
         node;
         node = ngx_ors_json_next(json, node))
    {
        if (ngx_ors_json_integer(json, node, &n) != NGX_OK
            || n < 0 || n > 255)
        {
            return first;
        }

        if (p != first) {
            *p++ = ',';
        }

        if (node->integer && *ngx_ors_json_text(json, node) != '-') {
            p = ngx_cpymem(p, ngx_ors_json_text(json, node), node->len);
            continue;
        }

        p = ngx_sprintf(p, "%L", n);
    }

    return p;
}


static ngx_ors_json_node_t *
ngx_ors_chat_answer_member(ngx_ors_json_t *json, ngx_ors_json_node_t *object,
    char *name, ngx_ors_json_type_e type)
{
    ngx_ors_json_node_t  *node;

    node = ngx_ors_json_get(json, object, (u_char *) name, ngx_strlen(name));

    return (node && node->type == type) ? node : NULL;
}
