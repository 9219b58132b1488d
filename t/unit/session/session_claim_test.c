
/*
 * Copyright (C) Open Responses contributors
 */


/* Claims of calls that clients have approved of. */


#include "session_env.h"


static void test_claim(void);


int
main(void)
{
    test_claim();

    return done_testing();
}


/* of several answers to one request the first one runs its call */

static void
test_claim(void)
{
    env_t          env;
    ngx_uint_t     i;
    env_request_t  r;

    static struct {
        char       *id;
        ngx_int_t   rc;
    } claims[] = {
        { "mcpr_1", NGX_OK }, { "mcpr_1", NGX_DONE }, { "mcpr_2", NGX_OK },
        { "mcpr_1", NGX_DONE }
    };

    env_init(&env);

    for (i = 0; i < sizeof(claims) / sizeof(claims[0]); i++) {
        env_request(&env, &r, "{'model':'m','input':'hi'}");
        env_approve(&r, claims[i].id);

        (void) env_step(&r, ngx_ors_session_ev_load);
        (void) env_step(&r, ngx_ors_session_ev_claim);

        is_int(env_run(&r), claims[i].rc, "claim %d of %s", (int) i,
               claims[i].id);
        is_int(r.turn->claimed, claims[i].rc == NGX_OK,
               "the call may run, or not");

        if (claims[i].rc == NGX_DONE) {
            is_str(&r.turn->error.code, "approval_already_used", "why not");
        }

        env_close(&r);
    }

    env_done(&env);
}
