
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The outcome of a turn, and what it takes from the store and gives to it.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_verify.h>
#include <ngx_ors_input.h>
#include <ngx_ors_stored.h>
#include <ngx_ors_turn.h>


#define NGX_ORS_TURN_ITEMS_BLOCK  4096


static ngx_int_t ngx_ors_turn_record_passed(ngx_ors_turn_t *turn,
    ngx_uint_t instructions, ngx_ors_index_t *index, ngx_ors_out_t *out);


static const ngx_ors_end_e  ngx_ors_turn_ends[] = {
    [ngx_ors_response_in_progress] = ngx_ors_end_open,
    [ngx_ors_response_completed] = ngx_ors_end_completed,
    [ngx_ors_response_incomplete] = ngx_ors_end_incomplete,
    [ngx_ors_response_failed] = ngx_ors_end_failed,
    [ngx_ors_response_cancelled] = ngx_ors_end_canceled
};


ngx_int_t
ngx_ors_turn_context(ngx_ors_turn_t *turn, ngx_ors_context_t *ctx)
{
    ngx_int_t             rc;
    ngx_ors_request_t    *req;
    ngx_ors_json_node_t  *node;

    static ngx_str_t  null = ngx_string("null");

    req = &turn->request;

    rc = ngx_ors_context_merge(req, ctx, &turn->error);

    if (rc != NGX_OK) {
        return (rc == NGX_DECLINED) ? ngx_ors_turn_fail(turn) : rc;
    }

    node = req->field[ngx_ors_rq_previous_response_id];

    /* in the client's own dialect it would be looked for there */

    return node ? ngx_ors_edits_value(&req->edits, node, &null) : NGX_OK;
}


ngx_int_t
ngx_ors_turn_record(ngx_ors_turn_t *turn, ngx_uint_t instructions,
    ngx_ors_out_t *input, ngx_ors_out_t *response, ngx_ors_index_t *index)
{
    ngx_ors_request_t     *req;
    ngx_ors_json_node_t  **field, *node;

    req = &turn->request;

    if (ngx_ors_secrets_input(&req->edits, &req->json, &req->input)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_ors_context_own(req, index, input);

    index = index ? &index[1] : NULL;

    if (ngx_ors_turn_held(turn)) {
        return ngx_ors_turn_record_passed(turn, instructions, index, response);
    }

    field = &turn->request.field[ngx_ors_rq_instructions];
    node = *field;

    if (!instructions) {
        *field = NULL;
    }

    turn->response.index = index;
    turn->response.kept = 1;

    ngx_ors_response_render(response, &turn->response);

    turn->response.kept = 0;
    turn->response.index = NULL;

    *field = node;

    return NGX_OK;
}


/* a response that another server has made has its id and items from there */

static ngx_int_t
ngx_ors_turn_record_passed(ngx_ors_turn_t *turn, ngx_uint_t instructions,
    ngx_ors_index_t *index, ngx_ors_out_t *out)
{
    ngx_int_t             rc;
    ngx_str_t             response, id, items;
    ngx_ors_json_t       *json;
    ngx_ors_edits_t      *edits;
    ngx_ors_json_node_t  *node, *object;

    static ngx_str_t  null = ngx_string("null");

    json = &turn->verify->json;
    edits = &turn->verify->edits;

    rc = ngx_ors_verify_store_response(turn->verify, &response, &id, &items);

    if (rc != NGX_OK) {
        return rc;
    }

    if (ngx_ors_str_copy(&turn->response.id, turn->pool, &id) != NGX_OK) {
        return NGX_ERROR;
    }

    object = ngx_ors_verify_stored_object(turn->verify);
    node = ngx_ors_json_find(json, object, "instructions");

    if (node && !instructions
        && ngx_ors_edits_value(edits, node, &null) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (ngx_ors_secrets_tools(edits, json,
                              ngx_ors_json_find(json, object, "tools"))
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_ors_edits_write(edits, json, response.data - json->text,
                        items.data - json->text, 1, out);

    turn->response.output = out->size;
    turn->response.output_len = items.len;

    ngx_ors_edits_write(edits, json, items.data - json->text,
                        response.data + response.len - json->text, 1, out);

    if (index) {
        ngx_ors_input_index_list(index, json,
                                ngx_ors_json_find(json, object, "output"),
                                edits);
    }

    return NGX_OK;
}


ngx_int_t
ngx_ors_turn_items(ngx_ors_turn_t *turn, ngx_str_t *items, ngx_uint_t *n)
{
    size_t                input;
    ngx_uint_t            text, noutput;
    ngx_ors_out_t         out;
    ngx_ors_request_t    *req;
    ngx_ors_json_node_t  *node;

    req = &turn->request;

    if (ngx_ors_secrets_input(&req->edits, &req->json, &req->input)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_ors_out_init(&out, turn->pool, NGX_ORS_TURN_ITEMS_BLOCK);

    /* for the next turn all of it is what preceded */

    req->prior = 0;

    ngx_ors_context_own(req, NULL, &out);
    input = out.size;

    turn->response.kept = 1;
    noutput = ngx_ors_response_output(&out, &turn->response);
    turn->response.kept = 0;

    if (ngx_ors_out_text(&out, items) != NGX_OK) {
        return NGX_ERROR;
    }

    /* a text is one item */

    node = req->field[ngx_ors_rq_input];
    text = (node && node->type == ngx_ors_json_string && !req->merged);

    *n = (text ? 1 : req->input.n - req->added) + noutput;

    /* two arrays, side by side: the brackets go, or become a comma */

    if (noutput == 0) {
        items->len = input;

    } else if (input > 2) {
        items->data[input - 1] = ',';
        items->data[input] = ' ';

    } else {
        items->data += input;
        items->len -= input;
    }

    if (items->len) {
        items->data++;
        items->len -= 2;
    }

    return NGX_OK;
}


ngx_int_t
ngx_ors_turn_committed(ngx_ors_turn_t *turn, ngx_uint_t stored)
{
    turn->response.stored = stored;
    turn->state = ngx_ors_turn_st_over;

    if (ngx_ors_turn_held(turn)) {

        if (ngx_ors_verify_store_release(turn->verify, stored) != NGX_OK) {
            return NGX_ERROR;
        }

        turn->status = turn->verify->status;
        turn->type = turn->verify->type;

        return NGX_DONE;
    }

    ngx_ors_builder_tell(&turn->builder);
    ngx_ors_turn_respond(turn);

    return NGX_DONE;
}


void
ngx_ors_turn_outcome(ngx_ors_turn_t *turn, ngx_ors_outcome_t *outcome)
{
    ngx_uint_t  failed;

    failed = (turn->error.status != 0);

    outcome->class = failed ? turn->error.class : ngx_ors_class_none;

    outcome->broken = (ngx_ors_error_origin(outcome->class)
                       == ngx_ors_origin_upstream);
    outcome->worked = (turn->answer.status && !outcome->broken);

    if (turn->state != ngx_ors_turn_st_over) {
        outcome->end = ngx_ors_end_open;
        return;
    }

    if (failed) {
        outcome->end = (turn->error.status < 500 && turn->answer.status == 0)
                       ? ngx_ors_end_rejected : ngx_ors_end_failed;
        return;
    }

    outcome->end = ngx_ors_turn_ends[turn->response.status];

    if (turn->response.status == ngx_ors_response_failed) {

        /* a document of its own says so, with a status of 200 */

        outcome->class = ngx_ors_class_upstream_error;
    }

    if (turn->response.status == ngx_ors_response_in_progress
        && turn->answer.status)
    {
        /* it is passed on as it came; else no target was called */

        outcome->end = ngx_ors_end_completed;
    }
}
