
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Characters of UTF-8, and the places where such a text may be cut.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_utf8.h>


ngx_int_t
ngx_ors_utf8_char(u_char *p, u_char *last, size_t *len)
{
    u_char  ch, low, high;
    size_t  i, n;

    ch = *p;
    *len = 1;

    if (ch < 0x80) {
        return NGX_OK;
    }

    if (ch < 0xc2 || ch > 0xf4) {
        return NGX_DECLINED;
    }

    n = (ch < 0xe0) ? 2 : (ch < 0xf0) ? 3 : 4;

    /* the second byte rules out long forms, surrogates and over U+10FFFF */

    low = (ch == 0xe0) ? 0xa0 : (ch == 0xf0) ? 0x90 : 0x80;
    high = (ch == 0xed) ? 0x9f : (ch == 0xf4) ? 0x8f : 0xbf;

    for (i = 1; i < n; i++) {
        *len = i;

        if (p + i == last) {
            return NGX_AGAIN;
        }

        if (p[i] < low || p[i] > high) {
            return NGX_DECLINED;
        }

        low = 0x80;
        high = 0xbf;
    }

    *len = n;

    return NGX_OK;
}


size_t
ngx_ors_utf8_length(u_char *data, size_t len)
{
    size_t  i, n;

    n = 0;

    for (i = 0; i < len; i++) {
        n += ((data[i] & 0xc0) != 0x80);
    }

    return n;
}


size_t
ngx_ors_utf8_cut(u_char *data, size_t len, size_t max)
{
    size_t     i, n;
    ngx_int_t  rc;

    if (len <= max) {
        return len;
    }

    for (i = 0; i < 4 && i <= max; i++) {

        if ((data[max - i] & 0xc0) == 0x80) {
            continue;
        }

        rc = ngx_ors_utf8_char(data + max - i, data + len, &n);

        if (rc == NGX_AGAIN || (rc == NGX_OK && n > i)) {
            return max - i;
        }

        break;
    }

    return max;
}
