
/*
 * Copyright (C) Open Responses contributors
 */


/* The handshake of a WebSocket: who may connect, and the answer. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_sha1.h>
#include <ngx_http_ors_ws.h>


/* length of a Sec-WebSocket-Key, and of the answer to it */
#define NGX_HTTP_ORS_WS_KEY     24
#define NGX_HTTP_ORS_WS_ACCEPT  28


static ngx_uint_t ngx_http_ors_ws_repeats(ngx_http_request_t *r);
static ngx_uint_t ngx_http_ors_ws_foreign(ngx_http_request_t *r);
static ngx_int_t ngx_http_ors_ws_refuse(ngx_http_request_t *r);
static ngx_int_t ngx_http_ors_ws_accept(ngx_http_request_t *r,
    ngx_str_t *key, ngx_str_t *accept);


ngx_int_t
ngx_http_ors_ws_key(ngx_http_request_t *r, ngx_str_t *key)
{
    ngx_table_elt_t  *h;

    static ngx_str_t  version = ngx_string("sec-websocket-version");
    static ngx_str_t  name = ngx_string("sec-websocket-key");

    /* a body would be taken for frames */

    if (r->headers_in.content_length_n > 0 || r->headers_in.chunked
        || ngx_http_ors_ws_repeats(r))
    {
        return NGX_HTTP_BAD_REQUEST;
    }

    h = ngx_ors_header_find(&r->headers_in.headers, &version);

    if (h == NULL || h->value.len != 2
        || ngx_strncmp(h->value.data, "13", 2) != 0)
    {
        return ngx_http_ors_ws_refuse(r);
    }

    h = ngx_ors_header_find(&r->headers_in.headers, &name);

    if (h == NULL || h->value.len != NGX_HTTP_ORS_WS_KEY) {
        return NGX_HTTP_BAD_REQUEST;
    }

    *key = h->value;

    return ngx_http_ors_ws_foreign(r) ? NGX_HTTP_FORBIDDEN : NGX_OK;
}


/*
 * 1 if a header that counts here comes twice (RFC 6455, 11.3): the one that is
 * read might be the one that nobody else sees
 */

static ngx_uint_t
ngx_http_ors_ws_repeats(ngx_http_request_t *r)
{
    ngx_str_t        *name;
    ngx_uint_t        i, n;
    ngx_list_part_t  *part;
    ngx_table_elt_t  *h;

    static ngx_str_t  names[] = {
        ngx_string("origin"),
        ngx_string("sec-websocket-key"),
        ngx_string("sec-websocket-version"),
        ngx_null_string
    };

    for (name = names; name->len; name++) {
        n = 0;

        for (part = &r->headers_in.headers.part; part; part = part->next) {
            h = part->elts;

            for (i = 0; i < part->nelts; i++) {
                n += (h[i].key.len == name->len
                      && ngx_strncasecmp(h[i].key.data, name->data, name->len)
                         == 0);
            }
        }

        if (n > 1) {
            ngx_log_error(NGX_LOG_INFO, r->connection->log, 0,
                          "a WebSocket is refused: it has header \"%V\" "
                          "%ui times", name, n);
            return 1;
        }
    }

    return 0;
}


/*
 * A browser lets a page of any site open a WebSocket, with the cookies of its
 * user, and asks for no permission as it does for a POST of JSON
 */

static ngx_uint_t
ngx_http_ors_ws_foreign(ngx_http_request_t *r)
{
    ngx_table_elt_t          *h, *host;
    ngx_http_ors_loc_conf_t  *olcf;

    static ngx_str_t  name = ngx_string("origin");

    olcf = ngx_http_get_module_loc_conf(r, ngx_http_open_responses_module);
    h = ngx_ors_header_find(&r->headers_in.headers, &name);
    host = r->headers_in.host;

    if (h == NULL || olcf->ws.any_origin) {
        return 0;
    }

    if (host && ngx_ors_header_same_origin(&h->value, &host->value)) {
        return 0;
    }

    ngx_log_error(NGX_LOG_INFO, r->connection->log, 0,
                  "a WebSocket is refused: its Origin is another host");

    return 1;
}


static ngx_int_t
ngx_http_ors_ws_refuse(ngx_http_request_t *r)
{
    if (ngx_ors_header_text(&r->headers_out.headers, "Sec-WebSocket-Version",
                            "sec-websocket-version", "13")
        == NULL)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    return ngx_http_ors_upgrade_refuse(r);
}


ngx_int_t
ngx_http_ors_ws_switch(ngx_http_request_t *r, ngx_str_t *key)
{
    ngx_int_t                  rc;
    ngx_str_t                  accept;
    ngx_http_core_loc_conf_t  *clcf;

    if (ngx_http_ors_ws_accept(r, key, &accept) != NGX_OK
        || ngx_ors_header_add(&r->headers_out.headers, "Sec-WebSocket-Accept",
                              "sec-websocket-accept", &accept)
           == NULL
        || ngx_http_ors_upgrade_refuse(r) == NGX_HTTP_INTERNAL_SERVER_ERROR)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    r->keepalive = 0;
    r->headers_out.status = NGX_HTTP_SWITCHING_PROTOCOLS;
    ngx_str_set(&r->headers_out.status_line, "101 Switching Protocols");
    ngx_http_clear_content_length(r);

    rc = ngx_http_send_header(r);

    if (rc == NGX_ERROR || rc > NGX_OK) {
        return rc;
    }

    rc = ngx_http_send_special(r, NGX_HTTP_FLUSH);

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    /*
     * nginx does it for keep-alive connections: else the events of a turn
     * would wait for the client's acknowledgement of those that were sent
     */

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    return (clcf->tcp_nodelay && ngx_tcp_nodelay(r->connection) != NGX_OK)
           ? NGX_ERROR : NGX_OK;
}


static ngx_int_t
ngx_http_ors_ws_accept(ngx_http_request_t *r, ngx_str_t *key,
    ngx_str_t *accept)
{
    u_char      hash[20];
    ngx_str_t   raw;
    ngx_sha1_t  sha1;

    static ngx_str_t  magic =
        ngx_string("258EAFA5-E" "914-47DA-95CA-C5AB0DC85B11");

    accept->data = ngx_pnalloc(r->pool, NGX_HTTP_ORS_WS_ACCEPT);
    if (accept->data == NULL) {
        return NGX_ERROR;
    }

    ngx_sha1_init(&sha1);
    ngx_sha1_update(&sha1, key->data, key->len);
    ngx_sha1_update(&sha1, magic.data, magic.len);
    ngx_sha1_final(hash, &sha1);

    raw.data = hash;
    raw.len = sizeof(hash);

    ngx_encode_base64(accept, &raw);

    return NGX_OK;
}
