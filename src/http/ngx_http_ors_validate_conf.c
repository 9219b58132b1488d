
/*
 * Copyright (C) Open Responses contributors
 */


/* The setter of "open_responses_validate", and the words that it takes. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>
#include <ngx_ors_conf.h>


static ngx_conf_enum_t  ngx_http_ors_validates[] = {
    { ngx_string("off"), 0 },
    { ngx_string("request"), NGX_HTTP_ORS_VALIDATE_REQUEST },
    { ngx_string("response"), NGX_HTTP_ORS_VALIDATE_RESPONSE },
    { ngx_string("on"),
      NGX_HTTP_ORS_VALIDATE_REQUEST|NGX_HTTP_ORS_VALIDATE_RESPONSE },
    { ngx_null_string, 0 }
};


char *
ngx_http_ors_validate_set(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_ors_loc_conf_t  *olcf = conf;

    ngx_str_t   *value;
    ngx_uint_t   i;

    if (olcf->validate != NGX_CONF_UNSET_UINT) {
        return "is duplicate";
    }

    value = cf->args->elts;
    olcf->report = 0;
    olcf->broad = !(cf->cmd_type & NGX_HTTP_LOC_CONF);

    if (ngx_ors_conf_value(cf, "", &cmd->name,
                           ngx_http_ors_validates, &value[1],
                           &olcf->validate)
        != NGX_OK)
    {
        return NGX_CONF_ERROR;
    }

    for (i = 2; i < cf->args->nelts; i++) {

        if (ngx_strcmp(value[i].data, "report") == 0 && !olcf->report) {
            olcf->report = 1;

        } else if (ngx_strcmp(value[i].data, "any_path") == 0) {
            olcf->broad = 0;

        } else {
            ngx_ors_conf_error(cf, 0,
                               "invalid parameter \"%V\" of "
                               "\"open_responses_validate\", it must be "
                               "\"report\" or \"any_path\", once", &value[i]);
            return NGX_CONF_ERROR;
        }
    }

    return NGX_CONF_OK;
}
