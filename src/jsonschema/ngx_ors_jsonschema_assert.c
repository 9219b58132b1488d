
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Keywords that assert something about one value.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_jsonschema_build.h>
#include <ngx_ors_jsonschema_node.h>
#include <ngx_ors_utf8.h>


/* bytes for the names of all types */
#define NGX_ORS_JSONSCHEMA_TYPES     128

/* steps to find out the digits of a number with a fraction */
#define NGX_ORS_JSONSCHEMA_DECIMALS  20


typedef struct {
    char                *name;
    char                *text;
    ngx_uint_t           types;
} ngx_ors_jsonschema_type_t;


typedef struct {
    char        *keyword;
    char        *must;
    ngx_int_t    greater;     /* an instance may be greater, 0: less */
    ngx_int_t    equal;
} ngx_ors_jsonschema_bound_t;


typedef struct {
    uint32_t             hash;
    uint32_t             item;         /* its index + 1, 0: a free slot */
} ngx_ors_jsonschema_entry_t;


static ngx_ors_jsonschema_build_f ngx_ors_jsonschema_build_type;
static ngx_ors_jsonschema_build_f ngx_ors_jsonschema_build_value;
static ngx_ors_jsonschema_build_f ngx_ors_jsonschema_build_number;
static ngx_ors_jsonschema_build_f ngx_ors_jsonschema_build_count;
static ngx_ors_jsonschema_build_f ngx_ors_jsonschema_build_match;
static ngx_ors_jsonschema_build_f ngx_ors_jsonschema_build_true;
static ngx_ors_jsonschema_build_f ngx_ors_jsonschema_build_required;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_type;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_enum;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_const;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_bound;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_multiple;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_count;
static size_t ngx_ors_jsonschema_length(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_at_t *at, char **unit);
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_match;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_required;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_unique;
static ngx_int_t ngx_ors_jsonschema_unique_add(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_at_t *at, ngx_ors_jsonschema_entry_t *slots,
    ngx_uint_t mask, uint32_t hash, size_t i);


/* a list of types names the wider one first */

static ngx_ors_jsonschema_type_t  ngx_ors_jsonschema_types[] = {
    { "object", "an object", NGX_ORS_JSONSCHEMA_OBJECT },
    { "array", "an array", NGX_ORS_JSONSCHEMA_ARRAY },
    { "string", "a string", NGX_ORS_JSONSCHEMA_STRING },
    { "number", "a number", NGX_ORS_JSONSCHEMA_NUMBER },
    { "integer", "an integer", NGX_ORS_JSONSCHEMA_INTEGER },
    { "boolean", "a boolean", NGX_ORS_JSONSCHEMA_BOOLEAN },
    { "null", "null", NGX_ORS_JSONSCHEMA_NULL },
    { NULL, NULL, 0 }
};


/* each keyword whose check is ngx_ors_jsonschema_check_bound() */

static ngx_ors_jsonschema_bound_t  ngx_ors_jsonschema_bounds[] = {
    { "minimum", "must be at least", 1, 1 },
    { "exclusiveMinimum", "must be greater than", 1, 0 },
    { "maximum", "must be at most", 0, 1 },
    { "exclusiveMaximum", "must be less than", 0, 0 }
};


const ngx_ors_jsonschema_keyword_t  ngx_ors_jsonschema_assertions[] = {

    { "type", NGX_ORS_JSONSCHEMA_ANY,
      ngx_ors_jsonschema_build_type, ngx_ors_jsonschema_check_type },

    { "const", NGX_ORS_JSONSCHEMA_ANY,
      ngx_ors_jsonschema_build_value, ngx_ors_jsonschema_check_const },

    { "enum", NGX_ORS_JSONSCHEMA_ANY,
      ngx_ors_jsonschema_build_value, ngx_ors_jsonschema_check_enum },

    { "minimum", NGX_ORS_JSONSCHEMA_NUMBER,
      ngx_ors_jsonschema_build_number, ngx_ors_jsonschema_check_bound },

    { "exclusiveMinimum", NGX_ORS_JSONSCHEMA_NUMBER,
      ngx_ors_jsonschema_build_number, ngx_ors_jsonschema_check_bound },

    { "maximum", NGX_ORS_JSONSCHEMA_NUMBER,
      ngx_ors_jsonschema_build_number, ngx_ors_jsonschema_check_bound },

    { "exclusiveMaximum", NGX_ORS_JSONSCHEMA_NUMBER,
      ngx_ors_jsonschema_build_number, ngx_ors_jsonschema_check_bound },

    { "multipleOf", NGX_ORS_JSONSCHEMA_NUMBER,
      ngx_ors_jsonschema_build_number, ngx_ors_jsonschema_check_multiple },

    { "minLength", NGX_ORS_JSONSCHEMA_STRING,
      ngx_ors_jsonschema_build_count, ngx_ors_jsonschema_check_count },

    { "maxLength", NGX_ORS_JSONSCHEMA_STRING,
      ngx_ors_jsonschema_build_count, ngx_ors_jsonschema_check_count },

    { "pattern", NGX_ORS_JSONSCHEMA_STRING,
      ngx_ors_jsonschema_build_match, ngx_ors_jsonschema_check_match },

    { "minItems", NGX_ORS_JSONSCHEMA_ARRAY,
      ngx_ors_jsonschema_build_count, ngx_ors_jsonschema_check_count },

    { "maxItems", NGX_ORS_JSONSCHEMA_ARRAY,
      ngx_ors_jsonschema_build_count, ngx_ors_jsonschema_check_count },

    { "uniqueItems", NGX_ORS_JSONSCHEMA_ARRAY,
      ngx_ors_jsonschema_build_true, ngx_ors_jsonschema_check_unique },

    { "required", NGX_ORS_JSONSCHEMA_OBJECT,
      ngx_ors_jsonschema_build_required, ngx_ors_jsonschema_check_required },

    { "minProperties", NGX_ORS_JSONSCHEMA_OBJECT,
      ngx_ors_jsonschema_build_count, ngx_ors_jsonschema_check_count },

    { "maxProperties", NGX_ORS_JSONSCHEMA_OBJECT,
      ngx_ors_jsonschema_build_count, ngx_ors_jsonschema_check_count },

    { NULL, 0, NULL, NULL }
};


static ngx_int_t
ngx_ors_jsonschema_build_type(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_rule_t *rule,
    json_t *schema, json_t *value)
{
    size_t      i, n;
    json_t     *json;
    ngx_uint_t  k;

    n = json_is_array(value) ? json_array_size(value) : 1;

    for (i = 0; i < n; i++) {
        json = json_is_array(value) ? json_array_get(value, i) : value;

        for (k = 0; ngx_ors_jsonschema_types[k].name; k++) {

            if (json_is_string(json)
                && ngx_strcmp(ngx_ors_jsonschema_types[k].name,
                              json_string_value(json))
                   == 0)
            {
                break;
            }
        }

        if (ngx_ors_jsonschema_types[k].name == NULL) {
            return ngx_ors_jsonschema_build_error(b, "type",
                                       "the name of a type or an array of "
                                       "such names");
        }

        rule->u.n |= ngx_ors_jsonschema_types[k].types;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_jsonschema_build_value(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_rule_t *rule,
    json_t *schema, json_t *value)
{
    rule->u.value = value;

    if (rule->keyword->check == ngx_ors_jsonschema_check_enum
        && !json_is_array(value))
    {
        return ngx_ors_jsonschema_build_error(b, "enum", "an array");
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_jsonschema_build_number(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_rule_t *rule,
    json_t *schema, json_t *value)
{
    rule->u.value = value;

    if (!json_is_number(value)) {
        return ngx_ors_jsonschema_build_error(b, rule->keyword->name,
                                              "a number");
    }

    if (rule->keyword->check == ngx_ors_jsonschema_check_multiple
        && json_number_value(value) <= 0)
    {
        return ngx_ors_jsonschema_build_error(b, rule->keyword->name,
                                              "a number above 0");
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_jsonschema_build_count(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_rule_t *rule,
    json_t *schema, json_t *value)
{
    if (ngx_ors_jsonschema_count(value, &rule->u.n) != NGX_OK) {
        return ngx_ors_jsonschema_build_error(b, rule->keyword->name,
                                              "an integer from 0 on");
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_jsonschema_build_match(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_rule_t *rule,
    json_t *schema, json_t *value)
{
    if (!json_is_string(value)) {
        return ngx_ors_jsonschema_build_error(b, "pattern", "a string");
    }

    /* a violation quotes the pattern */

    rule->u.match.text = value;

    return ngx_ors_jsonschema_build_pattern(b, json_string_value(value),
                                            json_string_length(value),
                                            &rule->u.match.pattern);
}


/* NGX_DONE: false asks for nothing */

static ngx_int_t
ngx_ors_jsonschema_build_true(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_rule_t *rule,
    json_t *schema, json_t *value)
{
    if (!json_is_boolean(value)) {
        return ngx_ors_jsonschema_build_error(b, rule->keyword->name,
                                              "true or false");
    }

    return json_is_true(value) ? NGX_OK : NGX_DONE;
}


static ngx_int_t
ngx_ors_jsonschema_build_required(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_rule_t *rule,
    json_t *schema, json_t *value)
{
    return ngx_ors_jsonschema_build_strings(b, "required", value,
                                            &rule->u.names);
}


static ngx_int_t
ngx_ors_jsonschema_check_type(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_rule_t *rule, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen)
{
    u_char       buf[NGX_ORS_JSONSCHEMA_TYPES], *p, *last;
    char        *found;
    ngx_str_t    text;
    ngx_uint_t   i, left;

    if (rule->u.n & at->type) {
        return NGX_OK;
    }

    found = "";
    left = rule->u.n;
    p = buf;
    last = buf + NGX_ORS_JSONSCHEMA_TYPES;

    for (i = 0; ngx_ors_jsonschema_types[i].name; i++) {

        if (ngx_ors_jsonschema_types[i].types & at->type) {
            found = ngx_ors_jsonschema_types[i].text;
        }

        /* a number may be an integer */

        if ((ngx_ors_jsonschema_types[i].types & ~left) == 0) {
            left &= ~ngx_ors_jsonschema_types[i].types;
            p = ngx_slprintf(p, last, "%s%s", p == buf ? "" : " or ",
                             ngx_ors_jsonschema_types[i].text);
        }
    }

    text.data = buf;
    text.len = p - buf;

    return ngx_ors_jsonschema_fail(w, at, "type", "must be %V, found %s",
                                   &text, found);
}


static ngx_int_t
ngx_ors_jsonschema_check_enum(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_rule_t *rule, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen)
{
    size_t     i;
    ngx_int_t  rc;

    for (i = 0; i < json_array_size(rule->u.value); i++) {
        rc = ngx_ors_jsonschema_equal(at->json,
                                      json_array_get(rule->u.value, i),
                                      w->steps);
        if (rc != NGX_DECLINED) {
            return rc;
        }
    }

    return ngx_ors_jsonschema_fail_value(w, at, "enum", "must be one of",
                                         rule->u.value);
}


static ngx_int_t
ngx_ors_jsonschema_check_const(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_rule_t *rule, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen)
{
    ngx_int_t  rc;

    rc = ngx_ors_jsonschema_equal(at->json, rule->u.value, w->steps);
    if (rc != NGX_DECLINED) {
        return rc;
    }

    return ngx_ors_jsonschema_fail_value(w, at, "const", "must be",
                                         rule->u.value);
}


static ngx_int_t
ngx_ors_jsonschema_check_bound(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_rule_t *rule, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen)
{
    char                        *keyword;
    ngx_int_t                    rc;
    ngx_ors_jsonschema_bound_t  *bound;

    keyword = rule->keyword->name;

    for (bound = ngx_ors_jsonschema_bounds;
         ngx_strcmp(bound->keyword, keyword) != 0;
         bound++)
    {
        /* void */
    }

    rc = ngx_ors_jsonschema_compare(at->json, rule->u.value);

    if (rc == 0 ? bound->equal : (rc > 0) == bound->greater) {
        return NGX_OK;
    }

    return ngx_ors_jsonschema_fail_value(w, at, keyword, bound->must,
                                         rule->u.value);
}


static ngx_int_t
ngx_ors_jsonschema_check_multiple(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_rule_t *rule, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen)
{
    if (ngx_ors_jsonschema_step(w->steps, NGX_ORS_JSONSCHEMA_DECIMALS
                                          * (json_is_real(at->json)
                                             + json_is_real(rule->u.value)))
        != NGX_OK)
    {
        return NGX_BUSY;
    }

    if (ngx_ors_jsonschema_multiple(at->json, rule->u.value)) {
        return NGX_OK;
    }

    return ngx_ors_jsonschema_fail_value(w, at, "multipleOf",
                                         "must be a multiple of",
                                         rule->u.value);
}


/* keywords begin with "min" or "max" */

static ngx_int_t
ngx_ors_jsonschema_check_count(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_rule_t *rule, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen)
{
    size_t       n;
    char        *unit;
    ngx_uint_t   min;

    n = ngx_ors_jsonschema_length(w, at, &unit);
    min = (rule->keyword->name[1] == 'i');

    if (min ? n >= rule->u.n : n <= rule->u.n) {
        return NGX_OK;
    }

    return ngx_ors_jsonschema_fail(w, at, rule->keyword->name,
                                   "must have at %s %uz %s, it has %uz",
                                   min ? "least" : "most", rule->u.n, unit, n);
}


static size_t
ngx_ors_jsonschema_length(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_at_t *at, char **unit)
{
    size_t  len;

    if (at->type == NGX_ORS_JSONSCHEMA_OBJECT) {
        *unit = "members";
        return json_object_size(at->json);
    }

    if (at->type == NGX_ORS_JSONSCHEMA_ARRAY) {
        *unit = "items";
        return json_array_size(at->json);
    }

    *unit = "characters";
    len = json_string_length(at->json);

    /* where steps end the check, the next node notices */

    (void) ngx_ors_jsonschema_step(w->steps, len / NGX_ORS_JSONSCHEMA_BYTES);

    return ngx_ors_utf8_length((u_char *) json_string_value(at->json), len);
}


static ngx_int_t
ngx_ors_jsonschema_check_match(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_rule_t *rule, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen)
{
    ngx_int_t  rc;

    rc = ngx_ors_jsonschema_pattern_match(&w->schema->patterns,
                                          rule->u.match.pattern, &w->match,
                                          json_string_value(at->json),
                                          json_string_length(at->json));
    if (rc != NGX_DECLINED) {
        return rc;
    }

    return ngx_ors_jsonschema_fail_value(w, at, "pattern",
                                         "must match the pattern",
                                         rule->u.match.text);
}


static ngx_int_t
ngx_ors_jsonschema_check_required(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_rule_t *rule, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen)
{
    return ngx_ors_jsonschema_needed(w, &rule->u.names, at, NULL);
}


ngx_int_t
ngx_ors_jsonschema_needed(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_strings_t *names, ngx_ors_jsonschema_at_t *at,
    ngx_str_t *by)
{
    ngx_str_t   *name;
    ngx_uint_t   i;

    if (ngx_ors_jsonschema_step(w->steps, names->cost) != NGX_OK) {
        return NGX_BUSY;
    }

    for (i = 0; i < names->n; i++) {
        name = &names->elts[i];

        if (json_object_getn(at->json, (char *) name->data, name->len)) {
            continue;
        }

        if (by == NULL) {
            return ngx_ors_jsonschema_fail(w, at, "required",
                                           "must have the member \"%V\"",
                                           name);
        }

        return ngx_ors_jsonschema_fail(w, at, "dependentRequired",
                                       "must have the member \"%V\", because "
                                       "it has \"%V\"", name, by);
    }

    return NGX_OK;
}


/* equal values have one hash: each value is compared with few others */

static ngx_int_t
ngx_ors_jsonschema_check_unique(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_rule_t *rule, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen)
{
    size_t                       i, n, size;
    uint32_t                     hash;
    ngx_int_t                    rc;
    ngx_ors_jsonschema_entry_t  *slots;

    size = json_array_size(at->json);

    if (size < 2) {
        return NGX_OK;
    }

    for (n = 4; n < 2 * size; n <<= 1) { /* void */ }

    slots = ngx_ors_jsonschema_alloc(w,
                                     n * sizeof(ngx_ors_jsonschema_entry_t));
    if (slots == NULL) {
        return NGX_ERROR;
    }

    ngx_memzero(slots, n * sizeof(ngx_ors_jsonschema_entry_t));

    for (i = 0; i < size; i++) {

        /* the hash walks through the value */

        rc = ngx_ors_jsonschema_equal(json_array_get(at->json, i),
                                      json_array_get(at->json, i), w->steps);
        if (rc != NGX_OK) {
            return rc;
        }

        hash = ngx_ors_jsonschema_value_hash(json_array_get(at->json, i));

        rc = ngx_ors_jsonschema_unique_add(w, at, slots, n - 1, hash, i);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_jsonschema_unique_add(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_at_t *at, ngx_ors_jsonschema_entry_t *slots,
    ngx_uint_t mask, uint32_t hash, size_t i)
{
    ngx_int_t                    rc;
    ngx_uint_t                   n;
    ngx_ors_jsonschema_entry_t  *slot;

    for (n = hash; /* void */ ; n++) {
        slot = &slots[n & mask];

        if (slot->item == 0) {
            slot->hash = hash;
            slot->item = i + 1;
            return NGX_OK;
        }

        if (ngx_ors_jsonschema_step(w->steps, 1) != NGX_OK) {
            return NGX_BUSY;
        }

        if (slot->hash != hash) {
            continue;
        }

        rc = ngx_ors_jsonschema_equal(json_array_get(at->json, slot->item - 1),
                                      json_array_get(at->json, i), w->steps);
        if (rc == NGX_OK) {
            return ngx_ors_jsonschema_fail(w, at, "uniqueItems",
                                           "must not have equal items, [%uz] "
                                           "and [%uz] are equal",
                                           (size_t) slot->item - 1, i);
        }

        if (rc != NGX_DECLINED) {
            return rc;
        }
    }
}
