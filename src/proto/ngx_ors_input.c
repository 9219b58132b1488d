
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The items of an input: one walk over them finds kinds and members.  Then
 * their entries in an index, and the secrets that are cut out.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_book.h>
#include <ngx_ors_input.h>


/* the row after the last member */
#define NGX_ORS_INPUT_NONE  14

/* items in front of an output where its call is looked for without an index */
#define NGX_ORS_INPUT_NEAR  16


#define ngx_ors_input_member(name, field)                                     \
    { ngx_string(name), offsetof(ngx_ors_input_item_t, field) }


#define ngx_ors_item_book(name, as, id, status, kind, in)                     \
    { ngx_string(#name), ngx_string(NGX_ORS_HOSTED_SLUG #name),               \
      ngx_string(#id), status, ngx_ors_input_##kind },


typedef struct {
    ngx_str_t        name;
    size_t           offset;      /* in ngx_ors_input_item_t */
} ngx_ors_input_member_t;


static ngx_inline const ngx_ors_input_member_t *ngx_ors_input_find(
    ngx_ors_json_t *json, ngx_ors_json_node_t *key);
static ngx_ors_input_e ngx_ors_input_kind(ngx_ors_input_item_t *item,
    ngx_ors_json_t *json);
static ngx_uint_t ngx_ors_input_near(ngx_ors_input_calls_t *calls,
    ngx_uint_t i, ngx_str_t *id);
static ngx_uint_t ngx_ors_input_is_called(ngx_ors_input_item_t *item);
static ngx_uint_t ngx_ors_input_flags(ngx_ors_input_item_t *in);
static ngx_uint_t ngx_ors_secrets_mcp(ngx_ors_json_t *json,
    ngx_ors_json_node_t *tool);
static ngx_int_t ngx_ors_secrets_container(ngx_ors_edits_t *edits,
    ngx_ors_json_t *json, ngx_ors_json_node_t *container);


/* by length; a list ends with an empty name */

static const ngx_ors_input_member_t  ngx_ors_input_members[] = {
    ngx_ors_input_member("id", id),
    ngx_ors_input_member("type", type),
    ngx_ors_input_member("role", role),
    ngx_ors_input_member("name", name),
    ngx_ors_input_member("input", input),
    ngx_ors_input_member("tools", tools),
    ngx_ors_input_member("output", output),
    ngx_ors_input_member("status", status),
    ngx_ors_input_member("content", content),
    ngx_ors_input_member("call_id", call_id),
    ngx_ors_input_member("summary", summary),
    ngx_ors_input_member("arguments", arguments),
    ngx_ors_input_member("namespace", space),
    ngx_ors_input_member("encrypted_content", encrypted),
    { ngx_null_string, 0 }
};


/* where the names of a length begin */

static const u_char  ngx_ors_input_lengths[] = {
    14, 14, 0, 14, 1, 4, 6, 8, 14, 11, 14, 14, 14, 14, 14, 14, 14, 13
};

static ngx_str_t  ngx_ors_secrets_null = ngx_string("null");


ngx_ors_item_row_t  ngx_ors_items[] = {
    NGX_ORS_ITEMS(ngx_ors_item_book)
    NGX_ORS_ITEMS_INPUT(ngx_ors_item_book)
    { ngx_null_string, ngx_null_string, ngx_string("item"), 0,
      ngx_ors_input_other }
};


ngx_int_t
ngx_ors_input_read(ngx_ors_input_t *input, ngx_ors_json_t *json,
    ngx_ors_json_node_t *list, ngx_pool_t *pool)
{
    ngx_ors_json_node_t  *node;

    if (input->items) {
        (void) ngx_pfree(pool, input->items);
        input->items = NULL;
        input->n = 0;
    }

    if (list == NULL || list->type != ngx_ors_json_array || list->count == 0) {
        return NGX_OK;
    }

    input->items = ngx_palloc(pool,
                              list->count * sizeof(ngx_ors_input_item_t));
    if (input->items == NULL) {
        return NGX_ERROR;
    }

    ngx_ors_json_each(node, json, list) {
        ngx_ors_input_item(&input->items[input->n++], json, node);
    }

    return NGX_OK;
}


void
ngx_ors_input_item(ngx_ors_input_item_t *item, ngx_ors_json_t *json,
    ngx_ors_json_node_t *node)
{
    ngx_ors_json_node_t           *key;
    const ngx_ors_input_member_t  *member;

    ngx_memzero(item, sizeof(ngx_ors_input_item_t));

    item->json = json;
    item->node = node - json->nodes;

    ngx_ors_json_each(key, json, node) {
        member = ngx_ors_input_find(json, key);

        if (member->name.len && key[1].type != ngx_ors_json_null) {
            *(uint32_t *) ((u_char *) item + member->offset)
                                                    = key + 1 - json->nodes;
        }
    }

    item->kind = ngx_ors_input_kind(item, json);
}


/* the last row, which has no name, if the key is none of them */

static ngx_inline const ngx_ors_input_member_t *
ngx_ors_input_find(ngx_ors_json_t *json, ngx_ors_json_node_t *key)
{
    u_char                        *p;
    size_t                         len;
    const ngx_ors_input_member_t  *member;

    if (key->escaped) {
        member = ngx_ors_input_members;

        while (member->name.len
               && !ngx_ors_json_equal(json, key, member->name.data,
                                      member->name.len))
        {
            member++;
        }

        return member;
    }

    p = ngx_ors_json_text(json, key);
    len = key->len;

    member = &ngx_ors_input_members[(len < sizeof(ngx_ors_input_lengths))
                                    ? ngx_ors_input_lengths[len]
                                    : NGX_ORS_INPUT_NONE];

    while (member->name.len) {

        if (member->name.len != len) {
            return &ngx_ors_input_members[NGX_ORS_INPUT_NONE];
        }

        if (ngx_ors_same_bytes(member->name.data, p, len)) {
            break;
        }

        member++;
    }

    return member;
}


/*
 * Without a type, an item with a role is a message: an id is a reference.  A
 * type that is not in the book is a call if it looks like one.
 */

static ngx_ors_input_e
ngx_ors_input_kind(ngx_ors_input_item_t *item, ngx_ors_json_t *json)
{
    ngx_str_t             text;
    ngx_ors_item_row_t   *row;
    ngx_ors_json_node_t  *type, *arguments;

    type = ngx_ors_input_node(item, item->type);

    if (type == NULL || type->type != ngx_ors_json_string) {
        return item->role ? ngx_ors_input_message : ngx_ors_input_reference;
    }

    row = ngx_ors_item_row(json, type, 1);
    arguments = ngx_ors_input_node(item, item->arguments);

    if (row->name.len == 0 && arguments
        && arguments->type == ngx_ors_json_string)
    {
        ngx_ors_json_raw(json, type, &text);

        if (ngx_ors_item_tool(&text) == NGX_OK) {
            return ngx_ors_input_own;
        }
    }

    return row->kind;
}


ngx_int_t
ngx_ors_item_tool(ngx_str_t *type)
{
    size_t   len;
    u_char  *p, *last;

    len = sizeof("_call") - 1;

    if (type->len <= len) {
        return NGX_DECLINED;
    }

    last = type->data + type->len - len;

    if (ngx_memcmp(last, "_call", len) != 0) {
        return NGX_DECLINED;
    }

    p = ngx_strlchr(type->data, last, ':');
    p = p ? p + 1 : type->data;

    type->len = last - p;
    type->data = p;

    return type->len ? NGX_OK : NGX_DECLINED;
}


ngx_ors_item_row_t *
ngx_ors_item_row(ngx_ors_json_t *json, ngx_ors_json_node_t *type,
    ngx_uint_t slug)
{
    ngx_ors_item_row_t  *row;

    for (row = ngx_ors_items; row->name.len; row++) {

        if ((type->escaped || type->len == row->name.len)
            && ngx_ors_json_equal(json, type, row->name.data, row->name.len))
        {
            break;
        }

        if (slug && row->kind >= ngx_ors_input_mcp_list
            && ngx_ors_json_equal(json, type, row->slugged.data,
                                  row->slugged.len))
        {
            break;
        }
    }

    return row;
}


ngx_int_t
ngx_ors_input_called(ngx_ors_input_calls_t *calls, ngx_uint_t i, ngx_str_t *id,
    ngx_uint_t *n)
{
    ngx_str_t              call_id;
    ngx_uint_t             j, count;
    ngx_ors_name_t        *name;
    ngx_ors_input_item_t  *item;

    *n = ngx_ors_input_near(calls, i, id);

    if (*n) {
        return NGX_OK;
    }

    if (calls->names.nslots == 0) {

        for (j = 0, count = 0; j < calls->input->n; j++) {
            count += ngx_ors_input_is_called(&calls->input->items[j]);
        }

        if (ngx_ors_names_reserve(&calls->names, calls->pool, count)
            != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    for ( /* void */ ; calls->nindexed < i; calls->nindexed++) {
        item = &calls->input->items[calls->nindexed];

        if (!ngx_ors_input_is_called(item)) {
            continue;
        }

        if (ngx_ors_json_decoded(item->json,
                                 ngx_ors_input_node(item, item->call_id),
                                 calls->pool, &call_id)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        name = ngx_ors_names_entry(&calls->names, calls->pool, &call_id);
        if (name == NULL) {
            return NGX_ERROR;
        }

        name->value = calls->nindexed + 1;
    }

    name = ngx_ors_names_find(&calls->names, id);
    *n = name ? name->value : 0;

    return NGX_OK;
}


/* most calls are close to their outputs */

static ngx_uint_t
ngx_ors_input_near(ngx_ors_input_calls_t *calls, ngx_uint_t i, ngx_str_t *id)
{
    ngx_uint_t             last;
    ngx_ors_input_item_t  *item;

    last = (i > NGX_ORS_INPUT_NEAR) ? i - NGX_ORS_INPUT_NEAR : 0;

    for ( /* void */ ; i > last; i--) {
        item = &calls->input->items[i - 1];

        if (ngx_ors_input_is_called(item)
            && ngx_ors_json_equal(item->json,
                                  ngx_ors_input_node(item, item->call_id),
                                  id->data, id->len))
        {
            return i;
        }
    }

    return 0;
}


static ngx_uint_t
ngx_ors_input_is_called(ngx_ors_input_item_t *item)
{
    return item->call_id && (item->kind == ngx_ors_input_call
                             || item->kind == ngx_ors_input_custom_call
                             || item->kind == ngx_ors_input_search_call
                             || ngx_ors_input_is_output(item));
}


void
ngx_ors_input_index(ngx_ors_index_t *index, ngx_ors_input_item_t *in,
    ngx_ors_edits_t *edits, size_t pos)
{
    size_t                 start, end, place;
    ngx_ors_json_node_t   *node;
    ngx_ors_index_item_t  *item;

    item = ngx_ors_index_add(index);
    if (item == NULL) {
        return;
    }

    node = ngx_ors_input_object(in);

    start = ngx_ors_edit_start(node);
    end = ngx_ors_edit_end(node);

    item->pos = (uint32_t) pos;
    item->len = (uint32_t) ngx_ors_edits_size(edits, start, end);
    item->flags = ngx_ors_input_flags(in);

    node = ngx_ors_input_node(in, in->id);

    if (node == NULL || node->type != ngx_ors_json_string || node->len == 0
        || ngx_ors_edits_place(edits, start, node->pos,
                               (size_t) node->pos + node->len, &place)
           != NGX_OK)
    {
        return;
    }

    item->id = (uint32_t) place;
    item->id_len = node->len;
}


void
ngx_ors_input_index_list(ngx_ors_index_t *index, ngx_ors_json_t *json,
    ngx_ors_json_node_t *list, ngx_ors_edits_t *edits)
{
    ngx_ors_json_node_t   *node;
    ngx_ors_input_item_t   in;

    ngx_ors_json_each(node, json, list) {
        ngx_ors_input_item(&in, json, node);

        ngx_ors_input_index(index, &in, edits,
                           ngx_ors_edit_start(node) - list->pos);
    }
}


static ngx_uint_t
ngx_ors_input_flags(ngx_ors_input_item_t *in)
{
    ngx_str_t             text;
    ngx_uint_t            i, flags;
    ngx_ors_json_node_t  *role;

    static ngx_str_t  suffixes[] = {
        ngx_string("_output"),
        ngx_string("_approval_response")
    };

    flags = (in->kind == ngx_ors_input_approval) ? NGX_ORS_INDEX_ASK : 0;
    role = ngx_ors_input_node(in, in->role);

    if (ngx_ors_json_is(in->json, role, "system")
        || ngx_ors_json_is(in->json, role, "developer"))
    {
        flags |= NGX_ORS_INDEX_RULE;
    }

    ngx_ors_json_raw(in->json, ngx_ors_input_node(in, in->type), &text);

    for (i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {

        if (text.len > suffixes[i].len
            && ngx_memcmp(text.data + text.len - suffixes[i].len,
                          suffixes[i].data, suffixes[i].len)
               == 0)
        {
            flags |= NGX_ORS_INDEX_ANSWER;
        }
    }

    return flags;
}


void
ngx_ors_input_index_text(ngx_ors_index_t *index, size_t pos, size_t len)
{
    ngx_ors_index_item_t  *item;

    item = index ? ngx_ors_index_add(index) : NULL;

    if (item) {
        item->pos = (uint32_t) pos;
        item->len = (uint32_t) len;
    }
}


/*
 * Members of a request that hold credentials, cut out of what is stored and
 * echoed.
 */


ngx_int_t
ngx_ors_secrets_input(ngx_ors_edits_t *edits, ngx_ors_json_t *json,
    ngx_ors_input_t *input)
{
    ngx_uint_t             i;
    ngx_ors_input_item_t  *item;

    for (i = 0; i < input->n; i++) {
        item = &input->items[i];

        /* those of stored turns have been cut when they were stored */

        if (item->json == json
            && ngx_ors_secrets_tools(edits, json,
                                     ngx_ors_input_node(item, item->tools))
               != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


ngx_int_t
ngx_ors_secrets_tools(ngx_ors_edits_t *edits, ngx_ors_json_t *json,
    ngx_ors_json_node_t *tools)
{
    ngx_ors_json_node_t  *tool;

    ngx_ors_json_each(tool, json, tools) {
        if (ngx_ors_secrets_tool(edits, json, tool) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


ngx_int_t
ngx_ors_secrets_tool(ngx_ors_edits_t *edits, ngx_ors_json_t *json,
    ngx_ors_json_node_t *tool)
{
    ngx_int_t             rc;
    ngx_uint_t            mcp;
    ngx_ors_json_node_t  *key;

    if (tool->type != ngx_ors_json_object) {
        return NGX_OK;
    }

    mcp = ngx_ors_secrets_mcp(json, tool);

    ngx_ors_json_each(key, json, tool) {
        rc = NGX_OK;

        if (mcp && (ngx_ors_json_is(json, key, "authorization")
                    || ngx_ors_json_is(json, key, "headers")))
        {
            rc = ngx_ors_edits_value(edits, key + 1, &ngx_ors_secrets_null);

        } else if (ngx_ors_json_is(json, key, "tools")) {
            rc = ngx_ors_secrets_tools(edits, json, key + 1);

        } else if (ngx_ors_json_is(json, key, "container")
                   || ngx_ors_json_is(json, key, "environment"))
        {
            rc = ngx_ors_secrets_container(edits, json, key + 1);
        }

        if (rc != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/* 1: of type "mcp"; a type that comes twice may be another as well */

static ngx_uint_t
ngx_ors_secrets_mcp(ngx_ors_json_t *json, ngx_ors_json_node_t *tool)
{
    ngx_ors_json_node_t  *key;

    ngx_ors_json_each(key, json, tool) {
        if (ngx_ors_json_is(json, key, "type")
            && ngx_ors_json_is(json, key + 1, "mcp"))
        {
            return 1;
        }
    }

    return 0;
}


/* secrets that a container of a shell or an interpreter sends to hosts */

static ngx_int_t
ngx_ors_secrets_container(ngx_ors_edits_t *edits, ngx_ors_json_t *json,
    ngx_ors_json_node_t *container)
{
    ngx_ors_json_node_t  *node;

    node = ngx_ors_json_find(json, container, "network_policy");
    node = ngx_ors_json_find(json, node, "domain_secrets");

    return node ? ngx_ors_edits_value(edits, node, &ngx_ors_secrets_null)
                : NGX_OK;
}
