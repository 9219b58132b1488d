
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Stored conversations that requests of a scope hold: within the limit, over
 * it, released, and those that jobs of sessions and operations may load.
 */


#include <ngx_ors_hold.h>

#include "session_env.h"


#define TEST_LIMIT  1000


static void test_scopes(void);
static void test_unlimited(void);
static void test_memory(void);
static void test_session(void);
static void test_operation(void);
static void test_init(ngx_ors_holders_t *holders, ngx_ors_hold_t *hold);


static u_char  ann[NGX_ORS_STORE_KEY] = "ann";
static u_char  bob[NGX_ORS_STORE_KEY] = "bob";


int
main(void)
{
    test_scopes();
    test_unlimited();
    test_memory();
    test_session();
    test_operation();

    return done_testing();
}


static void
test_scopes(void)
{
    ngx_ors_hold_t     one, two, other;
    ngx_ors_holders_t  holders;

    ngx_ors_holders_init(&holders);

    test_init(&holders, &one);
    test_init(&holders, &two);
    test_init(&holders, &other);

    is_int(ngx_ors_hold(&one, ann, 600), NGX_OK, "a request holds 600");
    is_int(ngx_ors_hold(&two, ann, 401), NGX_BUSY, "... another one 401 more");
    is_int(two.size, 0, "... which it does not get");
    ok(strstr((char *) ngx_ors_test_log_last(), "holds 600 of 1000 bytes")
       != NULL,
       "... and the log says why");
    is_int(ngx_ors_hold(&two, ann, 400), NGX_OK, "... 400 are the limit");
    is_int(ngx_ors_hold(&other, bob, TEST_LIMIT), NGX_OK,
           "another scope has all of its own");

    is_int(ngx_ors_hold(&two, ann, 300), NGX_OK, "it becomes less");
    is_int(ngx_ors_hold(&one, ann, 701), NGX_BUSY, "the first one: too much");
    is_int(ngx_ors_hold(&one, ann, 700), NGX_OK, "... what has become free");

    ngx_ors_hold_release(&one);
    ok(one.holder == NULL && one.size == 0, "released");
    is_int(ngx_ors_hold(&two, ann, TEST_LIMIT), NGX_OK, "room for all");

    ngx_ors_hold_release(&two);
    ngx_ors_hold_release(&two);
    ngx_ors_hold_release(&other);
    ok(holders.tree.root == &holders.sentinel, "no scope is left");
}


static void
test_unlimited(void)
{
    ngx_ors_hold_t     hold;
    ngx_ors_holders_t  holders;

    ngx_ors_holders_init(&holders);
    test_init(&holders, &hold);

    hold.limit = 0;

    is_int(ngx_ors_hold(&hold, ann, 1 << 30), NGX_OK, "no limit");
    ok(hold.holder == NULL, "... nothing is counted");
}


static void
test_memory(void)
{
    ngx_ors_hold_t     hold;
    ngx_ors_holders_t  holders;

    ngx_ors_holders_init(&holders);
    test_init(&holders, &hold);

    ngx_ors_test_fail_after(1);
    is_int(ngx_ors_hold(&hold, ann, 1), NGX_ERROR, "no memory");
    ngx_ors_test_fail_after(0);

    ok(hold.holder == NULL, "... nothing is held");
}


static void
test_session(void)
{
    ngx_ors_hold_t        hold;
    ngx_ors_holders_t     holders;
    ngx_ors_session_t     session;
    ngx_ors_store_job_t   job;

    ngx_ors_holders_init(&holders);
    test_init(&holders, &hold);

    ngx_memzero(&session, sizeof(ngx_ors_session_t));
    ngx_memzero(&job, sizeof(ngx_ors_store_job_t));

    session.job = &job;
    job.max_size = 5000;

    is_int(ngx_ors_session_reserve(&session, &hold), NGX_OK,
           "a job that is alone");
    is_int(job.max_size, TEST_LIMIT, "... may load all of the limit");
    is_int(hold.size, TEST_LIMIT, "... which counts");

    session.size = 300;
    ngx_ors_session_hold(&session, &hold);
    is_int(hold.size, 300, "what was loaded counts");

    job.max_size = 5000;
    is_int(ngx_ors_session_reserve(&session, &hold), NGX_OK, "another job");
    is_int(job.max_size, 700, "... may load the rest");

    session.size = TEST_LIMIT;
    session.context.budget = 200;
    ngx_ors_session_hold(&session, &hold);
    is_int(hold.size, 200, "a context that was cut");

    session.state = ngx_ors_session_st_refused;
    ngx_ors_session_hold(&session, &hold);
    ok(hold.holder == NULL, "a turn that is refused holds nothing");

    session.state = ngx_ors_session_st_new;
    ngx_ors_session_hold(&session, &hold);
    ok(hold.holder == NULL, "what was not reserved is not held");
}


static void
test_operation(void)
{
    ngx_ors_hold_t          hold, other;
    ngx_ors_holders_t       holders;
    ngx_ors_operation_t     op;
    ngx_ors_store_job_t     job;
    ngx_ors_store_entry_t   entries[2];

    ngx_ors_holders_init(&holders);
    test_init(&holders, &hold);
    test_init(&holders, &other);

    ngx_memzero(&op, sizeof(ngx_ors_operation_t));
    ngx_memzero(&job, sizeof(ngx_ors_store_job_t));
    ngx_memzero(entries, sizeof(entries));

    op.pool = ngx_ors_test_pool();
    op.job = &job;
    op.jobs[0] = &job;
    op.njobs = 1;
    job.entries = entries;
    job.n = 2;
    job.max_size = 5000;

    ngx_memcpy(op.scope, ann, NGX_ORS_STORE_KEY);

    is_int(ngx_ors_operation_reserve(&op, &hold), NGX_AGAIN, "a list");
    is_int(job.max_size, TEST_LIMIT, "... reads no more than the limit");

    entries[0].value.len = 30;
    entries[1].value.len = 50;
    ngx_ors_operation_hold(&op, &hold);
    is_int(hold.size, 80, "... and holds what it has read");

    is_int(ngx_ors_operation_reserve(&op, &other), NGX_DONE, "one more list");
    is_int(op.error.status, 429, "... has to wait");
    is_str(&op.error.code, "rate_limit_exceeded", "... and says so");

    ngx_ors_hold_release(&hold);
    ngx_ors_operation_hold(&op, &hold);
    ok(hold.holder == NULL, "what was released is not held again");

    ngx_ors_hold_release(&other);
    ngx_destroy_pool(op.pool);
}


static void
test_init(ngx_ors_holders_t *holders, ngx_ors_hold_t *hold)
{
    ngx_memzero(hold, sizeof(ngx_ors_hold_t));

    hold->holders = holders;
    hold->limit = TEST_LIMIT;
    hold->log = ngx_ors_test_log();
}
