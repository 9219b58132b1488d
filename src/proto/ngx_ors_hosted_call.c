
/*
 * Copyright (C) Open Responses contributors
 */


/* Bodies for the locations of hosted types, and their answers. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_hosted_call.h>
#include <ngx_ors_json.h>
#include <ngx_ors_json_writer.h>


#define NGX_ORS_HOSTED_CALL_BLOCK  4096

#define NGX_ORS_HOSTED_CALL_MEMBERS  5


/* a member of an element that a client may read */

typedef struct {
    ngx_str_t              name;
    ngx_ors_json_type_e    type;
    ngx_uint_t             needed;
} ngx_ors_hosted_member_t;


/* an element; of several kinds its "type" is the name of one */

typedef struct {
    ngx_str_t                kind;
    ngx_ors_hosted_member_t  members[NGX_ORS_HOSTED_CALL_MEMBERS + 1];
} ngx_ors_hosted_element_t;


typedef struct {
    ngx_str_t                  list;      /* the answer's member */
    ngx_ors_hosted_element_t  *elements;
    ngx_str_t                  argument;
    const char                *shown;     /* a format */
} ngx_ors_hosted_contract_t;


static ngx_int_t ngx_ors_hosted_call_read(ngx_ors_hosted_call_t *call,
    ngx_ors_json_t *json, ngx_str_t *text);
static ngx_int_t ngx_ors_hosted_call_plain(ngx_ors_hosted_call_t *call,
    ngx_str_t *text, ngx_ors_hosted_result_t *result);
static ngx_int_t ngx_ors_hosted_call_list(ngx_ors_hosted_contract_t *contract,
    ngx_ors_json_t *json, ngx_ors_json_node_t *list, ngx_str_t *results);
static ngx_int_t ngx_ors_hosted_call_element(ngx_ors_hosted_element_t *element,
    ngx_ors_json_t *json, ngx_ors_json_node_t *node, ngx_ors_out_t *out);
static ngx_int_t ngx_ors_hosted_call_member(ngx_ors_hosted_member_t *member,
    ngx_ors_json_t *json, ngx_ors_json_node_t *value, ngx_ors_out_t *out);


static ngx_ors_hosted_element_t  ngx_ors_hosted_sources[] = {
    { ngx_string("url"),
      { { ngx_string("url"), ngx_ors_json_string, 1 },
        { ngx_null_string, ngx_ors_json_null, 0 } } },
    { ngx_null_string, { { ngx_null_string, ngx_ors_json_null, 0 } } }
};


static ngx_ors_hosted_element_t  ngx_ors_hosted_results[] = {
    { ngx_null_string,
      { { ngx_string("file_id"), ngx_ors_json_string, 1 },
        { ngx_string("filename"), ngx_ors_json_string, 1 },
        { ngx_string("score"), ngx_ors_json_number, 0 },
        { ngx_string("text"), ngx_ors_json_string, 0 },
        { ngx_string("attributes"), ngx_ors_json_object, 0 },
        { ngx_null_string, ngx_ors_json_null, 0 } } }
};


static ngx_ors_hosted_element_t  ngx_ors_hosted_outputs[] = {
    { ngx_string("logs"),
      { { ngx_string("logs"), ngx_ors_json_string, 1 },
        { ngx_null_string, ngx_ors_json_null, 0 } } },
    { ngx_string("image"),
      { { ngx_string("url"), ngx_ors_json_string, 1 },
        { ngx_null_string, ngx_ors_json_null, 0 } } },
    { ngx_null_string, { { ngx_null_string, ngx_ors_json_null, 0 } } }
};


/* by type */

#define ngx_ors_hosted_contract(name, as, busy, include, list, argument,      \
    shown, ...)                                                               \
    { ngx_string(#list), ngx_ors_hosted_##list, ngx_string(#argument),        \
      shown },

static ngx_ors_hosted_contract_t  ngx_ors_hosted_contracts[] = {
    { ngx_null_string, NULL, ngx_null_string, NULL },
    NGX_ORS_HOSTED_TYPES(ngx_ors_hosted_contract)
};


ngx_int_t
ngx_ors_hosted_call_body(ngx_ors_hosted_call_t *call, ngx_str_t *arguments,
    ngx_str_t *tool, ngx_str_t *body)
{
    body->data = ngx_pnalloc(call->pool, sizeof("{\"arguments\":,\"tool\":}")
                                         + arguments->len + tool->len);
    if (body->data == NULL) {
        return NGX_ERROR;
    }

    body->len = ngx_sprintf(body->data, "{\"arguments\":%V,\"tool\":%V}",
                            arguments, tool)
                - body->data;

    return NGX_OK;
}


ngx_int_t
ngx_ors_hosted_call_value(ngx_ors_hosted_call_t *call, ngx_str_t *arguments,
    ngx_str_t *value)
{
    ngx_int_t                   rc;
    ngx_str_t                   text;
    ngx_ors_json_t              json;
    ngx_ors_json_node_t        *node;
    ngx_ors_hosted_contract_t  *contract;

    ngx_str_null(value);

    rc = ngx_ors_hosted_call_read(call, &json, arguments);

    if (rc != NGX_OK) {
        return (rc == NGX_DECLINED) ? NGX_OK : NGX_ERROR;
    }

    contract = &ngx_ors_hosted_contracts[call->type];

    node = ngx_ors_json_get(&json, json.nodes, contract->argument.data,
                            contract->argument.len);

    ngx_ors_json_inner(&json, node, &text);

    if (text.len == 0) {
        return NGX_OK;
    }

    value->data = ngx_pnalloc(call->pool,
                              ngx_strlen(contract->shown) + text.len);
    if (value->data == NULL) {
        return NGX_ERROR;
    }

    value->len = ngx_sprintf(value->data, contract->shown, &text)
                 - value->data;

    return NGX_OK;
}


/* NGX_DECLINED: it is no object */

static ngx_int_t
ngx_ors_hosted_call_read(ngx_ors_hosted_call_t *call, ngx_ors_json_t *json,
    ngx_str_t *text)
{
    ngx_int_t  rc;

    ngx_ors_json_init(json, call->pool, call->limits->depth,
                      call->limits->nodes);

    rc = ngx_ors_json_read(json, text->data, text->len);

    if (rc == NGX_OK && json->nodes->type != ngx_ors_json_object) {
        return NGX_DECLINED;
    }

    return rc;
}


ngx_int_t
ngx_ors_hosted_call_result(ngx_ors_hosted_call_t *call, ngx_str_t *text,
    ngx_ors_hosted_result_t *result)
{
    ngx_int_t                   rc;
    ngx_ors_json_t              json;
    ngx_ors_json_node_t        *output, *list;
    ngx_ors_hosted_contract_t  *contract;

    ngx_memzero(result, sizeof(ngx_ors_hosted_result_t));

    result->text = *text;
    contract = &ngx_ors_hosted_contracts[call->type];

    rc = ngx_ors_hosted_call_read(call, &json, text);

    if (rc != NGX_OK) {
        return (rc == NGX_DECLINED)
               ? ngx_ors_hosted_call_plain(call, text, result) : NGX_ERROR;
    }

    output = ngx_ors_json_find(&json, json.nodes, "output");
    list = ngx_ors_json_get(&json, json.nodes, contract->list.data,
                            contract->list.len);

    if (output && output->type == ngx_ors_json_string
        && ngx_ors_json_copy(&json, output, json.pool, &result->text)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (list && list->type != ngx_ors_json_null) {
        ngx_ors_json_raw(&json, list, &result->list);

        return ngx_ors_hosted_call_list(contract, &json, list,
                                        &result->results);
    }

    return ngx_ors_hosted_call_plain(call, &result->text, result);
}


/* output of a program is a list of one log, all else is no list */

static ngx_int_t
ngx_ors_hosted_call_plain(ngx_ors_hosted_call_t *call, ngx_str_t *text,
    ngx_ors_hosted_result_t *result)
{
    u_char  *p;

    if (call->type != ngx_ors_hosted_type_interpreter) {
        return NGX_OK;
    }

    p = ngx_pnalloc(call->pool, sizeof("[{\"type\":\"logs\",\"logs\":\"\"}]")
                                + ngx_ors_json_escape_len(text->data,
                                                          text->len));
    if (p == NULL) {
        return NGX_ERROR;
    }

    result->results.data = p;

    p = ngx_cpymem(p, "[{\"type\":\"logs\",\"logs\":\"",
                   sizeof("[{\"type\":\"logs\",\"logs\":\"") - 1);
    p = ngx_ors_json_escape_mem(p, text->data, text->len);
    p = ngx_cpymem(p, "\"}]", sizeof("\"}]") - 1);

    result->results.len = p - result->results.data;

    return NGX_OK;
}


static ngx_int_t
ngx_ors_hosted_call_list(ngx_ors_hosted_contract_t *contract,
    ngx_ors_json_t *json, ngx_ors_json_node_t *list, ngx_str_t *results)
{
    ngx_ors_out_t              out;
    ngx_ors_json_node_t       *node, *kind;
    ngx_ors_hosted_element_t  *element;

    if (list->type != ngx_ors_json_array) {
        return NGX_DECLINED;
    }

    if (list->count == 0) {
        ngx_str_set(results, "[]");
        return NGX_OK;
    }

    ngx_ors_out_init(&out, json->pool, NGX_ORS_HOSTED_CALL_BLOCK);

    ngx_ors_json_each(node, json, list) {
        kind = ngx_ors_json_find(json, node, "type");

        for (element = contract->elements; element->kind.len; element++) {

            if (ngx_ors_json_equal(json, kind, element->kind.data,
                                   element->kind.len))
            {
                break;
            }
        }

        ngx_ors_out_lit(&out, ",");

        if (ngx_ors_hosted_call_element(element, json, node, &out) != NGX_OK) {
            return NGX_DECLINED;
        }
    }

    ngx_ors_out_lit(&out, "]");

    if (ngx_ors_out_text(&out, results) != NGX_OK) {
        return NGX_ERROR;
    }

    /* the first comma made room for it */

    results->data[0] = '[';

    return NGX_OK;
}


/* only members that are known go on; NGX_DECLINED: one is wrong or absent */

static ngx_int_t
ngx_ors_hosted_call_element(ngx_ors_hosted_element_t *element,
    ngx_ors_json_t *json, ngx_ors_json_node_t *node, ngx_ors_out_t *out)
{
    ngx_uint_t                n;
    ngx_ors_json_node_t      *value;
    ngx_ors_hosted_member_t  *member;

    if (element->members->name.len == 0) {
        return NGX_DECLINED;
    }

    n = 0;
    ngx_ors_out_lit(out, "{");

    if (element->kind.len) {
        n++;
        ngx_ors_out_lit(out, "\"type\":\"");
        ngx_ors_out_str(out, &element->kind);
        ngx_ors_out_lit(out, "\"");
    }

    for (member = element->members; member->name.len; member++) {
        value = ngx_ors_json_get(json, node, member->name.data,
                                 member->name.len);

        if (value == NULL || value->type == ngx_ors_json_null) {

            if (member->needed) {
                return NGX_DECLINED;
            }

            continue;
        }

        if (n++) {
            ngx_ors_out_lit(out, ",");
        }

        if (ngx_ors_hosted_call_member(member, json, value, out) != NGX_OK) {
            return NGX_DECLINED;
        }
    }

    ngx_ors_out_lit(out, "}");

    return NGX_OK;
}


static ngx_int_t
ngx_ors_hosted_call_member(ngx_ors_hosted_member_t *member,
    ngx_ors_json_t *json, ngx_ors_json_node_t *value, ngx_ors_out_t *out)
{
    ngx_str_t  raw;

    if (value->type != member->type) {
        return NGX_DECLINED;
    }

    ngx_ors_json_raw(json, value, &raw);

    ngx_ors_out_lit(out, "\"");
    ngx_ors_out_str(out, &member->name);
    ngx_ors_out_lit(out, "\":");

    if (value->type == ngx_ors_json_string) {
        ngx_ors_out_lit(out, "\"");
        ngx_ors_out_str(out, &raw);
        ngx_ors_out_lit(out, "\"");

    } else {
        ngx_ors_out_str(out, &raw);
    }

    return NGX_OK;
}
