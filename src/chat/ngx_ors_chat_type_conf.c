
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * "open_responses_tool_type": what happens to tools of a type that is no
 * function.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_conf.h>
#include <ngx_ors_conf.h>
#include <ngx_ors_names.h>


static char *ngx_ors_chat_type_conf_name(ngx_conf_t *cf,
    ngx_ors_chat_type_t *type, ngx_str_t *value);
static char *ngx_ors_chat_type_conf_action(ngx_conf_t *cf,
    ngx_ors_chat_type_t *type);


static ngx_conf_enum_t  ngx_ors_chat_type_actions[] = {
    { ngx_string("skip"), ngx_ors_chat_type_skip },
    { ngx_string("reject"), ngx_ors_chat_type_reject },
    { ngx_string("send"), ngx_ors_chat_type_send },
    { ngx_null_string, 0 }
};


char *
ngx_ors_chat_type_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_str_t            *value;
    ngx_uint_t            i;
    ngx_array_t         **types;
    ngx_ors_chat_type_t   type, *other, *new;

    types = (ngx_array_t **) ((u_char *) conf + cmd->offset);
    value = cf->args->elts;

    if (*types == NGX_CONF_UNSET_PTR) {
        *types = ngx_array_create(cf->pool, 4, sizeof(ngx_ors_chat_type_t));
        if (*types == NULL) {
            return NGX_CONF_ERROR;
        }
    }

    ngx_memzero(&type, sizeof(ngx_ors_chat_type_t));

    if (ngx_ors_chat_type_conf_name(cf, &type, &value[1]) != NGX_CONF_OK) {
        return NGX_CONF_ERROR;
    }

    for (i = 0, other = (*types)->elts; i < (*types)->nelts; i++) {

        if (other[i].prefix == type.prefix
            && ngx_ors_same(&other[i].type, &type.type))
        {
            ngx_ors_conf_error(cf, 0,
                               "type \"%V\" is duplicate", &value[1]);
            return NGX_CONF_ERROR;
        }
    }

    if (ngx_ors_chat_type_conf_action(cf, &type) != NGX_CONF_OK) {
        return NGX_CONF_ERROR;
    }

    new = ngx_array_push(*types);
    if (new == NULL) {
        return NGX_CONF_ERROR;
    }

    *new = type;

    return NGX_CONF_OK;
}


/* "default" is the shortest prefix of all */

static char *
ngx_ors_chat_type_conf_name(ngx_conf_t *cf, ngx_ors_chat_type_t *type,
    ngx_str_t *value)
{
    type->type = *value;

    if (value->len == 0
        || (value->len == 1 && value->data[0] == '*'))
    {
        ngx_ors_conf_error(cf, 0,
                           "invalid type \"%V\", it must be a type, "
                           "\"prefix*\" or \"default\"", value);
        return NGX_CONF_ERROR;
    }

    if (ngx_strcmp(value->data, "function") == 0) {
        ngx_ors_conf_error(cf, 0,
                           "invalid type \"function\", all servers have that");
        return NGX_CONF_ERROR;
    }

    if (ngx_strcmp(value->data, "default") == 0) {
        type->prefix = 1;
        type->type.len = 0;

    } else if (value->data[value->len - 1] == '*') {
        type->prefix = 1;
        type->type.len--;
    }

    return NGX_CONF_OK;
}


static char *
ngx_ors_chat_type_conf_action(ngx_conf_t *cf, ngx_ors_chat_type_t *type)
{
    ngx_str_t   *value;
    ngx_uint_t   action;

    value = cf->args->elts;

    if (ngx_ors_conf_value(cf, "type ", &value[1], ngx_ors_chat_type_actions,
                           &value[2], &action)
        != NGX_OK)
    {
        return NGX_CONF_ERROR;
    }

    type->action = action;

    if (action != ngx_ors_chat_type_send) {

        if (cf->args->nelts == 4) {
            ngx_ors_conf_error(cf, 0,
                               "invalid parameter \"%V\" after \"%V\"",
                               &value[3], &value[2]);
            return NGX_CONF_ERROR;
        }

        return NGX_CONF_OK;
    }

    if (cf->args->nelts == 3) {
        ngx_ors_conf_error(cf, 0,
                           "\"send\" needs the JSON of a tool after it");
        return NGX_CONF_ERROR;
    }

    type->json = value[3];

    return ngx_ors_chat_conf_json(cf, &value[3], 1);
}
