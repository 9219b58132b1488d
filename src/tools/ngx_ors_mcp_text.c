
/*
 * Copyright (C) Open Responses contributors
 */


/* Strings and values of a message, copied to memory that lives longer. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_edit.h>
#include <ngx_ors_mcp_text.h>


ngx_int_t
ngx_ors_mcp_string(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    ngx_pool_t *pool, ngx_str_t *text)
{
    if (node == NULL || node->type != ngx_ors_json_string) {
        ngx_str_null(text);
        return NGX_DECLINED;
    }

    return ngx_ors_json_copy(json, node, pool, text);
}


ngx_int_t
ngx_ors_mcp_compact(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    ngx_pool_t *pool, ngx_str_t *text)
{
    u_char      *p, *last, *dst;
    ngx_uint_t   string;

    p = json->text + ngx_ors_edit_start(node);
    last = json->text + ngx_ors_edit_end(node);

    text->data = ngx_pnalloc(pool, last - p);
    if (text->data == NULL) {
        return NGX_ERROR;
    }

    string = 0;

    for (dst = text->data; p < last; p++) {

        if (string && *p == '\\') {
            *dst++ = *p++;

        } else if (*p == '"') {
            string = !string;

        } else if (!string
                   && (*p == ' ' || *p == '\t' || *p == CR || *p == LF))
        {
            continue;
        }

        *dst++ = *p;
    }

    text->len = dst - text->data;

    return NGX_OK;
}
