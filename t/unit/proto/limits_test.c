
/*
 * Copyright (C) Open Responses contributors
 */


/* "open_responses_limits": numbers in their bounds, and defaults. */


#include <ngx_ors_test.h>
#include <ngx_ors_test_conf.h>
#include <ngx_ors_test_limits.h>


static void test_defaults(void);
static void test_merge(ngx_pool_t *pool);
static void test_errors(ngx_pool_t *pool);


static ngx_command_t  test_command = {
    ngx_string("limits"), 0, ngx_ors_limits_slot, 0, 0, NULL
};


int
main(void)
{
    ngx_pool_t  *pool;

    pool = ngx_ors_test_pool();

    test_defaults();
    test_merge(pool);
    test_errors(pool);

    ngx_destroy_pool(pool);

    return done_testing();
}


static void
test_defaults(void)
{
    ngx_ors_limits_t  limits, none;

    static ngx_ors_limits_t  defaults = limits_default();

    ngx_ors_limits_init(&limits);
    ngx_ors_limits_init(&none);
    ngx_ors_limits_merge(&limits, &none);

    is_mem(&limits, sizeof(ngx_ors_limits_t), &defaults,
           sizeof(ngx_ors_limits_t), "defaults are those of the tests");
}


static void
test_merge(ngx_pool_t *pool)
{
    ngx_ors_limits_t  limits, prev;

    ngx_ors_limits_init(&limits);
    ngx_ors_limits_init(&prev);

    ok(ngx_ors_test_conf(pool, &test_command, &prev, "limits depth=8 items=7")
       == NGX_CONF_OK, "limits of a server");
    ok(ngx_ors_test_conf(pool, &test_command, &limits,
                         "limits depth=9 event=1m")
       == NGX_CONF_OK, "limits of a location");

    ngx_ors_limits_merge(&limits, &prev);

    is_int(limits.depth, 9, "its own");
    is_int(limits.items, 7, "an inherited one");
    is_int(limits.event, 1048576, "a size with a unit");
    is_int(limits.tools, 1024, "a default");
}


static void
test_errors(ngx_pool_t *pool)
{
    char              *error;
    ngx_uint_t         i;
    ngx_ors_limits_t   limits;

    static char  *rows[][2] = {
        { "limits depth=3", "invalid limit \"depth=3\", it must be a number "
                            "from 4 to " },
        { "limits items=1k", "invalid limit \"items=1k\"" },
        { "limits event=1", "from 4096 to 1073741824" },
        { "limits tools=", "invalid limit \"tools=\", it must be a num" },
        { "limits tools", "\"tool_calls=\" or \"scope_context=\"" },
        { "limits calls=1 calls=1", "limit \"calls\" is duplicate" }
    };

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        ngx_ors_limits_init(&limits);

        ok(ngx_ors_test_conf(pool, &test_command, &limits, rows[i][0])
           == NGX_CONF_ERROR, "%s: refused", rows[i][0]);

        error = (char *) ngx_ors_test_log_last();

        if (!ok(strstr(error, rows[i][1]) != NULL, "... and says why")) {
            diag("%s", error);
        }
    }
}
