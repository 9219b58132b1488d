
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The phase handlers of a call: what is decided and made as soon as the
 * location of its target is known.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_background.h>
#include <ngx_http_ors_call.h>


/* what a short body may grow by when it is made for a target */
#define NGX_HTTP_ORS_SPARE  256

/* headers by which a model server would steer nginx are ignored */
#define NGX_HTTP_ORS_IGNORED  (NGX_HTTP_UPSTREAM_IGN_XA_REDIRECT              \
                               |NGX_HTTP_UPSTREAM_IGN_XA_EXPIRES              \
                               |NGX_HTTP_UPSTREAM_IGN_XA_LIMIT_RATE           \
                               |NGX_HTTP_UPSTREAM_IGN_XA_BUFFERING            \
                               |NGX_HTTP_UPSTREAM_IGN_XA_CHARSET)


static ngx_int_t ngx_http_ors_call_early_handler(ngx_http_request_t *r);
static ngx_int_t ngx_http_ors_call_current(ngx_http_request_t *r,
    ngx_http_ors_call_t **call);
static ngx_int_t ngx_http_ors_call_handler(ngx_http_request_t *r);
static ngx_int_t ngx_http_ors_call_ready(ngx_http_ors_call_t *call);
static ngx_int_t ngx_http_ors_call_go(ngx_http_ors_call_t *call);
static ngx_int_t ngx_http_ors_call_content_handler(ngx_http_request_t *r);
static ngx_int_t ngx_http_ors_call_ignore(ngx_http_request_t *r);
static ngx_int_t ngx_http_ors_call_make_body(ngx_http_ors_call_t *call,
    ngx_chain_t *bufs, size_t size);


static ngx_str_t  ngx_http_ors_call_method = ngx_string("POST");


/* before the limits of the target's location */

static ngx_int_t
ngx_http_ors_call_early_handler(ngx_http_request_t *r)
{
    ngx_int_t                 rc;
    ngx_http_ors_call_t      *call;
    ngx_http_ors_loc_conf_t  *olcf;

    rc = ngx_http_ors_call_current(r, &call);

    if (rc != NGX_OK) {
        return rc;
    }

    olcf = ngx_http_get_module_loc_conf(r, ngx_http_open_responses_module);
    rc = ngx_http_ors_session_settle(call->ctx, olcf);

    /* a turn that runs elsewhere passes the target's limits there */

    if (rc == NGX_OK) {
        rc = ngx_http_ors_background_begin(call->ctx);
    }

    if (rc == NGX_AGAIN) {
        return NGX_AGAIN;
    }

    if (rc != NGX_OK) {
        return (rc == NGX_DONE) ? NGX_HTTP_BAD_REQUEST
                                : NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_http_ors_call_limits(call);

    return NGX_DECLINED;
}


/*
 * NGX_OK         "*call" is what the request's turn waits for
 * NGX_DECLINED   the request is no call
 *
 * A call that its turn has given up ends with an error.
 */

static ngx_int_t
ngx_http_ors_call_current(ngx_http_request_t *r, ngx_http_ors_call_t **call)
{
    ngx_http_ors_ctx_t  *ctx;

    *call = ngx_http_ors_call_of(r);

    if (*call == NULL) {
        return NGX_DECLINED;
    }

    ctx = (*call)->ctx;

    return (ngx_ors_turn_done(ctx->turn) || *call != ctx->call)
           ? NGX_HTTP_INTERNAL_SERVER_ERROR : NGX_OK;
}


/* makes the body for the target */

static ngx_int_t
ngx_http_ors_call_handler(ngx_http_request_t *r)
{
    size_t                    size;
    ngx_int_t                 rc;
    ngx_chain_t              *bufs;
    ngx_ors_out_t             out;
    ngx_ors_turn_t           *turn;
    ngx_http_ors_call_t      *call;
    ngx_http_ors_loc_conf_t  *olcf;

    rc = ngx_http_ors_call_current(r, &call);

    if (rc != NGX_OK) {
        return rc;
    }

    turn = call->ctx->turn;

    ngx_http_ors_call_limited(call);

    /* a file is for GET; elsewhere an "error_page" may have made it GET */

    if (r->content_handler) {
        r->method = NGX_HTTP_POST;
        r->method_name = ngx_http_ors_call_method;

    } else {
        r->method = NGX_HTTP_GET;
        r->method_name = ngx_http_core_get_method;
    }

    olcf = ngx_http_get_module_loc_conf(r, ngx_http_open_responses_module);

    if (call->conf == olcf) {
        return ngx_http_ors_call_ready(call);
    }

    rc = ngx_http_ors_session_load(call->ctx);

    if (rc == NGX_AGAIN) {
        return NGX_AGAIN;
    }

    if (rc != NGX_OK) {
        return (rc == NGX_DONE) ? NGX_HTTP_BAD_REQUEST
                                : NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    call->conf = olcf;

    /* it will be as long as the client's, and lives as long as the stream */

    size = ngx_min(turn->request.body.len + NGX_HTTP_ORS_SPARE,
                   NGX_ORS_DECODE_STEP);

    ngx_ors_out_init(&out, r->pool, size);

    rc = ngx_ors_turn_call(turn, olcf->dialect, &olcf->options, &olcf->model,
                           &out);

    if (rc == NGX_DONE) {
        return NGX_HTTP_BAD_REQUEST;
    }

    size = out.size;

    if (rc != NGX_OK || ngx_ors_out_take(&out, &bufs) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    rc = ngx_http_ors_call_make_body(call, bufs, size);

    if (rc != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    /* when this subrequest has begun to send: ngx_http_ors_call_push() */

    ngx_http_ors_post(r->parent, &call->ctx->posted);

    return ngx_http_ors_call_ready(call);
}


/* the client of a background turn gets its answer first */

static ngx_int_t
ngx_http_ors_call_ready(ngx_http_ors_call_t *call)
{
    ngx_int_t  rc;

    if (!call->ctx->detached) {
        return ngx_http_ors_call_go(call);
    }

    rc = ngx_http_ors_background_ready(call->ctx);

    if (rc == NGX_AGAIN) {
        return NGX_AGAIN;
    }

    return (rc == NGX_OK) ? ngx_http_ors_call_go(call)
                          : NGX_HTTP_INTERNAL_SERVER_ERROR;
}


static ngx_int_t
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
    ngx_int_t             rc;
    ngx_http_ors_call_t  *call;

    call = ngx_http_ors_call_of(r);

    r->content_handler = call->content;

    rc = r->content_handler(r);

    /* the first byte of an answer comes with an event, which is later */

    if (r->upstream && ngx_http_ors_call_ignore(r) != NGX_OK) {
        return NGX_ERROR;
    }

    return rc;
}


/*
 * "X-Accel-Redirect" would send the request, and what it holds, to another
 * location, with the keys that are set there
 */

static ngx_int_t
ngx_http_ors_call_ignore(ngx_http_request_t *r)
{
    ngx_http_upstream_t       *u;
    ngx_http_upstream_conf_t  *conf;

    u = r->upstream;

    if ((u->conf->ignore_headers & NGX_HTTP_ORS_IGNORED)
        == NGX_HTTP_ORS_IGNORED)
    {
        return NGX_OK;
    }

    /* that of the location is read-only, and may serve others, too */

    conf = ngx_palloc(r->pool, sizeof(ngx_http_upstream_conf_t));
    if (conf == NULL) {
        return NGX_ERROR;
    }

    *conf = *u->conf;
    conf->ignore_headers |= NGX_HTTP_ORS_IGNORED;

    u->conf = conf;

    return NGX_OK;
}


static ngx_int_t
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


ngx_int_t
ngx_http_ors_call_init(ngx_conf_t *cf)
{
    ngx_http_handler_pt        *h;
    ngx_http_core_main_conf_t  *cmcf;

    cmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);

    h = ngx_array_push(&cmcf->phases[NGX_HTTP_PREACCESS_PHASE].handlers);
    if (h == NULL) {
        return NGX_ERROR;
    }

    *h = ngx_http_ors_call_early_handler;

    h = ngx_array_push(&cmcf->phases[NGX_HTTP_PRECONTENT_PHASE].handlers);
    if (h == NULL) {
        return NGX_ERROR;
    }

    *h = ngx_http_ors_call_handler;

    ngx_http_ors_call_limits_init(cf);

    return ngx_http_ors_call_variables_init(cf);
}
