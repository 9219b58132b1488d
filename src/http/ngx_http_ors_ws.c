
/*
 * Copyright (C) Open Responses contributors
 */


/* A WebSocket connection: it is opened, has work to do, and ends. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_ws.h>


#define NGX_HTTP_ORS_WS_BLOCK   4096


static ngx_http_ors_ws_t *ngx_http_ors_ws_create(ngx_http_request_t *r);
static void ngx_http_ors_ws_event_handler(ngx_event_t *ev);
static void ngx_http_ors_ws_write_handler(ngx_http_request_t *r);
static void ngx_http_ors_ws_work_handler(ngx_event_t *ev);
static void ngx_http_ors_ws_work(ngx_http_ors_ws_t *ws);
static ngx_uint_t ngx_http_ors_ws_sent(ngx_http_ors_ws_t *ws);
static ngx_int_t ngx_http_ors_ws_flush(ngx_http_ors_ws_t *ws);
static void ngx_http_ors_ws_cleanup(void *data);


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
    ngx_http_ors_event_init(&ws->timer, ngx_http_ors_ws_timer_handler, ws, r);

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
    ngx_uint_t               idle;
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

    idle = ngx_ors_lanes_idle(&ws->lanes);

    if (idle && !ws->closing
        && (ngx_exiting || ngx_terminate || ws->lanes.over))
    {
        ngx_http_ors_ws_close(ws, NGX_ORS_WS_GOING_AWAY);
    }

    if (ngx_http_ors_ws_flush(ws) != NGX_OK) {
        return;
    }

    if (!ws->closing) {
        ngx_http_ors_ws_turns_wake(ws);
        idle = ngx_ors_lanes_idle(&ws->lanes);
    }

    /* nginx closes an idle connection when its worker is to leave */

    c->idle = (idle && !ws->closing && ngx_http_ors_ws_sent(ws));

    if (ws->out.size) {
        ngx_http_ors_ws_post(ws);
        return;
    }

    if (ws->closing && ngx_http_ors_ws_sent(ws)) {
        ngx_http_ors_ws_finalize(ws, NGX_OK);
    }
}


static ngx_uint_t
ngx_http_ors_ws_sent(ngx_http_ors_ws_t *ws)
{
    return ws->out.size == 0 && ws->pump.queue.busy == NULL
           && !ws->request->connection->buffered;
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
            ws->heard = ngx_current_msec;
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


/* writes the close frame; turns that run are of no use to the client */

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
        ngx_http_ors_metrics_websocket(ws->request, -1);
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
