
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Names and outputs of calls that were run by a server, as those of functions.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_replay.h>
#include <ngx_ors_json_writer.h>
#include <ngx_ors_tool_name.h>


/* members of a search or an interpreter */

enum {
    ngx_ors_chat_replay_queries = 0,
    ngx_ors_chat_replay_code,
    ngx_ors_chat_replay_found,            /* results, or outputs */
    ngx_ors_chat_replay_n
};


static void ngx_ors_chat_replay_members(ngx_ors_input_item_t *in,
    ngx_ors_json_node_t **member);
static void ngx_ors_chat_replay_type(ngx_ors_chat_items_t *ci, ngx_uint_t i);
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
    ngx_ors_json_node_t  *member[ngx_ors_chat_replay_n];

    ngx_ors_chat_replay_members(in, member);

    if (ngx_ors_json_count(member[ngx_ors_chat_replay_found])) {
        ngx_ors_chat_replay_call(item, in);
    }
}


/* query and result, or NULL */

static void
ngx_ors_chat_replay_members(ngx_ors_input_item_t *in,
    ngx_ors_json_node_t **member)
{
    member[ngx_ors_chat_replay_queries] = ngx_ors_input_get(in, "queries");
    member[ngx_ors_chat_replay_code] = ngx_ors_input_get(in, "code");
    member[ngx_ors_chat_replay_found] = ngx_ors_input_get(in, "results");

    if (member[ngx_ors_chat_replay_found] == NULL) {
        member[ngx_ors_chat_replay_found] = ngx_ors_input_get(in, "outputs");
    }
}


ngx_int_t
ngx_ors_chat_replay_name(ngx_ors_chat_items_t *ci, ngx_uint_t i)
{
    ngx_str_t              label, name, sent;
    ngx_ors_json_node_t   *node;
    ngx_ors_input_item_t  *in;

    in = &ci->input->items[i];

    if (in->kind == ngx_ors_input_hosted) {
        ngx_ors_chat_replay_type(ci, i);
        return NGX_OK;
    }

    node = ngx_ors_input_get(in, "server_label");

    if (ngx_ors_json_copy(in->json, node, ci->cc->pool, &label) != NGX_OK
        || ngx_ors_json_copy(in->json, ngx_ors_input_node(in, in->name),
                             ci->cc->pool, &name)
           != NGX_OK
        || ngx_ors_tool_name(ngx_ors_hosting_prefix(ci->cc->hosting, &label),
                             &name, ci->cc->pool, &sent)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_ors_json_quote(ci->cc->out, sent.data, sent.len);

    return NGX_OK;
}


/* the type of the tool is that of its item without the end */

static void
ngx_ors_chat_replay_type(ngx_ors_chat_items_t *ci, ngx_uint_t i)
{
    ngx_ors_item_row_t    *row;
    ngx_ors_input_item_t  *in;

    in = &ci->input->items[i];
    row = ngx_ors_item_row(in->json, ngx_ors_input_node(in, in->type), 1);

    ngx_ors_json_quote(ci->cc->out, row->name.data,
                       row->name.len - (sizeof("_call") - 1));
}


void
ngx_ors_chat_replay_arguments(ngx_ors_chat_items_t *ci, ngx_uint_t i)
{
    ngx_str_t              raw;
    ngx_ors_out_t         *out;
    ngx_ors_json_node_t   *node, *member[ngx_ors_chat_replay_n];
    ngx_ors_input_item_t  *in;

    in = &ci->input->items[i];
    out = ci->cc->out;

    if (in->kind != ngx_ors_input_hosted) {
        node = ngx_ors_input_node(in, ci->items[i].content);

        if (node && node->len) {
            ngx_ors_chat_value(out, in->json, node);

        } else {
            ngx_ors_out_lit(out, "\"{}\"");
        }

        return;
    }

    ngx_ors_chat_replay_members(in, member);

    if (member[ngx_ors_chat_replay_queries]) {
        ngx_ors_json_raw(in->json, member[ngx_ors_chat_replay_queries], &raw);
        ngx_ors_out_lit(out, "\"{\\\"queries\\\":");
        ngx_ors_json_escape(out, raw.data, raw.len);
        ngx_ors_out_lit(out, "}\"");

    } else if (member[ngx_ors_chat_replay_code]) {
        ngx_ors_json_inner(in->json, member[ngx_ors_chat_replay_code], &raw);
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
    ngx_ors_json_node_t   *output, *error, *member[ngx_ors_chat_replay_n];
    ngx_ors_input_item_t  *in;

    in = &ci->input->items[i];

    if (in->kind == ngx_ors_input_approval) {
        ngx_ors_chat_replay_declined(ci, i);
        return;
    }

    json = in->json;

    if (in->kind == ngx_ors_input_hosted) {
        ngx_ors_chat_replay_members(in, member);
        ngx_ors_json_raw(json, member[ngx_ors_chat_replay_found], &raw);
        ngx_ors_json_quote(ci->cc->out, raw.data, raw.len);
        return;
    }

    output = ngx_ors_input_node(in, in->output);

    if (output && output->type == ngx_ors_json_string) {
        ngx_ors_chat_value(ci->cc->out, json, output);
        return;
    }

    error = ngx_ors_input_get(in, "error");

    if (error && error->type != ngx_ors_json_null) {
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
    ngx_uint_t            i;
    ngx_ors_json_node_t  *node;

    static const ngx_str_t  names[] = {
        ngx_string("message"),
        ngx_string("content")
    };

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        node = ngx_ors_json_get(json, error, names[i].data, names[i].len);

        if (node && node->type != ngx_ors_json_null) {
            error = node;
            break;
        }
    }

    /* content of a tool that says why it has failed */

    node = (error->type == ngx_ors_json_array && error->count == 1)
           ? ngx_ors_json_find(json, ngx_ors_json_first(json, error), "text")
           : NULL;

    if (node) {
        error = node;
    }

    if (error->type == ngx_ors_json_string) {
        ngx_ors_chat_value(out, json, error);
        return;
    }

    ngx_ors_json_raw(json, error, &text);
    ngx_ors_json_quote(out, text.data, text.len);
}
