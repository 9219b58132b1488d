
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The input of a request sorted for a chat: each item's role there, calls with
 * their outputs, sealed reasoning opened, provider state with its calls.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_items.h>
#include <ngx_ors_chat_state.h>
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
    ngx_ors_chat_item_t *item, ngx_ors_chat_item_e kind, uint32_t content);
static void ngx_ors_chat_hosted(ngx_ors_chat_item_t *item,
    ngx_ors_input_item_t *in, uint32_t content);
static ngx_int_t ngx_ors_chat_thought(ngx_ors_chat_items_t *ci,
    ngx_ors_input_item_t *in, ngx_ors_chat_item_t *item);
static ngx_int_t ngx_ors_chat_sealed_state(ngx_ors_chat_items_t *ci,
    ngx_ors_chat_item_t *item);
static void ngx_ors_chat_compacted(ngx_ors_chat_items_t *ci);
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
static ngx_int_t ngx_ors_chat_states_give(ngx_ors_chat_items_t *ci);
static ngx_int_t ngx_ors_chat_state_give(ngx_ors_chat_items_t *ci,
    ngx_uint_t i, ngx_ors_json_node_t *node);


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

        item = &ci->items[i];
        ngx_memzero(item, sizeof(ngx_ors_chat_item_t));

        rc = ngx_ors_chat_item_read(ci, &input->items[i], item);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    rc = ngx_ors_chat_match(ci);

    ngx_ors_chat_compacted(ci);

    if (rc == NGX_OK && ci->answered) {
        rc = ngx_ors_chat_answered(ci);
    }

    return (rc == NGX_OK) ? ngx_ors_chat_states_give(ci) : rc;
}


/*
 * The last summary stands for all items in front of it, but for rules, and for
 * messages of the user directly in front of it: these are not answered yet, and
 * follow it
 */

static void
ngx_ors_chat_compacted(ngx_ors_chat_items_t *ci)
{
    ngx_uint_t            i, n;
    ngx_ors_chat_item_t  *item, summary;

    item = ci->items;

    for (n = ci->nitems; n; n--) {

        if (item[n - 1].kind == ngx_ors_chat_item_summary) {
            break;
        }
    }

    if (n == 0) {
        return;
    }

    n--;
    summary = item[n];

    for ( /* void */ ; n && item[n - 1].kind == ngx_ors_chat_item_user; n--) {
        item[n] = item[n - 1];
    }

    item[n] = summary;

    for (i = 0; i < n; i++) {

        if (item[i].kind != ngx_ors_chat_item_system
            && item[i].kind != ngx_ors_chat_item_developer)
        {
            item[i].kind = ngx_ors_chat_item_none;
        }
    }
}


static ngx_int_t
ngx_ors_chat_item_read(ngx_ors_chat_items_t *ci, ngx_ors_input_item_t *in,
    ngx_ors_chat_item_t *item)
{
    ngx_ors_approval_t   *approval;
    ngx_ors_json_node_t  *node;

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
        return ngx_ors_chat_called(ci, item, ngx_ors_chat_item_call,
                                   in->arguments);

    case ngx_ors_input_custom_call:
        item->custom = 1;
        return ngx_ors_chat_called(ci, item, ngx_ors_chat_item_call,
                                   in->input);

    case ngx_ors_input_output:
        return ngx_ors_chat_called(ci, item, ngx_ors_chat_item_output,
                                   in->output);

    case ngx_ors_input_search_call:
        item->search = 1;
        return ngx_ors_chat_called(ci, item, ngx_ors_chat_item_call,
                                   in->arguments);

    case ngx_ors_input_search_output:
        item->search = 1;
        return ngx_ors_chat_called(ci, item, ngx_ors_chat_item_output,
                                   in->tools);

    case ngx_ors_input_reasoning:
        return ngx_ors_chat_thought(ci, in, item);

    case ngx_ors_input_compaction:
        return ngx_ors_chat_compaction(ci, in, item);

    case ngx_ors_input_approval:
        approval = ngx_ors_approval_find(&ci->approvals, ci->cc->item);

        /* an approved call is another item */

        if (approval && approval->state == ngx_ors_approval_declined) {
            ngx_ors_chat_hosted(item, in, in->arguments);
        }

        return NGX_OK;

    case ngx_ors_input_mcp_call:
    case ngx_ors_input_own:
        ngx_ors_chat_hosted(item, in, in->arguments);
        return NGX_OK;

    case ngx_ors_input_hosted:
        node = ngx_ors_input_get(in, "results");
        node = node ? node : ngx_ors_input_get(in, "outputs");

        /* not sent if it only says that it was done */

        if (ngx_ors_json_count(node)) {
            ngx_ors_chat_hosted(item, in, node - in->json->nodes);
        }

        return NGX_OK;

    case ngx_ors_input_tools:
    case ngx_ors_input_mcp_list:
    case ngx_ors_input_approval_response:
        return NGX_OK;

    case ngx_ors_input_trigger:

        if (ci->trigger && ci->nitems == ci->input->n) {
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
ngx_ors_chat_called(ngx_ors_chat_items_t *ci, ngx_ors_chat_item_t *item,
    ngx_ors_chat_item_e kind, uint32_t content)
{
    item->content = content;

    if (item->call_id) {
        item->kind = kind;
        return NGX_OK;
    }

    /* the server has searched itself: only the tools matter */

    if (item->search) {
        return NGX_OK;
    }

    ci->cc->field = "call_id";

    return ngx_ors_chat_refuse(ci->cc, -1,
                               ngx_ors_code_missing_required_parameter,
                               "is required");
}


/* a call that a server has run, or wanted to: its output is the same item */

static void
ngx_ors_chat_hosted(ngx_ors_chat_item_t *item, ngx_ors_input_item_t *in,
    uint32_t content)
{
    item->kind = ngx_ors_chat_item_call;
    item->hosted = 1;
    item->content = content;
    item->call_id = in->id;
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


/* gives the states of this maker to the messages and calls that they are of */

static ngx_int_t
ngx_ors_chat_states_give(ngx_ors_chat_items_t *ci)
{
    ngx_uint_t            i;
    ngx_ors_json_node_t  *node;
    ngx_ors_chat_item_t  *item;

    for (i = 0; ci->nstates && i < ci->nitems; i++) {
        item = &ci->items[i];

        if (item->kind != ngx_ors_chat_item_state) {
            continue;
        }

        node = ngx_ors_json_get(item->json, &item->json->nodes[item->content],
                                ci->cc->target->maker->data,
                                ci->cc->target->maker->len);

        if (node && ngx_ors_chat_state_give(ci, i, node) != NGX_OK) {
            return NGX_ERROR;
        }

        item->kind = ngx_ors_chat_item_none;
    }

    return NGX_OK;
}


/* the state of item "i" to its calls and their message */

static ngx_int_t
ngx_ors_chat_state_give(ngx_ors_chat_items_t *ci, ngx_uint_t i,
    ngx_ors_json_node_t *node)
{
    uint32_t              message;
    ngx_str_t             id;
    ngx_uint_t            n;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *key;
    ngx_ors_chat_item_t  *item;

    json = ci->items[i].json;
    message = 0;

    for (key = ngx_ors_json_first(json, node);
         key;
         key = ngx_ors_json_next(json, key))
    {
        if (key->len == 0) {
            ci->items[i].name = &key[1] - json->nodes;
            message = i + 1;
            continue;
        }

        ngx_ors_json_raw(json, key, &id);

        /* the nearest call in front of the state, else the last one */

        if (ngx_ors_chat_find(ci, i, &id, &n) != NGX_OK
            || (n == 0
                && ngx_ors_chat_find(ci, ci->nitems, &id, &n) != NGX_OK))
        {
            return NGX_ERROR;
        }

        if (n) {
            item = &ci->items[n - 1];
            ngx_ors_chat_state_inside(json, &key[1], &item->text);
            item->state = message;
            message = 0;
        }
    }

    /* a message without calls is the last one in front of its state */

    for (n = i; n && ngx_ors_json_count(node) == 1; n--) {
        item = &ci->items[n - 1];

        if (item->kind == ngx_ors_chat_item_assistant) {
            item->state = message;
        }

        if (item->kind != ngx_ors_chat_item_none
            && item->kind != ngx_ors_chat_item_reasoning)
        {
            break;
        }
    }

    return NGX_OK;
}


void
ngx_ors_chat_state_inside(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    ngx_str_t *members)
{
    ngx_ors_json_raw(json, node, members);

    members->data++;
    members->len -= 2;
}
