
/*
 * Dialogs with MCP servers: each request of a dialog is a background
 * subrequest to the location of its server.
 */


#ifndef _NGX_HTTP_ORS_MCP_H_INCLUDED_
#define _NGX_HTTP_ORS_MCP_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_subrequest.h>
#include <ngx_ors_mcp_dialog.h>
#include <ngx_ors_mcp_server.h>


/* a request of a dialog */

typedef struct {
    ngx_http_ors_call_t       call;       /* the subrequest; stays the first */
    ngx_http_ors_mcp_t       *mcp;        /* its dialog */
    ngx_ors_mcp_request_t    *message;
    unsigned                  aside:1;    /* its answer does not matter */
    unsigned                  headed:1;   /* the dialog knows the header */
} ngx_http_ors_mcp_call_t;


/* a dialog: about a list, or about a call */

struct ngx_http_ors_mcp_s {
    ngx_http_ors_ctx_t       *ctx;
    ngx_ors_mcp_conf_t       *conf;
    ngx_ors_mcp_use_t        *use;        /* the list is for it, or NULL */
    ngx_ors_round_call_t     *called;     /* the model's call, or NULL */
    ngx_ors_mcp_server_t     *server;
    ngx_ors_mcp_peer_t       *peer;       /* the server's, or this request's */
    ngx_ors_mcp_server_t     *shared;     /* the same without credentials */
    ngx_ors_callee_conf_t    *callee;     /* facts that all workers share */
    ngx_ors_mcp_limits_t      limits;
    ngx_ors_mcp_dialog_t      dialog;
    ngx_http_ors_mcp_call_t  *call;       /* the last one, or NULL */
    ngx_http_ors_mcp_call_t  *aside;      /* the same */
    ngx_event_t               timer;
    ngx_event_t               pause;      /* before the next request */
    ngx_queue_t               queue;      /* of server->waiting, if "waits" */
    ngx_msec_t                started;
    ngx_int_t                 rc;         /* of the dialog's last step */
    ngx_http_ors_mcp_t       *next;       /* of the request */
    unsigned                  waits:1;    /* for the list that another one */
                                          /* reads, or to read it then */
    unsigned                  told:1;     /* ... which has ended */
    unsigned                  timedout:1;
    unsigned                  over:1;     /* the outcome is there */
    unsigned                  closed:1;
};


/*
 * Makes a dialog with the server of "conf", about its list; a call's name,
 * arguments and tool are to be set in mcp->dialog.  NULL: no memory.
 */
ngx_http_ors_mcp_t *ngx_http_ors_mcp_create(ngx_http_ors_ctx_t *ctx,
    ngx_ors_mcp_conf_t *conf);

/* Sends the first request.  NGX_OK or NGX_ERROR. */
ngx_int_t ngx_http_ors_mcp_begin(ngx_http_ors_mcp_t *mcp);

/*
 * Goes on with a dialog when something has happened: ends a request, sends the
 * next ones.
 *
 * NGX_OK      the outcome is in mcp->dialog
 * NGX_AGAIN   the main request will be posted
 * NGX_ERROR   no memory
 */
ngx_int_t ngx_http_ors_mcp_run(ngx_http_ors_mcp_t *mcp);

/* Removes the timers of all dialogs, and gives their servers back. */
void ngx_http_ors_mcp_cleanup(ngx_http_ors_ctx_t *ctx);

/* Prepares the table of servers.  NGX_OK or NGX_ERROR. */
ngx_int_t ngx_http_ors_mcp_table(ngx_conf_t *cf,
    ngx_http_ors_main_conf_t *omcf);


/*
 * Tells the server of "conf" that request "id" of sender->session is over, or,
 * if that is 0, the session: from a request without a client, which lives on
 * for 2 s at most.  Messages of one session follow each other; those over a
 * bound are dropped, logged and counted.
 */
void ngx_http_ors_mcp_leave(ngx_http_ors_ctx_t *ctx, ngx_ors_mcp_conf_t *conf,
    ngx_ors_mcp_sender_t *sender, uint64_t id);

/*
 * Ends the session that "peer" has with the server of "conf", if there is one,
 * in the same way, and forgets it.
 */
void ngx_http_ors_mcp_end(ngx_http_ors_ctx_t *ctx, ngx_ors_mcp_conf_t *conf,
    ngx_ors_mcp_peer_t *peer);


/*
 * Called in front of a call to a target: reads the lists of tools that the
 * request needs, or takes them from memory.
 *
 * NGX_OK         the lists are there, or none is needed
 * NGX_AGAIN      they are being read, or approved calls claimed: the call's
 *                subrequest will go on
 * NGX_DONE       the call's subrequest is to end: the turn has failed, or tools
 *                are to run first
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_http_ors_mcp_load(ngx_http_ors_ctx_t *ctx, ngx_uint_t dialect);

/*
 * The tool of a call for which no list was read by the turn: sets dialog->tool
 * from the list that is known, else lets the dialog read one in front of the
 * call.  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_http_ors_mcp_tool(ngx_http_ors_mcp_t *mcp);

/*
 * Keeps the list that a dialog has read for the requests to come, and looks for
 * the tools in it that the location names.
 */
void ngx_http_ors_mcp_keep(ngx_http_ors_mcp_t *mcp);

/* Goes on with the lists that are being read.  NGX_OK or NGX_ERROR. */
ngx_int_t ngx_http_ors_mcp_listing(ngx_http_ors_ctx_t *ctx);


/* Sends "message" of a dialog.  NGX_OK or NGX_ERROR. */
ngx_int_t ngx_http_ors_mcp_send(ngx_http_ors_mcp_t *mcp,
    ngx_ors_mcp_request_t *message, ngx_uint_t aside);


#endif /* _NGX_HTTP_ORS_MCP_H_INCLUDED_ */
