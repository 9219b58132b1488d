
/*
 * Copyright (C) Open Responses contributors
 */


/* The gateway's answer to the client: header, body, and a client's pace. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_ws.h>
#include <ngx_ors_compat.h>
#include <ngx_ors_text.h>
#include <ngx_ors_error.h>


static ngx_int_t ngx_http_ors_output_header(ngx_http_ors_ctx_t *ctx);
static ngx_int_t ngx_http_ors_output_retry_after(ngx_http_ors_ctx_t *ctx);
static void ngx_http_ors_output_pace_timer(ngx_http_ors_ctx_t *ctx,
    ngx_msec_t timeout);


ngx_int_t
ngx_http_ors_output(ngx_http_ors_ctx_t *ctx)
{
    ngx_int_t  rc;

    if (ctx->message) {
        return ngx_http_ors_ws_output(ctx);
    }

    if (ctx->turn->status == 0) {
        return NGX_OK;
    }

    if (!ctx->header_sent) {
        rc = ngx_http_ors_output_header(ctx);

        if (rc == NGX_ERROR || rc > NGX_OK) {
            return rc;
        }
    }

    if (ctx->request->header_only) {
        return NGX_OK;
    }

    if (ctx->turn->out.size) {
        ctx->last_output = ngx_current_msec;
    }

    return ngx_http_ors_pump_send(&ctx->pump, ctx->turn->state
                                              == ngx_ors_turn_st_over);
}


static ngx_int_t
ngx_http_ors_output_header(ngx_http_ors_ctx_t *ctx)
{
    ngx_list_t          *headers;
    ngx_ors_turn_t      *turn;
    ngx_table_elt_t     *h;
    ngx_http_request_t  *r;

    r = ctx->request;
    turn = ctx->turn;
    headers = &r->headers_out.headers;

    ctx->header_sent = 1;

    r->headers_out.status = turn->status;
    r->headers_out.content_type = turn->type;
    r->headers_out.content_type_len = turn->type.len;
    r->headers_out.content_type_lowcase = NULL;

    if (ngx_ors_mime_is(&turn->type, "text/event-stream")) {

        /* where "expires" finds it, which is to replace it */

        h = ngx_ors_header_text(headers, "Cache-Control", "cache-control",
                                "no-cache");

        if (h == NULL
            || ngx_ors_header_link(&r->headers_out.cache_control, h, r->pool)
               != NGX_OK
            || ngx_ors_header_text(headers, "X-Accel-Buffering",
                                   "x-accel-buffering", "no")
               == NULL)
        {
            return NGX_ERROR;
        }

        ngx_http_ors_metrics_open(ctx, ngx_ors_metrics_streams);

    } else if (turn->state == ngx_ors_turn_st_over) {
        r->headers_out.content_length_n = turn->out.size;
    }

    if (turn->status >= 400 && ngx_http_ors_output_retry_after(ctx) != NGX_OK) {
        return NGX_ERROR;
    }

    /* rate limits of an upstream reveal the operator's account */

    if (ctx->call && !turn->policy.mask
        && ngx_ors_headers_pass(&ctx->call->request->headers_out.headers,
                                headers)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_send_header(r);
}


/* as the target has it, or else as its text or body has it */

static ngx_int_t
ngx_http_ors_output_retry_after(ngx_http_ors_ctx_t *ctx)
{
    u_char      *p;
    ngx_uint_t   retry;

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

    return ngx_ors_header_add(&ctx->request->headers_out.headers,
                              "Retry-After", "retry-after", &ctx->retry_after)
           ? NGX_OK : NGX_ERROR;
}


/* a slow client is waited for, and with it the model; a fast one is not */

ngx_int_t
ngx_http_ors_output_pace(ngx_http_ors_ctx_t *ctx)
{
    ngx_event_t               *wev;
    ngx_http_request_t        *r;
    ngx_http_core_loc_conf_t  *clcf;

    r = ctx->request;
    wev = r->connection->write;
    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    if (ctx->message) {

        /* the connection waits for its client */

    } else if (r->buffered || r->connection->buffered || wev->delayed) {
        ngx_http_ors_output_pace_timer(ctx, clcf->send_timeout);

        if (ngx_handle_write_event(wev, clcf->send_lowat) != NGX_OK) {
            return NGX_ERROR;
        }

    } else if (ctx->pace.timer_set) {
        ngx_del_timer(&ctx->pace);
    }

    if (ctx->call && !ngx_ors_queue_full(&ctx->pump.queue)) {
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
ngx_http_ors_output_pace_timer(ngx_http_ors_ctx_t *ctx, ngx_msec_t timeout)
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
