
/*
 * Requests to an MCP server: a message is the body of a POST to the server's
 * location, with the headers that MCP wants beside it; the rest of an answer
 * that has broken off is asked for by a GET.
 */


#ifndef _NGX_ORS_MCP_REQUEST_H_INCLUDED_
#define _NGX_ORS_MCP_REQUEST_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_mcp.h>


typedef struct ngx_ors_mcp_request_s  ngx_ors_mcp_request_t;


struct ngx_ors_mcp_request_s {
    ngx_str_t                 method;     /* of JSON-RPC, static; empty: an */
                                          /* answer to the server, or a GET */
    uint64_t                  id;         /* 0: the message has no id of ours */
    ngx_array_t               headers;    /* of ngx_keyval_t */
    ngx_chain_t              *body;       /* NULL: a GET */
    size_t                    size;       /* of the body */
    ngx_msec_t                delay;      /* to wait before it is sent */
    unsigned                  ends:1;     /* a DELETE in place of a GET */
    ngx_ors_mcp_request_t    *next;       /* see ngx_ors_mcp_dialog_t */
};


/* common to all messages to one server */

typedef struct {
    ngx_pool_t               *pool;       /* of messages */
    ngx_ors_mcp_version_e     version;    /* a modern one has its own form */
    ngx_str_t                 session;    /* id of the session, may be empty */
} ngx_ors_mcp_sender_t;


typedef struct {
    ngx_str_t                 name;       /* of the tool */
    ngx_str_t                 arguments;  /* a JSON object, borrowed as long */
                                          /* as the message */
    ngx_str_t                 state;      /* JSON: "requestState", or empty */
    ngx_array_t              *params;     /* of ngx_keyval_t: headers of */
                                          /* parameters, or NULL */
} ngx_ors_mcp_arguments_t;


/*
 * Each of these makes a message in memory of sender->pool: NULL, no memory.
 * "id" is one that no other request to the server has.
 */

/* "cursor" is the inside of a JSON string, or NULL: the first page. */
ngx_ors_mcp_request_t *ngx_ors_mcp_request_list(ngx_ors_mcp_sender_t *sender,
    uint64_t id, ngx_str_t *cursor);

ngx_ors_mcp_request_t *ngx_ors_mcp_request_call(ngx_ors_mcp_sender_t *sender,
    uint64_t id, ngx_ors_mcp_arguments_t *args);

/* The legacy era: a session begins, asking for sender->version. */
ngx_ors_mcp_request_t *ngx_ors_mcp_request_initialize(
    ngx_ors_mcp_sender_t *sender, uint64_t id);

/* ... it has begun */
ngx_ors_mcp_request_t *ngx_ors_mcp_request_initialized(
    ngx_ors_mcp_sender_t *sender);

/* ... the answer to request "id" is not awaited any more */
ngx_ors_mcp_request_t *ngx_ors_mcp_request_cancelled(
    ngx_ors_mcp_sender_t *sender, uint64_t id);

/* ... a stream goes on after the event with "id", which is borrowed */
ngx_ors_mcp_request_t *ngx_ors_mcp_request_resume(
    ngx_ors_mcp_sender_t *sender, ngx_str_t *id);

/* ... the session is over, which is a DELETE */
ngx_ors_mcp_request_t *ngx_ors_mcp_request_end(ngx_ors_mcp_sender_t *sender);

/*
 * ... an answer to a request of the server: "id" is that request's, as JSON;
 * a "ping" is answered, any other request is refused
 */
ngx_ors_mcp_request_t *ngx_ors_mcp_request_answer(
    ngx_ors_mcp_sender_t *sender, ngx_str_t *id, ngx_uint_t ping);


#endif /* _NGX_ORS_MCP_REQUEST_H_INCLUDED_ */
