
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * "open_responses_secret": the keys that encrypt and decrypt for clients.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_conf.h>
#include <ngx_ors_keyfile.h>
#include <ngx_ors_seal.h>
#include <ngx_ors_secret.h>


/* a file of keys is short; /dev/zero is not one */
#define NGX_ORS_SECRET_MAX  65536


static ngx_array_t *ngx_ors_secret_keys(ngx_conf_t *cf);
static ngx_int_t ngx_ors_secret_file(ngx_conf_t *cf, ngx_array_t *keys,
    ngx_str_t *name);
static void ngx_ors_secret_cleanup(void *data);


char *
ngx_ors_secret_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_str_t     *value;
    ngx_uint_t     i;
    ngx_array_t  **keys;

    keys = (ngx_array_t **) ((u_char *) conf + cmd->offset);

    if (*keys) {
        return "is duplicate";
    }

    *keys = ngx_ors_secret_keys(cf);
    if (*keys == NULL) {
        return NGX_CONF_ERROR;
    }

    value = cf->args->elts;

    for (i = 1; i < cf->args->nelts; i++) {

        if (ngx_ors_secret_file(cf, *keys, &value[i]) != NGX_OK) {
            return NGX_CONF_ERROR;
        }
    }

    return NGX_CONF_OK;
}


ngx_int_t
ngx_ors_secret_key(ngx_conf_t *cf, ngx_str_t *name, ngx_str_t *key)
{
    ngx_array_t         *keys;
    ngx_ors_seal_key_t  *first;

    keys = ngx_ors_secret_keys(cf);

    if (keys == NULL || ngx_ors_secret_file(cf, keys, name) != NGX_OK) {
        return NGX_ERROR;
    }

    if (keys->nelts != 1) {
        ngx_ors_conf_error(cf, 0,
                           "\"%V\" must hold one key, and has %ui", name,
                           keys->nelts);
        return NGX_ERROR;
    }

    first = keys->elts;

    key->data = first->secret;
    key->len = NGX_ORS_SEAL_KEY_LEN;

    return NGX_OK;
}


/* an array whose keys are wiped when the configuration is freed */

static ngx_array_t *
ngx_ors_secret_keys(ngx_conf_t *cf)
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

    cln->handler = ngx_ors_secret_cleanup;
    cln->data = keys;

    return keys;
}


static ngx_int_t
ngx_ors_secret_file(ngx_conf_t *cf, ngx_array_t *keys, ngx_str_t *name)
{
    u_char                buf[NGX_ORS_SECRET_MAX];
    ngx_int_t             rc;
    ngx_str_t             text;
    ngx_ors_seal_fault_t  fault;

    ngx_memzero(&fault, sizeof(ngx_ors_seal_fault_t));

    rc = ngx_ors_keyfile_read(cf, name, buf, NGX_ORS_SECRET_MAX, &text);

    if (rc == NGX_DECLINED) {
        ngx_ors_conf_error(cf, 0,
                           "\"%V\" is no file of secrets, it has %d bytes or "
                           "more", name, NGX_ORS_SECRET_MAX);
        rc = NGX_ERROR;
    }

    if (rc == NGX_OK) {
        rc = ngx_ors_seal_keys(keys, &text, &fault);
    }

    ngx_explicit_memzero(buf, NGX_ORS_SECRET_MAX);

    if (rc != NGX_DECLINED) {
        return rc;
    }

    /* the text may be a key: it is not quoted */

    if (fault.line) {
        ngx_ors_conf_error(cf, 0,
                           "invalid secret in \"%V:%ui\", %s",
                           name, fault.line, fault.text);

    } else {
        ngx_ors_conf_error(cf, 0,
                           "invalid secret in \"%V\", %s", name, fault.text);
    }

    return NGX_ERROR;
}


static void
ngx_ors_secret_cleanup(void *data)
{
    ngx_array_t  *keys = data;

    ngx_explicit_memzero(keys->elts, keys->nelts * keys->size);
}
