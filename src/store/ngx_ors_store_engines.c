
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The engines by name, and which of them this build has.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_names.h>
#include <ngx_ors_store.h>


typedef struct {
    ngx_str_t                      name;
    const ngx_ors_store_engine_t  *engine;    /* NULL: left out */
} ngx_ors_store_known_t;


static ngx_ors_store_known_t  ngx_ors_store_engines[] = {

#if (NGX_ORS_WITHOUT_LMDB)
    { ngx_string("lmdb"), NULL },
#else
    { ngx_string("lmdb"), &ngx_ors_store_lmdb },
#endif

#if (NGX_ORS_WITHOUT_REDIS)
    { ngx_string("redis"), NULL },
#else
    { ngx_string("redis"), &ngx_ors_store_redis },
#endif

    { ngx_string("location"), NULL },     /* of http */

    { ngx_null_string, NULL }
};


void
ngx_ors_store_engine_add(const ngx_ors_store_engine_t *engine)
{
    ngx_ors_store_known_t  *e;

    for (e = ngx_ors_store_engines; e->name.len; e++) {

        if (ngx_ors_same(&e->name, &engine->name)) {
            e->engine = engine;
        }
    }
}


ngx_int_t
ngx_ors_store_engine(ngx_str_t *name, const ngx_ors_store_engine_t **engine)
{
    const ngx_ors_store_known_t  *e;

    for (e = ngx_ors_store_engines; e->name.len; e++) {

        if (ngx_ors_same(&e->name, name)) {
            *engine = e->engine;
            return NGX_OK;
        }
    }

    return NGX_DECLINED;
}
