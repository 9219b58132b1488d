
/*
 * Output items of tools that run at the proxy, and how a client sees them:
 * flavor "openai" has types of its own for them, the specification has none.
 */


#ifndef _NGX_ORS_HOSTED_H_INCLUDED_
#define _NGX_ORS_HOSTED_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_item.h>
#include <ngx_ors_request.h>


typedef enum {
    ngx_ors_hosted_hidden = 0,            /* no item, no events */
    ngx_ors_hosted_prefixed,              /* an item without events */
    ngx_ors_hosted_plain
} ngx_ors_hosted_form_e;


typedef enum {
    ngx_ors_hosted_list_error = 0,        /* no list of tools: a string */
    ngx_ors_hosted_protocol_error,        /* "code" is that of JSON-RPC */
    ngx_ors_hosted_tool_error,            /* reported by the tool itself */
    ngx_ors_hosted_http_error             /* "code" is a status */
} ngx_ors_hosted_error_e;


/* members of such items only; texts are borrowed, JSON is not checked */

struct ngx_ors_hosted_s {
    ngx_str_t               label;        /* inside of a JSON string */
    ngx_str_t               container;    /* the same, of an interpreter */
    ngx_str_t               approval;     /* id of its request, or empty */
    ngx_str_t               value;        /* JSON or empty: tools of a list, */
                                          /* action, queries of a search */
    ngx_str_t               results;      /* JSON or empty: sources, results */
                                          /* or outputs */
    ngx_str_t               error;        /* JSON or empty: null */

    ngx_ors_item_status_e   ended;        /* how, in_progress: it runs */

    unsigned                answered:1;   /* its output is not null */
    unsigned                prefixed:1;
    unsigned                included:1;   /* the client sees "results" */
};


/*
 * The one place that decides how the client of "req" sees hosted tools that
 * are configured with "show", which is 0 for none.
 */
ngx_ors_hosted_form_e ngx_ors_hosted_form(ngx_ors_request_t *req,
    ngx_uint_t show);

/*
 * Gives an item of a hosted type its empty hosted part, from req->pool: the
 * request decides on its form and on what "include" adds.  A hidden item is
 * marked as dropped.  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_hosted_create(ngx_ors_item_t *item, ngx_ors_request_t *req,
    ngx_uint_t show);

/*
 * Sets the error of an item; "text" is the inside of a JSON string, copied.
 * NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_hosted_error(ngx_ors_hosted_t *hosted, ngx_pool_t *pool,
    ngx_ors_hosted_error_e type, ngx_int_t code, ngx_str_t *text);

/* The status of items of "type" while the tool runs; static text. */
ngx_str_t *ngx_ors_hosted_busy(ngx_ors_item_type_e type);

/* Appends an item that has a hosted part, as ngx_ors_item_render(). */
void ngx_ors_hosted_render(ngx_ors_out_t *out, ngx_ors_item_t *item,
    ngx_uint_t empty);


#endif /* _NGX_ORS_HOSTED_H_INCLUDED_ */
