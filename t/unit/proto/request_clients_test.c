
/*
 * Copyright (C) Open Responses contributors
 */


/* requests of real clients: the flavor "openai" knows all that is in them */


#include <ngx_ors_test.h>
#include <ngx_ors_request.h>
#include <dirent.h>


#define DIRECTORY  "t/data/requests"


static void test_request(char *name);
static void test_policy(char *name, ngx_str_t *body, ngx_uint_t reading,
    ngx_uint_t unknown);
static ngx_uint_t read_file(char *name, ngx_pool_t *pool, ngx_str_t *text);


int
main(void)
{
    DIR            *dir;
    ngx_uint_t      n;
    struct dirent  *entry;

    dir = opendir(DIRECTORY);
    if (dir == NULL) {
        skip_all("no " DIRECTORY " here");
    }

    n = 0;

    while ((entry = readdir(dir))) {

        if (strstr(entry->d_name, ".json")) {
            test_request(entry->d_name);
            n++;
        }
    }

    closedir(dir);

    ok(n > 200, "%d requests", (int) n);

    return done_testing();
}


static void
test_request(char *name)
{
    ngx_str_t    body;
    ngx_pool_t  *pool;

    pool = ngx_ors_test_pool();

    if (read_file(name, pool, &body)) {
        test_policy(name, &body, NGX_ORS_READ_OPENAI,
                    ngx_ors_unknown_reject);
        test_policy(name, &body, NGX_ORS_READ_OPENAI, ngx_ors_unknown_strip);
        test_policy(name, &body, NGX_ORS_READ_LOOSE_OPENAI,
                    ngx_ors_unknown_reject);

    } else {
        fail("%s cannot be read", name);
    }

    ngx_destroy_pool(pool);
}


/* two are of a client that asks for too few tokens, which all refuse */

static void
test_policy(char *name, ngx_str_t *body, ngx_uint_t reading,
    ngx_uint_t unknown)
{
    ngx_int_t           rc;
    ngx_pool_t         *pool;
    ngx_ors_error_t     err;
    ngx_ors_policy_t    policy;
    ngx_ors_request_t   req;

    static ngx_ors_limits_t  limits = { 64, 100000, 1000, 128, 0, 0, 0, 0 };

    pool = ngx_ors_test_pool();

    policy.reading = reading;
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


static ngx_uint_t
read_file(char *name, ngx_pool_t *pool, ngx_str_t *text)
{
    char   path[512];
    long   size;
    FILE  *f;

    snprintf(path, sizeof(path), DIRECTORY "/%s", name);

    f = fopen(path, "rb");
    if (f == NULL) {
        return 0;
    }

    fseek(f, 0, SEEK_END);
    size = ftell(f);
    rewind(f);

    text->data = ngx_pnalloc(pool, size);
    text->len = fread(text->data, 1, size, f);

    fclose(f);

    return text->len == (size_t) size;
}
