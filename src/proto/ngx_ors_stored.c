
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Items of stored turns, read from the text of a record.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_fields.h>
#include <ngx_ors_stored.h>


static ngx_uint_t ngx_ors_stored_flags(ngx_ors_input_item_t *in);


void
ngx_ors_stored_add(ngx_ors_index_t *index, ngx_ors_input_item_t *in,
    ngx_ors_edits_t *edits, size_t pos)
{
    size_t                 start, end, place;
    ngx_ors_json_node_t   *node;
    ngx_ors_index_item_t  *item;

    item = ngx_ors_index_add(index);
    if (item == NULL) {
        return;
    }

    node = &in->json->nodes[in->node];

    start = ngx_ors_edit_start(node);
    end = ngx_ors_edit_end(node);

    item->pos = (uint32_t) pos;
    item->len = (uint32_t) ngx_ors_edits_size(edits, start, end);
    item->flags = ngx_ors_stored_flags(in);

    node = ngx_ors_input_node(in, in->id);

    if (node == NULL || node->type != ngx_ors_json_string || node->len == 0
        || ngx_ors_edits_place(edits, start, node->pos,
                               (size_t) node->pos + node->len, &place)
           != NGX_OK)
    {
        return;
    }

    item->id = (uint32_t) place;
    item->id_len = node->len;

    if (node->escaped) {
        item->flags |= NGX_ORS_INDEX_ESCAPED;
    }
}


static ngx_uint_t
ngx_ors_stored_flags(ngx_ors_input_item_t *in)
{
    ngx_str_t             text;
    ngx_uint_t            i, flags;
    ngx_ors_json_node_t  *role;

    static ngx_str_t  suffixes[] = {
        ngx_string("_output"),
        ngx_string("_approval_response")
    };

    flags = 0;
    role = ngx_ors_input_node(in, in->role);

    if (ngx_ors_json_is(in->json, role, "system")
        || ngx_ors_json_is(in->json, role, "developer"))
    {
        flags |= NGX_ORS_INDEX_RULE;
    }

    ngx_ors_json_raw(in->json, ngx_ors_input_node(in, in->type), &text);

    for (i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {

        if (text.len > suffixes[i].len
            && ngx_memcmp(text.data + text.len - suffixes[i].len,
                          suffixes[i].data, suffixes[i].len)
               == 0)
        {
            flags |= NGX_ORS_INDEX_ANSWER;
        }
    }

    return flags;
}


void
ngx_ors_stored_add_text(ngx_ors_index_t *index, size_t pos, size_t len)
{
    ngx_ors_index_item_t  *item;

    item = index ? ngx_ors_index_add(index) : NULL;

    if (item) {
        item->pos = (uint32_t) pos;
        item->len = (uint32_t) len;
    }
}


ngx_int_t
ngx_ors_stored_id(ngx_ors_index_t *index, ngx_ors_index_item_t *item,
    ngx_pool_t *pool, ngx_str_t *id)
{
    ngx_ors_json_t       json;
    ngx_ors_json_node_t  node;

    id->data = index->text.data + item->pos + item->id;
    id->len = item->id_len;

    if (!(item->flags & NGX_ORS_INDEX_ESCAPED)) {
        return NGX_OK;
    }

    ngx_memzero(&json, sizeof(ngx_ors_json_t));
    ngx_memzero(&node, sizeof(ngx_ors_json_node_t));

    json.text = id->data;

    node.type = ngx_ors_json_string;
    node.escaped = 1;
    node.len = item->id_len;

    id->data = ngx_pnalloc(pool, node.len + 1);
    if (id->data == NULL) {
        return NGX_ERROR;
    }

    id->len = ngx_ors_json_decode(&json, &node, id->data) - id->data;

    return NGX_OK;
}


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
