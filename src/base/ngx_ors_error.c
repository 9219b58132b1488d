
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The codes and classes of errors, their types with an HTTP status, and how an
 * error value is filled.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_error.h>
#include <ngx_ors_names.h>
#include <ngx_ors_utf8.h>


#define NGX_ORS_ERROR_MESSAGE_MAX  512


typedef struct {
    ngx_uint_t        status;
    ngx_ors_code_e    code;
    char             *message;
} ngx_ors_error_page_t;


static size_t ngx_ors_error_found(ngx_str_t *message);
static ngx_uint_t ngx_ors_line_char(u_char *p, u_char *last, size_t *len);


#undef ngx_ors_class_row
#define ngx_ors_class_row(name, origin)  ngx_ors_origin_##origin,

static const ngx_ors_origin_e  ngx_ors_class_origins[] = {
    ngx_ors_origin_none,
    NGX_ORS_CLASSES(ngx_ors_class_row)
};


#undef ngx_ors_code_row
#define ngx_ors_code_row(name, status, class, mask, text)                     \
    { ngx_string(#name), status, ngx_ors_class_##class, ngx_string(mask),     \
      ngx_string(text) },

const ngx_ors_code_t  ngx_ors_codes[] = {

    NGX_ORS_CODES(ngx_ors_code_row)

    { ngx_string("other"), 0, ngx_ors_class_none, ngx_null_string,
      ngx_string("Codes without a counter of their own, as those of model "
                 "servers.") }
};


/* the last one is for all the others from 500 */

static ngx_ors_error_page_t  ngx_ors_error_pages[] = {

    { 400, ngx_ors_code_bad_request,
      "the request could not be read" },

    { 401, ngx_ors_code_invalid_api_key,
      "a valid key is needed in the Authorization header" },

    { 403, ngx_ors_code_forbidden,
      "this is not allowed" },

    { 404, ngx_ors_code_not_found,
      "there is no such endpoint here, the paths end with /responses, "
      "/responses/compact, /responses/input_tokens, /chat/completions, "
      "/embeddings or /models" },

    { 405, ngx_ors_code_method_not_allowed,
      "this endpoint does not take this method, the header Allow names those "
      "that it takes" },

    { 408, ngx_ors_code_request_timeout,
      "the request was not complete in time" },

    { 413, ngx_ors_code_request_too_large,
      "the request's body is larger than this server takes" },

    { 415, ngx_ors_code_unsupported_media_type,
      "the request's body must be application/json" },

    { 426, ngx_ors_code_websocket_not_supported,
      "there are no WebSockets here, use POST" },

    { 429, ngx_ors_code_rate_limit_exceeded,
      "too many requests, try again later" },

    { 501, ngx_ors_code_not_implemented,
      "this is not supported here" },

    { 502, ngx_ors_code_upstream_unavailable,
      "the model server could not be reached" },

    { 503, ngx_ors_code_server_is_overloaded,
      "the server cannot take more requests now, try again later" },

    { 504, ngx_ors_code_upstream_timeout,
      "the model server did not answer in time" },

    { 0, ngx_ors_code_server_error,
      "the request could not be served" }
};


ngx_int_t
ngx_ors_error_set(ngx_ors_error_t *err, ngx_pool_t *pool, ngx_ors_code_e code,
    const char *fmt, ...)
{
    size_t    len;
    u_char    text[NGX_ORS_ERROR_MESSAGE_MAX + 1], *p;
    va_list   args;

    err->class = ngx_ors_codes[code].class;
    err->code = ngx_ors_codes[code].name;

    ngx_ors_error_status(err, ngx_ors_codes[code].status);

    ngx_str_null(&err->param);
    err->retry = 0;

    va_start(args, fmt);
    p = ngx_vslprintf(text, text + sizeof(text), fmt, args);
    va_end(args);

    /* one byte over the limit tells a message that fits from a longer one */

    len = ngx_ors_utf8_cut(text, p - text, NGX_ORS_ERROR_MESSAGE_MAX);

    p = ngx_pnalloc(pool, len);

    if (p == NULL) {
        ngx_str_set(&err->message, "not enough memory to describe the error");
        return NGX_DECLINED;
    }

    ngx_memcpy(p, text, len);

    err->message.len = len;
    err->message.data = p;

    return NGX_DECLINED;
}


u_char *
ngx_ors_error_id_copy(u_char *p, ngx_str_t *id)
{
    return ngx_ors_line_copy(p, id->data,
                             ngx_ors_utf8_cut(id->data, id->len,
                                              NGX_ORS_ERROR_ID_MAX));
}


void
ngx_ors_error_id(ngx_ors_error_t *err, ngx_pool_t *pool, ngx_str_t *id)
{
    u_char  *p, *start;

    start = ngx_pnalloc(pool, err->message.len + NGX_ORS_ERROR_ID_MAX
                              + sizeof(": \"\"") - 1);
    if (start == NULL) {
        return;
    }

    p = ngx_cpymem(start, err->message.data, err->message.len);
    p = ngx_cpymem(p, ": \"", sizeof(": \"") - 1);
    p = ngx_ors_error_id_copy(p, id);
    *p++ = '"';

    err->message.data = start;
    err->message.len = p - start;
}


u_char *
ngx_ors_error_line(u_char *buf, ngx_ors_error_t *err)
{
    u_char     *p, *last;
    size_t      len;
    ngx_str_t   text;

    last = buf + NGX_ORS_ERROR_LINE;

    p = ngx_slprintf(buf, last, "%V%s", &err->code,
                     err->param.len ? " in " : "");

    p = ngx_ors_line_copy(p, err->param.data,
                          ngx_min(err->param.len, NGX_ORS_LINE_MAX));

    if (err->message.len == 0) {
        return p;
    }

    len = ngx_ors_error_found(&err->message);

    text = err->message;
    text.len = ngx_min(len, NGX_ORS_ERROR_MESSAGE_MAX);

    p = ngx_slprintf(p, last, ", ");
    p = ngx_ors_line_copy(p, text.data,
                          ngx_min(text.len, (size_t) (last - p)));

    return (len < err->message.len) ? ngx_slprintf(p, last, ", found a value")
                                    : p;
}


/* the length of a message up to a value of the client that it quotes */

static size_t
ngx_ors_error_found(ngx_str_t *message)
{
    size_t      i, j;
    ngx_str_t  *phrase;

    static ngx_str_t  phrases[] = {
        ngx_string(", found string "),
        ngx_string(", found number "),
        ngx_null_string
    };

    for (i = 0; i < message->len; i++) {

        for (j = 0; phrases[j].len; j++) {
            phrase = &phrases[j];

            if (message->len - i >= phrase->len
                && ngx_memcmp(message->data + i, phrase->data, phrase->len)
                   == 0)
            {
                return i;
            }
        }
    }

    return message->len;
}


ngx_int_t
ngx_ors_error_copy(ngx_ors_error_t *err, ngx_ors_error_t *from,
    ngx_pool_t *pool)
{
    *err = *from;

    return (ngx_ors_str_copy(&err->code, pool, &from->code) == NGX_OK
            && ngx_ors_str_copy(&err->message, pool, &from->message) == NGX_OK
            && ngx_ors_str_copy(&err->param, pool, &from->param) == NGX_OK)
           ? NGX_OK : NGX_ERROR;
}


void
ngx_ors_error_status(ngx_ors_error_t *err, ngx_uint_t status)
{
    err->status = status;

    switch (status) {

    case 404:
        ngx_str_set(&err->type, "not_found");
        break;

    case 429:
        ngx_str_set(&err->type, "too_many_requests");
        break;

    default:

        if (status >= 400 && status < 500) {
            ngx_str_set(&err->type, "invalid_request");

        } else {
            ngx_str_set(&err->type, "server_error");
        }
    }
}


void
ngx_ors_error_reported(ngx_ors_error_t *err, ngx_uint_t status)
{
    ngx_ors_error_status(err, status);

    switch (status) {

    case 408:
    case 504:
        err->class = ngx_ors_class_timeout;
        break;

    case 429:
        err->class = ngx_ors_class_upstream_limit;
        break;

    default:
        err->class = (status < 500) ? ngx_ors_class_client
                                    : ngx_ors_class_upstream_error;
    }
}


ngx_ors_origin_e
ngx_ors_error_origin(ngx_ors_class_e class)
{
    return ngx_ors_class_origins[class];
}


ngx_ors_code_e
ngx_ors_error_code(ngx_str_t *name)
{
    ngx_uint_t  i;

    for (i = 0; i < ngx_ors_code_other; i++) {

        if (ngx_ors_same(&ngx_ors_codes[i].name, name)) {
            break;
        }
    }

    return i;
}


/* Errors of the protocol in the place of nginx's own error pages. */


void
ngx_ors_error_page(ngx_ors_error_t *err, ngx_pool_t *pool, ngx_uint_t status,
    char *message)
{
    ngx_ors_error_page_t  *page;

    static ngx_ors_error_page_t  refused =
        { 0, ngx_ors_code_request_refused, "the request was refused" };

    for (page = ngx_ors_error_pages; page->status; page++) {

        if (page->status == status) {
            break;
        }
    }

    if (page->status == 0 && status < 500) {
        page = &refused;
    }

    ngx_memzero(err, sizeof(ngx_ors_error_t));

    (void) ngx_ors_error_set(err, pool, page->code, "%s",
                             message ? message : page->message);

    ngx_ors_error_status(err, status);
}


/*
 * Foreign text made safe for headers, variables and log lines: control
 * characters and length.
 */


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
