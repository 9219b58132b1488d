
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
#include <ngx_ors_utf8.h>


#define NGX_ORS_ERROR_MESSAGE_MAX  512


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
