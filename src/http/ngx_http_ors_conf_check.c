
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Checks what is right word by word and wrong as a whole: directives in a
 * location where they have no effect, and locations without a handler.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>
#include <ngx_ors_chat_conf.h>
#include <ngx_ors_conf.h>


static char *ngx_http_ors_conf_of_target(ngx_http_ors_loc_conf_t *conf);
static char *ngx_http_ors_conf_of_gateway(ngx_http_ors_loc_conf_t *conf);
static ngx_int_t ngx_http_ors_conf_page(ngx_conf_t *cf,
    ngx_http_core_loc_conf_t *clcf, ngx_http_ors_loc_conf_t *conf);


/* directives of locations in it would be inherited by nested ones */

ngx_int_t
ngx_http_ors_conf_check(ngx_conf_t *cf, ngx_http_core_loc_conf_t *clcf,
    ngx_http_ors_loc_conf_t *conf, ngx_uint_t validate)
{
    char  *name;

    if (clcf->name.len == 0 || clcf->noname) {
        return NGX_OK;
    }

    if (ngx_http_ors_conf_page(cf, clcf, conf) != NGX_OK) {
        return NGX_ERROR;
    }

    if (clcf->locations) {
        return NGX_OK;
    }

    name = (conf->enable == 1) ? ngx_http_ors_conf_of_target(conf) : NULL;

    if (name) {
        ngx_ors_conf_error(cf, 0,
                           "\"%s\" has no effect in location \"%V\" with "
                           "\"open_responses on\", set it in the location "
                           "that \"open_responses_target\" names", name,
                           &clcf->name);
        return NGX_ERROR;
    }

    name = (conf->enable != 1 && validate) ? ngx_http_ors_conf_of_gateway(conf)
                                           : NULL;

    if (name) {
        ngx_ors_conf_error(cf, 0,
                           "\"%s\" has no effect in location \"%V\", it needs "
                           "\"open_responses on\" in place of "
                           "\"open_responses_validate\"", name, &clcf->name);
        return NGX_ERROR;
    }

    name = (conf->enable != 1 && !validate
            && conf->dialect != NGX_CONF_UNSET_UINT)
           ? ngx_http_ors_conf_of_gateway(conf) : NULL;

    if (name == NULL && conf->enable != 1 && !validate
        && conf->dialect != NGX_CONF_UNSET_UINT
        && conf->strict != NGX_CONF_UNSET)
    {
        name = "open_responses_strict";
    }

    if (name) {
        ngx_ors_conf_error(cf, 0,
                           "\"%s\" has no effect in location \"%V\" with "
                           "\"open_responses_dialect\", set it in the "
                           "location with \"open_responses on\"", name,
                           &clcf->name);
        return NGX_ERROR;
    }

    return NGX_OK;
}


/* NULL: it has no directive that is for a target only */

static char *
ngx_http_ors_conf_of_target(ngx_http_ors_loc_conf_t *conf)
{
    if (conf->dialect != NGX_CONF_UNSET_UINT) {
        return "open_responses_dialect";
    }

    if (conf->model.data) {
        return "open_responses_model";
    }

    if (conf->inline_context != NGX_CONF_UNSET) {
        return "open_responses_inline_context";
    }

    return ngx_ors_chat_options_own(&conf->options);
}


static char *
ngx_http_ors_conf_of_gateway(ngx_http_ors_loc_conf_t *conf)
{
    if (conf->routes != NGX_CONF_UNSET_PTR) {
        return "open_responses_target";
    }

    if (conf->hosting.tools != NGX_CONF_UNSET_PTR) {
        return "open_responses_tool";
    }

    if (conf->hosting.servers != NGX_CONF_UNSET_PTR) {
        return "open_responses_mcp";
    }

    if (conf->conform.mode != NGX_CONF_UNSET_UINT) {
        return "open_responses_schema";
    }

    if (conf->stored.store != NGX_CONF_UNSET_PTR && conf->stored.store) {
        return "open_responses_store";
    }

    if (conf->websocket == ngx_http_ors_websocket_on) {
        return "open_responses_websocket on";
    }

    return NULL;
}


/* a status page beside another handler would never be seen */

static ngx_int_t
ngx_http_ors_conf_page(ngx_conf_t *cf, ngx_http_core_loc_conf_t *clcf,
    ngx_http_ors_loc_conf_t *conf)
{
    if (conf->page == NULL || clcf->handler == conf->page) {
        return NGX_OK;
    }

    ngx_ors_conf_error(cf, 0,
                       "\"open_responses_status\" and another content handler "
                       "such as \"proxy_pass\" are in location \"%V\"",
                       &clcf->name);
    return NGX_ERROR;
}
