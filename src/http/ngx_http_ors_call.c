
/*
 * Copyright (C) Open Responses contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>
#include <ngx_ors_chat_retry.h>


/* what a short body may grow by when it is made for a target */
#define NGX_HTTP_ORS_SPARE  256


static ngx_int_t ngx_http_ors_call_done(ngx_http_request_t *sr, void *data,
    ngx_int_t rc);
static ngx_int_t ngx_http_ors_call_headers_in(ngx_http_request_t *r,
    ngx_http_request_t *sr);
static ngx_uint_t ngx_http_ors_call_forwards(ngx_table_elt_t *h);
static ngx_int_t ngx_http_ors_call_context(ngx_http_ors_ctx_t *ctx,
    ngx_ors_dialect_e dialect);
static ngx_int_t ngx_http_ors_call_ready(ngx_http_ors_call_t *call);
static ngx_int_t ngx_http_ors_call_make_body(ngx_http_ors_call_t *call,
    ngx_chain_t *bufs, size_t size);
static ngx_int_t ngx_http_ors_call_answer(ngx_http_ors_call_t *call);
static ngx_int_t ngx_http_ors_call_retry_after(ngx_http_ors_call_t *call);
static ngx_uint_t ngx_http_ors_call_retry(ngx_str_t *value);
static ngx_int_t ngx_http_ors_call_feed(ngx_http_ors_call_t *call);
static ngx_int_t ngx_http_ors_call_consume(ngx_http_ors_call_t *call,
    ngx_buf_t *b);
static ngx_uint_t ngx_http_ors_call_replaced(ngx_http_request_t *sr,
    ngx_int_t rc);


static ngx_str_t  ngx_http_ors_call_method = ngx_string("POST");


ngx_int_t
ngx_http_ors_call(ngx_http_ors_ctx_t *ctx)
{
    ngx_http_request_t          *r, *sr;
    ngx_http_ors_call_t         *call;
    ngx_http_post_subrequest_t  *ps;

    r = ctx->request;

    call = ngx_pcalloc(r->pool, sizeof(ngx_http_ors_call_t));
    if (call == NULL) {
        return NGX_ERROR;
    }

    ps = ngx_palloc(r->pool, sizeof(ngx_http_post_subrequest_t));
    if (ps == NULL) {
        return NGX_ERROR;
    }

    ps->handler = ngx_http_ors_call_done;
    ps->data = call;

    if (ngx_http_subrequest(r, &ctx->target->uri, &ctx->target->args, &sr, ps,
                            NGX_HTTP_SUBREQUEST_BACKGROUND)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    call->ctx = ctx;
    call->request = sr;
    ctx->call = call;
    ctx->turn->provider = ctx->target->provider;

    sr->method = NGX_HTTP_POST;
    sr->method_name = ngx_http_ors_call_method;

    return ngx_http_ors_call_headers_in(r, sr);
}


ngx_int_t
ngx_http_ors_call_again(ngx_http_ors_ctx_t *ctx)
{
    ngx_log_error(NGX_LOG_WARN, ctx->request->connection->log, 0,
                  "target \"%V\" has failed with %V, trying \"%V\"",
                  &ctx->target->uri, &ctx->turn->error.code,
                  &ctx->target->next->uri);

    ngx_http_ors_call_cancel(ctx->call);

    ngx_ors_turn_again(ctx->turn);

    ctx->target = ctx->target->next;
    ngx_str_null(&ctx->retry_after);

    return ngx_http_ors_call(ctx);
}


/*
 * The subrequest has a shallow copy of the client's headers.  It gets a list
 * of its own, without what tells of the client's body or asks for an answer
 * that could not be read here.
 */

static ngx_int_t
ngx_http_ors_call_headers_in(ngx_http_request_t *r, ngx_http_request_t *sr)
{
    ngx_uint_t              i;
    ngx_list_part_t        *part;
    ngx_table_elt_t        *header, *h;
    ngx_http_headers_in_t  *in;

    static ngx_str_t  type = ngx_string("Content-Type");
    static ngx_str_t  type_lowcase = ngx_string("content-type");
    static ngx_str_t  json = ngx_string("application/json");

    in = &sr->headers_in;

    part = &r->headers_in.headers.part;
    header = part->elts;

    /* room for all, and for the type and the length of the new body */

    if (ngx_list_init(&in->headers, r->pool, part->nelts + 2,
                      sizeof(ngx_table_elt_t))
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    for (i = 0; /* void */ ; i++) {

        if (i >= part->nelts) {
            if (part->next == NULL) {
                break;
            }

            part = part->next;
            header = part->elts;
            i = 0;
        }

        if (!ngx_http_ors_call_forwards(&header[i])) {
            continue;
        }

        h = ngx_list_push(&in->headers);
        if (h == NULL) {
            return NGX_ERROR;
        }

        *h = header[i];
    }

    in->content_type = ngx_http_ors_header_add(&in->headers, &type,
                                               &type_lowcase, &json);
    if (in->content_type == NULL) {
        return NGX_ERROR;
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


static ngx_uint_t
ngx_http_ors_call_forwards(ngx_table_elt_t *h)
{
    ngx_uint_t  i;

    static ngx_str_t  names[] = {
        ngx_string("accept"),
        ngx_string("accept-encoding"),
        ngx_string("content-encoding"),
        ngx_string("content-length"),
        ngx_string("content-type"),
        ngx_string("expect"),
        ngx_string("if-match"),
        ngx_string("if-modified-since"),
        ngx_string("if-none-match"),
        ngx_string("if-range"),
        ngx_string("if-unmodified-since"),
        ngx_string("range"),
        ngx_string("transfer-encoding"),
        ngx_string("upgrade")
    };

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {

        if (h->key.len == names[i].len
            && ngx_strncmp(h->lowcase_key, names[i].data, names[i].len) == 0)
        {
            return 0;
        }
    }

    return 1;
}


ngx_http_ors_call_t *
ngx_http_ors_call_of(ngx_http_request_t *r)
{
    /* not in a module ctx, which an internal redirect would erase */

    if (r == r->main || r->post_subrequest == NULL
        || r->post_subrequest->handler != ngx_http_ors_call_done)
    {
        return NULL;
    }

    return r->post_subrequest->data;
}


ngx_int_t
ngx_http_ors_call_handler(ngx_http_request_t *r)
{
    size_t                    size;
    ngx_int_t                 rc;
    ngx_uint_t                translates;
    ngx_chain_t              *bufs;
    ngx_ors_out_t             out;
    ngx_ors_turn_t           *turn;
    ngx_http_ors_call_t      *call;
    ngx_http_ors_kept_t      *kept;
    ngx_http_ors_loc_conf_t  *olcf;

    call = ngx_http_ors_call_of(r);

    if (call == NULL) {
        return NGX_DECLINED;
    }

    turn = call->ctx->turn;

    if (ngx_ors_turn_done(turn) || call != call->ctx->call) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    olcf = ngx_http_get_module_loc_conf(r, ngx_http_open_responses_module);

    if (call->conf == olcf) {
        return ngx_http_ors_call_ready(call);
    }

    kept = call->ctx->kept;
    translates = ngx_ors_turn_translates(turn, olcf->dialect);

    /* what is only passed on is for its server to keep */

    turn->expand = (olcf->expand && kept && !translates);
    turn->request.stored = (kept && kept->wanted
                            && (turn->expand || translates));

    rc = ngx_http_ors_call_context(call->ctx, olcf->dialect);

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
                   NGX_HTTP_ORS_STEP);

    ngx_ors_out_init(&out, r->pool, size);

    rc = ngx_ors_turn_call(turn, olcf->dialect, &olcf->habits, &olcf->model,
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


/* what comes before a request can be translated */

static ngx_int_t
ngx_http_ors_call_context(ngx_http_ors_ctx_t *ctx, ngx_ors_dialect_e dialect)
{
    ngx_int_t             rc;
    ngx_ors_json_node_t  *node;

    if (ngx_ors_turn_translates(ctx->turn, dialect)) {
        rc = ngx_http_ors_background(ctx);

        return (rc == NGX_OK) ? ngx_http_ors_context(ctx) : rc;
    }

    node = ctx->turn->request.field[ngx_ors_rq_background];

    if (ctx->detached
        || (ctx->turn->expand && node && node->type == ngx_ors_json_true))
    {
        /* it would run there, and be stored there only */

        return ngx_http_ors_store_refuse(ctx->kept, NGX_HTTP_BAD_REQUEST,
                                         "unsupported_parameter",
                                         "background",
                                         "a response of this model cannot "
                                         "run in the background");
    }

    return ctx->turn->expand ? ngx_http_ors_context(ctx) : NGX_OK;
}


/* the client of a turn that runs without it is told first */

static ngx_int_t
ngx_http_ors_call_ready(ngx_http_ors_call_t *call)
{
    ngx_int_t  rc;

    if (!call->ctx->detached) {
        return NGX_DECLINED;
    }

    rc = ngx_http_ors_background_ready(call->ctx);

    if (rc == NGX_AGAIN) {
        return NGX_AGAIN;
    }

    return (rc == NGX_OK) ? NGX_DECLINED : NGX_HTTP_INTERNAL_SERVER_ERROR;
}


static ngx_int_t
ngx_http_ors_call_make_body(ngx_http_ors_call_t *call, ngx_chain_t *bufs,
    size_t size)
{
    ngx_str_t                 value;
    ngx_http_request_t       *sr;
    ngx_http_headers_in_t    *in;
    ngx_http_request_body_t  *rb;

    static ngx_str_t  length = ngx_string("Content-Length");
    static ngx_str_t  length_lowcase = ngx_string("content-length");

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
        in->content_length = ngx_http_ors_header_add(&in->headers, &length,
                                                     &length_lowcase, &value);
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
ngx_http_ors_call_header(ngx_http_ors_call_t *call)
{
    ngx_int_t                 rc;
    ngx_ors_turn_t           *turn;
    ngx_http_request_t       *sr;
    ngx_http_ors_loc_conf_t  *olcf;

    sr = call->request;

    sr->header_sent = 1;
    sr->filter_need_in_memory = 1;

    if (sr->upstream) {

        /* what has come is handed on at once, nothing goes to a file */

        sr->upstream->buffering = 0;
    }

    turn = call->ctx->turn;

    if (ngx_ors_turn_done(turn) || call != call->ctx->call) {
        return NGX_OK;
    }

    /* "return" and the like answer before our phase handler is called */

    olcf = ngx_http_get_module_loc_conf(sr, ngx_http_open_responses_module);

    turn->dialect = olcf->dialect;
    turn->policy.mask |= olcf->policy.mask;

    if (ngx_http_ors_call_retry_after(call) != NGX_OK) {
        return NGX_ERROR;
    }

    if (sr->headers_out.status == 0) {

        /* without a status line nginx takes it for the body of HTTP/0.9 */

        rc = ngx_ors_turn_refuse(turn, "no HTTP answer");

    } else {
        rc = ngx_http_ors_call_answer(call);
    }

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    if (rc == NGX_DONE) {
        ngx_http_ors_post(sr->parent, &call->ctx->posted);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_ors_call_answer(ngx_http_ors_call_t *call)
{
    ngx_int_t            rc;
    ngx_ors_turn_t      *turn;
    ngx_http_request_t  *sr;

    sr = call->request;
    turn = call->ctx->turn;

    rc = ngx_http_ors_plain_init(&call->plain, sr, 1);

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    if (rc == NGX_DECLINED) {
        return ngx_ors_turn_refuse(turn, "an encoding that is not known");
    }

    return ngx_ors_turn_header(turn, sr->headers_out.status,
                               &sr->headers_out.content_type,
                               call->plain.inflate
                               ? -1 : sr->headers_out.content_length_n);
}


static ngx_int_t
ngx_http_ors_call_retry_after(ngx_http_ors_call_t *call)
{
    ngx_table_elt_t     *h;
    ngx_http_request_t  *sr;

    static ngx_str_t  name = ngx_string("Retry-After");

    sr = call->request;

    h = ngx_http_ors_header_find(&sr->headers_out.headers, &name);

    if (h == NULL) {
        return NGX_OK;
    }

    call->ctx->turn->retry = ngx_http_ors_call_retry(&h->value);

    call->ctx->retry_after.len = h->value.len;
    call->ctx->retry_after.data = ngx_pstrdup(sr->pool, &h->value);

    return call->ctx->retry_after.data ? NGX_OK : NGX_ERROR;
}


/* ms: the header has seconds, or a date */

static ngx_uint_t
ngx_http_ors_call_retry(ngx_str_t *value)
{
    time_t      date;
    ngx_uint_t  retry;

    retry = ngx_ors_chat_retry_time(value, 1000);

    if (retry) {
        return retry;
    }

    date = ngx_parse_http_time(value->data, value->len);

    if (date == (time_t) NGX_ERROR || date <= ngx_time()
        || date - ngx_time() > NGX_ORS_CHAT_RETRY_MAX / 1000)
    {
        return 0;
    }

    return (date - ngx_time()) * 1000;
}


ngx_int_t
ngx_http_ors_call_body(ngx_http_ors_call_t *call, ngx_chain_t *in)
{
    ngx_int_t  rc;

    if (ngx_chain_add_copy(call->request->pool, &call->in, in) != NGX_OK) {
        return NGX_ERROR;
    }

    rc = ngx_http_ors_call_feed(call);

    if (rc == NGX_AGAIN) {
        call->request->buffered |= NGX_HTTP_ORS_BUFFERED;

    } else {
        call->request->buffered &= ~NGX_HTTP_ORS_BUFFERED;
    }

    ngx_http_ors_post(call->request->parent, &call->ctx->posted);

    return rc;
}


/*
 * NGX_OK: all is used up; NGX_AGAIN: the client is slow, the rest is kept
 * and with it the buffers of the upstream connection, which is then not read
 */

static ngx_int_t
ngx_http_ors_call_feed(ngx_http_ors_call_t *call)
{
    ngx_int_t     rc;
    ngx_buf_t    *b;
    ngx_chain_t  *cl;

    while (call->in) {
        cl = call->in;
        b = cl->buf;

        rc = ngx_http_ors_call_consume(call, b);

        if (rc != NGX_OK) {
            return rc;
        }

        if (b->last_in_chain || b->last_buf) {
            call->complete = ngx_http_ors_plain_whole(&call->plain);
        }

        call->in = cl->next;
        ngx_free_chain(call->request->pool, cl);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_ors_call_consume(ngx_http_ors_call_t *call, ngx_buf_t *b)
{
    ngx_int_t            rc;
    ngx_buf_t            piece;
    ngx_http_ors_ctx_t  *ctx;

    ctx = call->ctx;

    if (!ngx_buf_in_memory(b)) {
        return NGX_OK;
    }

    for ( ;; ) {

        if (ngx_ors_turn_done(ctx->turn) || call != ctx->call) {
            b->pos = b->last;
            return NGX_OK;
        }

        if (ngx_http_ors_pending(ctx) >= ctx->turn->limits->queue) {
            return (b->pos < b->last || call->plain.inflate) ? NGX_AGAIN
                                                             : NGX_OK;
        }

        rc = ngx_http_ors_plain_next(&call->plain, b, &piece);

        if (rc == NGX_AGAIN) {
            return NGX_OK;
        }

        if (rc == NGX_OK) {
            rc = ngx_ors_turn_data(ctx->turn, &piece);

        } else if (rc == NGX_DECLINED) {
            rc = ngx_ors_turn_refuse(ctx->turn,
                                     "what cannot be decompressed");
        }

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }
    }
}


static ngx_int_t
ngx_http_ors_call_done(ngx_http_request_t *sr, void *data, ngx_int_t rc)
{
    ngx_http_ors_call_t  *call = data;

    if (sr->buffered) {

        /* it comes again when the bytes that wait have been looked at */

        return rc;
    }

    if (call->done) {
        return (rc == NGX_ERROR) ? rc : NGX_OK;
    }

    if (call->ctx->turn->state == ngx_ors_turn_st_call
        && ngx_http_ors_call_replaced(sr, rc))
    {
        return rc;
    }

    call->done = 1;
    call->status = sr->headers_out.status;

    if (call->status == 0) {
        call->status = (rc >= NGX_HTTP_SPECIAL_RESPONSE)
                       ? (ngx_uint_t) rc : NGX_HTTP_BAD_GATEWAY;
    }

    if (rc == NGX_ERROR || rc == NGX_HTTP_CLIENT_CLOSED_REQUEST
        || sr->connection->error)
    {
        return rc;
    }

    ngx_http_ors_post(sr->parent, &call->ctx->posted);

    /* anything else would let nginx make an error page for the subrequest */

    return NGX_OK;
}


/*
 * "error_page 502 = @other" in a target's location names another one that
 * answers.  A page that keeps the status is for people only.
 */

static ngx_uint_t
ngx_http_ors_call_replaced(ngx_http_request_t *sr, ngx_int_t rc)
{
    ngx_uint_t                 i;
    ngx_http_err_page_t       *page;
    ngx_http_core_loc_conf_t  *clcf;

    clcf = ngx_http_get_module_loc_conf(sr, ngx_http_core_module);

    if (rc < NGX_HTTP_SPECIAL_RESPONSE || sr->error_page
        || clcf->error_pages == NULL || sr->uri_changes == 0)
    {
        return 0;
    }

    page = clcf->error_pages->elts;

    for (i = 0; i < clcf->error_pages->nelts; i++) {
        if (page[i].status == rc) {
            return page[i].overwrite >= 0;
        }
    }

    return 0;
}


void
ngx_http_ors_call_cancel(ngx_http_ors_call_t *call)
{
    ngx_http_request_t   *sr;
    ngx_http_upstream_t  *u;

    sr = call->request;
    u = sr->upstream;

    if (call->done) {
        return;
    }

    call->done = 1;

    if (u && u->cleanup && *u->cleanup) {

        /* closes the upstream connection and finalizes the subrequest */

        (*u->cleanup)(sr);
    }
}


/*
 * A body of more than 64 pieces is written in several calls, and the end of
 * the last one would wait until the model server has acknowledged the first
 * (Nagle's algorithm), which takes it 40 ms
 */

void
ngx_http_ors_call_push(ngx_http_ors_call_t *call)
{
    ngx_connection_t          *c;
    ngx_http_request_t        *sr;
    ngx_http_core_loc_conf_t  *clcf;

    sr = call->request;

    if (call->done || sr->upstream == NULL) {
        return;
    }

    c = sr->upstream->peer.connection;

    if (c == NULL || c->tcp_nodelay != NGX_TCP_NODELAY_UNSET) {
        return;
    }

    clcf = ngx_http_get_module_loc_conf(sr, ngx_http_core_module);

    if (clcf->tcp_nodelay) {
        (void) ngx_tcp_nodelay(c);
    }
}


void
ngx_http_ors_call_resume(ngx_http_ors_call_t *call)
{
    if (call->in && !call->done) {
        ngx_http_ors_post(call->request, &call->posted);
    }
}


void
ngx_http_ors_call_wake(ngx_http_ors_call_t *call)
{
    if (!call->done && call->request->upstream == NULL) {
        ngx_http_ors_post(call->request, &call->posted);
    }
}
