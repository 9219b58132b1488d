
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The phases of a call: what is decided and made as soon as the location of
 * its target is known.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_background.h>
#include <ngx_http_ors_mcp.h>
#include <ngx_http_ors_subrequest.h>
#include <ngx_http_ors_ws.h>


/* spare bytes when a short body is made for a target */
#define NGX_HTTP_ORS_SPARE  256


static ngx_int_t ngx_http_ors_call_early(ngx_http_ors_call_t *call);
static ngx_int_t ngx_http_ors_call_make(ngx_http_ors_call_t *call);
static ngx_int_t ngx_http_ors_call_status(ngx_int_t rc);
static ngx_int_t ngx_http_ors_call_ready(ngx_http_ors_call_t *call);


const ngx_http_ors_call_kind_t  ngx_http_ors_call_kind = {
    "call",
    &ngx_http_ors_call_source,
    ngx_http_ors_call_early,
    ngx_http_ors_call_make,
    ngx_http_ors_call_header,
    ngx_http_ors_call_replaced
};


static ngx_int_t
ngx_http_ors_call_early(ngx_http_ors_call_t *call)
{
    ngx_int_t                 rc;
    ngx_http_ors_loc_conf_t  *olcf;

    if (ngx_http_ors_call_over(call)) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    olcf = ngx_http_get_module_loc_conf(call->request,
                                        ngx_http_open_responses_module);

    rc = ngx_http_ors_session_settle(call->ctx, olcf);

    /* a turn that runs elsewhere passes the target's limits there */

    if (rc == NGX_OK) {
        rc = ngx_http_ors_background_begin(call->ctx);
    }

    if (rc == NGX_OK && call->ctx->detached) {
        call->early = 1;
        ngx_http_ors_post(call->request->parent, &call->ctx->posted);
    }

    return ngx_http_ors_call_status(rc);
}


/* a phase handler's return code for that of a step of the turn */

static ngx_int_t
ngx_http_ors_call_status(ngx_int_t rc)
{
    if (rc == NGX_OK || rc == NGX_AGAIN) {
        return rc;
    }

    return (rc == NGX_DONE) ? NGX_HTTP_BAD_REQUEST
                            : NGX_HTTP_INTERNAL_SERVER_ERROR;
}


static ngx_int_t
ngx_http_ors_call_make(ngx_http_ors_call_t *call)
{
    size_t                    size;
    uint64_t                  start;
    ngx_int_t                 rc;
    ngx_chain_t              *bufs;
    ngx_ors_out_t             out;
    ngx_ors_turn_t           *turn;
    ngx_http_request_t       *r;
    ngx_http_ors_loc_conf_t  *olcf;

    r = call->request;
    turn = call->ctx->turn;

    if (ngx_http_ors_call_over(call)) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    olcf = ngx_http_get_module_loc_conf(r, ngx_http_open_responses_module);

    if (call->conf == olcf) {
        return ngx_http_ors_call_ready(call);
    }

    rc = ngx_http_ors_session_load(call->ctx);

    if (rc == NGX_OK) {
        rc = ngx_http_ors_mcp_load(call->ctx, olcf->dialect);
    }

    if (rc != NGX_OK) {
        return ngx_http_ors_call_status(rc);
    }

    if (call->ctx->message && ngx_http_ors_ws_warm(call->ctx)) {
        return (ngx_ors_turn_warm(turn, olcf->dialect) == NGX_ERROR)
               ? NGX_HTTP_INTERNAL_SERVER_ERROR : NGX_HTTP_BAD_REQUEST;
    }

    call->conf = olcf;

    /* it will be as long as the client's */

    size = ngx_min(turn->request.body.len + NGX_HTTP_ORS_SPARE,
                   NGX_ORS_DECODE_STEP);

    if (ngx_http_ors_call_pool(call, size) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_ors_out_init(&out, call->pool, size);

    turn->maker = call->ctx->target->provider;

    if (turn->maker.len == 0) {
        turn->maker = olcf->preset_name.len ? olcf->preset_name
                                            : call->ctx->target->uri;
    }

    if (ngx_http_ors_peer_refuses(call->ctx, olcf)) {
        turn->effortless = 1;
    }

    start = ngx_ors_metrics_clock();
    rc = ngx_ors_turn_call(turn, olcf->dialect, &olcf->options, &olcf->model,
                           &out);
    call->ctx->own += ngx_ors_metrics_clock() - start;

    if (rc == NGX_DONE) {
        return NGX_HTTP_BAD_REQUEST;
    }

    size = out.size;

    if (rc != NGX_OK || ngx_ors_out_take(&out, &bufs) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    rc = ngx_http_ors_call_make_body(call, bufs, size);

    if (rc != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    /* later rounds and targets have the same request */

    if (!call->ctx->ignored) {
        call->ctx->ignored = 1;
        ngx_http_ors_stats_ignored(r->main, &turn->request);
    }

    /* when this subrequest has begun to send: ngx_http_ors_call_push() */

    ngx_http_ors_post(r->parent, &call->ctx->posted);

    return ngx_http_ors_call_ready(call);
}


/* the client of a background turn gets its answer first */

static ngx_int_t
ngx_http_ors_call_ready(ngx_http_ors_call_t *call)
{
    if (!call->ctx->detached) {
        return NGX_OK;
    }

    return ngx_http_ors_call_status(ngx_http_ors_background_ready(call->ctx));
}
