
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The life of a background subrequest: its start, the headers that it sends,
 * its phases with the limits of its location, its answer, and its end.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_subrequest.h>
#include <ngx_ors_text.h>
#include <ngx_ors_forward.h>
#include <ngx_ors_version.h>


#define NGX_HTTP_ORS_AGENT  "nginx-open-responses/" NGX_ORS_VERSION

/* headers by which a model server would steer nginx are ignored */
#define NGX_HTTP_ORS_IGNORED  (NGX_HTTP_UPSTREAM_IGN_XA_REDIRECT              \
                               |NGX_HTTP_UPSTREAM_IGN_XA_EXPIRES              \
                               |NGX_HTTP_UPSTREAM_IGN_XA_LIMIT_RATE           \
                               |NGX_HTTP_UPSTREAM_IGN_XA_BUFFERING            \
                               |NGX_HTTP_UPSTREAM_IGN_XA_CHARSET)

/* values that both modules have for their variables */
#define NGX_HTTP_ORS_LIMIT_REQ_REJECTED   3
#define NGX_HTTP_ORS_LIMIT_CONN_REJECTED  2


static ngx_int_t ngx_http_ors_subrequest_done(ngx_http_request_t *sr,
    void *data, ngx_int_t rc);
static ngx_int_t ngx_http_ors_subrequest_early_handler(ngx_http_request_t *r);
static ngx_int_t ngx_http_ors_subrequest_handler(ngx_http_request_t *r);
static ngx_int_t ngx_http_ors_subrequest_status(ngx_int_t rc);
static ngx_int_t ngx_http_ors_subrequest_content_handler(
    ngx_http_request_t *r);
static void ngx_http_ors_subrequest_ignore(ngx_http_upstream_t *u,
    ngx_http_upstream_conf_t *conf, ngx_http_ors_main_conf_t *omcf);
static ngx_int_t ngx_http_ors_call_headers(ngx_http_ors_call_t *call);
static void ngx_http_ors_call_remember(ngx_http_request_t *r);
static void ngx_http_ors_call_limited(ngx_http_ors_call_t *call);
static ngx_uint_t ngx_http_ors_call_worst(ngx_uint_t one, ngx_uint_t other,
    ngx_uint_t rejected);
static void ngx_http_ors_call_forget(ngx_http_request_t *r);


ngx_int_t
ngx_http_ors_subrequest(ngx_http_ors_call_t *call, ngx_http_ors_ctx_t *ctx,
    const ngx_http_ors_call_kind_t *kind, ngx_str_t *uri, ngx_str_t *args)
{
    ngx_http_request_t          *r, *sr;
    ngx_http_post_subrequest_t  *ps;

    r = ctx->request;

    ps = ngx_palloc(r->pool, sizeof(ngx_http_post_subrequest_t));
    if (ps == NULL) {
        return NGX_ERROR;
    }

    ps->handler = ngx_http_ors_subrequest_done;
    ps->data = call;

    call->kind = kind;
    call->ctx = ctx;

    call->source.pool = r->pool;
    call->source.log = r->connection->log;
    call->source.handler = kind->source;
    call->source.data = call;

    if (ngx_http_subrequest(r, uri, args, &sr, ps,
                            NGX_HTTP_SUBREQUEST_BACKGROUND)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    call->request = sr;
    ngx_queue_insert_tail(&ctx->calls, &call->queue);

    if (ngx_http_ors_call_headers(call) != NGX_OK) {

        /* the subrequest is posted, and reads headers before it ends */

        sr->headers_in = r->headers_in;

        return NGX_ERROR;
    }

    return NGX_OK;
}


ngx_http_ors_call_t *
ngx_http_ors_subrequest_of(ngx_http_request_t *r,
    const ngx_http_ors_call_kind_t *kind)
{
    ngx_http_ors_call_t  *call;

    /* not in a module ctx, which an internal redirect would erase */

    if (r == r->main || r->post_subrequest == NULL
        || r->post_subrequest->handler != ngx_http_ors_subrequest_done)
    {
        return NULL;
    }

    call = r->post_subrequest->data;

    return (kind == NULL || call->kind == kind) ? call : NULL;
}


/*
 * In front of the limits of its location: nginx keeps their verdict in the main
 * request and applies no second one in its subrequests, unless it is taken away
 */

static ngx_int_t
ngx_http_ors_subrequest_early_handler(ngx_http_request_t *r)
{
    ngx_int_t                 rc;
    ngx_http_request_t       *main;
    ngx_http_ors_call_t      *call;
    ngx_http_ors_loc_conf_t  *olcf, *mlcf;

    call = ngx_http_ors_subrequest_of(r, NULL);
    if (call == NULL) {
        return NGX_DECLINED;
    }

    rc = NGX_OK;

    if (call->done) {
        rc = NGX_ERROR;

    } else if (call->kind->early) {
        rc = call->kind->early(call);
    }

    if (rc != NGX_OK) {
        return ngx_http_ors_subrequest_status(rc);
    }

    main = r->main;

    olcf = ngx_http_get_module_loc_conf(r, ngx_http_open_responses_module);
    mlcf = ngx_http_get_module_loc_conf(main, ngx_http_open_responses_module);

    ngx_http_ors_call_limited(call);

    call->limit_req = main->limit_req_status;
    call->limit_conn = main->limit_conn_status;
    call->limited = 0;

    /* a limit that both locations have inherited is one, not charged twice */

    if (olcf->limit_req != mlcf->limit_req) {
        main->limit_req_status = 0;
    }

    if (olcf->limit_conn != mlcf->limit_conn) {
        main->limit_conn_status = 0;
    }

    return NGX_DECLINED;
}


/* a phase handler's return code for that of a step of the turn */

static ngx_int_t
ngx_http_ors_subrequest_status(ngx_int_t rc)
{
    if (rc == NGX_AGAIN) {
        return NGX_AGAIN;
    }

    return (rc == NGX_DONE) ? NGX_HTTP_BAD_REQUEST
                            : NGX_HTTP_INTERNAL_SERVER_ERROR;
}


static ngx_int_t
ngx_http_ors_subrequest_handler(ngx_http_request_t *r)
{
    ngx_int_t             rc;
    ngx_http_ors_call_t  *call;

    static ngx_str_t  post = ngx_string("POST");

    call = ngx_http_ors_subrequest_of(r, NULL);
    if (call == NULL) {
        return NGX_DECLINED;
    }

    if (call->done) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_http_ors_call_limited(call);

    /* a file is for GET; elsewhere an "error_page" may have made it GET */

    r->method = r->content_handler ? NGX_HTTP_POST : NGX_HTTP_GET;
    r->method_name = r->content_handler ? post : ngx_http_core_get_method;

    rc = call->kind->make(call);

    if (rc != NGX_OK) {
        return ngx_http_ors_subrequest_status(rc);
    }

    ngx_http_ors_call_forget(r);

    if (r->content_handler) {
        call->content = r->content_handler;
        r->content_handler = ngx_http_ors_subrequest_content_handler;
    }

    return NGX_DECLINED;
}


/* in place of that of the target's location */

static ngx_int_t
ngx_http_ors_subrequest_content_handler(ngx_http_request_t *r)
{
    ngx_int_t                  rc;
    ngx_http_ors_call_t       *call;
    ngx_http_upstream_conf_t  *conf;
    ngx_http_ors_main_conf_t  *omcf;

    call = r->post_subrequest->data;
    omcf = ngx_http_get_module_main_conf(r, ngx_http_open_responses_module);

    r->content_handler = call->content;

    /* allocate now: a failure after the upstream has begun cannot stop it */

    conf = (omcf->nupstreams < NGX_HTTP_ORS_UPSTREAMS)
           ? &omcf->upstreams[omcf->nupstreams]
           : ngx_palloc(r->pool, sizeof(ngx_http_upstream_conf_t));

    if (conf == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    rc = r->content_handler(r);

    /* the first byte of an answer comes with an event, which is later */

    if (r->upstream) {
        ngx_http_ors_subrequest_ignore(r->upstream, conf, omcf);
    }

    return rc;
}


/*
 * "X-Accel-Redirect" would send the request, and what it holds, to another
 * location, with the keys that are set there.  A copy of each upstream's
 * configuration is enough for all calls.
 */

static void
ngx_http_ors_subrequest_ignore(ngx_http_upstream_t *u,
    ngx_http_upstream_conf_t *conf, ngx_http_ors_main_conf_t *omcf)
{
    ngx_uint_t  i;

    /* that of the location is read-only, and may serve others */

    *conf = *u->conf;
    conf->ignore_headers |= NGX_HTTP_ORS_IGNORED;

    u->conf = conf;

    /* by what it holds: some modules make a configuration for each request */

    for (i = 0; i < omcf->nupstreams; i++) {

        if (ngx_memcmp(&omcf->upstreams[i], conf,
                       sizeof(ngx_http_upstream_conf_t))
            == 0)
        {
            u->conf = &omcf->upstreams[i];
            return;
        }
    }

    if (omcf->nupstreams < NGX_HTTP_ORS_UPSTREAMS) {
        omcf->nupstreams++;
    }
}


ngx_int_t
ngx_http_ors_subrequest_make(ngx_http_ors_call_t *call, ngx_chain_t *bufs,
    size_t size)
{
    if (call->made) {
        return NGX_OK;
    }

    call->made = 1;

    return ngx_http_ors_body_set(call->request, bufs, size);
}


ngx_int_t
ngx_http_ors_subrequest_get(ngx_http_ors_call_t *call)
{
    ngx_http_request_t  *sr;

    sr = call->request;
    call->made = 1;

    sr->method = NGX_HTTP_GET;
    sr->method_name = ngx_http_core_get_method;

    sr->headers_in.content_length_n = -1;

    /* that of the main request is the client's */

    sr->request_body = ngx_pcalloc(sr->pool, sizeof(ngx_http_request_body_t));

    return sr->request_body ? NGX_OK : NGX_ERROR;
}


/*
 * Bytes are handed on as they come, and nothing goes to a file, unless it is
 * to be cached, for which nginx has to gather it
 */

ngx_int_t
ngx_http_ors_subrequest_header(ngx_http_ors_call_t *call)
{
    ngx_http_request_t   *sr;
    ngx_http_upstream_t  *u;

    sr = call->request;
    u = sr->upstream;

    sr->header_sent = 1;
    sr->filter_need_in_memory = 1;

    if (u && u->cacheable
        && (u->headers_in.x_accel_redirect
            || ngx_ors_mime_is(&sr->headers_out.content_type,
                               "text/event-stream")))
    {
        u->cacheable = 0;
    }

    if (u && !u->cacheable) {
        u->buffering = 0;
    }

    return call->source.handler->over(call) ? NGX_OK
                                            : call->kind->header(call);
}


ngx_int_t
ngx_http_ors_subrequest_body(ngx_http_ors_call_t *call, ngx_chain_t *in)
{
    uint64_t   start;
    ngx_int_t  rc;

    start = ngx_ors_metrics_clock();

    rc = ngx_http_ors_pump_take(call->request, &call->source, in);

    call->ctx->own += ngx_ors_metrics_clock() - start;

    return rc;
}


ngx_int_t
ngx_http_ors_subrequest_ended(void *data)
{
    ngx_http_ors_call_t *call = data;

    call->complete = ngx_ors_source_complete(&call->source);

    return NGX_OK;
}


static ngx_int_t
ngx_http_ors_subrequest_done(ngx_http_request_t *sr, void *data, ngx_int_t rc)
{
    ngx_http_ors_call_t *call = data;

    ngx_http_upstream_t  *u;

    u = sr->upstream;

    /*
     * NGX_ERROR is also what is left of a broken chunk or a stream that was
     * reset after the header: such a call has ended, the client has not
     */

    if (rc == NGX_ERROR && !sr->connection->error) {
        rc = NGX_OK;
    }

    if (sr->buffered) {

        /* called again when the bytes that wait have been read */

        return rc;
    }

    if (call->done) {
        return (rc == NGX_ERROR) ? NGX_ERROR : NGX_OK;
    }

    if (call->kind->replaced && call->kind->replaced(call, rc)) {
        return rc;
    }

    call->done = 1;
    ngx_queue_remove(&call->queue);
    call->status = sr->headers_out.status;

    /*
     * all of a body has come whose length or last chunk the upstream has told,
     * though a filter of another module has kept back the mark of its end
     */

    if (!call->complete && u && !u->buffering && !u->error && u->length == 0) {
        (void) ngx_http_ors_subrequest_ended(call);
    }

    ngx_http_ors_call_limited(call);
    ngx_http_ors_call_forget(sr);

    if (call->status == 0) {
        call->status = (rc >= NGX_HTTP_SPECIAL_RESPONSE)
                       ? (ngx_uint_t) rc : NGX_HTTP_BAD_GATEWAY;

        /* nginx has no status of its own for this */

        call->starved = (rc == NGX_HTTP_INTERNAL_SERVER_ERROR && u
                         && ngx_cycle->free_connections == NULL);
    }

    ngx_log_debug4(NGX_LOG_DEBUG_HTTP, sr->connection->log, 0,
                   "ors %s: ended, rc %i, status %ui, complete %d",
                   call->kind->name, rc, call->status, call->complete);

    if (rc == NGX_ERROR || rc == NGX_HTTP_CLIENT_CLOSED_REQUEST
        || sr->connection->error)
    {
        return rc;
    }

    ngx_http_ors_post(sr->parent, &call->ctx->posted);

    /* anything else would let nginx make an error page for the subrequest */

    return NGX_OK;
}


ngx_int_t
ngx_http_ors_subrequest_init(ngx_conf_t *cf)
{
    ngx_int_t                  index;
    ngx_uint_t                 i;
    ngx_http_ors_main_conf_t  *omcf;

    static ngx_str_t  names[NGX_HTTP_ORS_BODY_VARIABLES] = {
        ngx_string("content_length"),
        ngx_string("content_type"),
        ngx_string("http_content_length"),
        ngx_string("http_content_type"),
        ngx_string("request_body"),
        ngx_string("request_body_file")
    };

    omcf = ngx_http_conf_get_module_main_conf(cf,
                                              ngx_http_open_responses_module);

    for (i = 0; i < NGX_HTTP_ORS_BODY_VARIABLES; i++) {
        index = ngx_http_get_variable_index(cf, &names[i]);
        if (index == NGX_ERROR) {
            return NGX_ERROR;
        }

        omcf->variables[i] = index;
    }

    return ngx_http_ors_phases(cf, ngx_http_ors_subrequest_early_handler,
                               ngx_http_ors_subrequest_handler);
}


/*
 * The headers of a subrequest are a shallow copy of the client's.  A call gets
 * another list, without headers that describe the client's body or ask for an
 * answer that could not be read here.  NGX_OK or NGX_ERROR.
 */

static ngx_int_t
ngx_http_ors_call_headers(ngx_http_ors_call_t *call)
{
    ngx_uint_t                drop;
    ngx_http_request_t       *r;
    ngx_http_headers_in_t    *in;

    r = call->request->main;
    in = &call->request->headers_in;
    drop = 0;

    if (call->bare) {
        drop = NGX_ORS_FORWARD_BARE;
        ngx_http_ors_call_remember(r);
    }

    if (!call->ctx->conf->trace) {
        drop |= NGX_ORS_FORWARD_UNTRACED;
    }

    if (ngx_ors_forward_headers(&r->headers_in.headers, &in->headers,
                                drop, r->pool)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    /* some servers refuse requests without it */

    if (call->bare
        && ngx_ors_header_text(&in->headers, "User-Agent", "user-agent",
                               NGX_HTTP_ORS_AGENT)
           == NULL)
    {
        return NGX_ERROR;
    }

    in->content_type = NULL;

    if (!call->bodiless) {
        in->content_type = ngx_ors_header_text(&in->headers, "Content-Type",
                                               "content-type",
                                               "application/json");
        if (in->content_type == NULL) {
            return NGX_ERROR;
        }
    }

    in->content_length = NULL;
    in->content_length_n = 0;
    in->chunked = 0;
    in->transfer_encoding = NULL;
    in->expect = NULL;
    in->upgrade = NULL;
    in->if_modified_since = NULL;
    in->if_unmodified_since = NULL;
    in->if_match = NULL;
    in->if_none_match = NULL;
    in->range = NULL;
    in->if_range = NULL;

#if (NGX_HTTP_GZIP)
    in->accept_encoding = NULL;
#endif

    return NGX_OK;
}


/*
 * A location may be given a header of the client by "proxy_set_header":
 * variables keep the values that they have in front of the headers' removal
 */

static void
ngx_http_ors_call_remember(ngx_http_request_t *r)
{
    ngx_str_t                   name;
    ngx_uint_t                  i;
    ngx_http_variable_t        *v;
    ngx_http_core_main_conf_t  *cmcf;

    cmcf = ngx_http_get_module_main_conf(r, ngx_http_core_module);
    v = cmcf->variables.elts;

    for (i = 0; i < cmcf->variables.nelts; i++) {

        if (v[i].name.len <= 5
            || ngx_strncmp(v[i].name.data, "http_", 5) != 0)
        {
            continue;
        }

        name.len = v[i].name.len - 5;
        name.data = v[i].name.data + 5;

        if (!ngx_ors_forward_public(&name)) {
            (void) ngx_http_get_indexed_variable(r, i);
        }
    }
}


/*
 * The limits of the target's location are passed: gives the main request the
 * worst verdict of all, for its variables.
 */

static void
ngx_http_ors_call_limited(ngx_http_ors_call_t *call)
{
    ngx_http_request_t  *main;

    main = call->request->main;

    call->limited = (main->limit_req_status
                     == NGX_HTTP_ORS_LIMIT_REQ_REJECTED
                     || main->limit_conn_status
                        == NGX_HTTP_ORS_LIMIT_CONN_REJECTED);

    if (call->limited) {
        ngx_log_debug1(NGX_LOG_DEBUG_HTTP, main->connection->log, 0,
                       "ors %s: refused by limit_req or limit_conn",
                       call->kind->name);
    }

    main->limit_req_status =
        ngx_http_ors_call_worst(call->limit_req, main->limit_req_status,
                                NGX_HTTP_ORS_LIMIT_REQ_REJECTED);

    main->limit_conn_status =
        ngx_http_ors_call_worst(call->limit_conn, main->limit_conn_status,
                                NGX_HTTP_ORS_LIMIT_CONN_REJECTED);
}


/*
 * 0: no limit, 1: passed, then delayed, rejected, and the verdicts of a dry
 * run, which do not hold
 */

static ngx_uint_t
ngx_http_ors_call_worst(ngx_uint_t one, ngx_uint_t other, ngx_uint_t rejected)
{
    if (one == rejected || other == rejected) {
        return rejected;
    }

    return ngx_max(one, other);
}


ngx_int_t
ngx_http_ors_phases(ngx_conf_t *cf, ngx_http_handler_pt early,
    ngx_http_handler_pt handler)
{
    ngx_http_handler_pt        *h;
    ngx_http_core_main_conf_t  *cmcf;

    cmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);

    h = ngx_array_push(&cmcf->phases[NGX_HTTP_PREACCESS_PHASE].handlers);
    if (h == NULL) {
        return NGX_ERROR;
    }

    *h = early;

    h = ngx_array_push(&cmcf->phases[NGX_HTTP_PRECONTENT_PHASE].handlers);
    if (h == NULL) {
        return NGX_ERROR;
    }

    *h = handler;

    return NGX_OK;
}


/*
 * The body of the request is to be replaced, or was: forgets the values of
 * variables that depend on it, which a call shares with its main request.
 */

static void
ngx_http_ors_call_forget(ngx_http_request_t *r)
{
    ngx_uint_t                  i;
    ngx_http_ors_main_conf_t   *omcf;
    ngx_http_variable_value_t  *vv;

    omcf = ngx_http_get_module_main_conf(r, ngx_http_open_responses_module);

    for (i = 0; i < NGX_HTTP_ORS_BODY_VARIABLES; i++) {
        vv = &r->variables[omcf->variables[i]];

        vv->valid = 0;
        vv->not_found = 0;
    }
}
