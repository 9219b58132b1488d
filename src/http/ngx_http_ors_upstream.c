
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * How an upstream's answer has ended: by its length, its last chunk, or the
 * end of its connection.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>


static ngx_int_t ngx_http_ors_upstream_init(void *data);
static ngx_int_t ngx_http_ors_upstream_filter(void *data, ssize_t bytes);
static ngx_int_t ngx_http_ors_upstream_pipe_filter(ngx_event_pipe_t *p,
    ngx_buf_t *buf);
static void ngx_http_ors_upstream_finalize(ngx_http_request_t *r,
    ngx_int_t rc);
static ngx_http_ors_upstream_t *ngx_http_ors_upstream_of(
    ngx_http_request_t *r);


void
ngx_http_ors_upstream_watch(ngx_http_ors_upstream_t *watch,
    ngx_http_request_t *r)
{
    ngx_http_upstream_t  *u;

    u = r->upstream;

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
    watch = ngx_http_ors_upstream_of(r);

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

    watch = ngx_http_ors_upstream_of(r);

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

    watch = ngx_http_ors_upstream_of(p->input_ctx);

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
    ngx_http_ors_upstream_t  *watch;

    watch = ngx_http_ors_upstream_of(r);

    /* nginx flushes and keeps the end of the body back in just these cases */

    ngx_http_ors_validator_find(r)->source.cut =
                         (watch->broken || rc >= NGX_HTTP_SPECIAL_RESPONSE);

    watch->finalize(r, rc);
}


static ngx_http_ors_upstream_t *
ngx_http_ors_upstream_of(ngx_http_request_t *r)
{
    return &ngx_http_ors_validator_find(r)->upstream;
}
