
/*
 * Copyright (C) Open Responses contributors
 */


/* Input of a WebSocket: frames of its client. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_ws.h>


/* bytes read at once */
#define NGX_HTTP_ORS_WS_READ    16384


static ngx_int_t ngx_http_ors_ws_read(ngx_http_ors_ws_t *ws);
static ngx_int_t ngx_http_ors_ws_feed(ngx_http_ors_ws_t *ws, u_char *data,
    size_t len);
static ngx_int_t ngx_http_ors_ws_message(ngx_http_ors_ws_t *ws);
static ngx_int_t ngx_http_ors_ws_create_event(ngx_http_ors_ws_t *ws,
    ngx_ors_client_event_t *ev);
static void ngx_http_ors_ws_violated(ngx_http_ors_ws_t *ws);


void
ngx_http_ors_ws_read_handler(ngx_http_request_t *r)
{
    ssize_t             n;
    ngx_buf_t          *b;
    ngx_http_ors_ws_t  *ws;

    ws = ngx_http_ors_ws_of(r);

    b = r->header_in;
    n = b->last - b->pos;

    if (n) {
        b->pos = b->last;

        if (ngx_http_ors_ws_feed(ws, b->last - n, n) != NGX_OK) {
            return;
        }
    }

    if (ngx_http_ors_ws_read(ws) != NGX_OK) {
        return;
    }

    if (ngx_handle_read_event(r->connection->read, 0) != NGX_OK) {
        ngx_http_ors_ws_finalize(ws, NGX_HTTP_CLOSE);
        return;
    }

    ngx_http_ors_ws_post(ws);
}


/* NGX_OK: all is read for now; NGX_DONE: the connection has been finalized */

static ngx_int_t
ngx_http_ors_ws_read(ngx_http_ors_ws_t *ws)
{
    u_char            *buf;
    ssize_t            n;
    ngx_int_t          rc;
    ngx_connection_t  *c;

    c = ws->request->connection;

    /* on the stack it would be cleared for each read, see Makefile */

    buf = ngx_alloc(NGX_HTTP_ORS_WS_READ, c->log);
    if (buf == NULL) {
        ngx_http_ors_ws_finalize(ws, NGX_HTTP_INTERNAL_SERVER_ERROR);
        return NGX_DONE;
    }

    rc = NGX_OK;

    /* the answers to pings are output as well */

    while (rc == NGX_OK && !ws->closing && !ngx_http_ors_ws_full(ws)) {
        n = c->recv(c, buf, NGX_HTTP_ORS_WS_READ);

        if (n == NGX_AGAIN) {
            break;
        }

        if (n == 0 || n == NGX_ERROR) {
            ngx_log_error(NGX_LOG_INFO, c->log, 0,
                          "client closed a WebSocket without a close frame");

            ngx_http_ors_ws_finalize(ws, NGX_HTTP_CLIENT_CLOSED_REQUEST);
            rc = NGX_DONE;
            break;
        }

        ws->heard = ngx_current_msec;

        rc = ngx_http_ors_ws_feed(ws, buf, n);
    }

    ngx_free(buf);

    return rc;
}


/* NGX_OK: the connection may go on; NGX_DONE: it has been finalized */

static ngx_int_t
ngx_http_ors_ws_feed(ngx_http_ors_ws_t *ws, u_char *data, size_t len)
{
    ngx_int_t  rc;
    ngx_buf_t  b;

    ngx_memzero(&b, sizeof(ngx_buf_t));
    b.pos = data;
    b.last = data + len;

    while (!ws->closing) {
        rc = ngx_ors_ws_read(ws->codec, &b);

        if (rc == NGX_OK) {
            rc = ngx_http_ors_ws_message(ws);
        }

        switch (rc) {

        case NGX_OK:
            break;

        case NGX_AGAIN:
            return NGX_OK;

        case NGX_DONE:
            ngx_http_ors_ws_close(ws, ws->codec->code);
            break;

        case NGX_DECLINED:
            ngx_http_ors_ws_violated(ws);
            break;

        default: /* NGX_ERROR */
            ngx_http_ors_ws_finalize(ws, NGX_HTTP_INTERNAL_SERVER_ERROR);
            return NGX_DONE;
        }
    }

    ngx_http_ors_ws_post(ws);

    return NGX_OK;
}


/* NGX_OK or NGX_ERROR */

static ngx_int_t
ngx_http_ors_ws_message(ngx_http_ors_ws_t *ws)
{
    ngx_int_t                rc;
    ngx_str_t                text;
    ngx_pool_t              *pool;
    ngx_ors_client_event_t  *ev;

    text = ws->codec->text;
    pool = ws->codec->pool;
    rc = NGX_ERROR;

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, ws->request->connection->log, 0,
                   "ors ws: message of %uz bytes", text.len);

    ev = ngx_palloc(pool, sizeof(ngx_ors_client_event_t));

    if (ev) {
        rc = ngx_ors_client_event_read(ev, &text, ws->conf->limits.depth,
                                       ws->conf->limits.nodes,
                                       ws->conf->ws.lanes, pool);
    }

    if (rc == NGX_OK) {
        rc = ngx_http_ors_ws_create_event(ws, ev);
    }

    if (rc != NGX_OK) {
        ngx_destroy_pool(pool);
    }

    return (rc == NGX_ERROR) ? NGX_ERROR : NGX_OK;
}


/* NGX_OK: the event waits for its turn; NGX_DECLINED: it is not needed */

static ngx_int_t
ngx_http_ors_ws_create_event(ngx_http_ors_ws_t *ws,
    ngx_ors_client_event_t *ev)
{
    ngx_int_t      rc;
    ngx_ors_out_t  out;

    switch (ev->type) {

    case ngx_ors_client_create:
        rc = ngx_ors_lanes_add(&ws->lanes, ev);

        if (rc != NGX_DECLINED) {
            return rc;
        }

        /* fall through */

    case ngx_ors_client_refused:
        ngx_http_ors_stats_error(ws->request, &ev->error);
        ngx_http_ors_ws_error(ws, &ev->error, &ev->lane, NULL, ev->pool);
        break;

    case ngx_ors_client_steer:
        ngx_ors_out_init(&out, ev->pool, NGX_HTTP_ORS_BLOCK);
        ngx_ors_client_event_steer(&out, ev);

        if (ngx_ors_ws_out(ws->codec, &out) != NGX_OK) {
            return NGX_ERROR;
        }

        break;

    case ngx_ors_client_ignored:
        break;
    }

    return NGX_DECLINED;
}


/* a client whose message was too long learns it by a message */

static void
ngx_http_ors_ws_violated(ngx_http_ors_ws_t *ws)
{
    ngx_uint_t        code;
    ngx_ors_error_t   err;

    code = ws->codec->code;

    ngx_log_error(NGX_LOG_INFO, ws->request->connection->log, 0,
                  "client sent invalid WebSocket frames, closing with %ui",
                  code);

    if (code == NGX_ORS_WS_TOO_LARGE) {
        ngx_http_ors_error_of(ws->request, NGX_HTTP_REQUEST_ENTITY_TOO_LARGE,
                              &err);
        ngx_http_ors_ws_error(ws, &err, NULL, NULL, ws->request->pool);
    }

    ngx_http_ors_ws_close(ws, code);
}
