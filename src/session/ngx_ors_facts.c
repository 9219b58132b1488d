
/*
 * Copyright (C) Open Responses contributors
 */


/* Outcomes of requests, in words. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_facts.h>


static void ngx_ors_facts_request(ngx_ors_facts_t *facts,
    ngx_ors_request_t *req);
static void ngx_ors_facts_usage(ngx_ors_facts_t *facts,
    ngx_ors_usage_t *usage);
static void ngx_ors_facts_count(ngx_ors_fact_count_t *fact, int64_t n);
static void ngx_ors_facts_status(ngx_ors_facts_t *facts, ngx_ors_turn_t *turn,
    ngx_uint_t gone);
static void ngx_ors_facts_flag(ngx_str_t *fact, ngx_uint_t set);


void
ngx_ors_facts_turn(ngx_ors_facts_t *facts, ngx_ors_turn_t *turn,
    ngx_ors_session_t *session, ngx_uint_t gone)
{
    /* a response that has an id is of a request that was read */

    if (turn->response.id.len) {
        ngx_ors_facts_request(facts, &turn->request);
    }

    if (turn->error.status) {
        facts->code = turn->error.code;
        facts->param = turn->error.param;
    }

    /* of a turn that a WebSocket continues, no session knows it */

    facts->previous = turn->response.previous;

    /* a response that is passed on has an id of its own */

    if (ngx_ors_turn_translates(turn, turn->dialect)
        || ngx_ors_turn_held(turn))
    {
        facts->id = turn->response.id;
    }

    ngx_ors_facts_status(facts, turn, gone);

    ngx_ors_facts_usage(facts, ngx_ors_turn_usage(turn));

    if (turn->answer.status || turn->round.n) {
        ngx_ors_facts_count(&facts->rounds, turn->round.n + 1
                                            + ngx_ors_turn_compacted(turn));
        ngx_ors_facts_count(&facts->calls, turn->round.ncalls);
    }

    if (session && session->previous.len) {
        facts->previous = session->previous;
    }

    if (session && turn->state == ngx_ors_turn_st_over
        && !turn->error.status)
    {
        ngx_ors_facts_flag(&facts->stored, turn->response.stored);
    }
}


ngx_uint_t
ngx_ors_facts_begun(ngx_ors_turn_t *turn)
{
    return (turn->verify && turn->verify->begun)
           || (turn->builder.stream && turn->response.nitems);
}


static void
ngx_ors_facts_usage(ngx_ors_facts_t *facts, ngx_ors_usage_t *usage)
{
    if (!usage->known) {
        return;
    }

    ngx_ors_facts_count(&facts->input, usage->input);
    ngx_ors_facts_count(&facts->cached, usage->cached);
    ngx_ors_facts_count(&facts->output, usage->output);
    ngx_ors_facts_count(&facts->reasoning, usage->reasoning);
}


static void
ngx_ors_facts_count(ngx_ors_fact_count_t *fact, int64_t n)
{
    fact->n = n;
    fact->known = 1;
}


static void
ngx_ors_facts_request(ngx_ors_facts_t *facts, ngx_ors_request_t *req)
{
    facts->model = req->model;
    facts->ignored = req->ignored;

    ngx_ors_facts_flag(&facts->stream, req->stream);
}


static void
ngx_ors_facts_status(ngx_ors_facts_t *facts, ngx_ors_turn_t *turn,
    ngx_uint_t gone)
{
    ngx_ors_outcome_t  outcome;

    /* in the order of ngx_ors_end_e */

    static const ngx_str_t  ends[] = {
        ngx_null_string,
        ngx_string("completed"),
        ngx_string("incomplete"),
        ngx_string("failed"),
        ngx_string("rejected"),
        ngx_string("canceled")
    };

    ngx_ors_turn_outcome(turn, &outcome);

    if (turn->state != ngx_ors_turn_st_over) {
        outcome.end = gone ? ngx_ors_end_canceled : ngx_ors_end_open;
    }

    facts->status = ends[outcome.end];
}


void
ngx_ors_facts_verify(ngx_ors_facts_t *facts, ngx_ors_verify_t *verify,
    ngx_ors_error_t *err, ngx_uint_t refused, ngx_uint_t gone)
{
    /* by ngx_ors_response_status_e; the first one is passed on as it came */

    static const ngx_str_t  statuses[] = {
        ngx_null_string,
        ngx_string("completed"),
        ngx_string("incomplete"),
        ngx_string("failed"),
        ngx_string("canceled")
    };

    if (verify->request) {
        ngx_ors_facts_request(facts, verify->request);
    }

    ngx_ors_facts_usage(facts, &verify->usage);

    if (err->status == 0) {
        err = &verify->error;
    }

    if (err->status) {
        facts->code = err->code;
        facts->param = err->param;
    }

    if (refused) {
        ngx_str_set(&facts->status, "rejected");

    } else if (verify->answer->state == ngx_ors_answer_st_over) {
        facts->status = statuses[ngx_ors_verify_class(verify)
                                 ? ngx_ors_response_failed : verify->outcome];

    } else if (gone) {
        ngx_str_set(&facts->status, "canceled");
    }
}


void
ngx_ors_facts_error(ngx_ors_facts_t *facts, ngx_ors_error_t *err)
{
    facts->code = err->code;
    ngx_str_null(&facts->param);

    if (err->status < 500) {
        ngx_str_set(&facts->status, "rejected");

    } else {
        ngx_str_set(&facts->status, "failed");
    }
}


void
ngx_ors_facts_dialect(ngx_ors_facts_t *facts, ngx_ors_dialect_e dialect)
{
    /* in the order of ngx_ors_dialect_e */

    static const ngx_str_t  dialects[] = {
        ngx_string("responses"), ngx_string("chat")
    };

    facts->dialect = dialects[dialect];
}


static void
ngx_ors_facts_flag(ngx_str_t *fact, ngx_uint_t set)
{
    if (set) {
        ngx_str_set(fact, "1");

    } else {
        ngx_str_set(fact, "0");
    }
}
