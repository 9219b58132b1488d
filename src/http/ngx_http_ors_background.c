
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Runs the life of a background response: posts its jobs, sets its timer, and
 * does to its request what the machine says.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_background.h>
#include <ngx_http_ors_detach.h>
#include <ngx_http_ors_tool.h>


static void ngx_http_ors_background_do(ngx_http_ors_background_t *bg,
    ngx_uint_t todo);
static void ngx_http_ors_background_done(ngx_ors_store_job_t *job);
static ngx_int_t ngx_http_ors_background_ahead(ngx_http_ors_call_t *call);


void
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


ngx_uint_t
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

    return (call->kind->make(call) == NGX_HTTP_INTERNAL_SERVER_ERROR)
           ? NGX_ERROR : NGX_OK;
}


void
ngx_http_ors_background_cleanup(void *data)
{
    ngx_http_ors_background_t  *bg = data;

    ngx_queue_remove(&bg->queue);
    bg->omcf->nbackground--;

    ngx_http_ors_event_stop(&bg->timer);

    ngx_http_ors_background_step(bg, ngx_ors_background_ev_close);
}
