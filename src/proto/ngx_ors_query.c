
/*
 * Copyright (C) Open Responses contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_query.h>


static u_char *ngx_ors_query_decode(u_char *dst, u_char *p, u_char *last);


ngx_int_t
ngx_ors_query_get(ngx_str_t *args, ngx_pool_t *pool, u_char *name, size_t len,
    ngx_str_t *value)
{
    u_char  *p, *next, *end, *last;

    ngx_str_null(value);

    last = args->data + args->len;

    for (p = args->data; p < last; p = next) {
        end = ngx_strlchr(p, last, '&');

        if (end == NULL) {
            end = last;
        }

        next = end + 1;

        if ((size_t) (end - p) <= len || p[len] != '='
            || ngx_memcmp(p, name, len) != 0)
        {
            continue;
        }

        p += len + 1;

        value->data = ngx_pnalloc(pool, end - p + 1);
        if (value->data == NULL) {
            return NGX_ERROR;
        }

        value->len = ngx_ors_query_decode(value->data, p, end) - value->data;

        return NGX_OK;
    }

    return NGX_DECLINED;
}


/* what is not an escape stays as it is */

static u_char *
ngx_ors_query_decode(u_char *dst, u_char *p, u_char *last)
{
    u_char     ch;
    ngx_int_t  n;

    while (p < last) {
        ch = *p++;

        if (ch == '+') {
            ch = ' ';

        } else if (ch == '%' && last - p >= 2) {
            n = ngx_hextoi(p, 2);

            if (n != NGX_ERROR) {
                ch = (u_char) n;
                p += 2;
            }
        }

        *dst++ = ch;
    }

    return dst;
}
