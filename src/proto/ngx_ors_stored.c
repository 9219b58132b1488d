
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Stored things for clients: items that are checked before they are
 * used again, response objects, and pages of items.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_fields.h>
#include <ngx_ors_stored.h>
#include <ngx_ors_response.h>


/* bytes of an error, most have less */
#define NGX_ORS_SNAPSHOT_ERROR  256

/* largest length of a derived id */
#define NGX_ORS_LISTING_ID  128

/* back from "before" only: the page ends there, and does not begin */

#define ngx_ors_listing_backwards(list)                                       \
    ((list)->before.len && (list)->after.len == 0)

/* of a response's id, which may be one that is not ours */
#define NGX_ORS_LISTING_OWNER  64


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
static ngx_int_t ngx_ors_listing_unknown(ngx_ors_listing_t *list,
    char *param, ngx_str_t *id, ngx_ors_error_t *err);
static void ngx_ors_listing_item_id(ngx_ors_json_t *json, ngx_str_t *owner,
    ngx_uint_t index, u_char *buf, ngx_str_t *id);
static ngx_ors_item_row_t *ngx_ors_listing_kind(ngx_ors_json_t *json,
    ngx_ors_json_node_t *item);
static ngx_ors_json_node_t *ngx_ors_listing_own_id(ngx_ors_json_t *json,
    ngx_ors_json_node_t *item);
static ngx_int_t ngx_ors_listing_item_render(ngx_ors_json_t *json,
    ngx_str_t *id, ngx_ors_out_t *out);
static ngx_int_t ngx_ors_listing_head(ngx_ors_edits_t *edits,
    ngx_ors_json_t *json, ngx_ors_item_row_t *kind, ngx_str_t *id);
static ngx_int_t ngx_ors_listing_missing(ngx_ors_edits_t *edits,
    ngx_ors_json_t *json, ngx_ors_json_node_t *object, const char *name,
    ngx_str_t *value);
static ngx_int_t ngx_ors_listing_content(ngx_ors_edits_t *edits,
    ngx_ors_json_t *json);
static ngx_int_t ngx_ors_listing_string(ngx_ors_edits_t *edits,
    ngx_ors_json_node_t *content, ngx_uint_t assistant);
static ngx_int_t ngx_ors_listing_part(ngx_ors_edits_t *edits,
    ngx_ors_json_t *json, ngx_ors_json_node_t *part);


/* with its quotes an id is a document, whatever the table of a record says */

ngx_int_t
ngx_ors_stored_id(ngx_ors_index_t *index, ngx_ors_index_item_t *item,
    ngx_ors_json_t *json, ngx_str_t *id)
{
    u_char     *p;
    ngx_int_t   rc;

    p = index->text.data + item->pos + item->id - 1;

    rc = ngx_ors_json_read(json, p, (size_t) item->id_len + 2);

    if (rc != NGX_OK) {
        return rc;
    }

    if (json->nodes->type != ngx_ors_json_string
        || json->nodes->len != item->id_len)
    {
        return NGX_DECLINED;
    }

    return ngx_ors_json_decoded(json, json->nodes, json->pool, id);
}


ngx_int_t
ngx_ors_stored_check(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    ngx_ors_code_e code, char *param, ngx_pool_t *pool, ngx_ors_error_t *err)
{
    ngx_int_t             rc;
    ngx_str_t             text;
    ngx_ors_validate_t    v;
    ngx_ors_input_item_t  in;

    static ngx_ors_policy_t  policy = {
        NGX_ORS_TOLERANT_OPENAI, ngx_ors_unknown_pass, 0,
        ngx_ors_reasoning_summary, ngx_ors_refusal_part, NULL
    };

    ngx_memzero(&v, sizeof(ngx_ors_validate_t));

    v.json = json;
    v.policy = &policy;
    v.root = "a stored item";
    v.pool = pool;
    v.err = err;
    v.discreet = 1;
    v.lax = 1;

    rc = ngx_ors_validate(&v, node, &ngx_ors_fields_input_item, NULL);

    if (rc != NGX_DECLINED) {
        return rc;
    }

    /* of a type that the operator had when it was stored */

    if (node->type == ngx_ors_json_object) {
        ngx_ors_input_item(&in, json, node);

        if (in.kind == ngx_ors_input_own) {
            return NGX_OK;
        }
    }

    ngx_log_error(NGX_LOG_ERR, pool->log, 0,
                  "a stored item cannot be used: %V", &err->message);

    text = err->message;

    (void) ngx_ors_error_set(err, pool, code,
                             "an item of what is stored cannot be used: %V",
                             &text);

    return ngx_ors_error_param(err, param);
}


/*
 * A stored response object with its items, made from a record.
 */


ngx_int_t
ngx_ors_snapshot_read(ngx_ors_snapshot_t *snap, ngx_str_t *text,
    ngx_pool_t *pool)
{
    ngx_int_t             rc;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *node;

    json = &snap->json;

    /* limits have been applied when the response was stored */

    ngx_ors_json_init(json, pool, NGX_ORS_JSON_MAX_DEPTH, text->len);

    rc = ngx_ors_json_read(json, text->data, text->len);

    if (rc != NGX_OK) {
        return rc;
    }

    node = ngx_ors_json_find(json, json->nodes, "id");

    if (node == NULL || node->type != ngx_ors_json_string) {
        return NGX_DECLINED;
    }

    ngx_ors_json_raw(json, node, &snap->id);

    node = ngx_ors_json_find(json, json->nodes, "background");

    snap->background = (node && node->type == ngx_ors_json_true);

    return NGX_OK;
}


ngx_int_t
ngx_ors_snapshot_id(ngx_str_t *text, ngx_pool_t *pool, ngx_str_t *id)
{
    u_char              *p;
    ngx_int_t            rc;
    ngx_ors_snapshot_t   snap;

    static ngx_str_t  head = ngx_string("{\"id\":\"");

    /* a response that was made here begins with its id */

    if (text->len > head.len
        && ngx_memcmp(text->data, head.data, head.len) == 0)
    {
        id->data = text->data + head.len;

        for (p = id->data; p < text->data + text->len && *p != '\\'; p++) {

            if (*p == '"') {
                id->len = p - id->data;
                return NGX_OK;
            }
        }
    }

    rc = ngx_ors_snapshot_read(&snap, text, pool);

    if (rc == NGX_OK) {
        *id = snap.id;
    }

    return rc;
}


ngx_int_t
ngx_ors_snapshot_end(ngx_ors_snapshot_t *snap, ngx_ors_error_t *error,
    ngx_ors_out_t *out)
{
    ngx_str_t             text;
    ngx_ors_out_t         brief;
    ngx_ors_json_t       *json;
    ngx_ors_edits_t       edits;
    ngx_ors_json_node_t  *node;

    static ngx_str_t  failed = ngx_string("\"failed\"");
    static ngx_str_t  cancelled = ngx_string("\"cancelled\"");

    json = &snap->json;

    ngx_ors_edits_init(&edits, json->pool);

    node = ngx_ors_json_find(json, json->nodes, "status");

    if (node
        && ngx_ors_edits_value(&edits, node, error ? &failed : &cancelled)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    node = ngx_ors_json_find(json, json->nodes, "error");

    if (error && node) {
        ngx_ors_out_init(&brief, json->pool, NGX_ORS_SNAPSHOT_ERROR);
        ngx_ors_error_brief(&brief, error);

        if (ngx_ors_out_text(&brief, &text) != NGX_OK
            || ngx_ors_edits_value(&edits, node, &text) != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    ngx_ors_edits_write(&edits, json, ngx_ors_edit_start(json->nodes),
                        ngx_ors_edit_end(json->nodes), 1, out);

    return NGX_OK;
}


/*
 * The query of a listing, and the items that belong on its page.
 */


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
    list->ascending = (value->len == 3
                       && ngx_memcmp(value->data, "asc", 3) == 0);

    if (value->data == NULL || list->ascending
        || (value->len == 4 && ngx_memcmp(value->data, "desc", 4) == 0))
    {
        return NGX_OK;
    }

    (void) ngx_ors_error_set(err, list->pool, ngx_ors_code_invalid_value,
                             "\"order\" must be \"asc\" or \"desc\"");

    return ngx_ors_error_param(err, "order");
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

    return ngx_ors_error_param(err, "limit");
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

        ngx_ors_listing_item_id(&list->json, owner, n, buf, &id);

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
    ngx_ors_listing_entry_t  *entry;

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

    entry = &list->entries[list->n++ % list->limit];
    entry->text = *text;

    return ngx_ors_str_copy(&entry->id, list->pool, id);
}


static ngx_int_t
ngx_ors_listing_read(ngx_ors_listing_t *list, ngx_str_t *item)
{
    ngx_int_t  rc;

    /* limits have been applied when the item came in */

    list->json.max_nodes = item->len;

    rc = ngx_ors_json_read(&list->json, item->data, item->len);

    return (rc == NGX_OK && list->json.nodes->type != ngx_ors_json_object)
           ? NGX_DECLINED : rc;
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

    if (first) {
        ngx_ors_out_lit(out, "],\"first_id\":\"");
        ngx_ors_out_str(out, &first->id);
        ngx_ors_out_lit(out, "\",\"last_id\":\"");
        ngx_ors_out_str(out, &entry->id);
        ngx_ors_out_lit(out, "\"");

    } else {
        ngx_ors_out_lit(out, "],\"first_id\":null,\"last_id\":null");
    }

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

    return ngx_ors_error_param(err, param);
}


/*
 * An input item completed with the members that a listing requires.
 */


/*
 * The id of the item that is the root of "json", the inside of a JSON string:
 * its own, borrowed from the document; or one derived from its type, its turn
 * and its place there, in "buf", which has room for NGX_ORS_LISTING_ID bytes.
 */

static void
ngx_ors_listing_item_id(ngx_ors_json_t *json, ngx_str_t *owner,
    ngx_uint_t index, u_char *buf, ngx_str_t *id)
{
    u_char               *p, *q, *last;
    ngx_ors_item_row_t   *kind;
    ngx_ors_json_node_t  *node;

    node = ngx_ors_listing_own_id(json, json->nodes);

    if (node) {
        ngx_ors_json_raw(json, node, id);
        return;
    }

    kind = ngx_ors_listing_kind(json, json->nodes);

    p = ngx_cpymem(buf, kind->id.data, kind->id.len);
    *p++ = '_';

    last = owner->data + owner->len;

    q = ngx_strlchr(owner->data, last, '_');
    q = q ? q + 1 : owner->data;

    last = ngx_min(last, q + NGX_ORS_LISTING_OWNER);

    /* that of another server may have anything in it */

    for ( /* void */ ; q < last; q++) {
        if ((*q >= '0' && *q <= '9') || ((*q | 0x20) >= 'a'
                                         && (*q | 0x20) <= 'z'))
        {
            *p++ = *q;
        }
    }

    p = ngx_sprintf(p, "i%ui", index);

    id->data = buf;
    id->len = p - buf;
}


/* without a type, an item is a message */

static ngx_ors_item_row_t *
ngx_ors_listing_kind(ngx_ors_json_t *json, ngx_ors_json_node_t *item)
{
    ngx_ors_json_node_t  *type;

    type = ngx_ors_json_find(json, item, "type");

    return (type && type->type == ngx_ors_json_string)
           ? ngx_ors_item_row(json, type, 0)
           : &ngx_ors_items[ngx_ors_item_message];
}


static ngx_ors_json_node_t *
ngx_ors_listing_own_id(ngx_ors_json_t *json, ngx_ors_json_node_t *item)
{
    ngx_ors_json_node_t  *node;

    node = ngx_ors_json_find(json, item, "id");

    return (node && node->type == ngx_ors_json_string && node->len) ? node
                                                                    : NULL;
}


/*
 * Appends the root of "json", an item, with its type, with "id" and with a
 * status where it has none, its content as parts, and parts with all that
 * they have to have (protocol, section 8).  NGX_OK or NGX_ERROR: no memory.
 */

static ngx_int_t
ngx_ors_listing_item_render(ngx_ors_json_t *json, ngx_str_t *id,
    ngx_ors_out_t *out)
{
    ngx_ors_edits_t      edits;
    ngx_ors_item_row_t  *kind;

    ngx_ors_edits_init(&edits, json->pool);

    kind = ngx_ors_listing_kind(json, json->nodes);

    if (ngx_ors_listing_head(&edits, json, kind, id) != NGX_OK) {
        return NGX_ERROR;
    }

    if (kind == &ngx_ors_items[ngx_ors_item_message]
        && ngx_ors_listing_content(&edits, json) != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_ors_edits_write(&edits, json, ngx_ors_edit_start(json->nodes),
                        ngx_ors_edit_end(json->nodes), 1, out);

    return NGX_OK;
}


static ngx_int_t
ngx_ors_listing_head(ngx_ors_edits_t *edits, ngx_ors_json_t *json,
    ngx_ors_item_row_t *kind, ngx_str_t *id)
{
    ngx_int_t             rc;
    ngx_str_t             value, *type;
    ngx_ors_json_node_t  *node;

    static ngx_str_t  message = ngx_string("\"message\"");
    static ngx_str_t  reference = ngx_string("\"item_reference\"");
    static ngx_str_t  completed = ngx_string("\"completed\"");

    type = &message;

    if (kind == &ngx_ors_items[ngx_ors_item_message]
        && ngx_ors_json_find(json, json->nodes, "role") == NULL)
    {
        type = &reference;
    }

    if (ngx_ors_listing_missing(edits, json, json->nodes, "type", type)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (ngx_ors_listing_own_id(json, json->nodes) == NULL) {
        if (ngx_ors_str_printf(&value, edits->pool, "\"%V\"", id) != NGX_OK) {
            return NGX_ERROR;
        }

        /* one that is no string is replaced: pages go on from ids */

        node = ngx_ors_json_find(json, json->nodes, "id");

        rc = node ? ngx_ors_edits_value(edits, node, &value)
                  : ngx_ors_listing_missing(edits, json, json->nodes, "id",
                                            &value);
        if (rc != NGX_OK) {
            return NGX_ERROR;
        }
    }

    if (!kind->status || type == &reference) {
        return NGX_OK;
    }

    return ngx_ors_listing_missing(edits, json, json->nodes, "status",
                                   &completed);
}


/* a member that is absent, null or the empty string */

static ngx_int_t
ngx_ors_listing_missing(ngx_ors_edits_t *edits, ngx_ors_json_t *json,
    ngx_ors_json_node_t *object, const char *name, ngx_str_t *value)
{
    size_t                pos;
    ngx_str_t             text;
    ngx_uint_t            after;
    ngx_ors_json_node_t  *node;

    node = ngx_ors_json_get(json, object, (u_char *) name, ngx_strlen(name));

    if (node) {

        if (node->type == ngx_ors_json_null
            || (node->type == ngx_ors_json_string && node->len == 0))
        {
            return ngx_ors_edits_value(edits, node, value);
        }

        return NGX_OK;
    }

    pos = ngx_ors_edit_start(object) + 1;

    /* an object without members has the comma in front of the second one */

    after = (object->count == 0 && edits->n
             && edits->elts[edits->n - 1].pos == pos);

    if (ngx_ors_str_printf(&text, edits->pool, "%s\"%s\":%V%s",
                           after ? "," : "", name, value,
                           object->count ? "," : "")
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_ors_edits_add(edits, pos, 0, &text);
}


static ngx_int_t
ngx_ors_listing_content(ngx_ors_edits_t *edits, ngx_ors_json_t *json)
{
    ngx_ors_json_node_t  *role, *content, *part;

    content = ngx_ors_json_find(json, json->nodes, "content");

    if (content && content->type == ngx_ors_json_string) {
        role = ngx_ors_json_find(json, json->nodes, "role");

        return ngx_ors_listing_string(edits, content,
                                      ngx_ors_json_is(json, role,
                                                      "assistant"));
    }

    if (content && content->type == ngx_ors_json_object) {
        return NGX_OK;
    }

    ngx_ors_json_each(part, json, content) {
        if (ngx_ors_listing_part(edits, json, part) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/* the text itself stays where it is */

static ngx_int_t
ngx_ors_listing_string(ngx_ors_edits_t *edits, ngx_ors_json_node_t *content,
    ngx_uint_t assistant)
{
    ngx_str_t  *head, *tail;

    static ngx_str_t  input =
        ngx_string("[{\"type\":\"input_text\",\"text\":");
    static ngx_str_t  input_end = ngx_string("}]");
    static ngx_str_t  output =
        ngx_string("[{\"type\":\"output_text\",\"text\":");
    static ngx_str_t  output_end =
        ngx_string(",\"annotations\":[],\"logprobs\":[]}]");

    head = assistant ? &output : &input;
    tail = assistant ? &output_end : &input_end;

    if (ngx_ors_edits_add(edits, ngx_ors_edit_start(content), 0, head)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_ors_edits_add(edits, ngx_ors_edit_end(content), 0, tail);
}


static ngx_int_t
ngx_ors_listing_part(ngx_ors_edits_t *edits, ngx_ors_json_t *json,
    ngx_ors_json_node_t *part)
{
    ngx_ors_json_node_t  *type;

    static ngx_str_t  empty = ngx_string("[]");
    static ngx_str_t  automatic = ngx_string("\"auto\"");

    type = ngx_ors_json_find(json, part, "type");

    if (ngx_ors_json_is(json, type, "input_image")) {
        return ngx_ors_listing_missing(edits, json, part, "detail",
                                       &automatic);
    }

    if (!ngx_ors_json_is(json, type, "output_text")) {
        return NGX_OK;
    }

    if (ngx_ors_listing_missing(edits, json, part, "annotations", &empty)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_ors_listing_missing(edits, json, part, "logprobs", &empty);
}
