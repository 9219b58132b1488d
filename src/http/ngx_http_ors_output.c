
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The main loop of a gateway's request, and what it sends to the client:
 * header, buffers, the end.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>
#include <ngx_http_ors_background.h>
#include <ngx_http_ors_detach.h>
#include <ngx_ors_compat.h>
#include <ngx_ors_gather.h>
#include <ngx_ors_line.h>


/* how long a model server may take to end a stream that is over, ms */
#define NGX_HTTP_ORS_LINGER  500


static ngx_int_t ngx_http_ors_ended(ngx_http_ors_ctx_t *ctx);
static ngx_int_t ngx_http_ors_send(ngx_http_ors_ctx_t *ctx);
static ngx_int_t ngx_http_ors_send_header(ngx_http_ors_ctx_t *ctx);
static ngx_int_t ngx_http_ors_no_cache(ngx_http_request_t *r);
static ngx_int_t ngx_http_ors_retry_after(ngx_http_ors_ctx_t *ctx);
static ngx_int_t ngx_http_ors_send_body(ngx_http_ors_ctx_t *ctx);
static ngx_int_t ngx_http_ors_mark(ngx_http_ors_ctx_t *ctx,
    ngx_chain_t **out);
static ngx_int_t ngx_http_ors_pace(ngx_http_ors_ctx_t *ctx);
static void ngx_http_ors_pace_timer(ngx_http_ors_ctx_t *ctx,
    ngx_msec_t timeout);
static void ngx_http_ors_pace_handler(ngx_event_t *ev);
static void ngx_http_ors_linger(ngx_http_ors_ctx_t *ctx);
static void ngx_http_ors_linger_handler(ngx_event_t *ev);
static void ngx_http_ors_timers_cleanup(void *data);


ngx_int_t
ngx_http_ors_timers_init(ngx_http_ors_ctx_t *ctx)
{
    ngx_log_t           *log;
    ngx_http_cleanup_t  *cln;

    cln = ngx_http_cleanup_add(ctx->request, 0);
    if (cln == NULL) {
        return NGX_ERROR;
    }

    cln->handler = ngx_http_ors_timers_cleanup;
    cln->data = ctx;

    log = ctx->request->connection->log;

    ctx->pace.data = ctx;
    ctx->pace.log = log;
    ctx->pace.handler = ngx_http_ors_pace_handler;

    ctx->linger.data = ctx;
    ctx->linger.log = log;
    ctx->linger.handler = ngx_http_ors_linger_handler;

    return NGX_OK;
}


void
ngx_http_ors_write_handler(ngx_http_request_t *r)
{
    ngx_http_ors_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_open_responses_module);

    /* the timer was set for the subrequest, ours is ctx->pace */

    r->connection->write->timedout = 0;

    if (ctx->call) {
        ngx_http_ors_call_wake(ctx->call);
    }

    ngx_http_ors_run(ctx);
}


void
ngx_http_ors_run(ngx_http_ors_ctx_t *ctx)
{
    ngx_int_t             rc;
    ngx_ors_turn_t       *turn;
    ngx_http_ors_call_t  *call;

    turn = ctx->turn;
    call = ctx->call;

    if (call) {
        ngx_http_ors_call_push(call);
    }

    if (ctx->delayed && !ctx->request->connection->write->delayed) {
        ctx->delayed = 0;

        if (ctx->pace.timer_set) {
            ngx_del_timer(&ctx->pace);
        }
    }

    if (call && call->done && turn->state != ngx_ors_turn_st_over
        && ngx_http_ors_ended(ctx) == NGX_ERROR)
    {
        ngx_http_ors_finalize(ctx, NGX_ERROR);
        return;
    }

    if (turn->state == ngx_ors_turn_st_again
        && ngx_http_ors_call_again(ctx) != NGX_OK)
    {
        ngx_http_ors_finalize(ctx, NGX_ERROR);
        return;
    }

    if (turn->state == ngx_ors_turn_st_commit && ctx->detached
        && ngx_http_ors_background_final(ctx) != NGX_OK)
    {
        return;
    }

    if (turn->state == ngx_ors_turn_st_commit
        && ngx_http_ors_session_commit(ctx) == NGX_ERROR)
    {
        ngx_http_ors_finalize(ctx, NGX_ERROR);
        return;
    }

    if (ctx->detached) {
        ngx_http_ors_background_run(ctx);
        return;
    }

    call = ctx->call;

    /* before the client can ask for the numbers */

    ngx_http_ors_stats_turn(ctx);

    rc = ngx_http_ors_send(ctx);

    if (rc == NGX_ERROR || rc > NGX_OK) {
        ngx_http_ors_finalize(ctx, rc);
        return;
    }

    if (turn->state == ngx_ors_turn_st_over) {

        if (call == NULL || call->done
            || turn->response.status == ngx_ors_response_failed)
        {
            ngx_http_ors_finalize(ctx, rc);
            return;
        }

        ngx_http_ors_linger(ctx);
    }

    if (ngx_http_ors_pace(ctx) != NGX_OK) {
        ngx_http_ors_finalize(ctx, NGX_ERROR);
    }
}


static ngx_int_t
ngx_http_ors_ended(ngx_http_ors_ctx_t *ctx)
{
    ngx_ors_turn_t       *turn;
    ngx_http_ors_call_t  *call;

    turn = ctx->turn;
    call = ctx->call;

    if (!call->starved || turn->state != ngx_ors_turn_st_call) {
        return ngx_ors_turn_end(turn, call->status, call->complete);
    }

    /* neither the target's fault, nor would another one be reached */

    turn->spare = 0;

    (void) ngx_ors_error_set(&turn->error, turn->pool,
                             NGX_HTTP_SERVICE_UNAVAILABLE,
                             "server_is_overloaded",
                             "the server has no connection left for the "
                             "model, try again later");

    return ngx_ors_turn_fail(turn);
}


/*
 * NGX_OK, NGX_AGAIN: sent, or all that the client takes;
 * NGX_ERROR, NGX_HTTP_...: for ngx_http_finalize_request()
 */

static ngx_int_t
ngx_http_ors_send(ngx_http_ors_ctx_t *ctx)
{
    ngx_int_t  rc;

    if (ctx->turn->status == 0) {
        return NGX_OK;
    }

    if (!ctx->header_sent) {
        rc = ngx_http_ors_send_header(ctx);

        if (rc == NGX_ERROR || rc > NGX_OK) {
            return rc;
        }
    }

    if (ctx->request->header_only) {
        return NGX_OK;
    }

    return ngx_http_ors_send_body(ctx);
}


static ngx_int_t
ngx_http_ors_send_header(ngx_http_ors_ctx_t *ctx)
{
    ngx_list_t          *headers;
    ngx_ors_turn_t      *turn;
    ngx_http_request_t  *r;

    static ngx_str_t  buffering = ngx_string("X-Accel-Buffering");
    static ngx_str_t  buffering_lowcase = ngx_string("x-accel-buffering");
    static ngx_str_t  no = ngx_string("no");

    r = ctx->request;
    turn = ctx->turn;
    headers = &r->headers_out.headers;

    ctx->header_sent = 1;

    r->headers_out.status = turn->status;
    r->headers_out.content_type = turn->type;
    r->headers_out.content_type_len = turn->type.len;
    r->headers_out.content_type_lowcase = NULL;

    if (ngx_ors_mime_is(&turn->type, "text/event-stream")) {

        if (ngx_http_ors_no_cache(r) != NGX_OK
            || ngx_http_ors_header_add(headers, &buffering,
                                       &buffering_lowcase, &no)
               == NULL)
        {
            return NGX_ERROR;
        }

    } else if (turn->state == ngx_ors_turn_st_over) {
        r->headers_out.content_length_n = turn->out.size;
    }

    if (turn->status >= 400 && ngx_http_ors_retry_after(ctx) != NGX_OK) {
        return NGX_ERROR;
    }

    if (ctx->call
        && ngx_http_ors_headers_pass(&ctx->call->request->headers_out.headers,
                                     headers, turn->policy.mask)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_send_header(r);
}


/* where "expires" finds it, which is to replace it */

static ngx_int_t
ngx_http_ors_no_cache(ngx_http_request_t *r)
{
    ngx_table_elt_t  *h;

    static ngx_str_t  name = ngx_string("Cache-Control");
    static ngx_str_t  lowcase = ngx_string("cache-control");
    static ngx_str_t  value = ngx_string("no-cache");

    h = ngx_http_ors_header_add(&r->headers_out.headers, &name, &lowcase,
                                &value);
    if (h == NULL) {
        return NGX_ERROR;
    }

    return ngx_ors_header_link(&r->headers_out.cache_control, h, r->pool);
}


/* as the target has it, or else as its text or body has it */

static ngx_int_t
ngx_http_ors_retry_after(ngx_http_ors_ctx_t *ctx)
{
    u_char      *p;
    ngx_uint_t   retry;

    static ngx_str_t  name = ngx_string("Retry-After");
    static ngx_str_t  lowcase = ngx_string("retry-after");

    retry = ctx->turn->error.retry;

    if (!ngx_ors_line_clean(&ctx->retry_after)) {
        ctx->retry_after.len = 0;
    }

    if (ctx->retry_after.len == 0 && retry) {
        p = ngx_pnalloc(ctx->request->pool, NGX_INT_T_LEN);
        if (p == NULL) {
            return NGX_ERROR;
        }

        ctx->retry_after.data = p;
        ctx->retry_after.len = ngx_sprintf(p, "%ui", (retry + 999) / 1000) - p;
    }

    if (ctx->retry_after.len == 0) {
        return NGX_OK;
    }

    return ngx_http_ors_header_add(&ctx->request->headers_out.headers, &name,
                                   &lowcase, &ctx->retry_after)
           ? NGX_OK : NGX_ERROR;
}


static ngx_int_t
ngx_http_ors_send_body(ngx_http_ors_ctx_t *ctx)
{
    ngx_int_t            rc;
    ngx_chain_t         *out, **ll;
    ngx_http_request_t  *r;

    if (ngx_http_ors_mark(ctx, &out) != NGX_OK) {
        return NGX_ERROR;
    }

    r = ctx->request;

    if (out) {
        ctx->spoken = ngx_current_msec;

    } else {

        if (ctx->turn->state == ngx_ors_turn_st_over && !ctx->last_sent) {
            ctx->last_sent = 1;
            return ngx_http_send_special(r, NGX_HTTP_LAST);
        }

        if (!r->buffered && !r->connection->buffered) {
            return NGX_OK;
        }
    }

    rc = ngx_http_output_filter(r, out);

    for (ll = &ctx->busy; *ll; ll = &(*ll)->next) { /* void */ }

    *ll = out;

    ngx_ors_out_recycle(&ctx->turn->out, &ctx->busy);

    return rc;
}


/* takes what the turn has to say; the last buffer is flushed, or the last */

static ngx_int_t
ngx_http_ors_mark(ngx_http_ors_ctx_t *ctx, ngx_chain_t **out)
{
    ngx_buf_t       *b;
    ngx_chain_t     *cl;
    ngx_ors_turn_t  *turn;

    turn = ctx->turn;

    if (ngx_ors_out_take(&turn->out, out) != NGX_OK) {
        return NGX_ERROR;
    }

    if (*out == NULL) {
        return NGX_OK;
    }

    for (cl = *out; cl->next; cl = cl->next) { /* void */ }

    b = cl->buf;

    if (turn->state == ngx_ors_turn_st_over) {
        b->last_buf = 1;
        b->last_in_chain = 1;
        ctx->last_sent = 1;

    } else {
        b->flush = 1;
    }

    return NGX_OK;
}


size_t
ngx_http_ors_pending(ngx_http_ors_ctx_t *ctx)
{
    size_t        size;
    ngx_chain_t  *cl;

    size = ctx->turn->out.size;

    for (cl = ctx->busy; cl; cl = cl->next) {
        size += ngx_buf_size(cl->buf);
    }

    return size;
}


/* a slow client is waited for, and with it the model; a fast one is not */

static ngx_int_t
ngx_http_ors_pace(ngx_http_ors_ctx_t *ctx)
{
    ngx_event_t               *wev;
    ngx_http_request_t        *r;
    ngx_http_core_loc_conf_t  *clcf;

    r = ctx->request;
    wev = r->connection->write;
    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    if (r->buffered || r->connection->buffered || wev->delayed) {
        ngx_http_ors_pace_timer(ctx, clcf->send_timeout);

        if (ngx_handle_write_event(wev, clcf->send_lowat) != NGX_OK) {
            return NGX_ERROR;
        }

    } else if (ctx->pace.timer_set) {
        ngx_del_timer(&ctx->pace);
    }

    if (ctx->call && ngx_http_ors_pending(ctx) < ctx->turn->limits->queue) {
        return ngx_http_ors_call_resume(ctx->call);
    }

    return NGX_OK;
}


/*
 * The timer of the connection's write event cannot be used: the upstream of
 * a subrequest sets it to the time-out of the target's location, or deletes
 * it, though it was that of "limit_rate"
 */

static void
ngx_http_ors_pace_timer(ngx_http_ors_ctx_t *ctx, ngx_msec_t timeout)
{
    ngx_event_t       *wev;
    ngx_connection_t  *c;

    c = ctx->request->connection;
    wev = c->write;

    if (wev->delayed) {

        if (!ctx->delayed) {
            ctx->delayed = 1;
            timeout = wev->timer_set ? wev->timer.key - ngx_current_msec : 1;
            ngx_add_timer(&ctx->pace, timeout);
        }

        return;
    }

    /* a client that takes nothing is not helped by a model that goes on */

    if (!ctx->pace.timer_set || ctx->sent != c->sent) {
        ctx->sent = c->sent;
        ngx_add_timer(&ctx->pace, timeout);
    }
}


static void
ngx_http_ors_pace_handler(ngx_event_t *ev)
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

        ngx_http_ors_write_handler(ctx->request);

    } else {
        ngx_connection_error(c, NGX_ETIMEDOUT, "client timed out");
        c->timedout = 1;

        ngx_http_ors_finalize(ctx, NGX_HTTP_REQUEST_TIME_OUT);
    }

    ngx_http_run_posted_requests(c);
}


void
ngx_http_ors_finalize(ngx_http_ors_ctx_t *ctx, ngx_int_t rc)
{
    ngx_event_t         *wev;
    ngx_http_request_t  *r;

    r = ctx->request;
    wev = r->connection->write;

    if (ctx->detached) {
        ngx_http_ors_detach_end(r);
        return;
    }

    ngx_http_ors_timers_cleanup(ctx);

    if (ctx->call) {
        ngx_http_ors_call_cancel(ctx->call);
    }

    if (wev->delayed) {

        /* what is left to be sent waits for this one */

        ngx_add_timer(wev, 1);
    }

    if (rc == NGX_ERROR && !ctx->header_sent) {
        rc = NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_http_finalize_request(r, rc);
}


/*
 * The client has its last byte, but the connection to the model server can
 * only be used again when its answer has ended there too, which is a matter
 * of one more packet; a client that leaves meanwhile has all it came for
 */

static void
ngx_http_ors_linger(ngx_http_ors_ctx_t *ctx)
{
    if (ctx->lingering) {
        return;
    }

    ctx->lingering = 1;
    ctx->request->read_event_handler = ngx_http_block_reading;

    ngx_add_timer(&ctx->linger, NGX_HTTP_ORS_LINGER);
}


static void
ngx_http_ors_linger_handler(ngx_event_t *ev)
{
    ngx_connection_t    *c;
    ngx_http_ors_ctx_t  *ctx;

    ctx = ev->data;
    c = ctx->request->connection;

    ngx_http_set_log_request(c->log, ctx->request);

    ngx_log_error(NGX_LOG_INFO, c->log, 0,
                  "model server does not end its stream, closing it");

    ngx_http_ors_finalize(ctx, NGX_OK);

    ngx_http_run_posted_requests(c);
}


static void
ngx_http_ors_timers_cleanup(void *data)
{
    ngx_http_ors_ctx_t  *ctx = data;

    if (ctx->pace.timer_set) {
        ngx_del_timer(&ctx->pace);
    }

    if (ctx->linger.timer_set) {
        ngx_del_timer(&ctx->linger);
    }

    if (ctx->heartbeat.timer_set) {
        ngx_del_timer(&ctx->heartbeat);
    }
}


void
ngx_http_ors_post(ngx_http_request_t *r, ngx_http_posted_request_t *pr)
{
    ngx_http_posted_request_t  *p;

    /* a stream of a million events must not take memory for each post */

    for (p = r->main->posted_requests; p; p = p->next) {
        if (p == pr) {
            return;
        }
    }

    (void) ngx_http_post_request(r, pr);
}
