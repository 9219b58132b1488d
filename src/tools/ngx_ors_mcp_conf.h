
/*
 * "open_responses_mcp": a server of MCP that a location names, which of its
 * tools may be used, and which ones only with the user's approval.
 */


#ifndef _NGX_ORS_MCP_CONF_H_INCLUDED_
#define _NGX_ORS_MCP_CONF_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_mcp_list.h>


/* zeroed memory selects nothing */

typedef struct {
    ngx_array_t               *names;       /* of ngx_str_t, or NULL */
    unsigned                   all:1;
    unsigned                   read_only:1; /* tools that say they are */
} ngx_ors_mcp_selection_t;


/* who decides whether a call needs approval */

typedef enum {
    ngx_ors_mcp_consent_client = 0,
    ngx_ors_mcp_consent_always,             /* it does, whatever clients say */
    ngx_ors_mcp_consent_never               /* not unless a client wants it */
} ngx_ors_mcp_consent_e;


typedef struct {
    ngx_str_t                  label;
    ngx_str_t                  uri;         /* of the server's location */
    ngx_str_t                  url;         /* as clients name it, or empty */
    ngx_str_t                  prefix;      /* of names for the model */
    ngx_ors_mcp_selection_t    allowed;
    ngx_ors_mcp_consent_e      consent;     /* of the tools in "selected" */
    ngx_ors_mcp_consent_e      otherwise;   /* of all others */
    ngx_ors_mcp_selection_t    selected;
    ngx_msec_t                 timeout;     /* of a list or a call, ms */
    ngx_msec_t                 list_ttl;    /* of a list without its own, ms */
} ngx_ors_mcp_conf_t;


/*
 * "open_responses_mcp LABEL URI [allowed=LIST] [require_approval=always|never
 * |always:LIST|never:LIST] [prefix=NAME] [timeout=TIME] [list_ttl=TIME]
 * [url=URL]":
 * cmd->offset is that of an ngx_array_t * in "conf", NGX_CONF_UNSET_PTR or of
 * ngx_ors_mcp_conf_t.  A LIST has names of tools, or "read_only" for all that
 * say they are, with commas between.
 */
char *ngx_ors_mcp_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

/* The server with the label, or NULL; "servers" may be NULL. */
ngx_ors_mcp_conf_t *ngx_ors_mcp_conf_find(ngx_array_t *servers,
    ngx_str_t *label);

/* 1 if "tool" is one of the selection. */
ngx_uint_t ngx_ors_mcp_selected(ngx_ors_mcp_selection_t *selection,
    ngx_ors_mcp_tool_t *tool);

/* Who decides whether a call of "tool" needs approval. */
ngx_ors_mcp_consent_e ngx_ors_mcp_consent(ngx_ors_mcp_conf_t *mcp,
    ngx_ors_mcp_tool_t *tool);


#endif /* _NGX_ORS_MCP_CONF_H_INCLUDED_ */
