
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The header and body filter of the module: answers of subrequests go to their
 * calls, those of an upstream through the validator, error pages are replaced.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_subrequest.h>
#include <ngx_http_ors_validator.h>
#include <ngx_ors_text.h>
#include <ngx_ors_verify.h>


static ngx_int_t ngx_http_ors_header_filter(ngx_http_request_t *r);
static ngx_int_t ngx_http_ors_body_filter(ngx_http_request_t *r,
    ngx_chain_t *in);
static ngx_int_t ngx_http_ors_error_body(ngx_http_ors_ctx_t *ctx,
    ngx_chain_t *in);
static ngx_int_t ngx_http_ors_validator_header(ngx_http_ors_validator_t *vr);
static ngx_int_t ngx_http_ors_validator_hold(ngx_http_ors_validator_t *vr);
static void ngx_http_ors_validator_cleanup(void *data);
static ngx_int_t ngx_http_ors_validator_answer(ngx_http_ors_validator_t *vr);
static ngx_int_t ngx_http_ors_validator_body(ngx_http_ors_validator_t *vr,
    ngx_chain_t *in);
static ngx_int_t ngx_http_ors_validator_report(ngx_http_ors_validator_t *vr,
    ngx_chain_t *in);
static ngx_uint_t ngx_http_ors_validator_over(void *data);
static ngx_int_t ngx_http_ors_validator_read(void *data, ngx_buf_t *b);
static ngx_int_t ngx_http_ors_validator_refuse_data(void *data,
    const char *what);
static ngx_int_t ngx_http_ors_validator_end(void *data);
static ngx_int_t ngx_http_ors_validator_send(ngx_http_ors_validator_t *vr);
static ngx_int_t ngx_http_ors_validator_start(ngx_http_ors_validator_t *vr);
static ngx_int_t ngx_http_ors_validator_clean(ngx_http_ors_validator_t *vr);
static ngx_uint_t ngx_http_ors_validator_sent(ngx_http_request_t *r,
    ngx_table_elt_t *h);
static void ngx_http_ors_upstream_watch(ngx_http_ors_validator_t *vr);
static ngx_int_t ngx_http_ors_upstream_init(void *data);
static ngx_int_t ngx_http_ors_upstream_filter(void *data, ssize_t bytes);
static ngx_int_t ngx_http_ors_upstream_pipe_filter(ngx_event_pipe_t *p,
    ngx_buf_t *buf);
static void ngx_http_ors_upstream_finalize(ngx_http_request_t *r,
    ngx_int_t rc);


static ngx_http_output_header_filter_pt  ngx_http_next_header_filter;
static ngx_http_output_body_filter_pt    ngx_http_next_body_filter;


static const ngx_ors_source_handler_t  ngx_http_ors_validator_source = {
    ngx_http_ors_validator_over,
    ngx_http_ors_validator_read,
    ngx_http_ors_validator_refuse_data,
    ngx_http_ors_validator_end
};


static ngx_int_t
ngx_http_ors_header_filter(ngx_http_request_t *r)
{
    ngx_http_ors_ctx_t        *ctx;
    ngx_http_ors_call_t       *call;
    ngx_http_ors_loc_conf_t   *olcf;
    ngx_http_ors_validator_t  *vr;

    call = ngx_http_ors_subrequest_of(r, NULL);

    if (call) {
        return ngx_http_ors_subrequest_header(call);
    }

    vr = ngx_http_ors_validator_find(r);

    /* an answer to a path that is no endpoint is anything but a tunnel */

    olcf = ngx_http_get_module_loc_conf(r, ngx_http_open_responses_module);

    if (r == r->main && (vr || olcf->enable)
        && ngx_http_ors_release_add(r) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (vr && (vr->endpoint
               || r->headers_out.status == NGX_HTTP_SWITCHING_PROTOCOLS))
    {
        return ngx_http_ors_validator_header(vr);
    }

    if (r == r->main && (olcf->enable || ngx_http_ors_validator_refused(r))
        && r->headers_out.status >= NGX_HTTP_BAD_REQUEST)
    {
        ctx = ngx_http_get_module_ctx(r, ngx_http_open_responses_module);

        if ((ctx == NULL || !ctx->header_sent)
            && ngx_http_ors_error(r) != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return ngx_http_next_header_filter(r);
}


static ngx_int_t
ngx_http_ors_body_filter(ngx_http_request_t *r, ngx_chain_t *in)
{
    ngx_http_ors_ctx_t        *ctx;
    ngx_http_ors_call_t       *call;
    ngx_http_ors_validator_t  *vr;

    call = ngx_http_ors_subrequest_of(r, NULL);

    if (call) {
        return ngx_http_ors_subrequest_body(call, in);
    }

    ctx = ngx_http_get_module_ctx(r, ngx_http_open_responses_module);

    if (ctx && ctx->error) {
        return ngx_http_ors_error_body(ctx, in);
    }

    vr = (ctx && ctx->turn) ? NULL : ngx_http_ors_validator_find(r);

    if (vr && vr->held) {
        return ngx_http_ors_validator_body(vr, in);
    }

    return ngx_http_next_body_filter(r, in);
}


ngx_int_t
ngx_http_ors_filter_init(ngx_conf_t *cf)
{
    ngx_http_next_header_filter = ngx_http_top_header_filter;
    ngx_http_top_header_filter = ngx_http_ors_header_filter;

    ngx_http_next_body_filter = ngx_http_top_body_filter;
    ngx_http_top_body_filter = ngx_http_ors_body_filter;

    return NGX_OK;
}


/* sends ctx->error once, in place of the page "in" */

static ngx_int_t
ngx_http_ors_error_body(ngx_http_ors_ctx_t *ctx, ngx_chain_t *in)
{
    ngx_chain_t  *cl, *out;

    for (cl = in; cl; cl = cl->next) {
        cl->buf->pos = cl->buf->last;
        cl->buf->file_pos = cl->buf->file_last;
    }

    out = NULL;

    if (in && !ctx->pump.last_sent) {
        ctx->pump.last_sent = 1;

        out = ctx->error;

        for (cl = out; cl->next; cl = cl->next) { /* void */ }

        cl->buf->last_buf = 1;
        cl->buf->last_in_chain = 1;
    }

    return ngx_http_next_body_filter(ctx->request, out);
}


/*
 * The validator's answer side: an upstream's answer goes into the verifier, its
 * output to the client.
 */


static ngx_int_t
ngx_http_ors_validator_header(ngx_http_ors_validator_t *vr)
{
    ngx_uint_t           switches;
    ngx_http_request_t  *r;

    r = vr->request;

    if (vr->refused || vr->held
        || r->headers_out.status == NGX_HTTP_NOT_MODIFIED)
    {
        return ngx_http_next_header_filter(r);
    }

    switches = (r->headers_out.status == NGX_HTTP_SWITCHING_PROTOCOLS);

    if (switches && vr->conf->websocket == ngx_http_ors_websocket_pass) {
        return ngx_http_next_header_filter(r);
    }

    ngx_http_ors_stats_upstreams(vr);

    if (r->err_status >= NGX_HTTP_BAD_REQUEST) {

        /* nginx's own error page, or that of "error_page" */

        ngx_http_ors_stats_failed(vr);

        if (!vr->conf->report && ngx_http_ors_error(r) != NGX_OK) {
            return NGX_ERROR;
        }

        return ngx_http_next_header_filter(r);
    }

    /* rejected before validation: nginx's own page, pass it */

    if (!switches
        && (vr->state == ngx_http_ors_validator_st_new
            || !(vr->conf->validate & NGX_HTTP_ORS_VALIDATE_RESPONSE)))
    {
        return ngx_http_next_header_filter(r);
    }

    vr->pump.request = r;
    vr->pump.write = ngx_http_next_body_filter;
    vr->pump.queue.out = &vr->out;
    vr->pump.queue.limit = vr->conf->limits.queue;

    vr->source.pool = r->pool;
    vr->source.log = r->connection->log;
    vr->source.queue = &vr->pump.queue;
    vr->source.handler = &ngx_http_ors_validator_source;
    vr->source.data = vr;

    if (ngx_http_ors_validator_hold(vr) != NGX_OK
        || ngx_http_ors_validator_answer(vr) == NGX_ERROR)
    {
        return NGX_ERROR;
    }

    if (vr->conf->report) {
        ngx_http_ors_stats_validator(vr);
        return ngx_http_next_header_filter(r);
    }

    /* the header is sent with the body's first event, or after all of it */

    return NGX_OK;
}


static ngx_int_t
ngx_http_ors_validator_hold(ngx_http_ors_validator_t *vr)
{
    ngx_http_cleanup_t  *cln;
    ngx_http_request_t  *r;

    r = vr->request;

    cln = ngx_http_cleanup_add(r, 0);
    if (cln == NULL) {
        return NGX_ERROR;
    }

    cln->handler = ngx_http_ors_validator_cleanup;
    cln->data = vr;

    vr->held = 1;

    r->main_filter_need_in_memory = 1;

    if (r->upstream && !vr->conf->report
        && r->headers_out.status == NGX_HTTP_SWITCHING_PROTOCOLS)
    {

        /* nginx would hand on bytes both ways, and call no body filter */

        r->upstream->upgrade = 0;
        r->upstream->cacheable = 0;
    }

    if (r->upstream && !r->upstream->cacheable) {

        /* bytes are handed on as they come, none go to a file */

        r->upstream->buffering = 0;
    }

    ngx_http_ors_upstream_watch(vr);

    if (vr->conf->report) {
        return NGX_OK;
    }

    /* nginx would answer as it was answered, in HTTP/0.9 */

    r->http_version = vr->version;

    r->filter_need_in_memory = 1;
    r->allow_ranges = 0;

    ngx_http_clear_accept_ranges(r);
    ngx_http_clear_last_modified(r);
    ngx_http_clear_etag(r);

    return NGX_OK;
}


/*
 * A content handler that fails after its header, as one in Lua may, has the
 * request terminated, and no output filter is called.  This is the last moment
 * to end its answer: what the client's socket takes at once still goes out.
 */

static void
ngx_http_ors_validator_cleanup(void *data)
{
    ngx_http_ors_validator_t  *vr = data;

    ngx_connection_t  *c;

    c = vr->request->connection;

    if (vr->ended) {
        return;
    }

    if (c->error || c->timedout || c->close) {

        if (!vr->counted) {
            vr->counted = 1;
            ngx_http_ors_metrics_validated(vr, ngx_ors_classes);
        }

        return;
    }

    vr->source.cut = 1;

    if (ngx_http_ors_validator_end(vr) != NGX_OK) {
        return;
    }

    ngx_http_ors_stats_validator(vr);

    if (!vr->conf->report) {
        (void) ngx_http_ors_validator_send(vr);
    }
}


static ngx_int_t
ngx_http_ors_validator_answer(ngx_http_ors_validator_t *vr)
{
    ngx_int_t            rc;
    const char          *what;
    ngx_http_request_t  *r;

    r = vr->request;

    rc = ngx_http_ors_pump_decode(r, &vr->source, !vr->conf->report);

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    if (rc == NGX_DECLINED) {
        what = "its Content-Encoding is not known";

    } else if (r->headers_out.status == NGX_HTTP_SWITCHING_PROTOCOLS) {
        what = "it switches to another protocol";

    } else if (r->headers_out.status == 0) {

        /* nginx takes what has no status line for the body of HTTP/0.9 */

        what = "it is not HTTP";

    } else {
        return ngx_ors_verify_header(&vr->verify, r->headers_out.status,
                                     &r->headers_out.content_type,
                                     vr->source.decode.inflate
                                     ? -1 : r->headers_out.content_length_n);
    }

    return ngx_ors_answer_refuse(&vr->answer, what);
}


static ngx_int_t
ngx_http_ors_validator_body(ngx_http_ors_validator_t *vr, ngx_chain_t *in)
{
    ngx_int_t  rc;

    if (vr->conf->report) {
        return ngx_http_ors_validator_report(vr, in);
    }

    rc = ngx_http_ors_pump_take(vr->request, &vr->source, in);

    for ( ;; ) {

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }

        ngx_http_ors_stats_validator(vr);

        if (ngx_http_ors_validator_send(vr) == NGX_ERROR) {
            return NGX_ERROR;
        }

        if (rc == NGX_OK
            || ngx_ors_queue_full(&vr->pump.queue))
        {
            return rc;
        }

        rc = ngx_http_ors_pump_take(vr->request, &vr->source, NULL);
    }
}


/* an answer that is only reported on passes unchanged */

static ngx_int_t
ngx_http_ors_validator_report(ngx_http_ors_validator_t *vr, ngx_chain_t *in)
{
    ngx_int_t     rc;
    ngx_buf_t     b;
    ngx_chain_t  *cl;

    for (cl = in; cl && !vr->ended; cl = cl->next) {
        b = *cl->buf;

        do {
            rc = ngx_ors_source_read(&vr->source, &b);

            if (rc == NGX_ERROR || ngx_ors_out_drop(&vr->out) != NGX_OK) {
                return NGX_ERROR;
            }

        } while (rc == NGX_AGAIN);

        if (ngx_ors_source_ends(&vr->source, &b)
            && (ngx_http_ors_validator_end(vr) != NGX_OK
                || ngx_ors_out_drop(&vr->out) != NGX_OK))
        {
            return NGX_ERROR;
        }
    }

    ngx_http_ors_stats_validator(vr);

    return vr->pump.write(vr->request, in);
}


static ngx_uint_t
ngx_http_ors_validator_over(void *data)
{
    ngx_http_ors_validator_t *vr = data;

    return vr->answer.state == ngx_ors_answer_st_over;
}


static ngx_int_t
ngx_http_ors_validator_read(void *data, ngx_buf_t *b)
{
    ngx_http_ors_validator_t *vr = data;

    uint64_t   start;
    ngx_int_t  rc;

    start = ngx_ors_metrics_clock();
    rc = ngx_ors_answer_data(&vr->answer, b);
    vr->own += ngx_ors_metrics_clock() - start;

    if (vr->first_token < 0 && vr->verify.begun) {
        vr->first_token = ngx_http_ors_pump_elapsed(vr->request);
    }

    return rc;
}


static ngx_int_t
ngx_http_ors_validator_refuse_data(void *data, const char *what)
{
    ngx_http_ors_validator_t *vr = data;

    return ngx_ors_answer_refuse(&vr->answer, what);
}


static ngx_int_t
ngx_http_ors_validator_end(void *data)
{
    ngx_http_ors_validator_t *vr = data;

    ngx_uint_t  complete;

    if (vr->ended) {
        return NGX_OK;
    }

    vr->ended = 1;

    complete = ngx_ors_source_complete(&vr->source);

    if (ngx_ors_answer_end(&vr->answer, complete) == NGX_ERROR) {
        return NGX_ERROR;
    }

    ngx_log_debug4(NGX_LOG_DEBUG_HTTP, vr->request->connection->log, 0,
                   "ors validator: answer %s, %ui repaired, status %ui, "
                   "complete %ui", vr->verify.refused ? "refused" : "passed",
                   vr->verify.repaired, vr->verify.status, complete);

    return NGX_OK;
}


static ngx_int_t
ngx_http_ors_validator_send(ngx_http_ors_validator_t *vr)
{
    ngx_int_t             rc;
    ngx_http_upstream_t  *u;

    if (vr->verify.status == 0) {
        return NGX_OK;
    }

    if (!vr->header_sent) {
        rc = ngx_http_ors_validator_start(vr);

        if (rc == NGX_ERROR || rc > NGX_OK) {
            return NGX_ERROR;
        }
    }

    /* the rest of a refused stream is not read: its connection is closed */

    u = vr->request->upstream;

    if (vr->verify.refused && !vr->ended && u && !u->buffering) {
        u->length = 0;
    }

    return ngx_http_ors_pump_send(&vr->pump, ngx_http_ors_validator_over(vr));
}


static ngx_int_t
ngx_http_ors_validator_start(ngx_http_ors_validator_t *vr)
{
    char                **name;
    ngx_http_request_t   *r;

    static char  *digests[] = {
        "Content-MD5", "Digest", "Content-Digest", "Repr-Digest", NULL
    };

    r = vr->request;

    vr->header_sent = 1;

    if (vr->verify.replaced && ngx_http_ors_validator_clean(vr) != NGX_OK) {
        return NGX_ERROR;
    }

    /* other bytes may be sent than those that came */

    if (vr->verify.repaired || vr->verify.stream || vr->source.decode.inflate) {
        for (name = digests; *name; name++) {
            ngx_ors_header_set(&r->headers_out.headers, *name, NULL);
        }
    }

    if (vr->verify.status != r->headers_out.status) {
        r->headers_out.status = vr->verify.status;
        r->err_status = 0;    /* of "error_page ... =200" */
        r->headers_out.status_line.len = 0;
    }

    if (!ngx_ors_mime_is(&r->headers_out.content_type,
                         (char *) vr->verify.type.data))
    {
        r->headers_out.content_type = vr->verify.type;
        r->headers_out.content_type_len = vr->verify.type.len;
        r->headers_out.content_type_lowcase = NULL;
        ngx_str_null(&r->headers_out.charset);
    }

    ngx_http_clear_content_length(r);

    /* a stream has no length, even one in one buffer */

    if (ngx_http_ors_validator_over(vr)
        && ngx_ors_mime_is(&vr->verify.type, "application/json"))
    {
        r->headers_out.content_length_n = vr->out.size;
    }

    /* filters that have run for the upstream's answer run for ours */

    return vr->verify.replaced ? ngx_http_send_header(r)
                               : ngx_http_next_header_filter(r);
}


/*
 * Headers of an answer go with it, as do those that nginx has added to it.  A
 * client needs some of an upstream's to know what it may do now.
 */

static ngx_int_t
ngx_http_ors_validator_clean(ngx_http_ors_validator_t *vr)
{
    ngx_str_t           *name;
    ngx_list_t           old, *headers;
    ngx_table_elt_t     *h;
    ngx_http_request_t  *r;
    ngx_ors_header_at_t  at;

    static ngx_str_t  names[] = {
        ngx_string("Retry-After"),
        ngx_string("WWW-Authenticate"),
        ngx_null_string
    };

    r = vr->request;
    headers = &r->headers_out.headers;
    old = *headers;

    ngx_ors_header_each(h, &old, &at) {
        if (!ngx_http_ors_validator_sent(r, h)) {
            h->hash = 0;
        }
    }

    ngx_http_clean_header(r);

    if (ngx_list_init(headers, r->pool, 20, sizeof(ngx_table_elt_t)) != NGX_OK
        || (!vr->conf->policy.mask
            && ngx_ors_headers_pass(&old, headers) != NGX_OK))
    {
        return NGX_ERROR;
    }

    if (vr->verify.status != vr->answer.status) {
        return NGX_OK;
    }

    for (name = names; name->len; name++) {
        h = ngx_ors_header_find(&old, name);

        if (h && ngx_ors_header_add(headers, (char *) h->key.data,
                                    (char *) h->lowcase_key, &h->value)
                 == NULL)
        {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/* 1 if "h", of the answer, is the upstream's: neither nginx's nor hidden */

static ngx_uint_t
ngx_http_ors_validator_sent(ngx_http_request_t *r, ngx_table_elt_t *h)
{
    ngx_table_elt_t      *sent;
    ngx_ors_header_at_t   at;

    if (r->upstream == NULL) {
        return 0;
    }

    ngx_ors_header_each(sent, &r->upstream->headers_in.headers, &at) {
        if (sent->value.data == h->value.data) {
            return 1;
        }
    }

    return 0;
}


/*
 * How the body of an upstream ends: if it ends too early, or its framing is
 * broken, vr->source.cut is set and an empty buffer to be flushed follows the
 * bytes; else there is a last buffer.
 */

static void
ngx_http_ors_upstream_watch(ngx_http_ors_validator_t *vr)
{
    ngx_http_request_t       *r;
    ngx_http_upstream_t      *u;
    ngx_http_ors_upstream_t  *watch;

    r = vr->request;
    u = r->upstream;
    watch = &vr->upstream;

    /*
     * content that follows an upstream's failure, as an error_page or a
     * stale cache entry does, finds r->upstream without a connection
     */

    if (u == NULL || u->peer.connection == NULL) {
        return;
    }

    watch->finalize = u->finalize_request;
    u->finalize_request = ngx_http_ors_upstream_finalize;

    if (u->buffering && (u->pipe == NULL || u->pipe->input_ctx != r)) {

        /* "init" would be called with what another module put there */

        return;
    }

    /*
     * the input filters are replaced after "init" has run: it may choose
     * others, as proxy_pass does for chunked bodies
     */

    watch->init = u->input_filter_init;
    watch->ctx = u->input_filter_ctx;

    u->input_filter_init = ngx_http_ors_upstream_init;
    u->input_filter_ctx = r;
}


static ngx_int_t
ngx_http_ors_upstream_init(void *data)
{
    ngx_http_request_t *r = data;

    ngx_int_t                 rc;
    ngx_http_upstream_t      *u;
    ngx_http_ors_upstream_t  *watch;

    u = r->upstream;
    watch = &ngx_http_ors_validator_find(r)->upstream;

    rc = NGX_OK;

    if (watch->init) {
        rc = watch->init(u->buffering ? r : watch->ctx);
    }

    if (u->buffering) {
        watch->pipe_filter = u->pipe->input_filter;
        u->pipe->input_filter = ngx_http_ors_upstream_pipe_filter;

        return rc;
    }

    watch->filter = u->input_filter;
    u->input_filter = ngx_http_ors_upstream_filter;

    if (rc == NGX_ERROR) {

        /* no byte of a body will come: nginx is to finish */

        watch->broken = 1;
        u->length = 0;
        r->keepalive = 0;
    }

    return NGX_OK;
}


/*
 * After an error of an input filter nginx terminates the client's request
 * without another call of an output filter.  The error is turned into
 * u->error: nginx sends what came before it and flushes, as it does when the
 * upstream closes its connection too early.
 */

static ngx_int_t
ngx_http_ors_upstream_filter(void *data, ssize_t bytes)
{
    ngx_http_request_t *r = data;

    ngx_int_t                 rc;
    ngx_http_upstream_t      *u;
    ngx_http_ors_upstream_t  *watch;

    watch = &ngx_http_ors_validator_find(r)->upstream;

    rc = watch->broken ? NGX_ERROR : watch->filter(watch->ctx, bytes);

    if (rc != NGX_ERROR) {
        return rc;
    }

    watch->broken = 1;

    u = r->upstream;

    u->error = 1;
    u->keepalive = 0;

    /* neither complete nor complete at the end of the connection */

    u->length = 1;

    /* the buffer is full: nothing is read while the client is slow */

    u->buffer.last = u->buffer.end;

    return NGX_OK;
}


/* the same for a buffered body, which may be on its way into a cache */

static ngx_int_t
ngx_http_ors_upstream_pipe_filter(ngx_event_pipe_t *p, ngx_buf_t *buf)
{
    ngx_int_t                 rc;
    ngx_http_ors_upstream_t  *watch;

    watch = &ngx_http_ors_validator_find(p->input_ctx)->upstream;

    rc = watch->broken ? NGX_ERROR : watch->pipe_filter(p, buf);

    if (rc != NGX_ERROR) {
        return rc;
    }

    watch->broken = 1;

    p->upstream_error = 1;
    p->length = 1;

    return NGX_OK;
}


static void
ngx_http_ors_upstream_finalize(ngx_http_request_t *r, ngx_int_t rc)
{
    ngx_http_ors_validator_t  *vr;

    vr = ngx_http_ors_validator_find(r);

    /* nginx flushes and keeps the end of the body back in just these cases */

    vr->source.cut = (vr->upstream.broken || rc >= NGX_HTTP_SPECIAL_RESPONSE);

    vr->upstream.finalize(r, rc);
}
