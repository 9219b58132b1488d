
/*
 * Copyright (C) Open Responses contributors
 */


/* Variables of a turn, from its request to its end. */


#include <ngx_ors_facts.h>

#include "session_env.h"


static void test_read(void);
static void test_over(void);
static void test_verify(void);
static void test_error(void);
static ngx_ors_facts_t *test_facts(env_request_t *r, ngx_uint_t gone);


int
main(void)
{
    test_read();
    test_over();
    test_verify();
    test_error();

    return done_testing();
}


static void
test_read(void)
{
    env_t              env;
    env_request_t      r;
    ngx_ors_facts_t   *facts;
    ngx_ors_verify_t   verify;

    env_init(&env);
    env_request(&env, &r, "{'model':'m','input':'x','stream':true}");

    facts = test_facts(&r, 0);

    is_str(&facts->model, "m", "a request that was read has a model");
    is_str(&facts->stream, "1", "... asks for a stream");
    is_int(facts->status.len, 0, "... and has no status");
    is_int(facts->stored.len, 0, "... nor is it stored");
    is_int(facts->id.len, 0, "... and its response may have another id");

    ok(!facts->input.known && !facts->rounds.known, "nothing is counted");
    ok(!ngx_ors_facts_begun(r.turn), "the model has said nothing");

    r.turn->answer.status = 200;
    r.turn->round.n = 2;
    r.turn->round.ncalls = 5;
    r.turn->response.usage.known = 1;
    r.turn->response.usage.input = 1;
    r.turn->response.usage.reasoning = 4;
    facts = test_facts(&r, 0);
    is_int(facts->rounds.n, 3, "rounds");
    is_int(facts->calls.n, 5, "calls of tools");
    ok(facts->input.known && facts->output.known, "usage is known");
    is_int(facts->input.n, 1, "input tokens");
    is_int(facts->reasoning.n, 4, "reasoning tokens");

    ngx_memzero(&verify, sizeof(ngx_ors_verify_t));
    verify.usage.known = 1;
    verify.usage.cached = 7;
    verify.begun = 1;
    r.turn->verify = &verify;
    facts = test_facts(&r, 0);
    is_int(facts->cached.n, 7, "what the server has counted itself");
    is_int(facts->input.n, 0, "... and all of it");
    ok(ngx_ors_facts_begun(r.turn), "a server's stream has begun");

    r.turn->answer.status = 0;

    r.turn->dialect = ngx_ors_dialect_chat;
    ngx_str_set(&r.turn->response.previous, "resp_1");
    facts = test_facts(&r, 0);
    ok(facts->id.len != 0, "... than one that is translated");
    is_str(&facts->previous, "resp_1", "what it continues");

    facts = test_facts(&r, 1);
    is_str(&facts->status, "canceled", "its client leaves");

    env_close(&r);
    env_done(&env);
}


static void
test_over(void)
{
    env_t             env;
    env_request_t     r;
    ngx_ors_facts_t  *facts;

    env_init(&env);
    env_request(&env, &r, "{'model':'m','input':'x','store':false}");

    r.turn->state = ngx_ors_turn_st_over;
    r.turn->answer.status = 200;
    r.turn->response.status = ngx_ors_response_incomplete;

    facts = test_facts(&r, 0);
    is_str(&facts->status, "incomplete", "a turn that has ended");
    is_str(&facts->stream, "0", "... in one document");
    is_str(&facts->stored, "0", "... not stored");

    r.turn->response.stored = 1;
    r.turn->response.status = ngx_ors_response_cancelled;

    facts = test_facts(&r, 1);
    is_str(&facts->status, "canceled", "a turn that was cancelled");
    is_str(&facts->stored, "1", "... and stored");

    r.turn->answer.status = 429;

    (void) ngx_ors_error_set(&r.turn->error, env.pool,
                             ngx_ors_code_invalid_value, "text");
    ngx_str_set(&r.turn->error.param, "model");

    facts = test_facts(&r, 0);
    is_str(&facts->status, "failed", "... with an error of its own");
    is_str(&facts->code, "invalid_value", "... its code");
    is_str(&facts->param, "model", "... its param");
    is_int(facts->stored.len, 0, "... not stored");

    r.turn->answer.status = 0;
    facts = test_facts(&r, 0);
    is_str(&facts->status, "rejected", "an error before the upstream");

    r.turn->error.status = 502;
    facts = test_facts(&r, 0);
    is_str(&facts->status, "failed", "an upstream that cannot be reached");

    env_close(&r);
    env_done(&env);
}


static void
test_verify(void)
{
    ngx_ors_error_t    err;
    ngx_ors_facts_t    facts;
    ngx_ors_answer_t   answer;
    ngx_ors_verify_t   verify;

    ngx_memzero(&err, sizeof(ngx_ors_error_t));
    ngx_memzero(&facts, sizeof(ngx_ors_facts_t));
    ngx_memzero(&answer, sizeof(ngx_ors_answer_t));
    ngx_memzero(&verify, sizeof(ngx_ors_verify_t));

    verify.answer = &answer;

    ngx_ors_facts_verify(&facts, &verify, &err, 0, 0);
    is_int(facts.status.len + facts.model.len, 0, "a validator in the middle");

    ngx_ors_facts_verify(&facts, &verify, &err, 0, 1);
    is_str(&facts.status, "canceled", "its client leaves");

    answer.state = ngx_ors_answer_st_over;
    verify.outcome = ngx_ors_response_completed;

    ngx_ors_facts_verify(&facts, &verify, &err, 0, 0);
    is_str(&facts.status, "completed", "an answer that passes");

    verify.error.status = 502;
    verify.error.class = ngx_ors_class_invalid_answer;
    ngx_str_set(&verify.error.code, "invalid");

    ngx_ors_facts_verify(&facts, &verify, &err, 0, 0);
    is_str(&facts.status, "failed", "an answer that does not");
    is_str(&facts.code, "invalid", "... its code");

    verify.refused = 1;
    verify.report = 1;

    ngx_ors_facts_verify(&facts, &verify, &err, 0, 0);
    is_str(&facts.status, "completed", "... and is only reported");

    err.status = 400;
    ngx_str_set(&err.code, "mistake");

    ngx_ors_facts_verify(&facts, &verify, &err, 1, 0);
    is_str(&facts.status, "rejected", "a request that does not pass");
    is_str(&facts.code, "mistake", "... its code comes first");
}


static void
test_error(void)
{
    ngx_ors_error_t  err;
    ngx_ors_facts_t  facts;

    ngx_memzero(&err, sizeof(ngx_ors_error_t));
    ngx_memzero(&facts, sizeof(ngx_ors_facts_t));

    ngx_str_set(&facts.param, "input");
    ngx_str_set(&err.code, "rate_limit_exceeded");
    err.status = 429;

    ngx_ors_facts_error(&facts, &err);
    is_str(&facts.status, "rejected", "nginx refuses");
    is_str(&facts.code, "rate_limit_exceeded", "... its code");
    is_int(facts.param.len, 0, "... and no field");

    err.status = 500;
    ngx_ors_facts_error(&facts, &err);
    is_str(&facts.status, "failed", "nginx fails");

    ngx_ors_facts_dialect(&facts, ngx_ors_dialect_chat);
    is_str(&facts.dialect, "chat", "a dialect");
}


static ngx_ors_facts_t *
test_facts(env_request_t *r, ngx_uint_t gone)
{
    static ngx_ors_facts_t  facts;

    ngx_memzero(&facts, sizeof(ngx_ors_facts_t));
    ngx_ors_facts_turn(&facts, r->turn, r->session, gone);

    return &facts;
}
