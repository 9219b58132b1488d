
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Requests for stored responses: which jobs each method needs, and how a
 * job's failure is answered.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>
#include <ngx_http_ors_stored.h>
#include <ngx_ors_session_error.h>


typedef struct {
    ngx_str_t                 suffix;     /* behind the id */
    ngx_uint_t                methods;
    char                     *allow;
    ngx_http_ors_stored_pt    begin;
} ngx_http_ors_stored_path_t;


static ngx_int_t ngx_http_ors_stored_begin(ngx_http_request_t *r,
    ngx_http_ors_loc_conf_t *olcf, ngx_str_t *id,
    ngx_http_ors_stored_pt begin);
static ngx_int_t ngx_http_ors_stored_watch(ngx_http_request_t *r);
static void ngx_http_ors_stored_handler(ngx_ors_store_job_t *job);
static ngx_int_t ngx_http_ors_stored_too_long(ngx_http_ors_stored_t *st);
static void ngx_http_ors_stored_cleanup(void *data);


static ngx_http_ors_stored_path_t  ngx_http_ors_stored_paths[] = {

    { ngx_string(""), NGX_HTTP_GET|NGX_HTTP_HEAD,
      "GET, HEAD, DELETE", ngx_http_ors_stored_retrieve },

    { ngx_string(""), NGX_HTTP_DELETE,
      "GET, HEAD, DELETE", ngx_http_ors_stored_delete },

    { ngx_string("/input_items"), NGX_HTTP_GET|NGX_HTTP_HEAD,
      "GET, HEAD", ngx_http_ors_stored_items },

    { ngx_string("/cancel"), NGX_HTTP_POST,
      "POST", ngx_http_ors_stored_cancel }
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

    if (olcf->store == NULL
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
            return ngx_http_ors_stored_begin(r, olcf, &id, path->begin);
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
ngx_http_ors_stored_begin(ngx_http_request_t *r, ngx_http_ors_loc_conf_t *olcf,
    ngx_str_t *id, ngx_http_ors_stored_pt begin)
{
    u_char                  scope[NGX_ORS_DIGEST_LEN];
    ngx_int_t               rc;
    ngx_http_cleanup_t     *cln;
    ngx_http_ors_ctx_t     *ctx;
    ngx_http_ors_stored_t  *st;

    rc = ngx_http_discard_request_body(r);

    if (rc != NGX_OK) {
        return rc;
    }

    ctx = ngx_pcalloc(r->pool, sizeof(ngx_http_ors_ctx_t));
    if (ctx == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ctx->request = r;
    ngx_http_set_ctx(r, ctx, ngx_http_open_responses_module);

    st = ngx_pcalloc(r->pool, sizeof(ngx_http_ors_stored_t));
    if (st == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    st->request = r;
    st->conf = olcf;
    st->id = *id;

    cln = ngx_http_cleanup_add(r, 0);
    if (cln == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    cln->handler = ngx_http_ors_stored_cleanup;
    cln->data = st;

    r->disable_not_modified = 1;

    if (ngx_http_ors_scope(r, scope) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (ctx->nobody) {
        return (ngx_http_ors_scope_refuse(r, &st->error) == NGX_OK)
               ? ngx_http_ors_stored_refuse(st)
               : NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    rc = begin(st, NULL);

    if (rc != NGX_AGAIN) {
        return rc;
    }

    r->main->count++;

    return ngx_http_ors_stored_watch(r);
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


/*
 * Posts a job for what has the id: an entry of each of the kinds.  NGX_AGAIN:
 * "step" will be called; else what a content handler returns.
 */

ngx_int_t
ngx_http_ors_stored_post(ngx_http_ors_stored_t *st, ngx_ors_store_op_e op,
    char *kinds, ngx_http_ors_stored_pt step)
{
    u_char                scope[NGX_ORS_DIGEST_LEN];
    ngx_uint_t            i, n;
    ngx_ors_store_job_t  *job;

    n = ngx_strlen(kinds);

    if (ngx_http_ors_scope_store(st->request, scope) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    job = ngx_ors_store_job(st->conf->store, op, n);
    if (job == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    /* it is released with the request: what is sent may be its memory */

    st->jobs[st->njobs++] = job;
    st->step = step;

    job->handler = ngx_http_ors_stored_handler;
    job->data = st;

    for (i = 0; i < n; i++) {

        if (ngx_ors_key(scope, (ngx_ors_key_e) kinds[i], &st->id,
                        &job->entries[i].key)
            != NGX_OK)
        {
            return NGX_HTTP_INTERNAL_SERVER_ERROR;
        }
    }

    if (op == ngx_ors_store_chain) {
        job->max_turns = st->conf->limits.turns;
        job->max_size = st->conf->limits.context;
        job->newest = 1;
    }

    if (op != ngx_ors_store_put) {
        ngx_ors_store_post(job);
    }

    return NGX_AGAIN;
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
    c = r->connection;

    ngx_http_set_log_request(c->log, r);

    if (job->status == ngx_ors_store_ok
        || job->status == ngx_ors_store_absent)
    {
        rc = st->step(st, job);

    } else if (job->status == ngx_ors_store_limit) {
        rc = ngx_http_ors_stored_too_long(st);

    } else {
        rc = ngx_http_ors_stored_failed(st, job->status);
    }

    if (rc != NGX_AGAIN) {
        ngx_http_finalize_request(r, rc);
    }

    ngx_http_run_posted_requests(c);
}


static void
ngx_http_ors_stored_cleanup(void *data)
{
    ngx_http_ors_stored_t  *st = data;

    while (st->njobs) {
        ngx_ors_store_release(st->jobs[--st->njobs]);
    }
}


ngx_int_t
ngx_http_ors_stored_record(ngx_http_ors_stored_t *st,
    ngx_ors_store_job_t *job, ngx_http_ors_stored_pt step)
{
    if (job->entries[0].value.data == NULL) {
        return ngx_http_ors_stored_absent(st);
    }

    if (ngx_ors_record_read(&st->record, &job->entries[0].value) != NGX_OK) {
        return ngx_http_ors_stored_failed(st, ngx_ors_store_corrupt);
    }

    return step(st, job);
}


/* sends st->error, and not the page that stands for its status */

ngx_int_t
ngx_http_ors_stored_refuse(ngx_http_ors_stored_t *st)
{
    ngx_http_ors_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(st->request,
                                  ngx_http_open_responses_module);
    ctx->header_sent = 1;

    ngx_http_ors_stats_error(st->request, &st->error);

    return ngx_http_ors_error_send(st->request, &st->error);
}


/* who owns what is not told: all that is not there is the same */

ngx_int_t
ngx_http_ors_stored_absent(ngx_http_ors_stored_t *st)
{
    (void) ngx_ors_error_set(&st->error, st->request->pool,
                             NGX_HTTP_NOT_FOUND, "not_found",
                             "there is no response with this id");

    return ngx_http_ors_stored_refuse(st);
}


/* stored with a larger limit than there is now: no failure of the store */

static ngx_int_t
ngx_http_ors_stored_too_long(ngx_http_ors_stored_t *st)
{
    (void) ngx_ors_error_set(&st->error, st->request->pool,
                             NGX_HTTP_BAD_REQUEST, "context_length_exceeded",
                             "what is stored of this response is longer than "
                             "what is read here");

    return ngx_http_ors_stored_refuse(st);
}


ngx_int_t
ngx_http_ors_stored_failed(ngx_http_ors_stored_t *st,
    ngx_ors_store_status_e status)
{
    ngx_http_request_t  *r;

    static ngx_str_t  retry = ngx_string("Retry-After");
    static ngx_str_t  retry_lowcase = ngx_string("retry-after");
    static ngx_str_t  seconds = ngx_string("1");

    r = st->request;

    ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                  "store \"%V\" has failed: %V", &st->conf->store->name,
                  ngx_ors_session_strerror(status));

    if (ngx_http_ors_header_add(&r->headers_out.headers, &retry,
                                &retry_lowcase, &seconds)
        == NULL)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    (void) ngx_ors_error_set(&st->error, r->pool,
                             NGX_HTTP_SERVICE_UNAVAILABLE,
                             "store_unavailable",
                             "stored responses cannot be reached at the "
                             "moment, try again later");

    return ngx_http_ors_stored_refuse(st);
}
