
/*
 * Copyright (C) Open Responses contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_content.h>
#include <ngx_ors_chat_schema.h>
#include <ngx_ors_chat_tools.h>
#include <ngx_ors_hash.h>


/* what chat servers take as the name of a function: [A-Za-z0-9_-]{1,64} */
#define NGX_ORS_CHAT_NAME_MAX   64

/* of one that is longer: a hash of the whole follows */
#define NGX_ORS_CHAT_NAME_HEAD                                                \
    (NGX_ORS_CHAT_NAME_MAX - (sizeof("_123456789") - 1))

/* it must be the same one in each request of a conversation */
#define NGX_ORS_CHAT_NAME_SEED  1103515245


/* members of a tool, as in ngx_ors_chat_tool_names */

enum {
    ngx_ors_chat_t_type = 0,
    ngx_ors_chat_t_name,
    ngx_ors_chat_t_description,
    ngx_ors_chat_t_parameters,
    ngx_ors_chat_t_strict,
    ngx_ors_chat_t_format,
    ngx_ors_chat_t_tools,
    ngx_ors_chat_t_n
};


/* members of a custom tool's format, as in ngx_ors_chat_grammar_names */

enum {
    ngx_ors_chat_g_type = 0,
    ngx_ors_chat_g_syntax,
    ngx_ors_chat_g_definition,
    ngx_ors_chat_g_n
};


static ngx_int_t ngx_ors_chat_tools_items(ngx_array_t *found,
    ngx_ors_request_t *req);
static ngx_int_t ngx_ors_chat_tools_list(ngx_array_t *found,
    ngx_ors_request_t *req, ngx_ors_json_node_t *list,
    ngx_ors_json_node_t *space);
static ngx_int_t ngx_ors_chat_tools_add(ngx_array_t *found,
    ngx_ors_request_t *req, ngx_ors_json_node_t *node,
    ngx_ors_json_node_t *space);
static ngx_int_t ngx_ors_chat_tools_index(ngx_ors_chat_tools_t *tools,
    ngx_pool_t *pool);
static uint32_t *ngx_ors_chat_tools_slot(ngx_ors_chat_tools_t *tools,
    ngx_str_t *name);
static ngx_int_t ngx_ors_chat_tools_function(ngx_ors_chat_schema_t *cs,
    const ngx_ors_chat_habits_t *habits, ngx_ors_out_t *out,
    ngx_ors_json_node_t **member);
static ngx_int_t ngx_ors_chat_tools_schema(ngx_ors_chat_schema_t *cs,
    const ngx_ors_chat_habits_t *habits, ngx_ors_out_t *out,
    ngx_ors_json_node_t **member);
static void ngx_ors_chat_tools_strict(const ngx_ors_chat_habits_t *habits,
    ngx_ors_out_t *out, ngx_ors_json_node_t *strict, ngx_uint_t made);
static void ngx_ors_chat_tools_custom(ngx_ors_json_t *json,
    ngx_ors_out_t *out, ngx_ors_json_node_t **member);
static u_char *ngx_ors_chat_tools_space(ngx_ors_json_t *json,
    ngx_ors_json_node_t *space, u_char *p);
static void ngx_ors_chat_tools_legal(u_char *p, u_char *last);


static const ngx_str_t  ngx_ors_chat_tool_names[] = {
    ngx_string("type"),
    ngx_string("name"),
    ngx_string("description"),
    ngx_string("parameters"),
    ngx_string("strict"),
    ngx_string("format"),
    ngx_string("tools"),
    ngx_null_string
};


static const ngx_str_t  ngx_ors_chat_grammar_names[] = {
    ngx_string("type"),
    ngx_string("syntax"),
    ngx_string("definition"),
    ngx_null_string
};


ngx_int_t
ngx_ors_chat_tools_read(ngx_ors_chat_tools_t *tools, ngx_ors_request_t *req)
{
    ngx_array_t           found;
    ngx_ors_json_node_t  *list;

    ngx_memzero(tools, sizeof(ngx_ors_chat_tools_t));

    list = req->field[ngx_ors_rq_tools];

    if (ngx_array_init(&found, req->pool, list ? list->count + 1 : 1,
                       sizeof(ngx_ors_chat_tool_t))
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (list
        && ngx_ors_chat_tools_list(&found, req, list, NULL) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if ((req->policy->reading & NGX_ORS_IN_OPENAI)
        && ngx_ors_chat_tools_items(&found, req) != NGX_OK)
    {
        return NGX_ERROR;
    }

    tools->elts = found.elts;
    tools->n = found.nelts;

    return tools->n ? ngx_ors_chat_tools_index(tools, req->pool) : NGX_OK;
}


/* the tools that come as input */

static ngx_int_t
ngx_ors_chat_tools_items(ngx_array_t *found, ngx_ors_request_t *req)
{
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *input, *item, *type, *list;

    json = &req->json;
    input = req->field[ngx_ors_rq_input];

    if (input == NULL || input->type != ngx_ors_json_array) {
        return NGX_OK;
    }

    for (item = ngx_ors_json_first(json, input);
         item;
         item = ngx_ors_json_next(json, item))
    {
        type = ngx_ors_json_find(json, item, "type");

        if (type == NULL || type->type != ngx_ors_json_string
            || !ngx_ors_json_is(json, type, "additional_tools"))
        {
            continue;
        }

        list = ngx_ors_json_find(json, item, "tools");

        if (ngx_ors_chat_tools_list(found, req, list, NULL) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_chat_tools_list(ngx_array_t *found, ngx_ors_request_t *req,
    ngx_ors_json_node_t *list, ngx_ors_json_node_t *space)
{
    ngx_ors_json_node_t  *node;

    for (node = ngx_ors_json_first(&req->json, list);
         node;
         node = ngx_ors_json_next(&req->json, node))
    {
        if (ngx_ors_chat_tools_add(found, req, node, space) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_chat_tools_add(ngx_array_t *found, ngx_ors_request_t *req,
    ngx_ors_json_node_t *node, ngx_ors_json_node_t *space)
{
    ngx_ors_json_t       *json;
    ngx_ors_chat_tool_t  *tool;
    ngx_ors_chat_tool_e   kind;
    ngx_ors_json_node_t  *type, *name, *member[ngx_ors_chat_t_n];

    json = &req->json;

    ngx_ors_json_members(json, node, ngx_ors_chat_tool_names, member);

    type = member[ngx_ors_chat_t_type];
    name = member[ngx_ors_chat_t_name];

    if (ngx_ors_json_is(json, type, "function")) {
        kind = ngx_ors_chat_tool_function;

    } else if (!(req->policy->reading & NGX_ORS_IN_OPENAI)) {
        return NGX_OK;

    } else if (ngx_ors_json_is(json, type, "custom")) {
        kind = ngx_ors_chat_tool_custom;

    } else if (ngx_ors_json_is(json, type, "namespace")) {
        return ngx_ors_chat_tools_list(found, req,
                                       member[ngx_ors_chat_t_tools], name);

    } else {

        /* the server that has it is not a chat server */

        return NGX_OK;
    }

    tool = ngx_array_push(found);
    if (tool == NULL) {
        return NGX_ERROR;
    }

    if (kind == ngx_ors_chat_tool_function) {
        node = ngx_ors_request_function(req, node);
        name = ngx_ors_json_find(json, node, "name");
    }

    tool->kind = kind;
    tool->node = node;
    ngx_ors_json_raw(json, name, &tool->name);
    ngx_str_null(&tool->space);

    if (space) {
        ngx_ors_json_raw(json, space, &tool->space);
    }

    return ngx_ors_chat_tools_name(json, space, name, req->pool, &tool->sent);
}


/* leaves the first one of each name */

static ngx_int_t
ngx_ors_chat_tools_index(ngx_ors_chat_tools_t *tools, ngx_pool_t *pool)
{
    uint32_t    *slot;
    ngx_uint_t   i, n, size;

    for (size = 1; size < 2 * tools->n; size <<= 1) { /* void */ }

    tools->slots = ngx_pcalloc(pool, size * sizeof(uint32_t));
    if (tools->slots == NULL) {
        return NGX_ERROR;
    }

    tools->mask = size - 1;
    tools->seed = ngx_random();

    n = 0;

    for (i = 0; i < tools->n; i++) {
        slot = ngx_ors_chat_tools_slot(tools, &tools->elts[i].sent);

        if (*slot == 0) {
            tools->elts[n] = tools->elts[i];
            *slot = ++n;
        }
    }

    tools->n = n;

    return NGX_OK;
}


/* the slot of a name: a free one, or that of the tool with it */

static uint32_t *
ngx_ors_chat_tools_slot(ngx_ors_chat_tools_t *tools, ngx_str_t *name)
{
    uint32_t   *slot;
    uint64_t    n;
    ngx_str_t  *sent;

    for (n = ngx_ors_hash(name->data, name->len, tools->seed);
         /* void */ ;
         n++)
    {
        slot = &tools->slots[n & tools->mask];

        if (*slot == 0) {
            return slot;
        }

        sent = &tools->elts[*slot - 1].sent;

        if (sent->len == name->len
            && ngx_memcmp(sent->data, name->data, name->len) == 0)
        {
            return slot;
        }
    }
}


ngx_ors_chat_tool_t *
ngx_ors_chat_tools_sent(ngx_ors_chat_tools_t *tools, ngx_str_t *name)
{
    uint32_t  *slot;

    if (tools->n == 0) {
        return NULL;
    }

    slot = ngx_ors_chat_tools_slot(tools, name);

    return *slot ? &tools->elts[*slot - 1] : NULL;
}


ngx_int_t
ngx_ors_chat_tools_render(ngx_ors_chat_tools_t *tools, ngx_ors_request_t *req,
    const ngx_ors_chat_habits_t *habits, ngx_ors_out_t *out)
{
    ngx_int_t               rc;
    ngx_uint_t              i;
    ngx_ors_chat_tool_t    *tool;
    ngx_ors_json_node_t    *member[ngx_ors_chat_t_n];
    ngx_ors_chat_schema_t   cs;

    ngx_ors_chat_schema_init(&cs, &req->json, req->pool);

    ngx_ors_out_lit(out, "[");

    for (i = 0; i < tools->n; i++) {
        tool = &tools->elts[i];

        ngx_ors_json_members(&req->json, tool->node, ngx_ors_chat_tool_names,
                             member);

        if (i) {
            ngx_ors_out_lit(out, ",");
        }

        ngx_ors_out_lit(out, "{\"type\":\"function\","
                             "\"function\":{\"name\":\"");
        ngx_ors_out_str(out, &tool->sent);
        ngx_ors_out_lit(out, "\"");

        rc = NGX_OK;

        if (tool->kind == ngx_ors_chat_tool_custom) {
            ngx_ors_chat_tools_custom(&req->json, out, member);

        } else {
            rc = ngx_ors_chat_tools_function(&cs, habits, out, member);
        }

        if (rc != NGX_OK) {
            return rc;
        }

        ngx_ors_out_lit(out, "}}");
    }

    ngx_ors_out_lit(out, "]");

    return NGX_OK;
}


static ngx_int_t
ngx_ors_chat_tools_function(ngx_ors_chat_schema_t *cs,
    const ngx_ors_chat_habits_t *habits, ngx_ors_out_t *out,
    ngx_ors_json_node_t **member)
{
    ngx_int_t  rc;

    if (member[ngx_ors_chat_t_description]) {
        ngx_ors_out_lit(out, ",\"description\":");
        ngx_ors_chat_value(out, cs->json, member[ngx_ors_chat_t_description]);
    }

    ngx_ors_out_lit(out, ",\"parameters\":");

    rc = ngx_ors_chat_tools_schema(cs, habits, out, member);

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    ngx_ors_chat_tools_strict(habits, out, member[ngx_ors_chat_t_strict],
                              rc == NGX_OK);

    return NGX_OK;
}


/*
 * NGX_OK: the model can be held to it; NGX_DECLINED: it went out as it came;
 * NGX_ERROR
 */

static ngx_int_t
ngx_ors_chat_tools_schema(ngx_ors_chat_schema_t *cs,
    const ngx_ors_chat_habits_t *habits, ngx_ors_out_t *out,
    ngx_ors_json_node_t **member)
{
    ngx_int_t             rc;
    ngx_uint_t            made;
    ngx_ors_json_node_t  *node, *strict;

    node = member[ngx_ors_chat_t_parameters];
    strict = member[ngx_ors_chat_t_strict];

    made = habits->strict == ngx_ors_chat_strict_schema
           && (strict == NULL || strict->type == ngx_ors_json_true);

    if (node == NULL) {
        ngx_ors_out_lit(out, "{\"type\":\"object\",\"properties\":{}");

        if (made) {
            ngx_ors_out_lit(out, ",\"additionalProperties\":false,"
                                 "\"required\":[]");
        }

        ngx_ors_out_lit(out, "}");

        return NGX_OK;
    }

    if (made) {
        rc = ngx_ors_chat_schema(cs, node, out);

        if (rc != NGX_DECLINED) {
            return rc;
        }
    }

    ngx_ors_chat_value(out, cs->json, node);

    return made ? NGX_DECLINED : NGX_OK;
}


/* protocol, section 5: what the client leaves out is true */

static void
ngx_ors_chat_tools_strict(const ngx_ors_chat_habits_t *habits,
    ngx_ors_out_t *out, ngx_ors_json_node_t *strict, ngx_uint_t made)
{
    ngx_uint_t  on;

    on = made;

    switch ((ngx_ors_chat_strict_e) habits->strict) {

    case ngx_ors_chat_strict_off:
        return;

    case ngx_ors_chat_strict_pass:

        if (strict == NULL) {
            return;
        }

        break;

    case ngx_ors_chat_strict_false:
        on = 0;
        strict = NULL;
        break;

    case ngx_ors_chat_strict_on:
    case ngx_ors_chat_strict_schema:
        break;
    }

    if (strict) {
        on = (strict->type == ngx_ors_json_true);
    }

    if (on) {
        ngx_ors_out_lit(out, ",\"strict\":true");

    } else {
        ngx_ors_out_lit(out, ",\"strict\":false");
    }
}


/* nothing holds the model to a grammar, so it is told of it */

static void
ngx_ors_chat_tools_custom(ngx_ors_json_t *json, ngx_ors_out_t *out,
    ngx_ors_json_node_t **member)
{
    ngx_str_t             raw;
    ngx_ors_json_node_t  *part[ngx_ors_chat_g_n];

    ngx_ors_out_lit(out, ",\"description\":\"");

    if (member[ngx_ors_chat_t_description]) {
        ngx_ors_json_raw(json, member[ngx_ors_chat_t_description], &raw);
        ngx_ors_out_ref(out, raw.data, raw.len);
        ngx_ors_out_lit(out, "\\n\\n");
    }

    ngx_ors_out_lit(out, "\\\"input\\\" is free text, not JSON.");

    if (member[ngx_ors_chat_t_format]) {
        ngx_ors_json_members(json, member[ngx_ors_chat_t_format],
                             ngx_ors_chat_grammar_names, part);

        if (ngx_ors_json_is(json, part[ngx_ors_chat_g_type], "grammar")) {
            ngx_ors_out_lit(out, " It must match this grammar (");
            ngx_ors_json_raw(json, part[ngx_ors_chat_g_syntax], &raw);
            ngx_ors_out_ref(out, raw.data, raw.len);
            ngx_ors_out_lit(out, "):\\n");
            ngx_ors_json_raw(json, part[ngx_ors_chat_g_definition], &raw);
            ngx_ors_out_ref(out, raw.data, raw.len);
        }
    }

    ngx_ors_out_lit(out, "\",\"parameters\":{\"type\":\"object\","
                         "\"properties\":{\"input\":{\"type\":\"string\"}},"
                         "\"required\":[\"input\"],"
                         "\"additionalProperties\":false}");
}


ngx_int_t
ngx_ors_chat_tools_name(ngx_ors_json_t *json, ngx_ors_json_node_t *space,
    ngx_ors_json_node_t *name, ngx_pool_t *pool, ngx_str_t *sent)
{
    size_t     len;
    u_char    *p, *last, *child;
    uint64_t   hash;

    len = name->len + (space ? space->len : 0) + sizeof("__") - 1;

    p = ngx_pnalloc(pool, len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    child = space ? ngx_ors_chat_tools_space(json, space, p) : p;
    last = ngx_ors_json_decode(json, name, child);

    /* it may have the namespace before it already */

    if (last - child > child - p && ngx_memcmp(child, p, child - p) == 0) {
        p = child;
    }

    hash = ngx_ors_hash(p, last - p, NGX_ORS_CHAT_NAME_SEED);

    ngx_ors_chat_tools_legal(p, last);

    if (last - p > NGX_ORS_CHAT_NAME_MAX) {
        last = ngx_sprintf(p + NGX_ORS_CHAT_NAME_HEAD, "_%09xL", hash);
    }

    sent->data = p;
    sent->len = last - p;

    return NGX_OK;
}


/* what stands before each name of a namespace; returns its end */

static u_char *
ngx_ors_chat_tools_space(ngx_ors_json_t *json, ngx_ors_json_node_t *space,
    u_char *p)
{
    u_char      *last;
    ngx_uint_t   n;

    last = ngx_ors_json_decode(json, space, p);

    for (n = 0; n < 2 && last - n > p && *(last - n - 1) == '_'; n++) {
        /* void */
    }

    return ngx_cpymem(last, "__", 2 - n);
}


static void
ngx_ors_chat_tools_legal(u_char *p, u_char *last)
{
    u_char  ch;

    for ( /* void */ ; p < last; p++) {
        ch = *p | 0x20;

        if ((ch < 'a' || ch > 'z') && (*p < '0' || *p > '9') && *p != '-') {
            *p = '_';
        }
    }
}
