
/*
 * Copyright (C) Open Responses contributors
 */


/* The names of hosted types, and what a model reads of their tools. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_hosted_type.h>
#include <ngx_ors_names.h>


#define ngx_ors_hosted_type_name(name, as, ...)                               \
    { ngx_string(#name), ngx_ors_hosted_type_##as },

#define ngx_ors_hosted_type_alias(name, type, as)                             \
    { ngx_string(#name), ngx_ors_hosted_type_##as },

#define ngx_ors_hosted_type_made(name, as, ...)  ngx_ors_item_##as,

#define ngx_ors_hosted_type_text(name, as, busy, include, list, argument,     \
    shown, does, says)                                                        \
    ngx_string("{\"description\":\"" does "\",\"parameters\":{\"type\":"      \
               "\"object\",\"properties\":{\"" #argument "\":{\"type\":"      \
               "\"string\",\"description\":\"" says "\"}},\"required\":[\""    \
               #argument "\"],\"additionalProperties\":false}}"),


/* an operator writes the names up to the aliases */

static const struct {
    ngx_str_t              name;
    ngx_ors_hosted_type_e  type;
} ngx_ors_hosted_names[] = {
    { ngx_null_string, ngx_ors_hosted_type_none },
    NGX_ORS_HOSTED_TYPES(ngx_ors_hosted_type_name)
    NGX_ORS_HOSTED_ALIASES(ngx_ors_hosted_type_alias)
    { ngx_null_string, ngx_ors_hosted_type_none }
};


static ngx_str_t  ngx_ors_hosted_type_definitions[] = {
    ngx_null_string,
    NGX_ORS_HOSTED_TYPES(ngx_ors_hosted_type_text)
};


ngx_ors_hosted_type_e
ngx_ors_hosted_type(ngx_str_t *name)
{
    ngx_uint_t  i;

    for (i = 1; i < ngx_ors_hosted_types; i++) {

        if (ngx_ors_same(&ngx_ors_hosted_names[i].name, name)) {
            return ngx_ors_hosted_names[i].type;
        }
    }

    return ngx_ors_hosted_type_none;
}


ngx_ors_hosted_type_e
ngx_ors_hosted_type_of(ngx_ors_json_t *json, ngx_ors_json_node_t *type)
{
    ngx_uint_t  i;

    for (i = 1; ngx_ors_hosted_names[i].name.len; i++) {

        if (ngx_ors_json_equal(json, type, ngx_ors_hosted_names[i].name.data,
                               ngx_ors_hosted_names[i].name.len))
        {
            break;
        }
    }

    return ngx_ors_hosted_names[i].type;
}


ngx_str_t *
ngx_ors_hosted_type_definition(ngx_ors_hosted_type_e type)
{
    return &ngx_ors_hosted_type_definitions[type];
}


ngx_ors_item_type_e
ngx_ors_hosted_type_item(ngx_ors_hosted_type_e type)
{
    static const ngx_ors_item_type_e  items[] = {
        ngx_ors_item_function_call,
        NGX_ORS_HOSTED_TYPES(ngx_ors_hosted_type_made)
    };

    return items[type];
}


ngx_ors_tool_t *
ngx_ors_hosted_type_find(ngx_ors_hosting_t *hosting,
    ngx_ors_hosted_type_e type)
{
    ngx_uint_t       i;
    ngx_ors_tool_t  *tool;

    if (hosting == NULL || hosting->tools == NULL
        || type == ngx_ors_hosted_type_none)
    {
        return NULL;
    }

    tool = hosting->tools->elts;

    for (i = 0; i < hosting->tools->nelts; i++) {

        if (tool[i].type == type) {
            return &tool[i];
        }
    }

    return NULL;
}


ngx_ors_json_node_t *
ngx_ors_hosted_type_asked(ngx_ors_request_t *req, ngx_ors_hosted_type_e type)
{
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *node;

    json = &req->json;

    ngx_ors_json_each(node, json, req->field[ngx_ors_rq_tools]) {
        if (ngx_ors_hosted_type_of(json, ngx_ors_json_find(json, node, "type"))
            == type)
        {
            return node;
        }
    }

    return NULL;
}
