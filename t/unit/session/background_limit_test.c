
/*
 * Copyright (C) Open Responses contributors
 */


/* How many responses may run in the background, and who is told that. */


#include <ngx_ors_background.h>
#include <ngx_ors_test_conf.h>

#include "session_env.h"


static void test_admit(void);
static void test_conf(void);


static ngx_command_t  test_command = {
    ngx_string("background"), 0, ngx_ors_background_slot, 0, 0, NULL
};


/* the limits as words, what a worker has, and the status of the refusal */

typedef struct {
    char                       *limit;
    ngx_ors_background_load_t   load;
    ngx_uint_t                  status;
} test_row_t;


static test_row_t  test_rows[] = {

    /* an eighth of the connections, a quarter of that for one scope */

    { "background", { 0, 0, 512, 500 }, 0 },
    { "background", { 63, 15, 512, 500 }, 0 },
    { "background", { 64, 15, 512, 500 }, 503 },
    { "background", { 63, 16, 512, 500 }, 429 },

    /* a scope has four at least */

    { "background", { 3, 3, 64, 60 }, 0 },
    { "background", { 4, 4, 64, 60 }, 429 },

    /* an eighth of the connections is for clients */

    { "background", { 0, 0, 512, 66 }, 0 },
    { "background", { 0, 0, 512, 65 }, 503 },

    { "background limit=1 scope=1", { 0, 0, 512, 500 }, 0 },
    { "background limit=1", { 1, 1, 512, 500 }, 503 },
    { "background scope=1", { 1, 1, 512, 500 }, 429 },
    { "background limit=0", { 0, 0, 512, 500 }, 503 },
    { "background scope=0", { 0, 0, 512, 500 }, 429 }
};


int
main(void)
{
    test_admit();
    test_conf();

    return done_testing();
}


static void
test_admit(void)
{
    env_t                        env;
    ngx_int_t                    rc;
    ngx_uint_t                   i;
    test_row_t                  *row;
    env_request_t                r;
    ngx_ors_background_limit_t   limit, none;

    for (i = 0; i < sizeof(test_rows) / sizeof(test_row_t); i++) {
        row = &test_rows[i];

        env_init(&env);
        env_request(&env, &r, "{'model':'m','input':'x','background':true}");

        ngx_ors_background_limit_init(&none);
        ngx_ors_background_limit_init(&limit);

        (void) ngx_ors_test_conf(env.pool, &test_command, &limit, row->limit);
        ngx_ors_background_limit_merge(&limit, &none);

        rc = ngx_ors_background_admit(r.session, &limit, &row->load,
                                      ngx_ors_test_log());

        is_int(rc, row->status ? NGX_DONE : NGX_OK, "row %d", (int) i);
        is_int(r.turn->error.status, row->status, "... its status");
        is_int(ngx_ors_test_logged(NGX_LOG_WARN), row->status ? 1 : 0,
               "... and its line");

        env_close(&r);
        env_done(&env);
    }
}


static void
test_conf(void)
{
    char                        *rv;
    ngx_uint_t                   i;
    ngx_pool_t                  *pool;
    ngx_ors_background_limit_t   limit, prev;

    static char  *errors[] = {
        "background limit=", "background limit=x", "background scope=-1",
        "background timeout=0", "background timeout=", "background limit",
        "background room=1"
    };

    pool = ngx_ors_test_pool();

    ngx_ors_background_limit_init(&prev);
    ngx_ors_background_limit_init(&limit);

    ok(ngx_ors_test_conf(pool, &test_command, &prev,
                         "background timeout=2m scope=3")
       == NGX_CONF_OK, "limits of a server");
    ok(ngx_ors_test_conf(pool, &test_command, &limit, "background scope=4")
       == NGX_CONF_OK, "... and of a location");

    ngx_ors_background_limit_merge(&limit, &prev);

    is_int(limit.scope, 4, "its own");
    is_int(limit.timeout, 120000, "an inherited one");
    is_int(limit.all, NGX_CONF_UNSET_UINT, "by the connections");

    for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        ngx_ors_background_limit_init(&limit);

        ok(ngx_ors_test_conf(pool, &test_command, &limit, errors[i])
           == NGX_CONF_ERROR, "%s: refused", errors[i]);
        ok(strstr((char *) ngx_ors_test_log_last(), "invalid parameter")
           != NULL, "... and says so");
    }

    ngx_ors_background_limit_init(&limit);
    rv = ngx_ors_test_conf(pool, &test_command, &limit,
                           "background timeout=1 timeout=1");

    ok(rv == NGX_CONF_ERROR, "a duplicate is refused");
    ok(strstr((char *) ngx_ors_test_log_last(),
              "parameter \"timeout\" is duplicate")
       != NULL, "... and says so");

    ngx_destroy_pool(pool);
}
