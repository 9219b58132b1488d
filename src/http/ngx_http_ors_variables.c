
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Variables of the module, and the facts of a request that they show.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_subrequest.h>
#include <ngx_http_ors_validator.h>
#include <ngx_ors_facts.h>
#include <ngx_ors_forward.h>
#include <ngx_ors_error.h>


#define NGX_HTTP_ORS_VARIABLES_MAX_SIZE  4096


typedef struct {
    ngx_str_t                      name;
    ngx_http_get_variable_pt       get;
    uintptr_t                      data;
} ngx_http_ors_variable_t;


static void ngx_http_ors_facts(ngx_http_request_t *r, ngx_ors_facts_t *facts);
static ngx_int_t ngx_http_ors_variable_fact(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_ors_variable_count(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_ors_variable_first(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_ors_variable_upstream(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_ors_variable_number(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, int64_t n, ngx_uint_t ms);
static ngx_http_ors_ctx_t *ngx_http_ors_variable_ctx(ngx_http_request_t *r);
static ngx_int_t ngx_http_ors_variable_tool(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_ors_variable_uri(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_ors_variable_set(ngx_http_variable_value_t *v,
    const ngx_str_t *text);


/*
 * A main request and its subrequests share their variables, and most of
 * these become known while the request goes on
 */

static ngx_http_ors_variable_t  ngx_http_ors_variables[] = {
    { ngx_string("open_responses_model"),
      ngx_http_ors_variable_fact, offsetof(ngx_ors_facts_t, model) },
    { ngx_string("open_responses_target"),
      ngx_http_ors_variable_fact, offsetof(ngx_ors_facts_t, target) },
    { ngx_string("open_responses_dialect"),
      ngx_http_ors_variable_fact, offsetof(ngx_ors_facts_t, dialect) },
    { ngx_string("open_responses_stream"),
      ngx_http_ors_variable_fact, offsetof(ngx_ors_facts_t, stream) },
    { ngx_string("open_responses_status"),
      ngx_http_ors_variable_fact, offsetof(ngx_ors_facts_t, status) },
    { ngx_string("open_responses_error_code"),
      ngx_http_ors_variable_fact, offsetof(ngx_ors_facts_t, code) },
    { ngx_string("open_responses_error_param"),
      ngx_http_ors_variable_fact, offsetof(ngx_ors_facts_t, param) },
    { ngx_string("open_responses_id"),
      ngx_http_ors_variable_fact, offsetof(ngx_ors_facts_t, id) },
    { ngx_string("open_responses_previous_id"),
      ngx_http_ors_variable_fact, offsetof(ngx_ors_facts_t, previous) },
    { ngx_string("open_responses_stored"),
      ngx_http_ors_variable_fact, offsetof(ngx_ors_facts_t, stored) },
    { ngx_string("open_responses_ignored_fields"),
      ngx_http_ors_variable_fact, offsetof(ngx_ors_facts_t, ignored) },
    { ngx_string("open_responses_input_tokens"),
      ngx_http_ors_variable_count, offsetof(ngx_ors_facts_t, input) },
    { ngx_string("open_responses_cached_tokens"),
      ngx_http_ors_variable_count, offsetof(ngx_ors_facts_t, cached) },
    { ngx_string("open_responses_output_tokens"),
      ngx_http_ors_variable_count, offsetof(ngx_ors_facts_t, output) },
    { ngx_string("open_responses_reasoning_tokens"),
      ngx_http_ors_variable_count, offsetof(ngx_ors_facts_t, reasoning) },
    { ngx_string("open_responses_rounds"),
      ngx_http_ors_variable_count, offsetof(ngx_ors_facts_t, rounds) },
    { ngx_string("open_responses_tool_calls"),
      ngx_http_ors_variable_count, offsetof(ngx_ors_facts_t, calls) },
    { ngx_string("open_responses_first_token_time"),
      ngx_http_ors_variable_first, 0 },
    { ngx_string("open_responses_upstream_addr"),
      ngx_http_ors_variable_upstream,
      offsetof(ngx_http_upstream_state_t, peer) },
    { ngx_string("open_responses_upstream_status"),
      ngx_http_ors_variable_upstream,
      offsetof(ngx_http_upstream_state_t, status) },
    { ngx_string("open_responses_upstream_time"),
      ngx_http_ors_variable_upstream,
      offsetof(ngx_http_upstream_state_t, response_time) },
    { ngx_string("open_responses_tool_name"),
      ngx_http_ors_variable_tool, 0 },
    { ngx_string("open_responses_tool_call_id"),
      ngx_http_ors_variable_tool, 1 },
    { ngx_string("open_responses_uri"),
      ngx_http_ors_variable_uri, 0 },
    { ngx_string("open_responses_path"),
      ngx_http_ors_variable_uri, 1 },
    { ngx_null_string, NULL, 0 }
};


static void
ngx_http_ors_facts(ngx_http_request_t *r, ngx_ors_facts_t *facts)
{
    ngx_ors_error_t            err;
    ngx_http_ors_ctx_t        *ctx;
    ngx_http_ors_loc_conf_t   *olcf;
    ngx_http_ors_validator_t  *vr;

    ngx_memzero(facts, sizeof(ngx_ors_facts_t));

    ctx = ngx_http_ors_variable_ctx(r);

    if (ctx && ctx->turn) {

        /* no count of references: the request is being logged */

        ngx_ors_facts_turn(facts, ctx->turn, ctx->session,
                           r->main->count == 0);

        if (ctx->target) {
            facts->target = ctx->target->uri;
        }

        /* a target's location may be replaced on the way to it */

        if (ngx_http_ors_call_of(r)) {
            olcf = ngx_http_get_module_loc_conf(r,
                                              ngx_http_open_responses_module);
            ngx_ors_facts_dialect(facts, olcf->dialect);

        } else if (ctx->turn->answer.status) {
            ngx_ors_facts_dialect(facts, ctx->turn->dialect);

        } else if (ctx->call && ctx->call->conf) {
            ngx_ors_facts_dialect(facts, ctx->call->conf->dialect);
        }

    } else {

        /* a ctx without a turn is that of an error document */

        vr = ngx_http_ors_validator_find(r->main);

        if (vr) {
            ngx_ors_facts_verify(facts, &vr->verify, &vr->error, vr->refused,
                                 vr->held && r->main->count == 0);
        }
    }

    if (ctx && ctx->error) {

        /* the client got nginx's own refusal, or its failure */

        ngx_http_ors_error_of(r, r->main->headers_out.status, &err);
        ngx_ors_facts_error(facts, &err);
    }
}


/* a fact goes into headers and log lines, wherever it comes from */

static ngx_int_t
ngx_http_ors_variable_fact(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_str_t        *fact;
    ngx_ors_facts_t   facts;

    ngx_http_ors_facts(r, &facts);

    fact = (ngx_str_t *) ((u_char *) &facts + data);

    return ngx_http_ors_variable_set(v, (fact->len && ngx_ors_line_fits(fact))
                                        ? fact : NULL);
}


static ngx_int_t
ngx_http_ors_variable_count(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_ors_facts_t        facts;
    ngx_ors_fact_count_t  *fact;

    ngx_http_ors_facts(r, &facts);

    fact = (ngx_ors_fact_count_t *) ((u_char *) &facts + data);

    return ngx_http_ors_variable_number(r, v, fact->known ? fact->n : -1,
                                        0);
}


static ngx_int_t
ngx_http_ors_variable_first(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_http_ors_ctx_t        *ctx;
    ngx_http_ors_validator_t  *vr;

    ctx = ngx_http_ors_variable_ctx(r);

    if (ctx && ctx->turn) {
        return ngx_http_ors_variable_number(r, v, ctx->first_token, 1);
    }

    vr = ngx_http_ors_validator_find(r->main);

    return ngx_http_ors_variable_number(r, v, vr ? vr->first_token : -1, 1);
}


/* the last server of the last call, or of the request that is validated */

static ngx_int_t
ngx_http_ors_variable_upstream(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_uint_t                  n;
    ngx_http_ors_ctx_t         *ctx;
    ngx_http_request_t         *called;
    ngx_http_upstream_state_t  *state;

    ctx = ngx_http_ors_variable_ctx(r);

    if (ctx && ctx->turn) {
        called = ctx->call ? ctx->call->request : NULL;

    } else {
        called = ngx_http_ors_validator_find(r->main) ? r->main : NULL;
    }

    n = (called && called->upstream_states) ? called->upstream_states->nelts
                                            : 0;
    state = n ? called->upstream_states->elts : NULL;

    while (n && state[n - 1].peer == NULL) {
        n--;
    }

    if (n == 0) {
        return ngx_http_ors_variable_set(v, NULL);
    }

    state += n - 1;

    switch (data) {

    case offsetof(ngx_http_upstream_state_t, peer):
        return ngx_http_ors_variable_set(v, state->peer);

    case offsetof(ngx_http_upstream_state_t, status):
        return ngx_http_ors_variable_number(r, v, state->status
                                                  ? (int64_t) state->status
                                                  : -1, 0);

    default: /* response_time */
        return ngx_http_ors_variable_number(r, v,
                                        (ngx_msec_int_t) state->response_time,
                                            1);
    }
}


/* negative: not known, no variable; "ms": seconds with milliseconds */

static ngx_int_t
ngx_http_ors_variable_number(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, int64_t n, ngx_uint_t ms)
{
    u_char     *last;
    ngx_str_t   text;

    if (n < 0) {
        return ngx_http_ors_variable_set(v, NULL);
    }

    text.data = ngx_pnalloc(r->pool, NGX_INT64_LEN + 4);
    if (text.data == NULL) {
        return NGX_ERROR;
    }

    last = ms ? ngx_sprintf(text.data, "%L.%03L", n / 1000, n % 1000)
              : ngx_sprintf(text.data, "%L", n);

    text.len = last - text.data;

    return ngx_http_ors_variable_set(v, &text);
}


static ngx_http_ors_ctx_t *
ngx_http_ors_variable_ctx(ngx_http_request_t *r)
{
    ngx_http_ors_call_t  *call;

    call = ngx_http_ors_call_of(r);

    return call ? call->ctx
                : ngx_http_get_module_ctx(r->main,
                                          ngx_http_open_responses_module);
}


/* in the location of a hosted tool: what the model calls, or the call's id */

static ngx_int_t
ngx_http_ors_variable_tool(ngx_http_request_t *r, ngx_http_variable_value_t *v,
    uintptr_t data)
{
    ngx_str_t             *text;
    ngx_http_ors_call_t   *call;
    ngx_ors_round_call_t  *called;

    call = ngx_http_ors_subrequest_of(r, NULL);
    called = call ? call->called : NULL;

    if (called == NULL) {
        return ngx_http_ors_variable_set(v, NULL);
    }

    text = data ? &called->item->call_id : &called->item->tool->name;

    (void) ngx_http_ors_variable_set(v, text);

    if (!ngx_ors_line_clean(text)) {
        v->len = 0;
    }

    return NGX_OK;
}


/*
 * Path of the endpoint at a server of the target's dialect: with "data" alone,
 * else with the arguments
 */

static ngx_int_t
ngx_http_ors_variable_uri(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_str_t                 args, base, uri;
    const ngx_str_t          *path;
    ngx_http_ors_call_t      *call;
    ngx_http_ors_loc_conf_t  *olcf;

    call = ngx_http_ors_call_of(r);

    if (call == NULL) {
        return ngx_http_ors_variable_set(v, NULL);
    }

    olcf = ngx_http_get_module_loc_conf(r, ngx_http_open_responses_module);

    path = ngx_ors_turn_path(call->ctx->turn, olcf->dialect, &olcf->options,
                             &base);

    if (data) {
        return ngx_http_ors_variable_set(v, path);
    }

    args = r->main->args;

    if ((call->bare
         && ngx_ors_forward_args(&r->main->args, &args, r->pool) != NGX_OK)
        || ngx_ors_forward_uri(&base, path, &args, r->pool, &uri) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_ors_variable_set(v, &uri);
}


/* NULL: the variable has no value */

static ngx_int_t
ngx_http_ors_variable_set(ngx_http_variable_value_t *v, const ngx_str_t *text)
{
    if (text == NULL) {
        v->not_found = 1;
        return NGX_OK;
    }

    v->data = text->data;
    v->len = text->len;
    v->valid = 1;
    v->no_cacheable = 0;
    v->not_found = 0;

    return NGX_OK;
}


ngx_int_t
ngx_http_ors_variables_add(ngx_conf_t *cf)
{
    ngx_http_variable_t      *var;
    ngx_http_ors_variable_t  *v;

    for (v = ngx_http_ors_variables; v->name.len; v++) {

        var = ngx_http_add_variable(cf, &v->name, NGX_HTTP_VAR_NOCACHEABLE);
        if (var == NULL) {
            return NGX_ERROR;
        }

        var->get_handler = v->get;
        var->data = v->data;
    }

    return ngx_http_ors_conf_watch(cf);
}


/*
 * Names as long as these share no bucket of the default size, and nginx with
 * many modules may find no table for all names up to the default maximum: it
 * would warn at each start
 */

void
ngx_http_ors_variables_room(ngx_conf_t *cf)
{
    ngx_http_core_main_conf_t  *cmcf;

    cmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);

    cmcf->variables_hash_max_size = ngx_max(cmcf->variables_hash_max_size,
                                            NGX_HTTP_ORS_VARIABLES_MAX_SIZE);
}
