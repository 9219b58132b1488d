
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The walk through a schema for annotations: only properties of properties
 * may have them, anywhere else they make the schema unusable.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_mcp_header.h>
#include <ngx_ors_mcp_param.h>
#include <ngx_ors_mcp_text.h>


#define NGX_ORS_MCP_PARAM_PREFIX  "Mcp-Param-"


/* the way from the root to a property, NULL: by other keywords */

typedef struct ngx_ors_mcp_step_s  ngx_ors_mcp_step_t;

struct ngx_ors_mcp_step_s {
    ngx_ors_mcp_step_t   *prev;
    ngx_ors_json_node_t  *name;       /* NULL: the root */
    ngx_uint_t            depth;
};


typedef struct {
    ngx_ors_json_t       *json;
    ngx_array_t          *params;
    char                 *invalid;
} ngx_ors_mcp_walk_t;


static ngx_int_t ngx_ors_mcp_params_walk(ngx_ors_mcp_walk_t *walk,
    ngx_ors_json_node_t *schema, ngx_ors_mcp_step_t *step);
static ngx_int_t ngx_ors_mcp_params_schemas(ngx_ors_mcp_walk_t *walk,
    ngx_ors_json_node_t *value, ngx_ors_mcp_step_t *step);
static ngx_int_t ngx_ors_mcp_params_map(ngx_ors_mcp_walk_t *walk,
    ngx_ors_json_node_t *map, ngx_ors_mcp_step_t *step);
static ngx_int_t ngx_ors_mcp_params_add(ngx_ors_mcp_walk_t *walk,
    ngx_ors_json_node_t *schema, ngx_ors_json_node_t *annotation,
    ngx_ors_mcp_step_t *step);
static char *ngx_ors_mcp_params_check(ngx_ors_mcp_walk_t *walk,
    ngx_ors_json_node_t *schema, ngx_str_t *name);
static ngx_int_t ngx_ors_mcp_params_path(ngx_ors_mcp_walk_t *walk,
    ngx_ors_mcp_param_t *param, ngx_ors_mcp_step_t *step);
static ngx_int_t ngx_ors_mcp_params_value(ngx_ors_json_t *json,
    ngx_ors_json_node_t *node, ngx_pool_t *pool, ngx_str_t *value);


/* keywords with a schema, or an array of schemas */

static const ngx_str_t  ngx_ors_mcp_schema_keywords[] = {
    ngx_string("items"),
    ngx_string("prefixItems"),
    ngx_string("additionalItems"),
    ngx_string("unevaluatedItems"),
    ngx_string("contains"),
    ngx_string("additionalProperties"),
    ngx_string("unevaluatedProperties"),
    ngx_string("propertyNames"),
    ngx_string("contentSchema"),
    ngx_string("allOf"),
    ngx_string("anyOf"),
    ngx_string("oneOf"),
    ngx_string("not"),
    ngx_string("if"),
    ngx_string("then"),
    ngx_string("else"),
    ngx_null_string
};


/* ... with an object of schemas */

static const ngx_str_t  ngx_ors_mcp_map_keywords[] = {
    ngx_string("patternProperties"),
    ngx_string("dependentSchemas"),
    ngx_string("dependencies"),
    ngx_string("$defs"),
    ngx_string("definitions"),
    ngx_null_string
};


ngx_int_t
ngx_ors_mcp_params_find(ngx_ors_json_t *json, ngx_ors_json_node_t *schema,
    ngx_array_t *params, char **invalid)
{
    ngx_int_t           rc;
    ngx_ors_mcp_step_t  root;
    ngx_ors_mcp_walk_t  walk;

    ngx_memzero(&root, sizeof(ngx_ors_mcp_step_t));

    walk.json = json;
    walk.params = params;
    walk.invalid = NULL;

    rc = ngx_ors_mcp_params_walk(&walk, schema, &root);

    *invalid = walk.invalid;

    return rc;
}


/* "default", "enum" and the like are data: not entered */

static ngx_int_t
ngx_ors_mcp_params_walk(ngx_ors_mcp_walk_t *walk, ngx_ors_json_node_t *schema,
    ngx_ors_mcp_step_t *step)
{
    ngx_int_t             rc;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *key;

    json = walk->json;

    if (schema->type != ngx_ors_json_object) {
        return NGX_OK;
    }

    for (key = ngx_ors_json_first(json, schema);
         key;
         key = ngx_ors_json_next(json, key))
    {
        if (ngx_ors_json_is(json, key, "x-mcp-header")) {
            rc = ngx_ors_mcp_params_add(walk, schema, key + 1, step);

        } else if (ngx_ors_json_is(json, key, "properties")) {
            rc = ngx_ors_mcp_params_map(walk, key + 1, step);

        } else if (ngx_ors_json_name(json, key,
                                     ngx_ors_mcp_schema_keywords)->len)
        {
            rc = ngx_ors_mcp_params_schemas(walk, key + 1, NULL);

        } else if (ngx_ors_json_name(json, key,
                                     ngx_ors_mcp_map_keywords)->len)
        {
            rc = ngx_ors_mcp_params_map(walk, key + 1, NULL);

        } else {
            continue;
        }

        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_mcp_params_schemas(ngx_ors_mcp_walk_t *walk,
    ngx_ors_json_node_t *value, ngx_ors_mcp_step_t *step)
{
    ngx_int_t             rc;
    ngx_ors_json_node_t  *node;

    if (value->type != ngx_ors_json_array) {
        return ngx_ors_mcp_params_walk(walk, value, step);
    }

    for (node = ngx_ors_json_first(walk->json, value);
         node;
         node = ngx_ors_json_next(walk->json, node))
    {
        rc = ngx_ors_mcp_params_walk(walk, node, step);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


/* "step" is that of the object with these properties, or NULL */

static ngx_int_t
ngx_ors_mcp_params_map(ngx_ors_mcp_walk_t *walk, ngx_ors_json_node_t *map,
    ngx_ors_mcp_step_t *step)
{
    ngx_int_t             rc;
    ngx_ors_mcp_step_t    next;
    ngx_ors_json_node_t  *key;

    if (map->type != ngx_ors_json_object) {
        return NGX_OK;
    }

    next.prev = step;
    next.depth = step ? step->depth + 1 : 0;

    for (key = ngx_ors_json_first(walk->json, map);
         key;
         key = ngx_ors_json_next(walk->json, key))
    {
        next.name = key;

        rc = ngx_ors_mcp_params_walk(walk, key + 1, step ? &next : NULL);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_mcp_params_add(ngx_ors_mcp_walk_t *walk, ngx_ors_json_node_t *schema,
    ngx_ors_json_node_t *annotation, ngx_ors_mcp_step_t *step)
{
    u_char               *p;
    ngx_int_t             rc;
    ngx_str_t             name;
    ngx_pool_t           *pool;
    ngx_ors_mcp_param_t  *param;

    if (step == NULL || step->name == NULL) {
        walk->invalid = "x-mcp-header is not that of a property";
        return NGX_DECLINED;
    }

    pool = walk->params->pool;

    rc = ngx_ors_mcp_string(walk->json, annotation, pool, &name);
    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    walk->invalid = ngx_ors_mcp_params_check(walk, schema, &name);
    if (walk->invalid) {
        return NGX_DECLINED;
    }

    param = ngx_array_push(walk->params);
    if (param == NULL) {
        return NGX_ERROR;
    }

    param->header.len = sizeof(NGX_ORS_MCP_PARAM_PREFIX) - 1 + name.len;

    param->header.data = ngx_pnalloc(pool, param->header.len);
    if (param->header.data == NULL) {
        return NGX_ERROR;
    }

    p = ngx_cpymem(param->header.data, NGX_ORS_MCP_PARAM_PREFIX,
                   sizeof(NGX_ORS_MCP_PARAM_PREFIX) - 1);
    ngx_memcpy(p, name.data, name.len);

    return ngx_ors_mcp_params_path(walk, param, step);
}


/* NULL: the annotation is valid */

static char *
ngx_ors_mcp_params_check(ngx_ors_mcp_walk_t *walk,
    ngx_ors_json_node_t *schema, ngx_str_t *name)
{
    ngx_str_t             other;
    ngx_uint_t            i;
    ngx_ors_mcp_param_t  *param;
    ngx_ors_json_node_t  *type;

    if (!ngx_ors_mcp_header_token(name)) {
        return "x-mcp-header is no token";
    }

    type = ngx_ors_json_find(walk->json, schema, "type");

    if (!ngx_ors_json_is(walk->json, type, "string")
        && !ngx_ors_json_is(walk->json, type, "integer")
        && !ngx_ors_json_is(walk->json, type, "boolean"))
    {
        return "x-mcp-header is that of a property of another type";
    }

    if (walk->params->nelts == NGX_ORS_MCP_PARAMS_MAX) {
        return "too many properties have x-mcp-header";
    }

    param = walk->params->elts;

    for (i = 0; i < walk->params->nelts; i++) {
        other = param[i].header;
        other.data += sizeof(NGX_ORS_MCP_PARAM_PREFIX) - 1;
        other.len -= sizeof(NGX_ORS_MCP_PARAM_PREFIX) - 1;

        if (other.len == name->len
            && ngx_strncasecmp(other.data, name->data, name->len) == 0)
        {
            return "two properties have the same x-mcp-header";
        }
    }

    return NULL;
}


static ngx_int_t
ngx_ors_mcp_params_path(ngx_ors_mcp_walk_t *walk, ngx_ors_mcp_param_t *param,
    ngx_ors_mcp_step_t *step)
{
    ngx_pool_t  *pool;

    pool = walk->params->pool;

    param->depth = step->depth;

    param->path = ngx_palloc(pool, step->depth * sizeof(ngx_str_t));
    if (param->path == NULL) {
        return NGX_ERROR;
    }

    for ( /* void */ ; step->name; step = step->prev) {

        if (ngx_ors_mcp_string(walk->json, step->name, pool,
                               &param->path[step->depth - 1])
            != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


ngx_int_t
ngx_ors_mcp_params_headers(ngx_array_t *params, ngx_ors_json_t *json,
    ngx_ors_json_node_t *arguments, ngx_array_t *headers)
{
    ngx_int_t             rc;
    ngx_str_t             value;
    ngx_uint_t            i, n;
    ngx_keyval_t         *kv;
    ngx_ors_json_node_t  *node;
    ngx_ors_mcp_param_t  *param;

    param = params->elts;

    for (i = 0; i < params->nelts; i++) {
        node = arguments;

        for (n = 0; n < param[i].depth; n++) {
            node = ngx_ors_json_get(json, node, param[i].path[n].data,
                                    param[i].path[n].len);
        }

        rc = ngx_ors_mcp_params_value(json, node, headers->pool, &value);

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }

        if (rc == NGX_DECLINED) {
            continue;
        }

        kv = ngx_array_push(headers);
        if (kv == NULL) {
            return NGX_ERROR;
        }

        kv->key = param[i].header;

        if (ngx_ors_mcp_header_value(&value, headers->pool, &kv->value)
            != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/* NGX_DECLINED: there is nothing that a header could have */

static ngx_int_t
ngx_ors_mcp_params_value(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    ngx_pool_t *pool, ngx_str_t *value)
{
    int64_t    number;
    ngx_str_t  raw;

    if (node == NULL) {
        return NGX_DECLINED;
    }

    if (node->type == ngx_ors_json_string) {
        return ngx_ors_mcp_string(json, node, pool, value);
    }

    if (node->type == ngx_ors_json_true || node->type == ngx_ors_json_false) {
        ngx_ors_json_raw(json, node, value);
        return NGX_OK;
    }

    if (node->type != ngx_ors_json_number) {
        return NGX_DECLINED;
    }

    ngx_ors_json_raw(json, node, &raw);

    /* 1e2 is an integer */

    if (node->integer
        || ngx_ors_json_integer(json, node, &number) != NGX_OK)
    {
        *value = raw;
        return NGX_OK;
    }

    value->data = ngx_pnalloc(pool, NGX_INT64_LEN);
    if (value->data == NULL) {
        return NGX_ERROR;
    }

    value->len = ngx_sprintf(value->data, "%L", number) - value->data;

    return NGX_OK;
}
