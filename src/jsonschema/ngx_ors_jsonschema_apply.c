
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Keywords that apply other schemas to the same instance.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_jsonschema_build.h>
#include <ngx_ors_jsonschema_keywords.h>
#include <ngx_ors_jsonschema_ref.h>
#include <ngx_ors_jsonschema_report.h>
#include <ngx_ors_jsonschema_value.h>
#include <ngx_ors_jsonschema_walk.h>


static ngx_ors_jsonschema_build_f ngx_ors_jsonschema_build_ref;
static ngx_ors_jsonschema_build_f ngx_ors_jsonschema_build_if;
static ngx_ors_jsonschema_build_f ngx_ors_jsonschema_build_dependents;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_ref;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_dynamic;
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_all;
static ngx_int_t ngx_ors_jsonschema_check_some(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_rule_t *rule, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen, ngx_uint_t enough);
static ngx_ors_jsonschema_check_f ngx_ors_jsonschema_check_any;
static ngx_int_t ngx_ors_jsonschema_check_nearest(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_rule_t *rule, ngx_ors_jsonschema_at_t *at, ngx_uint_t i,
    ngx_uint_t depth);
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
