
/*
 * Copyright (C) Open Responses contributors
 */


/* Hosted tools by their names. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_hosting.h>
#include <ngx_ors_names.h>


ngx_ors_tool_t *
ngx_ors_hosting_find(ngx_ors_hosting_t *hosting, ngx_str_t *name)
{
    ngx_uint_t       i;
    ngx_ors_name_t  *entry;
    ngx_ors_tool_t  *tool;

    if (hosting == NULL || hosting->tools == NULL) {
        return NULL;
    }

    tool = hosting->tools->elts;

    if (hosting->names) {
        entry = ngx_ors_names_find(hosting->names, name);

        return entry ? &tool[entry->value] : NULL;
    }

    for (i = 0; i < hosting->tools->nelts; i++) {

        if (ngx_ors_same(&tool[i].name, name)) {
            return &tool[i];
        }
    }

    return NULL;
}


ngx_str_t *
ngx_ors_hosting_prefix(ngx_ors_hosting_t *hosting, ngx_str_t *label)
{
    ngx_uint_t     i;
    ngx_keyval_t  *kv;

    if (hosting == NULL || hosting->prefixes == NULL) {
        return label;
    }

    kv = hosting->prefixes->elts;

    for (i = 0; i < hosting->prefixes->nelts; i++) {

        if (ngx_ors_same(&kv[i].key, label)) {
            return &kv[i].value;
        }
    }

    return label;
}
