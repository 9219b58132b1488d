
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * What is said of a chat server in the configuration, as it comes in a line:
 * taken, or refused with one message, and never half of it.
 *
 * Input: words, a line each; what begins with "/" is an effort "high", a
 * pointer, and its value in the next line.
 */


#include "fuzz_json.h"
#include <ngx_http_ors.h>
#include <ngx_ors_utf8.h>


#define OPTIONS_FUZZ_WORDS  32


static char *options_fuzz_set(ngx_conf_t *cf, ngx_http_ors_loc_conf_t *olcf,
    ngx_str_t *words, ngx_uint_t n);
static void options_fuzz_taken(ngx_http_ors_loc_conf_t *olcf,
    ngx_pool_t *pool);


static ngx_uint_t  options_fuzz_messages;


int
LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    char                     *rv;
    ngx_str_t                 words[OPTIONS_FUZZ_WORDS];
    ngx_conf_t                cf;
    ngx_uint_t                i, n;
    ngx_pool_t               *pool;
    const uint8_t            *p, *last;
    ngx_http_ors_loc_conf_t   olcf;

    p = input;
    last = input + size;

    pool = ngx_ors_test_pool();

    ngx_memzero(&cf, sizeof(ngx_conf_t));
    ngx_memzero(&olcf, sizeof(ngx_http_ors_loc_conf_t));

    cf.pool = pool;
    cf.temp_pool = pool;
    cf.log = pool->log;

    ngx_http_ors_options_init(&olcf.options);

    for (n = 0; p < last && n < OPTIONS_FUZZ_WORDS; n++) {
        words[n] = fuzz_line(&p, last, LF);
        words[n].data = fuzz_copy(words[n].data, words[n].len);
    }

    options_fuzz_messages = 0;

    rv = options_fuzz_set(&cf, &olcf, words, n);

    fuzz_check(options_fuzz_messages == (rv != NGX_CONF_OK));

    if (rv == NGX_CONF_OK) {
        options_fuzz_taken(&olcf, pool);
    }

    for (i = 0; i < n; i++) {
        free(words[i].data);
    }

    ngx_destroy_pool(pool);

    return 0;
}


static char *
options_fuzz_set(ngx_conf_t *cf, ngx_http_ors_loc_conf_t *olcf,
    ngx_str_t *words, ngx_uint_t n)
{
    char         *rv;
    ngx_str_t     args[4];
    ngx_uint_t    i;
    ngx_array_t   array;

    rv = NGX_CONF_OK;

    ngx_memzero(&array, sizeof(ngx_array_t));
    ngx_str_set(&args[0], "a_directive");

    array.elts = args;
    cf->args = &array;

    for (i = 0; i < n && rv == NGX_CONF_OK; i++) {

        if (words[i].len && words[i].data[0] == '/' && i + 1 < n) {
            ngx_str_set(&args[1], "high");
            args[2] = words[i];
            args[3] = words[++i];
            array.nelts = 4;

            rv = ngx_http_ors_effort_set(cf, NULL, olcf);
            continue;
        }

        args[1] = words[i];
        array.nelts = 2;

        rv = ngx_http_ors_options_set(cf, NULL, olcf);
    }

    return rv;
}


/* an effort is JSON, members that no request has of the adapter */

static void
options_fuzz_taken(ngx_http_ors_loc_conf_t *olcf, ngx_pool_t *pool)
{
    ngx_str_t               text;
    ngx_uint_t              i;
    ngx_ors_out_t           out;
    ngx_ors_json_t          json;
    ngx_ors_pointer_t      *member;
    ngx_ors_chat_effort_t  *effort;
    ngx_ors_chat_options_t  none;

    ngx_http_ors_options_init(&none);
    ngx_http_ors_options_merge(&olcf->options, &none);

    if (olcf->options.efforts == NULL) {
        return;
    }

    effort = olcf->options.efforts->elts;

    for (i = 0; i < olcf->options.efforts->nelts; i++) {
        ngx_ors_out_init(&out, pool, 64);
        ngx_ors_out_lit(&out, "{\"a\":0");

        for (member = effort[i].members.first; member; member = member->next) {
            fuzz_check(!ngx_ors_chat_owns(&member->name));
            ngx_ors_out_lit(&out, ",");
            ngx_ors_pointer_put(member, &out);
        }

        ngx_ors_out_lit(&out, "}");

        text = fuzz_take(&out, pool);

        /* names are bytes of a file of the operator */

        if (ngx_ors_utf8_valid(text.data, text.len) == text.len) {
            fuzz_read(&json, pool, &text);
        }
    }
}


/* the stand-in for nginx's */

void ngx_cdecl
ngx_conf_log_error(ngx_uint_t level, ngx_conf_t *cf, ngx_err_t err,
    const char *fmt, ...)
{
    u_char    errstr[NGX_MAX_CONF_ERRSTR], *p;
    va_list   args;

    va_start(args, fmt);
    p = ngx_vslprintf(errstr, errstr + NGX_MAX_CONF_ERRSTR, fmt, args);
    va_end(args);

    fuzz_check(p > errstr && level == NGX_LOG_EMERG);

    options_fuzz_messages++;
}
