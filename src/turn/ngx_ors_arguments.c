
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * A scanner that notices the end of a call's arguments in any pieces.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_arguments.h>


static void ngx_ors_arguments_byte(ngx_ors_arguments_t *args, ngx_uint_t ch);


void
ngx_ors_arguments_scan(ngx_ors_arguments_t *args, u_char *raw, size_t len)
{
    u_char      *p, *last;
    ngx_uint_t   ch;

    p = raw;
    last = raw + len;

    while (p < last && !args->whole && !args->other) {
        ch = *p++;

        if (ch == '\\') {
            p = ngx_ors_arguments_unescape(p, last, &ch);
        }

        ngx_ors_arguments_byte(args, ch);
    }
}


u_char *
ngx_ors_arguments_unescape(u_char *p, u_char *last, ngx_uint_t *ch)
{
    ngx_int_t  n;

    if (p == last) {
        return p;
    }

    switch (*p) {

    case 'b':
        *ch = '\b';
        return p + 1;

    case 'f':
        *ch = '\f';
        return p + 1;

    case 'n':
        *ch = LF;
        return p + 1;

    case 'r':
        *ch = CR;
        return p + 1;

    case 't':
        *ch = '\t';
        return p + 1;

    case 'u':

        if (last - p < 5) {
            return last;
        }

        n = ngx_hextoi(p + 1, 4);
        *ch = n & 0xffff;

        if (*ch >= 0x80) {
            *ch += NGX_ORS_ARGUMENTS_UNIT;
        }

        return p + 5;

    default:
        *ch = *p;
        return p + 1;
    }
}


static void
ngx_ors_arguments_byte(ngx_ors_arguments_t *args, ngx_uint_t ch)
{
    if (args->string) {
        args->string = ngx_ors_arguments_quoted(args, ch);
        return;
    }

    switch (ch) {

    case '{':
    case '[':
        args->depth++;
        return;

    case ' ':
    case '\t':
    case CR:
    case LF:
        return;
    }

    if (args->depth == 0) {
        args->other = 1;
        return;
    }

    switch (ch) {

    case '}':
    case ']':
        args->depth--;
        args->whole = (args->depth == 0);
        break;

    case '"':
        args->string = 1;
        break;
    }
}


/* in memory the JSON string that "text" is the inside of precedes "plain" */

ngx_int_t
ngx_ors_arguments_text(ngx_ors_text_t *text, ngx_ors_limits_t *limits,
    ngx_pool_t *pool, ngx_str_t *plain)
{
    u_char          *p, *quoted;
    ngx_ors_json_t   json;

    if (text->len == 0) {
        ngx_str_set(plain, "{}");
        return NGX_OK;
    }

    quoted = ngx_pnalloc(pool, 2 * text->len + 2);
    if (quoted == NULL) {
        return NGX_ERROR;
    }

    p = quoted;
    *p++ = '"';
    p = ngx_ors_text_copy(p, text);
    *p++ = '"';

    ngx_ors_json_init(&json, pool, limits->depth, limits->nodes);

    if (ngx_ors_json_read(&json, quoted, text->len + 2) != NGX_OK) {
        return NGX_ERROR;
    }

    plain->data = p;
    plain->len = ngx_ors_json_decode(&json, json.nodes, p) - p;

    return NGX_OK;
}


ngx_int_t
ngx_ors_arguments_value(ngx_ors_text_t *text, ngx_ors_limits_t *limits,
    ngx_pool_t *pool, ngx_str_t *value)
{
    u_char          *p, *last;
    ngx_int_t        rc;
    ngx_str_t        plain;
    ngx_ors_json_t   json;

    if (ngx_ors_arguments_text(text, limits, pool, &plain) != NGX_OK) {
        return NGX_ERROR;
    }

    if (text->len == 0) {
        *value = plain;
        return NGX_OK;
    }

    value->len = text->len + 2;
    value->data = plain.data - value->len;

    ngx_ors_json_init(&json, pool, limits->depth, limits->nodes);

    rc = ngx_ors_json_read(&json, plain.data, plain.len);

    if (rc != NGX_OK) {
        return (rc == NGX_DECLINED) ? NGX_OK : NGX_ERROR;
    }

    *value = plain;
    last = plain.data + plain.len;

    for (p = plain.data; p < last; p++) {

        if (*p == LF || *p == CR) {
            *p = ' ';
        }
    }

    return NGX_OK;
}
