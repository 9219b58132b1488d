
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


char *
ngx_ors_conform_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    char  *p = conf;

    ngx_int_t           n;
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

    conform->retry = NGX_ORS_CONFORM_RETRY;

    if (cf->args->nelts == 2) {
        return NGX_CONF_OK;
    }

    if (ngx_strncmp(value[2].data, "retry=", 6) == 0
        && conform->mode == ngx_ors_conform_enforce)
    {
        n = ngx_atoi(value[2].data + 6, value[2].len - 6);

        if (n >= 0 && n <= NGX_ORS_CONFORM_RETRY_MAX) {
            conform->retry = n;
            return NGX_CONF_OK;
        }
    }

    ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                       "invalid parameter \"%V\" of \"%V %V\", it must be "
                       "\"retry=\" with a number from 0 to %d, of "
                       "\"enforce\" only", &value[2], &cmd->name, &value[1],
                       NGX_ORS_CONFORM_RETRY_MAX);
    return NGX_CONF_ERROR;
}


char *
ngx_ors_conform_cache_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    char  *p = conf;

    ssize_t                      size;
    ngx_int_t                    n;
    ngx_str_t                   *value, s;
    ngx_uint_t                   i;
    ngx_ors_jsonschema_cache_t  *cache;

    cache = (ngx_ors_jsonschema_cache_t *) (p + cmd->offset);
    value = cf->args->elts;

    if (cache->max || cache->max_size) {
        return "is duplicate";
    }

    for (i = 1; i < cf->args->nelts; i++) {

        if (ngx_strncmp(value[i].data, "max=", 4) == 0) {
            n = ngx_atoi(value[i].data + 4, value[i].len - 4);

            if (n > 0) {
                cache->max = n;
                continue;
            }
        }

        if (ngx_strncmp(value[i].data, "size=", 5) == 0) {
            s.data = value[i].data + 5;
            s.len = value[i].len - 5;

            size = ngx_parse_size(&s);

            if (size > 0) {
                cache->max_size = size;
                continue;
            }
        }

        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "invalid parameter \"%V\" of \"%V\", it must be "
                           "\"max=\" with a number above 0, or \"size=\" with "
                           "a size above 0", &value[i], &cmd->name);
        return NGX_CONF_ERROR;
    }

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
