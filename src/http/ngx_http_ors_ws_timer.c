
/*
 * Copyright (C) Open Responses contributors
 */


/* Timers of a WebSocket: life time, idle time, pings. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_ws.h>


static void ngx_http_ors_ws_tick(ngx_http_ors_ws_t *ws);


void
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


/* time until something may be due: later the answer may be another one */

ngx_msec_t
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
