
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The part of the checker that knows items of hosted tools: the order of
 * their events, and how each of them may end.
 */


#include "check.h"


#define CHECK_SLUG  "nginx:"


struct check_hosted_s {
    const char   *type;       /* of the item */
    const char   *busy;       /* event between the first and the last one */
    const char   *text;       /* events with the item's text */
    const char   *field;      /* where the item has it */
    unsigned      stateless:1;  /* the item has no status */
    unsigned      fails:1;
    unsigned      silent:1;   /* it has no events of its own, and is complete */
};


static ngx_uint_t check_hosted_is(const check_hosted_t *hosted,
    ngx_str_t *type, const char *name);
static void check_hosted_text(check_t *c, ngx_str_t *type);
static void check_hosted_end(check_t *c, ngx_str_t *type);


static const check_hosted_t  check_hosted_types[] = {

    { "mcp_list_tools", NULL, NULL, NULL, 1, 1, 0 },

    { "mcp_call", NULL, "mcp_call_arguments", "arguments", 0, 1, 0 },

    { "mcp_approval_request", NULL, NULL, "arguments", 1, 0, 1 },

    { "web_search_call", "searching", NULL, NULL, 0, 0, 0 },

    { "file_search_call", "searching", NULL, NULL, 0, 0, 0 },

    { "code_interpreter_call", "interpreting", "code_interpreter_call_code",
      "code", 0, 0, 0 },

    { NULL, NULL, NULL, NULL, 0, 0, 0 }
};


const check_hosted_t *
check_hosted(check_t *c, ngx_ors_json_node_t *item, ngx_uint_t *extension)
{
    size_t                 len;
    ngx_str_t              type;
    const check_hosted_t  *hosted;

    type = check_raw(c, check_get(c, item, "type"));
    len = sizeof(CHECK_SLUG) - 1;

    *extension = (type.len > len && memcmp(type.data, CHECK_SLUG, len) == 0);

    if (*extension) {
        type.data += len;
        type.len -= len;
    }

    for (hosted = check_hosted_types; hosted->type; hosted++) {
        if (check_type(&type, hosted->type)) {
            return hosted;
        }
    }

    return NULL;
}


void
check_hosted_item(check_t *c, ngx_ors_json_node_t *item)
{
    ngx_uint_t             extension;
    ngx_ors_json_node_t   *name, *status;
    const check_hosted_t  *hosted;

    hosted = check_hosted(c, item, &extension);
    status = ngx_ors_json_find(&c->json, item, "status");

    if (hosted->stateless && !extension) {

        if (status) {
            wrong(c, "%s with a status", hosted->type);
        }

    } else if (status == NULL) {
        wrong(c, "%s without a status", hosted->type);
    }

    if (c->state != check_st_terminal && c->state != check_st_start) {
        return;
    }

    check_put(c, " | %s%s%s", extension ? CHECK_SLUG : "", hosted->type,
              ngx_ors_json_is(&c->json, status, "failed") ? "!" : "");

    name = ngx_ors_json_find(&c->json, item, "name");

    if (name) {
        check_put(c, " ");
        check_put_node(c, name);
    }

    if (hosted->field) {
        check_put(c, " ");
        check_put_node(c, check_get(c, item, hosted->field));
    }
}


void
check_hosted_added(check_t *c, ngx_ors_json_node_t *item)
{
    ngx_uint_t            extension;
    ngx_ors_json_node_t  *node;

    c->item->hosted = check_hosted(c, item, &extension);
    c->item->extension = extension;
    c->item->step = check_step_added;
    c->item->failed = 0;

    if (!c->item->hosted->stateless || extension) {
        check_is(c, item, "status", "in_progress");
    }

    if (c->item->hosted->text) {
        node = check_get(c, item, c->item->hosted->field);

        if (node && node->len) {
            wrong(c, "%s is added with its text", c->item->hosted->type);
        }
    }
}


void
check_hosted_event(check_t *c, ngx_str_t *type)
{
    const check_hosted_t  *hosted;

    hosted = c->item->hosted;

    if (c->answer->passed) {

        /* a server may leave steps out; its text has to add up */

        if (hosted->text && memcmp(type->data + sizeof("response.") - 1,
                                   hosted->text, strlen(hosted->text)) == 0)
        {
            check_hosted_text(c, type);
        }

        return;
    }

    if (hosted->silent || c->item->extension) {
        wrong(c, "%s has no events", hosted->type);
        return;
    }

    if (check_hosted_is(hosted, type, "in_progress")) {

        if (c->item->step != check_step_added) {
            wrong(c, "%s is in progress twice", hosted->type);
        }

        c->item->step = hosted->text ? check_step_text : check_step_begun;

    } else if (hosted->busy && check_hosted_is(hosted, type, hosted->busy)) {

        if (c->item->step != check_step_begun) {
            wrong(c, "%s cannot be %s here", hosted->type, hosted->busy);
        }

        c->item->step = check_step_busy;

    } else if (check_hosted_is(hosted, type, "completed")
               || check_hosted_is(hosted, type, "failed"))
    {
        check_hosted_end(c, type);

    } else {
        check_hosted_text(c, type);
    }
}


/* the event of an item, by the end of its type */

static ngx_uint_t
check_hosted_is(const check_hosted_t *hosted, ngx_str_t *type,
    const char *name)
{
    char  event[128];

    snprintf(event, sizeof(event), "response.%s.%s", hosted->type, name);

    return check_type(type, event);
}


static void
check_hosted_text(check_t *c, ngx_str_t *type)
{
    char                   event[128];
    const check_hosted_t  *hosted;

    hosted = c->item->hosted;

    if (hosted->text == NULL
        || (!c->answer->passed && c->item->step != check_step_text))
    {
        wrong(c, "%.*s cannot come here", (int) type->len, type->data);
        return;
    }

    snprintf(event, sizeof(event), "response.%s.delta", hosted->text);

    if (check_type(type, event)) {
        check_delta(c, check_get(c, c->json.nodes, "delta"));
        return;
    }

    snprintf(event, sizeof(event), "response.%s.done", hosted->text);

    if (!check_type(type, event)) {
        wrong(c, "%.*s is not known", (int) type->len, type->data);
        return;
    }

    check_sum(c, check_get(c, c->json.nodes, hosted->field));
    c->item->step = check_step_begun;
}


static void
check_hosted_end(check_t *c, ngx_str_t *type)
{
    if (c->item->step
        != (c->item->hosted->busy ? check_step_busy : check_step_begun))
    {
        wrong(c, "%s has ended too early", c->item->hosted->type);
    }

    c->item->failed = check_hosted_is(c->item->hosted, type, "failed");
    c->item->step = check_step_ended;

    if (c->item->failed && !c->item->hosted->fails) {
        wrong(c, "%s cannot fail", c->item->hosted->type);
    }
}


void
check_hosted_done(check_t *c, ngx_ors_json_node_t *item)
{
    ngx_uint_t             silent;
    const check_hosted_t  *hosted;

    hosted = c->item->hosted;

    if (c->answer->passed) {
        return;
    }

    silent = hosted->silent || c->item->extension;

    if (c->item->step != (silent ? check_step_added : check_step_ended)) {
        wrong(c, "%s is done and has not ended", hosted->type);
    }

    check_hosted_output(c, item);

    if (silent) {
        return;
    }

    if (!hosted->stateless) {
        check_is(c, item, "status", c->item->failed ? "failed" : "completed");
    }

    if (hosted->text) {
        check_sum(c, check_get(c, item, hosted->field));
    }
}


void
check_hosted_output(check_t *c, ngx_ors_json_node_t *item)
{
    ngx_uint_t             extension;
    ngx_ors_json_node_t   *status;
    const check_hosted_t  *hosted;

    hosted = check_hosted(c, item, &extension);

    if (hosted->stateless && !extension) {
        return;
    }

    status = check_get(c, item, "status");

    if (!hosted->fails || !ngx_ors_json_is(&c->json, status, "failed")) {
        check_is(c, item, "status", "completed");
    }
}
