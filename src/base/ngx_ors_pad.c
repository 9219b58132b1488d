
/*
 * Copyright (C) Open Responses contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_pad.h>


static const u_char  ngx_ors_pad_chars[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";


void
ngx_ors_pad(ngx_ors_out_t *out, size_t len)
{
    u_char      buf[NGX_ORS_PAD_STEP];
    size_t      i, n;
    ngx_uint_t  bits;

    n = NGX_ORS_PAD_STEP - len % NGX_ORS_PAD_STEP;
    bits = 0;

    for (i = 0; i < n; i++) {

        /* of 31 bits five letters are made */

        if (i % 5 == 0) {
            bits = (ngx_uint_t) ngx_random();
        }

        buf[i] = ngx_ors_pad_chars[bits & 63];
        bits >>= 6;
    }

    ngx_ors_out_copy(out, buf, n);
}
