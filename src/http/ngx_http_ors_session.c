
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Jobs of a store for requests: the session of a turn.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_background.h>
#include <ngx_http_ors_subrequest.h>


static ngx_ors_session_t *ngx_http_ors_session_create(
    ngx_http_ors_ctx_t *ctx);
static ngx_int_t ngx_http_ors_session_read(ngx_http_ors_ctx_t *ctx,
    ngx_ors_session_event_e event);
static ngx_int_t ngx_http_ors_session_step(ngx_http_ors_ctx_t *ctx,
    ngx_ors_session_event_e event, ngx_ors_store_job_pt handler);
static void ngx_http_ors_session_loaded(ngx_ors_store_job_t *job);
static void ngx_http_ors_session_committed(ngx_ors_store_job_t *job);


ngx_int_t
ngx_http_ors_session_init(ngx_http_ors_ctx_t *ctx)
{
    ngx_ors_session_t    *session;
    ngx_ors_store_use_t  *stored;

    stored = &ctx->conf->stored;

    if (stored->store == NULL
        || !ngx_ors_endpoint_converses(ctx->endpoint))
    {
        return NGX_OK;
    }

    /* resolve the scope now: its variables may change later */

    session = ngx_http_ors_session_create(ctx);

    if (session == NULL || ngx_http_ors_scope(ctx) != NGX_OK) {
        return NGX_ERROR;
    }

    session->store = stored->store;
    session->required = stored->required;
    session->instructions = stored->instructions;

    return ngx_ors_session_init(session, ctx->turn);
}


static ngx_ors_session_t *
ngx_http_ors_session_create(ngx_http_ors_ctx_t *ctx)
{
    ngx_http_ors_hold_init(ctx, &ctx->hold);

    /*
     * set by ngx_pcalloc():
     *
     *     session->state = ngx_ors_session_st_new;
     *     session->record, session->touch: the first turn of a chain
     */

    ctx->session = ngx_pcalloc(ctx->request->pool, sizeof(ngx_ors_session_t));

    return ctx->session;
}


void
ngx_http_ors_hold_init(ngx_http_ors_ctx_t *ctx, ngx_ors_hold_t *hold)
{
    ngx_http_ors_main_conf_t  *omcf;

    omcf = ngx_http_get_module_main_conf(ctx->request,
                                         ngx_http_open_responses_module);

    hold->holders = &omcf->holders;
    hold->limit = ctx->conf->limits.scope_context;
    hold->log = ctx->request->connection->log;
}


ngx_int_t
ngx_http_ors_session_detach(ngx_http_ors_ctx_t *ctx, ngx_ors_session_t *from)
{
    ngx_ors_session_t  *session;

    session = ngx_http_ors_session_create(ctx);
    if (session == NULL) {
        return NGX_ERROR;
    }

    ngx_ors_session_detach(session, from, ctx->turn);

    session->retries = NGX_ORS_BACKGROUND_TRIES;

    return NGX_OK;
}


ngx_int_t
ngx_http_ors_session_settle(ngx_http_ors_ctx_t *ctx,
    ngx_http_ors_loc_conf_t *olcf)
{
    ngx_uint_t          translates;
    ngx_ors_session_t  *session;

    session = ctx->session;
    translates = ngx_ors_turn_translates(ctx->turn, olcf->dialect);

    ngx_ors_session_settle(session, ctx->turn, translates,
                           olcf->inline_context);

    if (session && ngx_ors_session_used(session)) {

        if (ngx_http_ors_scope_store(ctx) != NGX_OK) {
            return NGX_ERROR;
        }

        ngx_memcpy(session->scope, ctx->owner, NGX_ORS_DIGEST_LEN);
    }

    return ngx_http_ors_scope_needed(ctx, translates);
}


ngx_int_t
ngx_http_ors_session_load(ngx_http_ors_ctx_t *ctx)
{
    ngx_ors_session_t  *session;

    session = ctx->session;

    if (session == NULL
        || !(session->translates || ctx->turn->inline_context))
    {
        return NGX_OK;
    }

    return ngx_http_ors_session_read(ctx, ngx_ors_session_ev_load);
}


/* reserve the maximum for the scope until the size is known */

static ngx_int_t
ngx_http_ors_session_read(ngx_http_ors_ctx_t *ctx,
    ngx_ors_session_event_e event)
{
    ngx_int_t           rc;
    ngx_ors_session_t  *session;

    session = ctx->session;
    rc = ngx_ors_session_step(session, event);

    if (rc == NGX_AGAIN && !session->job->posted) {
        rc = ngx_ors_session_reserve(session, &ctx->hold);

        if (rc == NGX_OK) {
            ngx_http_ors_job_post(ctx->request, session->job,
                                  ngx_http_ors_session_loaded, ctx);
            return NGX_AGAIN;
        }

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }

        /* rc == NGX_BUSY */

        ngx_str_set(&ctx->retry_after, "1");

        rc = ngx_ors_session_crowded(session);
    }

    if (rc != NGX_AGAIN) {
        ngx_ors_session_hold(session, &ctx->hold);
    }

    return rc;
}


ngx_int_t
ngx_http_ors_session_claim(ngx_http_ors_ctx_t *ctx)
{
    return ngx_http_ors_session_step(ctx, ngx_ors_session_ev_claim,
                                     ngx_http_ors_session_loaded);
}


ngx_int_t
ngx_http_ors_session_commit(ngx_http_ors_ctx_t *ctx)
{
    return ngx_http_ors_session_step(ctx, ngx_ors_session_ev_commit,
                                     ngx_http_ors_session_committed);
}


static ngx_int_t
ngx_http_ors_session_step(ngx_http_ors_ctx_t *ctx,
    ngx_ors_session_event_e event, ngx_ors_store_job_pt handler)
{
    ngx_int_t             rc;
    ngx_ors_store_job_t  *job;

    rc = ngx_ors_session_step(ctx->session, event);
    job = ctx->session->job;

    if (rc == NGX_AGAIN && !job->posted) {
        ngx_http_ors_job_post(ctx->request, job, handler, ctx);
    }

    return rc;
}


void
ngx_http_ors_job_post(ngx_http_request_t *r, ngx_ors_store_job_t *job,
    ngx_ors_store_job_pt handler, void *data)
{
    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "ors store job posted: %s, %ui entries, %p",
                   ngx_ors_store_ops[job->op], job->n, job);

    job->handler = handler;
    job->data = data;
    job->origin = r;

    ngx_ors_store_post(job);
}


ngx_connection_t *
ngx_http_ors_job_done(ngx_http_request_t *r, ngx_ors_store_job_t *job)
{
    ngx_connection_t  *c;

    c = r->connection;

    ngx_http_set_log_request(c->log, r);

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, c->log, 0,
                   "ors store job done: %s, status %ui, %p",
                   ngx_ors_store_ops[job->op], (ngx_uint_t) job->status, job);

    ngx_http_ors_metrics_job(r, job);

    return c;
}


static void
ngx_http_ors_session_loaded(ngx_ors_store_job_t *job)
{
    ngx_connection_t     *c;
    ngx_http_ors_ctx_t   *ctx;
    ngx_http_ors_call_t  *call;

    ctx = job->data;
    c = ngx_http_ors_job_done(ctx->request, job);
    call = ctx->call;

    if (ngx_http_ors_session_read(ctx, ngx_ors_session_ev_done) == NGX_AGAIN) {
        return;
    }

    /* its phase handler asks again, or the loop of the turn */

    ngx_http_ors_post(call->request, &call->posted);

    if (ctx->detached) {
        ngx_http_ors_post(ctx->request, &ctx->posted);
    }

    ngx_http_run_posted_requests(c);
}


static void
ngx_http_ors_session_committed(ngx_ors_store_job_t *job)
{
    ngx_int_t            rc;
    ngx_connection_t    *c;
    ngx_http_ors_ctx_t  *ctx;

    ctx = job->data;
    c = ngx_http_ors_job_done(ctx->request, job);

    rc = ngx_ors_session_step(ctx->session, ngx_ors_session_ev_done);

    if (rc == NGX_DECLINED) {

        /* the timer of the background commits it again */

        return;
    }

    ctx->resume(ctx, (rc == NGX_ERROR) ? NGX_ERROR : NGX_OK);

    ngx_http_run_posted_requests(c);
}


void
ngx_http_ors_session_close(ngx_http_ors_ctx_t *ctx)
{
    if (ctx->session == NULL) {
        return;
    }

    (void) ngx_http_ors_session_step(ctx, ngx_ors_session_ev_close, NULL);

    /* a job without a handler is the engine's */

    ctx->session->job = NULL;

    ngx_ors_hold_release(&ctx->hold);

    if (ctx->session->unstored) {
        ctx->session->unstored = 0;
        ngx_ors_stats_count(ngx_http_ors_stats(ctx->request),
                            ngx_ors_stats_unstored);
    }
}
