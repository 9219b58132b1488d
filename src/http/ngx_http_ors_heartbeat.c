
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Comments on a stream that has been silent for a while.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>


static void ngx_http_ors_heartbeat_handler(ngx_event_t *ev);


void
ngx_http_ors_heartbeat(ngx_http_ors_ctx_t *ctx, ngx_msec_t interval)
{
    if (interval == 0 || !ctx->turn->request.stream) {
        return;
    }

    ctx->interval = interval;
    ctx->last_output = ngx_current_msec;

    ngx_http_ors_event_init(&ctx->heartbeat, ngx_http_ors_heartbeat_handler,
                            ctx, ctx->request);
    ngx_add_timer(&ctx->heartbeat, interval);
}


static void
ngx_http_ors_heartbeat_handler(ngx_event_t *ev)
{
    ngx_msec_t           silent;
    ngx_connection_t    *c;
    ngx_http_ors_ctx_t  *ctx;

    ctx = ev->data;
    c = ctx->request->connection;

    ngx_http_set_log_request(c->log, ctx->request);

    /* the timer is not set anew with each event, but only when it is due */

    silent = ngx_current_msec - ctx->last_output;

    if (silent < ctx->interval) {
        ngx_add_timer(ev, ctx->interval - silent);
        return;
    }

    ngx_add_timer(ev, ctx->interval);

    /* a client that is slow has something to read */

    if (ngx_ors_queue_pending(&ctx->pump.queue) == 0
        && ngx_ors_turn_heartbeat(ctx->turn))
    {
        ngx_log_debug1(NGX_LOG_DEBUG_HTTP, c->log, 0,
                       "ors heartbeat: sent after %M ms of silence", silent);

        ctx->resume(ctx, NGX_OK);
    }

    ngx_http_run_posted_requests(c);
}
