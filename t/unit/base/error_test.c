
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Error values: codes, classes, types, texts, limits.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_error.h>


static void test_types(void);
static void test_codes(void);
static void test_reported(void);
static void test_set(void);
static void test_long(void);
static void test_id(void);
static void test_line(void);
static void test_no_memory(void);


int
main(void)
{
    test_types();
    test_codes();
    test_reported();
    test_set();
    test_long();
    test_id();
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
        ngx_ors_error_status(&err, tests[i].status);
        is_int(err.status, tests[i].status, "status %d",
               (int) tests[i].status);
        is_str(&err.type, tests[i].type, "type of %d", (int) tests[i].status);
    }
}


/* each code has a status, a class with an origin, and a row by its name */

static void
test_codes(void)
{
    ngx_uint_t             i;
    const ngx_ors_code_t  *code;

    for (i = 0; i < ngx_ors_code_other; i++) {
        code = &ngx_ors_codes[i];

        ok(code->status >= 400 && code->status < 600 && code->text.len
           && ngx_ors_error_origin(code->class) != ngx_ors_origin_none,
           "code %s", (char *) code->name.data);
        is_int(ngx_ors_error_code((ngx_str_t *) &code->name), i, "its row");
        ok((ngx_ors_error_origin(code->class) == ngx_ors_origin_client)
           == (code->status < 500 || code->status == 501
               || i == ngx_ors_code_model_error)
           || ngx_ors_error_origin(code->class) == ngx_ors_origin_limit
           || i == ngx_ors_code_usage_limit_reached
           || i == ngx_ors_code_usage_not_included, "its origin");
    }

    for (i = 1; i < ngx_ors_classes; i++) {
        ok(ngx_ors_error_origin(i) != ngx_ors_origin_none, "class %d",
           (int) i);
    }
}


/* the status that a model server has answered with */

static void
test_reported(void)
{
    ngx_uint_t       i;
    ngx_ors_error_t  err;

    static struct {
        ngx_uint_t          status;
        ngx_ors_class_e     class;
        ngx_ors_origin_e    origin;
    } rows[] = {
        { 400, ngx_ors_class_client, ngx_ors_origin_client },
        { 401, ngx_ors_class_client, ngx_ors_origin_client },
        { 404, ngx_ors_class_client, ngx_ors_origin_client },
        { 408, ngx_ors_class_timeout, ngx_ors_origin_upstream },
        { 422, ngx_ors_class_client, ngx_ors_origin_client },
        { 429, ngx_ors_class_upstream_limit, ngx_ors_origin_upstream },
        { 500, ngx_ors_class_upstream_error, ngx_ors_origin_upstream },
        { 503, ngx_ors_class_upstream_error, ngx_ors_origin_upstream },
        { 504, ngx_ors_class_timeout, ngx_ors_origin_upstream }
    };

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        ngx_ors_error_reported(&err, rows[i].status);

        ok(err.status == rows[i].status && err.class == rows[i].class
           && ngx_ors_error_origin(err.class) == rows[i].origin,
           "reported %d", (int) rows[i].status);
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

    is_int(ngx_ors_error_set(&err, pool, ngx_ors_code_invalid_value,
                             "\"%V\" has %ui", &name, (ngx_uint_t) 3),
           NGX_DECLINED, "set");
    is_int(err.status, 400, "status");
    is_str(&err.type, "invalid_request", "type");
    is_str(&err.code, "invalid_value", "code");
    is_int(err.class, ngx_ors_class_client, "class");
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
    ngx_ors_error_set(&err, pool, ngx_ors_code_bad_request, "%s", text);
    is_int(err.message.len, 512, "512 bytes");

    text[512] = 'x';
    text[513] = '\0';
    ngx_ors_error_set(&err, pool, ngx_ors_code_bad_request, "%s", text);
    is_int(err.message.len, 512, "513 bytes");

    for (n = 508; n <= 512; n++) {
        ngx_memset(text, 'x', sizeof(text));
        ngx_memcpy(text + n, "\xf0\x9f\x98\x80z", 6);
        ngx_ors_error_set(&err, pool, ngx_ors_code_bad_request, "%s", text);
        is_int(err.message.len, (n == 508) ? 512 : n,
               "a character at byte %d", (int) n);
    }

    ngx_destroy_pool(pool);
}


/* an id that the message is about, as much of it as is needed */

static void
test_id(void)
{
    char             text[128];
    ngx_str_t        id;
    ngx_pool_t      *pool;
    ngx_ors_error_t  err;

    pool = ngx_ors_test_pool();

    ngx_ors_error_set(&err, pool, ngx_ors_code_not_found, "nothing has it");
    ngx_str_set(&id, "a\nb\x80\"c");
    ngx_ors_error_id(&err, pool, &id);
    is_str(&err.message, "nothing has it: \"a?b?\"c\"", "controls");

    ngx_memset(text, 'x', sizeof(text));
    ngx_memcpy(text + 62, "\xf0\x9f\x98\x80", 4);
    id.data = (u_char *) text;
    id.len = sizeof(text);

    ngx_ors_error_set(&err, pool, ngx_ors_code_not_found, "long");
    ngx_ors_error_id(&err, pool, &id);
    is_int(err.message.len, 4 + 4 + 62, "cut in front of a character");

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
        { "\"a\" is required", "bad_request in a?b, \"a\" is required" },
        { "must be x, found string \"y\"",
          "bad_request in a?b, must be x, found a value" },
        { "must be x, found number 5",
          "bad_request in a?b, must be x, found a value" },
        { "must be x, found null",
          "bad_request in a?b, must be x, found null" },
        { "two\nlines", "bad_request in a?b, two?lines" },
        { "", "bad_request in a?b" }
    };

    pool = ngx_ors_test_pool();

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        ngx_ors_error_set(&err, pool, ngx_ors_code_bad_request, "%s",
                          rows[i].message);
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
    is_int(ngx_ors_error_set(&err, pool, ngx_ors_code_server_error, "text"),
           NGX_DECLINED, "no memory");
    ok(err.message.len > 0 && err.status == 500, "there is a message still");

    ngx_destroy_pool(pool);
}
