
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
