
/*
 * Requests to an MCP server: a message is the body of a POST to the server's
 * location, with the headers that MCP wants beside it; the rest of an answer
 * that has broken off is asked for by a GET.
 */


#ifndef _NGX_ORS_MCP_REQUEST_H_INCLUDED_
#define _NGX_ORS_MCP_REQUEST_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_json.h>


/*
 * MCP, the Model Context Protocol over HTTP: its versions, and the limits of
 * what a server may answer.
 */


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
 * Parameters of a tool that the modern era repeats in headers: properties of
 * its schema with "x-mcp-header".
 */


/* of one tool: a schema with more is refused */
#define NGX_ORS_MCP_PARAMS_MAX  64


typedef struct {
    ngx_str_t     header;     /* "Mcp-Param-Region" */
    ngx_str_t    *path;       /* names of properties, from the root down */
    ngx_uint_t    depth;      /* of them */
} ngx_ors_mcp_param_t;


/* The limits of a server whose results have texts of "output" bytes at most. */
void ngx_ors_mcp_limits_set(ngx_ors_mcp_limits_t *limits, size_t output);

/* The date of a version, static text; empty for none. */
ngx_str_t *ngx_ors_mcp_version_name(ngx_ors_mcp_version_e version);

/* The version with the date "name", or ngx_ors_mcp_version_none. */
ngx_ors_mcp_version_e ngx_ors_mcp_version(ngx_str_t *name);

/* Sets "invalid" to the reason why what was read is; gives NGX_DECLINED. */
ngx_int_t ngx_ors_mcp_invalid(char **invalid, char *why);

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

/*
 * Values of MCP's headers: what can stand in a header as it is, and the
 * marker for what cannot.
 */


/*
 * The value of a header for "text": the text itself, borrowed, if it is
 * visible ASCII with blanks inside at most and does not look like the marker;
 * else "=?base64?", its Base64 and "?=" in memory of "pool".
 *
 * NGX_OK, or NGX_ERROR: no memory
 */
ngx_int_t ngx_ors_mcp_header_value(ngx_str_t *text, ngx_pool_t *pool,
    ngx_str_t *value);

/* 1 if "text" is a token of HTTP, which can be a part of a header's name. */
ngx_uint_t ngx_ors_mcp_header_token(ngx_str_t *text);

/* 1 if "id" can be the id of a session: visible ASCII, and not too long. */
ngx_uint_t ngx_ors_mcp_header_session(ngx_str_t *id);

/*
 * Finds the annotated properties in "schema" and adds them to "params", an
 * empty array of ngx_ors_mcp_param_t; what is added is in the array's pool.
 *
 * NGX_OK         done
 * NGX_DECLINED   an annotation is not valid: the tool cannot be used;
 *                "*invalid" is static text
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_mcp_params_find(ngx_ors_json_t *json,
    ngx_ors_json_node_t *schema, ngx_array_t *params, char **invalid);

/*
 * Makes headers of the arguments of a call: ngx_keyval_t are added to
 * "headers", an array with memory from its pool.  A value that is absent, null
 * or no scalar has none.  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_ors_mcp_params_headers(ngx_array_t *params,
    ngx_ors_json_t *json, ngx_ors_json_node_t *arguments,
    ngx_array_t *headers);


#endif /* _NGX_ORS_MCP_REQUEST_H_INCLUDED_ */
