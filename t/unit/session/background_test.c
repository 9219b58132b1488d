
/*
 * Copyright (C) Open Responses contributors
 */


/* The entries of a response of the background, from its start to its end. */


#include <ngx_ors_background.h>

#include "session_env.h"


static void test_life(void);
static void test_cancel(void);
static void test_memory(void);
static void start(env_t *env, env_request_t *r, ngx_ors_background_t *bg);
static void run(env_t *env, ngx_ors_store_job_t *job);
static ngx_ors_background_wish_e wish(env_t *env, ngx_ors_background_t *bg);
static void ask(env_t *env, ngx_ors_background_t *bg, const char *text);


int
main(void)
{
    test_life();
    test_cancel();
    test_memory();

    return done_testing();
}


static void
test_life(void)
{
    env_t                  env;
    ngx_str_t              text;
    env_request_t          r;
    ngx_ors_record_t       rec;
    ngx_ors_store_job_t   *job;
    ngx_ors_background_t   bg;

    env_init(&env);
    start(&env, &r, &bg);

    job = ngx_ors_background_first(&bg);
    env_job(&env, job);

    is_int(env.n, 2, "a record and a lease");
    is_int(env.entries[1].expires, 1700000000 + NGX_ORS_BACKGROUND_LEASE,
           "which says how long");

    (void) ngx_ors_record_read(&rec, &env.entries[0].value);
    is_int(rec.status, ngx_ors_record_in_progress, "the turn runs");

    ngx_ors_background_response(&bg, job, &text);
    is_mem(text.data, text.len, rec.response.data, rec.response.len,
           "the client gets the response that was stored");

    ngx_ors_store_release(job);

    ngx_ors_test_time(1700000000 + 5, 6000);
    run(&env, ngx_ors_background_renew(&bg));
    is_int(env.entries[1].expires, 1700000005 + NGX_ORS_BACKGROUND_LEASE,
           "the lease is renewed");
    ngx_ors_test_time(1700000000, 1000);

    env_answer(&r);
    is_int(env_step(&r, ngx_ors_session_ev_commit), NGX_AGAIN, "its end");
    is_int(env_run(&r), NGX_OK, "is stored");

    is_int(env.n, 2, "in the place of the first record");
    (void) ngx_ors_record_read(&rec, &env.entries[0].value);
    is_int(rec.status, ngx_ors_record_completed, "it is complete");

    run(&env, ngx_ors_background_forget(&bg, 0));
    is_int(env.entries[1].key.scope[0], 0xff, "the lease is deleted");
    is_int(env.entries[0].key.scope[0], 's', "the record is not");

    run(&env, ngx_ors_background_forget(&bg, 1));
    is_int(env.entries[0].key.scope[0], 0xff, "unless that is asked for");

    env_close(&r);
    env_done(&env);
}


static void
test_cancel(void)
{
    env_t                 env;
    env_request_t         r;
    ngx_ors_store_job_t  *job;
    ngx_ors_background_t  bg;

    env_init(&env);
    start(&env, &r, &bg);

    is_int(wish(&env, &bg), ngx_ors_background_go_on, "nobody has asked");

    ask(&env, &bg, "cancelled");
    is_int(wish(&env, &bg), ngx_ors_background_cancelled, "to cancel it");

    ask(&env, &bg, "deleted");
    is_int(wish(&env, &bg), ngx_ors_background_deleted, "to delete it");

    job = ngx_ors_background_look(&bg);
    env_job(&env, job);
    job->status = ngx_ors_store_timeout;

    is_int(ngx_ors_background_wish(job), ngx_ors_background_go_on,
           "a store that does not answer asks for nothing");

    ngx_ors_store_release(job);

    env_close(&r);
    env_done(&env);
}


static void
test_memory(void)
{
    env_t                  env;
    ngx_uint_t             i, n;
    env_request_t          r;
    ngx_ors_store_job_t   *job;
    ngx_ors_background_t   bg;

    env_init(&env);
    start(&env, &r, &bg);

    for (i = 0; i < 4; i++) {
        n = 0;

        do {
            ngx_ors_test_fail_after(++n);

            job = (i == 0) ? ngx_ors_background_first(&bg)
                  : (i == 1) ? ngx_ors_background_renew(&bg)
                  : (i == 2) ? ngx_ors_background_look(&bg)
                             : ngx_ors_background_forget(&bg, 1);

            ngx_ors_test_fail_after(0);

        } while (job == NULL);

        ngx_ors_store_release(job);

        ok(n > 1, "job %d is not made without memory", (int) i);
    }

    env_close(&r);
    env_done(&env);
}


static void
start(env_t *env, env_request_t *r, ngx_ors_background_t *bg)
{
    env->detached = 1;
    env_request(env, r, "{'model':'m','input':'hi','background':true}");

    is_int(ngx_ors_session_background(r->session), NGX_OK, "it may run there");
    is_int(env_load(r), NGX_OK, "it has its context");
    is_int(ngx_ors_background_init(bg, r->session), NGX_OK, "it has its keys");
}


static void
run(env_t *env, ngx_ors_store_job_t *job)
{
    env_job(env, job);
    ngx_ors_store_release(job);
}


static ngx_ors_background_wish_e
wish(env_t *env, ngx_ors_background_t *bg)
{
    ngx_ors_store_job_t        *job;
    ngx_ors_background_wish_e   wish;

    job = ngx_ors_background_look(bg);
    env_job(env, job);

    wish = ngx_ors_background_wish(job);

    ngx_ors_store_release(job);

    return wish;
}


static void
ask(env_t *env, ngx_ors_background_t *bg, const char *text)
{
    ngx_ors_store_job_t  *job;

    job = ngx_ors_store_job(&env->store, ngx_ors_store_put, 1);

    job->entries[0].key = bg->flag;
    job->entries[0].value.data = (u_char *) text;
    job->entries[0].value.len = strlen(text);

    run(env, job);
}
