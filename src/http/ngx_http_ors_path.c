
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Paths and query strings that a target's location is called with.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>


static ngx_uint_t ngx_http_ors_path_handshake(ngx_http_request_t *r,
    const ngx_ors_endpoint_t *endpoint);
static ngx_uint_t ngx_http_ors_path_body(ngx_http_request_t *r);


ngx_int_t
ngx_http_ors_path(ngx_http_request_t *r,
    const ngx_ors_endpoint_t **endpoint)
{
    ngx_uint_t                upgrade;
    ngx_http_ors_loc_conf_t  *olcf;

    olcf = ngx_http_get_module_loc_conf(r, ngx_http_open_responses_module);

    *endpoint = NULL;

    if (olcf->broad && !ngx_ors_endpoint_versioned(&r->uri)) {
        return NGX_DECLINED;
    }

    *endpoint = ngx_ors_endpoint_find(&r->uri);

    if (*endpoint
        && r->method == ((*endpoint)->request ? NGX_HTTP_POST : NGX_HTTP_GET))
    {
        return NGX_OK;
    }

    upgrade = (r->headers_in.upgrade
               && olcf->websocket != ngx_http_ors_websocket_pass);

    if (upgrade && ngx_http_ors_path_handshake(r, *endpoint)) {
        return NGX_HTTP_ORS_UPGRADE_REQUIRED;
    }

    *endpoint = NULL;

    if ((r->method == NGX_HTTP_POST || upgrade)
        && olcf->path_variants != ngx_http_ors_paths_pass)
    {
        if (ngx_ors_endpoint_variant(&r->uri, r->pool, endpoint) != NGX_OK) {
            return NGX_ERROR;
        }

        if (r->method == NGX_HTTP_POST && *endpoint && (*endpoint)->request) {
            return (olcf->path_variants == ngx_http_ors_paths_validate)
                   ? NGX_OK : NGX_HTTP_NOT_FOUND;
        }

        if (upgrade && ngx_http_ors_path_handshake(r, *endpoint)) {
            return NGX_HTTP_ORS_UPGRADE_REQUIRED;
        }

        *endpoint = NULL;
    }

    if (olcf->unknown_paths == ngx_http_ors_paths_reject
        && ngx_http_ors_path_body(r)
        && !(r->method == NGX_HTTP_POST && ngx_ors_endpoint_cancels(&r->uri)))
    {
        return NGX_HTTP_NOT_FOUND;
    }

    return upgrade ? NGX_HTTP_SWITCHING_PROTOCOLS : NGX_DECLINED;
}


/*
 * nginx sends the upstream an upgrade in HTTP/1.1 and with its own Connection
 * header, and servers differ in how they read Upgrade: any request that names
 * the protocol may become a handshake
 */

static ngx_uint_t
ngx_http_ors_path_handshake(ngx_http_request_t *r,
    const ngx_ors_endpoint_t *endpoint)
{
    ngx_uint_t        i;
    ngx_str_t        *value;
    ngx_list_part_t  *part;
    ngx_table_elt_t  *h;

    if (endpoint == NULL || endpoint->id != ngx_ors_endpoint_responses) {
        return 0;
    }

    for (part = &r->headers_in.headers.part; part; part = part->next) {
        h = part->elts;

        for (i = 0; i < part->nelts; i++) {
            value = &h[i].value;

            if (h[i].key.len == sizeof("Upgrade") - 1
                && ngx_strncasecmp(h[i].key.data, (u_char *) "Upgrade",
                                   sizeof("Upgrade") - 1)
                   == 0
                && ngx_strlcasestrn(value->data, value->data + value->len,
                                    (u_char *) "websocket",
                                    sizeof("websocket") - 2))
            {
                return 1;
            }
        }
    }

    return 0;
}


/* a method whose body could be a request of the API, known to nginx or not */

static ngx_uint_t
ngx_http_ors_path_body(ngx_http_request_t *r)
{
    return !(r->method & (NGX_HTTP_GET|NGX_HTTP_HEAD|NGX_HTTP_DELETE
                          |NGX_HTTP_OPTIONS|NGX_HTTP_TRACE));
}


void
ngx_http_ors_path_error(ngx_http_request_t *r,
    const ngx_ors_endpoint_t *endpoint, ngx_ors_error_t *err)
{
    if (endpoint == NULL) {
        ngx_http_ors_error_of(r, NGX_HTTP_NOT_FOUND, err);
        return;
    }

    ngx_memzero(err, sizeof(ngx_ors_error_t));

    (void) ngx_ors_error_set(err, r->pool, ngx_ors_code_not_found,
                             "there is no such endpoint here, its path must "
                             "end with \"%V\"", &endpoint->path);
}
