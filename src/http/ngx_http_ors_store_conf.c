
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * "open_responses_store" in both its forms, and the opening of stores in a
 * worker.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>


#define NGX_HTTP_ORS_STORE_TTL      (30 * 24 * 60 * 60)
#define NGX_HTTP_ORS_STORE_TTL_MAX  (100 * 365 * 24 * 60 * 60LL)
#define NGX_HTTP_ORS_STORE_TIMEOUT  5000

#define NGX_HTTP_ORS_STORE_RECORD      (16 * 1024 * 1024)
#define NGX_HTTP_ORS_STORE_RECORD_MIN  4096


static char *ngx_http_ors_store_define(ngx_conf_t *cf, ngx_str_t *value);
static char *ngx_http_ors_store_param(ngx_conf_t *cf, ngx_ors_store_t *store,
    ngx_str_t *param);
static char *ngx_http_ors_store_bound(ngx_conf_t *cf, ngx_ors_store_t *store,
    ngx_str_t *name, ngx_str_t *value);
static char *ngx_http_ors_store_use(ngx_conf_t *cf,
    ngx_http_ors_loc_conf_t *olcf, ngx_str_t *value);
static ngx_ors_store_t *ngx_http_ors_store_named(ngx_conf_t *cf,
    ngx_str_t *name);


/*
 * open_responses_store NAME ENGINE:ADDRESS [NAME=VALUE]...;
 * open_responses_store NAME [required] [instructions=off];
 * open_responses_store off;
 */

char *
ngx_http_ors_store_set(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_str_t  *value;

    value = cf->args->elts;

    if (cf->args->nelts > 2
        && ngx_strlchr(value[2].data, value[2].data + value[2].len, ':'))
    {
        if (cf->cmd_type != NGX_HTTP_MAIN_CONF) {
            ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                               "store \"%V\" must be defined in \"http\", "
                               "here only its name can be given", &value[1]);
            return NGX_CONF_ERROR;
        }

        return ngx_http_ors_store_define(cf, value);
    }

    return ngx_http_ors_store_use(cf, conf, value);
}


static char *
ngx_http_ors_store_define(ngx_conf_t *cf, ngx_str_t *value)
{
    u_char           *p;
    char             *rv;
    ngx_str_t         engine;
    ngx_uint_t        i;
    ngx_ors_store_t  *store;

    if (ngx_strcmp(value[1].data, "off") == 0) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "a store cannot have the name \"off\"");
        return NGX_CONF_ERROR;
    }

    store = ngx_http_ors_store_named(cf, &value[1]);
    if (store == NULL) {
        return NGX_CONF_ERROR;
    }

    if (store->engine) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "store \"%V\" is duplicate",
                           &value[1]);
        return NGX_CONF_ERROR;
    }

    p = ngx_strlchr(value[2].data, value[2].data + value[2].len, ':');

    engine.data = value[2].data;
    engine.len = p - value[2].data;

    store->engine = ngx_ors_store_engine(&engine);

    if (store->engine == NULL) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "invalid engine \"%V\" of store \"%V\", it must "
                           "be \"lmdb\" or \"redis\"", &engine, &value[1]);
        return NGX_CONF_ERROR;
    }

    store->address.data = p + 1;
    store->address.len = value[2].data + value[2].len - store->address.data;

    rv = store->engine->address(cf, store);

    for (i = 3; rv == NGX_CONF_OK && i < cf->args->nelts; i++) {
        rv = ngx_http_ors_store_param(cf, store, &value[i]);
    }

    if (rv != NGX_CONF_OK) {
        return rv;
    }

    if (store->ttl == NGX_CONF_UNSET) {
        store->ttl = NGX_HTTP_ORS_STORE_TTL;
    }

    ngx_conf_init_size_value(store->record, NGX_HTTP_ORS_STORE_RECORD);
    ngx_conf_init_uint_value(store->scope_turns, 0);

    ngx_conf_init_msec_value(store->timeout, NGX_HTTP_ORS_STORE_TIMEOUT);

    return (store->engine->init(cf, store) == NGX_OK) ? NGX_CONF_OK
                                                      : NGX_CONF_ERROR;
}


static char *
ngx_http_ors_store_param(ngx_conf_t *cf, ngx_ors_store_t *store,
    ngx_str_t *param)
{
    u_char     *p;
    ngx_str_t   name, value;
    ngx_int_t   n;

    p = ngx_strlchr(param->data, param->data + param->len, '=');

    if (p == NULL) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "invalid parameter \"%V\" of store \"%V\", it "
                           "must be \"name=value\"", param, &store->name);
        return NGX_CONF_ERROR;
    }

    name.data = param->data;
    name.len = p - param->data;

    value.data = p + 1;
    value.len = param->data + param->len - value.data;

    if (name.len == 3 && ngx_strncmp(name.data, "ttl", 3) == 0) {

        if (store->ttl != NGX_CONF_UNSET) {
            goto duplicate;
        }

        n = ngx_parse_time(&value, 1);

        if (n == NGX_ERROR || n == 0 || n > NGX_HTTP_ORS_STORE_TTL_MAX) {
            ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                               "invalid parameter \"%V\" of store \"%V\", it "
                               "must be a time of at least a second", param,
                               &store->name);
            return NGX_CONF_ERROR;
        }

        store->ttl = n;

        return NGX_CONF_OK;
    }

    if (name.len == 7 && ngx_strncmp(name.data, "timeout", 7) == 0) {

        if (store->timeout != NGX_CONF_UNSET_MSEC) {
            goto duplicate;
        }

        n = ngx_parse_time(&value, 0);

        if (n == NGX_ERROR || n == 0) {
            ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                               "invalid parameter \"%V\" of store \"%V\", it "
                               "must be a time above zero", param,
                               &store->name);
            return NGX_CONF_ERROR;
        }

        store->timeout = n;

        return NGX_CONF_OK;
    }

    if ((name.len == 6 && ngx_strncmp(name.data, "record", 6) == 0)
        || (name.len == 10 && ngx_strncmp(name.data, "scope_size", 10) == 0)
        || (name.len == 11 && ngx_strncmp(name.data, "scope_turns", 11) == 0))
    {
        return ngx_http_ors_store_bound(cf, store, &name, &value);
    }

    if (name.len == 3 && ngx_strncmp(name.data, "key", 3) == 0) {

        if (store->key.len) {
            goto duplicate;
        }

        return ngx_http_ors_secret_key(cf, &value, &store->key);
    }

    return store->engine->param(cf, store, &name, &value);

duplicate:

    ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                       "parameter \"%V\" of store \"%V\" is duplicate", &name,
                       &store->name);
    return NGX_CONF_ERROR;
}


/* "record", "scope_size" and "scope_turns"; 0: a scope has no bound */

static char *
ngx_http_ors_store_bound(ngx_conf_t *cf, ngx_ors_store_t *store,
    ngx_str_t *name, ngx_str_t *value)
{
    off_t   n;
    char   *text;

    switch (name->len) {

    case sizeof("record") - 1:

        if (store->record != NGX_CONF_UNSET_SIZE) {
            goto duplicate;
        }

        n = ngx_parse_size(value);
        store->record = n;
        text = "it must be a size of at least 4k";

        if (n < NGX_HTTP_ORS_STORE_RECORD_MIN) {
            goto invalid;
        }

        break;

    case sizeof("scope_size") - 1:

        if (store->scope_size != NGX_CONF_UNSET) {
            goto duplicate;
        }

        n = ngx_parse_offset(value);
        store->scope_size = n;
        text = "it must be a size, or 0";

        if (n < 0) {
            goto invalid;
        }

        break;

    default:

        if (store->scope_turns != NGX_CONF_UNSET_UINT) {
            goto duplicate;
        }

        n = ngx_atoi(value->data, value->len);
        store->scope_turns = n;
        text = "it must be a number";

        if (n < 0) {
            goto invalid;
        }
    }

    return NGX_CONF_OK;

duplicate:

    ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                       "parameter \"%V\" of store \"%V\" is duplicate", name,
                       &store->name);
    return NGX_CONF_ERROR;

invalid:

    ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                       "invalid parameter \"%V=%V\" of store \"%V\", %s",
                       name, value, &store->name, text);
    return NGX_CONF_ERROR;
}


static char *
ngx_http_ors_store_use(ngx_conf_t *cf, ngx_http_ors_loc_conf_t *olcf,
    ngx_str_t *value)
{
    ngx_uint_t  i;

    if (olcf->store != NGX_CONF_UNSET_PTR) {
        return "is duplicate";
    }

    olcf->store_required = 0;
    olcf->store_instructions = 1;

    if (ngx_strcmp(value[1].data, "off") == 0) {
        olcf->store = NULL;

    } else {
        olcf->store = ngx_http_ors_store_named(cf, &value[1]);
        if (olcf->store == NULL) {
            return NGX_CONF_ERROR;
        }
    }

    for (i = 2; i < cf->args->nelts; i++) {

        if (olcf->store && ngx_strcmp(value[i].data, "required") == 0) {
            olcf->store_required = 1;

        } else if (olcf->store
                   && ngx_strcmp(value[i].data, "instructions=off") == 0)
        {
            olcf->store_instructions = 0;

        } else {
            ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                               "invalid parameter \"%V\" of "
                               "\"open_responses_store %V\", it must be "
                               "\"required\" or \"instructions=off\", or, "
                               "where a store is defined, begin with "
                               "\"lmdb:\" or \"redis:\"",
                               &value[i], &value[1]);
            return NGX_CONF_ERROR;
        }
    }

    return NGX_CONF_OK;
}


/* the store with that name, which may be defined later */

static ngx_ors_store_t *
ngx_http_ors_store_named(ngx_conf_t *cf, ngx_str_t *name)
{
    ngx_uint_t                 i;
    ngx_ors_store_t           *store, **stores;
    ngx_http_ors_main_conf_t  *omcf;

    omcf = ngx_http_conf_get_module_main_conf(cf,
                                              ngx_http_open_responses_module);
    stores = omcf->stores.elts;

    for (i = 0; i < omcf->stores.nelts; i++) {

        if (stores[i]->name.len == name->len
            && ngx_strncmp(stores[i]->name.data, name->data, name->len) == 0)
        {
            return stores[i];
        }
    }

    store = ngx_pcalloc(cf->pool, sizeof(ngx_ors_store_t));
    if (store == NULL) {
        return NULL;
    }

    /*
     * set by ngx_pcalloc():
     *
     *     store->engine = NULL;
     *     store->conf = NULL;
     *     store->key = { 0, NULL };
     *     store->state = NULL;
     */

    store->name = *name;
    store->ttl = NGX_CONF_UNSET;
    store->timeout = NGX_CONF_UNSET_MSEC;
    store->record = NGX_CONF_UNSET_SIZE;
    store->scope_size = NGX_CONF_UNSET;
    store->scope_turns = NGX_CONF_UNSET_UINT;
    store->log = cf->log;

    stores = ngx_array_push(&omcf->stores);
    if (stores == NULL) {
        return NULL;
    }

    *stores = store;

    return store;
}


char *
ngx_http_ors_stores_check(ngx_conf_t *cf, ngx_http_ors_main_conf_t *omcf)
{
    ngx_uint_t         i;
    ngx_ors_store_t  **stores;

    stores = omcf->stores.elts;

    for (i = 0; i < omcf->stores.nelts; i++) {

        if (stores[i]->engine == NULL) {
            ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                               "unknown store \"%V\", it needs an "
                               "\"open_responses_store %V lmdb:PATH\" or "
                               "\"redis:HOST:PORT\" in \"http\"",
                               &stores[i]->name, &stores[i]->name);
            return NGX_CONF_ERROR;
        }
    }

    return NGX_CONF_OK;
}


ngx_int_t
ngx_http_ors_stores_open(ngx_cycle_t *cycle)
{
    ngx_uint_t                 i;
    ngx_ors_store_t          **stores;
    ngx_http_ors_main_conf_t  *omcf;

    if (ngx_process != NGX_PROCESS_WORKER && ngx_process != NGX_PROCESS_SINGLE)
    {
        return NGX_OK;
    }

    omcf = ngx_http_cycle_get_module_main_conf(cycle,
                                              ngx_http_open_responses_module);
    if (omcf == NULL) {
        return NGX_OK;
    }

    stores = omcf->stores.elts;

    for (i = 0; i < omcf->stores.nelts; i++) {
        stores[i]->log = cycle->log;

        if (stores[i]->engine->open(stores[i], cycle) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


void
ngx_http_ors_stores_close(ngx_cycle_t *cycle)
{
    ngx_uint_t                 i;
    ngx_ors_store_t          **stores;
    ngx_http_ors_main_conf_t  *omcf;

    omcf = ngx_http_cycle_get_module_main_conf(cycle,
                                              ngx_http_open_responses_module);
    if (omcf == NULL) {
        return;
    }

    stores = omcf->stores.elts;

    for (i = 0; i < omcf->stores.nelts; i++) {
        stores[i]->engine->close(stores[i]);
    }
}
