
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Counting of requests in histograms and gauges, and the rows a configuration
 * has.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>


static ngx_int_t ngx_http_ors_metrics_route(ngx_conf_t *cf,
    ngx_http_core_loc_conf_t *gateway, ngx_http_ors_loc_conf_t *olcf,
    ngx_ors_route_t *route);
static ngx_int_t ngx_http_ors_metrics_model(ngx_conf_t *cf,
    ngx_ors_route_t *route, ngx_str_t *model);
static void ngx_http_ors_metrics_provider(ngx_ors_target_t *target,
    ngx_str_t *provider);
static ngx_int_t ngx_http_ors_metrics_add(ngx_conf_t *cf,
    ngx_ors_metrics_labels_t *labels);
static ngx_uint_t ngx_http_ors_metrics_attach(ngx_http_ors_main_conf_t *omcf);
static ngx_atomic_t *ngx_http_ors_metrics_gauge(ngx_http_request_t *r,
    ngx_ors_metrics_gauge_e gauge);
static ngx_ors_metrics_row_t *ngx_http_ors_metrics_row(
    ngx_http_ors_ctx_t *ctx);
static ngx_ors_metrics_operation_e ngx_http_ors_metrics_operation(
    const ngx_ors_endpoint_t *endpoint);
static void ngx_http_ors_metrics_usage(ngx_ors_metrics_turn_t *end,
    ngx_ors_usage_t *usage);


ngx_int_t
ngx_http_ors_metrics_gateway(ngx_conf_t *cf, ngx_http_core_loc_conf_t *gateway)
{
    ngx_uint_t                i, n;
    ngx_ors_route_t          *route;
    ngx_ors_target_t         *target;
    ngx_http_ors_loc_conf_t  *olcf;

    olcf = gateway->loc_conf[ngx_http_open_responses_module.ctx_index];
    route = olcf->routes->elts;
    n = 0;

    for (i = 0; i < olcf->routes->nelts; i++) {

        for (target = &route[i].target; target; target = target->next) {
            target->number = n++;
        }
    }

    olcf->npeers = n;
    olcf->peers = ngx_pcalloc(cf->pool, n * sizeof(ngx_ors_peer_conf_t));
    olcf->labels = ngx_pcalloc(cf->pool, n * ngx_ors_metrics_operations
                                         * sizeof(ngx_ors_metrics_labels_t));

    if (olcf->peers == NULL || olcf->labels == NULL) {
        return NGX_ERROR;
    }

    for (i = 0; i < olcf->routes->nelts; i++) {

        if (ngx_http_ors_metrics_route(cf, gateway, olcf, &route[i])
            != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return ngx_http_ors_callees_gateway(cf, olcf);
}


static ngx_int_t
ngx_http_ors_metrics_route(ngx_conf_t *cf, ngx_http_core_loc_conf_t *gateway,
    ngx_http_ors_loc_conf_t *olcf, ngx_ors_route_t *route)
{
    ngx_str_t                  model;
    ngx_uint_t                 i;
    ngx_ors_target_t          *target;
    ngx_ors_peer_conf_t       *peer;
    ngx_ors_metrics_labels_t  *l;

    if (ngx_http_ors_metrics_model(cf, route, &model) != NGX_OK) {
        return NGX_ERROR;
    }

    for (target = &route->target; target; target = target->next) {
        peer = &olcf->peers[target->number];

        peer->server = olcf->server->server_name;
        peer->target = target->uri;
        peer->max_fails = target->max_fails;
        peer->fail_timeout = target->fail_timeout;

        for (i = 0; i < ngx_ors_metrics_operations; i++) {
            l = &olcf->labels[target->number * ngx_ors_metrics_operations + i];

            l->peer = peer;
            l->location = gateway->name;
            l->target = target->uri;
            l->model = model;
            l->operation = i;

            ngx_http_ors_metrics_provider(target, &l->provider);

            if (ngx_http_ors_metrics_add(cf, l) != NGX_OK) {
                return NGX_ERROR;
            }
        }
    }

    return NGX_OK;
}


/* as the directive has it */

static ngx_int_t
ngx_http_ors_metrics_model(ngx_conf_t *cf, ngx_ors_route_t *route,
    ngx_str_t *model)
{
    if (route->type == ngx_ors_route_default) {
        ngx_str_set(model, "other");
        return NGX_OK;
    }

    if (route->type == ngx_ors_route_exact) {
        *model = route->name;
        return NGX_OK;
    }

    model->data = ngx_pnalloc(cf->pool, route->name.len + 1);
    if (model->data == NULL) {
        return NGX_ERROR;
    }

    model->len = ngx_sprintf(model->data,
                             (route->type == ngx_ors_route_regex) ? "~%V"
                                                                  : "%V*",
                             &route->name)
                 - model->data;

    return NGX_OK;
}


/* without a name it is the API that the server speaks */

static void
ngx_http_ors_metrics_provider(ngx_ors_target_t *target, ngx_str_t *provider)
{
    ngx_http_ors_loc_conf_t  *conf;

    conf = target->conf;

    if (target->provider.len) {
        *provider = target->provider;

    } else if (conf && conf->preset_name.len) {
        *provider = conf->preset_name;

    } else {
        ngx_str_set(provider, "openai");
    }
}


ngx_int_t
ngx_http_ors_metrics_validator(ngx_conf_t *cf,
    ngx_http_core_loc_conf_t *clcf, ngx_http_ors_loc_conf_t *olcf)
{
    ngx_uint_t                 i;
    ngx_ors_metrics_labels_t  *labels;

    labels = ngx_pcalloc(cf->pool, ngx_ors_metrics_operations
                                   * sizeof(ngx_ors_metrics_labels_t));
    if (labels == NULL) {
        return NGX_ERROR;
    }

    olcf->labels = labels;

    for (i = 0; i < ngx_ors_metrics_operations; i++) {

        if (clcf->name.len) {
            labels[i].location = clcf->name;

        } else {
            ngx_str_set(&labels[i].location, "server");
        }

        ngx_str_set(&labels[i].model, "other");
        ngx_str_set(&labels[i].provider, "openai");
        labels[i].operation = i;

        if (ngx_http_ors_metrics_add(cf, &labels[i]) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_ors_metrics_add(ngx_conf_t *cf, ngx_ors_metrics_labels_t *labels)
{
    ngx_http_ors_main_conf_t   *omcf;
    ngx_ors_metrics_labels_t  **l;

    omcf = ngx_http_conf_get_module_main_conf(cf,
                                              ngx_http_open_responses_module);

    l = ngx_array_push(&omcf->labels);
    if (l == NULL) {
        return NGX_ERROR;
    }

    *l = labels;

    return NGX_OK;
}


ngx_int_t
ngx_http_ors_metrics_init(ngx_cycle_t *cycle)
{
    ngx_uint_t                  i, j, oldest, missing, shown;
    ngx_ors_stats_t            *stats;
    ngx_slab_pool_t            *shpool;
    ngx_http_ors_main_conf_t   *omcf;
    ngx_ors_metrics_labels_t  **l;

    omcf = ngx_http_cycle_get_module_main_conf(cycle,
                                              ngx_http_open_responses_module);

    if (omcf == NULL || omcf->stats == NULL) {
        return NGX_OK;
    }

    stats = omcf->stats->data;
    shpool = (ngx_slab_pool_t *) omcf->stats->shm.addr;
    shpool->log_nomem = 0;

    oldest = ngx_ors_metrics_oldest(&stats->metrics);

    ngx_ors_named_begin(&stats->metrics.rows, oldest, shpool);
    ngx_ors_named_begin(&stats->metrics.callees, oldest, shpool);
    ngx_ors_named_begin(&stats->peers, oldest, shpool);

    omcf->generation = stats->metrics.rows.generation;

    l = omcf->labels.elts;
    shown = 0;
    missing = 0;

    /* an "if" in a location has the location's labels: one row is shown once */

    for (i = 0; i < omcf->labels.nelts; i++) {
        ngx_ors_metrics_attach(&stats->metrics, l[i], shpool);

        if (l[i]->row == NULL) {
            missing++;
            continue;
        }

        for (j = 0; j < shown && l[j]->row != l[i]->row; j++) { /* void */ }

        if (j == shown) {
            l[shown++] = l[i];
        }
    }

    omcf->labels.nelts = shown;

    missing += ngx_http_ors_metrics_attach(omcf);

    ngx_ors_named_end(&stats->metrics.rows);
    ngx_ors_named_end(&stats->metrics.callees);
    ngx_ors_named_end(&stats->peers);

    stats->metrics.missing = missing;

    if (missing) {
        ngx_log_error(NGX_LOG_WARN, cycle->log, 0,
                      "the zone of metrics is full: %ui targets, models and "
                      "tools are counted in totals only, set a larger "
                      "\"open_responses_metrics_zone\" than %uz bytes",
                      missing, omcf->stats->shm.size);
    }

    return NGX_OK;
}


/* the targets and tools of all gateways; returns how many have no room */

static ngx_uint_t
ngx_http_ors_metrics_attach(ngx_http_ors_main_conf_t *omcf)
{
    ngx_uint_t                  i, j, missing;
    ngx_ors_stats_t            *stats;
    ngx_slab_pool_t            *shpool;
    ngx_http_ors_loc_conf_t    *olcf;
    ngx_http_core_loc_conf_t  **location;

    stats = omcf->stats->data;
    shpool = (ngx_slab_pool_t *) omcf->stats->shm.addr;
    location = omcf->locations.elts;

    missing = 0;

    for (i = 0; i < omcf->locations.nelts; i++) {
        olcf = location[i]->loc_conf[ngx_http_open_responses_module.ctx_index];

        for (j = 0; j < olcf->npeers; j++) {
            ngx_ors_peer_attach(&stats->peers, &olcf->peers[j], shpool);
            missing += (olcf->peers[j].peer == NULL);
        }

        for (j = 0; j < olcf->ncallees; j++) {
            ngx_ors_callee_attach(&stats->metrics.callees, &olcf->callees[j],
                                  shpool);
            missing += (olcf->callees[j].callee == NULL);
        }
    }

    return missing;
}


void
ngx_http_ors_metrics_worker(ngx_http_ors_main_conf_t *omcf, ngx_pid_t pid)
{
    ngx_ors_stats_t  *stats;

    if (omcf->stats == NULL) {
        return;
    }

    /* a worker that was killed has left what it had */

    stats = omcf->stats->data;

    ngx_ors_metrics_process(&stats->metrics, ngx_process_slot, pid,
                            omcf->generation);
}


void
ngx_http_ors_metrics_open(ngx_http_ors_ctx_t *ctx,
    ngx_ors_metrics_gauge_e gauge)
{
    ngx_atomic_t  *n;

    n = ngx_http_ors_metrics_gauge(ctx->request, gauge);

    if (n && !ctx->gauged) {
        ctx->gauged = 1;
        (*n)++;
    }
}


void
ngx_http_ors_metrics_close(ngx_http_ors_ctx_t *ctx)
{
    ngx_atomic_t  *n;

    n = ngx_http_ors_metrics_gauge(ctx->request,
                                   ctx->detached ? ngx_ors_metrics_background
                                                 : ngx_ors_metrics_streams);

    if (n && ctx->gauged) {
        ctx->gauged = 0;
        (*n)--;
    }
}


void
ngx_http_ors_metrics_websocket(ngx_http_request_t *r, ngx_int_t n)
{
    ngx_atomic_t  *gauge;

    gauge = ngx_http_ors_metrics_gauge(r, ngx_ors_metrics_websockets);

    if (gauge) {
        *gauge += n;
    }
}


/* only this process writes to it */

static ngx_atomic_t *
ngx_http_ors_metrics_gauge(ngx_http_request_t *r,
    ngx_ors_metrics_gauge_e gauge)
{
    ngx_ors_stats_t  *stats;

    stats = ngx_http_ors_stats(r);

    return stats ? &stats->metrics.gauges[ngx_process_slot][gauge] : NULL;
}


void
ngx_http_ors_metrics_turn(ngx_http_ors_ctx_t *ctx, ngx_ors_outcome_t *outcome)
{
    ngx_ors_turn_t          *turn;
    ngx_ors_stats_t         *stats;
    ngx_ors_metrics_turn_t   end;

    turn = ctx->turn;
    stats = ngx_http_ors_stats(ctx->request);

    if (stats == NULL || ctx->target == NULL) {
        return;
    }

    end.end = outcome ? ngx_ors_metrics_ended + outcome->class
                      : ngx_ors_metrics_canceled;
    end.delivery = turn->request.stream ? ngx_ors_metrics_stream
                                        : ngx_ors_metrics_document;

    if (ctx->message) {
        end.delivery = ngx_ors_metrics_websocket;
    }

    end.background = ctx->detached;
    end.first = ctx->first_token;
    end.duration = ngx_http_ors_pump_elapsed(ctx->request);
    end.own = ctx->own;

    ngx_http_ors_metrics_usage(&end, ngx_ors_turn_usage(turn));

    ngx_ors_metrics_turn(&stats->metrics, ngx_http_ors_metrics_row(ctx), &end,
                         ngx_time());
}


static ngx_ors_metrics_row_t *
ngx_http_ors_metrics_row(ngx_http_ors_ctx_t *ctx)
{
    ngx_uint_t  n;

    n = ctx->target->number * ngx_ors_metrics_operations
        + ngx_http_ors_metrics_operation(ctx->endpoint);

    return ctx->conf->labels[n].row;
}


static ngx_ors_metrics_operation_e
ngx_http_ors_metrics_operation(const ngx_ors_endpoint_t *endpoint)
{
    return (endpoint->id == ngx_ors_endpoint_embeddings)
           ? ngx_ors_metrics_embeddings : ngx_ors_metrics_chat;
}


static void
ngx_http_ors_metrics_usage(ngx_ors_metrics_turn_t *end, ngx_ors_usage_t *usage)
{
    end->input = usage->known ? usage->input : -1;
    end->output = usage->known ? usage->output : -1;
}


void
ngx_http_ors_metrics_validated(ngx_http_ors_validator_t *vr,
    ngx_ors_class_e class)
{
    ngx_ors_stats_t           *stats;
    ngx_ors_metrics_turn_t     end;
    ngx_ors_metrics_labels_t  *labels;

    stats = ngx_http_ors_stats(vr->request);

    if (stats == NULL || vr->endpoint == NULL
        || vr->endpoint->request == NULL)
    {
        return;
    }

    end.end = (class == ngx_ors_classes) ? ngx_ors_metrics_canceled
                                         : ngx_ors_metrics_ended + class;
    end.delivery = vr->verify.stream ? ngx_ors_metrics_stream
                                    : ngx_ors_metrics_document;
    end.background = 0;
    end.first = vr->first_token;
    end.duration = ngx_http_ors_pump_elapsed(vr->request);
    end.own = vr->own;

    ngx_http_ors_metrics_usage(&end, &vr->verify.usage);

    labels = &vr->conf->labels[ngx_http_ors_metrics_operation(vr->endpoint)];

    ngx_ors_metrics_turn(&stats->metrics, labels->row, &end, ngx_time());
}


void
ngx_http_ors_metrics_job(ngx_http_request_t *r, ngx_ors_store_job_t *job)
{
    ngx_ors_stats_t         *stats;
    ngx_ors_store_status_e   status;

    stats = ngx_http_ors_stats(r);

    if (stats == NULL) {
        return;
    }

    status = job->status;

    if (status == ngx_ors_store_ok && job->op == ngx_ors_store_get
        && job->entries[0].value.data == NULL)
    {
        status = ngx_ors_store_absent;
    }

    ngx_ors_metrics_store(&stats->metrics, job->store->engine->number,
                          job->op, status);
}
