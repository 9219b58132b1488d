
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Output items and parts as JSON text.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_hosted.h>
#include <ngx_ors_item.h>


static void ngx_ors_item_call(ngx_ors_out_t *out, ngx_ors_item_t *item,
    ngx_uint_t empty);
static void ngx_ors_item_search(ngx_ors_out_t *out, ngx_ors_item_t *item,
    ngx_uint_t empty);
static void ngx_ors_item_parts(ngx_ors_out_t *out, ngx_ors_item_t *item);


#define ngx_ors_item_part_head(type, event, text, ...)                        \
    ngx_string("{\"type\":\"" #type "\",\"" #text "\":\""),


static ngx_str_t  ngx_ors_item_statuses[] = {
    ngx_string("in_progress"),
    ngx_null_string,
    ngx_string("completed"),
    ngx_string("incomplete"),
    ngx_string("failed")
};


ngx_str_t *
ngx_ors_item_status(ngx_ors_item_t *item)
{
    return (item->status == ngx_ors_item_busy)
           ? ngx_ors_hosted_busy(item->type)
           : &ngx_ors_item_statuses[item->status];
}


size_t
ngx_ors_item_id(ngx_ors_item_t *item)
{
    size_t  len;

    len = sizeof("{\"type\":\"\",\"id\":\"") - 1
          + ngx_ors_item_type(item->type)->len;

    if (item->hosted && item->hosted->prefixed) {
        len += sizeof(NGX_ORS_HOSTED_SLUG) - 1;
    }

    return len;
}


void
ngx_ors_item_render(ngx_ors_out_t *out, ngx_ors_item_t *item,
    ngx_uint_t empty)
{
    if (item->hosted) {
        ngx_ors_hosted_render(out, item, empty);
        return;
    }

    ngx_ors_out_lit(out, "{\"type\":\"");
    ngx_ors_out_str(out, ngx_ors_item_type(item->type));
    ngx_ors_out_lit(out, "\",\"id\":\"");
    ngx_ors_out_str(out, &item->id);
    ngx_ors_out_lit(out, "\",\"status\":\"");
    ngx_ors_out_str(out, ngx_ors_item_status(item));

    switch (item->type) {

    case ngx_ors_item_message:
        ngx_ors_out_lit(out, "\",\"role\":\"assistant\",\"content\":[");

        if (!empty) {
            ngx_ors_item_parts(out, item);
        }

        ngx_ors_out_lit(out, "]}");
        break;

    case ngx_ors_item_function_call:
    case ngx_ors_item_custom_call:
        ngx_ors_item_call(out, item, empty);
        break;

    case ngx_ors_item_search_call:
        ngx_ors_item_search(out, item, empty);
        break;

    case ngx_ors_item_reasoning:
        ngx_ors_out_lit(out, "\",\"summary\":[");

        if (!empty) {

            /* its parts are all of one kind, as the operator chose */

            if (item->parts
                && item->parts->type == ngx_ors_part_reasoning_text)
            {
                ngx_ors_out_lit(out, "],\"content\":[");
            }

            ngx_ors_item_parts(out, item);
        }

        ngx_ors_out_lit(out, "]");

        if (!empty && item->sealed.len) {
            ngx_ors_out_lit(out, ",\"encrypted_content\":\"");
            ngx_ors_out_ref(out, item->sealed.data, item->sealed.len);
            ngx_ors_out_lit(out, "\"");
        }

        ngx_ors_out_lit(out, "}");
        break;

    case ngx_ors_item_compaction:
        ngx_ors_out_lit(out, "\",\"encrypted_content\":\"");

        if (!empty) {
            ngx_ors_out_ref(out, item->sealed.data, item->sealed.len);
        }

        ngx_ors_out_lit(out, "\"}");
        break;

    case ngx_ors_item_call_output:
        ngx_ors_out_lit(out, "\",\"call_id\":\"");
        ngx_ors_out_str(out, &item->call_id);
        ngx_ors_out_lit(out, "\",\"output\":\"");

        if (!empty) {
            ngx_ors_text_put(out, &item->output);
        }

        ngx_ors_out_lit(out, "\"}");
        break;

    default: /* has a hosted part */
        break;
    }
}


static void
ngx_ors_item_call(ngx_ors_out_t *out, ngx_ors_item_t *item, ngx_uint_t empty)
{
    ngx_ors_out_lit(out, "\",\"call_id\":\"");
    ngx_ors_out_str(out, &item->call_id);
    ngx_ors_out_lit(out, "\",\"name\":\"");
    ngx_ors_out_str(out, &item->name);

    if (item->space.len) {
        ngx_ors_out_lit(out, "\",\"namespace\":\"");
        ngx_ors_out_str(out, &item->space);
    }

    if (item->type == ngx_ors_item_custom_call) {
        ngx_ors_out_lit(out, "\",\"input\":\"");

    } else {
        ngx_ors_out_lit(out, "\",\"arguments\":\"");
    }

    if (!empty) {
        ngx_ors_text_put(out, &item->arguments);
    }

    ngx_ors_out_lit(out, "\"}");
}


static void
ngx_ors_item_search(ngx_ors_out_t *out, ngx_ors_item_t *item,
    ngx_uint_t empty)
{
    ngx_ors_out_lit(out, "\",\"call_id\":\"");
    ngx_ors_out_str(out, &item->call_id);
    ngx_ors_out_lit(out, "\",\"execution\":\"client\",\"arguments\":");

    if (empty) {
        ngx_ors_out_lit(out, "{}");

    } else {
        ngx_ors_text_put(out, &item->arguments);
    }

    ngx_ors_out_lit(out, "}");
}


static void
ngx_ors_item_parts(ngx_ors_out_t *out, ngx_ors_item_t *item)
{
    ngx_ors_part_t  *part;

    for (part = item->parts; part; part = part->next) {

        if (part != item->parts) {
            ngx_ors_out_lit(out, ",");
        }

        ngx_ors_part_render(out, part, 0);
    }
}


void
ngx_ors_part_render(ngx_ors_out_t *out, ngx_ors_part_t *part,
    ngx_uint_t empty)
{
    static ngx_str_t  heads[] = {
        NGX_ORS_PARTS(ngx_ors_item_part_head)
    };

    ngx_ors_out_str(out, &heads[part->type]);

    if (!empty) {
        ngx_ors_text_put(out, &part->text);
    }

    if (part->type != ngx_ors_part_output_text) {
        ngx_ors_out_lit(out, "\"}");
        return;
    }

    ngx_ors_out_lit(out, "\",\"annotations\":");
    ngx_ors_element_render(out, empty ? NULL : part->annotations.first);
    ngx_ors_out_lit(out, ",\"logprobs\":");
    ngx_ors_element_render(out, empty ? NULL : part->logprobs.first);
    ngx_ors_out_lit(out, "}");
}


ngx_int_t
ngx_ors_element_add(ngx_ors_elements_t *list, ngx_pool_t *pool, ngx_str_t *text)
{
    ngx_ors_element_t  *element;

    element = ngx_palloc(pool, sizeof(ngx_ors_element_t));
    if (element == NULL) {
        return NGX_ERROR;
    }

    element->text = *text;
    element->next = NULL;

    if (list->last) {
        list->last->next = element;

    } else {
        list->first = element;
    }

    list->last = element;
    list->n++;

    return NGX_OK;
}


void
ngx_ors_element_render(ngx_ors_out_t *out, ngx_ors_element_t *element)
{
    ngx_ors_out_lit(out, "[");

    while (element) {
        ngx_ors_out_ref(out, element->text.data, element->text.len);

        element = element->next;

        if (element) {
            ngx_ors_out_lit(out, ",");
        }
    }

    ngx_ors_out_lit(out, "]");
}
