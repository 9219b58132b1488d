
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Runs the validator over an answer, whole or in pieces.
 */


#include "verify_answer.h"


static ngx_int_t answer_data(answer_t *a);


u_char *
answer_quotes(const char *text, size_t len)
{
    u_char  *p;

    p = malloc(len + 1);

    if (p == NULL) {
        abort();
    }

    *ngx_ors_test_quotes(p, text, len) = '\0';

    return p;
}


void
answer_init(answer_t *a, const char *body)
{
    ngx_memzero(a, sizeof(answer_t));

    a->endpoint = ngx_ors_endpoint_responses;
    a->policy.profile = NGX_ORS_STRICT_SPEC;
    a->status = 200;
    a->type = "application/json";
    a->body = body;
    a->length = -1;
    a->complete = 1;

    a->limits.depth = 32;
    a->limits.nodes = 10000;
    a->limits.items = 100;
    a->limits.tools = 100;
    a->limits.calls = 100;
    a->limits.event = 100000;
    a->limits.answer = 200000;
    a->limits.queue = 100000;
}


void
answer_begin(answer_t *a)
{
    u_char           *p;
    ngx_str_t         body;
    ngx_ors_error_t   err;

    a->pool = ngx_ors_test_pool();

    ngx_ors_out_init(&a->out, a->pool, 512);

    ngx_ors_answer_init(&a->answer, &a->limits, a->pool, ngx_ors_test_log());

    a->verify.answer = &a->answer;
    a->verify.endpoint = ngx_ors_endpoint(a->endpoint);
    a->verify.policy = &a->policy;
    a->verify.limits = &a->limits;
    a->verify.out = &a->out;
    a->verify.pool = a->pool;
    a->verify.log = ngx_ors_test_log();

    ngx_ors_verify_init(&a->verify);

    if (a->request == NULL) {
        return;
    }

    body.len = ngx_strlen(a->request);
    p = answer_quotes(a->request, body.len);

    body.data = ngx_pnalloc(a->pool, body.len);
    ngx_memcpy(body.data, p, body.len);
    free(p);

    ngx_ors_request_init(&a->asked, a->verify.endpoint, &a->policy, &a->limits,
                         a->pool);

    if (ngx_ors_request_read(&a->asked, &body, &err) != NGX_OK) {
        fail("request %s: %.*s", a->request, (int) err.message.len,
             err.message.data);
        return;
    }

    a->verify.request = &a->asked;
}


void
answer_run(answer_t *a)
{
    ngx_str_t  type;

    if (a->pool == NULL) {
        answer_begin(a);
    }

    type.len = ngx_strlen(a->type);
    type.data = (u_char *) a->type;

    a->rc = ngx_ors_verify_header(&a->verify, a->status, &type, a->length);

    if (a->rc == NGX_OK) {
        a->rc = answer_data(a);
    }

    if (a->rc == NGX_OK) {
        a->rc = ngx_ors_answer_end(&a->answer, a->complete);
    }

    answer_take(a);
}


static ngx_int_t
answer_data(answer_t *a)
{
    size_t      pos, len, n;
    u_char     *body, *piece;
    ngx_buf_t   b;
    ngx_int_t   rc;

    len = a->len ? a->len : ngx_strlen(a->body);
    body = answer_quotes(a->body, len);
    rc = NGX_OK;

    for (pos = 0; pos < len && rc == NGX_OK; pos += n) {
        n = (pos == 0 && a->at) ? a->at : a->step ? a->step : len;
        n = ngx_min(n, len - pos);

        piece = malloc(n);

        if (piece == NULL) {
            abort();
        }

        ngx_memcpy(piece, body + pos, n);

        ngx_memzero(&b, sizeof(ngx_buf_t));
        b.pos = piece;
        b.last = piece + n;

        rc = ngx_ors_answer_data(&a->answer, &b);

        if (rc == NGX_OK && b.pos != b.last) {
            fail("bytes were left");
        }

        free(piece);
    }

    free(body);

    return rc;
}


void
answer_take(answer_t *a)
{
    size_t        size;
    ngx_chain_t  *cl;

    size = a->out.size;

    if (ngx_ors_out_take(&a->out, &cl) != NGX_OK) {
        a->rc = NGX_ERROR;
        return;
    }

    a->text = realloc(a->text, a->size + size + 1);

    if (a->text == NULL) {
        abort();
    }

    for ( /* void */ ; cl; cl = cl->next) {
        size = cl->buf->last - cl->buf->pos;
        ngx_memcpy(a->text + a->size, cl->buf->pos, size);
        a->size += size;
    }

    a->text[a->size] = '\0';
}


void
answer_free(answer_t *a)
{
    ngx_destroy_pool(a->pool);
    free(a->text);
}
