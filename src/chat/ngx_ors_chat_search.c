
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Results of client-side tool searches as messages and tools of a chat.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_search.h>
#include <ngx_ors_chat_tools.h>
#include <ngx_ors_json_writer.h>


static ngx_int_t ngx_ors_chat_search_list(ngx_ors_chat_content_t *cc,
    ngx_ors_json_node_t *tools, ngx_ors_json_node_t *space, ngx_uint_t *n);
static ngx_int_t ngx_ors_chat_search_name(ngx_ors_chat_content_t *cc,
    ngx_ors_json_node_t *tool, ngx_ors_json_node_t *space, ngx_uint_t *n);


void
ngx_ors_chat_search_arguments(ngx_ors_chat_content_t *cc,
    ngx_ors_json_node_t *node)
{
    if (node && node->type != ngx_ors_json_string) {
        ngx_ors_json_quote(cc->out, ngx_ors_json_text(cc->json, node),
                           node->len);

    } else if (node && node->len) {
        ngx_ors_chat_value(cc->out, cc->json, node);

    } else {
        ngx_ors_out_lit(cc->out, "\"{}\"");
    }
}


/* the list of tools describes each tool, the message only names it */

ngx_int_t
ngx_ors_chat_search_found(ngx_ors_chat_content_t *cc,
    ngx_ors_json_node_t *tools)
{
    ngx_uint_t  n;

    n = 0;

    ngx_ors_out_lit(cc->out, "\"{\\\"tools\\\":[");

    if (ngx_ors_chat_search_list(cc, tools, NULL, &n) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_ors_out_lit(cc->out, "]}\"");

    return NGX_OK;
}


static ngx_int_t
ngx_ors_chat_search_list(ngx_ors_chat_content_t *cc,
    ngx_ors_json_node_t *tools, ngx_ors_json_node_t *space, ngx_uint_t *n)
{
    ngx_int_t             rc;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *tool, *type;

    json = cc->json;

    for (tool = ngx_ors_json_first(json, tools);
         tool;
         tool = ngx_ors_json_next(json, tool))
    {
        type = ngx_ors_json_find(json, tool, "type");
        rc = NGX_OK;

        if (ngx_ors_json_is(json, type, "namespace")) {
            rc = ngx_ors_chat_search_list(cc,
                                      ngx_ors_json_find(json, tool, "tools"),
                                      ngx_ors_json_find(json, tool, "name"),
                                      n);

        } else if (ngx_ors_json_is(json, type, "function")
                   || ngx_ors_json_is(json, type, "custom"))
        {
            rc = ngx_ors_chat_search_name(cc, tool, space, n);
        }

        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


/* letters that need no escape, in any string */

static ngx_int_t
ngx_ors_chat_search_name(ngx_ors_chat_content_t *cc,
    ngx_ors_json_node_t *tool, ngx_ors_json_node_t *space, ngx_uint_t *n)
{
    ngx_str_t             sent;
    ngx_ors_json_node_t  *name;

    name = ngx_ors_json_find(cc->json, tool, "name");

    if (name == NULL || name->type != ngx_ors_json_string) {
        name = ngx_ors_json_find(cc->json,
                                 ngx_ors_json_find(cc->json, tool, "function"),
                                 "name");
    }

    if (name == NULL || name->type != ngx_ors_json_string) {
        return NGX_OK;
    }

    if (ngx_ors_chat_tools_name(cc->json, space, name, cc->pool, &sent)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    if ((*n)++) {
        ngx_ors_out_lit(cc->out, ",");
    }

    ngx_ors_out_lit(cc->out, "\\\"");
    ngx_ors_out_str(cc->out, &sent);
    ngx_ors_out_lit(cc->out, "\\\"");

    return NGX_OK;
}
