
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The turns of a WebSocket: a frame of the client becomes a message, a message
 * becomes a detached request, and its events become messages.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_ws.h>
#include <ngx_ors_ws.h>
#include <ngx_ors_text.h>
#include <ngx_ors_error.h>


/* when a turn may be tried again, ms: as HTTP says it for the same limits */
#define NGX_HTTP_ORS_WS_SOON    1000
#define NGX_HTTP_ORS_WS_LATER  10000

/* bytes read at once */
#define NGX_HTTP_ORS_WS_READ    16384


static ngx_http_ors_ws_turn_t *ngx_http_ors_ws_turn_create(
    ngx_http_ors_ws_t *ws, ngx_ors_client_event_t *ev);
static ngx_int_t ngx_http_ors_ws_turn_admit(ngx_http_ors_ws_t *ws,
    ngx_ors_client_event_t *ev, ngx_ors_lane_cache_t *cache);
static void ngx_http_ors_ws_turn_lost(ngx_http_ors_ws_t *ws,
    ngx_ors_client_event_t *ev);
static void ngx_http_ors_ws_turn_cleanup(void *data);
static void ngx_http_ors_ws_turn_over(ngx_http_ors_ws_turn_t *t);
static ngx_int_t ngx_http_ors_ws_turn_cache(ngx_http_ors_ws_turn_t *t);
static ngx_int_t ngx_http_ors_ws_turn_hold(ngx_http_ors_ws_t *ws);
static ngx_int_t ngx_http_ors_ws_turn_write(ngx_http_request_t *r,
    ngx_chain_t *in);
static ngx_int_t ngx_http_ors_ws_feed(ngx_http_ors_ws_t *ws, u_char *data,
    size_t len);
static ngx_int_t ngx_http_ors_ws_message(ngx_http_ors_ws_t *ws);


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

    if (t == NULL || ctx == NULL || cln == NULL) {
        goto failed;
    }

    /* of a named lane each message says so */

    if (ev->lane.len) {
        t->members.data = ngx_pnalloc(r->pool, ev->lane.len
                                      + sizeof(",\"stream_id\":\"\"") - 1);
        if (t->members.data == NULL) {
            goto failed;
        }

        t->members.len = ngx_sprintf(t->members.data, ",\"stream_id\":\"%V\"",
                                     &ev->lane)
                         - t->members.data;
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

failed:

    r->logged = 1;

    ngx_http_ors_detach_end(r);
    ngx_http_run_posted_requests(r->connection);

    return NULL;
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


void
ngx_http_ors_ws_prepare(ngx_http_ors_ctx_t *ctx)
{
    ngx_str_t                previous;
    ngx_http_ors_ws_turn_t  *t;

    t = ctx->message;

    /* the event does not live as long as the turn */

    if (t->event->prior == 0
        || ngx_ors_str_copy(&previous, ctx->request->pool, &t->event->previous)
           != NGX_OK)
    {
        ngx_str_null(&previous);
    }

    ngx_ors_turn_message(ctx->turn, &previous);
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

            ngx_destroy_pool(t->event->pool);
            t->event = NULL;
        }

        ngx_queue_remove(q);
        t->ws = NULL;

        ngx_http_ors_detach_end(t->ctx->request);
        ngx_http_run_posted_requests(c);
    }
}


/* all that the client gets of the turn has been appended, but for an error */

static void
ngx_http_ors_ws_turn_over(ngx_http_ors_ws_turn_t *t)
{
    ngx_ors_turn_t      *turn;
    ngx_ors_error_t     *err;
    ngx_http_ors_ws_t   *ws;
    ngx_http_ors_ctx_t  *ctx;

    ws = t->ws;
    ctx = t->ctx;
    turn = ctx->turn;

    if (!t->terminal) {

        /* nothing but an error, or a stream that was "error" alone */

        t->terminal = 1;
        ngx_ors_turn_became(turn, ngx_ors_response_failed);
        err = &turn->error;

        if (err->status == 0) {
            ngx_http_ors_error_of(ctx->request, NGX_HTTP_BAD_GATEWAY, err);
        }

        if (!ngx_ors_line_clean(&ctx->retry_after)) {
            ctx->retry_after.len = 0;
        }

        ngx_ors_client_event_param(t->event, err);

        ngx_http_ors_ws_error(ws, err, &t->event->lane, &ctx->retry_after,
                              turn->pool);
    }

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, ws->request->connection->log, 0,
                   "ors ws: turn *%uA has ended, status %d",
                   ctx->request->connection->number, turn->response.status);

    if (turn->status >= NGX_HTTP_SPECIAL_RESPONSE
        || turn->response.status == ngx_ors_response_failed)
    {
        ngx_ors_lanes_failed(&ws->lanes, t->event);
        (void) ngx_http_ors_ws_turn_hold(ws);

    } else if (ngx_http_ors_ws_turn_cache(t) != NGX_OK
               || ngx_http_ors_ws_turn_hold(ws) != NGX_OK)
    {
        ngx_log_error(NGX_LOG_WARN, ctx->request->connection->log, 0,
                      "response of a WebSocket cannot be continued");

        ngx_ors_lanes_drop(&ws->lanes, &turn->response.id);
        (void) ngx_http_ors_ws_turn_hold(ws);
    }

    ws->active = ngx_current_msec;

    ngx_destroy_pool(t->event->pool);
    t->event = NULL;

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
    ngx_str_t           items, *cached;
    ngx_uint_t          n;
    ngx_ors_turn_t     *turn;
    ngx_http_ors_ws_t  *ws;

    ws = t->ws;
    turn = t->ctx->turn;

    n = 0;
    rc = NGX_OK;
    cached = NULL;

    if (!turn->response.stored
        && ngx_ors_turn_translates(turn, turn->dialect))
    {
        rc = ngx_ors_turn_items(turn, &items, &n);

        if (rc == NGX_OK && items.len > ws->conf->limits.context) {
            rc = NGX_DECLINED;
        }

        cached = (rc == NGX_OK) ? &items : NULL;
    }

    return (ngx_ors_lanes_done(&ws->lanes, t->event, &turn->response.id,
                               cached, n)
            == NGX_OK)
           ? rc : NGX_ERROR;
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


/* Output of a WebSocket's turn: its events become messages. */


ngx_int_t
ngx_http_ors_ws_output(ngx_http_ors_ctx_t *ctx)
{
    off_t                   *sent;
    ngx_int_t                rc;
    ngx_ors_out_t           *out;
    ngx_ors_turn_t          *turn;
    ngx_http_ors_ws_turn_t  *t;

    t = ctx->message;
    turn = ctx->turn;

    if (turn->status == 0 || t->ws == NULL || t->event == NULL) {
        return NGX_OK;
    }

    /* there is no header: its status is for logs */

    if (!ctx->header_sent) {
        ctx->header_sent = 1;
        ctx->request->headers_out.status = turn->status;

        ngx_http_ors_metrics_open(ctx, ngx_ors_metrics_streams);

        ctx->pump.write = ngx_http_ors_ws_turn_write;
    }

    if (turn->out.size) {
        ctx->last_output = ngx_current_msec;
    }

    /* the turn's own connection sends nothing: its count is for logs */

    out = &t->ws->out;
    sent = &ctx->request->connection->sent;
    *sent -= out->size;

    rc = NGX_OK;

    /* a document is an error in front of all events */

    if (ngx_ors_mime_is(&turn->type, "text/event-stream")) {
        rc = ngx_http_ors_pump_send(&ctx->pump, 0);
    }

    if (rc != NGX_ERROR && t->in == NULL) {
        rc = NGX_OK;

        if (turn->state == ngx_ors_turn_st_over) {
            ngx_http_ors_ws_turn_over(t);
        }
    }

    *sent += out->size;

    return rc;
}


/* in place of nginx's filters */

static ngx_int_t
ngx_http_ors_ws_turn_write(ngx_http_request_t *r, ngx_chain_t *in)
{
    ngx_chain_t             *cl, *next, *last;
    ngx_http_ors_ctx_t      *ctx;
    ngx_http_ors_ws_turn_t  *t;

    ctx = ngx_http_get_module_ctx(r, ngx_http_open_responses_module);
    t = ctx->message;

    if (ngx_chain_add_copy(r->pool, &t->in, in) != NGX_OK) {
        return NGX_ERROR;
    }

    while (t->in && !ngx_http_ors_ws_full(t->ws)) {
        last = ngx_ors_frame_last(t->in);
        next = last->next;

        switch ((ngx_ors_frame_e) last->buf->num) {

        case ngx_ors_frame_is_terminal:
        case ngx_ors_frame_is_event:

            /* of "error" and "response.failed" only the latter is sent */

            if (!t->terminal) {
                ngx_ors_ws_chain(t->ws->codec, t->in, last, &t->members);
            }

            t->terminal |= (last->buf->num == ngx_ors_frame_is_terminal);
            break;

        case ngx_ors_frame_is_comment:
            ngx_ors_ws_ping(t->ws->codec);
            break;

        case ngx_ors_frame_is_other:
        case ngx_ors_frame_is_part:
            break;
        }

        while (t->in != next) {
            cl = t->in;
            cl->buf->pos = cl->buf->last;

            t->in = cl->next;
            ngx_free_chain(r->pool, cl);
        }
    }

    ngx_http_ors_ws_post(t->ws);

    if (t->in == NULL) {
        r->buffered &= ~NGX_HTTP_ORS_BUFFERED;
        return NGX_OK;
    }

    r->buffered |= NGX_HTTP_ORS_BUFFERED;

    return NGX_AGAIN;
}


/* Input of a WebSocket: frames of its client. */


void
ngx_http_ors_ws_read_handler(ngx_http_request_t *r)
{
    u_char             *buf;
    ssize_t             n;
    ngx_int_t           rc;
    ngx_buf_t          *b;
    ngx_connection_t   *c;
    ngx_http_ors_ws_t  *ws;

    c = r->connection;
    ws = ngx_http_ors_ws_of(r);

    b = r->header_in;
    n = b->last - b->pos;

    if (n) {
        b->pos = b->last;

        if (ngx_http_ors_ws_feed(ws, b->last - n, n) != NGX_OK) {
            return;
        }
    }

    /* on the stack it would be cleared for each read, see Makefile */

    buf = ngx_alloc(NGX_HTTP_ORS_WS_READ, c->log);
    if (buf == NULL) {
        ngx_http_ors_ws_finalize(ws, NGX_HTTP_INTERNAL_SERVER_ERROR);
        return;
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

    if (rc != NGX_OK) {
        return;
    }

    if (ngx_handle_read_event(c->read, 0) != NGX_OK) {
        ngx_http_ors_ws_finalize(ws, NGX_HTTP_CLOSE);
        return;
    }

    ngx_http_ors_ws_post(ws);
}


/* NGX_OK: the connection may go on; NGX_DONE: it has been finalized */

static ngx_int_t
ngx_http_ors_ws_feed(ngx_http_ors_ws_t *ws, u_char *data, size_t len)
{
    ngx_int_t        rc;
    ngx_buf_t        b;
    ngx_ors_error_t  err;

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

        case NGX_DECLINED:
            ngx_log_error(NGX_LOG_INFO, ws->request->connection->log, 0,
                          "client sent invalid WebSocket frames, closing "
                          "with %ui", ws->codec->code);

            /* a client whose message was too long learns it by a message */

            if (ws->codec->code == NGX_ORS_WS_TOO_LARGE) {
                ngx_http_ors_error_of(ws->request,
                                      NGX_HTTP_REQUEST_ENTITY_TOO_LARGE, &err);
                ngx_http_ors_ws_error(ws, &err, NULL, NULL, ws->request->pool);
            }

            /* fall through */

        case NGX_DONE:
            ngx_http_ors_ws_close(ws, ws->codec->code);
            break;

        default: /* NGX_ERROR */
            ngx_http_ors_ws_finalize(ws, NGX_HTTP_INTERNAL_SERVER_ERROR);
            return NGX_DONE;
        }
    }

    ngx_http_ors_ws_post(ws);

    return NGX_OK;
}


/* an event that waits for its turn keeps the memory of the message */

static ngx_int_t
ngx_http_ors_ws_message(ngx_http_ors_ws_t *ws)
{
    ngx_int_t                rc;
    ngx_str_t                text;
    ngx_pool_t              *pool;
    ngx_ors_out_t            out;
    ngx_ors_client_event_t  *ev;

    text = ws->codec->text;
    pool = ws->codec->pool;

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, ws->request->connection->log, 0,
                   "ors ws: message of %uz bytes", text.len);

    ev = ngx_palloc(pool, sizeof(ngx_ors_client_event_t));

    if (ev == NULL
        || ngx_ors_client_event_read(ev, &text, ws->conf->limits.depth,
                                     ws->conf->limits.nodes,
                                     ws->conf->ws.lanes, pool)
           != NGX_OK)
    {
        ngx_destroy_pool(pool);
        return NGX_ERROR;
    }

    rc = NGX_DECLINED;

    switch (ev->type) {

    case ngx_ors_client_create:
        rc = ngx_ors_lanes_add(&ws->lanes, ev);

        if (rc == NGX_OK) {
            return NGX_OK;
        }

        if (rc == NGX_ERROR) {
            break;
        }

        /* fall through */

    case ngx_ors_client_refused:
        ngx_http_ors_stats_error(ws->request, &ev->error);
        ngx_http_ors_ws_error(ws, &ev->error, &ev->lane, NULL, pool);
        break;

    case ngx_ors_client_steer:
        ngx_ors_out_init(&out, pool, NGX_HTTP_ORS_BLOCK);
        ngx_ors_client_event_steer(&out, ev);

        rc = ngx_ors_ws_out(ws->codec, &out);
        break;

    case ngx_ors_client_ignored:
        break;
    }

    ngx_destroy_pool(pool);

    return (rc == NGX_ERROR) ? NGX_ERROR : NGX_OK;
}
