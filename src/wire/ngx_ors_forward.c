
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
#include <ngx_ors_names.h>
#include <ngx_ors_compat.h>
#include <ngx_ors_error.h>


/* the longest name of an argument that may be a key */
#define NGX_ORS_FORWARD_ARG  32


static ngx_uint_t ngx_ors_forward_passes(ngx_table_elt_t *h);
static ngx_uint_t ngx_ors_forward_listed(ngx_str_t *names, u_char *name,
    size_t len);
static ngx_uint_t ngx_ors_forward_key(u_char *p, u_char *last);
static ngx_uint_t ngx_ors_header_has(ngx_str_t *value, ngx_str_t *token);
static ngx_uint_t ngx_ors_headers_passes(ngx_str_t *key);


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

    ngx_ors_header_each(h, from, &at) {
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

    return !ngx_ors_forward_listed(names, h->lowcase_key, h->key.len);
}


/* "name" is in lower case */

static ngx_uint_t
ngx_ors_forward_listed(ngx_str_t *names, u_char *name, size_t len)
{
    ngx_str_t  *listed;

    for (listed = names; listed->len; listed++) {

        if (listed->len == len && ngx_memcmp(listed->data, name, len) == 0) {
            return 1;
        }
    }

    return 0;
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
    u_char  buf[NGX_ORS_FORWARD_ARG * 3], *end, *dst, *src;

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

    ngx_strlow(buf, buf, dst - buf);

    return ngx_ors_forward_listed(names, buf, dst - buf);
}


ngx_int_t
ngx_ors_forward_uri(const ngx_str_t *base, const ngx_str_t *path,
    ngx_str_t *args, ngx_pool_t *pool, ngx_str_t *uri)
{
    u_char  *p;
    size_t   i, len;

    len = base->len + path->len + (args->len ? 3 * args->len + 1 : 0);

    p = ngx_pnalloc(pool, len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    uri->data = p;

    p = ngx_cpymem(p, base->data, base->len);
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


/*
 * Lists of headers: found in them, added to them, and those of an upstream that
 * a client gets.
 */


ngx_table_elt_t *
ngx_ors_header_find(ngx_list_t *headers, ngx_str_t *name)
{
    ngx_table_elt_t      *h;
    ngx_ors_header_at_t   at;

    ngx_ors_header_each(h, headers, &at) {
        if (h->hash && h->key.len == name->len
            && ngx_strncasecmp(h->key.data, name->data, name->len) == 0)
        {
            break;
        }
    }

    return h;
}


ngx_table_elt_t *
ngx_ors_header_add(ngx_list_t *headers, char *name, char *lowcase,
    ngx_str_t *value)
{
    ngx_table_elt_t  *h;

    h = ngx_list_push(headers);
    if (h == NULL) {
        return NULL;
    }

    h->key.data = (u_char *) name;
    h->key.len = ngx_strlen(name);
    h->lowcase_key = (u_char *) lowcase;
    h->hash = ngx_hash_key(h->lowcase_key, h->key.len);
    h->value = *value;
    ngx_ors_set_next_header(h);

    return h;
}


ngx_table_elt_t *
ngx_ors_header_text(ngx_list_t *headers, char *name, char *lowcase,
    char *value)
{
    ngx_str_t  text;

    text.data = (u_char *) value;
    text.len = ngx_strlen(value);

    return ngx_ors_header_add(headers, name, lowcase, &text);
}


void
ngx_ors_header_set(ngx_list_t *headers, char *name, char *value)
{
    ngx_table_elt_t      *h;
    ngx_ors_header_at_t   at;

    ngx_ors_header_each(h, headers, &at) {
        if (!ngx_ors_same_case(&h->key, name)) {
            continue;
        }

        if (value == NULL) {
            h->hash = 0;
            continue;
        }

        h->value.data = (u_char *) value;
        h->value.len = ngx_strlen(value);
    }
}


/* nginx's proxies send a header that has been marked as removed */

ngx_int_t
ngx_ors_header_drop(ngx_list_t *headers, char *name, ngx_pool_t *pool)
{
    ngx_list_t            list;
    ngx_table_elt_t      *h, *copy;
    ngx_ors_header_at_t   at;

    if (ngx_list_init(&list, pool, headers->part.nelts + 1,
                      sizeof(ngx_table_elt_t))
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_ors_header_each(h, headers, &at) {
        if (ngx_ors_same_case(&h->key, name)) {
            continue;
        }

        copy = ngx_list_push(&list);
        if (copy == NULL) {
            return NGX_ERROR;
        }

        *copy = *h;
    }

    *headers = list;

    return NGX_OK;
}


ngx_uint_t
ngx_ors_header_lists(ngx_list_t *headers, char *name, ngx_str_t *token)
{
    ngx_table_elt_t      *h;
    ngx_ors_header_at_t   at;

    ngx_ors_header_each(h, headers, &at) {
        if (ngx_ors_same_case(&h->key, name)
            && ngx_ors_header_has(&h->value, token))
        {
            return 1;
        }
    }

    return 0;
}


static ngx_uint_t
ngx_ors_header_has(ngx_str_t *value, ngx_str_t *token)
{
    u_char  *p, *last, *start;

    p = value->data;
    last = p + value->len;

    while (p < last) {

        while (p < last && (*p == ' ' || *p == '\t' || *p == ',')) {
            p++;
        }

        start = p;

        while (p < last && *p != ',' && *p != '/' && *p != ' ' && *p != '\t') {
            p++;
        }

        if ((size_t) (p - start) == token->len
            && ngx_strncasecmp(start, token->data, token->len) == 0)
        {
            return 1;
        }

        while (p < last && *p != ',') {
            p++;
        }
    }

    return 0;
}


ngx_int_t
ngx_ors_headers_pass(ngx_list_t *from, ngx_list_t *to)
{
    ngx_table_elt_t      *h, *copy;
    ngx_ors_header_at_t   at;

    ngx_ors_header_each(h, from, &at) {
        if (h->hash == 0 || !ngx_ors_headers_passes(&h->key)
            || !ngx_ors_line_clean(&h->value))
        {
            continue;
        }

        copy = ngx_list_push(to);
        if (copy == NULL) {
            return NGX_ERROR;
        }

        *copy = *h;
        ngx_ors_set_next_header(copy);
    }

    return NGX_OK;
}


/* names, and beginnings of names that end with "-" */

static ngx_uint_t
ngx_ors_headers_passes(ngx_str_t *key)
{
    ngx_str_t  *name;

    static ngx_str_t  names[] = {
        ngx_string("anthropic-ratelimit-"),
        ngx_string("openai-model"),
        ngx_string("openai-processing-ms"),
        ngx_string("ratelimit-"),
        ngx_string("retry-after-ms"),
        ngx_string("x-codex-"),
        ngx_string("x-models-etag"),
        ngx_string("x-ratelimit-"),
        ngx_string("x-reasoning-included"),
        ngx_string("x-request-id"),
        ngx_null_string
    };

    for (name = names; name->len; name++) {

        if ((key->len == name->len
             || (key->len > name->len && name->data[name->len - 1] == '-'))
            && ngx_strncasecmp(key->data, name->data, name->len) == 0)
        {
            return 1;
        }
    }

    return 0;
}


ngx_uint_t
ngx_ors_header_same_origin(ngx_str_t *origin, ngx_str_t *host)
{
    size_t   len;
    u_char  *p;

    p = ngx_strlcasestrn(origin->data, origin->data + origin->len,
                         (u_char *) "://", 3 - 1);
    if (p == NULL) {
        return 0;
    }

    p += 3;
    len = origin->data + origin->len - p;

    return len == host->len && len != 0
           && ngx_strncasecmp(p, host->data, len) == 0;
}
