
/*
 * Copyright (C) Open Responses contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_fields.h>
#include <ngx_ors_guard_check.h>
#include <ngx_ors_guard_event.h>
#include <ngx_ors_guard_keep.h>
#include <ngx_ors_guard_stream.h>
#include <ngx_ors_id.h>


#define NGX_ORS_GUARD_KEEP_BLOCK  4096


static ngx_int_t ngx_ors_guard_keep_field(ngx_ors_guard_t *guard,
    ngx_ors_json_node_t *object, char *name, ngx_str_t *value);
static void ngx_ors_guard_keep_value(ngx_ors_request_t *req,
    ngx_ors_json_node_t *node, ngx_str_t *value);
static ngx_int_t ngx_ors_guard_keep_id(ngx_ors_guard_t *guard,
    ngx_ors_json_node_t *object, ngx_str_t *id);
static ngx_int_t ngx_ors_guard_keep_read(ngx_ors_guard_t *guard,
    ngx_ors_json_node_t **response);


static ngx_str_t  ngx_ors_guard_keep_true = ngx_string("true");
static ngx_str_t  ngx_ors_guard_keep_false = ngx_string("false");
static ngx_str_t  ngx_ors_guard_keep_null = ngx_string("null");


ngx_int_t
ngx_ors_guard_keep_fields(ngx_ors_guard_t *guard,
    const ngx_ors_shape_t *shape)
{
    ngx_str_t             value;
    ngx_ors_request_t    *req;
    ngx_ors_json_node_t  *object;

    req = guard->request;
    object = guard->json.nodes;

    if (shape == &ngx_ors_fields_event) {
        object = ngx_ors_json_find(&guard->json, object, "response");

        if (object == NULL) {
            return NGX_OK;
        }
    }

    ngx_ors_guard_keep_value(req, req->field[ngx_ors_rq_previous_response_id],
                             &value);

    if (ngx_ors_guard_keep_field(guard, object, "previous_response_id",
                                 &value)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_ors_guard_keep_field(guard, object, "store",
                                    req->stored ? &ngx_ors_guard_keep_true
                                                : &ngx_ors_guard_keep_false);
}


/* what is not there has been filled in as it follows from the request */

static ngx_int_t
ngx_ors_guard_keep_field(ngx_ors_guard_t *guard, ngx_ors_json_node_t *object,
    char *name, ngx_str_t *value)
{
    ngx_ors_json_node_t  *node;

    node = ngx_ors_json_get(&guard->json, object, (u_char *) name,
                            ngx_strlen(name));

    return node ? ngx_ors_edits_value(&guard->edits, node, value) : NGX_OK;
}


/* as the client has written it, with its quotes */

static void
ngx_ors_guard_keep_value(ngx_ors_request_t *req, ngx_ors_json_node_t *node,
    ngx_str_t *value)
{
    if (node == NULL) {
        *value = ngx_ors_guard_keep_null;
        return;
    }

    value->data = req->json.text + ngx_ors_edit_start(node);
    value->len = ngx_ors_edit_end(node) - ngx_ors_edit_start(node);
}


ngx_int_t
ngx_ors_guard_keep_hold(ngx_ors_guard_t *guard, ngx_str_t *type)
{
    u_char               *p;
    ngx_int_t             rc;
    ngx_str_t             id;
    ngx_chain_t          *cl;
    ngx_ors_out_t         out;
    ngx_ors_json_node_t  *root;

    root = guard->json.nodes;

    rc = ngx_ors_guard_keep_id(guard, type ? ngx_ors_json_find(&guard->json,
                                                               root,
                                                               "response")
                                           : root,
                               &id);

    if (rc == NGX_DECLINED) {
        return ngx_ors_guard_found(guard, "invalid_upstream_answer",
                                   "the model server's answer is not valid: "
                                   "its id is empty, longer than %d bytes or "
                                   "has a control character", NGX_ORS_ID_MAX);
    }

    if (rc != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_ors_out_init(&out, guard->pool, NGX_ORS_GUARD_KEEP_BLOCK);

    ngx_ors_edits_write(&guard->edits, &guard->json, ngx_ors_edit_start(root),
                        ngx_ors_edit_end(root), 1, &out);

    guard->held.len = out.size;
    guard->held.data = ngx_pnalloc(guard->pool, out.size);

    if (guard->held.data == NULL || ngx_ors_out_take(&out, &cl) != NGX_OK) {
        return NGX_ERROR;
    }

    for (p = guard->held.data; cl; cl = cl->next) {
        p = ngx_cpymem(p, cl->buf->pos, cl->buf->last - cl->buf->pos);
    }

    if (type == NULL) {
        return NGX_OK;
    }

    guard->held_type.len = type->len;
    guard->held_type.data = ngx_pstrdup(guard->pool, type);

    return guard->held_type.data ? NGX_OK : NGX_ERROR;
}


ngx_int_t
ngx_ors_guard_keep_response(ngx_ors_guard_t *guard, ngx_str_t *response,
    ngx_str_t *id, ngx_str_t *items)
{
    ngx_int_t             rc;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *object, *node;

    json = &guard->json;

    rc = ngx_ors_guard_keep_read(guard, &object);

    if (rc != NGX_OK) {
        return rc;
    }

    ngx_ors_json_raw(json, object, response);

    rc = ngx_ors_guard_keep_id(guard, object, id);

    if (rc != NGX_OK) {
        return rc;
    }

    node = ngx_ors_json_find(json, object, "output");

    if (node == NULL || node->type != ngx_ors_json_array) {
        return NGX_DECLINED;
    }

    ngx_ors_json_raw(json, node, items);

    items->data++;
    items->len -= 2;

    return NGX_OK;
}


/* what the client asks for later, in another spelling perhaps */

static ngx_int_t
ngx_ors_guard_keep_id(ngx_ors_guard_t *guard, ngx_ors_json_node_t *object,
    ngx_str_t *id)
{
    size_t                i;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *node;

    json = &guard->json;
    node = object ? ngx_ors_json_find(json, object, "id") : NULL;

    if (node == NULL || node->type != ngx_ors_json_string) {
        return NGX_DECLINED;
    }

    ngx_ors_json_raw(json, node, id);

    if (node->escaped) {
        id->data = ngx_pnalloc(guard->pool, node->len);
        if (id->data == NULL) {
            return NGX_ERROR;
        }

        id->len = ngx_ors_json_decode(json, node, id->data) - id->data;
    }

    if (id->len == 0 || id->len > NGX_ORS_ID_MAX) {
        return NGX_DECLINED;
    }

    for (i = 0; i < id->len; i++) {
        if (id->data[i] < 0x20 || id->data[i] == 0x7f) {
            return NGX_DECLINED;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_guard_keep_read(ngx_ors_guard_t *guard, ngx_ors_json_node_t **response)
{
    ngx_int_t  rc;

    rc = ngx_ors_json_read(&guard->json, guard->held.data, guard->held.len);

    if (rc != NGX_OK) {
        return rc;
    }

    ngx_ors_edits_clear(&guard->edits);

    *response = guard->json.nodes;

    if (guard->held_type.len) {
        *response = ngx_ors_json_find(&guard->json, *response, "response");
    }

    return *response ? NGX_OK : NGX_DECLINED;
}


ngx_int_t
ngx_ors_guard_keep_release(ngx_ors_guard_t *guard, ngx_uint_t stored)
{
    ngx_int_t             rc;
    ngx_ors_out_t        *out;
    ngx_ors_json_node_t  *object;

    rc = ngx_ors_guard_keep_read(guard, &object);

    if (rc == NGX_OK && !stored) {
        rc = ngx_ors_guard_keep_field(guard, object, "store",
                                      &ngx_ors_guard_keep_false);
    }

    if (rc != NGX_OK) {
        return NGX_ERROR;
    }

    out = guard->out;

    if (guard->held_type.len) {
        ngx_ors_sse_open(out, &guard->held_type);
    }

    ngx_ors_edits_write(&guard->edits, &guard->json, 0, guard->held.len, 1,
                        out);

    if (guard->held_type.len) {
        ngx_ors_sse_close(out);
        ngx_ors_sse_done(out);
        return NGX_OK;
    }

    guard->status = guard->upstream_status;
    ngx_str_set(&guard->type, "application/json");

    return NGX_OK;
}


ngx_int_t
ngx_ors_guard_keep_fail(ngx_ors_guard_t *guard, ngx_ors_error_t *err)
{
    ngx_str_null(&guard->held);

    guard->error = *err;
    guard->stream->order = ngx_ors_guard_order_st_running;
    guard->stream->sequence--;

    return ngx_ors_guard_stream_fail(guard);
}
