
/*
 * Copyright (C) Open Responses contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_reply.h>


typedef struct {
    ngx_str_t               name;
    ngx_ors_chat_finish_e   finish;
} ngx_ors_chat_reason_t;


static ngx_uint_t ngx_ors_chat_has_error(ngx_ors_json_t *json,
    ngx_ors_json_node_t *object, ngx_uint_t alone);
static ngx_ors_json_node_t *ngx_ors_chat_choice(ngx_ors_json_t *json,
    ngx_ors_json_node_t *choices);
static ngx_ors_chat_finish_e ngx_ors_chat_finish(ngx_ors_json_t *json,
    ngx_ors_json_node_t *choice);
static void ngx_ors_chat_called(ngx_ors_chat_call_t *call,
    ngx_ors_json_t *json, ngx_ors_json_node_t *function);
static void ngx_ors_chat_string(ngx_str_t *s, ngx_ors_json_t *json,
    ngx_ors_json_node_t *object, char *name);
static ngx_ors_json_node_t *ngx_ors_chat_member(ngx_ors_json_t *json,
    ngx_ors_json_node_t *object, char *name, ngx_ors_json_type_e type);
static int64_t ngx_ors_chat_number(ngx_ors_json_t *json,
    ngx_ors_json_node_t *object, char *name);


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


ngx_int_t
ngx_ors_chat_reply(ngx_ors_chat_reply_t *reply, ngx_ors_json_t *json)
{
    ngx_ors_json_node_t  *root, *choices, *choice, *body;

    ngx_memzero(reply, sizeof(ngx_ors_chat_reply_t));

    root = json->nodes;

    if (root->type != ngx_ors_json_object) {
        return NGX_DECLINED;
    }

    reply->usage = ngx_ors_chat_member(json, root, "usage",
                                       ngx_ors_json_object);
    choices = ngx_ors_chat_member(json, root, "choices", ngx_ors_json_array);

    if (ngx_ors_chat_has_error(json, root,
                               choices == NULL || choices->count == 0))
    {
        reply->error = root;
        return NGX_OK;
    }

    if (choices == NULL) {

        /* the error object of some servers has no "error" around it */

        body = ngx_ors_json_find(json, root, "object");

        if (body && ngx_ors_json_is(json, body, "error")) {
            reply->error = root;
            return NGX_OK;
        }

        return reply->usage ? NGX_OK : NGX_DECLINED;
    }

    choice = ngx_ors_chat_choice(json, choices);
    if (choice == NULL) {
        return NGX_OK;
    }

    if (ngx_ors_chat_has_error(json, choice, 0)) {
        reply->error = choice;
        return NGX_OK;
    }

    reply->finish = ngx_ors_chat_finish(json, choice);

    body = ngx_ors_chat_member(json, choice, "delta", ngx_ors_json_object);

    if (body == NULL) {
        body = ngx_ors_chat_member(json, choice, "message",
                                   ngx_ors_json_object);
        if (body == NULL) {
            return NGX_OK;
        }

        reply->whole = 1;
    }

    ngx_ors_chat_string(&reply->text, json, body, "content");
    ngx_ors_chat_string(&reply->refusal, json, body, "refusal");
    ngx_ors_chat_string(&reply->reasoning, json, body, "reasoning_content");

    if (reply->reasoning.len == 0) {
        ngx_ors_chat_string(&reply->reasoning, json, body, "reasoning");
    }

    /* some servers say it in three ways: it is one text (E7) */

    if (reply->reasoning.len == 0) {
        reply->thoughts = ngx_ors_chat_member(json, body, "reasoning_details",
                                              ngx_ors_json_array);
    }

    reply->parts = ngx_ors_chat_member(json, body, "content",
                                       ngx_ors_json_array);
    reply->calls = ngx_ors_chat_member(json, body, "tool_calls",
                                       ngx_ors_json_array);

    /* servers that say it in both ways mean one call */

    if (reply->calls == NULL || reply->calls->count == 0) {
        reply->function = ngx_ors_chat_member(json, body, "function_call",
                                              ngx_ors_json_object);
    }

    reply->annotations = ngx_ors_chat_member(json, body, "annotations",
                                             ngx_ors_json_array);

    body = ngx_ors_chat_member(json, choice, "logprobs", ngx_ors_json_object);

    if (body) {
        reply->logprobs = ngx_ors_chat_member(json, body, "content",
                                              ngx_ors_json_array);
    }

    return NGX_OK;
}


/*
 * Beside an answer the member may be there and say nothing: some gateways
 * write an empty one into each chunk
 */

static ngx_uint_t
ngx_ors_chat_has_error(ngx_ors_json_t *json, ngx_ors_json_node_t *object,
    ngx_uint_t alone)
{
    ngx_ors_json_node_t  *error;

    error = ngx_ors_json_find(json, object, "error");

    if (error == NULL || error->type == ngx_ors_json_null) {
        return 0;
    }

    if (alone) {
        return 1;
    }

    if (error->type == ngx_ors_json_object) {
        error = ngx_ors_chat_member(json, error, "message",
                                    ngx_ors_json_string);
    }

    return error && error->type == ngx_ors_json_string && error->len;
}


static ngx_ors_json_node_t *
ngx_ors_chat_choice(ngx_ors_json_t *json, ngx_ors_json_node_t *choices)
{
    int64_t               n;
    ngx_ors_json_node_t  *choice, *index;

    for (choice = ngx_ors_json_first(json, choices);
         choice;
         choice = ngx_ors_json_next(json, choice))
    {
        index = ngx_ors_json_find(json, choice, "index");

        if (index == NULL
            || ngx_ors_json_integer(json, index, &n) != NGX_OK
            || n == 0)
        {
            return choice;
        }
    }

    return NULL;
}


static ngx_ors_chat_finish_e
ngx_ors_chat_finish(ngx_ors_json_t *json, ngx_ors_json_node_t *choice)
{
    ngx_ors_json_node_t    *node;
    ngx_ors_chat_reason_t  *reason;

    node = ngx_ors_chat_member(json, choice, "finish_reason",
                               ngx_ors_json_string);

    if (node == NULL || node->len == 0) {
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


void
ngx_ors_chat_part(ngx_ors_chat_reply_t *reply, ngx_ors_json_t *json,
    ngx_ors_json_node_t *node, ngx_ors_json_node_t **inner)
{
    ngx_memzero(reply, sizeof(ngx_ors_chat_reply_t));

    ngx_ors_chat_string(&reply->text, json, node, "text");
    ngx_ors_chat_string(&reply->reasoning, json, node, "thinking");

    if (reply->reasoning.len == 0) {
        ngx_ors_chat_string(&reply->reasoning, json, node, "summary");
    }

    *inner = ngx_ors_chat_member(json, node, "thinking", ngx_ors_json_array);
}


void
ngx_ors_chat_call(ngx_ors_chat_call_t *call, ngx_ors_json_t *json,
    ngx_ors_json_node_t *node)
{
    int64_t               n;
    ngx_ors_json_node_t  *value, *function;

    ngx_memzero(call, sizeof(ngx_ors_chat_call_t));

    call->index = -1;

    value = ngx_ors_json_find(json, node, "index");

    if (value && ngx_ors_json_integer(json, value, &n) == NGX_OK
        && n >= 0 && n <= NGX_MAX_INT32_VALUE)
    {
        call->index = (ngx_int_t) n;
    }

    ngx_ors_chat_string(&call->id, json, node, "id");

    function = ngx_ors_chat_member(json, node, "function",
                                   ngx_ors_json_object);
    if (function) {
        ngx_ors_chat_called(call, json, function);
    }
}


void
ngx_ors_chat_function(ngx_ors_chat_call_t *call, ngx_ors_json_t *json,
    ngx_ors_json_node_t *node)
{
    ngx_memzero(call, sizeof(ngx_ors_chat_call_t));

    ngx_ors_chat_called(call, json, node);
}


static void
ngx_ors_chat_called(ngx_ors_chat_call_t *call, ngx_ors_json_t *json,
    ngx_ors_json_node_t *function)
{
    ngx_ors_json_node_t  *value;

    ngx_ors_chat_string(&call->name, json, function, "name");

    value = ngx_ors_json_find(json, function, "arguments");

    if (value && value->type != ngx_ors_json_null) {
        ngx_ors_json_raw(json, value, &call->arguments);
        call->plain = (value->type != ngx_ors_json_string);
    }
}


void
ngx_ors_chat_usage(ngx_ors_usage_t *usage, ngx_ors_json_t *json,
    ngx_ors_json_node_t *node)
{
    ngx_ors_json_node_t  *details;

    usage->input = ngx_ors_chat_number(json, node, "prompt_tokens");
    usage->output = ngx_ors_chat_number(json, node, "completion_tokens");
    usage->total = ngx_ors_chat_number(json, node, "total_tokens");

    if (usage->total == 0) {
        usage->total = usage->input + usage->output;
    }

    details = ngx_ors_json_find(json, node, "prompt_tokens_details");
    usage->cached = ngx_ors_chat_number(json, details, "cached_tokens");

    details = ngx_ors_json_find(json, node, "completion_tokens_details");
    usage->reasoning = ngx_ors_chat_number(json, details, "reasoning_tokens");

    usage->known = 1;
}


static void
ngx_ors_chat_string(ngx_str_t *s, ngx_ors_json_t *json,
    ngx_ors_json_node_t *object, char *name)
{
    ngx_ors_json_node_t  *node;

    node = ngx_ors_chat_member(json, object, name, ngx_ors_json_string);

    if (node) {
        ngx_ors_json_raw(json, node, s);
    }
}


static ngx_ors_json_node_t *
ngx_ors_chat_member(ngx_ors_json_t *json, ngx_ors_json_node_t *object,
    char *name, ngx_ors_json_type_e type)
{
    ngx_ors_json_node_t  *node;

    node = ngx_ors_json_get(json, object, (u_char *) name, ngx_strlen(name));

    return (node && node->type == type) ? node : NULL;
}


/* counts beyond any real one are taken for nonsense: a sum must not wrap */

static int64_t
ngx_ors_chat_number(ngx_ors_json_t *json, ngx_ors_json_node_t *object,
    char *name)
{
    int64_t               n;
    ngx_ors_json_node_t  *node;

    if (object == NULL) {
        return 0;
    }

    node = ngx_ors_json_get(json, object, (u_char *) name, ngx_strlen(name));

    if (node == NULL || ngx_ors_json_integer(json, node, &n) != NGX_OK
        || n < 0 || n > NGX_MAX_INT32_VALUE)
    {
        return 0;
    }

    return n;
}
