
/*
 * Copyright (C) Open Responses contributors
 */


/* What is known of tools and MCP servers: one entry each, shared. */


#include <ngx_ors_test.h>
#include <ngx_ors_callee.h>


static void test_attach(void);
static void test_distinct(void);
static void test_era(void);


static ngx_slab_pool_t         shpool;
static ngx_ors_callee_t       *callees;
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

    return done_testing();
}


static void
test_attach(void)
{
    ngx_ors_callee_conf_t  other;

    ngx_ors_callee_attach(&callees, &conf, &shpool);
    ok(conf.callee == NULL && callees == NULL, "no memory");

    ngx_ors_callee_learned(&conf, 5);
    is_int(ngx_ors_callee_era(&conf), 0, "... nothing is remembered");

    /* the stand-in of the slab allocator has some */

    shpool.log_nomem = 1;

    ngx_ors_callee_attach(&callees, &conf, &shpool);
    ok(conf.callee && callees == conf.callee, "a new server");
    is_int(ngx_ors_callee_era(&conf), 0, "... of which nothing is known");

    other = conf;
    other.callee = NULL;
    ngx_ors_callee_attach(&callees, &other, &shpool);
    ok(other.callee == conf.callee && callees->next == NULL,
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
        ok(other[i].callee && callees == other[i].callee, "%s", what[i]);
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
    is_int(callees->era, 0, "no other server has");
}
