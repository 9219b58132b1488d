
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The life of a background subrequest: its start, its phases, the answer that
 * it brings, its end.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_subrequest.h>
#include <ngx_ors_text.h>


static ngx_int_t ngx_http_ors_subrequest_done(ngx_http_request_t *sr,
    void *data, ngx_int_t rc);
static ngx_int_t ngx_http_ors_subrequest_end(ngx_http_ors_call_t *call,
    ngx_int_t rc);
static ngx_uint_t ngx_http_ors_subrequest_whole(ngx_http_request_t *sr);
static ngx_int_t ngx_http_ors_subrequest_early_handler(ngx_http_request_t *r);
static ngx_int_t ngx_http_ors_subrequest_handler(ngx_http_request_t *r);
static void ngx_http_ors_subrequest_buffering(ngx_http_request_t *sr);


ngx_int_t
ngx_http_ors_subrequest(ngx_http_ors_call_t *call, ngx_http_ors_ctx_t *ctx,
    const ngx_http_ors_call_kind_t *kind, ngx_str_t *uri, ngx_str_t *args)
{
    ngx_http_request_t          *r, *sr;
    ngx_http_post_subrequest_t  *ps;

    r = ctx->request;

    ps = ngx_palloc(r->pool, sizeof(ngx_http_post_subrequest_t));
    if (ps == NULL) {
        return NGX_ERROR;
    }

    ps->handler = ngx_http_ors_subrequest_done;
    ps->data = call;

    call->kind = kind;
    call->ctx = ctx;

    call->source.pool = r->pool;
    call->source.log = r->connection->log;
    call->source.handler = kind->source;
    call->source.data = call;

    if (ngx_http_subrequest(r, uri, args, &sr, ps,
                            NGX_HTTP_SUBREQUEST_BACKGROUND)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    call->request = sr;
    ngx_queue_insert_tail(&ctx->calls, &call->queue);

    if (ngx_http_ors_call_headers(call) != NGX_OK) {

        /* the subrequest is posted, and reads headers before it ends */

        sr->headers_in = r->headers_in;

        return NGX_ERROR;
    }

    return NGX_OK;
}


ngx_http_ors_call_t *
ngx_http_ors_subrequest_of(ngx_http_request_t *r,
    const ngx_http_ors_call_kind_t *kind)
{
    ngx_http_ors_call_t  *call;

    /* not in a module ctx, which an internal redirect would erase */

    if (r == r->main || r->post_subrequest == NULL
        || r->post_subrequest->handler != ngx_http_ors_subrequest_done)
    {
        return NULL;
    }

    call = r->post_subrequest->data;

    return (kind == NULL || call->kind == kind) ? call : NULL;
}


/* in front of the limits of its location */

static ngx_int_t
ngx_http_ors_subrequest_early_handler(ngx_http_request_t *r)
{
    ngx_int_t             rc;
    ngx_http_ors_call_t  *call;

    call = ngx_http_ors_subrequest_of(r, NULL);
    if (call == NULL) {
        return NGX_DECLINED;
    }

    if (call->done) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (call->kind->early) {
        rc = call->kind->early(call);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    ngx_http_ors_call_limits(call);

    return NGX_DECLINED;
}


static ngx_int_t
ngx_http_ors_subrequest_handler(ngx_http_request_t *r)
{
    ngx_int_t             rc;
    ngx_http_ors_call_t  *call;

    call = ngx_http_ors_subrequest_of(r, NULL);
    if (call == NULL) {
        return NGX_DECLINED;
    }

    if (call->done) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_http_ors_call_limited(call);
    ngx_http_ors_call_method(r);

    rc = call->kind->make(call);

    return (rc == NGX_OK) ? ngx_http_ors_call_go(call) : rc;
}


ngx_int_t
ngx_http_ors_subrequest_make(ngx_http_ors_call_t *call, ngx_chain_t *bufs,
    size_t size)
{
    if (call->made) {
        return NGX_OK;
    }

    call->made = 1;

    return (ngx_http_ors_call_make_body(call, bufs, size) == NGX_OK)
           ? NGX_OK : NGX_HTTP_INTERNAL_SERVER_ERROR;
}


ngx_int_t
ngx_http_ors_subrequest_get(ngx_http_ors_call_t *call)
{
    ngx_http_request_t  *sr;

    sr = call->request;
    call->made = 1;

    sr->method = NGX_HTTP_GET;
    sr->method_name = ngx_http_core_get_method;

    sr->headers_in.content_length_n = -1;

    /* that of the main request is the client's */

    sr->request_body = ngx_pcalloc(sr->pool, sizeof(ngx_http_request_body_t));

    return sr->request_body ? NGX_OK : NGX_HTTP_INTERNAL_SERVER_ERROR;
}


ngx_int_t
ngx_http_ors_subrequest_header(ngx_http_ors_call_t *call)
{
    ngx_http_request_t  *sr;

    sr = call->request;

    sr->header_sent = 1;
    sr->filter_need_in_memory = 1;

    if (sr->upstream) {
        ngx_http_ors_subrequest_buffering(sr);
    }

    return call->source.handler->over(call) ? NGX_OK
                                            : call->kind->header(call);
}


/*
 * Bytes are handed on as they come, and nothing goes to a file, unless it is
 * to be cached, for which nginx has to gather it
 */

static void
ngx_http_ors_subrequest_buffering(ngx_http_request_t *sr)
{
    ngx_http_upstream_t  *u;

    u = sr->upstream;

#if (NGX_HTTP_CACHE)

    if (u->cacheable && u->headers_in.x_accel_redirect == NULL
        && !ngx_ors_mime_is(&sr->headers_out.content_type,
                            "text/event-stream"))
    {
        return;
    }

    u->cacheable = 0;

#endif

    u->buffering = 0;
}


ngx_int_t
ngx_http_ors_subrequest_body(ngx_http_ors_call_t *call, ngx_chain_t *in)
{
    uint64_t   start;
    ngx_int_t  rc;

    start = ngx_ors_metrics_clock();

    rc = ngx_http_ors_pump_take(call->request, &call->source, in);

    call->ctx->own += ngx_ors_metrics_clock() - start;

    return rc;
}


ngx_int_t
ngx_http_ors_subrequest_ended(void *data)
{
    ngx_http_ors_call_t *call = data;

    call->complete = ngx_ors_source_complete(&call->source);

    return NGX_OK;
}


static ngx_int_t
ngx_http_ors_subrequest_done(ngx_http_request_t *sr, void *data, ngx_int_t rc)
{
    ngx_http_ors_call_t *call = data;

    /*
     * NGX_ERROR is also what is left of a broken chunk or a stream that was
     * reset after the header: such a call has ended, the client has not
     */

    if (rc == NGX_ERROR && !sr->connection->error) {
        rc = NGX_OK;
    }

    if (sr->buffered) {

        /* called again when the bytes that wait have been read */

        return rc;
    }

    if (call->done) {
        return (rc == NGX_ERROR) ? NGX_ERROR : NGX_OK;
    }

    if (call->kind->replaced && call->kind->replaced(call, rc)) {
        return rc;
    }

    return ngx_http_ors_subrequest_end(call, rc);
}


/* takes the status, and posts the main request */

static ngx_int_t
ngx_http_ors_subrequest_end(ngx_http_ors_call_t *call, ngx_int_t rc)
{
    ngx_http_request_t  *sr;

    sr = call->request;

    call->done = 1;
    ngx_queue_remove(&call->queue);
    call->status = sr->headers_out.status;

    if (!call->complete && ngx_http_ors_subrequest_whole(sr)) {
        (void) ngx_http_ors_subrequest_ended(call);
    }

    ngx_http_ors_call_limited(call);
    ngx_http_ors_call_forget(sr);

    if (call->status == 0) {
        call->status = (rc >= NGX_HTTP_SPECIAL_RESPONSE)
                       ? (ngx_uint_t) rc : NGX_HTTP_BAD_GATEWAY;

        /* nginx has no status of its own for this */

        call->starved = (rc == NGX_HTTP_INTERNAL_SERVER_ERROR && sr->upstream
                         && ngx_cycle->free_connections == NULL);
    }

    ngx_log_debug4(NGX_LOG_DEBUG_HTTP, sr->connection->log, 0,
                   "ors %s: ended, rc %i, status %ui, complete %d",
                   call->kind->name, rc, call->status, call->complete);

    if (rc == NGX_ERROR || rc == NGX_HTTP_CLIENT_CLOSED_REQUEST
        || sr->connection->error)
    {
        return rc;
    }

    ngx_http_ors_post(sr->parent, &call->ctx->posted);

    /* anything else would let nginx make an error page for the subrequest */

    return NGX_OK;
}


/*
 * All of a body has come whose length or last chunk the upstream has told,
 * though a filter of another module has kept back the mark of its end
 */

static ngx_uint_t
ngx_http_ors_subrequest_whole(ngx_http_request_t *sr)
{
    ngx_http_upstream_t  *u;

    u = sr->upstream;

    return (u && !u->buffering && !u->error && u->length == 0);
}


ngx_int_t
ngx_http_ors_subrequest_init(ngx_conf_t *cf)
{
    if (ngx_http_ors_phases(cf, ngx_http_ors_subrequest_early_handler,
                            ngx_http_ors_subrequest_handler)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_ors_call_variables_init(cf);
}
