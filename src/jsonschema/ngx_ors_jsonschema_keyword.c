
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The keywords: how each is read from a schema, and how an instance is checked.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_jsonschema_node.h>
#include <ngx_ors_utf8.h>


/* bytes for the names of all types */
#define NGX_ORS_JSONSCHEMA_TYPES     128

/* steps to find out the digits of a number with a fraction */
#define NGX_ORS_JSONSCHEMA_DECIMALS  20

/* a row: the types of instances, the builder and the check by their names */
#define KEYWORD(name, types, build, check)                                    \
    { name, NGX_ORS_JSONSCHEMA_##types, ngx_ors_jsonschema_build_##build,     \
      ngx_ors_jsonschema_check_##check }


typedef struct {
    char                *name;
    char                *text;
    ngx_uint_t           types;
} ngx_ors_jsonschema_type_t;


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
static ngx_ors_jsonschema_build_f ngx_ors_jsonschema_build_list;
static ngx_ors_jsonschema_build_f ngx_ors_jsonschema_build_one;
static ngx_ors_jsonschema_build_f ngx_ors_jsonschema_build_if;
static ngx_ors_jsonschema_build_f ngx_ors_jsonschema_build_dependents;
static ngx_ors_jsonschema_build_f ngx_ors_jsonschema_build_fields;
static ngx_ors_jsonschema_build_f ngx_ors_jsonschema_build_items;
static ngx_ors_jsonschema_build_f ngx_ors_jsonschema_build_contains;
static ngx_ors_jsonschema_build_f ngx_ors_jsonschema_build_unevaluated;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_type;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_value;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_bound;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_multiple;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_count;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_match;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_unique;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_required;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_ref;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_all;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_any;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_not;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_if;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_dependents;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_names;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_fields;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_items;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_contains;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_rest;
static ngx_int_t ngx_ors_jsonschema_build_size(ngx_ors_jsonschema_build_t *b,
    json_t *schema, char *keyword, size_t *n);
static ngx_int_t ngx_ors_jsonschema_build_strings(
    ngx_ors_jsonschema_build_t *b, char *keyword, json_t *value,
    ngx_ors_jsonschema_strings_t *names);
static size_t ngx_ors_jsonschema_length(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_at_t *at, char **unit);
static ngx_int_t ngx_ors_jsonschema_needed(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_strings_t *names, ngx_ors_jsonschema_at_t *at,
    ngx_str_t *by);
static ngx_int_t ngx_ors_jsonschema_unique_add(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_at_t *at, ngx_ors_jsonschema_entry_t *slots,
    ngx_uint_t mask, uint32_t hash, size_t i);
static ngx_int_t ngx_ors_jsonschema_fail_nearest(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_rule_t *rule, ngx_ors_jsonschema_at_t *at, ngx_uint_t i,
    ngx_uint_t depth);
static ngx_int_t ngx_ors_jsonschema_build_named(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_fields_t *fields,
    json_t *value);
static ngx_int_t ngx_ors_jsonschema_build_matching(
    ngx_ors_jsonschema_build_t *b, ngx_ors_jsonschema_node_t *node,
    ngx_ors_jsonschema_fields_t *fields, json_t *value);
static ngx_int_t ngx_ors_jsonschema_check_field(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_fields_t *fields, ngx_ors_jsonschema_at_t *at);


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


const ngx_ors_jsonschema_keyword_t  ngx_ors_jsonschema_keywords[] = {

    /* an assertion about a value */

    KEYWORD("type", ANY, type, type),
    KEYWORD("const", ANY, value, value),
    KEYWORD("enum", ANY, value, value),
    KEYWORD("minimum", NUMBER, number, bound),
    KEYWORD("exclusiveMinimum", NUMBER, number, bound),
    KEYWORD("maximum", NUMBER, number, bound),
    KEYWORD("exclusiveMaximum", NUMBER, number, bound),
    KEYWORD("multipleOf", NUMBER, number, multiple),
    KEYWORD("minLength", STRING, count, count),
    KEYWORD("maxLength", STRING, count, count),
    KEYWORD("pattern", STRING, match, match),
    KEYWORD("minItems", ARRAY, count, count),
    KEYWORD("maxItems", ARRAY, count, count),
    KEYWORD("uniqueItems", ARRAY, true, unique),
    KEYWORD("required", OBJECT, required, required),
    KEYWORD("minProperties", OBJECT, count, count),
    KEYWORD("maxProperties", OBJECT, count, count),

    /* schemas for the same instance */

    KEYWORD("$ref", ANY, ref, ref),
    KEYWORD("$dynamicRef", ANY, ref, ref),
    KEYWORD("allOf", ANY, list, all),
    KEYWORD("anyOf", ANY, list, any),
    KEYWORD("oneOf", ANY, list, any),
    KEYWORD("not", ANY, one, not),
    KEYWORD("if", ANY, if, if),
    KEYWORD("dependentRequired", OBJECT, dependents, dependents),
    KEYWORD("dependentSchemas", OBJECT, dependents, dependents),
    KEYWORD("dependencies", OBJECT, dependents, dependents),

    /* schemas for members and items: unevaluated ones are known last */

    KEYWORD("propertyNames", OBJECT, one, names),
    KEYWORD("properties", OBJECT, fields, fields),
    KEYWORD("patternProperties", OBJECT, fields, fields),
    KEYWORD("additionalProperties", OBJECT, fields, fields),
    KEYWORD("prefixItems", ARRAY, list, items),
    KEYWORD("items", ARRAY, items, items),
    KEYWORD("contains", ARRAY, contains, contains),
    KEYWORD("unevaluatedItems", ARRAY, unevaluated, rest),
    KEYWORD("unevaluatedProperties", OBJECT, unevaluated, rest),

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

    if (rule->keyword->name[0] == 'e' && !json_is_array(value)) {
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
    return ngx_ors_jsonschema_build_size(b, schema, rule->keyword->name,
                                         &rule->u.n);
}


/* "n" is unchanged if the keyword is absent */

static ngx_int_t
ngx_ors_jsonschema_build_size(ngx_ors_jsonschema_build_t *b, json_t *schema,
    char *keyword, size_t *n)
{
    json_t  *value;

    value = json_object_get(schema, keyword);

    if (value && ngx_ors_jsonschema_count(value, n) != NGX_OK) {
        return ngx_ors_jsonschema_build_error(b, keyword,
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
ngx_ors_jsonschema_build_strings(ngx_ors_jsonschema_build_t *b, char *keyword,
    json_t *value, ngx_ors_jsonschema_strings_t *names)
{
    size_t   i, len;
    json_t  *json;

    if (!json_is_array(value)) {
        return ngx_ors_jsonschema_build_error(b, keyword,
                                              "an array of strings");
    }

    names->n = json_array_size(value);
    names->elts = ngx_ors_jsonschema_build_alloc(b,
                                           (names->n + 1) * sizeof(ngx_str_t));
    if (names->elts == NULL) {
        return NGX_ERROR;
    }

    len = 0;

    json_array_foreach(value, i, json) {

        if (!json_is_string(json)) {
            return ngx_ors_jsonschema_build_error(b, keyword,
                                                  "an array of strings");
        }

        names->elts[i].data = (u_char *) json_string_value(json);
        names->elts[i].len = json_string_length(json);
        len += names->elts[i].len;
    }

    names->cost = ngx_ors_jsonschema_names_cost(names->n, len);

    return NGX_OK;
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


/* "enum" is a list of values, "const" is one */

static ngx_int_t
ngx_ors_jsonschema_check_value(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_rule_t *rule, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen)
{
    size_t      i, n;
    json_t     *value;
    ngx_int_t   rc;
    ngx_uint_t  list;

    value = rule->u.value;
    list = (rule->keyword->name[0] == 'e');
    n = list ? json_array_size(value) : 1;

    for (i = 0; i < n; i++) {
        rc = ngx_ors_jsonschema_equal(at->json,
                                      list ? json_array_get(value, i) : value,
                                      w->steps);
        if (rc != NGX_DECLINED) {
            return rc;
        }
    }

    return ngx_ors_jsonschema_fail_value(w, at, rule->keyword->name,
                                         list ? "must be one of" : "must be",
                                         value);
}


static ngx_int_t
ngx_ors_jsonschema_check_bound(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_rule_t *rule, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen)
{
    ngx_int_t   rc;
    ngx_uint_t  min, exclusive;

    static char  *must[] = {
        "must be at most", "must be less than",
        "must be at least", "must be greater than"
    };

    exclusive = (rule->keyword->name[0] == 'e');
    min = (rule->keyword->name[exclusive ? sizeof("exclusiveM") - 1 : 1]
           == 'i');

    rc = ngx_ors_jsonschema_compare(at->json, rule->u.value);

    if (rc == 0 ? !exclusive : (ngx_uint_t) (rc > 0) == min) {
        return NGX_OK;
    }

    return ngx_ors_jsonschema_fail_value(w, at, rule->keyword->name,
                                         must[2 * min + exclusive],
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

    rc = ngx_ors_jsonschema_pattern_match(w, rule->u.match.pattern,
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


/* "by" is the member that asks for "names", or NULL: the schema does */

static ngx_int_t
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
    json_t                      *json;
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

    json_array_foreach(at->json, i, json) {

        /* the hash walks through the value */

        rc = ngx_ors_jsonschema_equal(json, json, w->steps);

        if (rc == NGX_OK) {
            rc = ngx_ors_jsonschema_unique_add(w, at, slots, n - 1,
                                     ngx_ors_jsonschema_value_hash(json), i);
        }

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


/*
 * Keywords that apply other schemas to the same instance.
 */


static ngx_int_t
ngx_ors_jsonschema_build_one(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_rule_t *rule,
    json_t *schema, json_t *value)
{
    return ngx_ors_jsonschema_build_node(b, value, node->resource,
                                         &rule->u.node);
}


static ngx_int_t
ngx_ors_jsonschema_build_list(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_rule_t *rule,
    json_t *schema, json_t *value)
{
    /* of "prefixItems" rule->u.items.prefix */

    if (!json_is_array(value)) {
        return ngx_ors_jsonschema_build_error(b, rule->keyword->name,
                                              "an array of schemas");
    }

    return ngx_ors_jsonschema_build_nodes(b, value, node->resource,
                                          &rule->u.nodes);
}


static ngx_int_t
ngx_ors_jsonschema_build_if(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_rule_t *rule,
    json_t *schema, json_t *value)
{
    ngx_int_t   rc;
    ngx_uint_t  i;

    static char  *names[] = { "if", "then", "else" };

    for (i = 0; i < 3; i++) {
        value = json_object_get(schema, names[i]);
        if (value == NULL) {
            continue;
        }

        rc = ngx_ors_jsonschema_build_node(b, value, node->resource,
                                           &rule->u.branch[i]);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


/* "dependencies" of older drafts is both of the newer keywords in one */

static ngx_int_t
ngx_ors_jsonschema_build_dependents(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_rule_t *rule,
    json_t *schema, json_t *value)
{
    char                             kind;
    size_t                           len, total;
    json_t                          *json;
    ngx_int_t                        rc;
    const char                      *key;
    ngx_ors_jsonschema_dependent_t  *dependent;

    if (!json_is_object(value)) {
        return ngx_ors_jsonschema_build_error(b, rule->keyword->name,
                                              "an object");
    }

    dependent = ngx_ors_jsonschema_build_alloc(b,
                                     (json_object_size(value) + 1)
                                     * sizeof(ngx_ors_jsonschema_dependent_t));
    if (dependent == NULL) {
        return NGX_ERROR;
    }

    rule->u.dependents.elts = dependent;
    rule->u.dependents.n = json_object_size(value);

    total = 0;
    kind = rule->keyword->name[sizeof("dependent") - 1];

    json_object_keylen_foreach(value, key, len, json) {
        dependent->name.data = (u_char *) key;
        dependent->name.len = len;
        total += len;

        if (kind == 'R' || (kind == 'i' && json_is_array(json))) {
            rc = ngx_ors_jsonschema_build_strings(b, rule->keyword->name, json,
                                                  &dependent->names);

        } else {
            rc = ngx_ors_jsonschema_build_node(b, json, node->resource,
                                               &dependent->node);
        }

        if (rc != NGX_OK) {
            return rc;
        }

        dependent++;
    }

    rule->u.dependents.cost = ngx_ors_jsonschema_names_cost(
                                                rule->u.dependents.n, total);

    return NGX_OK;
}


/* a dynamic anchor is that of the outermost resource which has one */

static ngx_int_t
ngx_ors_jsonschema_check_ref(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_rule_t *rule, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen)
{
    ngx_str_t                    *name;
    ngx_ors_jsonschema_node_t    *node;
    ngx_ors_jsonschema_scope_t   *scope;
    ngx_ors_jsonschema_anchor_t  *anchor;

    node = rule->u.ref.node;

    if (rule->u.ref.anchor) {
        name = &rule->u.ref.anchor->name;

        for (scope = w->scope; scope; scope = scope->parent) {

            if (ngx_ors_jsonschema_step(w->steps, 1 + name->len
                                                  / NGX_ORS_JSONSCHEMA_BYTES)
                != NGX_OK)
            {
                return NGX_BUSY;
            }

            anchor = ngx_ors_jsonschema_ref_anchor(w->schema, scope->resource,
                                                   name);

            if (anchor && anchor->dynamic) {
                node = anchor->node;
            }
        }
    }

    return ngx_ors_jsonschema_walk(w, node, at, seen);
}


static ngx_int_t
ngx_ors_jsonschema_check_all(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_rule_t *rule, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen)
{
    ngx_int_t   rc;
    ngx_uint_t  i;

    for (i = 0; i < rule->u.nodes.n; i++) {
        rc = ngx_ors_jsonschema_walk(w, rule->u.nodes.elts[i], at, seen);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


/* "anyOf" and "oneOf" */

static ngx_int_t
ngx_ors_jsonschema_check_any(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_rule_t *rule, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen)
{
    ngx_int_t   rc;
    ngx_uint_t  i, n, one, best, depth;

    n = 0;
    best = 0;
    depth = 0;
    one = (rule->keyword->name[0] == 'o');

    for (i = 0; i < rule->u.nodes.n; i++) {
        rc = ngx_ors_jsonschema_try(w, rule->u.nodes.elts[i], at, seen);

        if (rc == NGX_OK) {
            n++;

            if (one && n == 2) {
                return ngx_ors_jsonschema_fail(w, at, "oneOf",
                          "must match only one of the alternatives that its "
                          "schema lists in \"oneOf\", it matches two");
            }

            /* each one that matches may add to "seen" */

            if (!one && seen == NULL) {
                break;
            }

        } else if (rc != NGX_DECLINED) {
            return rc;

        } else if (w->depth > depth) {
            depth = w->depth;
            best = i;
        }
    }

    return n ? NGX_OK
             : ngx_ors_jsonschema_fail_nearest(w, rule, at, best, depth);
}


/* the alternative that failed farthest inside is what was meant */

static ngx_int_t
ngx_ors_jsonschema_fail_nearest(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_rule_t *rule, ngx_ors_jsonschema_at_t *at,
    ngx_uint_t i, ngx_uint_t depth)
{
    if (rule->u.nodes.n && !w->quiet
        && (depth > at->depth || rule->u.nodes.n == 1))
    {
        return ngx_ors_jsonschema_walk(w, rule->u.nodes.elts[i], at, NULL);
    }

    (void) ngx_ors_jsonschema_fail(w, at, rule->keyword->name,
                                   "must match one of the %ui alternatives "
                                   "that its schema lists in \"%s\"",
                                   rule->u.nodes.n, rule->keyword->name);

    w->depth = ngx_max(w->depth, depth);

    return NGX_DECLINED;
}


static ngx_int_t
ngx_ors_jsonschema_check_not(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_rule_t *rule, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen)
{
    ngx_int_t  rc;

    rc = ngx_ors_jsonschema_try(w, rule->u.node, at, NULL);

    if (rc == NGX_DECLINED) {
        return NGX_OK;
    }

    if (rc != NGX_OK) {
        return rc;
    }

    return ngx_ors_jsonschema_fail(w, at, "not",
                                   "must not match what its schema has in "
                                   "\"not\"");
}


static ngx_int_t
ngx_ors_jsonschema_check_if(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_rule_t *rule, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen)
{
    ngx_int_t                   rc;
    ngx_ors_jsonschema_node_t  *node;

    rc = ngx_ors_jsonschema_try(w, rule->u.branch[0], at, seen);

    if (rc != NGX_OK && rc != NGX_DECLINED) {
        return rc;
    }

    node = rule->u.branch[rc == NGX_OK ? 1 : 2];

    return node ? ngx_ors_jsonschema_walk(w, node, at, seen) : NGX_OK;
}


static ngx_int_t
ngx_ors_jsonschema_check_dependents(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_rule_t *rule, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen)
{
    ngx_int_t                        rc;
    ngx_uint_t                       i;
    ngx_ors_jsonschema_dependent_t  *dependent;

    if (ngx_ors_jsonschema_step(w->steps, rule->u.dependents.cost)
        != NGX_OK)
    {
        return NGX_BUSY;
    }

    for (i = 0; i < rule->u.dependents.n; i++) {
        dependent = &rule->u.dependents.elts[i];

        if (json_object_getn(at->json, (char *) dependent->name.data,
                             dependent->name.len)
            == NULL)
        {
            continue;
        }

        rc = dependent->node ? ngx_ors_jsonschema_walk(w, dependent->node, at,
                                                       seen)
                             : ngx_ors_jsonschema_needed(w, &dependent->names,
                                                         at, &dependent->name);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


/*
 * Keywords that apply schemas to the members and items of an instance.
 */


/* NGX_DONE: the first of the three keywords has made the rule */

static ngx_int_t
ngx_ors_jsonschema_build_fields(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_rule_t *rule,
    json_t *schema, json_t *value)
{
    json_t                       *properties, *patterns, *additional;
    ngx_int_t                     rc;
    ngx_ors_jsonschema_fields_t  *fields;

    properties = json_object_get(schema, "properties");
    patterns = json_object_get(schema, "patternProperties");
    additional = json_object_get(schema, "additionalProperties");

    if (value != properties && (properties || value != patterns)
        && (properties || patterns))
    {
        return NGX_DONE;
    }

    fields = ngx_ors_jsonschema_build_alloc(b,
                                         sizeof(ngx_ors_jsonschema_fields_t));
    if (fields == NULL) {
        return NGX_ERROR;
    }

    rule->u.fields = fields;

    if (properties) {
        rc = ngx_ors_jsonschema_build_named(b, node, fields, properties);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    if (patterns) {
        rc = ngx_ors_jsonschema_build_matching(b, node, fields, patterns);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    return additional ? ngx_ors_jsonschema_build_node(b, additional,
                                                      node->resource,
                                                      &fields->additional)
                      : NGX_OK;
}


static ngx_int_t
ngx_ors_jsonschema_build_named(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_fields_t *fields,
    json_t *value)
{
    json_t          *json;
    ngx_str_t        text;
    ngx_uint_t       n;
    const char      *key;
    ngx_ors_name_t  *name;

    if (!json_is_object(value)) {
        return ngx_ors_jsonschema_build_error(b, "properties", "an object");
    }

    n = json_object_size(value);

    if (ngx_ors_jsonschema_build_hold(b, ngx_ors_names_size(n)) != NGX_OK
        || ngx_ors_names_reserve(&fields->names, b->pool, n) != NGX_OK)
    {
        return NGX_ERROR;
    }

    n = 0;

    json_object_keylen_foreach(value, key, text.len, json) {
        text.data = (u_char *) key;

        name = ngx_ors_names_entry(&fields->names, b->pool, &text);
        if (name == NULL) {
            return NGX_ERROR;
        }

        name->value = ++n;
    }

    return ngx_ors_jsonschema_build_nodes(b, value, node->resource,
                                          &fields->nodes);
}


static ngx_int_t
ngx_ors_jsonschema_build_matching(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_fields_t *fields,
    json_t *value)
{
    size_t       len;
    json_t      *json;
    ngx_int_t    rc;
    ngx_uint_t   n;
    const char  *key;

    if (!json_is_object(value)) {
        return ngx_ors_jsonschema_build_error(b, "patternProperties",
                                              "an object");
    }

    n = json_object_size(value);

    fields->patterns = ngx_ors_jsonschema_build_alloc(b, (n + 1)
                                     * sizeof(ngx_ors_jsonschema_pattern_t *));
    if (fields->patterns == NULL) {
        return NGX_ERROR;
    }

    n = 0;

    json_object_keylen_foreach(value, key, len, json) {
        rc = ngx_ors_jsonschema_build_pattern(b, key, len,
                                              &fields->patterns[n++]);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    return ngx_ors_jsonschema_build_nodes(b, value, node->resource,
                                          &fields->matching);
}


static ngx_int_t
ngx_ors_jsonschema_build_items(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_rule_t *rule,
    json_t *schema, json_t *value)
{
    if (json_is_array(value)) {
        return ngx_ors_jsonschema_build_error(b, "items",
                          "a schema, a list of them is \"prefixItems\" in "
                          "draft 2020-12");
    }

    rule->u.items.from = json_array_size(json_object_get(schema,
                                                         "prefixItems"));

    return ngx_ors_jsonschema_build_node(b, value, node->resource,
                                         &rule->u.items.rest);
}


static ngx_int_t
ngx_ors_jsonschema_build_contains(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_rule_t *rule,
    json_t *schema, json_t *value)
{
    ngx_ors_jsonschema_contains_t  *contains;

    contains = ngx_ors_jsonschema_build_alloc(b,
                                       sizeof(ngx_ors_jsonschema_contains_t));
    if (contains == NULL) {
        return NGX_ERROR;
    }

    rule->u.contains = contains;
    contains->min = 1;
    contains->max = NGX_MAX_SIZE_T_VALUE;

    if (ngx_ors_jsonschema_build_size(b, schema, "minContains", &contains->min)
        != NGX_OK
        || ngx_ors_jsonschema_build_size(b, schema, "maxContains",
                                         &contains->max)
           != NGX_OK)
    {
        return NGX_DECLINED;
    }

    return ngx_ors_jsonschema_build_node(b, value, node->resource,
                                         &contains->node);
}


static ngx_int_t
ngx_ors_jsonschema_build_unevaluated(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_rule_t *rule,
    json_t *schema, json_t *value)
{
    node->unevaluated = 1;

    return ngx_ors_jsonschema_build_one(b, node, rule, schema, value);
}


static ngx_int_t
ngx_ors_jsonschema_check_fields(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_rule_t *rule, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen)
{
    ngx_int_t                rc;
    ngx_ors_jsonschema_at_t  child;

    ngx_ors_jsonschema_enter(&child, at);

    while (ngx_ors_jsonschema_next(&child)) {

        rc = ngx_ors_jsonschema_check_field(w, rule->u.fields, &child);

        if (rc == NGX_OK) {
            ngx_ors_jsonschema_see(seen, child.index);

        } else if (rc != NGX_DONE) {
            return rc;
        }
    }

    return NGX_OK;
}


/* NGX_DONE: none of the three keywords looks at this member */

static ngx_int_t
ngx_ors_jsonschema_check_field(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_fields_t *fields, ngx_ors_jsonschema_at_t *at)
{
    ngx_int_t        rc, found;
    ngx_uint_t       i;
    ngx_ors_name_t  *name;

    if (ngx_ors_jsonschema_step(w->steps, 1 + at->name.len
                                              / NGX_ORS_JSONSCHEMA_BYTES)
        != NGX_OK)
    {
        return NGX_BUSY;
    }

    found = NGX_DONE;
    name = ngx_ors_names_find(&fields->names, &at->name);

    if (name) {
        found = ngx_ors_jsonschema_walk(w,
                                        fields->nodes.elts[name->value - 1],
                                        at, NULL);
        if (found != NGX_OK) {
            return found;
        }
    }

    for (i = 0; i < fields->matching.n; i++) {
        rc = ngx_ors_jsonschema_pattern_match(w, fields->patterns[i],
                                              (char *) at->name.data,
                                              at->name.len);
        if (rc == NGX_DECLINED) {
            continue;
        }

        if (rc == NGX_OK) {
            rc = ngx_ors_jsonschema_walk(w, fields->matching.elts[i], at,
                                         NULL);
        }

        if (rc != NGX_OK) {
            return rc;
        }

        found = NGX_OK;
    }

    if (found == NGX_OK || fields->additional == NULL) {
        return found;
    }

    if (fields->additional->never) {
        return ngx_ors_jsonschema_fail(w, at, "additionalProperties",
                                       "is not a member that its schema "
                                       "allows");
    }

    return ngx_ors_jsonschema_walk(w, fields->additional, at, NULL);
}


static ngx_int_t
ngx_ors_jsonschema_check_names(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_rule_t *rule, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen)
{
    ngx_int_t                rc;
    ngx_ors_jsonschema_at_t  child;

    ngx_ors_jsonschema_enter(&child, at);

    while (ngx_ors_jsonschema_next(&child)) {

        if (ngx_ors_jsonschema_step(w->steps, 1 + child.name.len
                                                  / NGX_ORS_JSONSCHEMA_BYTES)
            != NGX_OK)
        {
            return NGX_BUSY;
        }

        child.type = NGX_ORS_JSONSCHEMA_STRING;
        child.is_name = 1;

        child.json = json_stringn_nocheck((char *) child.name.data,
                                          child.name.len);
        if (child.json == NULL) {
            return NGX_ERROR;
        }

        rc = ngx_ors_jsonschema_walk(w, rule->u.node, &child, NULL);

        json_decref(child.json);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


/* "prefixItems", and "items" for those that come after them */

static ngx_int_t
ngx_ors_jsonschema_check_items(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_rule_t *rule, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen)
{
    ngx_int_t                    rc;
    ngx_ors_jsonschema_at_t      child;
    ngx_ors_jsonschema_nodes_t  *prefix;

    ngx_ors_jsonschema_enter(&child, at);

    prefix = &rule->u.items.prefix;
    child.index += rule->u.items.from;

    while (ngx_ors_jsonschema_next(&child)
           && (rule->u.items.rest || child.index < prefix->n))
    {
        rc = ngx_ors_jsonschema_walk(w, rule->u.items.rest
                                        ? rule->u.items.rest
                                        : prefix->elts[child.index],
                                     &child, NULL);
        if (rc != NGX_OK) {
            return rc;
        }

        ngx_ors_jsonschema_see(seen, child.index);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_jsonschema_check_contains(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_rule_t *rule, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen)
{
    size_t                          n;
    ngx_int_t                       rc;
    ngx_ors_jsonschema_at_t         child;
    ngx_ors_jsonschema_contains_t  *contains;

    n = 0;
    contains = rule->u.contains;

    ngx_ors_jsonschema_enter(&child, at);

    while (ngx_ors_jsonschema_next(&child)) {

        rc = ngx_ors_jsonschema_try(w, contains->node, &child, NULL);

        if (rc == NGX_OK) {
            ngx_ors_jsonschema_see(seen, child.index);
            n++;

        } else if (rc != NGX_DECLINED) {
            return rc;
        }
    }

    if (n < contains->min) {
        return ngx_ors_jsonschema_fail(w, at, "contains",
                                       "must have at least %uz items that "
                                       "match \"contains\", it has %uz",
                                       contains->min, n);
    }

    if (n > contains->max) {
        return ngx_ors_jsonschema_fail(w, at, "maxContains",
                                       "must have at most %uz items that "
                                       "match \"contains\", it has %uz",
                                       contains->max, n);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_jsonschema_check_rest(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_rule_t *rule, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen)
{
    ngx_int_t                rc;
    ngx_ors_jsonschema_at_t  child;

    ngx_ors_jsonschema_enter(&child, at);

    while (ngx_ors_jsonschema_next(&child)) {

        if (ngx_ors_jsonschema_is_seen(seen, child.index)) {
            continue;
        }

        if (rule->u.node->never) {
            return ngx_ors_jsonschema_fail(w, &child, rule->keyword->name,
                                           "is not something that its schema "
                                           "allows");
        }

        rc = ngx_ors_jsonschema_walk(w, rule->u.node, &child, NULL);
        if (rc != NGX_OK) {
            return rc;
        }

        ngx_ors_jsonschema_see(seen, child.index);
    }

    return NGX_OK;
}
