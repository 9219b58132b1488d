
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Facts of an answer turned into items: texts, reasoning, refusals, the end.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_builder.h>
#include <ngx_ors_builder_items.h>
#include <ngx_ors_event.h>
#include <ngx_ors_json_writer.h>
#include <ngx_ors_error.h>


#define ngx_ors_builder_made(builder, type)                                    \
    ((builder)->types & ((ngx_uint_t) 1 << (type)))


static ngx_int_t ngx_ors_builder_texts(ngx_ors_builder_t *builder,
    ngx_ors_chat_answer_t *reply, ngx_ors_error_t *err);
static ngx_int_t ngx_ors_builder_parts(ngx_ors_builder_t *builder,
    ngx_ors_json_t *json, ngx_ors_json_node_t *parts, ngx_uint_t thoughts,
    ngx_ors_error_t *err);
static ngx_int_t ngx_ors_builder_content(ngx_ors_builder_t *builder,
    ngx_str_t *text);
static ngx_int_t ngx_ors_builder_held(ngx_ors_builder_t *builder);
static ngx_int_t ngx_ors_builder_piece(ngx_ors_builder_t *builder,
    ngx_str_t *piece, ngx_uint_t thought);
static ngx_int_t ngx_ors_builder_reasoning(ngx_ors_builder_t *builder,
    ngx_str_t *text);
static void ngx_ors_builder_forget(ngx_ors_builder_t *builder,
    ngx_ors_chat_answer_t *reply);
static ngx_inline ngx_ors_item_t *ngx_ors_builder_open(
    ngx_ors_builder_t *builder, ngx_ors_item_type_e type);
static ngx_int_t ngx_ors_builder_text(ngx_ors_builder_t *builder,
    ngx_ors_item_type_e type, ngx_ors_part_type_e part, ngx_str_t *text);
static ngx_int_t ngx_ors_builder_calls(ngx_ors_builder_t *builder,
    ngx_ors_json_t *json, ngx_ors_chat_answer_t *reply, ngx_ors_error_t *err);
static ngx_int_t ngx_ors_builder_function(ngx_ors_builder_t *builder,
    ngx_ors_json_t *json, ngx_ors_chat_answer_t *reply, ngx_ors_error_t *err);
static ngx_int_t ngx_ors_builder_delta(ngx_ors_builder_t *builder,
    ngx_ors_chat_answer_call_t *delta, ngx_uint_t whole, ngx_ors_error_t *err);
static ngx_int_t ngx_ors_builder_name(ngx_ors_builder_t *builder,
    ngx_str_t *name);
static ngx_int_t ngx_ors_builder_call(ngx_ors_builder_t *builder,
    ngx_ors_builder_call_t *call, ngx_ors_chat_answer_call_t *delta);
static ngx_ors_builder_call_t *ngx_ors_builder_call_find(
    ngx_ors_builder_t *builder, ngx_ors_chat_answer_call_t *delta);
static ngx_ors_builder_call_t *ngx_ors_builder_call_by_id(
    ngx_ors_builder_t *builder, ngx_ors_chat_answer_call_t *delta);
static ngx_ors_builder_call_t *ngx_ors_builder_call_create(
    ngx_ors_builder_t *builder, ngx_ors_chat_answer_call_t *delta);


ngx_int_t
ngx_ors_builder_add(ngx_ors_builder_t *builder, ngx_ors_json_t *json,
    ngx_ors_chat_answer_t *reply, ngx_ors_error_t *err)
{
    ngx_int_t  rc;

    if (!builder->started) {
        ngx_ors_builder_start(builder);
    }

    if (reply->usage) {
        ngx_ors_chat_answer_usage(&builder->usage, json, reply->usage);
        ngx_ors_usage_sum(&builder->resp->usage, &builder->mark.usage,
                          &builder->usage);
    }

    if (reply->finish != ngx_ors_chat_finish_none) {
        builder->finish = reply->finish;
    }

    /* some gateways repeat in the end what they have sent in pieces (E61) */

    if (reply->whole && builder->seen) {
        ngx_ors_builder_forget(builder, reply);
    }

    rc = (reply->body && builder->state.names)
         ? ngx_ors_chat_state_add(&builder->state, json, reply->body, NULL,
                                  reply->whole)
         : NGX_OK;

    if (rc == NGX_OK && reply->logprobs) {
        rc = ngx_ors_builder_logprobs(builder, json, reply, err);
    }

    if (rc == NGX_OK && reply->thoughts) {
        rc = ngx_ors_builder_parts(builder, json, reply->thoughts, 1, err);
    }

    if (rc == NGX_OK) {
        rc = ngx_ors_builder_texts(builder, reply, err);
    }

    if (rc == NGX_OK && reply->parts) {
        rc = ngx_ors_builder_parts(builder, json, reply->parts, 0, err);
    }

    /* they are of no text if nothing has taken them */

    builder->logprobs.len = 0;

    if (rc == NGX_OK && reply->annotations) {
        rc = ngx_ors_builder_annotations(builder, json, reply, err);
    }

    if (rc == NGX_OK && reply->calls) {
        rc = ngx_ors_builder_calls(builder, json, reply, err);
    }

    if (rc == NGX_OK && reply->function) {
        rc = ngx_ors_builder_function(builder, json, reply, err);
    }

    return rc;
}


void
ngx_ors_builder_start(ngx_ors_builder_t *builder)
{
    if (builder->resp->request->stream && !builder->started) {
        builder->started = 1;
        ngx_ors_event_start(builder->out, builder->resp);
    }
}


static ngx_int_t
ngx_ors_builder_texts(ngx_ors_builder_t *builder, ngx_ors_chat_answer_t *reply,
    ngx_ors_error_t *err)
{
    ngx_ors_part_type_e  type;

    if (ngx_ors_builder_grow(builder, reply->text.len + reply->refusal.len
                                    + reply->reasoning.len, err)
        != NGX_OK)
    {
        return NGX_DECLINED;
    }

    if (reply->reasoning.len
        && ngx_ors_builder_reasoning(builder, &reply->reasoning) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (reply->text.len
        && ngx_ors_builder_content(builder, &reply->text) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (reply->refusal.len == 0) {
        return NGX_OK;
    }

    /* many clients lose a part of that type, and the message with it */

    type = (builder->resp->request->policy->refusal == ngx_ors_refusal_text)
           ? ngx_ors_part_output_text : ngx_ors_part_refusal;

    return ngx_ors_builder_text(builder, ngx_ors_item_message, type,
                                &reply->refusal);
}


/* "thoughts" is set for the parts inside of a part: all are reasoning */

static ngx_int_t
ngx_ors_builder_parts(ngx_ors_builder_t *builder, ngx_ors_json_t *json,
    ngx_ors_json_node_t *parts, ngx_uint_t thoughts, ngx_ors_error_t *err)
{
    ngx_int_t              rc;
    ngx_ors_json_node_t   *node, *inner;
    ngx_ors_chat_answer_t  reply;

    for (node = ngx_ors_json_first(json, parts);
         node;
         node = ngx_ors_json_next(json, node))
    {
        ngx_ors_chat_answer_part(&reply, json, node, &inner);

        if (thoughts) {
            if (reply.text.len) {
                reply.reasoning = reply.text;
                ngx_str_null(&reply.text);
            }

            inner = NULL;
        }

        rc = inner ? ngx_ors_builder_parts(builder, json, inner, 1, err)
                   : ngx_ors_builder_texts(builder, &reply, err);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_builder_content(ngx_ors_builder_t *builder, ngx_str_t *text)
{
    ngx_str_t   rest, piece;
    ngx_uint_t  thought;

    if (builder->tags.mode == ngx_ors_chat_think_off) {
        return ngx_ors_builder_piece(builder, text, 0);
    }

    /* also when all of it is held back */

    builder->seen = 1;

    rest = *text;

    while (ngx_ors_tags_next(&builder->tags, &rest, &piece, &thought)
           == NGX_OK)
    {
        if (ngx_ors_builder_piece(builder, &piece, thought) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_builder_held(ngx_ors_builder_t *builder)
{
    ngx_str_t   piece;
    ngx_uint_t  thought;

    if (ngx_ors_tags_end(&builder->tags, &piece, &thought) != NGX_OK) {
        return NGX_OK;
    }

    return ngx_ors_builder_piece(builder, &piece, thought);
}


static ngx_int_t
ngx_ors_builder_piece(ngx_ors_builder_t *builder, ngx_str_t *piece,
    ngx_uint_t thought)
{
    if (thought) {
        return ngx_ors_builder_reasoning(builder, piece);
    }

    return ngx_ors_builder_text(builder, ngx_ors_item_message,
                                ngx_ors_part_output_text, piece);
}


static ngx_int_t
ngx_ors_builder_reasoning(ngx_ors_builder_t *builder, ngx_str_t *text)
{
    ngx_ors_item_t    *item;
    ngx_ors_policy_t  *policy;

    policy = builder->resp->request->policy;

    switch ((ngx_ors_reasoning_e) policy->reasoning) {

    case ngx_ors_reasoning_summary:
        return ngx_ors_builder_text(builder, ngx_ors_item_reasoning,
                                    ngx_ors_part_summary_text, text);

    case ngx_ors_reasoning_content:
        return ngx_ors_builder_text(builder, ngx_ors_item_reasoning,
                                    ngx_ors_part_reasoning_text, text);

    case ngx_ors_reasoning_off:
        break;
    }

    /* the model has answered in spite of it */

    builder->seen = 1;

    if (builder->sealer == NULL) {
        return NGX_OK;
    }

    item = ngx_ors_builder_open(builder, ngx_ors_item_reasoning);

    return item ? ngx_ors_text_append(&item->hidden, builder->pool, text->data,
                                      text->len)
                : NGX_ERROR;
}


/*
 * Takes from the reply what there is already.  Each chunk may be such a reply:
 * the items are not searched for it, there may be very many.  A call begins
 * as one of a function, whatever its name is.
 */

static void
ngx_ors_builder_forget(ngx_ors_builder_t *builder, ngx_ors_chat_answer_t *reply)
{
    /* a text may have been a thought so far */

    if (builder->tags.state != ngx_ors_tags_st_start
        || ngx_ors_builder_made(builder, ngx_ors_item_message))
    {
        ngx_str_null(&reply->text);
        reply->parts = NULL;
        reply->logprobs = NULL;
    }

    if (ngx_ors_builder_made(builder, ngx_ors_item_message)) {
        ngx_str_null(&reply->refusal);
    }

    if (ngx_ors_builder_made(builder, ngx_ors_item_function_call)) {
        reply->calls = NULL;
        reply->function = NULL;
    }

    if (ngx_ors_builder_made(builder, ngx_ors_item_reasoning)) {
        ngx_str_null(&reply->reasoning);
        reply->thoughts = NULL;
    }
}


/* the last item, if it is one of the round and of that type, or a new one */

static ngx_inline ngx_ors_item_t *
ngx_ors_builder_open(ngx_ors_builder_t *builder, ngx_ors_item_type_e type)
{
    ngx_ors_item_t  *item;

    item = builder->resp->last;

    if (item != builder->mark.last && item->type == type) {
        return item;
    }

    item = ngx_ors_builder_item(builder, type);

    return (item && ngx_ors_builder_advance(builder, 0) == NGX_OK) ? item
                                                                   : NULL;
}


static ngx_int_t
ngx_ors_builder_text(ngx_ors_builder_t *builder, ngx_ors_item_type_e type,
    ngx_ors_part_type_e ptype, ngx_str_t *text)
{
    ngx_ors_item_t  *item;
    ngx_ors_part_t  *part;

    builder->seen = 1;

    item = ngx_ors_builder_open(builder, type);
    if (item == NULL) {
        return NGX_ERROR;
    }

    part = item->last;

    if (part == NULL || part->type != ptype) {
        part = ngx_ors_builder_part(builder, item, ptype);
        if (part == NULL) {
            return NGX_ERROR;
        }
    }

    if (ngx_ors_text_append(&part->text, builder->pool, text->data, text->len)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (ptype == ngx_ors_part_output_text && builder->logprobs.len
        && ngx_ors_builder_note_tokens(builder, part) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (builder->stream && item->announced) {
        ngx_ors_event_part_delta(builder->out, builder->resp, item, part, text);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_builder_calls(ngx_ors_builder_t *builder, ngx_ors_json_t *json,
    ngx_ors_chat_answer_t *reply, ngx_ors_error_t *err)
{
    ngx_int_t                   rc;
    ngx_ors_json_node_t        *node;
    ngx_ors_chat_answer_call_t  delta;

    for (node = ngx_ors_json_first(json, reply->calls);
         node;
         node = ngx_ors_json_next(json, node))
    {
        if (node->type != ngx_ors_json_object) {
            continue;
        }

        ngx_ors_chat_answer_call(&delta, json, node);

        rc = ngx_ors_builder_delta(builder, &delta, reply->whole, err);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


/* the call has no id to wait for; each chunk may have an empty one */

static ngx_int_t
ngx_ors_builder_function(ngx_ors_builder_t *builder, ngx_ors_json_t *json,
    ngx_ors_chat_answer_t *reply, ngx_ors_error_t *err)
{
    ngx_ors_chat_answer_call_t  delta;

    ngx_ors_chat_answer_function(&delta, json, reply->function);

    if (delta.name.len == 0 && delta.arguments.len == 0) {
        return NGX_OK;
    }

    if (builder->calls == NULL
        && ngx_ors_id_make(&builder->ids, builder->pool, "call", &delta.id)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_ors_builder_delta(builder, &delta, reply->whole, err);
}


static ngx_int_t
ngx_ors_builder_delta(ngx_ors_builder_t *builder,
    ngx_ors_chat_answer_call_t *delta,
    ngx_uint_t whole, ngx_ors_error_t *err)
{
    ngx_ors_builder_call_t  *call;

    if (ngx_ors_builder_held(builder) != NGX_OK) {
        return NGX_ERROR;
    }

    builder->seen = 1;

    if (ngx_ors_builder_grow(builder, delta->id.len + delta->name.len
                                    + delta->arguments.len, err)
        != NGX_OK)
    {
        return NGX_DECLINED;
    }

    if (ngx_ors_builder_name(builder, &delta->name) != NGX_OK) {
        return NGX_ERROR;
    }

    call = whole ? NULL : ngx_ors_builder_call_find(builder, delta);

    if (call == NULL) {
        if (builder->ncalls == builder->limits->calls) {
            return ngx_ors_error_set(err, builder->pool,
                                     ngx_ors_code_too_many_tool_calls,
                                     "the model made more than %ui tool "
                                     "calls in one answer",
                                     builder->limits->calls);
        }

        call = ngx_ors_builder_call_create(builder, delta);
        if (call == NULL) {
            return NGX_ERROR;
        }
    }

    return ngx_ors_builder_call(builder, call, delta);
}


/* a name that the client could not send back becomes one that it can (C19) */

static ngx_int_t
ngx_ors_builder_name(ngx_ors_builder_t *builder, ngx_str_t *name)
{
    u_char     *last;
    ngx_str_t   ch;

    if (name->len == 0 || ngx_ors_line_name(name)) {
        return NGX_OK;
    }

    name->len = ngx_min(name->len, NGX_ORS_NAME_MAX);

    if (ngx_ors_str_copy(name, builder->pool, name) != NGX_OK) {
        return NGX_ERROR;
    }

    ch.len = 1;
    last = name->data + name->len;

    for (ch.data = name->data; ch.data < last; ch.data++) {

        if (!ngx_ors_line_name(&ch)) {
            *ch.data = '_';
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_builder_call(ngx_ors_builder_t *builder, ngx_ors_builder_call_t *call,
    ngx_ors_chat_answer_call_t *delta)
{
    ngx_ors_item_t  *item;

    item = call->item;

    if (delta->node && builder->state.names
        && ngx_ors_chat_state_add(&builder->state, delta->json, delta->node,
                                  item, 0)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (item->status != ngx_ors_item_in_progress) {

        /* its arguments were a whole JSON text when it was closed */

        if (!builder->warned_more && delta->arguments.len) {
            builder->warned_more = 1;

            ngx_log_error(NGX_LOG_WARN, builder->log, 0,
                          "model sent more of a tool call that was complete");
        }

        return NGX_OK;
    }

    /* empty strings in later pieces do not erase (E42) */

    if (call->id.len == 0 && delta->id.len) {
        if (ngx_ors_str_copy(&call->id, builder->pool, &delta->id) != NGX_OK
            || ngx_ors_names_add(&builder->known, builder->pool, &call->id)
               == NGX_ERROR)
        {
            return NGX_ERROR;
        }

        item->call_id = call->id;
    }

    if (item->dropped) {
        return NGX_OK;
    }

    if (call->name.len == 0 && delta->name.len
        && ngx_ors_builder_call_named(builder, call, &delta->name) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (delta->arguments.len && !item->dropped) {

        /* a JSON value becomes the string it should be */

        if (delta->plain
            && ngx_ors_json_escaped(&delta->arguments, builder->pool,
                                    &delta->arguments)
               != NGX_OK)
        {
            return NGX_ERROR;
        }

        if (ngx_ors_builder_call_more(builder, call, &delta->arguments)
            != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return (item == builder->current) ? ngx_ors_builder_advance(builder, 0)
                                     : NGX_OK;
}


/*
 * Servers number the calls, or give them ids, or both, or the same number to
 * all, or neither (E42, E44).  The call a piece belongs to is the one with
 * its id, else the last one with its number, or the last of all if it has no
 * number, unless an id or a name says that it is another one.
 */

static ngx_ors_builder_call_t *
ngx_ors_builder_call_find(ngx_ors_builder_t *builder,
    ngx_ors_chat_answer_call_t *delta)
{
    ngx_str_t               *name;
    ngx_ors_item_t          *item;
    ngx_ors_builder_call_t  *call;

    if (delta->id.len && ngx_ors_names_find(&builder->known, &delta->id)) {
        call = ngx_ors_builder_call_by_id(builder, delta);

        if (call) {
            return call;
        }
    }

    if (delta->index >= builder->top) {
        return NULL;
    }

    for (call = builder->calls; call; call = call->next) {
        if (delta->index < 0 || call->index == delta->index) {
            break;
        }
    }

    if (call == NULL || (delta->id.len && call->id.len)) {
        return NULL;
    }

    item = call->item;
    name = &call->name;

    if (delta->name.len == 0 || name->len == 0) {
        return call;
    }

    /* a name again: some repeat it in each piece, others begin a call */

    if (delta->index < 0
        || !ngx_ors_same(name, &delta->name)
        || (item->whole && delta->arguments.len))
    {
        return NULL;
    }

    return call;
}


static ngx_ors_builder_call_t *
ngx_ors_builder_call_by_id(ngx_ors_builder_t *builder,
    ngx_ors_chat_answer_call_t *delta)
{
    ngx_ors_builder_call_t  *call;

    for (call = builder->calls; call; call = call->next) {

        if (!ngx_ors_same(&call->id, &delta->id)) {
            continue;
        }

        if (delta->index >= 0) {
            if (call->index < 0 || call->index == delta->index) {
                return call;
            }

            continue;
        }

        /* without numbers an id may still be that of several calls */

        if (!call->item->whole || delta->name.len == 0
            || delta->arguments.len == 0)
        {
            return call;
        }
    }

    return NULL;
}


static ngx_ors_builder_call_t *
ngx_ors_builder_call_create(ngx_ors_builder_t *builder,
    ngx_ors_chat_answer_call_t *delta)
{
    ngx_ors_builder_call_t  *call;

    call = ngx_pcalloc(builder->pool, sizeof(ngx_ors_builder_call_t));
    if (call == NULL) {
        return NULL;
    }

    call->item = ngx_ors_builder_item(builder, ngx_ors_item_function_call);
    if (call->item == NULL) {
        return NULL;
    }

    call->index = delta->index;
    call->next = builder->calls;

    builder->calls = call;
    builder->ncalls++;
    builder->top = ngx_max(builder->top, call->index + 1);

    /* the call in front of it may be complete now */

    if (builder->current != call->item
        && ngx_ors_builder_advance(builder, 0) != NGX_OK)
    {
        return NULL;
    }

    return call;
}


ngx_int_t
ngx_ors_builder_end(ngx_ors_builder_t *builder, ngx_ors_error_t *err)
{
    ngx_ors_item_t      *item;
    ngx_ors_response_t  *resp;

    resp = builder->resp;

    ngx_ors_builder_start(builder);

    if (ngx_ors_builder_held(builder) != NGX_OK) {
        return NGX_ERROR;
    }

    switch (builder->finish) {

    case ngx_ors_chat_finish_length:
        resp->status = ngx_ors_response_incomplete;
        ngx_str_set(&resp->reason, "max_output_tokens");
        break;

    case ngx_ors_chat_finish_content_filter:
        resp->status = ngx_ors_response_incomplete;
        ngx_str_set(&resp->reason, "content_filter");
        break;

    case ngx_ors_chat_finish_error:
        return ngx_ors_error_set(err, builder->pool,
                                 ngx_ors_code_upstream_error,
                                 "the model server broke its answer off");

    case ngx_ors_chat_finish_none:
    case ngx_ors_chat_finish_stop:

        for (item = builder->current; item; item = item->next) {

            if (item->type == ngx_ors_item_function_call
                && item->name.len == 0 && item->arguments.len)
            {
                return ngx_ors_error_set(err, builder->pool,
                                         ngx_ors_code_invalid_upstream_answer,
                                         "the model made a tool call without "
                                         "a name");
            }
        }

        resp->status = ngx_ors_response_completed;
        resp->completed_at = ngx_time();

        if (ngx_ors_builder_calls_end(builder, err) != NGX_OK) {
            return NGX_DECLINED;
        }

        break;
    }

    return ngx_ors_builder_advance(builder, 1);
}


/* an answer without any item would be an error to some clients (E62) */

ngx_int_t
ngx_ors_builder_last(ngx_ors_builder_t *builder)
{
    ngx_ors_item_t  *item;

    if (builder->resp->nitems) {
        return NGX_OK;
    }

    item = ngx_ors_builder_item(builder, ngx_ors_item_message);

    if (item == NULL
        || ngx_ors_builder_part(builder, item, ngx_ors_part_output_text)
           == NULL)
    {
        return NGX_ERROR;
    }

    return ngx_ors_builder_advance(builder, 1);
}


void
ngx_ors_builder_tell(ngx_ors_builder_t *builder)
{
    if (builder->stream) {
        ngx_ors_event_end(builder->out, builder->resp);

    } else if (builder->resp->request->endpoint->id
               == ngx_ors_endpoint_compact)
    {
        ngx_ors_response_compaction(builder->out, builder->resp);

    } else {
        ngx_ors_response_render(builder->out, builder->resp);
    }
}


void
ngx_ors_builder_next(ngx_ors_builder_t *builder)
{
    ngx_ors_response_t  *resp;

    resp = builder->resp;

    builder->mark.last = resp->last;
    builder->mark.nitems = resp->nitems;
    builder->mark.size = builder->size;
    builder->mark.usage = resp->usage;

    ngx_ors_builder_again(builder);
}


void
ngx_ors_builder_again(ngx_ors_builder_t *builder)
{
    ngx_ors_response_t      *resp;
    ngx_ors_builder_mark_t  *mark;

    resp = builder->resp;
    mark = &builder->mark;

    builder->finish = ngx_ors_chat_finish_none;
    builder->seen = 0;
    builder->sorted = 0;
    builder->current = NULL;
    builder->calls = NULL;
    builder->ncalls = 0;
    builder->size = mark->size;
    builder->types = 0;
    builder->top = 0;
    ngx_memzero(&builder->known, sizeof(ngx_ors_names_t));
    ngx_str_null(&builder->logprobs);
    ngx_memzero(&builder->state, sizeof(ngx_ors_chat_state_t));
    ngx_memzero(&builder->usage, sizeof(ngx_ors_usage_t));

    resp->last = mark->last;
    resp->nitems = mark->nitems;
    resp->usage = mark->usage;

    if (mark->last) {
        mark->last->next = NULL;

    } else {
        resp->items = NULL;
        ngx_memzero(&builder->shown, sizeof(ngx_ors_names_t));
    }
}
