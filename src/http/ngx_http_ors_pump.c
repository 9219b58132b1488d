
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The pump: moves an upstream's answer in, through its reader, and out to the
 * client.  And what all requests have: a record, events, a body, documents.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>
#include <ngx_ors_body.h>
#include <ngx_ors_compat.h>


/* a request that is as large needs twice as much */
#define NGX_HTTP_ORS_LARGE  (8 * 1024 * 1024)


static ngx_int_t ngx_http_ors_pump_flush(ngx_http_ors_pump_t *pump,
    ngx_uint_t last);
static void ngx_http_ors_watch_handler(ngx_http_request_t *r);


ngx_int_t
ngx_http_ors_pump_take(ngx_http_request_t *r, ngx_ors_source_t *source,
    ngx_chain_t *in)
{
    ngx_int_t  rc;

    rc = ngx_ors_source_take(source, in);

    r->buffered &= ~NGX_HTTP_ORS_BUFFERED;

    if (source->stopped) {
        r->buffered |= NGX_HTTP_ORS_BUFFERED;
    }

    return rc;
}


ngx_int_t
ngx_http_ors_pump_decode(ngx_http_request_t *r, ngx_ors_source_t *source,
    ngx_uint_t strip)
{
    ngx_int_t         rc;
    ngx_table_elt_t  *h;

    h = r->headers_out.content_encoding;

    if (h == NULL) {
        return NGX_OK;
    }

    rc = ngx_ors_decode_init(&source->decode, &h->value, r->pool);

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "ors pump: the answer is encoded, \"%V\", rc %i",
                   &h->value, rc);

    /* the answer is sent without an encoding, and so is an error document */

    if (strip && (rc == NGX_DECLINED || source->decode.inflate)) {
        h->hash = 0;
        r->headers_out.content_encoding = NULL;
    }

    return rc;
}


ngx_int_t
ngx_http_ors_pump_send(ngx_http_ors_pump_t *pump, ngx_uint_t last)
{
    ngx_int_t     rc;
    ngx_buf_t    *b;
    ngx_chain_t  *out, *cl, **ll;

    if (ngx_ors_out_take(pump->queue.out, &out) != NGX_OK) {
        return NGX_ERROR;
    }

    if (out == NULL) {
        return ngx_http_ors_pump_flush(pump, last);
    }

    for (cl = out; cl->next; cl = cl->next) { /* void */ }

    b = cl->buf;

    if (last) {
        pump->last_sent = 1;

        b->last_buf = 1;
        b->last_in_chain = 1;

    } else {
        b->flush = 1;
    }

    rc = pump->write(pump->request, out);

    for (ll = &pump->queue.busy; *ll; ll = &(*ll)->next) { /* void */ }

    *ll = out;

    ngx_ors_out_recycle(pump->queue.out, &pump->queue.busy);

    return rc;
}


/* sends the end once, or what waits for a slow client */

static ngx_int_t
ngx_http_ors_pump_flush(ngx_http_ors_pump_t *pump, ngx_uint_t last)
{
    ngx_int_t            rc;
    ngx_uint_t           held;
    ngx_chain_t          out;
    ngx_http_request_t  *r;

    r = pump->request;

    if (last && !pump->last_sent) {
        pump->last_sent = 1;

        out.next = NULL;
        out.buf = ngx_calloc_buf(r->pool);
        if (out.buf == NULL) {
            return NGX_ERROR;
        }

        out.buf->last_buf = 1;
        out.buf->last_in_chain = 1;

        return pump->write(r, &out);
    }

    /* filters in front of ours have bytes of their own in r->buffered */

    held = pump->top ? r->buffered : (pump->queue.busy != NULL);

    if (!held && !r->connection->buffered) {
        return NGX_OK;
    }

    rc = pump->write(r, NULL);

    ngx_ors_out_recycle(pump->queue.out, &pump->queue.busy);

    return rc;
}


void
ngx_http_ors_event_init(ngx_event_t *ev, ngx_event_handler_pt handler,
    void *data, ngx_http_request_t *r)
{
    ev->handler = handler;
    ev->data = data;
    ev->log = r->connection->log;
}


void
ngx_http_ors_event_stop(ngx_event_t *ev)
{
    if (ev->timer_set) {
        ngx_del_timer(ev);
    }

    if (ev->posted) {
        ngx_delete_posted_event(ev);
    }
}


void
ngx_http_ors_event_resume(ngx_http_ors_ctx_t *ctx)
{
    ngx_connection_t  *c;

    c = ctx->request->connection;

    ngx_http_set_log_request(c->log, ctx->request);

    ctx->resume(ctx, NGX_OK);

    ngx_http_run_posted_requests(c);
}


void
ngx_http_ors_post(ngx_http_request_t *r, ngx_http_posted_request_t *pr)
{
    ngx_http_posted_request_t  *p;

    /* a stream of a million events must not take memory for each post */

    for (p = r->main->posted_requests; p; p = p->next) {
        if (p == pr) {
            return;
        }
    }

    (void) ngx_http_post_request(r, pr);
}


ngx_http_ors_ctx_t *
ngx_http_ors_ctx_create(ngx_http_request_t *r)
{
    ngx_http_ors_ctx_t  *ctx;

    ctx = ngx_pcalloc(r->pool, sizeof(ngx_http_ors_ctx_t));
    if (ctx == NULL) {
        return NULL;
    }

    ctx->request = r;
    ctx->conf = ngx_http_get_module_loc_conf(r, ngx_http_open_responses_module);

    ngx_queue_init(&ctx->calls);

    ngx_http_set_ctx(r, ctx, ngx_http_open_responses_module);

    return ctx;
}


/* notices a client that goes away while the model thinks */

ngx_int_t
ngx_http_ors_watch(ngx_http_request_t *r)
{
    ngx_event_t  *rev;

    rev = r->connection->read;

    r->read_event_handler = ngx_http_ors_watch_handler;

    if (rev->ready) {
        ngx_post_event(rev, &ngx_posted_events);
        return NGX_OK;
    }

    return ngx_handle_read_event(rev, 0);
}


static void
ngx_http_ors_watch_handler(ngx_http_request_t *r)
{
    ngx_http_ors_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_open_responses_module);

    if (r->discard_body) {
        ngx_http_discarded_request_body_handler(r);

    } else {
        ngx_http_test_reading(r);
    }

    /*
     * The client has left, and a post action has begun: what waits for a
     * client would go on in its location.  The memory of "r" is freed by
     * ngx_http_run_posted_requests() at the earliest.
     */

    if (r->post_action) {
        ctx->cleanup->handler(ctx->cleanup->data);
    }
}


ngx_msec_int_t
ngx_http_ors_pump_elapsed(ngx_http_request_t *r)
{
    ngx_time_t      *tp;
    ngx_msec_int_t   ms;

    tp = ngx_timeofday();

    ms = (ngx_msec_int_t) ((tp->sec - r->start_sec) * 1000
                           + (tp->msec - r->start_msec));

    /* a clock may be set back */

    return ngx_max(ms, 0);
}


/*
 * The body of a request: taken from it, and set in it.
 */


/*
 * malloc() takes large blocks from the heap and keeps twice their size at its
 * end once a block as large was freed that was mapped on its own.  A request of
 * 1 MB needs a little more than twice the largest block that it frees, its own
 * text: without this its pages are given back, and faulted in by the next one.
 * No page of this block is ever touched; where the operator has set malloc's
 * thresholds these hold.
 */

ngx_int_t
ngx_http_ors_body_init(ngx_log_t *log)
{
    void  *p;

    p = ngx_alloc(NGX_HTTP_ORS_LARGE, log);
    if (p == NULL) {
        return NGX_ERROR;
    }

    ngx_free(p);

    return NGX_OK;
}


ngx_int_t
ngx_http_ors_body(ngx_http_request_t *r, ngx_str_t *body)
{
    ngx_str_null(body);

    if (r->request_body == NULL || r->request_body->bufs == NULL) {
        return NGX_OK;
    }

    return ngx_ors_body(r->request_body->bufs, !r->headers_in.chunked, r->pool,
                        body);
}


ngx_int_t
ngx_http_ors_body_decode(ngx_http_request_t *r, ngx_str_t *body,
    ngx_uint_t set, ngx_ors_error_t *err)
{
    off_t                      max;
    ngx_int_t                  rc;
    ngx_buf_t                 *b;
    ngx_chain_t               *cl;
    ngx_table_elt_t           *h;
    ngx_http_headers_in_t     *in;
    ngx_http_core_loc_conf_t  *clcf;

    static ngx_str_t  encoding = ngx_string("Content-Encoding");
    static ngx_str_t  length = ngx_string("Content-Length");

    in = &r->headers_in;

    h = ngx_ors_header_find(&in->headers, &encoding);

    if (h == NULL || body->len == 0) {
        return NGX_OK;
    }

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    max = clcf->client_max_body_size ? clcf->client_max_body_size
                                     : (off_t) NGX_MAX_INT32_VALUE;

    rc = ngx_ors_body_decode(body, &h->value, (size_t) max, r->pool, err);

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "ors body: decoded, rc %i, %uz bytes", rc, body->len);

    if (rc != NGX_OK || !set) {
        return rc;
    }

    b = ngx_calloc_buf(r->pool);
    cl = ngx_alloc_chain_link(r->pool);

    if (b == NULL || cl == NULL
        || ngx_ors_header_drop(&in->headers, "Content-Encoding", r->pool)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (in->content_length) {
        in->content_length = ngx_ors_header_find(&in->headers, &length);
    }

    b->pos = body->data;
    b->last = body->data + body->len;
    b->start = b->pos;
    b->end = b->last;
    b->temporary = 1;
    b->last_buf = 1;

    cl->buf = b;
    cl->next = NULL;

    return ngx_http_ors_body_set(r, cl, body->len);
}


ngx_int_t
ngx_http_ors_body_set(ngx_http_request_t *r, ngx_chain_t *bufs, size_t size)
{
    ngx_str_t               value;
    ngx_http_headers_in_t  *in;

    in = &r->headers_in;

    value.data = ngx_pnalloc(r->pool, NGX_OFF_T_LEN);
    if (value.data == NULL) {
        return NGX_ERROR;
    }

    value.len = ngx_sprintf(value.data, "%uz", size) - value.data;

    if (in->content_length) {
        in->content_length->value = value;

    } else if (r != r->main) {
        in->content_length = ngx_ors_header_add(&in->headers, "Content-Length",
                                                "content-length", &value);
        if (in->content_length == NULL) {
            return NGX_ERROR;
        }
    }

    /* that of a subrequest is its main request's */

    if (r != r->main) {
        r->request_body = ngx_pcalloc(r->pool, sizeof(ngx_http_request_body_t));
        if (r->request_body == NULL) {
            return NGX_ERROR;
        }
    }

    in->content_length_n = size;
    r->request_body->bufs = bufs;

    return NGX_OK;
}


/*
 * Documents of ours as the whole answer to a request, the list of models
 * among them.
 */


ngx_int_t
ngx_http_ors_stream(ngx_http_request_t *r)
{
    ngx_list_t       *headers;
    ngx_table_elt_t  *h;

    headers = &r->headers_out.headers;

    /* where "expires" finds it, which is to replace it */

    h = ngx_ors_header_text(headers, "Cache-Control", "cache-control",
                            "no-cache");

    if (h == NULL
        || ngx_ors_header_link(&r->headers_out.cache_control, h, r->pool)
           != NGX_OK
        || ngx_ors_header_text(headers, "X-Accel-Buffering",
                               "x-accel-buffering", "no")
           == NULL)
    {
        return NGX_ERROR;
    }

    return NGX_OK;
}


ngx_int_t
ngx_http_ors_document(ngx_http_request_t *r, ngx_uint_t status,
    ngx_ors_out_t *out)
{
    size_t        size;
    ngx_int_t     rc;
    ngx_chain_t  *cl, *body;

    size = out->size;

    if (ngx_ors_out_take(out, &body) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    r->headers_out.status = status;
    r->headers_out.content_length_n = size;

    if (r->headers_out.content_type.len == 0) {
        ngx_str_set(&r->headers_out.content_type, "application/json");
        r->headers_out.content_type_len = r->headers_out.content_type.len;
    }

    rc = ngx_http_send_header(r);

    if (rc == NGX_ERROR || rc > NGX_OK || r->header_only) {
        return rc;
    }

    for (cl = body; cl->next; cl = cl->next) { /* void */ }

    cl->buf->last_buf = (r == r->main) ? 1 : 0;
    cl->buf->last_in_chain = 1;

    return ngx_http_output_filter(r, body);
}
