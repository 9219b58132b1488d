
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The server's side of a relay: its messages are events of turns, which are
 * verified, or end a turn.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_answer_error.h>
#include <ngx_ors_frame.h>
#include <ngx_ors_mask.h>
#include <ngx_ors_relay.h>
#include <ngx_ors_relay_turn.h>
#include <ngx_ors_same.h>
#include <ngx_ors_verify_handler.h>


#define NGX_ORS_RELAY_BLOCK  4096


static ngx_int_t ngx_ors_relay_event(ngx_ors_relay_t *relay,
    ngx_str_t *text, ngx_pool_t *pool);
static ngx_int_t ngx_ors_relay_begin(ngx_ors_relay_t *relay);
static ngx_int_t ngx_ors_relay_init_turn(ngx_ors_relay_t *relay,
    ngx_ors_relay_turn_t *turn);
static ngx_ors_relay_turn_t *ngx_ors_relay_turn(ngx_ors_relay_t *relay,
    ngx_str_t *name);
static ngx_uint_t ngx_ors_relay_ends(ngx_ors_json_t *json);
static ngx_int_t ngx_ors_relay_unnamed(ngx_ors_json_t *json,
    ngx_ors_json_node_t *name, ngx_str_t *text);
static ngx_int_t ngx_ors_relay_verify(ngx_ors_relay_t *relay,
    ngx_ors_relay_turn_t *turn, ngx_str_t *text);
static ngx_int_t ngx_ors_relay_failure(ngx_ors_relay_t *relay,
    ngx_ors_relay_turn_t *turn, ngx_ors_json_t *json, ngx_str_t *text,
    ngx_str_t *name);
static ngx_uint_t ngx_ors_relay_status(ngx_ors_json_t *json);
static ngx_int_t ngx_ors_relay_send(ngx_ors_relay_t *relay,
    ngx_ors_relay_turn_t *turn);
static void ngx_ors_relay_frame(ngx_ors_relay_t *relay,
    ngx_ors_relay_turn_t *turn, ngx_chain_t *in, ngx_chain_t *last);
static void ngx_ors_relay_over(ngx_ors_relay_t *relay,
    ngx_ors_relay_turn_t *turn);
static void ngx_ors_relay_release(ngx_ors_relay_t *relay,
    ngx_ors_relay_turn_t *turn);
static ngx_int_t ngx_ors_relay_end(ngx_ors_relay_t *relay,
    ngx_ors_relay_turn_t *turn, ngx_uint_t invalid);
static ngx_int_t ngx_ors_relay_invalid(ngx_ors_relay_t *relay);


ngx_int_t
ngx_ors_relay_server(ngx_ors_relay_t *relay, ngx_buf_t *b)
{
    ngx_int_t    rc;
    ngx_str_t    text;
    ngx_pool_t  *pool;

    while (!relay->ended) {
        rc = ngx_ors_ws_read(relay->server, b);

        switch (rc) {

        case NGX_OK:
            text = relay->server->text;
            pool = relay->server->pool;

            rc = ngx_ors_relay_event(relay, &text, pool);

            ngx_destroy_pool(pool);

            if (rc == NGX_ERROR) {
                return NGX_ERROR;
            }

            break;

        case NGX_AGAIN:
            return NGX_OK;

        case NGX_DONE:

            if (ngx_ors_relay_cut(relay) != NGX_OK) {
                return NGX_ERROR;
            }

            ngx_ors_ws_close(relay->server, relay->server->code);
            break;

        case NGX_DECLINED:
            return ngx_ors_relay_invalid(relay);

        default: /* NGX_ERROR */
            return NGX_ERROR;
        }
    }

    b->pos = b->last;

    return NGX_OK;
}


/* NGX_OK or NGX_ERROR */

static ngx_int_t
ngx_ors_relay_event(ngx_ors_relay_t *relay, ngx_str_t *text, ngx_pool_t *pool)
{
    ngx_int_t              rc;
    ngx_str_t              lane, own;
    ngx_uint_t             ends;
    ngx_ors_json_t         json;
    ngx_ors_json_node_t   *type, *name;
    ngx_ors_relay_turn_t  *turn;

    if (!relay->answers) {
        ngx_ors_ws_text(relay->server, text);
        return NGX_OK;
    }

    ngx_ors_json_init(&json, pool, relay->limits->depth,
                      relay->limits->nodes);

    rc = ngx_ors_json_read(&json, text->data, text->len);

    if (rc == NGX_ERROR || ngx_ors_relay_begin(relay) != NGX_OK) {
        return NGX_ERROR;
    }

    type = NULL;
    name = NULL;
    ends = 0;

    if (rc == NGX_OK && json.nodes->type == ngx_ors_json_object) {
        type = ngx_ors_json_find(&json, json.nodes, "type");
        ends = ngx_ors_relay_ends(&json);

        if (relay->named) {
            name = ngx_ors_json_find(&json, json.nodes, "stream_id");
        }
    }

    if (ngx_ors_json_decoded(&json, name, pool, &lane) != NGX_OK) {
        return NGX_ERROR;
    }

    turn = ngx_ors_relay_turn(relay, &lane);

    if (relay->report) {
        ngx_ors_ws_text(relay->server, text);
    }

    if (turn && turn->ended) {

        /* the rest of a turn that has failed */

        rc = NGX_OK;

    } else if (type && ngx_ors_json_is(&json, type, "error")) {
        rc = ngx_ors_relay_failure(relay, turn, &json, text, &lane);

    } else if (turn) {
        own = *text;

        if (name && ngx_ors_relay_unnamed(&json, name, &own) != NGX_OK) {
            return NGX_ERROR;
        }

        rc = ngx_ors_relay_verify(relay, turn, &own);

    } else {
        ngx_log_error(NGX_LOG_ERR, relay->pool->log, 0,
                      "upstream sent an event outside of a turn, which %s",
                      relay->report ? "would be dropped" : "is dropped");
        rc = NGX_OK;
    }

    if (rc == NGX_OK && ends && turn) {
        ngx_ors_relay_release(relay, turn);
    }

    return rc;
}


/* of each lane that is free the first request that waits is answered */

static ngx_int_t
ngx_ors_relay_begin(ngx_ors_relay_t *relay)
{
    ngx_ors_relay_turn_t    *turn;
    ngx_ors_client_event_t  *ev;

    for ( ;; ) {
        ev = ngx_ors_lanes_next(&relay->lanes);

        if (ev == NULL) {
            return NGX_OK;
        }

        turn = ngx_queue_data(ev, ngx_ors_relay_turn_t, event);

        if (ngx_ors_relay_init_turn(relay, turn) != NGX_OK) {
            return NGX_ERROR;
        }
    }
}


static ngx_int_t
ngx_ors_relay_init_turn(ngx_ors_relay_t *relay, ngx_ors_relay_turn_t *turn)
{
    ngx_pool_t        *pool;
    ngx_ors_answer_t  *answer;
    ngx_ors_verify_t  *verify;

    static ngx_str_t  type = ngx_string("text/event-stream");

    pool = turn->event.pool;

    answer = &turn->answer;
    verify = &turn->verify;

    ngx_ors_out_init(&turn->out, pool, NGX_ORS_RELAY_BLOCK);
    turn->out.messages = 1;

    ngx_ors_answer_init(answer, relay->limits, pool, relay->pool->log);

    verify->answer = answer;
    verify->endpoint = relay->endpoint;
    verify->request = turn->valid ? &turn->request : NULL;
    verify->policy = relay->policy;
    verify->limits = relay->limits;
    verify->out = &turn->out;
    verify->pool = pool;
    verify->log = relay->pool->log;
    verify->report = relay->report;

    ngx_ors_verify_init(verify);

    return ngx_ors_verify_header(verify, 200, &type, -1);
}


/* the turn that runs in a lane, or NULL */

static ngx_ors_relay_turn_t *
ngx_ors_relay_turn(ngx_ors_relay_t *relay, ngx_str_t *name)
{
    ngx_uint_t       i;
    ngx_ors_lane_t  *lane;

    for (i = 0; i < relay->lanes.n; i++) {
        lane = &relay->lanes.lanes[i];

        if (ngx_ors_same(&lane->name, name)) {
            return ngx_ors_relay_running(lane);
        }
    }

    return NULL;
}


/* 1 if the server sends nothing of the turn after this message */

static ngx_uint_t
ngx_ors_relay_ends(ngx_ors_json_t *json)
{
    ngx_ors_json_node_t  *type;

    type = ngx_ors_json_find(json, json->nodes, "type");

    return type
           && (ngx_ors_json_is(json, type, "error")
               || ngx_ors_json_is(json, type, "response.completed")
               || ngx_ors_json_is(json, type, "response.incomplete")
               || ngx_ors_json_is(json, type, "response.failed"));
}


/* an event is the same in each lane: "text" without the name of its own */

static ngx_int_t
ngx_ors_relay_unnamed(ngx_ors_json_t *json, ngx_ors_json_node_t *name,
    ngx_str_t *text)
{
    u_char               *p;
    size_t                pos, last;
    ngx_ors_json_node_t  *key, *next;

    pos = (size_t) json->nodes->pos + 1;
    last = pos;

    for (key = ngx_ors_json_first(json, json->nodes); key; key = next) {
        next = ngx_ors_json_next(json, key);

        if (key + 1 != name) {
            pos = ngx_ors_edit_end(key + 1);
            continue;
        }

        last = ngx_ors_edit_end(name);

        /* the first member goes with the comma that follows it */

        if (next && pos == (size_t) json->nodes->pos + 1) {
            last = ngx_ors_edit_start(next);
        }

        break;
    }

    p = ngx_pnalloc(json->pool, text->len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(p, text->data, pos);
    ngx_memcpy(p + pos, text->data + last, text->len - last);

    text->data = p;
    text->len -= last - pos;

    return NGX_OK;
}


static ngx_int_t
ngx_ors_relay_verify(ngx_ors_relay_t *relay, ngx_ors_relay_turn_t *turn,
    ngx_str_t *text)
{
    ngx_int_t  rc;

    rc = ngx_ors_answer_message(&turn->answer, text);

    if (rc == NGX_ERROR || ngx_ors_relay_send(relay, turn) != NGX_OK) {
        return NGX_ERROR;
    }

    if (turn->verify.refused || rc == NGX_DONE) {
        ngx_ors_relay_over(relay, turn);
    }

    return NGX_OK;
}


/* one message is a failure of the turn, or of the connection */

static ngx_int_t
ngx_ors_relay_failure(ngx_ors_relay_t *relay, ngx_ors_relay_turn_t *turn,
    ngx_ors_json_t *json, ngx_str_t *text, ngx_str_t *name)
{
    ngx_uint_t       status;
    ngx_ors_error_t  err;

    status = ngx_ors_relay_status(json);

    if (ngx_ors_answer_error(&err, json->pool, status, json, json->nodes)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (relay->policy->mask) {
        ngx_ors_mask_answer(&err, status);
    }

    if (turn) {
        turn->verify.error = err;
        ngx_ors_relay_over(relay, turn);
    }

    if (relay->report) {
        return NGX_OK;
    }

    if (relay->policy->mask) {
        return ngx_ors_relay_error(relay, &err, turn ? &turn->event.lane : name,
                                   json->pool);
    }

    ngx_ors_ws_text(relay->server, text);

    return NGX_OK;
}


/* that of HTTP, 0 if the message has none */

static ngx_uint_t
ngx_ors_relay_status(ngx_ors_json_t *json)
{
    int64_t               n;
    ngx_ors_json_node_t  *node;

    node = ngx_ors_json_find(json, json->nodes, "status");

    if (node == NULL) {
        node = ngx_ors_json_find(json, json->nodes, "status_code");
    }

    if (node == NULL || ngx_ors_json_integer(json, node, &n) != NGX_OK
        || n < 400 || n > 599)
    {
        return 0;
    }

    return (ngx_uint_t) n;
}


/* what has passed the verification, or the message of a violation */

static ngx_int_t
ngx_ors_relay_send(ngx_ors_relay_t *relay, ngx_ors_relay_turn_t *turn)
{
    ngx_chain_t  *in, *last, *next;

    if (relay->report) {
        return ngx_ors_out_drop(&turn->out);
    }

    if (turn->verify.status >= 400) {
        if (ngx_ors_out_drop(&turn->out) != NGX_OK) {
            return NGX_ERROR;
        }

        return ngx_ors_relay_error(relay, &turn->verify.error,
                                   &turn->event.lane, turn->event.pool);
    }

    if (ngx_ors_out_take(&turn->out, &in) != NGX_OK) {
        return NGX_ERROR;
    }

    next = in;

    while (next) {
        last = ngx_ors_frame_last(next);

        ngx_ors_relay_frame(relay, turn, next, last);

        next = last->next;
    }

    ngx_ors_out_recycle(&turn->out, &in);

    return NGX_OK;
}


static void
ngx_ors_relay_frame(ngx_ors_relay_t *relay, ngx_ors_relay_turn_t *turn,
    ngx_chain_t *in, ngx_chain_t *last)
{
    ngx_chain_t  *cl;

    switch ((ngx_ors_frame_e) last->buf->num) {

    case ngx_ors_frame_is_other:

        /* "response.failed" follows an "error", and is the one message */

        if (turn->verify.refused) {
            break;
        }

        /* fall through */

    case ngx_ors_frame_is_event:
    case ngx_ors_frame_is_terminal:
        ngx_ors_ws_chain(relay->server, in, last, &turn->members);
        break;

    case ngx_ors_frame_is_comment:
    case ngx_ors_frame_is_part:
        break;
    }

    for (cl = in; cl != last->next; cl = cl->next) {
        cl->buf->pos = cl->buf->last;
    }
}


/* the client has all that it gets of the turn */

static void
ngx_ors_relay_over(ngx_ors_relay_t *relay, ngx_ors_relay_turn_t *turn)
{
    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, relay->pool->log, 0,
                   "ors relay: turn %s, %ui repaired",
                   turn->verify.refused ? "refused" : "passed",
                   turn->verify.repaired);

    turn->ended = 1;

    relay->handler->answer(relay->data, &turn->verify);
}


static void
ngx_ors_relay_release(ngx_ors_relay_t *relay, ngx_ors_relay_turn_t *turn)
{
    if (!turn->ended) {
        ngx_ors_relay_over(relay, turn);
    }

    (void) ngx_ors_lanes_done(&relay->lanes, &turn->event, NULL, NULL, 0);

    ngx_destroy_pool(turn->event.pool);
}


ngx_int_t
ngx_ors_relay_cut(ngx_ors_relay_t *relay)
{
    ngx_uint_t  i;

    if (relay->ended) {
        return NGX_OK;
    }

    relay->ended = 1;

    if (ngx_ors_relay_begin(relay) != NGX_OK) {
        return NGX_ERROR;
    }

    for (i = 0; i < relay->lanes.n; i++) {

        if (ngx_ors_relay_end(relay,
                              ngx_ors_relay_running(&relay->lanes.lanes[i]), 0)
            != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/* the last message of a turn that the server has left, NULL: there is none */

static ngx_int_t
ngx_ors_relay_end(ngx_ors_relay_t *relay, ngx_ors_relay_turn_t *turn,
    ngx_uint_t invalid)
{
    ngx_int_t  rc;

    if (turn == NULL || turn->ended) {
        return NGX_OK;
    }

    rc = invalid ? ngx_ors_answer_refuse(&turn->answer,
                                         "invalid_upstream_answer",
                                         "its WebSocket frames are not valid")
                 : ngx_ors_answer_end(&turn->answer, 0);

    if (rc == NGX_ERROR || ngx_ors_relay_send(relay, turn) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_ors_relay_over(relay, turn);

    return NGX_OK;
}


/* the server has broken a rule of frames, or a limit */

static ngx_int_t
ngx_ors_relay_invalid(ngx_ors_relay_t *relay)
{
    ngx_uint_t  i;

    ngx_log_error(NGX_LOG_ERR, relay->pool->log, 0,
                  "upstream sent invalid WebSocket frames, closing with %ui",
                  relay->server->code);

    if (ngx_ors_relay_begin(relay) != NGX_OK) {
        return NGX_ERROR;
    }

    for (i = 0; i < relay->lanes.n; i++) {

        if (ngx_ors_relay_end(relay,
                              ngx_ors_relay_running(&relay->lanes.lanes[i]), 1)
            != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    ngx_ors_ws_close(relay->server, NGX_ORS_WS_INTERNAL);
    ngx_ors_ws_close(relay->client, relay->server->code);

    return NGX_DONE;
}
