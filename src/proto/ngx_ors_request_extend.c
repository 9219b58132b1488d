
/*
 * Copyright (C) Open Responses contributors
 */


/* The input of a request with more items after it, read again. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_context.h>
#include <ngx_ors_request_extend.h>


#define NGX_ORS_REQUEST_EXTEND_BLOCK  4096


static void ngx_ors_request_extend_write(ngx_ors_request_t *req,
    ngx_str_t *items, ngx_ors_out_t *out);
static ngx_int_t ngx_ors_request_extend_text(ngx_ors_out_t *out,
    ngx_pool_t *pool, ngx_str_t *text);


ngx_int_t
ngx_ors_request_extend(ngx_ors_request_t *req, ngx_ors_out_t *items,
    ngx_uint_t n, ngx_ors_error_t *err)
{
    ngx_int_t      rc;
    ngx_str_t      text, body;
    ngx_ors_out_t  out;

    if (ngx_ors_request_extend_text(items, req->pool, &text) != NGX_OK) {
        return NGX_ERROR;
    }

    /* the context's own edit is for servers that speak the client's dialect */

    if (req->merged) {
        ngx_ors_edits_clear(&req->edits);
    }

    ngx_ors_out_init(&out, req->pool, NGX_ORS_REQUEST_EXTEND_BLOCK);

    ngx_ors_request_extend_write(req, &text, &out);

    if (ngx_ors_request_extend_text(&out, req->pool, &body) != NGX_OK) {
        return NGX_ERROR;
    }

    rc = ngx_ors_request_reparse(req, &body, err);

    if (rc == NGX_OK) {
        req->added += n;
    }

    return rc;
}


static void
ngx_ors_request_extend_write(ngx_ors_request_t *req, ngx_str_t *items,
    ngx_ors_out_t *out)
{
    size_t                pos, end;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *input;

    json = &req->json;
    input = req->field[ngx_ors_rq_input];

    if (input && input->type == ngx_ors_json_array) {
        pos = ngx_ors_edit_end(input) - 1;
        end = pos;

        ngx_ors_edits_write(&req->edits, json, 0, pos, 1, out);

        if (input->count) {
            ngx_ors_out_lit(out, ",");
        }

        ngx_ors_out_ref(out, items->data, items->len);

    } else {
        pos = input ? ngx_ors_edit_start(input)
                    : (size_t) json->nodes[0].pos + 1;
        end = input ? ngx_ors_edit_end(input) : pos;

        ngx_ors_edits_write(&req->edits, json, 0, pos, 1, out);

        if (input == NULL) {
            ngx_ors_out_lit(out, "\"input\":");
        }

        ngx_ors_out_lit(out, "[");

        if (input) {
            ngx_ors_context_own(req, out);
            ngx_ors_out_lit(out, ",");
        }

        ngx_ors_out_ref(out, items->data, items->len);
        ngx_ors_out_lit(out, "]");

        if (input == NULL && json->nodes[0].count) {
            ngx_ors_out_lit(out, ",");
        }
    }

    ngx_ors_edits_write(&req->edits, json, end, req->body.len, 1, out);
}


/* all of "out" as one text */

static ngx_int_t
ngx_ors_request_extend_text(ngx_ors_out_t *out, ngx_pool_t *pool,
    ngx_str_t *text)
{
    u_char       *p;
    ngx_chain_t  *cl;

    text->len = out->size;
    text->data = ngx_pnalloc(pool, text->len);

    if (text->data == NULL || ngx_ors_out_take(out, &cl) != NGX_OK) {
        return NGX_ERROR;
    }

    for (p = text->data; cl; cl = cl->next) {
        p = ngx_cpymem(p, cl->buf->pos, cl->buf->last - cl->buf->pos);
    }

    return NGX_OK;
}
