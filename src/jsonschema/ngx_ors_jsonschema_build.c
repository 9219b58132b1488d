
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Nodes and rules, made from the JSON of a schema.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_jsonschema_build.h>
#include <ngx_ors_jsonschema_keywords.h>
#include <ngx_ors_jsonschema_ref.h>
#include <ngx_ors_jsonschema_report.h>
#include <ngx_ors_jsonschema_value.h>


#define NGX_ORS_JSONSCHEMA_MIX       2654435761u

/* steps to look for all keywords in an object */
#define NGX_ORS_JSONSCHEMA_KEYWORDS  5

#define NGX_ORS_JSONSCHEMA_TEMP      4096


static ngx_int_t ngx_ors_jsonschema_build_root(ngx_ors_jsonschema_build_t *b,
    ngx_uint_t objects);
static ngx_int_t ngx_ors_jsonschema_build_object(
    ngx_ors_jsonschema_build_t *b, ngx_ors_jsonschema_node_t *node,
    json_t *json);
static ngx_int_t ngx_ors_jsonschema_build_rules(
    ngx_ors_jsonschema_build_t *b, ngx_ors_jsonschema_node_t *node,
    json_t *json, const ngx_ors_jsonschema_keyword_t *keyword,
    ngx_ors_jsonschema_rule_t ***last);
static ngx_int_t ngx_ors_jsonschema_build_others(
    ngx_ors_jsonschema_build_t *b, ngx_ors_jsonschema_node_t *node,
    json_t *json);
static ngx_ors_jsonschema_slot_t *ngx_ors_jsonschema_build_slot(
    ngx_ors_jsonschema_build_t *b, json_t *json);


ngx_int_t
ngx_ors_jsonschema_build(ngx_ors_jsonschema_t *schema, ngx_pool_t *pool,
    ngx_uint_t objects, ngx_uint_t *steps, ngx_ors_jsonschema_report_t *report)
{
    ngx_int_t                   rc;
    ngx_ors_jsonschema_build_t  b;

    ngx_memzero(&b, sizeof(ngx_ors_jsonschema_build_t));

    b.schema = schema;
    b.report = report;
    b.pool = pool;
    b.steps = steps;
    b.depth = schema->limits.depth;

    b.temp = ngx_create_pool(NGX_ORS_JSONSCHEMA_TEMP, pool->log);
    if (b.temp == NULL) {
        return NGX_ERROR;
    }

    rc = ngx_ors_jsonschema_build_root(&b, objects);

    ngx_destroy_pool(b.temp);

    if (b.large) {
        return ngx_ors_jsonschema_refuse(report, "schema",
                                         "schema takes more than %uz bytes of "
                                         "memory", schema->limits.memory);
    }

    return rc;
}


static ngx_int_t
ngx_ors_jsonschema_build_root(ngx_ors_jsonschema_build_t *b,
    ngx_uint_t objects)
{
    ngx_int_t                       rc;
    ngx_uint_t                      n;
    ngx_ors_jsonschema_resource_t  *resource;

    /* at most half of the slots are taken */

    for (n = 8; n < 2 * objects + 2; n <<= 1) { /* void */ }

    b->mask = n - 1;
    b->slots = ngx_pcalloc(b->temp, n * sizeof(ngx_ors_jsonschema_slot_t));

    if (b->slots == NULL
        || ngx_array_init(&b->refs, b->temp, 8,
                          sizeof(ngx_ors_jsonschema_ref_t))
           != NGX_OK
        || ngx_array_init(&b->resources, b->temp, 8, sizeof(void *)) != NGX_OK
        || ngx_array_init(&b->schema->anchors, b->pool, 1, sizeof(void *))
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    resource = ngx_ors_jsonschema_ref_document(b);
    if (resource == NULL) {
        return NGX_ERROR;
    }

    rc = ngx_ors_jsonschema_build_node(b, b->schema->root, resource,
                                       &b->schema->node);

    return (rc == NGX_OK) ? ngx_ors_jsonschema_ref_resolve(b) : rc;
}


ngx_int_t
ngx_ors_jsonschema_build_hold(ngx_ors_jsonschema_build_t *b, size_t size)
{
    b->schema->size += size;

    if (ngx_ors_jsonschema_size(b->schema) > b->schema->limits.memory) {
        b->large = 1;
        return NGX_ERROR;
    }

    return NGX_OK;
}


void *
ngx_ors_jsonschema_build_alloc(ngx_ors_jsonschema_build_t *b, size_t size)
{
    return (ngx_ors_jsonschema_build_hold(b, size) == NGX_OK)
           ? ngx_pcalloc(b->pool, size) : NULL;
}


ngx_int_t
ngx_ors_jsonschema_build_node(ngx_ors_jsonschema_build_t *b, json_t *json,
    ngx_ors_jsonschema_resource_t *resource, ngx_ors_jsonschema_node_t **node)
{
    ngx_int_t                   rc;
    ngx_ors_jsonschema_slot_t  *slot;

    if (!json_is_object(json) && !json_is_boolean(json)) {
        return ngx_ors_jsonschema_refuse(b->report, "schema",
                            "schema has a part that is no schema: it must be "
                            "an object, true or false");
    }

    if (json_is_object(json)) {
        *node = ngx_ors_jsonschema_build_find(b, json);
        if (*node) {
            return NGX_OK;
        }
    }

    *node = ngx_ors_jsonschema_build_alloc(b,
                                           sizeof(ngx_ors_jsonschema_node_t));
    if (*node == NULL) {
        return NGX_ERROR;
    }

    (*node)->resource = resource;
    (*node)->never = json_is_false(json);

    if (!json_is_object(json)) {
        return NGX_OK;
    }

    slot = ngx_ors_jsonschema_build_slot(b, json);
    slot->json = json;
    slot->node = *node;

    if (b->depth == 0) {
        return ngx_ors_jsonschema_refuse(b->report, "schema",
                                         "schema has too many levels");
    }

    if (ngx_ors_jsonschema_step(b->steps, NGX_ORS_JSONSCHEMA_KEYWORDS)
        != NGX_OK)
    {
        return NGX_BUSY;
    }

    b->depth--;
    rc = ngx_ors_jsonschema_build_object(b, *node, json);
    b->depth++;

    return rc;
}


static ngx_int_t
ngx_ors_jsonschema_build_object(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_node_t *node, json_t *json)
{
    ngx_int_t                    rc;
    ngx_uint_t                   i;
    ngx_ors_jsonschema_rule_t  **last;

    static const ngx_ors_jsonschema_keyword_t  *tables[] = {
        ngx_ors_jsonschema_assertions,
        ngx_ors_jsonschema_applicators,
        ngx_ors_jsonschema_members
    };

    if (json_object_size(json) == 0) {
        return NGX_OK;
    }

    rc = ngx_ors_jsonschema_ref_names(b, node, json);
    if (rc != NGX_OK) {
        return rc;
    }

    rc = ngx_ors_jsonschema_build_others(b, node, json);
    if (rc != NGX_OK) {
        return rc;
    }

    last = &node->rules;

    for (i = 0; i < 3; i++) {
        rc = ngx_ors_jsonschema_build_rules(b, node, json, tables[i], &last);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


/* NGX_DONE of a keyword: it needs no rule of its own */

static ngx_int_t
ngx_ors_jsonschema_build_rules(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_node_t *node, json_t *json,
    const ngx_ors_jsonschema_keyword_t *keyword,
    ngx_ors_jsonschema_rule_t ***last)
{
    json_t                     *value;
    ngx_int_t                   rc;
    ngx_ors_jsonschema_rule_t  *rule;

    for ( /* void */ ; keyword->name; keyword++) {

        value = json_object_get(json, keyword->name);
        if (value == NULL) {
            continue;
        }

        rule = ngx_ors_jsonschema_build_alloc(b,
                                           sizeof(ngx_ors_jsonschema_rule_t));
        if (rule == NULL) {
            return NGX_ERROR;
        }

        rule->keyword = keyword;

        rc = keyword->build(b, node, rule, json, value);

        if (rc == NGX_DONE) {
            continue;
        }

        if (rc != NGX_OK) {
            return rc;
        }

        **last = rule;
        *last = &rule->next;
    }

    return NGX_OK;
}


/* schemas that may be there only for references */

static ngx_int_t
ngx_ors_jsonschema_build_others(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_node_t *node, json_t *json)
{
    json_t                      *value;
    ngx_int_t                    rc;
    ngx_uint_t                   i;
    ngx_ors_jsonschema_node_t   *other;
    ngx_ors_jsonschema_nodes_t   nodes;

    static char  *names[] = { "$defs", "definitions", "then", "else" };

    for (i = 0; i < 4; i++) {
        value = json_object_get(json, names[i]);
        if (value == NULL) {
            continue;
        }

        if (i < 2 && !json_is_object(value)) {
            return ngx_ors_jsonschema_build_error(b, names[i], "an object");
        }

        rc = (i < 2) ? ngx_ors_jsonschema_build_nodes(b, value, node->resource,
                                                      &nodes)
                     : ngx_ors_jsonschema_build_node(b, value, node->resource,
                                                     &other);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


ngx_ors_jsonschema_node_t *
ngx_ors_jsonschema_build_find(ngx_ors_jsonschema_build_t *b, json_t *json)
{
    return ngx_ors_jsonschema_build_slot(b, json)->node;
}


static ngx_ors_jsonschema_slot_t *
ngx_ors_jsonschema_build_slot(ngx_ors_jsonschema_build_t *b, json_t *json)
{
    ngx_uint_t                  n;
    ngx_ors_jsonschema_slot_t  *slot;

    /* addresses of malloc() differ above their lowest bits */

    n = ((uintptr_t) json >> 4) * NGX_ORS_JSONSCHEMA_MIX >> 16;

    for ( /* void */ ; /* void */ ; n++) {
        slot = &b->slots[n & b->mask];

        if (slot->json == NULL || slot->json == json) {
            return slot;
        }
    }
}


ngx_int_t
ngx_ors_jsonschema_build_nodes(ngx_ors_jsonschema_build_t *b, json_t *value,
    ngx_ors_jsonschema_resource_t *resource, ngx_ors_jsonschema_nodes_t *nodes)
{
    void       *iter;
    size_t      i, n;
    json_t     *json;
    ngx_int_t   rc;

    n = json_is_array(value) ? json_array_size(value)
                             : json_object_size(value);

    nodes->n = n;
    nodes->elts = ngx_ors_jsonschema_build_alloc(b,
                                (n + 1) * sizeof(ngx_ors_jsonschema_node_t *));
    if (nodes->elts == NULL) {
        return NGX_ERROR;
    }

    iter = json_object_iter(value);

    for (i = 0; i < n; i++) {

        if (json_is_array(value)) {
            json = json_array_get(value, i);

        } else {
            json = json_object_iter_value(iter);
            iter = json_object_iter_next(value, iter);
        }

        rc = ngx_ors_jsonschema_build_node(b, json, resource,
                                           &nodes->elts[i]);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


ngx_int_t
ngx_ors_jsonschema_build_one(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_rule_t *rule,
    json_t *schema, json_t *value)
{
    return ngx_ors_jsonschema_build_node(b, value, node->resource,
                                         &rule->u.node);
}


ngx_int_t
ngx_ors_jsonschema_build_list(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_rule_t *rule,
    json_t *schema, json_t *value)
{
    if (!json_is_array(value)) {
        return ngx_ors_jsonschema_build_error(b, rule->keyword->name,
                                              "an array of schemas");
    }

    return ngx_ors_jsonschema_build_nodes(b, value, node->resource,
                                          &rule->u.nodes);
}


ngx_int_t
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

    for (i = 0; i < names->n; i++) {
        json = json_array_get(value, i);

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


ngx_int_t
ngx_ors_jsonschema_build_pattern(ngx_ors_jsonschema_build_t *b,
    const char *text, size_t len, ngx_ors_jsonschema_pattern_t **pattern)
{
    ngx_int_t  rc;
    ngx_str_t  str;

    str.data = (u_char *) text;
    str.len = len;

    rc = ngx_ors_jsonschema_pattern_compile(&b->schema->patterns, b->pool,
                                            &str, b->steps, pattern);
    if (rc == NGX_DECLINED) {
        return ngx_ors_jsonschema_build_error(b, "pattern",
                                  "an ECMA-262 regular expression, and not "
                                  "too large");
    }

    return rc;
}


ngx_int_t
ngx_ors_jsonschema_build_error(ngx_ors_jsonschema_build_t *b, char *keyword,
    char *must)
{
    return ngx_ors_jsonschema_refuse(b->report, keyword,
                                     "schema cannot be used: a \"%s\" must be "
                                     "%s", keyword, must);
}
