
/*
 * Copyright (C) Open Responses contributors
 */


/* The tools and MCP servers that gateways name, and what is known of them. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>
#include <ngx_ors_mcp_conf.h>
#include <ngx_ors_same.h>


static void ngx_http_ors_callees_fill(ngx_ors_callee_conf_t *callee,
    ngx_http_ors_loc_conf_t *olcf);


ngx_int_t
ngx_http_ors_callees_gateway(ngx_conf_t *cf, ngx_http_ors_loc_conf_t *olcf)
{
    ngx_uint_t          i;
    ngx_ors_hosting_t  *hosting;

    hosting = &olcf->hosting;

    olcf->ncallees = (hosting->tools ? hosting->tools->nelts : 0)
                     + (hosting->servers ? hosting->servers->nelts : 0);

    if (olcf->ncallees == 0) {
        return NGX_OK;
    }

    olcf->callees = ngx_pcalloc(cf->pool, olcf->ncallees
                                          * sizeof(ngx_ors_callee_conf_t));
    if (olcf->callees == NULL) {
        return NGX_ERROR;
    }

    for (i = 0; i < olcf->ncallees; i++) {
        olcf->callees[i].server = olcf->server->server_name;
    }

    ngx_http_ors_callees_fill(olcf->callees, olcf);

    return NGX_OK;
}


static void
ngx_http_ors_callees_fill(ngx_ors_callee_conf_t *callee,
    ngx_http_ors_loc_conf_t *olcf)
{
    ngx_uint_t           i;
    ngx_array_t         *tools, *servers;
    ngx_ors_tool_t      *tool;
    ngx_ors_mcp_conf_t  *mcp;

    tools = olcf->hosting.tools;
    servers = olcf->hosting.servers;

    for (i = 0; tools && i < tools->nelts; i++, callee++) {
        tool = (ngx_ors_tool_t *) tools->elts + i;

        callee->name = tool->name;
        callee->uri = tool->uri;
    }

    for (i = 0; servers && i < servers->nelts; i++, callee++) {
        mcp = (ngx_ors_mcp_conf_t *) servers->elts + i;

        callee->name = mcp->label;
        callee->uri = mcp->uri;
        callee->mcp = 1;
    }
}


ngx_uint_t
ngx_http_ors_callees_attach(ngx_http_ors_loc_conf_t *olcf,
    ngx_ors_stats_t *stats, ngx_slab_pool_t *shpool)
{
    ngx_uint_t  i, missing;

    missing = 0;

    for (i = 0; i < olcf->ncallees; i++) {
        ngx_ors_callee_attach(&stats->metrics.callees, &olcf->callees[i],
                              shpool);
        missing += (olcf->callees[i].callee == NULL);
    }

    return missing;
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
