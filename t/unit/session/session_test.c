
/*
 * Copyright (C) Open Responses contributors
 */


/* The machine of a session: every event in every state, and whole requests. */


#include <ngx_ors_session.h>

#include "session_env.h"


#define OK        NGX_OK
#define AGAIN     NGX_AGAIN
#define DECLINED  NGX_DECLINED
#define DONE      NGX_DONE
#define ERROR     NGX_ERROR


/* results of an event; "alert": it cannot happen there, and is logged */

typedef struct {
    ngx_ors_session_state_e   state;
    ngx_ors_session_event_e   event;
    ngx_ors_store_status_e    status;     /* of the job, when it is done */
    ngx_int_t                 rc;
    ngx_ors_session_state_e   next;
    ngx_uint_t                alert;
    const char               *code;       /* of the error, or NULL */
} pair_t;


static void test_pairs(void);
static void reach(env_t *env, env_request_t *r,
    ngx_ors_session_state_e state);
static void test_follow(void);
static void test_scope(void);
static void test_limits(void);
static void test_version(void);
static void test_references(void);
static void test_down(void);
static void test_lost(void);
static void test_retry(void);
static void test_target(void);
static void test_gone(void);
static void test_settle(void);
static void test_background(void);
static void test_memory(void);
static void memory_reach(env_request_t *r, ngx_uint_t step);
static void memory_step(env_request_t *r, ngx_uint_t step);


/* one row a line: state, event, status of the job; what comes of them */

#define PAIR(state, event, status, rc, next, alert, code)                     \
    { ngx_ors_session_st_##state, ngx_ors_session_ev_##event,                 \
      ngx_ors_store_##status, rc, ngx_ors_session_st_##next, alert, code }

static const pair_t  pairs[] = {

    PAIR(new, load, ok, OK, ready, 0, NULL),
    PAIR(new, done, ok, ERROR, new, 1, NULL),
    PAIR(new, claim, ok, ERROR, new, 1, NULL),
    PAIR(new, commit, ok, ERROR, new, 1, NULL),
    PAIR(new, close, ok, OK, over, 0, NULL),

    PAIR(conversation, load, ok, AGAIN, conversation, 0, NULL),
    PAIR(conversation, done, ok, DONE, refused, 0, "not_found"),
    PAIR(conversation, done, timeout, DONE, refused, 0, "store_unavailable"),
    PAIR(conversation, claim, ok, ERROR, conversation, 1, NULL),
    PAIR(conversation, commit, ok, ERROR, conversation, 1, NULL),
    PAIR(conversation, close, ok, OK, over, 0, NULL),

    PAIR(chain, load, ok, AGAIN, chain, 0, NULL),
    PAIR(chain, done, absent, DONE, refused, 0, "previous_response_not_found"),
    PAIR(chain, done, limit, DONE, refused, 0, "context_length_exceeded"),
    PAIR(chain, done, timeout, DONE, refused, 0, "store_unavailable"),
    PAIR(chain, done, unavailable, DONE, refused, 0, "store_unavailable"),
    PAIR(chain, done, corrupt, DONE, refused, 0, "store_unavailable"),
    PAIR(chain, claim, ok, ERROR, chain, 1, NULL),
    PAIR(chain, done, version, DONE, refused, 0, "store_unavailable"),
    PAIR(chain, commit, ok, ERROR, chain, 1, NULL),
    PAIR(chain, close, ok, OK, over, 0, NULL),

    PAIR(names, load, ok, AGAIN, names, 0, NULL),
    PAIR(names, done, ok, DONE, refused, 0, "item_not_found"),
    PAIR(names, done, timeout, DONE, refused, 0, "store_unavailable"),
    PAIR(names, claim, ok, ERROR, names, 1, NULL),
    PAIR(names, done, unavailable, DONE, refused, 0, "store_unavailable"),
    PAIR(names, done, corrupt, DONE, refused, 0, "store_unavailable"),
    PAIR(names, done, version, DONE, refused, 0, "store_unavailable"),
    PAIR(names, commit, ok, ERROR, names, 1, NULL),
    PAIR(names, close, ok, OK, over, 0, NULL),

    PAIR(items, load, ok, AGAIN, items, 0, NULL),
    PAIR(items, done, ok, DONE, refused, 0, "item_not_found"),
    PAIR(items, done, limit, DONE, refused, 0, "context_length_exceeded"),
    PAIR(items, done, unavailable, DONE, refused, 0, "store_unavailable"),
    PAIR(items, claim, ok, ERROR, items, 1, NULL),
    PAIR(items, done, timeout, DONE, refused, 0, "store_unavailable"),
    PAIR(items, done, corrupt, DONE, refused, 0, "store_unavailable"),
    PAIR(items, done, version, DONE, refused, 0, "store_unavailable"),
    PAIR(items, commit, ok, ERROR, items, 1, NULL),
    PAIR(items, close, ok, OK, over, 0, NULL),

    PAIR(ready, load, ok, OK, ready, 0, NULL),
    PAIR(ready, done, ok, ERROR, ready, 1, NULL),
    PAIR(ready, claim, ok, AGAIN, claim, 0, NULL),
    PAIR(ready, commit, ok, AGAIN, commit, 0, NULL),
    PAIR(ready, close, ok, OK, over, 0, NULL),

    PAIR(claim, load, ok, AGAIN, claim, 0, NULL),
    PAIR(claim, done, timeout, DONE, refused, 0, "store_unavailable"),
    PAIR(claim, done, full, DONE, refused, 0, "store_unavailable"),
    PAIR(claim, claim, ok, AGAIN, claim, 0, NULL),
    PAIR(claim, commit, ok, ERROR, claim, 1, NULL),
    PAIR(claim, close, ok, OK, over, 0, NULL),

    PAIR(refused, load, ok, DONE, refused, 0, "previous_response_not_found"),
    PAIR(refused, done, ok, ERROR, refused, 1, "previous_response_not_found"),
    PAIR(refused, claim, ok, ERROR, refused, 1, "previous_response_not_found"),
    PAIR(refused, commit, ok, ERROR, refused, 1, "previous_response_not_found"),
    PAIR(refused, close, ok, OK, over, 0, "previous_response_not_found"),

    PAIR(commit, load, ok, OK, commit, 0, NULL),
    PAIR(commit, done, ok, OK, over, 0, NULL),
    PAIR(commit, done, full, OK, over, 0, NULL),
    PAIR(commit, done, timeout, OK, over, 0, NULL),
    PAIR(commit, done, share, OK, over, 0, NULL),
    PAIR(commit, done, large, OK, over, 0, NULL),
    PAIR(commit, claim, ok, ERROR, commit, 1, NULL),
    PAIR(commit, done, unavailable, OK, over, 0, NULL),
    PAIR(commit, done, corrupt, OK, over, 0, NULL),
    PAIR(commit, done, version, OK, over, 0, NULL),
    PAIR(commit, commit, ok, AGAIN, commit, 0, NULL),
    PAIR(commit, close, ok, OK, over, 0, NULL),

    PAIR(over, load, ok, OK, over, 0, NULL),
    PAIR(over, done, ok, ERROR, over, 1, NULL),
    PAIR(over, claim, ok, ERROR, over, 1, NULL),
    PAIR(over, commit, ok, OK, over, 0, NULL),
    PAIR(over, close, ok, OK, over, 0, NULL)
};

#define PAIRS  (sizeof(pairs) / sizeof(pairs[0]))


int
main(void)
{
    test_pairs();
    test_follow();
    test_scope();
    test_limits();
    test_version();
    test_references();
    test_down();
    test_lost();
    test_retry();
    test_target();
    test_gone();
    test_settle();
    test_background();
    test_memory();

    return done_testing();
}


static void
test_pairs(void)
{
    env_t          env;
    ngx_uint_t     i, seen[NGX_ORS_SESSION_STATES][NGX_ORS_SESSION_EVENTS];
    ngx_uint_t     state, event, alerts;
    env_request_t  r;
    const pair_t  *p;

    memset(seen, 0, sizeof(seen));

    for (i = 0; i < PAIRS; i++) {
        p = &pairs[i];

        seen[p->state][p->event] = 1;

        env_init(&env);
        reach(&env, &r, p->state);

        is_int(r.session->state, p->state, "a session is \"%s\"",
               ngx_ors_session_states[p->state]);

        alerts = ngx_ors_test_logged(NGX_LOG_ALERT);

        if (p->event == ngx_ors_session_ev_done && r.session->job) {
            (void) env_fail(&r, p->status);

        } else {
            (void) env_step(&r, p->event);
        }

        is_int(r.rc, p->rc, "what \"%s\" gives there, status %d",
               ngx_ors_session_events[p->event], (int) p->status);
        is_int(r.session->state, p->next, "the state after it");
        is_int(ngx_ors_test_logged(NGX_LOG_ALERT) - alerts, p->alert,
               "an alert, if it cannot happen");

        if (p->code) {
            is_str(&r.turn->error.code, p->code, "the error");
            is_int(r.turn->retries_left, 0, "no other target is tried");

        } else {
            is_int(r.turn->error.status, 0, "no error");
        }

        ok(r.rc != AGAIN || r.session->job, "a job, when it waits");

        env_close(&r);

        ok(r.session->job == NULL && r.session->chain == NULL,
           "no job is left");

        env_done(&env);
        ngx_ors_test_log_reset();
    }

    for (state = 0; state < NGX_ORS_SESSION_STATES; state++) {
        for (event = 0; event < NGX_ORS_SESSION_EVENTS; event++) {
            ok(seen[state][event], "\"%s\" in \"%s\" has a row",
               ngx_ors_session_events[event], ngx_ors_session_states[state]);
        }
    }
}


static void
reach(env_t *env, env_request_t *r, ngx_ors_session_state_e state)
{
    switch (state) {

    case ngx_ors_session_st_new:
        env_request(env, r, "{'model':'m','input':'hi'}");
        break;

    case ngx_ors_session_st_conversation:
        env_request(env, r, "{'model':'m','input':'hi',"
                            "'conversation':'conv_1'}");

        (void) env_step(r, ngx_ors_session_ev_load);
        break;

    case ngx_ors_session_st_chain:
    case ngx_ors_session_st_refused:
        env_request(env, r, "{'model':'m','input':'hi',"
                            "'previous_response_id':'resp_1'}");

        (void) env_step(r, ngx_ors_session_ev_load);

        if (state == ngx_ors_session_st_refused) {
            (void) env_run(r);
        }

        break;

    case ngx_ors_session_st_names:
        env_request(env, r, "{'model':'m','input':"
                            "[{'type':'item_reference','id':'other'}]}");

        (void) env_step(r, ngx_ors_session_ev_load);
        break;

    case ngx_ors_session_st_items:
        env_request(env, r, "{'model':'m','input':[{'type':'item_reference',"
                            "'id':'msg_0123456789abcdefghijklmn1'}]}");

        (void) env_step(r, ngx_ors_session_ev_load);
        break;

    case ngx_ors_session_st_claim:
        env_request(env, r, "{'model':'m','input':'hi'}");
        env_approve(r, "mcpr_1");

        (void) env_step(r, ngx_ors_session_ev_load);
        (void) env_step(r, ngx_ors_session_ev_claim);
        break;

    case ngx_ors_session_st_ready:
    case ngx_ors_session_st_commit:
    case ngx_ors_session_st_over:
        env_request(env, r, "{'model':'m','input':'hi'}");

        (void) env_step(r, ngx_ors_session_ev_load);
        env_answer(r);

        if (state == ngx_ors_session_st_ready) {
            break;
        }

        (void) env_step(r, ngx_ors_session_ev_commit);

        if (state == ngx_ors_session_st_over) {
            (void) env_run(r);
        }

        break;
    }
}


/* a conversation of three turns, and one that goes on from its middle */

static void
test_follow(void)
{
    env_t           env;
    ngx_str_t      *one, *two;
    env_request_t   r;

    static char  follow[] = "{'model':'m','input':'hi',"
                            "'previous_response_id':'%.*s'}";

    env_init(&env);

    one = env_turn(&env, "{'model':'m','input':'one'}");
    two = env_turn(&env, env_body(&env, follow, one));
    (void) env_turn(&env, env_body(&env, follow, two));

    env.jobs = 0;

    env_request(&env, &r, env_body(&env, follow, two));

    is_int(env_load(&r), OK, "a third turn is ready");
    is_int(env.jobs, 1, "after one job");
    is_int(r.session->context.nturns, 2, "it has two turns before it");
    is_int(r.turn->request.prior, 4, "of two items each");
    is_int(r.session->record.depth, 2, "its place in the chain");
    is_int(r.session->touch.nelts, 0, "none of them expires soon");

    env_close(&r);

    /* of a conversation that goes on the beginning lives on */

    ngx_ors_test_time(1700000000 + 600, 1000);

    env_request(&env, &r, env_body(&env, follow, two));

    is_int(env_load(&r), OK, "ten minutes later it is ready, too");
    is_int(r.session->touch.nelts, 2, "both turns are to live on");

    env_answer(&r);
    (void) env_step(&r, ngx_ors_session_ev_commit);

    is_int(r.session->job->n, 3, "they are written with the new one");
    ok(r.session->job->entries[0].value.data == NULL
       && r.session->job->entries[0].expires == 1700000000 + 1600,
       "only when they expire");

    is_int(env_run(&r), OK, "that is done");
    env_close(&r);

    ngx_ors_test_time(1700000000, 1000);

    env_done(&env);
}


static void
test_scope(void)
{
    env_t           env;
    ngx_str_t      *id;
    env_request_t   r;

    env_init(&env);

    id = env_turn(&env, "{'model':'m','input':'mine'}");

    env.scope = 't';
    env_request(&env, &r, env_body(&env, "{'model':'m','input':'hi',"
                                   "'previous_response_id':'%.*s'}", id));

    is_int(env_load(&r), DONE, "a turn of another scope");
    is_str(&r.turn->error.code, "previous_response_not_found",
           "is as one that is not there");
    is_int(r.turn->error.status, 400, "its status");
    is_mem(r.session->previous.data, r.session->previous.len, id->data,
           id->len, "the log knows what was named");

    env_close(&r);
    env_done(&env);
}


static void
test_limits(void)
{
    char           *body;
    env_t           env;
    ngx_str_t      *id;
    env_request_t   r;

    env_init(&env);

    id = env_turn(&env, "{'model':'m','input':'one'}");
    id = env_turn(&env, env_body(&env, "{'model':'m','input':'two',"
                                 "'previous_response_id':'%.*s'}", id));
    body = env_body(&env, "{'model':'m','input':'three',"
                    "'previous_response_id':'%.*s'}", id);

    env.limits.turns = 1;
    env_request(&env, &r, body);

    is_int(env_load(&r), DONE, "more turns than \"turns\"");
    is_str(&r.turn->error.code, "context_length_exceeded", "are refused");
    is_str(&r.turn->error.param, "previous_response_id", "by the parameter");
    env_close(&r);

    env.limits.turns = 100;
    env.limits.context = 100;
    env_request(&env, &r, body);

    is_int(env_load(&r), DONE, "more bytes than \"context\"");
    is_str(&r.turn->error.code, "context_length_exceeded", "are refused");
    env_close(&r);

    env.limits.context = 1048576;
    env.limits.nodes = 20;
    env_request(&env, &r, body);

    is_int(env_load(&r), DONE, "more values than \"nodes\"");
    is_int(r.turn->error.status, 400, "are refused");
    is_int(r.session->state, ngx_ors_session_st_refused, "for good");
    env_close(&r);

    env_done(&env);
}


/* a record of another version is refused by name */

static void
test_version(void)
{
    env_t           env;
    ngx_str_t      *id;
    ngx_uint_t      errors;
    env_request_t   r;

    env_init(&env);

    id = env_turn(&env, "{'model':'m','input':'one'}");
    errors = ngx_ors_test_logged(NGX_LOG_ERR);

    env.entries[0].value.data[3]++;

    env_request(&env, &r, env_body(&env, "{'model':'m','input':'two',"
                                   "'previous_response_id':'%.*s'}", id));

    (void) env_step(&r, ngx_ors_session_ev_load);
    env_job(&env, r.session->job);

    is_int(env_step(&r, ngx_ors_session_ev_done), DONE,
           "a record of another version");
    is_str(&r.turn->error.code, "store_unavailable", "is refused");
    is_int(ngx_ors_test_logged(NGX_LOG_ERR), errors + 1, "the log says why");
    is_str(ngx_ors_session_strerror(ngx_ors_store_version),
           "it holds a record in a format of another version", "by name");

    env_close(&r);
    env_done(&env);
}


/* the turns that are named are loaded once, those of the chain not at all */

static void
test_references(void)
{
    env_t            env;
    ngx_str_t       *one, item;
    env_request_t    r;
    ngx_ors_item_t  *items;

    env_init(&env);

    env_request(&env, &r, "{'model':'m','input':'one'}");
    (void) env_load(&r);
    env_answer(&r);
    (void) env_step(&r, ngx_ors_session_ev_commit);
    (void) env_run(&r);

    one = &r.turn->response.id;
    items = r.turn->response.items;
    item = items->id;

    env_close(&r);

    env.jobs = 0;
    env_request(&env, &r, env_body(&env, "{'model':'m','input':[{'type':"
                                   "'item_reference','id':'%.*s'}]}", &item));

    is_int(env_load(&r), OK, "an item is found by its id");
    is_int(env.jobs, 1, "with one job");
    env_close(&r);

    env.scope = 't';
    env_request(&env, &r, env_body(&env, "{'model':'m','input':[{'type':"
                                   "'item_reference','id':'%.*s'}]}", &item));

    is_int(env_load(&r), DONE, "one of another scope is not");
    is_str(&r.turn->error.code, "item_not_found", "its error");
    env_close(&r);

    env.scope = 's';
    env.jobs = 0;

    env_request(&env, &r,
                env_body(&env, env_body(&env, "{'model':'m','input':[{'type':"
                                        "'item_reference','id':'%.*s'},"
                                        "{'role':'user','content':'b'}],"
                                        "'previous_response_id':'%%.*s'}",
                                        &item), one));

    is_int(env_load(&r), OK, "one that the chain has");
    is_int(env.jobs, 1, "is not loaded again");
    is_int(r.turn->request.input.n, 3, "nor sent twice");
    env_close(&r);

    env_done(&env);
}


static void
test_down(void)
{
    env_t          env;
    env_request_t  r;

    env_init(&env);

    env.down = 1;
    env_request(&env, &r, "{'model':'m','input':'hi'}");

    is_int(r.rc, OK, "a store that is down");
    is_int(r.turn->request.stored, 0, "is done without");
    is_int(env_load(&r), OK, "the turn goes on");
    env_answer(&r);
    is_int(r.turn->state, ngx_ors_turn_st_over, "to its end");
    is_int(r.turn->response.stored, 0, "and the client reads of it");
    env_close(&r);

    env.required = 1;
    env_request(&env, &r, "{'model':'m','input':'hi'}");

    is_int(r.rc, DONE, "if it is required, the turn fails");
    is_str(&r.turn->error.code, "store_unavailable", "its error");
    is_int(r.turn->error.status, 503, "its status");
    env_close(&r);

    env_request(&env, &r, "{'model':'m','input':'hi','store':false}");

    is_int(r.rc, OK, "one that is not to be stored does not");
    env_close(&r);

    env_done(&env);
}


/* a turn that could not be stored; a required store fails it */

static void
test_lost(void)
{
    env_t          env;
    ngx_uint_t     i;
    env_request_t  r;

    static struct {
        ngx_ors_store_status_e   status;
        ngx_uint_t               answer;
        const char              *code;
    } rows[] = {
        { ngx_ors_store_full, 503, "store_unavailable" },
        { ngx_ors_store_timeout, 503, "store_unavailable" },
        { ngx_ors_store_unavailable, 503, "store_unavailable" },
        { ngx_ors_store_share, 429, "insufficient_quota" },
        { ngx_ors_store_large, 413, "request_too_large" }
    };

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        env_init(&env);

        reach(&env, &r, ngx_ors_session_st_commit);

        is_int(env_fail(&r, rows[i].status), OK, "a turn that is not stored");
        is_int(r.turn->status, 200, "is answered");
        is_int(r.turn->response.stored, 0, "as one that is not");
        env_close(&r);

        env.required = 1;
        reach(&env, &r, ngx_ors_session_st_commit);

        is_int(env_fail(&r, rows[i].status), DONE, "with \"required\"");
        is_str(&r.turn->error.code, rows[i].code, "it fails");
        is_int(r.turn->status, rows[i].answer, "its status");
        env_close(&r);

        env_done(&env);
    }

    env_init(&env);

    env.store.record = 10;
    reach(&env, &r, ngx_ors_session_st_commit);

    is_int(r.session->job->large, 1, "a record over its limit is not written");
    is_int(env_run(&r), OK, "and its turn answered");
    is_int(env.n, 0, "nothing is stored");

    env_close(&r);
    env_done(&env);
}


/* a turn of the background is committed again */

static void
test_retry(void)
{
    env_t          env;
    env_request_t  r;

    env_init(&env);

    reach(&env, &r, ngx_ors_session_st_commit);
    r.session->retries = 2;

    is_int(env_fail(&r, ngx_ors_store_full), DECLINED, "it is to be retried");
    is_int(r.session->state, ngx_ors_session_st_ready, "it is ready for it");
    is_int(r.turn->state, ngx_ors_turn_st_commit, "the turn waits");
    ok(r.session->job == NULL, "there is no job meanwhile");

    is_int(env_step(&r, ngx_ors_session_ev_commit), AGAIN, "a second time");
    is_int(env_fail(&r, ngx_ors_store_full), DECLINED, "fails, too");
    is_int(r.session->retries, 0, "there is one more");

    is_int(env_step(&r, ngx_ors_session_ev_commit), AGAIN, "a third time");
    is_int(env_run(&r), OK, "succeeds");
    is_int(r.turn->response.stored, 1, "and the turn is stored");
    env_close(&r);

    reach(&env, &r, ngx_ors_session_st_commit);
    r.session->retries = 2;

    is_int(env_fail(&r, ngx_ors_store_large), OK, "what is too large");
    is_int(r.session->state, ngx_ors_session_st_over, "is not retried");
    env_close(&r);

    reach(&env, &r, ngx_ors_session_st_commit);
    r.session->retries = 0;

    is_int(env_fail(&r, ngx_ors_store_full), OK, "nor without retries");
    is_int(r.session->state, ngx_ors_session_st_over, "it is over");
    env_close(&r);

    env_done(&env);
}


/* another target: what was loaded stays, what is settled changes */

static void
test_target(void)
{
    env_t           env;
    ngx_str_t      *id;
    env_request_t   r;

    env_init(&env);

    id = env_turn(&env, "{'model':'m','input':'one'}");

    env.jobs = 0;
    env_request(&env, &r, env_body(&env, "{'model':'m','input':'two',"
                                   "'previous_response_id':'%.*s'}", id));

    is_int(env_load(&r), OK, "the first target is called");

    ngx_ors_session_settle(r.session, r.turn, 0, 1);

    is_int(r.turn->inline_context, 1, "the second one gets the context");
    is_int(env_load(&r), OK, "which is there");
    is_int(env.jobs, 1, "and is not loaded again");
    is_int(r.turn->request.stored, 1, "the turn will be stored");

    ngx_ors_session_settle(r.session, r.turn, 0, 0);

    is_int(r.turn->inline_context, 0, "a third one has its own");
    is_int(r.turn->request.stored, 0, "and stores it there");

    env_close(&r);
    env_done(&env);
}


/* the client leaves: in the middle of a stream, while it is stored, before */

static void
test_gone(void)
{
    env_t           env;
    ngx_str_t      *id;
    env_request_t   r;

    static char  body[] = "{'model':'m','input':'hi','stream':true}";

    env_init(&env);

    env_request(&env, &r, body);
    (void) env_load(&r);
    env_call(&r);
    (void) ngx_ors_turn_heartbeat(r.turn);

    id = &r.turn->response.id;

    is_int(r.turn->builder.started, 1, "a stream has begun");
    env_close(&r);
    is_int(env.n, 1, "what there is of it is stored");

    env_request(&env, &r, env_body(&env, "{'model':'m','input':'two',"
                                   "'previous_response_id':'%.*s'}", id));
    is_int(env_load(&r), OK, "the client can go on from it");
    env_call(&r);
    (void) ngx_ors_turn_heartbeat(r.turn);
    r.turn->request.detached = 1;
    env_close(&r);
    is_int(env.n, 1, "a turn of the background has its own end");

    env_request(&env, &r, body);
    (void) env_load(&r);
    env_close(&r);
    is_int(env.n, 1, "nothing is stored of a stream that has not begun");

    env_request(&env, &r, "{'model':'m','input':'hi','stream':true,"
                          "'store':false}");
    (void) env_load(&r);
    env_call(&r);
    (void) ngx_ors_turn_heartbeat(r.turn);
    env_close(&r);
    is_int(env.n, 1, "nor of one that is not to be stored");

    env_request(&env, &r, env_body(&env, "{'model':'m','input':'two',"
                                   "'stream':true,"
                                   "'previous_response_id':'%.*s'}", id));
    (void) env_step(&r, ngx_ors_session_ev_load);
    (void) ngx_ors_turn_heartbeat(r.turn);
    env_close(&r);
    is_int(env.n, 1, "nor of one without the turns before it");

    env_request(&env, &r, body);
    (void) env_load(&r);
    env_answer(&r);
    (void) env_step(&r, ngx_ors_session_ev_commit);
    env_close(&r);
    is_int(env.n, 1, "a record that is being stored is not stored twice");

    env_done(&env);
}


/* settings, for each kind of target and of request */

static void
test_settle(void)
{
    env_t          env;
    ngx_uint_t     i;
    env_request_t  r;

    static struct {
        const char   *body;
        ngx_uint_t    translates;
        ngx_uint_t    inlines;

        ngx_uint_t    stored;
        ngx_uint_t    inline_context;
        ngx_uint_t    background;
        ngx_uint_t    used;
    } rows[] = {
        { "{'model':'m','input':'a'}", 1, 0, 1, 0, 0, 1 },
        { "{'model':'m','input':'a'}", 1, 1, 1, 0, 0, 1 },
        { "{'model':'m','input':'a'}", 0, 1, 1, 1, 0, 1 },
        { "{'model':'m','input':'a'}", 0, 0, 0, 0, 0, 0 },
        { "{'model':'m','input':'a','store':true}", 1, 0, 1, 0, 0, 1 },
        { "{'model':'m','input':'a','store':null}", 1, 0, 1, 0, 0, 1 },
        { "{'model':'m','input':'a','store':false}", 1, 0, 0, 0, 0, 0 },
        { "{'model':'m','input':'a','store':false}", 0, 1, 0, 1, 0, 0 },
        { "{'model':'m','input':'a','store':false,"
          "'previous_response_id':'r'}", 1, 0, 0, 0, 0, 1 },
        { "{'model':'m','input':'a','store':false,"
          "'previous_response_id':'r'}", 0, 0, 0, 0, 0, 0 },
        { "{'model':'m','store':false,'input':"
          "[{'type':'item_reference','id':'i'}]}", 1, 0, 0, 0, 0, 1 },
        { "{'model':'m','input':'a','background':true}", 1, 0, 1, 0, 1, 1 },
        { "{'model':'m','input':'a','background':true}", 0, 1, 1, 1, 1, 1 },
        { "{'model':'m','input':'a','background':true}", 0, 0, 0, 0, 0, 0 },
        { "{'model':'m','input':'a','background':false}", 1, 0, 1, 0, 0, 1 }
    };

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        env_init(&env);
        env_request(&env, &r, rows[i].body);

        ngx_ors_session_settle(r.session, r.turn, rows[i].translates,
                               rows[i].inlines);

        is_int(r.turn->request.stored, rows[i].stored, "row %d: stored",
               (int) i);
        is_int(r.turn->response.stored, rows[i].stored, "and told");
        is_int(r.turn->inline_context, rows[i].inline_context,
               "its context is inserted");
        is_int(r.session->background, rows[i].background,
               "it runs in the background");
        is_int(ngx_ors_session_used(r.session), rows[i].used,
               "the store is used");

        ngx_ors_session_settle(NULL, r.turn, rows[i].translates,
                               rows[i].inlines);

        ok(!r.turn->request.stored && !r.turn->inline_context,
           "nothing of it without a store");

        env_close(&r);
        env_done(&env);
    }
}


static void
test_background(void)
{
    env_t          env;
    ngx_uint_t     i;
    env_request_t  r;

    static struct {
        const char   *body;
        ngx_uint_t    translates;
        ngx_uint_t    detached;
        ngx_int_t     rc;
        const char   *param;
    } rows[] = {
        { "{'model':'m','input':'a'}", 1, 0, NGX_DECLINED, "" },
        { "{'model':'m','input':'a','background':true}", 1, 0, NGX_OK, "" },
        { "{'model':'m','input':'a','background':true}", 1, 1, NGX_OK, "" },
        { "{'model':'m','input':'a','background':true}", 0, 0, NGX_DONE,
          "background" },
        { "{'model':'m','input':'a','background':true}", 0, 1, NGX_DONE,
          "background" },
        { "{'model':'m','input':'a','background':true,'stream':true}", 1, 0,
          NGX_OK, "" },
        { "{'model':'m','input':'a','background':true,'store':false}", 1, 0,
          NGX_DONE, "background" }
    };

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        env_init(&env);

        env.detached = rows[i].detached;
        env_request(&env, &r, rows[i].body);

        ngx_ors_session_settle(r.session, r.turn, rows[i].translates, 1);

        is_int(ngx_ors_session_background(r.session), rows[i].rc,
               "row %d: may it run in the background?", (int) i);
        is_str(&r.turn->error.param, rows[i].param, "what forbids it");

        env_close(&r);
        env_done(&env);
    }

    env_init(&env);

    env.down = 1;
    env_request(&env, &r, "{'model':'m','input':'a','background':true}");

    is_int(ngx_ors_session_background(r.session), DONE,
           "nothing runs there while the store is down");
    is_int(r.turn->error.status, 503, "its status");

    env_close(&r);
    env_done(&env);
}


/* each allocation of each step of a follow-up fails once */

static void
test_memory(void)
{
    env_t           env;
    char           *body;
    ngx_uint_t      n, step, hit;
    env_request_t   r;

    env_init(&env);

    body = env_body(&env, "{'model':'m','input':'two',"
                    "'previous_response_id':'%.*s'}",
                    env_turn(&env, "{'model':'m','input':'one'}"));

    for (step = 0; step < 3; step++) {
        n = 0;

        do {
            env_request(&env, &r, body);
            memory_reach(&r, step);

            ngx_ors_test_fail_after(++n);
            memory_step(&r, step);
            hit = ngx_ors_test_failed();
            ngx_ors_test_fail_after(0);

            if (hit && (r.rc == OK || r.rc == AGAIN)) {
                fail("step %d goes on without memory", (int) step);
            }

            env_close(&r);

        } while (hit);

        ok(n > 1 && (r.rc == OK || r.rc == AGAIN), "step %d has allocations",
           (int) step);
    }

    env_done(&env);
}


static void
memory_reach(env_request_t *r, ngx_uint_t step)
{
    if (step == 0) {
        return;
    }

    (void) env_step(r, ngx_ors_session_ev_load);
    env_job(r->env, r->session->job);

    if (step == 2) {
        (void) env_step(r, ngx_ors_session_ev_done);
        env_answer(r);
    }
}


static void
memory_step(env_request_t *r, ngx_uint_t step)
{
    static ngx_ors_session_event_e  events[] = {
        ngx_ors_session_ev_load, ngx_ors_session_ev_done,
        ngx_ors_session_ev_commit
    };

    (void) env_step(r, events[step]);
}
