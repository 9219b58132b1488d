
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * "encrypted_content" of reasoning items: thoughts, and provider state.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_builder_items.h>
#include <ngx_ors_builder_encrypt.h>


#define NGX_ORS_BUILDER_STATE_BLOCK  1024


/* the text is sealed as the inside of a JSON string, escapes included */

ngx_int_t
ngx_ors_builder_encrypt(ngx_ors_builder_t *builder, ngx_ors_item_t *item)
{
    u_char          *p;
    ngx_int_t        rc;
    ngx_str_t        text;
    ngx_ors_part_t  *part;

    text.len = item->hidden.len;

    for (part = item->parts; part; part = part->next) {
        text.len += part->text.len;
    }

    text.data = ngx_pnalloc(builder->pool, text.len);
    if (text.data == NULL) {
        return NGX_ERROR;
    }

    p = ngx_ors_text_copy(text.data, &item->hidden);

    for (part = item->parts; part; part = part->next) {
        p = ngx_ors_text_copy(p, &part->text);
    }

    rc = ngx_ors_seal(builder->sealer, ngx_ors_seal_reasoning, &text,
                      builder->pool, &item->sealed);

    (void) ngx_pfree(builder->pool, text.data);

    if (rc == NGX_DECLINED) {
        ngx_log_error(NGX_LOG_WARN, builder->log, 0,
                      "reasoning of %uz bytes is too long to be sealed",
                      text.len);
        ngx_str_null(&item->sealed);
        return NGX_OK;
    }

    return rc;
}


ngx_int_t
ngx_ors_builder_carry(ngx_ors_builder_t *builder)
{
    ngx_int_t        rc;
    ngx_str_t        text;
    ngx_ors_out_t    out;
    ngx_ors_item_t  *item;

    /* nothing may follow an item that is incomplete (R37) */

    if (builder->resp->status == ngx_ors_response_incomplete) {
        return NGX_OK;
    }

    ngx_ors_out_init(&out, builder->pool, NGX_ORS_BUILDER_STATE_BLOCK);

    rc = ngx_ors_chat_state_put(&builder->state, builder->maker,
                                ngx_ors_builder_first(builder), &out);

    if (builder->state.failed) {
        ngx_log_error(NGX_LOG_WARN, builder->log, 0,
                      "provider state of an answer is too large to be carried");
    }

    if (rc == NGX_DECLINED) {
        return NGX_OK;
    }

    item = ngx_ors_builder_item(builder, ngx_ors_item_reasoning);

    if (item == NULL
        || ngx_ors_out_text(&out, &text) != NGX_OK
        || ngx_ors_text_append(&item->hidden, builder->pool, text.data,
                               text.len)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    item->state = 1;

    if (builder->sealer == NULL) {
        builder->sealer = builder->keeper;
        rc = ngx_ors_builder_conceal(builder, item);
        builder->sealer = NULL;

        if (rc != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return ngx_ors_builder_advance(builder, 1);
}
