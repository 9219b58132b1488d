
/*
 * The dialog with an MCP server about one thing: the list of its tools, or a
 * call to one of them.  A pure machine: the progress of HTTP requests goes
 * in; requests to be sent and the outcome come out.
 */


#ifndef _NGX_ORS_MCP_DIALOG_H_INCLUDED_
#define _NGX_ORS_MCP_DIALOG_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_mcp_request.h>
#include <ngx_ors_mcp_list.h>
#include <ngx_ors_mcp_message.h>
#include <ngx_ors_mcp_result.h>


/*
 * Calls that a server may want again, its requests that are answered, and
 * streams of one answer
 */
#define NGX_ORS_MCP_REPEATS    3
#define NGX_ORS_MCP_ASIDES     16
#define NGX_ORS_MCP_RESUMES    100

/* the wait before a stream is resumed, ms, and the bounds of a server's */
#define NGX_ORS_MCP_RETRY      1000
#define NGX_ORS_MCP_RETRY_MIN  100
#define NGX_ORS_MCP_RETRY_MAX  3600000


typedef enum {
    ngx_ors_mcp_dialog_st_new = 0,      /* nothing has been sent */
    ngx_ors_mcp_dialog_st_initialize,   /* a session begins */
    ngx_ors_mcp_dialog_st_initialized,  /* ... and the server learns it */
    ngx_ors_mcp_dialog_st_list,         /* a page of the list is awaited */
    ngx_ors_mcp_dialog_st_call,         /* the result of the call */
    ngx_ors_mcp_dialog_st_done,         /* there is a list or a result */
    ngx_ors_mcp_dialog_st_failed        /* there is an error */
} ngx_ors_mcp_dialog_state_e;

#define NGX_ORS_MCP_DIALOG_STATES  (ngx_ors_mcp_dialog_st_failed + 1)


typedef enum {
    ngx_ors_mcp_dialog_ev_start = 0,
    ngx_ors_mcp_dialog_ev_header,       /* status, type and session are set */
    ngx_ors_mcp_dialog_ev_body,         /* "in" has bytes */
    ngx_ors_mcp_dialog_ev_end,          /* the answer is complete */
    ngx_ors_mcp_dialog_ev_cut,          /* it is not, and no more will come */
    ngx_ors_mcp_dialog_ev_timeout,      /* nothing has come for too long */
    ngx_ors_mcp_dialog_ev_close         /* the outcome is not awaited */
} ngx_ors_mcp_dialog_event_e;

#define NGX_ORS_MCP_DIALOG_EVENTS  (ngx_ors_mcp_dialog_ev_close + 1)


/*
 * Facts about a server, shared by all dialogs of a worker with it that
 * have the same credentials.  Zeroed memory: nothing is.  The version may be
 * what another worker has learned, all else may not.
 */

typedef struct {
    ngx_ors_mcp_version_e        version;
    uint64_t                     id;          /* of the last request */
    ngx_uint_t                   generation;  /* of the session */
    size_t                       len;         /* of its id, which is secret */
    u_char                       session[NGX_ORS_MCP_SESSION_MAX];
    unsigned                     ready:1;     /* a legacy server: requests */
                                              /* may be sent */
} ngx_ors_mcp_peer_t;


/* zeroed memory; the first part is set before the first event */

typedef struct {
    ngx_ors_mcp_peer_t          *peer;
    ngx_ors_mcp_limits_t        *limits;
    ngx_pool_t                  *pool;        /* of the dialog */
    ngx_log_t                   *log;
    ngx_log_t                   *list_log;    /* lives as long as lists */
    ngx_str_t                    name;        /* of the tool to be called; */
                                              /* empty: the list is wanted */
    ngx_str_t                    arguments;   /* as the model wrote them */
    ngx_ors_mcp_tool_t          *tool;        /* NULL: not known */
    unsigned                     lists:1;     /* the list is read before the */
                                              /* call */

    /* of the answer, before an event */
    ngx_uint_t                   status;
    ngx_str_t                    type;        /* Content-Type */
    ngx_str_t                    session;     /* Mcp-Session-Id, or empty */
    ngx_buf_t                   *in;

    /* for the caller, after an event */
    ngx_ors_mcp_request_t       *request;     /* to be sent now */
    ngx_ors_mcp_request_t       *asides;      /* to be sent too, whatever */
                                              /* the answers are */
    ngx_ors_mcp_list_t          *list;        /* a new one, if "listed" */
    ngx_ors_mcp_result_t         result;
    ngx_ors_mcp_error_t          error;
    ngx_ors_mcp_sender_t         sender;      /* of the last request, in */
    uint64_t                     id;          /* memory of the dialog, its id */
    unsigned                     stale:1;     /* the tool's list is old */
    unsigned                     listed:1;    /* the list was read */

    /* private */
    ngx_ors_mcp_dialog_state_e   state;
    ngx_ors_mcp_reader_t         reader;
    ngx_ors_json_t               json;        /* of the arguments */
    ngx_uint_t                   generation;
    ngx_uint_t                   repeats;
    ngx_uint_t                   nasides;
    ngx_uint_t                   resumes;     /* of this answer */
    size_t                       size;        /* bytes of all answers */
    unsigned                     begun:1;     /* a session has begun here */
    unsigned                     modern:1;    /* a modern request was sent */
} ngx_ors_mcp_dialog_t;


/*
 * Takes one step.  Whenever dialog->request is set, the caller sends it, after
 * its delay, in place of the one before, of which no event may come any more,
 * and sets it to NULL; the same with the chain of dialog->asides, of which
 * none may come at all.
 *
 * NGX_AGAIN   an answer is awaited
 * NGX_OK      dialog->list or dialog->result is there; of a tool that has
 *             failed dialog->error
 * NGX_DONE    dialog->error says why there is nothing
 * NGX_ERROR   no memory
 *
 * A list has a reference of the dialog until ngx_ors_mcp_dialog_ev_close,
 * which must be the last event of each dialog.
 */
ngx_int_t ngx_ors_mcp_dialog_step(ngx_ors_mcp_dialog_t *dialog,
    ngx_ors_mcp_dialog_event_e event);

/*
 * 1 if the server would go on with request dialog->id after the dialog is
 * closed: it has to be told, by ngx_ors_mcp_request_cancelled().
 */
ngx_uint_t ngx_ors_mcp_dialog_lingers(ngx_ors_mcp_dialog_t *dialog);

/* The names of a state and an event for logs, static text. */
char *ngx_ors_mcp_dialog_state(ngx_ors_mcp_dialog_state_e state);
char *ngx_ors_mcp_dialog_event(ngx_ors_mcp_dialog_event_e event);


#endif /* _NGX_ORS_MCP_DIALOG_H_INCLUDED_ */
