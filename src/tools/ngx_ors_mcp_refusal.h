
/*
 * Reasons why an MCP server refuses a request: the wrong era, a lost
 * session, headers of an old schema, or the end.
 */


#ifndef _NGX_ORS_MCP_REFUSAL_H_INCLUDED_
#define _NGX_ORS_MCP_REFUSAL_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_mcp.h>
#include <ngx_ors_mcp_message.h>


typedef enum {
    ngx_ors_mcp_refusal_final = 0,
    ngx_ors_mcp_refusal_begin,      /* a legacy session is to begin, anew */
    ngx_ors_mcp_refusal_modern,     /* the server is of the modern era */
    ngx_ors_mcp_refusal_list        /* the headers are those of an old list */
} ngx_ors_mcp_refusal_e;


/*
 * The next step after "tools/list" or "tools/call" was refused.  "sent" is the
 * version of the request, "known" what was known of the server before it.
 * "message" is the error in the body, NULL without one.  Of
 * ngx_ors_mcp_refusal_begin "*version" is the one to ask for.
 *
 * Nothing is sent again that may have had an effect.
 */
ngx_ors_mcp_refusal_e ngx_ors_mcp_refusal(ngx_ors_mcp_version_e sent,
    ngx_ors_mcp_version_e known, ngx_uint_t status,
    ngx_ors_mcp_message_t *message, ngx_ors_mcp_version_e *version);

/* The same of "initialize", which only a server of the modern era refuses. */
ngx_ors_mcp_refusal_e ngx_ors_mcp_refusal_initialize(ngx_uint_t status,
    ngx_ors_mcp_message_t *message);


#endif /* _NGX_ORS_MCP_REFUSAL_H_INCLUDED_ */
