
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Foreign text made safe for headers, variables and log lines: control
 * characters and length.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_line.h>
#include <ngx_ors_utf8.h>


static ngx_uint_t ngx_ors_line_char(u_char *p, u_char *last, size_t *len);


ngx_uint_t
ngx_ors_line_clean(ngx_str_t *text)
{
    u_char  *p, *last;
    size_t   len;

    last = text->data + text->len;

    for (p = text->data; p < last; p += len) {

        if (!ngx_ors_line_char(p, last, &len)) {
            return 0;
        }
    }

    return 1;
}


ngx_uint_t
ngx_ors_line_fits(ngx_str_t *text)
{
    return text->len <= NGX_ORS_LINE_MAX && ngx_ors_line_clean(text);
}


u_char *
ngx_ors_line_copy(u_char *dst, u_char *src, size_t len)
{
    u_char  *p, *last;
    size_t   n;

    last = src + len;

    for (p = src; p < last; p += n) {

        if (!ngx_ors_line_char(p, last, &n)) {
            *dst++ = '?';
            continue;
        }

        dst = ngx_movemem(dst, p, n);
    }

    return dst;
}


/* 1 if the character at "p", of "*len" bytes, may be in a line */

static ngx_uint_t
ngx_ors_line_char(u_char *p, u_char *last, size_t *len)
{
    if (*p < 0x80) {
        *len = 1;
        return *p >= 0x20 && *p != 0x7f;
    }

    if (ngx_ors_utf8_char(p, last, len) != NGX_OK) {
        return 0;
    }

    /* U+0080 to U+009F */

    if (p[0] == 0xc2) {
        return p[1] >= 0xa0;
    }

    /* U+2028 and U+2029 */

    if (p[0] == 0xe2 && p[1] == 0x80) {
        return p[2] != 0xa8 && p[2] != 0xa9;
    }

    return 1;
}


ngx_uint_t
ngx_ors_line_name(ngx_str_t *name)
{
    u_char  ch, *p, *last;

    last = name->data + name->len;

    for (p = name->data; p < last; p++) {
        ch = *p | 0x20;

        if ((ch < 'a' || ch > 'z') && (*p < '0' || *p > '9')
            && *p != '_' && *p != '-')
        {
            return 0;
        }
    }

    return name->len > 0 && name->len <= NGX_ORS_NAME_MAX;
}
