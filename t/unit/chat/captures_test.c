
/*
 * Copyright (C) Open Responses contributors
 */


/* Requests of real clients, in flavor "openai": what is refused and why. */


#include <ngx_ors_test_file.h>
#include <ngx_ors_test_chat.h>
#include <ngx_ors_test_request.h>


#define DIRECTORY  "t/data/requests"


static void test_request(ngx_str_t *body, char *name, char *expected);
static ngx_uint_t test_name(char *name);


static ngx_ors_limits_t  limits = limits_default();


int
main(void)
{
    char        *p, *line, *name;
    ngx_str_t    list, body;
    ngx_uint_t   n;
    ngx_pool_t  *pool;

    pool = ngx_ors_test_pool();

    if (!ngx_ors_test_file(DIRECTORY, "EXPECTED", pool, &list)) {
        skip_all("no " DIRECTORY "/EXPECTED here");
    }

    n = 0;
    ngx_ors_test_policy.profile = NGX_ORS_STRICT_OPENAI;

    for (line = (char *) list.data; (p = strchr(line, '\n')); line = p + 1) {
        *p = '\0';

        name = line;
        line = strchr(name, ' ');

        if (line == NULL) {
            fail("\"%s\" has no outcome", name);
            line = p;
            continue;
        }

        *line++ = '\0';
        n++;

        if (ngx_ors_test_file(DIRECTORY, name, pool, &body)) {
            test_request(&body, name, line);

        } else {
            fail("%s cannot be read", name);
        }
    }

    is_int(n, ngx_ors_test_files(DIRECTORY, ".json", test_name),
           "an outcome for each file");

    ngx_destroy_pool(pool);

    return done_testing();
}


static void
test_request(ngx_str_t *body, char *name, char *expected)
{
    u_char                text[256], *p;
    ngx_int_t             rc;
    ngx_pool_t           *pool;
    ngx_ors_out_t         out;
    ngx_ors_error_t       err;
    ngx_ors_request_t     req;
    ngx_ors_chat_tools_t  tools;

    pool = ngx_ors_test_pool();

    rc = ngx_ors_test_request(&req, body, &limits, pool, &err);

    if (rc == NGX_OK) {
        ngx_ors_out_init(&out, pool, 4096);
        rc = ngx_ors_chat_request(&req, ngx_ors_test_target(&req.model),
                                  &tools, &out, &err);
    }

    if (rc == NGX_OK) {
        p = ngx_sprintf(text, "ok");

    } else {
        p = ngx_snprintf(text, sizeof(text), "%V %V", &err.code, &err.param);
    }

    is_mem(text, p - text, expected, ngx_strlen(expected), "%s", name);

    ngx_destroy_pool(pool);
}


static ngx_uint_t
test_name(char *name)
{
    return 1;
}
