
/*
 * Copyright (C) Open Responses contributors
 */


/* Requests for stored responses: runs their operations, sends what comes. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>
#include <ngx_ors_operation.h>


typedef struct {
    ngx_str_t                 suffix;     /* after the id */
    ngx_uint_t                methods;
    char                     *allow;
    ngx_ors_operation_e       kind;
} ngx_http_ors_stored_path_t;


/* lives as long as its request */

typedef struct {
    ngx_http_request_t       *request;
    ngx_ors_operation_t       operation;
    ngx_http_ors_hold_t       hold;       /* what a list has been read from */
} ngx_http_ors_stored_t;


#define ngx_http_ors_stored_args(r, name, value)                              \
    ngx_http_ors_stored_arg(r, (u_char *) name, sizeof(name) - 1, value)


static ngx_int_t ngx_http_ors_stored_begin(ngx_http_request_t *r,
    ngx_str_t *id, ngx_ors_operation_e kind);
static ngx_int_t ngx_http_ors_stored_reserve(ngx_http_ors_stored_t *st);
static void ngx_http_ors_stored_settled(ngx_http_ors_stored_t *st);
static ngx_int_t ngx_http_ors_stored_create(ngx_http_request_t *r,
    ngx_str_t *id, ngx_http_ors_stored_t **stored);
static ngx_int_t ngx_http_ors_stored_check(ngx_http_ors_stored_t *st,
    ngx_ors_operation_e kind);
static ngx_int_t ngx_http_ors_stored_stream(ngx_http_ors_stored_t *st);
static ngx_int_t ngx_http_ors_stored_list(ngx_http_ors_stored_t *st);
static ngx_int_t ngx_http_ors_stored_arg(ngx_http_request_t *r, u_char *name,
    size_t len, ngx_str_t *value);
static ngx_int_t ngx_http_ors_stored_watch(ngx_http_request_t *r);
static void ngx_http_ors_stored_handler(ngx_ors_store_job_t *job);
static ngx_int_t ngx_http_ors_stored_answer(ngx_http_ors_stored_t *st,
    ngx_int_t rc);
static ngx_int_t ngx_http_ors_stored_refuse(ngx_http_ors_stored_t *st);
static void ngx_http_ors_stored_cleanup(void *data);


static ngx_http_ors_stored_path_t  ngx_http_ors_stored_paths[] = {

    { ngx_string(""), NGX_HTTP_GET|NGX_HTTP_HEAD,
      "GET, HEAD, DELETE", ngx_ors_operation_retrieve },

    { ngx_string(""), NGX_HTTP_DELETE,
      "GET, HEAD, DELETE", ngx_ors_operation_delete },

    { ngx_string("/input_items"), NGX_HTTP_GET|NGX_HTTP_HEAD,
      "GET, HEAD", ngx_ors_operation_items },

    { ngx_string("/cancel"), NGX_HTTP_POST,
      "POST", ngx_ors_operation_cancel }
};

#define NGX_HTTP_ORS_STORED_PATHS                                             \
    (sizeof(ngx_http_ors_stored_paths) / sizeof(ngx_http_ors_stored_paths[0]))


ngx_int_t
ngx_http_ors_stored(ngx_http_request_t *r)
{
    u_char                      *p;
    ngx_str_t                    id, suffix;
    ngx_uint_t                   i;
    ngx_http_ors_loc_conf_t     *olcf;
    ngx_http_ors_stored_path_t  *path, *other;

    olcf = ngx_http_get_module_loc_conf(r, ngx_http_open_responses_module);

    if (olcf->stored.store == NULL
        || ngx_http_ors_endpoint_below(r, &id) != NGX_OK)
    {
        return NGX_DECLINED;
    }

    p = ngx_strlchr(id.data, id.data + id.len, '/');
    p = p ? p : id.data + id.len;

    suffix.data = p;
    suffix.len = id.data + id.len - p;

    id.len = p - id.data;

    if (id.len == 0 || id.len > NGX_ORS_ID_MAX) {
        return NGX_DECLINED;
    }

    other = NULL;

    for (i = 0; i < NGX_HTTP_ORS_STORED_PATHS; i++) {
        path = &ngx_http_ors_stored_paths[i];

        if (path->suffix.len != suffix.len
            || ngx_strncmp(path->suffix.data, suffix.data, suffix.len) != 0)
        {
            continue;
        }

        if (r->method & path->methods) {
            return ngx_http_ors_stored_begin(r, &id, path->kind);
        }

        other = path;
    }

    if (other == NULL) {
        return NGX_DECLINED;
    }

    ngx_http_ors_stats_refused(r, NGX_HTTP_NOT_ALLOWED);

    return ngx_http_ors_allow(r, other->allow);
}


static ngx_int_t
ngx_http_ors_stored_begin(ngx_http_request_t *r, ngx_str_t *id,
    ngx_ors_operation_e kind)
{
    ngx_int_t               rc;
    ngx_ors_store_job_t    *job;
    ngx_http_ors_stored_t  *st;

    rc = ngx_http_discard_request_body(r);

    if (rc != NGX_OK) {
        return rc;
    }

    if (ngx_http_ors_stored_create(r, id, &st) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    rc = ngx_http_ors_stored_check(st, kind);

    if (rc == NGX_OK) {
        rc = ngx_ors_operation_begin(&st->operation, kind);
    }

    if (rc == NGX_AGAIN && kind == ngx_ors_operation_items) {
        rc = ngx_http_ors_stored_reserve(st);
    }

    if (rc != NGX_AGAIN) {
        return ngx_http_ors_stored_answer(st, rc);
    }

    job = st->operation.job;

    ngx_http_ors_job_post(r, job, ngx_http_ors_stored_handler, st);

    r->main->count++;

    return ngx_http_ors_stored_watch(r);
}


/* a list counts with all that it may read until that has been read */

static ngx_int_t
ngx_http_ors_stored_reserve(ngx_http_ors_stored_t *st)
{
    size_t                    limit;
    ngx_int_t                 rc;
    ngx_ors_operation_t      *op;
    ngx_http_ors_loc_conf_t  *olcf;

    olcf = ngx_http_get_module_loc_conf(st->request,
                                        ngx_http_open_responses_module);
    op = &st->operation;
    limit = olcf->limits.scope_context;

    if (limit) {
        op->job->max_size = ngx_min(op->job->max_size, limit);
    }

    rc = ngx_http_ors_hold(st->request, &st->hold, op->scope,
                           op->job->max_size);

    if (rc != NGX_BUSY) {
        return (rc == NGX_OK) ? NGX_AGAIN : rc;
    }

    (void) ngx_ors_error_set(&op->error, st->request->pool,
                             NGX_HTTP_TOO_MANY_REQUESTS,
                             "rate_limit_exceeded",
                             "your requests that run hold too much of "
                             "stored conversations, try again when one "
                             "has ended");
    return NGX_DONE;
}


static void
ngx_http_ors_stored_settled(ngx_http_ors_stored_t *st)
{
    size_t                size;
    ngx_uint_t            i, k;
    ngx_ors_store_job_t  *job;
    ngx_ors_operation_t  *op;

    op = &st->operation;

    if (st->hold.holder == NULL) {
        return;
    }

    size = 0;

    for (i = 0; i < op->njobs; i++) {
        job = op->jobs[i];

        for (k = 0; k < job->n; k++) {
            size += job->entries[k].value.len;
        }
    }

    size = ngx_min(size, st->hold.size);

    (void) ngx_http_ors_hold(st->request, &st->hold, op->scope, size);
}


static ngx_int_t
ngx_http_ors_stored_create(ngx_http_request_t *r, ngx_str_t *id,
    ngx_http_ors_stored_t **stored)
{
    ngx_http_cleanup_t       *cln;
    ngx_http_ors_ctx_t       *ctx;
    ngx_ors_operation_t      *op;
    ngx_http_ors_stored_t    *st;
    ngx_http_ors_loc_conf_t  *olcf;

    olcf = ngx_http_get_module_loc_conf(r, ngx_http_open_responses_module);

    ctx = ngx_pcalloc(r->pool, sizeof(ngx_http_ors_ctx_t));
    st = ngx_pcalloc(r->pool, sizeof(ngx_http_ors_stored_t));

    if (ctx == NULL || st == NULL) {
        return NGX_ERROR;
    }

    ctx->request = r;
    ngx_http_set_ctx(r, ctx, ngx_http_open_responses_module);

    st->request = r;

    op = &st->operation;

    op->store = olcf->stored.store;
    op->id = *id;
    op->pool = r->pool;
    op->log = r->connection->log;
    op->max_turns = olcf->limits.turns;
    op->max_size = olcf->limits.context;

    cln = ngx_http_cleanup_add(r, 0);
    if (cln == NULL) {
        return NGX_ERROR;
    }

    cln->handler = ngx_http_ors_stored_cleanup;
    cln->data = st;

    r->disable_not_modified = 1;

    *stored = st;

    return ngx_http_ors_scope_store(r, op->scope);
}


/* NGX_OK, NGX_DONE: the request is refused, NGX_ERROR */

static ngx_int_t
ngx_http_ors_stored_check(ngx_http_ors_stored_t *st, ngx_ors_operation_e kind)
{
    ngx_int_t            rc;
    ngx_http_ors_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(st->request, ngx_http_open_responses_module);

    if (ctx->ownerless) {
        rc = ngx_http_ors_scope_refuse(st->request, &st->operation.error);
        return (rc == NGX_OK) ? NGX_DONE : NGX_ERROR;
    }

    switch (kind) {

    case ngx_ors_operation_retrieve:
        return ngx_http_ors_stored_stream(st);

    case ngx_ors_operation_items:
        return ngx_http_ors_stored_list(st);

    case ngx_ors_operation_delete:
    case ngx_ors_operation_cancel:
        break;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_ors_stored_stream(ngx_http_ors_stored_t *st)
{
    ngx_str_t  value;

    static ngx_str_t  no = ngx_string("false");

    if (ngx_http_arg(st->request, (u_char *) "stream", 6, &value) != NGX_OK
        || value.len == 0
        || (value.len == no.len
            && ngx_memcmp(value.data, no.data, no.len) == 0))
    {
        return NGX_OK;
    }

    (void) ngx_ors_error_set(&st->operation.error, st->request->pool,
                             NGX_HTTP_BAD_REQUEST, "unsupported_parameter",
                             "a stored response cannot be streamed, "
                             "\"stream\" must be false or absent");
    ngx_str_set(&st->operation.error.param, "stream");

    return NGX_DONE;
}


static ngx_int_t
ngx_http_ors_stored_list(ngx_http_ors_stored_t *st)
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
        return NGX_ERROR;
    }

    rc = ngx_ors_listing_init(&st->operation.list, &args, r->pool,
                              &st->operation.error);

    return (rc == NGX_DECLINED) ? NGX_DONE : rc;
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


/* a client that goes away is not answered */

static ngx_int_t
ngx_http_ors_stored_watch(ngx_http_request_t *r)
{
    r->write_event_handler = ngx_http_request_empty_handler;

    if (r->discard_body) {
        return NGX_DONE;
    }

    if (ngx_http_ors_watch(r) != NGX_OK) {
        ngx_http_finalize_request(r, NGX_HTTP_INTERNAL_SERVER_ERROR);
    }

    return NGX_DONE;
}


static void
ngx_http_ors_stored_handler(ngx_ors_store_job_t *job)
{
    ngx_int_t               rc;
    ngx_connection_t       *c;
    ngx_http_request_t     *r;
    ngx_http_ors_stored_t  *st;

    st = job->data;
    r = st->request;
    c = ngx_http_ors_job_done(r, job);

    rc = ngx_ors_operation_done(&st->operation);

    if (rc == NGX_AGAIN) {
        ngx_http_ors_job_post(r, st->operation.job,
                              ngx_http_ors_stored_handler, st);

    } else {
        ngx_http_ors_stored_settled(st);
        ngx_http_finalize_request(r, ngx_http_ors_stored_answer(st, rc));
    }

    ngx_http_run_posted_requests(c);
}


/* returns what a content handler does */

static ngx_int_t
ngx_http_ors_stored_answer(ngx_http_ors_stored_t *st, ngx_int_t rc)
{
    if (rc == NGX_OK) {
        return ngx_http_ors_document(st->request, NGX_HTTP_OK,
                                     &st->operation.out);
    }

    return (rc == NGX_DONE) ? ngx_http_ors_stored_refuse(st)
                            : NGX_HTTP_INTERNAL_SERVER_ERROR;
}


/* sends the error, not the page that "error_page" sets for its status */

static ngx_int_t
ngx_http_ors_stored_refuse(ngx_http_ors_stored_t *st)
{
    ngx_http_request_t  *r;
    ngx_http_ors_ctx_t  *ctx;

    r = st->request;

    if ((st->operation.error.status == NGX_HTTP_SERVICE_UNAVAILABLE
         || st->operation.error.status == NGX_HTTP_TOO_MANY_REQUESTS)
        && ngx_ors_header_text(&r->headers_out.headers, "Retry-After",
                               "retry-after", "1")
           == NULL)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ctx = ngx_http_get_module_ctx(r, ngx_http_open_responses_module);
    ctx->header_sent = 1;

    ngx_http_ors_stats_error(r, &st->operation.error);

    return ngx_http_ors_error_send(r, &st->operation.error);
}


static void
ngx_http_ors_stored_cleanup(void *data)
{
    ngx_http_ors_stored_t  *st = data;

    ngx_ors_operation_close(&st->operation);
    ngx_http_ors_hold_release(&st->hold);
}
