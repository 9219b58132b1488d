
/*
 * The answer to one request to an MCP server: bytes of a document or of an
 * event stream in, messages out.
 */


#ifndef _NGX_ORS_MCP_READER_H_INCLUDED_
#define _NGX_ORS_MCP_READER_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_json.h>
#include <ngx_ors_mcp.h>
#include <ngx_ors_mcp_message.h>
#include <ngx_ors_sse.h>


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


#endif /* _NGX_ORS_MCP_READER_H_INCLUDED_ */
