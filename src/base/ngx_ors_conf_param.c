
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Parameters of directives, read by tables.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_conf.h>
#include <ngx_ors_conf_param.h>


static ngx_int_t ngx_ors_conf_param_fits(ngx_ors_conf_param_t *param, off_t n);
static void ngx_ors_conf_param_error(ngx_conf_t *cf, ngx_str_t *word,
    char *must, size_t len, char *what, ngx_str_t *name);


ngx_conf_enum_t  ngx_ors_conf_flags[] = {
    { ngx_string("on"), 1 },
    { ngx_string("off"), 0 },
    { ngx_null_string, 0 }
};


char *
ngx_ors_conf_params(ngx_conf_t *cf, ngx_ors_conf_param_t *params, void *conf,
    ngx_uint_t n, char *what, ngx_str_t *name)
{
    ngx_int_t    rc;
    ngx_str_t   *value;

    value = cf->args->elts;

    for ( /* void */ ; n < cf->args->nelts; n++) {
        rc = ngx_ors_conf_param(cf, params, conf, &value[n], what, name);

        if (rc == NGX_DECLINED) {
            ngx_ors_conf_param_unknown(cf, params, &value[n], what, name);
        }

        if (rc != NGX_OK) {
            return NGX_CONF_ERROR;
        }
    }

    return NGX_CONF_OK;
}


ngx_int_t
ngx_ors_conf_param(ngx_conf_t *cf, ngx_ors_conf_param_t *params, void *conf,
    ngx_str_t *word, char *what, ngx_str_t *name)
{
    ngx_int_t              rc;
    ngx_str_t              value;
    ngx_ors_conf_param_t  *param;

    for (param = params; param->name.len; param++) {

        if (ngx_strncmp(word->data, param->name.data, param->name.len) == 0) {
            break;
        }
    }

    if (param->name.len == 0) {
        return NGX_DECLINED;
    }

    value.data = word->data + param->name.len;
    value.len = word->len - param->name.len;

    rc = param->set(cf, param, &value, (u_char *) conf + param->offset);

    if (rc == NGX_OK) {
        return NGX_OK;
    }

    if (rc == NGX_DECLINED) {
        ngx_ors_conf_param_error(cf, word, param->must,
                                 ngx_strlen(param->must), what, name);

    } else if (rc == NGX_BUSY && name) {
        ngx_ors_conf_error(cf, 0,
                           "parameter \"%*s\" of %s \"%V\" is duplicate",
                           param->name.len - 1, param->name.data, what, name);

    } else if (rc == NGX_BUSY) {
        ngx_ors_conf_error(cf, 0, "parameter \"%*s\" is duplicate",
                           param->name.len - 1, param->name.data);
    }

    return NGX_ERROR;
}


void
ngx_ors_conf_param_unknown(ngx_conf_t *cf, ngx_ors_conf_param_t *params,
    ngx_str_t *word, char *what, ngx_str_t *name)
{
    u_char  *last, buf[NGX_MAX_CONF_ERRSTR];

    last = ngx_ors_conf_words(buf, params, sizeof(ngx_ors_conf_param_t), "",
                              word);

    ngx_ors_conf_param_error(cf, word, (char *) buf, last - buf, what, name);
}


static void
ngx_ors_conf_param_error(ngx_conf_t *cf, ngx_str_t *word, char *must,
    size_t len, char *what, ngx_str_t *name)
{
    if (name) {
        ngx_ors_conf_error(cf, 0,
                           "invalid parameter \"%V\" of %s \"%V\", it must be "
                           "%*s", word, what, name, len, must);
        return;
    }

    ngx_ors_conf_error(cf, 0, "invalid parameter \"%V\", it must be %*s", word,
                       len, must);
}


char *
ngx_ors_conf_param_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_int_t              rc;
    ngx_str_t             *value;
    ngx_ors_conf_param_t  *param;

    value = cf->args->elts;
    param = cmd->post;

    rc = param->set(cf, param, &value[1], (u_char *) conf + cmd->offset);

    if (rc == NGX_OK) {
        return NGX_CONF_OK;
    }

    if (rc == NGX_BUSY) {
        return "is duplicate";
    }

    ngx_ors_conf_error(cf, 0, "invalid value \"%V\" of \"%V\", it must be %s",
                       &value[1], &cmd->name, param->must);

    return NGX_CONF_ERROR;
}


ngx_int_t
ngx_ors_conf_param_msec(ngx_conf_t *cf, ngx_ors_conf_param_t *param,
    ngx_str_t *value, void *field)
{
    ngx_int_t    n;
    ngx_msec_t  *msec = field;

    if (*msec != NGX_CONF_UNSET_MSEC) {
        return NGX_BUSY;
    }

    n = ngx_parse_time(value, 0);
    *msec = n;

    return ngx_ors_conf_param_fits(param, n);
}


ngx_int_t
ngx_ors_conf_param_sec(ngx_conf_t *cf, ngx_ors_conf_param_t *param,
    ngx_str_t *value, void *field)
{
    time_t  *sec = field;

    if (*sec != NGX_CONF_UNSET) {
        return NGX_BUSY;
    }

    *sec = ngx_parse_time(value, 1);

    return ngx_ors_conf_param_fits(param, *sec);
}


ngx_int_t
ngx_ors_conf_param_size(ngx_conf_t *cf, ngx_ors_conf_param_t *param,
    ngx_str_t *value, void *field)
{
    off_t    n;
    size_t  *size = field;

    if (*size != NGX_CONF_UNSET_SIZE) {
        return NGX_BUSY;
    }

    n = ngx_parse_offset(value);
    *size = n;

    /* off_t has more bits than size_t on 32-bit platforms */

    if (n < 0 || (uint64_t) n != *size) {
        n = NGX_ERROR;
    }

    return ngx_ors_conf_param_fits(param, n);
}


ngx_int_t
ngx_ors_conf_param_offset(ngx_conf_t *cf, ngx_ors_conf_param_t *param,
    ngx_str_t *value, void *field)
{
    off_t  *offset = field;

    if (*offset != NGX_CONF_UNSET) {
        return NGX_BUSY;
    }

    *offset = ngx_parse_offset(value);

    return ngx_ors_conf_param_fits(param, *offset);
}


ngx_int_t
ngx_ors_conf_param_number(ngx_conf_t *cf, ngx_ors_conf_param_t *param,
    ngx_str_t *value, void *field)
{
    ngx_int_t    n;
    ngx_uint_t  *number = field;

    if (*number != NGX_CONF_UNSET_UINT) {
        return NGX_BUSY;
    }

    n = ngx_atoi(value->data, value->len);
    *number = n;

    return ngx_ors_conf_param_fits(param, n);
}


/* NGX_ERROR of nginx's parsers is below all bounds */

static ngx_int_t
ngx_ors_conf_param_fits(ngx_ors_conf_param_t *param, off_t n)
{
    return (n >= param->low && (param->high == 0 || n <= param->high))
           ? NGX_OK : NGX_DECLINED;
}


ngx_int_t
ngx_ors_conf_param_word(ngx_conf_t *cf, ngx_ors_conf_param_t *param,
    ngx_str_t *value, void *field)
{
    ngx_uint_t       *number = field;
    ngx_conf_enum_t  *word;

    if (*number != NGX_CONF_UNSET_UINT) {
        return NGX_BUSY;
    }

    for (word = param->words; word->name.len; word++) {

        if (ngx_strcmp(word->name.data, value->data) == 0) {
            *number = word->value;
            return NGX_OK;
        }
    }

    return NGX_DECLINED;
}


ngx_int_t
ngx_ors_conf_param_text(ngx_conf_t *cf, ngx_ors_conf_param_t *param,
    ngx_str_t *value, void *field)
{
    ngx_str_t  *text = field;

    if (text->data) {
        return NGX_BUSY;
    }

    *text = *value;

    return value->len ? NGX_OK : NGX_DECLINED;
}
