
/*
 * Copyright (C) Open Responses contributors
 */


/* The input of a request with more items after it. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_context.h>
#include <ngx_ors_request_extend.h>


static ngx_int_t ngx_ors_request_extend_read(ngx_ors_request_t *req,
    ngx_ors_out_t *items, ngx_ors_json_t *json, ngx_ors_error_t *err);


ngx_int_t
ngx_ors_request_extend(ngx_ors_request_t *req, ngx_ors_out_t *items,
    ngx_uint_t n, ngx_ors_error_t *err)
{
    ngx_int_t              rc;
    ngx_ors_json_t        *json;
    ngx_ors_input_t        input;
    ngx_ors_json_node_t   *node;

    json = ngx_palloc(req->pool, sizeof(ngx_ors_json_t));
    if (json == NULL) {
        return NGX_ERROR;
    }

    rc = ngx_ors_request_extend_read(req, items, json, err);

    if (rc != NGX_OK) {
        return rc;
    }

    input.n = req->input.n;
    input.items = ngx_palloc(req->pool, (input.n + json->nodes->count + 1)
                                        * sizeof(ngx_ors_input_item_t));
    if (input.items == NULL) {
        return NGX_ERROR;
    }

    if (input.n) {
        ngx_memcpy(input.items, req->input.items,
                   input.n * sizeof(ngx_ors_input_item_t));

    } else if (!req->merged) {
        input.n = ngx_ors_request_text(req, input.items);
    }

    ngx_ors_json_each(node, json, json->nodes) {
        ngx_ors_input_item(&input.items[input.n++], json, node);
    }

    req->input = input;
    req->values += json->n;
    req->added += n;
    req->merged = 1;

    return NGX_OK;
}


static ngx_int_t
ngx_ors_request_extend_read(ngx_ors_request_t *req, ngx_ors_out_t *items,
    ngx_ors_json_t *json, ngx_ors_error_t *err)
{
    ngx_int_t  rc;
    ngx_str_t  text;

    if (ngx_ors_out_text(items, &text) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_ors_json_init(json, req->pool, NGX_ORS_JSON_MAX_DEPTH,
                      req->limits->nodes - req->values);

    rc = ngx_ors_json_read(json, text.data, text.len);

    return (rc == NGX_DECLINED) ? ngx_ors_request_unreadable(req, json, err)
                                : rc;
}
