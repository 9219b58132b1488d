
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The end of a validated answer, held back while the store commits the turn.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_verify_check.h>
#include <ngx_ors_verify_event.h>
#include <ngx_ors_verify_store.h>
#include <ngx_ors_ws.h>
#include <ngx_ors_id.h>


#define NGX_ORS_VERIFY_KEEP_BLOCK  4096


static ngx_int_t ngx_ors_verify_store_id(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *object, ngx_str_t *id);
static ngx_int_t ngx_ors_verify_store_read(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t **response);


ngx_int_t
ngx_ors_verify_store_hold(ngx_ors_verify_t *verify, ngx_str_t *type)
{
    ngx_int_t             rc;
    ngx_str_t             id;
    ngx_ors_out_t         out;
    ngx_ors_json_node_t  *root;

    root = verify->json.nodes;

    rc = ngx_ors_verify_store_id(verify, type ? ngx_ors_json_find(&verify->json,
                                                                  root,
                                                                  "response")
                                           : root,
                                 &id);

    if (rc == NGX_DECLINED) {
        return ngx_ors_verify_found(verify,
                                    ngx_ors_code_invalid_upstream_answer,
                                    "the model server's answer is not valid: "
                                    "its id is empty, longer than %d bytes or "
                                    "has a control character", NGX_ORS_ID_MAX);
    }

    if (rc != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_ors_out_init(&out, verify->pool, NGX_ORS_VERIFY_KEEP_BLOCK);

    ngx_ors_edits_write(&verify->edits, &verify->json, ngx_ors_edit_start(root),
                        ngx_ors_edit_end(root), 1, &out);

    if (ngx_ors_out_text(&out, &verify->held) != NGX_OK) {
        return NGX_ERROR;
    }

    if (type == NULL) {
        return NGX_OK;
    }

    verify->held_type.len = type->len;
    verify->held_type.data = ngx_pstrdup(verify->pool, type);

    return verify->held_type.data ? NGX_OK : NGX_ERROR;
}


ngx_int_t
ngx_ors_verify_store_response(ngx_ors_verify_t *verify, ngx_str_t *response,
    ngx_str_t *id, ngx_str_t *items)
{
    ngx_int_t             rc;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *object, *node;

    json = &verify->json;

    rc = ngx_ors_verify_store_read(verify, &object);

    if (rc != NGX_OK) {
        return rc;
    }

    ngx_ors_json_raw(json, object, response);

    rc = ngx_ors_verify_store_id(verify, object, id);

    if (rc != NGX_OK) {
        return rc;
    }

    node = ngx_ors_json_find(json, object, "output");

    if (node == NULL || node->type != ngx_ors_json_array) {
        return NGX_DECLINED;
    }

    ngx_ors_json_raw(json, node, items);

    return NGX_OK;
}


/* the id is decoded: a client may ask for it in another spelling */

static ngx_int_t
ngx_ors_verify_store_id(ngx_ors_verify_t *verify, ngx_ors_json_node_t *object,
    ngx_str_t *id)
{
    size_t                i;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *node;

    json = &verify->json;
    node = ngx_ors_json_find(json, object, "id");

    if (node == NULL || node->type != ngx_ors_json_string) {
        return NGX_DECLINED;
    }

    if (ngx_ors_json_decoded(json, node, verify->pool, id) != NGX_OK) {
        return NGX_ERROR;
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
ngx_ors_verify_store_read(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t **response)
{
    ngx_int_t  rc;

    rc = ngx_ors_json_read(&verify->json, verify->held.data, verify->held.len);

    if (rc != NGX_OK) {
        return rc;
    }

    ngx_ors_edits_clear(&verify->edits);

    *response = verify->json.nodes;

    if (verify->held_type.len) {
        *response = ngx_ors_json_find(&verify->json, *response, "response");
    }

    return *response ? NGX_OK : NGX_DECLINED;
}


ngx_int_t
ngx_ors_verify_store_release(ngx_ors_verify_t *verify, ngx_uint_t stored)
{
    ngx_int_t             rc;
    ngx_ors_out_t        *out;
    ngx_ors_json_node_t  *object;

    static ngx_str_t  value = ngx_string("false");

    rc = ngx_ors_verify_store_read(verify, &object);

    if (rc == NGX_OK && !stored) {
        rc = ngx_ors_verify_set(verify, object, "store", &value);
    }

    if (rc != NGX_OK) {
        return NGX_ERROR;
    }

    out = verify->out;

    if (verify->held_type.len) {
        ngx_ors_frame_open(out, &verify->held_type);
    }

    ngx_ors_edits_write(&verify->edits, &verify->json, 0, verify->held.len, 1,
                        out);

    if (verify->held_type.len) {
        ngx_ors_frame_close(out);
        ngx_ors_frame_done(out);
        return NGX_OK;
    }

    verify->status = verify->answer->status;
    ngx_str_set(&verify->type, "application/json");

    return NGX_OK;
}
