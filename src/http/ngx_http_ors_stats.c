
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Counters, histograms and gauges of requests, turns, tools and stores, and
 * "open_responses_status", which shows them.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_validator.h>
#include <ngx_ors_conf.h>
#include <ngx_ors_error.h>
#include <ngx_ors_verify_check.h>
#include <ngx_ors_mcp_server.h>
#include <ngx_ors_names.h>


#define NGX_HTTP_ORS_PAGE        16384


static ngx_int_t ngx_http_ors_stats_answer(ngx_http_ors_ctx_t *ctx,
    ngx_ors_outcome_t *outcome);
static void ngx_http_ors_stats_repairs(ngx_http_request_t *r,
    ngx_ors_verify_t *verify, ngx_uint_t report);
static ngx_int_t ngx_http_ors_stats_handler(ngx_http_request_t *r);
static ngx_int_t ngx_http_ors_metrics_route(ngx_conf_t *cf,
    ngx_http_core_loc_conf_t *gateway, ngx_http_ors_loc_conf_t *olcf,
    ngx_ors_route_t *route);
static ngx_int_t ngx_http_ors_metrics_add(ngx_conf_t *cf,
    ngx_ors_metrics_labels_t *labels, ngx_ors_metrics_labels_t *common);
static void ngx_http_ors_metrics_count(ngx_http_request_t *r,
    ngx_ors_metrics_labels_t *labels, const ngx_ors_endpoint_t *endpoint,
    ngx_ors_usage_t *usage, ngx_ors_metrics_turn_t *end);


static ngx_conf_enum_t  ngx_http_ors_stats_formats[] = {
    { ngx_string("html"), ngx_ors_stats_html },
    { ngx_string("json"), ngx_ors_stats_json },
    { ngx_string("prometheus"), ngx_ors_stats_prometheus },
    { ngx_null_string, 0 }
};


static ngx_ors_conf_param_t  ngx_http_ors_stats_params[] = {

    { ngx_string("size="), ngx_ors_conf_param_size,
      offsetof(ngx_http_ors_main_conf_t, stats_size), 512 * 1024, 0, NULL,
      "a size of at least 512k" },

    { ngx_null_string, NULL, 0, 0, 0, NULL, NULL }
};


ngx_ors_stats_t *
ngx_http_ors_stats(ngx_http_request_t *r)
{
    ngx_http_ors_main_conf_t  *omcf;

    omcf = ngx_http_get_module_main_conf(r, ngx_http_open_responses_module);

    return omcf->stats ? omcf->stats->data : NULL;
}


void
ngx_http_ors_stats_refused(ngx_http_request_t *r, ngx_uint_t status)
{
    ngx_ors_error_t  err;

    ngx_http_ors_error_of(r, status, &err);
    ngx_http_ors_stats_error(r, &err);
}


void
ngx_http_ors_stats_error(ngx_http_request_t *r, ngx_ors_error_t *err)
{
    /* failures of our own are not counted */

    if (err->status < NGX_HTTP_INTERNAL_SERVER_ERROR
        || err->status == NGX_HTTP_NOT_IMPLEMENTED)
    {
        ngx_ors_stats_request(ngx_http_ors_stats(r), err, 0, 0);
    }
}


void
ngx_http_ors_stats_ignored(ngx_http_request_t *r, ngx_ors_request_t *req)
{
    if (req->nignored == 0) {
        return;
    }

    ngx_ors_stats_add(ngx_http_ors_stats(r), ngx_ors_stats_ignored,
                      req->nignored);

    ngx_log_error(NGX_LOG_INFO, r->connection->log, 0,
                  "%ui field%s of the request not sent on: %V",
                  req->nignored, (req->nignored == 1) ? "" : "s",
                  &req->ignored);
}


void
ngx_http_ors_stats_again(ngx_http_ors_ctx_t *ctx)
{
    ngx_ors_outcome_t  outcome;

    ngx_ors_turn_outcome(ctx->turn, &outcome);

    ngx_ors_stats_count(ngx_http_ors_stats(ctx->request),
                        ngx_ors_stats_failover);
    ngx_http_ors_peer_over(ctx, &outcome);

    (void) ngx_http_ors_stats_answer(ctx, &outcome);
}


void
ngx_http_ors_stats_turn(ngx_http_ors_ctx_t *ctx)
{
    ngx_ors_turn_t     *turn;
    ngx_ors_stats_t    *stats;
    ngx_ors_conform_t  *conform;
    ngx_ors_outcome_t   outcome;

    turn = ctx->turn;

    if (ctx->counted || turn->state != ngx_ors_turn_st_over) {
        return;
    }

    ctx->counted = 1;

    ngx_ors_turn_outcome(turn, &outcome);

    if (turn->answer.status
        || (outcome.class && outcome.class != ngx_ors_class_client))
    {
        ngx_http_ors_metrics_turn(ctx, &outcome);
    }

    if (ctx->call) {
        ngx_http_ors_peer_over(ctx, &outcome);
    }

    stats = ngx_http_ors_stats(ctx->request);
    conform = &turn->round.conform;

    ngx_ors_stats_add(stats, ngx_ors_stats_schema_violation,
                      conform->violations);
    ngx_ors_stats_add(stats, ngx_ors_stats_schema_repeat, conform->repeats);
    ngx_ors_stats_add(stats, ngx_ors_stats_schema_unchecked,
                      conform->unchecked);

    if (ngx_http_ors_stats_answer(ctx, &outcome) == NGX_OK) {
        return;
    }

    if (outcome.end == ngx_ors_end_rejected) {
        ngx_ors_stats_count(stats, ngx_ors_stats_request_refused);
        ngx_ors_stats_code(stats, &turn->error.code, 0);

        ngx_http_ors_stats_tell(ctx->request, ctx->conf, &turn->request,
                                &turn->error, 0);

    } else if (outcome.end == ngx_ors_end_failed) {
        ngx_ors_stats_code(stats, &turn->error.code, 0);
    }
}


void
ngx_http_ors_stats_tell(ngx_http_request_t *r, ngx_http_ors_loc_conf_t *olcf,
    ngx_ors_request_t *req, ngx_ors_error_t *err, ngx_uint_t report)
{
    u_char      buf[NGX_ORS_ERROR_LINE];
    u_char      name[NGX_ORS_LINE_MAX];
    ngx_str_t   line, model, agent;
    ngx_uint_t  level;

    level = report ? NGX_LOG_ERR : olcf->reject_level;

    line.data = buf;
    line.len = ngx_ors_error_line(buf, err) - buf;

    ngx_ors_request_named(req, &model);

    ngx_str_null(&agent);

    if (r->headers_in.user_agent) {
        agent = r->headers_in.user_agent->value;
        agent.len = ngx_ors_line_copy(name, agent.data,
                                      ngx_min(agent.len, NGX_ORS_LINE_MAX))
                    - name;
        agent.data = name;
    }

    ngx_log_error(level, r->connection->log, 0,
                  "request %s: %V, model \"%V\", user agent \"%V\"",
                  report ? "would be refused" : "refused", &line, &model,
                  &agent);
}


/* NGX_DECLINED: no target has answered or failed */

static ngx_int_t
ngx_http_ors_stats_answer(ngx_http_ors_ctx_t *ctx, ngx_ors_outcome_t *outcome)
{
    ngx_ors_turn_t          *turn;
    ngx_ors_stats_t         *stats;
    ngx_ors_stats_answer_t   end;

    turn = ctx->turn;
    stats = ngx_http_ors_stats(ctx->request);

    if (turn->answer.status == 0) {
        ngx_ors_stats_add(stats, ngx_ors_stats_upstream_error,
                          outcome->broken);

        return outcome->broken ? NGX_OK : NGX_DECLINED;
    }

    end.upstream = (turn->upstream_error
                    || turn->answer.status >= NGX_HTTP_BAD_REQUEST);
    end.stream = turn->request.stream;
    end.repaired = (turn->verify && turn->verify->repaired);
    end.report = 0;
    end.error = &turn->error;

    ngx_ors_stats_answer(stats, &end);

    if (end.repaired && !end.upstream && end.error->status == 0) {
        ngx_http_ors_stats_repairs(ctx->request, turn->verify, 0);
    }

    return NGX_OK;
}


void
ngx_http_ors_stats_request(ngx_http_ors_validator_t *vr)
{
    ngx_ors_stats_request(ngx_http_ors_stats(vr->request), &vr->error,
                          vr->body.edits.n != 0, vr->conf->report);
}


void
ngx_http_ors_stats_validator(ngx_http_ors_validator_t *vr)
{
    ngx_ors_stats_answer_t  end;

    if (vr->counted || vr->answer.state != ngx_ors_answer_st_over) {
        return;
    }

    vr->counted = 1;

    ngx_http_ors_metrics_validated(vr, ngx_ors_verify_class(&vr->verify));

    end.upstream = (!vr->verify.refused
                    && (vr->verify.error.status
                        || vr->answer.status >= NGX_HTTP_BAD_REQUEST));
    end.stream = (vr->verify.stream != NULL);
    end.repaired = (vr->verify.repaired != 0);
    end.report = vr->conf->report;
    end.error = &vr->verify.error;

    ngx_ors_stats_answer(ngx_http_ors_stats(vr->request), &end);

    if (end.repaired && !end.upstream && end.error->status == 0) {
        ngx_http_ors_stats_repairs(vr->request, &vr->verify, end.report);
    }
}


/* counts the fields; a line of the log for the first one in a minute */

static void
ngx_http_ors_stats_repairs(ngx_http_request_t *r, ngx_ors_verify_t *verify,
    ngx_uint_t report)
{
    u_char            line[NGX_ORS_LINE_MAX];
    ngx_str_t         places;
    ngx_uint_t        i, due, level;
    ngx_ors_stats_t  *stats;

    stats = ngx_http_ors_stats(r);
    level = report ? NGX_LOG_WARN : NGX_LOG_INFO;
    due = 0;

    ngx_ors_verify_places(verify, line, &places);

    for (i = 0; i < verify->nplaces; i++) {
        due |= ngx_ors_stats_repair(stats, verify->places[i], report,
                                    ngx_time());
    }

    if (due) {
        ngx_log_error(level, r->connection->log, 0,
                      "upstream answer %s repaired in %ui place%s: %V",
                      report ? "would be" : "is", verify->repaired,
                      (verify->repaired == 1) ? "" : "s", &places);
    }
}


void
ngx_http_ors_stats_failed(ngx_http_ors_validator_t *vr)
{
    ngx_uint_t       status;
    ngx_ors_error_t  err;

    status = vr->request->err_status;

    if (vr->counted || status < NGX_HTTP_INTERNAL_SERVER_ERROR) {
        return;
    }

    vr->counted = 1;

    ngx_http_ors_error_of(vr->request, status, &err);
    ngx_http_ors_metrics_validated(vr, err.class);
}


/*
 * The last state of an upstream tells how it went; an empty one follows when
 * an error_page or the like leads to another upstream.  A failure is one that
 * is not passed on: an answer that is passed on is counted when it is over.
 */

void
ngx_http_ors_stats_upstreams(ngx_http_ors_validator_t *vr)
{
    ngx_uint_t                  i, n, passed;
    ngx_ors_stats_t            *stats;
    ngx_http_request_t         *r;
    ngx_http_upstream_t        *u;
    ngx_http_upstream_state_t  *state;

    r = vr->request;
    u = r->upstream;

    if (u == NULL) {
        return;
    }

    stats = ngx_http_ors_stats(r);
    passed = (u->peer.connection != NULL);

#if (NGX_HTTP_CACHE)
    passed &= !r->cached;
#endif

    n = r->upstream_states ? r->upstream_states->nelts : 0;
    state = n ? r->upstream_states->elts : NULL;

    for (i = 0; i < n; i++) {

        if (state[i].peer && state[i].status >= NGX_HTTP_BAD_REQUEST
            && ((i + 1 < n) ? state[i + 1].peer == NULL : !passed))
        {
            ngx_ors_stats_count(stats, ngx_ors_stats_upstream_error);
        }
    }

    /* an upstream whose name cannot be resolved leaves no state */

    if ((u->state == NULL || u->state->peer == NULL)
        && r->err_status == NGX_HTTP_BAD_GATEWAY)
    {
        ngx_ors_stats_count(stats, ngx_ors_stats_upstream_error);
    }
}


static ngx_int_t
ngx_http_ors_stats_handler(ngx_http_request_t *r)
{
    off_t                      used, size;
    u_char                    *p;
    ngx_int_t                  rc;
    ngx_str_t                 *type;
    ngx_uint_t                 i;
    ngx_ors_out_t              page;
    ngx_ors_store_t          **store;
    ngx_ors_metrics_space_t   *space;
    ngx_ors_metrics_shown_t    shown;
    ngx_http_ors_loc_conf_t   *olcf;
    ngx_http_ors_main_conf_t  *omcf;

    rc = ngx_http_ors_page(r);

    if (rc != NGX_OK) {
        return rc;
    }

    olcf = ngx_http_get_module_loc_conf(r, ngx_http_open_responses_module);
    omcf = ngx_http_get_module_main_conf(r, ngx_http_open_responses_module);

    ngx_ors_out_init(&page, r->pool, NGX_HTTP_ORS_PAGE);

    shown.labels = &omcf->labels;
    shown.spaces = ngx_array_create(r->pool, 1 + omcf->stores.nelts,
                                    sizeof(ngx_ors_metrics_space_t));

    if (shown.spaces == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    store = omcf->stores.elts;

    for (i = 0; i < omcf->stores.nelts; i++) {

        if (store[i]->engine->space
            && store[i]->engine->space(store[i], &used, &size) == NGX_OK)
        {
            space = ngx_array_push(shown.spaces);

            space->store = store[i]->name;
            space->used = used;
            space->size = size;
        }
    }

    ngx_ors_stats_render(&page, ngx_http_ors_stats(r), olcf->status, &shown,
                         ngx_time());

    /* a charset that is there already is not added again */

    type = ngx_ors_stats_type(olcf->status);
    p = ngx_strlchr(type->data, type->data + type->len, ';');

    r->headers_out.content_type = *type;
    r->headers_out.content_type_len = p ? (size_t) (p - type->data)
                                        : type->len;

    return ngx_http_ors_document(r, NGX_HTTP_OK, &page);
}


ngx_int_t
ngx_http_ors_page(ngx_http_request_t *r)
{
    ngx_int_t  rc;

    if (!(r->method & (NGX_HTTP_GET|NGX_HTTP_HEAD))) {
        return ngx_http_ors_allow(r, "GET, HEAD");
    }

    rc = ngx_http_discard_request_body(r);

    if (rc == NGX_OK
        && ngx_ors_header_text(&r->headers_out.headers, "Cache-Control",
                               "cache-control", "no-store")
           == NULL)
    {
        rc = NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    return rc;
}


char *
ngx_http_ors_stats_set(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_ors_loc_conf_t  *olcf = conf;

    ngx_str_t                 *value;
    ngx_http_core_loc_conf_t  *clcf;

    if (olcf->status != NGX_CONF_UNSET_UINT) {
        return "is duplicate";
    }

    if (olcf->page) {
        return "is beside \"open_responses_ready\"";
    }

    value = cf->args->elts;
    olcf->status = ngx_ors_stats_html;

    if (cf->args->nelts == 2
        && ngx_ors_conf_value(cf, "", &cmd->name,
                              ngx_http_ors_stats_formats, &value[1],
                              &olcf->status)
           != NGX_OK)
    {
        return NGX_CONF_ERROR;
    }

    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);
    clcf->handler = ngx_http_ors_stats_handler;
    olcf->page = clcf->handler;

    return (ngx_http_ors_stats_zone(cf) == NGX_OK) ? NGX_CONF_OK
                                                   : NGX_CONF_ERROR;
}


ngx_int_t
ngx_http_ors_stats_zone(ngx_conf_t *cf)
{
    ngx_http_ors_main_conf_t  *omcf;

    static ngx_str_t  name = ngx_string("open_responses");

    omcf = ngx_http_conf_get_module_main_conf(cf,
                                              ngx_http_open_responses_module);

    /* called again, nginx finds the zone by its name */

    omcf->stats = ngx_shared_memory_add(cf, &name, 0,
                                        &ngx_http_open_responses_module);
    if (omcf->stats == NULL) {
        return NGX_ERROR;
    }

    /* set again when all directives are read */

    omcf->stats->shm.size = omcf->stats_size;
    omcf->stats->init = ngx_ors_stats_zone;

    return NGX_OK;
}


char *
ngx_http_ors_stats_zone_set(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    return ngx_ors_conf_params(cf, ngx_http_ors_stats_params, conf, 1, NULL,
                               NULL);
}


/*
 * Histograms and gauges: the rows of a configuration, and what is counted in
 * them.
 */


ngx_int_t
ngx_http_ors_metrics_gateway(ngx_conf_t *cf, ngx_http_core_loc_conf_t *gateway)
{
    ngx_uint_t                i, n;
    ngx_array_t              *tools, *servers;
    ngx_ors_tool_t           *tool;
    ngx_ors_route_t          *route;
    ngx_ors_target_t         *target;
    ngx_ors_mcp_conf_t       *mcp;
    ngx_ors_callee_conf_t    *callee;
    ngx_http_ors_loc_conf_t  *olcf;

    olcf = gateway->loc_conf[ngx_http_open_responses_module.ctx_index];
    route = olcf->routes->elts;
    n = 0;

    for (i = 0; i < olcf->routes->nelts; i++) {

        target = &route[i].target;

        do {
            target->number = n++;
            target = target->next;
        } while (target);
    }

    olcf->npeers = n;
    olcf->peers = ngx_pcalloc(cf->pool, n * sizeof(ngx_ors_peer_conf_t));
    olcf->labels = ngx_pcalloc(cf->pool, n * ngx_ors_metrics_operations
                                         * sizeof(ngx_ors_metrics_labels_t));

    tools = olcf->hosting.tools;
    servers = olcf->hosting.servers;

    olcf->ncallees = (tools ? tools->nelts : 0)
                     + (servers ? servers->nelts : 0);

    callee = ngx_pcalloc(cf->pool, olcf->ncallees
                                   * sizeof(ngx_ors_callee_conf_t));

    if (olcf->peers == NULL || olcf->labels == NULL || callee == NULL) {
        return NGX_ERROR;
    }

    olcf->callees = callee;

    for (i = 0; i < olcf->routes->nelts; i++) {

        if (ngx_http_ors_metrics_route(cf, gateway, olcf, &route[i])
            != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    for (i = 0; tools && i < tools->nelts; i++, callee++) {
        tool = (ngx_ors_tool_t *) tools->elts + i;

        callee->server = olcf->server->server_name;
        callee->name = tool->name;
        callee->uri = tool->uri;
    }

    for (i = 0; servers && i < servers->nelts; i++, callee++) {
        mcp = (ngx_ors_mcp_conf_t *) servers->elts + i;

        callee->server = olcf->server->server_name;
        callee->name = mcp->label;
        callee->uri = mcp->uri;
        callee->mcp = 1;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_ors_metrics_route(ngx_conf_t *cf, ngx_http_core_loc_conf_t *gateway,
    ngx_http_ors_loc_conf_t *olcf, ngx_ors_route_t *route)
{
    ngx_str_t                 *model;
    ngx_ors_target_t          *target;
    ngx_ors_peer_conf_t       *peer;
    ngx_http_ors_loc_conf_t   *called;
    ngx_ors_metrics_labels_t   common;

    ngx_memzero(&common, sizeof(ngx_ors_metrics_labels_t));
    common.location = gateway->name;

    /* the model as the directive has it */

    model = &common.model;

    if (route->type == ngx_ors_route_default) {
        ngx_str_set(model, "other");

    } else if (route->type == ngx_ors_route_exact) {
        *model = route->name;

    } else {
        model->data = ngx_pnalloc(cf->pool, route->name.len + 1);
        if (model->data == NULL) {
            return NGX_ERROR;
        }

        model->len = ngx_sprintf(model->data,
                                 (route->type == ngx_ors_route_regex) ? "~%V"
                                                                      : "%V*",
                                 &route->name)
                     - model->data;
    }

    for (target = &route->target; target; target = target->next) {
        peer = &olcf->peers[target->number];

        peer->server = olcf->server->server_name;
        peer->target = target->uri;
        peer->max_fails = target->max_fails;
        peer->fail_timeout = target->fail_timeout;

        common.peer = peer;
        common.target = target->uri;

        /* without a name it is the API that the server speaks */

        called = target->conf;

        if (target->provider.len) {
            common.provider = target->provider;

        } else if (called && called->preset_name.len) {
            common.provider = called->preset_name;

        } else {
            ngx_str_set(&common.provider, "openai");
        }

        if (ngx_http_ors_metrics_add(cf, olcf->labels + target->number
                                               * ngx_ors_metrics_operations,
                                     &common)
            != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


ngx_int_t
ngx_http_ors_metrics_validator(ngx_conf_t *cf,
    ngx_http_core_loc_conf_t *clcf, ngx_http_ors_loc_conf_t *olcf)
{
    ngx_ors_metrics_labels_t  common;

    olcf->labels = ngx_pcalloc(cf->pool, ngx_ors_metrics_operations
                                         * sizeof(ngx_ors_metrics_labels_t));
    if (olcf->labels == NULL) {
        return NGX_ERROR;
    }

    ngx_memzero(&common, sizeof(ngx_ors_metrics_labels_t));

    ngx_str_set(&common.location, "server");
    ngx_str_set(&common.model, "other");
    ngx_str_set(&common.provider, "openai");

    if (clcf->name.len) {
        common.location = clcf->name;
    }

    return ngx_http_ors_metrics_add(cf, olcf->labels, &common);
}


/* sets the labels of all operations */

static ngx_int_t
ngx_http_ors_metrics_add(ngx_conf_t *cf, ngx_ors_metrics_labels_t *labels,
    ngx_ors_metrics_labels_t *common)
{
    ngx_uint_t                  i;
    ngx_http_ors_main_conf_t   *omcf;
    ngx_ors_metrics_labels_t  **l;

    omcf = ngx_http_conf_get_module_main_conf(cf,
                                              ngx_http_open_responses_module);

    l = ngx_array_push_n(&omcf->labels, ngx_ors_metrics_operations);
    if (l == NULL) {
        return NGX_ERROR;
    }

    for (i = 0; i < ngx_ors_metrics_operations; i++) {
        labels[i] = *common;
        labels[i].operation = i;
        l[i] = &labels[i];
    }

    return NGX_OK;
}


ngx_int_t
ngx_http_ors_metrics_init(ngx_cycle_t *cycle)
{
    ngx_uint_t                  i, j, oldest, missing, shown;
    ngx_ors_stats_t            *stats;
    ngx_slab_pool_t            *shpool;
    ngx_http_ors_loc_conf_t    *olcf;
    ngx_http_core_loc_conf_t  **location;
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

    location = omcf->locations.elts;

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
    if (!ctx->gauged) {
        ctx->gauged = 1;
        ngx_http_ors_metrics_gauge(ctx->request, gauge, 1);
    }
}


void
ngx_http_ors_metrics_close(ngx_http_ors_ctx_t *ctx)
{
    if (ctx->gauged) {
        ctx->gauged = 0;
        ngx_http_ors_metrics_gauge(ctx->request,
                                   ctx->detached ? ngx_ors_metrics_background
                                                 : ngx_ors_metrics_streams,
                                   -1);
    }
}


void
ngx_http_ors_metrics_gauge(ngx_http_request_t *r,
    ngx_ors_metrics_gauge_e gauge, ngx_int_t n)
{
    ngx_ors_stats_t  *stats;

    stats = ngx_http_ors_stats(r);

    /* only this process writes to it */

    if (stats) {
        stats->metrics.gauges[ngx_process_slot][gauge] += n;
    }
}


void
ngx_http_ors_metrics_turn(ngx_http_ors_ctx_t *ctx, ngx_ors_outcome_t *outcome)
{
    ngx_ors_turn_t          *turn;
    ngx_ors_metrics_turn_t   end;

    turn = ctx->turn;

    if (ctx->target == NULL) {
        return;
    }

    end.end = outcome ? ngx_ors_metrics_ended + outcome->class
                      : ngx_ors_metrics_canceled;
    end.delivery = ctx->message ? ngx_ors_metrics_websocket
                   : turn->request.stream ? ngx_ors_metrics_stream
                                          : ngx_ors_metrics_document;
    end.background = ctx->detached;
    end.first = ctx->first_token;
    end.own = ctx->own;

    ngx_http_ors_metrics_count(ctx->request, ctx->conf->labels
                                             + ctx->target->number
                                               * ngx_ors_metrics_operations,
                               ctx->endpoint, ngx_ors_turn_usage(turn), &end);
}


static void
ngx_http_ors_metrics_count(ngx_http_request_t *r,
    ngx_ors_metrics_labels_t *labels, const ngx_ors_endpoint_t *endpoint,
    ngx_ors_usage_t *usage, ngx_ors_metrics_turn_t *end)
{
    ngx_ors_stats_t  *stats;

    stats = ngx_http_ors_stats(r);

    if (stats == NULL) {
        return;
    }

    end->input = usage->known ? usage->input : -1;
    end->output = usage->known ? usage->output : -1;
    end->duration = ngx_http_ors_pump_elapsed(r);

    if (endpoint->id == ngx_ors_endpoint_embeddings) {
        labels += ngx_ors_metrics_embeddings;
    }

    ngx_ors_metrics_turn(&stats->metrics, labels->row, end, ngx_time());
}


void
ngx_http_ors_metrics_validated(ngx_http_ors_validator_t *vr,
    ngx_ors_class_e class)
{
    ngx_ors_metrics_turn_t  end;

    if (vr->endpoint == NULL || vr->endpoint->request == NULL) {
        return;
    }

    end.end = (class == ngx_ors_classes) ? ngx_ors_metrics_canceled
                                         : ngx_ors_metrics_ended + class;
    end.delivery = vr->verify.stream ? ngx_ors_metrics_stream
                                     : ngx_ors_metrics_document;
    end.background = 0;
    end.first = vr->first_token;
    end.own = vr->own;

    ngx_http_ors_metrics_count(vr->request, vr->conf->labels, vr->endpoint,
                               &vr->verify.usage, &end);
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


ngx_ors_callee_conf_t *
ngx_http_ors_callee(ngx_http_ors_loc_conf_t *olcf, ngx_str_t *name,
    ngx_uint_t mcp)
{
    ngx_uint_t              i;
    ngx_ors_callee_conf_t  *callee;

    for (i = 0; i < olcf->ncallees; i++) {
        callee = &olcf->callees[i];

        if (callee->mcp == mcp && ngx_ors_same(&callee->name, name)) {
            return callee;
        }
    }

    return NULL;
}
