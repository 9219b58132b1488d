
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
static ngx_uint_t ngx_ors_chat_embedded_has(ngx_ors_json_t *parts,
    ngx_ors_json_node_t *part, const char *type, const char *field);


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
    ngx_uint_t            n;
    ngx_ors_json_node_t  *part;

    n = 0;

    for (part = ngx_ors_json_first(parts, parts->nodes);
         part;
         part = ngx_ors_json_next(parts, part))
    {
        if (ngx_ors_chat_embedded_has(parts, part, "input_image",
                                      "image_url")) {
            n++;

        } else if (!ngx_ors_chat_embedded_has(parts, part, "input_text",
                                              "text"))
        {
            return 0;
        }
    }

    return n;
}


static ngx_uint_t
ngx_ors_chat_embedded_has(ngx_ors_json_t *parts, ngx_ors_json_node_t *part,
    const char *type, const char *field)
{
    ngx_ors_json_node_t  *node;

    node = ngx_ors_json_find(parts, part, "type");

    if (node == NULL
        || !ngx_ors_json_equal(parts, node, (u_char *) type,
                               ngx_strlen(type)))
    {
        return 0;
    }

    node = ngx_ors_json_get(parts, part, (u_char *) field, ngx_strlen(field));

    return node && node->type == ngx_ors_json_string;
}
