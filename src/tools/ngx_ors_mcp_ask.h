
/*
 * The requests of a dialog with an MCP server: each one takes the place of
 * the one before.
 */


#ifndef _NGX_ORS_MCP_ASK_H_INCLUDED_
#define _NGX_ORS_MCP_ASK_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_mcp_dialog.h>


/*
 * These set dialog->request, its state and its reader.  NGX_AGAIN: the answer
 * is awaited; NGX_ERROR: no memory.
 */

/* The beginning of a session of "version", which is the end of any other. */
ngx_int_t ngx_ors_mcp_ask_initialize(ngx_ors_mcp_dialog_t *dialog,
    ngx_ors_mcp_version_e version);

/* ... and its second half, with the version that the server has chosen */
ngx_int_t ngx_ors_mcp_ask_initialized(ngx_ors_mcp_dialog_t *dialog,
    ngx_ors_mcp_version_e version);

/* The dialog's request, in the form of the version that the peer has. */
ngx_int_t ngx_ors_mcp_ask_wanted(ngx_ors_mcp_dialog_t *dialog);

/* The first page of a new list, and the next page. */
ngx_int_t ngx_ors_mcp_ask_list(ngx_ors_mcp_dialog_t *dialog);
ngx_int_t ngx_ors_mcp_ask_page(ngx_ors_mcp_dialog_t *dialog,
    ngx_str_t *cursor);

/* The call. */
ngx_int_t ngx_ors_mcp_ask_call(ngx_ors_mcp_dialog_t *dialog);

/* The rest of a stream that has broken off, from the place that is known. */
ngx_int_t ngx_ors_mcp_ask_resume(ngx_ors_mcp_dialog_t *dialog);

/* Adds "req" to dialog->asides; NULL: no memory.  NGX_OK or NGX_ERROR. */
ngx_int_t ngx_ors_mcp_ask_aside(ngx_ors_mcp_dialog_t *dialog,
    ngx_ors_mcp_request_t *req);


#endif /* _NGX_ORS_MCP_ASK_H_INCLUDED_ */
