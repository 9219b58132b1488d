
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * "open_responses_secret": the keys that encrypt and decrypt for clients.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>
#include <ngx_ors_keyfile.h>


/* a file of keys is short; /dev/zero is not one */
#define NGX_HTTP_ORS_SECRET_MAX  65536


static ngx_array_t *ngx_http_ors_secret_keys(ngx_conf_t *cf);
static char *ngx_http_ors_secret_file(ngx_conf_t *cf, ngx_array_t *keys,
    ngx_str_t *name);
static void ngx_http_ors_secret_cleanup(void *data);


char *
ngx_http_ors_secret_set(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_ors_main_conf_t  *omcf = conf;

    char                *rv;
    ngx_str_t           *value;
    ngx_uint_t           i;

    if (omcf->secret) {
        return "is duplicate";
    }

    omcf->secret = ngx_http_ors_secret_keys(cf);
    if (omcf->secret == NULL) {
        return NGX_CONF_ERROR;
    }

    value = cf->args->elts;

    for (i = 1; i < cf->args->nelts; i++) {
        rv = ngx_http_ors_secret_file(cf, omcf->secret, &value[i]);

        if (rv != NGX_CONF_OK) {
            return rv;
        }
    }

    return NGX_CONF_OK;
}


char *
ngx_http_ors_secret_key(ngx_conf_t *cf, ngx_str_t *name, ngx_str_t *key)
{
    ngx_array_t         *keys;
    ngx_ors_seal_key_t  *first;

    keys = ngx_http_ors_secret_keys(cf);

    if (keys == NULL
        || ngx_http_ors_secret_file(cf, keys, name) != NGX_CONF_OK)
    {
        return NGX_CONF_ERROR;
    }

    if (keys->nelts != 1) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "\"%V\" must hold one key, and has %ui", name,
                           keys->nelts);
        return NGX_CONF_ERROR;
    }

    first = keys->elts;

    key->data = first->secret;
    key->len = NGX_ORS_SEAL_KEY_LEN;

    return NGX_CONF_OK;
}


/* an array whose keys are wiped when the configuration is freed */

static ngx_array_t *
ngx_http_ors_secret_keys(ngx_conf_t *cf)
{
    ngx_array_t         *keys;
    ngx_pool_cleanup_t  *cln;

    cln = ngx_pool_cleanup_add(cf->pool, 0);
    if (cln == NULL) {
        return NULL;
    }

    keys = ngx_array_create(cf->pool, 4, sizeof(ngx_ors_seal_key_t));
    if (keys == NULL) {
        return NULL;
    }

    cln->handler = ngx_http_ors_secret_cleanup;
    cln->data = keys;

    return keys;
}


static char *
ngx_http_ors_secret_file(ngx_conf_t *cf, ngx_array_t *keys, ngx_str_t *name)
{
    u_char                buf[NGX_HTTP_ORS_SECRET_MAX];
    ngx_int_t             rc;
    ngx_str_t             text;
    ngx_ors_seal_fault_t  fault;

    rc = ngx_ors_keyfile_read(cf, name, buf, NGX_HTTP_ORS_SECRET_MAX, &text);

    if (rc == NGX_DECLINED) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "\"%V\" is no file of secrets, it has %d bytes or "
                           "more", name, NGX_HTTP_ORS_SECRET_MAX);
        rc = NGX_ERROR;
    }

    if (rc == NGX_OK) {
        rc = ngx_ors_seal_keys(keys, &text, &fault);
    }

    ngx_explicit_memzero(buf, NGX_HTTP_ORS_SECRET_MAX);

    if (rc == NGX_OK) {
        return NGX_CONF_OK;
    }

    if (rc == NGX_ERROR) {
        return NGX_CONF_ERROR;
    }

    /* what stands there may be a key: it is not quoted */

    if (fault.line) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "invalid secret in \"%V:%ui\", %s",
                           name, fault.line, fault.text);

    } else {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "invalid secret in \"%V\", %s", name, fault.text);
    }

    return NGX_CONF_ERROR;
}


static void
ngx_http_ors_secret_cleanup(void *data)
{
    ngx_array_t  *keys = data;

    ngx_explicit_memzero(keys->elts, keys->nelts * keys->size);
}


ngx_int_t
ngx_http_ors_sealer(ngx_http_request_t *r, ngx_ors_sealer_t **sealer)
{
    ngx_http_ors_main_conf_t  *omcf;

    omcf = ngx_http_get_module_main_conf(r, ngx_http_open_responses_module);

    *sealer = NULL;

    if (omcf->secret == NULL) {
        return NGX_OK;
    }

    *sealer = ngx_palloc(r->pool, sizeof(ngx_ors_sealer_t));
    if (*sealer == NULL) {
        return NGX_ERROR;
    }

    (*sealer)->keys = omcf->secret;

    return ngx_http_ors_scope_seal(r, (*sealer)->scope);
}
