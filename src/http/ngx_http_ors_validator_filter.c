
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The validator's answer side: an upstream's answer into the verifier, and
 * what comes out of it to the client.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>
#include <ngx_ors_gather.h>
#include <ngx_ors_verify_handler.h>


static ngx_int_t ngx_http_ors_validator_hold(ngx_http_ors_validator_t *g);
static void ngx_http_ors_validator_cleanup(void *data);
static ngx_int_t ngx_http_ors_validator_answer(ngx_http_ors_validator_t *g);
static ngx_int_t ngx_http_ors_validator_report(ngx_http_ors_validator_t *g,
    ngx_chain_t *in);
static ngx_uint_t ngx_http_ors_validator_over(void *data);
static ngx_int_t ngx_http_ors_validator_read(void *data, ngx_buf_t *b);
static ngx_int_t ngx_http_ors_validator_refuse_data(void *data,
    const char *what);
static ngx_int_t ngx_http_ors_validator_end(void *data);
static ngx_int_t ngx_http_ors_validator_send(ngx_http_ors_validator_t *g);
static ngx_int_t ngx_http_ors_validator_start(ngx_http_ors_validator_t *g);
static void ngx_http_ors_validator_own_status(ngx_http_ors_validator_t *g);
static void ngx_http_ors_validator_quit(ngx_http_ors_validator_t *g);


#define ngx_http_ors_validator_is_over(g)                                     \
    ((g)->answer.state == ngx_ors_answer_st_over)


static const ngx_ors_source_handler_t  ngx_http_ors_validator_source = {
    ngx_http_ors_validator_over,
    ngx_http_ors_validator_read,
    ngx_http_ors_validator_refuse_data,
    ngx_http_ors_validator_end
};


ngx_int_t
ngx_http_ors_validator_header(ngx_http_ors_validator_t *g,
    ngx_http_output_header_filter_pt next,
    ngx_http_output_body_filter_pt next_body)
{
    ngx_int_t            rc;
    ngx_uint_t           status;
    ngx_http_request_t  *r;

    r = g->request;
    status = r->headers_out.status;

    if (g->refused || g->held
        || status == NGX_HTTP_SWITCHING_PROTOCOLS
        || status == NGX_HTTP_NOT_MODIFIED)
    {
        return next(r);
    }

    ngx_http_ors_stats_upstreams(g);

    if (r->err_status >= NGX_HTTP_BAD_REQUEST) {

        /* nginx's own error page, or that of "error_page" */

        if (!g->conf->report && ngx_http_ors_error(r) != NGX_OK) {
            return NGX_ERROR;
        }

        return next(r);
    }

    /* the answer to a request that was not let in is nginx's, too */

    if (g->state == ngx_http_ors_validator_st_new
        || !(g->conf->validate & NGX_HTTP_ORS_VALIDATE_RESPONSE))
    {
        return next(r);
    }

    g->next_header = next;

    g->pump.request = r;
    g->pump.write = next_body;
    g->pump.queue.out = &g->out;
    g->pump.queue.limit = g->conf->limits.queue;

    g->source.pool = r->pool;
    g->source.log = r->connection->log;
    g->source.queue = &g->pump.queue;
    g->source.handler = &ngx_http_ors_validator_source;
    g->source.data = g;

    if (ngx_http_ors_validator_hold(g) != NGX_OK) {
        return NGX_ERROR;
    }

    rc = ngx_http_ors_validator_answer(g);

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    if (g->conf->report) {
        return next(r);
    }

    /* the header is sent with the body's first event, or after all of it */

    return NGX_OK;
}


static ngx_int_t
ngx_http_ors_validator_hold(ngx_http_ors_validator_t *g)
{
    ngx_http_cleanup_t  *cln;
    ngx_http_request_t  *r;

    r = g->request;

    cln = ngx_http_cleanup_add(r, 0);
    if (cln == NULL) {
        return NGX_ERROR;
    }

    cln->handler = ngx_http_ors_validator_cleanup;
    cln->data = g;

    g->held = 1;

    r->main_filter_need_in_memory = 1;

    if (r->upstream && !r->upstream->cacheable) {

        /* bytes are handed on at once, none go to a file */

        r->upstream->buffering = 0;
    }

    ngx_http_ors_upstream_watch(&g->upstream, r);

    if (g->conf->report) {
        return NGX_OK;
    }

    /* nginx would answer as it was answered, in HTTP/0.9 */

    r->http_version = g->version;

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
    ngx_http_ors_validator_t  *g = data;

    ngx_connection_t  *c;

    c = g->request->connection;

    if (!g->ended && !g->counted
        && (c->error || c->timedout || c->close))
    {
        g->counted = 1;
        ngx_http_ors_metrics_validated(g);
    }

    if (g->ended || c->error || c->timedout || c->close) {
        return;
    }

    g->source.cut = 1;

    if (ngx_http_ors_validator_end(g) != NGX_OK) {
        return;
    }

    ngx_http_ors_stats_validator(g);

    if (!g->conf->report) {
        (void) ngx_http_ors_validator_send(g);
    }
}


static ngx_int_t
ngx_http_ors_validator_answer(ngx_http_ors_validator_t *g)
{
    ngx_int_t            rc;
    ngx_http_request_t  *r;

    r = g->request;

    rc = ngx_http_ors_pump_decode(r, &g->source, !g->conf->report);

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    if (rc == NGX_DECLINED) {
        return ngx_ors_answer_refuse(&g->answer, "invalid_upstream_answer",
                                     "its Content-Encoding is not known");
    }

    if (r->headers_out.status == 0) {

        /* nginx takes what has no status line for the body of HTTP/0.9 */

        return ngx_ors_answer_refuse(&g->answer, "invalid_upstream_answer",
                                     "it is not HTTP");
    }

    return ngx_ors_verify_header(&g->verify, r->headers_out.status,
                                 &r->headers_out.content_type,
                                 g->source.decode.inflate
                                 ? -1 : r->headers_out.content_length_n);
}


ngx_int_t
ngx_http_ors_validator_body(ngx_http_ors_validator_t *g, ngx_chain_t *in)
{
    ngx_int_t  rc;

    if (g->conf->report) {
        return ngx_http_ors_validator_report(g, in);
    }

    rc = ngx_http_ors_pump_take(g->request, &g->source, in);

    for ( ;; ) {

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }

        ngx_http_ors_stats_validator(g);

        if (ngx_http_ors_validator_send(g) == NGX_ERROR) {
            return NGX_ERROR;
        }

        if (rc == NGX_OK
            || ngx_ors_queue_full(&g->pump.queue))
        {
            return rc;
        }

        rc = ngx_http_ors_pump_take(g->request, &g->source, NULL);
    }
}


/* an answer that is only reported on passes unchanged */

static ngx_int_t
ngx_http_ors_validator_report(ngx_http_ors_validator_t *g, ngx_chain_t *in)
{
    ngx_int_t     rc;
    ngx_buf_t     b;
    ngx_chain_t  *cl;

    for (cl = in; cl && !g->ended; cl = cl->next) {
        b = *cl->buf;

        do {
            rc = ngx_ors_source_read(&g->source, &b);

            if (rc == NGX_ERROR || ngx_ors_out_drop(&g->out) != NGX_OK) {
                return NGX_ERROR;
            }

        } while (rc == NGX_AGAIN);

        if (ngx_ors_source_ends(&g->source, &b)
            && (ngx_http_ors_validator_end(g) != NGX_OK
                || ngx_ors_out_drop(&g->out) != NGX_OK))
        {
            return NGX_ERROR;
        }
    }

    ngx_http_ors_stats_validator(g);

    return g->pump.write(g->request, in);
}


static ngx_uint_t
ngx_http_ors_validator_over(void *data)
{
    ngx_http_ors_validator_t *g = data;

    return ngx_http_ors_validator_is_over(g);
}


static ngx_int_t
ngx_http_ors_validator_read(void *data, ngx_buf_t *b)
{
    ngx_http_ors_validator_t *g = data;

    uint64_t   start;
    ngx_int_t  rc;

    start = ngx_ors_metrics_clock();
    rc = ngx_ors_answer_data(&g->answer, b);
    g->own += ngx_ors_metrics_clock() - start;

    if (g->first_token < 0 && g->verify.begun) {
        g->first_token = ngx_http_ors_pump_elapsed(g->request);
    }

    return rc;
}


static ngx_int_t
ngx_http_ors_validator_refuse_data(void *data, const char *what)
{
    ngx_http_ors_validator_t *g = data;

    return ngx_ors_answer_refuse(&g->answer, "invalid_upstream_answer", what);
}


static ngx_int_t
ngx_http_ors_validator_end(void *data)
{
    ngx_http_ors_validator_t *g = data;

    ngx_uint_t  complete;

    if (g->ended) {
        return NGX_OK;
    }

    g->ended = 1;

    complete = ngx_ors_source_complete(&g->source);

    if (ngx_ors_answer_end(&g->answer, complete) == NGX_ERROR) {
        return NGX_ERROR;
    }

    ngx_log_debug4(NGX_LOG_DEBUG_HTTP, g->request->connection->log, 0,
                   "ors validator: answer %s, %ui repaired, status %ui, "
                   "complete %ui", g->verify.refused ? "refused" : "passed",
                   g->verify.repaired, g->verify.status, complete);

    return NGX_OK;
}


static ngx_int_t
ngx_http_ors_validator_send(ngx_http_ors_validator_t *g)
{
    ngx_int_t  rc;

    if (g->verify.status == 0) {
        return NGX_OK;
    }

    if (!g->header_sent) {
        rc = ngx_http_ors_validator_start(g);

        if (rc == NGX_ERROR || rc > NGX_OK) {
            return NGX_ERROR;
        }
    }

    ngx_http_ors_validator_quit(g);

    return ngx_http_ors_pump_send(&g->pump, ngx_http_ors_validator_is_over(g));
}


/* the rest of a refused stream is not read: its connection is closed */

static void
ngx_http_ors_validator_quit(ngx_http_ors_validator_t *g)
{
    ngx_http_upstream_t  *u;

    u = g->request->upstream;

    if (g->verify.refused && !g->ended && u && !u->buffering) {
        u->length = 0;
    }
}


static ngx_int_t
ngx_http_ors_validator_start(ngx_http_ors_validator_t *g)
{
    ngx_http_request_t  *r;

    r = g->request;

    g->header_sent = 1;

    if (g->verify.status != r->headers_out.status) {
        ngx_http_ors_validator_own_status(g);
    }

    if (!ngx_ors_mime_is(&r->headers_out.content_type,
                         (char *) g->verify.type.data))
    {
        r->headers_out.content_type = g->verify.type;
        r->headers_out.content_type_len = g->verify.type.len;
        r->headers_out.content_type_lowcase = NULL;
        ngx_str_null(&r->headers_out.charset);
    }

    ngx_http_clear_content_length(r);

    /* a stream has no length, even one that came at once */

    if (ngx_http_ors_validator_is_over(g)
        && ngx_ors_mime_is(&g->verify.type, "application/json"))
    {
        r->headers_out.content_length_n = g->out.size;
    }

    return g->next_header(r);
}


/* headers that belong to the upstream's status go with it */

static void
ngx_http_ors_validator_own_status(ngx_http_ors_validator_t *g)
{
    char                **name;
    ngx_http_request_t   *r;

    static char  *names[] = {
        "Location", "Refresh", "WWW-Authenticate", "Proxy-Authenticate", NULL
    };

    r = g->request;

    r->headers_out.status = g->verify.status;
    r->headers_out.status_line.len = 0;
    r->headers_out.location = NULL;

    for (name = names; *name; name++) {
        ngx_ors_header_set(&r->headers_out.headers, *name, NULL);
    }
}
