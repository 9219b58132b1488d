
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Counters of requests, and "open_responses_status", which
 * shows them.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>
#include <ngx_ors_conf.h>
#include <ngx_ors_error.h>
#include <ngx_ors_verify_check.h>


#define NGX_HTTP_ORS_PAGE        16384


static ngx_uint_t ngx_http_ors_stats_is_failure(ngx_http_request_t *r,
    ngx_uint_t i);
static void ngx_http_ors_stats_schemas(ngx_ors_stats_t *stats,
    ngx_ors_conform_t *conform);
static void ngx_http_ors_stats_answer(ngx_http_ors_ctx_t *ctx,
    ngx_ors_stats_t *stats);
static ngx_int_t ngx_http_ors_stats_handler(ngx_http_request_t *r);
static ngx_array_t *ngx_http_ors_stats_spaces(ngx_pool_t *pool,
    ngx_array_t *stores);


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
ngx_http_ors_stats_unstored(ngx_http_request_t *r)
{
    ngx_ors_stats_count(ngx_http_ors_stats(r), ngx_ors_stats_unstored);
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
                  "%ui unknown field%s of the request not sent on: %V",
                  req->nignored, (req->nignored == 1) ? "" : "s",
                  &req->ignored);
}


void
ngx_http_ors_stats_again(ngx_http_ors_ctx_t *ctx)
{
    ngx_ors_stats_t    *stats;
    ngx_ors_outcome_t   outcome;

    stats = ngx_http_ors_stats(ctx->request);

    ngx_ors_turn_outcome(ctx->turn, &outcome);

    ngx_ors_stats_count(stats, ngx_ors_stats_failover);
    ngx_http_ors_peer_over(ctx, &outcome);

    if (ctx->turn->answer.status) {
        ngx_http_ors_stats_answer(ctx, stats);

    } else if (outcome.broken) {
        ngx_ors_stats_count(stats, ngx_ors_stats_upstream_error);
    }
}


void
ngx_http_ors_stats_turn(ngx_http_ors_ctx_t *ctx)
{
    ngx_ors_turn_t     *turn;
    ngx_ors_stats_t    *stats;
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

    ngx_http_ors_stats_schemas(stats, &turn->round.conform);

    if (turn->answer.status) {
        ngx_http_ors_stats_answer(ctx, stats);

    } else if (outcome.broken) {
        ngx_ors_stats_count(stats, ngx_ors_stats_upstream_error);

    } else if (outcome.end == ngx_ors_end_rejected) {
        ngx_ors_stats_count(stats, ngx_ors_stats_request_refused);
        ngx_ors_stats_code(stats, &turn->error.code, 0);

        ngx_http_ors_stats_tell(ctx->request, ctx->conf, &turn->request,
                                &turn->error, 0);

    } else if (outcome.end == ngx_ors_end_failed) {
        ngx_ors_stats_code(stats, &turn->error.code, 0);
    }
}


static void
ngx_http_ors_stats_schemas(ngx_ors_stats_t *stats, ngx_ors_conform_t *conform)
{
    ngx_ors_stats_add(stats, ngx_ors_stats_schema_violation,
                      conform->violations);
    ngx_ors_stats_add(stats, ngx_ors_stats_schema_repeat, conform->repeats);
    ngx_ors_stats_add(stats, ngx_ors_stats_schema_unchecked,
                      conform->unchecked);
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

    if (r->connection->log->log_level < level) {
        return;
    }

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


static void
ngx_http_ors_stats_answer(ngx_http_ors_ctx_t *ctx, ngx_ors_stats_t *stats)
{
    ngx_ors_turn_t            *turn;
    ngx_ors_stats_answer_t   end;

    turn = ctx->turn;

    end.upstream = (turn->upstream_error
                    || turn->answer.status >= NGX_HTTP_BAD_REQUEST);
    end.stream = turn->request.stream;
    end.repaired = (turn->verify && turn->verify->repaired);
    end.report = 0;
    end.error = &turn->error;

    ngx_ors_stats_answer(stats, &end);
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
    u_char                  line[NGX_ORS_LINE_MAX];
    ngx_str_t               places;
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

    if (vr->conf->report && end.repaired && end.error->status == 0) {
        ngx_ors_verify_places(&vr->verify, line, &places);

        ngx_log_error(NGX_LOG_WARN, vr->request->connection->log, 0,
                      "upstream answer would be repaired in %ui place%s: %V",
                      vr->verify.repaired,
                      (vr->verify.repaired == 1) ? "" : "s", &places);
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


void
ngx_http_ors_stats_upstreams(ngx_http_ors_validator_t *vr)
{
    ngx_uint_t            i;
    ngx_ors_stats_t      *stats;
    ngx_http_request_t   *r;
    ngx_http_upstream_t  *u;

    r = vr->request;
    u = r->upstream;

    if (u == NULL) {
        return;
    }

    stats = ngx_http_ors_stats(r);

    for (i = 0; r->upstream_states && i < r->upstream_states->nelts; i++) {

        if (ngx_http_ors_stats_is_failure(r, i)) {
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


/*
 * The last state of an upstream tells how it went; an empty one follows when
 * an error_page or the like leads to another upstream.  A failure is one that
 * is not passed on: what is passed on is counted when it is over.
 */

static ngx_uint_t
ngx_http_ors_stats_is_failure(ngx_http_request_t *r, ngx_uint_t i)
{
    ngx_array_t                *states;
    ngx_http_upstream_state_t  *state;

    states = r->upstream_states;
    state = states->elts;

    if (state[i].peer == NULL || state[i].status < NGX_HTTP_BAD_REQUEST) {
        return 0;
    }

    if (i + 1 < states->nelts) {
        return state[i + 1].peer == NULL;
    }

    return r->upstream->peer.connection == NULL
#if (NGX_HTTP_CACHE)
           || r->cached
#endif
           ;
}


static ngx_int_t
ngx_http_ors_stats_handler(ngx_http_request_t *r)
{
    u_char                    *p;
    ngx_int_t                  rc;
    ngx_str_t                 *type;
    ngx_ors_out_t              page;
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
    shown.spaces = ngx_http_ors_stats_spaces(r->pool, &omcf->stores);

    if (shown.spaces == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
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


/* of stores that know; NULL: no memory */

static ngx_array_t *
ngx_http_ors_stats_spaces(ngx_pool_t *pool, ngx_array_t *stores)
{
    off_t                     used, size;
    ngx_uint_t                i;
    ngx_array_t              *spaces;
    ngx_ors_store_t         **store;
    ngx_ors_metrics_space_t  *space;

    spaces = ngx_array_create(pool, 1 + stores->nelts,
                              sizeof(ngx_ors_metrics_space_t));
    if (spaces == NULL) {
        return NULL;
    }

    store = stores->elts;

    for (i = 0; i < stores->nelts; i++) {

        if (store[i]->engine->space == NULL
            || store[i]->engine->space(store[i], &used, &size) != NGX_OK)
        {
            continue;
        }

        space = ngx_array_push(spaces);

        space->store = store[i]->name;
        space->used = used;
        space->size = size;
    }

    return spaces;
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

    if (cf->args->nelts == 1) {
        olcf->status = ngx_ors_stats_html;
    }

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

    if (omcf->stats) {
        return NGX_OK;
    }

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
