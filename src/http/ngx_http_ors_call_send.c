
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Sending of a call: method and body of its subrequest, and the hand-over to
 * the content handler of its location.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_call.h>


/* headers by which a model server would steer nginx are ignored */
#define NGX_HTTP_ORS_IGNORED  (NGX_HTTP_UPSTREAM_IGN_XA_REDIRECT              \
                               |NGX_HTTP_UPSTREAM_IGN_XA_EXPIRES              \
                               |NGX_HTTP_UPSTREAM_IGN_XA_LIMIT_RATE           \
                               |NGX_HTTP_UPSTREAM_IGN_XA_BUFFERING            \
                               |NGX_HTTP_UPSTREAM_IGN_XA_CHARSET)

/* the pool of a body has room for its buffers and one block of less bytes */
#define NGX_HTTP_ORS_CALL_POOL   512
#define NGX_HTTP_ORS_CALL_APART  4000


static ngx_int_t ngx_http_ors_call_content_handler(ngx_http_request_t *r);
static ngx_http_upstream_conf_t *ngx_http_ors_call_spare(
    ngx_http_request_t *r);
static ngx_http_ors_upstreams_t *ngx_http_ors_call_known(
    ngx_http_request_t *r);
static void ngx_http_ors_call_ignore(ngx_http_request_t *r,
    ngx_http_upstream_conf_t *conf);
static void ngx_http_ors_call_free(void *data);


static ngx_str_t  ngx_http_ors_call_post = ngx_string("POST");


/* a file is for GET; elsewhere an "error_page" may have made it GET */

void
ngx_http_ors_call_method(ngx_http_request_t *r)
{
    if (r->content_handler) {
        r->method = NGX_HTTP_POST;
        r->method_name = ngx_http_ors_call_post;

    } else {
        r->method = NGX_HTTP_GET;
        r->method_name = ngx_http_core_get_method;
    }
}


ngx_int_t
ngx_http_ors_call_go(ngx_http_ors_call_t *call)
{
    ngx_http_request_t  *r;

    r = call->request;

    ngx_http_ors_call_forget(r);

    if (r->content_handler) {
        call->content = r->content_handler;
        r->content_handler = ngx_http_ors_call_content_handler;
    }

    return NGX_DECLINED;
}


/* in place of that of the target's location */

static ngx_int_t
ngx_http_ors_call_content_handler(ngx_http_request_t *r)
{
    ngx_int_t                  rc;
    ngx_http_ors_call_t       *call;
    ngx_http_upstream_conf_t  *conf;

    /* of a hosted tool: its record begins with that of a call */

    call = r->post_subrequest->data;

    r->content_handler = call->content;

    /* allocate now: a failure after the upstream has begun cannot stop it */

    conf = ngx_http_ors_call_spare(r);
    if (conf == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    rc = r->content_handler(r);

    /* the first byte of an answer comes with an event, which is later */

    if (r->upstream) {
        ngx_http_ors_call_ignore(r, conf);
    }

    return rc;
}


/* a copy of each upstream's configuration is enough for all calls */

static ngx_http_upstream_conf_t *
ngx_http_ors_call_spare(ngx_http_request_t *r)
{
    ngx_http_upstream_conf_t  **spare;
    ngx_http_ors_upstreams_t   *known;

    known = ngx_http_ors_call_known(r);

    if (known->n == NGX_HTTP_ORS_UPSTREAMS) {
        return ngx_palloc(r->pool, sizeof(ngx_http_upstream_conf_t));
    }

    spare = &known->elts[known->n];

    if (*spare == NULL) {
        *spare = ngx_palloc(ngx_cycle->pool, sizeof(ngx_http_upstream_conf_t));
    }

    return *spare;
}


static ngx_http_ors_upstreams_t *
ngx_http_ors_call_known(ngx_http_request_t *r)
{
    ngx_http_ors_main_conf_t  *omcf;

    omcf = ngx_http_get_module_main_conf(r, ngx_http_open_responses_module);

    return &omcf->upstreams;
}


/*
 * "X-Accel-Redirect" would send the request, and what it holds, to another
 * location, with the keys that are set there
 */

static void
ngx_http_ors_call_ignore(ngx_http_request_t *r,
    ngx_http_upstream_conf_t *conf)
{
    ngx_uint_t                 i;
    ngx_http_ors_upstreams_t  *known;

    /* that of the location is read-only, and may serve others */

    *conf = *r->upstream->conf;
    conf->ignore_headers |= NGX_HTTP_ORS_IGNORED;

    known = ngx_http_ors_call_known(r);

    /* by what it holds: some modules make a configuration for each request */

    for (i = 0; i < known->n; i++) {

        if (ngx_memcmp(known->elts[i], conf, sizeof(ngx_http_upstream_conf_t))
            == 0)
        {
            r->upstream->conf = known->elts[i];
            return;
        }
    }

    if (known->n < NGX_HTTP_ORS_UPSTREAMS) {
        known->n++;
    }

    r->upstream->conf = conf;
}


ngx_int_t
ngx_http_ors_call_pool(ngx_http_ors_call_t *call, size_t size)
{
    ngx_pool_cleanup_t  *cln;

    if (call->pool) {
        return NGX_OK;
    }

    cln = ngx_pool_cleanup_add(call->request->pool, 0);
    if (cln == NULL) {
        return NGX_ERROR;
    }

    size = (size < NGX_HTTP_ORS_CALL_APART) ? size : 0;

    /* an address that is aligned past the end of a pool would count as in it */

    size = ngx_align(size + NGX_HTTP_ORS_CALL_POOL, NGX_POOL_ALIGNMENT);

    call->pool = ngx_create_pool(size, call->request->connection->log);
    if (call->pool == NULL) {
        return NGX_ERROR;
    }

    cln->handler = ngx_http_ors_call_free;
    cln->data = call;

    return NGX_OK;
}


static void
ngx_http_ors_call_free(void *data)
{
    ngx_http_ors_call_t *call = data;

    if (call->pool) {
        ngx_destroy_pool(call->pool);
        call->pool = NULL;
    }
}


void
ngx_http_ors_call_sent(ngx_http_ors_call_t *call)
{
    ngx_http_request_t   *sr;
    ngx_http_upstream_t  *u;

    sr = call->request;
    u = sr->upstream;

    /* no other server gets it now, and no subrequest of a filter */

    if (call->pool == NULL || u == NULL || !u->request_body_sent
        || sr->preserve_body || u->conf->preserve_output)
    {
        return;
    }

    sr->request_body->bufs = NULL;
    u->request_bufs = NULL;

    ngx_http_ors_call_free(call);
}


ngx_int_t
ngx_http_ors_call_make_body(ngx_http_ors_call_t *call, ngx_chain_t *bufs,
    size_t size)
{
    ngx_str_t                 value;
    ngx_http_request_t       *sr;
    ngx_http_headers_in_t    *in;
    ngx_http_request_body_t  *rb;

    sr = call->request;

    rb = ngx_pcalloc(sr->pool, sizeof(ngx_http_request_body_t));
    if (rb == NULL) {
        return NGX_ERROR;
    }

    value.data = ngx_pnalloc(sr->pool, NGX_OFF_T_LEN);
    if (value.data == NULL) {
        return NGX_ERROR;
    }

    value.len = ngx_sprintf(value.data, "%uz", size) - value.data;

    in = &sr->headers_in;

    if (in->content_length) {
        in->content_length->value = value;

    } else {
        in->content_length = ngx_ors_header_add(&in->headers,
                                                "Content-Length",
                                                "content-length", &value);
        if (in->content_length == NULL) {
            return NGX_ERROR;
        }
    }

    rb->bufs = bufs;

    sr->request_body = rb;
    in->content_length_n = size;

    return NGX_OK;
}
