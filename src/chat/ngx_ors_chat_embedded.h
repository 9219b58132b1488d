
/*
 * Outputs of tools that are parts in a string: some clients and proxies send
 * what a tool has returned as the text of its JSON, and an image in it would be
 * a long text to the model (E10).
 */


#ifndef _NGX_ORS_CHAT_EMBEDDED_H_INCLUDED_
#define _NGX_ORS_CHAT_EMBEDDED_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_json.h>


/*
 * Reads string "node" of "json" as an array of texts and images in which
 * there is an image.  "parts" becomes a document whose root is the array;
 * its text and nodes come from "pool".
 *
 * NGX_OK         "parts" is ready
 * NGX_DECLINED   it is a string like any other
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_chat_embedded(ngx_ors_json_t *json,
    ngx_ors_json_node_t *node, ngx_pool_t *pool, ngx_ors_json_t *parts);


#endif /* _NGX_ORS_CHAT_EMBEDDED_H_INCLUDED_ */
