
/*
 * Copyright (C) Open Responses contributors
 */


/* Parameters of directives: each type, its bounds, duplicates, messages. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_conf.h>
#include <ngx_ors_test.h>
#include <ngx_ors_test_conf.h>


typedef struct {
    ngx_msec_t   msec;
    time_t       sec;
    size_t       size;
    off_t        offset;
    ngx_uint_t   number;
    ngx_uint_t   flag;
    ngx_str_t    text;
} test_values_t;


static char *test_set(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
static void test_values(ngx_pool_t *pool);
static void test_errors(ngx_pool_t *pool);
static void test_named(ngx_pool_t *pool);
static void test_unset(test_values_t *values);


static ngx_command_t  test_command = {
    ngx_string("test"), 0, test_set, 0, 0, NULL
};

static ngx_str_t  *test_name;


static ngx_ors_conf_param_t  test_params[] = {
    { ngx_string("msec="), ngx_ors_conf_param_msec,
      offsetof(test_values_t, msec), 1, 0, NULL, "a time" },
    { ngx_string("sec="), ngx_ors_conf_param_sec,
      offsetof(test_values_t, sec), 1, 60, NULL, "a minute at most" },
    { ngx_string("size="), ngx_ors_conf_param_size,
      offsetof(test_values_t, size), 4096, 0, NULL, "a size" },
    { ngx_string("offset="), ngx_ors_conf_param_offset,
      offsetof(test_values_t, offset), 0, 0, NULL, "an offset" },
    { ngx_string("number="), ngx_ors_conf_param_number,
      offsetof(test_values_t, number), 0, 5, NULL, "0 to 5" },
    { ngx_string("flag="), ngx_ors_conf_param_word,
      offsetof(test_values_t, flag), 0, 0, ngx_ors_conf_flags,
      "\"on\" or \"off\"" },
    { ngx_string("text="), ngx_ors_conf_param_text,
      offsetof(test_values_t, text), 0, 0, NULL, "a text" },
    { ngx_null_string, NULL, 0, 0, 0, NULL, NULL }
};


int
main(void)
{
    ngx_pool_t  *pool;

    pool = ngx_ors_test_pool();

    test_values(pool);
    test_errors(pool);
    test_named(pool);

    ngx_destroy_pool(pool);

    return done_testing();
}


static char *
test_set(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    return ngx_ors_conf_params(cf, test_params, conf, 1, "thing", test_name);
}


static void
test_values(ngx_pool_t *pool)
{
    test_values_t  values;

    test_unset(&values);

    ok(ngx_ors_test_conf(pool, &test_command, &values,
                         "test msec=5s sec=1m size=1g offset=0 number=5 "
                         "flag=off text=x")
       == NGX_CONF_OK, "all types");

    is_int(values.msec, 5000, "... ms");
    is_int(values.sec, 60, "... seconds");
    is_int(values.size, 1024 * 1024 * 1024, "... a size");
    is_int(values.offset, 0, "... an offset");
    is_int(values.number, 5, "... a number");
    is_int(values.flag, 0, "... a word");
    is_str(&values.text, "x", "... a text");

    test_unset(&values);

    ok(ngx_ors_test_conf(pool, &test_command, &values, "test")
       == NGX_CONF_OK, "no parameter");
    is_int(values.number, -1, "... sets nothing");
}


static void
test_errors(ngx_pool_t *pool)
{
    ngx_uint_t     i;
    test_values_t  values;

    static char  *rows[][2] = {
        { "test msec=0", "\"msec=0\", it must be a time" },
        { "test msec=x", "\"msec=x\", it must be a time" },
        { "test msec=", "\"msec=\", it must be a time" },
        { "test msec=1 msec=1", "parameter \"msec\" is duplicate" },
        { "test sec=61", "\"sec=61\", it must be a minute at most" },
        { "test sec=1 sec=1", "parameter \"sec\" is duplicate" },
        { "test size=4095", "\"size=4095\", it must be a size" },
        { "test size=8k size=8k", "parameter \"size\" is duplicate" },
        { "test offset=-1", "\"offset=-1\", it must be an offset" },
        { "test offset=1 offset=1", "parameter \"offset\" is duplicate" },
        { "test number=6", "\"number=6\", it must be 0 to 5" },
        { "test number=1k", "\"number=1k\", it must be 0 to 5" },
        { "test number=1 number=1", "parameter \"number\" is duplicate" },
        { "test flag=o", "\"flag=o\", it must be \"on\" or \"off\"" },
        { "test flag=on flag=off", "parameter \"flag\" is duplicate" },
        { "test text=", "\"text=\", it must be a text" },
        { "test text=a text=a", "parameter \"text\" is duplicate" },
        { "test msec", "invalid parameter \"msec\", it must be \"msec=\", "
                       "\"sec=\", \"size=\", \"offset=\", \"number=\", "
                       "\"flag=\" or \"text=\"" }
    };

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        test_unset(&values);

        ok(ngx_ors_test_conf(pool, &test_command, &values, rows[i][0])
           == NGX_CONF_ERROR, "%s: refused", rows[i][0]);
        ok(strstr((char *) ngx_ors_test_log_last(), rows[i][1]) != NULL,
           "... %s", rows[i][1]);
    }
}


static void
test_named(ngx_pool_t *pool)
{
    ngx_uint_t     i;
    test_values_t  values;

    static ngx_str_t   name = ngx_string("main");
    static char       *rows[][2] = {
        { "test msec=0", "\"msec=0\" of thing \"main\", it must be a time" },
        { "test sec=1 sec=1", "\"sec\" of thing \"main\" is duplicate" },
        { "test x", "invalid parameter \"x\" of thing \"main\", it must be" }
    };

    test_name = &name;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        test_unset(&values);

        (void) ngx_ors_test_conf(pool, &test_command, &values, rows[i][0]);

        ok(strstr((char *) ngx_ors_test_log_last(), rows[i][1]) != NULL,
           "... %s", rows[i][1]);
    }
}


static void
test_unset(test_values_t *values)
{
    values->msec = NGX_CONF_UNSET_MSEC;
    values->sec = NGX_CONF_UNSET;
    values->size = NGX_CONF_UNSET_SIZE;
    values->offset = NGX_CONF_UNSET;
    values->number = NGX_CONF_UNSET_UINT;
    values->flag = NGX_CONF_UNSET_UINT;
    ngx_str_null(&values->text);
}
