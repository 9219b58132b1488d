
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Responses in the background: their lease, their record while they run, and
 * their end.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_background.h>
#include <ngx_http_ors_detach.h>
#include <ngx_ors_session_error.h>
#include <ngx_ors_session_record.h>


/* how often the lease of a turn is renewed, ms */
#define NGX_HTTP_ORS_BACKGROUND_RENEW  5000


static void ngx_http_ors_background_tick(ngx_http_ors_background_t *bg);
static void ngx_http_ors_background_timeout(ngx_http_ors_background_t *bg);
static void ngx_http_ors_background_renew(ngx_http_ors_background_t *bg);
static ngx_int_t ngx_http_ors_background_look(ngx_http_ors_background_t *bg);
static void ngx_http_ors_background_looked(ngx_ors_store_job_t *job);
static void ngx_http_ors_background_stop(ngx_http_ors_background_t *bg,
    ngx_ors_record_status_e status);
static void ngx_http_ors_background_store(ngx_http_ors_background_t *bg);
static void ngx_http_ors_background_stored(ngx_ors_store_job_t *job);
static void ngx_http_ors_background_finish(ngx_http_ors_background_t *bg);
static void ngx_http_ors_background_finished(ngx_ors_store_job_t *job);
static void ngx_http_ors_background_end(ngx_http_ors_background_t *bg);


void
ngx_http_ors_background_timer(ngx_event_t *ev)
{
    ngx_connection_t           *c;
    ngx_http_ors_background_t  *bg;

    bg = ev->data;
    c = bg->ctx->request->connection;

    ngx_http_set_log_request(c->log, bg->ctx->request);

    switch (bg->state) {

    case ngx_http_ors_background_st_new:

        if (ngx_http_ors_call(bg->ctx) == NGX_OK) {
            bg->ctx->resume(bg->ctx, NGX_OK);

        } else {
            ngx_http_ors_detach_end(bg->ctx->request);
        }

        break;

    case ngx_http_ors_background_st_record:
        break;

    case ngx_http_ors_background_st_run:
        ngx_http_ors_background_tick(bg);
        break;

    case ngx_http_ors_background_st_end:
        ngx_http_ors_background_store(bg);
        break;
    }

    ngx_http_run_posted_requests(c);
}


static void
ngx_http_ors_background_tick(ngx_http_ors_background_t *bg)
{
    ngx_ors_turn_t           *turn;
    ngx_http_ors_ctx_t       *ctx;
    ngx_http_ors_loc_conf_t  *olcf;

    ctx = bg->ctx;
    turn = ctx->turn;

    olcf = ngx_http_get_module_loc_conf(ctx->request,
                                        ngx_http_open_responses_module);

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, ctx->request->connection->log, 0,
                   "ors background tick: after %M ms, session %s",
                   ngx_current_msec - bg->started,
                   ngx_ors_session_state(ctx->session->state));

    ngx_add_timer(&bg->timer, NGX_HTTP_ORS_BACKGROUND_TICK);

    if (ngx_current_msec - bg->renewed >= NGX_HTTP_ORS_BACKGROUND_RENEW) {
        ngx_http_ors_background_renew(bg);
    }

    if (turn->state == ngx_ors_turn_st_commit) {

        /* the session waits to be committed again */

        if (ctx->session->state == ngx_ors_session_st_ready) {
            ctx->resume(ctx, NGX_OK);
        }

        return;
    }

    if (ngx_current_msec - bg->started >= olcf->background_timeout) {
        ngx_http_ors_background_timeout(bg);
        return;
    }

    if (bg->job == NULL) {
        (void) ngx_http_ors_background_look(bg);
    }
}


static void
ngx_http_ors_background_timeout(ngx_http_ors_background_t *bg)
{
    ngx_ors_turn_t      *turn;
    ngx_http_ors_ctx_t  *ctx;

    ctx = bg->ctx;
    turn = ctx->turn;

    ngx_log_error(NGX_LOG_ERR, ctx->request->connection->log, 0,
                  "a response in the background has taken too long");

    if (ctx->call) {
        ngx_http_ors_call_cancel(ctx->call);
    }

    (void) ngx_ors_error_set(&turn->error, turn->pool,
                             NGX_HTTP_GATEWAY_TIME_OUT, "upstream_timeout",
                             "the response has taken longer than it may");

    turn->retries_left = 0;

    (void) ngx_ors_turn_fail(turn);

    ngx_http_ors_background_run(ctx);
}


/* says that the turn is alive */

static void
ngx_http_ors_background_renew(ngx_http_ors_background_t *bg)
{
    ngx_ors_store_job_t  *job;

    bg->renewed = ngx_current_msec;

    job = ngx_ors_background_renew(&bg->entries);

    if (job) {
        ngx_http_ors_job_post(bg->ctx->request, job, NULL, NULL);
    }
}


/* posts the job that reads the cancel flag; NGX_OK or NGX_ERROR */

static ngx_int_t
ngx_http_ors_background_look(ngx_http_ors_background_t *bg)
{
    bg->job = ngx_ors_background_look(&bg->entries);

    if (bg->job == NULL) {
        return NGX_ERROR;
    }

    ngx_http_ors_job_post(bg->ctx->request, bg->job,
                          ngx_http_ors_background_looked, bg);

    return NGX_OK;
}


static void
ngx_http_ors_background_looked(ngx_ors_store_job_t *job)
{
    ngx_connection_t           *c;
    ngx_ors_background_wish_e   wish;
    ngx_http_ors_background_t  *bg;

    bg = job->data;
    c = ngx_http_ors_job_done(bg->ctx->request, job);

    bg->job = NULL;

    /* a store that cannot be read now is asked again, or waited for later */

    wish = ngx_ors_background_wish(job);

    if (wish != ngx_ors_background_go_on) {
        bg->deleted = (wish == ngx_ors_background_deleted);
        ngx_http_ors_background_stop(bg, ngx_ors_record_cancelled);

    } else if (bg->ctx->turn->state == ngx_ors_turn_st_commit) {
        bg->looked = 1;
        bg->ctx->resume(bg->ctx, NGX_OK);
    }

    ngx_ors_store_release(job);

    ngx_http_run_posted_requests(c);
}


ngx_int_t
ngx_http_ors_background_final(ngx_http_ors_ctx_t *ctx)
{
    ngx_http_ors_background_t  *bg;

    bg = ctx->background;

    if (bg->state != ngx_http_ors_background_st_run) {
        return NGX_AGAIN;
    }

    if (bg->looked) {
        return NGX_OK;
    }

    if (bg->job == NULL && ngx_http_ors_background_look(bg) != NGX_OK) {
        return NGX_OK;
    }

    return NGX_AGAIN;
}


void
ngx_http_ors_background_run(ngx_http_ors_ctx_t *ctx)
{
    ngx_ors_turn_t             *turn;
    ngx_http_ors_background_t  *bg;

    bg = ctx->background;
    turn = ctx->turn;

    /* a detached request has no client for its output */

    if (ngx_ors_out_drop(&turn->out) != NGX_OK) {
        ngx_http_ors_detach_end(ctx->request);
        return;
    }

    if (turn->state != ngx_ors_turn_st_over) {

        if (ctx->call && ngx_http_ors_call_resume(ctx->call) != NGX_OK) {
            ngx_http_ors_detach_end(ctx->request);
        }

        return;
    }

    switch (bg->state) {

    case ngx_http_ors_background_st_new:
    case ngx_http_ors_background_st_record:
        ctx->request->headers_out.status = turn->status;

        ngx_http_ors_background_tell(bg, NULL, &turn->error);
        ngx_http_ors_detach_end(ctx->request);
        break;

    case ngx_http_ors_background_st_run:

        ngx_http_ors_stats_turn(ctx);

        if (turn->error.status) {
            ngx_http_ors_background_stop(bg, ngx_ors_record_failed);
            break;
        }

        bg->state = ngx_http_ors_background_st_end;
        ngx_http_ors_background_finish(bg);
        break;

    case ngx_http_ors_background_st_end:
        break;
    }
}


/* the end of a turn that has not come to one; others are stored by now */

static void
ngx_http_ors_background_stop(ngx_http_ors_background_t *bg,
    ngx_ors_record_status_e status)
{
    ngx_ors_turn_t      *turn;
    ngx_http_ors_ctx_t  *ctx;

    ctx = bg->ctx;
    turn = ctx->turn;

    if (bg->state != ngx_http_ors_background_st_run) {
        return;
    }

    if (ctx->call) {
        ngx_http_ors_call_cancel(ctx->call);
    }

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, ctx->request->connection->log, 0,
                   "ors background stopped: status %ui, deleted:%d",
                   (ngx_uint_t) status, bg->deleted);

    bg->state = ngx_http_ors_background_st_end;
    bg->status = status;
    bg->tries = 0;

    turn->state = ngx_ors_turn_st_over;

    if (status == ngx_ors_record_cancelled) {
        turn->response.status = ngx_ors_response_cancelled;
    }

    if (bg->deleted) {
        ngx_http_ors_background_end(bg);
        return;
    }

    ngx_http_ors_background_store(bg);
}


static void
ngx_http_ors_background_store(ngx_http_ors_background_t *bg)
{
    ngx_ors_store_job_t  *job;

    if (bg->job) {
        ngx_ors_store_release(bg->job);
        bg->job = NULL;
    }

    bg->ctx->turn->response.stored = 1;

    job = ngx_ors_session_record(bg->ctx->session, bg->status, 0);

    if (job == NULL) {
        ngx_http_ors_detach_end(bg->ctx->request);
        return;
    }

    bg->job = job;

    ngx_http_ors_job_post(bg->ctx->request, job,
                          ngx_http_ors_background_stored, bg);
}


static void
ngx_http_ors_background_stored(ngx_ors_store_job_t *job)
{
    ngx_connection_t           *c;
    ngx_ors_store_status_e      status;
    ngx_http_ors_background_t  *bg;

    bg = job->data;
    c = ngx_http_ors_job_done(bg->ctx->request, job);

    status = job->status;

    bg->job = NULL;
    ngx_ors_store_release(job);

    if (status == ngx_ors_store_ok) {
        ngx_http_ors_background_finish(bg);

    } else if (status != ngx_ors_store_large
               && bg->tries++ < NGX_HTTP_ORS_BACKGROUND_TRIES) {
        ngx_add_timer(&bg->timer, NGX_HTTP_ORS_BACKGROUND_TICK);

    } else {
        ngx_http_ors_background_lost(bg, status);
        ngx_http_ors_detach_end(bg->ctx->request);
    }

    ngx_http_run_posted_requests(c);
}


void
ngx_http_ors_background_lost(ngx_http_ors_background_t *bg,
    ngx_ors_store_status_e status)
{
    ngx_ors_session_log(bg->ctx->session, status,
                           "a response in the background");
}


/*
 * What has been stored may have been deleted in the instant before, without
 * being there
 */

static void
ngx_http_ors_background_finish(ngx_http_ors_background_t *bg)
{
    if (bg->timer.timer_set) {
        ngx_del_timer(&bg->timer);
    }

    if (bg->job) {
        ngx_ors_store_release(bg->job);
    }

    bg->ended = 1;

    bg->job = ngx_ors_background_look(&bg->entries);

    if (bg->job == NULL) {
        ngx_http_ors_detach_end(bg->ctx->request);
        return;
    }

    ngx_http_ors_job_post(bg->ctx->request, bg->job,
                          ngx_http_ors_background_finished, bg);
}


static void
ngx_http_ors_background_finished(ngx_ors_store_job_t *job)
{
    ngx_connection_t           *c;
    ngx_http_ors_background_t  *bg;

    bg = job->data;
    c = ngx_http_ors_job_done(bg->ctx->request, job);

    bg->job = NULL;
    bg->deleted = (ngx_ors_background_wish(job) == ngx_ors_background_deleted);

    ngx_ors_store_release(job);

    ngx_http_ors_background_end(bg);

    ngx_http_run_posted_requests(c);
}


static void
ngx_http_ors_background_end(ngx_http_ors_background_t *bg)
{
    bg->ended = 1;

    ngx_http_ors_background_forget(bg, bg->deleted);

    bg->ctx->request->headers_out.status = bg->ctx->turn->error.status
                                           ? bg->ctx->turn->error.status
                                           : NGX_HTTP_OK;

    ngx_http_ors_detach_end(bg->ctx->request);
}


void
ngx_http_ors_background_forget(ngx_http_ors_background_t *bg,
    ngx_uint_t record)
{
    ngx_ors_store_job_t  *job;

    job = ngx_ors_background_forget(&bg->entries, record);

    if (job) {
        ngx_http_ors_job_post(bg->ctx->request, job, NULL, NULL);
    }
}


/* the request has ended: by itself, for lack of memory, or with the worker */

void
ngx_http_ors_background_cleanup(void *data)
{
    ngx_http_ors_background_t  *bg = data;

    ngx_ors_turn_t       *turn;
    ngx_ors_error_t       err;
    ngx_ors_store_job_t  *job;

    turn = bg->ctx->turn;

    ngx_queue_remove(&bg->queue);
    bg->omcf->nbackground--;

    if (bg->timer.timer_set) {
        ngx_del_timer(&bg->timer);
    }

    if (bg->timer.posted) {
        ngx_delete_posted_event(&bg->timer);
    }

    if (bg->job) {
        ngx_ors_store_release(bg->job);
        bg->job = NULL;
    }

    ngx_memzero(&err, sizeof(ngx_ors_error_t));
    (void) ngx_ors_error_set(&err, bg->ctx->request->pool,
                             NGX_HTTP_INTERNAL_SERVER_ERROR, "server_error",
                             "the server that ran it has stopped");

    ngx_http_ors_background_tell(bg, NULL, &err);

    if (bg->state < ngx_http_ors_background_st_run || bg->ended) {
        return;
    }

    if (!turn->error.status) {
        turn->error = err;
    }

    turn->response.status = ngx_ors_response_failed;
    turn->response.stored = 1;

    job = ngx_ors_session_record(bg->ctx->session, ngx_ors_record_failed, 0);

    if (job) {
        ngx_http_ors_job_post(bg->ctx->request, job, NULL, NULL);
    }
}
