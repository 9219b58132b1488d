
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The way of a background response from its client's request into a detached
 * one.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_background.h>
#include <ngx_http_ors_detach.h>


static ngx_int_t ngx_http_ors_background_start(ngx_http_ors_ctx_t *ctx);
static ngx_int_t ngx_http_ors_background_move(ngx_http_ors_ctx_t *ctx,
    ngx_http_ors_ctx_t *client);
static ngx_int_t ngx_http_ors_background_answer(ngx_ors_turn_t *turn,
    ngx_str_t *response);
static void ngx_http_ors_background_error(ngx_http_ors_ctx_t *client,
    ngx_ors_error_t *err);
static void ngx_http_ors_background_retry(ngx_http_ors_ctx_t *client,
    ngx_str_t *after);


ngx_int_t
ngx_http_ors_background_early(ngx_http_ors_ctx_t *ctx)
{
    ngx_int_t                 rc;
    ngx_http_ors_loc_conf_t  *conf;

    conf = ctx->target->conf;

    if (ctx->session == NULL || conf == NULL
        || !ngx_ors_session_asked(ctx->session))
    {
        return NGX_OK;
    }

    rc = ngx_http_ors_session_settle(ctx, conf);

    return (rc == NGX_OK) ? ngx_http_ors_background_begin(ctx) : rc;
}


ngx_int_t
ngx_http_ors_background_begin(ngx_http_ors_ctx_t *ctx)
{
    ngx_int_t  rc;

    if (ctx->background && !ctx->detached) {
        return NGX_AGAIN;
    }

    if (ctx->session == NULL) {
        return NGX_OK;
    }

    rc = ngx_ors_session_background(ctx->session);

    if (rc == NGX_DECLINED || (rc == NGX_OK && ctx->detached)) {
        return NGX_OK;
    }

    if (rc == NGX_OK) {
        rc = ngx_http_ors_background_limit(ctx);
    }

    return (rc == NGX_OK) ? ngx_http_ors_background_start(ctx) : rc;
}


/*
 * The turn goes on in a request of its own, that of the client waits for what
 * comes of it: an error, or a first record
 */

static ngx_int_t
ngx_http_ors_background_start(ngx_http_ors_ctx_t *client)
{
    ngx_http_request_t         *r;
    ngx_http_cleanup_t         *cln;
    ngx_http_ors_ctx_t         *ctx;
    ngx_http_ors_background_t  *bg;

    r = ngx_http_ors_detach(client->request, &client->turn->request.body);
    if (r == NULL) {
        return NGX_ERROR;
    }

    ctx = ngx_http_ors_ctx_create(r);
    bg = ngx_pcalloc(r->pool, sizeof(ngx_http_ors_background_t));

    if (ctx == NULL || bg == NULL) {
        goto failed;
    }

    /*
     * set by ngx_pcalloc():
     *
     *     bg->life.state = ngx_ors_background_st_queued;
     */

    bg->ctx = ctx;
    bg->client = client;
    bg->omcf = ngx_http_get_module_main_conf(r,
                                             ngx_http_open_responses_module);
    ngx_http_ors_event_init(&bg->timer, ngx_http_ors_background_timer, bg, r);

    ctx->conf = client->conf;
    ctx->endpoint = client->endpoint;
    ctx->target = client->target;
    ctx->background = bg;
    ctx->detached = 1;

    /* its variables may belong to the client's connection */

    ngx_memcpy(ctx->scope, client->scope, NGX_ORS_DIGEST_LEN);
    ctx->scoped = client->scoped;

    cln = ngx_http_cleanup_add(r, 0);
    if (cln == NULL) {
        goto failed;
    }

    if (ngx_http_ors_background_move(ctx, client) != NGX_OK) {
        goto failed;
    }

    ngx_ors_background_init(&bg->life, ctx->session,
                            ctx->conf->background.timeout);

    cln->handler = ngx_http_ors_background_cleanup;
    cln->data = bg;

    client->background = bg;

    ngx_queue_insert_tail(&bg->omcf->background, &bg->queue);
    bg->omcf->nbackground++;

    ngx_http_ors_metrics_open(ctx, ngx_ors_metrics_background);

    ngx_post_event(&bg->timer, &ngx_posted_events);

    return NGX_AGAIN;

failed:

    r->logged = 1;

    ngx_http_ors_detach_end(r);
    ngx_http_run_posted_requests(r->connection);

    return NGX_ERROR;
}


/* takes over the checked request */

static ngx_int_t
ngx_http_ors_background_move(ngx_http_ors_ctx_t *ctx,
    ngx_http_ors_ctx_t *client)
{
    ngx_str_t            body;
    ngx_ors_turn_t      *turn;
    ngx_http_request_t  *r;

    r = ctx->request;

    if (ngx_http_ors_body(r, &body) != NGX_OK) {
        return NGX_ERROR;
    }

    turn = ngx_ors_turn_detach(client->turn, &body, r->pool,
                               r->connection->log);
    if (turn == NULL) {
        return NGX_ERROR;
    }

    ctx->turn = turn;
    turn->prompt = client->turn->prompt;

    if (ngx_http_ors_scope_sealer(ctx, &turn->sealer) != NGX_OK
        || ngx_http_ors_session_detach(ctx, client->session) != NGX_OK
        || ngx_http_ors_turn_init(ctx) != NGX_OK)
    {
        return NGX_ERROR;
    }

    r->write_event_handler = ngx_http_ors_turn_write_handler;

    return NGX_OK;
}


void
ngx_http_ors_background_tell(ngx_http_ors_background_t *bg)
{
    ngx_str_t           *response;
    ngx_connection_t    *c;
    ngx_http_ors_ctx_t  *client;

    client = bg->client;
    response = &bg->life.response;

    if (client == NULL) {
        return;
    }

    bg->client = NULL;
    client->background = NULL;

    c = client->request->connection;

    ngx_http_set_log_request(c->log, client->request);

    if (response->len == 0) {
        ngx_http_ors_background_error(client, &bg->ctx->turn->error);
        ngx_http_ors_background_retry(client, &bg->ctx->retry_after);

    } else if (ngx_http_ors_background_answer(client->turn, response)
               != NGX_OK)
    {
        ngx_http_ors_background_error(client, NULL);
    }

    /* a subrequest that has found out about it ends first */

    if (client->call) {
        ngx_http_ors_post(client->call->request, &client->call->posted);

    } else {
        ngx_http_ors_post(client->request, &client->posted);
    }

    ngx_http_run_posted_requests(c);
}


/* for this client the turn is over, though it goes on elsewhere */

static ngx_int_t
ngx_http_ors_background_answer(ngx_ors_turn_t *turn, ngx_str_t *response)
{
    u_char  *p;

    p = ngx_pstrdup(turn->pool, response);
    if (p == NULL) {
        return NGX_ERROR;
    }

    ngx_ors_out_ref(&turn->out, p, response->len);

    turn->state = ngx_ors_turn_st_over;
    turn->status = NGX_HTTP_OK;
    ngx_str_set(&turn->type, "application/json");

    return NGX_OK;
}


/* "after" is of another pool; without memory "Retry-After" is left out */

static void
ngx_http_ors_background_retry(ngx_http_ors_ctx_t *client, ngx_str_t *after)
{
    ngx_str_null(&client->retry_after);

    if (after->len == 0) {
        return;
    }

    client->retry_after.data = ngx_pstrdup(client->turn->pool, after);

    if (client->retry_after.data) {
        client->retry_after.len = after->len;
    }
}


/* "err" is of another pool; NULL: there was no memory for it */

static void
ngx_http_ors_background_error(ngx_http_ors_ctx_t *client,
    ngx_ors_error_t *err)
{
    ngx_ors_turn_t  *turn;

    turn = client->turn;

    if (err == NULL
        || ngx_ors_error_copy(&turn->error, err, turn->pool) != NGX_OK)
    {
        (void) ngx_ors_error_set(&turn->error, turn->pool,
                                 ngx_ors_code_server_error, "out of memory");
    }

    turn->retries_left = 0;

    (void) ngx_ors_turn_fail(turn);
}


void
ngx_http_ors_background_leave(ngx_http_ors_ctx_t *client)
{
    ngx_connection_t           *c;
    ngx_http_ors_background_t  *bg;

    bg = client->background;

    if (bg == NULL || client->detached) {
        return;
    }

    client->background = NULL;
    client->counted = 1;
    bg->client = NULL;

    c = bg->ctx->request->connection;

    ngx_http_ors_background_step(bg, ngx_ors_background_ev_leave);

    ngx_http_run_posted_requests(c);
}
