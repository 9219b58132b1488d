
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Which of several targets a request calls: those that have failed of late are
 * left out; and "open_responses_ready", which says whether targets and stores
 * can be used.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_subrequest.h>
#include <ngx_ors_json_writer.h>
#include <ngx_ors_names.h>


/* a worker's memory of models that take no effort, and how long it lasts */
#define NGX_HTTP_ORS_EFFORTS      64
#define NGX_HTTP_ORS_EFFORT_TIME  600


typedef struct {
    ngx_http_ors_loc_conf_t  *conf;       /* of the target, only compared */
    uint32_t                  model;      /* digest of the name sent there */
    time_t                    until;
} ngx_http_ors_effort_t;


static ngx_http_ors_effort_t *ngx_http_ors_peer_effort(
    ngx_http_ors_ctx_t *ctx, ngx_http_ors_loc_conf_t *olcf, uint32_t *model);
static ngx_uint_t ngx_http_ors_peer_choose(ngx_http_ors_ctx_t *ctx,
    ngx_ors_target_t *first, ngx_uint_t left);
static ngx_int_t ngx_http_ors_ready_handler(ngx_http_request_t *r);
static void ngx_http_ors_ready_entry(ngx_ors_out_t *out, ngx_uint_t more,
    char *name, ngx_str_t *value, ngx_uint_t usable);


static ngx_http_ors_effort_t  ngx_http_ors_efforts[NGX_HTTP_ORS_EFFORTS];


void
ngx_http_ors_peer_first(ngx_http_ors_ctx_t *ctx)
{
    ngx_uint_t         n;
    ngx_ors_target_t  *first;

    first = ctx->target;

    n = ngx_http_ors_peer_choose(ctx, first, ctx->conf->tries - 1);

    ngx_ors_turn_tries(ctx->turn, n);

    if (ctx->target != first) {
        ngx_log_error(NGX_LOG_INFO, ctx->request->connection->log, 0,
                      "target \"%V\" is left out, as it has failed, "
                      "calling \"%V\"", &first->uri, &ctx->target->uri);
    }
}


void
ngx_http_ors_peer_next(ngx_http_ors_ctx_t *ctx)
{
    ngx_uint_t  n;

    n = ngx_http_ors_peer_choose(ctx, ctx->target->next,
                                 ctx->turn->retries_left - 1);

    /* one more is for the target that is called now */

    ngx_ors_turn_tries(ctx->turn, n + 1);
}


/*
 * The target is the first one of a list that may be called, else the first one.
 * Returns how many of those behind it may be tried, "left" at most.
 */

static ngx_uint_t
ngx_http_ors_peer_choose(ngx_http_ors_ctx_t *ctx, ngx_ors_target_t *first,
    ngx_uint_t left)
{
    ngx_uint_t         n;
    ngx_ors_target_t  *target;

    target = first;

    while (first->next && target
           && !ngx_ors_peer_try(&ctx->conf->peers[target->number],
                                ngx_time()))
    {
        target = target->next;
    }

    ctx->target = target ? target : first;

    n = 0;

    for (target = ctx->target->next; target; target = target->next) {
        n++;
    }

    return ngx_min(n, left);
}


void
ngx_http_ors_peer_refused(ngx_http_ors_ctx_t *ctx)
{
    uint32_t                model;
    ngx_http_ors_effort_t  *effort;

    effort = ngx_http_ors_peer_effort(ctx, ctx->call->conf, &model);

    effort->conf = ctx->call->conf;
    effort->model = model;
    effort->until = ngx_time() + NGX_HTTP_ORS_EFFORT_TIME;
}


ngx_uint_t
ngx_http_ors_peer_refuses(ngx_http_ors_ctx_t *ctx,
    ngx_http_ors_loc_conf_t *olcf)
{
    uint32_t                model;
    ngx_http_ors_effort_t  *effort;

    effort = ngx_http_ors_peer_effort(ctx, olcf, &model);

    return effort->conf == olcf && effort->model == model
           && effort->until > ngx_time();
}


/* a place may be that of several models: the last one has it */

static ngx_http_ors_effort_t *
ngx_http_ors_peer_effort(ngx_http_ors_ctx_t *ctx,
    ngx_http_ors_loc_conf_t *olcf, uint32_t *model)
{
    ngx_str_t  *name;

    name = olcf->model.len ? &olcf->model : &ctx->turn->request.model;

    *model = ngx_murmur_hash2(name->data, name->len);

    return &ngx_http_ors_efforts[*model % NGX_HTTP_ORS_EFFORTS];
}


void
ngx_http_ors_peer_late(ngx_http_ors_ctx_t *ctx)
{
    ngx_http_ors_loc_conf_t  *olcf;

    olcf = ctx->conf;

    if (olcf->tries_timeout
        && (ngx_msec_t) ngx_http_ors_pump_elapsed(ctx->request)
           >= olcf->tries_timeout)
    {
        ngx_log_debug1(NGX_LOG_DEBUG_HTTP, ctx->request->connection->log, 0,
                       "ors peer: no more targets after %M ms",
                       olcf->tries_timeout);

        ngx_ors_turn_tries(ctx->turn, 0);
    }
}


void
ngx_http_ors_peer_over(ngx_http_ors_ctx_t *ctx, ngx_ors_outcome_t *outcome)
{
    ngx_ors_peer_conf_t  *conf;

    conf = &ctx->conf->peers[ctx->target->number];

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, ctx->request->connection->log, 0,
                   "ors peer: \"%V\", broken:%d worked:%d",
                   &ctx->target->uri, outcome->broken, outcome->worked);

    if (outcome->broken) {
        ngx_ors_peer_failed(conf, ngx_time());

    } else if (outcome->worked) {
        ngx_ors_peer_worked(conf);
    }
}


static ngx_int_t
ngx_http_ors_ready_handler(ngx_http_request_t *r)
{
    ngx_int_t                   rc;
    ngx_uint_t                  i, j, more, usable, any, ready;
    ngx_ors_out_t               out;
    ngx_ors_names_t             named;
    ngx_ors_route_t            *route;
    ngx_ors_store_t           **store;
    ngx_ors_target_t           *target;
    ngx_http_ors_loc_conf_t    *olcf;
    ngx_http_core_srv_conf_t   *cscf;
    ngx_http_core_loc_conf_t  **location;
    ngx_http_ors_main_conf_t   *omcf;

    rc = ngx_http_ors_page(r);

    if (rc != NGX_OK) {
        return rc;
    }

    omcf = ngx_http_get_module_main_conf(r, ngx_http_open_responses_module);
    cscf = ngx_http_get_module_srv_conf(r, ngx_http_core_module);

    ngx_ors_out_init(&out, r->pool, NGX_HTTP_ORS_BLOCK);

    ngx_ors_out_lit(&out, "{\"stores\":[");

    store = omcf->stores.elts;
    ready = 1;

    for (i = 0; i < omcf->stores.nelts; i++) {
        usable = !ngx_ors_store_down(store[i]);
        ready &= usable;

        ngx_http_ors_ready_entry(&out, i, "store", &store[i]->name, usable);
    }

    ngx_ors_out_lit(&out, "],\"targets\":[");

    /* of all gateways of this server; a model needs one target that works */

    location = omcf->locations.elts;

    ngx_memzero(&named, sizeof(ngx_ors_names_t));

    for (i = 0; i < omcf->locations.nelts; i++) {
        olcf = location[i]->loc_conf[ngx_http_open_responses_module.ctx_index];

        if (olcf->server != cscf || location[i]->noname) {
            continue;
        }

        route = olcf->routes->elts;

        for (j = 0; j < olcf->routes->nelts; j++) {
            any = 0;

            for (target = &route[j].target; target; target = target->next) {
                usable = ngx_ors_peer_up(&olcf->peers[target->number],
                                         ngx_time());
                any |= usable;

                /* a target that several models name is shown once */

                more = named.n;
                rc = ngx_ors_names_add(&named, r->pool, &target->uri);

                if (rc == NGX_ERROR) {
                    return NGX_HTTP_INTERNAL_SERVER_ERROR;
                }

                if (rc == NGX_OK) {
                    ngx_http_ors_ready_entry(&out, more, "target",
                                             &target->uri, usable);
                }
            }

            ready &= any;
        }
    }

    ngx_ors_metrics_print(&out, "],\"ready\":%s}\n",
                          ready ? "true" : "false");

    return ngx_http_ors_document(r, ready ? NGX_HTTP_OK
                                          : NGX_HTTP_SERVICE_UNAVAILABLE,
                                 &out);
}


static void
ngx_http_ors_ready_entry(ngx_ors_out_t *out, ngx_uint_t more, char *name,
    ngx_str_t *value, ngx_uint_t usable)
{
    ngx_ors_metrics_print(out, "%s{\"%s\":", more ? "," : "", name);
    ngx_ors_json_quote(out, value->data, value->len);
    ngx_ors_metrics_print(out, ",\"usable\":%s}", usable ? "true" : "false");
}


char *
ngx_http_ors_ready_set(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_ors_loc_conf_t  *olcf = conf;

    ngx_http_core_loc_conf_t  *clcf;

    if (olcf->page) {
        return "is duplicate or beside \"open_responses_status\"";
    }

    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);
    clcf->handler = ngx_http_ors_ready_handler;
    olcf->page = clcf->handler;

    return NGX_CONF_OK;
}
