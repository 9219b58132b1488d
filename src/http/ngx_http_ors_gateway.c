
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The content handler: a client's request, its turn, and the loop that advances
 * the turn and sends what it has to say.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_background.h>
#include <ngx_http_ors_ws.h>
#include <ngx_http_ors_mcp.h>
#include <ngx_http_ors_subrequest.h>
#include <ngx_http_ors_tools.h>
#include <ngx_ors_text.h>
#include <ngx_ors_error.h>


/* spare bytes when a short body is made for a target */
#define NGX_HTTP_ORS_SPARE  256

/* how long a model server may take to end a stream that is over, ms */
#define NGX_HTTP_ORS_LINGER  500


static void ngx_http_ors_body_handler(ngx_http_request_t *r);
static ngx_int_t ngx_http_ors_refuse(ngx_http_request_t *r,
    ngx_ors_error_t *err);
static ngx_int_t ngx_http_ors_models(ngx_http_request_t *r, ngx_str_t *id);
static ngx_int_t ngx_http_ors_begin(ngx_http_ors_ctx_t *ctx);
static ngx_int_t ngx_http_ors_start(ngx_http_ors_ctx_t *ctx);
static ngx_int_t ngx_http_ors_call_early(ngx_http_ors_call_t *call);
static ngx_int_t ngx_http_ors_call_make(ngx_http_ors_call_t *call);
static void ngx_http_ors_turn_write_handler(ngx_http_request_t *r);
static void ngx_http_ors_turn_advance(ngx_http_ors_ctx_t *ctx);
static void ngx_http_ors_turn_resume(ngx_http_ors_ctx_t *ctx, ngx_int_t rc);
static ngx_int_t ngx_http_ors_turn_work(ngx_http_ors_ctx_t *ctx);
static ngx_int_t ngx_http_ors_turn_ended(ngx_http_ors_ctx_t *ctx);
static void ngx_http_ors_turn_send(ngx_http_ors_ctx_t *ctx);
static void ngx_http_ors_turn_pace_handler(ngx_event_t *ev);
static void ngx_http_ors_turn_finalize(ngx_http_ors_ctx_t *ctx, ngx_int_t rc);
static void ngx_http_ors_turn_linger_handler(ngx_event_t *ev);
static void ngx_http_ors_turn_trace(ngx_http_ors_ctx_t *ctx);
static void ngx_http_ors_turn_gone(void *data);
static ngx_int_t ngx_http_ors_output(ngx_http_ors_ctx_t *ctx);
static ngx_int_t ngx_http_ors_output_header(ngx_http_ors_ctx_t *ctx);
static ngx_int_t ngx_http_ors_output_retry_after(ngx_http_ors_ctx_t *ctx);
static ngx_int_t ngx_http_ors_output_pace(ngx_http_ors_ctx_t *ctx);
static void ngx_http_ors_heartbeat_handler(ngx_event_t *ev);


const ngx_http_ors_call_kind_t  ngx_http_ors_call_kind = {
    "call",
    &ngx_http_ors_call_source,
    ngx_http_ors_call_early,
    ngx_http_ors_call_make,
    ngx_http_ors_call_header,
    ngx_http_ors_call_replaced
};


ngx_int_t
ngx_http_ors_handler(ngx_http_request_t *r)
{
    ngx_int_t                  rc;
    ngx_str_t                  id;
    ngx_ors_error_t            err;
    ngx_http_ors_ctx_t        *ctx;
    ngx_http_ors_loc_conf_t   *olcf;
    const ngx_ors_endpoint_t  *endpoint;

    static ngx_str_t  models = ngx_string("/models/");

    if (r != r->main) {

        /* output and the client's pace are those of a main request */

        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "a location with \"open_responses on\" cannot serve "
                      "a subrequest to \"%V\"", &r->uri);
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    olcf = ngx_http_get_module_loc_conf(r, ngx_http_open_responses_module);

    if (ngx_http_ors_release_check(r, olcf, &err) != NGX_OK) {
        return ngx_http_ors_refuse(r, &err);
    }

    rc = ngx_http_ors_conversation(r);

    if (rc == NGX_DECLINED) {
        rc = ngx_http_ors_stored(r);
    }

    if (rc != NGX_DECLINED) {
        return rc;
    }

    rc = ngx_http_ors_endpoint(r, &endpoint);

    if (rc == NGX_HTTP_NOT_FOUND
        && ngx_http_ors_endpoint_below(r, &models, &id) == NGX_OK)
    {
        rc = (r->method & (NGX_HTTP_GET|NGX_HTTP_HEAD))
             ? NGX_DECLINED : ngx_http_ors_allow(r, "GET, HEAD");
    }

    if (rc == NGX_DECLINED) {
        return ngx_http_ors_models(r, &id);
    }

    if (rc != NGX_OK) {
        ngx_http_ors_stats_refused(r, rc);
        return rc;
    }

    if (endpoint->request == NULL) {
        return ngx_http_ors_models(r, NULL);
    }

    if (r->method == NGX_HTTP_GET) {
        return ngx_http_ors_ws_handler(r, endpoint, ngx_http_ors_begin);
    }

    ctx = ngx_http_ors_ctx_create(r);
    if (ctx == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ctx->endpoint = endpoint;

    /* responses have no ETag or date: ignore If-* */

    r->disable_not_modified = 1;

    r->request_body_in_single_buf = 1;

    rc = ngx_http_read_client_request_body(r, ngx_http_ors_body_handler);

    return (rc >= NGX_HTTP_SPECIAL_RESPONSE) ? rc : NGX_DONE;
}


/* counts and sends an error before there is a turn */

static ngx_int_t
ngx_http_ors_refuse(ngx_http_request_t *r, ngx_ors_error_t *err)
{
    ngx_http_ors_ctx_t  *ctx;

    ctx = ngx_http_ors_ctx_create(r);
    if (ctx == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ctx->header_sent = 1;

    ngx_http_ors_stats_error(r, err);

    return ngx_http_ors_error_send(r, err);
}


/* the models that have routes by their full name, or one that has any route */

static ngx_int_t
ngx_http_ors_models(ngx_http_request_t *r, ngx_str_t *id)
{
    ngx_int_t                 rc;
    ngx_ors_out_t             out;
    ngx_ors_error_t           err;
    ngx_http_ors_loc_conf_t  *olcf;

    rc = ngx_http_discard_request_body(r);

    if (rc != NGX_OK) {
        return rc;
    }

    olcf = ngx_http_get_module_loc_conf(r, ngx_http_open_responses_module);

    ngx_ors_out_init(&out, r->pool, NGX_HTTP_ORS_BLOCK);

    if (id == NULL) {
        ngx_ors_route_models(olcf->routes, olcf->created, &out);

    } else {
        rc = ngx_ors_route_model(olcf->routes, id, olcf->created, &out,
                                 r->connection->log);
    }

    if (rc == NGX_DECLINED) {
        (void) ngx_ors_error_set(&err, r->pool, ngx_ors_code_model_not_found,
                                 "there is no model of this name");

        return ngx_http_ors_refuse(r, &err);
    }

    return (rc == NGX_OK) ? ngx_http_ors_document(r, NGX_HTTP_OK, &out)
                          : NGX_HTTP_INTERNAL_SERVER_ERROR;
}


static void
ngx_http_ors_body_handler(ngx_http_request_t *r)
{
    ngx_int_t            rc;
    ngx_str_t            body;
    ngx_ors_error_t      err;
    ngx_http_ors_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_open_responses_module);

    rc = ngx_http_ors_body(r, &body);

    if (rc == NGX_OK) {
        rc = ngx_http_ors_body_decode(r, &body, 1, &err);
    }

    if (rc == NGX_DECLINED) {
        ngx_http_finalize_request(r, ngx_http_ors_refuse(r, &err));
        return;
    }

    ngx_ors_stats_count(ngx_http_ors_stats(r), ngx_ors_stats_request_checked);

    if (rc != NGX_OK || ngx_http_ors_begin(ctx) != NGX_OK) {
        ngx_http_finalize_request(r, NGX_HTTP_INTERNAL_SERVER_ERROR);
    }
}


static ngx_int_t
ngx_http_ors_begin(ngx_http_ors_ctx_t *ctx)
{
    if (ngx_http_ors_start(ctx) == NGX_ERROR) {
        return NGX_ERROR;
    }

    ngx_http_ors_turn_advance(ctx);

    return NGX_OK;
}


/* NGX_OK, NGX_AGAIN: it runs elsewhere, NGX_DONE: it is over, or NGX_ERROR */

static ngx_int_t
ngx_http_ors_start(ngx_http_ors_ctx_t *ctx)
{
    uint64_t                   start;
    ngx_int_t                  rc;
    ngx_str_t                  body;
    ngx_ors_turn_t            *turn;
    ngx_http_request_t        *r;
    ngx_http_ors_loc_conf_t   *olcf;
    ngx_http_ors_main_conf_t  *omcf;

    r = ctx->request;
    olcf = ctx->conf;
    omcf = ngx_http_get_module_main_conf(r, ngx_http_open_responses_module);

    turn = ngx_ors_turn_create(ctx->endpoint, &olcf->policy, &olcf->limits,
                               r->pool, r->connection->log);
    if (turn == NULL) {
        return NGX_ERROR;
    }

    ctx->turn = turn;

    ngx_ors_turn_conf(turn, &olcf->hosting, &olcf->conform, &omcf->schemas,
                      &olcf->compact_prompt);

    if (ctx->message) {
        ngx_http_ors_ws_prepare(ctx);
    }

    if (ngx_http_ors_turn_init(ctx) != NGX_OK
        || ngx_http_ors_body(r, &body) != NGX_OK)
    {
        return NGX_ERROR;
    }

    start = ngx_ors_metrics_clock();
    rc = ngx_ors_turn_request(turn, &body);
    ctx->own = ngx_ors_metrics_clock() - start;

    if (rc == NGX_OK) {
        rc = ngx_http_ors_session_init(ctx);
    }

    if (rc != NGX_OK) {
        return rc;
    }

    rc = ngx_ors_route_find(olcf->routes, &turn->request.model,
                            &turn->request.provider, &ctx->target,
                            r->connection->log);

    if (rc != NGX_OK) {
        return (rc == NGX_DECLINED) ? ngx_ors_turn_unrouted(turn) : NGX_ERROR;
    }

    ngx_http_ors_peer_first(ctx);

    ngx_log_debug4(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "ors gateway: %uz bytes, stream:%d stored:%d for \"%V\"",
                   body.len, turn->request.stream, turn->request.stored,
                   &ctx->target->uri);

    if (ctx->message == NULL && ngx_http_ors_watch(r) != NGX_OK) {
        return NGX_ERROR;
    }

    if (olcf->heartbeat && turn->request.stream) {
        ctx->last_output = ngx_current_msec;

        ngx_http_ors_event_init(&ctx->heartbeat, ngx_http_ors_heartbeat_handler,
                                ctx, r);
        ngx_add_timer(&ctx->heartbeat, olcf->heartbeat);
    }

    rc = ngx_http_ors_background_early(ctx);

    return (rc == NGX_OK) ? ngx_http_ors_call(ctx) : rc;
}


/*
 * The phases of a call: decisions and the body, made as soon as the location of
 * its target is known.
 */


/* the target's location is known: where the turn runs, and for whom */

static ngx_int_t
ngx_http_ors_call_early(ngx_http_ors_call_t *call)
{
    ngx_int_t                 rc;
    ngx_http_ors_ctx_t       *ctx;
    ngx_http_ors_loc_conf_t  *olcf;

    ctx = call->ctx;

    if (ngx_http_ors_call_over(call)) {
        return NGX_ERROR;
    }

    olcf = ngx_http_get_module_loc_conf(call->request,
                                        ngx_http_open_responses_module);

    rc = ngx_http_ors_session_settle(ctx, olcf);

    /* a turn that runs elsewhere passes the target's limits there */

    if (rc == NGX_OK) {
        rc = ngx_http_ors_background_begin(ctx);
    }

    if (rc == NGX_OK && ctx->detached) {
        call->early = 1;
        ngx_http_ors_post(call->request->parent, &ctx->posted);
    }

    return rc;
}


static ngx_int_t
ngx_http_ors_call_make(ngx_http_ors_call_t *call)
{
    size_t                    size;
    uint64_t                  start;
    ngx_int_t                 rc;
    ngx_str_t                *maker;
    ngx_chain_t              *bufs;
    ngx_ors_out_t             out;
    ngx_ors_turn_t           *turn;
    ngx_http_request_t       *r;
    ngx_http_ors_ctx_t       *ctx;
    ngx_http_ors_loc_conf_t  *olcf;

    r = call->request;
    ctx = call->ctx;
    turn = ctx->turn;

    if (ngx_http_ors_call_over(call)) {
        return NGX_ERROR;
    }

    olcf = ngx_http_get_module_loc_conf(r, ngx_http_open_responses_module);

    if (call->conf == olcf) {
        return ngx_http_ors_background_ready(ctx);
    }

    rc = ngx_http_ors_session_load(ctx);

    if (rc == NGX_OK) {
        rc = ngx_http_ors_mcp_load(ctx, olcf->dialect);
    }

    if (rc != NGX_OK) {
        return rc;
    }

    if (ctx->message && ngx_http_ors_ws_warm(ctx)) {
        return ngx_ors_turn_warm(turn, olcf->dialect);
    }

    call->conf = olcf;

    /* it will be as long as the client's */

    size = ngx_min(turn->request.body.len + NGX_HTTP_ORS_SPARE,
                   NGX_ORS_DECODE_STEP);

    if (ngx_http_ors_call_pool(call, size) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_ors_out_init(&out, call->pool, size);

    maker = &ctx->target->provider;

    if (maker->len == 0) {
        maker = olcf->preset_name.len ? &olcf->preset_name
                                      : &ctx->target->uri;
    }

    ngx_ors_turn_target(turn, &ctx->target->provider, maker,
                        ngx_http_ors_peer_refuses(ctx, olcf));

    start = ngx_ors_metrics_clock();
    rc = ngx_ors_turn_call(turn, olcf->dialect, &olcf->options, &olcf->model,
                           &out);

    if (rc == NGX_OK && olcf->sets
        && ctx->endpoint->id != ngx_ors_endpoint_embeddings)
    {
        rc = ngx_http_ors_set_body(call, olcf, &out);
    }

    ctx->own += ngx_ors_metrics_clock() - start;

    size = out.size;

    if (rc == NGX_OK) {
        rc = ngx_ors_out_take(&out, &bufs);
    }

    if (rc == NGX_OK) {
        rc = ngx_http_ors_body_set(r, bufs, size);
    }

    if (rc != NGX_OK) {
        return rc;
    }

    /* later rounds and targets have the same request */

    if (!ctx->ignored) {
        ctx->ignored = 1;
        ngx_http_ors_stats_ignored(r->main, &turn->request);
    }

    /* when this subrequest has begun to send: ngx_http_ors_call_push() */

    ngx_http_ors_post(r->parent, &ctx->posted);

    return ngx_http_ors_background_ready(ctx);
}


/* The main loop of a turn: what has happened, and what is done next. */


ngx_int_t
ngx_http_ors_turn_init(ngx_http_ors_ctx_t *ctx)
{
    ngx_ors_turn_t      *turn;
    ngx_ors_sealer_t    *sealer;
    ngx_http_cleanup_t  *cln;
    ngx_http_request_t  *r;

    r = ctx->request;
    turn = ctx->turn;

    cln = ngx_http_cleanup_add(r, 0);

    if (cln == NULL || ngx_http_ors_scope_sealer(ctx, &sealer) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_ors_turn_sealer(turn, sealer);

    cln->handler = ngx_http_ors_turn_gone;
    cln->data = ctx;

    ctx->cleanup = cln;

    ctx->resume = ngx_http_ors_turn_resume;
    ctx->first_token = -1;

    ctx->pump.request = r;
    ctx->pump.write = ngx_http_output_filter;
    ctx->pump.queue.out = &turn->out;
    ctx->pump.queue.limit = turn->limits->queue;
    ctx->pump.top = 1;

    ngx_http_ors_event_init(&ctx->pace, ngx_http_ors_turn_pace_handler, ctx, r);
    ngx_http_ors_event_init(&ctx->linger, ngx_http_ors_turn_linger_handler, ctx,
                            r);

    r->write_event_handler = ngx_http_ors_turn_write_handler;

    return NGX_OK;
}


static void
ngx_http_ors_turn_write_handler(ngx_http_request_t *r)
{
    ngx_http_ors_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_open_responses_module);

    /* the subrequest has set this timer, the client's is ctx->pace */

    r->connection->write->timedout = 0;

    ngx_http_ors_calls_wake(ctx);

    ngx_http_ors_turn_advance(ctx);
}


/*
 * Advances the turn: ends it with its call, calls the next target, stores the
 * turn, sends what the client is to get, and finalizes the request at the
 * end.  Nothing of "ctx" may be touched afterwards.
 */

static void
ngx_http_ors_turn_advance(ngx_http_ors_ctx_t *ctx)
{
    ngx_int_t  rc;

    if (ctx->call) {
        ngx_http_ors_call_push(ctx->call);
    }

    if (ctx->delayed && !ctx->request->connection->write->delayed) {

        /* "limit_rate" has let the connection go on */

        ctx->delayed = 0;
        ngx_http_ors_event_stop(&ctx->pace);
    }

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

    if (ctx->follows && ctx->turn->state == ngx_ors_turn_st_over) {
        ngx_http_ors_turn_gone(ctx);
        ngx_http_ors_stored_follow(ctx);
        return;
    }

    ngx_http_ors_turn_send(ctx);
}


static void
ngx_http_ors_turn_resume(ngx_http_ors_ctx_t *ctx, ngx_int_t rc)
{
    if (rc == NGX_ERROR) {
        ngx_http_ors_turn_finalize(ctx, NGX_ERROR);

    } else {
        ngx_http_ors_turn_advance(ctx);
    }
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
    log = ctx->request->connection->log;

    ngx_http_ors_peer_late(ctx);
    ngx_ors_turn_limited(turn, call->limited);

    if (call->starved && turn->state == ngx_ors_turn_st_call) {

        /* no other target could be reached, either */

        (void) ngx_ors_error_set(&turn->error, turn->pool,
                                 ngx_ors_code_server_is_overloaded,
                                 "the server has no connection left for the "
                                 "model, try again later");

        return ngx_ors_turn_give_up(turn);
    }

    /* lines of the log name the target, its server and the path */

    ngx_http_set_log_request(log, call->request);
    rc = ngx_ors_turn_end(turn, call->status, call->complete);
    ngx_http_set_log_request(log, ctx->request);

    return rc;
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
                   "ors turn: %s, was %s, status %ui",
                   ngx_ors_turn_states[state],
                   ngx_ors_turn_states[ctx->state], ctx->turn->status);

    ctx->state = state;
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
                   "ors turn: finalized %i, %s", rc,
                   ngx_ors_turn_states[ctx->turn->state]);

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
                       "ors call: dropped with its request, %s",
                       ngx_ors_turn_states[ctx->turn->state]);
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


/* The gateway's answer to the client: header, body, and a client's pace. */


/*
 * NGX_OK, NGX_AGAIN: sent, or as much as the client takes; else for
 * ngx_http_finalize_request()
 */

static ngx_int_t
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

        if (ngx_http_ors_stream(r) != NGX_OK) {
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
    ngx_str_t   *value;
    ngx_uint_t   retry;

    value = &ctx->retry_after;
    retry = ctx->turn->error.retry;

    if (value->len == 0 || !ngx_ors_line_clean(value)) {

        if (retry == 0) {
            return NGX_OK;
        }

        p = ngx_pnalloc(ctx->request->pool, NGX_INT_T_LEN);
        if (p == NULL) {
            return NGX_ERROR;
        }

        value->data = p;
        value->len = ngx_sprintf(p, "%ui", (retry + 999) / 1000) - p;
    }

    return ngx_ors_header_add(&ctx->request->headers_out.headers,
                              "Retry-After", "retry-after", value)
           ? NGX_OK : NGX_ERROR;
}


/*
 * A slow client is waited for, and with it the model; a fast one is not.
 *
 * The timer of the connection's write event cannot be used: the upstream of
 * a subrequest sets it to the time-out of the target's location, or deletes
 * it, though it was that of "limit_rate"
 */

static ngx_int_t
ngx_http_ors_output_pace(ngx_http_ors_ctx_t *ctx)
{
    ngx_event_t               *wev;
    ngx_connection_t          *c;
    ngx_http_request_t        *r;
    ngx_http_core_loc_conf_t  *clcf;

    r = ctx->request;
    c = r->connection;
    wev = c->write;
    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    if (ctx->message) {

        /* the connection waits for its client */

    } else if (r->buffered || c->buffered || wev->delayed) {

        if (wev->delayed && !ctx->delayed) {
            ngx_log_debug0(NGX_LOG_DEBUG_HTTP, c->log, 0,
                           "ors output: delayed by limit_rate");

            ctx->delayed = 1;
            ngx_add_timer(&ctx->pace, wev->timer_set
                                      ? wev->timer.key - ngx_current_msec : 1);
        }

        /* a client that takes nothing is not helped by a model that goes on */

        if (!wev->delayed && (!ctx->pace.timer_set || ctx->sent != c->sent)) {
            ngx_log_debug1(NGX_LOG_DEBUG_HTTP, c->log, 0,
                           "ors output: the client takes nothing, sent %O",
                           c->sent);

            ctx->sent = c->sent;
            ngx_add_timer(&ctx->pace, clcf->send_timeout);
        }

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


/* a client that waits for a stream hears a comment after a while of silence */

static void
ngx_http_ors_heartbeat_handler(ngx_event_t *ev)
{
    ngx_msec_t           silent, interval;
    ngx_connection_t    *c;
    ngx_http_ors_ctx_t  *ctx;

    ctx = ev->data;
    c = ctx->request->connection;

    ngx_http_set_log_request(c->log, ctx->request);

    /* the timer is not set anew with each event, but only when it is due */

    interval = ctx->conf->heartbeat;
    silent = ngx_current_msec - ctx->last_output;

    if (silent < interval) {
        ngx_add_timer(ev, interval - silent);
        return;
    }

    ngx_add_timer(ev, interval);

    /* a client that is slow has something to read */

    if (ngx_ors_queue_pending(&ctx->pump.queue) == 0
        && ngx_ors_turn_heartbeat(ctx->turn))
    {
        ngx_log_debug1(NGX_LOG_DEBUG_HTTP, c->log, 0,
                       "ors heartbeat: sent after %M ms of silence", silent);

        ngx_http_ors_event_resume(ctx);
    }
}
