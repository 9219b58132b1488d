
/*
 * The result of a call to an MCP server: a text for the model, or an error
 * for the item "mcp_call".
 */


#ifndef _NGX_ORS_MCP_RESULT_H_INCLUDED_
#define _NGX_ORS_MCP_RESULT_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_mcp_message.h>


/* bytes of an error's message, longer ones are cut */
#define NGX_ORS_MCP_ERROR_MAX  512


typedef enum {
    ngx_ors_mcp_error_none = 0,
    ngx_ors_mcp_error_protocol,     /* an error or an invalid answer */
    ngx_ors_mcp_error_execution,    /* the tool itself has failed */
    ngx_ors_mcp_error_http          /* a status, or no answer at all */
} ngx_ors_mcp_error_e;


typedef struct {
    ngx_ors_mcp_error_e   type;
    int64_t               code;     /* of JSON-RPC, or the HTTP status */
    ngx_str_t             message;  /* for a log: clean, of the server or */
                                    /* static; for an execution empty */
} ngx_ors_mcp_error_t;


typedef struct {
    ngx_str_t             text;     /* plain UTF-8 */
    ngx_str_t             state;    /* JSON: the call is to be repeated with */
                                    /* this "requestState"; or empty */
    char                 *invalid;  /* why it is no result, static */
    unsigned              failed:1; /* "isError": the text says why */
    unsigned              cut:1;    /* the text is not all of it */
} ngx_ors_mcp_result_t;


/*
 * Reads the result of "tools/call" in "message".  The text has the text parts,
 * one a line, and names what is no text; without text parts it has the
 * structured content.  It is cut at "max" bytes.  In the legacy era, "modern"
 * is 0, a result is always complete.
 *
 * NGX_OK         result->text is set, in memory of "pool"
 * NGX_AGAIN      the server wants the call again, with result->state
 * NGX_DECLINED   no result: result->invalid completes "a result that"
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_mcp_result_read(ngx_ors_mcp_result_t *result,
    ngx_ors_mcp_message_t *message, ngx_uint_t modern, size_t max,
    ngx_pool_t *pool);

/*
 * Fills "error" for a server's error, its message cleaned and cut in memory of
 * "pool".  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_ors_mcp_error_read(ngx_ors_mcp_error_t *error,
    ngx_ors_mcp_message_t *message, ngx_pool_t *pool);


#endif /* _NGX_ORS_MCP_RESULT_H_INCLUDED_ */
