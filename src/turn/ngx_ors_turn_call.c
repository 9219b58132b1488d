
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * A call of a turn to its target: the body for it, and what must come first,
 * such as lists of MCP servers.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_answer.h>
#include <ngx_ors_chat_request.h>
#include <ngx_ors_event.h>
#include <ngx_ors_json_writer.h>
#include <ngx_ors_request.h>
#include <ngx_ors_round.h>
#include <ngx_ors_turn.h>
#include <ngx_ors_violation.h>


static ngx_int_t ngx_ors_turn_write(ngx_ors_turn_t *turn, ngx_str_t *model,
    ngx_ors_out_t *out);
static ngx_int_t ngx_ors_turn_translate(ngx_ors_turn_t *turn,
    const ngx_ors_chat_options_t *options, ngx_str_t *model,
    ngx_ors_out_t *out);
static ngx_int_t ngx_ors_turn_tokenize(ngx_ors_turn_t *turn,
    ngx_str_t *model, ngx_ors_out_t *out);
static ngx_uint_t ngx_ors_turn_claims(ngx_ors_turn_t *turn);
static ngx_int_t ngx_ors_turn_approved(ngx_ors_turn_t *turn);
static ngx_uint_t ngx_ors_turn_seals_input(ngx_ors_request_t *req);
static ngx_uint_t ngx_ors_turn_sealed(ngx_ors_input_item_t *item);


ngx_int_t
ngx_ors_turn_call(ngx_ors_turn_t *turn, ngx_ors_dialect_e dialect,
    const ngx_ors_chat_options_t *options, ngx_str_t *model, ngx_ors_out_t *out)
{
    ngx_int_t  rc;

    turn->dialect = dialect;

    if (ngx_ors_turn_translates(turn, dialect)) {
        rc = ngx_ors_turn_translate(turn, options, model, out);

        if (rc == NGX_OK) {
            rc = ngx_ors_request_ignore(&turn->request, 1);
        }

        return (rc == NGX_DECLINED) ? ngx_ors_turn_fail(turn) : rc;
    }

    if (turn->round.n || turn->summary) {
        (void) ngx_ors_error_set(&turn->error, turn->pool,
                                 ngx_ors_code_upstream_unavailable,
                                 "the model server cannot go on with the "
                                 "response of another one");
        turn->error.class = ngx_ors_class_gateway;
        return ngx_ors_turn_fail(turn);
    }

    if (ngx_ors_turn_write(turn, model, out) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_ors_request_ignore(&turn->request, 0);
}


/*
 * The bytes that were checked are the bytes that are sent, but for reasoning
 * that was sealed here: no other server can open it, and most refuse it
 */

static ngx_int_t
ngx_ors_turn_write(ngx_ors_turn_t *turn, ngx_str_t *model, ngx_ors_out_t *out)
{
    ngx_uint_t             i, merged;
    ngx_ors_input_t        input;
    ngx_ors_request_t     *req;
    ngx_ors_input_item_t  *item;

    req = &turn->request;
    input = req->input;
    merged = req->merged;

    if (turn->sealer && ngx_ors_turn_seals_input(req)) {
        req->input.n = 0;
        req->input.items = ngx_palloc(turn->pool, input.n
                                              * sizeof(ngx_ors_input_item_t));
        if (req->input.items == NULL) {
            req->input = input;
            return NGX_ERROR;
        }

        for (i = 0; i < input.n; i++) {
            item = &input.items[i];

            if (item->kind != ngx_ors_input_reasoning
                || !ngx_ors_turn_sealed(item))
            {
                req->input.items[req->input.n++] = *item;
            }
        }

        req->merged = 1;
    }

    ngx_ors_request_write(req, model, out);

    req->input = input;
    req->merged = merged;

    return NGX_OK;
}


static ngx_int_t
ngx_ors_turn_translate(ngx_ors_turn_t *turn,
    const ngx_ors_chat_options_t *options, ngx_str_t *model, ngx_ors_out_t *out)
{
    ngx_int_t               rc;
    ngx_ors_builder_t      *builder;
    ngx_ors_request_t      *req;
    ngx_ors_chat_target_t   target;

    req = &turn->request;
    builder = &turn->builder;

    if (ngx_ors_request_counts(req) && options->count == ngx_ors_chat_count_off)
    {
        return ngx_ors_error_set(&turn->error, turn->pool,
                                 ngx_ors_code_not_implemented,
                                 "the tokens of a request cannot be counted, "
                                 "no tokenizer of this model's server is "
                                 "known here");
    }

    if (turn->rendered.len) {
        return ngx_ors_turn_tokenize(turn, model, out);
    }

    if (req->compact && turn->sealer == NULL) {
        return ngx_ors_error_set(&turn->error, turn->pool,
                                 ngx_ors_code_not_implemented,
                                 "a compaction needs a key to be sealed with, "
                                 "and \"open_responses_secret\" is not set "
                                 "here");
    }

    target.model = model->len ? model : &req->model;
    target.options = options;
    target.provider = turn->provider;
    target.sealer = turn->sealer;
    target.maker = &turn->maker;
    target.media = 0;
    target.effortless = turn->effortless;
    target.prompt = turn->prompt;
    target.hosting = turn->round.hosting;

    /* "tool_choice" applies to the first round only */

    target.calls = (turn->round.n > turn->round.conform.repeats)
                   ? ngx_ors_chat_calls_auto : ngx_ors_chat_calls_asked;

    if (turn->round.last) {
        target.calls = ngx_ors_chat_calls_none;
    }

    builder->check = (turn->round.conform.mode != ngx_ors_conform_off
                      && !req->compact);
    builder->hold = (builder->check
                     && turn->round.conform.mode == ngx_ors_conform_enforce);

    if (builder->check) {
        ngx_ors_conform_format(req, &builder->schema);
    }

    builder->wants_logprobs = ngx_ors_chat_wants_logprobs(req);
    builder->sealer = NULL;
    builder->keeper = turn->sealer;
    builder->maker = &turn->maker;
    builder->state.names = options->state;
    builder->state.pool = turn->pool;

    ngx_memzero(&builder->tags, sizeof(ngx_ors_tags_t));
    builder->tags.mode = options->think;

    rc = ngx_ors_chat_request(req, &target, &turn->tools, out, &turn->error);

    if (rc != NGX_OK) {
        return rc;
    }

    if (ngx_ors_compact_due(turn, out->size - target.media)) {

        if (ngx_ors_out_drop(out) != NGX_OK) {
            return NGX_ERROR;
        }

        ngx_ors_compact_ask(turn);

        return ngx_ors_turn_translate(turn, options, model, out);
    }

    if (req->compact) {
        builder->choice.none = 1;
        return NGX_OK;
    }

    if (ngx_ors_request_includes(req, "reasoning.encrypted_content")) {
        builder->sealer = turn->sealer;
    }

    return ngx_ors_choice_read(&builder->choice, &turn->tools, req,
                               target.calls);
}


/* as the server does itself with the prompt of a request */

static ngx_int_t
ngx_ors_turn_tokenize(ngx_ors_turn_t *turn, ngx_str_t *model,
    ngx_ors_out_t *out)
{
    if (model->len == 0) {
        model = &turn->request.model;
    }

    ngx_ors_out_lit(out, "{\"model\":");
    ngx_ors_json_quote(out, model->data, model->len);
    ngx_ors_out_lit(out, ",\"content\":\"");
    ngx_ors_out_ref(out, turn->rendered.data, turn->rendered.len);
    ngx_ors_out_lit(out, "\",\"add_special\":true,\"parse_special\":true}");

    return NGX_OK;
}


const ngx_str_t *
ngx_ors_turn_path(ngx_ors_turn_t *turn, ngx_ors_dialect_e dialect,
    const ngx_ors_chat_options_t *options, ngx_str_t *base)
{
    static const ngx_str_t  template = ngx_string("/apply-template");
    static const ngx_str_t  tokenize = ngx_string("/tokenize");

    ngx_str_set(base, "/v1");

    if (!ngx_ors_turn_translates(turn, dialect)) {
        return &turn->request.endpoint->path;
    }

    if (!ngx_ors_request_counts(&turn->request)) {
        return &ngx_ors_endpoint(ngx_ors_endpoint_chat)->path;
    }

    /* tokenizers are no part of the API */

    base->len = 0;

    return (options->count == ngx_ors_chat_count_template
            && turn->rendered.len == 0)
           ? &template : &tokenize;
}


ngx_int_t
ngx_ors_turn_servers(ngx_ors_turn_t *turn, ngx_ors_dialect_e dialect)
{
    ngx_int_t            rc;
    ngx_ors_hosting_t   *hosting;
    ngx_ors_mcp_uses_t  *uses;

    uses = &turn->mcp;
    hosting = turn->round.hosting;

    if (!ngx_ors_turn_translates(turn, dialect)) {
        return NGX_OK;
    }

    turn->dialect = dialect;

    if (turn->claiming) {
        return turn->claimed ? ngx_ors_turn_approved(turn) : NGX_BUSY;
    }

    if (uses->ready || turn->request.compact || hosting == NULL
        || hosting->servers == NULL)
    {
        return NGX_OK;
    }

    if (!uses->read) {
        uses->read = 1;

        rc = ngx_ors_mcp_uses_read(uses, &turn->request, hosting,
                                   &turn->error);

        /* a response to an unknown request is a 400, no stream that fails */

        if (rc == NGX_OK && uses->n) {
            rc = ngx_ors_approvals_read(&turn->approvals,
                                        &turn->request.input,
                                        turn->request.prior, turn->pool,
                                        &turn->error);
        }

        if (rc != NGX_OK) {
            return (rc == NGX_DECLINED) ? ngx_ors_turn_fail(turn) : NGX_ERROR;
        }

        if (uses->n && turn->builder.stream) {
            ngx_ors_builder_start(&turn->builder);
            ngx_ors_turn_respond(turn);
        }

        if (ngx_ors_mcp_uses_show(uses, &turn->builder) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    if (uses->left) {
        return NGX_AGAIN;
    }

    uses->ready = 1;

    if (uses->n == 0) {
        return NGX_OK;
    }

    turn->round.hosting = &uses->hosting;

    /* lists stay when a target fails */

    ngx_ors_builder_next(&turn->builder);

    rc = ngx_ors_mcp_uses_functions(uses, &turn->request, &turn->error);

    if (rc == NGX_OK) {
        rc = ngx_ors_round_mcp_check(&turn->round, &turn->request,
                                     &turn->approvals, &turn->error);
    }

    if (rc != NGX_OK) {
        return (rc == NGX_DECLINED) ? ngx_ors_turn_fail(turn) : NGX_ERROR;
    }

    /* nothing runs for a count */

    if (turn->approvals.napproved == 0
        || ngx_ors_request_counts(&turn->request))
    {
        return NGX_OK;
    }

    turn->claiming = ngx_ors_turn_claims(turn);

    return turn->claiming ? NGX_BUSY : ngx_ors_turn_approved(turn);
}


/*
 * 1 if some approved call is that of a stored request, in the conversation or
 * referred to: other responses can be answers to it
 */

static ngx_uint_t
ngx_ors_turn_claims(ngx_ors_turn_t *turn)
{
    ngx_uint_t           i;
    ngx_ors_request_t   *req;
    ngx_ors_approval_t  *approval;

    req = &turn->request;

    for (i = 0; i < turn->approvals.n; i++) {
        approval = &turn->approvals.elts[i];

        if (approval->state == ngx_ors_approval_approved
            && req->input.items[approval->item].json != &req->json)
        {
            return 1;
        }
    }

    return 0;
}


/* calls that the client has approved of run in front of the model's answer */

static ngx_int_t
ngx_ors_turn_approved(ngx_ors_turn_t *turn)
{
    turn->claiming = 0;

    if (ngx_ors_round_approved(&turn->round, &turn->builder,
                               &turn->approvals)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    turn->state = ngx_ors_turn_st_tools;

    return NGX_DONE;
}


ngx_int_t
ngx_ors_turn_unrouted(ngx_ors_turn_t *turn)
{
    u_char                buf[NGX_ORS_VIOLATION_QUOTE];
    u_char                from[NGX_ORS_VIOLATION_QUOTE];
    ngx_str_t             name, provider;
    ngx_ors_request_t    *req;
    ngx_ors_violation_t   m;

    req = &turn->request;

    ngx_ors_violation_init(&m, &req->json, 0);
    ngx_ors_violation_quote(&m, req->name, buf, &name);

    if (req->provider.len) {
        ngx_ors_violation_quote(&m, req->field[ngx_ors_rq_provider], from,
                                &provider);

        (void) ngx_ors_error_set(&turn->error, turn->pool,
                                 ngx_ors_code_model_not_found,
                                 "there is no model \"%V\" of a provider "
                                 "\"%V\" here", &name, &provider);
        ngx_str_set(&turn->error.param, "provider");

    } else {
        (void) ngx_ors_error_set(&turn->error, turn->pool,
                                 ngx_ors_code_model_not_found,
                                 "there is no model \"%V\" here", &name);
        ngx_str_set(&turn->error.param, "model");
    }

    return ngx_ors_turn_fail(turn);
}


ngx_uint_t
ngx_ors_turn_seals(ngx_ors_turn_t *turn)
{
    ngx_ors_request_t  *req;

    req = &turn->request;

    return req->compact || ngx_ors_request_threshold(req)
           || ngx_ors_request_includes(req, "reasoning.encrypted_content")
           || ngx_ors_turn_seals_input(req);
}


static ngx_uint_t
ngx_ors_turn_seals_input(ngx_ors_request_t *req)
{
    ngx_uint_t  i;

    for (i = 0; i < req->input.n; i++) {

        if (ngx_ors_turn_sealed(&req->input.items[i])) {
            return 1;
        }
    }

    return 0;
}


static ngx_uint_t
ngx_ors_turn_sealed(ngx_ors_input_item_t *item)
{
    ngx_str_t             text;
    ngx_ors_json_node_t  *node;

    node = ngx_ors_input_node(item, item->encrypted);

    if (node == NULL || node->type != ngx_ors_json_string) {
        return 0;
    }

    ngx_ors_json_raw(item->json, node, &text);

    return ngx_ors_seal_is(&text);
}
