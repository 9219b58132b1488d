
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The endpoints in a table: their names, what is read and what is written.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_endpoint.h>
#include <ngx_ors_fields.h>


static u_char *ngx_ors_endpoint_decode(u_char *dst, u_char *p, u_char *last);
static ngx_int_t ngx_ors_endpoint_hex(u_char ch);
static u_char *ngx_ors_endpoint_segments(u_char *dst, u_char *p,
    u_char *last);
static u_char *ngx_ors_endpoint_segment(u_char *text, u_char *dst, u_char *p,
    u_char *last);


/* in the order of ngx_ors_endpoint_e */

static const ngx_ors_endpoint_t  ngx_ors_endpoints[] = {

    { ngx_ors_endpoint_responses, ngx_string("/responses"),
      &ngx_ors_fields_create, &ngx_ors_fields_response,
      &ngx_ors_fields_event },

    { ngx_ors_endpoint_compact, ngx_string("/responses/compact"),
      &ngx_ors_fields_compact, &ngx_ors_fields_compaction, NULL },

    { ngx_ors_endpoint_chat, ngx_string("/chat/completions"),
      &ngx_ors_fields_chat_request, &ngx_ors_fields_chat_answer,
      &ngx_ors_fields_chat_chunk },

    { ngx_ors_endpoint_embeddings, ngx_string("/embeddings"),
      &ngx_ors_fields_embeddings_request, &ngx_ors_fields_embeddings_answer,
      NULL },

    { ngx_ors_endpoint_models, ngx_string("/models"),
      NULL, &ngx_ors_fields_models, NULL }
};


const ngx_ors_endpoint_t *
ngx_ors_endpoint_find(ngx_str_t *uri)
{
    ngx_uint_t                 i;
    const ngx_ors_endpoint_t  *endpoint;

    for (i = 0;
         i < sizeof(ngx_ors_endpoints) / sizeof(ngx_ors_endpoints[0]);
         i++)
    {
        endpoint = &ngx_ors_endpoints[i];

        if (uri->len >= endpoint->path.len
            && ngx_memcmp(uri->data + uri->len - endpoint->path.len,
                          endpoint->path.data, endpoint->path.len)
               == 0)
        {
            return endpoint;
        }
    }

    return NULL;
}


ngx_int_t
ngx_ors_endpoint_variant(ngx_str_t *uri, ngx_pool_t *pool,
    const ngx_ors_endpoint_t **endpoint)
{
    u_char     *last;
    ngx_str_t   path;

    static ngx_str_t  json = ngx_string(".json");

    path.data = ngx_pnalloc(pool, uri->len + 1);
    if (path.data == NULL) {
        return NGX_ERROR;
    }

    /* one byte of room: each segment will have a slash in front of it */

    last = ngx_ors_endpoint_decode(path.data + 1, uri->data,
                                   uri->data + uri->len);
    last = ngx_ors_endpoint_segments(path.data, path.data + 1, last);

    path.len = last - path.data;

    if (path.len > json.len
        && ngx_memcmp(last - json.len, json.data, json.len) == 0)
    {
        path.len -= json.len;
    }

    *endpoint = ngx_ors_endpoint_find(&path);

    return NGX_OK;
}


/* also what has been encoded more than once */

static u_char *
ngx_ors_endpoint_decode(u_char *dst, u_char *p, u_char *last)
{
    u_char     *start;
    ngx_int_t   high, low;

    start = dst;

    while (p < last) {
        *dst++ = *p++;

        while (dst - start >= 3 && dst[-3] == '%') {
            high = ngx_ors_endpoint_hex(dst[-2]);
            low = ngx_ors_endpoint_hex(dst[-1]);

            if (high < 0 || low < 0) {
                break;
            }

            dst -= 2;
            dst[-1] = (u_char) (high * 16 + low);
        }
    }

    return dst;
}


static ngx_int_t
ngx_ors_endpoint_hex(u_char ch)
{
    if (ch >= '0' && ch <= '9') {
        return ch - '0';
    }

    ch |= 0x20;

    return (ch >= 'a' && ch <= 'f') ? ch - 'a' + 10 : -1;
}


/* up to what could be arguments */

static u_char *
ngx_ors_endpoint_segments(u_char *dst, u_char *p, u_char *last)
{
    u_char  *text, *end;

    text = dst;

    for ( /* void */ ; p < last; p = end + 1) {

        for (end = p; end < last && *end != '/' && *end != '\\'; end++) {

            if (*end == '?' || *end == '#') {
                return ngx_ors_endpoint_segment(text, dst, p, end);
            }
        }

        dst = ngx_ors_endpoint_segment(text, dst, p, end);
    }

    return dst;
}


/* adds a slash and the segment from "p" to "last", unless nothing is in it */

static u_char *
ngx_ors_endpoint_segment(u_char *text, u_char *dst, u_char *p, u_char *last)
{
    u_char  *end;

    while (p < last && *p <= ' ') {
        p++;
    }

    for (end = p; end < last && *end != ';'; end++) { /* void */ }

    while (end > p && (end[-1] <= ' ' || end[-1] == 0x7f)) {
        end--;
    }

    if (end - p == 2 && p[0] == '.' && p[1] == '.') {

        while (dst > text && *--dst != '/') { /* void */ }

        return dst;
    }

    while (end > p && (end[-1] <= ' ' || end[-1] == '.')) {
        end--;
    }

    if (end == p) {
        return dst;
    }

    *dst++ = '/';

    for ( /* void */ ; p < end; p++) {

        /* U+017F is an "s" to those who ignore the case of Unicode */

        if (p[0] == 0xc5 && end - p > 1 && p[1] == 0xbf) {
            *dst++ = 's';
            p++;
            continue;
        }

        *dst++ = ngx_tolower(*p);
    }

    return dst;
}


ngx_uint_t
ngx_ors_endpoint_versioned(ngx_str_t *uri)
{
    u_char  *p, *last;

    last = uri->data + uri->len;

    for (p = uri->data; last - p > 2; p++) {

        if (p[0] == '/' && ngx_tolower(p[1]) == 'v'
            && p[2] >= '0' && p[2] <= '9')
        {
            return 1;
        }
    }

    return 0;
}


ngx_uint_t
ngx_ors_endpoint_cancels(ngx_str_t *uri)
{
    u_char  *p, *last;

    static ngx_str_t  prefix = ngx_string("/responses/");
    static ngx_str_t  cancel = ngx_string("/cancel");

    if (uri->len < prefix.len + cancel.len) {
        return 0;
    }

    last = uri->data + uri->len - cancel.len;

    if (ngx_memcmp(last, cancel.data, cancel.len) != 0) {
        return 0;
    }

    for (p = last; p > uri->data && p[-1] != '/'; p--) { /* void */ }

    return p < last && (size_t) (p - uri->data) >= prefix.len
           && ngx_memcmp(p - prefix.len, prefix.data, prefix.len) == 0;
}


const ngx_ors_endpoint_t *
ngx_ors_endpoint(ngx_ors_endpoint_e id)
{
    return &ngx_ors_endpoints[id];
}
