
/*
 * Copyright (C) Open Responses contributors
 */


/* A WebSocket connection: its bytes in both directions, and its end. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_ws.h>


#define NGX_HTTP_ORS_WS_BLOCK   4096

/* bytes read at once */
#define NGX_HTTP_ORS_WS_READ    16384


static ngx_http_ors_ws_t *ngx_http_ors_ws_create(ngx_http_request_t *r);
static void ngx_http_ors_ws_event_handler(ngx_event_t *ev);
static void ngx_http_ors_ws_read_handler(ngx_http_request_t *r);
static ngx_int_t ngx_http_ors_ws_read(ngx_http_ors_ws_t *ws);
static void ngx_http_ors_ws_write_handler(ngx_http_request_t *r);
static ngx_http_ors_ws_t *ngx_http_ors_ws_of(ngx_http_request_t *r);
static ngx_int_t ngx_http_ors_ws_feed(ngx_http_ors_ws_t *ws, u_char *data,
    size_t len);
static ngx_int_t ngx_http_ors_ws_message(ngx_http_ors_ws_t *ws);
static ngx_int_t ngx_http_ors_ws_create_event(ngx_http_ors_ws_t *ws,
    ngx_ors_client_event_t *ev);
static void ngx_http_ors_ws_violated(ngx_http_ors_ws_t *ws);
static void ngx_http_ors_ws_work_handler(ngx_event_t *ev);
static void ngx_http_ors_ws_work(ngx_http_ors_ws_t *ws);
static ngx_int_t ngx_http_ors_ws_flush(ngx_http_ors_ws_t *ws);
static void ngx_http_ors_ws_timer_handler(ngx_event_t *ev);
static void ngx_http_ors_ws_tick(ngx_http_ors_ws_t *ws);
static ngx_msec_t ngx_http_ors_ws_due(ngx_http_ors_ws_t *ws);
static void ngx_http_ors_ws_close(ngx_http_ors_ws_t *ws, ngx_uint_t code);
static void ngx_http_ors_ws_finalize(ngx_http_ors_ws_t *ws, ngx_int_t rc);
static void ngx_http_ors_ws_cleanup(void *data);


static ngx_str_t  ngx_http_ors_ws_nothing = ngx_null_string;


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
    ngx_http_ors_metrics_websocket(r, 1);
    ws->opened = 1;

    r->main->count++;

    r->read_event_handler = ngx_http_ors_ws_read_handler;
    r->write_event_handler = ngx_http_ors_ws_write_handler;

    ws->handler = c->read->handler;

    c->read->handler = ngx_http_ors_ws_event_handler;
    c->write->handler = ngx_http_ors_ws_event_handler;

    c->log->action = "serving a WebSocket";

    ngx_add_timer(&ws->timer, ngx_http_ors_ws_due(ws));

    /* what came with the handshake, and what is in the socket */

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
    ctx = ngx_pcalloc(r->pool, sizeof(ngx_http_ors_ctx_t));

    if (ws == NULL || ctx == NULL) {
        return NULL;
    }

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    ws->request = r;
    ws->conf = ngx_http_get_module_loc_conf(r, ngx_http_open_responses_module);

    ngx_ors_out_init(&ws->out, r->pool, NGX_HTTP_ORS_WS_BLOCK);

    ws->codec = ngx_ors_ws_create(r->pool, &ws->out,
                                  ws->conf->ws.message
                                  ? ws->conf->ws.message
                                  : (size_t) clcf->client_max_body_size,
                                  ngx_ors_ws_serves);

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

    ws->work.handler = ngx_http_ors_ws_work_handler;
    ws->work.data = ws;
    ws->work.log = r->connection->log;

    ws->timer.handler = ngx_http_ors_ws_timer_handler;
    ws->timer.data = ws;
    ws->timer.log = r->connection->log;

    ws->started = ngx_current_msec;
    ws->active = ngx_current_msec;
    ws->heard = ngx_current_msec;

    cln = ngx_http_cleanup_add(r, 0);
    if (cln == NULL) {
        return NULL;
    }

    cln->handler = ngx_http_ors_ws_cleanup;
    cln->data = ws;

    ctx->request = r;
    ctx->socket = ws;

    ngx_http_set_ctx(r, ctx, ngx_http_open_responses_module);

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

    if (c->close) {

        if (c->idle && !ws->closing) {
            ngx_http_ors_ws_close(ws, NGX_ORS_WS_GOING_AWAY);
            ngx_http_ors_ws_work(ws);

        } else {
            ngx_http_ors_ws_finalize(ws, NGX_HTTP_CLOSE);
        }

    } else if (ev->write) {
        r->write_event_handler(r);

    } else {
        r->read_event_handler(r);
    }

    ngx_http_run_posted_requests(c);
}


static ngx_http_ors_ws_t *
ngx_http_ors_ws_of(ngx_http_request_t *r)
{
    ngx_http_ors_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_open_responses_module);

    return ctx->socket;
}


static void
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
        ngx_http_ors_ws_error(ws, &ev->error, &ev->lane,
                              &ngx_http_ors_ws_nothing, ev->pool);
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


/* a client whose message was too long learns it by a message, too */

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
        ngx_http_ors_ws_error(ws, &err, &ngx_http_ors_ws_nothing,
                              &ngx_http_ors_ws_nothing, ws->request->pool);
    }

    ngx_http_ors_ws_close(ws, code);
}


void
ngx_http_ors_ws_error(ngx_http_ors_ws_t *ws, ngx_ors_error_t *err,
    ngx_str_t *lane, ngx_str_t *retry, ngx_pool_t *pool)
{
    ngx_ors_out_t  out;

    ngx_ors_out_init(&out, pool, NGX_HTTP_ORS_BLOCK);
    ngx_ors_client_event_error(&out, err, lane, retry);

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


ngx_uint_t
ngx_http_ors_ws_full(ngx_http_ors_ws_t *ws)
{
    return ngx_ors_queue_full(&ws->pump.queue);
}


static void
ngx_http_ors_ws_work_handler(ngx_event_t *ev)
{
    ngx_connection_t   *c;
    ngx_http_ors_ws_t  *ws;

    ws = ev->data;
    c = ws->request->connection;

    ngx_http_set_log_request(c->log, ws->request);

    ngx_http_ors_ws_work(ws);

    ngx_http_run_posted_requests(c);
}


/*
 * The only place where turns begin, where output is sent and where the
 * connection ends of itself: no turn is on the stack then
 */

static void
ngx_http_ors_ws_work(ngx_http_ors_ws_t *ws)
{
    ngx_connection_t        *c;
    ngx_ors_client_event_t  *ev;

    c = ws->request->connection;

    while (!ws->closing) {
        ev = ngx_ors_lanes_next(&ws->lanes);

        if (ev == NULL) {
            break;
        }

        ngx_http_ors_ws_turn(ws, ev);
    }

    if (ngx_http_ors_ws_flush(ws) != NGX_OK) {
        return;
    }

    if (!ws->closing) {
        ngx_http_ors_ws_turns_wake(ws);
    }

    /* an idle connection does not hold back a worker that is to leave */

    c->idle = ngx_ors_lanes_idle(&ws->lanes);

    if (c->idle && !ws->closing && (ngx_exiting || ngx_terminate)) {
        ngx_http_ors_ws_close(ws, NGX_ORS_WS_GOING_AWAY);
    }

    if (c->idle && !ws->closing && ws->lanes.over) {
        ngx_http_ors_ws_close(ws, NGX_ORS_WS_GOING_AWAY);
    }

    if (ws->out.size) {
        ngx_http_ors_ws_post(ws);
        return;
    }

    if (ws->closing && ws->pump.queue.busy == NULL && !c->buffered) {
        ngx_http_ors_ws_finalize(ws, NGX_OK);
    }
}


/* NGX_OK, or NGX_DONE: the connection has been finalized */

static ngx_int_t
ngx_http_ors_ws_flush(ngx_http_ors_ws_t *ws)
{
    ngx_int_t                  rc;
    ngx_uint_t                 full;
    ngx_event_t               *wev;
    ngx_connection_t          *c;
    ngx_http_request_t        *r;
    ngx_http_core_loc_conf_t  *clcf;

    r = ws->request;
    c = r->connection;
    wev = c->write;

    full = ngx_http_ors_ws_full(ws);

    rc = ngx_http_ors_pump_send(&ws->pump, 0);

    if (rc == NGX_ERROR) {
        ngx_http_ors_ws_finalize(ws, NGX_HTTP_CLIENT_CLOSED_REQUEST);
        return NGX_DONE;
    }

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    if (r->buffered || c->buffered) {

        /* a client that takes something, however slowly, is there */

        if (!wev->delayed && (!wev->timer_set || ws->sent != c->sent)) {
            ws->sent = c->sent;
            ngx_add_timer(wev, clcf->send_timeout);
        }

        if (ngx_handle_write_event(wev, clcf->send_lowat) != NGX_OK) {
            ngx_http_ors_ws_finalize(ws, NGX_HTTP_CLOSE);
            return NGX_DONE;
        }

    } else if (wev->timer_set && !wev->delayed) {
        ngx_del_timer(wev);
    }

    if (full && !ngx_http_ors_ws_full(ws) && !ws->closing) {
        ngx_post_event(c->read, &ngx_posted_events);
    }

    return NGX_OK;
}


static void
ngx_http_ors_ws_timer_handler(ngx_event_t *ev)
{
    ngx_connection_t   *c;
    ngx_http_ors_ws_t  *ws;

    ws = ev->data;
    c = ws->request->connection;

    ngx_http_set_log_request(c->log, ws->request);

    ngx_http_ors_ws_tick(ws);

    ngx_http_run_posted_requests(c);
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
            ngx_http_ors_ws_error(ws, &err, &ngx_http_ors_ws_nothing,
                                  &ngx_http_ors_ws_nothing,
                                  ws->request->pool);
        }

    } else if (idle && !ws->closing
               && now - ws->active >= ws->conf->ws.idle)
    {
        ngx_http_ors_ws_close(ws, NGX_ORS_WS_NORMAL);

    } else if (heartbeat && now - ws->heard >= 3 * heartbeat
               && !ngx_http_ors_ws_full(ws))
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


/* time until something may be due: later the answer may be another one */

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


/* writes the close frame; turns that run are of no use to the client */

static void
ngx_http_ors_ws_close(ngx_http_ors_ws_t *ws, ngx_uint_t code)
{
    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, ws->request->connection->log, 0,
                   "ors ws: closing with %ui", code);

    ngx_ors_ws_close(ws->codec, code);

    ws->closing = 1;

    ngx_http_ors_ws_turns_end(ws);

    ngx_http_ors_ws_post(ws);
}


static void
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
        ngx_http_ors_metrics_websocket(ws->request, -1);
    }

    if (ws->work.posted) {
        ngx_delete_posted_event(&ws->work);
    }

    if (ws->timer.timer_set) {
        ngx_del_timer(&ws->timer);
    }

    ngx_http_ors_ws_turns_end(ws);

    while (!ngx_queue_empty(&ws->lanes.waiting)) {
        q = ngx_queue_head(&ws->lanes.waiting);
        ngx_queue_remove(q);

        ev = ngx_queue_data(q, ngx_ors_client_event_t, queue);

        ngx_destroy_pool(ev->pool);
    }

    ngx_ors_hold_release(&ws->hold);
}
