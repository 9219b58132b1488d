
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Options of a chat server in the configuration, as they come in a line:
 * taken, or refused with one message, and never half of it.
 *
 * Input: words, a line each; a word that begins with "/" is an effort "high",
 * a pointer, and its value in the next line.
 */


#include "fuzz_json.h"
#include <ngx_ors_chat_options_conf.h>
#include <ngx_ors_chat_options.h>
#include <ngx_ors_utf8.h>


#define OPTIONS_FUZZ_WORDS  32


static char *options_fuzz_set(ngx_conf_t *cf, ngx_ors_chat_options_t *options,
    ngx_str_t *words, ngx_uint_t n);
static void options_fuzz_taken(ngx_ors_chat_options_t *options,
    ngx_pool_t *pool);


int
LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    char                     *rv;
    ngx_str_t                 words[OPTIONS_FUZZ_WORDS];
    ngx_conf_t                cf;
    ngx_uint_t                i, n;
    ngx_pool_t               *pool;
    const uint8_t            *p, *last;
    ngx_ors_chat_options_t    options;

    p = input;
    last = input + size;

    pool = ngx_ors_test_pool();

    ngx_memzero(&cf, sizeof(ngx_conf_t));
    ngx_memzero(&options, sizeof(ngx_ors_chat_options_t));

    cf.pool = pool;
    cf.temp_pool = pool;
    cf.log = pool->log;

    ngx_ors_chat_options_init(&options);

    for (n = 0; p < last && n < OPTIONS_FUZZ_WORDS; n++) {
        words[n] = fuzz_line(&p, last, LF);
        words[n].data = fuzz_copy(words[n].data, words[n].len);
    }

    ngx_ors_test_log_reset();

    rv = options_fuzz_set(&cf, &options, words, n);

    fuzz_check(ngx_ors_test_logged(NGX_LOG_EMERG) == (rv != NGX_CONF_OK));

    if (rv == NGX_CONF_OK) {
        options_fuzz_taken(&options, pool);
    }

    for (i = 0; i < n; i++) {
        free(words[i].data);
    }

    ngx_destroy_pool(pool);

    return 0;
}


static char *
options_fuzz_set(ngx_conf_t *cf, ngx_ors_chat_options_t *options,
    ngx_str_t *words, ngx_uint_t n)
{
    char           *rv;
    ngx_str_t       args[4];
    ngx_uint_t      i;
    ngx_array_t     array;
    ngx_command_t   cmd;

    rv = NGX_CONF_OK;

    ngx_memzero(&array, sizeof(ngx_array_t));
    ngx_memzero(&cmd, sizeof(ngx_command_t));
    ngx_str_set(&args[0], "a_directive");

    array.elts = args;
    cf->args = &array;

    for (i = 0; i < n && rv == NGX_CONF_OK; i++) {

        if (words[i].len && words[i].data[0] == '/' && i + 1 < n) {
            ngx_str_set(&args[1], "high");
            args[2] = words[i];
            args[3] = words[++i];
            array.nelts = 4;

            cmd.offset = offsetof(ngx_ors_chat_options_t, efforts);
            rv = ngx_ors_chat_effort_slot(cf, &cmd, options);
            continue;
        }

        args[1] = words[i];
        array.nelts = 2;

        cmd.offset = 0;
        rv = ngx_ors_chat_options_slot(cf, &cmd, options);
    }

    return rv;
}


/* an effort is JSON, members that no request has of the adapter */

static void
options_fuzz_taken(ngx_ors_chat_options_t *options, ngx_pool_t *pool)
{
    ngx_str_t               text;
    ngx_uint_t              i;
    ngx_ors_out_t           out;
    ngx_ors_json_t          json;
    ngx_ors_pointer_t      *member;
    ngx_ors_chat_effort_t  *effort;
    ngx_ors_chat_options_t  none;

    ngx_ors_chat_options_init(&none);
    ngx_ors_chat_options_merge(options, &none);

    if (options->efforts == NULL) {
        return;
    }

    effort = options->efforts->elts;

    for (i = 0; i < options->efforts->nelts; i++) {
        ngx_ors_out_init(&out, pool, 64);
        ngx_ors_out_lit(&out, "{\"a\":0");

        for (member = effort[i].members.first; member; member = member->next) {
            fuzz_check(!ngx_ors_chat_field(&member->name,
                                           NGX_ORS_CHAT_FIELD_OWN));
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
