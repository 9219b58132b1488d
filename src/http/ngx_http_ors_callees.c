
/*
 * Copyright (C) Open Responses contributors
 */


/* The tools and MCP servers that gateways name, and what is known of them. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>
#include <ngx_ors_mcp_server.h>
#include <ngx_ors_names.h>


ngx_int_t
ngx_http_ors_callees_gateway(ngx_conf_t *cf, ngx_http_ors_loc_conf_t *olcf)
{
    ngx_uint_t              i;
    ngx_array_t            *tools, *servers;
    ngx_ors_tool_t         *tool;
    ngx_ors_mcp_conf_t     *mcp;
    ngx_ors_callee_conf_t  *callee;

    tools = olcf->hosting.tools;
    servers = olcf->hosting.servers;

    olcf->ncallees = (tools ? tools->nelts : 0)
                     + (servers ? servers->nelts : 0);

    if (olcf->ncallees == 0) {
        return NGX_OK;
    }

    callee = ngx_pcalloc(cf->pool, olcf->ncallees
                                   * sizeof(ngx_ors_callee_conf_t));
    if (callee == NULL) {
        return NGX_ERROR;
    }

    olcf->callees = callee;

    for (i = 0; tools && i < tools->nelts; i++, callee++) {
        tool = (ngx_ors_tool_t *) tools->elts + i;

        callee->server = olcf->server->server_name;
        callee->name = tool->name;
        callee->uri = tool->uri;
    }

    for (i = 0; servers && i < servers->nelts; i++, callee++) {
        mcp = (ngx_ors_mcp_conf_t *) servers->elts + i;

        callee->server = olcf->server->server_name;
        callee->name = mcp->label;
        callee->uri = mcp->uri;
        callee->mcp = 1;
    }

    return NGX_OK;
}


ngx_ors_callee_conf_t *
ngx_http_ors_callee(ngx_http_ors_loc_conf_t *olcf, ngx_str_t *name,
    ngx_uint_t mcp)
{
    ngx_uint_t              i;
    ngx_ors_callee_conf_t  *callee;

    for (i = 0; i < olcf->ncallees; i++) {
        callee = &olcf->callees[i];

        if (callee->mcp == mcp && ngx_ors_same(&callee->name, name)) {
            return callee;
        }
    }

    return NULL;
}
