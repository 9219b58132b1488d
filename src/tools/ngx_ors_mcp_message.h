
/*
 * One JSON-RPC message of an MCP server: what kind of message it is, and
 * where its parts are.
 */


#ifndef _NGX_ORS_MCP_MESSAGE_H_INCLUDED_
#define _NGX_ORS_MCP_MESSAGE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_json.h>


typedef enum {
    ngx_ors_mcp_message_result = 0,
    ngx_ors_mcp_message_error,
    ngx_ors_mcp_message_request,
    ngx_ors_mcp_message_notification
} ngx_ors_mcp_message_type_e;


/* nodes are of "json", NULL: not there */

typedef struct {
    ngx_ors_mcp_message_type_e   type;
    ngx_ors_json_t              *json;      /* borrowed */
    ngx_ors_json_node_t         *id;        /* a string or a number */
    ngx_ors_json_node_t         *method;
    ngx_ors_json_node_t         *result;
    ngx_ors_json_node_t         *text;      /* of an error */
    ngx_ors_json_node_t         *data;      /* the same */
    int64_t                      code;      /* the same, 0: none */
    char                        *invalid;   /* why it is no message, static */
} ngx_ors_mcp_message_t;


/*
 * Reads "text" into "json", which is initialized, and finds the parts of the
 * message; "text" is borrowed as long as "message" is used.
 *
 * NGX_OK         "message" is set
 * NGX_DECLINED   no message: "invalid" completes the words "an answer that"
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_mcp_message_read(ngx_ors_mcp_message_t *message,
    ngx_ors_json_t *json, ngx_str_t *text);

/*
 * 1 if a result or an error answers request "id".  The number as a string
 * counts too: no other request has this connection.
 */
ngx_uint_t ngx_ors_mcp_message_answers(ngx_ors_mcp_message_t *message,
    uint64_t id);

/* 1 if a request or a notification is that of "name", a literal. */
#define ngx_ors_mcp_message_is(message, name)                                 \
    ngx_ors_json_is((message)->json, (message)->method, name)


#endif /* _NGX_ORS_MCP_MESSAGE_H_INCLUDED_ */
