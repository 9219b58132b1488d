
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Which operation on a stored response a request means: its path, its method
 * and its query string.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_id.h>
#include <ngx_ors_operation_request.h>
#include <ngx_ors_names.h>
#include <ngx_ors_text.h>


typedef struct {
    ngx_str_t             suffix;         /* after the id */
    ngx_str_t             method;
    ngx_ors_operation_e   kind;
    char                 *allow;          /* methods of the same path */
} ngx_ors_operation_path_t;


static ngx_int_t ngx_ors_operation_stream(ngx_ors_operation_t *op,
    ngx_str_t *query);


static ngx_ors_operation_path_t  ngx_ors_operation_paths[] = {

    { ngx_string(""), ngx_string("GET"), ngx_ors_operation_retrieve,
      "GET, HEAD, DELETE" },
    { ngx_string(""), ngx_string("HEAD"), ngx_ors_operation_retrieve,
      "GET, HEAD, DELETE" },
    { ngx_string(""), ngx_string("DELETE"), ngx_ors_operation_delete,
      "GET, HEAD, DELETE" },
    { ngx_string("/input_items"), ngx_string("GET"), ngx_ors_operation_items,
      "GET, HEAD" },
    { ngx_string("/input_items"), ngx_string("HEAD"), ngx_ors_operation_items,
      "GET, HEAD" },
    { ngx_string("/cancel"), ngx_string("POST"), ngx_ors_operation_cancel,
      "POST" }
};

#define NGX_ORS_OPERATION_PATHS                                               \
    (sizeof(ngx_ors_operation_paths) / sizeof(ngx_ors_operation_paths[0]))


ngx_int_t
ngx_ors_operation_find(ngx_str_t *path, ngx_str_t *method, ngx_str_t *id,
    ngx_ors_operation_e *kind, char **allow)
{
    u_char                    *p, *last;
    ngx_int_t                  rc;
    ngx_str_t                  suffix;
    ngx_uint_t                 i;
    ngx_ors_operation_path_t  *known;

    static ngx_str_t  post = ngx_string("POST");
    static ngx_str_t  prefix = ngx_string("resp_");

    last = path->data + path->len;

    p = ngx_strlchr(path->data, last, '/');
    p = p ? p : last;

    suffix.data = p;
    suffix.len = last - p;

    id->data = path->data;
    id->len = p - path->data;

    if (id->len == 0 || id->len > NGX_ORS_ID_MAX) {
        return NGX_DECLINED;
    }

    rc = NGX_DECLINED;

    for (i = 0; i < NGX_ORS_OPERATION_PATHS; i++) {
        known = &ngx_ors_operation_paths[i];

        if (!ngx_ors_same(&known->suffix, &suffix)) {
            continue;
        }

        if (ngx_ors_same(&known->method, method)) {
            *kind = known->kind;
            return NGX_OK;
        }

        *allow = known->allow;
        rc = NGX_DONE;
    }

    /* a POST names another endpoint of the API, not a response */

    if (suffix.len == 0 && ngx_ors_same(method, &post)
        && (id->len < prefix.len
            || ngx_memcmp(id->data, prefix.data, prefix.len) != 0))
    {
        return NGX_DECLINED;
    }

    return rc;
}


ngx_int_t
ngx_ors_operation_query(ngx_ors_operation_t *op, ngx_ors_operation_e kind,
    ngx_str_t *query)
{
    ngx_int_t  rc;

    if (kind == ngx_ors_operation_retrieve) {
        return ngx_ors_operation_stream(op, query);
    }

    if (kind == ngx_ors_operation_items) {
        rc = ngx_ors_listing_init(&op->list, query, op->pool, &op->error);
        return (rc == NGX_DECLINED) ? NGX_DONE : rc;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_operation_stream(ngx_ors_operation_t *op, ngx_str_t *query)
{
    ngx_str_t  value;

    static const ngx_str_t  name = ngx_string("stream");
    static const ngx_str_t  no = ngx_string("false");

    if (ngx_ors_query_arg(query, &name, op->pool, &value) != NGX_OK) {
        return NGX_ERROR;
    }

    if (value.len == 0 || ngx_ors_same(&value, &no)) {
        return NGX_OK;
    }

    (void) ngx_ors_error_set(&op->error, op->pool,
                             ngx_ors_code_unsupported_parameter,
                             "a stored response cannot be streamed, "
                             "\"stream\" must be false or absent");
    ngx_str_set(&op->error.param, "stream");

    return NGX_DONE;
}
