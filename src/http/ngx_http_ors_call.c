
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * A call of a target for a turn: its start, the pool of its body, the answer
 * that it brings, its end and its retries.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_subrequest.h>
#include <ngx_ors_answer_error.h>
#include <ngx_ors_facts.h>


/* the pool of a body has room for its buffers and one block of less bytes */
#define NGX_HTTP_ORS_CALL_POOL   512
#define NGX_HTTP_ORS_CALL_APART  4000


static ngx_int_t ngx_http_ors_call_retry_after(ngx_http_ors_call_t *call);
static ngx_int_t ngx_http_ors_call_read(void *data, ngx_buf_t *b);
static ngx_int_t ngx_http_ors_call_refuse(void *data, const char *what);
static void ngx_http_ors_call_free(void *data);
static void ngx_http_ors_call_sent(ngx_http_ors_call_t *call);


const ngx_ors_source_handler_t  ngx_http_ors_call_source = {
    ngx_http_ors_call_over,
    ngx_http_ors_call_read,
    ngx_http_ors_call_refuse,
    ngx_http_ors_subrequest_ended
};


ngx_int_t
ngx_http_ors_call(ngx_http_ors_ctx_t *ctx)
{
    ngx_http_request_t       *r;
    ngx_http_ors_call_t      *call;
    ngx_http_ors_loc_conf_t  *olcf;

    r = ctx->request;
    olcf = ctx->conf;

    call = ngx_pcalloc(r->pool, sizeof(ngx_http_ors_call_t));
    if (call == NULL) {
        return NGX_ERROR;
    }

    call->source.queue = &ctx->pump.queue;
    call->bare = (olcf->credentials == ngx_http_ors_credentials_off
                  || (olcf->credentials == ngx_http_ors_credentials_first
                      && ctx->retried));

    if (ngx_http_ors_subrequest(call, ctx, &ngx_http_ors_call_kind,
                                &ctx->target->uri, &ctx->target->args)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "ors call: started \"%V\", %ui more targets",
                   &ctx->target->uri, ctx->turn->retries_left);

    ctx->call = call;

    return NGX_OK;
}


ngx_int_t
ngx_http_ors_call_again(ngx_http_ors_ctx_t *ctx)
{
    ngx_log_t         *log;
    ngx_ors_target_t  *failed;

    log = ctx->request->connection->log;
    failed = ctx->target;

    if (ctx->turn->refused) {
        ngx_log_error(NGX_LOG_INFO, log, 0,
                      "target \"%V\" refuses \"reasoning.effort\" for this "
                      "model, calling it without", &failed->uri);

        ngx_http_ors_peer_refused(ctx);

    } else {
        ngx_http_ors_stats_again(ctx);
        ngx_http_ors_peer_next(ctx);

        ngx_log_error(NGX_LOG_WARN, log, 0,
                      "target \"%V\" has failed with %V, trying \"%V\"",
                      &failed->uri, &ctx->turn->error.code, &ctx->target->uri);

        ngx_log_debug2(NGX_LOG_DEBUG_HTTP, log, 0,
                       "ors call: retried after %ui, \"%V\" is next",
                       ctx->turn->error.status, &ctx->target->uri);

        ctx->retried = 1;
        ngx_str_null(&ctx->retry_after);
    }

    ngx_http_ors_call_cancel(ctx->call);

    ngx_ors_turn_reset(ctx->turn);

    return ngx_http_ors_call(ctx);
}


ngx_http_ors_call_t *
ngx_http_ors_call_of(ngx_http_request_t *r)
{
    return ngx_http_ors_subrequest_of(r, &ngx_http_ors_call_kind);
}


ngx_int_t
ngx_http_ors_call_header(ngx_http_ors_call_t *call)
{
    ngx_int_t                 rc;
    ngx_ors_peer_t           *peer;
    ngx_ors_turn_t           *turn;
    ngx_http_request_t       *sr;
    ngx_http_ors_loc_conf_t  *olcf;

    sr = call->request;
    turn = call->ctx->turn;

    ngx_http_ors_call_sent(call);

    /* "return" and the like answer before our phase handler is called */

    olcf = ngx_http_get_module_loc_conf(sr, ngx_http_open_responses_module);

    ngx_ors_turn_location(turn, olcf->dialect, olcf->policy.mask);

    peer = call->ctx->conf->peers[call->ctx->target->number].peer;

    ngx_ors_turn_astray(turn, peer ? &peer->astray : NULL);

    ngx_http_ors_peer_late(call->ctx);

    if (ngx_http_ors_call_retry_after(call) != NGX_OK) {
        return NGX_ERROR;
    }

    rc = ngx_http_ors_pump_decode(sr, &call->source, 1);

    if (sr->headers_out.status == 0) {

        /* without a status line nginx takes it for the body of HTTP/0.9 */

        rc = ngx_ors_turn_refuse(turn, "it is not HTTP");

    } else if (rc == NGX_DECLINED) {
        rc = ngx_ors_turn_refuse(turn, "its Content-Encoding is not known");

    } else if (rc == NGX_OK) {
        rc = ngx_ors_turn_header(turn, sr->headers_out.status,
                                 &sr->headers_out.content_type,
                                 call->source.decode.inflate
                                 ? -1 : sr->headers_out.content_length_n);
    }

    if (rc == NGX_DONE) {
        ngx_http_ors_post(sr->parent, &call->ctx->posted);
    }

    return (rc == NGX_ERROR) ? NGX_ERROR : NGX_OK;
}


/* the header has seconds, or a date */

static ngx_int_t
ngx_http_ors_call_retry_after(ngx_http_ors_call_t *call)
{
    time_t               wait;
    ngx_str_t           *value;
    ngx_uint_t           retry;
    ngx_table_elt_t     *h;
    ngx_http_ors_ctx_t  *ctx;

    static ngx_str_t  name = ngx_string("Retry-After");

    ctx = call->ctx;

    h = ngx_ors_header_find(&call->request->headers_out.headers, &name);

    if (h == NULL) {
        return NGX_OK;
    }

    value = &h->value;
    retry = ngx_ors_answer_retry_time(value, 1000);

    if (retry == 0) {
        wait = ngx_parse_http_time(value->data, value->len) - ngx_time();

        if (wait > 0 && wait <= NGX_ORS_ANSWER_RETRY_MAX / 1000) {
            retry = wait * 1000;
        }
    }

    ngx_ors_turn_retry(ctx->turn, retry);

    ctx->retry_after.len = value->len;
    ctx->retry_after.data = ngx_pstrdup(call->request->pool, value);

    return ctx->retry_after.data ? NGX_OK : NGX_ERROR;
}


ngx_uint_t
ngx_http_ors_call_over(void *data)
{
    ngx_http_ors_call_t *call = data;

    return ngx_ors_turn_done(call->ctx->turn) || call != call->ctx->call;
}


/*
 * the parent is posted for news only: without any, both could post each other
 * for ever, and the event loop would be blocked
 */

static ngx_int_t
ngx_http_ors_call_read(void *data, ngx_buf_t *b)
{
    ngx_http_ors_call_t *call = data;

    ngx_int_t            rc;
    ngx_http_ors_ctx_t  *ctx;

    ctx = call->ctx;

    ngx_http_ors_post(call->request->parent, &ctx->posted);
    ngx_http_ors_peer_late(ctx);

    rc = ngx_ors_turn_data(ctx->turn, b);

    if (ctx->first_token < 0 && ngx_ors_facts_begun(ctx->turn)) {
        ctx->first_token = ngx_http_ors_pump_elapsed(ctx->request);
    }

    return rc;
}


static ngx_int_t
ngx_http_ors_call_refuse(void *data, const char *what)
{
    ngx_http_ors_call_t *call = data;

    ngx_http_ors_post(call->request->parent, &call->ctx->posted);

    return ngx_ors_turn_refuse(call->ctx->turn, what);
}


/*
 * "error_page 502 = @other" in a target's location names another one that
 * answers.  A page that keeps the status is for people only.
 */

ngx_uint_t
ngx_http_ors_call_replaced(ngx_http_ors_call_t *call, ngx_int_t rc)
{
    ngx_uint_t                 i;
    ngx_http_request_t        *sr;
    ngx_http_err_page_t       *page;
    ngx_http_core_loc_conf_t  *clcf;

    sr = call->request;

    if (call->ctx->turn->state != ngx_ors_turn_st_call) {
        return 0;
    }

    clcf = ngx_http_get_module_loc_conf(sr, ngx_http_core_module);

    if (rc < NGX_HTTP_SPECIAL_RESPONSE || sr->error_page
        || clcf->error_pages == NULL || sr->uri_changes == 0)
    {
        return 0;
    }

    page = clcf->error_pages->elts;

    for (i = 0; i < clcf->error_pages->nelts; i++) {
        if (page[i].status == rc) {
            return page[i].overwrite >= 0;
        }
    }

    return 0;
}


void
ngx_http_ors_call_cancel(ngx_http_ors_call_t *call)
{
    ngx_uint_t                  i, n;
    ngx_http_request_t         *sr;
    ngx_http_handler_pt        *handler;
    ngx_http_upstream_t        *u;
    ngx_http_core_loc_conf_t   *clcf;
    ngx_http_core_main_conf_t  *cmcf;

    sr = call->request;
    u = sr->upstream;

    if (call->done) {
        return;
    }

    call->done = 1;
    ngx_queue_remove(&call->queue);

    ngx_log_debug0(NGX_LOG_DEBUG_HTTP, sr->connection->log, 0,
                   "ors call: cancelled");

    if (u == NULL) {
        return;
    }

    if (u->cleanup && *u->cleanup) {

        /* closes the upstream connection and finalizes the subrequest */

        (*u->cleanup)(sr);
    }

    clcf = ngx_http_get_module_loc_conf(sr, ngx_http_core_module);

    if (!clcf->log_subrequest || sr->logged) {
        return;
    }

    /* nginx logs a subrequest that ends, and not one that is given up */

    sr->logged = 1;

    cmcf = ngx_http_get_module_main_conf(sr, ngx_http_core_module);

    handler = cmcf->phases[NGX_HTTP_LOG_PHASE].handlers.elts;
    n = cmcf->phases[NGX_HTTP_LOG_PHASE].handlers.nelts;

    for (i = 0; i < n; i++) {
        (void) handler[i](sr);
    }
}


/*
 * A subrequest that "limit_req" delays has no upstream that could be closed,
 * and its request would wait for it: without the delay its phases go on, to our
 * own, which ends it
 */

void
ngx_http_ors_call_drop(ngx_http_ors_call_t *call)
{
    ngx_http_request_t  *sr;

    sr = call->request;

    if (!call->done && !call->made && sr->upstream == NULL
        && sr->write_event_handler != ngx_http_handler)
    {
        sr->connection->write->delayed = 0;
        ngx_http_ors_post(sr, &call->posted);
    }

    ngx_http_ors_call_cancel(call);
}


/*
 * A body of more than 64 pieces is written in several calls, and the end of
 * the last one would wait until the model server has acknowledged the first
 * (Nagle's algorithm), which takes it 40 ms
 */

void
ngx_http_ors_call_push(ngx_http_ors_call_t *call)
{
    ngx_connection_t          *c;
    ngx_http_request_t        *sr;
    ngx_http_core_loc_conf_t  *clcf;

    sr = call->request;
    c = sr->upstream ? sr->upstream->peer.connection : NULL;

    if (call->done || c == NULL || c->tcp_nodelay != NGX_TCP_NODELAY_UNSET) {
        return;
    }

    clcf = ngx_http_get_module_loc_conf(sr, ngx_http_core_module);

    if (clcf->tcp_nodelay) {
        (void) ngx_tcp_nodelay(c);
    }
}


ngx_int_t
ngx_http_ors_call_resume(ngx_http_ors_call_t *call)
{
    if (call->source.in == NULL || call->done) {
        return NGX_OK;
    }

    /*
     * an upstream calls the filters for buffers of its own only, and those
     * that wait may be of "gunzip"
     */

    if (ngx_http_output_filter(call->request, NULL) == NGX_ERROR) {
        return NGX_ERROR;
    }

    ngx_http_ors_post(call->request, &call->posted);

    return NGX_OK;
}


void
ngx_http_ors_calls_wake(ngx_http_ors_ctx_t *ctx)
{
    ngx_queue_t          *q, *next;
    ngx_http_ors_call_t  *call;

    for (q = ngx_queue_head(&ctx->calls);
         q != ngx_queue_sentinel(&ctx->calls);
         q = next)
    {
        next = ngx_queue_next(q);
        call = ngx_queue_data(q, ngx_http_ors_call_t, queue);

        if (call->useless) {
            ngx_http_ors_call_drop(call);
            continue;
        }

        /* a call that waits for a slow client: ngx_http_ors_call_resume() */

        if (call->source.in == NULL && call->request->upstream == NULL) {
            ngx_http_ors_post(call->request, &call->posted);
        }
    }
}


void
ngx_http_ors_calls_drop(ngx_http_ors_ctx_t *ctx)
{
    ngx_queue_t          *q, *next;
    ngx_http_ors_call_t  *call;

    for (q = ngx_queue_head(&ctx->calls);
         q != ngx_queue_sentinel(&ctx->calls);
         q = next)
    {
        next = ngx_queue_next(q);
        call = ngx_queue_data(q, ngx_http_ors_call_t, queue);

        if (call != ctx->call) {
            ngx_http_ors_call_drop(call);
        }
    }
}


ngx_int_t
ngx_http_ors_call_pool(ngx_http_ors_call_t *call, size_t size)
{
    ngx_pool_cleanup_t  *cln;

    if (call->pool) {
        return NGX_OK;
    }

    cln = ngx_pool_cleanup_add(call->request->pool, 0);
    if (cln == NULL) {
        return NGX_ERROR;
    }

    size = (size < NGX_HTTP_ORS_CALL_APART) ? size : 0;

    /* an address that is aligned past the end of a pool would count as in it */

    size = ngx_align(size + NGX_HTTP_ORS_CALL_POOL, NGX_POOL_ALIGNMENT);

    call->pool = ngx_create_pool(size, call->request->connection->log);
    if (call->pool == NULL) {
        return NGX_ERROR;
    }

    cln->handler = ngx_http_ors_call_free;
    cln->data = call;

    return NGX_OK;
}


static void
ngx_http_ors_call_free(void *data)
{
    ngx_http_ors_call_t *call = data;

    if (call->pool) {
        ngx_destroy_pool(call->pool);
        call->pool = NULL;
    }
}


/*
 * The header of an answer has come: frees the body of the call if all of it
 * was sent and nothing else can need it.
 */

static void
ngx_http_ors_call_sent(ngx_http_ors_call_t *call)
{
    ngx_http_request_t   *sr;
    ngx_http_upstream_t  *u;

    sr = call->request;
    u = sr->upstream;

    /* no other server gets it now, and no subrequest of a filter */

    if (call->pool == NULL || u == NULL || !u->request_body_sent
        || sr->preserve_body || u->conf->preserve_output)
    {
        return;
    }

    sr->request_body->bufs = NULL;
    u->request_bufs = NULL;

    ngx_http_ors_call_free(call);
}
