
/*
 * One JSON-RPC message of an MCP server: what kind of message it is, and
 * where its parts are.
 */


#ifndef _NGX_ORS_MCP_MESSAGE_H_INCLUDED_
#define _NGX_ORS_MCP_MESSAGE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_json.h>
#include <ngx_ors_mcp_request.h>
#include <ngx_ors_sse.h>


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

/* 1 if a request or a notification is that of "name", a literal. */
#define ngx_ors_mcp_message_is(message, name)                                 \
    ngx_ors_json_is((message)->json, (message)->method, name)


/*
 * The answer to one request to an MCP server: bytes of a document or of an
 * event stream in, messages out.
 */

typedef enum {
    ngx_ors_mcp_reader_st_header = 0,   /* nothing has come */
    ngx_ors_mcp_reader_st_document,
    ngx_ors_mcp_reader_st_stream,
    ngx_ors_mcp_reader_st_other,        /* bytes that are no messages */
    ngx_ors_mcp_reader_st_over          /* the answer has ended, or is broken */
} ngx_ors_mcp_reader_state_e;


typedef struct {
    ngx_ors_mcp_message_t        message;   /* the one that was read */
    char                        *invalid;   /* why reading has ended, static: */
                                            /* it completes "an answer that" */
    ngx_ors_sse_place_t          place;     /* a stream's, for resuming it */

    /* private */
    ngx_ors_mcp_reader_state_e   state;
    ngx_ors_mcp_limits_t        *limits;
    ngx_ors_json_t               json;
    ngx_ors_sse_t                sse;
    ngx_buf_t                    gathered;
    ngx_pool_t                  *pool;
} ngx_ors_mcp_reader_t;


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

/*
 * Prepares a reader; it may be prepared again for another answer, and then
 * uses its memory again.  "limits" are borrowed.  The first time it must be
 * zeroed memory.
 */
void ngx_ors_mcp_reader_init(ngx_ors_mcp_reader_t *reader,
    ngx_ors_mcp_limits_t *limits, ngx_pool_t *pool);

/* Prepares it for the rest of a stream, whose place it keeps. */
void ngx_ors_mcp_reader_resume(ngx_ors_mcp_reader_t *reader);

/*
 * The header of the answer has come; of a Content-Type that is neither JSON
 * nor an event stream the body is passed over.
 */
void ngx_ors_mcp_reader_header(ngx_ors_mcp_reader_t *reader,
    ngx_str_t *type);

/*
 * Reads from "b", moving b->pos, up to the end of the next message.  The
 * message is valid until the next call and while the bytes of "b" are.
 *
 * NGX_OK         reader->message is one; call again for the next one
 * NGX_AGAIN      the buffer is used up
 * NGX_DECLINED   the answer is invalid or too large, "invalid" says why
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_mcp_reader_read(ngx_ors_mcp_reader_t *reader,
    ngx_buf_t *b);

/*
 * The body has ended.
 *
 * NGX_OK         reader->message is the last message; call again
 * NGX_DONE       there is no other message
 * NGX_DECLINED   the answer is invalid, "invalid" says why
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_mcp_reader_end(ngx_ors_mcp_reader_t *reader);

/*
 * Texts that are taken out of a message: strings decoded, values without the
 * white space between their parts.
 */


/*
 * Decodes string "node" into memory of "pool"; of another value, and of NULL,
 * "text" is empty.
 *
 * NGX_OK         "text" is set
 * NGX_DECLINED   "node" is no string
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_mcp_string(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    ngx_pool_t *pool, ngx_str_t *text);

/*
 * Copies value "node" as JSON text without white space outside its strings
 * into memory of "pool"; nothing else of it changes.  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_ors_mcp_compact(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    ngx_pool_t *pool, ngx_str_t *text);


#endif /* _NGX_ORS_MCP_MESSAGE_H_INCLUDED_ */
