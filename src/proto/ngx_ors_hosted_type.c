
/*
 * Copyright (C) Open Responses contributors
 */


/* The names of hosted types, and what a model reads of their tools. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_hosted_type.h>
#include <ngx_ors_same.h>


/* the first name of a type is the one that an operator writes */

static const struct {
    ngx_str_t              name;
    ngx_ors_hosted_type_e  type;
} ngx_ors_hosted_types[] = {
    { ngx_string("web_search"), ngx_ors_hosted_type_web_search },
    { ngx_string("file_search"), ngx_ors_hosted_type_file_search },
    { ngx_string("code_interpreter"), ngx_ors_hosted_type_interpreter },
    { ngx_string("web_search_2025_08_26"), ngx_ors_hosted_type_web_search },
    { ngx_string("web_search_preview"), ngx_ors_hosted_type_web_search },
    { ngx_string("web_search_preview_2025_03_11"),
      ngx_ors_hosted_type_web_search },
    { ngx_null_string, ngx_ors_hosted_type_none }
};

#define NGX_ORS_HOSTED_TYPES  3


static ngx_str_t  ngx_ors_hosted_type_definitions[] = {

    ngx_null_string,

    ngx_string("{\"description\":\"Searches the web and returns what was "
               "found.\",\"parameters\":{\"type\":\"object\",\"properties\":"
               "{\"query\":{\"type\":\"string\",\"description\":"
               "\"What to search for\"}},\"required\":[\"query\"],"
               "\"additionalProperties\":false}}"),

    ngx_string("{\"description\":\"Searches the user's files and returns the "
               "passages that were found.\",\"parameters\":{\"type\":"
               "\"object\",\"properties\":{\"query\":{\"type\":\"string\","
               "\"description\":\"What to search for\"}},\"required\":"
               "[\"query\"],\"additionalProperties\":false}}"),

    ngx_string("{\"description\":\"Runs Python code and returns what it has "
               "printed.\",\"parameters\":{\"type\":\"object\","
               "\"properties\":{\"code\":{\"type\":\"string\","
               "\"description\":\"The code to run\"}},\"required\":"
               "[\"code\"],\"additionalProperties\":false}}")
};


ngx_ors_hosted_type_e
ngx_ors_hosted_type(ngx_str_t *name)
{
    ngx_uint_t  i;

    for (i = 0; i < NGX_ORS_HOSTED_TYPES; i++) {

        if (ngx_ors_same(&ngx_ors_hosted_types[i].name, name)) {
            return ngx_ors_hosted_types[i].type;
        }
    }

    return ngx_ors_hosted_type_none;
}


ngx_ors_hosted_type_e
ngx_ors_hosted_type_of(ngx_ors_json_t *json, ngx_ors_json_node_t *type)
{
    ngx_uint_t  i;

    for (i = 0; ngx_ors_hosted_types[i].name.len; i++) {

        if (ngx_ors_json_equal(json, type, ngx_ors_hosted_types[i].name.data,
                               ngx_ors_hosted_types[i].name.len))
        {
            break;
        }
    }

    return ngx_ors_hosted_types[i].type;
}


ngx_str_t *
ngx_ors_hosted_type_definition(ngx_ors_hosted_type_e type)
{
    return &ngx_ors_hosted_type_definitions[type];
}


ngx_ors_item_type_e
ngx_ors_hosted_type_item(ngx_ors_hosted_type_e type)
{
    switch (type) {

    case ngx_ors_hosted_type_web_search:
        return ngx_ors_item_web_search;

    case ngx_ors_hosted_type_file_search:
        return ngx_ors_item_file_search;

    case ngx_ors_hosted_type_interpreter:
        return ngx_ors_item_interpreter;

    case ngx_ors_hosted_type_none:
        break;
    }

    return ngx_ors_item_function_call;
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

    for (node = ngx_ors_json_first(json, req->field[ngx_ors_rq_tools]);
         node;
         node = ngx_ors_json_next(json, node))
    {
        if (ngx_ors_hosted_type_of(json, ngx_ors_json_find(json, node, "type"))
            == type)
        {
            return node;
        }
    }

    return NULL;
}
