
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The input of a request sorted for a chat: calls with their outputs,
 * reasoning with its message.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_items.h>
#include <ngx_ors_chat_state.h>
#include <ngx_ors_chat_messages.h>
#include <ngx_ors_json_writer.h>
#include <ngx_ors_hosting.h>


/* ids of calls without an output that an error names */
#define NGX_ORS_CHAT_UNANSWERED  5

/* of provider state, which is at most NGX_ORS_CHAT_STATE_MAX bytes */
#define NGX_ORS_CHAT_STATE_DEPTH  64
#define NGX_ORS_CHAT_STATE_NODES  65536


static ngx_int_t ngx_ors_chat_item_read(ngx_ors_chat_items_t *ci,
    ngx_ors_input_item_t *in, ngx_ors_chat_item_t *item);
static ngx_int_t ngx_ors_chat_called(ngx_ors_chat_items_t *ci,
    ngx_ors_input_item_t *in);
static ngx_int_t ngx_ors_chat_thought(ngx_ors_chat_items_t *ci,
    ngx_ors_input_item_t *in, ngx_ors_chat_item_t *item);
static ngx_int_t ngx_ors_chat_sealed_state(ngx_ors_chat_items_t *ci,
    ngx_ors_chat_item_t *item);
static ngx_int_t ngx_ors_chat_compaction(ngx_ors_chat_items_t *ci,
    ngx_ors_input_item_t *in, ngx_ors_chat_item_t *item);
static ngx_int_t ngx_ors_chat_unseal(ngx_ors_chat_items_t *ci,
    ngx_ors_seal_purpose_e purpose, ngx_ors_input_item_t *in,
    ngx_ors_chat_item_t *item);
static ngx_ors_chat_item_e ngx_ors_chat_role(ngx_ors_json_t *json,
    ngx_ors_json_node_t *role);
static ngx_int_t ngx_ors_chat_match(ngx_ors_chat_items_t *ci);
static ngx_int_t ngx_ors_chat_answered(ngx_ors_chat_items_t *ci);
static ngx_int_t ngx_ors_chat_awaits(ngx_ors_chat_items_t *ci, ngx_uint_t i);
static ngx_int_t ngx_ors_chat_find(ngx_ors_chat_items_t *ci, ngx_uint_t i,
    ngx_str_t *id, ngx_uint_t *n);
static void ngx_ors_chat_replay_results(ngx_ors_chat_items_t *ci,
    ngx_ors_chat_item_t *item, ngx_ors_input_item_t *in);
static ngx_ors_json_node_t *ngx_ors_chat_replay_found(
    ngx_ors_input_item_t *in);
static void ngx_ors_chat_replay_declined(ngx_ors_chat_items_t *ci,
    ngx_uint_t i);
static void ngx_ors_chat_replay_error(ngx_ors_out_t *out,
    ngx_ors_json_t *json, ngx_ors_json_node_t *error);


/* in the order of ngx_ors_chat_item_e */

static ngx_str_t  ngx_ors_chat_roles[] = {
    ngx_string("user"),
    ngx_string("system"),
    ngx_string("developer"),
    ngx_string("assistant")
};


ngx_int_t
ngx_ors_chat_items_read(ngx_ors_chat_items_t *ci, ngx_ors_input_t *input)
{
    ngx_int_t             rc;
    ngx_uint_t            i;
    ngx_ors_chat_item_t  *item;

    ci->input = input;
    ci->calls.input = input;
    ci->calls.pool = ci->cc->pool;

    rc = ngx_ors_approvals_read(&ci->approvals, input,
                                ci->cc->prior, ci->cc->pool, ci->cc->err);
    if (rc != NGX_OK) {
        return rc;
    }

    ci->items = ngx_palloc(ci->cc->pool,
                           input->n * sizeof(ngx_ors_chat_item_t));
    if (ci->items == NULL) {
        return NGX_ERROR;
    }

    for (i = 0; i < input->n; i++) {
        ci->cc->item = i;
        ci->cc->json = input->items[i].json;
        ci->nitems = i + 1;
        ci->last = (ci->nitems == input->n);

        item = &ci->items[i];
        ngx_memzero(item, sizeof(ngx_ors_chat_item_t));

        rc = ngx_ors_chat_item_read(ci, &input->items[i], item);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    rc = ngx_ors_chat_match(ci);

    if (rc == NGX_OK && ci->answered) {
        rc = ngx_ors_chat_answered(ci);
    }

    return (rc == NGX_OK) ? ngx_ors_chat_state_read(ci) : rc;
}


static ngx_int_t
ngx_ors_chat_item_read(ngx_ors_chat_items_t *ci, ngx_ors_input_item_t *in,
    ngx_ors_chat_item_t *item)
{
    ngx_ors_approval_t  *approval;

    item->json = in->json;
    item->content = in->content;
    item->call_id = in->call_id;
    item->name = in->name;
    item->space = ci->spaces ? in->space : 0;

    switch (in->kind) {

    case ngx_ors_input_message:
        item->kind = ngx_ors_chat_role(in->json,
                                       ngx_ors_input_node(in, in->role));
        return NGX_OK;

    case ngx_ors_input_text:
        item->kind = ngx_ors_chat_item_user;
        return NGX_OK;

    case ngx_ors_input_reference:
        return ngx_ors_chat_refuse(ci->cc, -1, ngx_ors_code_unsupported_item,
                                   "is a reference to a stored item, which "
                                   "is not supported here, the item itself "
                                   "must be sent");

    case ngx_ors_input_call:
        item->kind = ngx_ors_chat_item_call;
        item->content = in->arguments;
        return ngx_ors_chat_called(ci, in);

    case ngx_ors_input_custom_call:
        item->kind = ngx_ors_chat_item_call;
        item->custom = 1;
        item->content = in->input;
        return ngx_ors_chat_called(ci, in);

    case ngx_ors_input_output:
        item->kind = ngx_ors_chat_item_output;
        item->content = in->output;
        return ngx_ors_chat_called(ci, in);

    case ngx_ors_input_reasoning:
        return ngx_ors_chat_thought(ci, in, item);

    case ngx_ors_input_compaction:
        return ngx_ors_chat_compaction(ci, in, item);

    /* without the id of a call the server did it itself: its tools matter */

    case ngx_ors_input_search_call:
        item->search = 1;
        item->kind = in->call_id ? ngx_ors_chat_item_call
                                 : ngx_ors_chat_item_none;
        item->content = in->arguments;
        return NGX_OK;

    case ngx_ors_input_search_output:
        item->search = 1;
        item->kind = in->call_id ? ngx_ors_chat_item_output
                                 : ngx_ors_chat_item_none;
        item->content = in->tools;
        return NGX_OK;

    case ngx_ors_input_mcp_call:
        ngx_ors_chat_replay_call(item, in);
        return NGX_OK;

    case ngx_ors_input_approval:
        approval = ngx_ors_approval_find(&ci->approvals, ci->cc->item);

        /* a call that was approved is an item of its own */

        if (approval && approval->state == ngx_ors_approval_declined) {
            ngx_ors_chat_replay_call(item, in);
        }

        return NGX_OK;

    case ngx_ors_input_tools:
    case ngx_ors_input_mcp_list:
    case ngx_ors_input_approval_response:
        return NGX_OK;

    case ngx_ors_input_hosted:
        ngx_ors_chat_replay_results(ci, item, in);
        return NGX_OK;

    case ngx_ors_input_trigger:

        if (ci->trigger && ci->last) {
            return NGX_OK;
        }

        break;

    case ngx_ors_input_other:
        break;
    }

    ci->cc->field = "type";

    return ngx_ors_chat_refuse(ci->cc, -1, ngx_ors_code_unsupported_item,
                               "is the type of an item that cannot be "
                               "sent to this model server");
}


/* a call and its output are paired by an id: neither can do without */

static ngx_int_t
ngx_ors_chat_called(ngx_ors_chat_items_t *ci, ngx_ors_input_item_t *in)
{
    if (in->call_id) {
        return NGX_OK;
    }

    ci->cc->field = "call_id";

    return ngx_ors_chat_refuse(ci->cc, -1,
                               ngx_ors_code_missing_required_parameter,
                               "is required");
}


/* reasoning that was sealed here is sent again, that of others is not (E5) */

static ngx_int_t
ngx_ors_chat_thought(ngx_ors_chat_items_t *ci, ngx_ors_input_item_t *in,
    ngx_ors_chat_item_t *item)
{
    ngx_int_t             rc;
    ngx_uint_t            off;
    ngx_ors_json_node_t  *node;

    off = (ci->cc->options->reasoning == ngx_ors_chat_reasoning_off);

    if (off && ci->cc->options->state == 0) {
        return NGX_OK;
    }

    node = ngx_ors_input_node(in, in->encrypted);

    if (node && node->type == ngx_ors_json_object) {

        /* of an earlier round of this turn */

        if (ci->nitems > ci->input->n - ci->added) {
            item->kind = ngx_ors_chat_item_state;
            item->content = in->encrypted;
            ci->nstates++;
        }

        return NGX_OK;
    }

    node = ngx_ors_input_node(in, in->content);

    if (node == NULL || node->count == 0) {

        rc = ngx_ors_chat_unseal(ci, ngx_ors_seal_reasoning, in, item);
        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }

        if (rc == NGX_OK && ngx_ors_chat_state_is(&item->text)) {
            return ngx_ors_chat_sealed_state(ci, item);
        }

        if (rc == NGX_OK && !off) {
            item->kind = ngx_ors_chat_item_reasoning;
            return NGX_OK;
        }

        node = ngx_ors_input_node(in, in->summary);
        item->content = in->summary;
    }

    if (!off && node && node->type == ngx_ors_json_array && node->count) {
        item->kind = ngx_ors_chat_item_reasoning;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_chat_sealed_state(ngx_ors_chat_items_t *ci, ngx_ors_chat_item_t *item)
{
    ngx_int_t        rc;
    ngx_ors_json_t  *json;

    if (ci->cc->options->state == 0) {
        return NGX_OK;
    }

    json = ngx_palloc(ci->cc->pool, sizeof(ngx_ors_json_t));
    if (json == NULL) {
        return NGX_ERROR;
    }

    ngx_ors_json_init(json, ci->cc->pool, NGX_ORS_CHAT_STATE_DEPTH,
                      NGX_ORS_CHAT_STATE_NODES);

    rc = ngx_ors_json_read(json, item->text.data, item->text.len);

    if (rc == NGX_OK) {
        item->kind = ngx_ors_chat_item_state;
        item->json = json;
        item->content = 0;
        ci->nstates++;
    }

    return (rc == NGX_ERROR) ? NGX_ERROR : NGX_OK;
}


/* a compaction replaces history, so that it cannot be left out */

static ngx_int_t
ngx_ors_chat_compaction(ngx_ors_chat_items_t *ci, ngx_ors_input_item_t *in,
    ngx_ors_chat_item_t *item)
{
    ngx_int_t  rc;

    rc = ngx_ors_chat_unseal(ci, ngx_ors_seal_compaction, in, item);

    if (rc == NGX_DECLINED) {
        return ngx_ors_chat_refuse(ci->cc, -1, ngx_ors_code_unsupported_item,
                                   "is compacted history that cannot be read "
                                   "here");
    }

    item->kind = ngx_ors_chat_item_summary;

    return rc;
}


/* NGX_DECLINED: there is nothing sealed, or not by us for this client */

static ngx_int_t
ngx_ors_chat_unseal(ngx_ors_chat_items_t *ci, ngx_ors_seal_purpose_e purpose,
    ngx_ors_input_item_t *in, ngx_ors_chat_item_t *item)
{
    ngx_int_t             rc;
    ngx_str_t             blob;
    ngx_ors_json_node_t  *node;

    node = ngx_ors_input_node(in, in->encrypted);

    if (ci->cc->target->sealer == NULL || node == NULL
        || node->type != ngx_ors_json_string)
    {
        return NGX_DECLINED;
    }

    ngx_ors_json_raw(in->json, node, &blob);

    rc = ngx_ors_unseal(ci->cc->target->sealer, purpose, &blob,
                        ci->cc->pool, &item->text);

    if (rc == NGX_OK && item->text.len) {
        return NGX_OK;
    }

    ngx_str_null(&item->text);

    return (rc == NGX_ERROR) ? NGX_ERROR : NGX_DECLINED;
}


static ngx_ors_chat_item_e
ngx_ors_chat_role(ngx_ors_json_t *json, ngx_ors_json_node_t *role)
{
    ngx_uint_t  i;

    for (i = 0; i < sizeof(ngx_ors_chat_roles) / sizeof(ngx_str_t); i++) {

        if (ngx_ors_json_equal(json, role, ngx_ors_chat_roles[i].data,
                               ngx_ors_chat_roles[i].len))
        {
            return ngx_ors_chat_item_user + i;
        }
    }

    return ngx_ors_chat_item_none;
}


/* pairs each output with the last call in front of it that has its id */

static ngx_int_t
ngx_ors_chat_match(ngx_ors_chat_items_t *ci)
{
    ngx_int_t             rc;
    ngx_str_t             id;
    ngx_uint_t            i, n;
    ngx_ors_chat_item_t  *item, *call;

    ci->cc->field = "call_id";

    for (i = 0; i < ci->nitems; i++) {
        item = &ci->items[i];

        if (item->kind != ngx_ors_chat_item_output) {
            continue;
        }

        if (ngx_ors_json_decoded(item->json,
                                 ngx_ors_input_node(item, item->call_id),
                                 ci->cc->pool, &id)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        if (ngx_ors_chat_find(ci, i, &id, &n) != NGX_OK) {
            return NGX_ERROR;
        }

        ci->cc->item = i;

        call = n ? &ci->items[n - 1] : NULL;

        if (call == NULL || call->pair) {
            rc = call ? ngx_ors_chat_refuse(ci->cc, -1,
                                            ngx_ors_code_duplicate_call_id,
                                            "is the id of a call that has an "
                                            "output already")
                      : ngx_ors_chat_refuse(ci->cc, -1,
                                            ngx_ors_code_unknown_call_id,
                                            "is not the id of a call that "
                                            "precedes it in the input");
            if (rc == NGX_DECLINED) {
                ngx_ors_error_id(ci->cc->err, ci->cc->pool, &id);
            }

            return rc;
        }

        item->pair = n - 1;
        call->pair = i;
    }

    return NGX_OK;
}


ngx_int_t
ngx_ors_chat_items_call(ngx_ors_chat_items_t *ci, ngx_uint_t i, ngx_str_t *id,
    ngx_uint_t *n)
{
    if (ngx_ors_chat_find(ci, i, id, n) != NGX_OK) {
        return NGX_ERROR;
    }

    return *n ? NGX_OK : ngx_ors_chat_find(ci, ci->nitems, id, n);
}


/* an output that is found in place of its call has been paired with it */

static ngx_int_t
ngx_ors_chat_find(ngx_ors_chat_items_t *ci, ngx_uint_t i, ngx_str_t *id,
    ngx_uint_t *n)
{
    if (ngx_ors_input_called(&ci->calls, i, id, n) != NGX_OK) {
        return NGX_ERROR;
    }

    if (*n && ci->items[*n - 1].kind == ngx_ors_chat_item_output) {
        *n = ci->items[*n - 1].pair + 1;
    }

    return NGX_OK;
}


/*
 * All calls of the client have their outputs, as OpenAI's API wants it: an
 * error names some of those that have none
 */

static ngx_int_t
ngx_ors_chat_answered(ngx_ors_chat_items_t *ci)
{
    u_char                buf[NGX_ORS_CHAT_UNANSWERED
                              * (NGX_ORS_ERROR_ID_MAX + sizeof(", ") - 1)
                              + sizeof(" and  more") - 1 + NGX_INT_T_LEN];
    u_char               *p;
    ngx_int_t             rc;
    ngx_str_t             id;
    ngx_uint_t            i, n;
    ngx_ors_chat_item_t  *item, *first;

    n = 0;
    p = buf;
    first = NULL;

    for (i = 0; i < ci->nitems - ci->added; i++) {
        item = &ci->items[i];

        rc = ngx_ors_chat_awaits(ci, i);

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }

        if (rc == NGX_DECLINED || ++n > NGX_ORS_CHAT_UNANSWERED) {
            continue;
        }

        if (ngx_ors_json_decoded(item->json,
                                 ngx_ors_input_node(item, item->call_id),
                                 ci->cc->pool, &id)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        if (n == 1) {
            first = item;

        } else {
            p = ngx_cpymem(p, ", ", sizeof(", ") - 1);
        }

        p = ngx_ors_error_id_copy(p, &id);
    }

    if (first == NULL) {
        return NGX_OK;
    }

    if (n > NGX_ORS_CHAT_UNANSWERED) {
        p = ngx_sprintf(p, " and %ui more", n - NGX_ORS_CHAT_UNANSWERED);
    }

    id.data = buf;
    id.len = p - buf;

    (void) ngx_ors_error_set(ci->cc->err, ci->cc->pool,
                             ngx_ors_code_missing_call_output,
                             "No tool output found for %s %V.",
                             first->custom ? "custom tool call"
                             : first->search ? "tool search call"
                             : "function call", &id);
    ngx_str_set(&ci->cc->err->param, "input");

    return NGX_DECLINED;
}


/*
 * NGX_OK if item "i" is a call that waits for its output, NGX_DECLINED if not:
 * one that is not complete, or of a tool that runs here, never had one when its
 * turn was stored
 */

static ngx_int_t
ngx_ors_chat_awaits(ngx_ors_chat_items_t *ci, ngx_uint_t i)
{
    ngx_str_t              name;
    ngx_ors_chat_item_t   *item;
    ngx_ors_input_item_t  *in;

    item = &ci->items[i];
    in = &ci->input->items[i];

    if (item->kind != ngx_ors_chat_item_call || item->hosted || item->pair
        || ngx_ors_json_is(in->json, ngx_ors_input_node(in, in->status),
                           "incomplete"))
    {
        return NGX_DECLINED;
    }

    if (ngx_ors_json_decoded(in->json, ngx_ors_input_node(in, in->name),
                             ci->cc->pool, &name)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    return (in->kind == ngx_ors_input_call && in->space == 0
            && ngx_ors_hosting_find(ci->cc->target->hosting, &name))
           ? NGX_DECLINED : NGX_OK;
}


/*
 * Names and outputs of calls that were run by a server, as those of functions.
 */


void
ngx_ors_chat_replay_call(ngx_ors_chat_item_t *item, ngx_ors_input_item_t *in)
{
    item->kind = ngx_ors_chat_item_call;
    item->hosted = 1;
    item->content = in->arguments;
    item->call_id = in->id;
}


/*
 * As ngx_ors_chat_replay_call() for a search or an interpreter, if the item
 * says what it has found: one that only says that it was done is not sent.
 */

static void
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
