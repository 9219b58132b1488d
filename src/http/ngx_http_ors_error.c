
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Error values as HTTP answers, also in place of nginx's own error pages, and
 * the endpoint of a request: its path, its method, a WebSocket's handshake.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>
#include <ngx_ors_error.h>
#include <ngx_ors_names.h>


static void ngx_http_ors_error_document(ngx_http_request_t *r,
    ngx_ors_error_t *err, ngx_ors_out_t *out);
static void ngx_http_ors_error_path(ngx_http_request_t *r,
    ngx_http_ors_loc_conf_t *olcf, ngx_ors_error_t *err);
static u_char *ngx_http_ors_endpoint_rest(ngx_http_request_t *r);


#define ngx_http_ors_release_row(release)  ngx_string(release),
#define ngx_http_ors_release_or(release)  "\"" release "\", "


static ngx_str_t  ngx_http_ors_upgrade_protocol = ngx_string("websocket");

static ngx_str_t  ngx_http_ors_release = ngx_string("OpenResponses-Version");

static ngx_str_t  ngx_http_ors_releases[] = {
    NGX_ORS_RELEASES(ngx_http_ors_release_row)
    ngx_string("latest"),
    ngx_null_string
};


void
ngx_http_ors_error_of(ngx_http_request_t *r, ngx_uint_t status,
    ngx_ors_error_t *err)
{
    char                     *text;
    ngx_http_ors_loc_conf_t  *olcf;

    olcf = ngx_http_get_module_loc_conf(r, ngx_http_open_responses_module);

    text = (status == NGX_HTTP_UNSUPPORTED_MEDIA_TYPE)
           ? ngx_ors_media(&r->main->headers_in.headers) : NULL;

    ngx_ors_error_page(err, r->pool, status, text);

    if (status == NGX_HTTP_NOT_FOUND && olcf->enable) {
        ngx_http_ors_error_path(r, olcf, err);
    }

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "ors error: %V for status %ui", &err->code, status);
}


/* where a gateway's endpoints are, and the one that a wrong path may mean */

static void
ngx_http_ors_error_path(ngx_http_request_t *r, ngx_http_ors_loc_conf_t *olcf,
    ngx_ors_error_t *err)
{
    u_char                    *p;
    ngx_str_t                  base, path, id;
    const ngx_ors_endpoint_t  *endpoint;

    static ngx_str_t  stored = ngx_string("/responses/");

    p = ngx_http_ors_endpoint_rest(r);

    if (p == NULL) {
        return;
    }

    /* the name of the location, without anything that a client has sent */

    base = ((ngx_http_core_loc_conf_t *)
            ngx_http_get_module_loc_conf(r, ngx_http_core_module))->name;
    base.len = p - r->uri.data;

    /* "/response" is the path of "/responses", as is "/v1/responses/" */

    path.data = ngx_pnalloc(r->pool, r->uri.len + 1);
    if (path.data == NULL) {
        return;
    }

    path.len = r->uri.len;
    *ngx_cpymem(path.data, r->uri.data, path.len) = 's';

    if (ngx_ors_endpoint_variant(&path, r->pool, &endpoint) != NGX_OK) {
        return;
    }

    path.len++;

    if (endpoint == NULL
        && ngx_ors_endpoint_variant(&path, r->pool, &endpoint) != NGX_OK)
    {
        return;
    }

    if (endpoint == NULL && olcf->stored.store == NULL
        && ngx_http_ors_endpoint_below(r, &stored, &id) == NGX_OK)
    {
        (void) ngx_ors_error_set(err, r->pool, ngx_ors_code_not_found,
                                 "responses are not stored here");
        return;
    }

    if (base.len) {
        (void) ngx_ors_error_set(err, r->pool, ngx_ors_code_not_found,
                                 "%V, after \"%V\"", &err->message, &base);
    }

    /* the path may be right where the configuration has a 404 */

    path.len = r->uri.len - base.len;
    path.data = p;

    if (endpoint && !ngx_ors_same(&path, &endpoint->path)) {
        (void) ngx_ors_error_set(err, r->pool, ngx_ors_code_not_found,
                                 "%V; did you mean \"%V%V\"?",
                                 &err->message, &base, &endpoint->path);
    }
}


ngx_int_t
ngx_http_ors_error_send(ngx_http_request_t *r, ngx_ors_error_t *err)
{
    ngx_int_t      rc;
    ngx_ors_out_t  out;

    /* the client is not asked for a body that is not read */

    r->expect_tested = 1;

    rc = ngx_http_discard_request_body(r);

    if (rc != NGX_OK) {
        return rc;
    }

    ngx_http_ors_error_document(r, err, &out);

    return ngx_http_ors_document(r, err->status, &out);
}


static void
ngx_http_ors_error_document(ngx_http_request_t *r, ngx_ors_error_t *err,
    ngx_ors_out_t *out)
{
    ngx_ors_out_init(out, r->pool, NGX_HTTP_ORS_BLOCK);

    ngx_ors_out_lit(out, "{\"error\":");
    ngx_ors_error_render(out, err);
    ngx_ors_out_lit(out, "}");
}


ngx_int_t
ngx_http_ors_error(ngx_http_request_t *r)
{
    size_t               size;
    ngx_ors_out_t        out;
    ngx_ors_error_t      err;
    ngx_http_ors_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_open_responses_module);

    if (ctx == NULL) {
        ctx = ngx_http_ors_ctx_create(r);
        if (ctx == NULL) {
            return NGX_ERROR;
        }
    }

    ngx_http_ors_error_of(r, r->headers_out.status, &err);
    ngx_http_ors_error_document(r, &err, &out);

    size = out.size;

    if (ngx_ors_out_take(&out, &ctx->error) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_str_set(&r->headers_out.content_type, "application/json");
    r->headers_out.content_type_len = r->headers_out.content_type.len;
    r->headers_out.content_type_lowcase = NULL;

    ngx_http_clear_content_length(r);
    r->headers_out.content_length_n = size;

    return NGX_OK;
}


ngx_int_t
ngx_http_ors_endpoint(ngx_http_request_t *r,
    const ngx_ors_endpoint_t **endpoint)
{
    u_char                   *p;
    ngx_str_t                 path;
    ngx_http_ors_loc_conf_t  *olcf;

    static ngx_str_t  upgrade = ngx_string("upgrade");

    p = ngx_http_ors_endpoint_rest(r);
    path = r->uri;

    /* where the location's name does not say it, the URI's end is the path */

    if (p) {
        path.len -= p - path.data;
        path.data = p;
    }

    *endpoint = ngx_ors_endpoint_find(&path);

    /* responses/{id} is not there either: nothing is stored */

    if (*endpoint == NULL || (p && (*endpoint)->path.len != path.len)) {
        return NGX_HTTP_NOT_FOUND;
    }

    if ((*endpoint)->request == NULL) {
        return (r->method & (NGX_HTTP_GET|NGX_HTTP_HEAD))
               ? NGX_OK : ngx_http_ors_allow(r, "GET, HEAD");
    }

    /* a handshake: other versions of HTTP have no upgrade */

    if ((*endpoint)->id == ngx_ors_endpoint_responses
        && r->method == NGX_HTTP_GET
        && r->http_version == NGX_HTTP_VERSION_11
        && r->headers_in.upgrade
        && ngx_ors_header_lists(&r->headers_in.headers, "Connection", &upgrade)
        && ngx_ors_header_lists(&r->headers_in.headers, "Upgrade",
                                &ngx_http_ors_upgrade_protocol))
    {
        olcf = ngx_http_get_module_loc_conf(r, ngx_http_open_responses_module);

        return (olcf->websocket == ngx_http_ors_websocket_on)
               ? NGX_OK : ngx_http_ors_upgrade_refuse(r);
    }

    if (r->method != NGX_HTTP_POST) {
        return ngx_http_ors_allow(r, "POST");
    }

    return ngx_ors_media(&r->headers_in.headers)
           ? NGX_HTTP_UNSUPPORTED_MEDIA_TYPE : NGX_OK;
}


/*
 * The rest of the URI after the location's name and the slash that may end it;
 * NULL: it is no prefix of the URI, which a "rewrite" may have replaced
 */

static u_char *
ngx_http_ors_endpoint_rest(ngx_http_request_t *r)
{
    u_char                    *p;
    ngx_http_core_loc_conf_t  *clcf;

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

#if (NGX_PCRE)
    if (clcf->regex) {
        return NULL;
    }
#endif

    if (clcf->exact_match || clcf->noname || clcf->named
        || r->uri.len < clcf->name.len
        || ngx_filename_cmp(r->uri.data, clcf->name.data, clcf->name.len) != 0)
    {
        return NULL;
    }

    p = r->uri.data + clcf->name.len;

    return (clcf->name.len && *(p - 1) == '/') ? p - 1 : p;
}


ngx_int_t
ngx_http_ors_endpoint_below(ngx_http_request_t *r, ngx_str_t *prefix,
    ngx_str_t *rest)
{
    u_char  *p, *last, *next;

    p = ngx_http_ors_endpoint_rest(r);
    last = r->uri.data + r->uri.len;

    if (p == NULL) {
        p = r->uri.data;

        while ((next = ngx_strnstr(p + 1, (char *) prefix->data, last - p - 1))
               != NULL)
        {
            p = next;
        }
    }

    if (p == NULL || (size_t) (last - p) <= prefix->len
        || ngx_memcmp(p, prefix->data, prefix->len) != 0)
    {
        return NGX_DECLINED;
    }

    rest->data = p + prefix->len;
    rest->len = last - rest->data;

    return NGX_OK;
}


ngx_int_t
ngx_http_ors_release_check(ngx_http_request_t *r,
    ngx_http_ors_loc_conf_t *conf, ngx_ors_error_t *err)
{
    ngx_str_t        *release;
    ngx_table_elt_t  *h;

    if (!conf->strict) {
        return NGX_OK;
    }

    h = ngx_ors_header_find(&r->headers_in.headers, &ngx_http_ors_release);

    if (h == NULL) {
        return NGX_OK;
    }

    for (release = ngx_http_ors_releases; release->len; release++) {
        if (ngx_ors_same(&h->value, release)) {
            return NGX_OK;
        }
    }

    (void) ngx_ors_error_set(err, r->pool, ngx_ors_code_invalid_value,
                             "\"OpenResponses-Version\", a header, must be "
                             NGX_ORS_RELEASES(ngx_http_ors_release_or)
                             "or \"latest\"");

    return ngx_ors_error_param(err, "OpenResponses-Version");
}


ngx_int_t
ngx_http_ors_release_add(ngx_http_request_t *r)
{
    if (ngx_ors_header_find(&r->headers_out.headers, &ngx_http_ors_release)) {
        return NGX_OK;
    }

    return ngx_ors_header_add(&r->headers_out.headers, "OpenResponses-Version",
                              "openresponses-version", ngx_http_ors_releases)
           ? NGX_OK : NGX_ERROR;
}


ngx_int_t
ngx_http_ors_allow(ngx_http_request_t *r, char *methods)
{
    return ngx_ors_header_text(&r->headers_out.headers, "Allow", "allow",
                               methods)
           ? NGX_HTTP_NOT_ALLOWED : NGX_HTTP_INTERNAL_SERVER_ERROR;
}


ngx_int_t
ngx_http_ors_upgrade_refuse(ngx_http_request_t *r)
{
    /* HTTP/2 has no such header */

    if (r->http_version < NGX_HTTP_VERSION_20
        && ngx_ors_header_add(&r->headers_out.headers, "Upgrade", "upgrade",
                              &ngx_http_ors_upgrade_protocol)
           == NULL)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    return NGX_HTTP_ORS_UPGRADE_REQUIRED;
}
