
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Variables of the module, and the facts of a request that they show.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_tool.h>
#include <ngx_ors_forward.h>
#include <ngx_ors_line.h>


static void ngx_http_ors_facts_validator(ngx_http_request_t *r,
    ngx_http_ors_facts_t *facts);
static void ngx_http_ors_facts_outcome(ngx_ors_response_status_e status,
    ngx_http_ors_facts_t *facts);
static void ngx_http_ors_facts_turn(ngx_http_request_t *r,
    ngx_http_ors_ctx_t *ctx, ngx_http_ors_facts_t *facts);
static void ngx_http_ors_facts_stored(ngx_http_ors_ctx_t *ctx,
    ngx_http_ors_facts_t *facts);
static void ngx_http_ors_facts_dialect(ngx_http_request_t *r,
    ngx_http_ors_ctx_t *ctx, ngx_http_ors_facts_t *facts);
static void ngx_http_ors_facts_status(ngx_http_request_t *r,
    ngx_http_ors_ctx_t *ctx, ngx_http_ors_facts_t *facts);
static ngx_int_t ngx_http_ors_variable_fact(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_ors_variable_tool(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_ors_variable_uri(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_ors_variable_path(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static const ngx_str_t *ngx_http_ors_upstream_path(ngx_http_request_t *r,
    ngx_http_ors_call_t *call);


/*
 * A main request and its subrequests share their variables, and most of
 * these become known while the request goes on
 */

static ngx_http_variable_t  ngx_http_ors_variables[] = {

    { ngx_string("open_responses_model"), NULL,
      ngx_http_ors_variable_fact, offsetof(ngx_http_ors_facts_t, model),
      NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("open_responses_target"), NULL,
      ngx_http_ors_variable_fact, offsetof(ngx_http_ors_facts_t, target),
      NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("open_responses_dialect"), NULL,
      ngx_http_ors_variable_fact, offsetof(ngx_http_ors_facts_t, dialect),
      NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("open_responses_stream"), NULL,
      ngx_http_ors_variable_fact, offsetof(ngx_http_ors_facts_t, stream),
      NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("open_responses_status"), NULL,
      ngx_http_ors_variable_fact, offsetof(ngx_http_ors_facts_t, status),
      NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("open_responses_error_code"), NULL,
      ngx_http_ors_variable_fact, offsetof(ngx_http_ors_facts_t, code),
      NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("open_responses_error_param"), NULL,
      ngx_http_ors_variable_fact, offsetof(ngx_http_ors_facts_t, param),
      NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("open_responses_id"), NULL,
      ngx_http_ors_variable_fact, offsetof(ngx_http_ors_facts_t, id),
      NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("open_responses_previous_id"), NULL,
      ngx_http_ors_variable_fact, offsetof(ngx_http_ors_facts_t, previous),
      NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("open_responses_stored"), NULL,
      ngx_http_ors_variable_fact, offsetof(ngx_http_ors_facts_t, stored),
      NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("open_responses_tool_name"), NULL,
      ngx_http_ors_variable_tool, 0, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("open_responses_tool_call_id"), NULL,
      ngx_http_ors_variable_tool, 1, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("open_responses_uri"), NULL,
      ngx_http_ors_variable_uri, 0, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("open_responses_path"), NULL,
      ngx_http_ors_variable_path, 0, NGX_HTTP_VAR_NOCACHEABLE, 0 },

      ngx_http_null_variable
};


void
ngx_http_ors_facts(ngx_http_request_t *r, ngx_http_ors_facts_t *facts)
{
    ngx_ors_error_t       err;
    ngx_http_ors_ctx_t   *ctx;
    ngx_http_ors_call_t  *call;

    ngx_memzero(facts, sizeof(ngx_http_ors_facts_t));

    call = ngx_http_ors_call_of(r);

    ctx = call ? call->ctx
               : ngx_http_get_module_ctx(r->main,
                                         ngx_http_open_responses_module);

    if (ctx && ctx->turn) {
        ngx_http_ors_facts_turn(r, ctx, facts);

    } else {

        /* a ctx without a turn is that of an error document */

        ngx_http_ors_facts_validator(r->main, facts);
    }

    if (ctx && ctx->error) {

        /* nginx's own refusal, or its failure, was what the client got */

        ngx_http_ors_error_of(r, r->main->headers_out.status, &err);

        facts->code = err.code;
        ngx_str_null(&facts->param);

        if (err.status < NGX_HTTP_INTERNAL_SERVER_ERROR) {
            ngx_str_set(&facts->status, "rejected");

        } else {
            ngx_str_set(&facts->status, "failed");
        }
    }
}


static void
ngx_http_ors_facts_validator(ngx_http_request_t *r, ngx_http_ors_facts_t *facts)
{
    ngx_ors_error_t            *err;
    ngx_http_ors_validator_t   *g;

    g = ngx_http_ors_validatored(r);

    if (g == NULL) {
        return;
    }

    if (g->verify.request) {
        facts->model = g->body.model;

        if (g->body.stream) {
            ngx_str_set(&facts->stream, "1");

        } else {
            ngx_str_set(&facts->stream, "0");
        }
    }

    err = g->error.status ? &g->error : &g->verify.error;

    if (err->status) {
        facts->code = err->code;
        facts->param = err->param;
    }

    if (g->refused) {
        ngx_str_set(&facts->status, "rejected");

    } else if (g->answer.state == ngx_ors_answer_st_over) {
        ngx_http_ors_facts_outcome(g->verify.error.status
                                   ? ngx_ors_response_failed
                                   : g->verify.outcome, facts);

    } else if (g->held && r->count == 0) {
        ngx_str_set(&facts->status, "canceled");
    }
}


static void
ngx_http_ors_facts_turn(ngx_http_request_t *r, ngx_http_ors_ctx_t *ctx,
    ngx_http_ors_facts_t *facts)
{
    ngx_ors_turn_t  *turn;

    turn = ctx->turn;

    /* a response that has an id is of a request that was read */

    if (turn->response.id.len) {
        facts->model = turn->request.model;

        if (turn->request.stream) {
            ngx_str_set(&facts->stream, "1");

        } else {
            ngx_str_set(&facts->stream, "0");
        }
    }

    if (ctx->target) {
        facts->target = ctx->target->uri;
    }

    if (turn->error.status) {
        facts->code = turn->error.code;
        facts->param = turn->error.param;
    }

    ngx_http_ors_facts_dialect(r, ctx, facts);
    ngx_http_ors_facts_status(r, ctx, facts);
    ngx_http_ors_facts_stored(ctx, facts);
}


static void
ngx_http_ors_facts_stored(ngx_http_ors_ctx_t *ctx,
    ngx_http_ors_facts_t *facts)
{
    ngx_ors_turn_t  *turn;

    turn = ctx->turn;

    /* a response that is passed on has an id of its own */

    if (ngx_ors_turn_translates(turn, turn->dialect) || turn->verify.held.len) {
        facts->id = turn->response.id;
    }

    if (ctx->session == NULL) {
        return;
    }

    facts->previous = ctx->session->previous;

    if (turn->state == ngx_ors_turn_st_over && !turn->error.status) {

        if (turn->response.stored) {
            ngx_str_set(&facts->stored, "1");

        } else {
            ngx_str_set(&facts->stored, "0");
        }
    }
}


/* known when the target's location is: it may be replaced on the way to it */

static void
ngx_http_ors_facts_dialect(ngx_http_request_t *r, ngx_http_ors_ctx_t *ctx,
    ngx_http_ors_facts_t *facts)
{
    ngx_uint_t                dialect;
    ngx_http_ors_loc_conf_t  *olcf;

    if (ngx_http_ors_call_of(r)) {
        olcf = ngx_http_get_module_loc_conf(r, ngx_http_open_responses_module);
        dialect = olcf->dialect;

    } else if (ctx->turn->answer.status) {
        dialect = ctx->turn->dialect;

    } else if (ctx->call && ctx->call->conf) {
        dialect = ctx->call->conf->dialect;

    } else {
        return;
    }

    switch ((ngx_ors_dialect_e) dialect) {

    case ngx_ors_dialect_responses:
        ngx_str_set(&facts->dialect, "responses");
        break;

    case ngx_ors_dialect_chat:
        ngx_str_set(&facts->dialect, "chat");
        break;
    }
}


static void
ngx_http_ors_facts_status(ngx_http_request_t *r, ngx_http_ors_ctx_t *ctx,
    ngx_http_ors_facts_t *facts)
{
    ngx_ors_turn_t  *turn;

    turn = ctx->turn;

    if (turn->state != ngx_ors_turn_st_over) {

        /* no client waits for it any more: this is for the log */

        if (r->main->count == 0) {
            ngx_str_set(&facts->status, "canceled");
        }

        return;
    }

    if (turn->error.status) {

        if (turn->answer.status == 0
            && turn->error.status < NGX_HTTP_INTERNAL_SERVER_ERROR)
        {
            ngx_str_set(&facts->status, "rejected");

        } else {
            ngx_str_set(&facts->status, "failed");
        }

        return;
    }

    if (turn->answer.status >= NGX_HTTP_BAD_REQUEST) {
        ngx_str_set(&facts->status, "failed");
        return;
    }

    ngx_http_ors_facts_outcome(turn->response.status, facts);
}


static void
ngx_http_ors_facts_outcome(ngx_ors_response_status_e status,
    ngx_http_ors_facts_t *facts)
{
    switch (status) {

    case ngx_ors_response_completed:
        ngx_str_set(&facts->status, "completed");
        break;

    case ngx_ors_response_incomplete:
        ngx_str_set(&facts->status, "incomplete");
        break;

    case ngx_ors_response_failed:
        ngx_str_set(&facts->status, "failed");
        break;

    case ngx_ors_response_cancelled:
        ngx_str_set(&facts->status, "canceled");
        break;

    case ngx_ors_response_in_progress:

        /* passed on as it came */

        break;
    }
}


/* whoever a fact is from, it goes into headers and log lines */

static ngx_int_t
ngx_http_ors_variable_fact(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_str_t             *fact;
    ngx_http_ors_facts_t   facts;

    ngx_http_ors_facts(r, &facts);

    fact = (ngx_str_t *) ((u_char *) &facts + data);

    if (fact->len == 0 || !ngx_ors_line_fits(fact)) {
        v->not_found = 1;
        return NGX_OK;
    }

    v->len = fact->len;
    v->data = fact->data;
    v->valid = 1;
    v->no_cacheable = 0;
    v->not_found = 0;

    return NGX_OK;
}


/* in the location of a hosted tool: its name, or the id of the call */

static ngx_int_t
ngx_http_ors_variable_tool(ngx_http_request_t *r, ngx_http_variable_value_t *v,
    uintptr_t data)
{
    ngx_str_t            *text;
    ngx_http_ors_tool_t  *tool;

    tool = ngx_http_ors_tool_of(r);

    if (tool == NULL) {
        v->not_found = 1;
        return NGX_OK;
    }

    text = data ? &tool->called->item->call_id
                : &tool->called->item->tool->name;

    v->len = ngx_ors_line_clean(text) ? text->len : 0;
    v->data = text->data;
    v->valid = 1;
    v->no_cacheable = 0;
    v->not_found = 0;

    return NGX_OK;
}


static ngx_int_t
ngx_http_ors_variable_uri(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    u_char               *p;
    size_t                i, len;
    ngx_str_t             args;
    const ngx_str_t      *path;
    ngx_http_ors_call_t  *call;

    static ngx_str_t  base = ngx_string("/v1");

    call = ngx_http_ors_call_of(r);

    if (call == NULL) {
        v->not_found = 1;
        return NGX_OK;
    }

    path = ngx_http_ors_upstream_path(r, call);

    args = r->main->args;

    if (call->bare
        && ngx_ors_forward_args(&r->main->args, &args, r->pool) != NGX_OK)
    {
        return NGX_ERROR;
    }

    len = base.len + path->len + (args.len ? 3 * args.len + 1 : 0);

    p = ngx_pnalloc(r->pool, len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    v->data = p;
    v->valid = 1;
    v->no_cacheable = 0;
    v->not_found = 0;

    p = ngx_cpymem(p, base.data, base.len);
    p = ngx_cpymem(p, path->data, path->len);

    if (args.len) {
        *p++ = '?';
    }

    /* a "set $args" may have put decoded text there */

    for (i = 0; i < args.len; i++) {

        if (args.data[i] <= 0x20 || args.data[i] == 0x7f) {
            p = ngx_sprintf(p, "%%%02XD", (ngx_int_t) args.data[i]);

        } else {
            *p++ = args.data[i];
        }
    }

    v->len = p - v->data;

    return NGX_OK;
}


static ngx_int_t
ngx_http_ors_variable_path(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    const ngx_str_t      *path;
    ngx_http_ors_call_t  *call;

    call = ngx_http_ors_call_of(r);

    if (call == NULL) {
        v->not_found = 1;
        return NGX_OK;
    }

    path = ngx_http_ors_upstream_path(r, call);

    v->data = path->data;
    v->len = path->len;
    v->valid = 1;
    v->no_cacheable = 0;
    v->not_found = 0;

    return NGX_OK;
}


/* what a server of the target's dialect has the endpoint under */

static const ngx_str_t *
ngx_http_ors_upstream_path(ngx_http_request_t *r, ngx_http_ors_call_t *call)
{
    ngx_http_ors_loc_conf_t  *olcf;

    olcf = ngx_http_get_module_loc_conf(r, ngx_http_open_responses_module);

    return ngx_ors_turn_translates(call->ctx->turn, olcf->dialect)
           ? &ngx_ors_endpoint(ngx_ors_endpoint_chat)->path
           : &call->ctx->endpoint->path;
}


ngx_int_t
ngx_http_ors_variables_add(ngx_conf_t *cf)
{
    ngx_http_variable_t  *var, *v;

    for (v = ngx_http_ors_variables; v->name.len; v++) {

        var = ngx_http_add_variable(cf, &v->name, v->flags);
        if (var == NULL) {
            return NGX_ERROR;
        }

        var->get_handler = v->get_handler;
        var->data = v->data;
    }

    return NGX_OK;
}
