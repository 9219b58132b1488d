
/*
 * Copyright (C) Open Responses contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_gather.h>
#include <ngx_ors_guard.h>
#include <ngx_ors_guard_check.h>
#include <ngx_ors_guard_failure.h>
#include <ngx_ors_guard_keep.h>
#include <ngx_ors_guard_stream.h>


/* of an error document nobody needs more */
#define NGX_ORS_GUARD_FAILURE  65536

/* vectors are lists of numbers: so many times as many values are allowed */
#define NGX_ORS_GUARD_VECTORS  16


static ngx_int_t ngx_ors_guard_begin_stream(ngx_ors_guard_t *guard);
static ngx_int_t ngx_ors_guard_begin_document(ngx_ors_guard_t *guard,
    off_t length);
static ngx_int_t ngx_ors_guard_gather(ngx_ors_guard_t *guard, ngx_buf_t *b);
static ngx_int_t ngx_ors_guard_document(ngx_ors_guard_t *guard);
static ngx_int_t ngx_ors_guard_too_large(ngx_ors_guard_t *guard);
static ngx_int_t ngx_ors_guard_cut(ngx_ors_guard_t *guard);
static ngx_int_t ngx_ors_guard_fail(ngx_ors_guard_t *guard);
static ngx_int_t ngx_ors_guard_over(ngx_ors_guard_t *guard, ngx_int_t rc);


ngx_int_t
ngx_ors_guard_header(ngx_ors_guard_t *guard, ngx_uint_t status,
    ngx_str_t *type, off_t length)
{
    ngx_uint_t  nodes;

    guard->upstream_status = status;

    nodes = guard->limits->nodes;

    if (guard->endpoint->id == ngx_ors_endpoint_embeddings) {
        nodes *= NGX_ORS_GUARD_VECTORS;
    }

    ngx_ors_json_init(&guard->json, guard->pool, guard->limits->depth, nodes);
    ngx_ors_edits_init(&guard->edits, guard->pool);

    if (status < 200 || status > 299) {
        guard->state = ngx_ors_guard_st_failure;
        return NGX_OK;
    }

    if (guard->endpoint->event
        && ngx_ors_gather_type_is(type, "text/event-stream"))
    {
        return ngx_ors_guard_begin_stream(guard);
    }

    if (ngx_ors_gather_type_is(type, "application/json")) {
        return ngx_ors_guard_begin_document(guard, length);
    }

    return ngx_ors_guard_refuse(guard, "invalid_upstream_answer",
                                guard->endpoint->event
                                ? "it is neither JSON nor an event stream"
                                : "it is not JSON");
}


static ngx_int_t
ngx_ors_guard_begin_stream(ngx_ors_guard_t *guard)
{
    if (guard->request && !guard->request->stream) {
        return ngx_ors_guard_refuse(guard, "invalid_upstream_answer",
                                    "it is an event stream, a document was "
                                    "asked for");
    }

    guard->state = ngx_ors_guard_st_stream;

    return ngx_ors_guard_stream_init(guard);
}


static ngx_int_t
ngx_ors_guard_begin_document(ngx_ors_guard_t *guard, off_t length)
{
    if (guard->endpoint->event && guard->request && guard->request->stream) {
        return ngx_ors_guard_refuse(guard, "invalid_upstream_answer",
                                    "it is a document, an event stream was "
                                    "asked for");
    }

    guard->state = ngx_ors_guard_st_document;

    if (length > (off_t) guard->limits->answer) {
        return ngx_ors_guard_too_large(guard);
    }

    if (length > 0) {
        return ngx_ors_gather_reserve(&guard->gathered, (size_t) length,
                                      guard->pool);
    }

    return NGX_OK;
}


ngx_int_t
ngx_ors_guard_data(ngx_ors_guard_t *guard, ngx_buf_t *b)
{
    switch (guard->state) {

    case ngx_ors_guard_st_document:
        return ngx_ors_guard_gather(guard, b);

    case ngx_ors_guard_st_failure:
        return ngx_ors_gather_head(&guard->gathered, b, NGX_ORS_GUARD_FAILURE,
                                   guard->pool);

    case ngx_ors_guard_st_stream:
        return ngx_ors_guard_over(guard, ngx_ors_guard_stream_data(guard, b));

    case ngx_ors_guard_st_over:
        return NGX_DONE;

    case ngx_ors_guard_st_header:
        break;
    }

    ngx_log_error(NGX_LOG_ALERT, guard->log, 0,
                  "data of an answer without a header");

    return NGX_ERROR;
}


ngx_int_t
ngx_ors_guard_end(ngx_ors_guard_t *guard, ngx_uint_t complete)
{
    switch (guard->state) {

    case ngx_ors_guard_st_header:
        return ngx_ors_guard_cut(guard);

    case ngx_ors_guard_st_document:
        return complete ? ngx_ors_guard_document(guard)
                        : ngx_ors_guard_cut(guard);

    case ngx_ors_guard_st_failure:
        return ngx_ors_guard_failure(guard);

    case ngx_ors_guard_st_stream:
        return ngx_ors_guard_over(guard,
                                  ngx_ors_guard_stream_end(guard, complete));

    case ngx_ors_guard_st_over:
        break;
    }

    return NGX_DONE;
}


ngx_int_t
ngx_ors_guard_refuse(ngx_ors_guard_t *guard, char *code, const char *what)
{
    if (guard->state == ngx_ors_guard_st_over) {
        return NGX_DONE;
    }

    (void) ngx_ors_guard_found(guard, code, "the model server's answer was "
                               "refused: %s", what);

    return ngx_ors_guard_fail(guard);
}


static ngx_int_t
ngx_ors_guard_gather(ngx_ors_guard_t *guard, ngx_buf_t *b)
{
    ngx_int_t  rc;

    rc = ngx_ors_gather(&guard->gathered, b, guard->limits->answer,
                        guard->pool);

    return (rc == NGX_DECLINED) ? ngx_ors_guard_too_large(guard) : rc;
}


static ngx_int_t
ngx_ors_guard_document(ngx_ors_guard_t *guard)
{
    ngx_int_t  rc;
    ngx_str_t  text;

    text.data = guard->gathered.pos;
    text.len = guard->gathered.last - guard->gathered.pos;

    rc = ngx_ors_guard_check(guard, &text, guard->endpoint->answer);

    if (rc == NGX_DECLINED) {
        return ngx_ors_guard_fail(guard);
    }

    if (rc != NGX_OK) {
        return NGX_ERROR;
    }

    guard->state = ngx_ors_guard_st_over;

    if (ngx_ors_guard_is_kept(guard)) {
        rc = ngx_ors_guard_keep_hold(guard, NULL);

        if (rc == NGX_DECLINED) {
            return ngx_ors_guard_fail(guard);
        }

        return (rc == NGX_OK) ? NGX_DONE : NGX_ERROR;
    }

    guard->status = guard->upstream_status;
    ngx_str_set(&guard->type, "application/json");

    /* nothing is gathered any more: the bytes stay where they are */

    ngx_ors_edits_write(&guard->edits, &guard->json, 0, text.len, 1,
                        guard->out);

    return NGX_DONE;
}


static ngx_int_t
ngx_ors_guard_too_large(ngx_ors_guard_t *guard)
{
    (void) ngx_ors_guard_found(guard, "answer_too_large",
                               "the model server's answer is over the limit "
                               "of %uz bytes", guard->limits->answer);

    return ngx_ors_guard_fail(guard);
}


static ngx_int_t
ngx_ors_guard_cut(ngx_ors_guard_t *guard)
{
    (void) ngx_ors_guard_found(guard, "upstream_disconnected",
                               "the model server's answer ended before it "
                               "was complete");

    return ngx_ors_guard_fail(guard);
}


static ngx_int_t
ngx_ors_guard_fail(ngx_ors_guard_t *guard)
{
    if (guard->state == ngx_ors_guard_st_stream) {
        return ngx_ors_guard_over(guard, ngx_ors_guard_stream_fail(guard));
    }

    return ngx_ors_guard_failed(guard);
}


static ngx_int_t
ngx_ors_guard_over(ngx_ors_guard_t *guard, ngx_int_t rc)
{
    if (rc == NGX_DONE) {
        guard->state = ngx_ors_guard_st_over;
    }

    return rc;
}
