
/*
 * The memory of tools and MCP servers that a configuration names, which all
 * workers share: the era of a server, and what has come of calls.
 *
 * It is read and written without a lock: two workers may both find out what a
 * server is.
 */


#ifndef _NGX_ORS_CALLEE_H_INCLUDED_
#define _NGX_ORS_CALLEE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_metrics_bounds.h>
#include <ngx_ors_named.h>


typedef struct ngx_ors_callee_s  ngx_ors_callee_t;


/* how a call has ended */

typedef enum {
    ngx_ors_callee_completed = 0,
    ngx_ors_callee_failed,                /* the tool says so, or did not */
                                          /* answer */
    ngx_ors_callee_canceled,              /* its client has left, or the */
                                          /* turn has ended */
    ngx_ors_callee_ends
} ngx_ors_callee_end_e;


/* in shared memory */

struct ngx_ors_callee_s {
    ngx_ors_named_t           named;
    ngx_atomic_t              era;        /* the caller's number, 0: unknown */
    ngx_atomic_t              ends[ngx_ors_callee_ends];
    ngx_atomic_t              dropped;    /* messages that end a call */
    ngx_ors_histogram_t       times;      /* ns, of calls that were answered */
                                          /* or failed */
};


/* of a configuration */

typedef struct {
    ngx_str_t                 server;
    ngx_str_t                 name;       /* of the tool, or the label */
    ngx_str_t                 uri;        /* of its location */
    ngx_uint_t                mcp;        /* it is an MCP server */
    ngx_ors_callee_t         *callee;     /* NULL: nothing is remembered */
} ngx_ors_callee_conf_t;


/*
 * Finds the memory of "conf" in the list "callees", or makes it from "shpool",
 * and sets conf->callee; it is NULL if there is no more memory.
 */
void ngx_ors_callee_attach(ngx_ors_named_list_t *callees,
    ngx_ors_callee_conf_t *conf, ngx_slab_pool_t *shpool);

/*
 * Sets "conf" to the entry after that of conf->callee; NULL there is before
 * the first one, and returned after the last one.
 */
ngx_ors_callee_t *ngx_ors_callee_next(ngx_ors_named_list_t *callees,
    ngx_ors_callee_conf_t *conf);

/* Counts "n" messages about the end of calls that a server did not get. */
void ngx_ors_callee_dropped(ngx_ors_callee_conf_t *conf, ngx_uint_t n);

/* Counts a call that has ended after "time" ms. */
void ngx_ors_callee_ended(ngx_ors_callee_conf_t *conf,
    ngx_ors_callee_end_e end, ngx_msec_t time);

/* Era of the server as a worker has learned it; 0: none has. */
ngx_uint_t ngx_ors_callee_era(ngx_ors_callee_conf_t *conf);

/* Lets all workers know. */
void ngx_ors_callee_learned(ngx_ors_callee_conf_t *conf, ngx_uint_t era);


#endif /* _NGX_ORS_CALLEE_H_INCLUDED_ */
