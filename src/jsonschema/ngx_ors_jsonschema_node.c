
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * How an instance is checked: the walk through the nodes of a schema, exact
 * numbers, patterns, and the sentence about a violation.
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

/* digits of a negative exponent that jansson may read as 0 */
#define NGX_ORS_JSONSCHEMA_TINY  3

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


typedef ngx_int_t (*ngx_ors_jsonschema_walk_pt)(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen);


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


static ngx_int_t ngx_ors_jsonschema_walk_rules(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen);
static ngx_int_t ngx_ors_jsonschema_apart(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen, ngx_ors_jsonschema_walk_pt walk);
static void ngx_ors_jsonschema_extent(ngx_str_t *text, ngx_uint_t max,
    ngx_ors_jsonschema_extent_t *e);
static u_char *ngx_ors_jsonschema_string_end(u_char *p, u_char *last);
static ngx_uint_t ngx_ors_jsonschema_tiny(u_char *p, u_char *last);
static ngx_int_t ngx_ors_jsonschema_load_error(json_error_t *jerr,
    ngx_ors_jsonschema_report_t *report);
static ngx_uint_t ngx_ors_jsonschema_type(json_t *value);
static void ngx_ors_jsonschema_decimal(json_t *value,
    ngx_ors_jsonschema_decimal_t *d);
static ngx_uint_t ngx_ors_jsonschema_whole(json_t *value, json_int_t *i);
static ngx_int_t ngx_ors_jsonschema_patterns_init(
    ngx_ors_jsonschema_patterns_t *patterns);
static ngx_int_t ngx_ors_jsonschema_pattern_scan(u_char *p, size_t len,
    ngx_ors_jsonschema_pattern_t *pattern);
static ngx_uint_t ngx_ors_jsonschema_pattern_group(u_char *p, u_char *last);
static u_char *ngx_ors_jsonschema_pattern_escape(u_char *p, u_char *last);
static int ngx_ors_jsonschema_pattern_step(pcre2_callout_block *block,
    void *data);
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
ngx_ors_jsonschema_check(ngx_ors_jsonschema_t *schema, ngx_str_t *text,
    ngx_uint_t *steps, ngx_ors_jsonschema_report_t *report)
{
    ngx_int_t                     rc;
    ngx_ors_jsonschema_at_t       at;
    ngx_ors_jsonschema_walk_t     w;
    ngx_ors_jsonschema_extent_t   e;

    ngx_memzero(&at, sizeof(ngx_ors_jsonschema_at_t));
    ngx_memzero(&w, sizeof(ngx_ors_jsonschema_walk_t));

    rc = ngx_ors_jsonschema_load(text, &schema->limits, &e, &at.json, report);
    if (at.json == NULL) {
        return rc;
    }

    at.type = ngx_ors_jsonschema_type(at.json);

    w.schema = schema;
    w.report = report;
    w.steps = steps;
    w.nesting = schema->limits.nesting;

    rc = ngx_ors_jsonschema_walk(&w, schema->node, &at, NULL);

    if (rc == NGX_BUSY) {
        (void) ngx_ors_jsonschema_refuse(report, "", "takes too long to check");
    }

    pcre2_match_data_free(w.match);

    if (w.pool) {
        ngx_destroy_pool(w.pool);
    }

    json_decref(at.json);

    return rc;
}


/* a node of another resource than the last one has its own scope */

ngx_int_t
ngx_ors_jsonschema_walk(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen)
{
    ngx_int_t                   rc;
    ngx_ors_jsonschema_scope_t  scope;

    if (w->nesting == 0 || ngx_ors_jsonschema_step(w->steps, 1) != NGX_OK) {
        return NGX_BUSY;
    }

    if (node->never) {
        return ngx_ors_jsonschema_fail(w, at, "false", "is not allowed");
    }

    scope.parent = w->scope;
    scope.resource = node->resource;

    if (w->scope == NULL || w->scope->resource != node->resource) {
        w->scope = &scope;
    }

    w->nesting--;

    /* a keyword does not see what its neighbours evaluate */

    rc = node->unevaluated
         ? ngx_ors_jsonschema_apart(w, node, at, seen,
                                    ngx_ors_jsonschema_walk_rules)
         : ngx_ors_jsonschema_walk_rules(w, node, at, seen);

    w->nesting++;
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
    ngx_int_t  rc;

    w->quiet++;

    rc = seen ? ngx_ors_jsonschema_apart(w, node, at, seen,
                                         ngx_ors_jsonschema_walk)
              : ngx_ors_jsonschema_walk(w, node, at, NULL);

    w->quiet--;

    return rc;
}


/* a walk with its own list, which is added to "seen" if the node matches */

static ngx_int_t
ngx_ors_jsonschema_apart(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen, ngx_ors_jsonschema_walk_pt walk)
{
    size_t                     i, size;
    ngx_int_t                  rc;
    ngx_ors_jsonschema_seen_t  own;

    own.n = (at->type == NGX_ORS_JSONSCHEMA_OBJECT)
            ? json_object_size(at->json) : json_array_size(at->json);

    size = (own.n + 7) / 8;

    if (ngx_ors_jsonschema_step(w->steps, size / 8) != NGX_OK) {
        return NGX_BUSY;
    }

    own.bits = ngx_ors_jsonschema_alloc(w, size + 1);
    if (own.bits == NULL) {
        return NGX_ERROR;
    }

    rc = walk(w, node, at, &own);

    if (rc == NGX_OK && seen) {

        for (i = 0; i < size; i++) {
            seen->bits[i] |= own.bits[i];
        }
    }

    return rc;
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

    return ngx_pcalloc(w->pool, size);
}


void
ngx_ors_jsonschema_enter(ngx_ors_jsonschema_at_t *child,
    ngx_ors_jsonschema_at_t *at)
{
    child->parent = at;
    child->iter = NULL;
    child->depth = at->depth + 1;
    child->name.data = NULL;
    child->index = (ngx_uint_t) -1;
    child->is_name = 0;
}


ngx_uint_t
ngx_ors_jsonschema_next(ngx_ors_jsonschema_at_t *child)
{
    json_t  *json;

    json = child->parent->json;
    child->index++;

    if (json_is_object(json)) {
        child->iter = child->iter ? json_object_iter_next(json, child->iter)
                                  : json_object_iter(json);
        child->json = json_object_iter_value(child->iter);
        child->name.data = (u_char *) json_object_iter_key(child->iter);
        child->name.len = json_object_iter_key_len(child->iter);

    } else {
        child->json = json_array_get(json, child->index);
    }

    if (child->json == NULL) {
        return 0;
    }

    child->type = ngx_ors_jsonschema_type(child->json);

    return 1;
}


/*
 * The limits of a text, counted before jansson parses it.
 */


ngx_int_t
ngx_ors_jsonschema_load(ngx_str_t *text, ngx_ors_jsonschema_limits_t *limits,
    ngx_ors_jsonschema_extent_t *e, json_t **root,
    ngx_ors_jsonschema_report_t *report)
{
    json_error_t  jerr;

    if (text->len > limits->size) {
        return ngx_ors_jsonschema_refuse(report, "", "has more than %uz bytes",
                                       limits->size);
    }

    ngx_ors_jsonschema_extent(text, limits->depth, e);

    if (e->depth > limits->depth) {
        return ngx_ors_jsonschema_refuse(report, "", "has more than %ui levels",
                                       limits->depth);
    }

    if (e->values > limits->values) {
        return ngx_ors_jsonschema_refuse(report, "", "has more than %ui values",
                                       limits->values);
    }

    if (e->tiny) {
        return ngx_ors_jsonschema_refuse(report, "",
                                       "has a number that is too small");
    }

    *root = json_loadb((char *) text->data, text->len,
                       JSON_REJECT_DUPLICATES|JSON_DECODE_ANY|JSON_ALLOW_NUL,
                       &jerr);
    if (*root == NULL) {
        return ngx_ors_jsonschema_load_error(&jerr, report);
    }

    return NGX_OK;
}


/* how large jansson's tree would be, before it is made */

static void
ngx_ors_jsonschema_extent(ngx_str_t *text, ngx_uint_t max,
    ngx_ors_jsonschema_extent_t *e)
{
    u_char      *p, *last;
    ngx_uint_t   depth;

    ngx_memzero(e, sizeof(ngx_ors_jsonschema_extent_t));

    depth = 0;
    e->values = 1;
    last = text->data + text->len;

    for (p = text->data; p < last; p++) {

        switch (*p) {

        case '"':
            p = ngx_ors_jsonschema_string_end(p + 1, last);
            break;

        case '{':
            e->objects++;

            /* fall through */

        case '[':
            e->values++;
            depth++;

            if (depth > e->depth) {
                e->depth = depth;
            }

            if (depth > max) {
                return;
            }

            break;

        case '}':
        case ']':
            depth -= (depth != 0);
            break;

        case ',':
            e->values++;
            break;

        case 'e':
        case 'E':
            e->tiny |= ngx_ors_jsonschema_tiny(p + 1, last);
            break;

        default:
            break;
        }
    }
}


/* the quote that ends the string, or "last" */

static u_char *
ngx_ors_jsonschema_string_end(u_char *p, u_char *last)
{
    for ( /* void */ ; p < last && *p != '"'; p++) {

        if (*p == '\\' && p + 1 < last) {
            p++;
        }
    }

    return p;
}


/* 1 if what comes after an "e" is an exponent that jansson may take for 0 */

static ngx_uint_t
ngx_ors_jsonschema_tiny(u_char *p, u_char *last)
{
    ngx_uint_t  n;

    if (p == last || *p != '-') {
        return 0;
    }

    for (p++; p < last && *p == '0'; p++) { /* void */ }

    for (n = 0; p < last && *p >= '0' && *p <= '9'; p++) {
        n++;
    }

    return n >= NGX_ORS_JSONSCHEMA_TINY;
}


static ngx_int_t
ngx_ors_jsonschema_load_error(json_error_t *jerr,
    ngx_ors_jsonschema_report_t *report)
{
    switch (json_error_code(jerr)) {

    case json_error_premature_end_of_input:
    case json_error_end_of_input_expected:
        break;

    case json_error_invalid_syntax:

        /* half of a surrogate pair is legal JSON */

        if (ngx_strncmp(jerr->text, "invalid Unicode '",
                        sizeof("invalid Unicode '") - 1)
            != 0)
        {
            break;
        }

        return ngx_ors_jsonschema_refuse(report, "",
                                       "has half of a surrogate pair");

    case json_error_duplicate_key:
        return ngx_ors_jsonschema_refuse(report, "", "has a name twice");

    case json_error_null_byte_in_key:
        return ngx_ors_jsonschema_refuse(report, "", "has a name with U+0000");

    case json_error_numeric_overflow:
        return ngx_ors_jsonschema_refuse(report, "",
                                       "has a number that is too large");

    case json_error_invalid_utf8:
        return ngx_ors_jsonschema_refuse(report, "", "is not UTF-8");

    default:
        return NGX_ERROR;
    }

    return ngx_ors_jsonschema_refuse(report, "json",
                                     "is not JSON, near line %d column %d",
                                     jerr->line, jerr->column);
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


static ngx_uint_t
ngx_ors_jsonschema_type(json_t *value)
{
    if (json_is_real(value)
        && json_real_value(value) == floor(json_real_value(value)))
    {
        return NGX_ORS_JSONSCHEMA_INTEGER;
    }

    return 1 << json_typeof(value);
}


ngx_int_t
ngx_ors_jsonschema_compare(json_t *a, json_t *b)
{
    double      x, y;
    json_int_t  i, k;

    if (ngx_ors_jsonschema_whole(a, &i) && ngx_ors_jsonschema_whole(b, &k)) {
        return (i > k) - (i < k);
    }

    x = json_number_value(a);
    y = json_number_value(b);

    /* an integer that is rounded up to 2 to the power of 63 is less */

    if (x == y) {
        return json_is_integer(b) - json_is_integer(a);
    }

    return (x > y) ? 1 : -1;
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
    size_t       len;
    json_t      *value, *other;
    ngx_int_t    rc;
    const char  *key;

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

        if (json_object_size(a) != json_object_size(b)) {
            return NGX_DECLINED;
        }

        json_object_keylen_foreach(a, key, len, value) {

            if (ngx_ors_jsonschema_step(steps, len / NGX_ORS_JSONSCHEMA_BYTES)
                != NGX_OK)
            {
                return NGX_BUSY;
            }

            other = json_object_getn(b, key, len);

            rc = other ? ngx_ors_jsonschema_equal(value, other, steps)
                       : NGX_DECLINED;
            if (rc != NGX_OK) {
                return rc;
            }
        }

        return NGX_OK;

    case JSON_ARRAY:

        if (json_array_size(a) != json_array_size(b)) {
            return NGX_DECLINED;
        }

        json_array_foreach(a, len, value) {
            rc = ngx_ors_jsonschema_equal(value, json_array_get(b, len), steps);
            if (rc != NGX_OK) {
                return rc;
            }
        }

        return NGX_OK;

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


/* steps bound what values of one hash cost */

uint32_t
ngx_ors_jsonschema_value_hash(json_t *value)
{
    size_t       len;
    double       d;
    json_t      *child;
    uint32_t     h;
    json_int_t   n;
    const char  *key;

    switch (json_typeof(value)) {

    case JSON_OBJECT:
        h = 1;

        /* members may come in any order */

        json_object_keylen_foreach(value, key, len, child) {
            h += ngx_hash_key((u_char *) key, len)
                 ^ (31 * ngx_ors_jsonschema_value_hash(child));
        }

        return h;

    case JSON_ARRAY:
        h = 2;

        json_array_foreach(value, len, child) {
            h = h * 31 + ngx_ors_jsonschema_value_hash(child);
        }

        return h;

    case JSON_STRING:
        return ngx_hash_key((u_char *) json_string_value(value),
                            json_string_length(value));

    case JSON_INTEGER:
    case JSON_REAL:

        if (ngx_ors_jsonschema_whole(value, &n)) {
            return ngx_hash_key((u_char *) &n, sizeof(json_int_t));
        }

        d = json_real_value(value);
        return ngx_hash_key((u_char *) &d, sizeof(double));

    default:
        return 3 + json_typeof(value);
    }
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
ngx_ors_jsonschema_build_pattern(ngx_ors_jsonschema_build_t *b,
    const char *text, size_t len, ngx_ors_jsonschema_pattern_t **pattern)
{
    int                             code;
    size_t                          size;
    PCRE2_SIZE                      offset;
    ngx_ors_jsonschema_pattern_t   *p;
    ngx_ors_jsonschema_patterns_t  *patterns;

    patterns = &b->schema->patterns;

    p = ngx_pcalloc(b->pool, sizeof(ngx_ors_jsonschema_pattern_t));
    if (p == NULL) {
        return NGX_ERROR;
    }

    if (ngx_ors_jsonschema_pattern_scan((u_char *) text, len, p) != NGX_OK) {
        goto failed;
    }

    if (ngx_ors_jsonschema_step(b->steps, 1 + len + p->repeats * p->repeats
                                          / NGX_ORS_JSONSCHEMA_PATTERN_PAIRS)
        != NGX_OK)
    {
        return NGX_BUSY;
    }

    if (patterns->match == NULL
        && ngx_ors_jsonschema_patterns_init(patterns) != NGX_OK)
    {
        return NGX_ERROR;
    }

    p->code = pcre2_compile((PCRE2_SPTR) text, len,
                            NGX_ORS_JSONSCHEMA_PATTERN_FLAGS, &code, &offset,
                            patterns->compile);
    if (p->code == NULL) {

        if (code == PCRE2_ERROR_HEAP_FAILED) {
            return NGX_ERROR;
        }

        goto failed;
    }

    p->next = patterns->first;
    patterns->first = p;

    if (pcre2_pattern_info(p->code, PCRE2_INFO_SIZE, &size) != 0) {
        return NGX_ERROR;
    }

    patterns->size += sizeof(ngx_ors_jsonschema_pattern_t) + size;

    if (patterns->size <= patterns->max) {
        *pattern = p;
        return NGX_OK;
    }

failed:

    return ngx_ors_jsonschema_build_error(b, "pattern",
                                  "an ECMA-262 regular expression, and not "
                                  "too large");
}


/*
 * NGX_DECLINED: the pattern has a group or an escape that ECMA-262 does not
 * have.  Others of libpcre2 change options and limits, or recurse, and some of
 * them hide from this scan where a class begins.
 */

static ngx_int_t
ngx_ors_jsonschema_pattern_scan(u_char *p, size_t len,
    ngx_ors_jsonschema_pattern_t *pattern)
{
    u_char      *last;
    ngx_uint_t   class, members;

    class = 0;
    members = 0;
    last = p + len;

    for ( /* void */ ; p < last; p++) {

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
    patterns->compile = pcre2_compile_context_create(NULL);
    patterns->match = pcre2_match_context_create(NULL);

    if (patterns->compile == NULL || patterns->match == NULL) {
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
}


ngx_int_t
ngx_ors_jsonschema_pattern_match(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_pattern_t *pattern, const char *text, size_t len)
{
    int                   rc;
    pcre2_match_context  *context;

    /* a start is searched for without a callout */

    if (ngx_ors_jsonschema_step(w->steps, 1 + len / NGX_ORS_JSONSCHEMA_BYTES)
        != NGX_OK)
    {
        return NGX_BUSY;
    }

    if (w->match == NULL) {
        w->match = pcre2_match_data_create(1, NULL);
        if (w->match == NULL) {
            return NGX_ERROR;
        }
    }

    /* each character may be compared with each member of a class */

    w->cost = 1 + len * (1 + 2 * pattern->members)
                  / NGX_ORS_JSONSCHEMA_MATCH_BYTES;

    context = w->schema->patterns.match;

    (void) pcre2_set_callout(context, ngx_ors_jsonschema_pattern_step, w);

    rc = pcre2_match(pattern->code, (PCRE2_SPTR) text, len, 0,
                     PCRE2_NO_UTF_CHECK, w->match, context);

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
    ngx_ors_jsonschema_walk_t *w = data;

    return (ngx_ors_jsonschema_step(w->steps, w->cost) == NGX_OK)
           ? 0 : PCRE2_ERROR_CALLOUT;
}


/*
 * Sentences and paths, cut to the size of a report.
 */


ngx_int_t
ngx_ors_jsonschema_refuse(ngx_ors_jsonschema_report_t *report, char *keyword,
    const char *fmt, ...)
{
    u_char   *p;
    va_list   args;

    report->keyword = keyword;
    report->path.len = 0;
    report->path.data = report->path_buf;

    p = ngx_cpymem(report->text_buf, "The JSON ", sizeof("The JSON ") - 1);

    va_start(args, fmt);
    ngx_ors_jsonschema_text(report, p, fmt, args);
    va_end(args);

    return keyword[0] ? NGX_DECLINED : NGX_BUSY;
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
