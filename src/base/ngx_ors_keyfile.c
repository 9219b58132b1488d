
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * A secret file in memory that is wiped, and a warning if others can read it.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_conf.h>
#include <ngx_ors_keyfile.h>


#define NGX_ORS_KEYFILE_OTHERS  (S_IRGRP|S_IWGRP|S_IROTH|S_IWOTH)


static void ngx_ors_keyfile_cleanup(void *data);


ngx_int_t
ngx_ors_keyfile_read(ngx_conf_t *cf, ngx_str_t *name, u_char *buf, size_t size,
    ngx_str_t *text)
{
    ngx_fd_t         fd;
    ngx_err_t        err;
    ngx_str_t        word;
    ngx_file_info_t  fi;

    word = *name;

    if (ngx_conf_full_name(cf->cycle, name, 1) != NGX_OK) {
        return NGX_ERROR;
    }

    fd = ngx_open_file(name->data, NGX_FILE_RDONLY, NGX_FILE_OPEN, 0);

    if (fd == NGX_INVALID_FILE) {
        err = ngx_errno;

        /* a word that may be the secret itself is not quoted */

        if (err == NGX_ENOENT
            && (word.data[0] != '/' || word.data[word.len - 1] == '='))
        {
            ngx_ors_conf_error(cf, err,
                               "there is no such file of secrets; the name of "
                               "a file is needed, never the secret itself");
            return NGX_ERROR;
        }

        ngx_ors_conf_error(cf, err, ngx_open_file_n " \"%V\" failed", name);
        return NGX_ERROR;
    }

    /* the master reads it as root: no other user needs the right to */

    if (ngx_fd_info(fd, &fi) != NGX_FILE_ERROR && ngx_is_file(&fi)
        && (ngx_file_access(&fi) & NGX_ORS_KEYFILE_OTHERS))
    {
        ngx_conf_log_error(NGX_LOG_WARN, cf, 0,
                           "file of secrets \"%V\" can be read or written by "
                           "%s, \"chmod 600\" keeps it from them", name,
                           (ngx_file_access(&fi) & (S_IROTH|S_IWOTH))
                           ? "everybody" : "its group");
    }

    text->data = buf;
    text->len = size;

    return ngx_ors_conf_file(cf, name, fd, text);
}


ngx_int_t
ngx_ors_keyfile_keep(ngx_conf_t *cf, u_char *secret, size_t size)
{
    ngx_str_t           *text;
    ngx_pool_cleanup_t  *cln;

    cln = ngx_pool_cleanup_add(cf->pool, sizeof(ngx_str_t));
    if (cln == NULL) {
        return NGX_ERROR;
    }

    cln->handler = ngx_ors_keyfile_cleanup;

    text = cln->data;
    text->data = secret;
    text->len = size;

    return NGX_OK;
}


/* memory of an old configuration is used again without being cleared */

static void
ngx_ors_keyfile_cleanup(void *data)
{
    ngx_str_t  *text = data;

    ngx_explicit_memzero(text->data, text->len);
}
