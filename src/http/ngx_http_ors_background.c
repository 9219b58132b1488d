
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * A background response: its way from its client's request into a detached one,
 * and its life there, by the actions of ngx_ors_background_step().
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_background.h>
#include <ngx_http_ors_tools.h>


static void ngx_http_ors_background_timer(ngx_event_t *ev);
static ngx_uint_t ngx_http_ors_background_step(ngx_http_ors_background_t *bg,
    ngx_ors_background_event_e event);
static void ngx_http_ors_background_do(ngx_http_ors_background_t *bg,
    ngx_uint_t todo);
static void ngx_http_ors_background_done(ngx_ors_store_job_t *job);
static ngx_int_t ngx_http_ors_background_ahead(ngx_http_ors_call_t *call);
static void ngx_http_ors_background_cleanup(void *data);
static ngx_int_t ngx_http_ors_background_start(ngx_http_ors_ctx_t *ctx);
static ngx_int_t ngx_http_ors_background_move(ngx_http_ors_ctx_t *ctx,
    ngx_http_ors_ctx_t *client);
static void ngx_http_ors_background_tell(ngx_http_ors_background_t *bg);
static void ngx_http_ors_background_error(ngx_http_ors_ctx_t *client,
    ngx_http_ors_background_t *bg);
static ngx_int_t ngx_http_ors_background_limit(ngx_http_ors_ctx_t *ctx);


/* a tick: the handler of bg->timer */

static void
ngx_http_ors_background_timer(ngx_event_t *ev)
{
    ngx_connection_t           *c;
    ngx_http_ors_background_t  *bg;

    bg = ev->data;
    c = bg->ctx->request->connection;

    ngx_http_set_log_request(c->log, bg->ctx->request);

    ngx_http_ors_background_step(bg, ngx_ors_background_ev_tick);

    ngx_http_run_posted_requests(c);
}


/*
 * Takes a step, does what the machine says and returns it; "bg" may be gone
 * after that.
 */

static ngx_uint_t
ngx_http_ors_background_step(ngx_http_ors_background_t *bg,
    ngx_ors_background_event_e event)
{
    ngx_uint_t  todo;

    todo = ngx_ors_background_step(&bg->life, event);

    ngx_http_ors_background_do(bg, todo);

    return todo;
}


/* in the order of the bits; what is last may end the request */

static void
ngx_http_ors_background_do(ngx_http_ors_background_t *bg, ngx_uint_t todo)
{
    ngx_uint_t             status;
    ngx_http_ors_ctx_t    *ctx;
    ngx_ors_background_t  *life;

    ctx = bg->ctx;
    life = &bg->life;

    if (todo & NGX_ORS_BACKGROUND_CANCEL) {
        ngx_http_ors_tools_cancel(ctx);

        if (ctx->call) {
            ngx_http_ors_call_cancel(ctx->call);
        }
    }

    if (todo & NGX_ORS_BACKGROUND_POST) {
        ngx_http_ors_job_post(ctx->request, life->job,
                              ngx_http_ors_background_done, bg);
    }

    if (todo & NGX_ORS_BACKGROUND_SEND) {
        ngx_http_ors_job_post(ctx->request, life->unwatched, NULL, NULL);
        life->unwatched = NULL;
    }

    if (todo & NGX_ORS_BACKGROUND_ANSWER) {
        ngx_http_ors_background_tell(bg);
    }

    if (todo & NGX_ORS_BACKGROUND_WAIT) {
        ngx_add_timer(&bg->timer, NGX_ORS_BACKGROUND_TICK);
    }

    if ((todo & NGX_ORS_BACKGROUND_CALL) && ctx->call) {
        ngx_http_ors_post(ctx->call->request, &ctx->call->posted);
    }

    if (todo & NGX_ORS_BACKGROUND_BEGIN) {

        if (ngx_http_ors_call(ctx) == NGX_OK) {
            ctx->resume(ctx, NGX_OK);

        } else {
            ngx_http_ors_detach_end(ctx->request);
        }

    } else if (todo & NGX_ORS_BACKGROUND_ADVANCE) {
        ctx->resume(ctx, NGX_OK);

    } else if (todo & NGX_ORS_BACKGROUND_END) {
        status = ctx->turn->error.status;
        ctx->request->headers_out.status = status ? status : NGX_HTTP_OK;

        ngx_http_ors_detach_end(ctx->request);
    }
}


static void
ngx_http_ors_background_done(ngx_ors_store_job_t *job)
{
    ngx_connection_t           *c;
    ngx_http_ors_background_t  *bg;

    bg = job->data;
    c = ngx_http_ors_job_done(bg->ctx->request, job);

    ngx_http_ors_background_step(bg, ngx_ors_background_ev_done);

    ngx_ors_store_release(job);

    ngx_http_run_posted_requests(c);
}


ngx_int_t
ngx_http_ors_background_ready(ngx_http_ors_ctx_t *ctx)
{
    ngx_uint_t  todo;

    if (!ctx->detached) {
        return NGX_OK;
    }

    /* this is the call itself: it need not be posted to go on */

    todo = ngx_ors_background_step(&ctx->background->life,
                                   ngx_ors_background_ev_ready);

    if (todo & NGX_ORS_BACKGROUND_ERROR) {
        return NGX_ERROR;
    }

    if (todo & NGX_ORS_BACKGROUND_CALL) {
        return NGX_OK;
    }

    ngx_http_ors_background_do(ctx->background, todo);

    return NGX_AGAIN;
}


ngx_int_t
ngx_http_ors_background_final(ngx_http_ors_ctx_t *ctx)
{
    ngx_uint_t  todo;

    todo = ngx_http_ors_background_step(ctx->background,
                                        ngx_ors_background_ev_commit);

    return (todo & NGX_ORS_BACKGROUND_COMMIT) ? NGX_OK : NGX_AGAIN;
}


void
ngx_http_ors_background_run(ngx_http_ors_ctx_t *ctx)
{
    ngx_ors_turn_t  *turn;

    turn = ctx->turn;

    /* a detached request has no client for its output */

    if ((ctx->call && ngx_http_ors_background_ahead(ctx->call) != NGX_OK)
        || ngx_ors_out_drop(&turn->out) != NGX_OK)
    {
        ngx_http_ors_detach_end(ctx->request);
        return;
    }

    if (turn->state == ngx_ors_turn_st_over) {

        if (!ctx->background->life.waits) {
            ngx_http_ors_stats_turn(ctx);
        }

        ngx_http_ors_background_step(ctx->background,
                                     ngx_ors_background_ev_end);
        return;
    }

    if (ctx->call && ngx_http_ors_call_resume(ctx->call) != NGX_OK) {
        ngx_http_ors_detach_end(ctx->request);
    }
}


/* a limit of the target has put off the call: the client is answered first */

static ngx_int_t
ngx_http_ors_background_ahead(ngx_http_ors_call_t *call)
{
    if (!call->early || call->conf || ngx_http_ors_call_over(call)) {
        return NGX_OK;
    }

    return (call->kind->make(call) == NGX_ERROR) ? NGX_ERROR : NGX_OK;
}


/* the request has ended */

static void
ngx_http_ors_background_cleanup(void *data)
{
    ngx_http_ors_background_t  *bg = data;

    ngx_queue_remove(&bg->queue);
    bg->omcf->nbackground--;

    ngx_http_ors_event_stop(&bg->timer);

    ngx_http_ors_background_step(bg, ngx_ors_background_ev_close);
}


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

    rc = ctx->session ? ngx_ors_session_background(ctx->session) : NGX_DECLINED;

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

    ngx_ors_background_init(&bg->life, ctx->session, &ctx->conf->background);

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
    ngx_http_request_t  *r;

    r = ctx->request;

    if (ngx_http_ors_body(r, &body) != NGX_OK) {
        return NGX_ERROR;
    }

    ctx->turn = ngx_ors_turn_detach(client->turn, &body, r->pool,
                                    r->connection->log);

    if (ctx->turn == NULL
        || ngx_http_ors_session_detach(ctx, client->session) != NGX_OK
        || ngx_http_ors_turn_init(ctx) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return NGX_OK;
}


/*
 * Tells the client that waits, if there is one: bg->life.response, or the
 * error of the turn.  For it the turn is over, though it goes on elsewhere.
 */

static void
ngx_http_ors_background_tell(ngx_http_ors_background_t *bg)
{
    ngx_str_t           *response, document;
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

    client->follows = (response->len && client->turn->request.stream);

    if (client->follows) {
        ngx_ors_turn_start(bg->ctx->turn);
    }

    if (response->len
        && ngx_ors_str_copy(&document, client->request->pool, response)
           == NGX_OK)
    {
        ngx_ors_turn_left(client->turn, &document);

    } else {
        ngx_http_ors_background_error(client, bg);
    }

    /* a subrequest that has found out about it ends first */

    if (client->call) {
        ngx_http_ors_post(client->call->request, &client->call->posted);

    } else {
        ngx_http_ors_post(client->request, &client->posted);
    }

    ngx_http_run_posted_requests(c);
}


/* the error and its time to wait are of another pool */

static void
ngx_http_ors_background_error(ngx_http_ors_ctx_t *client,
    ngx_http_ors_background_t *bg)
{
    ngx_str_t       *after;
    ngx_ors_turn_t  *turn;

    turn = client->turn;
    after = &bg->ctx->retry_after;

    if (bg->life.response.len
        || ngx_ors_error_copy(&turn->error, &bg->ctx->turn->error, turn->pool)
           != NGX_OK)
    {
        (void) ngx_ors_error_set(&turn->error, turn->pool,
                                 ngx_ors_code_server_error, "out of memory");
    }

    /* without memory "Retry-After" is left out */

    client->retry_after.data = after->len ? ngx_pstrdup(turn->pool, after)
                                          : NULL;
    client->retry_after.len = client->retry_after.data ? after->len : 0;

    (void) ngx_ors_turn_give_up(turn);
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


/*
 * Checks that one more response may run in the background.  NGX_OK, NGX_DONE:
 * a limit is reached, and the turn of "ctx" has failed; NGX_ERROR.
 */

static ngx_int_t
ngx_http_ors_background_limit(ngx_http_ors_ctx_t *ctx)
{
    ngx_int_t                   rc;
    ngx_queue_t                *q;
    ngx_http_ors_background_t  *bg;
    ngx_http_ors_main_conf_t   *omcf;
    ngx_ors_background_load_t   load;

    omcf = ngx_http_get_module_main_conf(ctx->request,
                                         ngx_http_open_responses_module);

    if (ngx_http_ors_scope(ctx) != NGX_OK) {
        return NGX_ERROR;
    }

    load.running = omcf->nbackground;
    load.of_scope = 0;

    for (q = ngx_queue_head(&omcf->background);
         q != ngx_queue_sentinel(&omcf->background);
         q = ngx_queue_next(q))
    {
        bg = ngx_queue_data(q, ngx_http_ors_background_t, queue);

        load.of_scope += (ngx_memcmp(bg->ctx->scope, ctx->scope,
                                     NGX_ORS_DIGEST_LEN)
                          == 0);
    }

    ngx_http_ors_detach_connections(&load);

    rc = ngx_ors_background_admit(ctx->session, &ctx->conf->background, &load,
                                  ctx->request->connection->log);

    if (rc == NGX_DONE) {
        ngx_str_set(&ctx->retry_after, "10");
    }

    return rc;
}
