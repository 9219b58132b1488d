
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * A request and a connection without a client, made from those of a client's
 * request.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>
#include <ngx_ors_compat.h>


#define NGX_HTTP_ORS_DETACH_POOL  1024


static ngx_connection_t *ngx_http_ors_detach_connection(
    ngx_http_request_t *r);
static ngx_int_t ngx_http_ors_detach_fill(ngx_connection_t *c,
    ngx_connection_t *from);
static ngx_http_request_t *ngx_http_ors_detach_request(ngx_connection_t *c,
    ngx_http_request_t *from);
static ngx_int_t ngx_http_ors_detach_bare(ngx_http_request_t *r);
static ngx_int_t ngx_http_ors_detach_line(ngx_http_request_t *r,
    ngx_http_request_t *from);
static ngx_int_t ngx_http_ors_detach_headers(ngx_http_request_t *r,
    ngx_http_request_t *from);
static ngx_int_t ngx_http_ors_detach_variables(ngx_http_request_t *r,
    ngx_http_request_t *from);
static ngx_int_t ngx_http_ors_detach_str(ngx_pool_t *pool, ngx_str_t *dst,
    ngx_str_t *src);
static void ngx_http_ors_detach_handler(ngx_event_t *ev);


ngx_http_request_t *
ngx_http_ors_detach(ngx_http_request_t *from, ngx_str_t *body)
{
    ngx_buf_t                *b;
    ngx_chain_t              *cl;
    ngx_connection_t         *c;
    ngx_http_request_t       *r;
    ngx_http_request_body_t  *rb;

    c = ngx_http_ors_detach_connection(from);
    if (c == NULL) {
        return NULL;
    }

    r = ngx_http_ors_detach_request(c, from);
    if (r == NULL) {
        ngx_http_close_connection(c);
        return NULL;
    }

    if (body == NULL) {

        if (ngx_http_ors_detach_bare(r) != NGX_OK) {
            goto failed;
        }

        return r;
    }

    rb = ngx_pcalloc(r->pool, sizeof(ngx_http_request_body_t));
    b = ngx_create_temp_buf(r->pool, body->len + 1);
    cl = ngx_alloc_chain_link(r->pool);

    if (rb == NULL || b == NULL || cl == NULL
        || ngx_http_ors_detach_line(r, from) != NGX_OK
        || ngx_http_ors_detach_headers(r, from) != NGX_OK
        || ngx_http_ors_detach_variables(r, from) != NGX_OK)
    {
        goto failed;
    }

    b->last = ngx_cpymem(b->pos, body->data, body->len);

    cl->buf = b;
    cl->next = NULL;

    rb->bufs = cl;

    r->request_body = rb;
    r->headers_in.content_length_n = body->len;

    return r;

failed:

    r->logged = 1;

    ngx_http_free_request(r, 0);
    ngx_http_close_connection(c);

    return NULL;
}


/*
 * A socket that no peer can send to and that is never read: all that nginx
 * does with a connection can be done with it, and nothing ever happens
 */

static ngx_connection_t *
ngx_http_ors_detach_connection(ngx_http_request_t *r)
{
    ngx_log_t         *log;
    ngx_socket_t       s;
    ngx_connection_t  *c;

    log = r->connection->log;

    s = ngx_socket(AF_UNIX, SOCK_DGRAM, 0);

    if (s == (ngx_socket_t) -1) {
        ngx_log_error(NGX_LOG_CRIT, log, ngx_socket_errno,
                      ngx_socket_n " failed");
        return NULL;
    }

    if (ngx_nonblocking(s) == -1) {
        ngx_log_error(NGX_LOG_CRIT, log, ngx_socket_errno,
                      ngx_nonblocking_n " failed");
        goto failed;
    }

    c = ngx_get_connection(s, log);
    if (c == NULL) {
        goto failed;
    }

    c->pool = ngx_create_pool(NGX_HTTP_ORS_DETACH_POOL, ngx_cycle->log);

    if (c->pool && ngx_http_ors_detach_fill(c, r->connection) == NGX_OK) {

#if (NGX_STAT_STUB)
        (void) ngx_atomic_fetch_add(ngx_stat_active, 1);
#endif

        return c;
    }

    if (c->pool) {
        ngx_destroy_pool(c->pool);
    }

    ngx_close_connection(c);

    return NULL;

failed:

    if (ngx_close_socket(s) == -1) {
        ngx_log_error(NGX_LOG_ALERT, log, ngx_socket_errno,
                      ngx_close_socket_n " failed");
    }

    return NULL;
}


/* with the client's addresses, for variables and logs */

static ngx_int_t
ngx_http_ors_detach_fill(ngx_connection_t *c, ngx_connection_t *from)
{
    ngx_log_t           *log;
    ngx_http_log_ctx_t  *ctx;

    /* if it is not known yet, it must not be asked of our socket */

    if (ngx_connection_local_sockaddr(from, NULL, 0) != NGX_OK) {
        return NGX_ERROR;
    }

    log = ngx_palloc(c->pool, sizeof(ngx_log_t));
    ctx = ngx_pcalloc(c->pool, sizeof(ngx_http_log_ctx_t));
    c->sockaddr = ngx_palloc(c->pool, from->socklen);
    c->local_sockaddr = ngx_palloc(c->pool, from->local_socklen);

    if (log == NULL || ctx == NULL
        || c->sockaddr == NULL || c->local_sockaddr == NULL
        || ngx_http_ors_detach_str(c->pool, &c->addr_text, &from->addr_text)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_memcpy(c->sockaddr, from->sockaddr, from->socklen);
    ngx_memcpy(c->local_sockaddr, from->local_sockaddr, from->local_socklen);

    c->type = from->type;
    c->listening = from->listening;
    c->socklen = from->socklen;
    c->local_socklen = from->local_socklen;

    c->number = ngx_atomic_fetch_add(ngx_connection_counter, 1);
    c->start_time = ngx_current_msec;

    *log = *from->log;

    ctx->connection = c;

    log->connection = c->number;
    log->data = ctx;
    log->action = "running a response in the background";

    c->log = log;
    c->pool->log = log;
    c->read->log = log;
    c->write->log = log;
    c->log_error = from->log_error;

    c->recv = ngx_recv;
    c->send = ngx_send;
    c->recv_chain = ngx_recv_chain;
    c->send_chain = ngx_send_chain;

    c->read->handler = ngx_http_ors_detach_handler;
    c->write->handler = ngx_http_ors_detach_handler;
    c->write->ready = 1;

    /* options of TCP cannot be set */

    c->tcp_nodelay = NGX_TCP_NODELAY_DISABLED;
    c->tcp_nopush = NGX_TCP_NOPUSH_DISABLED;

    return NGX_OK;
}


/* as nginx makes one for a connection, in the location of "from" */

static ngx_http_request_t *
ngx_http_ors_detach_request(ngx_connection_t *c, ngx_http_request_t *from)
{
    ngx_log_t               log;
    ngx_http_request_t     *r;
    ngx_http_connection_t  *hc;

    hc = ngx_palloc(c->pool, sizeof(ngx_http_connection_t));
    c->buffer = ngx_calloc_buf(c->pool);

    if (hc == NULL || c->buffer == NULL) {
        return NULL;
    }

    *hc = *from->http_connection;

    hc->busy = NULL;
    hc->nbusy = 0;
    hc->free = NULL;

    c->data = hc;
    log = *c->log;

    r = ngx_http_create_request(c);
    if (r == NULL) {
        return NULL;
    }

    c->data = r;

    /* the log is that of the location, and no client is counted */

    *c->log = log;
    c->requests = from->connection->requests;

#if (NGX_STAT_STUB)
    (void) ngx_atomic_fetch_add(ngx_stat_reading, -1);
    r->stat_reading = 0;
    (void) ngx_atomic_fetch_add(ngx_stat_requests, -1);
#endif

    r->main_conf = from->main_conf;
    r->srv_conf = from->srv_conf;
    r->loc_conf = from->loc_conf;

    r->write_event_handler = ngx_http_request_empty_handler;

    r->http_state = NGX_HTTP_PROCESS_REQUEST_STATE;
    r->log_handler = from->log_handler;

    /* state that nginx sets up before a content handler */

    r->valid_location = from->valid_location;

    return r;
}


/* subrequests look at these, though nobody has asked for anything */

static ngx_int_t
ngx_http_ors_detach_bare(ngx_http_request_t *r)
{
    r->logged = 1;

    r->method = NGX_HTTP_GET;
    r->method_name = ngx_http_core_get_method;
    r->http_version = NGX_HTTP_VERSION_11;
    r->headers_in.content_length_n = -1;

    ngx_str_set(&r->http_protocol, "HTTP/1.1");
    ngx_str_set(&r->uri, "/");
    r->unparsed_uri = r->uri;

    return ngx_list_init(&r->headers_in.headers, r->pool, 1,
                         sizeof(ngx_table_elt_t));
}


static ngx_int_t
ngx_http_ors_detach_line(ngx_http_request_t *r, ngx_http_request_t *from)
{
    ngx_str_t   *dst, *src;
    ngx_uint_t   i;

    static size_t  fields[] = {
        offsetof(ngx_http_request_t, request_line),
        offsetof(ngx_http_request_t, method_name),
        offsetof(ngx_http_request_t, uri),
        offsetof(ngx_http_request_t, args),
        offsetof(ngx_http_request_t, unparsed_uri),
        offsetof(ngx_http_request_t, http_protocol),
        offsetof(ngx_http_request_t, schema),
        offsetof(ngx_http_request_t, headers_in.server)
    };

    r->method = from->method;
    r->http_version = from->http_version;

    for (i = 0; i < sizeof(fields) / sizeof(size_t); i++) {
        dst = (ngx_str_t *) ((u_char *) r + fields[i]);
        src = (ngx_str_t *) ((u_char *) from + fields[i]);

        if (ngx_http_ors_detach_str(r->pool, dst, src) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    ngx_http_set_exten(r);

    return NGX_OK;
}


/* nginx's own handlers find their place in r->headers_in */

static ngx_int_t
ngx_http_ors_detach_headers(ngx_http_request_t *r, ngx_http_request_t *from)
{
    ngx_str_t                   lowcase;
    ngx_table_elt_t            *h, *header;
    ngx_http_header_t          *hh;
    ngx_ors_header_at_t         at;
    ngx_http_core_main_conf_t  *cmcf;

    cmcf = ngx_http_get_module_main_conf(r, ngx_http_core_module);

    if (ngx_list_init(&r->headers_in.headers, r->pool,
                      from->headers_in.headers.part.nelts + 1,
                      sizeof(ngx_table_elt_t))
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_ors_header_each(header, &from->headers_in.headers, &at) {
        h = ngx_list_push(&r->headers_in.headers);
        if (h == NULL) {
            return NGX_ERROR;
        }

        h->hash = header->hash;
        ngx_ors_set_next_header(h);

        lowcase.len = header->key.len;
        lowcase.data = header->lowcase_key;

        if (ngx_http_ors_detach_str(r->pool, &lowcase, &lowcase) != NGX_OK
            || ngx_http_ors_detach_str(r->pool, &h->key, &header->key)
               != NGX_OK
            || ngx_http_ors_detach_str(r->pool, &h->value, &header->value)
               != NGX_OK)
        {
            return NGX_ERROR;
        }

        h->lowcase_key = lowcase.data;

        hh = ngx_hash_find(&cmcf->headers_in_hash, h->hash, h->lowcase_key,
                           h->key.len);

        /* the server is known already: "Host" is not asked for it */

        if (hh == NULL || (h->key.len == 4 && r->headers_in.server.len == 0
                           && ngx_strncmp(h->lowcase_key, "host", 4) == 0))
        {
            continue;
        }

        if (hh->handler(r, h, hh->offset) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/*
 * Variables set on the way here, by "set", "auth_request_set", "map" and
 * so on, and what only the client's connection or request can tell
 */

static ngx_int_t
ngx_http_ors_detach_variables(ngx_http_request_t *r, ngx_http_request_t *from)
{
    ngx_str_t                   value;
    ngx_uint_t                  i, n;
    ngx_http_variable_t        *v;
    ngx_http_core_main_conf_t  *cmcf;
    ngx_http_variable_value_t  *vv;

    static ngx_str_t  bound[] = {
        ngx_string("ssl_"),
        ngx_string("proxy_protocol_"),
        ngx_string("https"),
        ngx_string("scheme"),
        ngx_string("connection"),
        ngx_string("request_id"),
        ngx_string("request_port"),
        ngx_string("is_request_port"),
        ngx_string("realip_remote_")
    };

    cmcf = ngx_http_get_module_main_conf(r, ngx_http_core_module);
    v = cmcf->variables.elts;

    for (i = 0; i < cmcf->variables.nelts; i++) {

        for (n = 0; n < sizeof(bound) / sizeof(ngx_str_t); n++) {

            if (v[i].name.len >= bound[n].len
                && ngx_strncmp(v[i].name.data, bound[n].data, bound[n].len)
                   == 0)
            {
                (void) ngx_http_get_indexed_variable(from, i);
                break;
            }
        }

        vv = &from->variables[i];

        if (!vv->valid && !vv->not_found) {
            continue;
        }

        r->variables[i] = *vv;

        if (!vv->valid) {
            continue;
        }

        value.data = vv->data;
        value.len = vv->len;

        if (ngx_http_ors_detach_str(r->pool, &value, &value) != NGX_OK) {
            return NGX_ERROR;
        }

        r->variables[i].data = value.data;
    }

    return NGX_OK;
}


/* with a zero after it, as nginx has it in headers */

static ngx_int_t
ngx_http_ors_detach_str(ngx_pool_t *pool, ngx_str_t *dst, ngx_str_t *src)
{
    u_char  *p;

    p = ngx_pnalloc(pool, src->len + 1);
    if (p == NULL) {
        return NGX_ERROR;
    }

    /* an empty string may have no data */

    if (src->len) {
        ngx_memcpy(p, src->data, src->len);
    }

    p[src->len] = '\0';

    dst->len = src->len;
    dst->data = p;

    return NGX_OK;
}


/* timers of a subrequest may be those of the connection */

static void
ngx_http_ors_detach_handler(ngx_event_t *ev)
{
    ngx_connection_t    *c;
    ngx_http_request_t  *r;

    c = ev->data;
    r = c->data;

    ngx_http_set_log_request(c->log, r);

    if (c->close) {

        /* the worker does not wait any longer */

        ngx_http_ors_detach_end(r);

    } else {

        if (ev->delayed && ev->timedout) {
            ev->delayed = 0;
            ev->timedout = 0;
        }

        if (ev->write) {
            r->write_event_handler(r);

        } else {
            r->read_event_handler(r);
        }
    }

    ngx_http_run_posted_requests(c);
}


void
ngx_http_ors_detach_end(ngx_http_request_t *r)
{
    if (r->post_action) {

        /* its memory is about to be freed */

        return;
    }

    /* a post action is for the client's request, and would keep this one */

    r->post_action = 1;
    r->uri_changes = 0;

    /*
     * Subrequests are ended with it, and nothing lingers, as for a client
     * that has gone away
     */

    r->connection->error = 1;

    ngx_http_finalize_request(r, NGX_OK);
}


void
ngx_http_ors_detach_connections(ngx_ors_background_load_t *load)
{
    load->connections = ngx_cycle->connection_n;

    /* nginx closes connections that only wait for another request */

    load->free = ngx_cycle->free_connection_n
                 + ngx_cycle->reusable_connections_n;
}
