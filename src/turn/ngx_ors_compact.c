
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Turns whose answer is no message: counts of tokens, and compactions.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_builder_items.h>
#include <ngx_ors_turn.h>


#define NGX_ORS_COMPACT_BLOCK  4096

/* of a chat request, for one token */
#define NGX_ORS_COMPACT_BYTES  4

/* clients keep a count in 32 bits */
#define NGX_ORS_COUNT_MAX  0x7fffffff


static ngx_int_t ngx_ors_count_is(ngx_ors_turn_t *turn, int64_t n);
static ngx_uint_t ngx_ors_compact_asks(ngx_ors_input_item_t *item);
static ngx_int_t ngx_ors_compact_text(ngx_ors_builder_t *builder,
    ngx_str_t *text);


/*
 * Counts of tokens: the server's tokenizer answers, in one step, or in two if
 * the server first makes a prompt of the messages.
 */


ngx_int_t
ngx_ors_count_read(ngx_ors_turn_t *turn)
{
    int64_t               n;
    ngx_str_t             prompt;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *root, *node;

    json = &turn->json;
    root = json->nodes;

    node = ngx_ors_json_find(json, root, "count");

    if (node && ngx_ors_json_integer(json, node, &n) == NGX_OK) {
        return ngx_ors_count_is(turn, n);
    }

    node = ngx_ors_json_find(json, root, "tokens");

    if (node && node->type == ngx_ors_json_array) {
        return ngx_ors_count_is(turn, node->count);
    }

    node = ngx_ors_json_find(json, root, "prompt");

    if (node == NULL || node->type != ngx_ors_json_string || node->len == 0
        || turn->rendered.len)
    {
        return ngx_ors_turn_refuse(turn, "it is no count of tokens");
    }

    /* the reader's memory is that of the next answer */

    ngx_ors_json_raw(json, node, &prompt);

    if (ngx_ors_str_copy(&turn->rendered, turn->pool, &prompt) != NGX_OK) {
        return NGX_ERROR;
    }

    turn->state = ngx_ors_turn_st_tools;

    return NGX_DONE;
}


static ngx_int_t
ngx_ors_count_is(ngx_ors_turn_t *turn, int64_t n)
{
    if (n < 0 || n > NGX_ORS_COUNT_MAX) {
        return ngx_ors_turn_refuse(turn, "its count of tokens cannot be");
    }

    ngx_ors_out_lit(&turn->out, "{\"object\":\"response.input_tokens\","
                                "\"input_tokens\":");
    ngx_ors_out_int(&turn->out, n);
    ngx_ors_out_lit(&turn->out, "}");

    turn->response.status = ngx_ors_response_completed;
    turn->state = ngx_ors_turn_st_over;

    ngx_ors_turn_respond(turn);

    return NGX_DONE;
}


/*
 * Compactions: the model's answer is a summary, and the client gets one item
 * with the summary sealed in it (protocol, section 12).  It is all that there
 * is of a response, or goes in front of one whose conversation was too long.
 */


/*
 * The bytes of texts, with what JSON takes, are the one measure that there is
 * for every server.  One compaction for a response: a threshold under the size
 * of the tools would ask for them without end.
 */

ngx_uint_t
ngx_ors_compact_due(ngx_ors_turn_t *turn, size_t size)
{
    int64_t             threshold;
    ngx_uint_t          i, due;
    ngx_ors_request_t  *req;

    req = &turn->request;

    if (turn->sealer == NULL || turn->summary || req->compact
        || ngx_ors_request_counts(req))
    {
        return 0;
    }

    threshold = ngx_ors_request_threshold(req);

    if (threshold == 0 || (int64_t) (size / NGX_ORS_COMPACT_BYTES) <= threshold)
    {
        return 0;
    }

    for (i = req->input.n; i > 0; i--) {

        if (!ngx_ors_compact_asks(&req->input.items[i - 1])) {
            break;
        }
    }

    due = (i > 0
           && req->input.items[i - 1].kind != ngx_ors_input_compaction);

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, turn->log, 0,
                   "ors turn: %uz bytes for the model, over %L tokens, "
                   "compacted:%ui", size, threshold, due);

    return due;
}


/* 1 if it is a message of the user, or a rule: nothing was answered yet */

static ngx_uint_t
ngx_ors_compact_asks(ngx_ors_input_item_t *item)
{
    ngx_ors_json_node_t  *role;

    role = ngx_ors_input_node(item, item->role);

    return item->kind == ngx_ors_input_text
           || (item->kind == ngx_ors_input_message
               && !ngx_ors_json_is(item->json, role, "assistant"));
}


void
ngx_ors_compact_ask(ngx_ors_turn_t *turn)
{
    turn->compacting = 1;
    turn->request.compact = 1;
    turn->builder.stream = 0;
}


ngx_int_t
ngx_ors_compact_begin(ngx_ors_turn_t *turn)
{
    ngx_ors_item_t      *item;
    ngx_ors_builder_t   *builder;
    ngx_ors_response_t  *resp;

    builder = &turn->builder;
    resp = &turn->response;

    if (turn->summary) {
        return NGX_OK;
    }

    builder->stream = resp->request->stream;
    ngx_ors_builder_start(builder);

    item = ngx_ors_builder_item(builder, ngx_ors_item_compaction);

    if (item == NULL || ngx_ors_builder_advance(builder, 0) != NGX_OK) {
        return NGX_ERROR;
    }

    /* its text is another round, which another target may begin anew */

    builder->stream = 0;
    ngx_ors_builder_next(builder);

    turn->summary = item;

    return NGX_OK;
}


ngx_int_t
ngx_ors_compact_end(ngx_ors_turn_t *turn)
{
    ngx_int_t            rc;
    ngx_str_t            text;
    ngx_ors_error_t     *err;
    ngx_ors_builder_t   *builder;
    ngx_ors_response_t  *resp;

    err = &turn->error;
    builder = &turn->builder;
    resp = &turn->response;

    if (ngx_ors_compact_begin(turn) != NGX_OK) {
        return NGX_ERROR;
    }

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

    rc = ngx_ors_seal(turn->sealer, ngx_ors_seal_compaction, &text,
                      builder->pool, &turn->summary->sealed);

    if (rc == NGX_DECLINED) {
        return ngx_ors_error_set(err, builder->pool,
                                 ngx_ors_code_answer_too_large,
                                 "the model's summary is over the limit of "
                                 "%d bytes", NGX_ORS_SEAL_MAX);
    }

    if (rc != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_ors_compact_drop(builder);

    builder->stream = resp->request->stream;
    builder->current = turn->summary;

    return ngx_ors_builder_advance(builder, 1);
}


/* the model's text without its reasoning */

static ngx_int_t
ngx_ors_compact_text(ngx_ors_builder_t *builder, ngx_str_t *text)
{
    ngx_ors_out_t    out;
    ngx_ors_item_t  *item;
    ngx_ors_part_t  *part;

    ngx_ors_out_init(&out, builder->pool, NGX_ORS_COMPACT_BLOCK);

    for (item = ngx_ors_builder_first(builder); item; item = item->next) {

        for (part = item->parts; part; part = part->next) {

            if (part->type == ngx_ors_part_output_text) {
                ngx_ors_text_put(&out, &part->text);
            }
        }
    }

    return ngx_ors_out_text(&out, text);
}


void
ngx_ors_compact_drop(ngx_ors_builder_t *builder)
{
    ngx_ors_response_t  *resp;

    resp = builder->resp;

    builder->current = NULL;

    resp->last = builder->mark.last;
    resp->nitems = builder->mark.nitems;

    if (resp->last) {
        resp->last->next = NULL;

    } else {
        resp->items = NULL;
    }
}


ngx_int_t
ngx_ors_compact_next(ngx_ors_turn_t *turn)
{
    ngx_ors_out_t  items;

    ngx_ors_out_init(&items, turn->pool, NGX_ORS_COMPACT_BLOCK);

    ngx_ors_out_lit(&items, "[{\"type\":\"compaction\","
                            "\"encrypted_content\":\"");
    ngx_ors_out_str(&items, &turn->summary->sealed);
    ngx_ors_out_lit(&items, "\"}]");

    turn->compacting = 0;
    turn->request.compact = 0;

    ngx_ors_builder_next(&turn->builder);

    return ngx_ors_request_extend(&turn->request, &items, 1, &turn->error);
}
