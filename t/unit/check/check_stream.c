
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The checker of answers, independent of the code that writes them: frames,
 * events of a response, and documents.
 */


#include "check.h"


static void check_document(check_t *c, const ngx_ors_shape_t *shape);
static void check_refusal(check_t *c);
static void check_stream(check_t *c);
static void check_frame(check_t *c, u_char *p, u_char *last);
static void check_end(check_t *c);
static void check_chunk(check_t *c);
static void check_event(check_t *c, ngx_str_t *type);
static void check_error(check_t *c);
static void check_state(check_t *c, ngx_str_t *type,
    ngx_ors_json_node_t *resp);
static void check_begin(check_t *c, ngx_str_t *type,
    ngx_ors_json_node_t *resp);
static void check_terminal(check_t *c, ngx_str_t *type,
    ngx_ors_json_node_t *resp);
static void check_passed_output(check_t *c, ngx_ors_json_node_t *resp);
static ngx_uint_t check_beside(check_t *c);
static void check_shape(check_t *c, const ngx_ors_shape_t *shape);


void
check_answer(check_t *c, const check_answer_t *answer)
{
    memset(c, 0, sizeof(check_t));

    c->answer = answer;
    c->sequence = answer->passed ? -2 : -1;
    c->pool = ngx_ors_test_pool();
    ngx_ors_json_init(&c->json, c->pool, 100, 1000000);

    if (answer->status == 200 && answer->stream) {
        check_stream(c);

    } else if (strcmp(answer->type, "application/json") != 0) {
        wrong(c, "type \"%s\"", answer->type);

    } else if (answer->status != 200) {
        check_refusal(c);

    } else {
        check_document(c, &ngx_ors_fields_response);
        check_response(c, c->json.nodes);
    }

    ngx_destroy_pool(c->pool);
}


static void
check_document(check_t *c, const ngx_ors_shape_t *shape)
{
    if (ngx_ors_json_read(&c->json, c->answer->text, c->answer->size)
        != NGX_OK)
    {
        wrong(c, "the document is not JSON");
        return;
    }

    check_shape(c, shape);
}


/* an error in place of an answer */

static void
check_refusal(check_t *c)
{
    ngx_ors_json_node_t  *error;

    if (c->answer->status < 400 || c->answer->status > 599) {
        wrong(c, "status %d", (int) c->answer->status);
    }

    check_document(c, &ngx_ors_fields_error);

    if (c->error[0]) {
        return;
    }

    error = check_get(c, c->json.nodes, "error");

    if (error == NULL) {
        return;
    }

    check_error_value(c, error);

    check_put(c, "%d ", (int) c->answer->status);
    check_put_node(c, check_get(c, error, "code"));
}


static void
check_stream(check_t *c)
{
    u_char  *p, *last, *end;

    if (strcmp(c->answer->type, "text/event-stream") != 0) {
        wrong(c, "type \"%s\"", c->answer->type);
    }

    p = c->answer->text;
    last = p + c->answer->size;

    while (p < last && c->error[0] == '\0') {
        end = memmem(p, last - p, "\n\n", 2);

        if (end == NULL) {
            wrong(c, "the stream ends within a frame");
            return;
        }

        check_frame(c, p, end);

        p = end + 2;
    }

    if (c->state != check_st_done) {
        wrong(c, "the stream ends in state %d", (int) c->state);
    }
}


static void
check_frame(check_t *c, u_char *p, u_char *last)
{
    u_char     *data;
    ngx_str_t   type;

    if (c->state == check_st_done) {
        wrong(c, "a frame after [DONE]");
        return;
    }

    if (c->answer->passed && last - p == 1 && *p == ':') {
        return;
    }

    if (last - p == 12 && memcmp(p, "data: [DONE]", 12) == 0) {
        check_end(c);
        return;
    }

    type.data = p;
    type.len = 0;

    if (!c->answer->chat) {
        data = memchr(p, LF, last - p);

        if (data == NULL || data - p < 7 || memcmp(p, "event: ", 7) != 0) {
            wrong(c, "bad frame \"%.*s\"", (int) (last - p), p);
            return;
        }

        type.data = p + 7;
        type.len = data - type.data;

        p = data + 1;
    }

    if (last - p < 8 || memcmp(p, "data: {", 7) != 0
        || memchr(p, LF, last - p) != NULL
        || memchr(type.data, CR, last - type.data) != NULL)
    {
        wrong(c, "bad frame \"%.*s\"", (int) (last - p), p);
        return;
    }

    p += 6;

    if (ngx_ors_json_read(&c->json, p, last - p) != NGX_OK) {
        wrong(c, "data is not JSON: %.*s", (int) (last - p), p);
        return;
    }

    if (c->answer->chat) {
        check_chunk(c);

    } else {
        check_event(c, &type);
    }

    c->events++;
}


static void
check_end(check_t *c)
{
    if (c->answer->chat) {

        if (c->len == 0) {
            check_put(c, "done");
        }

    } else if (c->state != check_st_terminal) {
        wrong(c, "[DONE] in state %d", (int) c->state);
    }

    c->state = check_st_done;
}


static void
check_chunk(check_t *c)
{
    ngx_ors_json_node_t  *error;

    if (c->len) {
        wrong(c, "a chunk after an error");
    }

    error = check_find(c, c->json.nodes, "error");

    if (error == NULL) {
        check_shape(c, &ngx_ors_fields_chat_chunk);
        return;
    }

    check_shape(c, &ngx_ors_fields_error);
    check_put(c, "error ");
    check_put_node(c, check_get(c, error, "code"));
}


static void
check_event(check_t *c, ngx_str_t *type)
{
    ngx_ors_json_node_t  *node;

    c->beside = c->answer->beside && check_type(type, "response.failed");

    if (c->beside && !check_beside(c)) {
        wrong(c, "no error beside the response that has the same one");
    }

    check_shape(c, &ngx_ors_fields_event);

    c->beside = 0;

    if (!check_same(c, check_get(c, c->json.nodes, "type"), type)) {
        wrong(c, "type is not event %.*s", (int) type->len, type->data);
    }

    /* a server begins with any number */

    if (c->sequence != -2) {
        check_number(c, "sequence_number", c->sequence + 1);
    }

    node = check_find(c, c->json.nodes, "sequence_number");

    if (node == NULL
        || ngx_ors_json_integer(&c->json, node, &c->sequence) != NGX_OK)
    {
        c->sequence = -2;
    }

    if (c->state == check_st_terminal) {
        wrong(c, "%.*s after the last event", (int) type->len, type->data);
    }

    if (c->answer->passed && (memchr(type->data, ':', type->len)
                              || check_type(type, "keepalive")))
    {
        return;
    }

    if (c->state == check_st_error && !check_type(type, "response.failed")) {
        wrong(c, "%.*s after an error", (int) type->len, type->data);
    }

    if (check_type(type, "error")) {
        check_error(c);
        return;
    }

    node = check_find(c, c->json.nodes, "response");

    if (node) {
        check_state(c, type, node);
        return;
    }

    if (c->id.len == 0) {
        wrong(c, "%.*s before response.created", (int) type->len, type->data);
        return;
    }

    if (!c->answer->passed || type->len < 14
        || memcmp(type->data, "response.audio", 14) != 0)
    {
        check_item_event(c, type);
    }
}


static ngx_uint_t
check_beside(check_t *c)
{
    ngx_ors_json_node_t  *error, *inner;

    error = check_find(c, c->json.nodes, "error");
    inner = check_find(c, check_find(c, c->json.nodes, "response"), "error");

    return error && inner && error->len == inner->len
           && memcmp(ngx_ors_json_text(&c->json, error),
                     ngx_ors_json_text(&c->json, inner), error->len) == 0;
}


static void
check_error(check_t *c)
{
    ngx_ors_json_node_t  *error;

    if (!c->answer->passed && c->state != check_st_idle
        && c->state != check_st_item)
    {
        wrong(c, "error in state %d", (int) c->state);
    }

    error = check_find(c, c->json.nodes, "error");

    if (error == NULL) {
        wrong(c, "an error without its object");

    } else if (!c->answer->passed) {
        check_error_value(c, error);
        check_copy(c, &c->code, check_get(c, error, "code"));
    }

    c->state = check_st_error;
}


static void
check_state(check_t *c, ngx_str_t *type, ngx_ors_json_node_t *resp)
{
    ngx_uint_t  begins;

    begins = check_type(type, "response.created");

    if (begins) {

        if (c->state != check_st_start) {
            wrong(c, "created in state %d", (int) c->state);
        }

        check_copy(c, &c->id, check_get(c, resp, "id"));
        c->state = c->answer->passed ? check_st_idle : check_st_created;

    } else if (check_type(type, "response.in_progress")) {

        if (!c->answer->passed && c->state != check_st_created) {
            wrong(c, "in_progress in state %d", (int) c->state);
        }

        begins = 1;
        c->state = check_st_idle;

    } else if (c->answer->passed && check_type(type, "response.queued")) {
        begins = 1;
    }

    if (c->id.len == 0 || !check_same(c, check_get(c, resp, "id"), &c->id)) {
        wrong(c, "the response's id is another");
    }

    if (begins) {
        check_begin(c, type, resp);

    } else {
        check_terminal(c, type, resp);
    }
}


/* a snapshot that has nothing yet */

static void
check_begin(check_t *c, ngx_str_t *type, ngx_ors_json_node_t *resp)
{
    ngx_ors_json_node_t  *node;

    if (c->answer->passed) {
        return;
    }

    check_is(c, resp, "status", "in_progress");
    check_snapshot(c, resp, "the first snapshot");

    if (check_find(c, resp, "usage")) {
        wrong(c, "%.*s has usage", (int) type->len, type->data);
    }

    node = check_get(c, resp, "output");

    if (node && node->count) {
        wrong(c, "%.*s has output", (int) type->len, type->data);
    }
}


static void
check_terminal(check_t *c, ngx_str_t *type, ngx_ors_json_node_t *resp)
{
    ngx_str_t  status;

    status.len = type->len - 9;
    status.data = type->data + 9;

    if (!check_same(c, check_get(c, resp, "status"), &status)) {
        wrong(c, "status is not that of %.*s", (int) type->len, type->data);
    }

    if (!c->answer->passed
        && c->state != (check_type(type, "response.failed") ? check_st_error
                                                            : check_st_idle))
    {
        wrong(c, "%.*s in state %d", (int) type->len, type->data,
              (int) c->state);
    }

    c->state = check_st_terminal;

    if (c->answer->passed) {
        check_passed_output(c, resp);

    } else {
        check_response(c, resp);
    }
}


/* the items that were done, or less than these of what has failed */

static void
check_passed_output(check_t *c, ngx_ors_json_node_t *resp)
{
    ngx_uint_t            i, failed;
    ngx_ors_json_node_t  *output, *item;

    failed = ngx_ors_json_is(&c->json, check_get(c, resp, "status"),
                             "failed");

    check_put_node(c, check_get(c, resp, "status"));

    if (failed) {
        check_put(c, " ");
        check_put_node(c, check_get(c, check_get(c, resp, "error"), "code"));
    }

    output = check_get(c, resp, "output");

    if (output == NULL) {
        return;
    }

    check_put(c, " %d", (int) output->count);

    for (i = 0, item = ngx_ors_json_first(&c->json, output);
         item && !failed && i < CHECK_ITEMS;
         i++, item = ngx_ors_json_next(&c->json, item))
    {
        if (i >= c->nitems || c->items[i].object.len == 0
            || !check_same(c, check_get(c, item, "id"), &c->items[i].id))
        {
            wrong(c, "output[%d] is not the item that was done", (int) i);
        }
    }
}


/* the schema permits it as it is, and nothing needs to be repaired */

static void
check_shape(check_t *c, const ngx_ors_shape_t *shape)
{
    ngx_pool_t          *pool;
    ngx_ors_error_t      err;
    ngx_ors_policy_t     policy;
    ngx_ors_validate_t   v;

    pool = ngx_ors_test_pool();
    policy = c->answer->policy;

    if (c->beside) {
        policy.profile = NGX_ORS_TOLERANT_OPENAI;
    }

    ngx_memzero(&err, sizeof(ngx_ors_error_t));
    ngx_memzero(&v, sizeof(ngx_ors_validate_t));

    v.json = &c->json;
    v.policy = &policy;
    v.root = "the answer";
    v.pool = pool;
    v.err = &err;

    if (ngx_ors_validate(&v, c->json.nodes, shape, NULL) != NGX_OK) {
        wrong(c, "%.*s", (int) err.message.len, err.message.data);
    }

    ngx_destroy_pool(pool);
}
