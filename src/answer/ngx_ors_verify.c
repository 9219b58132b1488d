
/*
 * Copyright (C) Open Responses contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_gather.h>
#include <ngx_ors_verify.h>
#include <ngx_ors_verify_check.h>
#include <ngx_ors_verify_failure.h>
#include <ngx_ors_verify_store.h>
#include <ngx_ors_verify_stream.h>


/* of an error document nobody needs more */
#define NGX_ORS_VERIFY_FAILURE  65536

/* vectors are lists of numbers: so many times as many values are allowed */
#define NGX_ORS_VERIFY_VECTORS  16


static ngx_int_t ngx_ors_verify_begin_stream(ngx_ors_verify_t *verify);
static ngx_int_t ngx_ors_verify_begin_document(ngx_ors_verify_t *verify,
    off_t length);
static ngx_int_t ngx_ors_verify_gather(ngx_ors_verify_t *verify, ngx_buf_t *b);
static ngx_int_t ngx_ors_verify_document(ngx_ors_verify_t *verify);
static ngx_int_t ngx_ors_verify_too_large(ngx_ors_verify_t *verify);
static ngx_int_t ngx_ors_verify_cut(ngx_ors_verify_t *verify);
static ngx_int_t ngx_ors_verify_fail(ngx_ors_verify_t *verify);
static ngx_int_t ngx_ors_verify_over(ngx_ors_verify_t *verify, ngx_int_t rc);


ngx_int_t
ngx_ors_verify_header(ngx_ors_verify_t *verify, ngx_uint_t status,
    ngx_str_t *type, off_t length)
{
    ngx_uint_t  nodes;

    verify->upstream_status = status;

    nodes = verify->limits->nodes;

    if (verify->endpoint->id == ngx_ors_endpoint_embeddings) {
        nodes *= NGX_ORS_VERIFY_VECTORS;
    }

    ngx_ors_json_init(&verify->json, verify->pool, verify->limits->depth,
                      nodes);
    ngx_ors_edits_init(&verify->edits, verify->pool);

    if (status < 200 || status > 299) {
        verify->state = ngx_ors_verify_st_failure;
        return NGX_OK;
    }

    if (verify->endpoint->event
        && ngx_ors_mime_is(type, "text/event-stream"))
    {
        return ngx_ors_verify_begin_stream(verify);
    }

    if (ngx_ors_mime_is(type, "application/json")) {
        return ngx_ors_verify_begin_document(verify, length);
    }

    return ngx_ors_verify_refuse(verify, "invalid_upstream_answer",
                                 verify->endpoint->event
                                 ? "it is neither JSON nor an event stream"
                                 : "it is not JSON");
}


static ngx_int_t
ngx_ors_verify_begin_stream(ngx_ors_verify_t *verify)
{
    if (verify->request && !verify->request->stream) {
        return ngx_ors_verify_refuse(verify, "invalid_upstream_answer",
                                     "it is an event stream, a document was "
                                     "asked for");
    }

    verify->state = ngx_ors_verify_st_stream;

    return ngx_ors_verify_stream_init(verify);
}


static ngx_int_t
ngx_ors_verify_begin_document(ngx_ors_verify_t *verify, off_t length)
{
    if (verify->endpoint->event && verify->request && verify->request->stream) {
        return ngx_ors_verify_refuse(verify, "invalid_upstream_answer",
                                     "it is a document, an event stream was "
                                     "asked for");
    }

    verify->state = ngx_ors_verify_st_document;

    if (length > (off_t) verify->limits->answer) {
        return ngx_ors_verify_too_large(verify);
    }

    if (length > 0) {
        return ngx_ors_gather_reserve(&verify->gathered, (size_t) length,
                                      verify->pool);
    }

    return NGX_OK;
}


ngx_int_t
ngx_ors_verify_data(ngx_ors_verify_t *verify, ngx_buf_t *b)
{
    switch (verify->state) {

    case ngx_ors_verify_st_document:
        return ngx_ors_verify_gather(verify, b);

    case ngx_ors_verify_st_failure:
        return ngx_ors_gather_head(&verify->gathered, b, NGX_ORS_VERIFY_FAILURE,
                                   verify->pool);

    case ngx_ors_verify_st_stream:
        return ngx_ors_verify_over(verify,
                                   ngx_ors_verify_stream_data(verify, b));

    case ngx_ors_verify_st_over:
        return NGX_DONE;

    case ngx_ors_verify_st_header:
        break;
    }

    ngx_log_error(NGX_LOG_ALERT, verify->log, 0,
                  "data of an answer without a header");

    return NGX_ERROR;
}


ngx_int_t
ngx_ors_verify_end(ngx_ors_verify_t *verify, ngx_uint_t complete)
{
    switch (verify->state) {

    case ngx_ors_verify_st_header:
        return ngx_ors_verify_cut(verify);

    case ngx_ors_verify_st_document:
        return complete ? ngx_ors_verify_document(verify)
                        : ngx_ors_verify_cut(verify);

    case ngx_ors_verify_st_failure:
        return ngx_ors_verify_failure(verify);

    case ngx_ors_verify_st_stream:
        return ngx_ors_verify_over(verify,
                                   ngx_ors_verify_stream_end(verify, complete));

    case ngx_ors_verify_st_over:
        break;
    }

    return NGX_DONE;
}


ngx_int_t
ngx_ors_verify_refuse(ngx_ors_verify_t *verify, char *code, const char *what)
{
    if (verify->state == ngx_ors_verify_st_over) {
        return NGX_DONE;
    }

    (void) ngx_ors_verify_found(verify, code, "the model server's answer was "
                                "refused: %s", what);

    return ngx_ors_verify_fail(verify);
}


static ngx_int_t
ngx_ors_verify_gather(ngx_ors_verify_t *verify, ngx_buf_t *b)
{
    ngx_int_t  rc;

    rc = ngx_ors_gather(&verify->gathered, b, verify->limits->answer,
                        verify->pool);

    return (rc == NGX_DECLINED) ? ngx_ors_verify_too_large(verify) : rc;
}


static ngx_int_t
ngx_ors_verify_document(ngx_ors_verify_t *verify)
{
    ngx_int_t  rc;
    ngx_str_t  text;

    text.data = verify->gathered.pos;
    text.len = verify->gathered.last - verify->gathered.pos;

    rc = ngx_ors_verify_check(verify, &text, verify->endpoint->answer);

    if (rc == NGX_DECLINED) {
        return ngx_ors_verify_fail(verify);
    }

    if (rc != NGX_OK) {
        return NGX_ERROR;
    }

    verify->state = ngx_ors_verify_st_over;

    if (ngx_ors_verify_is_stored(verify)) {
        rc = ngx_ors_verify_store_hold(verify, NULL);

        if (rc == NGX_DECLINED) {
            return ngx_ors_verify_fail(verify);
        }

        return (rc == NGX_OK) ? NGX_DONE : NGX_ERROR;
    }

    verify->status = verify->upstream_status;
    ngx_str_set(&verify->type, "application/json");

    /* nothing is gathered any more: the bytes stay where they are */

    ngx_ors_edits_write(&verify->edits, &verify->json, 0, text.len, 1,
                        verify->out);

    return NGX_DONE;
}


static ngx_int_t
ngx_ors_verify_too_large(ngx_ors_verify_t *verify)
{
    (void) ngx_ors_verify_found(verify, "answer_too_large",
                                "the model server's answer is over the limit "
                                "of %uz bytes", verify->limits->answer);

    return ngx_ors_verify_fail(verify);
}


static ngx_int_t
ngx_ors_verify_cut(ngx_ors_verify_t *verify)
{
    (void) ngx_ors_verify_found(verify, "upstream_disconnected",
                                "the model server's answer ended before it "
                                "was complete");

    return ngx_ors_verify_fail(verify);
}


static ngx_int_t
ngx_ors_verify_fail(ngx_ors_verify_t *verify)
{
    if (verify->state == ngx_ors_verify_st_stream) {
        return ngx_ors_verify_over(verify, ngx_ors_verify_stream_fail(verify));
    }

    return ngx_ors_verify_failed(verify);
}


static ngx_int_t
ngx_ors_verify_over(ngx_ors_verify_t *verify, ngx_int_t rc)
{
    if (rc == NGX_DONE) {
        verify->state = ngx_ors_verify_st_over;
    }

    return rc;
}
