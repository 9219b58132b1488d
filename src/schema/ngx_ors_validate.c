
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The walker: a document's nodes against the tables.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_validate.h>
#include <ngx_ors_violation.h>
#include <ngx_ors_names.h>


/* raw bytes of a name of 64 characters: "\ud83d\ude00" is one */
#define NGX_ORS_VALIDATE_NAME    (64 * 12)

#define NGX_ORS_FIELD_INDEXES  256  /* a power of two */


typedef struct {
    ngx_ors_validate_t   *v;
    ngx_ors_json_t       *json;
    ngx_uint_t            profile;
    ngx_ors_violation_t   violation;
} ngx_ors_walk_t;


/* an object whose members are walked through */

typedef struct {
    ngx_ors_json_node_t    *node;
    const ngx_ors_shape_t  *shape;
    uint64_t                seen;      /* fields, a bit each */
    uint64_t                present;   /* those that have a value */
    ngx_ors_field_index_t  *index;
    ngx_uint_t              nkeys;
    size_t                  end;       /* of the last member */
    ngx_uint_t              sent;      /* members that are sent on */
} ngx_ors_walk_object_t;


static ngx_int_t ngx_ors_validate_value(ngx_ors_walk_t *w,
    ngx_ors_json_node_t *node, const ngx_ors_rule_t *rule);
static ngx_int_t ngx_ors_validate_lone(ngx_ors_walk_t *w,
    ngx_ors_json_node_t *node, const ngx_ors_rule_t *rule);
static ngx_int_t ngx_ors_validate_integer(ngx_ors_walk_t *w,
    ngx_ors_json_node_t *node, const ngx_ors_rule_t *rule);
static ngx_int_t ngx_ors_validate_string(ngx_ors_walk_t *w,
    ngx_ors_json_node_t *node, const ngx_ors_rule_t *rule);
static ngx_int_t ngx_ors_validate_name(ngx_ors_walk_t *w,
    ngx_ors_json_node_t *node);
static ngx_int_t ngx_ors_validate_array(ngx_ors_walk_t *w,
    ngx_ors_json_node_t *node, const ngx_ors_rule_t *rule);
static ngx_int_t ngx_ors_validate_object(ngx_ors_walk_t *w,
    ngx_ors_json_node_t *node, const ngx_ors_shape_t *shape,
    ngx_ors_json_node_t **found);
static ngx_int_t ngx_ors_validate_choice(ngx_ors_walk_t *w,
    ngx_ors_json_node_t *node, const ngx_ors_shape_t **shape);
static const ngx_ors_shape_t *ngx_ors_validate_absent(ngx_ors_walk_t *w,
    ngx_ors_json_node_t *node, const ngx_ors_shape_t *choice);
static const ngx_ors_shape_t *ngx_ors_validate_variant(ngx_ors_walk_t *w,
    ngx_ors_json_node_t *value, const ngx_ors_shape_t *choice);
static ngx_uint_t ngx_ors_validate_extension(ngx_ors_json_t *json,
    ngx_ors_json_node_t *node);
static ngx_int_t ngx_ors_validate_members(ngx_ors_walk_t *w,
    ngx_ors_json_node_t *node, const ngx_ors_shape_t *shape,
    ngx_ors_json_node_t **found);
static ngx_int_t ngx_ors_validate_escaped(ngx_ors_walk_t *w,
    ngx_ors_walk_object_t *object, ngx_ors_json_node_t *key,
    ngx_ors_json_node_t **found);
static ngx_int_t ngx_ors_validate_entry(ngx_ors_walk_t *w,
    ngx_ors_walk_object_t *object, ngx_ors_json_node_t *key,
    const ngx_str_t *name, ngx_ors_json_node_t **found);
static ngx_int_t ngx_ors_validate_unknown(ngx_ors_walk_t *w,
    ngx_ors_walk_object_t *object, ngx_ors_json_node_t *key,
    const ngx_str_t *name);
static ngx_int_t ngx_ors_validate_foreign(ngx_ors_walk_t *w,
    ngx_ors_walk_object_t *object, const ngx_str_t *name);
static void ngx_ors_validate_record(ngx_ors_walk_t *w,
    ngx_ors_walk_object_t *object, ngx_ors_json_node_t *key);
static ngx_int_t ngx_ors_validate_misspelled(ngx_ors_walk_t *w,
    ngx_ors_walk_object_t *object, ngx_ors_json_node_t *key,
    const ngx_ors_field_t *field);
static ngx_int_t ngx_ors_validate_strip(ngx_ors_walk_t *w,
    ngx_ors_walk_object_t *object, ngx_ors_json_node_t *key);
static ngx_int_t ngx_ors_validate_null(ngx_ors_walk_t *w,
    ngx_ors_walk_object_t *object, ngx_ors_json_node_t *key,
    const ngx_ors_field_t *field);
static ngx_int_t ngx_ors_validate_required(ngx_ors_walk_t *w,
    ngx_ors_walk_object_t *object);
static ngx_int_t ngx_ors_validate_fill(ngx_ors_walk_t *w,
    ngx_ors_walk_object_t *object, const ngx_ors_field_t *field,
    ngx_str_t *text);
static ngx_int_t ngx_ors_validate_map(ngx_ors_walk_t *w,
    ngx_ors_json_node_t *node, const ngx_ors_map_t *map);


/* A-Z, a-z, 0-9, "_", "-" */

static const uint32_t  ngx_ors_validate_name_chars[] = {
    0x00000000, 0x03ff2000, 0x87fffffe, 0x07fffffe,
    0x00000000, 0x00000000, 0x00000000, 0x00000000
};


/* of a document */

static const ngx_ors_rule_t  ngx_ors_validate_root = {
    NGX_ORS_V_OBJECT, 0, 0, NULL, 0, 0, NULL, NULL
};


static ngx_ors_field_index_t  ngx_ors_field_indexes[NGX_ORS_FIELD_INDEXES];


static ngx_inline ngx_uint_t
ngx_ors_validate_is(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    const ngx_str_t *s)
{
    if (node->escaped) {
        return ngx_ors_json_equal(json, node, s->data, s->len);
    }

    return node->len == s->len
           && ngx_ors_same_bytes(ngx_ors_json_text(json, node), s->data,
                                 s->len);
}


/* the value of the first member "name", NULL when it is absent or null */

static ngx_inline ngx_ors_json_node_t *
ngx_ors_validate_member(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    const ngx_str_t *name)
{
    ngx_ors_json_node_t  *key;

    ngx_ors_json_each(key, json, node) {
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
    ngx_int_t       rc;
    ngx_ors_walk_t  w;

    w.v = v;
    w.json = v->json;
    w.profile = v->policy->profile;

    ngx_ors_violation_init(&w.violation, v->json, v->discreet);

    if (node->type == ngx_ors_json_object) {
        rc = ngx_ors_validate_object(&w, node, shape, found);

    } else {
        rc = ngx_ors_mismatch_type(&w.violation, node, &ngx_ors_validate_root);
    }

    if (rc == NGX_DECLINED) {
        return ngx_ors_violation_error(&w.violation, v->root, v->pool, v->err);
    }

    return rc;
}


static ngx_int_t
ngx_ors_validate_value(ngx_ors_walk_t *w, ngx_ors_json_node_t *node,
    const ngx_ors_rule_t *rule)
{
    if (!(rule->types & ((ngx_uint_t) 1 << node->type))) {
        return ngx_ors_validate_lone(w, node, rule);
    }

    switch ((ngx_ors_json_type_e) node->type) {

    case ngx_ors_json_null:
    case ngx_ors_json_false:
    case ngx_ors_json_true:
        break;

    case ngx_ors_json_number:

        if ((rule->types & NGX_ORS_V_INTEGER) == NGX_ORS_V_INTEGER
            && !w->v->lax)
        {
            return ngx_ors_validate_integer(w, node, rule);
        }

        break;

    case ngx_ors_json_string:
        return w->v->lax ? NGX_OK : ngx_ors_validate_string(w, node, rule);

    case ngx_ors_json_array:
        return ngx_ors_validate_array(w, node, rule);

    case ngx_ors_json_object:

        if (rule->shape) {
            return ngx_ors_validate_object(w, node, rule->shape, NULL);
        }

        break;
    }

    return NGX_OK;
}


/*
 * A value of another type, which may be the only element of a list, if that is
 * one for which a string is an abbreviation: all elements of these have a type
 */

static ngx_int_t
ngx_ors_validate_lone(ngx_ors_walk_t *w, ngx_ors_json_node_t *node,
    const ngx_ors_rule_t *rule)
{
    ngx_ors_edits_t  *lists;

    static ngx_str_t  open = ngx_string("[");
    static ngx_str_t  close = ngx_string("]");

    lists = w->v->lists;

    if (lists == NULL || !(w->profile & NGX_ORS_IN_TOLERANT)
        || node->type != ngx_ors_json_object || rule->element == NULL
        || rule->element->shape == NULL || !(rule->types & NGX_ORS_V_STRING)
        || ngx_ors_json_find(w->json, node, "type") == NULL)
    {
        return ngx_ors_mismatch_type(&w->violation, node, rule);
    }

    if (ngx_ors_edits_add(lists, ngx_ors_edit_start(node), 0, &open) != NGX_OK
        || ngx_ors_edits_add(lists, ngx_ors_edit_end(node), 0, &close)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_ors_validate_value(w, node, rule->element);
}


static ngx_int_t
ngx_ors_validate_integer(ngx_ors_walk_t *w,
    ngx_ors_json_node_t *node, const ngx_ors_rule_t *rule)
{
    int64_t  n;

    /* a number of more than 64 bits is taken for the nearest one that fits */

    if (ngx_ors_json_integer(w->json, node, &n) != NGX_OK && n == 0) {
        return ngx_ors_mismatch_type(&w->violation, node, rule);
    }

    if (n < rule->min) {
        ngx_ors_violation_set(&w->violation,
                              ngx_ors_code_integer_below_min_value,
                              "must be at least %L", rule->min);
        ngx_ors_violation_found(&w->violation, node);
        return NGX_DECLINED;
    }

    if (rule->max && n > rule->max) {
        ngx_ors_violation_set(&w->violation,
                              ngx_ors_code_integer_above_max_value,
                              "must be at most %L", rule->max);
        ngx_ors_violation_found(&w->violation, node);
        return NGX_DECLINED;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_validate_string(ngx_ors_walk_t *w,
    ngx_ors_json_node_t *node, const ngx_ors_rule_t *rule)
{
    size_t                  n;
    const ngx_ors_value_t  *value;

    if (rule->values) {

        for (value = rule->values; value->text.len; value++) {

            if (ngx_ors_validate_is(w->json, node, &value->text)
                && (value->in & w->profile))
            {
                return NGX_OK;
            }
        }

        if (value->in & w->profile) {
            return NGX_OK;
        }

        return ngx_ors_mismatch_value(&w->violation, w->profile, node,
                                      rule->values);
    }

    if ((int64_t) node->len < rule->min) {
        return ngx_ors_violation_set(&w->violation,
                                     ngx_ors_code_string_below_min_length,
                                     "must not be empty");
    }

    /* a string is never longer than its raw text */

    if (rule->max && (int64_t) node->len > rule->max) {
        n = ngx_ors_json_length(w->json, node);

        if ((int64_t) n > rule->max) {
            return ngx_ors_violation_set(&w->violation,
                                         ngx_ors_code_string_above_max_length,
                                         "must have at most %L characters, "
                                         "found %uz", rule->max, n);
        }
    }

    if ((rule->types & NGX_ORS_V_NAME) == NGX_ORS_V_NAME) {
        return ngx_ors_validate_name(w, node);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_validate_name(ngx_ors_walk_t *w, ngx_ors_json_node_t *node)
{
    u_char  *p, *last, buf[NGX_ORS_VALIDATE_NAME];

    p = ngx_ors_json_text(w->json, node);
    last = p + node->len;

    /* a longer one was refused, if the rule has the limit it should have */

    if (node->escaped && node->len <= sizeof(buf)) {
        last = ngx_ors_json_decode(w->json, node, buf);
        p = buf;
    }

    for ( /* void */ ; p < last; p++) {

        if (ngx_ors_validate_name_chars[*p >> 5] & (1U << (*p & 0x1f))) {
            continue;
        }

        ngx_ors_violation_set(&w->violation,
                              ngx_ors_code_invalid_value, "must consist of "
                              "letters, digits, \"_\" and \"-\"");
        ngx_ors_violation_found(&w->violation, node);
        return NGX_DECLINED;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_validate_array(ngx_ors_walk_t *w, ngx_ors_json_node_t *node,
    const ngx_ors_rule_t *rule)
{
    ngx_int_t             rc;
    ngx_uint_t            i;
    ngx_ors_json_node_t  *element;

    if (node->count < rule->nmin) {
        return ngx_ors_violation_set(&w->violation,
                                     ngx_ors_code_array_below_min_length,
                                     "must have at least %ui element%s, "
                                     "found %ui", rule->nmin,
                                     (rule->nmin == 1) ? "" : "s",
                                     (ngx_uint_t) node->count);
    }

    if (rule->nmax && node->count > rule->nmax) {
        return ngx_ors_violation_set(&w->violation,
                                     ngx_ors_code_array_above_max_length,
                                     "must have at most %ui elements, "
                                     "found %ui", rule->nmax,
                                     (ngx_uint_t) node->count);
    }

    if (rule->element == NULL) {
        return NGX_OK;
    }

    i = 0;

    ngx_ors_json_each(element, w->json, node) {
        rc = ngx_ors_validate_value(w, element, rule->element);

        if (rc != NGX_OK) {
            ngx_ors_violation_at_index(&w->violation, i);
            return rc;
        }

        i++;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_validate_object(ngx_ors_walk_t *w, ngx_ors_json_node_t *node,
    const ngx_ors_shape_t *shape, ngx_ors_json_node_t **found)
{
    while (shape->values) {
        if (ngx_ors_validate_choice(w, node, &shape) != NGX_OK) {
            return NGX_DECLINED;
        }
    }

    if (shape->map) {
        return ngx_ors_validate_map(w, node, shape->map);
    }

    return ngx_ors_validate_members(w, node, shape, found);
}


static ngx_int_t
ngx_ors_validate_choice(ngx_ors_walk_t *w, ngx_ors_json_node_t *node,
    const ngx_ors_shape_t **shape)
{
    ngx_ors_json_node_t    *value;
    const ngx_ors_shape_t  *choice;

    choice = *shape;
    value = ngx_ors_validate_member(w->json, node, &choice->key);

    if (value == NULL) {
        *shape = ngx_ors_validate_absent(w, node, choice);

        if (*shape) {
            return NGX_OK;
        }

        ngx_ors_violation_set(&w->violation,
                              ngx_ors_code_missing_required_parameter,
                              "is required");
        ngx_ors_violation_at_name(&w->violation, &choice->key);
        return NGX_DECLINED;
    }

    if (value->type == ngx_ors_json_string) {
        *shape = ngx_ors_validate_variant(w, value, choice);

        if (*shape) {
            return NGX_OK;
        }
    }

    return ngx_ors_mismatch_choice(&w->violation, w->v->policy, value, choice);
}


static const ngx_ors_shape_t *
ngx_ors_validate_absent(ngx_ors_walk_t *w, ngx_ors_json_node_t *node,
    const ngx_ors_shape_t *choice)
{
    const ngx_ors_variant_t  *variant;

    for (variant = choice->absent; variant; variant++) {

        if (variant->name.len == 0) {
            return (variant->in & w->profile) ? variant->shape : NULL;
        }

        if ((variant->in & w->profile)
            && ngx_ors_validate_member(w->json, node, &variant->name))
        {
            return variant->shape;
        }
    }

    return NULL;
}


static const ngx_ors_shape_t *
ngx_ors_validate_variant(ngx_ors_walk_t *w, ngx_ors_json_node_t *value,
    const ngx_ors_shape_t *choice)
{
    ngx_str_t                *name;
    ngx_uint_t                i;
    ngx_array_t              *types;
    ngx_keyval_t             *type;
    const ngx_ors_variant_t  *variant;

    for (variant = choice->values; variant->name.len; variant++) {

        if (ngx_ors_validate_is(w->json, value, &variant->name)
            && (variant->in & w->profile))
        {
            return variant->shape;
        }
    }

    if (choice->extension && ngx_ors_validate_extension(w->json, value)) {
        return choice->extension;
    }

    types = (choice->tool || choice->item) ? w->v->policy->types : NULL;

    for (i = 0; types && i < types->nelts; i++) {
        type = (ngx_keyval_t *) types->elts + i;
        name = choice->tool ? &type->key : &type->value;

        if (ngx_ors_json_equal(w->json, value, name->data, name->len)) {
            return choice->tool ? choice->tool : choice->item;
        }
    }

    return (variant->in & w->profile) ? variant->shape : NULL;
}


/*
 * 1 if string "node" has the form of an extension's name, "slug:name": the
 * colon is not the first character, nor the last one
 */

static ngx_uint_t
ngx_ors_validate_extension(ngx_ors_json_t *json, ngx_ors_json_node_t *node)
{
    u_char  *p, *last;

    p = ngx_ors_json_text(json, node);
    last = p + node->len;

    p = ngx_strlchr(p, last, ':');

    return p && p != ngx_ors_json_text(json, node) && p + 1 < last;
}


ngx_uint_t
ngx_ors_validate_knows(const ngx_ors_shape_t *shape, const ngx_str_t *name,
    ngx_uint_t profile)
{
    return ngx_ors_field_find(ngx_ors_field_index(shape), name, profile)
           ? 1 : 0;
}


static ngx_int_t
ngx_ors_validate_members(ngx_ors_walk_t *w, ngx_ors_json_node_t *node,
    const ngx_ors_shape_t *shape, ngx_ors_json_node_t **found)
{
    uint64_t               required;
    ngx_int_t              rc;
    ngx_str_t              name;
    ngx_ors_json_node_t   *key;
    ngx_ors_walk_object_t  object;

    object.node = node;
    object.shape = shape;
    object.seen = 0;
    object.present = 0;
    object.index = ngx_ors_field_index(shape);
    object.nkeys = 0;
    object.end = node->pos + 1;
    object.sent = 0;

    ngx_ors_json_each(key, w->json, node) {
        if (key->escaped) {
            rc = ngx_ors_validate_escaped(w, &object, key, found);

        } else {
            name.data = ngx_ors_json_text(w->json, key);
            name.len = key->len;

            rc = ngx_ors_validate_entry(w, &object, key, &name, found);
        }

        if (rc == NGX_DECLINED || rc == NGX_ERROR) {
            return rc;
        }

        object.sent += (rc == NGX_OK);
        object.end = ngx_ors_edit_end(key + 1);
    }

    required = ((uint64_t) 1 << shape->required) - 1;

    if ((object.present & required) != required) {
        return ngx_ors_validate_required(w, &object);
    }

    return NGX_OK;
}


/* a key with escapes is decoded once: an object may have many of them */

static ngx_int_t
ngx_ors_validate_escaped(ngx_ors_walk_t *w, ngx_ors_walk_object_t *object,
    ngx_ors_json_node_t *key, ngx_ors_json_node_t **found)
{
    u_char     buf[NGX_ORS_SPELLING_RAW];
    ngx_str_t  name;

    if (ngx_ors_spelling_name(w->json, key, buf, &name) != NGX_OK) {
        ngx_str_null(&name);
    }

    return ngx_ors_validate_entry(w, object, key, &name, found);
}


/* NGX_OK: it is sent on; NGX_DONE: it is not; NGX_DECLINED, NGX_ERROR */

static ngx_int_t
ngx_ors_validate_entry(ngx_ors_walk_t *w, ngx_ors_walk_object_t *object,
    ngx_ors_json_node_t *key, const ngx_str_t *name,
    ngx_ors_json_node_t **found)
{
    uint64_t                bit;
    ngx_int_t               rc;
    ngx_uint_t              n;
    ngx_ors_json_node_t    *value;
    const ngx_ors_field_t  *field;

    field = ngx_ors_field_next(object->index, object->shape, object->nkeys++,
                               name, w->profile);

    if (field == NULL) {
        return ngx_ors_validate_unknown(w, object, key, name);
    }

    value = key + 1;
    n = field - object->shape->fields;
    bit = (uint64_t) 1 << n;

    if (object->seen & bit) {
        ngx_ors_violation_set(&w->violation, ngx_ors_code_duplicate_key,
                              "occurs more than once");
        ngx_ors_violation_at_name(&w->violation, &field->name);
        return NGX_DECLINED;
    }

    object->seen |= bit;

    if (value->type == ngx_ors_json_null) {
        rc = ngx_ors_validate_null(w, object, key, field);

        if (rc == NGX_OK) {
            object->present |= bit;
        }

        return rc;
    }

    object->present |= bit;

    if (found && (w->v->nfound == 0 || n < w->v->nfound)) {
        found[n] = value;
    }

    if (field->rule == NULL) {
        return NGX_OK;
    }

    rc = ngx_ors_validate_value(w, value, field->rule);

    if (rc != NGX_OK) {
        ngx_ors_violation_at_name(&w->violation, &field->name);
    }

    return rc;
}


/* NGX_OK: it is sent on; NGX_DONE: it is not; NGX_DECLINED, NGX_ERROR */

static ngx_int_t
ngx_ors_validate_unknown(ngx_ors_walk_t *w, ngx_ors_walk_object_t *object,
    ngx_ors_json_node_t *key, const ngx_str_t *name)
{
    u_char                  buf[NGX_ORS_VIOLATION_QUOTE];
    ngx_str_t               quoted;
    const ngx_ors_field_t  *field;

    if (name->len <= NGX_ORS_SPELLING_RAW) {
        field = ngx_ors_spelling_row(name, object->shape);

        if (field) {
            return ngx_ors_validate_misspelled(w, object, key, field);
        }
    }

    if (object->shape->open) {
        return NGX_OK;
    }

    if (object->shape->foreign
        && ngx_ors_validate_foreign(w, object, name) != NGX_OK)
    {
        return NGX_DECLINED;
    }

    ngx_ors_validate_record(w, object, key);

    switch ((ngx_ors_unknown_e) w->v->policy->unknown) {

    case ngx_ors_unknown_auto:
    case ngx_ors_unknown_pass:
        return NGX_OK;

    case ngx_ors_unknown_strip:
        break;

    case ngx_ors_unknown_reject:
        ngx_ors_violation_set(&w->violation, ngx_ors_code_unknown_parameter,
                              "is not known");
        ngx_ors_violation_quote(&w->violation, key, buf, &quoted);
        ngx_ors_violation_at_name(&w->violation, &quoted);
        return NGX_DECLINED;
    }

    return w->v->edits ? ngx_ors_validate_strip(w, object, key) : NGX_OK;
}


/* NGX_OK: no name of another API; NGX_DECLINED */

static ngx_int_t
ngx_ors_validate_foreign(ngx_ors_walk_t *w, ngx_ors_walk_object_t *object,
    const ngx_str_t *name)
{
    const ngx_ors_foreign_t  *foreign;

    foreign = object->shape->foreign;

    while (foreign->name.len && foreign->name.len < name->len) {
        foreign++;
    }

    for ( /* void */ ; foreign->name.len == name->len; foreign++) {

        if (ngx_memcmp(foreign->name.data, name->data, name->len) == 0
            && (foreign->in & w->profile))
        {
            ngx_ors_violation_set(&w->violation,
                                  ngx_ors_code_unknown_parameter, "%V",
                                  &foreign->text);
            ngx_ors_violation_at_name(&w->violation, &foreign->name);

            return NGX_DECLINED;
        }
    }

    return NGX_OK;
}


static void
ngx_ors_validate_record(ngx_ors_walk_t *w, ngx_ors_walk_object_t *object,
    ngx_ors_json_node_t *key)
{
    if (w->v->unknown) {
        ngx_ors_unknown_add(&w->v->unknown[object->node != w->json->nodes],
                            w->json, key);
    }
}


/* refused whatever becomes of unknown keys: others may read it as known */

static ngx_int_t
ngx_ors_validate_misspelled(ngx_ors_walk_t *w, ngx_ors_walk_object_t *object,
    ngx_ors_json_node_t *key, const ngx_ors_field_t *field)
{
    u_char     buf[NGX_ORS_VIOLATION_QUOTE];
    ngx_str_t  name;

    ngx_ors_violation_quote(&w->violation, key, buf, &name);

    if (ngx_ors_json_get(w->json, object->node, field->name.data,
                         field->name.len))
    {
        ngx_ors_violation_set(&w->violation, ngx_ors_code_duplicate_key,
                              "occurs more than once, also as \"%V\"", &name);
        ngx_ors_violation_at_name(&w->violation, &field->name);
        return NGX_DECLINED;
    }

    ngx_ors_violation_set(&w->violation, ngx_ors_code_unknown_parameter,
                          "is not known, the name is \"%V\"", &field->name);
    ngx_ors_violation_at_name(&w->violation, &name);

    return NGX_DECLINED;
}


/* NGX_DONE or NGX_ERROR */

static ngx_int_t
ngx_ors_validate_strip(ngx_ors_walk_t *w, ngx_ors_walk_object_t *object,
    ngx_ors_json_node_t *key)
{
    size_t                pos, last;
    ngx_ors_json_node_t  *next;

    /* a member goes with the comma in front of it; the first, with the next */

    pos = ngx_ors_edit_start(key);
    last = ngx_ors_edit_end(key + 1);

    if (object->sent) {
        pos = object->end;

    } else {
        next = ngx_ors_json_next(w->json, key);

        if (next) {
            last = ngx_ors_edit_start(next);
        }
    }

    if (ngx_ors_edits_add(w->v->edits, pos, last - pos, NULL) != NGX_OK) {
        return NGX_ERROR;
    }

    return NGX_DONE;
}


/*
 * NGX_OK: it is sent on, or something else in its place; NGX_DONE: it is not;
 * NGX_DECLINED, NGX_ERROR
 */

static ngx_int_t
ngx_ors_validate_null(ngx_ors_walk_t *w, ngx_ors_walk_object_t *object,
    ngx_ors_json_node_t *key, const ngx_ors_field_t *field)
{
    ngx_int_t             rc;
    ngx_str_t             text;
    ngx_ors_json_node_t  *value;

    value = key + 1;

    if (field->rule == NULL || (field->rule->types & NGX_ORS_V_NULL)) {
        return NGX_OK;
    }

    if (!(field->need & w->profile)) {

        if (w->profile != NGX_ORS_STRICT_SPEC) {
            return NGX_OK;
        }

        if (w->v->repair) {
            return ngx_ors_validate_strip(w, object, key);
        }

    } else if (w->v->repair && field->fill.len) {
        rc = ngx_ors_validate_fill(w, object, field, &text);

        if (rc == NGX_OK) {
            rc = ngx_ors_edits_value(w->v->edits, value, &text);
        }

        return rc;
    }

    (void) ngx_ors_mismatch_type(&w->violation, value, field->rule);
    ngx_ors_violation_at_name(&w->violation, &field->name);

    return NGX_DECLINED;
}


static ngx_int_t
ngx_ors_validate_required(ngx_ors_walk_t *w, ngx_ors_walk_object_t *object)
{
    size_t                  pos;
    ngx_str_t               key, text;
    ngx_uint_t              i;
    const ngx_ors_field_t  *field;

    static ngx_str_t  comma = ngx_string(",");

    pos = ngx_ors_edit_end(object->node) - 1;

    for (i = 0; i < object->shape->required; i++) {
        field = &object->shape->fields[i];

        if (!(field->need & w->profile)
            || (object->present & ((uint64_t) 1 << i)))
        {
            continue;
        }

        if (!w->v->repair || field->fill.len == 0) {
            ngx_ors_violation_set(&w->violation,
                                  ngx_ors_code_missing_required_parameter,
                                  "is required");
            ngx_ors_violation_at_name(&w->violation, &field->name);
            return NGX_DECLINED;
        }

        if (ngx_ors_validate_fill(w, object, field, &text) != NGX_OK) {
            return NGX_ERROR;
        }

        key.data = field->fill.data;
        key.len = ngx_ors_fill_key_len(field);

        if ((object->sent++
             && ngx_ors_edits_add(w->v->edits, pos, 0, &comma) != NGX_OK)
            || ngx_ors_edits_add(w->v->edits, pos, 0, &key) != NGX_OK
            || ngx_ors_edits_add(w->v->edits, pos, 0, &text) != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/* the value only */

static ngx_int_t
ngx_ors_validate_fill(ngx_ors_walk_t *w, ngx_ors_walk_object_t *object,
    const ngx_ors_field_t *field, ngx_str_t *text)
{
    size_t     n;
    ngx_int_t  rc;

    if (w->v->fill) {
        rc = w->v->fill(w->v->data, object->shape,
                        field - object->shape->fields, object->node, text);

        if (rc != NGX_DECLINED) {
            return rc;
        }
    }

    n = ngx_ors_fill_key_len(field);

    text->data = field->fill.data + n;
    text->len = field->fill.len - n;

    return NGX_OK;
}


static ngx_int_t
ngx_ors_validate_map(ngx_ors_walk_t *w, ngx_ors_json_node_t *node,
    const ngx_ors_map_t *map)
{
    size_t                n;
    u_char                buf[NGX_ORS_VIOLATION_QUOTE];
    ngx_str_t             name;
    ngx_ors_json_node_t  *key;

    if (map->max && node->count > map->max) {
        return ngx_ors_violation_set(&w->violation,
                                     ngx_ors_code_object_above_max_properties,
                                     "must have at most %ui keys, found %ui",
                                     map->max, (ngx_uint_t) node->count);
    }

    ngx_ors_json_each(key, w->json, node) {
        if (map->key_max && key->len > map->key_max) {
            n = ngx_ors_json_length(w->json, key);

            if (n > map->key_max) {
                ngx_ors_violation_set(&w->violation,
                                      ngx_ors_code_string_above_max_length,
                                      "must have keys of at most %uz "
                                      "characters, found %uz in",
                                      map->key_max, n);
                ngx_ors_violation_quote(&w->violation, key, buf, &name);
                ngx_ors_violation_add(&w->violation, " \"%V\"", &name);
                return NGX_DECLINED;
            }
        }

        if (ngx_ors_validate_value(w, key + 1, map->value) != NGX_OK) {
            ngx_ors_violation_quote(&w->violation, key, buf, &name);
            ngx_ors_violation_at_name(&w->violation, &name);
            return NGX_DECLINED;
        }
    }

    return NGX_OK;
}


/*
 * The indexes of shapes: made when a shape is met, for as long as no other
 * needs the place.
 */


ngx_ors_field_index_t *
ngx_ors_field_index(const ngx_ors_shape_t *shape)
{
    ngx_ors_field_index_t  *index;

    index = &ngx_ors_field_indexes[((uintptr_t) shape / sizeof(*shape))
                                   & (NGX_ORS_FIELD_INDEXES - 1)];

    if (index->shape != shape) {
        ngx_ors_field_index_fill(index, shape);
    }

    return index;
}


void
ngx_ors_field_index_fill(ngx_ors_field_index_t *index,
    const ngx_ors_shape_t *shape)
{
    size_t      len;
    ngx_uint_t  n;

    ngx_memzero(index, sizeof(ngx_ors_field_index_t));

    index->shape = shape;

    for (n = shape->nfields; n; n--) {
        len = shape->fields[n - 1].name.len;

        index->next[n] = index->first[len];
        index->first[len] = (u_char) n;
    }
}
