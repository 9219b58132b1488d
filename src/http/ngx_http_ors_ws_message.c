
/*
 * Copyright (C) Open Responses contributors
 */


/* Output of a WebSocket's turn: its events become messages. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_ws.h>
#include <ngx_ors_ws.h>
#include <ngx_ors_text.h>
#include <ngx_ors_error.h>


static void ngx_http_ors_ws_turn_header(ngx_http_ors_ctx_t *ctx);
static ngx_int_t ngx_http_ors_ws_turn_write(ngx_http_request_t *r, ngx_chain_t
    *in);
static void ngx_http_ors_ws_turn_frame(ngx_http_ors_ws_turn_t *t, ngx_chain_t
    *in, ngx_chain_t *last);
static void ngx_http_ors_ws_turn_sent(ngx_http_ors_ws_turn_t *t, size_t
    before);


ngx_int_t
ngx_http_ors_ws_output(ngx_http_ors_ctx_t *ctx)
{
    ngx_int_t                rc;
    ngx_ors_turn_t          *turn;
    ngx_http_ors_ws_turn_t  *t;

    t = ctx->message;
    turn = ctx->turn;

    if (turn->status == 0 || t->ws == NULL || t->event == NULL) {
        return NGX_OK;
    }

    if (!ctx->header_sent) {
        ngx_http_ors_ws_turn_header(ctx);
    }

    if (turn->out.size) {
        ctx->last_output = ngx_current_msec;
    }

    /* a document is an error in front of all events, see below */

    if (ngx_ors_mime_is(&turn->type, "text/event-stream")) {
        rc = ngx_http_ors_pump_send(&ctx->pump, 0);

        if (rc == NGX_ERROR || t->in) {
            return rc;
        }
    }

    if (turn->state == ngx_ors_turn_st_over) {
        ngx_http_ors_ws_turn_over(t);
    }

    return NGX_OK;
}


/* there is no header: its status is for logs */

static void
ngx_http_ors_ws_turn_header(ngx_http_ors_ctx_t *ctx)
{
    ctx->header_sent = 1;
    ctx->request->headers_out.status = ctx->turn->status;

    ngx_http_ors_metrics_open(ctx, ngx_ors_metrics_streams);

    ctx->pump.write = ngx_http_ors_ws_turn_write;
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

        ngx_http_ors_ws_turn_frame(t, t->in, last);

        next = last->next;

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


/*
 * One message ends a failed turn: of "error" and "response.failed" only the
 * latter is sent
 */

static void
ngx_http_ors_ws_turn_frame(ngx_http_ors_ws_turn_t *t, ngx_chain_t *in,
    ngx_chain_t *last)
{
    size_t  before;

    before = t->ws->out.size;

    switch ((ngx_ors_frame_e) last->buf->num) {

    case ngx_ors_frame_is_terminal:
    case ngx_ors_frame_is_event:

        if (!t->terminal) {
            ngx_ors_ws_chain(t->ws->codec, in, last, &t->members);
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

    ngx_http_ors_ws_turn_sent(t, before);
}


/* the turn's own connection sends nothing: its count is for logs */

static void
ngx_http_ors_ws_turn_sent(ngx_http_ors_ws_turn_t *t, size_t before)
{
    t->ctx->request->connection->sent += t->ws->out.size - before;
}


void
ngx_http_ors_ws_turn_error(ngx_http_ors_ws_turn_t *t)
{
    size_t               before;
    ngx_ors_error_t     *err;
    ngx_http_ors_ctx_t  *ctx;

    ctx = t->ctx;
    err = &ctx->turn->error;
    before = t->ws->out.size;

    if (!ngx_ors_line_clean(&ctx->retry_after)) {
        ctx->retry_after.len = 0;
    }

    ngx_ors_client_event_param(t->event, err);

    ngx_http_ors_ws_error(t->ws, err, &t->event->lane, &ctx->retry_after,
                          ctx->turn->pool);

    ngx_http_ors_ws_turn_sent(t, before);

    t->terminal = 1;
}
