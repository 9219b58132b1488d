
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Variables of nginx that a call shares with its main request, although
 * each of the two needs its own value.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_call.h>


static ngx_str_t  ngx_http_ors_call_body_variables[] = {
    ngx_string("content_length"),
    ngx_string("content_type"),
    ngx_string("http_content_length"),
    ngx_string("http_content_type"),
    ngx_string("request_body"),
    ngx_string("request_body_file")
};


void
ngx_http_ors_call_forget(ngx_http_request_t *r)
{
    ngx_int_t                 *index;
    ngx_uint_t                 i;
    ngx_http_ors_main_conf_t  *omcf;

    omcf = ngx_http_get_module_main_conf(r, ngx_http_open_responses_module);
    index = omcf->variables.elts;

    for (i = 0; i < omcf->variables.nelts; i++) {
        r->variables[index[i]].valid = 0;
        r->variables[index[i]].not_found = 0;
    }
}


ngx_int_t
ngx_http_ors_call_variables_init(ngx_conf_t *cf)
{
    ngx_int_t                 *index;
    ngx_uint_t                 i, n;
    ngx_http_ors_main_conf_t  *omcf;

    omcf = ngx_http_conf_get_module_main_conf(cf,
                                              ngx_http_open_responses_module);

    n = sizeof(ngx_http_ors_call_body_variables) / sizeof(ngx_str_t);

    if (ngx_array_init(&omcf->variables, cf->pool, n, sizeof(ngx_int_t))
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    for (i = 0; i < n; i++) {
        index = ngx_array_push(&omcf->variables);

        *index = ngx_http_get_variable_index(cf,
                                        &ngx_http_ors_call_body_variables[i]);
        if (*index == NGX_ERROR) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}
