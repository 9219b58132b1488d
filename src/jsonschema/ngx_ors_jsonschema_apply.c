
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Keywords that apply other schemas to the same instance.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_jsonschema_build.h>
#include <ngx_ors_jsonschema_node.h>


static ngx_int_t ngx_ors_jsonschema_check_some(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_rule_t *rule, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen, ngx_uint_t enough);
static ngx_int_t ngx_ors_jsonschema_check_nearest(ngx_ors_jsonschema_walk_t *w,
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
static ngx_int_t ngx_ors_jsonschema_check_item(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen, size_t i);


static ngx_ors_jsonschema_build_f ngx_ors_jsonschema_build_ref;
static ngx_ors_jsonschema_build_f ngx_ors_jsonschema_build_if;
static ngx_ors_jsonschema_build_f ngx_ors_jsonschema_build_dependents;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_ref;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_dynamic;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_all;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_any;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_one;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_not;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_if;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_dependents;

const ngx_ors_jsonschema_keyword_t  ngx_ors_jsonschema_applicators[] = {

    { "$ref", NGX_ORS_JSONSCHEMA_ANY,
      ngx_ors_jsonschema_build_ref, ngx_ors_jsonschema_check_ref },

    { "$dynamicRef", NGX_ORS_JSONSCHEMA_ANY,
      ngx_ors_jsonschema_build_ref, ngx_ors_jsonschema_check_dynamic },

    { "allOf", NGX_ORS_JSONSCHEMA_ANY,
      ngx_ors_jsonschema_build_list, ngx_ors_jsonschema_check_all },

    { "anyOf", NGX_ORS_JSONSCHEMA_ANY,
      ngx_ors_jsonschema_build_list, ngx_ors_jsonschema_check_any },

    { "oneOf", NGX_ORS_JSONSCHEMA_ANY,
      ngx_ors_jsonschema_build_list, ngx_ors_jsonschema_check_one },

    { "not", NGX_ORS_JSONSCHEMA_ANY,
      ngx_ors_jsonschema_build_one, ngx_ors_jsonschema_check_not },

    { "if", NGX_ORS_JSONSCHEMA_ANY,
      ngx_ors_jsonschema_build_if, ngx_ors_jsonschema_check_if },

    { "dependentRequired", NGX_ORS_JSONSCHEMA_OBJECT,
      ngx_ors_jsonschema_build_dependents,
      ngx_ors_jsonschema_check_dependents },

    { "dependentSchemas", NGX_ORS_JSONSCHEMA_OBJECT,
      ngx_ors_jsonschema_build_dependents,
      ngx_ors_jsonschema_check_dependents },

    { "dependencies", NGX_ORS_JSONSCHEMA_OBJECT,
      ngx_ors_jsonschema_build_dependents,
      ngx_ors_jsonschema_check_dependents },

    { NULL, 0, NULL, NULL }
};


static ngx_ors_jsonschema_build_f ngx_ors_jsonschema_build_fields;
static ngx_ors_jsonschema_build_f ngx_ors_jsonschema_build_items;
static ngx_ors_jsonschema_build_f ngx_ors_jsonschema_build_contains;
static ngx_ors_jsonschema_build_f ngx_ors_jsonschema_build_unevaluated;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_fields;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_names;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_prefix;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_items;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_contains;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_rest;

/* unevaluated members are known after all other keywords */

const ngx_ors_jsonschema_keyword_t  ngx_ors_jsonschema_members[] = {

    { "propertyNames", NGX_ORS_JSONSCHEMA_OBJECT,
      ngx_ors_jsonschema_build_one, ngx_ors_jsonschema_check_names },

    { "properties", NGX_ORS_JSONSCHEMA_OBJECT,
      ngx_ors_jsonschema_build_fields, ngx_ors_jsonschema_check_fields },

    { "patternProperties", NGX_ORS_JSONSCHEMA_OBJECT,
      ngx_ors_jsonschema_build_fields, ngx_ors_jsonschema_check_fields },

    { "additionalProperties", NGX_ORS_JSONSCHEMA_OBJECT,
      ngx_ors_jsonschema_build_fields, ngx_ors_jsonschema_check_fields },

    { "prefixItems", NGX_ORS_JSONSCHEMA_ARRAY,
      ngx_ors_jsonschema_build_list, ngx_ors_jsonschema_check_prefix },

    { "items", NGX_ORS_JSONSCHEMA_ARRAY,
      ngx_ors_jsonschema_build_items, ngx_ors_jsonschema_check_items },

    { "contains", NGX_ORS_JSONSCHEMA_ARRAY,
      ngx_ors_jsonschema_build_contains, ngx_ors_jsonschema_check_contains },

    { "unevaluatedItems", NGX_ORS_JSONSCHEMA_ARRAY,
      ngx_ors_jsonschema_build_unevaluated, ngx_ors_jsonschema_check_rest },

    { "unevaluatedProperties", NGX_ORS_JSONSCHEMA_OBJECT,
      ngx_ors_jsonschema_build_unevaluated, ngx_ors_jsonschema_check_rest },

    { NULL, 0, NULL, NULL }
};


static ngx_int_t
ngx_ors_jsonschema_build_ref(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_rule_t *rule,
    json_t *schema, json_t *value)
{
    return ngx_ors_jsonschema_ref_add(b, node, rule, value);
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
    void                            *iter;
    size_t                           len;
    json_t                          *json;
    ngx_int_t                        rc;
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

    len = 0;

    for (iter = json_object_iter(value);
         iter;
         iter = json_object_iter_next(value, iter))
    {
        dependent->name.data = (u_char *) json_object_iter_key(iter);
        dependent->name.len = json_object_iter_key_len(iter);
        len += dependent->name.len;

        json = json_object_iter_value(iter);

        kind = rule->keyword->name[sizeof("dependent") - 1];

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
                                                rule->u.dependents.n, len);

    return NGX_OK;
}


static ngx_int_t
ngx_ors_jsonschema_check_ref(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_rule_t *rule, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen)
{
    return ngx_ors_jsonschema_walk(w, rule->u.ref.node, at, seen);
}


/* a dynamic anchor is that of the outermost resource which has one */

static ngx_int_t
ngx_ors_jsonschema_check_dynamic(ngx_ors_jsonschema_walk_t *w,
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


static ngx_int_t
ngx_ors_jsonschema_check_any(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_rule_t *rule, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen)
{
    ngx_int_t  rc;

    /* each one that matches may add to "seen" */

    rc = ngx_ors_jsonschema_check_some(w, rule, at, seen,
                                       seen ? rule->u.nodes.n : 1);

    return (rc > 0) ? NGX_OK : rc;
}


/*
 * Tries alternatives until "enough" of them match.  Returns how many do, or
 * what the walk of the nearest one returns if there is none.
 */

static ngx_int_t
ngx_ors_jsonschema_check_some(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_rule_t *rule, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen, ngx_uint_t enough)
{
    ngx_int_t   rc;
    ngx_uint_t  i, n, best, depth;

    n = 0;
    best = 0;
    depth = 0;

    for (i = 0; i < rule->u.nodes.n && n < enough; i++) {
        rc = ngx_ors_jsonschema_try(w, rule->u.nodes.elts[i], at, seen);

        if (rc == NGX_OK) {
            n++;

        } else if (rc != NGX_DECLINED) {
            return rc;

        } else if (w->depth > depth) {
            depth = w->depth;
            best = i;
        }
    }

    if (n) {
        return n;
    }

    return ngx_ors_jsonschema_check_nearest(w, rule, at, best, depth);
}


/* the alternative that failed farthest inside is what was meant */

static ngx_int_t
ngx_ors_jsonschema_check_nearest(ngx_ors_jsonschema_walk_t *w,
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

    if (depth > at->depth) {
        w->depth = depth;
    }

    return NGX_DECLINED;
}


static ngx_int_t
ngx_ors_jsonschema_check_one(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_rule_t *rule, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen)
{
    ngx_int_t  rc;

    rc = ngx_ors_jsonschema_check_some(w, rule, at, seen, 2);

    if (rc > 1) {
        return ngx_ors_jsonschema_fail(w, at, "oneOf",
                          "must match only one of the alternatives that its "
                          "schema lists in \"oneOf\", it matches two");
    }

    return (rc > 0) ? NGX_OK : rc;
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
    void            *iter;
    ngx_str_t        text;
    ngx_uint_t       n;
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

    for (iter = json_object_iter(value);
         iter;
         iter = json_object_iter_next(value, iter))
    {
        text.data = (u_char *) json_object_iter_key(iter);
        text.len = json_object_iter_key_len(iter);

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
    void        *iter;
    ngx_int_t    rc;
    ngx_uint_t   n;

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

    for (iter = json_object_iter(value);
         iter;
         iter = json_object_iter_next(value, iter))
    {
        rc = ngx_ors_jsonschema_build_pattern(b, json_object_iter_key(iter),
                                              json_object_iter_key_len(iter),
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
                                         &rule->u.items.node);
}


static ngx_int_t
ngx_ors_jsonschema_build_contains(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_rule_t *rule,
    json_t *schema, json_t *value)
{
    json_t                         *n;
    ngx_ors_jsonschema_contains_t  *contains;

    contains = ngx_ors_jsonschema_build_alloc(b,
                                       sizeof(ngx_ors_jsonschema_contains_t));
    if (contains == NULL) {
        return NGX_ERROR;
    }

    rule->u.contains = contains;
    contains->min = 1;
    contains->max = NGX_MAX_SIZE_T_VALUE;

    n = json_object_get(schema, "minContains");

    if (n && ngx_ors_jsonschema_count(n, &contains->min) != NGX_OK) {
        return ngx_ors_jsonschema_build_error(b, "minContains",
                                              "an integer from 0 on");
    }

    n = json_object_get(schema, "maxContains");

    if (n && ngx_ors_jsonschema_count(n, &contains->max) != NGX_OK) {
        return ngx_ors_jsonschema_build_error(b, "maxContains",
                                              "an integer from 0 on");
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
    void                     *iter;
    ngx_int_t                 rc;
    ngx_uint_t                i;
    ngx_ors_jsonschema_at_t   child;

    i = 0;

    for (iter = json_object_iter(at->json);
         iter;
         iter = json_object_iter_next(at->json, iter))
    {
        ngx_ors_jsonschema_member(&child, at, iter);

        rc = ngx_ors_jsonschema_check_field(w, rule->u.fields, &child);

        if (rc == NGX_OK) {
            ngx_ors_jsonschema_see(seen, i);

        } else if (rc != NGX_DONE) {
            return rc;
        }

        i++;
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
        rc = ngx_ors_jsonschema_pattern_match(&w->schema->patterns,
                                              fields->patterns[i], &w->match,
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
    void                     *iter;
    ngx_int_t                 rc;
    ngx_ors_jsonschema_at_t   child;

    for (iter = json_object_iter(at->json);
         iter;
         iter = json_object_iter_next(at->json, iter))
    {
        ngx_ors_jsonschema_member(&child, at, iter);

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


static ngx_int_t
ngx_ors_jsonschema_check_prefix(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_rule_t *rule, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen)
{
    size_t     i, n;
    ngx_int_t  rc;

    rc = NGX_OK;
    n = ngx_min(json_array_size(at->json), rule->u.nodes.n);

    for (i = 0; i < n && rc == NGX_OK; i++) {
        rc = ngx_ors_jsonschema_check_item(w, rule->u.nodes.elts[i], at, seen,
                                           i);
    }

    return rc;
}


static ngx_int_t
ngx_ors_jsonschema_check_item(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen, size_t i)
{
    ngx_int_t                rc;
    ngx_ors_jsonschema_at_t  child;

    ngx_ors_jsonschema_element(&child, at, json_array_get(at->json, i), i);

    rc = ngx_ors_jsonschema_walk(w, node, &child, NULL);

    if (rc == NGX_OK) {
        ngx_ors_jsonschema_see(seen, i);
    }

    return rc;
}


static ngx_int_t
ngx_ors_jsonschema_check_items(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_rule_t *rule, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen)
{
    size_t     i;
    ngx_int_t  rc;

    for (i = rule->u.items.from; i < json_array_size(at->json); i++) {
        rc = ngx_ors_jsonschema_check_item(w, rule->u.items.node, at, seen, i);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_jsonschema_check_contains(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_rule_t *rule, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen)
{
    size_t                          i, n;
    ngx_int_t                       rc;
    ngx_ors_jsonschema_at_t         child;
    ngx_ors_jsonschema_contains_t  *contains;

    n = 0;
    contains = rule->u.contains;

    for (i = 0; i < json_array_size(at->json); i++) {
        ngx_ors_jsonschema_element(&child, at, json_array_get(at->json, i), i);

        rc = ngx_ors_jsonschema_try(w, contains->node, &child, NULL);

        if (rc == NGX_OK) {
            ngx_ors_jsonschema_see(seen, i);
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
    void                     *iter;
    ngx_int_t                 rc;
    ngx_uint_t                i, n;
    ngx_ors_jsonschema_at_t   child;

    iter = json_object_iter(at->json);
    n = seen->n;

    for (i = 0; i < n; i++) {

        if (iter) {
            ngx_ors_jsonschema_member(&child, at, iter);
            iter = json_object_iter_next(at->json, iter);

        } else {
            ngx_ors_jsonschema_element(&child, at,
                                       json_array_get(at->json, i), i);
        }

        if (ngx_ors_jsonschema_is_seen(seen, i)) {
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

        ngx_ors_jsonschema_see(seen, i);
    }

    return NGX_OK;
}
