
/*
 * Copyright (C) Open Responses contributors
 */


/* "open_responses_schema" and "open_responses_schema_cache". */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_conf.h>
#include <ngx_ors_conform.h>


#define NGX_ORS_CONFORM_CACHE_MAX   256
#define NGX_ORS_CONFORM_CACHE_SIZE  (16 * 1024 * 1024)


static void ngx_ors_conform_cache_release(void *data);


static ngx_conf_enum_t  ngx_ors_conform_modes[] = {
    { ngx_string("off"), ngx_ors_conform_off },
    { ngx_string("report"), ngx_ors_conform_report },
    { ngx_string("enforce"), ngx_ors_conform_enforce },
    { ngx_null_string, 0 }
};


static ngx_ors_conf_param_t  ngx_ors_conform_params[] = {

    { ngx_string("retry="), ngx_ors_conf_param_number,
      offsetof(ngx_ors_conform_t, retry), 0, NGX_ORS_CONFORM_RETRY_MAX, NULL,
      "a number from 0 to 5" },

    { ngx_null_string, NULL, 0, 0, 0, NULL, NULL }
};


static ngx_ors_conf_param_t  ngx_ors_conform_cache_params[] = {

    { ngx_string("max="), ngx_ors_conf_param_number,
      offsetof(ngx_ors_jsonschema_cache_t, max), 1, 0, NULL,
      "a number above 0" },

    { ngx_string("size="), ngx_ors_conf_param_size,
      offsetof(ngx_ors_jsonschema_cache_t, max_size), 1, 0, NULL,
      "a size above 0" },

    { ngx_null_string, NULL, 0, 0, 0, NULL, NULL }
};


char *
ngx_ors_conform_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    char  *p = conf;

    ngx_str_t          *value;
    ngx_ors_conform_t  *conform;

    conform = (ngx_ors_conform_t *) (p + cmd->offset);
    value = cf->args->elts;

    if (conform->mode != NGX_CONF_UNSET_UINT) {
        return "is duplicate";
    }

    if (ngx_ors_conf_value(cf, "", &cmd->name, ngx_ors_conform_modes,
                           &value[1], &conform->mode)
        != NGX_OK)
    {
        return NGX_CONF_ERROR;
    }

    if (cf->args->nelts == 2) {
        conform->retry = NGX_ORS_CONFORM_RETRY;
        return NGX_CONF_OK;
    }

    conform->retry = NGX_CONF_UNSET_UINT;

    if (conform->mode == ngx_ors_conform_enforce) {
        return ngx_ors_conf_params(cf, ngx_ors_conform_params, conform, 2,
                                   NULL, NULL);
    }

    ngx_ors_conf_error(cf, 0,
                       "invalid parameter \"%V\" of \"%V %V\", it is of "
                       "\"enforce\" only", &value[2], &cmd->name, &value[1]);
    return NGX_CONF_ERROR;
}


char *
ngx_ors_conform_cache_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    char  *p = conf;

    ngx_ors_jsonschema_cache_t  *cache;

    cache = (ngx_ors_jsonschema_cache_t *) (p + cmd->offset);

    if (cache->max || cache->max_size) {
        return "is duplicate";
    }

    cache->max = NGX_CONF_UNSET_UINT;
    cache->max_size = NGX_CONF_UNSET_SIZE;

    if (ngx_ors_conf_params(cf, ngx_ors_conform_cache_params, cache, 1, NULL,
                            NULL)
        != NGX_CONF_OK)
    {
        return NGX_CONF_ERROR;
    }

    ngx_conf_init_uint_value(cache->max, NGX_ORS_CONFORM_CACHE_MAX);
    ngx_conf_init_size_value(cache->max_size, NGX_ORS_CONFORM_CACHE_SIZE);

    return NGX_CONF_OK;
}


ngx_int_t
ngx_ors_conform_cache_init(ngx_conf_t *cf, ngx_ors_jsonschema_cache_t *cache)
{
    size_t                        size;
    ngx_uint_t                    max;
    ngx_pool_cleanup_t           *cln;
    ngx_ors_jsonschema_limits_t   limits;

    cln = ngx_pool_cleanup_add(cf->pool, 0);
    if (cln == NULL) {
        return NGX_ERROR;
    }

    max = cache->max ? cache->max : NGX_ORS_CONFORM_CACHE_MAX;
    size = cache->max_size ? cache->max_size : NGX_ORS_CONFORM_CACHE_SIZE;

    ngx_ors_jsonschema_limits_default(&limits);
    ngx_ors_jsonschema_cache_init(cache, max, size, &limits,
                                  &cf->cycle->new_log);

    cln->handler = ngx_ors_conform_cache_release;
    cln->data = cache;

    return NGX_OK;
}


static void
ngx_ors_conform_cache_release(void *data)
{
    ngx_ors_jsonschema_cache_clear(data);
}
