
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Provider state: gathered from an answer, and written as text.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_options.h>
#include <ngx_ors_chat_state.h>
#include <ngx_ors_json_writer.h>
#include <ngx_ors_names.h>


/* elements that a piece may belong to, from the last one on */
#define NGX_ORS_CHAT_STATE_NEAR  16


/* members that say which element a piece is of, or that one is complete */

enum {
    ngx_ors_chat_st_type = 0,
    ngx_ors_chat_st_index,
    ngx_ors_chat_st_id,
    ngx_ors_chat_st_signature,
    ngx_ors_chat_st_data,
    ngx_ors_chat_st_n
};


typedef struct ngx_ors_chat_state_field_s  ngx_ors_chat_state_field_t;
typedef struct ngx_ors_chat_state_element_s  ngx_ors_chat_state_element_t;


/* a member of an element */

struct ngx_ors_chat_state_field_s {
    ngx_str_t                      name;  /* inside of a JSON string */
    ngx_str_t                      value; /* JSON, empty: "text" */
    ngx_ors_text_t                 text;  /* inside of a JSON string */
    ngx_ors_chat_state_field_t    *next;
};


/* an object in a list that comes in pieces */

struct ngx_ors_chat_state_element_s {
    ngx_ors_chat_state_field_t    *first;
    ngx_ors_chat_state_field_t    *last;
    ngx_uint_t                     n;     /* fields */
    ngx_uint_t                     complete;
    ngx_ors_chat_state_element_t  *prev;
    ngx_ors_chat_state_element_t  *next;
};


struct ngx_ors_chat_state_member_s {
    const ngx_str_t               *name;
    ngx_ors_item_t                *call;  /* NULL: of the message */
    ngx_str_t                      value; /* JSON, empty: "first" */
    ngx_ors_chat_state_element_t  *first;
    ngx_ors_chat_state_element_t  *last;
    ngx_uint_t                     n;     /* elements */
    ngx_ors_chat_state_member_t   *next;
};


static ngx_int_t ngx_ors_chat_state_piece(ngx_ors_chat_state_t *state,
    ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    ngx_ors_chat_state_member_t *member);
static ngx_ors_chat_state_element_t *ngx_ors_chat_state_element(
    ngx_ors_json_t *json, ngx_ors_json_node_t **part,
    ngx_ors_chat_state_member_t *member);
static ngx_uint_t ngx_ors_chat_state_same(ngx_ors_json_t *json,
    ngx_ors_json_node_t *node, ngx_uint_t i,
    ngx_ors_chat_state_element_t *element);
static ngx_ors_chat_state_field_t *ngx_ors_chat_state_find(
    ngx_ors_chat_state_element_t *element, const ngx_str_t *name);
static ngx_int_t ngx_ors_chat_state_field(ngx_ors_chat_state_t *state,
    ngx_ors_json_t *json, ngx_ors_json_node_t *key,
    ngx_ors_chat_state_element_t *element);
static ngx_int_t ngx_ors_chat_state_copy(ngx_ors_chat_state_t *state,
    ngx_str_t *to, ngx_str_t *from);
static ngx_uint_t ngx_ors_chat_state_grow(ngx_ors_chat_state_t *state,
    size_t len);
static void ngx_ors_chat_state_raw(ngx_ors_json_t *json,
    ngx_ors_json_node_t *node, ngx_str_t *raw);
static void ngx_ors_chat_state_members(ngx_ors_chat_state_t *state,
    ngx_ors_item_t *call, ngx_ors_out_t *out);
static void ngx_ors_chat_state_list(ngx_ors_chat_state_member_t *member,
    ngx_ors_out_t *out);


static const ngx_str_t  ngx_ors_chat_state_keys[] = {
    ngx_string("type"),
    ngx_string("index"),
    ngx_string("id"),
    ngx_string("signature"),
    ngx_string("data"),
    ngx_null_string
};


/* strings of an element that come in pieces */

static const ngx_str_t  ngx_ors_chat_state_texts[] = {
    ngx_string("text"),
    ngx_string("summary"),
    ngx_string("thinking"),
    ngx_null_string
};


ngx_int_t
ngx_ors_chat_state_add(ngx_ors_chat_state_t *state, ngx_ors_json_t *json,
    ngx_ors_json_node_t *object, ngx_ors_item_t *call, ngx_uint_t whole)
{
    ngx_str_t                     raw;
    ngx_uint_t                    i;
    ngx_ors_json_node_t          *element, *node[NGX_ORS_CHAT_STATES];
    ngx_ors_chat_state_member_t  *member;

    if (state->failed) {
        return NGX_OK;
    }

    ngx_ors_json_members(json, object, ngx_ors_chat_states, node);

    for (i = 0; i < NGX_ORS_CHAT_STATES; i++) {

        if (node[i] == NULL || !(state->names & 1 << i)) {
            continue;
        }

        for (member = state->members; member; member = member->next) {
            if (member->call == call
                && member->name == &ngx_ors_chat_states[i])
            {
                break;
            }
        }

        if (member == NULL) {
            member = ngx_pcalloc(state->pool,
                                 sizeof(ngx_ors_chat_state_member_t));
            if (member == NULL) {
                return NGX_ERROR;
            }

            member->name = &ngx_ors_chat_states[i];
            member->call = call;
            member->next = state->members;

            state->members = member;
        }

        if (whole || node[i]->type != ngx_ors_json_array) {
            ngx_ors_chat_state_raw(json, node[i], &raw);

            if (ngx_ors_chat_state_copy(state, &member->value, &raw) != NGX_OK)
            {
                return NGX_ERROR;
            }

            continue;
        }

        for (element = ngx_ors_json_first(json, node[i]);
             element && !state->failed;
             element = ngx_ors_json_next(json, element))
        {
            if (element->type == ngx_ors_json_object
                && ngx_ors_chat_state_piece(state, json, element, member)
                   != NGX_OK)
            {
                return NGX_ERROR;
            }
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_chat_state_piece(ngx_ors_chat_state_t *state, ngx_ors_json_t *json,
    ngx_ors_json_node_t *node, ngx_ors_chat_state_member_t *member)
{
    ngx_uint_t                     i;
    ngx_ors_json_node_t           *key, *part[ngx_ors_chat_st_n];
    ngx_ors_chat_state_element_t  *element;

    ngx_ors_json_members(json, node, ngx_ors_chat_state_keys, part);

    element = ngx_ors_chat_state_element(json, part, member);

    if (element == NULL) {

        if (member->n++ == NGX_ORS_CHAT_STATE_ELEMENTS) {
            state->failed = 1;
            return NGX_OK;
        }

        element = ngx_pcalloc(state->pool,
                              sizeof(ngx_ors_chat_state_element_t));
        if (element == NULL) {
            return NGX_ERROR;
        }

        element->prev = member->last;

        if (member->last) {
            member->last->next = element;

        } else {
            member->first = element;
        }

        member->last = element;
    }

    for (i = ngx_ors_chat_st_signature; i < ngx_ors_chat_st_n; i++) {

        if (part[i] && part[i]->type == ngx_ors_json_string && part[i]->len) {
            element->complete = 1;
        }
    }

    for (key = ngx_ors_json_first(json, node);
         key && !state->failed;
         key = ngx_ors_json_next(json, key))
    {
        if (ngx_ors_chat_state_field(state, json, key, element) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/*
 * The element that a piece goes on with, or NULL: without an index it can only
 * be the last one
 */

static ngx_ors_chat_state_element_t *
ngx_ors_chat_state_element(ngx_ors_json_t *json, ngx_ors_json_node_t **part,
    ngx_ors_chat_state_member_t *member)
{
    ngx_uint_t                     i, n;
    ngx_ors_chat_state_element_t  *element;

    n = part[ngx_ors_chat_st_index] ? NGX_ORS_CHAT_STATE_NEAR : 1;

    for (element = member->last; element && n; element = element->prev, n--) {

        for (i = element->complete ? ngx_ors_chat_st_n : 0;
             i < ngx_ors_chat_st_signature;
             i++)
        {
            if (!ngx_ors_chat_state_same(json, part[i], i, element)) {
                break;
            }
        }

        if (i == ngx_ors_chat_st_signature) {
            return element;
        }
    }

    return NULL;
}


/* an id may be in one of the pieces only */

static ngx_uint_t
ngx_ors_chat_state_same(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    ngx_uint_t i, ngx_ors_chat_state_element_t *element)
{
    ngx_str_t                    raw;
    ngx_ors_chat_state_field_t  *field;

    field = ngx_ors_chat_state_find(element, &ngx_ors_chat_state_keys[i]);

    if (node == NULL || field == NULL) {
        return i == ngx_ors_chat_st_id || (node == NULL && field == NULL);
    }

    ngx_ors_chat_state_raw(json, node, &raw);

    return ngx_ors_same(&raw, &field->value);
}


static ngx_ors_chat_state_field_t *
ngx_ors_chat_state_find(ngx_ors_chat_state_element_t *element,
    const ngx_str_t *name)
{
    ngx_ors_chat_state_field_t  *field;

    for (field = element->first; field; field = field->next) {
        if (ngx_ors_same(&field->name, name)) {
            break;
        }
    }

    return field;
}


/* a text is appended to what there is; of others the last one counts */

static ngx_int_t
ngx_ors_chat_state_field(ngx_ors_chat_state_t *state, ngx_ors_json_t *json,
    ngx_ors_json_node_t *key, ngx_ors_chat_state_element_t *element)
{
    ngx_str_t                    name, raw;
    ngx_ors_json_node_t         *value;
    ngx_ors_chat_state_field_t  *field;

    value = key + 1;

    ngx_ors_json_raw(json, key, &name);
    ngx_ors_chat_state_raw(json, value, &raw);

    field = ngx_ors_chat_state_find(element, &name);

    if (field == NULL) {

        if (element->n++ == NGX_ORS_CHAT_STATE_FIELDS) {
            state->failed = 1;
            return NGX_OK;
        }

        field = ngx_pcalloc(state->pool, sizeof(ngx_ors_chat_state_field_t));

        if (field == NULL
            || ngx_ors_chat_state_copy(state, &field->name, &name) != NGX_OK)
        {
            return NGX_ERROR;
        }

        if (element->last) {
            element->last->next = field;

        } else {
            element->first = field;
        }

        element->last = field;

    } else if (value->type == ngx_ors_json_null
               || (value->type == ngx_ors_json_string && value->len == 0)
               || ngx_ors_same(&field->value, &raw))
    {
        return NGX_OK;
    }

    if (value->type != ngx_ors_json_string
        || ngx_ors_json_name(json, key, ngx_ors_chat_state_texts)->len == 0)
    {
        return ngx_ors_chat_state_copy(state, &field->value, &raw);
    }

    ngx_str_null(&field->value);

    return ngx_ors_chat_state_grow(state, raw.len)
           ? ngx_ors_text_append(&field->text, state->pool, raw.data + 1,
                                 raw.len - 2)
           : NGX_OK;
}


static ngx_int_t
ngx_ors_chat_state_copy(ngx_ors_chat_state_t *state, ngx_str_t *to,
    ngx_str_t *from)
{
    if (!ngx_ors_chat_state_grow(state, from->len)) {
        return NGX_OK;
    }

    to->len = from->len;
    to->data = ngx_pstrdup(state->pool, from);

    return to->data ? NGX_OK : NGX_ERROR;
}


/* 0: it is too large then */

static ngx_uint_t
ngx_ors_chat_state_grow(ngx_ors_chat_state_t *state, size_t len)
{
    state->size += len;
    state->failed |= (state->size > NGX_ORS_CHAT_STATE_MAX);

    return !state->failed;
}


/* the JSON of a value, the quotes of a string with it */

static void
ngx_ors_chat_state_raw(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    ngx_str_t *raw)
{
    ngx_ors_json_raw(json, node, raw);

    if (node->type == ngx_ors_json_string) {
        raw->data--;
        raw->len += 2;
    }
}


ngx_int_t
ngx_ors_chat_state_put(ngx_ors_chat_state_t *state, ngx_str_t *provider,
    ngx_ors_item_t *first, ngx_ors_out_t *out)
{
    ngx_ors_item_t  *item;

    if (state->members == NULL || state->failed) {
        return NGX_DECLINED;
    }

    ngx_ors_out_lit(out, "{");
    ngx_ors_json_quote(out, provider->data, provider->len);
    ngx_ors_out_lit(out, ":{\"\":{");
    ngx_ors_chat_state_members(state, NULL, out);
    ngx_ors_out_lit(out, "}");

    for (item = first; item; item = item->next) {

        if (item->dropped || !ngx_ors_item_is_call(item)) {
            continue;
        }

        ngx_ors_out_lit(out, ",\"");
        ngx_ors_out_str(out, &item->call_id);
        ngx_ors_out_lit(out, "\":{");
        ngx_ors_chat_state_members(state, item, out);
        ngx_ors_out_lit(out, "}");
    }

    ngx_ors_out_lit(out, "}}");

    return NGX_OK;
}


static void
ngx_ors_chat_state_members(ngx_ors_chat_state_t *state, ngx_ors_item_t *call,
    ngx_ors_out_t *out)
{
    ngx_uint_t                    n;
    ngx_ors_chat_state_member_t  *member;

    n = 0;

    for (member = state->members; member; member = member->next) {

        if (member->call != call) {
            continue;
        }

        if (n++) {
            ngx_ors_out_lit(out, ",");
        }

        ngx_ors_out_lit(out, "\"");
        ngx_ors_out_copy(out, member->name->data, member->name->len);
        ngx_ors_out_lit(out, "\":");

        if (member->value.len) {
            ngx_ors_out_str(out, &member->value);

        } else {
            ngx_ors_chat_state_list(member, out);
        }
    }
}


static void
ngx_ors_chat_state_list(ngx_ors_chat_state_member_t *member,
    ngx_ors_out_t *out)
{
    ngx_ors_chat_state_field_t    *field;
    ngx_ors_chat_state_element_t  *element;

    ngx_ors_out_lit(out, "[");

    for (element = member->first; element; element = element->next) {

        ngx_ors_out_lit(out, "{");

        for (field = element->first; field; field = field->next) {
            ngx_ors_out_lit(out, "\"");
            ngx_ors_out_str(out, &field->name);
            ngx_ors_out_lit(out, "\":");

            if (field->value.len) {
                ngx_ors_out_str(out, &field->value);

            } else {
                ngx_ors_out_lit(out, "\"");
                ngx_ors_text_put(out, &field->text);
                ngx_ors_out_lit(out, "\"");
            }

            if (field->next) {
                ngx_ors_out_lit(out, ",");
            }
        }

        ngx_ors_out_lit(out, "}");

        if (element->next) {
            ngx_ors_out_lit(out, ",");
        }
    }

    ngx_ors_out_lit(out, "]");
}
