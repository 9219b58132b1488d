
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Verification of documents, error documents, events and
 * failures: it passes them on, repairs them, or ends the answer.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_verify_chat.h>
#include <ngx_ors_verify_check.h>
#include <ngx_ors_verify_failure.h>
#include <ngx_ors_verify_handler.h>
#include <ngx_ors_verify_sequence.h>
#include <ngx_ors_verify_store.h>
#include <ngx_ors_verify_terminate.h>
#include <ngx_ors_verify_tolerate.h>
#include <ngx_ors_ws.h>


/* vectors are lists of numbers: so many times as many values are allowed */
#define NGX_ORS_VERIFY_VECTORS  16

#define ngx_ors_verify_is_chat(verify)                                        \
    ((verify)->endpoint->id == ngx_ors_endpoint_chat)

/* 1 if the last event of the stream has been sent */
#define ngx_ors_verify_stream_is_over(verify)                                 \
    ((verify)->stream->order == ngx_ors_verify_sequence_st_over)


static ngx_ors_answer_form_e ngx_ors_verify_form(ngx_ors_verify_t *verify);
static ngx_int_t ngx_ors_verify_document(void *data, ngx_str_t *text);
static ngx_int_t ngx_ors_verify_unreadable(void *data);
static ngx_int_t ngx_ors_verify_fail(ngx_ors_verify_t *verify);
static ngx_int_t ngx_ors_verify_stream_init(ngx_ors_verify_t *verify);
static void ngx_ors_verify_stream_comment(void *data);
static ngx_int_t ngx_ors_verify_stream_event(void *data);
static ngx_int_t ngx_ors_verify_stream_end(void *data, ngx_uint_t done);
static ngx_int_t ngx_ors_verify_stream_fail(ngx_ors_verify_t *verify);
static void ngx_ors_verify_stream_begin(ngx_ors_verify_t *verify);


static const ngx_ors_answer_handler_t  ngx_ors_verify_handler = {
    ngx_ors_verify_stream_comment,
    ngx_ors_verify_stream_event,
    ngx_ors_verify_stream_end,
    ngx_ors_verify_document,
    ngx_ors_verify_failure,
    ngx_ors_verify_unreadable
};


void
ngx_ors_verify_init(ngx_ors_verify_t *verify)
{
    verify->answer->handler = &ngx_ors_verify_handler;
    verify->answer->data = verify;
}


ngx_int_t
ngx_ors_verify_header(ngx_ors_verify_t *verify, ngx_uint_t status,
    ngx_str_t *type, off_t length)
{
    ngx_int_t   rc;
    ngx_uint_t  nodes;

    nodes = verify->limits->nodes;

    if (verify->endpoint->id == ngx_ors_endpoint_embeddings) {
        nodes *= NGX_ORS_VERIFY_VECTORS;
    }

    ngx_ors_json_init(&verify->json, verify->pool, verify->limits->depth,
                      nodes);
    ngx_ors_edits_init(&verify->edits, verify->pool);

    verify->answer->form = ngx_ors_verify_form(verify);

    rc = ngx_ors_answer_header(verify->answer, status, type, length);

    if (rc == NGX_OK && verify->answer->state == ngx_ors_answer_st_stream) {
        return ngx_ors_verify_stream_init(verify);
    }

    return rc;
}


static ngx_ors_answer_form_e
ngx_ors_verify_form(ngx_ors_verify_t *verify)
{
    if (verify->endpoint->event == NULL) {
        return ngx_ors_answer_json;
    }

    if (verify->request == NULL) {
        return ngx_ors_answer_any;
    }

    return verify->request->stream ? ngx_ors_answer_stream
                                   : ngx_ors_answer_document;
}


static ngx_int_t
ngx_ors_verify_document(void *data, ngx_str_t *text)
{
    ngx_ors_verify_t *verify = data;

    ngx_int_t  rc;

    rc = ngx_ors_verify_check(verify, text, verify->endpoint->answer);

    if (rc == NGX_OK && ngx_ors_verify_is_stored(verify)) {
        rc = ngx_ors_verify_store_hold(verify, NULL);

        if (rc == NGX_OK) {
            return NGX_DONE;
        }
    }

    if (rc == NGX_DECLINED) {
        return ngx_ors_verify_fail(verify);
    }

    if (rc != NGX_OK) {
        return NGX_ERROR;
    }

    verify->status = verify->answer->status;
    ngx_str_set(&verify->type, "application/json");

    ngx_ors_edits_write(&verify->edits, &verify->json, 0, text->len, 1,
                        verify->out);

    return NGX_DONE;
}


static ngx_int_t
ngx_ors_verify_unreadable(void *data)
{
    ngx_ors_verify_t *verify = data;

    if (verify->stream && ngx_ors_verify_stream_is_over(verify)) {
        return NGX_DONE;
    }

    verify->error = verify->answer->failure;
    (void) ngx_ors_verify_refused(verify);

    return ngx_ors_verify_fail(verify);
}


static ngx_int_t
ngx_ors_verify_fail(ngx_ors_verify_t *verify)
{
    return verify->stream ? ngx_ors_verify_stream_fail(verify)
                          : ngx_ors_verify_failed(verify);
}


static ngx_int_t
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


/* a comment keeps the connection to the client alive */

static void
ngx_ors_verify_stream_comment(void *data)
{
    ngx_ors_verify_t *verify = data;

    if (!ngx_ors_verify_stream_is_over(verify)) {
        ngx_ors_verify_stream_begin(verify);
        ngx_ors_frame_comment(verify->out);
    }
}


static ngx_int_t
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
        ngx_ors_frame_done(verify->out);
    }

    return NGX_OK;
}


static ngx_int_t
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
        ngx_ors_frame_done(verify->out);
        return NGX_DONE;
    }

    if (verify->stream->order != ngx_ors_verify_sequence_st_error) {
        return NGX_DECLINED;
    }

    /* the upstream has sent "error" and left out "response.failed" */

    verify->repaired++;

    return ngx_ors_verify_stream_fail(verify);
}


static ngx_int_t
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
ngx_ors_verify_unhold(ngx_ors_verify_t *verify, ngx_ors_error_t *err)
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
