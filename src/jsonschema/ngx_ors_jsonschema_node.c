
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The walk itself: steps, nesting, scopes and what is evaluated.
 */


#define PCRE2_CODE_UNIT_WIDTH  8

#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_jsonschema_node.h>
#include <math.h>
#include <pcre2.h>
#include <ngx_ors_error.h>
#include <ngx_ors_utf8.h>


#define NGX_ORS_JSONSCHEMA_POOL  4096

/* 2 to the power of 63: doubles below it fit into 64 bits */
#define NGX_ORS_JSONSCHEMA_TWO_63  9223372036854775808.0

/* digits that tell any double from all others */
#define NGX_ORS_JSONSCHEMA_DIGITS  17

#define NGX_ORS_JSONSCHEMA_PATTERN_LEN    4096
#define NGX_ORS_JSONSCHEMA_PATTERN_NEST   64

/* libpcre2's own limits: steps end most matches before them */
#define NGX_ORS_JSONSCHEMA_MATCH_LIMIT    200000
#define NGX_ORS_JSONSCHEMA_MATCH_DEPTH    10000
#define NGX_ORS_JSONSCHEMA_MATCH_HEAP     2048      /* KB */

/* bytes that an item of a pattern may read in the time of a step */
#define NGX_ORS_JSONSCHEMA_MATCH_BYTES    128

/* pairs of repeated items that libpcre2 compares in the time of a step */
#define NGX_ORS_JSONSCHEMA_PATTERN_PAIRS  8

/* letters that ECMA-262 permits after a backslash */
#define NGX_ORS_JSONSCHEMA_PATTERN_ESCAPES  "bBcdDfknpPrsStuvwWx"

#define NGX_ORS_JSONSCHEMA_PATTERN_FLAGS                                      \
    (PCRE2_UTF|PCRE2_NO_UTF_CHECK|PCRE2_DOLLAR_ENDONLY|PCRE2_ALT_BSUX         \
     |PCRE2_ALLOW_EMPTY_CLASS|PCRE2_MATCH_UNSET_BACKREF                       \
     |PCRE2_NEVER_BACKSLASH_C|PCRE2_AUTO_CALLOUT)

/* bytes of a name in a path, and of values of a schema in a sentence */
#define NGX_ORS_JSONSCHEMA_NAME    64
#define NGX_ORS_JSONSCHEMA_VALUES  384

/* bytes that jansson prints in the time of a step */
#define NGX_ORS_JSONSCHEMA_DUMPED  16


/* digits * 10 ^ exponent */

typedef struct {
    uint64_t    digits;
    ngx_int_t   exponent;
} ngx_ors_jsonschema_decimal_t;


struct ngx_ors_jsonschema_pattern_s {
    ngx_ors_jsonschema_pattern_t  *next;
    pcre2_code                    *code;
    ngx_uint_t                     repeats;  /* items with a quantifier */
    ngx_uint_t                     members;  /* of a class, not in ASCII */
};


static ngx_int_t ngx_ors_jsonschema_walk_scope(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen);
static ngx_int_t ngx_ors_jsonschema_walk_rules(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen);
static ngx_int_t ngx_ors_jsonschema_seen(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_at_t *at, ngx_ors_jsonschema_seen_t *seen);
static void ngx_ors_jsonschema_seen_add(ngx_ors_jsonschema_seen_t *seen,
    ngx_ors_jsonschema_seen_t *more);
static void ngx_ors_jsonschema_decimal(json_t *value,
    ngx_ors_jsonschema_decimal_t *d);
static ngx_int_t ngx_ors_jsonschema_compare_real(json_int_t i, double d);
static ngx_uint_t ngx_ors_jsonschema_whole(json_t *value, json_int_t *i);
static uint32_t ngx_ors_jsonschema_hash(const void *data, size_t len);
static ngx_int_t ngx_ors_jsonschema_equal_object(json_t *a, json_t *b,
    ngx_uint_t *steps);
static ngx_int_t ngx_ors_jsonschema_equal_array(json_t *a, json_t *b,
    ngx_uint_t *steps);
static ngx_int_t ngx_ors_jsonschema_patterns_init(
    ngx_ors_jsonschema_patterns_t *patterns);
static ngx_int_t ngx_ors_jsonschema_pattern_scan(ngx_str_t *text,
    ngx_ors_jsonschema_pattern_t *pattern);
static ngx_uint_t ngx_ors_jsonschema_pattern_group(u_char *p, u_char *last);
static u_char *ngx_ors_jsonschema_pattern_escape(u_char *p, u_char *last);
static void *ngx_ors_jsonschema_pattern_alloc(PCRE2_SIZE size, void *data);
static void ngx_ors_jsonschema_pattern_release(void *p, void *data);
static int ngx_ors_jsonschema_pattern_step(pcre2_callout_block *block,
    void *data);
static void ngx_ors_jsonschema_root(ngx_ors_jsonschema_report_t *report,
    char *keyword, const char *fmt, va_list args);
static void ngx_ors_jsonschema_text(ngx_ors_jsonschema_report_t *report,
    u_char *p, const char *fmt, va_list args);
static void ngx_ors_jsonschema_path(ngx_ors_jsonschema_report_t *report,
    ngx_ors_jsonschema_at_t *at);
static u_char *ngx_ors_jsonschema_path_name(u_char *p, u_char *last,
    ngx_str_t *name);
static ngx_uint_t ngx_ors_jsonschema_plain(ngx_str_t *name);
static u_char *ngx_ors_jsonschema_dump(ngx_ors_jsonschema_walk_t *w, u_char *p,
    u_char *last, json_t *value);


ngx_int_t
ngx_ors_jsonschema_walk(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen)
{
    ngx_int_t  rc;

    if (w->nesting == 0 || ngx_ors_jsonschema_step(w->steps, 1) != NGX_OK) {
        return NGX_BUSY;
    }

    if (node->never) {
        return ngx_ors_jsonschema_fail(w, at, "false", "is not allowed");
    }

    w->nesting--;
    rc = ngx_ors_jsonschema_walk_scope(w, node, at, seen);
    w->nesting++;

    return rc;
}


/* a node of another resource than the last one is in a scope of its own */

static ngx_int_t
ngx_ors_jsonschema_walk_scope(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen)
{
    ngx_int_t                   rc;
    ngx_ors_jsonschema_seen_t   own;
    ngx_ors_jsonschema_scope_t  scope;

    scope.parent = w->scope;
    scope.resource = node->resource;

    if (w->scope == NULL || w->scope->resource != node->resource) {
        w->scope = &scope;
    }

    if (!node->unevaluated) {
        rc = ngx_ors_jsonschema_walk_rules(w, node, at, seen);
        w->scope = scope.parent;
        return rc;
    }

    /* a keyword does not see what its neighbours evaluate */

    rc = ngx_ors_jsonschema_seen(w, at, &own);

    if (rc == NGX_OK) {
        rc = ngx_ors_jsonschema_walk_rules(w, node, at, &own);
    }

    if (rc == NGX_OK && seen) {
        ngx_ors_jsonschema_seen_add(seen, &own);
    }

    w->scope = scope.parent;

    return rc;
}


static ngx_int_t
ngx_ors_jsonschema_walk_rules(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen)
{
    ngx_int_t                   rc;
    ngx_ors_jsonschema_rule_t  *rule;

    for (rule = node->rules; rule; rule = rule->next) {

        if (rule->keyword->types & at->type) {
            rc = rule->keyword->check(w, rule, at, seen);
            if (rc != NGX_OK) {
                return rc;
            }
        }
    }

    return NGX_OK;
}


ngx_int_t
ngx_ors_jsonschema_try(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen)
{
    ngx_int_t                   rc;
    ngx_ors_jsonschema_seen_t   own, *p;

    p = NULL;

    if (seen) {
        rc = ngx_ors_jsonschema_seen(w, at, &own);
        if (rc != NGX_OK) {
            return rc;
        }

        p = &own;
    }

    w->quiet++;
    rc = ngx_ors_jsonschema_walk(w, node, at, p);
    w->quiet--;

    if (rc == NGX_OK && seen) {
        ngx_ors_jsonschema_seen_add(seen, &own);
    }

    return rc;
}


/* a list in which nothing is seen yet */

static ngx_int_t
ngx_ors_jsonschema_seen(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_at_t *at, ngx_ors_jsonschema_seen_t *seen)
{
    size_t  size;

    seen->n = (at->type == NGX_ORS_JSONSCHEMA_OBJECT)
              ? json_object_size(at->json) : json_array_size(at->json);

    size = (seen->n + 7) / 8;

    if (ngx_ors_jsonschema_step(w->steps, size / 8) != NGX_OK) {
        return NGX_BUSY;
    }

    seen->bits = ngx_ors_jsonschema_alloc(w, size + 1);
    if (seen->bits == NULL) {
        return NGX_ERROR;
    }

    ngx_memzero(seen->bits, size + 1);

    return NGX_OK;
}


static void
ngx_ors_jsonschema_seen_add(ngx_ors_jsonschema_seen_t *seen,
    ngx_ors_jsonschema_seen_t *more)
{
    ngx_uint_t  i;

    for (i = 0; i < (seen->n + 7) / 8; i++) {
        seen->bits[i] |= more->bits[i];
    }
}


void *
ngx_ors_jsonschema_alloc(ngx_ors_jsonschema_walk_t *w, size_t size)
{
    if (w->pool == NULL) {
        w->pool = ngx_create_pool(NGX_ORS_JSONSCHEMA_POOL, w->schema->log);
        if (w->pool == NULL) {
            return NULL;
        }
    }

    return ngx_palloc(w->pool, size);
}


void
ngx_ors_jsonschema_element(ngx_ors_jsonschema_at_t *child,
    ngx_ors_jsonschema_at_t *at, json_t *json, ngx_uint_t i)
{
    child->parent = at;
    child->json = json;
    child->type = ngx_ors_jsonschema_type(json);
    child->depth = at->depth + 1;
    child->name.data = NULL;
    child->index = i;
    child->is_name = 0;
}


void
ngx_ors_jsonschema_member(ngx_ors_jsonschema_at_t *child,
    ngx_ors_jsonschema_at_t *at, void *iter)
{
    ngx_ors_jsonschema_element(child, at, json_object_iter_value(iter), 0);

    child->name.data = (u_char *) json_object_iter_key(iter);
    child->name.len = json_object_iter_key_len(iter);
}


/*
 * Exact comparison, equality and hashes of JSON values.
 */


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


/*
 * Regular expressions with libpcre2, each step of which is counted.
 */


ngx_int_t
ngx_ors_jsonschema_pattern_compile(ngx_ors_jsonschema_patterns_t *patterns,
    ngx_pool_t *pool, ngx_str_t *text, ngx_uint_t *steps,
    ngx_ors_jsonschema_pattern_t **pattern)
{
    int                            code;
    size_t                         size;
    PCRE2_SIZE                     offset;
    ngx_ors_jsonschema_pattern_t  *p;

    p = ngx_pcalloc(pool, sizeof(ngx_ors_jsonschema_pattern_t));
    if (p == NULL) {
        return NGX_ERROR;
    }

    if (ngx_ors_jsonschema_pattern_scan(text, p) != NGX_OK) {
        return NGX_DECLINED;
    }

    if (ngx_ors_jsonschema_step(steps, 1 + text->len + p->repeats * p->repeats
                                       / NGX_ORS_JSONSCHEMA_PATTERN_PAIRS)
        != NGX_OK)
    {
        return NGX_BUSY;
    }

    if (patterns->memory == NULL
        && ngx_ors_jsonschema_patterns_init(patterns) != NGX_OK)
    {
        return NGX_ERROR;
    }

    p->code = pcre2_compile(text->data, text->len,
                            NGX_ORS_JSONSCHEMA_PATTERN_FLAGS, &code, &offset,
                            patterns->compile);
    if (p->code == NULL) {
        return (code == PCRE2_ERROR_HEAP_FAILED) ? NGX_ERROR : NGX_DECLINED;
    }

    p->next = patterns->first;
    patterns->first = p;

    if (pcre2_pattern_info(p->code, PCRE2_INFO_SIZE, &size) != 0) {
        return NGX_ERROR;
    }

    patterns->size += sizeof(ngx_ors_jsonschema_pattern_t) + size;
    *pattern = p;

    return (patterns->size > patterns->max) ? NGX_DECLINED : NGX_OK;
}


/*
 * NGX_DECLINED: the pattern has a group or an escape that ECMA-262 does not
 * have.  Others of libpcre2 change options and limits, or recurse, and some of
 * them hide from this scan where a class begins.
 */

static ngx_int_t
ngx_ors_jsonschema_pattern_scan(ngx_str_t *text,
    ngx_ors_jsonschema_pattern_t *pattern)
{
    u_char      *p, *last;
    ngx_uint_t   class, members;

    class = 0;
    members = 0;
    last = text->data + text->len;

    for (p = text->data; p < last; p++) {

        switch (*p) {

        case '\\':
            p = ngx_ors_jsonschema_pattern_escape(p + 1, last);
            if (p == NULL) {
                return NGX_DECLINED;
            }

            members++;
            break;

        case '[':
            members = class ? members : 0;
            class = 1;
            break;

        case ']':
            class = 0;
            break;

        case '(':

            if (!class && !ngx_ors_jsonschema_pattern_group(p + 1, last)) {
                return NGX_DECLINED;
            }

            break;

        case '*':
        case '+':
        case '?':
        case '{':
            pattern->repeats += !class;
            break;

        default:

            /* characters in ASCII are bits of a map */

            members += (*p >= 0xc0);
            break;
        }

        if (class && members > pattern->members) {
            pattern->members = members;
        }
    }

    return NGX_OK;
}


/* 1 if ECMA-262 has a group that begins so after its parenthesis */

static ngx_uint_t
ngx_ors_jsonschema_pattern_group(u_char *p, u_char *last)
{
    if (p == last || *p != '?') {
        return p == last || *p != '*';
    }

    return ++p < last && (*p == ':' || *p == '=' || *p == '!' || *p == '<');
}


/* the last byte of the escape, or NULL: not one of ECMA-262 */

static u_char *
ngx_ors_jsonschema_pattern_escape(u_char *p, u_char *last)
{
    u_char  ch;

    if (p == last) {
        return NULL;
    }

    ch = ngx_tolower(*p);

    if (ch < 'a' || ch > 'z') {
        return p;
    }

    if (ngx_strchr(NGX_ORS_JSONSCHEMA_PATTERN_ESCAPES, *p) == NULL) {
        return NULL;
    }

    if (*p != 'c') {
        return p;
    }

    if (++p == last) {
        return NULL;
    }

    ch = ngx_tolower(*p);

    return (ch >= 'a' && ch <= 'z') ? p : NULL;
}


static ngx_int_t
ngx_ors_jsonschema_patterns_init(ngx_ors_jsonschema_patterns_t *patterns)
{
    patterns->memory = pcre2_general_context_create(
                                           ngx_ors_jsonschema_pattern_alloc,
                                           ngx_ors_jsonschema_pattern_release,
                                           patterns->log);
    if (patterns->memory == NULL) {
        return NGX_ERROR;
    }

    patterns->compile = pcre2_compile_context_create(patterns->memory);
    patterns->match = pcre2_match_context_create(patterns->memory);

    if (patterns->compile == NULL || patterns->match == NULL) {
        ngx_ors_jsonschema_patterns_free(patterns);
        return NGX_ERROR;
    }

    (void) pcre2_set_newline(patterns->compile, PCRE2_NEWLINE_ANYCRLF);
    (void) pcre2_set_max_pattern_length(patterns->compile,
                                        NGX_ORS_JSONSCHEMA_PATTERN_LEN);
    (void) pcre2_set_parens_nest_limit(patterns->compile,
                                       NGX_ORS_JSONSCHEMA_PATTERN_NEST);
    (void) pcre2_set_compile_extra_options(patterns->compile,
                                           PCRE2_EXTRA_ALT_BSUX);

    (void) pcre2_set_match_limit(patterns->match,
                                 NGX_ORS_JSONSCHEMA_MATCH_LIMIT);
    (void) pcre2_set_depth_limit(patterns->match,
                                 NGX_ORS_JSONSCHEMA_MATCH_DEPTH);
    (void) pcre2_set_heap_limit(patterns->match,
                                NGX_ORS_JSONSCHEMA_MATCH_HEAP);

    return NGX_OK;
}


void
ngx_ors_jsonschema_patterns_free(ngx_ors_jsonschema_patterns_t *patterns)
{
    ngx_ors_jsonschema_pattern_t  *p;

    for (p = patterns->first; p; p = p->next) {
        pcre2_code_free(p->code);
    }

    pcre2_match_context_free(patterns->match);
    pcre2_compile_context_free(patterns->compile);
    pcre2_general_context_free(patterns->memory);

    patterns->first = NULL;
    patterns->match = NULL;
    patterns->compile = NULL;
    patterns->memory = NULL;
}


static void *
ngx_ors_jsonschema_pattern_alloc(PCRE2_SIZE size, void *data)
{
    return ngx_alloc(size, data);
}


static void
ngx_ors_jsonschema_pattern_release(void *p, void *data)
{
    ngx_free(p);
}


ngx_int_t
ngx_ors_jsonschema_pattern_match(ngx_ors_jsonschema_patterns_t *patterns,
    ngx_ors_jsonschema_pattern_t *pattern, ngx_ors_jsonschema_match_t *match,
    const char *text, size_t len)
{
    int  rc;

    /* a start is searched for without a callout */

    if (ngx_ors_jsonschema_step(match->steps,
                                1 + len / NGX_ORS_JSONSCHEMA_BYTES)
        != NGX_OK)
    {
        return NGX_BUSY;
    }

    if (match->data == NULL) {
        match->data = pcre2_match_data_create(1, patterns->memory);
        if (match->data == NULL) {
            return NGX_ERROR;
        }
    }

    /* each character may be compared with each member of a class */

    match->cost = 1 + len * (1 + 2 * pattern->members)
                      / NGX_ORS_JSONSCHEMA_MATCH_BYTES;

    (void) pcre2_set_callout(patterns->match, ngx_ors_jsonschema_pattern_step,
                             match);

    rc = pcre2_match(pattern->code, (PCRE2_SPTR) text, len, 0,
                     PCRE2_NO_UTF_CHECK, match->data, patterns->match);

    if (rc >= 0) {
        return NGX_OK;
    }

    if (rc == PCRE2_ERROR_NOMATCH) {
        return NGX_DECLINED;
    }

    return (rc == PCRE2_ERROR_NOMEMORY) ? NGX_ERROR : NGX_BUSY;
}


static int
ngx_ors_jsonschema_pattern_step(pcre2_callout_block *block, void *data)
{
    ngx_ors_jsonschema_match_t *match = data;

    return (ngx_ors_jsonschema_step(match->steps, match->cost) == NGX_OK)
           ? 0 : PCRE2_ERROR_CALLOUT;
}


void
ngx_ors_jsonschema_match_free(ngx_ors_jsonschema_match_t *match)
{
    pcre2_match_data_free(match->data);
    match->data = NULL;
}


/*
 * Sentences and paths, cut to the size of a report.
 */


ngx_int_t
ngx_ors_jsonschema_busy(ngx_ors_jsonschema_report_t *report, const char *fmt,
    ...)
{
    va_list  args;

    va_start(args, fmt);
    ngx_ors_jsonschema_root(report, "", fmt, args);
    va_end(args);

    return NGX_BUSY;
}


ngx_int_t
ngx_ors_jsonschema_refuse(ngx_ors_jsonschema_report_t *report, char *keyword,
    const char *fmt, ...)
{
    va_list  args;

    va_start(args, fmt);
    ngx_ors_jsonschema_root(report, keyword, fmt, args);
    va_end(args);

    return NGX_DECLINED;
}


/* fills the report for a whole text */

static void
ngx_ors_jsonschema_root(ngx_ors_jsonschema_report_t *report, char *keyword,
    const char *fmt, va_list args)
{
    u_char  *p;

    report->keyword = keyword;
    report->path.len = 0;
    report->path.data = report->path_buf;

    p = ngx_cpymem(report->text_buf, "The JSON ", sizeof("The JSON ") - 1);

    ngx_ors_jsonschema_text(report, p, fmt, args);
}


ngx_int_t
ngx_ors_jsonschema_fail(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_at_t *at, char *keyword, const char *fmt, ...)
{
    u_char                       *p;
    va_list                       args;
    ngx_ors_jsonschema_report_t  *report;

    w->depth = at->depth;

    if (w->quiet) {
        return NGX_DECLINED;
    }

    report = w->report;
    report->keyword = keyword;

    ngx_ors_jsonschema_path(report, at);

    p = ngx_slprintf(report->text_buf,
                     report->text_buf + NGX_ORS_JSONSCHEMA_TEXT,
                     report->path.len == 0 ? "%sThe value%V "
                                           : "%s\"%V\" ",
                     at->is_name ? "The name of " : "", &report->path);

    va_start(args, fmt);
    ngx_ors_jsonschema_text(report, p, fmt, args);
    va_end(args);

    return NGX_DECLINED;
}


ngx_int_t
ngx_ors_jsonschema_fail_value(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_at_t *at, char *keyword, char *must, json_t *value)
{
    size_t      i;
    u_char      buf[NGX_ORS_JSONSCHEMA_VALUES], *p, *last;
    ngx_str_t   text;

    if (w->quiet) {
        w->depth = at->depth;
        return NGX_DECLINED;
    }

    p = buf;
    last = buf + NGX_ORS_JSONSCHEMA_VALUES;

    if (ngx_strcmp(keyword, "enum") == 0) {

        for (i = 0; i < json_array_size(value) && p < last; i++) {
            p = ngx_slprintf(p, last, i ? ", " : "");
            p = ngx_ors_jsonschema_dump(w, p, last,
                                        json_array_get(value, i));
        }

    } else {
        p = ngx_ors_jsonschema_dump(w, p, last, value);
    }

    text.data = buf;
    text.len = ngx_ors_line_copy(buf, buf, p - buf) - buf;

    return ngx_ors_jsonschema_fail(w, at, keyword, "%s %V%s", must, &text,
                                   p < last ? "" : " ...");
}


/* the end of a sentence, one line, cut between characters */

static void
ngx_ors_jsonschema_text(ngx_ors_jsonschema_report_t *report, u_char *p,
    const char *fmt, va_list args)
{
    size_t  len;

    p = ngx_vslprintf(p, report->text_buf + NGX_ORS_JSONSCHEMA_TEXT, fmt,
                      args);
    len = p - report->text_buf;

    if (len == NGX_ORS_JSONSCHEMA_TEXT) {
        len = ngx_ors_utf8_valid(report->text_buf, len);
    }

    p = ngx_ors_line_copy(report->text_buf, report->text_buf, len);

    report->text.data = report->text_buf;
    report->text.len = p - report->text_buf;
}


/* a.b[2]: from the root on, what does not fit is left out */

static void
ngx_ors_jsonschema_path(ngx_ors_jsonschema_report_t *report,
    ngx_ors_jsonschema_at_t *at)
{
    u_char                   *p, *last;
    ngx_uint_t                n;
    ngx_ors_jsonschema_at_t  *a;

    p = report->path_buf;
    last = p + NGX_ORS_JSONSCHEMA_PATH;

    for (n = 1; n <= at->depth; n++) {

        for (a = at; a->depth > n; a = a->parent) { /* void */ }

        if (a->name.data == NULL) {
            p = ngx_slprintf(p, last, "[%ui]", a->index);
            continue;
        }

        p = ngx_ors_jsonschema_path_name(p, last, &a->name);
    }

    report->path.data = report->path_buf;
    report->path.len = p - report->path_buf;

    if (p == last) {
        report->path.len = ngx_ors_utf8_valid(report->path_buf,
                                              report->path.len);
    }

    if (report->path.len && report->path_buf[0] == '.') {
        report->path.data++;
        report->path.len--;
    }
}


static u_char *
ngx_ors_jsonschema_path_name(u_char *p, u_char *last, ngx_str_t *name)
{
    size_t      len;
    u_char      buf[NGX_ORS_JSONSCHEMA_NAME];
    ngx_str_t   text;

    if (ngx_ors_jsonschema_plain(name)) {
        return ngx_slprintf(p, last, ".%V", name);
    }

    len = ngx_ors_utf8_cut(name->data, name->len, NGX_ORS_JSONSCHEMA_NAME);

    text.data = buf;
    text.len = ngx_ors_line_copy(buf, name->data, len) - buf;

    return ngx_slprintf(p, last, "['%V']", &text);
}


/* 1 if the name reads well after a dot */

static ngx_uint_t
ngx_ors_jsonschema_plain(ngx_str_t *name)
{
    size_t  i;
    u_char  ch;

    if (name->len == 0 || name->len > NGX_ORS_JSONSCHEMA_NAME) {
        return 0;
    }

    for (i = 0; i < name->len; i++) {
        ch = name->data[i];

        if ((ch < '0' || ch > '9') && ch != '_' && ch != '-' && ch != '$'
            && (ngx_tolower(ch) < 'a' || ngx_tolower(ch) > 'z'))
        {
            return 0;
        }
    }

    return 1;
}


/* a value of the schema, up to "last" */

static u_char *
ngx_ors_jsonschema_dump(ngx_ors_jsonschema_walk_t *w, u_char *p, u_char *last,
    json_t *value)
{
    size_t  len;

    /* jansson leaves out a piece that does not fit, and goes on after it */

    ngx_memset(p, ' ', last - p);

    len = json_dumpb(value, (char *) p, last - p,
                     JSON_ENCODE_ANY|JSON_REAL_PRECISION(15));

    (void) ngx_ors_jsonschema_step(w->steps,
                                   len / NGX_ORS_JSONSCHEMA_DUMPED);

    return (len < (size_t) (last - p)) ? p + len : last;
}
