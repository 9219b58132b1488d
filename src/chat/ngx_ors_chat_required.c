
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The names in "required" of a schema, looked up while its properties are
 * written.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_required.h>


/* a list up to this length is searched name by name */
#define NGX_ORS_CHAT_REQUIRED_FEW  16


static ngx_int_t ngx_ors_chat_required_read(ngx_ors_chat_required_t *required);


ngx_int_t
ngx_ors_chat_required(ngx_ors_chat_required_t *required,
    ngx_ors_json_node_t *key)
{
    ngx_str_t             text;
    ngx_uint_t            n, count;
    ngx_ors_json_node_t  *name;

    count = ngx_ors_json_count(required->list);

    if (count == 0) {
        return NGX_DECLINED;
    }

    if (ngx_ors_json_decoded(required->json, key, required->pool, &text)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    /* they mostly come in one order: of a long list one name is compared */

    for (n = (count > NGX_ORS_CHAT_REQUIRED_FEW) ? 1 : count; n; n--) {
        name = required->pos ? required->pos : required->list + 1;

        if (ngx_ors_json_equal(required->json, name, text.data, text.len)) {
            required->pos = ngx_ors_json_next(required->json, name);
            return NGX_OK;
        }

        required->pos = (count > NGX_ORS_CHAT_REQUIRED_FEW)
                        ? name : ngx_ors_json_next(required->json, name);
    }

    if (count <= NGX_ORS_CHAT_REQUIRED_FEW) {
        return NGX_DECLINED;
    }

    if (required->names.n == 0
        && ngx_ors_chat_required_read(required) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_ors_names_find(&required->names, &text) ? NGX_OK : NGX_DECLINED;
}


static ngx_int_t
ngx_ors_chat_required_read(ngx_ors_chat_required_t *required)
{
    ngx_str_t             text;
    ngx_ors_json_node_t  *name;

    if (ngx_ors_names_reserve(&required->names, required->pool,
                              required->list->count)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    for (name = ngx_ors_json_first(required->json, required->list);
         name;
         name = ngx_ors_json_next(required->json, name))
    {
        if (name->type != ngx_ors_json_string) {
            continue;
        }

        if (ngx_ors_json_decoded(required->json, name, required->pool, &text)
            != NGX_OK
            || ngx_ors_names_add(&required->names, required->pool, &text)
               == NGX_ERROR)
        {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}
