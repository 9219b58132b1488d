
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The answer to a compaction: a summary sealed in one item.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_builder_items.h>
#include <ngx_ors_compact.h>


#define NGX_ORS_COMPACT_BLOCK  4096


static ngx_int_t ngx_ors_compact_text(ngx_ors_builder_t *builder,
    ngx_str_t *text);
static ngx_int_t ngx_ors_compact_item(ngx_ors_builder_t *builder,
    ngx_str_t *sealed);


ngx_int_t
ngx_ors_compact_end(ngx_ors_builder_t *builder, ngx_ors_sealer_t *sealer,
    ngx_ors_error_t *err)
{
    ngx_int_t            rc;
    ngx_str_t            text, sealed;
    ngx_ors_response_t  *resp;

    resp = builder->resp;

    rc = ngx_ors_builder_end(builder, err);

    if (rc != NGX_OK) {
        return rc;
    }

    /* half of a summary would be lost without notice */

    if (resp->status != ngx_ors_response_completed) {
        return ngx_ors_error_set(err, builder->pool, ngx_ors_code_model_error,
                                 "the model's summary was cut (%V)",
                                 &resp->reason);
    }

    if (ngx_ors_compact_text(builder, &text) != NGX_OK) {
        return NGX_ERROR;
    }

    if (text.len == 0) {
        return ngx_ors_error_set(err, builder->pool, ngx_ors_code_model_error,
                                 "the model wrote no summary");
    }

    rc = ngx_ors_seal(sealer, ngx_ors_seal_compaction, &text, builder->pool,
                      &sealed);

    if (rc == NGX_DECLINED) {
        return ngx_ors_error_set(err, builder->pool,
                                 ngx_ors_code_answer_too_large,
                                 "the model's summary is over the limit of "
                                 "%d bytes", NGX_ORS_SEAL_MAX);
    }

    return (rc == NGX_OK) ? ngx_ors_compact_item(builder, &sealed) : NGX_ERROR;
}


/* the model's text without its reasoning */

static ngx_int_t
ngx_ors_compact_text(ngx_ors_builder_t *builder, ngx_str_t *text)
{
    ngx_ors_out_t    out;
    ngx_ors_item_t  *item;
    ngx_ors_part_t  *part;

    ngx_ors_out_init(&out, builder->pool, NGX_ORS_COMPACT_BLOCK);

    for (item = builder->resp->items; item; item = item->next) {

        for (part = item->parts; part; part = part->next) {

            if (part->type == ngx_ors_part_output_text) {
                ngx_ors_text_put(&out, &part->text);
            }
        }
    }

    return ngx_ors_out_text(&out, text);
}


static ngx_int_t
ngx_ors_compact_item(ngx_ors_builder_t *builder, ngx_str_t *sealed)
{
    ngx_ors_item_t      *item;
    ngx_ors_response_t  *resp;

    ngx_ors_compact_drop(builder);

    resp = builder->resp;

    builder->stream = resp->request->stream;

    item = ngx_ors_builder_item(builder, ngx_ors_item_compaction);
    if (item == NULL) {
        return NGX_ERROR;
    }

    item->sealed = *sealed;

    return ngx_ors_builder_advance(builder, 1);
}


void
ngx_ors_compact_drop(ngx_ors_builder_t *builder)
{
    builder->current = NULL;

    builder->resp->items = NULL;
    builder->resp->last = NULL;
    builder->resp->nitems = 0;
}
