
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Bytes of an event stream to checked events: the loop over the SSE reader.
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


static void ngx_ors_verify_stream_begin(ngx_ors_verify_t *verify);


#define ngx_ors_verify_is_chat(verify)                                        \
    ((verify)->endpoint->id == ngx_ors_endpoint_chat)


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

    if (!ngx_ors_verify_is_chat(verify)) {
        verify->fill = ngx_ors_verify_sequence_fill;
    }

    return NGX_OK;
}


/* a comment keeps the connection to the client alive, too */

void
ngx_ors_verify_stream_comment(void *data)
{
    ngx_ors_verify_t *verify = data;

    if (!ngx_ors_verify_stream_is_over(verify)) {
        ngx_ors_verify_stream_begin(verify);
        ngx_ors_out_lit(verify->out, ":\n\n");
    }
}


ngx_int_t
ngx_ors_verify_stream_event(void *data)
{
    ngx_ors_verify_t *verify = data;

    ngx_int_t  rc;

    if (ngx_ors_verify_stream_is_over(verify)) {
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

    /* an end that is held does not wait for the rest of the stream */

    if (verify->held.len) {
        return NGX_DONE;
    }

    if (ngx_ors_verify_stream_is_over(verify)) {
        ngx_ors_sse_done(verify->out);
    }

    return NGX_OK;
}


ngx_int_t
ngx_ors_verify_stream_end(void *data, ngx_uint_t done)
{
    ngx_ors_verify_t *verify = data;

    if (ngx_ors_verify_stream_is_over(verify)) {
        verify->repaired += !done;
        return NGX_DONE;
    }

    if (ngx_ors_verify_is_chat(verify)
        && ngx_ors_verify_chat_ends(verify, done))
    {
        verify->repaired += !done;
        ngx_ors_sse_done(verify->out);
        return NGX_DONE;
    }

    if (verify->stream->order != ngx_ors_verify_sequence_st_error) {
        return NGX_DECLINED;
    }

    /* the upstream has sent "error" and left out "response.failed" */

    verify->repaired++;

    return ngx_ors_verify_stream_fail(verify);
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


ngx_int_t
ngx_ors_verify_stream_unhold(ngx_ors_verify_t *verify, ngx_ors_error_t *err)
{
    ngx_str_null(&verify->held);

    verify->error = *err;
    verify->stream->order = ngx_ors_verify_sequence_st_running;
    verify->stream->sequence--;

    return ngx_ors_verify_stream_fail(verify);
}


static void
ngx_ors_verify_stream_begin(ngx_ors_verify_t *verify)
{
    if (verify->status == 0) {
        verify->status = 200;
        ngx_str_set(&verify->type, "text/event-stream");
    }
}
