
/*
 * Copyright (C) Open Responses contributors
 */


/* Arguments of a query string. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_query.h>


ngx_int_t
ngx_ors_query_arg(ngx_str_t *query, const ngx_str_t *name, ngx_pool_t *pool,
    ngx_str_t *value)
{
    u_char  *p, *end, *last, *src, *dst;

    ngx_str_null(value);

    last = query->data + query->len;

    for (p = query->data; p < last; p = end + 1) {

        end = ngx_strlchr(p, last, '&');
        end = end ? end : last;

        if ((size_t) (end - p) <= name->len || p[name->len] != '='
            || ngx_strncasecmp(p, name->data, name->len) != 0)
        {
            continue;
        }

        src = p + name->len + 1;

        dst = ngx_pnalloc(pool, end - src + 1);
        if (dst == NULL) {
            return NGX_ERROR;
        }

        value->data = dst;
        ngx_unescape_uri(&dst, &src, end - src, 0);
        value->len = dst - value->data;

        return NGX_OK;
    }

    return NGX_OK;
}
