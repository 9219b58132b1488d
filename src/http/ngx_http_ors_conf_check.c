
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
static ngx_uint_t ngx_http_ors_conf_returns(ngx_conf_t *cf,
    ngx_http_core_loc_conf_t *clcf);
static void *ngx_http_ors_conf_first(ngx_conf_t *cf,
    ngx_http_core_loc_conf_t *clcf, char *module);
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

    if (conf->enable != 1 && conf->validate != NGX_CONF_UNSET_UINT
        && conf->validate && !ngx_http_ors_conf_answers(cf, clcf))
    {
        ngx_conf_log_error(NGX_LOG_WARN, cf, 0,
                           "location \"%V\" with \"open_responses_validate\" "
                           "has nothing that answers, such as \"proxy_pass\"",
                           &clcf->name);
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
    if (conf->page == NULL
        || (clcf->handler == conf->page
            && !ngx_http_ors_conf_returns(cf, clcf)))
    {
        return NGX_OK;
    }

    ngx_ors_conf_error(cf, 0,
                       "\"open_responses_status\" and another content handler "
                       "such as \"proxy_pass\" or \"return\" are in location "
                       "\"%V\"", &clcf->name);
    return NGX_ERROR;
}


ngx_uint_t
ngx_http_ors_conf_answers(ngx_conf_t *cf, ngx_http_core_loc_conf_t *clcf)
{
    return clcf->handler
           || ngx_http_ors_conf_first(cf, clcf, "ngx_http_rewrite_module")
           || ngx_http_ors_conf_first(cf, clcf, "ngx_http_try_files_module");
}


static ngx_uint_t
ngx_http_ors_conf_returns(ngx_conf_t *cf, ngx_http_core_loc_conf_t *clcf)
{
    ngx_array_t              *codes;
    ngx_http_script_code_pt  *code;

    codes = ngx_http_ors_conf_first(cf, clcf, "ngx_http_rewrite_module");

    if (codes == NULL) {
        return 0;
    }

    code = codes->elts;

    return *code == ngx_http_script_return_code;
}


/* what a module's private configuration begins with, if it is there */

static void *
ngx_http_ors_conf_first(ngx_conf_t *cf, ngx_http_core_loc_conf_t *clcf,
    char *module)
{
    void       **conf;
    ngx_int_t    index;

    index = ngx_ors_conf_module(cf, module);

    if (index == NGX_ERROR) {
        return NULL;
    }

    conf = clcf->loc_conf[index];

    return conf[0];
}
