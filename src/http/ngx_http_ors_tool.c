
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The subrequest of a hosted tool's call: the arguments go to a location, its
 * answer is the output.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_tool.h>
#include <ngx_ors_gather.h>


static ngx_int_t ngx_http_ors_tool_done(ngx_http_request_t *sr, void *data,
    ngx_int_t rc);
static void ngx_http_ors_tool_timeout(ngx_event_t *ev);
static ngx_int_t ngx_http_ors_tool_early_handler(ngx_http_request_t *r);
static ngx_int_t ngx_http_ors_tool_handler(ngx_http_request_t *r);
static ngx_int_t ngx_http_ors_tool_arguments(ngx_http_ors_tool_t *tool);
static void ngx_http_ors_tool_fail(ngx_http_ors_tool_t *tool,
    const char *fault);
static ngx_int_t ngx_http_ors_tool_read(ngx_http_ors_tool_t *tool,
    ngx_buf_t *b);
static ngx_int_t ngx_http_ors_tool_keep(ngx_http_ors_tool_t *tool,
    ngx_buf_t *piece);


ngx_int_t
ngx_http_ors_tool_start(ngx_http_ors_ctx_t *ctx, ngx_http_ors_tool_t *tool)
{
    ngx_http_request_t          *r, *sr;
    ngx_ors_tool_t              *hosted;
    ngx_http_post_subrequest_t  *ps;

    r = ctx->request;
    hosted = tool->called->item->tool;

    ps = ngx_palloc(r->pool, sizeof(ngx_http_post_subrequest_t));
    if (ps == NULL) {
        return NGX_ERROR;
    }

    ps->handler = ngx_http_ors_tool_done;
    ps->data = tool;

    if (ngx_http_subrequest(r, &hosted->uri, &hosted->args, &sr, ps,
                            NGX_HTTP_SUBREQUEST_BACKGROUND)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    tool->call.ctx = ctx;
    tool->call.request = sr;
    tool->call.bare = 1;

    if (ngx_http_ors_call_headers(&tool->call) != NGX_OK) {

        /* the subrequest is posted, and reads headers before it ends */

        sr->headers_in = r->headers_in;

        return NGX_ERROR;
    }

    tool->started = ngx_current_msec;

    tool->timer.data = tool;
    tool->timer.log = r->connection->log;
    tool->timer.handler = ngx_http_ors_tool_timeout;

    ngx_add_timer(&tool->timer, hosted->timeout);

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "ors tool: started \"%V\", timeout %M", &hosted->uri,
                   hosted->timeout);

    return NGX_OK;
}


ngx_http_ors_tool_t *
ngx_http_ors_tool_of(ngx_http_request_t *r)
{
    if (r == r->main || r->post_subrequest == NULL
        || r->post_subrequest->handler != ngx_http_ors_tool_done)
    {
        return NULL;
    }

    return r->post_subrequest->data;
}


static void
ngx_http_ors_tool_timeout(ngx_event_t *ev)
{
    ngx_connection_t     *c;
    ngx_http_ors_ctx_t   *ctx;
    ngx_http_ors_tool_t  *tool;

    tool = ev->data;
    ctx = tool->call.ctx;
    c = ctx->request->connection;

    ngx_http_set_log_request(c->log, ctx->request);

    tool->fault = "it did not answer in time";

    /* it is cancelled there */

    ctx->resume(ctx, NGX_OK);

    ngx_http_run_posted_requests(c);
}


/* in front of the limits of the tool's location */

static ngx_int_t
ngx_http_ors_tool_early_handler(ngx_http_request_t *r)
{
    ngx_http_ors_tool_t  *tool;

    tool = ngx_http_ors_tool_of(r);

    if (tool == NULL) {
        return NGX_DECLINED;
    }

    if (tool->call.done) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_http_ors_call_limits(&tool->call);

    return NGX_DECLINED;
}


static ngx_int_t
ngx_http_ors_tool_handler(ngx_http_request_t *r)
{
    ngx_http_ors_tool_t  *tool;

    tool = ngx_http_ors_tool_of(r);

    if (tool == NULL) {
        return NGX_DECLINED;
    }

    if (tool->call.done) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_http_ors_call_limited(&tool->call);
    ngx_http_ors_call_method(r);

    if (!tool->made && ngx_http_ors_tool_arguments(tool) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    return ngx_http_ors_call_go(&tool->call);
}


/* the request's body */

static ngx_int_t
ngx_http_ors_tool_arguments(ngx_http_ors_tool_t *tool)
{
    ngx_buf_t    *b;
    ngx_chain_t  *cl;

    b = ngx_calloc_buf(tool->call.request->pool);
    if (b == NULL) {
        return NGX_ERROR;
    }

    cl = ngx_alloc_chain_link(tool->call.request->pool);
    if (cl == NULL) {
        return NGX_ERROR;
    }

    b->start = tool->called->arguments.data;
    b->pos = b->start;
    b->last = b->start + tool->called->arguments.len;
    b->end = b->last;
    b->memory = 1;
    b->last_buf = 1;

    cl->buf = b;
    cl->next = NULL;

    tool->made = 1;

    return ngx_http_ors_call_make_body(&tool->call, cl, b->last - b->pos);
}


ngx_int_t
ngx_http_ors_tool_header(ngx_http_ors_tool_t *tool)
{
    off_t                length;
    ngx_int_t            rc;
    ngx_http_request_t  *sr;

    sr = tool->call.request;

    sr->header_sent = 1;
    sr->filter_need_in_memory = 1;

    if (sr->upstream) {
        ngx_http_ors_call_buffering(sr);
    }

    if (tool->call.done || tool->fault) {
        return NGX_OK;
    }

    if (sr->headers_out.status < NGX_HTTP_OK
        || sr->headers_out.status >= NGX_HTTP_SPECIAL_RESPONSE)
    {
        ngx_http_ors_tool_fail(tool, "it answered with a status of failure");
        return NGX_OK;
    }

    /* a page for people: that of a login, or of a failure */

    if (ngx_ors_mime_is(&sr->headers_out.content_type, "text/html")) {
        ngx_http_ors_tool_fail(tool, "its answer is HTML");
        return NGX_OK;
    }

    length = sr->headers_out.content_length_n;

    if (length > (off_t) tool->call.ctx->turn->limits->tool_answer) {
        ngx_http_ors_tool_fail(tool, "its answer is too large");
        return NGX_OK;
    }

    rc = ngx_http_ors_pump_decode(sr, &tool->call.source, 1);

    if (rc == NGX_DECLINED) {
        ngx_http_ors_tool_fail(tool, "its Content-Encoding is not known");
        return NGX_OK;
    }

    return rc;
}


/* the parent ends the subrequest, which cannot be done from inside of it */

static void
ngx_http_ors_tool_fail(ngx_http_ors_tool_t *tool, const char *fault)
{
    ngx_http_request_t  *sr;

    sr = tool->call.request;

    tool->fault = fault;
    tool->call.status = sr->headers_out.status;

    ngx_http_ors_post(sr->parent, &tool->call.ctx->posted);
}


ngx_int_t
ngx_http_ors_tool_body(ngx_http_ors_tool_t *tool, ngx_chain_t *in)
{
    ngx_chain_t  *cl;

    for (cl = in; cl; cl = cl->next) {

        if (ngx_buf_in_memory(cl->buf)
            && ngx_http_ors_tool_read(tool, cl->buf) != NGX_OK)
        {
            return NGX_ERROR;
        }

        if (ngx_ors_source_ends(&tool->call.source, cl->buf)) {
            tool->call.complete = ngx_ors_source_complete(&tool->call.source);
        }
    }

    return NGX_OK;
}


/* all of "b" is used up */

static ngx_int_t
ngx_http_ors_tool_read(ngx_http_ors_tool_t *tool, ngx_buf_t *b)
{
    ngx_int_t  rc;
    ngx_buf_t  piece;

    while (!tool->fault && !tool->call.done) {

        rc = ngx_ors_decode_next(&tool->call.source.decode, b, &piece);

        if (rc == NGX_AGAIN) {
            return NGX_OK;
        }

        if (rc == NGX_OK) {
            rc = ngx_http_ors_tool_keep(tool, &piece);

        } else if (rc == NGX_DECLINED) {
            ngx_http_ors_tool_fail(tool, "it cannot be decompressed");
        }

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }
    }

    b->pos = b->last;

    return NGX_OK;
}


static ngx_int_t
ngx_http_ors_tool_keep(ngx_http_ors_tool_t *tool, ngx_buf_t *piece)
{
    size_t  len;

    len = piece->last - piece->pos;

    if (tool->output.len + len > tool->call.ctx->turn->limits->tool_answer) {
        ngx_http_ors_tool_fail(tool, "its answer is too large");
        return NGX_OK;
    }

    return ngx_ors_text_append(&tool->output, tool->call.request->pool,
                               piece->pos, len);
}


static ngx_int_t
ngx_http_ors_tool_done(ngx_http_request_t *sr, void *data, ngx_int_t rc)
{
    ngx_http_ors_tool_t *tool = data;

    ngx_http_ors_call_t  *call;

    call = &tool->call;

    if (!ngx_http_ors_call_ends(call, sr, &rc)) {
        return rc;
    }

    return ngx_http_ors_call_end(call, sr, rc, "tool");
}


ngx_int_t
ngx_http_ors_tool_init(ngx_conf_t *cf)
{
    if (ngx_http_ors_phases(cf, ngx_http_ors_tool_early_handler,
                            ngx_http_ors_tool_handler)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_ors_mcp_init(cf);
}
