
/*
 * Copyright (C) Open Responses contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_guard_chat.h>
#include <ngx_ors_guard_check.h>
#include <ngx_ors_guard_failure.h>
#include <ngx_ors_guard_final.h>
#include <ngx_ors_guard_order.h>
#include <ngx_ors_guard_slip.h>
#include <ngx_ors_guard_stream.h>


static void ngx_ors_guard_stream_comments(ngx_ors_guard_t *guard);
static void ngx_ors_guard_stream_begin(ngx_ors_guard_t *guard);
static ngx_int_t ngx_ors_guard_stream_event(ngx_ors_guard_t *guard);
static ngx_int_t ngx_ors_guard_stream_done(ngx_ors_guard_t *guard);
static ngx_int_t ngx_ors_guard_stream_cut(ngx_ors_guard_t *guard);


#define ngx_ors_guard_is_chat(guard)                                          \
    ((guard)->endpoint->id == ngx_ors_endpoint_chat)

#define ngx_ors_guard_is_over(guard)                                          \
    ((guard)->stream->order == ngx_ors_guard_order_st_over)


ngx_int_t
ngx_ors_guard_stream_init(ngx_ors_guard_t *guard)
{
    guard->stream = ngx_pcalloc(guard->pool, sizeof(ngx_ors_guard_stream_t));
    if (guard->stream == NULL) {
        return NGX_ERROR;
    }

    /*
     * set by ngx_pcalloc():
     *
     *     guard->stream->order = ngx_ors_guard_order_st_start;
     *     guard->stream->sequence = 0;
     *     guard->stream->items = NULL;
     */

    ngx_ors_sse_init(&guard->sse, guard->pool, guard->limits->event);

    return NGX_OK;
}


ngx_int_t
ngx_ors_guard_stream_data(ngx_ors_guard_t *guard, ngx_buf_t *b)
{
    ngx_int_t  rc;

    for ( ;; ) {

        rc = ngx_ors_sse_read(&guard->sse, b);

        ngx_ors_guard_stream_comments(guard);

        switch (rc) {

        case NGX_OK:
            break;

        case NGX_AGAIN:
            return NGX_OK;

        case NGX_DECLINED:

            if (ngx_ors_guard_is_over(guard)) {
                return NGX_DONE;
            }

            (void) ngx_ors_guard_found(guard, "event_too_large",
                                       "an event of the model server's stream "
                                       "is over the limit of %uz bytes",
                                       guard->limits->event);

            return ngx_ors_guard_stream_fail(guard);

        default: /* NGX_ERROR */
            return NGX_ERROR;
        }

        rc = ngx_ors_guard_stream_event(guard);

        if (rc != NGX_OK) {
            return rc;
        }
    }
}


ngx_int_t
ngx_ors_guard_stream_end(ngx_ors_guard_t *guard, ngx_uint_t complete)
{
    ngx_int_t  rc;

    if (ngx_ors_sse_end(&guard->sse) == NGX_OK) {
        rc = ngx_ors_guard_stream_event(guard);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    /* the last line of all is often missing, what comes before it is not */

    if (ngx_ors_guard_is_over(guard)) {
        guard->mended++;
        return NGX_DONE;
    }

    if (ngx_ors_guard_is_chat(guard)
        && ngx_ors_guard_chat_ends(guard, 0))
    {
        guard->mended++;
        ngx_ors_sse_done(guard->out);
        return NGX_DONE;
    }

    return ngx_ors_guard_stream_cut(guard);
}


ngx_int_t
ngx_ors_guard_stream_fail(ngx_ors_guard_t *guard)
{
    if (guard->status == 0) {
        return ngx_ors_guard_failed(guard);
    }

    if (ngx_ors_guard_is_chat(guard)) {
        ngx_ors_guard_chat_fail(guard);
        return NGX_DONE;
    }

    return ngx_ors_guard_final(guard);
}


/* they keep connections alive, on the way to the client, too */

static void
ngx_ors_guard_stream_comments(ngx_ors_guard_t *guard)
{
    while (guard->sse.comments) {
        guard->sse.comments--;

        if (!ngx_ors_guard_is_over(guard)) {
            ngx_ors_guard_stream_begin(guard);
            ngx_ors_out_lit(guard->out, ":\n\n");
        }
    }
}


static void
ngx_ors_guard_stream_begin(ngx_ors_guard_t *guard)
{
    if (guard->status == 0) {
        guard->status = 200;
        ngx_str_set(&guard->type, "text/event-stream");
    }
}


static ngx_int_t
ngx_ors_guard_stream_event(ngx_ors_guard_t *guard)
{
    ngx_int_t   rc;
    ngx_str_t  *data;

    data = &guard->sse.data;

    if (data->len >= 6 && ngx_memcmp(data->data, "[DONE]", 6) == 0) {
        return ngx_ors_guard_stream_done(guard);
    }

    /* what some send to keep the connection alive */

    if (data->len == 0) {
        guard->sse.comments++;
        ngx_ors_guard_stream_comments(guard);
        return NGX_OK;
    }

    if (ngx_ors_guard_is_over(guard)) {
        return ngx_ors_guard_slip(guard, ngx_ors_guard_slip_late);
    }

    rc = ngx_ors_guard_is_chat(guard) ? ngx_ors_guard_chat(guard)
                                      : ngx_ors_guard_order(guard);

    if (rc == NGX_DECLINED) {
        return ngx_ors_guard_stream_fail(guard);
    }

    if (rc != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_ors_guard_stream_begin(guard);

    /* what upstream sends behind it is not waited for */

    if (guard->held.len) {
        return NGX_DONE;
    }

    if (ngx_ors_guard_is_over(guard)) {
        ngx_ors_sse_done(guard->out);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_guard_stream_done(ngx_ors_guard_t *guard)
{
    if (ngx_ors_guard_is_over(guard)) {
        return NGX_DONE;
    }

    if (ngx_ors_guard_is_chat(guard)
        && ngx_ors_guard_chat_ends(guard, 1))
    {
        ngx_ors_sse_done(guard->out);
        return NGX_DONE;
    }

    return ngx_ors_guard_stream_cut(guard);
}


static ngx_int_t
ngx_ors_guard_stream_cut(ngx_ors_guard_t *guard)
{
    /* upstream has said why, and left out response.failed */

    if (guard->stream->order == ngx_ors_guard_order_st_error) {
        guard->mended++;

    } else {
        (void) ngx_ors_guard_found(guard, "upstream_disconnected",
                                   "the model server's answer ended before "
                                   "it was complete");
    }

    return ngx_ors_guard_stream_fail(guard);
}
