
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Finds out whether a string is the JSON text of content parts, and reads
 * those.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_embedded.h>


static ngx_uint_t ngx_ors_chat_embedded_likely(ngx_ors_json_t *json,
    ngx_ors_json_node_t *node);
static ngx_uint_t ngx_ors_chat_embedded_images(ngx_ors_json_t *parts);


ngx_int_t
ngx_ors_chat_embedded(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    ngx_pool_t *pool, ngx_ors_json_t *parts)
{
    u_char     *text, *last;
    ngx_int_t   rc;

    if (!ngx_ors_chat_embedded_likely(json, node)) {
        return NGX_DECLINED;
    }

    text = ngx_pnalloc(pool, node->len);
    if (text == NULL) {
        return NGX_ERROR;
    }

    last = ngx_ors_json_decode(json, node, text);

    ngx_ors_json_init(parts, pool, json->max_depth, json->max_nodes);

    rc = ngx_ors_json_read(parts, text, last - text);

    if (rc != NGX_OK) {
        return rc;
    }

    return ngx_ors_chat_embedded_images(parts) ? NGX_OK : NGX_DECLINED;
}


/* outputs may be long, and hardly any of them is what is looked for */

static ngx_uint_t
ngx_ors_chat_embedded_likely(ngx_ors_json_t *json, ngx_ors_json_node_t *node)
{
    u_char     *p;
    ngx_str_t   name = ngx_string("input_image");

    if (!node->escaped) {
        return 0;
    }

    p = ngx_ors_json_text(json, node);

    return *p == '[' && memmem(p, node->len, name.data, name.len) != NULL;
}


/* 0 if there is none, or anything that is neither a text nor an image */

static ngx_uint_t
ngx_ors_chat_embedded_images(ngx_ors_json_t *parts)
{
    ngx_uint_t            n, image;
    ngx_ors_json_node_t  *part, *type, *node;

    n = 0;

    for (part = ngx_ors_json_first(parts, parts->nodes);
         part;
         part = ngx_ors_json_next(parts, part))
    {
        type = ngx_ors_json_find(parts, part, "type");
        image = ngx_ors_json_is(parts, type, "input_image");

        if (!image && !ngx_ors_json_is(parts, type, "input_text")) {
            return 0;
        }

        node = image ? ngx_ors_json_find(parts, part, "image_url")
                     : ngx_ors_json_find(parts, part, "text");

        if (node == NULL || node->type != ngx_ors_json_string) {
            return 0;
        }

        n += image;
    }

    return n;
}
