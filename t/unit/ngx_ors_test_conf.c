
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Lines of a configuration for setters of directives, and a stand-in for what
 * nginx logs of them.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_test_conf.h>


#define NGX_ORS_TEST_CONF_WORDS  16


static ngx_int_t ngx_ors_test_number(ngx_str_t *line, const char *units,
    const ngx_int_t *scales);


static const ngx_int_t  ngx_ors_test_sizes[] = { 1024, 1048576, 1073741824 };
static const ngx_int_t  ngx_ors_test_seconds[] = { 1, 60, 3600, 86400 };


char *
ngx_ors_test_conf(ngx_pool_t *pool, ngx_command_t *cmd, void *conf,
    const char *line)
{
    size_t        len;
    ngx_str_t     word[NGX_ORS_TEST_CONF_WORDS];
    const char   *p;
    ngx_conf_t    cf;
    ngx_array_t   args;

    ngx_memzero(&cf, sizeof(ngx_conf_t));
    ngx_memzero(&args, sizeof(ngx_array_t));

    for (p = line; *p; p += len + (p[len] == ' ')) {
        len = strcspn(p, " ");

        word[args.nelts].data = ngx_pcalloc(pool, len + 1);
        word[args.nelts].len = (len == 1 && *p == '-') ? 0 : len;

        (void) ngx_ors_test_quotes(word[args.nelts].data, p,
                                   word[args.nelts].len);
        args.nelts++;
    }

    args.elts = word;
    cmd->name = word[0];

    cf.args = &args;
    cf.pool = pool;
    cf.temp_pool = pool;
    cf.log = ngx_ors_test_log();

    ngx_ors_test_log_reset();

    return cmd->set(&cf, cmd, conf);
}


void ngx_cdecl
ngx_conf_log_error(ngx_uint_t level, ngx_conf_t *cf, ngx_err_t err,
    const char *fmt, ...)
{
    u_char    errstr[NGX_MAX_CONF_ERRSTR], *p;
    va_list   args;

    va_start(args, fmt);
    p = ngx_vslprintf(errstr, errstr + NGX_MAX_CONF_ERRSTR, fmt, args);
    va_end(args);

    ngx_log_error_core(level, cf->log, err, "%*s", (size_t) (p - errstr),
                       errstr);
}


/* numbers with one unit at most, without the checks of nginx's own */

ssize_t
ngx_parse_size(ngx_str_t *line)
{
    return ngx_ors_test_number(line, "km", ngx_ors_test_sizes);
}


off_t
ngx_parse_offset(ngx_str_t *line)
{
    return ngx_ors_test_number(line, "kmg", ngx_ors_test_sizes);
}


ngx_int_t
ngx_parse_time(ngx_str_t *line, ngx_uint_t is_sec)
{
    ngx_int_t  n;

    n = ngx_ors_test_number(line, "smhd", ngx_ors_test_seconds);

    return (n == NGX_ERROR || is_sec) ? n : n * 1000;
}


static ngx_int_t
ngx_ors_test_number(ngx_str_t *line, const char *units, const ngx_int_t *scales)
{
    size_t       len;
    ngx_int_t    n, scale;
    const char  *unit;

    scale = 1;
    len = line->len;

    if (len) {
        unit = strchr(units, ngx_tolower(line->data[len - 1]));

        if (unit) {
            scale = scales[unit - units];
            len--;
        }
    }

    n = ngx_atoi(line->data, len);

    return (n == NGX_ERROR) ? n : n * scale;
}
