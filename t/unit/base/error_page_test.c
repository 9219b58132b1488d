
/*
 * Copyright (C) Open Responses contributors
 */


/* Errors in the place of nginx's own pages. */


#include <ngx_ors_test.h>
#include <ngx_ors_error.h>


int
main(void)
{
    ngx_uint_t        i;
    ngx_pool_t       *pool;
    ngx_ors_error_t   err;

    static struct {
        ngx_uint_t    status;
        char         *code;
        char         *type;
    } rows[] = {
        { 404, "not_found", "not_found" },
        { 413, "request_too_large", "invalid_request" },
        { 429, "rate_limit_exceeded", "too_many_requests" },
        { 418, "request_refused", "invalid_request" },
        { 502, "upstream_unavailable", "server_error" },
        { 500, "server_error", "server_error" },
        { 507, "server_error", "server_error" }
    };

    pool = ngx_ors_test_pool();

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        ngx_memset(&err, 0xff, sizeof(ngx_ors_error_t));

        ngx_ors_error_page(&err, pool, rows[i].status, NULL);

        is_int(err.status, rows[i].status, "status %d", (int) rows[i].status);
        is_str(&err.code, rows[i].code, "... its code");
        is_str(&err.type, rows[i].type, "... its type");
        ok(err.message.len != 0 && err.param.len == 0 && err.retry == 0,
           "... a message, and nothing else");
    }

    ngx_ors_error_page(&err, pool, 415, "of another type");
    is_str(&err.message, "of another type", "a message that says more");

    ngx_destroy_pool(pool);

    return done_testing();
}
