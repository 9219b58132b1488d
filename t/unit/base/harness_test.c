
/*
 * Copyright (C) Open Responses contributors
 */


/* The stand-in itself: formats and memory as nginx has them. */


#include <ngx_ors_test.h>


static void test_formats(void);
static void test_strings(void);
static void test_memory(void);


static u_char  buf[256];


int
main(void)
{
    test_formats();
    test_strings();
    test_memory();

    return done_testing();
}


#define is_fmt(expected, ...)                                                 \
    *ngx_snprintf(buf, sizeof(buf) - 1, __VA_ARGS__) = '\0';                  \
    is_mem(buf, ngx_strlen(buf), expected, ngx_strlen(expected), "%s",        \
           expected)


static void
test_formats(void)
{
    u_char     *p;
    ngx_str_t   s = ngx_string("abc");

    is_fmt("[abc]", "[%V]", &s);
    is_fmt("616263", "%xV", &s);
    is_fmt("abc ab", "%s %*s", "abc", (size_t) 2, "abc");
    is_fmt("18446744073709551615 -1", "%ui %i", (ngx_uint_t) -1,
           (ngx_int_t) -1);
    is_fmt("1 2 -3", "%uz %z %O", (size_t) 1, (ssize_t) 2, (off_t) -3);
    is_fmt("5 -6 7 a0 00ff", "%uA %d %uD %xD %04xd", (ngx_atomic_uint_t) 5, -6,
           (uint32_t) 7, (uint32_t) 160, 255);
    is_fmt("%c\n", "%%%c%N", 'c');
    is_fmt("-9223372036854775808", "%L",
           (int64_t) (-NGX_MAX_INT_T_VALUE - 1));
    is_fmt("1700000000.007 12", "%T.%03M %M", (time_t) 1700000000,
           (ngx_msec_t) 7, (ngx_msec_t) 12);
    is_fmt("0.500 1700000000", "%.3f %P", 0.5, (ngx_pid_t) 1700000000);

    p = ngx_slprintf(buf, buf + 4, "%s", "abcdef");
    is_mem(buf, p - buf, "abcd", 4, "cut at the end");
}


static void
test_strings(void)
{
    is_int(ngx_atoi((u_char *) "9223372036854775807", 19),
           NGX_MAX_INT_T_VALUE, "ngx_atoi() of the greatest number");
    is_int(ngx_atoi((u_char *) "9223372036854775808", 19), NGX_ERROR,
           "ngx_atoi() over it");
    is_int(ngx_atoi((u_char *) "", 0), NGX_ERROR, "ngx_atoi() of nothing");
    is_int(ngx_hextoi((u_char *) "fF", 2), 255, "ngx_hextoi()");
    is_int(ngx_strncasecmp((u_char *) "Data", (u_char *) "dATax", 4), 0,
           "ngx_strncasecmp()");
    is_int(ngx_cpystrn(buf, (u_char *) "abc", 3) - buf, 2, "ngx_cpystrn()");
}


static void
test_memory(void)
{
    ngx_int_t    *n;
    ngx_uint_t    i;
    ngx_pool_t   *pool;
    ngx_array_t   a;

    pool = ngx_ors_test_pool();

    ngx_ors_test_fail_after(2);
    ok(ngx_palloc(pool, 1) != NULL, "first allocation");
    ok(ngx_palloc(pool, 1) == NULL, "second allocation fails");
    ok(ngx_ors_test_failed(), "and is reported");
    ok(ngx_palloc(pool, 1) != NULL, "third allocation");

    ngx_ors_test_fail_after(0);

    ngx_array_init(&a, pool, 1, sizeof(ngx_int_t));

    for (i = 0; i < 100; i++) {
        n = ngx_array_push(&a);
        *n = i;
    }

    is_int(((ngx_int_t *) a.elts)[77], 77, "array grows");

    ngx_log_error(NGX_LOG_INFO, pool->log, 0, "%ui", (ngx_uint_t) 3);
    is_int(ngx_ors_test_logged(NGX_LOG_INFO), 1, "a line is counted");
    is_mem(ngx_ors_test_log_last(), 1, "3", 1, "and kept");

    ngx_destroy_pool(pool);
}
