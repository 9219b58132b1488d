
/*
 * Tools that a request lets the model call, and whether the answer obeys it
 * (protocol, section 5: R67 to R75, E65).
 */


#ifndef _NGX_ORS_CHOICE_H_INCLUDED_
#define _NGX_ORS_CHOICE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_tools.h>
#include <ngx_ors_request.h>


typedef struct {
    ngx_str_t                name;        /* as it is sent upstream */
    ngx_str_t                space;       /* or all tools of a namespace */
} ngx_ors_choice_tool_t;


/* zeroed memory lets it call anything */

typedef struct {
    ngx_ors_chat_tools_t    *tools;       /* that were sent */
    ngx_ors_choice_tool_t   *allowed;     /* NULL: all */
    ngx_uint_t               nallowed;
    ngx_str_t                name;        /* that must be called, or empty */

    unsigned                 known:1;     /* others may not be called */
    unsigned                 none:1;
    unsigned                 needed:1;    /* there must be a call */
    unsigned                 single:1;    /* ... but one */
    unsigned                 last:1;      /* no round follows */

    /* state of the answer */
    unsigned                 called:1;
    unsigned                 met:1;       /* the call that is needed */
    unsigned                 refused:1;   /* a call that it may not make */
} ngx_ors_choice_t;


/*
 * Takes from the request what it says of calls.  "tools" are those that were
 * sent: without any, none can be needed.  Names that were not sent are refused
 * unless the profile is tolerant.  "calls" may leave less than that.
 *
 * NGX_OK      done
 * NGX_ERROR   no memory in req->pool
 */
ngx_int_t ngx_ors_choice_read(ngx_ors_choice_t *choice,
    ngx_ors_chat_tools_t *tools, ngx_ors_request_t *req,
    ngx_ors_chat_calls_e calls);

/*
 * The model calls "name", which is "tool" or, NULL, none that was sent. Returns
 * NULL if it may, else why not, to be put after "model called a tool".
 */
const char *ngx_ors_choice_refuses(ngx_ors_choice_t *choice,
    ngx_ors_chat_tool_t *tool, ngx_str_t *name);


#endif /* _NGX_ORS_CHOICE_H_INCLUDED_ */
