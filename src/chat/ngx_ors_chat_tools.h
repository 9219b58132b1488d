
/*
 * The tools of a request as a chat server gets them, and back: a function stays
 * one, a custom tool becomes a function of one text, "input", and the tools of
 * a namespace become functions with its name in front of theirs (E23 to E25).
 * The client's search for tools is a function, and what it has found is
 * sent like the other tools.
 */


#ifndef _NGX_ORS_CHAT_TOOLS_H_INCLUDED_
#define _NGX_ORS_CHAT_TOOLS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_options.h>
#include <ngx_ors_hosting.h>
#include <ngx_ors_json.h>
#include <ngx_ors_names.h>
#include <ngx_ors_text.h>
#include <ngx_ors_request.h>
#include <ngx_ors_error.h>


typedef enum {
    ngx_ors_chat_tool_function = 0,
    ngx_ors_chat_tool_custom,
    ngx_ors_chat_tool_search,             /* tool_search of the client */
    ngx_ors_chat_tool_other               /* the server's own */
} ngx_ors_chat_tool_e;


typedef struct {
    ngx_ors_chat_tool_e    kind;
    ngx_str_t              sent;      /* upstream's name for it, plain; of */
                                      /* another: all that is sent, JSON */
    ngx_str_t              name;      /* the client's, inside of a string */
    ngx_str_t              space;     /* of its namespace, or empty; as name */
    ngx_ors_json_t        *json;      /* of "node", borrowed */
    ngx_ors_json_node_t   *node;      /* the client's definition, NULL: */
                                      /* "hosted" is defined here */
    ngx_ors_tool_t        *hosted;    /* runs its calls, NULL: a client */
} ngx_ors_chat_tool_t;


/* the name that the client's search for tools has upstream */
#define NGX_ORS_CHAT_SEARCH  "tool_search"


/* zeroed memory has no tools */

typedef struct {
    ngx_ors_chat_tool_t   *elts;      /* in the order of their declaration */
    ngx_uint_t             n;
    ngx_uint_t             others;    /* 1: there are some of the server's */

    /* of "tool_choice", set by ngx_ors_chat_choice() */
    ngx_ors_chat_tool_t   *chosen;    /* the one to be called, or NULL */
    ngx_ors_json_node_t   *mode;      /* a string, or NULL */
    ngx_uint_t             required;  /* 1: a tool of an MCP server */

    /* private */
    ngx_ors_names_t        index;     /* by "sent": index + 1 */
} ngx_ors_chat_tools_t;


/* The definition of a hosted tool: what a model reads of it in each request. */


/* bytes of a definition */
#define NGX_ORS_CHAT_HOSTED_MAX  65536


/*
 * Fills "tools" from the tools of the request.  Of several with one name
 * upstream the first one counts, in both directions.  Of tools that no chat
 * server has those are in it for which the target's options have something
 * to send.  Those that target->hosting defines come last.  Memory comes from
 * req->pool, what it can is borrowed from the request.
 *
 * NGX_OK         done
 * NGX_DECLINED   a tool is not to be sent, "err" says which: 400 with "param"
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_chat_tools_read(ngx_ors_chat_tools_t *tools,
    ngx_ors_request_t *req, ngx_ors_chat_target_t *target,
    ngx_ors_error_t *err);

/* The tool that is called "name" upstream, and not the server's, or NULL. */
ngx_ors_chat_tool_t *ngx_ors_chat_tools_sent(ngx_ors_chat_tools_t *tools,
    ngx_str_t *name);

/*
 * Sets "sent" to the name upstream of the tool that the client calls "name",
 * in namespace "space" unless that is NULL, whether it is declared or not.
 * NGX_OK, or NGX_ERROR: no memory in "pool".
 */
ngx_int_t ngx_ors_chat_tools_name(ngx_ors_json_t *json,
    ngx_ors_json_node_t *space, ngx_ors_json_node_t *name, ngx_pool_t *pool,
    ngx_str_t *sent);

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


#endif /* _NGX_ORS_CHAT_TOOLS_H_INCLUDED_ */
