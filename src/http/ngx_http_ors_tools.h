
/*
 * Calls of hosted tools: each is a background subrequest to the location of
 * its tool, which gets the arguments and answers with the output.
 */


#ifndef _NGX_HTTP_ORS_TOOLS_H_INCLUDED_
#define _NGX_HTTP_ORS_TOOLS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_mcp.h>
#include <ngx_http_ors_subrequest.h>
#include <ngx_ors_text.h>


typedef struct {
    ngx_http_ors_call_t      call;        /* the subrequest; stays the first */
    ngx_http_ors_mcp_t      *mcp;         /* in its place, or NULL */
    ngx_ors_round_call_t    *called;      /* the model's call */
    ngx_ors_text_t           output;      /* as it came */
    ngx_event_t              timer;
    ngx_msec_t               started;
    const char              *fault;       /* why it has failed, or NULL */

    unsigned                 ended:1;     /* the round knows its outcome */
} ngx_http_ors_tool_t;


/* the calls of a round */

struct ngx_http_ors_tools_s {
    ngx_uint_t               round;
    ngx_http_ors_tool_t     *elts;
    ngx_uint_t               n;
    ngx_uint_t               next;        /* the first that is not started */
    ngx_uint_t               running;
};


/*
 * Runs the calls of a turn in the state "tools", some of them side by side,
 * and calls the model again when all have ended.  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_ors_tools_run(ngx_http_ors_ctx_t *ctx);

/* Ends all calls and dialogs, and their timers. */
void ngx_http_ors_tools_cancel(ngx_http_ors_ctx_t *ctx);


/* Handler of the directive "open_responses_tool". */
char *ngx_http_ors_tool_set(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);


#endif /* _NGX_HTTP_ORS_TOOLS_H_INCLUDED_ */
