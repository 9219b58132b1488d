
/*
 * Copyright (C) Open Responses contributors
 */


/* Words of directives: values of tables, and errors that list them. */


#include <ngx_ors_test.h>
#include <ngx_ors_test_conf.h>
#include <ngx_ors_conf.h>


static void test_enum(ngx_pool_t *pool);
static void test_words(void);
static void test_near(void);


static ngx_conf_enum_t  test_colors[] = {
    { ngx_string("red"), 3 },
    { ngx_string("green"), 5 },
    { ngx_string("blue"), 7 },
    { ngx_null_string, 0 }
};


int
main(void)
{
    ngx_pool_t  *pool;

    pool = ngx_ors_test_pool();

    test_enum(pool);
    test_words();
    test_near();

    ngx_destroy_pool(pool);

    return done_testing();
}


static void
test_enum(ngx_pool_t *pool)
{
    char           *rv;
    ngx_uint_t      field[2];
    ngx_command_t   cmd;

    ngx_memzero(&cmd, sizeof(ngx_command_t));

    cmd.set = ngx_ors_conf_enum_slot;
    cmd.offset = sizeof(ngx_uint_t);
    cmd.post = test_colors;

    field[0] = 1;
    field[1] = NGX_CONF_UNSET_UINT;

    rv = ngx_ors_test_conf(pool, &cmd, field, "color green");

    ok(rv == NGX_CONF_OK, "a value is taken");
    is_int(field[1], 5, "... as its number");
    is_int(field[0], 1, "... at its offset only");

    rv = ngx_ors_test_conf(pool, &cmd, field, "color red");

    ok(rv != NGX_CONF_OK && ngx_strcmp(rv, "is duplicate") == 0,
       "a second one is refused");

    field[1] = NGX_CONF_UNSET_UINT;
    rv = ngx_ors_test_conf(pool, &cmd, field, "color gree");

    ok(rv == NGX_CONF_ERROR, "what is not in the list is refused");
    is_int(field[1], NGX_CONF_UNSET_UINT, "... and not set");
    ok(ngx_strcmp(ngx_ors_test_log_last(),
                  "invalid value \"gree\" of \"color\", it must be \"red\", "
                  "\"green\" or \"blue\"; did you mean \"green\"?") == 0,
       "... with the list and the nearest word");
}


static void
test_words(void)
{
    u_char     *last, buf[NGX_MAX_CONF_ERRSTR];
    ngx_uint_t  n;

    /* the text for the last "n" words */

    static char  *lists[] = {
        "", "\"blue=\"", "\"green=\" or \"blue=\"",
        "\"red=\", \"green=\" or \"blue=\""
    };

    for (n = 0; n < 4; n++) {
        last = ngx_ors_conf_words(buf, &test_colors[3 - n],
                                  sizeof(ngx_conf_enum_t), "=", NULL);

        is_mem(buf, last - buf, lists[n], ngx_strlen(lists[n]),
               "a list of %d", (int) n);
    }
}


static void
test_near(void)
{
    ngx_uint_t        i;
    ngx_str_t         found;
    const ngx_str_t  *near;

    static ngx_conf_enum_t  names[] = {
        { ngx_string("provider="), 0 },
        { ngx_string("max_fails="), 0 },
        { ngx_string("fail_timeout="), 0 },
        { ngx_string("ttl="), 0 },
        { ngx_null_string, 0 }
    };

    static struct {
        char  *found;
        char  *near;
    } cases[] = {
        { "max_fail=3", "max_fails=" },
        { "max_fails", "max_fails=" },
        { "maxfails=3", "max_fails=" },
        { "MAX-FAILS=3", "max_fails=" },
        { "fail_tiemout=3s", "fail_timeout=" },
        { "provder==", "provider=" },
        { "tll=5", "ttl=" },
        { "tl=5", "ttl=" },
        { "url=5", NULL },
        { "max_conns=3", NULL },
        { "=", NULL },
        { "", NULL },
        { "max_fails_and_so_on_beyond_all_that_is_compared=1", NULL }
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        found.data = (u_char *) cases[i].found;
        found.len = ngx_strlen(found.data);

        near = ngx_ors_conf_near(names, sizeof(ngx_conf_enum_t), &found);

        ok(cases[i].near
           ? near && ngx_strcmp(near->data, cases[i].near) == 0 : near == NULL,
           "the nearest of \"%s\"", cases[i].found);
    }
}
