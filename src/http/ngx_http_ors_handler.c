
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The content handler: a client's request until its turn is made and the body
 * is read.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_background.h>
#include <ngx_http_ors_ws.h>


static void ngx_http_ors_body_handler(ngx_http_request_t *r);
static ngx_int_t ngx_http_ors_begin(ngx_http_ors_ctx_t *ctx);
static ngx_int_t ngx_http_ors_start(ngx_http_ors_ctx_t *ctx);


ngx_int_t
ngx_http_ors_handler(ngx_http_request_t *r)
{
    ngx_int_t                  rc;
    ngx_http_ors_ctx_t        *ctx;
    const ngx_ors_endpoint_t  *endpoint;

    if (r != r->main) {

        /* output and the client's pace are those of a main request */

        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "a location with \"open_responses on\" cannot serve "
                      "a subrequest to \"%V\"", &r->uri);
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    rc = ngx_http_ors_stored(r);

    if (rc != NGX_DECLINED) {
        return rc;
    }

    rc = ngx_http_ors_endpoint(r, &endpoint);

    if (rc != NGX_OK) {
        ngx_http_ors_stats_refused(r, rc);
        return rc;
    }

    if (endpoint->request == NULL) {
        return ngx_http_ors_models(r);
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

    if (rc >= NGX_HTTP_SPECIAL_RESPONSE) {
        return rc;
    }

    return NGX_DONE;
}


static void
ngx_http_ors_body_handler(ngx_http_request_t *r)
{
    ngx_http_ors_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_open_responses_module);

    ngx_ors_stats_count(ngx_http_ors_stats(r), ngx_ors_stats_request_checked);

    if (ngx_http_ors_begin(ctx) != NGX_OK) {
        ngx_http_finalize_request(r, NGX_HTTP_INTERNAL_SERVER_ERROR);
    }
}


static ngx_int_t
ngx_http_ors_begin(ngx_http_ors_ctx_t *ctx)
{
    if (ngx_http_ors_start(ctx) != NGX_OK) {
        return NGX_ERROR;
    }

    ctx->request->write_event_handler = ngx_http_ors_turn_write_handler;

    ngx_http_ors_turn_advance(ctx);

    return NGX_OK;
}


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
    turn->prompt = olcf->compact_prompt;
    turn->round.hosting = &olcf->hosting;
    turn->round.conform = olcf->conform;
    turn->round.conform.cache = &omcf->schemas;

    if (ctx->message) {
        ngx_http_ors_ws_prepare(ctx);
    }

    if (ngx_http_ors_scope_sealer(ctx, &turn->sealer) != NGX_OK
        || ngx_http_ors_turn_init(ctx) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (ngx_http_ors_body(r, &body) != NGX_OK) {
        return NGX_ERROR;
    }

    start = ngx_ors_metrics_clock();
    rc = ngx_ors_turn_request(turn, &body);
    ctx->own = ngx_ors_metrics_clock() - start;

    if (rc != NGX_OK) {
        return (rc == NGX_DONE) ? NGX_OK : NGX_ERROR;
    }

    rc = ngx_http_ors_session_init(ctx);

    if (rc != NGX_OK) {
        return (rc == NGX_DONE) ? NGX_OK : NGX_ERROR;
    }

    rc = ngx_ors_route_find(olcf->routes, &turn->request.model,
                            &turn->request.provider, &ctx->target,
                            r->connection->log);

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    if (rc == NGX_DECLINED) {
        (void) ngx_ors_turn_unrouted(turn);
        return NGX_OK;
    }

    ngx_http_ors_peer_first(ctx);

    ngx_log_debug4(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "ors gateway: %uz bytes, stream:%d stored:%d for \"%V\"",
                   body.len, turn->request.stream, turn->request.stored,
                   &ctx->target->uri);

    if (ctx->message == NULL && ngx_http_ors_watch(r) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_http_ors_heartbeat(ctx, olcf->heartbeat);

    rc = ngx_http_ors_background_early(ctx);

    if (rc == NGX_OK) {
        return ngx_http_ors_call(ctx);
    }

    return (rc == NGX_ERROR) ? NGX_ERROR : NGX_OK;
}
