
/* The definition of a hosted tool: what a model reads of it in each request. */


#ifndef _NGX_ORS_CHAT_HOSTED_H_INCLUDED_
#define _NGX_ORS_CHAT_HOSTED_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_error.h>
#include <ngx_ors_hosting.h>


/* bytes of a definition */
#define NGX_ORS_CHAT_HOSTED_MAX  65536


/*
 * Sets hosted->function from "text", a JSON object with the members
 * "description", "parameters" and, if it repeats them, "type" and "name".
 * Memory comes from "pool".
 *
 * NGX_OK         done
 * NGX_DECLINED   err->message says what is wrong with the text
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_chat_hosted_define(ngx_ors_tool_t *hosted,
    ngx_str_t *text, ngx_pool_t *pool, ngx_ors_error_t *err);


#endif /* _NGX_ORS_CHAT_HOSTED_H_INCLUDED_ */
