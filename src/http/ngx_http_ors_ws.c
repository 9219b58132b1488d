
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * A WebSocket connection: its handshake, its timers, what it sends, its end.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_ws.h>
#include <ngx_sha1.h>


#define NGX_HTTP_ORS_WS_BLOCK   4096

/* length of a Sec-WebSocket-Key, and of the answer to it */
#define NGX_HTTP_ORS_WS_KEY     24
#define NGX_HTTP_ORS_WS_ACCEPT  28


static ngx_http_ors_ws_t *ngx_http_ors_ws_create(ngx_http_request_t *r);
static void ngx_http_ors_ws_event_handler(ngx_event_t *ev);
static void ngx_http_ors_ws_write_handler(ngx_http_request_t *r);
static void ngx_http_ors_ws_work_handler(ngx_event_t *ev);
static void ngx_http_ors_ws_work(ngx_http_ors_ws_t *ws);
static void ngx_http_ors_ws_cleanup(void *data);
static ngx_int_t ngx_http_ors_ws_key(ngx_http_request_t *r, ngx_str_t *key);
static ngx_int_t ngx_http_ors_ws_header(ngx_http_request_t *r, char *name,
    ngx_str_t *value);
static ngx_int_t ngx_http_ors_ws_switch(ngx_http_request_t *r,
    ngx_str_t *key);
static void ngx_http_ors_ws_tick(ngx_http_ors_ws_t *ws);
static ngx_msec_t ngx_http_ors_ws_due(ngx_http_ors_ws_t *ws);


ngx_int_t
ngx_http_ors_ws_handler(ngx_http_request_t *r,
    const ngx_ors_endpoint_t *endpoint, ngx_http_ors_begin_pt begin)
{
    ngx_int_t           rc;
    ngx_str_t           key;
    ngx_connection_t   *c;
    ngx_http_ors_ws_t  *ws;

    c = r->connection;

    ngx_str_null(&key);

    rc = ngx_http_ors_ws_key(r, &key);

    if (rc != NGX_OK) {
        return rc;
    }

    ws = ngx_http_ors_ws_create(r);
    if (ws == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ws->endpoint = endpoint;
    ws->begin = begin;

    rc = ngx_http_ors_ws_switch(r, &key);

    if (rc == NGX_ERROR || rc > NGX_OK) {
        return rc;
    }

    ngx_log_debug0(NGX_LOG_DEBUG_HTTP, c->log, 0, "ors ws: opened");

    ngx_ors_stats_count(ngx_http_ors_stats(r), ngx_ors_stats_ws_connection);
    ngx_http_ors_metrics_gauge(r, ngx_ors_metrics_websockets, 1);
    ws->opened = 1;

    r->main->count++;

    r->read_event_handler = ngx_http_ors_ws_read_handler;
    r->write_event_handler = ngx_http_ors_ws_write_handler;

    ws->handler = c->read->handler;

    c->read->handler = ngx_http_ors_ws_event_handler;
    c->write->handler = ngx_http_ors_ws_event_handler;

    c->log->action = "serving a WebSocket";

    ngx_add_timer(&ws->timer, ngx_http_ors_ws_due(ws));

    /* bytes after the handshake, and those in the socket */

    ngx_post_event(c->read, &ngx_posted_events);
    ngx_http_ors_ws_post(ws);

    return NGX_DONE;
}


static ngx_http_ors_ws_t *
ngx_http_ors_ws_create(ngx_http_request_t *r)
{
    ngx_http_ors_ws_t         *ws;
    ngx_http_cleanup_t        *cln;
    ngx_http_ors_ctx_t        *ctx;
    ngx_http_core_loc_conf_t  *clcf;

    ws = ngx_pcalloc(r->pool, sizeof(ngx_http_ors_ws_t));
    ctx = ngx_http_ors_ctx_create(r);

    if (ws == NULL || ctx == NULL) {
        return NULL;
    }

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    ws->request = r;
    ws->conf = ctx->conf;

    ngx_ors_out_init(&ws->out, r->pool, NGX_HTTP_ORS_WS_BLOCK);

    ws->codec = ngx_ors_ws_create(r->pool, &ws->out,
                                  ws->conf->ws.message
                                  ? ws->conf->ws.message
                                  : clcf->client_max_body_size
                                  ? (size_t) clcf->client_max_body_size
                                  : NGX_MAX_SIZE_T_VALUE);

    if (ws->codec == NULL
        || ngx_ors_lanes_init(&ws->lanes, ws->conf->ws.queue, r->pool)
           != NGX_OK)
    {
        return NULL;
    }

    ws->pump.request = r;
    ws->pump.write = ngx_http_output_filter;
    ws->pump.queue.out = &ws->out;
    ws->pump.queue.limit = ws->conf->limits.queue;
    ws->pump.top = 1;

    ngx_queue_init(&ws->turns);

    ngx_http_ors_event_init(&ws->work, ngx_http_ors_ws_work_handler, ws, r);
    ngx_http_ors_event_init(&ws->timer, ngx_http_ors_ws_work_handler, ws, r);

    ws->started = ngx_current_msec;
    ws->active = ngx_current_msec;
    ws->heard = ngx_current_msec;

    cln = ngx_http_cleanup_add(r, 0);
    if (cln == NULL) {
        return NULL;
    }

    cln->handler = ngx_http_ors_ws_cleanup;
    cln->data = ws;

    ctx->socket = ws;
    ws->ctx = ctx;

    return ws;
}


/* in place of nginx's: a worker that leaves does not just cut the connection */

static void
ngx_http_ors_ws_event_handler(ngx_event_t *ev)
{
    ngx_connection_t    *c;
    ngx_http_request_t  *r;
    ngx_http_ors_ws_t   *ws;

    c = ev->data;
    r = c->data;
    ws = ngx_http_ors_ws_of(r);

    ngx_http_set_log_request(c->log, r);

    /* the timer of "limit_rate" */

    if (ev->delayed && ev->timedout) {
        ev->delayed = 0;
        ev->timedout = 0;
    }

    if (c->close && c->error) {

        /* "worker_shutdown_timeout" */

        ngx_http_ors_ws_finalize(ws, NGX_HTTP_CLOSE);

    } else if (c->close) {

        /* nginx closes idle connections: asked once, it is not repeated */

        c->close = 0;
        ngx_http_ors_ws_work(ws);

    } else if (ev->write) {
        r->write_event_handler(r);

    } else {
        r->read_event_handler(r);
    }

    ngx_http_run_posted_requests(c);
}


ngx_http_ors_ws_t *
ngx_http_ors_ws_of(ngx_http_request_t *r)
{
    ngx_http_ors_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_open_responses_module);

    return ctx->socket;
}


static void
ngx_http_ors_ws_write_handler(ngx_http_request_t *r)
{
    ngx_connection_t   *c;
    ngx_http_ors_ws_t  *ws;

    c = r->connection;
    ws = ngx_http_ors_ws_of(r);

    if (c->write->timedout) {
        ngx_connection_error(c, NGX_ETIMEDOUT, "client timed out");
        c->timedout = 1;

        ngx_http_ors_ws_finalize(ws, NGX_HTTP_REQUEST_TIME_OUT);
        return;
    }

    ngx_http_ors_ws_work(ws);
}


static void
ngx_http_ors_ws_work_handler(ngx_event_t *ev)
{
    ngx_connection_t   *c;
    ngx_http_ors_ws_t  *ws;

    ws = ev->data;
    c = ws->request->connection;

    ngx_http_set_log_request(c->log, ws->request);

    if (ev == &ws->timer) {
        ngx_http_ors_ws_tick(ws);

    } else {
        ngx_http_ors_ws_work(ws);
    }

    ngx_http_run_posted_requests(c);
}


/*
 * The only place where turns begin, where output is sent and where the
 * connection ends of itself: no turn is on the stack then
 */

static void
ngx_http_ors_ws_work(ngx_http_ors_ws_t *ws)
{
    ngx_uint_t                 idle, full, sent;
    ngx_event_t               *wev;
    ngx_connection_t          *c;
    ngx_http_request_t        *r;
    ngx_ors_client_event_t    *ev;
    ngx_http_core_loc_conf_t  *clcf;

    r = ws->request;
    c = r->connection;
    wev = c->write;

    while (!ws->closing) {
        ev = ngx_ors_lanes_next(&ws->lanes);

        if (ev == NULL) {
            break;
        }

        ngx_http_ors_ws_turn(ws, ev);
    }

    idle = ngx_ors_lanes_idle(&ws->lanes);

    if (idle && !ws->closing
        && (ngx_exiting || ngx_terminate || ws->lanes.over))
    {
        ngx_http_ors_ws_close(ws, NGX_ORS_WS_GOING_AWAY);
    }

    full = ngx_http_ors_ws_full(ws);

    if (ngx_http_ors_pump_send(&ws->pump, 0) == NGX_ERROR) {
        ngx_http_ors_ws_finalize(ws, NGX_HTTP_CLIENT_CLOSED_REQUEST);
        return;
    }

    if (r->buffered || c->buffered) {
        clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

        /* a client that takes something, however slowly, is there */

        if (!wev->delayed && (!wev->timer_set || ws->sent != c->sent)) {
            ws->sent = c->sent;
            ws->heard = ngx_current_msec;
            ngx_add_timer(wev, clcf->send_timeout);
        }

        if (ngx_handle_write_event(wev, clcf->send_lowat) != NGX_OK) {
            ngx_http_ors_ws_finalize(ws, NGX_HTTP_CLOSE);
            return;
        }

    } else if (wev->timer_set && !wev->delayed) {
        ngx_del_timer(wev);
    }

    if (full && !ngx_http_ors_ws_full(ws) && !ws->closing) {
        ngx_post_event(c->read, &ngx_posted_events);
    }

    if (!ws->closing) {
        ngx_http_ors_ws_turns_wake(ws);
        idle = ngx_ors_lanes_idle(&ws->lanes);
    }

    sent = (ws->out.size == 0 && ws->pump.queue.busy == NULL && !c->buffered);

    /* nginx closes an idle connection when its worker is to leave */

    c->idle = (idle && !ws->closing && sent);

    if (ws->out.size) {
        ngx_http_ors_ws_post(ws);

    } else if (ws->closing && sent) {
        ngx_http_ors_ws_finalize(ws, NGX_OK);
    }
}


void
ngx_http_ors_ws_close(ngx_http_ors_ws_t *ws, ngx_uint_t code)
{
    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, ws->request->connection->log, 0,
                   "ors ws: closing with %ui", code);

    ngx_ors_ws_close(ws->codec, code);

    ws->closing = 1;

    ngx_http_ors_ws_turns_end(ws);

    ngx_http_ors_ws_post(ws);
}


void
ngx_http_ors_ws_finalize(ngx_http_ors_ws_t *ws, ngx_int_t rc)
{
    ngx_connection_t    *c;
    ngx_http_request_t  *r;

    if (ws->done) {
        return;
    }

    r = ws->request;
    c = r->connection;

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, c->log, 0, "ors ws: finalized %i", rc);

    ngx_http_ors_ws_cleanup(ws);

    c->idle = 0;
    c->read->handler = ws->handler;
    c->write->handler = ws->handler;

    if (rc != NGX_OK) {
        c->error = 1;
    }

    /* a client that is sending would lose the close frame to a reset */

    r->lingering_close = 1;

    ngx_http_finalize_request(r, rc);
}


/* the request has ended: runs twice if the connection has ended of itself */

static void
ngx_http_ors_ws_cleanup(void *data)
{
    ngx_http_ors_ws_t *ws = data;

    ngx_queue_t             *q;
    ngx_ors_client_event_t  *ev;

    if (ws->done) {
        return;
    }

    ws->done = 1;
    ws->closing = 1;

    if (ws->opened) {
        ngx_http_ors_metrics_gauge(ws->request, ngx_ors_metrics_websockets, -1);
    }

    ngx_http_ors_event_stop(&ws->work);
    ngx_http_ors_event_stop(&ws->timer);

    ngx_http_ors_ws_turns_end(ws);

    while (!ngx_queue_empty(&ws->lanes.waiting)) {
        q = ngx_queue_head(&ws->lanes.waiting);
        ngx_queue_remove(q);

        ev = ngx_queue_data(q, ngx_ors_client_event_t, queue);
        ngx_destroy_pool(ev->pool);
    }

    ngx_ors_hold_release(&ws->hold);
}


/* The handshake of a WebSocket: who may connect, and the answer. */


/*
 * NGX_OK: "key" is set, which borrows its header; else the HTTP status that
 * refuses the handshake
 */

static ngx_int_t
ngx_http_ors_ws_key(ngx_http_request_t *r, ngx_str_t *key)
{
    ngx_str_t                 origin, version;
    ngx_table_elt_t          *host;
    ngx_http_ors_loc_conf_t  *olcf;

    /* a body would be taken for frames */

    if (r->headers_in.content_length_n > 0 || r->headers_in.chunked
        || ngx_http_ors_ws_header(r, "origin", &origin) != NGX_OK
        || ngx_http_ors_ws_header(r, "sec-websocket-key", key) != NGX_OK
        || ngx_http_ors_ws_header(r, "sec-websocket-version", &version)
           != NGX_OK)
    {
        return NGX_HTTP_BAD_REQUEST;
    }

    if (version.len != 2 || ngx_strncmp(version.data, "13", 2) != 0) {
        return ngx_ors_header_text(&r->headers_out.headers,
                                   "Sec-WebSocket-Version",
                                   "sec-websocket-version", "13")
               ? ngx_http_ors_upgrade_refuse(r)
               : NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (key->len != NGX_HTTP_ORS_WS_KEY) {
        return NGX_HTTP_BAD_REQUEST;
    }

    /*
     * A browser lets a page of any site open a WebSocket, with the cookies of
     * its user, and asks for no permission as it does for a POST of JSON
     */

    olcf = ngx_http_get_module_loc_conf(r, ngx_http_open_responses_module);
    host = r->headers_in.host;

    if (origin.data == NULL || olcf->ws.any_origin
        || (host && ngx_ors_header_same_origin(&origin, &host->value)))
    {
        return NGX_OK;
    }

    ngx_log_error(NGX_LOG_INFO, r->connection->log, 0,
                  "a WebSocket is refused: its Origin is another host");

    return NGX_HTTP_FORBIDDEN;
}


/*
 * NGX_DECLINED: the header comes twice (RFC 6455, 11.3), and the one that is
 * read might be the one that nobody else sees
 */

static ngx_int_t
ngx_http_ors_ws_header(ngx_http_request_t *r, char *name, ngx_str_t *value)
{
    ngx_uint_t            n;
    ngx_table_elt_t      *h;
    ngx_ors_header_at_t   at;

    ngx_str_null(value);
    n = 0;

    ngx_ors_header_each(h, &r->headers_in.headers, &at) {
        if (ngx_ors_same_case(&h->key, name)) {
            *value = h->value;
            n++;
        }
    }

    if (n < 2) {
        return NGX_OK;
    }

    ngx_log_error(NGX_LOG_INFO, r->connection->log, 0,
                  "a WebSocket is refused: it has header \"%s\" %ui times",
                  name, n);

    return NGX_DECLINED;
}


/* sends the answer to "key"; the return codes are those of nginx's filters */

static ngx_int_t
ngx_http_ors_ws_switch(ngx_http_request_t *r, ngx_str_t *key)
{
    u_char                     hash[20];
    ngx_int_t                  rc;
    ngx_str_t                  raw, accept;
    ngx_sha1_t                 sha1;
    ngx_http_core_loc_conf_t  *clcf;

    static ngx_str_t  magic =
        ngx_string("258EAFA5-E" "914-47DA-95CA-C5AB0DC85B11");

    accept.data = ngx_pnalloc(r->pool, NGX_HTTP_ORS_WS_ACCEPT);
    if (accept.data == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_sha1_init(&sha1);
    ngx_sha1_update(&sha1, key->data, key->len);
    ngx_sha1_update(&sha1, magic.data, magic.len);
    ngx_sha1_final(hash, &sha1);

    raw.data = hash;
    raw.len = sizeof(hash);

    ngx_encode_base64(&accept, &raw);

    if (ngx_ors_header_add(&r->headers_out.headers, "Sec-WebSocket-Accept",
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

    if (ngx_http_send_special(r, NGX_HTTP_FLUSH) == NGX_ERROR) {
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


/* life time, idle time, and a sign of life */

static void
ngx_http_ors_ws_tick(ngx_http_ors_ws_t *ws)
{
    ngx_uint_t       idle;
    ngx_msec_t       now, heartbeat;
    ngx_ors_error_t  err;

    now = ngx_current_msec;
    idle = ngx_ors_lanes_idle(&ws->lanes);
    heartbeat = ws->conf->heartbeat;

    if (!ws->lanes.over && now - ws->started >= ws->conf->ws.lifetime) {
        ws->lanes.over = 1;

        if (idle && !ws->closing) {
            ngx_ors_lanes_over(&err, ws->request->pool);
            ngx_http_ors_ws_error(ws, &err, NULL, NULL, ws->request->pool);
        }

    } else if (idle && !ws->closing
               && now - ws->active >= ws->conf->ws.idle)
    {
        ngx_http_ors_ws_close(ws, NGX_ORS_WS_NORMAL);

    } else if (heartbeat && now - ws->heard >= 3 * heartbeat
               && !ws->closing && !ngx_http_ors_ws_full(ws))
    {
        ngx_log_error(NGX_LOG_INFO, ws->request->connection->log, 0,
                      "client of a WebSocket answers no ping");

        ngx_http_ors_ws_finalize(ws, NGX_HTTP_REQUEST_TIME_OUT);
        return;

    } else if (heartbeat && now - ws->heard >= heartbeat && !ws->closing) {
        ngx_ors_ws_ping(ws->codec);
    }

    ngx_add_timer(&ws->timer, ngx_http_ors_ws_due(ws));

    ngx_http_ors_ws_post(ws);
}


/* time until something may be due, 1 ms at least: later it may be longer */

static ngx_msec_t
ngx_http_ors_ws_due(ngx_http_ors_ws_t *ws)
{
    ngx_msec_t  now, due;

    now = ngx_current_msec;
    due = ws->conf->ws.idle;

    if (ngx_ors_lanes_idle(&ws->lanes)) {
        due = ws->active + ws->conf->ws.idle - now;
    }

    if (!ws->lanes.over) {
        due = ngx_min(due, ws->started + ws->conf->ws.lifetime - now);
    }

    if (ws->conf->heartbeat) {
        due = ngx_min(due, ws->conf->heartbeat);
    }

    return ngx_max(due, 1);
}


/* Output of a WebSocket. */


void
ngx_http_ors_ws_error(ngx_http_ors_ws_t *ws, ngx_ors_error_t *err,
    ngx_str_t *lane, ngx_str_t *retry, ngx_pool_t *pool)
{
    ngx_ors_out_t  out;

    static ngx_str_t  nothing = ngx_null_string;

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, ws->request->connection->log, 0,
                   "ors ws: error %V, %ui", &err->code, err->status);

    ngx_ors_out_init(&out, pool, NGX_HTTP_ORS_BLOCK);
    ngx_ors_client_event_error(&out, err, lane ? lane : &nothing,
                               retry ? retry : &nothing);

    /* without memory the connection ends when its output is taken */

    if (ngx_ors_ws_out(ws->codec, &out) != NGX_OK) {
        ws->out.failed = 1;
    }
}


void
ngx_http_ors_ws_post(ngx_http_ors_ws_t *ws)
{
    if (!ws->done) {
        ngx_post_event(&ws->work, &ngx_posted_events);
    }
}
