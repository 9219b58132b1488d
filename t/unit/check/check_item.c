
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The part of the checker that knows the events of items: their order, their
 * parts, and the sums of their deltas.
 */


#include "check.h"


/* events of a part, and where their text is */

typedef struct {
    const char   *type;
    const char   *part;
    const char   *field;
} check_part_t;


static ngx_uint_t check_has_parts(check_t *c);
static void check_added(check_t *c, ngx_ors_json_node_t *node);
static ngx_int_t check_open(check_t *c, ngx_str_t *type);
static void check_empty(check_t *c, ngx_ors_json_node_t *node);
static void check_done(check_t *c, ngx_ors_json_node_t *node,
    ngx_uint_t tolerant);
static void check_ended(check_t *c, ngx_ors_json_node_t *node);
static const char *check_call(ngx_str_t *type);
static void check_arguments(check_t *c, ngx_str_t *type);
static void check_part(check_t *c, ngx_str_t *type);
static void check_part_added(check_t *c, ngx_ors_json_node_t *part);
static void check_part_done(check_t *c, ngx_ors_json_node_t *part);
static void check_part_text(check_t *c, ngx_str_t *type);
static void check_annotation(check_t *c);
static void check_other(check_t *c, ngx_str_t *type);
static ngx_uint_t check_ends(ngx_str_t *type, const char *end);
static void check_add(check_t *c, ngx_ors_json_node_t *node);
static void check_join(check_t *c, ngx_str_t *sum, ngx_ors_json_node_t *node,
    size_t cut);
static void check_joined(check_t *c, ngx_str_t *sum,
    ngx_ors_json_node_t *object, const char *name);


/* names are the book's, the rules of their order are not */

#define check_part_row(type, event, text, holder, index, in)                  \
    { "response." #event ".delta", #type, "delta" },                          \
    { "response." #event ".done", #type, #text },

static const check_part_t  check_parts[] = {
    NGX_ORS_PARTS(check_part_row)
    NGX_ORS_PARTS_OPENAI(check_part_row)
    { NULL, NULL, NULL }
};


/* in the tolerant profiles a server has less to keep to */

void
check_item_event(check_t *c, ngx_str_t *type)
{
    ngx_uint_t            tolerant;
    ngx_ors_json_node_t  *root, *node;

    root = c->json.nodes;
    node = check_find(c, root, "item");
    tolerant = !(c->answer->policy.profile & NGX_ORS_IN_STRICT);

    if (check_type(type, "response.output_item.added")) {
        check_added(c, node);
        return;
    }

    if (check_open(c, type) != NGX_OK) {
        return;
    }

    if (check_type(type, "response.output_item.done")) {
        check_done(c, node, tolerant);
        return;
    }

    node = check_find(c, root, "item_id");

    if (!check_same(c, node, &c->item->id)
        && !(c->answer->passed && (node == NULL || node->len == 0)))
    {
        wrong(c, "item_id is another");
    }

    if (tolerant) {
        return;
    }

    if (c->item->hosted) {
        check_hosted_event(c, type);

    } else if (check_call(&c->item->type)) {
        check_arguments(c, type);

    } else if (check_has_parts(c)) {
        check_part(c, type);

    } else {
        check_other(c, type);
    }
}


/* a server may have items of any type */

static ngx_uint_t
check_has_parts(check_t *c)
{
    return !c->answer->passed || check_type(&c->item->type, "message")
           || check_type(&c->item->type, "reasoning");
}


static void
check_added(check_t *c, ngx_ors_json_node_t *node)
{
    ngx_uint_t     extension;
    check_item_t  *item;

    check_number(c, "output_index", c->nitems);

    if (node == NULL || c->error[0]) {
        wrong(c, "no item");
        return;
    }

    if (c->nitems >= CHECK_ITEMS) {

        if (!c->answer->passed) {
            wrong(c, "too many items for this test");
        }

        c->nitems++;
        return;
    }

    item = &c->items[c->nitems++];
    c->item = item;

    check_copy(c, &item->type, check_get(c, node, "type"));
    check_copy(c, &item->id, check_find(c, node, "id"));

    if (check_call(&item->type)) {
        check_copy(c, &item->call_id, check_get(c, node, "call_id"));
        check_copy(c, &item->name, check_get(c, node, "name"));
    }

    item->hosted = check_hosted(c, node, &extension);
    item->extension = extension;

    if (c->answer->passed) {
        return;
    }

    if (c->state != check_st_idle) {
        wrong(c, "item added in state %d", (int) c->state);
    }

    if (c->incomplete) {
        wrong(c, "an item after an incomplete one");
    }

    check_item(c, node);

    if (item->hosted) {
        check_hosted_added(c, node);

    } else {
        check_empty(c, node);
    }

    c->state = check_st_item;
}


/*
 * Finds the item of an event: a turn has one open item, the last one.
 * NGX_DECLINED: one of a server that there is no room for.
 */

static ngx_int_t
check_open(check_t *c, ngx_str_t *type)
{
    int64_t               n;
    ngx_ors_json_node_t  *node;

    node = check_find(c, c->json.nodes, "output_index");

    if (node == NULL || ngx_ors_json_integer(&c->json, node, &n) != NGX_OK
        || n < 0 || n >= (int64_t) c->nitems
        || (n < CHECK_ITEMS && c->items[n].object.len)
        || (!c->answer->passed && n != (int64_t) c->nitems - 1))
    {
        wrong(c, "%.*s without an open item", (int) type->len, type->data);
        return NGX_ERROR;
    }

    if (n >= CHECK_ITEMS) {
        return NGX_DECLINED;
    }

    c->item = &c->items[n];

    return NGX_OK;
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
check_done(check_t *c, ngx_ors_json_node_t *node, ngx_uint_t tolerant)
{
    ngx_ors_json_node_t  *id;

    if (node == NULL) {
        wrong(c, "no item");
        return;
    }

    id = check_find(c, node, "id");

    if (id ? !check_same(c, id, &c->item->id) : c->item->id.len != 0) {
        wrong(c, "the item done is another");
    }

    if (!tolerant
        && !check_same(c, check_get(c, node, "type"), &c->item->type))
    {
        wrong(c, "the item done has another type");
    }

    if (c->item->part_type.len) {
        wrong(c, "a part is still open");
    }

    if (!c->answer->passed) {
        check_item(c, node);
        c->state = check_st_idle;
    }

    if (tolerant) {
        /* void */

    } else if (c->item->hosted) {
        check_hosted_done(c, node);

    } else {
        check_ended(c, node);
    }

    check_copy(c, &c->item->object, node);
}


/* the texts, the parts and the status of an item that is done */

static void
check_ended(check_t *c, ngx_ors_json_node_t *item)
{
    ngx_ors_json_node_t  *node, *summary;

    if (check_call(&c->item->type)) {

        if (!c->item->done
            && !(c->answer->passed && c->item->text.len == 0))
        {
            wrong(c, "no arguments.done");
        }

        if (!check_same(c, check_get(c, item, "call_id"), &c->item->call_id)
            || !check_same(c, check_get(c, item, "name"), &c->item->name))
        {
            wrong(c, "call_id or name has changed");
        }

        check_sum(c, check_get(c, item, check_call(&c->item->type)));

    } else if (check_has_parts(c)) {
        node = ngx_ors_json_find(&c->json, item, "content");
        summary = ngx_ors_json_find(&c->json, item, "summary");

        if ((node ? node->count : 0) != c->item->ncontent
            || (summary ? summary->count : 0) != c->item->nsummary)
        {
            wrong(c, "another number of parts");
        }
    }

    if (c->answer->passed) {
        return;
    }

    if (ngx_ors_json_is(&c->json, check_get(c, item, "status"),
                        "incomplete"))
    {
        c->incomplete = 1;

    } else {
        check_is(c, item, "status", "completed");
    }
}


/* the field of a call with its arguments; NULL: not a call */

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
    ngx_uint_t  custom;

    custom = check_type(&c->item->type, "custom_tool_call");

    if (c->item->done) {
        wrong(c, "%.*s after the arguments", (int) type->len, type->data);
    }

    if (check_type(type, custom ? "response.custom_tool_call_input.done"
                                : "response.function_call_arguments.done"))
    {
        check_sum(c, check_get(c, c->json.nodes, check_call(&c->item->type)));
        c->item->done = 1;
        return;
    }

    if (!check_type(type, custom ? "response.custom_tool_call_input.delta"
                                 : "response.function_call_arguments.delta"))
    {
        wrong(c, "%.*s is not known", (int) type->len, type->data);
    }

    check_delta(c, check_get(c, c->json.nodes, "delta"));
}


static void
check_part(check_t *c, ngx_str_t *type)
{
    ngx_uint_t           *parts;
    const char           *index;
    ngx_ors_json_node_t  *part;

    if (memcmp(type->data, "response.reasoning_summary", 26) == 0) {
        index = "summary_index";
        parts = &c->item->nsummary;

    } else {
        index = "content_index";
        parts = &c->item->ncontent;
    }

    part = ngx_ors_json_find(&c->json, c->json.nodes, "part");

    if (part && (check_type(type, "response.content_part.added")
                 || check_type(type, "response.reasoning_summary_part.added")))
    {
        check_number(c, index, (*parts)++);
        check_part_added(c, part);
        return;
    }

    check_number(c, index, *parts - 1);

    if (part && (check_type(type, "response.content_part.done")
                 || check_type(type, "response.reasoning_summary_part.done")))
    {
        check_part_done(c, part);

    } else if (check_type(type, "response.output_text.annotation.added")) {
        check_annotation(c);

    } else {
        check_part_text(c, type);
    }
}


static void
check_part_added(check_t *c, ngx_ors_json_node_t *part)
{
    check_item_t         *item;
    ngx_ors_json_node_t  *node;

    item = c->item;

    if (item->part_type.len) {
        wrong(c, "a part is still open");
    }

    check_copy(c, &item->part_type, check_get(c, part, "type"));

    node = check_get(c, part, check_type(&item->part_type, "refusal")
                              ? "refusal" : "text");

    if (node && node->len) {
        wrong(c, "a part is added with text");
    }

    item->done = 0;
    item->text.len = 0;
    item->unknown = 0;
    item->nannotations = 0;
    item->annotations.len = 0;
    item->logprobs.len = 0;
}


static void
check_part_done(check_t *c, ngx_ors_json_node_t *part)
{
    check_item_t  *item;

    item = c->item;

    /* a server may leave out the text where it is empty */

    if ((!item->done && !(c->answer->passed && item->text.len == 0))
        || item->part_type.len == 0)
    {
        wrong(c, "a part is done earlier than its text");
    }

    check_sum(c, check_get(c, part, check_type(&item->part_type, "refusal")
                                    ? "refusal" : "text"));

    if (check_type(&item->part_type, "output_text") && !c->answer->passed) {
        check_joined(c, &item->annotations, part, "annotations");
        check_joined(c, &item->logprobs, part, "logprobs");
    }

    item->part_type.len = 0;
}


/* a delta, or all of the text */

static void
check_part_text(check_t *c, ngx_str_t *type)
{
    const check_part_t   *p;
    ngx_ors_json_node_t  *root;

    root = c->json.nodes;

    for (p = check_parts; p->type; p++) {
        if (check_type(type, p->type)) {
            break;
        }
    }

    if (p->type == NULL || !check_type(&c->item->part_type, p->part)
        || c->item->done)
    {
        wrong(c, "%.*s cannot come here", (int) type->len, type->data);
        return;
    }

    if (strcmp(p->field, "delta") == 0) {
        check_delta(c, check_get(c, root, "delta"));

    } else {
        check_sum(c, check_get(c, root, p->field));
        c->item->done = 1;
    }

    if (c->answer->passed) {
        return;
    }

    if (check_type(type, "response.output_text.delta")) {
        check_join(c, &c->item->logprobs, check_get(c, root, "logprobs"), 1);

    } else if (check_type(type, "response.output_text.done")) {
        check_joined(c, &c->item->logprobs, root, "logprobs");
    }
}


static void
check_annotation(check_t *c)
{
    if (!check_type(&c->item->part_type, "output_text")) {
        wrong(c, "an annotation cannot come here");
    }

    /* a server numbers them in its own way, and after the text, too */

    if (c->answer->passed) {
        return;
    }

    if (c->item->done) {
        wrong(c, "an annotation after its text");
    }

    check_number(c, "annotation_index", c->item->nannotations++);
    check_join(c, &c->item->annotations,
               check_get(c, c->json.nodes, "annotation"), 0);
}


/* in an item of any other type only the texts that have deltas add up */

static void
check_other(check_t *c, ngx_str_t *type)
{
    ngx_uint_t            i;
    ngx_ors_json_node_t  *root;

    static const char  *fields[] = {
        "text", "refusal", "arguments", "input", "code"
    };

    root = c->json.nodes;

    if (check_ends(type, "part.added")) {
        c->item->text.len = 0;
        c->item->unknown = 0;

        check_add(c, check_find(c, check_find(c, root, "part"), "text"));
        return;
    }

    if (check_ends(type, ".delta")) {
        check_add(c, check_find(c, root, "delta"));
        return;
    }

    for (i = 0; c->item->text.len
                && i < sizeof(fields) / sizeof(fields[0]); i++)
    {
        check_sum(c, check_find(c, root, fields[i]));
    }
}


static ngx_uint_t
check_ends(ngx_str_t *type, const char *end)
{
    size_t  len;

    len = strlen(end);

    return type->len > len
           && memcmp(type->data + type->len - len, end, len) == 0;
}


void
check_delta(check_t *c, ngx_ors_json_node_t *node)
{
    ngx_ors_json_node_t  *logprobs;

    if (node && node->len == 0) {
        logprobs = ngx_ors_json_find(&c->json, c->json.nodes, "logprobs");

        /* of tokens that have no text */

        if (logprobs == NULL || logprobs->count == 0) {
            wrong(c, "an empty delta");
        }

        return;
    }

    check_add(c, node);
}


static void
check_add(check_t *c, ngx_ors_json_node_t *node)
{
    u_char        *p;
    ngx_str_t      raw;
    check_item_t  *item;

    if (node == NULL || node->type != ngx_ors_json_string) {
        return;
    }

    raw = check_raw(c, node);
    item = c->item;

    if (raw.len == 0) {
        return;
    }

    if (c->answer->passed && node->escaped) {
        item->unknown = 1;
    }

    if (item->text.len + raw.len > item->size) {
        item->size = 2 * (item->text.len + raw.len);

        p = ngx_pnalloc(c->pool, item->size);
        if (item->text.len) {
            memcpy(p, item->text.data, item->text.len);
        }

        item->text.data = p;
    }

    memcpy(item->text.data + item->text.len, raw.data, raw.len);
    item->text.len += raw.len;
    c->deltas++;
}


void
check_sum(check_t *c, ngx_ors_json_node_t *node)
{
    if (c->answer->passed && (c->item->unknown || (node && node->escaped))) {
        return;
    }

    if (node && !check_same(c, node, &c->item->text)) {
        wrong(c, "the text is not the sum of the deltas");
    }
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
