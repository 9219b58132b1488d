
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * An input item completed with the members that a listing requires.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_edit.h>
#include <ngx_ors_item.h>
#include <ngx_ors_listing_item.h>


/* of a response's id, which may be one that is not ours */
#define NGX_ORS_LISTING_OWNER  64


static ngx_ors_item_row_t *ngx_ors_listing_kind(
    ngx_ors_json_t *json, ngx_ors_json_node_t *item);
static ngx_ors_json_node_t *ngx_ors_listing_own_id(ngx_ors_json_t *json,
    ngx_ors_json_node_t *item);
static ngx_int_t ngx_ors_listing_head(ngx_ors_edits_t *edits,
    ngx_ors_json_t *json, ngx_ors_item_row_t *kind, ngx_str_t *id);
static ngx_int_t ngx_ors_listing_missing(ngx_ors_edits_t *edits,
    ngx_ors_json_t *json, ngx_ors_json_node_t *object, const char *name,
    ngx_str_t *value);
static ngx_int_t ngx_ors_listing_content(ngx_ors_edits_t *edits,
    ngx_ors_json_t *json);
static ngx_int_t ngx_ors_listing_string(ngx_ors_edits_t *edits,
    ngx_ors_json_node_t *content, ngx_uint_t assistant);
static ngx_int_t ngx_ors_listing_part(ngx_ors_edits_t *edits,
    ngx_ors_json_t *json, ngx_ors_json_node_t *part);


ngx_ors_json_node_t *
ngx_ors_listing_item_id(ngx_ors_json_t *json, ngx_ors_json_node_t *item,
    ngx_str_t *owner, ngx_uint_t index, u_char *buf, ngx_str_t *id)
{
    u_char               *p, *q, *last;
    ngx_ors_item_row_t   *kind;
    ngx_ors_json_node_t  *node;

    node = ngx_ors_listing_own_id(json, item);

    if (node) {
        ngx_ors_json_raw(json, node, id);
        return node;
    }

    kind = ngx_ors_listing_kind(json, item);

    p = ngx_cpymem(buf, kind->id.data, kind->id.len);
    *p++ = '_';

    last = owner->data + owner->len;

    q = ngx_strlchr(owner->data, last, '_');
    q = q ? q + 1 : owner->data;

    last = ngx_min(last, q + NGX_ORS_LISTING_OWNER);

    /* that of another server may have anything in it */

    for ( /* void */ ; q < last; q++) {
        if ((*q >= '0' && *q <= '9') || ((*q | 0x20) >= 'a'
                                         && (*q | 0x20) <= 'z'))
        {
            *p++ = *q;
        }
    }

    p = ngx_sprintf(p, "i%ui", index);

    id->data = buf;
    id->len = p - buf;

    return NULL;
}


/* without a type, an item is a message */

static ngx_ors_item_row_t *
ngx_ors_listing_kind(ngx_ors_json_t *json, ngx_ors_json_node_t *item)
{
    ngx_ors_json_node_t  *type;

    type = ngx_ors_json_find(json, item, "type");

    return (type && type->type == ngx_ors_json_string)
           ? ngx_ors_item_row(json, type, 0)
           : &ngx_ors_items[ngx_ors_item_message];
}


static ngx_ors_json_node_t *
ngx_ors_listing_own_id(ngx_ors_json_t *json, ngx_ors_json_node_t *item)
{
    ngx_ors_json_node_t  *node;

    node = ngx_ors_json_find(json, item, "id");

    return (node && node->type == ngx_ors_json_string && node->len) ? node
                                                                    : NULL;
}


ngx_int_t
ngx_ors_listing_item_render(ngx_ors_json_t *json, ngx_str_t *id,
    ngx_ors_out_t *out)
{
    ngx_ors_edits_t      edits;
    ngx_ors_item_row_t  *kind;

    ngx_ors_edits_init(&edits, json->pool);

    kind = ngx_ors_listing_kind(json, json->nodes);

    if (ngx_ors_listing_head(&edits, json, kind, id) != NGX_OK) {
        return NGX_ERROR;
    }

    if (kind == &ngx_ors_items[ngx_ors_item_message]
        && ngx_ors_listing_content(&edits, json) != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_ors_edits_write(&edits, json, ngx_ors_edit_start(json->nodes),
                        ngx_ors_edit_end(json->nodes), 1, out);

    return NGX_OK;
}


static ngx_int_t
ngx_ors_listing_head(ngx_ors_edits_t *edits, ngx_ors_json_t *json,
    ngx_ors_item_row_t *kind, ngx_str_t *id)
{
    u_char               *p;
    ngx_int_t             rc;
    ngx_str_t             value, *type;
    ngx_ors_json_node_t  *node;

    static ngx_str_t  message = ngx_string("\"message\"");
    static ngx_str_t  reference = ngx_string("\"item_reference\"");
    static ngx_str_t  completed = ngx_string("\"completed\"");

    type = &message;

    if (kind == &ngx_ors_items[ngx_ors_item_message]
        && ngx_ors_json_find(json, json->nodes, "role") == NULL)
    {
        type = &reference;
    }

    if (ngx_ors_listing_missing(edits, json, json->nodes, "type", type)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (ngx_ors_listing_own_id(json, json->nodes) == NULL) {
        value.len = id->len + 2;
        value.data = ngx_pnalloc(edits->pool, value.len);
        if (value.data == NULL) {
            return NGX_ERROR;
        }

        p = value.data;
        *p++ = '"';
        p = ngx_cpymem(p, id->data, id->len);
        *p = '"';

        /* one that is no string is replaced: pages go on from ids */

        node = ngx_ors_json_find(json, json->nodes, "id");

        rc = node ? ngx_ors_edits_value(edits, node, &value)
                  : ngx_ors_listing_missing(edits, json, json->nodes, "id",
                                            &value);
        if (rc != NGX_OK) {
            return NGX_ERROR;
        }
    }

    if (!kind->status || type == &reference) {
        return NGX_OK;
    }

    return ngx_ors_listing_missing(edits, json, json->nodes, "status",
                                   &completed);
}


/* a member that is absent, null or the empty string */

static ngx_int_t
ngx_ors_listing_missing(ngx_ors_edits_t *edits, ngx_ors_json_t *json,
    ngx_ors_json_node_t *object, const char *name, ngx_str_t *value)
{
    u_char               *p;
    size_t                len, pos;
    ngx_str_t             text;
    ngx_ors_json_node_t  *node;

    len = ngx_strlen(name);

    node = ngx_ors_json_get(json, object, (u_char *) name, len);

    if (node) {

        if (node->type == ngx_ors_json_null
            || (node->type == ngx_ors_json_string && node->len == 0))
        {
            return ngx_ors_edits_value(edits, node, value);
        }

        return NGX_OK;
    }

    text.data = ngx_pnalloc(edits->pool, len + value->len + 4);
    if (text.data == NULL) {
        return NGX_ERROR;
    }

    p = text.data;
    pos = ngx_ors_edit_start(object) + 1;

    /* an object without members has the comma in front of the second one */

    if (object->count == 0 && edits->n && edits->elts[edits->n - 1].pos == pos)
    {
        *p++ = ',';
    }

    p = ngx_sprintf(p, "\"%s\":%V", name, value);

    if (object->count) {
        *p++ = ',';
    }

    text.len = p - text.data;

    return ngx_ors_edits_add(edits, pos, 0, &text);
}


static ngx_int_t
ngx_ors_listing_content(ngx_ors_edits_t *edits, ngx_ors_json_t *json)
{
    ngx_ors_json_node_t  *role, *content, *part;

    content = ngx_ors_json_find(json, json->nodes, "content");

    if (content == NULL) {
        return NGX_OK;
    }

    if (content->type == ngx_ors_json_string) {
        role = ngx_ors_json_find(json, json->nodes, "role");

        return ngx_ors_listing_string(edits, content,
                                      role && ngx_ors_json_is(json, role,
                                                              "assistant"));
    }

    if (content->type != ngx_ors_json_array) {
        return NGX_OK;
    }

    ngx_ors_json_each(part, json, content) {
        if (ngx_ors_listing_part(edits, json, part) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/* the text itself stays where it is */

static ngx_int_t
ngx_ors_listing_string(ngx_ors_edits_t *edits, ngx_ors_json_node_t *content,
    ngx_uint_t assistant)
{
    ngx_str_t  *head, *tail;

    static ngx_str_t  input =
        ngx_string("[{\"type\":\"input_text\",\"text\":");
    static ngx_str_t  input_end = ngx_string("}]");
    static ngx_str_t  output =
        ngx_string("[{\"type\":\"output_text\",\"text\":");
    static ngx_str_t  output_end =
        ngx_string(",\"annotations\":[],\"logprobs\":[]}]");

    head = assistant ? &output : &input;
    tail = assistant ? &output_end : &input_end;

    if (ngx_ors_edits_add(edits, ngx_ors_edit_start(content), 0, head)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_ors_edits_add(edits, ngx_ors_edit_end(content), 0, tail);
}


static ngx_int_t
ngx_ors_listing_part(ngx_ors_edits_t *edits, ngx_ors_json_t *json,
    ngx_ors_json_node_t *part)
{
    ngx_ors_json_node_t  *type;

    static ngx_str_t  empty = ngx_string("[]");
    static ngx_str_t  automatic = ngx_string("\"auto\"");

    type = ngx_ors_json_find(json, part, "type");

    if (type == NULL || type->type != ngx_ors_json_string) {
        return NGX_OK;
    }

    if (ngx_ors_json_is(json, type, "input_image")) {
        return ngx_ors_listing_missing(edits, json, part, "detail",
                                       &automatic);
    }

    if (!ngx_ors_json_is(json, type, "output_text")) {
        return NGX_OK;
    }

    if (ngx_ors_listing_missing(edits, json, part, "annotations", &empty)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_ors_listing_missing(edits, json, part, "logprobs", &empty);
}
