
/*
 * MCP, the Model Context Protocol over HTTP: its versions, and the limits of
 * what a server may answer.
 */


#ifndef _NGX_ORS_MCP_H_INCLUDED_
#define _NGX_ORS_MCP_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


/* codes of JSON-RPC errors */

#define NGX_ORS_MCP_INVALID_REQUEST  -32600
#define NGX_ORS_MCP_NO_METHOD        -32601
#define NGX_ORS_MCP_INVALID_PARAMS   -32602
#define NGX_ORS_MCP_INTERNAL         -32603
#define NGX_ORS_MCP_HEADERS          -32020
#define NGX_ORS_MCP_CAPABILITY       -32021
#define NGX_ORS_MCP_VERSION          -32022

/* HTTP statuses of requests without a whole answer */

#define NGX_ORS_MCP_BAD_GATEWAY      502
#define NGX_ORS_MCP_TIMEOUT          504

/* bytes of the id of a session */
#define NGX_ORS_MCP_SESSION_MAX      4096


/*
 * Versions in the order of their dates.  A server of the modern era needs
 * neither "initialize" nor a session, one of the legacy era may need both.
 */

typedef enum {
    ngx_ors_mcp_version_none = 0,       /* not known yet */
    ngx_ors_mcp_version_2024_11_05,
    ngx_ors_mcp_version_2025_03_26,
    ngx_ors_mcp_version_2025_06_18,
    ngx_ors_mcp_version_2025_11_25,
    ngx_ors_mcp_version_2026_07_28
} ngx_ors_mcp_version_e;

#define NGX_ORS_MCP_VERSIONS       (ngx_ors_mcp_version_2026_07_28 + 1)
#define NGX_ORS_MCP_MODERN         ngx_ors_mcp_version_2026_07_28
#define NGX_ORS_MCP_LEGACY         ngx_ors_mcp_version_2025_11_25

#define ngx_ors_mcp_is_modern(version)  ((version) >= NGX_ORS_MCP_MODERN)


typedef struct {
    size_t                   document;  /* bytes of an answer or an event */
    size_t                   dialog;    /* bytes of all answers, with what */
                                        /* is passed over in streams */
    ngx_uint_t               depth;     /* levels of JSON */
    ngx_uint_t               nodes;     /* values and names in a message */

    ngx_uint_t               pages;     /* of a list */
    ngx_uint_t               tools;     /* in a list */
    size_t                   tool;      /* bytes of a tool */
    size_t                   list;      /* bytes of all tools in a list */

    size_t                   output;    /* bytes of a result's text */
} ngx_ors_mcp_limits_t;


/* The limits of a server whose results have texts of "output" bytes at most. */
void ngx_ors_mcp_limits_set(ngx_ors_mcp_limits_t *limits, size_t output);

/* The date of a version, static text; empty for none. */
ngx_str_t *ngx_ors_mcp_version_name(ngx_ors_mcp_version_e version);

/* The version with the date "name", or ngx_ors_mcp_version_none. */
ngx_ors_mcp_version_e ngx_ors_mcp_version(ngx_str_t *name);

/* Sets "invalid" to the reason why what was read is; gives NGX_DECLINED. */
ngx_int_t ngx_ors_mcp_invalid(char **invalid, char *why);


#endif /* _NGX_ORS_MCP_H_INCLUDED_ */
