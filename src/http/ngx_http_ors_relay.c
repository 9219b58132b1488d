
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The validator's part in a WebSocket that nginx passes through: nginx hands
 * on bytes by c->send of either connection, and these are replaced.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>
#include <ngx_ors_relay.h>
#include <ngx_ors_request_ignored.h>


/* one of the two connections */

typedef struct {
    ngx_connection_t       *connection;
    ngx_send_pt             send;        /* nginx's */
    ngx_ors_out_t          *out;         /* what goes to it */
    ngx_chain_t            *busy;        /* taken of "out", not sent yet */
    size_t                  size;        /* bytes of "busy" */
    unsigned                eaten:1;     /* the first byte was read already */
} ngx_http_ors_relay_end_t;


struct ngx_http_ors_relay_s {
    ngx_ors_relay_t             relay;
    ngx_http_ors_validator_t   *validator;
    ngx_http_ors_relay_end_t    client;
    ngx_http_ors_relay_end_t    upstream;
    ngx_recv_pt                 recv;    /* nginx's, of the upstream */
    ngx_event_handler_pt        write;   /* nginx's, of the client */
    unsigned                    stalled:1;  /* the client must read first */
    unsigned                    done:1;  /* nginx's handlers are back */
};


static ngx_http_ors_relay_t *ngx_http_ors_relay_create(
    ngx_http_ors_validator_t *vr);
static void ngx_http_ors_relay_hook(ngx_http_ors_relay_t *relay);
static void ngx_http_ors_relay_cleanup(void *data);
static void ngx_http_ors_relay_end(ngx_http_ors_relay_end_t *end,
    ngx_connection_t *c, ngx_ors_out_t *out);
static ngx_http_ors_relay_t *ngx_http_ors_relay_of(ngx_connection_t *c);
static ssize_t ngx_http_ors_relay_send(ngx_connection_t *c, u_char *data,
    size_t size);
static ssize_t ngx_http_ors_relay_recv(ngx_connection_t *c, u_char *data,
    size_t size);
static ngx_int_t ngx_http_ors_relay_read(ngx_http_ors_relay_t *relay,
    ngx_http_ors_relay_end_t *to, u_char *data, size_t size);
static void ngx_http_ors_relay_write_handler(ngx_event_t *ev);
static ngx_int_t ngx_http_ors_relay_flush(ngx_http_ors_relay_end_t *end);
static ngx_uint_t ngx_http_ors_relay_full(ngx_http_ors_relay_t *relay);
static void ngx_http_ors_relay_request(void *data, ngx_ors_request_t *req,
    ngx_ors_error_t *err);
static void ngx_http_ors_relay_answer(void *data, ngx_ors_verify_t *verify);


static const ngx_ors_relay_handler_t  ngx_http_ors_relay_handler = {
    ngx_http_ors_relay_request,
    ngx_http_ors_relay_answer
};


ngx_int_t
ngx_http_ors_relay_begin(ngx_http_ors_validator_t *vr)
{
    ngx_http_request_t    *r;
    ngx_http_cleanup_t    *cln;
    ngx_http_ors_relay_t  *relay;

    r = vr->request;

    /* nginx passes on nothing if the upstream was not asked to upgrade */

    if (vr->relay || r->upstream == NULL || !r->upstream->upgrade
        || r->upstream->peer.connection == NULL)
    {
        return NGX_OK;
    }

    relay = ngx_http_ors_relay_create(vr);
    cln = ngx_http_cleanup_add(r, 0);

    if (relay == NULL || cln == NULL) {
        return NGX_ERROR;
    }

    cln->handler = ngx_http_ors_relay_cleanup;
    cln->data = relay;

    vr->relay = relay;

    ngx_http_ors_relay_hook(relay);

    ngx_log_debug0(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "ors relay: opened");

    ngx_ors_stats_count(ngx_http_ors_stats(r), ngx_ors_stats_ws_connection);
    ngx_http_ors_metrics_websocket(r, 1);

    return NGX_OK;
}


static ngx_http_ors_relay_t *
ngx_http_ors_relay_create(ngx_http_ors_validator_t *vr)
{
    ngx_ors_relay_t           *machine;
    ngx_http_ors_relay_t      *relay;
    ngx_http_ors_loc_conf_t   *olcf;
    ngx_http_core_loc_conf_t  *clcf;

    olcf = vr->conf;
    clcf = ngx_http_get_module_loc_conf(vr->request, ngx_http_core_module);

    relay = ngx_pcalloc(vr->request->pool, sizeof(ngx_http_ors_relay_t));
    if (relay == NULL) {
        return NULL;
    }

    relay->validator = vr;
    machine = &relay->relay;

    machine->endpoint = vr->endpoint;
    machine->policy = &olcf->policy;
    machine->limits = &olcf->limits;
    machine->model = &olcf->model;
    machine->handler = &ngx_http_ors_relay_handler;
    machine->data = relay;
    machine->pool = vr->request->pool;
    machine->queue = olcf->ws.queue;
    machine->message = olcf->ws.message
                       ? olcf->ws.message
                       : (size_t) clcf->client_max_body_size;
    machine->requests = ((olcf->validate & NGX_HTTP_ORS_VALIDATE_REQUEST)
                         != 0);
    machine->answers = ((olcf->validate & NGX_HTTP_ORS_VALIDATE_RESPONSE)
                        != 0);
    machine->report = olcf->report;
    machine->named = olcf->ws.lanes;

    return (ngx_ors_relay_init(machine) == NGX_OK) ? relay : NULL;
}


static void
ngx_http_ors_relay_hook(ngx_http_ors_relay_t *relay)
{
    ngx_connection_t    *c, *pc;
    ngx_http_request_t  *r;

    r = relay->validator->request;
    c = r->connection;
    pc = r->upstream->peer.connection;

    ngx_http_ors_relay_end(&relay->client, c, &relay->relay.down);
    ngx_http_ors_relay_end(&relay->upstream, pc, &relay->relay.up);

    relay->recv = pc->recv;
    pc->recv = ngx_http_ors_relay_recv;

    relay->write = c->write->handler;
    c->write->handler = ngx_http_ors_relay_write_handler;
}


static void
ngx_http_ors_relay_end(ngx_http_ors_relay_end_t *end, ngx_connection_t *c,
    ngx_ors_out_t *out)
{
    end->connection = c;
    end->out = out;
    end->send = c->send;

    c->send = ngx_http_ors_relay_send;
}


/* the upstream's connection may be closed by now */

static void
ngx_http_ors_relay_cleanup(void *data)
{
    ngx_http_ors_relay_t *relay = data;

    ngx_connection_t  *c;

    if (relay->done) {
        return;
    }

    relay->done = 1;

    ngx_http_ors_metrics_websocket(relay->validator->request, -1);

    c = relay->client.connection;

    c->send = relay->client.send;
    c->write->handler = relay->write;
}


static ngx_http_ors_relay_t *
ngx_http_ors_relay_of(ngx_connection_t *c)
{
    return ngx_http_ors_validator_find(c->data)->relay;
}


/*
 * Bytes for one end: they are read here, and what comes of them is sent.  The
 * last byte stays with nginx while something waits, so that nginx waits, too:
 * for the connection to become writable, and with the end of the request.
 */

static ssize_t
ngx_http_ors_relay_send(ngx_connection_t *c, u_char *data, size_t size)
{
    ngx_int_t                  rc;
    ngx_http_ors_relay_t      *relay;
    ngx_http_ors_relay_end_t  *to;

    relay = ngx_http_ors_relay_of(c);
    to = (c == relay->client.connection) ? &relay->client : &relay->upstream;

    if (to == &relay->upstream && ngx_http_ors_relay_full(relay)) {

        /* a client that does not read the errors it gets */

        relay->stalled = 1;
        return NGX_AGAIN;
    }

    rc = ngx_http_ors_relay_read(relay, to, data, size);

    if (rc == NGX_ERROR
        || ngx_http_ors_relay_flush(&relay->client) != NGX_OK
        || ngx_http_ors_relay_flush(&relay->upstream) != NGX_OK
        || rc == NGX_DONE)
    {
        return NGX_ERROR;
    }

    if (to->busy == NULL) {
        return size;
    }

    to->eaten = 1;

    return (size > 1) ? (ssize_t) size - 1 : NGX_AGAIN;
}


static ngx_int_t
ngx_http_ors_relay_read(ngx_http_ors_relay_t *relay,
    ngx_http_ors_relay_end_t *to, u_char *data, size_t size)
{
    ngx_buf_t  b;

    ngx_memzero(&b, sizeof(ngx_buf_t));

    b.pos = data + to->eaten;
    b.last = data + size;

    to->eaten = 0;

    if (b.pos == b.last) {
        return NGX_OK;
    }

    return (to == &relay->client) ? ngx_ors_relay_server(&relay->relay, &b)
                                  : ngx_ors_relay_client(&relay->relay, &b);
}


/* a turn that the upstream leaves has an end for the client */

static ssize_t
ngx_http_ors_relay_recv(ngx_connection_t *c, u_char *data, size_t size)
{
    ssize_t                n;
    ngx_http_ors_relay_t  *relay;

    relay = ngx_http_ors_relay_of(c);

    n = relay->recv(c, data, size);

    if ((n == 0 || n == NGX_ERROR)
        && (ngx_ors_relay_cut(&relay->relay) != NGX_OK
            || ngx_http_ors_relay_flush(&relay->client) != NGX_OK))
    {
        return NGX_ERROR;
    }

    return n;
}


/* errors may wait for the client while nginx has nothing for it */

static void
ngx_http_ors_relay_write_handler(ngx_event_t *ev)
{
    ngx_connection_t      *c, *pc;
    ngx_http_ors_relay_t  *relay;

    c = ev->data;
    relay = ngx_http_ors_relay_of(c);
    pc = relay->validator->request->upstream->peer.connection;

    if (!ev->timedout && ngx_http_ors_relay_flush(&relay->client) == NGX_OK
        && relay->stalled && pc && !ngx_http_ors_relay_full(relay))
    {
        relay->stalled = 0;
        ngx_post_event(pc->write, &ngx_posted_events);
    }

    relay->write(ev);
}


/* NGX_OK: sent, or as much as the connection takes; NGX_ERROR */

static ngx_int_t
ngx_http_ors_relay_flush(ngx_http_ors_relay_end_t *end)
{
    ssize_t       n;
    ngx_buf_t    *b;
    ngx_chain_t  *cl, **ll;

    for (ll = &end->busy; *ll; ll = &(*ll)->next) { /* void */ }

    end->size += end->out->size;

    if (ngx_ors_out_take(end->out, ll) != NGX_OK) {
        return NGX_ERROR;
    }

    for (cl = end->busy; cl; cl = cl->next) {
        b = cl->buf;

        while (b->pos < b->last) {

            n = end->connection->write->ready
                ? end->send(end->connection, b->pos, b->last - b->pos)
                : NGX_AGAIN;

            if (n == NGX_ERROR) {
                return NGX_ERROR;
            }

            if (n == NGX_AGAIN) {
                goto done;
            }

            b->pos += n;
            end->size -= n;
        }
    }

done:

    ngx_ors_out_recycle(end->out, &end->busy);

    return NGX_OK;
}


static ngx_uint_t
ngx_http_ors_relay_full(ngx_http_ors_relay_t *relay)
{
    return relay->client.size > relay->validator->conf->limits.queue;
}


static void
ngx_http_ors_relay_request(void *data, ngx_ors_request_t *req,
    ngx_ors_error_t *err)
{
    ngx_http_ors_relay_t *relay = data;

    ngx_uint_t            edited;
    ngx_ors_stats_t      *stats;
    ngx_http_request_t   *r;

    r = relay->validator->request;
    stats = ngx_http_ors_stats(r);
    edited = (req && req->edits.n != 0);

    ngx_ors_stats_request(stats, err, edited, relay->relay.report);

    if (err->status) {
        ngx_http_ors_stats_tell(r, req ? req : &relay->validator->body, err,
                                relay->relay.report);
        return;
    }

    ngx_ors_stats_count(stats, ngx_ors_stats_ws_turn);

    if (edited && !relay->relay.report
        && ngx_ors_request_ignore(req, 0) == NGX_OK)
    {
        ngx_http_ors_stats_ignored(r, req);
    }
}


static void
ngx_http_ors_relay_answer(void *data, ngx_ors_verify_t *verify)
{
    ngx_http_ors_relay_t *relay = data;

    ngx_ors_stats_answer_t  end;

    end.upstream = (!verify->refused && verify->error.status);
    end.stream = 1;
    end.repaired = (verify->repaired != 0 && !relay->relay.report);
    end.report = relay->relay.report;
    end.error = &verify->error;

    ngx_ors_stats_answer(ngx_http_ors_stats(relay->validator->request), &end);
}
