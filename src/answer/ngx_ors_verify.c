
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The validator of answers from the upstream's header to its end: which kind
 * of body it is, documents that are gathered, and what is passed on when.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_verify.h>
#include <ngx_ors_verify_check.h>
#include <ngx_ors_verify_failure.h>
#include <ngx_ors_verify_store.h>
#include <ngx_ors_verify_stream.h>


/* vectors are lists of numbers: so many times as many values are allowed */
#define NGX_ORS_VERIFY_VECTORS  16


static ngx_ors_answer_form_e ngx_ors_verify_form(ngx_ors_verify_t *verify);
static ngx_int_t ngx_ors_verify_document(void *data, ngx_str_t *text);
static ngx_int_t ngx_ors_verify_error(void *data, ngx_str_t *text);
static ngx_int_t ngx_ors_verify_unreadable(void *data);
static ngx_int_t ngx_ors_verify_fail(ngx_ors_verify_t *verify);


static const ngx_ors_answer_handler_t  ngx_ors_verify_handler = {
    ngx_ors_verify_stream_comment,
    ngx_ors_verify_stream_event,
    ngx_ors_verify_stream_end,
    ngx_ors_verify_document,
    ngx_ors_verify_error,
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
ngx_ors_verify_error(void *data, ngx_str_t *text)
{
    return ngx_ors_verify_failure(data, text);
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
