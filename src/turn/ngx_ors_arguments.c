
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Arguments of a call in any pieces: scanners that notice their end, and that
 * take the text of a custom tool out of them.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_arguments.h>
#include <ngx_ors_json_writer.h>


#define ngx_ors_arguments_space(ch)                                            \
    ((ch) == ' ' || (ch) == '\t' || (ch) == CR || (ch) == LF)


static u_char *ngx_ors_arguments_unescape(u_char *p, u_char *last,
    ngx_uint_t *ch);
static void ngx_ors_arguments_byte(ngx_ors_arguments_t *args, ngx_uint_t ch);
static void ngx_ors_arguments_nest(ngx_ors_arguments_t *args, ngx_uint_t ch);
static void ngx_ors_custom_input_around(ngx_ors_custom_input_t *u,
    ngx_uint_t ch);
static void ngx_ors_custom_input_name(ngx_ors_custom_input_t *u, ngx_uint_t ch);
static void ngx_ors_custom_input_other(ngx_ors_custom_input_t *u,
    ngx_uint_t ch);
static u_char *ngx_ors_custom_input_text(ngx_ors_custom_input_t *u,
    ngx_uint_t ch, u_char *dst);
static u_char *ngx_ors_custom_input_escape(ngx_ors_custom_input_t *u,
    ngx_uint_t ch, u_char *dst);
static u_char *ngx_ors_custom_input_broken(ngx_ors_custom_input_t *u,
    ngx_uint_t ch, u_char *dst);
static u_char *ngx_ors_custom_input_unit(ngx_ors_custom_input_t *u,
    ngx_uint_t unit, u_char *dst);
static u_char *ngx_ors_custom_input_flush(ngx_ors_custom_input_t *u,
    u_char *dst);


static ngx_str_t  ngx_ors_custom_input_key = ngx_string("input");


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


/*
 * Reads the character that a backslash in front of "p" and the bytes from "p"
 * on encode in a legal string.  "*ch" is a byte, or a UTF-16 unit of \uXXXX
 * with NGX_ORS_ARGUMENTS_UNIT added if it is not ASCII; nothing is read if the
 * string ends here.  Returns the position after it.
 */

static u_char *
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
    if (args->depth == 0 && ch != '{' && ch != '[') {
        args->other = !ngx_ors_arguments_space(ch);
        return;
    }

    ngx_ors_arguments_nest(args, ch);

    args->whole = (args->depth == 0);
}


static void
ngx_ors_arguments_nest(ngx_ors_arguments_t *args, ngx_uint_t ch)
{
    if (args->string) {
        args->string = ngx_ors_arguments_quoted(args, ch);
        return;
    }

    switch (ch) {

    case '{':
    case '[':
        args->depth++;
        break;

    case '}':
    case ']':
        args->depth--;
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


/*
 * A scanner that decodes {"input":"..."} in any pieces.
 */


u_char *
ngx_ors_custom_input(ngx_ors_custom_input_t *u, u_char *raw, size_t len,
    u_char *dst)
{
    u_char      *p, *last;
    ngx_uint_t   ch;

    p = raw;
    last = raw + len;

    while (p < last) {
        ch = *p++;

        if (ch == '\\') {
            p = ngx_ors_arguments_unescape(p, last, &ch);
        }

        if (u->state == ngx_ors_custom_input_st_text) {
            dst = ngx_ors_custom_input_text(u, ch, dst);

        } else {
            ngx_ors_custom_input_around(u, ch);
        }
    }

    return dst;
}


/* a character that is not of the text */

static void
ngx_ors_custom_input_around(ngx_ors_custom_input_t *u, ngx_uint_t ch)
{
    switch (u->state) {

    case ngx_ors_custom_input_st_name:
        ngx_ors_custom_input_name(u, ch);
        return;

    case ngx_ors_custom_input_st_other:
        ngx_ors_custom_input_other(u, ch);
        return;

    case ngx_ors_custom_input_st_text:
    case ngx_ors_custom_input_st_done:
    case ngx_ors_custom_input_st_raw:
        return;

    case ngx_ors_custom_input_st_start:
    case ngx_ors_custom_input_st_open:
    case ngx_ors_custom_input_st_key:
    case ngx_ors_custom_input_st_colon:
    case ngx_ors_custom_input_st_value:
        break;
    }

    if (ngx_ors_arguments_space(ch)) {
        return;
    }

    if (u->state == ngx_ors_custom_input_st_value
        && u->match != ngx_ors_custom_input_key.len)
    {
        u->state = ngx_ors_custom_input_st_other;
        ngx_ors_custom_input_other(u, ch);

    } else if (u->state == ngx_ors_custom_input_st_value) {
        u->state = (ch == '"') ? ngx_ors_custom_input_st_text
                               : ngx_ors_custom_input_st_raw;

    } else if (u->state == ngx_ors_custom_input_st_start && ch == '{') {
        u->state = ngx_ors_custom_input_st_open;

    } else if (u->state == ngx_ors_custom_input_st_colon && ch == ':') {
        u->state = ngx_ors_custom_input_st_value;

    } else if (u->state == ngx_ors_custom_input_st_open && ch == '}') {

        /* a call without arguments has no text */

        u->state = ngx_ors_custom_input_st_done;

    } else if ((u->state == ngx_ors_custom_input_st_open
                || u->state == ngx_ors_custom_input_st_key) && ch == '"')
    {
        u->state = ngx_ors_custom_input_st_name;
        u->match = 0;

    } else {
        u->state = ngx_ors_custom_input_st_raw;
    }
}


static void
ngx_ors_custom_input_name(ngx_ors_custom_input_t *u, ngx_uint_t ch)
{
    ngx_str_t  *key;

    key = &ngx_ors_custom_input_key;

    if (!ngx_ors_arguments_quoted(&u->value, ch)) {
        u->state = ngx_ors_custom_input_st_colon;

    } else if (u->match < key->len && ch == key->data[u->match]) {
        u->match++;

    } else {
        u->match = key->len + 1;
    }
}


static void
ngx_ors_custom_input_other(ngx_ors_custom_input_t *u, ngx_uint_t ch)
{
    if (u->value.depth == 0 && !u->value.string) {

        if (ch == '}' || ch == ']') {
            u->state = ngx_ors_custom_input_st_raw;
            return;
        }

        if (ch == ',') {
            u->state = ngx_ors_custom_input_st_key;
            return;
        }
    }

    ngx_ors_arguments_nest(&u->value, ch);
}


static u_char *
ngx_ors_custom_input_text(ngx_ors_custom_input_t *u, ngx_uint_t ch, u_char *dst)
{
    u_char  byte;

    if (u->nescape) {
        return ngx_ors_custom_input_escape(u, ch, dst);
    }

    /* it may begin the other half of a pair */

    if (ch == '\\') {
        u->escape[u->nescape++] = '\\';
        return dst;
    }

    if (ch >= NGX_ORS_ARGUMENTS_UNIT) {
        return ngx_ors_custom_input_unit(u, ch - NGX_ORS_ARGUMENTS_UNIT,
                                         dst);
    }

    dst = ngx_ors_custom_input_flush(u, dst);

    if (ch == '"') {
        u->state = ngx_ors_custom_input_st_done;
        return dst;
    }

    byte = (u_char) ch;

    /* line ends that a model forgot to escape */

    if (byte < 0x20) {
        return ngx_ors_json_escape_mem(dst, &byte, 1);
    }

    *dst++ = byte;

    return dst;
}


/* escapes of the text are the same as those of the string around it */

static u_char *
ngx_ors_custom_input_escape(ngx_ors_custom_input_t *u, ngx_uint_t ch,
    u_char *dst)
{
    if (u->nescape == 1) {

        if (ch && ch < 0x80 && ngx_strchr("\"\\/bfnrt", ch)) {
            u->nescape = 0;
            dst = ngx_ors_custom_input_flush(u, dst);
            *dst++ = '\\';
            *dst++ = (u_char) ch;
            return dst;
        }

        if (ch == 'u') {
            u->escape[u->nescape++] = 'u';
            return dst;
        }

        return ngx_ors_custom_input_broken(u, ch, dst);
    }

    if (!((ch >= '0' && ch <= '9') || (ch >= 'a' && ch <= 'f')
          || (ch >= 'A' && ch <= 'F')))
    {
        return ngx_ors_custom_input_broken(u, ch, dst);
    }

    u->escape[u->nescape++] = (u_char) ch;

    if (u->nescape < sizeof(u->escape)) {
        return dst;
    }

    u->nescape = 0;

    return ngx_ors_custom_input_unit(u, ngx_hextoi(u->escape + 2, 4), dst);
}


/* no escape after all: the backslash is one */

static u_char *
ngx_ors_custom_input_broken(ngx_ors_custom_input_t *u, ngx_uint_t ch,
    u_char *dst)
{
    dst = ngx_ors_custom_input_flush(u, dst);

    *dst++ = '\\';
    dst = ngx_cpymem(dst, u->escape, u->nescape);

    u->nescape = 0;

    return ngx_ors_custom_input_text(u, ch, dst);
}


static u_char *
ngx_ors_custom_input_unit(ngx_ors_custom_input_t *u, ngx_uint_t unit,
    u_char *dst)
{
    dst = ngx_ors_custom_input_flush(u, dst);

    if (unit >= 0xd800 && unit <= 0xdbff) {
        u->high = unit;
        return dst;
    }

    /* a low one without a high one is as legal as it was */

    return ngx_sprintf(dst, "\\u%04xi", unit);
}


static u_char *
ngx_ors_custom_input_flush(ngx_ors_custom_input_t *u, u_char *dst)
{
    if (u->high) {
        dst = ngx_sprintf(dst, "\\u%04xi", u->high);
        u->high = 0;
    }

    return dst;
}
