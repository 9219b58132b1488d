
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The life of an output item in a stream: added, filled, done, and compared
 * with the snapshot at the end.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_names.h>
#include <ngx_ors_verify_check.h>
#include <ngx_ors_verify.h>


#define NGX_ORS_VERIFY_ITEMS_MIN  8

#define ngx_ors_verify_fits(part)  (1 << ngx_ors_verify_part_##part)


/* the last kind is that of all other types */

#define ngx_ors_verify_item_text(item, as, text, in)                          \
    { ngx_string(#item), ngx_string(#text), 0,                                \
      NGX_ORS_IN_##in == NGX_ORS_IN_ALL },

#define ngx_ors_verify_part_list(ev)                                           \
    (((ev)->row->part == ngx_ors_verify_part_summary_text)                     \
     ? ngx_ors_verify_list_summary : ngx_ors_verify_list_content)


static ngx_ors_verify_item_t *ngx_ors_verify_item_find(ngx_ors_verify_t *verify,
    ngx_ors_verify_event_t *ev);
static ngx_int_t ngx_ors_verify_item_step(ngx_ors_verify_t *verify,
    ngx_ors_verify_item_t *item, ngx_ors_verify_event_t *ev);
static ngx_int_t ngx_ors_verify_item_typed(ngx_ors_verify_t *verify,
    ngx_ors_verify_item_t *item, ngx_ors_verify_event_t *ev);
static ngx_int_t ngx_ors_verify_item_added(ngx_ors_verify_t *verify,
    ngx_ors_verify_event_t *ev);
static ngx_int_t ngx_ors_verify_item_push(ngx_ors_verify_t *verify);
static ngx_int_t ngx_ors_verify_item_identify(ngx_ors_verify_t *verify,
    ngx_ors_verify_item_t *item, ngx_ors_json_node_t *node);
static ngx_int_t ngx_ors_verify_item_preset(ngx_ors_verify_t *verify,
    ngx_ors_verify_item_t *item, ngx_ors_json_node_t *node);
static ngx_int_t ngx_ors_verify_item_done(ngx_ors_verify_t *verify,
    ngx_ors_verify_item_t *item, ngx_ors_json_node_t *node);
static ngx_int_t ngx_ors_verify_item_status(ngx_ors_verify_t *verify,
    ngx_ors_verify_item_t *item, ngx_ors_json_node_t *node);
static ngx_int_t ngx_ors_verify_item_sums(ngx_ors_verify_t *verify,
    ngx_ors_verify_item_t *item, ngx_ors_verify_content_t *content);
static ngx_int_t ngx_ors_verify_item_own_sum(ngx_ors_verify_t *verify,
    ngx_ors_verify_item_t *item, ngx_ors_verify_content_t *content);
static ngx_uint_t ngx_ors_verify_item_same(ngx_ors_verify_t *verify,
    ngx_ors_verify_item_t *item, ngx_ors_json_node_t *node);
static void ngx_ors_verify_item_name(ngx_ors_json_t *json,
    ngx_ors_json_node_t *node, ngx_ors_verify_digest_t *sum);
static void ngx_ors_verify_part_close(ngx_ors_verify_item_t *item);
static ngx_int_t ngx_ors_verify_part_added(ngx_ors_verify_t *verify,
    ngx_ors_verify_item_t *item, ngx_ors_verify_event_t *ev);
static ngx_int_t ngx_ors_verify_part_done(ngx_ors_verify_t *verify,
    ngx_ors_verify_item_t *item, ngx_ors_verify_event_t *ev);
static ngx_int_t ngx_ors_verify_part_text(ngx_ors_verify_t *verify,
    ngx_ors_verify_item_t *item, ngx_ors_verify_event_t *ev);
static ngx_int_t ngx_ors_verify_part_find(ngx_ors_verify_t *verify,
    ngx_ors_verify_item_t *item, ngx_ors_verify_event_t *ev);
static ngx_uint_t ngx_ors_verify_part_index(ngx_ors_verify_t *verify,
    ngx_ors_verify_item_t *item, ngx_ors_verify_event_t *ev,
    ngx_ors_verify_list_e list, ngx_uint_t n);
static void ngx_ors_verify_part_open(ngx_ors_verify_item_t *item,
    ngx_ors_verify_list_e list, ngx_ors_verify_part_e part);
static ngx_int_t ngx_ors_verify_part_whole(ngx_ors_verify_t *verify,
    ngx_ors_verify_item_t *item, ngx_ors_verify_digest_t *sum,
    ngx_ors_json_node_t *text);
static void ngx_ors_verify_part_content(ngx_ors_json_t *json,
    ngx_ors_json_node_t *node, const ngx_ors_verify_kind_t *kind,
    ngx_ors_verify_content_t *content);
static void ngx_ors_verify_part_sums(ngx_ors_json_t *json,
    ngx_ors_json_node_t *parts, ngx_uint_t *n, ngx_ors_verify_digest_t *sum);


static const ngx_ors_verify_kind_t  ngx_ors_verify_kinds[] = {

    { ngx_string("message"), ngx_null_string,
      ngx_ors_verify_fits(output_text)|ngx_ors_verify_fits(refusal)
      |ngx_ors_verify_fits(other), 1 },

    { ngx_string("reasoning"), ngx_null_string,
      ngx_ors_verify_fits(reasoning_text)|ngx_ors_verify_fits(other), 1 },

    NGX_ORS_TEXTS(ngx_ors_verify_item_text)

    { ngx_null_string, ngx_null_string, (ngx_uint_t) -1, 0 }
};


ngx_int_t
ngx_ors_verify_item(ngx_ors_verify_t *verify, ngx_ors_verify_event_t *ev)
{
    ngx_ors_verify_item_t  *item;

    if (ev->act == ngx_ors_verify_act_item_added) {
        return ngx_ors_verify_item_added(verify, ev);
    }

    item = ngx_ors_verify_item_find(verify, ev);

    if (item == NULL) {
        return NGX_DECLINED;
    }

    if (ev->act == ngx_ors_verify_act_item) {
        return NGX_OK;
    }

    if (ev->act == ngx_ors_verify_act_step) {
        return ngx_ors_verify_item_step(verify, item, ev);
    }

    if (ev->act == ngx_ors_verify_act_item_done) {
        return ngx_ors_verify_item_done(verify, item,
                                        ev->member[ngx_ors_verify_m_item]);
    }

    if (ev->act == ngx_ors_verify_act_part_added) {
        return ngx_ors_verify_part_added(verify, item, ev);
    }

    if (ev->act == ngx_ors_verify_act_part_done) {
        return ngx_ors_verify_part_done(verify, item, ev);
    }

    if (ev->act == ngx_ors_verify_act_note) {
        return ngx_ors_verify_part_find(verify, item, ev);
    }

    return ngx_ors_verify_part_text(verify, item, ev);
}


/* NULL: there is no such item, verify->error says why */

static ngx_ors_verify_item_t *
ngx_ors_verify_item_find(ngx_ors_verify_t *verify, ngx_ors_verify_event_t *ev)
{
    char                   *wrong;
    int64_t                 n;
    ngx_ors_json_node_t    *node;
    ngx_ors_verify_item_t  *item;

    node = ev->member[ngx_ors_verify_m_output_index];
    item = NULL;
    wrong = NULL;

    if (ngx_ors_json_integer(&verify->json, node, &n) == NGX_OK
        && n >= 0 && n < (int64_t) verify->stream->nitems)
    {
        item = &verify->stream->items[n];
    }

    node = ev->member[ngx_ors_verify_m_item_id];

    if (item == NULL) {
        wrong = "output_index is of an item that was not added";

    } else if (item->state == ngx_ors_verify_item_st_done) {
        wrong = "it comes after its item is done";

    } else if (node && !ngx_ors_json_equal(&verify->json, node, item->id.data,
                                           item->id.len))
    {
        wrong = "item_id is not that of the item at output_index";
    }

    if (wrong) {
        (void) ngx_ors_verify_violation(verify, wrong);
        return NULL;
    }

    return item;
}


/* a step may come again, as that of an approved call does, but not late */

static ngx_int_t
ngx_ors_verify_item_step(ngx_ors_verify_t *verify, ngx_ors_verify_item_t *item,
    ngx_ors_verify_event_t *ev)
{
    ngx_ors_verify_step_e  step;

    step = ev->row->step;

    if (ngx_ors_verify_item_typed(verify, item, ev) != NGX_OK) {
        return NGX_DECLINED;
    }

    if (step < item->step || item->step == ngx_ors_verify_step_over) {
        return ngx_ors_verify_tolerate(verify, ngx_ors_tolerated_step);
    }

    item->step = step;

    return NGX_OK;
}


/* the item must be of the type that the event's name begins with */

static ngx_int_t
ngx_ors_verify_item_typed(ngx_ors_verify_t *verify,
    ngx_ors_verify_item_t *item, ngx_ors_verify_event_t *ev)
{
    return (ngx_strlen(ev->row->item) == item->type.len
            && ngx_memcmp(ev->row->item, item->type.data, item->type.len) == 0)
           ? NGX_OK : ngx_ors_verify_violation(verify, "its item is of another "
                                               "type");
}


static ngx_int_t
ngx_ors_verify_item_added(ngx_ors_verify_t *verify, ngx_ors_verify_event_t *ev)
{
    int64_t                   n;
    ngx_int_t                 rc;
    ngx_ors_json_node_t      *node;
    ngx_ors_verify_item_t    *item;
    ngx_ors_verify_stream_t  *vs;

    vs = verify->stream;
    node = ev->member[ngx_ors_verify_m_output_index];

    if (ngx_ors_json_integer(&verify->json, node, &n) != NGX_OK
        || n != (int64_t) vs->nitems)
    {
        return ngx_ors_verify_violation(verify,
                                        "output_index is not the number "
                                        "of items so far");
    }

    node = ev->member[ngx_ors_verify_m_item];

    if (node == NULL) {
        return ngx_ors_verify_violation(verify, "the item is null");
    }

    if (vs->incomplete) {
        return ngx_ors_verify_violation(verify, "an item after one that is "
                                        "incomplete");
    }

    if (vs->open) {
        (void) ngx_ors_verify_tolerate(verify, ngx_ors_tolerated_interleaved);
    }

    rc = ngx_ors_verify_item_push(verify);

    if (rc != NGX_OK) {
        return rc;
    }

    item = &vs->items[vs->nitems];

    rc = ngx_ors_verify_item_identify(verify, item, node);

    if (rc != NGX_OK) {
        return rc;
    }

    rc = ngx_ors_verify_item_preset(verify, item, node);

    if (rc != NGX_OK) {
        return rc;
    }

    vs->nitems++;
    verify->begun = 1;
    vs->open++;

    return NGX_OK;
}


/* makes room for one more item */

static ngx_int_t
ngx_ors_verify_item_push(ngx_ors_verify_t *verify)
{
    ngx_uint_t                n;
    ngx_ors_verify_item_t    *items;
    ngx_ors_verify_stream_t  *vs;

    vs = verify->stream;

    if (vs->nitems == NGX_ORS_VERIFY_ITEMS) {
        return ngx_ors_verify_found(verify, ngx_ors_code_answer_too_large,
                                    "the model server's answer has more than "
                                    "%d items", NGX_ORS_VERIFY_ITEMS);
    }

    if (vs->nitems == vs->nalloc) {
        n = vs->nalloc ? 2 * vs->nalloc : NGX_ORS_VERIFY_ITEMS_MIN;

        items = ngx_palloc(verify->pool, n * sizeof(ngx_ors_verify_item_t));
        if (items == NULL) {
            return NGX_ERROR;
        }

        if (vs->items) {
            ngx_memcpy(items, vs->items,
                       vs->nitems * sizeof(ngx_ors_verify_item_t));
            (void) ngx_pfree(verify->pool, vs->items);
        }

        vs->items = items;
        vs->nalloc = n;
    }

    ngx_memzero(&vs->items[vs->nitems], sizeof(ngx_ors_verify_item_t));

    return NGX_OK;
}


static ngx_int_t
ngx_ors_verify_item_identify(ngx_ors_verify_t *verify,
    ngx_ors_verify_item_t *item, ngx_ors_json_node_t *node)
{
    ngx_int_t                     rc;
    ngx_ors_json_t               *json;
    ngx_ors_json_node_t          *id, *type;
    const ngx_ors_verify_kind_t  *kind;

    json = &verify->json;

    id = ngx_ors_json_find(json, node, "id");
    type = ngx_ors_json_find(json, node, "type");

    if (id == NULL || id->type == ngx_ors_json_null) {
        id = NULL;

    } else if (id->len == 0) {
        return ngx_ors_verify_violation(verify, "the item's id is empty");
    }

    rc = ngx_ors_verify_terminate_charge(verify, (id ? id->len : 0)
                                           + (size_t) type->len);
    if (rc != NGX_OK) {
        return rc;
    }

    ngx_str_set(&item->id, "");

    if ((id
         && ngx_ors_json_copy(&verify->json, id, verify->pool, &item->id)
            != NGX_OK)
        || ngx_ors_json_copy(&verify->json, type, verify->pool, &item->type)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    for (kind = ngx_ors_verify_kinds; kind->type.len; kind++) {

        if (ngx_ors_same(&kind->type, &item->type)) {
            break;
        }
    }

    item->kind = kind;

    rc = id ? ngx_ors_names_add(&verify->stream->ids, verify->pool, &item->id)
            : NGX_OK;

    if (rc == NGX_DECLINED) {
        return ngx_ors_verify_violation(verify, "the item's id is that of "
                                        "another one");
    }

    return rc;
}


/* contents that an item has when it is added */

static ngx_int_t
ngx_ors_verify_item_preset(ngx_ors_verify_t *verify,
    ngx_ors_verify_item_t *item, ngx_ors_json_node_t *node)
{
    ngx_ors_json_t            *json;
    ngx_ors_json_node_t       *status;
    ngx_ors_verify_content_t  *content;

    json = &verify->json;
    content = &item->content;

    ngx_ors_verify_item_name(json, node, &item->name);
    ngx_ors_verify_part_content(json, node, item->kind, content);

    item->preset = (content->n[ngx_ors_verify_list_content]
                    || content->n[ngx_ors_verify_list_summary]
                    || content->text.len || content->text.high);

    if (!item->kind->core) {
        return NGX_OK;
    }

    if (item->preset) {
        return ngx_ors_verify_tolerate(verify, ngx_ors_tolerated_added);
    }

    status = ngx_ors_json_find(json, node, "status");

    if (status && status->type == ngx_ors_json_string
        && !ngx_ors_json_is(json, status, "in_progress"))
    {
        return ngx_ors_verify_tolerate(verify, ngx_ors_tolerated_status);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_verify_item_done(ngx_ors_verify_t *verify, ngx_ors_verify_item_t *item,
    ngx_ors_json_node_t *node)
{
    ngx_int_t                 rc;
    ngx_ors_json_t           *json;
    ngx_ors_verify_digest_t   name;
    ngx_ors_verify_content_t  content;

    json = &verify->json;

    if (node == NULL || !ngx_ors_verify_item_same(verify, item, node)) {
        return ngx_ors_verify_violation(verify,
                                        "the item is not the one that was "
                                        "added");
    }

    ngx_ors_verify_item_name(json, node, &name);

    if (item->kind->core
        && !ngx_ors_verify_digest_equal(&name, &item->name)
        && ngx_ors_verify_tolerate(verify, ngx_ors_tolerated_name) != NGX_OK)
    {
        return NGX_DECLINED;
    }

    if (item->part) {

        if (ngx_ors_verify_tolerate(verify, ngx_ors_tolerated_no_done)
            != NGX_OK)
        {
            return NGX_DECLINED;
        }

        ngx_ors_verify_part_close(item);
    }

    ngx_ors_verify_part_content(json, node, item->kind, &content);

    rc = ngx_ors_verify_item_sums(verify, item, &content);

    if (rc == NGX_OK) {
        rc = ngx_ors_verify_item_own_sum(verify, item, &content);
    }

    if (rc == NGX_OK) {
        rc = ngx_ors_verify_item_status(verify, item, node);
    }

    /* a response that has failed lists no incomplete item (C28) */

    if (rc == NGX_OK && !verify->stream->incomplete) {
        rc = ngx_ors_verify_terminate_item(verify, node, &item->json);
    }

    if (rc != NGX_OK) {
        return rc;
    }

    item->content = content;
    item->state = ngx_ors_verify_item_st_done;
    verify->stream->open--;

    return NGX_OK;
}


static ngx_int_t
ngx_ors_verify_item_status(ngx_ors_verify_t *verify,
    ngx_ors_verify_item_t *item, ngx_ors_json_node_t *node)
{
    ngx_ors_json_node_t  *status;

    status = ngx_ors_json_find(&verify->json, node, "status");

    if (status == NULL || status->type != ngx_ors_json_string) {
        return NGX_OK;
    }

    if (ngx_ors_json_is(&verify->json, status, "incomplete")) {
        verify->stream->incomplete = 1;
        return NGX_OK;
    }

    if (!item->kind->core
        || ngx_ors_json_is(&verify->json, status, "completed"))
    {
        return NGX_OK;
    }

    return ngx_ors_verify_tolerate(verify, ngx_ors_tolerated_status);
}


/* an item's parts must be those that were streamed */

static ngx_int_t
ngx_ors_verify_item_sums(ngx_ors_verify_t *verify, ngx_ors_verify_item_t *item,
    ngx_ors_verify_content_t *content)
{
    ngx_uint_t                 i;
    ngx_ors_verify_content_t  *streamed;

    streamed = &item->content;

    for (i = 0; i < ngx_ors_verify_list_n; i++) {

        if (item->preset
            || (streamed->n[i] == content->n[i]
                && ngx_ors_verify_digest_equal(&streamed->parts[i],
                                               &content->parts[i])))
        {
            continue;
        }

        if (streamed->n[i]) {
            return ngx_ors_verify_violation(verify, "the item's parts are not "
                                            "those that were streamed");
        }

        if (item->kind->core
            && ngx_ors_verify_tolerate(verify, ngx_ors_tolerated_at_once)
               != NGX_OK)
        {
            return NGX_DECLINED;
        }
    }

    return NGX_OK;
}


/* ... and so must its own text; without any delta no text is needed (C18) */

static ngx_int_t
ngx_ors_verify_item_own_sum(ngx_ors_verify_t *verify,
    ngx_ors_verify_item_t *item, ngx_ors_verify_content_t *content)
{
    if (item->kind->text.len == 0 || item->preset) {
        return NGX_OK;
    }

    if (item->state == ngx_ors_verify_item_st_open && item->begun
        && ngx_ors_verify_tolerate(verify, ngx_ors_tolerated_no_text) != NGX_OK)
    {
        return NGX_DECLINED;
    }

    if (ngx_ors_verify_digest_equal(&content->text, &item->content.text)) {
        return NGX_OK;
    }

    if (item->begun || item->state == ngx_ors_verify_item_st_text) {
        return ngx_ors_verify_violation(verify,
                                        "the item's text is not what was "
                                        "streamed");
    }

    return item->kind->core
           ? ngx_ors_verify_tolerate(verify,
                                     ngx_ors_tolerated_at_once) : NGX_OK;
}


ngx_int_t
ngx_ors_verify_item_output(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *output)
{
    ngx_uint_t                j, same;
    ngx_ors_json_node_t      *node;
    ngx_ors_verify_item_t    *item;
    ngx_ors_verify_stream_t  *vs;
    ngx_ors_verify_content_t  content;

    vs = verify->stream;

    if (vs->open) {
        return ngx_ors_verify_violation(verify, "an item is not done");
    }

    if (output->type != ngx_ors_json_array || output->count != vs->nitems) {
        return ngx_ors_verify_violation(verify,
                                        "the output has another number of "
                                        "items than were streamed");
    }

    item = vs->items;

    ngx_ors_json_each(node, &verify->json, output) {
        if (!ngx_ors_verify_item_same(verify, item, node)) {
            return ngx_ors_verify_violation(verify,
                                            "the output has another item "
                                            "than was streamed");
        }

        ngx_ors_verify_part_content(&verify->json, node, item->kind, &content);

        same = ngx_ors_verify_digest_equal(&content.text, &item->content.text);

        for (j = 0; j < ngx_ors_verify_list_n; j++) {
            same &= ngx_ors_verify_digest_equal(&content.parts[j],
                                                &item->content.parts[j]);
        }

        if (!same) {
            return ngx_ors_verify_violation(verify,
                                            "the output has another text "
                                            "than was streamed");
        }

        item++;
    }

    return NGX_OK;
}


static ngx_uint_t
ngx_ors_verify_item_same(ngx_ors_verify_t *verify, ngx_ors_verify_item_t *item,
    ngx_ors_json_node_t *node)
{
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *id, *type;

    json = &verify->json;

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


static void
ngx_ors_verify_item_name(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    ngx_ors_verify_digest_t *sum)
{
    ngx_uint_t               i;
    ngx_ors_json_node_t     *value;
    ngx_ors_verify_digest_t  text;

    static const ngx_str_t  names[] = {
        ngx_string("name"),
        ngx_string("call_id"),
        ngx_string("role")
    };

    ngx_ors_verify_digest_init(sum);

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        value = ngx_ors_json_get(json, node, names[i].data, names[i].len);

        if (value) {
            ngx_ors_verify_digest_init(&text);
            ngx_ors_verify_digest_add(&text, json, value);
            ngx_ors_verify_digest_fold(sum, i, &text);
        }
    }
}


/*
 * Parts of an item in a stream: content parts and summaries, their deltas and
 * their whole text.
 */


/* The open part of "item" is over: it counts as one of the item's parts. */

static void
ngx_ors_verify_part_close(ngx_ors_verify_item_t *item)
{
    ngx_ors_verify_digest_fold(&item->content.parts[item->list], item->part,
                               &item->sum);

    item->part = ngx_ors_verify_part_none;
    item->state = ngx_ors_verify_item_st_open;
}


static ngx_int_t
ngx_ors_verify_part_added(ngx_ors_verify_t *verify, ngx_ors_verify_item_t *item,
    ngx_ors_verify_event_t *ev)
{
    ngx_uint_t             fits;
    ngx_ors_json_node_t   *text;
    ngx_ors_verify_list_e  list;
    ngx_ors_verify_part_e  part;

    if (item->state != ngx_ors_verify_item_st_open) {
        return ngx_ors_verify_violation(verify,
                                        "a part or a text of its item is "
                                        "open");
    }

    list = ngx_ors_verify_part_list(ev);

    if (!ngx_ors_verify_part_index(verify, item, ev, list,
                                   item->content.n[list]))
    {
        return ngx_ors_verify_violation(verify, "the part's index is not the "
                                        "number of parts so far");
    }

    part = ngx_ors_verify_event_part(&verify->json,
                                     ev->member[ngx_ors_verify_m_part], &text);

    fits = (list == ngx_ors_verify_list_summary)
           ? part == ngx_ors_verify_part_summary_text
           : (item->kind->fit & ((ngx_uint_t) 1 << part)) != 0;

    if (!fits
        && ngx_ors_verify_tolerate(verify, ngx_ors_tolerated_unfit) != NGX_OK)
    {
        return NGX_DECLINED;
    }

    ngx_ors_verify_part_open(item, list, part);

    if (text == NULL || text->len == 0) {
        return NGX_OK;
    }

    /* clients append to a text that they see here */

    ngx_ors_verify_digest_add(&item->sum, &verify->json, text);

    return ngx_ors_verify_tolerate(verify, ngx_ors_tolerated_added);
}


static ngx_int_t
ngx_ors_verify_part_done(ngx_ors_verify_t *verify, ngx_ors_verify_item_t *item,
    ngx_ors_verify_event_t *ev)
{
    ngx_int_t              rc;
    ngx_ors_json_node_t   *text;
    ngx_ors_verify_list_e  list;
    ngx_ors_verify_part_e  part;

    list = ngx_ors_verify_part_list(ev);

    if (item->part == ngx_ors_verify_part_none || item->list != list
        || !ngx_ors_verify_part_index(verify, item, ev, list,
                                      item->content.n[list] - 1))
    {
        return ngx_ors_verify_violation(verify, "the part is not open");
    }

    part = ngx_ors_verify_event_part(&verify->json,
                                     ev->member[ngx_ors_verify_m_part], &text);

    if (part != item->part) {
        return ngx_ors_verify_violation(verify,
                                        "the part is of another type than "
                                        "when it was added");
    }

    if (item->state == ngx_ors_verify_item_st_part && item->begun
        && ngx_ors_verify_tolerate(verify, ngx_ors_tolerated_no_text) != NGX_OK)
    {
        return NGX_DECLINED;
    }

    rc = ngx_ors_verify_part_whole(verify, item, &item->sum, text);

    if (rc == NGX_OK) {
        ngx_ors_verify_part_close(item);
    }

    return rc;
}


static ngx_int_t
ngx_ors_verify_part_text(ngx_ors_verify_t *verify, ngx_ors_verify_item_t *item,
    ngx_ors_verify_event_t *ev)
{
    ngx_int_t                 rc;
    ngx_ors_json_node_t      *text;
    ngx_ors_verify_digest_t  *sum;

    if (ev->row->part == ngx_ors_verify_part_none) {
        rc = ngx_ors_verify_item_typed(verify, item, ev);
        sum = &item->content.text;

    } else {
        rc = ngx_ors_verify_part_find(verify, item, ev);
        sum = &item->sum;
    }

    if (rc != NGX_OK) {
        return rc;
    }

    if (item->state == ngx_ors_verify_item_st_text) {
        return ngx_ors_verify_violation(verify,
                                        "it comes after the text is done");
    }

    text = ev->member[ev->row->text];

    if (text == NULL) {
        return ngx_ors_verify_violation(verify, "it has no text");
    }

    if (ev->act == ngx_ors_verify_act_delta) {
        ngx_ors_verify_digest_add(sum, &verify->json, text);
        item->begun = 1;
        return NGX_OK;
    }

    item->state = ngx_ors_verify_item_st_text;

    return ngx_ors_verify_part_whole(verify, item, sum, text);
}


/* the part must be open, or be one that some servers never open */

static ngx_int_t
ngx_ors_verify_part_find(ngx_ors_verify_t *verify, ngx_ors_verify_item_t *item,
    ngx_ors_verify_event_t *ev)
{
    ngx_ors_verify_list_e  list;

    list = ngx_ors_verify_part_list(ev);

    if (item->part == ngx_ors_verify_part_none) {

        if (ev->row->part != ngx_ors_verify_part_reasoning_text) {
            return ngx_ors_verify_violation(verify, "no part is open");
        }

        if (ngx_ors_verify_tolerate(verify, ngx_ors_tolerated_no_part)
            != NGX_OK)
        {
            return NGX_DECLINED;
        }

        ngx_ors_verify_part_open(item, list, ev->row->part);
    }

    if (item->part != ev->row->part) {
        return ngx_ors_verify_violation(verify, "the part is of another type");
    }

    if (item->list != list
        || !ngx_ors_verify_part_index(verify, item, ev, list,
                                      item->content.n[list] - 1))
    {
        return ngx_ors_verify_violation(verify, "the part is not the open one");
    }

    return NGX_OK;
}


/* any index is right for an item that was added with parts */

static ngx_uint_t
ngx_ors_verify_part_index(ngx_ors_verify_t *verify, ngx_ors_verify_item_t *item,
    ngx_ors_verify_event_t *ev, ngx_ors_verify_list_e list, ngx_uint_t n)
{
    int64_t               i;
    ngx_ors_json_node_t  *node;

    node = ev->member[(list == ngx_ors_verify_list_summary)
                      ? ngx_ors_verify_m_summary_index
                      : ngx_ors_verify_m_content_index];

    return ngx_ors_json_integer(&verify->json, node, &i) == NGX_OK
           && (i == (int64_t) n || item->preset);
}


static void
ngx_ors_verify_part_open(ngx_ors_verify_item_t *item,
    ngx_ors_verify_list_e list, ngx_ors_verify_part_e part)
{
    item->state = ngx_ors_verify_item_st_part;
    item->list = list;
    item->part = part;
    item->begun = 0;
    item->content.n[list]++;

    ngx_ors_verify_digest_init(&item->sum);
}


/* a whole text must be the sum of its deltas */

static ngx_int_t
ngx_ors_verify_part_whole(ngx_ors_verify_t *verify, ngx_ors_verify_item_t *item,
    ngx_ors_verify_digest_t *sum, ngx_ors_json_node_t *text)
{
    if (text == NULL || ngx_ors_verify_digest_is(sum, &verify->json, text)) {
        return NGX_OK;
    }

    if (!item->preset && (item->begun || sum->len || sum->high)) {
        return ngx_ors_verify_violation(verify,
                                        "the text is not the sum of its "
                                        "deltas");
    }

    ngx_ors_verify_digest_init(sum);
    ngx_ors_verify_digest_add(sum, &verify->json, text);

    if (!item->kind->core || item->preset) {
        return NGX_OK;
    }

    return ngx_ors_verify_tolerate(verify, ngx_ors_tolerated_at_once);
}


/*
 * Sets "content" to the parts and the text of object "node", an item of the
 * kind.
 */

static void
ngx_ors_verify_part_content(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    const ngx_ors_verify_kind_t *kind, ngx_ors_verify_content_t *content)
{
    ngx_ors_verify_part_sums(json, ngx_ors_json_find(json, node, "content"),
                             &content->n[ngx_ors_verify_list_content],
                             &content->parts[ngx_ors_verify_list_content]);

    ngx_ors_verify_part_sums(json, ngx_ors_json_find(json, node, "summary"),
                             &content->n[ngx_ors_verify_list_summary],
                             &content->parts[ngx_ors_verify_list_summary]);

    ngx_ors_verify_digest_init(&content->text);

    if (kind->text.len) {
        ngx_ors_verify_digest_add(&content->text, json,
                                  ngx_ors_json_get(json, node, kind->text.data,
                                                   kind->text.len));
    }
}


static void
ngx_ors_verify_part_sums(ngx_ors_json_t *json, ngx_ors_json_node_t *parts,
    ngx_uint_t *n, ngx_ors_verify_digest_t *sum)
{
    ngx_ors_json_node_t      *part, *text;
    ngx_ors_verify_part_e     type;
    ngx_ors_verify_digest_t   whole;

    *n = 0;
    ngx_ors_verify_digest_init(sum);

    if (parts == NULL || parts->type != ngx_ors_json_array) {
        return;
    }

    ngx_ors_json_each(part, json, parts) {
        type = ngx_ors_verify_event_part(json, part, &text);

        ngx_ors_verify_digest_init(&whole);
        ngx_ors_verify_digest_add(&whole, json, text);
        ngx_ors_verify_digest_fold(sum, type, &whole);
        (*n)++;
    }
}
