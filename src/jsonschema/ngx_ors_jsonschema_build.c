
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * How a schema is compiled: nodes and rules are made from its JSON, then the
 * references between them are resolved.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_jsonschema_node.h>


#define NGX_ORS_JSONSCHEMA_MIX       2654435761u

/* steps to look for all keywords in an object */
#define NGX_ORS_JSONSCHEMA_KEYWORDS  5

#define NGX_ORS_JSONSCHEMA_TEMP      4096

/* about what jansson allocates for a value, and its name if it is a member */
#define NGX_ORS_JSONSCHEMA_VALUE_SIZE  192

/* bytes of a schema that are parsed in the time of a step */
#define NGX_ORS_JSONSCHEMA_PARSED      16

#define NGX_ORS_JSONSCHEMA_DIALECTS   "//json-schema.org/"

/* bytes of URIs that are resolved in the time of a step */
#define NGX_ORS_JSONSCHEMA_URI_BYTES  16


/* ends of the parts of a URI: each begins where the previous one ends */

typedef struct {
    size_t    scheme;        /* with its colon, 0: there is none */
    size_t    authority;     /* with two slashes */
    size_t    path;
    size_t    query;
} ngx_ors_jsonschema_uri_t;


static void ngx_ors_jsonschema_release(void *data);
static ngx_int_t ngx_ors_jsonschema_build(ngx_ors_jsonschema_t *schema,
    ngx_pool_t *pool, ngx_uint_t objects, ngx_uint_t *steps,
    ngx_ors_jsonschema_report_t *report);
static ngx_int_t ngx_ors_jsonschema_build_root(ngx_ors_jsonschema_build_t *b,
    ngx_uint_t objects);
static ngx_int_t ngx_ors_jsonschema_build_object(
    ngx_ors_jsonschema_build_t *b, ngx_ors_jsonschema_node_t *node,
    json_t *json);
static ngx_int_t ngx_ors_jsonschema_build_others(
    ngx_ors_jsonschema_build_t *b, ngx_ors_jsonschema_node_t *node,
    json_t *json);
static ngx_ors_jsonschema_slot_t *ngx_ors_jsonschema_build_slot(
    ngx_ors_jsonschema_build_t *b, json_t *json);
static ngx_int_t ngx_ors_jsonschema_ref_names(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_node_t *node, json_t *json);
static ngx_int_t ngx_ors_jsonschema_ref_dialect(ngx_ors_jsonschema_build_t *b,
    json_t *json);
static ngx_int_t ngx_ors_jsonschema_ref_resource(
    ngx_ors_jsonschema_build_t *b, ngx_ors_jsonschema_node_t *node,
    json_t *json, json_t *id);
static ngx_ors_jsonschema_resource_t *ngx_ors_jsonschema_ref_add_resource(
    ngx_ors_jsonschema_build_t *b, json_t *json, ngx_str_t *uri);
static ngx_int_t ngx_ors_jsonschema_ref_name(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_node_t *node, json_t *json, char *keyword);
static ngx_int_t ngx_ors_jsonschema_ref_resolve(ngx_ors_jsonschema_build_t *b);
static ngx_int_t ngx_ors_jsonschema_ref_find(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_ref_t *ref);
static ngx_int_t ngx_ors_jsonschema_ref_uri(ngx_ors_jsonschema_build_t *b,
    char *keyword, ngx_str_t *base, ngx_str_t *ref, ngx_str_t *uri,
    ngx_str_t *fragment);
static json_t *ngx_ors_jsonschema_ref_pointer(ngx_ors_jsonschema_build_t *b,
    ngx_str_t *pointer, ngx_ors_jsonschema_resource_t **resource);
static void ngx_ors_jsonschema_uri_resolve(ngx_str_t *base, ngx_str_t *ref,
    ngx_str_t *uri, ngx_str_t *fragment);
static void ngx_ors_jsonschema_uri_parse(u_char *p, size_t len,
    ngx_ors_jsonschema_uri_t *u);
static size_t ngx_ors_jsonschema_uri_decode(u_char *dst, u_char *p,
    size_t len);
static size_t ngx_ors_jsonschema_uri_dots(u_char *path, size_t len);
static size_t ngx_ors_jsonschema_uri_token(u_char *name, size_t len);


void
ngx_ors_jsonschema_limits_default(ngx_ors_jsonschema_limits_t *limits)
{
    limits->size = 256 * 1024;
    limits->memory = 16 * 1024 * 1024;
    limits->pattern = 256 * 1024;
    limits->depth = 64;
    limits->values = 20000;
    limits->nesting = 256;
    limits->steps = 100000;
}


ngx_int_t
ngx_ors_jsonschema_compile(ngx_ors_jsonschema_t **schema, ngx_pool_t *pool,
    ngx_str_t *text, ngx_ors_jsonschema_limits_t *limits, ngx_uint_t *steps,
    ngx_ors_jsonschema_report_t *report)
{
    ngx_int_t                     rc;
    ngx_pool_cleanup_t           *cln;
    ngx_ors_jsonschema_t         *s;
    ngx_ors_jsonschema_extent_t   e;

    /* first, while there is nothing to undo */

    cln = ngx_pool_cleanup_add(pool, sizeof(ngx_ors_jsonschema_t));
    if (cln == NULL) {
        return NGX_ERROR;
    }

    s = cln->data;

    ngx_memzero(s, sizeof(ngx_ors_jsonschema_t));

    s->limits = *limits;
    s->log = pool->log;
    s->patterns.max = limits->pattern;

    rc = ngx_ors_jsonschema_step(steps, text->len / NGX_ORS_JSONSCHEMA_PARSED);

    if (rc == NGX_OK) {
        rc = ngx_ors_jsonschema_load(text, limits, &e, &s->root, report);

        if (rc != NGX_OK) {
            return (rc == NGX_BUSY) ? NGX_DECLINED : rc;
        }

        cln->handler = ngx_ors_jsonschema_release;

        s->size = sizeof(ngx_ors_jsonschema_t) + text->len
                  + e.values * NGX_ORS_JSONSCHEMA_VALUE_SIZE;

        rc = ngx_ors_jsonschema_build(s, pool, e.objects, steps, report);
    }

    if (rc == NGX_BUSY) {
        return ngx_ors_jsonschema_refuse(report, "", "schema takes too long to "
                                         "be compiled");
    }

    if (rc != NGX_OK) {
        return rc;
    }

    *schema = s;

    return NGX_OK;
}


static void
ngx_ors_jsonschema_release(void *data)
{
    ngx_ors_jsonschema_t *schema = data;

    ngx_ors_jsonschema_patterns_free(&schema->patterns);

    json_decref(schema->root);
}


size_t
ngx_ors_jsonschema_size(ngx_ors_jsonschema_t *schema)
{
    return schema->size + schema->patterns.size;
}


static ngx_int_t
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
    ngx_str_t                       uri = ngx_string("");
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

    resource = ngx_ors_jsonschema_ref_add_resource(b, b->schema->root, &uri);
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

    slot = NULL;

    if (json_is_object(json)) {
        slot = ngx_ors_jsonschema_build_slot(b, json);

        if (slot->node) {
            *node = slot->node;
            return NGX_OK;
        }

    } else if (!json_is_boolean(json)) {
        return ngx_ors_jsonschema_refuse(b->report, "schema",
                            "schema has a part that is no schema: it must be "
                            "an object, true or false");
    }

    *node = ngx_ors_jsonschema_build_alloc(b,
                                           sizeof(ngx_ors_jsonschema_node_t));
    if (*node == NULL) {
        return NGX_ERROR;
    }

    (*node)->resource = resource;
    (*node)->never = json_is_false(json);

    if (slot == NULL) {
        return NGX_OK;
    }

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


/* NGX_DONE of a keyword: it needs no rule */

static ngx_int_t
ngx_ors_jsonschema_build_object(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_node_t *node, json_t *json)
{
    json_t                              *value;
    ngx_int_t                            rc;
    ngx_ors_jsonschema_rule_t           *rule, **last;
    const ngx_ors_jsonschema_keyword_t  *keyword;

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

    for (keyword = ngx_ors_jsonschema_keywords; keyword->name; keyword++) {

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

        *last = rule;
        last = &rule->next;
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


/* the slot of the object "json", which has a node if it has been built */

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
        json = iter ? json_object_iter_value(iter) : json_array_get(value, i);
        iter = json_object_iter_next(value, iter);

        rc = ngx_ors_jsonschema_build_node(b, json, resource,
                                           &nodes->elts[i]);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


ngx_int_t
ngx_ors_jsonschema_build_error(ngx_ors_jsonschema_build_t *b, char *keyword,
    char *must)
{
    return ngx_ors_jsonschema_refuse(b->report, keyword,
                                     "schema cannot be used: a \"%s\" must be "
                                     "%s", keyword, must);
}


/*
 * Resources, anchors and the references between them: $id, $anchor,
 * $dynamicAnchor, $ref, $dynamicRef.
 */


/* Registers the "$id" and the anchors of "json"; an "$id" begins a resource. */

static ngx_int_t
ngx_ors_jsonschema_ref_names(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_node_t *node, json_t *json)
{
    json_t     *id;
    ngx_int_t   rc;

    rc = ngx_ors_jsonschema_ref_dialect(b, json);
    if (rc != NGX_OK) {
        return rc;
    }

    id = json_object_get(json, "$id");

    if (id) {
        rc = ngx_ors_jsonschema_ref_resource(b, node, json, id);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    rc = ngx_ors_jsonschema_ref_name(b, node, json, "$anchor");
    if (rc != NGX_OK) {
        return rc;
    }

    return ngx_ors_jsonschema_ref_name(b, node, json, "$dynamicAnchor");
}


/* another meta-schema may leave out keywords, or have others */

static ngx_int_t
ngx_ors_jsonschema_ref_dialect(ngx_ors_jsonschema_build_t *b, json_t *json)
{
    size_t       n;
    json_t      *value;
    const char  *text;

    value = json_object_get(json, "$schema");
    if (value == NULL) {
        return NGX_OK;
    }

    if (json_is_string(value)) {
        text = json_string_value(value);
        n = (ngx_strncmp(text, "https:", 6) == 0) ? 6 : 5;

        if (ngx_strncmp(text, "http", 4) == 0
            && ngx_strncmp(text + n, NGX_ORS_JSONSCHEMA_DIALECTS,
                           sizeof(NGX_ORS_JSONSCHEMA_DIALECTS) - 1)
               == 0)
        {
            return NGX_OK;
        }
    }

    return ngx_ors_jsonschema_build_error(b, "$schema",
                                          "one of those of json-schema.org");
}


static ngx_int_t
ngx_ors_jsonschema_ref_resource(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_node_t *node, json_t *json, json_t *id)
{
    ngx_int_t                       rc;
    ngx_str_t                       text, uri, fragment;
    ngx_ors_jsonschema_resource_t  *resource;

    if (!json_is_string(id)) {
        return ngx_ors_jsonschema_build_error(b, "$id", "a string");
    }

    text.data = (u_char *) json_string_value(id);
    text.len = json_string_length(id);

    rc = ngx_ors_jsonschema_ref_uri(b, "$id", &node->resource->uri, &text,
                                    &uri, &fragment);
    if (rc != NGX_OK) {
        return rc;
    }

    if (fragment.len) {
        return ngx_ors_jsonschema_build_error(b, "$id",
                                              "a URI without a fragment");
    }

    resource = ngx_ors_jsonschema_ref_add_resource(b, json, &uri);
    if (resource == NULL) {
        return NGX_ERROR;
    }

    node->resource = resource;

    return NGX_OK;
}


/* of resources with one URI the first one is referred to */

static ngx_ors_jsonschema_resource_t *
ngx_ors_jsonschema_ref_add_resource(ngx_ors_jsonschema_build_t *b,
    json_t *json, ngx_str_t *uri)
{
    ngx_ors_name_t                  *name;
    ngx_ors_jsonschema_resource_t   *resource, **slot;

    resource = ngx_ors_jsonschema_build_alloc(b,
                          sizeof(ngx_ors_jsonschema_resource_t) + uri->len);
    if (resource == NULL) {
        return NULL;
    }

    resource->json = json;
    resource->uri.len = uri->len;
    resource->uri.data = (u_char *) (resource + 1);
    ngx_memcpy(resource->uri.data, uri->data, uri->len);

    slot = ngx_array_push(&b->resources);
    name = ngx_ors_names_entry(&b->uris, b->temp, &resource->uri);

    if (slot == NULL || name == NULL) {
        return NULL;
    }

    *slot = resource;

    if (name->value == 0) {
        name->value = b->resources.nelts;
    }

    return resource;
}


static ngx_int_t
ngx_ors_jsonschema_ref_name(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_node_t *node, json_t *json, char *keyword)
{
    json_t                        *value;
    ngx_str_t                      text;
    ngx_ors_name_t                *name;
    ngx_ors_jsonschema_anchor_t   *anchor, **slot;

    value = json_object_get(json, keyword);
    if (value == NULL) {
        return NGX_OK;
    }

    if (!json_is_string(value)) {
        return ngx_ors_jsonschema_build_error(b, keyword, "a string");
    }

    text.data = (u_char *) json_string_value(value);
    text.len = json_string_length(value);

    /* of anchors with one name the first one is referred to */

    anchor = ngx_ors_jsonschema_ref_anchor(b->schema, node->resource, &text);

    if (anchor) {
        anchor->dynamic |= (keyword[1] == 'd' && anchor->json == json);
        return NGX_OK;
    }

    /* for one alone, or twice for each of many, as the index grows */

    if (ngx_ors_jsonschema_build_hold(b, ngx_ors_names_size(1)) != NGX_OK) {
        return NGX_ERROR;
    }

    anchor = ngx_ors_jsonschema_build_alloc(b,
                                         sizeof(ngx_ors_jsonschema_anchor_t));
    slot = ngx_array_push(&b->schema->anchors);
    name = ngx_ors_names_entry(&node->resource->anchors, b->pool, &text);

    if (anchor == NULL || slot == NULL || name == NULL) {
        return NGX_ERROR;
    }

    *slot = anchor;
    name->value = b->schema->anchors.nelts;

    anchor->name = text;
    anchor->json = json;
    anchor->node = node;
    anchor->dynamic = (keyword[1] == 'd');

    return NGX_OK;
}


ngx_int_t
ngx_ors_jsonschema_build_ref(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_rule_t *rule,
    json_t *schema, json_t *value)
{
    ngx_ors_jsonschema_ref_t  *ref;

    if (!json_is_string(value)) {
        return ngx_ors_jsonschema_build_error(b, rule->keyword->name,
                                              "a string");
    }

    ref = ngx_array_push(&b->refs);
    if (ref == NULL) {
        return NGX_ERROR;
    }

    ref->resource = node->resource;
    ref->rule = rule;
    ref->text.data = (u_char *) json_string_value(value);
    ref->text.len = json_string_length(value);

    return NGX_OK;
}


/* the target of a reference may have references: "refs" grows */

static ngx_int_t
ngx_ors_jsonschema_ref_resolve(ngx_ors_jsonschema_build_t *b)
{
    ngx_int_t                 rc;
    ngx_uint_t                i;
    ngx_ors_jsonschema_ref_t  ref;

    for (i = 0; i < b->refs.nelts; i++) {
        ref = ((ngx_ors_jsonschema_ref_t *) b->refs.elts)[i];

        rc = ngx_ors_jsonschema_ref_find(b, &ref);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_jsonschema_ref_find(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_ref_t *ref)
{
    json_t                         *json;
    ngx_int_t                       rc;
    ngx_str_t                       uri, fragment;
    ngx_ors_name_t                 *name;
    ngx_ors_jsonschema_anchor_t    *anchor;
    ngx_ors_jsonschema_resource_t  *resource;

    rc = ngx_ors_jsonschema_ref_uri(b, ref->rule->keyword->name,
                                    &ref->resource->uri, &ref->text, &uri,
                                    &fragment);
    if (rc != NGX_OK) {
        return rc;
    }

    json = NULL;
    resource = NULL;
    name = ngx_ors_names_find(&b->uris, &uri);

    if (name) {
        resource = ((ngx_ors_jsonschema_resource_t **) b->resources.elts)
                                                           [name->value - 1];
        json = resource->json;
    }

    if (name && fragment.len && fragment.data[0] == '/') {
        json = ngx_ors_jsonschema_ref_pointer(b, &fragment, &resource);

    } else if (name && fragment.len) {
        anchor = ngx_ors_jsonschema_ref_anchor(b->schema, resource,
                                               &fragment);
        json = anchor ? anchor->json : NULL;

        if (anchor && anchor->dynamic && ref->rule->keyword->name[1] == 'd') {
            ref->rule->u.ref.anchor = anchor;
        }
    }

    if (json == NULL) {
        return ngx_ors_jsonschema_refuse(b->report, ref->rule->keyword->name,
                                         "schema cannot be used: \"%V\" "
                                         "refers to nothing inside of it",
                                         &ref->text);
    }

    return ngx_ors_jsonschema_build_node(b, json, resource,
                                         &ref->rule->u.ref.node);
}


/* "uri" and "fragment" last until the next call */

static ngx_int_t
ngx_ors_jsonschema_ref_uri(ngx_ors_jsonschema_build_t *b, char *keyword,
    ngx_str_t *base, ngx_str_t *ref, ngx_str_t *uri, ngx_str_t *fragment)
{
    uri->len = 0;
    uri->data = b->uri;
    fragment->len = 0;
    fragment->data = b->fragment;

    if (ngx_ors_jsonschema_step(b->steps, 1 + (base->len + ref->len)
                                              / NGX_ORS_JSONSCHEMA_URI_BYTES)
        != NGX_OK)
    {
        return NGX_BUSY;
    }

    if (ref->len <= NGX_ORS_JSONSCHEMA_URI) {
        ngx_ors_jsonschema_uri_resolve(base, ref, uri, fragment);

        if (uri->len <= NGX_ORS_JSONSCHEMA_URI) {
            return NGX_OK;
        }
    }

    return ngx_ors_jsonschema_build_error(b, keyword, "shorter");
}


ngx_ors_jsonschema_anchor_t *
ngx_ors_jsonschema_ref_anchor(ngx_ors_jsonschema_t *schema,
    ngx_ors_jsonschema_resource_t *resource, ngx_str_t *name)
{
    ngx_ors_name_t                *entry;
    ngx_ors_jsonschema_anchor_t  **anchors;

    anchors = schema->anchors.elts;
    entry = ngx_ors_names_find(&resource->anchors, name);

    return entry ? anchors[entry->value - 1] : NULL;
}


/* a schema on the way may be another resource */

static json_t *
ngx_ors_jsonschema_ref_pointer(ngx_ors_jsonschema_build_t *b,
    ngx_str_t *pointer, ngx_ors_jsonschema_resource_t **resource)
{
    size_t                      len;
    u_char                     *p, *last, *name;
    json_t                     *json;
    ngx_int_t                   n;
    ngx_ors_jsonschema_node_t  *node;

    json = (*resource)->json;
    last = pointer->data + pointer->len;

    for (p = pointer->data; p < last && json; /* void */ ) {

        name = ++p;

        while (p < last && *p != '/') {
            p++;
        }

        len = ngx_ors_jsonschema_uri_token(name, p - name);

        if (json_is_array(json)) {
            n = ngx_atoi(name, len);
            json = (n == NGX_ERROR || (len > 1 && name[0] == '0'))
                   ? NULL : json_array_get(json, n);

        } else {
            json = json_object_getn(json, (char *) name, len);
        }

        node = json_is_object(json)
               ? ngx_ors_jsonschema_build_slot(b, json)->node : NULL;
        if (node) {
            *resource = node->resource;
        }
    }

    return json;
}


/*
 * URI references between the parts of a schema (RFC 3986).
 */


/*
 * Resolves "ref" against "base", which may be empty: "uri" has no fragment,
 * "fragment" is without "#" and %-decoded.  Both are written to buffers of the
 * caller: uri->data has base->len + ref->len + 1 bytes, fragment->data has
 * ref->len.
 */

static void
ngx_ors_jsonschema_uri_resolve(ngx_str_t *base, ngx_str_t *ref, ngx_str_t *uri,
    ngx_str_t *fragment)
{
    size_t                     len, keep;
    u_char                    *p, *path;
    ngx_ors_jsonschema_uri_t   b, r;

    p = ngx_strlchr(ref->data, ref->data + ref->len, '#');
    len = p ? (size_t) (p - ref->data) : ref->len;

    fragment->len = p ? ref->len - len - 1 : 0;

    if (p) {
        fragment->len = ngx_ors_jsonschema_uri_decode(fragment->data, p + 1,
                                                      fragment->len);
    }

    ngx_ors_jsonschema_uri_parse(base->data, base->len, &b);
    ngx_ors_jsonschema_uri_parse(ref->data, len, &r);

    /* how much of the base is in front of what the reference has */

    if (r.scheme) {
        keep = 0;

    } else if (r.authority) {
        keep = b.scheme;

    } else if (r.path == 0) {
        keep = (r.query == 0) ? b.query : b.path;

    } else if (ref->data[0] == '/') {
        keep = b.authority;

    } else {
        for (keep = b.path; keep > b.authority; keep--) {

            if (base->data[keep - 1] == '/') {
                break;
            }
        }
    }

    p = ngx_cpymem(uri->data, base->data, keep);
    path = uri->data + (r.authority ? keep + r.authority
                                    : ngx_min(keep, b.authority));

    if (keep && keep == b.authority && b.authority > b.scheme && r.path
        && ref->data[0] != '/')
    {
        *p++ = '/';
    }

    p = ngx_cpymem(p, ref->data, r.path);

    if (r.path > r.authority) {
        p = path + ngx_ors_jsonschema_uri_dots(path, p - path);
    }

    p = ngx_cpymem(p, ref->data + r.path, r.query - r.path);

    uri->len = p - uri->data;
}


static void
ngx_ors_jsonschema_uri_parse(u_char *p, size_t len,
    ngx_ors_jsonschema_uri_t *u)
{
    size_t  i;

    for (i = 0; i < len; i++) {

        if (p[i] == ':' || p[i] == '/' || p[i] == '?') {
            break;
        }
    }

    u->scheme = (i && i < len && p[i] == ':') ? i + 1 : 0;

    i = u->scheme;

    if (i + 1 < len && p[i] == '/' && p[i + 1] == '/') {

        for (i += 2; i < len && p[i] != '/' && p[i] != '?'; i++) {
            /* void */
        }
    }

    u->authority = i;

    while (i < len && p[i] != '?') {
        i++;
    }

    u->path = i;
    u->query = len;
}


/* returns the length; "%" without two digits stays as it is */

static size_t
ngx_ors_jsonschema_uri_decode(u_char *dst, u_char *p, size_t len)
{
    u_char     *last, *start;
    ngx_int_t   n;

    last = p + len;

    for (start = dst; p < last; p++) {

        if (*p == '%' && last - p > 2) {
            n = ngx_hextoi(p + 1, 2);

            if (n != NGX_ERROR) {
                *dst++ = (u_char) n;
                p += 2;
                continue;
            }
        }

        *dst++ = *p;
    }

    return dst - start;
}


/* removes the segments "." and ".." in place, returns the length */

static size_t
ngx_ors_jsonschema_uri_dots(u_char *path, size_t len)
{
    size_t   n;
    u_char  *p, *last, *dst, *next;

    last = path + len;
    dst = path;

    for (p = path; p < last; p = next) {

        next = ngx_strlchr(p, last, '/');
        next = next ? next + 1 : last;
        n = next - p - (next[-1] == '/');

        if (n == 1 && p[0] == '.') {
            continue;
        }

        if (n == 2 && p[0] == '.' && p[1] == '.') {

            if (dst - path > 1) {

                for (dst--; dst > path && dst[-1] != '/'; dst--) {
                    /* void */
                }
            }

            continue;
        }

        dst = ngx_movemem(dst, p, next - p);
    }

    return dst - path;
}


/* Decodes "~0" and "~1" of a JSON pointer in place; returns the length. */

static size_t
ngx_ors_jsonschema_uri_token(u_char *name, size_t len)
{
    u_char  *p, *last, *dst;

    last = name + len;

    for (p = name, dst = name; p < last; p++) {

        if (p[0] == '~' && p + 1 < last && (p[1] == '0' || p[1] == '1')) {
            p++;
            *dst++ = (*p == '0') ? '~' : '/';
            continue;
        }

        *dst++ = *p;
    }

    return dst - name;
}
