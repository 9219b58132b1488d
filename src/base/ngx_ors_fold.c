
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Comparison of names without regard to case, as far as other readers of JSON
 * go.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_fold.h>


static u_char ngx_ors_fold_next(u_char **pos, u_char *last);


/* a-z, 0-9, "_" */

static const uint32_t  ngx_ors_fold_chars[] = {
    0x00000000, 0x03ff0000, 0x80000000, 0x07fffffe,
    0x00000000, 0x00000000, 0x00000000, 0x00000000
};


ngx_uint_t
ngx_ors_fold_equal(const ngx_str_t *a, const ngx_str_t *b)
{
    u_char  *p, *q, *last, *end;

    p = a->data;
    last = p + a->len;

    q = b->data;
    end = q + b->len;

    while (p < last && q < end) {

        if (ngx_ors_fold_next(&p, last) != ngx_ors_fold_next(&q, end)) {
            return 0;
        }
    }

    return p == last && q == end;
}


u_char *
ngx_ors_fold(u_char *dst, const ngx_str_t *text)
{
    u_char  *p, *last;

    p = text->data;
    last = p + text->len;

    while (p < last) {

        if (*p < 0x80) {
            *dst++ = ngx_tolower(*p);
            p++;
            continue;
        }

        *dst++ = ngx_ors_fold_next(&p, last);
    }

    return dst;
}


/* the next byte, or the letter that is meant by the next character */

static u_char
ngx_ors_fold_next(u_char **pos, u_char *last)
{
    u_char  *p;

    p = *pos;

    if (last - p >= 2) {

        if (p[0] == 0xc5 && p[1] == 0xbf) {
            *pos = p + 2;
            return 's';
        }

        if (p[0] == 0xc4 && (p[1] == 0xb0 || p[1] == 0xb1)) {
            *pos = p + 2;
            return 'i';
        }
    }

    if (last - p >= 3 && p[0] == 0xe2 && p[1] == 0x84 && p[2] == 0xaa) {
        *pos = p + 3;
        return 'k';
    }

    *pos = p + 1;

    return ngx_tolower(*p);
}


ngx_uint_t
ngx_ors_fold_plain(const ngx_str_t *text)
{
    u_char  *p, *last;

    last = text->data + text->len;

    for (p = text->data; p < last; p++) {

        if (!(ngx_ors_fold_chars[*p >> 5] & (1U << (*p & 0x1f)))) {
            return 0;
        }
    }

    return 1;
}
