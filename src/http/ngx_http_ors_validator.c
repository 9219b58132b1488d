
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The validator's request side: phases, body, verdict, and the body that goes
 * upstream.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>
#include <ngx_ors_request_ignored.h>
#include <ngx_ors_verify_handler.h>


static ngx_http_ors_validator_t *ngx_http_ors_validator_create(
    ngx_http_request_t *r, ngx_http_ors_loc_conf_t *olcf,
    const ngx_ors_endpoint_t *endpoint);
static void ngx_http_ors_validator_mark(void *data);
static ngx_int_t ngx_http_ors_validator_begin(ngx_http_ors_validator_t *g);
static void ngx_http_ors_validator_body_handler(ngx_http_request_t *r);
static ngx_int_t ngx_http_ors_validator_request(ngx_http_ors_validator_t *g);
static ngx_int_t ngx_http_ors_validator_rewrite(ngx_http_ors_validator_t *g);
static ngx_int_t ngx_http_ors_validator_unrepaired(
    ngx_http_ors_validator_t *g);
static ngx_int_t ngx_http_ors_validator_refuse(ngx_http_ors_validator_t *g);
static ngx_int_t ngx_http_ors_validator_whole(ngx_http_ors_validator_t *g);


ngx_int_t
ngx_http_ors_validator_early_handler(ngx_http_request_t *r)
{
    ngx_int_t                  rc;
    ngx_http_ors_loc_conf_t   *olcf;
    ngx_http_ors_validator_t  *g;
    const ngx_ors_endpoint_t  *endpoint;

    olcf = ngx_http_get_module_loc_conf(r, ngx_http_open_responses_module);

    if (!olcf->validate || olcf->enable || r != r->main
        || ngx_http_ors_validatored(r))
    {
        return NGX_DECLINED;
    }

    rc = ngx_http_ors_path(r, &endpoint);

    if (rc == NGX_DECLINED) {
        return NGX_DECLINED;
    }

    if (rc == NGX_ERROR) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    g = ngx_http_ors_validator_create(r, olcf,
                                      (rc == NGX_OK) ? endpoint : NULL);
    if (g == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (rc == NGX_HTTP_NOT_FOUND) {
        ngx_http_ors_path_error(r, endpoint, &g->error);

    } else if (rc == NGX_HTTP_ORS_UPGRADE_REQUIRED) {
        ngx_http_ors_error_of(r, rc, &g->error);
    }

    return NGX_DECLINED;
}


ngx_int_t
ngx_http_ors_validator_handler(ngx_http_request_t *r)
{
    ngx_int_t                  rc;
    ngx_http_ors_loc_conf_t   *olcf;
    ngx_http_ors_validator_t  *g;

    olcf = ngx_http_get_module_loc_conf(r, ngx_http_open_responses_module);

    if (!olcf->validate || olcf->enable || r != r->main) {
        return NGX_DECLINED;
    }

    g = ngx_http_ors_validatored(r);

    if (g == NULL) {
        return NGX_DECLINED;
    }

    switch (g->state) {

    case ngx_http_ors_validator_st_new:
        return ngx_http_ors_validator_begin(g);

    case ngx_http_ors_validator_st_body:
        break;

    case ngx_http_ors_validator_st_passed:
        return NGX_DECLINED;
    }

    g->state = ngx_http_ors_validator_st_passed;

    rc = ngx_http_ors_validator_request(g);

    if (rc == NGX_ERROR) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    return rc;
}


ngx_uint_t
ngx_http_ors_validator_refused(ngx_http_request_t *r)
{
    ngx_http_ors_loc_conf_t   *olcf;
    const ngx_ors_endpoint_t  *endpoint;

    olcf = ngx_http_get_module_loc_conf(r, ngx_http_open_responses_module);

    return olcf->validate && !olcf->report
           && r->err_status >= NGX_HTTP_BAD_REQUEST
           && ngx_http_ors_path(r, &endpoint) == NGX_OK;
}


/* the record must outlive internal redirects, which erase a module's ctx */

static ngx_http_ors_validator_t *
ngx_http_ors_validator_create(ngx_http_request_t *r,
    ngx_http_ors_loc_conf_t *olcf, const ngx_ors_endpoint_t *endpoint)
{
    ngx_pool_cleanup_t        *cln;
    ngx_http_ors_validator_t  *g;

    cln = ngx_pool_cleanup_add(r->pool, sizeof(ngx_http_ors_validator_t));
    if (cln == NULL) {
        return NULL;
    }

    cln->handler = ngx_http_ors_validator_mark;

    g = cln->data;

    ngx_memzero(g, sizeof(ngx_http_ors_validator_t));

    /*
     * set by ngx_memzero():
     *
     *     g->state = ngx_http_ors_validator_st_new;
     *     g->source.in = NULL;
     *     g->pump.queue.busy = NULL;
     */

    g->request = r;
    g->first_token = -1;
    g->conf = olcf;
    g->version = r->http_version;
    g->endpoint = endpoint;

    ngx_ors_out_init(&g->out, r->pool, NGX_HTTP_ORS_BLOCK);

    ngx_ors_answer_init(&g->answer, &olcf->limits, r->pool,
                        r->connection->log);

    g->verify.answer = &g->answer;
    g->verify.endpoint = g->endpoint;
    g->verify.policy = &olcf->policy;
    g->verify.limits = &olcf->limits;
    g->verify.out = &g->out;
    g->verify.pool = r->pool;
    g->verify.log = r->connection->log;
    g->verify.report = olcf->report;

    ngx_ors_verify_init(&g->verify);

    return g;
}


/* does nothing: the record is found by it */

static void
ngx_http_ors_validator_mark(void *data)
{
    /* void */
}


ngx_http_ors_validator_t *
ngx_http_ors_validatored(ngx_http_request_t *r)
{
    ngx_pool_cleanup_t  *cln;

    for (cln = r->pool->cleanup; cln; cln = cln->next) {

        if (cln->handler == ngx_http_ors_validator_mark) {
            return cln->data;
        }
    }

    return NULL;
}


static ngx_int_t
ngx_http_ors_validator_begin(ngx_http_ors_validator_t *g)
{
    ngx_int_t            rc;
    ngx_http_request_t  *r;

    r = g->request;

    if (g->endpoint == NULL) {
        g->state = ngx_http_ors_validator_st_passed;
        ngx_http_ors_stats_request(g);

        return ngx_http_ors_validator_refuse(g);
    }

    if ((g->conf->validate & NGX_HTTP_ORS_VALIDATE_RESPONSE)
        && ngx_http_ors_validator_whole(g) != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (g->endpoint->request == NULL) {
        g->state = ngx_http_ors_validator_st_passed;
        return NGX_DECLINED;
    }

    g->state = ngx_http_ors_validator_st_body;

    if ((g->conf->validate & NGX_HTTP_ORS_VALIDATE_REQUEST)
        && ngx_ors_media(&r->headers_in.headers))
    {
        (void) ngx_http_ors_error_of(r, NGX_HTTP_UNSUPPORTED_MEDIA_TYPE,
                                     &g->error);

        if (!g->conf->report) {
            ngx_http_ors_stats_request(g);
            return ngx_http_ors_validator_refuse(g);
        }
    }

    r->request_body_in_single_buf = 1;

    rc = ngx_http_read_client_request_body(r,
                                           ngx_http_ors_validator_body_handler);

    if (rc >= NGX_HTTP_SPECIAL_RESPONSE) {
        return rc;
    }

    /* drops the reference that the profile has taken */

    ngx_http_finalize_request(r, NGX_DONE);

    return NGX_DONE;
}


static void
ngx_http_ors_validator_body_handler(ngx_http_request_t *r)
{
    r->write_event_handler = ngx_http_core_run_phases;

    ngx_http_core_run_phases(r);
}


/* NGX_DECLINED: it goes on; NGX_DONE: it was refused; NGX_ERROR */

static ngx_int_t
ngx_http_ors_validator_request(ngx_http_ors_validator_t *g)
{
    uint64_t             start;
    ngx_int_t            rc;
    ngx_str_t            body;
    ngx_http_request_t  *r;

    r = g->request;

    if (ngx_http_ors_body(r, &body) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_ors_request_init(&g->body, g->endpoint, &g->conf->policy,
                         &g->conf->limits, r->pool);

    start = ngx_ors_metrics_clock();
    rc = g->error.status ? NGX_DECLINED
                         : ngx_ors_request_read(&g->body, &body, &g->error);
    g->own = ngx_ors_metrics_clock() - start;

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    if (rc == NGX_OK) {
        g->verify.request = &g->body;
    }

    if (!(g->conf->validate & NGX_HTTP_ORS_VALIDATE_REQUEST)) {

        /* a mistake of the client is not looked for here */

        ngx_memzero(&g->error, sizeof(ngx_ors_error_t));
        return NGX_DECLINED;
    }

    ngx_http_ors_stats_request(g);

    if (rc == NGX_OK) {
        return ngx_http_ors_validator_rewrite(g);
    }

    return ngx_http_ors_validator_refuse(g);
}


/* the bytes that were validated are sent unless a directive edits them */

static ngx_int_t
ngx_http_ors_validator_rewrite(ngx_http_ors_validator_t *g)
{
    size_t               size;
    ngx_chain_t         *bufs;
    ngx_ors_out_t        out;
    ngx_http_request_t  *r;

    if (g->conf->report) {
        return ngx_http_ors_validator_unrepaired(g);
    }

    if (g->body.edits.n == 0
        && (g->conf->model.len == 0 || g->body.name == NULL))
    {
        return NGX_DECLINED;
    }

    r = g->request;

    ngx_ors_out_init(&out, r->pool, NGX_HTTP_ORS_BLOCK);

    ngx_ors_request_write(&g->body, &g->conf->model, &out);

    if (ngx_ors_request_ignore(&g->body, 0) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_http_ors_stats_ignored(r, &g->body);

    size = out.size;

    if (ngx_ors_out_take(&out, &bufs) != NGX_OK
        || ngx_http_ors_body_set(r, bufs, size) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return NGX_DECLINED;
}


/* which fields would be left out */

static ngx_int_t
ngx_http_ors_validator_unrepaired(ngx_http_ors_validator_t *g)
{
    if (g->body.edits.n == 0) {
        return NGX_DECLINED;
    }

    if (ngx_ors_request_ignore(&g->body, 0) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_log_error(NGX_LOG_WARN, g->request->connection->log, 0,
                  "request would be repaired in %ui place%s: %V",
                  g->body.edits.n, (g->body.edits.n == 1) ? "" : "s",
                  &g->body.ignored);

    return NGX_DECLINED;
}


/* NGX_DECLINED: it is only to be reported; NGX_DONE: it was refused */

static ngx_int_t
ngx_http_ors_validator_refuse(ngx_http_ors_validator_t *g)
{
    ngx_http_request_t  *r;

    r = g->request;

    ngx_http_ors_stats_tell(r, &g->body, &g->error, g->conf->report);

    if (g->conf->report) {
        return NGX_DECLINED;
    }

    g->refused = 1;

    if (g->error.status == NGX_HTTP_ORS_UPGRADE_REQUIRED) {
        (void) ngx_http_ors_upgrade_refuse(r);
    }

    ngx_http_finalize_request(r, ngx_http_ors_error_send(r, &g->error));

    return NGX_DONE;
}


/*
 * The upstream is asked for plain text, which is quicker to check, and for all
 * of it: a part cannot be checked.  nginx may still compress the answer:
 * r->headers_in.accept_encoding is left with what the client says
 */

static ngx_int_t
ngx_http_ors_validator_whole(ngx_http_ors_validator_t *g)
{
    ngx_http_request_t  *r;

#if (NGX_HTTP_GZIP)
    ngx_table_elt_t     *copy;
#endif

    r = g->request;

    /* a unit of ranges that a server does not know is to be ignored */

    if (r->headers_in.range && !g->conf->report) {
        ngx_ors_header_set(&r->headers_in.headers, "Range", "none");
    }

#if (NGX_HTTP_GZIP)
    if (r->headers_in.accept_encoding) {
        copy = ngx_palloc(r->pool, sizeof(ngx_table_elt_t));
        if (copy == NULL) {
            return NGX_ERROR;
        }

        *copy = *r->headers_in.accept_encoding;
        r->headers_in.accept_encoding = copy;

        ngx_ors_header_set(&r->headers_in.headers, "Accept-Encoding",
                           "identity");
    }
#endif

    return NGX_OK;
}
