
/*
 * Copyright (C) Open Responses contributors
 */


/* Statistics of tools and MCP servers: one entry each, shared. */


#include <ngx_ors_test.h>
#include <ngx_ors_metrics.h>


static void test_attach(void);
static void test_distinct(void);
static void test_era(void);
static void test_ended(void);


static ngx_slab_pool_t         shpool;
static ngx_ors_named_list_t    callees;
static ngx_ors_callee_conf_t   conf = {
    ngx_string("a.example"), ngx_string("docs"), ngx_string("/mcp/docs"), 1,
    NULL
};


int
main(void)
{
    test_attach();
    test_distinct();
    test_era();
    test_ended();

    return done_testing();
}


static void
test_attach(void)
{
    ngx_ors_callee_conf_t  other;

    ngx_ors_callee_attach(&callees, &conf, &shpool);
    ok(conf.callee == NULL && callees.first == NULL, "no memory");

    ngx_ors_callee_learned(&conf, 5);
    is_int(ngx_ors_callee_era(&conf), 0, "... nothing is remembered");

    /* the stand-in of the slab allocator has some */

    shpool.log_nomem = 1;

    ngx_ors_callee_attach(&callees, &conf, &shpool);
    ok(conf.callee && callees.first == &conf.callee->named, "a new server");
    is_int(ngx_ors_callee_era(&conf), 0, "... of which nothing is known");

    other = conf;
    other.callee = NULL;
    ngx_ors_callee_attach(&callees, &other, &shpool);
    ok(other.callee == conf.callee && callees.first->next == NULL,
       "the same one, of the configuration after a reload");
}


static void
test_distinct(void)
{
    ngx_uint_t             i;
    ngx_ors_callee_conf_t  other[] = {
        { ngx_string("b.example"), conf.name, conf.uri, 1, NULL },
        { ngx_null_string, conf.name, conf.uri, 1, NULL },
        { conf.server, ngx_string("doc"), ngx_string("s/mcp/docs"), 1, NULL },
        { conf.server, conf.name, ngx_string("/mcp/doc"), 1, NULL },
        { conf.server, conf.name, ngx_null_string, 1, NULL },
        { conf.server, conf.name, conf.uri, 0, NULL }
    };

    static char  *what[] = {
        "of another server", "of a server without a name", "another label",
        "another location", "without a location", "a tool of that name"
    };

    for (i = 0; i < sizeof(what) / sizeof(what[0]); i++) {
        ngx_ors_callee_attach(&callees, &other[i], &shpool);
        ok(other[i].callee && callees.first == &other[i].callee->named, "%s",
           what[i]);
    }
}


static void
test_era(void)
{
    ngx_ors_callee_conf_t  other;

    other = conf;
    ngx_ors_callee_attach(&callees, &other, &shpool);

    ngx_ors_callee_learned(&conf, 5);
    is_int(ngx_ors_callee_era(&other), 5, "what another worker has learned");

    ngx_ors_callee_learned(&other, 4);
    is_int(ngx_ors_callee_era(&conf), 4, "a server that has changed");
    is_int(((ngx_ors_callee_t *) callees.first)->era, 0,
           "no other server has");
}


static void
test_ended(void)
{
    ngx_str_t              *names;
    ngx_uint_t              n;
    ngx_ors_callee_t       *callee;
    ngx_ors_callee_conf_t   none;

    ngx_ors_callee_ended(&conf, ngx_ors_callee_completed, 5);
    ngx_ors_callee_ended(&conf, ngx_ors_callee_failed, 15);
    ngx_ors_callee_ended(&conf, ngx_ors_callee_canceled, 1000);

    is_int(conf.callee->ends[ngx_ors_callee_completed], 1, "completed");
    is_int(conf.callee->ends[ngx_ors_callee_failed], 1, "failed");
    is_int(conf.callee->ends[ngx_ors_callee_canceled], 1, "canceled");
    is_int(conf.callee->times.sum, 20000000, "the time of the first two");

    none = conf;
    none.callee = NULL;
    ngx_ors_callee_ended(&none, ngx_ors_callee_completed, 5);
    pass("no memory: nothing is counted");

    callee = (ngx_ors_callee_t *) callees.first;

    for (n = 0; callee; n++) {
        callee = ngx_ors_callee_next(callee);
    }

    is_int(n, 7, "all that were attached");

    ngx_ors_named_begin(&callees, 0, &shpool);
    ngx_ors_callee_attach(&callees, &conf, &shpool);
    ngx_ors_named_end(&callees);

    ok(callees.first == &conf.callee->named, "a configuration that has one");

    names = conf.callee->named.names;
    is_str(&names[ngx_ors_callee_server], "a.example", "its server");
    is_str(&names[ngx_ors_callee_tool], "docs", "its label");
    is_str(&names[ngx_ors_callee_uri], "/mcp/docs", "its location");
    is_str(&names[ngx_ors_callee_kind], "mcp", "its kind");
    ok(callees.first->next == NULL, "no other one");
}
