
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Items of stored turns: their entries in an index, and their check.
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

    node = ngx_ors_input_object(in);

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
}


void
ngx_ors_stored_add_list(ngx_ors_index_t *index, ngx_ors_json_t *json,
    ngx_ors_json_node_t *list, ngx_ors_edits_t *edits)
{
    ngx_ors_json_node_t   *node;
    ngx_ors_input_item_t   in;

    ngx_ors_json_each(node, json, list) {
        ngx_ors_input_item(&in, json, node);

        ngx_ors_stored_add(index, &in, edits,
                           ngx_ors_edit_start(node) - list->pos);
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

    flags = (in->kind == ngx_ors_input_approval) ? NGX_ORS_INDEX_ASK : 0;
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


/* with its quotes an id is a document, whatever the table of a record says */

ngx_int_t
ngx_ors_stored_id(ngx_ors_index_t *index, ngx_ors_index_item_t *item,
    ngx_ors_json_t *json, ngx_str_t *id)
{
    u_char     *p;
    ngx_int_t   rc;

    p = index->text.data + item->pos + item->id - 1;

    rc = ngx_ors_json_read(json, p, (size_t) item->id_len + 2);

    if (rc != NGX_OK) {
        return rc;
    }

    if (json->nodes->type != ngx_ors_json_string
        || json->nodes->len != item->id_len)
    {
        return NGX_DECLINED;
    }

    return ngx_ors_json_decoded(json, json->nodes, json->pool, id);
}


ngx_int_t
ngx_ors_stored_check(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    ngx_ors_code_e code, char *param, ngx_pool_t *pool, ngx_ors_error_t *err)
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

    (void) ngx_ors_error_set(err, pool, code,
                             "an item of what is stored cannot be used: %V",
                             &text);
    err->param.data = (u_char *) param;
    err->param.len = ngx_strlen(param);

    return NGX_DECLINED;
}
