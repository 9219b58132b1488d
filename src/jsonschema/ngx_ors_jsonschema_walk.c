
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The walk itself: steps, nesting, scopes and what is evaluated.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_jsonschema_report.h>
#include <ngx_ors_jsonschema_value.h>
#include <ngx_ors_jsonschema_walk.h>


#define NGX_ORS_JSONSCHEMA_POOL  4096


static ngx_int_t ngx_ors_jsonschema_walk_scope(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen);
static ngx_int_t ngx_ors_jsonschema_walk_rules(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen);
static ngx_int_t ngx_ors_jsonschema_seen(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_at_t *at, ngx_ors_jsonschema_seen_t *seen);
static void ngx_ors_jsonschema_seen_add(ngx_ors_jsonschema_seen_t *seen,
    ngx_ors_jsonschema_seen_t *more);


ngx_int_t
ngx_ors_jsonschema_walk(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen)
{
    ngx_int_t  rc;

    if (w->nesting == 0 || ngx_ors_jsonschema_step(w->steps, 1) != NGX_OK) {
        return NGX_BUSY;
    }

    if (node->never) {
        return ngx_ors_jsonschema_fail(w, at, "false", "is not allowed");
    }

    w->nesting--;
    rc = ngx_ors_jsonschema_walk_scope(w, node, at, seen);
    w->nesting++;

    return rc;
}


/* a node of another resource than the last one is in a scope of its own */

static ngx_int_t
ngx_ors_jsonschema_walk_scope(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen)
{
    ngx_int_t                   rc;
    ngx_ors_jsonschema_seen_t   own;
    ngx_ors_jsonschema_scope_t  scope;

    scope.parent = w->scope;
    scope.resource = node->resource;

    if (w->scope == NULL || w->scope->resource != node->resource) {
        w->scope = &scope;
    }

    if (!node->unevaluated) {
        rc = ngx_ors_jsonschema_walk_rules(w, node, at, seen);
        w->scope = scope.parent;
        return rc;
    }

    /* a keyword does not see what its neighbours evaluate */

    rc = ngx_ors_jsonschema_seen(w, at, &own);

    if (rc == NGX_OK) {
        rc = ngx_ors_jsonschema_walk_rules(w, node, at, &own);
    }

    if (rc == NGX_OK && seen) {
        ngx_ors_jsonschema_seen_add(seen, &own);
    }

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
    ngx_int_t                   rc;
    ngx_ors_jsonschema_seen_t   own, *p;

    p = NULL;

    if (seen) {
        rc = ngx_ors_jsonschema_seen(w, at, &own);
        if (rc != NGX_OK) {
            return rc;
        }

        p = &own;
    }

    w->quiet++;
    rc = ngx_ors_jsonschema_walk(w, node, at, p);
    w->quiet--;

    if (rc == NGX_OK && seen) {
        ngx_ors_jsonschema_seen_add(seen, &own);
    }

    return rc;
}


/* a list in which nothing is seen yet */

static ngx_int_t
ngx_ors_jsonschema_seen(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_at_t *at, ngx_ors_jsonschema_seen_t *seen)
{
    size_t  size;

    seen->n = (at->type == NGX_ORS_JSONSCHEMA_OBJECT)
              ? json_object_size(at->json) : json_array_size(at->json);

    size = (seen->n + 7) / 8;

    if (ngx_ors_jsonschema_step(w->steps, size / 8) != NGX_OK) {
        return NGX_BUSY;
    }

    seen->bits = ngx_ors_jsonschema_alloc(w, size + 1);
    if (seen->bits == NULL) {
        return NGX_ERROR;
    }

    ngx_memzero(seen->bits, size + 1);

    return NGX_OK;
}


static void
ngx_ors_jsonschema_seen_add(ngx_ors_jsonschema_seen_t *seen,
    ngx_ors_jsonschema_seen_t *more)
{
    ngx_uint_t  i;

    for (i = 0; i < (seen->n + 7) / 8; i++) {
        seen->bits[i] |= more->bits[i];
    }
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

    return ngx_palloc(w->pool, size);
}


void
ngx_ors_jsonschema_element(ngx_ors_jsonschema_at_t *child,
    ngx_ors_jsonschema_at_t *at, json_t *json, ngx_uint_t i)
{
    child->parent = at;
    child->json = json;
    child->type = ngx_ors_jsonschema_type(json);
    child->depth = at->depth + 1;
    child->name.data = NULL;
    child->index = i;
    child->is_name = 0;
}


void
ngx_ors_jsonschema_member(ngx_ors_jsonschema_at_t *child,
    ngx_ors_jsonschema_at_t *at, void *iter)
{
    ngx_ors_jsonschema_element(child, at, json_object_iter_value(iter), 0);

    child->name.data = (u_char *) json_object_iter_key(iter);
    child->name.len = json_object_iter_key_len(iter);
}
