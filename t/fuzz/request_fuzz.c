
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * A request: refused with an error that can be shown, or carried on with
 * nothing of it lost; either is legal JSON.
 *
 * Input: flags, the allocation that fails, with REQUEST_FUZZ_OPTIONS four
 * bytes of what the server is used to, with REQUEST_FUZZ_READING one of the
 * profile and of what becomes of unknown fields, and the body, as it is or as
 * a list of items and parameters.
 */


#include <check/check.h>
#include <ngx_ors_chat_content.h>
#include <ngx_ors_test_chat.h>
#include <ngx_ors_utf8.h>
#include <ngx_ors_test_request.h>
#include <ngx_ors_turn.h>

#include "fuzz_json.h"
#include "request_fuzz.h"


#define REQUEST_FUZZ_SMALL      0x01       /* small limits */
#define REQUEST_FUZZ_NO_MEMORY  0x02
#define REQUEST_FUZZ_LIST       0x04       /* of fragments */
#define REQUEST_FUZZ_OPENAI     0x08       /* that flavor */
#define REQUEST_FUZZ_STRICT     0x10       /* schemas; and tools of its own */
#define REQUEST_FUZZ_OPTIONS     0x40       /* a letter, not a digit */
#define REQUEST_FUZZ_READING    0x80       /* a byte says which, and unknown */

#define REQUEST_FUZZ_MAX        65536


typedef struct {
    u_char               *data;
    size_t                len;
    size_t                size;
} request_fuzz_text_t;


/* raw insides of strings, of a request or of the text that was made of it */

typedef struct {
    ngx_ors_json_t       *json;
    ngx_ors_request_t    *req;

    request_fuzz_text_t   user;
    request_fuzz_text_t   system;
    request_fuzz_text_t   assistant;
    request_fuzz_text_t   refusal;
    ngx_uint_t            systems;
    ngx_uint_t            calls;
    ngx_uint_t            outputs;
} request_fuzz_sum_t;


static void request_fuzz_used(const uint8_t *p);
static size_t request_fuzz_list(u_char *body, const uint8_t *p,
    const uint8_t *last);
static void request_fuzz_body(ngx_str_t *body, ngx_ors_limits_t *limits,
    ngx_uint_t fail);
static void request_fuzz_error(ngx_ors_error_t *err);
static void request_fuzz_pass(ngx_str_t *body, ngx_ors_limits_t *limits,
    ngx_ors_request_t *req);
static void request_fuzz_stripped(ngx_ors_request_t *req, ngx_pool_t *pool);
static void request_fuzz_response(ngx_ors_request_t *req);
static void request_fuzz_chat(ngx_ors_request_t *req, ngx_str_t *text);
static void request_fuzz_unique(ngx_ors_json_t *json,
    ngx_ors_request_t *req, ngx_pool_t *pool);
static ngx_uint_t request_fuzz_count(ngx_ors_json_t *json, u_char *name,
    size_t len);
static void request_fuzz_items(request_fuzz_sum_t *sum,
    ngx_ors_request_t *req);
static void request_fuzz_item(request_fuzz_sum_t *sum,
    ngx_ors_json_node_t *item);
static ngx_ors_json_node_t *request_fuzz_id(ngx_ors_json_t *json,
    ngx_ors_json_node_t *item);
static void request_fuzz_parts(request_fuzz_sum_t *sum,
    ngx_ors_json_node_t *content, request_fuzz_text_t *text,
    const char *between);
static void request_fuzz_messages(request_fuzz_sum_t *sum,
    ngx_ors_json_node_t *messages);
static void request_fuzz_message(request_fuzz_sum_t *sum,
    ngx_ors_json_node_t *message);
static void request_fuzz_answers(request_fuzz_sum_t *sum,
    ngx_ors_json_node_t *calls, ngx_ors_json_node_t *tool);
static ngx_uint_t request_fuzz_outputs(request_fuzz_sum_t *sum,
    ngx_str_t *id, ngx_str_t *content);
static ngx_uint_t request_fuzz_noted(request_fuzz_text_t *text,
    ngx_str_t *content);
static void request_fuzz_add(request_fuzz_text_t *text,
    ngx_ors_json_t *json, ngx_ors_json_node_t *node);
static void request_fuzz_put(request_fuzz_text_t *text, u_char *data,
    size_t len);
static void request_fuzz_same(request_fuzz_text_t *a,
    request_fuzz_text_t *b);
static void request_fuzz_free(request_fuzz_sum_t *sum);


static ngx_ors_chat_type_t  request_fuzz_types[] = {
    { ngx_string("web_"), 1, ngx_ors_chat_type_send,
      ngx_string("{\"type\":\"web\"}") },
    { ngx_string("web_search_x"), 0, ngx_ors_chat_type_reject,
      ngx_null_string },
    { ngx_null_string, 1, ngx_ors_chat_type_skip, ngx_null_string }
};

static ngx_array_t  request_fuzz_type_list = {
    .elts = request_fuzz_types,
    .nelts = sizeof(request_fuzz_types) / sizeof(request_fuzz_types[0])
};

static ngx_keyval_t  request_fuzz_own = {
    ngx_string("mine"), ngx_string("mine_call")
};

static ngx_array_t  request_fuzz_mine = { &request_fuzz_own, 1, 0, 0, NULL };

static ngx_ors_chat_options_t  request_fuzz_options;


int
LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    size_t             head;
    u_char            *text;
    ngx_str_t          body;
    ngx_ors_limits_t   limits = {
        .depth = 64, .nodes = 100000, .items = 1000, .tools = 100, .calls = 16,
        .event = 65536, .answer = 1048576, .queue = 65536
    };

    head = (size && input[0] & REQUEST_FUZZ_OPTIONS) ? 6 : 2;
    head += (size && input[0] & REQUEST_FUZZ_READING) ? 1 : 0;

    if (size < head) {
        return 0;
    }

    ngx_ors_test_log_reset();

    if (input[0] & REQUEST_FUZZ_LIST) {
        text = malloc(REQUEST_FUZZ_MAX);
        body.len = request_fuzz_list(text, input + head, input + size);

    } else {
        text = (u_char *) input + head;
        body.len = size - head;
    }

    /* exactly sized, for the sanitizer */

    body.data = malloc(body.len);
    memcpy(body.data, text, body.len);

    if (input[0] & REQUEST_FUZZ_LIST) {
        free(text);
    }

    if (input[0] & REQUEST_FUZZ_SMALL) {
        limits.depth = 5;
        limits.nodes = 60;
        limits.items = 3;
        limits.tools = 2;
    }

    request_fuzz_options = ngx_ors_chat_options;

    if (input[0] & REQUEST_FUZZ_STRICT) {
        request_fuzz_options.strict = ngx_ors_chat_strict_schema;
        request_fuzz_options.types = &request_fuzz_type_list;
    }

    if (input[0] & REQUEST_FUZZ_OPTIONS) {
        request_fuzz_used(input + 2);
    }

    ngx_ors_test_policy.profile = (input[0] & REQUEST_FUZZ_OPENAI)
                                  ? NGX_ORS_TOLERANT_OPENAI
                                  : NGX_ORS_TOLERANT_SPEC;
    ngx_ors_test_policy.unknown = ngx_ors_unknown_auto;
    ngx_ors_test_policy.types = &request_fuzz_mine;

    if (input[0] & REQUEST_FUZZ_READING) {
        ngx_ors_test_policy.profile = 1 << (input[head - 1] & 3);
        ngx_ors_test_policy.unknown = input[head - 1] >> 2 & 3;
    }

    if (input[0] & REQUEST_FUZZ_NO_MEMORY) {
        request_fuzz_body(&body, &limits, input[1] + 1);
    }

    request_fuzz_body(&body, &limits, 0);

    free(body.data);

    fuzz_check(ngx_ors_test_logged(NGX_LOG_ALERT) == 0);

    return 0;
}


static void
request_fuzz_used(const uint8_t *p)
{
    request_fuzz_options.developer = p[0] & 1;
    request_fuzz_options.systems = p[0] >> 1 & 1;
    request_fuzz_options.images = p[0] >> 2 & 1;
    request_fuzz_options.videos = p[0] >> 3 & 1;
    request_fuzz_options.usage = p[0] >> 4 & 1;
    request_fuzz_options.format = p[0] >> 5 & 1;
    request_fuzz_options.continues = p[0] >> 6 & 1;
    request_fuzz_options.tokens = p[1] % 3;
    request_fuzz_options.stream = p[1] / 3 % 3;
    request_fuzz_options.reasoning = p[1] / 9 % 3;
    request_fuzz_options.content = p[1] / 27 % 3;
    request_fuzz_options.files = p[2] % 3;
    request_fuzz_options.strict = p[2] / 3 % 5;
    request_fuzz_options.params = p[3];
}


static size_t
request_fuzz_list(u_char *body, const uint8_t *p, const uint8_t *last)
{
    u_char      *dst;
    ngx_uint_t   n;
    const char  *f;

    static const char  begin[] = "{\"model\":\"m\",\"input\":[{\"type\":"
                                 "\"reasoning\",\"summary\":[]}";

    n = 0;
    dst = ngx_cpymem(body, begin, sizeof(begin) - 1);

    while (p < last && dst < body + REQUEST_FUZZ_MAX - 1024) {

        f = request_fuzz_fragments[*p++ % REQUEST_FUZZ_N];
        dst = request_fuzz_fragment(dst, f, &p, last, &n);
    }

    *dst++ = ']';
    *dst++ = '}';

    return dst - body;
}


/* "fail": 0, or the number of the allocation that fails */

static void
request_fuzz_body(ngx_str_t *body, ngx_ors_limits_t *limits, ngx_uint_t fail)
{
    ngx_int_t              rc;
    ngx_str_t              text;
    ngx_uint_t             failed;
    ngx_pool_t            *pool;
    ngx_ors_out_t          out;
    ngx_ors_error_t        err;
    ngx_ors_request_t      req;
    ngx_ors_chat_tools_t   tools;
    ngx_ors_chat_target_t  target;

    pool = ngx_ors_test_pool();

    ngx_memzero(&err, sizeof(ngx_ors_error_t));
    ngx_ors_out_init(&out, pool, 4096);

    ngx_ors_test_fail_after(fail);

    rc = ngx_ors_test_request(&req, body, limits, pool, &err);

    if (rc == NGX_OK) {
        ngx_memzero(&target, sizeof(ngx_ors_chat_target_t));
        target.model = &req.model;
        target.options = &request_fuzz_options;
        ngx_str_set(&target.provider, "p");

        rc = ngx_ors_chat_request(&req, &target, &tools, &out, &err);
    }

    failed = ngx_ors_test_failed();
    ngx_ors_test_fail_after(0);

    switch (rc) {

    case NGX_OK:
        fuzz_check(!failed && err.status == 0);

        text = fuzz_take(&out, pool);
        request_fuzz_chat(&req, &text);
        request_fuzz_response(&req);
        request_fuzz_pass(body, limits, &req);
        break;

    case NGX_DECLINED:
        request_fuzz_error(&err);
        break;

    default:
        fuzz_check(rc == NGX_ERROR && failed);
    }

    ngx_destroy_pool(pool);
}


static void
request_fuzz_error(ngx_ors_error_t *err)
{
    check_t               c;
    ngx_str_t             text;
    ngx_ors_out_t         out;
    ngx_ors_json_node_t  *message;

    fuzz_check(err->status == 400 && err->code.len
               && check_type(&err->type, "invalid_request"));

    fuzz_check(err->message.len && err->message.len <= 512);
    fuzz_check(ngx_ors_utf8_valid(err->message.data,
                                  err->message.len)
               == err->message.len);
    fuzz_check(err->param.len == 0
               || ngx_ors_utf8_valid(err->param.data, err->param.len)
                  == err->param.len);

    memset(&c, 0, sizeof(check_t));
    c.pool = ngx_ors_test_pool();

    ngx_ors_out_init(&out, c.pool, 100);
    ngx_ors_error_render(&out, err);

    text = fuzz_take(&out, c.pool);
    fuzz_read(&c.json, c.pool, &text);
    check_error_value(&c, c.json.nodes);

    fuzz_check(c.error[0] == '\0');

    message = request_fuzz_get(&c.json, c.json.nodes, "message");

    fuzz_check(ngx_ors_json_equal(&c.json, message,
                                  err->message.data,
                                  err->message.len));

    ngx_destroy_pool(c.pool);
}


/* a server of our own kind gets the same bytes, but for the model's name */

static void
request_fuzz_pass(ngx_str_t *body, ngx_ors_limits_t *limits,
    ngx_ors_request_t *req)
{
    size_t           head, tail;
    ngx_str_t        text, model = ngx_string("\"x\n");
    ngx_pool_t      *pool;
    ngx_ors_out_t    out;
    ngx_ors_turn_t  *turn;

    pool = ngx_ors_test_pool();
    ngx_ors_out_init(&out, pool, 4096);

    turn = ngx_ors_turn_create(
        ngx_ors_endpoint(ngx_ors_endpoint_responses), &ngx_ors_test_policy,
        limits, pool, pool->log);

    fuzz_check(ngx_ors_turn_request(turn, body) == NGX_OK);
    fuzz_check(ngx_ors_turn_call(turn, ngx_ors_dialect_responses,
                                 &ngx_ors_chat_options, &model, &out)
               == NGX_OK);

    text = fuzz_take(&out, pool);

    if (req->edits.n) {
        request_fuzz_stripped(req, pool);
        ngx_destroy_pool(pool);
        return;
    }

    head = req->field[ngx_ors_rq_model]->pos;
    tail = body->len - head - req->field[ngx_ors_rq_model]->len;

    fuzz_check(text.len == head + 5 + tail);
    fuzz_check(memcmp(text.data, body->data, head) == 0);
    fuzz_check(memcmp(text.data + head, "\\\"x\\n", 5) == 0);
    fuzz_check(memcmp(text.data + head + 5,
                      body->data + body->len - tail, tail)
               == 0);

    ngx_destroy_pool(pool);
}


/* without the fields that are not known there is nothing to strip again */

static void
request_fuzz_stripped(ngx_ors_request_t *req, ngx_pool_t *pool)
{
    ngx_str_t          text, model;
    ngx_ors_out_t      out;
    ngx_ors_error_t    err;
    ngx_ors_policy_t   policy;
    ngx_ors_request_t  again;

    fuzz_check(req->policy->unknown == ngx_ors_unknown_strip);

    policy = *req->policy;
    policy.unknown = ngx_ors_unknown_reject;

    ngx_str_null(&model);

    ngx_ors_out_init(&out, pool, 4096);
    ngx_ors_request_write(req, &model, &out);
    text = fuzz_take(&out, pool);

    ngx_ors_request_init(&again, req->endpoint, &policy, req->limits, pool);
    fuzz_check(ngx_ors_request_read(&again, &text, &err) == NGX_OK);
}


static void
request_fuzz_response(ngx_ors_request_t *req)
{
    check_t             c;
    ngx_str_t           text;
    ngx_ors_out_t       out;
    ngx_ors_response_t  resp;

    memset(&c, 0, sizeof(check_t));
    c.pool = ngx_ors_test_pool();

    ngx_memzero(&resp, sizeof(ngx_ors_response_t));
    ngx_str_set(&resp.id, "resp_x");
    resp.request = req;

    ngx_ors_out_init(&out, c.pool, 200);
    ngx_ors_response_render(&out, &resp);

    text = fuzz_take(&out, c.pool);
    fuzz_read(&c.json, c.pool, &text);

    check_snapshot(&c, c.json.nodes, "the response");
    check_is(&c, c.json.nodes, "status", "in_progress");

    if (c.error[0]) {
        fprintf(stderr, "%s\n%.*s\n", c.error, (int) text.len, text.data);
        abort();
    }

    ngx_destroy_pool(c.pool);
}


static void
request_fuzz_chat(ngx_ors_request_t *req, ngx_str_t *text)
{
    ngx_pool_t           *pool;
    ngx_ors_json_t        json;
    request_fuzz_sum_t    asked, sent;
    ngx_ors_json_node_t  *node;

    pool = ngx_ors_test_pool();
    fuzz_read(&json, pool, text);
    request_fuzz_unique(&json, req, pool);

    node = request_fuzz_get(&json, json.nodes, "model");

    fuzz_check(node && ngx_ors_json_equal(&json, node,
                                          req->model.data,
                                          req->model.len));

    node = request_fuzz_get(&json, json.nodes, "stream");

    fuzz_check((node != NULL)
               == (request_fuzz_options.stream
                   == ngx_ors_chat_stream_always
                   || (request_fuzz_options.stream && req->stream)));

    memset(&asked, 0, sizeof(request_fuzz_sum_t));
    memset(&sent, 0, sizeof(request_fuzz_sum_t));

    asked.json = &req->json;
    sent.json = &json;
    sent.req = req;

    request_fuzz_items(&asked, req);
    request_fuzz_messages(&sent, request_fuzz_get(&json, json.nodes,
                                                  "messages"));

    request_fuzz_same(&asked.user, &sent.user);
    request_fuzz_same(&asked.system, &sent.system);
    request_fuzz_same(&asked.assistant, &sent.assistant);
    request_fuzz_same(&asked.refusal, &sent.refusal);

    fuzz_check(asked.calls == sent.calls);
    fuzz_check(asked.outputs == sent.outputs);

    request_fuzz_free(&asked);
    request_fuzz_free(&sent);
    ngx_destroy_pool(pool);
}


/* no key comes more often than the client has it, however it is written */

static void
request_fuzz_unique(ngx_ors_json_t *json, ngx_ors_request_t *req,
    ngx_pool_t *pool)
{
    size_t                len;
    u_char               *name;
    ngx_uint_t            n;
    ngx_ors_json_node_t  *key;

    for (key = ngx_ors_json_first(json, json->nodes);
         key;
         key = ngx_ors_json_next(json, key))
    {
        name = ngx_pnalloc(pool, key->len + 1);
        len = ngx_ors_json_decode(json, key, name) - name;

        n = request_fuzz_count(json, name, len);

        fuzz_check(n == 1 || (req->policy->unknown == ngx_ors_unknown_pass
                              && n == request_fuzz_count(&req->json, name,
                                                         len)));
    }
}


static ngx_uint_t
request_fuzz_count(ngx_ors_json_t *json, u_char *name, size_t len)
{
    ngx_uint_t            n;
    ngx_ors_json_node_t  *key;

    n = 0;

    for (key = ngx_ors_json_first(json, json->nodes);
         key;
         key = ngx_ors_json_next(json, key))
    {
        n += ngx_ors_json_equal(json, key, name, len);
    }

    return n;
}


static void
request_fuzz_items(request_fuzz_sum_t *sum, ngx_ors_request_t *req)
{
    ngx_ors_json_node_t  *input, *item;

    input = req->field[ngx_ors_rq_instructions];

    request_fuzz_add(&sum->system, sum->json, input);
    sum->systems = (input && input->len);

    input = req->field[ngx_ors_rq_input];

    if (input == NULL || input->type == ngx_ors_json_string) {
        request_fuzz_add(&sum->user, sum->json, input);
        return;
    }

    for (item = ngx_ors_json_first(sum->json, input);
         item;
         item = ngx_ors_json_next(sum->json, item))
    {
        request_fuzz_item(sum, item);
    }
}


static void
request_fuzz_item(request_fuzz_sum_t *sum, ngx_ors_json_node_t *item)
{
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *type, *content;
    ngx_ors_input_item_t  in;

    json = sum->json;
    type = request_fuzz_get(json, item, "type");

    /* the call of a type of the operator's has its output in it */

    ngx_ors_input_item(&in, json, item);

    if (in.kind == ngx_ors_input_own) {
        sum->calls++;
        sum->outputs++;
        return;
    }

    if (request_fuzz_is(json, item, "type", "function_call")
        || request_fuzz_is(json, item, "type", "custom_tool_call"))
    {
        sum->calls++;
        return;
    }

    if (request_fuzz_is(json, item, "type", "function_call_output")
        || request_fuzz_is(json, item, "type", "custom_tool_call_output"))
    {
        sum->outputs++;
        return;
    }

    /* that of another server has no id */

    if (request_fuzz_id(json, item)) {
        sum->calls += request_fuzz_is(json, item, "type",
                                      "tool_search_call");
        sum->outputs += request_fuzz_is(json, item, "type",
                                        "tool_search_output");
    }

    if (type && type->type != ngx_ors_json_null
        && !ngx_ors_json_is(json, type, "message"))
    {
        return;
    }

    content = request_fuzz_get(json, item, "content");

    if (request_fuzz_is(json, item, "role", "user")) {
        request_fuzz_parts(sum, content, &sum->user, "");

    } else if (request_fuzz_is(json, item, "role", "assistant")) {
        request_fuzz_parts(sum, content, &sum->assistant, "\\n");

    } else {

        if (request_fuzz_options.systems && sum->systems++) {
            request_fuzz_put(&sum->system, (u_char *) "\\n\\n", 4);
        }

        request_fuzz_parts(sum, content, &sum->system, "\\n");
    }
}


/* NULL: it has none */

static ngx_ors_json_node_t *
request_fuzz_id(ngx_ors_json_t *json, ngx_ors_json_node_t *item)
{
    ngx_ors_json_node_t  *node;

    node = request_fuzz_get(json, item, "call_id");

    return (node && node->type != ngx_ors_json_null) ? node : NULL;
}


static void
request_fuzz_parts(request_fuzz_sum_t *sum, ngx_ors_json_node_t *content,
    request_fuzz_text_t *text, const char *between)
{
    size_t                at, refused;
    ngx_ors_json_node_t  *part, *node;
    request_fuzz_text_t  *to;

    if (content->type == ngx_ors_json_string) {
        request_fuzz_add(text, sum->json, content);
        return;
    }

    at = text->len;
    refused = sum->refusal.len;

    for (part = ngx_ors_json_first(sum->json, content);
         part;
         part = ngx_ors_json_next(sum->json, part))
    {
        if (request_fuzz_is(sum->json, part, "type", "refusal")) {
            node = request_fuzz_get(sum->json, part, "refusal");
            to = &sum->refusal;

        } else if (request_fuzz_is(sum->json, part, "type", "input_text")
                   || request_fuzz_is(sum->json, part, "type", "output_text"))
        {
            node = request_fuzz_get(sum->json, part, "text");
            to = text;

        } else {
            continue;
        }

        if (node->len && to->len > ((to == text) ? at : refused)) {
            request_fuzz_put(to, (u_char *) between, strlen(between));
        }

        request_fuzz_add(to, sum->json, node);
    }
}


static void
request_fuzz_messages(request_fuzz_sum_t *sum, ngx_ors_json_node_t *messages)
{
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *message, *calls, *node;

    json = sum->json;
    calls = NULL;

    fuzz_check(messages && messages->type == ngx_ors_json_array
               && messages->count);

    for (message = ngx_ors_json_first(json, messages);
         message;
         message = ngx_ors_json_next(json, message))
    {
        if (request_fuzz_is(json, message, "role", "tool")) {
            request_fuzz_answers(sum, calls, message);
            continue;
        }

        /* tool messages stand right after the one with their calls */

        calls = request_fuzz_get(json, message, "tool_calls");

        if (calls) {
            fuzz_check(calls->type == ngx_ors_json_array
                       && calls->count);
            fuzz_check(request_fuzz_is(json, message, "role",
                                       "assistant"));

            for (node = ngx_ors_json_first(json, calls);
                 node;
                 node = ngx_ors_json_next(json, node))
            {
                sum->calls++;
            }
        }

        request_fuzz_message(sum, message);
    }
}


static void
request_fuzz_message(request_fuzz_sum_t *sum, ngx_ors_json_node_t *message)
{
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *content, *part;

    json = sum->json;
    content = request_fuzz_get(json, message, "content");

    if (content == NULL) {
        fuzz_check(request_fuzz_options.content
                   == ngx_ors_chat_content_off
                   && request_fuzz_get(json, message, "tool_calls"));
        return;
    }

    if (request_fuzz_is(json, message, "role", "system")
        || request_fuzz_is(json, message, "role", "developer"))
    {
        fuzz_check(content->type == ngx_ors_json_string);
        fuzz_check(sum->systems++ == 0 || !request_fuzz_options.systems);
        request_fuzz_add(&sum->system, json, content);
        return;
    }

    if (request_fuzz_is(json, message, "role", "assistant")) {
        fuzz_check(content->type == ngx_ors_json_string
                   || content->type == ngx_ors_json_null);
        request_fuzz_add(&sum->assistant, json, content);
        request_fuzz_add(&sum->refusal, json,
                         request_fuzz_get(json, message, "refusal"));
        return;
    }

    fuzz_check(request_fuzz_is(json, message, "role", "user"));

    if (content->type == ngx_ors_json_string) {
        request_fuzz_add(&sum->user, json, content);
        return;
    }

    fuzz_check(content->type == ngx_ors_json_array
               && content->count);

    for (part = ngx_ors_json_first(json, content);
         part;
         part = ngx_ors_json_next(json, part))
    {
        if (request_fuzz_is(json, part, "type", "text")) {
            request_fuzz_add(&sum->user, json,
                             request_fuzz_get(json, part, "text"));
        }
    }
}


/* a tool message answers one of the calls right before it */

static void
request_fuzz_answers(request_fuzz_sum_t *sum, ngx_ors_json_node_t *calls,
    ngx_ors_json_node_t *tool)
{
    ngx_str_t             id, content;
    ngx_uint_t            found;
    ngx_ors_json_node_t  *node, *call;

    sum->outputs++;

    node = request_fuzz_get(sum->json, tool, "content");

    fuzz_check(node && node->type == ngx_ors_json_string);
    ngx_ors_json_raw(sum->json, node, &content);

    node = request_fuzz_get(sum->json, tool, "tool_call_id");

    fuzz_check(calls && node && node->type == ngx_ors_json_string);

    id.data = malloc(node->len);
    id.len = ngx_ors_json_decode(sum->json, node, id.data) - id.data;

    found = 0;

    for (call = ngx_ors_json_first(sum->json, calls);
         call;
         call = ngx_ors_json_next(sum->json, call))
    {
        node = request_fuzz_get(sum->json, call, "id");
        found += (node && ngx_ors_json_equal(sum->json, node, id.data,
                                             id.len));
    }

    fuzz_check(found && request_fuzz_outputs(sum, &id, &content));

    free(id.data);
}


/* the number of outputs asked for that have this id and this content */

static ngx_uint_t
request_fuzz_outputs(request_fuzz_sum_t *sum, ngx_str_t *id,
    ngx_str_t *content)
{
    ngx_uint_t            found;
    ngx_ors_json_t       *json, parts;
    request_fuzz_sum_t    asked;
    ngx_ors_json_node_t  *input, *item, *node;
    request_fuzz_text_t   text;
    ngx_ors_input_item_t  in;

    static const char  names[] = "{\\\"tools\\\":[";

    found = 0;
    json = &sum->req->json;
    input = sum->req->field[ngx_ors_rq_input];

    for (item = ngx_ors_json_first(json, input);
         item;
         item = ngx_ors_json_next(json, item))
    {
        ngx_ors_input_item(&in, json, item);

        if (in.kind == ngx_ors_input_own) {
            node = request_fuzz_get(json, item, "id");

            found += (node == NULL || node->type != ngx_ors_json_string
                      || node->len == 0
                      || ngx_ors_json_equal(json, node, id->data, id->len));
            continue;
        }

        node = request_fuzz_id(json, item);

        if (node && request_fuzz_is(json, item, "type", "tool_search_output")
            && ngx_ors_json_equal(json, node, id->data, id->len))
        {
            found += (content->len > sizeof(names) - 1
                      && memcmp(content->data, names, sizeof(names) - 1)
                         == 0);
            continue;
        }

        if ((!request_fuzz_is(json, item, "type", "function_call_output")
             && !request_fuzz_is(json, item, "type",
                                 "custom_tool_call_output"))
            || !ngx_ors_json_equal(json, node, id->data, id->len))
        {
            continue;
        }

        memset(&asked, 0, sizeof(request_fuzz_sum_t));
        memset(&text, 0, sizeof(request_fuzz_text_t));
        asked.json = json;

        node = request_fuzz_get(json, item, "output");

        if (node->type == ngx_ors_json_string
            && ngx_ors_chat_embedded(json, node, sum->req->pool, &parts)
               == NGX_OK)
        {
            asked.json = &parts;
            node = parts.nodes;
        }

        request_fuzz_parts(&asked, node, &text, "\\n");

        found += (text.len == content->len
                  && (text.len == 0
                      || memcmp(text.data, content->data, text.len) == 0))
                 || (node->type == ngx_ors_json_array
                     && request_fuzz_noted(&text, content));

        free(text.data);
    }

    return found;
}


/* in place of parts that cannot be sent stand notes of ours */

static ngx_uint_t
request_fuzz_noted(request_fuzz_text_t *text, ngx_str_t *content)
{
    size_t  i, n;

    for (i = 0, n = 0; i < content->len; i++) {
        n += (n < text->len && text->data[n] == content->data[i]);
    }

    return n == text->len
           && ngx_strlchr(content->data, content->data + content->len, '(');
}


static void
request_fuzz_add(request_fuzz_text_t *text, ngx_ors_json_t *json,
    ngx_ors_json_node_t *node)
{
    ngx_str_t  raw;

    if (node == NULL || node->type != ngx_ors_json_string || node->len == 0) {
        return;
    }

    ngx_ors_json_raw(json, node, &raw);
    request_fuzz_put(text, raw.data, raw.len);
}


static void
request_fuzz_put(request_fuzz_text_t *text, u_char *data, size_t len)
{
    if (text->len + len > text->size) {
        text->size = 2 * (text->len + len);
        text->data = realloc(text->data, text->size);
    }

    if (len) {
        memcpy(text->data + text->len, data, len);
        text->len += len;
    }
}


static void
request_fuzz_same(request_fuzz_text_t *a, request_fuzz_text_t *b)
{
    if (a->len == b->len && (a->len == 0
                             || memcmp(a->data, b->data, a->len) == 0))
    {
        return;
    }

    fprintf(stderr, "asked: %.*s\nsent:  %.*s\n", (int) a->len,
            a->len ? (char *) a->data : "", (int) b->len,
            b->len ? (char *) b->data : "");
    abort();
}


static void
request_fuzz_free(request_fuzz_sum_t *sum)
{
    free(sum->user.data);
    free(sum->system.data);
    free(sum->assistant.data);
    free(sum->refusal.data);
}
