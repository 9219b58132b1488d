
/*
 * Copyright (C) Open Responses contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_verify_chat.h>
#include <ngx_ors_verify_check.h>
#include <ngx_ors_verify_failure.h>
#include <ngx_ors_verify_terminate.h>
#include <ngx_ors_verify_sequence.h>
#include <ngx_ors_verify_tolerate.h>
#include <ngx_ors_verify_stream.h>


static void ngx_ors_verify_stream_comments(ngx_ors_verify_t *verify);
static void ngx_ors_verify_stream_begin(ngx_ors_verify_t *verify);
static ngx_int_t ngx_ors_verify_stream_event(ngx_ors_verify_t *verify);
static ngx_int_t ngx_ors_verify_stream_done(ngx_ors_verify_t *verify);
static ngx_int_t ngx_ors_verify_stream_cut(ngx_ors_verify_t *verify);


#define ngx_ors_verify_is_chat(verify)                                         \
    ((verify)->endpoint->id == ngx_ors_endpoint_chat)

#define ngx_ors_verify_is_over(verify)                                         \
    ((verify)->stream->order == ngx_ors_verify_sequence_st_over)


ngx_int_t
ngx_ors_verify_stream_init(ngx_ors_verify_t *verify)
{
    verify->stream = ngx_pcalloc(verify->pool, sizeof(ngx_ors_verify_stream_t));
    if (verify->stream == NULL) {
        return NGX_ERROR;
    }

    /*
     * set by ngx_pcalloc():
     *
     *     verify->stream->order = ngx_ors_verify_sequence_st_start;
     *     verify->stream->sequence = 0;
     *     verify->stream->items = NULL;
     */

    ngx_ors_sse_init(&verify->sse, verify->pool, verify->limits->event);

    return NGX_OK;
}


ngx_int_t
ngx_ors_verify_stream_data(ngx_ors_verify_t *verify, ngx_buf_t *b)
{
    ngx_int_t  rc;

    for ( ;; ) {

        rc = ngx_ors_sse_read(&verify->sse, b);

        ngx_ors_verify_stream_comments(verify);

        switch (rc) {

        case NGX_OK:
            break;

        case NGX_AGAIN:
            return NGX_OK;

        case NGX_DECLINED:

            if (ngx_ors_verify_is_over(verify)) {
                return NGX_DONE;
            }

            (void) ngx_ors_verify_found(verify, "event_too_large",
                                        "an event of the model server's stream "
                                        "is over the limit of %uz bytes",
                                        verify->limits->event);

            return ngx_ors_verify_stream_fail(verify);

        default: /* NGX_ERROR */
            return NGX_ERROR;
        }

        rc = ngx_ors_verify_stream_event(verify);

        if (rc != NGX_OK) {
            return rc;
        }
    }
}


ngx_int_t
ngx_ors_verify_stream_end(ngx_ors_verify_t *verify, ngx_uint_t complete)
{
    ngx_int_t  rc;

    if (ngx_ors_sse_end(&verify->sse) == NGX_OK) {
        rc = ngx_ors_verify_stream_event(verify);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    /* the last line of all is often missing, what comes before it is not */

    if (ngx_ors_verify_is_over(verify)) {
        verify->repaired++;
        return NGX_DONE;
    }

    if (ngx_ors_verify_is_chat(verify)
        && ngx_ors_verify_chat_ends(verify, 0))
    {
        verify->repaired++;
        ngx_ors_sse_done(verify->out);
        return NGX_DONE;
    }

    return ngx_ors_verify_stream_cut(verify);
}


ngx_int_t
ngx_ors_verify_stream_fail(ngx_ors_verify_t *verify)
{
    if (verify->status == 0) {
        return ngx_ors_verify_failed(verify);
    }

    if (ngx_ors_verify_is_chat(verify)) {
        ngx_ors_verify_chat_fail(verify);
        return NGX_DONE;
    }

    return ngx_ors_verify_terminate(verify);
}


/* they keep connections alive, on the way to the client, too */

static void
ngx_ors_verify_stream_comments(ngx_ors_verify_t *verify)
{
    while (verify->sse.comments) {
        verify->sse.comments--;

        if (!ngx_ors_verify_is_over(verify)) {
            ngx_ors_verify_stream_begin(verify);
            ngx_ors_out_lit(verify->out, ":\n\n");
        }
    }
}


static void
ngx_ors_verify_stream_begin(ngx_ors_verify_t *verify)
{
    if (verify->status == 0) {
        verify->status = 200;
        ngx_str_set(&verify->type, "text/event-stream");
    }
}


static ngx_int_t
ngx_ors_verify_stream_event(ngx_ors_verify_t *verify)
{
    ngx_int_t   rc;
    ngx_str_t  *data;

    data = &verify->sse.data;

    if (data->len >= 6 && ngx_memcmp(data->data, "[DONE]", 6) == 0) {
        return ngx_ors_verify_stream_done(verify);
    }

    /* what some send to keep the connection alive */

    if (data->len == 0) {
        verify->sse.comments++;
        ngx_ors_verify_stream_comments(verify);
        return NGX_OK;
    }

    if (ngx_ors_verify_is_over(verify)) {
        return ngx_ors_verify_tolerate(verify, ngx_ors_tolerated_late);
    }

    rc = ngx_ors_verify_is_chat(verify) ? ngx_ors_verify_chat(verify)
                                      : ngx_ors_verify_sequence(verify);

    if (rc == NGX_DECLINED) {
        return ngx_ors_verify_stream_fail(verify);
    }

    if (rc != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_ors_verify_stream_begin(verify);

    /* what upstream sends behind it is not waited for */

    if (verify->held.len) {
        return NGX_DONE;
    }

    if (ngx_ors_verify_is_over(verify)) {
        ngx_ors_sse_done(verify->out);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_verify_stream_done(ngx_ors_verify_t *verify)
{
    if (ngx_ors_verify_is_over(verify)) {
        return NGX_DONE;
    }

    if (ngx_ors_verify_is_chat(verify)
        && ngx_ors_verify_chat_ends(verify, 1))
    {
        ngx_ors_sse_done(verify->out);
        return NGX_DONE;
    }

    return ngx_ors_verify_stream_cut(verify);
}


static ngx_int_t
ngx_ors_verify_stream_cut(ngx_ors_verify_t *verify)
{
    /* upstream has said why, and left out response.failed */

    if (verify->stream->order == ngx_ors_verify_sequence_st_error) {
        verify->repaired++;

    } else {
        (void) ngx_ors_verify_found(verify, "upstream_disconnected",
                                    "the model server's answer ended before "
                                    "it was complete");
    }

    return ngx_ors_verify_stream_fail(verify);
}
