
/*
 * Copyright (C) Open Responses contributors
 */


/* Handshakes of the WebSocket transport, and their refusal. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>


static ngx_str_t  ngx_http_ors_upgrade_protocol = ngx_string("websocket");


/* the header is a list of protocols, of which each may have a version */

ngx_uint_t
ngx_http_ors_upgrade(ngx_http_request_t *r,
    const ngx_ors_endpoint_t *endpoint)
{
    u_char     *p, *last, *start;
    ngx_str_t  *name;

    if (endpoint == NULL || endpoint->id != ngx_ors_endpoint_responses
        || r->method != NGX_HTTP_GET || r->http_version != NGX_HTTP_VERSION_11
        || r->headers_in.upgrade == NULL)
    {
        return 0;
    }

    name = &ngx_http_ors_upgrade_protocol;

    p = r->headers_in.upgrade->value.data;
    last = p + r->headers_in.upgrade->value.len;

    while (p < last) {

        while (p < last && (*p == ' ' || *p == '\t' || *p == ',')) {
            p++;
        }

        start = p;

        while (p < last && *p != ',' && *p != '/' && *p != ' ' && *p != '\t') {
            p++;
        }

        if ((size_t) (p - start) == name->len
            && ngx_strncasecmp(start, name->data, name->len) == 0)
        {
            return 1;
        }

        while (p < last && *p != ',') {
            p++;
        }
    }

    return 0;
}


ngx_int_t
ngx_http_ors_upgrade_refuse(ngx_http_request_t *r)
{
    if (ngx_ors_header_add(&r->headers_out.headers, "Upgrade", "upgrade",
                           &ngx_http_ors_upgrade_protocol)
        == NULL)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    return NGX_HTTP_ORS_UPGRADE_REQUIRED;
}
