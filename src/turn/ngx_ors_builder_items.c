
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The order of items in an answer, and the events that open and close them.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_builder_items.h>
#include <ngx_ors_arguments.h>
#include <ngx_ors_builder_annotations.h>
#include <ngx_ors_builder_encrypt.h>
#include <ngx_ors_event.h>
#include <ngx_ors_item.h>


/* longer ones could not be sent back by the client (C19) */
#define NGX_ORS_BUILDER_CALL_ID_MAX  64

/* overhead of an item or a part beside its text, counted for the limit */
#define NGX_ORS_BUILDER_OVERHEAD     512


static ngx_uint_t ngx_ors_builder_unsorted(ngx_ors_builder_t *builder,
    ngx_ors_item_t *item);
static ngx_int_t ngx_ors_builder_announce(ngx_ors_builder_t *builder,
    ngx_ors_item_t *item);
static ngx_int_t ngx_ors_builder_ids(ngx_ors_builder_t *builder,
    ngx_ors_item_t *item);
static ngx_int_t ngx_ors_builder_close(ngx_ors_builder_t *builder,
    ngx_ors_item_t *item, ngx_ors_item_status_e status);
static ngx_int_t ngx_ors_builder_no_arguments(ngx_ors_builder_t *builder,
    ngx_ors_item_t *item);
static ngx_int_t ngx_ors_builder_searched(ngx_ors_builder_t *builder,
    ngx_ors_item_t *item);
static void ngx_ors_builder_wrapped(ngx_ors_builder_t *builder,
    ngx_ors_item_t *item, ngx_ors_item_status_e status);


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

        if (ngx_ors_builder_unsorted(builder, item)) {
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


/*
 * items after a call that the client does not see wait for the one that it sees
 * in its place; of an incomplete answer no call is made
 */

static ngx_uint_t
ngx_ors_builder_unsorted(ngx_ors_builder_t *builder, ngx_ors_item_t *item)
{
    return item->hidden_call && !item->dropped && !builder->sorted
           && item->status == ngx_ors_item_in_progress
           && builder->resp->status != ngx_ors_response_incomplete;
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
                        (char *) ngx_ors_items[item->type].id.data, &item->id)
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


ngx_int_t
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
    if (item->hosted) {
        item->status = item->hosted->ended;

        if (builder->stream) {
            ngx_ors_event_hosted_end(builder->out, builder->resp, item);
        }

        return NGX_OK;
    }

    if (item->type == ngx_ors_item_function_call
        && status == ngx_ors_item_completed && item->arguments.len == 0
        && ngx_ors_builder_no_arguments(builder, item) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (item->type == ngx_ors_item_search_call) {

        if (ngx_ors_builder_searched(builder, item) != NGX_OK) {
            return NGX_ERROR;
        }

    } else if (item->wrapped) {
        ngx_ors_builder_wrapped(builder, item, status);
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


/* some servers leave them out; clients parse what they get as JSON (E8) */

static ngx_int_t
ngx_ors_builder_no_arguments(ngx_ors_builder_t *builder, ngx_ors_item_t *item)
{
    static ngx_str_t  none = ngx_string("{}");

    if (ngx_ors_text_append(&item->arguments, builder->pool, none.data,
                            none.len)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (builder->stream) {
        ngx_ors_event_arguments_delta(builder->out, builder->resp, item, &none);
    }

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
 * the end came earlier than the input: what there is instead is all of the text
 */

static void
ngx_ors_builder_wrapped(ngx_ors_builder_t *builder, ngx_ors_item_t *item,
    ngx_ors_item_status_e status)
{
    item->wrapped = 0;

    if (status == ngx_ors_item_incomplete) {
        ngx_memzero(&item->arguments, sizeof(ngx_ors_text_t));

    } else if (builder->stream && item->arguments.len) {
        ngx_ors_event_arguments_delta(builder->out, builder->resp, item, NULL);
    }
}
