
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The types of errors with their HTTP status, and how an error value is
 * filled.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_error.h>
#include <ngx_ors_line.h>
#include <ngx_ors_utf8.h>


#define NGX_ORS_ERROR_MESSAGE_MAX  512


static size_t ngx_ors_error_found(ngx_str_t *message);


ngx_int_t
ngx_ors_error_set(ngx_ors_error_t *err, ngx_pool_t *pool, ngx_uint_t status,
    char *code, const char *fmt, ...)
{
    size_t    len;
    u_char    text[NGX_ORS_ERROR_MESSAGE_MAX + 1], *p;
    va_list   args;

    err->status = status;
    ngx_ors_error_type(err, status);

    err->code.len = ngx_strlen(code);
    err->code.data = (u_char *) code;

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


void
ngx_ors_error_type(ngx_ors_error_t *err, ngx_uint_t status)
{
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
