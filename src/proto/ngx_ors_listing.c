
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The query of a listing, and the items that belong on its page.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_listing.h>
#include <ngx_ors_listing_item.h>
#include <ngx_ors_text.h>
#include <ngx_ors_names.h>
#include <ngx_ors_stored.h>


static ngx_int_t ngx_ors_listing_order(ngx_ors_listing_t *list,
    ngx_str_t *value, ngx_ors_error_t *err);
static ngx_int_t ngx_ors_listing_limit(ngx_ors_listing_t *list,
    ngx_str_t *value, ngx_ors_error_t *err);
static ngx_int_t ngx_ors_listing_take(ngx_ors_listing_t *list,
    ngx_ors_index_t *items, ngx_uint_t n, ngx_str_t *owner);
static ngx_int_t ngx_ors_listing_place(ngx_ors_listing_t *list,
    ngx_str_t *text, ngx_str_t *id, ngx_str_t *name);
static ngx_int_t ngx_ors_listing_read(ngx_ors_listing_t *list,
    ngx_str_t *item);
static ngx_int_t ngx_ors_listing_keep(ngx_ors_listing_t *list,
    ngx_str_t *text, ngx_str_t *id);
static ngx_int_t ngx_ors_listing_unknown(ngx_ors_listing_t *list,
    char *param, ngx_str_t *id, ngx_ors_error_t *err);
static void ngx_ors_listing_id(ngx_ors_out_t *out,
    ngx_ors_listing_entry_t *entry);


/* back from "before" only: the page ends there, and does not begin */

#define ngx_ors_listing_backwards(list)                                       \
    ((list)->before.len && (list)->after.len == 0)


ngx_int_t
ngx_ors_listing_init(ngx_ors_listing_t *list, ngx_str_t *query,
    ngx_pool_t *pool, ngx_ors_error_t *err)
{
    ngx_str_t  order, limit;

    static const ngx_str_t  after = ngx_string("after");
    static const ngx_str_t  before = ngx_string("before");
    static const ngx_str_t  by_order = ngx_string("order");
    static const ngx_str_t  by_limit = ngx_string("limit");

    ngx_memzero(list, sizeof(ngx_ors_listing_t));

    if (ngx_ors_query_arg(query, &after, pool, &list->after) != NGX_OK
        || ngx_ors_query_arg(query, &before, pool, &list->before) != NGX_OK
        || ngx_ors_query_arg(query, &by_order, pool, &order) != NGX_OK
        || ngx_ors_query_arg(query, &by_limit, pool, &limit) != NGX_OK)
    {
        return NGX_ERROR;
    }

    list->pool = pool;
    list->begun = (list->after.len == 0);

    ngx_ors_json_init(&list->json, pool, NGX_ORS_JSON_MAX_DEPTH, 1);

    if (ngx_ors_listing_order(list, &order, err) != NGX_OK
        || ngx_ors_listing_limit(list, &limit, err) != NGX_OK)
    {
        return NGX_DECLINED;
    }

    list->entries = ngx_palloc(pool, list->limit
                                     * sizeof(ngx_ors_listing_entry_t));

    return list->entries ? NGX_OK : NGX_ERROR;
}


static ngx_int_t
ngx_ors_listing_order(ngx_ors_listing_t *list, ngx_str_t *value,
    ngx_ors_error_t *err)
{
    if (value->data == NULL) {
        return NGX_OK;
    }

    if (value->len == 3 && ngx_memcmp(value->data, "asc", 3) == 0) {
        list->ascending = 1;
        return NGX_OK;
    }

    if (value->len == 4 && ngx_memcmp(value->data, "desc", 4) == 0) {
        return NGX_OK;
    }

    (void) ngx_ors_error_set(err, list->pool, ngx_ors_code_invalid_value,
                             "\"order\" must be \"asc\" or \"desc\"");
    ngx_str_set(&err->param, "order");

    return NGX_DECLINED;
}


static ngx_int_t
ngx_ors_listing_limit(ngx_ors_listing_t *list, ngx_str_t *value,
    ngx_ors_error_t *err)
{
    ngx_int_t  n;

    if (value->data == NULL) {
        list->limit = NGX_ORS_LISTING_LIMIT;
        return NGX_OK;
    }

    n = ngx_atoi(value->data, value->len);

    if (n >= 1 && n <= NGX_ORS_LISTING_LIMIT_MAX) {
        list->limit = n;
        return NGX_OK;
    }

    (void) ngx_ors_error_set(err, list->pool, ngx_ors_code_invalid_value,
                             "\"limit\" must be a number from 1 to %d",
                             NGX_ORS_LISTING_LIMIT_MAX);
    ngx_str_set(&err->param, "limit");

    return NGX_DECLINED;
}


ngx_int_t
ngx_ors_listing_add(ngx_ors_listing_t *list, ngx_ors_index_t *items,
    ngx_str_t *owner)
{
    ngx_int_t   rc;
    ngx_uint_t  i;

    rc = NGX_OK;

    for (i = 0; i < items->n && rc == NGX_OK; i++) {
        rc = ngx_ors_listing_take(list, items,
                                  list->ascending ? i : items->n - 1 - i,
                                  owner);
    }

    return rc;
}


/* an item with an id is read if it is on the page, one without always */

static ngx_int_t
ngx_ors_listing_take(ngx_ors_listing_t *list, ngx_ors_index_t *items,
    ngx_uint_t n, ngx_str_t *owner)
{
    u_char                 buf[NGX_ORS_LISTING_ID];
    ngx_int_t              rc;
    ngx_str_t              text, id, name;
    ngx_ors_index_item_t  *item;

    item = &items->items[n];

    ngx_ors_index_text(items, item, &text);

    if (item->id_len == 0) {
        rc = ngx_ors_listing_read(list, &text);

        if (rc != NGX_OK) {
            return rc;
        }

        (void) ngx_ors_listing_item_id(&list->json, list->json.nodes, owner,
                                       n, buf, &id);

        return ngx_ors_listing_place(list, &text, &id, &id);
    }

    id.data = text.data + item->id;
    id.len = item->id_len;

    /*
     * an item that was sent again, or referred to, is listed once: a client
     * that asks for the items after it would never come to an end
     */

    rc = ngx_ors_names_add(&list->ids, list->pool, &id);

    if (rc != NGX_OK) {
        return (rc == NGX_DECLINED) ? NGX_OK : NGX_ERROR;
    }

    rc = ngx_ors_stored_id(items, item, &list->json, &name);

    if (rc != NGX_OK) {
        return rc;
    }

    return ngx_ors_listing_place(list, &text, &id, &name);
}


/* "name" is the id decoded, as a client has it in a query */

static ngx_int_t
ngx_ors_listing_place(ngx_ors_listing_t *list, ngx_str_t *text,
    ngx_str_t *id, ngx_str_t *name)
{
    if (!list->begun) {
        list->begun = ngx_ors_same(name, &list->after);
        return NGX_OK;
    }

    if (list->before.len && ngx_ors_same(name, &list->before)) {
        list->met = 1;
        return NGX_DONE;
    }

    if (list->n >= list->limit) {
        list->more = 1;

        if (!ngx_ors_listing_backwards(list)) {
            return NGX_DONE;
        }
    }

    return ngx_ors_listing_keep(list, text, id);
}


static ngx_int_t
ngx_ors_listing_read(ngx_ors_listing_t *list, ngx_str_t *item)
{
    ngx_ors_json_t  *json;

    json = &list->json;

    /* limits have been applied when the item came in */

    json->max_nodes = item->len;

    if (ngx_ors_json_read(json, item->data, item->len) != NGX_OK) {
        return (json->error == ngx_ors_json_err_memory) ? NGX_ERROR
                                                        : NGX_DECLINED;
    }

    return (json->nodes->type == ngx_ors_json_object) ? NGX_OK : NGX_DECLINED;
}


static ngx_int_t
ngx_ors_listing_keep(ngx_ors_listing_t *list, ngx_str_t *text, ngx_str_t *id)
{
    ngx_ors_listing_entry_t  *entry;

    entry = &list->entries[list->n++ % list->limit];

    entry->text = *text;

    entry->id.len = id->len;
    entry->id.data = ngx_pstrdup(list->pool, id);

    return entry->id.data ? NGX_OK : NGX_ERROR;
}


ngx_int_t
ngx_ors_listing_render(ngx_ors_listing_t *list, ngx_ors_out_t *out,
    ngx_ors_error_t *err)
{
    ngx_int_t                 rc;
    ngx_uint_t                i, n;
    ngx_ors_listing_entry_t  *entry, *first;

    if (!list->begun) {
        return ngx_ors_listing_unknown(list, "after", &list->after, err);
    }

    if (list->before.len && !list->met
        && (!list->more || ngx_ors_listing_backwards(list)))
    {
        return ngx_ors_listing_unknown(list, "before", &list->before, err);
    }

    n = ngx_min(list->n, list->limit);

    first = NULL;
    entry = NULL;

    ngx_ors_out_lit(out, "{\"object\":\"list\",\"data\":[");

    for (i = list->n - n; i < list->n; i++) {
        entry = &list->entries[i % list->limit];

        if (first) {
            ngx_ors_out_lit(out, ",");

        } else {
            first = entry;
        }

        rc = ngx_ors_listing_read(list, &entry->text);

        if (rc != NGX_OK) {
            return (rc == NGX_DECLINED) ? NGX_ABORT : rc;
        }

        if (ngx_ors_listing_item_render(&list->json, &entry->id, out)
            != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    ngx_ors_out_lit(out, "],\"first_id\":");
    ngx_ors_listing_id(out, first);

    ngx_ors_out_lit(out, ",\"last_id\":");
    ngx_ors_listing_id(out, entry);

    if (list->more) {
        ngx_ors_out_lit(out, ",\"has_more\":true}");

    } else {
        ngx_ors_out_lit(out, ",\"has_more\":false}");
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_listing_unknown(ngx_ors_listing_t *list, char *param, ngx_str_t *id,
    ngx_ors_error_t *err)
{
    (void) ngx_ors_error_set(err, list->pool, ngx_ors_code_invalid_value,
                             "\"%s\" must be the id of an item of this list",
                             param);
    ngx_ors_error_id(err, list->pool, id);

    err->param.data = (u_char *) param;
    err->param.len = ngx_strlen(param);

    return NGX_DECLINED;
}


static void
ngx_ors_listing_id(ngx_ors_out_t *out, ngx_ors_listing_entry_t *entry)
{
    if (entry == NULL) {
        ngx_ors_out_lit(out, "null");
        return;
    }

    ngx_ors_out_lit(out, "\"");
    ngx_ors_out_str(out, &entry->id);
    ngx_ors_out_lit(out, "\"");
}
