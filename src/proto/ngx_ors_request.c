
/*
 * Copyright (C) Open Responses contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_request.h>
#include <ngx_ors_fields.h>
#include <ngx_ors_validate.h>


static ngx_int_t ngx_ors_request_malformed(ngx_ors_json_t *json,
    ngx_pool_t *pool, ngx_ors_error_t *err);
static ngx_int_t ngx_ors_request_model(ngx_ors_request_t *req,
    ngx_pool_t *pool, ngx_ors_error_t *err);
static ngx_int_t ngx_ors_request_count(ngx_ors_json_node_t *node,
    ngx_uint_t max, char *name, ngx_pool_t *pool, ngx_ors_error_t *err);


ngx_int_t
ngx_ors_request_read(ngx_ors_request_t *req, ngx_str_t *body,
    ngx_ors_limits_t *limits, ngx_pool_t *pool, ngx_ors_error_t *err)
{
    ngx_int_t             rc;
    ngx_ors_validate_t    v;
    ngx_ors_json_node_t  *stream, **field;

    ngx_memzero(req, sizeof(ngx_ors_request_t));

    ngx_ors_json_init(&req->json, pool, limits->depth, limits->nodes);

    rc = ngx_ors_json_read(&req->json, body->data, body->len);

    if (rc == NGX_DECLINED) {
        return ngx_ors_request_malformed(&req->json, pool, err);
    }

    if (rc != NGX_OK) {
        return rc;
    }

    v.json = &req->json;
    v.root = "the body";
    v.pool = pool;
    v.err = err;

    field = req->field;

    rc = ngx_ors_validate(&v, &req->json.nodes[0], &ngx_ors_fields_create,
                          field);
    if (rc != NGX_OK) {
        return rc;
    }

    rc = ngx_ors_request_model(req, pool, err);
    if (rc != NGX_OK) {
        return rc;
    }

    rc = ngx_ors_request_count(field[ngx_ors_rq_input], limits->items,
                               "input", pool, err);
    if (rc != NGX_OK) {
        return rc;
    }

    rc = ngx_ors_request_count(field[ngx_ors_rq_tools], limits->tools,
                               "tools", pool, err);
    if (rc != NGX_OK) {
        return rc;
    }

    stream = field[ngx_ors_rq_stream];

    req->stream = (stream && stream->type == ngx_ors_json_true);

    return NGX_OK;
}


static ngx_int_t
ngx_ors_request_malformed(ngx_ors_json_t *json, ngx_pool_t *pool,
    ngx_ors_error_t *err)
{
    if (json->error == ngx_ors_json_err_empty) {
        return ngx_ors_error_set(err, pool, 400, "invalid_json",
                                 "the body is empty");
    }

    if (json->error == ngx_ors_json_err_depth) {
        return ngx_ors_error_set(err, pool, 400, "invalid_json",
                                 "the body has more than %ui levels of "
                                 "nesting at byte %uz",
                                 json->max_depth, json->offset);
    }

    if (json->error == ngx_ors_json_err_nodes) {
        return ngx_ors_error_set(err, pool, 400, "invalid_json",
                                 "the body has more than %ui values "
                                 "at byte %uz", json->max_nodes,
                                 json->offset);
    }

    return ngx_ors_error_set(err, pool, 400, "invalid_json",
                             "the body is not JSON: %V at byte %uz",
                             ngx_ors_json_strerror(json->error),
                             json->offset);
}


static ngx_int_t
ngx_ors_request_model(ngx_ors_request_t *req, ngx_pool_t *pool,
    ngx_ors_error_t *err)
{
    u_char               *p, *last;
    ngx_ors_json_node_t  *node;

    node = req->field[ngx_ors_rq_model];

    if (node->len == 0) {
        ngx_ors_error_set(err, pool, 400, "missing_required_parameter",
                          "\"model\" must not be empty");
        ngx_str_set(&err->param, "model");
        return NGX_DECLINED;
    }

    ngx_ors_json_raw(&req->json, node, &req->model);

    if (node->escaped) {
        p = ngx_pnalloc(pool, node->len);
        if (p == NULL) {
            return NGX_ERROR;
        }

        req->model.len = ngx_ors_json_decode(&req->json, node, p) - p;
        req->model.data = p;
    }

    last = req->model.data + req->model.len;

    for (p = req->model.data; p < last; p++) {

        if (*p < 0x20 || *p == 0x7f) {
            ngx_ors_error_set(err, pool, 400, "invalid_value",
                              "\"model\" must not have control characters");
            ngx_str_set(&err->param, "model");
            return NGX_DECLINED;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_request_count(ngx_ors_json_node_t *node, ngx_uint_t max, char *name,
    ngx_pool_t *pool, ngx_ors_error_t *err)
{
    if (node == NULL || node->type != ngx_ors_json_array
        || node->count <= max)
    {
        return NGX_OK;
    }

    ngx_ors_error_set(err, pool, 400, "array_above_max_length",
                      "\"%s\" must have at most %ui elements here, found %ui",
                      name, max, (ngx_uint_t) node->count);

    err->param.len = ngx_strlen(name);
    err->param.data = (u_char *) name;

    return NGX_DECLINED;
}
