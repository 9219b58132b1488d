
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * A JSON Schema rewritten for strict servers: unchanged parts are not copied.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_request.h>
#include <ngx_ors_names.h>


/* schemas inside each other */
#define NGX_ORS_CHAT_SCHEMA_DEPTH  64


/* keywords; from "not" on those that strict schemas have nothing for */

#define NGX_ORS_CHAT_KEYWORDS(row)                                            \
    row(type, "type")                                                         \
    row(properties, "properties")                                             \
    row(required, "required")                                                 \
    row(additional, "additionalProperties")                                   \
    row(items, "items")                                                       \
    row(prefix_items, "prefixItems")                                          \
    row(any_of, "anyOf")                                                      \
    row(one_of, "oneOf")                                                      \
    row(all_of, "allOf")                                                      \
    row(defs, "$defs")                                                        \
    row(definitions, "definitions")                                           \
    row(ref, "$ref")                                                          \
    row(enum, "enum")                                                         \
    row(const, "const")                                                       \
    row(default, "default")                                                   \
    row(not, "not")                                                           \
    row(if, "if")                                                             \
    row(then, "then")                                                         \
    row(else, "else")                                                         \
    row(pattern_properties, "patternProperties")                              \
    row(property_names, "propertyNames")                                      \
    row(dependencies, "dependencies")                                         \
    row(dependent_required, "dependentRequired")                              \
    row(dependent_schemas, "dependentSchemas")                                \
    row(unevaluated_properties, "unevaluatedProperties")

#define ngx_ors_chat_keyword(as, name)  ngx_ors_chat_s_##as,
#define ngx_ors_chat_keyword_name(as, name)  ngx_string(name),


/* zeroed but for "json", "list" and "pool" */

typedef struct {
    ngx_ors_json_t         *json;     /* borrowed */
    ngx_ors_json_node_t    *list;     /* an array, or NULL */
    ngx_ors_json_node_t    *pos;      /* the name that is likely next, */
                                      /* NULL: the first one */
    ngx_ors_names_t         names;    /* all, once one was not the next */
    ngx_pool_t             *pool;
} ngx_ors_chat_required_t;


enum {
    NGX_ORS_CHAT_KEYWORDS(ngx_ors_chat_keyword)
    ngx_ors_chat_s_n
};


typedef struct {
    ngx_ors_chat_schema_t   *cs;
    ngx_ors_json_node_t     *node;
    ngx_ors_json_node_t     *member[ngx_ors_chat_s_n];
    ngx_ors_chat_required_t  required;

    ngx_uint_t               depth;
    ngx_uint_t               members;      /* members that stay, so far */
    size_t                   end;          /* of the last one, or of "{" */

    unsigned                 object:1;
    unsigned                 complete:1;   /* all properties are required */
    unsigned                 nullable:1;   /* to be made so */
    unsigned                 wrapped:1;    /* ... from outside */
} ngx_ors_chat_schema_node_t;


static ngx_int_t ngx_ors_chat_schema_walk(ngx_ors_chat_schema_t *cs,
    ngx_ors_json_node_t *node, ngx_uint_t depth, ngx_uint_t nullable);
static ngx_int_t ngx_ors_chat_schema_read(ngx_ors_chat_schema_node_t *sn);
static ngx_int_t ngx_ors_chat_schema_fits(ngx_ors_chat_schema_node_t *sn);
static ngx_int_t ngx_ors_chat_schema_fits_object(
    ngx_ors_chat_schema_node_t *sn);
static ngx_int_t ngx_ors_chat_schema_members(ngx_ors_chat_schema_node_t *sn);
static ngx_int_t ngx_ors_chat_schema_member(ngx_ors_chat_schema_node_t *sn,
    ngx_ors_json_node_t *key, ngx_uint_t keyword);
static ngx_int_t ngx_ors_chat_schema_missing(ngx_ors_chat_schema_node_t *sn);
static ngx_int_t ngx_ors_chat_schema_add(ngx_ors_chat_schema_node_t *sn,
    ngx_str_t *text);
static ngx_int_t ngx_ors_chat_schema_strip(ngx_ors_chat_schema_node_t *sn,
    ngx_ors_json_node_t *key);
static ngx_int_t ngx_ors_chat_schema_properties(
    ngx_ors_chat_schema_node_t *sn);
static ngx_int_t ngx_ors_chat_schema_children(ngx_ors_chat_schema_node_t *sn,
    ngx_ors_json_node_t *parent, ngx_ors_json_type_e type);
static ngx_int_t ngx_ors_chat_schema_names_of(ngx_ors_chat_schema_node_t *sn,
    ngx_str_t *text);
static ngx_uint_t ngx_ors_chat_schema_wraps(ngx_ors_chat_schema_node_t *sn);
static ngx_int_t ngx_ors_chat_schema_type(ngx_ors_chat_schema_node_t *sn,
    ngx_ors_json_node_t *type);
static ngx_int_t ngx_ors_chat_schema_enum(ngx_ors_chat_schema_node_t *sn,
    ngx_ors_json_node_t *list);
static ngx_uint_t ngx_ors_chat_schema_has_type(ngx_ors_json_t *json,
    ngx_ors_json_node_t *type, ngx_str_t *name);
static ngx_int_t ngx_ors_chat_schema_put(ngx_ors_chat_schema_node_t *sn,
    size_t pos, ngx_str_t *text);
static ngx_int_t ngx_ors_chat_required(ngx_ors_chat_required_t *required,
    ngx_ors_json_node_t *key);
static ngx_int_t ngx_ors_chat_required_read(ngx_ors_chat_required_t *required);


static const ngx_str_t  ngx_ors_chat_schema_names[] = {
    NGX_ORS_CHAT_KEYWORDS(ngx_ors_chat_keyword_name)
    ngx_null_string
};


static ngx_str_t  ngx_ors_chat_schema_object = ngx_string("object");
static ngx_str_t  ngx_ors_chat_schema_null = ngx_string("null");


void
ngx_ors_chat_schema_init(ngx_ors_chat_schema_t *cs, ngx_ors_json_t *json,
    ngx_pool_t *pool)
{
    cs->json = json;

    ngx_ors_edits_init(&cs->edits, pool);
}


ngx_int_t
ngx_ors_chat_schema(ngx_ors_chat_schema_t *cs, ngx_ors_json_node_t *node,
    ngx_ors_out_t *out)
{
    ngx_int_t  rc;

    ngx_ors_edits_clear(&cs->edits);

    rc = ngx_ors_chat_schema_walk(cs, node, 0, 0);

    if (rc != NGX_OK) {
        return rc;
    }

    ngx_ors_edits_write(&cs->edits, cs->json, node->pos,
                        (size_t) node->pos + node->len, 1, out);

    return NGX_OK;
}


static ngx_int_t
ngx_ors_chat_schema_walk(ngx_ors_chat_schema_t *cs, ngx_ors_json_node_t *node,
    ngx_uint_t depth, ngx_uint_t nullable)
{
    ngx_int_t                   rc;
    ngx_ors_chat_schema_node_t  sn;

    static ngx_str_t  before = ngx_string("{\"anyOf\":[");
    static ngx_str_t  after = ngx_string(",{\"type\":\"null\"}]}");

    if (node->type != ngx_ors_json_object
        || depth == NGX_ORS_CHAT_SCHEMA_DEPTH)
    {
        return NGX_DECLINED;
    }

    ngx_memzero(&sn, sizeof(ngx_ors_chat_schema_node_t));

    sn.cs = cs;
    sn.node = node;
    sn.depth = depth;
    sn.end = node->pos + 1;
    sn.nullable = nullable ? 1 : 0;

    rc = ngx_ors_chat_schema_read(&sn);

    if (rc != NGX_OK) {
        return rc;
    }

    if (sn.wrapped && ngx_ors_chat_schema_put(&sn, node->pos, &before)
                      != NGX_OK)
    {
        return NGX_ERROR;
    }

    rc = ngx_ors_chat_schema_members(&sn);

    if (rc != NGX_OK) {
        return rc;
    }

    if (sn.object && ngx_ors_chat_schema_missing(&sn) != NGX_OK) {
        return NGX_ERROR;
    }

    return sn.wrapped ? ngx_ors_chat_schema_put(&sn, ngx_ors_edit_end(node),
                                                &after)
                      : NGX_OK;
}


/* finds the keywords; one that comes twice, or is null, means nothing */

static ngx_int_t
ngx_ors_chat_schema_read(ngx_ors_chat_schema_node_t *sn)
{
    ngx_uint_t            i;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *key;

    json = sn->cs->json;

    for (key = ngx_ors_json_first(json, sn->node);
         key;
         key = ngx_ors_json_next(json, key))
    {
        i = ngx_ors_json_name(json, key, ngx_ors_chat_schema_names)
            - ngx_ors_chat_schema_names;

        if (i == ngx_ors_chat_s_n) {
            continue;
        }

        if (sn->member[i]
            || (key[1].type == ngx_ors_json_null && i != ngx_ors_chat_s_default
                && i != ngx_ors_chat_s_const))
        {
            return NGX_DECLINED;
        }

        sn->member[i] = key + 1;
    }

    return ngx_ors_chat_schema_fits(sn);
}


static ngx_int_t
ngx_ors_chat_schema_fits(ngx_ors_chat_schema_node_t *sn)
{
    ngx_uint_t             i, choice;
    ngx_ors_json_node_t  **member;

    member = sn->member;

    for (i = ngx_ors_chat_s_not; i < ngx_ors_chat_s_n; i++) {
        if (member[i]) {
            return NGX_DECLINED;
        }
    }

    /* one can be said as "anyOf", and "allOf" only of one */

    choice = (member[ngx_ors_chat_s_any_of] != NULL)
             + (member[ngx_ors_chat_s_one_of] != NULL)
             + (member[ngx_ors_chat_s_all_of] != NULL);

    if (choice > 1
        || (member[ngx_ors_chat_s_all_of]
            && member[ngx_ors_chat_s_all_of]->count != 1))
    {
        return NGX_DECLINED;
    }

    sn->object = member[ngx_ors_chat_s_properties] != NULL
                 || ngx_ors_chat_schema_has_type(sn->cs->json,
                                              member[ngx_ors_chat_s_type],
                                              &ngx_ors_chat_schema_object);

    /* the outermost one must be an object and nothing else */

    if (sn->object ? choice
                   : sn->depth == 0)
    {
        return NGX_DECLINED;
    }

    if (sn->depth == 0 && member[ngx_ors_chat_s_type]
        && member[ngx_ors_chat_s_type]->type != ngx_ors_json_string)
    {
        return NGX_DECLINED;
    }

    sn->wrapped = sn->nullable && ngx_ors_chat_schema_wraps(sn);

    return sn->object ? ngx_ors_chat_schema_fits_object(sn) : NGX_OK;
}


/* an object with any keys cannot be closed, or it could hold nothing */

static ngx_int_t
ngx_ors_chat_schema_fits_object(ngx_ors_chat_schema_node_t *sn)
{
    ngx_int_t             rc;
    ngx_uint_t            n;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *properties, *required, *additional, *key;

    json = sn->cs->json;
    properties = sn->member[ngx_ors_chat_s_properties];
    required = sn->member[ngx_ors_chat_s_required];
    additional = sn->member[ngx_ors_chat_s_additional];

    if ((properties && properties->type != ngx_ors_json_object)
        || (required && required->type != ngx_ors_json_array)
        || (additional && additional->type != ngx_ors_json_true
            && additional->type != ngx_ors_json_false))
    {
        return NGX_DECLINED;
    }

    if (ngx_ors_json_count(properties) == 0
        && (additional ? additional->type == ngx_ors_json_true
                       : sn->depth > 0))
    {
        return NGX_DECLINED;
    }

    sn->required.json = json;
    sn->required.list = required;
    sn->required.pool = sn->cs->edits.pool;

    n = 0;

    for (key = ngx_ors_json_first(json, properties);
         key;
         key = ngx_ors_json_next(json, key))
    {
        rc = ngx_ors_chat_required(&sn->required, key);

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }

        n += (rc == NGX_OK);
    }

    sn->complete = required && required->count == n
                   && ngx_ors_json_count(properties) == n;

    return NGX_OK;
}


static ngx_int_t
ngx_ors_chat_schema_members(ngx_ors_chat_schema_node_t *sn)
{
    ngx_int_t             rc;
    ngx_uint_t            i;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *key;

    json = sn->cs->json;

    for (key = ngx_ors_json_first(json, sn->node);
         key;
         key = ngx_ors_json_next(json, key))
    {
        i = ngx_ors_json_name(json, key, ngx_ors_chat_schema_names)
            - ngx_ors_chat_schema_names;

        if (i == ngx_ors_chat_s_default) {
            rc = ngx_ors_chat_schema_strip(sn, key);

        } else {
            rc = ngx_ors_chat_schema_member(sn, key, i);
            sn->members++;
        }

        if (rc != NGX_OK) {
            return rc;
        }

        sn->end = ngx_ors_edit_end(key + 1);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_chat_schema_member(ngx_ors_chat_schema_node_t *sn,
    ngx_ors_json_node_t *key, ngx_uint_t keyword)
{
    ngx_str_t             text;
    ngx_ors_json_node_t  *value;

    static ngx_str_t  any = ngx_string("\"anyOf\"");
    static ngx_str_t  closed = ngx_string("false");

    value = key + 1;

    switch (keyword) {

    case ngx_ors_chat_s_properties:
        return ngx_ors_chat_schema_properties(sn);

    case ngx_ors_chat_s_required:

        if (!sn->object || sn->complete) {
            return NGX_OK;
        }

        if (ngx_ors_chat_schema_names_of(sn, &text) != NGX_OK) {
            return NGX_ERROR;
        }

        return ngx_ors_edits_value(&sn->cs->edits, value, &text);

    case ngx_ors_chat_s_additional:
        return (sn->object && value->type == ngx_ors_json_true)
               ? ngx_ors_edits_value(&sn->cs->edits, value, &closed) : NGX_OK;

    case ngx_ors_chat_s_items:

        /* after "prefixItems", false is strict */

        if (value->type == ngx_ors_json_false) {
            return NGX_OK;
        }

        /* older schemas have a list */

        return (value->type == ngx_ors_json_array)
               ? ngx_ors_chat_schema_children(sn, value, ngx_ors_json_array)
               : ngx_ors_chat_schema_walk(sn->cs, value, sn->depth + 1, 0);

    case ngx_ors_chat_s_one_of:
    case ngx_ors_chat_s_all_of:

        if (ngx_ors_edits_value(&sn->cs->edits, key, &any) != NGX_OK) {
            return NGX_ERROR;
        }

        /* fall through */

    case ngx_ors_chat_s_any_of:
    case ngx_ors_chat_s_prefix_items:
        return ngx_ors_chat_schema_children(sn, value, ngx_ors_json_array);

    case ngx_ors_chat_s_defs:
    case ngx_ors_chat_s_definitions:
        return ngx_ors_chat_schema_children(sn, value,
                                            ngx_ors_json_object);

    case ngx_ors_chat_s_type:
        return ngx_ors_chat_schema_type(sn, value);

    case ngx_ors_chat_s_enum:
        return ngx_ors_chat_schema_enum(sn, value);

    default: /* sent unchanged */
        return NGX_OK;
    }
}


/* members that strict schemas require, at an object's end */

static ngx_int_t
ngx_ors_chat_schema_missing(ngx_ors_chat_schema_node_t *sn)
{
    ngx_str_t              text;
    ngx_uint_t             null;
    ngx_ors_json_node_t  **member;

    static ngx_str_t  types[] = {
        ngx_string("\"type\":\"object\""),
        ngx_string("\"type\":[\"object\",\"null\"]")
    };

    static ngx_str_t  empty = ngx_string("\"properties\":{}");
    static ngx_str_t  closed = ngx_string("\"additionalProperties\":false");
    static ngx_str_t  required = ngx_string("\"required\":");

    member = sn->member;
    null = sn->nullable && !sn->wrapped;

    if ((member[ngx_ors_chat_s_type] == NULL
         && ngx_ors_chat_schema_add(sn, &types[null]) != NGX_OK)
        || (member[ngx_ors_chat_s_properties] == NULL
            && ngx_ors_chat_schema_add(sn, &empty) != NGX_OK)
        || (member[ngx_ors_chat_s_additional] == NULL
            && ngx_ors_chat_schema_add(sn, &closed) != NGX_OK))
    {
        return NGX_ERROR;
    }

    if (member[ngx_ors_chat_s_required]) {
        return NGX_OK;
    }

    if (ngx_ors_chat_schema_names_of(sn, &text) != NGX_OK
        || ngx_ors_chat_schema_add(sn, &required) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_ors_chat_schema_put(sn, ngx_ors_edit_end(sn->node) - 1, &text);
}


/* a member at the end of the object */

static ngx_int_t
ngx_ors_chat_schema_add(ngx_ors_chat_schema_node_t *sn, ngx_str_t *text)
{
    size_t  pos;

    static ngx_str_t  comma = ngx_string(",");

    pos = ngx_ors_edit_end(sn->node) - 1;

    if (sn->members++ && ngx_ors_chat_schema_put(sn, pos, &comma) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_ors_chat_schema_put(sn, pos, text);
}


/* a member goes with the comma in front of it; the first, with the next */

static ngx_int_t
ngx_ors_chat_schema_strip(ngx_ors_chat_schema_node_t *sn,
    ngx_ors_json_node_t *key)
{
    size_t                pos, last;
    ngx_ors_json_node_t  *next;

    pos = ngx_ors_edit_start(key);
    last = ngx_ors_edit_end(key + 1);
    next = ngx_ors_json_next(sn->cs->json, key);

    if (sn->members) {
        pos = sn->end;

    } else if (next) {
        last = ngx_ors_edit_start(next);
    }

    return ngx_ors_edits_add(&sn->cs->edits, pos, last - pos, NULL);
}


static ngx_int_t
ngx_ors_chat_schema_properties(ngx_ors_chat_schema_node_t *sn)
{
    ngx_int_t             rc;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *key;

    json = sn->cs->json;

    for (key = ngx_ors_json_first(json,
                                  sn->member[ngx_ors_chat_s_properties]);
         key;
         key = ngx_ors_json_next(json, key))
    {
        rc = ngx_ors_chat_required(&sn->required, key);

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }

        rc = ngx_ors_chat_schema_walk(sn->cs, key + 1, sn->depth + 1,
                                      rc == NGX_DECLINED);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


/* schemas that are members of an object, or elements of an array */

static ngx_int_t
ngx_ors_chat_schema_children(ngx_ors_chat_schema_node_t *sn,
    ngx_ors_json_node_t *parent, ngx_ors_json_type_e type)
{
    ngx_int_t             rc;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *node, *child;

    json = sn->cs->json;

    if (parent->type != type) {
        return NGX_DECLINED;
    }

    for (node = ngx_ors_json_first(json, parent);
         node;
         node = ngx_ors_json_next(json, node))
    {
        child = (type == ngx_ors_json_object) ? node + 1 : node;

        rc = ngx_ors_chat_schema_walk(sn->cs, child, sn->depth + 1, 0);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


/* all properties, as an array of names */

static ngx_int_t
ngx_ors_chat_schema_names_of(ngx_ors_chat_schema_node_t *sn, ngx_str_t *text)
{
    size_t                len;
    u_char               *p;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *properties, *key;

    json = sn->cs->json;
    properties = ngx_ors_json_first(json,
                                    sn->member[ngx_ors_chat_s_properties]);

    len = sizeof("[]") - 1;

    for (key = properties; key; key = ngx_ors_json_next(json, key)) {
        len += (size_t) key->len + sizeof("\"\",") - 1;
    }

    p = ngx_pnalloc(sn->cs->edits.pool, len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    text->data = p;
    *p++ = '[';

    for (key = properties; key; key = ngx_ors_json_next(json, key)) {

        if (key != properties) {
            *p++ = ',';
        }

        p = ngx_cpymem(p, ngx_ors_json_text(json, key) - 1,
                       (size_t) key->len + 2);
    }

    *p++ = ']';
    text->len = p - text->data;

    return NGX_OK;
}


/*
 * 1 if null can only be added beside all of it: there is no list of types or
 * values to add it to, and not all is permitted anyway
 */

static ngx_uint_t
ngx_ors_chat_schema_wraps(ngx_ors_chat_schema_node_t *sn)
{
    ngx_ors_json_t        *json;
    ngx_ors_json_node_t  **member, *choice, *node;

    json = sn->cs->json;
    member = sn->member;

    choice = member[ngx_ors_chat_s_any_of] ? member[ngx_ors_chat_s_any_of]
                                           : member[ngx_ors_chat_s_one_of];

    for (node = ngx_ors_json_first(json, choice);
         node;
         node = ngx_ors_json_next(json, node))
    {
        if (ngx_ors_chat_schema_has_type(json,
                                         ngx_ors_json_find(json, node, "type"),
                                         &ngx_ors_chat_schema_null))
        {
            return 0;
        }
    }

    return choice || member[ngx_ors_chat_s_all_of]
           || member[ngx_ors_chat_s_ref] || member[ngx_ors_chat_s_const];
}


static ngx_int_t
ngx_ors_chat_schema_type(ngx_ors_chat_schema_node_t *sn,
    ngx_ors_json_node_t *type)
{
    static ngx_str_t  open = ngx_string("[");
    static ngx_str_t  more = ngx_string(",\"null\"");
    static ngx_str_t  close = ngx_string(",\"null\"]");

    if (!sn->nullable || sn->wrapped) {
        return NGX_OK;
    }

    if (type->type != ngx_ors_json_string
        && (type->type != ngx_ors_json_array || type->count == 0))
    {
        return NGX_DECLINED;
    }

    if (ngx_ors_chat_schema_has_type(sn->cs->json, type,
                                     &ngx_ors_chat_schema_null))
    {
        return NGX_OK;
    }

    if (type->type == ngx_ors_json_array) {
        return ngx_ors_chat_schema_put(sn, ngx_ors_edit_end(type) - 1, &more);
    }

    if (ngx_ors_chat_schema_put(sn, ngx_ors_edit_start(type), &open)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_ors_chat_schema_put(sn, ngx_ors_edit_end(type), &close);
}


static ngx_int_t
ngx_ors_chat_schema_enum(ngx_ors_chat_schema_node_t *sn,
    ngx_ors_json_node_t *list)
{
    ngx_ors_json_node_t  *node;

    static ngx_str_t  null = ngx_string(",null");

    if (!sn->nullable || sn->wrapped) {
        return NGX_OK;
    }

    if (list->type != ngx_ors_json_array || list->count == 0) {
        return NGX_DECLINED;
    }

    for (node = list + 1; node; node = ngx_ors_json_next(sn->cs->json, node))
    {
        if (node->type == ngx_ors_json_null) {
            return NGX_OK;
        }
    }

    return ngx_ors_chat_schema_put(sn, ngx_ors_edit_end(list) - 1, &null);
}


/* 1 if "type", a name or a list of names or NULL, is or has "name" */

static ngx_uint_t
ngx_ors_chat_schema_has_type(ngx_ors_json_t *json, ngx_ors_json_node_t *type,
    ngx_str_t *name)
{
    ngx_ors_json_node_t  *node;

    if (ngx_ors_json_equal(json, type, name->data, name->len)) {
        return 1;
    }

    for (node = (type && type->type == ngx_ors_json_array)
                ? ngx_ors_json_first(json, type) : NULL;
         node;
         node = ngx_ors_json_next(json, node))
    {
        if (ngx_ors_json_equal(json, node, name->data, name->len)) {
            return 1;
        }
    }

    return 0;
}


static ngx_int_t
ngx_ors_chat_schema_put(ngx_ors_chat_schema_node_t *sn, size_t pos,
    ngx_str_t *text)
{
    return ngx_ors_edits_add(&sn->cs->edits, pos, 0, text);
}


/*
 * A name looked up in "required" of a schema, while properties are written.
 *
 * NGX_OK         the list names property "key"
 * NGX_DECLINED   it does not
 * NGX_ERROR      no memory
 */

static ngx_int_t
ngx_ors_chat_required(ngx_ors_chat_required_t *required,
    ngx_ors_json_node_t *key)
{
    ngx_str_t             text;
    ngx_ors_json_node_t  *name;

    if (ngx_ors_json_count(required->list) == 0) {
        return NGX_DECLINED;
    }

    if (ngx_ors_json_decoded(required->json, key, required->pool, &text)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    /* they mostly come in one order */

    name = required->pos ? required->pos : required->list + 1;

    if (ngx_ors_json_equal(required->json, name, text.data, text.len)) {
        required->pos = ngx_ors_json_next(required->json, name);
        return NGX_OK;
    }

    required->pos = name;

    if (required->names.n == 0
        && ngx_ors_chat_required_read(required) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_ors_names_find(&required->names, &text) ? NGX_OK : NGX_DECLINED;
}


static ngx_int_t
ngx_ors_chat_required_read(ngx_ors_chat_required_t *required)
{
    ngx_str_t             text;
    ngx_ors_json_node_t  *name;

    if (ngx_ors_names_reserve(&required->names, required->pool,
                              required->list->count)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    for (name = ngx_ors_json_first(required->json, required->list);
         name;
         name = ngx_ors_json_next(required->json, name))
    {
        if (name->type != ngx_ors_json_string) {
            continue;
        }

        if (ngx_ors_json_decoded(required->json, name, required->pool, &text)
            != NGX_OK
            || ngx_ors_names_add(&required->names, required->pool, &text)
               == NGX_ERROR)
        {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}
