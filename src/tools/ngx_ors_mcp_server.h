
/*
 * MCP servers as a worker knows them: for each server and each credentials the
 * session and the list of tools, found by a key.
 */


#ifndef _NGX_ORS_MCP_SERVER_H_INCLUDED_
#define _NGX_ORS_MCP_SERVER_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_mcp_dialog.h>
#include <ngx_ors_mcp_list.h>


#define NGX_ORS_MCP_KEY     32
#define NGX_ORS_MCP_CHAINS  64


typedef struct ngx_ors_mcp_server_s  ngx_ors_mcp_server_t;


/* "server" is going to be forgotten, and its session may be ended */
typedef void (*ngx_ors_mcp_server_pt)(ngx_ors_mcp_server_t *server,
    void *data);


typedef struct {
    ngx_queue_t            used;         /* the last one used is first */
    ngx_queue_t            chains[NGX_ORS_MCP_CHAINS];
    ngx_queue_t            origins[NGX_ORS_MCP_CHAINS];  /* as "used" */
    ngx_log_t             *log;
    ngx_uint_t             n;
    ngx_uint_t             max;
    ngx_uint_t             share;        /* of them that one origin may have */
    ngx_msec_t             stale;
    ngx_ors_mcp_server_pt  ended;        /* the caller's, or NULL */
    void                  *data;
} ngx_ors_mcp_servers_t;


struct ngx_ors_mcp_server_s {
    ngx_ors_mcp_peer_t      peer;        /* for dialogs with the server */
    void                   *conf;        /* the caller's, NULL at first: */
    void                   *reader;      /* who reads the list, */
    ngx_queue_t             waiting;     /* and who waits for it */

    /* private */
    ngx_ors_mcp_servers_t  *servers;
    ngx_queue_t             used;
    ngx_queue_t             chain;
    ngx_queue_t             mine;        /* those of its origin */
    ngx_ors_mcp_list_t     *list;
    ngx_msec_t              expires;     /* the list */
    ngx_uint_t              references;
    uint32_t                origin;      /* who has added it; 0: everybody */
    u_char                  key[NGX_ORS_MCP_KEY];
};


/*
 * "open_responses_mcp": a server of MCP that a location names, which of its
 * tools may be used, and which ones only with the user's approval.
 */


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
 * Prepares an empty table of about "max" servers, "share" of them for one
 * origin: more are in it only while they are used.  A list may be served
 * "stale" ms after it has expired.  "log" must live as long as the table.
 */
void ngx_ors_mcp_servers_init(ngx_ors_mcp_servers_t *servers, ngx_uint_t max,
    ngx_uint_t share, ngx_msec_t stale, ngx_log_t *log);

/* Releases all servers, none of which may be used any more. */
void ngx_ors_mcp_servers_clear(ngx_ors_mcp_servers_t *servers);

/*
 * The server with "key", NGX_ORS_MCP_KEY bytes that no other server and no
 * other credentials have; nothing is known of a new one, which counts in the
 * share of "origin", of none if that is 0.  It is to be given back by
 * ngx_ors_mcp_server_release().  NULL: no memory.
 */
ngx_ors_mcp_server_t *ngx_ors_mcp_server_get(ngx_ors_mcp_servers_t *servers,
    u_char *key, uint32_t origin);
void ngx_ors_mcp_server_release(ngx_ors_mcp_server_t *server);

/*
 * The list of the server's tools; "*list" is borrowed until the next call for
 * this server, or longer by ngx_ors_mcp_list_hold().
 *
 * NGX_OK         "*list" is set
 * NGX_AGAIN      "*list" is set and has expired: a new one should be read, and
 *                this one serves if that fails
 * NGX_DECLINED   there is none
 */
ngx_int_t ngx_ors_mcp_server_list(ngx_ors_mcp_server_t *server,
    ngx_msec_t now, ngx_ors_mcp_list_t **list);

/*
 * Keeps "list" for the time that the server gives it, else for "ttl" ms, in
 * place of any other.  A list that is list->shared may be kept for the server
 * with the key of no credentials.
 */
void ngx_ors_mcp_server_keep(ngx_ors_mcp_server_t *server,
    ngx_ors_mcp_list_t *list, ngx_msec_t now, ngx_msec_t ttl);

/* The list has proved to be an old one: it has expired. */
void ngx_ors_mcp_server_expire(ngx_ors_mcp_server_t *server, ngx_msec_t now);

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


#endif /* _NGX_ORS_MCP_SERVER_H_INCLUDED_ */
