
/*
 * The tools of type "mcp" of a request: which server each of them names, and
 * which of its tools the model may call, with or without approval.
 */


#ifndef _NGX_ORS_REQUEST_MCP_H_INCLUDED_
#define _NGX_ORS_REQUEST_MCP_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_request.h>


/* tools by name, by their annotation, or both; zeroed: nothing is said */

typedef struct {
    ngx_ors_names_t            names;
    ngx_ors_json_node_t       *read_only; /* true or false, or NULL */
    unsigned                   named:1;   /* "names" counts, also if empty */
} ngx_ors_mcp_filter_t;


typedef enum {
    ngx_ors_mcp_approval_unset = 0,       /* the server's owner decides */
    ngx_ors_mcp_approval_always,
    ngx_ors_mcp_approval_never,
    ngx_ors_mcp_approval_filter           /* "always" and "never" say which */
} ngx_ors_mcp_approval_e;


typedef struct {
    ngx_str_t                  label;     /* decoded, not empty */
    ngx_uint_t                 index;     /* in "tools" */
    ngx_ors_json_node_t       *node;
    ngx_ors_mcp_filter_t       allowed;
    ngx_ors_mcp_approval_e     approval;
    ngx_ors_mcp_filter_t       always;
    ngx_ors_mcp_filter_t       never;

    /* a list of allowed tools in "tool_choice" */
    ngx_ors_names_t            chosen;    /* those that it names one by one */
    unsigned                   listed:1;  /* there is such a list */
    unsigned                   whole:1;   /* it names the server as a whole */

    /* where the client wants it to be: NULL if it does not say */
    ngx_ors_json_node_t       *url;
    ngx_ors_json_node_t       *connector; /* or a tunnel */

    /* secrets: neither logged, nor stored, nor shown; or NULL */
    ngx_ors_json_node_t       *authorization;
    ngx_ors_json_node_t       *headers;
} ngx_ors_request_mcp_t;


typedef struct {
    ngx_ors_request_mcp_t     *elts;      /* in the order of "tools" */
    ngx_uint_t                 n;
    ngx_ors_names_t            labels;    /* values: places in "elts" */
} ngx_ors_request_mcps_t;


/* choice of a server's tools by "tool_choice"; zeroed: none */

typedef struct {
    ngx_ors_request_mcp_t     *server;    /* one of its tools must be called */
    ngx_str_t                  name;      /* this one, decoded; empty: any */
} ngx_ors_mcp_choice_t;


/*
 * Approvals of calls to MCP servers in an input: which requests for them
 * there are, and what the client has answered.
 */

typedef enum {
    ngx_ors_approval_open = 0,            /* no answer */
    ngx_ors_approval_approved,            /* the call is to be run now */
    ngx_ors_approval_declined,
    ngx_ors_approval_over                 /* approved earlier, or run */
} ngx_ors_approval_e;


typedef struct {
    ngx_ors_approval_e        state;
    ngx_str_t                 id;         /* of the request, decoded */
    ngx_uint_t                item;       /* the request, in the input */
    ngx_uint_t                answer;     /* the first response to it, or 0: */
                                          /* that is after its request */
} ngx_ors_approval_t;


/* zeroed memory has none */

typedef struct {
    ngx_ors_approval_t       *elts;       /* in the order of the requests */
    ngx_uint_t                n;
    ngx_uint_t                napproved;

    /* private */
    ngx_ors_names_t           index;      /* by id: index + 1 */
} ngx_ors_approvals_t;


/*
 * Finds the tools of type "mcp", those in items of the input not among them.
 * Memory comes from req->pool, nodes are the request's.
 *
 * NGX_OK         "mcps" is filled
 * NGX_DECLINED   a label is empty or comes twice, a member cannot be
 *                understood, or a filter has more names than limits->tools:
 *                "err" is a 400 with "param"
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_request_mcps(ngx_ors_request_mcps_t *mcps,
    ngx_ors_request_t *req, ngx_ors_error_t *err);

/* The one with the label, plain text, or NULL. */
ngx_ors_request_mcp_t *ngx_ors_request_mcp_find(ngx_ors_request_mcps_t *mcps,
    ngx_str_t *label);

/*
 * Fills "err" with a 400 about member "field" of the tool, the whole tool if
 * that is NULL; "text" is static and follows its path.  NGX_DECLINED, or
 * NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_request_mcp_refuse(ngx_ors_request_t *req,
    ngx_ors_request_mcp_t *mcp, char *field, ngx_ors_code_e code, char *text,
    ngx_ors_error_t *err);

/*
 * 1 if the client lets the model call tool "name", plain text, of which its
 * server says that it is "read_only" or not.
 */
ngx_uint_t ngx_ors_request_mcp_allows(ngx_ors_request_mcp_t *mcp,
    ngx_str_t *name, ngx_uint_t read_only);

/*
 * 1 if a call of the tool needs an approval; where the client says nothing
 * of it, "unset" is the answer.  What is named by both filters needs one.
 */
ngx_uint_t ngx_ors_request_mcp_asks(ngx_ors_request_mcp_t *mcp,
    ngx_str_t *name, ngx_uint_t read_only, ngx_uint_t unset);

/*
 * Reads "tool_choice" of type "mcp".
 *
 * NGX_OK         "choice" is filled, with nothing if it is of another type
 * NGX_DECLINED   there is no such server in "tools": "err" is a 400
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_request_mcp_choice(ngx_ors_mcp_choice_t *choice,
    ngx_ors_request_mcps_t *mcps, ngx_ors_request_t *req,
    ngx_ors_error_t *err);

/*
 * 1 if "tool_choice" has a list of allowed tools without the server: the model
 * sees its tools and may not call them.  Such a list names tools of a server
 * all at once or, with "name", one by one.
 */
ngx_uint_t ngx_ors_request_mcp_excluded(ngx_ors_request_mcp_t *mcp,
    ngx_str_t *name);

/*
 * Finds the approvals in "input", whose first "prior" items are stored ones.
 * The call of the request item runs, and only after an answer that is not
 * stored: of several answers to one request the first one counts.
 * Memory comes from "pool".
 *
 * NGX_OK         "approvals" is filled
 * NGX_DECLINED   "err" is a 400: a request comes twice, or a response is to
 *                none
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_approvals_read(ngx_ors_approvals_t *approvals,
    ngx_ors_input_t *input, ngx_uint_t prior, ngx_pool_t *pool,
    ngx_ors_error_t *err);

/* The approval that item "item" of the input asks for, or NULL. */
ngx_ors_approval_t *ngx_ors_approval_find(ngx_ors_approvals_t *approvals,
    ngx_uint_t item);

/*
 * The client's reason for its answer: a string in the document of that
 * item, or NULL.
 */
ngx_ors_json_node_t *ngx_ors_approval_reason(ngx_ors_input_t *input,
    ngx_ors_approval_t *approval);


#endif /* _NGX_ORS_REQUEST_MCP_H_INCLUDED_ */
