
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Resources, anchors and the references between them.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_jsonschema_ref.h>
#include <ngx_ors_jsonschema_report.h>
#include <ngx_ors_jsonschema_uri.h>
#include <ngx_ors_jsonschema_value.h>


#define NGX_ORS_JSONSCHEMA_DIALECTS   "//json-schema.org/"

/* bytes of URIs that are resolved in the time of a step */
#define NGX_ORS_JSONSCHEMA_URI_BYTES  16


static ngx_int_t ngx_ors_jsonschema_ref_dialect(ngx_ors_jsonschema_build_t *b,
    json_t *json);
static ngx_int_t ngx_ors_jsonschema_ref_resource(
    ngx_ors_jsonschema_build_t *b, ngx_ors_jsonschema_node_t *node,
    json_t *json, json_t *id);
static ngx_ors_jsonschema_resource_t *ngx_ors_jsonschema_ref_add_resource(
    ngx_ors_jsonschema_build_t *b, json_t *json, ngx_str_t *uri);
static ngx_int_t ngx_ors_jsonschema_ref_name(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_node_t *node, json_t *json, char *keyword);
static ngx_int_t ngx_ors_jsonschema_ref_find(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_ref_t *ref);
static ngx_int_t ngx_ors_jsonschema_ref_uri(ngx_ors_jsonschema_build_t *b,
    char *keyword, ngx_str_t *base, ngx_str_t *ref, ngx_str_t *uri,
    ngx_str_t *fragment);
static ngx_ors_jsonschema_resource_t *ngx_ors_jsonschema_ref_target(
    ngx_ors_jsonschema_build_t *b, ngx_str_t *uri);
static json_t *ngx_ors_jsonschema_ref_pointer(ngx_ors_jsonschema_build_t *b,
    ngx_str_t *pointer, ngx_ors_jsonschema_resource_t **resource);
static json_t *ngx_ors_jsonschema_ref_step(json_t *json, u_char *name,
    size_t len);
static ngx_int_t ngx_ors_jsonschema_ref_lost(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_ref_t *ref);


ngx_int_t
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


ngx_ors_jsonschema_resource_t *
ngx_ors_jsonschema_ref_document(ngx_ors_jsonschema_build_t *b)
{
    ngx_str_t  uri = ngx_string("");

    return ngx_ors_jsonschema_ref_add_resource(b, b->schema->root, &uri);
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
ngx_ors_jsonschema_ref_add(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_rule_t *rule,
    json_t *text)
{
    ngx_ors_jsonschema_ref_t  *ref;

    if (!json_is_string(text)) {
        return ngx_ors_jsonschema_build_error(b, rule->keyword->name,
                                              "a string");
    }

    ref = ngx_array_push(&b->refs);
    if (ref == NULL) {
        return NGX_ERROR;
    }

    ref->resource = node->resource;
    ref->rule = rule;
    ref->text.data = (u_char *) json_string_value(text);
    ref->text.len = json_string_length(text);

    return NGX_OK;
}


/* the target of a reference may have references: "refs" grows */

ngx_int_t
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
    ngx_ors_jsonschema_anchor_t    *anchor;
    ngx_ors_jsonschema_resource_t  *resource;

    rc = ngx_ors_jsonschema_ref_uri(b, ref->rule->keyword->name,
                                    &ref->resource->uri, &ref->text, &uri,
                                    &fragment);
    if (rc != NGX_OK) {
        return rc;
    }

    resource = ngx_ors_jsonschema_ref_target(b, &uri);
    if (resource == NULL) {
        return ngx_ors_jsonschema_ref_lost(b, ref);
    }

    anchor = NULL;
    json = resource->json;

    if (fragment.len && fragment.data[0] == '/') {
        json = ngx_ors_jsonschema_ref_pointer(b, &fragment, &resource);

    } else if (fragment.len) {
        anchor = ngx_ors_jsonschema_ref_anchor(b->schema, resource,
                                               &fragment);
        json = anchor ? anchor->json : NULL;
    }

    if (json == NULL) {
        return ngx_ors_jsonschema_ref_lost(b, ref);
    }

    if (anchor && anchor->dynamic) {
        ref->rule->u.ref.anchor = anchor;
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


static ngx_ors_jsonschema_resource_t *
ngx_ors_jsonschema_ref_target(ngx_ors_jsonschema_build_t *b, ngx_str_t *uri)
{
    ngx_ors_name_t                  *name;
    ngx_ors_jsonschema_resource_t  **resources;

    resources = b->resources.elts;
    name = ngx_ors_names_find(&b->uris, uri);

    return name ? resources[name->value - 1] : NULL;
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
    ngx_ors_jsonschema_node_t  *node;

    json = (*resource)->json;
    last = pointer->data + pointer->len;

    for (p = pointer->data; p < last && json; /* void */ ) {

        name = ++p;

        while (p < last && *p != '/') {
            p++;
        }

        len = ngx_ors_jsonschema_uri_token(name, p - name);
        json = ngx_ors_jsonschema_ref_step(json, name, len);

        node = json_is_object(json) ? ngx_ors_jsonschema_build_find(b, json)
                                    : NULL;
        if (node) {
            *resource = node->resource;
        }
    }

    return json;
}


static json_t *
ngx_ors_jsonschema_ref_step(json_t *json, u_char *name, size_t len)
{
    ngx_int_t  n;

    if (!json_is_array(json)) {
        return json_object_getn(json, (char *) name, len);
    }

    n = ngx_atoi(name, len);

    if (n == NGX_ERROR || (len > 1 && name[0] == '0')) {
        return NULL;
    }

    return json_array_get(json, n);
}


static ngx_int_t
ngx_ors_jsonschema_ref_lost(ngx_ors_jsonschema_build_t *b,
    ngx_ors_jsonschema_ref_t *ref)
{
    return ngx_ors_jsonschema_refuse(b->report, ref->rule->keyword->name,
                                     "schema cannot be used: \"%V\" refers to "
                                     "nothing inside of it", &ref->text);
}
