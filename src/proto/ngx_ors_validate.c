
/*
 * Copyright (C) Open Responses contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_validate.h>


/* characters of the client's text that a message may quote */
#define NGX_ORS_VALIDATE_QUOTE  64

/* raw bytes of a character: "\ud83d\ude00" */
#define NGX_ORS_VALIDATE_CHAR   12

/* enough for the longest path and for the longest list of values */
#define NGX_ORS_VALIDATE_PATH   512
#define NGX_ORS_VALIDATE_TEXT   1024


typedef struct {
    ngx_ors_json_t  *json;
    char            *code;

    u_char          *last;        /* end of the text */
    u_char          *path;        /* start of the path, see below */

    u_char           text_buf[NGX_ORS_VALIDATE_TEXT];
    u_char           path_buf[NGX_ORS_VALIDATE_PATH];
} ngx_ors_validate_ctx_t;


static ngx_int_t ngx_ors_validate_value(ngx_ors_validate_ctx_t *ctx,
    ngx_ors_json_node_t *node, const ngx_ors_rule_t *rule);
static ngx_int_t ngx_ors_validate_integer(ngx_ors_validate_ctx_t *ctx,
    ngx_ors_json_node_t *node, const ngx_ors_rule_t *rule);
static ngx_int_t ngx_ors_validate_string(ngx_ors_validate_ctx_t *ctx,
    ngx_ors_json_node_t *node, const ngx_ors_rule_t *rule);
static ngx_int_t ngx_ors_validate_name(ngx_ors_validate_ctx_t *ctx,
    ngx_ors_json_node_t *node);
static ngx_int_t ngx_ors_validate_array(ngx_ors_validate_ctx_t *ctx,
    ngx_ors_json_node_t *node, const ngx_ors_rule_t *rule);
static ngx_int_t ngx_ors_validate_object(ngx_ors_validate_ctx_t *ctx,
    ngx_ors_json_node_t *node, const ngx_ors_shape_t *shape,
    ngx_ors_json_node_t **found);
static ngx_int_t ngx_ors_validate_choice(ngx_ors_validate_ctx_t *ctx,
    ngx_ors_json_node_t *node, const ngx_ors_shape_t **shape);
static ngx_int_t ngx_ors_validate_members(ngx_ors_validate_ctx_t *ctx,
    ngx_ors_json_node_t *node, const ngx_ors_shape_t *shape,
    ngx_ors_json_node_t **found);
static ngx_int_t ngx_ors_validate_required(ngx_ors_validate_ctx_t *ctx,
    const ngx_ors_shape_t *shape, uint64_t present);
static ngx_int_t ngx_ors_validate_map(ngx_ors_validate_ctx_t *ctx,
    ngx_ors_json_node_t *node, const ngx_ors_map_t *map);

static ngx_int_t ngx_ors_validate_fail(ngx_ors_validate_ctx_t *ctx,
    char *code, const char *fmt, ...);
static ngx_int_t ngx_ors_validate_fail_type(ngx_ors_validate_ctx_t *ctx,
    ngx_ors_json_node_t *node, const ngx_ors_rule_t *rule);
static ngx_int_t ngx_ors_validate_fail_value(ngx_ors_validate_ctx_t *ctx,
    ngx_ors_json_node_t *node, const ngx_str_t *values);
static ngx_int_t ngx_ors_validate_fail_choice(ngx_ors_validate_ctx_t *ctx,
    ngx_ors_json_node_t *node, const ngx_ors_shape_t *shape);
static void ngx_ors_validate_add(ngx_ors_validate_ctx_t *ctx,
    const char *fmt, ...);
static void ngx_ors_validate_add_found(ngx_ors_validate_ctx_t *ctx,
    ngx_ors_json_node_t *node);
static void ngx_ors_validate_at_name(ngx_ors_validate_ctx_t *ctx,
    const ngx_str_t *name);
static void ngx_ors_validate_at_index(ngx_ors_validate_ctx_t *ctx,
    ngx_uint_t i);
static void ngx_ors_validate_quote(ngx_ors_json_t *json,
    ngx_ors_json_node_t *node, u_char *buf, ngx_str_t *text);
static size_t ngx_ors_validate_char_len(u_char *p, u_char *last);


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
    ngx_int_t               rc;
    ngx_str_t               text, path;
    ngx_ors_validate_ctx_t  ctx;

    ctx.json = v->json;
    ctx.last = ctx.text_buf;

    /* the path is written from its end, on the way back from an error */
    ctx.path = ctx.path_buf + NGX_ORS_VALIDATE_PATH;

    if (node->type == ngx_ors_json_object) {
        rc = ngx_ors_validate_object(&ctx, node, shape, found);

    } else {
        rc = ngx_ors_validate_fail_type(&ctx, node, &ngx_ors_validate_root);
    }

    if (rc == NGX_OK) {
        return NGX_OK;
    }

    text.data = ctx.text_buf;
    text.len = ctx.last - ctx.text_buf;

    path.data = ctx.path;
    path.len = ctx.path_buf + NGX_ORS_VALIDATE_PATH - ctx.path;

    if (path.len == 0) {
        return ngx_ors_error_set(v->err, v->pool, 400, ctx.code, "%s %V",
                                 v->root, &text);
    }

    /* the first name has a dot before it, too */
    path.data++;
    path.len--;

    ngx_ors_error_set(v->err, v->pool, 400, ctx.code, "\"%V\" %V",
                      &path, &text);

    v->err->param.data = ngx_pstrdup(v->pool, &path);
    if (v->err->param.data == NULL) {
        return NGX_ERROR;
    }

    v->err->param.len = path.len;

    return NGX_DECLINED;
}


static ngx_int_t
ngx_ors_validate_value(ngx_ors_validate_ctx_t *ctx, ngx_ors_json_node_t *node,
    const ngx_ors_rule_t *rule)
{
    if (!(rule->types & ((ngx_uint_t) 1 << node->type))) {
        return ngx_ors_validate_fail_type(ctx, node, rule);
    }

    switch ((ngx_ors_json_type_e) node->type) {

    case ngx_ors_json_null:
    case ngx_ors_json_false:
    case ngx_ors_json_true:
        break;

    case ngx_ors_json_number:

        if ((rule->types & NGX_ORS_V_INTEGER) == NGX_ORS_V_INTEGER) {
            return ngx_ors_validate_integer(ctx, node, rule);
        }

        break;

    case ngx_ors_json_string:
        return ngx_ors_validate_string(ctx, node, rule);

    case ngx_ors_json_array:
        return ngx_ors_validate_array(ctx, node, rule);

    case ngx_ors_json_object:

        if (rule->shape) {
            return ngx_ors_validate_object(ctx, node, rule->shape, NULL);
        }

        break;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_validate_integer(ngx_ors_validate_ctx_t *ctx,
    ngx_ors_json_node_t *node, const ngx_ors_rule_t *rule)
{
    u_char   *p;
    int64_t   n;

    if (ngx_ors_json_integer(ctx->json, node, &n) != NGX_OK) {

        if (!node->integer) {
            return ngx_ors_validate_fail_type(ctx, node, rule);
        }

        /* more than 64 bits */
        p = ngx_ors_json_text(ctx->json, node);
        n = (*p == '-') ? INT64_MIN : INT64_MAX;

        if (n > 0 && rule->max == 0) {
            return NGX_OK;
        }
    }

    if (n < rule->min) {
        ngx_ors_validate_fail(ctx, "integer_below_min_value",
                              "must be at least %L", rule->min);
        ngx_ors_validate_add_found(ctx, node);
        return NGX_DECLINED;
    }

    if (rule->max && n > rule->max) {
        ngx_ors_validate_fail(ctx, "integer_above_max_value",
                              "must be at most %L", rule->max);
        ngx_ors_validate_add_found(ctx, node);
        return NGX_DECLINED;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_validate_string(ngx_ors_validate_ctx_t *ctx,
    ngx_ors_json_node_t *node, const ngx_ors_rule_t *rule)
{
    size_t            n;
    const ngx_str_t  *value;

    if (rule->values) {

        for (value = rule->values; value->len; value++) {
            if (ngx_ors_validate_is(ctx->json, node, value)) {
                return NGX_OK;
            }
        }

        return ngx_ors_validate_fail_value(ctx, node, rule->values);
    }

    if ((int64_t) node->len < rule->min) {
        return ngx_ors_validate_fail(ctx, "string_below_min_length",
                                     "must not be empty");
    }

    /* a string is never longer than its raw text */

    if (rule->max && (int64_t) node->len > rule->max) {
        n = ngx_ors_json_length(ctx->json, node);

        if ((int64_t) n > rule->max) {
            return ngx_ors_validate_fail(ctx, "string_above_max_length",
                                         "must have at most %L characters, "
                                         "found %uz", rule->max, n);
        }
    }

    if ((rule->types & NGX_ORS_V_NAME) == NGX_ORS_V_NAME) {
        return ngx_ors_validate_name(ctx, node);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_validate_name(ngx_ors_validate_ctx_t *ctx, ngx_ors_json_node_t *node)
{
    u_char  *p, *last, buf[NGX_ORS_VALIDATE_QUOTE * NGX_ORS_VALIDATE_CHAR];

    p = ngx_ors_json_text(ctx->json, node);
    last = p + node->len;

    /* a longer one was refused, if the rule has the limit it should have */

    if (node->escaped && node->len <= sizeof(buf)) {
        last = ngx_ors_json_decode(ctx->json, node, buf);
        p = buf;
    }

    for ( /* void */ ; p < last; p++) {

        if (ngx_ors_validate_name_chars[*p >> 5] & (1U << (*p & 0x1f))) {
            continue;
        }

        ngx_ors_validate_fail(ctx, "invalid_value", "must consist of "
                              "letters, digits, \"_\" and \"-\"");
        ngx_ors_validate_add_found(ctx, node);
        return NGX_DECLINED;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_validate_array(ngx_ors_validate_ctx_t *ctx, ngx_ors_json_node_t *node,
    const ngx_ors_rule_t *rule)
{
    ngx_int_t             rc;
    ngx_uint_t            i;
    ngx_ors_json_node_t  *element;

    if (node->count < rule->nmin) {
        return ngx_ors_validate_fail(ctx, "array_below_min_length",
                                     "must have at least %ui element%s, "
                                     "found %ui", rule->nmin,
                                     (rule->nmin == 1) ? "" : "s",
                                     (ngx_uint_t) node->count);
    }

    if (rule->nmax && node->count > rule->nmax) {
        return ngx_ors_validate_fail(ctx, "array_above_max_length",
                                     "must have at most %ui elements, "
                                     "found %ui", rule->nmax,
                                     (ngx_uint_t) node->count);
    }

    i = 0;

    for (element = ngx_ors_json_first(ctx->json, node);
         element;
         element = ngx_ors_json_next(ctx->json, element))
    {
        rc = ngx_ors_validate_value(ctx, element, rule->element);

        if (rc != NGX_OK) {
            ngx_ors_validate_at_index(ctx, i);
            return rc;
        }

        i++;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_validate_object(ngx_ors_validate_ctx_t *ctx, ngx_ors_json_node_t *node,
    const ngx_ors_shape_t *shape, ngx_ors_json_node_t **found)
{
    while (shape->values) {
        if (ngx_ors_validate_choice(ctx, node, &shape) != NGX_OK) {
            return NGX_DECLINED;
        }
    }

    if (shape->refusal) {
        return ngx_ors_validate_fail(ctx, shape->refusal->code, "%s",
                                     shape->refusal->text);
    }

    if (shape->map) {
        return ngx_ors_validate_map(ctx, node, shape->map);
    }

    return ngx_ors_validate_members(ctx, node, shape, found);
}


static ngx_int_t
ngx_ors_validate_choice(ngx_ors_validate_ctx_t *ctx, ngx_ors_json_node_t *node,
    const ngx_ors_shape_t **shape)
{
    ngx_ors_json_node_t      *value;
    const ngx_ors_shape_t    *choice;
    const ngx_ors_variant_t  *variant;

    choice = *shape;
    value = ngx_ors_validate_member(ctx->json, node, &choice->key);

    if (value == NULL) {
        *shape = NULL;

        for (variant = choice->absent; variant; variant++) {
            *shape = variant->shape;

            if (variant->name.len == 0
                || ngx_ors_validate_member(ctx->json, node, &variant->name))
            {
                break;
            }
        }

        if (*shape) {
            return NGX_OK;
        }

        ngx_ors_validate_fail(ctx, "missing_required_parameter",
                              "is required");
        ngx_ors_validate_at_name(ctx, &choice->key);
        return NGX_DECLINED;
    }

    if (value->type != ngx_ors_json_string) {
        return ngx_ors_validate_fail_choice(ctx, value, choice);
    }

    for (variant = choice->values; variant->name.len; variant++) {
        if (ngx_ors_validate_is(ctx->json, value, &variant->name)) {
            break;
        }
    }

    *shape = variant->shape;

    if (*shape) {
        return NGX_OK;
    }

    return ngx_ors_validate_fail_choice(ctx, value, choice);
}


static ngx_int_t
ngx_ors_validate_members(ngx_ors_validate_ctx_t *ctx,
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

    for (key = ngx_ors_json_first(ctx->json, node);
         key;
         key = ngx_ors_json_next(ctx->json, key))
    {
        /* keys mostly come in one order: look behind the last one found */

        for (n = shape->nfields; n; n--) {
            field = &shape->fields[i];
            i = (i + 1 == shape->nfields) ? 0 : i + 1;

            if (ngx_ors_validate_is(ctx->json, key, &field->name)) {
                break;
            }
        }

        if (n == 0) {
            continue;
        }

        bit = (uint64_t) 1 << (field - shape->fields);

        if (seen & bit) {
            ngx_ors_validate_fail(ctx, "duplicate_key",
                                  "is given more than once");
            ngx_ors_validate_at_name(ctx, &field->name);
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

        rc = ngx_ors_validate_value(ctx, value, field->rule);

        if (rc != NGX_OK) {
            ngx_ors_validate_at_name(ctx, &field->name);
            return rc;
        }
    }

    bit = ((uint64_t) 1 << shape->required) - 1;

    if ((present & bit) != bit) {
        return ngx_ors_validate_required(ctx, shape, present);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_validate_required(ngx_ors_validate_ctx_t *ctx,
    const ngx_ors_shape_t *shape, uint64_t present)
{
    const ngx_ors_field_t  *field;

    for (field = shape->fields; present & 1; field++) {
        present >>= 1;
    }

    ngx_ors_validate_fail(ctx, "missing_required_parameter", "is required");
    ngx_ors_validate_at_name(ctx, &field->name);

    return NGX_DECLINED;
}


static ngx_int_t
ngx_ors_validate_map(ngx_ors_validate_ctx_t *ctx, ngx_ors_json_node_t *node,
    const ngx_ors_map_t *map)
{
    size_t                n;
    u_char                buf[NGX_ORS_VALIDATE_QUOTE * NGX_ORS_VALIDATE_CHAR];
    ngx_str_t             name;
    ngx_ors_json_node_t  *key;

    if (node->count > map->max) {
        return ngx_ors_validate_fail(ctx, "object_above_max_properties",
                                     "must have at most %ui keys, found %ui",
                                     map->max, (ngx_uint_t) node->count);
    }

    for (key = ngx_ors_json_first(ctx->json, node);
         key;
         key = ngx_ors_json_next(ctx->json, key))
    {
        if (key->len > map->key_max) {
            n = ngx_ors_json_length(ctx->json, key);

            if (n > map->key_max) {
                ngx_ors_validate_fail(ctx, "string_above_max_length",
                                      "must have keys of at most %uz "
                                      "characters, found %uz in",
                                      map->key_max, n);
                ngx_ors_validate_quote(ctx->json, key, buf, &name);
                ngx_ors_validate_add(ctx, " \"%V\"", &name);
                return NGX_DECLINED;
            }
        }

        if (ngx_ors_validate_value(ctx, key + 1, map->value) != NGX_OK) {
            ngx_ors_validate_quote(ctx->json, key, buf, &name);
            ngx_ors_validate_at_name(ctx, &name);
            return NGX_DECLINED;
        }
    }

    return NGX_OK;
}


/* starts the message's text, which goes after the path */

static ngx_int_t
ngx_ors_validate_fail(ngx_ors_validate_ctx_t *ctx, char *code,
    const char *fmt, ...)
{
    va_list  args;

    ctx->code = code;

    va_start(args, fmt);
    ctx->last = ngx_vslprintf(ctx->text_buf,
                              ctx->text_buf + NGX_ORS_VALIDATE_TEXT,
                              fmt, args);
    va_end(args);

    return NGX_DECLINED;
}


static ngx_int_t
ngx_ors_validate_fail_type(ngx_ors_validate_ctx_t *ctx,
    ngx_ors_json_node_t *node, const ngx_ors_rule_t *rule)
{
    char  *or;

    ngx_ors_validate_fail(ctx, "invalid_type", "must be ");

    or = "";

    if (rule->types & NGX_ORS_V_BOOL) {
        ngx_ors_validate_add(ctx, "a boolean");
        or = " or ";
    }

    if (rule->types & NGX_ORS_V_NUMBER) {
        ngx_ors_validate_add(ctx, "%s%s", or,
                             ((rule->types & NGX_ORS_V_INTEGER)
                              == NGX_ORS_V_INTEGER)
                             ? "an integer" : "a number");
        or = " or ";
    }

    if (rule->types & NGX_ORS_V_STRING) {
        ngx_ors_validate_add(ctx, "%sa string", or);
        or = " or ";
    }

    if (rule->types & NGX_ORS_V_ARRAY) {
        ngx_ors_validate_add(ctx, "%san array", or);
        or = " or ";
    }

    if (rule->types & NGX_ORS_V_OBJECT) {
        ngx_ors_validate_add(ctx, "%san object", or);
    }

    ngx_ors_validate_add_found(ctx, node);

    return NGX_DECLINED;
}


static ngx_int_t
ngx_ors_validate_fail_value(ngx_ors_validate_ctx_t *ctx,
    ngx_ors_json_node_t *node, const ngx_str_t *values)
{
    const ngx_str_t  *value;

    ngx_ors_validate_fail(ctx, "invalid_value", "must be \"%V\"", values);

    for (value = values + 1; value->len; value++) {
        ngx_ors_validate_add(ctx, (value[1].len) ? ", \"%V\"" : " or \"%V\"",
                             value);
    }

    ngx_ors_validate_add_found(ctx, node);

    return NGX_DECLINED;
}


static ngx_int_t
ngx_ors_validate_fail_choice(ngx_ors_validate_ctx_t *ctx,
    ngx_ors_json_node_t *node, const ngx_ors_shape_t *shape)
{
    char                     *sep;
    const ngx_str_t          *name;
    const ngx_ors_variant_t  *variant;

    if (node->type == ngx_ors_json_string) {
        ngx_ors_validate_fail(ctx, shape->code, "must be ");
        sep = "";
        name = NULL;

        for (variant = shape->values; variant->name.len; variant++) {

            if (variant->shape->refusal) {
                continue;
            }

            if (name) {
                ngx_ors_validate_add(ctx, "%s\"%V\"", sep, name);
                sep = ", ";
            }

            name = &variant->name;
        }

        ngx_ors_validate_add(ctx, "%s\"%V\"", *sep ? " or " : "", name);
        ngx_ors_validate_add_found(ctx, node);

    } else {
        ngx_ors_validate_fail_type(ctx, node, &ngx_ors_validate_text);
    }

    ngx_ors_validate_at_name(ctx, &shape->key);

    return NGX_DECLINED;
}


static void
ngx_ors_validate_add(ngx_ors_validate_ctx_t *ctx, const char *fmt, ...)
{
    va_list  args;

    va_start(args, fmt);
    ctx->last = ngx_vslprintf(ctx->last,
                              ctx->text_buf + NGX_ORS_VALIDATE_TEXT,
                              fmt, args);
    va_end(args);
}


static void
ngx_ors_validate_add_found(ngx_ors_validate_ctx_t *ctx,
    ngx_ors_json_node_t *node)
{
    u_char     buf[NGX_ORS_VALIDATE_QUOTE * NGX_ORS_VALIDATE_CHAR];
    ngx_str_t  text;

    switch ((ngx_ors_json_type_e) node->type) {

    case ngx_ors_json_null:
        ngx_ors_validate_add(ctx, ", found null");
        break;

    case ngx_ors_json_false:
        ngx_ors_validate_add(ctx, ", found false");
        break;

    case ngx_ors_json_true:
        ngx_ors_validate_add(ctx, ", found true");
        break;

    case ngx_ors_json_number:
        ngx_ors_validate_quote(ctx->json, node, buf, &text);
        ngx_ors_validate_add(ctx, ", found number %V", &text);
        break;

    case ngx_ors_json_string:
        ngx_ors_validate_quote(ctx->json, node, buf, &text);
        ngx_ors_validate_add(ctx, ", found string \"%V\"", &text);
        break;

    case ngx_ors_json_array:
        ngx_ors_validate_add(ctx, ", found an array");
        break;

    case ngx_ors_json_object:
        ngx_ors_validate_add(ctx, ", found an object");
        break;
    }
}


/* puts a name, or an index, before the path */

static void
ngx_ors_validate_at_name(ngx_ors_validate_ctx_t *ctx, const ngx_str_t *name)
{
    if ((size_t) (ctx->path - ctx->path_buf) <= name->len) {
        return;
    }

    ctx->path -= name->len + 1;

    *ctx->path = '.';
    ngx_memcpy(ctx->path + 1, name->data, name->len);
}


static void
ngx_ors_validate_at_index(ngx_ors_validate_ctx_t *ctx, ngx_uint_t i)
{
    size_t  len;
    u_char  buf[NGX_INT_T_LEN + sizeof("[]") - 1];

    len = ngx_sprintf(buf, "[%ui]", i) - buf;

    if ((size_t) (ctx->path - ctx->path_buf) < len) {
        return;
    }

    ctx->path -= len;

    ngx_memcpy(ctx->path, buf, len);
}


/*
 * The beginning of a string, decoded, or of a number, without control
 * characters, in "buf" of NGX_ORS_VALIDATE_QUOTE * NGX_ORS_VALIDATE_CHAR
 * bytes.
 */

static void
ngx_ors_validate_quote(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    u_char *buf, ngx_str_t *text)
{
    u_char               *p, *last, *dst;
    ngx_uint_t            n;
    ngx_ors_json_node_t   cut;

    p = ngx_ors_json_text(json, node);
    last = p + node->len;

    for (n = 0; n < NGX_ORS_VALIDATE_QUOTE && p < last; n++) {
        p += ngx_ors_validate_char_len(p, last);
    }

    cut = *node;
    cut.len = p - ngx_ors_json_text(json, node);

    last = ngx_ors_json_decode(json, &cut, buf);
    dst = buf;

    for (p = buf; p < last; p++) {

        if (*p < 0x20 || *p == 0x7f) {
            *dst++ = '?';

        } else if (*p == 0xc2 && p[1] < 0xa0) {
            *dst++ = '?';
            p++;

        } else {
            *dst++ = *p;
        }
    }

    text->data = buf;
    text->len = dst - buf;
}


/* raw bytes of the character at "p", a pair of surrogates is one */

static size_t
ngx_ors_validate_char_len(u_char *p, u_char *last)
{
    if (*p != '\\') {
        return (*p < 0x80) ? 1 : (*p < 0xe0) ? 2 : (*p < 0xf0) ? 3 : 4;
    }

    if (p[1] != 'u') {
        return 2;
    }

    if (last - p >= NGX_ORS_VALIDATE_CHAR
        && ngx_tolower(p[2]) == 'd' && ngx_strchr("89abAB", p[3])
        && p[6] == '\\' && p[7] == 'u'
        && ngx_tolower(p[8]) == 'd' && ngx_strchr("cdefCDEF", p[9]))
    {
        return NGX_ORS_VALIDATE_CHAR;
    }

    return 6;
}
