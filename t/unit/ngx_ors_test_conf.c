
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
