
/*
 * Copyright (C) Open Responses contributors
 */


/* Requests of real clients: the flavor "openai" knows all that is in them. */


#include <ngx_ors_test_file.h>
#include <ngx_ors_request.h>
#include <ngx_ors_test_limits.h>


#define DIRECTORY  "t/data/requests"


static ngx_uint_t test_request(char *name);
static void test_policy(char *name, ngx_str_t *body, ngx_uint_t profile,
    ngx_uint_t unknown);


int
main(void)
{
    ngx_uint_t  n;

    n = ngx_ors_test_files(DIRECTORY, ".json", test_request);

    ok(n > 200, "%d requests", (int) n);

    return done_testing();
}


/* 1, as it is one */

static ngx_uint_t
test_request(char *name)
{
    ngx_str_t    body;
    ngx_pool_t  *pool;

    pool = ngx_ors_test_pool();

    if (ngx_ors_test_file(DIRECTORY, name, pool, &body)) {
        test_policy(name, &body, NGX_ORS_STRICT_OPENAI,
                    ngx_ors_unknown_reject);
        test_policy(name, &body, NGX_ORS_STRICT_OPENAI, ngx_ors_unknown_strip);
        test_policy(name, &body, NGX_ORS_TOLERANT_OPENAI,
                    ngx_ors_unknown_reject);

    } else {
        fail("%s cannot be read", name);
    }

    ngx_destroy_pool(pool);

    return 1;
}


/* two are of a client that asks for too few tokens, which all refuse */

static void
test_policy(char *name, ngx_str_t *body, ngx_uint_t profile,
    ngx_uint_t unknown)
{
    ngx_int_t           rc;
    ngx_pool_t         *pool;
    ngx_ors_error_t     err;
    ngx_ors_policy_t    policy;
    ngx_ors_request_t   req;

    static ngx_ors_limits_t  limits = limits_default();

    pool = ngx_ors_test_pool();

    ngx_memzero(&policy, sizeof(ngx_ors_policy_t));
    policy.profile = profile;
    policy.unknown = unknown;
    policy.mask = 0;

    ngx_memzero(&err, sizeof(ngx_ors_error_t));

    ngx_ors_request_init(&req, ngx_ors_endpoint(ngx_ors_endpoint_responses),
                         &policy, &limits, pool);

    rc = ngx_ors_request_read(&req, body, &err);

    if (rc == NGX_DECLINED) {
        is_str(&err.code, "integer_below_min_value", "%s: %.*s", name,
               (int) err.message.len, err.message.data);
        is_str(&err.param, "max_output_tokens", "%s: the one mistake", name);

    } else {
        is_int(rc, NGX_OK, "%s", name);
        is_int(req.edits.n, 0, "%s: nothing is unknown", name);
    }

    ngx_destroy_pool(pool);
}
