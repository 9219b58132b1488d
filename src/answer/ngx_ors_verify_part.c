
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Parts of an item in a stream: content parts and summaries, their deltas and
 * their whole text.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_verify_part.h>
#include <ngx_ors_verify_tolerate.h>


static ngx_int_t ngx_ors_verify_part_added(ngx_ors_verify_t *verify,
    ngx_ors_verify_item_t *item, ngx_ors_verify_event_t *ev);
static ngx_uint_t ngx_ors_verify_part_fits(ngx_ors_verify_item_t *item,
    ngx_ors_verify_list_e list, ngx_ors_verify_part_e part);
static ngx_int_t ngx_ors_verify_part_done(ngx_ors_verify_t *verify,
    ngx_ors_verify_item_t *item, ngx_ors_verify_event_t *ev);
static ngx_int_t ngx_ors_verify_part_text(ngx_ors_verify_t *verify,
    ngx_ors_verify_item_t *item, ngx_ors_verify_event_t *ev);
static ngx_int_t ngx_ors_verify_part_own(ngx_ors_verify_t *verify,
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
static void ngx_ors_verify_part_sums(ngx_ors_json_t *json,
    ngx_ors_json_node_t *parts, ngx_uint_t *n, ngx_ors_verify_digest_t *sum);


#define ngx_ors_verify_part_list(ev)                                           \
    (((ev)->row->part == ngx_ors_verify_part_summary_text)                     \
     ? ngx_ors_verify_list_summary : ngx_ors_verify_list_content)


ngx_int_t
ngx_ors_verify_part(ngx_ors_verify_t *verify,
    ngx_ors_verify_item_t *item, ngx_ors_verify_event_t *ev)
{
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


void
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

    if (!ngx_ors_verify_part_fits(item, list, part)
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


static ngx_uint_t
ngx_ors_verify_part_fits(ngx_ors_verify_item_t *item,
    ngx_ors_verify_list_e list, ngx_ors_verify_part_e part)
{
    if (list == ngx_ors_verify_list_summary) {
        return part == ngx_ors_verify_part_summary_text;
    }

    return (item->kind->fit & ((ngx_uint_t) 1 << part)) ? 1 : 0;
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
        rc = ngx_ors_verify_part_own(verify, item, ev);
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


static ngx_int_t
ngx_ors_verify_part_own(ngx_ors_verify_t *verify, ngx_ors_verify_item_t *item,
    ngx_ors_verify_event_t *ev)
{
    if (ngx_strlen(ev->row->item) == item->kind->type.len
        && ngx_memcmp(ev->row->item, item->kind->type.data,
                      item->kind->type.len)
           == 0)
    {
        return NGX_OK;
    }

    return ngx_ors_verify_violation(verify, "its item is of another type");
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


void
ngx_ors_verify_part_content(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    const ngx_ors_verify_kind_t *kind, ngx_ors_verify_content_t *content)
{
    ngx_ors_json_node_t  *text;

    ngx_ors_verify_part_sums(json, ngx_ors_json_find(json, node, "content"),
                             &content->n[ngx_ors_verify_list_content],
                             &content->parts[ngx_ors_verify_list_content]);

    ngx_ors_verify_part_sums(json, ngx_ors_json_find(json, node, "summary"),
                             &content->n[ngx_ors_verify_list_summary],
                             &content->parts[ngx_ors_verify_list_summary]);

    ngx_ors_verify_digest_init(&content->text);

    if (kind->text.len == 0) {
        return;
    }

    text = ngx_ors_json_get(json, node, kind->text.data, kind->text.len);

    if (text) {
        ngx_ors_verify_digest_add(&content->text, json, text);
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

    for (part = ngx_ors_json_first(json, parts);
         part;
         part = ngx_ors_json_next(json, part))
    {
        type = ngx_ors_verify_event_part(json, part, &text);

        ngx_ors_verify_digest_init(&whole);

        if (text) {
            ngx_ors_verify_digest_add(&whole, json, text);
        }

        ngx_ors_verify_digest_fold(sum, type, &whole);
        (*n)++;
    }
}
