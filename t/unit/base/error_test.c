
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Error values: types, texts, limits.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_error.h>


static void test_types(void);
static void test_set(void);
static void test_long(void);
static void test_line(void);
static void test_no_memory(void);


int
main(void)
{
    test_types();
    test_set();
    test_long();
    test_line();
    test_no_memory();

    return done_testing();
}


static void
test_types(void)
{
    ngx_uint_t       i;
    ngx_ors_error_t  err;

    static struct {
        ngx_uint_t   status;
        char        *type;
    } tests[] = {
        { 400, "invalid_request" },
        { 401, "invalid_request" },
        { 403, "invalid_request" },
        { 404, "not_found" },
        { 405, "invalid_request" },
        { 413, "invalid_request" },
        { 415, "invalid_request" },
        { 422, "invalid_request" },
        { 429, "too_many_requests" },
        { 499, "invalid_request" },
        { 500, "server_error" },
        { 502, "server_error" },
        { 599, "server_error" },
        { 0,   "server_error" },
    };

    for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        ngx_ors_error_type(&err, tests[i].status);
        is_str(&err.type, tests[i].type, "type of %d", (int) tests[i].status);
    }
}


static void
test_set(void)
{
    ngx_str_t        name = ngx_string("input[0]");
    ngx_pool_t      *pool;
    ngx_ors_error_t  err;

    pool = ngx_ors_test_pool();
    ngx_memset(&err, 0xff, sizeof(err));

    is_int(ngx_ors_error_set(&err, pool, 400, "bad_value", "\"%V\" has %ui",
                             &name, (ngx_uint_t) 3),
           NGX_DECLINED, "set");
    is_int(err.status, 400, "status");
    is_str(&err.type, "invalid_request", "type");
    is_str(&err.code, "bad_value", "code");
    is_str(&err.message, "\"input[0]\" has 3", "message");
    is_int(err.param.len, 0, "param is empty");

    ngx_destroy_pool(pool);
}


static void
test_long(void)
{
    size_t           n;
    char             text[1024];
    ngx_pool_t      *pool;
    ngx_ors_error_t  err;

    pool = ngx_ors_test_pool();

    ngx_memset(text, 'x', sizeof(text));

    text[512] = '\0';
    ngx_ors_error_set(&err, pool, 400, "c", "%s", text);
    is_int(err.message.len, 512, "512 bytes");

    text[512] = 'x';
    text[513] = '\0';
    ngx_ors_error_set(&err, pool, 400, "c", "%s", text);
    is_int(err.message.len, 512, "513 bytes");

    for (n = 508; n <= 512; n++) {
        ngx_memset(text, 'x', sizeof(text));
        ngx_memcpy(text + n, "\xf0\x9f\x98\x80z", 6);
        ngx_ors_error_set(&err, pool, 400, "c", "%s", text);
        is_int(err.message.len, (n == 508) ? 512 : n,
               "a character at byte %d", (int) n);
    }

    ngx_destroy_pool(pool);
}


/* a line of the log: nothing that the client has sent, and no line's end */

static void
test_line(void)
{
    u_char           buf[NGX_ORS_ERROR_LINE];
    size_t           len;
    ngx_uint_t       i;
    ngx_pool_t      *pool;
    ngx_ors_error_t  err;

    static struct {
        char  *message;
        char  *line;
    } rows[] = {
        { "\"a\" is required", "c in a?b, \"a\" is required" },
        { "must be x, found string \"y\"",
          "c in a?b, must be x, found a value" },
        { "must be x, found number 5", "c in a?b, must be x, found a value" },
        { "must be x, found null", "c in a?b, must be x, found null" },
        { "two\nlines", "c in a?b, two?lines" },
        { "", "c in a?b" }
    };

    pool = ngx_ors_test_pool();

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        ngx_ors_error_set(&err, pool, 400, "c", "%s", rows[i].message);
        ngx_str_set(&err.param, "a\nb");

        len = ngx_ors_error_line(buf, &err) - buf;

        is_mem(buf, len, rows[i].line, strlen(rows[i].line), rows[i].message);
    }

    ngx_destroy_pool(pool);
}


static void
test_no_memory(void)
{
    ngx_pool_t       *pool;
    ngx_ors_error_t   err;

    pool = ngx_ors_test_pool();

    ngx_ors_test_fail_after(1);
    is_int(ngx_ors_error_set(&err, pool, 500, "c", "text"), NGX_DECLINED,
           "no memory");
    ok(err.message.len > 0 && err.status == 500, "there is a message still");

    ngx_destroy_pool(pool);
}
