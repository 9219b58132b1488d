
/*
 * Copyright (C) Open Responses contributors
 */


/* Handshakes of the WebSocket transport, and their refusal. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>


static ngx_str_t  ngx_http_ors_upgrade_protocol = ngx_string("websocket");


ngx_uint_t
ngx_http_ors_upgrade(ngx_http_request_t *r,
    const ngx_ors_endpoint_t *endpoint)
{
    static ngx_str_t  upgrade = ngx_string("upgrade");

    return endpoint && endpoint->id == ngx_ors_endpoint_responses
           && r->method == NGX_HTTP_GET
           && r->http_version == NGX_HTTP_VERSION_11
           && r->headers_in.upgrade
           && ngx_ors_header_lists(&r->headers_in.headers, "Connection",
                                   &upgrade)
           && ngx_ors_header_lists(&r->headers_in.headers, "Upgrade",
                                   &ngx_http_ors_upgrade_protocol);
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
