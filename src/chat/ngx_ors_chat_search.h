
/*
 * Searches for tools that the client has made, in the history.
 */


#ifndef _NGX_ORS_CHAT_SEARCH_H_INCLUDED_
#define _NGX_ORS_CHAT_SEARCH_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_content.h>


/*
 * Appends what was searched for as the arguments of a call, a string of JSON:
 * "node" is any value, or NULL.
 */
void ngx_ors_chat_search_arguments(ngx_ors_chat_content_t *cc,
    ngx_ors_json_node_t *node);

/*
 * Appends what was found as the content of a tool message: the names that the
 * tools in array "tools" have upstream.  NGX_OK, or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_chat_search_found(ngx_ors_chat_content_t *cc,
    ngx_ors_json_node_t *tools);


#endif /* _NGX_ORS_CHAT_SEARCH_H_INCLUDED_ */
