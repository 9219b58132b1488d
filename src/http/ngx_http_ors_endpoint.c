
/*
 * Copyright (C) Open Responses contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>


static ngx_int_t ngx_http_ors_endpoint_path(ngx_http_request_t *r,
    ngx_str_t *path);
static ngx_uint_t ngx_http_ors_endpoint_whole(ngx_http_core_loc_conf_t *clcf);
static ngx_uint_t ngx_http_ors_encoded(ngx_http_request_t *r);


ngx_int_t
ngx_http_ors_endpoint(ngx_http_request_t *r,
    const ngx_ors_endpoint_t **endpoint)
{
    ngx_str_t  path;

    if (ngx_http_ors_endpoint_path(r, &path) != NGX_OK) {
        return NGX_HTTP_NOT_FOUND;
    }

    *endpoint = ngx_ors_endpoint_find(&path);

    /* responses/{id} is not there either: nothing is stored */

    if (*endpoint == NULL || (*endpoint)->path.len != path.len) {
        return NGX_HTTP_NOT_FOUND;
    }

    if ((*endpoint)->request == NULL) {
        return (r->method & (NGX_HTTP_GET|NGX_HTTP_HEAD))
               ? NGX_OK : ngx_http_ors_allow(r, "GET, HEAD");
    }

    if (r->method != NGX_HTTP_POST) {
        return ngx_http_ors_allow(r, "POST");
    }

    return ngx_http_ors_json_body(r) ? NGX_OK
                                     : NGX_HTTP_UNSUPPORTED_MEDIA_TYPE;
}


/*
 * The path is what follows the location's name; where that is no prefix of
 * the URI, it is the URI's end
 */

static ngx_int_t
ngx_http_ors_endpoint_path(ngx_http_request_t *r, ngx_str_t *path)
{
    u_char                    *p;
    ngx_http_core_loc_conf_t  *clcf;
    const ngx_ors_endpoint_t  *endpoint;

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    *path = r->uri;

    if (ngx_http_ors_endpoint_whole(clcf)) {
        endpoint = ngx_ors_endpoint_find(path);

        if (endpoint == NULL) {
            return NGX_DECLINED;
        }

        path->data += path->len - endpoint->path.len;
        path->len = endpoint->path.len;

        return NGX_OK;
    }

    p = r->uri.data + clcf->name.len;

    if (p > r->uri.data && *(p - 1) == '/') {
        p--;
    }

    path->len = r->uri.data + r->uri.len - p;
    path->data = p;

    return NGX_OK;
}


/* the location's name is no prefix of the URI */

static ngx_uint_t
ngx_http_ors_endpoint_whole(ngx_http_core_loc_conf_t *clcf)
{
#if (NGX_PCRE)
    if (clcf->regex) {
        return 1;
    }
#endif

    return clcf->exact_match || clcf->noname || clcf->named;
}


ngx_int_t
ngx_http_ors_endpoint_below(ngx_http_request_t *r, ngx_str_t *rest)
{
    u_char                    *p, *last, *next;
    ngx_http_core_loc_conf_t  *clcf;

    static ngx_str_t  prefix = ngx_string("/responses/");
    static ngx_str_t  compact = ngx_string("compact");

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    last = r->uri.data + r->uri.len;

    if (ngx_http_ors_endpoint_whole(clcf)) {
        p = r->uri.data;

        while ((next = ngx_strnstr(p + 1, (char *) prefix.data, last - p - 1))
               != NULL)
        {
            p = next;
        }

    } else {
        p = r->uri.data + clcf->name.len;

        if (p > r->uri.data && *(p - 1) == '/') {
            p--;
        }
    }

    if ((size_t) (last - p) <= prefix.len
        || ngx_memcmp(p, prefix.data, prefix.len) != 0)
    {
        return NGX_DECLINED;
    }

    rest->data = p + prefix.len;
    rest->len = last - rest->data;

    /* which is an endpoint of its own */

    if (rest->len == compact.len
        && ngx_memcmp(rest->data, compact.data, compact.len) == 0)
    {
        return NGX_DECLINED;
    }

    return NGX_OK;
}


ngx_int_t
ngx_http_ors_allow(ngx_http_request_t *r, char *methods)
{
    ngx_str_t  value;

    static ngx_str_t  allow = ngx_string("Allow");
    static ngx_str_t  allow_lowcase = ngx_string("allow");

    value.data = (u_char *) methods;
    value.len = ngx_strlen(methods);

    if (ngx_http_ors_header_add(&r->headers_out.headers, &allow,
                                &allow_lowcase, &value)
        == NULL)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    return NGX_HTTP_NOT_ALLOWED;
}


ngx_uint_t
ngx_http_ors_json_body(ngx_http_request_t *r)
{
    ngx_str_t  *type;

    static ngx_str_t  json = ngx_string("application/json");

    if (r->headers_in.content_type == NULL) {
        return 0;
    }

    type = &r->headers_in.content_type->value;

    if (type->len < json.len
        || ngx_strncasecmp(type->data, json.data, json.len) != 0)
    {
        return 0;
    }

    if (type->len > json.len && type->data[json.len] != ';'
        && type->data[json.len] != ' ' && type->data[json.len] != '\t')
    {
        return 0;
    }

    return !ngx_http_ors_encoded(r);
}


static ngx_uint_t
ngx_http_ors_encoded(ngx_http_request_t *r)
{
    ngx_table_elt_t  *h;

    static ngx_str_t  encoding = ngx_string("Content-Encoding");
    static ngx_str_t  identity = ngx_string("identity");

    h = ngx_http_ors_header_find(&r->headers_in.headers, &encoding);

    return h && h->value.len
           && (h->value.len != identity.len
               || ngx_strncasecmp(h->value.data, identity.data, identity.len)
                  != 0);
}
