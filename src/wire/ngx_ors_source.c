
/*
 * Copyright (C) Open Responses contributors
 */


/* Moves the bytes of an answer through their reader while there is room. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_source.h>


static void ngx_ors_source_stop(ngx_ors_source_t *source, ngx_uint_t stop);


size_t
ngx_ors_queue_pending(ngx_ors_queue_t *queue)
{
    size_t        size;
    ngx_chain_t  *cl;

    size = queue->out->size;

    for (cl = queue->busy; cl; cl = cl->next) {
        size += ngx_buf_size(cl->buf);
    }

    return size;
}


ngx_int_t
ngx_ors_source_take(ngx_ors_source_t *source, ngx_chain_t *in)
{
    if (ngx_chain_add_copy(source->pool, &source->in, in) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_ors_source_feed(source);
}


ngx_int_t
ngx_ors_source_feed(ngx_ors_source_t *source)
{
    ngx_int_t     rc;
    ngx_chain_t  *cl;

    while (source->in) {
        cl = source->in;

        rc = ngx_ors_source_read(source, cl->buf);

        if (rc == NGX_AGAIN) {
            ngx_ors_source_stop(source, 1);
            return NGX_AGAIN;
        }

        if (rc == NGX_OK && ngx_ors_source_ends(source, cl->buf)) {
            rc = source->handler->end(source->data);
        }

        if (rc != NGX_OK) {
            ngx_ors_source_stop(source, 0);
            return NGX_ERROR;
        }

        source->in = cl->next;
        ngx_free_chain(source->pool, cl);
    }

    ngx_ors_source_stop(source, 0);

    return NGX_OK;
}


static void
ngx_ors_source_stop(ngx_ors_source_t *source, ngx_uint_t stop)
{
    if (stop == source->stopped) {
        return;
    }

    source->stopped = stop;

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, source->log, 0,
                   "ors pump: back-pressure %s, %uz bytes queued",
                   stop ? "on" : "off", ngx_ors_queue_pending(source->queue));
}


ngx_int_t
ngx_ors_source_read(ngx_ors_source_t *source, ngx_buf_t *b)
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

        if (source->queue && ngx_ors_queue_full(source->queue)) {
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


/* a body that was cut has no last buffer but a flush after its bytes */

ngx_uint_t
ngx_ors_source_ends(ngx_ors_source_t *source, ngx_buf_t *b)
{
    return b->last_buf || b->last_in_chain
           || (source->cut && b->flush && !ngx_buf_in_memory(b));
}
