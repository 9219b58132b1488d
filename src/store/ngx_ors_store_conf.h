
/*
 * "open_responses_store" in both its forms: a store that is defined, and a
 * location that uses one.
 */


#ifndef _NGX_ORS_STORE_CONF_H_INCLUDED_
#define _NGX_ORS_STORE_CONF_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_store.h>


/* configuration of a location */

typedef struct {
    ngx_ors_store_t          *store;         /* NULL: nothing is stored */
    ngx_uint_t                required;      /* or a turn fails */
    ngx_uint_t                instructions;  /* they are stored */
} ngx_ors_store_use_t;


/*
 * Reads the directive's words in cf->args, which define a store, if "define"
 * is set, or are what "use" is about.  "stores", of ngx_ors_store_t *, are
 * those of the configuration; a store may be used before it is defined.
 * Returns what a setter does.
 */
char *ngx_ors_store_set(ngx_conf_t *cf, ngx_array_t *stores,
    ngx_ors_store_use_t *use, ngx_uint_t define);

/* Sets "use" to "not configured"; takes it from "prev" if that is so. */
void ngx_ors_store_use_init(ngx_ors_store_use_t *use);
void ngx_ors_store_use_merge(ngx_ors_store_use_t *use,
    ngx_ors_store_use_t *prev);

/*
 * Checks that all stores that are used are defined.  NGX_CONF_OK, or
 * NGX_CONF_ERROR: it is logged.
 */
char *ngx_ors_stores_check(ngx_conf_t *cf, ngx_array_t *stores);

/* Opens and closes all stores of a worker.  NGX_OK or NGX_ERROR. */
ngx_int_t ngx_ors_stores_open(ngx_array_t *stores, ngx_cycle_t *cycle);
void ngx_ors_stores_close(ngx_array_t *stores);


#endif /* _NGX_ORS_STORE_CONF_H_INCLUDED_ */
