
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The part of the checker that knows the response object of a turn and what
 * is in it, and the text of its contents.
 */


#include "check.h"


#define NUL   (1 << ngx_ors_json_null)
#define STR   (1 << ngx_ors_json_string)
#define NUM   (1 << ngx_ors_json_number)
#define ARR   (1 << ngx_ors_json_array)
#define OBJ   (1 << ngx_ors_json_object)
#define BOOL  ((1 << ngx_ors_json_true) | (1 << ngx_ors_json_false))


typedef struct {
    const char   *name;
    ngx_uint_t    types;
} check_field_t;


static void check_output(check_t *c, ngx_ors_json_node_t *output,
    ngx_uint_t incomplete);
static void check_put_list(check_t *c, ngx_ors_json_node_t *list,
    const char *mark);
static void check_usage(check_t *c, ngx_ors_json_node_t *usage);
static void check_fields(check_t *c, ngx_ors_json_node_t *object,
    const check_field_t *fields, const char *what);


static const check_field_t  response_fields[] = {
    { "id", STR },
    { "object", STR },
    { "created_at", NUM },
    { "completed_at", NUM|NUL },
    { "status", STR },
    { "incomplete_details", OBJ|NUL },
    { "model", STR },
    { "previous_response_id", STR|NUL },
    { "instructions", STR|NUL },
    { "output", ARR },
    { "error", OBJ|NUL },
    { "tools", ARR },
    { "tool_choice", STR|OBJ },
    { "truncation", STR },
    { "parallel_tool_calls", BOOL },
    { "text", OBJ },
    { "top_p", NUM },
    { "presence_penalty", NUM },
    { "frequency_penalty", NUM },
    { "top_logprobs", NUM },
    { "temperature", NUM },
    { "reasoning", OBJ|NUL },
    { "usage", OBJ|NUL },
    { "max_output_tokens", NUM|NUL },
    { "max_tool_calls", NUM|NUL },
    { "store", BOOL },
    { "background", BOOL },
    { "service_tier", STR },
    { "metadata", OBJ|NUL },
    { "safety_identifier", STR|NUL },
    { "prompt_cache_key", STR|NUL },
    { NULL, 0 }
};

static const check_field_t  message_fields[] = {
    { "type", STR }, { "id", STR }, { "status", STR }, { "role", STR },
    { "content", ARR }, { NULL, 0 }
};

static const check_field_t  call_fields[] = {
    { "type", STR }, { "id", STR }, { "status", STR }, { "call_id", STR },
    { "name", STR }, { "arguments", STR }, { NULL, 0 }
};

static const check_field_t  call_space_fields[] = {
    { "type", STR }, { "id", STR }, { "status", STR }, { "call_id", STR },
    { "name", STR }, { "namespace", STR }, { "arguments", STR }, { NULL, 0 }
};

static const check_field_t  custom_fields[] = {
    { "type", STR }, { "id", STR }, { "status", STR }, { "call_id", STR },
    { "name", STR }, { "input", STR }, { NULL, 0 }
};

static const check_field_t  custom_space_fields[] = {
    { "type", STR }, { "id", STR }, { "status", STR }, { "call_id", STR },
    { "name", STR }, { "namespace", STR }, { "input", STR }, { NULL, 0 }
};

/* arguments that the model wrote may be any value */

static const check_field_t  search_fields[] = {
    { "type", STR }, { "id", STR }, { "status", STR }, { "call_id", STR },
    { "execution", STR }, { "arguments", (ngx_uint_t) -1 }, { NULL, 0 }
};

static const check_field_t  reasoning_fields[] = {
    { "type", STR }, { "id", STR }, { "status", STR }, { "summary", ARR },
    { NULL, 0 }
};

static const check_field_t  thoughts_fields[] = {
    { "type", STR }, { "id", STR }, { "status", STR }, { "summary", ARR },
    { "content", ARR }, { NULL, 0 }
};

static const check_field_t  text_fields[] = {
    { "type", STR }, { "text", STR }, { "annotations", ARR },
    { "logprobs", ARR }, { NULL, 0 }
};

static const check_field_t  refusal_fields[] = {
    { "type", STR }, { "refusal", STR }, { NULL, 0 }
};

static const check_field_t  summary_fields[] = {
    { "type", STR }, { "text", STR }, { NULL, 0 }
};

static const check_field_t  error_fields[] = {
    { "type", STR }, { "code", STR }, { "message", STR }, { "param", STR },
    { NULL, 0 }
};

static const check_field_t  usage_fields[] = {
    { "input_tokens", NUM }, { "input_tokens_details", OBJ },
    { "output_tokens", NUM }, { "output_tokens_details", OBJ },
    { "total_tokens", NUM }, { NULL, 0 }
};


/* the last snapshot, or a document */

void
check_response(check_t *c, ngx_ors_json_node_t *resp)
{
    ngx_uint_t            done, incomplete, failed;
    ngx_ors_json_node_t  *status, *node;

    check_snapshot(c, resp, "the response");

    if (c->error[0]) {
        return;
    }

    check_is(c, resp, "object", "response");

    status = check_get(c, resp, "status");
    done = ngx_ors_json_is(&c->json, status, "completed");
    incomplete = ngx_ors_json_is(&c->json, status, "incomplete");
    failed = ngx_ors_json_is(&c->json, status, "failed");

    check_put_node(c, status);

    if (done + incomplete + failed != 1) {
        wrong(c, "the status is not that of an end");
    }

    if (done != (check_get(c, resp, "completed_at")->type
                 == ngx_ors_json_number))
    {
        wrong(c, "completed_at does not fit the status");
    }

    node = check_get(c, resp, "incomplete_details");

    if (incomplete != (node->type == ngx_ors_json_object)) {
        wrong(c, "incomplete_details do not fit the status");
    }

    if (incomplete) {
        check_put(c, " ");
        check_put_node(c, check_get(c, node, "reason"));
    }

    node = check_get(c, resp, "error");

    if (failed != (node->type == ngx_ors_json_object)) {
        wrong(c, "error does not fit the status");
    }

    if (failed) {
        check_put(c, " ");
        check_put_node(c, check_get(c, node, "code"));

        if (c->code.len && !check_same(c, check_get(c, node, "code"),
                                       &c->code))
        {
            wrong(c, "the code is not that of the error event");
        }

        if (check_get(c, node, "message") == NULL || node->count != 2) {
            wrong(c, "the response's error is incomplete");
        }
    }

    check_output(c, check_get(c, resp, "output"), incomplete);

    node = check_get(c, resp, "usage");

    if (node->type == ngx_ors_json_object) {
        check_usage(c, node);

    } else if (!failed) {
        wrong(c, "no usage");
    }
}


/* all fields of a response */

void
check_snapshot(check_t *c, ngx_ors_json_node_t *resp, const char *what)
{
    check_fields(c, resp, response_fields, what);
}


static void
check_output(check_t *c, ngx_ors_json_node_t *output, ngx_uint_t incomplete)
{
    ngx_uint_t            n, extension;
    ngx_ors_json_node_t  *item, *next, *other;

    n = 0;

    for (item = ngx_ors_json_first(&c->json, output); item; item = next) {
        next = ngx_ors_json_next(&c->json, item);

        check_item(c, item);

        if (c->error[0]) {
            return;
        }

        if (check_hosted(c, item, &extension)) {
            check_hosted_output(c, item);

        } else if (ngx_ors_json_is(&c->json, check_get(c, item, "status"),
                                   "incomplete"))
        {
            if (next || !incomplete) {
                wrong(c, "an incomplete item cannot come here");
            }

        } else {
            check_is(c, item, "status", "completed");
        }

        /* documents are compared with nothing */

        if (c->state == check_st_terminal
            && (n >= c->nitems
                || !check_same(c, item, &c->items[n].object)))
        {
            wrong(c, "output[%d] is not what was done", (int) n);
        }

        for (other = ngx_ors_json_first(&c->json, output);
             other != item;
             other = ngx_ors_json_next(&c->json, other))
        {
            ngx_str_t  id = check_raw(c, check_get(c, other, "id"));

            if (check_same(c, check_get(c, item, "id"), &id)) {
                wrong(c, "two items have one id");
            }
        }

        n++;
    }

    if (c->state != check_st_terminal) {
        return;
    }

    /* the open item is left out of a failed response */

    if (c->nitems > n && c->items[n].object.len) {
        wrong(c, "an item that was done is not in the output");
    }
}


/* an item; in an output it goes into the digest */

void
check_item(check_t *c, ngx_ors_json_node_t *item)
{
    ngx_str_t             id;
    ngx_uint_t            final, custom, extension;
    const char           *mark;
    ngx_ors_json_node_t  *type, *part, *list, *space;

    type = check_get(c, item, "type");

    if (type == NULL) {
        return;
    }

    if (check_hosted(c, item, &extension)) {
        check_hosted_item(c, item);
        return;
    }

    final = (c->state == check_st_terminal || c->state == check_st_start);

    mark = ngx_ors_json_is(&c->json, check_get(c, item, "status"),
                           "incomplete") ? "!" : "";

    custom = ngx_ors_json_is(&c->json, type, "custom_tool_call");

    if (custom || ngx_ors_json_is(&c->json, type, "function_call")) {
        space = ngx_ors_json_find(&c->json, item, "namespace");

        check_fields(c, item, custom ? (space ? custom_space_fields
                                              : custom_fields)
                                     : (space ? call_space_fields
                                              : call_fields), "a call");

        if (!final || c->error[0]) {
            return;
        }

        id = check_raw(c, check_get(c, item, "call_id"));

        if (id.len == 0 || id.len > 64) {
            wrong(c, "call_id has %d bytes", (int) id.len);
        }

        check_put(c, " | %s%s ", custom ? "custom" : "call", mark);

        if (space) {
            check_put_node(c, space);
            check_put(c, "/");
        }

        check_put_node(c, check_get(c, item, "name"));
        check_put(c, "(");
        check_put_node(c, check_get(c, item, "call_id"));
        check_put(c, ") ");
        check_put_node(c, check_get(c, item, custom ? "input"
                                                    : "arguments"));
        return;
    }

    if (ngx_ors_json_is(&c->json, type, "tool_search_call")) {
        check_fields(c, item, search_fields, "a search");
        check_is(c, item, "execution", "client");

        if (final && !c->error[0]) {
            check_put(c, " | search%s (", mark);
            check_put_node(c, check_get(c, item, "call_id"));
            check_put(c, ") ");
            check_put_node(c, check_get(c, item, "arguments"));
        }

        return;
    }

    if (ngx_ors_json_is(&c->json, type, "message")) {
        check_fields(c, item, message_fields, "a message");
        check_is(c, item, "role", "assistant");
        list = check_get(c, item, "content");

    } else {
        check_is(c, item, "type", "reasoning");
        list = ngx_ors_json_find(&c->json, item, "content");

        check_fields(c, item, list ? thoughts_fields : reasoning_fields,
                     "a reasoning item");

        if (list == NULL) {
            list = check_get(c, item, "summary");

        } else if (check_get(c, item, "summary")->count) {
            wrong(c, "a reasoning item has two kinds of parts");
        }
    }

    if (c->error[0]) {
        return;
    }

    if (final) {
        check_put(c, " | ");
        check_put_node(c, type);
        check_put(c, "%s", mark);
    }

    for (part = ngx_ors_json_first(&c->json, list);
         part;
         part = ngx_ors_json_next(&c->json, part))
    {
        type = check_get(c, part, "type");

        if (type && ngx_ors_json_is(&c->json, type, "output_text")) {
            check_fields(c, part, text_fields, "a text");

        } else if (type && ngx_ors_json_is(&c->json, type, "refusal")) {
            check_fields(c, part, refusal_fields, "a refusal");

        } else if (type && ngx_ors_json_is(&c->json, type, "reasoning_text")) {
            check_fields(c, part, summary_fields, "a thought");

        } else {
            check_is(c, part, "type", "summary_text");
            check_fields(c, part, summary_fields, "a summary");
        }

        if (!final || c->error[0]) {
            continue;
        }

        if (ngx_ors_json_is(&c->json, type, "refusal")) {
            check_put(c, " refusal(");
            check_put_node(c, check_get(c, part, "refusal"));

        } else {
            check_put(c, ngx_ors_json_is(&c->json, type, "reasoning_text")
                         ? " thought(" : " text(");
            check_put_node(c, check_get(c, part, "text"));
        }

        check_put(c, ")");

        if (ngx_ors_json_is(&c->json, type, "output_text")) {
            check_put_list(c, check_get(c, part, "annotations"), "+");
            check_put_list(c, check_get(c, part, "logprobs"), "-");
        }
    }
}


static void
check_put_list(check_t *c, ngx_ors_json_node_t *list, const char *mark)
{
    if (list && list->count) {
        check_put(c, "%s", mark);
        check_put_node(c, list);
    }
}


static void
check_usage(check_t *c, ngx_ors_json_node_t *usage)
{
    ngx_ors_json_node_t  *cached, *reasoning;

    check_fields(c, usage, usage_fields, "usage");

    if (c->error[0]) {
        return;
    }

    cached = check_get(c, check_get(c, usage, "input_tokens_details"),
                       "cached_tokens");
    reasoning = check_get(c, check_get(c, usage, "output_tokens_details"),
                          "reasoning_tokens");

    if (cached == NULL || reasoning == NULL) {
        return;
    }

    check_put(c, " | usage ");
    check_put_node(c, check_get(c, usage, "input_tokens"));

    if (check_raw(c, cached).data[0] != '0') {
        check_put(c, "(");
        check_put_node(c, cached);
        check_put(c, ")");
    }

    check_put(c, "+");
    check_put_node(c, check_get(c, usage, "output_tokens"));

    if (check_raw(c, reasoning).data[0] != '0') {
        check_put(c, "(");
        check_put_node(c, reasoning);
        check_put(c, ")");
    }

    check_put(c, "=");
    check_put_node(c, check_get(c, usage, "total_tokens"));
}


/* all of them, of these types, and no others */

static void
check_fields(check_t *c, ngx_ors_json_node_t *object,
    const check_field_t *fields, const char *what)
{
    ngx_uint_t            n;
    ngx_ors_json_node_t  *node;

    for (n = 0; fields[n].name; n++) {
        node = check_get(c, object, fields[n].name);

        if (node && !(fields[n].types & (1 << node->type))) {
            wrong(c, "%s has a wrong type in %s", fields[n].name, what);
        }
    }

    if (object->count != n) {
        wrong(c, "%s has %d fields", what, (int) object->count);
    }
}


void
check_error_value(check_t *c, ngx_ors_json_node_t *error)
{
    ngx_ors_json_node_t  *node;

    check_fields(c, error, error_fields, "the error");

    node = check_get(c, error, "code");

    if (node && node->len == 0) {
        wrong(c, "the error has no code");
    }

    node = check_get(c, error, "message");

    if (node && node->len == 0) {
        wrong(c, "the error has no message");
    }
}
