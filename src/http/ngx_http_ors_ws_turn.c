
/*
 * Copyright (C) Open Responses contributors
 */


/* The turns of a WebSocket: a message becomes a request of its own. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_detach.h>
#include <ngx_http_ors_ws.h>


/* when a turn may be tried again, ms: as HTTP says it for the same limits */
#define NGX_HTTP_ORS_WS_SOON    1000
#define NGX_HTTP_ORS_WS_LATER  10000


static ngx_http_ors_ws_turn_t *ngx_http_ors_ws_turn_create(ngx_http_ors_ws_t
    *ws, ngx_ors_client_event_t *ev);
static ngx_int_t ngx_http_ors_ws_turn_members(ngx_http_ors_ws_turn_t *t,
    ngx_str_t *lane, ngx_pool_t *pool);
static ngx_int_t ngx_http_ors_ws_turn_admit(ngx_http_ors_ws_t *ws,
    ngx_ors_client_event_t *ev, ngx_ors_lane_cache_t *cache);
static void ngx_http_ors_ws_turn_lost(ngx_http_ors_ws_t *ws,
    ngx_ors_client_event_t *ev);
static void ngx_http_ors_ws_turn_cleanup(void *data);
static ngx_int_t ngx_http_ors_ws_turn_cache(ngx_http_ors_ws_turn_t *t);
static ngx_int_t ngx_http_ors_ws_turn_hold(ngx_http_ors_ws_t *ws);
static void ngx_http_ors_ws_turn_release(ngx_http_ors_ws_turn_t *t);


void
ngx_http_ors_ws_turn(ngx_http_ors_ws_t *ws, ngx_ors_client_event_t *ev)
{
    ngx_ors_stats_t         *stats;
    ngx_connection_t        *c;
    ngx_http_ors_ws_turn_t  *t;

    t = ngx_http_ors_ws_turn_create(ws, ev);
    if (t == NULL) {
        ngx_http_ors_ws_turn_lost(ws, ev);
        return;
    }

    c = t->ctx->request->connection;

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, ws->request->connection->log, 0,
                   "ors ws: turn begins as *%uA", c->number);

    stats = ngx_http_ors_stats(t->ctx->request);
    ngx_ors_stats_count(stats, ngx_ors_stats_request_checked);
    ngx_ors_stats_count(stats, ngx_ors_stats_ws_turn);

    if (ws->begin(t->ctx) != NGX_OK) {
        ngx_http_ors_detach_end(c->data);
    }

    ngx_http_run_posted_requests(c);
}


/* request_body as nginx leaves it when a body has been read */

static ngx_http_ors_ws_turn_t *
ngx_http_ors_ws_turn_create(ngx_http_ors_ws_t *ws, ngx_ors_client_event_t *ev)
{
    ngx_str_t                body;
    ngx_http_cleanup_t      *cln;
    ngx_http_request_t      *r;
    ngx_http_ors_ctx_t      *ctx;
    ngx_http_ors_ws_turn_t  *t;
    ngx_ors_lane_cache_t    *cache;

    cache = ngx_ors_lanes_find(&ws->lanes, &ev->previous);

    if (ngx_http_ors_ws_turn_admit(ws, ev, cache) != NGX_OK) {
        return NULL;
    }

    if (ngx_ors_client_event_body(ev, cache ? &cache->items : NULL,
                                  cache ? cache->nitems : 0, ev->pool, &body)
        != NGX_OK)
    {
        return NULL;
    }

    r = ngx_http_ors_detach(ws->request, &body);
    if (r == NULL) {
        return NULL;
    }

    r->method = NGX_HTTP_POST;
    ngx_str_set(&r->method_name, "POST");
    r->request_length = ev->text.len;

    /* the request has a copy of its body: the event needs no text any more */

    ngx_ors_client_event_forget(ev);
    (void) ngx_pfree(ev->pool, ev->text.data);
    (void) ngx_pfree(ev->pool, body.data);

    r->connection->log->action = "serving a message of a WebSocket";

    t = ngx_pcalloc(r->pool, sizeof(ngx_http_ors_ws_turn_t));
    ctx = ngx_http_ors_ctx_create(r);
    cln = ngx_http_cleanup_add(r, 0);

    if (t == NULL || ctx == NULL || cln == NULL
        || ngx_http_ors_ws_turn_members(t, &ev->lane, r->pool) != NGX_OK)
    {
        r->logged = 1;

        ngx_http_ors_detach_end(r);
        ngx_http_run_posted_requests(r->connection);

        return NULL;
    }

    t->ws = ws;
    t->ctx = ctx;
    t->event = ev;

    cln->handler = ngx_http_ors_ws_turn_cleanup;
    cln->data = t;

    ngx_queue_insert_tail(&ws->turns, &t->queue);

    ctx->conf = ws->conf;
    ctx->endpoint = ws->endpoint;
    ctx->message = t;

    return t;
}


/*
 * NGX_OK: there are connections for the turn, and it holds its copy of a
 * response; else it does not begin
 */

static ngx_int_t
ngx_http_ors_ws_turn_admit(ngx_http_ors_ws_t *ws, ngx_ors_client_event_t *ev,
    ngx_ors_lane_cache_t *cache)
{
    ngx_int_t                  rc;
    ngx_ors_background_load_t  load;

    ngx_http_ors_detach_connections(&load);

    if (ngx_ors_background_reserve(&load, ws->request->connection->log)
        != NGX_OK)
    {
        (void) ngx_ors_error_set(&ev->error, ev->pool,
                                 ngx_ors_code_rate_limit_exceeded,
                                 "too many responses run, try again later");
        ev->error.retry = NGX_HTTP_ORS_WS_LATER;

        return NGX_BUSY;
    }

    if (cache == NULL) {
        return NGX_OK;
    }

    ev->held = cache->items.len;
    ws->lanes.held += ev->held;

    rc = ngx_http_ors_ws_turn_hold(ws);

    if (rc == NGX_BUSY) {
        (void) ngx_ors_error_set(&ev->error, ev->pool,
                                 ngx_ors_code_rate_limit_exceeded,
                                 "your requests that run hold too much of "
                                 "conversations, try again when one has "
                                 "ended");
        ev->error.retry = NGX_HTTP_ORS_WS_SOON;
    }

    return rc;
}


/* of a named lane each message says so */

static ngx_int_t
ngx_http_ors_ws_turn_members(ngx_http_ors_ws_turn_t *t, ngx_str_t *lane,
    ngx_pool_t *pool)
{
    size_t   size;
    u_char  *p;

    if (lane->len == 0) {
        return NGX_OK;
    }

    size = sizeof(",\"stream_id\":\"\"") - 1 + lane->len;

    p = ngx_pnalloc(pool, size);
    if (p == NULL) {
        return NGX_ERROR;
    }

    t->members.data = p;
    t->members.len = ngx_sprintf(p, ",\"stream_id\":\"%V\"", lane) - p;

    return NGX_OK;
}


void
ngx_http_ors_ws_prepare(ngx_http_ors_ctx_t *ctx)
{
    ngx_str_t                previous;
    ngx_http_ors_ws_turn_t  *t;

    t = ctx->message;

    ctx->turn->messages = 1;
    ctx->turn->out.messages = 1;

    if (t->event->prior == 0) {
        return;
    }

    /* the event does not live as long as the turn */

    previous.len = t->event->previous.len;
    previous.data = ngx_pstrdup(ctx->request->pool, &t->event->previous);

    if (previous.data) {
        ctx->turn->response.previous = previous;
    }
}


static void
ngx_http_ors_ws_turn_lost(ngx_http_ors_ws_t *ws, ngx_ors_client_event_t *ev)
{
    ngx_ors_lanes_failed(&ws->lanes, ev);
    (void) ngx_http_ors_ws_turn_hold(ws);

    if (ev->error.status == 0) {
        ngx_http_ors_error_of(ws->request, NGX_HTTP_INTERNAL_SERVER_ERROR,
                              &ev->error);
    }

    ngx_http_ors_stats_error(ws->request, &ev->error);
    ngx_http_ors_ws_error(ws, &ev->error, &ev->lane, NULL, ev->pool);

    ngx_destroy_pool(ev->pool);

    ngx_http_ors_ws_post(ws);
}


/* the request ends: of itself, or with the connection */

static void
ngx_http_ors_ws_turn_cleanup(void *data)
{
    ngx_http_ors_ws_turn_t *t = data;

    ngx_http_ors_ws_t  *ws;

    ws = t->ws;

    if (ws == NULL) {
        return;
    }

    if (t->event) {

        /* for lack of memory, or as the worker does not wait any longer */

        ngx_http_ors_ws_turn_lost(ws, t->event);
        t->event = NULL;
    }

    ngx_queue_remove(&t->queue);
    t->ws = NULL;
}


void
ngx_http_ors_ws_turns_wake(ngx_http_ors_ws_t *ws)
{
    ngx_queue_t             *q, *next;
    ngx_connection_t        *c;
    ngx_http_request_t      *r;
    ngx_http_ors_ws_turn_t  *t;

    for (q = ngx_queue_head(&ws->turns);
         q != ngx_queue_sentinel(&ws->turns) && !ngx_http_ors_ws_full(ws);
         q = next)
    {
        next = ngx_queue_next(q);

        t = ngx_queue_data(q, ngx_http_ors_ws_turn_t, queue);
        r = t->ctx->request;
        c = r->connection;

        if (t->in == NULL) {
            continue;
        }

        ngx_http_set_log_request(c->log, r);

        r->write_event_handler(r);

        ngx_http_run_posted_requests(c);
    }
}


void
ngx_http_ors_ws_turns_end(ngx_http_ors_ws_t *ws)
{
    ngx_queue_t             *q;
    ngx_connection_t        *c;
    ngx_http_ors_ws_turn_t  *t;

    while (!ngx_queue_empty(&ws->turns)) {
        q = ngx_queue_head(&ws->turns);
        t = ngx_queue_data(q, ngx_http_ors_ws_turn_t, queue);
        c = t->ctx->request->connection;

        if (t->event) {
            ngx_ors_lanes_failed(&ws->lanes, t->event);
            ngx_http_ors_ws_turn_release(t);
        }

        ngx_queue_remove(q);
        t->ws = NULL;

        ngx_http_ors_detach_end(t->ctx->request);
        ngx_http_run_posted_requests(c);
    }
}


void
ngx_http_ors_ws_turn_over(ngx_http_ors_ws_turn_t *t)
{
    ngx_ors_turn_t     *turn;
    ngx_http_ors_ws_t  *ws;

    ws = t->ws;
    turn = t->ctx->turn;

    if (!t->terminal) {

        /* nothing but an error, or a stream that was "error" alone */

        if (turn->error.status == 0) {
            ngx_http_ors_error_of(t->ctx->request, NGX_HTTP_BAD_GATEWAY,
                                  &turn->error);
        }

        turn->response.status = ngx_ors_response_failed;
        ngx_http_ors_ws_turn_error(t);
    }

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, ws->request->connection->log, 0,
                   "ors ws: turn *%uA has ended, status %d",
                   t->ctx->request->connection->number,
                   turn->response.status);

    if (turn->status >= NGX_HTTP_SPECIAL_RESPONSE
        || turn->response.status == ngx_ors_response_failed)
    {
        ngx_ors_lanes_failed(&ws->lanes, t->event);
        (void) ngx_http_ors_ws_turn_hold(ws);

    } else if (ngx_http_ors_ws_turn_cache(t) != NGX_OK
               || ngx_http_ors_ws_turn_hold(ws) != NGX_OK)
    {
        ngx_log_error(NGX_LOG_WARN, t->ctx->request->connection->log, 0,
                      "response of a WebSocket cannot be continued");

        ngx_ors_lanes_drop(&ws->lanes, &turn->response.id);
        (void) ngx_http_ors_ws_turn_hold(ws);
    }

    ws->active = ngx_current_msec;

    ngx_http_ors_ws_turn_release(t);
    ngx_http_ors_ws_post(ws);
}


/*
 * The context of a response that is not stored stays in the connection, unless
 * a turn of a store could not load as much
 */

static ngx_int_t
ngx_http_ors_ws_turn_cache(ngx_http_ors_ws_turn_t *t)
{
    ngx_int_t           rc;
    ngx_str_t           items;
    ngx_uint_t          n;
    ngx_ors_turn_t     *turn;
    ngx_http_ors_ws_t  *ws;

    ws = t->ws;
    turn = t->ctx->turn;

    if (turn->response.stored
        || !ngx_ors_turn_translates(turn, turn->dialect))
    {
        return ngx_ors_lanes_done(&ws->lanes, t->event, &turn->response.id,
                                  NULL, 0);
    }

    n = 0;

    rc = ngx_ors_turn_items(turn, &items, &n);

    if (rc == NGX_OK && items.len > ws->conf->limits.context) {
        rc = NGX_DECLINED;
    }

    if (ngx_ors_lanes_done(&ws->lanes, t->event, &turn->response.id,
                           (rc == NGX_OK) ? &items : NULL, n)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    return rc;
}


/*
 * The lanes count with what the client's requests hold, and the copies of turns
 * that run as far as they are more than the lanes: a connection has at most
 * twice what counts.  A conversation that became shorter always may.  NGX_OK,
 * NGX_BUSY or NGX_ERROR.
 */

static ngx_int_t
ngx_http_ors_ws_turn_hold(ngx_http_ors_ws_t *ws)
{
    u_char     *scope;
    ngx_int_t   rc;

    if (ws->conf->stored.store) {
        rc = ngx_http_ors_scope_store(ws->ctx);
        scope = ws->ctx->owner;

    } else {
        rc = ngx_http_ors_scope(ws->ctx);
        scope = ws->ctx->scope;
    }

    ngx_http_ors_hold_init(ws->ctx, &ws->hold);

    return (rc == NGX_OK) ? ngx_ors_hold(&ws->hold, scope,
                                         ngx_max(ws->lanes.size,
                                                 ws->lanes.held))
                          : NGX_ERROR;
}


static void
ngx_http_ors_ws_turn_release(ngx_http_ors_ws_turn_t *t)
{
    ngx_destroy_pool(t->event->pool);
    t->event = NULL;
}
