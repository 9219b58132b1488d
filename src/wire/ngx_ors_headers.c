
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Lists of headers: found in them, added to them, and those of an upstream that
 * a client gets.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_compat.h>
#include <ngx_ors_headers.h>
#include <ngx_ors_error.h>
#include <ngx_ors_names.h>


static ngx_uint_t ngx_ors_header_has(ngx_str_t *value, ngx_str_t *token);
static ngx_uint_t ngx_ors_headers_passes(ngx_str_t *key);


ngx_table_elt_t *
ngx_ors_header_first(ngx_list_t *headers, ngx_ors_header_at_t *at)
{
    at->part = &headers->part;
    at->i = 0;

    return ngx_ors_header_next(at);
}


ngx_table_elt_t *
ngx_ors_header_next(ngx_ors_header_at_t *at)
{
    ngx_table_elt_t  *h;

    while (at->i == at->part->nelts) {

        if (at->part->next == NULL) {
            return NULL;
        }

        at->part = at->part->next;
        at->i = 0;
    }

    h = at->part->elts;

    return &h[at->i++];
}


ngx_table_elt_t *
ngx_ors_header_find(ngx_list_t *headers, ngx_str_t *name)
{
    ngx_table_elt_t      *h;
    ngx_ors_header_at_t   at;

    for (h = ngx_ors_header_first(headers, &at);
         h;
         h = ngx_ors_header_next(&at))
    {
        if (h->hash && ngx_ors_same_case(&h->key, (char *) name->data)) {
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

    for (h = ngx_ors_header_first(headers, &at);
         h;
         h = ngx_ors_header_next(&at))
    {
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


ngx_uint_t
ngx_ors_header_lists(ngx_list_t *headers, char *name, ngx_str_t *token)
{
    ngx_table_elt_t      *h;
    ngx_ors_header_at_t   at;

    for (h = ngx_ors_header_first(headers, &at);
         h;
         h = ngx_ors_header_next(&at))
    {
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

    for (h = ngx_ors_header_first(from, &at);
         h;
         h = ngx_ors_header_next(&at))
    {
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
