
/*
 * Copyright (C) Open Responses contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_answer.h>
#include <ngx_ors_event.h>
#include <ngx_ors_json_writer.h>


/* longer ones could not be sent back by the client (spec, C19) */
#define NGX_ORS_ANSWER_CALL_ID_MAX  64


struct ngx_ors_answer_call_s {
    ngx_int_t                index;       /* upstream's, -1: none */
    ngx_str_t                id;          /* upstream's, empty: none */
    ngx_ors_item_t          *item;
    ngx_ors_answer_call_t   *next;
};


static ngx_int_t ngx_ors_answer_text(ngx_ors_answer_t *answer,
    ngx_ors_item_type_e type, ngx_ors_part_type_e part, ngx_str_t *text);
static ngx_int_t ngx_ors_answer_calls(ngx_ors_answer_t *answer,
    ngx_ors_json_t *json, ngx_ors_chat_reply_t *reply, ngx_ors_error_t *err);
static ngx_int_t ngx_ors_answer_call(ngx_ors_answer_t *answer,
    ngx_ors_answer_call_t *call, ngx_ors_chat_call_t *delta);
static ngx_ors_answer_call_t *ngx_ors_answer_call_find(
    ngx_ors_answer_t *answer, ngx_ors_chat_call_t *delta);
static ngx_ors_answer_call_t *ngx_ors_answer_call_create(
    ngx_ors_answer_t *answer, ngx_ors_chat_call_t *delta);
static ngx_int_t ngx_ors_answer_arguments(ngx_ors_answer_t *answer,
    ngx_ors_chat_call_t *delta);
static ngx_ors_item_t *ngx_ors_answer_item(ngx_ors_answer_t *answer,
    ngx_ors_item_type_e type);
static ngx_ors_part_t *ngx_ors_answer_part(ngx_ors_answer_t *answer,
    ngx_ors_item_t *item, ngx_ors_part_type_e type);
static ngx_int_t ngx_ors_answer_advance(ngx_ors_answer_t *answer,
    ngx_uint_t ending);
static ngx_int_t ngx_ors_answer_announce(ngx_ors_answer_t *answer,
    ngx_ors_item_t *item);
static ngx_int_t ngx_ors_answer_call_id(ngx_ors_answer_t *answer,
    ngx_ors_item_t *item);
static void ngx_ors_answer_close(ngx_ors_answer_t *answer,
    ngx_ors_item_t *item, ngx_ors_item_status_e status);
static ngx_int_t ngx_ors_answer_whole(ngx_ors_answer_t *answer,
    ngx_ors_item_t *item);


ngx_int_t
ngx_ors_answer_add(ngx_ors_answer_t *answer, ngx_ors_json_t *json,
    ngx_ors_chat_reply_t *reply, ngx_ors_error_t *err)
{
    if (answer->stream && !answer->started) {
        answer->started = 1;
        ngx_ors_event_start(answer->out, answer->resp);
    }

    if (reply->usage) {
        ngx_ors_chat_usage(&answer->resp->usage, json, reply->usage);
    }

    if (reply->finish != ngx_ors_chat_finish_none) {
        answer->finish = reply->finish;
    }

    /* some gateways repeat in the end what they have sent in pieces (E61) */

    if (reply->whole && answer->seen) {
        return NGX_OK;
    }

    answer->size += reply->text.len + reply->refusal.len
                    + reply->reasoning.len;

    if (answer->size > answer->limits->answer) {
        return ngx_ors_error_set(err, answer->pool, 502,
                                 "answer_too_large",
                                 "the model's answer is over the limit "
                                 "of %uz bytes", answer->limits->answer);
    }

    if (reply->reasoning.len
        && ngx_ors_answer_text(answer, ngx_ors_item_reasoning,
                               ngx_ors_part_summary_text, &reply->reasoning)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (reply->text.len
        && ngx_ors_answer_text(answer, ngx_ors_item_message,
                               ngx_ors_part_output_text, &reply->text)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (reply->refusal.len
        && ngx_ors_answer_text(answer, ngx_ors_item_message,
                               ngx_ors_part_refusal, &reply->refusal)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (reply->calls) {
        return ngx_ors_answer_calls(answer, json, reply, err);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_answer_text(ngx_ors_answer_t *answer, ngx_ors_item_type_e type,
    ngx_ors_part_type_e ptype, ngx_str_t *text)
{
    ngx_ors_item_t  *item;
    ngx_ors_part_t  *part;

    answer->seen = 1;

    item = answer->resp->last;

    if (item == NULL || item->type != type) {
        item = ngx_ors_answer_item(answer, type);
        if (item == NULL || ngx_ors_answer_advance(answer, 0) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    part = item->last;

    if (part == NULL || part->type != ptype) {
        part = ngx_ors_answer_part(answer, item, ptype);
        if (part == NULL) {
            return NGX_ERROR;
        }
    }

    if (ngx_ors_text_append(&part->text, answer->pool, text->data, text->len)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (answer->stream && item->announced) {
        ngx_ors_event_part_delta(answer->out, answer->resp, item, part, text);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_answer_calls(ngx_ors_answer_t *answer, ngx_ors_json_t *json,
    ngx_ors_chat_reply_t *reply, ngx_ors_error_t *err)
{
    ngx_ors_json_node_t    *node;
    ngx_ors_chat_call_t     delta;
    ngx_ors_answer_call_t  *call;

    for (node = ngx_ors_json_first(json, reply->calls);
         node;
         node = ngx_ors_json_next(json, node))
    {
        if (node->type != ngx_ors_json_object) {
            continue;
        }

        answer->seen = 1;

        ngx_ors_chat_call(&delta, json, node);

        answer->size += delta.name.len + delta.arguments.len;

        if (answer->size > answer->limits->answer) {
            return ngx_ors_error_set(err, answer->pool, 502,
                                     "answer_too_large",
                                     "the model's answer is over the limit "
                                     "of %uz bytes", answer->limits->answer);
        }

        call = reply->whole ? NULL : ngx_ors_answer_call_find(answer, &delta);

        if (call == NULL) {
            if (answer->ncalls == answer->limits->calls) {
                return ngx_ors_error_set(err, answer->pool, 502,
                                         "too_many_tool_calls",
                                         "the model made more than %ui tool "
                                         "calls in one answer",
                                         answer->limits->calls);
            }

            call = ngx_ors_answer_call_create(answer, &delta);
            if (call == NULL) {
                return NGX_ERROR;
            }
        }

        if (ngx_ors_answer_call(answer, call, &delta) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_answer_call(ngx_ors_answer_t *answer, ngx_ors_answer_call_t *call,
    ngx_ors_chat_call_t *delta)
{
    ngx_ors_item_t  *item;

    item = call->item;

    if (item->status != ngx_ors_item_in_progress) {

        /* its arguments were a whole JSON text when it was closed */

        ngx_log_error(NGX_LOG_WARN, answer->log, 0,
                      "model sent more of a tool call that was complete");
        return NGX_OK;
    }

    /* empty strings in later pieces do not erase (E42) */

    if (call->id.len == 0 && delta->id.len) {
        call->id.len = delta->id.len;
        call->id.data = ngx_pstrdup(answer->pool, &delta->id);
        if (call->id.data == NULL) {
            return NGX_ERROR;
        }

        item->call_id = call->id;
    }

    if (item->name.len == 0 && delta->name.len) {
        item->name.len = delta->name.len;
        item->name.data = ngx_pstrdup(answer->pool, &delta->name);
        if (item->name.data == NULL) {
            return NGX_ERROR;
        }
    }

    if (delta->arguments.len) {

        if (delta->plain
            && ngx_ors_answer_arguments(answer, delta) != NGX_OK)
        {
            return NGX_ERROR;
        }

        if (ngx_ors_text_append(&item->arguments, answer->pool,
                                delta->arguments.data, delta->arguments.len)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        if (item->announced) {
            if (answer->stream) {
                ngx_ors_event_arguments_delta(answer->out, answer->resp, item,
                                              &delta->arguments);
            }

            return NGX_OK;
        }
    }

    if (item == answer->current && !item->announced) {
        return ngx_ors_answer_advance(answer, 0);
    }

    return NGX_OK;
}


/*
 * Servers number the calls, or give them ids, or both, or the same number to
 * all, or neither (E42, E44): an id or a name that differs from the one
 * found by number begins a new call
 */

static ngx_ors_answer_call_t *
ngx_ors_answer_call_find(ngx_ors_answer_t *answer, ngx_ors_chat_call_t *delta)
{
    ngx_str_t              *name;
    ngx_ors_answer_call_t  *call;

    for (call = answer->calls; call; call = call->next) {

        if (delta->index >= 0) {
            if (call->index == delta->index) {
                break;
            }

            continue;
        }

        if (delta->id.len == 0
            || (call->id.len == delta->id.len
                && ngx_memcmp(call->id.data, delta->id.data, delta->id.len)
                   == 0))
        {
            break;
        }
    }

    if (call == NULL) {
        return NULL;
    }

    if (delta->id.len) {
        if (call->id.len
            && (call->id.len != delta->id.len
                || ngx_memcmp(call->id.data, delta->id.data, delta->id.len)
                   != 0))
        {
            return NULL;
        }

        return call;
    }

    name = &call->item->name;

    if (delta->name.len && name->len
        && (delta->index < 0
            || name->len != delta->name.len
            || ngx_memcmp(name->data, delta->name.data, name->len) != 0))
    {
        return NULL;
    }

    return call;
}


static ngx_ors_answer_call_t *
ngx_ors_answer_call_create(ngx_ors_answer_t *answer,
    ngx_ors_chat_call_t *delta)
{
    ngx_ors_answer_call_t  *call;

    call = ngx_pcalloc(answer->pool, sizeof(ngx_ors_answer_call_t));
    if (call == NULL) {
        return NULL;
    }

    call->item = ngx_ors_answer_item(answer, ngx_ors_item_function_call);
    if (call->item == NULL) {
        return NULL;
    }

    call->index = delta->index;
    call->next = answer->calls;

    answer->calls = call;
    answer->ncalls++;

    /* what stood open before it may be complete now */

    if (answer->current != call->item
        && ngx_ors_answer_advance(answer, 0) != NGX_OK)
    {
        return NULL;
    }

    return call;
}


/* arguments that came as a JSON value become the string they should be */

static ngx_int_t
ngx_ors_answer_arguments(ngx_ors_answer_t *answer, ngx_ors_chat_call_t *delta)
{
    u_char  *p;
    size_t   len;

    len = ngx_ors_json_escape_len(delta->arguments.data, delta->arguments.len);

    p = ngx_pnalloc(answer->pool, len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    ngx_ors_json_escape_mem(p, delta->arguments.data, delta->arguments.len);

    delta->arguments.data = p;
    delta->arguments.len = len;

    return NGX_OK;
}


/* a new item behind all others */

static ngx_ors_item_t *
ngx_ors_answer_item(ngx_ors_answer_t *answer, ngx_ors_item_type_e type)
{
    ngx_ors_item_t      *item;
    ngx_ors_response_t  *resp;

    item = ngx_pcalloc(answer->pool, sizeof(ngx_ors_item_t));
    if (item == NULL) {
        return NULL;
    }

    item->type = type;

    resp = answer->resp;

    if (resp->last) {
        resp->last->next = item;

    } else {
        resp->items = item;
    }

    resp->last = item;

    if (answer->current == NULL) {
        answer->current = item;
    }

    return item;
}


static ngx_ors_part_t *
ngx_ors_answer_part(ngx_ors_answer_t *answer, ngx_ors_item_t *item,
    ngx_ors_part_type_e type)
{
    ngx_uint_t       live;
    ngx_ors_part_t  *part;

    part = ngx_pcalloc(answer->pool, sizeof(ngx_ors_part_t));
    if (part == NULL) {
        return NULL;
    }

    part->type = type;

    live = answer->stream && item->announced;

    if (item->last) {
        if (live) {
            ngx_ors_event_part_done(answer->out, answer->resp, item,
                                    item->last);
        }

        part->index = item->last->index + 1;
        item->last->next = part;

    } else {
        item->parts = part;
    }

    item->last = part;

    if (live) {
        ngx_ors_event_part_added(answer->out, answer->resp, item, part);
    }

    return part;
}


/*
 * Announces the current item as soon as all is known that its first event
 * must tell (spec, R41), and goes on to the next one when it is certain that
 * nothing more belongs to it
 */

static ngx_int_t
ngx_ors_answer_advance(ngx_ors_answer_t *answer, ngx_uint_t ending)
{
    ngx_int_t               rc;
    ngx_ors_item_t         *item;
    ngx_ors_item_status_e   status;

    for (item = answer->current; item; item = answer->current) {

        if (item->type == ngx_ors_item_function_call && !item->announced) {

            if (!ending && (item->name.len == 0 || item->call_id.len == 0)) {
                return NGX_OK;
            }

            if (item->name.len == 0) {

                /* only the beginning of a call; the rest never came */

                answer->current = item->next;
                continue;
            }
        }

        if (!item->announced
            && ngx_ors_answer_announce(answer, item) != NGX_OK)
        {
            return NGX_ERROR;
        }

        if (!ending) {
            if (item->next == NULL) {
                return NGX_OK;
            }

            if (item->type == ngx_ors_item_function_call) {
                rc = ngx_ors_answer_whole(answer, item);
                if (rc != NGX_OK) {
                    return (rc == NGX_DECLINED) ? NGX_OK : NGX_ERROR;
                }
            }
        }

        status = ngx_ors_item_completed;

        if (item->next == NULL
            && answer->resp->status == ngx_ors_response_incomplete)
        {
            status = ngx_ors_item_incomplete;
        }

        ngx_ors_answer_close(answer, item, status);

        answer->current = item->next;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_answer_announce(ngx_ors_answer_t *answer, ngx_ors_item_t *item)
{
    ngx_ors_part_t  *part;

    static const char  *prefixes[] = { "msg", "fc", "rs" };

    if (ngx_ors_id_make(&answer->ids, answer->pool, prefixes[item->type],
                        &item->id)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (item->type == ngx_ors_item_function_call
        && ngx_ors_answer_call_id(answer, item) != NGX_OK)
    {
        return NGX_ERROR;
    }

    item->index = answer->resp->nitems++;
    item->announced = 1;

    if (!answer->stream) {
        return NGX_OK;
    }

    ngx_ors_event_item_added(answer->out, answer->resp, item);

    if (item->arguments.len) {
        ngx_ors_event_arguments_whole(answer->out, answer->resp, item);
    }

    for (part = item->parts; part; part = part->next) {
        ngx_ors_event_part_added(answer->out, answer->resp, item, part);

        if (part->text.len) {
            ngx_ors_event_part_whole(answer->out, answer->resp, item, part);
        }

        if (part->next) {
            ngx_ors_event_part_done(answer->out, answer->resp, item, part);
        }
    }

    return NGX_OK;
}


/* gives the call an id of ours if upstream's cannot be used */

static ngx_int_t
ngx_ors_answer_call_id(ngx_ors_answer_t *answer, ngx_ors_item_t *item)
{
    ngx_str_t       *id;
    ngx_ors_item_t  *other;

    id = &item->call_id;

    if (id->len == 0 || id->len > NGX_ORS_ANSWER_CALL_ID_MAX) {
        return ngx_ors_id_make(&answer->ids, answer->pool, "call", id);
    }

    for (other = answer->resp->items; other != item; other = other->next) {

        if (other->announced
            && other->call_id.len == id->len
            && ngx_memcmp(other->call_id.data, id->data, id->len) == 0)
        {
            return ngx_ors_id_make(&answer->ids, answer->pool, "call", id);
        }
    }

    return NGX_OK;
}


static void
ngx_ors_answer_close(ngx_ors_answer_t *answer, ngx_ors_item_t *item,
    ngx_ors_item_status_e status)
{
    if (!answer->stream) {
        item->status = status;
        return;
    }

    switch (item->type) {

    case ngx_ors_item_function_call:
        ngx_ors_event_arguments_done(answer->out, answer->resp, item);
        break;

    case ngx_ors_item_message:
    case ngx_ors_item_reasoning:

        if (item->last) {
            ngx_ors_event_part_done(answer->out, answer->resp, item,
                                    item->last);
        }

        break;
    }

    item->status = status;

    ngx_ors_event_item_done(answer->out, answer->resp, item);
}


/*
 * NGX_OK: the call's arguments are a whole JSON text, so nothing can follow;
 * NGX_DECLINED: they are not yet
 */

static ngx_int_t
ngx_ors_answer_whole(ngx_ors_answer_t *answer, ngx_ors_item_t *item)
{
    u_char          *p, *text;
    size_t           len;
    ngx_int_t        rc;
    ngx_ors_json_t   json;

    if (item->arguments.len == 0) {
        return NGX_DECLINED;
    }

    /* the string, and behind it the text that it stands for */

    len = item->arguments.len + 2;

    p = ngx_pnalloc(answer->pool, 2 * len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    text = p + len;

    p[0] = '"';
    *ngx_ors_text_copy(p + 1, &item->arguments) = '"';

    ngx_ors_json_init(&json, answer->pool, answer->limits->depth,
                      answer->limits->nodes);

    rc = ngx_ors_json_read(&json, p, len);

    if (rc == NGX_OK) {
        len = ngx_ors_json_decode(&json, json.nodes, text) - text;
        rc = ngx_ors_json_read(&json, text, len);
    }

    (void) ngx_pfree(answer->pool, json.nodes);
    (void) ngx_pfree(answer->pool, p);

    return rc;
}


ngx_int_t
ngx_ors_answer_end(ngx_ors_answer_t *answer, ngx_ors_error_t *err)
{
    ngx_ors_item_t      *item;
    ngx_ors_response_t  *resp;

    resp = answer->resp;

    if (answer->stream && !answer->started) {
        answer->started = 1;
        ngx_ors_event_start(answer->out, resp);
    }

    for (item = answer->current; item; item = item->next) {

        if (item->type == ngx_ors_item_function_call
            && item->name.len == 0 && item->arguments.len)
        {
            return ngx_ors_error_set(err, answer->pool, 502,
                                     "invalid_upstream_answer",
                                     "the model made a tool call without "
                                     "a name");
        }
    }

    resp->status = ngx_ors_response_completed;
    resp->completed_at = ngx_time();

    switch (answer->finish) {

    case ngx_ors_chat_finish_length:
        resp->status = ngx_ors_response_incomplete;
        ngx_str_set(&resp->reason, "max_output_tokens");
        break;

    case ngx_ors_chat_finish_content_filter:
        resp->status = ngx_ors_response_incomplete;
        ngx_str_set(&resp->reason, "content_filter");
        break;

    case ngx_ors_chat_finish_none:
    case ngx_ors_chat_finish_stop:
        break;
    }

    if (ngx_ors_answer_advance(answer, 1) != NGX_OK) {
        return NGX_ERROR;
    }

    /* an answer without any item would be an error to some clients (E62) */

    if (resp->nitems == 0) {
        item = ngx_ors_answer_item(answer, ngx_ors_item_message);

        if (item == NULL
            || ngx_ors_answer_part(answer, item, ngx_ors_part_output_text)
               == NULL
            || ngx_ors_answer_advance(answer, 1) != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    if (answer->stream) {
        ngx_ors_event_end(answer->out, resp);

    } else {
        ngx_ors_response_render(answer->out, resp);
    }

    return NGX_OK;
}
