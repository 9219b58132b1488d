
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The tools of an MCP server: pages of "tools/list", put together within
 * limits, and a tool as models and clients get it.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_edit.h>
#include <ngx_ors_names.h>
#include <ngx_ors_error.h>
#include <ngx_ors_mcp_list.h>
#include <ngx_ors_mcp_message.h>
#include <ngx_ors_text.h>
#include <ngx_ors_json_writer.h>


#define NGX_ORS_MCP_LIST_POOL   4096
#define NGX_ORS_MCP_LIST_TOOLS  16

/* log at most this many skipped tools a list */
#define NGX_ORS_MCP_LIST_LINES  16

#define NGX_ORS_MCP_TOOL_SIZE   (sizeof(ngx_ors_mcp_tool_t)                   \
                                 + 2 * sizeof(ngx_ors_name_t))

#define NGX_ORS_MCP_LIST_MEMBERS  (ngx_ors_mcp_list_type + 1)

#define NGX_ORS_MCP_TOOL_MEMBERS  (ngx_ors_mcp_tool_annotations + 1)


typedef enum {
    ngx_ors_mcp_list_tools = 0,
    ngx_ors_mcp_list_cursor,
    ngx_ors_mcp_list_ttl,
    ngx_ors_mcp_list_scope,
    ngx_ors_mcp_list_type
} ngx_ors_mcp_list_member_e;


typedef enum {
    ngx_ors_mcp_tool_name = 0,
    ngx_ors_mcp_tool_description,
    ngx_ors_mcp_tool_schema,
    ngx_ors_mcp_tool_annotations
} ngx_ors_mcp_tool_member_e;


static void ngx_ors_mcp_list_lifetime(ngx_ors_mcp_list_t *list,
    ngx_ors_json_t *json, ngx_ors_json_node_t *ttl,
    ngx_ors_json_node_t *scope);
static ngx_int_t ngx_ors_mcp_list_next(ngx_ors_mcp_list_t *list,
    ngx_ors_json_t *json, ngx_ors_json_node_t *cursor);
static ngx_int_t ngx_ors_mcp_list_add(ngx_ors_mcp_list_t *list,
    ngx_ors_json_t *json, ngx_ors_json_node_t *node, ngx_log_t *log);
static ngx_int_t ngx_ors_mcp_list_name(ngx_ors_mcp_list_t *list,
    ngx_ors_json_t *json, ngx_ors_json_node_t *node, ngx_str_t *name,
    char **unusable);
static ngx_int_t ngx_ors_mcp_list_tool(ngx_ors_mcp_list_t *list,
    ngx_ors_json_t *json, ngx_ors_json_node_t **member,
    ngx_ors_mcp_tool_t *tool, char **unusable);
static ngx_int_t ngx_ors_mcp_list_copy(ngx_ors_mcp_list_t *list,
    ngx_ors_json_t *json, ngx_ors_json_node_t **member,
    ngx_ors_mcp_tool_t *tool);
static void ngx_ors_mcp_tool_write_description(ngx_ors_out_t *out,
    ngx_ors_mcp_tool_t *tool);


static const ngx_str_t  ngx_ors_mcp_list_members[] = {
    ngx_string("tools"),
    ngx_string("nextCursor"),
    ngx_string("ttlMs"),
    ngx_string("cacheScope"),
    ngx_string("resultType"),
    ngx_null_string
};


static const ngx_str_t  ngx_ors_mcp_tool_members[] = {
    ngx_string("name"),
    ngx_string("description"),
    ngx_string("inputSchema"),
    ngx_string("annotations"),
    ngx_null_string
};


ngx_ors_mcp_list_t *
ngx_ors_mcp_list_create(ngx_ors_mcp_limits_t *limits, ngx_log_t *log)
{
    ngx_pool_t          *pool;
    ngx_ors_mcp_list_t  *list;

    pool = ngx_create_pool(NGX_ORS_MCP_LIST_POOL, log);
    if (pool == NULL) {
        return NULL;
    }

    list = ngx_pcalloc(pool, sizeof(ngx_ors_mcp_list_t));

    if (list == NULL
        || ngx_array_init(&list->tools, pool, NGX_ORS_MCP_LIST_TOOLS,
                          sizeof(ngx_ors_mcp_tool_t))
           != NGX_OK
        || ngx_array_init(&list->cursors, pool, 1, sizeof(uint64_t))
           != NGX_OK)
    {
        ngx_destroy_pool(pool);
        return NULL;
    }

    list->pool = pool;
    list->references = 1;
    list->limits = limits;
    list->shared = 1;
    list->size = NGX_ORS_MCP_LIST_POOL;

    return list;
}


void
ngx_ors_mcp_list_release(ngx_ors_mcp_list_t *list)
{
    if (--list->references == 0) {
        ngx_destroy_pool(list->pool);
    }
}


ngx_int_t
ngx_ors_mcp_list_page(ngx_ors_mcp_list_t *list, ngx_ors_json_t *json,
    ngx_ors_json_node_t *result, ngx_log_t *log)
{
    ngx_int_t             rc;
    ngx_ors_json_node_t  *node, *member[NGX_ORS_MCP_LIST_MEMBERS];

    ngx_ors_json_members(json, result, ngx_ors_mcp_list_members, member);

    node = member[ngx_ors_mcp_list_type];

    if (node && !ngx_ors_json_is(json, node, "complete")) {
        return ngx_ors_mcp_invalid(&list->invalid, "is not complete");
    }

    node = member[ngx_ors_mcp_list_tools];

    if (node == NULL || node->type != ngx_ors_json_array) {
        return ngx_ors_mcp_invalid(&list->invalid, "has no tools");
    }

    ngx_ors_mcp_list_lifetime(list, json, member[ngx_ors_mcp_list_ttl],
                              member[ngx_ors_mcp_list_scope]);

    list->pages++;

    for (node = ngx_ors_json_first(json, node);
         node && !list->cut;
         node = ngx_ors_json_next(json, node))
    {
        rc = ngx_ors_mcp_list_add(list, json, node, log);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    if (list->cut) {
        ngx_log_error(NGX_LOG_WARN, log, 0,
                      "a list of MCP tools is cut after %ui tools",
                      list->tools.nelts);
        return NGX_OK;
    }

    return ngx_ors_mcp_list_next(list, json, member[ngx_ors_mcp_list_cursor]);
}


/* a list lives as short as any of its pages */

static void
ngx_ors_mcp_list_lifetime(ngx_ors_mcp_list_t *list, ngx_ors_json_t *json,
    ngx_ors_json_node_t *ttl, ngx_ors_json_node_t *scope)
{
    int64_t     value;
    ngx_msec_t  msec;

    if (!ngx_ors_json_is(json, scope, "public")) {
        list->shared = 0;
    }

    (void) ngx_ors_json_integer(json, ttl, &value);

    msec = (value > 0) ? (ngx_msec_t) ngx_min(value, NGX_MAX_INT32_VALUE) : 0;

    if (list->pages == 0 || msec < list->ttl) {
        list->ttl = msec;
    }
}


/* an empty string is a cursor as any other */

static ngx_int_t
ngx_ors_mcp_list_next(ngx_ors_mcp_list_t *list, ngx_ors_json_t *json,
    ngx_ors_json_node_t *cursor)
{
    uint64_t    hash, *known;
    ngx_str_t   raw;
    ngx_uint_t  i;

    static const ngx_ors_hash_key_t  key;

    if (cursor == NULL) {
        return NGX_OK;
    }

    if (cursor->type != ngx_ors_json_string
        || cursor->len > NGX_ORS_MCP_CURSOR_MAX)
    {
        return ngx_ors_mcp_invalid(&list->invalid,
                                   "has a cursor that is not valid");
    }

    if (list->pages == list->limits->pages) {
        return ngx_ors_mcp_invalid(&list->invalid, "has too many pages");
    }

    ngx_ors_json_inner(json, cursor, &raw);
    hash = ngx_ors_hash(&key, raw.data, raw.len);
    known = list->cursors.elts;

    for (i = 0; i < list->cursors.nelts; i++) {

        if (known[i] == hash) {
            return ngx_ors_mcp_invalid(&list->invalid, "has a cursor twice");
        }
    }

    known = ngx_array_push(&list->cursors);
    if (known == NULL) {
        return NGX_ERROR;
    }

    *known = hash;

    return (ngx_ors_str_copy(&list->cursor, list->pool, &raw) == NGX_OK)
           ? NGX_AGAIN : NGX_ERROR;
}


/* skipped tools count: their memory is the list's */

static ngx_int_t
ngx_ors_mcp_list_add(ngx_ors_mcp_list_t *list, ngx_ors_json_t *json,
    ngx_ors_json_node_t *node, ngx_log_t *log)
{
    char                 *unusable;
    size_t                size;
    ngx_int_t             rc;
    ngx_ors_mcp_tool_t    tool;
    ngx_ors_json_node_t  *member[NGX_ORS_MCP_TOOL_MEMBERS];

    ngx_memzero(&tool, sizeof(ngx_ors_mcp_tool_t));

    ngx_ors_json_members(json, node, ngx_ors_mcp_tool_members, member);

    size = ngx_ors_edit_end(node) - ngx_ors_edit_start(node);

    rc = ngx_ors_mcp_list_name(list, json, member[ngx_ors_mcp_tool_name],
                               &tool.name, &unusable);

    if (rc == NGX_OK && size > list->limits->tool) {
        unusable = "is too large";
        rc = NGX_DECLINED;
    }

    size = NGX_ORS_MCP_TOOL_SIZE + ((rc == NGX_OK) ? size : tool.name.len);

    if (list->tools.nelts == list->limits->tools
        || list->size + size > list->limits->list)
    {
        list->cut = 1;
        return NGX_OK;
    }

    list->size += size;

    if (rc == NGX_OK) {
        rc = ngx_ors_mcp_list_tool(list, json, member, &tool, &unusable);
    }

    if (rc == NGX_DECLINED && list->omitted++ < NGX_ORS_MCP_LIST_LINES) {
        ngx_log_error(NGX_LOG_WARN, log, 0, "MCP tool \"%V\" is left out: %s",
                      &tool.name, unusable);
    }

    return (rc == NGX_ERROR) ? NGX_ERROR : NGX_OK;
}


static ngx_int_t
ngx_ors_mcp_list_name(ngx_ors_mcp_list_t *list, ngx_ors_json_t *json,
    ngx_ors_json_node_t *node, ngx_str_t *name, char **unusable)
{
    ngx_int_t  rc;

    if (node && node->type == ngx_ors_json_string
        && node->len > NGX_ORS_MCP_NAME_MAX)
    {
        *unusable = "has a name that is too long";
        return NGX_DECLINED;
    }

    rc = ngx_ors_mcp_string(json, node, list->pool, name);

    if (rc == NGX_OK && (name->len == 0 || !ngx_ors_line_clean(name))) {
        ngx_str_null(name);
        rc = NGX_DECLINED;
    }

    *unusable = "has no valid name";

    return rc;
}


static ngx_int_t
ngx_ors_mcp_list_tool(ngx_ors_mcp_list_t *list, ngx_ors_json_t *json,
    ngx_ors_json_node_t **member, ngx_ors_mcp_tool_t *tool, char **unusable)
{
    ngx_int_t             rc;
    ngx_ors_mcp_tool_t   *place;
    ngx_ors_json_node_t  *schema;

    schema = member[ngx_ors_mcp_tool_schema];

    if (schema == NULL || schema->type != ngx_ors_json_object) {
        *unusable = "has no valid inputSchema";
        return NGX_DECLINED;
    }

    if (ngx_ors_names_find(&list->names, &tool->name)) {
        *unusable = "comes twice";
        return NGX_DECLINED;
    }

    if (ngx_array_init(&tool->params, list->pool, 1,
                       sizeof(ngx_ors_mcp_param_t))
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    rc = ngx_ors_mcp_params_find(json, schema, &tool->params, unusable);

    if (rc != NGX_OK) {
        return rc;
    }

    if (ngx_ors_mcp_list_copy(list, json, member, tool) != NGX_OK) {
        return NGX_ERROR;
    }

    place = ngx_array_push(&list->tools);

    if (place == NULL
        || ngx_ors_names_add(&list->names, list->pool, &tool->name) != NGX_OK)
    {
        return NGX_ERROR;
    }

    *place = *tool;

    ngx_ors_names_find(&list->names, &tool->name)->value = list->tools.nelts;

    return NGX_OK;
}


static ngx_int_t
ngx_ors_mcp_list_copy(ngx_ors_mcp_list_t *list, ngx_ors_json_t *json,
    ngx_ors_json_node_t **member, ngx_ors_mcp_tool_t *tool)
{
    ngx_str_t             raw;
    ngx_ors_json_node_t  *node, *hint;

    if (ngx_ors_mcp_compact(json, member[ngx_ors_mcp_tool_schema], list->pool,
                            &tool->schema)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    node = member[ngx_ors_mcp_tool_description];

    if (node && node->type == ngx_ors_json_string) {
        ngx_ors_json_inner(json, node, &raw);

        if (ngx_ors_str_copy(&tool->description, list->pool, &raw) != NGX_OK) {
            return NGX_ERROR;
        }

        tool->described = 1;
    }

    node = member[ngx_ors_mcp_tool_annotations];

    if (node && node->type == ngx_ors_json_object) {
        hint = ngx_ors_json_find(json, node, "readOnlyHint");
        tool->read_only = (hint && hint->type == ngx_ors_json_true);

        return ngx_ors_mcp_compact(json, node, list->pool,
                                   &tool->annotations);
    }

    return NGX_OK;
}


ngx_ors_mcp_tool_t *
ngx_ors_mcp_list_find(ngx_ors_mcp_list_t *list, ngx_str_t *name)
{
    ngx_ors_name_t      *entry;
    ngx_ors_mcp_tool_t  *tools;

    entry = ngx_ors_names_find(&list->names, name);
    if (entry == NULL) {
        return NULL;
    }

    tools = list->tools.elts;

    return &tools[entry->value - 1];
}


/* The two forms of an MCP server's tool. */


void
ngx_ors_mcp_tool_put(ngx_ors_out_t *out, ngx_ors_mcp_tool_t *tool)
{
    ngx_ors_out_lit(out, "{\"name\":");
    ngx_ors_json_quote(out, tool->name.data, tool->name.len);

    ngx_ors_mcp_tool_write_description(out, tool);

    ngx_ors_out_lit(out, ",\"input_schema\":");
    ngx_ors_out_str(out, &tool->schema);

    if (tool->read_only) {
        ngx_ors_out_lit(out, ",\"annotations\":{\"read_only\":true}}");

    } else {
        ngx_ors_out_lit(out, ",\"annotations\":{\"read_only\":false}}");
    }
}


void
ngx_ors_mcp_tool_function(ngx_ors_out_t *out, ngx_ors_mcp_tool_t *tool,
    ngx_str_t *name)
{
    ngx_ors_out_lit(out, "{\"name\":\"");
    ngx_ors_out_str(out, name);
    ngx_ors_out_lit(out, "\"");

    ngx_ors_mcp_tool_write_description(out, tool);

    ngx_ors_out_lit(out, ",\"parameters\":");
    ngx_ors_out_str(out, &tool->schema);
    ngx_ors_out_lit(out, "}");
}


static void
ngx_ors_mcp_tool_write_description(ngx_ors_out_t *out, ngx_ors_mcp_tool_t *tool)
{
    if (tool->described) {
        ngx_ors_out_lit(out, ",\"description\":\"");
        ngx_ors_out_str(out, &tool->description);
        ngx_ors_out_lit(out, "\"");
    }
}
