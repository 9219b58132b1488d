
/*
 * Copyright (C) Open Responses contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_guard_check.h>
#include <ngx_ors_guard_final.h>
#include <ngx_ors_guard_item.h>
#include <ngx_ors_guard_slip.h>


#define NGX_ORS_GUARD_ITEMS_MIN  8

#define ngx_ors_guard_fits(part)  (1 << ngx_ors_guard_part_##part)


static ngx_ors_guard_item_t *ngx_ors_guard_item_find(ngx_ors_guard_t *guard,
    ngx_ors_guard_event_t *ev);
static ngx_int_t ngx_ors_guard_item_added(ngx_ors_guard_t *guard,
    ngx_ors_guard_event_t *ev);
static ngx_int_t ngx_ors_guard_item_push(ngx_ors_guard_t *guard);
static ngx_int_t ngx_ors_guard_item_identify(ngx_ors_guard_t *guard,
    ngx_ors_guard_item_t *item, ngx_ors_json_node_t *node);
static ngx_int_t ngx_ors_guard_item_preset(ngx_ors_guard_t *guard,
    ngx_ors_guard_item_t *item, ngx_ors_json_node_t *node);
static ngx_int_t ngx_ors_guard_item_done(ngx_ors_guard_t *guard,
    ngx_ors_guard_item_t *item, ngx_ors_json_node_t *node);
static ngx_int_t ngx_ors_guard_item_status(ngx_ors_guard_t *guard,
    ngx_ors_guard_item_t *item, ngx_ors_json_node_t *node);
static ngx_int_t ngx_ors_guard_item_sums(ngx_ors_guard_t *guard,
    ngx_ors_guard_item_t *item, ngx_ors_guard_content_t *content);
static ngx_int_t ngx_ors_guard_item_own_sum(ngx_ors_guard_t *guard,
    ngx_ors_guard_item_t *item, ngx_ors_guard_content_t *content);
static ngx_uint_t ngx_ors_guard_item_same(ngx_ors_guard_t *guard,
    ngx_ors_guard_item_t *item, ngx_ors_json_node_t *node);
static const ngx_ors_guard_kind_t *ngx_ors_guard_item_kind(ngx_str_t *type);
static void ngx_ors_guard_item_name(ngx_ors_json_t *json,
    ngx_ors_json_node_t *node, ngx_ors_guard_sum_t *sum);
static void ngx_ors_guard_item_parts(ngx_ors_json_t *json,
    ngx_ors_json_node_t *parts, ngx_uint_t *n, ngx_ors_guard_sum_t *sum);


/* the last one stands for all others */

static const ngx_ors_guard_kind_t  ngx_ors_guard_kinds[] = {

    { ngx_string("message"), ngx_null_string,
      ngx_ors_guard_fits(output_text)|ngx_ors_guard_fits(refusal)
      |ngx_ors_guard_fits(other), 1 },

    { ngx_string("function_call"), ngx_string("arguments"), 0, 1 },

    { ngx_string("reasoning"), ngx_null_string,
      ngx_ors_guard_fits(reasoning_text)|ngx_ors_guard_fits(other), 1 },

    { ngx_string("custom_tool_call"), ngx_string("input"), 0, 0 },
    { ngx_string("mcp_call"), ngx_string("arguments"), 0, 0 },
    { ngx_string("code_interpreter_call"), ngx_string("code"), 0, 0 },

    { ngx_null_string, ngx_null_string, (ngx_uint_t) -1, 0 }
};


ngx_int_t
ngx_ors_guard_item(ngx_ors_guard_t *guard, ngx_ors_guard_event_t *ev)
{
    ngx_ors_guard_item_t  *item;

    if (ev->act == ngx_ors_guard_act_item_added) {
        return ngx_ors_guard_item_added(guard, ev);
    }

    item = ngx_ors_guard_item_find(guard, ev);

    if (item == NULL) {
        return NGX_DECLINED;
    }

    if (ev->act == ngx_ors_guard_act_item) {
        return NGX_OK;
    }

    if (ev->act == ngx_ors_guard_act_item_done) {
        return ngx_ors_guard_item_done(guard, item,
                                       ev->member[ngx_ors_guard_m_item]);
    }

    return ngx_ors_guard_item_part_event(guard, item, ev);
}


/* NULL: there is none, guard->error says why */

static ngx_ors_guard_item_t *
ngx_ors_guard_item_find(ngx_ors_guard_t *guard, ngx_ors_guard_event_t *ev)
{
    int64_t                n;
    ngx_ors_json_node_t   *node;
    ngx_ors_guard_item_t  *item;

    node = ev->member[ngx_ors_guard_m_output_index];

    if (node == NULL
        || ngx_ors_json_integer(&guard->json, node, &n) != NGX_OK
        || n < 0 || n >= (int64_t) guard->stream->nitems)
    {
        (void) ngx_ors_guard_broken(guard, "output_index is of an item that "
                                    "was not added");
        return NULL;
    }

    item = &guard->stream->items[n];

    if (item->state == ngx_ors_guard_item_st_done) {
        (void) ngx_ors_guard_broken(guard, "it comes after its item is done");
        return NULL;
    }

    node = ev->member[ngx_ors_guard_m_item_id];

    if (node && !ngx_ors_json_equal(&guard->json, node, item->id.data,
                                    item->id.len))
    {
        (void) ngx_ors_guard_broken(guard, "item_id is not that of the item "
                                    "at output_index");
        return NULL;
    }

    return item;
}


static ngx_int_t
ngx_ors_guard_item_added(ngx_ors_guard_t *guard, ngx_ors_guard_event_t *ev)
{
    int64_t                  n;
    ngx_int_t                rc;
    ngx_ors_json_node_t     *node;
    ngx_ors_guard_item_t    *item;
    ngx_ors_guard_stream_t  *gs;

    gs = guard->stream;
    node = ev->member[ngx_ors_guard_m_output_index];

    if (node == NULL
        || ngx_ors_json_integer(&guard->json, node, &n) != NGX_OK
        || n != (int64_t) gs->nitems)
    {
        return ngx_ors_guard_broken(guard, "output_index is not the number "
                                    "of items so far");
    }

    node = ev->member[ngx_ors_guard_m_item];

    if (node == NULL) {
        return ngx_ors_guard_broken(guard, "the item is null");
    }

    if (gs->incomplete) {
        return ngx_ors_guard_broken(guard, "an item after one that is "
                                    "incomplete");
    }

    if (gs->open) {
        (void) ngx_ors_guard_slip(guard, ngx_ors_guard_slip_interleaved);
    }

    rc = ngx_ors_guard_item_push(guard);

    if (rc != NGX_OK) {
        return rc;
    }

    item = &gs->items[gs->nitems];

    rc = ngx_ors_guard_item_identify(guard, item, node);

    if (rc != NGX_OK) {
        return rc;
    }

    rc = ngx_ors_guard_item_preset(guard, item, node);

    if (rc != NGX_OK) {
        return rc;
    }

    gs->nitems++;
    gs->open++;

    return NGX_OK;
}


/* room for one more */

static ngx_int_t
ngx_ors_guard_item_push(ngx_ors_guard_t *guard)
{
    ngx_uint_t               n;
    ngx_ors_guard_item_t    *items;
    ngx_ors_guard_stream_t  *gs;

    gs = guard->stream;

    if (gs->nitems == NGX_ORS_GUARD_ITEMS) {
        return ngx_ors_guard_found(guard, "answer_too_large",
                                   "the model server's answer has more than "
                                   "%d items", NGX_ORS_GUARD_ITEMS);
    }

    if (gs->nitems == gs->nalloc) {
        n = gs->nalloc ? 2 * gs->nalloc : NGX_ORS_GUARD_ITEMS_MIN;

        items = ngx_palloc(guard->pool, n * sizeof(ngx_ors_guard_item_t));
        if (items == NULL) {
            return NGX_ERROR;
        }

        if (gs->items) {
            ngx_memcpy(items, gs->items,
                       gs->nitems * sizeof(ngx_ors_guard_item_t));
            (void) ngx_pfree(guard->pool, gs->items);
        }

        gs->items = items;
        gs->nalloc = n;
    }

    ngx_memzero(&gs->items[gs->nitems], sizeof(ngx_ors_guard_item_t));

    return NGX_OK;
}


static ngx_int_t
ngx_ors_guard_item_identify(ngx_ors_guard_t *guard,
    ngx_ors_guard_item_t *item, ngx_ors_json_node_t *node)
{
    ngx_int_t             rc;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *id, *type;

    json = &guard->json;

    id = ngx_ors_json_find(json, node, "id");
    type = ngx_ors_json_find(json, node, "type");

    if (id == NULL || id->type == ngx_ors_json_null) {
        id = NULL;

    } else if (id->len == 0) {
        return ngx_ors_guard_broken(guard, "the item's id is empty");
    }

    rc = ngx_ors_guard_final_charge(guard, (id ? id->len : 0)
                                           + (size_t) type->len);
    if (rc != NGX_OK) {
        return rc;
    }

    ngx_str_set(&item->id, "");

    if ((id && ngx_ors_guard_event_copy(guard, id, &item->id) != NGX_OK)
        || ngx_ors_guard_event_copy(guard, type, &item->type) != NGX_OK)
    {
        return NGX_ERROR;
    }

    item->kind = ngx_ors_guard_item_kind(&item->type);

    rc = id ? ngx_ors_names_add(&guard->stream->ids, guard->pool, &item->id)
            : NGX_OK;

    if (rc == NGX_DECLINED) {
        return ngx_ors_guard_broken(guard, "the item's id is that of "
                                    "another one");
    }

    return rc;
}


/* what it has from the beginning */

static ngx_int_t
ngx_ors_guard_item_preset(ngx_ors_guard_t *guard, ngx_ors_guard_item_t *item,
    ngx_ors_json_node_t *node)
{
    ngx_ors_json_t           *json;
    ngx_ors_json_node_t      *status;
    ngx_ors_guard_content_t  *content;

    json = &guard->json;
    content = &item->content;

    ngx_ors_guard_item_name(json, node, &item->name);
    ngx_ors_guard_item_content(json, node, item->kind, content);

    item->preset = (content->n[ngx_ors_guard_list_content]
                    || content->n[ngx_ors_guard_list_summary]
                    || content->text.len || content->text.high);

    if (!item->kind->core) {
        return NGX_OK;
    }

    if (item->preset) {
        return ngx_ors_guard_slip(guard, ngx_ors_guard_slip_added);
    }

    status = ngx_ors_json_find(json, node, "status");

    if (status && status->type == ngx_ors_json_string
        && !ngx_ors_json_is(json, status, "in_progress"))
    {
        return ngx_ors_guard_slip(guard, ngx_ors_guard_slip_status);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_guard_item_done(ngx_ors_guard_t *guard, ngx_ors_guard_item_t *item,
    ngx_ors_json_node_t *node)
{
    ngx_int_t                rc;
    ngx_ors_json_t          *json;
    ngx_ors_guard_sum_t      name;
    ngx_ors_guard_content_t  content;

    json = &guard->json;

    if (node == NULL || !ngx_ors_guard_item_same(guard, item, node)) {
        return ngx_ors_guard_broken(guard, "the item is not the one that was "
                                    "added");
    }

    ngx_ors_guard_item_name(json, node, &name);

    if (item->kind->core
        && !ngx_ors_guard_sum_equal(&name, &item->name)
        && ngx_ors_guard_slip(guard, ngx_ors_guard_slip_name) != NGX_OK)
    {
        return NGX_DECLINED;
    }

    if (item->part) {

        if (ngx_ors_guard_slip(guard, ngx_ors_guard_slip_no_done) != NGX_OK) {
            return NGX_DECLINED;
        }

        ngx_ors_guard_item_close(item);
    }

    ngx_ors_guard_item_content(json, node, item->kind, &content);

    rc = ngx_ors_guard_item_sums(guard, item, &content);

    if (rc == NGX_OK) {
        rc = ngx_ors_guard_item_own_sum(guard, item, &content);
    }

    if (rc == NGX_OK) {
        rc = ngx_ors_guard_item_status(guard, item, node);
    }

    /* one that is incomplete has no place in a response that failed (C28) */

    if (rc == NGX_OK && !guard->stream->incomplete) {
        rc = ngx_ors_guard_final_item(guard, node, &item->json);
    }

    if (rc != NGX_OK) {
        return rc;
    }

    item->content = content;
    item->state = ngx_ors_guard_item_st_done;
    guard->stream->open--;

    return NGX_OK;
}


static ngx_int_t
ngx_ors_guard_item_status(ngx_ors_guard_t *guard, ngx_ors_guard_item_t *item,
    ngx_ors_json_node_t *node)
{
    ngx_ors_json_node_t  *status;

    status = ngx_ors_json_find(&guard->json, node, "status");

    if (status == NULL || status->type != ngx_ors_json_string) {
        return NGX_OK;
    }

    if (ngx_ors_json_is(&guard->json, status, "incomplete")) {
        guard->stream->incomplete = 1;
        return NGX_OK;
    }

    if (!item->kind->core
        || ngx_ors_json_is(&guard->json, status, "completed"))
    {
        return NGX_OK;
    }

    return ngx_ors_guard_slip(guard, ngx_ors_guard_slip_status);
}


/* its parts are those that were streamed */

static ngx_int_t
ngx_ors_guard_item_sums(ngx_ors_guard_t *guard, ngx_ors_guard_item_t *item,
    ngx_ors_guard_content_t *content)
{
    ngx_uint_t                i;
    ngx_ors_guard_content_t  *streamed;

    streamed = &item->content;

    for (i = 0; i < ngx_ors_guard_list_n; i++) {

        if (item->preset
            || (streamed->n[i] == content->n[i]
                && ngx_ors_guard_sum_equal(&streamed->parts[i],
                                           &content->parts[i])))
        {
            continue;
        }

        if (streamed->n[i]) {
            return ngx_ors_guard_broken(guard, "the item's parts are not "
                                        "those that were streamed");
        }

        if (item->kind->core
            && ngx_ors_guard_slip(guard, ngx_ors_guard_slip_at_once)
               != NGX_OK)
        {
            return NGX_DECLINED;
        }
    }

    return NGX_OK;
}


/* its own text is, too; without any delta nothing may come before it (C18) */

static ngx_int_t
ngx_ors_guard_item_own_sum(ngx_ors_guard_t *guard,
    ngx_ors_guard_item_t *item, ngx_ors_guard_content_t *content)
{
    if (item->kind->text.len == 0 || item->preset) {
        return NGX_OK;
    }

    if (item->state == ngx_ors_guard_item_st_open && item->begun
        && ngx_ors_guard_slip(guard, ngx_ors_guard_slip_no_text) != NGX_OK)
    {
        return NGX_DECLINED;
    }

    if (ngx_ors_guard_sum_equal(&content->text, &item->content.text)) {
        return NGX_OK;
    }

    if (item->begun || item->state == ngx_ors_guard_item_st_text) {
        return ngx_ors_guard_broken(guard, "the item's text is not what was "
                                    "streamed");
    }

    return item->kind->core
           ? ngx_ors_guard_slip(guard, ngx_ors_guard_slip_at_once) : NGX_OK;
}


ngx_int_t
ngx_ors_guard_item_output(ngx_ors_guard_t *guard,
    ngx_ors_json_node_t *output)
{
    ngx_uint_t                i, j;
    ngx_ors_json_node_t      *node;
    ngx_ors_guard_item_t     *item;
    ngx_ors_guard_stream_t   *gs;
    ngx_ors_guard_content_t   content;

    gs = guard->stream;

    if (gs->open) {
        return ngx_ors_guard_broken(guard, "an item is not done");
    }

    if (output->type != ngx_ors_json_array || output->count != gs->nitems) {
        return ngx_ors_guard_broken(guard, "the output has another number of "
                                    "items than were streamed");
    }

    node = ngx_ors_json_first(&guard->json, output);

    for (i = 0; i < gs->nitems; i++) {
        item = &gs->items[i];

        if (!ngx_ors_guard_item_same(guard, item, node)) {
            return ngx_ors_guard_broken(guard, "the output has another item "
                                        "than was streamed");
        }

        ngx_ors_guard_item_content(&guard->json, node, item->kind, &content);

        for (j = 0; j < ngx_ors_guard_list_n; j++) {

            if (!ngx_ors_guard_sum_equal(&content.parts[j],
                                         &item->content.parts[j]))
            {
                return ngx_ors_guard_broken(guard, "the output has another "
                                            "text than was streamed");
            }
        }

        if (!ngx_ors_guard_sum_equal(&content.text, &item->content.text)) {
            return ngx_ors_guard_broken(guard, "the output has another text "
                                        "than was streamed");
        }

        node = ngx_ors_json_next(&guard->json, node);
    }

    return NGX_OK;
}


void
ngx_ors_guard_item_content(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    const ngx_ors_guard_kind_t *kind, ngx_ors_guard_content_t *content)
{
    ngx_ors_json_node_t  *text;

    ngx_ors_guard_item_parts(json, ngx_ors_json_find(json, node, "content"),
                             &content->n[ngx_ors_guard_list_content],
                             &content->parts[ngx_ors_guard_list_content]);

    ngx_ors_guard_item_parts(json, ngx_ors_json_find(json, node, "summary"),
                             &content->n[ngx_ors_guard_list_summary],
                             &content->parts[ngx_ors_guard_list_summary]);

    ngx_ors_guard_sum_init(&content->text);

    if (kind->text.len == 0) {
        return;
    }

    text = ngx_ors_json_get(json, node, kind->text.data, kind->text.len);

    if (text) {
        ngx_ors_guard_sum_add(&content->text, json, text);
    }
}


static void
ngx_ors_guard_item_parts(ngx_ors_json_t *json, ngx_ors_json_node_t *parts,
    ngx_uint_t *n, ngx_ors_guard_sum_t *sum)
{
    ngx_ors_guard_sum_t    whole;
    ngx_ors_json_node_t   *part, *text;
    ngx_ors_guard_part_e   type;

    *n = 0;
    ngx_ors_guard_sum_init(sum);

    if (parts == NULL || parts->type != ngx_ors_json_array) {
        return;
    }

    for (part = ngx_ors_json_first(json, parts);
         part;
         part = ngx_ors_json_next(json, part))
    {
        type = ngx_ors_guard_event_part(json, part, &text);

        ngx_ors_guard_sum_init(&whole);

        if (text) {
            ngx_ors_guard_sum_add(&whole, json, text);
        }

        ngx_ors_guard_sum_fold(sum, type, &whole);
        (*n)++;
    }
}


static ngx_uint_t
ngx_ors_guard_item_same(ngx_ors_guard_t *guard, ngx_ors_guard_item_t *item,
    ngx_ors_json_node_t *node)
{
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *id, *type;

    json = &guard->json;

    id = ngx_ors_json_find(json, node, "id");
    type = ngx_ors_json_find(json, node, "type");

    if (id == NULL || id->type == ngx_ors_json_null) {

        if (item->id.len) {
            return 0;
        }

    } else if (!ngx_ors_json_equal(json, id, item->id.data, item->id.len)) {
        return 0;
    }

    return type && ngx_ors_json_equal(json, type, item->type.data,
                                      item->type.len);
}


static const ngx_ors_guard_kind_t *
ngx_ors_guard_item_kind(ngx_str_t *type)
{
    const ngx_ors_guard_kind_t  *kind;

    for (kind = ngx_ors_guard_kinds; kind->type.len; kind++) {

        if (kind->type.len == type->len
            && ngx_memcmp(kind->type.data, type->data, type->len) == 0)
        {
            break;
        }
    }

    return kind;
}


static void
ngx_ors_guard_item_name(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    ngx_ors_guard_sum_t *sum)
{
    ngx_uint_t            i;
    ngx_ors_guard_sum_t   text;
    ngx_ors_json_node_t  *value;

    static const ngx_str_t  names[] = {
        ngx_string("name"),
        ngx_string("call_id"),
        ngx_string("role")
    };

    ngx_ors_guard_sum_init(sum);

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        value = ngx_ors_json_get(json, node, names[i].data, names[i].len);

        if (value) {
            ngx_ors_guard_sum_init(&text);
            ngx_ors_guard_sum_add(&text, json, value);
            ngx_ors_guard_sum_fold(sum, i, &text);
        }
    }
}
