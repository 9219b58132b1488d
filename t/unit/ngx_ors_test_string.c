
/*
 * Copyright (C) Open Responses contributors
 */


/* The stand-in's strings and formats. */


#include <ngx_ors_test.h>


typedef struct {
    u_char      *pos;
    u_char      *last;
} ngx_ors_test_dst_t;


typedef struct {
    ngx_uint_t   zero;        /* filled up with zeros */
    ngx_uint_t   width;
    ngx_uint_t   frac;
    ngx_uint_t   sign;
    ngx_uint_t   hex;         /* 'x' or 'X' */
    ngx_uint_t   star;
    size_t       len;         /* of "%*s" */
} ngx_ors_test_spec_t;


static const char *ngx_ors_test_spec(ngx_ors_test_spec_t *s, const char *fmt);
static void ngx_ors_test_put(ngx_ors_test_dst_t *d, const void *data,
    size_t len);
static void ngx_ors_test_text(ngx_ors_test_dst_t *d, ngx_ors_test_spec_t *s,
    u_char *data, size_t len);
static void ngx_ors_test_num(ngx_ors_test_dst_t *d, ngx_ors_test_spec_t *s,
    int64_t n);
static void ngx_ors_test_double(ngx_ors_test_dst_t *d, ngx_ors_test_spec_t *s,
    double f);
static ngx_int_t ngx_ors_test_base64(ngx_str_t *dst, ngx_str_t *src,
    const char *alphabet);


static const char  ngx_ors_test_base64url[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";


u_char *
ngx_sprintf(u_char *buf, const char *fmt, ...)
{
    u_char   *p;
    va_list   args;

    va_start(args, fmt);
    p = ngx_vslprintf(buf, (u_char *) -1, fmt, args);
    va_end(args);

    return p;
}


u_char *
ngx_snprintf(u_char *buf, size_t max, const char *fmt, ...)
{
    u_char   *p;
    va_list   args;

    va_start(args, fmt);
    p = ngx_vslprintf(buf, buf + max, fmt, args);
    va_end(args);

    return p;
}


u_char *
ngx_slprintf(u_char *buf, u_char *last, const char *fmt, ...)
{
    u_char   *p;
    va_list   args;

    va_start(args, fmt);
    p = ngx_vslprintf(buf, last, fmt, args);
    va_end(args);

    return p;
}


/* a format that is not known ends the program: the real one ignores it */

u_char *
ngx_vslprintf(u_char *buf, u_char *last, const char *fmt, va_list args)
{
    u_char                 *p, ch;
    ngx_str_t              *v;
    ngx_msec_t              ms;
    ngx_ors_test_dst_t      d;
    ngx_ors_test_spec_t     s;
    ngx_variable_value_t   *vv;

    d.pos = buf;
    d.last = last;

#define num(stype, utype)                                                     \
    ngx_ors_test_num(&d, &s, s.sign ? (int64_t) va_arg(args, stype)           \
                                    : (int64_t) va_arg(args, utype))

    while (*fmt && d.pos < d.last) {

        if (*fmt != '%') {
            ngx_ors_test_put(&d, fmt++, 1);
            continue;
        }

        fmt = ngx_ors_test_spec(&s, fmt + 1);

        if (s.star) {
            s.len = va_arg(args, size_t);
        }

        switch (*fmt++) {

        case 'V':
            v = va_arg(args, ngx_str_t *);
            ngx_ors_test_text(&d, &s, v->data, v->len);
            break;

        case 'v':
            vv = va_arg(args, ngx_variable_value_t *);
            ngx_ors_test_text(&d, &s, vv->data, vv->len);
            break;

        case 's':
            p = va_arg(args, u_char *);
            ngx_ors_test_text(&d, &s, p, s.star ? s.len : ngx_strlen(p));
            break;

        case 'O':
            s.sign = 1;
            num(off_t, off_t);
            break;

        case 'P':
            s.sign = 1;
            num(ngx_pid_t, ngx_pid_t);
            break;

        case 'T':
            s.sign = 1;
            num(time_t, time_t);
            break;

        case 'M':
            ms = va_arg(args, ngx_msec_t);
            s.sign = (ms == (ngx_msec_t) -1);
            ngx_ors_test_num(&d, &s, (int64_t) ms);
            break;

        case 'z':
            num(ssize_t, size_t);
            break;

        case 'i':
            num(ngx_int_t, ngx_uint_t);
            break;

        case 'd':
            num(int, u_int);
            break;

        case 'l':
            num(long, u_long);
            break;

        case 'D':
            num(int32_t, uint32_t);
            break;

        case 'L':
            num(int64_t, uint64_t);
            break;

        case 'A':
            num(ngx_atomic_int_t, ngx_atomic_uint_t);
            break;

        case 'f':
            ngx_ors_test_double(&d, &s, va_arg(args, double));
            break;

        case 'p':
            s.sign = 0;
            s.hex = 'X';
            s.zero = 1;
            s.width = 2 * sizeof(void *);
            ngx_ors_test_num(&d, &s, (int64_t) va_arg(args, void *));
            break;

        case 'c':
            ch = va_arg(args, int) & 0xff;
            ngx_ors_test_put(&d, &ch, 1);
            break;

        case 'Z':
            ngx_ors_test_put(&d, "", 1);
            break;

        case 'N':
            ngx_ors_test_put(&d, "\n", 1);
            break;

        case '%':
            ngx_ors_test_put(&d, "%", 1);
            break;

        default:
            fprintf(stderr, "format \"%s\" is not in the stand-in\n", fmt - 1);
            abort();
        }
    }

#undef num

    return d.pos;
}


static const char *
ngx_ors_test_spec(ngx_ors_test_spec_t *s, const char *fmt)
{
    ngx_memzero(s, sizeof(ngx_ors_test_spec_t));

    s->sign = 1;
    s->zero = (*fmt == '0');

    while (*fmt >= '0' && *fmt <= '9') {
        s->width = s->width * 10 + (*fmt++ - '0');
    }

    for ( ;; ) {

        switch (*fmt) {

        case 'u':
            s->sign = 0;
            fmt++;
            continue;

        case 'm':
            s->width = NGX_INT_T_LEN;
            fmt++;
            continue;

        case 'x':
        case 'X':
            s->hex = *fmt++;
            s->sign = 0;
            continue;

        case '*':
            s->star = 1;
            fmt++;
            continue;

        case '.':
            fmt++;

            while (*fmt >= '0' && *fmt <= '9') {
                s->frac = s->frac * 10 + (*fmt++ - '0');
            }

            continue;

        default:
            return fmt;
        }
    }
}


static void
ngx_ors_test_put(ngx_ors_test_dst_t *d, const void *data, size_t len)
{
    len = ngx_min(len, (size_t) (d->last - d->pos));

    if (len) {
        d->pos = ngx_cpymem(d->pos, data, len);
    }
}


static void
ngx_ors_test_text(ngx_ors_test_dst_t *d, ngx_ors_test_spec_t *s, u_char *data,
    size_t len)
{
    char    hex[3];
    size_t  i;

    if (s->hex == 0) {
        ngx_ors_test_put(d, data, len);
        return;
    }

    for (i = 0; i < len; i++) {
        snprintf(hex, sizeof(hex), s->hex == 'x' ? "%02x" : "%02X", data[i]);
        ngx_ors_test_put(d, hex, 2);
    }
}


static void
ngx_ors_test_num(ngx_ors_test_dst_t *d, ngx_ors_test_spec_t *s, int64_t n)
{
    char         text[32], *fmt;
    size_t       len;
    uint64_t     u;
    ngx_uint_t   minus;

    minus = (s->sign && n < 0);
    u = minus ? 0 - (uint64_t) n : (uint64_t) n;

    fmt = (s->hex == 0) ? "%llu" : (s->hex == 'x') ? "%llx" : "%llX";

    if (minus) {
        ngx_ors_test_put(d, "-", 1);
    }

    len = snprintf(text, sizeof(text), fmt, (unsigned long long) u);

    while (s->width > len) {
        ngx_ors_test_put(d, s->zero ? "0" : " ", 1);
        s->width--;
    }

    ngx_ors_test_put(d, text, len);
}


static void
ngx_ors_test_double(ngx_ors_test_dst_t *d, ngx_ors_test_spec_t *s, double f)
{
    int   width, frac;
    char  text[64];

    frac = s->frac;
    width = s->width + (frac ? frac + 1 : 0);

    ngx_ors_test_put(d, text,
                     snprintf(text, sizeof(text), s->zero ? "%0*.*f" : "%*.*f",
                              width, frac, f));
}


/* strings */

u_char *
ngx_cpystrn(u_char *dst, u_char *src, size_t n)
{
    if (n == 0) {
        return dst;
    }

    while (--n && *src) {
        *dst++ = *src++;
    }

    *dst = '\0';

    return dst;
}


u_char *
ngx_pstrdup(ngx_pool_t *pool, ngx_str_t *src)
{
    u_char  *dst;

    dst = ngx_pnalloc(pool, src->len);
    if (dst) {
        ngx_memcpy(dst, src->data, src->len);
    }

    return dst;
}


void
ngx_strlow(u_char *dst, u_char *src, size_t n)
{
    for ( /* void */ ; n; n--, dst++, src++) {
        *dst = ngx_tolower(*src);
    }
}


ngx_int_t
ngx_strcasecmp(u_char *s1, u_char *s2)
{
    return strcasecmp((char *) s1, (char *) s2);
}


ngx_int_t
ngx_strncasecmp(u_char *s1, u_char *s2, size_t n)
{
    return strncasecmp((char *) s1, (char *) s2, n);
}


u_char *
ngx_strnstr(u_char *s1, char *s2, size_t n)
{
    size_t  len;

    n = strnlen((char *) s1, n);

    for (len = ngx_strlen(s2); n >= len; s1++, n--) {
        if (ngx_strncmp(s1, s2, len) == 0) {
            return s1;
        }
    }

    return NULL;
}


/* as in nginx, "n" is one less than the length of "s2" */

u_char *
ngx_strlcasestrn(u_char *s1, u_char *last, u_char *s2, size_t n)
{
    for (n++; (size_t) (last - s1) >= n; s1++) {
        if (ngx_strncasecmp(s1, s2, n) == 0) {
            return s1;
        }
    }

    return NULL;
}


ngx_int_t
ngx_memn2cmp(u_char *s1, u_char *s2, size_t n1, size_t n2)
{
    ngx_int_t  rc;

    rc = ngx_memcmp(s1, s2, ngx_min(n1, n2));

    return rc ? rc : (n1 > n2) - (n1 < n2);
}


ngx_int_t
ngx_atoi(u_char *line, size_t n)
{
    off_t  value;

    value = ngx_atoof(line, n);

    return (value > NGX_MAX_INT_T_VALUE) ? NGX_ERROR : (ngx_int_t) value;
}


off_t
ngx_atoof(u_char *line, size_t n)
{
    off_t  value;

    if (n == 0) {
        return NGX_ERROR;
    }

    for (value = 0; n--; line++) {

        if (*line < '0' || *line > '9'
            || value > (NGX_MAX_OFF_T_VALUE - (*line - '0')) / 10)
        {
            return NGX_ERROR;
        }

        value = value * 10 + (*line - '0');
    }

    return value;
}


ssize_t
ngx_atosz(u_char *line, size_t n)
{
    return ngx_atoof(line, n);
}


time_t
ngx_atotm(u_char *line, size_t n)
{
    return ngx_atoof(line, n);
}


ngx_int_t
ngx_hextoi(u_char *line, size_t n)
{
    u_char      ch;
    ngx_int_t   value;

    if (n == 0) {
        return NGX_ERROR;
    }

    for (value = 0; n--; line++) {
        ch = ngx_tolower(*line);

        if (value > NGX_MAX_INT_T_VALUE / 16) {
            return NGX_ERROR;
        }

        if (ch >= '0' && ch <= '9') {
            value = value * 16 + (ch - '0');

        } else if (ch >= 'a' && ch <= 'f') {
            value = value * 16 + (ch - 'a' + 10);

        } else {
            return NGX_ERROR;
        }
    }

    return value;
}


/* without the end of "?" that a type of nginx's own asks for */

void
ngx_unescape_uri(u_char **dst, u_char **src, size_t size, ngx_uint_t type)
{
    u_char     *d, *s, *last;
    ngx_int_t   ch;

    d = *dst;
    s = *src;
    last = s + size;

    while (s < last) {
        ch = (*s == '%' && last - s > 2) ? ngx_hextoi(s + 1, 2) : NGX_ERROR;

        *d++ = (ch == NGX_ERROR) ? *s : (u_char) ch;
        s += (ch == NGX_ERROR) ? 1 : 3;
    }

    *dst = d;
    *src = s;
}


ngx_uint_t
ngx_hash_key(u_char *data, size_t len)
{
    ngx_uint_t  key;

    for (key = 0; len; len--) {
        key = ngx_hash(key, *data++);
    }

    return key;
}


u_char *
ngx_hex_dump(u_char *dst, u_char *src, size_t len)
{
    static const char  hex[] = "0123456789abcdef";

    for ( /* void */ ; len; len--, src++) {
        *dst++ = hex[*src >> 4];
        *dst++ = hex[*src & 15];
    }

    return dst;
}


void
ngx_explicit_memzero(void *buf, size_t n)
{
    ngx_memzero(buf, n);
}


void
ngx_encode_base64url(ngx_str_t *dst, ngx_str_t *src)
{
    size_t     i;
    u_char    *d;
    uint32_t   bits;

    d = dst->data;
    bits = 0;

    for (i = 0; i < src->len; i++) {
        bits = bits << 8 | src->data[i];

        *d++ = ngx_ors_test_base64url[bits >> (i % 3 * 2 + 2) & 63];

        if (i % 3 == 2) {
            *d++ = ngx_ors_test_base64url[bits & 63];
        }
    }

    if (i % 3) {
        *d++ = ngx_ors_test_base64url[bits << (6 - i % 3 * 2) & 63];
    }

    dst->len = d - dst->data;
}


void
ngx_encode_base64(ngx_str_t *dst, ngx_str_t *src)
{
    size_t  i;

    ngx_encode_base64url(dst, src);

    for (i = 0; i < dst->len; i++) {

        switch (dst->data[i]) {

        case '-':
            dst->data[i] = '+';
            break;

        case '_':
            dst->data[i] = '/';
            break;

        default:
            break;
        }
    }

    while (dst->len % 4) {
        dst->data[dst->len++] = '=';
    }
}


ngx_int_t
ngx_decode_base64url(ngx_str_t *dst, ngx_str_t *src)
{
    return ngx_ors_test_base64(dst, src, ngx_ors_test_base64url);
}


ngx_int_t
ngx_decode_base64(ngx_str_t *dst, ngx_str_t *src)
{
    return ngx_ors_test_base64(dst, src,
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "abcdefghijklmnopqrstuvwxyz0123456789+/");
}


/* "=" is the end, whatever stands after it */

static ngx_int_t
ngx_ors_test_base64(ngx_str_t *dst, ngx_str_t *src, const char *alphabet)
{
    size_t       i;
    u_char      *d;
    uint32_t     bits;
    const char  *p;

    bits = 0;
    d = dst->data;

    for (i = 0; i < src->len && src->data[i] != '='; i++) {

        p = src->data[i] ? strchr(alphabet, src->data[i]) : NULL;

        if (p == NULL) {
            return NGX_ERROR;
        }

        bits = bits << 6 | (p - alphabet);

        if (i % 4) {
            *d++ = bits >> (6 - i % 4 * 2);
        }
    }

    dst->len = d - dst->data;

    return (i % 4 == 1) ? NGX_ERROR : NGX_OK;
}


void
ngx_sort(void *base, size_t n, size_t size,
    ngx_int_t (*cmp)(const void *, const void *))
{
    u_char  *p, *q, *end, *tmp;

    tmp = malloc(size);
    if (tmp == NULL) {
        abort();
    }

    end = (u_char *) base + n * size;

    for (p = (u_char *) base + size; p < end; p += size) {
        ngx_memcpy(tmp, p, size);

        for (q = p; q > (u_char *) base && cmp(q - size, tmp) > 0; q -= size) {
            ngx_memcpy(q, q - size, size);
        }

        ngx_memcpy(q, tmp, size);
    }

    free(tmp);
}
