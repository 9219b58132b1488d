
/*
 * Copyright (C) Open Responses contributors
 */


/* Filters of tools, and the one decision about approval. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_mcp_policy.h>
#include <ngx_ors_mcp_text.h>


static ngx_int_t ngx_ors_mcp_filter_names(ngx_ors_mcp_filter_t *filter,
    ngx_ors_json_t *json, ngx_ors_json_node_t *node, ngx_pool_t *pool);
static ngx_ors_mcp_approval_e ngx_ors_mcp_approval(
    ngx_ors_mcp_approval_t *approval, ngx_ors_mcp_tool_t *tool);


static const ngx_str_t  ngx_ors_mcp_filter_members[] = {
    ngx_string("tool_names"),
    ngx_string("read_only"),
    ngx_null_string
};


static const ngx_str_t  ngx_ors_mcp_approval_members[] = {
    ngx_string("always"),
    ngx_string("never"),
    ngx_null_string
};


ngx_uint_t
ngx_ors_mcp_filter_match(ngx_ors_mcp_filter_t *filter,
    ngx_ors_mcp_tool_t *tool)
{
    ngx_str_t   *name;
    ngx_uint_t   i;

    if (filter->effect != ngx_ors_mcp_any
        && tool->read_only != (filter->effect == ngx_ors_mcp_read_only))
    {
        return 0;
    }

    if (filter->names == NULL) {
        return 1;
    }

    name = filter->names->elts;

    for (i = 0; i < filter->names->nelts; i++) {

        if (name[i].len == tool->name.len
            && ngx_memcmp(name[i].data, tool->name.data, tool->name.len) == 0)
        {
            return 1;
        }
    }

    return 0;
}


ngx_int_t
ngx_ors_mcp_filter_read(ngx_ors_mcp_filter_t *filter, ngx_ors_json_t *json,
    ngx_ors_json_node_t *node, ngx_pool_t *pool)
{
    ngx_ors_json_node_t  *member[2];

    ngx_memzero(filter, sizeof(ngx_ors_mcp_filter_t));

    if (node == NULL || node->type == ngx_ors_json_null) {
        return NGX_OK;
    }

    if (node->type == ngx_ors_json_array) {
        return ngx_ors_mcp_filter_names(filter, json, node, pool);
    }

    if (node->type != ngx_ors_json_object) {
        return NGX_DECLINED;
    }

    ngx_ors_json_members(json, node, ngx_ors_mcp_filter_members, member);

    if (member[1]) {

        if (member[1]->type != ngx_ors_json_true
            && member[1]->type != ngx_ors_json_false)
        {
            return NGX_DECLINED;
        }

        filter->effect = (member[1]->type == ngx_ors_json_true)
                         ? ngx_ors_mcp_read_only : ngx_ors_mcp_not_read_only;
    }

    return member[0] ? ngx_ors_mcp_filter_names(filter, json, member[0], pool)
                     : NGX_OK;
}


static ngx_int_t
ngx_ors_mcp_filter_names(ngx_ors_mcp_filter_t *filter, ngx_ors_json_t *json,
    ngx_ors_json_node_t *node, ngx_pool_t *pool)
{
    ngx_int_t             rc;
    ngx_str_t            *name;
    ngx_ors_json_node_t  *child;

    if (node->type != ngx_ors_json_array) {
        return NGX_DECLINED;
    }

    filter->names = ngx_array_create(pool, ngx_ors_json_count(node) + 1,
                                     sizeof(ngx_str_t));
    if (filter->names == NULL) {
        return NGX_ERROR;
    }

    for (child = ngx_ors_json_first(json, node);
         child;
         child = ngx_ors_json_next(json, child))
    {
        name = ngx_array_push(filter->names);
        if (name == NULL) {
            return NGX_ERROR;
        }

        rc = ngx_ors_mcp_string(json, child, pool, name);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


ngx_int_t
ngx_ors_mcp_approval_read(ngx_ors_mcp_approval_t *approval,
    ngx_ors_json_t *json, ngx_ors_json_node_t *node, ngx_pool_t *pool)
{
    ngx_int_t             rc;
    ngx_ors_json_node_t  *member[2];

    ngx_memzero(approval, sizeof(ngx_ors_mcp_approval_t));

    if (node == NULL || node->type == ngx_ors_json_null) {
        return NGX_OK;
    }

    if (ngx_ors_json_is(json, node, "always")) {
        approval->mode = ngx_ors_mcp_approval_always;
        return NGX_OK;
    }

    if (ngx_ors_json_is(json, node, "never")) {
        approval->mode = ngx_ors_mcp_approval_never;
        return NGX_OK;
    }

    if (node->type != ngx_ors_json_object) {
        return NGX_DECLINED;
    }

    ngx_ors_json_members(json, node, ngx_ors_mcp_approval_members, member);

    approval->mode = ngx_ors_mcp_approval_filters;
    approval->has_always = (member[0] != NULL);
    approval->has_never = (member[1] != NULL);

    rc = ngx_ors_mcp_filter_read(&approval->always, json, member[0], pool);

    return (rc == NGX_OK)
           ? ngx_ors_mcp_filter_read(&approval->never, json, member[1], pool)
           : rc;
}


ngx_uint_t
ngx_ors_mcp_approval_required(ngx_ors_mcp_approval_t *conf,
    ngx_ors_mcp_approval_t *request, ngx_ors_mcp_tool_t *tool)
{
    ngx_ors_mcp_approval_e  own, asked;

    own = ngx_ors_mcp_approval(conf, tool);
    asked = ngx_ors_mcp_approval(request, tool);

    if (own == ngx_ors_mcp_approval_always) {
        return 1;
    }

    return (asked == ngx_ors_mcp_approval_unset)
           ? own != ngx_ors_mcp_approval_never
           : asked == ngx_ors_mcp_approval_always;
}


/* a tool that no filter matches needs approval, as one that both match */

static ngx_ors_mcp_approval_e
ngx_ors_mcp_approval(ngx_ors_mcp_approval_t *approval,
    ngx_ors_mcp_tool_t *tool)
{
    if (approval->mode != ngx_ors_mcp_approval_filters) {
        return approval->mode;
    }

    if (approval->has_always
        && ngx_ors_mcp_filter_match(&approval->always, tool))
    {
        return ngx_ors_mcp_approval_always;
    }

    return (approval->has_never
            && ngx_ors_mcp_filter_match(&approval->never, tool))
           ? ngx_ors_mcp_approval_never : ngx_ors_mcp_approval_always;
}
