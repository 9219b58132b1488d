
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The messages of a chat request, made from instructions and sorted items:
 * turns of the assistant with its calls, outputs, reasoning and state.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_content.h>
#include <ngx_ors_chat_items.h>
#include <ngx_ors_chat_request.h>
#include <ngx_ors_chat_tools.h>
#include <ngx_ors_json_writer.h>
#include <ngx_ors_names.h>


#define ngx_ors_chat_begin(cm, text)                                          \
    ngx_ors_chat_open(cm, text, sizeof(text) - 1)

#define ngx_ors_chat_message(cm, role)                                        \
    ngx_ors_chat_begin(cm, "{\"role\":\"" role "\",\"content\":")

#define ngx_ors_chat_input_item(cm, item)                                     \
    (&(cm)->in.input->items[(item) - (cm)->in.items])


typedef struct {
    ngx_ors_chat_content_t   cc;
    ngx_ors_chat_items_t     in;
    ngx_uint_t               n;           /* messages so far */
    ngx_uint_t               merged;      /* items are in the first one */
} ngx_ors_chat_messages_t;


static ngx_int_t ngx_ors_chat_input(ngx_ors_request_t *req,
    ngx_ors_error_t *err);
static ngx_int_t ngx_ors_chat_first(ngx_ors_chat_messages_t *cm,
    ngx_ors_json_node_t *instructions);
static ngx_int_t ngx_ors_chat_items(ngx_ors_chat_messages_t *cm);
static void ngx_ors_chat_open(ngx_ors_chat_messages_t *cm, char *text,
    size_t len);
static void ngx_ors_chat_developer(ngx_ors_chat_messages_t *cm);
static ngx_int_t ngx_ors_chat_turn(ngx_ors_chat_messages_t *cm,
    ngx_uint_t first, ngx_uint_t *next);
static ngx_int_t ngx_ors_chat_calls(ngx_ors_chat_messages_t *cm,
    ngx_uint_t begin, ngx_uint_t *pos);
static ngx_int_t ngx_ors_chat_call_put(ngx_ors_chat_messages_t *cm,
    ngx_ors_chat_item_t *item);
static void ngx_ors_chat_call_id(ngx_ors_chat_messages_t *cm,
    ngx_ors_chat_item_t *item);
static void ngx_ors_chat_state(ngx_ors_chat_messages_t *cm,
    ngx_str_t *members);
static ngx_int_t ngx_ors_chat_call_name(ngx_ors_chat_messages_t *cm,
    ngx_ors_chat_item_t *item);
static ngx_int_t ngx_ors_chat_hosted_name(ngx_ors_chat_messages_t *cm,
    ngx_ors_chat_item_t *item, ngx_str_t *sent);
static void ngx_ors_chat_call_arguments(ngx_ors_chat_messages_t *cm,
    ngx_ors_chat_item_t *item);
static ngx_int_t ngx_ors_chat_outputs(ngx_ors_chat_messages_t *cm,
    ngx_uint_t first, ngx_uint_t last);
static ngx_ors_chat_item_t *ngx_ors_chat_output(ngx_ors_chat_messages_t *cm,
    ngx_ors_chat_item_t *call, ngx_ors_json_node_t **content);
static void ngx_ors_chat_hosted_output(ngx_ors_chat_messages_t *cm,
    ngx_ors_chat_item_t *call);
static ngx_ors_json_node_t *ngx_ors_chat_hosted_error(ngx_ors_json_t *json,
    ngx_ors_json_node_t *error);
static void ngx_ors_chat_history(ngx_ors_chat_items_t *ci, ngx_uint_t first,
    ngx_uint_t last);
static ngx_uint_t ngx_ors_chat_same_thought(ngx_ors_chat_item_t *item,
    ngx_ors_chat_item_t *other);
static ngx_uint_t ngx_ors_chat_thought(ngx_ors_chat_item_t *item, ngx_uint_t n,
    ngx_ors_json_node_t **part, ngx_str_t *text);
static ngx_int_t ngx_ors_chat_search_list(ngx_ors_chat_content_t *cc,
    ngx_ors_json_node_t *tools, ngx_ors_json_node_t *space, ngx_uint_t *n);
static ngx_int_t ngx_ors_chat_search_name(ngx_ors_chat_content_t *cc,
    ngx_ors_json_node_t *tool, ngx_ors_json_node_t *space, ngx_uint_t *n);


/* https://ai.google.dev/gemini-api/docs/thought-signatures, "FAQ" */

static ngx_str_t  ngx_ors_chat_unsigned = ngx_string(
    "\"extra_content\":{\"google\":{\"thought_signature\":"
    "\"skip_thought_signature_validator\"}}");


/* in the order of ngx_ors_chat_content_e */

static ngx_str_t  ngx_ors_chat_no_content[] = {
    ngx_string(",\"content\":null"),
    ngx_string(",\"content\":\"\""),
    ngx_null_string
};


/* how a summary is asked for */

static ngx_str_t  ngx_ors_chat_summary_prompt = ngx_string(
    "Write a summary of our conversation up to here. It will stand in the "
    "place of all the messages above: whoever goes on sees nothing else of "
    "them. Keep what I have asked for, in my own words where they matter, and "
    "whatever is not answered yet; what was decided, and why; what was found "
    "out and done, with the names, paths, numbers, code and results of tools "
    "that are still needed; what has failed; and what is to be done next. "
    "Leave out what no longer matters. Do not go on with the conversation and "
    "call no tools: your answer is the summary and nothing else.");


ngx_int_t
ngx_ors_chat_messages(ngx_ors_request_t *req, ngx_ors_chat_target_t *target,
    ngx_ors_out_t *out, ngx_ors_error_t *err)
{
    ngx_int_t                 rc;
    ngx_str_t                *prompt;
    ngx_uint_t                n;
    ngx_ors_chat_messages_t   cm;

    ngx_memzero(&cm, sizeof(ngx_ors_chat_messages_t));

    cm.cc.prior = req->prior;
    cm.cc.options = target->options;
    cm.cc.target = target;
    cm.cc.out = out;
    cm.cc.pool = req->pool;
    cm.cc.err = err;
    cm.in.cc = &cm.cc;
    cm.in.added = req->added;
    cm.in.spaces = (req->policy->profile & NGX_ORS_IN_OPENAI) ? 1 : 0;

    cm.in.trigger = req->compact;
    cm.in.answered = (!req->compact
                      && (req->policy->profile & NGX_ORS_IN_STRICT));

    rc = req->input.n ? ngx_ors_chat_items_read(&cm.in, &req->input)
                      : ngx_ors_chat_input(req, err);

    if (rc != NGX_OK) {
        return rc;
    }

    ngx_ors_out_lit(out, "[");

    cm.cc.json = &req->json;

    rc = ngx_ors_chat_first(&cm, req->field[ngx_ors_rq_instructions]);

    if (rc != NGX_OK) {
        return rc;
    }

    n = cm.merged ? 0 : cm.n;

    if (req->input.n) {
        rc = ngx_ors_chat_items(&cm);

        if (rc != NGX_OK) {
            return rc;
        }

    } else {
        ngx_ors_chat_message(&cm, "user");
        ngx_ors_chat_value(out, cm.cc.json, req->field[ngx_ors_rq_input]);
        ngx_ors_out_lit(out, "}");
    }

    if (cm.n == n) {
        ngx_ors_error_set(err, req->pool, ngx_ors_code_invalid_value,
                          "\"input\" holds nothing that can be sent to "
                          "the model");
        ngx_str_set(&err->param, "input");

        return NGX_DECLINED;
    }

    if (req->compact) {
        prompt = target->prompt.len ? &target->prompt
                                    : &ngx_ors_chat_summary_prompt;

        ngx_ors_chat_message(&cm, "user");
        ngx_ors_json_quote(out, prompt->data, prompt->len);
        ngx_ors_out_lit(out, "}");
    }

    ngx_ors_out_lit(out, "]");

    return NGX_OK;
}


/* a text, or no items at all */

static ngx_int_t
ngx_ors_chat_input(ngx_ors_request_t *req, ngx_ors_error_t *err)
{
    ngx_ors_json_node_t  *input;

    input = req->field[ngx_ors_rq_input];

    if (input == NULL && !req->merged) {
        ngx_ors_error_set(err, req->pool,
                          ngx_ors_code_missing_required_parameter,
                          "\"input\" is required");

    } else if (req->merged || input->type != ngx_ors_json_string
               || input->len == 0)
    {
        ngx_ors_error_set(err, req->pool, ngx_ors_code_invalid_value,
                          "\"input\" must not be empty, there is nothing "
                          "to answer");

    } else {
        return NGX_OK;
    }

    ngx_str_set(&err->param, "input");

    return NGX_DECLINED;
}


/*
 * Instructions, and all that outranks the user if there may be only one
 * message of that kind; items that are in it are not sent again
 */

static ngx_int_t
ngx_ors_chat_first(ngx_ors_chat_messages_t *cm,
    ngx_ors_json_node_t *instructions)
{
    ngx_int_t                rc;
    ngx_uint_t               i, n;
    ngx_ors_chat_item_t     *item;
    ngx_ors_chat_content_t  *cc;

    n = 0;
    cc = &cm->cc;
    cc->field = "content";

    if (instructions && instructions->len) {
        n++;
        ngx_ors_chat_developer(cm);
        ngx_ors_out_lit(cc->out, "\"");
        (void) ngx_ors_chat_system_text(cc, instructions);
    }

    for (i = 0; cc->options->systems && i < cm->in.nitems; i++) {
        item = &cm->in.items[i];

        if (item->kind != ngx_ors_chat_item_system
            && item->kind != ngx_ors_chat_item_developer)
        {
            continue;
        }

        if (n++) {
            ngx_ors_out_lit(cc->out, "\\n\\n");

        } else {
            ngx_ors_chat_developer(cm);
            ngx_ors_out_lit(cc->out, "\"");
        }

        cc->item = i;
        cc->json = item->json;

        rc = ngx_ors_chat_system_text(cc, ngx_ors_input_node(item,
                                                             item->content));
        if (rc != NGX_OK) {
            return rc;
        }

        cm->merged = 1;
        item->kind = ngx_ors_chat_item_none;
    }

    if (n) {
        ngx_ors_out_lit(cc->out, "\"}");
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_chat_items(ngx_ors_chat_messages_t *cm)
{
    ngx_int_t                rc;
    ngx_uint_t               i, next;
    ngx_ors_json_node_t     *content;
    ngx_ors_chat_item_t     *item;
    ngx_ors_chat_content_t  *cc;

    rc = NGX_OK;
    cc = &cm->cc;

    for (i = 0; i < cm->in.nitems; i = next) {
        next = i + 1;
        item = &cm->in.items[i];
        content = ngx_ors_input_node(item, item->content);

        cc->item = i;
        cc->json = item->json;
        cc->field = "content";

        switch (item->kind) {

        case ngx_ors_chat_item_user:
            ngx_ors_chat_message(cm, "user");
            rc = ngx_ors_chat_user_content(cc, content);
            ngx_ors_out_lit(cc->out, "}");
            break;

        case ngx_ors_chat_item_system:
        case ngx_ors_chat_item_developer:

            if (item->kind == ngx_ors_chat_item_system) {
                ngx_ors_chat_message(cm, "system");

            } else {
                ngx_ors_chat_developer(cm);
            }

            ngx_ors_out_lit(cc->out, "\"");
            rc = ngx_ors_chat_system_text(cc, content);
            ngx_ors_out_lit(cc->out, "\"}");
            break;

        case ngx_ors_chat_item_summary:

            /* it holds what users have said, so it does not outrank them */

            ngx_ors_chat_message(cm, "user");
            ngx_ors_out_lit(cc->out, "\"This is a summary of our conversation "
                                     "so far, which replaces it:\\n\\n");
            ngx_ors_out_ref(cc->out, item->text.data, item->text.len);
            ngx_ors_out_lit(cc->out, "\"}");
            break;

        case ngx_ors_chat_item_assistant:
        case ngx_ors_chat_item_reasoning:
        case ngx_ors_chat_item_call:
            rc = ngx_ors_chat_turn(cm, i, &next);
            break;

        case ngx_ors_chat_item_output: /* sent with its call */
        case ngx_ors_chat_item_state: /* ... with what it is of */
        case ngx_ors_chat_item_none:
            break;
        }

        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


static void
ngx_ors_chat_open(ngx_ors_chat_messages_t *cm, char *text, size_t len)
{
    if (cm->n++) {
        ngx_ors_out_lit(cm->cc.out, ",");
    }

    ngx_ors_out_copy(cm->cc.out, (u_char *) text, len);
}


/* instructions outrank the user; most servers have one role for them */

static void
ngx_ors_chat_developer(ngx_ors_chat_messages_t *cm)
{
    if (cm->cc.options->developer) {
        ngx_ors_chat_message(cm, "developer");

    } else {
        ngx_ors_chat_message(cm, "system");
    }
}


/*
 * The reasoning of a turn, its assistant message, the calls that follow it (or
 * calls alone) and their outputs: items from "first"; "*next" is set after the
 * last of them.  Reasoning after that is the next turn's, and is dropped if no
 * message or call follows (E4).
 */

static ngx_int_t
ngx_ors_chat_turn(ngx_ors_chat_messages_t *cm, ngx_uint_t first,
    ngx_uint_t *next)
{
    ngx_int_t             rc;
    ngx_str_t             members;
    ngx_uint_t            i, begin, end;
    ngx_ors_json_node_t  *node;
    ngx_ors_chat_item_t  *item;
    ngx_ors_chat_item_e   kind;

    kind = ngx_ors_chat_item_none;

    for (begin = first; begin < cm->in.nitems; begin++) {
        kind = cm->in.items[begin].kind;

        if (kind != ngx_ors_chat_item_reasoning
            && kind != ngx_ors_chat_item_none)
        {
            break;
        }
    }

    *next = begin;

    if (kind != ngx_ors_chat_item_assistant && kind != ngx_ors_chat_item_call)
    {
        return NGX_OK;
    }

    end = begin;

    if (kind == ngx_ors_chat_item_assistant) {
        ngx_ors_chat_message(cm, "assistant");

        item = &cm->in.items[begin];
        node = ngx_ors_input_node(item, item->content);

        cm->cc.item = begin;
        cm->cc.json = item->json;

        rc = ngx_ors_chat_assistant_content(&cm->cc, node);

        if (rc != NGX_OK) {
            return rc;
        }

        end++;

    } else {
        ngx_ors_chat_begin(cm, "{\"role\":\"assistant\"");
        ngx_ors_out_str(cm->cc.out,
                        &ngx_ors_chat_no_content[cm->cc.options->content]);
    }

    if (ngx_ors_chat_calls(cm, begin, &end) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_ors_chat_history(&cm->in, first, end);

    for (i = begin; i < end; i++) {

        if (cm->in.items[i].state) {
            item = &cm->in.items[cm->in.items[i].state - 1];

            ngx_ors_chat_state_inside(item->json,
                                      &item->json->nodes[item->name], &members);
            ngx_ors_chat_state(cm, &members);
        }
    }

    ngx_ors_out_lit(cm->cc.out, "}");

    *next = end;

    return ngx_ors_chat_outputs(cm, begin, end);
}


/*
 * The calls of the turn that begins with item "begin", from "*pos", which is
 * left after the last of them
 */

static ngx_int_t
ngx_ors_chat_calls(ngx_ors_chat_messages_t *cm, ngx_uint_t begin,
    ngx_uint_t *pos)
{
    ngx_uint_t            i, n;
    ngx_ors_chat_item_t  *item;

    n = 0;

    for (i = *pos; i < cm->in.nitems; i++) {
        item = &cm->in.items[i];

        /* an output of a call before this turn has been sent with it */

        if (item->kind == ngx_ors_chat_item_none
            || item->kind == ngx_ors_chat_item_reasoning
            || (item->kind == ngx_ors_chat_item_output && item->pair < begin))
        {
            continue;
        }

        if (item->kind != ngx_ors_chat_item_call) {
            break;
        }

        if (n++) {
            ngx_ors_out_lit(cm->cc.out, ",");

        } else {
            ngx_ors_out_lit(cm->cc.out, ",\"tool_calls\":[");
        }

        /* of calls side by side the first one has the signature */

        if (n == 1 && item->text.len == 0
            && cm->cc.options->unsigned_calls == ngx_ors_chat_unsigned_gemini)
        {
            item->text = ngx_ors_chat_unsigned;
        }

        if (ngx_ors_chat_call_put(cm, item) != NGX_OK) {
            return NGX_ERROR;
        }

        *pos = i + 1;
    }

    if (n) {
        ngx_ors_out_lit(cm->cc.out, "]");
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_chat_call_put(ngx_ors_chat_messages_t *cm, ngx_ors_chat_item_t *item)
{
    ngx_ors_out_t  *out;

    out = cm->cc.out;
    cm->cc.json = item->json;

    ngx_ors_out_lit(out, "{\"id\":");
    ngx_ors_chat_call_id(cm, item);
    ngx_ors_out_lit(out, ",\"type\":\"function\",\"function\":{\"name\":");

    if (ngx_ors_chat_call_name(cm, item) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_ors_out_lit(out, ",\"arguments\":");
    ngx_ors_chat_call_arguments(cm, item);
    ngx_ors_out_lit(out, "}");
    ngx_ors_chat_state(cm, &item->text);
    ngx_ors_out_lit(out, "}");

    return NGX_OK;
}


/* the item of a call that a server has run may have no id: its place is one */

static void
ngx_ors_chat_call_id(ngx_ors_chat_messages_t *cm, ngx_ors_chat_item_t *item)
{
    ngx_ors_json_node_t  *id;

    id = ngx_ors_input_node(item, item->call_id);

    if (item->hosted
        && (id == NULL || id->type != ngx_ors_json_string || id->len == 0))
    {
        ngx_ors_out_lit(cm->cc.out, "\"call_");
        ngx_ors_out_int(cm->cc.out, item - cm->in.items);
        ngx_ors_out_lit(cm->cc.out, "\"");

        return;
    }

    ngx_ors_chat_value(cm->cc.out, item->json, id);
}


/* members with a comma in front of them, or nothing */

static void
ngx_ors_chat_state(ngx_ors_chat_messages_t *cm, ngx_str_t *members)
{
    if (members->len) {
        ngx_ors_out_lit(cm->cc.out, ",");
        ngx_ors_out_ref(cm->cc.out, members->data, members->len);
    }
}


/* the names of functions are legal as they are */

static ngx_int_t
ngx_ors_chat_call_name(ngx_ors_chat_messages_t *cm, ngx_ors_chat_item_t *item)
{
    ngx_int_t             rc;
    ngx_str_t             sent;
    ngx_ors_json_node_t  *name;

    name = ngx_ors_input_node(item, item->name);

    if (item->search) {
        ngx_ors_out_lit(cm->cc.out, "\"" NGX_ORS_CHAT_SEARCH "\"");
        return NGX_OK;
    }

    if (!item->hosted && !item->custom && item->space == 0) {
        ngx_ors_chat_value(cm->cc.out, item->json, name);
        return NGX_OK;
    }

    rc = item->hosted
         ? ngx_ors_chat_hosted_name(cm, item, &sent)
         : ngx_ors_chat_tools_name(item->json,
                                   ngx_ors_input_node(item, item->space),
                                   name, cm->cc.pool, &sent);
    if (rc != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_ors_json_quote(cm->cc.out, sent.data, sent.len);

    return NGX_OK;
}


/* NGX_OK or NGX_ERROR: no memory */

static ngx_int_t
ngx_ors_chat_hosted_name(ngx_ors_chat_messages_t *cm,
    ngx_ors_chat_item_t *item, ngx_str_t *sent)
{
    u_char                *last;
    ngx_str_t              label, name;
    ngx_ors_input_item_t  *in;

    in = ngx_ors_chat_input_item(cm, item);

    if (in->kind == ngx_ors_input_hosted || in->kind == ngx_ors_input_own) {

        if (ngx_ors_json_copy(in->json, ngx_ors_input_node(in, in->type),
                              cm->cc.pool, sent)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        (void) ngx_ors_item_tool(sent);

        last = sent->data + sent->len;
        sent->len = ngx_ors_tool_name_legal(sent->data, last) - sent->data;

        return NGX_OK;
    }

    if (ngx_ors_json_copy(in->json, ngx_ors_input_get(in, "server_label"),
                          cm->cc.pool, &label)
        != NGX_OK
        || ngx_ors_json_copy(in->json, ngx_ors_input_node(in, in->name),
                             cm->cc.pool, &name)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_ors_tool_name(ngx_ors_hosting_prefix(cm->cc.target->hosting,
                                                    &label),
                             &name, cm->cc.pool, sent);
}


/* a string of JSON, in which the escapes of a text are escaped once more */

static void
ngx_ors_chat_call_arguments(ngx_ors_chat_messages_t *cm,
    ngx_ors_chat_item_t *item)
{
    ngx_str_t              raw;
    ngx_ors_out_t         *out;
    ngx_ors_json_node_t   *node, *queries;
    ngx_ors_input_item_t  *in;

    out = cm->cc.out;
    in = ngx_ors_chat_input_item(cm, item);
    node = ngx_ors_input_node(item, item->content);

    if (item->custom) {
        ngx_ors_out_lit(out, "\"{\\\"input\\\":\\\"");

    } else if (in->kind == ngx_ors_input_hosted) {
        queries = ngx_ors_input_get(in, "queries");
        node = ngx_ors_input_get(in, "code");

        if (queries) {
            ngx_ors_json_raw(in->json, queries, &raw);
            ngx_ors_out_lit(out, "\"{\\\"queries\\\":");
            ngx_ors_json_escape(out, raw.data, raw.len);
            ngx_ors_out_lit(out, "}\"");

            return;
        }

        if (node == NULL) {
            ngx_ors_out_lit(out, "\"{}\"");
            return;
        }

        ngx_ors_out_lit(out, "\"{\\\"code\\\":\\\"");

    } else if (node && node->type != ngx_ors_json_string) {
        ngx_ors_json_quote(out, ngx_ors_json_text(item->json, node),
                           node->len);
        return;

    } else {

        if (node && node->len) {
            ngx_ors_chat_value(out, item->json, node);

        } else {
            ngx_ors_out_lit(out, "\"{}\"");
        }

        return;
    }

    ngx_ors_json_inner(item->json, node, &raw);
    ngx_ors_json_escape(out, raw.data, raw.len);
    ngx_ors_out_lit(out, "\\\"}\"");
}


/* the outputs of the calls of the items from "first" up to "last" */

static ngx_int_t
ngx_ors_chat_outputs(ngx_ors_chat_messages_t *cm, ngx_uint_t first,
    ngx_uint_t last)
{
    ngx_int_t                rc;
    ngx_uint_t               i, n, attached;
    ngx_ors_json_node_t     *content;
    ngx_ors_chat_item_t     *call, *output;
    ngx_ors_chat_content_t  *cc;

    cc = &cm->cc;
    cc->field = "output";

    attached = 0;

    for (i = first; i < last; i++) {
        call = &cm->in.items[i];
        output = ngx_ors_chat_output(cm, call, &content);

        if (output == NULL && !call->hosted) {
            continue;
        }

        rc = NGX_OK;

        ngx_ors_chat_message(cm, "tool");

        if (call->hosted) {
            ngx_ors_chat_hosted_output(cm, call);

        } else if (output->search) {
            n = 0;

            ngx_ors_out_lit(cc->out, "\"{\\\"tools\\\":[");
            rc = ngx_ors_chat_search_list(cc, content, NULL, &n);
            ngx_ors_out_lit(cc->out, "]}\"");

        } else {
            rc = ngx_ors_chat_tool_content(cc, content, &attached);
        }

        if (rc != NGX_OK) {
            return rc;
        }

        ngx_ors_out_lit(cc->out, ",\"tool_call_id\":");
        ngx_ors_chat_call_id(cm, call);
        ngx_ors_out_lit(cc->out, "}");
    }

    if (!attached) {
        return NGX_OK;
    }

    ngx_ors_chat_message(cm, "user");
    ngx_ors_out_lit(cc->out, "[");

    n = 0;

    for (i = first; i < last; i++) {
        output = ngx_ors_chat_output(cm, &cm->in.items[i], &content);

        if (output == NULL || output->search) {
            continue;
        }

        rc = ngx_ors_chat_attachments(cc, content, &n);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    ngx_ors_out_lit(cc->out, "]}");

    return NGX_OK;
}


/* the output of an item that is a call, to be written, or NULL */

static ngx_ors_chat_item_t *
ngx_ors_chat_output(ngx_ors_chat_messages_t *cm, ngx_ors_chat_item_t *call,
    ngx_ors_json_node_t **content)
{
    ngx_ors_chat_item_t  *output;

    *content = NULL;

    if (call->kind != ngx_ors_chat_item_call || call->pair == 0) {
        return NULL;
    }

    output = &cm->in.items[call->pair];
    *content = ngx_ors_input_node(output, output->content);

    cm->cc.item = call->pair;
    cm->cc.json = output->json;

    return output;
}


/* its output, its error, or that the client has declined the call: a string */

static void
ngx_ors_chat_hosted_output(ngx_ors_chat_messages_t *cm,
    ngx_ors_chat_item_t *call)
{
    ngx_str_t              text;
    ngx_ors_out_t         *out;
    ngx_ors_json_node_t   *node;
    ngx_ors_approval_t    *approval;
    ngx_ors_input_item_t  *in;

    out = cm->cc.out;
    in = ngx_ors_chat_input_item(cm, call);

    if (in->kind == ngx_ors_input_approval) {
        approval = ngx_ors_approval_find(&cm->in.approvals,
                                         call - cm->in.items);
        node = ngx_ors_approval_reason(cm->in.input, approval);

        ngx_ors_out_lit(out, "\"the user has declined this call");

        if (node) {
            ngx_ors_json_raw(cm->in.input->items[approval->answer].json, node,
                             &text);
            ngx_ors_out_lit(out, ": ");
            ngx_ors_out_ref(out, text.data, text.len);
        }

        ngx_ors_out_lit(out, "\"");

        return;
    }

    if (in->kind == ngx_ors_input_hosted) {
        ngx_ors_json_raw(in->json, ngx_ors_input_node(call, call->content),
                         &text);
        ngx_ors_json_quote(out, text.data, text.len);

        return;
    }

    node = ngx_ors_input_node(in, in->output);

    if (node == NULL || node->type != ngx_ors_json_string) {
        node = ngx_ors_chat_get(in->json, ngx_ors_input_object(in), "error");

        if (node == NULL) {
            ngx_ors_out_lit(out, "\"the tool was not called\"");
            return;
        }

        node = ngx_ors_chat_hosted_error(in->json, node);
    }

    if (node->type == ngx_ors_json_string) {
        ngx_ors_chat_value(out, in->json, node);
        return;
    }

    ngx_ors_json_raw(in->json, node, &text);
    ngx_ors_json_quote(out, text.data, text.len);
}


/* a text of older servers, or an object with one; the rest as its JSON */

static ngx_ors_json_node_t *
ngx_ors_chat_hosted_error(ngx_ors_json_t *json, ngx_ors_json_node_t *error)
{
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

    return node ? node : error;
}


/* Reasoning in the history, sent back to the server that it came from. */


/*
 * Appends what the model has thought in the items from "first" up to "last",
 * a member of its message: joined, and once where two items in a row say the
 * same (E6).  Nothing if there is nothing.
 */

static void
ngx_ors_chat_history(ngx_ors_chat_items_t *ci, ngx_uint_t first,
    ngx_uint_t last)
{
    ngx_str_t             text;
    ngx_uint_t            i, n, texts;
    ngx_ors_out_t        *out;
    ngx_ors_json_node_t  *part;
    ngx_ors_chat_item_t  *item, *prev;

    out = ci->cc->out;

    prev = NULL;
    texts = 0;

    for (i = first; i < last; i++) {
        item = &ci->items[i];

        if (item->kind != ngx_ors_chat_item_reasoning
            || (prev && ngx_ors_chat_same_thought(prev, item)))
        {
            continue;
        }

        prev = item;

        for (n = 0; ngx_ors_chat_thought(item, n, &part, &text); n++) {

            if (text.len == 0) {
                continue;
            }

            if (texts++) {
                ngx_ors_out_lit(out, "\\n");

            } else if (ci->cc->options->reasoning
                       == ngx_ors_chat_reasoning_content)
            {
                ngx_ors_out_lit(out, ",\"reasoning_content\":\"");

            } else {
                ngx_ors_out_lit(out, ",\"reasoning\":\"");
            }

            ngx_ors_out_ref(out, text.data, text.len);
        }
    }

    if (texts) {
        ngx_ors_out_lit(out, "\"");
    }
}


static ngx_uint_t
ngx_ors_chat_same_thought(ngx_ors_chat_item_t *item,
    ngx_ors_chat_item_t *other)
{
    ngx_str_t             text, again;
    ngx_uint_t            n, more;
    ngx_ors_json_node_t  *part, *copy;

    for (n = 0; /* void */ ; n++) {
        more = ngx_ors_chat_thought(item, n, &part, &text);

        if (ngx_ors_chat_thought(other, n, &copy, &again) != more) {
            return 0;
        }

        if (!more) {
            return 1;
        }

        if (!ngx_ors_same(&text, &again)) {
            return 0;
        }
    }
}


/*
 * 1 and text "n" of an item, or 0: it has no more.  "*part" is where the text
 * is, and is kept from one call to the next
 */

static ngx_uint_t
ngx_ors_chat_thought(ngx_ors_chat_item_t *item, ngx_uint_t n,
    ngx_ors_json_node_t **part, ngx_str_t *text)
{
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *list;

    if (item->text.len) {
        *text = item->text;
        return n == 0;
    }

    json = item->json;
    list = ngx_ors_input_node(item, item->content);

    *part = n ? ngx_ors_json_next(json, *part) : ngx_ors_json_first(json, list);

    ngx_ors_json_inner(json, ngx_ors_json_find(json, *part, "text"), text);

    return *part != NULL;
}


/*
 * Appends the names upstream of the tools in array "tools", which a search has
 * found: the list of tools describes each.  NGX_OK or NGX_ERROR: no memory.
 */

static ngx_int_t
ngx_ors_chat_search_list(ngx_ors_chat_content_t *cc,
    ngx_ors_json_node_t *tools, ngx_ors_json_node_t *space, ngx_uint_t *n)
{
    ngx_int_t             rc;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *tool, *type;

    json = cc->json;

    for (tool = ngx_ors_json_first(json, tools);
         tool;
         tool = ngx_ors_json_next(json, tool))
    {
        type = ngx_ors_json_find(json, tool, "type");
        rc = NGX_OK;

        if (ngx_ors_json_is(json, type, "namespace")) {
            rc = ngx_ors_chat_search_list(cc,
                                      ngx_ors_json_find(json, tool, "tools"),
                                      ngx_ors_json_find(json, tool, "name"),
                                      n);

        } else if (ngx_ors_json_is(json, type, "function")
                   || ngx_ors_json_is(json, type, "custom"))
        {
            rc = ngx_ors_chat_search_name(cc, tool, space, n);
        }

        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


/* letters that need no escape, in any string */

static ngx_int_t
ngx_ors_chat_search_name(ngx_ors_chat_content_t *cc,
    ngx_ors_json_node_t *tool, ngx_ors_json_node_t *space, ngx_uint_t *n)
{
    ngx_str_t             sent;
    ngx_ors_json_node_t  *name;

    name = ngx_ors_json_find(cc->json, tool, "name");

    if (name == NULL || name->type != ngx_ors_json_string) {
        name = ngx_ors_json_find(cc->json,
                                 ngx_ors_json_find(cc->json, tool, "function"),
                                 "name");
    }

    if (name == NULL || name->type != ngx_ors_json_string) {
        return NGX_OK;
    }

    if (ngx_ors_chat_tools_name(cc->json, space, name, cc->pool, &sent)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    if ((*n)++) {
        ngx_ors_out_lit(cc->out, ",");
    }

    ngx_ors_out_lit(cc->out, "\\\"");
    ngx_ors_out_str(cc->out, &sent);
    ngx_ors_out_lit(cc->out, "\\\"");

    return NGX_OK;
}
