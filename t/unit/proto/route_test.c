
/*
 * Copyright (C) Open Responses contributors
 */


/* Targets of models: which one is found, and which lines are refused. */


#include <ngx_ors_test.h>
#include <ngx_ors_test_conf.h>
#include <ngx_ors_route.h>


static void test_find(ngx_pool_t *pool);
static void test_failover(ngx_pool_t *pool);
static void test_regex(ngx_pool_t *pool);
static void test_models(ngx_pool_t *pool);
static void test_errors(ngx_pool_t *pool);
static void test_found(ngx_array_t *routes, char *model, char *provider,
    char *uri);
static ngx_array_t *test_routes(ngx_pool_t *pool, char **lines);


static ngx_command_t  test_command = {
    ngx_string("target"), 0, ngx_ors_route_slot, 0, 0, NULL
};


/* the answer of the stand-in of a regular expression */
static ngx_int_t  test_matched;


int
main(void)
{
    ngx_pool_t  *pool;

    pool = ngx_ors_test_pool();

    test_find(pool);
    test_failover(pool);
    test_regex(pool);
    test_models(pool);
    test_errors(pool);

    ngx_destroy_pool(pool);

    return done_testing();
}


static void
test_find(ngx_pool_t *pool)
{
    ngx_array_t  *routes;

    static char  *lines[] = {
        "target default /default", "target gpt* /short", "target gpt-5* /long",
        "target gpt-5 /exact", "target gpt-5 /azure provider=azure",
        "target * /any provider=azure", NULL
    };

    test_matched = NGX_REGEX_NO_MATCHED;
    routes = test_routes(pool, lines);

    test_found(routes, "gpt-5", "", "/exact");
    test_found(routes, "gpt-5-mini", "", "/long");
    test_found(routes, "gpt-4", "", "/short");
    test_found(routes, "gpt-5", "azure", "/azure");
    test_found(routes, "gpt-4", "azure", "/any");
    test_found(routes, "gpt-5", "aws", NULL);
    test_found(routes, "gp", "azure", "/any");

    lines[0] = "target x /x";
    routes = test_routes(pool, lines);

    test_found(routes, "g", "", "/any");
    test_found(routes, "", "", "/any");

    lines[1] = NULL;
    routes = test_routes(pool, lines);

    test_found(routes, "g", "", NULL);
}


static void
test_failover(ngx_pool_t *pool)
{
    ngx_str_t          model, none;
    ngx_array_t       *routes;
    ngx_ors_target_t  *target;

    static char  *lines[] = { "target m /a?x=1&y /b /c? provider=p", NULL };

    routes = test_routes(pool, lines);

    ngx_str_set(&model, "m");
    ngx_str_null(&none);

    is_int(ngx_ors_route_find(routes, &model, &none, &target, pool->log),
           NGX_OK, "a model with three targets");

    is_str(&target->uri, "/a", "... a URI");
    is_str(&target->args, "x=1&y", "... its arguments");
    is_str(&target->next->uri, "/b", "... another one");
    is_int(target->next->args.len, 0, "... without any");
    is_str(&target->next->next->uri, "/c", "... and a last one");
    is_str(&target->next->next->provider, "p", "... of the same provider");
    ok(target->next->next->next == NULL, "... and no more");
}


static void
test_regex(ngx_pool_t *pool)
{
    ngx_str_t          model, none;
    ngx_array_t       *routes;
    ngx_ors_target_t  *target;

    static char  *lines[] = {
        "target default /default", "target ~a /first", "target ~*b /second",
        "target pre* /prefix", NULL
    };

    routes = test_routes(pool, lines);

    test_matched = 0;
    test_found(routes, "m", "", "/first");
    test_found(routes, "prefix", "", "/prefix");

    test_matched = NGX_REGEX_NO_MATCHED;
    test_found(routes, "m", "", "/default");

    test_matched = -47;

    ngx_str_set(&model, "m");
    ngx_str_null(&none);

    is_int(ngx_ors_route_find(routes, &model, &none, &target, pool->log),
           NGX_ERROR, "an expression that fails is not passed over");
    ok(strstr((char *) ngx_ors_test_log_last(), "\"a\" of a target has failed")
       != NULL, "... and the log says which");

    test_found(routes, "prefix", "", "/prefix");
}


static void
test_models(ngx_pool_t *pool)
{
    ngx_array_t    *routes;
    ngx_chain_t    *chain;
    ngx_ors_out_t   out;

    static char  *lines[] = {
        "target default /d", "target a /a", "target p* /p",
        "target a /b provider=b", "target b\"c /b", NULL
    };

    routes = test_routes(pool, lines);

    ngx_ors_out_init(&out, pool, 1024);
    ngx_ors_route_models(routes, 17, &out);
    (void) ngx_ors_out_take(&out, &chain);

    is_chain(chain, "{\"object\":\"list\",\"data\":["
                    "{\"id\":\"a\",\"object\":\"model\",\"created\":17,"
                    "\"owned_by\":\"open_responses\"},"
                    "{\"id\":\"b\\\"c\",\"object\":\"model\",\"created\":17,"
                    "\"owned_by\":\"open_responses\"}]}",
             "models are those with a full name, each once");
}


static void
test_errors(ngx_pool_t *pool)
{
    char         *rv, *error;
    ngx_uint_t    i;
    ngx_array_t  *routes;

    static char  *rows[][2] = {
        { "target - /a", "invalid model \"\", it must be a name, " },
        { "target ~ /a", "invalid model \"~\"" },
        { "target ~* /a", "invalid model \"~*\"" },
        { "target m a", "invalid target \"a\", it must be the URI" },
        { "target m /a -", "invalid target \"\"" },
        { "target m /a provider=", "invalid parameter \"provider=\"" },
        { "target known /b", "target of model \"known\" is duplicate" },
        { "target ~bad /a", "no expression" }
    };

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        routes = NGX_CONF_UNSET_PTR;

        (void) ngx_ors_test_conf(pool, &test_command, &routes,
                                 "target known /a");
        rv = ngx_ors_test_conf(pool, &test_command, &routes, rows[i][0]);

        ok(rv == NGX_CONF_ERROR, "%s: refused", rows[i][0]);

        error = (char *) ngx_ors_test_log_last();

        if (!ok(strstr(error, rows[i][1]) != NULL, "... and says why")) {
            diag("%s", error);
        }
    }
}


/* without a "uri" there is no target */

static void
test_found(ngx_array_t *routes, char *model, char *provider, char *uri)
{
    ngx_int_t          rc;
    ngx_str_t          name, of;
    ngx_ors_target_t  *target;

    name.data = (u_char *) model;
    name.len = ngx_strlen(model);
    of.data = (u_char *) provider;
    of.len = ngx_strlen(provider);

    rc = ngx_ors_route_find(routes, &name, &of, &target, ngx_ors_test_log());

    if (uri == NULL) {
        is_int(rc, NGX_DECLINED, "\"%s\" of \"%s\": none", model, provider);
        return;
    }

    if (is_int(rc, NGX_OK, "\"%s\" of \"%s\"", model, provider)) {
        is_str(&target->uri, uri, "... is at %s", uri);
    }
}


static ngx_array_t *
test_routes(ngx_pool_t *pool, char **lines)
{
    ngx_array_t  *routes;

    routes = NGX_CONF_UNSET_PTR;

    for ( /* void */ ; *lines; lines++) {
        ok(ngx_ors_test_conf(pool, &test_command, &routes, *lines)
           == NGX_CONF_OK, "%s", *lines);
    }

    return routes;
}


/* stand-ins for nginx's, of which an expression "bad" is none */

ngx_int_t
ngx_regex_compile(ngx_regex_compile_t *rc)
{
    if (rc->pattern.len == 3 && ngx_memcmp(rc->pattern.data, "bad", 3) == 0) {
        ngx_str_set(&rc->err, "no expression");
        return NGX_ERROR;
    }

    rc->regex = (ngx_regex_t *) rc;

    return NGX_OK;
}


ngx_int_t
ngx_regex_exec(ngx_regex_t *re, ngx_str_t *s, int *captures, ngx_uint_t size)
{
    return test_matched;
}
