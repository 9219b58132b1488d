
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The engines that this build has, by name.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_store.h>


const ngx_ors_store_engine_t *
ngx_ors_store_engine(ngx_str_t *name)
{
    ngx_uint_t  i;

    static const ngx_ors_store_engine_t  *engines[] = {
        &ngx_ors_store_lmdb,
        &ngx_ors_store_redis,
        NULL
    };

    for (i = 0; engines[i]; i++) {

        if (engines[i]->name.len == name->len
            && ngx_strncmp(engines[i]->name.data, name->data, name->len) == 0)
        {
            return engines[i];
        }
    }

    return NULL;
}
