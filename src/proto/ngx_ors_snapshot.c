
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * A stored response object with its items, made from a record.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_edit.h>
#include <ngx_ors_json_writer.h>
#include <ngx_ors_snapshot.h>


static ngx_int_t ngx_ors_snapshot_error(ngx_pool_t *pool,
    ngx_ors_error_t *error, ngx_str_t *text);


ngx_int_t
ngx_ors_snapshot_read(ngx_ors_snapshot_t *snap, ngx_str_t *text,
    ngx_pool_t *pool)
{
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *node;

    json = &snap->json;

    /* limits have been applied when the response was stored */

    ngx_ors_json_init(json, pool, NGX_ORS_JSON_MAX_DEPTH, text->len);

    if (ngx_ors_json_read(json, text->data, text->len) != NGX_OK) {
        return (json->error == ngx_ors_json_err_memory) ? NGX_ERROR
                                                        : NGX_DECLINED;
    }

    node = ngx_ors_json_find(json, json->nodes, "id");

    if (node == NULL || node->type != ngx_ors_json_string) {
        return NGX_DECLINED;
    }

    ngx_ors_json_raw(json, node, &snap->id);

    node = ngx_ors_json_find(json, json->nodes, "background");

    snap->background = (node && node->type == ngx_ors_json_true);

    return NGX_OK;
}


ngx_int_t
ngx_ors_snapshot_id(ngx_str_t *text, ngx_pool_t *pool, ngx_str_t *id)
{
    u_char              *p;
    ngx_int_t            rc;
    ngx_ors_snapshot_t   snap;

    static ngx_str_t  head = ngx_string("{\"id\":\"");

    /* a response that was made here begins with its id */

    if (text->len > head.len
        && ngx_memcmp(text->data, head.data, head.len) == 0)
    {
        id->data = text->data + head.len;

        for (p = id->data; p < text->data + text->len && *p != '\\'; p++) {

            if (*p == '"') {
                id->len = p - id->data;
                return NGX_OK;
            }
        }
    }

    rc = ngx_ors_snapshot_read(&snap, text, pool);

    if (rc == NGX_OK) {
        *id = snap.id;
    }

    return rc;
}


ngx_int_t
ngx_ors_snapshot_end(ngx_ors_snapshot_t *snap, ngx_ors_error_t *error,
    ngx_ors_out_t *out)
{
    ngx_str_t             text;
    ngx_ors_json_t       *json;
    ngx_ors_edits_t       edits;
    ngx_ors_json_node_t  *node;

    static ngx_str_t  failed = ngx_string("\"failed\"");
    static ngx_str_t  cancelled = ngx_string("\"cancelled\"");

    json = &snap->json;

    ngx_ors_edits_init(&edits, json->pool);

    node = ngx_ors_json_find(json, json->nodes, "status");

    if (node
        && ngx_ors_edits_value(&edits, node, error ? &failed : &cancelled)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    node = ngx_ors_json_find(json, json->nodes, "error");

    if (error && node) {

        if (ngx_ors_snapshot_error(json->pool, error, &text) != NGX_OK
            || ngx_ors_edits_value(&edits, node, &text) != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    ngx_ors_edits_write(&edits, json, ngx_ors_edit_start(json->nodes),
                        ngx_ors_edit_end(json->nodes), 1, out);

    return NGX_OK;
}


static ngx_int_t
ngx_ors_snapshot_error(ngx_pool_t *pool, ngx_ors_error_t *error,
    ngx_str_t *text)
{
    u_char  *p;
    size_t   len;

    len = sizeof("{\"code\":\"\",\"message\":\"\"}") - 1 + error->code.len
          + ngx_ors_json_escape_len(error->message.data, error->message.len);

    p = ngx_pnalloc(pool, len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    text->data = p;

    p = ngx_sprintf(p, "{\"code\":\"%V\",\"message\":\"", &error->code);
    p = ngx_ors_json_escape_mem(p, error->message.data, error->message.len);
    p = ngx_cpymem(p, "\"}", 2);

    text->len = p - text->data;

    return NGX_OK;
}
