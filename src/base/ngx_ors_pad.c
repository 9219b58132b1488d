
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Padding of a random length in random letters.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_pad.h>
#include <ngx_ors_random.h>


static const u_char  ngx_ors_pad_chars[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";


void
ngx_ors_pad(ngx_ors_out_t *out, size_t len)
{
    u_char  buf[NGX_ORS_PAD_STEP];
    size_t  i, n;

    n = NGX_ORS_PAD_STEP - len % NGX_ORS_PAD_STEP;

    if (ngx_ors_random(buf, n, out->pool->log) != NGX_OK) {
        out->failed = 1;
        return;
    }

    for (i = 0; i < n; i++) {
        buf[i] = ngx_ors_pad_chars[buf[i] & 63];
    }

    ngx_ors_out_copy(out, buf, n);
}
