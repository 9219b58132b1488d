
/*
 * Copyright (C) Open Responses contributors
 */


/* The main loop of a turn: what has happened, and what is done next. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>
#include <ngx_http_ors_background.h>
#include <ngx_http_ors_detach.h>
#include <ngx_http_ors_tool.h>


/* how long a model server may take to end a stream that is over, ms */
#define NGX_HTTP_ORS_LINGER  500


static void ngx_http_ors_turn_resume(ngx_http_ors_ctx_t *ctx, ngx_int_t rc);
static ngx_int_t ngx_http_ors_turn_work(ngx_http_ors_ctx_t *ctx);
static ngx_int_t ngx_http_ors_turn_ended(ngx_http_ors_ctx_t *ctx);
static void ngx_http_ors_turn_send(ngx_http_ors_ctx_t *ctx);
static void ngx_http_ors_turn_undelay(ngx_http_ors_ctx_t *ctx);
static void ngx_http_ors_turn_pace_handler(ngx_event_t *ev);
static void ngx_http_ors_turn_finalize(ngx_http_ors_ctx_t *ctx, ngx_int_t rc);
static void ngx_http_ors_turn_linger_handler(ngx_event_t *ev);
static void ngx_http_ors_turn_trace(ngx_http_ors_ctx_t *ctx);
static void ngx_http_ors_turn_gone(void *data);


ngx_int_t
ngx_http_ors_turn_init(ngx_http_ors_ctx_t *ctx)
{
    ngx_http_cleanup_t  *cln;

    cln = ngx_http_cleanup_add(ctx->request, 0);
    if (cln == NULL) {
        return NGX_ERROR;
    }

    cln->handler = ngx_http_ors_turn_gone;
    cln->data = ctx;

    ctx->cleanup = cln;

    ctx->resume = ngx_http_ors_turn_resume;
    ctx->first_token = -1;

    ctx->pump.request = ctx->request;
    ctx->pump.write = ngx_http_output_filter;
    ctx->pump.queue.out = &ctx->turn->out;
    ctx->pump.queue.limit = ctx->turn->limits->queue;
    ctx->pump.top = 1;

    ngx_http_ors_event_init(&ctx->pace, ngx_http_ors_turn_pace_handler, ctx,
                            ctx->request);
    ngx_http_ors_event_init(&ctx->linger, ngx_http_ors_turn_linger_handler,
                            ctx, ctx->request);

    return NGX_OK;
}


void
ngx_http_ors_turn_write_handler(ngx_http_request_t *r)
{
    ngx_http_ors_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_open_responses_module);

    /* the subrequest has set this timer, the client's is ctx->pace */

    r->connection->write->timedout = 0;

    ngx_http_ors_calls_wake(ctx);

    ngx_http_ors_turn_advance(ctx);
}


void
ngx_http_ors_turn_advance(ngx_http_ors_ctx_t *ctx)
{
    ngx_int_t  rc;

    if (ctx->call) {
        ngx_http_ors_call_push(ctx->call);
    }

    ngx_http_ors_turn_undelay(ctx);

    ngx_http_ors_turn_trace(ctx);

    rc = ngx_http_ors_turn_work(ctx);

    ngx_http_ors_turn_trace(ctx);

    if (rc == NGX_DONE) {
        return;
    }

    if (rc != NGX_OK) {
        ngx_http_ors_turn_finalize(ctx, NGX_ERROR);
        return;
    }

    if (ctx->detached) {
        ngx_http_ors_background_run(ctx);
        return;
    }

    /* the client can ask for the numbers once it has the answer */

    ngx_http_ors_stats_turn(ctx);

    ngx_http_ors_turn_send(ctx);
}


static void
ngx_http_ors_turn_resume(ngx_http_ors_ctx_t *ctx, ngx_int_t rc)
{
    if (rc == NGX_ERROR) {
        ngx_http_ors_turn_finalize(ctx, NGX_ERROR);
        return;
    }

    ngx_http_ors_turn_advance(ctx);
}


/* NGX_OK: the output may go on; NGX_DONE: it may not; NGX_ERROR */

static ngx_int_t
ngx_http_ors_turn_work(ngx_http_ors_ctx_t *ctx)
{
    ngx_ors_turn_t       *turn;
    ngx_http_ors_call_t  *call;

    turn = ctx->turn;
    call = ctx->call;

    if (call && call->done && turn->state != ngx_ors_turn_st_over
        && ngx_http_ors_turn_ended(ctx) == NGX_ERROR)
    {
        return NGX_ERROR;
    }

    if (turn->state == ngx_ors_turn_st_again
        && ngx_http_ors_call_again(ctx) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (turn->state == ngx_ors_turn_st_call
        && ngx_http_ors_mcp_listing(ctx) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (turn->state == ngx_ors_turn_st_tools
        && ngx_http_ors_tools_run(ctx) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (turn->state == ngx_ors_turn_st_commit && ctx->detached
        && ngx_http_ors_background_final(ctx) != NGX_OK)
    {
        return NGX_DONE;
    }

    if (turn->state == ngx_ors_turn_st_commit
        && ngx_http_ors_session_commit(ctx) == NGX_ERROR)
    {
        return NGX_ERROR;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_ors_turn_ended(ngx_http_ors_ctx_t *ctx)
{
    ngx_int_t             rc;
    ngx_log_t            *log;
    ngx_ors_turn_t       *turn;
    ngx_http_ors_call_t  *call;

    turn = ctx->turn;
    call = ctx->call;

    ngx_http_ors_peer_late(ctx);

    turn->limited = call->limited;

    if (!call->starved || turn->state != ngx_ors_turn_st_call) {

        /* lines of the log name the target, its server and the path */

        log = ctx->request->connection->log;

        ngx_http_set_log_request(log, call->request);
        rc = ngx_ors_turn_end(turn, call->status, call->complete);
        ngx_http_set_log_request(log, ctx->request);

        return rc;
    }

    /* no other target could be reached, either */

    turn->retries_left = 0;

    (void) ngx_ors_error_set(&turn->error, turn->pool,
                             ngx_ors_code_server_is_overloaded,
                             "the server has no connection left for the "
                             "model, try again later");

    return ngx_ors_turn_fail(turn);
}


static void
ngx_http_ors_turn_send(ngx_http_ors_ctx_t *ctx)
{
    ngx_int_t             rc;
    ngx_ors_turn_t       *turn;
    ngx_http_ors_call_t  *call;

    turn = ctx->turn;
    call = ctx->call;

    rc = ngx_http_ors_output(ctx);

    if (rc == NGX_ERROR || rc > NGX_OK) {
        ngx_http_ors_turn_finalize(ctx, rc);
        return;
    }

    /* a WebSocket turn stays until its output is sent */

    if (turn->state == ngx_ors_turn_st_over
        && !(ctx->message && rc == NGX_AGAIN))
    {

        if (call == NULL || call->done
            || turn->response.status == ngx_ors_response_failed)
        {
            ngx_http_ors_turn_finalize(ctx, rc);
            return;
        }

        /*
         * The client has its last byte, but the connection to the model server
         * can only be used again when its answer has ended there too, which is
         * a matter of one more packet; a client that leaves meanwhile has all
         * it came for
         */

        if (!ctx->lingering) {
            ctx->lingering = 1;
            ctx->request->read_event_handler = ngx_http_block_reading;

            ngx_add_timer(&ctx->linger, NGX_HTTP_ORS_LINGER);
        }
    }

    if (ngx_http_ors_output_pace(ctx) != NGX_OK) {
        ngx_http_ors_turn_finalize(ctx, NGX_ERROR);
    }
}


static void
ngx_http_ors_turn_trace(ngx_http_ors_ctx_t *ctx)
{
    ngx_uint_t  state;

    state = ctx->turn->state;

    if (state == ctx->state) {
        return;
    }

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, ctx->request->connection->log, 0,
                   "ors turn: state %ui, was %ui, status %ui",
                   state, ctx->state, ctx->turn->status);

    ctx->state = state;
}


/* "limit_rate" has let the connection go on */

static void
ngx_http_ors_turn_undelay(ngx_http_ors_ctx_t *ctx)
{
    if (!ctx->delayed || ctx->request->connection->write->delayed) {
        return;
    }

    ctx->delayed = 0;
    ngx_http_ors_event_stop(&ctx->pace);
}


/* "limit_rate" lets the client go on, or the client has taken nothing */

static void
ngx_http_ors_turn_pace_handler(ngx_event_t *ev)
{
    ngx_event_t         *wev;
    ngx_connection_t    *c;
    ngx_http_ors_ctx_t  *ctx;

    ctx = ev->data;
    c = ctx->request->connection;
    wev = c->write;

    ngx_http_set_log_request(c->log, ctx->request);

    if (wev->delayed) {
        wev->delayed = 0;

        if (wev->timer_set) {
            ngx_del_timer(wev);
        }

        ngx_http_ors_turn_write_handler(ctx->request);

    } else {
        ngx_connection_error(c, NGX_ETIMEDOUT, "client timed out");
        c->timedout = 1;

        ngx_http_ors_turn_finalize(ctx, NGX_HTTP_REQUEST_TIME_OUT);
    }

    ngx_http_run_posted_requests(c);
}


static void
ngx_http_ors_turn_finalize(ngx_http_ors_ctx_t *ctx, ngx_int_t rc)
{
    ngx_event_t         *wev;
    ngx_http_request_t  *r;

    r = ctx->request;
    wev = r->connection->write;

    if (ctx->detached || ctx->message) {
        ngx_http_ors_detach_end(r);
        return;
    }

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "ors turn: finalized %i, state %d", rc, ctx->turn->state);

    ngx_http_ors_turn_gone(ctx);

    if (wev->delayed) {

        /* the rest of the output waits for this timer */

        ngx_add_timer(wev, 1);
    }

    if (rc == NGX_ERROR && !ctx->header_sent) {
        rc = NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_http_finalize_request(r, rc);
}


static void
ngx_http_ors_turn_linger_handler(ngx_event_t *ev)
{
    ngx_connection_t    *c;
    ngx_http_ors_ctx_t  *ctx;

    ctx = ev->data;
    c = ctx->request->connection;

    ngx_http_set_log_request(c->log, ctx->request);

    ngx_log_error(NGX_LOG_INFO, c->log, 0,
                  "model server does not end its stream, closing it");

    ngx_http_ors_turn_finalize(ctx, NGX_OK);

    ngx_http_run_posted_requests(c);
}


/*
 * All that goes on for a turn ends, in front of its request: "post_action" may
 * keep that for another location.  Runs twice.
 */

static void
ngx_http_ors_turn_gone(void *data)
{
    ngx_http_ors_ctx_t *ctx = data;

    ngx_http_ors_background_leave(ctx);

    if (ctx->call && !ctx->call->done) {
        ngx_log_debug1(NGX_LOG_DEBUG_HTTP, ctx->request->connection->log, 0,
                       "ors call: dropped with its request, state %d",
                       ctx->turn->state);
    }

    if (!ctx->counted && ctx->turn && ctx->call) {
        ctx->counted = 1;
        ngx_http_ors_metrics_turn(ctx, NULL);
    }

    ngx_http_ors_event_stop(&ctx->pace);
    ngx_http_ors_event_stop(&ctx->linger);
    ngx_http_ors_event_stop(&ctx->heartbeat);

    ngx_http_ors_metrics_close(ctx);

    if (ctx->call) {
        ngx_http_ors_call_cancel(ctx->call);
    }

    ngx_http_ors_tools_cancel(ctx);
    ngx_http_ors_session_close(ctx);
}
