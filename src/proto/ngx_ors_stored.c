
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Items of stored turns, read from the text of a record.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_edit.h>
#include <ngx_ors_fields.h>
#include <ngx_ors_stored.h>


ngx_int_t
ngx_ors_stored_read(ngx_ors_stored_t *items, ngx_str_t *text,
    ngx_uint_t max_nodes, ngx_pool_t *pool)
{
    ngx_int_t  rc;

    items->text = text;
    items->first = NULL;

    ngx_ors_json_init(&items->json, pool, NGX_ORS_JSON_MAX_DEPTH, max_nodes);

    if (text->len == 0) {
        return NGX_DECLINED;
    }

    rc = ngx_ors_json_read(&items->json, text->data, text->len);

    if (rc != NGX_OK) {
        return rc;
    }

    if (items->json.nodes->type != ngx_ors_json_array) {
        return NGX_DECLINED;
    }

    items->first = ngx_ors_json_first(&items->json, &items->json.nodes[0]);

    return items->first ? NGX_OK : NGX_DECLINED;
}


ngx_int_t
ngx_ors_stored_next(ngx_ors_stored_t *items, ngx_ors_json_node_t **node,
    ngx_str_t *id, ngx_pool_t *pool)
{
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *item, *value;

    json = &items->json;
    item = *node ? ngx_ors_json_next(json, *node) : items->first;

    for ( /* void */ ; item; item = ngx_ors_json_next(json, item)) {
        value = ngx_ors_json_find(json, item, "id");

        if (value && value->type == ngx_ors_json_string) {
            break;
        }
    }

    if (item == NULL) {
        return NGX_DONE;
    }

    *node = item;

    ngx_ors_json_raw(json, value, id);

    if (value->escaped) {
        id->data = ngx_pnalloc(pool, value->len);
        if (id->data == NULL) {
            return NGX_ERROR;
        }

        id->len = ngx_ors_json_decode(json, value, id->data) - id->data;
    }

    return NGX_OK;
}


ngx_int_t
ngx_ors_stored_check(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    char *code, char *param, ngx_pool_t *pool, ngx_ors_error_t *err)
{
    ngx_int_t           rc;
    ngx_str_t           text;
    ngx_ors_validate_t  v;

    static ngx_ors_policy_t  policy = {
        NGX_ORS_TOLERANT_OPENAI, ngx_ors_unknown_pass, 0,
        ngx_ors_reasoning_summary, ngx_ors_refusal_part
    };

    ngx_memzero(&v, sizeof(ngx_ors_validate_t));

    v.json = json;
    v.policy = &policy;
    v.root = "a stored item";
    v.pool = pool;
    v.err = err;
    v.discreet = 1;
    v.lax = 1;

    rc = ngx_ors_validate(&v, node, &ngx_ors_fields_input_item, NULL);

    if (rc != NGX_DECLINED) {
        return rc;
    }

    ngx_log_error(NGX_LOG_ERR, pool->log, 0,
                  "a stored item cannot be used: %V", &err->message);

    text = err->message;

    (void) ngx_ors_error_set(err, pool, 400, code,
                             "an item of what is stored cannot be used: %V",
                             &text);
    err->param.data = (u_char *) param;
    err->param.len = ngx_strlen(param);

    return NGX_DECLINED;
}


void
ngx_ors_stored_item(ngx_ors_stored_t *items, ngx_ors_json_node_t *node,
    ngx_str_t *item)
{
    item->data = items->text->data + ngx_ors_edit_start(node);
    item->len = ngx_ors_edit_end(node) - ngx_ors_edit_start(node);
}
