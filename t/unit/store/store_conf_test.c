
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * "open_responses_store": parameters that all engines have, and what a location
 * uses. The engine is one that takes any address.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_test_conf.h>
#include <ngx_ors_seal.h>
#include <ngx_ors_store.h>


typedef struct {
    ngx_array_t          *stores;
    ngx_ors_store_use_t   use;
    ngx_uint_t            define;
} test_conf_t;


static void test_define(ngx_pool_t *pool);
static void test_use(ngx_pool_t *pool);
static void test_later(ngx_pool_t *pool);
static void test_errors(ngx_pool_t *pool);
static void test_process(ngx_pool_t *pool);
static void test_conf(test_conf_t *tc, ngx_pool_t *pool);
static char *test_line(test_conf_t *tc, ngx_pool_t *pool, char *line);
static char *test_set(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
static char *test_address(ngx_conf_t *cf, ngx_ors_store_t *store);
static ngx_int_t test_init(ngx_conf_t *cf, ngx_ors_store_t *store);
static ngx_int_t test_open(ngx_ors_store_t *store, ngx_cycle_t *cycle);
static void test_close(ngx_ors_store_t *store);


static ngx_int_t  test_opened;

/* the field of the engine's own parameter */

static ngx_str_t  test_own;


static ngx_ors_conf_param_t  test_params[] = {
    { ngx_string("own="), ngx_ors_conf_param_text, 0, 0, 0, NULL, "a text" },
    { ngx_null_string, NULL, 0, 0, 0, NULL, NULL }
};


static const ngx_ors_store_engine_t  test_engine = {
    ngx_string("test"), 7, test_address, test_params, test_init, test_open,
    test_close, NULL, NULL, NULL, NULL
};


int
main(void)
{
    ngx_pool_t  *pool;

    pool = ngx_ors_test_pool();

    test_define(pool);
    test_use(pool);
    test_later(pool);
    test_errors(pool);
    test_process(pool);

    ngx_destroy_pool(pool);

    return done_testing();
}


static void
test_define(ngx_pool_t *pool)
{
    test_conf_t       tc;
    ngx_ors_store_t  *store;

    test_conf(&tc, pool);

    ok(test_line(&tc, pool, "store main test:a:b own=1") == NGX_CONF_OK,
       "a store");

    store = *(ngx_ors_store_t **) tc.stores->elts;

    is_str(&store->name, "main", "... has a name");
    is_str(&store->address, "a:b", "... an address");
    is_str(&test_own, "1", "... a parameter of its engine");
    is_int(store->ttl, 30 * 24 * 60 * 60, "... responses for 30 days");
    is_int(store->timeout, 5000, "... 5 seconds for a job");
    is_int(store->record, 16 * 1024 * 1024, "... records of 16m");
    is_int(store->scope_turns, 0, "... and any number of turns");
    ok(tc.use.store == NGX_CONF_UNSET_PTR, "... and is not used");

    ok(test_line(&tc, pool, "store b test: ttl=1h timeout=2s record=4k "
                            "scope_size=1g scope_turns=9 key=file")
       == NGX_CONF_OK, "a store with all parameters");

    store = ((ngx_ors_store_t **) tc.stores->elts)[1];

    is_int(store->ttl, 3600, "... ttl");
    is_int(store->timeout, 2000, "... timeout");
    is_int(store->record, 4096, "... record");
    is_int(store->scope_size, 1024 * 1024 * 1024, "... scope_size");
    is_int(store->scope_turns, 9, "... scope_turns");
    is_str(&store->key, "file", "... key");
}


static void
test_use(ngx_pool_t *pool)
{
    test_conf_t          tc;
    ngx_ors_store_t     *store;
    ngx_ors_store_use_t  use, none;

    test_conf(&tc, pool);

    ok(test_line(&tc, pool, "store main required instructions=off")
       == NGX_CONF_OK, "a store is used");

    store = *(ngx_ors_store_t **) tc.stores->elts;

    ok(tc.use.store == store, "... by its name");
    ok(tc.use.required && !tc.use.instructions, "... with parameters");

    ngx_ors_store_use_init(&use);
    ngx_ors_store_use_merge(&use, &tc.use);

    ok(use.store == store && use.required && !use.instructions,
       "what is not configured is inherited");

    ngx_ors_store_use_init(&none);
    ngx_ors_store_use_init(&use);
    ngx_ors_store_use_merge(&use, &none);

    ok(use.store == NULL && !use.required && use.instructions,
       "... or no store");

    test_conf(&tc, pool);

    ok(test_line(&tc, pool, "store off") == NGX_CONF_OK, "a store is off");
    ngx_ors_store_use_merge(&tc.use, &use);
    ok(tc.use.store == NULL && tc.stores->nelts == 0, "... and is none");
}


static void
test_later(ngx_pool_t *pool)
{
    ngx_conf_t   cf;
    test_conf_t  tc;

    ngx_memzero(&cf, sizeof(ngx_conf_t));
    cf.log = ngx_ors_test_log();

    test_conf(&tc, pool);

    (void) test_line(&tc, pool, "store main");

    ok(ngx_ors_stores_check(&cf, tc.stores) == NGX_CONF_ERROR,
       "a store without a definition");
    ok(strstr((char *) ngx_ors_test_log_last(), "unknown store \"main\"")
       != NULL, "... is unknown");

    ok(test_line(&tc, pool, "store main test:a") == NGX_CONF_OK,
       "a definition may follow");
    ok(ngx_ors_stores_check(&cf, tc.stores) == NGX_CONF_OK, "... and is found");
    is_int(tc.stores->nelts, 1, "... as the same store");
}


static void
test_errors(ngx_pool_t *pool)
{
    char         *error;
    test_conf_t   tc;
    ngx_uint_t    i;

    static char  *rows[][2] = {
        { "store off test:a", "a store cannot have the name \"off\"" },
        { "store b gone:a", "store \"b\" needs the engine \"gone\"" },
        { "store b disk:a", "invalid engine \"disk\" of store \"b\"" },
        { "store b test:a ttl", "invalid parameter \"ttl\" of store \"b\", it "
                                "must be \"ttl=\", \"timeout=\"" },
        { "store b test:a pass=x", "invalid parameter \"pass\" of store "
                                   "\"b\", it must be \"ttl=\"" },
        { "store b test:a other", "\"scope_turns=\" or \"key=\", or of "
                                  "\"test\" \"own=\"" },
        { "store b test:a own=1 own=1", "parameter \"own\" of store \"b\" "
                                        "is duplicate" },
        { "store b test:a ttl=0", "\"ttl=0\" of store \"b\", it must be a "
                                  "time of at least a second" },
        { "store b test:a timeout=0", "it must be a time above zero" },
        { "store b test:a record=1k", "it must be a size of at least 4k" },
        { "store b test:a scope_size=x", "it must be a size, or 0" },
        { "store b test:a scope_turns=1k", "it must be a number" },
        { "store b test:a ttl=1 ttl=1", "parameter \"ttl\" of store \"b\" is "
                                        "duplicate" },
        { "store b test:a timeout=1 timeout=1", "\"timeout\" of store" },
        { "store b test:a record=1m record=1m", "\"record\" of store" },
        { "store b test:a scope_size=1 scope_size=1", "\"scope_size\" of" },
        { "store b test:a scope_turns=1 scope_turns=1", "\"scope_turns\" of" },
        { "store b test:a key=a key=a", "parameter \"key\" of store" },
        { "store main test:a", "store \"main\" is duplicate" },
        { "store main always", "invalid parameter \"always\" of "
                               "\"open_responses_store main\"" },
        { "store off required", "invalid parameter \"required\"" }
    };

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        test_conf(&tc, pool);

        (void) test_line(&tc, pool, "store main test:a");

        ok(test_line(&tc, pool, rows[i][0]) == NGX_CONF_ERROR, "%s: refused",
           rows[i][0]);

        error = (char *) ngx_ors_test_log_last();

        if (!ok(strstr(error, rows[i][1]) != NULL, "... and says why")) {
            diag("%s", error);
        }
    }

    test_conf(&tc, pool);
    tc.define = 0;

    ok(test_line(&tc, pool, "store b test:a") == NGX_CONF_ERROR,
       "a store is defined in \"http\" only");
    ok(test_line(&tc, pool, "store b") == NGX_CONF_OK,
       "... and used elsewhere");
    ok(test_line(&tc, pool, "store b") != NGX_CONF_OK, "... once");
}


static void
test_process(ngx_pool_t *pool)
{
    ngx_cycle_t  cycle;
    test_conf_t  tc;

    ngx_memzero(&cycle, sizeof(ngx_cycle_t));
    cycle.log = ngx_ors_test_log();

    test_conf(&tc, pool);

    (void) test_line(&tc, pool, "store a test:a");
    (void) test_line(&tc, pool, "store b test:b");

    test_opened = 0;

    is_int(ngx_ors_stores_open(tc.stores, &cycle), NGX_OK, "a worker begins");
    is_int(test_opened, 2, "... and opens its stores");

    ngx_ors_stores_close(tc.stores);
    is_int(test_opened, 0, "... and closes them");
}


static void
test_conf(test_conf_t *tc, ngx_pool_t *pool)
{
    tc->stores = ngx_array_create(pool, 1, sizeof(ngx_ors_store_t *));
    tc->define = 1;

    ngx_ors_store_use_init(&tc->use);
}


static char *
test_line(test_conf_t *tc, ngx_pool_t *pool, char *line)
{
    ngx_command_t  cmd;

    ngx_memzero(&cmd, sizeof(ngx_command_t));
    cmd.set = test_set;

    return ngx_ors_test_conf(pool, &cmd, tc, line);
}


static char *
test_set(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    test_conf_t  *tc = conf;

    return ngx_ors_store_set(cf, tc->stores, &tc->use, tc->define);
}


/* stand-ins for engines, and for files of keys */

ngx_int_t
ngx_ors_store_engine(ngx_str_t *name, const ngx_ors_store_engine_t **engine)
{
    *engine = (name->len == 4 && ngx_memcmp(name->data, "test", 4) == 0)
              ? &test_engine : NULL;

    return (*engine || (name->len == 4
                        && ngx_memcmp(name->data, "gone", 4) == 0))
           ? NGX_OK : NGX_DECLINED;
}


ngx_int_t
ngx_ors_secret_key(ngx_conf_t *cf, ngx_str_t *name, ngx_str_t *key)
{
    *key = *name;

    return NGX_OK;
}


static char *
test_address(ngx_conf_t *cf, ngx_ors_store_t *store)
{
    ngx_str_null(&test_own);
    store->conf = &test_own;

    return NGX_CONF_OK;
}


static ngx_int_t
test_init(ngx_conf_t *cf, ngx_ors_store_t *store)
{
    return NGX_OK;
}


static ngx_int_t
test_open(ngx_ors_store_t *store, ngx_cycle_t *cycle)
{
    test_opened++;

    return NGX_OK;
}


static void
test_close(ngx_ors_store_t *store)
{
    test_opened--;
}
