
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Headers and arguments of a client for a target: not those that
 * describe the client's body or ask for an answer that could not be read here,
 * and only those of a short list if it must not know the client.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_forward.h>
#include <ngx_ors_headers.h>
#include <ngx_ors_names.h>


/* the longest name of an argument that may be a key */
#define NGX_ORS_FORWARD_ARG  32


static ngx_uint_t ngx_ors_forward_passes(ngx_table_elt_t *h);
static ngx_uint_t ngx_ors_forward_key(u_char *p, u_char *last);


ngx_int_t
ngx_ors_forward_headers(ngx_list_t *from, ngx_list_t *to, ngx_uint_t drop,
    ngx_pool_t *pool)
{
    ngx_str_t            *key;
    ngx_table_elt_t      *h, *copy;
    ngx_ors_header_at_t   at;

    /* room for all, and for the type and the length of the new body */

    if (ngx_list_init(to, pool, from->part.nelts + 2, sizeof(ngx_table_elt_t))
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    for (h = ngx_ors_header_first(from, &at);
         h;
         h = ngx_ors_header_next(&at))
    {
        key = &h->key;

        if ((drop & NGX_ORS_FORWARD_BARE) ? !ngx_ors_forward_public(key)
                                          : !ngx_ors_forward_passes(h))
        {
            continue;
        }

        /* W3C's context of a trace */

        if ((drop & NGX_ORS_FORWARD_UNTRACED)
            && (ngx_ors_same_case(key, "traceparent")
                || ngx_ors_same_case(key, "tracestate")))
        {
            continue;
        }

        copy = ngx_list_push(to);
        if (copy == NULL) {
            return NGX_ERROR;
        }

        *copy = *h;
    }

    return NGX_OK;
}


static ngx_uint_t
ngx_ors_forward_passes(ngx_table_elt_t *h)
{
    ngx_str_t  *name;

    static ngx_str_t  names[] = {
        ngx_string("accept"),
        ngx_string("accept-encoding"),
        ngx_string("content-encoding"),
        ngx_string("content-length"),
        ngx_string("content-type"),
        ngx_string("expect"),
        ngx_string("if-match"),
        ngx_string("if-modified-since"),
        ngx_string("if-none-match"),
        ngx_string("if-range"),
        ngx_string("if-unmodified-since"),
        ngx_string("range"),
        ngx_string("transfer-encoding"),
        ngx_string("upgrade"),
        ngx_null_string
    };

    for (name = names; name->len; name++) {

        if (h->key.len == name->len
            && ngx_strncmp(h->lowcase_key, name->data, name->len) == 0)
        {
            return 0;
        }
    }

    return 1;
}


/* a variable has "_" in place of "-" */

ngx_uint_t
ngx_ors_forward_public(ngx_str_t *name)
{
    u_char      ch;
    size_t      n;
    ngx_str_t  *known;

    static ngx_str_t  names[] = {
        ngx_string("accept-language"),
        ngx_string("host"),
        ngx_string("openai-beta"),
        ngx_string("traceparent"),
        ngx_string("tracestate"),
        ngx_string("x-client-request-id"),
        ngx_string("x-request-id"),
        ngx_null_string
    };

    for (known = names; known->len; known++) {

        if (known->len != name->len) {
            continue;
        }

        for (n = 0; n < name->len; n++) {
            ch = (name->data[n] == '_') ? '-' : ngx_tolower(name->data[n]);

            if (ch != known->data[n]) {
                break;
            }
        }

        if (n == name->len) {
            return 1;
        }
    }

    return 0;
}


ngx_int_t
ngx_ors_forward_args(ngx_str_t *from, ngx_str_t *args, ngx_pool_t *pool)
{
    u_char  *p, *next, *last, *dst;

    *args = *from;

    if (from->len == 0) {
        return NGX_OK;
    }

    args->data = ngx_pnalloc(pool, from->len);
    if (args->data == NULL) {
        return NGX_ERROR;
    }

    dst = args->data;
    last = from->data + from->len;

    for (p = from->data; p < last; p = next + 1) {
        next = ngx_strlchr(p, last, '&');

        if (next == NULL) {
            next = last;
        }

        if (ngx_ors_forward_key(p, next)) {
            continue;
        }

        if (dst != args->data) {
            *dst++ = '&';
        }

        dst = ngx_cpymem(dst, p, next - p);
    }

    args->len = dst - args->data;

    return NGX_OK;
}


static ngx_uint_t
ngx_ors_forward_key(u_char *p, u_char *last)
{
    u_char      buf[NGX_ORS_FORWARD_ARG * 3];
    u_char     *end, *dst, *src;
    ngx_str_t   name, *known;

    static ngx_str_t  names[] = {
        ngx_string("access_token"),
        ngx_string("api-key"),
        ngx_string("api_key"),
        ngx_string("apikey"),
        ngx_string("auth_token"),
        ngx_string("key"),
        ngx_string("sig"),
        ngx_string("subscription-key"),
        ngx_string("token"),
        ngx_null_string
    };

    end = ngx_strlchr(p, last, '=');

    if (end == NULL) {
        end = last;
    }

    if ((size_t) (end - p) > sizeof(buf)) {
        return 0;
    }

    /* a server reads it unescaped */

    src = p;
    dst = buf;

    ngx_unescape_uri(&dst, &src, end - p, 0);

    name.data = buf;
    name.len = dst - buf;

    for (known = names; known->len; known++) {

        if (ngx_ors_same_case(&name, (char *) known->data)) {
            return 1;
        }
    }

    return 0;
}


ngx_int_t
ngx_ors_forward_uri(const ngx_str_t *path, ngx_str_t *args, ngx_pool_t *pool,
    ngx_str_t *uri)
{
    u_char  *p;
    size_t   i, len;

    static ngx_str_t  base = ngx_string("/v1");

    len = base.len + path->len + (args->len ? 3 * args->len + 1 : 0);

    p = ngx_pnalloc(pool, len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    uri->data = p;

    p = ngx_cpymem(p, base.data, base.len);
    p = ngx_cpymem(p, path->data, path->len);

    if (args->len) {
        *p++ = '?';
    }

    /* a "set $args" may have put decoded text there */

    for (i = 0; i < args->len; i++) {

        if (args->data[i] <= 0x20 || args->data[i] == 0x7f) {
            p = ngx_sprintf(p, "%%%02XD", (ngx_int_t) args->data[i]);

        } else {
            *p++ = args->data[i];
        }
    }

    uri->len = p - uri->data;

    return NGX_OK;
}
