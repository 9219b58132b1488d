
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Escaping of new strings.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_utf8.h>
#include <ngx_ors_vec.h>
#include <ngx_ors_json_writer.h>


#define NGX_ORS_JSON_ESCAPE_MAX  6       /* \u0000 */


static u_char *ngx_ors_json_plain(u_char *p, u_char *last);
static u_char *ngx_ors_json_ascii(u_char *p, u_char *last);
static size_t ngx_ors_json_special(u_char **pos, u_char *last, u_char *dst);


/* letter after the backslash for a control character, 0: "u00XX" */

static const u_char  ngx_ors_json_controls[32] = {
    0,    0,    0,    0,    0,    0,    0,    0,
    'b',  't',  'n',  0,    'f',  'r',  0,    0,
    0,    0,    0,    0,    0,    0,    0,    0,
    0,    0,    0,    0,    0,    0,    0,    0
};


void
ngx_ors_json_quote(ngx_ors_out_t *out, u_char *data, size_t len)
{
    ngx_ors_out_lit(out, "\"");
    ngx_ors_json_escape(out, data, len);
    ngx_ors_out_lit(out, "\"");
}


void
ngx_ors_json_escape(ngx_ors_out_t *out, u_char *data, size_t len)
{
    size_t   n;
    u_char  *p, *last, *start, text[NGX_ORS_JSON_ESCAPE_MAX];

    p = data;
    last = data + len;

    for ( ;; ) {
        start = p;
        p = ngx_ors_json_plain(p, last);
        ngx_ors_out_copy(out, start, p - start);

        if (p == last) {
            return;
        }

        n = ngx_ors_json_special(&p, last, text);
        ngx_ors_out_copy(out, text, n);
    }
}


size_t
ngx_ors_json_escape_len(u_char *data, size_t len)
{
    size_t   n;
    u_char  *p, *last, *start, text[NGX_ORS_JSON_ESCAPE_MAX];

    n = 0;
    p = data;
    last = data + len;

    for ( ;; ) {
        start = p;
        p = ngx_ors_json_plain(p, last);
        n += p - start;

        if (p == last) {
            return n;
        }

        n += ngx_ors_json_special(&p, last, text);
    }
}


u_char *
ngx_ors_json_escape_mem(u_char *dst, u_char *data, size_t len)
{
    u_char  *p, *last, *start;

    p = data;
    last = data + len;

    for ( ;; ) {
        start = p;
        p = ngx_ors_json_plain(p, last);

        if (p != start) {
            dst = ngx_cpymem(dst, start, p - start);
        }

        if (p == last) {
            return dst;
        }

        dst += ngx_ors_json_special(&p, last, dst);
    }
}


ngx_int_t
ngx_ors_json_escaped(ngx_str_t *text, ngx_pool_t *pool, ngx_str_t *escaped)
{
    u_char  *p;
    size_t   len;

    len = ngx_ors_json_escape_len(text->data, text->len);

    p = ngx_pnalloc(pool, len + 1);
    if (p == NULL) {
        return NGX_ERROR;
    }

    ngx_ors_json_escape_mem(p, text->data, text->len);

    escaped->data = p;
    escaped->len = len;

    return NGX_OK;
}


/* the end of the text that stays as it is, whole characters only */

static u_char *
ngx_ors_json_plain(u_char *p, u_char *last)
{
    size_t  n;

    for ( ;; ) {
        p = ngx_ors_json_ascii(p, last);

        if (p == last || *p < 0x80) {
            return p;
        }

        do {
            if (ngx_ors_utf8_char(p, last, &n) != NGX_OK) {
                return p;
            }

            p += n;

        } while (p < last && *p >= 0x80);
    }
}


/* the same for text of ASCII characters */

static u_char *
ngx_ors_json_ascii(u_char *p, u_char *last)
{
#if (NGX_ORS_VEC)

    uint64_t       mask;
    ngx_ors_vec_t  v;

    for ( /* void */ ; last - p >= (ssize_t) sizeof(ngx_ors_vec_t);
         p += sizeof(ngx_ors_vec_t))
    {
        v = ngx_ors_vec_load(p);
        mask = ngx_ors_vec_mask(ngx_ors_vec_below(v, ' ')
                                | (ngx_ors_vec_t) (v == '"')
                                | (ngx_ors_vec_t) (v == '\\'));

        if (mask) {
            return p + ngx_ors_vec_lowest(mask);
        }
    }

#endif

    while (p < last
           && *p >= ' ' && *p < 0x80 && *p != '"' && *p != '\\')
    {
        p++;
    }

    return p;
}


/* writes the escape of the character at "*pos", which needs one */

static size_t
ngx_ors_json_special(u_char **pos, u_char *last, u_char *dst)
{
    u_char  ch, *p;
    size_t  n;

    static const u_char  hex[] = "0123456789abcdef";

    p = *pos;
    ch = *p;

    if (ch >= 0x80) {
        (void) ngx_ors_utf8_char(p, last, &n);
        *pos = p + n;

        ngx_memcpy(dst, "\xef\xbf\xbd", 3);
        return 3;
    }

    *pos = p + 1;

    *dst++ = '\\';

    if (ch >= ' ') {
        *dst = ch;
        return 2;
    }

    if (ngx_ors_json_controls[ch]) {
        *dst = ngx_ors_json_controls[ch];
        return 2;
    }

    *dst++ = 'u';
    *dst++ = '0';
    *dst++ = '0';
    *dst++ = hex[ch >> 4];
    *dst++ = hex[ch & 15];

    return 6;
}
