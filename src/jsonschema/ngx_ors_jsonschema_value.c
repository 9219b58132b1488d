
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Exact comparison, equality and hashes of JSON values.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <math.h>
#include <ngx_ors_jsonschema_node.h>
#include <ngx_ors_jsonschema_value.h>


/* 2 to the power of 63: doubles below it fit into 64 bits */
#define NGX_ORS_JSONSCHEMA_TWO_63  9223372036854775808.0

/* digits that tell any double from all others */
#define NGX_ORS_JSONSCHEMA_DIGITS  17


/* digits * 10 ^ exponent */

typedef struct {
    uint64_t    digits;
    ngx_int_t   exponent;
} ngx_ors_jsonschema_decimal_t;


static void ngx_ors_jsonschema_decimal(json_t *value,
    ngx_ors_jsonschema_decimal_t *d);
static ngx_int_t ngx_ors_jsonschema_compare_real(json_int_t i, double d);
static ngx_uint_t ngx_ors_jsonschema_whole(json_t *value, json_int_t *i);
static uint32_t ngx_ors_jsonschema_hash(const void *data, size_t len);
static ngx_int_t ngx_ors_jsonschema_equal_object(json_t *a, json_t *b,
    ngx_uint_t *steps);
static ngx_int_t ngx_ors_jsonschema_equal_array(json_t *a, json_t *b,
    ngx_uint_t *steps);


ngx_int_t
ngx_ors_jsonschema_step(ngx_uint_t *steps, size_t n)
{
    if (*steps < n) {
        *steps = 0;
        return NGX_BUSY;
    }

    *steps -= n;

    return NGX_OK;
}


ngx_uint_t
ngx_ors_jsonschema_type(json_t *value)
{
    double  d;

    switch (json_typeof(value)) {

    case JSON_OBJECT:
        return NGX_ORS_JSONSCHEMA_OBJECT;

    case JSON_ARRAY:
        return NGX_ORS_JSONSCHEMA_ARRAY;

    case JSON_STRING:
        return NGX_ORS_JSONSCHEMA_STRING;

    case JSON_INTEGER:
        return NGX_ORS_JSONSCHEMA_INTEGER;

    case JSON_REAL:
        d = json_real_value(value);
        return (d == floor(d)) ? NGX_ORS_JSONSCHEMA_INTEGER
                               : NGX_ORS_JSONSCHEMA_REAL;

    case JSON_TRUE:
    case JSON_FALSE:
        return NGX_ORS_JSONSCHEMA_BOOLEAN;

    case JSON_NULL:
        break;
    }

    return NGX_ORS_JSONSCHEMA_NULL;
}


ngx_int_t
ngx_ors_jsonschema_compare(json_t *a, json_t *b)
{
    double      x, y;
    json_int_t  i, k;

    if (json_is_integer(a) && json_is_integer(b)) {
        i = json_integer_value(a);
        k = json_integer_value(b);

        return (i > k) - (i < k);
    }

    if (json_is_integer(a)) {
        return ngx_ors_jsonschema_compare_real(json_integer_value(a),
                                               json_real_value(b));
    }

    if (json_is_integer(b)) {
        return -ngx_ors_jsonschema_compare_real(json_integer_value(b),
                                                json_real_value(a));
    }

    x = json_real_value(a);
    y = json_real_value(b);

    return (x > y) - (x < y);
}


static ngx_int_t
ngx_ors_jsonschema_compare_real(json_int_t i, double d)
{
    double      whole;
    json_int_t  k;

    if (d >= NGX_ORS_JSONSCHEMA_TWO_63) {
        return -1;
    }

    if (d < -NGX_ORS_JSONSCHEMA_TWO_63) {
        return 1;
    }

    whole = floor(d);
    k = (json_int_t) whole;

    if (i != k) {
        return (i > k) - (i < k);
    }

    return (d > whole) ? -1 : 0;
}


ngx_uint_t
ngx_ors_jsonschema_multiple(json_t *a, json_t *b)
{
    ngx_int_t                     i, n;
    ngx_ors_jsonschema_decimal_t  x, y;

    ngx_ors_jsonschema_decimal(a, &x);
    ngx_ors_jsonschema_decimal(b, &y);

    if (x.digits == 0) {
        return 1;
    }

    if (y.digits == 0) {
        return 0;
    }

    n = x.exponent - y.exponent;

    for ( /* void */ ; n < 0; n++) {

        if (y.digits > x.digits / 10) {
            return 0;
        }

        y.digits *= 10;
    }

    /* ten to the power of n takes up to n factors of 2 and of 5 */

    for (i = 0; i < n && y.digits % 2 == 0; i++) {
        y.digits /= 2;
    }

    for (i = 0; i < n && y.digits % 5 == 0; i++) {
        y.digits /= 5;
    }

    return x.digits % y.digits == 0;
}


/* the fewest digits that are read as this double are those of the text */

static void
ngx_ors_jsonschema_decimal(json_t *value, ngx_ors_jsonschema_decimal_t *d)
{
    int         n;
    char        buf[NGX_ORS_JSONSCHEMA_DIGITS + sizeof("-.e+308")], *p;
    double      real;
    json_int_t  i;

    d->exponent = 0;

    if (json_is_integer(value)) {
        i = json_integer_value(value);
        d->digits = (i < 0) ? -(uint64_t) i : (uint64_t) i;
        return;
    }

    real = fabs(json_real_value(value));

    for (n = NGX_ORS_JSONSCHEMA_DIGITS - 3; /* void */ ; n++) {
        (void) snprintf(buf, sizeof(buf), "%.*e", n, real);

        if (n == NGX_ORS_JSONSCHEMA_DIGITS - 1 || strtod(buf, NULL) == real) {
            break;
        }
    }

    d->digits = 0;

    for (p = buf; *p != 'e'; p++) {

        if (*p >= '0' && *p <= '9') {
            d->digits = d->digits * 10 + (*p - '0');
        }
    }

    d->exponent = strtol(p + 1, NULL, 10) - n;

    while (d->digits && d->digits % 10 == 0) {
        d->digits /= 10;
        d->exponent++;
    }
}


ngx_int_t
ngx_ors_jsonschema_equal(json_t *a, json_t *b, ngx_uint_t *steps)
{
    size_t  len;

    if (ngx_ors_jsonschema_step(steps, 1) != NGX_OK) {
        return NGX_BUSY;
    }

    if (json_is_number(a) && json_is_number(b)) {
        return ngx_ors_jsonschema_compare(a, b) == 0 ? NGX_OK : NGX_DECLINED;
    }

    if (json_typeof(a) != json_typeof(b)) {
        return NGX_DECLINED;
    }

    switch (json_typeof(a)) {

    case JSON_OBJECT:
        return ngx_ors_jsonschema_equal_object(a, b, steps);

    case JSON_ARRAY:
        return ngx_ors_jsonschema_equal_array(a, b, steps);

    case JSON_STRING:
        len = json_string_length(a);

        if (len != json_string_length(b)) {
            return NGX_DECLINED;
        }

        if (ngx_ors_jsonschema_step(steps, len / NGX_ORS_JSONSCHEMA_BYTES)
            != NGX_OK)
        {
            return NGX_BUSY;
        }

        return ngx_memcmp(json_string_value(a), json_string_value(b), len) == 0
               ? NGX_OK : NGX_DECLINED;

    default:
        return NGX_OK;
    }
}


static ngx_int_t
ngx_ors_jsonschema_equal_object(json_t *a, json_t *b, ngx_uint_t *steps)
{
    void       *iter;
    size_t      len;
    json_t     *value;
    ngx_int_t   rc;

    if (json_object_size(a) != json_object_size(b)) {
        return NGX_DECLINED;
    }

    for (iter = json_object_iter(a);
         iter;
         iter = json_object_iter_next(a, iter))
    {
        len = json_object_iter_key_len(iter);

        if (ngx_ors_jsonschema_step(steps, len / NGX_ORS_JSONSCHEMA_BYTES)
            != NGX_OK)
        {
            return NGX_BUSY;
        }

        value = json_object_getn(b, json_object_iter_key(iter), len);
        if (value == NULL) {
            return NGX_DECLINED;
        }

        rc = ngx_ors_jsonschema_equal(json_object_iter_value(iter), value,
                                      steps);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_jsonschema_equal_array(json_t *a, json_t *b, ngx_uint_t *steps)
{
    size_t     i;
    ngx_int_t  rc;

    if (json_array_size(a) != json_array_size(b)) {
        return NGX_DECLINED;
    }

    for (i = 0; i < json_array_size(a); i++) {
        rc = ngx_ors_jsonschema_equal(json_array_get(a, i),
                                      json_array_get(b, i), steps);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


uint32_t
ngx_ors_jsonschema_value_hash(json_t *value)
{
    void        *iter;
    size_t       i;
    double       d;
    uint32_t     h;
    json_int_t   n;

    switch (json_typeof(value)) {

    case JSON_OBJECT:
        h = 1;

        /* members may come in any order */

        for (iter = json_object_iter(value);
             iter;
             iter = json_object_iter_next(value, iter))
        {
            h += ngx_ors_jsonschema_hash(json_object_iter_key(iter),
                                  json_object_iter_key_len(iter))
                 ^ (31 * ngx_ors_jsonschema_value_hash(
                                               json_object_iter_value(iter)));
        }

        return h;

    case JSON_ARRAY:
        h = 2;

        for (i = 0; i < json_array_size(value); i++) {
            h = h * 31 + ngx_ors_jsonschema_value_hash(json_array_get(value,
                                                                      i));
        }

        return h;

    case JSON_STRING:
        return ngx_ors_jsonschema_hash(json_string_value(value),
                                json_string_length(value));

    case JSON_INTEGER:
    case JSON_REAL:

        if (ngx_ors_jsonschema_whole(value, &n)) {
            return ngx_ors_jsonschema_hash(&n, sizeof(json_int_t));
        }

        d = json_real_value(value);
        return ngx_ors_jsonschema_hash(&d, sizeof(double));

    default:
        return 3 + json_typeof(value);
    }
}


/* FNV-1a: steps bound what texts of one hash cost */

static uint32_t
ngx_ors_jsonschema_hash(const void *data, size_t len)
{
    size_t         i;
    uint32_t       h;
    const u_char  *p;

    p = data;
    h = 2166136261u;

    for (i = 0; i < len; i++) {
        h = (h ^ p[i]) * 16777619u;
    }

    return h;
}


/* 1 if the number is an integer of 64 bits, which is "*i" then */

static ngx_uint_t
ngx_ors_jsonschema_whole(json_t *value, json_int_t *i)
{
    double  d;

    if (json_is_integer(value)) {
        *i = json_integer_value(value);
        return 1;
    }

    d = json_real_value(value);

    if (d != floor(d) || d >= NGX_ORS_JSONSCHEMA_TWO_63
        || d < -NGX_ORS_JSONSCHEMA_TWO_63)
    {
        return 0;
    }

    *i = (json_int_t) d;

    return 1;
}


ngx_int_t
ngx_ors_jsonschema_count(json_t *value, size_t *n)
{
    json_int_t  i;

    if (!json_is_number(value) || !ngx_ors_jsonschema_whole(value, &i)
        || i < 0)
    {
        return NGX_DECLINED;
    }

    *n = (size_t) i;

    return NGX_OK;
}
