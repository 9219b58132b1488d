
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * A scanner that notices the end of a call's arguments in any pieces.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_arguments.h>


static u_char *ngx_ors_arguments_unescape(u_char *p, u_char *last,
    u_char *ch);
static void ngx_ors_arguments_byte(ngx_ors_arguments_t *args, u_char ch);


void
ngx_ors_arguments_scan(ngx_ors_arguments_t *args, u_char *raw, size_t len)
{
    u_char  *p, *last, ch;

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


/* the character after a backslash; any that is not ASCII is a letter */

static u_char *
ngx_ors_arguments_unescape(u_char *p, u_char *last, u_char *ch)
{
    ngx_int_t  n;

    if (p == last) {
        return p;
    }

    switch (*p) {

    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
        *ch = ' ';
        return p + 1;

    case 'u':

        if (last - p < 5) {
            return last;
        }

        n = ngx_hextoi(p + 1, 4);
        *ch = (n >= 0 && n < 0x80) ? (u_char) n : 'a';

        return p + 5;

    default:
        *ch = *p;
        return p + 1;
    }
}


static void
ngx_ors_arguments_byte(ngx_ors_arguments_t *args, u_char ch)
{
    if (args->string) {

        if (args->escaped) {
            args->escaped = 0;

        } else if (ch == '\\') {
            args->escaped = 1;

        } else if (ch == '"') {
            args->string = 0;
        }

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


ngx_int_t
ngx_ors_arguments_value(ngx_ors_text_t *text, ngx_ors_limits_t *limits,
    ngx_pool_t *pool, ngx_str_t *value)
{
    u_char          *p, *plain, *last;
    ngx_int_t        rc;
    ngx_ors_json_t   json;

    if (text->len == 0) {
        ngx_str_set(value, "{}");
        return NGX_OK;
    }

    /* as a string, and decoded after it */

    value->len = text->len + 2;
    value->data = ngx_pnalloc(pool, value->len + text->len);
    if (value->data == NULL) {
        return NGX_ERROR;
    }

    p = value->data;
    *p++ = '"';
    p = ngx_ors_text_copy(p, text);
    *p++ = '"';

    ngx_ors_json_init(&json, pool, limits->depth, limits->nodes);

    rc = ngx_ors_json_read(&json, value->data, value->len);

    if (rc != NGX_OK) {
        return NGX_ERROR;
    }

    plain = p;
    last = ngx_ors_json_decode(&json, json.nodes, plain);

    rc = ngx_ors_json_read(&json, plain, last - plain);

    if (rc != NGX_OK) {
        return (rc == NGX_DECLINED) ? NGX_OK : NGX_ERROR;
    }

    value->data = plain;
    value->len = last - plain;

    for (p = plain; p < last; p++) {

        if (*p == LF || *p == CR) {
            *p = ' ';
        }
    }

    return NGX_OK;
}
