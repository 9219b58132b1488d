
/*
 * Copyright (C) Open Responses contributors
 */


/* Moves an upstream's answer in, through its reader, and out to the client. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_pump.h>


static void ngx_http_ors_pump_stop(ngx_http_ors_pump_t *pump,
    ngx_http_ors_source_t *source, ngx_uint_t stop);
static ngx_int_t ngx_http_ors_pump_flush(ngx_http_ors_pump_t *pump,
    ngx_uint_t last);
static ngx_int_t ngx_http_ors_pump_last(ngx_http_ors_pump_t *pump);


size_t
ngx_http_ors_pump_pending(ngx_http_ors_pump_t *pump)
{
    size_t        size;
    ngx_chain_t  *cl;

    size = pump->out->size;

    for (cl = pump->busy; cl; cl = cl->next) {
        size += ngx_buf_size(cl->buf);
    }

    return size;
}


ngx_int_t
ngx_http_ors_pump_take(ngx_http_ors_pump_t *pump,
    ngx_http_ors_source_t *source, ngx_chain_t *in)
{
    if (ngx_chain_add_copy(source->request->pool, &source->in, in) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_http_ors_pump_feed(pump, source);
}


ngx_int_t
ngx_http_ors_pump_feed(ngx_http_ors_pump_t *pump,
    ngx_http_ors_source_t *source)
{
    ngx_int_t     rc;
    ngx_chain_t  *cl;

    while (source->in) {
        cl = source->in;

        rc = ngx_http_ors_pump_read(pump, source, cl->buf);

        if (rc == NGX_AGAIN) {
            ngx_http_ors_pump_stop(pump, source, 1);
            return NGX_AGAIN;
        }

        if (rc == NGX_OK && ngx_http_ors_source_ends(source, cl->buf)) {
            rc = source->handler->end(source->data);
        }

        if (rc != NGX_OK) {
            ngx_http_ors_pump_stop(pump, source, 0);
            return NGX_ERROR;
        }

        source->in = cl->next;
        ngx_free_chain(source->request->pool, cl);
    }

    ngx_http_ors_pump_stop(pump, source, 0);

    return NGX_OK;
}


static void
ngx_http_ors_pump_stop(ngx_http_ors_pump_t *pump,
    ngx_http_ors_source_t *source, ngx_uint_t stop)
{
    ngx_http_request_t  *r;

    r = source->request;

    if (stop) {
        r->buffered |= NGX_HTTP_ORS_BUFFERED;

    } else {
        r->buffered &= ~NGX_HTTP_ORS_BUFFERED;
    }

    if (stop == source->stopped) {
        return;
    }

    source->stopped = stop;

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "ors pump: back-pressure %s, %uz bytes queued",
                   stop ? "on" : "off", ngx_http_ors_pump_pending(pump));
}


ngx_int_t
ngx_http_ors_pump_read(ngx_http_ors_pump_t *pump,
    ngx_http_ors_source_t *source, ngx_buf_t *b)
{
    ngx_int_t  rc;
    ngx_buf_t  piece;

    if (!ngx_buf_in_memory(b)) {
        return NGX_OK;
    }

    for ( ;; ) {

        if (source->handler->over(source->data)) {
            b->pos = b->last;
            return NGX_OK;
        }

        if (ngx_http_ors_pump_pending(pump) >= pump->limit) {
            return (b->pos < b->last || source->decode.inflate) ? NGX_AGAIN
                                                                : NGX_OK;
        }

        rc = ngx_ors_decode_next(&source->decode, b, &piece);

        if (rc == NGX_AGAIN) {
            return NGX_OK;
        }

        if (rc == NGX_OK) {
            rc = source->handler->read(source->data, &piece);

        } else if (rc == NGX_DECLINED) {
            rc = source->handler->refuse(source->data,
                                         "it cannot be decompressed");
        }

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }
    }
}


ngx_int_t
ngx_http_ors_source_decode(ngx_http_ors_source_t *source,
    ngx_http_request_t *r, ngx_uint_t strip)
{
    ngx_int_t         rc;
    ngx_table_elt_t  *h;

    h = r->headers_out.content_encoding;

    if (h == NULL) {
        return NGX_OK;
    }

    rc = ngx_ors_decode_init(&source->decode, &h->value, r->pool);

    /* the answer is sent without an encoding, and so is an error document */

    if (strip && (rc == NGX_DECLINED || source->decode.inflate)) {
        h->hash = 0;
        r->headers_out.content_encoding = NULL;
    }

    return rc;
}


/* a body that was cut has no last buffer but a flush after its bytes */

ngx_uint_t
ngx_http_ors_source_ends(ngx_http_ors_source_t *source, ngx_buf_t *b)
{
    return b->last_buf || b->last_in_chain
           || (source->upstream.cut && b->flush && !ngx_buf_in_memory(b));
}


ngx_int_t
ngx_http_ors_pump_send(ngx_http_ors_pump_t *pump, ngx_uint_t last)
{
    ngx_int_t     rc;
    ngx_buf_t    *b;
    ngx_chain_t  *out, *cl, **ll;

    if (ngx_ors_out_take(pump->out, &out) != NGX_OK) {
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

    for (ll = &pump->busy; *ll; ll = &(*ll)->next) { /* void */ }

    *ll = out;

    ngx_ors_out_recycle(pump->out, &pump->busy);

    return rc;
}


/* sends the end once, or what waits for a slow client */

static ngx_int_t
ngx_http_ors_pump_flush(ngx_http_ors_pump_t *pump, ngx_uint_t last)
{
    ngx_int_t            rc;
    ngx_uint_t           held;
    ngx_http_request_t  *r;

    if (last && !pump->last_sent) {
        return ngx_http_ors_pump_last(pump);
    }

    r = pump->request;

    /* filters in front of ours have bytes of their own in r->buffered */

    held = pump->top ? r->buffered : (pump->busy != NULL);

    if (!held && !r->connection->buffered) {
        return NGX_OK;
    }

    rc = pump->write(r, NULL);

    ngx_ors_out_recycle(pump->out, &pump->busy);

    return rc;
}


static ngx_int_t
ngx_http_ors_pump_last(ngx_http_ors_pump_t *pump)
{
    ngx_buf_t    *b;
    ngx_chain_t   out;

    pump->last_sent = 1;

    b = ngx_calloc_buf(pump->request->pool);
    if (b == NULL) {
        return NGX_ERROR;
    }

    b->last_buf = 1;
    b->last_in_chain = 1;

    out.buf = b;
    out.next = NULL;

    return pump->write(pump->request, &out);
}


/* a client that goes away while the model thinks is noticed at once */

ngx_int_t
ngx_http_ors_watch(ngx_http_request_t *r)
{
    ngx_event_t  *rev;

    rev = r->connection->read;

    r->read_event_handler = ngx_http_test_reading;

    if (rev->ready) {
        ngx_post_event(rev, &ngx_posted_events);
        return NGX_OK;
    }

    return ngx_handle_read_event(rev, 0);
}
