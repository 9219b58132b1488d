
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Requests for stored responses: operations on them, and their streams, once
 * more or as they go on.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_background.h>
#include <ngx_ors_event.h>
#include <ngx_ors_operation.h>
#include <ngx_ors_sse.h>


/* ms between two looks at a response that runs here, and in another worker */
#define NGX_HTTP_ORS_STORED_HERE   100
#define NGX_HTTP_ORS_STORED_THERE  1000

#define NGX_HTTP_ORS_STORED_POOL   1024


/* lives as long as its request */

struct ngx_http_ors_stored_s {
    ngx_http_ors_ctx_t       *ctx;
    ngx_ors_operation_t       operation;
    ngx_ors_hold_t            hold;       /* the list's records */
    ngx_pool_t               *pool;       /* of a response that runs here */
    ngx_event_t               timer;
    ngx_int_t                 rc;         /* of ngx_ors_operation_events() */
    ngx_msec_t                interval;   /* to the next look, 0: the first */
};


static ngx_http_ors_stored_t *ngx_http_ors_stored_create(
    ngx_http_ors_ctx_t *ctx, ngx_str_t *id);
static void ngx_http_ors_stored_handler(ngx_ors_store_job_t *job);
static ngx_int_t ngx_http_ors_stored_answer(ngx_http_ors_stored_t *st,
    ngx_int_t rc);
static void ngx_http_ors_stored_stream(ngx_http_ors_stored_t *st,
    ngx_int_t rc);
static ngx_int_t ngx_http_ors_stored_header(ngx_http_ors_stored_t *st);
static void ngx_http_ors_stored_send(ngx_http_ors_stored_t *st);
static void ngx_http_ors_stored_write_handler(ngx_http_request_t *r);
static void ngx_http_ors_stored_timer(ngx_event_t *ev);
static void ngx_http_ors_stored_poll(ngx_http_ors_stored_t *st);
static ngx_int_t ngx_http_ors_stored_here(ngx_http_ors_stored_t *st);
static void ngx_http_ors_stored_free(ngx_http_ors_stored_t *st);
static ngx_ors_turn_t *ngx_http_ors_stored_turn(ngx_http_ors_stored_t *st);
static void ngx_http_ors_stored_cleanup(void *data);


/* with what follows it, an "s" in any case */

ngx_str_t  ngx_http_ors_conversations = ngx_string("/conversation");


ngx_int_t
ngx_http_ors_stored(ngx_http_request_t *r)
{
    char                     *allow;
    ngx_int_t                 rc;
    ngx_str_t                 path, id;
    ngx_uint_t                conversation;
    ngx_ors_operation_e       kind;
    ngx_http_ors_ctx_t       *ctx;
    ngx_ors_operation_t      *op;
    ngx_http_ors_stored_t    *st;
    ngx_http_ors_loc_conf_t  *olcf;

    static ngx_str_t  responses = ngx_string("/responses/");

    /* endpoints, no ids */
    static ngx_str_t  compact = ngx_string("compact");
    static ngx_str_t  tokens = ngx_string("input_tokens");

    olcf = ngx_http_get_module_loc_conf(r, ngx_http_open_responses_module);

    if (olcf->stored.store == NULL) {
        return NGX_DECLINED;
    }

    conversation = (ngx_http_ors_endpoint_below(r, &ngx_http_ors_conversations,
                                                &path)
                    == NGX_OK
                    && path.len > 2 && path.data[1] == '/');

    if (conversation) {
        path.data += 2;
        path.len -= 2;

    } else if (ngx_http_ors_endpoint_below(r, &responses, &path) != NGX_OK
               || ngx_ors_same(&path, &compact)
               || ngx_ors_same(&path, &tokens))
    {
        return NGX_DECLINED;
    }

    rc = ngx_ors_operation_find(&path, &r->method_name, conversation, &id,
                                &kind, &allow);

    if (rc == NGX_DECLINED) {
        return NGX_DECLINED;
    }

    if (rc != NGX_OK) {
        ngx_http_ors_stats_refused(r, NGX_HTTP_NOT_ALLOWED);
        return ngx_http_ors_allow(r, allow);
    }

    rc = ngx_http_discard_request_body(r);

    if (rc != NGX_OK) {
        return rc;
    }

    ctx = ngx_http_ors_ctx_create(r);
    st = ctx ? ngx_http_ors_stored_create(ctx, &id) : NULL;

    if (st == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    r->disable_not_modified = 1;

    op = &st->operation;

    if (st->ctx->ownerless) {
        rc = ngx_http_ors_scope_refuse(r, &op->error);
        rc = (rc == NGX_OK) ? NGX_DONE : NGX_ERROR;

    } else {
        rc = ngx_ors_operation_query(op, kind, &r->args);
    }

    if (rc == NGX_OK) {
        rc = ngx_ors_operation_begin(op, kind);
    }

    /* reserve the maximum for a list until its size is known */

    if (rc == NGX_AGAIN && kind == ngx_ors_operation_items) {
        rc = ngx_ors_operation_reserve(op, &st->hold);
    }

    if (rc != NGX_AGAIN) {
        return ngx_http_ors_stored_answer(st, rc);
    }

    ngx_http_ors_job_post(r, op->job, ngx_http_ors_stored_handler, st);

    r->main->count++;

    r->write_event_handler = ngx_http_request_empty_handler;

    /* a client that goes away is not answered */

    if (ngx_http_ors_watch(r) != NGX_OK) {
        ngx_http_finalize_request(r, NGX_HTTP_INTERNAL_SERVER_ERROR);
    }

    return NGX_DONE;
}


static ngx_http_ors_stored_t *
ngx_http_ors_stored_create(ngx_http_ors_ctx_t *ctx, ngx_str_t *id)
{
    ngx_http_cleanup_t     *cln;
    ngx_http_request_t     *r;
    ngx_ors_operation_t    *op;
    ngx_http_ors_stored_t  *st;

    r = ctx->request;

    st = ngx_pcalloc(r->pool, sizeof(ngx_http_ors_stored_t));
    cln = ngx_http_cleanup_add(r, 0);

    if (st == NULL || cln == NULL
        || ngx_http_ors_scope_store(ctx) != NGX_OK)
    {
        return NULL;
    }

    st->ctx = ctx;
    ngx_http_ors_hold_init(ctx, &st->hold);

    op = &st->operation;

    op->store = ctx->conf->stored.store;
    op->id = *id;
    op->pool = r->pool;
    op->log = r->connection->log;
    op->profile = ctx->conf->policy.profile;
    op->max_turns = ctx->conf->limits.turns;
    op->max_size = ctx->conf->limits.context;
    ngx_memcpy(op->scope, ctx->owner, NGX_ORS_DIGEST_LEN);

    ngx_http_ors_event_init(&st->timer, ngx_http_ors_stored_timer, st, r);

    cln->handler = ngx_http_ors_stored_cleanup;
    cln->data = st;

    ctx->cleanup = cln;
    ctx->stored = st;

    return st;
}


static void
ngx_http_ors_stored_handler(ngx_ors_store_job_t *job)
{
    ngx_int_t               rc;
    ngx_connection_t       *c;
    ngx_http_request_t     *r;
    ngx_http_ors_stored_t  *st;

    st = job->data;
    r = st->ctx->request;
    c = ngx_http_ors_job_done(r, job);

    rc = ngx_ors_operation_done(&st->operation);

    if (rc == NGX_AGAIN && st->operation.job->op == ngx_ors_store_chain) {
        rc = ngx_ors_operation_reserve(&st->operation, &st->hold);
    }

    if (rc == NGX_AGAIN) {
        ngx_http_ors_job_post(r, st->operation.job,
                              ngx_http_ors_stored_handler, st);

    } else if (st->operation.stream
               && (rc == NGX_OK || st->operation.begun))
    {
        ngx_http_ors_stored_stream(st, rc);

    } else {
        ngx_ors_operation_hold(&st->operation, &st->hold);
        ngx_http_finalize_request(r, ngx_http_ors_stored_answer(st, rc));
    }

    ngx_http_run_posted_requests(c);
}


/* an error is sent as it is: no page that "error_page" sets for its status */

static ngx_int_t
ngx_http_ors_stored_answer(ngx_http_ors_stored_t *st, ngx_int_t rc)
{
    ngx_ors_error_t     *err;
    ngx_http_request_t  *r;

    r = st->ctx->request;
    err = &st->operation.error;

    if (rc == NGX_OK) {
        return ngx_http_ors_document(r, NGX_HTTP_OK, &st->operation.out);
    }

    if (rc != NGX_DONE
        || ((err->status == NGX_HTTP_SERVICE_UNAVAILABLE
             || err->status == NGX_HTTP_TOO_MANY_REQUESTS)
            && ngx_ors_header_text(&r->headers_out.headers, "Retry-After",
                                   "retry-after", "1")
               == NULL))
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    st->ctx->header_sent = 1;

    ngx_http_ors_stats_error(r, err);

    return ngx_http_ors_error_send(r, err);
}


/*
 * Streams: what is stored is read once, that of a response that runs again and
 * again; one that runs in this worker is looked at itself.
 */


void
ngx_http_ors_stored_follow(ngx_http_ors_ctx_t *ctx)
{
    ngx_http_request_t     *r;
    ngx_http_ors_stored_t  *st;

    r = ctx->request;

    st = ngx_http_ors_stored_create(ctx, &ctx->turn->response.id);
    if (st == NULL) {
        ngx_http_finalize_request(r, NGX_HTTP_INTERNAL_SERVER_ERROR);
        return;
    }

    st->operation.stream = 1;
    st->operation.obfuscate = ctx->turn->request.obfuscate;
    st->rc = NGX_AGAIN;

    ngx_ors_out_init(&st->operation.out, r->pool, NGX_HTTP_ORS_STORED_POOL);

    r->write_event_handler = ngx_http_request_empty_handler;

    ngx_http_ors_stored_poll(st);
}


/*
 * The response was read: NGX_OK; NGX_AGAIN: it has nothing new; NGX_DONE: it
 * could not be; NGX_ERROR
 */

static void
ngx_http_ors_stored_stream(ngx_http_ors_stored_t *st, ngx_int_t rc)
{
    ngx_ors_operation_t  *op;

    op = &st->operation;

    if (rc == NGX_ERROR) {
        ngx_http_finalize_request(st->ctx->request, NGX_ERROR);
        return;
    }

    st->rc = rc;

    /* the stream has begun: its client may come back later */

    if (rc == NGX_DONE) {
        ngx_ors_event_error(&op->out, op->after, &op->error);
        ngx_ors_frame_done(&op->out);
    }

    if (!st->ctx->header_sent) {
        rc = ngx_http_ors_stored_header(st);

        if (rc == NGX_ERROR || rc > NGX_OK || st->ctx->request->header_only) {
            ngx_http_finalize_request(st->ctx->request, rc);
            return;
        }
    }

    ngx_http_ors_stored_send(st);
}


static ngx_int_t
ngx_http_ors_stored_header(ngx_http_ors_stored_t *st)
{
    ngx_http_request_t  *r;
    ngx_http_ors_ctx_t  *ctx;

    ctx = st->ctx;
    r = ctx->request;

    ctx->header_sent = 1;
    ctx->last_output = ngx_current_msec;

    ctx->pump.request = r;
    ctx->pump.write = ngx_http_output_filter;
    ctx->pump.queue.out = &st->operation.out;
    ctx->pump.queue.limit = ctx->conf->limits.queue;
    ctx->pump.top = 1;

    r->write_event_handler = ngx_http_ors_stored_write_handler;
    r->headers_out.status = NGX_HTTP_OK;

    ngx_str_set(&r->headers_out.content_type, "text/event-stream");
    r->headers_out.content_type_len = r->headers_out.content_type.len;
    r->headers_out.content_type_lowcase = NULL;

    if (ngx_http_ors_stream(r) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_http_ors_metrics_open(ctx, ngx_ors_metrics_streams);

    return ngx_http_send_header(r);
}


/* sends as much as there is, and as the client takes */

static void
ngx_http_ors_stored_send(ngx_http_ors_stored_t *st)
{
    ngx_int_t                  rc;
    ngx_event_t               *wev;
    ngx_http_request_t        *r;
    ngx_http_ors_ctx_t        *ctx;
    ngx_http_core_loc_conf_t  *clcf;

    ctx = st->ctx;
    r = ctx->request;
    wev = r->connection->write;

    for ( ;; ) {

        if (st->rc == NGX_OK) {
            st->rc = ngx_ors_operation_events(&st->operation);
        }

        if (st->operation.out.size) {
            ctx->last_output = ngx_current_msec;
        }

        rc = (st->rc == NGX_ERROR)
             ? NGX_ERROR
             : ngx_http_ors_pump_send(&ctx->pump, st->rc == NGX_DONE);

        if (rc == NGX_ERROR || rc > NGX_OK || st->rc == NGX_DONE) {
            ngx_http_finalize_request(r, rc);
            return;
        }

        if (r->buffered || r->connection->buffered || wev->delayed) {
            break;
        }

        if (st->rc == NGX_AGAIN) {
            ngx_http_ors_stored_free(st);
            ngx_add_timer(&st->timer, st->interval);
            return;
        }
    }

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    if (!wev->delayed) {
        ngx_add_timer(wev, clcf->send_timeout);
    }

    if (ngx_handle_write_event(wev, clcf->send_lowat) != NGX_OK) {
        ngx_http_finalize_request(r, NGX_ERROR);
    }
}


static void
ngx_http_ors_stored_write_handler(ngx_http_request_t *r)
{
    ngx_event_t         *wev;
    ngx_http_ors_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_open_responses_module);
    wev = r->connection->write;

    if (wev->timedout) {
        ngx_log_error(NGX_LOG_INFO, r->connection->log, NGX_ETIMEDOUT,
                      "client timed out");
        r->connection->timedout = 1;

        ngx_http_finalize_request(r, NGX_HTTP_REQUEST_TIME_OUT);
        return;
    }

    if (wev->timer_set && !wev->delayed) {
        ngx_del_timer(wev);
    }

    /* nothing is sent between two looks, or while a job reads for the next */

    if (!ctx->stored->timer.timer_set && ctx->stored->operation.job == NULL) {
        ngx_http_ors_stored_send(ctx->stored);
    }
}


static void
ngx_http_ors_stored_timer(ngx_event_t *ev)
{
    ngx_msec_t              interval;
    ngx_connection_t       *c;
    ngx_http_ors_ctx_t     *ctx;
    ngx_http_ors_stored_t  *st;

    st = ev->data;
    ctx = st->ctx;
    c = ctx->request->connection;
    interval = ctx->conf->heartbeat;

    ngx_http_set_log_request(c->log, ctx->request);

    if (interval && ngx_current_msec - ctx->last_output >= interval) {
        ngx_ors_frame_comment(&st->operation.out);
    }

    ngx_http_ors_stored_poll(st);

    ngx_http_run_posted_requests(c);
}


/* all that was read before has been sent */

static void
ngx_http_ors_stored_poll(ngx_http_ors_stored_t *st)
{
    ngx_int_t            rc;
    ngx_http_request_t  *r;

    r = st->ctx->request;
    st->interval = NGX_HTTP_ORS_STORED_HERE;

    rc = ngx_http_ors_stored_here(st);

    if (rc == NGX_DECLINED) {
        st->interval = NGX_HTTP_ORS_STORED_THERE;
        rc = ngx_ors_operation_poll(&st->operation);

        if (rc == NGX_AGAIN) {
            ngx_http_ors_job_post(r, st->operation.job,
                                  ngx_http_ors_stored_handler, st);
            return;
        }
    }

    ngx_http_ors_stored_stream(st, rc);
}


/*
 * NGX_OK, NGX_DONE, NGX_ERROR; NGX_AGAIN: it has no new event; NGX_DECLINED: it
 * does not run here
 */

static ngx_int_t
ngx_http_ors_stored_here(ngx_http_ors_stored_t *st)
{
    ngx_ors_turn_t       *turn;
    ngx_ors_operation_t  *op;

    op = &st->operation;
    turn = ngx_http_ors_stored_turn(st);

    if (turn == NULL) {
        return NGX_DECLINED;
    }

    if (op->begun && op->record.journal.len == turn->journal.len) {
        return NGX_AGAIN;
    }

    st->pool = ngx_create_pool(NGX_HTTP_ORS_STORED_POOL,
                               st->ctx->request->connection->log);
    if (st->pool == NULL) {
        return NGX_ERROR;
    }

    return ngx_ors_operation_live(op, turn, st->ctx->conf->stored.instructions,
                                  st->pool);
}


/* the memory of events that have been sent */

static void
ngx_http_ors_stored_free(ngx_http_ors_stored_t *st)
{
    ngx_ors_operation_close(&st->operation);

    if (st->pool) {
        ngx_destroy_pool(st->pool);
        st->pool = NULL;
    }
}


/* a stream that runs in this worker, and has not ended, or NULL */

static ngx_ors_turn_t *
ngx_http_ors_stored_turn(ngx_http_ors_stored_t *st)
{
    ngx_queue_t                *q;
    ngx_ors_turn_t             *turn;
    ngx_ors_operation_t        *op;
    ngx_ors_store_key_t         key;
    ngx_http_ors_background_t  *bg;
    ngx_http_ors_main_conf_t   *omcf;

    op = &st->operation;
    omcf = ngx_http_get_module_main_conf(st->ctx->request,
                                         ngx_http_open_responses_module);

    if (ngx_ors_key(op->scope, ngx_ors_key_response, &op->id, &key)
        != NGX_OK)
    {
        return NULL;
    }

    for (q = ngx_queue_head(&omcf->background);
         q != ngx_queue_sentinel(&omcf->background);
         q = ngx_queue_next(q))
    {
        bg = ngx_queue_data(q, ngx_http_ors_background_t, queue);

        if (ngx_memcmp(&bg->life.record, &key, sizeof(ngx_ors_store_key_t))
            != 0)
        {
            continue;
        }

        /* its end is told when it is stored */

        turn = bg->ctx->turn;

        return (bg->life.state == ngx_ors_background_st_run
                && bg->life.session->store == op->store
                && turn->response.journal
                && turn->response.status == ngx_ors_response_in_progress)
               ? turn : NULL;
    }

    return NULL;
}


static void
ngx_http_ors_stored_cleanup(void *data)
{
    ngx_http_ors_stored_t  *st = data;

    ngx_http_ors_event_stop(&st->timer);

    ngx_http_ors_stored_free(st);
    ngx_ors_hold_release(&st->hold);
    ngx_http_ors_metrics_close(st->ctx);
}
