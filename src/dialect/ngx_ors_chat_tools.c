
/*
 * Copyright (C) Open Responses contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_content.h>
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
    ngx_ors_chat_t_n
};


static ngx_int_t ngx_ors_chat_tools_add(ngx_array_t *found,
    ngx_ors_request_t *req, ngx_ors_json_node_t *list);
static ngx_int_t ngx_ors_chat_tools_index(ngx_ors_chat_tools_t *tools,
    ngx_pool_t *pool);
static uint32_t *ngx_ors_chat_tools_slot(ngx_ors_chat_tools_t *tools,
    ngx_str_t *name);
static void ngx_ors_chat_tools_function(ngx_ors_chat_tool_t *tool,
    ngx_ors_json_t *json, ngx_ors_out_t *out);
static u_char *ngx_ors_chat_tools_space(u_char *start, u_char *last);


static const ngx_str_t  ngx_ors_chat_tool_names[] = {
    ngx_string("type"),
    ngx_string("name"),
    ngx_string("description"),
    ngx_string("parameters"),
    ngx_string("strict"),
    ngx_null_string
};


ngx_int_t
ngx_ors_chat_tools_read(ngx_ors_chat_tools_t *tools, ngx_ors_request_t *req)
{
    ngx_array_t           found;
    ngx_ors_json_node_t  *list;

    ngx_memzero(tools, sizeof(ngx_ors_chat_tools_t));

    list = req->field[ngx_ors_rq_tools];

    if (list == NULL || list->count == 0) {
        return NGX_OK;
    }

    if (ngx_array_init(&found, req->pool, list->count,
                       sizeof(ngx_ors_chat_tool_t))
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (ngx_ors_chat_tools_add(&found, req, list) != NGX_OK) {
        return NGX_ERROR;
    }

    tools->elts = found.elts;
    tools->n = found.nelts;

    return ngx_ors_chat_tools_index(tools, req->pool);
}


static ngx_int_t
ngx_ors_chat_tools_add(ngx_array_t *found, ngx_ors_request_t *req,
    ngx_ors_json_node_t *list)
{
    ngx_ors_json_t       *json;
    ngx_ors_chat_tool_t  *tool;
    ngx_ors_json_node_t  *node, *type, *member[ngx_ors_chat_t_n];

    json = &req->json;

    for (node = ngx_ors_json_first(json, list);
         node;
         node = ngx_ors_json_next(json, node))
    {
        ngx_ors_chat_members(json, node, ngx_ors_chat_tool_names, member);

        type = member[ngx_ors_chat_t_type];

        if (!ngx_ors_json_is(json, type, "function")) {
            continue;
        }

        tool = ngx_array_push(found);
        if (tool == NULL) {
            return NGX_ERROR;
        }

        tool->kind = ngx_ors_chat_tool_function;
        tool->node = node;
        ngx_ors_json_raw(json, member[ngx_ors_chat_t_name], &tool->name);
        ngx_str_null(&tool->space);

        if (ngx_ors_chat_tools_name(json, NULL, member[ngx_ors_chat_t_name],
                                    req->pool, &tool->sent)
            != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
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


void
ngx_ors_chat_tools_render(ngx_ors_chat_tools_t *tools, ngx_ors_json_t *json,
    ngx_ors_out_t *out)
{
    ngx_uint_t            i;
    ngx_ors_chat_tool_t  *tool;

    ngx_ors_out_lit(out, "[");

    for (i = 0; i < tools->n; i++) {
        tool = &tools->elts[i];

        if (i) {
            ngx_ors_out_lit(out, ",");
        }

        ngx_ors_out_lit(out, "{\"type\":\"function\","
                             "\"function\":{\"name\":\"");
        ngx_ors_out_str(out, &tool->sent);
        ngx_ors_out_lit(out, "\"");

        ngx_ors_chat_tools_function(tool, json, out);

        ngx_ors_out_lit(out, "}}");
    }

    ngx_ors_out_lit(out, "]");
}


static void
ngx_ors_chat_tools_function(ngx_ors_chat_tool_t *tool, ngx_ors_json_t *json,
    ngx_ors_out_t *out)
{
    ngx_ors_json_node_t  *strict, *member[ngx_ors_chat_t_n];

    ngx_ors_chat_members(json, tool->node, ngx_ors_chat_tool_names, member);

    if (member[ngx_ors_chat_t_description]) {
        ngx_ors_out_lit(out, ",\"description\":");
        ngx_ors_chat_value(out, json, member[ngx_ors_chat_t_description]);
    }

    ngx_ors_out_lit(out, ",\"parameters\":");

    if (member[ngx_ors_chat_t_parameters]) {
        ngx_ors_chat_value(out, json, member[ngx_ors_chat_t_parameters]);

    } else {
        ngx_ors_out_lit(out, "{\"type\":\"object\",\"properties\":{}}");
    }

    strict = member[ngx_ors_chat_t_strict];

    if (strict) {
        ngx_ors_out_lit(out, ",\"strict\":");
        ngx_ors_chat_value(out, json, strict);
    }
}


ngx_int_t
ngx_ors_chat_tools_name(ngx_ors_json_t *json, ngx_ors_json_node_t *space,
    ngx_ors_json_node_t *name, ngx_pool_t *pool, ngx_str_t *sent)
{
    size_t     len, head;
    u_char    *p, *last, *child;
    uint64_t   hash;

    len = name->len + (space ? space->len : 0) + sizeof("__") - 1;

    p = ngx_pnalloc(pool, len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    child = p;

    if (space) {
        child = ngx_ors_json_decode(json, space, p);
        child = ngx_ors_chat_tools_space(p, child);
    }

    last = ngx_ors_json_decode(json, name, child);

    /* it may have the namespace before it already */

    head = child - p;

    if ((size_t) (last - child) > head && ngx_memcmp(child, p, head) == 0) {
        p = child;
    }

    if (last - p > NGX_ORS_CHAT_NAME_MAX) {
        hash = ngx_ors_hash(p, last - p, NGX_ORS_CHAT_NAME_SEED);
        last = ngx_sprintf(p + NGX_ORS_CHAT_NAME_HEAD, "_%09xL", hash);
    }

    sent->data = p;
    sent->len = last - p;

    return NGX_OK;
}


/* the end of what stands before each name of a namespace */

static u_char *
ngx_ors_chat_tools_space(u_char *start, u_char *last)
{
    ngx_uint_t  n;

    for (n = 0; n < 2 && last - n > start && last[-1 - n] == '_'; n++) {
        /* void */
    }

    while (n++ < 2) {
        *last++ = '_';
    }

    return last;
}
