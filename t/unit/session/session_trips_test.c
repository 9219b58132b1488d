
/*
 * Copyright (C) Open Responses contributors
 */


/* How often a request waits for the store before its target is called. */


#include "session_env.h"


static void test_trips(void);


int
main(void)
{
    test_trips();

    return done_testing();
}


/* a follow-up waits for the store twice at most, whatever it refers to */

static void
test_trips(void)
{
    env_t           env;
    ngx_str_t      *one, item;
    ngx_uint_t      i;
    env_request_t   r;

    static struct {
        ngx_uint_t  inline_context;
        ngx_uint_t  previous;
        ngx_uint_t  reference;
        ngx_uint_t  trips;
    } rows[] = {
        { 0, 0, 0, 0 },
        { 0, 0, 1, 1 },
        { 0, 1, 0, 1 },
        { 0, 1, 1, 2 },
        { 1, 0, 0, 0 },
        { 1, 0, 1, 2 },
        { 1, 1, 0, 1 },
        { 1, 1, 1, 2 }
    };

    env_init(&env);

    one = env_turn(&env, "{'model':'m','input':'one'}");

    env_request(&env, &r, "{'model':'m','input':'two'}");
    (void) env_load(&r);
    env_answer(&r);
    (void) env_step(&r, ngx_ors_session_ev_commit);
    (void) env_run(&r);

    item = ((ngx_ors_item_t *) r.turn->response.items)->id;

    env_close(&r);

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        env.jobs = 0;
        env.inline_context = rows[i].inline_context;
        env.dialect = rows[i].inline_context ? ngx_ors_dialect_responses
                                             : ngx_ors_dialect_chat;

        env_request(&env, &r, env_body(&env, env_body(&env,
                    rows[i].previous
                    ? (rows[i].reference
                       ? "{'model':'m','previous_response_id':'%%.*s','input':"
                         "[{'type':'item_reference','id':'%.*s'}]}"
                       : "{'model':'m','previous_response_id':'%%.*s','input':"
                         "'x'}")
                    : (rows[i].reference
                       ? "{'model':'m','metadata':{'a':''},'input':"
                         "[{'type':'item_reference','id':'%.*s'}]}"
                       : "{'model':'m','metadata':{'a':''},'input':"
                         "'x'}"),
                    &item), one));

        is_int(env_load(&r), NGX_OK, "row %d: it has its context", (int) i);
        is_int(env.jobs, rows[i].trips, "row %d: after so many trips",
               (int) i);

        env_close(&r);
    }

    env_done(&env);
}
