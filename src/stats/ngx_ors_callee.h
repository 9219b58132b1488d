
/*
 * The memory of tools and MCP servers that a configuration names, which all
 * workers share: the era of a server.
 *
 * It is read and written without a lock: two workers may both find out what a
 * server is.
 */


#ifndef _NGX_ORS_CALLEE_H_INCLUDED_
#define _NGX_ORS_CALLEE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


typedef struct ngx_ors_callee_s  ngx_ors_callee_t;


/* in shared memory, as all that it points to */

struct ngx_ors_callee_s {
    ngx_ors_callee_t         *next;
    ngx_atomic_t              era;        /* the caller's number, 0: unknown */
    size_t                    len;
    u_char                    key[1];     /* "server NUL kind name NUL uri" */
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
 * and sets conf->callee; it is NULL if there is no more memory.  For the master
 * process, which alone makes them.
 */
void ngx_ors_callee_attach(ngx_ors_callee_t **callees,
    ngx_ors_callee_conf_t *conf, ngx_slab_pool_t *shpool);

/* What a worker has learned of the server; 0: none has. */
ngx_uint_t ngx_ors_callee_era(ngx_ors_callee_conf_t *conf);

/* Lets all workers know. */
void ngx_ors_callee_learned(ngx_ors_callee_conf_t *conf, ngx_uint_t era);


#endif /* _NGX_ORS_CALLEE_H_INCLUDED_ */
