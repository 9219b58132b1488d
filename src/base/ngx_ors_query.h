
/*
 * Arguments of a query string.
 */


#ifndef _NGX_ORS_QUERY_H_INCLUDED_
#define _NGX_ORS_QUERY_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


/*
 * The argument "name" of "query", decoded, in memory of "pool".  Case does not
 * matter, as for nginx's own $arg_; of several the first counts.  value->data
 * is NULL without it.  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_query_arg(ngx_str_t *query, const ngx_str_t *name,
    ngx_pool_t *pool, ngx_str_t *value);


#endif /* _NGX_ORS_QUERY_H_INCLUDED_ */
