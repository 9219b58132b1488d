
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Words of directives, looked up in tables, and what several setters need.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>


/* ngx_conf_set_enum_slot() does not say what is allowed */

ngx_int_t
ngx_http_ors_conf_value(ngx_conf_t *cf, char *what, ngx_str_t *name,
    ngx_conf_enum_t *e, ngx_str_t *value, ngx_uint_t *field)
{
    char        *sep;
    u_char      *last, buf[NGX_MAX_CONF_ERRSTR];
    ngx_uint_t   i;

    last = buf;

    for (i = 0; e[i].name.len; i++) {

        if (e[i].name.len == value->len
            && ngx_strncmp(e[i].name.data, value->data, value->len) == 0)
        {
            *field = e[i].value;
            return NGX_OK;
        }

        sep = (i == 0) ? "" : e[i + 1].name.len ? ", " : " or ";

        last = ngx_slprintf(last, buf + NGX_MAX_CONF_ERRSTR, "%s\"%V\"", sep,
                            &e[i].name);
    }

    ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                       "invalid value \"%V\" of %s\"%V\", it must be %*s",
                       value, what, name, (size_t) (last - buf), buf);
    return NGX_ERROR;
}


ngx_int_t
ngx_http_ors_module_index(ngx_conf_t *cf, char *name)
{
    ngx_uint_t      i;
    ngx_module_t  **modules;

    modules = cf->cycle->modules;

    for (i = 0; modules[i]; i++) {
        if (ngx_strcmp(modules[i]->name, name) == 0) {
            return modules[i]->ctx_index;
        }
    }

    return NGX_ERROR;
}
