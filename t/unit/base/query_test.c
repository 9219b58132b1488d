
/*
 * Copyright (C) Open Responses contributors
 */


/* Arguments of a query string. */


#include <ngx_ors_test.h>
#include <ngx_ors_text.h>


static void test_rows(void);
static void test_memory(void);


/* argument "ab"; NULL: absent */

static const struct {
    const char  *query;
    const char  *value;
} rows[] = {
    { "", NULL },
    { "ab", NULL },
    { "ab=", "" },
    { "ab=1", "1" },
    { "AB=1", "1" },
    { "ab=1&ab=2", "1" },
    { "x=1&ab=2", "2" },
    { "x=1&ab=2&y=3", "2" },
    { "xab=1", NULL },
    { "xab=1&ab=2", "2" },
    { "abx=1", NULL },
    { "ab&ab=2", "2" },
    { "&&ab=2", "2" },
    { "ab=2&", "2" },
    { "x=ab=1", NULL },
    { "ab=a=b", "a=b" },
    { "ab=%41%2f", "A/" },
    { "ab=a+b", "a+b" },
    { "%61b=1", NULL }
};


int
main(void)
{
    test_rows();
    test_memory();

    return done_testing();
}


static void
test_rows(void)
{
    ngx_str_t    query, value;
    ngx_uint_t   i;
    ngx_pool_t  *pool;

    static const ngx_str_t  name = ngx_string("ab");

    pool = ngx_ors_test_pool();

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        query.data = (u_char *) rows[i].query;
        query.len = ngx_strlen(rows[i].query);

        is_int(ngx_ors_query_arg(&query, &name, pool, &value), NGX_OK,
               "\"%s\"", rows[i].query);

        if (rows[i].value) {
            is_str(&value, rows[i].value, "\"%s\": its value", rows[i].query);

        } else {
            ok(value.data == NULL, "\"%s\": absent", rows[i].query);
        }
    }

    ngx_destroy_pool(pool);
}


static void
test_memory(void)
{
    ngx_str_t    query, value;
    ngx_pool_t  *pool;

    static const ngx_str_t  name = ngx_string("ab");

    pool = ngx_ors_test_pool();

    ngx_str_set(&query, "ab=1");

    ngx_ors_test_fail_after(1);

    is_int(ngx_ors_query_arg(&query, &name, pool, &value), NGX_ERROR,
           "no memory");

    ngx_ors_test_fail_after(0);
    ngx_destroy_pool(pool);
}
