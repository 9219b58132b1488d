
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Access to the nodes of a document: members, strings, integers, error texts.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_json.h>
#include <ngx_ors_utf8.h>


#define NGX_ORS_JSON_MAX_EXP     1000000000000LL
#define NGX_ORS_JSON_INT_DIGITS  19
#define NGX_ORS_JSON_INT_SHORT   18      /* digits of which any number fits */


static const ngx_str_t *ngx_ors_json_name_escaped(ngx_ors_json_t *json,
    ngx_ors_json_node_t *key, const ngx_str_t *names) __attribute__((noinline));
static const ngx_str_t *ngx_ors_json_name_of(u_char *p, size_t len,
    const ngx_str_t *names);
static ngx_uint_t ngx_ors_json_named(ngx_ors_json_t *json,
    ngx_ors_json_node_t *key, u_char *name, size_t len);
static u_char *ngx_ors_json_unescape(u_char *p, u_char *end, u_char **dst);
static uint32_t ngx_ors_json_hex4(u_char *p);
static int64_t ngx_ors_json_exponent(u_char *p, u_char *end);
static uint64_t ngx_ors_json_scale(uint64_t n, ngx_uint_t zeros);


static ngx_str_t  ngx_ors_json_errors[] = {
    ngx_string("no error"),
    ngx_string("empty text"),
    ngx_string("unexpected end of text"),
    ngx_string("unexpected character"),
    ngx_string("text after the value"),
    ngx_string("control character in a string"),
    ngx_string("invalid escape in a string"),
    ngx_string("invalid UTF-8 in a string"),
    ngx_string("invalid number"),
    ngx_string("too many levels of nesting"),
    ngx_string("too many values"),
    ngx_string("text too long"),
    ngx_string("no memory")
};


void
ngx_ors_json_init(ngx_ors_json_t *json, ngx_pool_t *pool,
    ngx_uint_t max_depth, ngx_uint_t max_nodes)
{
    ngx_memzero(json, sizeof(ngx_ors_json_t));

    /*
     * set by ngx_memzero():
     *
     *     json->text = NULL;
     *     json->nodes = NULL;
     *     json->n = 0;
     *     json->nalloc = 0;
     *     json->error = ngx_ors_json_err_none;
     *     json->offset = 0;
     */

    json->pool = pool;
    json->max_depth = ngx_min(max_depth, NGX_ORS_JSON_MAX_DEPTH);
    json->max_nodes = max_nodes;
}


void
ngx_ors_json_trim(ngx_ors_json_t *json)
{
    u_char      *end;
    ngx_pool_t  *p;

    end = (u_char *) (json->nodes + json->nalloc);

    /* only its last allocation ends where a block of a pool is free from */

    for (p = json->pool->current; p; p = p->d.next) {

        if (p->d.last == end) {
            p->d.last = (u_char *) (json->nodes + json->n);
            json->nalloc = json->n;
            return;
        }
    }
}


ngx_str_t *
ngx_ors_json_strerror(ngx_ors_json_err_e error)
{
    return &ngx_ors_json_errors[error];
}


u_char *
ngx_ors_json_reason(ngx_ors_json_t *json, u_char *buf)
{
    u_char  *p, *last;

    last = buf + NGX_ORS_JSON_REASON;

    switch ((ngx_uint_t) json->error) {

    case ngx_ors_json_err_empty:
        return ngx_slprintf(buf, last, "is empty");

    case ngx_ors_json_err_depth:
        p = ngx_slprintf(buf, last, "has more than %ui levels of nesting",
                         json->max_depth);
        break;

    case ngx_ors_json_err_nodes:
        p = ngx_slprintf(buf, last, "has more than %ui values",
                         json->max_nodes);
        break;

    default:
        p = ngx_slprintf(buf, last, "is not JSON: %V",
                         ngx_ors_json_strerror(json->error));
    }

    return ngx_slprintf(p, last, " at byte %uz", json->offset);
}


/* most keys differ in length or in the first byte */

static ngx_inline ngx_uint_t
ngx_ors_json_named(ngx_ors_json_t *json, ngx_ors_json_node_t *key,
    u_char *name, size_t len)
{
    u_char  *p;

    if (key->escaped) {
        return ngx_ors_json_equal_escaped(json, key, name, len);
    }

    if (key->len != len) {
        return 0;
    }

    p = ngx_ors_json_text(json, key);

    return len == 0 || (*p == *name && ngx_memcmp(p, name, len) == 0);
}


ngx_ors_json_node_t *
ngx_ors_json_get(ngx_ors_json_t *json, ngx_ors_json_node_t *object,
    u_char *name, size_t len)
{
    ngx_ors_json_node_t  *key, *value;

    if (object == NULL || object->type != ngx_ors_json_object) {
        return NULL;
    }

    value = NULL;

    ngx_ors_json_each(key, json, object) {
        if (ngx_ors_json_named(json, key, name, len)) {
            value = key + 1;
        }
    }

    return value;
}


void
ngx_ors_json_members(ngx_ors_json_t *json, ngx_ors_json_node_t *object,
    const ngx_str_t *names, ngx_ors_json_node_t **values)
{
    ngx_uint_t            i;
    const ngx_str_t      *name;
    ngx_ors_json_node_t  *key;

    for (i = 0; names[i].len; i++) {
        values[i] = NULL;
    }

    if (object == NULL || object->type != ngx_ors_json_object) {
        return;
    }

    ngx_ors_json_each(key, json, object) {
        name = ngx_ors_json_name(json, key, names);

        if (name->len) {
            values[name - names] = (key[1].type == ngx_ors_json_null)
                                   ? NULL : key + 1;
        }
    }
}


const ngx_str_t *
ngx_ors_json_name(ngx_ors_json_t *json, ngx_ors_json_node_t *key,
    const ngx_str_t *names)
{
    /* a longer key is longer than any name, even decoded */

    if (key->escaped && key->len <= NGX_ORS_JSON_NAME_RAW) {
        return ngx_ors_json_name_escaped(json, key, names);
    }

    return ngx_ors_json_name_of(ngx_ors_json_text(json, key), key->len, names);
}


/*
 * a separate function: compilers clear the buffer in each call, and few keys
 * need it
 */

static const ngx_str_t *
ngx_ors_json_name_escaped(ngx_ors_json_t *json, ngx_ors_json_node_t *key,
    const ngx_str_t *names)
{
    size_t  len;
    u_char  buf[NGX_ORS_JSON_NAME_RAW];

    len = ngx_ors_json_decode(json, key, buf) - buf;

    return ngx_ors_json_name_of(buf, len, names);
}


static const ngx_str_t *
ngx_ors_json_name_of(u_char *p, size_t len, const ngx_str_t *names)
{
    u_char            ch;
    const ngx_str_t  *name;

    ch = *p;

    for (name = names; name->len; name++) {

        if (name->len == len && *name->data == ch
            && ngx_memcmp(name->data, p, len) == 0)
        {
            break;
        }
    }

    return name;
}


ngx_uint_t
ngx_ors_json_equal_escaped(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    u_char *s, size_t len)
{
    size_t   n;
    u_char  *p, *end, *dst, *last, ch[4];

    /* an escape is longer than the character it encodes */

    if (node->len <= len) {
        return 0;
    }

    p = ngx_ors_json_text(json, node);
    end = p + node->len;
    last = s + len;

    /* a key is compared with many names: most differ where they begin */

    if (len && end - p >= 6 && p[0] == '\\' && p[1] == 'u' && *s < 0x80
        && ngx_ors_json_hex4(p + 2) != *s)
    {
        return 0;
    }

    while (p < end && s < last) {

        if (*p != '\\') {
            if (*p++ != *s++) {
                return 0;
            }

            continue;
        }

        dst = ch;
        p = ngx_ors_json_unescape(p, end, &dst);
        n = dst - ch;

        if ((size_t) (last - s) < n || ngx_memcmp(s, ch, n) != 0) {
            return 0;
        }

        s += n;
    }

    return p == end && s == last;
}


/*
 * Decodes one escape to "*dst", or a surrogate pair.  One that is cut
 * off was not read by the reader; it becomes "?" and ends the text.
 */

static u_char *
ngx_ors_json_unescape(u_char *p, u_char *end, u_char **dst)
{
    uint32_t  code, low;

    if (end - p < 2 || (p[1] == 'u' && end - p < 6)) {
        *(*dst)++ = '?';
        return end;
    }

    p = ngx_ors_json_unit(p, &code);

    if (ngx_ors_json_surrogate(code)) {
        low = 0;

        if (end - p >= 6 && p[0] == '\\' && p[1] == 'u') {
            low = ngx_ors_json_hex4(p + 2);
        }

        if (ngx_ors_json_pair(code, low)) {
            code = ngx_ors_json_joined(code, low);
            p += 6;

        } else {
            code = 0xfffd;
        }
    }

    *dst = ngx_ors_json_utf8(*dst, code);

    return p;
}


u_char *
ngx_ors_json_unit(u_char *p, uint32_t *code)
{
    switch (p[1]) {

    case 'b':
        *code = '\b';
        break;

    case 'f':
        *code = '\f';
        break;

    case 'n':
        *code = LF;
        break;

    case 'r':
        *code = CR;
        break;

    case 't':
        *code = '\t';
        break;

    case 'u':
        *code = ngx_ors_json_hex4(p + 2);
        return p + 6;

    default:        /* '"', '\\', '/' */
        *code = p[1];
        break;
    }

    return p + 2;
}


static uint32_t
ngx_ors_json_hex4(u_char *p)
{
    uint32_t    code;
    ngx_uint_t  i;

    code = 0;

    for (i = 0; i < 4; i++) {
        code = code << 4 | ((p[i] <= '9') ? p[i] - '0'
                                          : (p[i] | 0x20) - 'a' + 10);
    }

    return code;
}


u_char *
ngx_ors_json_utf8(u_char *dst, uint32_t code)
{
    if (code < 0x80) {
        *dst++ = (u_char) code;
        return dst;
    }

    if (code < 0x800) {
        *dst++ = (u_char) (0xc0 | code >> 6);
        *dst++ = (u_char) (0x80 | (code & 0x3f));
        return dst;
    }

    if (code >= 0x10000) {
        *dst++ = (u_char) (0xf0 | code >> 18);
        *dst++ = (u_char) (0x80 | (code >> 12 & 0x3f));

    } else {
        *dst++ = (u_char) (0xe0 | code >> 12);
    }

    *dst++ = (u_char) (0x80 | (code >> 6 & 0x3f));
    *dst++ = (u_char) (0x80 | (code & 0x3f));

    return dst;
}


size_t
ngx_ors_json_length(ngx_ors_json_t *json, ngx_ors_json_node_t *node)
{
    size_t   n;
    u_char  *p, *end, *start, *dst, ch[4];

    if (node == NULL || node->type != ngx_ors_json_string) {
        return 0;
    }

    p = ngx_ors_json_text(json, node);
    end = p + node->len;
    n = 0;

    while (node->escaped && p < end) {
        start = p;

        p = memchr(p, '\\', end - p);
        if (p == NULL) {
            p = start;
            break;
        }

        n += node->ascii ? (size_t) (p - start)
                         : ngx_ors_utf8_length(start, p - start);

        dst = ch;
        p = ngx_ors_json_unescape(p, end, &dst);
        n++;
    }

    return n + (node->ascii ? (size_t) (end - p)
                            : ngx_ors_utf8_length(p, end - p));
}


u_char *
ngx_ors_json_decode(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    u_char *dst)
{
    u_char  *p, *end, *start;

    if (node == NULL) {
        return dst;
    }

    p = ngx_ors_json_text(json, node);
    end = p + node->len;

    while (node->escaped && p < end) {
        start = p;

        p = memchr(p, '\\', end - p);
        if (p == NULL) {
            p = start;
            break;
        }

        dst = ngx_cpymem(dst, start, p - start);
        p = ngx_ors_json_unescape(p, end, &dst);
    }

    return ngx_cpymem(dst, p, end - p);
}


ngx_int_t
ngx_ors_json_copy(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    ngx_pool_t *pool, ngx_str_t *text)
{
    ngx_str_set(text, "");

    if (node == NULL || node->type != ngx_ors_json_string) {
        return NGX_OK;
    }

    text->data = ngx_pnalloc(pool, node->len + 1);
    if (text->data == NULL) {
        return NGX_ERROR;
    }

    text->len = ngx_ors_json_decode(json, node, text->data) - text->data;

    return NGX_OK;
}


ngx_int_t
ngx_ors_json_decoded(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    ngx_pool_t *pool, ngx_str_t *text)
{
    if (node && node->escaped) {
        return ngx_ors_json_copy(json, node, pool, text);
    }

    ngx_ors_json_raw(json, node, text);

    return NGX_OK;
}


ngx_int_t
ngx_ors_json_integer(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    int64_t *value)
{
    u_char     *p, *end, *last;
    int64_t     exp;
    uint64_t    n;
    ngx_uint_t  digits, fraction, negative, zeros;

    *value = 0;

    if (node == NULL || node->type != ngx_ors_json_number) {
        return NGX_DECLINED;
    }

    p = ngx_ors_json_text(json, node);
    end = p + node->len;

    negative = (*p == '-');
    p += negative;

    if (node->integer && end - p <= NGX_ORS_JSON_INT_SHORT) {

        for (n = 0; p < end; p++) {
            n = n * 10 + (*p - '0');
        }

        *value = negative ? -(int64_t) n : (int64_t) n;

        return NGX_OK;
    }

    for (last = p; last < end && (*last | 0x20) != 'e'; last++) { /* void */ }

    exp = (last < end) ? ngx_ors_json_exponent(last + 1, end) : 0;

    /* "n" ends with the last digit that is not zero, "zeros" follow it */

    n = 0;
    digits = 0;
    zeros = 0;
    fraction = 0;

    for ( /* void */ ; p < last; p++) {

        if (*p == '.') {
            fraction = last - p - 1;
            continue;
        }

        if (*p == '0') {
            zeros += (digits != 0);
            continue;
        }

        digits += zeros + 1;

        if (digits <= NGX_ORS_JSON_INT_DIGITS) {
            n = ngx_ors_json_scale(n, zeros + 1) + (*p - '0');
        }

        zeros = 0;
    }

    exp += (int64_t) zeros - (int64_t) fraction;

    if (digits == 0) {
        return NGX_OK;
    }

    if (exp < 0) {
        return NGX_DECLINED;
    }

    if ((int64_t) digits + exp <= NGX_ORS_JSON_INT_DIGITS) {
        n = ngx_ors_json_scale(n, exp);

        if (n <= (uint64_t) INT64_MAX + negative) {
            *value = (int64_t) (negative ? 0 - n : n);
            return NGX_OK;
        }
    }

    *value = negative ? INT64_MIN : INT64_MAX;

    return NGX_DECLINED;
}


/* far beyond any number of digits is as good as infinite */

static int64_t
ngx_ors_json_exponent(u_char *p, u_char *end)
{
    int64_t     exp;
    ngx_uint_t  negative;

    negative = (*p == '-');

    if (*p == '-' || *p == '+') {
        p++;
    }

    for (exp = 0; p < end && exp < NGX_ORS_JSON_MAX_EXP; p++) {
        exp = exp * 10 + (*p - '0');
    }

    return negative ? -exp : exp;
}


static uint64_t
ngx_ors_json_scale(uint64_t n, ngx_uint_t zeros)
{
    while (zeros--) {
        n *= 10;
    }

    return n;
}
