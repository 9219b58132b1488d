
/*
 * Copyright (C) Open Responses contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_mistake.h>
#include <ngx_ors_validate.h>


/* raw bytes of a name of 64 characters: "\ud83d\ude00" is one */
#define NGX_ORS_VALIDATE_NAME  (64 * 12)


static ngx_int_t ngx_ors_validate_value(ngx_ors_mistake_t *m,
    ngx_ors_json_node_t *node, const ngx_ors_rule_t *rule);
static ngx_int_t ngx_ors_validate_integer(ngx_ors_mistake_t *m,
    ngx_ors_json_node_t *node, const ngx_ors_rule_t *rule);
static ngx_int_t ngx_ors_validate_string(ngx_ors_mistake_t *m,
    ngx_ors_json_node_t *node, const ngx_ors_rule_t *rule);
static ngx_int_t ngx_ors_validate_name(ngx_ors_mistake_t *m,
    ngx_ors_json_node_t *node);
static ngx_int_t ngx_ors_validate_array(ngx_ors_mistake_t *m,
    ngx_ors_json_node_t *node, const ngx_ors_rule_t *rule);
static ngx_int_t ngx_ors_validate_object(ngx_ors_mistake_t *m,
    ngx_ors_json_node_t *node, const ngx_ors_shape_t *shape,
    ngx_ors_json_node_t **found);
static ngx_int_t ngx_ors_validate_choice(ngx_ors_mistake_t *m,
    ngx_ors_json_node_t *node, const ngx_ors_shape_t **shape);
static ngx_int_t ngx_ors_validate_members(ngx_ors_mistake_t *m,
    ngx_ors_json_node_t *node, const ngx_ors_shape_t *shape,
    ngx_ors_json_node_t **found);
static ngx_int_t ngx_ors_validate_required(ngx_ors_mistake_t *m,
    const ngx_ors_shape_t *shape, uint64_t present);
static ngx_int_t ngx_ors_validate_map(ngx_ors_mistake_t *m,
    ngx_ors_json_node_t *node, const ngx_ors_map_t *map);

static ngx_int_t ngx_ors_validate_fail_type(ngx_ors_mistake_t *m,
    ngx_ors_json_node_t *node, const ngx_ors_rule_t *rule);
static ngx_int_t ngx_ors_validate_fail_value(ngx_ors_mistake_t *m,
    ngx_ors_json_node_t *node, const ngx_str_t *values);
static ngx_int_t ngx_ors_validate_fail_choice(ngx_ors_mistake_t *m,
    ngx_ors_json_node_t *node, const ngx_ors_shape_t *shape);


/* A-Z, a-z, 0-9, "_", "-" */

static const uint32_t  ngx_ors_validate_name_chars[] = {
    0x00000000, 0x03ff2000, 0x87fffffe, 0x07fffffe,
    0x00000000, 0x00000000, 0x00000000, 0x00000000
};


/* of a document, and of the member that makes a choice */

static const ngx_ors_rule_t  ngx_ors_validate_root = {
    NGX_ORS_V_OBJECT, 0, 0, NULL, 0, 0, NULL, NULL
};

static const ngx_ors_rule_t  ngx_ors_validate_text = {
    NGX_ORS_V_STRING, 0, 0, NULL, 0, 0, NULL, NULL
};


static ngx_inline ngx_uint_t
ngx_ors_validate_is(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    const ngx_str_t *s)
{
    if (node->escaped) {
        return ngx_ors_json_equal(json, node, s->data, s->len);
    }

    return node->len == s->len
           && ngx_memcmp(ngx_ors_json_text(json, node), s->data, s->len) == 0;
}


/* the value of the first member "name", NULL when it is absent or null */

static ngx_inline ngx_ors_json_node_t *
ngx_ors_validate_member(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    const ngx_str_t *name)
{
    ngx_ors_json_node_t  *key;

    for (key = ngx_ors_json_first(json, node);
         key;
         key = ngx_ors_json_next(json, key))
    {
        if (ngx_ors_validate_is(json, key, name)) {
            return (key[1].type == ngx_ors_json_null) ? NULL : key + 1;
        }
    }

    return NULL;
}


ngx_int_t
ngx_ors_validate(ngx_ors_validate_t *v, ngx_ors_json_node_t *node,
    const ngx_ors_shape_t *shape, ngx_ors_json_node_t **found)
{
    ngx_int_t          rc;
    ngx_ors_mistake_t  m;

    ngx_ors_mistake_init(&m, v->json);

    if (node->type == ngx_ors_json_object) {
        rc = ngx_ors_validate_object(&m, node, shape, found);

    } else {
        rc = ngx_ors_validate_fail_type(&m, node, &ngx_ors_validate_root);
    }

    if (rc != NGX_OK) {
        return ngx_ors_mistake_error(&m, v->root, v->pool, v->err);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_validate_value(ngx_ors_mistake_t *m, ngx_ors_json_node_t *node,
    const ngx_ors_rule_t *rule)
{
    if (!(rule->types & ((ngx_uint_t) 1 << node->type))) {
        return ngx_ors_validate_fail_type(m, node, rule);
    }

    switch ((ngx_ors_json_type_e) node->type) {

    case ngx_ors_json_null:
    case ngx_ors_json_false:
    case ngx_ors_json_true:
        break;

    case ngx_ors_json_number:

        if ((rule->types & NGX_ORS_V_INTEGER) == NGX_ORS_V_INTEGER) {
            return ngx_ors_validate_integer(m, node, rule);
        }

        break;

    case ngx_ors_json_string:
        return ngx_ors_validate_string(m, node, rule);

    case ngx_ors_json_array:
        return ngx_ors_validate_array(m, node, rule);

    case ngx_ors_json_object:

        if (rule->shape) {
            return ngx_ors_validate_object(m, node, rule->shape, NULL);
        }

        break;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_validate_integer(ngx_ors_mistake_t *m,
    ngx_ors_json_node_t *node, const ngx_ors_rule_t *rule)
{
    u_char   *p;
    int64_t   n;

    if (ngx_ors_json_integer(m->json, node, &n) != NGX_OK) {

        if (!node->integer) {
            return ngx_ors_validate_fail_type(m, node, rule);
        }

        /* more than 64 bits */
        p = ngx_ors_json_text(m->json, node);
        n = (*p == '-') ? INT64_MIN : INT64_MAX;
    }

    if (n < rule->min) {
        ngx_ors_mistake_set(m, "integer_below_min_value",
                            "must be at least %L", rule->min);
        ngx_ors_mistake_found(m, node);
        return NGX_DECLINED;
    }

    if (rule->max && n > rule->max) {
        ngx_ors_mistake_set(m, "integer_above_max_value",
                            "must be at most %L", rule->max);
        ngx_ors_mistake_found(m, node);
        return NGX_DECLINED;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_validate_string(ngx_ors_mistake_t *m,
    ngx_ors_json_node_t *node, const ngx_ors_rule_t *rule)
{
    size_t            n;
    const ngx_str_t  *value;

    if (rule->values) {

        for (value = rule->values; value->len; value++) {
            if (ngx_ors_validate_is(m->json, node, value)) {
                return NGX_OK;
            }
        }

        return ngx_ors_validate_fail_value(m, node, rule->values);
    }

    if ((int64_t) node->len < rule->min) {
        return ngx_ors_mistake_set(m, "string_below_min_length",
                                   "must not be empty");
    }

    /* a string is never longer than its raw text */

    if (rule->max && (int64_t) node->len > rule->max) {
        n = ngx_ors_json_length(m->json, node);

        if ((int64_t) n > rule->max) {
            return ngx_ors_mistake_set(m, "string_above_max_length",
                                       "must have at most %L characters, "
                                       "found %uz", rule->max, n);
        }
    }

    if ((rule->types & NGX_ORS_V_NAME) == NGX_ORS_V_NAME) {
        return ngx_ors_validate_name(m, node);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_validate_name(ngx_ors_mistake_t *m, ngx_ors_json_node_t *node)
{
    u_char  *p, *last, buf[NGX_ORS_VALIDATE_NAME];

    p = ngx_ors_json_text(m->json, node);
    last = p + node->len;

    /* a longer one was refused, if the rule has the limit it should have */

    if (node->escaped && node->len <= sizeof(buf)) {
        last = ngx_ors_json_decode(m->json, node, buf);
        p = buf;
    }

    for ( /* void */ ; p < last; p++) {

        if (ngx_ors_validate_name_chars[*p >> 5] & (1U << (*p & 0x1f))) {
            continue;
        }

        ngx_ors_mistake_set(m, "invalid_value", "must consist of "
                            "letters, digits, \"_\" and \"-\"");
        ngx_ors_mistake_found(m, node);
        return NGX_DECLINED;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_validate_array(ngx_ors_mistake_t *m, ngx_ors_json_node_t *node,
    const ngx_ors_rule_t *rule)
{
    ngx_int_t             rc;
    ngx_uint_t            i;
    ngx_ors_json_node_t  *element;

    if (node->count < rule->nmin) {
        return ngx_ors_mistake_set(m, "array_below_min_length",
                                   "must have at least %ui element%s, "
                                   "found %ui", rule->nmin,
                                   (rule->nmin == 1) ? "" : "s",
                                   (ngx_uint_t) node->count);
    }

    if (rule->nmax && node->count > rule->nmax) {
        return ngx_ors_mistake_set(m, "array_above_max_length",
                                   "must have at most %ui elements, "
                                   "found %ui", rule->nmax,
                                   (ngx_uint_t) node->count);
    }

    i = 0;

    for (element = ngx_ors_json_first(m->json, node);
         element;
         element = ngx_ors_json_next(m->json, element))
    {
        rc = ngx_ors_validate_value(m, element, rule->element);

        if (rc != NGX_OK) {
            ngx_ors_mistake_at_index(m, i);
            return rc;
        }

        i++;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_validate_object(ngx_ors_mistake_t *m, ngx_ors_json_node_t *node,
    const ngx_ors_shape_t *shape, ngx_ors_json_node_t **found)
{
    while (shape->values) {
        if (ngx_ors_validate_choice(m, node, &shape) != NGX_OK) {
            return NGX_DECLINED;
        }
    }

    if (shape->map) {
        return ngx_ors_validate_map(m, node, shape->map);
    }

    return ngx_ors_validate_members(m, node, shape, found);
}


static ngx_int_t
ngx_ors_validate_choice(ngx_ors_mistake_t *m, ngx_ors_json_node_t *node,
    const ngx_ors_shape_t **shape)
{
    ngx_ors_json_node_t      *value;
    const ngx_ors_shape_t    *choice;
    const ngx_ors_variant_t  *variant;

    choice = *shape;
    value = ngx_ors_validate_member(m->json, node, &choice->key);

    if (value == NULL) {
        *shape = NULL;

        for (variant = choice->absent; variant; variant++) {
            *shape = variant->shape;

            if (variant->name.len == 0
                || ngx_ors_validate_member(m->json, node, &variant->name))
            {
                break;
            }
        }

        if (*shape) {
            return NGX_OK;
        }

        ngx_ors_mistake_set(m, "missing_required_parameter", "is required");
        ngx_ors_mistake_at_name(m, &choice->key);
        return NGX_DECLINED;
    }

    if (value->type != ngx_ors_json_string) {
        return ngx_ors_validate_fail_choice(m, value, choice);
    }

    for (variant = choice->values; variant->name.len; variant++) {
        if (ngx_ors_validate_is(m->json, value, &variant->name)) {
            break;
        }
    }

    *shape = variant->shape;

    if (*shape) {
        return NGX_OK;
    }

    return ngx_ors_validate_fail_choice(m, value, choice);
}


static ngx_int_t
ngx_ors_validate_members(ngx_ors_mistake_t *m,
    ngx_ors_json_node_t *node, const ngx_ors_shape_t *shape,
    ngx_ors_json_node_t **found)
{
    uint64_t                bit, seen, present;
    ngx_int_t               rc;
    ngx_uint_t              i, n;
    ngx_ors_json_node_t    *key, *value;
    const ngx_ors_field_t  *field;

    seen = 0;
    present = 0;
    i = 0;

    for (key = ngx_ors_json_first(m->json, node);
         key;
         key = ngx_ors_json_next(m->json, key))
    {
        /* keys mostly come in one order: look behind the last one found */

        for (n = shape->nfields; n; n--) {
            field = &shape->fields[i];
            i = (i + 1 == shape->nfields) ? 0 : i + 1;

            if (ngx_ors_validate_is(m->json, key, &field->name)) {
                break;
            }
        }

        if (n == 0) {
            continue;
        }

        bit = (uint64_t) 1 << (field - shape->fields);

        if (seen & bit) {
            ngx_ors_mistake_set(m, "duplicate_key", "is given more than once");
            ngx_ors_mistake_at_name(m, &field->name);
            return NGX_DECLINED;
        }

        seen |= bit;
        value = key + 1;

        if (value->type == ngx_ors_json_null) {
            continue;
        }

        present |= bit;

        if (found) {
            found[field - shape->fields] = value;
        }

        if (field->rule == NULL) {
            continue;
        }

        rc = ngx_ors_validate_value(m, value, field->rule);

        if (rc != NGX_OK) {
            ngx_ors_mistake_at_name(m, &field->name);
            return rc;
        }
    }

    bit = ((uint64_t) 1 << shape->required) - 1;

    if ((present & bit) != bit) {
        return ngx_ors_validate_required(m, shape, present);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_validate_required(ngx_ors_mistake_t *m,
    const ngx_ors_shape_t *shape, uint64_t present)
{
    const ngx_ors_field_t  *field;

    for (field = shape->fields; present & 1; field++) {
        present >>= 1;
    }

    ngx_ors_mistake_set(m, "missing_required_parameter", "is required");
    ngx_ors_mistake_at_name(m, &field->name);

    return NGX_DECLINED;
}


static ngx_int_t
ngx_ors_validate_map(ngx_ors_mistake_t *m, ngx_ors_json_node_t *node,
    const ngx_ors_map_t *map)
{
    size_t                n;
    u_char                buf[NGX_ORS_MISTAKE_QUOTE];
    ngx_str_t             name;
    ngx_ors_json_node_t  *key;

    if (node->count > map->max) {
        return ngx_ors_mistake_set(m, "object_above_max_properties",
                                   "must have at most %ui keys, found %ui",
                                   map->max, (ngx_uint_t) node->count);
    }

    for (key = ngx_ors_json_first(m->json, node);
         key;
         key = ngx_ors_json_next(m->json, key))
    {
        if (key->len > map->key_max) {
            n = ngx_ors_json_length(m->json, key);

            if (n > map->key_max) {
                ngx_ors_mistake_set(m, "string_above_max_length",
                                    "must have keys of at most %uz "
                                    "characters, found %uz in",
                                    map->key_max, n);
                ngx_ors_mistake_quote(m, key, buf, &name);
                ngx_ors_mistake_add(m, " \"%V\"", &name);
                return NGX_DECLINED;
            }
        }

        if (ngx_ors_validate_value(m, key + 1, map->value) != NGX_OK) {
            ngx_ors_mistake_quote(m, key, buf, &name);
            ngx_ors_mistake_at_name(m, &name);
            return NGX_DECLINED;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_validate_fail_type(ngx_ors_mistake_t *m,
    ngx_ors_json_node_t *node, const ngx_ors_rule_t *rule)
{
    char  *or;

    ngx_ors_mistake_set(m, "invalid_type", "must be ");

    or = "";

    if (rule->types & NGX_ORS_V_BOOL) {
        ngx_ors_mistake_add(m, "a boolean");
        or = " or ";
    }

    if (rule->types & NGX_ORS_V_NUMBER) {
        ngx_ors_mistake_add(m, "%s%s", or,
                            ((rule->types & NGX_ORS_V_INTEGER)
                             == NGX_ORS_V_INTEGER)
                            ? "an integer" : "a number");
        or = " or ";
    }

    if (rule->types & NGX_ORS_V_STRING) {
        ngx_ors_mistake_add(m, "%sa string", or);
        or = " or ";
    }

    if (rule->types & NGX_ORS_V_ARRAY) {
        ngx_ors_mistake_add(m, "%san array", or);
        or = " or ";
    }

    if (rule->types & NGX_ORS_V_OBJECT) {
        ngx_ors_mistake_add(m, "%san object", or);
    }

    ngx_ors_mistake_found(m, node);

    return NGX_DECLINED;
}


static ngx_int_t
ngx_ors_validate_fail_value(ngx_ors_mistake_t *m,
    ngx_ors_json_node_t *node, const ngx_str_t *values)
{
    const ngx_str_t  *value;

    ngx_ors_mistake_set(m, "invalid_value", "must be \"%V\"", values);

    for (value = values + 1; value->len; value++) {
        ngx_ors_mistake_add(m, (value[1].len) ? ", \"%V\"" : " or \"%V\"",
                            value);
    }

    ngx_ors_mistake_found(m, node);

    return NGX_DECLINED;
}


static ngx_int_t
ngx_ors_validate_fail_choice(ngx_ors_mistake_t *m,
    ngx_ors_json_node_t *node, const ngx_ors_shape_t *shape)
{
    char                     *sep;
    const ngx_str_t          *name;
    const ngx_ors_variant_t  *variant;

    if (node->type == ngx_ors_json_string) {
        ngx_ors_mistake_set(m, shape->code, "must be ");
        sep = "";
        name = NULL;

        for (variant = shape->values; variant->name.len; variant++) {

            if (name) {
                ngx_ors_mistake_add(m, "%s\"%V\"", sep, name);
                sep = ", ";
            }

            name = &variant->name;
        }

        ngx_ors_mistake_add(m, "%s\"%V\"", *sep ? " or " : "", name);
        ngx_ors_mistake_found(m, node);

    } else {
        ngx_ors_validate_fail_type(m, node, &ngx_ors_validate_text);
    }

    ngx_ors_mistake_at_name(m, &shape->key);

    return NGX_DECLINED;
}
