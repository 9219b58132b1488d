
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Names and outputs of calls that were run by a server, as those of functions.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_replay.h>
#include <ngx_ors_chat_search.h>
#include <ngx_ors_json_writer.h>
#include <ngx_ors_hosting.h>


static ngx_ors_json_node_t *ngx_ors_chat_replay_found(
    ngx_ors_input_item_t *in);
static void ngx_ors_chat_replay_declined(ngx_ors_chat_items_t *ci,
    ngx_uint_t i);
static void ngx_ors_chat_replay_error(ngx_ors_out_t *out,
    ngx_ors_json_t *json, ngx_ors_json_node_t *error);


void
ngx_ors_chat_replay_call(ngx_ors_chat_item_t *item, ngx_ors_input_item_t *in)
{
    item->kind = ngx_ors_chat_item_call;
    item->hosted = 1;
    item->content = in->arguments;
    item->call_id = in->id;
}


void
ngx_ors_chat_replay_results(ngx_ors_chat_items_t *ci,
    ngx_ors_chat_item_t *item, ngx_ors_input_item_t *in)
{
    if (ngx_ors_json_count(ngx_ors_chat_replay_found(in))) {
        ngx_ors_chat_replay_call(item, in);
    }
}


/* results of a search, or outputs of an interpreter */

static ngx_ors_json_node_t *
ngx_ors_chat_replay_found(ngx_ors_input_item_t *in)
{
    ngx_ors_json_node_t  *node;

    node = ngx_ors_input_get(in, "results");

    return node ? node : ngx_ors_input_get(in, "outputs");
}


ngx_int_t
ngx_ors_chat_replay_name(ngx_ors_chat_items_t *ci, ngx_uint_t i)
{
    ngx_str_t              label, name, sent;
    ngx_ors_item_row_t    *row;
    ngx_ors_json_node_t   *node;
    ngx_ors_input_item_t  *in;

    in = &ci->input->items[i];

    /* the type of the tool is that of its item without the end */

    if (in->kind == ngx_ors_input_hosted) {
        row = ngx_ors_item_row(in->json, ngx_ors_input_node(in, in->type), 1);

        ngx_ors_json_quote(ci->cc->out, row->name.data,
                           row->name.len - (sizeof("_call") - 1));
        return NGX_OK;
    }

    node = ngx_ors_input_get(in, "server_label");

    if (ngx_ors_json_copy(in->json, node, ci->cc->pool, &label) != NGX_OK
        || ngx_ors_json_copy(in->json, ngx_ors_input_node(in, in->name),
                             ci->cc->pool, &name)
           != NGX_OK
        || ngx_ors_tool_name(ngx_ors_hosting_prefix(ci->cc->target->hosting,
                                                    &label),
                             &name, ci->cc->pool, &sent)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_ors_json_quote(ci->cc->out, sent.data, sent.len);

    return NGX_OK;
}


void
ngx_ors_chat_replay_arguments(ngx_ors_chat_items_t *ci, ngx_uint_t i)
{
    ngx_str_t              raw;
    ngx_ors_out_t         *out;
    ngx_ors_json_node_t   *queries, *code;
    ngx_ors_input_item_t  *in;

    in = &ci->input->items[i];
    out = ci->cc->out;

    if (in->kind != ngx_ors_input_hosted) {
        ngx_ors_chat_search_arguments(ci->cc,
                                ngx_ors_input_node(in, ci->items[i].content));
        return;
    }

    queries = ngx_ors_input_get(in, "queries");
    code = ngx_ors_input_get(in, "code");

    if (queries) {
        ngx_ors_json_raw(in->json, queries, &raw);
        ngx_ors_out_lit(out, "\"{\\\"queries\\\":");
        ngx_ors_json_escape(out, raw.data, raw.len);
        ngx_ors_out_lit(out, "}\"");

    } else if (code) {
        ngx_ors_json_inner(in->json, code, &raw);
        ngx_ors_out_lit(out, "\"{\\\"code\\\":\\\"");
        ngx_ors_json_escape(out, raw.data, raw.len);
        ngx_ors_out_lit(out, "\\\"}\"");

    } else {
        ngx_ors_out_lit(out, "\"{}\"");
    }
}


void
ngx_ors_chat_replay_id(ngx_ors_chat_items_t *ci, ngx_uint_t i)
{
    ngx_ors_json_node_t   *node;
    ngx_ors_input_item_t  *in;

    in = &ci->input->items[i];
    node = ngx_ors_input_node(in, ci->items[i].call_id);

    if (node && node->type == ngx_ors_json_string && node->len) {
        ngx_ors_chat_value(ci->cc->out, in->json, node);
        return;
    }

    ngx_ors_out_lit(ci->cc->out, "\"call_");
    ngx_ors_out_int(ci->cc->out, i);
    ngx_ors_out_lit(ci->cc->out, "\"");
}


void
ngx_ors_chat_replay_output(ngx_ors_chat_items_t *ci, ngx_uint_t i)
{
    ngx_str_t              raw;
    ngx_ors_json_t        *json;
    ngx_ors_json_node_t   *output, *error;
    ngx_ors_input_item_t  *in;

    in = &ci->input->items[i];

    if (in->kind == ngx_ors_input_approval) {
        ngx_ors_chat_replay_declined(ci, i);
        return;
    }

    json = in->json;

    if (in->kind == ngx_ors_input_hosted) {
        ngx_ors_json_raw(json, ngx_ors_chat_replay_found(in), &raw);
        ngx_ors_json_quote(ci->cc->out, raw.data, raw.len);
        return;
    }

    output = ngx_ors_input_node(in, in->output);

    if (output && output->type == ngx_ors_json_string) {
        ngx_ors_chat_value(ci->cc->out, json, output);
        return;
    }

    error = ngx_ors_chat_get(json, ngx_ors_input_object(in), "error");

    if (error) {
        ngx_ors_chat_replay_error(ci->cc->out, json, error);
        return;
    }

    ngx_ors_out_lit(ci->cc->out, "\"the tool was not called\"");
}


static void
ngx_ors_chat_replay_declined(ngx_ors_chat_items_t *ci, ngx_uint_t i)
{
    ngx_str_t             reason;
    ngx_ors_json_node_t  *node;
    ngx_ors_approval_t   *approval;

    approval = ngx_ors_approval_find(&ci->approvals, i);

    node = approval ? ngx_ors_approval_reason(ci->input, approval) : NULL;

    ngx_ors_out_lit(ci->cc->out, "\"the user has declined this call");

    if (node) {
        ngx_ors_json_raw(ci->input->items[approval->answer].json, node,
                         &reason);

        ngx_ors_out_lit(ci->cc->out, ": ");
        ngx_ors_out_ref(ci->cc->out, reason.data, reason.len);
    }

    ngx_ors_out_lit(ci->cc->out, "\"");
}


/* a text of older servers, or an object with one; the rest as its JSON */

static void
ngx_ors_chat_replay_error(ngx_ors_out_t *out, ngx_ors_json_t *json,
    ngx_ors_json_node_t *error)
{
    ngx_str_t             text;
    ngx_ors_json_node_t  *node;

    node = ngx_ors_chat_get(json, error, "message");

    if (node == NULL) {
        node = ngx_ors_chat_get(json, error, "content");
    }

    error = node ? node : error;

    /* content of a tool that says why it has failed */

    node = (error->type == ngx_ors_json_array && error->count == 1)
           ? ngx_ors_json_find(json, ngx_ors_json_first(json, error), "text")
           : NULL;

    error = node ? node : error;

    if (error->type == ngx_ors_json_string) {
        ngx_ors_chat_value(out, json, error);
        return;
    }

    ngx_ors_json_raw(json, error, &text);
    ngx_ors_json_quote(out, text.data, text.len);
}
