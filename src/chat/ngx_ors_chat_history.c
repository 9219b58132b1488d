
/*
 * Copyright (C) Open Responses contributors
 */


/* Reasoning in the history, sent back to the server that it came from. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_items.h>
#include <ngx_ors_names.h>


static ngx_uint_t ngx_ors_chat_same_thought(ngx_ors_chat_item_t *item,
    ngx_ors_chat_item_t *other);
static ngx_uint_t ngx_ors_chat_thought(ngx_ors_chat_item_t *item, ngx_uint_t n,
    ngx_ors_json_node_t **part, ngx_str_t *text);


void
ngx_ors_chat_history(ngx_ors_chat_items_t *ci, ngx_uint_t first,
    ngx_uint_t last)
{
    ngx_str_t             text;
    ngx_uint_t            i, n, texts;
    ngx_ors_out_t        *out;
    ngx_ors_json_node_t  *part;
    ngx_ors_chat_item_t  *item, *prev;

    out = ci->cc->out;

    prev = NULL;
    texts = 0;

    for (i = first; i < last; i++) {
        item = &ci->items[i];

        if (item->kind != ngx_ors_chat_item_reasoning
            || (prev && ngx_ors_chat_same_thought(prev, item)))
        {
            continue;
        }

        prev = item;

        for (n = 0; ngx_ors_chat_thought(item, n, &part, &text); n++) {

            if (text.len == 0) {
                continue;
            }

            if (texts++) {
                ngx_ors_out_lit(out, "\\n");

            } else if (ci->cc->options->reasoning
                       == ngx_ors_chat_reasoning_content)
            {
                ngx_ors_out_lit(out, ",\"reasoning_content\":\"");

            } else {
                ngx_ors_out_lit(out, ",\"reasoning\":\"");
            }

            ngx_ors_out_ref(out, text.data, text.len);
        }
    }

    if (texts) {
        ngx_ors_out_lit(out, "\"");
    }
}


static ngx_uint_t
ngx_ors_chat_same_thought(ngx_ors_chat_item_t *item,
    ngx_ors_chat_item_t *other)
{
    ngx_str_t             text, again;
    ngx_uint_t            n, more;
    ngx_ors_json_node_t  *part, *copy;

    for (n = 0; /* void */ ; n++) {
        more = ngx_ors_chat_thought(item, n, &part, &text);

        if (ngx_ors_chat_thought(other, n, &copy, &again) != more) {
            return 0;
        }

        if (!more) {
            return 1;
        }

        if (!ngx_ors_same(&text, &again)) {
            return 0;
        }
    }
}


/*
 * 1 and text "n" of an item, or 0: it has no more.  "*part" is where the text
 * is, and is kept from one call to the next
 */

static ngx_uint_t
ngx_ors_chat_thought(ngx_ors_chat_item_t *item, ngx_uint_t n,
    ngx_ors_json_node_t **part, ngx_str_t *text)
{
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *list;

    if (item->text.len) {
        *text = item->text;
        return n == 0;
    }

    json = item->json;
    list = ngx_ors_input_node(item, item->content);

    *part = n ? ngx_ors_json_next(json, *part) : ngx_ors_json_first(json, list);

    ngx_ors_json_inner(json, ngx_ors_json_find(json, *part, "text"), text);

    return *part != NULL;
}
