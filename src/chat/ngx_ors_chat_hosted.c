
/*
 * Copyright (C) Open Responses contributors
 */


/* The definition of a hosted tool, checked and written as a chat function. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_hosted.h>
#include <ngx_ors_json.h>


/* values in a definition: a schema of its greatest length has fewer */
#define NGX_ORS_CHAT_HOSTED_NODES  NGX_ORS_CHAT_HOSTED_MAX


/* members, as in ngx_ors_chat_hosted_names */

enum {
    ngx_ors_chat_h_type = 0,
    ngx_ors_chat_h_name,
    ngx_ors_chat_h_description,
    ngx_ors_chat_h_parameters,
    ngx_ors_chat_h_n
};


static ngx_int_t ngx_ors_chat_hosted_check(ngx_ors_tool_t *hosted,
    ngx_ors_json_t *json, ngx_ors_json_node_t **member, ngx_pool_t *pool,
    ngx_ors_error_t *err);
static ngx_int_t ngx_ors_chat_hosted_write(ngx_ors_tool_t *hosted,
    ngx_ors_json_t *json, ngx_ors_json_node_t **member, ngx_pool_t *pool);


static const ngx_str_t  ngx_ors_chat_hosted_names[] = {
    ngx_string("type"),
    ngx_string("name"),
    ngx_string("description"),
    ngx_string("parameters"),
    ngx_null_string
};


ngx_int_t
ngx_ors_chat_hosted_define(ngx_ors_tool_t *hosted, ngx_str_t *text,
    ngx_pool_t *pool, ngx_ors_error_t *err)
{
    u_char               *last, buf[NGX_ORS_JSON_REASON];
    ngx_int_t             rc;
    ngx_ors_json_t        json;
    ngx_ors_json_node_t  *member[ngx_ors_chat_h_n];

    ngx_ors_json_init(&json, pool, NGX_ORS_JSON_MAX_DEPTH,
                      NGX_ORS_CHAT_HOSTED_NODES);

    rc = ngx_ors_json_read(&json, text->data, text->len);

    if (rc == NGX_DECLINED) {
        last = ngx_ors_json_reason(&json, buf);

        return ngx_ors_error_set(err, pool, ngx_ors_code_invalid_json,
                                 "it %*s", (size_t) (last - buf), buf);
    }

    if (rc == NGX_OK) {
        rc = ngx_ors_chat_hosted_check(hosted, &json, member, pool, err);
    }

    if (rc != NGX_OK) {
        return rc;
    }

    return ngx_ors_chat_hosted_write(hosted, &json, member, pool);
}


static ngx_int_t
ngx_ors_chat_hosted_check(ngx_ors_tool_t *hosted, ngx_ors_json_t *json,
    ngx_ors_json_node_t **member, ngx_pool_t *pool, ngx_ors_error_t *err)
{
    ngx_str_t             name;
    ngx_ors_json_node_t  *type, *key;

    if (json->nodes->type != ngx_ors_json_object) {
        return ngx_ors_error_set(err, pool, ngx_ors_code_invalid_type,
                                 "it is not a JSON object");
    }

    /* only the model would miss a member that is misspelled */

    for (key = ngx_ors_json_first(json, json->nodes);
         key;
         key = ngx_ors_json_next(json, key))
    {
        if (ngx_ors_json_name(json, key, ngx_ors_chat_hosted_names)->len == 0)
        {
            ngx_ors_json_raw(json, key, &name);

            return ngx_ors_error_set(err, pool, ngx_ors_code_unknown_parameter,
                                     "its member \"%V\" must be \"name\", "
                                     "\"description\" or \"parameters\"",
                                     &name);
        }
    }

    ngx_ors_json_members(json, json->nodes, ngx_ors_chat_hosted_names, member);

    type = member[ngx_ors_chat_h_type];

    if (type && !ngx_ors_json_is(json, type, "function")) {
        return ngx_ors_error_set(err, pool, ngx_ors_code_invalid_value,
                                 "its \"type\" must be \"function\"");
    }

    if (member[ngx_ors_chat_h_name]
        && !ngx_ors_json_equal(json, member[ngx_ors_chat_h_name],
                               hosted->name.data, hosted->name.len))
    {
        ngx_ors_json_raw(json, member[ngx_ors_chat_h_name], &name);

        return ngx_ors_error_set(err, pool, ngx_ors_code_invalid_value,
                                 "its \"name\" is \"%V\" and not \"%V\"",
                                 &name, &hosted->name);
    }

    if (member[ngx_ors_chat_h_description] == NULL
        || member[ngx_ors_chat_h_description]->type != ngx_ors_json_string)
    {
        return ngx_ors_error_set(err, pool, ngx_ors_code_invalid_value,
                                 "it must have a \"description\", a string");
    }

    type = ngx_ors_json_find(json, member[ngx_ors_chat_h_parameters], "type");

    if (!ngx_ors_json_is(json, type, "object")) {
        return ngx_ors_error_set(err, pool, ngx_ors_code_invalid_value,
                                 "it must have \"parameters\", a JSON Schema "
                                 "whose \"type\" is \"object\"");
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_chat_hosted_write(ngx_ors_tool_t *hosted, ngx_ors_json_t *json,
    ngx_ors_json_node_t **member, ngx_pool_t *pool)
{
    u_char     *p;
    ngx_str_t   description, parameters;

    ngx_ors_json_raw(json, member[ngx_ors_chat_h_description], &description);
    ngx_ors_json_raw(json, member[ngx_ors_chat_h_parameters], &parameters);

    p = ngx_pnalloc(pool, sizeof("{\"type\":\"function\",\"function\":"
                                 "{\"name\":\"\",\"description\":\"\","
                                 "\"parameters\":}}")
                          + hosted->name.len + description.len
                          + parameters.len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    hosted->function.data = p;
    hosted->function.len = ngx_sprintf(p, "{\"type\":\"function\","
                                          "\"function\":{\"name\":\"%V\","
                                          "\"description\":\"%V\","
                                          "\"parameters\":%V}}",
                                       &hosted->name, &description,
                                       &parameters)
                           - p;

    hosted->parameters.len = parameters.len;
    hosted->parameters.data = p + hosted->function.len - 2 - parameters.len;

    return NGX_OK;
}
