
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The order of items in an answer, and the events that open and close them;
 * the arguments, annotations and sealed content that they grow by.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_builder_items.h>
#include <ngx_ors_event.h>
#include <ngx_ors_item.h>
#include <ngx_ors_chat_tools.h>
#include <ngx_ors_chat_answer.h>


/* longer ones could not be sent back by the client (C19) */
#define NGX_ORS_BUILDER_CALL_ID_MAX  64

/* overhead of an item or a part beside its text, counted for the limit */
#define NGX_ORS_BUILDER_OVERHEAD     512

/* pieces are a few letters long */
#define NGX_ORS_BUILDER_PIECE  256

#define NGX_ORS_BUILDER_STATE_BLOCK  1024


static ngx_int_t ngx_ors_builder_announce(ngx_ors_builder_t *builder,
    ngx_ors_item_t *item);
static ngx_int_t ngx_ors_builder_ids(ngx_ors_builder_t *builder,
    ngx_ors_item_t *item);
static ngx_int_t ngx_ors_builder_call_id(ngx_ors_builder_t *builder,
    ngx_ors_item_t *item);
static ngx_int_t ngx_ors_builder_close(ngx_ors_builder_t *builder,
    ngx_ors_item_t *item, ngx_ors_item_status_e status);
static ngx_int_t ngx_ors_builder_searched(ngx_ors_builder_t *builder,
    ngx_ors_item_t *item);
static void ngx_ors_builder_call_schema(ngx_ors_item_t *item,
    ngx_ors_chat_tool_t *tool);
static ngx_int_t ngx_ors_builder_call_custom(ngx_ors_builder_t *builder,
    ngx_ors_builder_call_t *call);
static ngx_int_t ngx_ors_builder_call_input(ngx_ors_builder_t *builder,
    ngx_ors_builder_call_t *call, ngx_str_t *piece);
static ngx_int_t ngx_ors_builder_call_put(ngx_ors_builder_t *builder,
    ngx_ors_item_t *item, ngx_str_t *piece);
static ngx_uint_t ngx_ors_builder_said(ngx_ors_builder_t *builder);
static ngx_int_t ngx_ors_builder_disobeyed(ngx_ors_builder_t *builder,
    ngx_ors_error_t *err, const char *what);
static ngx_ors_part_t *ngx_ors_builder_last_text(ngx_ors_builder_t *builder);
static ngx_int_t ngx_ors_builder_annotate(ngx_ors_builder_t *builder,
    ngx_ors_item_t *item, ngx_ors_part_t *part, ngx_str_t *text);
static ngx_int_t ngx_ors_builder_cite(ngx_ors_builder_t *builder,
    ngx_ors_item_t *item, ngx_ors_part_t *part, ngx_uint_t cut);
static ngx_int_t ngx_ors_builder_encrypt(ngx_ors_builder_t *builder,
    ngx_ors_item_t *item);


ngx_int_t
ngx_ors_builder_grow(ngx_ors_builder_t *builder, size_t len,
    ngx_ors_error_t *err)
{
    builder->size += len;

    if (builder->size <= builder->limits->answer) {
        return NGX_OK;
    }

    return ngx_ors_error_set(err, builder->pool, ngx_ors_code_answer_too_large,
                             "the model's answer is over the limit of %uz "
                             "bytes", builder->limits->answer);
}


ngx_ors_item_t *
ngx_ors_builder_first(ngx_ors_builder_t *builder)
{
    return builder->mark.last ? builder->mark.last->next
                              : builder->resp->items;
}


ngx_ors_item_t *
ngx_ors_builder_item(ngx_ors_builder_t *builder, ngx_ors_item_type_e type)
{
    return ngx_ors_builder_insert(builder, type, builder->resp->last);
}


ngx_ors_item_t *
ngx_ors_builder_insert(ngx_ors_builder_t *builder, ngx_ors_item_type_e type,
    ngx_ors_item_t *after)
{
    ngx_ors_item_t      *item;
    ngx_ors_response_t  *resp;

    item = ngx_pcalloc(builder->pool, sizeof(ngx_ors_item_t));
    if (item == NULL) {
        return NULL;
    }

    item->type = type;
    item->held = (type == ngx_ors_item_message && builder->hold
                  && builder->schema.len);

    builder->types |= (ngx_uint_t) 1 << type;
    builder->size += NGX_ORS_BUILDER_OVERHEAD;

    resp = builder->resp;

    if (after) {
        item->next = after->next;
        after->next = item;

    } else {
        resp->items = item;
    }

    if (resp->last == after) {
        resp->last = item;
    }

    if (builder->current == NULL) {
        builder->current = item;
    }

    return item;
}


ngx_ors_part_t *
ngx_ors_builder_part(ngx_ors_builder_t *builder, ngx_ors_item_t *item,
    ngx_ors_part_type_e type)
{
    ngx_uint_t       live;
    ngx_ors_part_t  *part;

    part = ngx_pcalloc(builder->pool, sizeof(ngx_ors_part_t));
    if (part == NULL) {
        return NULL;
    }

    part->type = type;

    builder->size += NGX_ORS_BUILDER_OVERHEAD;

    live = builder->stream && item->announced;

    if (item->last) {

        if (ngx_ors_builder_cite(builder, item, item->last, 0) != NGX_OK) {
            return NULL;
        }

        if (live) {
            ngx_ors_event_part_done(builder->out, builder->resp, item,
                                    item->last);
        }

        part->index = item->last->index + 1;
        item->last->next = part;

    } else {
        item->parts = part;
    }

    item->last = part;

    if (live) {
        ngx_ors_event_part_added(builder->out, builder->resp, item, part);
    }

    return part;
}


ngx_int_t
ngx_ors_builder_advance(ngx_ors_builder_t *builder, ngx_uint_t ending)
{
    ngx_uint_t              call;
    ngx_ors_item_t         *item;
    ngx_ors_item_status_e   status;

    for (item = builder->current; item; item = builder->current) {

        call = ngx_ors_item_is_call(item);

        /*
         * a call that the client does not see waits for the item that it sees
         * in its place; an incomplete answer has no such item
         */

        if (item->hidden_call && !item->dropped && !builder->sorted
            && item->status == ngx_ors_item_in_progress
            && builder->resp->status != ngx_ors_response_incomplete)
        {
            return NGX_OK;
        }

        if (item->dropped || item->hidden_call) {
            builder->current = item->next;
            continue;
        }

        if (item->held) {
            return NGX_OK;
        }

        if (call && !item->announced) {

            /* an id may come late; it comes no more when the next one begins */

            if (!ending
                && (item->name.len == 0
                    || (item->call_id.len == 0
                        && (item->next == NULL || !item->whole))))
            {
                return NGX_OK;
            }

            if (item->name.len == 0) {

                /* only the beginning of a call; the rest never came */

                ngx_log_error(NGX_LOG_WARN, builder->log, 0,
                              "model made a tool call without a name");

                builder->current = item->next;
                continue;
            }
        }

        if (!item->announced
            && ngx_ors_builder_announce(builder, item) != NGX_OK)
        {
            return NGX_ERROR;
        }

        if (item->hosted) {

            if (item->hosted->ended == ngx_ors_item_in_progress) {
                return NGX_OK;
            }

        } else if (!ending && (item->next == NULL || (call && !item->whole))) {
            return NGX_OK;
        }

        status = ngx_ors_item_completed;

        if (builder->resp->status == ngx_ors_response_incomplete
            && (item->next == NULL
                || (call && !item->whole
                    && (item->arguments.len
                        || item->type == ngx_ors_item_custom_call))))
        {
            status = ngx_ors_item_incomplete;
        }

        if (ngx_ors_builder_close(builder, item, status) != NGX_OK) {
            return NGX_ERROR;
        }

        /* nothing may follow an item that is incomplete (R37) */

        builder->current = (status == ngx_ors_item_completed) ? item->next
                                                             : NULL;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_builder_announce(ngx_ors_builder_t *builder, ngx_ors_item_t *item)
{
    ngx_uint_t          n;
    ngx_ors_part_t     *part;
    ngx_ors_element_t  *element;

    if (ngx_ors_builder_ids(builder, item) != NGX_OK) {
        return NGX_ERROR;
    }

    item->index = builder->resp->nitems++;
    item->announced = 1;

    if (!builder->stream) {
        return NGX_OK;
    }

    if (item->hosted) {
        ngx_ors_event_hosted_begin(builder->out, builder->resp, item);
        return NGX_OK;
    }

    ngx_ors_event_item_added(builder->out, builder->resp, item);

    if (item->arguments.len && !item->wrapped) {
        ngx_ors_event_arguments_delta(builder->out, builder->resp, item, NULL);
    }

    for (part = item->parts; part; part = part->next) {
        ngx_ors_event_part_added(builder->out, builder->resp, item, part);

        if (part->text.len) {
            ngx_ors_event_part_delta(builder->out, builder->resp, item, part,
                                     NULL);
        }

        n = 0;

        for (element = part->annotations.first;
             element;
             element = element->next)
        {
            ngx_ors_event_annotation(builder->out, builder->resp, item, part,
                                     element, n++);
        }

        if (part->next) {
            ngx_ors_event_part_done(builder->out, builder->resp, item, part);
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_builder_ids(ngx_ors_builder_t *builder, ngx_ors_item_t *item)
{
    if (ngx_ors_id_make(&builder->ids, builder->pool,
                        (item->type == ngx_ors_item_own)
                        ? "tool"
                        : (char *) ngx_ors_items[item->type].id.data,
                        &item->id)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_ors_item_is_call(item) ? ngx_ors_builder_call_id(builder, item)
                                      : NGX_OK;
}


ngx_int_t
ngx_ors_builder_conceal(ngx_ors_builder_t *builder, ngx_ors_item_t *item)
{
    ngx_int_t   rc;
    ngx_uint_t  stream;

    if (ngx_ors_builder_ids(builder, item) != NGX_OK) {
        return NGX_ERROR;
    }

    /* no events */

    stream = builder->stream;
    builder->stream = 0;

    rc = ngx_ors_builder_close(builder, item, ngx_ors_item_completed);

    builder->stream = stream;
    item->hidden_call = 1;

    return rc;
}


/*
 * Gives a call an id of ours if upstream's cannot be used, or is that of
 * another call of the response.  NGX_OK or NGX_ERROR: no memory.
 */

static ngx_int_t
ngx_ors_builder_call_id(ngx_ors_builder_t *builder, ngx_ors_item_t *item)
{
    ngx_int_t   rc;
    ngx_str_t  *id;

    id = &item->call_id;

    /* an id with an escape in it may be another one's in other words */

    if (id->len == 0 || id->len > NGX_ORS_BUILDER_CALL_ID_MAX
        || ngx_strlchr(id->data, id->data + id->len, '\\'))
    {
        return ngx_ors_id_make(&builder->ids, builder->pool, "call", id);
    }

    rc = ngx_ors_names_add(&builder->shown, builder->pool, id);

    return (rc == NGX_DECLINED)
           ? ngx_ors_id_make(&builder->ids, builder->pool, "call", id) : rc;
}


static ngx_int_t
ngx_ors_builder_close(ngx_ors_builder_t *builder, ngx_ors_item_t *item,
    ngx_ors_item_status_e status)
{
    static ngx_str_t  none = ngx_string("{}");

    if (item->hosted) {
        item->status = item->hosted->ended;

        if (builder->stream) {
            ngx_ors_event_hosted_end(builder->out, builder->resp, item);
        }

        return NGX_OK;
    }

    /* some servers leave arguments out; clients parse them as JSON (E8) */

    if (item->type == ngx_ors_item_function_call
        && status == ngx_ors_item_completed && item->arguments.len == 0
        && ngx_ors_builder_call_put(builder, item, &none) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (item->type == ngx_ors_item_search_call) {

        if (ngx_ors_builder_searched(builder, item) != NGX_OK) {
            return NGX_ERROR;
        }

    } else if (item->wrapped) {
        item->wrapped = 0;

        /* the end came earlier than the input: all there is is the text */

        if (status == ngx_ors_item_incomplete) {
            ngx_memzero(&item->arguments, sizeof(ngx_ors_text_t));

        } else if (builder->stream && item->arguments.len) {
            ngx_ors_event_arguments_delta(builder->out, builder->resp, item,
                                          NULL);
        }
    }

    if (item->type == ngx_ors_item_reasoning && builder->sealer
        && ngx_ors_builder_encrypt(builder, item) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (item->type == ngx_ors_item_message && item->last
        && ngx_ors_builder_cite(builder, item, item->last,
                                status == ngx_ors_item_incomplete)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (!builder->stream) {
        item->status = status;
        return NGX_OK;
    }

    if (item->type == ngx_ors_item_function_call
        || item->type == ngx_ors_item_custom_call)
    {
        ngx_ors_event_arguments_done(builder->out, builder->resp, item);

    } else if (item->last) {
        ngx_ors_event_part_done(builder->out, builder->resp, item, item->last);
    }

    item->status = status;

    ngx_ors_event_item_done(builder->out, builder->resp, item);

    return NGX_OK;
}


/* a search's arguments are an object, sent when they are complete */

static ngx_int_t
ngx_ors_builder_searched(ngx_ors_builder_t *builder, ngx_ors_item_t *item)
{
    ngx_str_t  value;

    if (ngx_ors_arguments_value(&item->arguments, builder->limits,
                                builder->pool, &value)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    item->wrapped = 0;
    ngx_memzero(&item->arguments, sizeof(ngx_ors_text_t));

    return ngx_ors_text_append(&item->arguments, builder->pool, value.data,
                               value.len);
}


/*
 * Pieces of tool calls assigned to their items, in any order a server sends
 * them.
 */


ngx_int_t
ngx_ors_builder_call_named(ngx_ors_builder_t *builder,
    ngx_ors_builder_call_t *call, ngx_str_t *name)
{
    const char           *reason;
    ngx_ors_item_t       *item;
    ngx_ors_chat_tool_t  *tool;

    item = call->item;

    if (ngx_ors_str_copy(&call->name, builder->pool, name) != NGX_OK) {
        return NGX_ERROR;
    }

    item->name = call->name;

    tool = builder->tools ? ngx_ors_chat_tools_sent(builder->tools, name)
                         : NULL;

    reason = ngx_ors_choice_refuses(&builder->choice, tool, &call->name);

    if (reason) {
        ngx_log_error(NGX_LOG_WARN, builder->log, 0,
                      "model called a tool %s, the call is left out",
                      reason);

        item->dropped = 1;
        return NGX_OK;
    }

    item->held = builder->hold && (tool == NULL || tool->hosted == NULL);

    if (tool == NULL) {
        return NGX_OK;
    }

    if (builder->check) {
        ngx_ors_builder_call_schema(item, tool);
    }

    item->name = tool->name;
    item->space = tool->space;
    item->tool = tool->hosted;

    if (tool->hosted && tool->hosted->hidden) {
        item->hidden_call = 1;
    }

    switch (tool->kind) {

    case ngx_ors_chat_tool_function:
    case ngx_ors_chat_tool_other: /* has no name to be called by */
        break;

    case ngx_ors_chat_tool_custom:
        return ngx_ors_builder_call_custom(builder, call);

    case ngx_ors_chat_tool_search:
        item->type = ngx_ors_item_search_call;
        item->wrapped = 1;
        break;
    }

    return NGX_OK;
}


static void
ngx_ors_builder_call_schema(ngx_ors_item_t *item, ngx_ors_chat_tool_t *tool)
{
    ngx_ors_json_node_t  *node;

    if (tool->kind != ngx_ors_chat_tool_function) {
        return;
    }

    if (tool->node == NULL) {

        if (tool->hosted) {
            item->schema = tool->hosted->parameters;
        }

        return;
    }

    node = ngx_ors_json_find(tool->json, tool->node, "parameters");

    if (node && node->type == ngx_ors_json_object) {
        ngx_ors_json_raw(tool->json, node, &item->schema);
    }
}


/* some of the arguments may have come earlier than the name (E43) */

static ngx_int_t
ngx_ors_builder_call_custom(ngx_ors_builder_t *builder,
    ngx_ors_builder_call_t *call)
{
    ngx_str_t        piece;
    ngx_ors_item_t  *item;

    item = call->item;

    item->type = ngx_ors_item_custom_call;
    item->wrapped = 1;

    piece.len = item->arguments.len;

    if (piece.len == 0) {
        return NGX_OK;
    }

    piece.data = ngx_pnalloc(builder->pool, piece.len);
    if (piece.data == NULL) {
        return NGX_ERROR;
    }

    (void) ngx_ors_text_copy(piece.data, &item->arguments);
    ngx_memzero(&item->arguments, sizeof(ngx_ors_text_t));

    return ngx_ors_builder_call_input(builder, call, &piece);
}


ngx_int_t
ngx_ors_builder_call_more(ngx_ors_builder_t *builder,
    ngx_ors_builder_call_t *call, ngx_str_t *piece)
{
    ngx_ors_item_t  *item;

    item = call->item;

    ngx_ors_arguments_scan(&call->arguments, piece->data, piece->len);

    item->whole = call->arguments.whole;

    if (item->type == ngx_ors_item_custom_call
        && call->custom.state != ngx_ors_custom_input_st_raw)
    {
        return ngx_ors_builder_call_input(builder, call, piece);
    }

    return ngx_ors_builder_call_put(builder, item, piece);
}


/* until the input has begun it may be that there is none but all of this */

static ngx_int_t
ngx_ors_builder_call_input(ngx_ors_builder_t *builder,
    ngx_ors_builder_call_t *call, ngx_str_t *piece)
{
    u_char                   buf[NGX_ORS_BUILDER_PIECE];
    ngx_str_t                text;
    ngx_ors_item_t          *item;
    ngx_ors_custom_input_t  *u;

    item = call->item;
    u = &call->custom;

    text.data = buf;

    if (piece->len + NGX_ORS_CUSTOM_INPUT_ROOM > sizeof(buf)) {
        text.data = ngx_pnalloc(builder->pool,
                                piece->len + NGX_ORS_CUSTOM_INPUT_ROOM);
        if (text.data == NULL) {
            return NGX_ERROR;
        }
    }

    text.len = ngx_ors_custom_input(u, piece->data, piece->len, text.data)
               - text.data;

    if (!ngx_ors_custom_input_found(u)) {

        if (ngx_ors_builder_call_put(builder, item, piece) != NGX_OK) {
            return NGX_ERROR;
        }

        if (u->state == ngx_ors_custom_input_st_raw) {
            item->wrapped = 0;

            if (builder->stream && item->announced) {
                ngx_ors_event_arguments_delta(builder->out, builder->resp,
                                              item, NULL);
            }
        }

        return NGX_OK;
    }

    if (item->wrapped) {
        item->wrapped = 0;
        ngx_memzero(&item->arguments, sizeof(ngx_ors_text_t));
    }

    return text.len ? ngx_ors_builder_call_put(builder, item, &text) : NGX_OK;
}


static ngx_int_t
ngx_ors_builder_call_put(ngx_ors_builder_t *builder, ngx_ors_item_t *item,
    ngx_str_t *piece)
{
    if (ngx_ors_text_append(&item->arguments, builder->pool, piece->data,
                            piece->len)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (builder->stream && item->announced && !item->wrapped) {
        ngx_ors_event_arguments_delta(builder->out, builder->resp, item, piece);
    }

    return NGX_OK;
}


ngx_int_t
ngx_ors_builder_calls_end(ngx_ors_builder_t *builder, ngx_ors_error_t *err)
{
    ngx_ors_choice_t  *choice;

    choice = &builder->choice;

    if (choice->refused && !ngx_ors_builder_said(builder)) {

        /* many servers ignore "none", and what tools have done is done */

        if (choice->last) {
            builder->resp->status = ngx_ors_response_incomplete;
            ngx_str_set(&builder->resp->reason, "max_tool_calls");
            return NGX_OK;
        }

        return ngx_ors_builder_disobeyed(builder, err,
                                         "called a tool that it may not call");
    }

    if (!choice->needed || choice->met) {
        return NGX_OK;
    }

    if (choice->known) {
        return ngx_ors_builder_disobeyed(builder, err,
                                         "did not call the tool that it must "
                                         "call");
    }

    ngx_log_error(NGX_LOG_WARN, builder->log, 0,
                  "model did not call the tool that it must call");

    return NGX_OK;
}


/* 1 if there is anything for the client but thoughts */

static ngx_uint_t
ngx_ors_builder_said(ngx_ors_builder_t *builder)
{
    ngx_ors_item_t  *item;

    for (item = ngx_ors_builder_first(builder); item; item = item->next) {

        if (!item->dropped && item->type != ngx_ors_item_reasoning
            && (item->name.len || !ngx_ors_item_is_call(item)))
        {
            return 1;
        }
    }

    return 0;
}


static ngx_int_t
ngx_ors_builder_disobeyed(ngx_ors_builder_t *builder, ngx_ors_error_t *err,
    const char *what)
{
    ngx_log_error(NGX_LOG_ERR, builder->log, 0, "model %s", what);

    (void) ngx_ors_error_set(err, builder->pool, ngx_ors_code_model_error,
                             "the model %s", what);

    ngx_str_set(&err->type, "model_error");

    return NGX_DECLINED;
}


/*
 * Annotations and logprobs that belong to a text, collected while the text
 * grows.
 */


ngx_int_t
ngx_ors_builder_logprobs(ngx_ors_builder_t *builder, ngx_ors_json_t *json,
    ngx_ors_chat_answer_t *reply, ngx_ors_error_t *err)
{
    ngx_str_t        text;
    ngx_uint_t       texts;
    ngx_ors_part_t  *part;

    if (!builder->wants_logprobs) {
        return NGX_OK;
    }

    part = NULL;
    texts = (reply->text.len || reply->parts);

    /* a token may be a part of a character, the text comes with the rest */

    if (!texts) {

        if (reply->reasoning.len || reply->thoughts || reply->refusal.len
            || reply->calls || reply->function)
        {
            return NGX_OK;
        }

        part = ngx_ors_builder_last_text(builder);
        if (part == NULL) {
            return NGX_OK;
        }
    }

    if (ngx_ors_chat_answer_logprobs(json, reply->logprobs, builder->pool,
                                     &builder->scratch, &text)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (text.len == 0) {
        return NGX_OK;
    }

    if (ngx_ors_builder_grow(builder, text.len + sizeof(ngx_ors_element_t), err)
        != NGX_OK)
    {
        return NGX_DECLINED;
    }

    /* tokens that are left out are neither stored nor counted */

    if (ngx_ors_str_copy(&builder->logprobs, builder->pool, &text) != NGX_OK) {
        return NGX_ERROR;
    }

    return texts ? NGX_OK : ngx_ors_builder_note_tokens(builder, part);
}


ngx_int_t
ngx_ors_builder_note_tokens(ngx_ors_builder_t *builder, ngx_ors_part_t *part)
{
    if (ngx_ors_element_add(&part->logprobs, builder->pool, &builder->logprobs)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    builder->logprobs.len = 0;

    if (part->unsent == NULL) {
        part->unsent = part->logprobs.last;
    }

    return NGX_OK;
}


ngx_int_t
ngx_ors_builder_annotations(ngx_ors_builder_t *builder, ngx_ors_json_t *json,
    ngx_ors_chat_answer_t *reply, ngx_ors_error_t *err)
{
    ngx_int_t             rc;
    ngx_str_t             text;
    ngx_uint_t            left_out;
    ngx_ors_part_t       *part;
    ngx_ors_json_node_t  *node;

    part = ngx_ors_builder_last_text(builder);
    left_out = 0;

    /* a message that repeats what came in pieces repeats them (E61) */

    if (part && reply->whole && part->annotations.first) {
        return NGX_OK;
    }

    for (node = ngx_ors_json_first(json, reply->annotations);
         node;
         node = ngx_ors_json_next(json, node))
    {
        rc = part ? ngx_ors_chat_answer_annotation(json, node, builder->pool,
                                                   &text)
                  : NGX_DECLINED;

        if (rc == NGX_DECLINED) {
            left_out++;
            continue;
        }

        if (rc == NGX_OK) {
            rc = ngx_ors_builder_grow(builder,
                                      text.len + sizeof(ngx_ors_element_t),
                                      err);
        }

        if (rc == NGX_OK) {
            rc = ngx_ors_builder_annotate(builder, builder->resp->last, part,
                                          &text);
        }

        if (rc != NGX_OK) {
            return rc;
        }
    }

    if (left_out && !builder->warned_notes) {
        builder->warned_notes = 1;

        ngx_log_error(NGX_LOG_WARN, builder->log, 0,
                      "model server sent %ui annotations that are left out, "
                      "they are no citations or have no text", left_out);
    }

    return NGX_OK;
}


/* the open text, NULL if the last part is another one */

static ngx_ors_part_t *
ngx_ors_builder_last_text(ngx_ors_builder_t *builder)
{
    ngx_ors_item_t  *item;

    item = builder->resp->last;

    if (item == builder->mark.last || item->last == NULL
        || item->last->type != ngx_ors_part_output_text)
    {
        return NULL;
    }

    return item->last;
}


static ngx_int_t
ngx_ors_builder_annotate(ngx_ors_builder_t *builder, ngx_ors_item_t *item,
    ngx_ors_part_t *part, ngx_str_t *text)
{
    if (ngx_ors_element_add(&part->annotations, builder->pool, text) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (builder->stream && item->announced) {
        ngx_ors_event_annotation(builder->out, builder->resp, item, part,
                                 part->annotations.last,
                                 part->annotations.n - 1);
    }

    return NGX_OK;
}


/*
 * "part", the last of "item", has its whole text, unless that is "cut": adds
 * annotations for the sources that it cites.  Those that are over the limit of
 * an answer are left out.  A model server that has searched itself has cited
 * its sources.  NGX_OK or NGX_ERROR: no memory.
 */

static ngx_int_t
ngx_ors_builder_cite(ngx_ors_builder_t *builder, ngx_ors_item_t *item,
    ngx_ors_part_t *part, ngx_uint_t cut)
{
    size_t              size;
    ngx_str_t           text;
    ngx_ors_citation_t  citation;

    if (builder->sources.urls.n == 0 || part->annotations.first
        || part->type != ngx_ors_part_output_text || part->text.len == 0)
    {
        return NGX_OK;
    }

    ngx_memzero(&citation, sizeof(ngx_ors_citation_t));

    if (ngx_ors_arguments_text(&part->text, builder->limits, builder->pool,
                               &citation.text)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    citation.cut = cut;

    while (ngx_ors_citation_next(&builder->sources, &citation) == NGX_OK) {

        if (ngx_ors_chat_answer_citation(&citation.source->url,
                                         &citation.source->title,
                                         citation.start, citation.end,
                                         builder->pool, &text)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        size = text.len + sizeof(ngx_ors_element_t);

        if (builder->size + size > builder->limits->answer) {
            return NGX_OK;
        }

        builder->size += size;

        if (ngx_ors_builder_annotate(builder, item, part, &text) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/*
 * Seals the text of "item", of type reasoning, as the inside of a JSON string,
 * escapes included; a text that is too long stays as it is.  NGX_OK or
 * NGX_ERROR.
 */

static ngx_int_t
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

        /* without a keeper it is not stored, either */

        if (item->sealed.len) {
            ngx_ors_journal_note(builder->resp->journal,
                                 ngx_ors_journal_hidden, 0);
        }
    }

    return ngx_ors_builder_advance(builder, 1);
}
