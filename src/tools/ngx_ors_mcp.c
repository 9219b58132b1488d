
/*
 * Copyright (C) Open Responses contributors
 */


/* The versions of MCP by their dates, and the limits of its answers. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_mcp.h>
#include <ngx_ors_names.h>


/* bytes of the shortest limit of an answer */
#define NGX_ORS_MCP_DOCUMENT  (8 * 1024 * 1024)


static ngx_str_t  ngx_ors_mcp_versions[NGX_ORS_MCP_VERSIONS] = {
    ngx_null_string,
    ngx_string("2024-11-05"),
    ngx_string("2025-03-26"),
    ngx_string("2025-06-18"),
    ngx_string("2025-11-25"),
    ngx_string("2026-07-28")
};


void
ngx_ors_mcp_limits_set(ngx_ors_mcp_limits_t *limits, size_t output)
{
    /* a text may be escaped, and stand beside others */

    limits->document = ngx_max(NGX_ORS_MCP_DOCUMENT, 2 * output);
    limits->dialog = limits->document + 10 * output;

    limits->depth = 64;
    limits->nodes = 200000;

    limits->pages = 100;
    limits->tools = 1024;
    limits->tool = 64 * 1024;
    limits->list = 2 * 1024 * 1024;

    limits->output = output;
}


ngx_str_t *
ngx_ors_mcp_version_name(ngx_ors_mcp_version_e version)
{
    return &ngx_ors_mcp_versions[version];
}


ngx_ors_mcp_version_e
ngx_ors_mcp_version(ngx_str_t *name)
{
    ngx_uint_t  i;

    for (i = NGX_ORS_MCP_VERSIONS - 1; i > 0; i--) {

        if (ngx_ors_same(name, &ngx_ors_mcp_versions[i])) {
            break;
        }
    }

    return i;
}


ngx_int_t
ngx_ors_mcp_invalid(char **invalid, char *why)
{
    *invalid = why;

    return NGX_DECLINED;
}
