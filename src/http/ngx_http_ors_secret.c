
/*
 * Copyright (C) Open Responses contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>


/* a file of keys is short; /dev/zero is not one */
#define NGX_HTTP_ORS_SECRET_MAX  65536


static char *ngx_http_ors_secret_file(ngx_conf_t *cf, ngx_array_t *keys,
    ngx_str_t *name);
static ngx_int_t ngx_http_ors_secret_read(ngx_conf_t *cf, ngx_str_t *name,
    u_char *buf, ngx_str_t *text);
static void ngx_http_ors_secret_mode(ngx_conf_t *cf, ngx_str_t *name,
    ngx_fd_t fd);
static void ngx_http_ors_secret_cleanup(void *data);


char *
ngx_http_ors_secret_set(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_ors_main_conf_t  *omcf = conf;

    char                *rv;
    ngx_str_t           *value;
    ngx_uint_t           i;
    ngx_pool_cleanup_t  *cln;

    if (omcf->secret) {
        return "is duplicate";
    }

    cln = ngx_pool_cleanup_add(cf->pool, 0);
    if (cln == NULL) {
        return NGX_CONF_ERROR;
    }

    omcf->secret = ngx_array_create(cf->pool, 4, sizeof(ngx_ors_seal_key_t));
    if (omcf->secret == NULL) {
        return NGX_CONF_ERROR;
    }

    cln->handler = ngx_http_ors_secret_cleanup;
    cln->data = omcf->secret;

    value = cf->args->elts;

    for (i = 1; i < cf->args->nelts; i++) {
        rv = ngx_http_ors_secret_file(cf, omcf->secret, &value[i]);

        if (rv != NGX_CONF_OK) {
            return rv;
        }
    }

    return NGX_CONF_OK;
}


static char *
ngx_http_ors_secret_file(ngx_conf_t *cf, ngx_array_t *keys, ngx_str_t *name)
{
    u_char                buf[NGX_HTTP_ORS_SECRET_MAX];
    ngx_int_t             rc;
    ngx_str_t             text;
    ngx_ors_seal_fault_t  fault;

    if (ngx_conf_full_name(cf->cycle, name, 1) != NGX_OK
        || ngx_http_ors_secret_read(cf, name, buf, &text) != NGX_OK)
    {
        return NGX_CONF_ERROR;
    }

    rc = ngx_ors_seal_keys(keys, &text, &fault);

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


static ngx_int_t
ngx_http_ors_secret_read(ngx_conf_t *cf, ngx_str_t *name, u_char *buf,
    ngx_str_t *text)
{
    ssize_t   n;
    ngx_fd_t  fd;

    fd = ngx_open_file(name->data, NGX_FILE_RDONLY, NGX_FILE_OPEN, 0);

    if (fd == NGX_INVALID_FILE) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, ngx_errno,
                           ngx_open_file_n " \"%V\" failed", name);
        return NGX_ERROR;
    }

    ngx_http_ors_secret_mode(cf, name, fd);

    text->data = buf;
    text->len = 0;

    do {
        n = ngx_read_fd(fd, buf + text->len,
                        NGX_HTTP_ORS_SECRET_MAX - text->len);

        if (n == -1) {
            ngx_conf_log_error(NGX_LOG_EMERG, cf, ngx_errno,
                               ngx_read_fd_n " \"%V\" failed", name);
            break;
        }

        text->len += n;

    } while (n && text->len < NGX_HTTP_ORS_SECRET_MAX);

    if (ngx_close_file(fd) == NGX_FILE_ERROR) {
        ngx_conf_log_error(NGX_LOG_ALERT, cf, ngx_errno,
                           ngx_close_file_n " \"%V\" failed", name);
    }

    if (n > 0) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "\"%V\" is no file of secrets, it has %d bytes or "
                           "more", name, NGX_HTTP_ORS_SECRET_MAX);
    }

    return n ? NGX_ERROR : NGX_OK;
}


static void
ngx_http_ors_secret_mode(ngx_conf_t *cf, ngx_str_t *name, ngx_fd_t fd)
{
    ngx_file_info_t  fi;

    if (ngx_fd_info(fd, &fi) != NGX_FILE_ERROR && ngx_is_file(&fi)
        && (ngx_file_access(&fi) & (S_IROTH|S_IWOTH)))
    {
        ngx_conf_log_error(NGX_LOG_WARN, cf, 0,
                           "file of secrets \"%V\" can be read or written by "
                           "everybody", name);
    }
}


/* memory of an old configuration is used again without being cleared */

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

    return ngx_http_ors_scope(r, (*sealer)->scope);
}
