
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * GET responses/{id}/input_items: the chain of turns as pages of items.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>
#include <ngx_http_ors_stored.h>
#include <ngx_ors_snapshot.h>


static ngx_int_t ngx_http_ors_stored_arg(ngx_http_request_t *r, u_char *name,
    size_t len, ngx_str_t *value);
static ngx_int_t ngx_http_ors_stored_chain(ngx_http_ors_stored_t *st,
    ngx_ors_store_job_t *job);
static ngx_int_t ngx_http_ors_stored_alone(ngx_http_ors_stored_t *st,
    ngx_ors_store_job_t *job);
static ngx_int_t ngx_http_ors_stored_list(ngx_http_ors_stored_t *st,
    ngx_ors_store_job_t *job);
static ngx_int_t ngx_http_ors_stored_turn(ngx_http_ors_stored_t *st,
    ngx_str_t *value, ngx_uint_t newest);


#define ngx_http_ors_stored_args(r, name, value)                              \
    ngx_http_ors_stored_arg(r, (u_char *) name, sizeof(name) - 1, value)


/* GET responses/{id}/input_items */

ngx_int_t
ngx_http_ors_stored_items(ngx_http_ors_stored_t *st, ngx_ors_store_job_t *job)
{
    ngx_int_t                rc;
    ngx_http_request_t      *r;
    ngx_ors_listing_args_t   args;

    r = st->request;

    if (ngx_http_ors_stored_args(r, "order", &args.order) != NGX_OK
        || ngx_http_ors_stored_args(r, "limit", &args.limit) != NGX_OK
        || ngx_http_ors_stored_args(r, "after", &args.after) != NGX_OK
        || ngx_http_ors_stored_args(r, "before", &args.before) != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    rc = ngx_ors_listing_init(&st->list, &args, r->pool, &st->error);

    if (rc == NGX_DECLINED) {
        return ngx_http_ors_stored_refuse(st);
    }

    if (rc != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    return ngx_http_ors_stored_post(st, ngx_ors_store_chain, "r",
                                    ngx_http_ors_stored_chain);
}


/* an argument of the client, decoded; without it data is NULL */

static ngx_int_t
ngx_http_ors_stored_arg(ngx_http_request_t *r, u_char *name, size_t len,
    ngx_str_t *value)
{
    u_char  *src, *dst;

    ngx_str_null(value);

    if (ngx_http_arg(r, name, len, value) != NGX_OK) {
        return NGX_OK;
    }

    src = value->data;

    dst = ngx_pnalloc(r->pool, value->len + 1);
    if (dst == NULL) {
        return NGX_ERROR;
    }

    value->data = dst;
    ngx_unescape_uri(&dst, &src, value->len, 0);
    value->len = dst - value->data;

    return NGX_OK;
}


/* without its ancestors, or one of them, a response has its own input */

static ngx_int_t
ngx_http_ors_stored_chain(ngx_http_ors_stored_t *st, ngx_ors_store_job_t *job)
{
    if (job->status == ngx_ors_store_ok) {
        return ngx_http_ors_stored_list(st, job);
    }

    return ngx_http_ors_stored_post(st, ngx_ors_store_get, "r",
                                    ngx_http_ors_stored_alone);
}


static ngx_int_t
ngx_http_ors_stored_alone(ngx_http_ors_stored_t *st, ngx_ors_store_job_t *job)
{
    if (job->entries[0].value.data == NULL) {
        return ngx_http_ors_stored_absent(st);
    }

    return ngx_http_ors_stored_list(st, job);
}


static ngx_int_t
ngx_http_ors_stored_list(ngx_http_ors_stored_t *st, ngx_ors_store_job_t *job)
{
    ngx_int_t      rc;
    ngx_uint_t     i, n;
    ngx_ors_out_t  out;

    rc = NGX_OK;

    for (i = 0; i < job->n && rc == NGX_OK; i++) {
        n = st->list.ascending ? i : job->n - 1 - i;

        rc = ngx_http_ors_stored_turn(st, &job->entries[n].value,
                                      n == job->n - 1);
    }

    if (rc == NGX_DECLINED) {
        return ngx_http_ors_stored_failed(st, ngx_ors_store_corrupt);
    }

    if (rc == NGX_ERROR) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_ors_out_init(&out, st->request->pool, NGX_HTTP_ORS_BLOCK);

    rc = ngx_ors_listing_render(&st->list, &out, &st->error);

    if (rc == NGX_DECLINED) {
        return ngx_http_ors_stored_refuse(st);
    }

    return (rc == NGX_OK) ? ngx_http_ors_document(st->request, NGX_HTTP_OK,
                                                  &out)
                          : NGX_HTTP_INTERNAL_SERVER_ERROR;
}


/* what a turn before has put out was input of those after it */

static ngx_int_t
ngx_http_ors_stored_turn(ngx_http_ors_stored_t *st, ngx_str_t *value,
    ngx_uint_t newest)
{
    u_char             text[NGX_ORS_ID_LEN];
    ngx_int_t          rc;
    ngx_str_t          id, token, output, *first, *last;
    ngx_ors_record_t   rec;

    if (ngx_ors_record_read(&rec, value) != NGX_OK) {
        return NGX_DECLINED;
    }

    rc = ngx_ors_snapshot_id(&rec.response, st->request->pool, &id);

    if (rc != NGX_OK) {
        return rc;
    }

    if (ngx_ors_token(&id, text) != NGX_OK) {
        return NGX_ERROR;
    }

    token.data = text;
    token.len = NGX_ORS_ID_LEN;

    ngx_str_null(&output);

    if (!newest) {
        output.data = rec.response.data + rec.output;
        output.len = rec.output_len;
    }

    first = st->list.ascending ? &rec.input : &output;
    last = st->list.ascending ? &output : &rec.input;

    rc = ngx_ors_listing_add(&st->list, first, &token);

    return (rc == NGX_OK) ? ngx_ors_listing_add(&st->list, last, &token) : rc;
}
