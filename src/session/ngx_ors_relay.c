
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The client's side of a relay: its messages become requests, which pass, or
 * are refused.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_relay.h>
#include <ngx_ors_relay_turn.h>


#define NGX_ORS_RELAY_BLOCK  4096


static void ngx_ors_relay_cleanup(void *data);
static ngx_int_t ngx_ors_relay_request(ngx_ors_relay_t *relay,
    ngx_str_t *text, ngx_pool_t *pool);
static ngx_int_t ngx_ors_relay_create(ngx_ors_relay_t *relay,
    ngx_ors_relay_turn_t *turn, ngx_str_t *text);
static ngx_int_t ngx_ors_relay_read(ngx_ors_relay_t *relay,
    ngx_ors_relay_turn_t *turn);
static ngx_int_t ngx_ors_relay_members(ngx_ors_relay_turn_t *turn);
static ngx_int_t ngx_ors_relay_refuse(ngx_ors_relay_t *relay,
    ngx_ors_client_event_t *ev);
static ngx_int_t ngx_ors_relay_write(ngx_ors_relay_t *relay,
    ngx_ors_relay_turn_t *turn, ngx_str_t *text);
static ngx_int_t ngx_ors_relay_broken(ngx_ors_relay_t *relay);


ngx_int_t
ngx_ors_relay_init(ngx_ors_relay_t *relay)
{
    ngx_pool_t          *pool;
    ngx_pool_cleanup_t  *cln;

    pool = relay->pool;

    ngx_ors_out_init(&relay->up, pool, NGX_ORS_RELAY_BLOCK);
    ngx_ors_out_init(&relay->down, pool, NGX_ORS_RELAY_BLOCK);

    relay->client = ngx_ors_ws_create(pool, &relay->up, relay->message,
                                      ngx_ors_ws_to_server);
    relay->server = ngx_ors_ws_create(pool, &relay->down,
                                      relay->limits->event,
                                      ngx_ors_ws_to_client);

    cln = ngx_pool_cleanup_add(pool, 0);

    if (relay->client == NULL || relay->server == NULL || cln == NULL
        || ngx_ors_lanes_init(&relay->lanes, relay->queue, pool) != NGX_OK)
    {
        return NGX_ERROR;
    }

    cln->handler = ngx_ors_relay_cleanup;
    cln->data = relay;

    return NGX_OK;
}


static void
ngx_ors_relay_cleanup(void *data)
{
    ngx_ors_relay_t *relay = data;

    ngx_uint_t               i;
    ngx_queue_t             *q;
    ngx_ors_client_event_t  *ev;

    for (i = 0; i < relay->lanes.n; i++) {
        ev = relay->lanes.lanes[i].running;

        if (ev) {
            ngx_destroy_pool(ev->pool);
        }
    }

    while (!ngx_queue_empty(&relay->lanes.waiting)) {
        q = ngx_queue_head(&relay->lanes.waiting);
        ngx_queue_remove(q);

        ev = ngx_queue_data(q, ngx_ors_client_event_t, queue);

        ngx_destroy_pool(ev->pool);
    }
}


ngx_int_t
ngx_ors_relay_client(ngx_ors_relay_t *relay, ngx_buf_t *b)
{
    ngx_int_t    rc;
    ngx_str_t    text;
    ngx_pool_t  *pool;

    while (!relay->left) {
        rc = ngx_ors_ws_read(relay->client, b);

        switch (rc) {

        case NGX_OK:
            text = relay->client->text;
            pool = relay->client->pool;

            rc = ngx_ors_relay_request(relay, &text, pool);

            if (rc != NGX_OK) {
                ngx_destroy_pool(pool);
            }

            if (rc == NGX_ERROR) {
                return NGX_ERROR;
            }

            break;

        case NGX_AGAIN:
            return NGX_OK;

        case NGX_DONE:
            relay->left = 1;
            ngx_ors_ws_close(relay->client, relay->client->code);
            break;

        case NGX_DECLINED:
            return ngx_ors_relay_broken(relay);

        default: /* NGX_ERROR */
            return NGX_ERROR;
        }
    }

    b->pos = b->last;

    return NGX_OK;
}


/* NGX_OK: its turn has "pool"; NGX_DECLINED: it has no turn; NGX_ERROR */

static ngx_int_t
ngx_ors_relay_request(ngx_ors_relay_t *relay, ngx_str_t *text,
    ngx_pool_t *pool)
{
    ngx_int_t                rc;
    ngx_ors_out_t            out;
    ngx_ors_client_event_t  *ev;
    ngx_ors_relay_turn_t    *turn;

    turn = ngx_pcalloc(pool, sizeof(ngx_ors_relay_turn_t));
    if (turn == NULL) {
        return NGX_ERROR;
    }

    ev = &turn->event;

    if (ngx_ors_client_event_read(ev, text, relay->limits->depth,
                                  relay->limits->nodes, relay->named, pool)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    switch (ev->type) {

    case ngx_ors_client_create:
        return ngx_ors_relay_create(relay, turn, text);

    case ngx_ors_client_refused:

        /* what is no turn cannot be followed: it does not pass */

        relay->handler->request(relay->data, NULL, &ev->error);

        if (!relay->report) {
            return ngx_ors_relay_refuse(relay, ev);
        }

        break;

    case ngx_ors_client_steer:

        /* its successor would be a turn without a request */

        if (relay->answers && !relay->report) {
            ngx_ors_out_init(&out, pool, NGX_ORS_RELAY_BLOCK);
            ngx_ors_client_event_steer(&out, ev);

            rc = ngx_ors_ws_out(relay->server, &out);

            return (rc == NGX_OK) ? NGX_DECLINED : NGX_ERROR;
        }

        break;

    case ngx_ors_client_ignored:
        break;
    }

    ngx_ors_ws_text(relay->client, text);

    return NGX_DECLINED;
}


static ngx_int_t
ngx_ors_relay_create(ngx_ors_relay_t *relay, ngx_ors_relay_turn_t *turn,
    ngx_str_t *text)
{
    ngx_int_t                rc;
    ngx_ors_client_event_t  *ev;

    ev = &turn->event;

    if (ngx_ors_relay_members(turn) != NGX_OK) {
        return NGX_ERROR;
    }

    rc = ngx_ors_relay_read(relay, turn);

    if (rc == NGX_DECLINED) {
        return ngx_ors_relay_refuse(relay, ev);
    }

    if (rc != NGX_OK) {
        return NGX_ERROR;
    }

    if (relay->answers) {
        rc = ngx_ors_lanes_add(&relay->lanes, ev);

        if (rc == NGX_DECLINED && !relay->report) {
            return ngx_ors_relay_refuse(relay, ev);
        }

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }
    }

    /* from here on its pool belongs to the turn, if it is one */

    if (ngx_ors_relay_write(relay, turn, text) != NGX_OK) {
        relay->up.failed = 1;
    }

    return (relay->answers && rc == NGX_OK) ? NGX_OK : NGX_DECLINED;
}


static ngx_int_t
ngx_ors_relay_members(ngx_ors_relay_turn_t *turn)
{
    u_char     *p;
    size_t      size;
    ngx_str_t  *name;

    name = &turn->event.lane;

    if (name->len == 0) {
        return NGX_OK;
    }

    size = sizeof(",\"stream_id\":\"\"") - 1 + name->len;

    p = ngx_pnalloc(turn->event.pool, size);
    if (p == NULL) {
        return NGX_ERROR;
    }

    turn->members.data = p;
    turn->members.len = ngx_sprintf(p, ",\"stream_id\":\"%V\"", name) - p;

    return NGX_OK;
}


/* NGX_OK: it passes; NGX_DECLINED: event.error says why not; NGX_ERROR */

static ngx_int_t
ngx_ors_relay_read(ngx_ors_relay_t *relay, ngx_ors_relay_turn_t *turn)
{
    ngx_int_t                rc;
    ngx_ors_error_t          err;
    ngx_ors_client_event_t  *ev;

    ev = &turn->event;

    if (ngx_ors_client_event_body(ev, NULL, 0, ev->pool, &turn->body)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_memzero(&err, sizeof(ngx_ors_error_t));

    ngx_ors_request_init(&turn->request, relay->endpoint, relay->policy,
                         relay->limits, ev->pool);

    rc = ngx_ors_request_read(&turn->request, &turn->body, &err);

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    turn->valid = (rc == NGX_OK);

    if (!relay->requests) {
        return NGX_OK;
    }

    relay->handler->request(relay->data, &turn->request, &err);

    if (rc == NGX_OK || relay->report) {
        return NGX_OK;
    }

    ev->error = err;

    return NGX_DECLINED;
}


/* NGX_DECLINED or NGX_ERROR */

static ngx_int_t
ngx_ors_relay_refuse(ngx_ors_relay_t *relay, ngx_ors_client_event_t *ev)
{
    return (ngx_ors_relay_error(relay, &ev->error, &ev->lane, ev->pool)
            == NGX_OK) ? NGX_DECLINED : NGX_ERROR;
}


ngx_int_t
ngx_ors_relay_error(ngx_ors_relay_t *relay, ngx_ors_error_t *err,
    ngx_str_t *name, ngx_pool_t *pool)
{
    ngx_str_t      nothing;
    ngx_ors_out_t  out;

    ngx_str_null(&nothing);

    ngx_ors_out_init(&out, pool, NGX_ORS_RELAY_BLOCK);
    ngx_ors_client_event_error(&out, err, name, &nothing);

    return ngx_ors_ws_out(relay->server, &out);
}


/* the message that was validated is sent unless a directive edits it */

static ngx_int_t
ngx_ors_relay_write(ngx_ors_relay_t *relay, ngx_ors_relay_turn_t *turn,
    ngx_str_t *text)
{
    ngx_str_t           body;
    ngx_ors_out_t       out;
    ngx_ors_request_t  *req;

    static ngx_str_t  stream = ngx_string("{\"stream\":true");

    req = &turn->request;

    if (!relay->requests || relay->report || !turn->valid
        || (req->edits.n == 0
            && (relay->model->len == 0 || req->name == NULL)))
    {
        ngx_ors_ws_text(relay->client, text);
        return NGX_OK;
    }

    ngx_ors_out_init(&out, turn->event.pool, NGX_ORS_RELAY_BLOCK);
    ngx_ors_request_write(req, relay->model, &out);

    if (ngx_ors_out_text(&out, &body) != NGX_OK) {
        return NGX_ERROR;
    }

    /* see ngx_ors_client_event_body() for what the body begins with */

    ngx_ors_out_lit(&out, "{\"type\":\"response.create\"");

    if (turn->event.warm) {
        ngx_ors_out_lit(&out, ",\"generate\":false");
    }

    ngx_ors_out_str(&out, &turn->members);

    ngx_ors_out_copy(&out, body.data + stream.len, body.len - stream.len);

    return ngx_ors_ws_out(relay->client, &out);
}


/* the client has broken a rule of frames, or a limit */

static ngx_int_t
ngx_ors_relay_broken(ngx_ors_relay_t *relay)
{
    ngx_str_t        nothing;
    ngx_uint_t       code;
    ngx_ors_error_t  err;

    code = relay->client->code;

    ngx_log_error(NGX_LOG_INFO, relay->pool->log, 0,
                  "client sent invalid WebSocket frames, closing with %ui",
                  code);

    if (code == NGX_ORS_WS_TOO_LARGE) {
        (void) ngx_ors_error_set(&err, relay->pool, 413, "request_too_large",
                                 "the message is over the limit of %uz bytes",
                                 relay->message);

        ngx_str_null(&nothing);

        if (ngx_ors_relay_error(relay, &err, &nothing, relay->pool) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    ngx_ors_ws_close(relay->server, code);
    ngx_ors_ws_close(relay->client, NGX_ORS_WS_GOING_AWAY);

    return NGX_DONE;
}
