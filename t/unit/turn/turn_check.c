
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * A checker of what a turn has sent, independent of its code.
 */


#include "turn_check.h"
#include <ngx_ors_fields.h>


/* events of a part, and where their text is */

struct check_part_s {
    const char   *type;
    const char   *part;
    const char   *field;
};


static void check_document(check_t *c, run_t *run);
static void check_refusal(check_t *c, run_t *run);
static void check_stream(check_t *c, run_t *run);
static void check_frame(check_t *c, u_char *p, u_char *last);
static void check_event(check_t *c, ngx_str_t *type);
static void check_state(check_t *c, ngx_str_t *type,
    ngx_ors_json_node_t *resp);
static void check_item_added(check_t *c, ngx_ors_json_node_t *item);
static void check_empty(check_t *c, ngx_ors_json_node_t *item);
static void check_item_done(check_t *c, ngx_ors_json_node_t *item);
static void check_ended(check_t *c, ngx_ors_json_node_t *item,
    ngx_str_t *kept);
static const char *check_call(ngx_str_t *type);
static void check_arguments(check_t *c, ngx_str_t *type);
static void check_part(check_t *c, ngx_str_t *type);
static void check_annotation(check_t *c);
static void check_join(check_t *c, ngx_str_t *sum, ngx_ors_json_node_t *node,
    size_t cut);
static void check_joined(check_t *c, ngx_str_t *sum,
    ngx_ors_json_node_t *object, const char *name);
static void check_shape(check_t *c, const ngx_ors_shape_t *shape);


static const check_part_t  check_parts[] = {
    { "response.output_text.delta", "output_text", "delta" },
    { "response.output_text.done", "output_text", "text" },
    { "response.refusal.delta", "refusal", "delta" },
    { "response.refusal.done", "refusal", "refusal" },
    { "response.reasoning_summary_text.delta", "summary_text", "delta" },
    { "response.reasoning_summary_text.done", "summary_text", "text" },
    { "response.reasoning.delta", "reasoning_text", "delta" },
    { "response.reasoning.done", "reasoning_text", "text" },
    { "response.reasoning_text.delta", "reasoning_text", "delta" },
    { "response.reasoning_text.done", "reasoning_text", "text" },
    { NULL, NULL, NULL }
};


void
check_run(check_t *c, run_t *run)
{
    memset(c, 0, sizeof(check_t));

    if (run->rc == NGX_ERROR) {
        check_put(c, "no memory");
        return;
    }

    if (run->rc != NGX_DONE) {
        wrong(c, "the turn's end gave %d", (int) run->rc);
        return;
    }

    c->profile = (run->policy.profile & NGX_ORS_IN_OPENAI)
                 ? NGX_ORS_STRICT_OPENAI : NGX_ORS_STRICT_SPEC;

    c->pool = ngx_ors_test_pool();
    ngx_ors_json_init(&c->json, c->pool, 100, 1000000);

    if (run->answered != 200) {
        check_refusal(c, run);

    } else if (run->stream) {
        check_stream(c, run);

    } else {
        check_document(c, run);
    }

    free(c->text);
    ngx_destroy_pool(c->pool);
}


void
check_digest(run_t *run, const char *expected, const char *name)
{
    size_t    len;
    u_char   *text;
    check_t   c;

    check_run(&c, run);

    if (!ok(c.error[0] == '\0', "%s: well-formed", name)) {
        diag("%s", c.error);
        diag("%s", run->text ? (char *) run->text : "(nothing)");
    }

    text = run_text(expected, &len);

    if (!is_mem(c.digest, strlen(c.digest), text, len, "%s", name)) {
        diag("%s", ngx_ors_test_log_last());
    }

    free(text);
}


void
check_split(run_t *run, const char *expected, const char *name)
{
    size_t    len, bad;
    u_char   *text;
    check_t   c;

    text = run_text(expected, &len);
    bad = 0;

    for (run->at = 1; run->at <= run->len; run->at++) {
        run->step = (run->at == 1) ? 1 : 0;

        run_turn(run);
        check_run(&c, run);

        if (c.error[0] || strcmp(c.digest, (char *) text) != 0) {
            bad++;
            diag("split at %d: %s %s", (int) run->at, c.error, c.digest);
        }

        run_free(run);
    }

    run->at = 0;
    run->step = 0;

    free(text);

    is_int(bad, 0, "%s: split at each byte", name);
}


void
check_ways(run_t *run, ngx_uint_t other, const char *expected,
    const char *name)
{
    char        way[128];
    ngx_uint_t  n;

    for (n = 0; n < 4; n++) {
        run->stream = n & 1;
        run->policy.profile = (n & 2) ? NGX_ORS_STRICT_OPENAI : other;

        snprintf(way, sizeof(way), "%s, %s, %s", name,
                 (n & 2) ? "strict" : "the other profile",
                 (n & 1) ? "stream" : "plain");

        run_turn(run);
        check_digest(run, expected, way);
        run_free(run);

        check_split(run, expected, way);
    }
}


static void
check_document(check_t *c, run_t *run)
{
    if (strcmp(run->answered_type, "application/json") != 0) {
        wrong(c, "type \"%s\"", run->answered_type);
    }

    if (ngx_ors_json_read(&c->json, run->text, run->size) != NGX_OK) {
        wrong(c, "the document is not JSON");
        return;
    }

    check_shape(c, &ngx_ors_fields_response);
    check_response(c, c->json.nodes);
}


/* an error in place of an answer */

static void
check_refusal(check_t *c, run_t *run)
{
    ngx_ors_json_node_t  *error;

    if (strcmp(run->answered_type, "application/json") != 0) {
        wrong(c, "type \"%s\"", run->answered_type);
    }

    if (run->answered < 400 || run->answered > 599) {
        wrong(c, "status %d", (int) run->answered);
    }

    if (ngx_ors_json_read(&c->json, run->text, run->size) != NGX_OK) {
        wrong(c, "the error is not JSON");
        return;
    }

    check_shape(c, &ngx_ors_fields_error);

    error = check_get(c, c->json.nodes, "error");

    if (error == NULL) {
        return;
    }

    check_error_value(c, error);

    check_put(c, "%d ", (int) run->answered);
    check_put_node(c, check_get(c, error, "code"));
}


static void
check_stream(check_t *c, run_t *run)
{
    u_char  *p, *last, *end;

    if (strcmp(run->answered_type, "text/event-stream") != 0) {
        wrong(c, "type \"%s\"", run->answered_type);
    }

    p = run->text;
    last = p + run->size;

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

    if (last - p == 12 && memcmp(p, "data: [DONE]", 12) == 0) {

        if (c->state != check_st_terminal) {
            wrong(c, "[DONE] in state %d", (int) c->state);
        }

        c->state = check_st_done;
        return;
    }

    data = memchr(p, LF, last - p);

    if (data == NULL || memcmp(p, "event: ", 7) != 0
        || memcmp(data, "\ndata: {", 8) != 0)
    {
        wrong(c, "bad frame \"%.*s\"", (int) (last - p), p);
        return;
    }

    type.data = p + 7;
    type.len = data - type.data;

    data += 7;

    if (ngx_ors_json_read(&c->json, data, last - data) != NGX_OK) {
        wrong(c, "data is not JSON: %.*s", (int) (last - data), data);
        return;
    }

    check_shape(c, &ngx_ors_fields_event);

    if (!check_same(c, check_get(c, c->json.nodes, "type"), &type)) {
        wrong(c, "type is not event %.*s", (int) type.len, type.data);
    }

    check_number(c, "sequence_number", c->events);
    c->events++;

    check_event(c, &type);
}


static void
check_event(check_t *c, ngx_str_t *type)
{
    ngx_ors_json_node_t  *root, *node;

    root = c->json.nodes;
    node = ngx_ors_json_find(&c->json, root, "response");

    if (node) {
        check_state(c, type, node);
        return;
    }

    if (check_type(type, "error")) {

        if (c->state != check_st_idle && c->state != check_st_item) {
            wrong(c, "error in state %d", (int) c->state);
        }

        node = check_get(c, root, "error");

        if (node) {
            check_error_value(c, node);
            check_keep(c, &c->code, check_get(c, node, "code"));
        }

        c->state = check_st_error;
        return;
    }

    if (check_type(type, "response.output_item.added")) {
        check_number(c, "output_index", c->nitems);
        check_item_added(c, check_get(c, root, "item"));
        return;
    }

    if (c->state != check_st_item) {
        wrong(c, "%.*s without an item", (int) type->len, type->data);
        return;
    }

    check_number(c, "output_index", c->nitems - 1);

    if (check_type(type, "response.output_item.done")) {
        check_item_done(c, check_get(c, root, "item"));
        return;
    }

    if (!check_same(c, check_get(c, root, "item_id"), &c->item_id)) {
        wrong(c, "item_id is another");
    }

    if (c->hosted) {
        check_hosted_event(c, type);

    } else if (check_call(&c->item_type)) {
        check_arguments(c, type);

    } else {
        check_part(c, type);
    }
}


static void
check_state(check_t *c, ngx_str_t *type, ngx_ors_json_node_t *resp)
{
    u_char               *p;
    ngx_uint_t            terminal;
    ngx_ors_json_node_t  *node;

    terminal = 0;

    if (check_type(type, "response.created")) {

        if (c->state != check_st_start) {
            wrong(c, "created in state %d", (int) c->state);
        }

        check_is(c, resp, "status", "in_progress");
        check_keep(c, &c->id, check_get(c, resp, "id"));
        c->state = check_st_created;

    } else if (check_type(type, "response.in_progress")) {

        if (c->state != check_st_created) {
            wrong(c, "in_progress in state %d", (int) c->state);
        }

        check_is(c, resp, "status", "in_progress");
        c->state = check_st_idle;

    } else {
        terminal = 1;

        p = type->data + type->len;

        if (!check_same(c, check_get(c, resp, "status"),
                        &(ngx_str_t) { type->len - 9, type->data + 9 }))
        {
            wrong(c, "status is not that of %.*s", (int) (p - type->data),
                  type->data);
        }

        if (c->state != (check_type(type, "response.failed")
                         ? check_st_error : check_st_idle))
        {
            wrong(c, "%.*s in state %d", (int) type->len, type->data,
                  (int) c->state);
        }

        c->state = check_st_terminal;
    }

    if (!check_same(c, check_get(c, resp, "id"), &c->id)) {
        wrong(c, "the response's id is another");
    }

    if (terminal) {
        check_response(c, resp);
        return;
    }

    check_snapshot(c, resp, "the first snapshot");

    node = check_get(c, resp, "usage");

    if (node && node->type != ngx_ors_json_null) {
        wrong(c, "usage in the beginning");
    }

    node = check_get(c, resp, "output");

    if (node && node->count) {
        wrong(c, "output in the beginning");
    }
}


static void
check_item_added(check_t *c, ngx_ors_json_node_t *item)
{
    ngx_uint_t  extension;

    if (c->state != check_st_idle) {
        wrong(c, "item added in state %d", (int) c->state);
    }

    if (item == NULL) {
        return;
    }

    if (c->incomplete) {
        wrong(c, "an item after an incomplete one");
    }

    check_item(c, item);

    c->hosted = NULL;

    if (check_hosted(c, item, &extension)) {
        check_hosted_added(c, item);

    } else {
        check_empty(c, item);
    }

    check_keep(c, &c->item_type, check_get(c, item, "type"));
    check_keep(c, &c->item_id, check_get(c, item, "id"));

    if (c->nitems == CHECK_ITEMS) {
        wrong(c, "too many items for this test");
        return;
    }

    if (check_call(&c->item_type)) {
        check_keep(c, &c->items[c->nitems], check_get(c, item, "call_id"));
        check_keep(c, &c->item_name, check_get(c, item, "name"));
    }

    c->nitems++;
    c->nparts = 0;
    c->done = 0;
    c->text_len = 0;
    c->part_type.len = 0;
    c->state = check_st_item;
}


/* an item that is announced has no text and no parts */

static void
check_empty(check_t *c, ngx_ors_json_node_t *item)
{
    ngx_ors_json_node_t  *node;

    check_is(c, item, "status", "in_progress");

    node = ngx_ors_json_find(&c->json, item, "arguments");

    if (node == NULL) {
        node = ngx_ors_json_find(&c->json, item, "input");
    }

    if (node && (node->type == ngx_ors_json_object ? node->count
                                                   : node->len))
    {
        wrong(c, "an item is added with arguments");
    }

    node = ngx_ors_json_find(&c->json, item, "content");

    if (node == NULL) {
        node = ngx_ors_json_find(&c->json, item, "summary");
    }

    if (node && node->count) {
        wrong(c, "an item is added with parts");
    }
}


static void
check_item_done(check_t *c, ngx_ors_json_node_t *item)
{
    ngx_str_t  *kept;

    if (item == NULL) {
        return;
    }

    check_item(c, item);

    if (!check_same(c, check_get(c, item, "id"), &c->item_id)
        || !check_same(c, check_get(c, item, "type"), &c->item_type))
    {
        wrong(c, "the item done is another");
    }

    if (c->part_type.len) {
        wrong(c, "a part is still open");
    }

    kept = &c->items[c->nitems - 1];

    if (c->hosted) {
        check_hosted_done(c, item);

    } else {
        check_ended(c, item, kept);
    }

    check_keep(c, kept, item);

    c->state = check_st_idle;
}


/* the texts, the parts and the status of an item that is done */

static void
check_ended(check_t *c, ngx_ors_json_node_t *item, ngx_str_t *kept)
{
    ngx_ors_json_node_t  *node;

    if (check_call(&c->item_type)) {

        if (!c->done) {
            wrong(c, "no arguments.done");
        }

        if (!check_same(c, check_get(c, item, "call_id"), kept)
            || !check_same(c, check_get(c, item, "name"), &c->item_name))
        {
            wrong(c, "call_id or name has changed");
        }

        check_sum(c, check_get(c, item, check_call(&c->item_type)));

    } else {
        node = ngx_ors_json_find(&c->json, item, "content");

        if (node == NULL) {
            node = ngx_ors_json_find(&c->json, item, "summary");
        }

        if (node && node->count != c->nparts) {
            wrong(c, "another number of parts");
        }
    }

    if (ngx_ors_json_is(&c->json, check_get(c, item, "status"),
                        "incomplete"))
    {
        c->incomplete = 1;

    } else {
        check_is(c, item, "status", "completed");
    }
}


/* where a call has what it gives its tool; NULL: not a call */

static const char *
check_call(ngx_str_t *type)
{
    if (check_type(type, "function_call")) {
        return "arguments";
    }

    return check_type(type, "custom_tool_call") ? "input" : NULL;
}


static void
check_arguments(check_t *c, ngx_str_t *type)
{
    ngx_str_t             raw;
    ngx_uint_t            custom;
    ngx_ors_json_node_t  *node;

    custom = check_type(&c->item_type, "custom_tool_call");

    if (c->done) {
        wrong(c, "%.*s cannot stand here", (int) type->len, type->data);
    }

    if (check_type(type, custom ? "response.custom_tool_call_input.done"
                                : "response.function_call_arguments.done"))
    {
        check_sum(c, check_get(c, c->json.nodes, check_call(&c->item_type)));
        c->done = 1;
        return;
    }

    if (!check_type(type, custom ? "response.custom_tool_call_input.delta"
                                 : "response.function_call_arguments.delta"))
    {
        wrong(c, "%.*s is not known", (int) type->len, type->data);
    }

    node = check_get(c, c->json.nodes, "delta");

    if (node) {
        raw = check_raw(c, node);
        check_text(c, &raw, NULL);
    }
}


static void
check_part(check_t *c, ngx_str_t *type)
{
    ngx_str_t             raw;
    const char           *index;
    const check_part_t   *p;
    ngx_ors_json_node_t  *part, *node;

    index = (memcmp(type->data, "response.reasoning_summary", 26) == 0)
            ? "summary_index" : "content_index";
    part = ngx_ors_json_find(&c->json, c->json.nodes, "part");

    if (part && (check_type(type, "response.content_part.added")
                 || check_type(type, "response.reasoning_summary_part.added")))
    {
        if (c->part_type.len) {
            wrong(c, "a part is still open");
        }

        check_number(c, index, c->nparts);
        check_keep(c, &c->part_type, check_get(c, part, "type"));

        node = check_type(&c->part_type, "refusal")
               ? check_get(c, part, "refusal") : check_get(c, part, "text");

        if (node && node->len) {
            wrong(c, "a part is added with text");
        }

        c->nparts++;
        c->done = 0;
        c->text_len = 0;
        c->nannotations = 0;
        c->annotations.len = 0;
        c->logprobs.len = 0;
        return;
    }

    check_number(c, index, c->nparts - 1);

    if (part && (check_type(type, "response.content_part.done")
                 || check_type(type, "response.reasoning_summary_part.done")))
    {
        if (!c->done || c->part_type.len == 0) {
            wrong(c, "a part is done before its text");
        }

        check_sum(c, check_type(&c->part_type, "refusal")
                     ? check_get(c, part, "refusal")
                     : check_get(c, part, "text"));

        if (check_type(&c->part_type, "output_text")) {
            check_joined(c, &c->annotations, part, "annotations");
            check_joined(c, &c->logprobs, part, "logprobs");
        }

        c->part_type.len = 0;
        return;
    }

    if (check_type(type, "response.output_text.annotation.added")) {
        check_annotation(c);
        return;
    }

    for (p = check_parts; p->type; p++) {
        if (check_type(type, p->type)) {
            break;
        }
    }

    if (p->type == NULL || !check_type(&c->part_type, p->part) || c->done) {
        wrong(c, "%.*s cannot stand here", (int) type->len, type->data);
        return;
    }

    node = check_get(c, c->json.nodes, p->field);

    if (node) {
        raw = check_raw(c, node);
        check_text(c, &raw, p);
    }

    if (check_type(type, "response.output_text.delta")) {
        check_join(c, &c->logprobs,
                   check_get(c, c->json.nodes, "logprobs"), 1);

    } else if (check_type(type, "response.output_text.done")) {
        check_joined(c, &c->logprobs, c->json.nodes, "logprobs");
    }
}


static void
check_annotation(check_t *c)
{
    if (!check_type(&c->part_type, "output_text") || c->done) {
        wrong(c, "an annotation cannot stand here");
    }

    check_number(c, "annotation_index", c->nannotations++);
    check_join(c, &c->annotations,
               check_get(c, c->json.nodes, "annotation"), 0);
}


/* "cut" bytes are left off at both ends */

static void
check_join(check_t *c, ngx_str_t *sum, ngx_ors_json_node_t *node, size_t cut)
{
    u_char     *p;
    ngx_str_t   raw;

    if (node == NULL) {
        return;
    }

    raw = check_raw(c, node);

    if (raw.len <= 2 * cut) {
        return;
    }

    p = ngx_pnalloc(c->pool, sum->len + raw.len + 1);
    raw.len -= 2 * cut;
    raw.data += cut;

    sum->len = ngx_sprintf(p, "%V%s%V", sum, sum->len ? "," : "", &raw) - p;
    sum->data = p;
}


static void
check_joined(check_t *c, ngx_str_t *sum, ngx_ors_json_node_t *object,
    const char *name)
{
    ngx_str_t             raw;
    ngx_ors_json_node_t  *node;

    node = check_get(c, object, name);

    if (node == NULL) {
        return;
    }

    raw = check_raw(c, node);

    if (raw.len != sum->len + 2
        || (sum->len && memcmp(raw.data + 1, sum->data, sum->len) != 0))
    {
        wrong(c, "%s are not the sum of the events", name);
    }
}


/* a delta, or all of the text */

void
check_text(check_t *c, ngx_str_t *raw, const check_part_t *part)
{
    ngx_ors_json_node_t  *logprobs;

    if (part && strcmp(part->field, "delta") != 0) {

        if (raw->len != c->text_len
            || (raw->len && memcmp(raw->data, c->text, raw->len) != 0))
        {
            wrong(c, "the text is not the sum of the deltas");
        }

        c->done = 1;
        return;
    }

    if (raw->len == 0) {
        logprobs = ngx_ors_json_find(&c->json, c->json.nodes, "logprobs");

        /* of tokens that have no text */

        if (logprobs == NULL || logprobs->count == 0) {
            wrong(c, "an empty delta");
        }

        return;
    }

    if (c->text_len + raw->len > c->text_size) {
        c->text_size = 2 * (c->text_len + raw->len);
        c->text = realloc(c->text, c->text_size);
    }

    memcpy(c->text + c->text_len, raw->data, raw->len);
    c->text_len += raw->len;
    c->deltas++;
}


void
check_sum(check_t *c, ngx_ors_json_node_t *node)
{
    ngx_str_t  sum;

    sum.data = c->text;
    sum.len = c->text_len;

    if (node && !check_same(c, node, &sum)) {
        wrong(c, "this is not the sum of the deltas");
    }
}


/* what is said is as the specification has it, and no more than that */

static void
check_shape(check_t *c, const ngx_ors_shape_t *shape)
{
    ngx_pool_t          *pool;
    ngx_ors_error_t      err;
    ngx_ors_policy_t     policy;
    ngx_ors_validate_t   v;

    pool = ngx_ors_test_pool();

    ngx_memzero(&err, sizeof(ngx_ors_error_t));
    ngx_memzero(&policy, sizeof(ngx_ors_policy_t));
    ngx_memzero(&v, sizeof(ngx_ors_validate_t));

    policy.profile = c->profile;
    policy.unknown = ngx_ors_unknown_reject;

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
