
/*
 * Copyright (C) Open Responses contributors
 */


/* Reasoning in the history, sent back to the server that it came from. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_items.h>


typedef struct {
    ngx_ors_chat_items_t   *in;
    ngx_uint_t              n;            /* texts so far */
} ngx_ors_chat_history_t;


static void ngx_ors_chat_thought_put(ngx_ors_chat_history_t *ct,
    ngx_str_t *text);
static ngx_uint_t ngx_ors_chat_same_thought(ngx_ors_chat_item_t *item,
    ngx_ors_chat_item_t *other);
static ngx_ors_json_node_t *ngx_ors_chat_thought_first(
    ngx_ors_chat_item_t *item, ngx_str_t *text);
static ngx_ors_json_node_t *ngx_ors_chat_thought_next(ngx_ors_json_t *json,
    ngx_ors_json_node_t *part, ngx_str_t *text);
static void ngx_ors_chat_thought_text(ngx_ors_json_t *json,
    ngx_ors_json_node_t *part, ngx_str_t *text);


void
ngx_ors_chat_history(ngx_ors_chat_items_t *ci, ngx_uint_t first,
    ngx_uint_t last)
{
    ngx_str_t                 text;
    ngx_uint_t                i;
    ngx_ors_chat_item_t      *item, *prev;
    ngx_ors_json_node_t      *part;
    ngx_ors_chat_history_t    ct;

    ct.in = ci;
    ct.n = 0;

    prev = NULL;

    for (i = first; i < last; i++) {
        item = &ci->items[i];

        if (item->kind != ngx_ors_chat_item_reasoning
            || (prev && ngx_ors_chat_same_thought(prev, item)))
        {
            continue;
        }

        prev = item;

        part = ngx_ors_chat_thought_first(item, &text);
        ngx_ors_chat_thought_put(&ct, &text);

        while (part) {
            part = ngx_ors_chat_thought_next(item->json, part, &text);
            ngx_ors_chat_thought_put(&ct, &text);
        }
    }

    if (ct.n) {
        ngx_ors_out_lit(ci->cc->out, "\"");
    }
}


static void
ngx_ors_chat_thought_put(ngx_ors_chat_history_t *ct, ngx_str_t *text)
{
    ngx_ors_out_t                 *out;
    const ngx_ors_chat_options_t  *options;

    if (text->len == 0) {
        return;
    }

    out = ct->in->cc->out;
    options = ct->in->cc->options;

    if (ct->n++) {
        ngx_ors_out_lit(out, "\\n");

    } else if (options->reasoning == ngx_ors_chat_reasoning_content) {
        ngx_ors_out_lit(out, ",\"reasoning_content\":\"");

    } else {
        ngx_ors_out_lit(out, ",\"reasoning\":\"");
    }

    ngx_ors_out_ref(out, text->data, text->len);
}


static ngx_uint_t
ngx_ors_chat_same_thought(ngx_ors_chat_item_t *item,
    ngx_ors_chat_item_t *other)
{
    ngx_str_t             text, again;
    ngx_ors_json_node_t  *part, *copy;

    part = ngx_ors_chat_thought_first(item, &text);
    copy = ngx_ors_chat_thought_first(other, &again);

    for ( ;; ) {

        if (text.len != again.len
            || (text.len
                && ngx_memcmp(text.data, again.data, text.len) != 0))
        {
            return 0;
        }

        if (part == NULL || copy == NULL) {
            return part == copy;
        }

        part = ngx_ors_chat_thought_next(item->json, part, &text);
        copy = ngx_ors_chat_thought_next(other->json, copy, &again);
    }
}


/*
 * The first text of an item, which has one.  Returns the part from which to
 * go on to the next one, or NULL if it was the last.
 */

static ngx_ors_json_node_t *
ngx_ors_chat_thought_first(ngx_ors_chat_item_t *item, ngx_str_t *text)
{
    ngx_ors_json_node_t  *list, *part;

    if (item->text.len) {
        *text = item->text;
        return NULL;
    }

    list = ngx_ors_input_node(item, item->content);
    part = ngx_ors_json_first(item->json, list);

    ngx_ors_chat_thought_text(item->json, part, text);

    return (part && part->next) ? part : NULL;
}


static ngx_ors_json_node_t *
ngx_ors_chat_thought_next(ngx_ors_json_t *json, ngx_ors_json_node_t *part,
    ngx_str_t *text)
{
    part = ngx_ors_json_next(json, part);

    ngx_ors_chat_thought_text(json, part, text);

    return (part && part->next) ? part : NULL;
}


static void
ngx_ors_chat_thought_text(ngx_ors_json_t *json, ngx_ors_json_node_t *part,
    ngx_str_t *text)
{
    ngx_ors_json_node_t  *node;

    node = ngx_ors_json_find(json, part, "text");

    if (node && node->type == ngx_ors_json_string) {
        ngx_ors_json_raw(json, node, text);

    } else {
        ngx_str_null(text);
    }
}
